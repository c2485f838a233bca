"""Every cell that PostgreSQL can store is read by the rule, or its type is refused at once."""

import datetime
from collections.abc import Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from math import inf
from typing import Any
from uuid import UUID

import psycopg
import pytest

from discreet.engines.postgres.columns import StoredColumn, relation, stored_columns
from discreet.engines.postgres.connection import PostgresConnection
from discreet.engines.postgres.source import PostgresTable
from discreet.engines.sources import TableView, find_source
from discreet.errors import SourceError
from discreet.plan.schema import NumberColumn
from tests.reading import rule
from tests.reading.stores import PLACE, read_back
from tests.support.postgres_tables import new_table

SMALL = [None, 0, 1, 7, -1, 100]
STORABLE = [cell for cell in rule.TEXTS if cell is None or "\0" not in cell]
"""PostgreSQL's texts have no zero byte."""
NUMERICS: list[Any] = [*rule.DECIMALS, *rule.WIDE_DECIMALS, *map(Decimal, rule.HUGE[1:])]
NUMERICS += map(Decimal, ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "2.5e-324"])
NUMERICS += [Decimal(2**1024 - 2**970), Decimal(2**1024 - 2**970 - 1), Decimal("1e-320")]
NUMERICS += map(Decimal, ["1.00000000000000000000000000001", "0.000", "-0.0"])
BEYOND = ["infinity", "-infinity", "10000-01-01", "0001-12-31 BC", "0002-01-01 BC", "290000-01-01"]
WORDS = ["a", "7", "7.0", "true", "it's", "2020-01-02"]
TIME = {"time of day"}
NO_DATE = {"date", "datetime"} | TIME
NO_NUMBER = {"number", "integer", "numeric category", "boolean", "milliseconds", "decimal comma"}
BY_TEXT = NO_NUMBER | NO_DATE
EVERY = set(rule.DECLARED)

# What is stored, and the declarations that its type is refused for.
STORED: dict[str, tuple[Sequence[Any], set[str]]] = {
    "smallint": (SMALL, NO_DATE),
    "integer": ([*SMALL, 2**31 - 1, -(2**31)], NO_DATE),
    "bigint": (rule.INTEGERS, NO_DATE),
    "double precision": (rule.FLOATS, NO_DATE),
    "real": (rule.SMALL_FLOATS, NO_DATE),
    "numeric": (NUMERICS, NO_DATE),
    "numeric(5, 2)": (rule.DECIMALS, NO_DATE),
    "boolean": (rule.BOOLEANS, NO_DATE),
    "text": (STORABLE, BY_TEXT),
    "varchar": (STORABLE, BY_TEXT),
    "varchar(3)": ([None, "", "a", "7", "7.0", "Ä"], BY_TEXT),
    "char(9)": ([None, "a", "7", "true", "Ä"], BY_TEXT),
    "name": ([None, "a", "7"], BY_TEXT),
    "public.words": ([None, *WORDS], BY_TEXT),
    "public.short_text": ([None, *WORDS[:3]], BY_TEXT),
    "public.shorter_text": ([None, *WORDS[:3]], BY_TEXT),
    "public.small_number": (SMALL, NO_DATE),
    "uuid": ([None, UUID(int=255), UUID(int=2**128 - 1)], BY_TEXT),
    "date": (rule.DATES, NO_NUMBER | TIME),
    "timestamp": (rule.MOMENTS, NO_NUMBER | TIME),
    "timestamptz": (rule.ZONED, NO_NUMBER | TIME),
    "bytea": (rule.BYTES, EVERY),
    "money": ([None], EVERY),
    "time": ([*rule.TIMES, "24:00:00"], EVERY - TIME),
    "timetz": ([None], EVERY),
    "interval": ([None], EVERY),
    "bit(3)": ([None], EVERY),
    "json": ([None], EVERY),
    "jsonb": ([None], EVERY),
    "xml": ([None], EVERY),
    "inet": ([None], EVERY),
    "point": ([None], EVERY),
    "int4range": ([None], EVERY),
    "integer[]": ([None], EVERY),
    '"char"': ([None], EVERY),
    "oid": ([None], EVERY),
    "public.pair": ([None], EVERY),
}


