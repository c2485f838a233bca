"""The best composition of one (ε,δ) guarantee with itself, when nothing else is known.

k releases that are each (ε,δ)-DP are (ε', δ')-DP for exactly those pairs with

    1 - δ' = (1-δ)^k · (1 - Σ_j C(k,j)·max(0, e^(jε) - e^(ε' + (k-j)ε))/(1+e^ε)^k)

(Kairouz, Oh and Viswanath 2015), by integer enclosures.  Proof: docs/proofs/composition.md
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.accounting.composition import simple_loss
from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus, logarithm, round_up
from discreet.privacy.events import Event, counted, not_negative, refused
from discreet.privacy.parameters import read_delta

MOST = 10_000
"""The most repetitions: the sum has a term for each."""

_STEP = Fraction(1, 10**12)
_DECAY_BITS = 256


def optimal_epsilon(event: Event, *, delta: object) -> Fraction:
    """The least ε' of a repeated (ε,δ) event, rounded up to a multiple of 10^-12.

    >>> from discreet.privacy.events import PureEvent, RepeatedEvent
    >>> hundred = RepeatedEvent(event=PureEvent(epsilon=0.1), count=100)
    >>> round(float(optimal_epsilon(hundred, delta=1e-6)), 3)
    4.775
    """
    response = _Response.of(event)
    level = read_delta(delta)
    kept = response.kept
    if kept == 0 or 1 - level > kept:
        raise PrivacyParameterError(
            "delta is below what the events leak by themselves. No ε exists there. Use a larger "
            "delta, or events with a smaller one."
        )
    # 1 - δ' = kept·(1 - inside), so what the finite losses may take is:
    inside = 1 - (1 - level) / kept
    return round_up(response.least_epsilon(inside), _STEP)


def optimal_delta(event: Event, *, epsilon: object) -> Fraction:
    """The least δ' of a repeated (ε,δ) event, rounded up."""
    response = _Response.of(event)
    inside = response.delta(not_negative(epsilon, "epsilon"))
    return min(Fraction(1), 1 - response.kept * (1 - inside))


@dataclass(frozen=True, slots=True)
class _Response:
    """``count`` answers of two-valued randomized response; none leaks with probability ``kept``."""

    epsilon: Fraction
    count: int
    kept: Fraction

    @staticmethod
    def of(event: Event) -> "_Response":
        groups = counted(event)
        if not groups:
            return _Response(Fraction(0), 1, Fraction(1))
        (simple, count), *others = groups.items()
        loss = simple_loss(simple)
        if others or loss is None:
            raise refused(event, "optimal composition of one repeated (ε,δ) event")
        if count > MOST:
            raise PrivacyParameterError(
                f"the event is repeated more than {MOST} times. Optimal composition adds up a "
                "term for each. Use loss_distribution_epsilon, which is as tight."
            )
        return _Response(loss.epsilon, count, _power_below(1 - loss.delta, count))

    def loss(self, lies: int) -> Fraction:
        """The privacy loss of answers with so many lies among them."""
        return (self.count - 2 * lies) * self.epsilon

    def sums(self, lies: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Σ P(i) from above and Σ P(i)·e^(epsilon - loss(i)) from below, over i ≤ ``lies``.

        ε is not above the loss with that many lies.
        """
        bits, table = _lies(self.epsilon, self.count)
        decay, _ = exp_minus(self.loss(lies) - epsilon, _DECAY_BITS)
        step, _ = exp_minus(2 * self.epsilon, _DECAY_BITS)
        first = second = 0
        for below, above in reversed(table[: lies + 1]):
            first += above
            second += below * decay >> _DECAY_BITS
            decay = decay * step >> _DECAY_BITS
        return Fraction(first, 1 << bits), Fraction(second, 1 << bits)

    def delta(self, epsilon: Fraction) -> Fraction:
        """Σ P(i)·(1 - e^(ε' - loss(i)))₊ over the numbers i of lies, rounded up."""
        if epsilon >= self.loss(0):
            return Fraction(0)
        if self.epsilon == 0 or epsilon < self.loss(self.count):
            return Fraction(1)
        lies = ((self.count - epsilon / self.epsilon) / 2).__floor__()
        first, second = self.sums(lies, epsilon)
        return min(Fraction(1), first - second)

    def least_epsilon(self, delta: Fraction) -> Fraction:
        """About the least ε' ≥ 0 with delta(ε') ≤ δ."""
        if self.epsilon == 0 or self.delta(Fraction(0)) <= delta:
            return Fraction(0)
        low, high = 0, self.count // 2
        while high > low:  # the most lies at whose loss δ' is small enough
            middle = -(-(low + high) // 2)
            if self.delta(self.loss(middle)) <= delta:
                low = middle
            else:
                high = middle - 1
        # Between that loss and the next lower one δ' = A - e^(ε' - loss)·B is a line in e^ε'.
        first, second = self.sums(low, self.loss(low))
        next_lower = max(Fraction(0), self.loss(low + 1))
        if first <= delta:
            return next_lower
        _, excess = logarithm((first - delta) / second, _DECAY_BITS)
        epsilon = self.loss(low) + Fraction(excess, 1 << _DECAY_BITS)
        return min(max(epsilon, next_lower), self.loss(low))


@lru_cache(maxsize=2)  # a table takes some 25 MB where the event is repeated most often
def _lies(epsilon: Fraction, count: int) -> tuple[int, list[tuple[int, int]]]:
    """A number of bits, and enclosures of 2^bits · P(i lies) for every i.

    P(0) = (1+q)^-k ≥ 2^-k and P(i+1) = P(i)·q·(k-i)/(i+1) with q = e^(-ε).
    """
    bits = count + _DECAY_BITS
    low, high = exp_minus(epsilon, bits)
    one = 1 << bits
    below, above = (one << bits) // (one + high), -((-one << bits) // (one + low))
    first_below, first_above = one, one
    for digit in format(count, "b"):
        first_below, first_above = first_below**2 >> bits, -(-(first_above**2) >> bits)
        if digit == "1":
            first_below, first_above = first_below * below >> bits, -(-first_above * above >> bits)
    ratio_low, ratio_high = exp_minus(epsilon, _DECAY_BITS)
    table = [(first_below, first_above)]
    for lies in range(count):
        least, most = table[-1]
        least = (least * ratio_low * (count - lies) // (lies + 1)) >> _DECAY_BITS
        most = -(-most * ratio_high * (count - lies) // (lies + 1) >> _DECAY_BITS)
        table.append((least, most))
    return bits, table


def _power_below(value: Fraction, exponent: int) -> Fraction:
    """value^exponent for a value from 0 to 1, rounded down."""
    unit = 1 << _DECAY_BITS
    base = int(value * unit)
    result = unit
    for digit in format(exponent, "b"):
        result = result * result >> _DECAY_BITS
        if digit == "1":
            result = result * base >> _DECAY_BITS
    return Fraction(result, unit) if value < 1 else Fraction(1)
