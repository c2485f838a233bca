"""Columns as a policy declares them: ``stay = { low = 0, high = 60 }``."""

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from discreet.errors import BoundsError, Front, PrivacyParameterError
from discreet.plan.columns import Column, boolean, category, date, integer, number, text
from discreet.policy.file import Keys, PolicyFile

_BOUNDED: Final[dict[str, Callable[..., Column]]] = {
    "number": number,
    "integer": integer,
    "date": date,
}
_PLAIN: Final[dict[str, Callable[[], Column]]] = {"boolean": boolean, "text": text}
TYPES: Final = (*_BOUNDED, *_PLAIN, "category")

_EXAMPLES: Final = {
    "number": "{ low = 0, high = 60 }",
    "integer": '{ type = "integer", low = 0, high = 120 }',
    "date": '{ type = "date", low = "2020-01-01", high = "2026-12-31" }',
    "boolean": '{ type = "boolean" }',
    "text": '{ type = "text" }',
    "category": '{ values = ["A", "B", "C"] }',
}
_USUAL: Final = ["number", "date", "category", "text"]
_FIELDS: Final = {"number": ("type", "low", "high", "default"), "category": ("type", "values")}


def read_columns(policy: PolicyFile, declared: Any, within: Keys) -> dict[str, Column]:
    """The columns that a table of the policy declares, in its order."""
    if not isinstance(declared, dict):
        heading = ".".join(map(toml_key, within))
        raise policy.error(
            "columns is not a table.",
            "It declares the columns that may be asked about, each by its name. Write "
            f"[{heading}] on a line of its own, and below it stay = {_EXAMPLES['number']}.",
            "columns",
            within[:-1],
        )
    return {name: _Reader(policy, within, name).column(form) for name, form in declared.items()}


@dataclass(frozen=True, slots=True)
class _Reader:
    """One column of a policy being read."""

    policy: PolicyFile
    within: Keys
    name: str

    def column(self, form: object) -> Column:
        if not isinstance(form, dict) or not form:
            kind = form if isinstance(form, str) and form in TYPES else None
            raise self._refused(
                "does not say what it holds." if not form else "is not a declaration.",
                "Public bounds or values are declared, and never read from the data.",
                *([kind] if kind else _USUAL),
            )
        kind = self._kind(form)
        known = _FIELDS.get("number" if kind in _BOUNDED else kind, ("type",))
        for field in form:
            if field not in known:
                if field in ("low", "high", "values", "default"):
                    raise self._refused(
                        f"is of type {kind!r}, and has {field!r}.",
                        "Numbers and dates have bounds, a category has values, others have "
                        "neither.",
                        kind,
                        "category" if field == "values" else "number",
                    )
                raise self.policy.unknown(field, known, (*self.within, self.name))
        return self._made(kind, form)

    def _kind(self, form: dict[str, Any]) -> str:
        """The type that is stated, or the one that the other fields can only mean."""
        stated = form.get("type")
        if stated is None:
            if "values" in form:
                return "category"
            ends = [form[end] for end in ("low", "high") if end in form]
            if ends and all(isinstance(end, datetime.date) for end in ends):
                return "date"
            if ends and all(isinstance(end, int | Decimal) for end in ends):
                return "number"
            example = "date" if ends else "number"
            unknown = [field for field in form if field not in ("low", "high", "default")]
            if unknown:
                raise self.policy.unknown(
                    unknown[0],
                    ("type", "low", "high", "values", "default"),
                    (*self.within, self.name),
                )
            raise self._refused(
                "has bounds that are not numbers." if ends else "has no bounds.",
                "They are public, and values are clipped to them. Texts are bounds of dates only.",
                example,
            )
        if stated not in TYPES:
            shown = repr(stated[:40]) if isinstance(stated, str) else "not a text"
            raise self._refused(
                f"has a type that is {shown}.",
                f"The types are {', '.join(TYPES)}.",
                *(["integer"] if stated in ("int", "bigint", "whole") else _USUAL),
            )
        return str(stated)

    def _made(self, kind: str, form: dict[str, Any]) -> Column:
        try:
            if kind in _PLAIN:
                return _PLAIN[kind]()
            if kind == "category":
                return category(form.get("values", ()))
            ends = {end: form.get(end) for end in ("low", "high", "default")}
            if kind != "date" and any(
                isinstance(end, str | datetime.date) for end in ends.values()
            ):
                raise BoundsError(
                    "a bound or a default is not a number. Numbers stand without quotes."
                )
            return _BOUNDED[kind](ends["low"], ends["high"], default=ends["default"])
        except (BoundsError, PrivacyParameterError) as error:
            said = error.text(Front.POLICY)
        raise self._refused("is declared wrongly:", said, kind)

    def _refused(self, fact: str, rule: str, *examples: str) -> Exception:
        key = toml_key(self.name)
        lines = " or ".join(f"{key} = {_EXAMPLES[example]}" for example in dict.fromkeys(examples))
        return self.policy.error(
            f"column {self.name[:60]!r} {fact}", f"{rule} Write {lines}", self.name, self.within
        )


def toml_key(name: str) -> str:
    r"""A name as TOML writes it: bare where it can be.

    >>> toml_key("stay"), toml_key("length of \"stay\"")
    ('stay', '"length of \\"stay\\""')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(value: str) -> str:
    r"""A text as TOML writes it.

    >>> toml_text("a\tb")
    '"a\\u0009b"'
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    plain = (
        f"\\u{ord(letter):04x}" if ord(letter) < 32 or ord(letter) == 127 else letter
        for letter in escaped
    )
    return '"' + "".join(plain) + '"'
