"""The columns of an Arrow table, and of pandas frames that Arrow is behind."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    concatenate_cells,
    objects,
    take_cells,
)

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_KNOWN_EXTENSIONS = {"arrow.bool8": "bool8", "arrow.json": "storage", "arrow.uuid": "uuid"}


def snapshot(frame: Any) -> Any:
    """The table itself: nothing changes it."""
    return frame


def names(frame: Any) -> list[str]:
    """What the columns are called."""
    return [str(name) for name in frame.schema.names]


def empty(frame: Any) -> Any:
    """The table without its rows."""
    return frame.slice(0, 0)


def column(frame: Any, place: int) -> FrameCells:
    """The cells of a column."""
    return stored(frame.column(place))


def stored(array: Any) -> FrameCells:
    """The cells of an array, or of one in several chunks."""
    import pyarrow  # type: ignore[import-untyped]

    chunks = getattr(array, "chunks", [array])
    return concatenate_cells([_chunk(one) for one in chunks or [pyarrow.nulls(0, array.type)]])


def _chunk(array: Any) -> FrameCells:
    import pyarrow
    from pyarrow import compute, types

    kind = array.type
    if isinstance(kind, pyarrow.BaseExtensionType):
        return _extension(array)
    array.validate()
    if types.is_dictionary(kind):
        indices = _wholes(array.indices)
        places = np.where(indices.missing, -1, indices.values.astype(np.int64))
        return take_cells(_chunk(array.dictionary), places)
    if types.is_run_end_encoded(kind):
        return _chunk(compute.run_end_decode(array))
    if _is_text(kind) or _is_bytes(kind):
        return _bytes(array)
    if types.is_boolean(kind):
        missing = _missing(array)
        return BooleanCells(_filled(array, False), missing)
    if types.is_integer(kind):
        return _wholes(array)
    if types.is_floating(kind):
        with np.errstate(all="ignore"):
            floats = array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
        return FloatCells(floats)
    if types.is_decimal(kind):
        return ObjectCells(objects(array.to_pylist()))
    if types.is_date(kind):
        days = _counts(array)
        if types.is_date64(kind):
            days = split(days, "ms")[0]
        return DateCells(days, _missing(array) | (days < FIRST) | (days > LAST))
    if types.is_timestamp(kind):
        days, rest, outside = split(_counts(array), kind.unit)
        return DateTimeCells(days, rest, outside | _missing(array), kind.tz is not None)
    if types.is_time(kind):
        return TimeCells(_counts(array) // _PER_SECOND[kind.unit], _missing(array))
    return UnreadableCells(len(array))


def _extension(array: Any) -> FrameCells:
    known = _KNOWN_EXTENSIONS.get(array.type.extension_name)
    if known is None:
        return UnreadableCells(len(array))
    inside = _chunk(array.storage)
    if known == "bool8" and isinstance(inside, IntegerCells):
        return BooleanCells(inside.values != 0, inside.missing)
    if known == "uuid" and isinstance(inside, BytesCells):
        texts = [None if one is None else _uuid(one) for one in inside.words]
        return BytesCells(texts, inside.places, text=True)
    return inside


def _uuid(stored: bytes) -> bytes:
    digits = stored.hex()
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return "-".join(parts).encode()


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_bytes(kind: Any) -> bool:
    from pyarrow import types

    tests = (
        types.is_binary,
        types.is_large_binary,
        types.is_binary_view,
        types.is_fixed_size_binary,
    )
    return any(test(kind) for test in tests)


def _bytes(array: Any) -> BytesCells:
    """Bytes, or those of texts, which are not believed to be UTF-8; equal ones are read once."""
    import pyarrow

    kinds = {
        pyarrow.string(): pyarrow.binary(),
        pyarrow.large_string(): pyarrow.large_binary(),
        pyarrow.string_view(): pyarrow.binary_view(),
    }
    kind = kinds.get(array.type, array.type)
    # The same memory: where each cell begins and ends is checked before anything is read by it.
    held = pyarrow.Array.from_buffers(kind, len(array), array.buffers(), offset=array.offset)
    held.validate(full=True)
    coded = held.cast(pyarrow.large_binary()).dictionary_encode()
    places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return BytesCells(coded.dictionary.to_pylist(), places.astype(np.int64), _is_text(array.type))


def _wholes(array: Any) -> IntegerCells:
    return IntegerCells(_filled(array, 0), _missing(array))


def _counts(array: Any) -> NDArray[np.int64]:
    """Days or moments as the integers that they are."""
    import pyarrow

    wide = pyarrow.int32() if array.type.bit_width == 32 else pyarrow.int64()
    return _filled(array.view(wide), 0).astype(np.int64, copy=False)


def _filled(array: Any, value: Any) -> NDArray[Any]:
    found: NDArray[Any] = array.fill_null(value).to_numpy(zero_copy_only=False)
    return found


def _missing(array: Any) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return found
