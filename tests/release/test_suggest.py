"""Help with bounds and caps is paid for like any other answer."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy
import pandas
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.engines.base import SIZES, SizeKind, people_by_size
from discreet.mechanisms.laplace import Laplace
from discreet.question.check import checked_question
from discreet.release.table import _covering, _uncapped, _widened

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


def test_suggested_caps_hold_most_people():
    table = opened(people_with(5))
    caps = table.suggest_caps("visit", epsilon=1)
    assert (caps.max_rows, caps.max_groups, caps.max_rows_per_group) == (8, 8, 1)
    assert caps.lines == "max_groups = 8\nmax_rows = 8\nmax_rows_per_group = 1"
    assert caps.lines in str(caps)
    assert table.budget.spent.epsilon == 1


@pytest.mark.usefixtures("silent")
def test_the_cap_in_a_group_is_that_of_the_group_with_most_rows():
    """Everybody has four rows in one group, and one in another."""
    frame = pandas.concat([people_with(2), *[people_with(1)] * 3])
    caps = opened(frame).suggest_caps("visit", epsilon=1)
    assert (caps.max_rows, caps.max_groups, caps.max_rows_per_group) == (8, 2, 4)


def test_rows_in_no_group_are_not_among_those_of_a_group():
    frame = people_with(2).assign(visit=lambda rows: rows["visit"] * 100)
    assert sizes(frame, SizeKind.ROWS)[1] == sizes(frame, SizeKind.ROWS_IN_A_GROUP)[0] == 2000


def test_suggested_caps_need_no_caps():
    table = opened(people_with(1), max_rows=None, max_groups=None)
    caps = table.suggest_caps(epsilon="0.5")
    assert (caps.max_rows, caps.max_groups, caps.max_rows_per_group) == (1, None, None)
    assert table.budget.spent.epsilon == Fraction(1, 2)


def sizes(frame: pandas.DataFrame, kind: SizeKind) -> numpy.ndarray:
    """The histogram that noise is added to."""
    asking = opened(frame).group_by("visit")
    question = checked_question(
        replace(asking.query, outputs=(("n", dp.people().aggregate),)), _uncapped(asking.table)
    )
    return people_by_size(asking.table.engine(), question, kind).open()


@pytest.mark.parametrize("kind", SizeKind)
def test_a_person_is_in_one_size_and_a_replaced_one_in_two(kind):
    """Every number of rows of a person, beside others that do not change."""
    others = people_with(3, people=4)
    tallies = [sizes(others, kind)]
    for many in range(1, 10):
        own = people_with(many, people=1).assign(patient=99)
        if kind is SizeKind.ROWS_IN_A_GROUP:  # so many in one group, and one in another
            own = pandas.concat([own.assign(visit=2), own.head(1)])
        tallies.append(sizes(pandas.concat([others, own]), kind))
    assert [abs(tally - tallies[0]).sum() for tally in tallies[1:]] == [1] * 9
    apart = [abs(a - b).sum() for a, b in combinations(tallies[1:], 2)]
    assert set(apart) == {0, 2}


@pytest.mark.slow
def test_a_suggested_cap_is_that_of_somebody_and_few_are_beyond():
    """For all tallies of four sizes and all noise within its reach: what the proof says."""
    reach = 1
    for truth in product(range(0, 41, 8), repeat=4):
        for noise in product((-reach, 0, reach), repeat=4):
            noisy = [a + b for a, b in zip(truth, noise, strict=True)]
            standing = [count for count in noisy if count > reach]
            if not standing:
                continue
            place = _covering(noisy, reach).bit_length() - 1
            assert truth[place] > 0
            hidden = sum(count <= reach for count in noisy[place + 1 :])
            seen = len(noisy) - place - 1 - hidden
            allowed = Fraction(sum(standing), 20) + reach * seen + 2 * reach * hidden
            assert sum(truth[place + 1 :]) <= allowed


def test_an_empty_size_stands_out_of_no_histogram(monkeypatch):
    """Noise as large as it gets in 95%: over the sizes of all histograms together."""
    reach = int(Laplace(scale=3).accuracy(0.95, cells=3 * SIZES))

    def release(self, steps, source):
        noisy = steps.open().copy()
        noisy[-1] += reach
        return noisy

    monkeypatch.setattr(Laplace, "release", release)
    caps = opened(people_with(5, people=100)).suggest_caps("visit", epsilon=1)
    assert (caps.max_rows, caps.max_groups) == (8, 8)


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
@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.suggest_bounds("warmth", epsilon="0.1"),
        lambda table: table.suggest_caps(epsilon="0.1"),
    ],
)
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
    rows = opened(people_with(1), unit="row", max_rows=None, max_groups=None)
    with pytest.raises(dp.PolicyError):
        rows.suggest_caps(epsilon=1)
    assert table.budget.charges == rows.budget.charges == 0
