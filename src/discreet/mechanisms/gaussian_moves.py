"""Integer vectors that one unit can move by, and what integer Gaussian noise gives away of each.

A move is a vector w of positive integers, the coordinates that move, with n = Σ wᵢ².  The privacy
loss depends on the noise X through T = Σ wᵢ·Xᵢ alone, and P(T = t) is e^(-t²/(2n·variance)) times
a number that depends on t modulo n.  So the law of T modulo n says everything: δ is a sum over n
residues, and every number in it is rounded up.  Proof: docs/proofs/gaussian-vectors.md
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt
from operator import mul
from typing import NamedTuple

from discreet.exact import exp_minus
from discreet.exact.normal import point_weights, total_weight

MOST_SQUARES = 128
"""Up to this sum of squares moves are listed one by one …"""

MANY = 1200
"""… if there are no more than these: the squares add up to 100 in 1,116 ways, in a second …"""

FEW = 200
"""… or than these where a search needs them for every σ anew."""

_FARTHEST = 256
"""… and if no residue is rarer than e^-256, nor ε larger."""


class Move(NamedTuple):
    """How one unit moves the input: by whole steps, in at most ``coordinates`` coordinates.

    Their squares add up to at most ``squares``.
    """

    squares: int
    coordinates: int

    @staticmethod
    def of(squares: int, dimension: int | None) -> "Move":
        """The moves on the grid of a vector with that many coordinates, or with any number.

        A vector of integers whose squares add up to so much has at most as many coordinates that
        move at all, and no computer holds more than 2^64.

        >>> Move.of(9, None), Move.of(9, 2)
        (Move(squares=9, coordinates=9), Move(squares=9, coordinates=2))
        """
        return Move(squares, min(squares, 1 << 64 if dimension is None else dimension))

    @property
    def moving(self) -> int:
        """How many coordinates can move at once: each by a step at least."""
        return min(self.coordinates, self.squares)

    @property
    def step(self) -> int | None:
        """How far the only coordinate moves that moves at all; None where several can."""
        return isqrt(self.squares) if self.moving == 1 else None


@lru_cache(maxsize=64)
def vectors(move: Move, most: int = MANY) -> tuple[tuple[int, ...], ...] | None:
    """The moves that are not below another one in every coordinate; None if there are more.

    Signs and order do not matter, so each is a falling sequence of positive integers.

    >>> vectors(Move(5, 5)), vectors(Move(5, 1))
    (((2, 1), (1, 1, 1, 1, 1)), ((2,),))
    """
    if move.squares > MOST_SQUARES:
        return None
    moves = []
    for vector in _vectors(move.squares, isqrt(move.squares), move.moving):
        moves.append(vector)
        if len(moves) > most:
            return None
    return tuple(moves)


def _vectors(rest: int, largest: int, places: int) -> Iterator[tuple[int, ...]]:
    if rest == 0 or places == 0:
        if rest <= 2 * largest:  # else the last coordinate could move by a step more
            yield ()
    elif min(largest, isqrt(rest)) == 1:
        ones = min(rest, places)
        if rest - ones <= 2:
            yield (1,) * ones
    else:
        for first in range(min(largest, isqrt(rest)), 0, -1):
            for others in _vectors(rest - first * first, first, places - 1):
                yield (first, *others)


def vectors_delta(
    variance: Fraction, move: Move, epsilon: Fraction, bits: int, most: int = MANY
) -> Fraction | None:
    """The largest δ of all moves at ε, rounded up to about ``bits`` bits; None if it is too long.

    >>> delta = vectors_delta(Fraction(1), Move(2, 2), Fraction(7), 64)
    >>> round(float(delta), 12)
    8.8107e-07
    """
    listed = vectors(move, most)
    if listed is None or epsilon > _FARTHEST or move.squares > 8 * _FARTHEST * variance:
        return None
    work = bits + 16
    largest = 0
    for squares, laws in _laws(variance, move, work).items():
        shares, rest = _shares(variance, squares, epsilon, work)
        largest = max(largest, (rest << work) + max(sum(map(mul, law, shares)) for law in laws))
    return min(Fraction(1), Fraction(-(-largest >> work), 1 << work))


def _shares(
    variance: Fraction, squares: int, epsilon: Fraction, bits: int
) -> tuple[list[int], int]:
    """For each residue r modulo n the part Σ (f(t) - e^ε·f(t+n))/Σ f(t), f(t) = e^(-t²/2nv).

    The sum above is over t ≥ k, t ≡ r, where the loss (2t + n)/2v is ε or more; the one below is
    over all t ≡ r.  Beside them a bound of the probability of a T that is beyond the reach.
    """
    # e^ε multiplies what is rounded, and a residue may be as rare as e^(-n/8v); log2(e) < 3/2.
    work = bits + 16 + ceil(3 * epsilon / 2 + Fraction(3 * squares) / (16 * variance))
    spread = squares * variance
    first = ceil(epsilon * variance - Fraction(squares, 2))
    reach = max(isqrt(int(2 * spread * bits)) + 1, abs(first)) + squares
    weights = point_weights(spread, reach + squares + 1, work)
    _, decay = exp_minus(epsilon, work)
    raised = (1 << 2 * work) // decay  # at most 2^work·e^ε
    shares = []
    for residue in range(squares):
        start = first + (residue - first) % squares
        near = weights[abs(start)][1]
        far_low = far_high = 0
        for place in range(start + squares, reach + squares + 1, squares):
            low, high = weights[abs(place)]
            far_low += low
            far_high += high if place <= reach else 0
        above = max(0, near + far_high - (raised * far_low >> work))
        places = (*range(residue, reach, squares), *range(squares - residue, reach, squares))
        shares.append(min(1 << bits, -(-(above << bits) // sum(weights[t][0] for t in places))))
    return shares, -(-weights[reach][1] >> work - bits)


@lru_cache(maxsize=8)
def _laws(variance: Fraction, move: Move, bits: int) -> dict[int, tuple[tuple[int, ...], ...]]:
    """Upper bounds of 2^bits·P(T ≡ r) for all residues r modulo n and all moves, by n."""
    listed: dict[int, list[tuple[int, ...]]] = {}
    for vector in vectors(move) or ():
        listed.setdefault(sum(part * part for part in vector), []).append(vector)
    return {
        squares: tuple(_Residues(variance, squares, bits).laws(group))
        for squares, group in listed.items()
    }


class _Residues:
    """Laws of T modulo n, one coordinate after the other."""

    def __init__(self, variance: Fraction, squares: int, bits: int) -> None:
        self._packing = _Packing(squares, bits)
        self._one = _residues(variance, squares, bits)
        self._known: dict[tuple[int, ...], int] = {
            (): self._packing.pack([1 << bits] + [0] * (squares - 1))
        }
        self._times: dict[int, int] = {}

    def laws(self, listed: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """The law of each of the moves."""
        for vector in listed:
            ones = vector.count(1)
            law = self._law(vector[: len(vector) - ones])
            if ones:
                law = self._packing.product(law, self._law((1,) * ones))
            yield self._packing.unpack(law)

    def _law(self, vector: tuple[int, ...]) -> int:
        law = self._known.get(vector)
        if law is None:
            before = self._law(vector[:-1])
            law = self._packing.product(before, self._coordinate(vector[-1]))
            self._known[vector] = law
        return law

    def _coordinate(self, factor: int) -> int:
        """The packed law of factor·X modulo n."""
        if factor not in self._times:
            sums = [0] * len(self._one)
            for residue, weight in enumerate(self._one):
                sums[factor * residue % len(sums)] += weight
            self._times[factor] = self._packing.pack(sums)
        return self._times[factor]


def _residues(variance: Fraction, modulus: int, bits: int) -> list[int]:
    """Upper bounds of 2^bits·P(X ≡ r) for the residues r."""
    reach = isqrt(int(2 * variance * (bits + 2))) + 1
    least, _ = total_weight(variance, bits)
    sums = [0] * modulus
    for place, (_, high) in enumerate(point_weights(variance, reach + 1, bits)):
        sums[place % modulus] += high
        if place:
            sums[-place % modulus] += high
    # Beyond the reach is less than 2·e^-(bits+2), which is less than one unit.
    return [-(-(weight << bits) // least) + 1 for weight in sums]


class _Packing(NamedTuple):
    """Numbers for all residues as fields of one integer, so that one product convolves them all.

    They are 2^bits·p for probabilities p, a little above.
    """

    size: int
    bits: int

    @property
    def width(self) -> int:
        """Bytes of a field: there is room for a sum of ``size`` products."""
        return (2 * self.bits + 2 * self.size.bit_length()) // 8 + 2

    def pack(self, numbers: list[int]) -> int:
        """The numbers, the first one lowest."""
        return int.from_bytes(
            b"".join(one.to_bytes(self.width, "little") for one in numbers), "little"
        )

    def unpack(self, packed: int) -> tuple[int, ...]:
        """The numbers that ``pack`` took."""
        data = packed.to_bytes(self.size * self.width, "little")
        fields = range(0, len(data), self.width)
        return tuple(int.from_bytes(data[at : at + self.width], "little") for at in fields)

    def product(self, first: int, second: int) -> int:
        """The convolution modulo ``size``, each number rounded up."""
        both = first * second
        end = 8 * self.size * self.width
        folded = (both & ((1 << end) - 1)) + (both >> end)
        ones = _repeated(self.size, 8 * self.width)
        kept = ones * ((1 << 8 * self.width - self.bits) - 1)
        return (folded >> self.bits & kept) + ones


@lru_cache(maxsize=32)
def _repeated(size: int, width: int) -> int:
    """1 in each field."""
    return ((1 << size * width) - 1) // ((1 << width) - 1)
