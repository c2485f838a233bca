"""What kind of value an expression has, and between which public bounds it lies."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fractions import Fraction
from math import floor

from discreet.errors import Place, QueryError, Remedy
from discreet.exact.interval_arithmetic import (
    Interval,
    absolute,
    added,
    divided,
    floored,
    hull,
    multiplied,
    narrowed,
    negative,
    remainder,
)
from discreet.plan.calendar import DAY_SECONDS, Dated, day, second, time_second
from discreet.plan.expressions import (
    MOST_NODES,
    Absolute,
    Applied,
    Arithmetic,
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
    Together,
    constant_text,
    expression_text,
    flag,
    quoted_name,
    read_size,
    rounded,
)
from discreet.plan.function_signatures import (
    CALENDAR,
    DATE_PART_RANGES,
    Kind,
    cuts_time,
    repeats,
    signature,
)
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn

COUNTED = (Kind.NUMBER, Kind.DATE, Kind.DATETIME, Kind.TIME)
"""The kinds of value that lie between bounds."""
KINDS = {
    Dated.NOT: Kind.NUMBER,
    Dated.DAYS: Kind.DATE,
    Dated.SECONDS: Kind.DATETIME,
    Dated.TIME: Kind.TIME,
}
DATES = {kind: dated for dated, kind in KINDS.items()}
"""What the numbers of a kind are read as."""
Facts = Mapping[Node, Interval]
"""Expressions that lie between bounds, or are missing, wherever a branch is taken."""

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "<>", "<>": "="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


_NONE: Facts = {}
_OF_TIMES = ("HOUR", "MINUTE", "SECOND", "EPOCH", "DATE_TRUNC")
"""The functions of a datetime that a time of day has, too."""
_LONGEST = 60
"""Characters of a name or a value that is an example in a message."""


def where_true(condition: Node) -> Facts:
    """What holds where a condition is true.

    >>> from discreet.plan.expressions import Named
    >>> where_true(Compared("<", Named("x"), Constant(Fraction(7))))
    {Named(name='x'): Interval(low=None, high=Fraction(7, 1))}
    """
    match condition:
        case Compared(operator, left, right):
            return _compared(operator, left, right)
        case Both(left, right):
            return both(where_true(left), where_true(right))
        case Negated(operand):
            return where_not_true(operand)
    return {}


def where_not_true(condition: Node) -> Facts:
    """What holds where a condition is false or missing: the other side of it, or missing."""
    match condition:
        case Compared(operator, left, right):
            return _compared(_OPPOSITE[operator], left, right)
        case Either(left, right):
            return both(where_not_true(left), where_not_true(right))
    return {}


def both(first: Facts, second: Facts) -> Facts:
    """What holds where both do."""
    shared = {node: narrowed(first[node], second[node]) for node in first if node in second}
    return {**first, **second, **shared}


def _compared(operator: str, left: Node, right: Node) -> Facts:
    """The bounds of an operand that is compared with a written number."""
    if isinstance(left, Constant):
        operator, left, right = _MIRRORED[operator], right, left
    if isinstance(left, Constant) or not isinstance(right, Constant):
        return {}
    value = right.value
    if not isinstance(value, Fraction):
        return {}
    low = value if operator in (">", ">=", "=") else None
    high = value if operator in ("<", "<=", "=") else None
    return {} if low is None and high is None else {left: Interval(low, high)}


__all__ = ["CheckedExpression", "Kind", "check_expression", "unknown_column"]


@dataclass(frozen=True, slots=True)
class CheckedExpression:
    """A checked expression: its kind, and the public bounds of a number where they are known."""

    node: Node
    kind: Kind
    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False
    default: Fraction | None = None

    @property
    def bounded(self) -> bool:
        """Whether both its bounds are public."""
        return self.low is not None and self.high is not None

    @property
    def interval(self) -> Interval:
        """Where it lies."""
        return Interval(self.low, self.high)


def check_expression(node: Node, columns: Mapping[str, Column]) -> CheckedExpression:
    """The kind and the bounds of an expression, or a refusal that says what does not fit.

    Where the expression was read from a text, the refusal says where its innermost part stands.
    """
    read_size(node)  # before anything recurses into it
    if written_size(node) > MOST_NODES:
        raise QueryError(
            f"{expression_text(node)[:60]!r} becomes too long when it is written out: a clip, a "
            "divisor or a part of a date stands for its value several times. Engines read what is "
            "written. Nest fewer."
        ).at(node.place)
    return _check(node, columns, _NONE)


def bounds_of(node: Node, columns: Mapping[str, Column]) -> CheckedExpression:
    """The kind and the bounds of an expression that was checked before, or of a part of one."""
    return _check(node, columns, _NONE)


def written_size(node: Node) -> int:
    """How many parts the SQL of a node has once an engine has written it out, about."""
    if isinstance(node, Named | Calculation | Absolute | Floored):
        return 2 * _computed_size(node)
    parts = [getattr(node, field.name) for field in fields(node)]
    inside = sum(written_size(part) for part in parts if isinstance(part, Node))
    if isinstance(node, Clipped | Converted):
        return 1 + 3 * inside
    return 1 + inside * (repeats(node) if isinstance(node, Applied) else 1)


def _computed_size(node: Node) -> int:
    """The size of the SQL of a node inside arithmetic, where a divisor is written twice."""
    match node:
        case Named():
            return 1
        case Calculation(operator, left, right):
            twice = 2 if operator in ("/", "%") else 1
            return 1 + _computed_size(left) + twice * _computed_size(right)
        case Absolute(operand) | Floored(operand):
            return 1 + _computed_size(operand)
    return written_size(node)


def condition_of(node: Node, columns: Mapping[str, Column], clause: str = "WHERE has") -> Node:
    """A checked condition on rows, or the refusal of an expression that is not a condition."""
    typed = check_expression(node, columns)
    if typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"{clause} {expression_text(node)[:60]!r}, which is not a condition. A row is kept if "
            "it is true for it.",
            Remedy(
                python=f"Write a comparison, such as {example_comparison(columns)}.",
                sql=f"Write a comparison, such as {example_condition(columns)}.",
            ),
        ).at(node.place)
    return typed.node


def unknown_column(name: str, columns: Mapping[str, Column]) -> QueryError:
    """The refusal of a column that is not declared, with those that are."""
    near = get_close_matches(name, columns, 1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(list(columns)[:12]) + (", …" if len(columns) > 12 else "")
    return QueryError(
        f"there is no declared column {name[:60]!r}.{meant} Only declared columns can be asked "
        f"about: {listed or 'none is declared'}. Declare it under columns, or correct the name."
    )


def _check(node: Node, columns: Mapping[str, Column], facts: Facts) -> CheckedExpression:
    """The kind and bounds of a node where ``facts`` hold; a refusal says where it stands."""
    try:
        typed = _typed(node, columns, facts)
    except QueryError as error:
        error.at(node.place)
        raise
    if not facts or node not in facts or typed.kind not in COUNTED:
        return typed
    interval = narrowed(facts[node], typed.interval)
    return CheckedExpression(
        typed.node, typed.kind, interval.low, interval.high, typed.whole, typed.default
    )


def _typed(node: Node, columns: Mapping[str, Column], facts: Facts) -> CheckedExpression:
    match node:
        case Named(name):
            if name not in columns:
                raise unknown_column(name, columns)
            return _column(node, columns[name])
        case Constant(value, dated):
            return _constant(node, value, dated)
        case Calculation(operator, left, right):
            sides = _check(left, columns, facts), _check(right, columns, facts)
            if Kind.TIME in (sides[0].kind, sides[1].kind):
                return _between_times(operator, *sides, node)
            if Kind.DATETIME in (sides[0].kind, sides[1].kind):
                return _clock(operator, *sides, node)
            if Kind.DATE in (sides[0].kind, sides[1].kind):
                return _calendar(operator, *sides, node)
            what = f"the operator {operator}"
            one, two = (_need(side, Kind.NUMBER, what) for side in sides)
            return _calculation(operator, one, two, node.place)
        case Compared(operator, left, right):
            first, second = _alike(
                _check(left, columns, facts), _check(right, columns, facts), node
            )
            compared = Compared(operator, first.node, second.node, place=node.place)
            return CheckedExpression(compared, Kind.BOOLEAN)
        case Both(left, right) | Either(left, right):
            one, two = (
                _need(_check(part, columns, facts), Kind.BOOLEAN, "AND and OR")
                for part in (left, right)
            )
            return CheckedExpression(type(node)(one.node, two.node, place=node.place), Kind.BOOLEAN)
        case Joined(left, right):
            one, two = (
                _need(_check(part, columns, facts), Kind.TEXT, "||") for part in (left, right)
            )
            return CheckedExpression(Joined(one.node, two.node, place=node.place), Kind.TEXT)
        case Together():
            raise TypeError("values that stand together are checked one by one")
        case Negated(operand):
            inner = _need(_check(operand, columns, facts), Kind.BOOLEAN, "NOT")
            return CheckedExpression(Negated(inner.node, place=node.place), Kind.BOOLEAN)
        case Missing(operand):
            inner = _check(operand, columns, facts)
            return CheckedExpression(Missing(inner.node, place=node.place), Kind.BOOLEAN)
        case Absolute(operand):
            inner = _need(_check(operand, columns, facts), Kind.NUMBER, "ABS")
            distance = Absolute(inner.node, place=node.place)
            return _number(distance, absolute(inner.interval), inner.whole)
        case Floored(operand):
            inner = _need(_check(operand, columns, facts), Kind.NUMBER, "FLOOR")
            below = Floored(inner.node, place=node.place)
            return _number(below, floored(inner.interval), True)
        case Clipped(operand, low, high):
            inner = _need(_check(operand, columns, facts), Kind.NUMBER, "clip")
            if low >= high:
                raise QueryError(
                    "the bounds of clip do not increase. Values are moved between them.",
                    Remedy(python="Write .clip(0, 60).", sql="Write CLIP(x, 0, 60)."),
                )
            whole = inner.whole and low.denominator == high.denominator == 1
            clipped = Clipped(inner.node, low, high, place=node.place)
            return CheckedExpression(clipped, Kind.NUMBER, low, high, whole)
        case Chosen(condition, then, otherwise):
            test = _need(_check(condition, columns, facts), Kind.BOOLEAN, "a condition")
            first, second = _alike(
                _check(then, columns, both(facts, where_true(condition))),
                _check(otherwise, columns, both(facts, where_not_true(condition))),
                node,
            )
            return _chosen(test, first, second, node.place)
        case Applied(function, operand, parameters):
            rule = signature(node)
            inner = _as_taken(node, _check(operand, columns, facts))
            if function == "DATE" and inner.kind is Kind.DATE:
                return inner
            timed = inner.kind is Kind.TIME and function in _OF_TIMES
            inner = inner if timed else _need(inner, rule.takes, function)
            interval = rule.bounds(inner.interval, parameters)
            applied = Applied(function, inner.node, parameters, place=node.place)
            gives = Kind.TIME if timed and rule.gives is Kind.DATETIME else rule.gives
            return CheckedExpression(applied, gives, interval.low, interval.high, rule.whole)
        case Converted(operand, _):
            return _converted(node, _check(operand, columns, facts))


def _number(node: Node, found: Interval, whole: bool) -> CheckedExpression:
    return CheckedExpression(node, Kind.NUMBER, found.low, found.high, whole)


def _chosen(
    test: CheckedExpression,
    first: CheckedExpression,
    second: CheckedExpression,
    place: Place | None,
) -> CheckedExpression:
    node = Chosen(test.node, first.node, second.node, place=place)
    sides = [side for side in (first, second) if side.kind is not Kind.NOTHING]
    if not sides:
        return CheckedExpression(node, Kind.NOTHING)
    interval = hull(sides[0].interval, sides[-1].interval)
    whole = all(side.whole for side in sides)
    return CheckedExpression(node, sides[0].kind, interval.low, interval.high, whole)


def _column(node: Node, column: Column) -> CheckedExpression:
    if isinstance(column, NumberColumn):
        kind = KINDS[Dated(column.dated)]
        return CheckedExpression(node, kind, column.low, column.high, column.whole, column.default)
    if isinstance(column, BooleanColumn):
        return CheckedExpression(node, Kind.BOOLEAN)
    if isinstance(column, CategoryColumn) and column.numeric:
        values = [Fraction(value) for value in column.values]
        return CheckedExpression(node, Kind.NUMBER, min(values), max(values), True)
    return CheckedExpression(node, Kind.TEXT)


def _constant(node: Node, value: Fraction | bool | str | None, dated: Dated) -> CheckedExpression:
    if value is None:
        return CheckedExpression(node, Kind.NOTHING)
    if isinstance(value, bool):
        return CheckedExpression(node, Kind.BOOLEAN)
    if isinstance(value, str):
        return CheckedExpression(node, Kind.TEXT)
    return CheckedExpression(node, KINDS[Dated(dated)], value, value, value.denominator == 1)


def _alike(
    first: CheckedExpression, second: CheckedExpression, node: Node
) -> tuple[CheckedExpression, CheckedExpression]:
    """Two values of one kind; a text beside a date or a datetime is read as one.

    A date beside a datetime is the midnight with which it begins.
    """
    first, second = _beside(first, second.kind), _beside(second, first.kind)
    if {first.kind, second.kind} == {Kind.DATE, Kind.DATETIME}:
        first, second = _as_midnight(first), _as_midnight(second)
    if {first.kind, second.kind} == {Kind.DATE, Kind.DATETIME}:
        first, second = _on_clock(first), _on_clock(second)
    kinds = {first.kind, second.kind} - {Kind.NOTHING}
    if len(kinds) > 1:
        remedy: str | Remedy = (
            "Compare a number with a number, a text with a text, a date with a date such as "
            "'2026-01-31', a datetime with one such as '2026-01-31 10:00', a time of day with one "
            "such as '10:00'."
        )
        if isinstance(node, Compared) and Kind.BOOLEAN in kinds:
            truth = expression_text((first if first.kind is Kind.BOOLEAN else second).node)[:60]
            remedy = Remedy(
                python=f"Write {truth} by itself, or compare it with True.",
                sql=f"Write {truth}, or {truth} = TRUE.",
            )
        compares = isinstance(node, Compared)
        does = "compares" if compares else "chooses between"
        raise QueryError(
            f"{expression_text(node)[:80]!r} {does} a {first.kind} {'with' if compares else 'and'} "
            f"a {second.kind}. Both must be of one kind, so that nothing can fail on data.",
            remedy,
        ).at(_written_side(first.node, second.node))
    return first, second


def _written_side(left: Node, right: Node) -> Place | None:
    """Where the one of two sides stands that is written out, which is the easier one to mend."""
    written = [side for side in (left, right) if isinstance(side, Constant)]
    return written[0].place if len(written) == 1 else None


def _as_taken(node: Applied, inner: CheckedExpression) -> CheckedExpression:
    """The operand of a function, as its date where parts of a date are asked of a datetime."""
    rule = signature(node)
    asks_date = node.function in DATE_PART_RANGES or node.function == "DATE_TRUNC"
    if inner.kind is Kind.DATETIME and rule.takes is Kind.DATE and asks_date:
        return _date_of(inner)
    if inner.kind is Kind.DATE and node.function == "DATE_TRUNC" and cuts_time(node.parameters):
        raise QueryError(
            f"{expression_text(node)[:80]!r} cuts a date to a part of a day. A date has no time "
            "of day.",
            Remedy(
                python='Declare the column as dp.datetime(…), or write .truncate("month").',
                sql="Declare the column with type = \"datetime\", or write DATE_TRUNC('month', x).",
            ),
        ).at(node.place)
    return inner


def _date_of(side: CheckedExpression) -> CheckedExpression:
    date = Applied("DATE", side.node, place=side.node.place)
    interval = signature(date).bounds(side.interval, ())
    return CheckedExpression(date, Kind.DATE, interval.low, interval.high, True)


def _time_of(side: CheckedExpression, place: Place | None) -> CheckedExpression:
    """The time of day of a datetime: its seconds since the midnight before."""
    node = Applied("TIME", side.node, place=place)
    interval = signature(node).bounds(side.interval, ())
    return CheckedExpression(node, Kind.TIME, interval.low, interval.high, True)


def _beside(side: CheckedExpression, other: Kind) -> CheckedExpression:
    """A text beside a date or a datetime, as one."""
    if side.kind is not Kind.TEXT:
        return side
    if other is Kind.DATETIME:
        return _as_datetime(side)
    if other is Kind.TIME:
        return _as_time(side)
    return _as_date(side) if other is Kind.DATE else side


def _as_midnight(side: CheckedExpression) -> CheckedExpression:
    """A written midnight as its date, which is what it is compared as with one."""
    value = side.node.value if isinstance(side.node, Constant) else None
    if side.kind is not Kind.DATETIME or not isinstance(value, Fraction) or value % DAY_SECONDS:
        return side
    date = Constant(value / DAY_SECONDS, Dated.DAYS, place=side.node.place)
    return CheckedExpression(date, Kind.DATE, date.value, date.value, True)  # type: ignore[arg-type]


def _on_clock(side: CheckedExpression) -> CheckedExpression:
    """A date as the midnight with which it begins."""
    if side.kind is not Kind.DATE:
        return side
    if isinstance(side.node, Constant) and isinstance(side.node.value, Fraction):
        return _moment(side.node.value * DAY_SECONDS, side.node.place)
    midnight = Applied("MIDNIGHT", side.node, place=side.node.place)
    interval = signature(midnight).bounds(side.interval, ())
    return CheckedExpression(midnight, Kind.DATETIME, interval.low, interval.high, True)


def _moment(value: Fraction, place: Place | None) -> CheckedExpression:
    node = Constant(value, Dated.SECONDS, place=place)
    return CheckedExpression(node, Kind.DATETIME, value, value, True)


def _as_datetime(side: CheckedExpression) -> CheckedExpression:
    seconds = second(side.node.value if isinstance(side.node, Constant) else None)
    if seconds is None:
        raise QueryError(
            f"{expression_text(side.node)[:60]} is used as a datetime, and is not one. Datetimes "
            "are written as a date and a time of the column's own clock, without a zone. Write "
            "'2026-01-31 10:00:00'."
        ).at(side.node.place)
    return _moment(Fraction(seconds), side.node.place)


def _as_time(side: CheckedExpression) -> CheckedExpression:
    seconds = time_second(side.node.value if isinstance(side.node, Constant) else None)
    if seconds is None:
        raise QueryError(
            f"{expression_text(side.node)[:60]} is used as a time of day, and is not one. Times "
            "are written with two digits each for hour, minute and second. Write '08:30' or "
            "'08:30:00'."
        ).at(side.node.place)
    value = Fraction(seconds)
    time = Constant(value, Dated.TIME, place=side.node.place)
    return CheckedExpression(time, Kind.TIME, value, value, True)


def _as_date(side: CheckedExpression) -> CheckedExpression:
    text = side.node.value if isinstance(side.node, Constant) else None
    days = day(text)
    if days is None:
        raise QueryError(
            f"{expression_text(side.node)[:60]} is used as a date, and is not one. Dates are "
            "written as year, month and day. Write '2026-01-31'."
        ).at(side.node.place)
    value = Fraction(days)
    date = Constant(value, Dated.DAYS, place=side.node.place)
    return CheckedExpression(date, Kind.DATE, value, value, True)


def _need(part: CheckedExpression, kind: Kind, what: str) -> CheckedExpression:
    if part.kind not in (kind, Kind.NOTHING):
        raise QueryError(
            f"{what} takes a {kind}, and {expression_text(part.node)[:60]!r} is a {part.kind}. "
            "Kinds are checked before anything is spent. Use a column of the right kind, or "
            "declare it so."
        ).at(part.node.place)
    return part


def _calculation(
    operator: Arithmetic, left: CheckedExpression, right: CheckedExpression, place: Place | None
) -> CheckedExpression:
    whole = operator != "/" and left.whole and right.whole
    first, second = left.interval, right.interval
    match operator:
        case "+":
            interval = added(first, second)
        case "-":
            interval = added(first, negative(second))
        case "*":
            interval = multiplied(first, second)
        case "/":
            interval = divided(first, second)
        case "%":
            interval = remainder(first, second, whole)
    return _number(Calculation(operator, left.node, right.node, place=place), interval, whole)


def _calendar(
    operator: Arithmetic, left: CheckedExpression, right: CheckedExpression, node: Node
) -> CheckedExpression:
    """The days between two dates, or the date so many days before or after one."""
    if operator == "-" and {left.kind, right.kind} <= {Kind.DATE, Kind.TEXT, Kind.NOTHING}:
        return _calculation("-", *_alike(left, right, node), node.place)
    later = right.kind is Kind.DATE
    days = left if later else right
    if operator not in ("+", "-") or (later and operator == "-") or days.kind is Kind.DATE:
        raise QueryError(
            f"{expression_text(node)[:80]!r} calculates with a date. Two dates have a difference "
            "in days, and a date plus or minus a number of days is a date. Write one date minus "
            "another, or d + 7."
        )
    days = _need(days, Kind.NUMBER, f"the operator {operator} with a date")
    moved = _calculation(operator, *((days, right) if later else (left, days)), node.place)
    day_interval = floored(narrowed(moved.interval, CALENDAR))
    dated = Applied("CALENDAR", moved.node, place=node.place)
    return CheckedExpression(dated, Kind.DATE, day_interval.low, day_interval.high, True)


def _clock(
    operator: Arithmetic, left: CheckedExpression, right: CheckedExpression, node: Node
) -> CheckedExpression:
    """The days between two datetimes, or the datetime so many days before or after one."""
    moments = {Kind.DATE, Kind.DATETIME}
    if operator == "-" and {left.kind, right.kind} <= moments | {Kind.TEXT, Kind.NOTHING}:
        one, two = (_epoch(side) for side in _alike(left, right, node))
        seconds = _calculation("-", one, two, node.place)
        day_length = Constant(Fraction(DAY_SECONDS))
        return _calculation("/", seconds, _constant(day_length, day_length.value, Dated.NOT), None)
    later = right.kind is Kind.DATETIME
    moment, days = (right, left) if later else (left, right)
    if operator not in ("+", "-") or (later and operator == "-") or days.kind in moments:
        raise QueryError(
            f"{expression_text(node)[:80]!r} calculates with a datetime. Two datetimes have a "
            "difference in days and fractions of one, and a datetime plus or minus a number of "
            "days is a datetime.",
            Remedy(
                python="Write one datetime minus another, or t + datetime.timedelta(hours=6).",
                sql="Write one datetime minus another, DATE_DIFF('hour', s, t), or "
                "t + INTERVAL '6' HOUR.",
            ),
        )
    days = _need(days, Kind.NUMBER, f"the operator {operator} with a datetime")
    moved = _calculation(operator, _epoch(moment), _seconds(days), node.place)
    reached = Applied("MOMENT", moved.node, place=node.place)
    interval = signature(reached).bounds(moved.interval, ())
    return CheckedExpression(reached, Kind.DATETIME, interval.low, interval.high, True)


def _between_times(
    operator: Arithmetic, left: CheckedExpression, right: CheckedExpression, node: Node
) -> CheckedExpression:
    """The days between two times of day, which are fractions of one."""
    if operator != "-" or not {left.kind, right.kind} <= {Kind.TIME, Kind.TEXT, Kind.NOTHING}:
        raise QueryError(
            f"{expression_text(node)[:80]!r} calculates with a time of day. Two of them have a "
            "difference, in fractions of a day; a sum would pass midnight.",
            Remedy(
                python="Write one time minus another, or .epoch() for the seconds since midnight.",
                sql="Write one time minus another, or EPOCH(t) for the seconds since midnight.",
            ),
        )
    one, two = (_epoch(side) for side in _alike(left, right, node))
    day_length = Constant(Fraction(DAY_SECONDS))
    length = _constant(day_length, day_length.value, Dated.NOT)
    return _calculation("/", _calculation("-", one, two, node.place), length, None)


def _epoch(side: CheckedExpression) -> CheckedExpression:
    """The number of seconds that a datetime is."""
    if isinstance(side.node, Constant) and isinstance(side.node.value, Fraction):
        return _constant(Constant(side.node.value), side.node.value, Dated.NOT)
    node = Applied("EPOCH", side.node, place=side.node.place)
    return _number(node, side.interval, True)


def _seconds(days: CheckedExpression) -> CheckedExpression:
    """A number of days in seconds, to the nearest one."""
    if isinstance(days.node, Constant) and isinstance(days.node.value, Fraction):
        value = Fraction(floor(days.node.value * DAY_SECONDS + Fraction(1, 2)))
        return _constant(Constant(value), value, Dated.NOT)
    length = Interval(Fraction(DAY_SECONDS), Fraction(DAY_SECONDS))
    half = Interval(Fraction(1, 2), Fraction(1, 2))
    found = floored(added(multiplied(days.interval, length), half))
    node = Calculation("*", days.node, Constant(Fraction(DAY_SECONDS)))
    return _number(rounded(node), found, True)


def _converted(node: Converted, inner: CheckedExpression) -> CheckedExpression:
    """A cast by the kinds that it is from and to: none can fail, and none depends on an engine."""
    value = inner.node
    match inner.kind, node.to:
        case Kind.NOTHING, _:
            return inner
        case (
            (Kind.NUMBER, "DOUBLE")
            | (Kind.BOOLEAN, "BOOLEAN")
            | (Kind.DATE, "DATE")
            | (Kind.DATETIME, "TIMESTAMP")
            | (Kind.TIME, "TIME")
            | (Kind.TEXT, "VARCHAR")
        ):
            return inner
        case Kind.DATETIME, "DATE":
            return _date_of(inner)
        case Kind.DATETIME, "TIME":
            return _time_of(inner, node.place)
        case Kind.DATE, "TIMESTAMP":
            return _on_clock(inner)
        case Kind.NUMBER, "INTEGER":
            half = Interval(Fraction(1, 2), Fraction(1, 2))
            found = floored(added(inner.interval, half))
            return inner if inner.whole else _number(rounded(value), found, True)
        case Kind.NUMBER, "BOOLEAN":
            return CheckedExpression(Compared("<>", value, Constant(Fraction(0))), Kind.BOOLEAN)
        case Kind.BOOLEAN, "DOUBLE" | "INTEGER":
            return _number(flag(value), Interval(Fraction(0), Fraction(1)), True)
        case Kind.BOOLEAN, "VARCHAR":
            return CheckedExpression(flag(value, Constant("true"), Constant("false")), Kind.TEXT)
        case Kind.TEXT, "DOUBLE":
            return _number(Converted(value, "DOUBLE", place=node.place), Interval(), False)
        case Kind.TEXT, "INTEGER":
            return _number(rounded(Converted(value, "DOUBLE")), Interval(), True)
        case Kind.TEXT, "BOOLEAN":
            return CheckedExpression(Converted(value, "BOOLEAN", place=node.place), Kind.BOOLEAN)
        case Kind.TEXT, "DATE":
            day_of = Converted(value, "DATE", place=node.place)
            return CheckedExpression(day_of, Kind.DATE, CALENDAR.low, CALENDAR.high, True)
    remedies: dict[Kind, str | Remedy] = {
        Kind.DATETIME: Remedy(
            python='Write .hour(), .truncate("hour") or .cast("date").',
            sql="Write HOUR(x), DATE_TRUNC('hour', x), CAST(x AS DATE), or EPOCH(x) for seconds.",
        ),
        Kind.TIME: Remedy(
            python='Write .hour(), .truncate("hour"), or .epoch() for seconds.',
            sql="Write HOUR(x), DATE_TRUNC('hour', x), or EPOCH(x) for seconds.",
        ),
        Kind.DATE: Remedy(
            python='Write .year(), .truncate("month"), or subtract a date for days.',
            sql="Write YEAR(x), DATE_TRUNC('month', x), or x - DATE '1970-01-01' for days.",
        ),
        Kind.NUMBER: Remedy(
            python='Group by the number itself, or by dp.when(x < 18).then("child").otherwise(…).',
            sql="Group by the number itself, or by CASE WHEN x < 18 THEN 'child' … END.",
        ),
    }
    raise QueryError(
        f"{expression_text(node)[:80]!r} makes {node.to} of a {inner.kind}. Engines write numbers "
        "and dates in different ways, so only casts that mean one thing are offered.",
        remedies.get(inner.kind, "Compare it as what it is."),
    )


def example_condition(columns: Mapping[str, Column]) -> str:
    """A condition on a row of these columns, in SQL, for a message."""
    for name, column in columns.items():
        if isinstance(column, NumberColumn) and not column.dated and len(name) <= _LONGEST:
            return f"{quoted_name(name)} > 2"
    return example_equality(columns)


def example_comparison(columns: Mapping[str, Column]) -> str:
    """A condition on a row of these columns, in Python, for a message."""
    for name, column in columns.items():
        if isinstance(column, NumberColumn) and not column.dated and len(name) <= _LONGEST:
            return f"dp.col({name!r}) > 2"
    return 'dp.col("x") > 2'


def example_equality(columns: Mapping[str, Column]) -> str:
    """A condition that chooses one group of rows, in SQL, for a message."""
    for name, column in columns.items():
        if isinstance(column, CategoryColumn) and len(name) <= _LONGEST:
            value = column.values[0]
            text = constant_text(value) if isinstance(value, str) else str(value)
            if len(text) <= _LONGEST:
                return f"{quoted_name(name)} = {text}"
    truths = (name for name, one in columns.items() if isinstance(one, BooleanColumn))
    return next((quoted_name(name) for name in truths if len(name) <= _LONGEST), "x = 'a'")
