"""Sources of tables: files, frames, or tables of a database, found by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from discreet.engines.duckdb.source import FileSource, FrameSource, find_local, stem
from discreet.engines.postgres.source import PostgresTable
from discreet.engines.postgres.source import is_address as is_postgres
from discreet.engines.postgres.source import read_address as read_postgres
from discreet.engines.spark.source import SparkFrame, SparkSource, SparkTable, is_frame, read_path
from discreet.engines.spark.source import is_address as is_spark
from discreet.engines.spark.source import read_address as read_spark
from discreet.errors import SourceError
from discreet.plan.schema import Column, Schema
from discreet.sql.write.rows import table_name

Source = FileSource | FrameSource | PostgresTable | SparkSource
ENGINES = ("duckdb", "postgres", "spark")


@dataclass(frozen=True, slots=True)
class Sources:
    """The source of a table, and those of the tables that can be joined with it."""

    main: Source
    private: Mapping[str, Source] = field(default_factory=dict)
    public: Mapping[str, Source] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table, and the name of the view that an engine shows it as.

    ``declared`` are the names of the columns that are read; ``unit`` is the one that says whose
    row it is.
    """

    source: Source
    columns: Mapping[str, Column] = field(default_factory=dict)
    unit: str | None = None
    view: str = "source"
    declared: Sequence[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        unit = [] if self.unit is None else [self.unit]
        object.__setattr__(self, "declared", (*self.columns, *unit))


def find_source(source: object, table: str | None = None, engine: str | None = None) -> Source:
    """The files, the frame or the table that the caller means; nothing but names is read.

    ``engine`` says by what files are read: DuckDB on this machine, unless it is "spark".
    """
    found: Source | None = None
    if isinstance(source, str) and "://" in source:
        found = _addressed(source, table)
    elif not isinstance(source, str | Path) and is_frame(source):
        found = SparkFrame(source)
    if found is None and engine == "spark" and isinstance(source, str | Path) and table is None:
        found = read_path(str(source))  # also the address of a store of files
    found = found or find_local(source, table)
    if engine is not None:
        _check_engine(found, engine)
    return found


def _addressed(source: str, table: str | None) -> PostgresTable | SparkTable | None:
    """The table of a database or a cluster that an address means; None for any other address."""
    if is_postgres(source):
        return read_postgres(source, table)
    return read_spark(source, table) if is_spark(source) else None


def _check_engine(source: Source, engine: str) -> None:
    own = engine_of(source)
    if engine == own:
        return
    if engine not in ENGINES:
        raise SourceError(
            f"engine is {str(engine)[:40]!r}. It is what reads the rows: "
            f"{', '.join(ENGINES[:-1])} or {ENGINES[-1]}. Leave it out, or correct it."
        )
    raise SourceError(
        f"engine is {engine!r}, and the source is {source.text}, which {own} reads. Spark reads "
        "frames of its own, tables of a catalog and Parquet files; PostgreSQL reads its own "
        "tables. Leave engine out, or name another source."
    )


def engine_of(source: Source) -> str:
    """What reads the rows of a source."""
    if isinstance(source, PostgresTable):
        return "postgres"
    return "spark" if isinstance(source, SparkFrame | SparkTable) else "duckdb"


def default_name(source: object, table: str | None = None) -> str | None:
    """The name a table has unless it is given one: that of its file, or in its database."""
    table_source = (
        _addressed(source, table) if isinstance(source, str) and "://" in source else None
    )
    if isinstance(table_source, PostgresTable):
        return table_source.table
    if table_source is not None:
        return table_source.name
    return table or stem(source)


def stored_tables(sources: Sources, schema: Schema) -> list[TableView]:
    """Every table of a schema, as an engine is to show it."""
    unit = schema.unit if schema.by_person else None
    tables = [TableView(sources.main, schema.columns, unit, table_name(None, schema))]
    for name, beside in schema.private.items():
        source = sources.private[name]
        tables.append(TableView(source, beside.columns, beside.unit, table_name(name, schema)))
    for name, public in schema.public.items():
        source = sources.public[name]
        tables.append(TableView(source, public.columns, None, table_name(name, schema)))
    return tables


def not_in_the_data(name: str, table: TableView, found: Sequence[str]) -> SourceError:
    """The refusal of a declared column that a table does not have."""
    near = get_close_matches(name, found, 1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    what = "the unit" if name == table.unit else "the declared column"
    listed = ", ".join(found[:12]) + (", …" if len(found) > 12 else "")
    return SourceError(
        f"{what} {name[:60]!r} is not in the data.{meant} Declarations name the data's own "
        f"columns, which are {listed}. Correct the name, or take it out."
    )
