"""Which scheme to use for a size and a length of message, and how wide its interval will be."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor, sqrt
from typing import Any

from discreet.errors import BoundsError, DataError, PrivacyParameterError
from discreet.exact import decimal_text, rational
from discreet.local.categories import Categories
from discreet.local.hadamard_response import HadamardResponse
from discreet.local.mean import Mean, mean_margin
from discreet.local.projective_geometry import ProjectiveGeometryResponse
from discreet.local.proportions import binomial_interval
from discreet.local.randomized_response import RandomizedResponse
from discreet.local.subsets import SubsetSelection, UnaryEncoding
from discreet.privacy.losses import read_count, read_epsilon
from discreet.privacy.number_text import margin_text, plural

_HALF = Fraction(1, 2)


_NEAR = 1.1
_RESPONDENTS = 1_000
_CONFIDENCE = Fraction(95, 100)
_OFFERED: list[Any] = [
    RandomizedResponse,
    ProjectiveGeometryResponse,
    SubsetSelection,
    UnaryEncoding,
    HadamardResponse,
]


def printed_margin(scheme: Any, people: int, confidence: Fraction, at: object = None) -> float:
    """The larger distance from the estimate of so many reports to a bound of its interval.

    For reports that are counted it is that at the expected count, where ``at`` is the proportion
    or the number that everyone is expected to have; without it, at the expected count that is
    nearest to half of the reports, where intervals are widest but for its rounding.  For means of
    reports that are not counted it is that at the variance expected for ``at``; without it, the
    widest that any reports give.

    >>> from discreet.local import RandomizedResponse
    >>> round(printed_margin(RandomizedResponse(epsilon=1), 4_000, Fraction(95, 100)), 4)
    0.0338
    """
    permanent = getattr(scheme, "permanent", scheme)  # of a question that is repeated
    if isinstance(permanent, Mean):
        return _of_mean(permanent, people, confidence, at)
    truth, lie = scheme.pair
    share = min(max(_HALF, lie), truth)  # the nearest to 1/2 that is expected of any proportion
    if at is not None:
        share = lie + (truth - lie) * read_proportion(at)
    return _of_count(share, people, confidence) / float(truth - lie)


def even_margin(scheme: Mean, people: int, confidence: Fraction) -> float:
    """The margin that so many people print whose numbers are spread evenly between the bounds.

    >>> from fractions import Fraction
    >>> kinds = [Mean(low=0, high=24, epsilon=1, kind=kind) for kind in ("duchi", "hybrid")]
    >>> [round(even_margin(kind, 500, Fraction(95, 100)), 2) for kind in kinds]
    [2.32, 3.53]
    """
    law = scheme._law
    if law.mix == 0:
        return _of_bits(scheme, people, confidence, _HALF)
    return _of_scores(scheme, people, confidence, law.even_spread)


def read_proportion(at: object) -> Fraction:
    """A proportion that is expected."""
    proportion = rational(at, "at")
    if not 0 <= proportion <= 1:
        raise DataError(
            "at is not between 0 and 1. It is the proportion that is expected. Use at=0.5, or "
            "leave it out for the worst."
        )
    return proportion


def _of_mean(scheme: Mean, people: int, confidence: Fraction, at: object) -> float:
    law = scheme._law
    if law.mix == 0:
        place = _HALF if at is None else Fraction(scheme._position(at), scheme.steps)
        return _of_bits(scheme, people, confidence, place)
    sampled = law.worst_spread if at is None else law.variance(scheme._position(at))
    return _of_scores(scheme, people, confidence, sampled)


def _of_bits(scheme: Mean, people: int, confidence: Fraction, place: Fraction) -> float:
    """For people whose mean lies at this part of the way from low to high."""
    truth = Fraction(scheme._law.bit, 1 << 64)
    wide = _of_count(1 - truth + (2 * truth - 1) * place, people, confidence)
    return wide * float(scheme.report_range) + float(scheme.rounding)


def _of_scores(scheme: Mean, people: int, confidence: Fraction, sampled: Fraction) -> float:
    """For people whose reports have scores of this variance, in squared steps."""
    step = (scheme.high - scheme.low) / scheme.steps
    margin = mean_margin(scheme._law, people, confidence, sampled)
    return float(margin * step + scheme.rounding)


def _of_count(share: Fraction, people: int, confidence: Fraction) -> float:
    """The larger distance of a share of reports to its bounds, at the expected count."""
    expected = share * people
    distance = 0.0
    for count in {floor(expected), ceil(expected)}:
        low, high = binomial_interval(count, people, confidence)
        distance = max(distance, high - count / people, count / people - low)
    return distance


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scheme that was considered, and what one report of it is worth."""

    scheme: Any
    message_bits: int
    variance: float
    margin: float | None = None
    """Of a mean, the margin that so many respondents print whose numbers are spread evenly."""

    @property
    def error(self) -> float:
        """What the choice is made by: the margin of a mean, else the root of the variance."""
        return sqrt(self.variance) if self.margin is None else self.margin

    @property
    def text(self) -> str:
        """The scheme, its margin if it is a mean, its variance and its message in one line."""
        margin = "" if self.margin is None else f"±{margin_text(self.margin)}, "
        variance = f"variance {self.variance:.4g}/n"
        return f"{_title(self.scheme)}: {margin}{variance}, {_bits(self.message_bits)}"


