"""Output laws as exact objects: weights c·e^(-E), products, sums, and two laws side by side."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product
from math import prod
from typing import Protocol, runtime_checkable

from discreet.errors import VerificationError
from discreet.exact import decimal_text, exp_minus, logarithm, rational

Enclosure = Callable[[int], tuple[int, int]]
"""From a number of bits to integers (low, high) around 2**bits · value: the more, the narrower."""

MAX_ATOMS = 200_000


ExponentialTerms = Mapping[Fraction, Fraction]
"""The number Σ c·e^(-E): the coefficient c of each exponent E."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Atom:
    """Outcomes on which two laws keep one ratio, represented by one of them.

    At least one of the laws gives the atom a probability above 0.  A tail is represented by its
    innermost outcome; ``single`` says that the atom is one outcome.  What is known about the
    ratio first/second is stated: ``ratio`` where it is a known rational, ``log_ratio`` where its
    logarithm is, ``log_enclosure`` where that is found without dividing (the first two imply
    it); ``probabilities`` where both are known rationals.

    An atom that is not ``constant`` is a far tail: its ratio is unbounded, its probability
    negligible, and its enclosures need only bound that from above.
    """

    outcome: Hashable
    first: Enclosure
    second: Enclosure
    log_ratio: Fraction | None = None
    ratio: Fraction | None = None
    constant: bool = True
    single: bool = False
    probabilities: tuple[Fraction, Fraction] | None = None
    log_enclosure: Enclosure | None = None

    def __post_init__(self) -> None:
        if self.log_ratio == 0:
            object.__setattr__(self, "ratio", Fraction(1))
        elif self.ratio == 1:
            object.__setattr__(self, "log_ratio", Fraction(0))
        if self.log_ratio is not None:
            object.__setattr__(self, "log_enclosure", partial(_scaled, self.log_ratio))
        elif self.ratio:
            object.__setattr__(self, "log_enclosure", partial(logarithm, self.ratio))

    def enclose_log(self, bits: int) -> tuple[int, int] | None:
        """An enclosure of 2^bits · ln(first/second); None where that takes more bits."""
        if self.log_enclosure is not None:
            return self.log_enclosure(bits)
        first_low, first_high = self.first(bits)
        second_low, second_high = self.second(bits)
        if first_low <= 0 or second_low <= 0:
            return None
        low, _ = logarithm(Fraction(first_low, second_high), bits)
        _, high = logarithm(Fraction(first_high, second_low), bits)
        return low, high

    def swapped(self) -> "Atom":
        """The atom with the two laws exchanged."""
        forward, both = self.log_enclosure, self.probabilities
        return Atom(
            outcome=self.outcome,
            first=self.second,
            second=self.first,
            log_ratio=None if self.log_ratio is None else -self.log_ratio,
            ratio=1 / self.ratio if self.ratio else None,
            constant=self.constant,
            single=self.single,
            probabilities=None if both is None else (both[1], both[0]),
            log_enclosure=None if forward is None else lambda bits: _negative(*forward(bits)),
        )


def _scaled(value: Fraction, bits: int) -> tuple[int, int]:
    scaled = value * (1 << bits)
    return scaled.__floor__(), scaled.__ceil__()


def _negative(low: int, high: int) -> tuple[int, int]:
    return -high, -low


class Law(Protocol):
    """The exact distribution of a mechanism's output on one input."""

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""

    def against(self, other: "Law") -> Sequence[Atom]:
        """The outcomes of both laws, grouped where their ratio is constant."""


def nearest_float(enclosure: Enclosure) -> float:
    """The float nearest to an enclosed probability, however small it is.

    >>> from discreet.exact import exp_minus
    >>> nearest_float(lambda bits: exp_minus(Fraction(700), bits))
    9.85967654375977e-305
    """
    bits = 128
    while True:
        low, high = (float(Fraction(end, 1 << bits)) for end in enclosure(bits))
        # A number half way between two floats is never decided, so there is a last try.
        if low == high or bits > 2048:
            return low
        bits *= 2


