"""The lessons keep their form: attacks that are measured, solutions that are tested."""

import ast
import re

import pytest

from tests.docs.test_code_blocks import Block, blocks
from tests.support.clone import ROOT

LESSONS = sorted((ROOT / "docs" / "course").glob("[0-9]_*.md"))
INDEX = (ROOT / "docs" / "course" / "index.md").read_text("utf-8")
BOX = re.compile(r'(?ms)^## Break it yourself: .*?\n\n<div class="admonition.*?^</div>$')
EXERCISE = re.compile(r"(?m)^\*\*\d\. ")
SOLUTION = re.compile(r"(?ms)^<details>\n<summary>Solution</summary>\n\n(.*?)^</details>$")


def python(text: str) -> list[Block]:
    return [block for block in blocks(text) if block.language == "python"]


def asserts(text: str) -> int:
    trees = [ast.parse(block.text) for block in python(text)]
    return sum(isinstance(node, ast.Assert) for tree in trees for node in ast.walk(tree))


def test_there_are_five_lessons_and_the_index_names_each_with_its_notebook() -> None:
    assert len(LESSONS) == 5
    for page in LESSONS:
        title = page.read_text("utf-8").splitlines()[0]
        number, name = re.fullmatch(r"# Lesson (\d)\. (.+)", title).groups()
        assert page.name.startswith(number)
        assert (
            f"| {number}. [{name}]({page.name}) ([notebook](notebooks/{page.stem}.ipynb)) |"
            in INDEX
        )


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_a_lesson_says_what_it_teaches_and_links_the_glossary(page) -> None:
    text = page.read_text("utf-8")
    assert text.splitlines()[2].startswith("**After this lesson you can** ")
    assert text.count("](../glossary.md)") >= 4
    assert re.search(r"(?m)^!\[", text), "no picture"
    words = len(re.sub(r"(?ms)^```.*?^```$", "", text).split())
    assert 1_500 <= words <= 2_500


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_every_attack_is_run_against_both_and_states_its_statistics(page) -> None:
    boxes = BOX.findall(page.read_text("utf-8"))
    assert boxes
    for box in boxes:
        assert "**The statistics.** " in box
        assert asserts(box) >= 2, "one for what breaks, one for what holds"


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_every_exercise_has_a_solution_that_asserts_its_claim(page) -> None:
    exercises = page.read_text("utf-8").partition("\n## Exercises\n")[2]
    parts = EXERCISE.split(exercises)[1:]
    assert 3 <= len(parts) <= 6
    for part in parts:
        solutions = SOLUTION.findall(part)
        assert len(solutions) == 1
        assert asserts(solutions[0]) >= 1
    assert python(SOLUTION.sub("", exercises)) == [], "code of an exercise is in its solution"
