"""The page "SQL you can ask" says what is offered, and every example on it holds."""

import sys
from pathlib import Path

import pytest

from discreet.errors import DiscreetError
from discreet.plan.schema import (
    LookupTable,
    PartnerTable,
    Schema,
    boolean,
    category,
    date,
    datetime,
    integer,
    number,
    text,
)
from discreet.plan.types import check_expression
from discreet.question.check import checked_question
from discreet.release.listings import read_listing
from discreet.sql.read import allow_list
from discreet.sql.read.expressions import parse_expression
from discreet.sql.read.parser import is_listing
from discreet.sql.read.select import explained, parse_select
from tests.support.cases import each

ROOT = Path(__file__).parents[2]
YEARS = ("2020-01-01", "2026-12-31")
VISITS = Schema(
    name="visits",
    columns={
        "ward": category(["A", "B", "C"]),
        "stay": number(0, 60),
        "age": integer(0, 120),
        "cost": number(0, 1000),
        "smoker": boolean(),
        "diagnosis": text(),
        "admitted": date(*YEARS),
        "discharged": date(*YEARS),
        "arrived": datetime(*YEARS),
    },
    unit="patient_id",
    max_rows=10,
    max_groups=3,
    private={
        "patients": PartnerTable(
            columns={"sex": category(["f", "m"]), "age": integer(0, 120)}, unit="patient_id"
        )
    },
    public={
        "wards": LookupTable(
            columns={"ward": category(["A", "B", "C"]), "region": category(["north", "south"])},
            most={"ward": 1},
        )
    },
)
QUESTIONS = [
    *(one.example for one in (*allow_list.AGGREGATES, *allow_list.CLAUSES, *allow_list.TABLES)),
    *(one.instead for one in allow_list.REFUSED),
]
VALUES = [
    one.example for one in (*allow_list.WRITTEN, *allow_list.OPERATORS, *allow_list.FUNCTIONS)
]


def asked(question: str) -> None:
    checked_question(parse_select(explained(question) or question, VISITS), VISITS)


def test_the_page_is_what_the_lists_say() -> None:
    sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
    try:
        from sql_page import PAGE, page  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    assert PAGE.read_text("utf-8") == page(), "run python docs/_extensions/sql_page.py"


@each("question", QUESTIONS)
def test_every_question_on_the_page_is_answered(question: str) -> None:
    asked(question)


@pytest.mark.parametrize("refusal", allow_list.REFUSED, ids=lambda one: one.example)
def test_every_question_that_the_page_calls_refused_is(
    refusal: allow_list.UnansweredExample,
) -> None:
    with pytest.raises(DiscreetError):
        asked(refusal.example)


@each("value", VALUES)
def test_every_value_of_a_row_on_the_page_is_read(value: str) -> None:
    check_expression(parse_expression(value), VISITS.columns)
    asked(f"SELECT COUNT({value}) FROM visits")


@each("name", sorted(allow_list.CALLED))
def test_every_function_on_the_page_is_read_by_all_its_names(name: str) -> None:
    (one,) = [one for one in allow_list.FUNCTIONS if name in (one.name, *one.also)]
    example = one.example.replace(one.name, name, 1)
    if name == "DATE_PART":
        example = "DATE_PART('year', admitted)"
    asked(f"SELECT COUNT({example}) FROM visits")


@each("statement", [one.example for one in allow_list.LISTINGS])
def test_every_listing_is_read(statement):
    assert is_listing(statement)
    assert len(read_listing(statement, VISITS)) >= 2