@dataclass(frozen=True, slots=True)
class Weight:
    """The number coefficient · e^(-exponent), exactly."""

    coefficient: Fraction
    exponent: Fraction = Fraction(0)

    def enclose(self, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits times the number, for a coefficient and an exponent ≥ 0."""
        low, high = exp_minus(self.exponent, bits)
        top, bottom = self.coefficient.numerator, self.coefficient.denominator
        return low * top // bottom, -(-high * top // bottom)


_NOTHING = Weight(Fraction(0))


@dataclass(frozen=True)
class WeightedLaw:
    """A law on finitely many outcomes, in proportion to weights c·e^(-E) with rational c, E.

    Randomized response, the exponential mechanism and everything with rational
    probabilities are of this form.

    >>> WeightedLaw({"yes": Weight(Fraction(3)), "no": Weight(Fraction(1))}).probability("yes")
    0.75
    """

    weights: Mapping[Hashable, Weight]

    def __post_init__(self) -> None:
        coefficients = [weight.coefficient for weight in self.weights.values()]
        if not any(coefficients) or min(coefficients) < 0:
            raise VerificationError(
                "a weight of the law is negative, or all are 0. Probabilities are in proportion "
                "to weights, which are at least 0 and not all 0. Correct the weights."
            )

    @classmethod
    def of_probabilities(cls, probabilities: Mapping[Hashable, object]) -> "WeightedLaw":
        """The law with these probabilities, exactly as written; they must sum to 1.

        >>> WeightedLaw.of_probabilities({"yes": "1/3", "no": "2/3"}).probability("no")
        0.6666666666666666
        >>> WeightedLaw.of_probabilities({"yes": 0.3, "no": 0.6})
        Traceback (most recent call last):
          ...
        discreet.errors.VerificationError: the probabilities of the law sum to 0.9. They must \
sum to exactly 1. Write them as they are meant: "1/3" or Fraction(1, 3), not 0.333.
        """
        rationals = {
            outcome: rational(value, f"the probability of {_shown(outcome)}")
            for outcome, value in probabilities.items()
        }
        for outcome, value in rationals.items():
            if value < 0:
                raise VerificationError(
                    f"the probability of {_shown(outcome)} is {decimal_text(value)}. A "
                    "probability is at least 0. Correct it."
                )
        total = sum(rationals.values(), Fraction(0))
        if total != 1:
            raise VerificationError(
                f"the probabilities of the law sum to {decimal_text(total)}. They must sum to "
                'exactly 1. Write them as they are meant: "1/3" or Fraction(1, 3), not 0.333.'
            )
        return cls({outcome: Weight(value) for outcome, value in rationals.items()})

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome), at most eight units wide."""
        weight = self._scaled.get(outcome)
        if weight is None:
            return 0, 0
        work, all_low, all_high = self._total(bits)
        low, high = weight.enclose(work)
        return (low << bits) // all_high, min(1 << bits, -(-(high << bits) // all_low))

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""
        return nearest_float(partial(self.enclose, outcome))

    def against(self, other: Law) -> list[Atom]:
        """One atom per outcome of either law."""
        if not isinstance(other, WeightedLaw):
            raise VerificationError(
                "the two laws are of different kinds. Only two outputs of one mechanism can be "
                "compared. Verify a mechanism on two inputs of the same shape."
            )
        outcomes = dict.fromkeys([*self._scaled, *other._scaled])
        return [self._atom(other, outcome) for outcome in outcomes]

    def _atom(self, other: "WeightedLaw", outcome: Hashable) -> Atom:
        mine = self._scaled.get(outcome, _NOTHING)
        theirs = other._scaled.get(outcome, _NOTHING)
        ratio: Fraction | None = None
        log_ratio: Fraction | None = None
        enclosure: Enclosure | None = None
        if mine.coefficient and theirs.coefficient:
            enclosure = partial(self._log_ratio, other, mine, theirs)
            if self._shape == other._shape:  # then the two totals are equal
                factor = mine.coefficient / theirs.coefficient
                growth = theirs.exponent - mine.exponent
                ratio = factor if growth == 0 else None
                log_ratio = growth if factor == 1 else None
        return Atom(
            outcome=outcome,
            first=partial(self.enclose, outcome),
            second=partial(other.enclose, outcome),
            ratio=ratio,
            log_ratio=log_ratio,
            single=True,
            probabilities=(mine.coefficient, theirs.coefficient)
            if self._is_rational and other._is_rational
            else None,
            log_enclosure=enclosure,
        )

    @cached_property
    def _scaled(self) -> dict[Hashable, Weight]:
        """The weights above 0, scaled so that their total is 1 + Σ c·e^(-E) with c, E > 0."""
        kept = {at: weight for at, weight in self.weights.items() if weight.coefficient}
        least = min(weight.exponent for weight in kept.values())
        lead = sum(one.coefficient for one in kept.values() if one.exponent == least)
        return {
            at: Weight(weight.coefficient / lead, weight.exponent - least)
            for at, weight in kept.items()
        }

    @cached_property
    def _shape(self) -> dict[Fraction, Fraction]:
        """The total of the scaled weights: the coefficient c of each power e^(-E).

        Different powers of e are independent over the rationals (Lindemann and Weierstrass), so
        two totals are equal only where their shapes are.
        """
        sums: dict[Fraction, Fraction] = {}
        for weight in self._scaled.values():
            sums[weight.exponent] = sums.get(weight.exponent, Fraction(0)) + weight.coefficient
        return sums

    @cached_property
    def _is_rational(self) -> bool:
        """Whether the scaled weights are the probabilities themselves."""
        return len(self._shape) == 1

    @cached_property
    def _total(self) -> Callable[[int], tuple[int, int, int]]:
        """``(work, low, high)``: 2^work · total is enclosed to a relative width of 2^-bits."""
        terms = [Weight(coefficient, power) for power, coefficient in self._shape.items()]

        @cache
        def enclose(bits: int) -> tuple[int, int, int]:
            work = bits + 32
            while True:
                pairs = [term.enclose(work) for term in terms]
                low, high = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
                if (high - low) << bits <= low:
                    return work, low, high
                work *= 2

        return enclose

    @cached_property
    def _log_total(self) -> Enclosure:
        @cache
        def enclose(bits: int) -> tuple[int, int]:
            work, low, high = self._total(bits)
            unit = 1 << work
            return logarithm(Fraction(low, unit), bits)[0], logarithm(Fraction(high, unit), bits)[1]

        return enclose

    def _log_ratio(
        self, other: "WeightedLaw", mine: Weight, theirs: Weight, bits: int
    ) -> tuple[int, int]:
        """An enclosure of 2^bits · ln(first/second), however improbable the outcome is."""
        low, high = logarithm(mine.coefficient / theirs.coefficient, bits)
        growth = (theirs.exponent - mine.exponent) * (1 << bits)
        my_low, my_high = self._log_total(bits)
        their_low, their_high = other._log_total(bits)
        return (
            low + growth.__floor__() + their_low - my_high,
            high + growth.__ceil__() + their_high - my_low,
        )


def _shown(outcome: Hashable) -> str:
    """A short text for an outcome."""
    text = repr(outcome)
    return text if len(text) <= 40 else text[:37] + "..."


__all__ = [
    "MAX_ATOMS",
    "Atom",
    "EnclosedLaw",
    "EnclosingLaw",
    "Enclosure",
    "Law",
    "ProductLaw",
    "Weight",
    "WeightedLaw",
    "enclosing",
    "nearest_float",
]


@dataclass(frozen=True)
class EnclosedLaw:
    """A law on finitely many outcomes whose probabilities are computed to any precision.

    ``enclosures(bits)`` gives one enclosure per outcome, in their order.
    """

    outcomes: tuple[Hashable, ...]
    enclosures: Callable[[int], Sequence[tuple[int, int]]]

    def __post_init__(self) -> None:
        if len(set(self.outcomes)) != len(self.outcomes):
            raise VerificationError(
                "an outcome of the law stands twice. Each outcome has one probability. Add the "
                "probabilities of equal outcomes first."
            )

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome)."""
        place = self._places.get(outcome)
        return (0, 0) if place is None else self._at(place, bits)

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""
        return nearest_float(partial(self.enclose, outcome))

    def against(self, other: Law) -> list[Atom]:
        """One atom per outcome."""
        if not isinstance(other, EnclosedLaw) or other.outcomes != self.outcomes:
            raise VerificationError(
                "the two laws have different outcomes. Only two outputs of one mechanism can be "
                "compared. Verify a mechanism on two inputs of the same length."
            )
        return [
            Atom(
                outcome=outcome,
                first=partial(self._at, place),
                second=partial(other._at, place),
                single=True,
            )
            for place, outcome in enumerate(self.outcomes)
        ]

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {outcome: place for place, outcome in enumerate(self.outcomes)}

    @cached_property
    def _computed(self) -> Callable[[int], Sequence[tuple[int, int]]]:
        return cache(self.enclosures)

    def _at(self, place: int, bits: int) -> tuple[int, int]:
        return self._computed(bits)[place]


@runtime_checkable
class EnclosingLaw(Law, Protocol):
    """A law that encloses the probability of each single outcome."""

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome)."""


