"""All texts of the pages are in one table, and a translated one is checked."""

import json
import re
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from discreet import templates
from discreet.errors import DiscreetError, PolicyError
from discreet.survey.poll import read_poll
from discreet.survey.texts import SHIPPED, table_text, texts_from, texts_in
from tests.support.cases import each
from tests.survey.conftest import Sites
from tests.survey.hosts import write_poll

PAGE = Path(templates.__file__).parents[0] / "survey" / "page"
ENGLISH: dict[str, str] = json.loads(table_text("en"))


def fillings(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", SHIPPED)
def test_every_language_has_every_text_with_the_same_fillings(language: str) -> None:
    table = dict(texts_in(language).table)
    assert list(table) == list(ENGLISH)
    for name, text in table.items():
        assert fillings(text) == fillings(ENGLISH[name]), name
        assert text.strip() == text or name == "comma"
    assert texts_from("x.json", table_text(language), language).table == table


def test_pages_and_scripts_say_what_is_in_the_table_and_all_of_it() -> None:
    """Names that are put together at run time are those of the families below."""
    families = ("told.", "shown.", "why.", "level.", "reassured.", "word.", "end.", "reading.")
    families += ("forged.", "often.", "operator.")
    said: set[str] = set()
    sources = [*PAGE.rglob("*.js"), *PAGE.glob("*.html"), *PAGE.parent.glob("*.py")]
    for source in sources:
        text = source.read_text("utf-8")
        said |= set(re.findall(r"""["']([a-z.-]+)["']""", text))
        for name in re.findall(r"""say\(\s*["']([a-z.-]+)["']""", text):
            assert name in ENGLISH, (source.name, name)
    unused = [name for name in ENGLISH if name not in said and not name.startswith(families)]
    assert set(unused) <= {"direction"}


def test_no_sentence_stands_in_a_page() -> None:
    for page in PAGE.glob("*.html"):
        bare = re.sub(r"\{[{%].*?[%}]\}|<[^>]*>", "", page.read_text("utf-8"), flags=re.DOTALL)
        assert set(bare.replace(",", " ").split()) <= {"CSV", "JSON"}


@each(
    ("change", "said"),
    [
        ({"send": None}, "'send' is missing"),
        ({"more": "x"}, "'more' is missing, unknown"),
        ({"send": 3}, "'send'"),
        ({"often": "{times} of {many}"}, "'often'"),
        ({"often": "{times"}, "'often'"),
        ({"direction": "up"}, "neither ltr nor rtl"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(change: dict[str, Any], said: str) -> None:
    table = {name: text for name, text in (ENGLISH | change).items() if text is not None}
    with pytest.raises(PolicyError, match=said):
        texts_from("x.json", json.dumps(table), "fr")
    with pytest.raises(PolicyError, match="not a table of texts"):
        texts_from("x.json", "[]", "fr")


def test_a_poll_names_its_language_and_its_own_texts(tmp_path: Path, site: Sites) -> None:
    assert read_poll(write_poll(tmp_path, language="ar-EG")).texts.direction == "rtl"
    plain = read_poll(write_poll(tmp_path, language="sw"))
    assert (plain.language, plain.texts.language, plain.texts.direction) == ("sw", "en", "ltr")
    own = {**ENGLISH, "send": "Tuma"}
    (tmp_path / "sw.json").write_text(json.dumps(own), "utf-8")
    made = site(language="sw", texts="sw.json")
    page = made.ask("GET", "/").text
    assert '<html lang="sw" dir="ltr">' in page
    assert ">Tuma</button>" in page
    for fields in ({"language": ""}, {"language": "e"}, {"language": "en us"}, {"texts": "no"}):
        with pytest.raises(DiscreetError, match=r"language|texts|cannot be read"):
            read_poll(write_poll(tmp_path, **fields))


def test_a_right_to_left_page_says_so_and_marks_of_direction_are_allowed(site: Sites) -> None:
    marked = "\u200fنعم\u200e \u061c!"
    flag = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    made = site(language="ar", title=f"م {flag}", answers=["لا", marked])
    page = made.ask("GET", "/").text
    assert '<html lang="ar" dir="rtl">' in page
    assert f">م {flag}</h1>" in page  # and nothing of it is marked as unseen
    assert made.ask("GET", "/api/poll").json()["questions"][0]["answers"][1] == marked


def test_a_title_is_only_text(site: Sites) -> None:
    page = site(title="<script>alert(1)</script> {{ 7 * 7 }} & {title}").ask("GET", "/results").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "&amp;lt;" not in page
    assert "49" not in page
    assert "{title}" in page
