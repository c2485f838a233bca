"""One SELECT of groups and aggregates is a question: what its words mean.

Whole questions of analysts, with their plans and prices, are in ``corpus``.
"""

from fractions import Fraction

import pytest

from discreet.errors import DiscreetError, QueryError
from discreet.measures.measure import Aggregate
from discreet.measures.registry import PEOPLE
from discreet.plan.expressions import Calculation, Compared, Constant, Named
from discreet.plan.schema import Schema
from discreet.question.builder import col, people, rows, when
from discreet.question.check import checked_question
from discreet.question.query import GroupKey, PostProcessing, Query
from discreet.sql.read.select import parse_select
from tests.sql.corpus.schemas import LOG, PERSONS, RATINGS, VISITS
from tests.support.cases import each

STAY = col("stay")


def select(text: str, schema: Schema = VISITS) -> Query:
    """The question of a text, checked."""
    query = parse_select(text, schema)
    checked_question(query, schema)
    return query


def refused(text: str, schema: Schema = VISITS) -> str:
    """The message with which a text is refused."""
    with pytest.raises(DiscreetError) as caught:
        checked_question(parse_select(text, schema), schema)
    return str(caught.value)


LONG = when(STAY > 7).then(1).otherwise(0)


@each(
    ("text", "name", "meant"),
    [
        ("COUNT(*)", "count", rows()),
        ("COUNT()", "count", rows()),
        ("count(1)", "count", rows()),
        ("COUNT(patient_id)", "count", rows()),
        ("ROWS()", "count", rows()),
        ("PEOPLE()", "people", people()),
        ("COUNT(DISTINCT patient_id)", "people", people()),
        ("COUNT(DISTINCT visits.patient_id)", "people", people()),
        ("COUNT(DISTINCT (patient_id))", "people", people()),
        (
            "COUNT(DISTINCT CASE WHEN smoker THEN patient_id END)",
            "people_smoker",
            people(col("smoker")),
        ),
        ("COUNT(stay)", "count_stay", STAY.count()),
        ("COUNT(DISTINCT stay)", "count_distinct_stay", STAY.n_unique()),
        ("N_UNIQUE(stay)", "count_distinct_stay", STAY.n_unique()),
        ("SUM(stay)", "sum_stay", STAY.sum()),
        ("SUM(stay * 2)", "sum_stay_2", (STAY * 2).sum()),
        ("AVG(stay)", "avg_stay", STAY.mean()),
        ("MEAN(stay)", "avg_stay", STAY.mean()),
        ("VAR(stay)", "var_stay", STAY.var()),
        ("VAR_POP(stay)", "var_stay", STAY.var()),
        ("VAR_SAMP(stay)", "var_stay", STAY.var()),
        ("VARIANCE(stay)", "var_stay", STAY.var()),
        ("STD(stay)", "stddev_stay", STAY.std()),
        ("STDDEV(stay)", "stddev_stay", STAY.std()),
        ("STDDEV_POP(stay)", "stddev_stay", STAY.std()),
        ("STDDEV_SAMP(stay)", "stddev_stay", STAY.std()),
        ("MIN(stay)", "min_stay", STAY.min()),
        ("MAX(stay)", "max_stay", STAY.max()),
        ("MEDIAN(stay)", "median_stay", STAY.median()),
        ("QUANTILE(stay, 0.9)", "p90_stay", STAY.quantile(0.9)),
        ("QUANTILE_CONT(stay, 0.9)", "p90_stay", STAY.quantile(0.9)),
        ("APPROX_QUANTILE(stay, 0.9)", "p90_stay", STAY.quantile(0.9)),
        ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY stay)", "p90_stay", STAY.quantile(0.9)),
        ("AVG(CASE WHEN stay > 7 THEN 1 ELSE 0 END) AS long", "long", LONG.mean()),
        ('AVG(stay) "mean stay"', "mean stay", STAY.mean()),
        (
            "COUNT(*) FILTER (WHERE smoker) AS n",
            "n",
            when(col("smoker")).then(1).otherwise(None).count(),
        ),
    ],
)
def test_an_aggregate_means_what_python_would_say(text, name, meant):
    assert select(f"SELECT {text} FROM visits") == Query(outputs=((name, meant.aggregate),))


def test_an_aggregate_that_is_asked_twice_is_measured_once():
    query = select("SELECT COUNT(*), COUNT(*) AS n, ROWS() + 1 AS more, AVG(stay) FROM visits")
    assert [name for name, _ in query.outputs] == ["count", "avg_stay"]
    assert [name for name, _ in query.after.columns] == ["count", "n", "more", "avg_stay"]


