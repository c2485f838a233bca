"""Reading and appending entries, in SQL that SQLite and PostgreSQL both understand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from discreet.errors import LedgerCorruptError
from discreet.ledger.declarations import is_time
from discreet.ledger.entries import COLUMNS, Entry, Head

_FIELDS: Final = ", ".join(f'"{name}"' for name in COLUMNS)

_HEAD: Final = f"SELECT {_FIELDS} FROM discreet_entries ORDER BY sequence DESC LIMIT 1"

_KEYED: Final = (
    "FROM discreet_entries WHERE kind = 'charge' AND dataset = :dataset"
    ' AND analyst = :analyst AND "key" = :key'
)


class Execute(Protocol):
    """Runs one statement, with parameters by name (:name) or by place (?), and returns its rows."""

    def __call__(
        self, statement: str, parameters: Mapping[str, object] | Sequence[object], /
    ) -> list[tuple[Any, ...]]: ...


def _latest(role: str, condition: str) -> str:
    return (
        f"SELECT '{role}' AS role, {_FIELDS} FROM (SELECT {_FIELDS} FROM discreet_entries"
        f" WHERE dataset = :dataset AND {condition} ORDER BY sequence DESC LIMIT 1) AS {role}"
    )


_DECLARING: Final = "kind IN ('dataset', 'budget', 'details')"
_HALTING: Final = "kind IN ('suspended', 'resumed')"

_SITUATION: Final = " UNION ALL ".join(
    (
        _latest("declared", f"analyst IS NULL AND {_DECLARING}"),
        _latest("allotted", f"analyst = :analyst AND {_DECLARING}"),
        _latest("spent", "kind = 'charge'"),
        _latest("asked", "analyst = :analyst AND kind = 'charge'"),
        _latest("halted", _HALTING),
    )
)
_REPEATED: Final = (
    f"SELECT 'keyed' AS role, {_FIELDS} {_KEYED} UNION ALL"
    f" SELECT 'settled' AS role, {_FIELDS} FROM discreet_entries"
    f" WHERE charge = (SELECT sequence {_KEYED})"
)

_RELEASED: Final = f"""
SELECT {_FIELDS} FROM discreet_entries WHERE kind = 'released' AND charge IN
(SELECT sequence FROM discreet_entries WHERE kind = 'charge' AND "key" IS NOT NULL
 AND dataset = :dataset AND "key" = :key) ORDER BY sequence DESC LIMIT 1