def enclosing(law: Law) -> EnclosingLaw:
    """The law itself, if it encloses the probability of each single outcome."""
    if isinstance(law, EnclosingLaw):
        return law
    raise VerificationError(
        f"a {type(law).__name__} does not tell the probability of a single outcome to any "
        "precision. What follows from an output is computed from it. Give the law a method "
        "enclose(outcome, bits), or give a mapping from outcomes to probabilities."
    )


@dataclass(frozen=True)
class ProductLaw:
    """Independent coordinates, each with its own law."""

    parts: tuple[Law, ...]

    def probability(self, outcome: Hashable) -> float:
        """The probability of one tuple of outcomes."""
        if not isinstance(outcome, tuple) or len(outcome) != len(self.parts):
            return 0.0
        return prod(part.probability(at) for part, at in zip(self.parts, outcome, strict=True))

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome), if every coordinate's law encloses its own."""
        if not isinstance(outcome, tuple) or len(outcome) != len(self.parts):
            return 0, 0
        pairs = zip(self.parts, outcome, strict=True)
        return _multiplied([partial(enclosing(part).enclose, at) for part, at in pairs])(bits)

    def against(self, other: Law) -> list[Atom]:
        """Every combination of the atoms of those coordinates whose laws differ.

        The others have ratio 1 whatever their outcome is, so they are left out.
        """
        if not isinstance(other, ProductLaw) or len(other.parts) != len(self.parts):
            raise VerificationError(
                "the two inputs have different lengths. Neighbors are compared coordinate by "
                "coordinate. Verify on two inputs of the same length."
            )
        different = [(a, b) for a, b in zip(self.parts, other.parts, strict=True) if a != b]
        columns = [[_remembering(atom) for atom in a.against(b)] for a, b in different]
        count = prod(len(column) for column in columns)
        if count > MAX_ATOMS:
            raise VerificationError(
                f"the comparison has {count} combinations of outcomes, more than {MAX_ATOMS}. "
                "They are enumerated exactly. Verify inputs that differ in fewer coordinates."
            )
        whole = len(different) == len(self.parts)
        return [_joined(combination, whole) for combination in product(*columns)]


