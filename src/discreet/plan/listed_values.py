"""The public list of values that an expression can have, from declarations alone.

A value is computed with the same operations on 64-bit floats as in an engine, so that it equals
what a row has bit by bit.  No row is lost whose columns lie within their declarations.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product
from math import floor, fmod, inf, isnan

from discreet.exact.interval_arithmetic import Interval, narrowed
from discreet.plan.calendar import FIRST_DAY, LAST_DAY
from discreet.plan.expressions import (
    LONGEST_JOINED,
    TIME_SECONDS,
    Absolute,
    Applied,
    Calculation,
    Chosen,
    Clipped,
    Constant,
    Floored,
    Joined,
    Named,
    Node,
    walk,
)
from discreet.plan.function_signatures import cuts_time, date_unit, starts
from discreet.plan.schema import LARGEST_KEY, CategoryColumn, Column
from discreet.plan.types import (
    COUNTED,
    CheckedExpression,
    Facts,
    both,
    bounds_of,
    where_not_true,
    where_true,
)

MOST_LISTED = 20_000
"""How many values an expression may have: listing them takes time, also before anything is paid."""
_MOST_PAIRS = 200_000
_MOST_WORK = 500_000
"""Values that are computed in all while an expression's are listed."""

ListedValue = float | str
_Values = list[ListedValue] | None
_NO_FACTS: Facts = {}

_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": fmod,
}


@dataclass(slots=True)
class Work:
    """How many values may still be computed."""

    left: int = _MOST_WORK

    def allows(self, work: int) -> bool:
        """Whether so many values may still be computed; they are counted if so."""
        if work > self.left:
            return False
        self.left -= work
        return True


@dataclass(slots=True)
class _Known:
    """The declared columns, and how many values may still be computed."""

    columns: Mapping[str, Column]
    work: Work
    typed: dict[int, tuple[Node, CheckedExpression]] = field(default_factory=dict)

    def allows(self, work: int) -> bool:
        """Whether so many values may still be computed; they are counted if so."""
        return self.work.allows(work)

    def checked(self, node: Node) -> CheckedExpression:
        """The kind and the bounds of a node."""
        cached = self.typed.get(id(node))
        if cached is None:  # the node is kept, so that no other has its place in memory
            cached = self.typed[id(node)] = node, bounds_of(node, self.columns)
        return cached[1]


def listed_values(
    node: Node,
    columns: Mapping[str, Column],
    facts: Facts = _NO_FACTS,
    work: Work | None = None,
) -> tuple[str | int | float, ...] | None:
    """All values of a checked expression, or None where they are too many or not public.

    Numbers increase; texts stand in the order in which they are written or declared.  Where
    ``facts`` hold, others are left out.  What is computed is counted in ``work``.

    >>> from discreet.plan.schema import integer
    >>> ten = Constant(Fraction(10))
    >>> tens = Calculation("*", Floored(Calculation("/", Named("age"), ten)), ten)
    >>> listed_values(tens, {"age": integer(0, 35)})
    (0, 10, 20, 30)
    """
    values = _values(node, _Known(columns, work or Work()), facts)
    if values is None:
        return None
    texts = [one for one in values if isinstance(one, str)]
    numbers = sorted(one for one in values if not isinstance(one, str))
    return (*texts, *(int(one) if one.is_integer() else one for one in numbers))


def declared_ends(
    node: Node, columns: Mapping[str, Column], facts: Facts = _NO_FACTS
) -> tuple[float, float] | None:
    """Between which floats a column, or arithmetic with columns, lies where all are as declared."""
    for part in walk(node):
        if isinstance(part, Calculation) and part.operator != "%":
            continue
        if not isinstance(part, Named | Constant):
            return None  # engines may differ from exact bounds in the last digit
    return _ends(node, _Known(columns, Work()), facts)


def _values(node: Node, known: _Known, facts: Facts) -> _Values:
    values = _of(node, known, facts)
    if values is None:
        values = _whole(node, known, facts)
    if values is None or len(values) > MOST_LISTED or not known.allows(len(values)):
        return None
    inside = facts.get(node)
    inside_values = values if inside is None else [one for one in values if _lies(one, inside)]
    return list(dict.fromkeys(inside_values))


def _of(node: Node, known: _Known, facts: Facts) -> _Values:
    match node:
        case Constant(None):
            return []
        case Constant(value, _):
            return None if value is None or isinstance(value, bool) else [_plain(value)]
        case Named(name):
            column = known.columns[name]
            return (
                [_plain(one) for one in column.values]
                if isinstance(column, CategoryColumn)
                else None
            )
        case Chosen(condition, then, otherwise):
            first = _values(then, known, both(facts, where_true(condition)))
            second = None
            if first is not None:
                second = _values(otherwise, known, both(facts, where_not_true(condition)))
            return None if first is None or second is None else [*first, *second]
        case Calculation(operator, left, right):
            return _paired(left, right, known, facts, _total(operator), numbers=True)
        case Joined(left, right):
            return _paired(left, right, known, facts, _joined)
        case Floored(operand):
            found = _mapped(operand, known, facts, lambda one: float(floor(one)))
            return _between(_ends(operand, known, facts)) if found is None else found
        case Absolute(operand):
            return _mapped(operand, known, facts, abs)
        case Clipped(operand, low, high):
            least, most = float(low), float(high)
            return _mapped(operand, known, facts, lambda one: min(max(one, least), most))
        case Applied():
            return _applied(node, known, facts)
    return None


