"""What a view cannot compute for one person leaves every question that names it unanswered."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from typing import Any

import psycopg
import pytest

from discreet.engines.postgres.engine import Postgres
from discreet.engines.sources import Sources, find_source
from discreet.question.check import checked_question
from discreet.sql.read.select import parse_select
from tests.engines.failing import DECLARED, NAMED, OTHERS, PEOPLE, PERSON, fails, wrong
from tests.support.trials import all_but

FAILING = f"10 / (x::integer - {PERSON})"
FORBIDDEN = f"10 / (id - {PERSON}) IS NOT NULL"
_schemas = count()

WAYS = {
    "a view": f"""
        CREATE VIEW t AS SELECT id, x, {FAILING} AS y, tag FROM stored""",
    "a view with a barrier": f"""
        CREATE VIEW t WITH (security_barrier) AS SELECT id, x, {FAILING} AS y, tag FROM stored""",
    "a view of a join": f"""
        CREATE VIEW t AS SELECT s.id, s.x, {FAILING.replace("x:", "s.x:")} AS y, o.tag
        FROM stored AS s LEFT JOIN stored AS o ON o.id = s.id""",
    "a view with a function": f"""
        CREATE FUNCTION risky(x float8) RETURNS integer LANGUAGE plpgsql STABLE COST 1 AS
        'BEGIN RETURN {FAILING}; END';
        CREATE VIEW t AS SELECT id, x, risky(x) AS y, tag FROM stored""",
    "another server": f"""
        CREATE VIEW far AS SELECT id, x, {FAILING} AS y, tag FROM stored;
        CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public;
        CREATE SERVER {{schema}} FOREIGN DATA WRAPPER postgres_fdw
        OPTIONS (host '{{host}}', dbname 'postgres');
        CREATE USER MAPPING FOR postgres SERVER {{schema}} OPTIONS (user 'postgres');
        CREATE FOREIGN TABLE t (id bigint, x float8, y integer, tag text)
        SERVER {{schema}} OPTIONS (schema_name '{{schema}}', table_name 'far')""",
    "a part on another server": f"""
        CREATE VIEW far AS SELECT id, x, {FAILING} AS y, tag FROM stored;
        CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public;
        CREATE SERVER {{schema}} FOREIGN DATA WRAPPER postgres_fdw
        OPTIONS (host '{{host}}', dbname 'postgres');
        CREATE USER MAPPING FOR postgres SERVER {{schema}} OPTIONS (user 'postgres');
        CREATE TABLE t (id bigint, x float8, y integer, tag text) PARTITION BY RANGE (x);
        CREATE FOREIGN TABLE part PARTITION OF t FOR VALUES FROM (0) TO (10000)
        SERVER {{schema}} OPTIONS (schema_name '{{schema}}', table_name 'far')""",
}


def made(server: str, way: str) -> str:
    """A schema with a table t, made in some way, beside a plain table of the same people."""
    schema = f"failing_{next(_schemas)}"
    host = psycopg.conninfo.conninfo_to_dict(server)["host"]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"SET search_path = {schema}, public")
        connection.execute(
            "CREATE TABLE stored AS SELECT n::bigint AS id, n::float8 AS x, "
            "CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END AS tag "
            f"FROM generate_series(1, {PEOPLE}) AS n; "
            "CREATE TABLE others AS SELECT id, x AS z FROM stored"
        )
        connection.execute(way.format(schema=schema, host=host))
    return schema


@contextmanager
def opened(server: str, schema: str) -> Iterator[Postgres]:
    """The tables t and others of a schema."""
    places = [find_source(f"{server}&table={schema}.{name}") for name in ("t", "others")]
    with closing(Postgres(Sources(places[0], {"others": places[1]}), DECLARED)) as engine:
        yield engine


def is_fenced(engine: Postgres) -> bool:
    writing: Any = engine._written.__self__  # type: ignore[attr-defined]
    return bool(writing._is_computed("source"))


@pytest.mark.parametrize("way", all_but(["a view"], WAYS, pytest.mark.slow))
def test_a_failure_does_not_depend_on_conditions(way: str, request: pytest.FixtureRequest) -> None:
    wanted = "full_server" if "postgres_fdw" in WAYS[way] else "server"
    address: str = request.getfixturevalue(wanted)
    with opened(address, made(address, WAYS[way])) as engine:
        assert wrong(engine, NAMED, failing=True) == []
        assert wrong(engine, OTHERS, failing=False) == []


@pytest.mark.slow
def test_where_every_row_can_be_read_all_is_answered(server: str) -> None:
    """The control of the questions: none of them fails by itself."""
    way = "CREATE VIEW t AS SELECT id, x, 10 / (x::integer + 1) AS y, tag FROM stored"
    with opened(server, made(server, way)) as engine:
        assert wrong(engine, [*NAMED, *OTHERS], failing=False) == []


def test_without_the_fence_a_condition_decides(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the fence: read as a plain table, a view tells who is in a condition."""
    with opened(server, made(server, WAYS["a view"])) as engine:
        writing: Any = engine._written.__self__  # type: ignore[attr-defined]
        monkeypatch.setattr(type(writing), "_is_computed", lambda *_: False)
        plain = f"(SELECT id, x, y, tag FROM {writing._relations['source'].place})"
        monkeypatch.setitem(writing._relations, "source", plain)
        assert fails(engine, NAMED[0])
        assert not fails(engine, NAMED[1])


