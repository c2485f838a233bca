"""Columns of times of day: what is asked of them, in every front, and how answers are given."""

import datetime
import warnings
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import discreet as dp
from discreet import dbapi
from discreet.errors import BoundsError, QueryError
from discreet.plan.calendar import dated_text, released_number, time_second
from discreet.plan.schema import read_edges
from discreet.question.builder import as_expression

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")

SECONDS = [(place * 997) % 86_400 for place in range(2_000)]
TIMES = [datetime.time(one // 3600, one // 60 % 60, one % 60) for one in SECONDS]
EXACTLY = 10**4
"""An ε that leaves no noise."""


def table(source: Any, **declared: Any) -> dp.Table:
    columns = {"at": dp.time("00:00", "23:59:59"), **declared}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        budget = dp.Budget(epsilon=10**7)
    return dp.table(source, name="t", unit="row", budget=budget, columns=columns, ledger=":memory:")


@pytest.fixture(scope="module")
def times() -> Any:
    return table(pandas.DataFrame({"at": TIMES, "until": [f"{one}" for one in TIMES]}))


def written(kind: str, folder: Path) -> Any:
    """The times in a store of each kind."""
    arrow = pyarrow.table({"at": pyarrow.array(TIMES)})
    if kind == "csv":
        path = folder / "t.csv"
        path.write_text("at\n" + "\n".join(map(str, TIMES)) + "\n")
        return path
    if kind == "parquet":
        pyarrow.parquet.write_table(arrow, folder / "t.parquet")
        return folder / "t.parquet"
    return {"arrow": arrow, "polars": polars.from_arrow(arrow), "pandas": arrow.to_pandas()}[kind]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "polars", "pandas"])
def test_every_store_has_the_same_hours(kind: str, tmp_path: Path) -> None:
    answer = table(written(kind, tmp_path)).sql(
        "SELECT HOUR(at) AS hour, COUNT(*) AS n FROM t GROUP BY hour", epsilon=EXACTLY
    )
    found = answer.to_dict()
    assert dict(zip(found["hour"], found["n"], strict=True)) == Counter(
        one // 3600 for one in SECONDS
    )


