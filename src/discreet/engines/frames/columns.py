"""Typed cells of a frame's column, and the NumPy array of them that DuckDB reads.

The array's type is decided by the column's own type and the declared kind, by no cell.  Columns of
Python objects and of texts become texts, which are read as those of a text file are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.frames.cells import (
    EXACT,
    NOT_A_TEXT,
    CellKind,
    Integers,
    date_text,
    midnights,
    moment_text,
    shown_bytes,
    texts_of,
    utf8_text,
)
from discreet.plan.calendar import DAY_SECONDS, FIRST_SECOND, LAST_SECOND, Dated, dated_text
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn
from discreet.plan.zones import ZoneOffsets

Mask = NDArray[np.bool_]
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class IntegerCells:
    """Integers of any width."""

    values: Array
    missing: Mask


@dataclass(frozen=True, slots=True)
class FloatCells:
    """Floats; NaN is missing."""

    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BooleanCells:
    """True and false."""

    values: Mask
    missing: Mask


@dataclass(frozen=True, slots=True)
class DateCells:
    """Days since 1970."""

    days: Integers
    missing: Mask


@dataclass(frozen=True, slots=True)
class DateTimeCells:
    """Days since 1970 and nanoseconds of the day, in UTC if they are ``zoned``."""

    days: Integers
    nanoseconds: Integers
    missing: Mask
    zoned: bool


@dataclass(frozen=True, slots=True)
class TimeCells:
    """Whole seconds since midnight, without a zone."""

    values: Integers
    missing: Mask


@dataclass(frozen=True, slots=True)
class BytesCells:
    """Cells that are bytes, as indices into a list; ``text`` marks those that are texts.

    A place that is not there is missing.
    """

    words: Sequence[bytes | None]
    places: Integers
    text: bool


@dataclass(frozen=True, slots=True)
class ObjectCells:
    """Cells that are Python objects of any type."""

    values: Array


@dataclass(frozen=True, slots=True)
class UnreadableCells:
    """Cells of a type that is not read: all of them are missing."""

    size: int


FrameCells = (
    IntegerCells
    | FloatCells
    | BooleanCells
    | DateCells
    | DateTimeCells
    | TimeCells
    | BytesCells
    | ObjectCells
    | UnreadableCells
)


def cell_kind(column: Column | None) -> CellKind:
    """The kind that a column is declared as; None is the column of the unit's ids."""
    match column:
        case None:
            return "id"
        case NumberColumn(dated=Dated.DAYS):
            return "day"
        case NumberColumn(dated=Dated.SECONDS, unit=None):
            return "moment"
        case NumberColumn(dated=Dated.TIME):
            return "time"
        case NumberColumn(decimal=","):
            return "comma"
        case NumberColumn() | CategoryColumn(numeric=True):
            return "number"
        case BooleanColumn():
            return "truth"
        case _:
            return "text"


def duckdb_array(
    stored: FrameCells, kind: CellKind, merges: bool, clock: ZoneOffsets | None = None
) -> Array:
    """The array that DuckDB reads as the declared kind.

    ``merges``: numbers from 2^53 on are missing, and true and false are 1 and 0.  ``clock`` is that
    of the zone by which moments of the world are shown.
    """
    match stored:
        case ObjectCells(values):
            return objects(texts_of(values.tolist(), kind, merges))
        case BytesCells(words, places, text):
            decode = shown_bytes if kind == "id" and not text else utf8_text
            return _placed(objects([*map(decode, words), None]), places)
        case DateCells() | DateTimeCells() if kind in ("text", "id"):
            return _dated_texts(stored)
    match kind:
        case "number" | "comma":
            return _numbers(stored, merges)
        case "truth":
            return _truths(stored)
        case "day":
            return _days(stored)
        case "moment":
            return _moments(stored, clock)
        case "time":
            return _times(stored)
        case _:
            return _texts(stored, merges)


def texts_beside_a_format(stored: ObjectCells, kind: CellKind, merges: bool) -> Array:
    """The texts of objects in a column with a format, which is that of texts alone.

    One odd cell makes objects of a whole column, so that a date in it is read as it is in a column
    of dates, and a number as in one of numbers: neither is a text that the format could fit.
    """
    cells = stored.values.tolist()
    found: list[str | None] = []
    for cell, text in zip(cells, texts_of(cells, kind, merges), strict=True):
        if text is None or text.startswith(NOT_A_TEXT):
            found.append(None)
        else:
            found.append(text if isinstance(cell, str | bytes) else NOT_A_TEXT + text)
    return objects(found)


