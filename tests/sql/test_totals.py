"""What SQL says of totals: tables whose totals agree, running totals, and what is refused."""

import pytest

from discreet.errors import QueryError
from discreet.plan.schema import Schema, boolean, category, integer, number
from discreet.question.arrangements import MOST_TABLES
from discreet.question.check import checked_question
from discreet.question.query import GroupingSets, Query, RunningTotal
from discreet.sql.read.select import parse_select
from tests.support.cases import each

DECLARED = Schema(
    name="t",
    columns={
        "ward": category(["A", "B"]),
        "smoker": boolean(),
        "age": integer(0, 9),
        "stay": number(0, 60),
        "day": integer(1, 3000),
    },
)


def asked(text: str) -> Query:
    query = parse_select(text, DECLARED)
    checked_question(query, DECLARED)
    return query


def test_the_keys_of_tables_are_those_of_the_answer() -> None:
    query = asked("SELECT COUNT(*), smoker AS s FROM t GROUP BY ROLLUP (ward, s)")
    assert [key.name for key in query.keys] == ["ward", "s"]
    assert query.arranged == GroupingSets(((0, 1), (0,), ()))


def test_keys_in_another_order_are_the_same_tables() -> None:
    one = asked("SELECT ward, smoker, COUNT(*) FROM t GROUP BY GROUPING SETS ((smoker, ward), ())")
    assert one.arranged == GroupingSets(((0, 1), ()))


@each(
    "text, twin",
    [
        (
            "SELECT ward, COUNT(*) FROM t GROUP BY ward UNION ALL SELECT 'all', COUNT(*) FROM t",
            "SELECT ward, COUNT(*) FROM t GROUP BY GROUPING SETS ((ward), ())",
        ),
        (
            "SELECT 'Total' AS w, COUNT(*) AS n FROM t UNION ALL SELECT ward, COUNT(*) FROM t "
            "GROUP BY 1 ORDER BY n DESC LIMIT 5",
            "SELECT ward AS w, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((), (w)) "
            "ORDER BY n DESC LIMIT 5",
        ),
        (
            "SELECT ward, smoker, SUM(stay) AS s FROM t WHERE age > 3 GROUP BY ALL "
            "UNION ALL SELECT ward, NULL, SUM(stay) FROM t WHERE age > 3 GROUP BY ward "
            "UNION ALL SELECT NULL, NULL, SUM(stay) FROM t WHERE age > 3",
            "SELECT ward, smoker, SUM(stay) AS s FROM t WHERE age > 3 "
            "GROUP BY ROLLUP (ward, smoker)",
        ),
        (
            "WITH u AS (SELECT * FROM t WHERE smoker) SELECT ward, COUNT(*) AS n FROM u "
            "GROUP BY ward UNION ALL SELECT 0, COUNT(*) FROM u",
            "WITH u AS (SELECT * FROM t WHERE smoker) SELECT ward, COUNT(*) AS n FROM u "
            "GROUP BY GROUPING SETS ((ward), ())",
        ),
    ],
)
def test_a_union_with_totals_is_one_question_by_grouping_sets(text: str, twin: str) -> None:
    assert asked(text).text == asked(twin).text


_OF_WARDS = "SELECT ward, COUNT(*) AS n FROM t GROUP BY ward UNION ALL"


@each(
    "text, fact",
    [
        (f"{_OF_WARDS} SELECT 'all', COUNT(*) FROM t WHERE smoker", "of different rows"),
        (f"{_OF_WARDS} SELECT ward, COUNT(*) FROM t GROUP BY ward", "one table twice"),
        (f"{_OF_WARDS} SELECT 'all', COUNT(stay) FROM t", "column 2 of a part"),
        (f"{_OF_WARDS} SELECT 'all', 3 FROM t", "column 2 of a part"),
        (f"{_OF_WARDS} SELECT smoker, COUNT(*) FROM t GROUP BY smoker", "column 1 of a part"),
        (f"{_OF_WARDS} SELECT 'all', COUNT(*) FROM t GROUP BY ward", "does not show"),
        (f"{_OF_WARDS} SELECT COUNT(*) FROM t", "numbers of columns"),
        (f"{_OF_WARDS} SELECT 'all', COUNT(*) FROM t HAVING COUNT(*) > 3", "has a part"),
        (f"{_OF_WARDS} SELECT ward, COUNT(*) FROM t GROUP BY CUBE (ward)", "several tables"),
        (" UNION ALL ".join(["SELECT COUNT(*) FROM t"] * 17), "more than 16"),
        ("SELECT COUNT(*) FROM t UNION ALL SELECT COUNT(*) FROM t", "one table twice"),
        ("SELECT ward, COUNT(*) FROM t GROUP BY 1 UNION SELECT 'a', COUNT(*) FROM t", "a second"),
        (
            "SELECT COUNT(*) FROM (SELECT age FROM t UNION ALL SELECT age FROM t) AS u",
            "must be one SELECT",
        ),
    ],
)
def test_other_unions_are_refused(text: str, fact: str) -> None:
    with pytest.raises(QueryError, match=r".") as refused:
        asked(text)
    assert fact in str(refused.value)


