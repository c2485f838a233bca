"""Connections and cursors on a private table, as PEP 249 has them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike, fspath
from typing import Any, NoReturn

from discreet.dbapi import errors, results
from discreet.dbapi.errors import (
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
    translated_errors,
)
from discreet.dbapi.results import STRING, Description, ResultSet, Row
from discreet.dbapi.statements import (
    AskStatement,
    ListStatement,
    ResetStatement,
    SetStatement,
    Setting,
    Settings,
    ShowStatement,
    Statement,
    bind_parameters,
    read_sizes,
    read_statement,
)
from discreet.errors import Front
from discreet.ledger.balances import Balance
from discreet.release.listings import read_listing
from discreet.release.open_table import table
from discreet.release.plan import Plan
from discreet.release.release import Release
from discreet.release.table import Table


class Session:
    """A table and the settings it is asked with, until it is closed."""

    def __init__(self, opened: Table, settings: Settings, *, owned: bool) -> None:
        self.name = opened.name
        self.settings = settings
        self._given = settings
        self._table: Table | None = opened
        self._owned = owned

    @property
    def closed(self) -> bool:
        """Whether nothing is answered any more."""
        return self._table is None

    def opened(self) -> Table:
        """The table; a closed session is refused."""
        if self._table is None:
            raise InterfaceError(
                "the connection is closed. A closed one answers nothing. Open another with "
                "connect(policy)."
            )
        return self._table

    def close(self) -> None:
        """End the session, and close the table if nobody else uses it."""
        if self._table is not None and self._owned:
            self._table.close()
        self._table = None

    def plan(self, question: str) -> Plan:
        """A question at the price that is set.  Nothing is charged."""
        settings = self.settings
        asking = self.opened().ask(question).capped(**settings.caps)
        price: dict[str, Any] = {} if asking.free else settings.price
        weights = None if settings.weights is None else read_sizes(settings.weights, "weights")
        return asking.plan(delta=settings.delta, weights=weights, **price)

    def explained(self, question: str) -> list[str]:
        """The plan in lines, with errors as likely as is set."""
        plan, confidence = self.plan(question), self.settings.confidence
        plan = plan if confidence is None else plan.at(confidence)
        return plan.explain(Front.SQL).splitlines()

    def answer(self, question: str) -> Release:
        """The answer to a question, charged at the price that is set; its key is used up."""
        settings = self.settings
        release = self.plan(question).release(key=settings.key, analyst=settings.analyst)
        self.settings = replace(settings, key=None)
        return release if settings.confidence is None else release.at(settings.confidence)

    def change(self, name: Setting, value: str) -> None:
        """Give a setting another value."""
        self.settings = self.settings.changed(name, value)

    def reset(self, name: Setting) -> None:
        """Give a setting the value that ``connect`` gave it."""
        self.settings = self.settings.changed(name, getattr(self._given, name))

    def show(self, name: str) -> ResultSet:
        """The budget, or a setting, as one row."""
        if name == "budget":
            budget = self.opened().budget
            row = (budget.spent_text, budget.left)
            return ResultSet({"spent": STRING, "left": STRING}, [row])
        value = getattr(self.settings, name)
        return ResultSet({name: STRING}, [(None if value is None else str(value),)])


class Cursor:
    """Executes statements and hands out rows.  One thread uses it at a time.

    ``release`` is the last answer with its errors and its certificate, or None.
    """

    def __init__(self, connection: "Connection", session: Session) -> None:
        self.connection = connection
        self._session = session
        self.arraysize = 1
        self.release: Release | None = None
        self._result: ResultSet | None = None
        self._place = 0
        self._closed = False

    def execute(
        self,
        operation: str,
        parameters: Sequence[object] | Mapping[str, object] | None = None,
    ) -> "Cursor":
        """Run one statement; every ``?`` in it stands for a parameter, or every ``:name``.

        A SELECT is charged before it is answered, each time it is run.
        """
        self._check_open()
        self.release, self._result, self._place = None, None, 0
        with translated_errors():
            self._result = self._run(read_statement(bind_parameters(operation, parameters)))
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Sequence[object]]) -> None:
        """Refused: all answers but the last would be paid for and never read."""
        self._check_open()
        raise NotSupportedError(
            "executemany is not offered. Only the last of its answers could be read, and all would "
            "be paid for. Call execute for each, or ask once with GROUP BY."
        )

    def _run(self, statement: Statement) -> ResultSet | None:
        session = self._session
        match statement:
            case AskStatement(question, explain=True):
                return results.text_result("plan", session.explained(question))
            case AskStatement(question):
                self.release = session.answer(question)
                return results.release_result(self.release)
            case SetStatement(name, value):
                session.change(name, value)
            case ResetStatement(name):
                session.reset(name)
            case ShowStatement(name):
                return session.show(name)
            case ListStatement(text):
                listed = read_listing(text, session.opened().schema)
                return ResultSet(dict.fromkeys(listed.columns, STRING), listed.rows)
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
                "there is no result to fetch from. SELECT, WITH, EXPLAIN, SHOW and DESCRIBE give "
                "rows. Execute one first."
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


def connect(
    policy: str | PathLike[str] | Table,
    *,
    epsilon: object = None,
    delta: object = 0,
    rho: object = None,
    spend: object = None,
    analyst: str | None = None,
) -> "Connection":
    """A PEP 249 connection to a private table: the path of its policy, or the open table.

    ``epsilon``, ``rho`` or ``spend`` (a part of the budget, such as "5%"), and ``delta``, are the
    price of every question until ``SET`` changes it; without one nothing is answered before
    ``SET spend = '5%'`` or ``SET epsilon = 0.1``.  ``analyst`` is who asks, by default the
    operating system's user.

    >>> import pandas
    >>> import discreet as dp
    >>> ages = pandas.DataFrame({"age": [30, 40] * 500})
    >>> visits = dp.table(ages, name="visits", unit="row", budget=dp.Budget(epsilon=3),
    ...                   columns={"age": dp.integer(0, 120)}, ledger=":memory:")
    >>> with connect(visits, epsilon=1) as connection:
    ...     cursor = connection.cursor()
    ...     n, lower, upper = cursor.execute("SELECT COUNT(*) AS n FROM visits").fetchone()
    >>> lower < n < upper
    True
    """
    with translated_errors():
        settings = Settings(epsilon=epsilon, rho=rho, spend=spend, delta=delta, analyst=analyst)
        if isinstance(policy, Table):
            return Connection(Session(policy, settings, owned=False))
        return Connection(Session(table(_path(policy)), settings, owned=True))


def _path(policy: object) -> str:
    path = fspath(policy) if isinstance(policy, str | PathLike) else None
    if isinstance(path, str) and path.endswith(".toml"):
        return path
    shown = f"a {type(policy).__name__}" if path is None else repr(path[:60])
    raise InterfaceError(
        f"the policy is {shown}. A table is declared once, in a policy, and asked through it. "
        'Write connect("visits.toml"), or connect(dp.table(…)).'
    )


def read_sql(
    sql: str,
    connection: "Connection",
    params: Sequence[object] | Mapping[str, object] | None = None,
) -> Any:
    """The rows of a statement as a pandas DataFrame, as by ``pandas.read_sql``, with their notes.

    Its ``attrs`` hold the notes of an answer, and on what its bounds rest: a frame that pandas
    makes of a connection has names and rows alone.
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        if cursor.release is not None:
            with translated_errors():
                return cursor.release.to_pandas()
        pandas = import_module("pandas")
        names = [name for name, *_ in cursor.description or ()]
        return pandas.DataFrame(cursor.fetchall(), columns=names)


