"""Quantiles, the median, and the ends of a column."""

from collections.abc import Sequence
from fractions import Fraction

from discreet.engines import arrays
from discreet.errors import BoundsError
from discreet.exact import Rounding, rational
from discreet.measures.extremes import END_POINTS, MAX, MIN, Extreme
from discreet.measures.measure import CONFIDENCE, Aggregate, Output
from discreet.measures.quantiles import QUANTILE, RANK_POINTS, Ranks
from discreet.mechanisms.extremes import HighestCell
from discreet.noise import BitSource
from discreet.privacy.estimates import Estimate, Estimates, RankError
from discreet.privacy.sensitivity import Sensitivity
from discreet.statistics.array_call import ArrayCall, GridBounds, read_bounds

_ONE = Sensitivity(l1=Fraction(1))
_CELLS = 256  # up to so many points, the ends are read off a noisy histogram


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

    By the exponential mechanism on a grid.  How far the value is from the truth depends on the
    data, so an interval is drawn around it, which holds the quantile with 95% whatever they are,
    and its rank is measured (``rank_error``).  Both are among the values rounded to the grid:
    among those themselves, they are of a value within half a step.
    Without ``grid=`` there are about 2^26 steps between the bounds, and values that many records
    share are found where they are round: whole numbers, tenths, cents.

    >>> answer = quantile(range(10_001), 0.5, bounds=(0, 10_000), epsilon=1)
    >>> 4900 < answer.value < 5100 and answer.lower <= answer.value <= answer.upper
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
    question = ArrayCall.read(epsilon, neighbors, source)
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
    question = ArrayCall.read(epsilon, neighbors, source)
    return _quantiles(values, [Fraction(1, 2)], question, bounds, grid, "median")[Fraction(1, 2)]


def _quantiles(
    values: object,
    levels: Sequence[Fraction],
    question: ArrayCall,
    bounds: object,
    grid: object,
    name: str,
) -> dict[Fraction, Estimate]:
    public = read_bounds(bounds, name, RANK_POINTS, grid)
    value = public.filled if question.fixed_size else public.value
    measure = Ranks(value, tuple(sorted(levels)), given=grid is not None)
    mechanism = measure.mechanism(question.unit, question.epsilon)
    release = question.charge(mechanism.event(_ONE, question.loss))
    column = arrays.clip(values, public.range, keep_all=question.fixed_size)
    points = mechanism(arrays.ordered(column), source=question.source)
    note = question.caveat(public) + _rounded(public, grid)
    answers = {}
    for level in measure.levels:
        output = Output("", Aggregate(QUANTILE, levels=(level,)), measure, level)
        decoded = measure.decoder(output, mechanism, question.unit, None)
        answers[level] = question.estimate(*decoded(points), release, mechanism, note)
    return answers


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

    >>> max([3] * 50 + [7] * 50, bounds=(1, 10), grid=1, epsilon=8).value
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

    >>> min([3] * 50 + [7] * 50, bounds=(1, 10), grid=1, epsilon=8).value
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
    question = ArrayCall.read(epsilon, neighbors, source)
    largest = name == "max"
    public = read_bounds(bounds, name, END_POINTS, grid, around=True)
    value = public.filled if question.fixed_size else public.value
    measure = Extreme(value, largest, given=grid is not None)
    cells = HighestCell(
        epsilon=question.epsilon, width=public.range.width, neighbors=question.neighbors
    )
    near = measure.mechanism(question.unit, question.epsilon)
    in_cells = grid is not None and public.range.width < _CELLS
    release = question.charge((cells if in_cells else near).event(_ONE, question.loss))
    # Rounded away from the others: what is above the value that is released was above it before.
    rounding = Rounding.UP if largest else Rounding.DOWN
    column = arrays.clip(values, public.range, keep_all=question.fixed_size, rounding=rounding)
    if not largest:
        column = column.flipped()
    if in_cells:
        point = cells(arrays.tally(column), source=question.source)
        error = RankError(cells.rank_error(point, CONFIDENCE))
        number = measure.number(point)
        return question.estimate(number, error, release, cells, question.caveat(public))
    output = Output("", Aggregate(MAX if largest else MIN), measure)
    decoded = measure.decoder(output, near, question.unit, None)
    point = near(arrays.ordered(column), source=question.source)
    return question.estimate(*decoded([point]), release, near, question.caveat(public))


def _rounded(public: GridBounds, grid: object) -> str:
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
