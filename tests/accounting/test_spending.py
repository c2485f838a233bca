"""Losses add up exactly, and the question that would go over is refused before data are read."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from fractions import Fraction
from threading import Event, Thread

import pytest

import discreet as dp
from discreet.accounting.spending import Spending, spend, spending
from discreet.accounting.zcdp import pure_rho
from discreet.errors import BudgetExhaustedError, LedgerError, PrivacyParameterError
from discreet.privacy.events import (
    BoundedRangeEvent,
    ComposedEvent,
    ConcentratedEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    GaussianEvent,
    PureEvent,
    RepeatedEvent,
)
from discreet.privacy.losses import ApproximateDP, Budget, PureDP, ZeroConcentratedDP

TENTH = PureDP(epsilon="0.1")


def needs_fork(test):
    """A test that forks, with threads of the test runner around."""
    quiet = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
    return pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")(quiet(test))


class Untouchable:
    """Data that must not be read."""

    def __len__(self) -> int:
        raise AssertionError("the data were read")

    def __iter__(self) -> Iterator[object]:
        raise AssertionError("the data were read")

    def __getitem__(self, place: int) -> object:
        raise AssertionError("the data were read")


# ---------------------------------------------------------------------- exact sums


def test_a_tenth_ten_times_is_exactly_one():
    with spending(Budget(epsilon=1)) as account:
        for _ in range(10):
            dp.count([1, 2, 3], epsilon=0.1)
        assert account.spent == ApproximateDP(epsilon=1, delta=0)
        assert account.left.epsilon == 0
        with pytest.raises(BudgetExhaustedError):
            spend(PureDP(epsilon=Fraction(1, 10**17)))
    assert sum([0.1] * 10) != 1  # the control: floats lose it


@pytest.mark.slow
def test_a_hundred_thousand_charges_of_ten_to_the_minus_17_add_up():
    account, tiny = Spending(Budget(epsilon=1)), PureDP(epsilon="1e-17")
    account.charge(PureDP(epsilon=1 - Fraction(1, 10**12)))
    for _ in range(10**5):
        account.charge(tiny)
    assert account.left.epsilon == 0
    with pytest.raises(BudgetExhaustedError):
        account.charge(tiny)
    floating = 1.0
    for _ in range(1000):
        floating += 1e-17
    assert floating == 1.0  # the control: floats would never have noticed


def test_deltas_add_up_too():
    account = Spending(Budget(epsilon=10, delta="2e-6"))  # one half of it is for questions
    for _ in range(10):
        account.charge(ApproximateDP(epsilon=Fraction(1, 100), delta=Fraction(1, 10**7)))
    assert account.left == ApproximateDP(epsilon=Fraction(99, 10), delta=0)
    with pytest.raises(BudgetExhaustedError):
        account.charge(ApproximateDP(epsilon=Fraction(1, 100), delta=Fraction(1, 10**30)))
    account.charge(TENTH)


def test_a_delta_asked_of_a_budget_without_one_is_told_so():
    with spending(Budget(epsilon=1)), pytest.raises(BudgetExhaustedError, match="without a delta"):
        spend(ApproximateDP(epsilon="0.1", delta="1e-6"))


def test_odd_denominators_are_rounded_up_and_never_down():
    account, exact = Spending(Budget(epsilon=20)), Fraction(0)
    for prime in (1009 + 2 * k for k in range(450)):
        account.charge(PureDP(epsilon=Fraction(1, prime)))
        exact += Fraction(1, prime)
    assert exact.denominator.bit_length() > 2048
    assert exact <= account.spent.epsilon < exact + Fraction(1, 10**300)


# ---------------------------------------------------------------------- the filter


def test_with_a_delta_small_questions_cost_less_than_their_sum():
    account, asked = Spending(Budget(epsilon=1, delta="1e-6")), 0
    small = PureDP(epsilon="1/200")
    while account.odometer.rho_left >= pure_rho(small.epsilon):
        account.charge(small)
        asked += 1
    with pytest.raises(BudgetExhaustedError, match=r"and ρ ≈ .* is left of ε = 1"):
        account.charge(small)
    assert asked > 1500
    assert account.spent.epsilon == Fraction(asked, 200)  # the sum, which is not the bound
    assert account.left == ApproximateDP(epsilon=0, delta=Fraction(1, 2 * 10**6))
    assert account.odometer.certified == ApproximateDP(epsilon=1, delta=Fraction(1, 10**6))
    plain = Spending(Budget(epsilon=1))  # the control: without a δ it is the sum
    for _ in range(200):
        plain.charge(small)
    with pytest.raises(BudgetExhaustedError, match="nothing is left"):
        plain.charge(small)


def test_half_of_the_delta_is_for_questions_unless_the_budget_says_otherwise():
    third = ApproximateDP(epsilon="0.01", delta="6e-7")
    halved = Spending(Budget(epsilon=1, delta="1e-6"))
    with pytest.raises(BudgetExhaustedError, match=r"Of its δ, 5e-07 is for questions"):
        halved.charge(third)
    Spending(Budget(epsilon=1, delta="1e-6", conversion_delta="1e-7")).charge(third)


def test_an_event_is_charged_as_what_it_is():
    account = Spending(Budget(epsilon=1, delta="1e-6"))
    event = DiscreteLaplaceEvent(scale=40, sensitivity=1)
    account.charge(event)
    assert account.spent == ApproximateDP(epsilon=Fraction(1, 40), delta=0)
    assert account.history == (event,)
    assert account.odometer.rho <= Fraction(1, 3200)
    account.charge(GaussianEvent.of(sigma=20))  # bounds no ε: only the budget is certain now
    assert account.spent == ApproximateDP(epsilon=1, delta=Fraction(1, 10**6))
    assert account.left.epsilon == 0
    assert repr(account).startswith("Spending(spent ρ ≈ ")
    with pytest.raises(BudgetExhaustedError, match=r"costs ρ = 0\.5, and ρ"):
        account.charge(GaussianEvent.of(sigma=1))


# ---------------------------------------------------------------------- refusals


ASK = {
    "count": lambda data: dp.count(data, epsilon=1),
    "sum": lambda data: dp.sum(data, bounds=(0, 1), epsilon=1),
    "mean": lambda data: dp.mean(data, bounds=(0, 1), epsilon=1),
    "var": lambda data: dp.var(data, bounds=(0, 1), epsilon=1),
    "std": lambda data: dp.std(data, bounds=(0, 1), epsilon=1),
    "min": lambda data: dp.min(data, bounds=(0, 1), epsilon=1),
    "max": lambda data: dp.max(data, bounds=(0, 1), epsilon=1),
    "median": lambda data: dp.median(data, bounds=(0, 1), epsilon=1),
    "quantile": lambda data: dp.quantile(data, [0.1, 0.9], bounds=(0, 1), epsilon=1),
    "histogram": lambda data: dp.histogram(data, bins=[0, 1], epsilon=1),
    "categories": lambda data: dp.histogram(data, categories=["a"], epsilon=1),
    "most_common": lambda data: dp.most_common(data, categories=["a"], epsilon=1),
    "proportion": lambda data: dp.proportion(data, epsilon=1),
}


@pytest.mark.parametrize("name", ASK)
def test_a_question_that_goes_over_is_refused_before_the_data_are_read(name):
    with spending(Budget(epsilon="0.9")) as account:
        with pytest.raises(BudgetExhaustedError, match="Nothing was read or spent"):
            ASK[name](Untouchable())
        assert account.spent.epsilon == 0
        assert account.history == ()
    with spending(Budget(epsilon=1)), pytest.raises(AssertionError, match="were read"):
        ASK[name](Untouchable())  # the control: with enough budget they are


@pytest.mark.parametrize(
    "ask",
    [
        lambda: dp.laplace(1, sensitivity=1, epsilon=1),
        lambda: dp.noisy_max([1, 2], sensitivity=1, epsilon=1),
        lambda: dp.noisy_max([1, 2], sensitivity=1, epsilon=1, noise="exponential"),
        lambda: dp.randomized_response([0, 1], epsilon=1),
    ],
)
def test_mechanism_functions_are_charged_too(ask):
    with spending(Budget(epsilon="1.5", delta="2e-6")) as account:
        ask()
        with pytest.raises(BudgetExhaustedError):
            ask()
    assert account.spent.epsilon == 1


def test_gaussian_noise_is_charged_as_what_it_is():
    with spending(Budget(epsilon="1.5", delta="2e-6")) as account:
        dp.gaussian(1, sensitivity=1, epsilon=1, delta=1e-6)
        with pytest.raises(BudgetExhaustedError):
            dp.gaussian(1, sensitivity=1, epsilon=1, delta=1e-6)
        assert round(float(account.odometer.rho), 4) == 0.0279
        dp.gaussian(1, sensitivity=1, rho="1/100")
        with pytest.raises(BudgetExhaustedError, match=r"costs ρ = 0\.02, and ρ"):
            dp.gaussian(1, sensitivity=1, rho="2/100")
    kept = [type(event) for event in account.history]
    assert kept == [DiscreteGaussianEvent, DiscreteGaussianEvent]
    assert account.odometer.rho <= Fraction(28, 1000) + Fraction(1, 100)


@pytest.mark.parametrize(("delta", "least"), [("1e-9", 420), ("1e-8", 340)])
def test_many_small_gaussian_questions_fit_a_budget(delta, least):
    """Each may depend on the answers before it; 20 fitted by the sum of ε."""
    with spending(Budget(epsilon=1, delta="1e-6")) as account:
        for _ in range(least):
            dp.gaussian(42, sensitivity=1, epsilon="0.05", delta=delta)
    assert account.odometer.rho_left > 0


def test_gaussian_noise_that_no_longer_fits_by_its_rho_is_charged_as_its_promise():
    with spending(Budget(epsilon=1, delta="1e-6")) as account:
        dp.count([1], epsilon="1/2")  # more than all of the ρ
        dp.gaussian(1, sensitivity=1, epsilon="1/4", delta="1e-7")
        assert account.spent == ApproximateDP(epsilon=Fraction(3, 4), delta=Fraction(1, 10**7))
        with pytest.raises(BudgetExhaustedError, match=r"costs ε = 0\.5, δ = 1e-07, and ε = 0\.25"):
            dp.gaussian(1, sensitivity=1, epsilon="1/2", delta="1e-7")
        with pytest.raises(BudgetExhaustedError, match="costs ρ"):
            dp.gaussian(1, sensitivity=1, rho="1/100")
    with spending(Budget(epsilon=1)), pytest.raises(BudgetExhaustedError, match="without a delta"):
        dp.gaussian(1, sensitivity=1, epsilon="1/4", delta="1e-7")


CHARGED = {
    "count": (
        lambda data: dp.count(data, epsilon="1/2"),
        DiscreteLaplaceEvent(scale=2, sensitivity=1),
    ),
    "histogram": (
        lambda data: dp.histogram(data, bins=[0, 5], epsilon="1/2", neighbors="replace"),
        DiscreteLaplaceEvent(scale=4, sensitivity=2),
    ),
    "sum": (
        lambda data: dp.sum(data, bounds=(0, 9), grid=1, epsilon="1/2"),
        DiscreteLaplaceEvent(scale=18, sensitivity=9),
    ),
    "median": (
        lambda data: dp.median(data, bounds=(0, 9), epsilon="1/2"),
        ComposedEvent(  # its value, the size of its interval, and its rank
            events=(
                BoundedRangeEvent(epsilon="1/3"),
                BoundedRangeEvent(epsilon="1/12"),
                PureEvent(epsilon="1/12"),
            )
        ),
    ),
    "quartiles": (
        lambda data: dp.quantile(data, [0.25, 0.5, 0.75], bounds=(0, 9), epsilon="1/2"),
        ComposedEvent(
            events=(
                RepeatedEvent(event=BoundedRangeEvent(epsilon="1/6"), count=2),
                RepeatedEvent(event=BoundedRangeEvent(epsilon="1/36"), count=3),
                RepeatedEvent(event=PureEvent(epsilon="1/36"), count=3),
            )
        ),
    ),
    "max": (
        lambda data: dp.max(data, bounds=(0, 9), epsilon="1/2"),
        BoundedRangeEvent(epsilon="1/2"),
    ),
    "min of few": (
        lambda data: dp.min(data, bounds=(0, 9), grid=1, epsilon="1/2"),
        DiscreteLaplaceEvent(scale=2, sensitivity=1),
    ),
    "variance, replaced": (
        lambda data: dp.var(data, bounds=(0, 9), epsilon="1/2", neighbors="replace"),
        PureEvent(epsilon="1/2"),
    ),
    "most common": (
        lambda data: dp.most_common(data, categories=[1, 2], epsilon="1/2"),
        PureEvent(epsilon="1/2"),
    ),
    "laplace": (
        lambda data: dp.laplace(7, sensitivity=3, epsilon="1/2"),
        DiscreteLaplaceEvent(scale=6, sensitivity=3),
    ),
    "gaussian": (
        lambda data: dp.gaussian([7, 8], sensitivity=2, rho="1/8"),
        DiscreteGaussianEvent(variance=16, squared_sensitivity=4, coordinates=2),
    ),
    "permute-and-flip": (
        lambda data: dp.noisy_max(data, sensitivity=1, epsilon="1/2"),
        PureEvent(epsilon="1/2"),
    ),
    "exponential": (
        lambda data: dp.noisy_max(data, sensitivity=1, epsilon="1/2", noise="exponential"),
        BoundedRangeEvent(epsilon="1/2"),
    ),
}


@pytest.mark.parametrize("name", CHARGED)
def test_each_function_is_charged_the_event_of_its_noise(name):
    ask, event = CHARGED[name]
    with spending(Budget(epsilon=3, delta="1e-3")) as account:
        ask([1, 2, 2])
    assert account.history == (event,)


def test_an_error_after_the_charge_is_not_refunded():
    with spending(Budget(epsilon=1)) as account:
        with pytest.raises(dp.DataError):
            dp.count("not a column", epsilon="0.25")
        assert account.spent.epsilon == Fraction(1, 4)


def test_the_history_is_what_was_spent_in_order():
    with spending(Budget(epsilon=8, delta="1e-5")) as account:
        dp.count([1], epsilon="0.5")
        dp.gaussian(1, sensitivity=1, epsilon=1, delta="1e-6")
        spend(TENTH)
    count, gaussian, tenth = account.history
    assert count == DiscreteLaplaceEvent(scale=2, sensitivity=1)
    assert (gaussian.squared_sensitivity, gaussian.coordinates) == (1, 1)
    assert tenth is TENTH
    assert "spent ρ ≈ 0.155" in repr(account)


@pytest.mark.parametrize("budget", [1, None, "1", PureDP(epsilon=1)])
def test_what_is_no_budget_is_refused(budget):
    with pytest.raises(PrivacyParameterError, match="not a Budget"), spending(budget):
        pass


# ---------------------------------------------------------------------- blocks and threads


def test_outside_a_block_nothing_is_kept():
    with spending(Budget(epsilon=1)) as account:
        pass
    dp.count([1], epsilon=1)
    assert account.spent.epsilon == 0


def test_a_block_ends_with_its_exception():
    with pytest.raises(RuntimeError), spending(Budget(epsilon=1)) as account:
        raise RuntimeError
    dp.count([1], epsilon=1)
    assert account.spent.epsilon == 0


def test_a_block_inside_another_counts_for_both():
    with spending(Budget(epsilon=1)) as outer:
        with spending(Budget(epsilon=5)) as inner:
            spend(PureDP(epsilon="0.75"))
            with pytest.raises(BudgetExhaustedError):
                spend(PureDP(epsilon="0.5"))  # the outer cap binds
        assert outer.spent == inner.spent
        assert inner.spent.epsilon == Fraction(3, 4)
        spend(PureDP(epsilon="0.25"))
    assert (outer.spent.epsilon, inner.spent.epsilon) == (1, Fraction(3, 4))


def test_a_thread_inside_the_block_is_charged():
    with spending(Budget(epsilon=1)) as account:
        thread = Thread(target=dp.count, args=([1],), kwargs={"epsilon": "0.5"})
        thread.start()
        thread.join()
        assert account.spent.epsilon == Fraction(1, 2)


def test_a_copied_context_is_charged_once():
    with spending(Budget(epsilon=1)) as account:
        context = copy_context()
        thread = Thread(target=context.run, args=(spend, TENTH))
        thread.start()
        thread.join()
    assert account.spent.epsilon == Fraction(1, 10)


def test_a_thread_with_a_block_of_its_own_charges_that_one():
    def work() -> Fraction:
        with spending(Budget(epsilon=1)) as own:
            spend(TENTH)
        return own.spent.epsilon

    with spending(Budget(epsilon=1)) as account, ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result() == Fraction(1, 10)
        assert account.spent.epsilon == 0


def test_threads_together_never_overspend():
    refused = []

    def work() -> None:
        for _ in range(50):
            try:
                spend(PureDP(epsilon="0.01"))
            except BudgetExhaustedError:
                refused.append(1)

    with spending(Budget(epsilon=1)) as account:
        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert account.spent.epsilon == 1
    assert len(account.history) == 100
    assert len(refused) == 300


def test_a_generator_takes_its_block_along_to_another_thread():
    def asking() -> Iterator[Spending]:
        with spending(Budget(epsilon="0.25")) as account:
            yield account
            dp.count([1], epsilon="0.25")
            yield account
            dp.count([1], epsilon="0.25")

    generator = asking()
    own = next(generator)

    def resumed() -> Fraction:
        with spending(Budget(epsilon=5)) as block:
            next(generator)
            with pytest.raises(BudgetExhaustedError):
                next(generator)
        return block.spent.epsilon

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(resumed).result() == Fraction(1, 4)  # the thread's own block counts too
    assert own.spent.epsilon == Fraction(1, 4)
    dp.count([1], epsilon=1)  # the block was left in the other thread, and is left here too
    assert own.spent.epsilon == Fraction(1, 4)


def test_a_generator_that_waits_elsewhere_is_not_charged():
    def asking() -> Iterator[Spending]:
        with spending(Budget(epsilon=1)) as account:
            yield account

    def work() -> None:
        with spending(Budget(epsilon=1)):
            spend(TENTH)

    generator = asking()
    account = next(generator)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()
    generator.close()
    assert account.spent.epsilon == 0


def test_a_ledger_that_refuses_leaves_the_counts_in_memory_alone():
    class Refusing:
        def check(self, loss: object, *, safe: bool, neighbors: object) -> None:
            pass

        def charge(self, loss: object, *, safe: bool, neighbors: object) -> None:
            raise BudgetExhaustedError("nothing is left")

    with spending(Budget(epsilon=1)) as outer, spending(Budget(epsilon=1), Refusing()) as inner:
        with pytest.raises(BudgetExhaustedError):
            spend(TENTH)
        assert outer.spent.epsilon == inner.spent.epsilon == 0


# ---------------------------------------------------------------------- forks


class Written:
    """An account that many processes may share."""

    def check(self, loss: object, *, safe: bool, neighbors: object) -> None:
        pass

    def charge(self, loss: object, *, safe: bool, neighbors: object) -> None:
        pass


def in_a_child(call: Callable[[], object]) -> int:
    """How a forked process ends: 0 if the call returns, 3 if it is refused as forked."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(120)  # ends a child that waits for ever
            call()
            code = 0
        except LedgerError as error:
            code = 3 if "forked" in str(error) else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@needs_fork
