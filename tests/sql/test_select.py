"""One SELECT of groups and aggregates is a question; every other statement is refused."""

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import QueryError
from discreet.plan.build import col, people, rows, when
from discreet.plan.check import checked
from discreet.plan.columns import category, date, integer, number
from discreet.plan.query import Key, Query
from discreet.plan.schema import Schema
from discreet.privacy.neighbors import Neighbors
from discreet.sql.select import parse_select
from tests.sql.values import WORDS

STAY = col("stay")
SCHEMA = Schema(
    name="visits",
    columns={
        "ward": category(["A", "B"]),
        "stay": number(0, 60),
        "age": integer(0, 120),
        "admitted": date("2020-01-01", "2026-12-31"),
    },
    unit="patient_id",
    neighbors=Neighbors.ADD_REMOVE,
    max_groups=3,
    max_rows=10,
)


def select(text: str) -> Query:
    return parse_select(text, "visits", "patient_id")


@pytest.mark.parametrize(
    ("text", "name", "meant"),
    [
        ("COUNT(*)", "count", rows()),
        ("count(1)", "count", rows()),
        ("ROWS()", "count", rows()),
        ("PEOPLE()", "people", people()),
        ("COUNT(DISTINCT patient_id)", "people", people()),
        ("COUNT(DISTINCT visits.patient_id)", "people", people()),
        ("COUNT(stay)", "count_stay", STAY.count()),
        ("COUNT(DISTINCT stay)", "count_distinct_stay", STAY.n_unique()),
        ("SUM(stay)", "sum_stay", STAY.sum()),
        ("SUM(stay * 2)", "sum_stay_2", (STAY * 2).sum()),
        ("AVG(stay)", "avg_stay", STAY.mean()),
        ("MEAN(stay)", "avg_stay", STAY.mean()),
        ("VAR(stay)", "var_stay", STAY.var()),
        ("VAR_POP(stay)", "var_stay", STAY.var()),
        ("VARIANCE(stay)", "var_stay", STAY.var()),
        ("STDDEV(stay)", "stddev_stay", STAY.std()),
        ("STDDEV_POP(stay)", "stddev_stay", STAY.std()),
        ("MIN(stay)", "min_stay", STAY.min()),
        ("MAX(stay)", "max_stay", STAY.max()),
        ("MEDIAN(stay)", "median_stay", STAY.median()),
        ("QUANTILE(stay, 0.9)", "p90_stay", STAY.quantile(0.9)),
        ("QUANTILE_CONT(stay, 0.9)", "p90_stay", STAY.quantile(0.9)),
        ("APPROX_QUANTILE(stay, 0.9)", "p90_stay", STAY.quantile(0.9)),
        ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY stay)", "p90_stay", STAY.quantile(0.9)),
        ("AVG(CASE WHEN stay > 7 THEN 1 ELSE 0 END) AS long", "long", None),
        ('AVG(stay) "mean stay"', "mean stay", STAY.mean()),
    ],
)
def test_an_aggregate_means_what_python_would_say(text, name, meant):
    query = select(f"SELECT {text} FROM visits")
    long = when(STAY > 7).then(1).otherwise(0).mean()
    assert query == Query(outputs=((name, (meant or long).aggregate),))
    checked(query, SCHEMA)


def test_names_that_were_not_given_are_made_unique():
    query = select("SELECT COUNT(*), COUNT(*), AVG(stay) AS count_2, ROWS() FROM visits")
    assert [name for name, _ in query.outputs] == ["count", "count_3", "count_2", "count_4"]


