"""Whether two expressions can both have a value in one row, from the expressions alone.

What is said here is true of every row, whatever it holds: ``COUNT(*) FILTER (WHERE c)`` counts the
rows in which an expression has a value that has one where c is true.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf, nextafter
from typing import TypeVar

from discreet.plan.expressions import (
    Absolute,
    Applied,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Comparison,
    Constant,
    Converted,
    Either,
    Floored,
    Joined,
    Missing,
    Negated,
    Node,
)

_OPPOSITE: dict[Comparison, Comparison] = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}
_MIRRORED: dict[Comparison, Comparison] = {
    "=": "=",
    "<>": "<>",
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
}
Value = TypeVar("Value", bound=float | str | bool)
_MOST_SPANS = 200
_MOST_WAYS = 32
"""In how many ways conditions are looked at that can be true in several: an OR has one a side."""
_TRUE, _FALSE, _NULL = Constant(True), Constant(False), Constant(None)


@dataclass(frozen=True, slots=True)
class _Span:
    """The floats between two ends; an end that is ``open`` is not in it."""

    low: float = -inf
    high: float = inf
    low_open: bool = False
    high_open: bool = False

    def meets(self, other: "_Span") -> bool:
        """Whether a number may lie in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low != high:
            return low < high
        return not any(
            (one.low == low and one.low_open) or (one.high == high and one.high_open)
            for one in (self, other)
        )

    def holds(self, number: float) -> bool:
        """Whether a number lies in it."""
        above = self.low < number or (self.low == number and not self.low_open)
        return above and (number < self.high or (number == self.high and not self.high_open))

    def shared(self, other: "_Span") -> "_Span":
        """What lies in both, where something does."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        sides = (self, other)
        return _Span(
            low,
            high,
            any(one.low_open for one in sides if one.low == low),
            any(one.high_open for one in sides if one.high == high),
        )


@dataclass(frozen=True)
class _Allowed:
    """Some of the values that an expression can have: spans of numbers, or a list of others.

    ``listed`` are texts or truth values, or with ``all_but`` those that it cannot have.
    """

    spans: tuple[_Span, ...] = ()
    listed: frozenset[str | bool] = frozenset()
    all_but: bool = False

    def meets(self, other: "_Allowed") -> bool:
        """Whether one value may be among both."""
        if self._kind is not other._kind:
            return True  # two expressions that Python takes for one: TRUE equals 1 to it
        if any(one.meets(two) for one in self.spans for two in other.spans):
            return True
        if self.all_but and other.all_but:
            return True
        if self.all_but or other.all_but:
            most, least = (self, other) if self.all_but else (other, self)
            return bool(least.listed - most.listed)
        return bool(self.listed & other.listed)

    def holds(self, value: float | str | bool) -> bool:
        """Whether a value may be among them."""
        if not isinstance(value, str | bool):
            return not self.spans or any(one.holds(value) for one in self.spans)
        if type(value) is not self._kind:
            return True  # as above
        return (value in self.listed) is not self.all_but

    @cached_property
    def _kind(self) -> type:
        return float if self.spans else type(next(iter(self.listed)))

    def shared(self, other: "_Allowed") -> "_Allowed":
        """What is among both, where something is; only this one where that has too many parts."""
        if self._kind is not other._kind:
            return self
        if self.spans:
            found = [a.shared(b) for a in self.spans for b in other.spans if a.meets(b)]
            return _Allowed(tuple(found)) if len(found) <= _MOST_SPANS else self
        if self.all_but and other.all_but:
            return _Allowed(listed=self.listed | other.listed, all_but=True)
        if self.all_but or other.all_but:
            most, least = (self, other) if self.all_but else (other, self)
            return _Allowed(listed=least.listed - most.listed)
        return _Allowed(listed=self.listed & other.listed)

    def joined(self, other: "_Allowed") -> "_Allowed | None":
        """What is among either; None where that is not kept."""
        spans = (*self.spans, *other.spans)
        if self.all_but or other.all_but or self._kind is not other._kind:
            return None
        if len(spans) > _MOST_SPANS:
            return None
        return _Allowed(spans, self.listed | other.listed)


@dataclass(frozen=True)
class RowFacts:
    """What holds in every row in which an expression has a value.

    ``allowed`` has, of an expression, lists of values it is in all of; ``untrue`` are conditions
    that are false or missing.
    """

    allowed: Mapping[Node, tuple[_Allowed, ...]]
    untrue: frozenset[Node]

    @cached_property
    def _named(self) -> frozenset[Node]:
        """The expressions of which something is known; a set keeps their hashes."""
        return frozenset(self.allowed)

    @cached_property
    def true(self) -> frozenset[Node]:
        """The conditions that are certainly true."""
        known = self.allowed.items()
        return frozenset(node for node, allowed in known if _LISTED_TRUE in allowed)

    def exclude(self, other: "RowFacts") -> bool:
        """Whether no row has both.

        >>> from discreet.plan.expressions import Named
        >>> young, old = (
        ...     Chosen(Compared(sign, Named("age"), Constant(Fraction(18))), Constant(True), _NULL)
        ...     for sign in ("<", ">=")
        ... )
        >>> facts_of(young).exclude(facts_of(old)), facts_of(young).exclude(facts_of(young))
        (True, False)
        """
        for node in self._named & other._named:
            if any(not one.meets(two) for one in self.allowed[node] for two in other.allowed[node]):
                return True
        return not (self.true.isdisjoint(other.untrue) and other.true.isdisjoint(self.untrue))


_LISTED_TRUE = _Allowed(listed=frozenset({True}))
_LISTED_FALSE = _Allowed(listed=frozenset({False}))


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which conditions are true: what then holds of a row.

    ``values`` has, of expressions, the values that they can have; all of them have one.  It is
    None where no row is so.
    """

    facts: RowFacts
    values: Mapping[Node, _Allowed] | None

    def allows(self, node: Node, value: float | str | bool) -> bool:
        """Whether an expression can have a value."""
        return next(self.among(node, (value,)), None) is not None

    def among(self, node: Node, values: Iterable[Value]) -> Iterator[Value]:
        """Those of some values that an expression can have."""
        allowed = (self.values or {}).get(node)
        return iter(values) if allowed is None else filter(allowed.holds, values)

    def reaches(self, node: Node, low: float, high: float, *, closed: bool = True) -> bool:
        """Whether a number can lie between two ends, of which the upper one is in if ``closed``."""
        allowed = (self.values or {}).get(node)
        between = _Allowed((_Span(low, high, high_open=not closed),))
        return allowed is None or allowed.meets(between)

    def ends(self, node: Node) -> tuple[float, float]:
        """The least and the largest float that an expression can be."""
        allowed = (self.values or {}).get(node)
        if allowed is None or not allowed.spans:
            return -inf, inf
        return (
            min(nextafter(one.low, inf) if one.low_open else one.low for one in allowed.spans),
            max(nextafter(one.high, -inf) if one.high_open else one.high for one in allowed.spans),
        )

    def whole_ends(self, node: Node, low: int, high: int) -> tuple[int, int]:
        """The least and the largest whole number that it can be, of those between two."""
        allowed = (self.values or {}).get(node)
        if allowed is None or not allowed.spans:
            return low, high
        ends = [_whole_ends(one, low, high) for one in allowed.spans]
        ends = [(least, most) for least, most in ends if least <= most]
        if not ends:
            return high, low
        return min(least for least, _ in ends), max(most for _, most in ends)

    def known(self, node: Node) -> bool:
        """Whether an expression is known to have a value."""
        return node in (self.values or {}) or Missing(node) in self.facts.untrue

    def within(self, node: Node, listed: Collection[object]) -> bool:
        """Whether an expression has a value that is listed."""
        allowed = (self.values or {}).get(node)
        if allowed is None or allowed.all_but:
            return False
        points = all(one.low == one.high and one.low in listed for one in allowed.spans)
        return points and allowed.listed <= set(listed)

    def has(self, node: Node) -> bool:
        """Whether an expression can have a value."""
        return not self.facts.exclude(facts_of(node))


