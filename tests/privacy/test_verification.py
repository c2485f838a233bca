"""What is verified is what every event says, in either direction."""

from fractions import Fraction
from math import exp, inf, log
from time import process_time

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError, VerificationError
from discreet.mechanisms import Laplace
from discreet.privacy.laws import Atom, Enclosure, Law, ProductLaw, Weight, WeightedLaw
from discreet.privacy.verification import Verification, verify
from tests.privacy.every_event import (
    approximate,
    least_delta,
    one_way,
    power,
    probabilities,
    weighted_laws,
    worst_ratio,
)
from tests.support.trials import examples

CLOSE = Fraction(1, 10**12)
LEVELS = st.fractions(0, 4, max_denominator=50)
TWO_COINS = {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}

# Two laws may be anything; half of the pairs share all outcomes, so that ε is finite.
PAIRS = st.one_of(
    st.tuples(probabilities(), probabilities()),
    st.tuples(probabilities(least=1), probabilities(least=1)),
)


@given(PAIRS)
def test_the_ratio_is_the_worst_of_all_events(pair: tuple) -> None:
    assert verify(pair_table(*pair), 0, 1).ratio == worst_ratio(*pair)


@given(PAIRS)
def test_epsilon_is_its_logarithm_and_never_below(pair: tuple) -> None:
    epsilon, worst = verify(pair_table(*pair), 0, 1).epsilon, worst_ratio(*pair)
    if worst == inf:
        assert epsilon == inf
    else:
        assert power(epsilon)[1] >= worst
        assert power(epsilon - CLOSE)[0] <= worst


@given(PAIRS, LEVELS)
def test_delta_is_the_worst_of_all_events_and_never_below(pair: tuple, level: Fraction) -> None:
    delta = verify(pair_table(*pair), 0, 1).delta(epsilon=level)
    low, high = power(level)
    assert least_delta(*pair, high) <= delta <= least_delta(*pair, low) + CLOSE


@given(PAIRS)
def test_the_total_variation_of_rational_laws_is_exact(pair: tuple) -> None:
    assert verify(pair_table(*pair), 0, 1).total_variation == least_delta(*pair, Fraction(1))


@st.composite
def rearranged_laws(draw: st.DrawFn) -> tuple[WeightedLaw, WeightedLaw]:
    """Two laws with the same weights on other outcomes: their ratios are known exactly."""
    exponents = draw(st.lists(st.fractions(0, 3, max_denominator=4), min_size=4, max_size=4))
    weights = [Weight(Fraction(1), exponent) for exponent in exponents]
    other = draw(st.permutations(weights))
    return tuple(WeightedLaw(dict(zip("abcd", one, strict=True))) for one in (weights, other))


@pytest.mark.slow
@examples(80)
@given(st.one_of(st.tuples(weighted_laws(), weighted_laws()), rearranged_laws()), LEVELS)
def test_laws_with_powers_of_e_agree_with_the_slow_series(pair: tuple, level: Fraction) -> None:
    first, second = pair
    check = verify(pair_table(first, second), 0, 1)
    (p_low, p_high), (q_low, q_high) = approximate(first), approximate(second)
    least = max(max(p_low[at] / q_high[at], q_low[at] / p_high[at]) for at in p_low)
    most = max(max(p_high[at] / q_low[at], q_high[at] / p_low[at]) for at in p_low)
    assert power(check.epsilon)[1] >= least
    assert power(check.epsilon - CLOSE)[0] <= most
    low, high = power(level)
    delta = check.delta(level)
    assert delta >= max(one_way(p_low, q_high, high), one_way(q_low, p_high, high))
    assert delta <= max(one_way(p_high, q_low, low), one_way(q_high, p_low, low)) + CLOSE


@given(PAIRS, LEVELS)
def test_both_directions_are_covered(pair: tuple, level: Fraction) -> None:
    there, back = verify(pair_table(*pair), 0, 1), verify(pair_table(*pair), 1, 0)
    assert (there.epsilon, there.ratio) == (back.epsilon, back.ratio)
    assert there.delta(level) == back.delta(level)


@given(PAIRS)
def test_nothing_is_left_at_epsilon(pair: tuple) -> None:
    check = verify(pair_table(*pair), 0, 1)
    if check.epsilon != inf:
        assert check.delta(check.epsilon) == 0
        below = check.epsilon - Fraction(1, 10**6)
        assert below < 0 or check.delta(below) > 0


def pair_table(first: object, second: object) -> dict[int, object]:
    return {0: first, 1: second}


