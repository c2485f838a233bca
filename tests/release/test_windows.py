"""Windows over released groups: values as DuckDB computes them, errors of all parts, no price."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, isnan
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.errors import DataError, QueryError
from discreet.plan.expressions import Named
from discreet.privacy.estimates import Estimate, LinearError, NoiseDraw, Payment
from discreet.privacy.losses import PureDP
from discreet.question.query import GroupWindow, PostProcessing
from discreet.release import windows
from discreet.release.run import computed_column, with_windows
from discreet.sql.read.expressions import parse_expression

ALLOWANCE = 1e-6
"""How often a test of this file may fail without a fault."""


@pytest.fixture
def months() -> dp.Table:
    """People with one visit in one ward and month each."""
    rows = [
        {"patient": one, "ward": "AB"[one % 7 > 2], "month": 1 + one % 12, "stay": one % 20}
        for one in range(4200)
    ]
    return dp.table(
        pandas.DataFrame(rows),
        name="visits",
        unit="patient",
        budget=dp.Budget(epsilon=5, delta=Fraction(1, 1000)),
        columns={
            "ward": dp.category(["A", "B"]),
            "month": dp.integer(1, 12),
            "stay": dp.number(0, 20),
        },
        max_rows=1,
        max_groups=1,
        ledger=":memory:",
    )


# ---------------------------------------------------------------------- values

WINDOWS = (
    "SUM(n) OVER ()",
    "AVG(n) OVER ()",
    "COUNT(*) OVER ()",
    "SUM(n) OVER (PARTITION BY ward)",
    "100.0 * n / SUM(n) OVER (PARTITION BY month)",
    "n - AVG(n) OVER (PARTITION BY ward)",
    "LAG(n) OVER (PARTITION BY ward ORDER BY month)",
    "n - LAG(n, 3) OVER (PARTITION BY ward ORDER BY month)",
    "LEAD(n, 12) OVER (ORDER BY ward, month)",
    "LEAD(n) OVER (ORDER BY month DESC, ward)",
    "n / FIRST_VALUE(n) OVER (PARTITION BY ward ORDER BY month)",
    "AVG(n) OVER (PARTITION BY ward ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
    "SUM(n) OVER (PARTITION BY ward ORDER BY month ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
    "SUM(n) OVER (PARTITION BY ward ORDER BY month ROWS BETWEEN 5 FOLLOWING AND 7 FOLLOWING)",
    "SUM(n) OVER (ORDER BY month DESC, ward ROWS 4 PRECEDING)",
    "AVG(n) OVER (PARTITION BY ward ORDER BY month)",
    "COUNT(*) OVER (PARTITION BY ward ORDER BY month ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)",
    "SUM(2 * n) OVER (PARTITION BY ward ORDER BY month DESC)",
    "COUNT(*) OVER (ORDER BY ward, month ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)",
    "RANK() OVER (ORDER BY n)",
    "RANK() OVER (ORDER BY n DESC)",
    "RANK() OVER (PARTITION BY ward ORDER BY n DESC)",
)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_is_what_duckdb_computes_from_the_released_numbers(
    months: dp.Table, window: str
) -> None:
    answer = months.sql(
        f"SELECT ward, month, COUNT(*) AS n, {window} AS w FROM visits GROUP BY ward, month",
        epsilon=1,
    )
    released = pandas.DataFrame(answer.groups, columns=["ward", "month"])
    released["n"] = [one.value for one in answer.column("n")]
    with duckdb.connect() as engine:
        engine.register("released", released)
        found = engine.sql(f"SELECT ward, month, {window} AS w FROM released").fetchall()
    expected = {(ward, month): number for ward, month, number in found}
    for group, one in zip(answer.groups, answer.column("w"), strict=True):
        if expected[group] is None:
            assert isnan(one.value)
            assert one.printed().value == "–"
        else:
            assert float(one.value) == pytest.approx(float(expected[group]), abs=1e-9)


def test_missing_numbers_have_no_interval_and_come_last(months: dp.Table) -> None:
    answer = months.sql(
        "SELECT month, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY month) AS d FROM visits "
        "GROUP BY month ORDER BY d DESC",
        epsilon=1,
    )
    assert answer.groups[-1] == (1,)
    assert answer.column("d")[-1].interval() == (-inf, inf)
    assert [one.value for one in answer.column("d")[:-1]] == sorted(
        (one.value for one in answer.column("d")[:-1]), reverse=True
    )
    assert "nan" not in str(answer)


def test_a_condition_on_groups_comes_before_a_window(months: dp.Table) -> None:
    answer = months.sql(
        "SELECT month, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS all_of FROM visits GROUP BY month "
        "HAVING month > 6",
        epsilon=1,
    )
    assert len(answer) == 6
    assert {one.value for one in answer.column("all_of")} == {
        sum(one.value for one in answer.column("n"))
    }


def test_limits_come_after_a_window(months: dp.Table) -> None:
    text = "SELECT month, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS s FROM visits GROUP BY month"
    answer = months.sql(f"{text} ORDER BY n DESC LIMIT 2", epsilon=1)
    assert len(answer) == 2
    assert 4100 < answer.column("s")[0].value < 4300


# ---------------------------------------------------------------------- all groups together


@pytest.mark.parametrize(
    ("outer", "twin"),
    [
        ("AVG(n) AS x", "AVG(n)"),
        ("SUM(n) AS x", "SUM(n)"),
        ("COUNT(*) + 0 * SUM(n) AS x", "COUNT(*)"),
        ("SUM(n) / COUNT(*) + 1 AS x", "SUM(n) / COUNT(*) + 1"),
        ("SUM(n * n) AS x", "SUM(n * n)"),
    ],
)
def test_a_select_of_all_groups_is_what_duckdb_computes(
    months: dp.Table, outer: str, twin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Sequence[float]] = []
    honest = with_windows

    def noted(after: PostProcessing, rows: Any) -> Any:
        seen.append(
            [next(one.value for one in row.values() if isinstance(one, Estimate)) for row in rows]
        )
        return honest(after, rows)

    monkeypatch.setattr("discreet.release.run.with_windows", noted)
    answer = months.sql(
        f"SELECT {outer} FROM (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) AS m",
        epsilon=1,
    )
    with duckdb.connect() as engine:
        engine.register("released", pandas.DataFrame({"n": seen[0]}))
        ((expected,),) = engine.sql(f"SELECT {twin} FROM released").fetchall()
    assert answer.keys == ()
    assert answer["x"].value == pytest.approx(expected)


def test_what_is_around_released_groups_is_one_question_with_its_price(months: dp.Table) -> None:
    plain = months.ask("SELECT month, COUNT(*) AS n FROM visits GROUP BY month").plan(epsilon=1)
    around = months.ask(
        "WITH m AS (SELECT month, COUNT(*) AS n FROM visits GROUP BY month), "
        "h AS (SELECT month, n / 2 AS half FROM m WHERE month < 7) "
        "SELECT month, half, half - LAG(half) OVER (ORDER BY month) AS change FROM h"
    ).plan(epsilon=1)
    assert [one.measure for one in around.question.outputs] == [
        one.measure for one in plain.question.outputs
    ]
    assert around.price.loss == plain.price.loss


def test_a_window_costs_nothing(months: dp.Table) -> None:
    before = months.budget.spent.epsilon
    answer = months.sql(
        "SELECT month, COUNT(*) AS n, RANK() OVER (ORDER BY n DESC) AS place, "
        "n - LAG(n) OVER (ORDER BY month) AS d FROM visits GROUP BY month",
        epsilon=1,
    )
    assert months.budget.spent.epsilon == before + 1
    prices = {one["output"]: one["epsilon"] for one in answer.certificate.mechanisms}
    assert prices == {"n": "1", "place": "0", "d": "0"}


def test_no_groups_have_no_sum(months: dp.Table) -> None:
    found = dp.table(
        pandas.DataFrame({"patient": [1, 2], "town": ["x", "y"]}),
        name="people",
        unit="patient",
        budget=dp.Budget(epsilon=5, delta=Fraction(1, 1000)),
        columns={"town": dp.text()},
        max_rows=1,
        max_groups=1,
        ledger=":memory:",
    ).sql(
        "SELECT SUM(n) AS s FROM (SELECT town, COUNT(*) AS n FROM people GROUP BY town) AS t",
        epsilon=1,
        delta=Fraction(1, 10**6),
    )
    assert len(found) == 0
    with pytest.raises(DataError, match=r"has no number"):
        found["s"]


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT month, SUM(stay) OVER () FROM visits GROUP BY month", "a window over rows"),
        ("SELECT COUNT(*) OVER () FROM visits", "a window over rows"),
        (
            "SELECT month, SUM(COUNT(*)) OVER () AS s FROM visits GROUP BY month "
            "HAVING COUNT(*) > 9",
            "would lean to one side",
        ),
        (
            "SELECT SUM(n) FROM (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) AS m "
            "WHERE n > 9",
            "would lean to one side",
        ),
        (
            "SELECT month, LAG(COUNT(*)) OVER (ORDER BY COUNT(*)) AS s FROM visits GROUP BY month",
            "RANK orders groups by released numbers",
        ),
        (
            "SELECT month, RANK() OVER (ORDER BY month) AS s, COUNT(*) FROM visits GROUP BY month",
            "RANK orders groups by released numbers",
        ),
        (
            "SELECT ward, month, LAG(COUNT(*)) OVER (ORDER BY month) AS s FROM visits "
            "GROUP BY ward, month",
            "several groups come at once",
        ),
        (
            "SELECT ward, month, SUM(COUNT(*)) OVER () AS s FROM visits "
            "GROUP BY CUBE (ward, month)",
            "count what is in both twice",
        ),
        (
            "SELECT month, SUM(month) OVER (), COUNT(*) FROM visits GROUP BY month",
            "which is a group",
        ),
        (
            "SELECT AVG(m) FROM (SELECT SUM(n) AS m FROM (SELECT month, COUNT(*) AS n FROM visits "
            "GROUP BY month) AS a) AS b",
            "around one that adds up all groups",
        ),
        (
            "SELECT MAX(n) FROM (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) AS a",
            "'MAX(n)' of released groups",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) AS a",
            "asks only how many groups there are",
        ),
        (
            "SELECT COUNT(n) FROM (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) AS a",
            "how many groups there are",
        ),
    ],
)
def test_what_no_window_answers_is_refused_before_it_is_paid(
    months: dp.Table, text: str, part: str
) -> None:
    before = months.budget.charges
    with pytest.raises(QueryError) as refusal:
        months.sql(text, epsilon=1)
    assert part in str(refusal.value)
    assert months.budget.charges == before


# ---------------------------------------------------------------------- errors

SCALE = 3
TRUTH = (40, 25, 60, 33, 41, 44)
TRIALS = 3000
Law = Callable[[Sequence[float]], Sequence[float]]

OF_ALL: dict[str, tuple[GroupWindow, str, Law]] = {
    "percent": (
        GroupWindow("SUM", Named("n")),
        "100 * n / w",
        lambda n: [100 * one / sum(n) for one in n],
    ),
    "from the mean": (
        GroupWindow("AVG", Named("n")),
        "n - w",
        lambda n: [one - sum(n) / len(n) for one in n],
    ),
    "change": (
        GroupWindow("LAG", Named("n"), order=((Named("k"), False),)),
        "n - w",
        lambda n: [b - a for a, b in pairwise(n)],
    ),
    "moving mean": (
        GroupWindow("AVG", Named("n"), order=((Named("k"), False),), frame=(-1, 1)),
        "w",
        lambda n: [
            sum(n[max(0, at - 1) : at + 2]) / len(n[max(0, at - 1) : at + 2])
            for at in range(len(n))
        ],
    ),
}


def noisy(generator: np.random.Generator) -> list[dict[str, Any]]:
    law, paid = dp.Laplace(scale=SCALE), Payment(PureDP(epsilon=1))
    stops = generator.geometric(1 - np.exp(-1 / SCALE), (len(TRUTH), 2))
    return [
        {
            "k": place,
            "n": Estimate(
                value=true + int(up) - int(down),
                error=LinearError(((Fraction(1), NoiseDraw(law)),)),
                releases=(paid,),
                mechanism=law,
                neighbors="add-remove",
            ),
        }
        for place, (true, (up, down)) in enumerate(zip(TRUTH, stops, strict=True))
    ]


def missed(window: GroupWindow, asked: str, law: Law) -> list[int]:
    """How often the interval of each group is beside the truth."""
    generator, node = np.random.default_rng(11), parse_expression(asked)
    after, truth = PostProcessing(windows=(("w", window),)), law(TRUTH)
    found = [0] * len(truth)
    for _ in range(TRIALS):
        rows = with_windows(after, noisy(generator))
        for place, (true, row) in enumerate(zip(truth, rows[-len(truth) :], strict=True)):
            low, high = computed_column(node, row).interval()
            found[place] += not low - 1e-9 <= true <= high + 1e-9
    return found


@pytest.mark.parametrize("name", OF_ALL)
def test_an_interval_over_several_groups_holds_as_often_as_it_says(name: str) -> None:
    worst = max(missed(*OF_ALL[name]))
    assert worst <= binom.isf(ALLOWANCE / len(TRUTH), TRIALS, 0.05)


def test_a_mean_with_the_error_of_one_part_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: noise of one group alone, as if the others had none."""
    honest = windows.summed

    def careless(parts: Sequence[Estimate]) -> Estimate:
        whole = honest(parts)
        assert isinstance(whole.error, LinearError)
        return windows.computed(whole.value, LinearError(whole.error.terms[:1]), parts)

    monkeypatch.setattr(windows, "summed", careless)
    worst = max(missed(*OF_ALL["moving mean"]))
    assert worst > binom.isf(ALLOWANCE / len(TRUTH), TRIALS, 0.05)


