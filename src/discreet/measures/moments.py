"""Mean, variance and standard deviation of a column, with the intervals of their ratios."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, sqrt
from typing import Any, ClassVar

from discreet.errors import DiscreetError, Place
from discreet.measures.counts import COUNT, PEOPLE, ROWS, ROWS_LEFT_OUT
from discreet.measures.measure import (
    POINTS,
    Answers,
    ArgumentKind,
    CapName,
    CheckedAggregate,
    Decoder,
    GroupSums,
    LeftOut,
    Measure,
    MeasureContext,
    MeasureRules,
    MeasureSensitivity,
    Output,
    Statistic,
    Steps,
    SumsReading,
    Unit,
    grid_steps,
    linear_estimate,
    treatment,
)
from discreet.measures.noise_choice import laplace_noise
from discreet.measures.sums import SUM, fixed_total
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import Node
from discreet.plan.types import CheckedExpression
from discreet.privacy.estimates import BoundedError
from discreet.privacy.joint_noise import (
    Floats,
    Noise,
    joint_distances,
    read_steps,
    share_cells,
    weighted_distance,
)
from discreet.privacy.uncertainty import as_float, quotient

_MEAN_PART = Fraction(1, 16)  # of the chance to miss: where the mean is, which matters little
_NARROWINGS = 3
_ROUNDED = 2.0**-48

LARGEST_VARIANCE = 0.25
"""The variance of values half at either end, in squared widths."""

FloatInterval = tuple[float, float]


SQUARE_POINTS = 1 << 15
_LINEAR = (ROWS, PEOPLE, COUNT, SUM)


def share(part: int, rest: int) -> float:
    """part/(part + rest), kept within [0, 1]; one half where the noise left nothing."""
    return min(max(quotient(part, part + rest), 0.0), 1.0) if part + rest > 0 else 0.5


def share_interval(part: int, rest: int, noise: Noise, confidence: Fraction) -> FloatInterval:
    """Bounds of part/(part + rest), for two counts with independent draws of one noise."""
    if read_steps(noise.steps) == inf:
        return 0.0, 1.0
    distances = joint_distances((noise, noise), (1.0, 0.0), (0.0, -1.0), 1 - confidence)
    return _within(part, rest, noise, distances)


def share_of_squares(below: int, between: int, above: int) -> float:
    """Where the mean lies between the bounds, from the sums of (1-x)², 2x(1-x) and x²."""
    return share(2 * above + between, 2 * below + between)


def share_of_squares_interval(
    sums: tuple[int, int, int], noise: Noise, confidence: Fraction
) -> FloatInterval:
    """Bounds of that, for three sums with independent draws of one noise.

    Of the true sums 2(1-p)·above + (1-2p)·between - 2p·below is 0, where p is the share.
    """
    if read_steps(noise.steps) == inf:
        return 0.0, 1.0
    below, between, above = sums
    weights = (2.0, 1.0, 0.0), (0.0, -1.0, -2.0)
    distances = joint_distances((noise,) * 3, *weights, 1 - confidence)
    return _within(2 * above + between, 2 * below + between, noise, distances)


def _within(first: int, second: int, noise: Noise, distances: Floats) -> FloatInterval:
    """The shares that the distances allow, with the one that is released; all, if none is."""
    steps = Fraction(read_steps(noise.steps))
    part, rest = as_float(first / steps), as_float(second / steps)
    interval = share_cells(part, rest, distances) if isfinite(part + rest) else None
    if interval is None:
        return 0.0, 1.0
    center = share(first, second)
    return max(min(interval[0], center), 0.0), min(max(interval[1], center), 1.0)


def variance_of(below: int, between: int, above: int) -> Fraction:
    """The variance that three sums say, in any unit; 0 where the noise left nothing."""
    whole = below + between + above
    return Fraction(4 * below * above - between**2, 4 * whole**2) if whole > 0 else Fraction(0)


def variance_interval(
    sums: tuple[int, int, int], noise: Noise, confidence: Fraction
) -> FloatInterval:
    """Bounds of the variance, for three sums with independent draws of one noise.

    If m is the mean and v the variance, m²·s0 - m(1-m)·s1 + (1-m)²·s2 = v·(s0 + s1 + s2).  Where
    the mean may be is found first, with a small part of the chance to miss.  Of a variance within
    bounds the noise of both sides together has a known law, which gives narrower bounds.
    """
    miss = 1 - confidence
    whole = sum(sums)
    if whole <= 0 or read_steps(noise.steps) == inf:
        return 0.0, LARGEST_VARIANCE
    low, high = share_of_squares_interval(sums, noise, 1 - miss * _MEAN_PART)
    center = float(Fraction(sums[1] + 2 * sums[2], 2 * whole))
    variance = float(variance_of(*sums))
    scales = as_float(Fraction(read_steps(noise.steps)) / whole)
    near, far = max(low - center, center - high, 0.0), max(abs(low - center), abs(high - center))
    least, most = 0.0, LARGEST_VARIANCE
    for _ in range(_NARROWINGS):
        spread = 0.25 if low <= 0.5 <= high else max(low * (1 - low), high * (1 - high))
        weights = (
            max(abs(low * low - most), abs(high * high - least)),
            spread + most,
            max(abs((1 - high) ** 2 - most), abs((1 - low) ** 2 - least)),
        )
        slack = scales * weighted_distance((noise,) * 3, weights, miss * (1 - _MEAN_PART))
        least = max(least, min(variance + near**2 - slack - _ROUNDED, most))
        most = min(most, max(variance + far**2 + slack + _ROUNDED, least))
    return min(least, max(variance, 0.0)), max(most, min(variance, LARGEST_VARIANCE))


@dataclass(frozen=True, slots=True)
class Moments:
    """The sums from which count, sum, mean and, with ``squares``, variance follow.

    Each row, at x steps above the lower bound of a range of w steps, adds x and w - x; with
    squares it adds (w-x)², 2x(w-x) and x².  With ``rows``, a row without a value adds w (or w²) to
    a sum of its own, so that the number of all rows follows too.  A row adds w (or w²) in all,
    whatever it is, so that noise for w (or w²) on each sum costs one ε.
    """

    value: Steps
    squares: bool = False
    rows: bool = False
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = "row"

    @property
    def node(self) -> Node:
        """The column."""
        return self.value.node

    @property
    def width(self) -> int:
        """Two sums, three with squares, and one for rows without a value."""
        return 2 + self.squares + self.rows

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Moments(value={self.value!r}, squares={self.squares!r}, rows={self.rows!r})"

    @property
    def reading(self) -> SumsReading:
        """How many rows have a value, their sum and that of their squares."""
        return SumsReading(self.value, present=True, squares=self.squares)

    @property
    def row(self) -> int:
        """What a row adds in all."""
        width = self.value.range.width
        return width**2 if self.squares else width

    def vector(self, summed: GroupSums) -> list[int]:
        """The sums of a row's x and w - x, or (w-x)², 2x(w-x) and x², from Σ1, Σx and Σx²."""
        width, present, total = self.value.range.width, summed.present, summed.total
        if self.squares:
            below = width * width * present - 2 * width * total + summed.squares
            sums = [below, 2 * (width * total - summed.squares), summed.squares]
        else:
            sums = [total, width * present - total]
        return [*sums, self.row * (summed.rows - present)] if self.rows else sums

    def step(self, unit: Unit) -> Fraction:
        """The steps that one row counts as."""
        return Fraction(1, unit.row_share * self.row)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows and the bounds allow.

        The L2 norm of what a row adds is at most the L1 norm, which all rows have in common, and
        as much at either bound.
        """
        return unit.moved_by_row(self.row, several=True)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise on each sum."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """Counts and sums by weights, a mean and a variance as quotients."""
        statistic = output.aggregate.statistic
        if statistic in _LINEAR:
            return linear_estimate(self._weights(statistic, unit), noise)
        if statistic is MEAN:
            return lambda noisy: self.mean(noisy, noise)
        return lambda noisy: self.spread(noisy, noise, squared=statistic is VARIANCE)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """All rows at one end, where a mean is least exact; half at either, for a variance."""
        if output.aggregate.statistic in _LINEAR:
            return [0] * self.width
        if rows is None:
            return None
        missing = [0] if self.rows else []
        weight = rows * unit.row_share * self.row
        return [weight // 2, 0, weight // 2, *missing] if self.squares else [0, weight, *missing]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Rows beyond the cap, or their values."""
        statistic = output.aggregate.statistic
        if not unit.by_person:
            return None
        if statistic.counts:
            return ROWS_LEFT_OUT
        return self.value.left_out(
            _ANSWERS.get(statistic, Answers.OTHER), self._weights(COUNT, unit)
        )

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds do, and missing values."""
        clipped = [] if output.aggregate.statistic.counts else [self.value.clipping]
        return treatment([*clipped, *self.value.filling])

    def _weights(self, statistic: Statistic, unit: Unit) -> list[Fraction]:
        """The count, or the sum, as a combination of the sums."""
        bounds, row = self.value.range, self.step(unit)
        everything = [row] * (2 + self.squares)
        if statistic is SUM:
            step = bounds.grid.step / unit.row_share
            if self.squares:  # the sum above the lower bound is (2x(w-x)/2 + x²)/w
                above = [Fraction(0), step / (2 * bounds.width), step / bounds.width]
            else:
                above = [step, Fraction(0)]
            low = bounds.low * bounds.grid.step
            everything = [a + low * b for a, b in zip(above, everything, strict=True)]
        counts_rows = statistic in (ROWS, PEOPLE)
        return [*everything, row if counts_rows else Fraction(0)] if self.rows else everything

    def mean(self, noisy: Sequence[int], noise: Any) -> tuple[float, BoundedError]:
        """Where the sums divide the range."""
        bounds = self.value.range
        low, high = float(bounds.grid.value(bounds.low)), float(bounds.grid.value(bounds.high))

        def between(part: float) -> float:  # high - low itself may be beyond the floats
            return low * (1 - part) + high * part

        if not self.squares:
            above, below = noisy[:2]

            def interval(confidence: Fraction) -> tuple[float, float]:
                least, most = share_interval(above, below, noise, confidence)
                return between(least), between(most)

            error = BoundedError(interval, possible=(between(0), between(1)))
            return between(share(above, below)), error

        sums = (noisy[0], noisy[1], noisy[2])

        def bounds_of(confidence: Fraction) -> tuple[float, float]:
            least, most = share_of_squares_interval(sums, noise, confidence)
            return between(least), between(most)

        error = BoundedError(bounds_of, possible=(between(0), between(1)))
        return between(share_of_squares(*sums)), error

    def spread(
        self, noisy: Sequence[int], noise: Any, *, squared: bool
    ) -> tuple[float, BoundedError]:
        """The variance, or its root."""
        bounds = self.value.range
        sums = (noisy[0], noisy[1], noisy[2])

        def shown(variance: float) -> float:
            return spread_of(variance, bounds.width * bounds.grid.step, squared=squared)

        def interval(confidence: Fraction) -> tuple[float, float]:
            least, most = variance_interval(sums, noise, confidence)
            return shown(least), shown(most)

        error = BoundedError(interval, possible=(shown(0.0), shown(LARGEST_VARIANCE)))
        return shown(float(variance_of(*sums))), error


def spread_of(variance: float, length: Fraction, *, squared: bool) -> float:
    """A variance, in squares of the range's length, in the column's own unit; or its root."""
    part, width = min(max(variance, 0.0), LARGEST_VARIANCE), as_float(length)
    return part * width * width if squared else sqrt(part) * width


def shared_moments(
    asked: Sequence[CheckedAggregate],
    rules: MeasureRules,
    summed: Collection[Node] = (),
    *,
    rows: bool,
) -> dict[Node, Measure]:
    """The moments of each expression whose mean or variance is asked for, or that is ``summed``.

    With ``rows`` the number of all rows comes with the first column's, at no further price.
    """
    squared: dict[Node, bool] = {}
    typed_of: dict[Node, CheckedExpression] = {}
    places: dict[Node, Place | None] = {}
    for aggregate in asked:
        statistic, typed = aggregate.aggregate.statistic, aggregate.typed
        if typed is None:
            continue
        node = typed.node
        if statistic in NEED_MOMENTS or (statistic is SUM and node in summed):
            squared[node] = squared.get(node, False) or statistic in (VARIANCE, DEVIATION)
            typed_of.setdefault(node, typed)
            places.setdefault(node, aggregate.aggregate.place)
    measures: dict[Node, Measure] = {}
    for place, (node, squares) in enumerate(squared.items()):
        points = SQUARE_POINTS if squares else POINTS
        try:
            value = grid_steps(typed_of[node], points, rules)
        except DiscreetError as error:
            error.at(places[node])
            raise
        measures[node] = Moments(value, squares, rows and place == 0)
    return measures


def _measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if asked.typed is None:
        raise TypeError("moments have an expression")
    return everything.moments[asked.typed.node]


def _mean_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    return fixed_total(asked, everything) or _measured(asked, everything)


MEAN = Statistic(
    symbol="MEAN",
    name="mean",
    words="the mean of {of}",
    measured=_mean_measured,
    takes=ArgumentKind.NUMBERS,
    sql=("AVG", "MEAN"),
    label="avg",
)
VARIANCE = Statistic(
    symbol="VARIANCE",
    name="var",
    words="the variance of {of}",
    measured=_measured,
    takes=ArgumentKind.NUMBERS,
    sql=("VAR_POP", "VAR"),
)
DEVIATION = Statistic(
    symbol="DEVIATION",
    name="std",
    words="the standard deviation of {of}",
    measured=_measured,
    takes=ArgumentKind.NUMBERS,
    sql=("STDDEV_POP", "STD"),
    label="stddev",
)
NEED_MOMENTS = (MEAN, VARIANCE, DEVIATION)
"""What only moments answer."""
_ANSWERS = {
    SUM: Answers.SUM,
    MEAN: Answers.MEAN,
    VARIANCE: Answers.VARIANCE,
    DEVIATION: Answers.DEVIATION,
}
