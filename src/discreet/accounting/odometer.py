"""What has been spent so far, under each view, and which of them is a promise.

A data-dependent moment such as "now" is not fixed in advance.  Only the sums are guarantees at
every moment: Σε together with Σδ, because the loss is below Σε at every point outside of the
leaks.  An ε converted from Σρ holds for a ρ fixed in advance; at a moment that the answers
chose it describes, and only the preset budget is certified.  Proof: docs/proofs/filters.md
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.accounting.filters import Filter, allowance
from discreet.exact import decimal_text, stated
from discreet.privacy.losses import ApproximateDP, ZeroConcentratedDP


@dataclass(frozen=True, slots=True, kw_only=True)
class Odometer:
    """The views of a run of questions.

    ``guaranteed`` is the sum of ε and δ, None where an event bounds no ε; ``certified`` is the
    budget, which holds however the run goes on; ``descriptive_epsilon`` is converted from ρ.

    >>> from discreet.privacy.budget import Budget
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
            rho_left=max(Fraction(0), allowance(budget) - totals.rho),
            delta_left=max(Fraction(0), budget.question_delta - totals.delta),
        )

    def __str__(self) -> str:
        lines = [
            f"guaranteed so far: {self.guaranteed or 'no ε (zCDP events took part)'}",
            f"certified whatever follows: {self.certified}",
            f"{stated('Σρ', self.rho)}, of which {decimal_text(self.rho_left)} is left",
        ]
        if self.descriptive_epsilon is not None:
            lines.append(
                f"descriptive only: {stated('ε', self.descriptive_epsilon)} if Σρ had been "
                "fixed in advance"
            )
        return "\n".join(lines)
