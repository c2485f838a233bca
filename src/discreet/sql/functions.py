"""Functions and casts to SQL: each asks first whether it has a value, and is NULL where not."""

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from discreet.plan.dates import FIRST_DAY, LAST_DAY, RANGES
from discreet.plan.expressions import Applied, Function, Target
from discreet.plan.functions import in_calendar
from discreet.sql.shape import cast, days, epoch, number, try_cast, without_nan

Parameters = tuple[Fraction | str, ...]

_SIMPLE: dict[Function, type[exp.Func]] = {
    "EXP": exp.Exp,
    "LOWER": exp.Lower,
    "UPPER": exp.Upper,
    "TRIM": exp.Trim,
}
_MATCHING: dict[Function, type[exp.Expr]] = {"LIKE": exp.Like, "ILIKE": exp.ILike}
_EXTRACTED: dict[Function, str] = {"DAYOFWEEK": "DOW", "DAYOFYEAR": "DOY"}


def applied(node: Applied, value: exp.Expr) -> exp.Expr:
    """The SQL of a function, of the SQL of its operand."""
    function, parameters = node.function, node.parameters
    if function in _SIMPLE:
        return _SIMPLE[function](this=value)
    if function in _MATCHING:
        pattern = exp.Literal.string(str(parameters[0]))
        return _MATCHING[function](this=exp.paren(value), expression=pattern)
    if function in RANGES or function == "DATE_TRUNC":
        part, date = _EXTRACTED.get(function, function), _date(value)
        found = _part(part, date) if function in RANGES else _truncated(date, parameters)
        return found if in_calendar(node.operand) else _where(_dated(value.copy()), found)
    return _OTHERS[function](value, parameters)


def converted(to: Target, text: exp.Expr) -> exp.Expr:
    """The SQL of what a text says, or NULL; checking has made every other cast of other nodes."""
    if to == "DATE":
        return _calendar(days(try_cast(text, exp.DataType.Type.DATE)), ())
    if to == "BOOLEAN":
        return try_cast(text, exp.DataType.Type.BOOLEAN)
    return without_nan(try_cast(text, exp.DataType.Type.DOUBLE))


def _root(value: exp.Expr, _: Parameters) -> exp.Expr:
    return _where(exp.GTE(this=exp.paren(value), expression=_zero()), exp.Sqrt(this=value.copy()))


def _logarithm(value: exp.Expr, _: Parameters) -> exp.Expr:
    return _where(exp.GT(this=exp.paren(value), expression=_zero()), exp.Ln(this=value.copy()))


def _decimal_logarithm(value: exp.Expr, _: Parameters) -> exp.Expr:
    found = _called("LOG10", value.copy())
    return _where(exp.GT(this=exp.paren(value), expression=_zero()), found)


def _power(value: exp.Expr, parameters: Parameters) -> exp.Expr:
    power = Fraction(parameters[0])
    raised = without_nan(exp.Pow(this=exp.paren(value), expression=number(power)))
    base = exp.paren(value.copy())
    if power.denominator != 1:
        relation = exp.GTE if power > 0 else exp.GT
        return _where(relation(this=base, expression=_zero()), raised)
    return _where(exp.NEQ(this=base, expression=_zero()), raised) if power < 0 else raised


def _length(value: exp.Expr, _: Parameters) -> exp.Expr:
    return cast(exp.Length(this=value), exp.DataType.Type.DOUBLE)


def _substring(value: exp.Expr, parameters: Parameters) -> exp.Expr:
    return _called("SUBSTRING", value, *map(_place, parameters))


def _right(value: exp.Expr, parameters: Parameters) -> exp.Expr:
    return _called("RIGHT", value, _place(parameters[0]))


def _contains(value: exp.Expr, parameters: Parameters) -> exp.Expr:
    return _called("CONTAINS", value, exp.Literal.string(str(parameters[0])))


def _truncated(date: exp.Expr, parameters: Parameters) -> exp.Expr:
    unit = exp.Literal.string(str(parameters[0]))
    return days(cast(_called("DATE_TRUNC", unit, date), exp.DataType.Type.DATE))


def _calendar(value: exp.Expr, _: Parameters) -> exp.Expr:
    day = exp.Floor(this=value)
    return _where(_dated(day), day.copy())


def _date(value: exp.Expr) -> exp.Expr:
    """Days as a date of the engine, asked for only where the calendar has one."""
    whole = cast(value, exp.DataType.Type.INT)
    return exp.paren(exp.Add(this=epoch(), expression=whole))


def _dated(value: exp.Expr) -> exp.Expr:
    first, last = number(Fraction(FIRST_DAY)), number(Fraction(LAST_DAY))
    return exp.And(
        this=exp.GTE(this=exp.paren(value), expression=first),
        expression=exp.LTE(this=exp.paren(value.copy()), expression=last),
    )


def _part(part: str, date: exp.Expr) -> exp.Expr:
    extracted = exp.Extract(this=exp.Var(this=part), expression=date)
    return cast(extracted, exp.DataType.Type.DOUBLE)


def _where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Case().when(condition, value, copy=False)


def _called(name: str, *parts: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(parts))


def _place(parameter: Fraction | str) -> exp.Expr:
    return exp.Literal.number(int(parameter))


def _zero() -> exp.Expr:
    return number(Fraction(0))


_OTHERS: dict[Function, Callable[[exp.Expr, Parameters], exp.Expr]] = {
    "SQRT": _root,
    "LN": _logarithm,
    "LOG10": _decimal_logarithm,
    "POWER": _power,
    "LENGTH": _length,
    "SUBSTRING": _substring,
    "RIGHT": _right,
    "CONTAINS": _contains,
    "CALENDAR": _calendar,
}
