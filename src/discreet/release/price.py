"""The price of a question: its mechanisms and what each of them costs, from public facts alone.

A question is priced in ε, with a δ or without one, or in ρ.  Each measure gets an equal part of the
price, unless weights are stated.  Where groups are found privately, finding them gets half of it;
where the first of many are chosen, choosing gets as much as all that is measured of them.

- In ε without a δ: Laplace noise, and draws by rank.
- In ε with a δ: the same, or Gaussian noise on all that noise is added to, whichever has the
  smaller error.  Gaussian noise is fitted to all of these measures at once.
- In ρ: Gaussian noise, and draws by rank whose losses lie within a range.
- As a part of a budget: in ε or in ρ, whichever has the smaller error.

Weights belong to their noise: ``Price.unit`` decides how people over the caps are weighed down
*and* how far one of them moves what noise is added to.

Proof that all of them together cost what was asked: docs/proofs/delta.md
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import exp, isqrt, log, sqrt
from typing import Any, NamedTuple, cast

from discreet.accounting.filters import SpendLimits, Totals, charge, cost_text
from discreet.errors import DiscreetError, QueryError, Remedy
from discreet.measures.counts import People, Rows
from discreet.measures.measure import (
    CapName,
    Decoder,
    Measure,
    MeasureSensitivity,
    Norm,
    Output,
    Unit,
    linear_estimate,
)
from discreet.measures.noise_choice import CONFIDENCE, gaussian_noise
from discreet.mechanisms.additive_noise import MeasureMechanism
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.gaussian_calibration import joint_gaussian_variances
from discreet.mechanisms.key_selection import KeySelection, WeightedThreshold, best_selection
from discreet.privacy.estimates import Estimate, PaidLoss, Payment
from discreet.privacy.events import ApproximateEvent, ComposedEvent, Event
from discreet.privacy.losses import (
    ApproximateDP,
    Budget,
    PureDP,
    ZeroConcentratedDP,
    bounded_range_epsilon,
)
from discreet.privacy.uncertainty import ThresholdError, Uncertainty
from discreet.question.check import Question
from discreet.release.caps import CapEffects
from discreet.release.profile import Amount
from discreet.release.top_groups import (
    PricedChoice,
    TopGroups,
    deciding_measures,
    expected_part,
    noised_gap,
    top_groups,
    widened,
)

_SPREAD_PART, _LEAST_SPREAD = 1e-6, 1e-200
_LARGER_IN_RHO = 300  # by so many percent; draws of bounded range cost a quarter of ε²/2

Weights = Mapping[Measure, Fraction]
"""How measures share a price, as stated."""
UNREADABLE = (DiscreetError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised where a part of a question or of a price is of another kind."""


@dataclass(frozen=True, slots=True)
class PricedMeasure:
    """A measure, how far one unit moves it, what makes it private, and its part of the price."""

    measure: Measure
    mechanism: MeasureMechanism
    sensitivity: MeasureSensitivity
    epsilon: Fraction | None = None
    """Its ε; None for Gaussian noise, which has none."""
    rho: Fraction | None = None
    """Its ρ, where the question is priced in ρ."""
    instead: MeasureMechanism | None = field(default=None, compare=False)
    """The noise that was not chosen, because the question's error would be larger."""

    @property
    def event(self) -> Event:
        """What the ledger writes down."""
        promised = PureDP(epsilon=self.epsilon or Fraction(0))
        return self.mechanism.event(self.sensitivity.norms, promised)

    @property
    def error(self) -> float:
        """A size that the error is in proportion to, to compare two prices of one measure by."""
        if not self.measure.draws:
            mechanism: Any = self.mechanism
            # On whole numbers 95% of little noise is 0: then its spread decides.
            spread = max(sqrt(mechanism.variance), _LEAST_SPREAD)
            return float(mechanism.accuracy(CONFIDENCE)) + _SPREAD_PART * spread
        return float(1 / (self.epsilon or 1))

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
    rho: Fraction | None = None
    """Its ρ, where the question is priced in ρ."""

    @property
    def event(self) -> Event:
        """What the ledger writes down."""
        return self.mechanism.event()

    def decoder(self, output: Output, unit: Unit, rows: int | None) -> Decoder:
        """The count that was released with a key, because it reached the threshold."""
        released = self.released
        counted = linear_estimate([Fraction(1)], released.noise)

        def decoded(noisy: Sequence[int]) -> tuple[Any, Uncertainty]:
            if noisy[0] < released.far:
                return noisy[0], released
            value, error = counted(noisy)
            return value, cast("Uncertainty", error)

        return decoded

    @property
    def released(self) -> ThresholdError:
        """The error of a count that is released with a key."""
        mechanism: Any = self.mechanism
        return ThresholdError(mechanism.noise, mechanism.threshold)

    @property
    def share(self) -> int | None:
        """What a person in one group adds to it, where those in more add less; else None."""
        return self.mechanism.share if isinstance(self.mechanism, WeightedThreshold) else None

    def described(self, unit: Unit) -> str:
        """The mechanism."""
        return self.mechanism.name


