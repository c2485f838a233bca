"""The best attacks on a mechanism: how well one input can be told from another.

Numbers are rationals, exact where the laws are rational; else they are rounded towards the
attacker by at most 1e-12, so that no attack is better than stated.
Proof: docs/proofs/verification.md
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from reprlib import Repr
from typing import Any, NamedTuple

from discreet.privacy.attacks import Order, best_rule
from discreet.privacy.region import Region, read_rate
from discreet.privacy.verification import (
    TOLERANCE,
    Table,
    Verifiable,
    Verification,
    stated,
    verify,
)

_LONG_NAME = 12
_SHORT = Repr()
_SHORT.maxother = _SHORT.maxstring = 40


class OperatingPoint(NamedTuple):
    """How often an attack says "second": wrongly, on the first input, and rightly."""

    false_positive_rate: Fraction
    true_positive_rate: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A rule that guesses the input from the output, and how often it says "second"."""

    rule: str
    false_positive_rate: Fraction
    true_positive_rate: Fraction

    def __repr__(self) -> str:
        rates = (
            stated("false_positive_rate", self.false_positive_rate),
            stated("true_positive_rate", self.true_positive_rate),
        )
        return f"Attack({self.rule!r}, {', '.join(rates)})"

    @property
    def advantage(self) -> Fraction:
        """How much more often the attack says "second" when it is right than when it is not."""
        return self.true_positive_rate - self.false_positive_rate


def tradeoff(mechanism: Verifiable | Table, first: object, second: object) -> "Tradeoff":
    """The best attacks that tell a mechanism's output on ``second`` from that on ``first``.

    >>> from discreet.mechanisms import Laplace
    >>> curve = tradeoff(Laplace(scale=2), 0, 1)
    >>> curve
    Tradeoff(Laplace(scale=2), 0 against 1, epsilon=0.5, advantage≈0.244919)
    >>> curve.best_attack().rule
    'say 1 when the output is 1 or more, else 0'
    >>> curve.satisfies(epsilon=0.5), curve.satisfies(epsilon=0.49)
    (True, False)
    """
    name = "a table of laws" if isinstance(mechanism, Mapping) else _SHORT.repr(mechanism)
    return Tradeoff(
        mechanism=name,
        first=_SHORT.repr(first),
        second=_SHORT.repr(second),
        verification=verify(mechanism, first, second),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Tradeoff:
    """Testing H0, the output comes from the first input, against H1, from the second.

    A false positive says "second" on the first input, a true positive on the second.  By Neyman
    and Pearson the best tests take outcomes in the order of their likelihood ratio.

    >>> tradeoff({0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}, 0, 1).points[1]
    OperatingPoint(false_positive_rate=Fraction(1, 4), true_positive_rate=Fraction(3, 4))
    """

    mechanism: str
    first: str
    second: str
    verification: Verification

    def __repr__(self) -> str:
        return (
            f"Tradeoff({self.mechanism}, {self.first} against {self.second}, "
            f"{stated('epsilon', self.epsilon)}, {stated('advantage', self.advantage)})"
        )

    @property
    def epsilon(self) -> Fraction | float:
        """The least ε of pure differential privacy on this pair; infinity if there is none."""
        return self.verification.epsilon

    @property
    def advantage(self) -> Fraction:
        """The largest TPR - FPR of any attack: the total variation of the two laws."""
        return self.verification.total_variation

    @cached_property
    def points(self) -> tuple[OperatingPoint, ...]:
        """The best tests that toss no coin, from never to always saying "second"."""
        inner = [OperatingPoint(x, min(y, Fraction(1))) for x, y in self._corners[:-1]]
        return (*inner, OperatingPoint(Fraction(1), Fraction(1)))

    def true_positive_rate(self, false_positive_rate: object) -> Fraction:
        """The largest true positive rate of any test with that false positive rate.

        Between two points the best test tosses a coin to choose one of them.

        >>> table = {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}
        >>> tradeoff(table, 0, 1).true_positive_rate(0.05)
        Fraction(3, 20)
        """
        rate = read_rate(false_positive_rate, "the false positive rate")
        place = bisect_right(self._corners, rate, key=lambda corner: corner[0]) - 1
        left, low = self._corners[place]
        if place + 1 < len(self._corners):
            right, high = self._corners[place + 1]
            low += (rate - left) / (right - left) * (high - low)
        return min(low, Fraction(1))

    def best_attack(self) -> Attack:
        """The attack with the largest TPR - FPR, and the rule by which it decides."""
        gains = [point.true_positive_rate - point.false_positive_rate for point in self.points]
        enough = max(gains) - TOLERANCE**2  # a tie, but for rounding
        place = next(place for place, gain in enumerate(gains) if gain >= enough)
        short = max(len(self.first), len(self.second)) <= _LONG_NAME
        names = (self.first, self.second) if short else ("the first", "the second")
        return Attack(
            rule=best_rule(self.verification, *names),
            false_positive_rate=self.points[place].false_positive_rate,
            true_positive_rate=self.points[place].true_positive_rate,
        )

    def delta(self, epsilon: object) -> Fraction:
        """The least δ of (ε,δ)-differential privacy on this pair."""
        return self.verification.delta(epsilon)

    def satisfies(self, epsilon: object, delta: object = 0) -> bool:
        """Whether every attack stays in the region of (ε,δ)-differential privacy, for certain."""
        return self.delta(epsilon) <= read_rate(delta, "delta")

    def region(self, epsilon: object, delta: object = 0) -> Region:
        """Where (ε,δ)-differential privacy allows attacks to be.

        >>> from discreet.mechanisms import Laplace
        >>> curve = tradeoff(Laplace(scale=2), 0, 1)
        >>> all(curve.region(0.5).contains(*point) for point in curve.points)
        True
        """
        return Region(epsilon=epsilon, delta=delta)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: numbers as floats, an infinite ε as None."""
        attack = self.best_attack()
        return {
            "mechanism": self.mechanism,
            "first": self.first,
            "second": self.second,
            "epsilon": None if self.epsilon == inf else float(self.epsilon),
            "advantage": float(self.advantage),
            "best_attack": {
                "rule": attack.rule,
                "false_positive_rate": float(attack.false_positive_rate),
                "true_positive_rate": float(attack.true_positive_rate),
            },
            "points": [[float(rate) for rate in point] for point in self.points],
        }

    def plot(self, epsilon: object = None, delta: object = None) -> Any:
        """A picture of the best attacks, in the region that ε and δ allow.

        Without ``epsilon`` it is the least ε of the pair, or 1 where there is none; without
        ``delta`` it is the least δ at that ε.  With both, the attacks may leave the region, and
        the picture says so.
        """
        from discreet.plots import tradeoff_picture

        level = epsilon if epsilon is not None else 1 if self.epsilon == inf else self.epsilon
        least = self.delta(level)
        region = self.region(level, least if delta is None else delta)
        return tradeoff_picture(
            self.to_dict(),
            epsilon=float(region.epsilon),
            delta=float(region.delta),
            upper=[(float(x), float(y)) for x, y in region.upper_corners],
            lower=[(float(x), float(y)) for x, y in region.lower_corners],
            inside=least <= region.delta,
        )

    @cached_property
    def _corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The corners of a concave curve above all tests; the last may lie just beyond (1, 1)."""
        return Order.of(self.verification).corners()
