"""A relation ▶ SQL: whose row it is, and the columns that are wanted, under short names.

What is summed up for a person is summed in whole grid steps, so that neither the order of rows nor
the number of threads shows.  Of each side of a join a person keeps the cap's worth of rows, chosen
by a hash of the row itself: a fixed rule about that person's own rows.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from sqlglot import exp

from discreet.measures import table as statistics
from discreet.measures.steps import Steps
from discreet.plan.columns import Column
from discreet.plan.expressions import Named, Node, walk
from discreet.plan.schema import Schema
from discreet.question.origin import declared_unit, origin
from discreet.question.relations import (
    Lookup,
    Pair,
    PerPerson,
    Relation,
    Scan,
    Selected,
    Summary,
    prefixed,
)
from discreet.sql.expressions import (
    MAYBE_NAN,
    clipped,
    column_name,
    expression,
    given,
    integer,
    is_float,
    plain_zero,
    read_column,
    steps,
)
from discreet.sql.shape import UNIT, called, chosen, hashed, number, relation, within

_OTHER_UNIT = "other_unit"

Names = dict[str, str]
"""What each column is called inside a query."""


def short_names(names: Iterable[str], columns: Mapping[str, Column], side: str = "") -> Names:
    """A short name for every column; it says whether its values may be NaN."""
    return {
        name: f"{MAYBE_NAN if is_float(columns[name]) else 'c'}{side}{place}"
        for place, name in enumerate(sorted(names))
    }


def table_name(table: str | None, schema: Schema) -> str:
    """What a private or public table is called in an engine."""
    if table is None:
        return "source"
    for kind, tables in (("private", schema.private), ("public", schema.public)):
        if table in tables:
            return f"{kind}_{list(tables).index(table)}"
    raise KeyError(table)


def source_rows(source: Relation, schema: Schema, wanted: Names) -> exp.Select:
    """The wanted columns of a relation's rows, and whose each is where that matters."""
    match source:
        case Scan(table):
            columns = schema.columns if table is None else schema.private[table].columns
            return _scanned(table_name(table, schema), columns, wanted, _unit_of(table, schema))
        case Selected():
            return _selected(source, schema, wanted)
        case Lookup():
            return _looked_up(source, schema, wanted)
        case Pair():
            return _paired(source, schema, wanted)
        case PerPerson():
            return _per_person(source, schema, wanted)


def _unit_of(table: str | None, schema: Schema) -> str | None:
    return declared_unit(table, schema) if schema.by_person else None


def _unit(schema: Schema) -> list[exp.Expr]:
    return [column_name(UNIT)] if schema.by_person else []


def _scanned(
    table: str, columns: Mapping[str, Column], wanted: Names, unit: str | None
) -> exp.Select:
    read = [
        called(read_column(column_name(name), columns[name]), short)
        for name, short in wanted.items()
    ]
    if unit is not None:
        read.append(called(column_name(unit), UNIT))
    return _some(read).from_(relation(table), copy=False)


def _selected(source: Selected, schema: Schema, wanted: Names) -> exp.Select:
    nodes = {name: node for name, node in source.columns if name in wanted}
    names = _inner_names([*nodes.values(), *source.where], source.inner, schema)
    shown = [*_unit(schema), *(called(expression(nodes[n], names), s) for n, s in wanted.items())]
    query = _from(source_rows(source.inner, schema, names), shown)
    return query.where(*(expression(one, names) for one in source.where), copy=False)


def _looked_up(source: Lookup, schema: Schema, wanted: Names) -> exp.Select:
    public = schema.public[source.table].columns
    own = origin(source.inner, schema).columns
    left = {prefixed(source.left, name): name for name in own}
    right = {prefixed(source.right, name): name for name in public}
    keys = _used(node for node, _ in source.on)
    names = short_names(keys | {left[one] for one in wanted if one in left}, own)
    others = {right[one] for one in wanted if one in right} | {name for _, name in source.on}
    found = short_names(others, public, "r")
    query = _from(
        source_rows(source.inner, schema, names),
        [*_unit(schema), *_renamed(wanted, left, names), *_renamed(wanted, right, found)],
    )
    lookup = _scanned(table_name(source.table, schema), public, found, None)
    others_on = [expression(Named(name), found) for _, name in source.on]
    lookup = _partners(lookup, others_on, found, source.partners)
    same: list[exp.Expr] = [
        exp.EQ(this=expression(node, names), expression=other.copy())
        for (node, _), other in zip(source.on, others_on, strict=True)
    ]
    return _joined(query, lookup, same, keep=source.keep)


