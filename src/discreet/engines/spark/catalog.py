"""What Spark's catalog or files say of a table: names and types, and no row."""

import re
from contextlib import suppress
from typing import Any

from discreet.engines.spark.connection import Connection
from discreet.engines.spark.session import session_of
from discreet.engines.spark.source import SparkFrame, SparkSource
from discreet.errors import SourceError

Types = tuple[tuple[str, str], ...]
"""The names and types of columns, in their order."""

_WORDS = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "decimal": "DECIMAL",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP",
    **dict.fromkeys(("string", "varchar", "char"), "VARCHAR"),
}
"""Types as every engine calls them."""
_READING = {
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "ignoreCorruptFiles": "false",
}
"""How Parquet is read, whatever the session's settings say: old dates are what is stored."""


def found_frame(session: Any, source: SparkSource) -> Any:
    """The frame of a source: names and types are looked up, and no row is read."""
    with suppress(Exception):
        if isinstance(source, SparkFrame):
            frame = source.frame
        elif source.table is not None:
            frame = session.table(_quoted(source.table))
        else:
            frame = session.read.options(**_READING).parquet(source.path)
        if frame.schema:  # Connect looks it up only when it is asked for
            return frame
    raise _missing(source)


def _missing(source: SparkSource) -> SourceError:
    if isinstance(source, SparkFrame):
        return SourceError(
            "Spark finds no columns for the frame. What it is made of must be there, and its "
            "session must be reached. Look at its schema, and make the frame anew."
        )
    if source.table is not None:
        return SourceError(
            f"{source.text} is not found, or may not be read. It is looked up in the session's "
            "catalog. Correct its name, and put its schema before it: hospital.visits."
        )
    return SourceError(
        f"Spark finds no Parquet files at {(source.path or '')[:200]!r}, or may not read them. The "
        "path is looked up by the machines of the cluster, and files say their own types. Write "
        "one that every machine can read; save other files as Parquet first."
    )


def _quoted(table: str) -> str:
    if "`" in table:
        return table
    return ".".join(f"`{part}`" for part in table.split("."))


def types_of(frame: Any) -> Types:
    """The names and types of a frame's columns, in their order."""
    return tuple((field.name, field.dataType.simpleString()) for field in frame.schema.fields)


def described(source: SparkSource) -> list[tuple[str, str | None]]:
    """The names and types of a table's columns, for a policy to be filled in."""
    session, own = session_of(source)
    connection = Connection(session, own=own)
    try:
        found = types_of(found_frame(session, source))
    finally:
        connection.close()
    return [(name, _WORDS.get(re.split(r"\W", kind)[0], "BLOB")) for name, kind in found]
