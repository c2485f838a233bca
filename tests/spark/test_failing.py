"""What a frame cannot compute for one person leaves every question that names it unanswered."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow.parquet import write_table

import discreet as dp
from discreet.engines.sources import Sources, find_source
from discreet.engines.spark import columns
from discreet.engines.spark.engine import Spark
from discreet.errors import SourceError
from discreet.plan.schema import Schema
from discreet.question.check import checked_question
from discreet.sql.read.select import parse_select
from tests.engines.failing import DECLARED, NAMED, OTHERS, PEOPLE, PERSON, fails, wrong
from tests.support.measuring import asked, integers

ROWS = f"id, CAST(id AS DOUBLE) AS x, CAST(10 / (id - {PERSON}) AS DOUBLE) AS y"
TAG = "CASE WHEN id % 2 = 0 THEN 'a' ELSE 'b' END AS tag"
ASKED = [text for text in NAMED if "1 = 0" not in text]
"""Spark sees without a row that 1 is not 0, and reads none: that tells nothing about rows."""
FEW = [ASKED[0], ASKED[1], ASKED[8], ASKED[20]]


def stored(session: Any) -> Any:
    return session.range(1, PEOPLE + 1, 1, 2).selectExpr(*ROWS.split(", "), TAG)


def opened(frame: Any) -> Spark:
    others = frame.sparkSession.range(1, PEOPLE + 1).selectExpr("id", "CAST(id AS DOUBLE) AS z")
    return Spark(Sources(find_source(frame), {"others": find_source(others)}), DECLARED)


def test_a_failure_does_not_depend_on_conditions(local_cluster: Any) -> None:
    with closing(opened(stored(local_cluster))) as engine:
        assert wrong(engine, ASKED, failing=True) == []
        assert wrong(engine, OTHERS, failing=False) == []


def test_where_every_row_can_be_read_all_is_answered(local_cluster: Any) -> None:
    """The control of the questions: none of them fails by itself."""
    frame = stored(local_cluster).where(f"id <> {PERSON}")
    with closing(opened(frame)) as engine:
        assert wrong(engine, FEW, failing=False) == []


def test_without_the_fence_a_condition_decides(
    local_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the fence: Spark computes what the condition leaves."""
    monkeypatch.setattr(columns, "_FENCE", "TRUE")
    with closing(opened(stored(local_cluster))) as engine:
        assert fails(engine, ASKED[0])
        assert not fails(engine, ASKED[1])


def test_functions_views_and_kept_frames_are_fenced_too(local_cluster: Any) -> None:
    from pyspark.sql.functions import col, udf

    def risky(x: float) -> float:
        return 10 / (x - PERSON)

    plain = stored(local_cluster).drop("y")
    function = plain.withColumn("y", udf(risky, "double", useArrow=False)(col("x")))
    stored(local_cluster).createOrReplaceTempView("failing")
    joined = local_cluster.sql("SELECT a.* FROM failing AS a LEFT JOIN failing AS b USING (id)")
    for frame in (function, local_cluster.table("failing"), joined):
        with closing(opened(frame)) as engine:
            assert wrong(engine, FEW[1:3], failing=True) == []
            assert wrong(engine, OTHERS[:1], failing=False) == []
    local_cluster.catalog.dropTempView("failing")
    kept = stored(local_cluster).cache()
    with closing(opened(kept)) as engine:  # of which all columns are computed at once
        assert wrong(engine, [*FEW[1:3], *OTHERS[:1]], failing=True) == []
    kept.unpersist()


def test_frames_of_connect_are_fenced_too(connect_session: Any) -> None:
    with closing(opened(stored(connect_session))) as engine:
        assert wrong(engine, FEW[1:3], failing=True) == []


def test_a_moment_that_does_not_fit_fails_for_every_condition(
    local_cluster: Any, tmp_path: Path
) -> None:
    """Spark cannot read milliseconds beyond its microseconds, in whichever rows are asked for."""
    many = 3000
    values = pyarrow.array([0] * (many - 1) + [2**62], pyarrow.int64())
    rows = {"x": [float(one) for one in range(many)], "m": values.view(pyarrow.timestamp("ms"))}
    path = tmp_path / "moments.parquet"
    write_table(pyarrow.table(rows), path, row_group_size=100)
    tmp_path.chmod(0o755)
    day = dp.date("2020-01-01", "2020-12-31")
    declared = Schema(name="t", columns={"x": dp.number(0, many), "m": day}, unit="row")
    with closing(Spark(Sources(find_source(str(path), engine="spark")), declared)) as engine:
        for least in (0, 100, 2999):
            question = asked(declared, {"n": dp.col("m").count()}, where=(dp.col("x") > least,))
            with pytest.raises(dp.UnansweredError):
                integers(engine, question, question.measures, None)  # type: ignore[arg-type]
        question = asked(declared, {"n": dp.rows()}, where=(dp.col("x") > 100,))
        assert integers(engine, question, question.measures, None)  # type: ignore[arg-type]


def test_a_session_that_skips_what_it_cannot_read_is_refused(local_cluster: Any) -> None:
    setting = "spark.sql.files.ignoreCorruptFiles"
    with closing(opened(stored(local_cluster))) as engine:
        local_cluster.conf.set(setting, "true")
        try:
            with pytest.raises(SourceError, match=r"other people.*Nothing was spent"):
                fails(engine, OTHERS[0])
            with pytest.raises(SourceError, match="ignoreCorruptFiles"):
                opened(stored(local_cluster))
        finally:
            local_cluster.conf.unset(setting)
        assert not fails(engine, OTHERS[0])


def test_no_condition_reaches_a_scan(local_cluster: Any, tmp_path: Path) -> None:
    """Neither row groups nor folders are left out by what a file says about its rows."""
    from discreet.sql.write.queries import queries

    place = tmp_path / "parts"
    plain = stored(local_cluster).selectExpr("id", "x", "CAST(x AS DOUBLE) AS y", "tag")
    plain.write.partitionBy("tag").parquet(str(place))
    others = local_cluster.range(1, 9).selectExpr("id", "CAST(id AS DOUBLE) AS z")
    sources = Sources(find_source(str(place), engine="spark"), {"others": find_source(others)})
    with closing(Spark(sources, DECLARED)) as engine:
        for text in (ASKED[1], "SELECT SUM(x) AS s FROM t WHERE tag = 'a'", ASKED[20]):
            question = checked_question(parse_select(text, DECLARED), DECLARED)
            for _, query, _ in queries(
                question, question.measures, None, engine.forms, question.unit
            ):
                frame = local_cluster.sql(engine._written(query))
                plan = frame._jdf.queryExecution().executedPlan().toString()
                assert "PushedFilters: []" in plan
                assert "PartitionFilters: []" in plan
                assert plan.count("Filters: [") == plan.count("Filters: []")
