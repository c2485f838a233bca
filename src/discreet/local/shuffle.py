"""What shuffling adds to local privacy: an exact computation, rounded up.

If a trusted shuffler takes one report from each of n people and passes them on in random order,
the others' reports hide each one's.  By a theorem of Feldman, McMillan and Talwar (2021) the
shuffled reports of any ε₀-DP randomizer, for two data sets that differ in one person, are no
easier to tell apart than (A + D, C - A + 1 - D) from (A + 1 - D, C - A + D), where C is
binomial(n - 1, e^(-ε₀)), A is binomial(C, 1/2) and D is 1 with probability e^ε₀/(e^ε₀ + 1).
Randomized response is compared by its own law, which hides more.

δ is summed in integers with directed rounding, so it is never below its true value.
Proof: docs/proofs/shuffle.md
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import isqrt, log, sqrt

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, exp_minus, rational
from discreet.local.binomials import BITS, UNIT, fair_tails, scaled_down, scaled_up, upper_binomial
from discreet.local.choose import scheme_of
from discreet.local.randomized_response import RandomizedResponse
from discreet.local.shuffled_response import blanket_delta, cells
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_count, read_delta, read_epsilon

ASSUMPTION = (
    "A trusted shuffler passes on the reports of all the people in uniformly random order, exactly "
    "one report per person, without names, times or anything else that tells senders apart. If it "
    "does not, only the local loss holds."
)
BOUND = "clones (Feldman, McMillan and Talwar 2021), summed exactly and rounded up"
TWO_ANSWERS = "the law of the reports themselves, whatever the others answered, rounded up"
MORE_ANSWERS = (
    "privacy blanket (Balle, Bell, Gascón and Nissim 2019), summed exactly and rounded up"
)

_GRID = 64  # e^ε₀ and e^ε are rationals over 2^64
_PARTS = 10**12  # ε is a multiple of ε₀/10^12
_NARROW = 10**4
_MOST_PEOPLE = 10**9
_MOST_LOCAL = Fraction(30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    """The central loss of shuffled reports, with what it rests on."""

    local: PureDP
    """What one report may reveal to whoever sees it beside its sender's name."""
    people: int
    epsilon: Fraction
    delta: Fraction
    bound: str = BOUND
    assumption: str = ASSUMPTION

    @property
    def loss(self) -> ApproximateDP:
        """What all the shuffled reports together may reveal of one person, under replace."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def __str__(self) -> str:
        return (
            f"{self.loss} for {self.people:,} people, from {self.local} each. "
            f"Bound: {self.bound}. Assumption: {self.assumption}"
        )


def shuffled(scheme: object, people: int, *, delta: object) -> Shuffled:
    """The loss of the shuffled reports of so many people, at this δ.

    ``scheme`` is a local scheme, or the ε₀ of its reports; of heavy hitters, that of one level.
    Randomized response has a smaller loss than what holds for every scheme of its ε₀.

    >>> amplified = shuffled(1, 10_000, delta=1e-6)
    >>> round(float(amplified.epsilon), 4), amplified.people
    (0.053, 10000)
    >>> poll = RandomizedResponse(epsilon=1)
    >>> round(float(shuffled(poll, 10_000, delta=1e-6).epsilon), 4)
    0.0358
    """
    local, near, categories = _local(scheme)
    count = _read_people(people)
    level = read_delta(delta)
    curves = _curves(near, categories, count)
    bounds = {None: BOUND, 2: TWO_ANSWERS}
    return Shuffled(
        local=local,
        people=count,
        epsilon=_least_epsilon(local.epsilon, near, curves, level),
        delta=level,
        bound=bounds.get(categories, MORE_ANSWERS),
    )


def shuffled_delta(scheme: object, people: int, *, epsilon: object) -> Fraction:
    """The δ of the shuffled reports at this ε, rounded up: exact, with many digits.  float() of
    it is for reading.

    >>> shuffled_delta(1, 10_000, epsilon=1)
    Fraction(0, 1)
    >>> round(float(shuffled_delta(1, 10_000, epsilon=0.05)), 7)
    2.1e-06
    """
    level = rational(epsilon, "epsilon")
    if level < 0:
        raise PrivacyParameterError(
            f"epsilon is {decimal_text(level)}. The curve δ(ε) is drawn for ε ≥ 0. Use epsilon=0 "
            "for the total variation."
        )
    local, near, categories = _local(scheme)
    curves = _curves(near, categories, _read_people(people))
    if level >= local.epsilon:
        return Fraction(0)
    return max(_delta(curve, near, level) for curve in curves)


# ---------------------------------------------------------------------- ε and δ

Curve = Callable[[Fraction], Fraction]
"""δ at a rational e^ε, rounded up."""


def _curves(near: Fraction, categories: int | None, people: int) -> Iterable[Curve]:
    """Curves whose largest is that of the shuffled reports."""
    if categories is None:
        return (partial(clones_delta, near, people),)
    if categories > 2:
        return (partial(blanket_delta, near, categories, people),)
    return (cell.delta for cell in cells(near, people))


def _delta(curve: Curve, near: Fraction, epsilon: Fraction) -> Fraction:
    """δ at ε, never below the true one: it falls with ε, so e^ε is rounded down."""
    far = _power(epsilon)[0]
    return min(curve(far), Fraction(1)) if far < near else Fraction(0)


def _least_epsilon(
    local: Fraction, near: Fraction, curves: Iterable[Curve], delta: Fraction
) -> Fraction:
    """An ε whose δ, rounded up, is at most this, and that is at most 0.01% above the least."""
    parts = 0
    for curve in curves:

        def at(parts: int, curve: Curve = curve) -> Fraction:
            return _delta(curve, near, local * parts / _PARTS)

        if parts == _PARTS:
            break  # at ε₀ itself δ is 0
        if (found := at(parts)) > delta:
            parts = _least_parts(at, parts, found, delta)
    return local * parts / _PARTS


def _least_parts(at: Callable[[int], Fraction], low: int, found: Fraction, delta: Fraction) -> int:
    """The least number above ``low`` whose δ is at most this, or up to 0.01% more."""
    high, reached = _PARTS, Fraction(0)  # at ε₀ itself δ is 0
    if low:  # which fails by a little: look right above it
        step = low // _NARROW + 1
        while low + step < _PARTS and (found := at(low + step)) > delta:
            low, step = low + step, 2 * step
        high = min(low + step, _PARTS)
    turn = 0
    while (high - low) * _NARROW > high:
        turn += 1  # every third one halves what is left, however wrong the guesses are
        middle = _between(low, high, found, reached, delta) if turn % 3 else (low + high) // 2
        value = at(middle)
        if value <= delta:
            high, reached = middle, value
        else:
            low, found = middle, value
    return high


def _between(low: int, high: int, found: Fraction, reached: Fraction, delta: Fraction) -> int:
    """Where to look next.  ln δ is nearly linear in ε²; floats only guess."""
    if high > 2 * low or not reached or not delta:
        return isqrt(max(low, 1) * high) if high > 2 * low else (low + high) // 2
    above, below = _log(found) - _log(delta), _log(delta) - _log(reached)
    guess = sqrt(low**2 + (high**2 - low**2) * above / (above + below + 1e-300))
    # A little beyond the guess on the side of the farther end, so that both ends close in.
    nudge = high / (3 * _NARROW)
    guess += nudge if guess - low < high - guess else -nudge
    return min(max(int(guess), low + 1), high - 1)


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)


def clones_delta(near: Fraction, people: int, far: Fraction) -> Fraction:
    """δ for rational e^ε₀ = ``near`` and e^ε = ``far`` < near, rounded up in fixed point.

    Given C = c, the first coordinate is i with probabilities p·b(i-1) + (1-p)·b(i) and
    p·b(i) + (1-p)·b(i-1), b that of binomial(c, 1/2).  The first exceeds e^ε times the second
    from i* = ⌊(c+1)·(e^ε·e^ε₀ - 1)/((e^ε₀ - 1)(e^ε + 1))⌋ + 1 on, and the excess sums to
    (e^ε₀ - e^ε)/(e^ε₀ + 1)·b(i* - 1) - (e^ε - 1)·P[binomial(c, 1/2) ≥ i*].
    """
    first, weights, outside = _clones(near, people)
    gain, price = scaled_up((near - far) / (near + 1)), scaled_down(far - 1)
    threshold = (near * far - 1) / ((near - 1) * (far + 1))
    total = outside
    for weight, (_, height, tail) in zip(
        weights, fair_tails(first, threshold, threshold), strict=False
    ):
        excess = -(-gain * height >> BITS) - (price * tail >> BITS)
        if excess > 0:
            total += -(-weight * excess >> BITS)
    return Fraction(total, UNIT)


@lru_cache(maxsize=4)
def _clones(near: Fraction, people: int) -> tuple[int, list[int], int]:
    """The law of C."""
    return upper_binomial(people - 1, 1 / near)


# ---------------------------------------------------------------------- reading


@lru_cache(maxsize=64)
def _power(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^ε."""
    bits = 2 * _GRID + 2 * int(epsilon) + 8
    low, high = exp_minus(epsilon, bits)
    one = 1 << bits + _GRID
    return Fraction(max(one // high, 1 << _GRID), 1 << _GRID), Fraction(-(-one // low), 1 << _GRID)


def _local(scheme: object) -> tuple[PureDP, Fraction, int | None]:
    """The local loss, a rational e^ε₀ or more, and how many answers there are if the scheme is
    randomized response: then the rational is the odds of the truth against each lie."""
    scheme = scheme_of(scheme)
    if hasattr(scheme, "levels"):
        raise PrivacyParameterError(
            "a search by levels is not one randomizer. Who is in which level is public, so a "
            "report hides only among those of its own level. Give the scheme of a level and how "
            "many people are in it: shuffled(words.first().scheme, 1_000, delta=1e-6)."
        )
    loss = getattr(scheme, "loss", None)
    if isinstance(loss, ApproximateDP):
        raise PrivacyParameterError(
            "the scheme has a δ. What shuffling adds is proved for local ε-DP. Use "
            "RandomizedResponse(epsilon=1), or the pure loss of this one: shuffled("
            "poll.pure_loss.epsilon, 1_000, delta=1e-6)."
        )
    local = loss if isinstance(loss, PureDP) else PureDP(epsilon=read_epsilon(scheme))
    if local.epsilon > _MOST_LOCAL:
        raise PrivacyParameterError(
            f"the local ε is {decimal_text(local.epsilon)}, above {_MOST_LOCAL}. Reports that tell "
            "so much are not hidden by any number of others. Use a scheme with a smaller epsilon."
        )
    if isinstance(scheme, RandomizedResponse):
        truth, lie = scheme.pair
        return local, truth / lie, scheme.domain
    return local, _power(local.epsilon)[1], None  # what is ε₀-DP is so for a larger ε₀


def _read_people(people: object) -> int:
    count = read_count(people, "people", "people who report")
    if count > _MOST_PEOPLE:
        raise PrivacyParameterError(
            f"people is above {_MOST_PEOPLE:,}. The sum would take too long, and more people only "
            f"hide better. Use people={_MOST_PEOPLE}: the loss holds for more too."
        )
    return count
