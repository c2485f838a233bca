"""Frames in memory: every cell is read by the rule, whatever type holds it."""

import datetime
from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import nan
from typing import Any
from uuid import UUID

import numpy
import pandas
import polars
import pyarrow
import pytest

from tests.reading.held import KINDS, held, ruled
from tests.reading.rule import (
    BOOLEANS,
    BYTES,
    DATES,
    DECIMALS,
    FLOATS,
    HUGE,
    INTEGERS,
    MOMENTS,
    NOT_UTF8,
    OTHERS,
    SMALL_FLOATS,
    TEXTS,
    TIMES,
    WIDE_DECIMALS,
    ZONED,
)

Column = tuple[Any, Sequence[Any]]
"""What a library holds, and the cells that were put there."""

WHOLE = [cell for cell in INTEGERS if cell is not None]
SPAN = datetime.timedelta(days=1)
NANOSECONDS = [None, numpy.datetime64("2020-01-02T03:04:05.000000001", "ns")]
NANOSECONDS += [numpy.datetime64("1678-01-01T00:00:00.000000001", "ns")]
NANOSECONDS += [numpy.datetime64("2262-04-11T23:47:16.854775807", "ns")]
FAR = [None, -(2**62), 2**62, 2**63 - 1, -(2**63) + 1, 253402300800, -62135596801, -62135596800, 0]
"""Counts of seconds, most of them outside of the calendar."""


def fitting(cells: Iterable[Any], bits: int, *, signed: bool = True) -> list[Any]:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return [cell for cell in cells if cell is None or low <= cell <= high]


def seconds(cells: Iterable[int | None]) -> list[Any]:
    return [None if one is None else numpy.datetime64(one, "s") for one in cells]


def bad_text(kind: Any, raw: Any) -> tuple[Any, list[Any]]:
    """An Arrow array of texts, some of which are not UTF-8, and its cells."""
    cells = [*NOT_UTF8, b"a", None, "Ä".encode(), b"7", b"abcdefghijklmnop"]
    made = pyarrow.array(cells, raw)
    texts = [None if cell is None else _decoded(cell) for cell in cells]
    return pyarrow.Array.from_buffers(kind, len(cells), made.buffers()), texts


def _decoded(cell: bytes) -> str | None:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


# ---------------------------------------------------------------------- pandas


