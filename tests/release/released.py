"""Answers of a small table, made the way users make them."""

from collections.abc import Callable, Sequence

import pandas

from discreet.ledger import Ledger
from discreet.plan.schema import category, date, integer, number, text
from discreet.privacy.losses import Budget
from discreet.release.open_table import table
from discreet.release.release import Release
from discreet.release.table import QuestionBuilder, Table

WARDS = ("Cardiology", "Oncology", "ICU")
HOSTILE = (
    "=HYPERLINK(0)",
    "@SUM(1)",
    "- none",
    "-5",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "Ward \x1b[2J",
    "\u202eDRAW",
    "a, b; c",
    "none is here",
)
"""Texts that somebody wrote into a column; the last one has no row."""
BUDGET = Budget(epsilon=20, delta="1/1000")


def visits(
    wards: Sequence[str] = WARDS, ledger: str | Ledger = ":memory:", **declared: object
) -> Table:
    """A thousand visits, none to the last ward."""
    size = 1000
    seen = [wards[place % (len(wards) - 1)] for place in range(size)]
    frame = pandas.DataFrame(
        {
            "ward": seen,
            "stay": [place % 30 for place in range(size)],
            "age": [place % 100 for place in range(size)],
            "admitted": [f"2024-{1 + place % 12:02d}-15" for place in range(size)],
            "patient": [place // 2 for place in range(size)],
        }
    )
    return table(
        frame,
        name="visits",
        columns={
            "ward": text() if wards is HOSTILE else category(list(wards)),
            "stay": number(0, 60),
            "age": integer(0, 120),
            "admitted": date("2024-01-01", "2025-12-31"),
        },
        ledger=ledger,
        **({"unit": "row", "budget": BUDGET} | declared),  # type: ignore[arg-type]
    )


def released(
    question: Callable[[Table], QuestionBuilder],
    epsilon: object = 1,
    wards: Sequence[str] = WARDS,
    delta: object = 0,
    **declared: object,
) -> Release:
    """The answer to a question about the visits."""
    with visits(wards, **declared) as opened:
        return question(opened).release(epsilon=epsilon, delta=delta)
