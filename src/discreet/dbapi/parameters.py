"""Parameters become literals, each in the place of one token.

Where a ``?`` stands is decided by the tokenizer that reads the question afterwards, so one inside a
text, a quoted name or a comment is none.  A literal stands alone between blanks: it can neither
end a text nor grow together with what is beside it, and -5 after a minus starts no comment.
"""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from numbers import Integral

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

from discreet.dbapi.errors import DataError, ProgrammingError
from discreet.sql.tokens import MOST_CHARACTERS

_DIALECT = "duckdb"
_LARGEST = 10**100


def bound(text: str, parameters: Sequence[object] | None = None) -> str:
    """The statement with its parameters written out.

    >>> bound("SELECT COUNT(*) FROM visits WHERE ward = ? AND note <> '?'", ["O'Hara"])
    "SELECT COUNT(*) FROM visits WHERE ward =  'O''Hara'  AND note <> '?'"
    """
    given = _sequence(parameters)
    places = _places(text)
    if len(places) != len(given):
        raise ProgrammingError(
            f"the statement has {len(places)} ? and {len(given)} parameters are given. Each ? "
            "stands for one value. Give as many: execute(\"SELECT … WHERE ward = ?\", ['A'])."
        )
    parts, after = [], 0
    for number, (place, value) in enumerate(zip(places, given, strict=True), 1):
        parts += [text[after:place], " ", literal(value, number), " "]
        after = place + 1
    return "".join([*parts, text[after:]])


def literal(value: object, number: int = 1) -> str:
    """The SQL literal of a value.

    >>> [literal(value) for value in ("it's", 3, -0.1, True, None, date(2026, 1, 31))]
    ["'it''s'", '3', '-0.1', 'TRUE', 'NULL', "DATE '2026-01-31'"]
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str() if _is_text(value):
            return "'" + str.replace(value, "'", "''") + "'"
        case Integral() if abs(int(value)) <= _LARGEST:
            return repr(int(value))
        case float() if isfinite(value):
            return float.__repr__(value)
        case Decimal() if value.is_finite():
            return Decimal.__str__(value)
        case date() if not isinstance(value, datetime):
            return f"DATE '{date.isoformat(value)}'"
    raise DataError(
        f"parameter {number} is a {type(value).__name__} that no SQL value stands for. A parameter "
        "is a text, a finite number up to 10^100, a day, True, False or None. Convert it, such as "
        "a datetime to its date."
    )


def _sequence(parameters: object) -> Sequence[object]:
    if parameters is None:
        return ()
    if isinstance(parameters, Sequence) and not isinstance(parameters, str | bytes | bytearray):
        return parameters
    raise ProgrammingError(
        f"the parameters are a {type(parameters).__name__}. They belong to the ? of the statement "
        "in their order. Give a list or a tuple: ['A', 3]."
    )


def _places(text: object) -> list[int]:
    """Where the tokens ``?`` are."""
    if not isinstance(text, str):
        raise ProgrammingError(
            f"the statement is a {type(text).__name__}, not a text. It is read as written. Write "
            '"SELECT COUNT(*) FROM visits".'
        )
    if len(text) > MOST_CHARACTERS:
        raise ProgrammingError(
            f"the statement has {len(text):,} characters. Questions are kept and shown in full, so "
            f"at most {MOST_CHARACTERS:,} are read. Write a shorter one."
        )
    try:
        tokens = Dialect.get_or_raise(_DIALECT).tokenize(text)
    except Exception:  # sqlglot's own errors, and whatever odd text makes it raise
        raise ProgrammingError(
            f"the statement cannot be read at {text[:60]!r}. It is neither passed on nor guessed "
            "at. Check quotes ('text', \"column\") and comments."
        ) from None
    return [token.start for token in tokens if token.token_type is TokenType.PLACEHOLDER]


def _is_text(value: str) -> bool:
    """Whether it can be written down at all: half a character cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in value)
