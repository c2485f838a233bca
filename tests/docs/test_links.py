"""Links between files lead somewhere, also from the pages that no site is built from."""

import re

import pytest

from tests.docs.test_code_blocks import PAGES
from tests.support.clone import ROOT

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#([\w-]+))?\)")
FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.M | re.S)


def anchors(text: str) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.M)
    plain = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def broken(page: str, text: str) -> list[str]:
    """The links of a page to files, or headings of them, that are not there."""
    found = []
    for path, anchor in LINK.findall(FENCED.sub("", text)):
        target = (ROOT / page).parent / path
        if not target.exists():
            found.append(path)
        elif anchor and anchor not in anchors(target.read_text("utf-8")):
            found.append(f"{path}#{anchor}")
    return found


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    pages = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in PAGES}
    assert {page: found for page, text in pages.items() if (found := broken(page, text))} == {}


@pytest.mark.parametrize(
    "link", ["nowhere.md", "docs/glossary.md#nothing-like-this", "../README.md"]
)
def test_a_link_to_nowhere_is_seen(link: str) -> None:
    assert broken("README.md", f"See [this]({link}).")
    assert not broken(
        "README.md", "See [this](docs/glossary.md) and [that](https://docs.python.org)."
    )
