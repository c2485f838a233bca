"""A cursor: one statement at a time, and the rows of its result."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from discreet.dbapi import results
from discreet.dbapi.errors import InterfaceError, NotSupportedError, ProgrammingError, translated
from discreet.dbapi.parameters import bound
from discreet.dbapi.results import Description, Result, Row
from discreet.dbapi.session import Session
from discreet.dbapi.statements import Ask, Reset, Set, Show, Statement, read_statement
from discreet.errors import Front
from discreet.release.answer import Release

if TYPE_CHECKING:
    from discreet.dbapi.connection import Connection


class Cursor:
    """Executes statements and hands out rows.  One thread uses it at a time.

    ``release`` is the last answer with its errors and its certificate, or None.
    """

    def __init__(self, connection: "Connection", session: Session) -> None:
        self.connection = connection
        self._session = session
        self.arraysize = 1
        self.release: Release | None = None
        self._result: Result | None = None
        self._place = 0
        self._closed = False

    def execute(self, operation: str, parameters: Sequence[object] | None = None) -> "Cursor":
        """Run one statement; every ``?`` in it stands for a parameter.

        A SELECT is charged before it is answered, each time it is run.
        """
        self._check_open()
        self.release, self._result, self._place = None, None, 0
        with translated():
            self._result = self._run(read_statement(bound(operation, parameters)))
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Sequence[object]]) -> None:
        """Refused: all answers but the last would be paid for and never read."""
        self._check_open()
        raise NotSupportedError(
            "executemany is not offered. Only the last of its answers could be read, and all would "
            "be paid for. Call execute for each, or ask once with GROUP BY."
        )

    def _run(self, statement: Statement) -> Result | None:
        session = self._session
        match statement:
            case Ask(question, explain=True):
                return results.texts("plan", session.plan(question).explain(Front.SQL).splitlines())
            case Ask(question):
                self.release = session.answer(question)
                return results.released(self.release)
            case Set(name, value):
                session.change(name, value)
            case Reset(name):
                session.reset(name)
            case Show(name):
                return session.show(name)
        return None

    # The result

    @property
    def description(self) -> tuple[Description, ...] | None:
        """The columns of the result; None where there is none."""
        return None if self._result is None else self._result.description

    @property
    def rowcount(self) -> int:
        """The number of rows of the result; -1 where there is none."""
        return -1 if self._result is None else len(self._result.rows)

    def fetchone(self) -> Row | None:
        """The next row, or None at the end."""
        return next(iter(self._take(1)), None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next rows, ``arraysize`` of them unless stated."""
        return self._take(self.arraysize if size is None else size)

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        return self._take(max(0, self.rowcount))

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def _take(self, count: int) -> list[Row]:
        self._check_open()
        if self._result is None:
            raise ProgrammingError(
                "there is no result to fetch from. SELECT, WITH, EXPLAIN and SHOW give rows. "
                "Execute one first."
            )
        rows = list(self._result.rows[self._place : self._place + max(0, count)])
        self._place += len(rows)
        return rows

    # What else PEP 249 asks for

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """Nothing: parameters need no room of their own."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing: no value is ever cut."""

    def close(self) -> None:
        """End the cursor; its rows are gone, and the connection stays."""
        self._closed, self._result = True, None

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError(
                "the cursor is closed. A closed one has no rows and runs nothing. Take another "
                "with connection.cursor()."
            )
        self._session.opened()