@pytest.fixture(scope="module")
def kinds(server: str) -> Iterator[str]:
    """A server with types of its own."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE TYPE public.words AS ENUM (" + listed(WORDS) + ")")
        connection.execute("CREATE TYPE public.pair AS (a integer, b text)")
        connection.execute(
            "CREATE DOMAIN public.short_text AS text NOT NULL CHECK (LENGTH(VALUE) < 9)"
        )
        connection.execute("ALTER DOMAIN public.short_text DROP NOT NULL")
        connection.execute("CREATE DOMAIN public.shorter_text AS public.short_text")
        connection.execute("CREATE DOMAIN public.small_number AS numeric CHECK (VALUE < 1000)")
    yield server
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP TYPE public.words, public.pair CASCADE")
        connection.execute("DROP DOMAIN public.short_text, public.small_number CASCADE")


def listed(texts: Sequence[str]) -> str:
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts)


def stored(server: str, kind: str, cells: Sequence[Any]) -> str:
    """A table of the cells' places, and copies of the cells."""
    kinds = {PLACE: "integer"} | {f"c{copy}": kind for copy in range(len(rule.DECLARED))}
    rows = [(place, *[cell] * len(rule.DECLARED)) for place, cell in enumerate(cells)]
    return new_table(server, kinds, rows)


def check(address: str, cells: Sequence[Any], refused: set[str], what: str) -> None:
    """Compare cell by cell, for every declaration, and name those that differ."""
    copies = {
        name: (f"c{copy}", declared) for copy, (name, declared) in enumerate(rule.DECLARED.items())
    }
    for name in refused:
        copy, declared = copies.pop(name)
        with pytest.raises(SourceError, match="could fail on a row"):
            relation(TableView(find_source(address), {copy: declared}), "t", columns_of(address))
    if not copies:
        return
    rows = read_back(address, {PLACE: NumberColumn(), **dict(copies.values())})
    found = {int(row[0]): row[1:] for row in rows}
    assert len(found) == len(cells), what
    wrong = [
        f"{what}: {cell!r} as {name}: {value!r}, not {expected!r}"
        for place, cell in enumerate(cells)
        for (name, (_, declared)), value in zip(copies.items(), found[place], strict=True)
        for expected in [rule.read(declared, cell)]
        if value != expected or type(value) is not type(expected)
    ]
    assert not wrong, "\n".join(wrong)


def columns_of(address: str) -> tuple[StoredColumn, ...]:
    place = find_source(address)
    assert isinstance(place, PostgresTable)
    with closing(PostgresConnection(place.address, 60)) as connection:
        return stored_columns(connection, place)


@pytest.mark.parametrize("kind", STORED)
def test_a_cell_is_read_by_the_rule(kinds: str, kind: str) -> None:
    cells, refused = STORED[kind]
    check(stored(kinds, kind, cells), cells, refused, kind)


def test_a_collation_makes_no_two_texts_one(full_server: str) -> None:
    with psycopg.connect(full_server, autocommit=True) as connection:
        connection.execute(
            "CREATE COLLATION public.en_ci (provider = icu, locale = 'en-u-ks-level2', "
            "deterministic = false)"
        )
    kind = "text COLLATE public.en_ci"
    check(stored(full_server, kind, STORABLE), STORABLE, BY_TEXT, kind)


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamptz"])
def test_what_the_calendar_does_not_have_is_missing(server: str, kind: str) -> None:
    edges = ["0001-01-01", "9999-12-31"]
    address = stored(server, kind, [*BEYOND, *edges])
    days = read_back(address, {PLACE: NumberColumn(), "c0": rule.DECLARED["date"]})
    first, last = (datetime.date.fromisoformat(edge).toordinal() - 719163 for edge in edges)
    missing = [None] * len(BEYOND)
    assert [day for _, day in sorted(days)] == [*missing, first, last]
    texts = read_back(address, {PLACE: NumberColumn(), "c0": rule.DECLARED["text"]})
    assert [text for _, text in sorted(texts)][: len(BEYOND)] == missing
    (whose,) = {
        unit for _, unit in read_back(address, {PLACE: NumberColumn()}, "c0") if _ < len(BEYOND)
    }
    assert whose is None


