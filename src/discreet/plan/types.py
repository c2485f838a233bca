"""What kind of value an expression has, and between which public bounds it lies."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from math import floor

from discreet.errors import QueryError
from discreet.plan.columns import Boolean, Category, Column, Number, day
from discreet.plan.expressions import (
    MOST_NODES,
    Absolute,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Constant,
    Either,
    Floored,
    Missing,
    Named,
    Negated,
    Node,
    shown,
    walk,
)


class Kind(StrEnum):
    """The kinds of value.  A date is counted in days, and compared with dates only."""

    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "true or false"
    TEXT = "text"
    NOTHING = "nothing"


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
        """Whether its bounds are public."""
        return self.low is not None and self.high is not None


def check(node: Node, columns: Mapping[str, Column]) -> Typed:
    """The kind and the bounds of an expression, or a refusal that says what does not fit."""
    for _ in walk(node):  # refuses what is too large before anything recurses into it
        pass
    if _written_size(node) > MOST_NODES:
        raise QueryError(
            f"{shown(node)[:60]!r} becomes too long when it is written out: a clip stands for its "
            "value three times. Engines read what is written. Nest fewer clips."
        )
    return _check(node, columns)


def _written_size(node: Node) -> int:
    """How many parts the SQL of a node has, about."""
    parts = [getattr(node, field.name) for field in fields(node)]
    inside = sum(_written_size(part) for part in parts if isinstance(part, Node))
    return 1 + (3 * inside if isinstance(node, Clipped) else inside)


def unknown_column(name: str, columns: Mapping[str, Column], what: str = "column") -> QueryError:
    """The refusal of a column that is not declared, with those that are."""
    near = get_close_matches(name, columns, 1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(list(columns)[:12]) + (", …" if len(columns) > 12 else "")
    return QueryError(
        f"there is no declared {what} {name[:60]!r}.{meant} Only declared columns can be asked "
        f"about: {listed or 'none is declared'}. Declare it under columns, or correct the name."
    )


def _check(node: Node, columns: Mapping[str, Column]) -> Typed:
    match node:
        case Named(name):
            if name not in columns:
                raise unknown_column(name, columns)
            return _column(node, columns[name])
        case Constant(value, dated):
            return _constant(node, value, dated)
        case Calculation(operator, left, right):
            what = f"the operator {operator}"
            one = _need(_check(left, columns), Kind.NUMBER, what)
            two = _need(_check(right, columns), Kind.NUMBER, what)
            low, high = _calculated(operator, one, two)
            whole = operator != "/" and one.whole and two.whole
            return Typed(Calculation(operator, one.node, two.node), Kind.NUMBER, low, high, whole)
        case Compared(operator, left, right):
            first, second = _alike(_check(left, columns), _check(right, columns), node)
            return Typed(Compared(operator, first.node, second.node), Kind.BOOLEAN)
        case Both(left, right) | Either(left, right):
            one, two = (
                _need(_check(part, columns), Kind.BOOLEAN, "AND and OR") for part in (left, right)
            )
            return Typed(type(node)(one.node, two.node), Kind.BOOLEAN)
        case Negated(operand):
            inner = _need(_check(operand, columns), Kind.BOOLEAN, "NOT")
            return Typed(Negated(inner.node), Kind.BOOLEAN)
        case Missing(operand):
            return Typed(Missing(_check(operand, columns).node), Kind.BOOLEAN)
        case Absolute(operand):
            inner = _need(_check(operand, columns), Kind.NUMBER, "ABS")
            if inner.low is None or inner.high is None:
                return Typed(Absolute(inner.node), Kind.NUMBER, whole=inner.whole)
            ends = abs(inner.low), abs(inner.high)
            least = Fraction(0) if inner.low <= 0 <= inner.high else min(ends)
            return Typed(Absolute(inner.node), Kind.NUMBER, least, max(ends), inner.whole)
        case Floored(operand):
            inner = _need(_check(operand, columns), Kind.NUMBER, "FLOOR")
            low, high = (
                None if end is None else Fraction(floor(end)) for end in (inner.low, inner.high)
            )
            return Typed(Floored(inner.node), Kind.NUMBER, low, high, True)
        case Clipped(operand, low, high):
            inner = _need(_check(operand, columns), Kind.NUMBER, "clip")
            if low >= high:
                raise QueryError(
                    "the bounds of clip do not increase. Values are moved between them. Write "
                    ".clip(0, 60)."
                )
            whole = inner.whole and low.denominator == high.denominator == 1
            return Typed(Clipped(inner.node, low, high), Kind.NUMBER, low, high, whole)
        case Chosen(condition, then, otherwise):
            test = _need(_check(condition, columns), Kind.BOOLEAN, "a condition")
            first, second = _alike(_check(then, columns), _check(otherwise, columns), node)
            kind = second.kind if first.kind is Kind.NOTHING else first.kind
            sides = [side for side in (first, second) if side.kind is not Kind.NOTHING]
            bounded = bool(sides) and all(side.bounded for side in sides)
            return Typed(
                Chosen(test.node, first.node, second.node),
                kind,
                min(side.low for side in sides if side.low is not None) if bounded else None,
                max(side.high for side in sides if side.high is not None) if bounded else None,
                all(side.whole for side in sides),
            )


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
        raise QueryError(
            f"{shown(node)[:80]!r} sets a {first.kind} beside a {second.kind}. Only values of one "
            "kind are compared or chosen between, so that nothing can fail on data. Compare a "
            "number with a number, a text with a text, a date with a date such as '2026-01-31'."
        )
    return first, second


def _as_date(side: Typed) -> Typed:
    text = side.node.value if isinstance(side.node, Constant) else None
    days = day(text)
    if days is None:
        raise QueryError(
            f"{shown(side.node)[:60]} stands beside a date and is none. Dates are written as year, "
            "month and day. Write '2026-01-31'."
        )
    value = Fraction(days)
    return Typed(Constant(value, dated=True), Kind.DATE, value, value, True)


def _need(part: Typed, kind: Kind, what: str) -> Typed:
    if part.kind not in (kind, Kind.NOTHING):
        raise QueryError(
            f"{what} takes a {kind}, and {shown(part.node)[:60]!r} is a {part.kind}. Kinds are "
            "checked before anything is spent. Use a column of the right kind, or declare it so."
        )
    return part


def _calculated(
    operator: str, left: Typed, right: Typed
) -> tuple[Fraction, Fraction] | tuple[None, None]:
    """Bounds of a sum, difference, product or quotient, where both sides have some."""
    if left.low is None or left.high is None or right.low is None or right.high is None:
        return None, None
    if operator == "+":
        return left.low + right.low, left.high + right.high
    if operator == "-":
        return left.low - right.high, left.high - right.low
    if operator == "/":
        if right.low <= 0 <= right.high:
            return None, None
        corners = [a / b for a in (left.low, left.high) for b in (right.low, right.high)]
    else:
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return min(corners), max(corners)
