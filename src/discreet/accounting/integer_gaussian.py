"""Integer Gaussian noise alone: the price that the mechanism itself states.

Releases of one variance are one release of all their coordinates, whose squares add up to the sum
of what each may move by.  Proof: docs/proofs/gaussian-vectors.md
"""

from fractions import Fraction

from discreet.errors import PrivacyParameterError
from discreet.mechanisms.gaussian_moves import Move
from discreet.mechanisms.gaussian_privacy import least_delta, least_epsilon
from discreet.privacy.events import DiscreteGaussianEvent, Event, counted, not_negative, refused
from discreet.privacy.parameters import read_delta


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
    for simple, count in counted(event).items():
        if not isinstance(simple, DiscreteGaussianEvent):
            raise refused(simple, "the price of integer Gaussian noise alone")
        variances.add(simple.variance)
        squares += count * simple.squared_sensitivity
        coordinates += count * min(simple.coordinates, simple.squared_sensitivity)
    if len(variances) != 1:
        raise PrivacyParameterError(
            "the releases have integer Gaussian noise of several variances, or none. Their moves "
            "add up only where the noise is the same. Use loss_distribution_epsilon."
        )
    return variances.pop(), Move(squares, coordinates)
