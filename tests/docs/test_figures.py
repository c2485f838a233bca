"""The figures of the documentation are what the product draws, and each stands on a page."""

import re
import sys
from pathlib import Path

import pytest

from discreet.ledger import Ledger

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
try:
    import figures  # type: ignore[import-not-found]
finally:
    sys.path.pop(0)


@pytest.mark.slow
def test_the_figures_are_those_that_are_drawn() -> None:
    kept = {path.name: path.read_text("utf-8") for path in figures.FOLDER.iterdir()}
    drawn = figures.figures()
    assert sorted(kept) == sorted(drawn)
    stale = [name for name in drawn if kept[name] != drawn[name]]
    assert stale == [], "run python docs/_extensions/figures.py"


def test_every_figure_stands_on_a_page_and_says_what_it_shows() -> None:
    used = set()
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*/*.md")]
    for page in pages:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).is_file(), f"{page}: {target}"
            assert len(words) > 40, f"{page}: {target} has no words for those who cannot see it"
            used.add((page.parent / target).resolve())
    assert used == {path.resolve() for path in (ROOT / "docs" / "figures").iterdir()}


def test_the_answer_that_the_readme_shows_is_the_one_that_is_drawn() -> None:
    with figures.demo_answer() as answer:
        shown, _, _ = repr(answer).partition("\n\n")
    assert f"```text\n{shown}\n```" in (ROOT / "README.md").read_text("utf-8")


def test_the_answer_that_is_drawn_was_paid_for() -> None:
    with Ledger(figures.LEDGER, read_only=True) as ledger:
        assert ledger.verify().sound
        kinds = [entry.kind for entry in ledger.history()]
    assert kinds == ["dataset", "charge", "released", "charge", "released"]
