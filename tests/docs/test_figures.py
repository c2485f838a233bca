"""The figures of the documentation are what the product draws, and each stands on a page."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_figures_are_those_that_are_drawn() -> None:
    sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
    try:
        import figures
    finally:
        sys.path.pop(0)
    kept = {path.name: path.read_text("utf-8") for path in figures.FOLDER.iterdir()}
    drawn = figures.figures()
    assert sorted(kept) == sorted(drawn)
    stale = [name for name in drawn if kept[name] != drawn[name]]
    assert stale == [], "run python docs/_extensions/figures.py"


def test_every_figure_stands_on_a_page_and_says_what_it_shows() -> None:
    used = set()
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*/*.md")]:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).is_file(), f"{page}: {target}"
            assert len(words) > 40, f"{page}: {target} has no words for those who cannot see it"
            used.add((page.parent / target).resolve())
    assert used == {path.resolve() for path in (ROOT / "docs" / "figures").iterdir()}
