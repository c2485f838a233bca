"""How a source is opened must not decide about rows: names, paths, collations, headers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import discreet as dp
from discreet.question.check import checked_question


def opened(source: Any, **changes: Any) -> dp.Table:
    declared: dict[str, Any] = {
        "name": "t",
        "unit": "id",
        "max_rows": 1,
        "max_groups": 1,
        "budget": dp.Budget(epsilon=9, delta="0.001"),
        "columns": {"x": dp.number(0, 1)},
        "ledger": ":memory:",
    } | changes
    if declared["unit"] == "row":
        declared |= {"max_rows": None, "max_groups": None}
    return dp.table(source, **{name: part for name, part in declared.items() if part is not None})


def true_rows(table: dp.Table) -> float:
    """The number of rows before noise, which only a test may see."""
    question = checked_question(table.agg(n=dp.rows()).query, table.schema)
    measured = table.engine().measure(question, question.measures, None, question.unit)
    share = 1 << 30 if table.schema.by_person else 1
    return int(measured.of[question.measures[0]].open()[0]) / share


def doubled_frame() -> pandas.DataFrame:
    rows = [[number, number, 7, 0] for number in range(10)]
    return pandas.DataFrame(rows, columns=["ID", "id", "id_1", "x"])


@pytest.mark.parametrize(
    "made",
    [
        lambda frame, folder: frame,
        lambda frame, folder: polars.from_pandas(frame),
        lambda frame, folder: pyarrow.Table.from_pandas(frame),
        lambda frame, folder: written(pyarrow.Table.from_pandas(frame), folder / "a.parquet"),
    ],
)
def test_names_that_differ_in_capitals_only_are_refused(
    made: Callable[[Any, Path], Any], tmp_path: Path
) -> None:
    with pytest.raises(dp.SourceError, match="capitals apart"):
        opened(made(doubled_frame(), tmp_path), unit="id_1")


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pandas.DataFrame([[1, 2, 0.5]], columns=["id", "id", "x"])
    with pytest.raises(dp.SourceError, match="capitals apart"):
        opened(frame)
    with pytest.raises(dp.SourceError, match="capitals apart"):
        opened(pandas.DataFrame([[1, 2, 0.5]], columns=[1, "1", "x"]), unit="1")


def test_nested_columns_of_parquet_are_no_names(tmp_path: Path) -> None:
    table = pyarrow.table({"id": [1, 2], "x": [0.5, 0.5], "more": [{"x": 1, "y": [1]}, None]})
    assert true_rows(opened(written(table, tmp_path / "a.parquet"))) == 2


def test_a_collation_makes_no_group_of_two_spellings(tmp_path: Path) -> None:
    path = str(tmp_path / "a.duckdb")
    with duckdb.connect(path) as made:
        made.execute("CREATE TABLE v (id INTEGER, name VARCHAR COLLATE NOCASE, x DOUBLE)")
        made.execute("INSERT INTO v VALUES (0, 'FLU', 1)")
        made.execute("INSERT INTO v SELECT i, 'flu', 1 FROM range(1, 200) t(i)")
    table = opened(path, table="v", unit="row", columns={"name": dp.text()})
    asking = table.group_by("name").agg(n=dp.rows())
    for _ in range(5):
        assert asking.release(epsilon=1, delta="1/1000000000").groups == (("flu",),)


def test_a_file_whose_columns_changed_places_is_not_read_by_the_old_places(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,x\n" + "".join(f"7,{number}\n" for number in range(100)))
    table = opened(str(path))
    assert true_rows(table) == pytest.approx(1, abs=1e-6)
    path.write_text("x,id\n" + "".join(f"{number},7\n" for number in range(100)))
    with pytest.raises(dp.SourceError):
        table.agg(n=dp.rows()).release(epsilon=1)
    assert table.budget.charges == 0
    with pytest.raises(dp.UnansweredError):
        true_rows(table)
    with pytest.raises(dp.SourceError, match="Nothing was spent"):
        table.profile(epsilon=1)


def test_a_file_is_read_once_however_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x1.csv"
    path.write_text("x\n1\n")
    (tmp_path / "link.csv").symlink_to(path)
    for source in ([path, path], [path, tmp_path / "link.csv"], str(tmp_path / "*.csv")):
        with pytest.raises(dp.SourceError, match="twice"):
            opened(source, unit="row")


def test_a_name_that_is_a_pattern_stands_for_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "x1.csv").write_text("x\n1\n")
    (tmp_path / "x[12].csv").write_text("x\n1\n1\n1\n")
    assert true_rows(opened(str(tmp_path / "x*.csv"), unit="row")) == 4
    assert true_rows(opened(str(tmp_path / "x[12].csv"), unit="row", name="one")) == 3
    for name in ("a?", "b*", "c[1]"):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "data.parquet"
        written(pyarrow.table({"x": [1.0, 1.0]}), path)
        assert true_rows(opened(str(path), unit="row", name="two")) == 2


def test_a_folder_that_looks_like_a_column_is_none(tmp_path: Path) -> None:
    for number in (7, 8):
        folder = tmp_path / f"id={number}"
        folder.mkdir()
        written(pyarrow.table({"id": [99], "x": [1.0]}), folder / "a.parquet")
    assert true_rows(opened(str(tmp_path / "*" / "a.parquet"))) == pytest.approx(1, abs=1e-6)


def test_files_with_other_types_are_refused(tmp_path: Path) -> None:
    written(pyarrow.table({"id": ["7"], "x": [1.0]}), tmp_path / "a.parquet")
    written(pyarrow.table({"id": [7.0], "x": [1.0]}), tmp_path / "b.parquet")
    with pytest.raises(dp.SourceError, match="one schema"):
        opened(str(tmp_path / "*.parquet"))


def test_a_long_line_of_csv_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,x,note\n1,1,"' + "a" * 5_000_000 + '"\n')
    assert true_rows(opened(str(path))) == 1


@pytest.mark.parametrize(
    "source", [polars.DataFrame({"id": [1], "x": [1]}).lazy(), duckdb.sql("SELECT 1 AS id, 1 AS x")]
)
def test_what_computes_its_rows_when_they_are_read_is_refused(source: Any) -> None:
    with pytest.raises(dp.SourceError, match="computed when they are read"):
        opened(source)


def test_a_long_category_can_be_declared() -> None:
    names = [f"key {number}" for number in range(100_000)]
    frame = pandas.DataFrame({"id": [1], "x": [1.0], "k": ["key 5"]})
    table = opened(frame, columns={"k": dp.category(names)})
    assert table.group_by("k").agg(n=dp.rows()).plan(epsilon=1).question.cells == 100_000
    with pytest.raises(dp.DeclarationError):
        opened(frame, columns={"k": dp.category(names[::-1])}, ledger=table.ledger)


def written(table: pyarrow.Table, path: Path) -> str:
    pyarrow.parquet.write_table(table, path)
    return str(path)


def test_several_duckdb_files_are_refused_and_no_rows_are_left_out(tmp_path: Path) -> None:
    for name, rows in (("a.duckdb", 10), ("b.duckdb", 1_000)):
        with duckdb.connect(str(tmp_path / name)) as database:
            database.execute(f"CREATE TABLE t AS SELECT range AS id, 0.5 AS x FROM range({rows})")
    first = str(tmp_path / "a.duckdb")
    assert true_rows(opened(first, table="t")) == 10
    for several in ([first, str(tmp_path / "b.duckdb")], str(tmp_path / "*.duckdb")):
        with pytest.raises(dp.SourceError, match="2 DuckDB files"):
            opened(several, table="t")


def test_a_copy_that_broke_off_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.engines.duckdb import columns

    def no_space(text: str) -> str:
        raise OSError(28, "the disk is full")

    path = tmp_path / "t.csv"
    path.write_bytes(b"id,x\np,0.5\n")
    copies = columns.FileCopies(str(tmp_path))
    (copy,) = copies.of(columns.FileSource((str(path),), "csv")).paths
    path.write_bytes(b"id,x\np,0.5\nq\xff,0.5\n")
    with monkeypatch.context() as full:
        full.setattr(columns, "_with_marks", no_space)
        with pytest.raises(OSError, match="full"):
            copies.renew()
    copies.renew()
    assert len(Path(copy).read_text("utf-8").splitlines()) == 3
