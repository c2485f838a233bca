"""The promises about tables, each with the test that would catch its breach."""

import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import (
    BoundsError,
    BudgetExhaustedError,
    DiscreetError,
    PolicyError,
    QueryError,
    SuspendedError,
)
from discreet.ledger import Ledger
from discreet.plan.build import col, people, rows
from discreet.plan.columns import boolean, category, integer, number, text
from discreet.plan.sensitivity import sensitivity
from discreet.privacy.budget import Budget
from discreet.release.asking import Asking
from discreet.release.opening import table
from discreet.release.table import Table
from tests.release.killed import STEPS, ask

ROOT = Path(__file__).parents[2]
WARDS = ["B", "A", "nobody's", "C"]
COLUMNS = {
    "ward": category(WARDS),
    "stay": number(0, 60),
    "age": integer(1, 10),
    "height": integer(1, 300),
    "free": number(),
    "smoker": boolean(),
    "note": text(),
}


def frame(rows_: list[dict[str, Any]]) -> pandas.DataFrame:
    empty = dict.fromkeys(["patient", *COLUMNS])
    return pandas.DataFrame([empty | row for row in rows_], columns=["patient", *COLUMNS])


def visits(rows_: list[dict[str, Any]], **declared: Any) -> Table:
    given = {"unit": "row", "budget": Budget(epsilon=10, delta="1/10"), "ledger": ":memory:"}
    return table(frame(rows_), name="visits", columns=COLUMNS, **(given | declared))


SOME = [{"patient": f"p{n}", "ward": "A", "stay": n, "age": 5, "smoker": True} for n in range(20)]
NEIGHBORS = [
    SOME,
    SOME[1:],
    [*SOME, {"patient": "new", "ward": "C", "stay": float("inf"), "note": "secret"}],
    [*SOME, {"patient": None, "ward": "unheard of", "stay": float("nan")}],
    [],
]


# ---------------------------------------------------------------------- 3


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


# ---------------------------------------------------------------------- 5


@pytest.mark.parametrize("statistic", ["sum", "mean", "var", "std", "min", "max", "median"])
def test_promise_5_a_missing_bound_is_refused(statistic: str) -> None:
    with visits(SOME) as opened, pytest.raises(BoundsError, match="never reads them from the data"):
        opened.agg(x=getattr(col("free"), statistic)()).plan(epsilon=1)


def test_promise_5_missing_keys_caps_and_delta_are_refused() -> None:
    with visits(SOME) as opened:
        with pytest.raises(QueryError, match="not public"):
            opened.group_by("note").agg(n=rows()).plan(epsilon=1)
        with pytest.raises(QueryError, match="more values than can be listed"):
            opened.group_by("stay").agg(n=rows()).plan(epsilon=1)
    with visits(SOME, unit="patient") as opened:
        with pytest.raises(PolicyError, match="max_rows"):
            opened.agg(n=rows()).plan(epsilon=1)
        with pytest.raises(PolicyError, match="max_groups"):
            opened.group_by("ward").agg(n=people()).plan(epsilon=1)
    for left_out in ("unit", "budget", "ledger"):
        with pytest.raises(PolicyError):
            visits(SOME, **{left_out: None})


# ---------------------------------------------------------------------- 6


def test_promise_6_every_declared_key_is_released_in_public_order() -> None:
    for rows_ in NEIGHBORS:
        with visits(rows_) as opened:
            answer = opened.group_by("ward", "smoker").agg(n=rows()).release(epsilon=1)
        assert answer.groups == tuple((ward, smoker) for ward in WARDS for smoker in (False, True))


def test_promise_6_undeclared_keys_that_one_person_holds_hardly_ever_appear() -> None:
    lonely = [{"patient": f"p{n}", "note": f"secret {n}"} for n in range(200)]
    with visits(lonely, unit="patient", max_rows=1, max_groups=1) as opened:
        asks = opened.group_by("note").agg(n=people())
        found = asks.release(epsilon=1, delta="1/1000000000000")
    # Each of 200 keys may appear with probability 10^-12.
    assert found.groups == ()


# ---------------------------------------------------------------------- 7


