"""Reports that name a set of categories: unary encoding and subset selection, in packed bits."""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError, DataError, VerificationError
from discreet.exact.rational import WrittenNumber
from discreet.local import wire
from discreet.local.categories import Categories, GivenCategories, WrittenCategories
from discreet.local.probabilities import (
    WHOLE,
    bernoulli_bits,
    fresh_bytes,
    keep_chance,
    require_information,
)
from discreet.local.probabilities import uniform as uniform_below
from discreet.local.scheme import CategoricalScheme, register_scheme
from discreet.noise import BitSource, Keystream
from discreet.privacy.laws import MAX_ATOMS, Law, ProductLaw, WeightedLaw
from discreet.privacy.losses import read_epsilon

Packed = NDArray[np.uint8]

_CELLS = 1 << 22  # unpacked bits that are held at a time
_GROUP = 255  # rows whose bits add up within a byte


KINDS = ("optimised", "symmetric")
_HEXADECIMAL = re.compile(r"[0-9a-f]*")


def width(size: int) -> int:
    """The bytes of one report over so many categories."""
    return (size + 7) // 8


def rows_at_a_time(size: int) -> int:
    """How many rows are unpacked at a time."""
    return max(1, _CELLS // size)


def read_packed(reports: Any, size: int) -> Packed:
    """Reports as rows of packed bits; anything else is refused."""
    try:
        array = np.asarray(reports)
    except (TypeError, ValueError):
        raise _not_reports(size) from None
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, width(size)), np.uint8)
    if array.dtype != np.uint8 or array.ndim not in (1, 2) or array.shape[-1] != width(size):
        raise _not_reports(size)
    rows: Packed = array.reshape(-1, width(size))
    padding = -size % 8
    if padding and int(np.bitwise_or.reduce(rows[:, -1])) & ((1 << padding) - 1):
        raise _not_reports(size)
    return rows


def column_counts(rows: Packed, size: int) -> NDArray[np.int64]:
    """How many rows name each category."""
    counts = np.zeros(8 * width(size), np.int64)
    step = _GROUP * max(1, rows_at_a_time(size) // _GROUP)
    for start in range(0, len(rows), step):
        bits = np.unpackbits(rows[start : start + step], axis=1)
        whole = len(bits) // _GROUP * _GROUP
        groups = bits[:whole].reshape(-1, _GROUP, bits.shape[1])
        counts += np.add.reduce(groups, axis=1, dtype=np.uint8).sum(axis=0, dtype=np.int64)
        counts += bits[whole:].sum(axis=0, dtype=np.int64)
    return counts[:size]


def row_counts(rows: Packed) -> NDArray[np.int64]:
    """How many categories each row names."""
    counts: NDArray[np.int64] = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
    return counts


def one_row(indices: list[int], size: int) -> Packed:
    """The report that names these categories."""
    bits = np.zeros(size, np.uint8)
    bits[indices] = 1
    return np.packbits(bits)


def indices(row: Packed, size: int) -> list[int]:
    """The categories that one report names, in order."""
    categories: list[int] = np.flatnonzero(np.unpackbits(row, count=size)).tolist()
    return categories


def _not_reports(size: int) -> DataError:
    return DataError(
        f"the reports are not packed bits. A report over {size} categories is {width(size)} bytes "
        "of type uint8, as randomize() gives it. Stack several as the rows of one array."
    )


@register_scheme
@dataclass(frozen=True, slots=True, kw_only=True)
class UnaryEncoding(CategoricalScheme):
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
    categories: GivenCategories
    kind: str = "optimised"
    one: int = field(init=False, repr=False, compare=False)
    other: int = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self, *, epsilon: WrittenNumber, categories: WrittenCategories, kind: str = "optimised"
        ) -> None: ...

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

    def randomize(self, values: object, *, source: BitSource | None = None) -> Packed:
        """A row of packed bits for the value, or one row for each of several."""
        source = Keystream() if source is None else source
        codes = self._answers.codes(values)
        flat, size = codes.ravel(), self.domain
        reports = np.empty((flat.size, width(size)), np.uint8)
        step = rows_at_a_time(size)
        for start in range(0, flat.size, step):
            true = flat[start : start + step]
            bits = bernoulli_bits(self.other, true.size * size, source).reshape(true.size, size)
            bits[np.arange(true.size), true] = bernoulli_bits(self.one, true.size, source)
            reports[start : start + step] = np.packbits(bits, axis=1)
        return reports if codes.ndim else reports[0]

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How many reports have the bit of each category."""
        rows = read_packed(reports, self.domain)
        return column_counts(rows, self.domain), len(rows)

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether every bit is counted at most once per report."""
        return int(counts.min()) >= 0 and int(counts.max()) <= reports

    def _to_plain(self, report: Any) -> object:
        (row,) = read_packed(report, self.domain)
        return bytes(row).hex()

    def _from_plain(self, plain: Any) -> Any:
        length = 2 * width(self.domain)
        if not isinstance(plain, str) or len(plain) != length or not _HEXADECIMAL.fullmatch(plain):
            return None
        data = np.frombuffer(bytes.fromhex(plain), np.uint8)
        if int(data[-1]) & ((1 << -self.domain % 8) - 1):
            return None
        return data.copy()


