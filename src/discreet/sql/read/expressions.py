"""SQL text of a row expression ▶ nodes, by an allow-list.

Each kind of tree node that is offered has a reader here; every other kind is refused.  Comments
are not part of a node, so none can reach an engine.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from sqlglot import exp

from discreet.errors import DiscreetError, Front, PrivacyParameterError, QueryError
from discreet.exact import rational
from discreet.plan import expressions
from discreet.plan.calendar import DAY_SECONDS, Dated, dated_number
from discreet.plan.expressions import (
    TIME_SECONDS,
    Absolute,
    Applied,
    Arithmetic,
    Both,
    Calculation,
    CastTarget,
    Chosen,
    Clipped,
    Compared,
    Comparison,
    Constant,
    Converted,
    Floored,
    Function,
    Joined,
    Missing,
    Named,
    Negated,
    Node,
    all_of,
    any_of,
    is_exactly,
    is_not_distinct,
    negative,
    placed,
    read_size,
)
from discreet.plan.function_signatures import DATE_UNITS
from discreet.plan.schema import LARGEST_BOUND
from discreet.sql.read.messages import position_of
from discreet.sql.read.parser import (
    Inner,
    Reader,
    check_given,
    not_offered,
    number_of,
    parsed_expression,
    present_arguments,
    sql_excerpt,
    too_deep,
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
    exp.Hour: "HOUR",
    exp.Minute: "MINUTE",
    exp.Second: "SECOND",
    exp.TimeToUnix: "EPOCH",
}
_PARTS: dict[str, Function] = {
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
    "hour": "HOUR",
    "minute": "MINUTE",
    "second": "SECOND",
    "epoch": "EPOCH",
}
_TARGETS: dict[exp.DType, CastTarget] = {
    **dict.fromkeys((exp.DType.DOUBLE, exp.DType.FLOAT, exp.DType.DECIMAL), "DOUBLE"),
    **dict.fromkeys(
        (exp.DType.INT, exp.DType.BIGINT, exp.DType.SMALLINT, exp.DType.TINYINT), "INTEGER"
    ),
    exp.DType.BOOLEAN: "BOOLEAN",
    exp.DType.DATE: "DATE",
    exp.DType.TIME: "TIME",
    **dict.fromkeys((exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME), "TIMESTAMP"),
    **dict.fromkeys((exp.DType.TEXT, exp.DType.VARCHAR), "VARCHAR"),
}


_WRITTEN_AS: dict[CastTarget, tuple[Dated, str]] = {
    "DATE": (
        Dated.DAYS,
        "a date. Dates are written as year, month and day. Write DATE '2026-01-31'.",
    ),
    "TIMESTAMP": (
        Dated.SECONDS,
        "a datetime. Datetimes are written as a date and a time of the column's own clock, without "
        "a zone. Write TIMESTAMP '2026-01-31 10:00:00'.",
    ),
    "TIME": (
        Dated.TIME,
        "a time of day. Times are written with two digits each for hour, minute and second. Write "
        "TIME '08:30:00'.",
    ),
}
"""What a written text is cast to, and the refusal of one that is none."""
_NOTHING = Constant(None)
_DEEPEST_TREE = 100
_SPANS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": DAY_SECONDS, "WEEK": 7 * DAY_SECONDS}
_CALCULATIONS: dict[type[exp.Expr], Arithmetic] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
Resolve = Callable[[exp.Expr], Node | None]
"""What a name stands for: every column has a meaning or is refused; other trees may have one."""


def _cast(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "to", "safe")
    target, value = _TARGETS.get(tree.args["to"].this), tree.this
    if target is None:
        raise not_offered(tree)
    if target not in _WRITTEN_AS or type(value) is not exp.Literal or not value.is_string:
        return Converted(inner(value), target)
    dated, what = _WRITTEN_AS[target]
    number = dated_number(value.name, dated)
    if number is None:
        raise QueryError(f"{value.name[:60]!r} is not {what}")
    return Constant(Fraction(number), dated)


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
    return expressions.ceiling(inner(tree.this))


def _sign(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return expressions.sign(inner(tree.this))


def _round(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "decimals")
    decimals = tree.args.get("decimals")
    digits = Fraction(0) if decimals is None else written_number(tree, decimals, inner)
    if digits.denominator != 1:
        raise not_offered(tree, "Digits are a whole number: ROUND(x, 1).")
    return expressions.rounded(inner(tree.this), int(digits))


def _floor_divided(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    return expressions.floor_divided(inner(tree.this), inner(tree.args["expression"]))


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
    return expressions.bucket(inner(tree.this), low, high, count)


def _like(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression", "negate")
    pattern = written_text(tree, tree.args.get("expression"))
    function: Function = "LIKE" if type(tree) is exp.Like else "ILIKE"
    node = Applied(function, inner(tree.this), (pattern,))
    return Negated(node) if tree.args.get("negate") else node


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
        return expressions.first_characters(inner(tree.this), count)
    return Applied("RIGHT", inner(tree.this), (count,))


def _holds(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    text, value = written_text(tree, tree.args.get("expression")), inner(tree.this)
    if type(tree) is exp.StartsWith:
        return expressions.starts_with(value, text)
    if type(tree) is exp.EndsWith:
        return expressions.ends_with(value, text)
    return Applied("CONTAINS", value, (text,))


def _concat(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "expressions", "safe", "coalesce")
    parts = [inner(part) for part in tree.expressions]
    # Two texts side by side are read as one by sqlglot, and are more likely a slip.
    if len(parts) < 2 or not tree.args.get("safe"):
        raise not_offered(tree)
    node, *others = parts
    for other in others:
        node = Joined(node, other)
    return node


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
    if unit not in DATE_UNITS and unit not in TIME_SECONDS:
        raise not_offered(tree)
    return Applied("DATE_TRUNC", inner(tree.this), (unit,))


def _difference(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression", "unit", "date_part_boundary")
    unit = tree.args.get("unit")
    start, end = inner(tree.args["expression"]), inner(tree.this)
    node = None if unit is None else expressions.date_difference(unit.name.lower(), start, end)
    if node is None:
        raise not_offered(tree)
    return node


def _if(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "true", "false")
    otherwise = tree.args.get("false")
    false = Constant(None) if otherwise is None else inner(otherwise)
    return Chosen(inner(tree.this), inner(tree.args["true"]), false)


def _coalesce(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expressions")
    return expressions.coalesced([inner(one) for one in (tree.this, *tree.expressions)])


def _null_if(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    return expressions.null_if(inner(tree.this), inner(tree.args["expression"]))


def _extreme(tree: exp.Expr, inner: Inner, *, least: bool) -> Node:
    check_given(tree, "this", "expressions", "ignore_nulls")
    return expressions.extreme([inner(one) for one in (tree.this, *tree.expressions)], least=least)


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


def parse_expression(text: str, table: str | None = None) -> Node:
    """The row expression that a text stands for; columns may be qualified by the table's name.

    >>> parse_expression("stay BETWEEN 2 AND 7 AND ward <> 'A'")
    ... # doctest: +ELLIPSIS
    Both(left=Both(left=Compared(operator='>=', ...
    >>> parse_expression("pg_sleep(10)")
    Traceback (most recent call last):
      ...
    discreet.errors.QueryError: line 1, column 1: 'pg_sleep(…)' is not offered. Offered ...
    """
    try:
        return read_node(parsed_expression(text), partial(_of_one_table, table=table))
    except DiscreetError as error:
        error.caught_by(Front.SQL)
        raise


def read_node(tree: exp.Expr, resolve: Resolve, text: str | None = None) -> Node:
    """The node of a parsed row expression; ``resolve`` says what a column's name means.

    With the text that it was parsed from, every node knows its place.
    """
    return read_size(_read(tree, resolve, text, 0))


def _read(tree: exp.Expr | None, resolve: Resolve, text: str | None, depth: int) -> Node:
    if depth > _DEEPEST_TREE:
        raise too_deep()
    if tree is None:  # sqlglot reads FLOOR() and the like
        raise QueryError(
            "a function is called without a value. It is computed from something of the row. Write "
            "one between its brackets: FLOOR(x)."
        )
    found = resolve(tree)
    if found is None:
        reader = _READERS.get(type(tree))
        if reader is None:
            raise not_offered(tree)
        try:
            found = reader(tree, partial(_read, resolve=resolve, text=text, depth=depth + 1))
        except DiscreetError as error:
            error.at(None if text is None else position_of(tree, text))
            raise
    return found if text is None else placed(found, position_of(tree, text))


def _of_one_table(tree: exp.Expr, table: str | None) -> Node | None:
    if type(tree) is not exp.Column:
        return None
    name, qualifier = column_parts(tree)
    if qualifier is not None and qualifier != table:
        known = f"by {table!r} or " if table else ""
        raise QueryError(
            f"the column {sql_excerpt(tree)!r} is qualified by {qualifier[:60]!r}. A question is "
            f"about one table, so columns are qualified {known}not at all. Write {name[:60]}."
        )
    return Named(name)


def column_parts(tree: exp.Expr) -> tuple[str, str | None]:
    """A column's name, and that of the table it is qualified by."""
    name, table = tree.this, tree.args.get("table")
    if type(name) is not exp.Identifier or present_arguments(tree) - {"this", "table"}:
        raise not_offered(tree)
    return name.name, None if table is None else table.name


def written_only(tree: exp.Expr) -> Node | None:
    """The refusal of a column where a written value is needed."""
    if type(tree) is not exp.Column:
        return None
    raise not_offered(tree, "A written value stands here, such as 0.9 or DATE '2026-01-31'.")


def _literal(tree: exp.Expr, _: Inner) -> Node:
    if tree.is_string:
        return Constant(str(tree.this))
    try:
        number = rational(str(tree.this))
    except PrivacyParameterError:
        number = None
    if number is None or number > LARGEST_BOUND:
        raise QueryError(
            f"the number {str(tree.this)[:60]!r} is too long or beyond 10^100. Values are computed "
            "in 64-bit floats. Use another unit."
        )
    return Constant(number)


def _boolean(tree: exp.Expr, _: Inner) -> Node:
    return Constant(bool(tree.this))


def _null(_: exp.Expr, __: Inner) -> Node:
    return _NOTHING


def _paren(tree: exp.Expr, inner: Inner) -> Node:
    return inner(tree.this)


def _negative(tree: exp.Expr, inner: Inner) -> Node:
    operand = inner(tree.this)
    value = number_of(operand)
    return negative(operand) if value is None else Constant(-value)


def _calculation(tree: exp.Expr, inner: Inner) -> Node:
    # sqlglot notes how its dialect divides; ours is total and has one meaning.
    check_given(tree, "this", "expression", "typed", "safe")
    sides = (tree.this, tree.args["expression"])
    moves = type(tree) in (exp.Add, exp.Sub)
    left, right = (
        _days(side) if moves and type(side) is exp.Interval else inner(side) for side in sides
    )
    return Calculation(_CALCULATIONS[type(tree)], left, right)


def _days(tree: exp.Expr) -> Node:
    """An interval beside a date or a datetime, in days."""
    check_given(tree, "this", "unit")
    count, unit = tree.this, tree.args.get("unit")
    number = count.name if type(count) is exp.Literal else ""
    seconds = _SPANS.get("" if unit is None else unit.name.upper().removesuffix("S"))
    if seconds is None or not number.removeprefix("-").isdecimal() or len(number) > 9:
        raise not_offered(tree)
    return Constant(Fraction(int(number) * seconds, DAY_SECONDS))


def _comparison(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    left, right = inner(tree.this), inner(tree.args["expression"])
    if _NOTHING in (left, right):
        value = tree.this if right == _NOTHING else tree.args["expression"]
        test = "IS NOT NULL" if type(tree) is exp.NEQ else "IS NULL"
        raise _never_true(tree, f"{sql_excerpt(value)} {test}")
    return Compared(_COMPARISONS[type(tree)], left, right)


def _never_true(tree: exp.Expr, instead: str) -> QueryError:
    return QueryError(
        f"{sql_excerpt(tree)!r} compares with NULL. No comparison with what is missing is ever "
        f"true. Write {instead}."
    )


def _logic(tree: exp.Expr, inner: Inner) -> Node:
    """A chain without brackets becomes a balanced tree, so that its length is not its depth."""
    kind, parts, current = type(tree), [], tree
    while type(current) is kind:
        check_given(current, "this", "expression")
        parts.append(current.args["expression"])
        current = current.this
    parts.append(current)
    combined = all_of if kind is exp.And else any_of
    return combined([inner(part) for part in reversed(parts)])


def _not(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return Negated(inner(tree.this))


def _is(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    wanted = tree.args["expression"]
    if type(wanted) is exp.Boolean:
        return is_exactly(inner(tree.this), bool(wanted.this))
    if type(wanted) is not exp.Null:
        raise not_offered(tree)
    return Missing(inner(tree.this))


def _same(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    found = is_not_distinct(inner(tree.this), inner(tree.args["expression"]))
    return found if type(tree) is exp.NullSafeEQ else Negated(found)


def _between(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "low", "high")
    value = inner(tree.this)
    low, high = inner(tree.args["low"]), inner(tree.args["high"])
    return Both(Compared(">=", value, low), Compared("<=", value, high))


def _in(tree: exp.Expr, inner: Inner) -> Node:
    listed = tree.args.get("expressions") or []
    if tree.args.get("query") is not None:
        raise not_offered(
            tree,
            "A list of a public table stands in the WHERE of the whole question, beside other "
            "conditions by AND. Elsewhere, join the table.",
        )
    check_given(tree, "this", "expressions")
    values = [inner(one) for one in listed]
    if not values or not all(isinstance(one, Constant) for one in values):
        raise not_offered(tree, "After IN stand written values: x IN ('A', 'B').")
    if _NOTHING in values:
        raise _never_true(tree, f"{sql_excerpt(tree.this)} IS NULL beside the other values")
    value = inner(tree.this)
    return any_of([Compared("=", value, one) for one in values])


def _case(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "ifs", "default")
    subject = None if tree.this is None else inner(tree.this)
    default = tree.args.get("default")
    node: Node = _NOTHING if default is None else inner(default)
    for branch in reversed(tree.args["ifs"]):
        check_given(branch, "this", "true")
        condition = inner(branch.this)
        if subject is not None:
            condition = Compared("=", subject, condition)
        node = Chosen(condition, inner(branch.args["true"]), node)
    return node


_READERS: dict[type[exp.Expr], Reader] = {
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Paren: _paren,
    exp.Neg: _negative,
    exp.And: _logic,
    exp.Or: _logic,
    exp.Not: _not,
    exp.Is: _is,
    exp.NullSafeEQ: _same,
    exp.NullSafeNEQ: _same,
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    **CALLS,
    **dict.fromkeys(_CALCULATIONS, _calculation),
    **dict.fromkeys(_COMPARISONS, _comparison),
}
