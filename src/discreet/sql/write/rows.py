"""The rows that a question is about, as SQL: joined, filtered, keyed, with measured values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from sqlglot import exp

from discreet.measures import registry as statistics
from discreet.measures.measure import Steps
from discreet.plan.expressions import Named, Node, walk
from discreet.plan.schema import Column, Schema
from discreet.question.check import Question
from discreet.question.groupings import (
    BinGrouping,
    BooleanGrouping,
    Grouping,
    IntegerGrouping,
    ListedGrouping,
    PrivateGrouping,
)
from discreet.question.query import (
    Lookup,
    Pair,
    PerPerson,
    Relation,
    Scan,
    Selected,
    Summary,
    declared_unit,
    origin,
    prefixed,
    relations_in,
)
from discreet.sql.write.expressions import (
    CELL,
    MAYBE_NAN,
    UNIT,
    aliased,
    clipped_sql,
    column_name,
    expression_sql,
    float_constant,
    integer_constant,
    is_float,
    is_not_null,
    narrow_integer,
    plain_zero,
    read_column,
    row_hash,
    select_columns,
    steps_sql,
    subquery,
    table_reference,
)

_OTHER_UNIT = "other_unit"
Names = dict[str, str]
"""What each column is called inside a query."""
_ONE = exp.Alias(this=exp.Literal.number(1), alias=exp.to_identifier("one"))
Cells = Sequence[tuple[str, ...]] | None
"""The groups that were found or chosen privately, in order; of a public key, the places."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The dialect of an engine: the constructs that engines write differently.

    ``enumerated``: texts are placed in a list by a type of their own, not by a join.
    ``windowed``: a person's rows are counted by a window over the rows themselves.  Otherwise they
    are put aside, counted, and joined with the counts; an engine that puts nothing aside would read
    the table twice for that.
    """

    enumerated: bool
    windowed: bool


DUCKDB = Dialect(enumerated=True, windowed=False)
POSTGRES = Dialect(enumerated=False, windowed=False)
SPARK = Dialect(enumerated=False, windowed=True)


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


def source_rows(source: Relation, schema: Schema, wanted: Names, number: int = 0) -> exp.Select:
    """The wanted columns of a relation's rows, and whose each is where that matters.

    A join puts its sides aside under names of its own, numbered from ``number`` on: some engines
    are given all that is put aside in one list.
    """
    match source:
        case Scan(table):
            columns = schema.columns if table is None else schema.private[table].columns
            return _scanned(table_name(table, schema), columns, wanted, _unit_of(table, schema))
        case Selected():
            return _selected(source, schema, wanted, number)
        case Lookup():
            return _looked_up(source, schema, wanted, number)
        case Pair():
            return _paired(source, schema, wanted, number)
        case PerPerson():
            return _per_person(source, schema, wanted, number)


def _unit_of(table: str | None, schema: Schema) -> str | None:
    return declared_unit(table, schema) if schema.by_person else None


def _unit_columns(schema: Schema) -> list[exp.Expr]:
    return [column_name(UNIT)] if schema.by_person else []


def _scanned(
    table: str, columns: Mapping[str, Column], wanted: Names, unit: str | None
) -> exp.Select:
    columns_sql = [
        aliased(read_column(column_name(name), columns[name]), short)
        for name, short in wanted.items()
    ]
    if unit is not None:
        columns_sql.append(aliased(column_name(unit), UNIT))
    return _some(columns_sql).from_(table_reference(table), copy=False)


def _selected(source: Selected, schema: Schema, wanted: Names, number: int) -> exp.Select:
    nodes = {name: node for name, node in source.columns if name in wanted}
    names = _inner_names([*nodes.values(), *source.where], source.inner, schema)
    shown = [
        *_unit_columns(schema),
        *(aliased(expression_sql(nodes[n], names), s) for n, s in wanted.items()),
    ]
    query = _from(source_rows(source.inner, schema, names, number), shown)
    return query.where(*(expression_sql(one, names) for one in source.where), copy=False)


def _looked_up(source: Lookup, schema: Schema, wanted: Names, number: int) -> exp.Select:
    public = schema.public[source.table].columns
    own = origin(source.inner, schema).columns
    left = {prefixed(source.left, name): name for name in own}
    right = {prefixed(source.right, name): name for name in public}
    keys = _used(node for node, _ in source.on)
    names = short_names(keys | {left[one] for one in wanted if one in left}, own)
    others = {right[one] for one in wanted if one in right} | {name for _, name in source.on}
    lookup_names = short_names(others, public, "r")
    query = _from(
        source_rows(source.inner, schema, names, number),
        [
            *_unit_columns(schema),
            *_renamed(wanted, left, names),
            *_renamed(wanted, right, lookup_names),
        ],
    )
    lookup = _scanned(table_name(source.table, schema), public, lookup_names, None)
    others_on = [expression_sql(Named(name), lookup_names) for _, name in source.on]
    lookup = _partners(lookup, others_on, lookup_names, source.partners)
    same: list[exp.Expr] = [
        exp.EQ(this=expression_sql(node, names), expression=other.copy())
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
    ranked = _from(lookup, [*columns, aliased(place, "place")])
    few = exp.LTE(this=column_name("place"), expression=integer_constant(most))
    return _from(ranked, [one.copy() for one in columns]).where(few, copy=False)


def _paired(source: Pair, schema: Schema, wanted: Names, number: int) -> exp.Select:
    first, second = origin(source.first, schema), origin(source.second, schema)
    left = {prefixed(source.left, name): name for name in first.columns}
    right = {prefixed(source.right, name): name for name in second.columns}
    names = short_names(
        {left[one] for one in wanted if one in left} | {one for one, _ in source.on}, first.columns
    )
    right_names = short_names(
        {right[one] for one in wanted if one in right} | {two for _, two in source.on},
        second.columns,
        "r",
    )
    inside = number + 1
    beside = inside + sum(isinstance(part, Pair) for part in relations_in(source.first))
    one: exp.Query = source_rows(source.first, schema, names, inside)
    two: exp.Query = source_rows(source.second, schema, right_names, beside)
    put_aside: dict[str, exp.Select] = {}
    if source.pairs is not None:
        ones, twos, many = (f"{name}_{number}" for name in ("first", "second", "many"))
        put_aside = {
            ones: _owned(one, names),
            twos: _owned(two, right_names),
            many: _many(ones, twos, source.pairs),
        }
        one, two = _few(ones, many, "kept", names), _few(twos, many, "other_kept", right_names)
    whose = aliased(column_name(UNIT), _OTHER_UNIT)
    two = _from(two, [whose, *map(column_name, right_names.values())])
    query = _from(
        one,
        [
            *_unit_columns(schema),
            *_renamed(wanted, left, names),
            *_renamed(wanted, right, right_names),
        ],
    )
    same = [_same_unit()]
    same += [
        exp.EQ(
            this=expression_sql(Named(a), names), expression=expression_sql(Named(b), right_names)
        )
        for a, b in source.on
    ]
    query = _joined(query, two, same, keep=source.keep)
    for name, body in put_aside.items():
        query = query.with_(exp.to_identifier(name), body, copy=False)
    return query


def _owned(query: exp.Query, names: Names) -> exp.Select:
    """Rows that are somebody's."""
    owned = _from(query, [column_name(UNIT), *map(column_name, names.values())])
    return owned.where(is_not_null(column_name(UNIT)), copy=False)


