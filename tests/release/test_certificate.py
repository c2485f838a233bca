"""A certificate is read strictly, and agrees with the ledger only if nothing in it was changed."""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.accounting.filters import Totals
from discreet.errors import DataError
from discreet.ledger import Ledger
from discreet.privacy.losses import Budget
from discreet.question.builder import col, people, rows
from discreet.release.certificate import (
    Certificate,
    check_certificate,
    unchecked_fields,
)
from discreet.release.kept_answer import NoisyMeasurements
from discreet.release.release import Release
from discreet.release.table import Table
from tests.release.released import HOSTILE, visits

FORGED: dict[str, Callable[[Any], Any]] = {
    "table": lambda value: value + "s",
    "question": lambda value: value + " WHERE (stay > 1)",
    "unit": lambda value: value + "s",
    "neighbors": lambda value: "replace" if value == "add-remove" else "add-remove",
    "max_groups": lambda value: (value or 0) + 1,
    "max_rows": lambda value: (value or 0) + 1,
    "max_rows_per_group": lambda value: (value or 0) + 1,
    "mechanisms": lambda value: [{**value[0], "mechanism": "Laplace(scale=1000)"}, *value[1:]],
    "epsilon": lambda value: f"{value}1",
    "delta": lambda _: "1e-9",
    "analyst": lambda value: value + "s",
    "ledger": lambda value: value + "s",
    "durable": lambda value: not value,
    "entry": lambda value: value + 1,
    "hash": lambda _: "0" * 64,
    "time": lambda _: "2020-01-01T00:00:00Z",
    "answer": lambda _: "0" * 64,
    "versions": lambda value: {**value, "discreet": "0.0.1"},
    "suspensions": lambda value: value + 1,
    "rho": lambda _: "0.5",
    "promise": lambda _: "ε = 0.001",
    "written": lambda value: f"{value or 'SELECT COUNT(*) AS n FROM visits'} --",
    "lowered": lambda value: {**(value or {}), "max_rows": 1},
    "at_most_rows": lambda value: (value or 0) + 7,
    "at_most_groups": lambda value: (value or 0) + 7,
    "bounds": lambda value: {**(value or {}), "stay": "0 to 61"},
    "profile": lambda value: (value or 0) + 1,
    "groups": lambda _: [
        {"step": "finding the groups", "mechanism": "None", "epsilon": "0", "delta": "0"}
    ],
    "account": lambda value: {**value, "spent": {**value["spent"], "epsilon": "1/1000"}},
}
"""Of every field another value, which can be read."""


@pytest.fixture(scope="module")
def opened() -> Iterator[Table]:
    with visits(unit="patient", max_groups=2, max_rows=5) as table:
        yield table


@pytest.fixture(scope="module")
def answer(opened: Table) -> Release:
    asked = opened.where(col("stay") > 2).group_by("ward").agg(n=people(), m=col("stay").mean())
    return asked.release(epsilon="1/7", analyst="ada")


@pytest.fixture(scope="module")
def certificate(answer: Release) -> Certificate:
    return answer.certificate


class TestRowsInAGroup:
    def test_it_is_stated_only_where_it_is_declared(self, certificate: Certificate) -> None:
        assert "max_rows_per_group" not in certificate.to_data()
        with visits(unit="patient", max_groups=2, max_rows=5, max_rows_per_group=3) as table:
            stated = table.agg(n=rows()).release(epsilon=1).certificate
            assert stated.to_data()["max_rows_per_group"] == 3
            assert Certificate.read(stated.to_json()) == stated
            assert "counts for at most 5 rows in 2 groups, 3 rows in one group" in stated.text
            assert check_certificate(stated, table.ledger) == []
            left_out = replace(stated, max_rows_per_group=None)
            assert any(
                "max_rows_per_group" in one for one in check_certificate(left_out, table.ledger)
            )

    def test_one_that_was_not_declared_is_noticed(
        self, certificate: Certificate, opened: Table
    ) -> None:
        forged = replace(certificate, max_rows_per_group=1)
        assert any("max_rows_per_group" in one for one in check_certificate(forged, opened.ledger))