@dataclass(frozen=True, slots=True)
class Choice:
    """The scheme that was picked, why, and all that were considered, the best first.

    It can be used as the scheme itself: whatever a scheme has, its choice has.

    >>> choice = choose(categories=100, epsilon=1)
    >>> choice.scheme
    SubsetSelection(epsilon=1, categories=100)
    >>> choice.loss
    PureDP(epsilon=1)
    >>> choice.variance(1000) == choice.scheme.variance(1000)
    True
    >>> choose(categories=100, epsilon=1, message_bits=8).scheme
    ProjectiveGeometryResponse(epsilon=1, categories=100)
    """

    scheme: Any
    why: str
    considered: tuple[Candidate, ...]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "scheme":  # a copy asks before there is a scheme
            raise AttributeError(name)
        return getattr(self.scheme, name)

    def __repr__(self) -> str:
        return f"{self.scheme!r}\n{self.why}"


def scheme_of(given: Any) -> Any:
    """The scheme, or that of a ``Choice``."""
    return given.scheme if isinstance(given, Choice) else given


def choose(
    *,
    epsilon: object,
    categories: object = None,
    low: object = None,
    high: object = None,
    message_bits: int | None = None,
    respondents: int | None = None,
) -> Choice:
    """The best scheme for so many categories, or for a number between two bounds.

    Categories are compared by the variance at proportion 0, where most of many categories lie.
    Numbers are compared by the interval that ``estimate`` prints at 95%, for as many
    ``respondents`` (1,000 unless stated) whose numbers are spread evenly between the bounds: that
    interval is guaranteed, and leans on more than the variance.  With ``message_bits`` only schemes
    are considered whose report takes no more bits.  No scheme that is considered has a lower
    variance (of numbers: a narrower interval) than the one that is picked; of two equal ones the
    shorter message is picked.

    >>> print(choose(categories=2, epsilon=1).why.splitlines()[0])
    RandomizedResponse: variance 0.9207/n, 1 bit.
    >>> choose(low=0, high=24, epsilon=1, respondents=500).scheme.kind
    'duchi'
    """
    exact_epsilon = read_epsilon(epsilon)
    if message_bits is not None and (type(message_bits) is not int or message_bits < 1):
        raise BoundsError(
            "message_bits is not a positive integer. It is the most bits that a report may take. "
            "Leave it out if the length does not matter."
        )
    if categories is None and low is not None and high is not None:
        people = read_count(
            _RESPONDENTS if respondents is None else respondents,
            "respondents",
            "people who answer",
        )
        choice = _picked(_numeric(exact_epsilon, low, high, people), message_bits)
        return replace(choice, why=choice.why + _by_variance(choice.considered, people))
    if categories is not None and low is None and high is None and respondents is None:
        return _picked(_categorical(exact_epsilon, categories), message_bits)
    raise BoundsError(
        "it is not clear what is asked. A scheme is for categories or for a number, and only "
        "the choice for a number depends on how many respondents there are. Use "
        "choose(categories=100, epsilon=1) or choose(low=0, high=100, epsilon=1)."
    )