def test_a_count_in_memory_is_not_multiplied_by_forks():
    with spending(Budget(epsilon=1)) as account:
        assert [in_a_child(lambda: dp.count([1], epsilon=1)) for _ in range(2)] == [3, 3]
        assert in_a_child(lambda: account.charge(TENTH)) == 3
        dp.count([1], epsilon=1)
    with spending(Budget(epsilon=1), Written()):
        assert in_a_child(lambda: dp.count([1], epsilon=1)) == 0  # the control

    def block_of_its_own() -> None:
        with spending(Budget(epsilon=1)):
            spend(TENTH)

    assert in_a_child(block_of_its_own) == 0


@needs_fork
def test_a_fork_in_the_middle_of_anothers_charge_can_still_spend():
    charging, done = Event(), Event()

    class Slow(Written):
        def charge(self, loss: object, *, safe: bool, neighbors: object) -> None:
            charging.set()
            done.wait(60)

    def work() -> None:
        with spending(Budget(epsilon=1), Slow()):
            spend(TENTH)

    thread = Thread(target=work)
    with spending(Budget(epsilon=1), Written()):
        thread.start()
        charging.wait(60)
        code = in_a_child(lambda: spend(TENTH))
        done.set()
        thread.join()
    assert code == 0


# ---------------------------------------------------------------------- budgets in ρ


