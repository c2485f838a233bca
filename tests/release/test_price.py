"""What a question costs, before anything is paid."""

import datetime
from fractions import Fraction

import pytest

import discreet as dp
from discreet.accounting.filters import charge
from discreet.measures.measure import RANK_SHARE
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.quantiles import Quantiles
from discreet.privacy.estimates import Payment
from discreet.privacy.events import BoundedRangeEvent, RepeatedEvent
from discreet.privacy.losses import PureDP
from discreet.privacy.sensitivity import Sensitivity
from discreet.release.kept_answer import NoisyMeasurements
from discreet.release.plan import Plan
from discreet.release.price import price_from_data
from discreet.release.run import groups_and_estimates

IN_EPSILON = dp.Budget(epsilon=20)
"""A budget without a δ, which is counted in ε alone."""


def test_the_parts_of_epsilon_add_up_to_what_was_asked(visits):
    plan = (
        visits()
        .group_by("ward")
        .agg(
            people=dp.people(),
            rows=dp.rows(),
            age=dp.col("age").median(),
            stay=dp.col("stay").sum(),
        )
        .plan(epsilon="0.7")
    )
    assert sum(priced.epsilon for priced in plan.price.priced) == Fraction(7, 10)
    assert plan.epsilon == Fraction(7, 10)


def test_count_mean_and_variance_of_a_column_cost_one_epsilon(visits):
    stay = dp.col("stay")
    plan = visits().agg(n=stay.count(), m=stay.mean(), v=stay.var(), s=stay.sum()).plan(epsilon=1)
    assert len(plan.price.priced) == 1
    assert all(line.epsilon == 1 for line in plan.lines)


def test_the_number_of_rows_comes_with_a_mean_at_no_further_price(visits):
    plan = visits().agg(n=dp.rows(), m=dp.col("stay").mean()).plan(epsilon=1)
    assert len(plan.price.priced) == 1
    apart = visits().agg(n=dp.rows(), m=dp.col("stay").median()).plan(epsilon=1)
    assert plan.margins()["n"] < apart.margins()["n"]


def test_weights_share_epsilon_as_stated(visits):
    asking = visits().agg(people=dp.people(), rows=dp.rows())
    plan = asking.plan(epsilon=1, weights={"people": 3, "rows": 1})
    assert [line.epsilon for line in plan.lines] == [Fraction(3, 4), Fraction(1, 4)]


def test_an_output_without_a_weight_has_one_part(visits):
    asking = visits().agg(people=dp.people(), rows=dp.rows())
    plan = asking.plan(epsilon=1, weights={"people": 3})
    assert [line.epsilon for line in plan.lines] == [Fraction(3, 4), Fraction(1, 4)]


def test_a_computed_number_has_neither_a_weight_nor_a_margin_and_is_told_from_a_wrong_name(visits):
    asking = visits().ask(
        "SELECT 100 * COUNT(*) FILTER (WHERE stay > 7) / COUNT(*) AS late FROM visits"
    )
    told = "'late', which is computed from released numbers.*Name these: count, count_where_stay_7"
    with pytest.raises(dp.QueryError, match=told):
        asking.plan(epsilon=1, weights={"late": 2})
    with pytest.raises(dp.QueryError, match=told):
        asking.plan(margin={"late": 2})
    with pytest.raises(dp.QueryError, match="'lat', which is not asked"):
        asking.plan(margin={"lat": 2})
    assert asking.plan(margin={"count": 50}).margins()["count"] <= 50


@pytest.mark.parametrize("weights", [{"people": 0}, {"people": -1}, {"men": 1}, {"rows": "x"}])
def test_weights_that_say_nothing_are_refused(visits, weights):
    with pytest.raises(dp.DiscreetError):
        visits().agg(people=dp.people(), rows=dp.rows()).plan(epsilon=1, weights=weights)


def test_outputs_share_a_price_in_equal_parts_whatever_one_person_adds(visits):
    plan = visits().agg(people=dp.people(), rows=dp.rows()).plan(epsilon=1)
    assert [line.epsilon for line in plan.lines] == [Fraction(1, 2), Fraction(1, 2)]
    assert plan.margins()["people"] < plan.margins()["rows"]


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": "0.1"}, {"epsilon": 1, "delta": 1e-6}])
@pytest.mark.parametrize("weights", [None, {"people": 5}, {"stay": "0.3", "rows": 2}])
def test_the_parts_of_a_plan_add_up_to_its_price(visits, price, weights):
    outputs = {"people": dp.people(), "rows": dp.rows(), "stay": dp.col("stay").median()}
    table = visits(budget=dp.Budget(epsilon=9, delta=1e-5))
    plan = table.group_by("ward").agg(**outputs).plan(weights=weights, **price)
    if "rho" in price:
        assert sum(line.rho for line in plan.priced_lines) == plan.price.cost.rho
    else:
        assert sum(line.epsilon for line in plan.priced_lines) == 1


