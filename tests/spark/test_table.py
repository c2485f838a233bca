"""A Spark table on a user's own surface: frames, paths, tables, addresses, policies, commands."""

import logging
import os
import socket
import subprocess
import sys
import time
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import discreet as dp
from discreet.engines.sources import Sources, find_source
from discreet.engines.spark.engine import Spark
from discreet.engines.spark.session import check_running
from discreet.errors import SourceError
from discreet.plan.schema import ROW, Schema
from discreet.privacy.sensitivity import Neighbors
from tests.support import engine_contract as contract
from tests.support.arrow_frames import frame
from tests.support.measuring import asked, integers
from tests.support.waits import PATIENCE

PEOPLE = 400


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The visits of a small hospital as Parquet."""
    from pyarrow.parquet import write_table

    place = tmp_path / "visits.parquet"
    write_table(frame(contract.VISITS, contract.visits()), place)
    tmp_path.chmod(0o755)
    return place


def counted(table: dp.Table) -> float:
    return float(table.sql("SELECT COUNT(DISTINCT patient) AS n FROM visits", epsilon=2)["n"].value)


def test_files_are_read_by_spark_if_that_is_said(local_cluster: Any, files: Path) -> None:
    with dp.table(str(files), engine="spark", **contract.hospital()) as table:
        assert abs(counted(table) - PEOPLE) < 60
        assert type(table.engine()).__name__ == "Spark"
        answer = table.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1)
        assert answer.certificate.versions["spark"] == local_cluster.version
        assert "duckdb" not in answer.certificate.versions
        with pytest.raises(dp.DiscreetError):
            table.sql("SELECT stay FROM visits", epsilon=1)


def test_a_table_of_a_catalog_is_read_by_its_name(local_cluster: Any, files: Path) -> None:
    local_cluster.sql("CREATE DATABASE IF NOT EXISTS hospital")
    local_cluster.read.parquet(str(files)).write.mode("overwrite").saveAsTable("hospital.visits")
    try:
        with dp.table("spark://?table=hospital.visits", **contract.hospital()) as table:
            assert abs(counted(table) - PEOPLE) < 60
    finally:
        local_cluster.sql("DROP DATABASE hospital CASCADE")


POLICY = """
source = "{source}"
{engine}
name = "visits"
unit = "patient"
max_groups = 3
max_rows = 6
ledger = "visits.ledger"
[budget]
epsilon = 20
[columns]
ward = {{ values = ["A", "B", "C"] }}
stay = {{ low = 0, high = 60 }}
"""
QUESTION = "SELECT ward, COUNT(*) AS n, AVG(stay) AS m FROM visits GROUP BY ward"


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The command, as it is typed, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from discreet.cli.main import main; main()", *arguments],
        cwd=folder,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("kind", ["standalone", pytest.param("connect", marks=pytest.mark.soak)])
def test_a_policy_may_name_a_cluster(request: Any, files: Path, kind: str) -> None:
    address = request.getfixturevalue(kind)
    folder = files.parent
    (folder / "visits.toml").write_text(POLICY.format(source=f"{address}?path={files}", engine=""))
    ran = run(folder, "ask", "visits.toml", QUESTION, "--epsilon", "2", "--yes")
    assert ran.returncode == 0, ran.stderr
    assert "ward" in ran.stdout
    assert "spent" in ran.stdout.lower() or "left" in ran.stdout.lower()
    assert "Traceback" not in ran.stderr


def test_a_policy_is_made_from_the_names_and_types(connect: str, files: Path) -> None:
    ran = run(files.parent, "init", f"{connect}?path={files}", "--unit", "patient")
    assert ran.returncode == 0, ran.stderr
    text = (files.parent / "visits.toml").read_text()
    assert all(name in text for name in ("ward", "stay", "age", "smoker", "admitted"))


def test_the_doctor_finds_spark_and_java(files: Path) -> None:
    ran = run(files.parent, "doctor")
    assert ran.returncode == 0, ran.stdout
    lines = {line.split()[0]: line for line in ran.stdout.splitlines() if line.strip()}
    assert "found" in lines["pyspark"]
    assert "found" in lines["Java"]


# ---------------------------------------------------------------------- types and settings


def one_sum(session: Any, rows: pyarrow.Table, column: Any) -> Any:
    declared = Schema(name="t", columns={"x": column}, unit=ROW, neighbors=Neighbors.ADD_REMOVE)
    engine = Spark(Sources(find_source(session.createDataFrame(rows))), declared)
    question = asked(declared, asked_of(column))
    try:
        with engine.prepared(question, question.measures, question.unit):
            return integers(engine, question, question.measures, None)  # type: ignore[arg-type]
    finally:
        engine.close()


def asked_of(column: Any) -> dict[str, Any]:
    """What may be asked of a column: dates have no sum."""
    found = dp.col("x").median() if column.dated else dp.col("x").sum()
    return {"s": found, "n": dp.col("x").count()}


ENDS = [-(2**63), 1 - 2**63, 2 - 2**63, -1, 0, 2**63 - 1]
TYPED = [
    (pyarrow.array(ENDS, pyarrow.timestamp("us", "UTC")), dp.date("1960-01-01", "2025-01-01")),
    (
        pyarrow.array([-(2**31) + 1, -1, 0, 2**31 - 1], pyarrow.date32()),
        dp.date("1960-01-01", "2025-01-01"),
    ),
    (pyarrow.array([1, None, 127], pyarrow.int8()), dp.integer(0, 200)),
    (pyarrow.array([1, None, -(2**63), 2**63 - 1], pyarrow.int64()), dp.integer(0, 200)),
    (pyarrow.array([1.5, None, float("nan"), float("inf")], pyarrow.float32()), dp.number(0, 8)),
    (pyarrow.array([Decimal("1.25"), None, Decimal("-3.5")]), dp.number(-2, 8)),
    (pyarrow.array([Decimal(10) ** 37, None], pyarrow.decimal128(38, 0)), dp.number(0, 8)),
    (pyarrow.array([date(2024, 2, 29), None, date(1, 1, 1)]), dp.date("2024-01-01", "2025-01-01")),
    (
        pyarrow.array([datetime(2024, 2, 29, 23, 59), datetime(1969, 12, 31, 0, 0, 1)]),
        dp.date("1960-01-01", "2025-01-01"),
    ),
    (
        pyarrow.array(
            [datetime(2024, 2, 29, 23, 59), datetime(1969, 12, 31, 23)],
            pyarrow.timestamp("us", "UTC"),
        ),
        dp.date("1960-01-01", "2025-01-01"),
    ),
]


@pytest.mark.parametrize(
    ("values", "column"), TYPED, ids=[f"{place} {one[0].type}" for place, one in enumerate(TYPED)]
)
def test_a_stored_type_is_read_as_on_duckdb(local_cluster: Any, values: Any, column: Any) -> None:
    from discreet.engines.duckdb.engine import DuckDB
    from discreet.engines.duckdb.source import FrameSource

    rows = pyarrow.table({"x": values})
    declared = Schema(name="t", columns={"x": column}, unit=ROW, neighbors=Neighbors.ADD_REMOVE)
    here = DuckDB(Sources(FrameSource(rows)), declared)
    question = asked(declared, asked_of(column))
    expected = integers(here, question, question.measures, None)
    here.close()
    assert one_sum(local_cluster, rows, column) == expected


SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConstantFolding",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
}


@pytest.mark.parametrize(
    "names",
    [pytest.param([name], id=name, marks=pytest.mark.soak) for name in SETTINGS]
    + [pytest.param(list(SETTINGS), id="all at once")],
)
def test_no_setting_of_the_session_changes_an_integer(local_cluster: Any, names: list[str]) -> None:
    rows = frame(contract.TYPES, contract.adversarial())
    one = next(one for one in contract.questions(quick=True) if one[0].startswith("id") and one[3])
    _, declared, question, blocks, cells = one
    engine = Spark(Sources(find_source(local_cluster.createDataFrame(rows))), declared)
    expected = contract.measured(engine, question, blocks, cells)
    before = {name: local_cluster.conf.get(name, None) for name in names}
    for name in names:
        local_cluster.conf.set(name, SETTINGS[name])
    try:
        assert contract.measured(engine, question, blocks, cells) == expected
    finally:
        engine.close()
        for name, value in before.items():
            if value is None:
                local_cluster.conf.unset(name)
            else:
                local_cluster.conf.set(name, value)


def test_names_that_differ_by_letters_only_are_told_apart(local_cluster: Any) -> None:
    columns = {"x": pyarrow.array([1.0] * 400), "X": pyarrow.array([2.0] * 400)}
    rows = local_cluster.createDataFrame(pyarrow.table({**columns, "a.b `c`": ["a"] * 400}))
    declared = {"x": dp.number(0, 5), "X": dp.number(0, 5), "a.b `c`": dp.category(["a", "b"])}
    with dp.table(
        rows,
        name="t",
        unit="row",
        budget=dp.Budget(epsilon=10),
        columns=declared,
        ledger=":memory:",
    ) as table:
        query = 'SELECT SUM(x) AS a, SUM("X") AS b FROM t WHERE "a.b `c`" = \'a\''
        found = table.sql(query, epsilon=5)
        assert round(found["a"].value / 400) == 1
        assert round(found["b"].value / 400) == 2


@pytest.mark.parametrize(
    "text", ["${spark.app.name}", "${env:HOME}", "it's", "a\\'b", "a\\", "%", "`", '"', "\n"]
)
def test_a_text_constant_means_itself(local_cluster: Any, text: str) -> None:
    rows = local_cluster.createDataFrame(pyarrow.table({"t": [text] * 60 + ["other"] * 200}))
    with dp.table(
        rows,
        name="t",
        unit="row",
        budget=dp.Budget(epsilon=10),
        columns={"t": dp.text()},
        ledger=":memory:",
    ) as table:
        quoted = text.replace("'", "''")
        found = table.sql(f"SELECT COUNT(*) AS n FROM t WHERE t = '{quoted}'", epsilon=5)
        assert abs(found["n"].value - 60) < 20


# ---------------------------------------------------------------------- refusals


def test_what_cannot_be_read_is_refused_when_the_table_is_opened(local_cluster: Any) -> None:
    from pyspark.sql import functions

    rows = local_cluster.createDataFrame(frame(contract.VISITS, contract.visits()))
    streamed = local_cluster.readStream.format("rate").load()
    cases = [
        (rows.withColumn("stay", functions.rand()), "chance decides"),
        (rows.withColumn("stay", functions.lit("a")), r"try_cast\(`stay` AS double\)"),
        (rows.withColumn("stay", functions.current_date()), r"dp\.date\("),
        (rows.withColumn("patient", functions.array(functions.lit(1))), "the unit 'patient'"),
        (rows.drop("stay"), "'stay' is not in the data"),
        (rows.select("*", functions.lit(1.0).alias("stay")), "several columns"),
        (streamed.withColumnRenamed("value", "patient"), "not in the data"),
        ("spark://?table=nowhere", "is not found"),
        ("spark://?path=nowhere.parquet", "no Parquet files at 'nowhere.parquet'"),
    ]
    for source, message in cases:
        with pytest.raises(SourceError, match=message):
            dp.table(source, **contract.hospital())


def test_chance_is_seen_in_views(local_cluster: Any) -> None:
    columns = {"stay": dp.number(0, 9)}
    local_cluster.range(100).selectExpr("id AS patient", "rand() AS stay").createTempView("odds")
    with pytest.raises(SourceError, match="chance decides"):
        dp.table("spark://?table=odds", **{**contract.hospital(), "columns": columns})
    local_cluster.catalog.dropTempView("odds")


def test_opening_reads_no_row(connect_session: Any) -> None:
    rows = pyarrow.table({"patient": [1, 2], "text": ["1", "8675309x"]})
    frame = connect_session.createDataFrame(rows).selectExpr("patient", "CAST(text AS DOUBLE) stay")
    columns = {"stay": dp.number(0, 9)}
    with dp.table(frame, **{**contract.hospital(), "columns": columns}) as table:
        assert table.budget.spent.epsilon == 0


def test_columns_that_changed_places_are_found_by_name(
    local_cluster: Any, connect_session: Any
) -> None:
    declared = {**contract.hospital(), "columns": {"stay": dp.integer(0, 4000)}}
    for session, name in ((local_cluster, "swapped"), (connect_session, "swapped_too")):
        rows = session.range(0, 500)
        rows.selectExpr("0L AS patient", "id AS stay").write.mode("overwrite").saveAsTable(name)
        frame = session.table(name)
        assert frame.columns == ["patient", "stay"]  # a client remembers them
        with dp.table(
            f"spark://?table={name}" if session is local_cluster else frame, **declared
        ) as t:
            session.sql(f"DROP TABLE {name}")
            rows.selectExpr("id AS stay", "0L AS patient").write.saveAsTable(name)
            if session is local_cluster:
                with pytest.raises(SourceError, match="Nothing was spent"):
                    t.agg(n=dp.people()).release(epsilon=1)
                with pytest.raises(dp.UnansweredError):  # the rows that it was opened with are gone
                    t.profile(epsilon=5)
            else:
                with dp.table(frame, **declared) as again:
                    assert again.agg(n=dp.people()).release(epsilon=5)["n"].value < 50
        session.sql(f"DROP TABLE {name}")


def test_what_pyspark_logs_of_a_failing_view_is_kept_back(local_cluster: Any) -> None:
    from pyspark.logger import PySparkLogger

    seen: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = seen.append  # type: ignore[method-assign]
    loggers = [
        PySparkLogger.getLogger(f"{kind}QueryContextLogger") for kind in ("SQL", "DataFrame")
    ]
    for logger in loggers:
        logger.addHandler(handler)
    rows = pyarrow.table({"patient": [1, 2], "text": ["1", "8675309x"]})
    frame = local_cluster.createDataFrame(rows).selectExpr("patient", "CAST(text AS DOUBLE) stay")
    columns = {"stay": dp.number(0, 9)}
    with (
        dp.table(frame, **{**contract.hospital(), "columns": columns}) as table,
        pytest.raises(dp.UnansweredError),
    ):
        table.agg(s=dp.col("stay").sum()).release(epsilon=1)
    assert not seen
    with pytest.raises(Exception, match="8675309x"):
        frame.collect()
    assert seen  # the caller's own query is logged
    for logger in loggers:
        logger.removeHandler(handler)


def test_a_pattern_is_decided_in_one_pass(local_cluster: Any) -> None:
    text = "a" * 20_000
    rows = local_cluster.createDataFrame(pyarrow.table({"t": [text] * 50 + ["b"]}))
    with dp.table(
        rows,
        name="t",
        unit="row",
        budget=dp.Budget(epsilon=10),
        columns={"t": dp.text()},
        ledger=":memory:",
    ) as table:
        started = time.monotonic()
        found = table.sql("SELECT COUNT(*) AS n FROM t WHERE t LIKE '%a%a%a%a%a%b'", epsilon=5)
        assert time.monotonic() - started < PATIENCE  # another way takes years
        assert abs(found["n"].value) < 20


def test_a_session_that_was_stopped_is_refused_uncharged(clusters: Any, local_cluster: Any) -> None:
    session = clusters.remote()
    rows = session.range(100).selectExpr("id AS patient", "1.0D AS stay")
    declared = {**contract.hospital(), "columns": {"stay": dp.number(0, 9)}}
    table = dp.table(rows, **declared)
    session.stop()
    with pytest.raises(SourceError, match="was stopped"):
        table.agg(n=dp.rows()).release(epsilon=1)
    assert table.budget.spent.epsilon == 0
    with pytest.raises(SourceError, match="was stopped"):
        dp.table(rows, **declared)
    check_running(local_cluster)


def test_a_classic_session_that_was_stopped_is_refused_uncharged(tmp_path: Path) -> None:
    code = """
