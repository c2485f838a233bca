"""The columns of a Polars frame."""

from typing import Any

import numpy as np

from discreet.engines.frames.cells import FIRST, LAST, split
from discreet.engines.frames.columns import (
    BooleanCells,
    BytesCells,
    DateCells,
    DateTimeCells,
    FloatCells,
    FrameCells,
    IntegerCells,
    ObjectCells,
    TimeCells,
    UnreadableCells,
    objects,
)

_WHOLE = frozenset(f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64))
_REAL = frozenset({"Float16", "Float32", "Float64"})
_TEXT = frozenset({"String", "Categorical", "Enum"})
_PYTHON = frozenset({"Int128", "UInt128", "Decimal", "Object"})


def snapshot(frame: Any) -> Any:
    """The frame with the rows that it has now."""
    return frame.clone()


def names(frame: Any) -> list[str]:
    """What the columns are called."""
    return list(frame.columns)


def empty(frame: Any) -> Any:
    """The frame without its rows."""
    return frame.clear()


def column(frame: Any, place: int) -> FrameCells:
    """The cells of a column."""
    series = frame.to_series(place)
    kind = str(series.dtype).partition("(")[0]
    if kind in _TEXT or kind == "Binary":
        # By way of bytes: Polars believes that a text it was given is UTF-8.
        text = series if kind in ("Binary", "String") else series.cast(_type("String"))
        words = text.cast(_type("Binary")).to_list()
        return BytesCells(words, np.arange(len(words)), kind in _TEXT)
    if kind in _PYTHON:
        return ObjectCells(objects(series.to_list()))
    if kind in _REAL:
        with np.errstate(all="ignore"):
            return FloatCells(
                series.fill_null(float("nan")).to_numpy().astype(np.float64, copy=False)
            )
    missing = series.is_null().to_numpy()
    if kind in _WHOLE:
        return IntegerCells(series.fill_null(0).to_numpy(), missing)
    if kind == "Boolean":
        return BooleanCells(series.fill_null(False).to_numpy(), missing)
    if kind not in ("Date", "Datetime", "Time"):
        return UnreadableCells(len(series))
    counts = series.to_physical().fill_null(0).to_numpy().astype(np.int64, copy=False)
    if kind == "Time":
        return TimeCells(counts // 10**9, missing)
    if kind == "Date":
        return DateCells(counts, missing | (counts < FIRST) | (counts > LAST))
    days, rest, outside = split(counts, series.dtype.time_unit)
    return DateTimeCells(days, rest, outside | missing, series.dtype.time_zone is not None)


def _type(name: str) -> Any:
    import polars

    return getattr(polars, name)
