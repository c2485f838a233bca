"""One line of the ledger, the hash that ties it to the line before, and anchors of the head."""

import json
from collections.abc import Mapping
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

from msgspec import Meta, convert
from msgspec.json import Decoder
from msgspec.structs import asdict

from discreet.errors import DataError, LedgerCorruptError, LedgerUnavailableError, Remedy
from discreet.strict_json import Digest, Shape, decoded

EntryKind = Literal[
    "dataset", "budget", "details", "charge", "released", "lost", "suspended", "resumed"
]  # fmt: skip
KINDS: Final = frozenset(get_args(EntryKind))

GENESIS: Final = "0" * 64
"""What stands for the hash before the first entry."""

_plain = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False
)
_read: Final = Decoder(dict[str, Any])


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no blanks: one text for one value.

    >>> canonical_json({"epsilon": "1/10", "count": 3})
    '{"count":3,"epsilon":"1/10"}'
    """
    return _plain.encode(value)


class Head(NamedTuple):
    """The last entry of a ledger: all there is to know of the entries before."""

    sequence: int = 0
    hash: str = GENESIS
    time: str = ""


class Entry(NamedTuple):
    """An entry as it is stored, field by field.

    ``analyst`` is who asked, or whose budget it is; ``charge`` is the sequence of the charge that
    a released or lost entry settles; ``body`` is the canonical JSON of what the kind needs.
    """

    sequence: int
    previous: str
    time: str
    kind: str
    dataset: str
    analyst: str | None
    key: str | None
    charge: int | None
    body: str
    hash: str
    # A tuple, since it is a stored row: one that was read needs no copy, field by field.

    @staticmethod
    def after(
        head: Head,
        *,
        time: str,
        kind: EntryKind,
        dataset: str,
        body: Mapping[str, object] | str,
        analyst: str | None = None,
        key: str | None = None,
        charge: int | None = None,
    ) -> "Entry":
        """The entry that follows ``head``, with its hash; a ``body`` that is text is canonical."""
        text = body if isinstance(body, str) else canonical_json(body)
        fields = (head.sequence + 1, head.hash, time, kind, dataset, analyst, key, charge, text)
        return Entry(*fields, _digest(*fields))

    @staticmethod
    def read(row: tuple[Any, ...]) -> "Entry":
        """The entry of a row that a store holds; a row of another shape is not an entry."""
        try:
            return convert(row, Entry)
        except ValueError:
            pass  # so that what it quotes goes no further
        raise LedgerCorruptError(
            f"entry {row[0]!r:.40} has a field of the wrong type. Entries are never "
            "changed, so somebody or something else wrote to the ledger. Run discreet ledger "
            "verify, and restore a backup that it accepts."
        )

    @property
    def head(self) -> Head:
        """This entry as the last one."""
        return Head(self.sequence, self.hash, self.time)

    @property
    def data(self) -> dict[str, Any]:
        """The body as plain data."""
        return parse_body(self.body)

    def line(self) -> str:
        """The entry as one line of JSON, the form in which it is exported."""
        return _text(*self[:-1], f'"hash":{quoted(self.hash)},')

    def computed_hash(self) -> str:
        """What the hash must be."""
        return _digest(*self[:-1])

    @property
    def intact(self) -> bool:
        """Whether the entry is as it was written."""
        return self.hash == self.computed_hash()


def _digest(
    sequence: int,
    previous: str,
    time: str,
    kind: str,
    dataset: str,
    analyst: str | None,
    key: str | None,
    charge: int | None,
    body: str,
) -> str:
    text = _text(sequence, previous, time, kind, dataset, analyst, key, charge, body, "")
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _text(
    sequence: int,
    previous: str,
    time: str,
    kind: str,
    dataset: str,
    analyst: str | None,
    key: str | None,
    charge: int | None,
    body: str,
    hash_field: str,
) -> str:
    # Keys in order.  The body is JSON already: a blank that was added to it is a change.
    return (
        f'{{"analyst":{"null" if analyst is None else quoted(analyst)},"body":{body},'
        f'"charge":{"null" if charge is None else charge},'
        f'"dataset":{quoted(dataset)},{hash_field}"key":{"null" if key is None else quoted(key)},'
        f'"kind":{quoted(kind)},"previous":{quoted(previous)},'
        f'"sequence":{sequence},"time":{quoted(time)}}}'
    )


def parse_body(body: str) -> dict[str, Any]:
    """The plain data of a body; one that nobody can have written is damage."""
    try:
        return _read.decode(body)
    except (ValueError, RecursionError):
        pass
    raise LedgerCorruptError(
        "the body of an entry cannot be read. Entries are never changed, so somebody or something "
        "else wrote to the ledger. Run discreet ledger verify, and restore a backup that it "
        "accepts."
    )


COLUMNS: Final = Entry._fields
"""The fields in the order of a stored row."""


class Anchor(Shape, frozen=True, kw_only=True):
    """The head of a ledger at a time: the number of entries and the hash of the last one.

    >>> Anchor.read('{"entries": 2, "hash": "' + "ab" * 32 + '", "time": "2026-11-15"}').entries
    2
    """

    entries: Annotated[int, Meta(ge=0)]
    hash: Digest
    time: str

    @staticmethod
    def of(head: Head, time: str) -> "Anchor":
        """The anchor of a head."""
        return Anchor(entries=head.sequence, hash=head.hash, time=time)

    @staticmethod
    def read(text: str) -> "Anchor":
        """The anchor that was written as JSON."""
        anchor = decoded(text, Anchor)
        if anchor is None:
            raise _unreadable("it is not JSON, or of another form")
        return anchor

    @staticmethod
    def load(path: str | Path) -> "Anchor":
        """The anchor in a file."""
        try:
            return Anchor.read(Path(path).read_text("utf-8"))
        except UnicodeDecodeError:
            raise _unreadable("it is not text in UTF-8") from None
        except OSError as error:
            raise LedgerUnavailableError(
                f"the anchor {path} cannot be read: {error.strerror or type(error).__name__}. "
                "Without it, a cut or restored ledger is not found.",
                Remedy(
                    python="Check the path, or verify without an anchor.",
                    command="Check the path, or verify without --anchor.",
                ),
            ) from None

    def to_json(self) -> str:
        """One line, to be kept where the ledger's owner cannot change it."""
        return canonical_json(asdict(self))


def _unreadable(fact: str) -> DataError:
    return DataError(
        f"the anchor cannot be read: {fact}. It is one JSON object with entries, hash and time. "
        "Use what discreet ledger anchor wrote."
    )
