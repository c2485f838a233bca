"""Whether two expressions can both have a value in one row, from the expressions alone.

What is said here is true of every row, whatever it holds: ``COUNT(*) FILTER (WHERE c)`` counts the
rows in which an expression has a value that has one where c is true.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf

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
_MOST_SPANS = 200
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


@dataclass(frozen=True, slots=True)
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

    @property
    def _kind(self) -> type:
        return float if self.spans else type(next(iter(self.listed)))

    def joined(self, other: "_Allowed") -> "_Allowed | None":
        """What is among either; None where that is not kept."""
        spans = (*self.spans, *other.spans)
        if self.all_but or other.all_but or self._kind is not other._kind:
            return None
        if len(spans) > _MOST_SPANS:
            return None
        return _Allowed(spans, self.listed | other.listed)


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What holds in every row in which an expression has a value.

    ``allowed`` has, of an expression, lists of values it is in all of; ``untrue`` are conditions
    that are false or missing.
    """

    allowed: Mapping[Node, tuple[_Allowed, ...]]
    untrue: frozenset[Node]

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
        for node in self.allowed.keys() & other.allowed.keys():
            if any(not one.meets(two) for one in self.allowed[node] for two in other.allowed[node]):
                return True
        return any(
            any(_certain(one) for one in first.allowed.get(node, ()))
            for first, second in ((self, other), (other, self))
            for node in second.untrue
        )


def _certain(allowed: _Allowed) -> bool:
    """Whether a condition with these values is true."""
    return allowed == _LISTED_TRUE


_LISTED_TRUE = _Allowed(listed=frozenset({True}))
_LISTED_FALSE = _Allowed(listed=frozenset({False}))


def facts_of(node: Node) -> RowFacts:
    """What holds in every row in which the expression has a value."""
    found = _Collected({}, set())
    found.present(node)
    return RowFacts(
        {one: tuple(allowed) for one, allowed in found.allowed.items()}, frozenset(found.untrue)
    )


@dataclass(slots=True)
class _Collected:
    allowed: dict[Node, list[_Allowed]]
    untrue: set[Node]

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