class TestReading:
    def test_what_was_written_is_read(self, certificate: Certificate) -> None:
        assert Certificate.from_data(certificate.to_data()) == certificate
        assert Certificate.read(certificate.to_json()) == certificate

    def test_what_no_reader_could_see_is_written_by_its_number(
        self, certificate: Certificate
    ) -> None:
        hidden = "\u202egra \x9b2J\x1b\x00 \u2028 \U000e0041 \ud800 é 病 '\n"
        strange = replace(certificate, question=hidden)
        text = strange.to_json()
        assert all(letter.isprintable() for letter in text.replace("\n", ""))
        assert "é 病" in text
        assert Certificate.read(text) == strange

    def test_it_names_what_read_the_rows(self, answer: Release) -> None:
        from importlib.metadata import version

        found = answer.certificate.versions
        assert found == {name: version(name) for name in ("discreet", "numpy", "duckdb")}

    def test_it_is_found_in_a_saved_answer(self, answer: Release, tmp_path: Path) -> None:
        answer.save(tmp_path / "answer.json")
        assert Certificate.load(tmp_path / "answer.json") == answer.certificate

    def test_it_is_found_in_a_page(self, answer: Release) -> None:
        from html import unescape

        inside = answer.report().partition("<pre>")[2].partition("</pre>")[0]
        assert Certificate.read(unescape(inside)) == answer.certificate

    @pytest.mark.parametrize(
        ("change", "fact"),
        [
            ({"more": 1}, "an unknown field, 'more'"),
            ({"certificate": 2}, "not a certificate of version 1"),
            ({"entry": "2"}, "'entry'"),
            ({"entry": True}, "'entry'"),
            ({"entry": 0}, "'entry'"),
            ({"hash": "ab"}, "'hash'"),
            ({"hash": "G" * 64}, "'hash'"),
            ({"durable": 1}, "'durable'"),
            ({"epsilon": 1.0}, "'epsilon'"),
            ({"epsilon": "-1"}, "'epsilon'"),
            ({"epsilon": "1/0"}, "'epsilon'"),
            ({"epsilon": "nan"}, "'epsilon'"),
            ({"delta": "1..2"}, "'delta'"),
            ({"neighbors": "none"}, "'neighbors'"),
            ({"max_rows": -1}, "'max_rows'"),
            ({"mechanisms": [{"output": "n"}]}, "'mechanisms'"),
            ({"mechanisms": {}}, "'mechanisms'"),
            ({"versions": {"numpy": 2}}, "'versions'"),
            ({"table": None}, "'table'"),
            ({"max_rows": "\ud800"}, "'max_rows'"),
            ({"versions": "\ud800"}, "'versions'"),
            ({"account": {}}, "'account'"),
            ({"account": {"budget": {}, "spent": {}}}, "'account'"),
            ({"groups": [{"step": "finding the groups"}]}, "'groups'"),
            ({"lowered": {"max_rows": 0}}, "'lowered'"),
            ({"profile": 0}, "'profile'"),
        ],
    )
    def test_anything_else_is_refused(
        self, certificate: Certificate, change: dict[str, Any], fact: str
    ) -> None:
        with pytest.raises(DataError, match=f"{fact}.*meaning is certain"):
            Certificate.from_data(certificate.to_data() | change)

    def test_a_missing_field_is_refused(self, certificate: Certificate) -> None:
        data = certificate.to_data()
        del data["answer"]
        with pytest.raises(DataError, match="a missing field, 'answer'"):
            Certificate.from_data(data)

    @pytest.mark.parametrize("text", ["", "[]", "1", "{}", '{"certificate": 1, "certificate": 1}'])
    def test_other_texts_are_refused(self, text: str) -> None:
        with pytest.raises(DataError, match="the certificate cannot be read"):
            Certificate.read(text)

    def test_other_bytes_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x.json").write_bytes(b"\xff\xfe")
        with pytest.raises(DataError, match="not text in UTF-8"):
            Certificate.load(tmp_path / "x.json")


