"""Permute-and-flip: its law by permutations, and that it is never worse than its peers."""

from fractions import Fraction
from itertools import permutations, product
from math import exp

import pytest

from discreet.errors import VerificationError
from discreet.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from discreet.privacy.verification import TOLERANCE, verify

Figures = dict[type, float]


def naive_law(scores: list[int], scale: float) -> list[float]:
    """Take the candidates in each order; accept each with probability e^((score - best)/scale)."""
    accept = [exp((score - max(scores)) / scale) for score in scores]
    chances = [0.0] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        reached = 1 / len(orders)
        for index in order:
            chances[index] += reached * accept[index]
            reached *= 1 - accept[index]
    return chances


@pytest.mark.parametrize("scale", [0.3, 1, 4.5])
def test_the_law_is_that_of_permuting_and_flipping(scale: float) -> None:
    for scores in ([0], [4, 1], [0, 2, 2], [3, 1, 0, 3], [0, 1, 2, 3, 4, 5]):
        law = PermuteAndFlip(scale=scale).law(scores)  # type: ignore[arg-type]
        found = [law.probability(i) for i in range(len(scores))]
        assert found == pytest.approx(naive_law(scores, scale), rel=1e-12)


@pytest.mark.parametrize(("monotone", "moved"), [(False, [4, 1]), (True, [5, 1])])
def test_two_candidates_reach_the_loss(monotone: bool, moved: list[int]) -> None:
    mechanism = PermuteAndFlip.calibrated(sensitivity=1, epsilon="2/3", monotone=monotone)
    found = Fraction(verify(mechanism, [5, 0], moved).epsilon)
    assert Fraction(2, 3) <= found <= Fraction(2, 3) + TOLERANCE


def test_it_is_never_further_from_the_best_than_the_exponential_mechanism() -> None:
    """In the order of distributions: within every distance at least as often."""
    for scores in product(range(5), repeat=3):
        flip, gumbel = PermuteAndFlip(scale=2).law(scores), Exponential(scale=2).law(scores)
        for far in range(5):
            near = [i for i, score in enumerate(scores) if max(scores) - score <= far]
            assert sum(flip.enclose(i, 100)[1] for i in near) >= sum(
                gumbel.enclose(i, 100)[0] for i in near
            )


def test_up_to_twice_as_good() -> None:
    """Far behind, a single other candidate wins half as often."""
    flip, gumbel = (kind(scale=1).law([0, 20]) for kind in (PermuteAndFlip, Exponential))
    assert gumbel.probability(0) / flip.probability(0) == pytest.approx(2, rel=1e-6)


def worst_expected_loss(kind: type, monotone: bool, distances: list[float]) -> float:
    """The expected distance from the best, for 99 others that are all equally far behind."""
    mechanism = kind.calibrated(  # type: ignore[attr-defined]
        sensitivity=1, epsilon=1, monotone=monotone, grid=2**-6
    )
    return max(
        distance * (1 - mechanism.law([distance] + [0] * 99).probability(0))
        for distance in distances
    )


@pytest.mark.parametrize(
    ("monotone", "figures"),
    [
        (False, {Exponential: 5.26, NoisyMax: 4.94, PermuteAndFlip: 4.86}),
        (True, {Exponential: 2.63, NoisyMax: 2.47, PermuteAndFlip: 2.43}),
    ],
)
def test_the_worst_expected_loss_among_a_hundred_is_the_least_of_the_three(
    monotone: bool, figures: Figures
) -> None:
    size = 1 if monotone else 2
    around = [size * step / 16 for step in range(50, 60)]
    found = {kind: worst_expected_loss(kind, monotone, around) for kind in figures}
    assert found == pytest.approx(figures, abs=0.005)
    assert found[PermuteAndFlip] < found[NoisyMax] < found[Exponential]


def test_a_law_that_would_take_too_long_is_refused() -> None:
    with pytest.raises(VerificationError, match="fewer candidates"):
        PermuteAndFlip(scale=1).law(range(1000))
