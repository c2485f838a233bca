"""Nodes to SQL: every operator is total, and missing is NULL.

Numbers are DOUBLE.  NaN compares differently from engine to engine, so that it never stands: a
column or an operation that gives NaN gives NULL.  Rounding is FLOOR(x·s + 0.5) and clipping is
CASE, because ROUND, CAST, LEAST and GREATEST differ between engines.
"""

from collections.abc import Mapping
from fractions import Fraction

from sqlglot import exp

from discreet.exact import Rounding
from discreet.measures.steps import Steps
from discreet.plan.columns import Boolean, Category, Column, Number
from discreet.plan.expressions import (
    LONGEST_JOINED,
    Absolute,
    Applied,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Constant,
    Converted,
    Either,
    Floored,
    Joined,
    Missing,
    Named,
    Negated,
    Node,
)
from discreet.sql.functions import applied, converted
from discreet.sql.shape import cast as _cast
from discreet.sql.shape import days, number
from discreet.sql.shape import without_nan as _without_nan

FLOAT = "float"
"""The mark of an operation on floats, for engines on which those can fail."""
MAYBE_NAN = "n"
"""How the short names of columns begin whose values may be NaN."""

_CALCULATIONS = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div, "%": exp.Mod}
_COMPARISONS = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}


def column_name(name: str) -> exp.Column:
    """A column by its quoted name."""
    return exp.column(exp.to_identifier(name, quoted=True))


def read_column(stored: exp.Expr, column: Column) -> exp.Expr:
    """A stored value as the declared kind says; what does not fit is NULL.

    A number may still be NaN: its short name says so, and who uses it takes care.
    """
    if isinstance(column, Number) and column.dated:
        return days(exp.TryCast(this=stored, to=exp.DataType(this=exp.DataType.Type.DATE)))
    if is_float(column):
        return exp.TryCast(this=stored, to=exp.DataType(this=exp.DataType.Type.DOUBLE))
    text = exp.TryCast(this=stored, to=exp.DataType(this=exp.DataType.Type.TEXT))
    if isinstance(column, Boolean):
        # By way of text, so that the stored type does not decide which values are true.
        return exp.TryCast(this=text, to=exp.DataType(this=exp.DataType.Type.BOOLEAN))
    return text


def is_float(column: Column) -> bool:
    """Whether a column is read as floats, among which a file may have NaN."""
    if isinstance(column, Number):
        return not column.dated
    return isinstance(column, Category) and column.numeric


def expression(node: Node, names: Mapping[str, str]) -> exp.Expr:
    """The SQL of a checked node; ``names`` says what each column is called in the query."""
    match node:
        case Named(name) if not names[name].startswith(MAYBE_NAN):
            return column_name(names[name])
        case Named() | Calculation() | Absolute() | Floored():
            return _without_nan(_computed(node, names))
        case Constant(value, _):
            return constant(value)
        case Compared(operator, left, right):
            return _COMPARISONS[operator](
                this=_bracketed(expression(left, names)),
                expression=_bracketed(expression(right, names)),
            )
        case Both(left, right):
            return exp.and_(expression(left, names), expression(right, names), copy=False)
        case Either(left, right):
            return exp.or_(expression(left, names), expression(right, names), copy=False)
        case Negated(operand):
            return exp.Not(this=_bracketed(expression(operand, names)))
        case Missing(operand):
            return exp.Is(this=_bracketed(expression(operand, names)), expression=exp.Null())
        case Clipped(operand, low, high):
            return clipped(expression(operand, names), number(low), number(high))
        case Chosen(condition, then, otherwise):
            return (
                exp.Case()
                .when(expression(condition, names), expression(then, names), copy=False)
                .else_(expression(otherwise, names), copy=False)
            )
        case Applied(_, operand, _):
            return applied(node, expression(operand, names))
        case Joined(left, right):
            return exp.DPipe(
                this=_short(expression(left, names)), expression=_short(expression(right, names))
            )
        case Converted(operand, to):
            return converted(to, expression(operand, names))


