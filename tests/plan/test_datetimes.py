"""Datetimes as they are declared: bounds, zones and formats, refused with what to write instead."""

import datetime
import struct
from importlib import resources
from itertools import pairwise
from random import Random
from typing import Any

import pytest

import discreet as dp
from discreet.engines.clocks import clock_sql
from discreet.errors import BoundsError
from discreet.plan.calendar import (
    DAY_SECONDS,
    FIRST_SECOND,
    LAST_SECOND,
    Dated,
    date_text,
    dated_text,
    datetime_text,
    second,
)
from discreet.plan.schema import NumberColumn, Schema, schema_from_data
from discreet.plan.zones import AROUND, MOST_CHANGES, _zone, zone_offsets

YEAR = ("2024-01-01", "2024-12-31 23:59:59")
COLUMNS: list[NumberColumn] = [
    dp.datetime(),
    dp.datetime(*YEAR),
    dp.datetime(*YEAR, default="2024-06-01 12:00"),
    dp.datetime(*YEAR, zone="Europe/Paris"),
    dp.datetime(*YEAR, zone="America/Los_Angeles", unit="ms"),
    dp.datetime(*YEAR, format="%d/%m/%Y %H:%M"),
    dp.datetime(*YEAR, zone="UTC", format="%Y%m%d%H%M%S%z"),
    dp.date("2024-01-01", "2024-12-31", format="%d/%m/%Y"),
    dp.number(0, 60, decimal=","),
    dp.integer(0, 60, decimal=","),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda one: str(one.to_data()))
def test_a_declaration_is_what_the_ledger_reads_back(column: NumberColumn) -> None:
    kept = Schema(name="t", columns={"x": column}).to_data()
    now = Schema(name="t", columns={"x": dp.text()})
    assert schema_from_data(kept, now).columns["x"] == column


def test_columns_that_differ_in_how_cells_are_read_are_kept_apart() -> None:
    kept = [str(column.to_data()) for column in COLUMNS]
    assert len(set(kept)) == len(kept)


def test_bounds_are_whole_seconds_of_the_clock() -> None:
    column = dp.datetime(datetime.datetime(2024, 1, 1, 6), datetime.date(2024, 12, 31))
    assert column.to_data()["low"] == "2024-01-01 06:00:00"
    assert column.to_data()["high"] == "2024-12-31 00:00:00"
    for text in ("0001-01-01 00:00:00", "1969-12-31 23:59:59", "9999-12-31 23:59:59"):
        assert datetime_text(second(text) or 0) == text
    assert second("0001-01-01") == FIRST_SECOND
    assert second("9999-12-31 23:59:59.9") == LAST_SECOND
    assert dated_text(-1, Dated.DAYS) == date_text(-1) == "1969-12-31"


@pytest.mark.parametrize(
    ("declare", "said"),
    [
        (lambda: dp.datetime("2024-01-01"), "one bound"),
        (lambda: dp.datetime("2024-01-01", "soon"), "datetime column is not one"),
        (lambda: dp.datetime("2024-01-01", "2024-12-31T00:00:00Z"), "without a zone"),
        (lambda: dp.datetime("2024-01-02", "2024-01-01 12:00"), "do not increase"),
        (lambda: dp.datetime(*YEAR, zone="Europe/Pari"), 'Write zone="Europe/Paris"'),
        (lambda: dp.datetime(*YEAR, zone="+02:00"), "is not known"),
        (lambda: dp.datetime(*YEAR, zone="../UTC"), "is not known"),
        (lambda: dp.datetime(zone="UTC"), "a zone and no bounds"),
        (lambda: dp.datetime(*YEAR, unit="s"), "a unit and no zone"),
        (lambda: dp.datetime(*YEAR, unit="ns", zone="UTC"), 'unit="ms"'),
        (lambda: dp.datetime(*YEAR, unit="s", zone="UTC", format="%Y%m%d"), "a unit and a format"),
        (lambda: dp.datetime(*YEAR, format="%Y-%m-%dT%H:%M%z"), "%z and no zone"),
        (lambda: dp.datetime("0001-01-01", "9999-12-31", zone="Europe/Paris"), "narrower bounds"),
        (lambda: dp.datetime(*YEAR, format="%Y-%m"), "year, month and day"),
        (lambda: dp.datetime(*YEAR, format="%Y-%m-%d %I:%M"), "%I and %p"),
        (lambda: dp.datetime(*YEAR, format="%Y-%m-%d %H %H"), "once each"),
        (lambda: dp.date("2024-01-01", "2024-12-31", format="%d/%m/%Y %H"), "%d/%m/%Y"),
        (lambda: dp.date("2024-01-01", "2024-12-31", format="%d/%m/%Y%"), "cannot|can be read"),
        (lambda: dp.number(0, 1, decimal="."), None),
        (lambda: dp.number(0, 1, decimal=";"), "decimal is"),
    ],
)
def test_what_cannot_be_declared_says_what_can(declare: Any, said: str | None) -> None:
    if said is None:
        assert declare().decimal is None
        return
    with pytest.raises(BoundsError, match=said):
        declare()


