"""A table from its declarations to an answer."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest

import discreet as dp
from discreet.errors import QueryError
from discreet.mechanisms.additive_noise import Exact
from discreet.mechanisms.optimal_key_selection import OptimalSelection
from discreet.privacy.losses import PureDP
from tests.support.hospital import visits_columns, visits_frame


def test_an_answer_has_every_declared_group_in_order(visits):
    answer = visits().group_by("ward", "smoker").agg(n=dp.people()).release(epsilon=1)
    assert answer.groups == tuple((ward, smoker) for ward in "ABCD" for smoker in (False, True))
    assert list(answer.to_dict()) == [
        *("ward", "smoker", "n", "n_lower", "n_upper", "n_interval", "n_exact")
    ]


def test_answers_are_near_the_truth_at_a_large_epsilon(visits):
    stay = dp.col("stay")
    answer = (
        visits(budget=dp.Budget(epsilon=20))
        .agg(
            people=dp.people(),
            rows=dp.rows(),
            total=stay.sum(),
            mean=stay.mean(),
            std=stay.std(),
            kinds=dp.col("diagnosis").n_unique(),
            median=dp.col("age").median(),
            smokers=dp.col("smoker").mean(),
            long=(stay > 10).mean(),
        )
        .release(epsilon=20)
    )
    frame = visits_frame()
    assert answer["people"].value == pytest.approx(300, abs=25)
    assert answer["rows"].value == pytest.approx(len(frame), abs=60)
    assert answer["total"].value == pytest.approx(frame.stay.sum(), abs=900)
    assert answer["mean"].value == pytest.approx(frame.stay.mean(), abs=1)
    assert answer["std"].value == pytest.approx(frame.stay.std(ddof=0), abs=3)
    assert answer["kinds"].value == pytest.approx(2, abs=30)
    assert answer["median"].value == pytest.approx(frame.age.median(), abs=10)
    assert answer["smokers"].value == pytest.approx(frame.smoker.mean(), abs=0.1)
    assert answer["long"].value == pytest.approx((frame.stay > 10).mean(), abs=0.1)


def test_a_retry_with_the_same_key_is_free_and_the_same(visits):
    table = visits()
    asking = table.group_by("ward").agg(n=dp.rows(), q=dp.col("age").quantile([0.25, 0.75]))
    first = asking.release(epsilon=1, key="tuesday")
    again = asking.release(epsilon=1, key="tuesday")
    assert first.to_dict() == again.to_dict()
    assert table.budget.spent.epsilon == 1
    with pytest.raises(dp.KeyReusedError):
        table.agg(n=dp.rows()).release(epsilon=1, key="tuesday")


def test_the_budget_caps_everything_that_is_ever_asked(visits):
    table = visits(budget=dp.Budget(epsilon=1))
    table.agg(n=dp.rows()).release(epsilon="0.75")
    with pytest.raises(dp.BudgetExhaustedError, match=r"0\.25"):
        table.agg(n=dp.rows()).release(epsilon="0.5")
    table.agg(n=dp.rows()).release(epsilon="0.25")


def test_a_table_may_have_a_budget_in_rho(visits):
    table = visits(budget=dp.Budget(rho="0.01", delta="1e-6"))
    table.group_by("ward").agg(n=dp.people()).release(epsilon=0.1)
    assert 0 < table.budget.spent.rho <= Fraction(1, 200)
    assert str(table.budget).endswith("of ρ = 0.01, δ = 1e-06 (51%)")
    assert table.ledger.verify().sound
    with dp.dbapi.connect(table, epsilon=1) as connection:
        ((spent, left),) = connection.cursor().execute("SHOW budget").fetchall()
    assert (spent[:3], left) == ("ρ ≈", table.budget.left)
    with pytest.raises(
        dp.BudgetExhaustedError, match=r"costs ρ .* is left of the budget ρ = 0\.01"
    ):
        table.agg(n=dp.rows()).release(epsilon=1)
    plan = dp.batch([table.agg(n=dp.rows())]).plan(budget=dp.Budget(rho=1))
    assert 0 <= 1 - plan.cost.rho < Fraction(1, 10**6)


def test_a_table_keeps_its_budget_and_its_declarations(tmp_path, visits):
    place = tmp_path / "visits.ledger"
    visits(ledger=place).agg(n=dp.rows()).release(epsilon=1)
    assert visits(ledger=place).budget.spent.epsilon == 1
    for change in (
        {"budget": dp.Budget(epsilon=10)},
        {"max_rows": 100},
        {"neighbors": "replace"},
        {"columns": visits_columns() | {"stay": dp.number(0, 30)}},
    ):
        with pytest.raises(dp.DeclarationError):
            visits(ledger=place, **change)


def test_an_answer_says_what_it_cost_and_where_that_is_written(visits):
    answer = visits().agg(n=dp.rows()).release(epsilon="0.1", analyst="ann")
    shown = json.loads(answer.to_json())["certificate"]
    assert shown["epsilon"] == "0.1"
    assert shown["analyst"] == "ann"
    assert shown["entry"] == 2
    assert len(shown["hash"]) == 64
    assert shown["durable"] is False


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"unit": None}, dp.PolicyError, "whom the table protects"),
        ({"ledger": None}, dp.PolicyError, "ledger"),
        ({"budget": None}, dp.PolicyError, "budget"),
        ({"name": None}, dp.PolicyError, "name"),
        ({"unit": "patiemt"}, dp.SourceError, "Did you mean 'patient'"),
        ({"columns": {"stray": dp.number(0, 1)}}, dp.SourceError, "Did you mean 'stay'"),
        ({"columns": {"stay": 5}}, dp.PolicyError, "dp.number"),
        ({"columns": {"patient": dp.text()}}, dp.PolicyError, "can never be asked"),
        ({"max_rows": 0}, dp.PolicyError, "max_rows"),
        ({"max_rows_per_group": 0}, dp.PolicyError, "max_rows_per_group"),
        ({"max_groups": "3"}, dp.PolicyError, "max_groups"),
        ({"neighbors": "swap"}, dp.PrivacyParameterError, "neighbors"),
        ({"source": [1, 2]}, dp.SourceError, "source"),
        ({"source": "nowhere.csv"}, dp.SourceError, "no file"),
        ({"source": "*.nothing"}, dp.SourceError, "matches"),
        ({"source": "https://example.org/a.csv"}, dp.SourceError, "address"),
    ],
)
def test_a_wrong_declaration_is_refused_with_its_remedy(visits, changes, error, says):
    with pytest.raises(error, match=says):
        visits(**changes)


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (lambda t: t.agg(), dp.QueryError, "nothing is asked"),
        (lambda t: t.agg(m=dp.col("sty").mean()), dp.QueryError, "Did you mean 'stay'"),
        (lambda t: t.agg(m=dp.col("patient").n_unique()), dp.QueryError, "only be counted"),
        (lambda t: t.agg(m=dp.col("ward").mean()), dp.QueryError, "needs numbers"),
        (lambda t: t.agg(m=dp.col("admitted").mean()), dp.QueryError, "median"),
        (lambda t: t.agg(m=dp.col("stay")), dp.QueryError, "never rows"),
        (lambda t: t.agg(n=dp.rows(), n_lower=dp.rows()), dp.QueryError, "n_lower"),
        (lambda t: t.where(dp.col("stay")).agg(n=dp.rows()), dp.QueryError, "where"),
        (lambda t: t.where(dp.col("ward") > 2).agg(n=dp.rows()), dp.QueryError, "one kind"),
        (lambda t: t.group_by("stay").agg(n=dp.rows()), dp.QueryError, "bins"),
        (lambda t: t.with_columns(patient=1).agg(n=dp.rows()), dp.QueryError, "write the id"),
        (lambda t: t.with_columns(ward="x").agg(n=dp.rows()), dp.QueryError, "name of another"),
        (lambda t: t.agg(m=(1 / dp.col("stay")).mean()), dp.BoundsError, "(?i)clip"),
        (lambda t: t.agg(n=dp.rows()).top(3), dp.QueryError, "groups"),
        (lambda t: t.group_by("ward").agg(m=dp.col("stay").sum()).top(3), dp.QueryError, "count"),
    ],
)
def test_a_question_that_is_not_offered_is_refused_uncharged(visits, ask, error, says):
    table = visits()
    with pytest.raises(error, match=says):
        ask(table).plan(epsilon=1)
    assert table.budget.charges == 0


def test_a_missing_cap_is_refused_with_the_line_to_add(visits):
    with pytest.raises(dp.PolicyError, match="max_rows=10"):
        visits(max_rows=None).agg(n=dp.rows()).plan(epsilon=1)
    with pytest.raises(dp.PolicyError, match="max_groups=10"):
        visits(max_groups=None).group_by("ward").agg(n=dp.people()).plan(epsilon=1)
    assert visits(max_groups=None, max_rows=None).agg(n=dp.people()).plan(epsilon=1).epsilon == 1


def test_all_caps_are_among_what_a_plan_tells(visits):
    plan = visits(max_rows_per_group=4).group_by("ward").agg(n=dp.rows()).plan(epsilon=1)
    assert "counts for at most 6 rows in 3 groups, 4 rows in one group" in plan.explain()
    assert "counts for at most 6 rows in 3 groups\n" in (
        visits().group_by("ward").agg(n=dp.rows()).plan(epsilon=1).explain()
    )


def test_a_missing_bound_is_refused_with_the_line_to_add(visits):
    table = visits(columns=visits_columns() | {"stay": dp.number()})
    with pytest.raises(dp.BoundsError, match=r"dp\.number\(0, 120\)"):
        table.agg(m=dp.col("stay").mean()).plan(epsilon=1)
    assert table.where(dp.col("stay") > 3).agg(n=dp.rows()).plan(epsilon=1).epsilon == 1


def test_derived_columns_carry_their_bounds(visits):
    table = visits()
    answer = table.with_columns(hours="stay * 24").agg(total=dp.col("hours").sum()).plan(epsilon=1)
    assert answer.margins()["total"] == pytest.approx(20 * 24 * 6 * 2.9957, rel=0.01)


def test_seeded_bits_never_answer_a_table(visits):
    table = visits()
    plan = table.agg(n=dp.rows()).plan(epsilon=1)
    with pytest.raises(dp.UnsafeRandomnessError):
        plan.release(source=dp.UnsafeSeededBits(7))
    assert table.budget.charges == 0


def test_sql_asks_what_python_asks(visits):
    table = visits()
    asked = table.ask(
        "SELECT ward, COUNT(DISTINCT patient) AS n, AVG(stay) AS m FROM visits "
        "WHERE stay > 2 AND smoker GROUP BY ward"
    ).plan(epsilon=1)
    built = (
        table.where((dp.col("stay") > 2) & dp.col("smoker"))
        .group_by("ward")
        .agg(n=dp.people(), m=dp.col("stay").mean())
        .plan(epsilon=1)
    )
    assert asked.text == built.text


def test_private_keys_that_one_person_holds_hardly_ever_appear(visits):
    frame = visits_frame()
    frame.loc[0, "diagnosis"] = "a name"
    table = visits(source=frame, budget=dp.Budget(epsilon=20, delta="0.001"))
    for _ in range(50):
        answer = table.group_by("diagnosis").agg(n=dp.people()).release(epsilon="0.2", delta=1e-9)
        assert "a name" not in str(answer)
    assert table.budget.spent.delta == Fraction(50, 10**9)


def test_importing_discreet_loads_neither_duckdb_nor_sqlglot_nor_jinja2():
    late = ("duckdb", "jinja2", "sqlglot")
    code = f"import discreet, sys; print([name for name in {late} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_filter_leaves_rows_out_also_where_the_number_of_rows_is_public(visits):
    """Under replace a missing value takes the default; a row that FILTER leaves out has none."""
    table = visits(unit="row", neighbors="replace")
    release = table.sql(
        "SELECT AVG(stay) FILTER (WHERE stay >= 10) AS m, SUM(stay) FILTER (WHERE stay < 1) AS s, "
        "COUNT(*) FILTER (WHERE stay < 1) AS n, AVG(smoker) FILTER (WHERE smoker) AS p FROM visits",
        epsilon=20,
    )
    assert release["m"].value == pytest.approx(14.5, abs=0.5)
    assert release["s"].value == pytest.approx(0, abs=30)
    assert release["n"].value == pytest.approx(60, abs=5)
    assert release["p"].value == pytest.approx(1, abs=0.05)


def test_counts_of_a_person_are_not_compared_with_more_than_are_counted(visits):
    people = "SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient"
    for condition in ("n > 6", "n >= 7", "n = 9"):
        with pytest.raises(QueryError, match="max_rows"):
            visits().ask(f"SELECT COUNT(*) FROM ({people}) AS p WHERE {condition}").plan(epsilon=1)
    visits().ask(f"SELECT COUNT(*) FROM ({people}) AS p WHERE n >= 6").plan(epsilon=1)
    joined = (
        f"SELECT COUNT(*) FILTER (WHERE p.n > 6) FROM visits v JOIN ({people}) p USING (patient)"
    )
    with pytest.raises(QueryError, match="max_rows"):
        visits().ask(joined).plan(epsilon=1)


def test_an_answer_says_what_its_question_may_not_mean(visits):
    release = visits().sql("SELECT COUNT(*) AS n FROM visits WHERE ward IN ('A', 'Z')", epsilon=1)
    assert any("fits no declared value" in note for note in release.notes)
    text = "CASE WHEN stay > 5 THEN 'long' END"
    release = visits().sql(f"SELECT {text} AS s, COUNT(*) FROM visits GROUP BY s", epsilon=1)
    assert any("in no group" in note for note in release.notes)
    text = "CASE WHEN stay > 5 THEN 'long' ELSE 'short' END"
    release = visits().sql(f"SELECT {text} AS s, COUNT(*) FROM visits GROUP BY s", epsilon=1)
    assert release.notes == [note for note in release.notes if "in no group" not in note]


def test_groups_that_are_dates_are_dates_in_frames(visits):
    text = "SELECT DATE_TRUNC('quarter', admitted) AS q, COUNT(*) FROM visits GROUP BY q"
    frame = visits().sql(text, epsilon=1).to_arrow()
    assert str(frame.schema.field("q").type) == "date32[day]"


def test_the_asked_table_keeps_its_name_in_the_record(visits):
    people = "(SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)"
    question = f"SELECT COUNT(*) FROM visits v JOIN {people} p ON v.patient = p.patient"
    text = visits().ask(question).plan(epsilon=1).question.query.text
    assert "FROM visits AS v JOIN (SELECT n = rows() FROM visits PER PERSON) AS p" in text


def test_a_plan_is_a_value_that_another_table_of_the_same_declarations_releases(visits):
    first, second = visits(), visits()
    plan, again = (one.agg(n=dp.rows()).plan(epsilon=1) for one in (first, second))
    assert plan == again
    assert len({plan, again}) == 1
    assert plan != first.agg(n=dp.rows()).plan(epsilon=2)
    assert second.release(plan).columns.keys() == {"n"}
    assert (first.budget.charges, second.budget.charges) == (0, 1)


def test_a_plan_of_other_declarations_is_refused_uncharged(visits):
    other, table = visits(max_rows=20), visits()
    with pytest.raises(QueryError, match="made for other declarations"):
        table.release(other.agg(n=dp.rows()).plan(epsilon=1))
    assert table.budget.charges == 0


def test_a_plan_takes_no_price_of_another_question(visits):
    # The steps in which people are counted are finer where there are groups: noise of a few steps
    # of one question is next to none in the other.
    table = visits()
    asked = [
        table.agg(n=dp.people()),
        table.group_by("ward").agg(n=dp.people()),
        table.group_by("ward").agg(n=dp.rows()),
        table.agg(n=dp.people(), m=dp.col("stay").mean()),
    ]
    plans = [one.plan(epsilon=1) for one in asked]
    for plan in plans:
        for other in plans:
            if plan is not other:
                with pytest.raises(QueryError, match="the price is not one of the question"):
                    replace(plan, question=other.question)
        with pytest.raises(QueryError, match="the price is not one of the question"):
            replace(plan, price=replace(plan.price, priced=()))
        assert replace(plan, expect_rows=10).price == plan.price


def test_keys_that_are_found_privately_are_part_of_the_price(visits):
    table = visits()
    listed = table.group_by("ward").agg(n=dp.people()).plan(epsilon=1)
    found = table.group_by("diagnosis").agg(n=dp.people()).plan(epsilon=1, delta=1e-6)
    for plan, other in ((listed, found), (found, listed)):
        with pytest.raises(QueryError, match="the price is not one of the question"):
            replace(plan, question=other.question)
    with pytest.raises(QueryError, match="the price is not one of the question"):
        replace(found, price=replace(found.price, selection=None))


def test_a_price_charges_what_its_mechanisms_cost(visits):
    """What is drawn at a large ε and charged at a small one is refused, and noise that is none."""
    table = visits()
    free = PureDP(epsilon=Fraction(1, 10**6))
    for asked in (dp.col("stay").quantile(0.5), dp.col("stay").max()):
        plan = table.agg(m=asked).plan(epsilon="1/10")
        (part,) = plan.price.priced
        exact = part.measure.mechanism(plan.price.unit, Fraction(10**6))
        for cheap in (
            replace(part, mechanism=exact, epsilon=free.epsilon),
            replace(part, epsilon=free.epsilon),
        ):
            with pytest.raises(QueryError, match="the price is not one of the question"):
                replace(plan, price=replace(plan.price, priced=(cheap,), promise=free))
    counted = table.agg(n=dp.rows()).plan(epsilon="1/10")
    none = replace(counted.price.priced[0], mechanism=Exact())
    with pytest.raises(QueryError, match="the price is not one of the question"):
        replace(counted, price=replace(counted.price, priced=(none,)))
    found = table.group_by("diagnosis").agg(n=dp.rows()).plan(epsilon="1/10", delta=1e-6)
    lone = OptimalSelection(epsilon=Fraction(1, 20), delta=Fraction(1, 10**6), groups=1)
    selection = replace(found.price.selection, mechanism=lone)
    with pytest.raises(QueryError, match="the price is not one of the question"):
        replace(found, price=replace(found.price, selection=selection))
