"""The small parts that every query is built of: columns, casts, numbers, days, NULL for NaN."""

from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

UNIT, CELL = "unit", "cell"


_EPOCH = "1970-01-01"


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


def cast(value: exp.Expr, kind: exp.DType) -> exp.Expr:
    """A value as another type; the caller says why it cannot fail."""
    return exp.Cast(this=value, to=exp.DataType(this=kind))


def try_cast(value: exp.Expr, kind: exp.DType) -> exp.Expr:
    """A value as another type, or NULL."""
    return exp.TryCast(this=value, to=exp.DataType(this=kind))


def number(value: Fraction) -> exp.Expr:
    """A constant as the 64-bit float nearest to it."""
    return cast(exp.Literal.string(repr(float(value))), exp.DataType.Type.DOUBLE)


def without_nan(value: exp.Expr) -> exp.Expr:
    """A float, or NULL for NaN."""
    nan = cast(exp.Literal.string("NaN"), exp.DataType.Type.DOUBLE)
    return exp.Nullif(this=value, expression=nan)


def epoch() -> exp.Expr:
    """The date from which days are counted."""
    return cast(exp.Literal.string(_EPOCH), exp.DataType.Type.DATE)


def days(date: exp.Expr) -> exp.Expr:
    """A date as the number of days from 1970."""
    found = exp.DateDiff(this=date, expression=epoch(), unit=exp.Var(this="DAY"))
    return cast(found, exp.DataType.Type.DOUBLE)
