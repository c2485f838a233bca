"""A connection to a private table, as PEP 249 has it."""

from os import PathLike, fspath
from typing import NoReturn

from discreet.dbapi import errors
from discreet.dbapi.cursor import Cursor
from discreet.dbapi.errors import InterfaceError, NotSupportedError, translated
from discreet.dbapi.session import Session
from discreet.dbapi.settings import Settings
from discreet.ledger.balances import Balance
from discreet.release.opening import table
from discreet.release.table import Table


def connect(
    policy: str | PathLike[str] | Table,
    *,
    epsilon: object = None,
    delta: object = 0,
    analyst: str | None = None,
) -> "Connection":
    """A PEP 249 connection to a private table: the path of its policy, or the open table.

    ``epsilon`` and ``delta`` are the price of every question until ``SET`` changes it; without an
    ``epsilon`` nothing is answered before ``SET epsilon = 0.1``.  ``analyst`` is who asks, by
    default the operating system's user.

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
    with translated():
        settings = Settings(epsilon=epsilon, delta=delta, analyst=analyst)
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
        state = f"epsilon={self.epsilon}, delta={self.delta}"
        return f"Connection({self._session.name!r}, {'closed' if self._session.closed else state})"

    @property
    def epsilon(self) -> object:
        """The ε that the next question costs, as it was written; None where none is set."""
        return self._session.settings.epsilon

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
        with translated():
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
