"""Certificates: what was released, how, and at what price, to be checked later."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

from msgspec import Meta, convert

from discreet.accounting.filters import Totals, left_text, share_left, spent_text
from discreet.errors import DataError, DiscreetError, Remedy
from discreet.exact import decimal_text, percent_text, rational
from discreet.ledger import Entry, Ledger
from discreet.ledger.accounts import LONGEST_SUMMARY, one_line
from discreet.ledger.declarations import BudgetCap
from discreet.plan.schema import CAP_NAMES, protected_text
from discreet.privacy.number_text import plural
from discreet.strict_json import Digest, decoded
from discreet.templates import table_html
from discreet.text_table import TextTable, aligned, printable

_VERSION = 1
UNANSWERED = "0" * 64
"""What stands for the digest of an answer that there is not yet."""
_MECHANISM = {"output", "asks", "mechanism"}
_FOR_GROUPS = {"step", "mechanism", "delta"}
_PARTS = {"epsilon", "rho"}
"""What a mechanism's part of the price is stated in: one of them."""
_ADDED = ("written", "lowered", "at_most_rows", "at_most_groups", "bounds", "profile", "groups")
_ABSENT = ("max_rows_per_group", "rho", "promise", *_ADDED, "account")
"""What is only written where there is something to state: earlier versions knew less of it."""

