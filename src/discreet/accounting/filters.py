"""The privacy filter: what was spent so far, and whether a question may still be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import lcm

from discreet.accounting.composition import simple_loss
from discreet.accounting.zcdp import concentration, pure_rho
from discreet.errors import BudgetExhaustedError, PrivacyParameterError
from discreet.exact import decimal_text, named_number_text, round_up
from discreet.privacy.events import (
    Data,
    Event,
    SimpleEvent,
    event_counts,
    rational_from_text,
    rational_to_text,
)
from discreet.privacy.losses import ApproximateDP, Budget, ZeroConcentratedDP

_LONGEST = 1024
_LONG = 1 << (_LONGEST - 1)
_STEP = Fraction(1, 1 << _LONGEST)
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums of ε, δ and ρ; ``epsilon`` is None once an event took part that bounds no ε.

    Sums are exact.  Only a denominator of more than 1024 bits is rounded, and then upward.

    >>> Totals(epsilon=Fraction(1, 10)) + Totals(epsilon=Fraction(2, 10))
    Totals(epsilon=3/10, delta=0, rho=0)
    """

    epsilon: Fraction | None = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        epsilon = self.epsilon
        signs = (self.delta.numerator, self.rho.numerator, epsilon.numerator if epsilon else 0)
        if min(signs) < 0:
            raise PrivacyParameterError(
                "a total is negative. Nothing that was spent comes back. Start from Totals()."
            )

    def __repr__(self) -> str:
        return f"Totals(epsilon={self.epsilon}, delta={self.delta}, rho={self.rho})"

    def __add__(self, other: "Totals") -> "Totals":
        epsilon = None
        if self.epsilon is not None and other.epsilon is not None:
            epsilon = _sum(self.epsilon, other.epsilon)
        total = object.__new__(Totals)  # sums of what is not negative need no look at their signs
        _set_epsilon(total, epsilon)
        _set_delta(total, _sum(self.delta, other.delta))
        _set_rho(total, _sum(self.rho, other.rho))
        return total

    def times(self, count: int) -> "Totals":
        """These totals multiplied by ``count``."""
        epsilon = None if self.epsilon is None else _short(count * self.epsilon)
        return Totals(
            epsilon=epsilon, delta=_short(count * self.delta), rho=_short(count * self.rho)
        )

    def to_data(self) -> Data:
        """Plain data, for a ledger.

        >>> Totals(epsilon=None, rho=Fraction(1, 8)).to_data()
        {'version': 1, 'epsilon': None, 'delta': '0/1', 'rho': '1/8'}
        """
        epsilon = None if self.epsilon is None else rational_to_text(self.epsilon)
        return {
            "version": _VERSION,
            "epsilon": epsilon,
            "delta": rational_to_text(self.delta),
            "rho": rational_to_text(self.rho),
        }

    def to_json(self) -> str:
        """What ``to_data`` gives, as JSON with sorted keys and no blanks.

        >>> Totals(epsilon=None, rho=Fraction(1, 8)).to_json()
        '{"delta":"0/1","epsilon":null,"rho":"1/8","version":1}'
        """
        (delta, one), (rho, two) = self.delta.as_integer_ratio(), self.rho.as_integer_ratio()
        written = "null"
        if self.epsilon is not None:
            epsilon, three = self.epsilon.as_integer_ratio()
            written = f'"{epsilon}/{three}"'
        return (
            f'{{"delta":"{delta}/{one}","epsilon":{written},"rho":"{rho}/{two}",'
            f'"version":{_VERSION}}}'
        )

    @staticmethod
    def from_data(data: object) -> "Totals":
        """The totals that ``to_data`` wrote; anything else is refused."""
        names = {"version", "epsilon", "delta", "rho"}
        if not isinstance(data, Mapping) or set(data) != names or data["version"] != _VERSION:
            raise PrivacyParameterError(
                "these are not totals that this version wrote. A record is read only if its "
                "meaning is certain. Add the events up again, or use a newer discreet."
            )
        written = data["epsilon"]
        return Totals(
            epsilon=None if written is None else rational_from_text(written, "epsilon"),
            delta=rational_from_text(data["delta"], "delta"),
            rho=rational_from_text(data["rho"], "rho"),
        )


_set_epsilon, _set_delta, _set_rho = (
    getattr(Totals, name).__set__ for name in ("epsilon", "delta", "rho")
)


def charge(event: Event) -> Totals:
    """What an event adds to the totals.

    >>> from discreet.privacy.events import GaussianEvent, PureEvent, RepeatedEvent
    >>> charge(RepeatedEvent(event=PureEvent(epsilon="1/1000"), count=10)).epsilon
    Fraction(1, 100)
    >>> charge(GaussianEvent.of(sigma=2))
    Totals(epsilon=None, delta=0, rho=1/8)
    """
    total = Totals()
    for simple, count in event_counts(event).items():
        total += _simple_charge(simple).times(count)
    return total


