"""A frame in memory, as the arrays that DuckDB reads in its stead.

Opening looks at names and types: the same steps are taken for the frame without its rows.  Rows are
read after the charge, all of every declared column before any condition, and once: the frame is
kept as it was when the table was opened.
"""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from discreet.engines.frames import from_arrow, from_pandas, from_polars
from discreet.engines.frames.columns import Array, cell_kind, duckdb_array
from discreet.plan.schema import Column, TextColumn

_LIBRARIES: dict[str, ModuleType] = {
    "pandas": from_pandas,
    "polars": from_polars,
    "pyarrow": from_arrow,
}


def is_frame(source: object) -> bool:
    """Whether something is a frame of one of the libraries."""
    return _library_name(source) in _LIBRARIES and hasattr(type(source), "columns")


def snapshot(frame: Any) -> Any:
    """A frame with the rows that it has now: later changes by the caller do not show."""
    return _library(frame).snapshot(frame)


def names_of(frame: Any) -> Sequence[str]:
    """What a frame's columns are called."""
    found: Sequence[str] = _library(frame).names(frame)
    return found


class FrameReader:
    """Reads the declared columns of a frame; all of them, as texts, where none is declared."""

    def __init__(self, frame: Any, columns: Mapping[str, Column], unit: str | None) -> None:
        self.names = names_of(frame)
        self._frame = frame
        declared: dict[str, Column | None] = dict(columns)
        if unit is not None:
            declared[unit] = None
        self._declared = {name: declared[name] for name in self.names if name in declared}
        if not self._declared:
            self._declared = dict.fromkeys(self.names, TextColumn())
        self._rows: dict[str, Array] | None = None

    def types(self) -> dict[str, Array]:
        """Arrays without rows, of the types that those with rows have."""
        return self._read(_library(self._frame).empty(self._frame))

    def rows(self) -> dict[str, Array]:
        """The arrays; they are made once."""
        if self._rows is None:
            self._rows = self._read(self._frame)
        return self._rows

    def _read(self, frame: Any) -> dict[str, Array]:
        library = _library(frame)
        merges = library is from_pandas
        return {
            name: duckdb_array(
                library.column(frame, self.names.index(name)), cell_kind(column), merges
            )
            for name, column in self._declared.items()
        }


def _library(frame: object) -> ModuleType:
    return _LIBRARIES[_library_name(frame)]


def _library_name(frame: object) -> str:
    return type(frame).__module__.partition(".")[0]
