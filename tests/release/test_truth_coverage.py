"""Intervals hold the truth of heavy-tailed tables as often as they say, and noise alone does not.

Everything is real but the reading of rows, which is done once: profiles and answers get fresh noise
in every trial.  People have 1 to 400 rows each, and who has more has larger values.
"""

import warnings
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any
from unittest.mock import patch

import pandas
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.engines.base import SIZES, SizeKind, people_by_size, rows_without_unit
from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import PrivacyWarning
from discreet.noise import Keystream
from discreet.privacy.estimates import Estimate, IntervalKind, Payment
from discreet.privacy.sensitivity import Sensitive
from discreet.release import profile
from discreet.release.caps import cap_effects
from discreet.release.plan import Plan
from discreet.release.profile import Profile, plan_profile, read_profile
from discreet.release.run import groups_and_estimates, run_and_noise

FALSE_ALARM = 1e-6
"""How often a test of this file may fail without a fault, for each column."""
PEOPLE, LARGEST, MISSING, CROWD = 600, 400, 25, 60
WARDS = ("A", "B")
ASKED = {
    "n": dp.rows(),
    "total": dp.col("cost").sum(),
    "moved": dp.col("change").sum(),
    "mean": dp.col("cost").mean(),
    "spread": dp.col("cost").std(),
    "people": dp.people(),
}


