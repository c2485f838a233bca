"""Sources that DuckDB reads: files by their ending, frames, tables of a DuckDB file.

Opening looks at names only: a header, a schema.  No row, no statistic and no sniffed type decides
anything; columns of text files are read as text.
"""

import csv
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from glob import escape, glob, has_magic
from gzip import open as open_compressed
from pathlib import Path
from typing import Any, Literal

from discreet.engines.frames.frame import is_frame, snapshot
from discreet.errors import Remedy, SourceError, with_article

FileFormat = Literal["csv", "parquet", "json", "duckdb"]

_ENDINGS: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".duckdb": "duckdb",
    ".db": "duckdb",
}
_DELIMITERS = (",", ";", "\t", "|")
_LONGEST_HEADER = 1 << 24
_MOST_COLUMNS = 10_000

_LONGEST_LINE = 1 << 24


@dataclass(frozen=True, slots=True)
class FileSource:
    """One or several files of one format."""

    paths: tuple[str, ...]
    format: FileFormat
    table: str | None = None
    header: tuple[str, ...] = ()
    delimiter: str = ","

    @property
    def text(self) -> str:
        """What it is called in messages and certificates: names, no folders."""
        names = [Path(path).name for path in self.paths[:2]]
        return ", ".join(names) + (", …" if len(self.paths) > 2 else "")


@dataclass(frozen=True, slots=True)
class FrameSource:
    """A frame in memory."""

    frame: Any = field(repr=False)

    @property
    def text(self) -> str:
        """What it is called in messages and certificates."""
        return f"a {type(self.frame).__module__.partition('.')[0]} frame"


LocalSource = FileSource | FrameSource


def find_local(source: object, table: str | None = None) -> LocalSource:
    """The files or the frame that the caller means; nothing but names is read."""
    if isinstance(source, str | Path):
        return _files(str(source), table)
    if isinstance(source, Sequence) and source and all(isinstance(s, str | Path) for s in source):
        return _listed([str(path) for path in source], table)
    module = type(source).__module__.partition(".")[0]
    if is_frame(source):
        if hasattr(source, "collect"):
            raise SourceError(
                "the source is a lazy frame. Its rows are computed when they are read, and what "
                "goes wrong then could show one of them. Collect it, and pass the frame."
            )
        return FrameSource(snapshot(source))
    if module in ("duckdb", "_duckdb"):
        raise SourceError(
            "the source is a DuckDB query or connection. Its rows are computed when they are read, "
            "and what goes wrong then could show one of them. Pass a DuckDB file and name its "
            "table, or pass the query's result as an Arrow table."
        )
    raise SourceError(
        f"the source is {with_article(type(source).__name__)}. Rows are read from files "
        "(CSV, Parquet, JSON lines, DuckDB) and from pandas, Polars and Arrow frames. Pass a path "
        'such as "visits.parquet", or a frame.'
    )


def stem(source: object) -> str | None:
    """The name a table has unless it is given one: that of its file."""
    if not isinstance(source, str | Path):
        return None
    name = Path(str(source)).name
    for ending in (".gz", *_ENDINGS):
        name = name.removesuffix(ending)
    return None if has_magic(name) else name


def _files(path: str, table: str | None) -> LocalSource:
    if "://" in path:
        raise SourceError(
            "the source is an address. Rows are read from local files and frames. Fetch the file "
            "first, or pass a frame."
        )
    if has_magic(path) and not Path(path).exists():
        paths = sorted(glob(path))
        if not paths:
            raise SourceError(
                f"no file matches {Path(path).name!r}. A pattern stands for files that exist. "
                "Correct the pattern, or the folder it is looked for in."
            )
        return _listed(paths, table)
    place = Path(path)
    if place.is_dir():
        raise SourceError(
            f"{place.name!r} is a folder. A table's rows are in files of one format. Write a "
            f'pattern, such as "{place.name}/*.parquet".'
        )
    if not place.exists():
        raise SourceError(
            f"there is no file {place.name!r}. The path is looked up from the current folder, or, "
            "in a policy, from the policy's. Correct it."
        )
    return _listed([path], table)


def _listed(paths: list[str], table: str | None) -> LocalSource:
    formats = {_format(path) for path in paths}
    if len(formats) > 1:
        raise SourceError(
            "the files have different formats. One table is read one way. Pass files of one format."
        )
    for path in paths:
        if not Path(path).is_file():
            raise SourceError(
                f"there is no file {Path(path).name!r}. Every file of a table must exist. Correct "
                "the list."
            )
    kind = formats.pop()
    if kind == "duckdb" and table is None:
        raise SourceError(
            "the source is a DuckDB file and no table is named. Such a file may hold many.",
            Remedy(
                python='Add table="visits".',
                policy='Add table = "visits".',
                command="Add --table visits.",
            ),
        )
    if kind == "duckdb" and len(paths) > 1:
        raise SourceError(
            f"{len(paths)} DuckDB files are given. A table is read from one such file, so the rows "
            "of the others would not count. Pass one file, or save the tables as Parquet files."
        )
    if kind != "duckdb" and table is not None:
        raise SourceError(
            "a table is named, and the source is not a DuckDB file. Other files hold one table.",
            Remedy(python="Leave table out.", command="Leave --table out."),
        )
    absolute = tuple(str(Path(path).resolve()) for path in paths)
    if len(set(absolute)) < len(absolute):
        raise SourceError(
            "a file is listed twice, perhaps by another name or a link. Its rows would count "
            "twice, and a person with them. List every file once."
        )
    if kind != "csv":
        return FileSource(absolute, kind, table)
    headers = {_header(path) for path in absolute}
    if len(headers) > 1:
        raise SourceError(
            "the CSV files have different headers. One table has one set of columns. Pass files "
            "with the same header."
        )
    header, delimiter = headers.pop()
    return FileSource(absolute, kind, None, header, delimiter)


