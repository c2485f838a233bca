"""The first k candidates by their scores, drawn one by one.  Proof: docs/proofs/top-k.md"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import Grid, exp_minus
from discreet.exact.rational import WrittenNumber
from discreet.mechanisms.argmax_laws import exponential_argmax
from discreet.mechanisms.selection import (
    FARTHEST,
    INTEGERS,
    calibrated_scale,
    least_lag,
    read_candidates,
    read_parameters,
    selection_loss,
    selection_text,
)
from discreet.noise import BitSource, Keystream, exponential_race, weighted_choice
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    Event,
    PureEvent,
    RepeatedEvent,
)
from discreet.privacy.laws import EnclosedLaw
from discreet.privacy.losses import (
    ApproximateDP,
    PureDP,
    read_confidence,
    read_count,
    read_epsilon,
)
from discreet.privacy.sensitivity import Sensitive, Sensitivity

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopK:
    """Names ``count`` candidates, each with odds e^(score/scale) among those left, exactly.

    The same law as adding Gumbel noise to every score once and taking the largest.  Scores are
    whole numbers of any size, rounded down to the grid.  ``monotone`` states that one unit moves
    all scores in one direction, as it does counts of one data set under add/remove (not under
    replace).  Of fewer candidates than ``count`` all are named.  With ``flips`` each is drawn by
    permute-and-flip: at the same scale it is never further behind, and up to half as far.

    Guarantee: if one unit moves each score by at most d, which rounding makes ceil(d/grid) steps,
    each draw has a range of 2d/scale, and of d/scale where scores are monotone, however many
    candidates there are and however many scores one unit moves.  All draws together are
    (count·range)-DP and (count·range²/8)-zCDP.  A draw with ``flips`` is range-DP and no more:
    where ε alone is counted it costs the same.  Proof: docs/proofs/top-k.md

    >>> TopK(count=5, scale=10).loss(Sensitivity(linf=1))
    PureDP(epsilon=1)
    >>> TopK(count=2, scale=1)([3, 10_000, 7, 20_000])
    [3, 1]
    """

    count: int
    scale: Fraction
    monotone: bool = False
    grid: Grid = INTEGERS
    flips: bool = False
    _steps: Fraction = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            count: int,
            scale: WrittenNumber,
            monotone: bool = False,
            grid: Grid | WrittenNumber = INTEGERS,
            flips: bool = False,
        ) -> None: ...

    def __post_init__(self) -> None:
        scale, grid, steps = read_parameters(self.scale, self.monotone, self.grid)
        if grid.exponent < 0:
            raise PrivacyParameterError(
                "the grid of a choice among whole numbers is finer than they are. Scores are "
                "rounded down to multiples of its step. Use grid=1, or a larger power of two."
            )
        if not isinstance(self.flips, bool):
            raise PrivacyParameterError(
                "flips is neither True nor False. It says whether candidates are drawn by "
                "permute-and-flip, which is as good as ε alone. Use flips=True or leave it out."
            )
        count = read_count(self.count, "count", "candidates that are named")
        for name, value in (("count", count), ("scale", scale), ("grid", grid), ("_steps", steps)):
            object.__setattr__(self, name, value)

    @classmethod
    def calibrated(
        cls,
        *,
        count: int,
        sensitivity: object,
        epsilon: object,
        monotone: bool = False,
        grid: object = 1,
        flips: bool = False,
    ) -> "TopK":
        """The choice of so many that is ε-DP where one unit moves each score so far at most.

        >>> TopK.calibrated(count=10, sensitivity=1, epsilon=1, monotone=True)
        TopK(count=10, scale=10, monotone=True)
        """
        many = read_count(count, "count", "candidates that are named")
        steps, each = Grid.of(grid), read_epsilon(epsilon, stacklevel=4) / many
        scale = calibrated_scale(sensitivity, each, monotone, steps)
        return cls(count=many, scale=scale, monotone=monotone, grid=steps, flips=flips)

    def __repr__(self) -> str:
        text = selection_text(self).replace("(", f"(count={self.count}, ", 1)
        return f"{text.removesuffix(')')}, flips=True)" if self.flips else text

    def __call__(self, scores: object, *, source: BitSource | None = None) -> list[int]:
        """The indices of the chosen candidates, in the order in which they were drawn."""
        bits = Keystream() if source is None else source
        lags = _lags(scores, self.grid)
        left = np.arange(lags.size)
        chosen: list[int] = []
        while left.size and len(chosen) < self.count:
            place = self._draw(lags, bits) if left.size > 1 else 0
            chosen.append(int(left[place]))
            left, lags = np.delete(left, place), np.delete(lags, place)
        return chosen

    def _draw(self, lags: Integers, bits: BitSource) -> int:
        if self.flips:
            return exponential_race(-lags, 1 / self._steps, bits)
        return weighted_choice(lags, 1 / self._steps, bits)

    def loss(self, sensitivity: Sensitivity) -> PureDP:
        """The loss when one unit moves each score by at most ``sensitivity.linf``."""
        return PureDP(epsilon=self.count * selection_loss(self, sensitivity).epsilon)

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> Event:
        """What a ledger writes down: a draw for each that is named, of bounded range if no flip.

        >>> TopK(count=5, scale=10).event(Sensitivity(linf=1), PureDP(epsilon=1))
        RepeatedEvent(event=BoundedRangeEvent(epsilon=Fraction(1, 5)), count=5)
        """
        if isinstance(loss, ApproximateDP) and loss.delta:
            return ApproximateEvent(epsilon=loss.epsilon, delta=loss.delta)
        kind = PureEvent if self.flips else BoundedRangeEvent
        return RepeatedEvent(event=kind(epsilon=loss.epsilon / self.count), count=self.count)

    def law(self, scores: object) -> EnclosedLaw:
        """The exact law of the indices, in the order in which they are drawn."""
        lags = _lags(scores, self.grid).tolist()
        outcomes = tuple(permutations(range(len(lags)), min(self.count, len(lags))))

        def enclosures(bits: int) -> list[tuple[int, int]]:
            draw = _flipped if self.flips else _weighed
            return [_chance(order, lags, partial(draw, self._steps), bits) for order in outcomes]

        return EnclosedLaw(outcomes, enclosures)

    def accuracy(self, confidence: object = 0.95, *, candidates: int) -> int | float:
        """An a with P[no score left out is more than a above one that was chosen] ≥ confidence.

        For all scores: of the first k by their true scores and one that is not among them, the
        second is drawn earlier with probability 1/(1 + e^(lag/scale)), and there are
        k·(candidates - k) such pairs.  Rounding scores to the grid adds up to one step.

        >>> TopK(count=10, scale=1).accuracy(0.95, candidates=1000)
        12
        """
        level = read_confidence(confidence)
        pairs = self.count * max(0, read_candidates(candidates) - self.count)
        bits = 192 + level.denominator.bit_length()
        rounded = 1 if self.grid.exponent else 0

        def covers(lag: int) -> bool:
            low, high = exp_minus((lag + 1) / self._steps, bits)
            unit = 1 << bits
            return pairs * Fraction(high, unit) <= (1 - level) * (1 + Fraction(low, unit))

        return 0 if pairs == 0 else self.grid.value(least_lag(covers) + rounded)


def _lags(scores: object, grid: Grid) -> Integers:
    """How many steps each score is behind the best, at most ``FARTHEST``."""
    if isinstance(scores, Sensitive):
        scores = scores.open()
    steps = _whole(scores) >> grid.exponent
    lags: Integers = np.minimum(steps.max() - steps, FARTHEST).astype(np.int64)
    return lags


def _whole(scores: object) -> NDArray[Any]:
    """The scores as Python's integers.  The messages say nothing about them."""
    listed = scores.tolist() if isinstance(scores, np.ndarray) else scores
    if not isinstance(listed, Sequence) or not listed:
        raise DataError(
            "the scores are not one non-empty row of numbers. There is one score for each "
            "candidate. Give a list such as [120, 80, 33]."
        )
    if not all(type(score) is int for score in listed):
        raise DataError(
            "a score is not a whole number. The first of many are chosen by counts or by sums in "
            "whole steps. Give a list such as [120, 80, 33]."
        )
    return np.array(listed, np.object_)