@register_scheme
@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetSelection(CategoricalScheme):
    """A report names ``size`` categories: a uniform set with the truth in it, or one without.

    The size is the one of least variance unless it is given; it is near k/(e^ε + 1).  The
    variance is the lowest of the schemes here, or as low.  A report is a row of packed bits.

    Guarantee: local ε-DP.  Whatever one respondent's value is changed to, no report becomes more
    than e^ε times as likely.  Proof: docs/proofs/local-schemes.md

    >>> scheme = SubsetSelection(epsilon=1, categories=10)
    >>> scheme.size, round(scheme.variance(1), 3)
    (2, 2.822)
    """

    name: ClassVar[str] = "subset"
    most: ClassVar[int] = 1 << 20
    chosen: ClassVar[tuple[str, ...]] = ("size",)

    epsilon: Fraction
    categories: GivenCategories
    size: int = None  # type: ignore[assignment]
    keep: int = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self, *, epsilon: WrittenNumber, categories: WrittenCategories, size: int | None = None
        ) -> None: ...

    def __post_init__(self) -> None:
        answers = Categories.read(self.categories, self.most)
        epsilon = read_epsilon(self.epsilon, stacklevel=4)
        given: object = self.size
        size = best_size(epsilon, answers.size) if given is None else given
        if type(size) is not int or not 1 <= size < answers.size:
            raise BoundsError(
                f"size is not a number of categories. A report names at least 1 and at most "
                f"{answers.size - 1} of {answers.size} categories. Leave size out for the best."
            )
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "categories", answers.given)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "keep", keep_chance(epsilon, size, answers.size - size))
        truth, lie = self.pair
        require_information(truth - lie, answers.size)

    def __repr__(self) -> str:
        best = best_size(self.epsilon, self.domain)
        size = "" if self.size == best else f", size={self.size}"
        return f"SubsetSelection(epsilon={self.epsilon}, categories={self._answers.shown}{size})"

    @property
    def derived(self) -> dict[str, str | int]:
        """The chance that the true category is in the set."""
        return {"keep": str(self.keep)}

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """The chances that a report names the true category, and a given other one."""
        return chances(self.keep, self.size, self.domain)

    @property
    def message_bits(self) -> int:
        """One bit per category, or a number for each category of the set if that is shorter."""
        return min(self.domain, self.size * (self.domain - 1).bit_length())

    @property
    def cells(self) -> int:
        """One counter per category."""
        return self.domain

    def law(self, value: Any, /) -> Law:
        """The exact law of the set, as an ordered tuple of the numbers of its categories."""
        if comb(self.domain, self.size) > MAX_ATOMS:
            raise VerificationError(
                f"there are more than {MAX_ATOMS} sets of {self.size} categories. The law holds a "
                "probability for each. Verify with fewer categories."
            )
        true = self._answers.code(value)
        keep = Fraction(self.keep, WHOLE)
        having = keep / comb(self.domain - 1, self.size - 1)
        lacking = (1 - keep) / comb(self.domain - 1, self.size)
        return WeightedLaw.of_probabilities(
            {
                one: having if true in one else lacking
                for one in combinations(range(self.domain), self.size)
            }
        )

    # ------------------------------------------------------------------ at the respondent

    def randomize(self, values: object, *, source: BitSource | None = None) -> Packed:
        """A row of packed bits for the value, or one row for each of several."""
        source = Keystream() if source is None else source
        codes = self._answers.codes(values)
        flat = codes.ravel()
        reports = np.empty((flat.size, width(self.domain)), np.uint8)
        step = rows_at_a_time(self.domain)
        for start in range(0, flat.size, step):
            bits = self._sets(flat[start : start + step], source)
            reports[start : start + step] = np.packbits(bits, axis=1)
        return reports if codes.ndim else reports[0]

    def _sets(self, true: NDArray[np.int64], source: BitSource) -> NDArray[np.bool_]:
        """Uniform sets of the right size, with or without the true category.

        Every other category is first taken or not by a coin of one bias; then uniform ones are
        taken out of a set that is too large, or into one that is too small.  No step tells the
        other categories apart, so all sets of that size are equally likely.
        """
        kept = bernoulli_bits(self.keep, true.size, source)
        others = self.size - kept
        lanes = np.arange(true.size)
        coin = min(255, 256 * self.size // self.domain)
        bits = (fresh_bytes(true.size * self.domain, source) < coin).reshape(-1, self.domain)
        bits[lanes, true] = False
        surplus = np.count_nonzero(bits, axis=1) - others
        flat = bits.reshape(-1)
        todo = np.flatnonzero(surplus)
        while todo.size:
            at = uniform_below(self.domain, todo.size, source)
            place = todo * self.domain + at
            excess = surplus[todo] > 0
            useful = (flat[place] == excess) & (at != true[todo])
            flat[place[useful]] = ~excess[useful]
            surplus[todo[useful]] -= np.where(excess[useful], 1, -1)
            todo = todo[surplus[todo] != 0]
        bits[lanes, true] = kept
        return bits

    # ------------------------------------------------------------------ at the collector

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How many reports name each category."""
        rows = self._rows(reports)
        return column_counts(rows, self.domain), len(rows)

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether every report names as many categories as it must, each once."""
        total = sum(counts.tolist())
        return (
            int(counts.min()) >= 0 and int(counts.max()) <= reports and total == reports * self.size
        )

    def _rows(self, reports: Any) -> Packed:
        rows = read_packed(reports, self.domain)
        if (row_counts(rows) != self.size).any():
            raise DataError(
                f"a report does not name {self.size} categories. Every report of this scheme "
                "does. Use reports made by randomize()."
            )
        return rows

    @property
    def _longest(self) -> int:
        """Of very many categories a report lists more than fit in the usual length."""
        return max(wire.MOST_CHARACTERS, 200 + self.size * (len(str(self.domain)) + 2))

    def _to_plain(self, report: Any) -> object:
        (row,) = self._rows(report)
        return indices(row, self.domain)

    def _from_plain(self, plain: Any) -> Any:
        if not isinstance(plain, list) or len(plain) != self.size:
            return None
        if not all(type(one) is int and 0 <= one < self.domain for one in plain):
            return None
        if any(first >= second for first, second in pairwise(plain)):
            return None
        return one_row(plain, self.domain)


def chances(keep: int, size: int, domain: int) -> tuple[Fraction, Fraction]:
    """The chances that a set holds the true category, and a given other one."""
    truth = Fraction(keep, WHOLE)
    return truth, (size - truth) / (domain - 1)


def best_size(epsilon: Fraction, domain: int) -> int:
    """The size of least variance at proportion 0, by descent from near k/(e^ε + 1).

    >>> best_size(Fraction(1), 100), best_size(Fraction(5), 4)
    (27, 1)
    """

    def variance(size: int) -> Fraction:
        truth, lie = chances(keep_chance(epsilon, size, domain - size), size, domain)
        return lie * (1 - lie) / (truth - lie) ** 2 if truth > lie else Fraction(1 << 200)

    size = min(domain - 1, max(1, domain * (WHOLE - keep_chance(epsilon)) // WHOLE))
    least = variance(size)
    for step in (1, -1):
        while 1 <= size + step < domain and (tried := variance(size + step)) < least:
            size, least = size + step, tried
    return size
