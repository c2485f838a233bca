"""Quantiles, the median, and the ends of a column."""

from collections.abc import Sequence
from fractions import Fraction

from discreet.engines import arrays
from discreet.errors import BoundsError
from discreet.exact import Rounding, rational
from discreet.mechanisms.base_measure import round_numbers, toward_middle
from discreet.mechanisms.extreme import HighestCell, NearMaximum
from discreet.mechanisms.quantile import Quantiles
from discreet.noise import BitSource
from discreet.privacy.estimate import Estimate, RankError
from discreet.privacy.estimates import Estimates
from discreet.statistics.question import Bounds, Question, read_bounds

_POINTS = 1 << 26  # every doubling widens the rank error of a median by 0.7/ε
_END_POINTS = 1 << 24  # for the ends: every doubling widens the rank error by 1.7/ε
_CELLS = 256  # up to so many points, the ends are read off a noisy histogram
_CONFIDENCE = Fraction(95, 100)


def quantile(
    values: object,
    probabilities: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    grid: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate | Estimates:
    """One quantile, or several that share one ε: ``quantile(ages, [0.25, 0.5, 0.75], …)``.

    By the exponential mechanism on a grid, several by recursive halving.  How far the value is
    from the truth depends on the data; what is guaranteed is its rank (``rank_error``) among the
    values rounded to the grid: among those themselves, that of a value within half a step.
    Without ``grid=`` there are about 2^26 steps between the bounds, and values that many records
    share are found where they are round: whole numbers, tenths, cents.

    >>> answer = quantile(range(10_001), 0.5, bounds=(0, 10_000), epsilon=1)
    >>> 4900 < answer.value < 5100
    True
    """
    many = not isinstance(probabilities, str) and hasattr(probabilities, "__iter__")
    wanted = list(probabilities) if many else [probabilities]  # type: ignore[call-overload]
    levels = [_probability(level) for level in wanted]
    if not levels or len(set(levels)) != len(levels):
        raise BoundsError(
            "the probabilities are not a list of distinct numbers. Each asks for one quantile. "
            "Write dp.quantile(ages, [0.25, 0.5, 0.75], bounds=(0, 120), epsilon=1)."
        )
    question = Question.read(epsilon, neighbors, source)
    by_level = _quantiles(values, levels, question, bounds, grid, "quantile")
    if not many:
        return by_level[levels[0]]
    answers = zip(wanted, (by_level[level] for level in levels), strict=True)
    return Estimates("quantile", dict(answers))


def median(
    values: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    grid: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The middle value: ``quantile(values, 0.5, …)``.

    >>> answer = median(range(10_001), bounds=(0, 10_000), epsilon=1)
    >>> 4900 < answer.value < 5100
    True
    """
    question = Question.read(epsilon, neighbors, source)
    return _quantiles(values, [Fraction(1, 2)], question, bounds, grid, "median")[Fraction(1, 2)]


def _quantiles(
    values: object,
    levels: Sequence[Fraction],
    question: Question,
    bounds: object,
    grid: object,
    name: str,
) -> dict[Fraction, Estimate]:
    public = read_bounds(bounds, name, _POINTS, grid)
    bounded = public.range
    mechanism = Quantiles(
        probabilities=tuple(sorted(levels)),
        epsilon=question.epsilon,
        width=bounded.width,
        neighbors=question.neighbors,
        measure=round_numbers(bounded) if grid is None else None,
    )
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=question.fixed_size)
    found = mechanism(arrays.ordered(column), source=question.source)
    errors = mechanism.rank_errors(_CONFIDENCE)
    return {
        level: question.estimate(
            bounded.grid.value(bounded.low + point),
            RankError(error),
            release,
            mechanism,
            question.caveat(public) + _rounded(public, grid),
        )
        for level, point, error in zip(mechanism.probabilities, found, errors, strict=True)
    }


def max(
    values: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    grid: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """A value near the largest one.

    The true maximum may be one person's, so it cannot be released as it is.  On a range of few
    grid points (``grid=1`` and bounds like (1, 10)) the answer is the highest value whose noisy
    count stands out; otherwise it is a value with at most ``rank_error`` records above it, with
    95% confidence.  It aims at n/12 ranks below the largest, at most at 33 + 2/ε or 53/ε, and
    where records are few it may lie above all of them.  Values are rounded up to the grid (for
    ``min`` down), so that the records above the answer are those that were above it before:
    rounding hides none.

    >>> max([3] * 50 + [7] * 50, bounds=(1, 10), grid=1, epsilon=2).value
    7
    """
    return _end(values, epsilon, bounds, grid, neighbors, source, "max")


def min(
    values: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    grid: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """A value near the smallest one: see ``max``.

    >>> min([3] * 50 + [7] * 50, bounds=(1, 10), grid=1, epsilon=2).value
    3
    """
    return _end(values, epsilon, bounds, grid, neighbors, source, "min")


def _end(
    values: object,
    epsilon: object,
    bounds: object,
    grid: object,
    neighbors: object,
    source: BitSource | None,
    name: str,
) -> Estimate:
    question = Question.read(epsilon, neighbors, source)
    public = read_bounds(bounds, name, _END_POINTS, grid, around=True)
    bounded = public.range
    release = question.charge()
    # Rounded away from the others: what is above the value that is released was above it before.
    rounding = Rounding.UP if name == "max" else Rounding.DOWN
    column = arrays.clip(values, bounded, keep_all=question.fixed_size, rounding=rounding)
    mechanism: object
    if name == "min":
        column, seen = column.flipped(), bounded.flipped
    else:
        seen = bounded
    if grid is not None and bounded.width < _CELLS:
        cells = HighestCell(
            epsilon=question.epsilon, width=bounded.width, neighbors=question.neighbors
        )
        point = cells(arrays.tally(column), source=question.source)
        error, mechanism = cells.rank_error(point, _CONFIDENCE), cells
    else:
        near = NearMaximum(
            epsilon=question.epsilon,
            width=bounded.width,
            measure=toward_middle(seen) if grid is None else None,
        )
        point = near(arrays.ordered(column), source=question.source)
        error, mechanism = near.rank_error(_CONFIDENCE), near
    place = bounded.low + point if name == "max" else bounded.high - point
    return question.estimate(
        public.value(place), RankError(error), release, mechanism, question.caveat(public)
    )


def _rounded(public: Bounds, grid: object) -> str:
    """What a rank error does not cover where nobody chose the grid."""
    step = float(public.range.grid.step)
    return "" if grid is not None else f" Ranks are of values rounded to multiples of {step:.2g}."


def _probability(level: object) -> Fraction:
    probability = rational(level, "a probability")
    if not 0 < probability < 1:
        raise BoundsError(
            "a quantile's probability is not between 0 and 1. It is the share of records below "
            "the value. Write 0.5 for the median; dp.min and dp.max give the ends."
        )
    return probability
