"""Promises 16 and 21: the charge is durable before rows are read, and a price needs no rows."""

import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import BudgetExhaustedError, DiscreetError, SuspendedError
from discreet.ledger import Ledger
from discreet.question.builder import col, people, rows
from discreet.release.table import QuestionBuilder, Table
from tests.promises.killed_release import STEPS, ask
from tests.promises.visits import SOME, visits

ROOT = Path(__file__).parents[2]
# ---------------------------------------------------------------------- 16


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")
@pytest.mark.parametrize("key", [pytest.param("", marks=pytest.mark.soak), "k1"])
def test_promise_16_a_kill_at_any_step_leaves_no_release_without_its_charge(
    key: str, tmp_path: Path
) -> None:
    children = subprocess.run(
        [sys.executable, "-m", "tests.promises.killed_release", tmp_path, key],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    codes = list(map(int, children.stdout.split()))
    for step, code in zip(STEPS, codes, strict=True):
        assert code == (0 if step == "never" else -signal.SIGKILL), children.stderr
        place, shown = str(tmp_path / f"{step}.ledger"), (tmp_path / f"{step}.out").read_text()
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
        assert bool(shown) == (step == "never")
        if charged and not recorded:  # what it read may have killed it: nothing more is asked
            for other in (key, "another"):
                with pytest.raises(SuspendedError):
                    ask(place, other or None)
            with Ledger(place) as ledger:
                assert ledger.balance("visits").suspensions == 1
                ledger.resume("visits", why="it was killed on purpose")
            assert ask(place, "another")["n"].value is not None
            assert not Path(f"{place}-running").exists()
        if recorded and key:
            again = ask(place, key)["n"].value
            assert not shown or float(shown) == again
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


def priced(opened: Table) -> QuestionBuilder:
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
