"""The names that a source itself gives its columns, which DuckDB may change in silence.

DuckDB does not tell capitals apart and renames what is then double, so that a declared name could
mean another column, and the unit another person.  A source with such names is refused.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from discreet.engines.duckdb.sources import Frame, Local
from discreet.errors import SourceError

Run = Callable[[str], list[tuple[Any, ...]]]


def check_names(source: Local, described: Sequence[str], run: Run, paths: str) -> None:
    """Refuse names that are double, capitals apart, and names that DuckDB has changed."""
    names = _names(source, run, paths)
    if names is None:
        return
    check_doubles(names)
    if list(described) != list(names):
        raise SourceError(
            "the data's columns have names that cannot be kept as they are. A column is meant by "
            "its name. Give them plain names."
        )


def check_doubles(names: Sequence[str]) -> None:
    """Refuse names that are double, capitals apart."""
    counted = Counter(name.casefold() for name in names)
    doubled = [name for name in names if counted[name.casefold()] > 1]
    if doubled:
        raise SourceError(
            f"the data have the column {doubled[0][:60]!r} twice, capitals apart. A column is "
            "meant by its name. Rename one of them."
        )


def _names(source: Local, run: Run, paths: str) -> Sequence[str] | None:
    if isinstance(source, Frame):
        return None  # they are given as they are
    if source.format == "csv":
        return source.header
    # JSON lines are read by the declared names, and a database has no two that are alike.
    return _parquet_names(run, paths) if source.format == "parquet" else None


def _parquet_names(run: Run, paths: str) -> Sequence[str]:
    """The names in the files' own schemas, which must be the same in all of them."""
    listed = run(
        "SELECT file_name, name, num_children, type, converted_type, logical_type "
        f"FROM parquet_schema([{paths}])"
    )
    schemas = {
        tuple(row[1:] for row in list(rows)[1:]) for _, rows in groupby(listed, lambda row: row[0])
    }
    if len(schemas) != 1:
        raise SourceError(
            "the Parquet files have different columns, or columns of different types. What one "
            "person is called must not depend on the file. Write them with one schema."
        )
    names, inside = [], 0
    for name, children, *_ in schemas.pop():
        if inside == 0:
            names.append(str(name))
        else:
            inside -= 1
        inside += children or 0
    return names