def ranks_held(level: Fraction) -> int:
    """In how many trials all ranks lie where they are said to, at once."""
    generator, held = np.random.default_rng(12), 0
    window = GroupWindow("RANK", order=((Named("n"), True),))
    truth = [1 + sum(other > one for other in TRUTH) for one in TRUTH]
    after = PostProcessing(windows=(("w", window),))
    for _ in range(TRIALS):
        rows = with_windows(after, noisy(generator))
        ends = [row["w"].interval(level) for row in rows]
        held += all(low <= one <= high for one, (low, high) in zip(truth, ends, strict=True))
    return held


def test_all_ranks_lie_between_their_ends_at_once() -> None:
    assert ranks_held(Fraction(3, 4)) >= binom.ppf(ALLOWANCE, TRIALS, 0.75)


def test_ranks_as_they_were_released_would_be_found_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: as if no number had noise."""
    monkeypatch.setattr(Estimate, "noise_interval", lambda self, _: (self.value, self.value))
    assert ranks_held(Fraction(3, 4)) < binom.ppf(ALLOWANCE, TRIALS, 0.75)


def test_a_rank_that_is_sure_says_so() -> None:
    rows = noisy(np.random.default_rng(3))
    far = [
        row | {"n": row["n"] + 1000 * place} for place, row in enumerate(rows)
    ]  # constants have no noise
    window = GroupWindow("RANK", order=((Named("n"), False),))
    found = with_windows(PostProcessing(windows=(("w", window),)), far)
    assert [row["w"].interval() for row in found] == [(at, at) for at in range(1, 7)]
