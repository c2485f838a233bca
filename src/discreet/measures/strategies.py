"""Sums of groups that are measured together: the tables of a cube, or running totals.

A strategy is an integer matrix.  What is measured of the finest cells is the matrix times their
sums; what is released of each cell follows from all of it.  So the cells have one noise, of which
any sum, difference or quotient of them knows its part.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import floor, frexp, log2, sqrt
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import QueryError, Remedy
from discreet.exact import Grid
from discreet.measures.counts import COUNT, PEOPLE, ROWS
from discreet.measures.measure import (
    CapName,
    Decoder,
    GroupIntegers,
    GroupSums,
    LeftOut,
    Measure,
    MeasureSensitivity,
    Norm,
    Output,
    Reading,
    Steps,
    SumsReading,
    Unit,
)
from discreet.measures.moments import DEVIATION, MEAN, VARIANCE
from discreet.measures.sums import SUM
from discreet.mechanisms.additive_noise import MeasureMechanism
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.residual_tables import Cell, Floats, Keys
from discreet.plan.expressions import Node
from discreet.privacy.estimates import LinearError
from discreet.privacy.sensitivity import Neighbors
from discreet.privacy.uncertainty import JointDraw, NoiseDraw, Weighted

_OFFERED = (ROWS, COUNT, PEOPLE, SUM, MEAN, VARIANCE, DEVIATION)
_SUM_STEPS = 1024
"""How many steps of rounding a standard deviation of a sum has; counts are whole."""
_SIGNS = {1: Fraction(1), -1: Fraction(-1)}
_FINE = 44  # bits of a normal law's standard deviation, in steps of its grid
_SCALE = 20
_FARTHEST = 51  # bits of the largest number in steps of rounding: floats hold them exactly


class Strategy(Protocol):
    """An integer matrix by which the cells of a question are measured together."""

    def __hash__(self) -> int:
        """It is a value."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each key has."""

    @property
    def tables(self) -> tuple[Keys, ...]:
        """The tables that are asked for, by their keys."""

    @property
    def largest(self) -> tuple[Keys, ...]:
        """The tables that an engine adds up; all others are sums of them."""

    @property
    def cells(self) -> int:
        """How many cells all tables have together."""

    @property
    def size(self) -> int:
        """How many integers are measured."""

    def squared_norm(
        self, *, replaced: bool = False, signed: bool = False, several: bool = False
    ) -> Fraction:
        """How far a unit moves what is measured: in squared L2, for an L1 norm of 1."""

    def measured(self, tables: Mapping[Keys, NDArray[Any]]) -> NDArray[Any]:
        """The matrix times true integers."""

    def reconstructed(self, noisy: Sequence[int] | NDArray[Any]) -> dict[Keys, Floats]:
        """The cells, from what was released."""

    def variance(self, keys: Keys, place: Keys = ()) -> Fraction:
        """The variance of a cell, for noise of variance 1; without a place, of the least exact."""

    def before(self, place: Keys) -> Keys | None:
        """The cell that a cell is added to, if it is added to one."""

    def covariance(self, first: Mapping[Cell, float], second: Mapping[Cell, float]) -> float:
        """The covariance of two weighted sums of cells, for noise of variance 1."""

    def rounded(self, tables: Mapping[Keys, Floats], step: float) -> dict[Keys, NDArray[np.int64]]:
        """The cells in whole steps, of which all totals agree as they did."""

    def slack(self, cells: Mapping[Cell, float]) -> float:
        """How many steps rounding moves a weighted sum of cells at most."""


@dataclass(frozen=True, eq=False)
class StrategyNoise:
    """The noise of all cells of one release, each with a place (part, keys, place of each)."""

    strategy: Strategy
    noise: Gaussian

    def covariance(self, first: Weighted, second: Weighted) -> float:
        """The covariance of two weighted sums; parts of a cell have noise of their own."""
        variance = float(self.noise.sigma) ** 2
        ones, others = _by_part(first), _by_part(second)
        total = 0.0
        for part, own in ones.items():
            other = others.get(part, {})
            if len(own) == 1 and own.keys() == other.keys():
                [(keys, place)] = own
                product = own[keys, place] * other[keys, place]
                total += product * float(self.strategy.variance(keys, place))
            elif other:
                total += self._covariance(own, other)
        return variance * total

    def _covariance(self, own: Mapping[Cell, float], other: Mapping[Cell, float]) -> float:
        """Nothing where the noises cancel each other but for what floats leave."""
        found = self.strategy.covariance(own, other)
        sizes = [
            sum(abs(weight) * sqrt(self.strategy.variance(*cell)) for cell, weight in one.items())
            for one in (own, other)
        ]
        return found if abs(found) > 1e-13 * sizes[0] * sizes[1] else 0.0

    def slack(self, weighted: Weighted) -> float:
        """Noise is not rounding."""
        return 0.0

    def normal(self, deviation: float) -> Gaussian:
        """Normal noise with this standard deviation."""
        return normal_noise(deviation)


