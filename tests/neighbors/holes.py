"""Holes that were closed, each opened again: the fuzzer must find them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

from discreet.engines.duckdb import columns, connection
from discreet.engines.frames.frame import FrameReader
from discreet.plan import interval_arithmetic
from discreet.plan.schema import BooleanColumn, Column, NumberColumn
from discreet.sql.write import queries
from tests.support.early_weights import sums_by_rows_before_a_join

PLANNING = "bounds are as long as they get"
"""The hole that no table shows: a short question keeps the planner busy."""
WEIGHTS = "rows of one group are weighed in L2 as if each had one of its own"
"""A hole that questions by groups show."""
JOINS = "rows are weighed before they are joined"
"""A hole that joins of private tables show."""


def _fold_by_statistics(opened: Any) -> None:
    opened.execute("SET disabled_optimizers = 'type_pushdown'")


def _believe_statistics(*given: Any) -> str:
    return _reader(*given).replace("can_have_nan = true, ", "")


def _by_try_cast(column: str, stored: str) -> str:
    return f"TRY_CAST({column} AS {stored})"


def _by_types(column: str, stored: str, declared: Column) -> str:
    kind = "VARCHAR"
    if isinstance(declared, NumberColumn):
        kind = "DATE" if declared.dated else "DOUBLE"
    elif isinstance(declared, BooleanColumn):
        kind = "BOOLEAN"
    return f"TRY_CAST(CAST({column} AS VARCHAR) AS {kind})"


def _exactly(base: Fraction, power: int) -> interval_arithmetic.Interval:
    return interval_arithmetic.Interval(base**power, base**power)


_counted = queries._counted
_reader = columns.reader_sql
_PATCHES: dict[str, list[tuple[Any, str, Any]]] = {
    "NaN is not in the statistics of Parquet": [
        (connection, "disable", _fold_by_statistics),
        (columns, "reader_sql", _believe_statistics),
    ],
    "pandas' types decide": [
        (FrameReader, "_read", lambda self, frame: frame),
        (columns, "decoded_column", _by_types),
    ],
    "text that is not UTF-8 ends a scan": [
        (connection.DuckDBConnection, "_widen", lambda self: False)
    ],
    "moments are read by TRY_CAST": [(columns, "_moment", _by_try_cast)],
    WEIGHTS: [(queries, "_counted", lambda name, squared: _counted(name, squared=False))],
    JOINS: [(queries, "sums_query", sums_by_rows_before_a_join)],
    PLANNING: [
        (interval_arithmetic.Interval, "__post_init__", lambda self: None),
        (interval_arithmetic, "_to_power", _exactly),
    ],
}
HOLES = {
    "NaN is not in the statistics of Parquet": ("Parquet by pyarrow", "Parquet by Polars"),
    "pandas' types decide": ("pandas", "pandas, nullable"),
    "text that is not UTF-8 ends a scan": ("Parquet by pyarrow", "CSV"),
    "moments are read by TRY_CAST": ("DuckDB table",),
}
"""Each hole that tables show, and the stores in which it is."""


@contextmanager
def reopened(hole: str) -> Iterator[None]:
    """The product as it was before the hole was closed."""
    with ExitStack() as stack:
        for where, name, as_it_was in _PATCHES[hole]:
            stack.enter_context(patch.object(where, name, as_it_was))
        yield
