"""A policy file as it was written: its text, its fields, and where each of them stands."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from discreet.errors import PolicyError

MEMORY = ":memory:"
_PLACE = re.compile(r"\(at (?:line (\d+), column \d+|end of document)\)$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_UNFILLED = re.compile(r"=\s*(?:[,}]|$)")
_TWICE = ("Cannot overwrite", "Cannot declare", "Cannot mutate", "Duplicate")


_LONGEST: Final = 1 << 24
_CLOSING: Final = ("]", "}", '"""', "'''")
"""One of these ends whatever takes several lines."""


Keys = tuple[str, ...]
"""The names of a field and of the tables that it is in, outermost first."""


@dataclass(frozen=True, slots=True)
class TomlFile:
    """The fields of a TOML file, by name.  Numbers are the decimals that were written."""

    kind: ClassVar[str]
    """What such a file is called."""
    missing: ClassVar[str]
    """What it holds, and what to do if it cannot be read: rule and remedy."""
    example: ClassVar[str]
    """A field of it, with a text."""

    path: Path
    text: str
    fields: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The file's fields; whether they mean anything is not looked at."""
        place = Path(path)
        text, why = _text(place)
        if text is None:
            raise PolicyError(f"the {cls.kind} {place.name!r} {why}. {cls.missing}")
        try:
            return cls(place, text, tomllib.loads(text, parse_float=Decimal))
        except (ValueError, RecursionError, ArithmeticError) as error:
            said = str(error)
        found = _PLACE.search(said)
        line = int(found[1]) if found and found[1] else text.rstrip().count("\n") + 1
        where = f"line {line} of {place.name}"
        if said.startswith(_TWICE):
            raise PolicyError(
                f"{where} sets what is set before. A {cls.kind} says everything once, so that "
                "there is no doubt about what holds. Take one of the two out."
            )
        written = _QUOTED.sub("''", "".join(text.split("\n")[line - 1 : line])).partition("#")[0]
        if _UNFILLED.search(written):
            raise PolicyError(
                f"{place.name} is not TOML: {where} has no value after an equals sign. A "
                f"{cls.kind} says everything that it names. Write the value there, or put a # "
                "before the line."
            )
        raise PolicyError(
            f"{place.name} is not TOML: {where} cannot be read. A {cls.kind} is a list of fields, "
            "each a name, an equals sign and a value. Write texts in quotes: "
            f"{cls.example}."
        )

    def error(
        self, fact: str, remedy: str, field: str | None = None, within: Keys = ()
    ) -> PolicyError:
        """An error about a field, with the line it stands on."""
        line = None if field is None else line_of(self.text, (*within, field))
        where = self.path.name if line is None else f"{self.path.name}, line {line}"
        return PolicyError(f"in {where}: {fact} {remedy}")

    def unknown(self, field: str, known: Collection[str], within: Keys = ()) -> PolicyError:
        """The error of a field that does not exist."""
        near = get_close_matches(field, known, 1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        return self.error(
            f"there is no field {field[:60]!r}.{meant}",
            f"The fields of {'.'.join(within) or 'a ' + self.kind} are {', '.join(known)}. Correct "
            "the name, or take it out.",
            field,
            within,
        )


class PolicyFile(TomlFile):
    """A policy: what the custodian of a table declares."""

    __slots__ = ()

    kind: ClassVar = "policy"
    missing: ClassVar = (
        "It is the TOML file in which the custodian declares a table. Correct the path, or have "
        "one written: discreet init visits.parquet."
    )
    example: ClassVar = 'unit = "patient_id"'

    def with_numbers(self, values: Mapping[str, int]) -> str:
        """The text of the policy with these whole numbers, each on a line above the first table.

        A line that has one, also behind a #, keeps its place and its remark.
        """
        lines = self.text.split("\n")
        end = next((n for n, line in enumerate(lines) if line.startswith("[")), len(lines))
        for name, value in values.items():
            stated = re.compile(rf"^(#\s*)?({name}\s*=\s*)[^#\s]*")
            places = [n for n, line in enumerate(lines[:end]) if stated.match(line)]
            plain = [n for n in places if not lines[n].startswith("#")]
            if places:
                place = (plain or places)[0]
                lines[place] = stated.sub(rf"\g<2>{value}", lines[place], count=1)
            else:
                lines.insert(end, f"{name} = {value}")
                end += 1
        text = "\n".join(lines)
        if tomllib.loads(text, parse_float=Decimal) != {**self.fields, **values}:
            raise self.error(
                "the caps cannot be written into it.",
                "Each has a line of its own above the first heading. Write "
                + ", ".join(f"{name} = {value}" for name, value in values.items())
                + " there.",
            )
        return text

    def beside(self, path: str) -> str:
        """A path of the policy, which is looked up from the policy's own folder."""
        return path if "://" in path else str(self.path.parent / path)

    def ledger(self) -> str:
        """The ledger that the policy names: a file, an address, or memory."""
        ledger = self.fields.get("ledger")
        if not isinstance(ledger, str) or not ledger:
            raise self.error(
                "the table has no ledger." if ledger is None else "ledger is not a text.",
                "What was spent must outlive the process, or the budget caps nothing. Write "
                f'ledger = "{self.path.stem}.ledger"; ledger = "{MEMORY}" forgets it at the end, '
                "and every certificate says so.",
                "ledger",
            )
        return ledger if ledger == MEMORY else self.beside(ledger)


def line_of(text: str, field: Keys) -> int | None:
    """The line of TOML on which the statement begins that sets a field, counted from 1.

    Of a field that is not there it is that of its table; None if that is not there either.

    >>> line_of("a = 1\\nb.c = 2\\n[d]\\ne = {f = 3}", ("d", "e", "f"))
    4
    """
    # A statement ends where what was read since it began is TOML by itself.
    lines = text.split("\n")
    found, known, begin = None, 0, 0
    table: Keys = ()
    for end, last in enumerate(lines):
        if end > begin and not any(mark in last for mark in _CLOSING):
            continue
        try:
            said = tomllib.loads("\n".join(lines[begin : end + 1]) + "\n")
        except ValueError:  # it goes on
            continue
        if lines[begin].lstrip().startswith("["):
            table = _heading(said)
        else:
            for key in reversed(table):
                said = {key: said}
        depth = _depth(said, field)
        if depth > known:
            found, known = begin + 1, depth
        begin = end + 1
    return found


def _heading(said: Any) -> Keys:
    """The table that a heading names: it alone is in what the heading says."""
    keys: Keys = ()
    while isinstance(said, dict) and said:
        ((key, said),) = said.items()
        keys = (*keys, key)
    return keys


def _depth(said: Any, field: Keys) -> int:
    """How many of the names on the way to a field are there."""
    for depth, key in enumerate(field):
        if not isinstance(said, dict) or key not in said:
            return depth
        said = said[key]
    return len(field)


def _text(path: Path) -> tuple[str | None, str]:
    """The text, or None and why it cannot be read.

    A file that is too long is not read in part: what stands at its end may be a limit.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_LONGEST + 1)
        if len(data) > _LONGEST:
            return None, "is longer than 16 MiB"
        return data.decode("utf-8-sig"), ""
    except FileNotFoundError:
        return None, "is not there"
    except IsADirectoryError:
        return None, "is a folder"
    except UnicodeDecodeError:
        return None, "is not UTF-8 text"
    except (OSError, ValueError):
        return None, "cannot be read"
