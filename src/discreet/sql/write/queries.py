"""A checked question to the queries that measure it: integers per group, nothing else.

Every query reads the relation ``source``.  A person over the cap is weighed down, not cut: each
of n rows weighs floor(S·cap/max(n, cap)), so that the person's weights add up to at most S·cap
whatever the rows are; or, where the unit's weights are capped in L2, as ``Weights`` says.  That
unit is the price's, so that weights and noise have one norm.  The rows are read once, and put
aside (MATERIALIZED) or weighed by a window over them: were they read a second time to be weighed,
a file that grows in between would hold more rows than the weights allow for.  Nothing random runs
in an engine.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sqlglot import exp

from discreet.measures.counts import value_where_true
from discreet.measures.measure import (
    SHARE,
    DistinctReading,
    FirstPresent,
    Jointly,
    Measure,
    Norm,
    PeopleReading,
    PositionsReading,
    Presence,
    Steps,
    Summand,
    SumsReading,
    Unit,
    Weights,
)
from discreet.plan.types import Kind, check_expression
from discreet.question.check import Question
from discreet.sql.write.expressions import (
    CELL,
    UNIT,
    aliased,
    cast,
    column_name,
    expression_sql,
    integer_constant,
    is_not_null,
    narrow_integer,
    plain_zero,
    row_hash,
    select_columns,
    steps_sql,
    subquery,
    table_reference,
    wide_integer,
)
from discreet.sql.write.rows import (
    DUCKDB,
    Cells,
    Dialect,
    grouped_rows,
    kept_rows,
    label,
    query_names,
)

_TABLES_AT_ONCE = 200
"""So many tables of a cube are made by one query: an engine keeps all of them in memory."""
_WEIGHT = "weight"
PART_OF_PRODUCT = 1 << 26
"""By which a product is parted that does not fit in 64 bits, times a weight."""
_HELD, _TOGETHER, _QUOTIENT, _ROOT = "held", "together", "quotient", "root"


@dataclass(frozen=True, slots=True)
class SumColumns:
    """The columns of a query that hold the sums of one reading, by name."""

    present: str | None = None
    total: str | None = None
    squares: str | None = None
    parts: tuple[str, ...] = ()
    products: tuple[tuple[str, str | None], ...] = ()
    """Of each product its sum; or the sum of its multiples of 2^26, and that of what is left."""


def queries(
    question: Question, measures: Sequence[Measure], cells: Cells, forms: Dialect, unit: Unit
) -> Iterator[tuple[tuple[Measure, ...], exp.Select, tuple[SumColumns, ...]]]:
    """What to run for a question: one query for all that is summed, one for everything else.

    A cube of very many tables takes several for the same measures; each residual is measured by
    one of them (docs/proofs/cubes.md).

    ``unit`` is that of the price: the question's own, but for the norm of its weights.
    """
    if question.strategy is not None:
        tables = question.strategy.largest
        for start in range(0, len(tables), _TABLES_AT_ONCE):
            some = tables[start : start + _TABLES_AT_ONCE]
            yield (tuple(measures), *tables_query(question, measures, unit, some, forms))
        return
    together = tuple(measure for measure in measures if measure.reading.together)
    if together:
        yield (together, *sums_query(question, together, unit, cells, forms))
    for measure in measures:
        match measure.reading:
            case PeopleReading() as reading:
                yield (measure,), people_query(question, reading, unit, cells, forms), ()
            case DistinctReading() as reading:
                yield (measure,), distinct_query(question, reading, unit, cells, forms), ()
            case PositionsReading() as reading:
                yield (measure,), ranks_query(question, reading.value, unit, cells, forms), ()


def sums_query(
    question: Question,
    measures: Sequence[Measure],
    unit: Unit,
    cells: Cells = None,
    forms: Dialect = DUCKDB,
) -> tuple[exp.Select, tuple[SumColumns, ...]]:
    """cell, weight of all rows, and the sums of every measure, for each group that has rows.

    One more row may be for the rows in no group, whose cell is NULL: they have no weight among the
    person's others, and to leave them out by a filter would take longer.
    """
    names = query_names(question)
    values, sum_columns, sums = _summands(measures, unit)
    parts = _summed_parts(values, names)
    rows = grouped_rows(question, cells, parts, forms, ungrouped=True)
    every = _total(column_name(_WEIGHT)) if unit.by_person else _count()
    query = _from("measured", [aliased(_wide_cell(), CELL), aliased(every, "rows_weight"), *sums])
    if unit.by_person:
        query = _weighed(query, rows, unit.row_weights, forms)
    else:
        query = _given(query, "measured", rows)
    return query.group_by(_wide_cell(), copy=False), sum_columns


def _summands(
    measures: Sequence[Measure], unit: Unit
) -> tuple[dict[Summand, str], tuple[SumColumns, ...], list[exp.Expr]]:
    """What is read of a row by its name, the columns of each measure, and the sums themselves."""
    readings = [reading for one in measures if isinstance(reading := one.reading, SumsReading)]
    values: dict[Summand, str] = {}
    for reading in readings:
        if reading.value is not None:
            values.setdefault(reading.value, f"v{len(values)}")
    sums: list[exp.Expr] = []
    wanted: dict[Summand | None, SumColumns] = {None: SumColumns()}
    for value, name in values.items():
        own = [reading for reading in readings if reading.value == value]
        if isinstance(value, Jointly):
            products, summed = _products(name, value, weighed=unit.by_person)
            wanted[value] = SumColumns(products=products)
            sums += summed
            continue
        several = len(value.nodes) if isinstance(value, FirstPresent) else 0
        wanted[value] = SumColumns(
            f"{name}_present" if any(reading.present for reading in own) else None,
            f"{name}_total" if isinstance(value, Steps) else None,
            f"{name}_squares" if any(reading.squares for reading in own) else None,
            tuple(f"{name}_part{place}" for place in range(several)),
        )
        sums += _sums(name, wanted[value], weighed=unit.by_person)
    return values, tuple(wanted[reading.value] for reading in readings), sums


def _summed_parts(values: Mapping[Summand, str], names: dict[str, str]) -> dict[str, exp.Expr]:
    """What is read of a row, by the name that it has in the query."""
    parts: dict[str, exp.Expr] = {}
    for one, name in values.items():
        if isinstance(one, Jointly):
            parts |= {
                _of_several(name, place): steps_sql(steps, names)
                for place, steps in enumerate(one.values)
            }
        else:
            parts[name] = _value(one, names)
    return parts


def tables_query(
    question: Question,
    measures: Sequence[Measure],
    unit: Unit,
    tables: Sequence[tuple[int, ...]],
    forms: Dialect = DUCKDB,
) -> tuple[exp.Select, tuple[SumColumns, ...]]:
    """The place in each key, or NULL, the weight of all rows, and the sums of every measure.

    There is a row for each cell with rows of each of the ``tables``, which are made of one reading
    of the rows.  A row without a place in one of all keys is in none of them, so that totals agree.
    """
    names = query_names(question)
    values, wanted, sums = _summands(measures, unit)
    parts = _summed_parts(values, names)
    rows = grouped_rows(question, None, parts, forms, ungrouped=True, apart=True)
    keys = [f"p{place}" for place in range(len(question.keys))]
    every = _total(column_name(_WEIGHT)) if unit.by_person else _count()
    used = {place for one in tables for place in one}
    shown = [
        column_name(key) if place in used else aliased(exp.null(), key)
        for place, key in enumerate(keys)
    ]
    query = _from("measured", [*shown, aliased(every, "rows_weight"), *sums])
    query = query.where(is_not_null(column_name(CELL)), copy=False)
    if unit.by_person:
        query = _weighed(query, rows, unit.row_weights, forms)
    else:
        query = _given(query, "measured", rows)
    sets = [exp.Tuple(expressions=_columns(*(keys[place] for place in one))) for one in tables]
    query.set("group", exp.Group(grouping_sets=[exp.GroupingSets(expressions=sets)]))
    return query, wanted


def people_query(
    question: Question,
    people: PeopleReading,
    unit: Unit,
    cells: Cells = None,
    forms: Dialect = DUCKDB,
) -> exp.Select:
    """cell and the weight of the people in it, each of whom weighs at most the cap in all."""
    counted = (
        {}
        if people.condition is None
        else {"v0": _value(Presence(value_where_true(people.condition)), query_names(question))}
    )
    rows = grouped_rows(question, cells, counted, forms)
    pairs = _from("measured", _columns(UNIT, CELL)).distinct(copy=False)
    pairs = pairs.where(*(is_not_null(column_name(name)) for name in counted), copy=False)
    weights = unit.group_weights
    total = _count() if weights.share == 1 else _total(column_name(_WEIGHT))
    query = _from("pairs", [aliased(_wide_cell(), CELL), aliased(total, _WEIGHT)])
    query = _given(query.group_by(_wide_cell(), copy=False), "measured", rows)
    if weights.share == 1:
        return _given(query, "pairs", pairs)
    return _weighed(query, pairs, weights, forms, "pairs", alone=True)


def ranks_query(
    question: Question, value: Steps, unit: Unit, cells: Cells = None, forms: Dialect = DUCKDB
) -> exp.Select:
    """cell, step and the weight of the rows at it, in order."""
    rows = grouped_rows(question, cells, {"v0": steps_sql(value, query_names(question))}, forms)
    weight = narrow_integer(_total(column_name(_WEIGHT))) if unit.by_person else _count()
    query = _from("measured", [*_columns(CELL, "v0"), aliased(weight, _WEIGHT)])
    query = query.where(is_not_null(column_name("v0")), copy=False)
    if unit.by_person:
        query = _weighed(query, rows, unit.rank_weights, forms)
    else:
        query = _given(query, "measured", rows)
    return _ordered(_grouped(query, CELL, "v0"), CELL, "v0")


def distinct_query(
    question: Question,
    values: DistinctReading,
    unit: Unit,
    cells: Cells = None,
    forms: Dialect = DUCKDB,
) -> exp.Select:
    """cell and the number of different values in it; of each person the cap's worth counts.

    Which of a person's values count is decided by a hash of the person and the value: a fixed
    rule about that person's own rows.
    """
    node = expression_sql(values.node, query_names(question))
    if check_expression(values.node, question.schema.columns).kind is Kind.NUMBER:
        node = plain_zero(node)
    query = _from("pairs", [column_name(CELL), aliased(_count(), _WEIGHT)])
    query = _given(
        _grouped(query, CELL), "measured", grouped_rows(question, cells, {"v0": node}, forms)
    )
    if question.schema.by_person:
        held = _from("measured", _columns(UNIT, CELL, "v0")).distinct(copy=False)
        query = _given(query, "held", held.where(is_not_null(column_name("v0")), copy=False))
        query = _given(
            query, "kept", _kept("held", [CELL, "v0"], unit.row_cap, _columns(CELL, "v0"))
        )
        pairs = _from("kept", _columns(CELL, "v0"))
    else:
        pairs = _from("measured", _columns(CELL, "v0")).where(
            is_not_null(column_name("v0")), copy=False
        )
    return _given(query, "pairs", pairs.distinct(copy=False))


def keys_query(question: Question, forms: Dialect = DUCKDB, share: int | None = None) -> exp.Select:
    """Every combination of unlisted keys that occurs, and how many units hold it.

    Of a person's groups the cap's worth count, chosen by a hash of the person and the group.  With
    a share each of them adds a part of it, so that the squares add up to its square at most.
    """
    names = query_names(question)
    keys = [f"k{place}" for place in range(len(question.keys))]
    parts = {
        key: label(grouping, names, forms)
        for key, (_, grouping) in zip(keys, question.keys, strict=True)
    }
    rows = kept_rows(question, parts)
    person = question.schema.by_person
    total = _count() if share is None else narrow_integer(_total(column_name(_WEIGHT)))
    query = _from("kept" if person else "measured", [*_columns(*keys), aliased(total, _WEIGHT)])
    query = _ordered(_grouped(query, *keys), *keys)
    query = _given(query, "measured", rows)
    if person:
        held = _from("measured", _columns(UNIT, *keys)).distinct(copy=False)
        query = _given(query, "held", held)
        cap = question.unit.group_cap
        if share is None:
            return _given(query, "kept", _kept("held", keys, cap, _columns(*keys)))
        pairs = [*_columns(UNIT, *keys), aliased(integer_constant(1), CELL)]
        weights = Weights(Norm.L2, share, 1, each_group=True)
        kept = _kept("held", keys, cap, pairs)
        query = _weighed(query, kept, weights, forms, "kept", alone=True)
    return query


# ---------------------------------------------------------------------- parts of a query


def _columns(*names: str) -> list[exp.Expr]:
    return [column_name(name) for name in names]


def _from(name: str, columns: Sequence[exp.Expr]) -> exp.Select:
    return select_columns(*columns).from_(table_reference(name), copy=False)


def _given(query: exp.Select, name: str, body: exp.Select, *, once: bool = False) -> exp.Select:
    """A query that may read another one by name; ``once`` has its rows made once and kept."""
    alias = exp.TableAlias(this=exp.to_identifier(name))
    return query.with_(alias, body, materialized=once or None, copy=False)


def _grouped(query: exp.Select, *names: str) -> exp.Select:
    return query.group_by(*_columns(*names), copy=False)


def _wide_cell() -> exp.Expr:
    """The cell to group by: the engine would set up a place for every value of a narrow type."""
    return narrow_integer(column_name(CELL))


def _ordered(query: exp.Select, *names: str) -> exp.Select:
    return query.order_by(*_columns(*names), copy=False)


def _count() -> exp.Expr:
    return exp.Count(this=exp.Star())


def _weighed(
    query: exp.Select,
    rows: exp.Select,
    weights: Weights,
    forms: Dialect,
    name: str = "measured",
    *,
    alone: bool = False,
) -> exp.Select:
    """A query of rows by that name, each of which has its person's weight.

    ``alone``: of each person no two rows are in one group.
    """
    squared = weights.norm is Norm.L2 and not alone
    together = (UNIT, CELL) if weights.apart else (UNIT,)
    if forms.windowed:
        counted = _counted_beside(rows, together, squared=squared)
        return _given(query, name, _with_weight(counted, weights, exp.Star()))
    query = query.join(table_reference("shares"), using=tuple(_columns(*together)), copy=False)
    query = _given(query, name, rows, once=True)
    if weights.norm is Norm.L2:
        shares = _with_weight(_counted(name, squared=squared), weights, column_name(UNIT))
    else:
        weight = aliased(_share(weights, exp.Count(this=column_name(CELL))), _WEIGHT)
        shares = _grouped(_from(name, [*_columns(*together), weight]), *together)
    return _given(query, "shares", shares)


def _counted_beside(rows: exp.Select, counted: Sequence[str], *, squared: bool) -> exp.Select:
    """The rows, each with the number of its person's rows in groups; squared, with Σ m_g².

    ``counted`` are the columns by which rows are counted together.

    Beside each of the m rows of a group stands m: added up over all rows, that is Σ m_g².  The
    rows are brought together by person before either is counted, so that they are moved once.
    """
    number = exp.Count(this=column_name(CELL))
    if not squared:
        held = exp.Window(this=number, partition_by=_columns(*counted))
        return _beside(rows, "placed", held, _HELD)
    gathered = select_columns(exp.Star()).from_(subquery(rows, "placed"), copy=False)
    gathered.set("distribute", exp.Distribute(expressions=_columns(UNIT)))
    beside = exp.Window(this=number, partition_by=_columns(UNIT, CELL))
    rows = _beside(gathered, "gathered", beside, _TOGETHER)
    squares = exp.Window(this=exp.Sum(this=column_name(_TOGETHER)), partition_by=_columns(UNIT))
    return _beside(rows, "together", squares, _HELD)


def _counted(name: str, *, squared: bool) -> exp.Select:
    """Each person with the number of that person's rows in groups; squared, with Σ m_g²."""
    number = exp.Count(this=column_name(CELL))
    if not squared:
        return _grouped(_from(name, [column_name(UNIT), aliased(number, _HELD)]), UNIT)
    together = _from(name, [column_name(UNIT), aliased(number, _TOGETHER)])
    square = exp.Mul(this=wide_integer(column_name(_TOGETHER)), expression=column_name(_TOGETHER))
    squares = select_columns(column_name(UNIT), aliased(exp.Sum(this=square), _HELD))
    squares = squares.from_(subquery(_grouped(together, UNIT, CELL), "together"), copy=False)
    return _grouped(squares, UNIT)


