"""The rows that a question is about: filtered, keyed, with the values it measures."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from sqlglot import exp

from discreet.question.check import Question
from discreet.question.groupings import Edges, Grouping, Listed, Truth, Unlisted, Whole
from discreet.sql.expressions import column_name, expression, given, integer
from discreet.sql.forms import Forms
from discreet.sql.shape import CELL, UNIT, called, chosen, number, whole, within
from discreet.sql.sources import short_names, source_rows

_ONE = exp.Alias(this=exp.Literal.number(1), alias=exp.to_identifier("one"))

Cells = Sequence[tuple[str, ...]] | None
"""The groups of unlisted keys that private selection released, in order."""


def names_of(question: Question) -> dict[str, str]:
    """What each column that is used is called inside the query."""
    return short_names(question.used, question.schema.columns)


def named_rows(question: Question) -> exp.Select:
    """Every row of what a question asks about, with all the columns that it names."""
    return source_rows(question.source, question.declared, names_of(question))


def kept_rows(
    question: Question, parts: dict[str, exp.Expr], *, ungrouped: bool = False
) -> exp.Select:
    """The rows that are asked about: unit and parts; rows without a unit or a key are dropped.

    With ``ungrouped``, rows without a key stay, with NULL for it.
    """
    names, schema = names_of(question), question.schema
    shown = [*_unit(question), *(called(part, name) for name, part in parts.items())]
    inner = named_rows(question)
    # A query needs a column even where nothing but the number of rows is asked.
    outer = chosen(*(shown or [_ONE.copy()])).from_(within(inner, "read"), copy=False)
    conditions = [expression(condition, names) for condition in question.where]
    if schema.by_person:
        conditions.append(given(column_name(UNIT)))
    outer = outer.where(*conditions, copy=False)
    keys = [name for name in parts if name.startswith("k")]
    if not keys or ungrouped:
        return outer
    kept = chosen(*_unit(question), *map(column_name, parts))
    kept = kept.from_(within(outer, "coded"), copy=False)
    return kept.where(*(given(column_name(name)) for name in keys), copy=False)


def grouped_rows(
    question: Question,
    cells: Cells,
    values: dict[str, exp.Expr],
    forms: Forms,
    *,
    ungrouped: bool = False,
) -> exp.Select:
    """unit, cell and values of every row that is asked about and in a group.

    With ``ungrouped``, there may also be rows in no group, whose cell is NULL.
    """
    names = names_of(question)
    if not question.keys:
        return kept_rows(question, {CELL: exp.Literal.number(0), **values})
    if cells is not None:
        return _selected_rows(question, cells, values, forms)
    codes: dict[str, exp.Expr] = {}
    joins: list[tuple[exp.Expr, exp.Expr]] = []
    cell: exp.Expr | None = None
    for place, (_, grouping) in enumerate(question.keys):
        if isinstance(grouping, Unlisted):
            raise TypeError("unlisted keys are selected before rows are grouped by them")
        key = column_name(f"k{place}")
        if isinstance(grouping, Listed) and not (_worded(grouping) and forms.enumerated):
            codes[f"k{place}"] = expression(grouping.node, names)
            same = exp.EQ(this=key, expression=column_name(f"l{place}_value"))
            joins.append((_lookup(grouping, f"l{place}"), same))
            key = column_name(f"l{place}_code")
        else:
            codes[f"k{place}"] = _code(grouping, names, forms)
        code = whole(key)
        if cell is not None:
            shifted = exp.Mul(this=exp.paren(cell), expression=integer(grouping.size))
            code = exp.Add(this=shifted, expression=code)
        cell = code
    if cell is None:
        raise TypeError("there are keys")
    if question.schema.by_person:  # the rows are put aside, so that their size counts
        cell = whole(cell, question.cells or 0)
    inner = kept_rows(question, {**codes, **values}, ungrouped=ungrouped)
    query = chosen(*_unit(question), called(cell, CELL), *map(column_name, values))
    query = query.from_(within(inner, "keyed"), copy=False)
    for lookup, found in joins:
        query = query.join(lookup, on=found, copy=False)
    return query


def _selected_rows(
    question: Question,
    cells: Sequence[tuple[str, ...]],
    values: dict[str, exp.Expr],
    forms: Forms,
) -> exp.Select:
    names = names_of(question)
    keys = {f"k{place}": label(one, names, forms) for place, (_, one) in enumerate(question.keys)}
    cell = column_name(CELL)
    placed = len(keys) == 1 and forms.enumerated
    if placed:
        keys = {"k0": whole(_position(keys["k0"], [text for (text,) in cells]))}
        cell = column_name("k0")
    query = chosen(*_unit(question), called(cell, CELL), *map(column_name, values))
    inner = kept_rows(question, {**keys, **values})
    query = query.from_(within(inner, "keyed"), copy=False)
    if placed:
        return query
    groups = [(*map(exp.Literal.string, cell), integer(place)) for place, cell in enumerate(cells)]
    table = _table(groups, [*(f"g{place}" for place in range(len(keys))), CELL])
    conditions = [
        exp.EQ(this=column_name(key), expression=column_name(f"g{place}"))
        for place, key in enumerate(keys)
    ]
    return query.join(table, on=exp.and_(*conditions, copy=False), copy=False)


def _unit(question: Question) -> list[exp.Expr]:
    return [column_name(UNIT)] if question.schema.by_person else []


def _worded(grouping: Listed) -> bool:
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


def _lookup(grouping: Listed, name: str) -> exp.Expr:
    """A table of public values and their places."""
    values = [(_constant(value), integer(place)) for place, value in enumerate(grouping.values)]
    return _table(values, [f"{name}_value", f"{name}_code"])


def _constant(value: str | int | float) -> exp.Expr:
    """A public key as it is compared with the column."""
    return exp.Literal.string(value) if isinstance(value, str) else number(Fraction(value))


def _table(rows: Iterable[Sequence[exp.Expr]], columns: list[str]) -> exp.Expr:
    values = exp.Values(expressions=[exp.Tuple(expressions=list(row)) for row in rows])
    alias = exp.TableAlias(
        this=exp.to_identifier(f"t_{columns[0]}"),
        columns=[exp.to_identifier(column) for column in columns],
    )
    values.set("alias", alias)
    return values


def _code(
    grouping: Listed | Truth | Whole | Edges, names: dict[str, str], forms: Forms
) -> exp.Expr:
    """The place of a row's group, or NULL."""
    value = expression(grouping.node, names)
    if isinstance(grouping, Listed):
        return _listed(value, grouping, forms)
    case = exp.Case()
    if isinstance(grouping, Truth):
        otherwise = exp.Not(this=exp.paren(value.copy()))
        case = case.when(value, integer(1), copy=False)
        return case.when(otherwise, integer(0), copy=False)
    if isinstance(grouping, Whole):
        low, high = number(Fraction(grouping.low)), number(Fraction(grouping.high))
        above = exp.Sub(this=exp.paren(value.copy()), expression=low.copy())
        # Beyond 2^53 the ends are not floats: a place is one of the groups' all the same.
        last = number(Fraction(grouping.high - grouping.low))
        inside = exp.and_(
            exp.GTE(this=value, expression=low),
            exp.LTE(this=value.copy(), expression=high),
            exp.LTE(this=above.copy(), expression=last),
            exp.EQ(this=exp.Floor(this=value.copy()), expression=value.copy()),
            copy=False,
        )
        steps = exp.TryCast(this=above, to=exp.DataType(this=exp.DataType.Type.BIGINT))
        return case.when(inside, steps, copy=False)
    edges = [number(edge) for edge in grouping.edges]
    closed = len(edges) - 2
    for place, (lower, upper) in enumerate(pairwise(edges)):
        below = exp.LTE if place == closed else exp.LT
        inside = exp.and_(
            exp.GTE(this=value.copy(), expression=lower.copy()),
            below(this=value.copy(), expression=upper.copy()),
            copy=False,
        )
        case = case.when(inside, integer(place), copy=False)
    return case


def _listed(value: exp.Expr, grouping: Listed, forms: Forms) -> exp.Expr:
    if _worded(grouping) and forms.enumerated:
        return _position(value, [str(one) for one in grouping.values])
    case = exp.Case()
    for place, one in enumerate(grouping.values):
        same = exp.EQ(this=value.copy(), expression=_constant(one))
        case = case.when(same, integer(place), copy=False)
    return case


def label(grouping: Grouping, names: dict[str, str], forms: Forms) -> exp.Expr:
    """A row's group as text: its own, or the place of a public one."""
    if isinstance(grouping, Unlisted):
        return expression(grouping.node, names)
    return exp.cast(_code(grouping, names, forms), "TEXT")
