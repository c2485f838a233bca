"""Lists of quantiles, counts by conditions, parameters by name, and tables that are not public."""

from collections.abc import Iterator
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.dbapi import statements
from discreet.question.check import checked_question
from discreet.sql.read.parameters import bind_names
from discreet.sql.read.select import parse_select


@pytest.fixture(scope="module")
def visits() -> Iterator[dp.Table]:
    stays = [place % 31 for place in range(6_200)]
    frame = pandas.DataFrame(
        {"stay": stays, "ward": ["A", "B"] * 3_100, "patient": [n // 2 for n in range(6_200)]}
    )
    columns = {"stay": dp.number(0, 30), "ward": dp.category(["A", "B"])}
    with dp.table(
        frame,
        name="visits",
        unit="patient",
        max_rows=2,
        max_groups=2,
        budget=dp.Budget(epsilon=8, delta="1e-3"),
        columns=columns,
        ledger=":memory:",
    ) as table:
        yield table


def names(table: dp.Table, text: str) -> list[str]:
    return [line.output for line in table.ask(text).plan(epsilon=1).lines]


# ---------------------------------------------------------------------- lists of quantiles


def test_a_list_of_quantiles_is_several_columns(visits: dp.Table) -> None:
    text = (
        "SELECT ward, QUANTILE(stay, [0.25, 0.5, 0.75]) AS q, COUNT(*) AS n FROM visits GROUP BY 1"
    )
    answer: Any = visits.sql(text, epsilon=1)
    assert list(answer.columns) == ["q_0.25", "q_0.5", "q_0.75", "n"]
    assert len(answer) == 2
    frame = answer.to_pandas()
    assert abs(frame["q_0.5"][0] - 15) < 3
    assert names(visits, "SELECT QUANTILE(stay, [0.75, 0.25]) FROM visits") == [
        "quantile_stay_0.25",
        "quantile_stay_0.75",
    ]


def test_it_is_what_python_asks(visits: dp.Table) -> None:
    in_python = visits.agg(q=dp.col("stay").quantile([0.25, 0.75]))
    in_sql = visits.ask("SELECT QUANTILE(stay, [0.25, 0.75]) AS q FROM visits")
    assert in_python.query.outputs == in_sql.query.outputs


def test_one_list_twice_is_paid_once(visits: dp.Table) -> None:
    text = "SELECT QUANTILE(stay, [0.2, 0.4]) AS a, QUANTILE(stay, [0.2, 0.4]) AS b FROM visits"
    answer: Any = visits.sql(text, epsilon=1)
    assert list(answer.columns) == ["a_0.2", "a_0.4", "b_0.2", "b_0.4"]
    frame = answer.to_pandas()
    assert frame["a_0.2"][0] == frame["b_0.2"][0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT QUANTILE(stay, [0.2, 0.4]) - 1 AS a FROM visits", "several numbers"),
        ("SELECT QUANTILE(stay, [0.2, 0.4]) AS a FROM visits ORDER BY a", "several numbers"),
        ("SELECT QUANTILE(stay, [0.2, 0.4]) AS a FROM visits ORDER BY 1", "several numbers"),
        ("SELECT COUNT(*) FROM visits HAVING QUANTILE(stay, [0.2, 0.4]) > 1", "several numbers"),
        ("SELECT QUANTILE(stay, [0.2, 0.2]) AS a FROM visits", "one twice"),
        ("SELECT QUANTILE(stay, [0.2, 1]) AS a FROM visits", "between 0 and 1"),
        ("SELECT QUANTILE(stay, []) AS a FROM visits", "not offered"),
        ("SELECT QUANTILE(stay, [0.2, [0.4]]) AS a FROM visits", "not offered"),
        ("SELECT QUANTILE(stay, [stay]) AS a FROM visits", "not offered"),
        ("SELECT [1, 2] FROM visits", "not offered"),
        ("SELECT COUNT(*) FROM visits WHERE ROUND(stay, [1, 2]) > 1", "not offered"),
        (
            'SELECT QUANTILE(stay, [0.2, 0.4]) AS a, COUNT(*) AS "a_0.2" FROM visits',
            "named 'a_0.2'",
        ),
    ],
)
def test_a_list_elsewhere_is_refused(visits: dp.Table, text: str, said: str) -> None:
    with pytest.raises(dp.QueryError, match=said):
        visits.ask(text).plan(epsilon=1)


# ---------------------------------------------------------------------- counts by conditions


def test_rows_and_people_by_conditions_are_those_of_filter(visits: dp.Table) -> None:
    short = visits.ask("SELECT ROWS(stay > 7) AS n, PEOPLE(stay > 7) AS p FROM visits")
    long = visits.ask(
        "SELECT COUNT(*) FILTER (WHERE stay > 7) AS n, PEOPLE() FILTER (WHERE stay > 7) AS p "
        "FROM visits"
    )
    assert short.query.outputs == long.query.outputs
    in_python = visits.agg(n=dp.rows(dp.col("stay") > 7), p=dp.people(dp.col("stay") > 7))
    assert in_python.query.outputs == long.query.outputs


def test_conditions_that_exclude_each_other_share_one_price_in_python_as_well(
    visits: dp.Table,
) -> None:
    stay = dp.col("stay")
    plan = visits.agg(short=dp.rows(stay <= 7), long=dp.rows(stay > 7), n=dp.rows()).plan(epsilon=1)
    assert len(plan.price.priced) == 1
    with pytest.raises(dp.QueryError, match="condition"):
        visits.agg(n=dp.rows(stay)).plan(epsilon=1)
    with pytest.raises(dp.QueryError, match="ROWS"):
        visits.ask("SELECT ROWS(stay > 1, stay > 2) FROM visits")


# ---------------------------------------------------------------------- parameters by name


def test_a_parameter_stands_for_a_value_and_nothing_else(visits: dp.Table) -> None:
    text = "SELECT COUNT(*) AS n FROM visits WHERE stay > :low AND ward = @ward AND stay <> $odd"
    asked = visits.ask(text, {"low": 7, "ward": "A", "odd": 2.5})
    written = "SELECT COUNT(*) AS n FROM visits WHERE stay > 7 AND ward = 'A' AND stay <> 2.5"
    assert asked.query.where == visits.ask(written).query.where
    answer: Any = visits.sql(text, parameters={"low": 7, "ward": "A", "odd": 2.5}, epsilon=1)
    assert answer["n"].value > 0
    free: Any = visits.sql(
        f"EXPLAIN {text}", parameters={"low": 7, "ward": "A", "odd": 2.5}, epsilon=1
    )
    assert free.lines[0].output == "n"


@pytest.mark.parametrize("value", ["it's", "' OR 1=1 --", ":low", "a;b", "/*", "\\"])
def test_a_text_stays_a_text(value: str) -> None:
    bound = bind_names("SELECT ROWS(ward = :word) -- :word\nFROM visits", {"word": value})
    quoted = value.replace("'", "''")
    assert bound == f"SELECT ROWS(ward =  '{quoted}' ) -- :word\nFROM visits"


def test_a_cast_and_a_quoted_colon_are_no_parameters() -> None:
    text = "SELECT ROWS(stay::INTEGER > :a AND ward = ':b') FROM visits"
    assert bind_names(text, {"a": 1}) == text.replace(":a", " 1 ")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "no value is given"),
        ({"hogh": 1}, "Did you mean 'hogh'"),
        ({"high": 1, "low": 2}, "'low', which the text does not have"),
        ({"high": object()}, "an object that no SQL value"),
        ({"high": float("nan")}, "that no SQL value"),
        ([1], "a list"),
    ],
)
def test_a_parameter_that_does_not_fit_is_refused(
    visits: dp.Table, parameters: Any, said: str
) -> None:
    with pytest.raises((dp.QueryError, dp.DataError), match=said):
        visits.ask("SELECT ROWS(stay > :high) FROM visits", parameters)


