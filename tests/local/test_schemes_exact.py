"""Exact verification: the worst ratio over all pairs of values and all reports is e^ε, rounded."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from discreet.errors import PrivacyParameterError, VerificationError
from discreet.local import (
    HadamardResponse,
    ProjectiveGeometryResponse,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
    projective_geometry,
)
from discreet.local.probabilities import WHOLE, keep_chance
from discreet.local.projective_geometry import ProjectiveSpace, best_space
from discreet.local.scheme import CategoricalScheme
from discreet.local.subsets import best_size, chances
from discreet.noise import Keystream
from discreet.privacy.laws import WeightedLaw
from discreet.privacy.verification import verify
from tests.local.scheme_twins import EPSILONS, Twin, grows_to, points, schemes, twin_law
from tests.support.trials import all_but

SIZES = [2, 3, 4, 8, 16]


def law_of(scheme: CategoricalScheme, value: int) -> Twin:
    law = scheme.law(value)
    assert isinstance(law, WeightedLaw)
    return {at: weight.coefficient for at, weight in law.weights.items()}


def worst_ratio(laws: list[Twin]) -> Fraction:
    """Over all pairs of values and all reports: for each report the largest over the least."""
    extremes = {
        (max(chances), min(chances))
        for chances in ({law[report] for law in laws} for report in laws[0])
    }
    return max(largest / least for largest, least in extremes)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("size", all_but(SIZES[:-1], SIZES, pytest.mark.slow))
def test_no_report_is_more_than_e_to_the_epsilon_times_as_likely(
    epsilon: Fraction, size: int
) -> None:
    for scheme in schemes(epsilon, size):
        if isinstance(scheme, UnaryEncoding):
            found = {
                verify(scheme, first, second).ratio
                for first, second in combinations(range(size), 2)
            }
            assert len(found) == 1
            ratio = Fraction(found.pop())  # type: ignore[arg-type]
        else:
            ratio = worst_ratio([law_of(scheme, value) for value in range(size)])
        assert grows_to(ratio, epsilon) == (True, True), scheme


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("size", [2, 3, 4, 8])
def test_the_law_is_that_of_its_naive_twin(epsilon: Fraction, size: int) -> None:
    """Every report, every value, and the sum is 1; unary encoding by all of its 2^k reports."""
    for scheme in schemes(epsilon, size):
        twins = [twin_law(scheme, value) for value in range(size)]
        assert all(sum(twin.values()) == 1 for twin in twins)
        assert grows_to(worst_ratio(twins), epsilon) == (True, True), scheme
        for value, twin in enumerate(twins):
            if not isinstance(scheme, UnaryEncoding):
                assert law_of(scheme, value) == twin
            else:
                law = scheme.law(value)
                some = list(twin)[:: max(1, len(twin) // 16)]
                for report in some:
                    assert law.probability(report) == pytest.approx(float(twin[report]))


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_the_pair_of_chances_is_what_the_law_says(epsilon: Fraction) -> None:
    """P[a report names a category] if it is the truth and if it is not, summed over reports."""
    for scheme in schemes(epsilon, 5):
        truth, lie = scheme.pair
        for value in range(3):
            law = twin_law(scheme, value)
            for asked in range(5):
                chance = sum(
                    (p for report, p in law.items() if names(scheme, report, asked)), Fraction(0)
                )
                assert chance == (truth if asked == value else lie)


def names(scheme: CategoricalScheme, report: object, asked: int) -> bool:
    if isinstance(scheme, RandomizedResponse):
        return report == asked
    if isinstance(scheme, UnaryEncoding):
        return report[asked] == 1  # type: ignore[index, no-any-return]
    if isinstance(scheme, SubsetSelection):
        return asked in report  # type: ignore[operator]
    if isinstance(scheme, HadamardResponse):
        row, bit = report  # type: ignore[misc]
        return bin(row & (asked + 1)).count("1") % 2 == bit  # type: ignore[has-type, no-any-return]
    assert isinstance(scheme, ProjectiveGeometryResponse)
    every = points(scheme.prime, scheme.dimension)
    own, other = every[report], every[asked]  # type: ignore[index]
    return sum(a * b for a, b in zip(own, other, strict=True)) % scheme.prime == 0


def test_one_more_unit_of_a_chance_would_break_the_promise() -> None:
    """The negative control: the chances are rounded as little as they can be."""
    for epsilon in EPSILONS:
        for truth, others in [(1, 1), (1, 3), (3, 5), (27, 73)]:
            keep = keep_chance(epsilon, truth, others)
            right = Fraction(keep * others, (WHOLE - keep) * truth)
            wrong = Fraction((keep + 1) * others, (WHOLE - keep - 1) * truth)
            assert grows_to(right, epsilon) == (True, True)
            assert not grows_to(wrong, epsilon)[0]


def test_two_coins_are_exact() -> None:
    assert RandomizedResponse.two_coin().keep == 3 << 62
    laws = [law_of(RandomizedResponse.two_coin(), value) for value in (0, 1)]
    assert worst_ratio(laws) == 3


@pytest.mark.parametrize("epsilon", [20, 45, 100, 5000, "1e300"])
@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_a_huge_epsilon_still_lies_sometimes(epsilon: object) -> None:
    for scheme in schemes(epsilon, 6):
        truth, lie = scheme.pair
        assert 0 < lie < truth < 1
        if not isinstance(scheme, ProjectiveGeometryResponse):  # its space is large here
            assert worst_ratio([twin_law(scheme, 0), twin_law(scheme, 1)]) < 100 * WHOLE**2


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_an_epsilon_below_the_rounding_is_refused() -> None:
    """Rounded to 2^-64 a report would not depend on the value, or even mislead."""
    for kind, size in [
        (RandomizedResponse, 3),
        (UnaryEncoding, 4),
        (SubsetSelection, 4),
        (HadamardResponse, 4),
        (ProjectiveGeometryResponse, 4),
    ]:
        with pytest.raises(PrivacyParameterError, match="too small"):
            kind(epsilon="1e-30", categories=size)  # type: ignore[arg-type]
    tiny = RandomizedResponse(epsilon="1e-12", categories=3)  # type: ignore[arg-type]
    ratio = worst_ratio([law_of(tiny, value) for value in range(3)])
    assert grows_to(ratio, Fraction(1, 10**12)) == (True, True)


def test_laws_that_are_too_long_are_refused() -> None:
    for scheme in [
        RandomizedResponse(epsilon=1, categories=300_000),
        SubsetSelection(epsilon=1, categories=100),  # type: ignore[arg-type]
        HadamardResponse(epsilon=1, categories=300_000),  # type: ignore[arg-type]
        ProjectiveGeometryResponse(epsilon=1, categories=300_000),  # type: ignore[arg-type]
    ]:
        with pytest.raises(VerificationError):
            scheme.law(0)


# ---------------------------------------------------------------------- the best parameters


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("domain", [2, 3, 5, 16, 63, 200])
def test_the_size_of_a_subset_is_the_best_of_all(epsilon: Fraction, domain: int) -> None:
    def variance(size: int) -> Fraction:
        truth, lie = chances(keep_chance(epsilon, size, domain - size), size, domain)
        return lie * (1 - lie) / (truth - lie) ** 2

    best = best_size(epsilon, domain)
    assert variance(best) == min(variance(size) for size in range(1, domain))


def test_subset_selection_has_the_variances_of_the_literature() -> None:
    for size, expected in [(4, 1.60), (10, 2.82), (64, 3.54), (1024, 3.67)]:
        found = SubsetSelection(epsilon=1, categories=size).variance(1)  # type: ignore[arg-type]
        assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("prime", "dimension"), [(2, 2), (2, 5), (3, 4), (5, 3), (7, 2), (11, 3)])
def test_a_space_is_a_design(prime: int, dimension: int) -> None:
    """Hyperplanes of equal size that meet in equally many points: all that the chances need."""
    every = points(prime, dimension)
    space = ProjectiveSpace(prime, dimension)
    assert space.points == len(every)
    for first, second in list(combinations(every, 2))[:200]:
        near = [sum(a * b for a, b in zip(x, first, strict=True)) % prime == 0 for x in every]
        both = [
            fits and sum(a * b for a, b in zip(x, second, strict=True)) % prime == 0
            for x, fits in zip(every, near, strict=True)
        ]
        assert sum(near) == space.hyperplane
        assert sum(both) * (space.points - 1) == space.hyperplane * (space.hyperplane - 1)


@pytest.mark.parametrize(("prime", "dimension"), [(2, 6), (3, 5), (5, 3), (7, 2), (13, 3)])
def test_sums_over_hyperplanes_are_exact_for_many_reports(prime: int, dimension: int) -> None:
    """A Fourier transform in floats, rounded, against sums in integers; up to 2^40 per point."""
    space = ProjectiveSpace(prime, dimension)
    every = np.array(points(prime, dimension))
    counts = np.random.default_rng(11).integers(0, 1 << 40, space.points)
    near = every @ every.T % prime == 0
    assert space.orthogonal(counts, space.points).tolist() == (near @ counts).tolist()
    assert space.named(every * (prime - 1)).tolist() == list(range(space.points))


@pytest.mark.parametrize(
    ("prime", "dimension", "size"), [(2, 2, 3), (3, 2, 4), (2, 3, 7), (3, 3, 13), (5, 2, 6)]
)
def test_points_are_drawn_with_exactly_their_law_and_always_by_the_same_draws(
    prime: int, dimension: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By every outcome of the four draws, whose order does not depend on them or on the value."""
    form = ProjectiveGeometryResponse(
        epsilon=1,  # type: ignore[arg-type]
        categories=size,
        prime=prime,
        dimension=dimension,
    )
    every = prime ** (dimension - 1)
    bounds = [prime - 1, every - 1, every]
    outcomes = list(product((True, False), *map(range, bounds)))
    drawn = [np.array(one) for one in zip(*outcomes, strict=True)]
    keep = Fraction(form.keep, WHOLE)
    for value in range(size):
        waiting = list(zip([None, *bounds], drawn, strict=True))

        def scripted(bound: int, count: int, source: object) -> object:
            expected, numbers = waiting.pop(0)  # noqa: B023
            assert count == len(outcomes)
            assert bound == (form.keep if expected is None else expected)
            return numbers.copy()

        with monkeypatch.context() as patched:
            patched.setattr(projective_geometry, "bernoulli_bits", scripted)
            patched.setattr(projective_geometry, "uniform", scripted)
            reports = form._randomize(np.full(len(outcomes), value), Keystream())
        assert waiting == []
        law: Twin = {}
        for outcome, report in zip(outcomes, reports.tolist(), strict=True):
            chance = (keep if outcome[0] else 1 - keep) / (bounds[0] * bounds[1] * bounds[2])
            law[report] = law.get(report, Fraction(0)) + chance
        assert law == twin_law(form, value)


def test_projective_geometry_is_near_the_best_and_its_reports_are_short() -> None:
    for epsilon, size, worse in [(1, 100_000, 1.03), (2, 100_000, 1.02), (4, 100_000, 1.01)]:
        short = ProjectiveGeometryResponse(epsilon=epsilon, categories=size)  # type: ignore[arg-type]
        best = SubsetSelection(epsilon=epsilon, categories=size)  # type: ignore[arg-type]
        assert best.variance(1) <= short.variance(1) < worse * best.variance(1)
        assert short.message_bits <= 19
    assert best_space(Fraction(1), 100) == ProjectiveSpace(3, 5)
    assert comb(100, 27) > 1 << 80  # what a set would take