def test_the_noise_with_the_smaller_error_is_chosen_for_people_in_many_groups(visits):
    months = dp.col("admitted").bins(
        [str(datetime.date(2025, 1, 1) + datetime.timedelta(days=7 * week)) for week in range(53)]
    )
    few = visits(max_groups=2).group_by(months).agg(n=dp.people()).plan(epsilon=1, delta=1e-6)
    many = visits(max_groups=40).group_by(months).agg(n=dp.people()).plan(epsilon=1, delta=1e-6)
    assert isinstance(few.price.priced[0].mechanism, Laplace)
    assert isinstance(many.price.priced[0].mechanism, Gaussian)
    assert few.delta == 0
    assert many.delta == Fraction(1, 10**6)
    assert "would be less exact" in few.explain()
    assert "would be less exact" in many.explain()


def test_gaussian_noise_of_several_measures_is_fitted_to_the_whole_of_delta_at_once(visits):
    """As one vector: its exact law at the ε asked for has no more than the δ asked for."""
    weeks = [str(datetime.date(2025, 1, 1) + datetime.timedelta(days=5 * n)) for n in range(65)]
    asking = visits(max_groups=64, max_rows=64).group_by(dp.col("admitted").bins(weeks))
    smokes, delta = dp.col("smoker"), Fraction(1, 10**6)
    for outputs in (
        {"a": dp.people(smokes)},
        {"a": dp.people(smokes), "b": dp.people(~smokes)},
        {"a": dp.people(smokes), "b": dp.people(~smokes), "c": dp.people()},
    ):
        plan = asking.agg(**outputs).plan(epsilon=1, delta=delta)
        noises = {one.mechanism for one in plan.price.priced}
        [noise] = noises
        assert isinstance(noise, Gaussian)
        moved = Sensitivity(squared_l2=64 * len(outputs))  # a person may be in all 64 groups
        assert noise.loss(moved, delta=delta).epsilon <= 1
        less = Gaussian(sigma=noise.sigma * Fraction(999, 1000))
        assert less.loss(moved, delta=delta).epsilon > 1
        assert (plan.epsilon, plan.delta) == (1, delta)
        charged = charge(plan.price.event)
        assert charged.delta == 0
        assert charged.rho == plan.rho == sum(one.rho for one in plan.price.priced)


@pytest.mark.parametrize("delta", [Fraction(1, 10**6), Fraction(1, 3 * 10**7)])
def test_keys_that_are_found_take_the_whole_of_delta(visits, delta):
    asking = visits(max_groups=3).group_by("diagnosis")
    smokers = dp.people(dp.col("smoker"))
    for outputs in ({"n": dp.people()}, {"r": dp.rows()}, {"n": dp.people(), "s": smokers}):
        plan = asking.agg(**outputs).plan(epsilon=1, delta=delta)
        assert plan.delta == delta
        charged = charge(plan.price.event)
        assert charged.delta <= delta
        assert charged.epsilon <= 1


def test_a_batch_divides_delta_over_the_questions_that_find_keys(visits):
    table, budget = visits(), dp.Budget(epsilon=1, delta=1e-6)
    found = table.group_by("diagnosis").agg(n=dp.people())
    plan = dp.batch([found, table.agg(n=dp.people()), found]).plan(budget=budget)
    assert [one.delta for one in plan.plans] == [
        budget.question_delta / 2,
        0,
        budget.question_delta / 2,
    ]
    assert plan.delta == budget.question_delta


def test_private_keys_need_a_delta(visits):
    with pytest.raises(dp.QueryError, match="delta=1e-6"):
        visits().group_by("diagnosis").agg(n=dp.people()).plan(epsilon=1)


def test_the_count_of_people_comes_with_private_keys_at_no_further_price(visits):
    plan = visits().group_by("diagnosis").agg(n=dp.people()).plan(epsilon=1, delta=1e-6)
    assert plan.price.priced == ()
    assert plan.price.selection.epsilon == 1


# ---------------------------------------------------------------------- accuracy first