WARD = (Key("ward", col("ward").node),)
LONG = Key("long", (STAY > 7).node)
BINS = (Fraction(0), Fraction(18), Fraction(65))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", WARD),
        ("SELECT COUNT(*), ward FROM visits GROUP BY ward", WARD),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY 1", WARD),
        ("SELECT visits.ward, COUNT(*) FROM visits GROUP BY ward", WARD),
        ("SELECT v.ward, COUNT(*) FROM visits AS v GROUP BY v.ward", WARD),
        ("select ward, count(*) from VISITS group by (ward);", WARD),
        ("SELECT stay > 7 AS long, COUNT(*) FROM visits GROUP BY long", (LONG,)),
        ("SELECT stay > 7 AS long, COUNT(*) FROM visits GROUP BY stay > 7", (LONG,)),
        ("SELECT stay > 7 AS long, ward, COUNT(*) FROM visits GROUP BY 2, 1", (LONG, *WARD)),
        ("SELECT stay > 7, COUNT(*) FROM visits GROUP BY 1", (Key("stay > 7", LONG.of),)),
        (
            "SELECT BINS(age, 0, 18, 65), COUNT(*) FROM visits GROUP BY bins(age, 0, 18, 65)",
            (Key("age", col("age").node, BINS),),
        ),
        (
            "SELECT BINS(age, 0, 18, 65) AS band, COUNT(*) FROM visits GROUP BY band",
            (Key("band", col("age").node, BINS),),
        ),
        (
            "SELECT BINS(admitted, DATE '2020-01-01', '2021-01-01') AS y, ROWS() FROM visits "
            "GROUP BY y",
            (Key("y", col("admitted").node, (Fraction(18262), Fraction(18628)), True),),
        ),
    ],
)
def test_groups_are_named_by_column_position_alias_or_expression(text, keys):
    query = select(text)
    assert query == Query(keys=keys, outputs=(("count", rows().aggregate),))
    checked(query, SCHEMA)


def test_where_keeps_rows():
    query = select("SELECT COUNT(*) FROM visits WHERE visits.stay > 2 AND ward = 'A'")
    assert query.where == (((STAY > 2) & (col("ward") == "A")).node,)


@pytest.mark.parametrize("by", ["n", "2", "COUNT(*)"])
def test_ordered_by_the_count_with_a_limit_asks_for_the_most_common_groups(by):
    start = "SELECT ward, COUNT(*) AS n, AVG(stay) AS m FROM visits GROUP BY ward"
    assert select(f"{start} ORDER BY {by} DESC LIMIT 2").top == 2
    assert select(f"{start} ORDER BY {by} DESC NULLS LAST LIMIT 2").top == 2
    for end in (
        f"ORDER BY {by} LIMIT 2",
        f"ORDER BY {by} DESC",
        "LIMIT 2",
        "ORDER BY m DESC LIMIT 2",
        "ORDER BY ward LIMIT 2",
        f"ORDER BY {by} DESC, ward LIMIT 2",
        f"ORDER BY {by} DESC LIMIT 0",
        f"ORDER BY {by} DESC LIMIT 1.5",
        f"ORDER BY {by} DESC LIMIT 2 OFFSET 1",
        f"ORDER BY {by} DESC LIMIT stay",
        f"ORDER BY {by} DESC LIMIT 50 PERCENT",
        f"ORDER BY {by} DESC FETCH FIRST 2 ROWS WITH TIES",
    ):
        with pytest.raises(QueryError):
            select(f"{start} {end}")


