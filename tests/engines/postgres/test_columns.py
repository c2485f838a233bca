"""A stored type and a declaration fit without a cast that can fail, or the table is refused."""

from contextlib import closing
from decimal import Decimal
from typing import Any

import psycopg
import pytest

import discreet as dp
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.postgres.engine import Postgres
from discreet.engines.sources import Sources, find_source
from discreet.errors import SourceError
from discreet.plan.schema import PartnerTable, Schema
from discreet.question.check import checked_question
from discreet.sql.read.select import parse_select
from tests.support import engine_contract as contract
from tests.support.arrow_frames import frame
from tests.support.measuring import asked
from tests.support.postgres_tables import new_table

LARGEST = 2**1024 - 2**970


def engine(address: str, column: Any, unit: str = "row") -> Postgres:
    return Postgres(Sources(find_source(address)), declared(column, unit))


def declared(column: Any, unit: str = "row") -> Schema:
    caps = {} if unit == "row" else {"max_rows": 2, "max_groups": 1}
    return Schema(name="t", columns={"x": column}, unit=unit, **caps)


def total(opened: Any, column: Any) -> list[int]:
    question = asked(declared(column), {"s": dp.col("x").sum(), "c": dp.col("x").count()})
    found = contract.measured(opened, question, question.measures, None)
    return [one for vector in found.values() for one in vector.values()]


def new_values(server: str, kind: str, *values: str) -> str:
    address = new_table(server, {"x": kind}, [])
    table = address.rpartition("=")[2]
    with psycopg.connect(server) as connection:
        for value in values:
            connection.execute(f"INSERT INTO {table} VALUES ({value})")
    return address


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("smallint", ["1", "32767", "NULL"], [1, 100]),
        ("integer", ["1", "-2147483648", "2"], [1, 0, 2]),
        ("bigint", ["9223372036854775807", "3"], [100, 3]),
        ("real", ["1.5", "'NaN'", "'Infinity'", "'-Infinity'"], [1.5, 100, 0]),
        ("double precision", ["1.5", "'NaN'", "'Infinity'", "4.9e-324"], [1.5, 100, 0]),
        ("numeric", ["1.5", "'NaN'", "'Infinity'", "'-Infinity'", "NULL"], [1.5, 100, 0]),
        ("numeric", ["1e400", "-1e400", "1e-400", "2.5e-324", "1e-320"], [100, 0, 0, 0, 0]),
        ("numeric", [str(LARGEST), str(LARGEST - 1), str(-LARGEST)], [100, 100, 0]),
        ("numeric(5, 2)", ["2.25", "-2.25"], [2.25, 0]),
    ],
)
def test_a_number_is_read_whatever_it_is(
    server: str, kind: str, values: list[str], expected: list[float]
) -> None:
    column = dp.number(0, 100)
    address = new_values(server, kind, *values)
    kinds = {"x": "double precision"}
    with (
        closing(engine(address, column)) as there,
        closing(
            DuckDB(
                Sources(FrameSource(frame(kinds, [(one,) for one in expected]))), declared(column)
            )
        ) as here,
    ):
        assert total(there, column) == total(here, column)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("date", ["'2025-03-01'", "'infinity'", "'-infinity'", "NULL"]),
        ("timestamp", ["'2025-03-01 23:59:59.999999'", "'infinity'", "'-infinity'"]),
        ("timestamptz", ["'2025-03-02 00:30:00+02'", "'infinity'", "'-infinity'"]),
    ],
)
def test_a_date_is_its_day_in_utc(server: str, kind: str, values: list[str]) -> None:
    column = dp.date("2025-01-01", "2025-12-31")
    question = asked(declared(column), {"c": dp.col("x").count(), "q": dp.col("x").median()})
    with closing(engine(new_values(server, kind, *values), column)) as there:
        found = list(contract.measured(there, question, question.measures, None).values())
    assert {0: 1} in found  # one value
    assert any((0, 59) in vector for vector in found)  # the 59th day after January 1st


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("text", "'é '", "é "),
        ("varchar(9)", "'a'", "a"),
        ("char(9)", "'a'", "a"),
        ("integer", "7", "7"),
        ("boolean", "true", "true"),
        ("uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("name", "'a'", "a"),
        ("public.mood", "'good'", "good"),
        ("public.short", "'ab'", "ab"),
    ],
)
def test_a_text_is_its_characters(server: str, kind: str, value: str, text: str) -> None:
    with psycopg.connect(server) as connection:
        connection.execute("DROP TYPE IF EXISTS public.mood CASCADE")
        connection.execute("DROP DOMAIN IF EXISTS public.short CASCADE")
        connection.execute("CREATE TYPE public.mood AS ENUM ('good', 'bad')")
        connection.execute("CREATE DOMAIN public.short AS text CHECK (length(VALUE) < 5)")
    question = asked(declared(dp.text()), {"n": dp.rows()}, ("x",))
    with closing(engine(new_values(server, kind, value), dp.text())) as there:
        assert contract.keys(there, question) == {(text,): 1}


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("text", dp.number(0, 1)),
        ("date", dp.integer(0, 1)),
        ("money", dp.number(0, 1)),
        ("text", dp.date("2025-01-01", "2025-12-31")),
        ("time", dp.date("2025-01-01", "2025-12-31")),
        ("text", dp.boolean()),
        ("text", dp.category([1, 2])),
        ("json", dp.text()),
        ("jsonb", dp.text()),
        ("text[]", dp.text()),
        ("bytea", dp.text()),
        ("int4range", dp.number(0, 1)),
        ("point", dp.number(0, 1)),
    ],
)
def test_a_type_that_needs_a_cast_that_can_fail_is_refused(
    server: str, kind: str, column: Any
) -> None:
    with pytest.raises(SourceError, match=r"CREATE VIEW … AS SELECT \"x\"::"):
        engine(new_table(server, {"x": kind}, []), column)


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        ("smallint", ["1", "1", "2", "NULL"]),
        ("numeric", ["1.0", "1.00", "2", "'NaN'"]),
        ("double precision", ["0.0", "-0.0", "1", "'NaN'"]),
        ("char(5)", ["'a'", "'a '", "'b'", "NULL"]),
        ("uuid", [*["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"] * 2, "gen_random_uuid()", "NULL"]),
        ("timestamptz", ["'2025-01-01 01:00+01'", "'2025-01-01 00:00+00'", "now()", "NULL"]),
        ("bytea", ["'a'", "'a'", "'b'", "NULL"]),
        ("boolean", ["true", "true", "false", "NULL"]),
    ],
)
def test_ids_of_every_type_are_people(server: str, kind: str, ids: list[str]) -> None:
    address = new_table(server, {"id": kind, "x": "double precision", "tag": "text"}, [])
    table = address.rpartition("=")[2]
    with psycopg.connect(server) as connection:
        for one in ids:
            connection.execute(f"INSERT INTO {table} VALUES ({one}, 1, 'a')")
    columns = {"x": dp.number(0, 1), "tag": dp.text()}
    schema = Schema(name="t", columns=columns, unit="id", max_rows=1, max_groups=1)
    question = asked(schema, {"n": dp.people(), "d": dp.col("tag").n_unique(), "r": dp.rows()})
    with (
        closing(Postgres(Sources(find_source(address)), schema)) as there,
        there.prepared(question, question.measures, question.unit),
    ):
        found = contract.measured(there, question, question.measures, None)
    people, texts, rows = (found[output.measure] for output in question.outputs)
    assert people == {0: 2}
    assert texts == {0: 1}
    assert set(rows) == {0}


