"""What is measured together, what is not, and that it is better so."""

import itertools
import warnings
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.measures.counts import COUNT, ROWS, Partition, implies, value_where_true
from discreet.measures.joint import _errors, ways
from discreet.measures.measure import (
    Aggregate,
    CheckedAggregate,
    GroupIntegers,
    Measure,
    MeasureRules,
    Output,
    Unit,
)
from discreet.measures.registry import _arguments, _outputs, measured
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.noise import Keystream
from discreet.plan.expressions import Named
from discreet.plan.schema import Column, Schema, boolean, category, integer, number
from discreet.question.builder import AggregateExpression, col, people, rows, when
from discreet.release.plan import Plan
from discreet.sql.read.select import parse_select
from tests.support.evidence import most_misses

COLUMNS: dict[str, Column] = {
    "x": number(0, 10),
    "y": number(-7, 3),
    "z": number(5, 6),
    "age": integer(0, 100),
    "ward": category(["A", "B", "C"]),
    "flag": boolean(),
}
ADDED = MeasureRules(replace=False, fixed=False, by_person=True)
REPLACED = MeasureRules(replace=True, fixed=False, by_person=False)
GROUPED = MeasureRules(replace=True, fixed=False, by_person=False, keyed=True)
FIXED = MeasureRules(replace=True, fixed=True, by_person=False)
FOUND = MeasureRules(False, False, by_person=False, keyed=True, selects_keys=True)


def where(condition: Any) -> AggregateExpression:
    """COUNT(*) FILTER (WHERE condition)."""
    return when(condition).then(1).otherwise(None).count()


YOUNG, OLD = where(col("age") < 18), where(col("age") >= 18)
IN_A, IN_B = where(col("ward") == "A"), where(col("ward") == "B")
X, Y = col("x"), col("y")


def kinds(*asked: AggregateExpression, rules: MeasureRules = ADDED) -> list[str]:
    """The measures of aggregates: two with one name are one measure."""
    outputs = measured(named(asked), COLUMNS, rules)
    numbers: dict[Measure, int] = {}
    for output in outputs:
        numbers.setdefault(output.measure, len(numbers))
    return [f"{type(one.measure).__name__} {numbers[one.measure]}" for one in outputs]


def named(asked: Any) -> list[tuple[str, Aggregate]]:
    return [(f"a{place}", one.aggregate) for place, one in enumerate(asked)]


def test_count_and_sum_of_a_column_are_one_measure() -> None:
    assert kinds(X.count(), X.sum()) == ["Moments 0"] * 2
    assert kinds(rows(), X.sum()) == ["Moments 0"] * 2
    assert kinds(X.sum(), rows(), X.count()) == ["Moments 0"] * 3
    assert kinds(X.sum(), X.count(), Y.count(), Y.sum()) == ["Moments 0"] * 2 + ["Moments 1"] * 2
    assert kinds(rows(), X.sum(), rules=GROUPED) == ["Moments 0"] * 2


def test_what_would_gain_nothing_is_measured_as_before() -> None:
    assert kinds(X.sum()) == ["Total 0"]
    assert kinds(rows()) == ["Rows 0"]
    assert kinds(X.sum(), Y.sum()) == ["Total 0", "Total 1"]
    assert kinds(X.sum(), Y.count()) == ["Total 0", "Present 1"]
    assert kinds(rows(), X.sum(), rules=REPLACED) == ["Rows 0", "Total 1"]
    assert kinds(rows(), X.sum(), rules=FIXED) == ["Size 0", "FixedTotal 1"]
    assert kinds(X.count(), X.sum(), rules=GROUPED) == ["Present 0", "Total 1"]  # filled in
    assert kinds(people(), X.sum()) == ["People 0", "Total 1"]
    assert kinds(IN_A, YOUNG) == ["Present 0", "Present 1"]
    assert kinds(IN_A, IN_B, rules=REPLACED) == ["Present 0", "Present 1"]


def test_rows_that_key_selection_counts_stay_with_it() -> None:
    assert kinds(rows(), X.sum(), rules=FOUND) == ["Rows 0", "Total 1"]
    assert kinds(rows(), IN_A, rules=FOUND) == ["Rows 0", "Present 1"]
    assert kinds(X.count(), X.sum(), rows(), rules=FOUND) == ["Moments 0", "Moments 0", "Rows 1"]


