"""Statements: a question with its parameters, its plan, or a setting of the connection."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

from discreet.dbapi.errors import DataError, ProgrammingError
from discreet.errors import with_article
from discreet.ledger.declarations import read_name
from discreet.privacy.losses import read_delta, read_epsilon, read_rho, read_spend
from discreet.release.release import read_confidence
from discreet.sql.read.parameters import bind_names, literal_text
from discreet.sql.read.parser import MOST_CHARACTERS, is_listing

_DIALECT = "duckdb"
Setting = Literal[
    "epsilon",
    "rho",
    "spend",
    "delta",
    "weights",
    "margin",
    "confidence",
    "max_rows",
    "max_groups",
    "key",
    "analyst",
]
_PRICES = ("epsilon", "rho", "spend")
"""What a question is paid in: one of them."""
_CAPS = ("max_rows", "max_groups")
_FIRST_WORD = re.compile(r"\s*(SET|RESET|SHOW|EXPLAIN)\b", re.ASCII | re.IGNORECASE)
_SET_NUMBER = (
    r"SET\s+(epsilon|rho|delta|confidence|max_rows|max_groups)\s*=\s*"
    r"([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)"
)
_SET_TEXT = r"SET\s+(spend|weights|margin|key|analyst)\s*=\s*'((?:[^']|'')*)'"
_NAMES = "|".join(get_args(Setting))
_RESET = rf"RESET\s+({_NAMES})"
_SHOW = rf"SHOW\s+(budget|{_NAMES})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that ``SET`` changes: decimals as written, checked when they are set."""

    epsilon: object = None
    rho: object = None
    spend: object = None
    delta: object = 0
    weights: str | None = None
    margin: str | None = None
    """How large errors may be: the least price is found, up to the one that is set."""
    confidence: object = None
    max_rows: object = None
    max_groups: object = None
    key: str | None = None
    """Of the next answer alone: another question under the same key would be refused."""
    analyst: str | None = None

    def __post_init__(self) -> None:
        if self.epsilon is not None:
            read_epsilon(self.epsilon)
        if self.rho is not None:
            read_rho(self.rho)
        if self.spend is not None:
            read_spend(self.spend)
        if len(self.prices) > 1:
            raise ProgrammingError(
                f"{' and '.join(self.prices)} are given. A question has one price, in ε, in ρ or "
                "as a part of the budget. Leave out all but one."
            )
        read_delta(self.delta)
        if self.weights is not None:
            read_sizes(self.weights, "weights")
        if self.margin is not None:
            read_sizes(self.margin, "margin")
        if self.confidence is not None:
            read_confidence(self.confidence)
        for name in _CAPS:
            cap = getattr(self, name)
            if cap is not None and (not str(cap).isdecimal() or int(str(cap)) < 1):
                raise ProgrammingError(
                    f"{name} is {str(cap)[:40]}. It is a whole number, and a lower cap than the "
                    f"table's for questions from now on. Write SET {name} = 5, or RESET {name}."
                )
        for value, what in ((self.analyst, "the analyst"), (self.key, "the key")):
            if value is not None:
                read_name(value, what)

    @property
    def prices(self) -> dict[str, object]:
        """The price of every question by its name; empty where none is set."""
        values = {name: getattr(self, name) for name in _PRICES}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def caps(self) -> dict[str, int]:
        """The lower caps that are set."""
        given = {name: getattr(self, name) for name in _CAPS}
        return {name: int(str(cap)) for name, cap in given.items() if cap is not None}

    @property
    def price(self) -> dict[str, object]:
        """The price of every question by its name; a margin finds its own, up to that one."""
        if self.margin is not None:
            return self.prices | {"margin": read_sizes(self.margin, "margin")}
        if not self.prices:
            raise ProgrammingError(
                "no price is set. Every answer costs privacy, and how much is yours to say. Write "
                "SET spend = '5%' or SET epsilon = 0.1, or connect(policy, spend=\"5%\"). Nothing "
                "was spent."
            )
        return self.prices

    def changed(self, name: Setting, value: object) -> "Settings":
        """The settings with another value; a price takes the place of any other price."""
        changes: dict[str, Any] = dict.fromkeys(_PRICES) if name in _PRICES else {}
        return replace(self, **changes | {name: value})


_SIZES = {
    "weights": "It says how many parts of the price an output gets. Write SET weights = 'n=2, "
    "mean_stay=1'.",
    "margin": "It says how large the error of an output may be. Write SET margin = 'n=5, "
    "mean=0.5'.",
}


