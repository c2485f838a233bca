"""One text is one statement: a question at the price that is set, a plan, or a setting."""

import pytest

from discreet import dbapi
from discreet.dbapi.statements import (
    AskStatement,
    ResetStatement,
    SetStatement,
    ShowStatement,
    read_statement,
)
from discreet.errors import Front
from tests.dbapi.conftest import BY_WARD, COUNT
from tests.support.cases import each
from tests.support.visits_policy import write_visits


def spent(connection):
    return connection.budget.spent.epsilon


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SET epsilon = 0.10", SetStatement("epsilon", "0.10")),
        (" set\tEPSILON=1e-3 ; ", SetStatement("epsilon", "1e-3")),
        ("SET delta = 1E-6", SetStatement("delta", "1E-6")),
        ("SET analyst = 'ada'", SetStatement("analyst", "ada")),
        ("SET analyst = 'O''Hara; x'", SetStatement("analyst", "O'Hara; x")),
        ("RESET delta", ResetStatement("delta")),
        ("show Budget;", ShowStatement("budget")),
        ("SHOW analyst", ShowStatement("analyst")),
        ("EXPLAIN SELECT 1", AskStatement(" SELECT 1", explain=True)),
        ("SELECT 1", AskStatement("SELECT 1")),
        ("settle", AskStatement("settle")),
    ],
)
def test_a_statement_is_read(text, statement):
    assert read_statement(text) == statement


@each(
    "text",
    [
        "SET",
        "SET epsilon",
        "SET epsilon = '1'",
        "SET epsilon = 1, delta = 0",
        "SET epsilon = 1; SELECT COUNT(*) FROM visits",
        "SET epsilon = 1 SELECT COUNT(*) FROM visits",
        "SET epsilon = 1; SET epsilon = 2",
        "SET epsilon = 1;;",
        "SET epsilon = 1 -- why",
        "SET epsilon = one",
        "SET epsilon = 1/10",
        "SET analyst = ada",
        "SET analyst = 'ada'; SET epsilon = 9 --'",
        "SET epſilon = 1",
        "SET ledger = 'other'",
        "SET budget = 100",
        "RESET budget",
        "RESET ALL",
        "SHOW TABLES; SHOW TABLES",
        "SHOW COLUMNS visits",
        "SHOW budget; SHOW budget",
        "SET max_rows = '5'",
        "SET key = monday",
        "SET confidence = 99%",
    ],
)
def test_what_is_not_quite_a_setting_is_refused_whole(connection, cursor, text):
    with pytest.raises(dbapi.ProgrammingError, match=r"SET epsilon = 0\.1"):
        cursor.execute(text)
    assert (connection.epsilon, connection.delta, connection.analyst) == (1, 0, "ada")
    assert spent(connection) == 0


@each(
    "text",
    [
        f"{COUNT}; {COUNT}",
        f"{COUNT}; SET epsilon = 5",
        f"{COUNT};;",
        f"EXPLAIN {COUNT}; {COUNT}",
        f"EXPLAIN EXPLAIN {COUNT}",
        f"EXPLAIN ANALYZE {COUNT}",
        "EXPLAIN SET epsilon = 5",
        f"-- first\nSET epsilon = 5\n{COUNT}",
        "DELETE FROM visits",
        "INSERT INTO visits VALUES (1)",
        "DROP TABLE visits",
        "ATTACH 'x.db'",
        "PRAGMA table_info('visits')",
        "COPY visits TO 'x.csv'",
        "",
        "  ;",
        "-- nothing",
    ],
)
def test_no_text_runs_two_statements_or_any_other_one(connection, cursor, text):
    with pytest.raises(dbapi.ProgrammingError):
        cursor.execute(text)
    assert (connection.epsilon, spent(connection)) == (1, 0)


def test_without_a_price_nothing_is_answered_or_explained(table):
    connection = dbapi.connect(table)
    for text in (COUNT, f"EXPLAIN {COUNT}"):
        with pytest.raises(dbapi.ProgrammingError, match=r"SET epsilon = 0\.1"):
            connection.cursor().execute(text)
    assert spent(connection) == 0