@dataclass(frozen=True, eq=False)
class Rounding:
    """What rounding to steps does to the cells of one output, each with its place (keys, place)."""

    strategy: Strategy
    step: float

    def covariance(self, first: Weighted, second: Weighted) -> float:
        """Rounding is no noise."""
        return 0.0

    def slack(self, weighted: Weighted) -> float:
        """At most so far together."""
        cells: Any = {cell: float(weight) for cell, weight in weighted.items()}
        return self.step * self.strategy.slack(cells)

    def normal(self, deviation: float) -> Gaussian:
        """Normal noise with this standard deviation."""
        return normal_noise(deviation)


def _by_part(weighted: Weighted) -> dict[int, dict[Cell, float]]:
    found: dict[int, dict[Cell, float]] = {}
    place: Any
    for place, weight in weighted.items():
        part, keys, at = place
        found.setdefault(part, {})[keys, at] = float(weight)
    return found


@lru_cache(maxsize=4096)
def normal_noise(deviation: float) -> Gaussian:
    """Gaussian noise on a grid so fine that it is normal for all purposes."""
    return Gaussian(sigma=Fraction(deviation), grid=Grid(frexp(deviation)[1] - _FINE))


class CellIntegers(GroupIntegers):
    """What was released of a cell, to the nearest integers, and where it stands."""

    released: "ReleasedCells | None"
    keys: Keys
    place: Keys

    def draws(self, noise: Any, *, signed: bool = False) -> tuple[NoiseDraw | JointDraw, ...]:
        """The noise in each of them, which is one with that of other cells."""
        if self.released is None:
            raise TypeError("only what was released has noise")
        together = self.released.noise
        return tuple(
            JointDraw(together, (part, self.keys, self.place)) for part in range(len(self))
        )


def placed(
    integers: Sequence[int], keys: Keys, place: Keys = (), released: "ReleasedCells | None" = None
) -> CellIntegers:
    """The integers of a cell of one of the tables."""
    cell = CellIntegers(integers)
    cell.released, cell.keys, cell.place = released, keys, place
    return cell


@dataclass(frozen=True, eq=False)
class ReleasedCells:
    """All cells of one release, made of what was released of the strategy's measurements."""

    noise: StrategyNoise
    parts: tuple[dict[Keys, Floats], ...]
    """The cells of each part, in steps of its integers."""

    @staticmethod
    def of(strategy: Strategy, integers: Sequence[int], width: int, noise: Any) -> "ReleasedCells":
        """The cells, from the integers of all parts after one another."""
        size = strategy.size
        parts = tuple(
            strategy.reconstructed(integers[part * size : (part + 1) * size])
            for part in range(width)
        )
        return ReleasedCells(StrategyNoise(strategy, noise), parts)

    def cells(self) -> list[GroupIntegers]:
        """All cells in the order of the answer."""
        found: list[GroupIntegers] = []
        for keys in self.noise.strategy.tables:
            shape = self.parts[0][keys].shape
            columns = [np.rint(part[keys]).ravel().tolist() for part in self.parts]
            for place, numbers in zip(np.ndindex(shape), zip(*columns, strict=True), strict=True):
                found.append(placed(list(map(int, numbers)), keys, place, self))
        return found

    def summed(
        self, weights: Sequence[Fraction], step: float
    ) -> tuple[float, dict[Keys, NDArray[np.int64]]]:
        """A weighted sum of the parts in every cell, in whole steps; and how large a step is."""
        tables = {keys: np.zeros(table.shape) for keys, table in self.parts[0].items()}
        for weight, part in zip(weights, self.parts, strict=True):
            for keys, table in part.items():
                tables[keys] += float(weight) * table
        largest = max(float(np.cumsum(np.abs(one).ravel())[-1]) for one in tables.values())
        if largest > 0:
            step = max(step, 2.0 ** (frexp(largest)[1] - _FARTHEST))
        return step, self.noise.strategy.rounded(tables, step)


