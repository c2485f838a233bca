"""Two small tables with their policies, and a question of each kind about them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import discreet as dp

WARDS = ("A", "B", "C", "D")

VISITS = """\
source     = "visits.csv"
unit       = "patient"
neighbors  = "add-remove"
max_groups = 3
max_rows   = 6
ledger     = "visits.ledger"
[budget]
epsilon = 10
delta   = 1e-3
[analyst_budget]
epsilon = 8
delta   = 1e-4
[columns]
ward      = { values = ["A", "B", "C", "D"] }
stay      = { low = 0, high = 20 }
age       = { type = "integer", low = 0, high = 120 }
smoker    = { type = "boolean" }
diagnosis = { type = "text" }
admitted  = { type = "date", low = "2025-01-01", high = "2025-12-31" }
"""
JOINED = f"""\
{VISITS}[private.patients]
source   = "patients.csv"
unit     = "id"
max_rows = 1
[private.patients.columns]
sex  = {{ values = ["female", "male"] }}
born = {{ type = "integer", low = 1900, high = 2025 }}
[public.wards]
source = "wards.csv"
"""
PERSONS = """\
source    = "persons.csv"
unit      = "row"
neighbors = "replace"
ledger    = ":memory:"
[budget]
epsilon = 10
delta   = 1e-3
[columns]
state  = { values = ["North", "South"] }
income = { low = 0, high = 200000 }
hours  = { type = "integer", low = 0, high = 80, default = 40 }
job    = { type = "text" }
"""
ROWS = PERSONS.replace('"replace"', '"add-remove"').replace("persons.csv", "rows.csv")
MANY = VISITS.replace("max_groups = 3", "max_groups = 60").replace(
    "max_rows   = 6", "max_rows = 60"
)
ARRIVALS = """\
source    = "arrivals.csv"
unit      = "row"
neighbors = "add-remove"
ledger    = "arrivals.ledger"
[budget]
epsilon = 10
[columns]
arrived = { type = "datetime", low = "2025-03-01", high = "2025-04-30", zone = "Europe/Paris" }
gone    = { type = "datetime", low = "2025-03-01", high = "2025-04-30", format = "%d/%m/%Y %H:%M" }
waited  = { low = 0, high = 24, decimal = "," }
"""
POLICIES = {
    "arrivals": ARRIVALS,
    "visits": VISITS,
    "joined": JOINED,
    "many": MANY,
    "persons": PERSONS,
    "rows": ROWS,
}


def write_tables(folder: Path) -> None:
    """The policies and their files, by arithmetic."""
    visits = ["patient,ward,stay,age,smoker,diagnosis,admitted"]
    for person in range(300):
        for visit in range(1 + person % 6):
            ward, stay = "ABC"[(person + visit) % 3], (person * 7 + visit * 3) % 20
            ill, day = "flu" if person % 5 else "cold", f"{1 + person % 12:02}-{1 + visit:02}"
            shown = "" if person % 50 == 0 else stay
            visits.append(
                f"{person},{ward},{shown},{20 + person % 60},{person % 4 == 0},{ill},2025-{day}"
            )
    people = ["id,sex,born"]
    people += [f"{one},{'female' if one % 2 else 'male'},{1940 + one % 60}" for one in range(300)]
    wards = ["ward,building,beds"]
    wards += [f"{ward},{'north' if ward < 'C' else 'south'},{ord(ward) - 60}" for ward in WARDS]
    persons = ["state,income,hours,job"]
    for one in range(500):
        hours = "" if one % 7 == 0 else one % 60
        state = ("North", "South")[one % 2]
        persons.append(f"{state},{1000 * (one % 150)},{hours},job {one % 3}")
    arrivals, began = ["arrived,gone,waited"], datetime(2025, 3, 1, tzinfo=UTC)
    for one in range(800):
        arrived = began + timedelta(minutes=107 * one)
        gone = arrived + timedelta(hours=1, minutes=one % 500)
        arrivals.append(f'{arrived:%Y-%m-%dT%H:%M:%SZ},{gone:%d/%m/%Y %H:%M},"{one % 9},{one % 7}"')
    texts = {"arrivals": arrivals, "visits": visits, "patients": people, "wards": wards}
    for name, lines in (texts | {"persons": persons, "rows": persons}).items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    for name, policy in POLICIES.items():
        (folder / f"{name}.toml").write_text(policy)


@dataclass(frozen=True)
class Asked:
    """A question of a table, in SQL or in Python, and what it may cost."""

    sql: str | Callable[[dp.Table], Any]
    table: str = "visits"
    epsilon: str | None = "1"
    delta: str = "0"
    margin: dict[str, str] = field(default_factory=dict)
    expect_rows: int | None = None


QUESTIONS: dict[str, Asked] = {
    "relations": Asked(
        "SELECT ward, COVAR_POP(stay, age) AS c, CORR(stay, age) AS r, REGR_SLOPE(stay, age) AS b, "
        "REGR_INTERCEPT(stay, age) AS a, REGR_R2(stay, age) AS r2, REGR_COUNT(stay, age) AS n "
        "FROM visits WHERE ward <> 'D' GROUP BY ward",
        epsilon="4",
        expect_rows=350,
    ),
    "regression": Asked(
        lambda table: table.agg(
            fit=dp.regression(dp.col("income"), dp.col("hours"), dp.col("state") == "North")
        ),
        table="persons",
    ),
    "count": Asked("SELECT COUNT(*) AS n FROM visits"),
    "people": Asked("SELECT COUNT(DISTINCT patient) AS patients FROM visits WHERE stay > 2"),
    "people-by-condition": Asked(
        lambda table: table.agg(long=dp.people(dp.col("stay") > 10), all=dp.people())
    ),
    "sum": Asked("SELECT ward, SUM(stay) AS days, COUNT(stay) AS known FROM visits GROUP BY ward"),
    "total": Asked("SELECT ward, SUM(stay) AS days FROM visits GROUP BY ward"),
    "conditions": Asked(
        "SELECT ward, COUNT(*) AS n, COUNT(*) FILTER (WHERE age < 40) AS young, "
        "COUNT(*) FILTER (WHERE age BETWEEN 40 AND 64) AS middle, "
        "COUNT(*) FILTER (WHERE age < 40) / COUNT(*) AS part FROM visits GROUP BY ward"
    ),
    "mean": Asked("SELECT AVG(stay) AS mean_stay, COUNT(*) AS n FROM visits", expect_rows=1000),
    "spread": Asked(
        "SELECT AVG(age) AS mean_age, STDDEV(age) AS spread, VAR_POP(age) AS variance, "
        "COUNT(age) AS n FROM visits"
    ),
    "proportion": Asked("SELECT AVG(smoker) AS smokers FROM visits WHERE age < 50"),
    "quantiles": Asked(
        "SELECT ward, MEDIAN(stay) AS middle, QUANTILE_CONT(stay, 0.9) AS p90, "
        "MEDIAN(admitted) AS day, COUNT(*) AS n FROM visits GROUP BY ward",
        epsilon="1/2",
        expect_rows=50,
    ),
    "least-and-largest": Asked("SELECT MIN(age) AS least, MAX(stay) AS longest FROM visits"),
    "distinct": Asked("SELECT COUNT(DISTINCT diagnosis) AS kinds FROM visits"),
    "public-groups": Asked(
        "SELECT ward, smoker, COUNT(DISTINCT patient) AS patients, AVG(stay) AS mean_stay "
        "FROM visits WHERE ward <> 'E' GROUP BY ward, smoker",
        epsilon="1/3",
    ),
    "cube": Asked(
        "SELECT ward, smoker, COUNT(*) AS n, SUM(stay) AS days FROM visits "
        "GROUP BY CUBE (ward, smoker)",
        delta="1e-6",
    ),
    "cube-of-means": Asked(
        lambda table: table.cube(
            "state", dp.col("hours").bins([0, 20, 40, 80]).alias("week"), weights={0: 10}
        ).agg(mean_income=dp.col("income").mean(), n=dp.rows()),
        "persons",
        delta="1e-6",
        expect_rows=100,
    ),
    "running-totals": Asked(
        lambda table: (
            table.group_by(dp.col("age").bins([0, 30, 50, 70, 120]).alias("age"))
            .cumulative()
            .agg(n=dp.rows())
        ),
        delta="1e-6",
    ),
    "private-groups": Asked(
        "SELECT diagnosis, COUNT(DISTINCT patient) AS patients, SUM(stay) AS days FROM visits "
        "GROUP BY diagnosis",
        epsilon="2",
        delta="1e-6",
    ),
    "private-groups-alone": Asked(
        "SELECT diagnosis, COUNT(DISTINCT patient) AS patients FROM visits GROUP BY diagnosis",
        delta="1e-6",
    ),
    "gaussian": Asked(
        lambda table: table.group_by("ward", "smoker").agg(n=dp.people(), m=dp.rows()),
        "many",
        delta="1e-5",
    ),
    "months": Asked(
        "SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) AS n FROM visits GROUP BY 1"
    ),
    "hours": Asked(
        "SELECT DATE_TRUNC('hour', arrived) AS hour, COUNT(*) AS n, AVG(waited) AS hours "
        "FROM arrivals WHERE arrived BETWEEN '2025-03-30' AND '2025-03-30 05:00' GROUP BY hour",
        "arrivals",
    ),
    "moments": Asked(
        "SELECT ISODOW(arrived) AS weekday, MEDIAN(arrived) AS middle, MAX(gone) AS last, "
        "AVG(CLIP((gone - arrived) * 24, 0, 12)) AS stayed FROM arrivals GROUP BY weekday",
        "arrivals",
    ),
    "bins": Asked(lambda table: table.group_by(dp.col("age").bins([20, 40, 60])).agg(n=dp.rows())),
    "choices": Asked(
        "SELECT CASE WHEN age >= 65 THEN 'old' WHEN age >= 18 THEN 'grown' END AS age_group, "
        "COUNT(*) AS n FROM visits GROUP BY 1"
    ),
    "join": Asked(
        "SELECT building, sex, COUNT(DISTINCT patient) AS patients, AVG(stay) AS mean_stay "
        "FROM visits JOIN patients ON visits.patient = patients.id JOIN wards USING (ward) "
        "GROUP BY building, sex",
        "joined",
    ),
    "subquery": Asked(
        "SELECT COUNT(*) AS patients, AVG(days) AS mean_days FROM "
        "(SELECT patient, SUM(stay) AS days FROM visits GROUP BY patient) AS each"
    ),
    "computed": Asked(
        "SELECT ward, SUM(stay) / COUNT(*) AS per_visit, MEDIAN(stay) * 24 AS hours FROM visits "
        "GROUP BY ward HAVING COUNT(*) > 20 ORDER BY per_visit DESC LIMIT 2",
        epsilon="3",
    ),
    "windows": Asked(
        "SELECT ward, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS part, AVG(SUM(stay)) OVER "
        "(ORDER BY ward ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS usual FROM visits GROUP BY "
        "ward"
    ),
    "around-groups": Asked(
        "SELECT AVG(n) AS usual, COUNT(*) AS wards FROM (SELECT ward, COUNT(*) AS n FROM visits "
        "GROUP BY ward) AS each"
    ),
    "first-groups": Asked(
        "SELECT ward, COUNT(DISTINCT patient) AS patients, AVG(stay) AS mean_stay FROM visits "
        "GROUP BY ward ORDER BY patients DESC LIMIT 1",
    ),
    "margin": Asked(
        "SELECT ward, COUNT(*) AS n, AVG(stay) AS m FROM visits GROUP BY ward",
        epsilon=None,
        margin={"n": "40"},
    ),
    "free": Asked("SELECT COUNT(*) AS n FROM persons", "persons", epsilon=None),
    "replaced": Asked(
        "SELECT AVG(income) AS mean_income, SUM(hours) AS hours, COUNT(hours) AS known, "
        "COUNT(*) AS n FROM persons",
        "persons",
    ),
    "replaced-groups": Asked(
        "SELECT state, COUNT(*) AS n, AVG(hours) AS mean_hours, STDDEV(income) AS spread "
        "FROM persons GROUP BY state",
        "persons",
    ),
    "rows": Asked(
        "SELECT state, COUNT(*) AS n, COUNT(hours) AS known, AVG(income) AS mean_income, "
        "COUNT(DISTINCT job) AS jobs FROM rows GROUP BY state",
        "rows",
    ),
    "rows-private-groups": Asked(
        "SELECT job, COUNT(*) AS n, AVG(hours) AS mean_hours FROM rows GROUP BY job",
        "rows",
        delta="1e-6",
    ),
    "one-word-wrong": Asked(
        "SELECT COUNT(*) FILTER (WHERE ward IN ('a', 'A')) AS n FROM visits "
        "WHERE ward IN ('A', 'Q')",
        epsilon="1/10",
    ),
}
"""One question of each kind, by its name."""
BATCH = ("count", "public-groups", "private-groups-alone", "least-and-largest")
"""The questions that are planned together against one budget."""