"""

_KEYED_BY_ANY: Final = """
SELECT 1 FROM discreet_entries WHERE kind = 'charge' AND "key" IS NOT NULL
AND dataset = :dataset AND "key" = :key LIMIT 1
"""

_ENTRY: Final = f"SELECT {_FIELDS} FROM discreet_entries WHERE sequence = :sequence"
_SETTLEMENT: Final = f"SELECT {_FIELDS} FROM discreet_entries WHERE charge = :charge"
_SETTLEMENTS: Final = (
    "SELECT charge, kind FROM discreet_entries WHERE charge >= :first AND charge <= :last"
)
_APPEND: Final = (
    f"INSERT INTO discreet_entries ({_FIELDS}) VALUES ({', '.join('?' * len(COLUMNS))})"
)
_KEEP: Final = "INSERT INTO discreet_answers (sequence, content) VALUES (:sequence, :content)"
_KEPT: Final = "SELECT LENGTH(content) FROM discreet_answers WHERE sequence = :sequence"
# An entry without the hash of the head is no entry: SQLite leaves it out.  (A SELECT with a WHERE
# would say it more plainly, and make SQLite copy the row.)
APPEND_NEXT: Final = (
    f"INSERT OR IGNORE INTO discreet_entries ({_FIELDS}) VALUES (?,"
    " CASE (SELECT hash FROM discreet_entries ORDER BY sequence DESC LIMIT 1)"
    f" WHEN ? THEN ? END, {', '.join('?' * (len(COLUMNS) - 2))})"
)
_DATASETS: Final = "SELECT dataset FROM discreet_entries WHERE kind = 'dataset' ORDER BY sequence"
_ANALYSTS: Final = """
SELECT DISTINCT analyst FROM discreet_entries
WHERE dataset = :dataset AND analyst IS NOT NULL AND kind IN ('charge', 'budget') ORDER BY analyst
"""
_COUNTS: Final = """
SELECT s.kind, COUNT(*) FROM discreet_entries AS c
LEFT JOIN discreet_entries AS s ON s.charge = c.sequence
WHERE c.kind = 'charge' AND c.dataset = :dataset
AND (CAST(:analyst AS TEXT) IS NULL OR c.analyst = :analyst) GROUP BY s.kind
"""
_PENDING: Final = f"""
SELECT {_FIELDS} FROM discreet_entries AS c
WHERE kind = 'charge' AND charge IS NULL AND sequence > :after
AND NOT EXISTS (SELECT 1 FROM discreet_entries AS s WHERE s.charge = c.sequence)
ORDER BY sequence LIMIT :count
"""
_UNSETTLED: Final = """
SELECT sequence FROM discreet_entries AS c
WHERE kind = 'charge' AND dataset = :dataset AND sequence >= :since AND charge IS NULL
AND NOT EXISTS (SELECT 1 FROM discreet_entries AS s WHERE s.charge = c.sequence)
ORDER BY sequence
"""
_SUSPENSIONS: Final = f"""
SELECT COUNT(*) FROM discreet_entries
WHERE dataset = :dataset AND sequence < :before AND {_HALTING} AND kind = 'suspended'
"""
_DECLARED: Final = f"""
SELECT {_FIELDS} FROM discreet_entries WHERE dataset = :dataset AND {_DECLARING}
AND (analyst IS NULL OR analyst = :analyst) ORDER BY sequence
"""
_CHARGED: Final = """
SELECT 1 FROM discreet_entries WHERE kind = 'charge' AND dataset = :dataset
AND sequence > :after AND sequence < :before LIMIT 1
"""
_CHARGED_BY: Final = """
SELECT 1 FROM discreet_entries WHERE kind = 'charge' AND dataset = :dataset AND analyst = :analyst
AND sequence > :after AND sequence < :before LIMIT 1
"""
_EXTENT: Final = """
SELECT COALESCE(MIN(sequence), 1), COALESCE(MAX(sequence), 0),
(SELECT COUNT(*) FROM discreet_answers AS a
 WHERE NOT EXISTS (SELECT 1 FROM discreet_entries AS e WHERE e.sequence = a.sequence))