@pytest.mark.parametrize("margin", [1, 2, 5, 17, "0.5", 1000])
def test_the_least_epsilon_of_two_digits_meets_a_margin(visits, margin):
    asking = visits(budget=IN_EPSILON).group_by("ward").agg(n=dp.people())
    plan = asking.plan(margin={"n": margin})
    assert plan.margins()["n"] <= float(Fraction(margin))
    digits = f"{float(plan.epsilon):.2g}"
    assert Fraction(digits) == plan.epsilon
    below = plan.epsilon - Fraction(10) ** (len(digits.split(".", maxsplit=1)[0]) - 5) / 10**6
    assert asking.plan(epsilon=below).margins()["n"] >= plan.margins()["n"]


def test_the_next_smaller_epsilon_misses_the_margin(visits):
    asking = visits(budget=IN_EPSILON).agg(n=dp.people())
    plan = asking.plan(margin={"n": 5})
    assert plan.epsilon == Fraction("0.54")
    assert asking.plan(epsilon="0.53").margins()["n"] > 5


def test_each_output_gets_what_its_own_margin_needs(visits):
    asking = visits(budget=IN_EPSILON).agg(people=dp.people(), total=dp.col("stay").sum())
    plan = asking.plan(margin={"people": 5, "total": 500})
    assert plan.margins()["people"] <= 5
    assert plan.margins()["total"] <= 500
    assert plan.epsilon < Fraction(3, 2)


def test_a_mean_has_a_margin_for_an_expected_number_of_rows_only(visits):
    asking = visits(budget=IN_EPSILON).agg(m=dp.col("stay").mean())
    with pytest.raises(dp.QueryError, match="expect_rows"):
        asking.plan(margin={"m": 1})
    plan = asking.plan(margin={"m": 1}, expect_rows=1000)
    assert plan.margins()["m"] <= 1
    assert asking.plan(epsilon=1).margins()["m"] is None


@pytest.mark.parametrize("bound", [5, "5", "0.5", "5 days", "rows", Fraction(5)])
@pytest.mark.parametrize("asked", ["p90", "top"])
def test_what_is_chosen_by_rank_has_no_margin_in_its_own_unit(visits, asked, bound):
    asking = visits(budget=IN_EPSILON).agg(
        p90=dp.col("stay").quantile(0.9), top=dp.col("stay").max()
    )
    with pytest.raises(dp.QueryError) as refused:
        asking.plan(margin={asked: bound})
    said = str(refused.value)
    assert f"the margin of '{asked}' is stated in its own unit" in said
    assert "depends on the data, which are private" in said
    assert f'margin={{"{asked}": "5 rows"}}' in said


def test_in_rows_of_rank_it_has_one(visits):
    asking = visits(budget=IN_EPSILON).agg(p90=dp.col("stay").quantile(0.9))
    plan = asking.plan(margin={"p90": "40 rows"})
    assert 30 < plan.margins()["p90"] <= 40
    assert "rank ± about " in repr(plan)
    assert plan.epsilon < asking.plan(margin={"p90": "20 rows"}).epsilon


def test_what_was_priced_before_there_were_intervals_is_read_as_it_was(visits):
    """An answer that was kept then has one integer for each level, and an error of rank alone."""
    table = visits(budget=IN_EPSILON)
    plan = table.agg(low=dp.col("stay").quantile(0.25), m=dp.col("stay").median()).plan(epsilon=1)
    question, data = plan.question, plan.to_data()["price"]
    assert data["parts"][0].pop("drawn") == "BoundedQuantiles"
    price = price_from_data(data, question)
    (part,) = price.priced
    assert isinstance(part.mechanism, Quantiles)
    assert part.mechanism.event(Sensitivity(l1=1), PureDP(epsilon=1)) == RepeatedEvent(
        event=BoundedRangeEvent(epsilon=Fraction(1, 2)), count=2
    )
    kept = NoisyMeasurements(((7, 1000),))
    _, columns = groups_and_estimates(question, price, kept, Payment(PureDP(epsilon=1)))
    assert not columns["m"][0].bounded
    assert columns["m"][0].rank_error == pytest.approx(
        part.mechanism.rank_errors(Fraction(95, 100))[1] / RANK_SHARE
    )
    assert columns["low"][0].value < columns["m"][0].value
    earlier = Plan(question, price)
    assert "Quantiles(probabilities=" in earlier.text
    assert price_from_data(plan.to_data()["price"], question) == plan.price


def test_with_a_margin_epsilon_is_the_ceiling(visits):
    asking = visits(budget=IN_EPSILON).agg(n=dp.people())
    assert asking.plan(margin={"n": 5}, epsilon=1).epsilon == Fraction("0.54")
    with pytest.raises(dp.BudgetExhaustedError, match=r"0\.54"):
        asking.plan(margin={"n": 5}, epsilon="0.5")


