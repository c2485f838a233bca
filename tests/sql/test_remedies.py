"""What a refusal recommends: in the names of the table that is asked, short, and accepted."""

import re

import pytest

from discreet.errors import DiscreetError
from discreet.plan.schema import (
    Column,
    LookupTable,
    PartnerTable,
    Schema,
    boolean,
    category,
    date,
    integer,
    number,
    text,
)
from discreet.question.check import checked_question
from discreet.question.query import Query
from discreet.sql.read.select import explained, parse_select
from tests.support.cases import each

ORDERS = Schema(
    name="orders",
    columns={
        "shop": category(["s1", "s2"]),
        "channel": category(["web", "desk"]),
        "amount": number(0, 100),
        "express": boolean(),
        "note": text(),
        "day": date("2026-01-01", "2026-12-31"),
    },
    unit="customer_id",
    max_groups=2,
    max_rows=5,
    private={
        "customers": PartnerTable(
            columns={"sex": category(["f", "m"])}, unit="customer_id", max_rows=1
        ),
        "calls": PartnerTable(columns={"minutes": number(0, 60)}, unit="caller", max_rows=3),
    },
    public={
        "shops": LookupTable(
            columns={"shop": category(["s1", "s2"]), "kind": category(["city", "land"])},
            most={"shop": 1},
        )
    },
)
BY_SHOP = "SELECT shop, COUNT(*) FROM orders GROUP BY shop"
SHARE = "100 * COUNT(*) FILTER (WHERE shop = 's1') / COUNT(*)"


def select(question: str) -> Query:
    """A question about orders, checked."""
    query = parse_select(explained(question) or question, ORDERS)
    checked_question(query, ORDERS)
    return query


def refused(question: str) -> str:
    """The message with which a question is refused; it is short, and names this table's columns."""
    with pytest.raises(DiscreetError) as caught:
        select(question)
    said = str(caught.value)
    assert len(said) < 420
    assert not re.search(r"\b(visits|wards?|patient_id|patients|stay|admitted)\b", said)
    return said


def remedy(question: str) -> str:
    return refused(question).rpartition(". ")[2].removesuffix(".")


def where(condition: str) -> str:
    return f"SELECT COUNT(*) FROM orders WHERE {condition}"


@pytest.mark.parametrize(
    "question",
    [
        *("SELECT * FROM orders", "SHOW TABLES", "DESCRIBE orders", "DELETE FROM orders"),
        *("SELECT DISTINCT shop FROM orders", "SELECT amount FROM orders LIMIT 5"),
    ],
)
def test_what_is_no_question_is_answered_with_one_that_works(question):
    assert remedy(question) == f"Write {BY_SHOP}"
    select(BY_SHOP)


def test_without_a_category_the_example_has_no_groups():
    schema = Schema(name="my table", columns={"x": number(0, 1)}, unit="id", max_rows=2)
    with pytest.raises(DiscreetError) as caught:
        parse_select("SHOW TABLES", schema)
    found = str(caught.value).partition("Write ")[2].removesuffix(".")
    assert found == 'SELECT COUNT(*) FROM "my table"'
    checked_question(parse_select(found, schema), schema)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (
            "shop IN (SELECT s.shop FROM shops AS s WHERE s.kind='city')",
            "Join it: FROM orders JOIN shops s USING (shop) WHERE s.kind='city'",
        ),
        (
            "customer_id IN (SELECT customer_id FROM customers WHERE sex = 'f')",
            "Join it by the person: FROM orders JOIN customers USING (customer_id) WHERE sex = 'f'",
        ),
        (
            "customer_id IN (SELECT caller FROM calls)",
            "Join it by the person: FROM orders JOIN (SELECT DISTINCT caller FROM calls …) AS "
            "chosen ON orders.customer_id = chosen.caller",
        ),
        (
            "EXISTS (SELECT 1 FROM customers c WHERE c.customer_id = orders.customer_id)",
            "Join it by the person: FROM orders JOIN (SELECT DISTINCT customer_id FROM customers "
            "…) AS chosen USING (customer_id)",
        ),
        (
            "amount > (SELECT AVG(amount) FROM orders)",
            "Ask for it by itself first, and write what was released in its place",
        ),
        (
            "shop IN (SELECT shop FROM orders WHERE amount > 5)",
            "Ask for it by itself first, and write what was released in its place",
        ),
        (
            "customer_id NOT IN (SELECT customer_id FROM customers)",
            "Ask for all, and for those who are in it, and subtract what was released",
        ),
    ],
)
def test_a_subquery_is_joined(condition, said):
    assert remedy(where(condition)) == said
    if "FROM orders" in said:
        joined = said.partition("FROM orders")[2].replace(" …", "")
        select(f"SELECT COUNT(*) FROM orders {joined}")


