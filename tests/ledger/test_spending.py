"""One-off calls, counted by a ledger."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import discreet as dp
from discreet.accounting import Spending, Totals, charge
from discreet.errors import (
    BudgetExhaustedError,
    DeclarationError,
    LedgerError,
    UnsafeRandomnessError,
)
from discreet.ledger import Ledger, spending
from discreet.privacy.events import (
    ApproximateEvent,
    ConcentratedEvent,
    DiscreteLaplaceEvent,
    Event,
    GaussianEvent,
    PureEvent,
    event_from_data,
    loss_event,
)

AGES = [23, 35, 41] * 100
BUDGET = dp.Budget(epsilon=1, delta=1e-6)


def test_a_budget_in_a_ledger_outlives_the_block_and_the_process(tmp_path: Path) -> None:
    place = tmp_path / "ages.ledger"
    for _ in range(2):
        with spending(BUDGET, ledger=place, dataset="ages", analyst="ann") as account:
            dp.count(AGES, epsilon=0.25)
            dp.gaussian(42, sensitivity=1, epsilon=0.2, delta=1e-8)
        assert account.spent.epsilon == Fraction(9, 20)
    with spending(BUDGET, ledger=place, dataset="ages", analyst="bob"):
        with pytest.raises(BudgetExhaustedError, match="data set 'ages'"):
            dp.mean(AGES, bounds=(0, 120), epsilon=0.5)
        dp.count(AGES, epsilon=0.1)
    with Ledger(place) as ledger:
        assert ledger.balance("ages").spent.epsilon == 1
        assert ledger.balance("ages", "bob").spent.epsilon == Fraction(1, 10)
        assert ledger.balance("ages").released == 5
        assert ledger.verify().sound


def test_an_open_ledger_can_be_given_and_stays_open() -> None:
    with Ledger(":memory:") as ledger:
        with spending(BUDGET, ledger=ledger, dataset="ages"):
            dp.count(AGES, epsilon=0.5)
        assert ledger.balance("ages").spent.epsilon == Fraction(1, 2)


def test_another_budget_for_a_known_data_set_is_refused() -> None:
    with Ledger(":memory:") as ledger:
        with spending(BUDGET, ledger=ledger, dataset="ages"):
            pass
        other = dp.Budget(epsilon=2, delta=1e-6)
        with pytest.raises(DeclarationError), spending(other, ledger=ledger, dataset="ages"):
            pass


def test_a_ledger_without_a_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="Name it"), spending(BUDGET, ledger=tmp_path / "x"):
        pass
    assert not (tmp_path / "x").exists()


def test_the_charge_comes_before_the_data() -> None:
    class Untouchable(list[int]):
        def __len__(self) -> int:
            raise AssertionError("the data were read")

        __iter__ = __getitem__ = __array__ = __len__  # type: ignore[assignment]

    with Ledger(":memory:") as ledger, spending(BUDGET, ledger=ledger, dataset="ages"):
        ledger.close()  # gone: a charge cannot be written
        with pytest.raises(LedgerError, match="was closed"):
            dp.count(Untouchable(), epsilon=0.5)


def test_seeded_bits_are_refused_and_nothing_is_spent() -> None:
    seeded = dp.UnsafeSeededBits(7)
    with Ledger(":memory:") as ledger, spending(BUDGET, ledger=ledger, dataset="ages") as account:
        with pytest.raises(UnsafeRandomnessError, match="seeded bits"):
            dp.count(AGES, epsilon=0.5, source=seeded)
        with pytest.raises(UnsafeRandomnessError):
            dp.laplace(42, sensitivity=1, epsilon=0.5, source=seeded)
        assert account.spent.epsilon == 0
        assert ledger.balance("ages").charges == 0
    with spending(BUDGET) as account:  # a rehearsal, without a ledger
        dp.count(AGES, epsilon=0.5, source=seeded)
    assert account.spent.epsilon == Fraction(1, 2)


def test_if_one_of_two_ledgers_would_refuse_neither_is_charged() -> None:
    small = dp.Budget(epsilon="0.5")
    with Ledger(":memory:") as rich, Ledger(":memory:") as poor:
        poor.declare("town", neighbors="add-remove", budget=small)
        poor.charge("town", event=PureEvent(epsilon="0.4"), question="", keeps_answer=False)
        with (
            spending(BUDGET, ledger=rich, dataset="ages") as outer,
            spending(small, ledger=poor, dataset="town") as inner,
        ):
            with pytest.raises(BudgetExhaustedError, match=r"'town'.*Nothing was read or spent"):
                dp.count(AGES, epsilon="0.25")
            with pytest.raises(UnsafeRandomnessError):
                dp.count(AGES, epsilon="0.1", source=dp.UnsafeSeededBits(7))
            assert outer.spent.epsilon == inner.spent.epsilon == 0
            assert rich.balance("ages").charges == 0
            dp.count(AGES, epsilon="0.1")
        assert rich.balance("ages").spent.epsilon == Fraction(1, 10)
        assert poor.balance("town").spent.epsilon == Fraction(1, 2)


def test_a_charge_stays_if_another_process_is_quicker_in_the_next_ledger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Ledger(":memory:") as outer, Ledger(":memory:") as inner:
        check = inner.check

        def checked_and_overtaken(dataset: str, **asked: Any) -> None:
            check(dataset, **asked)
            inner.charge(dataset, event=PureEvent(epsilon=1), question="", keeps_answer=False)

        monkeypatch.setattr(inner, "check", checked_and_overtaken)
        with (
            spending(BUDGET, ledger=outer, dataset="ages") as around,
            spending(BUDGET, ledger=inner, dataset="town") as within,
        ):
            with pytest.raises(BudgetExhaustedError) as refusal:
                dp.count(AGES, epsilon="0.25")
            assert "or spent" not in str(refusal.value)
            assert "charged before this one refused: 1" in str(refusal.value)
            assert around.spent.epsilon == outer.balance("ages").spent.epsilon == Fraction(1, 4)
            assert within.spent.epsilon == 0


def test_a_check_refuses_what_a_charge_would_and_writes_nothing(ledger: Ledger) -> None:
    ledger.declare("ages", neighbors="add-remove", budget=dp.Budget(epsilon=1))
    before = ledger.anchor().entries
    ledger.check("ages", event=PureEvent(epsilon=1))
    with pytest.raises(BudgetExhaustedError):
        ledger.check("ages", event=PureEvent(epsilon="1.1"))
    with pytest.raises(DeclarationError, match="not declared"):
        ledger.check("town", event=PureEvent(epsilon=1))
    assert ledger.anchor().entries == before


# ---------------------------------------------------------------------- one rule


def some_event(draw: Random, budget: dp.Budget) -> Event:
    """A question that costs from a thousandth to a third of the budget."""
    part = Fraction(1, draw.choice([3, 7, 40, 200, 1000]))
    epsilon = budget.epsilon * part * draw.randint(1, 9) / 9
    leak = budget.question_delta * part * draw.randint(0, 3)
    return draw.choice(
        [
            PureEvent(epsilon=epsilon),
            PureEvent(epsilon=epsilon),
            ApproximateEvent(epsilon=epsilon, delta=leak),
            DiscreteLaplaceEvent(scale=3 / epsilon, sensitivity=3),
            GaussianEvent(variance=draw.randint(100, 10**5)),
        ]
    )


def at_the_limit(account: Spending) -> list[Event]:
    """What is just too much by each of the sums, and what just fits."""
    state, tiny = account.odometer, Fraction(1, 10**60)
    return [
        ApproximateEvent(epsilon=0, delta=state.delta_left + tiny),
        ApproximateEvent(epsilon=0, delta=state.delta_left),
        ConcentratedEvent(rho=state.rho_left + tiny),
        ConcentratedEvent(rho=state.rho_left),
        PureEvent(epsilon=(state.epsilon_left or Fraction(0)) + tiny),
        PureEvent(epsilon=state.epsilon_left or Fraction(0)),
    ]


def admitted(call: Callable[..., object], *args: object, **named: object) -> bool:
    try:
        call(*args, **named)
    except BudgetExhaustedError:
        return False
    return True


def plain_sum_admits(budget: dp.Budget, spent: Totals, event: Event) -> bool:
    """The rule that adds ε and δ and nothing else."""
    total = spent + charge(event)
    if total.epsilon is None:
        return False
    return total.epsilon <= budget.epsilon and total.delta <= budget.delta


def decided(seed: int) -> list[tuple[bool, bool, bool]]:
    """What a block, a ledger and the plain sum say to a random run of questions."""
    draw = Random(seed)
    budget = dp.Budget(
        epsilon=draw.choice(["1/2", 1, 10]), delta=draw.choice([0, "1e-9", "1e-6", "1e-3"])
    )
    account, found = Spending(budget), []
    with Ledger(":memory:") as ledger:
        ledger.declare("ages", neighbors="add-remove", budget=budget)

        def ask(event: Event) -> None:
            plain = plain_sum_admits(budget, ledger.balance("ages").spent, event)
            block = admitted(account.charge, event)
            asked = {"event": event, "question": "", "keeps_answer": False}
            found.append((block, admitted(ledger.charge, "ages", **asked), plain))

        for _ in range(40):
            ask(some_event(draw, budget))
        for place in range(6):
            ask(at_the_limit(account)[place])
        assert ledger.balance("ages").spent == account._totals
    return found


@pytest.mark.slow
def test_a_block_admits_exactly_what_a_ledger_does_and_plain_sums_do_not() -> None:
    runs = [decided(seed) for seed in range(40)]
    for run in runs:
        assert [block for block, _, _ in run] == [ledger for _, ledger, _ in run]
        assert {block for block, _, _ in run} == {True, False}  # the run reached the limit
    # The control: the rule that adds up and no more says something else, in both directions.
    others = {(block, plain) for run in runs for block, _, plain in run if block != plain}
    assert others == {(True, False), (False, True)}


def test_a_loss_is_charged_to_a_ledger_as_its_event() -> None:
    loss = dp.ApproximateDP(epsilon="1/4", delta="1e-8")
    with Ledger(":memory:") as ledger, spending(BUDGET, ledger=ledger, dataset="ages") as account:
        account.charge(loss)
        account.charge(DiscreteLaplaceEvent(scale=8, sensitivity=1))
        written = [entry for entry in ledger.history("ages") if entry.kind == "charge"]
        assert [event_from_data(entry.data["event"]) for entry in written] == [
            loss_event(loss),
            DiscreteLaplaceEvent(scale=8, sensitivity=1),
        ]
        assert ledger.balance("ages").spent == account._totals