def _with_weight(counted: exp.Select, weights: Weights, shown: exp.Expr) -> exp.Select:
    """What is shown of persons, or of rows, that were counted, and the weight of each.

    In L2 it is the whole root of a quotient of at most share² = 2^60: the root of the nearest
    float, as a whole number, is within 1 of it, and comparing squares finds it.
    """
    held = column_name(_HELD)
    if weights.norm is Norm.L1:
        return _beside(counted, "counted", _share(weights, held), _WEIGHT, shown)
    whole = wide_integer(exp.Literal.number(weights.share**2 * weights.cap))
    quotient = exp.IntDiv(this=whole, expression=_larger(held, weights.cap))
    divided = _beside(counted, "counted", narrow_integer(quotient), _QUOTIENT)
    return _beside(_rooted(divided), "rooted", _whole_root(weights.share), _WEIGHT, shown)


def _rooted(divided: exp.Select) -> exp.Select:
    """Quotients with the root of each, as a float has it and rounded in the engine's own way."""
    root = exp.Sqrt(this=cast(column_name(_QUOTIENT), exp.DataType.Type.DOUBLE))
    return _beside(divided, "divided", narrow_integer(root), _ROOT)


def _whole_root(most: int) -> exp.Expr:
    """The largest whole number whose square is at most the quotient, from one within 1 of it."""
    root, quotient, one = column_name(_ROOT), column_name(_QUOTIENT), integer_constant(1)
    below = exp.Sub(this=root, expression=one)
    above = exp.Add(this=root.copy(), expression=one.copy())
    case = exp.Case().when(exp.GT(this=_square(root), expression=quotient), below, copy=False)
    fits = exp.LTE(this=_square(exp.paren(above)), expression=quotient.copy())
    whole = case.when(fits, above, copy=False).else_(root.copy(), copy=False)
    return narrow_integer(whole, most + 1)


