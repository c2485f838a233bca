"""A small clinic, and connections to it."""

from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest

import discreet as dp
from discreet.dbapi import Connection, Cursor, connect

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(stay) AS m FROM visits GROUP BY ward"


def clinic(budget: dp.Budget | None = None) -> dp.Table:
    """A thousand visits, by arithmetic."""
    frame = pandas.DataFrame(
        {
            "ward": ["ABC"[place % 3] for place in range(1000)],
            "stay": [place % 30 for place in range(1000)],
            "smoker": [place % 4 == 0 for place in range(1000)],
            "note": ["O'Hara" if place % 2 else "none" for place in range(1000)],
            "admitted": [f"2025-{1 + place % 12:02}-15" for place in range(1000)],
        }
    )
    return dp.table(
        frame,
        name="visits",
        unit="row",
        budget=budget or dp.Budget(epsilon=10, delta=1e-3),
        columns={
            "ward": dp.category(["A", "B", "C", "D"]),
            "stay": dp.number(0, 60),
            "smoker": dp.boolean(),
            "note": dp.text(),
            "admitted": dp.date("2025-01-01", "2025-12-31"),
        },
        ledger=":memory:",
    )


@pytest.fixture
def table() -> Iterator[dp.Table]:
    with clinic() as opened:
        yield opened


@pytest.fixture
def connection(table: dp.Table) -> Iterator[Connection]:
    with connect(table, epsilon=1, analyst="ada") as opened:
        yield opened


@pytest.fixture
def cursor(connection: Connection) -> Cursor:
    return connection.cursor()


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy in a folder of its own, with its data beside it."""
    rows = "".join(f"{'AB'[place % 2]},{place % 30}\n" for place in range(1000))
    (tmp_path / "visits.csv").write_text(f"ward,stay\n{rows}", "utf-8")
    path = tmp_path / "visits.toml"
    path.write_text(
        """
        source = "visits.csv"
        name = "visits"
        unit = "row"
        ledger = "visits.ledger"
        [budget]
        epsilon = 3
        [columns]
        ward = { values = ["A", "B"] }
        stay = { low = 0, high = 60 }
        """,
        "utf-8",
    )
    return path