@dataclass(frozen=True)
class Price:
    """The whole of what is paid."""

    priced: tuple[PricedMeasure, ...]
    unit: Unit
    """Whom the noise was made for, and how they are weighed down: it protects nobody who may reach
    further."""
    promise: PureDP | ApproximateDP | None = None
    """The ε, and δ, that the question costs by itself; None where it is priced in ρ."""
    selection: PricedKeySelection | None = None
    charged_as_promised: bool = False
    """Whether Gaussian noise is charged as the ε and δ that it was made for, and not as itself."""
    shares: tuple[Fraction, ...] = ()
    """How Gaussian noises that were made for an ε and a δ together share them, in order."""
    choice: PricedChoice | None = None
    """How the first groups are chosen, where they are before they are measured."""

    @property
    def epsilon(self) -> Fraction | None:
        """The ε that the question costs by itself; None where it is priced in ρ."""
        return None if self.promise is None else self.promise.epsilon

    @property
    def delta(self) -> Fraction:
        """The δ that the question costs by itself; 0 where only pure mechanisms are used."""
        if isinstance(self.promise, ApproximateDP):
            return self.promise.delta
        return self.cost.delta if self.promise is None else Fraction(0)

    @cached_property
    def event(self) -> Event:
        """What the ledger writes down for the whole question."""
        events = [one.event for one in self.priced if not self._by_promise(one)]
        if isinstance(self.promise, ApproximateDP) and len(events) < len(self.priced):
            epsilon, delta = self.promise.epsilon - self.pure_epsilon, self.promise.delta
            events.append(ApproximateEvent(epsilon=epsilon, delta=delta))
        if self.choice is not None:
            events.insert(0, self.choice.event)
        if self.selection is not None:
            events.insert(0, self.selection.event)
        return events[0] if len(events) == 1 else ComposedEvent(events=tuple(events))

    @property
    def pure_epsilon(self) -> Fraction:
        """What the parts with an ε of their own cost together, without finding groups."""
        parts = [one.epsilon or Fraction(0) for one in self.priced]
        if self.choice is not None:
            parts.append(self.choice.epsilon)
        return sum(parts, Fraction(0))

    def _by_promise(self, one: PricedMeasure) -> bool:
        return self.charged_as_promised and one.epsilon is None

    def part(
        self, priced: PricedMeasure | PricedKeySelection | PricedChoice, *, in_rho: bool
    ) -> tuple[Fraction | None, Fraction | None]:
        """The ε or the ρ of a part; all parts together are the price."""
        alone = len(self.priced) == 1 and self.selection is None and self.choice is None
        cost = self.cost if alone else charge(priced.event)
        if in_rho:
            return None, cost.rho
        if self.charged_as_promised and priced.epsilon is None:
            return self._joint_part(priced), None
        return cost.epsilon, None

    def _joint_part(self, priced: PricedMeasure | PricedKeySelection | PricedChoice) -> Fraction:
        """The part of an ε for which Gaussian noise was fitted to several measures at once."""
        joint = [one for one in self.priced if one.epsilon is None]
        whole = (self.epsilon or Fraction(0)) - self.pure_epsilon
        rhos = [one.rho or Fraction(0) for one in joint]
        return whole * (priced.rho or Fraction(0)) / (sum(rhos, Fraction(0)) or 1)

    @cached_property
    def cost(self) -> Totals:
        """What the question adds to the sums of a budget."""
        return charge(self.event)

    @property
    def loss(self) -> PaidLoss:
        """What a number of the answer cost."""
        if self.promise is not None:
            return self.promise
        cost = self.cost
        return ZeroConcentratedDP(rho=cost.rho, delta=cost.delta)

    @property
    def key_share(self) -> int | None:
        """What a person in one group adds to it where groups are found by weight; else None."""
        return None if self.selection is None else self.selection.share

    @property
    def gaussian(self) -> bool:
        """Whether there is noise that has no ε of its own."""
        return any(one.epsilon is None for one in self.priced)

    def text(self, budget: Budget | None = None) -> str:
        """The price as people read it: what is charged and, where that is ρ, the ε asked for.

        In ρ, where the budget is.
        """
        paid = cost_text(self.cost, budget)
        if self.promise is None or not self.gaussian or self.charged_as_promised:
            return paid
        return f"{paid} ({self.promise} by itself)"

    def fits(self, question: Question) -> bool:
        """Whether it is a price of this question: what is made anew of its parts is this price."""
        try:
            return price_from_data(self.to_data(question), question) == self
        except UNREADABLE:
            return False

    def to_data(self, question: Question) -> dict[str, Any]:
        """Plain data, from which ``price_from_data`` makes it again for the same question."""
        places = {measure: place for place, measure in enumerate(question.measures)}
        selection = self.selection

        def sigma(one: PricedMeasure) -> str | None:
            noise: Any = one.mechanism
            return str(noise.sigma) if one.epsilon is None else None

        choice = {}
        if self.choice is not None:
            parts: dict[str, Any] = {"epsilon": str(self.choice.epsilon)}
            parts |= {"rho": _text(self.choice.rho), "flips": self.choice.mechanism.flips}
            choice = {"choice": parts}

        def drawn(one: PricedMeasure) -> dict[str, str]:
            return {"drawn": type(one.mechanism).__name__} if one.measure.draws else {}

        return {
            **choice,
            "norm": self.unit.norm.value,
            "parts": [
                {
                    "measure": places[one.measure],
                    "epsilon": _text(one.epsilon),
                    "rho": _text(one.rho),
                    "sigma": sigma(one),
                }
                | drawn(one)
                for one in self.priced
            ],
            "promise": None if self.promise is None else str(self.promise.epsilon),
            "delta": str(self.delta),
            "selection": None
            if selection is None
            else {
                "epsilon": str(selection.epsilon),
                "rho": _text(selection.rho),
                "mechanism": selection.mechanism.name,
            },
            "charged_as_promised": self.charged_as_promised,
            "shares": [str(share) for share in self.shares],
        }

    def gap(self, question: Question) -> float | None:
        """By how much a group may exceed one that is shown as one of the first; at 95%.

        None where not the first are asked for by something that groups can be ranked by.
        """
        top = top_groups(question)
        if top is None:
            return None
        if self.choice is not None:
            return self.choice.gap
        part, integers = self.of(top.output.measure), [0] * top.output.measure.width
        if isinstance(part, PricedKeySelection):
            integers = [part.released.far]  # where the threshold has nothing to do with the noise
        _, error = part.decoder(top.output, self.unit, None)(integers)
        return noised_gap(top, error)

    def widened(self, question: Question, output: Output, estimate: Estimate) -> Estimate:
        """An estimate of a plan, as one that is shown has it: cut to the first groups."""
        released = question.cells if self.choice is None else self.choice.top.many
        if output.measure not in deciding_measures(question):
            return estimate
        return widened(estimate, expected_part(question, released))

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
        payment: Payment,
        rows: int | None,
        effects: CapEffects | None = None,
    ) -> tuple[Estimate, ...]:
        """The answers in every group, from the released integers of each: free of charge.

        With ``effects`` their intervals hold what the caps left out, too.
        """
        part, unit = self.of(output.measure), self.unit
        decoded = part.decoder(output, unit, rows)
        neighbors, note = unit.neighbors.value, output.measure.note(output, unit)
        left_out = output.measure.left_out(output, unit)
        count = None
        if effects is not None and left_out is not None and left_out.counted:
            count = linear_estimate(left_out.counted, part.mechanism)
        group_estimates = []
        for noisy in groups:
            value, error = decoded(noisy)
            truth, condition, uncounted = None, "", False
            if effects is not None:
                uncounted = effects.moves_rank(output, unit)
                counted = None if count is None else Amount.of(*count(noisy))
                truth, condition = effects.truth(output, unit, value, error, counted)
            group_estimates.append(
                Estimate(
                    value=value,
                    error=error,
                    releases=(payment,),
                    mechanism=part.mechanism,
                    neighbors=neighbors,
                    note=note,
                    truth=truth,
                    condition=condition,
                    counted=uncounted,
                    whole=output.aggregate.statistic.counts,
                )
            )
        return tuple(group_estimates)


