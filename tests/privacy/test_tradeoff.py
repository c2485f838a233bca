"""No attack is better than the curve, and every point of the curve is an attack."""

import json
from fractions import Fraction
from itertools import pairwise, product
from math import exp, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError, VerificationError
from discreet.mechanisms import Laplace
from discreet.privacy.laws import Atom, ProductLaw, WeightedLaw
from discreet.privacy.tradeoff import Region, Tradeoff, tradeoff
from discreet.privacy.verification import Verification
from tests.privacy.every_event import (
    approximate,
    best_rate,
    events,
    least_delta,
    power,
    probabilities,
    weighted_laws,
)
from tests.support.trials import examples

CLOSE = Fraction(1, 10**12)
TWO_COINS = {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}
RATES = st.fractions(0, 1, max_denominator=30)
LEVELS = st.fractions(0, 4, max_denominator=50)
PAIRS = st.one_of(
    st.tuples(probabilities(), probabilities()),
    st.tuples(probabilities(least=1), probabilities(least=1)),
)


def curve_of(first: object, second: object) -> Tradeoff:
    return tradeoff({0: first, 1: second}, 0, 1)


@given(PAIRS)
def test_every_point_is_an_event_and_no_event_is_above_the_curve(pair: tuple) -> None:
    curve, every = curve_of(*pair), set(events(*pair))
    assert set(curve.points) <= every
    assert all(curve.true_positive_rate(alpha) >= beta for alpha, beta in every)


@given(PAIRS)
def test_the_points_are_the_corners_of_the_hull_of_all_events(pair: tuple) -> None:
    points, every = curve_of(*pair).points, set(events(*pair))
    for (left, low), (right, high) in pairwise(points):
        assert (left, low) != (right, high)
        # Each event lies on or below the line through two neighboring points.
        assert all((high - low) * (x - left) >= (y - low) * (right - left) for x, y in every)
    slopes = [
        (b.true_positive_rate - a.true_positive_rate, b.false_positive_rate - a.false_positive_rate)
        for a, b in pairwise(points)
    ]
    assert all(
        up * next_along > next_up * along for (up, along), (next_up, next_along) in pairwise(slopes)
    )


@examples(50)
@given(PAIRS, RATES)
def test_coins_between_events_reach_the_curve_and_no_more(pair: tuple, rate: Fraction) -> None:
    assert curve_of(*pair).true_positive_rate(rate) == best_rate(*pair, rate)


@given(PAIRS)
def test_the_advantage_is_the_total_variation(pair: tuple) -> None:
    curve = curve_of(*pair)
    assert curve.advantage == max(beta - alpha for alpha, beta in events(*pair))
    assert curve.advantage == curve.best_attack().advantage
    assert curve.advantage == curve.verification.total_variation


@pytest.mark.slow
@given(PAIRS, LEVELS)
def test_delta_is_the_largest_excess_of_a_point_over_the_line(pair: tuple, level: Fraction) -> None:
    there, back = curve_of(*pair), curve_of(*reversed(pair))
    low, high = power(level)

    def excess(growth: Fraction) -> Fraction:
        return max(beta - growth * alpha for alpha, beta in (*there.points, *back.points))

    assert excess(high) <= there.delta(level) <= excess(low) + CLOSE


@pytest.mark.slow
@given(PAIRS, LEVELS, st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2)]))
def test_what_satisfies_a_guarantee_lies_in_its_region(
    pair: tuple, level: Fraction, delta: Fraction
) -> None:
    curve = curve_of(*pair)
    inside = all(curve.region(level, delta).contains(*event) for event in events(*pair))
    low, high = power(level)
    if least_delta(*pair, high) > delta + 2 * CLOSE * low:
        assert not curve.satisfies(level, delta)
        assert not inside
    if least_delta(*pair, low) < delta - CLOSE or curve.epsilon <= level:
        assert curve.satisfies(level, delta)
        assert inside


@pytest.mark.slow
@examples(40)
@given(weighted_laws(), weighted_laws())
def test_rounded_points_stand_on_the_side_of_the_attacker(
    first: WeightedLaw, second: WeightedLaw
) -> None:
    curve = curve_of(first, second)
    (p_low, p_high), (q_low, q_high) = approximate(first), approximate(second)
    at_most, at_least = set(events(p_high, q_low)), set(events(p_low, q_high))
    # Rates of events, rounded against the attacker, are below the curve …
    assert all(
        curve.true_positive_rate(min(alpha, 1)) >= beta - Fraction(1, 2**190)
        for alpha, beta in at_most
    )
    # … and each point is close to the rates of an event.
    for alpha, beta in curve.points:
        assert any(abs(alpha - x) < CLOSE and abs(beta - y) < CLOSE for x, y in at_least)


