"""Where reports are kept: a SQLite file or a PostgreSQL database, behind one small interface.

A batch of reports is one transaction: their rows, their tokens, and the tally of all reports so
far.  When ``add`` returns, the batch is on the disk; if it raises, nothing of it was kept or, if
the connection broke during the commit, all or nothing of it: a report that is sent again with its
own id is counted once either way.  A row holds a report and its day, and nothing about a person.

Where rows lie on the disk, and in which transaction they were written, would still tell in which
order they came, and with which token each.  ``tidy`` writes all of them anew in the order of random
keys, reports and tokens apart.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from threading import Lock
from typing import Any, Final

from discreet.errors import DataError, DiscreetError, SourceError
from discreet.survey.databases import Database, database_at
from discreet.survey.terms import Terms, changed, check, outdated


class Outcome(Enum):
    """What became of one report."""

    STORED = "stored"
    AGAIN = "again"  # the same report with the same id is there: it counts once
    ID_TAKEN = "id-taken"
    TOKEN_UNKNOWN = "token-unknown"
    TOKEN_USED = "token-used"
    CHANGED = "changed"  # the poll was changed while it was served


@dataclass(frozen=True, slots=True)
class Entry:
    """A report to be kept: its random id, its day, its JSON text, and the hash of its token."""

    id: str
    day: str
    report: str
    token: str | None = None


Count = Callable[[bytes | None, list[Entry]], bytes]
"""The tally with more entries, from the tally without them."""

_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS survey_poll (one INTEGER PRIMARY KEY, scheme TEXT NOT NULL, "
    "question TEXT NOT NULL, tokens TEXT NOT NULL, tally TEXT)",
    "CREATE TABLE IF NOT EXISTS survey_reports (id TEXT PRIMARY KEY, day TEXT NOT NULL, "
    "report TEXT NOT NULL){keyed}",
    "CREATE TABLE IF NOT EXISTS survey_tokens (hash TEXT PRIMARY KEY, used INTEGER NOT NULL)"
    "{keyed}",
    "CREATE TABLE IF NOT EXISTS survey_refusals (reason TEXT PRIMARY KEY, number BIGINT NOT NULL)",
)
_COUNTED: Final = (
    "INSERT INTO survey_refusals (reason, number) VALUES (?, ?) ON CONFLICT (reason) "
    "DO UPDATE SET number = survey_refusals.number + excluded.number"
)
_TERMS: Final = "SELECT scheme, question, tokens FROM survey_poll"
_PAGE: Final = 1000


class Store:
    """The reports of one poll.

    As long as there are none, the poll may change in any way, if ``renew`` is true.  Afterwards its
    scheme is fixed, and its question and who is admitted change only if that is meant
    (``reworded``).  With ``make=False`` the database is read and left as it is.
    """

    def __init__(
        self,
        place: str,
        terms: Terms,
        *,
        reworded: bool = False,
        renew: bool = True,
        make: bool = True,
    ) -> None:
        self._database: Database = database_at(place)
        self._lock = Lock()
        self._connection: Any = None
        self._terms = terms
        self._mark: object = None
        if make:
            self._make(reworded, renew)
            return
        with self._reading() as execute:
            self._terms = Terms(*execute(_TERMS).fetchone())
            check(self._terms, terms, _number(execute), reworded)

    def _make(self, reworded: bool, renew: bool) -> None:
        terms = self._terms
        self._database.make()
        with self._writing() as execute:
            for statement in self._database.turn:
                execute(statement)
            for table in _TABLES:
                execute(table.format(keyed=self._database.keyed))
            given = (terms.scheme, terms.question, terms.tokens)
            execute(
                "INSERT INTO survey_poll (one, scheme, question, tokens) VALUES (1, ?, ?, ?) "
                "ON CONFLICT (one) DO NOTHING",
                *given,
            )
            # Whoever writes takes turns, so that no report comes in between.
            found = Terms(*execute(_TERMS + self._database.lock).fetchone())
            check(found, terms, _number(execute), reworded)
            if found == terms:
                return
            if not renew:
                raise outdated()
            execute("UPDATE survey_poll SET scheme = ?, question = ?, tokens = ?", *given)

    def add(
        self, entries: Sequence[Entry], count: Count, refusals: Mapping[str, int]
    ) -> list[Outcome]:
        """Keep a batch in one transaction; what became of each, once it is on the disk."""
        with self._writing() as execute:
            *terms, tally = execute(
                "SELECT scheme, question, tokens, tally FROM survey_poll" + self._database.lock
            ).fetchone()
            if Terms(*terms) != self._terms:
                return [Outcome.CHANGED] * len(entries)
            outcomes = [_kept(execute, entry) for entry in entries]
            stored = [
                entry
                for entry, outcome in zip(entries, outcomes, strict=True)
                if outcome is Outcome.STORED
            ]
            if stored:
                counted = count(None if tally is None else _bytes(tally), stored)
                execute("UPDATE survey_poll SET tally = ?", counted.hex())
            for reason, number in refusals.items():
                execute(_COUNTED, reason, number)
        return outcomes

    def add_tokens(self, hashes: Sequence[str]) -> None:
        """Admit the respondents who have these tokens, each once."""
        with self._writing() as execute:
            for one in hashes:
                execute("INSERT INTO survey_tokens (hash, used) VALUES (?, 0)", one)

    def tidy(self) -> bool:
        """Write all rows anew, so that nothing tells when each came and with which token; whether
        that could be done."""
        with self._lock, self._translated():
            connection = self._connected()
            try:
                return self._database.tidy(connection)
            except BaseException:
                self._forget()
                raise

    def tally(self) -> tuple[bytes | None, dict[str, int]]:
        """The tally of all reports, and how many were refused for which reason."""
        with self._reading() as execute:
            *terms, tally = execute(
                "SELECT scheme, question, tokens, tally FROM survey_poll"
            ).fetchone()
            if Terms(*terms) != self._terms:
                raise changed()
            refused = execute("SELECT reason, number FROM survey_refusals ORDER BY reason")
            numbers = {str(reason): int(number) for reason, number in refused.fetchall()}
        return None if tally is None else _bytes(tally), numbers

    def tokens(self) -> tuple[int, int]:
        """How many tokens there are, and how many of them were used."""
        with self._reading() as execute:
            made, used = execute("SELECT count(*), sum(used) FROM survey_tokens").fetchone()
        return int(made), int(used or 0)

    def reports(self) -> Iterator[list[tuple[str, str]]]:
        """The day and the report of each, in the order of their random ids, some at a time."""
        last = ""
        while True:
            with self._reading() as execute:
                if Terms(*execute(_TERMS).fetchone()) != self._terms:
                    raise changed()
                rows = execute(
                    "SELECT id, day, report FROM survey_reports WHERE id > ? ORDER BY id LIMIT ?",
                    last,
                    _PAGE,
                ).fetchall()
            if not rows:
                return
            yield [(str(day), str(report)) for _, day, report in rows]
            last = str(rows[-1][0])

    def close(self) -> None:
        """Give back the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _writing(self) -> Iterator[Callable[..., Any]]:
        """Statements of one transaction; another thread waits for its turn."""
        with self._lock, self._translated():
            connection = self._connected()
            try:
                connection.execute(self._database.begin)
                yield lambda sql, *values: connection.execute(self._database.written(sql), values)
                connection.execute("COMMIT")
            except BaseException:
                self._forget()
                raise

    def _connected(self) -> Any:
        if self._connection is not None and self._database.mark() != self._mark:
            self._forget()
            raise SourceError(
                "the poll's database was removed or replaced while it was used. Nothing is kept in "
                "a file that nobody can find. Put it back, or serve the poll again."
            )
        if self._connection is None:
            self._connection = self._database.connect(write=True)
            self._mark = self._database.mark()
        return self._connection

    def _forget(self) -> None:
        """Give up the connection: a new one knows nothing of what this one had begun."""
        connection, self._connection = self._connection, None
        self._database.drop(connection)

    @contextmanager
    def _reading(self) -> Iterator[Callable[..., Any]]:
        with self._translated(), closing(self._database.connect(write=False)) as connection:
            yield lambda sql, *values: connection.execute(self._database.written(sql), values)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DiscreetError:  # has its own words
            raise
        except self._database.faults as error:
            raise SourceError(
                f"the poll's database cannot be used: {self._database.reason(error)}. Reports are "
                "only taken once they are on its disk. Check its path or address, its disk and its "
                "rights."
            ) from None


def _bytes(tally: str) -> bytes:
    try:
        return bytes.fromhex(tally)
    except ValueError:
        raise DataError(
            "the database's tally is damaged. Results are made from it. Put a backup in its place."
        ) from None


def _number(execute: Callable[..., Any]) -> int:
    (number,) = execute("SELECT count(*) FROM survey_reports").fetchone()
    return int(number)


def _kept(execute: Callable[..., Any], entry: Entry) -> Outcome:
    found = execute("SELECT report FROM survey_reports WHERE id = ?", entry.id).fetchone()
    if found is not None:
        return Outcome.AGAIN if found[0] == entry.report else Outcome.ID_TAKEN
    if entry.token is not None:
        spent = execute(
            "UPDATE survey_tokens SET used = 1 WHERE hash = ? AND used = 0", entry.token
        )
        if spent.rowcount == 0:
            known = execute("SELECT used FROM survey_tokens WHERE hash = ?", entry.token)
            return Outcome.TOKEN_UNKNOWN if known.fetchone() is None else Outcome.TOKEN_USED
    execute(
        "INSERT INTO survey_reports (id, day, report) VALUES (?, ?, ?)",
        entry.id,
        entry.day,
        entry.report,
    )
    return Outcome.STORED