def price_question(
    question: Question,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    weights: Weights | None = None,
) -> Price:
    """The mechanisms that answer the question for this ε and δ.

    What is public is answered for nothing: the others share all of ε, and without any it is 0.
    """

    def priced(top: TopGroups | None) -> Price:
        if question.strategy is not None and delta and not question.free:
            alone = _gaussian_price(question, epsilon, delta, weights, top)
            if alone is not None:
                return alone
        pure = _pure_price(question, epsilon, delta, weights, top)
        if delta == 0 or question.selects_keys:
            return pure
        gaussian = _gaussian_price(question, epsilon, delta, weights, top)
        return pure if gaussian is None else _better(pure, gaussian)

    return _all_or_first(question, priced)


def _all_or_first(question: Question, priced: Callable[[TopGroups | None], Price]) -> Price:
    """The price of all groups or, where those are asked for, of the first: the one that errs less.

    They are compared by how much a group that is left out may exceed one that is shown.
    """
    everything, top = priced(None), top_groups(question)
    if top is None or everything.of(top.output.measure) is everything.selection:
        return everything  # the count that was found with the groups serves to order them
    first, gap = priced(top), everything.gap(question)
    better = first.choice is not None and gap is not None and first.choice.gap < gap
    return first if better else everything


def price_in_rho(
    question: Question,
    rho: Fraction,
    delta: Fraction = Fraction(0),
    weights: Weights | None = None,
) -> Price:
    """The mechanisms that answer the question for this ρ; δ is that of finding keys."""
    return _all_or_first(
        question, lambda top: _concentrated_price(question, rho, delta, weights, top)
    )


