"""Results of a poll: estimates with intervals, and what a malicious respondent could do."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from io import StringIO
from typing import Any

from discreet.exact import decimal_text, named_number_text
from discreet.survey.estimates import (
    SurveyEstimate,
    estimated,
    leverage,
    respondents_needed,
    split_tallies,
)
from discreet.survey.poll import Poll
from discreet.survey.question import Question


@dataclass(frozen=True, slots=True)
class Counted:
    """What a database holds at some time: a tally, and how many requests were refused."""

    tally: bytes | None
    refused: Mapping[str, int]


def results(
    poll: Poll, counted: Counted, *, closed: bool, tokens: int | None = None
) -> dict[str, Any]:
    """The results as JSON has them; ``tokens`` is how many were given out, if there are any."""
    tallies = poll.ballot.tallies(counted.tally)
    number = tallies[0].reports
    by_question = split_tallies(poll.questions, tallies)
    invited = {} if tokens is None else {"invited": tokens}
    return {
        "title": poll.title,
        "closed": closed,
        "mode": poll.results,
        "batch": poll.batch,
        "reports": number,
        **invited,
        "ballot": poll.ballot.identity,
        "epsilon": decimal_text(poll.epsilon),
        "confidence": 0.95,
        "questions": [
            _of_question(poll, question, own, number)
            for question, own in zip(poll.questions, by_question, strict=True)
        ],
        "refused": dict(counted.refused),
    }


def _of_question(poll: Poll, question: Question, tallies: list[Any], number: int) -> dict[str, Any]:
    found = estimated(question, tallies) if number else []
    shares, mean = [], None
    if question.is_number:
        scale = {"low": float(question.scheme.low), "high": float(question.scheme.high)}
        mean = {**_numbers(found[0], "value", *scale.values()), **scale} if found else None
    else:
        shares = [{"answer": one.answer, **_numbers(one, "share", 0.0, 1.0)} for one in found]
    return {
        "question": question.text,
        "kind": question.kind,
        "shares": shares,
        "mean": mean,
        "needed": respondents_needed(question.scheme),
        "reading": _reading(poll, question),
        "poisoning": poisoning(poll, question, number),
    }


def _numbers(found: SurveyEstimate, name: str, low: float, high: float) -> dict[str, float]:
    """The unbiased estimate with its error and interval, and what a page shows of it."""
    least, most = found.shown(low, high)
    return {
        name: found.value,
        "error": found.error,
        "lower": found.lower,
        "upper": found.upper,
        "consistent": found.consistent,
        "at_least": least,
        "at_most": most,
    }


def poisoning(poll: Poll, question: Question, reports: int) -> dict[str, Any]:
    """How far false reports can shift an estimate: each by at most the scheme's weight over n.

    Whoever lies in the answer shifts it as in every survey; whoever forges the report that is sent
    shifts a share by up to 1/(p - q)/n, and a mean by up to the range of what reports stand for.
    """
    weight = leverage(question.scheme)
    kind = "mean" if question.is_number else "share"
    say = poll.texts.say
    if question.is_number:
        digits, least = 4, 0.0
        width = float(question.scheme.high - question.scheme.low)
        each, few = rounded_up(weight / max(reports, 1)), rounded_up(weight * _FEW)
    else:
        digits, width, least = 3, 1.0, weight
        each = rounded_up(100 * weight / max(reports, 1))
        few = rounded_up(min(100.0, weight))
    text = say(f"forged.{kind}", width=f"{width:.4g}", weight=rounded_up(weight, digits))
    if reports > least:
        text += " " + say(f"forged.{kind}.here", each=each, few=few)
    return {
        "most_shift_per_report": weight / reports if reports else None,
        "weight": weight,
        "text": f"{text} {say('forged.bound')}",
    }


_FEW = 0.01
_LONG = 15  # digits before or behind the point that are written out


def rounded_up(value: float, digits: int = 2) -> str:
    """A number that is stated as the most: of so many digits, and never below the value.

    >>> rounded_up(1.633), rounded_up(0.0123), rounded_up(163.3), rounded_up(2.0)
    ('1.7', '0.013', '170', '2')
    """
    if value <= 0:
        return "0"
    exact = Decimal(value)
    place = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    rounded = (exact / place).to_integral_value(ROUND_CEILING) * place
    return f"{rounded.normalize():f}" if abs(exact.adjusted()) < _LONG else f"{rounded:.{digits}g}"


def _reading(poll: Poll, question: Question) -> str:
    kind = {"number": "mean", "several": "several"}.get(question.kind, "share")
    loss = named_number_text("ε", question.epsilon)
    return poll.texts.say(f"reading.{kind}", loss=loss)


_NUMBERS = ("error", "lower", "upper")


def as_csv(found: Mapping[str, Any]) -> str:
    """The estimates as CSV, one line per answer or mean; of several questions with each of them.

    A poll without reports has the line of names alone.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    questions = found["questions"]
    if len(questions) > 1:
        writer.writerow(["question", "answer", "estimate", *_NUMBERS])
        for one in questions:
            for answer, value, rest in _lines(one):
                writer.writerow([one["question"], answer, value, *rest])
    elif questions[0]["kind"] == "number":
        writer.writerow(["mean", *_NUMBERS])
        writer.writerows([value, *rest] for _, value, rest in _lines(questions[0]))
    else:
        writer.writerow(["answer", "share", *_NUMBERS])
        writer.writerows([answer, value, *rest] for answer, value, rest in _lines(questions[0]))
    return text.getvalue()


def _lines(question: Mapping[str, Any]) -> list[tuple[str, float, list[float]]]:
    """The answer, its estimate, and the numbers beside it."""
    if question["mean"] is not None:
        mean = question["mean"]
        return [("mean", mean["value"], [mean[name] for name in _NUMBERS])]
    return [
        (one["answer"], one["share"], [one[name] for name in _NUMBERS])
        for one in question["shares"]
    ]