def test_a_connection_takes_names_as_well() -> None:
    text = "SELECT ROWS(stay > :high) FROM visits"
    for one in (text, f"EXPLAIN {text}"):
        assert statements.bind_parameters(one, {"high": 3}) == one.replace(":high", " 3 ")


# ---------------------------------------------------------------------- lists of a public table

WARDS = pandas.DataFrame({"ward": ["A", "B", "C"], "region": ["n", "n", "s"], "beds": [10, 20, 30]})
STAYS = pandas.DataFrame(
    {
        "patient": [place // 3 for place in range(900)],
        "ward": [["A", "B", "C", None][place % 4] for place in range(900)],
        "level": [place % 5 for place in range(900)],
    }
)


@pytest.fixture(scope="module", params=["row", "patient"])
def lists(request: pytest.FixtureRequest) -> Iterator[dp.Table]:
    caps = {} if request.param == "row" else {"max_rows": 3, "max_groups": 3}
    with dp.table(
        STAYS,
        name="stays",
        unit=request.param,
        budget=dp.Budget(epsilon=8),
        columns={"ward": dp.category(["A", "B", "C"]), "level": dp.integer(0, 4)},
        public={"wards": WARDS, "twice": pandas.concat([WARDS, WARDS])},
        ledger=":memory:",
        **caps,
    ) as table:
        yield table


def true_count(table: dp.Table, text: str) -> float:
    """The rows that the engine counts, in the code that ships."""
    question = checked_question(parse_select(text, table.schema), table.schema)
    (measure,) = question.measures
    found = table._engine.measure(question, (measure,), None, question.unit)
    return float(sum(found.of[measure].open()) * measure.step(question.unit))


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("ward IN (SELECT ward FROM wards)", 675),
        ("ward IN (SELECT ward FROM wards WHERE region = 'n')", 450),
        ("ward NOT IN (SELECT ward FROM wards WHERE region = 'n')", 225),
        ("ward IN (SELECT ward FROM wards WHERE beds > 15 AND region = 'n') AND level < 2", 90),
        (
            "ward IN (SELECT ward FROM wards WHERE region = 'n') "
            "AND ward NOT IN (SELECT ward FROM wards WHERE beds = 10)",
            225,
        ),
        ("level * 10 IN (SELECT beds FROM wards)", 540),
    ],
)
def test_rows_are_chosen_by_what_a_public_table_lists(
    lists: dp.Table, where: str, kept: int
) -> None:
    assert true_count(lists, f"SELECT COUNT(*) AS n FROM stays WHERE {where}") == kept


