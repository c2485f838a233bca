"""Conditions beside declarations: those that no declared value fits, and the groups they leave.

A row is *as declared* if each of its values is missing or one that its column was declared to
have.  Everything here is said of such rows, from the question and the declarations alone.  So it is
known before anything is read, and the same whatever the data are.

A condition that is true of no such row is refused: only noise would be paid for.  A group that no
such row is in, of those of which the conditions are true, is no group of the question.  Of rows as
declared the others lose none: had one been in that group, it would be a row of which the conditions
are true.  Any other row there is dropped like one whose value is not listed, so that what a person
adds is bounded by the groups that are left.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf

from discreet.errors import Place, QueryError, Remedy
from discreet.exact.interval_arithmetic import Interval
from discreet.measures.measure import Aggregate, Steps
from discreet.measures.registry import COUNT, DISTINCT, PEOPLE, ROWS
from discreet.plan.calendar import Dated, dated_text
from discreet.plan.exclusion import Way, ways
from discreet.plan.expressions import (
    Applied,
    Both,
    Calculation,
    Chosen,
    Compared,
    Constant,
    Either,
    Floored,
    Missing,
    Named,
    Negated,
    Node,
    Together,
    conjuncts,
    constant_text,
    expression_text,
    names_in,
    number_text,
    replaced,
    walk,
)
from discreet.plan.listed_values import MOST_LISTED, Work, declared_ends, listed_values
from discreet.plan.schema import (
    MOST_BINS,
    CategoryColumn,
    Column,
    NumberColumn,
    Schema,
)
from discreet.plan.types import DATES, bounds_of
from discreet.question.groupings import (
    BinGrouping,
    BooleanGrouping,
    Grouping,
    IntegerGrouping,
    Label,
    ListedGrouping,
    PrivateGrouping,
    label_text,
)
from discreet.question.query import (
    Lookup,
    Pair,
    PerPerson,
    Relation,
    Scan,
    Selected,
    Summary,
    column_of,
    prefixed,
)

_MOST_SHOWN = 6
_MOST_COMPARED = 1_000
"""Declared values among which one like a written one is looked for: that takes time."""
_MOST_TRIED = 200
"""Declared values of a column that are tried one by one in what is computed from it."""
_LONGEST = 80
_MOST_PARTS = 500
"""Parts of an expression in columns of tables; of a longer one nothing is said."""
_MOST_INLINE = 30
"""Parts of a column that is written out where it is used."""


@dataclass(frozen=True)
class _Fitting:
    """One way in which a row as declared fulfills conditions, and what its columns then can be."""

    way: Way
    columns: Mapping[str, Column]
    facts: Mapping[Node, Interval]

    def listed(self, node: Node, work: Work) -> tuple[str | int | float, ...] | None:
        """The values of an expression, if they are few."""
        found = listed_values(node, self.columns, self.facts, work)
        return None if found is None else tuple(self.way.among(node, found))

    def concerns(self, node: Node) -> bool:
        """Whether anything is known of the columns of an expression."""
        facts = self.way.facts
        return not names_in([node]).isdisjoint(names_in([*facts.allowed, *facts.untrue]))


@dataclass(frozen=True)
class Origins:
    """A relation's columns as they come from tables, and what is true of all of its rows.

    ``tables`` are the columns of tables, by names of their own; so is what is not written out,
    because it would be too long or is made of several rows.  ``written`` has the relation's columns
    in these, and ``columns`` of which kind they are.
    """

    tables: Mapping[str, Column]
    written: Mapping[str, Node]
    columns: Mapping[str, Column]
    held: tuple[Node, ...] = ()

    def of(self, node: Node) -> Node | None:
        """An expression of the relation's columns in those of tables; None if it is too long."""
        size = sum(
            sum(1 for _ in walk(self.written[part.name])) if isinstance(part, Named) else 1
            for part in walk(node)
        )
        return replaced(node, dict(self.written)) if size <= _MOST_PARTS else None

    def all_of(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        """Those of some expressions that are not too long."""
        return tuple(found for node in nodes if (found := self.of(node)) is not None)

    def named(self, prefix: str) -> "Origins":
        """The same under the names that a join gives columns."""
        names: dict[str, Node] = {name: Named(prefixed(prefix, name)) for name in self.tables}
        return Origins(
            {prefixed(prefix, name): column for name, column in self.tables.items()},
            {prefixed(prefix, name): replaced(one, names) for name, one in self.written.items()},
            {prefixed(prefix, name): column for name, column in self.columns.items()},
            tuple(replaced(one, names) for one in self.held),
        )

    def beside(self, other: "Origins", *, keep: bool) -> "Origins":
        """These rows joined with others; with ``keep``, also those that find none.

        Then all columns of the others are missing, whatever they are made of.
        """
        if keep:
            Conditions(other)
            other = other.opaque()
        return Origins(
            {**self.tables, **other.tables},
            {**self.written, **other.written},
            {**self.columns, **other.columns},
            (*self.held, *other.held),
        )

    def opaque(self) -> "Origins":
        """The same, with nothing known of how columns are computed, or of all rows."""
        own = {name: node for name, node in self.written.items() if isinstance(node, Named)}
        made = {name: _unbounded(self.columns[name]) for name in self.written if name not in own}
        names = {name: Named(_unused(name, self.tables)) for name in made}
        tables = {**self.tables, **{names[name].name: column for name, column in made.items()}}
        return Origins(tables, {**own, **names}, self.columns)

    def selected(
        self,
        nodes: Iterable[tuple[str, Node]],
        where: Iterable[Node],
        made: Mapping[str, Column] | None = None,
    ) -> "Origins":
        """Rows that are kept, with columns computed from these, and others ``made`` of several."""
        tables = dict(self.tables)
        written: dict[str, Node] = {}
        columns: dict[str, Column] = dict(made or {})
        for name, node in nodes:
            columns[name] = column_of(bounds_of(node, self.columns), self.columns)
            own = self.of(node)
            if own is not None and sum(1 for _ in walk(own)) <= _MOST_INLINE:
                written[name] = own
        for name, column in columns.items():
            if name not in written:
                unused = _unused(name, tables)
                tables[unused] = column if name in (made or {}) else _unbounded(column)
                written[name] = Named(unused)
        return Origins(tables, written, columns, (*self.held, *self.all_of(where)))


def origins_of(source: Relation, schema: Schema) -> Origins:
    """What is known of the rows of a checked relation."""
    match source:
        case Scan(table):
            return _scanned(schema.columns if table is None else schema.private[table].columns)
        case Selected():
            return origins_of(source.inner, schema).selected(source.columns, source.where)
        case PerPerson():
            inner = origins_of(source.inner, schema)
            made = {
                name: _summed(one, inner.columns)
                for (name, _), one in zip(source.columns, source.summaries, strict=True)
            }
            return inner.selected(source.keys, source.where, made)
        case Lookup():
            lookup = _scanned(schema.public[source.table].columns).named(source.right)
            return (
                origins_of(source.inner, schema).named(source.left).beside(lookup, keep=source.keep)
            )
        case Pair():
            first = origins_of(source.first, schema).named(source.left)
            second = origins_of(source.second, schema).named(source.right)
            return first.beside(second, keep=source.keep)


def _scanned(columns: Mapping[str, Column]) -> Origins:
    return Origins(columns, {name: Named(name) for name in columns}, columns)


def _summed(summary: Summary, columns: Mapping[str, Column]) -> Column:
    """A summary of a person's rows, which is clipped to its bounds."""
    value = summary.value
    counted = summary.statistic in (ROWS, COUNT, DISTINCT)
    dated = Dated.NOT
    if not counted and value is not None and not isinstance(value, Steps):
        dated = DATES.get(bounds_of(value, columns).kind, Dated.NOT)
    return NumberColumn(low=summary.low, high=summary.high, whole=counted, dated=dated)


def _unbounded(column: Column) -> Column:
    """A computed column: the bounds of a number are exact, and engines round."""
    return replace(column, low=None, high=None) if isinstance(column, NumberColumn) else column


def _unused(name: str, names: Collection[str]) -> str:
    while name in names:
        name += "'"
    return name


@dataclass(frozen=True)
class Conditions:
    """The conditions on rows, and the ways in which a row as declared fulfills them."""

    origins: Origins
    asked: tuple[Node, ...] = ()
    """The conditions on the relation's rows that stand in the question itself."""
    work: Work = field(default_factory=Work, compare=False)

    def __post_init__(self) -> None:
        self.check(self.where)

    @cached_property
    def where(self) -> tuple[Node, ...]:
        """All conditions on the rows, in columns of tables."""
        return (*self.origins.held, *self.origins.all_of(self.asked))

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns of tables."""
        return self.origins.tables

    def check(self, conditions: Sequence[Node]) -> None:
        """Refuse conditions that no row as declared fulfills."""
        parts = [part for one in conditions for part in conjuncts(one)]
        if not parts or self._fitting(parts):
            return
        for part in parts:
            if not self._fitting([part]):
                raise self._unfit(part)
        first = bisect_left(
            range(1, len(parts)), True, key=lambda many: not self._fitting(parts[:many])
        )
        for other in parts[: min(first, _MOST_TRIED)]:
            if not self._fitting([other, parts[first]]):
                raise _contradictory([other, parts[first]])
        raise _contradictory(parts[: first + 1])

    def check_aggregate(self, asked: Aggregate) -> None:
        """Refuse an aggregate whose own conditions, by FILTER or CASE, no declared value fits.

        One that WHERE contradicts is answered: tables with a column for each value are asked so.
        """
        conditions: list[Node] = []
        node = None if asked.of is None else self.origins.of(asked.of)
        if asked.statistic is PEOPLE and node is not None:
            conditions.append(node)
        if isinstance(node, Together):
            node = node.left  # a FILTER is written into the first
        while isinstance(node, Chosen) and node.otherwise == Constant(None):
            conditions.append(node.condition)
            node = node.then
        if conditions:
            self.check(conditions)

    def left(self, grouping: Grouping, *, few: bool) -> Grouping | None:
        """The groups in which a row may be that fulfills the conditions; None if there is none.

        With ``few``, public groups stand beside private ones, and not many can be listed.
        """
        node = self.origins.of(grouping.node)
        if isinstance(grouping, PrivateGrouping) or node is None or not self.where:
            return grouping
        found = [one for one in self._fitting(self.where) if one.way.has(node)]
        if any(not one.concerns(node) for one in found):
            return grouping
        match grouping:
            case ListedGrouping(_, values):
                kept = self._kept(node, values, found)
                left = tuple(one for one in values if one in kept)
                return replace(grouping, values=left) if left else None
            case BooleanGrouping(_, values):
                truths = tuple(one for one in values if self._may_be(node, one))
                return replace(grouping, values=truths) if truths else None
            case IntegerGrouping():
                return self._integers(grouping, node, found, few=few)
            case BinGrouping():
                return self._bins(grouping, node, found)

    # What fits

    def _fitting(self, conditions: Sequence[Node]) -> list[_Fitting]:
        found = (self._as_declared(way) for way in ways(conditions))
        return [one for one in found if one is not None]

    def _as_declared(self, way: Way) -> _Fitting | None:
        """What the columns can be where the conditions are true this way; None if they cannot."""
        nodes = [node for node in way.values or {} if not _is_condition(node)]
        columns = dict(self.columns)
        for name in names_in(nodes):
            column = columns.get(name)
            if isinstance(column, CategoryColumn):
                fitting = self._values(name, column, way, nodes)
                if not fitting:
                    return None
                columns[name] = CategoryColumn(fitting)
            elif isinstance(column, NumberColumn):
                columns[name] = self._narrowed(name, column, way, nodes)
        facts = {node: interval for node in nodes if (interval := _interval(way, node)) is not None}
        for node in nodes:
            elsewhere = {other: interval for other, interval in facts.items() if other != node}
            if not self._reached(way, node, columns, elsewhere):
                return None
        return _Fitting(way, columns, facts)

    def _values(
        self, name: str, column: CategoryColumn, way: Way, nodes: Sequence[Node]
    ) -> tuple[str | int, ...]:
        """The declared values of a column with which each expression of it can be as it must."""
        fitting = list(way.among(Named(name), column.values))
        own = [node for node in nodes if node != Named(name) and names_in([node]) == {name}]
        for node in own if len(fitting) <= _MOST_TRIED else ():
            fitting = [one for one in fitting if self._computed(node, name, one, way)]
        return tuple(fitting)

    def _narrowed(
        self, name: str, column: NumberColumn, way: Way, nodes: Sequence[Node]
    ) -> NumberColumn:
        """A column with the bounds between which it fits; its own where it does not."""
        if column.low is None or column.high is None:
            return column
        low, high = _within(Interval(column.low, column.high), way.ends(Named(name)))
        for node in nodes if column.whole and low <= high else ():
            if node != Named(name) and _increases(node, name):
                ends = self._inverse(node, name, column, way, (ceil(low), floor(high)))
                low, high = map(Fraction, ends)
        return replace(column, low=low, high=high) if low <= high else column

    def _inverse(
        self, node: Node, name: str, column: NumberColumn, way: Way, ends: tuple[int, int]
    ) -> tuple[int, int]:
        """Between which whole numbers a column lies if what increases with it does as it must."""
        least, most = way.ends(node)
        unknown = False

        def value(number: int) -> float:
            nonlocal unknown
            one = replace(column, low=Fraction(number), high=Fraction(number))
            listed = listed_values(node, {name: one}, work=self.work) or ()
            unknown = unknown or len(listed) != 1
            return float(listed[0]) if len(listed) == 1 else inf

        numbers = range(ends[0], ends[1] + 1)
        first = bisect_left(numbers, least, key=value)
        after = bisect_right(numbers, most, key=value)
        return ends if unknown else (ends[0] + first, ends[0] + after - 1)

    def _computed(self, node: Node, name: str, value: str | int, way: Way) -> bool:
        found = listed_values(node, {name: CategoryColumn((value,))}, work=self.work)
        return found is None or next(way.among(node, found), None) is not None

    def _reached(
        self,
        way: Way,
        node: Node,
        columns: Mapping[str, Column],
        facts: Mapping[Node, Interval],
    ) -> bool:
        """Whether an expression of declared values can be what a way says of it."""
        if isinstance(node, Constant):
            return node.value is not None and way.allows(node, _plain(node.value))
        listed = listed_values(node, columns, facts, self.work)
        if listed is not None:
            return next(way.among(node, listed), None) is not None
        ends = declared_ends(node, columns)
        return ends is None or way.reaches(node, *ends)

    # Groups

    def _kept(
        self, node: Node, values: Iterable[str | int | float], found: Sequence[_Fitting]
    ) -> set[str | int | float]:
        kept: set[str | int | float] = set()
        for one in found:
            listed = one.listed(node, self.work)
            among = None if listed is None else set(listed)
            fitting = one.way.among(node, values)
            kept |= {value for value in fitting if among is None or value in among}
        return kept

    def _may_be(self, condition: Node, truth: bool) -> bool:
        wanted = condition if truth else Negated(condition)
        return bool(self._fitting([*self.where, wanted]))

    def _integers(
        self, grouping: IntegerGrouping, node: Node, found: Sequence[_Fitting], *, few: bool
    ) -> Grouping | None:
        ends = []
        for one in found:
            low, high = one.way.whole_ends(node, grouping.low, grouping.high)
            if low <= high:
                ends.append((low, high))
        if not ends:
            return None
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        if high - low >= MOST_LISTED:
            return replace(grouping, low=low, high=high)
        kept = self._kept(node, range(low, high + 1), found)
        left = [value for value in range(low, high + 1) if value in kept]
        if not left:
            return None
        if (few and len(left) > MOST_BINS) or len(left) == left[-1] - left[0] + 1:
            return replace(grouping, low=left[0], high=left[-1])
        return ListedGrouping(grouping.node, tuple(left), grouping.dated)

    def _bins(
        self, grouping: BinGrouping, node: Node, found: Sequence[_Fitting]
    ) -> Grouping | None:
        """The bins that are left: one in which no declared value is goes only by what is said."""
        declared = _Reach.of(node, self.columns, {}, self.work)
        places: set[int] = set()
        for one in found:
            fitting = _Reach.of(node, one.columns, one.facts, self.work).kept(one.way, node)
            places |= {
                place
                for place, (lower, upper, closed) in enumerate(grouping.bins)
                if one.way.reaches(node, float(lower), float(upper), closed=closed)
                and (
                    fitting.meets(float(lower), float(upper), closed=closed)
                    or not declared.meets(float(lower), float(upper), closed=closed)
                )
            }
        if not places:
            return None
        return replace(grouping, left_out=frozenset(range(len(grouping.edges) - 1)) - places)

    # Refusals

    def _unfit(self, condition: Node) -> QueryError:
        """The refusal of one condition that no row as declared fulfills."""
        text = expression_text(condition)[:_LONGEST]
        names = sorted(names_in([condition]))
        declared = [
            words for name in names if (words := declared_words(name, self.columns.get(name)))
        ]
        if not declared or not ways([condition]):
            what = text if names else "the condition"
            return QueryError(
                f"{what} is true of no row. Only noise would be paid for. Correct it."
            ).at(_first_place(condition))
        fact = f"{text} fits no declared value: {'; '.join(declared)}."
        meant = _meant(condition, self.columns)
        return QueryError(
            f"{fact} Only noise would be paid for.",
            f"Did you mean {constant_text(meant)}?"
            if meant is not None
            else Remedy(
                python="Compare with what is declared, or declare more.",
                sql="Compare with what is declared, or have more declared.",
            ),
        ).at(_first_place(condition))


@dataclass(frozen=True)
class _Reach:
    """Which numbers an expression can be: of a list where there is one, and between ends."""

    listed: tuple[str | int | float, ...] | None
    ends: tuple[float, float]

    @staticmethod
    def of(
        node: Node, columns: Mapping[str, Column], facts: Mapping[Node, Interval], work: Work
    ) -> "_Reach":
        ends = declared_ends(node, columns, facts)
        return _Reach(listed_values(node, columns, facts, work), ends or (-inf, inf))

    def kept(self, way: Way, node: Node) -> "_Reach":
        if self.listed is None:
            return self
        return replace(self, listed=tuple(way.among(node, self.listed)))

    def meets(self, low: float, high: float, *, closed: bool) -> bool:
        """Whether it can lie in a bin."""
        if self.ends[1] < low or (self.ends[0] > high if closed else self.ends[0] >= high):
            return False
        return self.listed is None or any(
            not isinstance(one, str) and low <= one and (one <= high if closed else one < high)
            for one in self.listed
        )


def declared_words(name: str, column: Column | None) -> str:
    """What a column was declared to have, in words; empty where nothing was."""
    if isinstance(column, CategoryColumn):
        values = [label_text(one) for one in column.values[:_MOST_SHOWN]]
        more = ", …" if len(column.values) > _MOST_SHOWN else ""
        return f"those of {name} are {', '.join(values)}{more}"
    if isinstance(column, NumberColumn) and column.low is not None and column.high is not None:
        ends = (
            dated_text(end, column.dated) if column.dated else number_text(end)
            for end in (column.low, column.high)
        )
        return f"{name} is declared {' to '.join(ends)}"
    return ""


def near_value(value: str, column: CategoryColumn) -> str | None:
    """The declared value that a written one may have been meant for."""
    listed = [str(one) for one in column.values[:_MOST_COMPARED]]
    near = get_close_matches(value[:60], listed, 1)
    return near[0] if near else None


def compared_value(node: Node) -> tuple[str, Label | Fraction | None]:
    """The column and the constant that are said to be equal, if that is what a node says."""
    match node:
        case Compared("=", Named(name), Constant(value)) | Compared(
            "=", Constant(value), Named(name)
        ):
            return name, value
    return "", None


def _meant(condition: Node, columns: Mapping[str, Column]) -> str | None:
    name, value = compared_value(condition)
    column = columns.get(name)
    if not isinstance(column, CategoryColumn) or not isinstance(value, str):
        return None
    return near_value(value, column)


def _contradictory(parts: Sequence[Node]) -> QueryError:
    texts = [expression_text(part)[: _LONGEST // 2] for part in parts]
    whose = "" if not ways(parts) else " of declared values"
    what = f"both {' and '.join(texts)}" if len(texts) == 2 else f"{texts[-1]} and all before it"
    return QueryError(
        f"no row{whose} fulfills {what}. Only noise would be paid for.",
        Remedy(
            python="Leave a condition out, or combine them by |.",
            sql="Leave a condition out, or combine them by OR.",
        ),
    ).at(_first_place(parts[-1]))


def _first_place(condition: Node) -> Place | None:
    while condition.place is None and isinstance(condition, Both | Either):
        condition = condition.left
    return condition.place


def _is_condition(node: Node) -> bool:
    return isinstance(node, Compared | Both | Either | Negated | Missing)


def _plain(value: Fraction | bool | str) -> float | bool | str:
    if not isinstance(value, Fraction):
        return value
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _within(interval: Interval, ends: tuple[float, float]) -> tuple[Fraction, Fraction]:
    low, high = interval.low or Fraction(0), interval.high or Fraction(0)
    return (
        low if ends[0] == -inf else max(low, Fraction(ends[0])),
        high if ends[1] == inf else min(high, Fraction(ends[1])),
    )


def _increases(node: Node, name: str) -> bool:
    """Whether an expression never falls where a column rises, also once each step is rounded."""
    match node:
        case Named():
            return node.name == name
        case Floored(operand):
            return _increases(operand, name)
        case Applied(
            "YEAR" | "DATE_TRUNC" | "CALENDAR" | "DATE" | "MIDNIGHT" | "EPOCH" | "MOMENT", operand
        ):
            return _increases(operand, name)
        case Calculation("+" | "-", left, Constant(Fraction())):
            return _increases(left, name)
        case Calculation("*" | "/", left, Constant(Fraction() as factor)):
            return factor > 0 and _increases(left, name)
    return False


def _interval(way: Way, node: Node) -> Interval | None:
    low, high = way.ends(node)
    if (low, high) == (-inf, inf):
        return None
    return Interval(
        None if abs(low) == inf else Fraction(low), None if abs(high) == inf else Fraction(high)
    )