def price_within(
    question: Question,
    limits: SpendLimits,
    delta: Fraction = Fraction(0),
    weights: Weights | None = None,
) -> Price:
    """The price with the smallest error that takes no more of a budget than the limits allow."""

    def priced(top: TopGroups | None) -> Price:
        prices = []
        laplace = question.strategy is None or limits.rho is None
        epsilon = _largest_epsilon(question, limits, delta, weights, top) if laplace else None
        if epsilon is not None:
            prices.append(_pure_price(question, epsilon, delta, weights, top))
        if limits.rho is not None:
            prices.append(_concentrated_price(question, limits.rho, delta, weights, top))
        return prices[0] if len(prices) == 1 else _better(*prices)

    return _all_or_first(question, priced)


def _largest_epsilon(
    question: Question,
    limits: SpendLimits,
    delta: Fraction,
    weights: Weights | None,
    top: TopGroups | None,
) -> Fraction | None:
    """The largest ε of which the price is within the limits: by ε, or by what it costs in ρ.

    The latter is found to three digits.
    """
    if limits.rho is None:
        return limits.epsilon
    rho = limits.rho

    def fits(epsilon: Fraction) -> bool:
        return _pure_price(question, epsilon, delta, weights, top).cost.rho <= rho

    low = Fraction(f"{0.99 * float(_epsilon_within(rho)):.2e}")  # what is ε-DP costs ε²/2 at most
    if low == 0 or not fits(low):
        return limits.epsilon
    step = low / 100
    first, last = 0, _LARGER_IN_RHO
    while first < last:
        middle = (first + last + 1) // 2
        first, last = (middle, last) if fits(low + middle * step) else (first, middle - 1)
    by_rho = low + first * step
    return by_rho if limits.epsilon is None else max(by_rho, limits.epsilon)