class TestText:
    def test_it_says_what_was_done(self, certificate: Certificate) -> None:
        text = certificate.text
        assert str(certificate) == text
        assert "A patient counts for at most 5 rows in 2 groups\n" in text
        assert "ε = 1/7\n" in text
        assert certificate.hash in text
        assert "ada, 20" in text
        assert "in memory: nobody else can check this" in text

    def test_html_and_terminal_show_it_as_text(self, certificate: Certificate) -> None:
        hostile = replace(certificate, analyst="<script>\x1b[2J")
        assert "<script" not in hostile._repr_html_()
        assert "\x1b" not in hostile.text + hostile._repr_html_()

    def test_a_rounded_price_is_marked(self, certificate: Certificate) -> None:
        assert (
            replace(certificate, epsilon="≈0.1234", delta="≈1e-9").price == "ε ≈ 0.1234, δ ≈ 1e-9"
        )


class TestChecking:
    def test_a_genuine_one_has_no_problems(self, opened: Table, certificate: Certificate) -> None:
        assert check_certificate(certificate, opened.ledger) == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("hash", "0" * 64),
            ("answer", "0" * 64),
            ("table", "other"),
            ("analyst", "bob"),
            ("time", "2020-01-01T00:00:00Z"),
            ("question", "n = rows()"),
            ("epsilon", "1/70"),
            ("epsilon", "0.142857"),
            ("delta", "1e-9"),
            ("unit", "row"),
            ("neighbors", "replace"),
            ("max_groups", 1),
            ("max_rows", None),
        ],
    )
    def test_each_changed_statement_is_one_problem(
        self, opened: Table, certificate: Certificate, name: str, value: object
    ) -> None:
        (problem,) = check_certificate(replace(certificate, **{name: value}), opened.ledger)  # type: ignore[arg-type]
        named = {"epsilon": "ε", "delta": "δ", "answer": "digest of the answer"}
        assert problem.startswith(f"the {named.get(name, name)} is ")

    @pytest.mark.parametrize("name", [field.name for field in fields(Certificate)])
    def test_no_field_can_be_forged(
        self, opened: Table, certificate: Certificate, name: str
    ) -> None:
        """Every field there is: one that is added and not checked fails here."""
        changed = {**certificate.to_data(), name: FORGED[name](getattr(certificate, name))}
        forged = Certificate.from_data(changed)
        assert forged != certificate
        assert len(check_certificate(forged, opened.ledger)) == 1
        assert unchecked_fields(forged, opened.ledger) == []

    @pytest.mark.parametrize("price", [{"rho": 0.01}, {"epsilon": 1, "delta": 1e-6}])
    def test_what_was_paid_in_rho_is_checked(self, price: dict[str, Any]) -> None:
        with visits(unit="patient", max_groups=40, max_rows=40) as table:
            asked = table.group_by(col("age").bins(list(range(0, 121, 3)))).agg(n=people())
            stated = asked.release(**price).certificate
            assert stated.epsilon is None
            assert stated.delta == "0"
            assert (stated.promise is None) == ("rho" in price)
            assert check_certificate(stated, table.ledger) == []
            assert Certificate.read(stated.to_json()) == stated
            for name, forged in {"rho": "≈0.001", "epsilon": "1", "promise": "ε = 0.1"}.items():
                (problem, *_) = check_certificate(replace(stated, **{name: forged}), table.ledger)
                assert "in the certificate and" in problem

    def test_a_long_question_is_checked_to_its_end(self) -> None:
        with visits() as table:
            long = [col("stay") > place / 8 for place in range(40)]
            certificate = table.where(*long).agg(n=rows()).release(epsilon=1).certificate
            assert check_certificate(certificate, table.ledger) == []
            changed = replace(certificate, question=certificate.question + " AND (stay > 9)")
            (problem,) = check_certificate(changed, table.ledger)
            assert problem.startswith("the question is ")

    @pytest.mark.parametrize("entry", [1, 3, 10**6])
    def test_another_entry_is_not_its_charge(
        self, opened: Table, certificate: Certificate, entry: int
    ) -> None:
        (problem,) = check_certificate(replace(certificate, entry=entry), opened.ledger)
        assert "is not a charge" in problem

    @pytest.mark.parametrize("epsilon", ["1/3", "0.123456789012", 2])
    @pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
    def test_prices_agree_however_long_they_are(self, epsilon: object, neighbors: str) -> None:
        with visits(neighbors=neighbors) as table:
            asked = table.group_by("ward").agg(
                n=rows(), m=col("stay").mean(), q=col("stay").median(), b=col("age").max()
            )
            assert check_certificate(asked.release(epsilon=epsilon).certificate, table.ledger) == []

    def test_an_answer_that_was_repeated_by_its_key_has_one_certificate(self) -> None:
        with visits() as table:
            first, second = (table.agg(n=rows()).release(epsilon=1, key="k") for _ in range(2))
            assert first.certificate == second.certificate
            assert check_certificate(second.certificate, table.ledger) == []

    def test_declarations_are_those_of_its_time(self, tmp_path: Path) -> None:
        with visits(ledger=str(tmp_path / "ledger")) as table:
            before = table.agg(n=rows()).release(epsilon=1).certificate
            details = table.schema.to_data() | {"unit": "patient", "max_groups": 1, "max_rows": 1}
            table.ledger.set_details("visits", details, why="one row per patient")
        with Ledger(tmp_path / "ledger", read_only=True) as ledger:
            assert check_certificate(before, ledger) == []
            assert before.durable

    def test_a_lost_answer_was_never_released(
        self, opened: Table, certificate: Certificate
    ) -> None:
        with visits() as table:
            release = table.agg(n=rows()).release(epsilon=1)
            event, question = table.agg(n=rows()).plan(epsilon=1).price.event, "n = rows()"
            charge = table.ledger.charge(
                "visits", event=event, question="?", summary=question, analyst="ada"
            )
            table.ledger.lose(charge)
            entry = table.ledger.entry(charge.sequence)
            assert entry is not None
            claimed = replace(
                release.certificate,
                entry=charge.sequence,
                hash=entry.hash,
                time=entry.time,
                analyst="ada",
                account=table.ledger.account_after(entry),
            )
            (problem,) = check_certificate(claimed, table.ledger)
            assert "not there in the ledger" in problem