def _many(ones: str, twos: str, most: int) -> exp.Select:
    """Whose rows make more pairs than the most, and how many of either side are kept.

    Of n rows that meet m others, the larger of the root of the most and of most // m are kept, so
    that at most that many pairs are made (docs/proofs/shares.md).
    """
    here, there = _counted(ones, UNIT, "held"), _counted(twos, _OTHER_UNIT, "other_held")
    kept = [
        aliased(_kept_beside(most, "other_held"), "kept"),
        aliased(_kept_beside(most, "held"), "other_kept"),
    ]
    query = _joined(_from(here, [column_name(_OTHER_UNIT), *kept]), there, [_same_unit()])
    more = exp.GT(this=column_name("held"), expression=_quotient(most, "other_held"))
    return query.where(more, copy=False)


def _counted(rows: str, unit: str, held: str) -> exp.Select:
    """How many rows each person has."""
    number = aliased(exp.Count(this=exp.Star()), held)
    query = _from_table(rows, [aliased(column_name(UNIT), unit), number])
    return query.group_by(column_name(UNIT), copy=False)


def _kept_beside(most: int, others: str) -> exp.Expr:
    """The larger of two whole numbers, neither of which is missing."""
    root = exp.Literal.number(isqrt(most))
    return exp.Greatest(this=_quotient(most, others), expressions=[root])


