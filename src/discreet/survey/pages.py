"""The files of the pages, and the pages filled in."""

from importlib.resources import files
from typing import Final

from discreet.survey.poll import Poll
from discreet.survey.poll_schemes import KINDS
from discreet.templates import rendered

_STATIC: Final = (
    "page.js",
    "randomizer.js",
    "ballot.js",
    "texts.js",
    *(f"schemes/{name}.js" for name in (*KINDS, "mean")),
    "results.js",
    "operator.js",
    "chart.js",
    "results_part.js",
    "survey.css",
    "icon.svg",
)
_TYPES: Final = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


def static_files() -> dict[str, tuple[bytes, str]]:
    """The files that pages load, with their types."""
    folder = files("discreet.survey") / "page"
    shared = files("discreet.web")
    places = {"style.css": shared / "style.css"} | {name: folder / name for name in _STATIC}
    return {
        name: (place.read_bytes(), _TYPES[name.rpartition(".")[2]])
        for name, place in places.items()
    }


def rendered_page(poll: Poll, name: str) -> str:
    """A page, in the language of its texts."""
    from markupsafe import escape

    texts = poll.texts
    return rendered(
        f"survey/page/{name}",
        title=escape(poll.title),  # whose letters were looked at when the poll was read
        plain_title=poll.title,
        poll_language=poll.language,
        language=texts.language,
        direction=texts.direction,
        say=lambda name, **values: escape(texts.say(name, **values)),
    )
