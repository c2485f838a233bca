"""What is done with released numbers: its values, its errors, and that it costs nothing."""

from fractions import Fraction
from math import inf, isnan
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.errors import QueryError
from discreet.plan.expressions import Named, Node
from discreet.privacy.estimates import Estimate, LinearError, NoiseDraw, Payment
from discreet.privacy.losses import PureDP
from discreet.question.query import PostProcessing
from discreet.release.run import computed_column, evaluated, rows_kept
from discreet.sql.read.expressions import parse_expression
from tests.support.trials import all_but

ALLOWANCE = 1e-6
"""How often a test of this file may fail without a fault."""


def node(text: str) -> Node:
    return parse_expression(text)


@pytest.fixture(scope="module")
def answers() -> Any:
    """Counts and sums of one question, asked with little noise."""
    import warnings

    from tests.support.hospital import visits_columns, visits_frame

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = dp.table(
            visits_frame(),
            name="visits",
            unit="patient",
            budget=dp.Budget(epsilon=10**9),
            columns=visits_columns(),
            max_groups=3,
            max_rows=6,
            ledger=":memory:",
        )
    return table


def test_computed_columns_cost_nothing_and_say_how_they_were_made(answers: Any) -> None:
    text = "SELECT ward, SUM(stay) / COUNT(*) AS mean_stay FROM visits GROUP BY ward"
    before = answers.budget.spent.epsilon
    release = answers.sql(text, epsilon=1)
    assert answers.budget.spent.epsilon == before + 1
    assert list(release.columns) == ["mean_stay"]
    (made,) = [one for one in release.certificate.mechanisms if one["output"] == "mean_stay"]
    assert made["asks"] == "sum_stay / count"
    assert made["epsilon"] == "0"
    paid = {one["output"]: one["epsilon"] for one in release.certificate.mechanisms}
    assert paid == {"sum_stay": "1", "count": "0", "mean_stay": "0"}  # one measurement, for one ε
    assert release["mean_stay"]["A"].loss == PureDP(epsilon=1)


def test_a_computed_column_is_what_arithmetic_on_the_answers_gives(answers: Any) -> None:
    release = answers.sql(
        "SELECT COUNT(*) AS n, SUM(stay) AS s, 2 * COUNT(*) - 1 AS twice, "
        "SUM(stay) / COUNT(*) AS m, LEAST(COUNT(*), 100) AS few, ABS(0 - COUNT(*)) AS far, "
        "CASE WHEN COUNT(*) > 100 THEN SUM(stay) ELSE 0 END AS kept FROM visits",
        epsilon=20,
    )
    n, s = release["n"].value, release["s"].value
    assert release["twice"].value == pytest.approx(2 * n - 1)
    assert release["m"].value == pytest.approx(s / n)
    assert release["few"].value == 100
    assert release["far"].value == pytest.approx(n)
    assert release["kept"].value == pytest.approx(s)
    assert release["twice"].margin == pytest.approx(2 * release["n"].margin, rel=1e-6)
    assert (release["few"].lower, release["few"].upper) == (100, 100)
    assert release["kept"].lower == pytest.approx(release["s"].interval(0.975)[0])


def test_groups_are_kept_ordered_and_cut_by_what_was_released(answers: Any) -> None:
    release = answers.sql(
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 60 ORDER BY n DESC",
        epsilon=20,
    )
    values = [one.value for one in release.column("n")]
    assert "D" not in {group[0] for group in release.groups}  # nobody is there
    assert values == sorted(values, reverse=True)
    cut = answers.sql(
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward DESC LIMIT 2 OFFSET 1",
        epsilon=1,
    )
    assert cut.groups == (("C",), ("B",))


def test_what_is_ordered_by_need_not_be_shown(answers: Any) -> None:
    release = answers.sql(
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY AVG(stay)", epsilon=1
    )
    assert list(release.columns) == ["n"]
    assert {one["output"] for one in release.certificate.mechanisms} == {"n", "avg_stay"}


