"""Mean, variance and standard deviation of a column, and what comes with them for nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, ClassVar

from discreet.errors import DiscreetError, Place
from discreet.measures.counts import COUNT, ROWS
from discreet.measures.measure import (
    Asked,
    Decoder,
    Everything,
    Measure,
    Noise,
    Output,
    Statistic,
    Takes,
    laplace,
    linear,
    not_covered,
    weighed_down,
)
from discreet.measures.people import PEOPLE
from discreet.measures.ratio import (
    LARGEST,
    share,
    share_interval,
    share_of_squares,
    share_of_squares_interval,
    variance_interval,
    variance_of,
)
from discreet.measures.reading import Summed, Sums
from discreet.measures.steps import POINTS, Rules, Steps, steps
from discreet.measures.totals import SUM, fixed_total
from discreet.measures.unit import CapName, Reach, Unit
from discreet.plan.expressions import Node
from discreet.plan.types import Typed
from discreet.privacy.estimate import BoundedError
from discreet.privacy.uncertainty import as_float

SQUARE_POINTS = 1 << 15


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
    uses_delta: ClassVar[bool] = False
    moves: ClassVar[str] = " rows"

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
    def reading(self) -> Sums:
        """How many rows have a value, their sum and that of their squares."""
        return Sums(self.value, present=True, squares=self.squares)

    @property
    def row(self) -> int:
        """What a row adds in all."""
        width = self.value.range.width
        return width**2 if self.squares else width

    def vector(self, summed: Summed) -> list[int]:
        """The sums of a row's x and w - x, or (w-x)², 2x(w-x) and x², from Σ1, Σx and Σx²."""
        width, present, total = self.value.range.width, summed.present, summed.total
        if self.squares:
            below = width * width * present - 2 * width * total + summed.squares
            found = [below, 2 * (width * total - summed.squares), summed.squares]
        else:
            found = [total, width * present - total]
        return [*found, self.row * (summed.rows - present)] if self.rows else found

    def step(self, unit: Unit) -> Fraction:
        """A row is so many steps."""
        return Fraction(1, unit.row_share * self.row)

    def sensitivity(self, unit: Unit) -> Reach:
        """What the cap on rows and the bounds allow.

        Replaced, what goes and what comes may be in different sums: a and b, which are not
        negative, have |b - a|² ≤ |a|² + |b|².
        """
        added = unit.row_share * unit.row_cap * self.row
        return Reach(2 * added, 2 * added**2) if unit.replaced else Reach(added, added**2)

    def mechanism(self, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise:
        """Laplace noise on each sum."""
        return laplace(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """Counts and sums by weights, a mean and a variance as quotients."""
        statistic = output.aggregate.statistic
        if statistic in _LINEAR:
            return linear(self._weights(statistic, unit), noise)
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

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds and the cap on rows do."""
        clipped = [] if output.aggregate.statistic.counts else [self.value.clipping]
        return not_covered([*clipped, *self.value.filling, *weighed_down(unit)])

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

            return between(share(above, below)), BoundedError(interval)

        sums = (noisy[0], noisy[1], noisy[2])

        def bounds_of(confidence: Fraction) -> tuple[float, float]:
            least, most = share_of_squares_interval(sums, noise, confidence)
            return between(least), between(most)

        return between(share_of_squares(*sums)), BoundedError(bounds_of)

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

        return shown(float(variance_of(*sums))), BoundedError(interval)


def spread_of(variance: float, length: Fraction, *, squared: bool) -> float:
    """A variance, in squares of the range's length, in the column's own unit; or its root."""
    part, width = min(max(variance, 0.0), LARGEST), as_float(length)
    return part * width * width if squared else sqrt(part) * width


def shared_moments(asked: Sequence[Asked], rules: Rules) -> dict[Node, Measure]:
    """The moments of each expression whose mean or variance is asked for."""
    squared: dict[Node, bool] = {}
    typed_of: dict[Node, Typed] = {}
    places: dict[Node, Place | None] = {}
    for one in asked:
        if one.typed is not None and one.aggregate.statistic in (MEAN, VARIANCE, DEVIATION):
            node = one.typed.node
            squared[node] = squared.get(node, False) or one.aggregate.statistic is not MEAN
            typed_of[node] = one.typed
            places.setdefault(node, one.aggregate.place)
    counts_rows = not rules.fixed and any(
        one.aggregate.statistic is ROWS
        or (one.aggregate.statistic is PEOPLE and not rules.by_person)
        for one in asked
    )
    found: dict[Node, Measure] = {}
    for place, (node, squares) in enumerate(squared.items()):
        points = SQUARE_POINTS if squares else POINTS
        # The number of all rows comes with the first column's moments, at no further price.
        try:
            value = steps(typed_of[node], points, rules)
        except DiscreetError as error:
            error.at(places[node])
            raise
        found[node] = Moments(value, squares, counts_rows and place == 0)
    return found


def _measured(asked: Asked, everything: Everything) -> Measure:
    if asked.typed is None:
        raise TypeError("moments have an expression")
    return everything.moments[asked.typed.node]


def _mean_measured(asked: Asked, everything: Everything) -> Measure:
    return fixed_total(asked, everything) or _measured(asked, everything)


MEAN = Statistic(
    symbol="MEAN",
    name="mean",
    words="the mean of {of}",
    measured=_mean_measured,
    takes=Takes.NUMBERS,
    sql=("AVG", "MEAN"),
    label="avg",
)
VARIANCE = Statistic(
    symbol="VARIANCE",
    name="var",
    words="the variance of {of}",
    measured=_measured,
    takes=Takes.NUMBERS,
    sql=("VAR_POP", "VAR"),
)
DEVIATION = Statistic(
    symbol="DEVIATION",
    name="std",
    words="the standard deviation of {of}",
    measured=_measured,
    takes=Takes.NUMBERS,
    sql=("STDDEV_POP", "STD"),
    label="stddev",
)
_LINEAR = (ROWS, PEOPLE, COUNT, SUM)
