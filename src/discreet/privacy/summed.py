"""Laws whose weights are sums Σ c·e^(-E): what a function makes of the outputs of other laws."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial

from discreet.errors import VerificationError
from discreet.exact import exp_minus, logarithm
from discreet.privacy.atoms import Atom, Enclosure, Law, nearest_float
from discreet.privacy.weighted import WeightedLaw

Terms = Mapping[Fraction, Fraction]
"""The number Σ c·e^(-E): the coefficient c of each exponent E."""


@dataclass(frozen=True)
class SummedLaw:
    """A law on finitely many outcomes, in proportion to sums Σ c·e^(-E) with rational c, E.

    A coefficient may be negative; a sum is not.  Of the total of all sums, the term with the
    least exponent has a positive coefficient, and no exponent is below that.  Powers of e with
    different rational exponents are independent over the rationals, so equal sums are equal term
    by term, and a ratio that is a rational, or a power of e, is found as such.
    Proof: docs/proofs/post-processing.md

    >>> one, other = Fraction(1), Fraction(2)
    >>> SummedLaw({"a": {one: one, other: one}, "b": {one: one, other: one}}).known("a")
    Fraction(1, 2)
    """

    sums: Mapping[Hashable, Terms]

    @staticmethod
    def of(law: WeightedLaw) -> "SummedLaw":
        """The same law, its weights as sums of one term."""
        return SummedLaw(
            {at: {weight.exponent: weight.coefficient} for at, weight in law.weights.items()}
        )

    @property
    def outcomes(self) -> tuple[Hashable, ...]:
        """The outcomes whose weight is not 0."""
        return tuple(self._scaled)

    def terms(self, outcome: Hashable) -> Terms:
        """The weight of an outcome, where the total of all begins with 1·e^0."""
        return self._scaled.get(outcome, {})

    def known(self, outcome: Hashable) -> Fraction | None:
        """The probability of one outcome where it is rational, else None."""
        terms = self.terms(outcome)
        if not terms:
            return Fraction(0)
        quotient = _quotient(terms, self._total)
        return quotient[0] if quotient is not None and quotient[1] == 0 else None

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome)."""
        work = bits + 32
        low, high = self._sum(self.terms(outcome), work)
        all_low, all_high = self._enclosed_total(work)
        return (low << bits) // all_high, min(1 << bits, -(-(high << bits) // all_low))

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""
        return nearest_float(partial(self.enclose, outcome))

    def against(self, other: Law) -> list[Atom]:
        """One atom per outcome of either law."""
        if not isinstance(other, SummedLaw):
            raise VerificationError(
                "the two laws are of different kinds. Only two outputs of one mechanism can be "
                "compared. Verify a mechanism on two inputs of the same shape."
            )
        outcomes = dict.fromkeys([*self._scaled, *other._scaled])
        return [self._atom(other, outcome) for outcome in outcomes]

    def _atom(self, other: "SummedLaw", outcome: Hashable) -> Atom:
        mine, theirs = self.terms(outcome), other.terms(outcome)
        ratio: Fraction | None = None
        log_ratio: Fraction | None = None
        enclosure: Enclosure | None = None
        quotient = _quotient(mine, theirs) if self._total == other._total else None
        if quotient is not None:
            factor, growth = quotient
            ratio = factor if growth == 0 else None
            log_ratio = growth if factor == 1 else None
            enclosure = partial(_log_of_quotient, factor, growth)
        first, second = self.known(outcome), other.known(outcome)
        return Atom(
            outcome=outcome,
            first=partial(self.enclose, outcome),
            second=partial(other.enclose, outcome),
            ratio=ratio,
            log_ratio=log_ratio,
            single=True,
            probabilities=None if first is None or second is None else (first, second),
            log_enclosure=enclosure,
        )

    @cached_property
    def _total(self) -> dict[Fraction, Fraction]:
        return added(self._scaled.values())

    @cached_property
    def _scaled(self) -> dict[Hashable, Terms]:
        total = added(self.sums.values())
        if not total or total[min(total)] < 0:
            raise VerificationError(
                "the weights of the law do not sum to more than 0. Probabilities are in proportion "
                "to them. Correct the weights."
            )
        least, lead = min(total), total[min(total)]
        scaled = {
            at: {exponent - least: c / lead for exponent, c in terms.items() if c}
            for at, terms in self.sums.items()
        }
        return {at: terms for at, terms in scaled.items() if terms}

    @cached_property
    def _power(self) -> Callable[[Fraction, int], tuple[int, int]]:
        return cache(exp_minus)

    @cached_property
    def _enclosed_total(self) -> Callable[[int], tuple[int, int]]:
        return cache(partial(self._sum, self._total))

    def _sum(self, terms: Terms, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits times a sum, which is at least 0."""
        low = high = Fraction(0)
        for exponent, coefficient in terms.items():
            ends = [coefficient * end for end in self._power(exponent, bits)]
            low, high = low + min(ends), high + max(ends)
        return max(0, low.__floor__()), high.__ceil__()


def added(sums: Iterable[Terms]) -> dict[Fraction, Fraction]:
    """The sum of several sums, without the terms that cancel."""
    total: dict[Fraction, Fraction] = {}
    for terms in sums:
        for exponent, coefficient in terms.items():
            total[exponent] = total.get(exponent, Fraction(0)) + coefficient
    return {exponent: coefficient for exponent, coefficient in total.items() if coefficient}


def multiplied(first: Terms, second: Terms) -> dict[Fraction, Fraction]:
    """The product of two sums."""
    return added({e + f: c * d} for e, c in first.items() for f, d in second.items())


def _quotient(mine: Terms, theirs: Terms) -> tuple[Fraction, Fraction] | None:
    """``(factor, growth)`` with mine = factor·e^growth·theirs, if there is such a pair."""
    if not mine or len(mine) != len(theirs):
        return None
    pairs = list(zip(sorted(mine.items()), sorted(theirs.items()), strict=True))
    ratios = {(c / d, f - e) for (e, c), (f, d) in pairs}
    return ratios.pop() if len(ratios) == 1 else None


def _log_of_quotient(factor: Fraction, growth: Fraction, bits: int) -> tuple[int, int]:
    low, high = logarithm(factor, bits)
    scaled = growth * (1 << bits)
    return low + scaled.__floor__(), high + scaled.__ceil__()
