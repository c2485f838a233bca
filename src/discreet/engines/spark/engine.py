"""Keys that nobody listed, chosen among on the cluster: those that pass a sieve come back.

Which pass is decided by a hash of the key and a secret, so that a task that is run again decides
the same.  Decision: docs/decisions/keys_on_a_cluster.md
"""

from collections import Counter
from collections.abc import Mapping, Sequence
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
from discreet.measures.measure import Measure
from discreet.mechanisms.key_sieve import Sieve
from discreet.plan.schema import BooleanColumn, Column, Schema
from discreet.question.check import Question
from discreet.sql.write.queries import keys_query
from discreet.sql.write.rows import SPARK, named_rows

SECRET = "secret"
"""The column that holds the secret, in a view of one row."""
_WEIGHT = "weight"


def sieved(query: str, keys: int, sieve: Sieve, secret: str) -> str:
    """The keys of a query that pass, and how many units hold each; ``secret`` is a view."""
    digits = sieve.bits // 4
    labels = [f"k{place}" for place in range(keys)]
    parts = ", ".join(f"CAST(LENGTH({name}) AS STRING), ':', {name}" for name in labels)
    number = f"SUBSTRING(SHA2(CONCAT({SECRET}, {parts}), 256), 1, {digits})"
    limits = " ".join(f"{limit:0{digits}x}" for limit in sieve.limits)
    limit = f"SPLIT({text_literal(limits)}, ' ')[CAST(({_WEIGHT} - 1) DIV {sieve.step} AS INT)]"
    passes = f"CASE WHEN {_WEIGHT} >= {sieve.sure} THEN TRUE ELSE {number} < {limit} END"
    found = ", ".join([*labels, _WEIGHT])
    return f"SELECT {found} FROM ({query}) AS found CROSS JOIN {secret} WHERE {passes}"


def lookup(table: TableView) -> tuple[str, dict[str, str]]:
    """A public table as a query sees it, and how each of its columns is read."""
    rows = public_rows(table, "Spark")
    written = ", ".join(f"ARRAY({', '.join(map(_text, row))})" for row in rows)
    # An empty list has no type of its own.
    listed = f"ARRAY({written})" if rows else "CAST(ARRAY() AS ARRAY<ARRAY<STRING>>)"
    columns = {
        name: f"CAST(row[{place}] AS {_type(column)})"
        for place, (name, column) in enumerate(table.columns.items())
    }
    return f"(SELECT EXPLODE({listed}) AS row)", columns


def _type(column: Column) -> str:
    if isinstance(column, BooleanColumn):
        return "BOOLEAN"
    return "DOUBLE" if is_numeric(column) else "STRING"


def _text(value: object) -> str:
    text = round_trip_text(value)
    return "CAST(NULL AS STRING)" if text is None else text_literal(text)


Private = list[tuple[TableView, SparkSource]]


