"""The Spark engine: tables that Spark reads, and the choice of keys on the cluster.

Of the keys that nobody listed, only those that pass a sieve leave the cluster.  A hash of the key
and a secret decides which pass, so that a task that is run again decides the same.
Decision: docs/decisions/keys_on_a_cluster.md
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from sqlglot import exp

from discreet.engines.base import Engine
from discreet.engines.lookups import is_numeric, public_rows, round_trip_text
from discreet.engines.sources import Sources, TableView, not_in_the_data, stored_tables
from discreet.engines.spark.columns import Types, check_units, found_frame, relation, types_of
from discreet.engines.spark.connection import SparkConnection
from discreet.engines.spark.session import check_running, check_settings, session_of
from discreet.engines.spark.source import SparkFrame, SparkSource, SparkTable
from discreet.engines.spark.writer import SparkWriter, text_literal
from discreet.errors import Remedy, SourceError
from discreet.measures.measure import Measure, Unit
from discreet.mechanisms.key_sieve import Sieve
from discreet.plan.schema import BooleanColumn, Column, Schema
from discreet.question.check import Question
from discreet.sql.write.queries import keys_query
from discreet.sql.write.rows import SPARK, named_rows

SECRET = "secret"
"""The column of the secret, in a view of one row."""
_WEIGHT = "weight"
"""The column with the number of units that hold a key."""
SparkTables = list[tuple[TableView, SparkSource]]


class Spark(Engine):
    """The engine for frames, tables and Parquet files that Spark reads."""

    sieves: ClassVar[bool] = True

    def __init__(self, sources: Sources, schema: Schema) -> None:
        spark_tables, public = _split_by_reader(stored_tables(sources, schema))
        session, own = session_of(spark_tables[0][1])
        self._spark = connection = SparkConnection(session, own=own)
        self._tables = spark_tables
        try:
            _check_sessions(spark_tables, session)
            check_settings(session)
            frames = [found_frame(session, source) for _, source in spark_tables]
            self._types = [types_of(frame) for frame in frames]
            for (table, source), types, frame in zip(
                spark_tables, self._types, frames, strict=True
            ):
                _check_columns(table, source, types)
                _check_rows(frame)
            mixed = check_units(
                (table.unit, dict(types)[table.unit])
                for (table, _), types in zip(spark_tables, self._types, strict=True)
                if table.unit is not None
            )
            self._views = [
                connection.view(_labeled_columns(frame, table, types))
                for frame, (table, _), types in zip(frames, spark_tables, self._types, strict=True)
            ]
            self._check_views()
            relations: dict[str, tuple[str, Mapping[str, str]]] = {
                table.view: (view, relation(table, dict(types), _column_labels(types), mixed=mixed))
                for (table, _), view, types in zip(
                    spark_tables, self._views, self._types, strict=True
                )
            }
            relations |= {table.view: lookup(table) for table in public}
        except BaseException:
            connection.close()
            raise
        self._writer = SparkWriter(relations)
        super().__init__(connection, SPARK, self._writer.text)

    @contextmanager
    def prepared(
        self,
        question: Question,
        measures: Sequence[Measure],
        unit: Unit,
        *,
        share: int | None = None,
        score: Measure | None = None,
    ) -> Iterator[None]:
        """Look the tables up again, so that their present rows are read, and bind every query."""
        check_running(self._spark.session)
        check_settings(self._spark.session)
        self._refresh()
        with super().prepared(question, measures, unit, share=share, score=score):
            yield

    def _read_through(self, query: exp.Select) -> None:
        """Read all that a query names of several tables, as ``Engine`` asks for.

        A query of one table reads all that it names, unless Spark sees before it reads any row
        that no row can pass; that tells nothing about rows.
        """
        for text in self._writer.readings(query, {table.view for table, _ in self._tables}):
            self._spark.rows(text)

    def _found_keys(
        self, question: Question, sieve: Sieve | None, share: int | None
    ) -> list[tuple[Any, ...]]:
        self._read_through(named_rows(question))
        query = keys_query(question, self.forms, share)
        query.set("order", None)  # a sort on the cluster would move all keys
        text = self._written(query)
        if sieve is None:
            return sorted(self._spark.rows(text))
        # The secret is a value in a view, since Spark's pages and logs show the text of a query.
        secret = self._spark.view(
            self._spark.session.createDataFrame([(sieve.secret.hex(),)], f"{SECRET} STRING")
        )
        try:
            passing = sieved_keys_sql(text, len(question.keys), sieve, secret)
            return sorted(self._spark.rows(passing))
        finally:
            self._spark.drop(secret)

    def _refresh(self) -> None:
        """Point the views at the present rows; refused if a table's columns have changed."""
        fresh = False
        try:
            frames = [
                found_frame(self._spark.session, source) if isinstance(source, SparkTable) else None
                for _, source in self._tables
            ]
            for frame, types in zip(frames, self._types, strict=True):
                if frame is not None:
                    _check_rows(frame)
                    if types_of(frame) != types:
                        raise _columns_changed_error()
            opened = zip(frames, self._tables, self._types, self._views, strict=True)
            for frame, (table, _), types, view in opened:
                if frame is not None:
                    self._spark.view(_labeled_columns(frame, table, types), view)
            self._check_views()
            fresh = True
        except Exception:
            pass
        if not fresh:
            raise _columns_changed_error()

    def _check_views(self) -> None:
        """Refuse views whose columns are not those that the tables were opened with.

        Spark resolves a view's columns by name when the view is made, and a client may remember
        the columns of an earlier table.
        """
        for view, (table, _), types in zip(self._views, self._tables, self._types, strict=True):
            labels = _column_labels(types)
            declared_types = {labels[name]: dict(types)[name] for name in table.declared}
            view_types = dict(types_of(self._spark.session.table(view)))
            if any(view_types.get(label) != kind for label, kind in declared_types.items()):
                raise _columns_changed_error()


