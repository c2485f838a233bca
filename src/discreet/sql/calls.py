"""Functions and casts in the analyst's SQL ▶ nodes."""

from fractions import Fraction
from functools import partial

from sqlglot import exp

from discreet.errors import QueryError
from discreet.plan import compose
from discreet.plan.columns import day
from discreet.plan.dates import UNITS
from discreet.plan.expressions import (
    Absolute,
    Applied,
    Chosen,
    Clipped,
    Constant,
    Converted,
    DatePart,
    Floored,
    Function,
    Joined,
    Negated,
    Node,
    Target,
)
from discreet.sql.parse import not_offered
from discreet.sql.reading import (
    Inner,
    Reader,
    check_given,
    number_of,
    written_number,
    written_text,
)

_OF_ONE: dict[type[exp.Expr], Function] = {
    exp.Sqrt: "SQRT",
    exp.Ln: "LN",
    exp.Exp: "EXP",
    exp.Lower: "LOWER",
    exp.Upper: "UPPER",
    exp.Trim: "TRIM",
    exp.Length: "LENGTH",
    exp.Year: "YEAR",
    exp.Quarter: "QUARTER",
    exp.Month: "MONTH",
    exp.Week: "WEEK",
    exp.WeekOfYear: "WEEK",
    exp.Day: "DAY",
    exp.DayOfMonth: "DAY",
    exp.DayOfWeek: "DAYOFWEEK",
    exp.DayOfWeekIso: "ISODOW",
    exp.DayOfYear: "DAYOFYEAR",
}
_PARTS: dict[str, DatePart] = {
    "year": "YEAR",
    "quarter": "QUARTER",
    "month": "MONTH",
    "week": "WEEK",
    "day": "DAY",
    "dow": "DAYOFWEEK",
    "dayofweek": "DAYOFWEEK",
    "isodow": "ISODOW",
    "doy": "DAYOFYEAR",
    "dayofyear": "DAYOFYEAR",
}
_TARGETS: dict[exp.DType, Target] = {
    **dict.fromkeys((exp.DType.DOUBLE, exp.DType.FLOAT, exp.DType.DECIMAL), "DOUBLE"),
    **dict.fromkeys(
        (exp.DType.INT, exp.DType.BIGINT, exp.DType.SMALLINT, exp.DType.TINYINT), "INTEGER"
    ),
    exp.DType.BOOLEAN: "BOOLEAN",
    exp.DType.DATE: "DATE",
    **dict.fromkeys((exp.DType.TEXT, exp.DType.VARCHAR), "VARCHAR"),
}


def _cast(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "to", "safe")
    target, value = _TARGETS.get(tree.args["to"].this), tree.this
    if target is None:
        raise not_offered(tree)
    if target != "DATE" or type(value) is not exp.Literal or not value.is_string:
        return Converted(inner(value), target)
    days = day(value.name)
    if days is None:
        raise QueryError(
            f"{value.name[:60]!r} is not a date. Dates are written as year, month and day. Write "
            "DATE '2026-01-31'."
        )
    return Constant(Fraction(days), dated=True)


