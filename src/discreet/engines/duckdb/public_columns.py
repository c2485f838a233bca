"""The columns of a lookup table that is public: kinds, bounds and values are read from its rows.

Nothing here is private, so that everything may be looked at.  A private table is never opened so.
A column that is declared is read as it is declared.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

from discreet.engines.duckdb.columns import decoded_column, quoted_identifier
from discreet.engines.duckdb.connection import DuckDBConnection
from discreet.engines.duckdb.dates import ZONED
from discreet.engines.duckdb.source import FileSource, LocalSource
from discreet.engines.sources import Source, TableView, not_in_the_data
from discreet.errors import BoundsError, DiscreetError, SourceError
from discreet.plan.calendar import DAY_SECONDS, FIRST_SECOND, LAST_SECOND, Dated
from discreet.plan.schema import (
    LARGEST_KEY,
    MOST_BINS,
    BooleanColumn,
    CategoryColumn,
    Column,
    LookupTable,
    NumberColumn,
    TextColumn,
    category,
)
from discreet.sql.write.expressions import column_name, read_column

MOST_ROWS = 1_000_000
_MOST_VALUES = 10_000
_FACTS = (
    "COUNT({text}), COUNT(DISTINCT {text}), COUNT({number}), MIN({number}), MAX({number}), "
    "COUNT(CASE WHEN {number} = FLOOR({number}) THEN 1 END), COUNT(CASE WHEN {text} LIKE '0_%' "
    "AND {text} NOT LIKE '0.%' THEN 1 END), COUNT({date}), "
    "COUNT(CASE WHEN LOWER({text}) IN ('true', 'false') THEN 1 END), "
    "COUNT({moment}), MIN({moment}), MAX({moment}), COUNT({clock}), "
    f"COUNT(CASE WHEN {{moment}} % {DAY_SECONDS} <> 0 THEN 1 END)"
)
_MOMENT = NumberColumn(
    low=Fraction(FIRST_SECOND), high=Fraction(LAST_SECOND), dated=Dated.SECONDS, zone="UTC"
)
"""A moment of the world where a cell says which, else what a clock showed."""


def read_public(
    name: str, source: Source, declared: Mapping[str, Column] | None = None
) -> LookupTable:
    """What the columns of a public table hold, and how often each repeats a value.

    Of a declared column only bounds that are not stated are read.
    """
    if isinstance(source, FileSource) and source.format == "json":
        raise SourceError(
            f"the public table {name[:60]!r} is a JSON lines file. Its columns are read from its "
            "schema, and such a file has none. Save it as CSV or Parquet."
        )
    if not isinstance(source, LocalSource):
        raise SourceError(
            f"the public table {name[:60]!r} is {source.text}. What a lookup table holds is read "
            "when the table is opened, from files and frames on this machine. Save it as CSV: by "
            "psql -c '\\copy wards TO wards.csv CSV HEADER', or from Spark as a pandas frame."
        )
    try:
        with closing(DuckDBConnection(TableView(source))) as connection:
            columns = _columns(name, connection, declared or {})
            for label in declared or {}:
                if label not in columns:
                    raise not_in_the_data(label, TableView(source, declared or {}), list(columns))
        with closing(DuckDBConnection(TableView(source, columns))) as connection:
            columns = {label: _bounded(label, one, connection) for label, one in columns.items()}
            return LookupTable(columns=columns, most=_most(columns, connection))
    except DiscreetError:
        raise
    except Exception:
        pass
    raise SourceError(
        f"the public table {name[:60]!r} could not be read to the end. It is read when the table "
        "is opened. Check the file: a broken quote, a line of a CSV file with too few or too many "
        "cells, a corrupt page."
    )


def _columns(
    name: str, connection: DuckDBConnection, declared: Mapping[str, Column]
) -> dict[str, Column]:
    """What each column holds: as it is declared, else by what its cells are read as."""
    size = connection.rows("SELECT COUNT(*) FROM source")[0][0]
    if size > MOST_ROWS:
        raise SourceError(
            f"the public table {name[:60]!r} has {size:,} rows. At most {MOST_ROWS:,} are looked "
            "up. Keep those that are joined with."
        )
    columns: dict[str, Column] = {}
    for column, kind, *_ in connection.rows("DESCRIBE source"):
        if column in declared:
            columns[column] = declared[column]
            continue
        clock = _MOMENT if kind in ZONED else replace(_MOMENT, zone=None)
        text, number, date, moment, shown = (
            decoded_column(quoted_identifier(column), kind, one)
            for one in (
                TextColumn(),
                NumberColumn(),
                NumberColumn(dated=Dated.DAYS),
                _MOMENT,
                clock,
            )
        )
        facts = _FACTS.format(
            text=text,
            number=f"NULLIF({number}, 'NaN'::DOUBLE)",
            date=date,
            moment=moment,
            clock="NULL" if kind in ZONED else shown,
        )
        facts_row = connection.rows(f"SELECT {facts} FROM source")[0]
        columns[column] = _column(text, facts_row, connection)
    return columns


def _bounded(name: str, column: Column, connection: DuckDBConnection) -> Column:
    """A declared column with the bounds of what it holds, where none are stated."""
    if not isinstance(column, NumberColumn) or column.low is not None:
        return column
    value = read_column(column_name(name), column).sql("duckdb")
    [(low, high)] = connection.rows(
        f"SELECT MIN(v), MAX(v) FROM (SELECT {value} AS v FROM source) WHERE ISFINITE(v)"
    )
    return column if low is None else replace(column, low=Fraction(low), high=Fraction(high))


def _most(columns: Mapping[str, Column], connection: DuckDBConnection) -> dict[str, int]:
    """How often each column repeats a value."""
    most = {}
    for name, column in columns.items():
        value = read_column(column_name(name), column).sql("duckdb")
        sizes = f"SELECT COUNT({value}) AS n FROM source GROUP BY {value}"
        most[name] = connection.rows(f"SELECT COALESCE(MAX(n), 0) FROM ({sizes})")[0][0]
    return most


def _column(text: str, facts: tuple[Any, ...], connection: DuckDBConnection) -> Column:
    count, distinct, numbers, low, high, whole, padded, dates, truths, *times = facts
    moments, first, last, clocks, timed = times
    if count and truths == count:
        return BooleanColumn()
    numeric = numbers == count and not padded and low is not None
    if numeric and isfinite(low) and isfinite(high):
        if whole == count and distinct <= MOST_BINS and max(abs(low), abs(high)) <= LARGEST_KEY:
            values = _values(f"CAST(CAST({text} AS DOUBLE) AS BIGINT)", connection)
            return CategoryColumn(tuple(int(value) for value in values))
        return NumberColumn(low=Fraction(low), high=Fraction(high), whole=whole == count)
    if count and moments == count:  # a text that only begins with a date is a text
        whole_days = dates == count == clocks and not timed
        size, dated = (DAY_SECONDS, Dated.DAYS) if whole_days else (1, Dated.SECONDS)
        low, high = (Fraction(int(end), size) for end in (first, last))
        zone = "UTC" if clocks < count else None
        return NumberColumn(low=low, high=high, whole=True, dated=dated, zone=zone)
    if not count or distinct > _MOST_VALUES:
        return TextColumn()
    try:
        return category([str(value) for value in _values(text, connection)])
    except BoundsError:
        return TextColumn()


def _values(part: str, connection: DuckDBConnection) -> list[Any]:
    rows = connection.rows(f"SELECT DISTINCT {part} AS v FROM source WHERE {part} IS NOT NULL")
    return sorted(row[0] for row in rows)
