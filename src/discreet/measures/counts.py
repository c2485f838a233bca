"""Counts: rows, rows that have a value, people, and different values."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.measures.measure import (
    Answers,
    ArgumentKind,
    CapName,
    CheckedAggregate,
    Decoder,
    DistinctReading,
    FirstPresent,
    GroupSums,
    LeftOut,
    Measure,
    MeasureContext,
    MeasureRules,
    MeasureSensitivity,
    Norm,
    Output,
    PeopleReading,
    Presence,
    Statistic,
    Steps,
    SumsReading,
    Unit,
    fills_missing,
    linear_estimate,
)
from discreet.measures.noise_choice import laplace_noise
from discreet.mechanisms.additive_noise import Exact
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import (
    Both,
    Calculation,
    Chosen,
    Compared,
    Constant,
    Either,
    Missing,
    Named,
    Negated,
    Node,
    any_of,
    conjuncts,
)
from discreet.privacy.estimates import LinearError

_ZERO, _NULL = Constant(Fraction(0)), Constant(None)
ROWS_LEFT_OUT = LeftOut("max_rows", Answers.SUM)
"""What a cap on rows leaves out of their number."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The number of rows in each group."""

    node: ClassVar[None] = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""
    recorded: ClassVar[str] = "Rows()"
    reading: ClassVar[SumsReading] = SumsReading()

    def vector(self, summed: GroupSums) -> list[int]:
        """Their weight."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """One row is so many steps."""
        return Fraction(1, unit.row_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows allows."""
        return unit.moved_by_row(1)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Rows beyond the cap."""
        return ROWS_LEFT_OUT if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """Nothing."""
        return ""


@dataclass(frozen=True, slots=True)
class Size:
    """The public number of rows of the table, under replace neighbors.

    The number is the same on all neighboring tables, so it is given without noise, for ε = 0.
    """

    node: ClassVar[None] = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = True
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""
    recorded: ClassVar[str] = "Size()"
    reading: ClassVar[SumsReading] = SumsReading()

    def vector(self, summed: GroupSums) -> list[int]:
        """Their number."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """A row."""
        return Fraction(1)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """None."""
        return MeasureSensitivity(0, 0)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Exact:
        """No noise."""
        return Exact()

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The number itself."""
        return lambda noisy: (noisy[0], LinearError(()))

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """It has no error."""
        return [0]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Nothing."""
        return None

    def note(self, output: Output, unit: Unit) -> str:
        """Why it is exact."""
        return "It is exact. Neighbors replace one row, so the number of rows is public."


@dataclass(frozen=True, slots=True)
class Present:
    """The number of rows that have a value."""

    node: Node
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Present(node={self.node!r})"

    @property
    def reading(self) -> SumsReading:
        """Rows with a value."""
        return SumsReading(Presence(self.node), present=True)

    def vector(self, summed: GroupSums) -> list[int]:
        """Their weight."""
        return [summed.present]

    def step(self, unit: Unit) -> Fraction:
        """One row is so many steps."""
        return Fraction(1, unit.row_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows allows."""
        return unit.moved_by_row(1)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Rows beyond the cap."""
        return ROWS_LEFT_OUT if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """Nothing."""
        return ""


def value_where_true(condition: Node) -> Node:
    """A value where a condition is true, and none elsewhere."""
    return Chosen(condition, Constant(Fraction(1)), Constant(None))


def flagged(node: Node) -> Node | None:
    """What has a value in the rows for which a sum adds 1, where it adds 1 or nothing.

    That is what CASE WHEN c THEN 1 ELSE 0 END adds up to: a number of rows.
    """
    match node:
        case Chosen(condition, Constant(Fraction() as one), rest) if one == 1:
            nothing = (_ZERO, _NULL, Chosen(Negated(condition), _ZERO, _NULL))
            return value_where_true(condition) if rest in nothing else None
    return None


def needed_for(node: Node) -> frozenset[Node]:
    """Conditions of which all are true in exactly the rows in which an expression has a value."""
    match node:
        case Chosen(condition, then, Constant(None)):
            return frozenset(conjuncts(condition)) | needed_for(then)
        case Constant(value) if value is not None:
            return frozenset()
    return frozenset([Negated(Missing(node))])


def implies(node: Node, other: Node) -> bool:
    """Whether every row in which an expression has a value also has the other, as far as is seen.

    >>> from discreet.plan.expressions import Both, Named
    >>> few = value_where_true(Both(Named("smoker"), Named("old")))
    >>> implies(few, value_where_true(Named("old")))
    True
    >>> implies(few, Named("smoker"))
    True
    """
    return needed_for(other) <= known_for(node)


def known_for(node: Node) -> frozenset[Node]:
    """Conditions that are true wherever an expression has a value, as far as is seen.

    Those of what an expression implies are among its own: docs/proofs/shares.md, lemma 5.
    """
    needed = needed_for(node)
    present = frozenset[Node]().union(*map(_known_where, needed))
    return needed | {Negated(Missing(one)) for one in present}


def _known_where(condition: Node) -> frozenset[Node]:
    """Columns that have a value wherever a condition is true."""
    match condition:
        case Both(left, right):
            return _known_where(left) | _known_where(right)
        case Either(left, right):
            return _known_where(left) & _known_where(right)
        case Compared() | Named() | Negated(Compared() | Named()):
            return _computed_from(condition)
    return frozenset()


def _computed_from(value: Node) -> frozenset[Node]:
    """Columns without which an expression has no value; of AND and OR it may have one."""
    match value:
        case Named():
            return frozenset([value])
        case Negated(inner):
            return _computed_from(inner)
        case Compared(_, left, right) | Calculation(_, left, right):
            return _computed_from(left) | _computed_from(right)
    return frozenset()


@dataclass(frozen=True, slots=True)
class Partition:
    """How many rows have the first, the second, … of several expressions.

    No row has two of them at once, or of two one is there wherever the other is, and comes later:
    a number is that of its own part and of all parts that are in it.  With ``rest`` also how many
    have none of them, so that the number of all rows is the sum.  A row counts in one part at most,
    whatever it holds: the first expression that has a value decides.  So a unit adds to all parts
    together what it would add to one count, and they cost one ε.
    """

    nodes: tuple[Node, ...]
    rest: bool = False
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = "row"

    @property
    def node(self) -> Node:
        """Whether a row is in one of the parts."""
        return any_of([Negated(Missing(node)) for node in self.nodes])

    @property
    def width(self) -> int:
        """A count for each expression, and one for the rest."""
        return len(self.nodes) + self.rest

    @property
    def recorded(self) -> str:
        """As it stands in the text that the ledger keeps a hash of."""
        return f"Partition(nodes={self.nodes!r}, rest={self.rest!r})"

    @property
    def reading(self) -> SumsReading:
        """Rows by the first expression that has a value."""
        return SumsReading(FirstPresent(self.nodes))

    def vector(self, summed: GroupSums) -> list[int]:
        """The weight of each part."""
        rest = [summed.rows - sum(summed.parts)] if self.rest else []
        return [*summed.parts, *rest]

    def step(self, unit: Unit) -> Fraction:
        """One row is so many steps."""
        return Fraction(1, unit.row_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows allows.

        Replaced, rows may go from one part and come to another, also where there are no groups.
        """
        return unit.moved_by_row(1, several=True)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise on each count."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The count of its part; the number of all rows is that of all parts."""
        row = self.step(unit)
        counted = _counted(output.aggregate.statistic, output.node)
        if counted is None:
            return linear_estimate([row] * self.width, noise)
        own = self.nodes.index(counted)
        inside = [place == own or implies(node, counted) for place, node in enumerate(self.nodes)]
        weights = [row if one and place <= own else Fraction(0) for place, one in enumerate(inside)]
        return linear_estimate(weights + [Fraction(0)] * self.rest, noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0] * self.width

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Rows beyond the cap."""
        return ROWS_LEFT_OUT if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """Nothing."""
        return ""


def _counted(statistic: Statistic, node: Node | None) -> Node | None:
    """The expression whose values are counted; None where rows are."""
    if node is None or statistic is COUNT:
        return node
    return value_where_true(node) if statistic is PEOPLE else flagged(node)


def counted_part(one: Output, other: Output, unit: Unit) -> Fraction | None:
    """How many times the other output one is at most, as rows or people are counted; None if that
    is not known: a part of what is counted, or a sum over it of values that are not negative.
    """
    statistics = one.aggregate.statistic, other.aggregate.statistic
    if statistics[1] not in (ROWS, COUNT, PEOPLE):
        return None
    people = [statistic is PEOPLE and unit.by_person for statistic in statistics]
    whole = _counted(statistics[1], other.node)
    if statistics[0] in (ROWS, COUNT, PEOPLE):
        part, most = _counted(statistics[0], one.node), Fraction(1)
    else:
        part, steps = one.node, _values(one)
        if steps is None or steps.range.low < 0 or (steps.default is not None and whole):
            return None
        most = steps.range.high * steps.range.grid.step
    if people[0] != people[1]:
        return None
    return most if whole is None or (part is not None and implies(part, whole)) else None


def _values(output: Output) -> Steps | None:
    """The values that an output is the sum of."""
    reading = output.measure.reading
    if not isinstance(reading, SumsReading) or not output.aggregate.statistic.adds_up:
        return None
    return reading.value if isinstance(reading.value, Steps) else None


def counted_node(asked: CheckedAggregate, rules: MeasureRules) -> Node | None:
    """The expression whose values are counted by weight, if that is what is asked."""
    statistic, typed = asked.aggregate.statistic, asked.typed
    by_row = statistic is COUNT or (statistic is PEOPLE and not rules.by_person)
    return _counted(statistic, typed.node) if typed is not None and by_row else None


def counts_rows(asked: CheckedAggregate, rules: MeasureRules) -> bool:
    """Whether the number of all rows is asked."""
    statistic = asked.aggregate.statistic
    by_row = statistic is ROWS or (statistic is PEOPLE and not rules.by_person)
    return by_row and asked.typed is None


def rows_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    """Rows, which come with a column's moments, or with conditions, where those are asked too."""
    if everything.rules.fixed:
        return Size()
    return everything.rows or Rows()


