"""The exact laws of "add noise to every score and name the largest".

Candidates are given by their lags behind the best, in steps; q = e^(-1/steps).  Both laws come
down to sums of products over the other candidates, which are expanded in elementary symmetric
polynomials of powers of q: the cost does not depend on the scale.  Every number is an enclosure
at a fixed number of bits, a pair (low, high) of integers that are not negative.
Proof: docs/proofs/selection.md
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

from discreet.errors import VerificationError
from discreet.exact import exp_minus
from discreet.privacy.laws import EnclosedLaw

EnclosedNumber = tuple[int, int]

_MOST_PRODUCTS = 500_000


def exponential_argmax(lags: Sequence[int], steps: Fraction) -> EnclosedLaw:
    """The law of the argmax of -lag + exponential noise: permute-and-flip.

    P(i) = w_i · ∫₀¹ Π_{j≠i} (1 - w_j·x) dx with w = q^lag.
    """
    _refuse_above(len(lags) ** 2)

    def enclosures(bits: int) -> list[EnclosedNumber]:
        field = _Field(steps, bits, len(lags))
        weights = {lag: field.power(lag) for lag in set(lags)}
        symmetric = field.symmetric([weights[lag] for lag in lags])
        by_lag = {}
        for lag, weight in weights.items():
            others = field.without(symmetric, weight)
            integral = field.alternating(
                [(low // (m + 1), -(-high // (m + 1))) for m, (low, high) in enumerate(others)]
            )
            by_lag[lag] = field.narrowed(field.times(weight, integral))
        return [by_lag[lag] for lag in lags]

    return EnclosedLaw(tuple(range(len(lags))), enclosures)


def laplace_argmax(lags: Sequence[int], steps: Fraction) -> EnclosedLaw:
    """The law of the argmax of -lag + integer Laplace noise, ties broken uniformly at random.

    With z_j = q^|v - s_j| the chance that i wins at the value v is
    ∫ z_i · Π_{j≠i} G_j du over [q/(1+q), 1/(1+q)], where G_j = 1 - z_j·(1-u) if s_j ≤ v and
    G_j = z_j·u if s_j > v.  Between two scores the sum over v is geometric, term by term.
    """
    distinct = len(set(lags))
    _refuse_above((distinct + 1) * distinct * len(lags) + len(lags) ** 2)

    def enclosures(bits: int) -> list[EnclosedNumber]:
        by_lag = _laplace_by_lag(Counter(lags), _Field(steps, bits, len(lags)))
        return [by_lag[lag] for lag in lags]

    return EnclosedLaw(tuple(range(len(lags))), enclosures)


def _laplace_by_lag(counts: Counter[int], field: "_Field") -> dict[int, EnclosedNumber]:
    candidates = counts.total()
    integrals = field.integrals(candidates)
    ascending = sorted(counts, reverse=True)  # the largest lag is the lowest score
    # Below all scores every candidate is as likely to win as any other.
    distances = sum(counts[lag] * (ascending[0] - lag) for lag in counts)
    first = field.times(integrals[candidates - 1, 0], field.geometric(candidates, 0, None))
    first = field.times(field.power(distances), first)
    totals = dict.fromkeys(counts, first)
    for place, start in enumerate(ascending):
        below, above = ascending[: place + 1], ascending[place + 1 :]
        end = above[0] if above else None
        length = None if end is None else start - end
        higher = sum(counts[lag] for lag in above)
        behind = 0 if end is None else sum(counts[lag] * (end - lag) for lag in above)
        factor = field.power(behind)
        near = {lag: field.power(lag - start) for lag in below}
        symmetric = field.symmetric([near[lag] for lag in below for _ in range(counts[lag])])

        def summed(
            terms: Sequence[EnclosedNumber],
            powers: int,
            own: int,
            factor: EnclosedNumber = factor,
            higher: int = higher,
            length: int | None = length,
        ) -> EnclosedNumber:
            """factor · Σ_m (-1)^m · term_m · ∫ u^powers (1-u)^m du · Σ_v …"""
            return field.times(
                factor,
                field.alternating(
                    [
                        field.times(
                            field.times(term, integrals[powers, m]),
                            field.geometric(higher, m + own, length),
                        )
                        for m, term in enumerate(terms)
                    ]
                ),
            )

        if above:
            gain = summed(symmetric, higher - 1, 0)
            for lag in above:
                totals[lag] = field.plus(totals[lag], gain)
        for lag in below:
            gain = summed(field.without(symmetric, near[lag]), higher, 1)
            totals[lag] = field.plus(totals[lag], field.times(near[lag], gain))
    return {lag: field.narrowed(total) for lag, total in totals.items()}


class _Field:
    """Arithmetic with enclosures of numbers that are not negative, at a fixed number of bits."""

    def __init__(self, steps: Fraction, bits: int, candidates: int) -> None:
        # Alternating sums cancel up to `candidates` bits, 1/(1 - q) up to those of the scale.
        self.extra = 2 * candidates + 2 * int(steps).bit_length() + 64
        self.work = bits + self.extra
        self.one = 1 << self.work
        self.steps = steps
        self.power: Callable[[int], EnclosedNumber] = cache(self._power)

    def _power(self, exponent: int) -> EnclosedNumber:
        """q^exponent."""
        return exp_minus(exponent / self.steps, self.work)

    def plus(self, first: EnclosedNumber, second: EnclosedNumber) -> EnclosedNumber:
        return first[0] + second[0], first[1] + second[1]

    def minus(self, first: EnclosedNumber, second: EnclosedNumber) -> EnclosedNumber:
        """A difference that is known not to be negative."""
        return max(0, first[0] - second[1]), max(0, first[1] - second[0])

    def times(self, first: EnclosedNumber, second: EnclosedNumber) -> EnclosedNumber:
        return first[0] * second[0] >> self.work, -(-first[1] * second[1] >> self.work)

    def over(self, first: EnclosedNumber, second: EnclosedNumber) -> EnclosedNumber:
        return (first[0] << self.work) // second[1], -((-first[1] << self.work) // second[0])

    def narrowed(self, probability: EnclosedNumber) -> EnclosedNumber:
        """A probability at the number of bits that was asked for."""
        low, high = probability
        most = self.one >> self.extra
        return min(most, low >> self.extra), min(most, -(-high >> self.extra))

    def alternating(self, terms: Sequence[EnclosedNumber]) -> EnclosedNumber:
        """Σ_m (-1)^m · term_m, known not to be negative."""
        even = sum(low for low, _ in terms[::2]), sum(high for _, high in terms[::2])
        odd = sum(low for low, _ in terms[1::2]), sum(high for _, high in terms[1::2])
        return self.minus(even, odd)

    def symmetric(self, values: Sequence[EnclosedNumber]) -> list[EnclosedNumber]:
        """The elementary symmetric polynomials e_0, e_1, … of the values."""
        out = [(self.one, self.one)]
        for value in values:
            grown = [self.plus(b, self.times(value, a)) for a, b in pairwise(out)]
            out = [out[0], *grown, self.times(value, out[-1])]
        return out

    def without(
        self, symmetric: Sequence[EnclosedNumber], value: EnclosedNumber
    ) -> list[EnclosedNumber]:
        """The same polynomials when one of the values is left out: e'_m = e_m - value·e'_(m-1)."""
        out = [symmetric[0]]
        for total in symmetric[1:-1]:
            out.append(self.minus(total, self.times(value, out[-1])))
        return out

    def geometric(self, falling: int, rising: int, length: int | None) -> EnclosedNumber:
        """Σ q^(falling·(length - j) + rising·j) over 0 ≤ j < length.

        Without a length the sum runs to infinity on the side that converges: over j ≥ 0 of
        q^(rising·j) if nothing falls, over j ≥ 1 of q^(falling·j) if nothing rises.
        """
        if length is None:
            start = self.power(falling)  # 1 if nothing falls
            return self.over(start, self._complement(max(falling, rising)))
        if falling == rising:
            low, high = self.power(falling * length)
            return low * length, high * length
        slow, fast = sorted((falling, rising))
        gap = self.minus(self.power(slow * length), self.power(fast * length))
        total = self.over(gap, self._complement(fast - slow))
        return total if falling == slow else self.times(total, self.power(fast - slow))

    def _complement(self, exponent: int) -> EnclosedNumber:
        """1 - q^exponent."""
        low, high = self.power(exponent)
        return self.one - high, self.one - low

    def integrals(self, candidates: int) -> dict[tuple[int, int], EnclosedNumber]:
        """∫ u^a·(1-u)^m du from q/(1+q) to 1/(1+q), for all a + m < candidates.

        Symmetric in a and m; integrated by parts from a = 0 for a ≤ m, where nothing cancels.
        """
        q = self.power(1)
        whole = self.one + q[0], self.one + q[1]
        large, small = self.over((self.one, self.one), whole), self.over(q, whole)
        larges, smalls = [(self.one, self.one)], [(self.one, self.one)]
        for _ in range(candidates):
            larges.append(self.times(larges[-1], large))
            smalls.append(self.times(smalls[-1], small))
        out: dict[tuple[int, int], EnclosedNumber] = {}
        for degree in range(candidates):
            for a in range(degree // 2 + 1):
                m = degree - a
                edge = self.minus(
                    self.times(smalls[a], larges[m + 1]), self.times(larges[a], smalls[m + 1])
                )
                inner = out[a - 1, m + 1] if a else (0, 0)
                low, high = edge[0] + a * inner[0], edge[1] + a * inner[1]
                out[a, m] = out[m, a] = low // (m + 1), -(-high // (m + 1))
        return out


def _refuse_above(products: int) -> None:
    if products > _MOST_PRODUCTS:
        raise VerificationError(
            f"the law takes {products} products of long integers, more than {_MOST_PRODUCTS}. It "
            "is computed exactly. Verify on fewer candidates, or on fewer distinct scores."
        )
