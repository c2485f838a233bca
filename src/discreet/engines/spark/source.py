"""Rows that Spark reads: a frame, a table of a catalog, or Parquet files."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from discreet.errors import SourceError

_SCHEMES = ("spark", "sc")
_FIELDS = ("table", "path")


@dataclass(frozen=True, slots=True)
class SparkFrame:
    """A frame of PySpark, classic or Connect: a query of the caller's, whose rows are the data."""

    frame: Any = field(repr=False)

    @property
    def text(self) -> str:
        """What it is called in messages and certificates."""
        return "a Spark frame"


@dataclass(frozen=True, slots=True)
class SparkTable:
    """A table of a catalog, or Parquet files, which Spark finds anew for every question.

    ``address`` is the cluster's, spark://host:7077 or sc://host:15002.  Without one the session of
    this process is used.  It may hold a token, so that it is never shown.
    """

    address: str | None = field(repr=False)
    table: str | None = None
    path: str | None = None

    @property
    def name(self) -> str:
        """What the table is called unless it is given a name."""
        if self.table is not None:
            return self.table.rpartition(".")[2].strip("`")
        return PurePosixPath(self.path or "").name.removesuffix(".parquet")

    @property
    def text(self) -> str:
        """What it is called in messages and certificates: names, no folders."""
        if self.table is not None:
            return f"the Spark table {self.table!r}"
        return f"the files {PurePosixPath(self.path or '').name!r}, read by Spark"


SparkSource = SparkFrame | SparkTable


def is_frame(source: object) -> bool:
    """Whether a source is a frame of PySpark; PySpark is not imported to see that."""
    kind = type(source)
    return kind.__module__.partition(".")[0] == "pyspark" and hasattr(kind, "createTempView")


def is_address(source: str) -> bool:
    """Whether a source is the address of a Spark cluster."""
    return source.partition("://")[0] in _SCHEMES if "://" in source else False


def read_address(source: str, table: str | None) -> SparkTable:
    """The table of ``spark://host:7077?table=hospital.visits``; ``path=`` names files instead."""
    split = None
    with suppress(ValueError):
        split = urlsplit(source)
    fields = {} if split is None else dict(parse_qsl(split.query, keep_blank_values=True))
    unknown = sorted(set(fields) - set(_FIELDS))
    if split is None or unknown or split.fragment:
        fact = f"has a field {unknown[0][:40]!r}" if unknown else "cannot be read"
        raise SourceError(
            f"the address of the Spark cluster {fact}. It is the cluster's own address with "
            "table= or path= behind a question mark. Write spark://host:7077?table=hospital.visits,"
            " or sc://host:15002?path=/data/visits for Spark Connect."
        )
    named, path = table or fields.get("table"), fields.get("path")
    if bool(named) == bool(path):
        raise SourceError(
            f"the source is a Spark cluster and {'both a' if named else 'no'} table "
            f"{'and a' if named else 'or'} path is named. A question is about one of them. Write "
            "spark://host:7077?table=hospital.visits, or ?path=/data/visits for Parquet files."
        )
    rest = f"{split.netloc}{split.path.rstrip('/')}"
    # What Spark Connect knows of itself stands between the host and the question mark.
    address = f"{split.scheme}://{rest}" if rest else None
    return SparkTable(address, named or None, path or None)


def read_path(source: str) -> SparkTable:
    """Parquet files that Spark is to read: a file, a folder or a pattern, here or in a store."""
    name = PurePosixPath(source).name
    if PurePosixPath(name).suffix not in ("", ".parquet") and not name.startswith("*"):
        raise SourceError(
            f"the source {name[:60]!r} is to be read by Spark and is no Parquet. Spark takes types "
            "and columns from the files themselves, and texts have neither. Save it as Parquet, or "
            "pass a Spark frame."
        )
    return SparkTable(None, None, source)