@lru_cache(maxsize=4096)
def _simple_charge(event: SimpleEvent) -> Totals:
    loss, concentrated = simple_loss(event), concentration(event)
    if loss is None:
        return Totals(epsilon=None, delta=concentrated.delta, rho=concentrated.rho)
    if loss.delta == 0 and concentrated.delta == 0:  # nothing is split off: both hold of the law
        return Totals(epsilon=loss.epsilon, rho=concentrated.rho)
    # The part of weight 1 - δ is ε-DP, and what zCDP follows from that holds of the same part.
    return Totals(epsilon=loss.epsilon, delta=loss.delta, rho=pure_rho(loss.epsilon))


def _sum(value: Fraction, more: Fraction) -> Fraction:
    # A ledger adds for every question, most of which have no δ; Fraction's own + takes longer.
    extra, parts = more.as_integer_ratio()
    if not extra:
        return value
    whole, into = value.as_integer_ratio()
    common = lcm(into, parts)
    total = Fraction(whole * (common // into) + extra * (common // parts), common)
    return total if common < _LONG else _short(total)


def _short(value: Fraction) -> Fraction:
    return value if value.denominator.bit_length() <= _LONGEST else round_up(value, _STEP)


_HALVINGS = 48
_NOTHING = Totals()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A budget and what has been spent of it: a state, and the rule that leads to the next one.

    Guarantee: every adaptive sequence of events, each of which the filter admitted before it took
    place, is (budget.epsilon, budget.delta)-DP in total.  Proof: docs/proofs/filters.md

    >>> from discreet.privacy.events import GaussianEvent, PureEvent
    >>> start = Filter(budget=Budget(epsilon=1, delta=1e-6))
    >>> after = start.after(PureEvent(epsilon=0.75))
    >>> after.totals.epsilon, after.admits(PureEvent(epsilon=0.25))
    (Fraction(3, 4), True)
    >>> after.admits(PureEvent(epsilon=0.5))
    False
    >>> start.admits(GaussianEvent.of(sigma=10)), start.admits(GaussianEvent.of(sigma=1))
    (True, False)
    """

    budget: Budget
    totals: Totals = _NOTHING

    @property
    def holds(self) -> bool:
        """Whether the totals are within the budget."""
        return within_budget(self.budget, self.totals)

    def admits(self, event: Event) -> bool:
        """Whether the event may take place."""
        return self._with(event).holds

    def after(self, event: Event) -> "Filter":
        """The filter once the event took place, or an error if it may not."""
        following = self._with(event)
        if not following.holds:
            raise BudgetExhaustedError(
                f"the question would bring the total to {_shown(following.totals)}, beyond the "
                f"budget of {self.budget}. The budget caps all questions together, and nothing "
                "that was spent comes back. Ask for less precision, or stop here. Nothing was "
                "read or spent."
            )
        return following

    def _with(self, event: Event) -> "Filter":
        return replace(self, totals=self.totals + charge(event))


def within_budget(budget: Budget, totals: Totals) -> bool:
    """Whether totals are within a budget: the rule of the filter.

    >>> within_budget(Budget(epsilon=1), Totals(epsilon=Fraction(1), rho=Fraction(1, 2)))
    True
    """
    if totals.delta.numerator and totals.delta > budget.question_delta:
        return False
    if totals.epsilon is not None:
        spent, parts = totals.epsilon.as_integer_ratio()
        most, into = budget.epsilon.as_integer_ratio()
        if spent * into <= most * parts:  # as Fraction's <=, in half the time
            return True
    return totals.rho <= rho_allowance(budget)


@lru_cache(maxsize=256)
def rho_allowance(budget: Budget) -> Fraction:
    """The largest ρ, rounded down, whose zCDP is (budget.epsilon, budget.conversion_delta)-DP.

    >>> round(float(rho_allowance(Budget(epsilon=1, delta=2e-6))), 6)
    0.024356
    """
    if budget.conversion_delta == 0:
        return Fraction(0)

    def converts(rho: Fraction) -> bool:
        loss = ZeroConcentratedDP(rho=rho).to_approximate(delta=budget.conversion_delta)
        return loss.epsilon <= budget.epsilon

    low, high = Fraction(0), Fraction(1)
    while converts(high):
        low, high = high, 2 * high
    while low == 0 and not converts(high / 2):
        high /= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if converts(middle):
            low = middle
        else:
            high = middle
    return low


def share_left(budget: Budget, totals: Totals) -> Fraction:
    """How much of a budget is left, from 0 to 1: by the better of the two filters.

    >>> share_left(Budget(epsilon=2), Totals(epsilon=Fraction(1, 2)))
    Fraction(3, 4)
    """
    if totals.delta > budget.question_delta:
        return Fraction(0)
    return max(Fraction(0), _share_of_epsilon(budget, totals), _share_of_rho(budget, totals))


def share_text(budget: Budget, totals: Totals) -> str:
    """Why more is left than the sum of ε says, where it is; otherwise nothing.

    With a δ, questions are also counted by ρ, and small ones cost less together than their sum.

    >>> many = Totals(epsilon=Fraction(1), rho=Fraction(1, 20))
    >>> share_text(Budget(epsilon=10, delta="1e-4"), many)
    'small questions cost less together than their sum'
    >>> share_text(Budget(epsilon=10), many)
    ''
    """
    by_sum, left = _share_of_epsilon(budget, totals), share_left(budget, totals)
    differ = by_sum > 0 and int(100 * by_sum) < int(100 * left)  # in whole percent, as shown
    return "small questions cost less together than their sum" if differ else ""


def _share_of_epsilon(budget: Budget, totals: Totals) -> Fraction:
    return Fraction(0) if totals.epsilon is None else 1 - totals.epsilon / budget.epsilon


def _share_of_rho(budget: Budget, totals: Totals) -> Fraction:
    most = rho_allowance(budget)
    return 1 - totals.rho / most if most > 0 else Fraction(0)


def left_text(budget: Budget, totals: Totals, *, concentrated: bool = False) -> str:
    """The part of a budget that is left, in words: in ε, or in ρ where asked or the only sum.

    >>> left_text(Budget(epsilon=2), Totals(epsilon=Fraction(1, 2)))
    'ε = 1.5'
    """
    delta = budget.question_delta - totals.delta
    if delta < 0:
        return "nothing"
    if not concentrated and totals.epsilon is not None and totals.epsilon < budget.epsilon:
        amount_text = named_number_text("ε", budget.epsilon - totals.epsilon)
    elif totals.rho < rho_allowance(budget):
        amount_text = named_number_text("ρ", rho_allowance(budget) - totals.rho)
    else:
        return "nothing"
    return amount_text + (f", {named_number_text('δ', delta)}" if budget.question_delta else "")


def cost_text(cost: Totals) -> str:
    """The price of a question, in words.

    >>> cost_text(Totals(epsilon=Fraction(1, 2), rho=Fraction(1, 10)))
    'ε = 0.5'
    >>> cost_text(Totals(epsilon=None, rho=Fraction(1, 10)))
    'ρ = 0.1'
    """
    main = (
        named_number_text("ρ", cost.rho)
        if cost.epsilon is None
        else named_number_text("ε", cost.epsilon)
    )
    return main + (f", {named_number_text('δ', cost.delta)}" if cost.delta else "")


def _shown(totals: Totals) -> str:
    sums = [f"{named_number_text('Σδ', totals.delta)}", f"{named_number_text('Σρ', totals.rho)}"]
    if totals.epsilon is not None:
        sums.insert(0, f"{named_number_text('Σε', totals.epsilon)}")
    return ", ".join(sums)


@dataclass(frozen=True, slots=True, kw_only=True)
class Odometer:
    """The views of a run of questions.

    ``guaranteed`` is the sum of ε and δ, None where an event bounds no ε; ``certified`` is the
    budget, which holds however the run goes on; ``descriptive_epsilon`` is converted from ρ.

    >>> from discreet.privacy.losses import Budget
    >>> from discreet.privacy.events import GaussianEvent, PureEvent
    >>> start = Filter(budget=Budget(epsilon=1, delta=1e-6))
    >>> print(Odometer.of(start.after(PureEvent(epsilon="1/8"))))
    guaranteed so far: ε = 0.125, δ = 0
    certified whatever follows: ε = 1, δ = 1e-06
    Σρ ≈ 0.00780234, of which ≈0.0151351 is left
    descriptive only: ε ≈ 0.563612 if Σρ had been fixed in advance
    >>> print(Odometer.of(start.after(GaussianEvent.of(sigma=10))).guaranteed)
    None
    """

    guaranteed: ApproximateDP | None
    certified: ApproximateDP
    rho: Fraction
    delta: Fraction
    descriptive_epsilon: Fraction | None
    epsilon_left: Fraction | None
    rho_left: Fraction
    delta_left: Fraction

    @staticmethod
    def of(state: Filter) -> "Odometer":
        """The views of a filter's state."""
        totals, budget = state.totals, state.budget
        guaranteed = epsilon_left = descriptive = None
        if totals.epsilon is not None:
            guaranteed = ApproximateDP(epsilon=totals.epsilon, delta=totals.delta)
            epsilon_left = max(Fraction(0), budget.epsilon - totals.epsilon)
        if budget.conversion_delta:
            converted = ZeroConcentratedDP(rho=totals.rho)
            descriptive = converted.to_approximate(delta=budget.conversion_delta).epsilon
        return Odometer(
            guaranteed=guaranteed,
            certified=ApproximateDP(epsilon=budget.epsilon, delta=budget.delta),
            rho=totals.rho,
            delta=totals.delta,
            descriptive_epsilon=descriptive,
            epsilon_left=epsilon_left,
            rho_left=max(Fraction(0), rho_allowance(budget) - totals.rho),
            delta_left=max(Fraction(0), budget.question_delta - totals.delta),
        )

    def __str__(self) -> str:
        lines = [
            f"guaranteed so far: {self.guaranteed or 'no ε (zCDP events took part)'}",
            f"certified whatever follows: {self.certified}",
            f"{named_number_text('Σρ', self.rho)}, of which {decimal_text(self.rho_left)} is left",
        ]
        if self.descriptive_epsilon is not None:
            lines.append(
                f"descriptive only: {named_number_text('ε', self.descriptive_epsilon)} if Σρ had "
                "been fixed in advance"
            )
        return "\n".join(lines)
