"""Laws in proportion to weights c·e^(-E): the form of most mechanisms on finitely many outcomes."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial

from discreet.errors import VerificationError
from discreet.exact import decimal_text, exp_minus, logarithm, rational
from discreet.privacy.atoms import Atom, Enclosure, Law, nearest_float


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
        read = {
            outcome: rational(value, f"the probability of {_shown(outcome)}")
            for outcome, value in probabilities.items()
        }
        for outcome, value in read.items():
            if value < 0:
                raise VerificationError(
                    f"the probability of {_shown(outcome)} is {decimal_text(value)}. A "
                    "probability is at least 0. Correct it."
                )
        total = sum(read.values(), Fraction(0))
        if total != 1:
            raise VerificationError(
                f"the probabilities of the law sum to {decimal_text(total)}. They must sum to "
                'exactly 1. Write them as they are meant: "1/3" or Fraction(1, 3), not 0.333.'
            )
        return cls({outcome: Weight(value) for outcome, value in read.items()})

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
