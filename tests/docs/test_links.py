"""Every link on a page leads to a file and a heading that are there; addresses have their form.

No network is asked: whether an address on the web is there is not looked up.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
try:
    import site_links  # type: ignore[import-not-found]
finally:
    sys.path.pop(0)

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if "_build" not in page.parts),
    *sorted(ROOT.glob("examples/**/*.md")),
]
FENCED = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ *\[[^\]]+\]: *(\S+)", re.MULTILINE)
BARE = re.compile(r"<(https?:[^>]*)>|(?<![(<\w])(https?://[^\s)>\]]+)")
MARKUP = re.compile(r"\{[\w:-]+\}`|:[a-z]+:`|^\([^)]+\)=$|^:::|^%[ %]", re.MULTILINE)
"""What only the site understands, and a code host shows as it is."""
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def prose(text: str) -> str:
    """A page without its code, line for line."""
    plain = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    return CODE.sub(lambda span: "\n" * span[0].count("\n") + "code", plain)


def links(text: str) -> list[str]:
    """Where a page links to."""
    plain = prose(text)
    bare = [one or other for one, other in BARE.findall(plain)]
    return [*LINK.findall(plain), *REFERENCE.findall(plain), *bare]


def anchors(text: str) -> set[str]:
    """The places of a page that can be linked to: its headings, as code hosts name them."""
    used: Counter[str] = Counter()
    found = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.replace("\\", "").lower()).replace(" ", "-")
        found.add(f"{name}-{used[name]}" if used[name] else name)
        used[name] += 1
    return found


@cache
def anchors_of(path: Path) -> set[str]:
    return anchors(path.read_text("utf-8"))


def broken(page: Path, text: str) -> Iterator[str]:
    """The links of a page that lead nowhere, or have no form."""
    for link in links(text):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if not well_formed(link):
                yield f"{link} is no address"
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        there = target == page or target.exists()
        if not (there and target.is_relative_to(ROOT)):
            yield f"{link} is not there"
        elif parts.fragment and target.suffix == ".md":
            known = anchors(text) if target == page else anchors_of(target)
            if unquote(parts.fragment) not in known:
                yield f"{link} is no heading of that page"


def well_formed(address: str) -> bool:
    """Whether an address on the web could be one; those of examples end as no host can."""
    parts = urlsplit(address)
    if parts.scheme == "mailto":
        return re.fullmatch(r"[^@\s]+@[\w-]+(\.[\w-]+)+", parts.path) is not None
    host = parts.hostname or ""
    return parts.scheme == "https" and re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", host) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(broken(page, page.read_text("utf-8"))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_reads_well_where_no_site_was_built(page: Path) -> None:
    assert MARKUP.findall(FENCED.sub("", page.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "text", ["{ref}`there`", "See :func:`it`.", "(there)=\n# There", ":::{note}", "% a comment"]
)
def test_what_only_the_site_understands_is_seen(text: str) -> None:
    assert MARKUP.search(text)


def test_there_are_links() -> None:
    found = [link for page in PAGES for link in links(page.read_text("utf-8"))]
    assert len(found) > 300
    assert any("#" in link for link in found)


@pytest.mark.parametrize(
    "text",
    [
        "[it](nowhere.md)",
        "![it](figures/none.svg)",
        "[it](README.md#no-such-heading)",
        "# One\n[it](#two)",
        "[it](../../../../etc/hostname)",
        "[it]: nowhere.md",
        "[it](http://example.org)",
        "[it](https://localhost/x)",
        "<https://example>",
        "[it](mailto:nobody)",
    ],
)
def test_a_link_that_leads_nowhere_is_seen(text: str) -> None:
    assert len(list(broken(ROOT / "page.md", text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[it](docs/index.md#tutorials)",
        '[it](docs/index.md "the first page")',
        "# One `dp.count`, *two*\n[it](#one-dpcount-two)",
        "# One\n# One\n[it](#one-1)",
        "`[it](nowhere.md)`",
        "```text\n[it](nowhere.md)\n```",
        "[it](https://example.org/a_(b)) and <https://example.org/?q=1>",
    ],
)
def test_a_link_that_leads_somewhere_is_not(text: str) -> None:
    assert list(broken(ROOT / "page.md", text)) == []


def test_links_on_the_site_are_compared_with_its_places(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top"></h1><a href="a/b.html#here">1</a><a href="#top">2</a><a href="?q=1">3</a>'
        '<a href="https://example.org">4</a><img src="a/none.svg"><a href="a/b.html#gone">5</a>'
        '<a href="../outside.html">6</a>'
    )
    (tmp_path / "a" / "b.html").write_text('<p id="here"><a href="../index.html">back</a></p>')
    assert list(site_links.broken(tmp_path)) == [
        "index.html: a/none.svg is not there",
        "index.html: a/b.html#gone is no place on that page",
        "index.html: ../outside.html is not there",
    ]


def test_no_page_shows_the_mark_of_a_lost_letter() -> None:
    notebooks = [*ROOT.glob("examples/**/*.ipynb"), *ROOT.glob("docs/course/notebooks/*.ipynb")]
    pictures = ROOT.glob("docs/figures/*.svg")
    for page in [*PAGES, *notebooks, *pictures]:
        assert "\N{REPLACEMENT CHARACTER}" not in page.read_text("utf-8"), page
