"""A question costs a part of the budget, in the budget's own currency."""

import datetime
from dataclasses import replace
from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.accounting.filters import Filter, charge, rho_allowance, share_left
from discreet.errors import BudgetExhaustedError
from discreet.measures.measure import Norm
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.sensitivity import Sensitivity

ONE = dp.Budget(epsilon=1, delta=1e-6)
WEEKS = [str(datetime.date(2025, 1, 1) + datetime.timedelta(days=5 * week)) for week in range(65)]


def by_week(table):
    return table.group_by(dp.col("admitted").bins(WEEKS))


def left(table):
    return share_left(table.standing().budget, table.standing().totals)


def test_one_large_question_has_the_error_of_laplace_noise(visits):
    asking = visits(budget=ONE).agg(n=dp.people())
    plan = asking.plan(spend="85%")
    assert plan.price.priced[0].mechanism == Laplace(scale=1 / Fraction(85, 100))
    assert plan.margins() == asking.plan(epsilon="0.85").margins()
    assert plan.part == Fraction(85, 100)


def test_a_hundred_small_questions_have_gaussian_noise_and_all_fit(visits):
    table = visits(budget=ONE)
    each = rho_allowance(ONE) / 100
    asking = table.agg(n=dp.people())
    for _ in range(100):
        plan = asking.plan(spend="1%")
        noise = plan.price.priced[0].mechanism
        assert isinstance(noise, Gaussian)
        assert 0 <= each - plan.rho < each / 10**6
        assert abs(noise.sigma - 1 / sqrt(2 * each)) < 1e-3
        plan.release()
    assert left(table) < Fraction(1, 10**5)
    with pytest.raises(BudgetExhaustedError, match="is left of the budget"):
        asking.plan(spend="1%")


@given(
    parts=st.lists(st.integers(1, 60), min_size=1, max_size=6),
    kinds=st.lists(st.integers(0, 5), min_size=6, max_size=6),
    data=st.data(),
)
def test_what_is_left_never_falls_by_more_than_was_asked(table_of_one, parts, kinds, data):
    """Of any sequence of spends, of questions of every kind; and they fit up to the whole."""
    asked = [
        table_of_one.agg(n=dp.people()),
        table_of_one.agg(n=dp.rows(), s=dp.col("stay").sum()),
        table_of_one.agg(m=dp.col("stay").mean(), p=dp.people()),
        table_of_one.agg(q=dp.col("age").median()),
        table_of_one.agg(q=dp.col("age").quantile([0.25, 0.5, 0.75]), n=dp.rows()),
        by_week(table_of_one).agg(n=dp.people()),
    ]
    state, spent = Filter(budget=ONE), Fraction(0)
    for place, percent in enumerate(parts):
        part = Fraction(percent, 100)
        before = share_left(state.budget, state.totals)
        question = asked[kinds[place % len(kinds)]]
        if part > before:
            with pytest.raises(BudgetExhaustedError):
                plan_at(question, state, part)
            assert spent + part > 1
            continue
        plan = plan_at(question, state, part)
        state = state.after(plan.price.event)
        after = share_left(state.budget, state.totals)
        assert before - after <= part
        spent += part
    assert share_left(state.budget, state.totals) >= 1 - spent


class Standing:
    """An account that stands where it is put."""

    def __init__(self, state):
        self.state = state

    def standing(self):
        return self.state

    def remembered_profile(self):
        return None


def plan_at(asking, state, part):
    from discreet.release.plan import make_plan

    return make_plan(asking.question, spend=part, account=Standing(state))


@pytest.fixture(scope="module")
def table_of_one():
    from tests.support.hospital import visits_columns, visits_frame

    return dp.table(
        visits_frame(),
        name="visits",
        unit="patient",
        budget=ONE,
        columns=visits_columns(),
        max_groups=3,
        max_rows=6,
        ledger=":memory:",
    )


