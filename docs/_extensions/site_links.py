"""Finds links on the built site that lead nowhere: a file that is not there, or a place on none.

python docs/_extensions/site_links.py docs/_build lists them, and ends with 1 if there are any.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the places on it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name in ("id", "name") and value is not None:
                self.places.add(value)


def broken(folder: Path) -> Iterator[str]:
    """Each link within the site to a file or a place that is not there."""
    folder = folder.resolve()
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not (target.is_file() and target.is_relative_to(folder)):
                yield f"{path.relative_to(folder)}: {link} is not there"
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{path.relative_to(folder)}: {link} is no place on that page"


def main() -> None:
    found = list(broken(Path(sys.argv[1])))
    sys.stdout.writelines(f"{line}\n" for line in found)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
