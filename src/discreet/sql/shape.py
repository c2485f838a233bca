"""The small parts that every query is built of."""

from collections.abc import Sequence

from sqlglot import exp

UNIT, CELL = "unit", "cell"


def chosen(*columns: exp.Expr) -> exp.Select:
    """SELECT of some columns, which it takes over."""
    return exp.Select().select(*columns, copy=False)


def relation(name: str) -> exp.Table:
    """A relation by its name."""
    return exp.Table(this=exp.to_identifier(name))


def called(part: exp.Expr, name: str) -> exp.Expr:
    """A part of a query with a name of its own."""
    return exp.Alias(this=part, alias=exp.to_identifier(name, quoted=True))


def within(query: exp.Select, name: str) -> exp.Subquery:
    """A query as a relation of another one."""
    return query.subquery(exp.TableAlias(this=exp.to_identifier(name)), copy=False)


def whole(value: exp.Expr, bound: int = 1 << 63) -> exp.Expr:
    """A value below a bound as a whole number, of no more bits than it takes."""
    kind = exp.DataType.Type.BIGINT
    if bound <= 1 << 31:
        kind = exp.DataType.Type.SMALLINT if bound <= 1 << 15 else exp.DataType.Type.INT
    return exp.Cast(this=value, to=exp.DataType(this=kind))


def hashed(texts: Sequence[exp.Expr]) -> exp.Expr:
    """A hash of several texts, by which some of a person's rows are chosen: a fixed rule."""
    joined = texts[0]
    for part in texts[1:]:
        bar = exp.DPipe(this=joined, expression=exp.Literal.string("\x1f"))
        joined = exp.DPipe(this=bar, expression=part)
    return exp.MD5(this=joined)
