"""A question as it is asked: from which relations, which rows, in which groups, what about them.

Frozen, and seen by no data.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from discreet.errors import (
    BoundsError,
    DiscreetError,
    Front,
    Place,
    PolicyError,
    QueryError,
    Remedy,
)
from discreet.measures.measure import POINTS, Aggregate, MeasureRules, Statistic, Steps, grid_steps
from discreet.measures.registry import COUNT, DISTINCT, MAX, MEAN, MIN, ROWS, SUM
from discreet.plan.added_bounds import bounds_remedy
from discreet.plan.calendar import Dated
from discreet.plan.expressions import (
    Constant,
    Named,
    Node,
    constant_text,
    expression_text,
    names_in,
    quoted_name,
    walk,
)
from discreet.plan.schema import (
    DECLARE_THE_UNIT,
    LARGEST_BOUND,
    BooleanColumn,
    Column,
    NumberColumn,
    Schema,
    TextColumn,
)
from discreet.plan.types import (
    COUNTED,
    DATES,
    CheckedExpression,
    Kind,
    check_expression,
    condition_of,
    unknown_column,
)

_SKIP_MISSING = MeasureRules(replace=False, fixed=False, by_person=True)
MOST_PAIRS = 1_000_000
"""The most pairs of one person's rows that a join makes."""
_MOST_PARTS = 2_000
_MOST_PARTNERS = 1_000
_MOST_FOUND = 1_000_000
"""The most rows of one person that lookups make, where a person's rows are known to be few."""
_COUNTED = (ROWS, COUNT, DISTINCT)
_PERSONAL = (
    "SUM, AVG, MIN, MAX, COUNT(*), COUNT(x) and COUNT(DISTINCT x), which need one pass over a "
    "person's rows"
)


@dataclass(frozen=True, slots=True)
class _Read:
    """What every relation has: where it stands in the text that it was read from, if it was."""

    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Scan(_Read):
    """The rows of a private table; without one, of the table that the question is asked of.

    ``called`` is that table's name, for people to read: it decides nothing.
    """

    table: str | None = None
    called: str = field(default="", compare=False, repr=False)

    @property
    def text(self) -> str:
        """As it stands in plans and certificates; the asked table stands there by itself."""
        return "" if self.table is None else quoted_name(self.table)