# ---------------------------------------------------------------------- queries


def sieved_keys_sql(query: str, keys: int, sieve: Sieve, secret: str) -> str:
    """The SQL of the keys of a query that pass a sieve, and how many units hold each.

    ``keys`` is the number of key columns; ``secret`` is the view that holds the secret.
    """
    digits = sieve.bits // 4
    names = [f"k{place}" for place in range(keys)]
    hashed_sql = ", ".join(f"CAST(LENGTH({name}) AS STRING), ':', {name}" for name in names)
    hash_sql = f"SUBSTRING(SHA2(CONCAT({SECRET}, {hashed_sql}), 256), 1, {digits})"
    limits_hex = " ".join(f"{limit:0{digits}x}" for limit in sieve.limits)
    limit_sql = (
        f"SPLIT({text_literal(limits_hex)}, ' ')[CAST(({_WEIGHT} - 1) DIV {sieve.step} AS INT)]"
    )
    passes = f"CASE WHEN {_WEIGHT} >= {sieve.sure} THEN TRUE ELSE {hash_sql} < {limit_sql} END"
    columns = ", ".join([*names, _WEIGHT])
    return f"SELECT {columns} FROM ({query}) AS found CROSS JOIN {secret} WHERE {passes}"


def lookup(table: TableView) -> tuple[str, dict[str, str]]:
    """The SQL of a public table, with its rows written out, and of each of its columns."""
    rows = public_rows(table, "Spark")
    rows_sql = ", ".join(f"ARRAY({', '.join(map(_text_sql, row))})" for row in rows)
    # An empty list has no type of its own.
    array_sql = f"ARRAY({rows_sql})" if rows else "CAST(ARRAY() AS ARRAY<ARRAY<STRING>>)"
    columns = {
        name: f"CAST(row[{place}] AS {_spark_type(column)})"
        for place, (name, column) in enumerate(table.columns.items())
    }
    return f"(SELECT EXPLODE({array_sql}) AS row)", columns


