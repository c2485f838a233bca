"""What a column of a frame holds, and the NumPy array of it that DuckDB reads.

The array's type is decided by the column's own type and the declared kind, by no cell.  Columns of
Python objects and of texts become texts, which are read as those of a text file are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.frames.calendar import Integers, date_text, midnights, moment_text
from discreet.engines.frames.cells import EXACT, Kind, decoded, shown_bytes, texts_of
from discreet.plan.columns import Boolean, Category, Column, Number

Mask = NDArray[np.bool_]
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Wholes:
    """Integers of any width."""

    values: Array
    missing: Mask


@dataclass(frozen=True, slots=True)
class Reals:
    """Floats; NaN is missing."""

    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Truths:
    """True and false."""

    values: Mask
    missing: Mask


@dataclass(frozen=True, slots=True)
class Days:
    """Days since 1970."""

    days: Integers
    missing: Mask


@dataclass(frozen=True, slots=True)
class Moments:
    """Days since 1970 and nanoseconds of the day, in UTC if they are ``zoned``."""

    days: Integers
    nanoseconds: Integers
    missing: Mask
    zoned: bool


@dataclass(frozen=True, slots=True)
class Blobs:
    """Bytes, as places in a list of some; with ``text``, they are called texts.

    A place that is not there is missing.
    """

    words: Sequence[bytes | None]
    places: Integers
    text: bool


@dataclass(frozen=True, slots=True)
class Objects:
    """Python objects of whatever types."""

    values: Array


@dataclass(frozen=True, slots=True)
class Nothing:
    """A type of which nothing is read."""

    size: int


Stored = Wholes | Reals | Truths | Days | Moments | Blobs | Objects | Nothing


def kind_of(column: Column | None) -> Kind:
    """What a column is declared as; None stands for the one that says whose row it is."""
    match column:
        case None:
            return "id"
        case Number(dated=True):
            return "day"
        case Number() | Category(numeric=True):
            return "number"
        case Boolean():
            return "truth"
        case _:
            return "text"


def canonical(stored: Stored, kind: Kind, merges: bool) -> Array:
    """The array that DuckDB reads as the declared kind.

    ``merges``: numbers from 2^53 on are missing, and true and false are 1 and 0.
    """
    match stored:
        case Objects(values):
            return objects(texts_of(values.tolist(), kind, merges))
        case Blobs(words, places, text):
            read = shown_bytes if kind == "id" and not text else decoded
            return _placed(objects([*map(read, words), None]), places)
        case Days() | Moments() if kind in ("text", "id"):
            return _dated_texts(stored)
    match kind:
        case "number":
            return _numbers(stored, merges)
        case "truth":
            return _truths(stored)
        case "day":
            return _days(stored)
        case _:
            return _texts(stored, merges)


def size_of(stored: Stored) -> int:
    """The number of rows."""
    match stored:
        case Nothing(size):
            return size
        case Blobs(places=places):
            return places.size
        case Days(days) | Moments(days):
            return days.size
        case _:
            return stored.values.size


def taken(stored: Stored, places: Integers) -> Stored:
    """The cells at some places; those at a place that is not there are missing."""
    missing = (places < 0) | (places >= size_of(stored))
    if isinstance(stored, Nothing) or size_of(stored) == 0:
        return _none_like(stored, places.size)
    at = np.where(missing, 0, places)
    match stored:
        case Wholes(values, before):
            return Wholes(values[at], before[at] | missing)
        case Reals(values):
            return Reals(np.where(missing, np.nan, values[at]))
        case Truths(values, before):
            return Truths(values[at], before[at] | missing)
        case Days(days, before):
            return Days(days[at], before[at] | missing)
        case Moments(days, rest, before, zoned):
            return Moments(days[at], rest[at], before[at] | missing, zoned)
        case Blobs(words, before, text):
            return Blobs(words, np.where(missing, -1, before[at]), text)
        case Objects(values):
            return Objects(_without(values[at], missing))


def joined(parts: Sequence[Stored]) -> Stored:
    """The cells of several parts, which are of one type."""
    if len(parts) == 1:
        return parts[0]

    def all_of(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    match parts[0]:
        case Wholes():
            return Wholes(all_of("values"), all_of("missing"))
        case Reals():
            return Reals(all_of("values"))
        case Truths():
            return Truths(all_of("values"), all_of("missing"))
        case Days():
            return Days(all_of("days"), all_of("missing"))
        case Moments(zoned=zoned):
            return Moments(all_of("days"), all_of("nanoseconds"), all_of("missing"), zoned)
        case Blobs(text=text):
            return _joined_blobs([part for part in parts if isinstance(part, Blobs)], text)
        case Objects():
            return Objects(all_of("values"))
        case Nothing():
            return Nothing(sum(map(size_of, parts)))


def _joined_blobs(parts: Sequence[Blobs], text: bool) -> Blobs:
    words: list[bytes | None] = []
    places = []
    for part in parts:
        places.append(np.where(part.places < 0, -1, part.places + len(words)))
        words += part.words
    return Blobs(words, np.concatenate(places), text)


# ---------------------------------------------------------------------- by declared kind


def _numbers(stored: Stored, merges: bool) -> Array:
    match stored:
        case Wholes(values, missing) | Truths(values, missing):
            found = values.astype(np.float64)
            found[missing] = np.nan
        case Reals(found):
            pass
        case _:
            return np.full(size_of(stored), np.nan)
    return _merged(found, merges)


def _merged(found: NDArray[np.float64], merges: bool) -> NDArray[np.float64]:
    """Floats without −0.0 and, where it is asked, without those that stand for several integers."""
    with np.errstate(all="ignore"):
        beyond = (np.abs(found) >= EXACT) & np.isfinite(found)
        if merges and beyond.any():
            found = np.where(beyond, np.nan, found)
        return found + 0.0 if (np.signbit(found) & (found == 0)).any() else found


def _truths(stored: Stored) -> Array:
    match stored:
        case Truths(values, missing):
            return _masked(values, missing)
        case Wholes(values, missing):
            return _masked(values == 1, missing | ((values != 0) & (values != 1)))
        case Reals(values):
            return _masked(values == 1, (values != 0) & (values != 1))
        case _:
            every = np.ones(size_of(stored), np.bool_)
            return _masked(~every, every)


def _days(stored: Stored) -> Array:
    match stored:
        case Days(days, missing) | Moments(days, _, missing):
            return midnights(days, missing)
        case _:
            size = size_of(stored)
            return midnights(np.zeros(size, np.int64), np.ones(size, np.bool_))


def _texts(stored: Stored, merges: bool) -> Array:
    match stored:
        case Wholes(values, missing):
            if merges:
                missing = missing | (values >= EXACT) | (values <= -EXACT)
            wide = values if values.dtype == np.uint64 else values.astype(np.int64, copy=False)
            return _masked(wide, missing)
        case Reals(values):
            return _merged(values, merges)
        case Truths(values, missing):
            return _masked(values.astype(np.int64) if merges else values, missing)
        case _:
            return objects([None] * size_of(stored))


def _dated_texts(stored: Days | Moments) -> Array:
    missing = stored.missing.tolist()
    if isinstance(stored, Days):
        days = enumerate(stored.days.tolist())
        return objects([None if missing[place] else date_text(day) for place, day in days])
    cells = zip(stored.days.tolist(), stored.nanoseconds.tolist(), missing, strict=True)
    return objects(
        [None if absent else moment_text(d, n, zoned=stored.zoned) for d, n, absent in cells]
    )


def _placed(words: Array, places: Integers) -> Array:
    """The words at some places; the last one is where there is none."""
    there = (places >= 0) & (places < words.size)
    found: Array = words[places if there.all() else np.where(there, places, words.size - 1)]
    return found


def _masked(values: Array, missing: Mask) -> Array:
    return np.ma.MaskedArray(values, mask=missing) if missing.any() else values


def objects(cells: Sequence[object]) -> Array:
    """Python objects as an array, each as it is."""
    return np.fromiter(cells, np.object_, len(cells))


def _without(values: Array, missing: Mask) -> Array:
    values[missing] = None
    return values


def _none_like(stored: Stored, size: int) -> Stored:
    """As many missing cells of the same type."""
    every = np.ones(size, np.bool_)
    zeros = np.zeros(size, np.int64)
    match stored:
        case Wholes(values):
            return Wholes(np.zeros(size, values.dtype), every)
        case Reals():
            return Reals(np.full(size, np.nan))
        case Truths():
            return Truths(~every, every)
        case Days():
            return Days(zeros, every)
        case Moments(zoned=zoned):
            return Moments(zeros, zeros, every, zoned)
        case Blobs(text=text):
            return Blobs((), zeros - 1, text)
        case Objects():
            return Objects(objects([None] * size))
        case Nothing():
            return Nothing(size)
