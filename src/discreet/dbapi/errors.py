"""The exceptions of PEP 249, and which of them every error of discreet becomes.

    Exception
    ├── Warning
    └── Error
        ├── InterfaceError
        └── DatabaseError
            ├── DataError
            ├── OperationalError
            ├── IntegrityError
            ├── InternalError
            ├── ProgrammingError
            └── NotSupportedError

The message is told in SQL.  An error of discreet carries no row, so it stays the cause; whatever
else goes wrong is told by its kind alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from discreet import errors


class Warning(Exception):  # noqa: N818 - the name is given by PEP 249
    """A price that is allowed and rarely meant, where warnings are turned into errors."""


class Error(Exception):
    """The root of every error of a connection."""


class InterfaceError(Error):
    """The connection is used in a way it cannot be: it is closed, or its policy is wrong."""


class DatabaseError(Error):
    """The root of the errors of questions and of the table."""


class DataError(DatabaseError):
    """A price without meaning, or a parameter of a type that SQL does not have."""


class OperationalError(DatabaseError):
    """The budget, the source or the ledger does not allow an answer."""


class IntegrityError(DatabaseError):
    """The ledger and the table contradict each other, or the ledger was damaged."""


class InternalError(DatabaseError):
    """A fault of discreet itself."""


class ProgrammingError(DatabaseError):
    """A question that is not offered, an unknown name, no price, a wrong number of parameters."""


class NotSupportedError(DatabaseError):
    """Something of PEP 249 that a private table cannot offer."""


_BECOMES: dict[type[BaseException], type[DatabaseError | InterfaceError]] = {
    errors.DiscreetError: DatabaseError,
    errors.PrivacyParameterError: DataError,
    errors.DataError: DataError,
    errors.BoundsError: ProgrammingError,
    errors.QueryError: ProgrammingError,
    errors.PolicyError: InterfaceError,
    errors.SourceError: OperationalError,
    errors.UnansweredError: OperationalError,
    errors.BudgetExhaustedError: OperationalError,
    errors.LedgerError: OperationalError,
    errors.LedgerCorruptError: IntegrityError,
    errors.DeclarationError: IntegrityError,
    errors.KeyReusedError: IntegrityError,
    errors.UnsafeRandomnessError: InternalError,
}


def pep249_class(kind: type[errors.DiscreetError]) -> type[Error]:
    """The exception of PEP 249 for an error of discreet: that of its nearest listed ancestor.

    >>> pep249_class(errors.LedgerMissingError).__name__
    'OperationalError'
    """
    return next(_BECOMES[ancestor] for ancestor in kind.__mro__ if ancestor in _BECOMES)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Whatever is raised inside leaves as an exception of PEP 249, and none carries a row."""
    try:
        yield
    except Error:
        raise
    except errors.DiscreetError as error:
        raise pep249_class(type(error))(error.told(errors.Front.SQL)) from error
    except errors.PrivacyWarning as warning:
        raise Warning(warning.told(errors.Front.SQL)) from warning
    except Exception as error:
        raise InternalError(
            f"discreet failed with a {type(error).__name__}. What it says may carry a row, so it "
            "is not shown. If it was a question, look whether it was charged with SHOW budget, and "
            "report the question as a bug."
        ) from None
