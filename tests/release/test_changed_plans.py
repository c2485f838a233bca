"""A plan that somebody changed is refused before anything is charged, or the change is not seen.

Whoever releases makes the plan anew from its query, its price and the table's own declarations.
"""

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.accounting.filters import charge
from discreet.errors import QueryError
from discreet.measures.counts import Size
from discreet.noise import UnsafeSeededBits
from discreet.policy import read_policy
from discreet.privacy.events import PureEvent, event_to_data
from discreet.privacy.sensitivity import Neighbors
from discreet.question.check import checked_question
from discreet.release.batch import BatchPlan
from discreet.release.kept_answer import NoisyMeasurements
from discreet.release.plan import Plan, make_plan
from discreet.release.price import price_from_data
from tests.golden.questions import QUESTIONS, write_tables
from tests.golden.tables import asking
from tests.support.changed_parts import changed_parts

pytestmark = pytest.mark.filterwarnings("ignore::discreet.PrivacyWarning")
REFUSED = "made for other declarations than those of '.*', or changed by hand"


class SeededBits(UnsafeSeededBits):
    """Bits that are the same every time, and that a table takes for good ones: in tests only."""

    safe = True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("changed")
    write_tables(place)
    return place


Opened = Callable[..., dp.Table]


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    """A function that opens a table of the golden questions, with a large budget."""
    tables = []

    def opening(name: str = "visits", **changes: Any) -> dp.Table:
        declared = read_policy(folder / f"{name}.toml") | {
            "ledger": ":memory:",
            "budget": dp.Budget(epsilon=10**6, delta=Fraction(1, 2)),
        }
        declared.pop("analyst_budget", None)
        tables.append(dp.table(**declared | changes))
        return tables[-1]

    yield opening
    for one in tables:
        one.close()


def test_the_four_that_were_accepted_are_refused(opened: Opened) -> None:
    """An exact count for nothing, a row in the place of a person, other neighbors, larger caps."""
    whole, people, replaced = opened("rows"), opened(), opened("persons")
    counted = replace(whole.schema, neighbors=Neighbors.REPLACE)
    by_row = replace(people.schema, unit="row", max_rows=None, max_groups=None)
    added = replace(replaced.schema, neighbors=Neighbors.ADD_REMOVE)
    wide = replace(people.schema, max_rows=10**6)
    for table, schema, epsilon in (
        (whole, counted, None),
        (people, by_row, 1),
        (replaced, added, 1),
        (people, wide, 1),
    ):
        asked = table.where(dp.col("hours") > 3) if table is replaced else table
        made = checked_question(asked.agg(n=dp.rows()).query, schema)
        plan = make_plan(replace(made, declared=table.schema), epsilon=epsilon)
        if epsilon is None:
            assert plan.price.event == PureEvent(epsilon=Fraction(0))
            assert isinstance(plan.measured[0], Size)
        with pytest.raises(QueryError, match=REFUSED):
            table.release(plan)
        assert table.budget.charges == 0