def test_a_condition_and_all_rows_are_its_two_sides() -> None:
    assert kinds(rows(), IN_A) == ["Partition 0"] * 2
    assert kinds(rows(), X.count()) == ["Partition 0"] * 2
    assert kinds(rows(), IN_A, rules=GROUPED) == ["Partition 0"] * 2
    assert kinds(rows(), IN_A, rules=REPLACED) == ["Rows 0", "Present 1"]
    assert kinds(rows(), IN_A, rules=FIXED) == ["Size 0", "Present 1"]
    by_row = MeasureRules(False, False, by_person=False)
    assert kinds(people(), people(col("ward") == "A"), rules=by_row) == ["Partition 0"] * 2


def test_conditions_that_exclude_each_other_are_one_partition() -> None:
    assert kinds(YOUNG, OLD) == ["Partition 0"] * 2
    assert kinds(rows(), YOUNG, OLD) == ["Partition 0"] * 3
    assert kinds(YOUNG, OLD, IN_A, IN_B) == ["Partition 0"] * 2 + ["Partition 1"] * 2
    assert kinds(rows(), YOUNG, IN_A, OLD) == [
        *("Partition 0", "Partition 0", "Present 1", "Partition 0")
    ]
    ages = [where(col("age").is_between(low, low + 9)) for low in range(0, 100, 10)]
    assert kinds(*ages) == ["Partition 0"] * 10
    assert kinds(*ages[:3], rules=FIXED) == ["Partition 0"] * 3  # 2/ε each, and 3/ε apart
    assert kinds(*ages[:2], rules=FIXED) == ["Present 0", "Present 1"]


def test_a_condition_inside_another_is_a_part_of_it() -> None:
    inside = where((col("age") < 18) & (col("ward") == "A"))
    assert kinds(inside, YOUNG) == ["Partition 0"] * 2
    assert kinds(rows(), YOUNG, inside, IN_A) == ["Partition 0"] * 3 + ["Present 1"]
    assert kinds(inside, OLD, YOUNG) == ["Partition 0"] * 3
    assert kinds(YOUNG, IN_A) == ["Present 0", "Present 1"]  # neither is inside the other


def test_a_condition_on_a_column_is_a_part_of_the_rows_that_have_it() -> None:
    assert kinds(where(X > 3), X.count()) == ["Partition 0"] * 2
    assert kinds(where(X > 3), Y.count()) == ["Present 0", "Present 1"]
    assert kinds(where(X > 3), X.count(), rows()) == ["Partition 0"] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = polars.DataFrame({"x": [1.0, 5.0, None, 9.0] * 50})
        columns = {"x": number(0, 10)}
        budget = dp.Budget(epsilon=100)
        with dp.table(
            frame, name="t", unit="row", columns=columns, budget=budget, ledger=":memory:"
        ) as opened:
            share = "SELECT 100 * COUNT(*) FILTER (WHERE x > 3) / COUNT(x) AS s FROM t"
            found = opened.sql(share, epsilon=50)["s"]
            assert 60 < found.value < 72
            assert found.interval(Fraction(999999, 10**6))[1] <= 100


CONDITIONS = [
    *("x > 3", "NOT x > 3", "x + y > 3", "x > y", "flag", "NOT flag", "flag = (x > 3)"),
    *("flag = (a AND b)", "(a AND b) = flag", "a AND b", "a OR b", "x > 3 OR x < 1"),
    *("x > 3 OR y > 3", "NOT (x > 3 AND y > 3)", "x IS NULL", "x IS NOT NULL", "x IN (1, 5)"),
    *("COALESCE(x, 5) > 3", "ABS(x) > 3", "x BETWEEN 1 AND 5", "CASE WHEN x > 3 THEN a ELSE b END"),
]


def test_where_a_condition_is_said_to_need_a_column_no_row_is_without_it() -> None:
    """By a database, on all rows of a small domain, with all that may be missing."""
    columns = {"x": number(-9, 9), "y": number(-9, 9)} | dict.fromkeys("ab", boolean())
    schema = Schema(name="t", columns=columns | {"flag": boolean()})
    values = {"x": "(0), (5), (NULL)", "y": "(0), (5), (NULL)"}
    truths = "(true), (false), (NULL)"
    source = ", ".join(
        f"(VALUES {values.get(name, truths)}) AS v_{name}({name})" for name in schema.columns
    )
    said = 0
    for condition in CONDITIONS:
        count = parse_select(f"SELECT COUNT(*) FILTER (WHERE {condition}) FROM t", schema)
        [(_, asked)] = count.outputs
        node = asked.of
        assert node is not None
        for name in columns:
            without = f"SELECT COUNT(*) FROM {source} WHERE ({condition}) AND {name} IS NULL"
            [(rows_without,)] = duckdb.sql(without).fetchall()
            assert not (implies(node, Named(name)) and rows_without), (condition, name)
            said += implies(node, Named(name))
    assert said >= 12


