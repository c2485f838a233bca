"""Promises 5 and 6: bounds and keys are declared or paid for, and every declared key is shown."""

import pytest

import discreet as dp
from discreet.errors import BoundsError, PolicyError, QueryError
from discreet.question.builder import col, people, rows
from tests.promises.visits import NEIGHBORS, SOME, WARDS, visits

# ---------------------------------------------------------------------- 5


def test_promise_5_what_is_missing_is_refused_and_shapes_tell_nothing():
    data = [1, 2, 3]
    for ask in (dp.sum, dp.mean, dp.var, dp.std, dp.min, dp.max, dp.median):
        with pytest.raises(dp.BoundsError, match="never reads them from the data"):
            ask(data, epsilon=1)
    for ask in (dp.histogram, dp.most_common):
        with pytest.raises(dp.BoundsError, match="public"):
            ask(data, epsilon=1)
    neighbors = ([], [5], ["x"], [1e9] * 1000)
    shapes = set()
    for values in neighbors:
        cells = dp.histogram(values, categories=["b", "a", 5], epsilon=1)
        answer = dp.sum(values, bounds=(0, 10), epsilon=1)
        shapes.add(
            (
                tuple(cells),
                cells.loss,
                type(answer.value),
                answer.mechanism,
                answer.margin,
                answer.note,
            )
        )
    assert len(shapes) == 1


@pytest.mark.parametrize("statistic", ["sum", "mean", "var", "std", "min", "max", "median"])
def test_promise_5_a_missing_bound_is_refused(statistic: str) -> None:
    with visits(SOME) as opened, pytest.raises(BoundsError, match="never reads them from the data"):
        opened.agg(x=getattr(col("free"), statistic)()).plan(epsilon=1)


def test_promise_5_missing_keys_caps_and_delta_are_refused() -> None:
    with visits(SOME) as opened:
        with pytest.raises(QueryError, match="not public"):
            opened.group_by("note").agg(n=rows()).plan(epsilon=1)
        with pytest.raises(QueryError, match="more values than can be listed"):
            opened.group_by("stay").agg(n=rows()).plan(epsilon=1)
    with visits(SOME, unit="patient") as opened:
        with pytest.raises(PolicyError, match="max_rows"):
            opened.agg(n=rows()).plan(epsilon=1)
        with pytest.raises(PolicyError, match="max_groups"):
            opened.group_by("ward").agg(n=people()).plan(epsilon=1)
    for left_out in ("unit", "budget", "ledger"):
        with pytest.raises(PolicyError):
            visits(SOME, **{left_out: None})


# ---------------------------------------------------------------------- 6


def test_promise_6_every_declared_key_is_released_in_public_order() -> None:
    for rows_ in NEIGHBORS:
        with visits(rows_) as opened:
            answer = opened.group_by("ward", "smoker").agg(n=rows()).release(epsilon=1)
        assert answer.groups == tuple((ward, smoker) for ward in WARDS for smoker in (False, True))


def test_promise_6_undeclared_keys_that_one_person_holds_hardly_ever_appear() -> None:
    lonely = [{"patient": f"p{n}", "note": f"secret {n}"} for n in range(200)]
    with visits(lonely, unit="patient", max_rows=1, max_groups=1) as opened:
        asks = opened.group_by("note").agg(n=people())
        found = asks.release(epsilon=1, delta="1/1000000000000")
    # Each of 200 keys may appear with probability 10^-12.
    assert found.groups == ()
