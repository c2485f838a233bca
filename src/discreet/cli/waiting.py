"""Something that turns while a command is at work, once it takes long, and says how far it is."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.text import Text

_PATIENCE: Final = 2.0  # seconds
_PAUSE: Final = 0.25  # seconds from one look at the progress to the next

Progress = Callable[[], float]
"""How much is done, from 0 to 1; asked from another thread."""


@contextmanager
def waiting(what: str) -> Iterator[Callable[[Progress], None]]:
    """Say on the terminal what is being done, if it takes longer than two seconds.

    Whoever can tell how far it is hands over the function that does; then it stands there too.
    """
    told: list[Progress] = []
    if not sys.stderr.isatty():
        yield told.append
        return
    done = Event()
    shown = Thread(target=_show, args=(what, told, done), daemon=True)
    shown.start()
    try:
        yield told.append
    finally:
        done.set()
        shown.join()


def _show(what: str, told: list[Progress], done: Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.status import Status

    with Status(_line(what, told), console=Console(stderr=True)) as status:
        while not done.wait(_PAUSE):
            status.update(_line(what, told))


def _line(what: str, told: list[Progress]) -> "Text":
    from rich.text import Text

    try:
        part = told[-1]() if told else 0.0
    except Exception:  # the table may be closed at this very moment
        part = 0.0
    # Before the first rows are read and after the last there is nothing to measure.
    return Text(f"{what}, {part:.0%}" if 0 < part < 1 else what)