def test_the_price_is_the_decimal_that_was_written(connection, cursor):
    cursor.execute("SET epsilon = 0.1").execute(COUNT)
    assert cursor.release.certificate.epsilon == "0.1"
    assert connection.epsilon == "0.1"
    cursor.execute("SET epsilon = ?", [0.3]).execute(COUNT)
    assert cursor.release.certificate.epsilon == "0.3"
    assert str(spent(connection)) == "2/5"


def test_a_setting_holds_for_every_cursor_of_the_connection_and_no_other(table, connection):
    connection.cursor().execute("SET epsilon = 2")
    other = dbapi.connect(table, epsilon="0.5")
    assert connection.cursor().execute(COUNT).connection.epsilon == "2"
    assert other.epsilon == "0.5"
    assert spent(connection) == 2


def test_weights_are_parts_of_the_price(cursor):
    asked = "SELECT COUNT(*) AS n, MEDIAN(stay) AS middle FROM visits"
    cursor.execute("SET weights = 'n=3'").execute(asked)
    assert [one["epsilon"] for one in cursor.release.certificate.mechanisms] == ["3/4", "1/4"]
    assert cursor.execute("SHOW weights").fetchall() == [("n=3",)]
    cursor.execute("RESET weights").execute(asked)
    assert [one["epsilon"] for one in cursor.release.certificate.mechanisms] == ["1/2", "1/2"]


@each("text", ["", "n", "n=", "=2", "n=2,", "n=2, n=3", "n=0", "n=much"])
def test_weights_that_say_nothing_are_refused(cursor, text):
    with pytest.raises(dbapi.DatabaseError):
        cursor.execute(f"SET weights = '{text}'").execute("SELECT COUNT(*) AS n FROM visits")


def test_a_margin_finds_the_least_price_up_to_the_one_that_is_set(table):
    cursor = dbapi.connect(table).cursor()
    cursor.execute("SET margin = 'n=60'").execute(COUNT)
    assert cursor.release["n"].margin == pytest.approx(60, abs=1)
    cursor.execute("SET epsilon = 0.01")
    with pytest.raises(dbapi.DatabaseError):
        cursor.execute(COUNT)
    cursor.execute("RESET margin").execute(COUNT)
    assert cursor.release.certificate.epsilon == "0.01"


@each("text", ["", "n", "n=", "=2", "n=2, n=3", "n=0", "other=5"])
def test_a_margin_that_says_nothing_is_refused(connection, cursor, text):
    with pytest.raises(dbapi.DatabaseError):
        cursor.execute(f"SET margin = '{text}'").execute(COUNT)
    assert spent(connection) == 0


def test_intervals_hold_as_often_as_is_set(cursor):
    cursor.execute("SET confidence = 0.99").execute(COUNT)
    _, low, high = cursor.fetchone()
    assert (low, high) == cursor.release["n"].interval(0.99)
    cursor.execute(f"EXPLAIN {COUNT}")
    assert any("(99%)" in line for (line,) in cursor)
    with pytest.raises(dbapi.DataError, match="between 0 and 1"):
        cursor.execute("SET confidence = 2")


def test_caps_are_lower_than_the_tables(tmp_path):
    cursor = dbapi.connect(str(write_visits(tmp_path)), epsilon=0.1).cursor()
    cursor.execute("SET max_rows = 2").execute("SET max_groups = 1")
    cursor.execute("EXPLAIN SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward")
    assert "CAPPED BY max_rows = 2, max_groups = 1" in cursor.fetchone()[0]
    cursor.execute("SET max_rows = 50")
    with pytest.raises(dbapi.DatabaseError):
        cursor.execute(f"EXPLAIN {COUNT}")
    cursor.execute("RESET max_rows").execute("RESET max_groups").execute(f"EXPLAIN {COUNT}")
    assert "CAPPED" not in cursor.fetchone()[0]
    for wrong in ("0", "1.5", "-1"):
        with pytest.raises(dbapi.ProgrammingError, match="whole number"):
            cursor.execute(f"SET max_rows = {wrong}")


