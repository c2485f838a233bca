"""A paid answer is shown again as it was given, from what the ledger kept: free, and unread."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.errors import AnswerLostError, AnswerPendingError, DataError
from discreet.ledger import Ledger
from discreet.plan.schema import PartnerTable, schema_from_data
from discreet.policy import read_policy
from discreet.privacy.events import PureEvent
from discreet.release.kept_answer import NoisyMeasurements, query_from_data, query_to_data
from discreet.release.plan import Plan, plan_from_data
from discreet.release.table import paid_answer
from tests.golden.questions import QUESTIONS, Asked, write_tables
from tests.golden.tables import planned
from tests.support.paid_twice import Paid, pay

Opened = Callable[..., dp.Table]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paid")
    write_tables(place)
    return place


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_every_kind_of_question_is_shown_again(folder: Path, name: str) -> None:
    asked: Asked = QUESTIONS[name]
    ledger = folder / f"{name}.ledger"
    declared = read_policy(folder / f"{asked.table}.toml") | {"ledger": ledger}
    with dp.table(**declared) as table:
        given = planned(table, asked).release()
        table.engine().close()  # nothing is there that could be read
        again = table.paid(given.certificate.entry)
        assert table.budget.charges == 1
    assert again.repeated
    assert again.certificate == given.certificate
    assert repr(replace(again, repeated=False)) == repr(given)
    assert "already_paid" in again.to_json()
    assert "already_paid" not in given.to_json()
    assert replace(again, repeated=False).to_json() == given.to_json()
    assert again.to_csv() == given.to_csv()


def test_every_question_of_the_corpus_is_shown_again_in_another_process(tmp_path: Path) -> None:
    """What was hashed is a function of what was paid, whatever order Python has for sets."""
    given: Paid = pay(tmp_path)
    assert len(given) > 200
    shown = subprocess.run(
        [sys.executable, "-m", "tests.support.paid_twice", str(tmp_path)],
        input=json.dumps({name: entry for name, (entry, _) in given.items()}),
        env=os.environ | {"PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(shown.stdout)
    assert found.keys() == given.keys()
    assert [name for name, (_, answer) in given.items() if found[name] != [answer, answer]] == []


PRICES: list[dict[str, Any]] = [
    {"epsilon": 1},
    {"epsilon": "1/3", "weights": {"p": 1, "n": 3, "m": 2}},
    {"epsilon": 1, "delta": 1e-6},
    {"epsilon": 1, "delta": 1e-6, "weights": {"p": 1, "n": 3, "m": 2}},
    {"rho": 0.01},
    {"spend": "3%"},
    {"margin": {"p": 20, "n": 30}},
]


@pytest.mark.parametrize("price", PRICES, ids=str)
@pytest.mark.parametrize("budget", [dp.Budget(epsilon=5, delta=1e-5), dp.Budget(rho=5)], ids=str)
def test_a_question_is_the_same_at_every_price(
    visits: Opened, price: dict[str, Any], budget: dp.Budget
) -> None:
    if "delta" in price and budget.rho is not None:
        budget = dp.Budget(rho=5, delta=1e-5)
    table = visits(budget=budget)
    asked = table.group_by("ward").agg(p=dp.people(), n=dp.rows(), m=dp.col("stay").median())
    plan = asked.plan(**price)
    again = plan_from_data(plan.to_data(), table.schema)
    assert again is not None
    assert again.text == plan.text
    assert again.price.event == plan.price.event
    assert again.margins() == plan.margins()
    given = plan.release()
    assert table.paid(given.certificate.entry).to_dict() == given.to_dict()


def test_groups_that_were_found_are_shown_again(visits: Opened) -> None:
    table = visits()
    for price in ({"epsilon": 2}, {"rho": 0.5}):
        asked = table.group_by("diagnosis").agg(p=dp.people(), s=dp.col("stay").sum())
        given = asked.release(delta=1e-6, **price)
        assert given.groups
        assert table.paid(given.certificate.entry).to_dict() == given.to_dict()


def test_what_was_not_released_is_refused(visits: Opened) -> None:
    table = visits()
    ledger = table.ledger
    with pytest.raises(DataError, match="entry 1 of the ledger is not a charge"):
        table.paid(1)
    with pytest.raises(DataError, match="entry 99 of the ledger is not there"):
        table.paid(99)
    pending = ledger.charge("visits", event=PureEvent(epsilon=1), question="q")
    with pytest.raises(AnswerPendingError, match="is paid for and not answered yet"):
        table.paid(pending.sequence)
    ledger.lose(pending, "cancelled")
    with pytest.raises(AnswerLostError, match="was lost: it was never released"):
        table.paid(pending.sequence)
    other = ledger.charge("visits", event=PureEvent(epsilon=1), question="q")
    ledger.release(other, b"42", safe=True)
    with pytest.raises(DataError, match="is no table"):
        table.paid(other.sequence)
    gone = ledger.charge("visits", event=PureEvent(epsilon=1), question="q", keeps_answer=False)
    with pytest.raises(DataError, match="handed out at once, and not kept"):
        table.paid(gone.sequence)


def test_the_answer_of_another_table_is_refused(visits: Opened, tmp_path: Path) -> None:
    with Ledger(tmp_path / "both.ledger") as ledger:
        first, second = visits(ledger=ledger), visits(ledger=ledger, name="others")
        entry = first.agg(n=dp.rows()).release(epsilon=1).certificate.entry
        with pytest.raises(DataError, match="is a question about 'visits'"):
            second.paid(entry)


def test_what_version_0_1_0_kept_is_refused_plainly(visits: Opened) -> None:
    table = visits()
    plan = table.agg(n=dp.rows()).plan(epsilon=1)
    charge = table.ledger.charge(
        "visits", event=plan.price.event, question=plan.text, key="k", summary="n = rows()"
    )
    table.ledger.release(charge, NoisyMeasurements(((42,),)).to_bytes(), safe=True)
    with pytest.raises(DataError, match=r"kept the noisy numbers and not the question.*'k'"):
        table.paid(charge.sequence)
    assert plan.release(key="k")["n"].value == 42 / (1 << 30)  # a retry still works


def test_an_answer_is_shown_under_the_declarations_of_then(visits: Opened, tmp_path: Path) -> None:
    with Ledger(tmp_path / "visits.ledger") as ledger:
        table = visits(ledger=ledger)
        question = table.group_by("ward").agg(m=dp.col("stay").mean(), n=dp.rows())
        given = question.where(dp.col("age") > 30).release(epsilon=1)
        number = given.certificate.entry
        changed = replace(
            table.schema,
            columns={
                "ward": dp.category(["B", "A"]),
                "stay": dp.number(0, 40),
                "age": dp.text(),
                "admitted": dp.date(),
            },
            max_rows=9,
            max_groups=None,
            max_rows_per_group=2,
        )
        ledger.set_details("visits", changed.to_data(), why="other columns")
        again = paid_answer(number, changed, ledger)
        assert again.to_dict() == given.to_dict()
        assert again.certificate == given.certificate
        assert again.notes == given.notes


def test_declarations_are_read_as_they_were_written(visits: Opened) -> None:
    schema = visits().schema
    odd = {
        "a": dp.number(0, "0.5", default="0.25"),
        "b": dp.integer(-5, 5, default=1),
        "c": dp.date("2020-01-01", "2021-01-01", default="2020-06-01"),
        "d": dp.number(),
        "e": dp.category([3, 1, 2]),
        "f": dp.boolean(),
        "g": dp.text(),
        "h": dp.category([str(place) for place in range(300)]),
    }
    partner = PartnerTable(columns=odd, unit="id", max_rows=2)
    then = replace(schema, columns=odd, private={"others": partner}, max_rows_per_group=3)
    data = json.loads(json.dumps(then.to_data()))
    now = replace(schema, columns={"h": odd["h"]}, private={"others": partner})
    assert schema_from_data(data, now) == then
    with pytest.raises(dp.BoundsError):
        schema_from_data(data, schema)  # 300 values of which only a digest is kept


def test_what_the_ledger_does_not_know_is_refused(visits: Opened, tmp_path: Path) -> None:
    wards = [f"W{place}" for place in range(300)]
    with Ledger(tmp_path / "visits.ledger") as ledger:
        columns = {"ward": dp.category(wards), "stay": dp.number(0, 20)}
        table = visits(ledger=ledger, columns=columns)
        given = table.group_by("ward").agg(n=dp.rows()).release(epsilon=1)
        number = given.certificate.entry
        assert table.paid(number).to_dict() == given.to_dict()
        changed = replace(table.schema, columns={"ward": dp.category(wards[:299])})
        with pytest.raises(DataError, match="means something else by now"):
            paid_answer(number, changed, ledger)


def test_a_kept_question_that_somebody_changed_is_refused(visits: Opened) -> None:
    table = visits()
    plan = table.agg(n=dp.rows()).plan(epsilon=1)
    other = table.agg(n=dp.people()).plan(epsilon=1)
    charge = table.ledger.charge("visits", event=plan.price.event, question=plan.text)
    kept = NoisyMeasurements(((42,),), certificate={"table": "visits"}, asked=other.to_data())
    table.ledger.release(charge, kept.to_bytes(), safe=True)
    with pytest.raises(DataError, match="means something else by now"):
        table.paid(charge.sequence)


@pytest.mark.parametrize(
    "data",
    [
        None,
        "SELECT 1",
        [],
        {"part": "Query", "where": [{"part": "Popen", "args": "ls"}]},
        {"part": "Query", "unknown": 1},
        {"part": "Named"},
        {"part": "Constant", "value": {"fraction": "one"}},
        {"part": "Query", "outputs": [["n", {"part": "Aggregate"}]]},
        {"part": "Query", "front": {"front": "HOUSE"}},
    ],
)
def test_only_what_was_written_is_read(data: object) -> None:
    with pytest.raises(ValueError, match=r"question|one|needed"):
        query_from_data(data)


def test_a_plan_of_anything_else_is_none(visits: Opened) -> None:
    plan: Plan = visits().agg(n=dp.rows()).plan(epsilon=1)
    data, schema = plan.to_data(), plan.question.declared
    assert plan_from_data(data, schema) == plan
    for wrong in (
        {},
        {"query": data["query"]},
        data | {"price": {}},
        data | {"price": data["price"] | {"norm": "L3"}},
        data | {"price": data["price"] | {"parts": [{"measure": 7}]}},
        data | {"query": query_to_data(visits().agg(n=dp.col("x").sum()).query)},
    ):
        assert plan_from_data(wrong, schema) is None


def test_the_answer_is_still_what_the_certificate_states(visits: Opened) -> None:
    table = visits()
    given = table.agg(n=dp.rows()).release(epsilon=1)
    settled = table.ledger.settled(given.certificate.entry)
    assert settled is not None
    stored = table.ledger.stored(settled)
    assert stored is not None
    assert given.certificate.answer == sha256(stored).hexdigest()