def _whole_ends(span: _Span, low: int, high: int) -> tuple[int, int]:
    least, most = low, high
    if span.low > low:
        if span.low > high:
            return high, low
        least = ceil(span.low)
        least += span.low_open and least == span.low
    if span.high < high:
        if span.high < low:
            return high, low
        most = floor(span.high)
        most -= span.high_open and most == span.high
    return least, most


def ways(conditions: Sequence[Node]) -> list[Way]:
    """The ways in which all conditions can be true in one row; none where they contradict.

    Of conditions that can be true in very many ways, only what they have in common is said.

    >>> from discreet.plan.expressions import Named
    >>> is_a, is_b = (Compared("=", Named("ward"), Constant(name)) for name in "AB")
    >>> len(ways([is_a, is_b])), len(ways([Either(is_a, Named("flag")), is_b]))
    (0, 1)
    """
    parts: list[list[tuple[Node, bool]]] = [[]]
    for condition in conditions:
        parts = _product(parts, _sides(condition, True)) or [
            [*part, (condition, True)] for part in parts
        ]
    found = [_way(part) for part in parts]
    return [way for way in found if way.values is not None]


def _way(part: Sequence[tuple[Node, bool]]) -> Way:
    collected = _Collected({}, set())
    for condition, wanted in part:
        (collected.true if wanted else collected.false)(condition)
    facts = collected.facts
    if not facts.true.isdisjoint(facts.untrue):
        return Way(facts, None)
    values: dict[Node, _Allowed] = {}
    for node, several in facts.allowed.items():
        values[node] = several[0]
        for one in several[1:]:
            if not values[node].meets(one):
                return Way(facts, None)
            values[node] = values[node].shared(one)
    return Way(facts, values)


