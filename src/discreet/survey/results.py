"""Results of a poll: estimates with intervals, and what a malicious respondent could do."""

import csv
from collections.abc import Mapping
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from io import StringIO
from typing import Any

from discreet.exact import decimal_text, named_number_text
from discreet.survey.collector import read_tally
from discreet.survey.estimates import SurveyEstimate, estimated_mean, estimated_shares, leverage
from discreet.survey.poll import Poll


def results(
    poll: Poll, tally: bytes | None, refused: Mapping[str, int], now: datetime
) -> dict[str, Any]:
    """The results as JSON has them."""
    counts = None if tally is None else read_tally(poll.scheme, tally)
    number = 0 if counts is None else counts.reports
    return {
        "title": poll.title,
        "question": poll.question,
        "closed": not poll.is_open(now),
        "reports": number,
        "scheme": poll.scheme.identity,
        "epsilon": decimal_text(poll.epsilon),
        "confidence": 0.95,
        "shares": _shares(poll, counts),
        "mean": _mean(poll, counts),
        "reading": _reading(poll),
        "poisoning": poisoning(poll, number),
        "refused": dict(refused),
    }


def _shares(poll: Poll, counts: Any) -> list[dict[str, Any]]:
    if counts is None or poll.is_number:
        return []
    estimates = estimated_shares(poll.scheme, poll.answers, counts)
    return [{"answer": one.answer, "share": one.value, **_errors(one)} for one in estimates]


def _mean(poll: Poll, counts: Any) -> dict[str, float] | None:
    if counts is None or not poll.is_number:
        return None
    estimate = estimated_mean(poll.scheme, counts)
    bounds = {"low": float(poll.scheme.low), "high": float(poll.scheme.high)}
    return {"value": estimate.value, **_errors(estimate), **bounds}


def _errors(found: SurveyEstimate) -> dict[str, float]:
    return {"error": found.error, "lower": found.lower, "upper": found.upper}


def poisoning(poll: Poll, reports: int) -> dict[str, Any]:
    """How far false reports can shift an estimate: each by at most the scheme's weight over n.

    Whoever lies in the answer shifts it as in every survey; whoever forges the report that is sent
    shifts a share by up to 1/(p - q)/n, and a mean by up to the range of what reports stand for.
    """
    weight = leverage(poll.scheme)
    return {
        "most_shift_per_report": weight / reports if reports else None,
        "weight": weight,
        "text": (_shifted_mean if poll.is_number else _shifted_share)(poll, weight, reports)
        + ". Forged reports cannot be told from honest ones: that is the price of deniability. "
        "One-time tokens and the rate limit bound how many there can be.",
    }


def _shifted_share(_: Poll, weight: float, reports: int) -> str:
    text = (
        "Whoever gives a false answer shifts a share by 1/n on average, as in any survey of n "
        f"people. Whoever forges the report itself can shift it by up to {rounded_up(weight, 3)}/n"
    )
    if reports > weight:
        text += (
            f": here by at most {rounded_up(100 * weight / reports)} percentage points for each "
            f"forged report, and by at most {rounded_up(min(100.0, weight))} points if one report "
            "in a hundred is forged"
        )
    return text


def _shifted_mean(poll: Poll, weight: float, reports: int) -> str:
    width = float(poll.scheme.high - poll.scheme.low)
    text = (
        f"Whoever gives a false number shifts the mean by up to {width:.4g}/n on average, as in "
        "any survey of n people. Whoever forges the report itself can shift it by up to "
        f"{rounded_up(weight, 4)}/n"
    )
    if reports:
        text += (
            f": here by at most {rounded_up(weight / reports)} for each forged report, and by at "
            f"most {rounded_up(weight * _FEW)} if one report in a hundred is forged"
        )
    return text


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


def _reading(poll: Poll) -> str:
    what, ends, clipped = (
        ("the mean", "outside of the bounds", "Numbers beyond the bounds count as the bounds. ")
        if poll.is_number
        else ("each share", "below 0% or above 100%", "")
    )
    return (
        f"Every report was randomized in the respondent's browser, so {what} is an estimate. In at "
        f"least 95 of 100 such surveys an interval holds {what} among those who answered. "
        f"Estimates are unbiased: with few reports they may lie {ends}. {clipped}One report "
        f"reveals at most {named_number_text('ε', poll.epsilon)} of one answer. The intervals are "
        "for those who answered; they are for a population if those are a random sample of it, and "
        "honest."
    )


def as_csv(found: Mapping[str, Any]) -> str:
    """The shares as CSV, one line per answer; or the mean."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if found["mean"] is not None:
        names = ("value", "error", "lower", "upper")
        writer.writerow(["mean", *names[1:]])
        writer.writerow(found["mean"][name] for name in names)
        return text.getvalue()
    writer.writerow(["answer", "share", "error", "lower", "upper"])
    for share in found["shares"]:
        writer.writerow(share[name] for name in ("answer", "share", "error", "lower", "upper"))
    return text.getvalue()