def test_a_limit_of_the_wrong_branch_would_be_seen(table_of_one):
    """The control: ε's limit spent as Gaussian noise of that ε's ρ takes more than was asked."""
    question = table_of_one.agg(n=dp.people())
    state = Filter(budget=ONE)
    wrong = question.plan(rho=Fraction(1, 100) / 2)  # a hundredth of ε, read as ρ
    after = state.after(wrong.price.event)
    assert 1 - share_left(after.budget, after.totals) > Fraction(1, 100)


def test_a_gaussian_people_count_is_charged_its_own_rho(visits):
    plan = by_week(visits(max_groups=64, max_rows=64)).agg(n=dp.people())
    plan = plan.plan(epsilon=1, delta=1e-6)
    noise = plan.price.priced[0].mechanism
    assert isinstance(noise, Gaussian)
    cost = charge(plan.price.event)
    assert cost.epsilon is None
    assert cost.delta == 0
    assert Fraction("0.0279") < cost.rho < Fraction("0.0281")
    assert plan.delta == Fraction(1, 10**6)  # by itself


@pytest.mark.parametrize("asked", ["rows", "sums", "people"])
def test_wide_questions_pay_in_l2(visits, asked):
    """64 counts a person at ε = 1, δ = 1e-6: σ = 8·4.23, where Laplace noise has 90.5."""
    table = visits(max_groups=64, max_rows=64, max_rows_per_group=1)
    aggregate, bound = {
        "rows": (dp.rows(), 1),
        "sums": (dp.col("stay").sum(), 60),
        "people": (dp.people(), 1),
    }[asked]
    plan = by_week(table).agg(n=aggregate).plan(epsilon=1, delta=1e-6)
    assert plan.margins()["n"] / 1.95996 / bound < 34.5


def test_many_conditions_pay_in_l2(visits):
    table = visits(unit="row")
    conditions = {f"c{age}": (dp.col("age") > age).sum() for age in range(64)}
    plan = table.agg(**conditions).plan(epsilon=1, delta=1e-6)
    assert max(plan.margins().values()) / 1.95996 < 34.5
    noises = {one.mechanism for one in plan.price.priced}
    [noise] = noises
    moved = Sensitivity(squared_l2=64)
    assert noise.loss(moved, delta=1e-6).epsilon <= 1


def test_a_margin_takes_the_noise_that_leaves_more(visits):
    table = visits(budget=ONE, max_groups=2)
    asking = by_week(table).agg(n=dp.people())
    plan = asking.plan(margin={"n": 600})
    assert isinstance(plan.price.priced[0].mechanism, Gaussian)
    in_epsilon = asking.plan(epsilon=Fraction(1, 100))
    assert in_epsilon.margins()["n"] >= 590
    assert plan.part < in_epsilon.part
    large = table.agg(n=dp.people()).plan(margin={"n": 4})
    assert isinstance(large.price.priced[0].mechanism, Laplace)


def test_a_plan_says_what_it_takes_and_what_it_ends(visits):
    plan = visits(budget=ONE).agg(n=dp.people()).plan(spend="1%")
    shown = repr(plan)
    assert ", 1% of the budget; about 100 such questions fit" in shown
    assert "counted by ρ alone. Afterwards 99% of it is left." in shown
    assert "it adds ρ ≈ 0.0002" in plan.explain()
    assert ": 99% is left by the sum of ρ" in plan.explain()
    pure = repr(visits(budget=dp.Budget(epsilon=1)).agg(n=dp.people()).plan(spend="25%"))
    assert "costs ε = 0.25, 25% of the budget; about 4 such questions fit" in pure


def test_a_question_has_one_price(visits):
    asking = visits().agg(n=dp.people())
    with pytest.raises(dp.PrivacyParameterError, match="one price"):
        asking.plan(epsilon=1, spend="5%")
    with pytest.raises(dp.PrivacyParameterError, match="one price"):
        asking.plan(epsilon=1, rho=1)


