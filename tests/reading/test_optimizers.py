"""No rule of the engine's optimizer looks at rows, or at what a file says about them."""

from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

from discreet.engines.duckdb.connection import HARMLESS, DuckDBConnection
from discreet.engines.sources import TableView, find_source
from discreet.plan.schema import NumberColumn, TextColumn

BY_ROWS = {
    "statistics_propagation": "folds conditions by the least and largest value, and counts of NULL",
    "filter_pushdown": "filters in the scan: row groups and pages are skipped by their statistics",
    "row_group_pruner": "skips row groups by their statistics",
    "join_filter_pushdown": "filters one side by the least and largest key of the other",
    "compressed_materialization": "narrows columns to the range that statistics tell",
    "empty_result_pullup": "drops what a condition that statistics made false leaves empty",
    "join_order": "by estimates of how many rows there are",
    "build_side_probe_side": "by estimates of how many rows there are",
    "join_elimination": "by what is known to be unique",
    "partitioned_execution": "by statistics of partitions",
    "top_n": "filters by the least value so far",
    "top_n_window_elimination": "filters by the least value so far",
    "late_materialization": "reads some columns only of rows that were kept",
    "limit_pushdown": "ends a scan early",
    "aggregate_function_rewriter": "answers aggregates by statistics where it can",
    "partial_aggregate_pushdown": "by estimates of how many groups there are",
}
IN_THE_SCAN = {
    "type_pushdown": "makes the reader's strict conversion of TRY_CAST",
    "scalar_fn_pushdown": "computes in the scan",
    "remote_pushdown": "computes elsewhere",
    "sampling_pushdown": "samples in the scan",
    "cte_filter_pusher": "moves conditions towards the scan",
    "regex_range": "makes ranges of patterns, for statistics",
    "filter_pullup": "moves conditions to where they are pushed from",
    "extension": "whatever an extension does",
}
NOT_NEEDED = {
    "common_subexpressions",
    "in_clause",
    "deliminator",
    "unnest_rewriter",
    "duplicate_groups",
    "reorder_filter",
    "materialized_cte",
    "common_subplan",
    "window_self_join",
    "projection_pullup",
    "outer_join_simplification",
    "window_rewriter",
    "grouping_sets",
    "distinct_aggregate_rewrite",
    "aggregate_reuse",
    "projection_placement",
    "redundant_order_keys",
}
"""They change plans in ways that no question here needs; nobody has shown them harmless."""


def test_somebody_has_looked_at_every_rule() -> None:
    """A rule that a new version adds is off; this fails so that somebody says what it does."""
    found = [str(name) for (name,) in duckdb.execute("FROM duckdb_optimizers()").fetchall()]
    looked_at = [*HARMLESS, *BY_ROWS, *IN_THE_SCAN, *NOT_NEEDED]
    assert len(set(looked_at)) == len(looked_at)
    assert set(found) == set(looked_at)


def stored(path: Path, values: list[float | None]) -> str:
    table = pyarrow.table({"x": pyarrow.array(values, pyarrow.float64()), "s": ["a"] * len(values)})
    pyarrow.parquet.write_table(table, path)
    return str(path)


def opened(path: Path) -> DuckDBConnection:
    source = find_source(stored(path, [1.0, 2.0, float("nan")]))
    return DuckDBConnection(TableView(source, {"x": NumberColumn(), "s": TextColumn()}))


def test_every_other_rule_is_off_and_nothing_turns_one_on(tmp_path: Path) -> None:
    with closing(opened(tmp_path / "a.parquet")) as connection:
        query = "SELECT value FROM duckdb_settings() WHERE name = 'disabled_optimizers'"
        disabled = set(str(connection.rows(query)[0][0]).split(","))
        every = {str(name) for (name,) in connection.rows("FROM duckdb_optimizers()")}
        assert disabled == every - set(HARMLESS)
        with pytest.raises(duckdb.Error):
            connection.connection.execute("SET disabled_optimizers = ''")


CONDITIONS = [
    "x >= 1",
    "x <= 2",
    "x > 100",
    "x IS NULL",
    "NULLIF(x, 'NaN'::DOUBLE) IS NOT NULL",
    "x BETWEEN 0 AND 5",
    "s = 'b'",
    "s LIKE 'a%'",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_plan_is_the_same_whatever_the_rows_are(condition: str, tmp_path: Path) -> None:
    plans = set()
    path = tmp_path / "a.parquet"
    for values in ([1.0, 2.0, float("nan")], [None, None, None], [500.0, 600.0, 700.0]):
        source = find_source(stored(path, values))
        with closing(
            DuckDBConnection(TableView(source, {"x": NumberColumn(), "s": TextColumn()}))
        ) as connection:
            query = f"EXPLAIN SELECT COUNT(*), SUM(x), MIN(s) FROM source WHERE {condition}"
            plans.add(str(connection.rows(query)))
    assert len(plans) == 1
    assert "Filters:" not in plans.pop()


def test_the_control_sees_statistics_in_plans(tmp_path: Path) -> None:
    first = stored(tmp_path / "a.parquet", [1.0, 2.0])
    second = stored(tmp_path / "b.parquet", [500.0, 600.0])
    query = "EXPLAIN SELECT COUNT(*) FROM read_parquet('{}') WHERE x > 100"
    plans = [str(duckdb.execute(query.format(path)).fetchall()) for path in (first, second)]
    assert plans[0].replace("a.parquet", "") != plans[1].replace("b.parquet", "")