def _square(value: exp.Expr) -> exp.Expr:
    return exp.Mul(this=value.copy(), expression=value.copy())


def _beside(
    rows: exp.Select, alias: str, value: exp.Expr, name: str, shown: exp.Expr | None = None
) -> exp.Select:
    """Rows with a value beside each; all of their columns, unless something else is shown."""
    query = select_columns(exp.Star() if shown is None else shown, aliased(value, name))
    return query.from_(subquery(rows, alias), copy=False)


def _share(weights: Weights, count: exp.Expr) -> exp.Expr:
    """floor(share·cap / max(count, cap)) in whole numbers; it is at most the share."""
    weight = exp.IntDiv(
        this=integer_constant(weights.share * weights.cap), expression=_larger(count, weights.cap)
    )
    return narrow_integer(weight, weights.share + 1)


def _larger(count: exp.Expr, cap: int) -> exp.Expr:
    larger = exp.Case().when(
        exp.GT(this=count, expression=integer_constant(cap)), count.copy(), copy=False
    )
    return exp.paren(larger.else_(integer_constant(cap), copy=False), copy=False)


def _value(value: Steps | Presence | FirstPresent, names: dict[str, str]) -> exp.Expr:
    """What is kept of a row; of several expressions, the number of the first that has a value."""
    if isinstance(value, Steps):
        return steps_sql(value, names)
    nodes = value.nodes if isinstance(value, FirstPresent) else (value.node,)
    first = 0 if isinstance(value, FirstPresent) else 1
    case = exp.Case()
    for number, node in enumerate(nodes, first):
        present = is_not_null(expression_sql(node, names))
        case = case.when(present, integer_constant(number), copy=False)
    return case