def test_a_share_of_the_total_is_asked_by_a_window_or_filter():
    total = "(SELECT COUNT(*) FROM orders)"
    said = refused(f"SELECT shop, COUNT(*) * 100.0 / {total} FROM orders GROUP BY shop")
    assert said.endswith(
        f"Write SUM(COUNT(*)) OVER () for the total of all groups, or {SHARE} for one part."
    )
    select(f"SELECT {SHARE} AS share FROM orders")
    select("SELECT shop, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () FROM orders GROUP BY shop")


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ("orders o, shops s", "Write JOIN shops AS s ON o.shop = s.shop"),
        ("orders o, calls c", "Write JOIN calls AS c ON o.customer_id = c.caller"),
        ("orders CROSS JOIN shops", "Write JOIN shops ON orders.shop = shops.shop"),
    ],
)
def test_a_join_without_a_condition_is_given_one(tables, said):
    found = refused(f"SELECT COUNT(*) FROM {tables}")
    assert found.endswith(f"{said}.")
    first = tables.replace(",", " ").partition(" CROSS")[0].split()[:2]
    select(f"SELECT COUNT(*) FROM {' '.join(first)} {said.removeprefix('Write ')}")


@each(
    ("value", "said"),
    [
        ("STRFTIME(day, '%Y')", "Write DATE_TRUNC('month', d) or MONTH(d)"),
        ("to_char(day, 'YYYY')", "Write DATE_TRUNC('month', d) or MONTH(d)"),
        ("NOW()", "Write the date out: DATE '2026-01-31'"),
        ("COUNT_IF(express)", "Write COUNT(*) FILTER (WHERE …)"),
        ("BOOL_OR(express)", "Write MAX(CASE WHEN … THEN 1 ELSE 0 END)"),
        ("REGEXP_MATCHES(note, 'a')", "Write x LIKE 'A%', or CONTAINS(x, 'A')"),
        ("APPROX_PERCENTILE(amount, 0.5)", "Write QUANTILE(x, 0.9)"),
        ("APPROX_COUNT_DISTINCT(amount)", "Write COUNT(DISTINCT x)"),
        ("MODE(shop)", "Write GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1"),
        ("REPLACE(note, 'a', 'b')", "Write SUBSTRING(x, 1, 3), or x LIKE 'A%'"),
        ("DATE_ADD(day, INTERVAL 7 DAY)", "Write d + INTERVAL '7' DAY"),
        ("LENGHT(note)", "Write LENGTH, if that was meant"),
        ("MEDAIN(amount)", "Write MEDIAN, if that was meant"),
        ("pg_sleep(1)", "Write it with these"),
        ("`shop`", 'Write names in double quotes: "x"'),
        ("[shop]", 'Write names in double quotes: "x"'),
        ("‘s1’", "Write plain quotes: 'text'"),
    ],
)
def test_a_word_of_other_databases_has_a_hint(value, said):
    assert remedy(f"SELECT {value} FROM orders") == said


def test_words_without_brackets_and_totals_have_hints():
    assert remedy(where("day > CURRENT_DATE")) == "Write the date out: DATE '2026-01-31'"
    assert remedy(where("note ~ 'a'")) == "Write x LIKE 'A%', or CONTAINS(x, 'A')"
    for groups in ("shop WITH ROLLUP", "shop WITH CUBE"):
        said = remedy(f"SELECT COUNT(*) FROM orders GROUP BY {groups}")
        assert (
            said == "Write GROUP BY CUBE (a, b), ROLLUP (a, b) or GROUPING SETS ((a, b), (a), ())"
        )
    for groups in ("ROLLUP(shop)", "CUBE(shop)", "GROUPING SETS ((shop), ())"):
        select(f"SELECT COUNT(*) FROM orders GROUP BY {groups}")


