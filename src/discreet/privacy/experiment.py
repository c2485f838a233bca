"""Statistical against personal information: what is learned with a person's data and without.

Could the same have been learned if the person's data had not been analyzed?  What could is
about the world; only the rest is about the person.  Proof: docs/proofs/personal-information.md
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.errors import VerificationError
from discreet.exact import decimal_text, rational
from discreet.privacy.laws import Law, ProductLaw, SummedLaw, WeightedLaw, enclosing
from discreet.privacy.verification import TOLERANCE, LawTable, Verifiable, law_of, verify

_BITS = 160
_MOST_BITS = 20_480

Belief = dict[Hashable, Fraction]
"""How probable somebody holds each hypothesis to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beliefs:
    """What somebody believes: before an output is seen, and after it, without the person and with.

    Numbers are exact where the laws are rational, else within 1e-12.
    """

    prior: Belief
    excluded: Belief
    included: Belief

    @property
    def statistical(self) -> Belief:
        """What the output adds where the person's data were not analyzed."""
        return {at: self.excluded[at] - self.prior[at] for at in self.prior}

    @property
    def personal(self) -> Belief:
        """What the person's data add to that."""
        return {at: self.included[at] - self.excluded[at] for at in self.prior}

    def __repr__(self) -> str:
        rows = [
            f"{at!r}: {_percent(self.prior[at])}, without the person "
            f"{_percent(self.excluded[at])}, with {_percent(self.included[at])}"
            for at in self.prior
        ]
        return f"Beliefs({'; '.join(rows)})"


def experiment(
    mechanism: Verifiable | LawTable, hypotheses: Mapping[Hashable, Sequence[object]]
) -> "Experiment":
    """One analysis twice: with a person's data and without.

    Each hypothesis says what the mechanism is given if it is true: a pair of the input with the
    person and the input without.  A hypothesis may be about the world, about the person, or both.

    Of 100 people, how many have five fingers on each hand?  The adversary believes in four, for
    everyone, and learns better; but would learn that without any one of them:

    >>> from discreet.mechanisms import Laplace
    >>> fingers = experiment(Laplace(scale=1), {"four": (0, 0), "five": (100, 99)})
    >>> fingers.beliefs(98, prior={"four": 0.9, "five": 0.1})
    Beliefs('four': 90%, without the person 0.00%, with 0.00%; \
'five': 10%, without the person 100.00%, with 100.00%)

    That one person smokes, whom nobody else resembles, is learned from that person's data only:

    >>> one = experiment(Laplace(scale=1), {"smokes": (31, 30), "does not": (30, 30)})
    >>> one.beliefs(31)
    Beliefs('smokes': 50%, without the person 50%, with 73.11%; \
'does not': 50%, without the person 50%, with 26.89%)
    >>> one.epsilon
    Fraction(1, 1)
    """
    return Experiment(mechanism=mechanism, inputs=_read_inputs(hypotheses))


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """One analysis with a person's data and without, under each of several hypotheses.

    Guarantee: whatever is believed before, and whatever the output is, the belief in a hypothesis
    with the person's data is at most e^(2ε) times the belief without, and at least e^(-2ε)
    times, for the ``epsilon`` of this experiment.  Proof: docs/proofs/personal-information.md
    """

    mechanism: Verifiable | LawTable
    inputs: Mapping[Hashable, tuple[object, object]]

    def __repr__(self) -> str:
        return f"Experiment({self.mechanism!r}, {dict(self.inputs)!r})"

    @cached_property
    def epsilon(self) -> Fraction | float:
        """The least ε between the output with the person and the one without, in every case."""
        return max(verify(self.mechanism, *pair).epsilon for pair in self.inputs.values())

    def beliefs(self, output: Hashable, prior: Mapping[Hashable, object] | None = None) -> Beliefs:
        """What somebody believes who saw this output, by Bayes' rule, in either experiment.

        ``prior`` is what was believed before: probabilities that sum to 1, equal ones if not given.

        >>> two_coins = {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}
        >>> found = experiment(two_coins, {"yes": (1, 0), "no": (0, 0)}).beliefs(1)
        >>> found.included["yes"], found.excluded["yes"], found.personal["yes"]
        (Fraction(3, 4), Fraction(1, 2), Fraction(1, 4))
        """
        before = self._read_prior(prior)
        included = {at: law_of(self.mechanism, pair[0]) for at, pair in self.inputs.items()}
        excluded = {at: law_of(self.mechanism, pair[1]) for at, pair in self.inputs.items()}
        return Beliefs(
            prior=before,
            excluded=_posterior(before, excluded, output),
            included=_posterior(before, included, output),
        )

    def _read_prior(self, prior: Mapping[Hashable, object] | None) -> Belief:
        if prior is None:
            return {at: Fraction(1, len(self.inputs)) for at in self.inputs}
        if set(prior) != set(self.inputs):
            raise VerificationError(
                "the prior is not about the hypotheses of the experiment. It gives each of them "
                "the probability that was believed before. Name each hypothesis once."
            )
        probabilities = {
            at: rational(prior[at], "a probability of the prior") for at in self.inputs
        }
        total = sum(probabilities.values(), Fraction(0))
        if min(probabilities.values()) < 0 or total != 1:
            raise VerificationError(
                f"the probabilities of the prior sum to {decimal_text(total)}, or one is below 0. "
                'They are at least 0 and sum to exactly 1. Write them as "1/3" or 0.25.'
            )
        return probabilities


