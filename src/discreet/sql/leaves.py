"""The smallest parts of SQL: casts, numbers, days, and NULL for NaN."""

from fractions import Fraction

from sqlglot import exp

_EPOCH = "1970-01-01"


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