Cap = Annotated[int, Meta(ge=1)]
Price = Annotated[str, Meta(pattern=r"\A(?:≈?[0-9.]+(?:e[+-]?[0-9]+)?|[0-9]+/[0-9]+)\Z")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A statement about one release that can be checked against the ledger.

    ``entry`` and ``hash`` are the ledger's record of the charge, ``answer`` is the SHA-256 of what
    was released; ``suspensions`` is how often the table was suspended before.  ``check`` and
    ``discreet ledger verify --certificate`` compare them.
    """

    table: str
    question: str
    unit: str
    neighbors: Annotated[str, Meta(pattern=r"\A(?:add-remove|replace)\Z")]
    max_groups: Cap | None
    max_rows: Cap | None
    max_rows_per_group: Cap | None = None
    mechanisms: tuple[dict[str, str], ...]
    epsilon: Price | None
    delta: Price
    analyst: str
    ledger: str
    durable: bool
    entry: Annotated[int, Meta(ge=1)]
    hash: Digest
    time: str
    answer: Digest
    versions: dict[str, str]
    suspensions: Annotated[int, Meta(ge=0)] = 0
    rho: Price | None = None
    """What was paid where that is no ε."""
    promise: str | None = None
    """The ε and δ that the release costs by itself, where it was paid in ρ."""
    written: str | None = None
    """The question in SQL as it was typed, if it was."""
    lowered: dict[str, Cap] | None = None
    """Lower caps than the table's, for this question."""
    at_most_rows: Cap | None = None
    at_most_groups: Cap | None = None
    bounds: dict[str, str] | None = None
    """The declared bounds of the columns that numbers are computed from."""
    profile: Annotated[int, Meta(ge=1)] | None = None
    """The entry that paid for the profile, if the table had one."""
    groups: tuple[dict[str, str], ...] | None = None
    """What finding and choosing the groups cost, beside what was measured in them."""
    account: dict[str, Any] | None = None
    """The budget of the table and what was spent of it, right after the charge."""

    def to_data(self) -> dict[str, Any]:
        """Plain data, that ``from_data`` takes back."""
        data = {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) is not None or field.name not in _ABSENT
        }
        for name in ("mechanisms", "groups"):
            if name in data:
                data[name] = [dict(one) for one in data[name]]
        return {"certificate": _VERSION} | data | {"versions": dict(self.versions)}

    def statement(self) -> dict[str, Any]:
        """All but the digest of the answer, which is kept with it and so is part of the digest."""
        return {name: value for name, value in self.to_data().items() if name != "answer"}

    def to_json(self) -> str:
        """The same as text; what no reader could see is written by its number."""
        text = json.dumps(self.to_data(), ensure_ascii=False, indent=2)
        return "".join(
            letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1]
            for letter in text
        )

    @staticmethod
    def from_data(data: object) -> "Certificate":
        """The certificate that ``to_data`` wrote; anything else is refused."""
        stated = dict(data) if isinstance(data, Mapping) else {}
        stated.setdefault("suspensions", 0)  # 0.1.0 did not suspend
        for name in _ABSENT:
            stated.setdefault(name, None)
        version = stated.pop("certificate", None)
        if version != _VERSION or type(version) is not int:
            raise _unreadable("it is not a certificate of version 1")
        given_fields, known_fields = set(stated), set(_TYPES)
        if given_fields != known_fields:
            what = "an unknown field" if given_fields - known_fields else "a missing field"
            raise _unreadable(
                f"it has {what}, {sorted(map(str, given_fields ^ known_fields))[0][:40]!r}"
            )
        wrong = [name for name in sorted(known_fields) if not _fits(name, stated[name])]
        if wrong:
            raise _unreadable(f"its field {wrong[0]!r} is not what such a field holds")
        return Certificate(**{name: convert(stated[name], kind) for name, kind in _TYPES.items()})

    @staticmethod
    def read(text: str) -> "Certificate":
        """The certificate in a JSON text: itself, or the answer that holds it."""
        data = decoded(text, dict[str, Any])
        if data is None:
            raise _unreadable("it is not a JSON object, or names a field twice")
        inner = data.get("certificate")
        return Certificate.from_data(inner if isinstance(inner, dict) else data)

    @staticmethod
    def load(path: str | Path) -> "Certificate":
        """The certificate in a file: what ``to_json`` gave, or an answer saved as .json."""
        try:
            return Certificate.read(Path(path).read_text("utf-8"))
        except UnicodeDecodeError:
            raise _unreadable("it is not text in UTF-8") from None

    @property
    def price(self) -> str:
        """What was paid, as people write it."""
        paid = [f"ρ = {self.rho}" if self.epsilon is None else f"ε = {self.epsilon}"]
        paid += [] if self.delta == "0" else [f"δ = {self.delta}"]
        own = "" if self.promise is None else f" ({self.promise} by itself)"
        return ", ".join(paid).replace("= ≈", "≈ ") + own

    @property
    def protected(self) -> str:
        """Whom the answer protects, and for how much one of them counted."""
        return protected_text(self.unit, self.caps)

    @property
    def budget(self) -> tuple[BudgetCap, Totals] | None:
        """The budget of the table, and what was spent of it right after the charge."""
        if self.account is None:
            return None
        return BudgetCap.from_data(self.account["budget"]), Totals.from_data(self.account["spent"])

    @property
    def caps(self) -> dict[str, int]:
        """For how much one person counts in this question."""
        declared = {name: cap for name in CAP_NAMES if (cap := getattr(self, name)) is not None}
        return declared | (self.lowered or {})

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What it states, by topic."""
        ceilings = {
            name: ceiling
            for name in ("at_most_rows", "at_most_groups")
            if (ceiling := getattr(self, name)) is not None
        }
        told = {
            "as typed": " ".join((self.written or "").split("\n")),
            "ceilings": ", ".join(_named(ceilings)),
            "bounds": ", ".join(_named(self.bounds or {})),
            "profile": "" if self.profile is None else f"entry {self.profile:,}",
        }
        if self.budget is not None:
            cap, spent = self.budget
            left = f"{left_text(cap.budget, spent)} ({percent_text(share_left(cap.budget, spent))})"
            told |= {
                "budget": str(cap),
                "spent": f"{spent_text(cap.budget, spent)}, with this answer",
                "left": f"{left}, after this answer",
            }
        kept = "" if self.durable else " (in memory: nobody else can check this)"
        noise = [f"{one['step']}: {one['mechanism']}" for one in self.groups or ()]
        noise += [f"{one['output']}: {one['mechanism']}" for one in self.mechanisms]
        before = f"{plural(self.suspensions, 'time')} before: questions could not be answered"
        return [
            ("table", self.table),
            *_told(told, "as typed"),
            ("question", self.question),
            ("protects", self.protected),
            ("neighbors", self.neighbors),
            *_told(told, "ceilings", "bounds", "profile"),
            *(("noise" if place == 0 else "", line) for place, line in enumerate(noise)),
            ("price", self.price),
            *_told(told, "budget", "spent", "left"),
            ("asked by", f"{self.analyst}, {self.time}"),
            ("ledger", f"{self.ledger}, entry {self.entry:,}{kept}"),
            *([("suspended", before)] if self.suspensions else []),
            ("hash", self.hash),
            ("answer", f"SHA-256 {self.answer}"),
            ("versions", ", ".join(f"{name} {number}" for name, number in self.versions.items())),
        ]

    @property
    def text(self) -> str:
        """For people."""
        return "\n".join(aligned([(topic, printable(line)) for topic, line in self.lines]))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return table_html(TextTable(("", ""), tuple(self.lines), 1))


_TYPES: Final = get_type_hints(Certificate, include_extras=True)
"""What each field holds."""


def check_certificate(certificate: Certificate, ledger: Ledger) -> list[str]:
    """What in a certificate is not as the ledger has it; an empty list if it is genuine.

    Compared are the charge (its number, hash, table, analyst, time, question, ε and δ), the
    declarations that held when it was made, the suspensions before it, the digest of the answer,
    and every field with what is kept with the answer.  Of a release by version 0.1.0 nothing is:
    see ``unchecked``.  Whether the ledger itself is sound is for ``ledger.verify``.
    """
    recorded = _Recorded.of(certificate, ledger)
    entry = recorded.charge
    if entry is None or entry.kind != "charge":
        return [f"entry {certificate.entry} of the ledger is not a charge"]
    body = entry.data
    cost = Totals.from_data(body["cost"])
    settled = recorded.settled
    released = None if settled is None or settled.kind != "released" else settled.data["answer"]
    pairs: list[tuple[str, object, object]] = [
        ("hash", certificate.hash, entry.hash),
        ("table", certificate.table, entry.dataset),
        ("analyst", certificate.analyst, entry.analyst),
        ("time", certificate.time, entry.time),
        ("question", one_line(certificate.question), body["summary"]),
        ("epsilon", certificate.epsilon, _as_written(certificate.epsilon, cost.epsilon)),
        ("delta", certificate.delta, _as_written(certificate.delta, cost.delta)),
        ("rho", certificate.rho, _rho_as_written(certificate, cost)),
        ("answer", certificate.answer, released),
        ("suspensions", certificate.suspensions, recorded.suspensions),
        *(
            (name, stated, known)
            for name, known in recorded.declared.items()
            if (stated := getattr(certificate, name)) is not None or name not in _ADDED
        ),
    ]
    if certificate.account is not None:  # earlier versions stated none
        known_account = _plain(ledger.account_after(entry))
        pairs.append(("account", _plain(certificate.account), known_account))
    wrong = {name: (stated, known) for name, stated, known in pairs if stated != known}
    own, kept = certificate.statement(), recorded.kept
    for name in () if kept is None else dict.fromkeys([*own, *kept]):
        stated, known = _plain(own.get(name)), _plain(None if kept is None else kept.get(name))
        if stated != known:
            wrong.setdefault(name, (stated, known))
    problems = [
        f"the {_LABELS.get(name, name)} is {_short(stated)} in the certificate and "
        f"{_short(known)} in the ledger"
        for name, (stated, known) in wrong.items()
    ]
    problems += [
        f"entry {one.sequence} of the ledger does not have the hash it was written with"
        for one in (recorded.declaring, entry, settled)
        if one is not None and not one.intact
    ]
    return problems


def unchecked_fields(certificate: Certificate, ledger: Ledger) -> list[str]:
    """The fields that the ledger does not show, so that ``check`` says nothing about them.

    They are none, unless version 0.1.0 made the release: it kept no certificate with the answer.
    """
    recorded = _Recorded.of(certificate, ledger)
    if recorded.charge is None or recorded.charge.kind != "charge" or recorded.kept is not None:
        return []
    shown = {*_OF_CHARGE, *recorded.declared}
    if len(recorded.charge.data["summary"]) >= LONGEST_SUMMARY:  # perhaps cut
        shown -= {"question"}
    return [name for name in certificate.to_data() if name not in {*shown, "certificate"}]


_LABELS = {
    "epsilon": "ε",
    "delta": "δ",
    "rho": "ρ",
    "answer": "digest of the answer",
    "suspensions": "number of suspensions",
}
_OF_CHARGE = frozenset(
    {"entry", "hash", "table", "analyst", "time", "question", "epsilon", "delta", "answer"}
    | {"suspensions", "rho", "account"}
)
"""What a charge, its release and the entries before them have always shown."""


@dataclass(slots=True)
class _Recorded:
    """What a ledger knows of a charge: itself, what became of it, and what was declared then."""

    charge: Entry | None
    settled: Entry | None = None
    declaring: Entry | None = None
    suspensions: int = 0
    kept: dict[str, Any] | None = None
    """What the certificate stated when it was made."""

    @staticmethod
    def of(certificate: Certificate, ledger: Ledger) -> "_Recorded":
        recorded = _Recorded(ledger.entry(certificate.entry))
        if recorded.charge is None:
            return recorded
        for entry in ledger.history(recorded.charge.dataset):
            if entry.kind == "suspended" and entry.sequence < certificate.entry:
                recorded.suspensions += 1
            if entry.charge == certificate.entry:
                recorded.settled = entry
            declares = entry.kind in ("dataset", "budget", "details") and entry.analyst is None
            if declares and entry.sequence < certificate.entry:
                recorded.declaring = entry
        if recorded.settled is not None and recorded.settled.kind == "released":
            recorded.kept = _kept(ledger.stored(recorded.settled))
        return recorded

    @property
    def declared(self) -> dict[str, object]:
        if self.declaring is None:
            return {}
        declaration = self.declaring.data["to"]
        details = declaration["details"]
        caps = {
            name: details[name] for name in ("unit", "max_groups", "max_rows") if name in details
        }
        if "max_rows" in details:  # a table's, which declares the other cap only where it has one
            further = ("max_rows_per_group", "at_most_rows", "at_most_groups")
            caps |= {name: details.get(name) for name in further}
        return {"neighbors": declaration["neighbors"], **caps}


def _kept(answer: bytes | None) -> dict[str, Any] | None:
    """The certificate in an answer that a table released."""
    # An answer of another program, which keeps what it likes, has none.
    data = None if answer is None else decoded(answer, dict[str, Any])
    statement = None if data is None else data.get("certificate")
    return statement if isinstance(statement, dict) else None


def _plain(value: object) -> object:
    """A value as one text where it is not one, so that True and 1 are two."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _as_written(text: str | None, known: Fraction | None) -> str | None:
    """What the ledger knows, in the words of the certificate if they mean the same."""
    if known is None:
        return None
    if text is None:
        return decimal_text(known)
    exact = not text.startswith("≈") and rational(text, "the price") == known
    return text if exact else decimal_text(known)


