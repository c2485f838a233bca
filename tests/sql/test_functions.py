"""Every operator that is offered is total on DuckDB, and is what plain Python says."""

import time
from contextlib import suppress
from fractions import Fraction
from math import isclose

import duckdb
import pyarrow
import pytest

from discreet.errors import BoundsError, QueryError
from discreet.plan.expressions import Node, expression_text
from discreet.plan.function_signatures import FIRST_DAY, LAST_DAY
from discreet.plan.schema import date, integer, number
from discreet.plan.types import CheckedExpression, check_expression
from discreet.question.builder import as_expression, col, when
from discreet.sql.read.allow_list import CALLED, FUNCTIONS, OPERATORS, WRITTEN
from discreet.sql.read.expressions import parse_expression
from discreet.sql.write.expressions import expression_sql as sql_of
from tests.support import engine_twin as twin
from tests.support.cases import each
from tests.support.measuring import asked, schema
from tests.support.offered_expressions import COLUMNS, EXAMPLES, FURTHER, ROWS


@pytest.fixture(scope="module")
def engine():
    kinds = dict.fromkeys(COLUMNS, pyarrow.float64())
    kinds |= {"smoker": pyarrow.bool_(), "ward": pyarrow.string(), "diagnosis": pyarrow.string()}
    table = pyarrow.table(
        {name: pyarrow.array([row[name] for row in ROWS], kind) for name, kind in kinds.items()}
    )
    with duckdb.connect() as connection:
        connection.register("rows", table)
        yield connection


def computed(engine: duckdb.DuckDBPyConnection, node: Node) -> list[object]:
    query = sql_of(node, {name: name for name in COLUMNS}).sql("duckdb")
    return [value for (value,) in engine.execute(f"SELECT {query} FROM rows").fetchall()]


@each("text", [*EXAMPLES, *FURTHER])
def test_every_value_is_what_plain_python_says(engine, text):
    typed = check_expression(parse_expression(text), COLUMNS)
    for row, found in zip(ROWS, computed(engine, typed.node), strict=True):
        expected = twin.evaluate(typed.node, row)
        assert alike(found, expected), (text, row, found, expected)


def alike(found, expected) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return found == expected or isclose(found, expected, rel_tol=1e-14)
    return type(found) is type(expected) and found == expected


def test_a_twin_that_rounds_down_is_told_apart(engine):
    """Negative control: the comparison sees a rule that is left out."""
    rounded, floored = (
        check_expression(parse_expression(text), COLUMNS) for text in ("ROUND(stay)", "FLOOR(stay)")
    )
    found = computed(engine, rounded.node)
    assert any(
        not alike(one, twin.evaluate(floored.node, row))
        for row, one in zip(ROWS, found, strict=True)
    )


# Bounds

DECLARED = {
    **COLUMNS,
    "stay": number(-2, 60),
    "age": integer(1, 120),
    "admitted": date("2020-02-29", "2026-12-31"),
    "discharged": date("0001-01-01", "9999-12-31"),
}


def typed(text: str) -> CheckedExpression:
    return check_expression(parse_expression(text), DECLARED)