def _sides(condition: Node, wanted: bool) -> list[list[tuple[Node, bool]]]:
    """The ways in which a condition is true, or false: lists of conditions with what each is."""
    match condition:
        case Negated(operand):
            return _sides(operand, not wanted)
        case Chosen(inner, then, otherwise) if wanted and (then, otherwise) == (_TRUE, _FALSE):
            return _sides(inner, True)
        case Both(left, right) if wanted:
            found = _product(_sides(left, True), _sides(right, True))
        case Either(left, right) if not wanted:
            found = _product(_sides(left, False), _sides(right, False))
        case Either(left, right) if not _lists(condition):
            found = [*_sides(left, True), *_sides(right, True)]
        case Both(left, right):
            found = [*_sides(left, False), *_sides(right, False)]
        case _:
            found = []
    return found if 0 < len(found) <= _MOST_WAYS else [[(condition, wanted)]]


def _product(
    first: list[list[tuple[Node, bool]]], second: list[list[tuple[Node, bool]]]
) -> list[list[tuple[Node, bool]]]:
    """Every pair of ways at once; none where there are too many."""
    if len(first) * len(second) > _MOST_WAYS:
        return []
    return [[*one, *two] for one in first for two in second]


def _lists(condition: Node) -> bool:
    """Whether a condition says only that one expression is one of several constants."""
    stack, subjects = [condition], set()
    while stack:
        match stack.pop():
            case Either(left, right):
                stack += [left, right]
            case Compared("=", subject, Constant()) | Compared("=", Constant(), subject):
                subjects.add(subject)
            case _:
                return False
    return len(subjects) == 1


def facts_of(node: Node) -> RowFacts:
    """What holds in every row in which the expression has a value."""
    found = _Collected({}, set())
    found.present(node)
    return found.facts


