"""What shuffling adds to local privacy, by the exact "clones" computation.

If a trusted shuffler takes one report from each of n people and passes them on in random order,
the others' reports hide each one's.  By a theorem of Feldman, McMillan and Talwar (2021) the
shuffled reports of any ε₀-DP randomizer, for two data sets that differ in one person, are no
easier to tell apart than (A + D, C - A + 1 - D) from (A + 1 - D, C - A + D), where C is
binomial(n - 1, e^(-ε₀)), A is binomial(C, 1/2) and D is 1 with probability e^ε₀/(e^ε₀ + 1).

The δ of that pair is summed in integers with directed rounding, so it is never below its true
value.  Proof: docs/proofs/shuffle.md
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, exp_minus, rational
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_count, read_delta, read_epsilon

ASSUMPTION = (
    "A trusted shuffler passes on the reports of all the people in uniformly random order, exactly "
    "one report per person, without names, times or anything else that tells senders apart. If it "
    "does not, only the local loss holds."
)
BOUND = "clones (Feldman, McMillan and Talwar 2021), summed exactly and rounded up"

_BITS = 192  # of fixed-point numbers
_UNIT = 1 << _BITS
_TAIL = 144  # binomial tails below 2^-144 of the largest term are added to δ as a bound
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

    >>> amplified = shuffled(1, 10_000, delta=1e-6)
    >>> round(float(amplified.epsilon), 4), amplified.people
    (0.053, 10000)
    """
    local = _local(scheme)
    count = _read_people(people)
    level = read_delta(delta)
    return Shuffled(
        local=local,
        people=count,
        epsilon=_least_epsilon(local.epsilon, count, level),
        delta=level,
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
    return _delta(_local(scheme).epsilon, _read_people(people), level)


# ---------------------------------------------------------------------- ε and δ


def _least_epsilon(local: Fraction, people: int, delta: Fraction) -> Fraction:
    """An ε whose δ, rounded up, is at most this, and that is at most 0.01% above the least."""
    if _delta(local, people, Fraction(0)) <= delta:
        return Fraction(0)
    low, high = 1, _PARTS  # at ε₀ itself δ is 0
    while (high - low) * _NARROW > high:
        middle = isqrt(low * high) if high > 2 * low else (low + high) // 2
        if _delta(local, people, local * middle / _PARTS) <= delta:
            high = middle
        else:
            low = middle
    return local * high / _PARTS


def _delta(local: Fraction, people: int, epsilon: Fraction) -> Fraction:
    """The clones' δ at ε, never below the true one."""
    if epsilon >= local:
        return Fraction(0)  # and so far < near below
    # What is ε₀-DP is so for a larger ε₀, and a smaller ε has a larger δ: round both that way.
    near = _power(local)[1]
    far = min(_power(epsilon)[0], near)
    return min(clones_delta(near, far, people), Fraction(1))


def clones_delta(near: Fraction, far: Fraction, people: int) -> Fraction:
    """δ for rational e^ε₀ = ``near`` and e^ε = ``far`` < near, rounded up in fixed point.

    Given C = c, the first coordinate is i with probabilities p·b(i-1) + (1-p)·b(i) and
    p·b(i) + (1-p)·b(i-1), b that of binomial(c, 1/2).  The first exceeds e^ε times the second
    from i* = ⌊(c+1)·(e^ε·e^ε₀ - 1)/((e^ε₀ - 1)(e^ε + 1))⌋ + 1 on, and the excess sums to
    (e^ε₀ - e^ε)/(e^ε₀ + 1)·b(i* - 1) - (e^ε - 1)·P[binomial(c, 1/2) ≥ i*].
    """
    first, weights, outside = _clones(near, people)
    gain = _scaled_up((near - far) / (near + 1))
    price = _scaled_down(far - 1)
    threshold = (near * far - 1) / ((near - 1) * (far + 1))
    total = outside
    for weight, (height, tail) in zip(weights, _fair(first, threshold), strict=False):
        excess = -(-gain * height >> _BITS) - (price * tail >> _BITS)
        if excess > 0:
            total += -(-weight * excess >> _BITS)
    return Fraction(total, _UNIT)


# ---------------------------------------------------------------------- binomials in fixed point


@lru_cache(maxsize=4)
def _clones(near: Fraction, people: int) -> tuple[int, list[int], int]:
    """The law of C: the first value, upper bounds of the probabilities from it on, and of the
    probability of all other values."""
    trials = people - 1
    odds = 1 / (near - 1)  # of success against failure, for the probability 1/near
    mode = int((trials + 1) / near)
    lows, highs = _outward(trials, mode, odds)
    below_low, below_high = _outward(trials, trials - mode, 1 / odds)
    # Unnormalized, with the mode at 1.  The total is at least the sum of the lower bounds, and
    # beyond the last term kept on a side ratios are below that of the last two.
    total = sum(lows) + sum(below_low) - _UNIT
    rests = _rest(highs, trials, mode, odds) + _rest(below_high, trials, trials - mode, 1 / odds)
    weights = [*reversed(below_high[1:]), *highs]
    scaled = [-(-(weight << _BITS) // total) for weight in weights]
    return mode - len(below_high) + 1, scaled, -(-(rests << _BITS) // total)


def _outward(trials: int, start: int, odds: Fraction) -> tuple[list[int], list[int]]:
    """Lower and upper bounds of P[start + j]/P[start], j = 0, 1, …, until they are negligible."""
    up, down = odds.numerator, odds.denominator
    low = high = _UNIT
    lows, highs = [low], [high]
    for value in range(start, trials):
        top, bottom = (trials - value) * up, (value + 1) * down
        low, high = low * top // bottom, -(-high * top // bottom)
        lows.append(low)
        highs.append(high)
        if high < _UNIT >> _TAIL and top < bottom:
            break
    return lows, highs


def _rest(highs: list[int], trials: int, start: int, odds: Fraction) -> int:
    """An upper bound of all terms after the last one: ratios fall, so a geometric series."""
    value = start + len(highs) - 1
    if value >= trials:
        return 0
    ratio = Fraction(trials - value, value + 1) * odds
    return int(highs[-1] * ratio / (1 - ratio)) + 1


def _fair(first: int, threshold: Fraction) -> Iterator[tuple[int, int]]:
    """For c = first, first + 1, …: an upper bound of b_c(i* - 1) and a lower one of the tail
    P[binomial(c, 1/2) ≥ i*], with i* = ⌊(c+1)·threshold⌋ + 1.

    From c to c + 1: b(i) is multiplied by (c+1)/(2(c+1-i)), and the tail from i on grows by half
    of b(i-1).  From i to i + 1: b is multiplied by (c-i)/(i+1), and the tail loses b(i).
    """
    top, bottom = threshold.numerator, threshold.denominator
    count = first
    place = (count + 1) * top // bottom  # i* - 1, at least half of c and at most c
    low, high, tail = _fair_start(count, place)
    while True:
        yield high, tail
        tail += low >> 1
        factor, divisor = count + 1, 2 * (count + 1 - place)
        low, high = low * factor // divisor, -(-high * factor // divisor)
        count += 1
        if (count + 1) * top // bottom > place:
            low = low * (count - place) // (place + 1)
            high = -(-high * (count - place) // (place + 1))
            place += 1
            tail = max(0, tail - high)


def _fair_start(count: int, place: int) -> tuple[int, int, int]:
    """Bounds of b(place), and a lower one of the tail after it, for binomial(count, 1/2)."""
    middle = count // 2
    lows, highs = _outward(count, middle, Fraction(1))
    rest = _rest(highs, count, middle, Fraction(1))
    # The law is symmetric: the total is twice the upper half, but for a middle that is its own.
    own = _UNIT if count % 2 == 0 else 0
    low_total, high_total = 2 * sum(lows) - own, 2 * (sum(highs) + rest) - own
    if count % 2:  # start at the lower of two middles: that one is outside of the upper half
        low_total, high_total = low_total - 2 * _UNIT, high_total - 2 * _UNIT
    at = place - middle
    low = (lows[at] << _BITS) // high_total if at < len(lows) else 0
    high = -(-((highs[at] if at < len(highs) else highs[-1] + rest) << _BITS) // low_total)
    return low, high, (sum(lows[at + 1 :]) << _BITS) // high_total


# ---------------------------------------------------------------------- reading


@lru_cache(maxsize=64)
def _power(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^ε."""
    bits = 2 * _GRID + 2 * int(epsilon) + 8
    low, high = exp_minus(epsilon, bits)
    one = 1 << bits + _GRID
    return Fraction(max(one // high, 1 << _GRID), 1 << _GRID), Fraction(-(-one // low), 1 << _GRID)


def _scaled_up(value: Fraction) -> int:
    return -(-(value.numerator << _BITS) // value.denominator)


def _scaled_down(value: Fraction) -> int:
    return (value.numerator << _BITS) // value.denominator


def _local(scheme: object) -> PureDP:
    if hasattr(scheme, "levels"):
        raise PrivacyParameterError(
            "a search by levels is not one randomizer. Who is in which level is public, so a "
            "report hides only among those of its own level. Give the scheme of a level and how "
            "many people are in it: shuffled(words.first().scheme, 1_000, delta=1e-6)."
        )
    loss = getattr(scheme, "loss", None)
    local = loss if isinstance(loss, PureDP) else PureDP(epsilon=read_epsilon(scheme))
    if local.epsilon > _MOST_LOCAL:
        raise PrivacyParameterError(
            f"the local ε is {decimal_text(local.epsilon)}, above {_MOST_LOCAL}. Reports that tell "
            "so much are not hidden by any number of others. Use a scheme with a smaller epsilon."
        )
    return local


def _read_people(people: object) -> int:
    count = read_count(people, "people", "people who report")
    if count > _MOST_PEOPLE:
        raise PrivacyParameterError(
            f"people is above {_MOST_PEOPLE:,}. The sum would take too long, and more people only "
            f"hide better. Use people={_MOST_PEOPLE}: the loss holds for more too."
        )
    return count
