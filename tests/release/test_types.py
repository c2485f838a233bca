"""Types and columns of an answer come from what is asked: an empty one has those of a full one."""

import json
from collections.abc import Iterator
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.dbapi.results import release_result
from discreet.measures.registry import STATISTICS
from discreet.release.release import Release
from tests.support.trials import all_but

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")

MANY = 4_000
NOBODY = "COUNT(*) > 1000000000"


def opened(**caps: Any) -> dp.Table:
    ids = range(MANY)
    visits = pandas.DataFrame(
        {
            "id": [place // 2 for place in ids],
            "ward": ["AB"[place % 2] for place in ids],
            "town": [f"town {place % 3}" for place in ids],
            "smoker": [place % 3 == 0 for place in ids],
            "level": [place % 4 for place in ids],
            "stay": [place % 31 / 2 for place in ids],
            "mass": [40 + place % 60 for place in ids],
            "day": [f"2024-01-{1 + place % 9:02}" for place in ids],
            "at": [f"2024-01-{1 + place % 9:02}T{place % 24:02}:00:00" for place in ids],
        }
    )
    return dp.table(
        visits,
        name="visits",
        budget=dp.Budget(epsilon=10**9, delta="0.1"),
        columns={
            "ward": dp.category(["A", "B"]),
            "town": dp.text(),
            "smoker": dp.boolean(),
            "level": dp.integer(0, 3),
            "stay": dp.number(0, 20),
            "mass": dp.integer(30, 120),
            "day": dp.date("2024-01-01", "2024-01-09"),
            "at": dp.datetime("2024-01-01 00:00:00", "2024-01-10 00:00:00"),
        },
        ledger=":memory:",
        **caps,
    )


@pytest.fixture(scope="module")
def tables() -> Iterator[dict[str, dp.Table]]:
    """Rows as the unit; people with one row that counts, with several, and with a profile."""
    with (
        opened(unit="row") as rows,
        opened(unit="id", max_rows=1, max_groups=1) as one,
        opened(unit="id", max_rows=3, max_groups=3) as several,
        opened(unit="id", max_rows=3, max_groups=3) as profiled,
    ):
        profiled.profile(epsilon=10)
        yield {"rows": rows, "one": one, "several": several, "profiled": profiled}


UNITS = ["rows", "one", "several", "profiled"]
STATISTICS_IN_SQL = {
    "rows": "COUNT(*)",
    "people": "COUNT(DISTINCT id)",
    "count": "COUNT(stay)",
    "n_unique": "COUNT(DISTINCT level)",
    "sum": "SUM(stay)",
    "mean": "AVG(mass)",
    "var": "VAR_POP(stay)",
    "std": "STDDEV_POP(mass)",
    "quantile": "MEDIAN(mass)",
    "min": "MIN(stay)",
    "max": "MAX(level)",
    "cov": "COVAR_POP(stay, mass)",
    "corr": "CORR(stay, mass)",
    "slope": "REGR_SLOPE(stay, mass)",
    "intercept": "REGR_INTERCEPT(stay, mass)",
    "r_squared": "REGR_R2(stay, mass)",
    "count_together": "REGR_COUNT(stay, mass)",
}
OTHERS = {
    "quantile of days": "MEDIAN(day)",
    "latest": "MAX(at)",
    "whole sum": "SUM(level)",
    "share": "COUNT(stay) / COUNT(*)",
    "floor": "FLOOR(SUM(stay) / NULLIF(COUNT(*), 0))",
    "difference": "COUNT(*) - COUNT(stay)",
    "filter": "COUNT(*) FILTER (WHERE smoker)",
}
KEYS = {
    "category": "ward",
    "boolean": "smoker",
    "integer": "level",
    "day": "day",
    "moment": "DATE_TRUNC('day', at)",
    "bins": "WIDTH_BUCKET(stay, 0, 20, 4)",
    "several": "ward, smoker",
}


def shape(answer: Release) -> dict[str, Any]:
    """What every form says of the columns, and nothing of the rows."""
    found: dict[str, Any] = {
        "header": answer.header,
        "pandas": dict(answer.to_pandas().dtypes.astype(str)),
        "polars": dict(answer.to_polars().schema),
        "arrow": answer.to_arrow().schema,
        "csv": answer.to_csv().splitlines()[0],
        "json": json.loads(answer.to_json())["intervals"],
        "description": release_result(answer).description,
    }
    return found


def check(full: Release, empty: Release) -> None:
    assert len(empty) == 0 < len(full)
    expected, found = shape(full), shape(empty)
    assert {name: one for name, one in found.items() if one != expected[name]} == {}


def asked(table: dp.Table, select: str, **price: Any) -> Release:
    answer = table.sql(f"SELECT {select}", **({"epsilon": 100} | price))
    assert isinstance(answer, Release)
    return answer


@pytest.mark.parametrize("unit", all_but(["several"], UNITS, pytest.mark.slow))
@pytest.mark.parametrize("key", all_but(["category", "day"], KEYS, pytest.mark.slow))
def test_an_empty_answer_has_the_columns_of_a_full_one(
    tables: dict[str, dp.Table], unit: str, key: str
) -> None:
    table, by = tables[unit], KEYS[key]
    for name, text in (STATISTICS_IN_SQL | OTHERS).items():
        if unit == "rows" and name == "people":
            continue
        select = f"{by} AS g" if "," not in by else by
        group = "g" if "," not in by else by
        question = f"{select}, {text} AS o FROM visits GROUP BY {group}"
        check(asked(table, question), asked(table, f"{question} HAVING {NOBODY}"))


def test_every_statistic_is_asked() -> None:
    named = {str(one) for one in STATISTICS}
    assert named - set(STATISTICS_IN_SQL) == {"regression"}  # several of those, in Python alone


@pytest.mark.parametrize("unit", all_but(["profiled"], UNITS[1:], pytest.mark.slow))
def test_an_answer_in_which_no_group_is_found_has_them_too(
    tables: dict[str, dp.Table], unit: str
) -> None:
    table = tables[unit]
    for text in (STATISTICS_IN_SQL | OTHERS).values():
        question = f"town, {text} AS o FROM visits GROUP BY town"
        full = asked(table, question, delta="1e-6")
        check(full, asked(table, question, epsilon="0.0001", delta="1e-9"))


@pytest.mark.parametrize("unit", all_but(["profiled"], UNITS, pytest.mark.slow))
def test_what_is_done_with_all_groups_changes_nothing_of_it(
    tables: dict[str, dp.Table], unit: str
) -> None:
    table = tables[unit]
    windows = (
        "SUM(COUNT(*)) OVER () AS o",
        "COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY level) AS o",
        "AVG(SUM(stay)) OVER (ORDER BY level ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS o",
        "RANK() OVER (ORDER BY COUNT(*) DESC) AS o",
    )
    for window in windows:
        question = f"level, {window} FROM visits GROUP BY level"
        check(asked(table, question), asked(table, f"{question} LIMIT 5 OFFSET 100"))
        check(asked(table, question), asked(table, f"{question} HAVING level > 2 AND level < 2"))
    for cube in ("CUBE (ward, level)", "ROLLUP (smoker, level)"):
        first = cube.partition("(")[2].partition(",")[0]
        question = f"{first}, level, COUNT(*) AS o FROM visits GROUP BY {cube}"
        check(
            asked(table, question, delta="1e-6"),
            asked(table, f"{question} HAVING {NOBODY}", delta="1e-6"),
        )
    moved = [
        table.sql(
            f"SELECT level, COUNT(*) AS o FROM visits GROUP BY level{having}",
            epsilon=1,
            consistent="non-negative",
        )
        for having in ("", f" HAVING {NOBODY}")
    ]
    check(*moved)


def test_a_date_stays_one_beside_a_condition_on_released_numbers(
    tables: dict[str, dp.Table],
) -> None:
    question = "level, MEDIAN(day) AS o, MAX(at) AS m FROM visits GROUP BY level"
    answer = asked(tables["one"], f"{question} HAVING COUNT(*) > 0 ORDER BY COUNT(*) LIMIT 2")
    assert all(value.startswith("2024-01-") for value in answer.to_dict()["o"])
    assert answer.to_pandas()["m"].dt.year.tolist() == [2024, 2024]


def test_gaps_of_totals_have_room_also_where_no_total_is_shown(
    tables: dict[str, dp.Table],
) -> None:
    question = "level, COUNT(*) AS o FROM visits GROUP BY ROLLUP (level)"
    full = asked(tables["one"], question, delta="1e-6")
    without = asked(tables["one"], f"{question} HAVING level >= 0", delta="1e-6")
    assert None in full.to_dict()["level"]
    assert None not in without.to_dict()["level"]
    assert shape(without) == shape(full)
