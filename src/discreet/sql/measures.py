"""A checked question to the queries that measure it: integers per group, nothing else.

Every query reads the relation ``source``.  A person over the cap is weighed down, not cut: each
of n rows weighs floor(S·cap/max(n, cap)), so that the person's weights add up to at most S·cap
whatever the rows are.  The rows are read once, and put aside (MATERIALIZED) or weighed by a window
over them: were they read a second time to be weighed, a file that grows in between would hold more
rows than the weights allow for.  Nothing random runs in an engine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from discreet.measures.counts import true_for
from discreet.measures.measure import Measure
from discreet.measures.reading import Different, Given, PeopleIn, Places, Sums
from discreet.measures.steps import Steps
from discreet.plan.types import Kind, check
from discreet.question.check import Question
from discreet.sql.expressions import column_name, expression, given, integer, plain_zero, steps
from discreet.sql.forms import DUCKDB, Forms
from discreet.sql.rows import Cells, grouped_rows, kept_rows, label, names_of
from discreet.sql.shape import CELL, UNIT, called, chosen, hashed, relation, whole, within

_WEIGHT = "weight"


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a query that hold the sums of one reading, by name."""

    present: str | None = None
    total: str | None = None
    squares: str | None = None


def queries(
    question: Question, measures: Sequence[Measure], cells: Cells, forms: Forms
) -> Iterator[tuple[tuple[Measure, ...], exp.Select, tuple[Columns, ...]]]:
    """What to run for a question: one query for all that is summed, one for everything else."""
    together = tuple(measure for measure in measures if measure.reading.together)
    if together:
        yield (together, *sums_query(question, together, cells, forms))
    for measure in measures:
        match measure.reading:
            case PeopleIn() as reading:
                yield (measure,), people_query(question, reading, cells, forms), ()
            case Different() as reading:
                yield (measure,), distinct_query(question, reading, cells, forms), ()
            case Places() as reading:
                yield (measure,), ranks_query(question, reading.value, cells, forms), ()


def sums_query(
    question: Question, measures: Sequence[Measure], cells: Cells = None, forms: Forms = DUCKDB
) -> tuple[exp.Select, tuple[Columns, ...]]:
    """cell, weight of all rows, and the sums of every measure, for each group that has rows.

    One more row may be for the rows in no group, whose cell is NULL: they have no weight among the
    person's others, and to leave them out by a filter would take longer.
    """
    read = [reading for one in measures if isinstance(reading := one.reading, Sums)]
    values: dict[Steps | Given, str] = {}
    for reading in read:
        if reading.value is not None:
            values.setdefault(reading.value, f"v{len(values)}")
    names = names_of(question)
    parts = {name: _value(one, names) for one, name in values.items()}
    rows = grouped_rows(question, cells, parts, forms, ungrouped=True)
    unit = question.unit
    every = _total(column_name(_WEIGHT)) if unit.by_person else _count()
    columns = [called(_wide_cell(), CELL), called(every, "rows_weight")]
    wanted: dict[Steps | Given | None, Columns] = {None: Columns()}
    for value, name in values.items():
        own = [reading for reading in read if reading.value == value]
        wanted[value] = Columns(
            f"{name}_present" if any(reading.present for reading in own) else None,
            None if isinstance(value, Given) else f"{name}_total",
            f"{name}_squares" if any(reading.squares for reading in own) else None,
        )
        columns += _sums(name, wanted[value], weighed=unit.by_person)
    query = _from("measured", columns)
    if unit.by_person:
        query = _weighed(query, rows, unit.row_share, unit.row_cap, forms)
    else:
        query = _given(query, "measured", rows)
    found = tuple(wanted[reading.value] for reading in read)
    return query.group_by(_wide_cell(), copy=False), found