def size_of(stored: FrameCells) -> int:
    """The number of rows."""
    match stored:
        case UnreadableCells(size):
            return size
        case BytesCells(places=places):
            return places.size
        case DateCells(days) | DateTimeCells(days):
            return days.size
        case _:
            return stored.values.size


def take_cells(stored: FrameCells, places: Integers) -> FrameCells:
    """The cells at some places; those at a place that is not there are missing."""
    missing = (places < 0) | (places >= size_of(stored))
    if isinstance(stored, UnreadableCells) or size_of(stored) == 0:
        return _none_like(stored, places.size)
    at = np.where(missing, 0, places)
    match stored:
        case IntegerCells(values, before):
            return IntegerCells(values[at], before[at] | missing)
        case FloatCells(values):
            return FloatCells(np.where(missing, np.nan, values[at]))
        case BooleanCells(values, before):
            return BooleanCells(values[at], before[at] | missing)
        case DateCells(days, before):
            return DateCells(days[at], before[at] | missing)
        case DateTimeCells(days, rest, before, zoned):
            return DateTimeCells(days[at], rest[at], before[at] | missing, zoned)
        case TimeCells(values, before):
            return TimeCells(values[at], before[at] | missing)
        case BytesCells(words, before, text):
            return BytesCells(words, np.where(missing, -1, before[at]), text)
        case ObjectCells(values):
            return ObjectCells(_without(values[at], missing))