def test_promise_7_nothing_can_write_the_id() -> None:
    with visits(SOME, unit="patient", max_rows=3, max_groups=2) as opened:
        for name in ("patient", "ward"):
            with pytest.raises(QueryError, match="has the name of another one"):
                opened.with_columns(**{name: col("stay")}).agg(n=rows()).plan(epsilon=1)
        for asks in (col("patient").n_unique(), col("patient").count()):
            with pytest.raises(QueryError, match="only be counted"):
                opened.agg(x=asks).plan(epsilon=1)
        with pytest.raises(QueryError, match="only be counted"):
            opened.where(col("patient") == "p1").agg(n=rows()).plan(epsilon=1)
        with pytest.raises(QueryError, match="only be counted"):
            opened.group_by("patient").agg(n=rows()).plan(epsilon=1)
    with pytest.raises(PolicyError, match="also declared as a column"):
        visits(SOME, unit="ward", max_rows=3)


# ---------------------------------------------------------------------- 8, mission C1


def in_answer(opened: Table, **asked: Any) -> list[Fraction]:
    """What is priced for each block, in the answer's own unit rather than in grid steps."""
    question = opened.agg(**asked).plan(epsilon=1).question
    found = []
    for block in question.blocks:
        value = getattr(block, "value", None)
        step = Fraction(1) if value is None else value.range.grid.step
        found.append(sensitivity(block, question) * step)
    return found


def grouped(opened: Table, key: Any) -> int:
    question = opened.group_by(key).agg(n=rows()).plan(epsilon=1).question
    return sensitivity(question.blocks[0], question)


@pytest.mark.parametrize(
    ("neighbors", "count", "histogram", "total", "filtered"),
    [("add-remove", 1, 1, 10, 10), ("replace", 1, 2, 9, 10)],
)
def test_promise_8_the_table_of_sensitivities(
    neighbors: str, count: int, histogram: int, total: int, filtered: int
) -> None:
    with visits(SOME, neighbors=neighbors) as opened:
        adult = opened.where(col("age") > 4).agg(n=rows()).plan(epsilon=1).question
        assert sensitivity(adult.blocks[0], adult) == count
        assert grouped(opened, "ward") == grouped(opened, "smoker") == histogram
        assert grouped(opened, col("stay").bins([0, 10, 60])) == histogram
        assert in_answer(opened, s=col("age").sum()) == [total]
        assert in_answer(opened.where(col("stay") > 2), s=col("age").sum()) == [filtered]
        # k arbitrary counts cost k times one, whatever the relation.
        several = in_answer(
            opened, a=col("age").count(), b=col("stay").count(), c=col("smoker").count()
        )
        assert several == [1, 1, 1]


def test_promise_8_proportion_and_average_with_a_public_number_of_rows() -> None:
    with visits(SOME, neighbors="replace") as opened:
        assert in_answer(opened, m=col("height").mean()) == [299]  # of the sum: 299/n of the mean
        part = in_answer(opened, p=col("smoker").mean())
        assert part == [1]
        plan = opened.agg(m=col("height").mean()).plan(epsilon=1, expect_rows=20)
        (line,) = plan.lines
        assert line.margin.value == pytest.approx(299 * np.log(20) / 20, rel=0.01)


def test_promise_8_one_relation_per_table(tmp_path: Path) -> None:
    ledger = str(tmp_path / "visits.ledger")
    visits(SOME, ledger=ledger).close()
    with pytest.raises(DiscreetError, match="neighbors"):
        visits(SOME, ledger=ledger, neighbors="replace")


# ---------------------------------------------------------------------- 10


def test_promise_10_a_thousand_empty_keys_get_independent_noise() -> None:
    declared = {"key": category([f"k{place}" for place in range(1000)])}
    empty = pandas.DataFrame({"key": ["elsewhere"]})
    with table(
        empty, name="t", unit="row", budget=Budget(epsilon=9), columns=declared, ledger=":memory:"
    ) as opened:
        asks = opened.group_by("key").agg(n=rows())
        one, two = (asks.release(epsilon="1/10").column("n") for _ in range(2))
    first, second = (np.array([cell.value for cell in cells], float) for cells in (one, two))
    assert not np.array_equal(first, second)
    for noise in (first, second):
        # Laplace noise of scale 10 on integers: E|X| = 9.98 with deviation 10; 6 standard errors.
        assert abs(noise.mean()) < 6 * np.sqrt(200 / 1000)
        assert abs(np.abs(noise).mean() - 9.98) < 6 * np.sqrt(100 / 1000)
        neighbors = np.corrcoef(noise[:-1], noise[1:])[0, 1]
        assert abs(neighbors) < 6 / np.sqrt(1000)
    assert abs(np.corrcoef(first, second)[0, 1]) < 6 / np.sqrt(1000)
    # Negative control: one draw for all keys is seen.
    assert np.full(1000, first[0]).var() == 0