def test_a_block_with_a_budget_in_rho_counts_in_rho():
    with spending(Budget(rho="1/10", delta="1e-6")) as account:
        spend(ConcentratedEvent(rho="1/20"))
        spend(PureDP(epsilon="0.1"))
        spend(ApproximateDP(epsilon="0.1", delta="1e-7"))
        rho = account.odometer.rho
        assert account.spent == ZeroConcentratedDP(rho=rho, delta="1e-7")
        assert account.left == ZeroConcentratedDP(rho=Fraction(1, 10) - rho, delta="9e-7")
        assert repr(account) == (
            "Spending(spent ρ ≈ 0.0599917, δ = 1e-07; left ρ ≈ 0.0400083, δ = 9e-07)"
        )
        with pytest.raises(
            BudgetExhaustedError, match=r"costs ρ = 0\.05, and ρ ≈ 0\.04.*smaller rho"
        ):
            spend(ConcentratedEvent(rho="1/20"))
        with pytest.raises(BudgetExhaustedError, match=r"costs ρ ≈ .*smaller epsilon"):
            dp.mean(Untouchable(), bounds=(0, 1), epsilon=1)
        with pytest.raises(BudgetExhaustedError, match="smaller epsilon or delta") as refusal:
            spend(ApproximateDP(epsilon="0.1", delta="1e-6"))
        assert "is for questions and the rest" not in str(refusal.value)
        assert account.odometer.rho == rho


def test_a_hundredth_of_rho_ten_times_is_exactly_a_tenth():
    with spending(Budget(rho="0.1")) as account:
        for _ in range(10):
            spend(ConcentratedEvent(rho="0.01"))
        assert account.left == ZeroConcentratedDP(rho=0)
        with pytest.raises(BudgetExhaustedError, match="nothing is left"):
            spend(ConcentratedEvent(rho=Fraction(1, 10**17)))


def test_without_a_delta_a_budget_in_rho_admits_no_leak():
    with spending(Budget(rho=1)), pytest.raises(BudgetExhaustedError, match="Ask without a delta"):
        spend(ApproximateDP(epsilon="0.1", delta="1e-9"))
