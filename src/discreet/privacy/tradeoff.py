"""The best attacks on a mechanism, and the region that every attack must stay in."""

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import accumulate, groupby
from math import ceil, inf
from numbers import Real
from reprlib import Repr
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.errors import VerificationError
from discreet.exact import decimal_text, exp_minus, rational
from discreet.exact.rational import WrittenNumber
from discreet.privacy.laws import Atom
from discreet.privacy.verification import (
    TOLERANCE,
    EnclosedAtom,
    LawTable,
    Verifiable,
    Verification,
    parameter_text,
    read_level,
    verify,
)

_BITS = 160
_MOST_LISTED = 4


_MOST_BITS = 20_480
_LONG_NAME = 12
_SHORT = Repr()


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodStep:
    """Atoms of one likelihood ratio, and ``unit`` times their probabilities on either input."""

    atoms: tuple[Atom, ...]
    first: int | Fraction
    second: int | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodOrder:
    """All atoms, those with the largest ratio second/first first, equal ratios together.

    Where the laws are not rational, ``first`` is rounded down and ``second`` up.
    """

    steps: tuple[LikelihoodStep, ...]
    unit: int

    @staticmethod
    def of(verification: Verification) -> "LikelihoodOrder":
        """The order in which the best tests take the outcomes."""
        if verification.is_rational:
            return LikelihoodOrder(_sorted(_rational_steps(verification)), 1)
        bits, rows = verification.narrow_atoms()
        # A far tail is counted as if the first input could not give it.
        steps = [
            LikelihoodStep((atom,), row.first_low if atom.constant else 0, row.second_high)
            for atom, row in rows
        ]
        return LikelihoodOrder(_sorted(steps), 1 << bits)

    def corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The probabilities of the first 0, 1, 2, … steps together, on either input."""
        first = accumulate((step.first for step in self.steps), initial=0)
        second = accumulate((step.second for step in self.steps), initial=0)
        return tuple(
            (Fraction(x) / self.unit, Fraction(y) / self.unit)
            for x, y in zip(first, second, strict=True)
        )


def best_rule(verification: Verification, first: str, second: str) -> str:
    """In words: the test that says "second" on the outcomes that are more likely on it."""
    accepted: list[Atom] = []
    rejected: list[Atom] = []
    for atom, row in verification.enclosed_atoms():
        if atom.constant:
            (accepted if _favors_second(atom, row) else rejected).append(atom)
    if not accepted:
        return f"guess: no output is more likely on {second} than on {first}"
    where = _where(accepted, rejected) or f"is more likely on {second} than on {first}"
    return f"say {second} when the output {where}, else {first}"


def _favors_second(atom: Atom, row: EnclosedAtom) -> bool:
    if not row.first_high or not row.second_high:
        return not row.first_high
    logarithm = atom.enclose_log(_BITS)
    return logarithm is not None and logarithm[1] < 0


def _rational_steps(verification: Verification) -> Iterator[LikelihoodStep]:
    for atom, _ in verification.enclosed_atoms():
        if atom.probabilities is not None:
            yield LikelihoodStep((atom,), *atom.probabilities)


def _sorted(
    steps: Sequence[LikelihoodStep] | Iterator[LikelihoodStep],
) -> tuple[LikelihoodStep, ...]:
    together: dict[Hashable, list[LikelihoodStep]] = {}
    for step in steps:
        together.setdefault(_known_ratio(step.atoms[0]), []).append(step)
    merged = [_merged(equal) for equal in together.values()]
    ordered = sorted((step for step in merged if step.second), key=_STEEPEST_FIRST)
    distinct = [_merged(list(equal)) for _, equal in groupby(ordered, key=_STEEPEST_FIRST)]
    impossible = [step for step in merged if not step.second]
    return (*distinct, _merged(impossible)) if impossible else tuple(distinct)


def _known_ratio(atom: Atom) -> Hashable:
    """A value that only atoms of the same known ratio share."""
    if atom.constant and (atom.ratio is not None or atom.log_ratio is not None):
        return atom.ratio, atom.log_ratio
    return id(atom)


def _merged(steps: Sequence[LikelihoodStep]) -> LikelihoodStep:
    return LikelihoodStep(
        tuple(atom for step in steps for atom in step.atoms),
        sum(step.first for step in steps),
        sum(step.second for step in steps),
    )


def _compare(one: LikelihoodStep, other: LikelihoodStep) -> int:
    """Negative where the first step has the larger ratio second/first."""
    ahead, behind = one.second * other.first, other.second * one.first
    return (ahead < behind) - (ahead > behind)


_STEEPEST_FIRST = cmp_to_key(_compare)


def _where(accepted: Sequence[Atom], rejected: Sequence[Atom]) -> str | None:
    """The accepted outcomes in words: a short list or a threshold, if they are one."""
    if len(accepted) <= _MOST_LISTED and all(atom.single for atom in accepted):
        return "is " + " or ".join(str(atom.outcome) for atom in accepted)
    inside, outside = _numbers(accepted), _numbers(rejected)
    if not inside or not outside:
        return None
    if min(inside) > max(outside):
        return f"is {min(inside)} or more"
    if max(inside) < min(outside):
        return f"is {max(inside)} or less"
    return None


def _numbers(atoms: Sequence[Atom]) -> list[Any] | None:
    """The outcomes that represent the atoms, if all of them are numbers."""
    outcomes: list[Any] = [atom.outcome for atom in atoms]
    return outcomes if all(isinstance(outcome, Real) for outcome in outcomes) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """The rates of false (FPR) and true positives (TPR) that (ε,δ)-differential privacy allows.

    An attack says "second" on an event E: its FPR is P[E] on the first input, its TPR is P[E]
    on the second.  The definition for E and for its complement, in both directions, is

        TPR ≤ e^ε·FPR + δ        1 - FPR ≤ e^ε·(1 - TPR) + δ
        FPR ≤ e^ε·TPR + δ        1 - TPR ≤ e^ε·(1 - FPR) + δ

    A bound that is not rational is rounded so that the region is never too small.
    Proof: docs/proofs/verification.md

    >>> region = Region(epsilon=0, delta="1/4")
    >>> region.highest("1/2"), region.lowest("1/2"), region.contains("1/2", 0.8)
    (Fraction(3, 4), Fraction(1, 4), False)
    >>> Region(epsilon=0, delta="1/4").upper_corners[0]  # δ detections without a false alarm
    (Fraction(0, 1), Fraction(1, 4))
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    if TYPE_CHECKING:

        def __init__(
            self, *, epsilon: WrittenNumber, delta: WrittenNumber = Fraction(0)
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", read_level(self.epsilon))
        object.__setattr__(self, "delta", read_rate(self.delta, "delta"))

    def __repr__(self) -> str:
        return f"Region(epsilon={self.epsilon}, delta={self.delta})"

    def highest(self, false_positive_rate: object) -> Fraction:
        """The largest true positive rate that is allowed at a false positive rate."""
        return self._highest(read_rate(false_positive_rate, "the false positive rate"))

    def lowest(self, false_positive_rate: object) -> Fraction:
        """The least true positive rate that is allowed: the opposite attack is bounded too."""
        return 1 - self._highest(1 - read_rate(false_positive_rate, "the false positive rate"))

    def contains(self, false_positive_rate: object, true_positive_rate: object) -> bool:
        """Whether an attack with these rates, each known to 1e-12, may be allowed."""
        rate = read_rate(true_positive_rate, "the true positive rate")
        lowest, highest = self.lowest(false_positive_rate), self.highest(false_positive_rate)
        return lowest - TOLERANCE <= rate <= highest + TOLERANCE

    def plot(self) -> Any:
        """A picture of the region; with a δ, around the region that ε alone would allow."""
        from discreet.plots import region_picture

        pure = Region(epsilon=self.epsilon)
        return region_picture(
            epsilon=float(self.epsilon),
            delta=float(self.delta),
            edges=(_floats(self.upper_corners), _floats(self.lower_corners)),
            pure=(_floats(pure.upper_corners), _floats(pure.lower_corners)),
        )

    @property
    def upper_corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The corners (FPR, TPR) of the upper edge, from left to right."""
        decay = self._decay()
        middle = (1 - self.delta) * decay / (1 + decay)
        corners = [(Fraction(0), self.delta), (middle, 1 - middle), (1 - self.delta, Fraction(1))]
        return tuple(dict.fromkeys([*corners, (Fraction(1), Fraction(1))]))

    @property
    def lower_corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The corners (FPR, TPR) of the lower edge, from left to right."""
        return tuple((1 - rate, 1 - other) for rate, other in reversed(self.upper_corners))

    def _highest(self, rate: Fraction) -> Fraction:
        decay = self._decay()
        swapped = 1 - decay * (1 - rate - self.delta)
        if decay:
            return min(rate / decay + self.delta, swapped, Fraction(1))
        return min(swapped, Fraction(1)) if rate else self.delta

    def _decay(self) -> Fraction:
        """A lower bound of e^(-ε), relatively close unless ε is beyond all meaning."""
        bits = min(_BITS + 2 * ceil(self.epsilon), _MOST_BITS)
        low, _ = exp_minus(self.epsilon, bits)
        return Fraction(low, 1 << bits)


def _floats(corners: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in corners]


def read_rate(value: object, name: str) -> Fraction:
    """A probability, exactly as written."""
    rate = rational(value, name)
    if not 0 <= rate <= 1:
        raise VerificationError(
            f"{name} is {decimal_text(rate)}. It is a probability, so it lies between 0 and 1. "
            "Use 0.05 for one in twenty."
        )
    return rate


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
            parameter_text("false_positive_rate", self.false_positive_rate),
            parameter_text("true_positive_rate", self.true_positive_rate),
        )
        return f"Attack({self.rule!r}, {', '.join(rates)})"

    @property
    def advantage(self) -> Fraction:
        """How much more often the attack says "second" when it is right than when it is not."""
        return self.true_positive_rate - self.false_positive_rate


def tradeoff(mechanism: Verifiable | LawTable, first: object, second: object) -> "Tradeoff":
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
            f"{parameter_text('epsilon', self.epsilon)}, "
            f"{parameter_text('advantage', self.advantage)})"
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
        return LikelihoodOrder.of(self.verification).corners()