def pandas_columns() -> dict[str, Column]:
    found: dict[str, Column] = {}
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        bits, signed = int(kind.lstrip("uint")), kind[0] == "i"
        cells = fitting([*WHOLE, 2**64 - 1], bits, signed=signed)
        nullable = kind.replace("uint", "UInt") if not signed else kind.replace("int", "Int")
        found[kind] = pandas.Series(cells, dtype=kind), cells
        found[nullable] = pandas.Series([*cells, None], dtype=nullable), [*cells, None]
        found[f"{kind}[pyarrow]"] = (
            pandas.Series([*cells, None], dtype=f"{kind}[pyarrow]"),
            [*cells, None],
        )
    for kind in ("float32", "float64", "Float32", "Float64", "float[pyarrow]", "double[pyarrow]"):
        cells = SMALL_FLOATS if "32" in kind or kind == "float[pyarrow]" else FLOATS
        found[kind] = pandas.Series(cells, dtype=kind), cells
    found["float16"] = pandas.Series([0.1, 7, nan], dtype="float16"), [numpy.float16(0.1), 7, None]
    found["longdouble"] = pandas.Series(FLOATS, dtype="longdouble"), FLOATS
    pairs = [1 + 0j, 7 + 0j, 1 + 1j, complex(nan, 0), complex(2.5, 0), complex(0, -1)]
    found["complex128"] = pandas.Series(pairs), [1, 7, None, None, 2.5, None]
    found["bool"] = pandas.Series([True, False]), [True, False]
    found["boolean"] = pandas.Series(BOOLEANS, dtype="boolean"), BOOLEANS
    found["bool[pyarrow]"] = pandas.Series(BOOLEANS, dtype="bool[pyarrow]"), BOOLEANS
    for kind in (
        "str",
        "string",
        "object",
        "string[python]",
        "string[pyarrow]",
        "large_string[pyarrow]",
    ):
        found[kind] = pandas.Series(TEXTS, dtype=kind), TEXTS
    found["category"] = pandas.Series(TEXTS, dtype="category"), TEXTS
    for name, cells in {"integers": WHOLE, "floats": FLOATS, "booleans": BOOLEANS}.items():
        found[f"category of {name}"] = pandas.Series(cells, dtype="category"), cells
    mixed = [1, "7", 7.5, None, True, "true", 2**60]
    found["category of objects"] = (
        pandas.Series(
            pandas.Categorical.from_codes([0, 1, 2, -1, 3, 4, 5], [1, "7", 7.5, "y", "true", 2**60])
        ),
        [1, "7", 7.5, None, "y", "true", 2**60],
    )
    for name, cells in {
        "mixed": mixed,
        "integers": [*INTEGERS, *HUGE],
        "floats": FLOATS,
        "booleans": BOOLEANS,
        "bytes": [*BYTES, *NOT_UTF8],
        "decimals": [*DECIMALS, *WIDE_DECIMALS, Decimal("NaN"), Decimal("Infinity")],
        "dates": DATES,
        "moments": MOMENTS,
        "zoned": ZONED,
        "times": TIMES,
        "others": OTHERS,
        "NumPy's": [
            numpy.int8(7),
            numpy.float32(0.1),
            numpy.bool_(True),
            numpy.str_("7"),
            *seconds(FAR),
        ],
        "uuids": [UUID(int=7), UUID(int=2**128 - 1)],
    }.items():
        found[f"objects: {name}"] = pandas.Series(cells, dtype=object), cells
    found["sparse"] = pandas.Series([0, 7, 0, 1], dtype="Sparse[int64]"), [0, 7, 0, 1]
    found["sparse floats"] = pandas.Series(FLOATS, dtype="Sparse[float64]"), FLOATS
    for unit in ("s", "ms", "us"):
        cells = [cell for cell in MOMENTS if cell is None or unit == "us" or not cell.microsecond]
        found[f"datetime64[{unit}]"] = pandas.Series(cells, dtype=f"datetime64[{unit}]"), cells
        zoned = [cell for cell in ZONED if cell is None or unit == "us" or not cell.microsecond]
        there = pandas.Series(zoned, dtype=f"datetime64[{unit}, UTC]")
        found[f"datetime64[{unit}, UTC]"] = there, zoned
        inner = [cell for cell in zoned if cell is None or 1 < cell.year < 9999]
        away = pandas.Series(inner, dtype=f"datetime64[{unit}, Asia/Kolkata]")
        found[f"datetime64[{unit}, Asia/Kolkata]"] = away, inner
    found["datetime64[ns]"] = pandas.Series(NANOSECONDS, dtype="datetime64[ns]"), NANOSECONDS
    far = pandas.Series(numpy.array([-(2**63) if one is None else one for one in FAR], "M8[s]"))
    found["far"] = far, seconds(FAR)
    found["far objects"] = far.astype(object), seconds(FAR)
    found["timedelta64"] = pandas.Series([SPAN, None]), [SPAN, None]
    months = pandas.period_range("2020-01", periods=2, freq="M")
    found["period"] = pandas.Series(months), [SPAN, SPAN]
    found["interval"] = pandas.Series(pandas.interval_range(0, 2)), [SPAN, SPAN]
    for name, (array, cells) in arrow_columns().items():
        if "extension" not in name:
            backed = pandas.Series(
                pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([array]))
            )
            found[f"ArrowDtype: {name}"] = backed, cells
    return found


# ---------------------------------------------------------------------- Polars


