"""Frames are read through a connection as through any other."""

import pandas
import polars
import pytest

from discreet import dbapi
from tests.dbapi.conftest import BY_WARD


def test_pandas_reads_an_answer(connection):
    with pytest.warns(UserWarning, match="SQLAlchemy"):
        frame = pandas.read_sql(BY_WARD, connection)
    assert list(frame.columns[:4]) == ["ward", "n", "n_lower", "n_upper"]
    assert list(frame.ward) == ["A", "B", "C", "D"]
    assert frame.n.sum() == pytest.approx(1000, abs=60)
    assert frame.n.dtype.kind in "if"
    assert connection.budget.charges == 1


def test_pandas_gives_parameters_along(connection):
    with pytest.warns(UserWarning, match="SQLAlchemy"):
        frame = pandas.read_sql(
            "SELECT COUNT(*) AS n FROM visits WHERE note = ?", connection, params=["O'Hara"]
        )
    assert frame.n[0] == pytest.approx(500, abs=30)


def test_a_frame_with_its_notes(connection):
    frame = dbapi.read_sql(BY_WARD, connection)
    assert list(frame.columns[:4]) == ["ward", "n", "n_lower", "n_upper"]
    assert list(frame.ward) == ["A", "B", "C", "D"]
    assert any("Values are clipped to" in note for note in frame.attrs["notes"])
    assert frame.attrs["intervals"]["n"]["confidence"] == 0.95
    asked = "SELECT COUNT(*) AS n FROM visits WHERE note = ?"
    assert dbapi.read_sql(asked, connection, ["O'Hara"]).n[0] == pytest.approx(500, abs=30)
    assert connection.budget.charges == 2
    left = dbapi.read_sql("SHOW budget", connection)
    assert (list(left.columns), len(left), left.attrs) == (["spent", "left"], 1, {})
    with pytest.raises(dbapi.ProgrammingError, match="height"):
        dbapi.read_sql("SELECT AVG(height) FROM visits", connection)


def test_pandas_shows_why_a_question_was_refused(connection):
    with (
        pytest.warns(UserWarning, match="SQLAlchemy"),
        pytest.raises((dbapi.ProgrammingError, pandas.errors.DatabaseError), match="height"),
    ):
        pandas.read_sql("SELECT AVG(height) FROM visits", connection)
    assert connection.budget.charges == 0


def test_polars_reads_an_answer(connection):
    frame = polars.read_database(BY_WARD, connection)
    assert frame.columns[:4] == ["ward", "n", "n_lower", "n_upper"]
    assert frame["ward"].to_list() == ["A", "B", "C", "D"]
    assert frame["m"].dtype == polars.Float64


def test_polars_gives_parameters_along(connection):
    frame = polars.read_database(
        "SELECT COUNT(*) AS n FROM visits WHERE note = ?",
        connection,
        execute_options={"parameters": ["O'Hara"]},
    )
    assert frame["n"][0] == pytest.approx(500, abs=30)
    assert frame["n"][0] == frame.to_dicts()[0]["n"]


def test_a_policy_is_asked_by_its_path(policy):
    with dbapi.connect(policy, epsilon=1) as connection:
        frame = polars.read_database(
            "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", connection
        )
    assert frame["n"].sum() == pytest.approx(1000, abs=60)
