"""Projective geometry response: subset selection whose sets are hyperplanes, named by a number.

Categories and reports are points of a projective space over the integers modulo a prime.  Every
point has equally many points orthogonal to it, and every two points equally many in common, so a
report, a few bits long, stands for the set of the categories that are orthogonal to it.  The
construction is that of Feldman, Nelson, Nguyen and Talwar (2022).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError, DataError, VerificationError
from discreet.exact.rational import WrittenNumber
from discreet.local.categories import Categories, GivenCategories, WrittenCategories
from discreet.local.hadamard_response import walsh_hadamard
from discreet.local.probabilities import (
    WHOLE,
    bernoulli_bits,
    keep_chance,
    require_information,
    uniform,
)
from discreet.local.scheme import CategoricalScheme, Tally, register_scheme
from discreet.local.subsets import chances
from discreet.noise import BitSource, Keystream
from discreet.privacy.laws import MAX_ATOMS, Law, WeightedLaw
from discreet.privacy.losses import read_epsilon

_MOST_VECTORS = 1 << 24
_BLOCK = 1 << 14

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ProjectiveSpace:
    """The points of a projective space: vectors modulo a prime whose first digit that is not 0
    is 1, in the order of the numbers that they are the digits of."""

    prime: int
    dimension: int

    @property
    def points(self) -> int:
        """How many points there are."""
        return _points(self.prime, self.dimension)

    @property
    def hyperplane(self) -> int:
        """How many points are orthogonal to a given one."""
        return _points(self.prime, self.dimension - 1)

    @property
    def vectors(self) -> int:
        """How many vectors there are, with 0."""
        return int(self.prime**self.dimension)

    def numbers(self, points: Integers) -> Integers:
        """The numbers whose digits are the vectors of these points."""
        powers = self.prime ** np.arange(self.dimension)
        offsets = (powers - 1) // (self.prime - 1)
        place = np.searchsorted(offsets, points, side="right") - 1
        numbers: Integers = powers[place] + points - offsets[place]
        return numbers

    def digits(self, numbers: Integers) -> Integers:
        """The vectors as rows, the most significant digit first."""
        powers = self.prime ** np.arange(self.dimension)[::-1]
        return numbers[:, None] // powers % self.prime

    def named(self, vectors: Integers) -> Integers:
        """The points on which vectors other than 0 lie."""
        inverses = np.array([pow(one, -1, self.prime) if one else 0 for one in range(self.prime)])
        lead = np.argmax(vectors != 0, axis=1)
        factors = inverses[vectors[np.arange(len(vectors)), lead]]
        powers = self.prime ** np.arange(self.dimension)
        numbers = (vectors * factors[:, None] % self.prime) @ powers[::-1]
        place = self.dimension - 1 - lead
        points: Integers = numbers - powers[place] + (powers[place] - 1) // (self.prime - 1)
        return points

    def orthogonal(self, counts: Integers, first: int) -> Integers:
        """For each of the first points, the sum of the counts of the points orthogonal to it.

        With h the counts spread over all multiples of each point, the Fourier transform of h at
        x is prime·(sum orthogonal to x) - (sum of all), a real integer.
        """
        spread = np.zeros(self.vectors)
        powers = self.prime ** np.arange(self.dimension)[::-1]
        for start in range(0, self.points, _BLOCK):
            part = counts[start : start + _BLOCK]
            vectors = self.digits(self.numbers(np.arange(start, start + part.size)))
            for factor in range(1, self.prime):
                spread[vectors * factor % self.prime @ powers] = part
        if self.prime == 2:
            whole = walsh_hadamard(spread)
        else:
            shape = (self.prime,) * self.dimension
            whole = np.fft.rfftn(spread.reshape(shape)).real
        sums = np.empty(first, np.int64)
        total = float(counts.sum())
        for start in range(0, first, _BLOCK):
            at = self.digits(self.numbers(np.arange(start, min(start + _BLOCK, first))))
            if self.prime > 2:  # half of the transform is stored, and the other half is equal
                at = np.where(at[:, -1:] > self.prime // 2, -at % self.prime, at)
                codes = whole[tuple(at.T)]
            else:
                codes = whole[at @ powers]
            sums[start : start + _BLOCK] = np.rint((codes + total) / self.prime)
        return sums


@register_scheme
@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectiveGeometryResponse(CategoricalScheme):
    """A report is a point: one orthogonal to the true category's with a chance, else another.

    The variance is near that of subset selection, where a prime is near e^ε + 1; the message is
    a number below e^ε·k or so.  A report is an integer.

    Guarantee: local ε-DP.  Whatever one respondent's value is changed to, no report becomes more
    than e^ε times as likely.  Proof: docs/proofs/local-schemes.md

    >>> scheme = ProjectiveGeometryResponse(epsilon=1, categories=1000)
    >>> scheme.prime, scheme.dimension, scheme.message_bits, round(scheme.variance(1), 3)
    (3, 7, 11, 3.761)
    """

    name: ClassVar[str] = "projective"
    most: ClassVar[int] = _MOST_VECTORS - 1  # the points over two digits
    chosen: ClassVar[tuple[str, ...]] = ("prime", "dimension")

    epsilon: Fraction
    categories: GivenCategories
    prime: int = None  # type: ignore[assignment]
    dimension: int = None  # type: ignore[assignment]
    keep: int = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            epsilon: WrittenNumber,
            categories: WrittenCategories,
            prime: int | None = None,
            dimension: int | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        answers = Categories.read(self.categories, self.most)
        epsilon = read_epsilon(self.epsilon, stacklevel=4)
        stated_space: tuple[object, object] = (self.prime, self.dimension)
        if stated_space == (None, None):
            space = best_space(epsilon, answers.size)
            object.__setattr__(self, "prime", space.prime)
            object.__setattr__(self, "dimension", space.dimension)
        elif not _is_space(*stated_space, answers.size):
            raise BoundsError(
                "prime and dimension are no space for these categories. It has a prime number of "
                "digits, at least 2 dimensions, as many points as there are categories, and at "
                f"most {_MOST_VECTORS} vectors. Leave both out for the best."
            )
        space = self.space
        keep = keep_chance(epsilon, space.hyperplane, space.points - space.hyperplane)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "categories", answers.given)
        object.__setattr__(self, "keep", keep)
        truth, lie = self.pair
        require_information(truth - lie, answers.size)

    def __repr__(self) -> str:
        best = self.space == best_space(self.epsilon, self.domain)
        space = "" if best else f", prime={self.prime}, dimension={self.dimension}"
        shown = f"epsilon={self.epsilon}, categories={self._answers.shown}"
        return f"ProjectiveGeometryResponse({shown}{space})"

    @property
    def space(self) -> ProjectiveSpace:
        """The points that are reported."""
        return ProjectiveSpace(self.prime, self.dimension)

    @property
    def derived(self) -> dict[str, str | int]:
        """The chance that a report is orthogonal to the true category."""
        return {"keep": str(self.keep)}

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """The chances that a report is orthogonal to the true category, and to a given other."""
        return chances(self.keep, self.space.hyperplane, self.space.points)

    @property
    def message_bits(self) -> int:
        """A report names one point."""
        return (self.space.points - 1).bit_length()

    @property
    def cells(self) -> int:
        """One counter per point."""
        return self.space.points

    def law(self, value: Any, /) -> Law:
        """The exact law of the point."""
        space = self.space
        if space.points > MAX_ATOMS:
            raise VerificationError(
                f"there are {space.points} points, more than {MAX_ATOMS}. The law holds a "
                "probability for each. Verify with fewer categories."
            )
        vectors = space.digits(space.numbers(np.arange(space.points)))
        near = (vectors @ vectors[self._answers.code(value)]) % space.prime == 0
        keep = Fraction(self.keep, WHOLE)
        inside, outside = keep / space.hyperplane, (1 - keep) / (space.points - space.hyperplane)
        return WeightedLaw.of_probabilities(
            {at: inside if fits else outside for at, fits in enumerate(near.tolist())}
        )

    # ------------------------------------------------------------------ at the respondent

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A point for the value, or an array with one for each of several."""
        source = Keystream() if source is None else source
        codes = self._answers.codes(values)
        reports = codes.ravel().copy()
        for start in range(0, reports.size, _BLOCK):
            part = reports[start : start + _BLOCK]
            part[:] = self._randomize(part, source)
        shaped = reports.reshape(codes.shape)
        return shaped if codes.ndim else int(shaped)

    def _randomize(self, codes: Integers, source: BitSource) -> Integers:
        """A vector with a given inner product, uniform but for 0: all digits but one are drawn,
        and the one where the true vector has its first 1 is solved for.

        The vector is 0 if it is orthogonal and all drawn digits are.  They are drawn once with
        that and once without, whichever is used, so that time does not tell who lied.
        """
        space, lanes = self.space, np.arange(codes.size)
        true = space.digits(space.numbers(codes))
        pivot = np.argmax(true != 0, axis=1)
        kept = bernoulli_bits(self.keep, codes.size, source)
        product = (1 + uniform(space.prime - 1, codes.size, source)) * ~kept
        every = space.vectors // space.prime
        some, others = uniform(every - 1, codes.size, source), uniform(every, codes.size, source)
        numbers = np.where(kept, 1 + some, others)
        powers = space.prime ** np.arange(space.dimension - 1)
        digits = numbers[:, None] // powers % space.prime
        places = np.arange(space.dimension) - (np.arange(space.dimension) > pivot[:, None])
        drawn = np.take_along_axis(digits, np.minimum(places, space.dimension - 2), axis=1)
        drawn[lanes, pivot] = 0
        drawn[lanes, pivot] = (product - (drawn * true).sum(axis=1)) % space.prime
        return space.named(drawn)

    # ------------------------------------------------------------------ at the collector

    def count(self, reports: Any) -> tuple[Integers, int]:
        """How many reports there are of each point."""
        points = self._read(reports)
        counts = np.bincount(points, minlength=self.cells)
        return counts.astype(np.int64, copy=False), points.size

    def possible(self, counts: Integers, reports: int) -> bool:
        """Whether every report is counted once."""
        return int(counts.min()) >= 0 and sum(counts.tolist()) == reports

    def _named(self, tally: Tally) -> Integers:
        return self.space.orthogonal(tally.counts, self.domain)

    def _read(self, reports: Any) -> Integers:
        try:
            array = np.asarray(reports).ravel()
        except (TypeError, ValueError):
            raise self._not_reports() from None
        if array.size == 0:
            return array.astype(np.int64)
        if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= self.cells:
            raise self._not_reports()
        return array.astype(np.int64, copy=False)

    def _not_reports(self) -> DataError:
        return DataError(
            f"the reports are not points. A point is an integer from 0 to {self.cells - 1}. "
            "Use reports made by randomize()."
        )

    def _to_plain(self, report: Any) -> object:
        return int(self._read(report).item())

    def _from_plain(self, plain: Any) -> Any:
        return plain if type(plain) is int and 0 <= plain < self.cells else None