def test_rows_beside_a_mean_come_with_conditions() -> None:
    """They have two draws of noise there, and three beside the mean."""
    assert kinds(X.mean(), rows(), IN_A) == ["Moments 0", "Partition 1", "Partition 1"]
    assert kinds(X.mean(), rows()) == ["Moments 0"] * 2
    assert kinds(X.mean(), IN_A) == ["Moments 0", "Present 1"]


def test_a_sum_of_ones_is_a_count() -> None:
    ones = when(col("ward") == "A").then(1).otherwise(0)
    assert kinds(rows(), ones.sum()) == ["Partition 0"] * 2
    assert kinds(IN_B, ones.sum()) == ["Partition 0"] * 2
    assert kinds(ones.sum()) == ["Total 0"]
    twos = when(col("ward") == "A").then(2).otherwise(0)
    assert kinds(IN_B, twos.sum()) == ["Present 0", "Total 1"]


def test_means_and_what_comes_with_them_are_measured_as_before() -> None:
    assert kinds(X.mean(), rows(), X.sum(), X.count()) == ["Moments 0"] * 4
    assert kinds(X.var(), X.sum()) == ["Moments 0"] * 2
    assert kinds(X.mean(), Y.sum()) == ["Moments 0", "Total 1"]


def test_grids_of_sums_are_as_fine_as_before() -> None:
    (alone,) = measured(named([X.sum()]), COLUMNS, ADDED)
    both = measured(named([X.sum(), rows()]), COLUMNS, ADDED)
    assert alone.measure.value == both[0].measure.value  # type: ignore[attr-defined]


@pytest.mark.parametrize("many", range(1, 9))
def test_rows_beside_sums_of_many_columns_are_where_the_worst_error_is_less(many: int) -> None:
    """Up to three columns with the first one's sum; beyond, by themselves."""
    columns = {f"c{place}": number(0, 10) for place in range(many)}
    outputs = measured(named([rows(), *(col(name).sum() for name in columns)]), columns, ADDED)
    found = [type(one.measure).__name__ for one in outputs]
    totals = ["Total"] * (many - 1)
    assert found == (["Moments", "Moments", *totals] if many <= 3 else ["Rows", "Total", *totals])


aggregates = st.sampled_from(
    [
        *(rows(), X.sum(), X.count(), Y.sum(), Y.count(), col("z").sum(), X.mean(), YOUNG, OLD),
        *(IN_A, IN_B, where(~col("flag")), where(col("flag")), X.median(), people()),
    ]
)
rules_drawn = st.sampled_from([ADDED, REPLACED, GROUPED, FIXED, FOUND])


@given(st.lists(aggregates, min_size=1, max_size=7), rules_drawn)
def test_no_way_has_a_worst_output_that_is_less_worse(
    asked: list[AggregateExpression], rules: MeasureRules
) -> None:
    """By the naive rule, over every way that is compared."""
    checked = [CheckedAggregate(name, one, *_arguments(one, COLUMNS)) for name, one in named(asked)]
    tried = [_outputs(one) for one in ways(checked, rules)]
    errors = [_errors(one, rules) for one in tried]
    best = [min(column) for column in zip(*errors, strict=True)]
    regrets = [
        max((a / b for a, b in zip(one, best, strict=True) if b), default=Fraction(1))
        for one in errors
    ]
    chosen = measured(named(asked), COLUMNS, rules)
    assert regrets[tried.index(chosen)] == min(regrets)
    assert len(tried) == 1 or chosen == tried[regrets.index(min(regrets))]


@given(low=st.integers(-1000, 1000), width=st.integers(1, 2000), whole=st.booleans())
def test_under_add_remove_count_and_sum_always_gain(low: int, width: int, whole: bool) -> None:
    """By variance: 2/4 or 3/4 of a count's, and (low² + high²)/(4·max²) ≤ 1/2 of a sum's."""
    column = {"x": integer(low, low + width) if whole else number(low, low + width)}
    for asked in ([X.sum(), X.count()], [X.sum(), rows()], [X.sum(), rows(), X.count()]):
        checked = [
            CheckedAggregate(name, one, *_arguments(one, column)) for name, one in named(asked)
        ]
        errors = [_errors(_outputs(one), ADDED) for one in ways(checked, ADDED)]
        assert all(a < b for a, b in zip(errors[-1], errors[0], strict=True)) or len(asked) == 3
        assert all(
            type(one.measure).__name__ == "Moments" for one in measured(named(asked), column, ADDED)
        )


# ---------------------------------------------------------------------- answers


