"""The wire format of a scheme: a small JSON object with exact numbers, read strictly.

A collector sends it, a respondent's device reads it before it randomizes anything, so nothing
is guessed: an unknown field, another version or a number that is not written in its one form
is refused.
"""

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any

from discreet.errors import DataError
from discreet.strict_json import Digest, Shape, decoded

VERSION = 2
MOST_CHARACTERS = 1 << 20

_FORMAT = "discreet.local"
_RATIONAL = re.compile(r"[1-9][0-9]{0,1300}(/[1-9][0-9]{0,1300})?")
_SIGNED = re.compile(rf"0|-?{_RATIONAL.pattern}")


def write(scheme: str, fields: Mapping[str, object]) -> str:
    """The JSON text of a scheme: rationals as strings, such as "1/10"."""
    plain = {
        name: str(value) if isinstance(value, Fraction) else value for name, value in fields.items()
    }
    head = {"format": _FORMAT, "version": VERSION, "scheme": scheme}
    text = json.dumps(head | plain, ensure_ascii=False)
    if len(text) > MOST_CHARACTERS:
        raise _too_long()
    return text


def scheme_identity(text: str) -> str:
    """What a report calls its scheme: the SHA-256 of the text that to_json() wrote."""
    return sha256(text.encode()).hexdigest()


def scheme_kind(text: object) -> str:
    """Which scheme a JSON text says it is; the scheme itself then reads it strictly."""
    name = _fields(text).get("scheme")
    if not isinstance(name, str):
        raise malformed()
    return name


def read_scheme_fields(text: object, scheme: str) -> dict[str, Any]:
    """The fields of a scheme's JSON text, besides those that say what it is."""
    fields = _fields(text)
    if (version := fields.pop("version", None)) != VERSION or type(version) is not int:
        raise DataError(
            f"the scheme is not of version {VERSION} of its format. Another version may mean "
            "another protection, so it is not guessed at. Write it again with to_json()."
        )
    if fields.pop("scheme", None) != scheme:
        raise DataError(
            f"the scheme is not {scheme!r}. Each scheme reads only its own. Read it with the "
            "class that wrote it."
        )
    return fields


def _fields(text: object) -> dict[str, Any]:
    """The fields of a JSON object of this format."""
    if not isinstance(text, str | bytes):
        raise DataError(
            "the scheme is not text. It is read from the JSON that to_json() wrote. "
            "Use RandomizedResponse.from_json(poll.to_json())."
        )
    if len(text) > MOST_CHARACTERS:
        raise _too_long()
    fields = decoded(text, dict[str, Any])
    if fields is None or fields.pop("format", None) != _FORMAT:
        raise malformed()
    return fields


def take(fields: dict[str, Any], name: str) -> Any:
    """Remove a field that must be there."""
    if name not in fields:
        raise DataError(
            f"the scheme has no field {name!r}. Every field is needed, none is guessed. "
            "Write it again with to_json()."
        )
    return fields.pop(name)


def take_rational(fields: dict[str, Any], name: str, *, signed: bool = False) -> Fraction:
    """Remove a rational, written as "1" or "1/10" in lowest terms; positive, unless ``signed``."""
    return read_rational(take(fields, name), name, signed=signed)


def read_rational(text: object, name: str, *, signed: bool = False) -> Fraction:
    """The rational that a field holds as text."""
    if isinstance(text, str) and (_SIGNED if signed else _RATIONAL).fullmatch(text):
        value = Fraction(text)
        if str(value) == text:
            return value
    raise DataError(
        f"the field {name!r} is not an exact number. It is a string with a "
        f"{'' if signed else 'positive '}rational in lowest terms, such as "
        '"1" or "1/10". Write the scheme again with to_json().'
    )


def take_derived(fields: dict[str, Any], name: str, expected: object) -> None:
    """Remove a field that follows from the others, and refuse any other content.

    So a collector cannot weaken a scheme by writing other chances under the same ε.
    """
    stated = take(fields, name)
    if type(stated) is not type(expected) or stated != expected:
        raise DataError(
            f"the field {name!r} is not what follows from the privacy parameter. It is derived "
            "in one way and may not be chosen. Write the scheme again with to_json()."
        )


def refuse_other_fields(fields: Mapping[str, object]) -> None:
    """Refuse fields that nobody took."""
    if fields:
        raise DataError(
            f"the scheme has {len(fields)} unknown fields. What is not understood may change "
            "the protection, so it is refused. Write the scheme again with to_json()."
        )


# ---------------------------------------------------------------------- reports


class _Message(Shape, frozen=True):
    """One report, and the identity of the scheme that made it."""

    scheme: Digest
    report: Any


def write_report(scheme: str, report: object) -> str:
    """The JSON text of one report under the scheme with this identity."""
    return json.dumps({"scheme": scheme, "report": report})


def read_report(text: object, scheme: str, most: int = MOST_CHARACTERS) -> Any:
    """What a report's JSON text says, if it is for the scheme with this identity."""
    if not isinstance(text, str | bytes) or len(text) > most:
        raise bad_report()
    message = decoded(text, _Message)
    if message is None:
        raise bad_report()
    if message.scheme != scheme:
        raise DataError(
            "the report was made under another scheme. Its chances would be taken for those of "
            "this one. Send it to the collector of its own scheme."
        )
    return message.report


def bad_report() -> DataError:
    """The error for a report that the scheme cannot have made; it never shows the report."""
    return DataError(
        "the text is not a report of this scheme. A report is a JSON object with the scheme's "
        "identity and what its randomizer drew, nothing else. Write it with report_to_wire()."
    )


def malformed() -> DataError:
    """The error for a text that is no scheme."""
    return DataError(
        f"the text is not a scheme. A scheme is a JSON object whose format is {_FORMAT!r}, each "
        "field once. Write it with to_json()."
    )


def _too_long() -> DataError:
    return DataError(
        f"the scheme is longer than {MOST_CHARACTERS} characters. A scheme is a few numbers and "
        "names. Use fewer or shorter categories."
    )