ALL = "SELECT COUNT(DISTINCT patient) AS p, AVG(stay) AS m, MEDIAN(age) AS a FROM visits"
BY_WARD = f"{ALL} GROUP BY ward".replace("SELECT", "SELECT ward,")
FIRST = f"{BY_WARD} ORDER BY p DESC LIMIT 1"
FOUND = "SELECT diagnosis, COUNT(DISTINCT patient) AS p, SUM(stay) AS s FROM visits GROUP BY 1"
WINDOW = (
    "SELECT ward, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS part, "
    "SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two "
    "FROM visits GROUP BY ward"
)
PAIRS = (
    "SELECT sex, AVG(days) AS m, COUNT(*) AS n FROM (SELECT patient, SUM(stay) AS days "
    "FROM visits WHERE ward <> 'B' GROUP BY patient) AS each JOIN patients "
    "ON each.patient = patients.id WHERE born > 1950 GROUP BY sex"
)
Ask = Callable[[dp.Table], Any]
ASKED: dict[str, tuple[str, Ask, dict[str, Any]]] = {
    **{
        name: (one.table, partial(asking, asked=one), {"epsilon": one.epsilon, "delta": one.delta})
        for name, one in QUESTIONS.items()
        if name
        in (
            *("count", "conditions", "quantiles", "least-and-largest", "distinct", "cube", "join"),
            *("running-totals", "gaussian", "months", "subquery", "computed", "first-groups"),
            *("free", "replaced", "rows", "rows-private-groups", "private-groups-alone"),
        )
    },
    "in ρ": ("visits", lambda table: table.ask(BY_WARD), {"rho": "1/10"}),
    "of the budget": ("visits", lambda table: table.ask(ALL), {"spend": "0.01%"}),
    "for a margin": ("visits", lambda table: table.ask(ALL), {"margin": {"p": 40}, "delta": 1e-6}),
    "found in ρ": ("visits", lambda table: table.ask(FOUND), {"rho": "1/10", "delta": "1e-6"}),
    "first in ρ": ("visits", lambda table: table.ask(FIRST), {"rho": "1/10"}),
    "windows": ("visits", lambda table: table.ask(WINDOW), {"epsilon": 1}),
    "pairs": ("joined", lambda table: table.ask(PAIRS), {"epsilon": 1}),
    "lower caps": ("visits", lambda table: table.ask(ALL).capped(max_rows=2), {"epsilon": 1}),
    "replaced people": ("visits", lambda table: table.ask(BY_WARD), {"epsilon": 1}),
    "weighed": ("visits", lambda table: table.ask(ALL), {"epsilon": 1, "weights": {"p": 3}}),
}
USUAL = ("count", "cube", "first-groups", "found in ρ", "free", "replaced people", "windows")
NAMES = [pytest.param(one, marks=[] if one in USUAL else pytest.mark.soak) for one in ASKED]
OTHER_PRICES = (".price.charged_as_promised → True", ".price.choice.mechanism.flips → True")
"""What is charged otherwise for the same noise, or drawn otherwise: honest prices both."""


@dataclass
class Tried:
    """A table with an honest plan, and what a changed one does there."""

    table: dp.Table
    plan: Plan
    price: dict[str, Any]

    def __post_init__(self) -> None:
        self.honest = released(self.table, self.plan)

    def found(self, changed: Plan) -> Any:
        """What is released of a changed plan; None where it is refused, uncharged."""
        charges = self.table.budget.charges
        try:
            return released(self.table, changed)
        except QueryError:
            assert self.table.budget.charges == charges
            return None

    def priced_anew(self) -> Iterator[tuple[str, Plan]]:
        """Plans of the question with a changed part, at a price that suits the change."""
        for where, question in changed_parts(self.plan.question):
            with suppress(Exception):
                yield where, make_plan(question, table=self.table, **self.price)


@pytest.fixture
def tried(opened: Opened) -> Callable[[str], Tried]:
    """A function that plans and pays a question by its name."""

    def trying(name: str) -> Tried:
        where, ask, price = ASKED[name]
        changes = {"neighbors": "replace"} if name == "replaced people" else {}
        table = opened(where, **changes)
        return Tried(table, ask(table).plan(**price), price)

    return trying


@pytest.mark.parametrize("name", NAMES)
def test_every_part_that_is_changed_is_refused_or_changes_nothing(
    tried: Callable[[str], Tried], name: str
) -> None:
    one, outcomes = tried(name), []
    for where, changed in changed_parts(one.plan):
        found = one.found(changed)
        outcomes.append(found is None)
        if where in OTHER_PRICES and found is not None:
            assert found[0] == event_to_data(replace(changed.price).event), where
        else:
            assert found in (None, one.honest), where
    assert len(outcomes) > 250
    assert 0.75 < sum(outcomes) / len(outcomes) < 1


@pytest.mark.parametrize("name", NAMES)
def test_a_question_that_is_changed_and_priced_anew_is_refused_or_the_same(
    tried: Callable[[str], Tried], name: str
) -> None:
    one = tried(name)
    differing = [
        where for where, plan in one.priced_anew() if one.found(plan) not in (None, one.honest)
    ]
    assert differing == []