def _present_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if asked.typed is None:
        raise TypeError("a count of values has an expression")
    node, shared = asked.typed.node, None
    # Where missing values take the default, the moments no longer know which were missing.
    if not fills_missing(asked.typed, everything.rules):
        shared = everything.moments.get(node)
    return shared or everything.parts.get(node) or Present(node)


ROWS = Statistic(
    symbol="ROWS",
    name="rows",
    words="the number of rows",
    measured=rows_measured,
    sql=("COUNT", "ROWS"),
    label="count",
    adds_up=True,
    counts=True,
    sizes=True,
)
COUNT = Statistic(
    symbol="COUNT",
    name="count",
    words="the number of rows that have {of}",
    measured=_present_measured,
    sql=("COUNT",),
    adds_up=True,
    counts=True,
    sizes=True,
)


@dataclass(frozen=True, slots=True)
class People:
    """The number of distinct people in each group; with a condition, of those it is true for.

    A person in n groups adds min(1, cap/n) to each of them, so at most cap in L1; the squares add
    up to at most cap, so that over many groups Gaussian noise can have the lower error.  Where
    weights are capped in L2, it is min(1, √(cap/n)), and the squares add up to the same.
    """

    node: Node | None = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_groups"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"People(node={self.node!r})"

    @property
    def reading(self) -> PeopleReading:
        """People, by group."""
        return PeopleReading(self.node)

    def vector(self, summed: GroupSums) -> list[int]:
        """Their weight."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """One person is so many steps."""
        return Fraction(1, unit.group_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on groups allows."""
        weights, twice = unit.group_weights, 2 if unit.replaced and unit.keyed else 1
        share, cap = weights.share, weights.cap
        added = twice * share * cap if weights.norm is Norm.L1 else None
        return MeasureSensitivity(added, twice * cap * share**2)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """People in groups beyond the cap, or all of whose rows a join left out."""
        return LeftOut("max_groups", Answers.SUM) if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """Nothing."""
        return ""


