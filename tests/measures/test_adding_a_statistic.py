"""A new statistic is one file, one line in the table of statistics and one method: tried out here.

The geometric mean is added to a copy of the source as docs/architecture.md says, and asked for in
Python and in SQL.
"""

from pathlib import Path

import pytest

from tests.support.recipes import (
    changed_files,
    follow,
    listed_files,
    run_with,
    section,
    source_copy,
)

MEASURE = '''
"""The geometric mean of a positive column."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log, nextafter
from typing import Any

from discreet.errors import BoundsError
from discreet.measures.measure import (
    POINTS,
    ArgumentKind,
    CheckedAggregate,
    Decoder,
    Measure,
    MeasureContext,
    Output,
    Statistic,
    Unit,
    grid_steps,
    treatment,
)
from discreet.measures.moments import Moments
from discreet.plan.expressions import Applied
from discreet.plan.types import CheckedExpression, Kind
from discreet.privacy.estimates import BoundedError


@dataclass(frozen=True, slots=True)
class GeometricMean(Moments):
    """The moments of the logarithms of a column: their mean is that of the geometric mean."""

    @property
    def recorded(self) -> str:
        """As the ledger keeps it."""
        return f"GeometricMean(value={self.value!r})"

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The exponential of the mean of logarithms, and of its bounds."""

        def decoded(noisy: Sequence[int]) -> tuple[float, BoundedError]:
            mean, error = self.mean(noisy, noise)

            def interval(confidence: Fraction) -> tuple[float, float]:
                least, most = error.interval(mean, confidence)
                return exp(least), exp(most)

            return exp(mean), BoundedError(interval)

        return decoded

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds do."""
        return treatment(["logarithms are clipped"])


def _measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    typed = asked.typed
    if typed is None or typed.low is None or typed.high is None or typed.low <= 0:
        raise BoundsError(
            f"{asked.aggregate.said} is of a column that may be 0 or less. Only positive numbers "
            "have a geometric mean. Declare bounds above 0."
        )
    low = Fraction(nextafter(log(typed.low), -inf))
    high = Fraction(nextafter(log(typed.high), inf))
    logs = CheckedExpression(Applied("LN", typed.node, ()), Kind.NUMBER, low, high)
    return GeometricMean(grid_steps(logs, POINTS, everything.rules))


GEOMETRIC_MEAN = Statistic(
    symbol="GEOMETRIC_MEAN",
    name="geometric_mean",
    words="the geometric mean of {of}",
    measured=_measured,
    takes=ArgumentKind.NUMBERS,
    sql=("GEOMEAN",),
    label="geomean",
)
'''

ASKED = """
from math import exp, log

import pandas

import discreet as dp

incomes = [1000 + 37 * (place % 900) for place in range(20_000)]
frame = pandas.DataFrame({"income": incomes, "town": ["A", "B"] * 10_000})
declared = {"income": dp.number(500, 50_000), "town": dp.category(["A", "B"])}
with dp.table(frame, name="t", unit="row", budget=dp.Budget(epsilon=9), columns=declared,
              ledger=":memory:") as table:
    truth = exp(sum(map(log, incomes)) / len(incomes))
    asked = table.agg(g=dp.col("income").geometric_mean(), m=dp.col("income").mean())
    print(asked.plan(epsilon=1, expect_rows=20_000))
    for answer in (
        asked.release(epsilon=4),
        table.sql("SELECT GEOMEAN(income) AS g, AVG(income) AS m FROM t", epsilon=4),
    ):
        found = answer["g"]
        low, high = found.interval("0.9999999999")
        assert low <= truth <= high, (found, truth)
        assert found.upper - found.lower < truth / 50, found
        assert "The geometric mean of income" in answer.report()
    grouped = table.sql("SELECT town, GEOMEAN(income) FROM t GROUP BY town", epsilon=1)
    assert list(grouped.columns) == ["geomean_income"] and len(grouped) == 2
"""


@pytest.mark.slow
def test_a_statistic_is_added_in_the_three_files_of_the_recipe(tmp_path: Path) -> None:
    recipe, copy = section("Add a statistic"), source_copy(tmp_path)
    (copy / "measures" / "geometric_mean.py").write_text(MEASURE.lstrip(), "utf-8")
    follow(recipe, copy)
    files = changed_files(copy)
    assert len(files) == 3
    assert files == listed_files(recipe)
    assert "geometric_mean(income)" in run_with(copy, ASKED)
