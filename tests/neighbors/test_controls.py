"""With each hole opened again, the short run finds it.

The short run draws the same examples every time, so that no control can miss by chance.  How many
of an example's kind find a hole, counted from the first ones on:

- NaN is not in the statistics: 19 of 40 in Parquet by pyarrow, 18 of 40 by Polars;
- pandas' types decide: 4 of 10 in pandas, 3 of 10 with nullable types;
- text that is not UTF-8: 6 of 20 in Parquet by pyarrow, 19 of 20 in CSV;
- moments are read by TRY_CAST: 9 of 20 in DuckDB tables;
- rows of one group are weighed as if each had one of its own: 18 of 40 in Arrow, by groups;
- rows are weighed before they are joined: 80 of 200 in Arrow, of pairs of rows;
- bounds are as long as they get: 8 of 100 questions, so that 200 fresh ones would miss it with a
  probability of less than 10^-7.

By these shares 30 fresh pairs in each store of a hole would miss it with a probability of less
than 10^-7.  The soak asks hundreds.
"""

from collections.abc import Sequence

import pandas
import pytest

import discreet as dp
from tests.neighbors import example
from tests.neighbors.comparing import Both, Counts, FoundError
from tests.neighbors.example import run
from tests.neighbors.holes import (
    HOLES,
    JOINS,
    ONCE_FOR_EACH_ROW,
    PLANNING,
    WEIGHTS,
    WITH_NOBODY,
    reopened,
)
from tests.neighbors.planning import plan_many
from tests.neighbors.running import closely
from tests.neighbors.stores import STORES
from tests.neighbors.test_planning import IN_THE_SHORT_RUN
from tests.neighbors.written_once import forget


@pytest.mark.parametrize("hole", HOLES)
def test_the_short_run_finds_a_hole_that_is_open(hole: str) -> None:
    with reopened(hole), pytest.raises(FoundError):
        _run_short(HOLES[hole])


def test_the_short_run_finds_weights_that_their_norm_does_not_allow() -> None:
    forget()  # queries that were written with the right weights
    with reopened(WEIGHTS), pytest.raises(FoundError, match="in squared L2"):
        _run_short(["Arrow"], questions=3)
    forget()


def test_the_short_run_finds_rows_that_are_weighed_before_they_are_joined() -> None:
    forget()
    with reopened(JOINS), pytest.raises(FoundError, match="priced"):
        _run_short(["Arrow"], questions=3)
    forget()


@pytest.mark.parametrize("hole", [ONCE_FOR_EACH_ROW, WITH_NOBODY])
def test_profiles_of_the_pairs_of_the_short_run_find_a_hole_in_them(
    hole: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def profiled(both: Both, *_: object) -> None:
        both.suggest("stay", "ward")

    monkeypatch.setattr(example, "_tell", profiled)
    with reopened(hole), pytest.raises(FoundError, match="people by size move by"):
        _run_short(["Arrow"], questions=2)


@pytest.mark.slow
def test_the_short_run_finds_a_planner_that_is_kept_busy() -> None:
    with pytest.raises(FoundError):
        plan_many(1, IN_THE_SHORT_RUN, PLANNING)


def _run_short(stores: Sequence[str], questions: int = 1) -> None:
    for number in closely():
        for store in stores:
            run(STORES[store], number, Counts(), questions)


def test_rows_without_an_id_are_units_of_their_own_in_a_profile() -> None:
    """Two of them may come with a person who comes; one more than is known of is found."""

    def visits(people: int, without_id: int) -> dp.Table:
        ids = [*map(str, range(people)), *[None] * without_id]
        return dp.table(
            pandas.DataFrame({"id": ids, "stay": [5] * len(ids)}),
            name="visits",
            unit="id",
            max_rows=2,
            columns={"stay": dp.number(0, 60)},
            budget=dp.Budget(epsilon=9, delta="0.001"),
            ledger=":memory:",
        )

    with visits(40, 3) as before, visits(41, 5) as after:
        Both((before, after), Counts(), without_id=2).suggest("stay")
        with pytest.raises(FoundError, match="people by size move by 2, priced are 1"):
            Both((before, after), Counts(), without_id=1).suggest("stay")
