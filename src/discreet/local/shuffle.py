"""What shuffling adds to local privacy: exact computations, rounded up."""

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

BITS = 192
UNIT = 1 << BITS

_TAIL = 144


def upper_binomial(trials: int, chance: Fraction) -> tuple[int, list[int], int]:
    """The law of binomial(trials, chance): the first value, upper bounds of the probabilities from
    it on, and an upper bound of the probability of all other values."""
    if chance >= 1:
        return trials, [UNIT], 0
    odds = chance / (1 - chance)
    mode = int((trials + 1) * chance)
    lows, highs = _outward(trials, mode, odds)
    below_low, below_high = _outward(trials, trials - mode, 1 / odds)
    # The total is at least the sum of the lower bounds, and beyond the last term kept on a side
    # ratios are below that of the last two.
    total = sum(lows) + sum(below_low) - UNIT
    rests = _rest(highs[-1], len(highs), trials, mode, odds)
    rests += _rest(below_high[-1], len(below_high), trials, trials - mode, 1 / odds)
    weights = [*reversed(below_high[1:]), *highs]
    scaled = [-(-(weight << BITS) // total) for weight in weights]
    return mode - len(below_high) + 1, scaled, -(-(rests << BITS) // total)


class LowerBinomial:
    """The law of binomial(trials, chance) from below: ``terms[i]/total`` is at most the probability
    of ``first`` + i, and ``sums`` are those of the terms before each."""

    __slots__ = ("first", "sums", "terms", "total")

    def __init__(self, trials: int, chance: Fraction) -> None:
        odds = chance / (1 - chance)
        mode = int((trials + 1) * chance)
        above = _outward_low(trials, mode, odds)
        below = _outward_low(trials, trials - mode, 1 / odds)
        self.first = mode - len(below) + 1
        self.terms = [*reversed(below[1:]), *above]
        self.sums = [0, *accumulate(self.terms)]
        # The j-th term of a side lacks at most j, as ratios are at most 1 and rounded once each.
        lacking = sum(len(side) * (len(side) - 1) // 2 for side in (above, below))
        rests = _rest(above[-1] + len(above), len(above), trials, mode, odds)
        rests += _rest(below[-1] + len(below), len(below), trials, trials - mode, 1 / odds)
        self.total = self.sums[-1] + lacking + rests


def fair_tails(
    first: int, slope: Fraction, start: Fraction, step: int = 1
) -> Iterator[tuple[int, int, int]]:
    """For c = first, first + step, …: the place i = ⌊c·slope + start⌋, an upper bound of b(i), its
    probability under binomial(c, 1/2), and a lower one of the tail beyond it.

    The slope lies in [1/2, 1) and every place between half of c and c.  From c to c + 1: b(i) is
    multiplied by (c+1)/(2(c+1-i)), and the tail after i grows by half of the old b(i); from i to
    i + 1: b is multiplied by (c-i)/(i+1), and the tail loses the new b.  The step is 1 or -1.
    """
    bottom = slope.denominator * start.denominator
    top, offset = slope.numerator * start.denominator, start.numerator * slope.denominator
    count, place = first, (first * top + offset) // bottom
    low, high, tail = _fair_start(count, place)
    while True:
        yield place, high, tail
        count += step
        moved = (count * top + offset) // bottom
        if step > 0:
            tail += low >> 1
            divisor = 2 * (count - place)
            low, high = low * count // divisor, -(-high * count // divisor)
            if moved > place:
                low = low * (count - place) // (place + 1)
                high = -(-high * (count - place) // (place + 1))
                tail = max(0, tail - high)
        else:
            if moved < place:
                tail += low
                divisor = count + 2 - place
                low, high = low * place // divisor, -(-high * place // divisor)
            factor, divisor = 2 * (count + 1 - moved), count + 1
            low, high = low * factor // divisor, -(-high * factor // divisor)
            tail = max(0, tail - -(-high // 2))
        place = moved


def scaled_up(value: Fraction) -> int:
    """A rational in units, rounded up."""
    return -(-(value.numerator << BITS) // value.denominator)


def scaled_down(value: Fraction) -> int:
    """A rational in units, rounded down."""
    return (value.numerator << BITS) // value.denominator


def _outward(trials: int, start: int, odds: Fraction) -> tuple[list[int], list[int]]:
    """Lower and upper bounds of P[start + j]/P[start], j = 0, 1, …, until they are negligible."""
    up, down = odds.numerator, odds.denominator
    low = high = UNIT
    lows, highs = [low], [high]
    for value in range(start, trials):
        top, bottom = (trials - value) * up, (value + 1) * down
        low, high = low * top // bottom, -(-high * top // bottom)
        lows.append(low)
        highs.append(high)
        if high < UNIT >> _TAIL and top < bottom:
            break
    return lows, highs


def _outward_low(trials: int, start: int, odds: Fraction) -> list[int]:
    """The lower bounds alone, from a mode on: half of the work."""
    up, down = odds.numerator, odds.denominator
    low = UNIT
    lows = [low]
    for value in range(start, trials):
        low = low * ((trials - value) * up) // ((value + 1) * down)
        lows.append(low)
        if low < UNIT >> _TAIL and value > start:
            break
    return lows


def _rest(last: int, count: int, trials: int, start: int, odds: Fraction) -> int:
    """An upper bound of all terms after the last of ``count`` ones: ratios fall, so a geometric
    series."""
    value = start + count - 1
    if value >= trials:
        return 0
    ratio = Fraction(trials - value, value + 1) * odds
    return int(last * ratio / (1 - ratio)) + 1


def _fair_start(count: int, place: int) -> tuple[int, int, int]:
    """Bounds of b(place), and a lower one of the tail after it, for binomial(count, 1/2)."""
    middle = count // 2
    lows, highs = _outward(count, middle, Fraction(1))
    rest = _rest(highs[-1], len(highs), count, middle, Fraction(1))
    # The law is symmetric: the total is twice the upper half, but for a middle that is its own.
    own = UNIT if count % 2 == 0 else 0
    low_total, high_total = 2 * sum(lows) - own, 2 * (sum(highs) + rest) - own
    if count % 2:  # start at the lower of two middles: that one is outside of the upper half
        low_total, high_total = low_total - 2 * UNIT, high_total - 2 * UNIT
    at = place - middle
    low = (lows[at] << BITS) // high_total if at < len(lows) else 0
    high = -(-((highs[at] if at < len(highs) else highs[-1] + rest) << BITS) // low_total)
    return low, high, (sum(lows[at + 1 :]) << BITS) // high_total


_MOST_CELLS = 128
_WORK = 1 << 23  # about so many terms are made for all cells
_GUARD = 24  # bits by which a probability is above what is lost, so that signs are sure
_FINE = 128  # the number of lies is rounded down by at most this part of it,
_COARSE = 16  # and by this one where it is as rare as
_RARE = UNIT >> 48


# ---------------------------------------------------------------------- two answers


def cells(near: Fraction, people: int) -> "Iterator[AnswerCountCell]":
    """Cells that cover every number b of others with the second answer: those from b to b' have at
    least as many of either answer as the others of the cell, so they hide at least as well."""
    others, lie = people - 1, 1 / (near + 1)
    spread = 30 * (others * float(lie * (1 - lie))) ** 0.5 + 1  # about the terms of one law
    number = max(16, min(_MOST_CELLS, int(_WORK / (8 * spread))))
    width = 1 if others < number else -(-others // number)
    for low in range(0, others + 1, width):
        high = min(low + width - 1, others)
        yield AnswerCountCell(lie, others - high, low)


class AnswerCountCell:
    """One person among others, ``zeros`` of whom have the answer 0 and ``ones`` the answer 1.

    The number of reports 1 is ones + X - Y + the person's own, where X and Y are the lies of
    either group.  P[X - Y = v] = s(v) is log-concave, so at e^ε = F the answer 0 is told from 1 by
    δ = max over v of (1 - q - Fq)·s(v) - (F - 1)·P[X - Y < v], where q is the chance of a lie.
    """

    def __init__(self, lie: Fraction, zeros: int, ones: int) -> None:
        self.lie, self.zeros, self.ones = lie, zeros, ones

    def delta(self, far: Fraction) -> Fraction:
        """δ for the answer 0 against 1 at e^ε = ``far``, rounded up."""
        gain, pay = 1 - self.lie - far * self.lie, far * (1 - self.lie) - self.lie
        # In units: P[X - Y = v] lies between s(v)/whole and (s(v) + lost)/whole.
        whole, lost = self._whole, self._lost
        least = most = self._peak(gain, pay)
        if self._at(most) < lost << _GUARD:
            return gain * self._beyond(most, gain, pay) / whole
        while gain * (self._at(most + 1) + lost) > pay * self._at(most):
            most += 1  # where the sum may still rise
        while gain * self._at(least) < pay * (self._at(least - 1) + lost):
            least -= 1  # where the sum may have fallen already
        sums = (gain * self._at(v) - (far - 1) * self._below(v) for v in range(least, most + 1))
        return max(Fraction(0), (max(sums) + gain * lost) / whole)

    def _beyond(self, v: int, gain: Fraction, pay: Fraction) -> int:
        """All of P[X - Y ≤ w] from above, for a w that is surely not below the best one, v or so:
        it is searched for between v and the mean, where the law is far from its cut tails."""
        low, high = v, max(v, int(self.lie * (self.zeros - self.ones)))

        def sure(v: int) -> bool:
            risen = gain * (self._at(v + 1) + self._lost) > pay * self._at(v)
            return self._at(v) >= self._lost << _GUARD and not risen

        if not sure(high):
            return self._whole
        while high > low:
            middle = (low + high) // 2
            low, high = (low, middle) if sure(middle) else (middle + 1, high)
        return self._below(high + 1) + self._lost

    def _peak(self, gain: Fraction, pay: Fraction) -> int:
        """About the last v with gain·s(v) ≥ pay·s(v - 1); floats and the search only guess it."""
        lie, tilt = float(self.lie), max(log(pay / gain), 0.0)
        down, up = lie * exp(-tilt), lie * exp(min(tilt, 700.0))
        center = self.zeros * down / (1 - lie + down) - self.ones * up / (1 - lie + up)

        def rises(v: int) -> bool:
            return gain * self._at(v) >= pay * self._at(v - 1)

        x, y = self._x, self._y  # within what is kept of both
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
    def _whole(self) -> int:
        return self._x.total * self._y.total

    @cached_property
    def _lost(self) -> int:
        """All that the lower bounds of s lack together."""
        return self._whole - self._x.sums[-1] * self._y.sums[-1]

    @cached_property
    def _points(self) -> dict[int, int]:
        return {}

    def _at(self, v: int) -> int:
        """s(v) from below."""
        if v not in self._points:
            x, y = self._x, self._y
            shift = v + y.first - x.first  # the term i of Y meets the term i + shift of X
            terms = x.terms[shift:] if shift >= 0 else x.terms
            met = y.terms if shift >= 0 else islice(y.terms, -shift, None)
            self._points[v] = sum(map(mul, terms, met))
        return self._points[v]

    def _below(self, v: int) -> int:
        """P[X - Y < v] from below."""
        x, y = self._x, self._y
        size = len(x.terms)
        shift = v + y.first - x.first
        sums = (x.sums[min(max(i + shift, 0), size)] for i in range(len(y.terms)))
        return sum(map(mul, sums, y.terms))


# ---------------------------------------------------------------------- more answers


def blanket_delta(near: Fraction, categories: int, people: int, far: Fraction) -> Fraction:
    """δ of what lies hide, for k ≥ 2 answers; δ falls with their number, which is rounded down."""
    chance = categories / (near + categories - 1)  # of a report that does not depend on the answer
    first, weights, outside = upper_binomial(people - 1, chance)
    often = next(at for at, weight in enumerate(weights) if weight > _RARE)
    total, at = Fraction(outside), 0
    while at < len(weights):
        lies = first + at + 1  # with the person's own report
        part = lies // (_COARSE if weights[at] <= _RARE else _FINE)
        end = max(at + 1, min(at + part, often) if at < often else at + part)
        hidden = _hidden(near, categories, far, lies, chance)
        total += sum(weights[at:end]) * min(Fraction(1), hidden)
        at = end
    return min(total / UNIT, Fraction(1))


def _hidden(
    near: Fraction, categories: int, far: Fraction, lies: int, chance: Fraction
) -> Fraction:
    """δ given N = ``lies``: γ(E - 1)/N times the mean of the positive part of a - F·b - N·c, where
    (a, b) are the numbers of two of k equally likely answers among N and c = (F - 1)/(E - 1).

    Given a + b = t, a is binomial(t, 1/2), and with i the largest a that is not counted the mean is
    (F + 1)/2·(t - i)·P[a = i] - ((F - 1)·t/2 + N·c)·P[a > i].
    """
    start = lies * (far - 1) / ((near - 1) * (far + 1))
    slope = far / (far + 1)
    first, weights, outside = upper_binomial(lies, Fraction(2, categories))
    # Below this t no a is above the threshold: t ≤ ⌊t·slope + start⌋.
    least, most = max(first, int(start / (1 - slope)) + 1), first + len(weights) - 1
    total = outside * lies  # a is at most N
    if least > most:
        return chance * (near - 1) / lies * total / UNIT
    rise, fall = scaled_up((far + 1) / 2), scaled_down((far - 1) / 2)
    held = scaled_down(lies * (far - 1) / (near - 1))
    # From where P[a > i] is largest, so that no rounding is enlarged on the way.
    middle = min(max(int(2 * lies / (near - 1)), least), most)
    for counts in (range(middle, most + 1), range(middle - 1, least - 1, -1)):
        for count, (place, height, tail) in zip(
            counts, fair_tails(counts.start, slope, start, counts.step), strict=False
        ):
            lost = (fall * count + held) * tail >> BITS
            excess = -(-rise * (count - place) * height >> BITS) - lost
            if excess > 0:
                total += -(-weights[count - first] * excess >> BITS)
    return chance * (near - 1) / lies * total / UNIT


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