@dataclass(slots=True)
class _Collected:
    allowed: dict[Node, list[_Allowed]]
    untrue: set[Node]

    @property
    def facts(self) -> RowFacts:
        """What was collected."""
        allowed = {node: tuple(several) for node, several in self.allowed.items()}
        return RowFacts(allowed, frozenset(self.untrue))

    def present(self, node: Node) -> None:
        """The expression has a value."""
        self.untrue.add(Missing(node))
        match node:
            case Chosen(condition, then, Constant(None)):
                self.true(condition)
                self.present(then)
            case Chosen(condition, Constant(None), otherwise):
                self.untrue.add(condition)
                self.present(otherwise)
            case (
                Calculation(_, left, right) | Compared(_, left, right) | Joined(left, right)
            ):  # missing where an operand is
                self.present(left)
                self.present(right)
            case (
                Absolute(operand)
                | Floored(operand)
                | Clipped(operand, _, _)
                | Applied(_, operand, _)
                | Converted(operand, _)
                | Negated(operand)
            ):
                self.present(operand)

    def true(self, condition: Node) -> None:
        """A condition is true."""
        self._allow(condition, _LISTED_TRUE)
        match condition:
            case Both(left, right):
                self.true(left)
                self.true(right)
            case Negated(operand):
                self.false(operand)
            case Compared():
                self.present(condition)
            case Chosen(inner, then, otherwise) if (then, otherwise) == (_TRUE, _FALSE):
                self.true(inner)
        for subject, allowed in _values(condition).items():
            self._allow(subject, allowed)

    def false(self, condition: Node) -> None:
        """A condition is false."""
        self._allow(condition, _LISTED_FALSE)
        self.untrue.add(condition)
        match condition:
            case Either(left, right):
                self.false(left)
                self.false(right)
            case Negated(operand):
                self.true(operand)
            case Compared(operator, left, right):
                self.present(condition)
                for subject, allowed in _values(Compared(_OPPOSITE[operator], left, right)).items():
                    self._allow(subject, allowed)
            case Missing(operand):
                self.present(operand)
            case Chosen(inner, then, otherwise) if (then, otherwise) == (_TRUE, _FALSE):
                self.untrue.add(inner)

    def _allow(self, subject: Node, allowed: _Allowed) -> None:
        self.allowed.setdefault(subject, []).append(allowed)


def _values(condition: Node) -> dict[Node, _Allowed]:
    """Of some expressions the values that they can have where a condition is true."""
    match condition:
        case Compared(operator, left, Constant(value)) if value is not None:
            return _compared(operator, left, value)
        case Compared(operator, Constant(value), right) if value is not None:
            return _compared(_MIRRORED[operator], right, value)
        case Either(left, right):
            first, second = _values(left), _values(right)
            both = {node: first[node].joined(second[node]) for node in first.keys() & second.keys()}
            return {node: allowed for node, allowed in both.items() if allowed is not None}
        case Both(left, right):  # where both are known, either may stand for them
            return _values(right) | _values(left)
    return {}


def _compared(
    operator: Comparison, subject: Node, value: Fraction | bool | str
) -> dict[Node, _Allowed]:
    if isinstance(value, str | bool):
        if operator not in ("=", "<>"):
            return {}  # engines need not agree on the order of texts
        return {subject: _Allowed(listed=frozenset({value}), all_but=operator == "<>")}
    try:
        number = float(value)  # as engines compare it
    except OverflowError:
        return {}
    spans: dict[Comparison, tuple[_Span, ...]] = {
        "=": (_Span(number, number),),
        "<>": (_Span(high=number, high_open=True), _Span(number, low_open=True)),
        "<": (_Span(high=number, high_open=True),),
        "<=": (_Span(high=number),),
        ">": (_Span(number, low_open=True),),
        ">=": (_Span(number),),
    }
    return {subject: _Allowed(spans[operator])}
