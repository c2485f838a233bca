"""Taking reports: strict reading, group commit, and an answer only after the commit.

Reports that arrive while a batch is being written form the next batch, so the disk is waited for
once a batch and not once a report.  Refusals are counted, and written with the next batch or
within a second.
"""

from asyncio import Future, get_running_loop
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, UnsetType

from discreet.errors import DiscreetError, SourceError
from discreet.strict_json import Shape, decoded
from discreet.survey.poll import ONE_TIME, Poll
from discreet.survey.poll_terms import BATCHES, CLOSED, reports_text, taken_over_error
from discreet.survey.report_store import Outcome, ReceivedReport, ReportStore
from discreet.survey.tokens import new_id, token_hash
from discreet.web.notices import Notices
from discreet.web.refusals import Refused

LONGEST_BODY: Final = 1 << 16
_MOST_AT_ONCE: Final = 512
_PAUSE: Final = 1.0  # seconds between two writings of refusals
_LAST: Final = 20.0  # seconds for the last writing
_RETRY: Final = 5.0  # seconds until a tidying that failed is tried again
_LATEST: Final = 60.0  # seconds that reports may come without one
_TIDY: Final = -1.0
_SHARE: Final = 50  # a tidying takes at most one part in so many of the time
_REFUSED: Final = {
    Outcome.ID_TAKEN: "id-taken",
    Outcome.TOKEN_UNKNOWN: "token-unknown",
    Outcome.TOKEN_USED: "token-used",
    Outcome.CHANGED: "wrong-scheme",
    Outcome.CLOSED: "closed",
}

Waiting = tuple[ReceivedReport, "Future[Outcome]"]


class Body(Shape, frozen=True):
    """What a request says: a report, whose it is, and by which ballot it was made.

    A report to a plain poll names the scheme and may name the question; one to several questions
    names the survey.
    """

    report: Any
    scheme: str | UnsetType = UNSET
    survey: str | UnsetType = UNSET
    question: Any = UNSET
    id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")] | UnsetType = UNSET
    token: str | UnsetType = UNSET


def _now() -> datetime:
    return datetime.now(UTC)


