"""What whoever runs a server is told on the standard error: one line a cause and minute."""

from collections.abc import Callable
from dataclasses import dataclass
from logging import getLogger
from threading import Lock
from time import monotonic
from typing import Final

_LOG: Final = getLogger("discreet.web")
_EVERY: Final = 60.0  # seconds between two lines of one cause
_MOST_CAUSES: Final = 100


@dataclass(slots=True)
class Notice:
    """A cause that was told, how often it came up, and when it was last written."""

    text: str
    times: int
    written: float
    unsaid: int = 0


class Notices:
    """Causes, each with its remedy; texts name nobody who sent anything.

    >>> notices = Notices("discreet survey", clock=lambda: 0.0)
    >>> for _ in range(3):
    ...     notices.tell("full", "the disk is full. Make room.")
    >>> [(notice.text, notice.times) for notice in notices.all()]
    [('the disk is full. Make room.', 3)]
    """

    def __init__(self, name: str, clock: Callable[[], float] = monotonic) -> None:
        self._name = name
        self._clock = clock
        self._lock = Lock()
        self._told: dict[str, Notice] = {}

    def tell(self, cause: str, text: str) -> None:
        """Write a line, unless one of this cause was written within a minute."""
        now = self._clock()
        with self._lock:
            notice = self._told.get(cause)
            if notice is not None and now < notice.written + _EVERY:
                notice.text, notice.times, notice.unsaid = text, notice.times + 1, notice.unsaid + 1
                return
            if notice is None:
                while len(self._told) >= _MOST_CAUSES:
                    del self._told[next(iter(self._told))]
                notice = self._told[cause] = Notice(text, 0, now)
            more = f" ({notice.unsaid:,} times more since the last line)" if notice.unsaid else ""
            notice.text, notice.times, notice.written = text, notice.times + 1, now
            notice.unsaid = 0
        _LOG.warning("%s: %s%s", self._name, text, more)

    def all(self) -> list[Notice]:
        """What was told, the first cause first."""
        with self._lock:
            return [Notice(one.text, one.times, one.written) for one in self._told.values()]
