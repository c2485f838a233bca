"""The central loss of shuffled local reports: exact computations, rounded up.

The curve δ(ε) is that of clones for any scheme, that of the reports' own law for randomized
response with two answers, and that of the privacy blanket with more.  In the code ``exp_local`` is
e^ε₀, the largest ratio of chances of one report, and ``exp_epsilon`` is e^ε.  Probabilities are
integers in units of 2^-192.  Proof: docs/proofs/shuffle.md
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import accumulate, islice
from math import exp, isqrt, log, sqrt
from operator import mul

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, exp_minus, rational
from discreet.local.randomized_response import RandomizedResponse
from discreet.local.scheme_choice import scheme_of
from discreet.privacy.losses import ApproximateDP, PureDP, read_count, read_delta, read_epsilon

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
BITS = 192
UNIT = 1 << BITS
_TAIL_BITS = 144  # terms below 2^-144 of the largest are cut off
_MOST_CELLS = 128
_MOST_TERMS = 1 << 23  # about the number of terms of all cells together
_GUARD_BITS = 24  # a weight this far above the deficit tells whether the excess rises
_FINE_DIVISOR = 128  # the number of lies is rounded down by at most 1/128 of it,
_COARSE_DIVISOR = 16  # and by 1/16 of it where its probability is below
_RARE_WEIGHT = UNIT >> 48
_EXP_BITS = 64  # e^ε₀ and e^ε are rationals over 2^64
_EPSILON_PARTS = 10**12  # ε is a multiple of ε₀/10^12
_PRECISION = 10**4  # ε is at most 1/10^4 of it above the least
_MOST_PEOPLE = 10**9
_MOST_LOCAL = Fraction(30)
Curve = Callable[[Fraction], Fraction]
"""δ at a rational e^ε, rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    """The central loss of shuffled reports, with the bound and the assumption that it rests on."""

    local: PureDP
    """The loss of one report to somebody who sees it beside its sender's name."""
    people: int
    epsilon: Fraction
    delta: Fraction
    bound: str = BOUND
    assumption: str = ASSUMPTION

    @property
    def loss(self) -> ApproximateDP:
        """The loss of all shuffled reports together, for one person, with replace neighbors."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def __str__(self) -> str:
        return (
            f"{self.loss} for {self.people:,} people, from {self.local} each. "
            f"Bound: {self.bound}. Assumption: {self.assumption}"
        )


def shuffled(scheme: object, people: int, *, delta: object) -> Shuffled:
    """The central loss of the shuffled reports of ``people`` people, at this δ.

    ``scheme`` is a local scheme, or the ε₀ of its reports; of heavy hitters, the scheme of a level.
    Randomized response has a smaller loss than the one that holds for every scheme of its ε₀.

    >>> amplified = shuffled(1, 10_000, delta=1e-6)
    >>> round(float(amplified.epsilon), 4), amplified.people
    (0.053, 10000)
    >>> poll = RandomizedResponse(epsilon=1)
    >>> round(float(shuffled(poll, 10_000, delta=1e-6).epsilon), 4)
    0.0358
    """
    local, exp_local, categories = _read_scheme(scheme)
    count = _read_people(people)
    target_delta = read_delta(delta)
    curves = _curves(exp_local, categories, count)
    bounds = {None: BOUND, 2: TWO_ANSWERS}
    return Shuffled(
        local=local,
        people=count,
        epsilon=_least_epsilon(local.epsilon, exp_local, curves, target_delta),
        delta=target_delta,
        bound=bounds.get(categories, MORE_ANSWERS),
    )


def shuffled_delta(scheme: object, people: int, *, epsilon: object) -> Fraction:
    """The δ of the shuffled reports at this ε, rounded up: an exact rational with many digits.

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
    local, exp_local, categories = _read_scheme(scheme)
    curves = _curves(exp_local, categories, _read_people(people))
    if level >= local.epsilon:
        return Fraction(0)
    return max(_curve_delta(curve, exp_local, level) for curve in curves)


# ---------------------------------------------------------------------- arguments


def _read_scheme(scheme: object) -> tuple[PureDP, Fraction, int | None]:
    """The local loss, a rational that is e^ε₀ or more, and the number of answers or None.

    The number is known for randomized response; there the rational is the odds of the truth against
    each lie.
    """
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
    # A scheme that is ε₀-DP is so for a larger ε₀.
    return local, _exp_bounds(local.epsilon)[1], None


