"""The least ε or δ of a batch that was fixed in advance, by whichever proof is best.

Every accountant is sound by itself, so the smallest of their answers is.  None of this holds for
questions that were chosen after seeing answers: those need a Filter.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from discreet.accounting.composition import basic_loss
from discreet.accounting.integer_gaussian import integer_gaussian_delta, integer_gaussian_epsilon
from discreet.accounting.loss_distribution import (
    loss_distribution_delta,
    loss_distribution_epsilon,
)
from discreet.accounting.optimal import optimal_delta, optimal_epsilon
from discreet.accounting.renyi import renyi_delta, renyi_epsilon
from discreet.accounting.zcdp import zcdp_delta, zcdp_epsilon
from discreet.errors import PrivacyParameterError
from discreet.privacy.events import Event, not_negative
from discreet.privacy.losses import ApproximateDP
from discreet.privacy.parameters import read_delta


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
    found = []
    loss = basic_loss(event)
    if loss is not None and loss.delta <= level:
        found.append(loss.epsilon)
    if level:
        for epsilon in (
            zcdp_epsilon,
            renyi_epsilon,
            loss_distribution_epsilon,
            integer_gaussian_epsilon,
        ):
            found += _if_priced(partial(epsilon, event, delta=level))
        if _leaks(loss):
            found += _if_priced(partial(optimal_epsilon, event, delta=level))
    if not found:
        raise PrivacyParameterError(
            "no accountant proves an ε at this delta. The events need a larger δ than that. "
            "Use a larger delta, such as 1e-6, or events that leak less."
        )
    return min(found)


def batch_delta(event: Event, *, epsilon: object) -> Fraction:
    """The least δ that some accountant proves at ε; at most 1.

    The questions of the batch are fixed before the first answer is seen.  Where the next question
    depends on an answer, this price can be too low: that needs a :class:`Filter`.
    """
    level = not_negative(epsilon, "epsilon")
    found = [Fraction(1)]
    loss = basic_loss(event)
    if loss is not None and loss.epsilon <= level:
        found.append(loss.delta)
    for delta in (zcdp_delta, renyi_delta, loss_distribution_delta, integer_gaussian_delta):
        found += _if_priced(partial(delta, event, epsilon=level))
    if _leaks(loss):
        found += _if_priced(partial(optimal_delta, event, epsilon=level))
    return min(found)


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
