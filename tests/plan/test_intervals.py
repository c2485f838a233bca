"""Bounds hold the values they are of, and stay short, whatever is computed.

The twin is naive: exact fractions of everything, with no rounding, on a few points of each
interval.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest

from discreet.exact.interval_arithmetic import (
    EXACT_BITS,
    KEPT_BITS,
    LARGEST_EXPONENT,
    LEAST_EXPONENT,
    Interval,
    absolute,
    added,
    divided,
    exponential,
    floored,
    hull,
    multiplied,
    natural_logarithm,
    negative,
    raised,
    remainder,
    square_rooted,
)
from discreet.plan.expressions import Function
from discreet.plan.function_signatures import SIGNATURES
from tests.support.trials import rounds

LONGEST = LARGEST_EXPONENT - LEAST_EXPONENT + KEPT_BITS
"""Bits that an end has at most: 2^1024 over the last place of 2^-1100."""


def length(end: Fraction | None) -> int:
    return 0 if end is None else max(end.numerator.bit_length(), end.denominator.bit_length())


def holds(found: Interval, value: Fraction) -> bool:
    above = found.low is None or found.low <= value
    return above and (found.high is None or value <= found.high)


def drawn_number(random: Random) -> Fraction:
    kind = random.randrange(5)
    if kind == 0:
        return Fraction(random.randrange(-5, 6))
    if kind == 1:
        return Fraction(random.randrange(-999, 999), random.randrange(1, 999))
    if kind == 2:
        return Fraction(random.getrandbits(random.randrange(1, 900)) * random.choice((1, -1)))
    if kind == 3:
        return Fraction(random.choice((1, -1)), 1 + random.getrandbits(random.randrange(1, 900)))
    return Fraction(random.getrandbits(700) - (1 << 699), 1 + random.getrandbits(700))


def drawn(random: Random) -> tuple[Interval, list[Fraction]]:
    """An interval and numbers in it: its ends, as they were before any rounding, and others."""
    low, high = sorted((drawn_number(random), drawn_number(random)))
    share = Fraction(random.randrange(101), 100)
    points = [low, high, low + (high - low) * share]
    open_low, open_high = random.random() < 0.1, random.random() < 0.1
    return Interval(None if open_low else low, None if open_high else high), points


def whole_remainder(left: Fraction, right: Fraction) -> Fraction:
    """The remainder of the sign of the left side."""
    return left - right * int(left / right)


def test_every_operator_holds_its_values_and_stays_short() -> None:
    random = Random(41)
    for _ in range(rounds(400)):
        (first, left), (second, right) = drawn(random), drawn(random)
        power = random.randrange(0, 9)
        every: list[tuple[Interval, list[Fraction]]] = [
            (added(first, second), [a + b for a in left for b in right]),
            (multiplied(first, second), [a * b for a in left for b in right]),
            (divided(first, second), [a / b for a in left for b in right if b]),
            (
                remainder(first, second, False),
                [whole_remainder(a, b) for a in left for b in right if b],
            ),
            (hull(first, second), [*left, *right]),
            (negative(first), [-a for a in left]),
            (absolute(first), [abs(a) for a in left]),
            (floored(first), [Fraction(a.__floor__()) for a in left]),
            (raised(first, power), [a**power for a in left]),
        ]
        for place, (found, values) in enumerate(every):
            assert all(holds(found, value) for value in values), (place, first, second)
            assert max(length(found.low), length(found.high)) <= LONGEST


def test_short_bounds_are_exact() -> None:
    random = Random(7)
    for _ in range(rounds(200)):
        low, high = sorted(Fraction(random.randrange(-999, 999), 100) for _ in range(2))
        inner = Interval(low, high)
        assert (inner.low, inner.high) == (low, high)
        assert raised(Interval(high, high), 5) == Interval(high**5, high**5)
    assert square_rooted(Interval(Fraction(4), Fraction(9))) == Interval(Fraction(2), Fraction(3))


def test_a_long_bound_moves_outward_by_little() -> None:
    random = Random(3)
    for _ in range(rounds(200)):
        exact = Fraction(1 + random.getrandbits(900), 1 + random.getrandbits(900))
        exact *= random.choice((1, -1))
        found = Interval(exact, exact)
        assert found.low is not None
        assert found.high is not None
        assert found.low <= exact <= found.high
        assert found.high - found.low <= abs(exact) / (1 << (KEPT_BITS - 2))
        assert Interval(found.low, found.high) == found  # rounding again changes nothing


def test_what_no_float_reaches_has_no_bound() -> None:
    far, near = Fraction(1 << 2000), Fraction(1, 1 << 2000)
    assert Interval(-far, far) == Interval()
    assert Interval(far, far).low == 1 << LARGEST_EXPONENT
    assert Interval(near, near) == Interval(Fraction(0), Fraction(1, 1 << -LEAST_EXPONENT))
    assert Interval(-near, -near) == Interval(Fraction(-1, 1 << -LEAST_EXPONENT), Fraction(0))


def twin(name: str, number: Decimal, power: Fraction) -> Decimal:
    match name:
        case "SQRT":
            return number.sqrt()
        case "LN":
            return number.ln()
        case "LOG10":
            return number.log10()
        case "EXP":
            return number.exp()
    return number ** (Decimal(power.numerator) / power.denominator)


@pytest.mark.parametrize("name", ["SQRT", "LN", "LOG10", "EXP", "POWER"])
def test_functions_hold_their_values(name: Function) -> None:
    """The twin has 120 digits, and its own error is allowed for in the direction that is harder."""
    random = Random(name)
    with localcontext() as context:
        context.prec = 120
        slack = Decimal(10) ** -100
        for _ in range(rounds(60)):
            ends = sorted(
                Fraction(random.randrange(1, 10**6), random.randrange(1, 10**4)) for _ in range(2)
            )
            if name == "EXP":
                ends = [end % 600 - 300 for end in ends]
                ends.sort()
            power = Fraction(random.randrange(-300, 300), 7)
            parameters = (power,) if name == "POWER" else ()
            found = SIGNATURES[name].bounds(Interval(*ends), parameters)
            for end in (*ends, (ends[0] + ends[1]) / 2):
                number = Decimal(end.numerator) / Decimal(end.denominator)
                value = twin(name, number, power)
                exact, moved = Fraction(value), Fraction(abs(value) * slack)
                assert found.low is None or found.low <= exact + moved
                assert found.high is None or exact - moved <= found.high
            if found.low is not None and found.high is not None and ends[0] == ends[1]:
                assert found.high - found.low <= abs(found.high) / (1 << 90)


def test_the_twin_would_find_a_bound_rounded_inward() -> None:
    """The control: with the ends exchanged, the same comparison fails."""
    random, missed = Random(11), 0
    for _ in range(50):
        exact = Fraction(1 + random.getrandbits(900), 1 + random.getrandbits(900))
        found = Interval(exact, exact)
        assert found.low is not None
        assert found.high is not None
        inward = Interval(found.high, found.low)
        missed += not holds(inward, exact)
    assert missed == 50


def test_logarithms_at_and_below_zero_have_no_lower_bound() -> None:
    assert natural_logarithm(Interval(Fraction(-1), Fraction(1))) == Interval(None, Fraction(0))
    assert natural_logarithm(Interval(Fraction(0), Fraction(1))).low is None
    assert exponential(Interval(None, Fraction(0))) == Interval(Fraction(0), Fraction(1))
    assert exponential(Interval(Fraction(-(10**6)), Fraction(10**6))) == Interval(Fraction(0), None)


def test_powers_of_powers_are_bounded_at_once() -> None:
    found = Interval(Fraction(1, 3), Fraction(60))
    for _ in range(60):
        found = raised(found, 99)
    assert found == Interval(Fraction(0), None)
    assert length(raised(Interval(Fraction(10**100 + 1, 7), None), 100).low) <= LONGEST
    assert EXACT_BITS < LONGEST


def test_without_rounding_they_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: three powers alone have millions of bits, and a fourth would not end."""
    monkeypatch.setattr("discreet.exact.interval_arithmetic.EXACT_BITS", 1 << 60)
    found = Interval(Fraction(0), Fraction(60))
    for _ in range(3):
        found = raised(found, 99)
    assert length(found.high) > 5_000_000