def test_names_that_were_not_given_are_made_unique():
    query = select("SELECT COUNT(*), AVG(age) AS count, SUM(stay) / 2, SUM(stay) / 3 FROM visits")
    assert [name for name, _ in query.outputs] == ["count_2", "count", "sum_stay"]
    assert [name for name, _ in query.after.columns] == [
        "count_2",
        "count",
        "sum_stay_2",
        "sum_stay_3",
    ]


def test_columns_that_are_equal_have_names_of_their_own():
    query = select("SELECT COUNT(*), COUNT(*), COUNT(*) FROM visits")
    assert query.outputs == (("count", rows().aggregate),)
    assert query.text == "count = rows() SHOW count, count AS count_2, count AS count_3"


def test_a_name_without_capitals_finds_its_column_and_the_answer_keeps_the_analysts():
    query = select("SELECT WARD, AVG(Stay) FROM Visits AS V GROUP BY v.Ward")
    assert query.keys == (GroupKey("WARD", Named("ward")),)
    assert query.outputs == (("avg_stay", STAY.mean().aggregate),)


WARD = (GroupKey("ward", col("ward").node),)
IS_LONG = GroupKey("long", (STAY > 7).node)
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
        ("SELECT stay > 7 AS long, COUNT(*) FROM visits GROUP BY long", (IS_LONG,)),
        ("SELECT stay > 7 AS long, COUNT(*) FROM visits GROUP BY LONG", (IS_LONG,)),
        ("SELECT stay > 7 AS long, COUNT(*) FROM visits GROUP BY stay > 7", (IS_LONG,)),
        ("SELECT stay > 7 AS long, ward, COUNT(*) FROM visits GROUP BY 2, 1", (IS_LONG, *WARD)),
        ("SELECT stay > 7, COUNT(*) FROM visits GROUP BY 1", (GroupKey("stay > 7", IS_LONG.of),)),
        (
            "SELECT BINS(age, 0, 18, 65), COUNT(*) FROM visits GROUP BY bins(age, 0, 18, 65)",
            (GroupKey("age", col("age").node, BINS),),
        ),
        (
            "SELECT BINS(age, 0, 18, 65) AS band, COUNT(*) FROM visits GROUP BY band",
            (GroupKey("band", col("age").node, BINS),),
        ),
        (
            "SELECT BINS(admitted, DATE '2020-01-01', '2021-01-01') AS y, ROWS() FROM visits "
            "GROUP BY y",
            (GroupKey("y", col("admitted").node, (Fraction(18262), Fraction(18628)), True),),
        ),
    ],
)
def test_groups_are_named_by_column_position_alias_or_expression(text, keys):
    assert select(text) == Query(keys=keys, outputs=(("count", rows().aggregate),))


def test_where_keeps_rows_condition_by_condition():
    query = select(
        "SELECT COUNT(*) FROM visits WHERE (visits.stay > 2 AND ward = 'ICU') AND smoker"
    )
    assert query.where == ((STAY > 2).node, (col("ward") == "ICU").node, Named("smoker"))


COUNTED = (("n", rows().aggregate), ("m", STAY.mean().aggregate))
N, M = Named("n"), Named("m")


@pytest.mark.parametrize(
    ("end", "after"),
    [
        ("HAVING n > 10", PostProcessing(having=Compared(">", N, Constant(Fraction(10))))),
        ("HAVING COUNT(*) > 10", PostProcessing(having=Compared(">", N, Constant(Fraction(10))))),
        (
            "HAVING ward = 'ICU'",
            PostProcessing(having=Compared("=", Named("ward"), Constant("ICU"))),
        ),
        ("ORDER BY n", PostProcessing(order=((N, False),))),
        ("ORDER BY 2 DESC", PostProcessing(order=((N, True),))),
        (
            "ORDER BY COUNT(*) DESC NULLS LAST, ward",
            PostProcessing(order=((N, True), (Named("ward"), False))),
        ),
        (
            "ORDER BY m / n",
            PostProcessing(order=((Calculation("/", M, N), False),)),
        ),
        ("LIMIT 3", PostProcessing(limit=3)),
        ("ORDER BY m DESC LIMIT 3 OFFSET 2", PostProcessing(order=((M, True),), limit=3, offset=2)),
        ("OFFSET 2", PostProcessing(offset=2)),
    ],
)
def test_what_is_done_afterwards_is_about_released_numbers(end, after):
    start = "SELECT ward, COUNT(*) AS n, AVG(stay) AS m FROM visits GROUP BY ward"
    assert select(f"{start} {end}") == Query(keys=WARD, outputs=COUNTED, after=after)


