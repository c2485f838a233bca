"""Groups by an expression are a public list, and no row within its declarations is lost."""

import datetime
from collections import Counter
from itertools import pairwise

import pytest

from discreet.errors import QueryError
from discreet.plan.schema import Column, category, date, integer, number, text
from discreet.question.builder import Expression, rows
from discreet.question.groupings import IntegerGrouping, ListedGrouping, PrivateGrouping
from discreet.sql.read.expressions import parse_expression
from tests.support.measuring import Engine, Row, asked, schema

AGES = list(range(121))
STAYS = [place * 60 / 997 for place in range(998)]
STAYS += [0.05, 0.15, 0.25, 0.35, 4.35, 1.005, 2.675, 29.999999999999996, 59.99999999999999, 60.0]
FIRST, LAST = datetime.date(2019, 11, 30), datetime.date(2024, 3, 2)
DATES = [FIRST + datetime.timedelta(days=place) for place in range((LAST - FIRST).days + 1)]
CODES = ["A01", "a02", "B 1", " C9"]

COLUMNS: dict[str, tuple[Column, list[object]]] = {
    "age": (integer(0, 120), list(AGES)),
    "stay": (number(0, 60), list(STAYS)),
    "admitted": (date(FIRST.isoformat(), LAST.isoformat()), list(DATES)),
    "code": (category(CODES), list(CODES)),
    "level": (category([7, 3, 1]), [7, 3, 1]),
    "debt": (number(-7.3, -0.2), [-7.3, -5, -2.5, -1e-3 - 0.2, -0.2]),
}
GROUPS = [
    ("age", "FLOOR(x / 10) * 10", 13),
    ("age", "CASE WHEN x < 18 THEN 0 WHEN x < 65 THEN 18 ELSE 65 END", 3),
    ("age", "CASE WHEN x >= 80 THEN 80 ELSE FLOOR(x / 10) * 10 END", 9),
    ("age", "CASE WHEN x < 18 THEN 'child' ELSE 'adult' END", 2),
    ("age", "WIDTH_BUCKET(x, 0, 100, 10)", 12),
    ("age", "ROUND(x, -1)", 13),
    ("age", "MOD(x, 2)", 2),
    ("age", "MOD(0 - x, 7)", 7),
    ("age", "x // 25", 5),
    ("age", "CEIL(x / 25)", 6),
    ("age", "x * 0.1", 121),
    ("age", "x / 3 + 0.1", 121),
    ("age", "LEAST(GREATEST(x, 18), 65)", 48),
    ("age", "SIGN(x - 50)", 3),
    ("age", "x >= 65", 2),
    ("stay", "FLOOR(x)", 61),
    ("stay", "FLOOR(x / 7) * 7", 9),
    ("stay", "ROUND(x)", 61),
    ("stay", "ROUND(x, -1)", 7),
    ("stay", "ROUND(x, 1)", 601),
    ("stay", "FLOOR(x * 0.1 / 0.3)", 21),
    ("stay", "WIDTH_BUCKET(x, 5, 45, 3)", 5),
    ("stay", "CAST(x AS INTEGER)", 61),
    ("stay", "ABS(ROUND(x) - 30)", 31),
    ("stay", "CLIP(CEIL(x), 0, 7)", 8),
    ("debt", "ROUND(x)", 8),
    ("debt", "FLOOR(x / 0.3) * 0.3", 25),
    ("admitted", "YEAR(x)", 6),
    ("admitted", "MONTH(x)", 12),
    ("admitted", "DAYOFWEEK(x)", 7),
    ("admitted", "WEEK(x)", 53),
    ("admitted", "DATE_TRUNC('month', x)", 53),
    ("admitted", "DATE_TRUNC('quarter', x)", 18),
    ("admitted", "DATE_TRUNC('year', x)", 6),
    ("admitted", "DATE_TRUNC('week', x)", 223),
    ("admitted", "DATE_TRUNC('day', x)", len(DATES)),
    ("admitted", "x + 1", len(DATES)),
    ("admitted", "YEAR(x) * 100 + MONTH(x)", 72),
    ("admitted", "x - DATE '2020-01-01'", len(DATES)),
    ("admitted", "YEAR(x) >= 2022", 2),
    ("code", "LEFT(x, 1)", 4),
    ("code", "UPPER(TRIM(x))", 4),
    ("code", "x || '-' || SUBSTRING(x, 3)", 12),
    ("code", "COALESCE(x, 'none')", 5),
    ("code", "CASE WHEN x LIKE 'A%' THEN x ELSE 'other' END", 5),
    ("level", "x * 2", 3),
    ("level", "COALESCE(x, 0)", 4),
]