class Connection:
    """A private table as PEP 249 has it.  One thread uses it at a time.

    There are no transactions: a charge is on the disk before the first row is read, and stays.
    """

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(self, session: Session) -> None:
        self._session = session

    def __repr__(self) -> str:
        prices = self._session.settings.prices or {"epsilon": None}
        state = "".join(f"{name}={value}, " for name, value in prices.items())
        state += f"delta={self.delta}"
        return f"Connection({self._session.name!r}, {'closed' if self._session.closed else state})"

    @property
    def epsilon(self) -> object:
        """The ε that the next question costs, as it was written; None where none is set."""
        return self._session.settings.epsilon

    @property
    def rho(self) -> object:
        """The ρ that the next question costs, as it was written; None where none is set."""
        return self._session.settings.rho

    @property
    def spend(self) -> object:
        """The part of the budget that the next question costs, as it was written; None if none."""
        return self._session.settings.spend

    @property
    def delta(self) -> object:
        """The δ that the next question may cost, as it was written."""
        return self._session.settings.delta

    @property
    def analyst(self) -> str | None:
        """Who asks; None for the operating system's user."""
        return self._session.settings.analyst

    @property
    def budget(self) -> Balance:
        """What was spent and what is left."""
        with translated_errors():
            return self._session.opened().budget

    def cursor(self) -> Cursor:
        """A new cursor."""
        self._session.opened()
        return Cursor(self, self._session)

    def commit(self) -> None:
        """Nothing: whatever was charged is on the disk already."""
        self._session.opened()

    def rollback(self) -> NoReturn:
        """Refused: a charge is never taken back."""
        self._session.opened()
        raise NotSupportedError(
            "a charge is never taken back. Its answer was seen, or could have been, so the privacy "
            "is spent. Look at the price first: EXPLAIN SELECT …."
        )

    def close(self) -> None:
        """End the connection.  A table that was handed to ``connect`` stays open."""
        self._session.close()

    def __enter__(self) -> "Connection":
        self._session.opened()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