class Spark(Engine):
    """The rows of frames, tables and Parquet files that Spark reads."""

    sieves: ClassVar[bool] = True

    def __init__(self, sources: Sources, schema: Schema) -> None:
        private, public = _divided(stored_tables(sources, schema))
        session, own = session_of(private[0][1])
        self._spark = connection = SparkConnection(session, own=own)
        self._tables = private
        try:
            _check_sessions(private, session)
            check_settings(session)
            frames = [found_frame(session, source) for _, source in private]
            self._types = [types_of(frame) for frame in frames]
            for (table, source), types, frame in zip(private, self._types, frames, strict=True):
                _check(table, source, types)
                _check_rows(frame)
            mixed = check_units(
                (table.unit, dict(types)[table.unit])
                for (table, _), types in zip(private, self._types, strict=True)
                if table.unit is not None
            )
            self._views = [
                connection.view(_placed(frame, table, types))
                for frame, (table, _), types in zip(frames, private, self._types, strict=True)
            ]
            self._check_views()
            relations: dict[str, tuple[str, Mapping[str, str]]] = {
                table.view: (view, relation(table, dict(types), _places(types), mixed=mixed))
                for (table, _), view, types in zip(private, self._views, self._types, strict=True)
            }
            relations |= {table.view: lookup(table) for table in public}
        except BaseException:
            connection.close()
            raise
        self._writing = SparkWriter(relations)
        super().__init__(connection, SPARK, self._writing.text)

    def prepare(self, question: Question, measures: Sequence[Measure]) -> None:
        """Find the tables anew, so that their rows are those of now, and bind every query."""
        check_running(self._spark.session)
        check_settings(self._spark.session)
        self._refresh()
        super().prepare(question, measures)

    def _read_through(self, query: exp.Select) -> None:
        """As for every engine.

        A query of one table reads all of what it names, unless Spark sees without a row that none
        can pass, which tells nothing.
        """
        for text in self._writing.readings(query, {table.view for table, _ in self._tables}):
            self._spark.rows(text)

    def _found_keys(self, question: Question, sieve: Sieve | None) -> list[tuple[Any, ...]]:
        self._read_through(named_rows(question))
        query = keys_query(question, self.forms)
        query.set("order", None)  # to sort them all would be to move them all
        text = self._written(query)
        if sieve is None:
            return sorted(self._spark.rows(text))
        # The secret is a value in a view: the text of a query stands in Spark's pages and logs.
        secret = self._spark.view(
            self._spark.session.createDataFrame([(sieve.secret.hex(),)], f"{SECRET} STRING")
        )
        try:
            return sorted(self._spark.rows(sieved(text, len(question.keys), sieve, secret)))
        finally:
            self._spark.drop(secret)

    def _refresh(self) -> None:
        """Show the rows of now, if every table has the columns that it was opened with."""
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
                        raise _changed()
            parts = zip(frames, self._tables, self._types, self._views, strict=True)
            for frame, (table, _), types, view in parts:
                if frame is not None:
                    self._spark.view(_placed(frame, table, types), view)
            self._check_views()
            fresh = True
        except Exception:
            pass
        if not fresh:
            raise _changed()

    def _check_views(self) -> None:
        """Refuse columns that are no longer what was declared of: a client may remember old ones.

        Spark finds a view's columns by their names, when the view is made.
        """
        for view, (table, _), types in zip(self._views, self._tables, self._types, strict=True):
            places = _places(types)
            declared_types = {places[name]: dict(types)[name] for name in table.declared}
            view_types = dict(types_of(self._spark.session.table(view)))
            if any(view_types.get(place) != kind for place, kind in declared_types.items()):
                raise _changed()


def _divided(tables: list[TableView]) -> tuple[Private, list[TableView]]:
    """The private tables, which are all read in one session, and the public ones, which are not."""
    private: Private = []
    public: list[TableView] = []
    for table in tables:
        if isinstance(table.source, SparkFrame | SparkTable):
            private.append((table, table.source))
        else:
            public.append(table)
    if any(table.unit is not None for table in public):
        raise _apart()
    return private, public


def _check_sessions(private: Private, session: Any) -> None:
    """Refuse tables that are not all to be read in the session of the first."""
    address = getattr(private[0][1], "address", None)
    for _, source in private:
        if isinstance(source, SparkFrame):
            same = source.frame.sparkSession is session
        else:
            same = source.address in (None, address)
        if not same:
            raise _apart()


def _apart() -> SourceError:
    return SourceError(
        "the private tables are not all read in one Spark session. What is joined is read in one "
        "place.",
        Remedy(
            python='Add engine="spark" to files, name the same cluster for all tables, or pass '
            "frames of one session.",
            policy='Add engine = "spark" to files, or name the same cluster for all tables.',
        ),
    )


def _check(table: TableView, source: SparkSource, types: Types) -> None:
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
    if frame.isStreaming:
        raise SourceError(
            "the frame is a stream. A question is about rows that are there. Write the stream to a "
            "table, and name that."
        )
    if not _is_fixed(frame):
        raise SourceError(
            "the frame or view has rows that chance decides, as by rand() or uuid(). A task that "
            "is run again would count others. Write its rows to a table, and name that."
        )


def _is_fixed(frame: Any) -> bool:
    """Whether the rows are the same whenever they are made, as far as Spark tells.

    Connect tells it only in an explained plan, and to make that may read rows.
    """
    plan = getattr(frame, "_jdf", None)
    return plan is None or bool(plan.queryExecution().analyzed().deterministic())


def _placed(frame: Any, table: TableView, types: Types) -> Any:
    """The frame's declared columns, called by their places.

    Where names differ by the size of letters only, Spark could not tell them apart by name.
    """
    places = _places(types)
    alike = Counter(name.lower() for name, _ in types)
    if any(alike[name.lower()] > 1 for name in table.declared):
        return frame.toDF(*(f"c{place}" for place in range(len(types))))
    named = [f"`{name.replace('`', '``')}` AS {places[name]}" for name in table.declared]
    return frame.selectExpr(*(named or ["1 AS one"]))


def _changed() -> SourceError:
    return SourceError(
        "the data's columns are not those that the table was opened with. A question is bound to "
        "the columns before it is charged. Open the table again. Nothing was spent."
    )


def _places(types: Types) -> dict[str, str]:
    return {name: f"c{place}" for place, (name, _) in enumerate(types)}
