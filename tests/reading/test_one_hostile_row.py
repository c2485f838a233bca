"""One row of a frame, whatever it holds, changes how no other row is read."""

import datetime
import logging
import os
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import discreet as dp
from discreet.question.check import checked_question
from tests.reading.held import KINDS, given, held, ruled
from tests.reading.rule import CELLS, MOMENTS, ZONED
from tests.support.odd_records import ODD, Raising, watched


class HostileText(str):
    """A text that lies about itself, and fails."""

    def _fails(self, *_: object) -> Any:
        raise RuntimeError("8675309")

    __str__ = __repr__ = __eq__ = __ne__ = __len__ = __iter__ = encode = isascii = _fails  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class HostileNumber(float):
    def __float__(self) -> float:
        raise SystemExit("8675309")

    __repr__ = __str__ = __abs__ = __eq__ = __hash__ = __float__  # type: ignore[assignment]


class HostileWhole(int):
    def __index__(self) -> int:
        warnings.warn("8675309", stacklevel=2)
        raise KeyboardInterrupt

    __int__ = __repr__ = __str__ = __abs__ = __eq__ = __hash__ = __index__  # type: ignore[assignment]


class HostileType(type):
    def __hash__(cls) -> int:
        raise RuntimeError("8675309")


class OfHostileType(metaclass=HostileType):
    pass


class HostileZone(datetime.tzinfo):
    def utcoffset(self, _: Any) -> Any:
        raise SystemExit("8675309")


class HostileMoment(datetime.datetime):
    @property
    def tzinfo(self) -> Any:  # type: ignore[override]
        raise KeyboardInterrupt


class HostileComplex(complex):
    def __complex__(self) -> complex:
        raise KeyboardInterrupt


class HostileScalar(numpy.int64):
    def __int__(self) -> int:
        raise KeyboardInterrupt


HOSTILE: list[Any] = [
    *ODD,
    HostileText("7"),
    HostileNumber(7),
    HostileWhole(7),
    OfHostileType(),
    datetime.datetime(2020, 1, 2, tzinfo=HostileZone()),
    datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=5))),
    "\ud800",
    10**5000,
    Decimal("1e-999999"),
    datetime.time(1),
]

COLUMNS: dict[str, list[Any]] = {
    "integers": [0, 1, 2, 7, -7, 41, 2**53 - 1, 2**53, 2**53 + 1, -(2**53), 2**62, 2**63 - 1],
    "unsigned": [0, 1, 7, 2**63, 2**64 - 1, 2**53 + 1],
    "floats": [0.0, -0.0, 1.0, 7.0, 2.5, 0.1, 1e15, 1e300, float("inf"), float("-inf"), 2.0**53],
    "booleans": [True, False, True],
    "texts": ["7", "7.0", "true", "a", "", "2020-01-02", "1e3", "Ä", "nan"],
    "bytes": [b"7", b"a", b"\xff"],
    "days": [datetime.date(2020, 1, 2), datetime.date(1, 1, 1)],
    "moments": [moment for moment in MOMENTS if moment is not None],
    "moments of NumPy": [numpy.datetime64("2020-01-02T03:04:05.000000007", "ns")],
    "zoned": [moment for moment in ZONED if moment is not None],
    "decimals": [Decimal("7.00"), Decimal("2.50"), Decimal("1e20")],
    "mixed": [7, "7", 7.0, True, b"7", Decimal(7), None, datetime.date(2020, 1, 2), 1 + 0j],
}