class TestKnownMechanisms:
    def test_two_coins(self) -> None:
        curve = tradeoff(TWO_COINS, 0, 1)
        quarter = Fraction(1, 4)
        assert curve.points == ((0, 0), (quarter, 1 - quarter), (1, 1))
        assert curve.best_attack().rule == "say 1 when the output is 1, else 0"
        assert curve.true_positive_rate("1/8") == Fraction(3, 8)
        assert curve.satisfies("1.0986122886681097")  # ln 3 is 1.09861228866810969…
        assert not curve.satisfies("1.0986122886681096")

    def test_laplace_noise(self) -> None:
        curve = tradeoff(Laplace(scale=2), 0, 1)
        q = exp(-0.5)
        assert len(curve.points) == 3
        assert [float(rate) for rate in curve.points[1]] == pytest.approx(
            [q / (1 + q), 1 / (1 + q)]
        )
        assert curve.best_attack().rule == "say 1 when the output is 1 or more, else 0"
        assert curve.satisfies(0.5)
        assert not curve.satisfies("0.4999999999")
        assert all(curve.region(0.5).contains(*point) for point in curve.points)
        assert not all(curve.region(0.49).contains(*point) for point in curve.points)

    def test_laplace_noise_downwards(self) -> None:
        rule = tradeoff(Laplace(scale=1, grid="1/2"), 3, 1).best_attack().rule
        assert rule == "say 1 when the output is 1.5 or less, else 3"

    def test_the_middle_of_an_even_distance_is_a_tie(self) -> None:
        curve = tradeoff(Laplace(scale=1), 0, 4)
        assert curve.best_attack().rule == "say 4 when the output is 3 or more, else 0"
        assert curve.best_attack().advantage == pytest.approx(float(curve.advantage), abs=1e-12)

    def test_a_far_pair(self) -> None:
        curve = tradeoff(Laplace(scale=50), 0, 1000)
        assert len(curve.points) == 1002
        assert curve.true_positive_rate(0) == 0
        assert float(curve.true_positive_rate(0.01)) > 0.99
        assert curve.true_positive_rate(1) == 1

    def test_several_coordinates(self) -> None:
        curve = tradeoff(Laplace(scale=2), [0, 0, 5], [1, 1, 5])
        assert len(curve.points) == 4  # both, one or none of the coordinates speak for it
        assert (
            "more likely on the second"
            in tradeoff(Laplace(scale=2), [0] * 9, [1] * 9).best_attack().rule
        )

    def test_independent_responses(self) -> None:
        truth = {at: WeightedLaw.of_probabilities(law) for at, law in TWO_COINS.items()}
        laws = {
            bits: ProductLaw(tuple(truth[bit] for bit in bits))
            for bits in product((0, 1), repeat=2)
        }
        curve = tradeoff(laws, (0, 0), (1, 1))
        joint = [
            {
                (a, b): Fraction(TWO_COINS[bit][a]) * Fraction(TWO_COINS[bit][b])
                for a, b in product((0, 1), repeat=2)
            }
            for bit in (0, 1)
        ]
        assert set(curve.points) <= set(events(*joint))
        assert curve.best_attack().rule == "say (1, 1) when the output is (1, 1), else (0, 0)"
        assert curve.verification.ratio == 9


class TestWithoutPrivacy:
    def test_a_constant_can_only_be_guessed(self) -> None:
        curve = curve_of({"same": 1}, {"same": 1})
        assert curve.points == ((0, 0), (1, 1))
        assert curve.advantage == 0
        assert curve.best_attack().rule.startswith("guess")
        assert curve.true_positive_rate(0.3) == Fraction(3, 10)

    def test_a_deterministic_mechanism_is_seen_through(self) -> None:
        curve = curve_of({"a": 1}, {"b": 1})
        assert curve.points == ((0, 0), (0, 1), (1, 1))
        assert curve.true_positive_rate(0) == 1
        assert not curve.satisfies(1000, 0.999)
        assert curve.satisfies(0, 1)
        assert curve.best_attack().rule == "say 1 when the output is b, else 0"

    def test_a_far_tail_counts_for_the_attacker(self) -> None:
        def share(value: Fraction):
            return lambda bits: ((value * 2**bits).__floor__(), (value * 2**bits).__ceil__())

        tail = Fraction(1, 2**50)
        rest, ends = share(1 - tail), share(tail)
        atoms = (
            Atom(outcome=0, first=rest, second=rest, ratio=Fraction(1)),
            Atom(outcome=1, first=ends, second=ends, constant=False),
        )
        curve = Tradeoff(
            mechanism="m", first="0", second="1", verification=Verification(atoms=atoms)
        )
        assert curve.true_positive_rate(0) == tail
        assert curve.epsilon == inf