def test_a_list_stands_beside_a_join_and_groups(lists: dp.Table) -> None:
    where = "s.ward IN (SELECT ward FROM wards WHERE region = 's')"
    text = f"SELECT COUNT(*) AS n FROM stays s JOIN wards w ON s.ward = w.ward WHERE {where}"
    assert true_count(lists, text) == 225


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("ward IN (SELECT ward FROM twice)", "write its values out"),
        ("ward IN (SELECT ward FROM wards, nosuch)", "not a column of one public table"),
        ("ward IN (SELECT ward FROM wards TABLESAMPLE 10%)", "not a column of one public table"),
        ("ward IN (SELECT ward FROM wards WHERE level > 3)", "there is no column 'level'"),
        ("ward IN (SELECT ward FROM wards) OR level > 3", "join the table"),
        ("level IN (SELECT level FROM stays)", "subquery after 'IN'"),
        ("ward IN (SELECT beds FROM wards)", "values of one kind"),
        ("ward IN (SELECT UPPER(ward) FROM wards)", "subquery after 'IN'"),
    ],
)
def test_another_list_is_refused(lists: dp.Table, where: str, said: str) -> None:
    with pytest.raises(dp.QueryError, match=said):
        lists.ask(f"SELECT COUNT(*) FROM stays WHERE {where}").plan(epsilon=1)


# ---------------------------------------------------------------------- what is not public


def opened(public: pandas.DataFrame) -> dp.Table:
    frame = pandas.DataFrame({"patient": [1, 1, 2], "stay": [1.0, 2.0, 3.0]})
    return dp.table(
        frame,
        name="visits",
        unit="patient",
        max_rows=2,
        budget=dp.Budget(epsilon=1),
        columns={"stay": dp.number(0, 30)},
        public={"patients": public},
        ledger=":memory:",
    )


def test_a_public_table_about_the_same_people_is_refused_with_the_right_remedy() -> None:
    about_people = pandas.DataFrame({"patient": [1, 2], "sex": ["f", "m"]})
    with pytest.raises(dp.PolicyError, match="whose row it is") as refused:
        opened(about_people)
    assert "private={'patients'" in str(refused.value)
    with opened(about_people.rename(columns={"patient": "pid"})) as table:
        text = "SELECT sex, COUNT(*) FROM visits v JOIN patients p ON v.patient = p.pid GROUP BY 1"
        with pytest.raises(dp.QueryError, match=r"under \[private.patients\]"):
            table.ask(text)


def test_a_query_of_with_is_no_public_table_behind_in(lists: dp.Table) -> None:
    """Its name would otherwise mean two tables."""
    text = (
        "WITH wards AS (SELECT ward FROM stays WHERE level > 3) "
        "SELECT COUNT(*) AS n FROM stays WHERE ward IN (SELECT ward FROM wards)"
    ).replace("stays", lists.name)
    with pytest.raises(dp.QueryError, match="not a column of one public table"):
        lists.ask(text)


def test_a_missing_time_is_no_parameter() -> None:
    with pytest.raises(dp.DataError, match="no SQL value stands for"):
        bind_names("SELECT COUNT(*) FROM visits WHERE t > :t", {"t": pandas.NaT})