def test_an_unnamed_count_can_be_ordered_by():
    text = "SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY count DESC LIMIT 1"
    assert select(text).top == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT ward, COUNT(*) FROM visits", r"'ward'.*Write GROUP BY ward"),
        ("SELECT COUNT(*) FROM visits GROUP BY ward", "Add it to the SELECT"),
        ("SELECT ward FROM visits GROUP BY ward", "no aggregate"),
        ("SELECT ward, ward AS w, COUNT(*) FROM visits GROUP BY ward", "same group twice"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY 2", "position '2'"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY 9", "position '9'"),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY n", "'n', which is an aggregate"),
        ("SELECT FLOOR(age) AS age, COUNT(*) FROM visits GROUP BY age", "both a column and an al"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)", "ROLLUP"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ALL", "GROUP BY takes"),
        ("SELECT * FROM visits", "never rows"),
        ("SELECT visits.* FROM visits", "not offered"),
        ("SELECT BINS(age, 18, 0), COUNT(*) FROM visits GROUP BY 1", "increasing"),
        ("SELECT BINS(age, 18, stay), COUNT(*) FROM visits GROUP BY 1", "increasing"),
        ("SELECT BINS(age), COUNT(*) FROM visits GROUP BY 1", "increasing"),
        ("SELECT QUANTILE(stay, 2) FROM visits", "between 0 and 1"),
        ("SELECT QUANTILE(stay, age) FROM visits", "between 0 and 1"),
        ("SELECT QUANTILE(stay) FROM visits", "between 0 and 1"),
        ("SELECT SUM(DISTINCT stay) FROM visits", "DISTINCT stands in COUNT"),
        ("SELECT COUNT(DISTINCT ward, stay) FROM visits", "one column"),
        ("SELECT SUM(stay) / COUNT(*) FROM visits", "Combine released numbers afterwards"),
        ("SELECT MAX(stay, 3) FROM visits", "The aggregates are"),
        ("SELECT PEOPLE(stay) FROM visits", r"Write PEOPLE\(\)"),
        ("SELECT COUNT(*) FILTER (WHERE stay > 2) FROM visits", "Write the condition inside"),
        ("SELECT COUNT(*) OVER () FROM visits", "There is no OVER"),
        ("SELECT STRING_AGG(ward, ',') FROM visits", "not offered"),
        ("SELECT COUNT(*) FROM visits WHERE COUNT(*) > 2", "stands alone in SELECT"),
        ("SELECT COUNT(*) FROM visits HAVING COUNT(*) > 2", "HAVING.*after the release"),
        (
            "SELECT COUNT(*) FROM visits JOIN other USING (id)",
            "has a JOIN",
        ),
        ("SELECT COUNT(*) FROM visits JOIN other", "Let the custodian join them"),
        ("SELECT COUNT(*) FROM visits, other", "a second table"),
        ("SELECT DISTINCT ward FROM visits", "DISTINCT.*Write GROUP BY"),
        (
            "SELECT COUNT(*) FROM visits UNION SELECT COUNT(*) FROM visits",
            "'UNION' before a second",
        ),
        ("WITH v AS (SELECT * FROM visits) SELECT COUNT(*) FROM v", "starts with 'WITH'"),
        ("SELECT COUNT(*) FROM (SELECT * FROM visits)", "subquery"),
        ("SELECT COUNT(*) FROM other", "The table is 'visits'"),
        ("SELECT COUNT(*)", "about 'nothing'"),
        ("SELECT", "no aggregate"),
        ("SELECT COUNT(*) FROM visits QUALIFY 1 = 1", "QUALIFY"),
        ("SELECT COUNT(*) FROM visits AS v(a)", "'v' before a bracket"),
        ("SELECT COUNT(other.stay) FROM visits", "qualified by 'other'"),
        ("SELECT COUNT(visits.stay) FROM visits AS v", "qualified by 'visits'"),
        ("SELECT (SELECT COUNT(*) FROM visits) FROM visits", "no subquery"),
        ("stay > 2", "starts with 'stay'"),
    ],
)
def test_what_a_select_does_not_offer_is_refused_with_what_it_does(text, said):
    with pytest.raises(QueryError, match=said):
        select(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
        "SELECT COUNT(*) FROM '/etc/passwd'",
        "SELECT COUNT(*) FROM main.visits",
        "SELECT COUNT(*) FROM visits; DROP TABLE visits",
        "SELECT COUNT(*) FROM visits;;",
        "ATTACH 'x.db' AS x",
        "PRAGMA database_list",
        "COPY visits TO 'x.csv'",
        "COPY (SELECT * FROM visits) TO 'x.csv'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '1GB'",
        "CREATE TABLE x AS SELECT * FROM visits",
        "INSERT INTO visits VALUES (1)",
        "UPDATE visits SET stay = 1",
        "DELETE FROM visits",
        "EXPLAIN SELECT COUNT(*) FROM visits",
        "DESCRIBE visits",
        "FROM visits",
        "FROM visits SELECT COUNT(*)",
        "VALUES (1)",
        "(SELECT COUNT(*) FROM visits)",
        "SELECT pg_sleep(10), COUNT(*) FROM visits GROUP BY 1",
        "SELECT getenv('HOME'), COUNT(*) FROM visits GROUP BY 1",
        "SELECT COUNT(*) INTO x FROM visits",
        "SELECT COUNT(*) FROM visits FOR UPDATE",
        "SELECT COUNT(*) FROM visits TABLESAMPLE (10)",
        "SELECT COUNT(*) FROM visits USING SAMPLE 10",
        "SELECT COUNT(*) FROM ONLY visits",
        "SELECT COUNT(*) FROM visits WITH ORDINALITY",
        "SELECT COUNT(*) FROM visits PIVOT (SUM(stay) FOR ward IN ('A'))",
        "SELECT COUNT(*) FROM visits AT (VERSION => 3)",
        "SELECT COUNT(*) FROM visits CROSS JOIN LATERAL (SELECT 1)",
        "SELECT COUNT(*) FROM visits ASOF JOIN other USING (id)",
        "SELECT COUNT(* EXCLUDE stay) FROM visits",
        "SELECT COLUMNS('.*') FROM visits",
        "SELECT COUNT(COLUMNS(*)) FROM visits",
        "SELECT SUM(stay) RESPECT NULLS FROM visits",
        "SELECT FIRST(stay) FROM visits",
        "SELECT LIST(stay) FROM visits",
        "SELECT ARG_MAX(stay, age) FROM visits",
        "SELECT QUANTILE_DISC(stay, 0.5) FROM visits",
        "SELECT QUANTILE(stay, [0.5]) FROM visits",
        "SELECT COUNT(*) FROM ｖisits",
        "SELECT COUNT(*) FROM visits WHERE ward = 'a' OR 1=1 UNION ALL SELECT 1",
        "SELECT COUNT(*) FROM visits WHERE stay > \u2018a\u2019",
    ],
)
def test_an_injection_is_refused_and_says_nothing_elsewhere(text, caplog, capfd):
    with pytest.raises(QueryError) as caught:
        select(text)
    assert len(str(caught.value)) < 900
    assert caught.value.__cause__ is None
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def test_comments_and_hints_are_not_part_of_a_question():
    plain = select("SELECT COUNT(*) AS n FROM visits WHERE stay > 2")
    noted = select(
        "SELECT /*+ hint */ COUNT(*) AS n -- x\nFROM visits /* read_csv('x') */ WHERE stay > 2 -- ;"
    )
    assert noted == plain
    assert noted.text == "n = rows() WHERE (stay > 2)"


