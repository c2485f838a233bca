"""What every ledger promises, whatever it is kept in."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from hashlib import sha256

import pytest

from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    BudgetExhaustedError,
    DataError,
    DeclarationError,
    KeyReusedError,
    LedgerError,
    PrivacyParameterError,
    UnsafeRandomnessError,
)
from discreet.ledger import BudgetScope, Charge, Ledger
from discreet.noise import UnsafeSeededBits
from discreet.privacy.events import ApproximateEvent, ConcentratedEvent, GaussianEvent, PureEvent
from discreet.privacy.losses import Budget

TENTH = PureEvent(epsilon="0.1")
HALF = PureEvent(epsilon="0.5")
ONE = Budget(epsilon=1)


def declared(ledger: Ledger, budget: Budget = ONE, **options: object) -> Ledger:
    ledger.declare("visits", neighbors="add-remove", budget=budget, **options)  # type: ignore[arg-type]
    return ledger


def ask(ledger: Ledger, event: object = TENTH, question: str = "q", **options: object) -> Charge:
    options.setdefault("analyst", "ann")
    return ledger.charge("visits", event=event, question=question, **options)  # type: ignore[arg-type]


def kinds(ledger: Ledger) -> list[str]:
    return [entry.kind for entry in ledger.history()]


class TestCharging:
    def test_a_tenth_ten_times_is_exactly_one_and_no_more(self, ledger: Ledger) -> None:
        declared(ledger)
        for _ in range(10):
            ask(ledger)
        assert ledger.balance("visits").spent.epsilon == 1
        with pytest.raises(BudgetExhaustedError, match=r"ε = 0\.1, and nothing is left"):
            ask(ledger)
        assert len(kinds(ledger)) == 11

    def test_a_charge_is_seen_by_another_connection_at_once(self, durable_place: str) -> None:
        with Ledger(durable_place) as first, Ledger(durable_place) as second:
            declared(first)
            ask(first)
            assert second.balance("visits").spent.epsilon == Fraction(1, 10)
            ask(second)
            assert first.balance("visits").spent.epsilon == Fraction(2, 10)
            ask(first)
            assert second.balance("visits").left == "ε = 0.7"
            assert second.verify().sound

    def test_a_ledger_is_the_same_when_it_is_opened_again(self, durable_place: str) -> None:
        with Ledger(durable_place) as ledger:
            declared(ledger)
            ledger.release(ask(ledger, key="k"), b"42", safe=True)
            lines = list(ledger.export())
        with Ledger(durable_place) as again:
            declared(again)
            assert list(again.export()) == lines
            assert ask(again, key="k").answer == b"42"

    def test_a_refused_question_leaves_no_trace(self, ledger: Ledger) -> None:
        declared(ledger)
        before = list(ledger.export())
        with pytest.raises(BudgetExhaustedError):
            ask(ledger, PureEvent(epsilon=2))
        assert list(ledger.export()) == before

    def test_an_undeclared_data_set_cannot_be_asked(self, ledger: Ledger) -> None:
        with pytest.raises(DeclarationError, match="'visits' is not declared"):
            ask(ledger)

    def test_what_is_not_an_event_is_refused(self, ledger: Ledger) -> None:
        declared(ledger)
        with pytest.raises(PrivacyParameterError, match="keeps events"):
            ask(ledger, 0.1)

    @pytest.mark.parametrize("name", ["", " visits", "a\nb", "\x1b[31m", "x" * 201, 7])
    def test_a_name_that_cannot_be_read_back_is_refused(self, ledger: Ledger, name: object) -> None:
        with pytest.raises(DataError):
            ledger.declare(name, neighbors="replace", budget=ONE)  # type: ignore[arg-type]
        declared(ledger)
        with pytest.raises(DataError):
            ask(ledger, analyst=name)
        with pytest.raises(DataError):
            ask(ledger, key=name)

    def test_one_name_with_accents_typed_in_two_ways_is_one_data_set(self, ledger: Ledger) -> None:
        ledger.declare("caf\u00e9", neighbors="add-remove", budget=ONE)
        ledger.charge("cafe\u0301", event=HALF, question="q", analyst="ann")
        assert ledger.balance("cafe\u0301").spent.epsilon == Fraction(1, 2)
        assert len(list(ledger.history("cafe\u0301"))) == 2

    def test_every_entry_can_be_checked_by_anyone_with_a_json_parser(self, ledger: Ledger) -> None:
        declared(ledger, details={"unit": "patient_id", "columns": ["käse", "b"]})
        ledger.release(ask(ledger, summary="how many\n patients?"), b"42", safe=True)
        previous = "0" * 64
        for line in ledger.export():
            entry = json.loads(line)
            stated = entry.pop("hash")
            assert entry["previous"] == previous
            text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            assert sha256(text.encode()).hexdigest() == stated
            previous = stated


class TestFilters:
    def test_gaussian_questions_go_on_where_the_sum_of_epsilon_would_stop(
        self, ledger: Ledger
    ) -> None:
        declared(ledger, Budget(epsilon=1, delta=1e-6))
        for _ in range(10):
            ask(ledger, GaussianEvent.of(sigma=50))
        assert ledger.balance("visits").spent.epsilon is None
        with pytest.raises(BudgetExhaustedError, match=r"costs ρ = .*, and ρ ≈ .* is left"):
            ask(ledger, GaussianEvent.of(sigma=3))

    def test_small_pure_questions_are_counted_by_the_better_filter(self, ledger: Ledger) -> None:
        declared(ledger, Budget(epsilon=1, delta=1e-6))
        for _ in range(60):
            ask(ledger, PureEvent(epsilon="0.02"))
        assert ledger.balance("visits").spent.epsilon == Fraction(6, 5)
        assert ledger.verify().sound

    def test_only_the_first_part_of_delta_is_for_questions(self, ledger: Ledger) -> None:
        declared(ledger, Budget(epsilon=1, delta=1e-6))
        ask(ledger, ApproximateEvent(epsilon="1/100", delta="5e-7"))
        with pytest.raises(BudgetExhaustedError):
            ask(ledger, ApproximateEvent(epsilon="1/100", delta="1e-9"))

    def test_concentrated_questions_need_a_delta(self, ledger: Ledger) -> None:
        declared(ledger)
        with pytest.raises(BudgetExhaustedError):
            ask(ledger, ConcentratedEvent(rho="1/1000000"))


class TestAnalysts:
    def test_the_cap_of_the_data_set_binds_whoever_asks(self, ledger: Ledger) -> None:
        declared(ledger)
        ask(ledger, HALF, analyst="ann")
        ask(ledger, HALF, analyst="bob")
        with pytest.raises(BudgetExhaustedError, match="data set 'visits'"):
            ask(ledger, analyst="eve")

    def test_each_analyst_has_a_cap_too(self, ledger: Ledger) -> None:
        declared(ledger, Budget(epsilon=10), analyst_budget=Budget(epsilon="0.5"))
        ask(ledger, HALF, analyst="ann")
        with pytest.raises(BudgetExhaustedError, match="analyst 'ann'"):
            ask(ledger, analyst="ann")
        ask(ledger, HALF, analyst="bob")
        assert ledger.balance("visits", "ann").left == "nothing"
        assert ledger.balance("visits").left == "ε = 9"

    def test_one_analyst_may_get_another_cap_and_give_it_back(self, ledger: Ledger) -> None:
        declared(ledger, Budget(epsilon=10), analyst_budget=Budget(epsilon="0.5"))
        ledger.set_budget("visits", Budget(epsilon=2), whose="ann", why="senior")
        ask(ledger, ONE_EVENT, analyst="ann")
        ledger.set_budget("visits", None, whose="ann", why="left the team")
        with pytest.raises(BudgetExhaustedError, match="analyst 'ann'"):
            ask(ledger, analyst="ann")
        assert ledger.verify().sound

    def test_the_cap_of_each_analyst_can_be_changed(self, ledger: Ledger) -> None:
        declared(ledger, Budget(epsilon=10))
        ask(ledger, HALF)
        whose = BudgetScope.EACH_ANALYST
        ledger.set_budget("visits", Budget(epsilon="0.5"), whose=whose, why="too many questions")
        with pytest.raises(BudgetExhaustedError, match="analyst 'ann'"):
            ask(ledger)
        ledger.set_budget("visits", None, whose=whose, why="back to one cap")
        ask(ledger)
        assert ledger.verify().sound


ONE_EVENT = PureEvent(epsilon=1)


class TestBudgets:
    def test_a_data_set_that_is_declared_again_as_it_was_is_known(self, ledger: Ledger) -> None:
        for _ in range(2):
            declared(ledger, details={"unit": "row"})
        assert kinds(ledger) == ["dataset"]

    def test_another_declaration_is_refused_with_both_shown(self, ledger: Ledger) -> None:
        declared(ledger, Budget(epsilon=3), details={"unit": "patient_id"})
        with pytest.raises(DeclarationError) as refusal:
            declared(ledger, Budget(epsilon=5), details={"unit": "row", "rows": 10})
        change = "discreet budget set" if ledger.durable else "ledger.set_budget("
        for part in ("ε = 3", "ε = 5", '"patient_id"', '"row"', "rows", change, "table update"):
            assert part in str(refusal.value)
        with pytest.raises(DeclarationError, match="replace"):
            ledger.declare("visits", neighbors="replace", budget=Budget(epsilon=3))
        assert kinds(ledger) == ["dataset"]

    def test_a_change_is_an_entry_and_what_was_spent_stays(self, ledger: Ledger) -> None:
        declared(ledger)
        ask(ledger, HALF)
        ledger.set_budget("visits", Budget(epsilon=2), why="a second survey", who="cleo")
        assert ledger.balance("visits").left == "ε = 1.5"
        change = list(ledger.history())[-1]
        assert (change.kind, change.data["who"], change.data["why"]) == (
            "budget",
            "cleo",
            "a second survey",
        )
        assert change.data["from"]["cap"]["epsilon"] == "1/1"
        assert change.data["to"]["cap"]["epsilon"] == "2/1"

    def test_a_budget_below_what_was_spent_closes_the_data_set(self, ledger: Ledger) -> None:
        declared(ledger)
        ask(ledger, HALF)
        ledger.set_budget("visits", Budget(epsilon="0.2"), why="closed")
        with pytest.raises(BudgetExhaustedError, match="nothing is left"):
            ask(ledger, PureEvent(epsilon="1/1000"))
        assert ledger.verify().sound

    @pytest.mark.parametrize("why", ["", "  ", None])
    def test_a_change_needs_a_reason(self, ledger: Ledger, why: str) -> None:
        declared(ledger)
        with pytest.raises(DataError, match="no reason"):
            ledger.set_budget("visits", Budget(epsilon=2), why=why)

    def test_details_change_by_an_entry_too(self, ledger: Ledger) -> None:
        declared(ledger, details={"max_rows": 10})
        ledger.set_details("visits", {"max_rows": 5}, why="tighter", who="cleo")
        declared(ledger, details={"max_rows": 5})
        assert kinds(ledger) == ["dataset", "details"]
        assert ledger.verify().sound

    def test_an_unknown_data_set_is_refused_with_the_known_ones_shown(self, ledger: Ledger) -> None:
        declared(ledger)
        with pytest.raises(DeclarationError, match="It knows: 'visits'"):
            ledger.set_budget("visit", Budget(epsilon=2), why="a slip")
        with pytest.raises(DeclarationError, match="It knows: 'visits'"):
            ledger.balance("visit")

    @pytest.mark.parametrize("details", [{"rate": 0.5}, {"x": object()}, {1: "a"}, {"x": {1.5}}])
    def test_details_that_are_not_plain_are_refused(self, ledger: Ledger, details: object) -> None:
        with pytest.raises(DataError, match="plain data"):
            declared(ledger, details=details)


HUNDREDTH = ConcentratedEvent(rho="1/100")
TENTH_OF_RHO = Budget(rho="1/10")


class TestBudgetsInRho:
    def test_a_hundredth_ten_times_is_exactly_a_tenth_and_no_more(self, ledger: Ledger) -> None:
        declared(ledger, TENTH_OF_RHO)
        for number in range(10):
            ledger.release(ask(ledger, HUNDREDTH, key=f"k{number}"), b"42", safe=True)
        balance = ledger.balance("visits")
        assert (balance.spent.rho, balance.share_left) == (Fraction(1, 10), 0)
        with pytest.raises(BudgetExhaustedError, match=r"ρ = 1e-09, and nothing is left"):
            ask(ledger, ConcentratedEvent(rho="1e-9"))
        assert ask(ledger, HUNDREDTH, key="k3").answer == b"42"
        assert ledger.verify().sound

    def test_it_is_declared_in_rho_and_opened_again_as_it_was(self, ledger: Ledger) -> None:
        budget = Budget(rho="1/10", delta="1e-6")
        for _ in range(2):
            declared(ledger, budget, analyst_budget=TENTH_OF_RHO)
        (entry,) = ledger.history()
        assert entry.data["to"]["cap"] == {"rho": "1/10", "delta": "1/1000000", "period": None}
        assert entry.data["to"]["analyst_cap"] == {"rho": "1/10", "delta": "0/1", "period": None}
        assert ledger.declaration("visits").cap.budget == budget
        with pytest.raises(DeclarationError, match=r"budget: ρ = 0\.1, δ = 1e-06 there, ε = 1"):
            declared(ledger, analyst_budget=TENTH_OF_RHO)

    def test_every_kind_of_question_is_counted_by_its_rho(self, ledger: Ledger) -> None:
        declared(ledger, Budget(rho="1/10", delta="1e-6"))
        for event in (
            PureEvent(epsilon="0.1"),
            GaussianEvent.of(sigma=10),
            ApproximateEvent(epsilon="0.1", delta="1e-6"),
        ):
            ask(ledger, event)
        assert Fraction("0.0149") < ledger.balance("visits").spent.rho < Fraction("0.015")
        assert ledger.balance("visits").spent_text.startswith("ρ ≈ 0.0149917, δ = 1e-06")
        assert ledger.balance("visits").left == "ρ ≈ 0.0850083, δ = 0"
        with pytest.raises(BudgetExhaustedError, match=r"ρ ≈ .*, δ = 1e-09, and ρ ≈ 0\.085"):
            ask(ledger, ApproximateEvent(epsilon="0.1", delta="1e-9"))
        with pytest.raises(BudgetExhaustedError, match="smaller ε, ρ or δ"):
            ask(ledger, PureEvent(epsilon="0.5"))
        assert ledger.balance("visits").guarantee == (
            "All answers together, for all time, are δ-approximate ρ-zCDP with ρ = 0.1, δ = 1e-06."
        )
        assert ledger.verify().sound

    def test_without_a_delta_a_question_that_needs_one_is_refused(self, ledger: Ledger) -> None:
        declared(ledger, TENTH_OF_RHO)
        with pytest.raises(BudgetExhaustedError, match="however much ρ is left"):
            ask(ledger, ApproximateEvent(epsilon="0.1", delta="1e-9"))
        ask(ledger, HUNDREDTH)
        assert "are ρ-zCDP with ρ = 0.1" in str(ledger.balance("visits").guarantee)

    def test_a_refused_question_leaves_no_trace(self, ledger: Ledger) -> None:
        declared(ledger, TENTH_OF_RHO)
        before = list(ledger.export())
        with pytest.raises(BudgetExhaustedError):
            ask(ledger, ConcentratedEvent(rho=1))
        assert list(ledger.export()) == before

    def test_analysts_have_caps_of_either_kind(self, ledger: Ledger) -> None:
        declared(ledger, Budget(rho=1), analyst_budget=Budget(rho="1/100"))
        ask(ledger, HUNDREDTH, analyst="ann")
        with pytest.raises(BudgetExhaustedError, match="analyst 'ann'"):
            ask(ledger, analyst="ann")
        ledger.set_budget("visits", Budget(epsilon="0.1"), whose="bob", why="pure questions")
        ask(ledger, TENTH, analyst="bob")
        for event in (TENTH, HUNDREDTH):
            with pytest.raises(BudgetExhaustedError, match="analyst 'bob'"):
                ask(ledger, event, analyst="bob")
        ledger.set_budget("visits", None, whose="bob", why="left the team")
        with pytest.raises(BudgetExhaustedError, match="analyst 'bob'"):
            ask(ledger, HUNDREDTH, analyst="bob")
        assert ledger.verify().sound

    def test_a_budget_changes_its_kind_by_an_entry_and_what_was_spent_stays(
        self, ledger: Ledger
    ) -> None:
        declared(ledger)
        ask(ledger, TENTH)
        ledger.set_budget("visits", TENTH_OF_RHO, why="counted in zCDP", who="cleo")
        change = list(ledger.history())[-1].data
        assert change["from"]["cap"]["epsilon"] == "1/1"
        assert change["to"]["cap"] == {"rho": "1/10", "delta": "0/1", "period": None}
        assert ledger.balance("visits").left == "ρ ≈ 0.0950042"
        ask(ledger, HUNDREDTH)
        ledger.set_budget("visits", ONE, why="back again")
        # A question without an ε has no place in a budget without a δ, before or after.
        with pytest.raises(BudgetExhaustedError, match="nothing is left"):
            ask(ledger, TENTH)
        assert ledger.verify().sound

    def test_it_is_exported_and_anchored_like_any_other(self, ledger: Ledger) -> None:
        declared(ledger, TENTH_OF_RHO)
        anchor = ledger.anchor()
        ask(ledger, HUNDREDTH)
        assert ledger.verify(anchor).sound
        assert all('"epsilon":"' not in line for line in ledger.export())

    def test_threads_share_its_cap(self, ledger: Ledger) -> None:
        declared(ledger, TENTH_OF_RHO)
        start = threading.Barrier(4)

        def charge_all(number: int) -> int:
            start.wait()
            paid = 0
            while True:
                try:
                    ask(ledger, ConcentratedEvent(rho="1/200"), analyst=f"thread {number}")
                except BudgetExhaustedError:
                    return paid
                paid += 1

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(charge_all, range(4))) == 20
        assert ledger.balance("visits").spent.rho == Fraction(1, 10)


class TestReleasing:
    def test_the_same_key_and_question_get_the_stored_answer_for_free(self, ledger: Ledger) -> None:
        declared(ledger)
        first = ask(ledger, key="k")
        assert first.answer is None
        ledger.release(first, b"10003", safe=True)
        again = ask(ledger, key="k")
        assert (again.answer, again.sequence) == (b"10003", first.sequence)
        assert ledger.balance("visits").spent.epsilon == Fraction(1, 10)
        assert b"10003".decode() not in repr(again)

    def test_the_same_key_with_another_question_or_price_is_refused(self, ledger: Ledger) -> None:
        declared(ledger)
        ledger.release(ask(ledger, key="k"), b"1", safe=True)
        with pytest.raises(KeyReusedError, match="Use a new key"):
            ask(ledger, key="k", question="another")
        with pytest.raises(KeyReusedError):
            ask(ledger, HALF, key="k")
        assert ledger.balance("visits").spent.epsilon == Fraction(1, 10)

    def test_a_key_is_an_analysts_own(self, ledger: Ledger) -> None:
        declared(ledger)
        ledger.release(ask(ledger, key="k"), b"1", safe=True)
        assert ask(ledger, key="k", question="another", analyst="bob").answer is None

    def test_a_pending_key_gets_no_second_run(self, ledger: Ledger) -> None:
        declared(ledger)
        first = ask(ledger, key="k")
        with pytest.raises(AnswerPendingError, match=f"entry {first.sequence} "):
            ask(ledger, key="k")
        assert kinds(ledger) == ["dataset", "charge"]

    def test_a_lost_key_gets_no_second_run(self, ledger: Ledger) -> None:
        declared(ledger)
        first = ask(ledger, key="k")
        ledger.lose(first, "cancelled")
        with pytest.raises(AnswerLostError, match="new key"):
            ask(ledger, key="k")
        with pytest.raises(AnswerLostError):
            ledger.release(first, b"too late", safe=True)
        assert ledger.balance("visits").spent.epsilon == Fraction(1, 10)
        assert kinds(ledger) == ["dataset", "charge", "lost"]

    def test_a_charge_is_released_once(self, ledger: Ledger) -> None:
        declared(ledger)
        charge = ask(ledger)
        ledger.release(charge, b"1", safe=True)
        with pytest.raises(LedgerError, match="One charge pays for one answer"):
            ledger.release(charge, b"2", safe=True)
        with pytest.raises(LedgerError):
            ledger.lose(charge)

    def test_only_a_charge_can_be_released(self, ledger: Ledger) -> None:
        declared(ledger)
        with pytest.raises(LedgerError, match="is not a charge"):
            ledger.lose(1)
        with pytest.raises(LedgerError, match="is not a charge"):
            ledger.lose(99)

    def test_an_answer_made_with_seeded_bits_is_refused(self, ledger: Ledger) -> None:
        declared(ledger)
        charge = ask(ledger)
        with pytest.raises(UnsafeRandomnessError, match="seeded bits"):
            ledger.release(charge, b"1", safe=UnsafeSeededBits(7).safe)
        assert kinds(ledger) == ["dataset", "charge"]

    def test_a_run_that_fails_is_lost_and_stays_paid(self, ledger: Ledger) -> None:
        declared(ledger)

        def run() -> bytes:
            raise ZeroDivisionError("a row was in here")

        with pytest.raises(ZeroDivisionError):
            ledger.answer(ask(ledger), run, safe=True)
        assert kinds(ledger) == ["dataset", "charge", "lost", "suspended"]
        assert "row" not in "".join(ledger.export()).replace("question", "")
        balance = ledger.balance("visits")
        assert (balance.spent.epsilon, balance.lost, balance.pending) == (Fraction(1, 10), 1, 0)

    def test_the_data_are_not_read_again_for_a_stored_answer(self, ledger: Ledger) -> None:
        declared(ledger)
        runs = []

        def run() -> bytes:
            runs.append(1)
            return b"42"

        for _ in range(3):
            assert ledger.answer(ask(ledger, key="k"), run, safe=True) == b"42"
        assert len(runs) == 1

    def test_a_charge_whose_answer_is_not_kept_settles_itself(self, ledger: Ledger) -> None:
        declared(ledger)
        charge = ask(ledger, keeps_answer=False)
        assert ledger.balance("visits").released == 1
        with pytest.raises(LedgerError):
            ledger.release(charge, b"1", safe=True)
        with pytest.raises(DataError, match="not kept"):
            ask(ledger, keeps_answer=False, key="k")
        assert ledger.verify().sound


class TestConcurrency:
    def test_a_hundred_retries_with_one_key_are_one_charge(self, ledger: Ledger) -> None:
        declared(ledger)
        runs = []

        def retry(_: int) -> bytes:
            charge = ask(ledger, key="k", wait=60)

            def run() -> bytes:
                runs.append(1)
                return b"42"

            return ledger.answer(charge, run, safe=True)

        with ThreadPoolExecutor(25) as pool:
            assert set(pool.map(retry, range(100))) == {b"42"}
        assert len(runs) == 1
        assert kinds(ledger) == ["dataset", "charge", "released"]

    def test_threads_share_a_ledger_and_its_cap(self, ledger: Ledger) -> None:
        declared(ledger)
        start = threading.Barrier(8)

        def charge_all(number: int) -> int:
            start.wait()
            paid = 0
            while True:
                try:
                    ask(ledger, PureEvent(epsilon="1/40"), analyst=f"thread {number}")
                except BudgetExhaustedError:
                    return paid
                paid += 1

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(charge_all, range(8))) == 40
        assert ledger.verify().sound
        assert ledger.balance("visits").spent.epsilon == 1

    def test_many_may_open_a_new_ledger_at_once(self, durable_place: str) -> None:
        def open_and_ask(number: int) -> None:
            with Ledger(durable_place) as own:
                own.release(ask(declared(own), analyst=f"opener {number}"), b"1", safe=True)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(open_and_ask, range(8)))
        with Ledger(durable_place) as ledger:
            assert sorted(kinds(ledger)) == ["charge"] * 8 + ["dataset"] + ["released"] * 8
            assert ledger.verify().sound

    def test_two_threads_declare_a_data_set_once(self, ledger: Ledger) -> None:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: declared(ledger), range(16)))
        assert kinds(ledger) == ["dataset"]


class TestReading:
    def test_history_can_be_of_one_data_set_or_analyst(self, ledger: Ledger) -> None:
        declared(ledger)
        ledger.declare("wards", neighbors="replace", budget=ONE)
        ask(ledger, analyst="ann")
        ask(ledger, analyst="bob")
        ledger.charge("wards", event=TENTH, question="q", analyst="ann")
        assert len(list(ledger.history())) == 5
        assert len(list(ledger.history("visits"))) == 3
        assert len(list(ledger.history("visits", "ann"))) == 1
        assert len(list(ledger.history(analyst="ann"))) == 2
        assert [entry.sequence for entry in ledger.recent(2)] == [4, 5]
        assert [entry.sequence for entry in ledger.recent(2, "visits")] == [3, 4]

    def test_history_reads_across_pages(self, ledger: Ledger, monkeypatch) -> None:  # type: ignore[no-untyped-def]
        monkeypatch.setattr("discreet.ledger.journal._PAGE", 3)
        monkeypatch.setattr("discreet.ledger.verification._PAGE", 3)
        declared(ledger)
        for _ in range(8):
            ask(ledger)
        assert [entry.sequence for entry in ledger.history()] == list(range(1, 10))
        assert ledger.verify().entries == 9

    def test_balances_list_data_sets_and_those_who_asked(self, ledger: Ledger) -> None:
        declared(ledger)
        ledger.declare("wards", neighbors="replace", budget=ONE)
        ask(ledger, analyst="bob")
        ledger.release(ask(ledger, analyst="ann"), b"1", safe=True)
        found = [(each.dataset, each.analyst, each.charges) for each in ledger.balances()]
        assert found == [
            ("visits", None, 2),
            ("visits", "ann", 1),
            ("visits", "bob", 1),
            ("wards", None, 0),
        ]
        assert [each.dataset for each in ledger.balances("wards")] == ["wards"]

    def test_an_empty_ledger_is_sound(self, ledger: Ledger) -> None:
        report = ledger.verify(ledger.anchor())
        assert (report.sound, report.entries) == (True, 0)
        assert list(ledger.balances()) == []

    def test_memory_is_marked(self, ledger: Ledger, place: str) -> None:
        assert ledger.durable == (place != ":memory:")
        assert ("gone when the process ends" in repr(ledger)) == (place == ":memory:")


def test_nothing_can_be_refunded() -> None:
    names = {name for name in dir(Ledger) if not name.startswith("_")}
    assert names == {
        "account_after",
        "answer", "anchor", "asked", "balance", "balances", "budgets", "charge", "check", "close",
        "declaration", "declare",
        "durable", "entry", "export", "history", "is_used", "keyed", "lose", "pending", "place",
        "recent", "release", "released", "resume", "set_budget", "set_details", "settled",
        "standing", "stored", "suspensions", "verify",
    }  # fmt: skip
