"""How many questions fit a budget of ε = 1, δ = 1e-6, and the errors of wide ones.

Questions are asked one after the other of a table in memory, until one is refused.  Beside them:
Tumult's zCDP session by its documented formulas (a budget of (ε, δ) is a ρ with
ρ + 2·√(ρ·ln(1/δ)) = ε, and a Gaussian count costs Δ²/(2σ²)), and OpenDP's own accounting, called.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import floor, log, sqrt
from typing import Any

import opendp.prelude as opendp
import polars as pl

import discreet as dp
from discreet.accounting.filters import charge, rho_allowance
from discreet.privacy.events import PureEvent
from timing import table

EPSILON, DELTA = 1, Fraction(1, 10**6)
BUDGET = dp.Budget(epsilon=EPSILON, delta=DELTA)
KEYS = [f"key {number:02d}" for number in range(64)]
Plan = Callable[[Any], Any]


def people(budget: dp.Budget, **caps: Any) -> Any:
    """A hundred people with a row for each key, who may be in so many groups."""
    rows = list(product(range(100), KEYS))
    frame = pl.DataFrame(
        {
            "person": [person for person, _ in rows],
            "key": [key for _, key in rows],
            "value": [float(person % 11) for person, _ in rows],
        }
    )
    return dp.table(
        frame,
        name="people",
        unit="person",
        budget=budget,
        columns={"key": dp.category(KEYS), "value": dp.number(0, 10)},
        ledger=":memory:",
        **caps,
    )


def answered(asked: Any, plan: Plan) -> int:
    """How many questions are answered before one is refused for lack of budget."""
    for number in range(10_000):
        try:
            plan(asked).release()
        except dp.BudgetExhaustedError:
            return number
    return 10_000


def tumult(rho: float) -> int:
    """Questions of this ρ in Tumult's session."""
    level = log(1 / float(DELTA))
    return floor((sqrt(level + EPSILON) - sqrt(level)) ** 2 / rho)


def opendp_rho() -> float:
    """The largest ρ that OpenDP converts to the budget."""
    opendp.enable_features("contrib", "honest-but-curious")
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.l2_distance(T=float)
        noise = opendp.m.make_gaussian(*space, scale=1 / sqrt(2 * middle))
        curve = opendp.c.make_fix_delta(opendp.c.make_zCDP_to_approxDP(noise), float(DELTA))
        low, high = (middle, high) if curve.map(1.0)[0] <= EPSILON else (low, middle)
    return low


def before(epsilon: Fraction) -> int:
    """Questions that fitted when noise of this ε was charged as Laplace noise is: by ρ of its ε."""
    return floor(rho_allowance(BUDGET) / charge(PureEvent(epsilon=epsilon)).rho)


def counts() -> list[list[str]]:
    """Questions that fit."""
    per_key = {"n": dp.people()}
    two = people(BUDGET, max_groups=2, max_rows=64)
    wide = people(BUDGET, max_groups=32, max_rows=64)
    small = two.group_by("key").agg(**per_key)
    laplace = small.plan(epsilon=Fraction(1, 100)).margins()["n"]
    rows = []

    def row(what: str, asked: Any, plan: Plan, earlier: int) -> None:
        rho = float(plan(asked).rho)
        theirs, others = str(tumult(rho)), str(floor(opendp_rho() / rho))
        rows.append([what, str(answered(asked, plan)), theirs, others, str(earlier)])

    row(
        "people per group, 2 groups a person, error of Laplace noise at ε = 0.01",
        small,
        lambda one: one.plan(margin={"n": laplace}),
        460,
    )
    row(
        "people per group, 32 groups a person, ± 2,400",
        wide.group_by("key").agg(**per_key),
        lambda one: one.plan(margin={"n": 2400}),
        29,
    )
    row(
        "people per group, 32 groups a person, Gaussian noise of (0.05, 1e-8)",
        people(BUDGET, max_groups=32, max_rows=64).group_by("key").agg(**per_key),
        lambda one: one.plan(epsilon=0.05, delta=1e-8),
        20,
    )
    row(
        "a hundredth of the budget each",
        people(BUDGET, max_groups=2, max_rows=64).group_by("key").agg(**per_key),
        lambda one: one.plan(spend="1%"),
        100,
    )
    calls = 0
    with dp.spending(BUDGET):
        try:
            while True:
                dp.gaussian(0, sensitivity=1, epsilon=0.05, delta=1e-9)
                calls += 1
        except dp.BudgetExhaustedError:
            pass
    sigma = float(dp.Gaussian.calibrated(sensitivity=1, epsilon=0.05, delta=1e-9).sigma)
    rho = 1 / (2 * sigma**2)
    rows.append(
        [
            "dp.gaussian of (0.05, 1e-9)",
            str(calls),
            str(tumult(rho)),
            str(floor(opendp_rho() / rho)),
            "20",
        ]
    )
    return rows


def spreads() -> list[list[str]]:
    """The noise of one wide question at ε = 1, δ = 1e-6, under a larger budget."""
    large = dp.Budget(epsilon=10, delta=Fraction(1, 10**4))
    wide = people(large, max_groups=64, max_rows=64, max_rows_per_group=1).group_by("key")
    by_row = dp.table(
        pl.DataFrame({"value": [1.0] * 100}),
        name="rows",
        unit="row",
        budget=large,
        columns={"value": dp.number(0, 100)},
        ledger=":memory:",
    )
    conditions = {f"c{number}": (dp.col("value") > number).sum() for number in range(64)}
    price = {"epsilon": EPSILON, "delta": DELTA}
    scale = 1 / sqrt(2 * opendp_rho())
    rows = []
    for what, asked, unit in [
        ("64 counts of rows", wide.agg(n=dp.rows()), 1.0),
        ("64 sums of [0, 10], in units of 10", wide.agg(n=dp.col("value").sum()), 10.0),
        ("64 conditions on a row", by_row.agg(**conditions), 1.0),
    ]:
        plan = asked.plan(**price)
        margin = next(iter(plan.margins().values()))
        rows.append(
            [what, f"{margin / 1.95996 / unit:.2f}", f"{8 * scale:.2f}", f"{64 * sqrt(2):.1f}"]
        )
    return rows


def main() -> None:
    """Print both."""
    print("Questions that fit ε = 1, δ = 1e-6")
    print(table(["question", "discreet", "Tumult", "OpenDP", "discreet 0.1.0"], counts()))
    print("\nStandard deviation of the noise, ε = 1, δ = 1e-6")
    print(table(["question", "discreet", "OpenDP (zCDP)", "discreet 0.1.0"], spreads()))


if __name__ == "__main__":
    main()
