"""What one text asks for: a question, its plan, or a setting of the connection.

    SELECT …, WITH …                answered and charged at the price that is set
    EXPLAIN SELECT …                the plan, at the same price; nothing is charged
    SET epsilon = 0.1               also delta = 1e-6, analyst = 'ada'
    RESET epsilon                   as it was given to connect; also delta, analyst
    SHOW budget                     what was spent and what is left; also epsilon, delta, analyst

Settings are read whole or not at all, and the reader of questions takes one, so that no text is
two statements.
"""

import re
from dataclasses import dataclass
from typing import Literal, cast

from discreet.dbapi.errors import ProgrammingError

Setting = Literal["epsilon", "delta", "analyst"]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, to be answered or only to be explained."""

    question: str
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Set:
    """A setting gets a value, exactly as written."""

    name: Setting
    value: str


@dataclass(frozen=True, slots=True)
class Reset:
    """A setting is as it was given to connect."""

    name: Setting


@dataclass(frozen=True, slots=True)
class Show:
    """The budget, or a setting, is asked for."""

    name: str


Statement = Ask | Set | Reset | Show

_FIRST_WORD = re.compile(r"\s*(SET|RESET|SHOW|EXPLAIN)\b", re.ASCII | re.IGNORECASE)
_SET_PRICE = r"SET\s+(epsilon|delta)\s*=\s*([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)"
_SET_ANALYST = r"SET\s+analyst\s*=\s*'((?:[^']|'')*)'"
_RESET = r"RESET\s+(epsilon|delta|analyst)"
_SHOW = r"SHOW\s+(budget|epsilon|delta|analyst)"


def read_statement(text: str) -> Statement:
    """The one statement that a text is.

    >>> read_statement("SET epsilon = 0.10")
    Set(name='epsilon', value='0.10')
    >>> read_statement("explain SELECT COUNT(*) FROM visits")
    Ask(question=' SELECT COUNT(*) FROM visits', explain=True)
    """
    first = _FIRST_WORD.match(text)
    if first is None:
        return Ask(text)
    if first[1].upper() == "EXPLAIN":
        return Ask(text[first.end() :], explain=True)
    if found := _whole(_SET_PRICE, text):
        return Set(cast(Setting, found[1].lower()), found[2])
    if found := _whole(_SET_ANALYST, text):
        return Set("analyst", found[1].replace("''", "'"))
    if found := _whole(_RESET, text):
        return Reset(cast(Setting, found[1].lower()))
    if found := _whole(_SHOW, text):
        return Show(found[1].lower())
    raise ProgrammingError(
        f"{text.strip()[:60]!r} is not a setting that is known. One statement sets, resets or "
        "shows one thing. Write SET epsilon = 0.1, SET delta = 1e-6, SET analyst = 'ada', RESET "
        "epsilon or SHOW budget."
    )


def _whole(pattern: str, text: str) -> re.Match[str] | None:
    return re.fullmatch(rf"\s*{pattern}\s*;?\s*", text, re.ASCII | re.IGNORECASE)