class TestKnownMechanisms:
    def test_two_coins_keep_exactly_three(self) -> None:
        check = verify(TWO_COINS, 0, 1)
        assert check.ratio == 3
        assert check.total_variation == Fraction(1, 2)
        assert 0 <= float(check.epsilon) - log(3) < 1e-12
        assert repr(check) == "Verification(epsilon≈1.09861, total_variation=0.5)"

    def test_a_response_at_epsilon_keeps_exactly_that(self) -> None:
        epsilon = Fraction(7, 5)
        keep, lie = Weight(Fraction(1)), Weight(Fraction(1), epsilon)
        check = verify({0: WeightedLaw({0: keep, 1: lie}), 1: WeightedLaw({0: lie, 1: keep})}, 0, 1)
        assert check.epsilon == epsilon
        assert check.ratio is None
        assert float(check.total_variation) == pytest.approx((exp(1.4) - 1) / (exp(1.4) + 1))

    def test_laplace_noise_loses_its_distance_over_its_scale(self) -> None:
        assert verify(Laplace(scale=2), 0, 1).epsilon == Fraction(1, 2)
        assert verify(Laplace(scale="1/3"), 5, -2).epsilon == 21
        assert verify(Laplace(scale=1, grid="1/8"), 0, 0.5).epsilon == Fraction(1, 2)
        assert verify(Laplace(scale=2), [0, 0, 9], [1, -2, 9]).epsilon == Fraction(3, 2)
        assert verify(Laplace(scale=2), 3, 3).epsilon == 0
        assert repr(verify(Laplace(scale=2), 0, 1)).startswith("Verification(epsilon=0.5, ")

    @pytest.mark.parametrize("level", [0, 0.1, 0.3, 0.49])
    def test_laplace_noise_has_its_closed_curve(self, level: float) -> None:
        delta = verify(Laplace(scale=2), 0, 1).delta(level)
        assert float(delta) == pytest.approx((1 - exp(level - 0.5)) / (1 + exp(-0.5)), abs=1e-12)

    @pytest.mark.parametrize("level", ["0", "0.1", "0.3", "0.7", "1.3"])
    def test_a_delta_that_is_not_rational_is_rounded_up(self, level: str) -> None:
        with mpmath.workdps(80):
            q, growth = mpmath.exp(-mpmath.mpf(2) / 3), mpmath.exp(mpmath.mpf(level))
            left = max(0, 1 - growth * q**2) / (1 + q)  # the outcomes up to 0, of 0 against 2
            middle = max(0, 1 - growth) * q * (1 - q) / (1 + q)
            exact = left + middle
            delta = verify(Laplace(scale="3/2"), 0, 2).delta(level)
            excess = mpmath.mpf(delta.numerator) / delta.denominator - exact
            assert -(mpmath.mpf(10) ** -75) < excess < mpmath.mpf(10) ** -40
            assert excess > 0 or exact == 0

    def test_laplace_noise_has_no_delta_at_its_epsilon(self) -> None:
        assert verify(Laplace(scale=2), 0, 1).delta(0.5) == 0

    @pytest.mark.parametrize("apart", [1, 2, 7])
    def test_laplace_atoms_agree_with_points_cut_far_out(self, apart: int) -> None:
        reach, q = 250, exp(-0.5)
        points = [
            ((1 - q) / (1 + q) * q ** abs(x), (1 - q) / (1 + q) * q ** abs(x - apart))
            for x in range(-reach, reach)
        ]
        check = verify(Laplace(scale=2), 0, apart)
        for level in (0, 0.2, 0.9):
            naive = sum(max(0.0, one - exp(level) * other) for one, other in points)
            assert float(check.delta(level)) == pytest.approx(naive, abs=1e-12)

    @pytest.mark.slow
    def test_a_far_pair_is_verified_quickly(self) -> None:
        start = process_time()
        check = verify(Laplace(scale=1000), 0, 10_000)
        assert check.epsilon == 10
        assert float(check.delta(9)) == pytest.approx((1 - exp(-1)) / 2, abs=0.2)
        assert process_time() - start < 6

    def test_a_pair_that_is_told_apart_for_sure_has_nothing_left(self) -> None:
        check = verify(Laplace(scale=1), 0, 2_000)
        assert check.epsilon == 2_000
        assert 1 - CLOSE < check.total_variation <= 1
        assert 0 < check.delta(1_999) < 1