def _quotient(most: int, others: str) -> exp.Expr:
    return exp.IntDiv(this=exp.Literal.number(most), expression=column_name(others))


def _same_unit() -> exp.Expr:
    return exp.EQ(this=column_name(UNIT), expression=column_name(_OTHER_UNIT))


def _per_person(source: PerPerson, schema: Schema, wanted: Names, number: int) -> exp.Select:
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
    selected: list[exp.Expr] = [column_name(UNIT)]
    selected += [aliased(expression_sql(node, names), places[name]) for name, node in keys.items()]
    selected += [
        aliased(part, values[name])
        for name, one in summaries.items()
        if (part := _row_part(one, names)) is not None
    ]
    rows = _from(source_rows(source.inner, schema, names, number), selected)
    conditions = [expression_sql(one, names) for one in source.where]
    rows = rows.where(*conditions, is_not_null(column_name(UNIT)), copy=False)
    columns: list[exp.Expr] = [column_name(UNIT)]
    for name, short in wanted.items():
        if name in keys:
            columns.append(aliased(column_name(places[name]), short))
        else:
            columns.append(aliased(_summed(summaries[name], values[name]), short))
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
        return expression_sql(value, names)
    above = steps_sql(value, names)
    low = value.range.low
    return exp.Add(this=exp.paren(above), expression=integer_constant(low)) if low else above


def _summed(summary: Summary, name: str) -> exp.Expr:
    """What a person's rows come to, as a float between the bounds."""
    column = column_name(name)
    aggregate: exp.Expr
    match summary.statistic:
        case statistics.ROWS:
            aggregate = _float(exp.Count(this=exp.Star()))
        case statistics.COUNT:
            aggregate = _float(exp.Count(this=column))
        case statistics.DISTINCT:
            aggregate = _float(exp.Count(this=exp.Distinct(expressions=[column])))
        case statistics.MIN:
            aggregate = exp.Min(this=column)
        case statistics.MAX:
            aggregate = exp.Max(this=column)
        case _:
            aggregate = _total(summary, column)
    if summary.low is None or summary.high is None:
        return aggregate
    return clipped_sql(aggregate, float_constant(summary.low), float_constant(summary.high))


def _total(summary: Summary, column: exp.Expr) -> exp.Expr:
    if not isinstance(summary.value, Steps):
        raise TypeError("only grid steps are summed")
    step = float_constant(Fraction(2) ** summary.value.range.grid.exponent)
    total: exp.Expr = exp.Mul(this=_float(exp.Sum(this=column)), expression=step)
    if summary.statistic is statistics.MEAN:
        total = exp.Div(this=exp.paren(total), expression=_float(exp.Count(this=column.copy())))
    return total


def _few(rows: str, many: str, kept: str, names: Names) -> exp.Query:
    """The rows of people with few pairs, and of the others the first by a hash of the row."""
    shown = [UNIT, *names.values()]
    few = _from_table(rows, [*map(column_name, shown)])
    few = few.join(many, on=_same_unit(), join_type="left", copy=False)
    nobody = exp.Is(this=column_name(_OTHER_UNIT), expression=exp.Null())
    place = aliased(_hashed_place(names), "place")
    ranked = _from_table(rows, [*map(column_name, [*shown, kept]), place])
    ranked = ranked.join(many, on=_same_unit(), copy=False)
    first = exp.LTE(this=column_name("place"), expression=column_name(kept))
    return exp.union(
        few.where(nobody, copy=False),
        _from(ranked, [*map(column_name, shown)]).where(first, copy=False),
        distinct=False,
        copy=False,
    )