@each(
    ("text", "low", "high"),
    [
        ("stay % 7", -2, 7),
        ("age % 7", 0, 6),
        ("age % stay", 0, 59 + 1),
        ("LENGTH(diagnosis) % 5", 0, 4),
        ("age // 10", 0, 12),
        ("CEIL(stay / 7)", 0, 9),
        ("ROUND(stay, -1)", 0, 60),
        ("ROUND(age, 1)", 1, 120),
        ("SIGN(stay)", -1, 1),
        ("SQRT(age + 24)", 5, 12),
        ("SQRT(stay * stay - 3600)", 0, 0),
        ("SQRT(LENGTH(diagnosis))", 0, None),
        ("POWER(stay, 2)", 0, 3600),
        ("POWER(stay, 3)", -8, 216000),
        ("POWER(age, -1)", Fraction(1, 120), 1),
        ("EXP(age * 0)", 1, 1),
        ("EXP(stay * 1000)", 0, None),
        ("LN(stay - 60)", None, None),
        ("LENGTH(diagnosis)", 0, None),
        ("LEAST(LENGTH(diagnosis), 10)", 0, 10),
        ("GREATEST(stay, 0)", 0, 60),
        ("GREATEST(0, LENGTH(diagnosis) - 5)", 0, None),
        ("CASE WHEN stay > 5 THEN 5 ELSE stay END", -2, 5),
        ("CASE WHEN NOT stay > 5 THEN stay END", -2, 5),
        ("CASE WHEN 5 <= stay AND stay < 7 THEN stay END", 5, 7),
        ("CASE WHEN stay < 0 OR stay > 5 THEN 0 ELSE stay END", 0, 5),
        ("CASE WHEN stay < 5 THEN age ELSE 0 END", 0, 120),
        ("WIDTH_BUCKET(stay, 0, 60, 6)", 0, 7),
        ("1 / LENGTH(diagnosis)", None, None),
        ("1 / (LENGTH(diagnosis) + 1)", 0, 1),
        ("0 - LENGTH(diagnosis)", None, 0),
        ("-2 * LENGTH(diagnosis)", None, 0),
        ("ABS(stay)", 0, 60),
        ("ABS(0 - LENGTH(diagnosis))", 0, None),
        ("YEAR(admitted)", 2020, 2026),
        ("MONTH(admitted)", 1, 12),
        ("DAYOFWEEK(admitted)", 0, 6),
        ("CAST(smoker AS INTEGER)", 0, 1),
        ("CAST(stay AS INTEGER)", -2, 60),
        ("CAST(diagnosis AS DOUBLE)", None, None),
        ("admitted - DATE '2020-02-28'", 1, 2498),
    ],
)
def test_bounds_follow_from_the_declarations(text, low, high):
    found = typed(text)
    assert (found.low, found.high) == (low, high)


def test_dates_stay_within_the_calendar():
    assert (typed("discharged + 1").low, typed("discharged + 1").high) == (FIRST_DAY + 1, LAST_DAY)
    assert typed("DATE_TRUNC('month', admitted)").low == 18293
    assert typed("discharged - 10000000").low == FIRST_DAY


def test_a_bound_that_is_missing_is_named_with_its_remedy():
    declared = schema()
    with pytest.raises(
        BoundsError, match=r"LENGTH\(tag\).*has no bounds.*CLIP\(LENGTH\(tag\), 0, 120\)"
    ):
        asked(declared, {"s": col("tag").length().sum()})
    asked(declared, {"s": col("tag").length().clip(0, 50).sum()})
    least = parse_expression("LEAST(LENGTH(tag), 50)")
    asked(declared, {"s": type(col("tag"))(least).sum()})


@each(
    "text",
    [
        "CAST(stay AS VARCHAR) = '1'",
        "CAST(admitted AS VARCHAR) = '1'",
        "CAST(stay AS DATE) > admitted",
        "CAST(admitted AS INTEGER) > 1",
        "admitted + discharged",
        "admitted * 2",
        "5 - admitted",
        "stay || 'x'",
        "YEAR(stay)",
        "LENGTH(stay)",
        "ABS(admitted)",
        "SUBSTRING(diagnosis, 0)",
        "SUBSTRING(diagnosis, 1, -1)",
        "SUBSTRING(diagnosis, 5000000)",
        "RIGHT(diagnosis, 0.5)",
        "POWER(stay, 1e50)",
        f"diagnosis LIKE '{'a' * 300}'",
    ],
)
def test_what_does_not_fit_its_kind_is_refused_before_anything_is_spent(text):
    with pytest.raises(QueryError):
        typed(text)


# SQL and Python

X, TAG, DAY = col("x"), col("tag"), col("admitted")


