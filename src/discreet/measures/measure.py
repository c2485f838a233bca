"""What a statistic is: whom it protects, what a row adds to it, and what is measured for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import combinations, product
from math import isqrt, sqrt
from typing import Any, ClassVar, Literal, Protocol

from discreet.errors import BoundsError, Place, PolicyError, QueryError, Remedy
from discreet.exact import Grid, Range, Rounding
from discreet.mechanisms.additive_noise import MeasureMechanism
from discreet.plan.calendar import Dated, dated_text
from discreet.plan.expressions import (
    Chosen,
    Node,
    expression_text,
    number_text,
    values_together,
    walk,
)
from discreet.plan.types import DATES, CheckedExpression
from discreet.privacy.estimates import LinearError, NoiseDraw, RankError, Uncertainty
from discreet.privacy.sensitivity import Neighbors, Sensitivity
from discreet.privacy.uncertainty import JointDraw, as_float

SHARE = 1 << 30
"""The weight of a row that is not weighed down: times a value's steps it fits in 64 bits."""
RANK_SHARE = 1 << 20
"""The same for quantiles, whose weights are summed in 64 bits."""

CapName = Literal["max_rows", "max_groups"]


POINTS = 1 << 30
"""About how many grid points lie between the bounds of a sum: rounding never shows."""
_LEAST_STEP, _MOST_STEP = Fraction(1, 10**220), Fraction(10**150)
_FARTHEST = 1 << 50  # grid steps from zero to a bound: floats hold them exactly
CONFIDENCE = Fraction(95, 100)
Decoder = Callable[[Sequence[int]], tuple[Any, Uncertainty | RankError]]
"""How the integers of one group become a number with its error."""


class Norm(Enum):
    """The norm in which a person's weights are capped, and which noise is fitted to."""

    L1 = "L1"
    L2 = "L2"


@dataclass(frozen=True, slots=True)
class MeasureSensitivity:
    """The sensitivity of a measure's integers over all groups: L1 and squared L2.

    Where weights are capped in L2, nothing bounds the L1 norm: it is None.
    """

    l1: int | None
    squared_l2: int

    @property
    def norms(self) -> Sensitivity:
        """The same for a mechanism."""
        return Sensitivity(
            l1=None if self.l1 is None else Fraction(self.l1), squared_l2=Fraction(self.squared_l2)
        )


