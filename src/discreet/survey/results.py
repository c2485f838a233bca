"""What the reports say: estimates with intervals, and what a malicious respondent could do."""

import csv
from collections.abc import Mapping
from datetime import datetime
from io import StringIO
from typing import Any

from discreet.exact import decimal_text
from discreet.survey.collector import read_tally
from discreet.survey.poll import Poll
from discreet.survey.schemes import leverage, shares


def results(
    poll: Poll, tally: bytes | None, refused: Mapping[str, int], now: datetime
) -> dict[str, Any]:
    """The results as JSON has them."""
    counts = None if tally is None else read_tally(poll.scheme, tally)
    number = 0 if counts is None else counts.reports
    found = [] if counts is None else shares(poll.scheme, poll.answers, counts)
    return {
        "title": poll.title,
        "question": poll.question,
        "closed": not poll.is_open(now),
        "reports": number,
        "scheme": poll.scheme.identity,
        "epsilon": decimal_text(poll.epsilon),
        "confidence": 0.95,
        "shares": [
            {
                "answer": share.answer,
                "share": share.value,
                "error": share.error,
                "lower": share.lower,
                "upper": share.upper,
            }
            for share in found
        ],
        "reading": _reading(poll),
        "poisoning": poisoning(poll, number),
        "refused": dict(refused),
    }


def poisoning(poll: Poll, reports: int) -> dict[str, Any]:
    """How far false reports can shift an estimate: each by at most 1/(p - q)/n.

    Whoever lies in the answer shifts it by 1/n, as in every survey; whoever forges the report
    that is sent shifts it by up to 1/(p - q)/n.
    """
    weight = leverage(poll.scheme)
    text = (
        "Whoever gives a false answer shifts a share by 1/n on average, as in any survey of n "
        f"people. Whoever forges the report itself can shift it by up to {weight:.2f}/n"
    )
    if reports > weight:
        text += (
            f": here by at most {_points(weight / reports)} percentage points for each forged "
            f"report, and by at most {_points(min(1.0, weight * _FEW))} points if one report in a "
            "hundred is forged"
        )
    return {
        "most_shift_per_report": weight / reports if reports else None,
        "weight": weight,
        "text": text
        + ". Forged reports cannot be told from honest ones: that is the price of deniability. "
        "One-time tokens and the rate limit bound how many there can be.",
    }


_FEW = 0.01


def _points(share: float) -> str:
    return f"{100 * share:.2g}" if share < 0.1 else f"{100 * share:.0f}"


def _reading(poll: Poll) -> str:
    return (
        "Every report was randomized in the respondent's browser, so each share is an estimate. "
        "In at least 95 of 100 such surveys an interval holds the share among those who answered. "
        "Estimates are unbiased: with few reports they may lie below 0% or above 100%. One report "
        f"reveals at most ε = {decimal_text(poll.epsilon)} of one answer. The intervals are for "
        "those who answered; they are for a population if those are a random sample of it, and "
        "honest."
    )


def as_csv(found: Mapping[str, Any]) -> str:
    """The shares as CSV, one line per answer."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["answer", "share", "error", "lower", "upper"])
    for share in found["shares"]:
        writer.writerow(share[name] for name in ("answer", "share", "error", "lower", "upper"))
    return text.getvalue()