def _categorical(epsilon: Fraction, categories: object) -> list[Candidate]:
    answers = Categories.read(categories)
    makers: list[Callable[..., Any]] = [
        partial(kind, epsilon=epsilon, categories=answers.given)
        for kind in _OFFERED
        if answers.size <= kind.most
    ]
    return _candidates(makers)


def _numeric(epsilon: Fraction, low: object, high: object, people: int) -> list[Candidate]:
    from discreet.local.mean import Mean
    from discreet.local.mean_law import KINDS

    found = _candidates([partial(Mean, epsilon=epsilon, low=low, high=high, kind=k) for k in KINDS])  # type: ignore[arg-type]
    printed = [replace(one, margin=even_margin(one.scheme, people, _CONFIDENCE)) for one in found]
    return sorted(printed, key=lambda one: (one.error, one.message_bits))


def _candidates(makers: list[Callable[..., Any]]) -> list[Candidate]:
    candidates, refusal = [], None
    for make in makers:
        try:
            scheme = make()
        except PrivacyParameterError as error:  # ε is too small for this one
            refusal = error
        else:
            candidates.append(Candidate(scheme, scheme.message_bits, scheme.variance(1)))
    if refusal is not None and not candidates:
        raise refusal
    return sorted(candidates, key=lambda one: (one.variance, one.message_bits))


def _picked(everything: list[Candidate], message_bits: int | None) -> Choice:
    most = float("inf") if message_bits is None else message_bits
    considered = [candidate for candidate in everything if candidate.message_bits <= most]
    if not considered:
        least = min(candidate.message_bits for candidate in everything)
        raise BoundsError(
            f"message_bits is {message_bits}. The shortest report takes {_bits(least)}. Use "
            f"message_bits={least} or more, or fewer categories."
        )
    best, others = considered[0], considered[1:]
    return Choice(best.scheme, _why(best, others, everything, message_bits), tuple(considered))


def _why(
    best: Candidate, others: list[Candidate], everything: list[Candidate], limit: int | None
) -> str:
    epsilon = decimal_text(best.scheme.epsilon)
    lines = [f"{best.text}."]
    within = "" if limit is None else f" with reports of at most {_bits(limit)}"
    least = "the least variance" if best.margin is None else "the narrowest printed interval"
    if others:
        lines.append(
            f"It has {least} at ε = {epsilon} of {len(others) + 1} schemes{within}; "
            f"the next is {others[0].text}."
        )
    else:
        lines.append(f"It is the only scheme{within}.")
    shorter = [
        one
        for one in others
        if 4 * one.message_bits <= best.message_bits and one.error <= sqrt(_NEAR) * best.error
    ]
    if shorter:
        short = min(shorter, key=lambda one: one.message_bits)
        wider = 100 * (short.error / best.error - 1)
        lines.append(
            f"Nearly as good with a shorter message: {short.text}; its errors are {wider:.1f}% "
            f"larger. choose(…, message_bits={short.message_bits}) picks it."
        )
    better = [one for one in everything if one.error < best.error]
    if better:
        lines.append(f"Without the limit: {better[0].text}.")
    return "\n".join(lines)


def _by_variance(considered: tuple[Candidate, ...], people: int) -> str:
    """What the margins are for, and the mean of least variance if that is another one."""
    lines = (
        f"\n± is what estimate() guarantees at 95% from {plural(people, 'respondent')} whose "
        "numbers are spread evenly between the bounds. State respondents= for another number of "
        "them."
    )
    least = min(considered, key=lambda one: one.variance)
    if least.variance < considered[0].variance:
        lines += f"\nBy the variance alone it would be {least.text}."
    return lines


def _title(scheme: Any) -> str:
    kind = getattr(scheme, "kind", None)
    name = type(scheme).__name__
    return name if kind is None else f"{name} ({kind})"


def _bits(count: int) -> str:
    return "1 bit" if count == 1 else f"{count} bits"
