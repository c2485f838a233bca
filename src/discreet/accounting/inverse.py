"""How much each question may cost, or how little noise it needs, so that a batch fits a budget.

The search is a bisection that trusts nothing: the number that is returned was itself priced, and
it fits.
"""

from collections.abc import Callable
from fractions import Fraction
from math import floor, log10

from discreet.accounting.batch import batch_delta
from discreet.errors import PrivacyParameterError
from discreet.privacy.budget import Budget
from discreet.privacy.events import Event

DIGITS = 6
_SMALLEST = Fraction(1, 10**9)
_LARGEST = Fraction(10**9)


def largest_fitting(make: Callable[[Fraction], Event], budget: Budget) -> Fraction:
    """The largest x, to six digits and rounded down, for which the batch make(x) fits the budget.

    The questions of a batch are fixed before the first answer is seen.

    ``make`` must cost more the larger x is: x is an ε, or the inverse of a noise scale.

    >>> from discreet.privacy.events import PureEvent, RepeatedEvent
    >>> hundred = lambda epsilon: RepeatedEvent(event=PureEvent(epsilon=epsilon), count=100)
    >>> largest_fitting(hundred, Budget(epsilon=1))
    Fraction(1, 100)
    >>> float(largest_fitting(hundred, Budget(epsilon=1, delta=1e-6)))
    0.024011
    """

    def fits(value: Fraction) -> bool:
        return batch_delta(make(value), epsilon=budget.epsilon) <= budget.delta

    low, high = _bracket(fits)
    for _ in range(64):
        middle = _short((low + high) / 2)
        if not low < middle < high:
            break
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def least_noise(make: Callable[[Fraction], Event], budget: Budget) -> Fraction:
    """The least scale, to six digits and rounded up, for which the batch fits the budget.

    The questions of a batch are fixed before the first answer is seen.

    >>> from discreet.privacy.events import GaussianEvent
    >>> noise = lambda sigma: GaussianEvent.of(sigma=sigma)
    >>> float(least_noise(noise, Budget(epsilon=1, delta=1e-6)))
    4.22468
    """

    def fits(value: Fraction) -> bool:
        return batch_delta(make(value), epsilon=budget.epsilon) <= budget.delta

    low, high = _bracket(lambda inverse: fits(1 / inverse))
    least, most = 1 / high, 1 / low
    for _ in range(64):
        middle = _short((least + most) / 2)
        if not least < middle < most:
            break
        least, most = (least, middle) if fits(middle) else (middle, most)
    return most


def _bracket(fits: Callable[[Fraction], bool]) -> tuple[Fraction, Fraction]:
    """Powers of ten around the largest value that fits: the first fits, the second does not."""
    value = Fraction(1)
    if fits(value):
        while value < _LARGEST:
            if not fits(10 * value):
                return value, 10 * value
            value *= 10
    else:
        while value > _SMALLEST:
            value /= 10
            if fits(value):
                return value, 10 * value
    raise PrivacyParameterError(
        "no number from 1e-9 to 1e9 is the largest that fits the budget. Either everything fits "
        "or nothing does. Check that the batch costs more the larger the number is."
    )


def _short(value: Fraction) -> Fraction:
    """The value to six significant digits, rounded down."""
    unit = Fraction(10) ** (floor(log10(value)) + 1 - DIGITS)
    return value // unit * unit