def _sums(name: str, sums: SumColumns, *, weighed: bool) -> list[exp.Expr]:
    value = column_name(name)
    expressions = []
    if sums.present is not None:
        present: exp.Expr = exp.Count(this=value.copy())
        if weighed:
            case = exp.Case().when(is_not_null(value.copy()), column_name(_WEIGHT), copy=False)
            present = _total(case)
        expressions.append(aliased(present, sums.present))
    for number, column in enumerate(sums.parts):
        of_part = exp.EQ(this=value.copy(), expression=integer_constant(number))
        own = column_name(_WEIGHT) if weighed else integer_constant(1)
        case = exp.Case().when(of_part, own, copy=False)
        expressions.append(aliased(_total(case) if weighed else exp.Count(this=case), column))
    for power, factors in ((sums.total, 1), (sums.squares, 2)):
        if power is None:
            continue
        term: exp.Expr = value.copy()
        if factors == 2:
            term = exp.Mul(this=narrow_integer(term), expression=value.copy())
        if weighed:
            weight = narrow_integer(column_name(_WEIGHT))
            term = exp.Mul(this=weight, expression=exp.paren(term, copy=False))
        expressions.append(aliased(_total(term), power))
    return expressions


def _of_several(name: str, place: int) -> str:
    return f"{name}_{place}"


