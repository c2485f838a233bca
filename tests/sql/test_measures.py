"""The queries that measure a question: read once, exact about texts, the same on any thread."""

from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow
import pytest

from discreet.measures.measure import Norm, PeopleReading
from discreet.measures.moments import Moments
from discreet.plan.schema import ROW, Schema, category, number, text
from discreet.question.builder import AggregateExpression, col, people, rows
from discreet.question.check import Question
from discreet.sql.write.queries import keys_query, people_query, ranks_query, sums_query
from discreet.sql.write.rows import SPARK, Cells
from tests.support.measuring import asked

ODD = ("a", "A", "", " a", "a ", "it's", 'a"b', "é", "e\u0301", "\\n", "NULL")


def question(
    asking: dict[str, AggregateExpression],
    unit: str = "id",
    keys: Sequence[Any] = ("key",),
    **columns: Any,
) -> Question:
    declared = {"key": category(ODD), "value": number(0, 100), **columns}
    caps = {} if unit == ROW else {"max_rows": 2, "max_groups": 2}
    return asked(Schema(name="t", unit=unit, columns=declared, **caps), asking, tuple(keys))


def found(query: Any, data: dict[str, list[Any]], threads: int = 2) -> list[tuple[Any, ...]]:
    with duckdb.connect(config={"threads": threads}) as connection:
        connection.register("source", pyarrow.table(data))
        listed = connection.execute(query.sql("duckdb")).fetchall()
    return sorted(row for row in listed if row[0] is not None)  # rows in no group are not asked for


def sums(one: Question, cells: Cells = None, norm: Norm = Norm.L1) -> Any:
    return sums_query(one, list(one.measures), one.unit.weighed_by(norm), cells)[0]  # type: ignore[misc]


def test_rows_that_are_weighed_are_read_once() -> None:
    """A file that grows between two readings would break the weights' bound."""
    one = question({"n": rows()})
    ranked = question({"m": col("value").median()})
    by_rank = ranks_query(ranked, ranked.measures[0].value, ranked.unit)  # type: ignore[union-attr]
    for query in (*(sums(one, norm=norm) for norm in Norm), by_rank):
        assert "measured AS MATERIALIZED" in query.sql("duckdb")
        assert query.sql("duckdb").count("FROM source") == 1
    for norm in Norm:
        counted = people_query(one, PeopleReading(), one.unit.weighed_by(norm))
        assert counted.sql("duckdb").count("FROM source") == 1


def test_on_spark_rows_are_read_once_in_either_norm() -> None:
    one = question({"n": rows()})
    for norm in Norm:
        unit = one.unit.weighed_by(norm)
        for query in (
            sums_query(one, list(one.measures), unit, None, SPARK)[0],
            people_query(one, PeopleReading(), unit, None, SPARK),
        ):
            assert query.sql("spark").count("FROM source") == 1


@pytest.mark.parametrize("selected", [False, True])
def test_a_text_is_in_the_group_of_exactly_that_text(selected: bool) -> None:
    columns = {"key": text()} if selected else {}
    one = question({"n": rows()}, unit=ROW, **columns)
    words = (*ODD, "a\x00b", "a\nb") if selected else ODD
    cells = [(word,) for word in words] if selected else None
    data = {"key": [*words, "b", None, "á", "aa"], "value": [1.0] * (len(words) + 4)}
    assert found(sums(one, cells), data) == [(place, 1) for place in range(len(words))]


@pytest.mark.parametrize("norm", Norm)
def test_a_row_in_no_group_does_not_weigh_its_person_down(norm: Norm) -> None:
    one = question({"n": rows()})
    data = {"id": [1] * 6, "key": ["a", "A", *["elsewhere"] * 3, None], "value": [1.0] * 6}
    assert found(sums(one, norm=norm), data) == [(0, 1 << 30), (1, 1 << 30)]
    assert found(people_query(one, PeopleReading(), one.unit.weighed_by(norm)), data) == [
        (0, 1 << 30),
        (1, 1 << 30),
    ]


@pytest.mark.parametrize("scale", [1, 1 << 40, "text"])
def test_results_are_the_same_on_every_number_of_threads(scale: int | str) -> None:
    many = 20_000
    ids = [number_ * 7919 % 997 for number_ in range(many)]
    data = {
        "id": [f"person {one}" if scale == "text" else one * int(scale) for one in ids],
        "key": [ODD[place * 31 % 101 % len(ODD)] for place in range(many)],
        "value": [place % 1013 / 10 for place in range(many)],
    }
    both = question({"n": rows(), "s": col("value").sum()})
    unlisted = question({"n": people()}, key=text())
    for query in (
        *(sums(both, norm=norm) for norm in Norm),
        *(people_query(both, PeopleReading(), both.unit.weighed_by(norm)) for norm in Norm),
        keys_query(unlisted),
    ):
        assert found(query, data, 1) == found(query, data, 4) != []


@pytest.mark.slow
@pytest.mark.parametrize("many", [1 << 15, (1 << 15) + 1])
def test_the_last_of_many_groups_has_its_place_in_the_narrowest_type(many: int) -> None:
    keys = [f"key {place}" for place in range(many)]
    one = question({"n": rows(), "s": col("value").sum()}, key=category(keys))
    data = {"id": [1, 1], "key": [keys[-1]] * 2, "value": [100.0, 1e9]}
    ((cell, weight, present, total),) = found(sums(one), data)
    (block,) = (block for block in one.measures if isinstance(block, Moments))
    assert (cell, weight, present) == (many - 1, 2 << 30, 2 << 30)
    assert total == (2 << 30) * block.value.range.width


def test_squares_of_the_widest_range_are_exact() -> None:
    one = question({"v": col("value").var()}, value=number(0, 1 - 2**-16))
    (block,) = (block for block in one.measures if isinstance(block, Moments))
    assert block.value.range.width**2 > 1 << 31
    data = {"id": [1, 2], "key": ["a", "a"], "value": [1.0, 1.0]}
    ((_, _, _, _, squares),) = found(sums(one), data)
    assert squares == (2 << 30) * block.value.range.width**2
