"""Intervals of groups that are shown because of their noise hold as often as they say.

Everything is real but the reading of rows, which is done once: every trial has fresh noise.  Of
each answer one of the shown groups is looked at, in turn: so the trials are independent, and hold
on average as often as a share of all that are shown does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

import pandas
import pytest

import discreet as dp
from discreet.noise import Keystream
from discreet.privacy.estimates import Payment
from discreet.release import run
from discreet.release.plan import Plan
from discreet.release.run import groups_and_estimates, run_and_noise
from tests.support.coverage import assert_covered, fewest_held, held

GROUPS, ROWS, MEAN = 60, 20, 3.0
"""Groups that are all alike: whichever are shown, noise decided it."""
TRIALS = 400


def alike(by_person: bool = False) -> dp.Table:
    """Each group has 20 rows of mean 3; with people, each of 20 is in every group."""
    frame = pandas.DataFrame(
        [
            (f"p{row}", group, (1.0, 5.0)[row % 2])
            for group in range(1, GROUPS + 1)
            for row in range(ROWS)
        ],
        columns=["person", "key", "x"],
    )
    caps: dict[str, Any] = {}
    if by_person:
        caps = {"max_groups": GROUPS, "max_rows": GROUPS, "max_rows_per_group": 1}
    return dp.table(
        frame,
        name="alike",
        unit="person" if by_person else "row",
        budget=dp.Budget(epsilon=10, delta="1e-3"),
        columns={"key": dp.integer(1, GROUPS), "x": dp.number(0, 10)},
        ledger=":memory:",
        **caps,
    )


CASES: dict[str, tuple[str, dict[str, Any], float]] = {
    "a count and LIMIT": ("COUNT(*) AS n {} ORDER BY n DESC LIMIT 3", {"epsilon": 1}, ROWS),
    "a count in ρ": ("COUNT(*) AS n {} ORDER BY n DESC LIMIT 3", {"rho": "0.1"}, ROWS),
    "the least": ("COUNT(*) AS n {} ORDER BY n LIMIT 3", {"epsilon": 1}, ROWS),
    "a count and HAVING": ("COUNT(*) AS n {} HAVING COUNT(*) > 23", {"epsilon": 1}, ROWS),
    "a sum and both": (
        "SUM(x) AS n {} HAVING SUM(x) > 65 ORDER BY n DESC LIMIT 5",
        {"epsilon": 1},
        ROWS * MEAN,
    ),
    "a mean and LIMIT": ("AVG(x) AS n {} ORDER BY n DESC LIMIT 3", {"epsilon": 2}, MEAN),
    "a quotient": (
        "SUM(x) / COUNT(*) AS n {} ORDER BY n DESC LIMIT 3",
        {"epsilon": 2},
        MEAN,
    ),
    "what is chosen first": ("PEOPLE() AS n {} ORDER BY n DESC LIMIT 3", {"epsilon": 1}, ROWS),
    "some of those chosen": (
        "PEOPLE() AS n {} ORDER BY n DESC LIMIT 3 OFFSET 2",
        {"epsilon": 1},
        ROWS,
    ),
}


class Answers:
    """Answers of one plan with fresh noise, and whether one interval of each holds the truth."""

    def __init__(self, table: dp.Table, plan: Plan, truth: float) -> None:
        self.plan, self.truth, self.turn = plan, truth, count()
        self.bits, self.engine = Keystream(), table.engine()
        self.payment = Payment(plan.price.loss)

    def hold(self) -> bool:
        while True:
            noisy = run_and_noise(self.plan.question, self.plan.price, self.engine, self.bits)
            _, shown = groups_and_estimates(
                self.plan.question, self.plan.price, noisy, self.payment
            )
            if shown["n"]:
                break
        one = shown["n"][next(self.turn) % len(shown["n"])]
        low, high = one.noise_interval()
        return low - 1e-6 <= self.truth <= high + 1e-6


@contextmanager
def answers(name: str) -> Iterator[Answers]:
    text, price, truth = CASES[name]
    with alike(by_person="chosen" in name) as table:
        plan = table.ask("SELECT key, " + text.format("FROM alike GROUP BY key")).plan(**price)
        assert (plan.price.choice is not None) is ("chosen" in name)
        engine, known = table.engine(), {}
        reads = engine.measure

        def measure(question: Any, measures: Any, cells: Any, unit: Any) -> Any:
            """Rows are read once for each unit: groups are alike, so any are as good as others."""
            kept = (measures, unit, None if cells is None else len(cells))
            if kept not in known:
                known[kept] = reads(question, measures, cells, unit)
            return known[kept]

        with patch.object(engine, "measure", measure):
            yield Answers(table, plan, truth)


@pytest.mark.parametrize("name", CASES)
def test_intervals_of_groups_that_noise_shows_hold_as_often_as_they_say(name: str) -> None:
    with answers(name) as asked:
        assert_covered(held(asked.hold, TRIALS))


@pytest.mark.parametrize(
    "name", [one for one in CASES if "chosen" not in one and "quotient" not in one]
)
def test_plain_intervals_do_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: at 95% each, as if the shown groups had been asked for by name."""
    monkeypatch.setattr(run, "widened", lambda estimate, part: estimate)
    with answers(name) as asked:
        hits, trials = held(asked.hold, TRIALS)
    assert hits < fewest_held(trials)