# ---------------------------------------------------------------------- zones


def test_no_zone_changes_twice_within_a_day() -> None:
    """By which the offsets are found: the change is looked for day by day."""
    root = resources.files("tzdata").joinpath("zoneinfo")
    listed = resources.files("tzdata").joinpath("zones").read_text("utf-8").split()
    closest = min(
        later - earlier
        for name in listed
        for changes in [_changes(root.joinpath(*name.split("/")).read_bytes())]
        for earlier, later in pairwise(changes)
    )
    assert closest > DAY_SECONDS


def _changes(data: bytes) -> tuple[int, ...]:
    """The moments at which a zone changes, by the second part of its file (RFC 8536)."""
    counts = struct.unpack(">6l", data[20:44])
    utc, standard, leaps, changes, kinds, letters = counts
    start = 44 + changes * 5 + kinds * 6 + letters + leaps * 8 + standard + utc
    many = struct.unpack(">6l", data[start + 20 : start + 44])[3]
    return struct.unpack(f">{many}q", data[start + 44 : start + 44 + 8 * many])


ZONES = ("Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "UTC")


@pytest.mark.parametrize("zone", [*ZONES, "Asia/Kathmandu", "Pacific/Apia", "America/St_Johns"])
def test_offsets_are_those_of_python(zone: str) -> None:
    low, high = second("1940-01-01") or 0, second("2060-12-31") or 0
    clock, random = zone_offsets(zone, low, high), Random(zone)
    assert list(clock.changes) == sorted(set(clock.changes))
    assert len(clock.offsets) == len(clock.changes) + 1 <= MOST_CHANGES
    near = [change + shift for change in clock.changes for shift in (-1, 0, 1)]
    for moment in [*near, *(random.randrange(low - AROUND, high + AROUND) for _ in range(500))]:
        utc = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
        shown = (utc + datetime.timedelta(seconds=moment)).astimezone(_zone(zone))
        place = sum(change <= moment for change in clock.changes)
        assert shown.utcoffset() == datetime.timedelta(seconds=clock.offsets[place]), moment


@pytest.mark.parametrize("zone", ZONES)
def test_the_sql_of_a_clock_is_its_offsets(zone: str) -> None:
    import duckdb

    clock = zone_offsets(zone, second("1990-01-01") or 0, second("2030-01-01") or 0)
    moments = [change + shift for change in clock.changes for shift in (-1, 0)]
    moments += [FIRST_SECOND, LAST_SECOND, 0, FIRST_SECOND - 1, LAST_SECOND + 1]
    moments += [
        end - offset + shift
        for end in (FIRST_SECOND, LAST_SECOND)
        for offset in clock.offsets
        for shift in (-1, 0, 1)
    ]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT UNNEST(?::BIGINT[]) AS u", [moments])
        found = connection.execute(f"SELECT u, {clock_sql('u', clock)} FROM t").fetchall()
    for moment, shown in found:
        offset = clock.offsets[sum(change <= moment for change in clock.changes)]
        inside = FIRST_SECOND <= moment <= LAST_SECOND
        inside = inside and FIRST_SECOND <= moment + offset <= LAST_SECOND
        assert shown == (moment + offset if inside else None)
