"""What a profile cannot see: intervals and suggested caps allow for it, and say so."""

from fractions import Fraction

import pandas
import pytest

import discreet as dp
from discreet.engines.base import SIZES
from discreet.mechanisms.laplace import Laplace
from discreet.plan.schema import Schema
from discreet.privacy.estimates import IntervalKind, LinearError
from discreet.release.caps import suggest_caps
from discreet.release.profile import Amount, Profile, SizeHistogram

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


def test_a_sharp_end_needs_a_small_allowance_and_a_slow_fading_a_large_one():
    sharp = histogram({16: 2000, 24: 2000})
    slow = histogram({16: 200, 24: 200, 32: 60, 48: 60})
    assert sharp.fading < Fraction(1, 50)
    assert slow.fading > Fraction(1, 6)
    beyond = [one.lost(rows, None).upper(Fraction(1, 40)) for one in (sharp, slow)]
    held = [one.total(rows, None).upper(Fraction(1, 40)) for one in (sharp, slow)]
    assert beyond[0] < 1.05 * held[0]
    assert beyond[1] > 1.25 * held[1]


def test_a_ceiling_leaves_no_allowance():
    sizes = histogram({16: 200, 24: 200})
    assert sizes.lost(rows, 100) == sizes.total(rows, 100)


@pytest.mark.parametrize("fading", [2, 3, 4])
def test_the_allowance_holds_tails_that_fall_as_the_last_octaves_do(fading):
    """Of numbers with no noise in them, for people who become fewer from octave to octave."""
    people = {3 << octave: 4096 // fading**octave for octave in range(9)}
    sizes = histogram(people)
    every = sum(size * many for size, many in people.items())
    assert 3 << 2 <= SIZES[sizes.seen - 1] < 3 << 8
    assert sizes.total(rows, None).value < every <= sizes.lost(rows, None).value


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
    """Of 1,000 profiles a few see somebody far beyond all others who is not there."""
    schema = Schema(name="visits", unit="patient", columns={}, max_rows=10)
    for crowd, fitted in ((100, False), (130, True)):
        sizes = histogram({1: 900, 2: 400, 4: 300, 16384: crowd})
        assert SIZES[sizes.seen - 1] == 16384  # an interval allows for them in both cases
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
        assert suggested.kept is not None
        assert (suggested.kept[0] > 0.5) is fitted