def test_an_aggregate_of_having_or_order_by_alone_is_measured_and_not_shown():
    query = select("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY AVG(stay)")
    assert query.outputs == (("n", rows().aggregate), ("avg_stay", STAY.mean().aggregate))
    assert query.after == PostProcessing(columns=(("n", N),), order=((Named("avg_stay"), False),))


def test_an_unnamed_count_can_be_ordered_by():
    text = "SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1"
    assert select(text).after == PostProcessing(order=((Named("count"), True),), limit=1)


def test_a_row_by_row_subquery_is_written_out():
    flat = select("SELECT ward, AVG(stay * 24) AS h FROM visits WHERE age > 18 GROUP BY ward")
    for text in (
        "SELECT ward, AVG(hours) AS h FROM (SELECT ward, stay * 24 AS hours FROM visits "
        "WHERE age > 18) GROUP BY ward",
        "WITH v AS (SELECT * FROM visits WHERE age > 18) SELECT ward, AVG(stay * 24) AS h FROM v "
        "GROUP BY ward",
        "WITH a AS (SELECT ward, stay, age FROM visits), b AS (SELECT * FROM a WHERE age > 18) "
        "SELECT b.ward, AVG(b.stay * 24) AS h FROM b GROUP BY b.ward",
    ):
        assert select(text) == flat


def test_a_subquery_of_each_person_sums_up_that_persons_rows():
    query = select(
        "SELECT AVG(total) AS m FROM (SELECT patient_id, SUM(cost) AS total FROM visits "
        "WHERE smoker GROUP BY patient_id HAVING COUNT(*) > 1) WHERE total > 10"
    )
    assert query.text == (
        "m = mean(total) FROM (SELECT total = sum(cost), count = rows() FROM visits "
        "WHERE (smoker) PER PERSON) "
        "WHERE (count > 1) AND (total > 10)"
    )


def test_the_id_of_the_side_that_may_be_missing_is_refused():
    start = "FROM users AS u LEFT JOIN requests AS r ON u.id = r.user_id"
    for text in (
        f"SELECT COUNT(r.user_id) {start}",
        f"SELECT COUNT(DISTINCT r.user_id) {start}",
        f"SELECT COUNT(DISTINCT user_id) {start}",
        f"SELECT COUNT(*) {start} WHERE r.user_id IS NULL",
        f"SELECT COUNT(*) {start} JOIN requests AS s ON s.user_id = r.user_id",
        f"SELECT AVG(n) FROM (SELECT r.user_id, COUNT(*) AS n {start} GROUP BY r.user_id)",
        f"SELECT COUNT(x.user_id) FROM (SELECT r.user_id {start}) AS x",
    ):
        assert "missing where a row of the LEFT JOIN has no partner" in refused(text, LOG)
    for text in (
        f"SELECT COUNT(DISTINCT u.id), COUNT(r.hour), COUNT(*) {start} WHERE r.hour IS NULL",
        f"SELECT COUNT(*) {start} JOIN requests AS s ON s.user_id = u.id",
        f"SELECT AVG(n) FROM (SELECT u.id, COUNT(r.hour) AS n {start} GROUP BY u.id)",
    ):
        select(text, LOG)
    merged = "SELECT COUNT(DISTINCT user_id) FROM users LEFT JOIN ratings USING (user_id)"
    assert select(merged, RATINGS).outputs == (("people", people().aggregate),)


def test_every_row_has_an_id():
    assert parse_select("SELECT COUNT(*) FROM visits WHERE patient_id IS NULL", VISITS).where == (
        Constant(False),
    )
    assert "true of no row" in refused("SELECT COUNT(*) FROM visits WHERE patient_id IS NULL")
    assert "says whose row it is" in refused("SELECT COUNT(*) FROM visits WHERE patient_id > 3")


def test_the_unit_row_has_no_column_to_count():
    assert "there is no column 'row'" in refused(
        'SELECT COUNT(DISTINCT "row") FROM persons', PERSONS
    )
    assert select("SELECT PEOPLE() FROM persons", PERSONS).outputs == (
        ("people", Aggregate(PEOPLE)),
    )