def unchanged(source: FileSource) -> bool:
    """Whether CSV files still have the header that their columns are read by."""
    if source.format != "csv":
        return True
    try:
        return all(_header(path) == (source.header, source.delimiter) for path in source.paths)
    except SourceError:
        return False


def _format(path: str) -> FileFormat:
    place = Path(path.removesuffix(".gz"))
    file_format = _ENDINGS.get(place.suffix.lower())
    if file_format is None:
        raise SourceError(
            f"{Path(path).name!r} has an ending that is not known. The ending says how a file is "
            f"read: {', '.join(_ENDINGS)}. Save it in one of these formats, or pass a frame."
        )
    return file_format


def _header(path: str) -> tuple[tuple[str, ...], str]:
    """The names in a CSV file's first line, and what separates them: the header alone decides."""
    names: tuple[str, ...] = ()
    delimiter, first = ",", None
    try:
        opened: Any = open_compressed if path.endswith(".gz") else open
        with opened(path, "rb") as file:  # bytes: a text file would decode rows along with it
            first = file.readline(_LONGEST_HEADER).decode("utf-8-sig")
        delimiter = max(_DELIMITERS, key=first.count)
        names = tuple(
            next(csv.reader([first.rstrip("\r\n")], delimiter=delimiter, strict=True), ())
        )
    except (OSError, ValueError, csv.Error, EOFError, zlib.error):
        first = None
    name = Path(path).name
    if first is None:
        raise SourceError(
            f"the first line of {name!r} cannot be read as UTF-8 text. It names the columns. Save "
            "the file as UTF-8."
        )
    if not any(part.strip() for part in names):
        raise SourceError(
            f"the first line of {name!r} is empty. It names the columns. Write a header line."
        )
    if len(names) > _MOST_COLUMNS:
        raise SourceError(
            f"{name!r} has {len(names):,} columns. At most {_MOST_COLUMNS:,} are read, since every "
            "question looks through all of them. Keep those that are asked about, or save the "
            "file as Parquet."
        )
    # The first column may have no name: pandas writes its index so.
    if any(map(_looks_like_a_value, names[1:] if names[0] == "" else names)):
        raise SourceError(
            f"the first line of {name!r} is not a header: a name in it is empty, a number or a "
            "date. It would be a row, and what stands in rows is never shown. Write a header line, "
            "with names that are words."
        )
    return (names[0] or "unnamed", *names[1:]), delimiter


def _looks_like_a_value(name: str) -> bool:
    try:
        float(name.strip() or 0)
        return True
    except ValueError:
        pass
    try:
        date.fromisoformat(name.strip()[:10])
    except ValueError:
        return False
    return True


def quoted_paths(source: FileSource) -> str:
    """The quoted paths; a path is one file, also where it looks like a pattern."""
    return ", ".join(quoted_text(escape(path)) for path in source.paths)


def reader_sql(source: FileSource, declared: Sequence[str], invalid: str = "strict") -> str:
    """The SQL that reads files; ``invalid`` is the treatment of bytes that are not UTF-8."""
    paths = quoted_paths(source)
    if source.format == "parquet":
        # A folder's name must not stand in for a column, nor a statistic for a row.
        return (
            f"read_parquet([{paths}], hive_partitioning = false, can_have_nan = true, "
            f"utf8_validation = '{invalid}')"
        )
    kind = "JSON" if source.format == "json" else "VARCHAR"
    names = source.header or tuple(declared)
    columns = ", ".join(f"{quoted_text(name)}: '{kind}'" for name in names)
    if source.format == "json":
        # Every line by itself: one that is no object has no values, and changes no other.
        return (
            f"read_json([{paths}], hive_partitioning = false, auto_detect = false, "
            f"format = 'newline_delimited', records = true, ignore_errors = true, "
            f"columns = {{{columns}}})"
        )
    return (
        f"read_csv([{paths}], hive_partitioning = false, max_line_size = {_LONGEST_LINE}, "
        f"auto_detect = false, header = true, delim = {quoted_text(source.delimiter)}, "
        f"quote = '\"', escape = '\"', nullstr = '', strict_mode = true, "
        f"columns = {{{columns}}})"
    )


def quoted_text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
