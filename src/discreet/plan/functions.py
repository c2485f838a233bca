"""What each function takes and gives: kinds, parameters, bounds, and how long it is in SQL."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import floor

from discreet.errors import QueryError, Remedy
from discreet.plan.dates import FIRST_DAY, LAST_DAY, RANGES, UNITS, Unit, part_of, truncated
from discreet.plan.expressions import Applied, Constant, Converted, DatePart, Function, Node
from discreet.plan.intervals import (
    Interval,
    absolute,
    divided,
    exponential,
    floored,
    increasing,
    multiplied,
    narrowed,
    natural_logarithm,
    raised,
    square_rooted,
)
from discreet.plan.kinds import Kind

MOST_PLACES = 1_000_000
"""Characters of a text that can be counted off."""
_LARGEST_POWER = 100
_MOST_PATTERN = 200

CALENDAR = Interval(Fraction(FIRST_DAY), Fraction(LAST_DAY))
_NOT_NEGATIVE = Interval(low=Fraction(0))

Parameters = tuple[Fraction | str, ...]
Bounds = Callable[[Interval, Parameters], Interval]


@dataclass(frozen=True, slots=True)
class Signature:
    """The kinds that a function takes and gives, and where its value lies if its operand does.

    ``repeats`` is how often its SQL writes the operand.
    """

    takes: Kind
    gives: Kind
    bounds: Bounds = lambda _, __: Interval()
    whole: bool = False
    repeats: int = 1
    parameters: Callable[[Parameters], bool] = lambda found: not found
    example: str = ""


def _decimal_logarithm(inner: Interval) -> Interval:
    found = natural_logarithm(inner)
    return divided(found, natural_logarithm(Interval(Fraction(10), Fraction(10))))


def _power(inner: Interval, parameters: Parameters) -> Interval:
    power = _number(parameters[0])
    if power.denominator != 1:
        inner = narrowed(inner, _NOT_NEGATIVE)
    even = power.denominator == 1 and power % 2 == 0
    base = absolute(inner) if even else inner
    if power < 0:
        if base.low is None or base.low <= 0:
            return Interval(Fraction(0)) if even else Interval()
        base = divided(Interval(Fraction(1), Fraction(1)), base)
    if power.denominator == 1:
        return raised(base, abs(int(power)))
    # x^p = e^(p·ln x); where x may be 0, that is the lower end.
    exponent = multiplied(natural_logarithm(base), Interval(abs(power), abs(power)))
    return exponential(exponent)


def _part(part: DatePart, inner: Interval, _: Parameters) -> Interval:
    low, high = RANGES[part]
    whole = Interval(Fraction(low), Fraction(high))
    if part != "YEAR":
        return whole
    within = narrowed(inner, CALENDAR)
    return increasing(lambda end: Fraction(part_of("YEAR", floor(end))), within)


def _truncated(inner: Interval, parameters: Parameters) -> Interval:
    unit = unit_of(parameters)
    return increasing(lambda end: Fraction(truncated(unit, floor(end))), narrowed(inner, CALENDAR))


def unit_of(parameters: Parameters) -> Unit:
    """The unit that a date is cut to."""
    return next(unit for unit in UNITS if unit == parameters[0])


def _number(parameter: Fraction | str) -> Fraction:
    if isinstance(parameter, str):
        raise TypeError("the parameter was checked to be a number")
    return parameter


def _places(found: Parameters) -> bool:
    whole = all(isinstance(one, Fraction) and one.denominator == 1 for one in found)
    return whole and all(0 <= _number(one) <= MOST_PLACES for one in found)


def _one_text(found: Parameters) -> bool:
    return len(found) == 1 and isinstance(found[0], str) and len(found[0]) <= _MOST_PATTERN


def _one_power(found: Parameters) -> bool:
    one = found[0] if len(found) == 1 else None
    return isinstance(one, Fraction) and abs(one) <= _LARGEST_POWER and _short(one)


def _short(number: Fraction) -> bool:
    return number.denominator <= 1 << 53


_numeric = partial(Signature, Kind.NUMBER, Kind.NUMBER, repeats=2)
_textual = partial(Signature, Kind.TEXT, Kind.TEXT)
_matching = partial(Signature, Kind.TEXT, Kind.BOOLEAN, parameters=_one_text)

SIGNATURES: dict[Function, Signature] = {
    "SQRT": _numeric(lambda inner, _: square_rooted(inner)),
    "LN": _numeric(lambda inner, _: natural_logarithm(inner)),
    "LOG10": _numeric(lambda inner, _: _decimal_logarithm(inner)),
    "EXP": _numeric(lambda inner, _: exponential(inner)),
    "POWER": _numeric(_power, repeats=3, parameters=_one_power, example="POWER(x, 2)"),
    "LOWER": _textual(),
    "UPPER": _textual(),
    "TRIM": _textual(),
    "LENGTH": Signature(Kind.TEXT, Kind.NUMBER, lambda _, __: _NOT_NEGATIVE, whole=True),
    "SUBSTRING": _textual(
        parameters=lambda found: len(found) in (1, 2) and _places(found) and found[0] != 0,
        example="SUBSTRING(x, 1, 3)",
    ),
    "RIGHT": _textual(
        parameters=lambda found: len(found) == 1 and _places(found), example="RIGHT(x, 3)"
    ),
    "LIKE": _matching(example="x LIKE 'A%'"),
    "ILIKE": _matching(example="x ILIKE 'a%'"),
    "CONTAINS": _matching(example="CONTAINS(x, 'A')"),
    "DATE_TRUNC": Signature(
        Kind.DATE,
        Kind.DATE,
        _truncated,
        whole=True,
        repeats=3,
        parameters=lambda found: len(found) == 1 and found[0] in UNITS,
        example="DATE_TRUNC('month', x)",
    ),
    "CALENDAR": Signature(
        Kind.DATE, Kind.DATE, lambda inner, _: floored(narrowed(inner, CALENDAR)), True, 3
    ),
    **{
        part: Signature(Kind.DATE, Kind.NUMBER, partial(_part, part), whole=True, repeats=3)
        for part in RANGES
    },
}


def in_calendar(node: Node) -> bool:
    """Whether a date is missing, by what it is made of, where no calendar has it."""
    if isinstance(node, Applied):
        return node.function in ("CALENDAR", "DATE_TRUNC")
    return isinstance(node, Converted | Constant)


def repeats(node: Applied) -> int:
    """How often the SQL of a function writes its operand."""
    asks = node.function != "CALENDAR" and SIGNATURES[node.function].takes is Kind.DATE
    return 1 if asks and in_calendar(node.operand) else SIGNATURES[node.function].repeats


def signature(node: Applied) -> Signature:
    """What a function takes and gives; refused where its written parameters do not fit."""
    found = SIGNATURES[node.function]
    if not found.parameters(node.parameters):
        raise QueryError(
            f"the parameters of {node.function} are not those it takes. They are written out, as "
            "numbers or texts of ordinary size.",
            Remedy(
                python="Pass others.",
                sql=f"Write {found.example or node.function + '(x)'}.",
            ),
        )
    return found
