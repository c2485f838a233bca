"""Laws enclose their probabilities, and lay themselves side by side without loss."""

from fractions import Fraction
from itertools import product
from math import exp

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError, VerificationError
from discreet.privacy.laws import (
    MAX_ATOMS,
    Atom,
    EnclosedLaw,
    ProductLaw,
    Weight,
    WeightedLaw,
    nearest_float,
)
from discreet.privacy.verification import verify
from tests.privacy.every_event import (
    approximate,
    least_delta,
    probabilities,
    weighted_laws,
    worst_ratio,
)
from tests.support.trials import examples

BITS = 160


def rational_law(**weights: int) -> WeightedLaw:
    return WeightedLaw({at: Weight(Fraction(weight)) for at, weight in weights.items()})


@pytest.mark.slow
@given(weighted_laws())
def test_a_weighted_law_encloses_its_probabilities_narrowly(law: WeightedLaw) -> None:
    low, high = approximate(law)
    for outcome in law.weights:
        least, most = law.enclose(outcome, BITS)
        assert least <= high[outcome] * 2**BITS
        assert most >= low[outcome] * 2**BITS
        assert most - least <= 8
    assert law.enclose("none of them", BITS) == (0, 0)


@pytest.mark.parametrize("shift", [-100_000, 100_000])
@pytest.mark.parametrize("scale", [Fraction(1, 10**400), Fraction(10**400)])
def test_only_the_proportion_of_weights_matters(shift: int, scale: Fraction) -> None:
    law = WeightedLaw(
        {"a": Weight(scale, Fraction(shift)), "b": Weight(scale, Fraction(shift + 1))}
    )
    low, high = law.enclose("a", BITS)
    assert high - low <= 8
    assert law.probability("a") == pytest.approx(1 / (1 + exp(-1)), rel=1e-15)


def test_weights_of_very_different_size_are_enclosed_narrowly() -> None:
    # e^200 · e^(-200) is as large as 1, but only many bits show it.
    huge = Fraction(int(mpmath.mp.e**200))
    law = WeightedLaw({"a": Weight(Fraction(1)), "b": Weight(huge, Fraction(200))})
    low, high = law.enclose("b", BITS)
    assert high - low <= 8
    assert law.probability("b") == pytest.approx(0.5)


@pytest.mark.parametrize("coefficients", [[], [0, 0], [1, -1]])
def test_weights_that_are_no_law_are_refused(coefficients: list[int]) -> None:
    with pytest.raises(VerificationError, match="weight of the law is negative, or all are 0"):
        WeightedLaw({at: Weight(Fraction(c)) for at, c in enumerate(coefficients)})


@pytest.mark.parametrize("exponent", [1, 100, 700, 745, 10_000])
def test_a_probability_is_the_nearest_float_however_small(exponent: int) -> None:
    law = WeightedLaw({"a": Weight(Fraction(1)), "b": Weight(Fraction(1), Fraction(exponent))})
    with mpmath.workdps(60):
        exact = float(1 / (1 + mpmath.exp(exponent)))
    assert law.probability("b") == exact


def test_a_number_half_way_between_two_floats_is_still_given() -> None:
    half_way = Fraction(1) + Fraction(1, 2**53)

    def around(bits: int) -> tuple[int, int]:
        return (half_way * 2**bits).__floor__() - 1, (half_way * 2**bits).__ceil__() + 1

    assert nearest_float(around) in (1.0, 1.0 + 2.0**-52)


def test_equal_shapes_of_the_total_give_exact_ratios() -> None:
    half = Fraction(1, 2)
    first = WeightedLaw({"a": Weight(Fraction(3)), "b": Weight(Fraction(5), half)})
    # The same total, three times as large and e^-7 times, on other outcomes.
    second = WeightedLaw(
        {"a": Weight(Fraction(15), 7 + half), "b": Weight(Fraction(9), Fraction(7))}
    )
    a, b = first.against(second)
    assert (a.ratio, a.log_ratio) == (None, None)  # (3/5)·e^(1/2)
    assert (b.ratio, b.log_ratio) == (None, None)
    response = WeightedLaw({0: Weight(Fraction(1)), 1: Weight(Fraction(1), half)})
    flipped = WeightedLaw({0: Weight(Fraction(2), 1 + half), 1: Weight(Fraction(2), Fraction(1))})
    assert [atom.log_ratio for atom in response.against(flipped)] == [half, -half]
    assert [atom.ratio for atom in response.against(response)] == [1, 1]