def _spark_type(column: Column) -> str:
    if isinstance(column, BooleanColumn):
        return "BOOLEAN"
    return "DOUBLE" if is_numeric(column) else "STRING"


def _text_sql(value: object) -> str:
    text = round_trip_text(value)
    return "CAST(NULL AS STRING)" if text is None else text_literal(text)


# ---------------------------------------------------------------------- tables


def _split_by_reader(tables: list[TableView]) -> tuple[SparkTables, list[TableView]]:
    """The tables that Spark reads, and the public ones, whose rows are written into queries."""
    spark_tables: SparkTables = []
    public: list[TableView] = []
    for table in tables:
        if isinstance(table.source, SparkFrame | SparkTable):
            spark_tables.append((table, table.source))
        else:
            public.append(table)
    if any(table.unit is not None for table in public):
        raise _several_sessions_error()
    return spark_tables, public


def _check_sessions(spark_tables: SparkTables, session: Any) -> None:
    """Refuse tables that another session than that of the first table would read."""
    address = getattr(spark_tables[0][1], "address", None)
    for _, source in spark_tables:
        if isinstance(source, SparkFrame):
            in_session = source.frame.sparkSession is session
        else:
            in_session = source.address in (None, address)
        if not in_session:
            raise _several_sessions_error()


def _check_columns(table: TableView, source: SparkSource, types: Types) -> None:
    """Refuse declared columns that the source does not have exactly once."""
    names = [name for name, _ in types]
    for name in table.declared:
        if name not in names:
            raise not_in_the_data(name, table, names)
        if names.count(name) > 1:
            raise SourceError(
                f"{source.text} has several columns {name[:60]!r}. Declarations name one each.",
                Remedy(
                    python="Rename them: frame.toDF(…).",
                    policy="Rename them in a view, and name the view as the source.",
                ),
            )


def _check_rows(frame: Any) -> None:
    """Refuse a frame whose rows are not the same each time that they are read."""
    if frame.isStreaming:
        raise SourceError(
            "the frame is a stream. A question is about rows that are there. Write the stream to a "
            "table, and name that."
        )
    if not _is_deterministic(frame):
        raise SourceError(
            "the frame or view has rows that chance decides, as by rand() or uuid(). A task that "
            "is run again would count others. Write its rows to a table, and name that."
        )


def _is_deterministic(frame: Any) -> bool:
    """Whether the rows are the same whenever they are computed, as far as Spark tells.

    Spark Connect tells it only in an explained plan, and making that may read rows.
    """
    plan = getattr(frame, "_jdf", None)
    return plan is None or bool(plan.queryExecution().analyzed().deterministic())


def _labeled_columns(frame: Any, table: TableView, types: Types) -> Any:
    """The frame's declared columns, labeled by position.

    Where names differ in upper and lower case only, Spark cannot select by name, so that all
    columns are labeled.
    """
    labels = _column_labels(types)
    spellings = Counter(name.lower() for name, _ in types)
    if any(spellings[name.lower()] > 1 for name in table.declared):
        return frame.toDF(*(f"c{position}" for position in range(len(types))))
    selected = [f"`{name.replace('`', '``')}` AS {labels[name]}" for name in table.declared]
    return frame.selectExpr(*(selected or ["1 AS one"]))


def _column_labels(types: Types) -> dict[str, str]:
    """The label of each column by its name: c0, c1, …"""
    return {name: f"c{position}" for position, (name, _) in enumerate(types)}


def _several_sessions_error() -> SourceError:
    return SourceError(
        "the private tables are not all read in one Spark session. What is joined is read in one "
        "place.",
        Remedy(
            python='Add engine="spark" to files, name the same cluster for all tables, or pass '
            "frames of one session.",
            policy='Add engine = "spark" to files, or name the same cluster for all tables.',
        ),
    )


def _columns_changed_error() -> SourceError:
    return SourceError(
        "the data's columns are not those that the table was opened with. A question is bound to "
        "the columns before it is charged. Open the table again. Nothing was spent."
    )