def people_query(
    question: Question, people: PeopleIn, cells: Cells = None, forms: Forms = DUCKDB
) -> exp.Select:
    """cell and the weight of the people in it, each of whom weighs at most the cap in all."""
    counted = (
        {}
        if people.condition is None
        else {"v0": _value(Given(true_for(people.condition)), names_of(question))}
    )
    rows = grouped_rows(question, cells, counted, forms)
    pairs = _from("measured", _columns(UNIT, CELL)).distinct(copy=False)
    pairs = pairs.where(*(given(column_name(name)) for name in counted), copy=False)
    share = question.unit.group_share
    total = _count() if share == 1 else _total(column_name(_WEIGHT))
    query = _from("pairs", [called(_wide_cell(), CELL), called(total, _WEIGHT)])
    query = _given(query.group_by(_wide_cell(), copy=False), "measured", rows)
    if share == 1:
        return _given(query, "pairs", pairs)
    return _weighed(query, pairs, share, question.unit.group_cap, forms, "pairs")


def ranks_query(
    question: Question, value: Steps, cells: Cells = None, forms: Forms = DUCKDB
) -> exp.Select:
    """cell, step and the weight of the rows at it, in order."""
    rows = grouped_rows(question, cells, {"v0": steps(value, names_of(question))}, forms)
    unit = question.unit
    weight = whole(_total(column_name(_WEIGHT))) if unit.by_person else _count()
    query = _from("measured", [*_columns(CELL, "v0"), called(weight, _WEIGHT)])
    query = query.where(given(column_name("v0")), copy=False)
    if unit.by_person:
        query = _weighed(query, rows, unit.rank_share, unit.row_cap, forms)
    else:
        query = _given(query, "measured", rows)
    return _ordered(_grouped(query, CELL, "v0"), CELL, "v0")


def distinct_query(
    question: Question, values: Different, cells: Cells = None, forms: Forms = DUCKDB
) -> exp.Select:
    """cell and the number of different values in it; of each person the cap's worth counts.

    Which of a person's values count is decided by a hash of the person and the value: a fixed
    rule about that person's own rows.
    """
    node = expression(values.node, names_of(question))
    if check(values.node, question.schema.columns).kind is Kind.NUMBER:
        node = plain_zero(node)
    query = _from("pairs", [column_name(CELL), called(_count(), _WEIGHT)])
    query = _given(
        _grouped(query, CELL), "measured", grouped_rows(question, cells, {"v0": node}, forms)
    )
    if question.schema.by_person:
        held = _from("measured", _columns(UNIT, CELL, "v0")).distinct(copy=False)
        query = _given(query, "held", held.where(given(column_name("v0")), copy=False))
        query = _given(query, "kept", _kept("held", [CELL, "v0"], question.unit.row_cap))
        pairs = _from("kept", _columns(CELL, "v0"))
    else:
        pairs = _from("measured", _columns(CELL, "v0")).where(given(column_name("v0")), copy=False)
    return _given(query, "pairs", pairs.distinct(copy=False))


def keys_query(question: Question, forms: Forms = DUCKDB) -> exp.Select:
    """Every combination of unlisted keys that occurs, and how many units hold it.

    Of a person's groups the cap's worth count, chosen by a hash of the person and the group.
    """
    names = names_of(question)
    keys = [f"k{place}" for place in range(len(question.keys))]
    parts = {
        key: label(grouping, names, forms)
        for key, (_, grouping) in zip(keys, question.keys, strict=True)
    }
    rows = kept_rows(question, parts)
    person = question.schema.by_person
    query = _from("kept" if person else "measured", [*_columns(*keys), called(_count(), _WEIGHT)])
    query = _ordered(_grouped(query, *keys), *keys)
    query = _given(query, "measured", rows)
    if person:
        held = _from("measured", _columns(UNIT, *keys)).distinct(copy=False)
        query = _given(query, "held", held)
        query = _given(query, "kept", _kept("held", keys, question.unit.group_cap))
    return query


# ---------------------------------------------------------------------- parts of a query


def _columns(*names: str) -> list[exp.Expr]:
    return [column_name(name) for name in names]


def _from(name: str, columns: Sequence[exp.Expr]) -> exp.Select:
    return chosen(*columns).from_(relation(name), copy=False)


def _given(query: exp.Select, name: str, body: exp.Select, *, once: bool = False) -> exp.Select:
    """A query that may read another one by name; ``once`` has its rows made once and kept."""
    alias = exp.TableAlias(this=exp.to_identifier(name))
    return query.with_(alias, body, materialized=once or None, copy=False)