@pytest.mark.slow
def test_a_policy_about_rows_is_not_let_decide(server: str) -> None:
    """A condition that PostgreSQL may ask first would choose for whom a policy fails."""
    schema = made(
        server,
        f"""
        CREATE TABLE t AS SELECT id, x, x AS y, tag FROM stored;
        ALTER TABLE t ENABLE ROW LEVEL SECURITY;
        CREATE POLICY risky ON t USING ({FORBIDDEN});
        CREATE ROLE {{schema}} LOGIN;
        GRANT USAGE ON SCHEMA {{schema}} TO {{schema}};
        GRANT SELECT ON t, others TO {{schema}}""",
    )
    with opened(server, schema) as engine:  # the policy is not for its owner
        assert not is_fenced(engine)
        assert wrong(engine, OTHERS, failing=False) == []
    with opened(server.replace("postgres@", f"{schema}@"), schema) as engine:
        assert is_fenced(engine)
        assert wrong(engine, [*NAMED, *OTHERS], failing=True) == []


@pytest.mark.parametrize(
    "way",
    [
        "CREATE FOREIGN TABLE t (id bigint, x float8, y float8, tag text) SERVER {schema}",
        "CREATE TABLE t (id bigint, x float8, y float8, tag text) PARTITION BY RANGE (x); "
        "CREATE FOREIGN TABLE part PARTITION OF t FOR VALUES FROM (0) TO (10000) SERVER {schema}",
        "CREATE TABLE t (id bigint, x float8, y float8, tag text); "
        "CREATE TABLE middle () INHERITS (t); "
        "CREATE FOREIGN TABLE part () INHERITS (middle) SERVER {schema}",
    ],
)
def test_what_another_server_holds_is_fenced(server: str, way: str) -> None:
    wrapper = "CREATE FOREIGN DATA WRAPPER {schema}; CREATE SERVER {schema} FOREIGN DATA WRAPPER "
    with opened(server, made(server, f"{wrapper} {{schema}}; {way}")) as engine:
        assert is_fenced(engine)


@pytest.mark.parametrize(
    "way",
    [
        "CREATE MATERIALIZED VIEW t AS SELECT id, x, x AS y, tag FROM stored",
        "CREATE TABLE t AS SELECT id, x, x AS y, tag FROM stored",
        "CREATE TABLE t (id bigint, x float8, y float8 GENERATED ALWAYS AS (x) STORED, tag text)",
        "CREATE TABLE t (id bigint, x float8, y float8, tag text) PARTITION BY RANGE (x); "
        "CREATE TABLE part PARTITION OF t FOR VALUES FROM (0) TO (10000)",
    ],
)
def test_stored_cells_are_read_once_and_without_a_fence(server: str, way: str) -> None:
    with opened(server, made(server, way)) as engine:
        assert not is_fenced(engine)
        assert wrong(engine, NAMED[:2], failing=False) == []


def test_no_condition_reaches_a_scan(server: str) -> None:
    """Neither an index nor a part of a table is chosen by a condition."""
    way = """
        CREATE TABLE t (id bigint, x float8, y float8, tag text) PARTITION BY RANGE (x);
        CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (100);
        CREATE TABLE high PARTITION OF t FOR VALUES FROM (100) TO (10000);
        CREATE INDEX ON t (x);
        INSERT INTO t SELECT id, x, x, tag FROM stored;
        ANALYZE t"""
    with opened(server, made(server, way)) as engine:
        question = checked_question(parse_select(NAMED[3], DECLARED), DECLARED)
        for text in engine.texts(question, question.measures, question.unit):
            with psycopg.connect(server) as connection:
                plan = "\n".join(row[0] for row in connection.execute(f"EXPLAIN {text}"))
            assert "Seq Scan on low" in plan
            assert "Seq Scan on high" in plan
            assert "Index" not in plan