@pytest.mark.parametrize("condition", ['shop = "s1"', 'shop IN ("s1")', '"s1" <> shop'])
def test_a_text_in_double_quotes_is_taken_for_one(condition):
    assert remedy(where(condition)) == "Write 's1', if it is a text"


def test_a_text_in_double_quotes_beside_released_names_is_taken_for_one():
    said = remedy(f'{BY_SHOP} HAVING shop = "s1"')
    assert said == "Write 's1', if it is a text"


def test_a_quote_that_is_not_closed_has_a_place():
    said = refused(where("note = 'it's'"))
    assert said.startswith("line 1, column 47: a quote is opened here and never closed.")
    assert "is doubled: 'it''s'" in said
    assert "line 2, column 3: a quote" in refused("SELECT -- it's\n  'COUNT(*) FROM orders")


def test_a_double_quote_that_is_not_closed_is_one_of_a_name():
    said = refused('SELECT COUNT(*) AS "n FROM orders')
    assert said.startswith("line 1, column 20: a double quote is opened here and never closed.")
    assert "it''s" not in said


@each(
    ("condition", "said"),
    [
        ("shop = s1", "Texts stand in single quotes. Write shop = 's1'."),
        ("shop = S1", "Texts stand in single quotes. Write shop = 's1'."),
        ("orders.shop <> s2", "Texts stand in single quotes. Write shop <> 's2'."),
        ("amount > 3 OR s2 = shop", "Texts stand in single quotes. Write 's2' = shop."),
        ("shop IN (s1, s2)", "Texts stand in single quotes. Write 's1'."),
        ("shop = s9", "note, day, customer_id. If it is a text, write 's9'."),
        ("note = hello", "note, day, customer_id. If it is a text, write 'hello'."),
        ("amount = hello", "note, day, customer_id."),
        ("s1 = s2", "note, day, customer_id."),
    ],
)
def test_a_text_without_quotes_is_taken_for_one_beside_a_column_of_texts(condition, said):
    assert refused(where(condition)).endswith(said)


def test_a_text_without_quotes_is_taken_for_one_in_having_and_in_joins():
    said = "Texts stand in single quotes. Write shop = 's1'."
    assert refused(f"{BY_SHOP} HAVING shop = s1").endswith(said)
    for join in ("customers USING (customer_id)", "shops USING (shop)"):
        assert refused(f"SELECT COUNT(*) FROM orders JOIN {join} WHERE shop = s1").endswith(said)
    joined = "SELECT COUNT(*) FROM orders JOIN customers AS c USING (customer_id) WHERE c.sex = f"
    assert refused(joined).endswith("Write sex = 'f'.")


@each(
    ("condition", "said"),
    [
        ("amount = NULL", "amount IS NULL"),
        ("amount <> NULL", "amount IS NOT NULL"),
        ("NULL != amount + 1", "amount + 1 IS NOT NULL"),
        ("note < (NULL)", "note IS NULL"),
        ("NOT shop IN ('s1', NULL)", "shop IS NULL beside the other values"),
    ],
)
def test_a_comparison_with_null_is_one_with_is_null(condition, said):
    assert remedy(where(condition)) == f"Write {said}"


def test_a_column_whose_name_is_a_word_of_sql_stands_in_double_quotes():
    schema = Schema(name="t", columns={"Union": boolean(), "x": number(0, 1)})
    for question in (
        "SELECT union, COUNT(*) FROM t GROUP BY union",
        "SELECT COUNT(*) FROM t WHERE x > 0 AND union",
        "SELECT AVG(union) FROM t",
    ):
        with pytest.raises(DiscreetError) as caught:
            parse_select(question, schema)
        at = question.index("union")
        said = str(caught.value)
        assert said.startswith(
            f"line 1, column {at + 1}: the SQL cannot be read at 'union', a word of SQL."
        )
        assert said.endswith('Write "Union", if the column is meant.')
    checked_question(parse_select('SELECT AVG(x) FROM t WHERE "Union"', schema), schema)
    assert "at 'union', a word of SQL." in refused("SELECT AVG(union) FROM orders")
    assert "Check brackets" in refused("SELECT AVG(union) FROM orders")