def _hashed_place(names: Names) -> exp.Window:
    """The place of a row among its person's, by a hash of the row and then by its columns."""
    texts: list[exp.Expr] = [exp.cast(column_name(UNIT), "TEXT")]
    for name, short in names.items():
        value = expression_sql(Named(name), names)
        if short.startswith(MAYBE_NAN):
            value = plain_zero(value)
        empty = exp.Literal.string("")
        texts.append(exp.Coalesce(this=exp.cast(value, "TEXT"), expressions=[empty]))
    order = exp.Order(expressions=[row_hash(texts), *map(column_name, names.values())])
    return exp.Window(this=exp.RowNumber(), partition_by=[column_name(UNIT)], order=order)


def _inner_names(nodes: Iterable[Node], inner: Relation, schema: Schema) -> Names:
    return short_names(_used(nodes), origin(inner, schema).columns)


def _used(nodes: Iterable[Node]) -> set[str]:
    return {one.name for node in nodes for one in walk(node) if isinstance(one, Named)}


def _renamed(wanted: Names, own: Mapping[str, str], names: Names) -> list[exp.Expr]:
    return [
        aliased(column_name(names[own[name]]), short)
        for name, short in wanted.items()
        if name in own
    ]


def _from(query: exp.Query, columns: list[exp.Expr]) -> exp.Select:
    return _some(columns).from_(subquery(query, "inner_rows"), copy=False)


def _from_table(name: str, columns: list[exp.Expr]) -> exp.Select:
    return _some(columns).from_(table_reference(name), copy=False)


def _some(columns: list[exp.Expr]) -> exp.Select:
    """SELECT of columns: it needs one even where nothing but the number of rows is asked."""
    one = exp.Alias(this=exp.Literal.number(1), alias=exp.to_identifier("one"))
    return select_columns(*(columns or [one]))


def _joined(
    query: exp.Select, other: exp.Query, same: list[exp.Expr], *, keep: bool = False
) -> exp.Select:
    return query.join(
        subquery(other, "other_rows"),
        on=exp.and_(*same, copy=False),
        join_type="left" if keep else "inner",
        copy=False,
    )


def _float(value: exp.Expr) -> exp.Expr:
    return exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.DOUBLE))


def query_names(question: Question) -> dict[str, str]:
    """What each column that is used is called inside the query."""
    return short_names(question.used, question.schema.columns)


def named_rows(question: Question) -> exp.Select:
    """Every row of what a question asks about, with all the columns that it names."""
    return source_rows(question.source, question.declared, query_names(question))


def kept_rows(
    question: Question, parts: dict[str, exp.Expr], *, ungrouped: bool = False
) -> exp.Select:
    """The rows that are asked about: unit and parts; rows without a unit or a key are dropped.

    With ``ungrouped``, rows without a key stay, with NULL for it.
    """
    names, schema = query_names(question), question.schema
    shown = [*_unit(question), *(aliased(part, name) for name, part in parts.items())]
    inner = named_rows(question)
    # A query needs a column even where nothing but the number of rows is asked.
    outer = select_columns(*(shown or [_ONE.copy()])).from_(subquery(inner, "read"), copy=False)
    conditions = [expression_sql(condition, names) for condition in question.remaining]
    if schema.by_person:
        conditions.append(is_not_null(column_name(UNIT)))
    outer = outer.where(*conditions, copy=False)
    keys = [name for name in parts if name.startswith("k")]
    if not keys or ungrouped:
        return outer
    kept = select_columns(*_unit(question), *map(column_name, parts))
    kept = kept.from_(subquery(outer, "coded"), copy=False)
    return kept.where(*(is_not_null(column_name(name)) for name in keys), copy=False)