@dataclass(frozen=True, slots=True)
class Selected(_Read):
    """Rows that are kept, with new columns computed from their own."""

    inner: "Relation"
    columns: tuple[tuple[str, Node], ...]
    where: tuple[Node, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        return f"(SELECT {_columns(self.columns)}{_tail(self.inner, self.where)})"


@dataclass(frozen=True, slots=True)
class Lookup(_Read):
    """Rows with the columns of a public table beside them, where all the ``on`` pairs are equal.

    ``keep`` keeps rows that find nothing.  Columns are called ``left.name`` and ``right.name``;
    with an empty ``left``, those of a join that came before keep the names they have.
    """

    inner: "Relation"
    left: str
    table: str
    right: str
    on: tuple[tuple[Node, str], ...]
    keep: bool = False
    partners: int = 1
    """How many public rows are found for a row at most, once that has been checked."""

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        pairs = " AND ".join(
            f"{expression_text(node)} = {quoted_name(f'{self.right}.{name}')}"
            for node, name in self.on
        )
        join = "LEFT JOIN" if self.keep else "JOIN"
        right = _aliased(quoted_name(self.table), self.right)
        return f"{_aliased(_named(self.inner), self.left)} {join} {right} ON {pairs}"


@dataclass(frozen=True, slots=True)
class Pair(_Read):
    """Every pair of two tables' rows that belong to the same person.

    ``on`` are further columns that are equal.  Columns are called as those of a lookup.
    """

    first: "Relation"
    left: str
    second: "Relation"
    right: str
    on: tuple[tuple[str, str], ...] = ()
    keep: bool = False
    pairs: int | None = None
    """How many pairs a person's rows make at most, where that is limited; once it is checked."""

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        join = "LEFT JOIN" if self.keep else "JOIN"
        further = "".join(
            f" AND {quoted_name(prefixed(self.left, a))} = {quoted_name(f'{self.right}.{b}')}"
            for a, b in self.on
        )
        sides = [_aliased(_named(self.first), self.left), _aliased(_named(self.second), self.right)]
        return f"{sides[0]} {join} {sides[1]} BY PERSON{further}"


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of a person's rows, clipped to bounds where there are some."""

    statistic: Statistic
    value: Steps | Node | None
    low: Fraction | None = None
    high: Fraction | None = None


@dataclass(frozen=True, slots=True)
class PerPerson(_Read):
    """One row for each person, or for each person and key: what that person's own rows add up to.

    ``summaries`` are the columns once they have been checked.
    """

    inner: "Relation"
    where: tuple[Node, ...]
    keys: tuple[tuple[str, Node], ...]
    columns: tuple[tuple[str, Aggregate], ...]
    summaries: tuple[Summary, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        parts = [_columns(self.keys)] if self.keys else []
        parts += [f"{quoted_name(name)} = {asked.text}" for name, asked in self.columns]
        keys = "".join(f", {quoted_name(name)}" for name, _ in self.keys)
        selected = ", ".join(parts) or "people"
        return f"(SELECT {selected}{_tail(self.inner, self.where)} PER PERSON{keys})"


THE_TABLE = Scan()
"""The table that the question is asked of."""

Relation = Scan | Selected | Lookup | Pair | PerPerson


def relations_in(source: Relation) -> Iterator[Relation]:
    """A relation and all those that it is made of."""
    yield source
    match source:
        case Pair(first, _, second):
            yield from relations_in(first)
            yield from relations_in(second)
        case Selected(inner) | Lookup(inner) | PerPerson(inner):
            yield from relations_in(inner)


def has_pairs(source: Relation) -> bool:
    """Whether a relation is made of pairs of rows, in part or in all."""
    return any(isinstance(one, Pair) for one in relations_in(source))


def prefixed(prefix: str, name: str) -> str:
    """A column's name in a join; without a prefix it keeps its own."""
    return f"{prefix}.{name}" if prefix else name


def _columns(columns: tuple[tuple[str, Node], ...]) -> str:
    return ", ".join(f"{expression_text(node)} AS {quoted_name(name)}" for name, node in columns)


def _tail(inner: Relation, where: tuple[Node, ...]) -> str:
    text = f" FROM {_named(inner)}" if _named(inner) else ""
    return text + (
        " WHERE " + " AND ".join(f"({expression_text(one)})" for one in where) if where else ""
    )


def _named(relation: Relation) -> str:
    called = quoted_name(relation.called) if isinstance(relation, Scan) and relation.called else ""
    return relation.text or called


def _aliased(text: str, alias: str) -> str:
    name = quoted_name(alias) if alias else text
    return name if text in ("", name) else f"{text} AS {name}"


@dataclass(frozen=True, slots=True)
class Origin:
    """A checked relation with its columns.

    ``cap`` is the declared cap on a person's rows that holds for it; ``most`` is how many rows a
    person can have of it at all, where that is known whatever the data are.
    """

    relation: Relation
    columns: dict[str, Column]
    cap: int | None
    most: int | None = None
    spread: int = 1
    """How many rows one row of a private table can become by lookups."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """How many parts the columns have that are computed: an engine may write them out again."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Columns that count a person's rows, and at which number: more of them are not seen."""

    @property
    def limit(self) -> int:
        """How many of a person's rows count in what a subquery makes of them: its clip."""
        if self.counted is None:
            raise PolicyError(
                "max_rows is not declared. A person may have any number of rows in a subquery, and "
                "they add up.",
                Remedy(
                    python="Declare it: max_rows=10.",
                    policy="Declare it: max_rows = 10 in the policy.",
                ),
            )
        return self.counted

    @property
    def counted(self) -> int | None:
        """For how many rows a person counts at most, if anything says so."""
        return min((one for one in (self.cap, self.most) if one is not None), default=None)


def schema_of(found: Origin, schema: Schema) -> Schema:
    """The declarations that hold for the rows of a relation."""
    if found.relation == THE_TABLE:
        return schema
    if not schema.by_person:
        return replace(schema, columns=found.columns)
    groups = [bound for bound in (schema.max_groups, found.most) if bound is not None]
    return replace(
        schema,
        columns=found.columns,
        max_rows=found.counted,
        max_groups=min(groups, default=None),
    )


def origin(source: Relation, schema: Schema) -> Origin:
    """The relation with every expression checked, and what its columns are."""
    try:
        return _origin(source, schema)
    except DiscreetError as error:
        error.at(source.place)
        raise


def _origin(source: Relation, schema: Schema) -> Origin:
    match source:
        case Scan(table):
            return _scanned(source, table, schema)
        case Selected(inner):
            return _selected(source, origin(inner, schema))
        case Lookup():
            return _lookup(source, origin(source.inner, schema), schema)
        case Pair():
            return _pair(source, schema)
        case PerPerson():
            return _per_person(source, origin(source.inner, schema), schema)


def declared_unit(table: str | None, schema: Schema) -> str:
    """The column that says whose row it is, of one of the private tables."""
    return schema.unit if table is None else schema.private[table].unit


def _scanned(source: Scan, table: str | None, schema: Schema) -> Origin:
    if table is None:
        return Origin(source, dict(schema.columns), schema.max_rows)
    beside = schema.private[table]
    return Origin(source, dict(beside.columns), beside.max_rows or schema.max_rows)


def _selected(source: Selected, inner: Origin) -> Origin:
    typed = [(name, check_expression(node, inner.columns)) for name, node in source.columns]
    where = tuple(condition_of(node, inner.columns) for node in source.where)
    columns = tuple((name, one.node) for name, one in typed)
    named = {name: node.name for name, node in columns if isinstance(node, Named)}
    return Origin(
        replace(source, inner=inner.relation, columns=columns, where=where),
        {name: column_of(one, inner.columns) for name, one in typed},
        inner.cap,
        inner.most,
        inner.spread,
        {name: _size(one.node, inner) for name, one in typed},
        {name: inner.counts[node] for name, node in named.items() if node in inner.counts},
    )


def _size(node: Node, inner: Origin) -> int:
    """How many parts a column has if those it is computed from are written out."""
    size = sum(inner.sizes.get(one.name, 1) if isinstance(one, Named) else 1 for one in walk(node))
    if size > _MOST_PARTS:
        raise QueryError(
            f"a column of a subquery is computed in {size:,} parts, with those it is made of. "
            f"Engines may write them out, and at most {_MOST_PARTS:,} are read. Compute less "
            "in the subqueries inside each other."
        )
    return size


def column_of(typed: CheckedExpression, columns: Mapping[str, Column]) -> Column:
    """An expression as a column that others can use."""
    node = typed.node
    if isinstance(node, Named):
        return columns[node.name]
    if typed.kind in COUNTED:
        return _number(typed)
    return BooleanColumn() if typed.kind is Kind.BOOLEAN else TextColumn()


def _lookup(source: Lookup, inner: Origin, schema: Schema) -> Origin:
    public = schema.public[source.table]
    named = {prefixed(source.left, name): column for name, column in inner.columns.items()}
    on = []
    for node, name in source.on:
        if name not in public.columns:
            raise unknown_column(name, public.columns)
        typed = check_expression(node, inner.columns)
        right = _kind(public.columns[name])
        if typed.kind is not right:
            raise QueryError(
                f"the join compares {expression_text(node)[:60]!r}, a {typed.kind}, with "
                f"{f'{source.right}.{name}'[:60]!r}, a {right}. Only values of one kind are equal. "
                "Join columns of the same kind, or cast the table's own: CAST(x AS DOUBLE)."
            ).at(node.place)
        if isinstance(node, Named):
            other = f"{source.right}.{name}"
            _check_clocks(node.name, inner.columns[node.name], other, public.columns[name])
        on.append((typed.node, name))
    # A column of which nothing is known may repeat its values as often as is allowed at all.
    partners = max(1, min(public.most.get(name, _MOST_PARTNERS) for _, name in on))
    if not schema.by_person and partners > 1:
        raise QueryError(
            f"the join with {source.table[:60]!r} can give a row several partners, and the unit is "
            "the row. Each row counts once. Join by a column of the public table in which no value "
            "is there twice."
        )
    spread = inner.spread * partners
    most = None if inner.most is None else inner.most * partners
    if spread > _MOST_PARTNERS or (most or 0) > _MOST_FOUND:
        raise QueryError(
            f"the join with {source.table[:60]!r} can give a row {spread:,} partners, with those "
            f"of joins before. So many could not be read: at most {_MOST_PARTNERS:,} are joined to "
            f"a row, and {_MOST_FOUND:,} to a person's. Join by a column of the public table that "
            "repeats its values less."
        )
    columns = named | {f"{source.right}.{name}": one for name, one in public.columns.items()}
    relation = replace(
        source, inner=_fewer_pairs(inner.relation, partners), on=tuple(on), partners=partners
    )
    sizes, counts = (_prefixed(source.left, known) for known in (inner.sizes, inner.counts))
    return Origin(relation, columns, inner.cap, most, spread, sizes, counts)


def _fewer_pairs(relation: Relation, partners: int) -> Relation:
    """The relation with fewer pairs, since each finds several partners: rows stay as many."""
    match relation:
        case Scan() | PerPerson(keys=()):
            return relation
        case Pair(pairs=int() as pairs):
            return replace(relation, pairs=pairs // partners)
        case Pair(first, _, second):
            return replace(
                relation,
                first=_fewer_pairs(first, partners),
                second=_fewer_pairs(second, partners),
            )
        case Selected(inner) | Lookup(inner) | PerPerson(inner):
            return replace(relation, inner=_fewer_pairs(inner, partners))


def _prefixed(prefix: str, known: Mapping[str, int]) -> dict[str, int]:
    """What is known of columns, under the names that a join gives them."""
    return {prefixed(prefix, name): one for name, one in known.items()}


def _kind(column: Column) -> Kind:
    return check_expression(Named("x"), {"x": column}).kind


def _check_clocks(name: str, column: Column, other_name: str, other: Column) -> None:
    """Refuse a join of datetimes of which two clocks show the same moment differently."""
    zones = [one.zone for one in (column, other) if isinstance(one, NumberColumn)]
    if len(set(zones)) < 2:
        return
    shown = ["no zone" if zone is None else f"the zone {zone}" for zone in zones]
    zone = next(zone for zone in zones if zone is not None)
    raise QueryError(
        f"the join compares {name[:60]!r}, of {shown[0]}, with {other_name[:60]!r}, of "
        f"{shown[1]}. Their clocks show the same moment differently.",
        Remedy(
            python=f'Declare both with one zone: dp.datetime(…, zone="{zone}").',
            policy=f'Declare both with one zone: zone = "{zone}".',
        ),
    )


def _pair(source: Pair, schema: Schema) -> Origin:
    if not schema.by_person:
        raise QueryError(
            "two private tables are joined, and the unit is the row. Pairs of rows would belong to "
            "nobody in particular.",
            DECLARE_THE_UNIT,
        )
    first, second = origin(source.first, schema), origin(source.second, schema)
    for one, two in source.on:
        kinds = _kind(first.columns[one]), _kind(second.columns[two])
        if kinds[0] is not kinds[1]:
            raise QueryError(
                f"the join compares {one[:60]!r}, a {kinds[0]}, with {two[:60]!r}, a {kinds[1]}. "
                "Only values of one kind are equal. Join columns of the same kind."
            )
        _check_clocks(one, first.columns[one], two, second.columns[two])
    columns = {prefixed(source.left, name): column for name, column in first.columns.items()}
    columns |= {f"{source.right}.{name}": column for name, column in second.columns.items()}
    most = _product(first.most, second.most)
    few = most is not None and most <= MOST_PAIRS
    # Where a person has one row on a side, there are no more pairs than rows on the other.
    limited = not few and 1 not in (first.most, second.most)
    relation = replace(
        source,
        first=first.relation,
        second=second.relation,
        pairs=MOST_PAIRS if limited else None,
    )
    sizes = _prefixed(source.left, first.sizes) | _prefixed(source.right, second.sizes)
    counts = _prefixed(source.left, first.counts) | _prefixed(source.right, second.counts)
    # Nobody within the caps of both sides has more pairs than their product.
    caps = (schema.max_rows, _product(first.counted, second.counted))
    cap = min((one for one in caps if one is not None), default=None)
    known = most if few else None
    return Origin(relation, columns, cap, known, sizes=sizes, counts=counts)


def _product(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None else one * two


def _per_person(source: PerPerson, inner: Origin, schema: Schema) -> Origin:
    if not schema.by_person:
        raise QueryError(
            "the subquery has one row for each person, and the unit is the row. Nobody has several "
            "rows.",
            DECLARE_THE_UNIT,
        )
    where = tuple(condition_of(node, inner.columns) for node in source.where)
    keys = [(name, check_expression(node, inner.columns)) for name, node in source.keys]
    cap = inner.limit
    columns: dict[str, Column] = {name: column_of(one, inner.columns) for name, one in keys}
    summaries = []
    for name, asked in source.columns:
        try:
            value, column = _summary(asked, inner.columns, cap)
        except DiscreetError as error:
            error.at(asked.place)
            raise
        summaries.append(Summary(asked.statistic, value, column.low, column.high))
        columns[name] = column
    relation = replace(
        source,
        inner=inner.relation,
        where=where,
        keys=tuple((name, one.node) for name, one in keys),
        summaries=tuple(summaries),
    )
    sizes = {name: _size(one.node, inner) for name, one in keys}
    counts = {name: cap for name, asked in source.columns if asked.statistic in _COUNTED}
    if not keys:
        return Origin(relation, columns, inner.cap, 1, counts=counts)
    # Rows that differ in a looked-up column are as many as before.
    return Origin(relation, columns, inner.cap, inner.most, inner.spread, sizes, counts)


def _summary(
    asked: Aggregate, columns: Mapping[str, Column], cap: int
) -> tuple[Steps | Node | None, NumberColumn]:
    """What is summed up of a person's rows, and the bounds of the result."""
    statistic = asked.statistic
    if asked.of is None and statistic is ROWS:
        return None, _count(1, cap)
    if asked.of is None:
        raise _not_personal(asked)
    typed = check_expression(asked.of, columns)
    if statistic in (COUNT, DISTINCT):
        return typed.node, _count(0, cap)
    if statistic not in (SUM, MEAN, MIN, MAX):
        raise _not_personal(asked)
    ordered = statistic in (MIN, MAX)
    if typed.kind is not Kind.NUMBER and not (ordered and typed.kind in COUNTED):
        raise QueryError(
            f"{asked.said} asks for the {statistic} of a {typed.kind}, person by person. It needs "
            "numbers. Use a numeric column, or CASE WHEN … THEN 1 ELSE 0 END."
        )
    if ordered:
        return typed.node, _number(typed)
    low, high = typed.low, typed.high
    if low is None or high is None:
        raise BoundsError(
            f"{asked.said} has no bounds. A person's sum is clipped to {cap:,} times the bounds of "
            "one row, which must be public.",
            bounds_remedy(typed, columns),
        )
    value = grid_steps(typed, POINTS, _SKIP_MISSING)
    if statistic is MEAN:
        return value, NumberColumn(low=low, high=high)
    return value, NumberColumn(
        low=min(low, low * cap), high=max(high, high * cap), whole=typed.whole
    )


def _number(typed: CheckedExpression) -> NumberColumn:
    low, high = typed.low, typed.high
    if low is None or high is None or max(abs(low), abs(high)) > LARGEST_BOUND:
        low = high = None
    return NumberColumn(low=low, high=high, whole=typed.whole, dated=DATES[typed.kind])


def _count(least: int, cap: int) -> NumberColumn:
    # A range of one value would have nothing to ask about.
    return NumberColumn(low=Fraction(least), high=Fraction(max(cap, least + 1)), whole=True)


def _not_personal(asked: Aggregate) -> QueryError:
    return QueryError(
        f"the subquery asks for {asked.said} of each person's rows. Offered there are {_PERSONAL}. "
        "Use one of these."
    )


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A grouping key: an expression, cut into bins where there are edges."""

    name: str
    of: Node
    edges: tuple[Fraction, ...] = ()
    dated: Dated = Dated.NOT
    place: Place | None = field(default=None, compare=False, repr=False)
    """Where it stands in the text of the question, if it was read from one."""

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        inner = expression_text(self.of)
        if self.edges:
            ends = [constant_text(edge, self.dated) for edge in self.edges]
            inner = f"bins({inner}, [{', '.join(ends)}])"
        return inner if inner == quoted_name(self.name) else f"{inner} AS {quoted_name(self.name)}"


@dataclass(frozen=True, slots=True)
class GroupingSets:
    """Tables by some of the keys each, whose totals agree: the keys of each by their places.

    ``weights`` say how much the variance of a cell of each table counts; equally unless stated.
    """

    sets: tuple[tuple[int, ...], ...]
    weights: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class RunningTotal:
    """Every group is added to those before it in the order of one key, which has this place.

    ``by_group`` are the outputs that are shown of every group by itself: differences of totals.
    """

    key: int
    by_group: tuple[str, ...] = ()


Arrangement = GroupingSets | RunningTotal
"""How groups are measured together, where they are not measured each by itself."""


WindowFunction = Literal["SUM", "AVG", "COUNT", "LAG", "LEAD", "FIRST_VALUE", "RANK"]


@dataclass(frozen=True, slots=True)
class GroupWindow(_Read):
    """A number of each group that is computed from released numbers of several groups.

    They are those that have the same values of the keys ``apart``.  SUM, AVG and COUNT, which is
    how many groups there are, take all of them, or those of ``frame``: from so many places after a
    group, or before it where that is negative, to so many, and None is the first or the last one.
    LAG and LEAD take the group that is ``steps`` away.  RANK is 1 more than the number of groups
    that come before.
    """

    function: WindowFunction
    of: Node | None = None
    apart: tuple[str, ...] = ()
    order: tuple[tuple[Node, bool], ...] = ()
    frame: tuple[int | None, int | None] = (None, None)
    steps: int = 1

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        inside = [] if self.of is None else [expression_text(self.of)]
        inside += [str(self.steps)] if self.function in ("LAG", "LEAD") else []
        over = []
        if self.apart:
            over.append(f"PARTITION BY {', '.join(map(quoted_name, self.apart))}")
        if self.order:
            over.append(f"ORDER BY {_ordered_text(self.order)}")
        if self.frame != (None, None):
            over.append(f"ROWS {self.frame[0]} TO {self.frame[1]}")
        return f"{self.function}({', '.join(inside)}) OVER ({' '.join(over)})"

    @property
    def number(self) -> Node:
        """What it is computed from: a rank from what groups are ordered by."""
        if self.function == "RANK":
            return self.order[0][0]
        return Constant(Fraction(1)) if self.of is None else self.of

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The expressions that it is made of."""
        return (*(() if self.of is None else (self.of,)), *(node for node, _ in self.order))


def _ordered_text(order: tuple[tuple[Node, bool], ...]) -> str:
    return ", ".join(
        expression_text(node) + (" DESC" if falling else "") for node, falling in order
    )


@dataclass(frozen=True, slots=True)
class PostProcessing:
    """Post-processing of released numbers: free of charge, since nothing else is read.

    Names are those of outputs, groups and ``windows``.  Without ``columns`` every output is shown
    as it is.  ``order`` has expressions, each with whether the largest come first.
    """

    columns: tuple[tuple[str, Node], ...] = ()
    having: Node | None = None
    order: tuple[tuple[Node, bool], ...] = ()
    limit: int | None = None
    offset: int = 0
    windows: tuple[tuple[str, GroupWindow], ...] = ()
    whole: bool = False
    """Whether all groups together are one row, whose columns are windows over all of them."""
    nonnegative: bool = False
    """Whether counts are first moved so that none is below 0, and their totals agree."""

    @property
    def nodes(self) -> list[Node]:
        """Every expression of released numbers."""
        found = [node for _, node in self.columns] + [node for node, _ in self.order]
        found += [node for _, window in self.windows for node in window.nodes]
        return found if self.having is None else [*found, self.having]

    def names(self, nodes: Iterable[Node]) -> frozenset[str]:
        """The outputs and groups that expressions are computed from, also by way of windows."""
        found = names_in(nodes)
        if not self.windows:
            return found
        inside = [node for name, window in self.windows if name in found for node in window.nodes]
        return (found - {name for name, _ in self.windows}) | names_in(inside)

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        parts = ["MADE NON-NEGATIVE"] if self.nonnegative else []
        if self.columns:
            shown_as = [
                expression_text(node)
                if node == Named(name)
                else f"{expression_text(node)} AS {quoted_name(name)}"
                for name, node in self.columns
            ]
            parts.append(f"SHOW {', '.join(shown_as)}")
        for name, window in self.windows:
            parts.append(f"WINDOW {quoted_name(name)} AS {window.text}")
        if self.having is not None:
            parts.append(f"HAVING {expression_text(self.having)}")
        if self.order:
            parts.append(f"ORDER BY {_ordered_text(self.order)}")
        if self.limit is not None:
            parts.append(f"LIMIT {self.limit}")
        if self.offset:
            parts.append(f"OFFSET {self.offset}")
        if self.whole:
            parts.append("IN ALL")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Query:
    """A question: rows of ``source`` that pass ``where``, in groups, and aggregates by their names.

    ``derived`` are columns computed row by row; ``after`` is done with what was released.
    """

    where: tuple[Node, ...] = ()
    derived: tuple[tuple[str, Node], ...] = ()
    keys: tuple[GroupKey, ...] = ()
    outputs: tuple[tuple[str, Aggregate], ...] = ()
    source: Relation = THE_TABLE
    after: PostProcessing = PostProcessing()
    caps: tuple[tuple[str, int], ...] = ()
    """Lower caps than those of the table, by their names."""
    arranged: Arrangement | None = None
    """How its groups are measured together, if they are."""
    front: Front = field(default=Front.PYTHON, compare=False, repr=False)
    """What it was written in, and is refused in."""
    written: str = field(default="", compare=False, repr=False)
    """The SQL as it was typed, for people to read: it decides nothing."""

    @property
    def condition(self) -> str:
        """The conditions on rows."""
        return " AND ".join(f"({expression_text(one)})" for one in self.where)

    @property
    def text(self) -> str:
        """The question on one line, for people, certificates and the ledger.

        >>> from discreet.measures.registry import ROWS
        >>> Query(outputs=(("n", Aggregate(ROWS)),)).text
        'n = rows()'
        """
        parts = [f"{quoted_name(name)} = {output.text}" for name, output in self.outputs]
        text = ", ".join(parts)
        if self.source.text:
            text += f" FROM {self.source.text}"
        if self.where:
            text += f" WHERE {self.condition}"
        if self.keys:
            text += " GROUP BY " + ", ".join(key.text for key in self.keys)
        text += self._arrangement
        if self.caps:
            text += " CAPPED BY " + ", ".join(f"{name} = {cap}" for name, cap in self.caps)
        after = self.after.text
        return f"{text} {after}" if after else text

    @property
    def _arrangement(self) -> str:
        names = [quoted_name(key.name) for key in self.keys]
        match self.arranged:
            case GroupingSets(sets, weights):
                tables = [f"({', '.join(names[place] for place in keys)})" for keys in sets]
                if weights:
                    stated = zip(tables, weights, strict=True)
                    tables = [f"{table} WEIGHT {weight}" for table, weight in stated]
                return f" IN GROUPING SETS ({', '.join(tables)})"
            case RunningTotal(key, by_group):
                apart = f" BUT {', '.join(map(quoted_name, by_group))}" if by_group else ""
                return f" ADDED UP BY {names[key]}{apart}"
        return ""
