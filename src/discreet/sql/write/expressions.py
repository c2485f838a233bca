"""Nodes ▶ SQL: every operator is total, and missing is NULL."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from sqlglot import exp

from discreet.exact import Rounding
from discreet.measures.measure import Steps
from discreet.plan.calendar import FIRST_DAY, FIRST_SECOND, LAST_DAY, LAST_SECOND, Dated
from discreet.plan.expressions import (
    LONGEST_JOINED,
    Absolute,
    Applied,
    Both,
    Calculation,
    CastTarget,
    Chosen,
    Clipped,
    Compared,
    Constant,
    Converted,
    Either,
    Floored,
    Function,
    Joined,
    Missing,
    Named,
    Negated,
    Node,
    Together,
    lowered,
)
from discreet.plan.function_signatures import DATE_PART_RANGES, in_calendar
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn

UNIT, CELL = "unit", "cell"


_EPOCH = "1970-01-01"


Parameters = tuple[Fraction | str, ...]
_SIMPLE: dict[Function, type[exp.Func]] = {
    "EXP": exp.Exp,
    "LOWER": exp.Lower,
    "UPPER": exp.Upper,
    "TRIM": exp.Trim,
}
_MATCHING: dict[Function, type[exp.Expr]] = {"LIKE": exp.Like, "ILIKE": exp.ILike}
_EXTRACTED: dict[Function, str] = {"DAYOFWEEK": "DOW", "DAYOFYEAR": "DOY"}
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


def select_columns(*columns: exp.Expr) -> exp.Select:
    """SELECT of some columns, which it takes over."""
    return exp.Select().select(*columns, copy=False)


def table_reference(name: str) -> exp.Table:
    """A relation by its name."""
    return exp.Table(this=exp.to_identifier(name))


def aliased(part: exp.Expr, name: str) -> exp.Expr:
    """A part of a query with a name of its own."""
    return exp.Alias(this=part, alias=exp.to_identifier(name, quoted=True))


def subquery(query: exp.Query, name: str) -> exp.Subquery:
    """A query as a relation of another one."""
    return query.subquery(exp.TableAlias(this=exp.to_identifier(name)), copy=False)


def narrow_integer(value: exp.Expr, bound: int = 1 << 63) -> exp.Expr:
    """A value below a bound as a whole number, of no more bits than it takes."""
    kind = exp.DataType.Type.BIGINT
    if bound <= 1 << 31:
        kind = exp.DataType.Type.SMALLINT if bound <= 1 << 15 else exp.DataType.Type.INT
    return exp.Cast(this=value, to=exp.DataType(this=kind))


def wide_integer(value: exp.Expr) -> exp.Expr:
    """A whole number of 128 bits."""
    return cast(value, exp.DataType.Type.INT128)


def row_hash(texts: Sequence[exp.Expr]) -> exp.Expr:
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


def float_constant(value: Fraction) -> exp.Expr:
    """A constant as the 64-bit float nearest to it."""
    return cast(exp.Literal.string(repr(float(value))), exp.DataType.Type.DOUBLE)


def without_nan(value: exp.Expr) -> exp.Expr:
    """A float, or NULL for NaN."""
    nan = cast(exp.Literal.string("NaN"), exp.DataType.Type.DOUBLE)
    return exp.Nullif(this=value, expression=nan)


def epoch() -> exp.Expr:
    """The date from which days are counted."""
    return cast(exp.Literal.string(_EPOCH), exp.DataType.Type.DATE)


def day_number(date: exp.Expr) -> exp.Expr:
    """A date as the number of days from 1970."""
    found = exp.DateDiff(this=date, expression=epoch(), unit=exp.Var(this="DAY"))
    return cast(found, exp.DataType.Type.DOUBLE)


def applied(node: Applied, value: exp.Expr) -> exp.Expr:
    """The SQL of a function, of the SQL of its operand."""
    function, parameters = node.function, node.parameters
    if function in _SIMPLE:
        return _SIMPLE[function](this=value)
    if function in _MATCHING:
        pattern = exp.Literal.string(str(parameters[0]))
        return _MATCHING[function](this=exp.paren(value), expression=pattern)
    if function in DATE_PART_RANGES or function == "DATE_TRUNC":
        part, date = _EXTRACTED.get(function, function), _date(value)
        found = _part(part, date) if function in DATE_PART_RANGES else _truncated(date, parameters)
        return found if in_calendar(node.operand) else _where(_dated(value.copy()), found)
    return _OTHERS[function](value, parameters)


def converted(to: CastTarget, text: exp.Expr) -> exp.Expr:
    """The SQL of what a text says, or NULL; checking has made every other cast of other nodes."""
    if to == "DATE":
        return _calendar(day_number(try_cast(text, exp.DataType.Type.DATE)), ())
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
    raised = without_nan(exp.Pow(this=exp.paren(value), expression=float_constant(power)))
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
    return day_number(cast(_called("DATE_TRUNC", unit, date), exp.DataType.Type.DATE))


def _calendar(value: exp.Expr, _: Parameters) -> exp.Expr:
    day = exp.Floor(this=value)
    return _where(_dated(day), day.copy())


def _moment(value: exp.Expr, _: Parameters) -> exp.Expr:
    second = exp.Floor(this=value)
    return _where(_between(second, FIRST_SECOND, LAST_SECOND), second.copy())


def _date(value: exp.Expr) -> exp.Expr:
    """Days as a date of the engine, asked for only where the calendar has one."""
    whole = cast(value, exp.DataType.Type.INT)
    return exp.paren(exp.Add(this=epoch(), expression=whole))


def _dated(value: exp.Expr) -> exp.Expr:
    return _between(value, FIRST_DAY, LAST_DAY)


def _between(value: exp.Expr, first: int, last: int) -> exp.Expr:
    return exp.And(
        this=exp.GTE(this=exp.paren(value), expression=float_constant(Fraction(first))),
        expression=exp.LTE(this=exp.paren(value.copy()), expression=float_constant(Fraction(last))),
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
    return float_constant(Fraction(0))


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
    "MOMENT": _moment,
}


def column_name(name: str) -> exp.Column:
    """A column by its quoted name."""
    return exp.column(exp.to_identifier(name, quoted=True))


def read_column(stored: exp.Expr, column: Column) -> exp.Expr:
    """A stored value as the declared kind says; what does not fit is NULL.

    A number may still be NaN: its short name says so, and who uses it takes care.
    """
    if isinstance(column, NumberColumn) and column.dated == Dated.DAYS:
        return day_number(exp.TryCast(this=stored, to=exp.DataType(this=exp.DataType.Type.DATE)))
    if isinstance(column, NumberColumn) or is_float(column):
        return exp.TryCast(this=stored, to=exp.DataType(this=exp.DataType.Type.DOUBLE))
    text = exp.TryCast(this=stored, to=exp.DataType(this=exp.DataType.Type.TEXT))
    if isinstance(column, BooleanColumn):
        # By way of text, so that the stored type does not decide which values are true.
        return exp.TryCast(this=text, to=exp.DataType(this=exp.DataType.Type.BOOLEAN))
    return text


def is_float(column: Column) -> bool:
    """Whether a column is read as floats, among which a file may have NaN."""
    if isinstance(column, NumberColumn):
        return not column.dated
    return isinstance(column, CategoryColumn) and column.numeric


def expression_sql(node: Node, names: Mapping[str, str]) -> exp.Expr:
    """The SQL of a checked node; ``names`` says what each column is called in the query."""
    match node:
        case Named(name) if not names[name].startswith(MAYBE_NAN):
            return column_name(names[name])
        case Named() | Calculation() | Absolute() | Floored():
            return without_nan(_computed(node, names))
        case Constant(value, _):
            return constant_sql(value)
        case Compared(operator, left, right):
            return _COMPARISONS[operator](
                this=_bracketed(expression_sql(left, names)),
                expression=_bracketed(expression_sql(right, names)),
            )
        case Both(left, right):
            return exp.and_(expression_sql(left, names), expression_sql(right, names), copy=False)
        case Either(left, right):
            return exp.or_(expression_sql(left, names), expression_sql(right, names), copy=False)
        case Negated(operand):
            return exp.Not(this=_bracketed(expression_sql(operand, names)))
        case Missing(operand):
            return exp.Is(this=_bracketed(expression_sql(operand, names)), expression=exp.Null())
        case Clipped(operand, low, high):
            return clipped_sql(
                expression_sql(operand, names), float_constant(low), float_constant(high)
            )
        case Chosen(condition, then, otherwise):
            return (
                exp.Case()
                .when(expression_sql(condition, names), expression_sql(then, names), copy=False)
                .else_(expression_sql(otherwise, names), copy=False)
            )
        case Applied() if (simpler := lowered(node)) is not None:
            return expression_sql(simpler, names)
        case Applied(_, operand, _):
            return applied(node, expression_sql(operand, names))
        case Joined(left, right):
            return exp.DPipe(
                this=_short(expression_sql(left, names)),
                expression=_short(expression_sql(right, names)),
            )
        case Converted(operand, to):
            return converted(to, expression_sql(operand, names))
        case Together():
            raise TypeError("values that stand together are written one by one")


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
                second = exp.Nullif(this=second, expression=float_constant(Fraction(0)))
            sides = {"this": _bracketed(first), "expression": _bracketed(second)}
            calculation: exp.Expr = _CALCULATIONS[operator](**sides)
            calculation.meta[FLOAT] = True  # some engines compute with floats in another way
            return calculation
        case Absolute(operand):
            return exp.Abs(this=_computed(operand, names))
        case Floored(operand):
            return exp.Floor(this=_computed(operand, names))
    return expression_sql(node, names)


def _bracketed(made: exp.Expr) -> exp.Expr:
    """What was just made, in brackets: a copy at every level would take time by depth."""
    return exp.paren(made, copy=False)


def _short(text: exp.Expr) -> exp.Expr:
    """A text that another one is joined to, cut: no row can make a text that does not fit."""
    first, most = exp.Literal.number(1), exp.Literal.number(LONGEST_JOINED)
    return exp.Substring(this=text, start=first, length=most)


def steps_sql(value: Steps, names: Mapping[str, str]) -> exp.Expr:
    """A value clipped and rounded in the row: grid steps above its lower bound, or NULL."""
    bounds, node = value.range, value.node
    inner = _computed(node, names)
    # Rounding up is rounding down from the other side: steps are then below the upper bound.
    up = value.rounding is Rounding.UP
    first, last = (-bounds.high, -bounds.low) if up else (bounds.low, bounds.high)
    scale = float_constant((-1 if up else 1) * Fraction(2) ** -bounds.grid.exponent)
    scaled = exp.Mul(this=_bracketed(inner), expression=scale)
    nearest = value.rounding is Rounding.NEAREST
    shift = float_constant(Fraction(1, 2) if nearest else Fraction(0))
    place = exp.Floor(this=exp.Add(this=scaled, expression=shift))
    low, high = float_constant(Fraction(first)), float_constant(Fraction(last))
    infinity = cast(exp.Literal.string("Infinity"), exp.DataType.Type.DOUBLE)
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
        default = float_constant(Fraction((-value.default if up else value.default) - first))
        above = exp.Coalesce(this=above, expressions=[default])
    # Between the bounds or NULL, so that the cast cannot fail; the fewer bits, the faster summed.
    narrow = bounds.width < 1 << 31
    return cast(above, exp.DataType.Type.INT if narrow else exp.DataType.Type.BIGINT)


def clipped_sql(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """A value between two bounds; NULL stays NULL."""
    return (
        exp.Case()
        .when(exp.LT(this=value, expression=low), low.copy(), copy=False)
        .when(exp.GT(this=value.copy(), expression=high), high.copy(), copy=False)
        .else_(value.copy(), copy=False)
    )


def constant_sql(value: Fraction | bool | str | None) -> exp.Expr:
    """A constant of an expression."""
    if value is None:
        return exp.null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    return exp.Literal.string(value) if isinstance(value, str) else float_constant(value)


def integer_constant(value: int) -> exp.Expr:
    """A whole number of 64 bits."""
    return cast(exp.Literal.string(str(value)), exp.DataType.Type.BIGINT)


def is_not_null(value: exp.Expr) -> exp.Expr:
    """Whether there is a value."""
    return exp.Not(this=exp.Is(this=exp.paren(value), expression=exp.Null()))


def plain_zero(value: exp.Expr) -> exp.Expr:
    """A number; 0 for -0, which is equal to it and has another text.

    Which of the two stands for a person's zeros would be left to the order of rows.
    """
    zero = float_constant(Fraction(0))
    is_zero = exp.EQ(this=exp.paren(value), expression=zero)
    return exp.Case().when(is_zero, zero.copy(), copy=False).else_(value.copy(), copy=False)