def _points(prime: int, dimension: int) -> int:
    return int((prime**dimension - 1) // (prime - 1))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _is_space(prime: object, dimension: object, categories: int) -> bool:
    if type(prime) is not int or type(dimension) is not int or dimension < 2:
        return False
    if not 2 <= prime <= _MOST_VECTORS or dimension > 24 or prime**dimension > _MOST_VECTORS:
        return False
    return _is_prime(prime) and ProjectiveSpace(prime, dimension).points >= categories


@lru_cache(maxsize=256)
def best_space(epsilon: Fraction, categories: int) -> ProjectiveSpace:
    """The space of least variance at proportion 0; of two equal ones the smaller."""
    spaces = []
    for prime in filter(_is_prime, range(2, 4096)):
        dimension = 2
        while _points(prime, dimension) < categories:
            dimension += 1
        if prime**dimension <= _MOST_VECTORS:
            spaces.append(ProjectiveSpace(prime, dimension))

    def worth(space: ProjectiveSpace) -> tuple[Fraction, int]:
        keep = keep_chance(epsilon, space.hyperplane, space.points - space.hyperplane)
        truth, lie = chances(keep, space.hyperplane, space.points)
        gain = truth - lie
        return lie * (1 - lie) / gain**2 if gain > 0 else Fraction(1 << 200), space.points

    return min(spaces, key=worth)
