"""What a statistic is, and what is measured to answer it.

A measure is what one mechanism releases for every group.  Statistics of one column share a measure
where its sums answer both, so that count, mean and variance of a column cost one ε together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from discreet.errors import Place
from discreet.measures.reading import Reading, Summed
from discreet.measures.steps import Rules
from discreet.measures.unit import CapName, Reach, Unit
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import Node, number_text, shown
from discreet.plan.types import Typed
from discreet.privacy.estimate import LinearError, RankError, Source, Uncertainty
from discreet.privacy.uncertainty import as_float

CONFIDENCE = Fraction(95, 100)


class Takes(Enum):
    """What a statistic can be asked of."""

    ANYTHING = "anything"
    CONDITION = "a condition"
    NUMBERS = "numbers"
    ORDER = "numbers or dates"


@dataclass(frozen=True, slots=True, repr=False)
class Statistic:
    """What can be asked of a group.  The table of all of them is ``measures.table``."""

    symbol: str
    name: str
    """As it stands in plans and certificates."""
    words: str
    """As a sentence says it; {of} is what it is asked of, {people} whom the table protects."""
    measured: "Callable[[Asked, Everything], Measure]"
    """The measure that answers it, among everything that is asked at once."""
    takes: Takes = Takes.ANYTHING
    sql: tuple[str, ...] = ()
    """Its names in SQL, the one that refusals show first."""
    label: str = ""
    """What its column is called in SQL where it has no alias; its name unless stated."""
    adds_up: bool = False
    """Whether it adds up rows, so that a bar from 0 shows it truly."""
    counts: bool = False
    """Whether it counts something, so that the truth is never below 0."""
    sizes: bool = False
    """Whether it says how common a group is."""
    ranked: bool = False
    """Whether it is a value chosen by its rank, whose error is one of rank."""

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        """As version 0.1.0 wrote it into the text that the ledger keeps a hash of."""
        return f"<Statistic.{self.symbol}: {self.name!r}>"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One statistic, of an expression where it needs one; ``levels`` are a quantile's."""

    statistic: Statistic
    of: Node | None = None
    levels: tuple[Fraction, ...] = ()
    written: Callable[[], str] | None = field(default=None, compare=False, repr=False)
    """The user's own words for it, where it was written in SQL: made when a refusal needs them."""
    place: Place | None = field(default=None, compare=False, repr=False)
    """Where it stands in the text of the question, if it was read from one."""

    @property
    def said(self) -> str:
        """As a refusal shows it: in the user's own words."""
        return self.text if self.written is None else self.written()

    @property
    def text(self) -> str:
        """As it stands in plans and certificates.

        >>> from discreet.measures.table import MEAN
        >>> from discreet.plan.expressions import Named
        >>> Aggregate(MEAN, Named("stay")).text
        'mean(stay)'
        """
        inner = "" if self.of is None else shown(self.of)
        levels = "".join(f", {number_text(level)}" for level in self.levels)
        return f"{self.statistic}({inner}{levels})"

    def in_words(self, unit: str) -> str:
        """As a sentence says it, of a table that protects each ``unit``.

        >>> from discreet.measures.table import QUANTILE
        >>> from discreet.plan.expressions import Named
        >>> Aggregate(QUANTILE, Named("stay"), (Fraction(1, 2),)).in_words("patient")
        'the median of stay'
        """
        named = [
            "the median" if level == Fraction(1, 2) else f"the {number_text(level)}-quantile"
            for level in self.levels
        ]
        return self.statistic.words.format(
            of="" if self.of is None else shown(self.of),
            people="rows" if unit == "row" else f"different {unit}",
            levels=joined(named) if named else "",
        )


