"""What the custodian declared of a data set: neighbors, caps, periods, details."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from time import time_ns
from typing import Any, Final
from unicodedata import normalize

from discreet.errors import DataError, LedgerCorruptError, PrivacyParameterError
from discreet.exact import decimal_text
from discreet.ledger.entries import canonical_json, parse_body
from discreet.privacy.events import rational_from_text, rational_to_text
from discreet.privacy.losses import Budget
from discreet.privacy.sensitivity import Neighbors

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


_CAPS: Final = (
    {"epsilon", "delta", "conversion_delta", "period"},
    {"rho", "delta", "period"},
)
"""The fields of a budget in ε, and of one in ρ."""
_MEANINGLESS: Final = (KeyError, TypeError, ValueError, AttributeError)
"""What plain data of another form than an entry's raise where they are read."""
LONGEST_NAME = 200
LONGEST_DETAILS = 100_000
_DEEPEST = 50


class Period(StrEnum):
    """The period after which a budget starts again, by the calendar, in UTC."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    @staticmethod
    def read(value: object) -> "Period | None":
        """The period with that name; None is a budget for all time."""
        if value is None:
            return None
        try:
            return Period(str(value))
        except ValueError:
            raise PrivacyParameterError(
                f"period is {str(value)[:40]!r}. A budget starts again with the calendar: every "
                f"{', '.join(Period)}. Leave it out for a budget that holds for all time."
            ) from None

    def window(self, time: str) -> str:
        """The period that a time is in.

        >>> [str(period.window("2026-11-15T09:30:00.000000Z")) for period in Period]
        ['2026-11-15', 'week of 2026-11-09', '2026-11', '2026 quarter 4', '2026']
        """
        day = date.fromisoformat(time[:10])
        match self:
            case Period.DAY:
                return day.isoformat()
            case Period.WEEK:
                return f"week of {day - timedelta(days=day.weekday())}"
            case Period.MONTH:
                return f"{day:%Y-%m}"
            case Period.QUARTER:
                return f"{day:%Y} quarter {(day.month + 2) // 3}"
            case Period.YEAR:
                return f"{day:%Y}"


def now() -> str:
    """The time in UTC, to the microsecond, in a form whose order as text is that of time."""
    seconds, rest = divmod(time_ns(), 10**9)
    return f"{_second(seconds)}.{rest // 1000:06}Z"


def is_time(time: object) -> bool:
    """Whether it is a time as ``now`` writes it.

    >>> is_time("2026-11-15T09:30:00.000000Z"), is_time("2026-11-31T09:30:00.000000Z")
    (True, False)
    """
    if not isinstance(time, str) or _TIME.fullmatch(time) is None:
        return False
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def checked_clock(clock: Callable[[], str]) -> Callable[[], str]:
    """A clock whose times are checked before they are written to the ledger."""

    def tell() -> str:
        time = clock()
        if is_time(time):
            return time
        raise DataError(
            "the clock does not tell a time in UTC to the microsecond. Times stand in the ledger "
            'for ever and order its periods. Let it return texts such as "2026-11-15T09:30:00.'
            '000000Z", or leave it out.'
        )

    return clock if clock is now else tell


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetCap:
    """A budget, for all time or for each period."""

    budget: Budget
    period: Period | None = None

    def __str__(self) -> str:
        return f"{self.budget}" + (f" per {self.period}" if self.period else "")

    @property
    def guarantee(self) -> str:
        """What is promised, in words.

        >>> BudgetCap(budget=Budget(epsilon=1), period=Period.MONTH).guarantee
        'All answers of one month together are (ε, δ)-DP with ε = 1, δ = 0. The guarantee is per \
month: over k months the losses add up to k times as much.'
        >>> BudgetCap(budget=Budget(rho=0.1)).guarantee
        'All answers together, for all time, are ρ-zCDP with ρ = 0.1.'
        """
        notion = "(ε, δ)-DP"
        if self.budget.epsilon is None:
            notion = "δ-approximate ρ-zCDP" if self.budget.delta else "ρ-zCDP"
        if self.period is None:
            return f"All answers together, for all time, are {notion} with {self.budget}."
        return (
            f"All answers of one {self.period} together are {notion} with {self.budget}. The "
            f"guarantee is per {self.period}: over k {self.period}s the losses add up to k times "
            "as much."
        )

    def to_data(self) -> dict[str, Any]:
        """Plain data, for an entry: one with ``epsilon``, or with ``rho``, where no δ is split.

        >>> BudgetCap(budget=Budget(rho=0.1)).to_data()
        {'rho': '1/10', 'delta': '0/1', 'period': None}
        """
        budget = self.budget
        amounts = {"epsilon": budget.epsilon, "rho": budget.rho, "delta": budget.delta}
        if budget.epsilon is not None:
            amounts["conversion_delta"] = budget.conversion_delta
        data = {name: rational_to_text(one) for name, one in amounts.items() if one is not None}
        return data | {"period": None if self.period is None else self.period.value}

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> "BudgetCap":
        """The cap that ``to_data`` wrote."""
        if set(data) not in _CAPS:
            raise _unreadable("a cap")
        amounts = {name: rational_from_text(data[name], name) for name in data if name != "period"}
        return BudgetCap(budget=exact_budget(**amounts), period=Period.read(data["period"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetDeclaration:
    """The declaration of a data set.  ``analyst_cap`` is for each analyst who has no own."""

    neighbors: Neighbors
    cap: BudgetCap
    analyst_cap: BudgetCap | None = None
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
    def from_data(data: Mapping[str, Any]) -> "DatasetDeclaration":
        """The declaration that ``to_data`` wrote."""
        if set(data) != {"neighbors", "cap", "analyst_cap", "details"}:
            raise _unreadable("a declaration")
        if not isinstance(data["details"], Mapping):
            raise _unreadable("a declaration")
        cap = data["analyst_cap"]
        return DatasetDeclaration(
            neighbors=Neighbors(data["neighbors"]),
            cap=BudgetCap.from_data(data["cap"]),
            analyst_cap=None if cap is None else BudgetCap.from_data(cap),
            details=data["details"],
        )

    def differences(self, other: "DatasetDeclaration") -> list[tuple[str, str, str]]:
        """Name, value here and value there of everything in which two declarations differ."""
        mine, theirs = self._shown(), other._shown()
        return [
            (name, mine.get(name, "nothing"), theirs.get(name, "nothing"))
            for name in sorted({*mine, *theirs})
            if mine.get(name) != theirs.get(name)
        ]

    def _shown(self) -> dict[str, str]:
        fields = {
            "neighbors": str(self.neighbors),
            "budget": str(self.cap),
            "split of δ": decimal_text(self.cap.budget.conversion_delta),
            "budget per analyst": "none" if self.analyst_cap is None else str(self.analyst_cap),
        }
        for name, value in self.details.items():
            if isinstance(value, Mapping) and value:
                fields |= {f"{name}.{part}": canonical_json(of) for part, of in value.items()}
            else:
                fields[name] = canonical_json(value)
        return fields


@lru_cache(maxsize=256)
def read_declaration(body: str) -> DatasetDeclaration:
    """The declaration that an entry about the data set leads to."""
    try:
        return DatasetDeclaration.from_data(parse_body(body)["to"])
    except _MEANINGLESS:
        raise _unreadable("a declaration") from None


@lru_cache(maxsize=4096)
def read_cap(body: str) -> BudgetCap | None:
    """The cap that an entry about one analyst leads to; None if it was taken back."""
    try:
        data = parse_body(body)["to"]
        return None if data is None else BudgetCap.from_data(data)
    except _MEANINGLESS:
        raise _unreadable("a budget") from None


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
        text = canonical_json(dict(details or {}))
        text.encode()  # half a character cannot be stored
        copy: dict[str, Any] = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise _not_plain() from None
    if len(text) > LONGEST_DETAILS or canonical_json(copy) != text:
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


def exact_budget(
    *,
    delta: Fraction,
    epsilon: Fraction | None = None,
    rho: Fraction | None = None,
    conversion_delta: Fraction = Fraction(0),
) -> Budget:
    """A budget as it was written; who wrote it was warned then, if there was reason."""
    amount = rho if epsilon is None else epsilon
    if amount is None or amount <= 0 or not 0 <= conversion_delta <= delta < 1:
        raise _unreadable("a budget")
    budget = object.__new__(Budget)
    object.__setattr__(budget, "epsilon", epsilon)
    object.__setattr__(budget, "rho", rho)
    object.__setattr__(budget, "delta", delta)
    object.__setattr__(budget, "conversion_delta", conversion_delta)
    object.__setattr__(budget, "question_delta", delta - conversion_delta)
    return budget


def _unreadable(what: str) -> LedgerCorruptError:
    return LedgerCorruptError(
        f"{what} in the ledger cannot be read. A record counts only if its meaning is certain. "
        "Run discreet ledger verify; if a newer discreet wrote it, use that one."
    )
