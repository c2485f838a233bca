"""Several numbers of one release: a mapping in public order, with one price."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.errors import DataError
from discreet.mechanisms import Laplace
from discreet.privacy.estimates import Estimate, Estimates, Payment
from discreet.privacy.losses import PureDP
from discreet.privacy.uncertainty import LinearError, NoiseDraw, RankError


def cells(values: dict[Any, Any], label: str = "category", rank: float | None = None) -> Estimates:
    release = Payment(PureDP(epsilon=1))
    return Estimates(
        label,
        {
            name: Estimate(
                value=value,
                error=LinearError(((Fraction(1), NoiseDraw(Laplace(scale=1))),))
                if rank is None
                else RankError(rank),
                releases=(release,),
                mechanism=Laplace(scale=1),
                neighbors="add-remove",
            )
            for name, value in values.items()
        },
    )


COUNTS = cells({"b": 7, "a": 1, None: 0})


def test_it_is_a_mapping_in_the_order_that_was_written():
    assert list(COUNTS) == ["b", "a", None]
    assert len(COUNTS) == 3
    assert COUNTS["a"].value == 1
    assert COUNTS[None].value == 0
    assert "c" not in COUNTS
    with pytest.raises(KeyError):
        COUNTS["c"]
    assert COUNTS.to_dict() == {"b": 7, "a": 1, None: 0}
    assert sum(COUNTS.values()).value == 8


def test_one_release_costs_once_and_two_cost_twice():
    assert COUNTS.loss == PureDP(epsilon=1)
    other = cells({"x": 1})
    assert Estimates("mixed", {**COUNTS, **other}).loss == PureDP(epsilon=2)


def test_simultaneous_intervals_hold_all_at_once():
    """A thousand cells: the exact accuracy of all cells at once, and hardly more."""
    many = cells(dict.fromkeys(range(1000), 0))
    margins = {upper for _, upper in many.simultaneous().values()}
    exact = Laplace(scale=1).accuracy(0.95, cells=1000)
    assert margins <= {exact, exact + 1}
    assert many[0].margin < exact  # the control: single margins do not hold all at once


def test_simultaneous_intervals_cover_as_often_as_they_say():
    noise = np.asarray(Laplace(scale=1)(np.zeros((20_000, 20), np.int64)))
    worst = np.abs(noise).max(axis=1)
    twenty = cells(dict.fromkeys(range(20), 0))
    together, alone = twenty.simultaneous()[0][1], twenty[0].margin
    assert (worst > together).mean() < 0.05 + 0.009
    assert (worst > alone).mean() > 0.2


@pytest.mark.parametrize("confidence", [0, 1, 1.5])
def test_a_confidence_without_meaning_is_refused(confidence):
    with pytest.raises(DataError, match="confidence"):
        COUNTS.simultaneous(confidence)


def test_bins_are_shown_half_open_and_the_last_one_closed():
    text = repr(cells({(0, 18): 5, (18, 65): 9}, "bin"))
    assert "[0, 18) " in text
    assert "[18, 65] " in text
    assert text.endswith("ε = 1")
    assert "(1, 2)" in repr(cells({(1, 2): 5}))  # a category that is a pair is no bin


def test_a_table_has_a_row_per_cell():
    table = COUNTS.to_pandas()
    assert list(table.columns) == ["category", "value", "lower", "upper"]
    assert table["value"].tolist() == [7, 1, 0]
    assert table["upper"].tolist() == [10, 4, 3]
    bins = cells({(0, 18): 5, (18, 65): 9}, "bin").to_pandas()
    assert bins["bin"].tolist() == ["[0, 18)", "[18, 65]"]


def test_a_table_of_ranks_has_their_errors():
    table = cells({0.5: 41.5, 0.9: 60.0}, "quantile", rank=24).to_pandas()
    assert list(table.columns) == ["quantile", "value", "rank_error"]
    assert table["rank_error"].tolist() == [24, 24]


def test_public_functions_give_their_cells_in_the_order_that_was_written():
    names = ["c", "a", "b"]
    assert list(dp.histogram(["a"], categories=names, epsilon=1)) == names
    levels = [0.9, 0.1, 0.5]
    answer = dp.quantile(range(100), levels, bounds=(0, 100), epsilon=5)
    assert list(answer) == levels
    assert answer[0.1].value < answer[0.9].value
    assert answer.loss == PureDP(epsilon=5)
