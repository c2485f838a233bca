"""Conditions that no declared value fits are refused; groups that they exclude are not answered."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

import discreet as dp
from discreet.errors import DiscreetError, Front, QueryError
from discreet.plan.schema import Schema, boolean, category, date, integer, number, text
from discreet.question.builder import Expression, col, rows, when
from discreet.question.check import Question, checked_question
from discreet.question.conditions import Conditions
from discreet.question.groupings import BinGrouping, Grouping, IntegerGrouping, ListedGrouping
from discreet.question.query import GroupKey, Query
from discreet.sql.read.select import parse_select
from tests.support.cases import each
from tests.support.engine_twin import evaluate, group
from tests.support.measuring import Row as Stored
from tests.support.measuring import arrow
from tests.support.measuring import schema as measured_schema

VISITS = Schema(
    name="visits",
    columns={
        "ward": category(["Surgery", "Cardiology", "ICU"]),
        "code": category([1, 2, 3]),
        "age": integer(0, 120),
        "stay": number(0, 60),
        "admitted": date("2024-01-01", "2026-12-31"),
        "smoker": boolean(),
        "tag": text(),
    },
    unit="patient_id",
    max_groups=3,
    max_rows=5,
)


def asked(sql: str) -> Question:
    return checked_question(parse_select(sql, VISITS), VISITS)


def refused(sql: str) -> str:
    with pytest.raises(QueryError) as caught:
        asked(sql)
    return str(caught.value)


def counted(condition: str) -> str:
    return f"SELECT COUNT(*) FROM visits WHERE {condition}"


def groups(condition: str, key: str) -> tuple[Any, ...]:
    ((_, grouping),) = asked(f"{counted(condition)} GROUP BY {key}").keys
    return grouping.labels  # type: ignore[union-attr]


# ---------------------------------------------------------------------- refusals


@each(
    ("condition", "said"),
    [
        (
            "ward = 'Surgry'",
            "ward = 'Surgry' fits no declared value: those of ward are Surgery, Cardiology, ICU. "
            "Only noise would be paid for. Did you mean 'Surgery'?",
        ),
        ("LOWER(ward) = 'surgry'", "LOWER(ward) = 'surgry' fits no declared value"),
        ("ward IN ('X', 'Y')", "(ward = 'X') OR (ward = 'Y') fits no declared value"),
        ("code = 7", "code = 7 fits no declared value: those of code are 1, 2, 3."),
        ("age > 200", "age > 200 fits no declared value: age is declared 0 to 120."),
        ("age > 200 OR age < 0", "fits no declared value: age is declared 0 to 120."),
        ("NOT (age <= 120)", "NOT (age <= 120) fits no declared value"),
        ("age = 17.5", "age = 17.5 fits no declared value"),
        ("stay * 2 > 120", "fits no declared value: stay is declared 0 to 60."),
        ("admitted > '2030-01-01'", "admitted is declared 2024-01-01 to 2026-12-31."),
        ("YEAR(admitted) = 2019", "YEAR(admitted) = 2019 fits no declared value"),
        ("ward = 'ICU' AND ward = 'Surgery'", "no row fulfills both ward = 'ICU' and ward = 'Su"),
        ("tag = 'x' AND tag = 'y'", "no row fulfills both tag = 'x' and tag = 'y'."),
        ("smoker AND NOT smoker", "no row fulfills both smoker and NOT smoker."),
        ("age > 3 AND smoker AND age < 3", "no row fulfills both age > 3 and age < 3."),
        (
            "ward <> 'ICU' AND ward <> 'Surgery' AND ward <> 'Cardiology'",
            "no row of declared values fulfills ward <> 'Cardiology' and all before it.",
        ),
        ("age >= 50 AND FLOOR(age / 10) = 2", "no row of declared values fulfills both"),
        ("1 = 0", "the condition is true of no row."),
        ("patient_id IS NULL", "the condition is true of no row."),
    ],
)
def test_a_condition_that_no_declared_value_fits_is_refused(condition: str, said: str) -> None:
    found = refused(counted(condition))
    assert said in found
    assert len(found) < 420


@each(
    "condition",
    [
        *("ward IN ('Surgry', 'ICU')", "ward <> 'Surgry'", "ward = 'Surgry' OR smoker"),
        *("age >= 120", "age > 119 AND age < 200", "stay > 59.9999", "stay * 2 >= 120"),
        *("ward IS NULL", "age IS NULL", "tag = 'anything'", "tag LIKE 'x%' AND tag <> 'x'"),
        *("LOWER(ward) = 'icu'", "age = stay", "NOT (ward = 'ICU' AND age > 300)"),
        *("(ward = 'ICU' AND ward = 'Surgery') OR code = 3", "admitted <= '2024-01-01'"),
    ],
)
def test_a_condition_that_some_declared_row_fulfills_is_not(condition: str) -> None:
    asked(counted(condition))


def test_a_date_may_stand_as_text_in_an_aggregates_condition() -> None:
    asked(
        "SELECT COUNT(*) FILTER (WHERE admitted - '2024-01-02' >= 18) FROM visits "
        "WHERE admitted = '2024-02-01'"
    )


@each(
    ("sql", "subject"),
    [
        (counted("smoker AND ward = 'Surgry'"), "ward ="),
        (counted("age > 5 AND ward = 'ICU' AND ward = 'Surgery'"), "ward = 'Surgery'"),
        ("SELECT COUNT(*) FILTER (WHERE ward = 'Surgry') FROM visits", "ward ="),
        ("SELECT w, COUNT(*) FROM (SELECT ward AS w FROM visits) WHERE w = 'Q' GROUP BY w", "w ="),
        ("SELECT COUNT(*) FROM (SELECT age FROM visits WHERE ward = 'Q')", "ward ="),
        (
            "SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits WHERE age > 150 "
            "GROUP BY patient_id)",
            "age >",
        ),
    ],
)
def test_a_refusal_points_at_the_condition(sql: str, subject: str) -> None:
    place = f"line 1, column {sql.index(subject) + 1}: "
    assert refused(sql).startswith(place)


@each(
    "aggregate",
    [
        "COUNT(*) FILTER (WHERE ward = 'Surgry')",
        "AVG(stay) FILTER (WHERE age > 200)",
        "COUNT(DISTINCT patient_id) FILTER (WHERE age > 200)",
        "SUM(CASE WHEN ward = 'Surgry' THEN stay END)",
        "COUNT(CASE WHEN smoker THEN CASE WHEN NOT smoker THEN 1 END END)",
    ],
)
def test_so_is_an_aggregate_of_rows_that_no_declared_value_fits(aggregate: str) -> None:
    assert "Only noise would be paid for" in refused(f"SELECT {aggregate} FROM visits")


def test_a_column_for_each_value_may_be_asked_of_some_of_them() -> None:
    """A cross table has a FILTER for each value, also where WHERE keeps only one of them."""
    sides = [f"COUNT(*) FILTER (WHERE ward = '{ward}')" for ward in ("ICU", "Surgery")]
    asked(f"SELECT {', '.join(sides)} FROM visits WHERE ward = 'ICU'")


def test_the_remedy_is_in_the_syntax_of_the_front() -> None:
    asking = Query(where=((col("age") > 200).node,), outputs=(("n", rows().aggregate),))
    with pytest.raises(QueryError) as caught:
        checked_question(asking, VISITS)
    assert str(caught.value).endswith("Compare with what is declared, or declare more.")
    assert caught.value.text(Front.SQL).endswith("or have more declared.")


@pytest.fixture
def table() -> Iterator[dp.Table]:
    stored = [Stored(id=f"p{place}", ward="ABD"[place % 3], level=place % 4) for place in range(90)]
    declared = measured_schema(unit="id")
    with dp.table(
        arrow(stored),
        name="t",
        unit="id",
        max_rows=3,
        max_groups=4,
        columns=dict(declared.columns),
        budget=dp.Budget(epsilon=15),
        ledger=":memory:",
    ) as opened:
        yield opened


def test_nothing_is_charged_for_what_is_refused(table: dp.Table) -> None:
    for condition in ("ward = 'Z'", "level > 3", "ward = 'A' AND ward = 'B'"):
        with pytest.raises(QueryError):
            table.sql(f"SELECT COUNT(*) AS n FROM t WHERE {condition}", epsilon=1)
    assert "spent ε = 0;" in repr(table)


# ---------------------------------------------------------------------- groups


@each(
    ("condition", "key", "left"),
    [
        ("ward IN ('Surgery', 'ICU')", "ward", ("Surgery", "ICU")),
        ("ward <> 'ICU'", "ward", ("Surgery", "Cardiology")),
        ("LOWER(ward) = 'icu'", "ward", ("ICU",)),
        ("ward = 'ICU'", "LOWER(ward)", ("icu",)),
        ("ward = 'ICU' OR (smoker AND ward <> 'Surgery')", "ward", ("Cardiology", "ICU")),
        ("code <> 2", "code", (1, 3)),
        ("age >= 18", "BINS(age, 0, 18, 65, 120)", ("[18, 65)", "[65, 120]")),
        ("age < 65", "BINS(age, 0, 18, 65, 120)", ("[0, 18)", "[18, 65)")),
        ("age < 18 OR age >= 65", "BINS(age, 0, 18, 65, 120)", ("[0, 18)", "[65, 120]")),
        ("age > 17", "BINS(age, 0, 18, 65, 120)", ("[18, 65)", "[65, 120]")),
        ("stay > 17", "BINS(stay, 0, 18, 60)", ("[0, 18)", "[18, 60]")),
        ("stay < 10", "BINS(stay * 2, 0, 18, 20, 40)", ("[0, 18)", "[18, 20)")),
        ("age BETWEEN 10 AND 12", "age", (10, 11, 12)),
        ("age > 10 AND age < 15 AND age <> 12", "age", (11, 13, 14)),
        ("age >= 115", "FLOOR(age / 10) * 10", (110, 120)),
        ("stay < 20", "FLOOR(stay / 10) * 10", (0, 10)),
        ("FLOOR(age / 10) = 3", "age", tuple(range(30, 40))),
        ("smoker", "smoker", (True,)),
        ("NOT smoker", "smoker", (False,)),
        ("age >= 18", "age >= 18", (True,)),
        ("age >= 18", "age >= 21", (False, True)),
        (
            "admitted >= '2026-10-10'",
            "DATE_TRUNC('month', admitted)",
            ("2026-10-01", "2026-11-01", "2026-12-01"),
        ),
        ("admitted >= '2025-03-10'", "YEAR(admitted)", (2025, 2026)),
        ("YEAR(admitted) = 2026", "DATE_TRUNC('year', admitted)", ("2026-01-01",)),
        (
            "admitted BETWEEN '2025-06-01' AND '2025-06-02'",
            "admitted",
            ("2025-06-01", "2025-06-02"),
        ),
    ],
)
def test_groups_that_the_conditions_exclude_are_left_out(
    condition: str, key: str, left: tuple[Any, ...]
) -> None:
    assert groups(condition, key) == left


@each(
    ("condition", "key", "many"),
    [
        ("smoker", "ward", 3),
        ("ward = 'ICU' OR smoker", "ward", 3),
        ("tag = 'x'", "age", 121),
        ("age IS NOT NULL", "age", 121),
        ("age <> 200", "BINS(age, 0, 18, 200, 300)", 3),
    ],
)
def test_other_groups_stay(condition: str, key: str, many: int) -> None:
    assert len(groups(condition, key)) == many


def test_a_subquery_leaves_out_what_its_own_conditions_exclude() -> None:
    inner = "(SELECT ward AS w, stay FROM visits WHERE ward <> 'ICU')"
    ((_, grouping),) = asked(f"SELECT w, COUNT(*) FROM {inner} WHERE stay > 3 GROUP BY w").keys
    assert grouping.labels == ("Surgery", "Cardiology")  # type: ignore[union-attr]
    counts = "(SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)"
    ((_, grouping),) = asked(f"SELECT n, COUNT(*) FROM {counts} WHERE n > 2 GROUP BY n").keys
    assert grouping.labels == (3, 4, 5)  # type: ignore[union-attr]


@each(("condition", "key"), [("age > 65", "BINS(age, 0, 18, 65)"), ("ward IS NULL", "ward")])
def test_where_every_group_is_excluded_the_question_is_refused(condition: str, key: str) -> None:
    sql = f"{counted(condition)} GROUP BY {key}"
    found = refused(sql)
    assert "the conditions exclude every group of" in found
    assert found.startswith(f"line 1, column {sql.index('GROUP BY') + 10}")


def test_a_bin_is_what_it_was_where_others_are_left_out() -> None:
    edges = tuple(map(Fraction, (0, 18, 65, 120)))
    one = BinGrouping(col("age").node, edges, left_out=frozenset({2}))
    assert one.labels == ("[0, 18)", "[18, 65)")
    assert group(one, {"age": 65.0}) is None
    assert group(replace(one, left_out=frozenset({0})), {"age": 120.0}) == 1


def test_cells_reach_and_noise_follow_from_the_groups_that_are_left(table: dp.Table) -> None:
    """Of two groups a person can be in two, whatever more the caps allow."""
    both = table.where(col("ward").is_in(["A", "B"])).group_by("ward").agg(n=dp.people())
    plan, every = both.plan(epsilon=1), table.group_by("ward").agg(n=dp.people()).plan(epsilon=1)
    assert plan.question.cells == plan.question.unit.group_cap == 2
    assert "groups     2, all released" in plan.explain()
    assert every.question.unit.group_cap == 4
    assert (plan.margins()["n"] or 0) < (every.margins()["n"] or 0)
    answer = both.release(epsilon=12)
    assert answer.groups == (("A",), ("B",))
    assert [round(one.value) for one in answer.column("n")] == [30, 30]


# ---------------------------------------------------------------------- against every declared row

TRIED = Schema(
    name="t",
    columns={
        "w": category(["a", "B", "cc"]),
        "k": category([1, 2, 5]),
        "n": integer(-2, 4),
        "f": boolean(),
        "d": date("2024-12-30", "2025-01-02"),
    },
)
VALUES = {
    "w": [None, "a", "B", "cc"],
    "k": [None, 1.0, 2.0, 5.0],
    "n": [None, *map(float, range(-2, 5))],
    "f": [None, True, False],
    "d": [None, *(20087.0 + place for place in range(4))],
}
ROWS = [dict(zip(VALUES, row, strict=True)) for row in product(*VALUES.values())]


def drawn_condition(random: Random, depth: int = 2) -> Expression:
    pick = random.choice
    if depth and random.random() < 0.6:
        one, two = drawn_condition(random, depth - 1), drawn_condition(random, depth - 1)
        return pick([one & two, one & two, one | two, ~one])
    size = pick([col("n"), col("k"), col("n") * 2, (col("n") / 2).floor(), col("n") % 2])
    bound = pick([-2, -1, 0, 0.5, 1, 2, 4, 5])
    word = pick([col("w"), col("w").lower(), col("w").left(1)])
    day = pick(["2024-12-31", "2025-01-01", "2025-01-02"])
    return pick(
        [
            *(size < bound, size <= bound, size > bound, size >= bound, size == bound),
            *(size != bound, size.is_in([1, 2]), size.is_between(0, 2), size.is_null()),
            *(word == pick(["a", "B", "c", "cc"]), word != "a", word.is_in(["a", "cc", "z"])),
            *(col("f"), ~col("f"), col("f").is_null(), word.is_null(), word.is_not_null()),
            *(col("d") >= day, col("d") < day, col("d") == day, col("d").year() == 2025),
            when(size > bound).then(col("f")).otherwise(word == "a"),
        ]
    )


def drawn_key(random: Random) -> GroupKey:
    picked: Any = random.choice(
        [
            *(col("w"), col("w").lower(), col("k"), col("n"), col("n") * 2, col("n") % 2),
            *((col("n") / 2).floor(), col("n").bins([-2, 0, 1, 2, 4]), col("f"), col("n") > 1),
            *(col("k").bins([0, 1, 2, 9]), col("d"), col("d").truncate("month"), col("d").year()),
        ]
    )
    return GroupKey("key", picked.node, getattr(picked, "edges", ()))


def excluded(seed: int) -> int:
    """How many groups a drawn question leaves out, once no declared row is found in any of them."""
    random = Random(seed)
    where = tuple(drawn_condition(random).node for _ in range(random.choice([1, 2])))
    query = Query(where=where, keys=(drawn_key(random),), outputs=(("n", rows().aggregate),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Conditions, "check", lambda self, conditions: None)
        patch.setattr(Conditions, "left", lambda self, grouping, few: grouping)
        unchanged = checked_question(query, TRIED)
    ((_, every),) = unchanged.keys
    kept = [row for row in ROWS if all(evaluate(one, row) is True for one in unchanged.where)]
    held = {every.labels[place] for row in kept if (place := group(every, row)) is not None}  # type: ignore[union-attr, index]
    try:
        ((_, left),) = checked_question(query, TRIED).keys
    except DiscreetError:
        assert not held
        return len(every.labels)  # type: ignore[union-attr]
    assert held <= set(left.labels)  # type: ignore[union-attr]
    assert list(left.labels) == [one for one in every.labels if one in left.labels]  # type: ignore[union-attr]
    for row in kept:  # and a row has the place of its own label
        one, two = group(every, row), group(left, row)
        assert (one is None) == (two is None)
        assert one is None or every.labels[one] == left.labels[two]  # type: ignore[union-attr, index]
    return len(every.labels) - len(left.labels)  # type: ignore[union-attr]


def test_no_declared_row_is_in_a_group_that_is_left_out() -> None:
    """Every row that can be declared is tried; and groups are left out often."""
    many = [excluded(seed) for seed in range(400)]
    assert sum(number > 0 for number in many) > 100


def test_a_group_that_is_left_out_without_a_reason_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control: the last group is left out as well."""
    left = Conditions.left

    def fewer(self: Conditions, grouping: Grouping, *, few: bool) -> Grouping | None:
        found = left(self, grouping, few=few)
        if isinstance(found, ListedGrouping) and len(found.values) > 1:
            return replace(found, values=found.values[:-1])
        if isinstance(found, IntegerGrouping) and found.low < found.high:
            return replace(found, high=found.high - 1)
        return found

    monkeypatch.setattr(Conditions, "left", fewer)
    with pytest.raises(AssertionError):
        [excluded(seed) for seed in range(100)]
