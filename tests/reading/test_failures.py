"""What cannot be read at all fails whatever is asked of it: no condition decides whether it does.

Otherwise which of many questions fails would tell, for free, what the row is that cannot be read.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

import discreet as dp
from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import UnansweredError
from tests.reading.stores import moments
from tests.support.trials import all_but

PEOPLE, ODD = 200, 77
DAY = 18_000 * 86_400_000


def by_parquet(folder: Path, odd: bool) -> dict[str, Any]:
    """Milliseconds that DuckDB's moments do not reach: its scan of the file ends there."""
    days = [2**62 if odd and person == ODD else DAY for person in range(PEOPLE)]
    table = pyarrow.table(
        {
            "id": list(range(PEOPLE)),
            "x": [float(person) for person in range(PEOPLE)],
            "tag": ["a"] * PEOPLE,
            "day": moments(days, "ms"),
        }
    )
    path = folder / "visits.parquet"
    # What a file says of such a moment fails as well, so that only the other columns say anything.
    pyarrow.parquet.write_table(table, path, row_group_size=20, write_statistics=["x", "tag"])
    return {"source": path}


def by_csv(folder: Path, odd: bool) -> dict[str, Any]:
    """A line with more cells than there are columns."""
    lines = [
        f"{person},{person},a,2020-01-02" + ",more" * (odd and person == ODD)
        for person in range(PEOPLE)
    ]
    path = folder / "visits.csv"
    path.write_text("\n".join(["id,x,tag,day", *lines, ""]))
    return {"source": path}


def by_view(folder: Path, odd: bool) -> dict[str, Any]:
    """A view that computes its rows, and cannot compute one."""
    path = folder / "visits.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute(
            "CREATE TABLE t AS SELECT i AS id, i::DOUBLE AS x, 'a' AS tag, CASE WHEN i = "
            f"{ODD if odd else -1} THEN 'soon' ELSE '2020-01-02' END AS written "
            f"FROM range({PEOPLE}) r(i)"
        )
        made.execute("CREATE VIEW v AS SELECT id, x, tag, CAST(written AS DATE) AS day FROM t")
    return {"source": path, "table": "v"}


STORES: dict[str, Callable[[Path, bool], dict[str, Any]]] = {
    "Parquet": by_parquet,
    "CSV": by_csv,
    "a view": by_view,
}

HERE = [
    "SELECT COUNT(day) AS n FROM visits",
    "SELECT COUNT(day) AS n FROM visits WHERE x = 77",
    "SELECT COUNT(day) AS n FROM visits WHERE x <> 77",
    "SELECT COUNT(day) AS n FROM visits WHERE x = 0.125",
    "SELECT COUNT(*) AS n FROM visits WHERE x = 0.125 AND day > '2020-01-01'",
    "SELECT COUNT(day) AS n FROM visits WHERE tag = 'b'",
    "SELECT COUNT(day) AS n FROM visits WHERE tag IS NULL",
    "SELECT COUNT(*) AS n FROM visits WHERE x = 0.125 AND (x < 0 OR day IS NULL)",
    "SELECT COUNT(*) FILTER (WHERE x < 5 AND day > '2020-01-01') AS n FROM visits",
    "SELECT SUM(CASE WHEN x < 5 AND day > '2020-01-01' THEN 1 ELSE 0 END) AS n FROM visits",
    "SELECT COUNT(DISTINCT day) AS n FROM visits WHERE x < 5",
    "SELECT MEDIAN(x) AS m FROM visits WHERE day > '2020-01-01' AND x < 5",
    "SELECT MAX(x) AS m FROM visits WHERE x < 5 AND day > '2020-01-01'",
    "SELECT tag, COUNT(*) AS n FROM visits WHERE day > '2020-01-01' AND x < 5 GROUP BY tag",
    "SELECT MONTH(day) AS m, COUNT(*) AS n FROM visits WHERE x = 0.125 GROUP BY 1",
    "SELECT COUNT(*) AS n FROM (SELECT x FROM visits WHERE x = 0.125 AND day > '2020-01-01') AS s",
    "SELECT COUNT(*) AS n FROM (SELECT id, MAX(x) AS m FROM visits WHERE x = 0.125 AND "
    "day > '2020-01-01' GROUP BY id) AS s WHERE m < 5",
]
JOINED = [
    "SELECT COUNT(*) AS n FROM visits AS v JOIN patients AS p ON v.id = p.id "
    "WHERE p.y = 0.125 AND v.day > '2020-01-01'",
    "SELECT COUNT(*) AS n FROM patients AS p JOIN visits AS v ON v.id = p.id "
    "WHERE p.y = 0.125 AND v.day > '2020-01-01'",
    "SELECT COUNT(v.day) AS n FROM visits AS v JOIN (SELECT id, y FROM patients WHERE y = 0.125) "
    "AS p ON v.id = p.id",
    "SELECT COUNT(v.day) AS n FROM (SELECT id, y FROM patients WHERE y = 0.125) AS p "
    "JOIN visits AS v ON v.id = p.id",
    "SELECT COUNT(*) AS n FROM (SELECT id, y FROM patients WHERE y = 0.125) AS p "
    "JOIN (SELECT id, x FROM visits WHERE day > '2020-01-01' AND x < 5) AS v ON v.id = p.id",
    "SELECT COUNT(v.day) AS n FROM visits AS v JOIN wards AS w ON v.tag = w.tag",
]


