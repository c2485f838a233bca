"""Claims that every selection keeps: privacy on small domains, law, grid, accuracy, bad input."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, exp, floor

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.errors import BoundsError, DataError, PrivacyParameterError, PrivacyWarning
from discreet.exact import Grid
from discreet.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from discreet.mechanisms.selection import FARTHEST, read_lags
from discreet.privacy.losses import PureDP
from discreet.privacy.sensitivity import Sensitive, Sensitivity
from discreet.privacy.verification import TOLERANCE, verify
from tests.support.cases import each
from tests.support.evidence import fits

Selection = type[Exponential] | type[NoisyMax] | type[PermuteAndFlip]
Scores = tuple[int, ...]

ONE = Sensitivity(linf=1)
SELECTIONS: list[Selection] = [Exponential, NoisyMax, PermuteAndFlip]
every_selection = pytest.mark.parametrize("selection", SELECTIONS, ids=lambda one: one.__name__)


def neighbors(values: int, candidates: int, monotone: bool) -> Iterator[tuple[Scores, Scores]]:
    """Every pair of small scores that one unit can make of each other, each once."""
    moves = product((-1, 0, 1), repeat=candidates)
    allowed = [move for move in moves if not monotone or len({-1, 1} & set(move)) < 2]
    for scores in product(range(values), repeat=candidates):
        for move in allowed:
            moved = tuple(a + b for a, b in zip(scores, move, strict=True))
            if scores < moved and all(0 <= score < values for score in moved):
                yield scores, moved


def law_of(mechanism: Exponential | NoisyMax | PermuteAndFlip, scores: object) -> dict[int, float]:
    law = mechanism.law(scores)
    return {index: law.probability(index) for index in range(np.asarray(scores).size)}


# ---------------------------------------------------------------------- privacy


@every_selection
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("values", "candidates"), [(4, 2), (3, 3)])
def test_no_pair_of_neighbors_gives_away_more_than_the_loss(
    selection: Selection, monotone: bool, values: int, candidates: int
) -> None:
    mechanism = selection.calibrated(sensitivity=1, epsilon="1/2", monotone=monotone)
    claimed = mechanism.loss(ONE).epsilon
    assert claimed == Fraction(1, 2)
    worst = max(
        Fraction(verify(mechanism, first, second).epsilon)
        for first, second in neighbors(values, candidates, monotone)
    )
    assert claimed / 2 < worst <= claimed + TOLERANCE


@every_selection
def test_monotone_with_neighbors_that_are_not_exceeds_the_claim(selection: Selection) -> None:
    """The negative control: under replace scores move both ways, and ε is exceeded."""
    mechanism = selection.calibrated(sensitivity=1, epsilon=1, monotone=True)
    claimed = mechanism.loss(ONE).epsilon
    first, second = [0] * 10, [1] + [-1] * 9
    assert verify(mechanism, first, second).epsilon > claimed + Fraction(1, 10)
    assert verify(replace(mechanism, monotone=False), first, second).epsilon <= 2 * claimed


@every_selection
def test_the_loss_is_nearly_reached(selection: Selection) -> None:
    """So that the noise is not larger than it must be."""
    mechanism = selection.calibrated(sensitivity=1, epsilon=1)
    pairs: list[tuple[list[int], list[int]]] = [
        ([60, 0], [59, 1]),
        ([0] * 150, [1] + [-1] * 149),
    ]
    worst = max(Fraction(verify(mechanism, *pair).epsilon) for pair in pairs)
    assert Fraction(9, 10) < worst <= 1 + TOLERANCE


@every_selection
def test_loss_and_calibration_agree(selection: Selection) -> None:
    for monotone in (False, True):
        for sensitivity, epsilon in [(1, "1/10"), (3, 2), (5, "7/3")]:
            mechanism = selection.calibrated(
                sensitivity=sensitivity, epsilon=epsilon, monotone=monotone
            )
            assert mechanism.scale == (1 if monotone else 2) * sensitivity / Fraction(epsilon)
            loss = mechanism.loss(Sensitivity(linf=sensitivity))
            assert loss == PureDP(epsilon=Fraction(epsilon))


@every_selection
def test_a_sensitivity_between_grid_points_is_rounded_up(selection: Selection) -> None:
    mechanism = selection.calibrated(sensitivity=0.3, epsilon=1, grid=0.25)
    assert mechanism.scale == 1  # two steps of 1/4, twice
    assert mechanism.loss(Sensitivity(linf="3/10")) == PureDP(epsilon=1)
    assert mechanism.loss(Sensitivity(linf="1/4")) == PureDP(epsilon=Fraction(1, 2))
    # 0.124 is nearest to 0 and 0.376 to 0.5: two steps apart, though the scores are 0.252 apart.
    found = verify(mechanism, [0.124, 5.0], [0.376, 5.0]).epsilon
    same = verify(mechanism, [0.0, 5.0], [0.5, 5.0]).epsilon
    assert found == same > Fraction(1, 4)


# ---------------------------------------------------------------------- law and sampler


@every_selection
@pytest.mark.parametrize(
    ("scale", "scores"),
    [
        ("3/2", [0, 2, 1, 2]),
        pytest.param(4, [9, 3, 7, 0, 8], marks=pytest.mark.slow),
        pytest.param("1/5", [1, 1, 1], marks=pytest.mark.soak),
    ],
)
def test_choices_follow_the_law(selection: Selection, scale: object, scores: list[int]) -> None:
    mechanism = selection(scale=scale)  # type: ignore[arg-type]
    chosen = [mechanism(scores) for _ in range(12_000)]
    assert fits(chosen, law_of(mechanism, scores))
    if len(set(scores)) > 1:
        wrong = selection(scale=mechanism.scale * Fraction(3, 2))
        assert not fits(chosen, law_of(wrong, scores))


@every_selection
def test_probabilities_sum_to_one(selection: Selection) -> None:
    for scores in ([0], [5, 5], [0, 1, 7, 7, 3], [0, 10**6], [2**60, -(2**60)]):
        for scale in ("1/1000", 1, 12345):
            law = law_of(selection(scale=scale), scores)  # type: ignore[arg-type]
            assert sum(law.values()) == pytest.approx(1, abs=1e-14)


@every_selection
def test_only_differences_of_scores_matter(selection: Selection) -> None:
    mechanism = selection(scale=2)
    assert law_of(mechanism, [3, 5, 4]) == law_of(mechanism, [-2, 0, -1])
    assert law_of(mechanism, [3.0, 5.2, 4.4]) == law_of(mechanism, np.array([3, 5, 4], np.uint8))


@every_selection
def test_a_fine_grid_has_the_law_of_the_coarse_one_in_the_limit(selection: Selection) -> None:
    coarse, fine = (selection(scale=2, grid=grid) for grid in (2**-6, 2**-30))
    assert law_of(coarse, [0.0, 1.5, 2.0]) == pytest.approx(law_of(fine, [0.0, 1.5, 2.0]), abs=1e-3)


@every_selection
def test_the_winner_is_an_index(selection: Selection) -> None:
    mechanism = selection(scale=1)
    for scores in ([0, 10**9], np.array([0.0, 1e300]), Sensitive([0, 10**9]), (False, 10**9)):
        winner = mechanism(scores)
        assert type(winner) is int
        assert winner == 1
    assert mechanism([7]) == 0


@every_selection
def test_extreme_scores_are_chosen_among_like_others(selection: Selection) -> None:
    mechanism = selection(scale=1)
    assert mechanism(np.array([-(2**63), 2**63 - 1])) == 1
    assert mechanism(np.array([2**64 - 1, 0], np.uint64)) == 0
    assert mechanism([-1e308, 1e308]) == 1
    assert mechanism([5e-324, 1e9]) == 1
    fine = selection(scale=1, grid=2**-40)
    assert fine([-1e308, 1e308]) == 1
    assert fine(np.array([2**62, 0])) == 0
    coarse = selection(scale=2**70, grid=2**70)
    assert coarse([2**62, -(2**62)]) in (0, 1)


# ---------------------------------------------------------------------- scores on the grid

finite = st.floats(allow_nan=False, allow_infinity=False)
powers = st.integers(-60, 60)


@given(st.lists(finite, min_size=1, max_size=6), powers)
@example([2.0**52, 2.0**52 + 1, 2.0**53 - 1], 0)
@example([0.5 - 2.0**-54, -0.5, -0.5 - 2.0**-53], 0)
@example([-5e-324, 5e-324, 0.0], 3)
@example([1.7e308, -1.7e308], -60)
def test_float_lags_are_those_of_exact_rounding(scores: list[float], exponent: int) -> None:
    step = Fraction(2) ** exponent
    points = [floor(Fraction(score) / step + Fraction(1, 2)) for score in scores]
    lags = [min(max(points) - point, FARTHEST) for point in points]
    assert read_lags(scores, Grid(exponent)).tolist() == lags


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6), powers)
@example([-(2**63), 2**63 - 1], 0)
def test_integer_lags_are_those_of_exact_rounding(scores: list[int], exponent: int) -> None:
    step = Fraction(2) ** exponent
    points = [floor(score / step + Fraction(1, 2)) for score in scores]
    lags = [min(max(points) - point, FARTHEST) for point in points]
    assert read_lags(np.array(scores, np.int64), Grid(exponent)).tolist() == lags


@pytest.mark.slow
@given(
    st.lists(st.tuples(finite, st.integers(-1, 1)), min_size=2, max_size=5),
    st.sampled_from([0, -20, 3]),
)
@example([(2.0**52, 1), (0.0, 0)], 0)
@example([(2.0**53, -1), (2.0**53, 1)], 0)
def test_neighbors_stay_within_the_rounded_sensitivity(
    moves: list[tuple[float, int]], exponent: int
) -> None:
    """Scores one unit apart differ, measured from the best, by at most twice ceil(1/step)."""
    first = [score for score, _ in moves]
    second = [score + move for score, move in moves]
    moved = max(abs(Fraction(b) - Fraction(a)) for a, b in zip(first, second, strict=True))
    allowed = 2 * ceil(moved / Fraction(2) ** exponent)
    lags = [read_lags(scores, Grid(exponent)) for scores in (first, second)]
    assert np.abs(lags[0] - lags[1]).max() <= allowed


# ---------------------------------------------------------------------- accuracy


def within(
    mechanism: Exponential | NoisyMax | PermuteAndFlip, scores: list[int], far: int
) -> float:
    law = law_of(mechanism, scores)
    return sum(law[i] for i, score in enumerate(scores) if max(scores) - score <= far)


@every_selection
@each("confidence", [0.5, 0.95, 0.999])
@each("candidates", [2, 10, 100])
@each("scale", ["1/2", 3])
def test_the_chosen_score_is_within_its_accuracy_for_the_worst_scores(
    selection: Selection, confidence: float, candidates: int, scale: object
) -> None:
    mechanism = selection(scale=scale)  # type: ignore[arg-type]
    far = int(mechanism.accuracy(confidence, candidates=candidates))
    worst = [far + 1] + [0] * (candidates - 1)
    assert within(mechanism, worst, far) >= confidence
    exact = selection is not NoisyMax or candidates == 2
    if exact and far:
        tighter = [far] + [0] * (candidates - 1)
        assert within(mechanism, tighter, far - 1) < confidence


@every_selection
@given(scores=st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_no_scores_are_worse_than_the_accuracy_says(
    selection: Selection, scores: list[int]
) -> None:
    mechanism = selection(scale=2)
    far = int(mechanism.accuracy(0.8, candidates=len(scores)))
    assert within(mechanism, scores, far) >= 0.8


@every_selection
def test_accuracy_has_the_unit_of_the_scores(selection: Selection) -> None:
    coarse = selection(scale=1).accuracy(0.95, candidates=50)
    fine = selection(scale=1, grid=2**-20).accuracy(0.95, candidates=50)
    assert isinstance(coarse, int)
    assert coarse - 1 < fine < coarse + 1
    assert selection(scale=1).accuracy(0.95, candidates=1) == 0
    assert selection(scale=2**40).accuracy(1 - 1e-9, candidates=10**6) < FARTHEST


def test_permute_and_flip_promises_at_least_what_the_exponential_mechanism_does() -> None:
    for candidates in (2, 10, 1000, 10**6):
        for confidence in (0.5, 0.9, 0.999999):
            flip = PermuteAndFlip(scale=10).accuracy(confidence, candidates=candidates)
            gumbel = Exponential(scale=10).accuracy(confidence, candidates=candidates)
            assert flip <= gumbel
    assert exp(-7) * 99 > 0.05 / 0.95 > exp(-8) * 99  # the doctests' 7, by hand


@every_selection
@pytest.mark.parametrize("candidates", [0, -1, 2.5, "3", None, True, -(10**50)])
def test_a_number_of_candidates_without_meaning_is_refused(
    selection: Selection, candidates: object
) -> None:
    with pytest.raises(PrivacyParameterError):
        selection(scale=1).accuracy(candidates=candidates)  # type: ignore[arg-type]


@every_selection
@pytest.mark.parametrize("confidence", [0, 1, -1, 2, float("nan")])
def test_a_confidence_without_meaning_is_refused(selection: Selection, confidence: float) -> None:
    with pytest.raises(PrivacyParameterError):
        selection(scale=1).accuracy(confidence, candidates=2)


# ---------------------------------------------------------------------- parameters


@every_selection
@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "x", 2**41, "1e-30", None])
def test_a_scale_without_meaning_is_refused(selection: Selection, scale: object) -> None:
    with pytest.raises(PrivacyParameterError):
        selection(scale=scale)  # type: ignore[arg-type]


@every_selection
def test_the_remedy_for_a_scale_off_the_grid_works(selection: Selection) -> None:
    with pytest.raises(PrivacyParameterError, match=r"Use grid=2\*\*-100") as refusal:
        selection(scale=Fraction(1, 2**100))
    assert refusal.value
    assert selection(scale=Fraction(1, 2**100), grid=Fraction(1, 2**100))([0, 1]) in (0, 1)


@every_selection
@pytest.mark.parametrize("monotone", ["False", 1, 0, None])
def test_monotone_is_stated_plainly(selection: Selection, monotone: object) -> None:
    with pytest.raises(PrivacyParameterError, match="neither True nor False"):
        selection(scale=1, monotone=monotone)  # type: ignore[arg-type]


@every_selection
def test_the_grid_is_a_power_of_two(selection: Selection) -> None:
    with pytest.raises(BoundsError):
        selection(scale=1, grid=0.3)  # type: ignore[arg-type]


@every_selection
@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "abc", None])
def test_an_epsilon_without_meaning_is_refused(selection: Selection, epsilon: object) -> None:
    with pytest.raises(PrivacyParameterError):
        selection.calibrated(sensitivity=1, epsilon=epsilon)


@every_selection
def test_an_epsilon_that_protects_nobody_warns(selection: Selection) -> None:
    with pytest.warns(PrivacyWarning) as caught:
        selection.calibrated(sensitivity=1, epsilon=100)
    assert caught[0].filename == __file__


@every_selection
@pytest.mark.parametrize("sensitivity", [0, -1, float("nan"), "x", Sensitivity(linf=0)])
def test_a_sensitivity_without_meaning_is_refused(
    selection: Selection, sensitivity: object
) -> None:
    with pytest.raises(PrivacyParameterError):
        selection.calibrated(sensitivity=sensitivity, epsilon=1)


@every_selection
def test_a_selection_is_written_as_it_is_read(selection: Selection) -> None:
    name = selection.__name__
    assert repr(selection(scale=2)) == f"{name}(scale=2)"
    written = selection(scale="1/3", monotone=True, grid=0.25)  # type: ignore[arg-type]
    assert repr(written) == f"{name}(scale=1/3, monotone=True, grid=1/4)"
    assert selection(scale=2) == selection(scale=Fraction(2))
    assert replace(written, monotone=False).monotone is False
    assert pickle.loads(pickle.dumps(written)) == written


# ---------------------------------------------------------------------- bad scores

CANARY = 77_310_577
WRAPS: list[Callable[[object], object]] = [
    lambda value: value,
    lambda value: [[value, 1]],
    lambda value: [[0], [0, value]],
    lambda value: [None, value],
    lambda value: {"key": value},
    lambda value: np.array([0, value], np.object_),
    lambda value: [str(value), "a"],
    lambda value: [value, float("nan")],
    lambda value: [value, float("inf")],
    lambda value: [value, 2**70],
    lambda value: np.array([CANARY, 2], np.longdouble),
    lambda value: [value + 1j],  # type: ignore[operator]
    lambda value: [],
    lambda value: Sensitive([value, None]),
]


@every_selection
@each("wrap", WRAPS)
@each("value", [CANARY, CANARY + 0.25])
def test_what_is_no_row_of_scores_is_refused_without_showing_it(
    selection: Selection, wrap: Callable[[object], object], value: object
) -> None:
    mechanism = selection(scale=1)
    for take in (mechanism, mechanism.law):
        with pytest.raises(DataError) as refusal:
            take(wrap(value))
        error = refusal.value
        assert str(CANARY) not in str(error)
        assert error.__suppress_context__ or error.__context__ is None


@pytest.mark.slow
@every_selection
@given(
    scores=st.recursive(
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.dates()
        ),
        lambda inner: st.lists(inner, max_size=4),
        max_leaves=6,
    )
)
def test_whatever_is_given_one_is_chosen_or_it_is_refused(
    selection: Selection, scores: object
) -> None:
    try:
        winner = selection(scale=3)(scores)
    except DataError:
        return
    assert 0 <= winner < len(scores)  # type: ignore[arg-type]
