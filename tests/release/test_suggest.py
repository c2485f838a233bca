"""Help with bounds and caps is paid for like any other answer."""

from fractions import Fraction
from itertools import product

import pandas
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.mechanisms.laplace import Laplace
from discreet.release.table import _widened

TRIES = 12
STRAY = int(binom.isf(1e-7, TRIES, 0.05))
"""Noise leads 5% of suggestions astray; more than this of them, once in ten million."""


def people_with(rows_each: int, people: int = 2000) -> pandas.DataFrame:
    rows = [
        (person, 37.0 + visit % 2, visit) for person in range(people) for visit in range(rows_each)
    ]
    return pandas.DataFrame(rows, columns=["patient", "warmth", "visit"])


def opened(frame: pandas.DataFrame, **changes: object) -> dp.Table:
    declared = {
        "name": "clinic",
        "unit": "patient",
        "budget": dp.Budget(epsilon=5),
        "columns": {"warmth": dp.number(), "visit": dp.integer(0, 9), "patients": dp.text()},
        "max_rows": 4,
        "max_groups": 4,
        "ledger": ":memory:",
    } | changes
    frame = frame.assign(patients="x")
    return dp.table(frame, **{name: value for name, value in declared.items() if value is not None})


@pytest.fixture
def silent(monkeypatch):
    """Noise that is always zero."""
    monkeypatch.setattr(Laplace, "release", lambda self, steps, source: steps.open())


@pytest.mark.slow
def test_suggested_bounds_hold_the_values_and_are_close():
    table = opened(people_with(4), budget=dp.Budget(epsilon=TRIES))
    found = [table.suggest_bounds("warmth", epsilon=1) for _ in range(TRIES)]
    # Noise widens them by a power of two now and then.
    near = [0 <= bounds.low <= 32 and 64 <= bounds.high <= 4096 for bounds in found]
    assert near.count(False) <= STRAY
    for bounds in found:
        assert f"warmth = {{ low = {bounds.low:g}, high = {bounds.high:g} }}" in str(bounds)
    assert table.budget.spent.epsilon == TRIES


@pytest.mark.usefixtures("silent")
def test_without_noise_the_bounds_are_the_powers_of_two_around_the_values():
    bounds = opened(people_with(4)).suggest_bounds("warmth", epsilon=1)
    assert (bounds.low, bounds.high) == (32, 64)


@pytest.mark.usefixtures("silent")
def test_suggested_bounds_need_no_cap_on_rows():
    table = opened(people_with(4), max_rows=None)
    assert table.suggest_bounds("warmth", epsilon=1).high == 64


@pytest.mark.usefixtures("silent")
def test_bounds_are_suggested_where_the_unit_is_the_row():
    table = opened(people_with(4), unit="row", max_rows=None, max_groups=None)
    assert table.suggest_bounds("warmth", epsilon=1).high == 64
    assert table.budget.spent.epsilon == 1


def test_suggested_bounds_hold_every_bin_that_is_twice_as_full_as_the_noise_reaches():
    """For all tallies of five bins and all noise within its reach: what the proof says."""
    reach, usual = 2, 1
    for truth in product((0, 1, 5), repeat=5):
        for noise in product((-reach, 0, reach), repeat=5):
            noisy = [a + b for a, b in zip(truth, noise, strict=True)]
            standing = [place for place, count in enumerate(noisy) if count - reach > 0]
            if not standing:
                assert max(truth) <= 2 * reach
                continue
            assert truth[standing[0]] > 0
            assert truth[standing[-1]] > 0
            first, last = _widened(standing[0], standing[-1], noisy, usual)
            full = [place for place, count in enumerate(truth) if count > 2 * reach]
            assert all(first <= place <= last for place in full)


@pytest.mark.slow
@pytest.mark.parametrize("ask", [lambda table: table.suggest_bounds("warmth", epsilon="0.1")])
def test_too_few_people_give_no_suggestion_and_the_charge_stays(ask):
    table, refusals = opened(people_with(1, people=3)), []
    for _ in range(TRIES):
        try:
            ask(table)
        except dp.QueryError as refusal:
            refusals.append(str(refusal))
    assert len(refusals) >= TRIES - STRAY
    assert all("stands out" in text for text in refusals)
    assert table.budget.spent.epsilon == TRIES * Fraction(1, 10)


def test_bounds_of_what_has_none_are_refused_before_anything_is_spent():
    table = opened(people_with(1))
    for column in ("patients", "heat"):
        with pytest.raises(dp.QueryError):
            table.suggest_bounds(column, epsilon=1)
    assert table.budget.charges == 0