Draw = Callable[[Sequence[int], int, int], tuple[Fraction, Fraction]]
"""The chance that the one at a place is drawn, of candidates with such lags, and how exactly."""


def _chance(order: tuple[int, ...], lags: Sequence[int], draw: Draw, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits times the probability that these are drawn in this order."""
    left = dict(enumerate(lags))
    lows, highs = [], []
    for index in order:
        least = min(left.values())
        low, high = draw([lag - least for lag in left.values()], list(left).index(index), bits + 64)
        lows.append(low)
        highs.append(high)
        del left[index]
    unit = 1 << bits
    return int(prod(lows, start=Fraction(unit))), -int(-prod(highs, start=Fraction(unit)) // 1)


def _weighed(
    steps: Fraction, lags: Sequence[int], place: int, bits: int
) -> tuple[Fraction, Fraction]:
    ends = [exp_minus(lag / steps, bits) for lag in lags]
    low, high = ends[place]
    below = sum(one for i, (one, _) in enumerate(ends) if i != place)
    above = sum(one for i, (_, one) in enumerate(ends) if i != place)
    return Fraction(low, low + above), Fraction(high, high + below)


def _flipped(
    steps: Fraction, lags: Sequence[int], place: int, bits: int
) -> tuple[Fraction, Fraction]:
    low, high = exponential_argmax(lags, steps).enclose(place, bits)
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)