@each(
    ("text", "said"),
    [
        ("SELECT ward, COUNT(*) FROM visits GROUP BY 2", "position '2'"),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY n", "'n', which is an aggregate"),
        ("SELECT FLOOR(age) AS age, COUNT(*) FROM visits GROUP BY age", "both a column and an al"),
        ("SELECT BINS(age, 18, stay), COUNT(*) FROM visits GROUP BY 1", "A written value stands"),
        ("SELECT BINS(age), COUNT(*) FROM visits GROUP BY 1", "increasing"),
        ("SELECT QUANTILE(stay, age) FROM visits", "A written value stands"),
        ("SELECT QUANTILE(stay) FROM visits", "between 0 and 1"),
        ("SELECT MAX(stay, 3) FROM visits", "The aggregates are"),
        ("SELECT PEOPLE(stay) FROM visits", "Write PEOPLE()"),
        ("SELECT COUNT(*) FROM visits WHERE COUNT(*) > 2", "Write HAVING for released numbers"),
        ("SELECT COUNT(*)", "the SELECT has no FROM"),
        ("SELECT", "a SELECT has no columns"),
        (
            "SELECT COUNT(*) FROM visits JOIN (SELECT FROM patients) AS p USING (patient_id)",
            "no col",
        ),
        ("SELECT COUNT(*) FROM visits AS v(a)", "'v' before a bracket"),
        ("SELECT COUNT(visits.stay) FROM visits AS v", "qualified by 'visits'"),
        ("SELECT MEAN(AVG(stay)) FROM visits", "not inside each other"),
        ("SELECT ward, SUM(stay) + AVG(ward) FROM visits GROUP BY ward", "the mean of a text"),
        ("SELECT ward, COUNT(*) AS ward FROM visits GROUP BY 1", "named 'ward'"),
        ("SELECT COUNT(*) AS n, AVG(stay) AS n_lower FROM visits", "named 'n_lower'"),
        ("SELECT AVG(stay) AS n_lower, COUNT(*) AS n FROM visits", "named 'n_lower'"),
        ("SELECT COUNT(*) + 1 AS n, COUNT(*) + 2 AS n FROM visits", "named 'n'"),
        ("SELECT ward, COUNT(*) + 1 AS ward FROM visits GROUP BY 1", "named 'ward'"),
        ('SELECT COUNT(*) + 1 AS "" FROM visits', "named ''"),
        ('SELECT COUNT(*) + 1 AS "a\tb" FROM visits', "printable"),
        ("SELECT COUNT(*) + 1 AS " + "n" * 201 + " FROM visits", "Names are 1 to 200 printable"),
        ("SELECT MAX() FROM visits", "The aggregates are"),
        ("SELECT AVG(FLOOR()) FROM visits", "without a value"),
        (
            "SELECT COUNT(*) FROM (SELECT stay, patient_id AS x, age AS patient_id FROM visits)",
            "for an id",
        ),
        ("stay > 2", "starts with 'stay'"),
    ],
)
def test_what_a_select_does_not_offer_is_refused_with_what_it_does(text, said):
    assert said in refused(text)


def test_a_text_that_is_no_text_is_refused():
    for text in (None, 3, b"SELECT 1", ["SELECT 1"]):
        with pytest.raises(QueryError, match="not a text"):
            parse_select(text, VISITS)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (
            "SELECT ward, COUNT(*) AS n, SUM(stay) AS s, s / n AS mean FROM visits GROUP BY ward",
            "SELECT ward, COUNT(*) AS n, SUM(stay) AS s, SUM(stay) / COUNT(*) AS mean FROM visits "
            "GROUP BY ward",
        ),
        (
            "SELECT ward, n - 1 AS others, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY others",
            "SELECT ward, COUNT(*) - 1 AS others, COUNT(*) AS n FROM visits GROUP BY ward "
            "ORDER BY others",
        ),
        (
            "SELECT COUNT(*) AS n, CASE WHEN N > 9 THEN 1 ELSE 0 END AS many FROM visits",
            "SELECT COUNT(*) AS n, CASE WHEN COUNT(*) > 9 THEN 1 ELSE 0 END AS many FROM visits",
        ),
    ],
)
def test_a_column_is_computed_from_those_that_are_named_in_the_select(text, same):
    assert select(text).after == select(same).after
    assert select(text).outputs == select(same).outputs


def test_the_name_of_a_column_of_from_stands_for_that_column():
    said = refused("SELECT ward, COUNT(*) AS stay, stay * 2 AS twice FROM visits GROUP BY ward")
    assert "'stay * 2', which is neither an aggregate nor in GROUP BY" in said


def test_a_name_of_an_aggregate_does_not_bring_rows_with_it():
    said = refused("SELECT ward, COUNT(*) AS n, n + age AS z FROM visits GROUP BY ward")
    assert "'age' stands among released numbers" in said


@pytest.mark.parametrize("asked", ["COUNT(*) / 0", "100 + SUM(stay) / 0.0", "COUNT(*) AS n, n / 0"])
def test_a_released_number_is_not_divided_by_0(asked):
    """It would cost its price, and show nothing."""
    assert "a division by 0." in refused(f"SELECT ward, {asked} FROM visits GROUP BY ward")
    assert refused(f"SELECT ward, {asked} FROM visits GROUP BY ward").startswith("line 1, column ")
