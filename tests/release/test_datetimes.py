"""Times of day, from the declaration to every form of an answer."""

import datetime
from pathlib import Path

import pandas
import pytest

import discreet as dp
from discreet import dbapi
from discreet.errors import QueryError

BOUNDS = ("2024-03-01", "2024-03-31 23:59:59")
pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
EXACT = 10_000
"""So large an ε that noise is next to nothing."""


@pytest.fixture
def table() -> dp.Table:
    frame = pandas.DataFrame({"at": moments(), "day": moments().dt.date})
    return dp.table(
        frame,
        name="visits",
        unit="row",
        budget=dp.Budget(epsilon=10**7),
        columns={
            "at": dp.datetime(*BOUNDS, zone="America/New_York"),
            "day": dp.date("2024-03-01", "2024-03-31"),
        },
        ledger=":memory:",
    )


def moments() -> pandas.Series:
    began = pandas.Timestamp("2024-03-01 05:00", tz="UTC")
    return pandas.Series([began + pandas.Timedelta(minutes=37 * one) for one in range(1_150)])


def test_hours_and_weekdays_are_those_that_pandas_counts(table: dp.Table) -> None:
    local = moments().dt.tz_convert("America/New_York")
    found = table.group_by(
        dp.col("at").weekday().alias("weekday"), dp.col("at").hour().alias("hour")
    ).agg(n=dp.rows())
    counts = found.release(epsilon=EXACT).to_pandas().set_index(["weekday", "hour"]).n
    truth = local.groupby([local.dt.day_of_week + 1, local.dt.hour]).size()
    assert len(counts) == 7 * 24
    assert {key: n for key, n in counts.items() if n} == truth.to_dict()
    sql = "SELECT MINUTE(at) AS m, COUNT(*) AS n FROM visits GROUP BY m"
    minutes = table.sql(sql, epsilon=EXACT).to_pandas().set_index("m").n  # type: ignore[union-attr]
    assert {key: n for key, n in minutes.items() if n} == local.dt.minute.value_counts().to_dict()


def test_the_hour_that_a_clock_left_out_is_empty(table: dp.Table) -> None:
    where = dp.col("at").is_between("2024-03-10", datetime.datetime(2024, 3, 10, 4, 59, 59))
    counts = table.where(where).group_by(dp.col("at").truncate("hour").alias("hour"))
    release = counts.agg(n=dp.rows()).release(epsilon=EXACT)
    hours = [group[0] for group in release.groups]
    assert hours == [f"2024-03-10 {hour:02}:00:00" for hour in range(5)]
    assert [one.value > 0 for one in release["n"].values()] == [True, True, False, True, True]  # type: ignore[union-attr]


def test_datetimes_are_datetimes_in_every_form(table: dp.Table, tmp_path: Path) -> None:
    asked = table.where(dp.col("at") < "2024-03-01 03:00").group_by(
        dp.col("at").truncate("hour").alias("hour")
    )
    release = asked.agg(middle=dp.col("at").median()).release(epsilon=EXACT)
    frame = release.to_pandas()
    assert str(frame.dtypes["hour"]) == str(frame.dtypes["middle"]) == "datetime64[s]"
    assert str(release.to_arrow().schema.field("hour").type) == "timestamp[s]"
    assert str(release.to_polars().schema["middle"]).startswith("Datetime")
    for ending in ("parquet", "xlsx", "csv", "json", "html", "md"):
        release.save(tmp_path / f"answer.{ending}")
    read = pandas.read_parquet(tmp_path / "answer.parquet")
    assert read.hour.tolist() == frame.hour.tolist()
    sheet = pandas.read_csv(tmp_path / "answer.csv")
    assert sheet.hour[1] == "2024-03-01 01:00:00"


def test_what_was_released_is_computed_with(table: dp.Table) -> None:
    found = table.sql(
        "SELECT MAX(at) - MIN(at) AS days FROM visits HAVING MAX(at) > '2024-03-02 12:00' "
        "AND MIN(at) < DATE '2024-03-02'",
        epsilon=EXACT,
    ).to_pandas()  # type: ignore[union-attr]
    assert 29 < found.days[0] < 31


def test_a_connection_takes_and_gives_datetimes(table: dp.Table) -> None:
    cursor = dbapi.connect(table, epsilon=EXACT).cursor()
    cursor.execute(
        "SELECT MEDIAN(at) AS m FROM visits WHERE at < ?", [datetime.datetime(2024, 3, 2)]
    )
    (found,) = cursor.fetchall()
    assert datetime.datetime(2024, 3, 1, 10) < found[0] < datetime.datetime(2024, 3, 1, 14)


def test_what_a_datetime_is_not_says_what_to_write(table: dp.Table) -> None:
    for sql, said in (
        ("SELECT HOUR(day) AS h, COUNT(*) FROM visits GROUP BY h", "takes a datetime"),
        ("SELECT COUNT(*) FROM visits WHERE at > '2024-03-10T10:00:00Z'", "without a zone"),
        ("SELECT AVG(at) FROM visits", "Ask for its median"),
        ("SELECT at, COUNT(*) FROM visits GROUP BY at", "HOUR"),
        ("SELECT DATE_TRUNC('hour', day) AS h, COUNT(*) FROM visits GROUP BY h", "time of day"),
        ("SELECT COUNT(*) FROM visits WHERE at > '2025-01-01'", "fits no declared value"),
        ("SELECT COUNT(*) FROM visits WHERE at * 2 > 3", "calculates with a datetime"),
    ):
        with pytest.raises(QueryError, match=said):
            table.sql(sql, epsilon=1)
    aware = datetime.datetime(2024, 3, 10, tzinfo=datetime.UTC)
    with pytest.raises(QueryError, match="astimezone"):
        table.where(dp.col("at") > aware)
    assert "HOUR(at)" in str(table.info())


def test_datetimes_are_drawn_and_not_added_up() -> None:
    """Of an answer that was paid for: a picture of them, and a refusal without their texts."""
    frame = pandas.DataFrame({"ward": ["A", "B"] * 500, "at": ["2026-01-02 10:00:00"] * 1000})
    with dp.table(
        frame,
        name="visits",
        unit="row",
        budget=dp.Budget(epsilon=9),
        columns={
            "ward": dp.category(["A", "B"]),
            "at": dp.datetime("2026-01-01", "2026-12-31 23:59:59"),
        },
        ledger=":memory:",
    ) as table:
        answer = table.group_by("ward").agg(middle=dp.col("at").median()).release(epsilon=9)
    assert "<svg" in answer.plot().svg
    assert "<svg" in answer["middle"].plot().svg
    assert "<svg" in answer.report()
    with pytest.raises(dp.errors.DataError) as caught:
        answer["middle"].mean()
    assert "2026" not in str(caught.value)