def test_a_key_of_using_that_is_not_there_is_compared_with_those_that_are():
    said = refused("SELECT COUNT(*) FROM orders JOIN shops USING (sho)")
    assert said.startswith("line 1, column 47: USING names 'sho'")
    assert "Did you mean 'shop'?" in said
    said = refused("SELECT COUNT(*) FROM orders JOIN customers USING (customer)")
    assert said.startswith("line 1, column 51: USING names 'customer'")
    assert "Did you mean 'customer_id'?" in said


def test_an_empty_question_is_answered_with_a_select():
    assert remedy(" ") == f"Write {BY_SHOP}"


@pytest.mark.parametrize("condition", ["express = 1", "express = 'true'", "1 = express"])
def test_a_truth_value_is_a_condition_itself(condition):
    assert remedy(where(condition)) == "Write express, or express = TRUE"


def test_the_mean_of_a_text_is_refused_in_words_of_sql():
    assert "COUNT(DISTINCT shop)" in refused("SELECT AVG(shop) FROM orders")


def test_single_rows_are_refused_before_groups_are_spoken_of():
    for question in ("SELECT amount FROM orders LIMIT 5", "SELECT customer_id, note FROM orders"):
        assert "Single rows are never released" in refused(question)


def test_every_group_is_in_the_remedy():
    for groups in ("", " GROUP BY shop"):
        said = refused(f"SELECT shop, channel, AVG(amount) FROM orders{groups}")
        assert "Write GROUP BY shop, channel, or" in said


def test_an_unknown_name_after_the_answer_lists_the_answers_columns():
    said = refused("SELECT shop, AVG(amount), COUNT(*) AS n FROM orders GROUP BY shop ORDER BY m")
    assert "in the answer shop, avg_amount, n; in FROM shop, channel," in said
    assert "Existing columns: in FROM shop, channel," in refused("SELECT m + COUNT(*) FROM orders")


@pytest.mark.parametrize("name", ["x", "bare.x"])
def test_a_table_without_columns_has_none_to_name(name):
    bare = Schema(name="bare", columns={}, unit="row")
    for asked in (f"SELECT AVG({name}) FROM bare", f"SELECT COUNT(*) FROM bare WHERE {name} > 1"):
        with pytest.raises(DiscreetError, match=r"Existing columns: none\."):
            checked_question(parse_select(asked, bare), bare)
    said = refused("SELECT shop, COUNT(*) AS total FROM orders GROUP BY shop ORDER BY totl")
    assert "Did you mean 'total'?" in said


def test_a_name_that_is_taken_and_one_that_is_unreadable_are_two_faults():
    said = refused("SELECT AVG(amount) AS a, COUNT(*) AS a FROM orders")
    assert "two columns of the answer are named 'a'" in said
    assert "printable" not in said
    said = refused('SELECT AVG(amount) AS "a\n" FROM orders')
    assert "printable" in said
    assert "two columns" not in said


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("SELECT shop, COUNT(*) % 2 FROM orders GROUP BY shop", 14),
        ("SELECT shop, CASE WHEN COUNT(*) > 5 THEN 'a' END AS t FROM orders GROUP BY shop", 14),
        ("EXPLAIN ANALYZE SELECT COUNT(*) FROM orders", 9),
        ("EXPLAIN SELECT COUNT(*) FROM ordes", 30),
        ("SELECT DISTINCT shop FROM orders", 8),
        ("SELECT shop, COUNT(*) FROM orders GROUP BY shop ORDER BY COUNT(*) % 2", 58),
        ("SELECT shop FROM orders GROUP BY shop", 8),
    ],
)
def test_a_refusal_says_where(question, column):
    assert refused(question).startswith(f"line 1, column {column}: ")


def test_a_group_that_is_not_selected_is_shown_in_front():
    query = select("SELECT channel, COUNT(*) AS n FROM orders GROUP BY shop, channel ORDER BY 2")
    assert query.text == "n = rows() GROUP BY shop, channel ORDER BY n"
    query = select("SELECT AVG(amount) FROM orders GROUP BY shop HAVING shop = 's1' ORDER BY shop")
    assert query.text == "avg_amount = mean(amount) GROUP BY shop HAVING shop = 's1' ORDER BY shop"
    query = select("SELECT COUNT(*) FROM orders GROUP BY YEAR(day)")
    assert [key.name for key in query.keys] == ["YEAR(day)"]


