"""Frames of pandas, Polars and PyArrow, converted to the arrays that DuckDB reads.

Opening a table looks at names and types only: the frame is converted without its rows.  Its rows
are converted after the charge, whole columns before any condition, and once: the table keeps a
snapshot of the frame from when it was opened.
"""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from discreet.engines.clocks import clock_of, zoned_error
from discreet.engines.frames import from_arrow, from_pandas, from_polars
from discreet.engines.frames.columns import (
    Array,
    DateTimeCells,
    ObjectCells,
    cell_kind,
    duckdb_array,
    texts_beside_a_format,
)
from discreet.plan.schema import Column, NumberColumn, TextColumn

_LIBRARIES: dict[str, ModuleType] = {
    "pandas": from_pandas,
    "polars": from_polars,
    "pyarrow": from_arrow,
}


def is_frame(source: object) -> bool:
    """Whether an object is a frame of pandas, Polars or PyArrow."""
    return _library_name(source) in _LIBRARIES and hasattr(type(source), "columns")


def snapshot(frame: Any) -> Any:
    """The frame with the rows that it has now: what the caller changes later does not show."""
    return _library(frame).snapshot(frame)


def column_names(frame: Any) -> Sequence[str]:
    """The names of a frame's columns."""
    names: Sequence[str] = _library(frame).names(frame)
    return names


class FrameReader:
    """Reader of a frame's declared columns, or of all columns, as texts, where none is declared."""

    def __init__(self, frame: Any, columns: Mapping[str, Column], unit: str | None) -> None:
        self.names = column_names(frame)
        self._frame = frame
        declared: dict[str, Column | None] = dict(columns)
        if unit is not None:
            declared[unit] = None
        self._declared = {name: declared[name] for name in self.names if name in declared}
        if not self._declared:
            self._declared = dict.fromkeys(self.names, TextColumn())
        self._arrays: dict[str, Array] | None = None

    def empty_arrays(self) -> dict[str, Array]:
        """The arrays without their rows, of the same types."""
        return self._read(_library(self._frame).empty(self._frame))

    def arrays(self) -> dict[str, Array]:
        """The arrays by column name, converted on the first call."""
        if self._arrays is None:
            self._arrays = self._read(self._frame)
        return self._arrays

    def _read(self, frame: Any) -> dict[str, Array]:
        library = _library(frame)
        merges = library is from_pandas  # one cell changes the type of a whole column there
        arrays = {}
        for name, column in self._declared.items():
            cells, kind = library.column(frame, self.names.index(name)), cell_kind(column)
            clock = clock_of(column) if isinstance(column, NumberColumn) else None
            zoned = isinstance(cells, DateTimeCells) and cells.zoned
            if kind == "moment" and clock is None and zoned:
                raise zoned_error(name, "a timestamp with a zone")
            if isinstance(cells, ObjectCells) and getattr(column, "format", None) is not None:
                arrays[name] = texts_beside_a_format(cells, kind, merges)
                continue
            arrays[name] = duckdb_array(cells, kind, merges, clock)
        return arrays


def _library(frame: object) -> ModuleType:
    return _LIBRARIES[_library_name(frame)]


def _library_name(frame: object) -> str:
    return type(frame).__module__.partition(".")[0]
