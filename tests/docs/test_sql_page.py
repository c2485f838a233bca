"""The page "SQL you can ask" says what is offered, and every example on it holds."""

import sys
from pathlib import Path

import pytest

from discreet.errors import DiscreetError
from discreet.plan.columns import boolean, category, date, integer, number, text
from discreet.plan.schema import Beside, Public, Schema
from discreet.plan.types import check
from discreet.question.check import checked
from discreet.sql import offered, statements
from discreet.sql.select import explained, parse_select
from discreet.sql.text import parse_expression
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
    },
    unit="patient_id",
    max_rows=10,
    max_groups=3,
    private={
        "patients": Beside(
            columns={"sex": category(["f", "m"]), "age": integer(0, 120)}, unit="patient_id"
        )
    },
    public={
        "wards": Public(
            columns={"ward": category(["A", "B", "C"]), "region": category(["north", "south"])},
            most={"ward": 1},
        )
    },
)
QUESTIONS = [
    *(one.example for one in (*statements.AGGREGATES, *statements.CLAUSES, *statements.TABLES)),
    *(one.instead for one in statements.REFUSED),
]
VALUES = [one.example for one in (*offered.WRITTEN, *offered.OPERATORS, *offered.FUNCTIONS)]


def asked(question: str) -> None:
    checked(parse_select(explained(question) or question, VISITS), VISITS)


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


@pytest.mark.parametrize("refusal", statements.REFUSED, ids=lambda one: one.example)
def test_every_question_that_the_page_calls_refused_is(refusal: statements.Refusal) -> None:
    with pytest.raises(DiscreetError):
        asked(refusal.example)


@each("value", VALUES)
def test_every_value_of_a_row_on_the_page_is_read(value: str) -> None:
    check(parse_expression(value), VISITS.columns)
    asked(f"SELECT COUNT({value}) FROM visits")


@each("name", sorted(offered.CALLED))
def test_every_function_on_the_page_is_read_by_all_its_names(name: str) -> None:
    (one,) = [one for one in offered.FUNCTIONS if name in (one.name, *one.also)]
    example = one.example.replace(one.name, name, 1)
    if name == "DATE_PART":
        example = "DATE_PART('year', admitted)"
    asked(f"SELECT COUNT({example}) FROM visits")