def test_a_group_that_is_not_selected_keeps_its_name():
    schema = Schema(name="t", columns={"count": category(["a", "b"])})
    query = parse_select("SELECT COUNT(*) FROM t GROUP BY count", schema)
    checked_question(query, schema)
    assert [key.name for key in query.keys] == ["count"]
    assert [name for name, _ in query.outputs] == ["count_2"]
    assert "two columns of the answer are named 'shop'" in refused(
        "SELECT COUNT(*) AS shop FROM orders AS o GROUP BY o.shop"
    )


def test_group_by_all_is_everything_that_is_no_aggregate():
    plain = select("SELECT shop, YEAR(day) AS y, COUNT(*) FROM orders GROUP BY shop, y")
    assert select("SELECT shop, YEAR(day) AS y, COUNT(*) FROM orders GROUP BY ALL") == plain
    inner = "SELECT AVG(n) FROM (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY {}) AS p"
    assert select(inner.format("ALL")) == select(inner.format("customer_id"))
    assert "twice" in refused("SELECT shop, shop, COUNT(*) FROM orders GROUP BY ALL")


def test_missing_values_come_last():
    plain = select(f"{BY_SHOP} ORDER BY COUNT(*) DESC")
    assert select(f"{BY_SHOP} ORDER BY COUNT(*) DESC NULLS LAST") == plain
    assert "come last" in refused(f"{BY_SHOP} ORDER BY COUNT(*) NULLS FIRST")


def refused_groups(column: Column, asked: str = "x") -> str:
    schema = Schema(name="t", columns={"x": column}, unit="id", max_groups=1, max_rows=1)
    with pytest.raises(DiscreetError) as found:
        checked_question(
            parse_select(f"SELECT {asked} AS k, COUNT(*) FROM t GROUP BY k", schema), schema
        )
    return str(found.value)


@pytest.mark.parametrize(
    ("column", "asked", "ending"),
    [
        (integer(0, 10**7), "x", "120), or declare narrower bounds."),
        (integer(), "x", "120), or declare bounds."),
        (integer(0, 10**7), "x / 3", "BINS(x / 3, 0, 18, 65, 120)."),
        (number(0, 5), "x", '{ type = "integer", low = 0, high = 120 } in the policy.'),
        (date(), "x", "BINS(x, '2025-01-01', '2026-01-01'), or declare bounds."),
    ],
)
def test_groups_that_cannot_be_listed_can_be_by_what_is_recommended(
    column: Column, asked: str, ending: str
) -> None:
    assert refused_groups(column, asked).endswith(ending)


def test_statistics_of_two_columns_that_are_not_offered_name_those_that_are():
    for name in ("REGR_SXX", "REGR_AVGX", "COVARIANCE", "REGR_SYY"):
        said = refused(f"SELECT {name}(amount, amount) FROM orders")
        assert "CORR(y, x), COVAR_POP(y, x), REGR_SLOPE(y, x)" in said
        assert "no statistics of two columns" not in said


def test_grouping_id_is_written_as_grouping():
    said = refused("SELECT shop, GROUPING_ID(shop), COUNT(*) FROM orders GROUP BY CUBE (shop)")
    assert "An answer has one row for each group. Write GROUPING(x)" in said


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("SUM(COUNT(*)) OVER (ORDER BY COUNT(*))", "SUM(COUNT(*)) OVER (ORDER BY COUNT(*))"),
        ("LAG(COUNT(*), 0) OVER (ORDER BY shop)", "LAG(COUNT(*), 0) OVER (ORDER BY shop)"),
        ("QUANTILE(amount, [0.5, 0.5])", "QUANTILE(amount, [0.5, 0.5])"),
        ("COUNT(DATE_TRUNC('decade', day))", "DATE_TRUNC('decade', day)"),
    ],
)
def test_a_refused_part_is_shown_as_it_was_typed(asked, shown):
    """And not with what the parser writes out for other databases."""
    assert shown in refused(f"SELECT shop, {asked} FROM orders GROUP BY shop")
