"""SQL from Python, as PEP 249 has it: ``connect``, cursors, and rows that are private answers.

Each ``SELECT`` is priced, charged and answered; a column ``n`` brings ``n_lower`` and ``n_upper``
(95%).  ``SET epsilon = 0.1`` sets the price, ``EXPLAIN SELECT …`` shows what it buys for nothing,
``SHOW budget`` what is left.  A statement is one statement, and ``?`` stands for a parameter.

Threads may share the module, not a connection or a cursor: each opens its own, and the ledger
counts for all of them.

What goes wrong is raised as PEP 249 names it, with its message as it was:

    QueryError, BoundsError, no price is set,           ProgrammingError
        a wrong number of parameters
    PrivacyParameterError, DataError,                   DataError
        a parameter that no SQL value stands for
    BudgetExhaustedError, UnansweredError,              OperationalError
        SourceError, every LedgerError but these:
    LedgerCorruptError, DeclarationError,               IntegrityError
        KeyReusedError
    PolicyError, a closed connection or cursor          InterfaceError
    UnsafeRandomnessError, and without its message      InternalError
        whatever is not an error of discreet
    rollback, executemany                               NotSupportedError
    any other DiscreetError                             DatabaseError
    PrivacyWarning, where warnings are errors           Warning
"""

from discreet.dbapi.connection import Connection, Cursor, connect, read_sql
from discreet.dbapi.errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
)
from discreet.dbapi.results import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
)

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "read_sql",
    "threadsafety",
]

apilevel = "2.0"
"""The version of PEP 249."""
threadsafety = 1
"""Threads may share the module, not connections."""
paramstyle = "qmark"
"""Parameters stand in the statement as ``?``."""
