"""What surrounds an answer is the same on neighbors: shape, order, type, mechanism, errors."""

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dp
from discreet.noise import UnsafeSeededBits
from tests.statistics.tape import tape
from tests.support.cases import each
from tests.support.odd_records import ODD, SHOWN, watched

__all__ = ["tape"]

RELATIONS = ["add-remove", "replace"]
DATA: list[Any] = [3, 7.5, 1, 9, 4.25, 2**60 + 1, "2", None]


def bounded(name: str, **how: Any) -> Any:
    return lambda data, **common: getattr(dp, name)(data, bounds=(0, 10), **how, **common)


ASK = {
    "count": dp.count,
    "proportion": dp.proportion,
    "sum": bounded("sum"),
    "integer sum": bounded("sum", grid=1),
    "mean": bounded("mean"),
    "var": bounded("var"),
    "std": bounded("std"),
    "min": bounded("min"),
    "max": bounded("max", grid=1),
    "median": bounded("median"),
    "quantiles": lambda data, **how: dp.quantile(data, [0.2, 0.7], bounds=(0, 10), **how),
    "bins": lambda data, **how: dp.histogram(data, bins=[0, 5, 10], **how),
    "categories": lambda data, **how: dp.histogram(data, categories=["b", 7, None], **how),
    "most_common": lambda data, **how: dp.most_common(data, categories=["b", 7, None], **how),
}


def surroundings(answer: Any) -> tuple[Any, ...]:
    """Everything about an answer but the released numbers themselves."""
    if isinstance(answer, dp.Estimates):
        return (answer.label, tuple(answer), *map(surroundings, answer.values()))
    bounds = answer.rank_error is None and [type(end) for end in answer.interval(0.99)]
    return (
        type(answer.value) if isinstance(answer.value, int | float) else object,
        str(bounds),
        answer.loss,
        str(answer.mechanism),
        answer.neighbors,
        answer.note,
        answer.safe,
    )


@each("which", range(len(ODD)), ids=SHOWN)
@pytest.mark.parametrize("name", ASK)
def test_an_odd_record_shows_nowhere_but_in_the_noisy_number(name, which):
    for relation in RELATIONS:
        seen = set()
        for column in (DATA, [*DATA[:3], ODD[which], *DATA[4:]]):
            with watched():
                answer = ASK[name](column, epsilon=1, neighbors=relation)
                if name not in ("max", "most_common"):  # whose rank error is about the answer
                    seen.add(str(surroundings(answer)))
                for part in answer.values() if isinstance(answer, dp.Estimates) else [answer]:
                    assert part.value == part.value, "no NaN comes out"
        assert len(seen) <= 1


@pytest.mark.parametrize("name", ASK)
def test_no_records_at_all_are_answered_alike(name):
    answers = [ASK[name](column, epsilon=1) for column in ([], DATA)]
    if name != "most_common":
        assert len({str(surroundings(answer)) for answer in answers}) == 1


@pytest.mark.parametrize("name", ["count", "sum", "integer sum", "bins", "categories"])
def test_the_noise_does_not_look_at_the_data(name):
    """With one stream of bits, neighbors get the very same noise: outputs differ by a record."""
    for seed in range(40):
        first, second = (
            values(ASK[name](column, epsilon=1, source=UnsafeSeededBits(seed)))
            for column in (DATA, [*DATA, 7])
        )
        moved = sum(abs(a - b) for a, b in zip(first, second, strict=True))
        assert moved == (7 if "sum" in name else 1)


def values(answer: Any) -> list[Any]:
    parts = answer.values() if isinstance(answer, dp.Estimates) else [answer]
    return [part.value for part in parts]


@pytest.mark.parametrize("true", [[0], [1], [0.3], [1e-9], []])
def test_outputs_are_on_the_grid_whatever_the_true_value_is(true):
    for seed in range(30):
        total = dp.sum(true, bounds=(0, 1), epsilon=1, source=UnsafeSeededBits(seed))
        assert float(total.value * 2**30).is_integer()
        whole = dp.sum(true, bounds=(0, 10), grid=2, epsilon=1, source=UnsafeSeededBits(seed))
        assert whole.value % 2 == 0


# ---------------------------------------------------------------------- containers


NUMBERS = [3.0, 0.0, None, 1.0, 9.5]
CONTAINERS = {
    "tuple": tuple(NUMBERS),
    "objects": np.array(NUMBERS, np.object_),
    "floats": np.array(NUMBERS, np.float64),
    "masked": np.ma.array([3.0, 0.0, 5.0, 1.0, 9.5], mask=[0, 0, 1, 0, 0]),
    "pandas": pd.Series(NUMBERS),
    "pandas Float64": pd.Series(NUMBERS, dtype="Float64"),
    "polars": pl.Series(NUMBERS),
    "arrow": pa.array(NUMBERS),
    "arrow chunks": pa.chunked_array([NUMBERS[:1], NUMBERS[1:]]),
    "text": ["3", "0", "", "1", "9.5"],
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_same_aggregates_reach_the_noise_from_every_container(tape, container, relation):
    for name, ask in ASK.items():
        if name in ("min", "median", "quantiles", "most_common"):
            continue
        if container == "text" and name in ("count", "categories"):
            continue  # an empty text is a value
        expected = tape.play(lambda ask=ask: ask(NUMBERS, epsilon=1, neighbors=relation))
        found = tape.play(lambda ask=ask: ask(CONTAINERS[container], epsilon=1, neighbors=relation))
        assert found == expected, name


@pytest.mark.parametrize("container", [name for name in CONTAINERS if name != "text"])
def test_the_same_seed_gives_the_same_answer_from_every_container(container):
    for name, ask in ASK.items():
        first, second = (
            values(ask(column, epsilon=1, source=UnsafeSeededBits(9)))
            for column in (NUMBERS, CONTAINERS[container])
        )
        assert first == second, name


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "min", "max", "median"])
def test_bounds_are_never_read_from_the_data(name):
    with pytest.raises(dp.BoundsError, match="never reads them from the data") as refusal:
        getattr(dp, name)([8675309], epsilon=1)
    assert "8675309" not in str(refusal.value)


def test_errors_are_the_same_on_neighbors():
    for wrong in (
        lambda data: dp.count(data, where=[True], epsilon=1),
        lambda data: dp.sum(data, bounds=(0, 0), epsilon=1),
        lambda data: dp.histogram(data, bins=[1], epsilon=1),
        lambda data: dp.count(dict.fromkeys(data, 1), epsilon=1),
    ):
        texts = set()
        for data in ([8675309, 2, 3], [1, 2, 3, "x"], ["8675309"] * 5):
            with pytest.raises(dp.DiscreetError) as refusal:
                wrong(data)
            texts.add(str(refusal.value))
        assert len(texts) == 1
        assert not re.search("8675309", texts.pop())
