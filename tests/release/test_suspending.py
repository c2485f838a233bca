"""A table that could not be read is not asked again, by whatever front, until it is resumed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import discreet as dp
from discreet import dbapi
from discreet.release.certificate import Certificate, check_certificate

COUNT = "SELECT COUNT(*) AS n FROM visits"


def damaged(path: Path) -> Path:
    """A Parquet file in which the pages of the column stay are no pages."""
    rows = pyarrow.table({"patient": list(range(2000)), "stay": [n % 60 for n in range(2000)]})
    pyarrow.parquet.write_table(rows, path, compression="zstd", use_dictionary=False)
    column = pyarrow.parquet.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    start, size = column.data_page_offset, column.total_compressed_size
    content[start : start + size] = b"\xff" * size
    path.write_bytes(content)
    return path


@pytest.fixture(params=[":memory:", "visits.ledger"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dp.Table]:
    """Its column stay cannot be read; its patients can."""
    ledger = ":memory:" if request.param == ":memory:" else str(tmp_path / request.param)
    with dp.table(
        str(damaged(tmp_path / "visits.parquet")),
        name="visits",
        unit="patient",
        max_rows=1,
        max_groups=1,
        budget=dp.Budget(epsilon=9),
        columns={"stay": dp.integer(0, 60)},
        ledger=ledger,
    ) as opened:
        yield opened


def fail(table: dp.Table) -> None:
    with pytest.raises(dp.UnansweredError) as caught:
        table.agg(s=dp.col("stay").sum()).release(epsilon=1)
    assert "the table is suspended" in str(caught.value)
    assert "table.ledger.resume(" in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.slow
def test_every_front_is_refused_before_the_charge(table: dp.Table) -> None:
    asking = table.agg(n=dp.people())
    kept = asking.release(epsilon=1, key="before")
    fail(table)
    charges = table.budget.charges
    connection = dbapi.connect(table, epsilon=1)
    plans = dp.batch([asking, asking]).plan(budget=dp.Budget(epsilon=1))
    for ask in (
        lambda: asking.release(epsilon=1),
        lambda: asking.release(epsilon=1, key="after"),
        lambda: asking.release(epsilon=1, analyst="somebody else"),
        lambda: table.where(dp.col("stay") > 3).agg(n=dp.rows()).release(epsilon=1),
        lambda: table.sql(COUNT, epsilon=1),
        plans.release,
        lambda: plans.release(key="batch"),
        lambda: table.suggest_bounds("stay", epsilon=1),
        lambda: table.profile(epsilon=1),
    ):
        with pytest.raises(dp.SuspendedError, match="Nothing was read or spent"):
            ask()
    with pytest.raises(dbapi.OperationalError, match="is suspended since") as caught:
        connection.cursor().execute(COUNT)
    assert isinstance(caught.value.__cause__, dp.SuspendedError)
    assert table.budget.charges == charges
    # What was released before is still had by its key; a plan is free.
    assert asking.release(epsilon=1, key="before")["n"].value == kept["n"].value
    assert asking.plan(epsilon=1).epsilon == 1


@pytest.mark.parametrize("how", ["suggest_bounds", "batch", "sql", "dbapi"])
def test_a_failure_of_any_front_suspends(table: dp.Table, how: str) -> None:
    ways: dict[str, Any] = {
        "suggest_bounds": lambda: table.suggest_bounds("stay", epsilon=1),
        "batch": lambda: (
            dp.batch([table.agg(s=dp.col("stay").sum())])
            .plan(budget=dp.Budget(epsilon=1))
            .release()
        ),
        "sql": lambda: table.sql("SELECT SUM(stay) AS s FROM visits", epsilon=1),
        "dbapi": lambda: (
            dbapi.connect(table, epsilon=1).cursor().execute("SELECT SUM(stay) AS s FROM visits")
        ),
    }
    with pytest.raises((dp.UnansweredError, dbapi.OperationalError), match="suspended"):
        ways[how]()
    assert table.budget.suspensions == 1
    with pytest.raises(dp.SuspendedError):
        table.agg(n=dp.people()).release(epsilon=1)


def test_a_bug_after_the_rows_were_read_is_the_same_error(
    table: dp.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the value is 42")

    monkeypatch.setattr("discreet.release.table.run_and_noise", broken)
    with pytest.raises(dp.UnansweredError) as caught:
        table.agg(n=dp.people()).release(epsilon=1)
    monkeypatch.undo()
    table.ledger.resume("visits", why="a bug was fixed")
    with pytest.raises(dp.UnansweredError) as other:
        table.agg(s=dp.col("stay").sum()).release(epsilon=1)
    assert str(caught.value) == str(other.value)


def test_an_analyst_cannot_resume_by_sql(table: dp.Table) -> None:
    fail(table)
    cursor = dbapi.connect(table, epsilon=1).cursor()
    for statement in (
        "RESUME visits",
        "ALTER TABLE visits RESUME",
        "CALL resume('visits', 'why')",
        "SET suspended = 0",
        "SELECT resume('visits') FROM visits",
        "UPDATE visits SET stay = 0",
    ):
        with pytest.raises(dbapi.Error):
            cursor.execute(statement)
        with pytest.raises(dp.DiscreetError):
            table.sql(statement, epsilon=1)
    with pytest.raises(dbapi.OperationalError, match="suspended"):
        cursor.execute(COUNT)
    assert "resumed" not in {entry.kind for entry in table.ledger.history()}


def test_a_certificate_says_how_often_it_was_suspended_before(table: dp.Table) -> None:
    asking = table.agg(n=dp.people())
    first = asking.release(epsilon=1, key="k").certificate
    for _ in range(2):
        fail(table)
        table.ledger.resume("visits", why="it was looked at")
    later = asking.release(epsilon=1).certificate
    assert (first.suspensions, later.suspensions) == (0, 2)
    assert asking.release(epsilon=1, key="k").certificate == first
    assert check_certificate(first, table.ledger) == check_certificate(later, table.ledger) == []
    assert "suspended" not in first.text
    assert "2 times before" in later.text
    assert Certificate.read(later.to_json()) == later
    # One of 0.1.0 has no such field; one from which it was taken is found out.
    without = {name: part for name, part in first.to_data().items() if name != "suspensions"}
    assert Certificate.from_data(without) == first
    forged = Certificate.from_data(
        {name: part for name, part in later.to_data().items() if name != "suspensions"}
    )
    assert any("suspensions" in problem for problem in check_certificate(forged, table.ledger))
