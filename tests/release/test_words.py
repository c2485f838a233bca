"""One of something is not called several, whatever says it."""

import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

import pytest

import discreet as dp
from discreet.cli.terminal import show_answer, show_plan
from discreet.errors import Front
from tests.golden.comparing import FOLDER

_SEVERAL = re.compile(
    r"(?<![\d.,/])1 (?:rows|groups|people|times|entries|questions|tables|reports|respondents|"
    r"values|keys|columns|outputs)\b"
)


def wrong(text: str) -> list[str]:
    return _SEVERAL.findall(text)


def test_no_golden_file_says_one_of_several() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert len(files) > 100
    assert [path for path in files if wrong(path.read_text("utf-8"))] == []


def test_a_table_of_one_says_no_several(visits: Callable[..., dp.Table]) -> None:
    table = visits(max_groups=1, max_rows=1, budget=dp.Budget(epsilon=20, delta="1e-3"))
    for answered in (
        table.agg(n=dp.rows(), p=dp.people(), m=dp.col("stay").median(), f=dp.col("stay").max()),
        table.group_by("ward").agg(n=dp.rows()),
    ):
        plan = answered.plan(epsilon=9)
        answer = plan.release()
        out = StringIO()
        with redirect_stdout(out):
            show_plan(plan)
            show_answer(answer, [])
        for text in (
            *(repr(plan), plan.explain(), repr(answer), answer.report(), answer._repr_html_()),
            *(answer.to_json(), str(answer.certificate.lines), out.getvalue()),
        ):
            assert not wrong(text), text


def test_one_of_several_would_be_found() -> None:
    assert wrong("at most 1 rows each")
    assert wrong("(1 groups)")
    assert not wrong("21 rows, 0.1 rows, 1,001 rows, 1 row, and 1 of 4 groups")


@pytest.mark.parametrize("front", [Front.PYTHON, Front.SQL, Front.COMMAND])
def test_a_plan_has_the_remedies_of_whoever_reads_it(
    visits: Callable[..., dp.Table], front: Front
) -> None:
    text = "SELECT ward, COUNT(*) AS n, AVG(stay) AS m FROM visits GROUP BY ward"
    plan = visits().ask(text).plan(epsilon=1)
    notes = " ".join(plan.notes_told(front))
    of_python = ("table.profile(", "expect_rows=500")
    of_commands = ("Find out once, by discreet profile", "--expect-rows 500")
    for words in of_python:
        assert (words in notes) == (front is Front.PYTHON), notes
    for words in of_commands:
        assert (words in notes) == (front is Front.COMMAND), notes
    assert all(words in repr(plan) for words in of_python)
    assert not any(words in repr(plan) for words in (*of_commands, "by discreet profile"))