def test_top_is_the_same_question_in_sql_and_in_python(answers: Any) -> None:
    text = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2"
    assert answers.ask(text).query == answers.group_by("ward").agg(n=dp.rows()).top(2).query


def test_what_is_computed_from_quantiles_has_an_interval(answers: Any) -> None:
    release = answers.sql(
        "SELECT QUANTILE(stay, 0.75) - QUANTILE(stay, 0.25) AS spread, "
        "QUANTILE(stay, 0.75) AS high, QUANTILE(stay, 0.25) AS low FROM visits",
        epsilon=10,
    )
    spread, high, low = (release[name] for name in ("spread", "high", "low"))
    assert spread.rank_error is None
    each = Fraction(39, 40)
    assert spread.interval() == (
        high.interval(each)[0] - low.interval(each)[1],
        high.interval(each)[1] - low.interval(each)[0],
    )


FUNCTIONS: dict[str, Any] = {
    "SQRT(SUM(stay * stay) / COUNT(stay))": lambda s, n: (s / n).sqrt(),
    "LN(COUNT(stay))": lambda s, n: n.log(),
    "LOG10(COUNT(stay) + 1)": lambda s, n: (n + 1).log10(),
    "EXP(COUNT(stay) / 1000)": lambda s, n: (n / 1000).exp(),
    "POWER(COUNT(stay) - 500, 2)": lambda s, n: (n - 500) ** 2,
    "POWER(COUNT(stay), -0.5)": lambda s, n: n**-0.5,
    "ABS(COUNT(stay) - 500)": lambda s, n: abs(n - 500),
    "FLOOR(COUNT(stay) / 7)": lambda s, n: (n / 7).floor(),
    "CLIP(COUNT(stay), 0, 300)": lambda s, n: n.clip(0, 300),
}


@pytest.mark.parametrize("text", FUNCTIONS)
def test_a_function_in_sql_is_the_function_of_the_estimate(answers: Any, text: str) -> None:
    release = answers.sql(
        f"SELECT {text} AS made, SUM(stay * stay) AS s, COUNT(stay) AS n FROM visits", epsilon=1
    )
    expected = FUNCTIONS[text](release["s"], release["n"])
    assert release["made"].value == expected.value
    for level in (0.5, 0.95, 0.999):
        assert release["made"].noise_interval(level) == expected.noise_interval(level)
        assert release["made"].interval(level) == expected.interval(level)
    assert release["made"].loss == PureDP(epsilon=1)


def test_a_function_before_the_release_is_that_of_sql(answers: Any) -> None:
    stay = dp.col("stay")
    asked = answers.agg(
        a=(stay.sum() / stay.count()).sqrt(),
        b=stay.sum().round(1),
        c=stay.count().log(),
        d=abs(stay.count() - 500) ** 2,
        e=stay.sum().clip(0, 5),
    )
    text = (
        "SELECT SQRT(SUM(stay) / COUNT(stay)) AS a, ROUND(SUM(stay), 1) AS b, "
        "LN(COUNT(stay)) AS c, POWER(ABS(COUNT(stay) - 500), 2) AS d, CLIP(SUM(stay), 0, 5) AS e "
        "FROM visits"
    )
    assert asked.query.after == answers.ask(text).query.after


def test_the_least_and_the_greatest_lie_where_the_other_number_lets_them(answers: Any) -> None:
    release = answers.sql(
        "SELECT COUNT(*) AS n, LEAST(COUNT(*), 1e9) AS same, GREATEST(COUNT(*), 1000) AS high, "
        "LEAST(COUNT(*), 1000) AS low FROM visits",
        epsilon=Fraction(1, 50),  # an interval that reaches beyond 1000 on both sides
    )
    least, most = release["n"].noise_interval()
    assert least < 1000 < most
    assert release["same"].noise_interval() == (least, most)
    assert release["high"].noise_interval() == (1000, most)
    assert release["low"].noise_interval() == (least, 1000)


def test_what_has_no_value_is_shown_as_none(answers: Any) -> None:
    release = answers.sql(
        "SELECT LN(COUNT(*) - 1000000) AS x, COUNT(*) AS n FROM visits", epsilon=1
    )
    assert isnan(release["x"].value)
    assert release["x"].interval() == (-inf, inf)