def _computed(node: Node, names: Mapping[str, str]) -> exp.Expr:
    """A number that may be NaN, which passes through arithmetic: NULL is made of it once, outside.

    Were it made at every step, engines that write NULLIF out as CASE would see a text that doubles
    with every operator.
    """
    match node:
        case Named(name):
            return column_name(names[name])
        case Calculation(operator, left, right):
            first, second = _computed(left, names), _computed(right, names)
            if operator in ("/", "%"):
                second = exp.Nullif(this=second, expression=number(Fraction(0)))
            sides = {"this": _bracketed(first), "expression": _bracketed(second)}
            found: exp.Expr = _CALCULATIONS[operator](**sides)
            found.meta[FLOAT] = True  # some engines compute with floats in another way
            return found
        case Absolute(operand):
            return exp.Abs(this=_computed(operand, names))
        case Floored(operand):
            return exp.Floor(this=_computed(operand, names))
    return expression(node, names)


def _bracketed(made: exp.Expr) -> exp.Expr:
    """What was just made, in brackets: a copy at every level would take time by depth."""
    return exp.paren(made, copy=False)


def _short(text: exp.Expr) -> exp.Expr:
    """A text that another one is joined to, cut: no row can make a text that does not fit."""
    first, most = exp.Literal.number(1), exp.Literal.number(LONGEST_JOINED)
    return exp.Substring(this=text, start=first, length=most)


def steps(value: Steps, names: Mapping[str, str]) -> exp.Expr:
    """A value clipped and rounded in the row: grid steps above its lower bound, or NULL."""
    bounds, node = value.range, value.node
    inner = _computed(node, names)
    # Rounding up is rounding down from the other side: steps are then below the upper bound.
    up = value.rounding is Rounding.UP
    first, last = (-bounds.high, -bounds.low) if up else (bounds.low, bounds.high)
    scale = number((-1 if up else 1) * Fraction(2) ** -bounds.grid.exponent)
    scaled = exp.Mul(this=_bracketed(inner), expression=scale)
    nearest = value.rounding is Rounding.NEAREST
    shift = number(Fraction(1, 2) if nearest else Fraction(0))
    place = exp.Floor(this=exp.Add(this=scaled, expression=shift))
    low, high = number(Fraction(first)), number(Fraction(last))
    infinity = _cast(exp.Literal.string("Infinity"), exp.DataType.Type.DOUBLE)
    # NaN is above infinity or compares to nothing, so that no branch takes it.  Most values take
    # the first branch, and then no other is looked at.
    inside = (
        exp.Case()
        .when(exp.Between(this=place, low=low, high=high), place.copy(), copy=False)
        .when(exp.LT(this=place.copy(), expression=low.copy()), low.copy(), copy=False)
        .when(exp.LTE(this=place.copy(), expression=infinity), high.copy(), copy=False)
    )
    above: exp.Expr = inside
    if first:
        above = exp.Sub(this=_bracketed(inside), expression=low.copy())
    if value.default is not None:
        default = number(Fraction((-value.default if up else value.default) - first))
        above = exp.Coalesce(this=above, expressions=[default])
    # Between the bounds or NULL, so that the cast cannot fail; the fewer bits, the faster summed.
    narrow = bounds.width < 1 << 31
    return _cast(above, exp.DataType.Type.INT if narrow else exp.DataType.Type.BIGINT)


def clipped(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """A value between two bounds; NULL stays NULL."""
    return (
        exp.Case()
        .when(exp.LT(this=value, expression=low), low.copy(), copy=False)
        .when(exp.GT(this=value.copy(), expression=high), high.copy(), copy=False)
        .else_(value.copy(), copy=False)
    )


def constant(value: Fraction | bool | str | None) -> exp.Expr:
    """A constant of an expression."""
    if value is None:
        return exp.null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    return exp.Literal.string(value) if isinstance(value, str) else number(value)


def integer(value: int) -> exp.Expr:
    """A whole number of 64 bits."""
    return _cast(exp.Literal.string(str(value)), exp.DataType.Type.BIGINT)


def given(value: exp.Expr) -> exp.Expr:
    """Whether there is a value."""
    return exp.Not(this=exp.Is(this=exp.paren(value), expression=exp.Null()))


def plain_zero(value: exp.Expr) -> exp.Expr:
    """A number; 0 for -0, which is equal to it and has another text.

    Which of the two stands for a person's zeros would be left to the order of rows.
    """
    zero = number(Fraction(0))
    is_zero = exp.EQ(this=exp.paren(value), expression=zero)
    return exp.Case().when(is_zero, zero.copy(), copy=False).else_(value.copy(), copy=False)
