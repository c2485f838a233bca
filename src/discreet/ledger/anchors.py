"""The head of a ledger, written down somewhere else.

Who can rewrite the whole ledger can also make every hash fit.  What they cannot change is a copy
of the head on another machine, in a mail or on paper: with it, a cut or restored ledger is found.
"""

from pathlib import Path
from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict

from discreet.decoding import Digest, Shape, decoded
from discreet.errors import DataError, LedgerUnavailableError, Remedy
from discreet.ledger.entries import Head, canonical


class Anchor(Shape, frozen=True, kw_only=True):
    """How many entries there were at a time, and the hash of the last one.

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
        return canonical(asdict(self))


def _unreadable(fact: str) -> DataError:
    return DataError(
        f"the anchor cannot be read: {fact}. It is one JSON object with entries, hash and time. "
        "Use what discreet ledger anchor wrote."
    )
