"""What is shown in a notebook, and printed: the same facts, as text that is only text."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

import discreet as dp
from discreet.question.builder import col, people, rows
from tests.release.released import HOSTILE, released, visits


class Cells(HTMLParser):
    """The texts of a form, whose every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, _: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def forms() -> Iterator[dict[str, Any]]:
    with visits(HOSTILE, unit="patient", max_groups=2, max_rows=5) as table:
        asked = table.group_by("ward").agg(**{"<b>n</b>": people(), "m": col("stay").mean()})
        plan = asked.plan(epsilon=5, delta="1e-4")
        answer = plan.release()
        respondents = dp.local.RandomizedResponse(epsilon=1, categories=["<b>", "a", "b"])
        yield {
            "plan": plan,
            "table": table,
            "info": table.info(),
            "budget": table.budget,
            "estimates": answer["<b>n</b>"],
            "certificate": answer.certificate,
            "local": respondents.estimate(["a"] * 50),
        }


@pytest.mark.parametrize(
    "name", ["plan", "table", "info", "budget", "estimates", "certificate", "local"]
)
def test_every_form_is_a_table_of_plain_text(forms: dict[str, Any], name: str) -> None:
    shown = Cells(forms[name]._repr_html_())
    assert shown.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "p", "bdi"}
    assert {"table", "tr", "td"} <= shown.tags
    assert not any(letter in text for text in shown.texts for letter in "\x1b\u202e")


def test_a_plan_shows_what_it_prints(forms: dict[str, Any]) -> None:
    plan, shown = forms["plan"], Cells(forms["plan"]._repr_html_()).texts
    for line in plan.priced_lines:
        assert {line.output, line.mechanism, line.margin_text, line.price} - {""} <= set(shown)
    assert (
        f"costs {plan.price_text}, {plan.budget_text}; nothing is spent until .release()" in shown
    )
    assert all(f"note: {note}" in shown for note in plan.notes)


def test_a_budget_and_a_table_show_what_is_left(forms: dict[str, Any]) -> None:
    budget = forms["budget"]
    shown = Cells(budget._repr_html_()).texts
    assert {"visits", str(budget.cap), budget.spent_text, budget.guarantee} <= set(shown)
    assert any(budget.left in text for text in shown)
    about = " ".join(Cells(forms["table"]._repr_html_()).texts)
    assert "each patient" in about
    assert all(name in about for name in ("ward", "stay", "age", "admitted"))
    assert budget.left in about


def test_estimates_show_every_number_and_what_they_cost(forms: dict[str, Any]) -> None:
    for name in ("estimates", "local"):
        found, shown = forms[name], Cells(forms[name]._repr_html_()).texts
        assert all(estimate.text in shown for estimate in found.values())
        assert f"together {found.loss}" in shown


def test_an_answer_prints_its_notes() -> None:
    answer = released(
        lambda table: table.group_by("ward").agg(n=rows(), m=col("stay").quantile(0.5)),
        unit="patient",
        max_groups=2,
        max_rows=5,
    )
    assert len(answer.notes) > 2
    printed = " ".join(str(answer).split())
    assert all(f"note: {' '.join(note.split())}" in printed for note in answer.notes)
    assert max(map(len, str(answer).splitlines())) <= 80
    assert answer.to_pandas().attrs["notes"] == answer.notes
