"""Budgets that start again with the calendar, and clocks that do not behave."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from discreet.errors import BudgetExhaustedError, PrivacyParameterError
from discreet.ledger import Ledger, Period
from discreet.privacy.events import BoundedRangeEvent, Event, PureEvent
from discreet.privacy.losses import Budget

HALF = PureEvent(epsilon="0.5")


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.set("2026-11-15")

    def set(self, day: str) -> None:
        self.time = f"{day}T12:00:00.000000Z"

    def __call__(self) -> str:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(place: str, clock: Callable[[], str]) -> Iterator[Ledger]:
    with Ledger(place, clock=clock) as ledger:
        yield ledger


def declare(ledger: Ledger, period: str | None) -> None:
    ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1), period=period)


def ask(ledger: Ledger, event: Event = HALF, analyst: str = "ann") -> None:
    ledger.charge("visits", event=event, question="q", analyst=analyst)


def test_a_monthly_budget_starts_again_and_says_so(ledger: Ledger, clock: Clock) -> None:
    declare(ledger, "month")
    ask(ledger)
    ask(ledger)
    with pytest.raises(BudgetExhaustedError, match="until the next month"):
        ask(ledger)
    clock.set("2026-12-01")
    ask(ledger)
    balance = ledger.balance("visits")
    assert (balance.spent.epsilon, balance.lifetime.epsilon) == (HALF.epsilon, 3 * HALF.epsilon)
    assert balance.window == "2026-12"
    assert balance.cap is not None
    assert "The guarantee is per month: over k months" in balance.cap.guarantee
    assert ledger.verify().sound


def test_a_monthly_budget_in_rho_starts_again_too(ledger: Ledger, clock: Clock) -> None:
    quarter = Budget(rho="1/4")
    ledger.declare("visits", neighbors="add-remove", budget=quarter, period="month")
    ask(ledger, BoundedRangeEvent(epsilon=1))
    ask(ledger, BoundedRangeEvent(epsilon=1))
    with pytest.raises(BudgetExhaustedError, match="until the next month"):
        ask(ledger)
    clock.set("2026-12-01")
    ask(ledger, BoundedRangeEvent(epsilon=1))
    balance = ledger.balance("visits")
    assert (balance.spent.rho, balance.lifetime.rho) == (Fraction(1, 8), Fraction(3, 8))
    assert balance.left == "ρ = 0.125"
    assert str(balance.guarantee).startswith(
        "All answers of one month together are ρ-zCDP with ρ = 0.25. The guarantee is per month"
    )
    assert ledger.verify().sound


def test_a_clock_that_is_set_back_opens_no_period_again(ledger: Ledger, clock: Clock) -> None:
    declare(ledger, "month")
    ask(ledger)
    ask(ledger)
    clock.set("2026-12-01")
    ask(ledger)
    clock.set("2026-11-30")
    ask(ledger)
    with pytest.raises(BudgetExhaustedError):
        ask(ledger)
    times = [entry.time for entry in ledger.history()]
    assert times == sorted(times)
    assert ledger.verify().sound


def test_a_budget_that_becomes_periodic_forgets_nothing_of_its_first_period(
    ledger: Ledger, clock: Clock
) -> None:
    declare(ledger, None)
    ask(ledger)
    ledger.set_budget("visits", Budget(epsilon=1), period="year", why="yearly from now on")
    ask(ledger)
    with pytest.raises(BudgetExhaustedError):
        ask(ledger)
    clock.set("2027-01-01")
    ask(ledger)
    assert ledger.verify().sound


def test_a_budget_that_ceases_to_be_periodic_counts_everything(
    ledger: Ledger, clock: Clock
) -> None:
    declare(ledger, "day")
    for day in ("2026-11-15", "2026-11-16", "2026-11-17"):
        clock.set(day)
        ask(ledger)
    ledger.set_budget("visits", Budget(epsilon=2), why="for all time from now on")
    ask(ledger)
    with pytest.raises(BudgetExhaustedError):
        ask(ledger)
    assert ledger.verify().sound


def test_a_longer_period_counts_what_the_shorter_ones_spent(ledger: Ledger, clock: Clock) -> None:
    declare(ledger, "day")
    for day in ("2026-11-15", "2026-11-16"):
        clock.set(day)
        ask(ledger)
    ledger.set_budget("visits", Budget(epsilon=1), period="month", why="monthly")
    with pytest.raises(BudgetExhaustedError):
        ask(ledger)
    clock.set("2026-12-01")
    ask(ledger)
    assert ledger.verify().sound


def test_an_analysts_budget_can_be_periodic_too(ledger: Ledger, clock: Clock) -> None:
    declare(ledger, None)
    ledger.set_budget("visits", Budget(epsilon="0.5"), whose="ann", period="week", why="part-time")
    ask(ledger)
    with pytest.raises(BudgetExhaustedError, match="analyst 'ann'"):
        ask(ledger)
    clock.set("2026-11-16")
    ask(ledger)
    with pytest.raises(BudgetExhaustedError, match="data set 'visits'"):
        ask(ledger, analyst="bob")
    assert ledger.verify().sound


def test_hosts_whose_clocks_differ_agree_on_the_order(durable_place: str) -> None:
    ahead, behind = Clock(), Clock()
    ahead.set("2026-12-01")
    with Ledger(durable_place, clock=ahead) as first, Ledger(durable_place, clock=behind) as second:
        declare(first, "month")
        for host in (second, first):
            ask(host)
        with pytest.raises(BudgetExhaustedError, match="until the next month"):
            ask(second)
        assert {entry.time for entry in second.history()} == {ahead.time}
        assert second.balance("visits").window == "2026-12"
        assert second.verify().sound


def test_an_unknown_period_is_refused(ledger: Ledger) -> None:
    with pytest.raises(PrivacyParameterError, match="day, week, month, quarter, year"):
        declare(ledger, "fortnight")


def test_windows_part_the_calendar() -> None:
    days = ["2026-12-31", "2027-01-01", "2027-01-03", "2027-01-04"]
    windows = {
        period: [period.window(f"{day}T00:00:00.000000Z") for day in days] for period in Period
    }
    assert [len(set(found)) for found in windows.values()] == [4, 2, 2, 2, 2]
    assert windows[Period.WEEK][0] == windows[Period.WEEK][2] == "week of 2026-12-28"
