"""A small hospital: its visits, and what is declared about them."""

from typing import Any

import pandas

import discreet as dp


def visits_frame() -> pandas.DataFrame:
    """300 people with one to six visits each, by arithmetic."""
    rows = [
        {
            "patient": person,
            "ward": "ABC"[(person + visit) % 3],
            "stay": (person * 7 + visit * 3) % 20,
            "age": 20 + person % 60,
            "smoker": person % 4 == 0,
            "diagnosis": "flu" if person % 5 else "cold",
            "admitted": f"2025-{1 + person % 12:02}-{1 + visit:02}",
        }
        for person in range(300)
        for visit in range(1 + person % 6)
    ]
    return pandas.DataFrame(rows)


def visits_columns() -> dict[str, Any]:
    return {
        "ward": dp.category(["A", "B", "C", "D"]),
        "stay": dp.number(0, 20),
        "age": dp.integer(0, 120),
        "smoker": dp.boolean(),
        "diagnosis": dp.text(),
        "admitted": dp.date("2025-01-01", "2025-12-31"),
    }
