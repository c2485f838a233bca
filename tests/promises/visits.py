"""Small tables of visits, and tables beside them that differ in a person."""

from typing import Any

import pandas

import discreet as dp
from discreet.plan.schema import boolean, category, integer, number, text
from discreet.privacy.losses import Budget
from discreet.release.open_table import table
from discreet.release.table import Table

WARDS = ["B", "A", "nobody's", "C"]
COLUMNS = {
    "ward": category(WARDS),
    "stay": number(0, 60),
    "age": integer(1, 10),
    "height": integer(1, 300),
    "free": number(),
    "smoker": boolean(),
    "note": text(),
}


def frame(rows_: list[dict[str, Any]]) -> pandas.DataFrame:
    empty = dict.fromkeys(["patient", *COLUMNS])
    return pandas.DataFrame([empty | row for row in rows_], columns=["patient", *COLUMNS])


def visits(rows_: list[dict[str, Any]], **declared: Any) -> Table:
    given = {"unit": "row", "budget": Budget(epsilon=10, delta="1/10"), "ledger": ":memory:"}
    return table(frame(rows_), name="visits", columns=COLUMNS, **(given | declared))


SOME = [{"patient": f"p{n}", "ward": "A", "stay": n, "age": 5, "smoker": True} for n in range(20)]
NEIGHBORS = [
    SOME,
    SOME[1:],
    [*SOME, {"patient": "new", "ward": "C", "stay": float("inf"), "note": "secret"}],
    [*SOME, {"patient": None, "ward": "unheard of", "stay": float("nan")}],
    [],
]
SQL_ROWS = [
    {"patient_id": person, "ward": "AB"[person % 2], "stay": float(person), "note": f"n{person}"}
    for person in range(6)
]


def visits_for_sql(rows: list[dict[str, Any]]) -> dp.Table:
    return dp.table(
        pandas.DataFrame(rows),
        name="visits",
        unit="patient_id",
        budget=dp.Budget(epsilon=20),
        columns={
            "ward": dp.category(["A", "B"]),
            "stay": dp.number(0, 10),
            "note": dp.text(),
        },
        max_rows=2,
        max_groups=2,
        ledger=":memory:",
    )
