"""Words that need it are explained in the glossary; a page links to it where it first says them."""

import re
from pathlib import Path

import pytest

from tests.docs.test_links import CODE, FENCED, anchors

DOCS = Path(__file__).parents[2] / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text("utf-8")
PAGES = [
    page
    for folder in ("tutorials", "how-to", "explanation")
    for page in sorted((DOCS / folder).glob("*.md"))
]
WORDS = {
    "budget": r"budgets?",
    "cap": r"caps?",
    "ceiling": r"ceilings?",
    "certificate": r"certificates?",
    "ε-epsilon": "ε",
    "δ-delta": "δ",
    "ρ-and-zcdp": "ρ|zCDP",
    "ledger": r"ledgers?",
    "mechanism": r"mechanisms?",
    "neighbors": r"neighbors?",
    "policy": r"policy|policies",
    "profile": r"profiles?",
    "sensitivity": r"sensitivity|sensitivities",
}
"""How the words are said that a page may not use without telling where they are explained."""
LINKED = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")


def prose(text: str) -> str:
    """The sentences of a page: no code, headings, tables, pictures or formulas."""
    plain = FENCED.sub("", text)
    lines = re.sub(r"^(#|\|).*$|!\[[^\]]*\]\([^)]*\)", "", plain, flags=re.MULTILINE)
    return CODE.sub(" ", re.sub(r"\$\$.*?\$\$", "", lines, flags=re.DOTALL))


def unexplained(text: str) -> list[str]:
    """The words that a page says before it links to them in the glossary."""
    plain = prose(text)
    found = []
    for anchor, pattern in WORDS.items():
        word = re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)
        linked = re.search(rf"\[([^\]]*)\]\(\.\./glossary\.md#{anchor}\)", plain)
        said = word.search(LINKED.sub(_without_target, plain))
        if said and not (linked and linked.start() < said.start() < linked.end()):
            found.append(anchor)
    return found


def _without_target(link: re.Match[str]) -> str:
    """The text of a link to the glossary; nothing of another, which leads to where it is said."""
    shown = f"[{link[1]}]" if "glossary.md" in link[2] else ""
    return shown.ljust(len(link[0]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_word_is_linked_where_a_page_first_says_it(page: Path) -> None:
    assert unexplained(page.read_text("utf-8")) == []


def test_every_word_stands_in_the_glossary() -> None:
    assert set(WORDS) <= anchors(GLOSSARY)


FIELD = {
    "down-weighting": ("how-to/know_what_caps_leave_out.md", "explanation/choosing_caps.md"),
    "contribution bound": ("how-to/know_what_caps_leave_out.md", "explanation/choosing_caps.md"),
    "partition selection": ("tutorials/first_table.md", "explanation/faq.md"),
    "truncation bias": (
        "how-to/know_what_caps_leave_out.md",
        "explanation/what_an_interval_covers.md",
    ),
    "confidence interval": (
        "how-to/know_what_caps_leave_out.md",
        "explanation/what_an_interval_covers.md",
    ),
    "distribution": ("how-to/publish_a_table_of_tables.md",),
    "neighboring relation": ("reference/policy.md",),
}
"""The words of the field for what has another name here, and the pages about it."""


@pytest.mark.parametrize("word", FIELD)
def test_whoever_searches_for_the_word_of_the_field_finds_the_page(word: str) -> None:
    assert word in GLOSSARY
    for page in FIELD[word]:
        assert word in (DOCS / page).read_text("utf-8")


def test_the_glossary_is_in_order() -> None:
    spelled = {"δ": "delta", "ε": "epsilon", "ρ": "rho"}
    names = [spelled.get(name[0], name) for name in re.findall(r"^## (.+)$", GLOSSARY, re.M)]
    assert names == sorted(names, key=str.casefold)


@pytest.mark.parametrize(
    "text",
    [
        "The cap is 5.",
        "Caps, and [caps](../glossary.md#cap).",
        "[What](../glossary.md#cap) a cap is.",
        "[A cap](choosing_caps.md), and a cap.",
    ],
)
def test_a_word_without_a_link_is_seen(text: str) -> None:
    assert unexplained(text) == ["cap"]


@pytest.mark.parametrize(
    "text",
    [
        "The [caps](../glossary.md#cap) are 5. A cap is enough.",
        "# Caps\n`cap`\n| cap |\n```text\ncap\n```\nA captain.",
        "[know what caps leave out](know.md)",
    ],
)
def test_a_word_that_is_linked_or_no_word_is_not(text: str) -> None:
    assert unexplained(text) == []