FROM discreet_entries
"""
_REPEATED_KEYS: Final = """
SELECT MAX(sequence) FROM discreet_entries WHERE kind = 'charge' AND "key" IS NOT NULL
GROUP BY dataset, analyst, "key" HAVING COUNT(*) > 1
"""


@dataclass(frozen=True, slots=True)
class DecidingEntries:
    """The entries that decide what a question may cost; None for one that does not exist.

    ``declared`` and ``allotted`` hold the budget of the data set and of the analyst, ``spent``
    and ``asked`` the sums of both, ``halted`` whether the data set is suspended.
    """

    declared: Entry | None = None
    allotted: Entry | None = None
    spent: Entry | None = None
    asked: Entry | None = None
    halted: Entry | None = None


@dataclass(frozen=True, slots=True)
class KeyedCharge:
    """The charge that an idempotency key has paid for, and the entry that settled it."""

    keyed: Entry | None = None
    settled: Entry | None = None


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """A filter of entries: after and up to a number, by data set, analyst and kind."""

    after: int
    last: int
    dataset: str | None = None
    analyst: str | None = None
    kind: str | None = None

    def statement(self, order: str) -> tuple[str, dict[str, object]]:
        """The statement that selects at most :count of them, and its parameters but that one."""
        wanted = {"dataset": self.dataset, "analyst": self.analyst, "kind": self.kind}
        parameters: dict[str, object] = {"after": self.after, "last": self.last}
        conditions = ["sequence > :after", "sequence <= :last"]
        for name, value in wanted.items():
            if value is not None:
                parameters[name] = value
                conditions.append(f"{name} = :{name}")
        return (
            f"SELECT {_FIELDS} FROM discreet_entries WHERE {' AND '.join(conditions)}"
            f" ORDER BY sequence {order} LIMIT :count",
            parameters,
        )


class Records:
    """The entries of a ledger.  Every entry that is read to decide something is checked."""

    __slots__ = ("execute",)

    def __init__(self, execute: Execute) -> None:
        self.execute = execute

    def head(self) -> Head:
        """The last entry."""
        last = _only(self.execute(_HEAD, {}))
        if last is None:
            return Head()
        if not is_time(last.time):
            raise _edited(f"entry {last.sequence} has a time that cannot be read")
        return last.head

    def situation(self, dataset: str, analyst: str) -> DecidingEntries:
        """What decides the price of a question of this analyst about this data set."""
        rows = self.execute(_SITUATION, {"dataset": dataset, "analyst": analyst})
        return DecidingEntries(**{row[0]: _checked(row[1:]) for row in rows})

    def repetition(self, dataset: str, analyst: str, key: str) -> KeyedCharge:
        """What became of an idempotency key."""
        rows = self.execute(_REPEATED, {"dataset": dataset, "analyst": analyst, "key": key})
        return KeyedCharge(**{row[0]: _checked(row[1:]) for row in rows})

    def released(self, dataset: str, key: str) -> Entry | None:
        """The last entry that released an answer under a key, whoever asked."""
        return _only(self.execute(_RELEASED, {"dataset": dataset, "key": key}))

    def is_used(self, dataset: str, key: str) -> bool:
        """Whether anybody charged a question with a key, whatever became of it."""
        return bool(self.execute(_KEYED_BY_ANY, {"dataset": dataset, "key": key}))

    def entry(self, sequence: int) -> Entry | None:
        """The entry with that number."""
        return _only(self.execute(_ENTRY, {"sequence": sequence}))

    def settlement(self, charge: int) -> Entry | None:
        """What became of a charge: its released or lost entry, or itself if it needs none."""
        return _only(self.execute(_SETTLEMENT, {"charge": charge}))

    def settlements(self, first: int, last: int) -> dict[int, str]:
        """The kind of the entry that settles each charge in a range."""
        return dict(self.execute(_SETTLEMENTS, {"first": first, "last": last}))

    def page(self, selection: EntryFilter, count: int) -> list[Entry]:
        """The first entries of a selection, as they are stored: unchecked."""
        return self._selected(selection, "ASC", count)

    def recent(self, selection: EntryFilter, count: int) -> list[Entry]:
        """The last entries of a selection, newest first, as they are stored: unchecked."""
        return self._selected(selection, "DESC", count)

    def _selected(self, selection: EntryFilter, order: str, count: int) -> list[Entry]:
        statement, parameters = selection.statement(order)
        return list(map(Entry.read, self.execute(statement, parameters | {"count": count})))

    def datasets(self) -> list[str]:
        """The data sets in the order they were declared."""
        return [row[0] for row in self.execute(_DATASETS, {})]

    def analysts(self, dataset: str) -> list[str]:
        """Who asked about a data set, or has a budget of their own."""
        return [row[0] for row in self.execute(_ANALYSTS, {"dataset": dataset})]

    def counts(self, dataset: str, analyst: str | None) -> dict[str | None, int]:
        """How many charges ended in each way; None is for those that are pending."""
        return dict(self.execute(_COUNTS, {"dataset": dataset, "analyst": analyst}))

    def pending(self, after: int, count: int) -> list[Entry]:
        """The first charges after an entry that nothing has settled."""
        return list(map(Entry.read, self.execute(_PENDING, {"after": after, "count": count})))

    def unsettled(self, dataset: str, last: Entry | None) -> tuple[int, ...]:
        """The charges of a data set that are neither released nor lost, given its last charge.

        Each charge names the first that was pending before it, so none before that one is.  A
        charge of 0.1.0 does not.
        """
        if last is None:
            return ()
        since = last.data.get("pending", 0)
        first = last.sequence if since is None else since
        if type(first) is not int or not 0 <= first <= last.sequence:
            raise _edited(f"entry {last.sequence} does not say what was pending before it")
        rows = self.execute(_UNSETTLED, {"dataset": dataset, "since": first})
        return tuple(int(row[0]) for row in rows)

    def suspensions(self, dataset: str, before: int) -> int:
        """How often a data set was suspended before an entry."""
        return int(self.execute(_SUSPENSIONS, {"dataset": dataset, "before": before})[0][0])

    def extent(self) -> tuple[int, int, int]:
        """The lowest and the highest entry, and how many answers have no entry."""
        lowest, highest, answers = self.execute(_EXTENT, {})[0]
        return int(lowest), int(highest), int(answers)

    def repeated_keys(self) -> list[int]:
        """Charges whose key was used before: there are none in a sound ledger."""
        return [int(row[0]) for row in self.execute(_REPEATED_KEYS, {})]

    def answer(self, sequence: int) -> bytes | None:
        """The answer that was stored with a released entry."""
        rows = self.execute(
            "SELECT content FROM discreet_answers WHERE sequence = :sequence",
            {"sequence": sequence},
        )
        if not rows:
            return None
        content = rows[0][0]
        if type(content) is bytes:
            return content
        raise _edited(f"the answer of entry {sequence} is not of bytes")

    def declared(self, dataset: str, analyst: str | None) -> list[Entry]:
        """All that was declared of a data set and of one analyst's budget, oldest first."""
        rows = self.execute(_DECLARED, {"dataset": dataset, "analyst": analyst})
        return list(map(_checked, rows))

    def charged(self, dataset: str, analyst: str | None, after: int, before: int) -> bool:
        """Whether anything was charged between two entries."""
        span: dict[str, object] = {"dataset": dataset, "after": after, "before": before}
        if analyst is None:
            return bool(self.execute(_CHARGED, span))
        return bool(self.execute(_CHARGED_BY, span | {"analyst": analyst}))

    def answers(self, first: int, last: int) -> list[int]:
        """The entries in a range that have a stored answer."""
        rows = self.execute(
            "SELECT sequence FROM discreet_answers"
            " WHERE sequence >= :first AND sequence <= :last ORDER BY sequence",
            {"first": first, "last": last},
        )
        return [int(row[0]) for row in rows]

    def append(self, entry: Entry, answer: bytes | None = None) -> None:
        """Add an entry, which must follow the head, with the answer that belongs to it."""
        self.execute(_APPEND, entry)
        taken = self.execute(_ENTRY, {"sequence": entry.sequence}) == [entry]
        if answer is not None:
            self.execute(_KEEP, {"sequence": entry.sequence, "content": answer})
            kept = self.execute(_KEPT, {"sequence": entry.sequence})
            taken = taken and kept == [(len(answer),)]
        if not taken:  # a trigger or a rule that somebody added has swallowed or changed it
            raise _edited(f"entry {entry.sequence} is not in the table it was written to")


def _only(rows: Sequence[tuple[Any, ...]]) -> Entry | None:
    return _checked(rows[0]) if rows else None


def _checked(row: tuple[Any, ...]) -> Entry:
    entry = Entry.read(row)
    if entry.intact:
        return entry
    raise _edited(f"entry {entry.sequence} does not have the hash it was written with")


def _edited(fact: str) -> LedgerCorruptError:
    return LedgerCorruptError(
        f"{fact}. Entries are never changed, so the ledger was damaged or edited. Run discreet "
        "ledger verify, and restore a backup that it accepts."
    )
