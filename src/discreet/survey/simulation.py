"""A rehearsal: fake answers, randomized and estimated as real ones are."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.noise import BitSource, Keystream
from discreet.noise.bernoulli import uniform_below
from discreet.survey.estimates import SurveyEstimate, estimated
from discreet.survey.poll import Poll
from discreet.survey.question import Question


@dataclass(frozen=True, slots=True)
class RehearsalResult:
    """The truth about the fake respondents, and what was estimated of it."""

    truth: float
    estimate: SurveyEstimate

    @property
    def covered(self) -> bool:
        """Whether the interval holds the truth."""
        return self.estimate.lower <= self.truth <= self.estimate.upper


@dataclass(frozen=True, slots=True)
class QuestionRehearsal:
    """What was found of one question."""

    question: Question
    results: list[RehearsalResult]


def rehearse(
    poll: Poll, respondents: int, source: BitSource | None = None
) -> list[QuestionRehearsal]:
    """What a survey of so many people could find.

    Answer i of k is given by a share of people in proportion to k - i; of several, each by that
    share for itself; numbers lie anywhere between the bounds.  Reports are written and read as
    they would be on their way; none is stored.
    """
    source = source or Keystream()
    found = []
    for question in poll.questions:
        drawn = [_drawn(question, source) for _ in range(respondents)]
        tallies = [question.scheme.tally() for _ in range(question.parts)]
        for answer in drawn:
            for tally, value in zip(tallies, question.values(answer), strict=True):
                report = question.scheme.randomize(value, source=source)
                tally.add(question.scheme.report_from_wire(question.scheme.report_to_wire(report)))
        results = [
            RehearsalResult(truth, estimate)
            for truth, estimate in zip(
                _truths(question, drawn), estimated(question, tallies), strict=True
            )
        ]
        found.append(QuestionRehearsal(question, results))
    return found


def _drawn(question: Question, source: BitSource) -> Any:
    """The answer of a fake respondent."""
    if question.is_number:
        scheme = question.scheme
        place = Fraction(uniform_below(scheme.steps + 1, source), scheme.steps)
        return scheme.low + (scheme.high - scheme.low) * place
    size = len(question.answers)
    if question.kind != "several":
        return question.answers[_answer(size, source)]
    return [
        name
        for place, name in enumerate(question.answers)
        if uniform_below(size + 1, source) < size - place
    ]


def _truths(question: Question, drawn: list[Any]) -> list[float]:
    if question.is_number:
        return [float(sum(drawn, Fraction(0)) / len(drawn))]
    chosen = drawn if question.kind == "several" else [[answer] for answer in drawn]
    counts = Counter(name for answer in chosen for name in answer)
    return [counts[name] / len(drawn) for name in question.answers]


def _answer(size: int, source: BitSource) -> int:
    """Answer i of k, which has k - i of k(k + 1)/2 chances."""
    place = uniform_below(size * (size + 1) // 2, source)
    answer = 0
    while place >= size - answer:
        place -= size - answer
        answer += 1
    return answer