@pytest.mark.parametrize(("name", "key", "many"), GROUPS, ids=str)
def test_no_row_is_lost(name: str, key: str, many: int) -> None:
    column, values = COLUMNS[name]
    question = asked(schema(x=column), {"n": rows()}, (Expression(parse_expression(key)),))
    labels = question.keys[0][1].labels  # type: ignore[union-attr]
    assert len(set(labels)) == len(labels) == many
    table = [Row(x=value) for value in values]
    for stored in ("text",) if name in ("admitted", "code") else ("text", "double"):
        (counts,) = Engine(stored).integers(table, question, question.measures).values()
        assert sum(counts.values()) == len(values)


def test_a_list_that_lacks_a_value_loses_its_rows() -> None:
    """Negative control: a row outside the declared bounds is in no group."""
    question = asked(
        schema(x=integer(0, 100)), {"n": rows()}, (Expression(parse_expression("FLOOR(x / 10)")),)
    )
    (counts,) = (
        Engine().integers([Row(x=age) for age in AGES], question, question.measures).values()
    )
    assert sum(counts.values()) == 110 < len(AGES)


@pytest.mark.parametrize(
    ("name", "key", "labels"),
    [
        ("age", "FLOOR(x / 50) * 50", (0, 50, 100)),
        ("age", "FLOOR(x / 50) * 0.5", (0, 0.5, 1)),
        ("age", "CASE WHEN x < 18 THEN 2.5 ELSE 1 END", (1, 2.5)),
        ("age", "CASE WHEN x < 18 THEN 'young' ELSE 'old' END", ("young", "old")),
        ("level", "x", (7, 3, 1)),
        ("level", "x + 1", (2, 4, 8)),
        (
            "admitted",
            "DATE_TRUNC('year', x)",
            ("2019-01-01", "2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01", "2024-01-01"),
        ),
    ],
)
def test_labels_are_whole_where_they_can_be_and_increase(
    name: str, key: str, labels: tuple[object, ...]
) -> None:
    question = asked(
        schema(x=COLUMNS[name][0]), {"n": rows()}, (Expression(parse_expression(key)),)
    )
    found = question.keys[0][1].labels  # type: ignore[union-attr]
    assert found == labels
    assert [type(one) for one in found] == [type(one) for one in labels]


def test_a_month_holds_its_own_days() -> None:
    column, values = COLUMNS["admitted"]
    key = Expression(parse_expression("DATE_TRUNC('month', x)"))
    question = asked(schema(x=column), {"n": rows()}, (key,))
    grouping = question.keys[0][1]
    assert isinstance(grouping, ListedGrouping)
    table = [Row(x=value) for value in values]
    (counts,) = Engine().integers(table, question, question.measures).values()
    expected = Counter(f"{day:%Y-%m}-01" for day in DATES)
    assert dict(zip(grouping.labels, counts.values(), strict=True)) == expected
    assert all(a < b for a, b in pairwise(map(str, grouping.labels)))


def test_whole_ranges_and_private_texts_stay_what_they_were() -> None:
    declared = schema(x=integer(0, 120))
    for key, kind in {
        "x + 1": IntegerGrouping,
        "x - x": IntegerGrouping,
        "tag": PrivateGrouping,
        "LOWER(tag)": PrivateGrouping,
    }.items():
        question = asked(declared, {"n": rows()}, (Expression(parse_expression(key)),))
        assert isinstance(question.keys[0][1], kind), key


@pytest.mark.parametrize(
    ("column", "key"),
    [
        (number(0, 60), "x"),
        (number(0, 60), "x * 2"),
        (number(0, 60), "SQRT(x)"),
        (integer(0, 120), "LN(x + 1)"),
        (number(0, 60), "ROUND(x, 9)"),
        (number(), "FLOOR(x)"),
        (integer(), "x // 10"),
        (integer(0, 10**9), "x"),
        (text(), "LENGTH(x)"),
        (date(), "x"),
    ],
)
def test_what_cannot_be_listed_is_refused(column: Column, key: str) -> None:
    with pytest.raises(QueryError, match="Groups must be public"):
        asked(schema(x=column), {"n": rows()}, (Expression(parse_expression(key)),))