def grouped_rows(
    question: Question,
    cells: Cells,
    values: dict[str, exp.Expr],
    forms: Dialect,
    *,
    ungrouped: bool = False,
    apart: bool = False,
) -> exp.Select:
    """unit, cell and values of every row that is asked about and in a group.

    With ``ungrouped``, there may also be rows in no group, whose cell is NULL.  With ``apart``, the
    place of a row in each key stands beside its cell, as p0, p1 and so on; the cell is 0.
    """
    names = query_names(question)
    if not question.keys:
        return kept_rows(question, {CELL: exp.Literal.number(0), **values})
    if cells is not None and question.selects_keys:
        return _selected_rows(question, cells, values, forms)
    if cells is not None:
        return _chosen_rows(question, cells, values, forms)
    codes: dict[str, exp.Expr] = {}
    joins: list[tuple[exp.Expr, exp.Expr]] = []
    cell: exp.Expr | None = None
    places: list[exp.Expr] = []
    for place, (_, grouping) in enumerate(question.keys):
        if isinstance(grouping, PrivateGrouping):
            raise TypeError("unlisted keys are selected before rows are grouped by them")
        key = column_name(f"k{place}")
        if isinstance(grouping, ListedGrouping) and not (_worded(grouping) and forms.enumerated):
            codes[f"k{place}"] = expression_sql(grouping.node, names)
            same = exp.EQ(this=key, expression=column_name(f"l{place}_value"))
            joins.append((_lookup(grouping, f"l{place}"), same))
            key = column_name(f"l{place}_code")
        else:
            codes[f"k{place}"] = _code(grouping, names, forms)
        code = narrow_integer(key)
        places.append(code)
        if cell is not None and not apart:
            shifted = exp.Mul(this=exp.paren(cell), expression=integer_constant(grouping.size))
            code = exp.Add(this=shifted, expression=code)
        cell = code
    if cell is None:
        raise TypeError("there are keys")
    if apart:
        inside = exp.and_(*map(is_not_null, places), copy=False)
        cell = exp.Case().when(inside, integer_constant(0), copy=False)
    elif question.schema.by_person:  # the rows are put aside, so that their size counts
        cell = narrow_integer(cell, question.cells or 0)
    inner = kept_rows(question, {**codes, **values}, ungrouped=ungrouped)
    query = select_columns(*_unit(question), aliased(cell, CELL), *map(column_name, values))
    if apart:
        named = [aliased(code.copy(), f"p{place}") for place, code in enumerate(places)]
        query = query.select(*named, copy=False)
    query = query.from_(subquery(inner, "keyed"), copy=False)
    for lookup, found in joins:
        query = query.join(lookup, on=found, copy=False)
    return query


def _chosen_rows(
    question: Question,
    cells: Sequence[tuple[str, ...]],
    values: dict[str, exp.Expr],
    forms: Dialect,
) -> exp.Select:
    """The rows of some of the public groups, by their places among those."""
    sizes = [one.size for _, one in question.keys if not isinstance(one, PrivateGrouping)]
    places = []
    for place, codes in enumerate(cells):
        cell = 0
        for size, code in zip(sizes, codes, strict=True):
            cell = cell * size + int(code)
        places.append((integer_constant(cell), integer_constant(place)))
    inner = grouped_rows(question, None, values, forms)
    place_sql = narrow_integer(column_name("place"), len(cells))
    query = select_columns(
        *_unit(question), aliased(place_sql, CELL), *map(column_name, values)
    ).from_(subquery(inner, "grouped"), copy=False)
    same = exp.EQ(this=column_name(CELL), expression=column_name("chosen"))
    return query.join(_table(places, ["chosen", "place"]), on=same, copy=False)


def _selected_rows(
    question: Question,
    cells: Sequence[tuple[str, ...]],
    values: dict[str, exp.Expr],
    forms: Dialect,
) -> exp.Select:
    names = query_names(question)
    keys = {f"k{place}": label(one, names, forms) for place, (_, one) in enumerate(question.keys)}
    cell = column_name(CELL)
    placed = len(keys) == 1 and forms.enumerated
    if placed:
        keys = {"k0": narrow_integer(_position(keys["k0"], [text for (text,) in cells]))}
        cell = column_name("k0")
    query = select_columns(*_unit(question), aliased(cell, CELL), *map(column_name, values))
    inner = kept_rows(question, {**keys, **values})
    query = query.from_(subquery(inner, "keyed"), copy=False)
    if placed:
        return query
    groups = [
        (*map(exp.Literal.string, cell), integer_constant(place))
        for place, cell in enumerate(cells)
    ]
    table = _table(groups, [*(f"g{place}" for place in range(len(keys))), CELL])
    conditions = [
        exp.EQ(this=column_name(key), expression=column_name(f"g{place}"))
        for place, key in enumerate(keys)
    ]
    return query.join(table, on=exp.and_(*conditions, copy=False), copy=False)


def _unit(question: Question) -> list[exp.Expr]:
    return [column_name(UNIT)] if question.schema.by_person else []