def test_conditions_bins_and_hours_are_those_of_the_clock(times: Any) -> None:
    asked = {
        "at < '08:30'": sum(one < 30_600 for one in SECONDS),
        "at BETWEEN '08:30' AND TIME '12:00:00'": sum(30_600 <= one <= 43_200 for one in SECONDS),
        "MINUTE(at) = 30 AND SECOND(at) > 9": sum(
            one // 60 % 60 == 30 and one % 60 > 9 for one in SECONDS
        ),
        "DATE_TRUNC('hour', at) = '07:00'": sum(one // 3600 == 7 for one in SECONDS),
        "(at - '12:00') * 24 > 6": sum(one > 64_800 for one in SECONDS),
        "EPOCH(at) < 60": sum(one < 60 for one in SECONDS),
    }
    for condition, truth in asked.items():
        answer = times.sql(f"SELECT COUNT(*) AS n FROM t WHERE {condition}", epsilon=EXACTLY)
        assert answer["n"].value == truth, condition
    bins = times.sql(
        "SELECT BINS(at, '06:00', '12:00', '18:00') AS part, COUNT(*) AS n FROM t GROUP BY part",
        epsilon=EXACTLY,
    )
    assert bins.groups == (("[06:00:00, 12:00:00)",), ("[12:00:00, 18:00:00]",))
    assert bins.to_dict()["n"][0] == sum(21_600 <= one < 43_200 for one in SECONDS)


def test_what_is_asked_in_python_is_what_is_asked_in_sql(times: Any) -> None:
    at = dp.col("at")
    asked = times.where(at >= datetime.time(8, 30)).group_by(
        at.bins(["06:00", "12:00", "18:00"]).alias("part")
    )
    text = (
        "SELECT BINS(at, '06:00', '12:00', '18:00') AS part, MEDIAN(at) AS middle FROM t "
        "WHERE at >= TIME '08:30' GROUP BY part"
    )
    query = asked.agg(middle=at.median()).query
    assert query.text == times.ask(text).query.text
    by_name = times.ask("SELECT COUNT(*) AS n FROM t WHERE at > :t", {"t": datetime.time(8, 30)})
    assert by_name.query.where == times.where(at > datetime.time(8, 30)).query.where


def test_quantiles_and_ends_are_times_with_an_interval(times: Any) -> None:
    answer = times.sql("SELECT MEDIAN(at) AS middle, MIN(at) AS first FROM t", epsilon=100)
    middle = answer["middle"]
    truth = dated_text(median(SECONDS), read_edges(["00:00", "01:00"])[1])
    assert middle.lower <= truth <= middle.upper
    assert abs(released_number(middle.value) - median(SECONDS)) < 600
    assert middle.margin == max(
        abs(released_number(end) - released_number(middle.value)) for end in middle.interval()
    )
    assert released_number(answer["first"].value) < 600
    difference = times.sql(
        "SELECT QUANTILE(at, 0.75) - QUANTILE(at, 0.25) AS spread FROM t", epsilon=100
    )
    assert difference["spread"].value == pytest.approx(0.5, abs=0.05)  # of a day


def test_the_time_of_a_datetime_is_asked_by_a_cast() -> None:
    moments = [
        datetime.datetime(1969, 12, 30) + datetime.timedelta(seconds=7 * one) for one in SECONDS
    ]
    found = table(
        pandas.DataFrame({"at": TIMES, "moment": moments}),
        moment=dp.datetime("1969-01-01", "1980-01-01"),
    )
    answer = found.sql(
        "SELECT COUNT(*) AS n FROM t WHERE CAST(moment AS TIME) < '06:00'", epsilon=EXACTLY
    )
    early = sum((7 * one) % 86_400 < 21_600 for one in SECONDS)
    assert answer["n"].value == early
    halves = "BINS(CAST(moment AS TIME), '00:00', '06:00', '23:59:59')"
    answer = found.sql(
        f"SELECT {halves} AS half, COUNT(*) AS n FROM t GROUP BY half", epsilon=EXACTLY
    )
    assert answer.to_dict()["n"] == [early, len(SECONDS) - early]
    answer = found.sql("SELECT MAX(CAST(moment AS TIME)) AS last FROM t", epsilon=EXACTLY)
    assert answer["last"].value.startswith("23:5")


def test_answers_have_times_in_every_form(times: Any, tmp_path: Path) -> None:
    answer = times.sql(
        "SELECT DATE_TRUNC('hour', at) AS hour, MAX(at) AS last FROM t GROUP BY hour", epsilon=1000
    )
    assert answer.groups[8] == ("08:00:00",)
    assert answer.to_pandas()["hour"][8] == datetime.time(8)
    assert answer.to_polars()["last"].dtype == polars.Time
    assert answer.to_arrow().schema.field("hour").type == pyarrow.time64("us")
    for ending in ("xlsx", "parquet", "csv", "json", "html", "md", "svg"):
        answer.save(tmp_path / f"a.{ending}")
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").schema == answer.to_arrow().schema
    middle = times.sql("SELECT MEDIAN(at) AS middle FROM t", epsilon=10)
    middle.save(tmp_path / "b.svg")
    with dbapi.connect(times, epsilon=10) as connection:
        row = connection.cursor().execute("SELECT MEDIAN(at) AS m FROM t").fetchone()
    assert isinstance(row, tuple)
    assert all(isinstance(one, datetime.time) for one in row[:3])


def test_hours_are_named_by_what_may_be_asked(times: Any) -> None:
    said = str(times.info())
    assert "a time of day from 00:00:00 to 23:59:59" in said
    assert "SELECT HOUR(at) AS hour, COUNT(*) AS n FROM t GROUP BY hour" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT AVG(at) FROM t", "order and no sum"),
        ("SELECT COUNT(*) FROM t WHERE at > 5", "a time of day with a number"),
        ("SELECT COUNT(*) FROM t WHERE at > '25:00'", "Write '08:30'"),
        ("SELECT COUNT(*) FROM t WHERE at > TIME '8:30'", "Write TIME '08:30:00'"),
        ("SELECT COUNT(*) FROM t WHERE at + 1 > '08:00'", "EPOCH"),
        ("SELECT MONTH(at), COUNT(*) FROM t GROUP BY 1", "takes a date"),
        ("SELECT COUNT(*) FROM t WHERE CAST(at AS DATE) > '2026-01-01'", "makes DATE of a time"),
        ("SELECT BINS(at, 1, 2), COUNT(*) FROM t GROUP BY 1", "values are times of day"),
    ],
)
def test_what_has_no_meaning_is_refused(times: Any, text: str, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        times.ask(text).plan(epsilon=1)
    assert said in str(caught.value)


def test_the_mean_of_times_is_asked_in_hours(times: Any) -> None:
    answer = times.sql("SELECT AVG(EPOCH(at) / 3600) AS hours FROM t", epsilon=EXACTLY)
    assert answer["hours"].value == pytest.approx(sum(SECONDS) / len(SECONDS) / 3600, abs=1e-3)


@pytest.mark.parametrize("ends", [("08:00", "07:00"), ("8:00", "9:00"), ("00:00", "24:00"), (0, 9)])
def test_bounds_are_times(ends: tuple[Any, Any]) -> None:
    with pytest.raises(BoundsError, match=r'Write dp\.time\("00:00", "23:59:59"\)'):
        dp.time(*ends)


@pytest.mark.parametrize(
    "line",
    [
        'at = { type = "time", low = "08:00", high = "17:59:59" }',
        'at = { type = "time", low = 08:00:00, high = 17:59:59 }',
        "at = { low = 08:00:00, high = 17:59:59 }",
    ],
)
def test_a_policy_declares_times(tmp_path: Path, line: str) -> None:
    (tmp_path / "t.csv").write_text("at\n09:00\n")
    policy = tmp_path / "t.toml"
    head = 'source = "t.csv"\nunit = "row"\nledger = "t.ledger"\n[budget]\nepsilon = 1\n'
    policy.write_text(f"{head}[columns]\n{line}\n")
    with dp.table(str(policy)) as found:
        assert found.schema.columns["at"] == dp.time("08:00", "17:59:59")
    with dp.table(str(policy)) as again:  # the ledger knows the declaration again
        assert again.schema.columns["at"].to_data() == {
            "kind": "time",
            "low": "08:00:00",
            "high": "17:59:59",
        }


def test_a_time_with_a_zone_is_no_time_of_day() -> None:
    assert time_second(datetime.time(8, 30, tzinfo=datetime.UTC)) is None
    with pytest.raises(QueryError, match="without"):
        as_expression(datetime.time(8, 30, tzinfo=datetime.UTC))