def _read_people(people: object) -> int:
    count = read_count(people, "people", "people who report")
    if count > _MOST_PEOPLE:
        raise PrivacyParameterError(
            f"people is above {_MOST_PEOPLE:,}. The sum would take too long, and more people only "
            f"hide better. Use people={_MOST_PEOPLE}: the loss holds for more too."
        )
    return count


@lru_cache(maxsize=64)
def _exp_bounds(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals over 2^64 below and above e^ε."""
    bits = 2 * _EXP_BITS + 2 * int(epsilon) + 8
    low, high = exp_minus(epsilon, bits)
    one, unit = 1 << bits + _EXP_BITS, 1 << _EXP_BITS
    return Fraction(max(one // high, unit), unit), Fraction(-(-one // low), unit)


# ---------------------------------------------------------------------- ε and δ


def _curves(exp_local: Fraction, categories: int | None, people: int) -> Iterable[Curve]:
    """Curves whose maximum is that of the shuffled reports."""
    if categories is None:
        return (partial(clones_delta, exp_local, people),)
    if categories > 2:
        return (partial(blanket_delta, exp_local, categories, people),)
    return (cell.delta for cell in answer_count_cells(exp_local, people))


def _curve_delta(curve: Curve, exp_local: Fraction, epsilon: Fraction) -> Fraction:
    """δ at ε, never below the true one: δ falls with ε, so e^ε is rounded down."""
    exp_epsilon = _exp_bounds(epsilon)[0]
    return min(curve(exp_epsilon), Fraction(1)) if exp_epsilon < exp_local else Fraction(0)


def _least_epsilon(
    local: Fraction, exp_local: Fraction, curves: Iterable[Curve], delta: Fraction
) -> Fraction:
    """An ε whose δ, rounded up, is at most ``delta``; it is at most 0.01% above the least."""
    parts = 0
    for curve in curves:

        def delta_at(parts: int, curve: Curve = curve) -> Fraction:
            return _curve_delta(curve, exp_local, local * parts / _EPSILON_PARTS)

        if parts == _EPSILON_PARTS:
            break  # at ε₀ itself δ is 0
        if (delta_at_parts := delta_at(parts)) > delta:
            parts = _least_parts(delta_at, parts, delta_at_parts, delta)
    return local * parts / _EPSILON_PARTS


def _least_parts(
    delta_at: Callable[[int], Fraction], low: int, low_delta: Fraction, delta: Fraction
) -> int:
    """The least number of parts above ``low`` whose δ is at most ``delta``, or up to 0.01% more."""
    high, high_delta = _EPSILON_PARTS, Fraction(0)  # at ε₀ itself δ is 0
    if low:  # it was enough for the curve before: look right above it
        step = low // _PRECISION + 1
        while low + step < _EPSILON_PARTS and (low_delta := delta_at(low + step)) > delta:
            low, step = low + step, 2 * step
        high = min(low + step, _EPSILON_PARTS)
    turn = 0
    while (high - low) * _PRECISION > high:
        turn += 1  # every third step halves the interval, however wrong the guesses are
        middle = (
            _next_parts(low, high, low_delta, high_delta, delta) if turn % 3 else (low + high) // 2
        )
        value = delta_at(middle)
        if value <= delta:
            high, high_delta = middle, value
        else:
            low, low_delta = middle, value
    return high


def _next_parts(
    low: int, high: int, low_delta: Fraction, high_delta: Fraction, delta: Fraction
) -> int:
    """The number of parts to look at next: a guess by floats, as ln δ is nearly linear in ε²."""
    if high > 2 * low or not high_delta or not delta:
        return isqrt(max(low, 1) * high) if high > 2 * low else (low + high) // 2
    above, below = _log(low_delta) - _log(delta), _log(delta) - _log(high_delta)
    guess = sqrt(low**2 + (high**2 - low**2) * above / (above + below + 1e-300))
    # A little beyond the guess on the side of the farther end, so that both ends close in.
    nudge = high / (3 * _PRECISION)
    guess += nudge if guess - low < high - guess else -nudge
    return min(max(int(guess), low + 1), high - 1)


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)


# ---------------------------------------------------------------------- any scheme: clones


def clones_delta(exp_local: Fraction, people: int, exp_epsilon: Fraction) -> Fraction:
    """δ by clones, for any scheme with this e^ε₀, at an e^ε below it, rounded up.

    C, the number of clones, is binomial(people - 1, e^-ε₀).  Given C = c, the first coordinate is i
    with probabilities p·b(i-1) + (1-p)·b(i) and p·b(i) + (1-p)·b(i-1), where b is the law of
    binomial(c, 1/2).  The first exceeds e^ε times the second from
    i* = ⌊(c+1)·(e^ε·e^ε₀ - 1)/((e^ε₀ - 1)(e^ε + 1))⌋ + 1 on, and the excess sums to
    (e^ε₀ - e^ε)/(e^ε₀ + 1)·b(i* - 1) - (e^ε - 1)·P[binomial(c, 1/2) ≥ i*].
    """
    first, weights, outside = _clone_counts(exp_local, people)
    gain = scaled_up((exp_local - exp_epsilon) / (exp_local + 1))
    price = scaled_down(exp_epsilon - 1)
    threshold = (exp_local * exp_epsilon - 1) / ((exp_local - 1) * (exp_epsilon + 1))
    total = outside
    for weight, (_, height, tail) in zip(
        weights, fair_tails(first, threshold, threshold), strict=False
    ):
        excess = -(-gain * height >> BITS) - (price * tail >> BITS)
        if excess > 0:
            total += -(-weight * excess >> BITS)
    return Fraction(total, UNIT)


@lru_cache(maxsize=4)
def _clone_counts(exp_local: Fraction, people: int) -> tuple[int, list[int], int]:
    """Upper bounds of the law of the number of clones."""
    return upper_binomial(people - 1, 1 / exp_local)


# ---------------------------------------------------------------------- more answers: blanket


def blanket_delta(
    exp_local: Fraction, categories: int, people: int, exp_epsilon: Fraction
) -> Fraction:
    """δ by the privacy blanket, for k ≥ 2 answers: the reports that do not depend on the answer.

    δ falls with the number of such reports, here called lies, which is rounded down.
    """
    chance = categories / (exp_local + categories - 1)  # of a lie
    first, weights, outside = upper_binomial(people - 1, chance)
    first_common = next(
        position for position, weight in enumerate(weights) if weight > _RARE_WEIGHT
    )
    total, position = Fraction(outside), 0
    while position < len(weights):
        lies = first + position + 1  # with the person's own report
        width = lies // (_COARSE_DIVISOR if weights[position] <= _RARE_WEIGHT else _FINE_DIVISOR)
        end = position + max(1, width)
        if position < first_common:
            end = min(end, first_common)
        delta = _delta_given_lies(exp_local, categories, exp_epsilon, lies, chance)
        total += sum(weights[position:end]) * min(Fraction(1), delta)
        position = end
    return min(total / UNIT, Fraction(1))


def _delta_given_lies(
    exp_local: Fraction, categories: int, exp_epsilon: Fraction, lies: int, chance: Fraction
) -> Fraction:
    """δ given N = ``lies``: γ(E - 1)/N times the mean of the positive part of a - F·b - N·c, where
    (a, b) are the numbers of two of k equally likely answers among N and c = (F - 1)/(E - 1).

    Given a + b = t, a is binomial(t, 1/2), and with i the largest a that is not counted the mean is
    (F + 1)/2·(t - i)·P[a = i] - ((F - 1)·t/2 + N·c)·P[a > i].
    """
    start = lies * (exp_epsilon - 1) / ((exp_local - 1) * (exp_epsilon + 1))
    slope = exp_epsilon / (exp_epsilon + 1)
    first, weights, outside = upper_binomial(lies, Fraction(2, categories))
    # Below this t no a is above the threshold: t ≤ ⌊t·slope + start⌋.
    least_count, most_count = max(first, int(start / (1 - slope)) + 1), first + len(weights) - 1
    total = outside * lies  # a is at most N
    if least_count > most_count:
        return chance * (exp_local - 1) / lies * total / UNIT
    gain, loss = scaled_up((exp_epsilon + 1) / 2), scaled_down((exp_epsilon - 1) / 2)
    fixed_loss = scaled_down(lies * (exp_epsilon - 1) / (exp_local - 1))
    # From where P[a > i] is largest, so that no rounding is enlarged on the way.
    middle = min(max(int(2 * lies / (exp_local - 1)), least_count), most_count)
    for counts in (range(middle, most_count + 1), range(middle - 1, least_count - 1, -1)):
        for count, (place, height, tail) in zip(
            counts, fair_tails(counts.start, slope, start, counts.step), strict=False
        ):
            price = (loss * count + fixed_loss) * tail >> BITS
            excess = -(-gain * (count - place) * height >> BITS) - price
            if excess > 0:
                total += -(-weights[count - first] * excess >> BITS)
    return chance * (exp_local - 1) / lies * total / UNIT


# ---------------------------------------------------------------------- binomial laws


def upper_binomial(trials: int, chance: Fraction) -> tuple[int, list[int], int]:
    """Upper bounds of the law of binomial(trials, chance).

    The first value, bounds of the probabilities of it and the values after it, and a bound of the
    probability of all others.
    """
    if chance >= 1:
        return trials, [UNIT], 0
    odds = chance / (1 - chance)
    mode = int((trials + 1) * chance)
    above_lows, above_highs = _ratio_bounds(trials, mode, odds)
    below_lows, below_highs = _ratio_bounds(trials, trials - mode, 1 / odds)
    # The total is at least the sum of the lower bounds, and beyond the last term kept on a side
    # ratios are below that of the last two.
    total = sum(above_lows) + sum(below_lows) - UNIT
    tails = _tail_bound(above_highs[-1], len(above_highs), trials, mode, odds)
    tails += _tail_bound(below_highs[-1], len(below_highs), trials, trials - mode, 1 / odds)
    weights = [*reversed(below_highs[1:]), *above_highs]
    scaled = [-(-(weight << BITS) // total) for weight in weights]
    return mode - len(below_highs) + 1, scaled, -(-(tails << BITS) // total)


class LowerBinomial:
    """Lower bounds of the law of binomial(trials, chance).

    ``terms[i]/total`` is at most the probability of ``first`` + i, and ``sums[i]`` is the sum
    of the terms before it.
    """

    __slots__ = ("first", "sums", "terms", "total")

    def __init__(self, trials: int, chance: Fraction) -> None:
        odds = chance / (1 - chance)
        mode = int((trials + 1) * chance)
        above = _ratio_lower_bounds(trials, mode, odds)
        below = _ratio_lower_bounds(trials, trials - mode, 1 / odds)
        self.first = mode - len(below) + 1
        self.terms = [*reversed(below[1:]), *above]
        self.sums = [0, *accumulate(self.terms)]
        # The j-th term of a side is at most j too low: ratios are at most 1, each rounded once.
        rounding_loss = sum(len(side) * (len(side) - 1) // 2 for side in (above, below))
        tails = _tail_bound(above[-1] + len(above), len(above), trials, mode, odds)
        tails += _tail_bound(below[-1] + len(below), len(below), trials, trials - mode, 1 / odds)
        self.total = self.sums[-1] + rounding_loss + tails


def fair_tails(
    first: int, slope: Fraction, start: Fraction, step: int = 1
) -> Iterator[tuple[int, int, int]]:
    """Tails of binomial(c, 1/2) for c = first, first + step, …

    Each is the place i = ⌊c·slope + start⌋, an upper bound of its probability b(i), and a lower
    bound of the probability of all values above i.

    The slope lies in [1/2, 1) and every place between half of c and c.  From c to c + 1: b(i) is
    multiplied by (c+1)/(2(c+1-i)), and the tail after i grows by half of the old b(i); from i to
    i + 1: b is multiplied by (c-i)/(i+1), and the tail loses the new b.  The step is 1 or -1.
    """
    denominator = slope.denominator * start.denominator
    slope_top, start_top = slope.numerator * start.denominator, start.numerator * slope.denominator
    count, place = first, (first * slope_top + start_top) // denominator
    low, high, tail = _fair_tail_at(count, place)
    while True:
        yield place, high, tail
        count += step
        next_place = (count * slope_top + start_top) // denominator
        if step > 0:
            tail += low >> 1
            divisor = 2 * (count - place)
            low, high = low * count // divisor, -(-high * count // divisor)
            if next_place > place:
                low = low * (count - place) // (place + 1)
                high = -(-high * (count - place) // (place + 1))
                tail = max(0, tail - high)
        else:
            if next_place < place:
                tail += low
                divisor = count + 2 - place
                low, high = low * place // divisor, -(-high * place // divisor)
            factor, divisor = 2 * (count + 1 - next_place), count + 1
            low, high = low * factor // divisor, -(-high * factor // divisor)
            tail = max(0, tail - -(-high // 2))
        place = next_place


def scaled_up(value: Fraction) -> int:
    """A rational in units of 2^-192, rounded up."""
    return -(-(value.numerator << BITS) // value.denominator)


def scaled_down(value: Fraction) -> int:
    """A rational in units of 2^-192, rounded down."""
    return (value.numerator << BITS) // value.denominator


def _ratio_bounds(trials: int, start: int, odds: Fraction) -> tuple[list[int], list[int]]:
    """Lower and upper bounds of P[start + j]/P[start] of a binomial, until they are negligible."""
    odds_top, odds_bottom = odds.numerator, odds.denominator
    low = high = UNIT
    lows, highs = [low], [high]
    for value in range(start, trials):
        top, bottom = (trials - value) * odds_top, (value + 1) * odds_bottom
        low, high = low * top // bottom, -(-high * top // bottom)
        lows.append(low)
        highs.append(high)
        if high < UNIT >> _TAIL_BITS and top < bottom:
            break
    return lows, highs


def _ratio_lower_bounds(trials: int, start: int, odds: Fraction) -> list[int]:
    """The lower bounds of ``_ratio_bounds`` alone, from a mode on: half of the work."""
    odds_top, odds_bottom = odds.numerator, odds.denominator
    low = UNIT
    lows = [low]
    for value in range(start, trials):
        low = low * ((trials - value) * odds_top) // ((value + 1) * odds_bottom)
        lows.append(low)
        if low < UNIT >> _TAIL_BITS and value > start:
            break
    return lows


def _tail_bound(last: int, count: int, trials: int, start: int, odds: Fraction) -> int:
    """An upper bound of the sum of all terms after ``count`` ones: a geometric series, as ratios
    fall."""
    value = start + count - 1
    if value >= trials:
        return 0
    ratio = Fraction(trials - value, value + 1) * odds
    return int(last * ratio / (1 - ratio)) + 1


def _fair_tail_at(count: int, place: int) -> tuple[int, int, int]:
    """A lower and an upper bound of b(place), and a lower bound of the tail above it, for
    binomial(count, 1/2)."""
    middle = count // 2
    lows, highs = _ratio_bounds(count, middle, Fraction(1))
    tail = _tail_bound(highs[-1], len(highs), count, middle, Fraction(1))
    # The law is symmetric: the total is twice the upper half, which counts a single middle twice.
    middle_weight = UNIT if count % 2 == 0 else 0
    low_total, high_total = 2 * sum(lows) - middle_weight, 2 * (sum(highs) + tail) - middle_weight
    if count % 2:  # the lower of two middles, where the ratios start, is not in the upper half
        low_total, high_total = low_total - 2 * UNIT, high_total - 2 * UNIT
    position = place - middle
    low = (lows[position] << BITS) // high_total if position < len(lows) else 0
    high = -(
        -((highs[position] if position < len(highs) else highs[-1] + tail) << BITS) // low_total
    )
    return low, high, (sum(lows[position + 1 :]) << BITS) // high_total


# ---------------------------------------------------------------------- two answers: own law


def answer_count_cells(exp_local: Fraction, people: int) -> "Iterator[AnswerCountCell]":
    """Cells that cover every number b of other people with the second answer.

    A cell for b from low to high has as few people of either answer as any b in it, so every b
    hides a person at least as well as its cell.
    """
    others, lie = people - 1, 1 / (exp_local + 1)
    spread = (
        30 * (others * float(lie * (1 - lie))) ** 0.5 + 1
    )  # about the number of terms of one law
    cell_count = max(16, min(_MOST_CELLS, int(_MOST_TERMS / (8 * spread))))
    width = 1 if others < cell_count else -(-others // cell_count)
    for low in range(0, others + 1, width):
        high = min(low + width - 1, others)
        yield AnswerCountCell(lie, others - high, low)


class AnswerCountCell:
    """The curve δ(ε) of one person's two-answer report among ``zeros`` + ``ones`` others.

    ``zeros`` of the others have the answer 0 and ``ones`` the answer 1.  The number of reports 1 is
    ones + X - Y + the person's own, where X and Y are the numbers of lies in the two groups.
    P[X - Y = v] = s(v) is log-concave, so at e^ε = F the answer 0 is told from 1 by
    δ = max over v of (1 - q - Fq)·s(v) - (F - 1)·P[X - Y < v], where q is the chance of a lie.
    """

    def __init__(self, lie: Fraction, zeros: int, ones: int) -> None:
        self.lie, self.zeros, self.ones = lie, zeros, ones

    def delta(self, exp_epsilon: Fraction) -> Fraction:
        """δ for the answer 0 against 1 at this e^ε, rounded up."""
        gain, price = 1 - self.lie - exp_epsilon * self.lie, exp_epsilon * (1 - self.lie) - self.lie
        # P[X - Y = v] lies between weight(v)/total and (weight(v) + deficit)/total.
        total, deficit = self._total, self._deficit
        least = most = self._peak(gain, price)
        if self._weight(most) < deficit << _GUARD_BITS:
            return gain * self._below_bound(most, gain, price) / total
        while gain * (self._weight(most + 1) + deficit) > price * self._weight(most):
            most += 1  # the excess may still rise
        while gain * self._weight(least) < price * (self._weight(least - 1) + deficit):
            least -= 1  # the excess may have fallen already
        excesses = (
            gain * self._weight(v) - (exp_epsilon - 1) * self._weight_below(v)
            for v in range(least, most + 1)
        )
        return max(Fraction(0), (max(excesses) + gain * deficit) / total)

    def _below_bound(self, v: int, gain: Fraction, price: Fraction) -> int:
        """An upper bound of P[X - Y ≤ w], for a w that is surely not below the best v.

        It is used where v lies in the tails that are cut off, and w is searched for between v and
        the mean, where terms are kept.
        """
        low, high = v, max(v, int(self.lie * (self.zeros - self.ones)))

        def is_past_peak(v: int) -> bool:
            may_rise = gain * (self._weight(v + 1) + self._deficit) > price * self._weight(v)
            return self._weight(v) >= self._deficit << _GUARD_BITS and not may_rise

        if not is_past_peak(high):
            return self._total
        while high > low:
            middle = (low + high) // 2
            low, high = (low, middle) if is_past_peak(middle) else (middle + 1, high)
        return self._weight_below(high + 1) + self._deficit

    def _peak(self, gain: Fraction, price: Fraction) -> int:
        """A guess of the last v with gain·s(v) ≥ price·s(v - 1), by floats and a search."""
        lie, tilt = float(self.lie), max(log(price / gain), 0.0)
        down, up = lie * exp(-tilt), lie * exp(min(tilt, 700.0))
        center = self.zeros * down / (1 - lie + down) - self.ones * up / (1 - lie + up)

        def rises(v: int) -> bool:
            return gain * self._weight(v) >= price * self._weight(v - 1)

        x, y = self._x, self._y  # v stays where terms of both are kept
        lowest, highest = x.first - y.first - len(y.terms) + 1, x.first + len(x.terms) - 1 - y.first
        low = high = min(max(round(center), lowest), highest)
        step = 1
        while low > lowest and not rises(low):
            low, step = max(lowest, low - step), 2 * step
        step = 1
        while high < highest and rises(high + 1):
            high, step = min(highest, high + step), 2 * step
        while high > low:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if rises(middle) else (low, middle - 1)
        return low

    # ------------------------------------------------------------------ the law of X - Y

    @cached_property
    def _x(self) -> LowerBinomial:
        return LowerBinomial(self.zeros, self.lie)

    @cached_property
    def _y(self) -> LowerBinomial:
        return LowerBinomial(self.ones, self.lie)

    @cached_property
    def _total(self) -> int:
        return self._x.total * self._y.total

    @cached_property
    def _deficit(self) -> int:
        """The sum by which the weights are below s, in the units of ``_total``."""
        return self._total - self._x.sums[-1] * self._y.sums[-1]

    @cached_property
    def _weights(self) -> dict[int, int]:
        return {}

    def _weight(self, v: int) -> int:
        """A lower bound of s(v), in the units of ``_total``."""
        if v not in self._weights:
            x, y = self._x, self._y
            shift = v + y.first - x.first  # the term i of Y meets the term i + shift of X
            terms = x.terms[shift:] if shift >= 0 else x.terms
            y_terms = y.terms if shift >= 0 else islice(y.terms, -shift, None)
            self._weights[v] = sum(map(mul, terms, y_terms))
        return self._weights[v]

    def _weight_below(self, v: int) -> int:
        """A lower bound of P[X - Y < v], in the units of ``_total``."""
        x, y = self._x, self._y
        size = len(x.terms)
        shift = v + y.first - x.first
        sums = (x.sums[min(max(i + shift, 0), size)] for i in range(len(y.terms)))
        return sum(map(mul, sums, y.terms))