def price_alone(
    measure: Measure,
    question: Question,
    *,
    epsilon: Fraction | None = None,
    rho: Fraction = Fraction(0),
) -> Price:
    """The price of one measure of a question whose groups are public, if it got the whole."""
    if epsilon is not None:
        unit = question.unit
        return Price((_pure(measure, unit, epsilon),), unit, PureDP(epsilon=epsilon))
    unit = question.gaussian_unit
    return Price((_concentrated(measure, unit, rho),), unit)


def price_from_data(data: Mapping[str, Any], question: Question) -> Price:
    """The price that ``Price.to_data`` wrote, for the same question.

    What each part costs is taken from the data.  Whatever follows from that is made anew.
    """
    in_rho = data["promise"] is None
    choice = _choice_from_data(data.get("choice"), question, in_rho=in_rho)
    top = None if choice is None else choice.top
    unit = question.unit if top is None else top.unit(question.unit)
    if in_rho or any(one["sigma"] is not None for one in data["parts"]):
        unit = _gaussian_unit(question, top)
    if Norm(data["norm"]) is not unit.norm and not question.free:
        raise ValueError("people are weighed down as for another noise")
    measures = [question.measures[one["measure"]] for one in data["parts"]]
    if measures != _measured_apart(question):
        raise ValueError("other measures are priced than are asked for")
    priced = tuple(
        _part_from_data(one, measure, unit, in_rho=in_rho)
        for one, measure in zip(data["parts"], measures, strict=True)
    )
    selection = _selection_from_data(data, question, in_rho=in_rho)
    price = Price(priced, unit, None, selection, choice=choice)
    return price if in_rho else _promised(price, data, question)


def _choice_from_data(
    data: Mapping[str, Any] | None, question: Question, *, in_rho: bool
) -> PricedChoice | None:
    if data is None:
        return None
    top = top_groups(question)
    if top is None:
        raise ValueError("the first groups were chosen, and they are not asked for")
    if in_rho:
        rho = Fraction(data["rho"])
        return top.choice(question.unit, bounded_range_epsilon(rho, top.many), rho)
    flips = data.get("flips", False)
    return top.choice(question.unit, Fraction(data["epsilon"]), flips=flips)


def _selection_from_data(
    data: Mapping[str, Any], question: Question, *, in_rho: bool
) -> PricedKeySelection | None:
    kept, delta = data["selection"], Fraction(data["delta"])
    if (kept is not None) != question.selects_keys:
        raise ValueError("groups are found, or are public")
    if kept is None:
        return None
    rho = Fraction(kept["rho"]) if in_rho else None
    epsilon = Fraction(kept["epsilon"]) if rho is None else _epsilon_within(rho)
    for weights in (True, False):  # what was paid before there were weights has no name
        made = _selection(question, epsilon, delta, rho, weights=weights)
        if kept.get("mechanism", None if weights else made.mechanism.name) == made.mechanism.name:
            return made
    raise ValueError("groups are found by another mechanism")