def drawn(seed: int, people: int, crowd: int) -> pandas.DataFrame:
    """Visits of people with heavy tails; the values rise with the number of visits.

    A ``crowd`` has as many as anybody can have: then they do not hide in the noise of a profile.
    """
    random, rows = Random(seed), []
    for person in range(people + crowd):
        many = LARGEST if person < crowd else min(LARGEST, int(random.paretovariate(1.1)))
        at_home = random.choice((*WARDS, None))
        for _ in range(many):
            ward = at_home if random.random() < 0.7 else random.choice(WARDS)
            cost = min(100, max(0, random.gauss(10 + many / 4, 5)))
            rows.append((person, ward, round(cost), random.choice((-50, many // 8))))
    rows += [(None, "A", 100, -50)] * MISSING
    return pandas.DataFrame(rows, columns=["patient", "ward", "cost", "change"], dtype=object)


class Trials:
    """One table, of which rows are read once, and asked again and again with fresh noise."""

    def __init__(self, seed: int, crowd: int, ceiling: int | None, price: dict[str, Any]) -> None:
        self.frame = drawn(seed, PEOPLE, crowd)
        self.table = dp.table(
            self.frame,
            name="visits",
            unit="patient",
            columns={
                "ward": dp.category(WARDS),
                "cost": dp.number(0, 100),
                "change": dp.number(-50, 50),
            },
            budget=dp.Budget(epsilon=10**6, delta="0.1"),
            max_rows=8,
            max_groups=1,
            at_most_rows=ceiling,
            ledger=":memory:",
        )
        asking = self.table.group_by("ward").agg(**ASKED)
        self.plan: Plan = asking.plan(**price)
        self.bits = Keystream()
        self._read: dict[Any, Any] = {}

    def truths(self) -> dict[str, dict[str, float]]:
        """The plain answers on all rows."""
        found = {}
        for ward in WARDS:
            held = self.frame[self.frame["ward"] == ward]
            cost, change = held["cost"].astype(float), held["change"].astype(float)
            found[ward] = {
                "n": float(len(held)),
                "total": cost.sum(),
                "moved": change.sum(),
                "mean": cost.mean(),
                "spread": cost.std(ddof=0),
                "people": float(held["patient"].nunique()),
            }
        return found

    def once(self, what: str, run: Any, *asked: Any) -> Any:
        key = (what, *map(id, asked))
        if key not in self._read:
            self._read[key] = (asked, run(*asked))  # which keeps the identities in use
        return self._read[key][1]

    def profile(self, rho: str) -> Profile:
        """A profile with fresh noise."""
        made = self.once(
            "plan",
            lambda: plan_profile(self.table.schema, self.table.standing, rho=rho, by=["ward"]),
        )

        def tally(
            engine: Any, question: Any, kind: SizeKind, bins: int = len(SIZES)
        ) -> Sensitive[Any]:
            name = f"{kind} {question.text} {bins}"
            return Sensitive(
                self.once(name, lambda: people_by_size(engine, question, kind, bins).open()).copy()
            )

        def missing(engine: Any, question: Any) -> Sensitive[Any]:
            read = self.once("missing", lambda: rows_without_unit(engine, question).open())
            return Sensitive(read.copy())

        with (
            patch.object(profile, "people_by_size", tally),
            patch.object(profile, "rows_without_unit", missing),
        ):
            data = made.run(self.table.engine(), self.bits)
        entry = next(iter(self.table.ledger.history()))
        found = read_profile(entry, data, self.table.schema)
        assert found is not None
        return found

    def answers(self, known: Profile | None) -> Iterator[tuple[str, str, Estimate]]:
        """Ward, column and answer, with fresh noise."""
        plan, honest = self.plan, DuckDB.measure

        def measured(engine: Any, *asked: Any) -> Any:
            return self.once("measure", lambda: honest(engine, *asked))

        with patch.object(DuckDB, "measure", measured):
            noisy = run_and_noise(plan.question, plan.price, self.table.engine(), self.bits)
        effects = cap_effects(plan.question, plan.price.unit, known)
        groups, columns = groups_and_estimates(
            plan.question, plan.price, noisy, Payment(plan.price.loss), effects
        )
        for name, found in columns.items():
            for group, one in zip(groups, found, strict=True):
                yield str(group[0]), name, one


@cache
def counted(
    tries: int, seed: int, crowd: int, ceiling: int | None, profiled: bool, price: tuple[str, str]
) -> dict[str, tuple[int, int, int, frozenset[IntervalKind]]]:
    """By column: how many intervals missed, how many the noise alone, of how many, and kinds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        trials = Trials(seed, crowd, ceiling, dict([price]))
    truths, found = trials.truths(), {}
    for _ in range(tries):
        known = trials.profile("0.02") if profiled else None
        for ward, name, one in trials.answers(known):
            truth = truths[ward][name]
            missed, noise, many, kinds = found.get(name, (0, 0, 0, frozenset()))
            low, high = one.interval()
            alone = one.noise_interval()
            found[name] = (
                missed + (not low - 1e-6 <= truth <= high + 1e-6),
                noise + (not alone[0] <= truth <= alone[1]),
                many + 1,
                kinds | {one.kind},
            )
    trials.table.close()
    return found


def believed(missed: int, many: int, chance: float) -> bool:
    return missed <= binom.isf(FALSE_ALARM, many, chance)


PRICES = (("epsilon", "2"), ("rho", "0.1"))
CI = pytest.param(60, (3,), id="short")
SOAK = pytest.param(400, tuple(range(8)), id="long", marks=pytest.mark.soak)
WAYS = [  # ceiling, with a profile, a crowd with most rows, the chance to miss, the kind
    pytest.param(LARGEST, True, 0, 0.05, IntervalKind.SURE, id="ceiling and profile"),
    pytest.param(None, True, CROWD, 0.10, IntervalKind.LIKELY, id="profile"),
    pytest.param(None, False, 0, 0.025, IntervalKind.SURE, id="nothing"),
]


@pytest.mark.parametrize(("tries", "seeds"), [CI, SOAK])
@pytest.mark.parametrize("price", PRICES, ids=["Laplace", "Gaussian"])
@pytest.mark.parametrize(("ceiling", "profiled", "crowd", "chance", "kind"), WAYS)
def test_intervals_hold_the_truth_as_often_as_they_say(
    tries: int,
    seeds: tuple[int, ...],
    price: tuple[str, str],
    ceiling: int | None,
    profiled: bool,
    crowd: int,
    chance: float,
    kind: IntervalKind,
) -> None:
    for seed in seeds:
        found = counted(tries, seed, crowd, ceiling, profiled, price)
        for name, (missed, _, many, kinds) in found.items():
            # There are but two wards, so of people everything is known without a profile.
            expected = IntervalKind.SURE if name == "people" else kind
            assert kinds == {expected}, name
            two_sided = name not in ("n", "total") or profiled
            allowed = max(chance, 0.05) if two_sided else chance
            assert believed(missed, many, allowed), (name, missed, many, seed)


def test_the_noise_alone_does_not_hold_it() -> None:
    """The negative control: most of these intervals miss, since the caps leave out so much."""
    found = counted(60, 3, 0, LARGEST, True, PRICES[0])
    for name in ("n", "total", "moved", "mean", "people"):
        _, alone, many, _ = found[name]
        assert alone > many / 2, name
        assert not believed(alone, many, 0.05)


def test_a_likely_interval_does_not_hold_what_noise_hides() -> None:
    """Three people with hundreds of rows, far from all others, are not seen: so it is likely."""
    rows = [(person, "A") for person in range(600) for _ in range(1 + person % 3)]
    rows += [(person, "A") for person in range(600, 603) for _ in range(LARGEST)]
    frame = pandas.DataFrame(rows, columns=["patient", "ward"], dtype=object)
    held, tries = 0, 20
    with dp.table(
        frame,
        name="hidden",
        unit="patient",
        budget=dp.Budget(epsilon=20),
        columns={"ward": dp.category(WARDS)},
        max_rows=3,
        ledger=":memory:",
    ) as table:
        for _ in range(tries):
            table.profile(epsilon="0.2", by=[], again=True)
            estimate = table.agg(n=dp.rows()).release(epsilon="0.5")["n"]
            assert isinstance(estimate, Estimate)
            assert estimate.kind is IntervalKind.LIKELY
            lower, upper = estimate.interval()
            held += lower <= len(rows) <= upper
    assert not believed(tries - held, tries, 0.10)


def test_the_tables_have_heavy_tails() -> None:
    held = drawn(3, PEOPLE, 0).groupby("patient").size()
    assert held.max() > 100
    assert (held > 8).sum() > 20
    assert held.min() == 1