def _remembering(atom: Atom) -> Atom:
    """The atom with enclosures that are computed once, for the many combinations it is in."""
    enclosure = atom.log_enclosure
    return replace(
        atom,
        first=cache(atom.first),
        second=cache(atom.second),
        log_enclosure=None if enclosure is None else cache(enclosure),
    )


def _joined(atoms: Sequence[Atom], whole: bool) -> Atom:
    """Independent atoms together; ``whole`` says that no coordinate was left out."""
    ratios = [atom.ratio for atom in atoms if atom.ratio is not None]
    logs = [atom.log_ratio for atom in atoms if atom.log_ratio is not None]
    pairs = [atom.probabilities for atom in atoms if atom.probabilities is not None]
    logarithms = [atom.log_enclosure for atom in atoms if atom.log_enclosure is not None]
    return Atom(
        outcome=tuple(atom.outcome for atom in atoms),
        first=_multiplied([atom.first for atom in atoms]),
        second=_multiplied([atom.second for atom in atoms]),
        ratio=prod(ratios, start=Fraction(1)) if len(ratios) == len(atoms) else None,
        log_ratio=sum(logs, Fraction(0)) if len(logs) == len(atoms) else None,
        constant=all(atom.constant for atom in atoms),
        single=whole and all(atom.single for atom in atoms),
        probabilities=(
            prod((pair[0] for pair in pairs), start=Fraction(1)),
            prod((pair[1] for pair in pairs), start=Fraction(1)),
        )
        if len(pairs) == len(atoms)
        else None,
        log_enclosure=_summed(logarithms) if len(logarithms) == len(atoms) else None,
    )


def _summed(enclosures: Sequence[Enclosure]) -> Enclosure:
    def enclose(bits: int) -> tuple[int, int]:
        pairs = [enclosure(bits) for enclosure in enclosures]
        return sum(low for low, _ in pairs), sum(high for _, high in pairs)

    return enclose


def _multiplied(enclosures: Sequence[Enclosure]) -> Enclosure:
    def enclose(bits: int) -> tuple[int, int]:
        low = high = 1 << bits
        for enclosure in enclosures:
            factor_low, factor_high = enclosure(bits)
            low, high = low * factor_low >> bits, -(-high * factor_high >> bits)
        return low, high

    return enclose


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

    sums: Mapping[Hashable, ExponentialTerms]

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

    def terms(self, outcome: Hashable) -> ExponentialTerms:
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
        return sum_of_terms(self._scaled.values())

    @cached_property
    def _scaled(self) -> dict[Hashable, ExponentialTerms]:
        total = sum_of_terms(self.sums.values())
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

    def _sum(self, terms: ExponentialTerms, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits times a sum, which is at least 0."""
        low = high = Fraction(0)
        for exponent, coefficient in terms.items():
            ends = [coefficient * end for end in self._power(exponent, bits)]
            low, high = low + min(ends), high + max(ends)
        return max(0, low.__floor__()), high.__ceil__()


def sum_of_terms(sums: Iterable[ExponentialTerms]) -> dict[Fraction, Fraction]:
    """The sum of several sums, without the terms that cancel."""
    total: dict[Fraction, Fraction] = {}
    for terms in sums:
        for exponent, coefficient in terms.items():
            total[exponent] = total.get(exponent, Fraction(0)) + coefficient
    return {exponent: coefficient for exponent, coefficient in total.items() if coefficient}


def product_of_terms(first: ExponentialTerms, second: ExponentialTerms) -> dict[Fraction, Fraction]:
    """The product of two sums."""
    return sum_of_terms({e + f: c * d} for e, c in first.items() for f, d in second.items())


def _quotient(mine: ExponentialTerms, theirs: ExponentialTerms) -> tuple[Fraction, Fraction] | None:
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