def test_a_function_keeps_and_orders_groups(answers: Any) -> None:
    release = answers.sql(
        "SELECT ward, LN(COUNT(*)) AS x FROM visits GROUP BY ward HAVING SQRT(COUNT(*)) > 5 "
        "ORDER BY LN(COUNT(*)) DESC",
        epsilon=20,
    )
    values = [one.value for one in release.column("x")]
    assert values == sorted(values, reverse=True)
    assert "D" not in {group[0] for group in release.groups}  # nobody is there


def test_what_is_computed_from_ends_has_no_bounds_and_says_so(answers: Any) -> None:
    release = answers.sql("SELECT MAX(stay) - MIN(stay) AS reach FROM visits", epsilon=10)
    assert release["reach"].rank_error == inf
    assert any("no bounds can be given" in note for note in release.notes)


def test_days_between_two_dates_have_an_interval(answers: Any) -> None:
    release = answers.sql(
        "SELECT QUANTILE(admitted, 0.75) - QUANTILE(admitted, 0.25) AS days FROM visits", epsilon=10
    )
    low, high = release["days"].interval()
    assert low <= release["days"].value <= high


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT ward, COUNT(*) + LENGTH(ward) AS x FROM visits GROUP BY ward", "LENGTH(ward)"),
        ("SELECT age, COUNT(*) * age AS x FROM visits GROUP BY age", "the group 'age'"),
        ("SELECT ward, COUNT(*) > 3 AS x FROM visits GROUP BY ward", "not a number"),
        ("SELECT ward, COUNT(*) + stay AS x FROM visits GROUP BY ward", "neither an aggregate"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING COUNT(*)", "not a condition"),
        ("SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3", "Write HAVING"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward LIMIT 0", "LIMIT 3"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY 9", "position '9'"),
        ("SELECT COUNT(*) % 7 AS x FROM visits", "carried through"),
        ("SELECT MOD(SUM(stay), COUNT(*)) AS x FROM visits", "carried through"),
        ("SELECT age, COUNT(*) FROM visits GROUP BY age HAVING age % 2 = 0", "carried through"),
        ("SELECT age, COUNT(*) FROM visits GROUP BY age ORDER BY age % 2", "carried through"),
    ],
)
def test_what_has_no_error_to_carry_is_refused_before_it_is_paid(
    answers: Any, text: str, part: str
) -> None:
    before = answers.budget.charges
    with pytest.raises(QueryError) as refusal:
        answers.sql(text, epsilon=1)
    assert part in str(refusal.value)
    assert answers.budget.charges == before


def test_an_answer_whose_only_row_was_left_out_says_so(answers: Any) -> None:
    release = answers.sql("SELECT COUNT(*) AS n FROM visits HAVING n < 0", epsilon=1)
    assert len(release) == 0
    with pytest.raises(dp.DataError, match="no row"):
        release["n"]


# ---------------------------------------------------------------------- values


ROW = {"a": 3, "b": 0.5, "none": float("nan"), "w": "A", "zero": 0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", 3.5),
        ("a / zero", None),
        ("none + 1", None),
        ("none IS NULL", True),
        ("a > 2 AND none > 2", None),
        ("a > 5 AND none > 2", False),
        ("a > 2 OR none > 2", True),
        ("NOT none > 2", None),
        ("w = 'A'", True),
        ("w IN ('B', 'C')", False),
        ("CASE WHEN none > 1 THEN 1 ELSE 2 END", 2),
        ("FLOOR(b)", 0),
        ("CLIP(a, 0, 2)", 2),
        ("NULLIF(a, 3)", None),
        ("COALESCE(none, 7)", 7),
        ("a BETWEEN 1 AND 3", True),
    ],
)
def test_expressions_on_values_follow_sql(text: str, expected: object) -> None:
    assert evaluated(node(text), ROW) == expected