def _promised(price: Price, data: Mapping[str, Any], question: Question) -> Price:
    """The price with the ε, and δ, of all of its parts; of Gaussian noise those it is made for."""
    delta, selection = Fraction(data["delta"]), price.selection
    if not price.gaussian:
        if selection is None:
            return replace(price, promise=PureDP(epsilon=price.pure_epsilon))
        epsilon = price.pure_epsilon + selection.epsilon
        return replace(price, promise=ApproximateDP(epsilon=epsilon, delta=delta))
    if delta == 0 or selection is not None:
        raise ValueError("Gaussian noise has a δ, and groups that it finds are priced apart")
    promise = ApproximateDP(epsilon=Fraction(data["promise"]), delta=delta)
    shares = _shares_from_data(data, question, price.priced, price.unit)
    joint = [one for one in price.priced if one.epsilon is None]
    left = promise.epsilon - price.pure_epsilon
    noises = _joint_noises([one.measure for one in joint], price.unit, shares, left, delta)
    if noises != [one.mechanism for one in joint]:
        raise ValueError("the noise is not that of the ε and δ that are promised")
    charged = data["charged_as_promised"] is True
    return replace(price, promise=promise, charged_as_promised=charged, shares=shares)


def _shares_from_data(
    data: Mapping[str, Any], question: Question, priced: Sequence[PricedMeasure], unit: Unit
) -> tuple[Fraction, ...]:
    """The shares as written, or those of a time when they were not: stated, or by the caps."""
    if "shares" in data:
        return tuple(map(Fraction, data["shares"]))
    joint = [one.measure for one in priced if one.epsilon is None]
    if data["weights"] is not None:
        stated = {question.measures[place]: Fraction(one) for place, one in data["weights"]}
        return tuple(stated[measure] for measure in joint)

    def by_cap(name: CapName) -> Fraction:
        weights = unit.row_weights if name == "max_rows" else unit.group_weights
        return Fraction(weights.squared, weights.share**2)

    added = [one.measure for one in priced if not one.measure.free]
    whole = sum((by_cap(measure.cap_name) for measure in added), Fraction(0))
    return tuple(by_cap(measure.cap_name) / whole for measure in joint)


def _part_from_data(
    data: Mapping[str, Any], measure: Measure, unit: Unit, *, in_rho: bool
) -> PricedMeasure:
    if data["sigma"] is not None and not measure.free and not measure.draws:
        return _gaussian(measure, unit, Gaussian(sigma=Fraction(data["sigma"])))
    part = _pure(measure, unit, Fraction(0) if measure.free else Fraction(data["epsilon"]))
    drawn: Any = measure
    if measure.draws and data.get("drawn") != type(part.mechanism).__name__:
        # kept when values chosen by rank had no intervals
        part = replace(part, mechanism=drawn.unbounded_mechanism(unit, part.epsilon))
    return replace(part, rho=charge(part.event).rho) if in_rho else part


def _text(number: Fraction | None) -> str | None:
    return None if number is None else str(number)


def error_ratio(first: Price, second: Price) -> float:
    """How large the errors of one price are beside those of another, over all measures.

    The geometric mean of the ratios.  Where one price keeps more of a person at the caps than the
    other, an error counts by so much less: what is lost by weighing down is an error, too.
    """
    ratios = []
    for one, other in zip(first.priced, second.priced, strict=True):
        if one.measure.free:
            continue
        ratio = one.error / other.error
        if not one.measure.draws:
            cap = one.measure.cap_name
            ratio *= second.unit.kept_at_caps(cap) / first.unit.kept_at_caps(cap)
        ratios.append(log(ratio))
    if first.selection is not None and second.selection is not None:
        ratios.append(log(second.selection.epsilon / first.selection.epsilon))
    if first.choice is not None and second.choice is not None:
        ratios.append(log(second.choice.epsilon / first.choice.epsilon))
    return exp(sum(ratios) / len(ratios)) if ratios else 1.0


def _better(first: Price, second: Price) -> Price:
    """The price with the smaller errors, which names the noise of the other."""
    chosen, other = (second, first) if error_ratio(second, first) < 1 else (first, second)
    priced = tuple(
        replace(one, instead=beside.mechanism)
        if not one.measure.draws and not one.measure.free
        else one
        for one, beside in zip(chosen.priced, other.priced, strict=True)
    )
    return replace(chosen, priced=priced)