@each(
    ("text", "meant"),
    [
        ("x % 2", X % 2),
        ("MOD(7, x)", 7 % X),
        ("x // 2", X // 2),
        ("-x", -X),
        ("CEIL(x)", X.ceil()),
        ("ROUND(x, 2)", X.round(2)),
        ("ROUND(x)", X.round()),
        ("SIGN(x)", X.sign()),
        ("SQRT(x)", X.sqrt()),
        ("LN(x)", X.log()),
        ("LOG(x)", X.log10()),
        ("EXP(x)", X.exp()),
        ("POWER(x, 2)", X**2),
        ("WIDTH_BUCKET(x, 0, 10, 5)", X.width_bucket(0, 10, 5)),
        ("tag LIKE 'a%'", TAG.like("a%")),
        ("tag NOT ILIKE 'a%'", ~TAG.ilike("a%")),
        ("LOWER(tag)", TAG.lower()),
        ("UPPER(tag)", TAG.upper()),
        ("TRIM(tag)", TAG.trim()),
        ("LENGTH(tag)", TAG.length()),
        ("SUBSTRING(tag, 2, 3)", TAG.substring(2, 3)),
        ("SUBSTR(tag, 2)", TAG.substring(2)),
        ("LEFT(tag, 2)", TAG.left(2)),
        ("RIGHT(tag, 2)", TAG.right(2)),
        ("STARTS_WITH(tag, 'a')", TAG.starts_with("a")),
        ("ENDS_WITH(tag, 'a')", TAG.ends_with("a")),
        ("CONTAINS(tag, 'a')", TAG.contains("a")),
        ("CONCAT(tag, 'a', tag)", TAG.concat("a", TAG)),
        ("tag || 'a'", TAG.concat("a")),
        ("YEAR(admitted)", DAY.year()),
        ("EXTRACT(QUARTER FROM admitted)", DAY.quarter()),
        ("MONTH(admitted)", DAY.month()),
        ("WEEK(admitted)", DAY.week()),
        ("DAYOFMONTH(admitted)", DAY.day()),
        ("ISODOW(admitted)", DAY.weekday()),
        ("DAYOFYEAR(admitted)", DAY.ordinal_day()),
        ("DATE_TRUNC('month', admitted)", DAY.truncate("month")),
        ("admitted + INTERVAL '2' WEEK", DAY + 14),
        ("DATE_DIFF('day', admitted, x)", X.cast("date") - DAY.cast("date")),
        ("CAST(x AS INTEGER)", X.cast("integer")),
        ("x::DATE", X.cast("date")),
        ("TRY_CAST(x AS VARCHAR)", X.cast("text")),
        ("x IS NOT NULL", X.is_not_null()),
        ("IFNULL(x, 0)", X.fill_null(0)),
        ("IF(x > 1, 2, NULL)", when(X > 1).then(2).otherwise(None)),
        ("x IS TRUE", when(X).then(True).otherwise(False)),
        ("x == 1", X == 1),
        ("x NOT IN (1, 2)", ~X.is_in([1, 2])),
    ],
)
def test_sql_and_python_make_the_same_node(text, meant):
    assert parse_expression(text) == meant.node
    assert parse_expression(expression_text(meant.node)) == meant.node


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: X.round(0.5),
        lambda: X.round(99),
        lambda: X.cast("json"),
        lambda: DAY.truncate("fortnight"),
        lambda: TAG.like(TAG),
        lambda: TAG.contains(3),
        lambda: X.pow(10**400),
        lambda: X.width_bucket(5, 0, 3),
        lambda: X.width_bucket(0, 5, 0.5),
    ],
)
def test_a_parameter_that_does_not_fit_is_refused(wrong):
    with pytest.raises(QueryError):
        wrong()


def test_a_missing_text_is_missing_in_every_function():
    nothing = as_expression(None)
    for node in (nothing.lower(), nothing.length(), nothing.like("%"), nothing.year(), nothing % 2):
        assert twin.evaluate(check_expression(node.node, {}).node, {}) is None


# What is offered

BODIES = ("a", "a, 1", "1, a", "a, b, c", "'month', a", "a AS INT", "YEAR FROM a", "'day', a, b")


@each("name", sorted(CALLED))
def test_nested_calls_are_read_or_refused_at_once(name):
    for body in BODIES:
        before, _, after = body.rpartition("a") if body[0] != "a" else ("", "a", body[1:])
        start = time.process_time()
        with suppress(QueryError):
            parse_expression(f"{name}({before}" * 25 + "a" + f"{after})" * 25)
        assert time.process_time() - start < 5  # by length; by depth it would be 2^25 steps


@each("offer", [*WRITTEN, *OPERATORS, *FUNCTIONS], ids=lambda one: one.name)
def test_what_is_shown_of_an_example_means_the_same(offer):
    node = parse_expression(offer.example)
    assert parse_expression(expression_text(node)) == node
    assert offer.meaning


def test_every_function_of_the_list_has_an_example_that_calls_it():
    assert all(offer.example.startswith(f"{offer.name}(") for offer in FUNCTIONS)