def joined(parts: Sequence[str]) -> str:
    """Several things in a sentence.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


@dataclass(frozen=True, slots=True)
class Asked:
    """An aggregate with what was found out about its expression."""

    name: str
    aggregate: Aggregate
    typed: Typed | None


@dataclass(frozen=True, slots=True)
class Everything:
    """All that is asked at once, and the moments that several statistics of a column share."""

    asked: Sequence[Asked]
    rules: Rules
    moments: "Mapping[Node, Measure]"


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer: what is asked, and the measure that answers it."""

    name: str
    aggregate: Aggregate
    measure: "Measure"
    level: Fraction | None = None
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Noise:
    """The mechanism with the lowest error at a price, the δ it takes, and the one not chosen."""

    mechanism: Any
    delta: Fraction = Fraction(0)
    instead: Laplace | Gaussian | None = None


Decoder = Callable[[Sequence[int]], tuple[Any, Uncertainty | RankError]]
"""How the integers of one group become a number with its error."""


class Measure(Protocol):
    """What one mechanism releases for every group: integers, so many for each."""

    cap_name: ClassVar[CapName]
    """The cap that bounds what one unit adds."""
    free: ClassVar[bool] = False
    """Whether it is the same on all neighboring tables, so that it costs nothing."""
    uses_delta: ClassVar[bool] = False
    """Whether δ could lower its error."""
    moves: ClassVar[str] = ""
    """What a reach is counted in where it is not the answer's own unit."""

    def __hash__(self) -> int:
        """It is a value."""

    @property
    def node(self) -> Node | None:
        """The expression that it is about."""

    @property
    def width(self) -> int:
        """How many integers are released for each group."""

    @property
    def recorded(self) -> str:
        """As it stands in the text that the ledger keeps a hash of: the same in every version."""

    @property
    def reading(self) -> Reading:
        """What an engine adds up or counts."""

    def vector(self, summed: Summed) -> list[int]:
        """The integers of a group, from what was added up in it."""

    def step(self, unit: Unit) -> Fraction:
        """One integer step in the answer's own unit, in which noise and reach are told."""

    def sensitivity(self, unit: Unit) -> Reach:
        """How far one unit moves the integers of all groups together."""

    def mechanism(self, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise:
        """The mechanism with the lowest error at this price."""

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """How released integers become the answer; ``rows`` is their number where it is public."""

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """Integers at which an answer is least exact; None where that takes a number of rows."""

    def note(self, output: Output, unit: Unit) -> str:
        """What the error that is stated does not cover."""


# ---------------------------------------------------------------------- parts of measures


@lru_cache(maxsize=256)
def laplace(moved: int, epsilon: Fraction) -> Noise:
    """Laplace noise for integers that one unit moves by at most so much in L1."""
    return Noise(Laplace(scale=Fraction(moved) / epsilon))


def weighed_down(unit: Unit) -> list[str]:
    """What the cap on rows does, as a note says it."""
    return [f"weighing down of people with more than {unit.row_cap} rows"] if unit.by_person else []


def not_covered(parts: Sequence[str], what: str = "The interval") -> str:
    """The note of all that an error does not cover."""
    return f"{what} covers the noise, not the {' or the '.join(parts)}." if parts else ""


def linear(weights: Sequence[Fraction], noise: Any) -> Decoder:
    """A weighted sum of released integers, and the error that their noise makes."""
    whole = all(weight.denominator == 1 for weight in weights)
    noisy_weights = [weight for weight in weights if weight]
    if len(weights) == 1:
        top, bottom = weights[0].as_integer_ratio()

        def single(noisy: Sequence[int]) -> tuple[int | float, LinearError]:
            value = noisy[0] * top if whole else _divided(noisy[0] * top, bottom)
            return value, LinearError(((weights[0], Source(noise)),))

        return single

    def decoded(noisy: Sequence[int]) -> tuple[int | float, LinearError]:
        terms = (weight * number for weight, number in zip(weights, noisy, strict=True))
        exact = sum(terms, Fraction(0))
        error = LinearError(tuple((weight, Source(noise)) for weight in noisy_weights))
        return exact.numerator if whole else as_float(exact), error

    return decoded


def _divided(top: int, bottom: int) -> float:
    try:
        return top / bottom  # the float nearest to the quotient
    except OverflowError:
        return as_float(Fraction(top, bottom))
