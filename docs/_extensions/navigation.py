"""The navigation of the site, made from lists of links that read well on a code host, too.

A page named index lists others: an item of a list, or a row of a table, begins with a link to one.
On the site every such page stands in the navigation, under the heading above it as its caption.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the tests, which read this, have no Sphinx
    from sphinx.application import Sphinx

_LISTED = re.compile(r"[-|] (?:\d+\. )?\[[^\]]+\]\((?P<page>[^):#]+)\.md\)")
_HEADING = re.compile(r"## (?P<text>.+)")


def listed(text: str) -> dict[str, list[str]]:
    """The pages that a page lists, by the heading above them, and by "" before the first.

    >>> listed("- [One](one.md)\\n## Tutorials\\n- [Two](a/two.md): x.\\n## None\\nSee [it](b.md)")
    {'': ['one'], 'Tutorials': ['a/two']}
    """
    found: dict[str, list[str]] = {}
    heading = ""
    for line in text.splitlines():
        if above := _HEADING.match(line):
            heading = above["text"]
        if item := _LISTED.match(line):
            found.setdefault(heading, []).append(item["page"])
    return found


def trees(text: str) -> Iterator[str]:
    """What Sphinx reads of them: a hidden table of contents for each heading."""
    for heading, pages in listed(text).items():
        caption = f":caption: {heading}\n" if heading else ""
        yield f"```{{toctree}}\n:hidden:\n{caption}\n" + "\n".join(pages) + "\n```\n"


def read_page(app: "Sphinx", name: str, source: list[str]) -> None:
    if name.rpartition("/")[2] == "index":
        source[0] = "\n".join([source[0], *trees(source[0])])


def setup(app: "Sphinx") -> dict[str, bool]:
    app.connect("source-read", read_page, priority=600)  # once root_pages has changed its links
    return {"parallel_read_safe": True, "parallel_write_safe": True}