def test_a_session_in_another_place_reads_the_same(server: str) -> None:
    """What a role or an address sets does not decide."""
    zone = "&options=-cTimeZone%3DAsia/Tokyo%20-cDateStyle%3DGerman%20-cextra_float_digits%3D-15"
    for kind in ("timestamptz", "timestamp", "double precision"):
        cells, refused = STORED[kind]
        address = stored(server, kind, cells)
        check(address.replace("&table", f"{zone}&table"), cells, refused, kind)


def test_a_text_that_is_too_long_is_missing(server: str) -> None:
    address = stored(server, "text", [])
    name = address.rpartition("=")[2]
    with psycopg.connect(server) as connection:
        connection.execute(
            f"INSERT INTO public.{name} (place, c0) VALUES (0, REPEAT('a', {1 << 16})), "
            f"(1, REPEAT('a', {(1 << 16) + 1})), (2, REPEAT('ä', {(1 << 15) + 1}))"
        )
    found = read_back(address, {PLACE: NumberColumn(), "c0": rule.DECLARED["text"]})
    lengths = {int(place): text if text is None else len(text) for place, text in found}
    assert lengths == {0: 1 << 16, 1: None, 2: None}


IDS: dict[str, Sequence[Any]] = {
    "bigint": rule.INTEGERS,
    "double precision": rule.FLOATS,
    "real": rule.SMALL_FLOATS,
    "numeric": [Decimal(1), Decimal("1.00"), Decimal("NaN"), None, Decimal(2), Decimal("-0.0")],
    "text": STORABLE,
    "char(9)": [None, "a", "7"],
    "date": rule.DATES,
    "timestamp": rule.MOMENTS,
    "timestamptz": rule.ZONED,
    "boolean": rule.BOOLEANS,
    "uuid": [None, UUID(int=255)],
    "bytea": [*rule.BYTES, *rule.NOT_UTF8],
}


@pytest.mark.parametrize("kind", IDS)
def test_people_are_told_apart_as_the_rule_does(server: str, kind: str) -> None:
    cells = IDS[kind]
    address = stored(server, kind, [*cells, *cells])
    found = {int(place): unit for place, unit in read_back(address, {PLACE: NumberColumn()}, "c0")}
    whose = [rule.read_id(cell) for cell in [*cells, *cells]]
    for place, one in enumerate(whose):
        assert (found[place] is None) == (one is None), (kind, (*cells, *cells)[place])
        for other, two in enumerate(whose):
            if one is not None and two is not None:
                same = found[place] == found[other]
                assert same == (one == two), (kind, cells[place % len(cells)], two)


def test_one_hostile_row_changes_no_other(server: str) -> None:
    for kind, calm, hostile in (
        ("double precision", [1.5, 7.0], [rule.nan, inf, -inf, 1e308]),
        ("numeric", [Decimal("1.5"), Decimal(7)], map(Decimal, ["NaN", "1e400", "1e-400"])),
        ("timestamp", [datetime.datetime(2020, 1, 2)], ["infinity", "290000-01-01"]),
        ("text", ["a", "7"], ["\ud7ff", "x" * 100_000]),
    ):
        for cell in hostile:
            address = stored(server, kind, [*calm, cell])
            declared = {
                f"c{copy}": column
                for copy, (name, column) in enumerate(rule.DECLARED.items())
                if name not in STORED[kind][1]
            }
            for place, *found in read_back(address, {PLACE: NumberColumn(), **declared}):
                if place < len(calm):
                    expected = [rule.read(one, calm[int(place)]) for one in declared.values()]
                    assert found == expected, (kind, cell)
