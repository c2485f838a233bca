"""A walk through PEP 249, paragraph by paragraph."""

import datetime
from threading import Thread

import pytest

import discreet as dp
from discreet import dbapi
from tests.dbapi.conftest import BY_WARD, COUNT, clinic

ERRORS = (
    "Warning",
    "Error",
    "InterfaceError",
    "DatabaseError",
    "DataError",
    "OperationalError",
    "IntegrityError",
    "InternalError",
    "ProgrammingError",
    "NotSupportedError",
)


def test_the_module_says_what_it_is():
    assert (dbapi.apilevel, dbapi.threadsafety, dbapi.paramstyle) == ("2.0", 1, "qmark")
    assert callable(dbapi.connect)


def test_the_exceptions_stand_in_the_tree_of_the_standard():
    assert issubclass(dbapi.Warning, Exception)
    assert not issubclass(dbapi.Warning, dbapi.Error)
    assert {kind.__name__ for kind in dbapi.Error.__subclasses__()} == {
        "InterfaceError",
        "DatabaseError",
    }
    assert {kind.__name__ for kind in dbapi.DatabaseError.__subclasses__()} == set(ERRORS[4:])


def test_a_connection_has_the_exceptions_as_attributes(connection):
    assert all(getattr(connection, name) is getattr(dbapi, name) for name in ERRORS)


def test_constructors_make_values_of_the_standard_library():
    assert dbapi.Date(2026, 1, 31) == datetime.date(2026, 1, 31)
    assert dbapi.Time(1, 2, 3) == datetime.time(1, 2, 3)
    assert dbapi.Timestamp(2026, 1, 31, 1, 2, 3) == datetime.datetime(2026, 1, 31, 1, 2, 3)
    noon = datetime.datetime(2026, 1, 31, 12)
    assert dbapi.DateFromTicks(noon.timestamp()) == noon.date()
    assert dbapi.TimeFromTicks(noon.timestamp()) == noon.time()
    assert dbapi.TimestampFromTicks(noon.timestamp()) == noon
    assert dbapi.Binary(b"x") == b"x"


def test_type_objects_are_equal_to_themselves_alone():
    kinds = [dbapi.STRING, dbapi.BINARY, dbapi.NUMBER, dbapi.DATETIME, dbapi.ROWID]
    assert len(set(kinds)) == 5
    assert [str(kind) for kind in kinds] == ["STRING", "BINARY", "NUMBER", "DATETIME", "ROWID"]


def test_a_cursor_that_ran_nothing_has_no_result(cursor):
    assert (cursor.description, cursor.rowcount, cursor.arraysize) == (None, -1, 1)
    assert cursor.release is None
    for fetch in (cursor.fetchone, cursor.fetchmany, cursor.fetchall):
        with pytest.raises(dbapi.ProgrammingError, match="no result to fetch from"):
            fetch()


def test_an_answer_is_described_column_by_column(cursor):
    cursor.execute(BY_WARD)
    assert [column[0] for column in cursor.description] == [
        *("ward", "n", "n_lower", "n_upper", "n_exact", "m", "m_lower", "m_upper")
    ]
    assert cursor.description[0][1] == dbapi.STRING
    assert all(column[1] == dbapi.NUMBER for column in cursor.description[1:])
    assert all(len(column) == 7 for column in cursor.description)
    assert cursor.rowcount == 4


def test_rows_are_the_numbers_of_the_release(cursor):
    rows = cursor.execute(BY_WARD).fetchall()
    assert rows == [tuple(row.values()) for row in cursor.release.rows()]
    assert [row[0] for row in rows] == ["A", "B", "C", "D"]
    assert cursor.release.certificate.epsilon == "1"
    assert cursor.release.certificate.analyst == "ada"


def test_rows_are_fetched_in_order_and_once(cursor):
    cursor.execute(BY_WARD)
    assert cursor.fetchone()[0] == "A"
    assert [row[0] for row in cursor.fetchmany()] == ["B"]
    cursor.arraysize = 2
    assert [row[0] for row in cursor.fetchmany()] == ["C", "D"]
    assert (cursor.fetchone(), cursor.fetchmany(5), cursor.fetchall()) == (None, [], [])
    cursor.execute(BY_WARD)
    assert [row[0] for row in cursor.fetchmany(3)] == ["A", "B", "C"]
    assert [row[0] for row in cursor] == ["D"]


