"""What kind of value an expression has, and between which public bounds it lies."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fractions import Fraction

from discreet.errors import Place, QueryError, Remedy
from discreet.plan.columns import Boolean, Category, Column, Number, day
from discreet.plan.compose import flag, rounded
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
    read_size,
    shown,
)
from discreet.plan.facts import Facts, both, where_not_true, where_true
from discreet.plan.functions import CALENDAR, repeats, signature
from discreet.plan.intervals import (
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
from discreet.plan.kinds import Kind
from discreet.plan.schema import example_condition

__all__ = ["Kind", "Typed", "check", "unknown_column"]

_NONE: Facts = {}


@dataclass(frozen=True, slots=True)
class Typed:
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


def check(node: Node, columns: Mapping[str, Column]) -> Typed:
    """The kind and the bounds of an expression, or a refusal that says what does not fit.

    Where the expression was read from a text, the refusal says where its innermost part stands.
    """
    read_size(node)  # before anything recurses into it
    if written_size(node) > MOST_NODES:
        raise QueryError(
            f"{shown(node)[:60]!r} becomes too long when it is written out: a clip, a divisor or "
            "a part of a date stands for its value several times. Engines read what is written. "
            "Nest fewer."
        ).at(node.place)
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
    """The same inside of arithmetic, where a divisor is written twice."""
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
    """A checked condition on rows, or the refusal of what is none; ``clause`` begins it."""
    typed = check(node, columns)
    if typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"{clause} {shown(node)[:60]!r}, which is not a condition. A row is kept if it is true "
            "for it.",
            Remedy(
                python='Write a comparison, such as dp.col("stay") > 2.',
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


def _check(node: Node, columns: Mapping[str, Column], facts: Facts) -> Typed:
    """The kind and bounds of a node where ``facts`` hold; a refusal says where it stands."""
    try:
        typed = _typed(node, columns, facts)
    except QueryError as error:
        error.at(node.place)
        raise
    if not facts or node not in facts or typed.kind not in (Kind.NUMBER, Kind.DATE):
        return typed
    found = narrowed(facts[node], typed.interval)
    return Typed(typed.node, typed.kind, found.low, found.high, typed.whole, typed.default)


def _typed(node: Node, columns: Mapping[str, Column], facts: Facts) -> Typed:
    match node:
        case Named(name):
            if name not in columns:
                raise unknown_column(name, columns)
            return _column(node, columns[name])
        case Constant(value, dated):
            return _constant(node, value, dated)
        case Calculation(operator, left, right):
            sides = _check(left, columns, facts), _check(right, columns, facts)
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
            return Typed(compared, Kind.BOOLEAN)
        case Both(left, right) | Either(left, right):
            one, two = (
                _need(_check(part, columns, facts), Kind.BOOLEAN, "AND and OR")
                for part in (left, right)
            )
            return Typed(type(node)(one.node, two.node, place=node.place), Kind.BOOLEAN)
        case Joined(left, right):
            one, two = (
                _need(_check(part, columns, facts), Kind.TEXT, "||") for part in (left, right)
            )
            return Typed(Joined(one.node, two.node, place=node.place), Kind.TEXT)
        case Negated(operand):
            inner = _need(_check(operand, columns, facts), Kind.BOOLEAN, "NOT")
            return Typed(Negated(inner.node, place=node.place), Kind.BOOLEAN)
        case Missing(operand):
            inner = _check(operand, columns, facts)
            return Typed(Missing(inner.node, place=node.place), Kind.BOOLEAN)
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
            return Typed(clipped, Kind.NUMBER, low, high, whole)
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
            inner = _need(_check(operand, columns, facts), rule.takes, function)
            found = rule.bounds(inner.interval, parameters)
            applied = Applied(function, inner.node, parameters, place=node.place)
            return Typed(applied, rule.gives, found.low, found.high, rule.whole)
        case Converted(operand, _):
            return _converted(node, _check(operand, columns, facts))


def _number(node: Node, found: Interval, whole: bool) -> Typed:
    return Typed(node, Kind.NUMBER, found.low, found.high, whole)


def _chosen(test: Typed, first: Typed, second: Typed, place: Place | None) -> Typed:
    node = Chosen(test.node, first.node, second.node, place=place)
    sides = [side for side in (first, second) if side.kind is not Kind.NOTHING]
    if not sides:
        return Typed(node, Kind.NOTHING)
    found = hull(sides[0].interval, sides[-1].interval)
    whole = all(side.whole for side in sides)
    return Typed(node, sides[0].kind, found.low, found.high, whole)


def _column(node: Node, column: Column) -> Typed:
    if isinstance(column, Number):
        kind = Kind.DATE if column.dated else Kind.NUMBER
        return Typed(node, kind, column.low, column.high, column.whole, column.default)
    if isinstance(column, Boolean):
        return Typed(node, Kind.BOOLEAN)
    if isinstance(column, Category) and column.numeric:
        values = [Fraction(value) for value in column.values]
        return Typed(node, Kind.NUMBER, min(values), max(values), True)
    return Typed(node, Kind.TEXT)


def _constant(node: Node, value: Fraction | bool | str | None, dated: bool) -> Typed:
    if value is None:
        return Typed(node, Kind.NOTHING)
    if isinstance(value, bool):
        return Typed(node, Kind.BOOLEAN)
    if isinstance(value, str):
        return Typed(node, Kind.TEXT)
    return Typed(node, Kind.DATE if dated else Kind.NUMBER, value, value, value.denominator == 1)


def _alike(first: Typed, second: Typed, node: Node) -> tuple[Typed, Typed]:
    """Two values of one kind; a text beside a date is read as a date."""
    if first.kind is Kind.DATE and second.kind is Kind.TEXT:
        second = _as_date(second)
    elif second.kind is Kind.DATE and first.kind is Kind.TEXT:
        first = _as_date(first)
    kinds = {first.kind, second.kind} - {Kind.NOTHING}
    if len(kinds) > 1:
        remedy: str | Remedy = (
            "Compare a number with a number, a text with a text, a date with a date such as "
            "'2026-01-31'."
        )
        if isinstance(node, Compared) and Kind.BOOLEAN in kinds:
            truth = shown((first if first.kind is Kind.BOOLEAN else second).node)[:60]
            remedy = Remedy(
                python=f"Write {truth} by itself, or compare it with True.",
                sql=f"Write {truth}, or {truth} = TRUE.",
            )
        raise QueryError(
            f"{shown(node)[:80]!r} sets a {first.kind} beside a {second.kind}. Only values of one "
            "kind are compared or chosen between, so that nothing can fail on data.",
            remedy,
        )
    return first, second


def _as_date(side: Typed) -> Typed:
    text = side.node.value if isinstance(side.node, Constant) else None
    days = day(text)
    if days is None:
        raise QueryError(
            f"{shown(side.node)[:60]} stands beside a date and is none. Dates are written as year, "
            "month and day. Write '2026-01-31'."
        ).at(side.node.place)
    value = Fraction(days)
    date = Constant(value, dated=True, place=side.node.place)
    return Typed(date, Kind.DATE, value, value, True)


def _need(part: Typed, kind: Kind, what: str) -> Typed:
    if part.kind not in (kind, Kind.NOTHING):
        raise QueryError(
            f"{what} takes a {kind}, and {shown(part.node)[:60]!r} is a {part.kind}. Kinds are "
            "checked before anything is spent. Use a column of the right kind, or declare it so."
        ).at(part.node.place)
    return part


def _calculation(operator: Arithmetic, left: Typed, right: Typed, place: Place | None) -> Typed:
    whole = operator != "/" and left.whole and right.whole
    first, second = left.interval, right.interval
    match operator:
        case "+":
            found = added(first, second)
        case "-":
            found = added(first, negative(second))
        case "*":
            found = multiplied(first, second)
        case "/":
            found = divided(first, second)
        case "%":
            found = remainder(first, second, whole)
    return _number(Calculation(operator, left.node, right.node, place=place), found, whole)


def _calendar(operator: Arithmetic, left: Typed, right: Typed, node: Node) -> Typed:
    """The days between two dates, or the date so many days before or after one."""
    if operator == "-" and {left.kind, right.kind} <= {Kind.DATE, Kind.TEXT, Kind.NOTHING}:
        return _calculation("-", *_alike(left, right, node), node.place)
    later = right.kind is Kind.DATE
    days = left if later else right
    if operator not in ("+", "-") or (later and operator == "-") or days.kind is Kind.DATE:
        raise QueryError(
            f"{shown(node)[:80]!r} calculates with a date. Two dates have a difference in days, "
            "and a date plus or minus a number of days is a date. Write one date minus another, or "
            "d + 7."
        )
    days = _need(days, Kind.NUMBER, f"the operator {operator} beside a date")
    moved = _calculation(operator, *((days, right) if later else (left, days)), node.place)
    found = floored(narrowed(moved.interval, CALENDAR))
    dated = Applied("CALENDAR", moved.node, place=node.place)
    return Typed(dated, Kind.DATE, found.low, found.high, True)


def _converted(node: Converted, inner: Typed) -> Typed:
    """A cast by the kinds that it is from and to: none can fail, and none depends on an engine."""
    value = inner.node
    match inner.kind, node.to:
        case Kind.NOTHING, _:
            return inner
        case (
            (Kind.NUMBER, "DOUBLE")
            | (Kind.BOOLEAN, "BOOLEAN")
            | (Kind.DATE, "DATE")
            | (Kind.TEXT, "VARCHAR")
        ):
            return inner
        case Kind.NUMBER, "INTEGER":
            half = Interval(Fraction(1, 2), Fraction(1, 2))
            found = floored(added(inner.interval, half))
            return inner if inner.whole else _number(rounded(value), found, True)
        case Kind.NUMBER, "BOOLEAN":
            return Typed(Compared("<>", value, Constant(Fraction(0))), Kind.BOOLEAN)
        case Kind.BOOLEAN, "DOUBLE" | "INTEGER":
            return _number(flag(value), Interval(Fraction(0), Fraction(1)), True)
        case Kind.BOOLEAN, "VARCHAR":
            return Typed(flag(value, Constant("true"), Constant("false")), Kind.TEXT)
        case Kind.TEXT, "DOUBLE":
            return _number(Converted(value, "DOUBLE", place=node.place), Interval(), False)
        case Kind.TEXT, "INTEGER":
            return _number(rounded(Converted(value, "DOUBLE")), Interval(), True)
        case Kind.TEXT, "BOOLEAN":
            return Typed(Converted(value, "BOOLEAN", place=node.place), Kind.BOOLEAN)
        case Kind.TEXT, "DATE":
            day_of = Converted(value, "DATE", place=node.place)
            return Typed(day_of, Kind.DATE, CALENDAR.low, CALENDAR.high, True)
    remedies: dict[Kind, str | Remedy] = {
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
        f"{shown(node)[:80]!r} makes {node.to} of a {inner.kind}. Engines write numbers and dates "
        "in different ways, so only casts that mean one thing are offered.",
        remedies.get(inner.kind, "Compare it as what it is."),
    )
