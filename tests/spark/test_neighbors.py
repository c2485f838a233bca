"""The fuzzer of tests/neighbors on Spark: few questions with every change, many in the soak."""

from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pyarrow.parquet
import pytest

from discreet.engines.spark import columns
from tests.neighbors.comparing import Counts, FoundError
from tests.neighbors.example import PAIRS as PAIRS_OF_A_FAMILY
from tests.neighbors.example import replay, run
from tests.neighbors.kinds import EVERY, NUMERIC
from tests.neighbors.people import Held
from tests.neighbors.questions import CLOCKED
from tests.neighbors.running import long_run
from tests.neighbors.store import Store, Written

IN_THE_SOAK = 1_000
OF_A_PAIR = 8
PAIRS, QUESTIONS = (0, 21), 2
"""The examples of the short run, of two families, and how many questions each is asked."""

_WHOLE = ("int64", "int8")
_TEXTS = ("text", "text of bytes", "bytes")
_DATES = ("date", "timestamp us", "zoned us")
_NUMBERS = tuple(name for name in NUMERIC if name != "uint64")
KINDS = {name: EVERY[name] for name in (*_NUMBERS, *_TEXTS, *_DATES, "bool")}
FITS = {
    "date": _DATES,
    "datetime": _DATES,
    "time": ("text", "text of bytes"),
    "number": (*_NUMBERS, "bool"),
    "boolean": (*_WHOLE, "float64", "float32", "bool"),
    "text": (*_WHOLE, *_TEXTS, "bool"),
}
"""Types that Spark has a total way to read by what is declared; it refuses others when opened."""


def write(held: Held, folder: Path, name: str, layout: Random) -> Written:
    """Parquet files, with what their writer finds out about rows or without."""
    options: dict[str, Any] = {
        "write_statistics": layout.random() < 0.8,
        "use_dictionary": layout.random() < 0.5,
        "row_group_size": layout.choice([3, None]) if len(held.places) < 1000 else None,
    }
    files = layout.choice([1, 2])
    part = max(1, -(-held.arrow.num_rows // files))
    (folder / name).mkdir()
    for place in range(files):
        cut = held.arrow.slice(place * part, part)
        pyarrow.parquet.write_table(cut, folder / name / f"{place}.parquet", **options)
    return f"spark://?path={quote(str(folder / name))}", None


@pytest.fixture(scope="module")
def store(local_cluster: Any) -> Store:
    return Store("Spark", write, KINDS, fits=FITS, replayed="tests/spark/test_neighbors.py")


def test_neighbors_are_told_apart_by_no_more_than_is_priced(store: Store, counts: Counts) -> None:
    for number in PAIRS:
        run(store, number, counts, QUESTIONS)
    run(store, CLOCKED * PAIRS_OF_A_FAMILY, counts, QUESTIONS + 1)
    assert counts.pairs > counts.refused


def test_a_cast_that_can_fail_is_found(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: Spark's own cast to whole numbers fails on a NaN and on an infinity."""
    monkeypatch.setattr(columns, "_float", lambda place: f"CAST(CAST({place} AS BIGINT) AS DOUBLE)")
    with pytest.raises(FoundError, match="a row ends a question"):
        run(store, PAIRS[1], Counts(), 1)


def test_the_example_that_is_asked_for(store: Store, request: pytest.FixtureRequest) -> None:
    """``--replay "Spark: 1234/8"``, as a failure prints it."""
    replay(lambda _: store, request.config.getoption("replay") or "Spark: 40/1")


@pytest.mark.soak
def test_many_neighbors(store: Store, counts: Counts, request: pytest.FixtureRequest) -> None:
    minutes = request.config.getoption("minutes")
    seconds = None if minutes is None else 60 * float(minutes)
    long_run(store, counts, IN_THE_SOAK, seconds, OF_A_PAIR)