def test_a_budget_in_rho_is_spent_in_rho(visits):
    table = visits(budget=dp.Budget(rho=Fraction(1, 50)))
    plan = table.agg(n=dp.people(), m=dp.col("stay").mean()).plan(spend="10%")
    assert all(isinstance(one.mechanism, Gaussian) for one in plan.price.priced)
    assert 0 <= Fraction(1, 500) - plan.rho < Fraction(1, 10**8)
    answer = plan.release()
    assert answer.certificate.epsilon is None
    assert answer.certificate.rho is not None
    assert "ρ" in answer.price


def test_the_promise_is_charged_where_it_leaves_more(visits):
    """One question that takes all of a budget fits it as (ε, δ), though its own ρ does not."""
    budget = dp.Budget(epsilon=1, delta=2e-6)
    asking = by_week(visits(budget=budget, max_groups=64, max_rows=64)).agg(n=dp.people())
    plan = asking.plan(epsilon=1, delta=1e-6)
    assert plan.price.charged_as_promised
    assert charge(plan.price.event).epsilon == 1
    assert charge(plan.price.event).delta == Fraction(1, 10**6)
    assert plan.release().certificate.epsilon == "1"


def test_a_batch_spends_one_part_in_one_currency(visits):
    table = visits(budget=ONE)
    asked = [table.agg(n=dp.people()), by_week(table).agg(n=dp.people()), table.agg(r=dp.rows())]
    small = dp.batch(asked).plan(spend="3%")
    assert small.epsilon is None
    assert 0 <= rho_allowance(ONE) * 3 / 100 - small.cost.rho < Fraction(1, 10**9)
    large = dp.batch(asked[:1]).plan(spend="90%")
    assert large.epsilon == Fraction(9, 10)
    before = left(table)
    small.release()
    assert before - left(table) <= Fraction(3, 100)


def test_a_price_in_rho_covers_every_kind_of_measure(visits):
    table = visits(budget=dp.Budget(rho=1, delta=1e-6))
    plan = table.agg(
        n=dp.rows(),
        p=dp.people(),
        m=dp.col("stay").mean(),
        s=dp.col("stay").sum(),
        q=dp.col("age").quantile([0.25, 0.5, 0.75]),
        x=dp.col("age").max(),
        d=dp.col("ward").n_unique(),
    ).plan(rho=Fraction(1, 10))
    assert Fraction(99, 1000) < plan.rho <= Fraction(1, 10)
    answer = plan.release()
    assert set(answer.columns) == {"n", "p", "m", "s", "q_0.25", "q_0.5", "q_0.75", "x", "d"}
    found = table.group_by("diagnosis").agg(n=dp.people(), r=dp.rows())
    plan = found.plan(rho=Fraction(1, 10), delta=1e-7)
    assert plan.rho <= Fraction(1, 10)
    assert plan.delta == Fraction(1, 10**7)
    plan.release()


def test_a_retry_with_its_key_is_free_also_when_little_is_left(visits):
    table = visits(budget=ONE)
    asking = table.agg(n=dp.people())
    first = asking.release(spend="85%", key="once")
    again = asking.release(spend="85%", key="once")
    assert first["n"].value == again["n"].value
    assert left(table) == Fraction(15, 100)


# ---------------------------------------------------------------------- a price as a value


def test_an_edited_price_is_refused(visits):
    """What is charged is what the noise costs: nobody makes it less by editing a plan."""
    table = visits(max_groups=20, max_rows=20, max_rows_per_group=1)
    asking = by_week(table).agg(n=dp.rows())
    in_rho, pure = asking.plan(rho=Fraction(1, 100)), asking.plan(epsilon=1)
    gaussian = asking.plan(epsilon=1, delta=1e-6)
    assert isinstance(gaussian.price.priced[0].mechanism, Gaussian)
    tiny = dp.ApproximateDP(epsilon=Fraction(1, 10**6), delta=Fraction(1, 10**9))
    part = in_rho.price.priced[0]
    less = replace(part, sensitivity=replace(part.sensitivity, squared_l2=1))
    for plan, changes in (
        (in_rho, {"charged_as_promised": True}),
        (in_rho, {"promise": tiny}),
        (in_rho, {"priced": (less,)}),
        (in_rho, {"unit": in_rho.price.unit.weighed_by(Norm.L1)}),
        (pure, {"unit": pure.price.unit.weighed_by(Norm.L2)}),
        (gaussian, {"promise": tiny, "charged_as_promised": True}),
        (gaussian, {"promise": replace(tiny, delta=Fraction(0))}),
    ):
        with pytest.raises(dp.QueryError, match="not one of the question"):
            replace(plan, price=replace(plan.price, **changes))
    again = replace(gaussian, price=replace(gaussian.price, charged_as_promised=True))
    assert charge(again.price.event).epsilon == 1  # both are true of it


