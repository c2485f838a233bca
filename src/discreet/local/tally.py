"""A tally: what a collector needs to keep of the reports, however many there are.

Tallies of one scheme add up, so collectors can be sharded: each counts its own reports, and the
sum of the tallies is the tally of all reports.
"""

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError

if TYPE_CHECKING:
    from discreet.local.scheme import Scheme

_MAGIC = b"discreet.tally\x00\x01"  # the last byte is the version
_HASH = 32
_MOST_REPORTS = 1 << 40  # more than any survey has, and few enough for an exact interval


class Tally:
    """Counts of the reports of one scheme.

    >>> from discreet.local import RandomizedResponse
    >>> poll = RandomizedResponse.two_coin()
    >>> here, there = poll.tally([1, 0, 1]), poll.tally([1])
    >>> here.merge(there)
    Tally(4 reports of RandomizedResponse.two_coin())
    >>> poll.estimate(here).value
    1.0
    >>> Tally.from_bytes(here.to_bytes()) == here
    True
    """

    __slots__ = ("counts", "reports", "scheme")

    def __init__(self, scheme: "Scheme") -> None:
        self.scheme = scheme
        self.counts: NDArray[np.int64] = np.zeros(scheme.cells, np.int64)
        self.reports = 0

    @property
    def identity(self) -> str:
        """The hash of the scheme whose reports are counted."""
        return self.scheme.identity

    def add(self, reports: Any) -> "Tally":
        """Count more reports, one or many, as ``randomize`` gives them."""
        counts, number = self.scheme.count(reports)
        self._increase(counts, number)
        return self

    def merge(self, other: "Tally") -> "Tally":
        """Take up the reports of another tally of the same scheme."""
        if type(other) is not Tally or other.identity != self.identity:
            raise DataError(
                "the other tally is not of this scheme. Reports of different schemes mean "
                "different things and do not add up. Merge tallies of one scheme."
            )
        if other is self:
            raise DataError(
                "the tally would be merged with itself. Every report counts once. Merge the "
                "tally of another collector."
            )
        self._increase(other.counts, other.reports)
        return self

    def _increase(self, counts: NDArray[np.int64], number: int) -> None:
        if self.reports + number > _MOST_REPORTS:
            raise DataError(
                "the tally would hold more than 2^40 reports. No survey has so many. Look for "
                "what sends them."
            )
        self.counts += counts
        self.reports += number

    # ------------------------------------------------------------------ as bytes

    def to_bytes(self) -> bytes:
        """The scheme, the number of reports and the counts, with a checksum."""
        text = self.scheme.to_json().encode()
        numbers = np.concatenate([[self.reports], self.counts]).astype("<i8")
        body = _MAGIC + len(text).to_bytes(4, "little") + text + numbers.tobytes()
        return body + sha256(body).digest()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Tally":
        """The tally that ``to_bytes`` wrote; anything else is refused."""
        from discreet.local.scheme import scheme

        start = len(_MAGIC) + 4
        if type(data) is not bytes or len(data) < start + _HASH or data[:16] != _MAGIC:
            raise _malformed()
        body, checksum = data[:-_HASH], data[-_HASH:]
        if sha256(body).digest() != checksum:
            raise _malformed()
        end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
        read = scheme(body[start:end])
        if len(body) != end + 8 * (read.cells + 1) or read.to_json().encode() != body[start:end]:
            raise _malformed()
        numbers = np.frombuffer(body[end:], "<i8").astype(np.int64)
        tally = cls(read)
        tally.reports, tally.counts = int(numbers[0]), numbers[1:].copy()
        if not 0 <= tally.reports <= _MOST_REPORTS:
            raise _malformed()
        if not read.possible(tally.counts, tally.reports):
            raise _malformed()
        return tally

    # ------------------------------------------------------------------ as a value

    def __len__(self) -> int:
        return self.reports

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tally)
            and other.identity == self.identity
            and other.reports == self.reports
            and np.array_equal(other.counts, self.counts)
        )

    __hash__ = None  # type: ignore[assignment]  # a tally grows

    def __repr__(self) -> str:
        return f"Tally({self.reports:,} reports of {self.scheme!r})"


def _malformed() -> DataError:
    return DataError(
        "the bytes are not a tally. A tally is read from what to_bytes() wrote, unchanged. "
        "Write it again."
    )
