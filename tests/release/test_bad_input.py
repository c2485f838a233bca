"""Bad input: what can be seen without rows is refused uncharged; the rest is one constant error."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

import discreet as dp


def opened(source: Any, **changes: Any) -> dp.Table:
    declared: dict[str, Any] = {
        "name": "t",
        "unit": "row",
        "budget": dp.Budget(epsilon=9, delta="0.001"),
        "columns": {"x": dp.number(0, 10), "k": dp.category(["a", "b"])},
        "ledger": ":memory:",
    } | changes
    return dp.table(source, **declared)


def everything(table: dp.Table, epsilon: str = "0.5") -> dp.Release:
    x = dp.col("x")
    asked = table.group_by("k").agg(
        n=dp.rows(), s=x.sum(), m=x.mean(), v=x.var(), q=x.median(), top=x.max(), u=x.n_unique()
    )
    return asked.release(epsilon=epsilon)


@pytest.mark.parametrize(
    "frame",
    [
        {"x": [], "k": []},
        {"x": [None, None], "k": ["a", "b"]},
        {"x": [1.0], "k": [None]},
        {"x": ["one", "two"], "k": ["a", "b"]},
        {"x": [1.0, 2.0], "k": ["c", "d"]},
    ],
)
def test_a_table_without_a_fitting_value_is_answered_like_any_other(frame: dict[str, Any]) -> None:
    table = opened(pandas.DataFrame(frame))
    answer = everything(table)
    assert answer.groups == (("a",), ("b",))
    assert all(0 <= estimate.value <= 10 for estimate in answer.column("m"))
    assert table.budget.released == 1


def test_keys_that_are_declared_and_absent_are_answered() -> None:
    frame = pandas.DataFrame({"x": [1.0] * 100, "k": ["a"] * 100})
    answer = opened(frame).group_by("k").agg(n=dp.rows()).release(epsilon=9)
    counts = [estimate.value for estimate in answer.column("n")]
    assert counts == pytest.approx([100, 0], abs=4)


def test_a_file_of_a_hundred_thousand_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = ["x", "k", *(f"column_{number}" for number in range(100_000))]
    row = ",".join(["1", "a"] + ["0"] * 100_000)
    path.write_text(",".join(names) + "\n" + row + "\n")
    with pytest.raises(dp.SourceError, match="100,002 columns"):
        opened(str(path))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.parquet", b"PAR1 this is no Parquet file PAR1", "cannot be opened"),
        ("t.parquet", b"", "cannot be opened"),
        ("t.csv", b"", "empty"),
        ("t.csv", b"\n1,2\n", "empty"),
        ("t.csv", b"x,k\xff\n1,a\n", "UTF-8"),
        ("t.csv", b"1,2\n3,4\n", "not a header"),
        ("t.csv", b"x,k,x\n1,a,2\n", "twice"),
        ("t.xlsx", b"PK", "Save it"),
        ("t.json", b"[]", "Save it"),
        ("t.duckdb", b"", "no table is named"),
    ],
)
def test_what_names_and_schemas_show_is_refused_before_anything_is_spent(
    name: str, content: bytes, says: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(dp.SourceError, match=says):
        opened(str(path))


def test_a_folder_is_refused_with_a_pattern_to_write(tmp_path: Path) -> None:
    with pytest.raises(dp.SourceError, match=r"\*\.parquet"):
        opened(str(tmp_path))


def corrupt_parquet(path: Path) -> None:
    rows = {"x": [float(number) for number in range(100_000)], "k": ["a", "b"] * 50_000}
    pyarrow.parquet.write_table(pyarrow.table(rows), path, compression="gzip")
    content = bytearray(path.read_bytes())
    content[1000:60_000] = b"\xff" * 59_000
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b'x,k\n1,a\n2,"broken\n'),
        ("b.csv", b"x,k\n1,a\n2,b,c\n"),
        ("d.csv", "x,k\n1,a\n2,zürich\n".encode("utf-16")),
        ("e.parquet", None),
    ],
)
def test_what_only_rows_show_is_charged_and_one_constant_error(
    name: str, content: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is None:
        corrupt_parquet(path)
    else:
        path.write_bytes(content)
    if name == "d.csv":  # the header shows it
        with pytest.raises(dp.SourceError, match="UTF-8"):
            opened(str(path))
        return
    check_unanswered(opened(str(path)))


class Speechless:
    """An object that has no text."""

    def __str__(self) -> str:
        raise ValueError("the value is 42")


def test_an_object_without_a_text_is_missing() -> None:
    frame = pandas.DataFrame({"x": [1.0, 2.0], "k": ["a", Speechless()]})
    table = opened(frame)
    everything(table)
    assert table.budget.lost == 0


def test_an_arrow_text_beyond_its_buffer_is_charged_and_the_same_error() -> None:
    places = pyarrow.py_buffer(np.array([0, 1 << 30, 2], np.int32).tobytes())
    broken = pyarrow.Array.from_buffers(
        pyarrow.string(), 2, [None, places, pyarrow.py_buffer(b"ab")]
    )
    check_unanswered(opened(pyarrow.table({"x": [1.0, 2.0], "k": broken})))


def test_text_that_is_not_utf_8_is_missing(tmp_path: Path) -> None:
    parquet, lines = tmp_path / "t.parquet", tmp_path / "t.csv"
    broken = pyarrow.array([b"a", b"\xff\xfe"]).view(pyarrow.string())
    pyarrow.parquet.write_table(pyarrow.table({"x": [1.0, 2.0], "k": broken}), parquet)
    lines.write_bytes(b"x,k\n1,a\n2,\xff\xfe\n")
    for path in (parquet, lines):
        table = opened(str(path))
        everything(table)
        assert table.budget.lost == 0


def check_unanswered(table: dp.Table) -> None:
    with pytest.raises(dp.UnansweredError) as found:
        everything(table)
    assert str(found.value).startswith("the data could not be read to the end.")
    assert found.value.__cause__ is None
    assert found.value.__context__ is None
    assert table.budget.spent.epsilon is not None
    assert float(table.budget.spent.epsilon) == 0.5
    assert table.budget.lost == 1
