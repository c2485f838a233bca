"""One call of an array function: the parameters read before the data, and the answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from discreet.accounting.spending import spend
from discreet.errors import BoundsError, PrivacyParameterError
from discreet.exact import Grid, Range, decimal_text, rational
from discreet.measures.measure import Aggregate, Decoder, Measure, Output, Statistic, Steps, Unit
from discreet.measures.registry import STATISTICS
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource, Keystream
from discreet.plan.expressions import Named
from discreet.privacy.estimates import Estimate, Payment, RankError, Uncertainty
from discreet.privacy.events import Event
from discreet.privacy.losses import PureDP, read_epsilon
from discreet.privacy.sensitivity import Neighbors, Sensitive
from discreet.privacy.uncertainty import as_float

INTEGERS = Grid(0)

_LARGEST_BOUND = 10**100


@dataclass(frozen=True, slots=True)
class ArrayCall:
    """ε, the relation and the randomness of one call.  ``charge`` comes before the data."""

    epsilon: Fraction
    neighbors: Neighbors
    source: BitSource

    @staticmethod
    def read(epsilon: object, neighbors: object, source: BitSource | None) -> "ArrayCall":
        """Check what the caller wrote."""
        relation = Neighbors.read(neighbors)
        level = read_epsilon(epsilon, stacklevel=4)
        if source is not None and not hasattr(source, "bits"):
            raise PrivacyParameterError(
                "source is not a source of bits. Noise comes from the operating system unless a "
                "rehearsal asks otherwise. Leave source out, or pass dp.UnsafeSeededBits(7), whose "
                "answers are not private."
            )
        return ArrayCall(level, relation, Keystream() if source is None else source)

    @property
    def fixed_size(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbors is Neighbors.REPLACE

    @property
    def loss(self) -> PureDP:
        """What the call is promised to cost."""
        return _pure(self.epsilon)

    def charge(self, event: Event) -> Payment:
        """Spend what the noise costs in the surrounding account, if there is one."""
        spend(event, safe=self.source.safe, neighbors=self.neighbors)
        return Payment(self.loss)

    @property
    def unit(self) -> Unit:
        """One record."""
        return _REPLACED if self.fixed_size else _ADDED

    def measured(
        self,
        statistic: Statistic,
        measure: Measure,
        sums: Callable[[], Sensitive[Any]],
        note: str = "",
        *,
        rows: int | None = None,
        grid: Grid = INTEGERS,
    ) -> Estimate:
        """The answer of a measure that is made of sums, which are read after the charge."""
        asked = _asked(statistic.name, measure, self.fixed_size, self.epsilon, rows, grid)
        release = self.charge(asked.event)
        value, error = asked.decoder(asked.noise.release(sums(), self.source))
        shown = asked.shown
        return self.estimate(value, error, release, shown, note, whole=statistic.counts)

    def caveat(self, public: "GridBounds") -> str:
        """What an interval does not cover."""
        missing = " A missing value counts as the middle of them." if self.fixed_size else ""
        return public.note + missing

    def estimate(
        self,
        value: Any,
        error: Uncertainty | RankError,
        release: Payment,
        mechanism: object,
        note: str = "",
        *,
        whole: bool = False,
    ) -> Estimate:
        """The answer to this question."""
        return Estimate(
            value=value,
            error=error,
            releases=(release,),
            mechanism=mechanism,
            neighbors=self.neighbors.value,
            note=note,
            safe=self.source.safe,
            whole=whole,
        )


@lru_cache(maxsize=256)
def _pure(epsilon: Fraction) -> PureDP:
    return PureDP(epsilon=epsilon)


_ADDED, _REPLACED = Unit(neighbors=Neighbors.ADD_REMOVE), Unit(neighbors=Neighbors.REPLACE)
_VALUES = Named("values")
_STATISTICS = {one.name: one for one in STATISTICS}


@dataclass(frozen=True, slots=True)
class _PreparedCall:
    """The part of a call that does not depend on the data: the noise, and how it is shown."""

    noise: Laplace
    shown: Laplace
    decoder: Decoder
    event: Event


@lru_cache(maxsize=256)
def _asked(
    name: str,
    measure: Measure,
    replaced: bool,
    epsilon: Fraction,
    rows: int | None,
    grid: Grid,
) -> _PreparedCall:
    unit, statistic = _REPLACED if replaced else _ADDED, _STATISTICS[name]
    noise: Any = measure.mechanism(unit, epsilon)
    output = Output("", Aggregate(statistic), measure)
    shown_noise = Laplace(scale=noise.scale * grid.step, grid=grid)
    event = noise.event(measure.sensitivity(unit).norms, _pure(epsilon))
    return _PreparedCall(noise, shown_noise, measure.decoder(output, noise, unit, rows), event)


@dataclass(frozen=True, slots=True)
class GridBounds:
    """Public bounds, on a grid, and what an interval does not cover because of them."""

    value: Steps
    """Where missing values are skipped."""
    filled: Steps
    """Where they take the middle."""
    note: str

    @property
    def range(self) -> Range:
        """The bounds in steps of the grid."""
        return self.value.range


def read_bounds(
    bounds: object, name: str, points: int, grid: object = None, *, around: bool = False
) -> GridBounds:
    """Public bounds in steps of a grid: the one given, or one with about so many points.

    A bound that is no grid point is taken at the nearest one, or at the one beyond (``around``).
    """
    if bounds is None:
        raise BoundsError(
            f"{name} has no bounds. They must be public, so discreet never reads them from the "
            f"data. Pass them: dp.{name}(values, bounds=(0, 120), epsilon=1)."
        )
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise BoundsError(
            f"the bounds of {name} are not a pair. They say between which public values every "
            "record is clipped. Write bounds=(0, 120)."
        )
    least, most = rational(bounds[0], "the lower bound"), rational(bounds[1], "the upper bound")
    return _bounds(least, most, name, points, None if grid is None else Grid.of(grid), around)


@lru_cache(maxsize=256)
def _bounds(
    low: Fraction, high: Fraction, name: str, points: int, grid: Grid | None, around: bool
) -> GridBounds:
    if low >= high:
        raise BoundsError(
            f"the bounds of {name} are {decimal_text(low)} and {decimal_text(high)}. The lower one "
            "must be below the upper one. Write bounds=(0, 120)."
        )
    largest = max(abs(low), abs(high))
    if largest > _LARGEST_BOUND:
        raise BoundsError(
            f"the bounds of {name} reach beyond 10^100. Answers and their errors must fit in a "
            "number. Use bounds that the values can really have, such as bounds=(0, 120)."
        )
    chosen = grid or Grid.below(max((high - low) / points, largest / (1 << 60)))
    if largest >= chosen.step * (1 << 61):
        raise BoundsError(
            f"the grid of {name} is finer than 2^-61 of its bounds. Places on the grid are counted "
            "in 64 bits. Use a coarser grid, or leave it out."
        )
    first, last = chosen.around(low, high) if around else (chosen.index(low), chosen.index(high))
    if first >= last:
        raise BoundsError(
            f"the bounds of {name} fall on one point of the grid. Records between them could not "
            "be told apart. Use wider bounds or a finer grid."
        )
    note = f"Values are clipped to [{decimal_text(low)}, {decimal_text(high)}]."
    bounds = Range(grid=chosen, low=first, high=last)
    value = Steps(_VALUES, bounds, ends=(low, high) if around else None)
    return GridBounds(value, replace(value, default=bounds.middle), note)


def read_edges(edges: Sequence[object]) -> list[float]:
    """Increasing bin edges, at least two."""
    if isinstance(edges, str | bytes) or not hasattr(edges, "__len__") or np.ndim(edges) != 1:  # type: ignore[arg-type]
        raise BoundsError(
            "bins is not a list of edges. Bins must be public, so their edges are written down. "
            "Write bins=[0, 18, 65, 120]."
        )
    numbers = [as_float(rational(edge, "a bin edge")) for edge in edges]
    increasing = all(a < b for a, b in pairwise(numbers))
    if len(numbers) < 2 or not increasing or not all(map(isfinite, numbers)):
        raise BoundsError(
            "the bin edges do not increase. Bins are [a, b) between neighboring edges, the last "
            "one closed. Write at least two edges in increasing order: bins=[0, 18, 65, 120]."
        )
    return numbers
