"""The truth fuzzer of tests/truth on Spark: few questions with every change, many in the soak."""

from itertools import count
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.truth.running import long_run, short_run
from tests.truth.world import Store

pytestmark = pytest.mark.filterwarnings("ignore:epsilon is")
IN_CI, IN_THE_SOAK = 50, 1_000


@pytest.fixture
def store(local_cluster: Any, tmp_path: Path) -> Store:
    """Files of Parquet, which executors read; a public table is a file of its own."""
    numbers = count()

    def write(name: str, frame: Any) -> Any:
        if name == "wards":
            return frame
        place = tmp_path / f"{name}_{next(numbers)}.parquet"
        pyarrow.parquet.write_table(frame, place)
        return f"spark://?path={place}"

    return write


def test_answers_are_what_a_plain_database_says(store: Store) -> None:
    tally = short_run(IN_CI, store)
    assert tally.questions > 0.8 * IN_CI


@pytest.mark.soak
def test_many_answers(store: Store) -> None:
    assert long_run(IN_THE_SOAK, store).questions >= IN_THE_SOAK
