"""What is no question about people is refused, quickly, before an engine or the ledger hears of it.

The table below has an engine that fails the test when anything of it is used.
"""

import json
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any, NoReturn

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import DiscreetError, QueryError
from discreet.question.check import checked_question
from discreet.release.table import Table
from discreet.sql.read.allow_list import FUNCTIONS
from discreet.sql.read.parser import MOST_CHARACTERS
from discreet.sql.read.select import parse_select
from tests.sql.corpus.schemas import SCHEMAS, VISITS
from tests.support.cases import each
from tests.support.trials import examples

SECONDS = 5.0  # of the processor; measured: at most 0.2, once garbage is collected meanwhile
MEGABYTES = 20
COUNT = "SELECT COUNT(*) FROM visits"
WHERE = f"{COUNT} WHERE "


class _Touched:
    """An engine that must not be used."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(f"the engine's {name} is used")


@pytest.fixture(scope="module")
def visits() -> Iterator[Table]:
    names = [*VISITS.columns, VISITS.unit]
    with dp.table(
        pandas.DataFrame({name: [] for name in names}),
        name="visits",
        unit=VISITS.unit,
        columns=dict(VISITS.columns),
        max_groups=3,
        max_rows=10,
        budget=dp.Budget(epsilon=10),
        ledger=":memory:",
    ) as opened:
        real = opened.engine()
        opened._engine = _Touched()  # type: ignore[assignment]
        opened.ask(COUNT).plan(epsilon=1)  # loads what is loaded once
        yield opened
        opened._engine = real


def refusal(visits: Table, text: str) -> str:
    """The message with which a text is refused, quickly and free of charge."""
    entries = visits.ledger.balance(visits.name)
    start = time.process_time()
    with pytest.raises(QueryError) as caught:
        visits.sql(text, epsilon=1)
    assert time.process_time() - start < SECONDS
    assert visits.ledger.balance(visits.name) == entries
    assert caught.value.__cause__ is None
    message = str(caught.value)
    assert len(message) < 1_500
    assert message.isprintable()
    return message


def test_the_engine_of_these_tests_cannot_be_used(visits: Table) -> None:
    with pytest.raises(AssertionError, match="is used"):
        visits.sql(COUNT, epsilon=1)


OTHER_STATEMENTS = [
    "ATTACH 'x.db' AS x",
    "DETACH x",
    "COPY visits TO 'x.csv'",
    "COPY (SELECT * FROM visits) TO 'x.csv' (FORMAT CSV)",
    "COPY visits FROM '/etc/passwd'",
    "EXPORT DATABASE 'x'",
    "IMPORT DATABASE 'x'",
    "PRAGMA database_list",
    "PRAGMA enable_external_access",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD 'x.so'",
    "SET memory_limit = '1GB'",
    "SET enable_external_access = true",
    "RESET ALL",
    "USE x",
    "CALL pragma_version()",
    "CHECKPOINT",
    "VACUUM",
    "ANALYZE",
    "BEGIN",
    "COMMIT",
    "CREATE TABLE x AS SELECT * FROM visits",
    "CREATE VIEW x AS SELECT * FROM visits",
    "CREATE MACRO x(a) AS a",
    "CREATE FUNCTION x(a) AS a",
    "CREATE SECRET s (TYPE S3)",
    "DROP TABLE visits",
    "ALTER TABLE visits ADD COLUMN x INTEGER",
    "TRUNCATE visits",
    "INSERT INTO visits VALUES (1)",
    "UPDATE visits SET stay = 1",
    "DELETE FROM visits",
    "MERGE INTO visits USING x ON 1 = 1 WHEN MATCHED THEN DELETE",
    "GRANT ALL ON visits TO public",
    "EXPLAIN ANALYZE SELECT COUNT(*) FROM visits",
    "EXPLAIN EXPLAIN SELECT COUNT(*) FROM visits",
    "DESCRIBE visits; DROP TABLE visits",
    "DESCRIBE SELECT * FROM visits",
    "SHOW TABLES; DROP TABLE visits",
    "SHOW ALL TABLES",
    "SUMMARIZE visits",
    "PREPARE q AS SELECT COUNT(*) FROM visits",
    "EXECUTE q",
    "FROM visits",
    "FROM visits SELECT COUNT(*)",
    "TABLE visits",
    "VALUES (1), (2)",
    "PIVOT visits ON ward USING COUNT(*)",
    "UNPIVOT visits ON stay, age INTO NAME n VALUE v",
    "(SELECT COUNT(*) FROM visits)",
    "{COUNT}",
    "DO $$ BEGIN END $$",
]
SECOND_STATEMENTS = [
    f"{COUNT}; DROP TABLE visits",
    f"{COUNT}; {COUNT}",
    f"{COUNT};;",
    f"; {COUNT}",
    f"{COUNT} -- x\n; DROP TABLE visits",
    f"{COUNT} /* ; */ ; SELECT 1",
    f"{WHERE}ward = 'a'; DROP TABLE visits; --'",
    f"{WHERE}ward = 'a' OR 1=1 UNION ALL SELECT 1",
    f"{COUNT} UNION {COUNT}",
    f"{COUNT} EXCEPT {COUNT}",
    f"{COUNT} INTERSECT ALL {COUNT}",
    f"{COUNT} UNION BY NAME {COUNT}",
]
OTHER_SOURCES = [
    "read_csv('/etc/passwd')",
    "read_csv_auto('/etc/passwd')",
    "read_text('/etc/passwd')",
    "read_blob('/etc/passwd')",
    "read_parquet('s3://bucket/x.parquet')",
    "read_json('https://example.com/x.json')",
    "sniff_csv('/etc/passwd')",
    "glob('*')",
    "range(10)",
    "generate_series(1, 10)",
    "unnest([1, 2])",
    "UNNEST(ARRAY[1, 2])",
    "repeat('a', 10)",
    "duckdb_settings()",
    "duckdb_secrets()",
    "pragma_table_info('visits')",
    "query('SELECT 1')",
    "query_table('visits')",
    "sqlite_scan('x.db', 't')",
    "postgres_scan('', 'public', 't')",
    "pg_read_file('/etc/passwd')",
    "dblink('', 'SELECT 1')",
    "my_macro(visits)",
    "TABLE(visits)",
    "'/etc/passwd'",
    "'visits.csv'",
    '"/etc/passwd"',
    "main.visits",
    "a.b.c.visits",
    "information_schema.tables",
    "duckdb_tables",
    "sqlite_master",
    "pg_catalog.pg_user",
    "(VALUES (1), (2)) AS t(x)",
    "(VALUES (1)) AS t",
    "visits AS v(a, b)",
    "ONLY visits",
    "LATERAL (SELECT 1) AS x",
    "(visits)",
    "((visits))",
    "(visits JOIN visits USING (patient_id))",
    "visits POSITIONAL JOIN visits AS b",
    "visits ASOF JOIN visits AS b USING (patient_id)",
    "visits SEMI JOIN visits AS b USING (patient_id)",
    "visits ANTI JOIN visits AS b USING (patient_id)",
    "visits CROSS JOIN LATERAL (SELECT 1)",
    "visits CROSS APPLY visits",
    "visits NATURAL JOIN visits AS b",
    "visits TABLESAMPLE (10)",
    "visits TABLESAMPLE reservoir(10)",
    "visits USING SAMPLE 10",
    "visits WITH ORDINALITY",
    "visits AT (VERSION => 3)",
    "visits FOR SYSTEM_TIME AS OF '2024-01-01'",
    "visits PIVOT (SUM(stay) FOR ward IN ('A'))",
    "visits UNPIVOT (x FOR y IN (stay, age))",
    "visits MATCH_RECOGNIZE (PATTERN (a))",
    "$1",
    "?",
    ":table",
    "@table",
    "#1",
]
OTHER_EXPRESSIONS = [
    "pg_sleep(10)",
    "sleep(10)",
    "getenv('HOME')",
    "current_setting('x')",
    "random()",
    "uuid()",
    "hash(stay)",
    "md5(diagnosis)",
    "read_text('/etc/passwd')",
    "error('x')",
    "nextval('x')",
    "version()",
    "current_user",
    "regexp_matches(diagnosis, '(a+)+$')",
    "list_transform([1], x -> x)",
    "list_filter([stay], lambda x: x > 1)",
    "x -> x + 1",
    "[1, 2, 3]",
    "[x FOR x IN [1, 2]]",
    "{'a': 1}",
    "{'a': stay}.a",
    "struct_pack(a := 1)",
    "ROW(1, 2)",
    "MAP {'a': 1}",
    "(1, 2)",
    "stay[1]",
    "stay.a.b.c",
    "visits.stay.a",
    "main.visits.stay",
    "COLUMNS(*)",
    "COLUMNS('s.*')",
    "*COLUMNS(*)",
    "* EXCLUDE (stay)",
    "visits.* EXCLUDE (stay)",
    "* REPLACE (1 AS stay)",
    "visits.*",
    "$1",
    "$name",
    "?",
    ":stay",
    "@stay",
    "$$text$$",
    "$tag$text$tag$",
    "E'a\\'b'",
    "U&'\\0041'",
    "B'1'",
    "X'41'",
    "'a' 'b'",
    "`stay`",
    "[stay]",
    "stay::JSON",
    "stay::STRUCT(a INTEGER)",
    "stay::INTEGER[]",
    "CAST(stay AS BLOB)",
    "CAST(stay AS ENUM('a'))",
    "TRY(stay)",
    "stay COLLATE nocase",
    "admitted AT TIME ZONE 'UTC'",
    "diagnosis SIMILAR TO 'a'",
    "diagnosis GLOB 'a*'",
    "diagnosis ~ 'a'",
    "diagnosis LIKE 'a' ESCAPE 'b'",
    "stay ^ 2",
    "stay ** 2",
    "stay & 1",
    "stay << 1",
    "~stay",
    "!smoker",
    "@stay",
    "stay -> 'a'",
    "stay ->> 'a'",
    "stay := 1",
    "stay => 1",
    "rowid",
    "ctid",
    "(SELECT 1)",
    "(SELECT MAX(stay) FROM visits)",
    "EXISTS (SELECT 1)",
    "stay IN (SELECT stay FROM visits)",
    "stay = ANY (SELECT 1)",
    "stay > ALL (SELECT 1)",
    "LAG(stay) OVER ()",
    "SUM(stay) OVER (PARTITION BY ward)",
    "FIRST(stay)",
    "LIST(stay)",
    "STRING_AGG(diagnosis, ',')",
    "ARG_MAX(stay, age)",
    "MODE(stay)",
    "HISTOGRAM(stay)",
    "QUANTILE_DISC(stay, 0.5)",
    "SUM(stay ORDER BY age)",
    "SUM(stay) RESPECT NULLS",
    "COUNT(DISTINCT ON (ward) stay)",
    "ANY_VALUE(diagnosis)",
    "GROUPING(ward)",
]
OTHER_ENDS = [
    "FOR UPDATE",
    "INTO x",
    "QUALIFY 1 = 1",
    "WINDOW w AS (PARTITION BY ward)",
    "GROUP BY CUBE (ward)",
    "GROUP BY GROUPING SETS ((ward), ())",
    "GROUP BY ward WITH ROLLUP",
    "ORDER BY ALL",
    "ORDER BY random()",
    "ORDER BY stay",
    "LIMIT (SELECT 1)",
    "LIMIT 50%",
    "LIMIT 50 PERCENT",
    "LIMIT -1",
    "LIMIT 1.5",
    "LIMIT NULL",
    "LIMIT stay",
    "LIMIT $1",
    "LIMIT 99999999999999999999",
    "OFFSET -1",
    "FETCH FIRST 2 ROWS WITH TIES",
    "LIMIT 2 BY ward",
    "SAMPLE 10",
    "USING SAMPLE 10 PERCENT",
    "SETTINGS x = 1",
    "FORMAT JSON",
    "CONNECT BY 1 = 1",
    "START WITH 1 = 1",
    "CLUSTER BY ward",
    "DISTRIBUTE BY ward",
    "LATERAL VIEW explode(x) t AS y",
    "PREWHERE 1 = 1",
]
ODD_CHARACTERS = [
    "ＳＥＬＥＣＴ COUNT(*) FROM visits",
    "SELECT ＣＯＵＮＴ(*) FROM visits",
    "SELECT COUNT（*）FROM visits",
    "SELECT COUNT(*) FROM ｖisits",
    "SELECT AVG(ｓtay) FROM visits",
    "SELECT AVG(ѕtay) FROM visits",  # a Cyrillic s
    "SELECT AVG(st\u0430y) FROM visits",  # a Cyrillic a
    "SELECT AVG(\u202eyats) FROM visits",
    "SELECT AVG(st\u200bay) FROM visits",
    "SELECT AVG(stay\u200d) FROM visits",
    "SELECT AVG(\ufeffstay) FROM visits",
    "SEL\u200bECT COUNT(*) FROM visits",
    "\ufeffSELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FROM vi\u00adsits",
    "SELECT COUNT(*) FROM visits\u202e",
    "SELECT COUNT(*) FROM \u2066visits\u2069",
    "SELECT COUNT(*) FROM visits\x00",
    "SELECT COUNT(*)\x00 FROM visits",
    "\x00SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE stay > \u2018a\u2019",
    "SELECT COUNT(*) FROM visits WHERE ward = \u201cA\u201d",
    "SELECT COUNT(*) FROM visits WHERE stay > \u0663",
    "SELECT COUNT(*) FROM visits WHERE stay > \u00b2",
    "SELECT COUNT(*) FROM visits WHERE stay \u2212 1 > 2",
    "SELECT COUNT(*) FROM visits WHERE stay \u2264 2",
    "SELECT COUNT(*) FROM visits WHERE stay > 1\u037e DROP TABLE visits",
    "SELECT COUNT(*) FROM visits WHERE \ud800 = 1",
    "SELECT COUNT(*) FROM visits WHERE ward = 'a",
    'SELECT COUNT(*) FROM visits WHERE "ward = 1',
    "SELECT COUNT(*) FROM visits /* WHERE",
    "SELECT COUNT(*) FROM visits WHERE ward = 'a''",
    'SELECT COUNT(*) FROM visits WHERE "sta""y" = 1',
    "",
    " \n\t",
    ";",
    "--",
    "/**/",
    "\x00",
    "\u202e",
    "'",
    '"',
    "$$",
]


@each("text", [*OTHER_STATEMENTS, *SECOND_STATEMENTS, *ODD_CHARACTERS], ids=ascii)
def test_what_is_not_one_select_is_refused(visits: Table, text: str) -> None:
    refusal(visits, text)


@each("source", OTHER_SOURCES)
def test_what_is_no_declared_table_is_refused(visits: Table, source: str) -> None:
    refusal(visits, f"SELECT COUNT(*) FROM {source}")
    refusal(visits, f"{COUNT} JOIN {source} USING (patient_id)")
    refusal(visits, f"WITH x AS (SELECT * FROM {source}) SELECT COUNT(*) FROM x")


@each("part", OTHER_EXPRESSIONS)
def test_what_is_not_on_the_list_is_refused_wherever_it_stands(visits: Table, part: str) -> None:
    for text in (
        f"SELECT {part} FROM visits",
        f"SELECT AVG({part}) FROM visits",
        f"SELECT {part} AS x, COUNT(*) FROM visits GROUP BY x",
        f"{COUNT} WHERE {part}",
        f"{COUNT} WHERE {part} = 1",
        f"{COUNT} GROUP BY {part}",
        f"{COUNT} HAVING {part} > 1",
        f"{COUNT} ORDER BY {part}",
        f"SELECT COUNT(*) FILTER (WHERE {part} = 1) FROM visits",
        f"SELECT COUNT(*) FROM (SELECT {part} AS x FROM visits) WHERE x = 1",
    ):
        refusal(visits, text)


@each("end", OTHER_ENDS)
def test_what_a_select_does_not_end_with_is_refused(visits: Table, end: str) -> None:
    refusal(visits, f"{COUNT} {end}")
    refusal(visits, f"SELECT AVG(x) FROM (SELECT stay AS x FROM visits {end})")


def test_comments_and_quotes_hide_nothing() -> None:
    plain = parse_select(f"{COUNT} WHERE stay > 2", VISITS)
    for text in (
        f"{COUNT} /* read_csv('x') */ WHERE stay > 2 -- ; DROP TABLE visits",
        "SELECT /*+ hint */ COUNT(*) FROM visits WHERE /**/ stay > 2",
        "SELECT COUNT(*) -- x\nFROM visits\nWHERE stay > 2;",
        "SELECT COUNT(*) /* /* nested */ */ FROM visits WHERE stay > 2",
    ):
        assert parse_select(text, VISITS) == plain
    ended = parse_select(f"{COUNT} WHERE ward = 'a\\' OR 1 = 1 --'", VISITS)  # \\ is a letter
    assert ended.text == "count = rows() WHERE ((ward = 'a\\') OR (1 = 1))"
    hostile = "'; DROP TABLE visits; --"
    text = f"{COUNT} WHERE diagnosis = '{hostile.replace(chr(39), chr(39) * 2)}'"
    found = parse_select(text, VISITS).text
    assert found == "count = rows() WHERE (diagnosis = '''; DROP TABLE visits; --')"


LARGE = {
    "a megabyte of brackets": "SELECT " + "(" * 1_000_000,
    "a megabyte of closed brackets": WHERE + "(" * 500_000 + "1" + ")" * 500_000,
    "a megabyte of blanks": " " * 1_000_000,
    "a megabyte of a name": "SELECT " + "x" * 1_000_000,
    "100,000 ORs": WHERE + "stay > 1 OR " * 100_000 + "stay > 1",
    "100,000 NOTs": WHERE + "NOT " * 100_000 + "smoker",
    "100,000 signs": WHERE + "- " * 100_000 + "stay > 1",
    "100,000 CASEs": WHERE + "CASE WHEN " * 100_000,
    "100,000 calls": WHERE + "ABS(" * 100_000 + "stay" + ")" * 100_000,
    "10,000 SELECTs": "SELECT " * 10_000,
    "10,000 joins": COUNT + " JOIN visits" * 10_000,
    "an explained megabyte": "EXPLAIN " + "(" * 1_000_000,
    "blanks before EXPLAIN": " " * 1_000_000 + "EXPLAIN",
}
"""Beyond the longest text that is read."""

AT_THE_LIMIT = {
    "brackets": "SELECT " + "(" * 9_900,
    "brackets in WHERE": WHERE + "(" * 9_900,
    "closed brackets": WHERE + "(" * 4_900 + "1" + ")" * 4_900,
    "brackets and ENDs": WHERE + "(END+" * 1_900,
    "brackets after FROM": "SELECT COUNT(*) FROM " + "(" * 9_900,
    "brackets after JOIN": f"{COUNT} JOIN " + "(" * 9_900,
    "brackets after AS": f"{COUNT} AS " + "(" * 9_900,
    "brackets and joins": "SELECT COUNT(*) FROM " + "(" * 24 + "visits" + " JOIN b)" * 24,
    "subqueries": "SELECT COUNT(*) FROM " + "(SELECT * FROM " * 600,
    "closed subqueries": "SELECT COUNT(*) FROM " + "(SELECT * FROM " * 9 + "visits" + ")" * 9,
    "ORs": WHERE + "stay OR " * 1_200 + "stay",
    "NOTs": WHERE + "NOT " * 2_400 + "smoker",
    "signs": WHERE + "- " * 4_900 + "stay",
    "pluses": WHERE + "stay" + "+1" * 4_900,
    "equations": WHERE + "1=" * 4_900 + "1",
    "CASEs": WHERE + "CASE " * 1_900,
    "CASE WHENs": WHERE + "CASE WHEN " * 900,
    "CASE ELSEs": WHERE + "CASE WHEN 1=1 THEN 1 ELSE " * 350,
    "closed CASEs": WHERE + "CASE WHEN " * 500 + "1" + " THEN 1 END" * 400,
    "calls": WHERE + "ABS(" * 2_400,
    "casts": WHERE + "stay" + "::DOUBLE" * 1_200,
    "IS NULLs": WHERE + "stay" + " IS NULL" * 1_200,
    "BETWEENs": WHERE + "stay" + " BETWEEN 1 AND 2" * 600,
    "a long list": WHERE + "stay IN (" + "1," * 4_900 + "1)",
    "dots": WHERE + "stay" + ".stay" * 1_900,
    "dots in FROM": "SELECT COUNT(*) FROM a" + ".b" * 4_900,
    "columns": "SELECT " + "1," * 4_900 + "1 FROM visits",
    "groups": f"{COUNT} GROUP BY " + "1," * 4_900 + "1",
    "orders": f"{COUNT} ORDER BY " + "1," * 4_900 + "1",
    "counts": "SELECT " + "COUNT(*)," * 1_000 + "1 FROM visits",
    "sums": "SELECT " + ",".join(f"SUM(stay+{n})" for n in range(600)) + " FROM visits",
    "aliases": COUNT + " AS v" * 1_900,
    "SELECTs": "SELECT " * 1_400,
    "FROMs": "SELECT COUNT(*) " + "FROM " * 1_900,
    "unions": "SELECT 1 UNION " * 600 + "SELECT 1",
    "joins": COUNT + " JOIN b" * 1_400,
    "joins with ON": COUNT + " JOIN b ON 1=1" * 700,
    "joins, then ONs": COUNT + " JOIN b" * 700 + " ON 1=1" * 700,
    "joins by comma": COUNT + ", visits" * 1_200,
    "cross joins": COUNT + " CROSS JOIN b" * 700,
    "lateral views": COUNT + " LATERAL VIEW a" * 650,
    "applies": COUNT + " CROSS APPLY a" * 700,
    "a chain of WITH": "WITH a0 AS (SELECT stay FROM visits)"
    + "".join(f", a{n + 1} AS (SELECT stay FROM a{n})" for n in range(250))
    + " SELECT COUNT(*) FROM a250",
    "a chain of people": "WITH a0 AS (SELECT patient_id, SUM(stay) AS s FROM visits GROUP BY 1)"
    + "".join(
        f", a{n + 1} AS (SELECT patient_id, SUM(s) AS s FROM a{n} GROUP BY 1)" for n in range(99)
    )
    + " SELECT COUNT(*) FROM a99",
    "nested WITH": "WITH a AS (" * 600,
    "doubled columns": "WITH a0 AS (SELECT stay AS s FROM visits)"
    + "".join(f", a{n + 1} AS (SELECT s+s AS s FROM a{n})" for n in range(15))
    + " SELECT AVG(s) FROM a15",
    "recursion": "WITH RECURSIVE a AS (SELECT stay FROM visits UNION ALL SELECT stay FROM a) "
    "SELECT COUNT(*) FROM a",
    "a query that names itself": "WITH a AS (SELECT * FROM a) SELECT COUNT(*) FROM a",
    "a long name": WHERE + "x" * 9_900 + " = 1",
    "a long quoted name": WHERE + '"' + "x" * 9_900 + '" = 1',
    "a long table": "SELECT COUNT(*) FROM " + "x" * 9_900,
    "a long number": WHERE + "stay > " + "9" * 9_900,
    "a small number": WHERE + "stay > 0." + "0" * 9_000 + "1",
    "a large power of ten": WHERE + "stay > 1e999999999",
    "a small power of ten": WHERE + "stay > 1e-999999999",
    "a long interval": WHERE + "admitted > DATE '2024-01-01' + INTERVAL '" + "9" * 9_900 + "' DAY",
    "a blank interval": WHERE + "admitted > DATE '2024-01-01' + INTERVAL '" + " " * 9_900 + "' DAY",
    "a long date": WHERE + "admitted > DATE '" + "9" * 9_900 + "'",
    "types before brackets": "SELECT a FROM visits GROUP BY " + "DATE (" * 24 + "a" + ")" * 24,
    "filters": "SELECT COUNT(*)" + " FILTER (WHERE smoker)" * 400 + " FROM visits",
    "signs of a power": WHERE + "POWER(stay, 1e99) > 1e101",
    "digits of a rounding": WHERE + "ROUND(stay, 999999999) > 1",
}
AT_THE_LIMIT |= {
    f"{offer.name} in itself": WHERE + f"{offer.name}(" * 600 + "stay" for offer in FUNCTIONS
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_what_is_too_long_is_refused_in_no_time(visits: Table, text: str) -> None:
    assert len(text) > MOST_CHARACTERS
    refusal(visits, text)
    assert _peak(text) < MEGABYTES


@pytest.mark.slow
@pytest.mark.parametrize("text", AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_what_is_as_long_as_it_may_be_is_refused_in_no_time(visits: Table, text: str) -> None:
    assert len(text) <= MOST_CHARACTERS
    refusal(visits, text)


@pytest.mark.soak
@pytest.mark.parametrize("text", AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_what_is_as_long_as_it_may_be_is_refused_in_little_memory(text: str) -> None:
    assert _peak(text) < MEGABYTES


def _peak(text: str) -> float:
    """The most memory, in megabytes, that refusing a text takes."""
    tracemalloc.start()
    try:
        with pytest.raises(QueryError):
            parse_select(text, VISITS)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@each("offer", FUNCTIONS, ids=lambda offer: offer.name)
@pytest.mark.parametrize("depth", [10, 24])
@each("rest", ["", ", 1", ", 1, 1", " AS DOUBLE", " FROM stay"])
def test_a_function_inside_itself_takes_no_time(offer: Any, depth: int, rest: str) -> None:
    for name in (offer.name, *offer.also):
        text = f"{COUNT} WHERE " + f"{name}(" * depth + "stay" + f"{rest})" * depth + " > 1"
        _planned_or_refused(text, "visits")


def _planned_or_refused(text: str, table: str) -> None:
    """Nothing but an error of our own, and no more than some seconds."""
    start, message = time.process_time(), ""
    try:
        checked_question(parse_select(text, SCHEMAS[table]), SCHEMAS[table])
    except DiscreetError as error:
        message = str(error)
    assert time.process_time() - start < SECONDS, json.dumps(text)
    assert message.isprintable(), json.dumps(message)


_SOUP = """
SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET WITH RECURSIVE AS JOIN LEFT RIGHT FULL CROSS
NATURAL INNER OUTER ON USING UNION ALL EXCEPT DISTINCT FILTER WITHIN OVER PARTITION QUALIFY WINDOW
CASE WHEN THEN ELSE END AND OR NOT IN IS NULL TRUE FALSE BETWEEN LIKE ILIKE CAST TRY_CAST INTERVAL
DATE DAY YEAR EXTRACT COUNT SUM AVG MIN MAX MEDIAN QUANTILE PERCENTILE_CONT STDDEV VAR_POP PEOPLE
ROWS BINS ABS FLOOR ROUND CLIP COALESCE NULLIF GREATEST LEAST SUBSTRING LOWER TRIM CONCAT DATE_TRUNC
DATE_DIFF WIDTH_BUCKET POWER DOUBLE INTEGER VARCHAR DECIMAL visits patients wards tests requests v w
stay cost ward age smoker diagnosis admitted patient_id sex building total n ASC DESC NULLS FIRST
LATERAL VALUES UNNEST PIVOT SAMPLE TABLESAMPLE EXCLUDE COLUMNS STRUCT MAP ARRAY LAMBDA ROW
( ( ( ) ) ) , , . * + - / // % || :: = <> < > <= >= [ ] { } ? $1 :x @ # ^ & ~ -> => :=
1 0 2 0.5 1e9 'A' 'month' '2024-01-01' "ward" ' " -- /* */ ; $$
"""
_words = st.lists(st.sampled_from(_SOUP.split()), max_size=40).map(" ".join)
_FRAMES = st.sampled_from(
    [
        "{a}",
        "SELECT {a} FROM visits {b}",
        "SELECT COUNT(*) FROM visits WHERE {a}",
        "SELECT COUNT(*) FROM visits AS v JOIN {a} ON {b}",
        "SELECT ward, AVG({a}) FROM visits GROUP BY {b}",
        "WITH v AS ({a}) SELECT COUNT(*) FROM v {b}",
        "SELECT AVG(n) FROM (SELECT patient_id, {a} AS n FROM visits GROUP BY {b})",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING {a} ORDER BY {b}",
        "SELECT CASE WHEN {a} THEN {b} END AS n, COUNT(*) FROM visits GROUP BY n",
    ]
)


@examples(200)
@given(_FRAMES, _words, _words)
def test_any_words_are_a_question_or_refused(frame: str, a: str, b: str) -> None:
    _planned_or_refused(frame.format(a=a, b=b), "visits")


@examples(100)
@given(_FRAMES, st.text(max_size=60), st.text(max_size=20))
def test_any_text_is_a_question_or_refused(frame: str, a: str, b: str) -> None:
    _planned_or_refused(frame.format(a=a, b=b), "visits")


_NESTED = st.recursive(
    st.sampled_from(["stay", "1", "'A'", "ward", "NULL", "smoker", "admitted", "*"]),
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from([offer.name for offer in FUNCTIONS]), st.lists(inner, max_size=3)
        ).map(lambda pair: f"{pair[0]}({', '.join(pair[1])})"),
        st.tuples(
            inner, st.sampled_from(["+", "-", "*", "/", "%", "=", "<", "AND", "OR", "||"]), inner
        ).map(" ".join),
        inner.map(lambda one: f"({one})"),
        inner.map(lambda one: f"NOT {one}"),
        inner.map(lambda one: f"CASE WHEN {one} THEN {one} ELSE 1 END"),
        inner.map(lambda one: f"{one} IS NULL"),
        inner.map(lambda one: f"{one} IN ({one}, 1)"),
        inner.map(lambda one: f"{one} BETWEEN {one} AND 2"),
        inner.map(lambda one: f"AVG({one})"),
        inner.map(lambda one: f"COUNT(*) FILTER (WHERE {one})"),
    ),
    max_leaves=30,
)


@pytest.mark.slow
@examples(120)
@given(_FRAMES, _NESTED, _NESTED)
def test_any_nested_expression_is_a_question_or_refused(frame: str, a: str, b: str) -> None:
    _planned_or_refused(frame.format(a=a, b=b), "visits")