def test_a_key_is_that_of_the_next_answer_and_makes_its_repetition_free(connection, cursor):
    first = cursor.execute("SET key = 'monday'").execute(COUNT).fetchall()
    assert cursor.execute("SHOW key").fetchall() == [(None,)]
    assert cursor.execute("SET key = 'monday'").execute(COUNT).fetchall() == first
    assert spent(connection) == 1
    cursor.execute(COUNT)  # without one it is another answer
    assert spent(connection) == 2
    cursor.execute("SET key = 'monday'")
    with pytest.raises(dbapi.IntegrityError):
        cursor.execute("SELECT AVG(stay) AS m FROM visits")
    assert spent(connection) == 2


def test_tables_and_columns_are_listed_for_free(connection, cursor):
    assert cursor.execute("SHOW TABLES").fetchall() == [("visits", "private")]
    assert [column[0] for column in cursor.description] == ["table", "kind"]
    columns = cursor.execute("DESCRIBE visits").fetchall()
    assert columns[1] == ("stay", "number", "a number from 0 to 60")
    assert cursor.execute("SHOW COLUMNS").fetchall() == columns
    with pytest.raises(dbapi.ProgrammingError, match="Did you mean 'visits'"):
        cursor.execute("DESCRIBE vists")
    assert spent(connection) == 0


def test_reset_brings_back_what_connect_was_given(connection, cursor):
    for text in ("SET epsilon = 5", "SET delta = 1e-6", "SET analyst = 'bob'"):
        assert cursor.execute(text).description is None
        assert cursor.rowcount == -1
    assert (connection.epsilon, connection.delta, connection.analyst) == ("5", "1e-6", "bob")
    for name in ("epsilon", "delta", "analyst"):
        cursor.execute(f"RESET {name}")
    assert (connection.epsilon, connection.delta, connection.analyst) == (1, 0, "ada")


@pytest.mark.parametrize(
    "text", ["SET epsilon = 0", "SET epsilon = -1", "SET epsilon = 1.2.3", "SET delta = 1"]
)
def test_a_price_without_meaning_is_refused_when_it_is_set(connection, cursor, text):
    with pytest.raises(dbapi.DataError):
        cursor.execute(text)
    assert (connection.epsilon, connection.delta) == (1, 0)


def test_the_analyst_is_who_was_set(cursor):
    cursor.execute("SET analyst = ?", ["O'Hara"]).execute(COUNT)
    assert cursor.release.certificate.analyst == "O'Hara"
    with pytest.raises(dbapi.DataError, match="the analyst is ''"):
        cursor.execute("SET analyst = ''")


def test_show_gives_one_row(table, connection, cursor):
    cursor.execute(COUNT).execute("SHOW budget")
    assert [column[0] for column in cursor.description] == ["spent", "left"]
    assert cursor.fetchall() == [("ε = 1", connection.budget.left)]
    assert cursor.release is None
    assert cursor.execute("SHOW epsilon").fetchall() == [("1",)]
    assert dbapi.connect(table).cursor().execute("SHOW analyst").fetchall() == [(None,)]


def test_explain_shows_the_plan_and_charges_nothing(table, connection, cursor):
    cursor.execute(f"EXPLAIN {BY_WARD}")
    assert [column[:2] for column in cursor.description] == [("plan", dbapi.STRING)]
    lines = [line for (line,) in cursor]
    assert lines == table.ask(BY_WARD).plan(epsilon=1).explain(Front.SQL).splitlines()
    assert cursor.release is None
    assert spent(connection) == 0


def test_with_and_comments_are_read_like_any_question(cursor):
    inner = "SELECT * FROM visits WHERE stay > 3"
    text = f"/* SET */ WITH long AS ({inner}) SELECT COUNT(*) AS n FROM long"
    assert cursor.execute(text).rowcount == 1
