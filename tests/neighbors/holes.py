"""Holes that were closed, each opened again: the fuzzer must find them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest.mock import patch

from sqlglot import exp

from discreet.engines import base
from discreet.engines.duckdb import columns, connection, dates
from discreet.engines.frames.frame import FrameReader
from discreet.exact import interval_arithmetic
from discreet.plan.schema import BooleanColumn, Column, NumberColumn
from discreet.release import profile
from discreet.sql.write import queries
from discreet.sql.write.expressions import UNIT, column_name, is_not_null
from tests.support.early_weights import sums_by_rows_before_a_join

PLANNING = "bounds are as long as they get"
"""The hole that no table shows: a short question keeps the planner busy."""
WEIGHTS = "rows of one group are weighed in L2 as if each had one of its own"
"""A hole that questions by groups show."""
JOINS = "rows are weighed before they are joined"
"""A hole that joins of private tables show."""
KEYS = "each key of a person weighs as if there were no other"
"""A hole that keys which nobody listed show, where they are found by weight."""
ONCE_FOR_EACH_ROW = "a person counts in a profile once for each row"
WITH_NOBODY = "rows without an id are in the histograms of a profile"
"""Holes that profiles show."""


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


@dataclass(frozen=True)
class _Careless:
    """An engine whose queries are changed before they run."""

    engine: Any
    change: Callable[[exp.Select], exp.Select]

    @property
    def forms(self) -> Any:
        return self.engine.forms

    def guarded_rows(self, query: exp.Select) -> Any:
        return self.engine.guarded_rows(self.change(query))


def _changed(change: Callable[[exp.Select], exp.Select]) -> Callable[..., Any]:
    return lambda engine, *asked: base.people_by_size(_Careless(engine, change), *asked)


def _once_for_each_row(query: exp.Select) -> exp.Select:
    size = exp.column("size")
    return query.select(size, exp.alias_(exp.Sum(this=size.copy()), "people"), append=False)


def _with_nobody(query: exp.Select) -> exp.Select:
    whose = is_not_null(column_name(UNIT))
    return query.transform(lambda node: exp.true() if node == whose else node)


def _as_if_alone(*given: Any, **named: Any) -> exp.Select:
    """What is weighed alone of each person, groups, has its full weight."""
    rows, weights, alone = given[1], given[2], named.get("alone", False)
    if not alone or weights.cap != 1 or len(given) < 5 or given[4] != "kept":
        return _weighed(*given, **named)
    weighed = rows.select(exp.alias_(exp.Literal.number(weights.share), "weight"))
    return queries._given(given[0], "kept", weighed)


_weighed = queries._weighed
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
    "moments are read by TRY_CAST": [
        (place, "moment_sql", _by_try_cast) for place in (columns, dates)
    ],
    WEIGHTS: [(queries, "_counted", lambda name, squared: _counted(name, squared=False))],
    KEYS: [(queries, "_weighed", _as_if_alone)],
    JOINS: [(queries, "sums_query", sums_by_rows_before_a_join)],
    ONCE_FOR_EACH_ROW: [(profile, "people_by_size", _changed(_once_for_each_row))],
    WITH_NOBODY: [(profile, "people_by_size", _changed(_with_nobody))],
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