@dataclass(frozen=True, slots=True)
class ByStrategy:
    """A measure whose sums are measured by a strategy: all cells have one noise.

    A unit moves the sums of the finest cells by at most the L1 norm that its weights allow, and
    what is measured by the norm of the strategy's columns times that: docs/proofs/cubes.md.  So
    weights are capped in L1, though the noise is Gaussian: those in L2 bound no L1 norm.
    """

    inner: Measure
    strategy: Strategy
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def node(self) -> Node | None:
        """The expression that it is about."""
        return self.inner.node

    @property
    def width(self) -> int:
        """How many integers each cell has."""
        return self.inner.width

    @property
    def recorded(self) -> str:
        """As it stands in the text that the ledger keeps a hash of."""
        return f"ByStrategy(inner={self.inner.recorded}, strategy={self.strategy!r})"

    @property
    def reading(self) -> Reading:
        """What an engine adds up in each cell."""
        return self.inner.reading

    def vector(self, summed: GroupSums) -> list[int]:
        """The integers of a finest cell."""
        return self.inner.vector(summed)

    def step(self, unit: Unit) -> Fraction:
        """One step of what is measured, as the least exact cell has it in the answer's own unit."""
        root = sqrt(max(self.strategy.variance(keys) for keys in self.strategy.tables))
        return self.inner.step(unit) * Fraction(root)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """The L1 norm that weights allow, and the norm of the strategy's columns."""
        if unit.norm is not Norm.L1:
            raise TypeError("weights in L2 bound no L1 norm, which a strategy needs")
        once = self.inner.sensitivity(replace(unit, neighbors=Neighbors.ADD_REMOVE)).l1
        if once is None:
            raise TypeError("the sums of a cell have an L1 norm")
        squared = self.strategy.squared_norm(
            replaced=unit.replaced, signed=self._signed, several=self.width > 1
        )
        return MeasureSensitivity(None, floor(once * once * squared))

    @property
    def _signed(self) -> bool:
        """Whether rows can add to a sum, and take from it."""
        reading = self.inner.reading
        if not isinstance(reading, SumsReading) or not isinstance(reading.value, Steps):
            return False
        width = reading.value.range.width
        ends = [
            *self.inner.vector(GroupSums(1, 1, 0, 0)),
            *self.inner.vector(GroupSums(1, 1, width, width * width)),
        ]
        return min(ends) < 0 < max(ends)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> MeasureMechanism:
        """None: what is measured has a small L2 norm, and a large one in L1."""
        what = "a cube needs" if len(self.strategy.tables) > 1 else "running totals need"
        raise QueryError(
            f"{what} δ as well as ε: the noise is Gaussian.",
            Remedy(
                python='Add delta=1e-6; or, of a budget that has a δ, write spend="5%" or '
                "rho=0.01.",
                sql="Add SET delta = 1e-6; or, of a budget that has a δ, write SET spend = '5%' or "
                "SET rho = 0.01.",
                command="Add --delta 1e-6; or, of a budget that has a δ, write --spend 5% or "
                "--rho 0.01.",
            ),
        )

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """Sums in whole steps whose totals agree; means and variances by their own noise."""
        weights = self._weights(output, unit, rows)
        if weights is None:
            return self._by_cell(output, noise, unit, rows)
        step = self._rounding_step(output, weights, noise)
        parts = [(part, weight) for part, weight in enumerate(weights) if weight]
        made: list[tuple[Rounding, dict[Keys, NDArray[np.int64]]]] = []

        def decoded(noisy: Sequence[int]) -> tuple[int | float, LinearError]:
            cell = _cell(noisy)
            keys, steps = cell.keys, 0
            if cell.released is None:
                rounding, table = Rounding(self.strategy, step), None
                together = StrategyNoise(self.strategy, noise)
            else:
                if not made:
                    found, tables = cell.released.summed(weights, step)
                    made.append((Rounding(self.strategy, found), tables))
                rounding, table = made[0][0], made[0][1][keys]
                together = cell.released.noise
            terms: list[tuple[Fraction, JointDraw]] = []
            for sign, place in self._of(cell, output):
                steps += 0 if table is None else sign * int(table[place])
                for part, weight in parts:
                    own = weight if sign == 1 else -weight
                    terms.append((own, JointDraw(together, (part, keys, place))))
                terms.append((_SIGNS[sign], JointDraw(rounding, (keys, place))))
            value = steps if rounding.step == 1 else steps * rounding.step
            return value, LinearError(tuple(terms))

        return decoded

    def _of(self, cell: CellIntegers, output: Output) -> list[tuple[int, Keys]]:
        """The cells that an output is the sum of: a group by itself is a difference of totals."""
        before = self.strategy.before(cell.place) if output.by_group else None
        return [(1, cell.place)] if before is None else [(1, cell.place), (-1, before)]

    def _weights(self, output: Output, unit: Unit, rows: int | None) -> list[Fraction] | None:
        """Of an output that is a weighted sum of the integers of a cell, the weights."""
        drawn = GroupIntegers([0] * self.width)
        _, error = self.inner.decoder(output, normal_noise(1.0), unit, rows)(drawn)
        if not isinstance(error, LinearError):
            return None
        found: Mapping[Hashable, Fraction] = {one: weight for weight, one in error.terms}
        return [found.get(one, Fraction(0)) for one in drawn.draws(normal_noise(1.0))]

    def _rounding_step(self, output: Output, weights: Sequence[Fraction], noise: Any) -> float:
        """1 for a count; of another sum a power of two far below its noise."""
        if output.aggregate.statistic.counts:
            return 1.0
        least = min(self.strategy.variance(keys) for keys in self.strategy.tables)
        together = sqrt(sum(float(weight) ** 2 for weight in weights)) * float(noise.sigma)
        return 2.0 ** floor(log2(together * sqrt(least) / _SUM_STEPS))

    def _by_cell(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """Of every cell by itself, with the noise that its own integers have."""

        def decoded(noisy: Sequence[int]) -> tuple[Any, Any]:
            cell = _cell(noisy)
            cells = self._of(cell, output)
            weighted: dict[Hashable, Fraction] = {
                (0, cell.keys, place): Fraction(sign) for sign, place in cells
            }
            deviation = sqrt(StrategyNoise(self.strategy, noise).covariance(weighted, weighted))
            scale = 2.0 ** (_SCALE - min(frexp(deviation)[1], _SCALE))
            numbers: Sequence[float] = cell
            if cell.released is not None:
                numbers = [
                    sum(sign * float(part[cell.keys][place]) for sign, place in cells)
                    for part in cell.released.parts
                ]
            integers = [round(number * scale) for number in numbers]
            own = Gaussian(sigma=Fraction(deviation * scale))
            return self.inner.decoder(output, own, unit, rows)(integers)

        return decoded

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """Integers of a cell at which an answer is least exact."""
        return self.inner.expected(output, unit, rows)

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """What it does to an answer that a cap leaves rows out."""
        return self.inner.left_out(output, unit)

    def note(self, output: Output, unit: Unit) -> str:
        """What bounds and missing values do."""
        return self.inner.note(output, unit)


def _cell(noisy: Sequence[int]) -> CellIntegers:
    if not isinstance(noisy, CellIntegers):
        raise TypeError("a number that was measured by a strategy has a place in its tables")
    return noisy


def by_strategy(
    outputs: Sequence[Output], strategy: Strategy, by_group: Collection[str] = ()
) -> tuple[Output, ...]:
    """The outputs, measured by a strategy; what is no sum over rows is refused."""
    made: dict[Measure, Measure] = {}
    found = []
    for output in outputs:
        measure, asked = output.measure, output.aggregate
        if asked.statistic not in _OFFERED or not measure.reading.together:
            raise _not_a_sum(output)
        made.setdefault(measure, ByStrategy(measure, strategy))
        apart = output.name in by_group
        found.append(replace(output, measure=made[measure], by_group=apart))
    return tuple(found)


def _not_a_sum(output: Output) -> QueryError:
    people = output.aggregate.statistic is PEOPLE
    fact = f"{output.aggregate.said} is asked of groups that are measured together. "
    if people:
        return QueryError(
            f"{fact}A person who is in several cells counts in each, so numbers of people do not "
            "add up.",
            Remedy(
                python="Count rows: .capped(max_rows=1).agg(n=dp.rows()) counts each person as one "
                "in all, shared among the cells that they are in.",
                sql="Count rows, COUNT(*): with max_rows lowered to 1 each person counts as one in "
                "all, shared among the cells that they are in.",
            ),
        ).at(output.aggregate.place)
    return QueryError(
        f"{fact}Only what is added up over rows has totals: numbers of rows, sums, means, "
        "variances and standard deviations. Ask for the others in a question of their own, by "
        "groups alone.",
    ).at(output.aggregate.place)
