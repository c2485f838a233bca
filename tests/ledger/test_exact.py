"""Sums in a ledger are exact, or rounded up."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting.filters import Totals
from discreet.errors import BudgetExhaustedError
from discreet.ledger import Ledger
from discreet.ledger.accounts import AccountTotals
from discreet.ledger.entries import Entry, Head, canonical_json
from discreet.privacy.events import GaussianEvent, PureEvent, RepeatedEvent
from discreet.privacy.losses import Budget


def test_a_hundred_thousand_charges_of_1e_17_add_up() -> None:
    total, cost = Totals(), Totals(epsilon=Fraction(1, 10**17))
    for _ in range(100_000):
        total += cost
    assert total.epsilon == Fraction(1, 10**12)
    spent = AccountTotals(lifetime=total)
    assert AccountTotals.from_data(spent.to_data()) == spent


def test_a_million_times_1e_17_in_a_ledger_is_exact_to_the_last() -> None:
    budget = Budget(epsilon=Fraction(10**6, 10**17) + 1)
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=budget)
        for event in (
            RepeatedEvent(event=PureEvent(epsilon="1e-17"), count=10**6 - 1),
            PureEvent(epsilon=1),
            PureEvent(epsilon="1e-17"),
        ):
            ledger.charge("visits", event=event, question="q", analyst="ann")
        assert ledger.balance("visits").spent.epsilon == budget.epsilon
        with pytest.raises(BudgetExhaustedError):
            ledger.charge("visits", event=PureEvent(epsilon="1e-300"), question="q", analyst="ann")


def test_odd_denominators_are_rounded_up_and_stay_short() -> None:
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=10, delta=1e-6))
        exact = Fraction(0)
        for number in range(1, 400):
            event = GaussianEvent(variance=Fraction(1_000_003 + 2 * number, 17))
            ledger.charge("visits", event=event, question="q", analyst="ann")
            exact += 1 / (2 * event.variance)
        rho = ledger.balance("visits").spent.rho
        assert exact <= rho < exact + Fraction(1, 2**1000)
        assert max(len(entry.body) for entry in ledger.history()) < 4_000
        assert ledger.verify().sound


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(body=st.dictionaries(TEXTS, VALUES, max_size=4), analyst=st.none() | TEXTS, dataset=TEXTS)
def test_an_exported_line_is_canonical_json_with_the_hash_in_it(
    body: dict[str, object], analyst: str | None, dataset: str
) -> None:
    import json
    from hashlib import sha256

    entry = Entry.after(
        Head(), time="t", kind="charge", dataset=dataset, body=body, analyst=analyst, charge=7
    )
    line = entry.line()
    data = json.loads(line)
    assert canonical_json(data) == line
    stated = data.pop("hash")
    assert sha256(canonical_json(data).encode()).hexdigest() == stated == entry.computed_hash()
    assert entry.intact
