"""A policy file as it was written: its text, its fields, and where each of them stands."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from discreet.errors import PolicyError

MEMORY = ":memory:"
_HEADING = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$")
_PLACE = re.compile(r"\(at (?:line (\d+), column \d+|end of document)\)$")
_TWICE = ("Cannot overwrite", "Cannot declare", "Cannot mutate", "Duplicate")


_LONGEST: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The fields of a policy, by name.  Numbers are the decimals that were written."""

    path: Path
    text: str
    fields: Mapping[str, Any]

    @staticmethod
    def read(path: str | Path) -> "PolicyFile":
        """The file's fields; whether they mean anything is not looked at."""
        place = Path(path)
        text = _text(place)
        try:
            return PolicyFile(place, text, tomllib.loads(text, parse_float=Decimal))
        except (ValueError, RecursionError, ArithmeticError) as error:
            said = str(error)
        found = _PLACE.search(said)
        line = int(found[1]) if found and found[1] else len(text.splitlines())
        where = f"line {line} of {place.name}"
        if said.startswith(_TWICE):
            raise PolicyError(
                f"{where} sets what is set before. A policy says everything once, so that there is "
                "no doubt about what holds. Take one of the two out."
            )
        raise PolicyError(
            f"{place.name} is not TOML: {where} cannot be read. A policy is a list of fields, each "
            'a name, an equals sign and a value. Write texts in quotes: unit = "patient_id".'
        )

    def error(
        self, fact: str, remedy: str, field: str | None = None, within: str = ""
    ) -> PolicyError:
        """An error about a field, with the line it stands on."""
        line = None if field is None else self.line(field, within)
        where = self.path.name if line is None else f"{self.path.name}, line {line}"
        return PolicyError(f"in {where}: {fact} {remedy}")

    def unknown(self, field: str, known: Collection[str], within: str = "") -> PolicyError:
        """The error of a field that does not exist."""
        near = get_close_matches(field, known, 1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        return self.error(
            f"there is no field {field[:60]!r}.{meant}",
            f"The fields of {within or 'a policy'} are {', '.join(known)}. Correct the name, or "
            "take it out.",
            field,
            within,
        )

    def line(self, field: str, within: str = "") -> int | None:
        """The line on which a field of a table is set, counted from 1."""
        key = rf"[\"']?{re.escape(field)}[\"']?"
        here = ""
        for number, line in enumerate(self.text.splitlines(), 1):
            heading = _HEADING.match(line)
            if heading:
                here = heading[1]
                if re.fullmatch(rf"({re.escape(within)}\.)?{key}" if within else key, here):
                    return number
            elif here == within and re.match(rf"\s*{key}\s*[.=]", line):
                return number
        parent, _, last = within.rpartition(".")
        return self.line(last, parent) if within else None  # written on one line with its table

    def beside(self, path: str) -> str:
        """A path of the policy, which is looked up from the policy's own folder."""
        return path if "://" in path else str(self.path.parent / path)

    def ledger(self) -> str:
        """Where what is spent is kept: a file, an address, or memory."""
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


def _text(path: Path) -> str:
    text, why = declared_text(path)
    if text is None:
        raise PolicyError(
            f"the policy {path.name!r} {why}. It is the TOML file in which the custodian declares "
            "a table. Correct the path, or have one written: discreet init visits.parquet."
        )
    return text


def declared_text(path: Path) -> tuple[str | None, str]:
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