def _worded(grouping: ListedGrouping) -> bool:
    """Whether the public keys are texts."""
    return all(isinstance(value, str) for value in grouping.values)


def _position(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """The place of a text in a list of texts, or NULL.

    The list is a type, not a table to join: the engine then looks each stored text up once per
    dictionary, and still knows the least and the largest of the other columns.  It is written
    as text, since a tree of thousands of words takes long to write.
    """
    quoted = ", ".join(["'" + text.replace("'", "''") + "'" for text in texts])
    words = exp.DataType(this=exp.DataType.Type.ENUM, expressions=[exp.Var(this=quoted)])
    return exp.Anonymous(this="ENUM_CODE", expressions=[exp.TryCast(this=value, to=words)])


def _lookup(grouping: ListedGrouping, name: str) -> exp.Expr:
    """A table of public values and their places."""
    values = [
        (_constant(value), integer_constant(place)) for place, value in enumerate(grouping.values)
    ]
    return _table(values, [f"{name}_value", f"{name}_code"])


def _constant(value: str | int | float) -> exp.Expr:
    """A public key as it is compared with the column."""
    return exp.Literal.string(value) if isinstance(value, str) else float_constant(Fraction(value))


def _table(rows: Iterable[Sequence[exp.Expr]], columns: list[str]) -> exp.Expr:
    values = exp.Values(expressions=[exp.Tuple(expressions=list(row)) for row in rows])
    alias = exp.TableAlias(
        this=exp.to_identifier(f"t_{columns[0]}"),
        columns=[exp.to_identifier(column) for column in columns],
    )
    values.set("alias", alias)
    return values


def _code(
    grouping: ListedGrouping | BooleanGrouping | IntegerGrouping | BinGrouping,
    names: dict[str, str],
    forms: Dialect,
) -> exp.Expr:
    """The place of a row's group, or NULL."""
    value = expression_sql(grouping.node, names)
    if isinstance(grouping, ListedGrouping):
        return _listed(value, grouping, forms)
    case = exp.Case()
    if isinstance(grouping, BooleanGrouping):
        for truth in sorted(grouping.values, reverse=True):
            same = value.copy() if truth else exp.Not(this=exp.paren(value.copy()))
            place = grouping.values.index(truth)
            case = case.when(same, integer_constant(place), copy=False)
        return case
    if isinstance(grouping, IntegerGrouping):
        low, high = float_constant(Fraction(grouping.low)), float_constant(Fraction(grouping.high))
        above = exp.Sub(this=exp.paren(value.copy()), expression=low.copy())
        # Beyond 2^53 the ends are not floats: a place is one of the groups' all the same.
        last = float_constant(Fraction(grouping.high - grouping.low))
        inside = exp.and_(
            exp.GTE(this=value, expression=low),
            exp.LTE(this=value.copy(), expression=high),
            exp.LTE(this=above.copy(), expression=last),
            exp.EQ(this=exp.Floor(this=value.copy()), expression=value.copy()),
            copy=False,
        )
        steps = exp.TryCast(this=above, to=exp.DataType(this=exp.DataType.Type.BIGINT))
        return case.when(inside, steps, copy=False)
    for place, (lower, upper, closed) in enumerate(grouping.bins):
        below = exp.LTE if closed else exp.LT
        inside = exp.and_(
            exp.GTE(this=value.copy(), expression=float_constant(lower)),
            below(this=value.copy(), expression=float_constant(upper)),
            copy=False,
        )
        case = case.when(inside, integer_constant(place), copy=False)
    return case


def _listed(value: exp.Expr, grouping: ListedGrouping, forms: Dialect) -> exp.Expr:
    if _worded(grouping) and forms.enumerated:
        return _position(value, [str(one) for one in grouping.values])
    case = exp.Case()
    for place, one in enumerate(grouping.values):
        same = exp.EQ(this=value.copy(), expression=_constant(one))
        case = case.when(same, integer_constant(place), copy=False)
    return case


def label(grouping: Grouping, names: dict[str, str], forms: Dialect) -> exp.Expr:
    """A row's group as text: its own, or the place of a public one."""
    if isinstance(grouping, PrivateGrouping):
        return expression_sql(grouping.node, names)
    return exp.cast(_code(grouping, names, forms), "TEXT")