def _partners(lookup: exp.Select, keys: list[exp.Expr], found: Names, most: int) -> exp.Select:
    """Of the public rows with the same keys no more than were seen when the table was opened.

    A row that is the unit finds one, and counts once, whatever.  That is made sure of here, for the
    values as they are compared and for the rows as they are now.
    """
    columns = [column_name(short) for short in found.values()]
    order = exp.Order(expressions=[one.copy() for one in columns])
    same = [key.copy() for key in keys]
    place = exp.Window(this=exp.RowNumber(), partition_by=same, order=order)
    ranked = _from(lookup, [*columns, called(place, "place")])
    few = exp.LTE(this=column_name("place"), expression=integer(most))
    return _from(ranked, [one.copy() for one in columns]).where(few, copy=False)


def _paired(source: Pair, schema: Schema, wanted: Names) -> exp.Select:
    first, second = origin(source.first, schema), origin(source.second, schema)
    left = {prefixed(source.left, name): name for name in first.columns}
    right = {prefixed(source.right, name): name for name in second.columns}
    names = short_names(
        {left[one] for one in wanted if one in left} | {one for one, _ in source.on}, first.columns
    )
    found = short_names(
        {right[one] for one in wanted if one in right} | {two for _, two in source.on},
        second.columns,
        "r",
    )
    one = source_rows(source.first, schema, names)
    two = source_rows(source.second, schema, found)
    if first.exceeds:
        one = _few(one, names, first.limit)
    if second.exceeds:
        two = _few(two, found, second.limit)
    whose = called(column_name(UNIT), _OTHER_UNIT)
    two = _from(two, [whose, *map(column_name, found.values())])
    query = _from(
        one, [*_unit(schema), *_renamed(wanted, left, names), *_renamed(wanted, right, found)]
    )
    same: list[exp.Expr] = [exp.EQ(this=column_name(UNIT), expression=column_name(_OTHER_UNIT))]
    same += [
        exp.EQ(this=expression(Named(a), names), expression=expression(Named(b), found))
        for a, b in source.on
    ]
    return _joined(query, two, same, keep=source.keep)


def _per_person(source: PerPerson, schema: Schema, wanted: Names) -> exp.Select:
    keys = dict(source.keys)
    summaries = {
        name: summary
        for (name, _), summary in zip(source.columns, source.summaries, strict=True)
        if name in wanted
    }
    operands = [_operand(one) for one in summaries.values()]
    nodes = [*keys.values(), *(node for node in operands if node is not None), *source.where]
    names = _inner_names(nodes, source.inner, schema)
    places = {name: f"k{place}" for place, name in enumerate(keys)}
    values = {name: f"v{place}" for place, name in enumerate(summaries)}
    shown: list[exp.Expr] = [column_name(UNIT)]
    shown += [called(expression(node, names), places[name]) for name, node in keys.items()]
    shown += [
        called(part, values[name])
        for name, one in summaries.items()
        if (part := _row_part(one, names)) is not None
    ]
    rows = _from(source_rows(source.inner, schema, names), shown)
    conditions = [expression(one, names) for one in source.where]
    rows = rows.where(*conditions, given(column_name(UNIT)), copy=False)
    columns: list[exp.Expr] = [column_name(UNIT)]
    for name, short in wanted.items():
        if name in keys:
            columns.append(called(column_name(places[name]), short))
        else:
            columns.append(called(_summed(summaries[name], values[name]), short))
    query = _from(rows, columns)
    return query.group_by(column_name(UNIT), *map(column_name, places.values()), copy=False)


def _operand(summary: Summary) -> Node | None:
    return summary.value.node if isinstance(summary.value, Steps) else summary.value