class TestDeterministicMechanisms:
    def test_a_constant_gives_nothing_away(self) -> None:
        check = verify({0: {"same": 1}, 1: {"same": 1}}, 0, 1)
        assert (check.epsilon, check.ratio, check.total_variation) == (0, 1, 0)
        assert repr(check) == "Verification(epsilon=0, total_variation=0)"

    def test_anything_else_gives_all_away(self) -> None:
        check = verify({0: {"a": 1}, 1: {"b": 1}}, 0, 1)
        assert (check.epsilon, check.ratio, check.total_variation) == (inf, inf, 1)
        assert check.delta(1000) == 1
        assert repr(check) == "Verification(epsilon=∞, total_variation=1)"

    def test_a_rare_revelation_is_infinite_too(self) -> None:
        rare = {0: {"a": "999999/1000000", 0: "1e-6"}, 1: {"a": "999999/1000000", 1: "1e-6"}}
        check = verify(rare, 0, 1)
        assert check.epsilon == inf
        assert check.total_variation == Fraction(1, 10**6)
        assert check.delta(50) >= Fraction(1, 10**6)
        assert check.delta(50) <= Fraction(1, 10**6) + CLOSE


class TestLargeEpsilon:
    """Enclosures of e^ε grow wide; what is given out stays within the tolerance."""

    @pytest.mark.parametrize("level", [50, 100, 200, 1000])
    def test_ratios_known_only_by_enclosures(self, level: int) -> None:
        # A ratio of twice e^level on the first outcome, so half of 1/2 is left.
        tiny = WeightedLaw({"a": Weight(Fraction(1), Fraction(level)), "b": Weight(Fraction(4))})
        half = WeightedLaw({"a": Weight(Fraction(1)), "b": Weight(Fraction(1))})
        delta = verify(pair_table(half, tiny), 0, 1).delta(level)
        assert Fraction(1, 4) - CLOSE <= delta <= Fraction(1, 4) + CLOSE

    def test_an_absurd_level_is_answered_at_once(self) -> None:
        half = {"a": "1/2", "b": "1/2"}
        assert verify(pair_table(half, {"a": "1/3", "b": "2/3"}), 0, 1).delta("1e1000") == 0
        left = verify(pair_table(half, {"a": 1}), 0, 1).delta(10**9)
        assert left == Fraction(1, 2)


class Tampered:
    """A law of two points whose atoms are changed on the way: verification must notice."""

    def __init__(self, **changes: object) -> None:
        self.changes = changes

    def probability(self, outcome: object) -> float:
        return 0.5

    def against(self, other: Law) -> list[Atom]:
        return [half_atom("a", **self.changes), half_atom("b")]


def constant(share: Fraction) -> Enclosure:
    return lambda bits: ((share * 2**bits).__floor__(), (share * 2**bits).__ceil__())


def half_atom(outcome: str, **changes: object) -> Atom:
    half = constant(Fraction(1, 2))
    fields: dict[str, object] = {"first": half, "second": half, **changes}
    return Atom(outcome=outcome, **fields)  # type: ignore[arg-type]


class TestLawsThatAreNotWhatTheySay:
    @pytest.mark.parametrize(
        "changes",
        [
            {"first": constant(Fraction(1, 4))},
            {"second": constant(Fraction(3, 4))},
            {"first": constant(Fraction(1, 2) - Fraction(1, 2**150))},
        ],
    )
    def test_probabilities_that_do_not_sum_to_one_are_refused(self, changes: dict) -> None:
        check = verify(pair_table(Tampered(**changes), Tampered(**changes)), 0, 1)
        for number in (lambda: check.epsilon, lambda: check.ratio, lambda: check.delta(1)):
            with pytest.raises(VerificationError, match="sum to"):
                number()

    @pytest.mark.parametrize(
        "changes",
        [
            {"ratio": Fraction(2)},
            {"ratio": Fraction(1, 2)},
            {"log_ratio": Fraction(1, 1000)},
            {"log_ratio": Fraction(-5)},
            {"probabilities": (Fraction(1, 2), Fraction(1, 3))},
            {"probabilities": (Fraction(2, 3), Fraction(1, 2))},
        ],
    )
    def test_a_wrong_ratio_is_refused(self, changes: dict) -> None:
        check = verify(pair_table(Tampered(**changes), Tampered(**changes)), 0, 1)
        with pytest.raises(VerificationError, match="not that of its probabilities"):
            assert check.epsilon

    def test_what_is_right_is_let_through(self) -> None:
        assert verify(pair_table(Tampered(ratio=Fraction(1)), Tampered()), 0, 1).epsilon == 0

    def test_an_empty_law_is_refused(self) -> None:
        with pytest.raises(VerificationError, match="sum to 0"):
            assert Verification(atoms=()).epsilon