@dataclass(frozen=True, slots=True)
class Weights:
    """The rule by which a person over the cap is weighed down.

    In L1 each of n rows weighs floor(share·cap / max(n, cap)).  In L2, of rows of which m_g are in
    group g, each weighs isqrt(share²·cap // max(Σ m_g², cap)).  Groups are weighed as rows of which
    one is in each.  Proof that no more adds up than is stated here: docs/proofs/shares.md
    """

    norm: Norm
    share: int
    """The weight of a row of a person who is not over the cap."""
    cap: int
    """In L1 on the number of rows, in L2 on the squares of the rows in each group."""
    each_group: bool = False
    """Whether what is weighed is groups: a person has one in each."""
    apart: bool = False
    """Whether the rows of each group are counted by themselves, in L1, whatever else there is."""

    @property
    def squared(self) -> int:
        """The most that the squares of what a person weighs in each group add up to."""
        return self.share**2 * (self.cap**2 if self.norm is Norm.L1 else self.cap)

    def of(self, many: int) -> Fraction:
        """The least part of a row that each of ``many`` rows of one person counts for.

        In L2 that is where all of them are in one group; of groups, one is in each.
        """
        if self.norm is Norm.L1:
            return Fraction(self.share * self.cap // max(many, self.cap), self.share)
        held = many if self.each_group else many**2
        return Fraction(isqrt(self.share**2 * self.cap // max(held, self.cap)), self.share)

    def reach(self, row: int, squared: int) -> MeasureSensitivity:
        """The sensitivity of sums that weights of 1 move by ``row``; in L2 by ``squared``."""
        added = self.share * self.cap * row if self.norm is Norm.L1 else None
        return MeasureSensitivity(added, self.squared * squared)


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of privacy of one question: a row, or a person with declared caps."""

    neighbors: Neighbors = Neighbors.ADD_REMOVE
    by_person: bool = False
    keyed: bool = False
    """Whether there are groups."""
    cells: int | None = 1
    """The number of groups, where it is public."""
    max_rows: int | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None
    norm: Norm = Norm.L1
    """How people over the caps are weighed down: it belongs to the noise that is added."""
    apart: bool = False
    """Whether a group is looked at by itself, as if there were no others."""

    @property
    def in_one_group(self) -> "Unit":
        """The same unit as one group alone sees it.

        So it is weighed for scores, of which the first are chosen: the price of that depends on how
        far one group's score moves, and not on how many do.
        """
        caps = [cap for cap in (self.max_rows, self.max_rows_per_group) if cap is not None]
        return replace(
            self,
            keyed=False,
            cells=1,
            max_rows=min(caps, default=None),
            max_groups=1,
            norm=Norm.L1,
            apart=True,
        )

    def weighed_by(self, norm: Norm) -> "Unit":
        """The same unit, whose weights are capped in a norm."""
        return self if norm is self.norm else replace(self, norm=norm)

    @property
    def replaced(self) -> bool:
        """Whether a neighbor has another unit in the place of one."""
        return self.neighbors is Neighbors.REPLACE

    @property
    def row_cap(self) -> int:
        """For how many rows one unit counts at most."""
        return self.cap("max_rows")

    @property
    def group_cap(self) -> int:
        """In how many groups one unit counts at most."""
        return self.cap("max_groups")

    def cap(self, name: CapName) -> int:
        """For how many rows, or in how many groups, one unit counts at most."""
        if not self.by_person or (name == "max_groups" and not self.keyed):
            return 1
        declared = self.max_rows if name == "max_rows" else self.max_groups
        if declared is None:
            meaning = name.removeprefix("max_")
            raise PolicyError(
                f"{name} is not declared. A person may have any number of {meaning}, so without a "
                "cap one person could change the answer without limit.",
                Remedy(
                    python=f"Declare it: {name}=10.",
                    policy=f"Declare it: {name} = 10 in the policy.",
                ),
                "A person with more counts for no more.",
            )
        if name == "max_rows" or self.cells is None:
            return declared
        return min(declared, self.cells)

    @property
    def squared_row_cap(self) -> int:
        """The largest Σ m_g² of somebody within all caps who has m_g rows in group g.

        It is that of as many groups as can be full, and one with the rows that are left.  Where
        there are no groups, the cap on the rows of one says nothing.
        """
        rows = in_group = self.row_cap
        if self.keyed and self.max_rows_per_group is not None:
            in_group = min(rows, self.max_rows_per_group)
        groups = min([rows, *(cap for cap in (self.max_groups, self.cells) if cap is not None)])
        full = min(rows // in_group, groups)
        left = rows - full * in_group if full < groups else 0
        return full * in_group**2 + left**2

    @property
    def row_weights(self) -> Weights:
        """How the rows of sums are weighed: in one group by either norm alike."""
        if self.norm is Norm.L2 and self.by_person and self.keyed:
            return Weights(Norm.L2, self.row_share, self.squared_row_cap)
        return Weights(Norm.L1, self.row_share, self.row_cap, apart=self.apart)

    @property
    def group_weights(self) -> Weights:
        """How the groups are weighed in each of which a person is counted once."""
        norm = Norm.L1 if self.group_share == 1 else self.norm
        return Weights(norm, self.group_share, self.group_cap, each_group=True)

    @property
    def rank_weights(self) -> Weights:
        """How rows in order are weighed: by their number, whatever noise others get."""
        return Weights(Norm.L1, self.rank_share, self.row_cap)

    def kept_at_caps(self, name: CapName) -> float:
        """The weight, beside a full one, of the rows of somebody who is at the caps of groups.

        That is whoever has as many rows as the caps allow in each of as many groups: often more
        than the cap on all rows, which the two norms then weigh down differently.
        """
        in_group = self.max_rows_per_group
        if name == "max_groups" or not (self.by_person and self.keyed) or in_group is None:
            return 1.0
        rows = Fraction(self.group_cap * in_group)
        if self.norm is Norm.L1:
            return float(min(Fraction(1), self.row_cap / rows))
        return sqrt(min(Fraction(1), self.squared_row_cap / (rows * in_group)))

    @property
    def row_share(self) -> int:
        """The weight of a row of a person who is not over the cap."""
        return SHARE if self.by_person else 1

    @property
    def group_share(self) -> int:
        """The weight in a group of a person who is in no more groups than the cap allows."""
        capped = self.by_person and (self.cells is None or self.group_cap < self.cells)
        return SHARE if capped else 1

    @property
    def rank_share(self) -> int:
        """The weight of a row in a quantile."""
        return RANK_SHARE if self.by_person else 1

    def moved_by_row(self, row: int, *, several: bool = False) -> MeasureSensitivity:
        """How far sums move to which a row of weight 1 adds ``row`` in all, and nothing below 0.

        Where one row adds to ``several`` sums, or there are groups, replacing takes from some and
        adds to others: a and b, which are not negative, have |b - a|² ≤ |a|² + |b|².  Of one
        number, what goes and what comes lie between the same ends.
        """
        twice = 2 if self.replaced and (self.keyed or several) else 1
        return self.row_weights.reach(twice * row, twice * row**2)


@dataclass(frozen=True, slots=True, repr=False)
class Steps:
    """A numeric expression, clipped and rounded in the row to steps of a public grid.

    ``default`` stands for a missing value; where it is None, a missing value is skipped.  The
    steps are counted from the lower bound, or from the upper one where values are rounded up.
    ``ends`` are the bounds as declared, which need not be grid points.  ``whole`` says that no
    value of the column lies between two grid points.
    """

    node: Node
    range: Range
    default: int | None = None
    dated: Dated = Dated.NOT
    rounding: Rounding = Rounding.NEAREST
    ends: tuple[Fraction, Fraction] | None = None
    whole: bool = False

    def number(self, place: int) -> int | float:
        """The number at a grid point, or the bound that it is beyond."""
        grid_value = self.range.grid.value(place)
        if self.ends is None or self.ends[0] <= grid_value <= self.ends[1]:
            return grid_value
        end = self.ends[0] if grid_value < self.ends[0] else self.ends[1]
        return end.numerator if end.denominator == 1 else float(end)

    def label(self, place: int) -> str:
        """The number at a grid point as text; a date where it is one."""
        number = self.range.grid.value(place)
        return dated_text(number, self.dated) if self.dated else f"{number:g}"

    @property
    def clipping(self) -> str:
        """What clipping does, as a note says it."""
        low, high = (self.label(end) for end in (self.range.low, self.range.high))
        return f"values are clipped to [{low}, {high}]"

    def left_out(self, answers: "Answers", counted: Sequence[Fraction] = ()) -> "LeftOut":
        """What rows do to an answer about the column that a cap leaves out."""
        low, high = (
            Fraction(end) * self.range.grid.step for end in (self.range.low, self.range.high)
        )
        return LeftOut("max_rows", answers, low, high, tuple(counted))

    @property
    def filling(self) -> list[str]:
        """The treatment of missing values, as a note says it."""
        if self.default is None:
            return []
        return [f"missing values count as {self.label(self.default)}"]

    def __hash__(self) -> int:
        """Of what tells most of them apart: measures are looked up at every call."""
        return hash((self.range.low, self.range.high, self.default))

    def __repr__(self) -> str:
        """As it stands in the text that the ledger keeps a hash of: the same in every version."""
        text = f"Steps(node={self.node!r}, range={self.range!r}, default={self.default!r}, "
        text += f"dated={self.dated!r}"
        if self.rounding is not Rounding.NEAREST:
            text += f", rounding={self.rounding!r}, ends={self.ends!r}"
        return f"{text})"


@dataclass(frozen=True, slots=True)
class MeasureRules:
    """Public facts of the declarations and the question that decide how rows are measured."""

    replace: bool
    """Missing values take the default, unless a choice in the question leaves rows out."""
    fixed: bool
    """The number of rows is public: replaced rows, no person, no filter and no groups."""
    by_person: bool
    keyed: bool = False
    """There are groups."""
    selects_keys: bool = False
    """Groups have to be found privately."""

    @property
    def unit(self) -> Unit:
        """A row, whose sensitivities compare as those of a person do."""
        return Unit(Neighbors.REPLACE if self.replace else Neighbors.ADD_REMOVE, keyed=self.keyed)


def has_value_in_every_row(node: Node) -> bool:
    """Whether every row is meant to have a value: a choice may leave rows out, as FILTER does."""
    return not any(isinstance(one, Chosen) for one in walk(node))


def fills_missing(typed: CheckedExpression, rules: MeasureRules) -> bool:
    """Whether a missing value takes the default, so that no row leaves because of one."""
    return rules.replace and (typed.default is not None or has_value_in_every_row(typed.node))


def grid_steps(
    typed: CheckedExpression,
    points: int,
    rules: MeasureRules,
    rounding: Rounding = Rounding.NEAREST,
) -> Steps:
    """The grid of an expression with bounds: whole numbers where they are few enough."""
    low, high = typed.low, typed.high
    if low is None or high is None:
        raise QueryError("an expression without bounds cannot be summed. Give it bounds by clip.")
    if low == high:  # of one value the sum still says how many rows have it
        low, high = (min(low, Fraction(0)), max(high, Fraction(0))) if low else (low, Fraction(1))
    farthest = max(abs(low), abs(high))
    finest = max((high - low) / points, farthest / _FARTHEST)
    if not _LEAST_STEP < finest < _MOST_STEP:
        raise BoundsError(
            f"the bounds of {expression_text(typed.node)[:60]!r} are closer together than 10^-200 "
            "or farther apart than 10^150. Values are computed in 64-bit floats. Use another unit."
        )
    grid = Grid(max(0, Grid.below(finest).exponent)) if typed.whole else Grid.below(finest)
    nearest = rounding is Rounding.NEAREST
    first, last = (grid.index(low), grid.index(high)) if nearest else grid.around(low, high)
    if grid.index(low) == grid.index(high):
        raise BoundsError(
            f"the bounds of {expression_text(typed.node)[:60]!r} are so close together, and so far "
            "from zero, that 64-bit floats do not tell them apart. Subtract a constant first, or "
            "use wider bounds."
        )
    bounded = Range(grid=grid, low=first, high=last)
    default = None
    if fills_missing(typed, rules):
        default = bounded.middle
        if typed.default is not None:
            default = min(max(grid.index(typed.default), first), last)
    dated, ends = DATES.get(typed.kind, Dated.NOT), None if nearest else (low, high)
    whole = typed.whole and grid.exponent == 0
    return Steps(typed.node, bounded, default, dated, rounding, ends, whole)


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether an expression has a value: the value itself does not matter."""

    node: Node


@dataclass(frozen=True, slots=True)
class FirstPresent:
    """Which of several expressions is the first that has a value: a row counts for one at most."""

    nodes: tuple[Node, ...]


class Answers(Enum):
    """What an answer is of the rows that are counted, which says what others would do to it."""

    SUM = "sum"
    DISTINCT = "distinct"
    """A number of different things, of which those left out may be others."""
    MEAN = "mean"
    VARIANCE = "variance"
    DEVIATION = "deviation"
    OTHER = "other"
    """Of which nothing is known."""
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What rows, or people in a group, can do to an answer that a cap leaves out.

    Of a sum, each adds between ``low`` and ``high``; of a mean or a variance, each has a value
    between them, and ``counted`` are the weights by which the released integers say how many rows
    the answer is the mean of.
    """

    cap: CapName
    answers: Answers
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)
    counted: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class Jointly:
    """Several numeric expressions of a row, which counts only if it has a value of each."""

    values: tuple[Steps, ...]

    @property
    def powers(self) -> tuple[tuple[int, ...], ...]:
        """Which products of the values are summed: of each two, all powers up to the second.

        The powers of each value, product by product; the first product is 1, which counts rows.
        """
        many = len(self.values)
        none = (0,) * many
        found = dict.fromkeys([none])
        for first, second in combinations(range(many), 2):
            for a, b in product(range(3), repeat=2):
                powers = list(none)
                powers[first], powers[second] = a, b
                found.setdefault(tuple(powers))
        return tuple(found)


Summand = Steps | Presence | FirstPresent | Jointly
"""What is read of a row to be summed up."""


@dataclass(frozen=True, slots=True)
class SumsReading:
    """Sums over the rows of a group, by weight: all such readings of a question take one pass.

    Always how many rows there are; with a value, how many have one (``present``, where it
    matters), its sum, and with ``squares`` the sum of its squares; of several expressions, how many
    rows there are for each, or the sums of their products.
    """

    value: Summand | None = None
    present: bool = False
    squares: bool = False
    together: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PeopleReading:
    """The number of people in a group, or of those with a row for which a condition is true."""

    condition: Node | None = None
    together: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class DistinctReading:
    """The number of distinct values."""

    node: Node
    together: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class PositionsReading:
    """The steps that rows are at, in increasing order, and the weight at each.

    ``mirrored``: counted from the other bound.
    """

    value: Steps
    mirrored: bool = False
    together: ClassVar[bool] = False


Reading = SumsReading | PeopleReading | DistinctReading | PositionsReading


@dataclass(frozen=True, slots=True, repr=False)
class GroupSums:
    """The sums of one group; 0 for a sum that was not asked for."""

    rows: int
    present: int = 0
    total: int = 0
    squares: int = 0
    parts: tuple[int, ...] = ()
    products: tuple[int, ...] = ()


class ArgumentKind(Enum):
    """The kind of argument that a statistic takes."""

    TOGETHER = "numbers of one row"

    ANYTHING = "anything"
    CONDITION = "a condition"
    NUMBERS = "numbers"
    ORDER = "numbers or dates"


@dataclass(frozen=True, slots=True, repr=False)
class Statistic:
    """A statistic of a group.  The table of all of them is ``measures.registry``."""

    symbol: str
    name: str
    """As it stands in plans and certificates."""
    words: str
    """As a sentence says it; {of} is what it is asked of, {people} whom the table protects."""
    measured: "Callable[[CheckedAggregate, MeasureContext], Measure]"
    """The measure that answers it, among everything that is asked at once."""
    takes: ArgumentKind = ArgumentKind.ANYTHING
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
    parts: "Callable[[Aggregate], Sequence[str]] | None" = None
    """The names of its parts, where it is several numbers."""

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
    def together(self) -> list[Node]:
        """The expressions that it is asked of."""
        return [] if self.of is None else values_together(self.of)

    def columns(self, name: str) -> list[tuple[str, Fraction | None, str]]:
        """The columns of the answer under a name: each with its level, or its part, if any."""
        if self.statistic.parts is not None:
            return [(f"{name}_{part}", None, part) for part in self.statistic.parts(self)]
        if len(self.levels) > 1:
            return [(f"{name}_{float(level):g}", level, "") for level in self.levels]
        return [(name, self.levels[0] if self.levels else None, "")]

    @property
    def said(self) -> str:
        """As a refusal shows it: in the user's own words."""
        return self.text if self.written is None else self.written()

    @property
    def text(self) -> str:
        """As it stands in plans and certificates.

        >>> from discreet.measures.registry import MEAN
        >>> from discreet.plan.expressions import Named
        >>> Aggregate(MEAN, Named("stay")).text
        'mean(stay)'
        """
        inner = "" if self.of is None else expression_text(self.of)
        levels = "".join(f", {number_text(level)}" for level in self.levels)
        return f"{self.statistic}({inner}{levels})"

    def in_words(self, unit: str) -> str:
        """As a sentence says it, of a table that protects each ``unit``.

        >>> from discreet.measures.registry import QUANTILE
        >>> from discreet.plan.expressions import Named
        >>> Aggregate(QUANTILE, Named("stay"), (Fraction(1, 2),)).in_words("patient")
        'the median of stay'
        """
        named = [
            "the median" if level == Fraction(1, 2) else f"the {number_text(level)}-quantile"
            for level in self.levels
        ]
        first, *others = [expression_text(one) for one in self.together] or [""]
        return self.statistic.words.format(
            of="" if self.of is None else expression_text(self.of),
            first=first,
            others=sentence_list(others) if others else "",
            people="rows" if unit == "row" else f"different {unit}",
            levels=sentence_list(named) if named else "",
        )


def sentence_list(parts: Sequence[str]) -> str:
    """Several things in a sentence.

    >>> sentence_list(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


@dataclass(frozen=True, slots=True)
class CheckedAggregate:
    """An aggregate together with the checked type and bounds of its expression."""

    name: str
    aggregate: Aggregate
    typed: CheckedExpression | None
    together: tuple[CheckedExpression, ...] = ()
    """Where it is asked of several expressions of a row."""


@dataclass(frozen=True, slots=True)
class MeasureContext:
    """All aggregates of a question, and the measures that several of them share."""

    asked: Sequence[CheckedAggregate]
    rules: MeasureRules
    moments: "Mapping[Node, Measure]"
    """Of an expression: its mean, its sum and how many rows have it."""
    parts: "Mapping[Node, Measure]" = field(default_factory=dict)
    """Of an expression: how many rows have it, beside others that no row has at once."""
    rows: "Measure | None" = None
    """What answers the number of rows, if it comes with something else."""


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer: what is asked, and the measure that answers it."""

    name: str
    aggregate: Aggregate
    measure: "Measure"
    level: Fraction | None = None
    dated: Dated = Dated.NOT
    node: Node | None = None
    """What it is asked of, checked."""
    part: str = ""
    """Which of several numbers it is, where a statistic has several."""
    by_group: bool = False
    """Whether running totals are shown of every group by itself."""

    def shown(self, number: float) -> int | float | str:
        """A number as it is answered: a date or a datetime as its text."""
        return dated_text(number, self.dated) if self.dated else number


class Measure(Protocol):
    """What one mechanism releases for every group: integers, so many for each."""

    cap_name: ClassVar[CapName]
    """The cap that bounds what one unit adds."""
    free: ClassVar[bool] = False
    """Whether it is the same on all neighboring tables, so that it costs nothing."""
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
    def draws(self) -> Fraction | int:
        """How many draws of equal range choose its values; 0 where noise is added to sums."""

    @property
    def recorded(self) -> str:
        """As it stands in the text that the ledger keeps a hash of: the same in every version."""

    @property
    def reading(self) -> Reading:
        """What an engine adds up or counts."""

    def vector(self, summed: GroupSums) -> list[int]:
        """The integers of a group, from what was added up in it."""

    def step(self, unit: Unit) -> Fraction:
        """One integer step in the answer's own unit, in which noise and reach are told."""

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """How far one unit moves the integers of all groups together."""

    def mechanism(self, unit: Unit, epsilon: Fraction) -> MeasureMechanism:
        """The mechanism of which all groups together cost this ε: Laplace noise, or draws."""

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """How released integers become the answer; ``rows`` is their number where it is public."""

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """Integers at which an answer is least exact; None where that takes a number of rows."""

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """What it does to an answer that a cap leaves rows out; None where none does."""

    def note(self, output: Output, unit: Unit) -> str:
        """What bounds, grids and missing values do to an answer, and no error covers."""


# ---------------------------------------------------------------------- parts of measures


def treatment(parts: Sequence[str]) -> str:
    """What is done to values before they are asked about, as a sentence.

    >>> treatment(["values are clipped to [0, 30]", "missing values count as 15"])
    'Values are clipped to [0, 30] and missing values count as 15.'
    """
    text = sentence_list(parts) if parts else ""
    return f"{text[0].upper()}{text[1:]}." if text else ""


class GroupIntegers(tuple[int, ...]):
    """The released integers of one group: the outputs that are decoded from them share their noise.

    So count(*) - count(a) of one measurement has the error of what is left, and no other.
    """

    _drawn: tuple[NoiseDraw | JointDraw, ...] | None = None

    def draws(self, noise: Any, *, signed: bool = False) -> tuple[NoiseDraw | JointDraw, ...]:
        """The draw of noise in each of them."""
        if self._drawn is None:
            self._drawn = tuple(NoiseDraw(noise, not signed) for _ in self)
        return self._drawn


def _draws(noisy: Sequence[int], noise: Any, *, signed: bool) -> Sequence[NoiseDraw | JointDraw]:
    if isinstance(noisy, GroupIntegers):
        return noisy.draws(noise, signed=signed)
    return [NoiseDraw(noise, not signed) for _ in noisy]


def linear_estimate(weights: Sequence[Fraction], noise: Any, *, signed: bool = False) -> Decoder:
    """A weighted sum of released integers, and the error that their noise makes.

    ``signed``: without noise they may be below 0.
    """
    whole = all(weight.denominator == 1 for weight in weights)
    if len(weights) == 1:
        top, bottom = weights[0].as_integer_ratio()

        def single(noisy: Sequence[int]) -> tuple[int | float, LinearError]:
            value = noisy[0] * top if whole else _divided(noisy[0] * top, bottom)
            return value, LinearError(((weights[0], _draws(noisy, noise, signed=signed)[0]),))

        return single

    def decoded(noisy: Sequence[int]) -> tuple[int | float, LinearError]:
        terms = (weight * number for weight, number in zip(weights, noisy, strict=True))
        exact = sum(terms, Fraction(0))
        drawn = zip(weights, _draws(noisy, noise, signed=signed), strict=True)
        error = LinearError(tuple((weight, draw) for weight, draw in drawn if weight))
        return exact.numerator if whole else as_float(exact), error

    return decoded


def _divided(top: int, bottom: int) -> float:
    try:
        return top / bottom  # the float nearest to the quotient
    except OverflowError:
        return as_float(Fraction(top, bottom))
