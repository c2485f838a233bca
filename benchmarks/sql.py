"""From SQL to a priced plan: milliseconds for every question of the page "SQL you can ask"."""

import statistics
import time
from fractions import Fraction

from discreet.plan.schema import (
    LookupTable,
    PartnerTable,
    Schema,
    boolean,
    category,
    date,
    integer,
    number,
    text,
)
from discreet.question.check import checked_question
from discreet.release.price import price_question
from discreet.sql.read.allow_list import AGGREGATES, CLAUSES, TABLES
from discreet.sql.read.select import explained, parse_select
from timing import table

ROUNDS = 20
YEARS = ("2020-01-01", "2026-12-31")
VISITS = Schema(
    name="visits",
    columns={
        "ward": category([f"ward {place}" for place in range(20)]),
        "stay": number(0, 60),
        "age": integer(0, 120),
        "cost": number(0, 1000),
        "smoker": boolean(),
        "diagnosis": text(),
        "admitted": date(*YEARS),
        "discharged": date(*YEARS),
    },
    unit="patient_id",
    max_rows=10,
    max_groups=3,
    private={"patients": PartnerTable(columns={"sex": category(["f", "m"])}, unit="patient_id")},
    public={
        "wards": LookupTable(
            columns={"ward": category(["A", "B"]), "region": category(["north", "south"])},
            most={"ward": 1},
        )
    },
)


def main() -> None:
    rows = []
    for name, offers in (("aggregates", AGGREGATES), ("clauses", CLAUSES), ("tables", TABLES)):
        parts = [measured(explained(one.example) or one.example) for one in offers]
        whole = [sum(part) for part in parts]
        rows.append(
            [
                name,
                str(len(offers)),
                *(f"{statistics.median(part[step] for part in parts):.2f}" for step in range(3)),
                f"{statistics.median(whole):.2f}",
                f"{max(whole):.2f}",
            ]
        )
    print("milliseconds to parse, check and price a question; all three (≤ 20), and the longest\n")
    print(table(["questions", "", "parse", "check", "price", "all", "longest"], rows))


def measured(question: str) -> tuple[float, float, float]:
    """The least milliseconds of each step."""
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        moments = [time.perf_counter()]
        query = parse_select(question, VISITS)
        moments.append(time.perf_counter())
        asked = checked_question(query, VISITS)
        moments.append(time.perf_counter())
        price_question(asked, Fraction(1), Fraction(0), None)
        moments.append(time.perf_counter())
        best = [min(best[step], moments[step + 1] - moments[step]) for step in range(3)]
    return best[0] * 1000, best[1] * 1000, best[2] * 1000


if __name__ == "__main__":
    main()
