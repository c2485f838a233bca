"""The SQL that each engine would run for the questions of the corpus; no server is asked."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas

from discreet.engines.base import Engine
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.engine import _written as duckdb_text
from discreet.engines.postgres import columns as postgres_columns
from discreet.engines.postgres import engine as postgres_lookups
from discreet.engines.postgres import writer as postgres_writing
from discreet.engines.postgres.columns import StoredColumn
from discreet.engines.postgres.engine import Postgres
from discreet.engines.sources import Sources, TableView, find_source, stored_tables
from discreet.engines.spark import columns as spark_columns
from discreet.engines.spark import engine as spark_lookups
from discreet.engines.spark import writer as spark_writing
from discreet.engines.spark.engine import Spark
from discreet.errors import QueryError
from discreet.measures.measure import Measure, Norm, Unit
from discreet.plan.calendar import Dated
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn, Schema
from discreet.question.check import Question, checked_question
from discreet.release.price import price_question
from discreet.sql.read.select import parse_select
from discreet.sql.write.rows import DUCKDB, POSTGRES, SPARK
from tests.golden.comparing import parted
from tests.sql.corpus.facts import DELTA, Case, cases
from tests.sql.corpus.schemas import SCHEMAS

ACCEPTED = cases("accepted")

_BREAKS = re.compile(
    r" (?=(?:SELECT|FROM|WHERE|GROUP BY|ORDER BY|UNION ALL|LEFT JOIN|JOIN|CASE WHEN)\b)"
)

_SQUARED, _IN_A_GROUP = ("visits",), 4
"""Of which files the questions are also written with weights in L2, and their cap in a group."""
_VIEWS = "ratings"
"""The schema whose tables are views in PostgreSQL, which are read through first."""


def files(folder: Path) -> dict[str, str]:
    """The SQL of every accepted question on each engine, by what it asks; of some also in L2."""
    texts: dict[str, dict[str, str]] = {}
    for schema in SCHEMAS.values():
        for norm in Norm:
            engines = {name: made(schema) for name, made in ENGINES.items()}
            for case in ACCEPTED:
                if case.schema is schema:
                    question, blocks = _planned(case)
                    unit = replace(question.unit, max_rows_per_group=_IN_A_GROUP, norm=norm)
                    if norm is Norm.L2 and not (case.file in _SQUARED and _is_squared(unit)):
                        continue
                    for name, engine in engines.items():
                        file = f"{name}.sql" if norm is Norm.L1 else f"{name}_l2.sql"
                        written = _written(engine, question, blocks, unit)
                        texts.setdefault(file, {})[str(case)] = written
    return {file: parted(parts) for file, parts in texts.items()}


def _is_squared(unit: Unit) -> bool:
    return Norm.L2 in (unit.row_weights.norm, unit.group_weights.norm)


def _planned(case: Case) -> tuple[Question, tuple[Measure, ...]]:
    question = checked_question(parse_select(case.sql, case.schema), case.schema)
    delta = DELTA if question.selects_keys else Fraction(0)
    return question, tuple(
        one.measure for one in price_question(question, Fraction(1), delta).priced
    )


def _written(engine: Engine, question: Question, blocks: tuple[Measure, ...], unit: Unit) -> str:
    try:
        texts = engine.texts(question, blocks, unit)
    except QueryError as error:
        return f"refused: {error}"
    return "\n".join(f"{broken(text)};" for text in texts)


def broken(text: str) -> str:
    """A query on several lines: some of its blanks are ends of lines."""
    return _BREAKS.sub("\n", text)


# ---------------------------------------------------------------------- engines without a server


def _duckdb(_: Schema) -> Engine:
    engine = object.__new__(DuckDB)
    Engine.__init__(engine, None, DUCKDB, duckdb_text)  # type: ignore[arg-type]  # none is asked
    return engine


def _postgres(schema: Schema) -> Engine:
    relations = {
        table.view: postgres_columns.relation(
            table, f'"public"."{table.view}"', _stored(table, computed=schema.name == _VIEWS)
        )
        if private
        else postgres_lookups.lookup(table)
        for table, private in _tables(schema)
    }
    engine = object.__new__(Postgres)
    writing = postgres_writing.PostgresWriter(relations, "C.utf8")
    Engine.__init__(engine, None, POSTGRES, writing.text)  # type: ignore[arg-type]
    return engine


def _spark(schema: Schema) -> Engine:
    relations = {}
    for table, private in _tables(schema):
        places = {name: f"c{place}" for place, name in enumerate(table.declared)}
        types = dict(zip(table.declared, map(_spark_type, _declared(table)), strict=True))
        relations[table.view] = (
            (f"view_{table.view}", spark_columns.relation(table, types, places))
            if private
            else spark_lookups.lookup(table)
        )
    engine = object.__new__(Spark)
    Engine.__init__(engine, None, SPARK, spark_writing.SparkWriter(relations).text)  # type: ignore[arg-type]
    return engine


def _tables(schema: Schema) -> list[tuple[TableView, bool]]:
    """The tables of a schema, and whether each is private; of public ones a row is there."""
    sources = Sources(
        find_source(pandas.DataFrame()),
        {name: find_source(pandas.DataFrame()) for name in schema.private},
        {name: find_source(_row(public.columns)) for name, public in schema.public.items()},
    )
    private = 1 + len(schema.private)
    return [(table, place < private) for place, table in enumerate(stored_tables(sources, schema))]


def _row(columns: Mapping[str, Column]) -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            name: [
                one.values[0]
                if isinstance(one, CategoryColumn)
                else "it's"
                if _is_text(one)
                else 60
            ]
            for name, one in columns.items()
        }
    )


def _is_text(column: Column) -> bool:
    return not isinstance(column, NumberColumn | BooleanColumn | CategoryColumn)


def _declared(table: TableView) -> list[Column | None]:
    return [*table.columns.values(), *([] if table.unit is None else [None])]


def _stored(table: TableView, *, computed: bool) -> tuple[StoredColumn, ...]:
    return tuple(
        StoredColumn(1, name, True, computed, 1, _postgres_type(one))
        for name, one in zip(table.declared, _declared(table), strict=True)
    )


def _postgres_type(column: Column | None) -> str:
    """A type in which a declared column is often stored; None is for whose row it is."""
    match column:
        case None:
            return "int4"
        case NumberColumn(dated=Dated.DAYS):
            return "date"
        case NumberColumn():
            return "numeric" if column.low is None else "int4" if column.whole else "float8"
        case BooleanColumn():
            return "bool"
        case CategoryColumn() if column.numeric:
            return "int4"
    return "text"


def _spark_type(column: Column | None) -> str:
    return _SPARK[_postgres_type(column)]


_SPARK = {
    "int4": "int",
    "date": "date",
    "numeric": "decimal(10,0)",
    "float8": "double",
    "bool": "boolean",
    "text": "string",
}
ENGINES: dict[str, Callable[[Schema], Engine]] = {
    "duckdb": _duckdb,
    "postgres": _postgres,
    "spark": _spark,
}
"""How each engine is made that writes SQL and runs none."""
