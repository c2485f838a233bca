"""Promises 3 and 4: an odd value follows one rule, and no row makes an error or another shape."""

import math
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.errors import DiscreetError
from discreet.question.builder import col, rows
from tests.promises.aggregates import aggregates, bounded, moved
from tests.promises.visits import SQL_ROWS, visits, visits_for_sql

ODD_VALUES = (
    math.nan,
    math.inf,
    -math.inf,
    -0.0,
    5e-324,
    None,
    2.0**53,
    2**63 - 1,
    -1.8e308,
    "x",
    [],
)
ODD_ROWS: list[dict[str, Any]] = [
    {"patient_id": 99, "ward": "Z", "stay": float("nan"), "note": "x" * 10_000},
    {"patient_id": 99, "ward": None, "stay": float("inf"), "note": None},
    {"patient_id": None, "ward": "A", "stay": 1e308, "note": "'; DROP TABLE source; --"},
]
QUESTIONS = (
    "SELECT ward, COUNT(*) AS n, AVG(stay / (stay - 3)) FILTER (WHERE LN(stay) > 0) AS m "
    "FROM visits GROUP BY ward",
    "SELECT SUM(CLIP(EXP(stay * stay), 0, 9)) AS s, COUNT(TRY_CAST(note AS DATE)) AS d FROM visits",
    "SELECT AVG(t) FROM (SELECT patient_id, SUM(stay) AS t FROM visits GROUP BY patient_id) AS p",
    "SELECT nothing FROM visits",
    "SELECT COUNT(*) FROM visits WHERE note > 3",
)
# ---------------------------------------------------------------------- 3


def limits(bounds, replace):
    """How far one record may move each aggregate in L1."""
    width = bounds.width
    return {
        "sum": width if replace else bounds.farthest,
        "mean": 2 * width if replace else width,
        "var": 2 * width**2 if replace else width**2,
        "tally": 2 if replace else 1,
        "bins": 2 if replace else 1,
        "categories": 2 if replace else 1,
        "count": 1,
    }


@pytest.mark.parametrize("odd", ODD_VALUES, ids=repr)
def test_promise_3_an_odd_record_follows_one_rule_and_moves_no_more_than_any_other(odd):
    data = [1, 2.5, 9, 3]
    bounds = bounded()
    for replace in (False, True):
        before = aggregates(data if not replace else [*data, 4], replace, bounds)
        after = aggregates([*data, odd], replace, bounds)
        for name, limit in limits(bounds, replace).items():
            assert moved(before[name], after[name]) <= limit, name


def test_promise_3_no_odd_value_comes_out_as_nan_or_an_error() -> None:
    for odd in (float("nan"), float("inf"), -float("inf"), -0.0, 5e-324, 1e308, None):
        with visits([{"stay": odd, "age": odd, "ward": "A"}]) as opened:
            answer = opened.group_by("ward").agg(
                n=rows(),
                total=col("stay").sum(),
                mean=col("stay").mean(),
                var=col("age").var(),
                p50=col("stay").median(),
                most=col("age").max(),
                kinds=col("stay").n_unique(),
            )
            for row in answer.release(epsilon=5).rows():
                values = [value for name, value in row.items() if name in answer_names(row)]
                assert all(np.isfinite(value) for value in values)


def answer_names(row: dict[str, Any]) -> set[str]:
    return {name for name in row if not name.endswith(("_lower", "_upper")) and name != "ward"}


# ---------------------------------------------------------------------- 4


def seen(table: dp.Table, question: str) -> tuple[object, ...]:
    """All that can be seen of an answer or a refusal, but for the noise."""
    try:
        release = table.ask(question).release(epsilon=1)
    except DiscreetError as error:
        return type(error).__name__, str(error)
    return release.header, release.groups, table.ask(question).plan(epsilon=1).explain()


@pytest.mark.parametrize("question", QUESTIONS)
def test_promise_4_no_row_makes_an_error_or_another_shape(question: str) -> None:
    with visits_for_sql(SQL_ROWS) as one, visits_for_sql([*SQL_ROWS, *ODD_ROWS]) as other:
        assert seen(one, question) == seen(other, question)