def concatenate_cells(parts: Sequence[FrameCells]) -> FrameCells:
    """The cells of several parts, which are of one type."""
    if len(parts) == 1:
        return parts[0]

    def all_of(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    match parts[0]:
        case IntegerCells():
            return IntegerCells(all_of("values"), all_of("missing"))
        case FloatCells():
            return FloatCells(all_of("values"))
        case BooleanCells():
            return BooleanCells(all_of("values"), all_of("missing"))
        case DateCells():
            return DateCells(all_of("days"), all_of("missing"))
        case DateTimeCells(zoned=zoned):
            return DateTimeCells(all_of("days"), all_of("nanoseconds"), all_of("missing"), zoned)
        case TimeCells():
            return TimeCells(all_of("values"), all_of("missing"))
        case BytesCells(text=text):
            return _joined_blobs([part for part in parts if isinstance(part, BytesCells)], text)
        case ObjectCells():
            return ObjectCells(all_of("values"))
        case UnreadableCells():
            return UnreadableCells(sum(map(size_of, parts)))


def _joined_blobs(parts: Sequence[BytesCells], text: bool) -> BytesCells:
    words: list[bytes | None] = []
    places = []
    for part in parts:
        places.append(np.where(part.places < 0, -1, part.places + len(words)))
        words += part.words
    return BytesCells(words, np.concatenate(places), text)


# ---------------------------------------------------------------------- by declared kind


def _numbers(stored: FrameCells, merges: bool) -> Array:
    match stored:
        case IntegerCells(values, missing) | BooleanCells(values, missing):
            floats = values.astype(np.float64)
            floats[missing] = np.nan
        case FloatCells(floats):
            pass
        case _:
            return np.full(size_of(stored), np.nan)
    return _merged(floats, merges)


def _merged(found: NDArray[np.float64], merges: bool) -> NDArray[np.float64]:
    """Floats without −0.0 and, where it is asked, without those that stand for several integers."""
    with np.errstate(all="ignore"):
        beyond = (np.abs(found) >= EXACT) & np.isfinite(found)
        if merges and beyond.any():
            found = np.where(beyond, np.nan, found)
        return found + 0.0 if (np.signbit(found) & (found == 0)).any() else found


def _truths(stored: FrameCells) -> Array:
    match stored:
        case BooleanCells(values, missing):
            return _masked(values, missing)
        case IntegerCells(values, missing):
            return _masked(values == 1, missing | ((values != 0) & (values != 1)))
        case FloatCells(values):
            return _masked(values == 1, (values != 0) & (values != 1))
        case _:
            every = np.ones(size_of(stored), np.bool_)
            return _masked(~every, every)


def _days(stored: FrameCells) -> Array:
    match stored:
        case DateCells(days, missing) | DateTimeCells(days, _, missing):
            return midnights(days, missing)
        case _:
            size = size_of(stored)
            return midnights(np.zeros(size, np.int64), np.ones(size, np.bool_))


def _moments(stored: FrameCells, clock: ZoneOffsets | None) -> Array:
    """Whole seconds of a clock, as moments without a zone."""
    match stored:
        case DateTimeCells(days, nanoseconds, missing, zoned):
            seconds = days * DAY_SECONDS + nanoseconds // 10**9
            if zoned and clock is not None:
                places = np.searchsorted(np.array(clock.changes, np.int64), seconds, side="right")
                seconds = seconds + np.array(clock.offsets, np.int64)[places]
            missing = missing | (seconds < FIRST_SECOND) | (seconds > LAST_SECOND)
            moments = np.where(missing, 0, seconds).astype("datetime64[s]")
            moments = moments.astype("datetime64[us]")
            moments[missing] = np.datetime64("NaT")
            return moments
        case _:
            return _days(stored)


def _times(stored: FrameCells) -> Array:
    """Times of day as their texts, by which every store of texts has them."""
    if not isinstance(stored, TimeCells):
        return objects([None] * size_of(stored))
    outside = stored.missing | (stored.values < 0) | (stored.values >= DAY_SECONDS)
    return _placed(_time_words(), np.where(outside, -1, stored.values))


@lru_cache(maxsize=1)
def _time_words() -> Array:
    return objects([*(dated_text(second, Dated.TIME) for second in range(DAY_SECONDS)), None])


def _texts(stored: FrameCells, merges: bool) -> Array:
    match stored:
        case IntegerCells(values, missing):
            if merges:
                missing = missing | (values >= EXACT) | (values <= -EXACT)
            wide = values if values.dtype == np.uint64 else values.astype(np.int64, copy=False)
            return _masked(wide, missing)
        case FloatCells(values):
            return _merged(values, merges)
        case BooleanCells(values, missing):
            return _masked(values.astype(np.int64) if merges else values, missing)
        case _:
            return objects([None] * size_of(stored))


def _dated_texts(stored: DateCells | DateTimeCells) -> Array:
    missing = stored.missing.tolist()
    if isinstance(stored, DateCells):
        days = enumerate(stored.days.tolist())
        return objects([None if missing[place] else date_text(day) for place, day in days])
    cells = zip(stored.days.tolist(), stored.nanoseconds.tolist(), missing, strict=True)
    return objects(
        [None if absent else moment_text(d, n, zoned=stored.zoned) for d, n, absent in cells]
    )


def _placed(words: Array, places: Integers) -> Array:
    """The words at some places; the last one is where there is none."""
    there = (places >= 0) & (places < words.size)
    cells: Array = words[places if there.all() else np.where(there, places, words.size - 1)]
    return cells


def _masked(values: Array, missing: Mask) -> Array:
    return np.ma.MaskedArray(values, mask=missing) if missing.any() else values


def objects(cells: Sequence[object]) -> Array:
    """Python objects as an array, each as it is."""
    return np.fromiter(cells, np.object_, len(cells))


def _without(values: Array, missing: Mask) -> Array:
    values[missing] = None
    return values


def _none_like(stored: FrameCells, size: int) -> FrameCells:
    """As many missing cells of the same type."""
    every = np.ones(size, np.bool_)
    zeros = np.zeros(size, np.int64)
    match stored:
        case IntegerCells(values):
            return IntegerCells(np.zeros(size, values.dtype), every)
        case FloatCells():
            return FloatCells(np.full(size, np.nan))
        case BooleanCells():
            return BooleanCells(~every, every)
        case DateCells():
            return DateCells(zeros, every)
        case DateTimeCells(zoned=zoned):
            return DateTimeCells(zeros, zeros, every, zoned)
        case TimeCells():
            return TimeCells(zeros, every)
        case BytesCells(text=text):
            return BytesCells((), zeros - 1, text)
        case ObjectCells():
            return ObjectCells(objects([None] * size))
        case UnreadableCells():
            return UnreadableCells(size)
