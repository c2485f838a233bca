"""Distribution functions and numbers computed from aggregates, as Python asks for them."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.errors import DataError, QueryError
from tests.support.hospital import visits_frame
from tests.support.trials import rounds

Opened = Callable[..., dp.Table]
ALLOWANCE = 1e-6
"""How often a test of this file may fail without a fault."""
SMOKERS = dp.rows(dp.col("smoker"))


# ---------------------------------------------------------------------- distributions


def test_a_distribution_is_the_share_up_to_each_value(visits: Opened) -> None:
    answer = visits(unit="row").agg(share=dp.col("stay").cdf(step=1)).release(rho=1)
    assert list(answer.columns) == ["share"]
    assert answer.keys == ("stay",)
    frame = visits_frame()
    for (label,), one in zip(answer.groups, answer.column("share"), strict=True):
        words, _, end = label.rpartition(" ")
        below = {"below": frame.stay < float(end), "at most": frame.stay <= float(end)}
        upto = below[words].mean()
        assert one.value == pytest.approx(upto, abs=0.02)
        assert 0 <= one.value <= 1
    last = answer.column("share")[-1]
    assert last.value == 1
    assert last.noise_interval() == (1, 1)


def test_whole_numbers_in_steps_of_one_are_groups_by_themselves(visits: Opened) -> None:
    asked = visits().agg(share=dp.col("age").cdf(step=1))
    assert len(asked.question.keys) == 1
    assert asked.release(rho="0.1").groups[:2] == ((0,), (1,))
    wide = visits().agg(share=dp.col("age").cdf(step=50)).release(rho="0.1")
    assert wide.groups == (("below 50",), ("below 100",), ("at most 120",))


def test_a_distribution_of_days_is_cut_at_days(visits: Opened) -> None:
    answer = visits().agg(share=dp.col("admitted").cdf(step=182)).release(rho="0.1")
    assert [label for (label,) in answer.groups] == [
        "below 2025-07-02",
        "at most 2025-12-31",
    ]
    assert "line" in str(answer.plot().spec["layer"][-2]["mark"])


def test_each_group_has_a_distribution_of_its_own(visits: Opened) -> None:
    table = visits(unit="row")
    answer = table.group_by("ward").agg(share=dp.col("stay").cdf(step=10)).release(rho=1)
    found = dict(zip(answer.groups, answer.column("share"), strict=True))
    for ward in "ABC":
        assert found[ward, "at most 20"].value == 1
        assert 0.3 < found[ward, "below 10"].value < 0.7


def test_what_is_shown_of_a_bin_by_itself_keeps_both_its_ends(visits: Opened) -> None:
    bins = dp.col("stay").bins([0, 5, 20]).alias("stay")
    totals = visits().group_by(bins).cumulative().agg(n=dp.rows()).release(rho="0.1")
    assert totals.groups == (("below 5",), ("at most 20",))
    text = (
        "SELECT BINS(stay, 0, 5, 20) AS b, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY b) AS t "
        "FROM visits GROUP BY b"
    )
    assert visits().sql(text, rho="0.1").groups == (("[0, 5)",), ("[5, 20]",))


def test_a_distribution_costs_what_running_totals_cost(visits: Opened) -> None:
    bins = dp.col("stay").bins([0, 5, 10, 15, 20])
    totals = visits().group_by(bins).cumulative().agg(n=dp.rows()).plan(rho="0.1")
    shares = visits().agg(share=dp.col("stay").cdf(step=5)).plan(rho="0.1")
    assert shares.price.loss == totals.price.loss


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        (lambda t: t.agg(n=dp.rows(), s=dp.col("age").cdf(step=1)), "beside other things"),
        (lambda t: t.agg(n=dp.rows()).agg(s=dp.col("age").cdf(step=1)), "beside other things"),
        (lambda t: t.cube("ward").agg(s=dp.col("age").cdf(step=1)), "beside other things"),
        (lambda t: t.agg(s=dp.col("ward").cdf(step=1)), "no public bounds"),
        (lambda t: t.agg(s=dp.col("diagnosis").length().cdf(step=1)), ".clip(0, 100)"),
        (lambda t: t.agg(s=dp.col("stay").cdf(step=Fraction(1, 10_000))), "Write a step of"),
        (lambda t: t.agg(s=dp.col("stay").cdf(step=0)), "the step of a distribution is 0"),
        (lambda t: t.agg(dp.col("stay").cdf(step=1)), "without a name"),
        (lambda t: t.where(dp.col("stay").cdf(step=1)), "stands where a value of each row"),
    ],
)
def test_what_is_no_distribution_is_refused(
    visits: Opened, asked: Callable[[dp.Table], Any], part: str
) -> None:
    with pytest.raises(QueryError) as refusal:
        asked(visits())
    assert part in str(refusal.value)


AGES = 12


@cache
def held() -> tuple[int, int, int]:
    """Of so many releases: how many hold all shares at once, in the band and one by one."""
    ages = np.repeat(np.arange(AGES), np.arange(2, AGES + 2) * 3)
    table = dp.table(
        pandas.DataFrame({"age": ages}),
        name="people",
        unit="row",
        budget=dp.Budget(epsilon=10**6, delta=Fraction(1, 2)),
        columns={"age": dp.integer(0, AGES - 1)},
        ledger=":memory:",
    )
    asked = table.agg(share=dp.col("age").cdf(step=1))
    truth = {age: (ages <= age).mean() for age in range(AGES)}
    trials, at_once, pointwise = rounds(400), 0, 0
    for _ in range(trials):
        share = asked.release(rho="0.02")["share"]
        band = share.simultaneous()
        at_once += all(low <= truth[age] <= high for age, (low, high) in band.items())
        pointwise += all(
            one.interval()[0] <= truth[age] <= one.interval()[1] for age, one in share.items()
        )
    return trials, at_once, pointwise


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_the_band_holds_the_whole_distribution_at_once() -> None:
    trials, at_once, _ = held()
    assert at_once >= binom.ppf(ALLOWANCE, trials, 0.95)


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_intervals_one_by_one_would_be_found_not_to_hold_at_once() -> None:
    """The negative control."""
    trials, _, pointwise = held()
    assert pointwise < binom.ppf(ALLOWANCE, trials, 0.95)


# ---------------------------------------------------------------------- computed numbers


def test_a_share_in_python_is_that_of_sql(visits: Opened) -> None:
    table = visits()
    python = table.group_by("ward").agg(n=dp.rows(), percent=100 * SMOKERS / dp.rows())
    text = (
        "SELECT ward, COUNT(*) AS n, 100 * COUNT(*) FILTER (WHERE smoker) / COUNT(*) AS percent "
        "FROM visits GROUP BY ward"
    )
    one, other = python.plan(epsilon=1), table.ask(text).plan(epsilon=1)
    assert one.price.loss == other.price.loss
    assert [out.measure for out in one.question.outputs] == [
        out.measure for out in other.question.outputs
    ]
    answer = one.release()
    assert list(answer.columns) == ["n", "percent"]
    low, high = answer["percent"]["A"].noise_interval()
    assert 0 <= low < high <= 100


def test_an_aggregate_that_is_used_twice_is_paid_once(visits: Opened) -> None:
    odds = SMOKERS / (dp.rows() - SMOKERS)
    asked = visits().agg(odds=odds).agg(share=SMOKERS / dp.rows(), n=dp.rows())
    assert len(asked.query.outputs) == 3  # smokers, rows, and rows under the name n
    assert len(asked.question.measures) == 1  # smokers and all others, together
    answer = asked.release(epsilon=5)
    assert list(answer.columns) == ["odds", "share", "n"]
    share = answer["share"].value
    assert answer["odds"].value == pytest.approx(share / (1 - share), rel=1e-6)


def test_arithmetic_is_what_it_says(visits: Opened) -> None:
    stay, n = dp.col("stay").sum(), dp.rows()
    answer = (
        visits()
        .agg(
            stay=stay,
            n=n,
            a=1 + n - 2,
            b=3 - n,
            c=n * 2,
            d=2 * n,
            e=stay / n,
            f=1000 / n,
            g=n + stay,
        )
        .release(epsilon=10)
    )
    stays, rows = answer["stay"].value, answer["n"].value
    expected = {
        "a": rows - 1,
        "b": 3 - rows,
        "c": 2 * rows,
        "d": 2 * rows,
        "e": stays / rows,
        "f": 1000 / rows,
        "g": rows + stays,
    }
    assert {name: answer[name].value for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        (lambda t: t.agg(SMOKERS / dp.rows()), "without a name"),
        (lambda t: t.agg(a=SMOKERS / "x"), "not a number"),
        (lambda t: t.agg(a=dp.col("stay").quantile([0.1, 0.9]) - 1), "several numbers"),
        (lambda t: t.where(SMOKERS / dp.rows() > 1), "compared with another number"),
        (lambda t: t.group_by(SMOKERS / dp.rows()), "group_by got"),
    ],
)
def test_what_cannot_be_computed_with_is_refused(
    visits: Opened, asked: Callable[[dp.Table], Any], part: str
) -> None:
    with pytest.raises((dp.DiscreetError, TypeError)) as refusal:
        asked(visits())
    assert part in str(refusal.value)


def test_a_computed_number_is_named_by_alias_and_shows_what_it_is() -> None:
    share = (SMOKERS / dp.rows()).alias("share")
    assert share.name == "share"
    assert "rows()" in repr(share)


def test_means_of_estimates_have_the_errors_of_all_parts(visits: Opened) -> None:
    n = visits(unit="row").group_by("ward").agg(n=dp.rows()).release(epsilon=1)["n"]
    parts = list(n.values())
    assert n.mean().value == pytest.approx(sum(one.value for one in parts) / 4)
    assert n.mean().margin < parts[0].margin
    moving = n.moving_mean(2)
    assert list(moving) == ["B", "C", "D"]
    assert moving["B"].value == pytest.approx((parts[0].value + parts[1].value) / 2)
    with pytest.raises(DataError, match=r"Write .moving_mean"):
        n.moving_mean(5)