def opened(store: str, folder: Path, odd: bool) -> dp.Table:
    folder.mkdir(exist_ok=True)
    patients = folder / "patients.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table({"id": list(range(PEOPLE)), "y": [1.0] * PEOPLE}), patients
    )
    wards = folder / "wards.csv"
    wards.write_text("tag,name\n")  # nobody is in a ward
    return dp.table(
        **STORES[store](folder, odd),
        name="visits",
        unit="id",
        max_rows=2,
        max_groups=1,
        budget=dp.Budget(epsilon=9, delta="0.001"),
        columns={
            "x": dp.number(0, 100),
            "tag": dp.text(),
            "day": dp.date("2019-01-01", "2021-01-01"),
        },
        public={"wards": wards},
        private={"patients": dp.beside(patients, columns={"y": dp.number(0, 10)}, max_rows=1)},
        ledger=":memory:",
    )


def fails(table: dp.Table, text: str) -> bool:
    """Whether the rows of a question cannot be read; nothing is charged here."""
    question = table.ask(text).plan(epsilon=1, delta="0.0001").question
    engine = table.engine()
    try:
        if question.selects_keys:
            engine.candidates(question)
            engine.measure(question, question.measures, [("a",)], question.unit)
        else:
            engine.measure(question, question.measures, None, question.unit)
    except UnansweredError:
        return True
    return False


@pytest.mark.parametrize("store", all_but(["a view"], STORES, pytest.mark.slow))
def test_whether_a_question_fails_depends_on_the_columns_that_it_names(
    store: str, tmp_path: Path
) -> None:
    with opened(store, tmp_path, odd=True) as table:
        answered = [text for text in [*HERE, *JOINED] if not fails(table, text)]
    assert not answered
    with opened(store, tmp_path / "usual", odd=False) as table:
        unanswered = [text for text in [*HERE, *JOINED] if fails(table, text)]
    assert not unanswered


def test_a_question_that_does_not_name_the_column_is_answered(tmp_path: Path) -> None:
    with opened("Parquet", tmp_path, odd=True) as table:
        assert not fails(table, "SELECT COUNT(*) AS n, SUM(x) AS s FROM visits WHERE x > 3")


def test_the_control_without_reading_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A join would not look at one side where the other is empty."""
    monkeypatch.setattr(DuckDB, "_read_through", lambda *_, **__: None)
    with opened("Parquet", tmp_path, odd=True) as table:
        assert [text for text in JOINED if not fails(table, text)]


def test_the_control_with_every_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statistics would skip the row, or not, by the condition."""
    every = [str(name) for (name,) in duckdb.execute("FROM duckdb_optimizers()").fetchall()]
    monkeypatch.setattr("discreet.engines.duckdb.connection.HARMLESS", every)
    with opened("Parquet", tmp_path, odd=True) as table:
        assert [text for text in HERE if not fails(table, text)]
        assert [text for text in HERE if fails(table, text)]
