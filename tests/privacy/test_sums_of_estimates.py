"""Sums, shares and differences of several estimates, with the noise that they have in common."""

from collections import Counter
from fractions import Fraction
from math import sqrt

import pandas
import pytest

import discreet as dp
from discreet.errors import DataError
from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy import uncertainty
from discreet.privacy.estimates import (
    BoundedError,
    Estimate,
    Estimates,
    LinearError,
    NoiseDraw,
    Payment,
    RankError,
)
from discreet.privacy.losses import PureDP
from discreet.privacy.uncertainty import (
    NoiseKinds,
    _convolved_margin,
    _reach,
    _rounded_law,
)

NOISE = Gaussian(sigma=1000)
PAID = Payment(PureDP(epsilon=Fraction(1)))


def estimate(value: float, draw: NoiseDraw, weight: int = 1) -> Estimate:
    error = LinearError(((Fraction(weight), draw),))
    return Estimate(
        value=value, error=error, releases=(PAID,), mechanism=NOISE, neighbors="add-remove"
    )


def several(many: int) -> Estimates:
    draws = [NoiseDraw(NOISE) for _ in range(many)]
    return Estimates("day", {day: estimate(100 + day, draws[day]) for day in range(many)})


def test_a_sum_of_independent_numbers_has_the_root_of_their_number_as_error() -> None:
    total = several(100).sum()
    assert total.value == sum(100 + day for day in range(100))
    low, high = total.interval()
    assert (high - low) / 2 == pytest.approx(1.96 * 1000 * sqrt(100), rel=0.01)
    assert total.loss == PAID.loss  # paid once


def test_noise_that_is_shared_is_counted_as_what_it_is() -> None:
    draw = NoiseDraw(NOISE)
    both = Estimates("side", {"in": estimate(5, draw), "out": estimate(7, draw, -1)})
    assert both.sum().interval() == (12, 12)


def test_a_difference_of_neighbors_has_both_errors() -> None:
    changes = several(4).diff()
    assert list(changes) == [1, 2, 3]
    assert [one.value for one in changes.values()] == [1, 1, 1]
    low, high = changes[2].interval()
    assert (high - low) / 2 == pytest.approx(1.96 * 1000 * sqrt(2), rel=0.01)


def test_shares_add_up_to_one() -> None:
    shares = several(5).share_of_total()
    assert sum(one.value for one in shares.values()) == pytest.approx(1)


def test_what_caps_left_out_is_added_up_with_one_chance_to_miss() -> None:
    asked: list[Fraction] = []

    def bounds(level: Fraction) -> tuple[float, float]:
        asked.append(level)
        return 0.0, 10.0

    own = several(4)
    cells = {
        day: Estimate(
            value=1,
            error=one.error,
            releases=(PAID,),
            mechanism=NOISE,
            neighbors="add-remove",
            truth=BoundedError(bounds),
        )
        for day, one in own.items()
    }
    assert Estimates("day", cells).sum().interval(0.96) == (0.0, 40.0)
    assert set(asked) == {Fraction(99, 100)}


def test_a_sum_of_quantiles_has_no_bounds() -> None:
    cells = {
        day: Estimate(
            value=day, error=RankError(3), releases=(PAID,), mechanism=NOISE, neighbors="replace"
        )
        for day in range(3)
    }
    assert Estimates("day", cells).sum().rank_error == float("inf")


def test_totals_are_not_added_to_what_they_hold() -> None:
    own = several(2)
    for cells in ({None: own[0], "a": own[1]}, {("a", None): own[0]}, {}):
        with pytest.raises(DataError, match="totals of others"):
            Estimates("ward", cells).sum()


def test_an_answer_adds_up_its_groups() -> None:
    frame = {"ward": ["A", "B", "B"] * 50}
    table = dp.table(
        pandas.DataFrame(frame),
        name="t",
        unit="row",
        columns={"ward": dp.category(["A", "B"])},
        budget=dp.Budget(epsilon=9),
        ledger=":memory:",
    )
    n = table.group_by("ward").agg(n=dp.rows()).release(epsilon=4)["n"]
    assert n.sum().value == n["A"].value + n["B"].value
    assert 0 < n.share_of_total()["A"].value < 1


def test_dates_are_not_added_up() -> None:
    """Their texts are no numbers, whichever way they are computed with."""
    cells = {
        ward: Estimate(value=day, error=error, releases=(PAID,), mechanism=NOISE, neighbors="r")
        for ward, day, error in (
            ("A", "2026-01-02", RankError(3)),
            ("B", "2026-01-03", BoundedError(lambda _: ("2026-01-01", "2026-01-09"))),  # type: ignore[arg-type,return-value]
        )
    }
    days, two = Estimates("ward", cells), several(1)[0]
    one = days["B"]
    for compute in (
        *(days.sum, days.mean, days.diff, days.share_of_total),
        *(lambda: one * two, lambda: two * one, lambda: one / two, lambda: two / one),
        *(lambda: one + 1, lambda: 2 / one, lambda: -one, lambda: one - days["A"]),
    ):
        with pytest.raises(DataError, match="a date, a datetime, a time or a category"):
            compute()


MIXED = (
    Counter({(Fraction(1), Laplace(scale=400)): 3, (Fraction(2), Gaussian(sigma=1000)): 1}),
    Counter({(Fraction(1, 7), Laplace(scale=90)): 40, (Fraction(1), Gaussian(sigma=25)): 2}),
    Counter({(Fraction(place, 5), Gaussian(sigma=30 * place)): 1 for place in range(1, 12)}),
)


@pytest.mark.parametrize("kinds", MIXED)
def test_how_far_a_sum_reaches_is_bounded_by_blocks_of_its_laws(
    kinds: NoiseKinds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block is at its largest place: the bound is above that of all places, and hardly."""
    laws = [_rounded_law(Fraction(1), noise) for _, noise in kinds]
    counts = list(kinds.values())
    deviation = sqrt(sum(many * noise.variance for (_, noise), many in kinds.items()))
    quick, margin = _reach(laws, counts, deviation), _convolved_margin(kinds, Fraction(95, 100))
    monkeypatch.setattr(uncertainty, "_BLOCKS", 1 << 30)
    naive = _reach(laws, counts, deviation)
    assert naive <= quick <= 1.05 * naive + 1
    assert margin == _convolved_margin(kinds, Fraction(95, 100))