@pytest.mark.parametrize("kind", ["json", "jsonb", "text[]", "point", "interval"])
def test_ids_that_are_not_compared_are_refused(server: str, kind: str) -> None:
    address = new_table(server, {"id": kind, "x": "integer"}, [])
    with pytest.raises(SourceError, match="the unit 'id' is stored with"):
        engine(address, dp.number(0, 1), "id")


TWO = Schema(
    name="t",
    columns={"x": dp.integer(0, 10)},
    unit="id",
    max_rows=1,
    max_groups=1,
    private={"others": PartnerTable(columns={"x": dp.integer(0, 10)}, unit="id", max_rows=1)},
)


def beside(server: str, first: str, second: str) -> Postgres:
    places = [
        find_source(new_table(server, {"id": kind, "x": "integer"}, [("1", 5), ("2", 6)]))
        for kind in (first, second)
    ]
    return Postgres(Sources(places[0], {"others": places[1]}), TWO)


@pytest.mark.parametrize(
    ("first", "second"),
    [("bigint", "text"), ("numeric(5, 2)", "double precision"), ("char(3)", "real")],
)
def test_a_person_has_one_id_however_it_is_stored(server: str, first: str, second: str) -> None:
    text = "SELECT SUM(o.x) AS s FROM t JOIN others AS o ON t.id = o.id"
    question = checked_question(parse_select(text, TWO), TWO)
    with closing(beside(server, first, second)) as there:
        found = contract.measured(there, question, question.measures, None)
    assert any(vector[0] > 0 for vector in found.values())


def test_bytes_are_no_texts_of_ids(server: str) -> None:
    with pytest.raises(SourceError, match="bytea, text"):
        beside(server, "bytea", "text")


def test_private_tables_are_of_one_database(server: str) -> None:
    places = [find_source(new_table(server, {"id": "text", "x": "integer"}, [])) for _ in range(2)]
    other = find_source(f"{server}&connect_timeout=9&table={places[1].table}")  # type: ignore[union-attr]
    schema = Schema(
        name="t",
        columns={},
        unit="id",
        private={"others": PartnerTable(columns={}, unit="id", max_rows=1)},
    )
    for second in (other, FrameSource(frame({"id": "text"}, []))):
        with pytest.raises(SourceError, match="one PostgreSQL database"):
            Postgres(Sources(places[0], {"others": second}), schema)


def test_a_public_table_is_a_file_or_a_frame(server: str) -> None:
    address = new_table(server, {"ward": "text"}, [("A",)])
    with pytest.raises(SourceError, match="Save it as CSV"):
        dp.table(
            address,
            unit="row",
            columns={"ward": dp.category(["A"])},
            public={"wards": address},
            budget=dp.Budget(epsilon=1),
            ledger=":memory:",
        )


def test_a_public_table_that_is_too_long_is_refused(server: str) -> None:
    address = new_table(server, {"ward": "text"}, [("A",)])
    rows = [(str(one),) for one in range(10_001)]
    with pytest.raises(SourceError, match="more than 10,000 rows"):
        dp.table(
            address,
            unit="row",
            columns={"ward": dp.category(["A"])},
            public={"wards": frame({"ward": "text"}, rows)},
            budget=dp.Budget(epsilon=1),
            ledger=":memory:",
        )


def test_numerics_are_compared_as_decimals() -> None:
    """The bounds of what is no float are those of rounding to the nearest."""
    assert float(Decimal(LARGEST - 1)) == 1.7976931348623157e308
    with pytest.raises(OverflowError):
        float(LARGEST)
