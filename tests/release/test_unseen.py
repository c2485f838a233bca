"""What a profile cannot see: intervals and suggested caps allow for it, and say so."""

from dataclasses import replace
from fractions import Fraction

import pandas
import pytest

import discreet as dp
from discreet.engines.base import SIZES
from discreet.mechanisms.laplace import Laplace
from discreet.plan.schema import Schema
from discreet.privacy.estimates import IntervalKind, LinearError
from discreet.release.caps import suggest_caps
from discreet.release.profile import Amount, Profile, Recount, SizeHistogram

NOISE = Laplace(scale=Fraction(10))


def histogram(people: dict[int, int]) -> SizeHistogram:
    """So many people whose size is at the end of a bin."""
    return SizeHistogram((*(people.get(size, 0) for size in SIZES), 0), NOISE)


def rows(size: int) -> Fraction:
    return Fraction(size)


def test_a_window_shows_only_what_lies_beyond_what_narrower_ones_have_shown():
    sizes = histogram({6: 2000})
    assert SIZES[sizes.seen - 1] == 6


def test_two_bins_together_are_seen_where_neither_is():
    sizes = histogram({6: 2000, 48: 70, 64: 70})
    assert histogram({6: 2000, 48: 70}).seen == SIZES.index(6) + 1
    assert SIZES[sizes.seen - 1] == 64


def counted_again(people: dict[int, int], beyond: int, bins: int) -> SizeHistogram:
    """The same, where those in the first bins are counted again without noise."""
    once = histogram(people)
    return replace(once, again=Recount(once.counts[:bins], beyond, NOISE))


def test_people_are_counted_again_two_octaves_beyond_those_who_are_seen():
    """Bins that were not seen are counted for themselves, before all others are taken together."""
    assert histogram({6: 2000}).counted_again == SIZES.index(24) + 1
    assert histogram({}).counted_again == 0
    assert histogram({1 << 20: 2000}).counted_again == len(SIZES)


def test_the_largest_size_depends_on_who_is_there_beyond_those_who_are_seen():
    bins = SIZES.index(24) + 1
    nobody = counted_again({6: 2000}, 10, bins)
    near = counted_again({6: 2000, 24: 50}, 10, bins)
    far = counted_again({6: 2000}, 40, bins)
    assert [one.unplaced for one in (nobody, near, far)] == [False, False, True]
    assert [one.largest for one in (nobody, near, far)] == [16, 24, 4096]
    assert [(size, people.value) for size, people in (nobody.hidden, near.hidden, far.hidden)] == [
        (16, 10),
        (24, 10),
        (24, 40),
    ]
    assert counted_again({128: 2000}, 40, SIZES.index(512) + 1).largest == 512 * 32


def test_each_who_is_beyond_counts_as_the_largest_there_may_be():
    sizes = counted_again({6: 2000}, 40, SIZES.index(24) + 1)
    assert sizes.lost(rows, 100).value == 6 * 2000 + 40 * 100
    assert sizes.lost(rows, 24) == sizes.total(rows, 24)
    assert sizes.lost(rows, 100).upper(Fraction(1, 40)) > 12_000 + 40 * 100 + 25 * 100


def test_without_a_second_count_all_bins_up_to_a_ceiling_are_summed_up():
    sizes = histogram({16: 200, 24: 200, 1024: 3})
    assert sizes.lost(rows, 2048).value == 200 * 40 + 3 * 1024
    assert sizes.lost(rows, 1000).value == 200 * 40 + 3 * 1000
    assert sizes.largest is None


@pytest.fixture
def asked(monkeypatch):
    """A table whose people have three rows each, its noise always zero."""
    monkeypatch.setattr(Laplace, "release", lambda self, steps, source: steps.open())
    frame = pandas.DataFrame({"person": [n for n in range(2000) for _ in range(3)], "x": 1})

    def opened(**caps: int) -> tuple[dp.Table, Profile]:
        table = dp.table(
            frame,
            name="visits",
            unit="person",
            budget=dp.Budget(epsilon=9),
            columns={"x": dp.number(0, 1)},
            max_groups=1,
            ledger=":memory:",
            **caps,
        )
        return table, table.profile(epsilon=1, by=())

    return opened


def test_an_answer_whose_cap_is_above_all_that_is_seen_is_likely(asked):
    table, profile = asked(max_rows=10)
    assert SIZES[profile.rows.seen - 1] == 3
    found = table.agg(n=dp.rows()).release(epsilon=1)["n"]
    assert found.kind is IntervalKind.LIKELY
    assert found.interval()[1] > found.noise_interval()[1]


def test_a_ceiling_makes_it_sure(asked):
    table, _ = asked(max_rows=3, at_most_rows=3)
    assert table.agg(n=dp.rows()).release(epsilon=1)["n"].kind is IntervalKind.SURE


def test_a_suggested_cap_does_not_fit_a_crowd_that_noise_may_be():
    """Of 1,000 profiles one sees somebody far beyond all others who is not there."""
    schema = Schema(name="visits", unit="patient", columns={}, max_rows=10)
    for crowd, fitted in ((100, False), (130, True)):
        once = histogram({1: 900, 2: 400, 4: 300, 16384: crowd})
        bins = once.counted_again
        sizes = replace(once, again=Recount(once.counts[:bins], 0, NOISE))
        assert (SIZES[once.seen - 1] == 16384) is fitted
        known = Profile(
            version="",
            rows=sizes,
            groups={},
            fullest={},
            missing=Amount(Fraction(0), LinearError(())),
            entry=1,
            time="",
        )
        suggested = suggest_caps(known, schema, 1)
        assert (suggested.max_rows > 1000) is fitted, crowd
        if not fitted:
            assert suggested.kept is not None
            assert suggested.kept.about > 0.5