# ---------------------------------------------------------------------- 16


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("key", ["", "k1"])
def test_promise_16_a_kill_at_any_step_leaves_no_release_without_its_charge(
    key: str, tmp_path: Path
) -> None:
    for step in STEPS:
        place = str(tmp_path / f"{step}.ledger")
        child = subprocess.run(
            [sys.executable, "-m", "tests.release.killed", place, step, key],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert child.returncode == (0 if step == "never" else -signal.SIGKILL), child.stderr
        with Ledger(place) as ledger:
            assert ledger.verify().problems == ()
            entries = list(ledger.history())
            charges = [entry.sequence for entry in entries if entry.kind == "charge"]
            released = [entry.charge for entry in entries if entry.kind == "released"]
            spent = ledger.balance("visits").spent.epsilon
        charged = step != "before charge"
        assert len(charges) == charged
        assert spent == Fraction(charged, 2)
        assert set(released) <= set(charges)
        # What was handed out is recorded, and what was not recorded was not handed out.
        recorded = step in ("after release", "never")
        assert len(released) == recorded
        assert bool(child.stdout) == (step == "never")
        if charged and not recorded:  # what it read may have killed it: nothing more is asked
            for other in (key, "another"):
                with pytest.raises(SuspendedError):
                    ask(place, other or None)
            with Ledger(place) as ledger:
                assert ledger.balance("visits").suspensions == 1
                ledger.resume("visits", why="it was killed on purpose")
            assert ask(place, "another")["n"].value is not None
        assert not list(tmp_path.glob("*-running"))
        if recorded and key:
            again = ask(place, key)["n"].value
            assert not child.stdout or float(child.stdout) == again
            with Ledger(place) as ledger:
                assert ledger.balance("visits").spent.epsilon == spent


# ---------------------------------------------------------------------- 21


def test_promise_21_a_plan_never_touches_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def touched(*_: object, **__: object) -> None:
        pytest.fail("the table was read")

    with visits(SOME, unit="patient", max_rows=3, max_groups=2) as opened:
        monkeypatch.setattr(DuckDB, "measure", touched)
        monkeypatch.setattr(DuckDB, "candidates", touched)
        with monkeypatch.context() as patched:
            patched.setattr(Table, "engine", touched)
            unpriced(opened)
        with pytest.raises(BudgetExhaustedError):
            priced(opened).release(epsilon=15)
        assert opened.budget.spent.epsilon == 0


def priced(opened: Table) -> Asking:
    return opened.group_by("ward").agg(n=people(), m=col("stay").mean(), q=col("age").median())


def unpriced(opened: Table) -> None:
    """Plans, and questions that cannot be priced."""
    good = priced(opened)
    plan = good.plan(epsilon=1, expect_rows=10)
    assert plan.explain()
    assert repr(plan)
    wrong = [
        opened.agg(x=col("free").sum()),
        opened.agg(x=col("unknown").sum()),
        opened.where(col("stay")).agg(n=rows()),
        opened.where(col("stay") > "x").agg(n=rows()),
        opened.group_by("note").agg(n=rows()),
        opened.group_by("ward"),
    ]
    with pytest.raises(DiscreetError):
        good.top(0)
    for asks in wrong:
        with pytest.raises(DiscreetError):
            asks.release(epsilon=1)
    for epsilon in (0, -1, float("nan"), None):
        with pytest.raises(DiscreetError):
            good.release(epsilon=epsilon)


# ---------------------------------------------------------------------- 25


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
            tuple(note for note in answer.notes if "negative" not in note),
        )