class TestWhatWasPaid:
    """The parts are the price, and what is left is of the moment of the answer."""

    @pytest.mark.parametrize(
        ("sql", "price", "steps"),
        [
            ("SELECT COUNT(*) AS n, AVG(stay) AS m FROM visits", {"epsilon": "1/3"}, 0),
            (
                "SELECT ward, COUNT(*) AS n, AVG(stay) AS m FROM visits GROUP BY ward",
                {"epsilon": "0.3", "delta": "1e-6"},
                1,
            ),
            (
                "SELECT ward, COUNT(DISTINCT patient) AS n FROM visits GROUP BY ward",
                {"epsilon": "0.3", "delta": "1e-6"},
                1,
            ),
            (
                "SELECT age, COUNT(DISTINCT patient) AS n, MEDIAN(stay) AS m FROM visits "
                "GROUP BY age ORDER BY n DESC LIMIT 2",
                {"epsilon": "0.3"},
                1,
            ),
            (
                "SELECT age, COUNT(*) AS n FROM visits GROUP BY CUBE (age)",
                {"epsilon": 1, "delta": "1e-6"},
                0,
            ),
            (
                "SELECT ward, COUNT(*) AS n, MEDIAN(stay) AS m FROM visits GROUP BY ward",
                {"rho": "0.01", "delta": "1e-6"},
                1,
            ),
        ],
    )
    def test_the_parts_are_the_whole_price(
        self, sql: str, price: dict[str, Any], steps: int
    ) -> None:
        with visits(HOSTILE, unit="patient", max_groups=2, max_rows=5) as table:
            stated = table.sql(sql, **price).certificate
            charged = table.ledger.entry(stated.entry)
            assert charged is not None
            cost = Totals.from_data(charged.data["cost"])
            assert len(stated.groups or ()) == steps
            parts = [*stated.mechanisms, *(stated.groups or ())]
            in_rho = cost.epsilon is None
            whole = cost.rho if in_rho else cost.epsilon
            found = [one["rho" if in_rho else "epsilon"] for one in parts]
            assert sum(map(Fraction, found)) == pytest.approx(whole, rel=0 if not in_rho else 1e-4)
            assert sum(Fraction(one["delta"]) for one in stated.groups or ()) == cost.delta
            assert check_certificate(stated, table.ledger) == []
            assert Certificate.read(stated.to_json()) == stated

    def test_the_balance_is_that_right_after_the_charge(self) -> None:
        with visits(budget=Budget(epsilon=20)) as table:
            asked = table.agg(n=rows())
            first, second = (asked.release(epsilon="1/2", key=key) for key in "ab")
            table.ledger.set_budget("visits", Budget(epsilon=15), why="fewer questions")
            asked.release(epsilon=3)
            again = asked.release(epsilon="1/2", key="a")
            later = asked.release(epsilon="1/2").certificate
            assert "budget     ε = 15, δ = 0" in later.text
            shown = table.paid(first.certificate.entry)
            for one in (first, again, shown):
                assert "budget     ε = 20, δ = 0" in one.certificate.text
                assert "spent      ε = 0.5, with this answer" in one.certificate.text
                assert "left       ε = 19.5 (97%), after this answer" in one.certificate.text
                assert check_certificate(one.certificate, table.ledger) == []
            assert "spent      ε = 1, with this answer" in second.certificate.text
            later = replace(first.certificate, account=second.certificate.account)
            (problem,) = check_certificate(later, table.ledger)
            assert problem.startswith("the account is ")

    def test_a_budget_of_a_month_is_stated_with_what_this_month_spent(self) -> None:
        with visits(budget=Budget(epsilon=2), period="month") as table:
            stated = table.agg(n=rows()).release(epsilon="1/2").certificate
            assert "budget     ε = 2, δ = 0 per month" in stated.text
            assert "left       ε = 1.5 (75%), after this answer" in stated.text

    def test_declarations_stand_beside_the_sql_that_was_typed(self) -> None:
        typed = "SELECT AVG(stay)   AS m\n  FROM visits"
        with visits(
            unit="patient", max_groups=2, max_rows=5, at_most_rows=9, at_most_groups=3
        ) as table:
            table.profile(epsilon=1)
            answer = table.sql(typed, epsilon=1, max_rows=2, key="k")
            stated = answer.certificate
            for line in (
                "as typed   SELECT AVG(stay)   AS m   FROM visits",
                "question   m = mean(stay) CAPPED BY max_rows = 2",
                "protects   each patient, with all its rows. "
                "A patient counts for at most 2 rows in 2 groups",
                "ceilings   at_most_rows 9, at_most_groups 3",
                "bounds     stay 0 to 60",
                "profile    entry 2",
            ):
                assert line in stated.text
            assert stated.written == table.paid(stated.entry).written == typed
            again = table.sql("SELECT AVG(stay) AS m FROM visits", epsilon=1, max_rows=2, key="k")
            assert again.written == typed, "the record is of what was paid"
            assert check_certificate(again.certificate, table.ledger) == []

    def test_what_0_2_0_kept_goes_on_verifying(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stated_then = Certificate.statement
        added = {"written", "lowered", "at_most_rows", "at_most_groups", "bounds", "profile"}
        added |= {"groups", "account"}

        def statement(self: Certificate) -> dict[str, Any]:
            return {name: one for name, one in stated_then(self).items() if name not in added}

        with visits(HOSTILE, unit="patient", max_groups=2, max_rows=5, at_most_rows=9) as table:
            asked = table.group_by("ward").agg(n=rows(), m=col("stay").mean())
            with monkeypatch.context() as then:
                then.setattr(Certificate, "statement", statement)
                asked.release(epsilon=1, delta="1e-6", key="k")
            again = asked.release(epsilon=1, delta="1e-6", key="k")
            assert not added & set(again.certificate.to_data())
            assert check_certificate(again.certificate, table.ledger) == []
            assert unchecked_fields(again.certificate, table.ledger) == []
            assert "What was paid, and for what" in again.report()
            forged = replace(again.certificate, at_most_rows=8)
            assert len(check_certificate(forged, table.ledger)) == 1


class TestOlderReleases:
    """What version 0.1.0 kept with an answer: the same without a certificate."""

    @pytest.fixture
    def older(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[tuple[Table, Certificate]]:
        written = NoisyMeasurements.to_bytes
        with visits(ledger=str(tmp_path / "ledger")) as table, monkeypatch.context() as before:
            before.setattr(
                NoisyMeasurements, "to_bytes", lambda self: written(replace(self, certificate=None))
            )
            asked = table.group_by("ward").agg(n=rows())
            released = asked.release(epsilon=1, key="k").certificate
            before.undo()
            stored = [one for one in table.ledger.history() if one.kind == "released"]
            assert b"certificate" not in (table.ledger.stored(stored[0]) or b"certificate")
            yield table, released

    def test_they_verify_as_far_as_the_ledger_shows_them(
        self, older: tuple[Table, Certificate]
    ) -> None:
        table, certificate = older
        assert check_certificate(certificate, table.ledger) == []
        missing = ["mechanisms", "ledger", "durable", "versions"]
        assert unchecked_fields(certificate, table.ledger) == missing
        stated_where_there_is_something = ["promise", "written", "lowered", "bounds"]
        stated_where_there_is_something += ["profile", "groups"]
        for name in [field.name for field in fields(Certificate)]:
            changed = {**certificate.to_data(), name: FORGED[name](getattr(certificate, name))}
            forged = Certificate.from_data(changed)
            unchecked = name in unchecked_fields(forged, table.ledger)
            assert unchecked == (name in [*missing, *stated_where_there_is_something])
            assert bool(check_certificate(forged, table.ledger)) == (not unchecked), name

    def test_a_retry_of_one_gets_its_answer(self, older: tuple[Table, Certificate]) -> None:
        table, certificate = older
        again = table.group_by("ward").agg(n=rows()).release(epsilon=1, key="k")
        assert again.certificate == certificate


def test_a_retry_states_what_was_true_when_it_was_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version repeats the answer; it did not make it."""
    with visits(ledger=str(tmp_path / "ledger")) as table:
        first = table.agg(n=rows()).release(epsilon=1, key="k").certificate
        monkeypatch.setattr("discreet.release.table._versions", lambda: (("discreet", "9.9"),))
        again = table.agg(n=rows()).release(epsilon=1, key="k").certificate
        other = table.agg(n=rows()).release(epsilon=1, key="l").certificate
        assert again == first
        assert other.versions["discreet"] == "9.9"
        assert (
            check_certificate(again, table.ledger) == check_certificate(other, table.ledger) == []
        )


def test_it_is_plain_data(certificate: Certificate) -> None:
    assert json.loads(certificate.to_json()) == certificate.to_data()