def polars_columns() -> dict[str, Column]:
    found: dict[str, Column] = {}
    for kind in (polars.Int8, polars.Int16, polars.Int32, polars.Int64, polars.Int128):
        cells = fitting([*INTEGERS, *HUGE], int(kind.__name__[3:]))
        found[kind.__name__] = polars.Series(cells, dtype=kind), cells
    for kind in (polars.UInt8, polars.UInt16, polars.UInt32, polars.UInt64):
        cells = fitting([*INTEGERS, *HUGE], int(kind.__name__[4:]), signed=False)
        found[kind.__name__] = polars.Series(cells, dtype=kind), cells
    found["Float32"] = polars.Series(SMALL_FLOATS, dtype=polars.Float32), SMALL_FLOATS
    found["Float64"] = polars.Series(FLOATS, dtype=polars.Float64), FLOATS
    found["Boolean"] = polars.Series(BOOLEANS, dtype=polars.Boolean), BOOLEANS
    found["String"] = polars.Series(TEXTS, dtype=polars.String), TEXTS
    found["Categorical"] = polars.Series(TEXTS, dtype=polars.Categorical), TEXTS
    words = ["7", "a", "2020-01-02", "true", "never used"]
    found["Enum"] = (
        polars.Series([*words[:-1], None], dtype=polars.Enum(words)),
        [*words[:-1], None],
    )
    found["Binary"] = polars.Series([*BYTES, *NOT_UTF8], dtype=polars.Binary), [*BYTES, *NOT_UTF8]
    found["Decimal"] = polars.Series(DECIMALS, dtype=polars.Decimal(10, 2)), DECIMALS
    found["wide Decimal"] = (
        polars.Series(WIDE_DECIMALS, dtype=polars.Decimal(38, 10)),
        WIDE_DECIMALS,
    )
    found["Date"] = polars.Series(DATES, dtype=polars.Date), DATES
    days = [None, 2932896, 2932897, -719162, -719163, 2**31 - 1, -(2**31)]
    found["far Date"] = (
        polars.Series(days, dtype=polars.Int32).cast(polars.Date),
        [None, datetime.date.max, None, datetime.date.min, None, None, None],
    )
    found["Datetime"] = polars.Series(MOMENTS, dtype=polars.Datetime("us")), MOMENTS
    found["Datetime, UTC"] = polars.Series(ZONED, dtype=polars.Datetime("us", "UTC")), ZONED
    inner = [cell for cell in ZONED if cell is None or 1 < cell.year < 9999]
    away = polars.Series(inner, dtype=polars.Datetime("us", "UTC")).dt.convert_time_zone(
        "Asia/Kolkata"
    )
    found["Datetime, Asia/Kolkata"] = away, inner
    counts = [None if one is None else int(one.astype(int)) for one in NANOSECONDS]
    found["Datetime, ns"] = (
        polars.Series(counts, dtype=polars.Int64).cast(polars.Datetime("ns")),
        NANOSECONDS,
    )
    thousands = [None if one is None or abs(one) > 2**50 else one * 1000 for one in FAR]
    found["far Datetime"] = (
        polars.Series([2**63 - 1, *thousands], dtype=polars.Int64).cast(polars.Datetime("ms")),
        [None, *seconds(None if one is None else one // 1000 for one in thousands)],
    )
    found["Duration"] = polars.Series([SPAN, None]), [SPAN, None]
    found["Time"] = polars.Series(TIMES), TIMES
    found["Struct"] = polars.Series([{"a": 7}, {"a": None}]), [SPAN, SPAN]
    found["List"] = polars.Series([[7], []]), [SPAN, SPAN]
    found["Null"] = polars.Series([None, None]), [None, None]
    objects = [7, "7", 7.0, None, b"7", [7], object(), 2**60, True, UUID(int=7)]
    found["Object"] = polars.Series(objects, dtype=polars.Object), objects
    for text, raw in ((pyarrow.large_string(), pyarrow.large_binary()),):
        array, cells = bad_text(text, raw)
        found["String that is none"] = polars.Series(array), cells
    return found


# ---------------------------------------------------------------------- Arrow


def arrow_columns() -> dict[str, Column]:
    found: dict[str, Column] = {}
    for bits in (8, 16, 32, 64):
        for kind in (f"int{bits}", f"uint{bits}"):
            cells = fitting([*INTEGERS, *HUGE], bits, signed=kind[0] == "i")
            found[kind] = pyarrow.array(cells, getattr(pyarrow, kind)()), cells
    found["half"] = pyarrow.array([0.5, None, nan], pyarrow.float16()), [0.5, None, nan]
    found["float"] = pyarrow.array(SMALL_FLOATS, pyarrow.float32()), SMALL_FLOATS
    found["double"] = pyarrow.array(FLOATS, pyarrow.float64()), FLOATS
    found["bool"] = pyarrow.array(BOOLEANS, pyarrow.bool_()), BOOLEANS
    found["null"] = pyarrow.nulls(2), [None, None]
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        found[str(kind)] = pyarrow.array(TEXTS, kind), TEXTS
    for text, raw in (
        (pyarrow.string(), pyarrow.binary()),
        (pyarrow.large_string(), pyarrow.large_binary()),
        (pyarrow.string_view(), pyarrow.binary_view()),
    ):
        found[f"{text} that is none"] = bad_text(text, raw)
        cells = [*BYTES, *NOT_UTF8]
        found[str(raw)] = pyarrow.array(cells, raw), cells
    found["fixed"] = (
        pyarrow.array([b"77", b"\xff7", None], pyarrow.binary(2)),
        [b"77", b"\xff7", None],
    )
    found["decimal"] = pyarrow.array(DECIMALS, pyarrow.decimal128(10, 2)), DECIMALS
    found["wide decimal"] = pyarrow.array(WIDE_DECIMALS, pyarrow.decimal256(60, 10)), WIDE_DECIMALS
    found["date32"] = pyarrow.array(DATES, pyarrow.date32()), DATES
    found["date64"] = pyarrow.array(DATES, pyarrow.date64()), DATES
    for unit in ("s", "ms", "us"):
        cells = [cell for cell in MOMENTS if cell is None or unit == "us" or not cell.microsecond]
        found[f"timestamp[{unit}]"] = pyarrow.array(cells, pyarrow.timestamp(unit)), cells
        zoned = [cell for cell in ZONED if cell is None or unit == "us" or not cell.microsecond]
        for zone in ("UTC", "+05:00", "America/New_York", "nowhere"):
            kind = pyarrow.timestamp(unit, zone)
            made = pyarrow.array(zoned, pyarrow.timestamp(unit, "UTC")).view(kind)
            found[f"timestamp[{unit}, {zone}]"] = made, zoned
    found["timestamp[ns]"] = pyarrow.array(NANOSECONDS, pyarrow.timestamp("ns")), NANOSECONDS
    far = pyarrow.array(FAR, pyarrow.int64())
    found["far"] = far.view(pyarrow.timestamp("s")), seconds(FAR)
    found["far days"] = (
        pyarrow.array([2932896, 2932897, -(2**31)], pyarrow.int32()).view(pyarrow.date32()),
        [datetime.date.max, None, None],
    )
    found["time32"] = (
        pyarrow.array([datetime.time(1), None], pyarrow.time32("s")),
        [datetime.time(1), None],
    )
    found["time64"] = (
        pyarrow.array([2**62, None], pyarrow.int64()).view(pyarrow.time64("us")),
        [SPAN, None],
    )
    found["duration"] = pyarrow.array([SPAN, None], pyarrow.duration("us")), [SPAN, None]
    found["list"] = pyarrow.array([[7], None]), [SPAN, None]
    found["struct"] = pyarrow.array([{"a": 7}, None]), [SPAN, None]
    words = pyarrow.array(["a", "7", None, "a", "unused"])
    indices = pyarrow.array([0, 1, 2, 3, None], pyarrow.int8())
    found["dictionary"] = (
        pyarrow.DictionaryArray.from_arrays(indices, words),
        ["a", "7", None, "a", None],
    )
    numbers = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array([7.0, 2.5, nan, 7.0]))
    found["dictionary of floats"] = numbers, [7.0, 2.5, None, 7.0, None]
    bad, cells = bad_text(pyarrow.string(), pyarrow.binary())
    every = pyarrow.array(range(len(cells)), pyarrow.int32())
    found["dictionary of what is no text"] = pyarrow.DictionaryArray.from_arrays(every, bad), cells
    ends = pyarrow.RunEndEncodedArray.from_arrays([2, 3], pyarrow.array(["7", None]))
    found["runs"] = ends, ["7", "7", None]
    found["slice"] = pyarrow.array(["x", *TEXTS, "y"]).slice(1, len(TEXTS)), TEXTS
    found["slice of booleans"] = pyarrow.array([True, *BOOLEANS]).slice(1), BOOLEANS
    found["extension: json"] = pyarrow.array(["7", None], pyarrow.json_()), ["7", None]
    found["extension: bool8"] = pyarrow.array([1, 0, None], pyarrow.bool8()), [True, False, None]
    ids = [UUID(int=7), UUID(int=2**127), None]
    raw = pyarrow.array([None if one is None else one.bytes for one in ids], pyarrow.binary(16))
    found["extension: uuid"] = pyarrow.ExtensionArray.from_storage(pyarrow.uuid(), raw), ids
    opaque = pyarrow.opaque(pyarrow.int64(), "span", "somebody")
    found["extension: opaque"] = pyarrow.array([7, None], opaque), [SPAN, None]
    return found


def in_chunks(array: Any) -> Any:
    """The same cells in three chunks, one of them empty; a dictionary is another one in each."""
    middle = len(array) // 2
    return pyarrow.chunked_array([array.slice(0, middle), array.slice(0, 0), array.slice(middle)])


FRAMES: dict[str, tuple[Any, Any]] = {
    "pandas": (pandas_columns, lambda column: pandas.DataFrame(dict.fromkeys(KINDS, column))),
    "polars": (polars_columns, lambda column: polars.DataFrame(dict.fromkeys(KINDS, column))),
    "pyarrow": (arrow_columns, lambda column: pyarrow.table(dict.fromkeys(KINDS, column))),
    "pyarrow in chunks": (
        arrow_columns,
        lambda column: pyarrow.table(dict.fromkeys(KINDS, in_chunks(column))),
    ),
    "pyarrow batch": (
        arrow_columns,
        lambda column: pyarrow.record_batch(dict.fromkeys(KINDS, column)),
    ),
}


@pytest.mark.parametrize(
    "library",
    [
        "polars",
        "pyarrow batch",
        pytest.param("pyarrow in chunks", marks=pytest.mark.slow),
        pytest.param("pandas", marks=pytest.mark.slow),
        pytest.param("pyarrow", marks=pytest.mark.soak),  # a table is read as its batches are
    ],
)
def test_every_cell_is_read_by_the_rule(library: str) -> None:
    columns, made = FRAMES[library]
    wrong = []
    for name, (column, cells) in columns().items():
        found = held(made(column))
        for kind, declared in KINDS.items():
            assert len(found[kind]) == len(cells), (name, kind)
            for cell, value in zip(cells, found[kind], strict=True):
                expected = ruled(declared, cell, pandas=library == "pandas")
                if value != expected or isinstance(value, bool) is not isinstance(expected, bool):
                    wrong.append((name, kind, cell, value, expected))
    assert not wrong, wrong
