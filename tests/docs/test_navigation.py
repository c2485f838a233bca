"""Each page stands in the navigation once, under the kind of page that its folder is for."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
INDEX = DOCS / "index.md"

sys.path.insert(0, str(DOCS / "_extensions"))
try:
    import navigation  # type: ignore[import-not-found]
    import root_pages  # type: ignore[import-not-found]
finally:
    sys.path.pop(0)

KINDS = {
    "Tutorials": "tutorials",
    "How-to": "how-to",
    "Reference": "reference",
    "Explanation": "explanation",
    "Course": "course",
}


def listed(page: Path) -> dict[str, list[str]]:
    """The pages that a page lists under each heading, by their paths in docs."""
    root = {Path(file).stem: name for name, file in root_pages.PAGES.items()}
    found = {}
    for heading, names in navigation.listed(page.read_text("utf-8")).items():
        paths = [(page.parent / name).resolve() for name in names]
        found[heading] = [
            str(path.relative_to(DOCS)) if path.is_relative_to(DOCS) else root[path.name]
            for path in paths
        ]
    return found


def test_every_page_stands_in_the_navigation_once() -> None:
    pages = [page for page in sorted(DOCS.rglob("*.md")) if "_build" not in page.parts]
    lists = [listed(page) for page in pages if page.name == "index.md"]
    placed = sorted(name for one in lists for names in one.values() for name in names)
    assert placed == sorted(
        str(page.relative_to(DOCS).with_suffix("")) for page in pages if page != INDEX
    )


@pytest.mark.parametrize("heading", KINDS)
def test_what_stands_under_a_kind_is_of_that_kind(heading: str) -> None:
    elsewhere = {"glossary", "reference/lectures"}
    pages = set(listed(INDEX)[heading]) - elsewhere
    assert {name.split("/")[0] for name in pages} <= {KINDS[heading]}


def test_a_page_of_no_list_is_seen() -> None:
    assert navigation.listed("# Title\n\nSee [one](one.md).\n- see [two](two.md)\n") == {}


def test_the_site_reads_a_table_of_contents_for_each_heading() -> None:
    (tree,) = navigation.trees("# T\n\n## Tutorials\n\n- [One](a/one.md): it.\n- [Two](a/two.md)\n")
    assert tree == "```{toctree}\n:hidden:\n:caption: Tutorials\n\na/one\na/two\n```\n"
