"""Every error discreet raises on purpose, in one tree.

    DiscreetError
    ├── PrivacyParameterError   an ε, δ, ρ, scale or sensitivity that has no meaning
    ├── BoundsError             public bounds, bins, categories or a grid are missing or wrong
    ├── DataError               the argument is not the kind of data the function takes
    ├── QueryError              a question that is not offered, or cannot be priced
    ├── PolicyError             declarations of a table that are missing, unknown or contradictory
    ├── SourceError             a table's file, frame or columns are not there: nothing was spent
    ├── UnansweredError         paid for, and the data could not be read to the end
    ├── BudgetExhaustedError    the budget does not cover the question: nothing was read
    ├── LedgerError             the ledger refuses, or cannot be relied on: nothing was released
    │   ├── LedgerUnavailableError  it cannot be read or written now: disk, lock, connection
    │   │   └── LedgerMissingError      there is none at the path or address that was given
    │   ├── LedgerCorruptError      it is not what discreet wrote
    │   ├── DeclarationError        the data set is unknown, or declared in another way
    │   ├── KeyReusedError          the idempotency key was used for another question
    │   ├── AnswerPendingError      the key's question is paid for and still being answered
    │   ├── AnswerLostError         the key's question is paid for and its answer is lost
    │   ├── SuspendedError          nothing may be asked until the data set's keeper has looked
    │   └── UnsafeRandomnessError   the answer was made with bits that can be repeated
    └── VerificationError       a mechanism or a pair of inputs that cannot be verified

    PrivacyWarning              (a warning) a parameter that is allowed and rarely meant

Messages state a fact, the rule behind it and the remedy, in that order.  They carry
parameters that the caller wrote, never a value from the data.
"""


class DiscreetError(Exception):
    """The root of every error that discreet raises on purpose."""


class PrivacyParameterError(DiscreetError, ValueError):
    """A privacy parameter without meaning: ε ≤ 0, NaN, a negative scale."""


class BoundsError(DiscreetError, ValueError):
    """Public bounds, bins, categories or a grid that are missing or contradictory."""


class DataError(DiscreetError, TypeError):
    """The argument is not the kind of data that the function takes."""


class QueryError(DiscreetError, ValueError):
    """A question that is not offered, or cannot be priced.  Nothing was read or spent."""


class PolicyError(DiscreetError, ValueError):
    """Declarations of a table that are missing, unknown or contradictory."""


class SourceError(DiscreetError, ValueError):
    """A table's file, frame or columns are not what was declared.  Nothing was spent."""


class UnansweredError(DiscreetError):
    """The question is paid for, and the data could not be read to the end.

    The message is the same whatever the rows are, and carries none of them.  The table is suspended
    from then on, unless it was broken off by whoever asked.
    """


class BudgetExhaustedError(DiscreetError):
    """The budget does not cover the question.  Nothing was read, nothing was spent."""


class LedgerError(DiscreetError):
    """The ledger refuses, or cannot be relied on.  Nothing was released."""


class LedgerUnavailableError(LedgerError):
    """The ledger cannot be read or written now: a full disk, a lock, a lost connection."""


class LedgerMissingError(LedgerUnavailableError):
    """There is no ledger, or no folder for one, where the path or address says."""


class LedgerCorruptError(LedgerError):
    """The ledger is not what discreet wrote: it was damaged, edited or cut."""


class DeclarationError(LedgerError, ValueError):
    """The data set is not declared in the ledger, or is declared in another way."""


class KeyReusedError(LedgerError, ValueError):
    """The idempotency key was used for another question.  Nothing was read or spent."""


class AnswerPendingError(LedgerError):
    """The key's question is paid for and still being answered.  Nothing more was spent."""


class AnswerLostError(LedgerError):
    """The key's question is paid for and its answer is lost.  Nothing more was spent."""


class SuspendedError(LedgerError):
    """The data set is suspended: a question before had no answer, and rows may be the cause.

    Nothing was read or spent.  Whoever keeps the data can resume it.
    """


class UnsafeRandomnessError(LedgerError, ValueError):
    """The answer was made with bits that can be repeated, so it is not private."""


class VerificationError(DiscreetError, ValueError):
    """A mechanism without an exact law, or a pair of inputs that it cannot compare."""


class PrivacyWarning(UserWarning):
    """A parameter that is allowed and rarely meant, such as ε = 100."""
