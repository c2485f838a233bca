"""Promises 23 and 25: no word reaches the engine, and what surrounds answers is the same."""

from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.errors import DiscreetError
from discreet.question.builder import col, people, rows
from discreet.sql.read.allow_list import AGGREGATES, CLAUSES, TABLES
from tests.promises.visits import NEIGHBORS, visits

# ---------------------------------------------------------------------- 23


@pytest.mark.parametrize("question", [one.example for one in (*AGGREGATES, *CLAUSES, *TABLES)])
def test_promise_23_no_word_of_the_analyst_reaches_the_engine(question: str) -> None:
    """Comments, hints, aliases and spelling stay behind: the engine sees names of its own."""
    canary = "canary_7c1f"
    hinted = question.replace("SELECT", f"SELECT /*+ {canary} */", 1) + f" -- {canary}"
    columns = {
        **{name: dp.number(0, 9) for name in ("stay", "age", "cost")},
        "ward": dp.category(["A", "B"]),
        "smoker": dp.boolean(),
        "diagnosis": dp.text(),
        "admitted": dp.date("2020-01-01", "2020-12-31"),
    }
    people = pandas.DataFrame({"patient_id": [1], "sex": ["f"]})
    table = dp.table(
        pandas.DataFrame({name: [] for name in (*columns, "patient_id")}, dtype=object),
        name="visits",
        unit="patient_id",
        budget=dp.Budget(epsilon=1, delta=1e-6),
        columns=columns | {"age": dp.integer(0, 9)},
        max_rows=4,
        max_groups=2,
        ledger=":memory:",
        private={"patients": dp.beside(people, columns={"sex": dp.category(["f", "m"])})},
        public={"wards": pandas.DataFrame({"ward": ["A", "B"], "region": ["n", "s"]})},
    )
    with table:
        found = table.sql("EXPLAIN " + hinted.removeprefix("EXPLAIN "), epsilon=1, delta=1e-7)
        for query in found.queries:  # type: ignore[union-attr]
            assert canary not in query
            assert "--" not in query
            assert "/*" not in query


# ---------------------------------------------------------------------- 25


BY_NOISE = ("negative", "lie between the value", "the whole range", "the error of rank")
"""What notes say that follows from noisy numbers."""


def test_promise_25_plans_errors_and_shapes_are_the_same_on_neighbors() -> None:
    seen = {shown(rows_) for rows_ in NEIGHBORS}
    assert len(seen) == 1


def shown(rows_: list[dict[str, Any]]) -> tuple[object, ...]:
    """All that can be seen of a table except its noisy numbers."""
    with visits(rows_, unit="patient", max_rows=3, max_groups=2) as opened:
        asks = opened.group_by("ward").agg(
            n=rows(), u=people(), m=col("stay").mean(), q=col("stay").median()
        )
        plan = asks.plan(epsilon=1, expect_rows=10)
        errors = []
        for wrong in (opened.agg(x=col("free").sum()), opened.group_by("nowhere").agg(n=rows())):
            with pytest.raises(DiscreetError) as found:
                wrong.release(epsilon=1)
            errors.append(str(found.value))
        answer = plan.release(analyst="ann")
        table_ = answer.to_pandas()
        # The last digit of a margin is that of a difference of released floats.
        linear = [(round(one.margin, 9), one.note, type(one.value)) for one in answer.column("n")]
        return (
            repr(opened),
            repr(plan),
            plan.explain(),
            plan.text,
            tuple(errors),
            answer.groups,
            tuple(table_.columns),
            tuple(map(str, table_.dtypes)),
            tuple(map(str, linear)),
            tuple(map(str, answer.certificate.mechanisms)),
            tuple(note for note in answer.notes if not any(one in note for one in BY_NOISE)),
        )