def _pure_price(
    question: Question,
    epsilon: Fraction,
    delta: Fraction,
    weights: Weights | None,
    top: TopGroups | None,
) -> Price:
    """Laplace noise and draws by rank; δ is that of finding keys."""
    unit = question.unit if top is None else top.unit(question.unit)
    parts, selected, chosen = _parts(question, weights, epsilon, top)
    selection = None
    if question.selects_keys:
        _need_delta(delta)
        selection = _selection(question, selected, delta, None)
    choice = None if top is None else top.choice(question.unit, chosen)
    priced = tuple(
        _pure(measure, unit, parts.get(measure, Fraction(0)))
        for measure in _measured_apart(question)
    )
    if not parts and selection is None:
        epsilon = Fraction(0)
    promise: PureDP | ApproximateDP = PureDP(epsilon=epsilon)
    if selection is not None:
        promise = ApproximateDP(epsilon=epsilon, delta=delta)
    return Price(priced, unit, promise, selection, choice=choice)


def _concentrated_price(
    question: Question,
    rho: Fraction,
    delta: Fraction,
    weights: Weights | None,
    top: TopGroups | None,
) -> Price:
    """Gaussian noise, and draws whose losses lie within a range."""
    if question.free:
        return _pure_price(question, Fraction(0), delta, weights, top)
    unit = _gaussian_unit(question, top)
    parts, selected, chosen = _parts(question, weights, rho, top)
    selection = choice = None
    if question.selects_keys:
        _need_delta(delta)
        selection = _selection(question, _epsilon_within(selected), delta, selected)
    if top is not None:
        choice = top.choice(question.unit, bounded_range_epsilon(chosen, top.many), chosen)
    priced = tuple(
        _concentrated(measure, unit, parts.get(measure, Fraction(0)))
        for measure in _measured_apart(question)
    )
    return Price(priced, unit, None, selection, choice=choice)


def _gaussian_unit(question: Question, top: TopGroups | None) -> Unit:
    """The unit as people are weighed for Gaussian noise."""
    if top is None:
        return question.gaussian_unit
    return top.unit(question.unit).weighed_by(Norm.L2)


def _gaussian_price(
    question: Question,
    epsilon: Fraction,
    delta: Fraction,
    weights: Weights | None,
    top: TopGroups | None,
) -> Price | None:
    """Gaussian noise on all that noise is added to, fitted to their ε and δ at once."""
    unit = _gaussian_unit(question, top)
    parts, _, chosen = _parts(question, weights, epsilon, top)
    choice = None if top is None else top.choice(question.unit, chosen)
    added = [measure for measure in parts if not measure.draws]
    if not added:
        return None
    shares = tuple(parts[measure] / epsilon for measure in added)
    together = sum((parts[measure] for measure in added), Fraction(0))
    noises = _joint_noises(added, unit, shares, together, delta)
    noise = dict(zip(added, noises, strict=True))
    priced = tuple(
        _gaussian(measure, unit, noise[measure])
        if measure in noise
        else _pure(measure, unit, parts.get(measure, Fraction(0)))
        for measure in question.measures
    )
    promise = ApproximateDP(epsilon=epsilon, delta=delta)
    return Price(priced, unit, promise, shares=shares, choice=choice)


def _joint_noises(
    measures: Sequence[Measure],
    unit: Unit,
    shares: Sequence[Fraction],
    epsilon: Fraction,
    delta: Fraction,
) -> list[Gaussian]:
    """Gaussian noise on several measures that makes all of them together (ε,δ)-DP."""
    squares = [measure.sensitivity(unit).squared_l2 for measure in measures]
    variances = joint_gaussian_variances(squares, shares, epsilon, delta)
    return [Gaussian(sigma=_root_above(variance)) for variance in variances]


