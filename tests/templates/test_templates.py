"""A template shows every value as text that is only text, and refuses what it was not given."""

from importlib.resources import files
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from discreet.templates import _environment, package_text, rendered
from discreet.text_table import TextTable
from tests.support.cases import each

PACKAGE = Path(str(files("discreet")))
TEMPLATES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.html"))


def shown(template: str, **values: object) -> str:
    return _environment().from_string(template).render(values)


@each(
    ("value", "text"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\" onload='x'", "&#34; onload=&#39;x&#39;"),
        ("R & D", "R &amp; D"),
        ("\u202eDRAW\x1b[2J", "�DRAW�[2J"),
        ("two\nlines", "two�lines"),
        (7, "7"),
    ],
)
def test_a_value_is_text_that_is_only_text(value: object, text: str) -> None:
    assert shown("{{ value }}", value=value) == text
    assert shown("{% macro m(x) %}{{ x }}{% endmacro %}{{ m(value) }}", value=value) == text


def test_line_ends_stay_where_the_template_says_so() -> None:
    assert shown("{{ value | e }}", value="<two>\nlines") == "&lt;two&gt;\nlines"


def test_what_a_template_was_not_given_is_an_error() -> None:
    for template in ("{{ absent }}", "{% if absent %}{% endif %}", "{{ value.absent }}"):
        with pytest.raises(UndefinedError):
            shown(template, value={})


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_page_of_the_package_is_a_template(name: str) -> None:
    _environment().get_template(name)
    assert "{% autoescape" not in package_text(name)


def test_what_a_template_takes_as_markup_is_known() -> None:
    """Each of these is made by discreet or by the library that draws, never by who asks."""
    taken = {
        (name, part.split("|")[0].strip())
        for name in TEMPLATES
        for part in package_text(name).split("{{")[1:]
        if "| safe" in part.partition("}}")[0]
    }
    assert taken == {
        ("learn/page/index.html", "script"),
        ("learn/page/index.html", "style"),
        ("plots/picture.html", "library"),
        ("plots/picture.html", "style"),
        ("plots/picture.html", "svg"),
        ("release/report.html", "figure[1]"),
        ("release/report.html", "style"),
    }


def test_a_page_is_found_by_its_path_in_the_package() -> None:
    table = TextTable(("", ""), (("<a>", "b"),), 1)
    assert rendered("table.html", table=table, below=[], left=2).count("&lt;a&gt;") == 1
