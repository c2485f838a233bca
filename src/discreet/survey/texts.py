"""The texts of the pages, in one table for each language."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Final

from discreet.errors import PolicyError

ENGLISH: Final = "en"
SHIPPED: Final = ("en", "ar")


@dataclass(frozen=True, slots=True)
class Texts:
    """A table of texts by name; in braces stands what is filled in."""

    language: str
    table: Mapping[str, str]

    def say(self, name: str, **values: object) -> str:
        """The text of this name, filled in."""
        return self.table[name].format(**values)

    @property
    def direction(self) -> str:
        """``ltr`` or ``rtl``."""
        return self.table["direction"]


def is_shipped(language: str) -> bool:
    """Whether there is a table in a language, by its first part."""
    return language.partition("-")[0].lower() in SHIPPED


def texts_in(language: str) -> Texts:
    """The texts in a language, by its first part: those in English if it has none here."""
    own = language.partition("-")[0].lower()
    if own not in SHIPPED:
        return Texts(ENGLISH, _shipped(ENGLISH))
    return Texts(language, _shipped(own))


def texts_from(name: str, text: str, language: str) -> Texts:
    """The texts of a file that somebody translated: every name of the English table, with the
    same fillings."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise PolicyError(
            f"{name} is not a table of texts. It is the JSON of discreet survey texts, translated. "
            "Write it with discreet survey texts > texts.json."
        )
    english = _shipped(ENGLISH)
    for key in [*english, *table]:
        own = table.get(key)
        if key not in english or not isinstance(own, str) or not _fits(own, english[key]):
            raise PolicyError(
                f"in {name}: the text {key[:60]!r} is missing, unknown, or fills in something "
                "else. Every text of the English table is translated, and keeps what stands in "
                "braces. Compare it with discreet survey texts."
            )
    if table["direction"] not in ("ltr", "rtl"):
        raise PolicyError(
            f"in {name}: the direction is neither ltr nor rtl. It is how the language is written. "
            'Write "direction": "ltr".'
        )
    return Texts(language, table)


def table_text(language: str) -> str:
    """The table of a language as a file to be translated."""
    return json.dumps(dict(texts_in(language).table), ensure_ascii=False, indent=1) + "\n"


def _fits(own: str, english: str) -> bool:
    try:
        return _fillings(own) <= _fillings(english)
    except ValueError:
        return False


def _fillings(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@cache
def _shipped(language: str) -> Mapping[str, str]:
    place = files("discreet.survey") / "page" / "texts" / f"{language}.json"
    table: dict[str, str] = json.loads(place.read_text("utf-8"))
    return table
