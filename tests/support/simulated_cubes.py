"""Cubes and running totals of known rows, released again and again.

Noise is drawn as a release draws it, and decoded as a release decodes it; only rows are missing.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from discreet.measures.strategies import ReleasedCells, Strategy
from discreet.noise import UnsafeSeededBits
from discreet.plan.schema import Schema, category, integer
from discreet.privacy.estimates import Estimate, Payment
from discreet.privacy.losses import PureDP
from discreet.question.builder import AggregateExpression, col
from discreet.question.check import Question, checked_question
from discreet.question.query import GroupKey, PostProcessing, Query
from discreet.release.consistent import nonnegative_columns
from discreet.release.price import price_in_rho

DECLARED = Schema(
    name="t",
    columns={
        "sex": category(["f", "m"]),
        "ward": category(["A", "B", "C"]),
        "age": integer(0, 3),
        "day": integer(0, 29),
        "stay": integer(0, 10),
    },
    unit="row",
)
KEYS = ("sex", "ward", "age")


def question(
    keys: tuple[str, ...], arranged: Any, asked: AggregateExpression, *, nonnegative: bool = False
) -> Question:
    """What is asked of the keys; ``nonnegative`` if counts are then moved."""
    return checked_question(
        Query(
            keys=tuple(GroupKey(name, col(name).node) for name in keys),
            outputs=(("a", asked.aggregate),),
            arranged=arranged,
            after=PostProcessing(nonnegative=nonnegative),
        ),
        DECLARED,
    )


class Simulated:
    """Releases of one question, of which the true sums in every finest cell are known."""

    def __init__(self, asked: Question, cells: list[Any], rho: Fraction) -> None:
        self.question, self.price = asked, price_in_rho(asked, rho)
        [self.output] = asked.outputs
        [self.priced] = self.price.priced
        assert asked.strategy is not None
        self.strategy: Strategy = asked.strategy
        self.true = [self.strategy.measured(_largest(self.strategy, part)) for part in cells]
        self.bits = UnsafeSeededBits(11)
        self.payment = Payment(PureDP(epsilon=Fraction(0)))
        self.places = [
            (keys, place)
            for keys in self.strategy.tables
            for place in np.ndindex(*(self.strategy.sizes[key] for key in keys))
        ]

    def released(self) -> dict[Any, Estimate]:
        """One release: an estimate for each cell of each table."""
        noise: Any = self.priced.mechanism
        values = np.concatenate(self.true)
        noisy = (values + noise.draw(values.size, self.bits)).tolist()
        cells = ReleasedCells.of(self.strategy, noisy, len(self.true), noise).cells()
        found = self.price.estimates(self.output, cells, self.payment, None)
        columns = {self.output.name: tuple(found)}
        if self.question.after.nonnegative:
            columns = nonnegative_columns(self.question, columns)
        return dict(zip(self.places, columns[self.output.name], strict=True))


def _largest(strategy: Strategy, finest: Any) -> dict[Any, Any]:
    return {
        keys: finest.sum(axis=tuple(key for key in range(finest.ndim) if key not in keys))
        for keys in strategy.largest
    }


def truth(finest: Any, keys: tuple[int, ...], place: tuple[int, ...]) -> float:
    """The true number of a cell of a table."""
    others = tuple(key for key in range(finest.ndim) if key not in keys)
    return float(finest.sum(axis=others)[place])
