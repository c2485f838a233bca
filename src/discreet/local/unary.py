"""Unary encoding: one bit per category, each kept or flipped on its own."""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError
from discreet.local import packed
from discreet.local.categories import Categories, Given
from discreet.local.chances import WHOLE, happens, keep_chance, require_information
from discreet.local.scheme import Categorical
from discreet.noise import BitSource, Keystream
from discreet.privacy.laws import Law, ProductLaw, WeightedLaw
from discreet.privacy.parameters import read_epsilon

KINDS = ("optimised", "symmetric")
_HEXADECIMAL = re.compile(r"[0-9a-f]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnaryEncoding(Categorical):
    """A report of k bits: that of the true category is 1 with one chance, the others with another.

    ``optimised`` tells the true category's bit by a fair coin and flips the others as rarely as ε
    allows; its variance hardly depends on k, and is the lower one of a report by itself.
    ``symmetric`` flips every bit with one chance, which is the better first stage of ``Repeated``
    where the second one flips many.  A report is a row of packed bits.

    Guarantee: local ε-DP.  Whatever one respondent's value is changed to, no report becomes more
    than e^ε times as likely.  Proof: docs/proofs/local-schemes.md

    >>> scheme = UnaryEncoding(epsilon=1, categories=100)
    >>> round(scheme.variance(1), 3)
    3.683
    >>> scheme.randomize([3, 4, 4]).shape
    (3, 13)
    """

    name: ClassVar[str] = "unary"
    most: ClassVar[int] = 1 << 20
    chosen: ClassVar[tuple[str, ...]] = ("kind",)

    epsilon: Fraction
    categories: Given
    kind: str = "optimised"
    one: int = field(init=False, repr=False, compare=False)
    other: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        answers = Categories.read(self.categories, self.most)
        epsilon = read_epsilon(self.epsilon, stacklevel=4)
        if self.kind not in KINDS:
            raise BoundsError(
                "kind is unknown. Unary encoding is 'optimised', with the lower variance, or "
                "'symmetric', with one chance for every bit. Use kind='optimised'."
            )
        if self.kind == "optimised":
            one, other = WHOLE // 2, WHOLE - keep_chance(epsilon)
        else:
            one = keep_chance(epsilon / 2)
            other = WHOLE - one
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "categories", answers.given)
        object.__setattr__(self, "one", one)
        object.__setattr__(self, "other", other)
        require_information(Fraction(one - other, WHOLE), answers.size)

    def __repr__(self) -> str:
        kind = "" if self.kind == "optimised" else f", kind={self.kind!r}"
        return f"UnaryEncoding(epsilon={self.epsilon}, categories={self._answers.shown}{kind})"

    @property
    def derived(self) -> dict[str, str | int]:
        """The chances that the bit of the true category is 1, and that another's is."""
        return {"one": str(self.one), "other": str(self.other)}

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """The chances that a report names the true category, and a given other one."""
        return Fraction(self.one, WHOLE), Fraction(self.other, WHOLE)

    @property
    def message_bits(self) -> int:
        """One bit per category."""
        return self.domain

    @property
    def cells(self) -> int:
        """One counter per category."""
        return self.domain

    def law(self, value: Any, /) -> Law:
        """The exact law of the bits of a report, which are independent."""
        true = self._answers.code(value)
        one, other = (
            WeightedLaw.of_probabilities({1: chance, 0: 1 - chance}) for chance in self.pair
        )
        return ProductLaw(tuple(one if at == true else other for at in range(self.domain)))

    def randomize(self, values: object, *, source: BitSource | None = None) -> packed.Packed:
        """A row of packed bits for the value, or one row for each of several."""
        source = Keystream() if source is None else source
        codes = self._answers.codes(values)
        flat, size = codes.ravel(), self.domain
        reports = np.empty((flat.size, packed.width(size)), np.uint8)
        step = packed.rows_at_a_time(size)
        for start in range(0, flat.size, step):
            true = flat[start : start + step]
            bits = happens(self.other, true.size * size, source).reshape(true.size, size)
            bits[np.arange(true.size), true] = happens(self.one, true.size, source)
            reports[start : start + step] = np.packbits(bits, axis=1)
        return reports if codes.ndim else reports[0]

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How many reports have the bit of each category."""
        rows = packed.read(reports, self.domain)
        return packed.column_counts(rows, self.domain), len(rows)

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether every bit is counted at most once per report."""
        return int(counts.min()) >= 0 and int(counts.max()) <= reports

    def _to_plain(self, report: Any) -> object:
        (row,) = packed.read(report, self.domain)
        return bytes(row).hex()

    def _from_plain(self, plain: Any) -> Any:
        length = 2 * packed.width(self.domain)
        if not isinstance(plain, str) or len(plain) != length or not _HEXADECIMAL.fullmatch(plain):
            return None
        data = np.frombuffer(bytes.fromhex(plain), np.uint8)
        if int(data[-1]) & ((1 << -self.domain % 8) - 1):
            return None
        return data.copy()