import discreet as dp
from pyspark.sql import SparkSession
session = SparkSession.builder.master("local[1]").getOrCreate()
rows = session.range(100).selectExpr("id AS patient", "1.0D AS stay")
declared = dict(name="t", unit="patient", budget=dp.Budget(epsilon=3), ledger=":memory:",
                columns={"stay": dp.number(0, 9)}, max_rows=3, max_groups=2)
table = dp.table(rows, **declared)
session.stop()
for ask in (lambda: table.agg(n=dp.rows()).release(epsilon=1), lambda: dp.table(rows, **declared)):
    try:
        ask()
    except dp.SourceError as error:
        print(error)
print(table.budget.spent.epsilon)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    lines = ran.stdout.splitlines()
    assert [line.startswith("the Spark session of this table was stopped") for line in lines] == [
        True,
        True,
        False,
    ], ran.stderr[-2000:]
    assert lines[2] == "0"


def test_tables_of_one_session_may_be_named_in_several_ways(
    local_cluster: Any, files: Path
) -> None:
    people = local_cluster.range(400).selectExpr("id AS patient", "id % 2 = 0 AS odd")
    people.createOrReplaceTempView("people")
    columns = {"odd": dp.boolean()}
    for other in (people, "spark://?table=people"):
        beside = {"people": dp.beside(other, columns=columns, max_rows=1)}
        with dp.table(str(files), engine="spark", private=beside, **contract.hospital()) as table:
            query = (
                "SELECT COUNT(*) AS n FROM visits JOIN people ON visits.patient = people.patient"
            )
            assert table.ask(query).plan(epsilon=1).queries
    with pytest.raises(SourceError, match=r"engine=.spark"):
        dp.table(
            str(files),
            engine="spark",
            private={"people": dp.beside(str(files), columns={"stay": dp.number(0, 9)})},
            **contract.hospital(),
        )
    local_cluster.catalog.dropTempView("people")


def test_another_cluster_is_refused_in_one_process(local_cluster: Any) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(SourceError, match="another cluster"),
    ):
        dp.table(f"spark://127.0.0.1:{server.getsockname()[1]}?table=visits", **contract.hospital())


def test_what_connect_does_not_find_is_refused_too(connect: str, connect_session: Any) -> None:
    for source, message in (
        (f"{connect}?table=nowhere", "is not found"),
        (f"{connect}?path=nowhere.parquet", "no Parquet files"),
        (connect_session.table("nowhere"), "no columns for the frame"),
    ):
        with pytest.raises(SourceError, match=message) as caught:
            dp.table(source, **contract.hospital())
        assert caught.value.__context__ is None


def test_a_cluster_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "visits.toml").write_text(
        POLICY.format(source="sc://127.0.0.1:1?table=visits", engine="")
    )
    ran = run(tmp_path, "plan", "visits.toml", QUESTION, "--epsilon", "1")
    assert ran.returncode == 2
    assert "No Spark session could be opened" in ran.stderr
