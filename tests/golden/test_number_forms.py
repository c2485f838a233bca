"""A number and its error read the same in every form, for a question of each kind."""

import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from html import unescape
from io import StringIO
from pathlib import Path

import pytest

from discreet.cli.terminal import show_answer
from discreet.privacy.estimates import Estimate
from discreet.privacy.number_text import margin_text
from discreet.privacy.uncertainty import LinearError
from discreet.release.plan import Plan
from discreet.release.release import Release
from tests.golden import tables
from tests.golden.questions import QUESTIONS, write_tables

TAG = re.compile(r"<[^>]*>")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tables")
    write_tables(place)
    return place


@pytest.fixture(params=QUESTIONS)
def answered(folder: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Plan, Release]]:
    asked = QUESTIONS[request.param]
    with tables._opened(folder, asked.table) as table:
        plan = tables.planned(table, asked)
        yield plan, plan.release(analyst="ann", source=tables.SeededBits(1))


def squeezed(text: str) -> str:
    """The text without what differs by layout: blanks, and letters that Markdown escapes."""
    return re.sub(r"[\s\\│|]+", "", text)


def terminal(answer: Release) -> str:
    out = StringIO()
    with redirect_stdout(out):
        show_answer(answer, [])
    return out.getvalue()


def forms(answer: Release, folder: Path) -> dict[str, str]:
    """Every form that people read."""
    markdown = answer.save(folder / "answer.md").read_text("utf-8")
    return {
        "print": repr(answer),
        "notebook": unescape(TAG.sub("", answer._repr_html_())),
        "report": unescape(TAG.sub("", answer.report())),
        "terminal": terminal(answer),
        "Markdown": unescape(markdown),
    }


def test_every_form_has_the_text_of_the_estimate(
    answered: tuple[Plan, Release], tmp_path: Path
) -> None:
    _, answer = answered
    found = {name: squeezed(text) for name, text in forms(answer, tmp_path).items()}
    for column in answer.columns.values():
        for one in column[:40]:
            shown = one.printed()
            assert one.text.startswith(shown.text)
            for name, text in found.items():
                assert squeezed(shown.text) in text, name


def test_a_picture_shows_them_too(answered: tuple[Plan, Release]) -> None:
    _, answer = answered
    for name, column in answer.columns.items():
        spec = json.dumps(answer.plot(name).spec, ensure_ascii=False)
        texts = [one.printed() for one in column if isinstance(one.value, str | int | float)]
        drawn = [one for one in texts if json.dumps(one.text, ensure_ascii=False)[1:-1] in spec]
        cells = [one for one in texts if f'"text": "{one.value}"' in spec]
        assert max(len(drawn), len(cells)) >= min(len(texts), 1), name


def test_a_plan_shows_the_margin_that_the_answer_has(answered: tuple[Plan, Release]) -> None:
    plan, answer = answered
    if plan.question.strategy is not None:
        return  # it shows that of the least exact table
    for line in plan.lines:
        known = line.margin is not None and line.margin.value is not None
        if not known or line.output not in answer.columns or line.margin is None:
            continue
        for one in answer.columns[line.output][:1]:
            if is_plain_sum(one):
                assert one.printed().error.startswith(f"± {line.margin_text}"), line.output


def is_plain_sum(one: Estimate) -> bool:
    """Whether its error is known before it is measured, and the same on both sides."""
    if not isinstance(one.error, LinearError) or one.exact or one.moved is not None:
        return False
    lower, upper = one.noise_interval()
    return bool(upper - one.value == one.value - lower)


def test_files_hold_exact_numbers(answered: tuple[Plan, Release]) -> None:
    _, answer = answered
    for name, column in answer.columns.items():
        exact = f"{name}_exact" if f"{name}_exact" in answer.header else name
        assert [row[exact] for row in answer.rows()] == [one.value for one in column]
        for row, one in zip(answer.rows(), column, strict=True):
            if one.bounded and isinstance(one.value, int | float):
                lower, upper = one.interval()
                assert row[f"{name}_lower"] <= lower
                assert row[f"{name}_upper"] >= upper


def test_another_rounding_would_be_found() -> None:
    assert margin_text(0.0213) != f"{0.0213:.3f}"
    assert squeezed("25.487 ± 0.021") not in squeezed("a  25.487 ± 0.022")