def _read_inputs(hypotheses: object) -> dict[Hashable, tuple[object, object]]:
    pairs: dict[Hashable, Any] = dict(hypotheses) if isinstance(hypotheses, Mapping) else {}
    if not pairs or not all(isinstance(p, tuple | list) and len(p) == 2 for p in pairs.values()):
        raise VerificationError(
            "the hypotheses are not a mapping to pairs. Each says what the mechanism is given if "
            "it is true: with the person and without. Write {'smokes': (31, 30), 'no': (30, 30)}."
        )
    return {at: (pair[0], pair[1]) for at, pair in pairs.items()}


def _posterior(prior: Belief, laws: Mapping[Hashable, Law], output: Hashable) -> Belief:
    """prior·likelihood, normalized: exactly, or from enclosures narrower than 1e-12."""
    known = {at: _known(law, output) for at, law in laws.items()}
    exact = {at: value * prior[at] for at, value in known.items() if value is not None}
    if len(exact) == len(laws):
        total = sum(exact.values())
        if not total:
            raise _impossible()
        return {at: value / total for at, value in exact.items()}
    bits = _BITS
    while bits <= _MOST_BITS:
        ends = {at: enclosing(law).enclose(output, bits) for at, law in laws.items()}
        low = {at: prior[at] * pair[0] for at, pair in ends.items()}
        high = {at: prior[at] * pair[1] for at, pair in ends.items()}
        least, most = sum(low.values()), sum(high.values())
        if not most:
            raise _impossible()
        if least and most - least <= TOLERANCE / 2 * least:
            return {at: (low[at] + high[at]) / (least + most) for at in laws}
        bits *= 2
    raise VerificationError(
        f"the output is too improbable under every hypothesis: below 2^-{_MOST_BITS}. What is "
        "believed is computed from enclosed probabilities. Ask about an output that is nearer."
    )


def _known(law: Law, output: Hashable) -> Fraction | None:
    """The probability of an output where it is a known rational."""
    if isinstance(law, ProductLaw):
        if not isinstance(output, tuple) or len(output) != len(law.parts):
            return Fraction(0)
        known = Fraction(1)
        for part, at in zip(law.parts, output, strict=True):
            factor = _known(part, at)
            if factor is None:
                return None
            known *= factor
        return known
    if isinstance(law, WeightedLaw):
        law = SummedLaw.of(law)
    return law.known(output) if isinstance(law, SummedLaw) else None


def _impossible() -> VerificationError:
    return VerificationError(
        "the output is impossible under every hypothesis that is believed at all. Nothing follows "
        "from what cannot happen. Ask about an output that the mechanism can give."
    )


def _percent(value: Fraction) -> str:
    share = 100 * value
    if share.denominator == 1:
        return f"{share.numerator}%"
    return f"{float(share):.2f}%"