class Collector:
    """Receives reports of one poll and keeps them."""

    def __init__(
        self,
        poll: Poll,
        store: ReportStore,
        clock: Callable[[], datetime] = _now,
        pause: float = _PAUSE,
    ) -> None:
        self.poll = poll
        self.store = store
        self.clock = clock
        self._pause = pause
        self._question = poll.question_identity
        self._closed = False
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._refusals: Counter[str] = Counter()
        self._lock = Lock()
        self._tidy_at = 0.0
        self._show_at = 0.0
        self._untidy_since = monotonic()  # a process before this one may have been killed
        self.notices = Notices("discreet survey")
        self._writer = Thread(target=self._write, name="survey writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._writer.start()

    def stop(self) -> None:
        """Write what is waiting, and end; a database that does not answer is left alone."""
        self._queue.put(None)
        self._writer.join(_LAST)
        if not self._writer.is_alive():
            self.store.close()

    # ------------------------------------------------------------------ receiving

    def read(self, body: bytes) -> ReceivedReport:
        """The report of a request's body, or a refusal."""
        if len(body) > LONGEST_BODY:
            raise Refused("oversize")
        sent = decoded(body, Body)
        if sent is None:
            raise Refused("malformed")
        plain = self.poll.ballot.plain
        named, other = (sent.scheme, sent.survey) if plain else (sent.survey, sent.scheme)
        if other is not UNSET or named is UNSET:
            raise Refused("malformed")
        if named != self.poll.ballot.identity or sent.question not in (UNSET, self._question):
            raise Refused("wrong-scheme")
        try:
            report = self.poll.ballot.read(sent.report)
        except (ValueError, RecursionError):
            raise Refused("malformed") from None
        identity = new_id() if sent.id is UNSET else sent.id
        return ReceivedReport(
            identity, self.clock().date().isoformat(), report, self._token(sent.token)
        )

    async def keep(self, entry: ReceivedReport) -> None:
        """Return when a report is on the disk; raise if it is not to be kept, or cannot be."""
        future: Future[Outcome] = get_running_loop().create_future()
        self._queue.put((entry, future))
        outcome = await future
        if outcome in _REFUSED:
            raise Refused(_REFUSED[outcome])

    @property
    def is_open(self) -> bool:
        """Whether reports are taken: the poll's time has not come, and nobody closed it."""
        return not self._closed and self.poll.is_open(self.clock())

    def close_poll(self, closed: bool = True) -> None:
        """Take no more reports from now on, or take them again."""
        self.store.close_poll(closed)
        self._closed = closed

    def refuse(self, reason: str) -> None:
        """Count a refusal."""
        with self._lock:
            self._refusals[reason] += 1

    def _token(self, token: str | UnsetType) -> str | None:
        if self.poll.tokens != ONE_TIME:
            if token is not UNSET:  # nobody is to be told apart by it
                raise Refused("malformed")
            return None
        if token is UNSET:
            raise Refused("token-missing")
        return token_hash(token)

    # ------------------------------------------------------------------ writing

    def _write(self) -> None:
        going = True
        while going:
            batch: list[Waiting] = []
            try:
                first = self._queue.get(timeout=self._pause)
                while first is not None:
                    batch.append(first)
                    if len(batch) == _MOST_AT_ONCE:
                        break
                    first = self._queue.get_nowait()
                else:
                    going = False
            except Empty:
                pass
            self._keep(batch)
            self._show()
            self._tidy(quiet=not batch, last=not going)

    def _keep(self, batch: list[Waiting]) -> None:
        with self._lock:
            refusals, self._refusals = self._refusals, Counter()
        if not batch and not refusals:
            return
        if batch and self._untidy_since == _TIDY:
            self._untidy_since = monotonic()
        try:
            outcomes = self.store.add([entry for entry, _ in batch], self._count, refusals)
        except Exception as error:  # whatever it is, nobody may be told that a report is kept
            with self._lock:
                self._refusals += refusals
            self.tell(error, len(batch))
            self._show_at = monotonic() + _RETRY  # reports come first
            _tell([future for _, future in batch], None)
            return
        if Outcome.CHANGED in outcomes:
            self.tell(taken_over_error(), len(batch))
        _tell([future for _, future in batch], outcomes)

    def _show(self) -> None:
        """Look whether the poll was closed, and show everyone what they may see; now and then."""
        now = monotonic()
        if now < self._show_at:
            return
        self._show_at = now + self._pause
        try:
            self._closed = self.store.shown().closed
            mode, ended = self.poll.results, not self.is_open
            if mode == BATCHES or (mode == CLOSED and ended):
                self.store.show(self.poll.batch, self.poll.ballot.number, to_end=ended)
        except Exception as error:  # it is tried again, and no report waits for it
            self.tell(error)

    def _tidy(self, quiet: bool, last: bool) -> None:
        """Let the database forget when reports came: when none come, and at the latest after a
        minute; but for at most a small part of the time."""
        began = monotonic()
        due = began >= self._tidy_at and (quiet or began >= self._untidy_since + _LATEST)
        if self._untidy_since == _TIDY or not (due or last):
            return
        why = "somebody is reading it"
        try:
            done = self.store.tidy()
        except Exception as error:  # it is tried again, and no report waits for it
            said = str(error) if isinstance(error, DiscreetError) else type(error).__name__
            done, why = False, said.partition(". ")[0]
        if done:
            self._untidy_since = _TIDY
            self._tidy_at = began + _SHARE * (monotonic() - began)
            return
        self._tidy_at = began + _RETRY
        self.notices.tell(
            "tidying",
            f"the reports could not be written anew: {why}. Until they are, the database tells in "
            "which order they came, and with which tokens. End what reads it, or let this user "
            "empty the tables; it is tried again.",
        )

    def tell(self, error: Exception, reports: int = 0) -> None:
        """Tell whoever serves the poll of a fault, and of reports that are not kept by it."""
        what = str(error) if isinstance(error, DiscreetError) else _unforeseen(error)
        lost = f"{reports_text(reports)} not taken: " if reports else ""
        again = " Whoever sent one is asked to send the same again." if reports else ""
        self.notices.tell(f"{bool(reports)} {what}", f"{lost}{what}{again}")

    def _count(self, tally: bytes | None, entries: list[ReceivedReport]) -> bytes:
        return self.poll.ballot.counted(tally, [entry.report for entry in entries])


def _unforeseen(error: Exception) -> str:
    return (
        f"the collector met a fault that it does not know: {type(error).__name__}. Reports are "
        "only taken once they are on the disk. Look at the disk and the database, and serve the "
        "poll again."
    )


def _tell(futures: list["Future[Outcome]"], outcomes: list[Outcome] | None) -> None:
    """Wake whoever waits, once for the batch: waking a loop costs more than a report."""

    def settle(mine: list[tuple[int, "Future[Outcome]"]]) -> None:
        for place, future in mine:
            if future.done():  # whoever waited has gone away
                continue
            if outcomes is None:
                future.set_exception(SourceError("the poll's database cannot be used."))
            else:
                future.set_result(outcomes[place])

    for loop in {future.get_loop() for future in futures}:
        mine = [(at, one) for at, one in enumerate(futures) if one.get_loop() is loop]
        with suppress(RuntimeError):  # a loop that has ended has nobody who waits
            loop.call_soon_threadsafe(settle, mine)