def frames_of(cells: list[Any]) -> list[pandas.DataFrame]:
    """A frame as pandas makes it of a list, and of two parts; what pandas refuses is no frame."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for made in (
            lambda: pandas.Series(cells),
            lambda: pandas.Series(cells).convert_dtypes(),
            lambda: pandas.concat(
                [pandas.Series(cells[:-1]), pandas.Series(cells[-1:], dtype=object)]
            ),
        ):
            try:
                found.append(pandas.DataFrame(dict.fromkeys(KINDS, made())))
            except Exception:
                continue
    return found


@pytest.mark.parametrize("name", COLUMNS)
def test_one_row_changes_how_no_other_is_read(
    name: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    cells = COLUMNS[name]
    expected = {
        kind: [ruled(declared, _real(cell), pandas=True) for cell in cells]
        for kind, declared in KINDS.items()
    }
    made = [(row, frame) for row in HOSTILE for frame in frames_of([*cells, row])]
    assert len(made) > len(HOSTILE)
    with watched(), caplog.at_level(logging.DEBUG):
        every = [given(frame) for _, frame in made]
    wrong = [
        (type(row), str(frame.dtypes.iloc[0]), kind, found[kind], expected[kind])
        for (row, frame), found in zip(made, every, strict=True)
        for kind in KINDS
        if found[kind][:-1] != expected[kind]
    ]
    assert not wrong, wrong[:3]
    few = [frames_of([*cells, row])[0] for row in (None, "word", 2.5, 3 + 4j, Raising())]
    with watched(), caplog.at_level(logging.DEBUG):
        for found in held(*few):
            assert {kind: values[:-1] for kind, values in found.items()} == expected
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def _real(cell: Any) -> Any:
    return cell.real if isinstance(cell, complex) and cell.imag == 0 else cell


def enlarged(cells: list[Any], row: Any) -> Any:
    frame = pandas.DataFrame({"v": cells})
    frame.loc[len(cells)] = [row]
    return frame["v"]


WAYS: dict[str, Any] = {
    "enlarged": enlarged,
    "reindexed": lambda cells, row: pandas.Series(cells).reindex(
        range(len(cells) + 1), fill_value=row
    ),
    "filled": lambda cells, row: pandas.Series([*cells, None]).fillna(row),
    "records": lambda cells, row: pandas.DataFrame([{"v": cell} for cell in [*cells, row]])["v"],
    "categories": lambda cells, row: pandas.Series([*cells, row], dtype="category"),
    "merged": lambda cells, row: pandas.merge(
        pandas.DataFrame({"key": range(len(cells)), "v": cells}),
        pandas.DataFrame({"key": range(len(cells) + 1)}),
        how="right",
    )["v"],
    "set": lambda cells, row: pandas.Series([*cells, cells[0]]).mask(
        [*([False] * len(cells)), True], row
    ),
}
"""Ways in which pandas changes the type of a column because of one row."""


@pytest.mark.slow
def test_a_row_that_is_put_in_later_changes_no_other() -> None:
    rows = [None, "word", 2.5, True, float("nan"), pandas.NaT, 3 + 4j, 2**64 - 1, 7, numpy.int8(3)]
    rows += [datetime.date(2020, 1, 1), pandas.Timestamp("2020-01-01"), b"7", Decimal(7)]
    rows += [pandas.Timestamp("2020-01-01", tz="Asia/Tokyo"), numpy.datetime64("9999-01-01")]
    wrong, tried = [], 0
    for name, cells in COLUMNS.items():
        before = given(pandas.DataFrame(dict.fromkeys(KINDS, pandas.Series(cells))))
        for row in rows:
            for way, made in WAYS.items():
                if way == "filled" and None in cells:
                    continue
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        series = made(cells, row)
                except Exception:  # pandas refuses it
                    continue
                tried += 1
                found = given(pandas.DataFrame(dict.fromkeys(KINDS, series)))
                wrong += [
                    (name, row, way, str(series.dtype), kind, found[kind], before[kind])
                    for kind in KINDS
                    if found[kind][: len(cells)] != before[kind]
                ]
    assert tried > 1000
    assert not wrong, (len(wrong), wrong[:5])


def test_cells_of_every_kind_are_read_in_one_column() -> None:
    cells = [cell for cell in CELLS if not isinstance(cell, complex)]
    found = held(pandas.DataFrame(dict.fromkeys(KINDS, pandas.Series(cells, dtype=object))))
    for kind, declared in KINDS.items():
        for cell, value in zip(cells, found[kind], strict=True):
            assert value == ruled(declared, cell, pandas=True), (kind, cell)


def test_hostile_objects_are_what_they_are_made_of_or_missing() -> None:
    rows = [HostileText("7"), HostileNumber(7), HostileWhole(7), OfHostileType(), Raising()]
    frame = pandas.DataFrame(dict.fromkeys(KINDS, pandas.Series(rows, dtype=object)))
    with watched():
        assert held(frame)["text"] == ["7", "7", "7", None, None]
    objects = polars.DataFrame({kind: polars.Series(rows, dtype=polars.Object) for kind in KINDS})
    with watched():
        assert held(objects)["number"] == [7.0, 7.0, 7.0, None, None]
    others = [HostileMoment(2020, 1, 2), HostileComplex(7), HostileScalar(7)]
    frame = pandas.DataFrame(dict.fromkeys(KINDS, pandas.Series(others, dtype=object)))
    with watched():
        assert held(frame)["text"] == ["2020-01-02 00:00:00", "7", "7"]


# ---------------------------------------------------------------------- what an analyst could see


def opened(frame: Any, **columns: Any) -> dp.Table:
    budget = dp.Budget(epsilon=9)
    return dp.table(frame, name="t", unit="row", budget=budget, columns=columns, ledger=":memory:")


def true_count(table: dp.Table, question: str) -> int:
    """A count before the noise, which only a test may see."""
    asked = checked_question(table.ask(question).query, table.schema)
    measured = table.engine().measure(asked, asked.measures, None, asked.unit)
    return int(measured.of[asked.measures[0]].open()[0])


@pytest.mark.parametrize(
    ("cells", "declared", "condition", "count"),
    [
        ([True] * 902 + [False] * 98, dp.boolean(), "v", 902),
        ([7] * 1000, dp.text(), "v = '7'", 1000),
        ([1] * 500 + [0] * 500, dp.boolean(), "v", 500),
        ([41.5] * 900 + [float("nan")] * 100, dp.number(0, 100), "v >= 41", 900),
        ([2**60] * 1000, dp.text(), f"v = '{2**60}'", 0),
        ([2**60] * 1000, dp.number(0, 100), "v >= 41", 0),
    ],
)
def test_a_count_moves_by_no_more_than_the_row(
    cells: list[Any], declared: Any, condition: str, count: int
) -> None:
    question = f"SELECT COUNT(*) AS n FROM t WHERE {condition}"
    assert true_count(opened(pandas.DataFrame({"v": cells}), v=declared), question) == count
    for row in (None, float("nan"), float("inf"), "word", 2.5, 10**30, 3 + 4j, b"\xff", [7]):
        frame = pandas.DataFrame({"v": [*cells, row]})
        found = true_count(opened(frame, v=declared), question)
        assert abs(found - count) <= 1, row


def test_nan_in_arrow_and_polars_is_missing_beside_any_row() -> None:
    question = "SELECT COUNT(v) AS n FROM t WHERE v >= 41"
    cells = [41.5] * 900 + [float("nan")] * 900
    for row in (0.0, float("inf"), float("-inf"), None, float("nan"), 1e300):
        for made in (pyarrow.table, polars.DataFrame):
            table = opened(made({"v": [*cells, row]}), v=dp.number(0, 100))
            assert true_count(table, question) - 900 in (0, 1)


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_text_that_is_not_utf8_fails_for_no_condition(kind: str) -> None:
    raw = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}[kind]
    cells = [b"abcd"] * 50 + [b"abcd\xff" * 4] + [b"x"] * 49
    made = pyarrow.array(cells, getattr(pyarrow, raw)())
    note = pyarrow.Array.from_buffers(getattr(pyarrow, kind)(), len(cells), made.buffers())
    frame = pyarrow.table({"age": list(range(100)), "note": note})
    for source in (
        frame,
        polars.from_arrow(frame),
        frame.to_pandas(types_mapper=pandas.ArrowDtype),
    ):
        table = opened(source, age=dp.integer(0, 100), note=dp.text())
        for condition, count in (
            ("age >= 0", 50),
            ("age = 50", 0),
            ("age > 50", 0),
            ("age < 9", 9),
        ):
            question = f"SELECT COUNT(*) AS n FROM t WHERE {condition} AND LENGTH(note) > 3"
            assert true_count(table, question) == count


def test_moments_that_do_not_fit_fail_for_no_condition() -> None:
    counts = [0, 2**63 - 1, -(2**63) + 1, 253402300800, 86400]
    frame = pyarrow.table(
        {
            "age": [1, 2, 3, 4, 5],
            "seen": pyarrow.array(counts, pyarrow.int64()).view(
                pyarrow.timestamp("s", "Asia/Tokyo")
            ),
        }
    )
    columns = {"age": dp.integer(0, 9), "seen": dp.date("1970-01-01", "1980-01-01")}
    texts = {"age": dp.integer(0, 9), "seen": dp.text()}
    for condition, count in (("age > 0", 2), ("age = 2", 0), ("age = 5", 1)):
        question = f"SELECT COUNT(seen) AS n FROM t WHERE {condition}"
        assert true_count(opened(frame, **columns), question) == count
        assert true_count(opened(frame, **texts), question) == count


# ---------------------------------------------------------------------- the frame as it was


def test_a_table_keeps_the_frame_as_it_was_when_it_was_opened() -> None:
    frame = pandas.DataFrame({"v": [1, 2, 3], "w": ["a", "b", "c"]})
    table = opened(frame, v=dp.integer(0, 9), w=dp.text())
    frame.loc[0, "v"] = 9
    frame.loc[3] = [9, "a"]
    frame["w"] = "z"
    question = "SELECT COUNT(*) AS n FROM t WHERE v = 1 AND w = 'a'"
    assert true_count(table, question) == 1
    assert true_count(table, "SELECT COUNT(*) AS n FROM t") == 3
    other = polars.DataFrame({"v": [1, 2, 3], "w": ["a", "b", "c"]})
    table = opened(other, v=dp.integer(0, 9), w=dp.text())
    other[0, "v"] = 9
    other.extend(polars.DataFrame({"v": [1], "w": ["a"]}))
    assert true_count(table, question) == 1
    assert true_count(table, "SELECT COUNT(*) AS n FROM t") == 3


def test_opening_reads_no_row_and_binding_has_the_types_of_the_rows() -> None:
    from discreet.engines.frames.frame import FrameReader
    from tests.reading.test_frames import FRAMES

    for columns, made in FRAMES.values():
        for name, (column, _) in columns().items():
            reader = FrameReader(made(column), {k: d for k, d in KINDS.items() if d}, "id")
            before = {
                kind: (array.dtype, array.size) for kind, array in reader.empty_arrays().items()
            }
            after = {kind: (array.dtype, 0) for kind, array in reader.arrays().items()}
            assert before == after, name


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_reads_the_frame_as_well(tmp_path: Path) -> None:
    table = opened(pandas.DataFrame({"v": [1, 2, None]}), v=dp.integer(0, 9))
    question = "SELECT COUNT(v) AS n FROM t"
    assert true_count(table, question) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        (tmp_path / "count").write_text(str(true_count(table, question)))
        os._exit(0)
    os.waitpid(child, 0)
    assert (tmp_path / "count").read_text() == "2"


def test_names_are_kept_whatever_they_are() -> None:
    frame = pandas.DataFrame(
        [[1, 2, 3]], columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")])
    )
    declared = {"('a', 'y')": dp.integer(0, 9)}
    table = dp.table(
        frame,
        name="t",
        unit="row",
        budget=dp.Budget(epsilon=9),
        columns=declared,
        ledger=":memory:",
    )
    assert true_count(table, "SELECT COUNT(*) AS n FROM t WHERE \"('a', 'y')\" = 2") == 1
    numbered = pandas.DataFrame([[1, 2]])
    table = dp.table(
        numbered,
        name="t",
        unit="row",
        budget=dp.Budget(epsilon=9),
        columns={"1": dp.integer(0, 9)},
        ledger=":memory:",
    )
    assert true_count(table, 'SELECT COUNT(*) AS n FROM t WHERE "1" = 2') == 1
    with pytest.raises(dp.SourceError, match="capitals apart"):
        opened(pandas.DataFrame([[1, 2]], columns=["v", "V"]), v=dp.integer(0, 9))