def _applied(node: Applied, known: _Known, facts: Facts) -> _Values:
    """Functions that every engine computes alike."""
    places = [int(one) for one in node.parameters if not isinstance(one, str)]
    match node.function:
        case "DATE_TRUNC" if cuts_time(node.parameters):
            return _times(TIME_SECONDS[str(node.parameters[0])], _ends(node.operand, known, facts))
        case "DATE_TRUNC":
            ends = _ends(node.operand, known, facts)
            if ends is None or ends[0] < FIRST_DAY or ends[1] > LAST_DAY:
                return None
            days = starts(date_unit(node.parameters), *map(int, ends))
            return [float(day) for day in islice(days, MOST_LISTED + 1)]
        case "CALENDAR":
            return _mapped(node.operand, known, facts, _in_calendar)
        case "SUBSTRING":
            last = sum(places) - 1 if len(places) == 2 else None
            return _worded(node.operand, known, facts, lambda text: text[places[0] - 1 : last])
        case "RIGHT":
            return _worded(
                node.operand, known, facts, lambda text: text[max(len(text) - places[0], 0) :]
            )
        case "TRIM":
            return _worded(node.operand, known, facts, lambda text: text.strip(" "))
        case "LOWER":
            return _worded(node.operand, known, facts, str.lower)
        case "UPPER":
            return _worded(node.operand, known, facts, str.upper)
    return None


def _whole(node: Node, known: _Known, facts: Facts) -> _Values:
    """Every whole number between the bounds of a whole expression."""
    typed = known.checked(node)
    if not typed.whole or typed.kind not in COUNTED:
        return None
    return _between(_floats(narrowed(typed.interval, facts.get(node, Interval()))))


def _ends(node: Node, known: _Known, facts: Facts) -> tuple[float, float] | None:
    """The least and the largest float: rounding keeps the order, so corners are enough."""
    if isinstance(node, Calculation) and node.operator in ("+", "-", "*", "/"):
        left, right = (_ends(side, known, facts) for side in (node.left, node.right))
        if left is None or right is None:
            return None
        if node.operator == "/" and right[0] <= 0 <= right[1]:
            return None
        corners = [_OPERATIONS[node.operator](a, b) for a, b in product(left, right)]
        return min(corners), max(corners)
    typed = known.checked(node)
    return _floats(narrowed(typed.interval, facts.get(node, Interval())))


def _floats(found: Interval) -> tuple[float, float] | None:
    if found.low is None or found.high is None:
        return None
    try:
        return float(found.low), float(found.high)
    except OverflowError:
        return None


def _between(ends: tuple[float, float] | None) -> _Values:
    if ends is None or max(map(abs, ends)) > LARGEST_KEY or ends[1] - ends[0] >= MOST_LISTED:
        return None
    return [float(place) for place in range(floor(ends[0]), floor(ends[1]) + 1)]


def _times(size: int, ends: tuple[float, float] | None) -> _Values:
    """Every so many seconds, from the one that the first end is in to that of the last."""
    if ends is None or max(map(abs, ends)) > LARGEST_KEY:
        return None
    first, last = (floor(end) // size for end in ends)
    if last - first >= MOST_LISTED:
        return None
    return [float(count * size) for count in range(first, last + 1)]


def _paired(
    left: Node,
    right: Node,
    known: _Known,
    facts: Facts,
    operation: Callable[..., ListedValue | None],
    *,
    numbers: bool = False,
) -> _Values:
    """What an operation makes of all pairs; None of a text where it is one of numbers.

    Such a text is a date that was not read as one yet.
    """
    first = _values(left, known, facts)
    second = None if first is None else _values(right, known, facts)
    if first is None or second is None:
        return None
    if numbers and any(isinstance(one, str) for one in (*first, *second)):
        return None
    pairs = len(first) * len(second)
    if pairs > _MOST_PAIRS or not known.allows(pairs):
        return None
    return _known(operation(a, b) for a, b in product(first, second))


def _mapped(
    operand: Node,
    known: _Known,
    facts: Facts,
    operation: Callable[[float], float | None],
) -> _Values:
    values = _values(operand, known, facts)
    if values is None:
        return None
    return _known(operation(one) for one in values if not isinstance(one, str))


def _worded(operand: Node, known: _Known, facts: Facts, operation: Callable[[str], str]) -> _Values:
    values = _values(operand, known, facts)
    if values is None or not all(isinstance(one, str) and one.isascii() for one in values):
        return None
    return [operation(one) for one in values if isinstance(one, str)]


def _joined(first: ListedValue, second: ListedValue) -> str:
    return f"{str(first)[:LONGEST_JOINED]}{str(second)[:LONGEST_JOINED]}"


def _in_calendar(days: float) -> float | None:
    return float(floor(days)) if FIRST_DAY <= floor(days) <= LAST_DAY else None


def _lies(value: ListedValue, inside: Interval) -> bool:
    if isinstance(value, str):
        return True
    above = inside.low is None or value >= float(inside.low)
    return above and (inside.high is None or value <= float(inside.high))


def _plain(value: Fraction | str | int) -> ListedValue:
    return value if isinstance(value, str) else float(value)


def _known(found: Iterable[ListedValue | None]) -> _Values:
    return [one for one in found if one is not None]


def _total(operator: str) -> Callable[[float, float], float | None]:
    """An operation as an engine does it: without a value it is missing."""

    def calculated(left: float, right: float) -> float | None:
        if right == 0 and operator in ("/", "%"):
            return None
        found = _OPERATIONS[operator](left, right)
        return None if isnan(found) or abs(found) == inf else found + 0.0

    return calculated