def _gaussian(measure: Measure, unit: Unit, noise: Gaussian) -> PricedMeasure:
    moved = measure.sensitivity(unit)
    return PricedMeasure(measure, noise, moved, rho=moved.squared_l2 / (2 * noise.sigma**2))


def _root_above(variance: Fraction) -> Fraction:
    """A short rational whose square is the variance, or a little above it."""
    top, bottom = isqrt(variance.numerator), isqrt(variance.denominator)
    if top * top == variance.numerator and bottom * bottom == variance.denominator:
        return Fraction(top, bottom)
    scale = max(0, 64 - variance.numerator.bit_length() + variance.denominator.bit_length())
    squared = -(-(variance.numerator << 2 * scale) // variance.denominator)
    return Fraction(isqrt(squared - 1) + 1, 1 << scale)


def _pure(measure: Measure, unit: Unit, epsilon: Fraction) -> PricedMeasure:
    moved = measure.sensitivity(unit)
    return PricedMeasure(measure, measure.mechanism(unit, epsilon), moved, epsilon)


def _concentrated(measure: Measure, unit: Unit, rho: Fraction) -> PricedMeasure:
    if measure.free or measure.draws:
        epsilon = bounded_range_epsilon(rho, measure.draws) if measure.draws else Fraction(0)
        drawn = _pure(measure, unit, epsilon)
        return replace(drawn, rho=charge(drawn.event).rho)
    return _gaussian(measure, unit, gaussian_noise(measure.sensitivity(unit).squared_l2, rho))


def _epsilon_within(rho: Fraction) -> Fraction:
    """An ε just below √(2ρ): what is ε-DP is ε²/2-zCDP."""
    bits = 64 + max(0, rho.denominator.bit_length() - rho.numerator.bit_length())
    return Fraction(isqrt((2 * rho.numerator << 2 * bits) // rho.denominator), 1 << bits)


def _measured_apart(question: Question) -> list[Measure]:
    """The measures that key selection does not answer."""
    answers = _selected_measure(question)
    return [measure for measure in question.measures if measure != answers]


class _Parts(NamedTuple):
    """The parts of a price: of measures that cost something, of finding groups, of choosing."""

    measures: dict[Measure, Fraction]
    selected: Fraction
    chosen: Fraction


def _parts(
    question: Question, weights: Weights | None, whole: Fraction, top: TopGroups | None
) -> _Parts:
    """All of the whole, in parts.

    Measures have equal parts unless weights are stated.  Choosing the first groups has as much as
    all of them together: of other groups their numbers say nothing.  Key selection has as much as
    both, or more if the count that it answers weighs more: a group that is not found has no numbers
    at all.
    """
    stated = weights or {}
    shares = {
        one: stated.get(one, Fraction(1)) for one in _measured_apart(question) if not one.free
    }
    measured = sum(shares.values(), Fraction(0))
    chosen = Fraction(0) if top is None else measured
    selected = Fraction(0)
    if question.selects_keys:
        answers = _selected_measure(question)
        own = Fraction(0) if answers is None else stated.get(answers, Fraction(0))
        selected = max(measured + chosen, own) or Fraction(1)
    total = measured + chosen + selected or Fraction(1)
    parts = {measure: whole * share / total for measure, share in shares.items()}
    return _Parts(parts, whole * selected / total, whole * chosen / total)


def _selected_measure(question: Question) -> Measure | None:
    """The count of units that key selection releases at no further price."""
    if not question.selects_keys:
        return None
    counted: Measure = People() if question.unit.by_person else Rows()
    return counted if counted in question.measures else None


def _selection(
    question: Question,
    epsilon: Fraction,
    delta: Fraction,
    rho: Fraction | None,
    *,
    weights: bool = True,
) -> PricedKeySelection:
    answers = _selected_measure(question)
    mechanism = best_selection(
        epsilon=epsilon,
        delta=delta,
        groups=question.unit.group_cap,
        neighbors=question.unit.neighbors,
        counts=answers is not None,
        weights=weights and question.unit.by_person,
    )
    return PricedKeySelection(epsilon, mechanism, answers, rho)


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