def test_a_plan_that_was_believed_would_be_noticed(
    tried: Callable[[str], Tried], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.release.table.plan_anew", lambda plan, schema: plan)
    one, differing = tried("count"), set()
    for where, plan in one.priced_anew():
        with suppress(Exception):
            if one.found(plan) not in (None, one.honest):
                differing.add(where)
    assert {".schema.max_rows → 7", ".schema.by_person → False"} < differing


def released(table: dp.Table, plan: Plan) -> Any:
    """What a release was charged, what was measured with the same noise, and what is answered."""
    answer = table.release(plan, source=SeededBits(1))
    charge = table.ledger.entry(answer.certificate.entry)
    settled = table.ledger.settled(answer.certificate.entry)
    assert charge is not None
    assert settled is not None
    kept = NoisyMeasurements.from_bytes(table.ledger.stored(settled) or b"")
    drawn = (kept.blocks, kept.cells, kept.selected, kept.rows)
    return charge.data["event"], drawn, answer.to_csv()


def forged(table: dp.Table, asked: Any, **price: Any) -> Plan:
    """A plan of an exact count: of a question whose neighbors replace each other."""
    counted = replace(table.schema, neighbors=Neighbors.REPLACE)
    made = checked_question(asked.query, counted)
    return make_plan(replace(made, declared=table.schema), table=table, **price)


def test_every_way_to_release_refuses_it(opened: Opened) -> None:
    table = opened("rows")
    asked = table.agg(n=dp.rows())
    honest = asked.plan(epsilon=1)
    exact = forged(table, asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dp.PrivacyWarning)
        for release in (
            lambda: table.release(exact),
            exact.release,
            BatchPlan((exact, honest)).release,
            lambda: table.release(copy.copy(exact)),
            lambda: table.release(replace(honest, question=exact.question, price=exact.price)),
        ):
            with pytest.raises(QueryError, match=REFUSED):
                release()
            assert table.budget.charges == 0
    honest.release(key="k")
    with pytest.raises(QueryError, match=REFUSED):
        table.release(exact, key="k")
    assert table.budget.charges == 1


def test_what_a_plan_remembers_is_not_believed(opened: Opened) -> None:
    """What was computed once is kept by Python in the plan, where anybody can write."""
    table = opened()
    plan = table.ask(BY_WARD).plan(epsilon=1)
    honest = released(table, plan)
    plan.price.__dict__["event"] = PureEvent(epsilon=Fraction(0))
    plan.price.__dict__["cost"] = charge(PureEvent(epsilon=Fraction(0)))
    plan.question.__dict__["unit"] = replace(plan.question.unit, by_person=False)
    plan.question.__dict__["measures"] = (Size(),)
    plan.question.__dict__["selects_keys"] = True
    for changed in (plan, copy.copy(plan)):
        try:
            found = released(table, changed)
        except QueryError:
            continue
        assert found == honest


def test_a_plan_that_was_sent_is_released_as_it_was_made(opened: Opened) -> None:
    table = opened()
    plan = table.agg(n=dp.rows(), m=dp.col("stay").median()).plan(rho="1/10")
    sent = pickle.loads(pickle.dumps(replace(plan, table=None, standing=None)))
    assert released(table, sent) == released(table, plan)


@pytest.mark.parametrize("name", ["in ρ", "found in ρ", "first in ρ", "weighed", "cube"])
def test_a_price_is_made_of_its_parts_alone(tried: Callable[[str], Tried], name: str) -> None:
    """Whatever data say of what follows from others is not read."""
    plan = tried(name).plan
    data = plan.price.to_data(plan.question)
    assert price_from_data(data, plan.question) == plan.price
    for part in data["parts"]:
        part["rho"] = "1/1000000"
    if plan.price.promise is not None and not plan.price.gaussian:
        data["promise"] = "1/1000000"
    assert price_from_data(data, plan.question) == plan.price


def test_nobody_changes_the_declarations_that_a_plan_shows(opened: Opened) -> None:
    """They are the table's own, so that a change would be believed."""
    table = opened("joined")
    declared: Any = table.agg(n=dp.rows()).plan(epsilon=1).question.declared
    for held in (
        *(declared.columns, declared.private, declared.public, declared.public["wards"].columns),
        *(declared.public["wards"].most, declared.private["patients"].columns),
    ):
        name, kept = next(iter(held)), dict(held)
        with pytest.raises(TypeError):
            held[name] = None
        with pytest.raises(TypeError):
            del held[name]
        with pytest.raises(TypeError):
            held.update({})
        with pytest.raises(TypeError):
            held |= {name: None}
        assert held == kept
        assert repr(held) == repr(kept)
    given = {"ward": dp.category(["A"])}
    schema = replace(table.schema, columns=given, private={}, public={})
    given["ward"] = dp.category(["B"])
    assert schema.columns["ward"] == dp.category(["A"])
