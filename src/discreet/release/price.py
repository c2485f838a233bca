"""The price of a question: its mechanisms and their shares of ε, from public facts alone.

Each measure gets a share of ε and the mechanism with the lowest error at that price.  By default
the shares give every count the same error relative to what one person can add to it.

Proof that all of them together cost what was asked: docs/proofs/delta.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import QueryError, Remedy
from discreet.measures.counts import People, Rows
from discreet.measures.measure import (
    Decoder,
    Measure,
    MeasureSensitivity,
    Output,
    Unit,
    linear_estimate,
)
from discreet.mechanisms.additive_noise import MeasureMechanism
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.key_selection import KeySelection, best_selection
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.estimates import Estimate, Payment
from discreet.privacy.events import ComposedEvent, Event
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Sensitivity
from discreet.question.check import Question


@dataclass(frozen=True, slots=True)
class PricedMeasure:
    """A measure, its share of ε, how far one unit moves it, and what makes it private."""

    measure: Measure
    epsilon: Fraction
    sensitivity: MeasureSensitivity
    mechanism: MeasureMechanism
    delta: Fraction = Fraction(0)
    instead: Laplace | Gaussian | None = None
    """The noise that was not chosen, because its error at this price is larger."""

    @property
    def event(self) -> Event:
        """What the ledger writes down."""
        loss: PureDP | ApproximateDP = PureDP(epsilon=self.epsilon)
        if self.delta:
            loss = ApproximateDP(epsilon=self.epsilon, delta=self.delta)
        moved = Sensitivity(
            l1=Fraction(self.sensitivity.l1), squared_l2=Fraction(self.sensitivity.squared_l2)
        )
        return self.mechanism.event(moved, loss)

    def decoder(self, output: Output, unit: Unit, rows: int | None) -> Decoder:
        """How the integers of one group become a number with its error."""
        return self.measure.decoder(output, self.mechanism, unit, rows)

    def described(self, unit: Unit) -> str:
        """The mechanism, and its scale in the answer's own unit."""
        return self.mechanism.described(self.measure.step(unit))


@dataclass(frozen=True, slots=True)
class PricedKeySelection:
    """The mechanism of key selection, and the measure that its counts answer, if any."""

    epsilon: Fraction
    mechanism: KeySelection
    answers: Measure | None

    @property
    def event(self) -> Event:
        """What the ledger writes down."""
        return self.mechanism.event()

    def decoder(self, output: Output, unit: Unit, rows: int | None) -> Decoder:
        """The count that was released with a key."""
        mechanism: Any = self.mechanism
        return linear_estimate([Fraction(1)], mechanism.noise)

    def described(self, unit: Unit) -> str:
        """The mechanism."""
        return self.mechanism.name


@dataclass(frozen=True, slots=True)
class Price:
    """The whole of what is paid."""

    epsilon: Fraction
    delta: Fraction
    priced: tuple[PricedMeasure, ...]
    unit: Unit
    """Whom the noise was made for: it protects nobody who may reach further."""
    selection: PricedKeySelection | None = None

    @property
    def event(self) -> Event:
        """What the ledger writes down for the whole question."""
        events = [one.event for one in self.priced]
        if self.selection is not None:
            events.insert(0, self.selection.event)
        return events[0] if len(events) == 1 else ComposedEvent(events=tuple(events))

    def fits(self, question: Question) -> bool:
        """Whether it is a price of this question: of its measures and keys, for its unit."""
        measures = {one.measure for one in self.priced}
        selection = self.selection
        if selection is not None and selection.answers is not None:
            measures.add(selection.answers)
        return (
            self.unit == question.unit
            and measures == set(question.measures)
            and (selection is not None) == question.selects_keys
        )

    def of(self, measure: Measure) -> PricedMeasure | PricedKeySelection:
        """What a measure was priced as."""
        if self.selection is not None and self.selection.answers == measure:
            return self.selection
        for priced_measure in self.priced:  # most often the same one, which is found at once
            if priced_measure.measure is measure:
                return priced_measure
        return next(
            priced_measure for priced_measure in self.priced if priced_measure.measure == measure
        )

    def estimates(
        self,
        output: Output,
        groups: Sequence[Sequence[int]],
        question: Question,
        payment: Payment,
        rows: int | None,
    ) -> tuple[Estimate, ...]:
        """The answers in every group, from the released integers of each: free of charge."""
        part, unit = self.of(output.measure), question.unit
        decoded = part.decoder(output, unit, rows)
        neighbors, note = unit.neighbors.value, output.measure.note(output, unit)
        group_estimates = []
        for noisy in groups:
            value, error = decoded(noisy)
            group_estimates.append(
                Estimate(
                    value=value,
                    error=error,
                    releases=(payment,),
                    mechanism=part.mechanism,
                    neighbors=neighbors,
                    note=note,
                )
            )
        return tuple(group_estimates)