def _people_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if not everything.rules.by_person:
        if asked.typed is not None:
            node = value_where_true(asked.typed.node)
            return everything.parts.get(node) or Present(node)
        return rows_measured(asked, everything)
    return People(None if asked.typed is None else asked.typed.node)


PEOPLE = Statistic(
    symbol="PEOPLE",
    name="people",
    words="the number of {people}",
    measured=_people_measured,
    takes=ArgumentKind.CONDITION,
    sql=("PEOPLE",),
    adds_up=True,
    counts=True,
    sizes=True,
)


@dataclass(frozen=True, slots=True)
class Distinct:
    """The number of distinct values; of each person at most as many count as the cap says."""

    node: Node
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Distinct(node={self.node!r})"

    @property
    def reading(self) -> DistinctReading:
        """Different values."""
        return DistinctReading(self.node)

    def vector(self, summed: GroupSums) -> list[int]:
        """Their number."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """A value."""
        return Fraction(1)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows allows: no more values come or go than a unit has."""
        twice, cap = 2 if unit.replaced and unit.keyed else 1, unit.row_cap
        return MeasureSensitivity(twice * cap, twice * cap**2)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([Fraction(1)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Values beyond the cap."""
        return LeftOut("max_rows", Answers.DISTINCT) if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """Nothing."""
        return ""


def _distinct_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if asked.typed is None:
        raise TypeError("different values have an expression")
    return Distinct(asked.typed.node)


DISTINCT = Statistic(
    symbol="DISTINCT",
    name="n_unique",
    words="the number of different values of {of}",
    measured=_distinct_measured,
    sql=("N_UNIQUE",),
    label="count_distinct",
    adds_up=True,
    counts=True,
)