@pytest.mark.parametrize("price", [{"epsilon": 4, "delta": 1e-6}, {"spend": "50%"}])
def test_noise_of_which_95_percent_is_zero_is_compared(visits, price):
    for table in (visits(unit="row"), visits()):
        asking = table.agg(n=dp.rows() if table.schema.unit == "row" else dp.people())
        assert isinstance(asking.plan(**price).price.priced[0].mechanism, Laplace)


def test_a_batch_is_planned_as_it_was_when_it_is_asked_again_with_its_key(visits):
    table = visits(budget=dp.Budget(epsilon=5, delta=1e-6))
    table.agg(n=dp.people()).release(epsilon=Fraction(1, 5))
    batch = dp.batch([table.agg(n=dp.people()), table.agg(r=dp.rows())])
    first = batch.plan(spend="10%", key="b").release(key="b")
    spent = table.budget.charges
    again = batch.plan(spend="10%", key="b").release(key="b")
    assert [one.to_dict() for one in first] == [one.to_dict() for one in again]
    assert all(one.repeated for one in again)
    assert table.budget.charges == spent


def test_a_table_that_was_declared_anew_is_not_asked_under_the_old_declarations(visits, tmp_path):
    """An open table's noise is for the caps that it was opened with."""
    place = tmp_path / "visits.ledger"
    table = visits(ledger=place)
    plan = table.agg(n=dp.rows()).plan(epsilon=Fraction(1, 10))
    other = visits(ledger=":memory:", max_rows=100)
    with dp.Ledger(place) as ledger:
        ledger.set_details("visits", other.declared, why="people have more rows")
    for asked in (plan, table.agg(n=dp.people()).plan(epsilon=Fraction(1, 10))):
        with pytest.raises(dp.DeclarationError, match="has changed since it was opened"):
            asked.release()
    assert table.budget.charges == 0


def test_keys_that_are_found_use_all_of_a_part(visits):
    """A pure price is sized by the sum of which more is left: 5% takes 5%."""
    table = visits(budget=dp.Budget(epsilon=3, delta=1e-5), max_groups=3, max_rows=30)
    asking = table.group_by("diagnosis").agg(n=dp.people(), r=dp.rows())
    for percent in (1, 3, 5, 7, 10, 30):
        plan = asking.plan(spend=f"{percent}%", delta=1e-6)
        assert Fraction(98 * percent, 10**4) <= plan.part <= Fraction(percent, 100)
        assert ("as many as its δ allows" in repr(plan)) == (percent < 20)


def test_a_price_in_rho_needs_a_budget_that_counts_rho(visits):
    asking = visits(budget=dp.Budget(epsilon=1)).agg(n=dp.people())
    with pytest.raises(dp.QueryError, match="counts ε alone"):
        asking.plan(rho=Fraction(1, 1000))
    assert isinstance(asking.plan(spend="5%").price.priced[0].mechanism, Laplace)


def test_a_question_without_a_price_is_told_of_each_kind(visits):
    with pytest.raises(dp.PrivacyParameterError, match='spend="5%"'):
        visits().agg(n=dp.people()).plan()
    with pytest.raises(dp.QueryError, match="margin names no output"):
        visits().agg(n=dp.people()).plan(margin=5)
    with pytest.raises(dp.BudgetExhaustedError, match="the ceiling is 5% of the budget"):
        visits(budget=ONE).agg(n=dp.people()).plan(margin={"n": 1}, spend="5%")
