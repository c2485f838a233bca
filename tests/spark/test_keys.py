"""Keys that nobody listed: a sieve on the cluster lets pass what its twin in Python does."""

from collections import Counter
from contextlib import closing
from itertools import product
from typing import Any

import pyarrow
import pytest

import discreet as dp
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.sources import Sources, find_source
from discreet.engines.spark.engine import Spark
from discreet.mechanisms.key_selection import WeightedThreshold, best_selection
from discreet.noise import UnsafeSeededBits
from discreet.plan.schema import ROW, Schema
from discreet.privacy.sensitivity import Neighbors
from tests.mechanisms.key_twins import passes
from tests.support.engine_contract import keys as held_keys
from tests.support.measuring import asked

ODD = ["", "a", "b:c", "1:a", "日本語", "👍", "e\u0301", "it's", "\x1f", "${spark.app.name}", "a b"]


def rows() -> pyarrow.Table:
    """Keys of one unit to many, with odd texts among them."""
    held = {**{f"key {place}": 1 + place % 40 for place in range(600)}}
    held |= {text: 3 * place + 1 for place, text in enumerate(ODD)}
    pairs = [(key, place) for key, times in held.items() for place in range(times)]
    return pyarrow.table(
        {
            "id": [f"{key} {place}" for key, place in pairs],
            "tag": [key for key, _ in pairs],
            "flag": [place % 3 == 0 for _, place in pairs],
        }
    )


def declared(unit: str) -> Schema:
    capped = unit != ROW
    return Schema(
        name="t",
        columns={"tag": dp.text(), "flag": dp.boolean()},
        unit=unit,
        neighbors=Neighbors.ADD_REMOVE,
        max_rows=1 if capped else None,
        max_groups=1 if capped else None,
    )


ONE, TWO = ("tag",), ("tag", "flag")
PAIRWISE = [(ROW, ONE, True), (ROW, TWO, False), ("id", ONE, False), ("id", TWO, True)]
"""Any two of the three are together in each of their four ways."""


@pytest.mark.parametrize(
    ("unit", "keys", "counts"),
    [
        pytest.param(*case, marks=[] if case in PAIRWISE else [pytest.mark.soak])
        for case in product([ROW, "id"], [ONE, TWO], [True, False])
    ],
)
def test_the_sieve_of_the_cluster_is_that_of_python(
    local_cluster: Any, unit: str, keys: tuple[str, ...], counts: bool
) -> None:
    table = rows()
    schema = declared(unit)
    question = asked(schema, {"n": dp.rows()}, keys)
    selection = best_selection(epsilon=1, delta=1e-2, groups=1, counts=counts)
    sieve = selection.sieve(UnsafeSeededBits(7))
    flags = ["01"[flag] for flag in table["flag"].to_pylist()]
    columns = {"tag": table["tag"].to_pylist(), "flag": flags}
    held = Counter(zip(*(columns[name] for name in keys), strict=True))
    expected = {key: many for key, many in held.items() if passes(sieve, key, many)}
    frame = local_cluster.createDataFrame(table).repartition(3)
    with closing(Spark(Sources(find_source(frame)), schema)) as engine:
        found = engine.candidates(question, sieve)
        numbers = found.counts.open().tolist()
        labels = found.released(range(len(numbers)))  # type: ignore[arg-type]
        assert dict(zip(labels, numbers, strict=True)) == expected
        assert 0 < len(expected) < len(held)
        # Another secret lets others pass: the control of the comparison above.
        other = engine.candidates(question, selection.sieve(UnsafeSeededBits(8)))
        assert other._labels != found._labels


def test_keys_by_weight_pass_by_their_weight(local_cluster: Any) -> None:
    """Weights have 2^30 steps, so that a limit is for many; the sums are those of DuckDB."""
    pairs = [(f"p{place % 90}", f"key {place % 7 * (place % 11)}") for place in range(600)]
    table = pyarrow.table({"id": [one for one, _ in pairs], "tag": [tag for _, tag in pairs]})
    schema = Schema(name="t", columns={"tag": dp.text()}, unit="id", max_rows=5, max_groups=4)
    question = asked(schema, {"n": dp.rows()}, ("tag",))
    selection = best_selection(epsilon=1, delta=1e-2, groups=4, counts=False)
    assert isinstance(selection, WeightedThreshold)
    sieve = selection.sieve(UnsafeSeededBits(3))
    with closing(DuckDB(Sources(find_source(table)), schema)) as engine:
        weights = held_keys(engine, question, selection.share)
    expected = {key: one for key, one in weights.items() if passes(sieve, key, one)}
    frame = local_cluster.createDataFrame(table).repartition(2)
    with closing(Spark(Sources(find_source(frame)), schema)) as engine:
        assert held_keys(engine, question, selection.share) == weights
        found = engine.candidates(question, sieve, selection.share)
        numbers = found.counts.open().tolist()
        labels = found.released(range(len(numbers)))  # type: ignore[arg-type]
    assert dict(zip(labels, numbers, strict=True)) == expected
    assert 0 < len(expected) < len(weights)


def test_the_secret_stands_in_no_text_that_spark_shows(
    local_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = declared(ROW)
    question = asked(schema, {"n": dp.rows()}, ("tag",))
    sieve = best_selection(epsilon=1, delta=1e-2, groups=1, counts=False).sieve(UnsafeSeededBits(9))
    with closing(
        Spark(Sources(find_source(local_cluster.createDataFrame(rows()))), schema)
    ) as engine:
        seen: list[str] = []
        fetched = engine._spark._fetched

        def watched(query: str) -> Any:
            plan = local_cluster.sql(query)._jdf.queryExecution()
            seen.extend([query, plan.toString(), plan.executedPlan().toString()])
            return fetched(query)

        monkeypatch.setattr(engine._spark, "_fetched", watched)
        engine.candidates(question, sieve)
        views = [one.name for one in local_cluster.catalog.listTables()]
    assert len(seen) == 3
    assert all("SHA2" in text.upper() for text in seen)
    assert not any(sieve.secret.hex() in text for text in seen)
    assert len([name for name in views if name.startswith("discreet_")]) == 1


def test_only_what_passes_comes_to_the_driver(
    local_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = local_cluster.range(0, 40_000, 1, 4).selectExpr(
        "id",
        "CASE WHEN id < 30000 THEN CONCAT('rare ', id) ELSE CONCAT('key ', id % 10) END AS tag",
    )
    with dp.table(
        frame,
        name="t",
        unit="id",
        budget=dp.Budget(epsilon=5, delta=1e-3),
        columns={"tag": dp.text()},
        max_rows=1,
        max_groups=1,
        ledger=":memory:",
    ) as table:
        connection = table.engine()._spark  # type: ignore[attr-defined]
        brought: list[int] = []
        fetched = connection._fetched

        def watched(query: str) -> Any:
            found = fetched(query)
            brought.append(found.num_rows)
            return found

        monkeypatch.setattr(connection, "_fetched", watched)
        answer = (
            table.group_by("tag").agg(n=dp.people(), s=dp.rows()).release(epsilon=2, delta=1e-6)
        )
        found = answer.to_pandas()
    # 30,000 keys of one person pass with 10^-6 each: six or more would be less likely than 10^-9.
    assert brought[0] <= 10 + 5
    assert set(found["tag"]) >= {f"key {place}" for place in range(10)}
    assert len(found) <= 15
    assert all(abs(n - 1000) < 100 for n in found[found["tag"].str.startswith("key")]["n"])
