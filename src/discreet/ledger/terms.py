"""What the custodian declared of a data set: its neighbors, its caps, and whatever else counts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from discreet.errors import DataError, LedgerCorruptError
from discreet.exact import decimal_text
from discreet.ledger.entries import canonical, parsed
from discreet.ledger.periods import Period
from discreet.privacy.budget import Budget
from discreet.privacy.event_data import rational_from_text, rational_to_text
from discreet.privacy.neighbors import Neighbors

LONGEST_NAME = 200
LONGEST_DETAILS = 100_000
_DEEPEST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """A budget, for all time or for each period."""

    budget: Budget
    period: Period | None = None

    def __str__(self) -> str:
        return f"{self.budget}" + (f" per {self.period}" if self.period else "")

    @property
    def guarantee(self) -> str:
        """What is promised, in words.

        >>> Cap(budget=Budget(epsilon=1), period=Period.MONTH).guarantee
        'All answers of one month together are (ε, δ)-DP with ε = 1, δ = 0. The guarantee is per \
month: over k months the losses add up to k times as much.'
        """
        if self.period is None:
            return f"All answers together, for all time, are (ε, δ)-DP with {self.budget}."
        return (
            f"All answers of one {self.period} together are (ε, δ)-DP with {self.budget}. The "
            f"guarantee is per {self.period}: over k {self.period}s the losses add up to k times "
            "as much."
        )

    def to_data(self) -> dict[str, Any]:
        """Plain data, for an entry."""
        return {
            "epsilon": rational_to_text(self.budget.epsilon),
            "delta": rational_to_text(self.budget.delta),
            "conversion_delta": rational_to_text(self.budget.conversion_delta),
            "period": None if self.period is None else self.period.value,
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> "Cap":
        """The cap that ``to_data`` wrote."""
        if set(data) != {"epsilon", "delta", "conversion_delta", "period"}:
            raise _unreadable("a cap")
        epsilon, delta, part = (
            rational_from_text(data[name], name)
            for name in ("epsilon", "delta", "conversion_delta")
        )
        return Cap(budget=exact_budget(epsilon, delta, part), period=Period.read(data["period"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a data set is declared to be.  ``analyst_cap`` is for each analyst who has no own."""

    neighbors: Neighbors
    cap: Cap
    analyst_cap: Cap | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """Plain data, for an entry."""
        return {
            "neighbors": self.neighbors.value,
            "cap": self.cap.to_data(),
            "analyst_cap": None if self.analyst_cap is None else self.analyst_cap.to_data(),
            "details": dict(self.details),
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> "Declaration":
        """The declaration that ``to_data`` wrote."""
        if set(data) != {"neighbors", "cap", "analyst_cap", "details"}:
            raise _unreadable("a declaration")
        cap = data["analyst_cap"]
        return Declaration(
            neighbors=Neighbors(data["neighbors"]),
            cap=Cap.from_data(data["cap"]),
            analyst_cap=None if cap is None else Cap.from_data(cap),
            details=data["details"],
        )

    def differences(self, other: "Declaration") -> list[tuple[str, str, str]]:
        """Name, value here and value there of everything in which two declarations differ."""
        mine, theirs = self._shown(), other._shown()
        return [
            (name, mine.get(name, "nothing"), theirs.get(name, "nothing"))
            for name in sorted({*mine, *theirs})
            if mine.get(name) != theirs.get(name)
        ]

    def _shown(self) -> dict[str, str]:
        shown = {
            "neighbors": str(self.neighbors),
            "budget": str(self.cap),
            "split of δ": decimal_text(self.cap.budget.conversion_delta),
            "budget per analyst": "none" if self.analyst_cap is None else str(self.analyst_cap),
        }
        for name, value in self.details.items():
            if isinstance(value, Mapping) and value:
                shown |= {f"{name}.{part}": canonical(of) for part, of in value.items()}
            else:
                shown[name] = canonical(value)
        return shown


@lru_cache(maxsize=256)
def read_declaration(body: str) -> Declaration:
    """The declaration that an entry about the data set leads to."""
    return Declaration.from_data(parsed(body)["to"])


@lru_cache(maxsize=4096)
def read_cap(body: str) -> Cap | None:
    """The cap that an entry about one analyst leads to; None if it was taken back."""
    data = parsed(body)["to"]
    return None if data is None else Cap.from_data(data)


def read_name(value: object, what: str) -> str:
    """A name that people can read back: a data set, an analyst, a key."""
    name = _name(value) if type(value) is str and len(value) <= LONGEST_NAME else None
    if name is not None:
        return name
    shown = repr(value[:40]) if isinstance(value, str) else type(value).__name__
    raise DataError(
        f"{what} is {shown}. It stands in the ledger for ever, so it must be a text of 1 to "
        f"{LONGEST_NAME} printable characters without blanks at its ends. Use a short name."
    )


@lru_cache(maxsize=1024)
def _name(value: str) -> str | None:
    name = normalize("NFC", value)  # one name, however its accents were typed
    return name if name and name.isprintable() and name == name.strip() else None


def read_details(details: Mapping[str, Any] | None) -> dict[str, Any]:
    """Declarations as plain data: texts, whole numbers, booleans, None, lists and mappings."""
    _refuse_floats(details, _DEEPEST)
    try:
        text = canonical(dict(details or {}))
        text.encode()  # half a character cannot be stored
        copy: dict[str, Any] = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise _not_plain() from None
    if len(text) > LONGEST_DETAILS or canonical(copy) != text:
        raise _not_plain()
    return copy


def _refuse_floats(value: object, depth: int) -> None:
    if isinstance(value, float) or depth < 0:
        raise _not_plain()
    if isinstance(value, Mapping):
        for name, part in value.items():
            if not isinstance(name, str):
                raise _not_plain()
            _refuse_floats(part, depth - 1)
    elif isinstance(value, list | tuple):
        for part in value:
            _refuse_floats(part, depth - 1)


def _not_plain() -> DataError:
    return DataError(
        "the details of a data set are not plain data. They are compared and kept for ever, so "
        f"they are texts in Unicode, whole numbers, lists and mappings, at most {_DEEPEST} deep "
        f"and of at most {LONGEST_DETAILS} characters in all. Write a fraction as text: "
        '"0.5".'
    )


def exact_budget(epsilon: Fraction, delta: Fraction, conversion_delta: Fraction) -> Budget:
    """A budget as it was written; who wrote it was warned then, if there was reason."""
    if epsilon <= 0 or not 0 <= conversion_delta <= delta < 1:
        raise _unreadable("a budget")
    budget = object.__new__(Budget)
    object.__setattr__(budget, "epsilon", epsilon)
    object.__setattr__(budget, "delta", delta)
    object.__setattr__(budget, "conversion_delta", conversion_delta)
    object.__setattr__(budget, "question_delta", delta - conversion_delta)
    return budget


def _unreadable(what: str) -> LedgerCorruptError:
    return LedgerCorruptError(
        f"{what} in the ledger cannot be read. A record counts only if its meaning is certain. "
        "Run discreet ledger verify; if a newer discreet wrote it, use that one."
    )