def _of_one(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return Applied(_OF_ONE[type(tree)], inner(tree.this))


def _absolute(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return Absolute(inner(tree.this))


def _floor(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return Floored(inner(tree.this))


def _ceiling(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return compose.ceiling(inner(tree.this))


def _sign(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return compose.sign(inner(tree.this))


def _round(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "decimals")
    decimals = tree.args.get("decimals")
    digits = Fraction(0) if decimals is None else written_number(tree, decimals, inner)
    if digits.denominator != 1:
        raise not_offered(tree, "Digits are a whole number: ROUND(x, 1).")
    return compose.rounded(inner(tree.this), int(digits))


def _floor_divided(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    return compose.floor_divided(inner(tree.this), inner(tree.args["expression"]))


def _power(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    power = number_of(inner(tree.args["expression"]))
    if power is None:
        raise not_offered(tree)
    return Applied("POWER", inner(tree.this), (power,))


def _logarithm(tree: exp.Expr, inner: Inner) -> Node:
    """LOG is to base 10, as it is where SQL is read; sqlglot has LOG10(x) as LOG(10, x)."""
    check_given(tree, "this", "expression")
    value = tree.args.get("expression")
    if value is None:
        return Applied("LOG10", inner(tree.this))
    if number_of(inner(tree.this)) != 10:
        raise not_offered(tree, "Write LOG10(x), or LN(x) / LN(2) for another base.")
    return Applied("LOG10", inner(value))


def _bucket(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "min_value", "max_value", "num_buckets")
    low, high, count = (
        written_number(tree, tree.args.get(name), inner)
        for name in ("min_value", "max_value", "num_buckets")
    )
    return compose.bucket(inner(tree.this), low, high, count)


def _like(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression", "negate")
    pattern = written_text(tree, tree.args.get("expression"))
    function: Function = "LIKE" if type(tree) is exp.Like else "ILIKE"
    found = Applied(function, inner(tree.this), (pattern,))
    return Negated(found) if tree.args.get("negate") else found


def _substring(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "start", "length")
    places = [written_number(tree, tree.args.get("start"), inner)]
    if tree.args.get("length") is not None:
        places.append(written_number(tree, tree.args["length"], inner))
    return Applied("SUBSTRING", inner(tree.this), tuple(places))


def _end_of_text(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    count = written_number(tree, tree.args.get("expression"), inner)
    if type(tree) is exp.Left:
        return compose.first_characters(inner(tree.this), count)
    return Applied("RIGHT", inner(tree.this), (count,))


def _holds(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    text, value = written_text(tree, tree.args.get("expression")), inner(tree.this)
    if type(tree) is exp.StartsWith:
        return compose.starts_with(value, text)
    if type(tree) is exp.EndsWith:
        return compose.ends_with(value, text)
    return Applied("CONTAINS", value, (text,))


def _concat(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "expressions", "safe", "coalesce")
    parts = [inner(part) for part in tree.expressions]
    # Two texts side by side are read as one by sqlglot, and are more likely a slip.
    if len(parts) < 2 or not tree.args.get("safe"):
        raise not_offered(tree)
    found, *others = parts
    for other in others:
        found = Joined(found, other)
    return found


def _joined(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression", "safe")
    return Joined(inner(tree.this), inner(tree.args["expression"]))


def _extract(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    part = _PARTS.get(tree.this.name.lower())
    if part is None:
        raise not_offered(tree)
    return Applied(part, inner(tree.args["expression"]))


def _truncated(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "unit")
    unit = tree.args["unit"].name.lower()
    if unit not in UNITS:
        raise not_offered(tree)
    return Applied("DATE_TRUNC", inner(tree.this), (unit,))


def _difference(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression", "unit", "date_part_boundary")
    unit = tree.args.get("unit")
    start, end = inner(tree.args["expression"]), inner(tree.this)
    found = None if unit is None else compose.difference(unit.name.lower(), start, end)
    if found is None:
        raise not_offered(tree)
    return found


def _if(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "true", "false")
    otherwise = tree.args.get("false")
    false = Constant(None) if otherwise is None else inner(otherwise)
    return Chosen(inner(tree.this), inner(tree.args["true"]), false)


def _coalesce(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expressions")
    return compose.coalesced([inner(one) for one in (tree.this, *tree.expressions)])


def _null_if(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    return compose.null_if(inner(tree.this), inner(tree.args["expression"]))


def _extreme(tree: exp.Expr, inner: Inner, *, least: bool) -> Node:
    check_given(tree, "this", "expressions", "ignore_nulls")
    return compose.extreme([inner(one) for one in (tree.this, *tree.expressions)], least=least)


def _named(tree: exp.Expr, inner: Inner) -> Node:
    """Functions that sqlglot does not know: CLIP, and DATE_PART as another name of EXTRACT."""
    check_given(tree, "this", "expressions")
    name, parts = tree.name.upper(), tree.expressions
    if name == "DATE_PART" and len(parts) == 2:
        part = _PARTS.get(written_text(tree, parts[0]).lower())
        if part is None:
            raise not_offered(tree)
        return Applied(part, inner(parts[1]))
    if name != "CLIP":
        raise not_offered(tree)
    if len(parts) == 3:
        low, high = number_of(inner(parts[1])), number_of(inner(parts[2]))
        if low is not None and high is not None:
            return Clipped(inner(parts[0]), low, high)
    raise not_offered(tree, "CLIP takes a value and two written bounds: CLIP(x, 0, 60).")


CALLS: dict[type[exp.Expr], Reader] = {
    **dict.fromkeys(_OF_ONE, _of_one),
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Abs: _absolute,
    exp.Floor: _floor,
    exp.Ceil: _ceiling,
    exp.Sign: _sign,
    exp.Round: _round,
    exp.IntDiv: _floor_divided,
    exp.Pow: _power,
    exp.Log: _logarithm,
    exp.WidthBucket: _bucket,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Substring: _substring,
    exp.Left: _end_of_text,
    exp.Right: _end_of_text,
    exp.StartsWith: _holds,
    exp.EndsWith: _holds,
    exp.Contains: _holds,
    exp.Concat: _concat,
    exp.DPipe: _joined,
    exp.Extract: _extract,
    exp.TimestampTrunc: _truncated,
    exp.DateTrunc: _truncated,
    exp.DateDiff: _difference,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _null_if,
    exp.Least: partial(_extreme, least=True),
    exp.Greatest: partial(_extreme, least=False),
    exp.Anonymous: _named,
}
"""The reader of each function."""