class TestFarTails:
    @staticmethod
    def with_tail(tail: Fraction) -> Verification:
        share = constant((1 - tail) / 2)
        ends = constant(tail)
        return Verification(
            atoms=(
                Atom(outcome=0, first=share, second=share, ratio=Fraction(1)),
                Atom(outcome=1, first=share, second=share, ratio=Fraction(1)),
                Atom(outcome=2, first=ends, second=ends, constant=False),
            )
        )

    def test_they_are_counted_as_fully_revealing(self) -> None:
        tail = Fraction(1, 2**60)
        check = self.with_tail(tail)
        assert (check.epsilon, check.ratio) == (inf, inf)
        assert check.delta(3) == tail

    def test_one_of_several_coordinates_is_enough(self) -> None:
        tail = self.with_tail(Fraction(1, 2**60))

        class Part:
            def probability(self, outcome: object) -> float:
                return 0.0

            def against(self, other: Law) -> tuple[Atom, ...]:
                return tail.atoms

        honest = WeightedLaw({0: Weight(Fraction(1)), 1: Weight(Fraction(2))})
        check = verify(pair_table(ProductLaw((Part(), honest)), ProductLaw((Part(), honest))), 0, 1)
        assert check.epsilon == inf
        assert check.delta(3) >= Fraction(1, 2**60)

    def test_they_must_be_negligible(self) -> None:
        with pytest.raises(VerificationError, match=r"far tails of the laws hold 0\.02"):
            self.with_tail(Fraction(1, 100)).delta(1)


class TestWhatCanBeVerified:
    def test_anything_with_a_law(self) -> None:
        class Coin:
            def law(self, value: int) -> dict[str, str]:
                return (
                    {"heads": "2/3", "tails": "1/3"} if value else {"heads": "1/3", "tails": "2/3"}
                )

        assert verify(Coin(), 0, 1).ratio == 2

    @pytest.mark.parametrize("thing", [42, None, len, "laplace", [0.5, 0.5]])
    def test_nothing_else(self, thing: object) -> None:
        with pytest.raises(VerificationError, match=r"has no exact law.*Give an object"):
            verify(thing, 0, 1)  # type: ignore[arg-type]

    @pytest.mark.parametrize("value", [2, [0], None])
    def test_inputs_stand_in_the_table(self, value: object) -> None:
        with pytest.raises(VerificationError, match="no law for one of the inputs"):
            verify(TWO_COINS, 0, value)

    @pytest.mark.parametrize("law", [0.5, [0.5, 0.5], "heads", None])
    def test_a_law_is_a_mapping_or_a_law(self, law: object) -> None:
        with pytest.raises(VerificationError, match="A law is a mapping"):
            verify({0: law, 1: law}, 0, 1)  # type: ignore[dict-item]

    def test_a_law_by_hand_is_checked(self) -> None:
        with pytest.raises(VerificationError, match=r"sum to 0\.9"):
            verify({0: {"a": 0.9}, 1: {"a": 1}}, 0, 1)

    @pytest.mark.parametrize("level", [-1, "-1/2"])
    def test_a_negative_epsilon_has_no_delta(self, level: object) -> None:
        with pytest.raises(VerificationError, match="ε ≥ 0"):
            verify(TWO_COINS, 0, 1).delta(level)

    @pytest.mark.parametrize("level", [float("nan"), inf, "abc", None])
    def test_epsilon_is_a_number(self, level: object) -> None:
        with pytest.raises(PrivacyParameterError):
            verify(TWO_COINS, 0, 1).delta(level)


def test_a_worst_ratio_among_unknown_ones_is_still_exact() -> None:
    # "a" keeps exactly 3; the ratios of "b" and "c" are rational powers of e, and smaller.
    e = Weight(Fraction(1), Fraction(1))
    first = WeightedLaw({"a": Weight(Fraction(3)), "b": e, "c": Weight(Fraction(1)), "d": e})
    second = WeightedLaw({"a": Weight(Fraction(1)), "b": e, "c": Weight(Fraction(3)), "d": e})
    assert verify(pair_table(first, second), 0, 1).ratio == 3
    third = WeightedLaw({"a": Weight(Fraction(3)), "b": Weight(Fraction(1)), "c": e, "d": e})
    assert verify(pair_table(first, third), 0, 1).ratio is None
    assert verify(pair_table(first, third), 0, 1).epsilon == 1
