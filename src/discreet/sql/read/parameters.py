"""Values of a question that are given beside its text, by name: ``WHERE age > :age``."""

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from itertools import pairwise
from math import isfinite
from numbers import Integral
from typing import Any

from sqlglot import TokenType

from discreet.errors import DataError, QueryError, with_article
from discreet.sql.read.messages import did_you_mean
from discreet.sql.read.parser import tokens_of
from discreet.sql.read.select import explained

_LARGEST = 10**100
_SIGNS = (TokenType.COLON, TokenType.PARAMETER)
"""What stands right before a parameter's name: a colon, @ or $."""


def literal_text(value: object) -> str | None:
    """The SQL literal of a value; None for one that has none.

    >>> [literal_text(value) for value in ("it's", 3, -0.1, True, None, date(2026, 1, 31))]
    ["'it''s'", '3', '-0.1', 'TRUE', 'NULL', "DATE '2026-01-31'"]
    >>> literal_text(datetime(2026, 1, 31, 10))
    "TIMESTAMP '2026-01-31 10:00:00'"
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
        case date(year=float()):  # pandas' NaT, which is a datetime that is missing
            return None
        case time(tzinfo=None):
            return f"TIME '{time.isoformat(value, 'seconds')}'"
        case datetime(tzinfo=None):
            return f"TIMESTAMP '{datetime.isoformat(value, ' ', 'seconds')}'"
        case date() if not isinstance(value, datetime):
            return f"DATE '{date.isoformat(value)}'"
    return None


def bind_names(text: str, parameters: Mapping[str, Any] | None) -> str:
    """The text with its named parameters written out, as literals that nothing else is read from.

    >>> bind_names("SELECT COUNT(*) FROM visits WHERE age > :age", {"age": 30})
    'SELECT COUNT(*) FROM visits WHERE age >  30 '
    """
    if parameters is None:
        return text
    if not isinstance(parameters, Mapping):
        raise QueryError(
            f"the parameters are {with_article(type(parameters).__name__)}. Each belongs to the "
            ":name of the text that is called as it is. Give a dictionary of names and values."
        )
    # After EXPLAIN the reader of tokens sees no more: it is looked past, place by place.
    tokens, parts, after = tokens_of(explained(text) or text), [], 0
    unused = set(parameters)
    for sign, word in pairwise(tokens):
        if sign.token_type not in _SIGNS or word.start != sign.end + 1:
            continue
        name = text[word.start : word.end + 1]
        if name not in parameters:
            raise QueryError(
                f"the text has the parameter {name[:60]!r}, and no value is given for it."
                f"{did_you_mean(name, sorted(map(str, parameters)))} Each "
                ":name stands for one value. Give it one, or correct the name."
            )
        parts += [text[after : sign.start], " ", _literal(name, parameters[name]), " "]
        after = word.end + 1
        unused.discard(name)
    if unused:
        name = min(map(str, unused))
        raise QueryError(
            f"a value is given for the parameter {name[:60]!r}, which the text does not have. It "
            f"may be misspelled there. Write :{name[:60]} where it belongs, or leave it out."
        )
    return "".join([*parts, text[after:]])


def _literal(name: str, value: object) -> str:
    written = literal_text(value)
    if written is None:
        raise DataError(
            f"the parameter {name[:60]!r} is {with_article(type(value).__name__)} that no SQL "
            "value stands for. A parameter is a text, a finite number up to 10^100, a day, a "
            "datetime without a zone, True, False or None. Convert it, such as a datetime with a "
            "zone to the clock of the column."
        )
    return written


def _is_text(value: str) -> bool:
    """Whether it can be written down at all: half a character cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in value)
