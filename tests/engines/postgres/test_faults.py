"""A PostgreSQL table that is lost, slow, changed or hostile: the answer is right or refused."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import discreet as dp
from discreet.engines.postgres.connection import PostgresConnection
from discreet.engines.sources import find_source
from discreet.errors import SourceError, UnansweredError
from tests.support.postgres_tables import new_table
from tests.support.waits import PATIENCE, until

KINDS = {"id": "bigint", "x": "double precision", "tag": "text"}
ROWS = [(one % 10, one / 10, "8675309") for one in range(200)]
BODY = "LANGUAGE sql AS 'SELECT 1e300::float8'"


def opened(address: str, **changes: Any) -> dp.Table:
    declared: dict[str, Any] = {
        "unit": "id",
        "budget": dp.Budget(epsilon=20),
        "columns": {"x": dp.number(0, 10)},
        "max_groups": 1,
        "max_rows": 20,
        "ledger": ":memory:",
    }
    return dp.table(address, **(declared | changes))


def counted(table: dp.Table) -> float:
    found: float = table.agg(n=dp.rows()).release(epsilon=5)["n"].value
    return found


def spent(table: dp.Table) -> float:
    return float(table.budget.spent.epsilon)


@pytest.fixture
def visits(server: str) -> Iterator[dp.Table]:
    with opened(new_table(server, KINDS, ROWS)) as table:
        yield table


def run(server: str, *statements: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        for one in statements:
            connection.execute(one)


def name_of(address: str) -> str:
    return address.rpartition("=")[2]


def end_sessions(server: str) -> int:
    """End every session of ours on the server, as its operator or a lost network would."""
    with psycopg.connect(server, autocommit=True) as connection:
        found = connection.execute(
            "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE application_name = 'discreet'"
        ).fetchone()
        return int(found[0]) if found else 0


def reading(server: str) -> bool:
    """Whether a session of ours is at the rows of a slow view."""
    with psycopg.connect(server, autocommit=True) as connection:
        found = connection.execute(
            "SELECT COUNT(*) FROM pg_stat_activity "
            "WHERE application_name = 'discreet' AND wait_event = 'PgSleep'"
        ).fetchone()
        return bool(found and found[0])


def slow(server: str) -> str:
    """A view whose rows take longer than any test waits."""
    address = new_table(server, KINDS, ROWS)
    table = name_of(address)
    run(
        server,
        f"CREATE VIEW public.slow_{table} AS SELECT t.* FROM public.{table} AS t, "
        "LATERAL (SELECT pg_sleep(10 + 0 * t.id)) AS waited",
    )
    return f"{server}&table=public.slow_{table}"


def test_a_session_that_ends_in_a_query_leaves_the_charge(server: str) -> None:
    ended: list[float] = []

    def end() -> None:
        try:
            until(lambda: reading(server), "the query reads rows")
        finally:
            assert end_sessions(server)
            ended.append(time.monotonic())

    with opened(slow(server)) as table:
        other = threading.Thread(target=end)
        other.start()
        with pytest.raises(UnansweredError) as caught:
            counted(table)
        told = time.monotonic()
        other.join()
        assert told - ended[0] < PATIENCE  # the question is not asked again
        assert spent(table) == 5
        check_silent(caught.value)


def check_silent(error: BaseException | None) -> None:
    """Nothing of the cause is kept: it could carry a row."""
    assert error is not None
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "8675309" not in str(error)


def test_the_next_question_opens_a_new_session(server: str, visits: dp.Table) -> None:
    assert abs(counted(visits) - 200) < 100
    assert end_sessions(server)
    assert abs(counted(visits) - 200) < 100
    assert spent(visits) == 10


@pytest.mark.slow
def test_a_statement_that_takes_too_long_is_ended(server: str) -> None:
    with opened(slow(server) + "&statement_timeout=1") as table:
        with pytest.raises(UnansweredError) as caught:
            counted(table)
        check_silent(caught.value)
        assert spent(table) == 5


@pytest.mark.parametrize("seconds", ["0", "-1", "1.5", "", "9" * 30, "soon"])
def test_a_timeout_is_a_number_of_seconds(server: str, seconds: str) -> None:
    with pytest.raises(SourceError, match="statement_timeout"):
        opened(f"{server}&table=any&statement_timeout={seconds}")


def test_an_error_in_a_view_is_one_constant_error(server: str) -> None:
    address = new_table(server, KINDS, ROWS)
    view = f"public.failing_{name_of(address)}"
    run(
        server,
        f"CREATE VIEW {view} AS SELECT id, x, (tag || 'x')::integer AS y "
        f"FROM public.{name_of(address)}",
    )
    with opened(f"{server}&table={view}", columns={"y": dp.integer(0, 10)}) as table:
        with pytest.raises(UnansweredError) as caught:
            table.agg(s=dp.col("y").sum()).release(epsilon=1)
        check_silent(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE public.{0} DROP COLUMN x",
        "ALTER TABLE public.{0} RENAME COLUMN x TO y",
        "ALTER TABLE public.{0} ALTER COLUMN x TYPE text",
        "ALTER TABLE public.{0} RENAME TO {0}_away",
        "ALTER TABLE public.{0} RENAME TO {0}_old; "
        "CREATE TABLE public.{0} AS SELECT * FROM public.{0}_old",
    ],
)
def test_a_table_that_was_changed_is_refused_uncharged(server: str, change: str) -> None:
    address = new_table(server, KINDS, ROWS)
    with opened(address) as table:
        run(server, *change.format(name_of(address)).split("; "))
        with pytest.raises(SourceError, match="Nothing was spent"):
            counted(table)
        assert spent(table) == 0


def test_a_right_that_was_taken_is_seen_before_the_charge(server: str) -> None:
    address = new_table(server, KINDS, ROWS)
    table = name_of(address)
    role = f"reader_{table}"
    run(server, f"CREATE ROLE {role} LOGIN", f"GRANT SELECT ON public.{table} TO {role}")
    mine = address.replace("postgres@", f"{role}@")
    with opened(mine) as found:
        assert abs(counted(found) - 200) < 100
        run(server, f"REVOKE SELECT ON public.{table} FROM {role}")
        with pytest.raises(SourceError):
            counted(found)
        assert spent(found) == 5
    with pytest.raises(SourceError, match="may not read"):
        opened(mine)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO public.{0} VALUES (1, 1, 'a')",
        "CREATE TABLE public.other_{0} (x integer)",
        "SELECT nextval('public.numbers_{0}')",
        "SELECT setval('public.numbers_{0}', 7)",
    ],
)
def test_a_session_writes_nothing_whatever_its_role_may(server: str, statement: str) -> None:
    address = new_table(server, KINDS, ROWS)
    table = name_of(address)
    run(server, f"CREATE SEQUENCE public.numbers_{table}")
    connection = PostgresConnection(server, 60)
    with pytest.raises(psycopg.Error):
        connection.rows(statement.format(table))
    with (
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
        connection._transaction() as session,
    ):
        session.execute(statement.format(table))
    connection.close()


def test_a_session_is_repeatable_and_its_names_are_fixed(server: str) -> None:
    connection = PostgresConnection(
        f"{server}&options=-csearch_path%3Devil%20-cTimeZone%3DAsia/Tokyo", 60
    )
    settings = ("transaction_isolation", "transaction_read_only", "search_path", "TimeZone")
    found = [connection.rows(f"SELECT current_setting('{one}')")[0][0] for one in settings]
    assert found == ["repeatable read", "on", "pg_catalog, pg_temp", "UTC"]
    connection.close()


def test_names_of_another_schema_do_not_step_in(server: str) -> None:
    address = new_table(server, KINDS, ROWS)
    table = name_of(address)
    schema = f"evil_{table}"
    run(
        server,
        f"CREATE SCHEMA {schema}",
        f"CREATE TABLE {schema}.{table} AS SELECT 1::bigint AS id, 9::float8 AS x, 'a' AS tag",
        f"CREATE FUNCTION {schema}.floor(float8) RETURNS float8 {BODY}",
        f"CREATE FUNCTION {schema}.md5(text) RETURNS text LANGUAGE sql AS 'SELECT ''a'''",
        f"CREATE FUNCTION public.floor(float8) RETURNS float8 {BODY}",
    )
    try:
        poisoned = f"{server}&options=-csearch_path%3D{schema},public,pg_catalog&table={table}"
        with opened(poisoned) as found:
            assert abs(counted(found) - 200) < 100
            total = found.agg(s=dp.col("x").sum()).release(epsilon=5)["s"].value
            assert abs(total - sum(min(row[1], 10) for row in ROWS)) < 800
    finally:
        run(server, "DROP FUNCTION public.floor(float8)")


def test_names_are_quoted(server: str) -> None:
    odd = "a\"b; DROP TABLE x; --'"
    kinds = {odd: "bigint", "X y": "double precision"}
    new_table(server, kinds, [(1, 2.0)] * 50, name=odd)
    run(server, 'CREATE SCHEMA "Odd ""one"""')
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            psycopg.sql.SQL('CREATE VIEW "Odd ""one""".v AS SELECT * FROM public.{}').format(
                psycopg.sql.Identifier(odd)
            )
        )
    for table in (odd, 'Odd "one".v'):
        with opened(
            server,
            table=table,
            name="odd",
            unit=odd,
            columns={"X y": dp.number(0, 10)},
            max_rows=100,
        ) as found:
            assert abs(counted(found) - 50) < 500


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://canary:8675309@127.0.0.1:1/db?table=visits", "cannot be reached"),
        ("postgresql://canary:8675309@[::1/db?table=visits", "cannot be read"),
        ("postgresql://canary:8675309@127.0.0.1:1/db", "no table is named"),
        ("postgresql://canary:8675309@127.0.0.1:x/db?table=visits", "cannot be reached"),
        ("postgresql://canary:8675309@127.0.0.1/db?table=visits&nonsense=1", "cannot be reached"),
    ],
)
def test_a_password_is_in_no_refusal(address: str, message: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        opened(address)
    check_silent(caught.value)
    assert "canary" not in str(caught.value)


def test_a_password_is_nowhere_in_what_is_kept(server: str, tmp_path: Any) -> None:
    address = new_table(server, KINDS, ROWS).replace("postgres@", "postgres:8675309@")
    place = tmp_path / "visits.ledger"
    with opened(address, ledger=str(place)) as table:
        plan = table.agg(n=dp.rows()).plan(epsilon=1)
        answer = plan.release(analyst="ann")
        shown = [repr(table), repr(plan), plan.explain(), repr(answer), str(answer)]
        shown += [
            repr(answer.certificate),
            answer.certificate.to_json(),
            repr(find_source(address)),
        ]
        shown += plan.queries
    assert set(answer.certificate.versions) == {"discreet", "numpy", "postgresql"}
    assert not any("8675309" in one for one in shown)
    assert all(b"8675309" not in one.read_bytes() for one in tmp_path.iterdir())


def test_what_is_not_there_is_refused_when_the_table_is_opened(server: str) -> None:
    address = new_table(server, KINDS, ROWS)
    with pytest.raises(SourceError, match="no table or view 'nowhere'"):
        opened(f"{server}&table=nowhere")
    with pytest.raises(SourceError, match="Did you mean 'x'"):
        opened(address, columns={"xx": dp.number(0, 1)})
    with pytest.raises(SourceError, match="the unit 'who'"):
        opened(address, unit="who")


def test_a_forked_process_asks_through_a_session_of_its_own(server: str) -> None:
    code = f"""
import os, sys
from discreet.engines.postgres.connection import PostgresConnection
connection = PostgresConnection({server!r}, 60)
mine = connection.rows("SELECT pg_backend_pid()")
child = os.fork()
if not child:
    os._exit(connection.rows("SELECT pg_backend_pid()") == mine)
same = os.waitpid(child, 0)[1]
sys.exit(same or connection.rows("SELECT pg_backend_pid()") != mine)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
