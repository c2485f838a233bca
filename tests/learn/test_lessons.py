"""The page names the lessons of the course as the course does."""

import re

from discreet.learn.pages import static_files, whole_page
from tests.support.clone import ROOT

NAMED = re.compile(r"(Lesson \d) of the course: (.+?)\.</p>")
HEADINGS = {
    page.read_text("utf-8").splitlines()[0].removeprefix("# ")
    for page in (ROOT / "docs" / "course").glob("[0-9]_*.md")
}


def test_each_idea_names_a_lesson_by_the_heading_that_it_has() -> None:
    page = whole_page()
    named = [f"{lesson}. {title}" for lesson, title in NAMED.findall(page)]
    assert len(named) == page.count("<h2 ") == 6
    assert set(named) == HEADINGS


def test_the_page_and_its_files_show_no_mark_of_a_lost_letter() -> None:
    texts = [whole_page(), *(data.decode() for data, _ in static_files().values())]
    assert not any("\N{REPLACEMENT CHARACTER}" in text for text in texts)
