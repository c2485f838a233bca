"""A rehearsal: fake answers, randomized and estimated as real ones are."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.noise import BitSource, Keystream
from discreet.noise.bernoulli import uniform_below
from discreet.survey.estimates import SurveyEstimate, estimated_mean, estimated_shares
from discreet.survey.poll import Poll


@dataclass(frozen=True, slots=True)
class RehearsalResult:
    """The truth about the fake respondents, and what was estimated of it."""

    truth: float
    estimate: SurveyEstimate

    @property
    def covered(self) -> bool:
        """Whether the interval holds the truth."""
        return self.estimate.lower <= self.truth <= self.estimate.upper


def rehearse(
    poll: Poll, respondents: int, source: BitSource | None = None
) -> list[RehearsalResult]:
    """What a survey of so many people could find.

    Answer i of k is given by a share of people in proportion to k - i; numbers lie anywhere
    between the bounds.  Reports are written and read as they would be on their way; none is
    stored.
    """
    source = source or Keystream()
    scheme, size = poll.scheme, len(poll.answers)
    tally = scheme.tally()

    def sent(answer: Any) -> None:
        report = scheme.report_to_wire(scheme.randomize(answer, source=source))
        tally.add(scheme.report_from_wire(report))

    if poll.is_number:
        total = Fraction(0)
        for _ in range(respondents):
            place = Fraction(uniform_below(scheme.steps + 1, source), scheme.steps)
            total += place
            sent(scheme.low + (scheme.high - scheme.low) * place)
        truth = scheme.low + (scheme.high - scheme.low) * total / respondents
        return [RehearsalResult(float(truth), estimated_mean(scheme, tally))]
    answer_counts = [0] * size
    for _ in range(respondents):
        answer = _answer(size, source)
        answer_counts[answer] += 1
        sent(poll.answers[answer])
    return [
        RehearsalResult(count / respondents, share)
        for count, share in zip(
            answer_counts, estimated_shares(scheme, poll.answers, tally), strict=True
        )
    ]


def _answer(size: int, source: BitSource) -> int:
    """Answer i of k, which has k - i of k(k + 1)/2 chances."""
    place = uniform_below(size * (size + 1) // 2, source)
    answer = 0
    while place >= size - answer:
        place -= size - answer
        answer += 1
    return answer
