"""Every operator that is offered gives what DuckDB gives, on every odd value, or is refused."""

import math
import re
from operator import itemgetter
from random import Random
from typing import Any

import duckdb
import pyarrow
import pytest

from discreet.engines.spark.connection import SparkConnection
from discreet.engines.spark.writer import (
    SparkWriter,
    float_text,
    lowercase,
    text_literal,
    uppercase,
)
from discreet.errors import QueryError
from discreet.plan.expressions import Node
from discreet.plan.types import check_expression
from discreet.sql.read.expressions import parse_expression
from discreet.sql.write.expressions import aliased, column_name, select_columns, table_reference
from discreet.sql.write.expressions import expression_sql as sql_of
from tests.support.arrow_frames import frame
from tests.support.offered_expressions import COLUMNS, EXAMPLES, FURTHER, KINDS, MORE, ROWS

REFUSED = {
    "CAST(diagnosis AS DOUBLE)",
    "TRY_CAST(diagnosis AS DECIMAL(10, 2))",
    "CAST(diagnosis AS INTEGER)",
    "CAST(diagnosis AS BOOLEAN)",
    "YEAR(CAST(diagnosis AS DATE))",
    "diagnosis::DATE + 1",
}
OFFERED = sorted({*EXAMPLES, *FURTHER, *MORE} - REFUSED)
TRANSCENDENTAL = ("EXP", "LN", "LOG", "POWER")
"""Java's may differ from C's in the last digit."""
AT_ONCE = 12


def node_of(text: str) -> Node:
    return check_expression(parse_expression(text), COLUMNS).node


@pytest.fixture(scope="module")
def stored(local_cluster: Any) -> Any:
    """The odd rows in Spark, in memory, and how queries about them are written."""
    rows = [(place, *(row[name] for name in KINDS)) for place, row in enumerate(ROWS)]
    arrow = frame({"place": "bigint", **KINDS}, rows)
    connection = SparkConnection(local_cluster, own=False)
    view = connection.view(local_cluster.createDataFrame(arrow).repartition(2))
    columns = {name: name for name in ("place", *KINDS)}
    local = duckdb.connect()
    local.register("stored", arrow)
    yield connection, SparkWriter({"stored": (view, columns)}), local
    connection.close()
    local.close()


@pytest.mark.parametrize("start", range(0, len(OFFERED), AT_ONCE))
def test_a_value_is_what_duckdb_computes(stored: Any, start: int) -> None:
    connection, writing, local = stored
    texts = OFFERED[start : start + AT_ONCE]
    names = {one: one for one in COLUMNS}
    values = [
        aliased(sql_of(node_of(text), names), f"found_{place}") for place, text in enumerate(texts)
    ]
    inner = select_columns(*map(column_name, ("place", *KINDS))).from_(table_reference("stored"))
    query = select_columns(column_name("place"), *values).from_(inner.subquery("inner_rows"))
    here = sorted(local.execute(query.sql("duckdb")).fetchall(), key=itemgetter(0))
    there = sorted(connection.rows(writing.text(query)), key=itemgetter(0))
    assert len(here) == len(there) == len(ROWS)
    wrong = []
    for one, other in zip(here, there, strict=True):
        for text, a, b in zip(texts, one[1:], other[1:], strict=True):
            if not same(a, b, loose=any(word in text.upper() for word in TRANSCENDENTAL)):
                wrong.append((text, ROWS[one[0]], a, b))
    assert not wrong, wrong[:10]


def same(first: object, second: object, *, loose: bool) -> bool:
    """Equal bit by bit, but for the sign of zero, which nothing shows."""
    if type(first) is not type(second):
        return False
    if loose and isinstance(first, float) and isinstance(second, float):
        return first == second or math.isclose(first, second, rel_tol=1e-13)
    return first == second


@pytest.mark.parametrize("text", sorted(REFUSED))
def test_what_spark_cannot_compute_alike_is_refused(stored: Any, text: str) -> None:
    query = select_columns(aliased(sql_of(node_of(text), {one: one for one in COLUMNS}), "found"))
    with pytest.raises(QueryError, match="not offered on Spark"):
        stored[1].text(query)


def test_a_plain_floor_fails_where_the_written_one_does_not(stored: Any) -> None:
    """Negative control."""
    connection, _, _ = stored
    with pytest.raises(Exception, match=r"(?i)overflow|out of range"):
        connection.rows("SELECT FLOOR(CAST('1e30' AS DOUBLE)) + CAST(1 AS BIGINT) AS found")


def test_letters_are_those_of_duckdb_sign_by_sign(local_cluster: Any) -> None:
    every = [chr(one) for one in range(1, 0x110000) if not 0xD800 <= one < 0xE000]
    local = duckdb.connect()
    local.register("signs", pyarrow.table({"sign": every}))
    for name, written in (("LOWER", lowercase), ("UPPER", uppercase)):
        here = dict(local.execute(f"SELECT sign, {name}(sign) FROM signs").fetchall())
        # All that either engine may change, and many that neither does.
        cased = [one for one in every if here[one] != one or one.upper() != one.lower()]
        rows = pyarrow.table({"sign": [*cased, *every[::200]]})
        frame = local_cluster.createDataFrame(rows)
        there = dict(map(tuple, frame.selectExpr("sign", written("sign")).collect()))
        wrong = {one: (here[one], there[one]) for one in there if here[one] != there[one]}
        assert not wrong
        assert len(there) > 6_000
    local.close()


def test_floats_are_written_as_duckdb_does(local_cluster: Any) -> None:
    random = Random(3)
    numbers = [random.uniform(1, 10) * 10.0 ** random.randint(-300, 307) for _ in range(5_000)]
    numbers += [random.randint(0, 10**17) / 10 ** random.randint(0, 9) for _ in range(5_000)]
    numbers += [sign * 1.5 * 10.0**power for power in range(-20, 25) for sign in (1, -1)]
    numbers += [10.0**power for power in range(-300, 309)]
    numbers += [0.0, math.inf, -math.inf, 1.7976931348623157e308, 2.0**53, 2.0**60, 0.1 + 0.2]
    rows = pyarrow.table({"x": numbers})
    local = duckdb.connect()
    local.register("numbers", rows)
    here = dict(local.execute("SELECT x, CAST(x AS VARCHAR) FROM numbers").fetchall())
    text = f"TRANSFORM(ARRAY(CAST(x AS STRING)), a -> {float_text('a')})[0]"
    there = dict(map(tuple, local_cluster.createDataFrame(rows).selectExpr("x", text).collect()))
    local.close()
    java = local_cluster.sql("SELECT JAVA_METHOD('java.lang.Runtime', 'version')").collect()[0][0]
    if int(re.split(r"\D", java)[0]) < 19:  # older ones write some floats with a digit too many
        here, there = ({one: float(text) for one, text in x.items()} for x in (here, there))
    assert here == there


def test_a_text_is_written_so_that_no_setting_reads_it(local_cluster: Any) -> None:
    texts = ["", "a", "it's", "a\\b", "${spark.app.name}", "日本", "\x00", "%_", "`", '"', "\n"]
    shown = ", ".join(f"{text_literal(text)} AS t{place}" for place, text in enumerate(texts))
    assert list(local_cluster.sql(f"SELECT {shown}").collect()[0]) == texts
    # Negative control: between quotes it would be read.
    plain = local_cluster.sql("SELECT '${spark.app.name}' AS t").collect()[0][0]
    assert plain != "${spark.app.name}"
