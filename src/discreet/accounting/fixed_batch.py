"""A batch that was fixed in advance: its least ε or δ, and what each question may cost."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import floor, log10

from discreet.accounting.composition import basic_loss, optimal_delta, optimal_epsilon
from discreet.accounting.filters import rho_allowance
from discreet.accounting.loss_distribution import (
    loss_distribution_delta,
    loss_distribution_epsilon,
)
from discreet.accounting.renyi import renyi_delta, renyi_epsilon
from discreet.accounting.zcdp import total_concentration, zcdp_delta, zcdp_epsilon
from discreet.errors import PrivacyParameterError
from discreet.mechanisms.gaussian_calibration import least_delta, least_epsilon
from discreet.mechanisms.gaussian_moves import Move
from discreet.privacy.events import (
    DiscreteGaussianEvent,
    Event,
    event_counts,
    no_rule_error,
    not_negative,
)
from discreet.privacy.losses import ApproximateDP, Budget, read_delta

DIGITS = 6
_SMALLEST = Fraction(1, 10**9)
_LARGEST = Fraction(10**9)


def integer_gaussian_epsilon(event: Event, *, delta: object) -> Fraction:
    """The least ε at δ of integer Gaussian noise of one variance, as ``Gaussian.loss`` states it.

    The questions of the batch are fixed before the first answer is seen.  Where the next question
    depends on an answer, this price can be too low: that needs a :class:`Filter`.

    >>> event = DiscreteGaussianEvent(variance=16, squared_sensitivity=4, coordinates=4)
    >>> round(float(integer_gaussian_epsilon(event, delta=1e-6)), 4)
    2.2512
    """
    variance, move = _together(event)
    level = read_delta(delta)
    if level == 0:
        raise PrivacyParameterError(
            "delta is 0. Gaussian noise has no pure ε, so it needs a δ above 0. Use something far "
            "below 1/(number of people), such as delta=1e-6."
        )
    return least_epsilon(variance, move, level)


def integer_gaussian_delta(event: Event, *, epsilon: object) -> Fraction:
    """The least δ at ε of integer Gaussian noise of one variance.

    The questions of the batch are fixed before the first answer is seen.  Where the next question
    depends on an answer, this price can be too low: that needs a :class:`Filter`.
    """
    variance, move = _together(event)
    return least_delta(variance, move, not_negative(epsilon, "epsilon"))


def _together(event: Event) -> tuple[Fraction, Move]:
    """The variance of all releases, and how one unit moves them together."""
    variances, squares, coordinates = set(), 0, 0
    for simple, count in event_counts(event).items():
        if not isinstance(simple, DiscreteGaussianEvent):
            raise no_rule_error(simple, "the price of integer Gaussian noise alone")
        variances.add(simple.variance)
        squares += count * simple.squared_sensitivity
        coordinates += count * min(simple.coordinates, simple.squared_sensitivity)
    if len(variances) != 1:
        raise PrivacyParameterError(
            "the releases have integer Gaussian noise of several variances, or none. Their moves "
            "add up only where the noise is the same. Use loss_distribution_epsilon."
        )
    return variances.pop(), Move(squares, coordinates)


def batch_epsilon(event: Event, *, delta: object) -> Fraction:
    """The least ε that some accountant proves at δ.

    The questions of the batch are fixed before the first answer is seen.  Where the next question
    depends on an answer, this price can be too low: that needs a :class:`Filter`.

    >>> from discreet.privacy.events import BoundedRangeEvent, LaplaceEvent, RepeatedEvent
    >>> hundred = RepeatedEvent(event=LaplaceEvent(scale=10), count=100)
    >>> batch_epsilon(hundred, delta=0)
    Fraction(10, 1)
    >>> round(float(batch_epsilon(hundred, delta=1e-6)), 3)
    4.693
    """
    level = read_delta(delta)
    epsilons = []
    loss = basic_loss(event)
    if loss is not None and loss.delta <= level:
        epsilons.append(loss.epsilon)
    if level:
        for epsilon in (
            zcdp_epsilon,
            renyi_epsilon,
            loss_distribution_epsilon,
            integer_gaussian_epsilon,
        ):
            epsilons += _if_priced(partial(epsilon, event, delta=level))
        if _leaks(loss):
            epsilons += _if_priced(partial(optimal_epsilon, event, delta=level))
    if not epsilons:
        raise PrivacyParameterError(
            "no accountant proves an ε at this delta. The events need a larger δ than that. "
            "Use a larger delta, such as 1e-6, or events that leak less."
        )
    return min(epsilons)


def batch_delta(event: Event, *, epsilon: object) -> Fraction:
    """The least δ that some accountant proves at ε; at most 1.

    The questions of the batch are fixed before the first answer is seen.  Where the next question
    depends on an answer, this price can be too low: that needs a :class:`Filter`.
    """
    level = not_negative(epsilon, "epsilon")
    deltas = [Fraction(1)]
    loss = basic_loss(event)
    if loss is not None and loss.epsilon <= level:
        deltas.append(loss.delta)
    for delta in (zcdp_delta, renyi_delta, loss_distribution_delta, integer_gaussian_delta):
        deltas += _if_priced(partial(delta, event, epsilon=level))
    if _leaks(loss):
        deltas += _if_priced(partial(optimal_delta, event, epsilon=level))
    return min(deltas)


def _leaks(loss: ApproximateDP | None) -> bool:
    """Whether the events have a δ of their own, which only optimal composition adds up exactly.

    Without one the loss distribution is as tight, and quicker.
    """
    return loss is not None and loss.delta > 0


def _if_priced(price: Callable[[], Fraction]) -> list[Fraction]:
    """The price, or nothing where the accountant has no rule or proves nothing.

    A PrivacyParameterError is a ValueError.  Numbers beyond the range of floats, or of memory, end
    one accountant's work and not that of the others: what is left out can only make a price higher.
    """
    try:
        return [price()]
    except (ValueError, ArithmeticError, MemoryError):
        return []


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
    >>> float(largest_fitting(hundred, Budget(rho=0.5)))
    0.100041
    """

    def fits(value: Fraction) -> bool:
        return _batch_fits(make(value), budget)

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
        return _batch_fits(make(value), budget)

    low, high = _bracket(lambda inverse: fits(1 / inverse))
    least, most = 1 / high, 1 / low
    for _ in range(64):
        middle = _short((least + most) / 2)
        if not least < middle < most:
            break
        least, most = (least, middle) if fits(middle) else (middle, most)
    return most


def _batch_fits(batch: Event, budget: Budget) -> bool:
    """Whether a batch fits: by the best accountant in ε, and by the sums of ρ and δ in ρ."""
    if budget.epsilon is not None:
        return batch_delta(batch, epsilon=budget.epsilon) <= budget.delta
    total = total_concentration(batch)
    return total.delta <= budget.delta and total.rho <= rho_allowance(budget)


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
