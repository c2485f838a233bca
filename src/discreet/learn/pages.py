"""The page, filled in: with the files that it loads, or as one file that holds them."""

from base64 import b64encode
from hashlib import sha256
from typing import Final

from discreet.templates import package_text, rendered

_TEMPLATE: Final = "learn/page/index.html"
_TITLE: Final = "Learn differential privacy"
_STATIC: Final = {
    "style.css": ("web/style.css", "text/css; charset=utf-8"),
    "learn.css": ("learn/page/learn.css", "text/css; charset=utf-8"),
    "learn.js": ("learn/page/learn.js", "text/javascript; charset=utf-8"),
    "icon.svg": ("learn/page/icon.svg", "image/svg+xml"),
}


def static_files() -> dict[str, tuple[bytes, str]]:
    """The files that the page loads, with their types."""
    return {name: (package_text(path).encode(), kind) for name, (path, kind) in _STATIC.items()}


def served_page() -> str:
    """The page as it is served, beside its files."""
    return rendered(_TEMPLATE, title=_TITLE)


def whole_page() -> str:
    """The page as one file, which loads nothing: its policy names its own style and script."""
    style = package_text("web/style.css") + package_text("learn/page/learn.css")
    script = package_text("learn/page/learn.js")
    policy = (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return rendered(_TEMPLATE, title=_TITLE, policy=policy, style=style, script=script)


def _source(text: str) -> str:
    """A text that is allowed by its hash."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