def _rho_as_written(certificate: Certificate, cost: Totals) -> str | None:
    """The ρ of a charge that has no ε; a certificate of any other states none."""
    return _as_written(certificate.rho, cost.rho) if cost.epsilon is None else None


def _fits(name: str, value: Any) -> bool:
    """Whether a value is of the field's type, and means something there."""
    try:
        convert(value, _TYPES[name])
    except ValueError:  # half a character is no ValidationError
        return False
    match name:
        case "epsilon" | "delta" | "rho":
            return value is None or _is_price(value)
        case "mechanisms":
            return all(set(one) - _PARTS == _MECHANISM and len(one) == 4 for one in value)
        case "groups":
            return all(set(one) - _PARTS == _FOR_GROUPS and len(one) == 4 for one in value or ())
        case "account":
            return value is None or _is_account(value)
    return True


def _is_account(data: Mapping[str, Any]) -> bool:
    try:
        BudgetCap.from_data(data["budget"])
        Totals.from_data(data["spent"])
    except (DiscreetError, LookupError, TypeError, ValueError):
        return False
    return len(data) == 2


def _is_price(text: str) -> bool:
    try:
        return rational(text.lstrip("≈"), "it") >= 0
    except DiscreetError:
        return False


def _named(numbers: Mapping[str, object]) -> list[str]:
    return [f"{name} {number}" for name, number in numbers.items()]


def _told(told: Mapping[str, str], *topics: str) -> list[tuple[str, str]]:
    """The topics of which there is something to tell."""
    return [(topic, told[topic]) for topic in topics if told.get(topic)]


def _short(value: object) -> str:
    text = "not there" if value is None else printable(str(value))
    return text if len(text) <= 80 else f"{text[:79]}…"


def _unreadable(fact: str) -> DataError:
    return DataError(
        f"the certificate cannot be read: {fact}. It is read only if its meaning is certain.",
        Remedy(
            python="Use what release.certificate.to_json() gave, or an answer that was saved as "
            ".json.",
            sql="Use an answer that was saved as .json.",
        ),
    )