@pytest.mark.parametrize("margin", [{}, {"m": 1}, {"n": 0}, {"n": -1}])
def test_a_margin_that_cannot_be_met_or_meant_is_refused(visits, margin):
    with pytest.raises(dp.QueryError):
        visits(budget=IN_EPSILON).agg(n=dp.people()).plan(margin=margin)


def test_planning_spends_nothing(visits):
    table = visits()
    table.group_by("ward").agg(n=dp.people()).plan(margin={"n": 3}).explain()
    assert table.budget.charges == 0


# ---------------------------------------------------------------------- batches


def test_a_batch_of_what_needs_gaussian_noise_is_planned_in_rho(visits):
    """A budget with a δ can pay for it, though no ε without a δ can."""
    table = visits()
    cube, people = table.cube("ward").agg(n=dp.rows()), table.agg(n=dp.people())
    plan = dp.batch([cube, people]).plan(budget=dp.Budget(epsilon=1, delta="1e-6"))
    assert all(one.rho for one in plan.plans)
    with pytest.raises(dp.errors.QueryError, match="needs δ as well as ε"):
        dp.batch([cube, people]).plan(budget=dp.Budget(epsilon=1))


def test_a_batch_stays_within_one_budget(visits):
    table = visits()
    plan = dp.batch(
        [table.agg(n=dp.people()), table.group_by("ward").agg(n=dp.rows()), table.agg(n=dp.rows())]
    ).plan(budget=dp.Budget(epsilon=1), margins=[{"n": 20}, None, None])
    assert plan.epsilon <= 1
    assert plan.plans[0].margins()["n"] <= 20
    assert plan.plans[1].epsilon == plan.plans[2].epsilon
    assert "together" in repr(plan)
    assert len(plan.release()) == 3
    assert table.budget.spent.epsilon == plan.epsilon


def test_margins_beyond_the_budget_are_refused_with_what_they_need(visits):
    table = visits()
    batch = dp.batch([table.agg(n=dp.people())] * 2)
    with pytest.raises(dp.BudgetExhaustedError, match="together"):
        batch.plan(budget=dp.Budget(epsilon="0.5"), margins=[{"n": 5}, {"n": 5}])
    assert table.budget.charges == 0


@pytest.mark.parametrize("many", [3, 7, 64])
def test_a_batch_spends_what_it_was_given(visits, many):
    table = visits(unit="row", max_groups=None)
    questions = [table.agg(n=dp.rows()), table.group_by("ward").agg(m=dp.col("stay").mean())]
    plan = dp.batch(questions * many).plan(budget=dp.Budget(epsilon=1))
    assert plan.epsilon == 1
    assert {one.epsilon for one in plan.plans} == {Fraction(1, 2 * many)}
    weighed = dp.batch(questions).plan(budget=dp.Budget(epsilon=1), weights=[1, 2])
    assert [one.epsilon for one in weighed.plans] == [Fraction(1, 3), Fraction(2, 3)]


def test_a_batch_that_outgrows_the_tables_budget_keeps_what_was_answered(visits):
    table = visits(budget=dp.Budget(epsilon=1))
    plan = dp.batch([table.agg(n=dp.people())] * 3).plan(budget=dp.Budget(epsilon="1.5"))
    with pytest.raises(dp.BudgetExhaustedError):
        plan.release(key="batch")
    assert table.budget.spent.epsilon == 1
    assert table.budget.released == 2


@pytest.mark.parametrize("questions", [[], ["SELECT 1"], [None]])
def test_a_batch_of_something_else_is_refused(questions):
    with pytest.raises(dp.QueryError):
        dp.batch(questions)


@pytest.mark.parametrize(("low", "high"), [(0, 99.37), (-3.21, 40)])
def test_the_least_value_of_a_column_is_the_largest_of_its_mirror_image(visits, low, high):
    """Mechanisms are equal with all their weights, and so are their laws on every column."""

    def asked(low, high):
        table = visits(columns={"stay": dp.number(low, high)}, max_groups=None)
        plan = table.agg(low=dp.col("stay").min(), high=dp.col("stay").max()).plan(epsilon=1)
        return {block.measure.largest: block for block in plan.price.priced}

    here, mirrored = asked(low, high), asked(-high, -low)
    assert here[False].mechanism.measure is not None
    assert here[False].mechanism == mirrored[True].mechanism
    assert here[True].mechanism == mirrored[False].mechanism
    bounds = here[False].measure.value.range
    place = bounds.grid.index(Fraction(20))
    weight = here[False].mechanism.measure.at(bounds.high - place)
    assert weight == here[True].mechanism.measure.at(place - bounds.low)
    assert weight > 1000