def _row_part(summary: Summary, names: Names) -> exp.Expr | None:
    """What one row adds: grid steps from zero where it is summed, else its value."""
    value = summary.value
    if value is None:
        return None
    if not isinstance(value, Steps):
        return expression(value, names)
    above = steps(value, names)
    low = value.range.low
    return exp.Add(this=exp.paren(above), expression=integer(low)) if low else above


def _summed(summary: Summary, name: str) -> exp.Expr:
    """What a person's rows come to, as a float between the bounds."""
    column = column_name(name)
    found: exp.Expr
    match summary.statistic:
        case statistics.ROWS:
            found = _float(exp.Count(this=exp.Star()))
        case statistics.COUNT:
            found = _float(exp.Count(this=column))
        case statistics.DISTINCT:
            found = _float(exp.Count(this=exp.Distinct(expressions=[column])))
        case statistics.LEAST:
            found = exp.Min(this=column)
        case statistics.MOST:
            found = exp.Max(this=column)
        case _:
            found = _total(summary, column)
    if summary.low is None or summary.high is None:
        return found
    return clipped(found, number(summary.low), number(summary.high))


def _total(summary: Summary, column: exp.Expr) -> exp.Expr:
    if not isinstance(summary.value, Steps):
        raise TypeError("only grid steps are summed")
    step = number(Fraction(2) ** summary.value.range.grid.exponent)
    found: exp.Expr = exp.Mul(this=_float(exp.Sum(this=column)), expression=step)
    if summary.statistic is statistics.MEAN:
        found = exp.Div(this=exp.paren(found), expression=_float(exp.Count(this=column.copy())))
    return found


def _few(query: exp.Select, names: Names, cap: int) -> exp.Select:
    """Of each person's rows no more than the cap, by a hash of the row."""
    columns = [column_name(short) for short in names.values()]
    texts: list[exp.Expr] = [exp.cast(column_name(UNIT), "TEXT")]
    for name, short in names.items():
        value = expression(Named(name), names)
        if short.startswith(MAYBE_NAN):
            value = plain_zero(value)
        empty = exp.Literal.string("")
        texts.append(exp.Coalesce(this=exp.cast(value, "TEXT"), expressions=[empty]))
    order = exp.Order(expressions=[hashed(texts), *(one.copy() for one in columns)])
    place = exp.Window(this=exp.RowNumber(), partition_by=[column_name(UNIT)], order=order)
    ranked = _from(query, [exp.Star(), called(place, "place")])
    ranked = ranked.where(given(column_name(UNIT)), copy=False)
    kept = _from(ranked, [column_name(UNIT), *(one.copy() for one in columns)])
    return kept.where(exp.LTE(this=column_name("place"), expression=integer(cap)), copy=False)


def _inner_names(nodes: Iterable[Node], inner: Relation, schema: Schema) -> Names:
    return short_names(_used(nodes), origin(inner, schema).columns)


def _used(nodes: Iterable[Node]) -> set[str]:
    return {one.name for node in nodes for one in walk(node) if isinstance(one, Named)}


def _renamed(wanted: Names, own: Mapping[str, str], names: Names) -> list[exp.Expr]:
    return [
        called(column_name(names[own[name]]), short)
        for name, short in wanted.items()
        if name in own
    ]


def _from(query: exp.Select, columns: list[exp.Expr]) -> exp.Select:
    return _some(columns).from_(within(query, "inner_rows"), copy=False)


def _some(columns: list[exp.Expr]) -> exp.Select:
    """SELECT of columns: it needs one even where nothing but the number of rows is asked."""
    one = exp.Alias(this=exp.Literal.number(1), alias=exp.to_identifier("one"))
    return chosen(*(columns or [one]))


def _joined(
    query: exp.Select, other: exp.Select, same: list[exp.Expr], *, keep: bool
) -> exp.Select:
    return query.join(
        within(other, "other_rows"),
        on=exp.and_(*same, copy=False),
        join_type="left" if keep else "inner",
        copy=False,
    )


def _float(value: exp.Expr) -> exp.Expr:
    return exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.DOUBLE))
