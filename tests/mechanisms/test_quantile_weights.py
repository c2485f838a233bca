"""Quantiles of weighted records: every pair of neighbors on small ranges, and the proof's steps."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError
from discreet.mechanisms.extremes import HighestCell, NearMaximum
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.quantiles import Quantiles
from discreet.privacy.sensitivity import Neighbors
from discreet.privacy.verification import verify
from tests.mechanisms.test_extreme import TIGHT, Aimed
from tests.mechanisms.test_quantile import halves
from tests.support.trials import all_but

ADD_REMOVE, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE
Data = tuple[int, ...]


def weighted(
    levels: str, width: int, share: int, relation: Neighbors = ADD_REMOVE, epsilon: int = 2
) -> Quantiles:
    return Quantiles(
        probabilities=tuple(map(Fraction, levels.split())),
        epsilon=Fraction(epsilon),
        width=width,
        neighbors=relation,
        share=share,
    )


def neighbors(
    points: list[int], most: int, share: int, relation: Neighbors
) -> Iterator[tuple[Data, Data]]:
    """Every pair with weights up to ``most`` that one person of this share makes.

    Under replace what was taken away need not weigh what was added.
    """
    for first, second in combinations(product(range(most + 1), repeat=len(points)), 2):
        moved = [new - old for old, new in zip(first, second, strict=True)]
        added, taken = sum(max(0, one) for one in moved), sum(max(0, -one) for one in moved)
        if (added + taken if relation is ADD_REMOVE else max(added, taken)) <= share:
            yield tuple(
                tuple(
                    point for point, weight in zip(points, data, strict=True) for _ in range(weight)
                )
                for data in (first, second)
            )  # type: ignore[misc]


def worst_loss(mechanism, points: list[int], most: int, share: int, relation: Neighbors) -> float:
    pairs = list(neighbors(points, most, share, relation))
    laws = {data: mechanism.law(data) for data in {one for pair in pairs for one in pair}}
    return max(float(verify(laws, *pair).epsilon) for pair in pairs)


# ---------------------------------------------------------------------- privacy


EXHAUSTIVE = {
    "1/2": (2, [0, 1, 2], 3),
    "9/10": (2, [0, 1, 2], 3),
    "1/3": (40, [1, 40], 4),
    "1/4 3/4": (1, [0, 1], 4),
    "1/4 1/2 3/4": (1, [0, 1], 3),
    "1/100 1/50 9/10": (1, [0, 1], 3),
}


@pytest.mark.parametrize("relation", [ADD_REMOVE, pytest.param(REPLACE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("share", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("levels", EXHAUSTIVE)
def test_no_person_of_that_share_gives_away_more_than_epsilon(levels, share, relation):
    width, points, most = EXHAUSTIVE[levels]
    assert worst_loss(weighted(levels, width, share, relation), points, most, share, relation) <= 2


CONTROLS = {
    ("1/2", ADD_REMOVE, 2): (60, (1, 1, 60), (1, 1, 60, 60)),
    ("1/2", ADD_REMOVE, 3): (60, (1, 1, 60), (1, 1, 60, 60)),
    ("1/2", REPLACE, 2): (150, (149, 150), (0, 149)),
    ("1/2", REPLACE, 3): (150, (149, 150), (0, 149)),
    ("1/3 2/3", ADD_REMOVE, 2): (14, (0, 0), (0, 0, 13)),
    ("1/3 2/3", ADD_REMOVE, 3): (14, (0, 0), (0, 0, 13)),
    ("1/4 1/2 3/4", ADD_REMOVE, 2): (8, (1, 1, 8), (1, 1, 8, 8)),
    ("1/4 1/2 3/4", ADD_REMOVE, 3): (8, (1, 1, 8), (1, 1, 8, 8)),
    ("1/4 1/2 3/4", REPLACE, 2): (9, (0, 1, 1, 8), (1, 1, 8, 8)),
}


@pytest.mark.parametrize("case", CONTROLS)
def test_a_share_that_is_understated_by_one_is_caught(case):
    """The negative control: records that weigh the whole share."""
    (levels, relation, share), (width, *pair) = case, CONTROLS[case]
    heavy = [tuple(point for point in data for _ in range(share)) for data in pair]
    honest, careless = (weighted(levels, width, claim, relation) for claim in (share, share - 1))
    assert verify(honest, *heavy).epsilon <= 2 < verify(careless, *heavy).epsilon


@pytest.mark.parametrize(
    ("relation", "pair"),
    [
        (ADD_REMOVE, ((1,) * 3 + (300,) * 6, (1,) * 6 + (300,) * 6)),
        (REPLACE, ((299,) * 3 + (300,) * 3, (0,) * 3 + (299,) * 3)),
    ],
)
def test_a_wide_gap_uses_up_nearly_all_of_epsilon(relation, pair):
    assert 1.9 < verify(weighted("1/2", 300, 3, relation), *pair).epsilon <= 2


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("share", all_but([2], [2, 3], pytest.mark.slow))
def test_the_largest_value_is_private_for_that_share_and_no_larger_one(share, relation):
    for kind in (NearMaximum, Aimed):
        mechanism = kind(epsilon=Fraction(2), width=3, share=share)
        assert worst_loss(mechanism, [0, 2, 3], 2, share, relation) <= 2
    aimed = type("Aimed", (NearMaximum,), {"rank": 2 * share})
    honest, careless = (aimed(epsilon=Fraction(2), width=300, share=s) for s in (share, share - 1))
    pair = [[value for value in data for _ in range(share)] for data in TIGHT[relation]]
    assert 1.9 < verify(honest, *pair).epsilon <= 2 < verify(careless, *pair).epsilon


@pytest.mark.parametrize(("relation", "claimed"), [(ADD_REMOVE, 3), (REPLACE, 6)])
def test_a_person_moves_the_histogram_by_what_the_noise_is_made_for(relation, claimed):
    mechanism = HighestCell(epsilon=Fraction(2), width=2, neighbors=relation, share=3)
    moved = max(
        sum(abs(first.count(point) - second.count(point)) for point in range(3))
        for first, second in neighbors([0, 1, 2], 3, 3, relation)
    )
    assert moved == claimed
    assert mechanism.noise == Laplace(scale=Fraction(moved, 2))


# ---------------------------------------------------------------------- the steps of the proof


@given(
    counts=st.lists(st.integers(0, 1 << 60), min_size=1, max_size=6),
    place=st.integers(0, 5),
    more=st.integers(1, 1 << 60),
    position=st.integers(0, 6 * (1 << 20) - 1),
)
def test_the_sides_of_a_cut_divide_what_a_tie_gains_and_nothing_else_moves(
    counts, place, more, position
):
    place %= len(counts)
    position %= len(counts) << 20
    raised = [count + more * (index == place) for index, count in enumerate(counts)]
    (left, right), (new_left, new_right) = (halves(data, position) for data in (counts, raised))
    gained = [
        {spot: weight - old.get(spot, 0) for spot, weight in new.items() if weight != old.get(spot)}
        for old, new in ((left, new_left), (right, new_right))
    ]
    assert all(set(side) <= {place} and min(side.values(), default=1) > 0 for side in gained)
    assert sum(sum(side.values()) for side in gained) == more


@pytest.mark.parametrize("share", [1, 3, 10 << 20, 10 << 40])
def test_rank_errors_and_the_rank_aimed_at_are_in_weights(share):
    one, many = (weighted("1/4 1/2 3/4", 1 << 20, claim) for claim in (1, share))
    near, nearer = (
        NearMaximum(epsilon=Fraction(1), width=4096, share=claim) for claim in (1, share)
    )
    level = Fraction(95, 100)
    for single, together in zip(one.rank_errors(level), many.rank_errors(level), strict=True):
        # Rounding to half a weight matters less, and to a unit up to 2/64 more.
        assert single - 2 <= together / share <= single * (1 + 2 / 64)
    assert nearer.rank / share == pytest.approx(near.rank, abs=1)
    assert nearer.rank_error(level) / share == pytest.approx(near.rank_error(level), abs=1)


def test_an_error_beyond_what_is_told_apart_is_infinite():
    for share in (1, 10 << 20):
        tiny = Quantiles(
            probabilities=(Fraction(1, 2),), epsilon=Fraction(1, 10**12), width=9, share=share
        )
        assert tiny.rank_errors(Fraction(1, 2)) == [float("inf")]
        near = NearMaximum(epsilon=Fraction(1, 10**12), width=9, share=share)
        assert near.rank_error(Fraction(1, 2)) == float("inf")


@pytest.mark.parametrize("share", [0, -1, True, 1.5, Fraction(1, 2)])
def test_a_share_is_a_positive_integer(share):
    for make in (
        lambda: weighted("1/2", 4, share),
        lambda: NearMaximum(epsilon=Fraction(1), width=4, share=share),
        lambda: HighestCell(epsilon=Fraction(1), width=4, share=share),
    ):
        with pytest.raises(PrivacyParameterError, match="positive integer"):
            make()
