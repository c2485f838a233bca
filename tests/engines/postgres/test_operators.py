"""Every operator that is offered gives what DuckDB gives, on every odd value, or is refused."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from math import inf
from random import Random
from typing import Any

import duckdb
import psycopg
import pyarrow
import pytest
from sqlglot import exp

from discreet.engines.postgres.connection import PostgresConnection
from discreet.engines.postgres.numbers import added, divided, multiplied
from discreet.engines.postgres.writer import PostgresWriter
from discreet.errors import QueryError
from discreet.plan.expressions import Node
from discreet.plan.types import check_expression
from discreet.sql.read.expressions import parse_expression
from discreet.sql.write.expressions import aliased, select_columns, table_reference
from discreet.sql.write.expressions import expression_sql as sql_of
from tests.support.cases import each
from tests.support.offered_expressions import COLUMNS, EXAMPLES, FURTHER, KINDS, MORE, ROWS
from tests.support.postgres_tables import new_table
from tests.support.trials import rounds

REFUSED = {
    "stay % age",
    "CAST(diagnosis AS DOUBLE)",
    "TRY_CAST(diagnosis AS DECIMAL(10, 2))",
    "CAST(diagnosis AS INTEGER)",
    "CAST(diagnosis AS BOOLEAN)",
    "YEAR(CAST(diagnosis AS DATE))",
    "diagnosis::DATE + 1",
}
REMAINDERS = {
    "stay % 7": "stay",
    "stay % -3": "stay",
    "MOD(stay, 0)": "stay",
    "MOD(age, 2)": "age",
    "age % 2": "age",
}
"""Remainders, and what they are of: missing from 2^63 on."""


@pytest.fixture(scope="module")
def engines(server: str) -> Iterator[Callable[[Node], tuple[list[Any], list[Any]]]]:
    """What both engines compute of an expression."""
    rows = [tuple(row[name] for name in KINDS) for row in ROWS]
    address = new_table(server, KINDS, rows)
    name = address.rpartition("=")[2]
    columns = ", ".join(
        f'"{one}" COLLATE "C" AS "{one}"' if kind == "text" else f'"{one}"'
        for one, kind in KINDS.items()
    )
    connection = PostgresConnection(server, 60)
    writing = PostgresWriter({"stored": f"(SELECT {columns}, ctid FROM public.{name})"}, "C.utf8")
    arrow = pyarrow.table(
        {one: [row[place] for row in rows] for place, one in enumerate(KINDS)},
    )
    local = duckdb.connect()
    local.register("stored", arrow)

    def computed(node: Node) -> tuple[list[Any], list[Any]]:
        value = aliased(sql_of(node, {one: one for one in COLUMNS}), "found")
        inner = select_columns(exp.Star()).from_(table_reference("stored")).subquery("inner_rows")
        query = select_columns(value).from_(inner)
        text = writing.text(query)
        return (
            [row[0] for row in local.execute(query.sql("duckdb")).fetchall()],
            [row[0] for row in connection.rows(text)],
        )

    yield computed
    connection.close()
    local.close()


def same(first: object, second: object) -> bool:
    """Equal bit by bit, but for the sign of zero, which nothing shows."""
    return type(first) is type(second) and first == second


@pytest.mark.slow
@each("text", sorted({*EXAMPLES, *FURTHER, *MORE} - REFUSED))
def test_a_value_is_what_duckdb_computes(engines: Any, text: str) -> None:
    node = check_expression(parse_expression(text), COLUMNS).node
    here, there = engines(node)
    for row, one, other in zip(ROWS, here, there, strict=True):
        known = text not in REMAINDERS or abs(row[REMAINDERS[text]] or 0.0) < 2.0**63
        expected = one if known else None
        powers = "POWER" in text and text != "POWER(stay, 1)"
        if powers and isinstance(one, float) and abs(one) < 2.3e-308:
            expected = 0.0  # powers are zero before they lose digits
        assert same(expected, other), (text, row, one, other)


@pytest.mark.parametrize("text", sorted(REFUSED))
def test_what_postgresql_cannot_compute_alike_is_refused(engines: Any, text: str) -> None:
    with pytest.raises(QueryError, match="not offered on PostgreSQL"):
        engines(check_expression(parse_expression(text), COLUMNS).node)


def test_a_database_without_letter_cases_is_not_asked_for_them() -> None:
    writing = PostgresWriter({}, None)
    node = check_expression(parse_expression("LOWER(diagnosis)"), COLUMNS).node
    with pytest.raises(QueryError, match="pg_c_utf8"):
        writing.text(select_columns(sql_of(node, {one: one for one in COLUMNS})))


def floats() -> list[float]:
    """Floats of every size, and those where an operation just leaves the floats."""
    edges = [0.0, inf, 5e-324, 2.0**-1022, 1.7976931348623157e308]
    edges += [2.0**power for power in (-1074, -1073, -538, -537, -536, -512, -51, -50, -49, -1)]
    edges += [2.0**power for power in (0, 1, 49, 50, 511, 512, 513, 970, 971, 1022, 1023)]
    edges += [math.nextafter(one, toward) for one in edges for toward in (0.0, inf)]
    drawn = Random(7)
    edges += [
        drawn.uniform(1, 2) * 2.0 ** drawn.randint(-1074, 1022) for _ in range(min(120, rounds(40)))
    ]
    return [sign * one for one in edges for sign in (1, -1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guarded", "plain"),
    [
        (added, lambda a, b: a + b),
        (multiplied, lambda a, b: a * b),
        (divided, lambda a, b: a / b),
    ],
)
def test_guarded_arithmetic_is_that_of_the_machine(
    server: str,
    guarded: Callable[[str, str], str],
    plain: Callable[[float, float], float],
) -> None:
    pairs = [(a, b) for a, b in product(floats(), floats()) if guarded is not divided or b != 0]
    query = f"SELECT {guarded('a', 'b')} FROM UNNEST(%s::float8[], %s::float8[]) AS t(a, b)"
    first, second = map(list, zip(*pairs, strict=True))
    with psycopg.connect(server) as connection:
        found = [row[0] for row in connection.execute(query, (first, second))]
    for a, b, one in zip(first, second, found, strict=True):
        expected = plain(a, b)
        if math.isnan(expected):
            assert one is None or math.isnan(one)
        else:
            assert one == expected or (one == 0 and abs(expected) == 5e-324), (a, b, one)


def test_plain_arithmetic_fails_where_the_guarded_does_not(server: str) -> None:
    """Negative control."""
    with (
        psycopg.connect(server) as connection,
        pytest.raises(psycopg.errors.NumericValueOutOfRange),
    ):
        connection.execute("SELECT 1e308::float8 * 10")