class TestRegion:
    @pytest.mark.slow
    @given(LEVELS, RATES, RATES)
    def test_its_edges_are_the_definition(
        self, level: Fraction, delta: Fraction, rate: Fraction
    ) -> None:
        region = Region(epsilon=level, delta=delta)
        low, high = power(level)

        def four_lines(alpha: Fraction, beta: Fraction, growth: Fraction) -> bool:
            return all(
                one <= growth * other + delta
                for one, other in (
                    (beta, alpha),
                    (alpha, beta),
                    (1 - alpha, 1 - beta),
                    (1 - beta, 1 - alpha),
                )
            )

        for edge, outwards in ((region.highest(rate), 1), (region.lowest(rate), -1)):
            assert 0 <= edge <= 1
            inside = edge - outwards * CLOSE
            if 0 <= inside <= 1 and region.highest(rate) - region.lowest(rate) > 2 * CLOSE:
                assert four_lines(rate, inside, high)
            beyond = edge + outwards * CLOSE
            if 0 <= beyond <= 1:
                assert not four_lines(rate, beyond, low)

    @given(LEVELS, RATES)
    def test_its_corners_lie_on_its_edges(self, level: Fraction, delta: Fraction) -> None:
        region = Region(epsilon=level, delta=delta)
        for x, y in region.upper_corners:
            assert abs(region.highest(x) - y) < CLOSE or (x, delta) == (1, 1)
        for x, y in region.lower_corners:
            assert abs(region.lowest(x) - y) < CLOSE
        assert [x for x, _ in region.upper_corners] == sorted(x for x, _ in region.upper_corners)

    def test_an_absurd_epsilon_allows_nearly_everything(self) -> None:
        region = Region(epsilon=10**6)
        assert region.highest(0) == 0
        assert region.highest(1e-9) == 1
        assert region.lowest(1 - Fraction(1, 10**9)) == 0

    @pytest.mark.parametrize("rate", [-0.1, 1.1, "3/2"])
    def test_rates_lie_between_0_and_1(self, rate: object) -> None:
        for use in (Region(epsilon=1).highest, tradeoff(TWO_COINS, 0, 1).true_positive_rate):
            with pytest.raises(VerificationError, match="between 0 and 1"):
                use(rate)
        with pytest.raises(VerificationError, match="between 0 and 1"):
            Region(epsilon=1, delta=rate)  # type: ignore[arg-type]

    def test_epsilon_is_not_negative(self) -> None:
        with pytest.raises(VerificationError, match="ε ≥ 0"):
            Region(epsilon=-1)  # type: ignore[arg-type]
        with pytest.raises(PrivacyParameterError):
            Region(epsilon=inf)  # type: ignore[arg-type]


class TestPlainData:
    def test_it_is_json(self) -> None:
        data = tradeoff(TWO_COINS, 0, 1).to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert data["points"] == [[0, 0], [0.25, 0.75], [1, 1]]
        assert data["best_attack"]["true_positive_rate"] == 0.75
        assert data["mechanism"] == "a table of laws"

    def test_an_infinite_epsilon_is_none(self) -> None:
        data = curve_of({"a": 1}, {"b": 1}).to_dict()
        assert data["epsilon"] is None
        json.dumps(data, allow_nan=False)

    def test_texts_are_short(self) -> None:
        curve = tradeoff(Laplace(scale=2), list(range(1000)), [1, *range(1, 1000)])
        assert len(repr(curve)) < 200
        assert repr(tradeoff(TWO_COINS, 0, 1)) == (
            "Tradeoff(a table of laws, 0 against 1, epsilon≈1.09861, advantage=0.5)"
        )
        assert repr(tradeoff(TWO_COINS, 0, 1).best_attack()) == (
            "Attack('say 1 when the output is 1, else 0', false_positive_rate=0.25, "
            "true_positive_rate=0.75)"
        )