def _products(
    name: str, value: Jointly, *, weighed: bool
) -> tuple[tuple[tuple[str, str | None], ...], list[exp.Expr]]:
    """The sums of products over the rows that have all values, each by weight.

    Every term fits in 64 bits.  A product that would not, times a weight, is parted: its multiples
    of 2^26 are summed up, and what is left of them.
    """
    steps = [column_name(_of_several(name, place)) for place in range(len(value.values))]
    present = exp.and_(*map(is_not_null, steps), copy=False)
    columns: list[tuple[str, str | None]] = []
    summed: list[exp.Expr] = []
    for place, powers in enumerate(value.powers):
        factors = [
            narrow_integer(step.copy())
            for step, power in zip(steps, powers, strict=True)
            for _ in range(power)
        ]
        term: exp.Expr = factors[0] if factors else narrow_integer(integer_constant(1))
        for factor in factors[1:]:
            term = exp.Mul(this=term, expression=factor)
        widths = (one.range.width**power for one, power in zip(value.values, powers, strict=True))
        most = prod(widths) * (SHARE if weighed else 1)
        own = f"{name}_product{place}"
        parts = [(own, term)]
        if most >> 62:
            high = exp.IntDiv(
                this=exp.paren(term, copy=False), expression=integer_constant(PART_OF_PRODUCT)
            )
            multiples = exp.Mul(
                this=exp.paren(high.copy()), expression=integer_constant(PART_OF_PRODUCT)
            )
            left = exp.Sub(this=exp.paren(term.copy()), expression=exp.paren(multiples))
            parts = [(own, high), (f"{own}_left", left)]
        for alias, part in parts:
            whole = part
            if weighed:
                weight = narrow_integer(column_name(_WEIGHT))
                whole = exp.Mul(this=weight, expression=exp.paren(part, copy=False))
            case = exp.Case().when(present.copy(), narrow_integer(whole), copy=False)
            summed.append(aliased(_total(case), alias))
        columns.append((own, parts[1][0] if len(parts) > 1 else None))
    return tuple(columns), summed


def _total(value: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=exp.Sum(this=value), expressions=[exp.Literal.number(0)])


def _kept(table: str, columns: list[str], cap: int, shown: Sequence[exp.Expr]) -> exp.Select:
    """At most the cap's number of each person's rows, chosen by a hash of person and row."""
    parts = [exp.cast(column_name(name), "TEXT") for name in (UNIT, *columns)]
    order = exp.Order(expressions=[row_hash(parts), *_columns(*columns)])
    number = exp.Window(this=exp.RowNumber(), partition_by=_columns(UNIT), order=order)
    ranked = _from(table, [exp.Star(), aliased(number, "place")])
    query = select_columns(*shown).from_(subquery(ranked, "ranked"), copy=False)
    few = exp.LTE(this=column_name("place"), expression=integer_constant(cap))
    return query.where(few, copy=False)