@each(
    "over",
    [
        "ORDER BY age",
        "ORDER BY 1 + age - 1",
        "ORDER BY age ROWS UNBOUNDED PRECEDING",
        "ORDER BY age RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    ],
)
def test_a_window_over_released_groups_is_a_running_total(over: str) -> None:
    group = "1 + age - 1" if "1 +" in over else "age"
    query = asked(f"SELECT {group}, SUM(COUNT(*)) OVER ({over}) AS r FROM t GROUP BY {group}")
    assert query.arranged == RunningTotal(0)


def test_groups_by_themselves_stand_beside_running_totals() -> None:
    query = asked(
        "SELECT ward, age AS a, COUNT(*) AS n, "
        "SUM(COUNT(*)) OVER (PARTITION BY ward ORDER BY a) AS upto FROM t GROUP BY ward, a"
    )
    assert query.arranged == RunningTotal(1, ("n",))
    assert [name for name, _ in query.outputs] == ["n", "upto"]


@each(
    "text, fact",
    [
        ("SELECT age, SUM(stay) OVER (ORDER BY age) FROM t", "a window over rows"),
        ("SELECT age, MAX(COUNT(*)) OVER () FROM t GROUP BY age", "SUM, AVG, COUNT(*), LAG, LEAD"),
        ("SELECT age, RANK() OVER () FROM t GROUP BY age", "a window over rows"),
        (
            "SELECT age, RANK(1) OVER (ORDER BY COUNT(*)) FROM t GROUP BY age",
            "nothing between its brackets",
        ),
        (
            "SELECT age, LAG(COUNT(*)) OVER () FROM t GROUP BY age",
            "LAG follows an order of groups",
        ),
        (
            "SELECT age, LAG(COUNT(*), 0) OVER (ORDER BY age) FROM t GROUP BY age",
            "how far away",
        ),
        (
            "SELECT age, LAG(COUNT(*), 1, 0) OVER (ORDER BY age) FROM t GROUP BY age",
            "how far away",
        ),
        (
            "SELECT age, LAG(COUNT(*)) OVER (ORDER BY age ROWS 2 PRECEDING) FROM t GROUP BY age",
            "LAG takes no ROWS BETWEEN",
        ),
        (
            "SELECT age, SUM(SUM(COUNT(*)) OVER ()) OVER () FROM t GROUP BY age",
            "not taken of another one",
        ),
        (
            "SELECT age, SUM(COUNT(*)) OVER (ROWS 2 PRECEDING) FROM t GROUP BY age",
            "A frame is ROWS BETWEEN",
        ),
        (
            "SELECT age, AVG(COUNT(*)) OVER (ORDER BY age RANGE BETWEEN 2 PRECEDING AND CURRENT "
            "ROW) FROM t GROUP BY age",
            "A frame is ROWS BETWEEN",
        ),
        (
            "SELECT age, AVG(COUNT(*)) OVER (ORDER BY age ROWS BETWEEN 1 FOLLOWING AND 1 "
            "PRECEDING) FROM t GROUP BY age",
            "begins before it ends",
        ),
        (
            "SELECT age, AVG(COUNT(*)) OVER (ORDER BY age NULLS FIRST) FROM t GROUP BY age",
            "come last in an order",
        ),
        (
            "SELECT age, AVG(COUNT(*)) OVER (PARTITION BY smoker ORDER BY age) FROM t GROUP BY age",
            "smoker",
        ),
        (
            "SELECT day, AVG(COUNT(*)) OVER (ORDER BY day) FROM t GROUP BY day",
            "Write a shorter frame",
        ),
        (
            "SELECT ward, age, SUM(COUNT(*)) OVER (ORDER BY age) FROM t GROUP BY ward, age",
            "for each of the others",
        ),
        (
            "SELECT age, SUM(COUNT(*)) OVER (ORDER BY stay) FROM t GROUP BY age",
            "Running totals go along one group",
        ),
        (
            "SELECT age, SUM(COUNT(*)) OVER (ORDER BY age) FROM t GROUP BY ROLLUP (age)",
            "several tables",
        ),
        ("SELECT SUM(COUNT(*)) OVER (ORDER BY ward) FROM t GROUP BY ward", "have no order"),
        ("SELECT ward, COUNT(*) FROM t GROUP BY CUBE (age)", "neither an aggregate nor in GROUP"),
        ("SELECT COUNT(*) FROM t GROUP BY ward WITH CUBE", "WITH CUBE"),
        ("SELECT ward, GROUPING(ward, age) FROM t GROUP BY CUBE (ward, age)", "GROUPING"),
        ("SELECT ward, GROUPING(stay), COUNT(*) FROM t GROUP BY CUBE (ward)", "stay"),
        ("SELECT COUNT(*) FROM t WHERE GROUPING(ward) = 1 GROUP BY CUBE (ward)", "WHERE has"),
        (f"SELECT COUNT(*) FROM t GROUP BY CUBE ({', '.join(['ward'] * 20)})", f"{MOST_TABLES:,}"),
    ],
)
def test_what_is_no_total_of_released_groups_is_refused(text: str, fact: str) -> None:
    with pytest.raises(QueryError, match=r".") as refused:
        asked(text)
    assert fact in str(refused.value)