def test_the_unit_row_has_no_column_to_count():
    query = parse_select("SELECT COUNT(DISTINCT row) FROM t", "t", "row")
    assert query.outputs == (("count_distinct_row", col("row").n_unique().aggregate),)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "x" * 1_000_000,
        "SELECT COUNT(*) FROM visits WHERE " + "(" * 9_000,
        "SELECT COUNT(*) FROM " + "(SELECT * FROM " * 500,
        "SELECT COUNT(*) FROM " + "(" * 24 + "visits" + ")" * 24 + " JOIN a" * 200,
        "SELECT " * 1_400,
        "SELECT COUNT(*) FROM visits " + "JOIN a, " * 30,
        "SELECT COUNT(*) FROM visits " + "CROSS APPLY a " * 300,
        "SELECT COUNT(*) FROM visits " + "LATERAL VIEW a " * 300,
        "SELECT COUNT(*) FROM visits, " + "(" * 24 + "a" + " JOIN b)" * 24,
        "SELECT a FROM visits GROUP BY " + "DATE (" * 24 + "a" + ")" * 24,
        "SELECT 1 UNION " * 600 + "SELECT 1",
        "SELECT " + "COUNT(*), " * 900 + "1 FROM visits",
        "SELECT COUNT(*) FROM visits " + "JOIN b " * 1_000,
        "SELECT COUNT(*) FROM visits GROUP BY " + "1, " * 3_000 + "1",
    ],
    ids=lambda text: f"{text[:30]}…{len(text)}",
)
def test_a_select_that_is_too_large_or_too_deep_is_refused_quickly(text):
    start = time.perf_counter()
    with pytest.raises(QueryError):
        select(text)
    assert time.perf_counter() - start < 5


words = st.sampled_from(WORDS.split())


@settings(max_examples=300)
@given(st.lists(words, max_size=8), st.lists(words, max_size=10), st.text(max_size=20))
def test_any_text_is_a_question_or_refused(columns, clauses, odd):
    for text in (
        f"SELECT {' '.join(columns)} FROM visits {' '.join(clauses)}",
        f"SELECT COUNT(*) FROM visits {' '.join(clauses)} {odd}",
        f"SELECT {odd}, COUNT(*) FROM visits",
        odd,
    ):
        try:
            query = select(text)
        except QueryError:
            continue
        assert isinstance(query, Query)
