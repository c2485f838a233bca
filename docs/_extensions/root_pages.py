"""Pages of the root of the repository on the site: a page here stands for each, and links to it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the tests, which read this, have no Sphinx
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
PAGES = {
    "security": "SECURITY.md",
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
}


def read_page(app: "Sphinx", name: str, source: list[str]) -> None:
    """The page itself in the place of the one that stands for it, and links to it from others."""
    if name in PAGES:
        text = (ROOT / PAGES[name]).read_text("utf-8")
        source[0] = re.sub(r"\]\((?:docs/)?([^):]+)\)", _link, text)
    else:
        for page, file in PAGES.items():
            source[0] = source[0].replace(f"../{file}", f"{page}.md")


def _link(found: re.Match[str]) -> str:
    return f"](/{found[1]})" if found[0].startswith("](docs/") else f"](../{found[1]})"


def setup(app: "Sphinx") -> dict[str, bool]:
    app.connect("source-read", read_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