@pytest.fixture
def table() -> Any:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [4.0, None] * 500, "age": [10, 20, 30, 70] * 250})
    with dp.table(
        frame,
        name="t",
        unit="row",
        budget=dp.Budget(epsilon=10),
        columns={"x": dp.number(0, 10), "age": dp.integer(0, 100)},
        ledger=":memory:",
    ) as opened:
        yield opened


def margins(plan: Plan) -> dict[str, float]:
    return {name: round(float(margin), 2) for name, margin in plan.margins().items()}


def test_the_margins_at_epsilon_one(table: Any) -> None:
    """± 4.97 and ± 29.96, where apart they were ± 6 and ± 59.91."""
    planned = table.agg(n=dp.rows(), s=dp.col("x").sum()).plan(epsilon=1)
    assert margins(planned) == {"n": 4.97, "s": 29.96}
    young = dp.when(dp.col("age") < 18).then(1).otherwise(None).count()
    assert margins(table.agg(n=dp.rows(), a=young).plan(epsilon=1)) == {"n": 4, "a": 3}


def test_parts_are_the_counts_that_were_asked_for(table: Any) -> None:
    answer = table.sql(
        "SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE age < 18) AS young, "
        "COUNT(*) FILTER (WHERE age BETWEEN 18 AND 64) AS middle, "
        "COUNT(*) - COUNT(*) FILTER (WHERE age < 18) AS others, "
        "COUNT(*) FILTER (WHERE age < 18) / COUNT(*) AS part FROM t",
        epsilon=1,
    )
    for name, truth in {"n": 1000, "young": 250, "middle": 500, "others": 750}.items():
        assert abs(answer[name].value - truth) <= 40
    assert answer["others"].margin < answer["n"].margin  # the noise of young is not in it
    low, high = answer["part"].interval()
    assert 0.2 < low <= high < 0.3
    assert high - low < 0.012


def test_parts_of_parts_are_the_counts_that_were_asked_for(table: Any) -> None:
    answer = table.sql(
        "SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE age < 18) AS young, "
        "COUNT(*) FILTER (WHERE age < 18 AND x > 5) AS young_and_more, "
        "SUM(CASE WHEN age < 18 AND x > 5 THEN 1 ELSE 0 END) AS ones, "
        "COUNT(*) FILTER (WHERE age >= 18) AS old FROM t",
        epsilon=Fraction(1, 2),
    )
    for name, true in {"n": 1000, "young": 250, "old": 750}.items():
        assert abs(answer[name].value - true) <= 40
    assert -40 <= answer["young_and_more"].value <= answer["young"].value + 40
    assert answer["ones"].value == answer["young_and_more"].value


SHARED = Partition(tuple(value_where_true(Named(name)) for name in ("a", "b")), rest=True)


@pytest.mark.parametrize(
    "noise", [Laplace(scale=30), Gaussian(sigma=30)], ids=["laplace", "gaussian"]
)
def test_arithmetic_between_parts_knows_that_they_share_their_noise(noise: Any) -> None:
    """all + a = 2a + b + rest has the variance 6; taken for independent, it would be 4."""
    unit, trials, truth = Unit(), 4000, (500, 300, 100)
    both = [
        SHARED.decoder(Output("", Aggregate(ROWS), SHARED), noise, unit, None),
        SHARED.decoder(
            Output("", Aggregate(COUNT), SHARED, node=value_where_true(Named("a"))),
            noise,
            unit,
            None,
        ),
    ]
    draws = noise.draw(3 * trials, Keystream()).reshape(trials, 3) + np.array(truth)
    missed = {True: 0, False: 0}
    for drawn in draws.tolist():
        for shared in (True, False):
            numbers = GroupIntegers(drawn) if shared else drawn
            (n, error), (a, other) = (decoded(numbers) for decoded in both)
            together = error.plus(Fraction(1), other, Fraction(1))
            low, high = together.interval(n + a, Fraction(95, 100))
            missed[shared] += not low <= sum(truth) + truth[0] <= high
    assert missed[True] <= most_misses(trials, 0.05)
    assert missed[False] > most_misses(trials, 0.05), "the negative control"


def test_a_part_comes_after_all_that_imply_it_in_every_order() -> None:
    """COUNT(x) before COUNT(*) FILTER (WHERE x > 3): each has one condition."""
    known, more, much = X.count(), where(X > 3), where((X > 3) & (col("ward") == "A"))
    for asked in itertools.permutations([known, more, much]):
        [parts] = {one.measure for one in measured(named(asked), COLUMNS, ADDED)}
        assert isinstance(parts, Partition)
        assert [parts.nodes.index(one.aggregate.of) for one in (much, more, known)] == [0, 1, 2]