def test_shapes_that_are_nearly_equal_give_no_exact_ratio() -> None:
    one = Weight(Fraction(1))
    first = WeightedLaw({0: one, 1: Weight(Fraction(1), Fraction(1, 2))})
    second = WeightedLaw({0: one, 1: Weight(Fraction(1), Fraction(1, 2) + Fraction(1, 10**30))})
    assert all(atom.ratio is None and atom.log_ratio is None for atom in first.against(second))


@pytest.mark.slow
@examples(50)
@given(weighted_laws(), weighted_laws())
def test_logarithms_agree_with_those_of_the_probabilities(
    first: WeightedLaw, second: WeightedLaw
) -> None:
    for atom in first.against(second):
        bare = Atom(outcome=atom.outcome, first=atom.first, second=atom.second)
        low, high = atom.enclose_log(BITS) or (1, 0)
        bare_low, bare_high = bare.enclose_log(BITS) or (1, 0)
        assert low <= bare_high
        assert bare_low <= high
        assert high - low < 2**20
        for few in (4, 12, 20):
            coarse = atom.enclose_log(few) or (1, 0)
            assert coarse[0] << (BITS - few) <= high
            assert low <= coarse[1] << (BITS - few)
        back = atom.swapped().enclose_log(BITS)
        assert back == (-high, -low) or (atom.ratio and atom.log_ratio is None)


def test_an_improbable_outcome_has_its_exact_loss() -> None:
    def law(score: int) -> WeightedLaw:
        return WeightedLaw(
            {0: Weight(Fraction(1)), 1: Weight(Fraction(1), Fraction(100_000 - score, 2))}
        )

    check = verify({0: law(0), 1: law(1)}, 0, 1)
    assert 0 <= check.epsilon - Fraction(1, 2) <= Fraction(1, 10**12)


class TestProbabilitiesByHand:
    def test_they_are_read_as_written(self) -> None:
        law = WeightedLaw.of_probabilities({"a": 0.1, "b": "1/5", "c": Fraction(7, 10), "d": 0})
        assert law.against(law)[0].probabilities == (Fraction(1, 10), Fraction(1, 10))
        assert law.probability("d") == 0

    @pytest.mark.parametrize(
        "table",
        [{}, {"a": 0}, {"a": 0.5}, {"a": 0.5, "b": 0.6}, {"a": 1 / 3, "b": 2 / 3}],
    )
    def test_they_sum_to_exactly_one(self, table: dict[str, float]) -> None:
        with pytest.raises(VerificationError, match="sum to"):
            WeightedLaw.of_probabilities(table)

    def test_none_is_negative(self) -> None:
        with pytest.raises(VerificationError, match=r"the probability of 'b' is -0\.5"):
            WeightedLaw.of_probabilities({"a": 1.5, "b": -0.5})

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), "a third", None, [1], True])
    def test_each_is_a_number(self, value: object) -> None:
        with pytest.raises(PrivacyParameterError, match="the probability of 'a'"):
            WeightedLaw.of_probabilities({"a": value, "b": 0.5})