def _grouped(query: exp.Select, *names: str) -> exp.Select:
    return query.group_by(*_columns(*names), copy=False)


def _wide_cell() -> exp.Expr:
    """The cell to group by: the engine would set up a place for every value of a narrow type."""
    return whole(column_name(CELL))


def _ordered(query: exp.Select, *names: str) -> exp.Select:
    return query.order_by(*_columns(*names), copy=False)


def _count() -> exp.Expr:
    return exp.Count(this=exp.Star())


def _weighed(
    query: exp.Select,
    rows: exp.Select,
    share: int,
    cap: int,
    forms: Forms,
    name: str = "measured",
) -> exp.Select:
    """A query of rows by that name, each of which has its person's weight."""
    if forms.windowed:
        held = exp.Window(this=exp.Count(this=column_name(CELL)), partition_by=_columns(UNIT))
        counted = chosen(exp.Star(), called(held, "held"))
        counted = counted.from_(within(rows, "placed"), copy=False)
        weight = called(_share(share, cap, column_name("held")), _WEIGHT)
        weighed = chosen(exp.Star(), weight).from_(within(counted, "counted"), copy=False)
        return _given(query, name, weighed)
    query = query.join(relation("shares"), using=(column_name(UNIT),), copy=False)
    query = _given(query, name, rows, once=True)
    return _given(query, "shares", _shares(name, share, cap))


def _shares(name: str, share: int, cap: int) -> exp.Select:
    """Each person's weight, by the number of the person's rows that are in a group."""
    weight = called(_share(share, cap, exp.Count(this=column_name(CELL))), _WEIGHT)
    return _grouped(_from(name, [column_name(UNIT), weight]), UNIT)


def _share(share: int, cap: int, count: exp.Expr) -> exp.Expr:
    """floor(share·cap / max(count, cap)) in whole numbers; it is at most the share."""
    larger = exp.Case().when(exp.GT(this=count, expression=integer(cap)), count.copy(), copy=False)
    larger = larger.else_(integer(cap), copy=False)
    weight = exp.IntDiv(this=integer(share * cap), expression=exp.paren(larger, copy=False))
    return whole(weight, share + 1)


def _value(value: Steps | Given, names: dict[str, str]) -> exp.Expr:
    if isinstance(value, Steps):
        return steps(value, names)
    return exp.Case().when(given(expression(value.node, names)), integer(1), copy=False)


def _sums(name: str, sums: Columns, *, weighed: bool) -> list[exp.Expr]:
    value = column_name(name)
    found = []
    if sums.present is not None:
        present: exp.Expr = exp.Count(this=value.copy())
        if weighed:
            case = exp.Case().when(given(value.copy()), column_name(_WEIGHT), copy=False)
            present = _total(case)
        found.append(called(present, sums.present))
    for column, factors in ((sums.total, 1), (sums.squares, 2)):
        if column is None:
            continue
        term: exp.Expr = value.copy()
        if factors == 2:
            term = exp.Mul(this=whole(term), expression=value.copy())
        if weighed:
            weight = whole(column_name(_WEIGHT))
            term = exp.Mul(this=weight, expression=exp.paren(term, copy=False))
        found.append(called(_total(term), column))
    return found


def _total(value: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=exp.Sum(this=value), expressions=[exp.Literal.number(0)])


def _kept(table: str, columns: list[str], cap: int) -> exp.Select:
    """Of each person's rows in a table the cap's worth, by a hash of the person and the row."""
    parts = [exp.cast(column_name(name), "TEXT") for name in (UNIT, *columns)]
    order = exp.Order(expressions=[hashed(parts), *_columns(*columns)])
    number = exp.Window(this=exp.RowNumber(), partition_by=_columns(UNIT), order=order)
    ranked = _from(table, [exp.Star(), called(number, "place")])
    query = chosen(*_columns(*columns)).from_(within(ranked, "ranked"), copy=False)
    few = exp.LTE(this=column_name("place"), expression=integer(cap))
    return query.where(few, copy=False)
