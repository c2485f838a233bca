"""Texts that are written in a declared way, and moments of the world without a declared zone."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import discreet as dp
from discreet.errors import SourceError
from discreet.plan.calendar import second
from discreet.plan.schema import NumberColumn
from tests.reading.stores import read_back

YEARS = ("1900-01-01", "2099-12-31 23:59:59")


def values(column: NumberColumn, texts: list[Any], tmp_path: Path) -> list[Any]:
    """What texts are read as in a CSV file, which is also what a frame of objects is."""
    path = tmp_path / "texts.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(["n,c\n", *(f'{place},"{text}"\n' for place, text in enumerate(texts))])
    declared = {"n": NumberColumn(), "c": column}
    rows = sorted(read_back(path, declared))
    frame = pandas.DataFrame({"n": range(len(texts)), "c": pandas.Series(texts, dtype=object)})
    assert sorted(read_back(frame, declared)) == rows
    return [value for _, value in rows]


def seconds(*texts: str | None) -> list[float | None]:
    return [None if one is None else float(second(one) or 0) for one in texts]


FORMATS: list[tuple[str, dict[str, str | None]]] = [
    (
        "%d/%m/%Y %H:%M",
        {
            "31/01/2025 09:05": "2025-01-31 09:05",
            " 1/2/2025 9:5 ": "2025-02-01 09:05",
            "29/02/2024 23:59": "2024-02-29 23:59",
            "29/02/2025 10:00": None,
            "31/01/2025 24:00": None,
            "31/13/2025 10:00": None,
            "31/01/25 10:00": None,
            "31/01/2025": None,
            "31/01/2025 10:00:00": None,
            "2025-01-31 10:00": None,
            "01/01/0000 00:00": None,
            "01/01/0001 00:00": "0001-01-01",
            "31/12/9999 23:59": "9999-12-31 23:59",
            "٣١/01/2025 10:00": None,
        },
    ),
    (
        "%m/%d/%Y %I:%M:%S %p",
        {
            "7/4/2025 12:00:00 AM": "2025-07-04 00:00:00",
            "7/4/2025 12:30:00 pm": "2025-07-04 12:30:00",
            "07/04/2025 01:02:03 Pm": "2025-07-04 13:02:03",
            "7/4/2025 13:00:00 PM": None,
            "7/4/2025 0:00:00 AM": None,
        },
    ),
    ("%Y%m%d%H%M%S", {"20250131090507": "2025-01-31 09:05:07", "2025131090507": None}),
    ("%Y.%m.%d (%H+%M) 100%%", {"2025.01.31 (09+05) 100%": "2025-01-31 09:05", "2025.01.31": None}),
    ("%d-%m-%Y %H:%M:%S.%f", {"31-01-2025 09:05:07.999999": "2025-01-31 09:05:07"}),
]


@pytest.mark.parametrize(("form", "cases"), FORMATS, ids=[form for form, _ in FORMATS])
def test_a_text_is_read_by_its_format(
    form: str, cases: dict[str, str | None], tmp_path: Path
) -> None:
    column = dp.datetime(*YEARS, format=form)
    assert values(column, list(cases), tmp_path) == seconds(*cases.values())


def test_a_format_agrees_with_python(tmp_path: Path) -> None:
    form = "%d.%m.%Y %H:%M:%S"
    moments = [
        datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=one * 7_654_321)
        for one in range(-2_000, 2_000)
    ]
    moments = [one for one in moments if one.year >= 1000]
    found = values(
        dp.datetime(*YEARS, format=form), [one.strftime(form) for one in moments], tmp_path
    )
    assert found == [float(second(one) or 0) for one in moments]


def test_dates_have_formats_too(tmp_path: Path) -> None:
    column = dp.date("2020-01-01", "2026-12-31", format="%d/%m/%Y")
    found = values(column, ["31/01/2025", "1/2/2025", "2025-01-31", "30/02/2025"], tmp_path)
    assert found == [20119.0, 20120.0, None, None]


def test_a_format_with_an_offset_is_shown_by_the_zone(tmp_path: Path) -> None:
    column = dp.datetime(*YEARS, zone="Europe/Paris", format="%d/%m/%Y %H:%M%z")
    texts = [
        "01/07/2025 10:00Z",
        "01/07/2025 10:00+0200",
        "01/01/2025 10:00-05:30",
        "01/07/2025 10:00",
    ]
    assert values(column, texts, tmp_path) == seconds(
        "2025-07-01 12:00", "2025-07-01 10:00", "2025-01-01 16:30", None
    )


def test_without_a_zone_a_moment_of_the_world_is_missing_cell_by_cell(tmp_path: Path) -> None:
    texts = ["2025-01-01 10:00", "2025-01-01T10:00:00Z", "2025-01-01 10:00+02:00", "2025-01-01"]
    assert values(dp.datetime(*YEARS), texts, tmp_path) == seconds(
        "2025-01-01 10:00", None, None, "2025-01-01"
    )
    zone = datetime.timezone(datetime.timedelta(hours=2))
    cells = [datetime.datetime(2025, 1, 1, 10), datetime.datetime(2025, 1, 1, 10, tzinfo=zone)]
    frame = pandas.DataFrame({"c": pandas.Series(cells, dtype=object)})
    assert [row[0] for row in read_back(frame, {"c": dp.datetime(*YEARS)})] == seconds(
        "2025-01-01 10:00", None
    )


def test_numbers_with_a_comma(tmp_path: Path) -> None:
    column = dp.number(-100, 100, decimal=",")
    texts = ["2,5", " -0,25 ", "1e1", "7", "2.5", "1.234,5", "1,2,3", ",5", "a"]
    assert values(column, texts, tmp_path) == [2.5, -0.25, 10.0, 7.0, None, None, None, 0.5, None]
    mixed = pandas.DataFrame({"c": pandas.Series([2.5, "2,5", "2.5", 7], dtype=object)})
    assert [row[0] for row in read_back(mixed, {"c": column})] == [2.5, 2.5, None, 7.0]
    json = tmp_path / "mixed.jsonl"
    json.write_text('{"c": 2.5}\n{"c": "2,5"}\n{"c": "2.5"}\n{"c": 7}\n')
    assert sorted(row[0] or 0 for row in read_back(json, {"c": column})) == [0, 2.5, 2.5, 7.0]


ZONED = pyarrow.array([0, 1], pyarrow.timestamp("us", "Europe/Paris"))


@pytest.mark.parametrize("kind", ["pandas", "Polars", "Arrow", "Parquet", "DuckDB"])
@pytest.mark.parametrize("empty", [False, True])
def test_a_type_with_a_zone_is_refused_without_one(kind: str, empty: bool, tmp_path: Path) -> None:
    table = pyarrow.table({"c": ZONED}).slice(0, 0 if empty else 2)
    source: Any = table
    if kind == "pandas":
        source = table.to_pandas()
    elif kind == "Polars":
        source = polars.from_arrow(table)
    elif kind == "Parquet":
        source = tmp_path / "zoned.parquet"
        pyarrow.parquet.write_table(table, source)
    elif kind == "DuckDB":
        import duckdb

        source = tmp_path / "zoned.duckdb"
        with duckdb.connect(str(source)) as made:
            made.register("given", table)
            made.execute("CREATE TABLE t AS FROM given")
    named = "t" if kind == "DuckDB" else None
    with pytest.raises(SourceError, match="No zone is chosen silently"):
        read_back(source, {"c": dp.datetime(*YEARS)}, table=named)
    found = read_back(source, {"c": dp.datetime(*YEARS, zone="Asia/Tokyo")}, table=named)
    assert [row[0] for row in found] == ([] if empty else [32400.0, 32400.0])


def test_a_cell_of_numpy_keeps_its_second() -> None:
    cells = np.array(["1969-12-31T23:59:59.999999999", "2024-02-29T00:00:00"], "datetime64[ns]")
    found = read_back(pandas.DataFrame({"c": cells}), {"c": dp.datetime(*YEARS)})
    assert [row[0] for row in found] == [-1.0, float(second("2024-02-29") or 0)]


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
@pytest.mark.parametrize("odd", [None, "x", 7, 2.5, True, {"a": 7}, datetime.date(2024, 5, 5)])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_an_odd_cell_does_not_decide_how_the_dates_of_others_are_read(
    odd: object, zone: str | None
) -> None:
    """pandas makes objects of a column for it; a format is that of texts, and dates are none."""
    moments = [pandas.Timestamp("2024-05-05 12:30:15", tz=zone)] * 5
    for declared, form in (
        (dp.date("2024-01-01", "2024-12-31", format="%d/%m/%Y"), "2024-05-05"),
        (
            dp.datetime("2024-01-01", "2024-12-31", zone="UTC", format="%d/%m/%Y %H:%M"),
            "2024-05-05 12:30:15",
        ),
    ):
        frame = pandas.DataFrame({"x": pandas.Series([*moments, odd])})
        with dp.table(
            frame,
            name="t",
            unit="row",
            budget=dp.Budget(epsilon=10**6),
            columns={"x": declared},
            ledger=":memory:",
        ) as table:
            asked = table.agg(n=dp.rows(dp.col("x") == form))
            answer = asked.release(epsilon=10**5)["n"]
        same_day = isinstance(odd, datetime.date) and " " not in form
        assert round(float(answer.value)) == 5 + same_day
