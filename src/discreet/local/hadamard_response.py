"""Hadamard response: a random row of a Hadamard matrix, and one noisy bit of it."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, VerificationError
from discreet.exact.rational import WrittenNumber
from discreet.local.categories import Categories, GivenCategories, WrittenCategories
from discreet.local.probabilities import (
    WHOLE,
    bernoulli_bits,
    keep_chance,
    require_information,
    uniform,
)
from discreet.local.scheme import CategoricalScheme, Tally, register_scheme
from discreet.noise import BitSource, Keystream
from discreet.privacy.laws import MAX_ATOMS, Law, WeightedLaw
from discreet.privacy.losses import read_epsilon

_BATCH_SIZE = 1 << 16
_HALF = Fraction(1, 2)


@register_scheme
@dataclass(frozen=True, slots=True, kw_only=True)
class HadamardResponse(CategoricalScheme):
    """Local scheme whose report is a random row of a Hadamard matrix and one noisy bit of that row.

    The row r is uniform and says nothing of the value x.  The bit is the parity of the bits that r
    and x + 1 share, kept with odds e^ε : 1 and else flipped.  Messages are short and decoding is
    quick for very many categories, at a variance above the best.  A report is a pair (row, bit).

    Guarantee: local ε-DP.  Whatever one respondent's value is changed to, no report becomes more
    than e^ε times as likely.  Proof: docs/proofs/local-schemes.md

    >>> scheme = HadamardResponse(epsilon=1, categories=1000)
    >>> scheme.rows, scheme.message_bits, round(scheme.variance(1), 3)
    (1024, 11, 4.683)
    """

    name: ClassVar[str] = "hadamard"
    most: ClassVar[int] = (1 << 24) - 1

    epsilon: Fraction
    categories: GivenCategories
    keep: int = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(self, *, epsilon: WrittenNumber, categories: WrittenCategories) -> None: ...

    def __post_init__(self) -> None:
        answers = Categories.read(self.categories, self.most)
        epsilon = read_epsilon(self.epsilon, stacklevel=4)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "categories", answers.given)
        object.__setattr__(self, "keep", keep_chance(epsilon))
        require_information(self.pair[0] - _HALF, answers.size)

    def __repr__(self) -> str:
        return f"HadamardResponse(epsilon={self.epsilon}, categories={self._answers.shown})"

    @property
    def rows(self) -> int:
        """The number of rows: the least power of two above the number of categories."""
        return 1 << self.domain.bit_length()

    @property
    def derived(self) -> dict[str, str | int]:
        """The number of rows, and the chance that the bit is kept."""
        return {"rows": self.rows, "keep": str(self.keep)}

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """The chances that a report agrees with the true category and with a given other one."""
        return Fraction(self.keep, WHOLE), _HALF

    @property
    def message_bits(self) -> int:
        """The number of bits of a report: those of the row, and the noisy bit."""
        return self.domain.bit_length() + 1

    @property
    def cells(self) -> int:
        """The number of counters: two per row, of the reported zeros and of the ones."""
        return 2 * self.rows

    def law(self, value: Any, /) -> Law:
        """The exact law of the row and the bit."""
        if self.cells > MAX_ATOMS:
            raise VerificationError(
                f"there are {self.cells} reports, more than {MAX_ATOMS}. The law holds a "
                "probability for each. Verify with fewer categories."
            )
        column = self._answers.code(value) + 1
        keep = Fraction(self.keep, WHOLE)
        return WeightedLaw.of_probabilities(
            {
                (row, bit): (keep if (row & column).bit_count() % 2 == bit else 1 - keep)
                / self.rows
                for row in range(self.rows)
                for bit in (0, 1)
            }
        )

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A pair (row, bit) for the value, or an array with one for each of several."""
        source = Keystream() if source is None else source
        codes = self._answers.codes(values)
        flat_codes = codes.ravel()
        reports = np.empty((flat_codes.size, 2), np.int64)
        for start in range(0, flat_codes.size, _BATCH_SIZE):
            batch = flat_codes[start : start + _BATCH_SIZE]
            rows = uniform(self.rows, batch.size, source)
            bits = np.bitwise_count(rows & (batch + 1)) & 1
            reports[start : start + _BATCH_SIZE, 0] = rows
            reports[start : start + _BATCH_SIZE, 1] = bits ^ ~bernoulli_bits(
                self.keep, batch.size, source
            )
        return reports if codes.ndim else (int(reports[0, 0]), int(reports[0, 1]))

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How many reports there are of each row and bit."""
        pairs = self._pairs(reports)
        counters = 2 * pairs[:, 0] + pairs[:, 1]
        return np.bincount(counters, minlength=self.cells).astype(np.int64, copy=False), len(pairs)

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether every report is counted once."""
        return int(counts.min()) >= 0 and sum(counts.tolist()) == reports

    def _named(self, tally: Tally) -> NDArray[np.int64]:
        """The number of reports whose bit is that of each category in their row."""
        signed_counts = tally.counts[0::2] - tally.counts[1::2]
        agreements = walsh_hadamard(signed_counts)[1 : self.domain + 1]
        return (agreements + tally.reports) // 2

    def _pairs(self, reports: Any) -> NDArray[np.int64]:
        try:
            array = np.asarray(reports)
        except (TypeError, ValueError):
            raise self._not_reports() from None
        if array.size == 0 and array.ndim <= 2:
            return np.empty((0, 2), np.int64)
        if array.dtype.kind not in "iu" or array.ndim not in (1, 2) or array.shape[-1] != 2:
            raise self._not_reports()
        pairs = array.reshape(-1, 2)
        if pairs.min() < 0 or pairs[:, 0].max() >= self.rows or pairs[:, 1].max() > 1:
            raise self._not_reports()
        return pairs.astype(np.int64, copy=False)

    def _not_reports(self) -> DataError:
        return DataError(
            f"the reports are not pairs of a row and a bit. A row is an integer from 0 to "
            f"{self.rows - 1}, a bit 0 or 1. Use reports made by randomize()."
        )

    def _to_plain(self, report: Any) -> object:
        (pair,) = self._pairs(report)
        return [int(pair[0]), int(pair[1])]

    def _from_plain(self, plain: Any) -> Any:
        if not isinstance(plain, list) or len(plain) != 2:
            return None
        if any(type(item) is not int for item in plain):
            return None
        row, bit = plain
        return (row, bit) if 0 <= row < self.rows and 0 <= bit <= 1 else None


def walsh_hadamard(values: NDArray[Any]) -> NDArray[Any]:
    """The Walsh-Hadamard transform: sums of the values with the signs of each row.

    >>> walsh_hadamard(np.array([1, 0, 2, 0])).tolist()
    [3, 3, -1, -1]
    """
    result = values.copy()
    half = 1
    while half < result.size:
        pairs = result.reshape(-1, 2, half)
        first_half = pairs[:, 0].copy()
        pairs[:, 0] += pairs[:, 1]
        np.subtract(first_half, pairs[:, 1], out=pairs[:, 1])
        half *= 2
    return result
