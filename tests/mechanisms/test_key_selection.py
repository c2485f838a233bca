"""Unknown keys: which are released, how often, which mechanism is best, and what is refused."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from discreet.errors import DataError, PrivacyParameterError, VerificationError
from discreet.mechanisms.additive_noise import Mechanism
from discreet.mechanisms.key_selection import KeySelection, best_selection
from discreet.mechanisms.key_threshold import Threshold
from discreet.mechanisms.optimal_key_selection import OptimalSelection
from discreet.noise import UnsafeSeededBits
from discreet.privacy.events import ApproximateEvent
from discreet.privacy.losses import ApproximateDP
from discreet.privacy.sensitivity import Sensitive, Sensitivity
from discreet.privacy.verification import verify
from tests.mechanisms.key_twins import keep_probability
from tests.support.evidence import WRONG_VERDICT, fits

LAPLACE, GAUSSIAN = Threshold.laplace, Threshold.gaussian
KINDS = [OptimalSelection, LAPLACE, GAUSSIAN]
THRESHOLDS = [LAPLACE, GAUSSIAN]
MANY = 20_000


def made(kind, **changed) -> KeySelection:
    return kind(**({"epsilon": 1, "delta": "1/20", "groups": 1} | changed))


def units(*counts: int) -> Sensitive:
    return Sensitive(np.array(counts, np.int64))


def repeated(count: int) -> Sensitive:
    return Sensitive(np.full(MANY, count))


# ---------------------------------------------------------------------- figures


@pytest.mark.parametrize(
    ("groups", "optimal", "sure", "laplace", "gauss"),
    [
        (1, 14, 28, 15, 22),
        (2, 27, 54, 30, 31),
        (4, 53, 106, 60, 44),
        (10, 132, 264, 156, 71),
        (64, 841, 1681, 1108, 189),
    ],
)
def test_half_points_at_epsilon_one_and_delta_one_in_a_million(
    groups, optimal, sure, laplace, gauss
):
    """The literature splits δ between noise and threshold: 22.3, 32, 46, 74.5 and 198 for Gauss."""
    made_of = {"epsilon": 1, "delta": 1e-6, "groups": groups}
    best = OptimalSelection(**made_of)
    assert (best.half_point, best.sure_point) == (optimal, sure)
    assert LAPLACE(**made_of).half_point == laplace
    assert GAUSSIAN(**made_of).half_point == gauss


def test_the_optimal_curve_of_the_literature():
    selection = OptimalSelection(epsilon=1, delta=1e-6, groups=1)
    assert keep_probability(selection, 1) == 1e-6
    assert keep_probability(selection, 14) == pytest.approx(0.70, abs=0.001)
    assert keep_probability(selection, 27) < 1 == keep_probability(selection, 28)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("groups", [1, 3])
def test_the_half_point_is_where_a_key_is_released_half_of_the_time(kind, relation, groups):
    selection = made(kind, groups=groups, neighbors=relation, delta=1e-4)
    half = selection.half_point
    assert keep_probability(selection, half - 1) < 0.5 <= keep_probability(selection, half)
    chances = [keep_probability(selection, n) for n in range(half + 30)]
    assert chances[0] == 0
    assert chances == sorted(chances)


@pytest.mark.parametrize("groups", [1, 2, 5])
def test_no_threshold_at_the_same_loss_per_key_beats_the_optimal_choice(groups):
    best, other = (made(kind, groups=groups) for kind in (OptimalSelection, LAPLACE))
    for count in range(60):
        assert keep_probability(other, count) <= keep_probability(best, count) + 1e-12


@pytest.mark.parametrize("groups", [1, 2, 7])
def test_replace_costs_the_optimal_choice_as_much_as_twice_the_keys(groups):
    swapped = made(OptimalSelection, groups=groups, neighbors="replace")
    twice = made(OptimalSelection, groups=2 * groups)
    assert [keep_probability(swapped, n) for n in range(50)] == [
        keep_probability(twice, n) for n in range(50)
    ]


@pytest.mark.parametrize(
    ("groups", "counts", "kind"),
    [
        (1, False, OptimalSelection),
        (2, False, OptimalSelection),
        (4, False, GAUSSIAN),
        (1, True, LAPLACE),
        (2, True, LAPLACE),
        (4, True, GAUSSIAN),
    ],
)
def test_the_best_has_the_lowest_half_point(groups, counts, kind):
    best = best_selection(epsilon=1, delta=1e-6, groups=groups, counts=counts, weights=False)
    assert best == kind(epsilon=1, delta=1e-6, groups=groups)
    others = KINDS if not counts else THRESHOLDS
    points = [other(epsilon=1, delta=1e-6, groups=groups).half_point for other in others]
    assert best.half_point == min(points)


# ---------------------------------------------------------------------- what is released


@pytest.mark.parametrize("kind", KINDS)
def test_keys_that_nobody_holds_are_never_released_and_those_of_many_are(kind):
    selection = made(kind, delta="9/10")
    found = selection(units(0, 10**6, 0, 10**6, 0), source=UnsafeSeededBits(1))
    assert found.kept.tolist() == [1, 3]
    assert found.kept.dtype == np.int64
    if kind is OptimalSelection:
        assert found.counts is None
    else:
        assert found.counts.dtype == np.int64
        assert np.abs(found.counts - 10**6).max() < 1000
    assert selection(Sensitive(np.zeros(500, np.int64))).kept.size == 0
    assert selection(Sensitive(np.empty(0, np.int64))).kept.size == 0


@pytest.mark.parametrize("kind", KINDS)
def test_places_are_increasing_whatever_the_order_of_counts_is(kind):
    selection = made(kind, delta="1/5")
    counts = np.random.default_rng(3).integers(0, 2 * selection.half_point, 500)
    found = selection(Sensitive(counts), source=UnsafeSeededBits(2))
    assert np.all(np.diff(found.kept) > 0)
    assert np.all(counts[found.kept] > 0)
    assert 0 < found.kept.size < 500


@pytest.mark.parametrize("kind", THRESHOLDS)
def test_released_counts_reach_the_threshold(kind):
    selection = made(kind, delta="1/5")
    found = selection(repeated(selection.threshold), source=UnsafeSeededBits(4))
    assert found.counts.size == found.kept.size
    assert found.counts.min() == selection.threshold


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("groups", [1, 3])
def test_keys_are_released_as_often_as_stated_and_not_otherwise(kind, groups):
    selection, source = made(kind, groups=groups), UnsafeSeededBits(5)
    for count in (1, selection.half_point - 1, selection.half_point):
        kept = selection(repeated(count), source=source).kept.size
        sample = [True] * kept + [False] * (MANY - kept)
        chance, other = (keep_probability(selection, count + more) for more in (0, 1))
        assert fits(sample, {True: chance, False: 1 - chance})
        assert not fits(sample, {True: other, False: 1 - other})


@pytest.mark.parametrize("kind", KINDS)
def test_a_lonely_key_shows_no_more_often_than_delta_allows(kind):
    selection = made(kind)
    most = binom.isf(WRONG_VERDICT, MANY, 1 / 20)
    assert selection(repeated(1), source=UnsafeSeededBits(6)).kept.size <= most
    # The control: two units are one unit with a threshold that is one lower.
    assert selection(repeated(2), source=UnsafeSeededBits(6)).kept.size > most


@pytest.mark.parametrize("kind", THRESHOLDS)
def test_noisy_counts_follow_the_law_and_no_other(kind):
    selection, count = made(kind), made(kind).threshold + 1
    found = selection(repeated(count), source=UnsafeSeededBits(7))
    sample = [None] * (MANY - found.kept.size) + found.counts.tolist()
    outcomes = [None, *range(selection.threshold, count + 60)]
    (right,), (wrong,) = (selection.law([n]).parts for n in (count, count + 1))
    assert fits(sample, {outcome: right.probability(outcome) for outcome in outcomes})
    assert not fits(sample, {outcome: wrong.probability(outcome) for outcome in outcomes})


@pytest.mark.parametrize("kind", THRESHOLDS)
def test_the_law_adds_up_and_agrees_with_the_stated_probability(kind):
    selection = made(kind)
    for count in (0, 1, 5, selection.threshold + 2):
        (law,) = selection.law([count]).parts
        shown = sum(law.probability(n) for n in range(selection.threshold, count + 80))
        assert shown == pytest.approx(keep_probability(selection, count), rel=1e-9)
        assert law.probability(None) == pytest.approx(1 - shown, rel=1e-9)
        assert law.probability(selection.threshold - 1) == law.probability("x") == 0


def test_laws_of_different_mechanisms_are_not_compared():
    first, second = (made(LAPLACE, epsilon=e).law([1]) for e in (1, 2))
    with pytest.raises(VerificationError, match="different noise"):
        first.against(second)
    with pytest.raises(VerificationError, match="more than"):
        verify(made(LAPLACE), [10**9], [10**9 + 1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_noise_beyond_64_bits_neither_overflows_nor_waits(kind):
    selection = made(kind, epsilon="1e-25", delta=1e-30, groups=1000)
    assert selection(units(0, 1, 2**62), source=UnsafeSeededBits(8)).kept.size == 0
    assert selection.half_point > 2**63


def test_released_counts_beyond_64_bits_are_python_integers():
    top = 2**63 - 1
    sums = [
        made(LAPLACE)(units(5, top), source=UnsafeSeededBits(seed)).counts for seed in range(20)
    ]
    assert {array.dtype for array in sums} == {np.dtype(np.int64), np.dtype(np.object_)}
    assert all((array.max() > top) == (array.dtype == np.object_) for array in sums)


# ---------------------------------------------------------------------- values and errors


@pytest.mark.parametrize("kind", KINDS)
def test_a_selection_is_a_value_with_its_price(kind):
    selection = made(kind, epsilon=0.1, delta=1e-6, groups=2, neighbors="replace")
    same = made(kind, epsilon="1/10", delta="1e-6", groups=2, neighbors="replace")
    assert selection == same
    assert hash(selection) == hash(same)
    assert selection.loss() == ApproximateDP(epsilon=Fraction(1, 10), delta=Fraction(1, 10**6))
    assert selection.event() == ApproximateEvent(epsilon=Fraction(1, 10), delta=Fraction(1, 10**6))
    asked: Mechanism = selection  # as a release asks any mechanism
    promised = ApproximateDP(epsilon=5, delta=Fraction(1, 5))
    assert asked.event(Sensitivity(l1=2), promised) == selection.event()


def test_names_and_texts_of_selections():
    """The names are written into answers and certificates, so they stay."""
    selections = [made(kind, epsilon=0.1, delta=1e-6, neighbors="replace") for kind in KINDS]
    assert [selection.name for selection in selections] == [
        "OptimalSelection",
        "LaplaceThreshold",
        "GaussianThreshold",
    ]
    ends = "epsilon=1/10, delta=1/1000000, groups=1, neighbors='replace')"
    optimal, laplace, gauss = selections
    assert repr(optimal) == f"OptimalSelection({ends}"
    assert repr(laplace) == f"Threshold(noise=Laplace(scale=20), threshold=264, {ends}"
    assert repr(gauss).startswith("Threshold(noise=Gaussian(sigma=")
    assert repr(gauss).endswith(ends)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("changed", "fact", "remedy"),
    [
        ({"epsilon": 0}, "epsilon is 0", "Use a small constant"),
        ({"delta": 0}, "delta is 0", "delta=1e-6, or list the keys"),
        ({"delta": 1}, "delta is 1", "delta=1e-6"),
        ({"groups": 0}, "groups is not a whole number above 0", "Use 1, or more"),
        ({"groups": 1.5}, "groups is not a whole number above 0", "Use 1, or more"),
        ({"neighbors": "near"}, "neighbors is 'near'", 'Use neighbors="add-remove"'),
    ],
)
def test_parameters_without_meaning_are_refused(kind, changed, fact, remedy):
    for maker in (kind, partial(best_selection, counts=True)):
        with pytest.raises(PrivacyParameterError) as caught:
            made(maker, **changed)
        assert str(caught.value).startswith(fact)
        assert remedy in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "counts",
    [[1, 2], np.array([1.0]), np.array([[1]]), np.array([7717], np.uint64), np.array([-7717])],
)
def test_counts_of_another_kind_are_refused_without_showing_them(kind, counts):
    with pytest.raises(DataError) as caught:
        made(kind)(Sensitive(counts))
    assert "7717" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_law_is_of_whole_numbers_of_units(kind):
    with pytest.raises(PrivacyParameterError, match="count is not a whole number"):
        made(kind).law([-1])


@pytest.mark.parametrize("epsilon", [41, 1000, 10**7])
@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_a_huge_epsilon_gives_the_curve_of_a_large_one(epsilon: int) -> None:
    found = OptimalSelection(epsilon=epsilon, delta="1e-6", groups=1)
    assert (found.half_point, found.sure_point) == (2, 3)
    assert keep_probability(found, 1) == 1e-6