def read_sizes(text: str, setting: str) -> dict[str, str]:
    """The weights or margins of outputs, by their names.

    >>> read_sizes("n=2, mean_stay=0.5", "weights")
    {'n': '2', 'mean_stay': '0.5'}
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        name, _, size = (piece.strip() for piece in part.rpartition("="))
        if not name or not size or name in found:
            raise ProgrammingError(
                f"{setting} = {text[:60]!r} is not names with a number each. {_SIZES[setting]}"
            )
        found[name] = size
    return found


def bind_parameters(
    text: str, parameters: Sequence[object] | Mapping[str, object] | None = None
) -> str:
    """The statement with its parameters written out: those of ? in order, or those of :name.

    >>> bind_parameters("SELECT COUNT(*) FROM visits WHERE ward = ? AND note <> '?'", ["O'Hara"])
    "SELECT COUNT(*) FROM visits WHERE ward =  'O''Hara'  AND note <> '?'"
    """
    if isinstance(parameters, Mapping):
        _places(text)  # refuses what is no statement
        return bind_names(text, parameters)
    values = _sequence(parameters)
    places = _places(text)
    if len(places) != len(values):
        raise ProgrammingError(
            f"the statement has {len(places)} ? and {len(values)} parameters are given. Each ? "
            "stands for one value. Give as many: execute(\"SELECT … WHERE x = ?\", ['A'])."
        )
    parts, after = [], 0
    for number, (place, value) in enumerate(zip(places, values, strict=True), 1):
        parts += [text[after:place], " ", parameter_literal(value, number), " "]
        after = place + 1
    return "".join([*parts, text[after:]])


def parameter_literal(value: object, number: int = 1) -> str:
    """The SQL literal of a value.

    >>> parameter_literal("it's")
    "'it''s'"
    """
    written = literal_text(value)
    if written is not None:
        return written
    raise DataError(
        f"parameter {number} is {with_article(type(value).__name__)} that no SQL value "
        "stands for. A parameter is a text, a finite number up to 10^100, a day, a datetime "
        "without a zone, True, False or None. Convert it, such as a datetime with a zone to the "
        "clock of the column."
    )


def _sequence(parameters: object) -> Sequence[object]:
    if parameters is None:
        return ()
    if isinstance(parameters, Sequence) and not isinstance(parameters, str | bytes | bytearray):
        return parameters
    raise ProgrammingError(
        f"the parameters are {with_article(type(parameters).__name__)}. They belong to the ? of "
        "the statement in their order, or to its :names. Give a list or a tuple: ['A', 3]; or "
        "a dictionary: {'x': 'A'}."
    )


def _places(text: object) -> list[int]:
    """Where the tokens ``?`` are."""
    if not isinstance(text, str):
        raise ProgrammingError(
            f"the statement is {with_article(type(text).__name__)}, not a text. It is read as "
            'written. Write "SELECT COUNT(*) FROM visits".'
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


@dataclass(frozen=True, slots=True)
class AskStatement:
    """A question, to be answered or only to be explained."""

    question: str
    explain: bool = False


@dataclass(frozen=True, slots=True)
class SetStatement:
    """A setting gets a value, exactly as written."""

    name: Setting
    value: str


@dataclass(frozen=True, slots=True)
class ResetStatement:
    """A setting is as it was given to connect."""

    name: Setting


@dataclass(frozen=True, slots=True)
class ListStatement:
    """Declared tables or columns are asked for."""

    text: str


@dataclass(frozen=True, slots=True)
class ShowStatement:
    """The budget, or a setting, is asked for."""

    name: str


Statement = AskStatement | SetStatement | ResetStatement | ShowStatement | ListStatement


def read_statement(text: str) -> Statement:
    """The one statement that a text is.

    >>> read_statement("SET epsilon = 0.10")
    SetStatement(name='epsilon', value='0.10')
    >>> read_statement("explain SELECT COUNT(*) FROM visits")
    AskStatement(question=' SELECT COUNT(*) FROM visits', explain=True)
    """
    if is_listing(text):
        return ListStatement(text)
    first = _FIRST_WORD.match(text)
    if first is None:
        return AskStatement(text)
    if first[1].upper() == "EXPLAIN":
        return AskStatement(text[first.end() :], explain=True)
    if match := _whole(_SET_NUMBER, text):
        return SetStatement(cast(Setting, match[1].lower()), match[2])
    if match := _whole(_SET_TEXT, text):
        return SetStatement(cast(Setting, match[1].lower()), match[2].replace("''", "'"))
    if match := _whole(_RESET, text):
        return ResetStatement(cast(Setting, match[1].lower()))
    if match := _whole(_SHOW, text):
        return ShowStatement(match[1].lower())
    raise ProgrammingError(
        f"{text.strip()[:60]!r} is not a setting with a value that is known. One statement sets, "
        "resets or shows one thing. Write SET spend = '5%', SET epsilon = 0.1, SET rho = 0.01, "
        "SET delta = 1e-6, SET weights = 'n=2', SET margin = 'n=5', SET confidence = 0.99, SET "
        "max_rows = 5, SET max_groups = 2, SET key = 'monday', SET analyst = 'ada', RESET epsilon, "
        "SHOW budget, SHOW TABLES or DESCRIBE."
    )


def _whole(pattern: str, text: str) -> re.Match[str] | None:
    return re.fullmatch(rf"\s*{pattern}\s*;?\s*", text, re.ASCII | re.IGNORECASE)
