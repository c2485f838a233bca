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

A message states a fact, the rule behind it and the remedy, in that order.  It carries parameters
that the caller wrote, never a value from the data.  A remedy is written in the syntax of whoever
reads it: a ``Remedy`` has one text for each, and the front that catches the error chooses.  Where
the question is a text, the message says first at which ``Place`` the part begins that is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Self


class Front(Enum):
    """The front that a message is written for, with its syntaxes, the most apt one first.

    PYTHON   the library.
    SQL      a question in SQL, in ``table.sql``, ``table.ask`` or a connection of PEP 249; what is
             declared is shown as it stands in a policy.
    POLICY   a policy that is read.
    COMMAND  the command line: arguments are options, questions are SQL, declarations a policy's.
    """

    PYTHON = ("python",)
    SQL = ("sql", "policy", "python")
    POLICY = ("policy", "sql", "python")
    COMMAND = ("command", "sql", "policy", "python")


@dataclass(frozen=True, slots=True)
class Remedy:
    """The remedy of a refusal, in the syntax of each front; a plain text is the same for all.

    A front without a text of its own takes the next of the order that it states: a remedy in the
    question has ``python`` and ``sql``, one in a declaration ``python`` and ``policy``, one in an
    argument also ``command``.  An empty text is for a front that adds its own remedy.

    >>> remedy = Remedy(python="Declare max_rows=10.", policy="Declare max_rows = 10.")
    >>> remedy.text(Front.PYTHON), remedy.text(Front.COMMAND)
    ('Declare max_rows=10.', 'Declare max_rows = 10.')
    """

    python: str
    sql: str | None = None
    policy: str | None = None
    command: str | None = None

    def text(self, front: Front) -> str:
        """The remedy as the front writes it."""
        texts: Iterator[str | None] = (getattr(self, syntax) for syntax in front.value)
        return next(text for text in texts if text is not None)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a text a part of it begins.

    >>> place = Place(12, "SELECT ward,\\n  AVG(stay)")
    >>> place.line, place.column, str(Place(7, "SELECT 1"))
    (1, 13, 'line 1, column 8')
    """

    start: int
    text: str = field(repr=False)

    @property
    def line(self) -> int:
        """The line, counted from 1."""
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """The character within the line, counted from 1."""
        return self.start - self.text.rfind("\n", 0, self.start)

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


def with_article(word: str) -> str:
    """A word behind its indefinite article; a u that begins as "you" does takes "a".

    >>> with_article("int"), with_article("float"), with_article("id"), with_article("user_id")
    ('an int', 'a float', 'an id', 'a user_id')
    """
    first = word[:2].lower()
    spoken = first[:1] in tuple("aeio") or (first[:1] == "u" and first not in _YOU)
    return f"an {word}" if spoken else f"a {word}"


_YOU: Final = ("u", "us", "un", "ui", "uu", "ut")
"""How words begin that name users, units, uids, uuids and utilities."""


NOTHING_SPENT: Final = "Nothing was read or spent."
"""The last part of a refusal that came before any charge."""


class _MessageParts:
    """A message in parts: texts, which are the same for everybody, and remedies.

    ``front`` is that of whoever caught it first; until then it is told in Python.  ``place`` is
    where the part stands that it is about, if that is known.
    """

    args: tuple[object, ...]
    front: Front | None = None
    place: Place | None = None

    def text(self, front: Front) -> str:
        """The message as the front writes it."""
        parts = [part.text(front) if isinstance(part, Remedy) else str(part) for part in self.args]
        message = " ".join(filter(None, parts))
        return message if self.place is None else f"{self.place}: {message}"

    def told(self, front: Front) -> str:
        """The message as the front writes it that caught it first: this one, if none did."""
        return self.text(self.front or front)

    def __str__(self) -> str:
        return self.told(Front.PYTHON)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class DiscreetError(_MessageParts, Exception):
    """The root of every error that discreet raises on purpose.

    >>> error = DiscreetError("n is 0.", Remedy(python="Write n=1.", command="Write --n 1."))
    >>> str(error), error.text(Front.COMMAND)
    ('n is 0. Write n=1.', 'n is 0. Write --n 1.')
    """

    def at(self, place: Place | None) -> Self:
        """This error with its position in a text at the start of its message.

        >>> inner, outer = Place(7, "SELECT x + 1"), Place(0, "SELECT x + 1")
        >>> str(DiscreetError("n is 0.").at(None).at(inner).at(outer))
        'line 1, column 8: n is 0.'
        """
        self.place = self.place or place
        return self

    def caught_by(self, front: Front) -> Self:
        """This error, told in the syntax of a front, unless one further in caught it."""
        self.front = self.front or front
        return self


@contextmanager
def caught_by(front: Front) -> Iterator[None]:
    """Errors raised inside are told in the syntax of a front, unless one further in caught them.

    >>> with caught_by(Front.COMMAND):
    ...     raise DiscreetError("n is 0.", Remedy(python="Write n=1.", command="Write --n 1."))
    Traceback (most recent call last):
      ...
    discreet.errors.DiscreetError: n is 0. Write --n 1.
    """
    try:
        yield
    except DiscreetError as error:
        error.caught_by(front)
        raise


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


class PrivacyWarning(_MessageParts, UserWarning):
    """A parameter that is allowed and rarely meant, such as ε = 100."""