def test_days_and_truths_keep_their_types(cursor):
    cursor.execute("SELECT smoker, MAX(admitted) AS last FROM visits GROUP BY smoker")
    types = {column[0]: column[1] for column in cursor.description}
    assert types["smoker"] == dbapi.NUMBER
    assert types["last"] == types["last_lower"] == dbapi.DATETIME
    assert types["last_rank_error"] == dbapi.NUMBER
    rows = cursor.fetchall()
    assert [row[0] for row in rows] == [False, True]
    assert all(type(row[1]) is datetime.date and row[2] is None for row in rows)


def test_groups_that_are_found_are_texts_even_where_there_are_none(connection):
    cursor = connection.cursor()
    cursor.execute("SET epsilon = 2").execute("SET delta = 1e-4")
    cursor.execute("SELECT note, COUNT(*) AS n FROM visits WHERE stay = 0.5 GROUP BY note")
    assert cursor.description[0][:2] == ("note", dbapi.STRING)
    assert cursor.rowcount == 0
    assert cursor.fetchall() == []


def test_sizes_may_be_set_and_mean_nothing(cursor):
    cursor.setinputsizes([10])
    cursor.setoutputsize(10)
    cursor.setoutputsize(10, 1)
    assert len(cursor.execute(COUNT).fetchone()) == 3


def test_executemany_is_refused_and_charges_nothing(connection, cursor):
    with pytest.raises(dbapi.NotSupportedError, match="executemany"):
        cursor.executemany("SELECT COUNT(*) AS n FROM visits WHERE ward = ?", [["A"], ["B"]])
    assert connection.budget.spent.epsilon == 0


def test_a_closed_cursor_does_nothing_more(connection):
    with connection.cursor() as cursor:
        cursor.execute(COUNT)
    for use in (cursor.fetchall, lambda: cursor.execute(COUNT), lambda: cursor.executemany("", [])):
        with pytest.raises(dbapi.InterfaceError, match="cursor is closed"):
            use()
    cursor.close()
    assert connection.cursor().execute(COUNT).rowcount == 1


def test_a_closed_connection_does_nothing_more(table):
    with dbapi.connect(table, epsilon=1) as connection:
        cursor = connection.cursor()
    for use in (
        *(connection.cursor, connection.commit, connection.rollback, connection.__enter__),
        *(lambda: connection.budget, lambda: cursor.execute(COUNT)),
    ):
        with pytest.raises(dbapi.InterfaceError, match="connection is closed"):
            use()
    connection.close()
    assert "closed" in repr(connection)
    assert table.sql(COUNT, epsilon=1)


def test_a_table_that_connect_opened_is_closed_with_it(policy, monkeypatch):
    closed = []
    close = dp.Table.close
    monkeypatch.setattr(dp.Table, "close", lambda table: (closed.append(table.name), close(table)))
    dbapi.connect(policy, epsilon=1).close()
    assert closed == ["visits"]


def test_commit_does_nothing_and_rollback_is_refused(connection, cursor):
    cursor.execute(COUNT)
    connection.commit()
    with pytest.raises(dbapi.NotSupportedError, match="never taken back"):
        connection.rollback()
    assert connection.budget.spent.epsilon == 1


def test_threads_with_connections_of_their_own_share_one_budget(policy):
    answers, refusals = [], []

    def ask() -> None:
        with dbapi.connect(str(policy), epsilon=1) as connection:
            try:
                answers.append(connection.cursor().execute(COUNT).fetchone())
            except dbapi.OperationalError as refusal:
                refusals.append(refusal)

    threads = [Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(answers), len(refusals)) == (3, 3)


def test_a_connection_shows_its_price_and_no_row():
    connection = dbapi.connect(clinic(), epsilon="0.10", delta=0)
    assert repr(connection) == "Connection('visits', epsilon=0.10, delta=0)"