class TestEnclosedLaw:
    @staticmethod
    def of(*parts: int) -> EnclosedLaw:
        def enclosures(bits: int) -> list[tuple[int, int]]:
            scaled = [(part << bits, sum(parts)) for part in parts]
            return [(top // bottom, -(-top // bottom)) for top, bottom in scaled]

        return EnclosedLaw(tuple(range(len(parts))), enclosures)

    @given(*[st.lists(st.integers(1, 9), min_size=4, max_size=4)] * 2)
    def test_it_is_verified_like_the_rational_law(
        self, first: list[int], second: list[int]
    ) -> None:
        enclosed = verify({0: self.of(*first), 1: self.of(*second)}, 0, 1)
        tables = [
            {at: Fraction(part, sum(parts)) for at, part in enumerate(parts)}
            for parts in (first, second)
        ]
        exact = verify(dict(enumerate(tables)), 0, 1)
        assert abs(enclosed.epsilon - exact.epsilon) <= Fraction(1, 10**12)
        assert abs(enclosed.total_variation - exact.total_variation) <= Fraction(1, 10**12)
        assert enclosed.total_variation >= exact.total_variation

    def test_impossible_outcomes_are_seen(self) -> None:
        laws = {0: self.of(1, 1, 0), 1: self.of(1, 0, 0), 2: self.of(3, 3, 0)}
        assert verify(laws, 0, 1).epsilon == float("inf")
        assert verify(laws, 0, 2).epsilon == 0

    def test_it_is_computed_once_for_each_precision(self) -> None:
        calls = []

        def enclosures(bits: int) -> list[tuple[int, int]]:
            calls.append(bits)
            return [(1 << bits >> 1, 1 << bits >> 1)] * 2

        law = EnclosedLaw(("a", "b"), enclosures)
        assert verify({0: law, 1: law}, 0, 1).total_variation == 0
        assert len(calls) == len(set(calls))

    def test_outcomes_are_distinct_and_the_same_for_both(self) -> None:
        with pytest.raises(VerificationError, match="stands twice"):
            EnclosedLaw(("a", "a"), lambda bits: [(0, 1 << bits)] * 2)
        with pytest.raises(VerificationError, match="different outcomes"):
            self.of(1, 1).against(self.of(1, 1, 1))
        with pytest.raises(VerificationError, match="different kinds"):
            rational_law(a=1).against(self.of(1))

    def test_another_outcome_is_impossible(self) -> None:
        assert self.of(1, 2).probability("b") == 0
        assert self.of(1, 2).probability(1) == 2 / 3


class TestProductLaw:
    @given(*[st.lists(probabilities(), min_size=2, max_size=2)] * 2)
    def test_it_is_the_law_of_all_combinations(self, first: list, second: list) -> None:
        laws = [
            ProductLaw(tuple(WeightedLaw.of_probabilities(part) for part in parts))
            for parts in (first, second)
        ]
        tables = [
            {(a, b): parts[0][a] * parts[1][b] for a, b in product(*parts)}
            for parts in (first, second)
        ]
        joint, written = verify(dict(enumerate(laws)), 0, 1), verify(dict(enumerate(tables)), 0, 1)
        assert joint.ratio == written.ratio
        assert joint.epsilon == written.epsilon
        assert joint.total_variation == written.total_variation
        assert abs(joint.delta(0.3) - written.delta(0.3)) < Fraction(1, 10**12)

    @given(probabilities(), probabilities())
    def test_an_equal_coordinate_says_nothing(self, first: dict, second: dict) -> None:
        same = WeightedLaw.of_probabilities({0: "1/3", 1: "2/3"})
        laws = {
            at: ProductLaw((same, WeightedLaw.of_probabilities(table), same))
            for at, table in enumerate((first, second))
        }
        check = verify(laws, 0, 1)
        assert check.ratio == worst_ratio(first, second)
        assert check.total_variation == least_delta(first, second, Fraction(1))
        assert len(check.atoms) <= 5

    @pytest.mark.slow
    @examples(40)
    @given(st.tuples(*[weighted_laws()] * 4))
    def test_losses_of_coordinates_add_up(self, laws: tuple[WeightedLaw, ...]) -> None:
        joint = verify({0: ProductLaw(laws[:2]), 1: ProductLaw(laws[2:])}, 0, 1)
        logs = [
            [atom.enclose_log(BITS) or (0, 0) for atom in laws[at].against(laws[at + 2])]
            for at in (0, 1)
        ]
        sums = [Fraction(a[1] + b[1], 2**BITS) for a, b in product(*logs)]
        assert abs(joint.epsilon - max(map(abs, sums))) <= Fraction(2, 10**12)

    def test_no_coordinates_give_nothing_away(self) -> None:
        check = verify({0: ProductLaw(()), 1: ProductLaw(())}, 0, 1)
        assert (check.epsilon, check.ratio, check.total_variation) == (0, 1, 0)

    def test_its_probability_is_the_product(self) -> None:
        law = ProductLaw((rational_law(a=1, b=3), rational_law(a=1, b=1)))
        assert law.probability(("b", "a")) == 3 / 8
        assert law.probability("b") == law.probability(("b",)) == 0

    def test_lengths_must_agree(self) -> None:
        part = rational_law(a=1, b=2)
        with pytest.raises(VerificationError, match="different lengths"):
            ProductLaw((part,)).against(ProductLaw((part, part)))

    def test_too_many_combinations_are_refused_before_they_are_made(self) -> None:
        laws = [ProductLaw((rational_law(a=1, b=odds),) * 40) for odds in (2, 3)]
        with pytest.raises(
            VerificationError, match=f"combinations of outcomes, more than {MAX_ATOMS}"
        ):
            laws[0].against(laws[1])


def test_an_atom_of_ratio_one_knows_its_logarithm_and_the_other_way_round() -> None:
    def whole(bits: int) -> tuple[int, int]:
        return 1 << bits, 1 << bits

    by_ratio = Atom(outcome=0, first=whole, second=whole, ratio=Fraction(1))
    by_logarithm = Atom(outcome=0, first=whole, second=whole, log_ratio=Fraction(0))
    assert by_ratio.log_ratio == 0
    assert by_logarithm.ratio == 1
