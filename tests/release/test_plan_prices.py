"""The parts of a plan add up to its price, in one currency, and it says what is not covered."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import discreet as dp
from discreet.errors import Front
from discreet.release.plan import Plan

Opened = Callable[..., dp.Table]
IN_RHO = dp.Budget(rho=5, delta=1e-5)


def asked(table: dp.Table) -> Any:
    stay = dp.col("stay")
    return table.group_by("ward").agg(
        p=dp.people(), n=dp.rows(), m=stay.mean(), q=stay.median(), v=stay.var()
    )


PRICES: list[dict[str, Any]] = [
    {"epsilon": 1},
    {"epsilon": "1/7"},
    {"epsilon": 1, "delta": 1e-6},
    {"rho": 0.01},
    {"spend": "3%"},
    {"margin": {"p": 20}},
]


@pytest.mark.filterwarnings("ignore::discreet.PrivacyWarning")
@pytest.mark.parametrize("price", PRICES, ids=str)
@pytest.mark.parametrize("budget", [dp.Budget(epsilon=9, delta=1e-5), IN_RHO], ids=str)
@pytest.mark.parametrize("key", ["ward", "diagnosis"])
def test_the_parts_add_up_to_the_price(
    visits: Opened, price: dict[str, Any], budget: dp.Budget, key: str
) -> None:
    table = visits(budget=budget)
    question = (
        asked(table) if key == "ward" else table.group_by(key).agg(p=dp.people(), n=dp.rows())
    )
    plan: Plan = question.plan(**{"delta": 1e-6 if key == "diagnosis" else 0, **price})
    paid = [line for line in plan.priced_lines if line.shared_with is None]
    in_rho = plan.price_text.startswith("ρ")
    parts = [line.rho if in_rho else line.epsilon for line in paid]
    assert None not in parts
    whole = plan.price.cost.rho if in_rho else plan.price.cost.epsilon
    assert whole is not None
    total = sum((part or Fraction(0) for part in parts), Fraction(0))
    assert float(total) == pytest.approx(float(whole), rel=1e-12)
    assert all((line.rho is None) is not in_rho for line in plan.priced_lines)


def test_gaussian_noise_that_is_charged_as_it_was_promised_is_in_epsilon(visits: Opened) -> None:
    table = visits(budget=dp.Budget(epsilon=20, delta=1e-3), max_rows_per_group=1)
    question = table.group_by("ward").agg(n=dp.rows(), s=dp.col("age").sum(), p=dp.people())
    plan = question.plan(epsilon=1, delta=1e-4)
    joint = replace(plan.price, charged_as_promised=True)
    assert joint.gaussian
    charged = replace(plan, price=joint)
    assert charged.price_text == "ε = 1, δ = 0.0001"
    parts = [line for line in charged.lines if line.shared_with is None]
    assert len(parts) == 2
    assert sum((line.epsilon or Fraction(0) for line in parts), Fraction(0)) == 1
    assert all(line.rho is None for line in parts)


def test_finding_groups_has_a_line_of_its_own(visits: Opened) -> None:
    plan = (
        visits().group_by("diagnosis").agg(p=dp.people(), n=dp.rows()).plan(epsilon=1, delta=1e-6)
    )
    found, people, rows = plan.priced_lines
    assert (found.output, people.price) == ("finding the groups", "with finding the groups")
    assert (found.epsilon or 0) + (rows.epsilon or 0) == 1
    assert "finding the groups" in repr(plan)
    assert visits().agg(n=dp.rows()).plan(epsilon=1).finding_groups is None


def test_a_margin_that_needs_rows_is_marked_and_explained_below(visits: Opened) -> None:
    question = visits().agg(m=dp.col("stay").mean(), n=dp.rows())
    plan = question.plan(epsilon=1)
    assert "depends on rows" in repr(plan)
    assert "m: the ± depends on the number of rows in a group" in repr(plan)
    assert plan.notes_told(Front.COMMAND)[-1].endswith("--expect-rows 500.")
    assert plan.notes[-1].endswith("expect_rows=500.")
    expected = question.plan(epsilon=1, expect_rows=500)
    assert "depends on" not in repr(expected)


def test_a_plan_says_when_the_budget_does_not_cover_it(visits: Opened) -> None:
    table = visits(budget=dp.Budget(epsilon=1))
    table.agg(n=dp.rows()).release(epsilon="0.7")
    within, beyond = (table.agg(n=dp.rows()).plan(epsilon=one) for one in ("0.3", "0.5"))
    assert (within.covered, within.not_covered) == (True, "")
    assert beyond.covered is False
    said = "The budget does not cover this: it costs ε = 0.5, and ε = 0.3 is left."
    assert beyond.not_covered == said
    assert said in repr(beyond)
    with pytest.raises(dp.BudgetExhaustedError):
        beyond.release()