def test_rows_without_a_key_come_last_and_ties_stay_in_order() -> None:
    rows = [{"n": n, "w": w} for n, w in [(1, "a"), (float("nan"), "b"), (2, "c"), (1, "d")]]
    for falling, expected in ((False, [0, 3, 2, 1]), (True, [2, 0, 3, 1])):
        assert rows_kept(PostProcessing(order=((Named("n"), falling),)), rows) == expected
    both = PostProcessing(order=((Named("n"), True), (Named("w"), True)))
    assert rows_kept(both, rows) == [2, 3, 0, 1]


# ---------------------------------------------------------------------- errors

SCALE = 4
TRUTH = {"a": 40, "b": 25, "c": 60}
EXPRESSIONS = (
    "a / b",
    "a * b - c",
    "100 * a / (a + b)",
    "LEAST(a, b)",
    "GREATEST(a, 41)",
    "CASE WHEN a > 40 THEN b ELSE c END",
    "ABS(a - 42)",
    "FLOOR(a / 10) * 10",
    "(a - b) / NULLIF(c, 0)",
    "a + b - c",
)
TRIALS = 4000


def noisy(generator: np.random.Generator) -> dict[str, Estimate]:
    law = dp.Laplace(scale=SCALE)
    paid = Payment(PureDP(epsilon=1))
    return {
        name: Estimate(
            value=true
            + int(generator.geometric(1 - np.exp(-1 / SCALE)))
            - int(generator.geometric(1 - np.exp(-1 / SCALE))),
            error=LinearError(((Fraction(1), NoiseDraw(law)),)),
            releases=(paid,),
            mechanism=law,
            neighbors="add-remove",
        )
        for name, true in TRUTH.items()
    }


def misses(text: str, confidence: Fraction) -> int:
    """How often the true value is outside the interval."""
    generator, asked = np.random.default_rng(5), node(text)
    truth = evaluated(asked, TRUTH)
    found = 0
    for _ in range(TRIALS):
        lower, upper = computed_column(asked, noisy(generator)).interval(confidence)
        found += not lower <= truth <= upper
    return found


@pytest.mark.parametrize("text", all_but(list(EXPRESSIONS)[:3], EXPRESSIONS, pytest.mark.slow))
def test_a_computed_interval_holds_as_often_as_it_says(text: str) -> None:
    """More misses than this come up with probability below 10^-6 if each has at most 10%."""
    assert misses(text, Fraction(9, 10)) <= binom.isf(ALLOWANCE, TRIALS, 0.1)


def test_intervals_that_are_not_widened_for_their_parts_would_be_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The negative control: every part at half the confidence that it needs."""
    honest = Estimate.noise_interval

    def careless(self: Estimate, confidence: Any = Fraction(19, 20)) -> Any:
        return honest(self, Fraction(confidence) / 2)

    monkeypatch.setattr(Estimate, "noise_interval", careless)
    assert misses("a * b - c", Fraction(9, 10)) > binom.isf(ALLOWANCE, TRIALS, 0.1)


def test_a_value_that_cannot_be_computed_is_missing() -> None:
    parts = noisy(np.random.default_rng(1))
    zero = Estimate(
        value=0,
        error=parts["b"].error,
        releases=parts["a"].releases,
        mechanism=None,
        neighbors="add-remove",
    )
    found = computed_column(node("a / b"), parts | {"b": zero})
    assert isnan(found.value)
    assert found.interval() == (-inf, inf)


def test_bins_are_ordered_by_their_edges_and_not_by_their_texts(answers: Any) -> None:
    release = answers.sql(
        "SELECT BINS(age, 0, 5, 10, 50, 100, 121) AS b, COUNT(*) AS n, "
        "LAG(COUNT(*)) OVER (ORDER BY b) AS before FROM visits GROUP BY b ORDER BY b DESC",
        epsilon=1,
    )
    starts = [int(label[1:].split(",")[0]) for (label,) in release.groups]
    assert starts == [100, 50, 10, 5, 0]
    numbers = [one.value for one in release.column("n")]
    assert [one.value for one in release.column("before")[:-1]] == numbers[1:]