def price_question(
    question: Question,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    weights: Mapping[Measure, Fraction] | None = None,
) -> Price:
    """The mechanisms that answer the question for this ε and δ.

    What is public is answered for nothing: the others share all of ε, and without any it is 0.
    """
    answers = _selected_measure(question)
    measures = [measure for measure in question.measures if measure != answers]
    shares = {
        measure: _weight(measure, question.unit, weights)
        for measure in measures
        if not measure.free
    }
    total = sum(shares.values(), Fraction(0))
    selection = None
    if question.selects_keys:
        _need_delta(delta)
        own = (weights or {}).get(answers) if answers is not None else None
        share = own if own is not None else Fraction(question.unit.group_cap)
        total += share
        selection = _selection(question.unit, epsilon * share / total, delta, answers)
    usable = Fraction(0) if selection is not None else delta
    levels = {measure: epsilon * share / total for measure, share in shares.items()}
    priced = _each_priced(question.unit, levels, usable)
    priced += tuple(
        _priced(measure, question.unit, Fraction(0), Fraction(0))
        for measure in measures
        if measure.free
    )
    if not levels and selection is None:
        return Price(Fraction(0), Fraction(0), priced, question.unit)
    spent = delta if selection is not None else sum((one.delta for one in priced), Fraction(0))
    return Price(epsilon, spent, priced, question.unit, selection)


def price_alone(measure: Measure, unit: Unit, epsilon: Fraction, delta: Fraction) -> Price:
    """The price of one measure of a question whose groups are public, if it got the whole ε."""
    priced = _priced(measure, unit, epsilon, delta)
    return Price(priced.epsilon, priced.delta, (priced,), unit)


def _weight(measure: Measure, unit: Unit, weights: Mapping[Measure, Fraction] | None) -> Fraction:
    """The share of ε that a measure gets, in proportion: what one unit can add, unless stated."""
    if weights is not None and measure in weights:
        return weights[measure]
    return Fraction(unit.cap(measure.cap_name))


def _each_priced(
    unit: Unit, levels: Mapping[Measure, Fraction], delta: Fraction
) -> tuple[PricedMeasure, ...]:
    """Every measure at its ε; those that Gaussian noise answers share δ in equal parts.

    Those that δ could help are tried at an equal part, and those for which it does then share the
    whole: with more δ it is better still.
    """
    trying = [measure for measure in levels if measure.uses_delta]
    part = delta / len(trying) if trying else Fraction(0)
    priced = [_priced(measure, unit, level, part) for measure, level in levels.items()]
    using = sum(priced_measure.delta > 0 for priced_measure in priced)
    if 0 < using < len(trying):
        priced = [
            _priced(priced_measure.measure, unit, priced_measure.epsilon, delta / using)
            if priced_measure.delta
            else priced_measure
            for priced_measure in priced
        ]
    return tuple(priced)


def _priced(measure: Measure, unit: Unit, epsilon: Fraction, delta: Fraction) -> PricedMeasure:
    moved = measure.sensitivity(unit)
    noise = measure.mechanism(unit, epsilon, delta)
    return PricedMeasure(measure, epsilon, moved, noise.mechanism, noise.delta, noise.instead)


def _selected_measure(question: Question) -> Measure | None:
    """The count of units that key selection releases at no further price."""
    if not question.selects_keys:
        return None
    counted: Measure = People() if question.unit.by_person else Rows()
    return counted if counted in question.measures else None


def _selection(
    unit: Unit, epsilon: Fraction, delta: Fraction, answers: Measure | None
) -> PricedKeySelection:
    mechanism = best_selection(
        epsilon=epsilon,
        delta=delta,
        groups=unit.group_cap,
        neighbors=unit.neighbors,
        counts=answers is not None,
    )
    return PricedKeySelection(epsilon, mechanism, answers)


def _need_delta(delta: Fraction) -> None:
    if delta == 0:
        raise QueryError(
            "groups are asked by a column whose values are not public, and no delta is given. A "
            "value that only one person has must hardly ever appear, and δ is the chance that it "
            "does.",
            Remedy(
                python="Add delta=1e-6, or declare the values: dp.category([…]).",
                sql="Write SET delta = 1e-6, or declare the values: { values = […] } in the "
                "policy.",
                command="Add --delta 1e-6, or declare the values: { values = […] } in the policy.",
            ),
        )
