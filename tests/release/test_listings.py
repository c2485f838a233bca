"""SHOW TABLES, SHOW COLUMNS and DESCRIBE: declarations, read by nobody but the schema."""

from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.errors import QueryError
from discreet.plan.schema import LookupTable, PartnerTable, Schema, category, integer, number, text
from discreet.release.listings import read_listing
from discreet.sql.read.parser import is_listing
from tests.support.visits_policy import write_visits

CLINIC = Schema(
    name="visits",
    columns={"ward": category(["A", "B"]), "stay": number(0, 60), "a name": text()},
    unit="patient_id",
    private={"people": PartnerTable(columns={"age": integer(0, 120)}, unit="who")},
    public={"wards": LookupTable(columns={"ward": category(["A", "B"])}, most={"ward": 1})},
)


@pytest.mark.parametrize(
    "asked",
    ["SHOW TABLES", " show\ttables ; ", "SHOW COLUMNS", 'show columns in "a ""b"', "DESC zürich;"],
)
def test_what_lists_is_told_from_questions(asked: str) -> None:
    assert is_listing(asked)


@pytest.mark.parametrize(
    "asked",
    [
        *("", "SHOW", "SHOW budget", "SHOW TABLES;;", "SHOW TABLES; SHOW TABLES", "DESCRIBE"),
        *("DESCRIBE a b", "DESCRIBE a; DROP TABLE a", "SHOW COLUMNS a", "ſHOW TABLES"),
        *("DESCRIBE SELECT COUNT(*) FROM visits", "EXPLAIN SHOW TABLES", "SELECT 'SHOW TABLES'"),
        None,
    ],
)
def test_what_does_not_list_is_read_as_a_question(asked: Any) -> None:
    assert not is_listing(asked)


def test_all_declared_tables_are_shown() -> None:
    found = read_listing("SHOW TABLES", CLINIC)
    assert found.to_dict() == {
        "table": ["visits", "people", "wards"],
        "kind": ["private", "private, about the same people", "public"],
    }
    assert len(found) == 3


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        ("SHOW COLUMNS", ["ward", "stay", "a name", "patient_id"]),
        ("DESCRIBE VISITS", ["ward", "stay", "a name", "patient_id"]),
        ("SHOW COLUMNS FROM people", ["age", "who"]),
        ('DESC "wards"', ["ward"]),
    ],
)
def test_the_columns_of_any_declared_table_are_shown(asked: str, columns: list[str]) -> None:
    found = read_listing(asked, CLINIC)
    assert [row[0] for row in found] == columns
    pandas.testing.assert_frame_equal(found.to_pandas(), pandas.DataFrame(found.to_dict()))


def test_another_table_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(QueryError, match=r"Did you mean 'wards'\? .*: visits, people, wards\."):
        read_listing("DESCRIBE ward", CLINIC)


def test_the_table_lists_without_a_price_a_row_or_a_charge(tmp_path: Path) -> None:
    policy = write_visits(tmp_path)
    with dp.table(str(policy)) as table:
        assert [row[0] for row in table.sql("SHOW COLUMNS")][:2] == ["ward", "stay"]  # type: ignore[union-attr]
        assert "one of 3 values: A, B, C" in repr(table.sql("DESCRIBE visits"))
        assert table.budget.charges == 0
