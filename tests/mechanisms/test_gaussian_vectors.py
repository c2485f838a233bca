"""Integer Gaussian noise on vectors: one exact price, by enumeration of every move."""

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import isqrt, nextafter, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import batch_delta, batch_epsilon
from discreet.errors import PrivacyParameterError
from discreet.exact import Grid
from discreet.mechanisms import Gaussian
from discreet.mechanisms.gaussian_calibration import (
    MoveFamilies,
    RoundedNoise,
    best_lattice_delta,
    concentrated_sigma,
    is_proved,
    joint_gaussian_variances,
    joint_lattice_delta,
    least_delta,
    least_epsilon,
)
from discreet.mechanisms.gaussian_moves import Move, vectors, vectors_delta
from discreet.privacy.events import ComposedEvent, DiscreteGaussianEvent, RepeatedEvent
from discreet.privacy.sensitivity import Sensitivity
from tests.support.cases import each
from tests.support.trials import examples

DIGITS = 50
ROUNDING = Fraction(1, 10**40)
"""What 50 digits may leave out: far below every δ that is compared."""

MILLIONTH = Fraction(1, 10**6)


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def noise(variance: Fraction) -> dict[int, Decimal]:
    """The law of one coordinate, as far as 50 digits see it."""
    reach = isqrt(int(2 * variance * 130)) + 2
    double = decimal(2 * variance)
    weights = {x: (-(x * x) / double).exp() for x in range(-reach, reach + 1)}
    total = sum(weights.values())
    return {x: weight / total for x, weight in weights.items()}


def naive_delta(variance: Fraction, move: tuple[int, ...], epsilon: Fraction) -> Fraction:
    """Σ max(0, P(x) - e^ε·P(x - move)) over the points of the plane or of space, as defined."""
    with localcontext() as context:
        context.prec = DIGITS
        law, factor = noise(variance), decimal(epsilon).exp()
        total = Decimal(0)
        for point in product(law, repeat=len(move)):
            here = there = Decimal(1)
            for x, shift in zip(point, move, strict=True):
                here *= law[x]
                there *= law.get(x - shift, Decimal(0))
            total += max(Decimal(0), here - factor * there)
        return Fraction(total)


def summed_delta(variance: Fraction, move: tuple[int, ...], epsilon: Fraction) -> Fraction:
    """The same by the law of Σ moveᵢ·xᵢ, on which alone the loss depends: for many coordinates."""
    with localcontext() as context:
        context.prec = DIGITS
        law = noise(variance)
        sums = {0: Decimal(1)}
        for shift in move:
            more: dict[int, Decimal] = {}
            for t, mass in sums.items():
                for x, weight in law.items():
                    more[t + shift * x] = more.get(t + shift * x, Decimal(0)) + mass * weight
            sums = {t: mass for t, mass in more.items() if mass > Decimal("1e-45")}
        square = sum(shift * shift for shift in move)
        level, double = decimal(epsilon), decimal(2 * variance)
        losses = ((mass, (2 * t + square) / double) for t, mass in sums.items())
        parts = (mass * (1 - (level - loss).exp()) for mass, loss in losses if loss > level)
        return Fraction(sum(parts, Decimal(0)))


def moves(squares: int, dimension: int) -> Iterator[tuple[int, ...]]:
    """Every integer vector, with signs and in any order, whose squares add up to so much."""
    steps = range(-isqrt(squares), isqrt(squares) + 1)
    for move in product(steps, repeat=dimension):
        if 0 < sum(x * x for x in move) <= squares:
            yield move


@each(
    ("squares", "dimension", "variance"),
    [
        (4, 2, Fraction(1, 2)),
        (5, 2, Fraction(3, 2)),
        (8, 2, Fraction(2, 3)),
        (3, 3, Fraction(1, 8)),
        (6, 3, Fraction(1, 16)),
    ],
)
def test_no_move_has_a_larger_delta_than_the_listed_ones(
    squares: int, dimension: int, variance: Fraction
) -> None:
    """By the two laws themselves, on every integer vector, and for one of them exactly that δ."""
    epsilon = Fraction(5, 2)
    bound = vectors_delta(variance, Move(squares, dimension), epsilon, 100)
    assert bound is not None
    distinct = {tuple(sorted(map(abs, move))) for move in moves(squares, dimension)}
    deltas = {move: naive_delta(variance, move, epsilon) for move in distinct}
    truth = max(deltas.values())
    assert truth - ROUNDING <= bound <= truth * (1 + Fraction(1, 10**20))
    mirrored = next(move for move in moves(squares, dimension) if min(move) < 0 < max(move))
    same = tuple(sorted(map(abs, mirrored)))
    assert abs(naive_delta(variance, mirrored, epsilon) - deltas[same]) < ROUNDING


@pytest.mark.slow
@given(
    st.fractions(Fraction(1, 4), 12, max_denominator=20),
    st.integers(2, 12),
    st.integers(2, 12),
    st.fractions(0, 12, max_denominator=20),
)
@examples(25)
def test_the_largest_delta_is_that_of_a_listed_vector(
    variance: Fraction, squares: int, coordinates: int, epsilon: Fraction
) -> None:
    move = Move(squares, coordinates)
    bound = vectors_delta(variance, move, epsilon, 100)
    assert bound is not None
    truth = max(summed_delta(variance, vector, epsilon) for vector in vectors(move) or ())
    assert truth - ROUNDING <= bound
    assert bound <= truth * (1 + Fraction(1, 10**20)) + Fraction(1, 10**28)


@given(st.integers(1, 30), st.integers(1, 6))
@examples(40)
def test_every_move_is_below_a_listed_vector(squares: int, coordinates: int) -> None:
    listed = vectors(Move(squares, coordinates)) or ()
    for move in listed:
        assert sum(x * x for x in move) <= squares
        assert len(move) <= coordinates
        assert list(move) == sorted(move, reverse=True)
    width = min(coordinates, 3)
    for move in moves(squares, width):
        parts = sorted(map(abs, move), reverse=True)
        assert any(
            len(above) >= sum(x > 0 for x in parts)
            and all(a <= b for a, b in zip(parts, above, strict=False))
            for above in listed
        )


@pytest.mark.parametrize("squares", [2, 3, 4, 7, 12, 20])
@pytest.mark.parametrize("epsilon", ["0.3", "1.3", "4"])
def test_families_are_above_their_vectors_and_hardly_so(squares: int, epsilon: str) -> None:
    variance, move, level = Fraction(2 * squares + 1, 2), Move(squares, squares), Fraction(epsilon)
    families = MoveFamilies.of(variance, move)
    assert families is not None
    above, exact = families.delta(level, 128), vectors_delta(variance, move, level, 128)
    assert exact is not None
    assert exact * (1 - Fraction(1, 10**25)) <= above <= exact * (1 + families.uneven) ** 2
    assert families.uneven < Fraction(1, 10**6)
    assert above < best_lattice_delta(variance, move, level, 128)


def test_families_are_not_used_where_the_vectors_of_one_differ() -> None:
    """(10, 1) in noise of variance 4: its T clusters around multiples of ten."""
    move = Move(101, 2)
    assert MoveFamilies.of(Fraction(4), move) is None
    alike = least_delta(Fraction(4 * 101), Move(101**2, 1), Fraction(30))
    exact = vectors_delta(Fraction(4), move, Fraction(30), 128)
    assert exact is not None
    assert exact > Fraction(101, 100) * alike  # the negative control: the family alone would not do


def test_many_coordinates_are_covered_by_few_families() -> None:
    families = MoveFamilies.of(Fraction(10**6), Move(10**5, 10**5))
    assert families is not None
    assert families.others is not None
    assert len(families.summed) < 64
    low = least_epsilon(Fraction(10**6), Move(10**5, 10**5), MILLIONTH)
    narrow = least_epsilon(Fraction(10**6), Move(316**2, 1), MILLIONTH)
    assert narrow < low < narrow * (1 + Fraction(1, 1000))


# The price ----------------------------------------------------------------------------------

BEFORE = {
    (1, 1, "1e-6", 1): ("4.499590982", "4.499591249"),
    (1, 1, "1e-9", 1): ("6.321419130", "6.321419400"),
    (1, 2, "1e-6", 2): ("7.766216625", "7.766216625"),
    (1, 2, "1e-6", 0): ("7.766216625", "7.766216625"),
    (1, 2, "1e-9", 2): ("9.521463672", "9.521463672"),
    (1, 2, "1e-9", 0): ("9.521463672", "9.521463672"),
    (1, 4, "1e-6", 1): ("10.895232261", "10.895232750"),
    (1, 4, "1e-6", 2): ("11.688596249", "11.688596249"),
    (1, 4, "1e-6", 0): ("11.688596249", "11.688596249"),
    (1, 4, "1e-9", 1): ("13.821768711", "13.821769520"),
    (1, 4, "1e-9", 2): ("14.150147554", "14.150147554"),
    (1, 4, "1e-9", 0): ("14.150147554", "14.150147554"),
    (1, 9, "1e-6", 1): ("18.395581842", "18.395582168"),
    (1, 9, "1e-6", 2): ("19.229510434", "19.229510434"),
    (1, 9, "1e-6", 0): ("19.229510434", "19.229510434"),
    (1, 9, "1e-9", 1): ("22.321897323", "22.321898167"),
    (1, 9, "1e-9", 2): ("22.889613839", "22.889613839"),
    (1, 9, "1e-9", 0): ("22.889613839", "22.889613839"),
    (1, 10, "1e-6", 2): ("20.551948814", "20.551948814"),
    (1, 10, "1e-6", 0): ("20.551948814", "20.551948814"),
    (1, 10, "1e-9", 2): ("24.405987558", "24.405987558"),
    (1, 10, "1e-9", 0): ("24.405987558", "24.405987558"),
    (1, 100, "1e-6", 1): ("98.895785120", "98.895789888"),
    (1, 100, "1e-6", 2): ("100.689905161", "100.689905161"),
    (1, 100, "1e-9", 1): ("109.821972110", "109.821977351"),
    (1, 100, "1e-9", 2): ("112.664954968", "112.664954968"),
    (2, 1, "1e-6", 1): ("2.275793151", "2.275793180"),
    (2, 1, "1e-9", 1): ("2.870138972", "2.870139130"),
    (2, 2, "1e-6", 2): ("3.429929980", "3.542291300"),
    (2, 2, "1e-6", 0): ("3.429929980", "3.542291300"),
    (2, 2, "1e-9", 2): ("4.377567709", "4.436684222"),
    (2, 2, "1e-9", 0): ("4.377567709", "4.436684222"),
    (2, 4, "1e-6", 1): ("4.917397390", "4.917397634"),
    (2, 4, "1e-6", 2): ("5.070592616", "5.221534445"),
    (2, 4, "1e-6", 0): ("5.071636717", "5.221534445"),
    (2, 4, "1e-9", 1): ("6.139511578", "6.139511703"),
    (2, 4, "1e-9", 2): ("6.399158748", "6.474070021"),
    (2, 4, "1e-9", 0): ("6.400190396", "6.474070021"),
    (2, 9, "1e-6", 1): ("7.805228139", "7.805228390"),
    (2, 9, "1e-6", 2): ("8.109742522", "8.317254598"),
    (2, 9, "1e-6", 0): ("8.113500513", "8.317254598"),
    (2, 9, "1e-9", 1): ("9.770484504", "9.770484530"),
    (2, 9, "1e-9", 2): ("10.084909296", "10.176220793"),
    (2, 9, "1e-9", 0): ("10.088603391", "10.176220793"),
    (2, 10, "1e-6", 2): ("8.630310707", "8.845889348"),
    (2, 10, "1e-6", 0): ("8.634624732", "8.845889348"),
    (2, 10, "1e-9", 2): ("10.710134044", "10.802854422"),
    (2, 10, "1e-9", 0): ("10.714371294", "10.802854422"),
    (2, 100, "1e-6", 1): ("34.967054118", "34.967055769"),
    (2, 100, "1e-6", 2): ("37.174268154", "37.421799575"),
    (2, 100, "1e-9", 1): ("42.162748979", "42.162750925"),
    (2, 100, "1e-9", 2): ("43.465629405", "43.465629405"),
    (4, 1, "1e-6", 1): ("1.063436358", "1.063436360"),
    (4, 1, "1e-9", 1): ("1.396241876", "1.396241920"),
    (4, 2, "1e-6", 2): ("1.557904530", "1.659919949"),
    (4, 2, "1e-6", 0): ("1.557904530", "1.659919949"),
    (4, 2, "1e-9", 2): ("2.029935511", "2.116793270"),
    (4, 2, "1e-9", 0): ("2.029935511", "2.116793270"),
    (4, 4, "1e-6", 1): ("2.245317385", "2.245317477"),
    (4, 4, "1e-6", 2): ("2.274685632", "2.419093177"),
    (4, 4, "1e-6", 0): ("2.275699140", "2.419093177"),
    (4, 4, "1e-9", 1): ("2.908454548", "2.908454588"),
    (4, 4, "1e-9", 2): ("2.935359753", "3.058122167"),
    (4, 4, "1e-9", 0): ("2.936366862", "3.058122167"),
    (4, 9, "1e-6", 1): ("3.536717185", "3.536717185"),
    (4, 9, "1e-6", 2): ("3.564767552", "3.781731067"),
    (4, 9, "1e-6", 0): ("3.568366109", "3.781731067"),
    (4, 9, "1e-9", 1): ("4.517008379", "4.517008407"),
    (4, 9, "1e-9", 2): ("4.544777824", "4.728759754"),
    (4, 9, "1e-9", 0): ("4.548343794", "4.728759754"),
    (4, 10, "1e-6", 2): ("3.781503450", "4.010280776"),
    (4, 10, "1e-6", 0): ("3.785625555", "4.010280776"),
    (4, 10, "1e-9", 2): ("4.813114542", "5.007027755"),
    (4, 10, "1e-9", 0): ("4.817197534", "5.007027755"),
    (4, 100, "1e-6", 1): ("14.368688458", "14.368689025"),
    (4, 100, "1e-6", 2): ("14.593756699", "15.327529575"),
    (4, 100, "1e-9", 1): ("17.512047497", "17.512047516"),
    (4, 100, "1e-9", 2): ("17.778562515", "18.389210328"),
    (10, 1, "1e-6", 1): ("0.396790093", "0.396790093"),
    (10, 1, "1e-9", 1): ("0.534761776", "0.534761782"),
    (10, 2, "1e-6", 2): ("0.576601390", "0.581312472"),
    (10, 2, "1e-6", 0): ("0.576601390", "0.581312472"),
    (10, 2, "1e-9", 2): ("0.770206681", "0.776360751"),
    (10, 2, "1e-9", 0): ("0.770206681", "0.776360751"),
    (10, 4, "1e-6", 1): ("0.834333277", "0.834333282"),
    (10, 4, "1e-6", 2): ("0.836236327", "0.843226811"),
    (10, 4, "1e-6", 0): ("0.836368438", "0.843226811"),
    (10, 4, "1e-9", 1): ("1.103884216", "1.103884219"),
    (10, 4, "1e-9", 2): ("1.106482922", "1.115797192"),
    (10, 4, "1e-9", 0): ("1.106945651", "1.115797192"),
    (10, 9, "1e-6", 1): ("1.292279054", "1.292279057"),
    (10, 9, "1e-6", 2): ("1.294463028", "1.305916038"),
    (10, 9, "1e-6", 0): ("1.295220109", "1.305916038"),
    (10, 9, "1e-9", 1): ("1.690958688", "1.690958710"),
    (10, 9, "1e-9", 2): ("1.694485880", "1.709385387"),
    (10, 9, "1e-9", 0): ("1.695733215", "1.709385387"),
    (10, 10, "1e-6", 2): ("1.370430572", "1.382629712"),
    (10, 10, "1e-6", 0): ("1.371292175", "1.382629712"),
    (10, 10, "1e-9", 2): ("1.791389703", "1.807216727"),
    (10, 10, "1e-9", 0): ("1.792767349", "1.807216727"),
    (10, 100, "1e-6", 1): ("4.885739309", "4.885739336"),
    (10, 100, "1e-6", 2): ("4.894561822", "4.943073018"),
    (10, 100, "1e-6", 0): ("4.900515697", "4.943073018"),
    (10, 100, "1e-9", 1): ("6.175242516", "6.175242550"),
    (10, 100, "1e-9", 2): ("6.183504235", "6.243209745"),
    (10, 100, "1e-9", 0): ("6.191049646", "6.243209745"),
    (100, 1, "1e-6", 1): ("0.033673805", "0.033673805"),
    (100, 1, "1e-9", 1): ("0.048866313", "0.048866313"),
    (100, 2, "1e-6", 2): ("0.048907781", "0.048911676"),
    (100, 2, "1e-6", 0): ("0.048907781", "0.048911676"),
    (100, 2, "1e-9", 2): ("0.070064738", "0.070070149"),
    (100, 2, "1e-9", 0): ("0.070064738", "0.070070149"),
    (100, 4, "1e-6", 1): ("0.070960654", "0.070960655"),
    (100, 4, "1e-6", 2): ("0.070962637", "0.070968296"),
    (100, 4, "1e-6", 0): ("0.070962687", "0.070968296"),
    (100, 4, "1e-9", 1): ("0.100435897", "0.100435898"),
    (100, 4, "1e-9", 2): ("0.100438666", "0.100446443"),
    (100, 4, "1e-9", 0): ("0.100438717", "0.100446443"),
    (100, 9, "1e-6", 1): ("0.109573016", "0.109573016"),
    (100, 9, "1e-6", 2): ("0.109575851", "0.109584599"),
    (100, 9, "1e-6", 0): ("0.109576028", "0.109584599"),
    (100, 9, "1e-9", 1): ("0.153044144", "0.153044144"),
    (100, 9, "1e-9", 2): ("0.153047670", "0.153059545"),
    (100, 9, "1e-9", 0): ("0.153047847", "0.153059545"),
    (100, 10, "1e-6", 2): ("0.115931564", "0.115940820"),
    (100, 10, "1e-6", 0): ("0.115931767", "0.115940820"),
    (100, 10, "1e-9", 2): ("0.161656253", "0.161668799"),
    (100, 10, "1e-9", 0): ("0.161656455", "0.161668799"),
    (100, 100, "1e-6", 1): ("0.396856474", "0.396856475"),
    (100, 100, "1e-6", 2): ("0.396868037", "0.396899817"),
    (100, 100, "1e-6", 0): ("0.396870530", "0.396899817"),
    (100, 100, "1e-9", 1): ("0.535147038", "0.535147038"),
    (100, 100, "1e-9", 2): ("0.535162222", "0.535203997"),
    (100, 100, "1e-9", 0): ("0.535164711", "0.535203997"),
}
"""ε of σ, S, δ and the number of coordinates (0: any) in 0.1.0: by `loss`, by `batch_epsilon`."""


def both_prices(sigma: int, squares: int, delta: str, dimension: int) -> tuple[Fraction, Fraction]:
    distance = Sensitivity(l1=squares, linf=1).in_dimension(squares)
    assert distance.l2 is not None
    assert squares <= distance.l2**2 < squares + Fraction(1, 10**6)
    loss = Gaussian(sigma=sigma).loss(distance, delta=delta, dimension=dimension or None)
    event = DiscreteGaussianEvent(
        variance=sigma**2, squared_sensitivity=squares, coordinates=dimension or squares
    )
    return loss.epsilon, batch_epsilon(event, delta=delta)


@pytest.mark.slow
@each("case", list(BEFORE))
def test_a_release_has_one_price_and_none_rose(case: tuple[int, int, str, int]) -> None:
    loss, batch = both_prices(*case)
    assert abs(loss - batch) <= loss * Fraction(1, 10**10)
    before = [Fraction(price) for price in BEFORE[case]]
    rounding = 1 + Fraction(1, 10**8)
    assert loss <= before[0] * rounding
    assert batch <= before[1] * rounding


def test_the_price_of_two_steps_in_noise_of_four() -> None:
    loss, batch = both_prices(4, 4, "1e-6", 0)
    assert loss == batch
    assert round(float(loss), 4) == 2.2512


@each(
    ("variance", "squares"),
    [(Fraction(1), 2), (Fraction(1), 5), (Fraction(4), 4), (Fraction(16), 4), (Fraction(9), 9)],
)
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-9"])
def test_the_price_is_enough_for_every_vector_and_hardly_less_would_be(
    variance: Fraction, squares: int, delta: str
) -> None:
    level = Fraction(delta)
    epsilon = least_epsilon(variance, Move(squares, squares), level)
    listed = vectors(Move(squares, squares)) or ()
    assert max(summed_delta(variance, move, epsilon) for move in listed) <= level
    less = epsilon * (1 - Fraction(1, 10**6))
    assert max(summed_delta(variance, move, less) for move in listed) > level
    assert is_proved(variance, Move(squares, squares), epsilon * (1 + MILLIONTH), level)
    assert not is_proved(variance, Move(squares, squares), less, level)
    event = DiscreteGaussianEvent(
        variance=variance, squared_sensitivity=squares, coordinates=squares
    )
    assert batch_delta(event, epsilon=epsilon) <= level * (1 + MILLIONTH)
    assert batch_delta(event, epsilon=less) > level * (1 - MILLIONTH)


def test_the_longest_move_of_one_coordinate_is_not_the_worst() -> None:
    """The negative control: the price of (2) alone is too low for (1, 1, 1, 1)."""
    one = least_epsilon(Fraction(16), Move(4, 1), MILLIONTH)
    assert summed_delta(Fraction(16), (2,), one) <= MILLIONTH
    assert summed_delta(Fraction(16), (1, 1, 1, 1), one) > MILLIONTH


@pytest.mark.parametrize("squares", [2, 3, 5, 7, 10, 99])
def test_a_float_root_is_not_priced_below_what_it_stands_for(squares: int) -> None:
    for root in (sqrt(squares), nextafter(sqrt(squares), 0), nextafter(sqrt(squares), 9**9)):
        assert Sensitivity(l2=Fraction(root)).squared_in_steps(Grid.of(1)) == squares
        rho = Gaussian(sigma=1).loss(Sensitivity(l2=root)).rho
        assert rho >= Fraction(squares, 2)  # 0.1.0 took the square of the float, a little below
    below = Sensitivity(l2=Fraction(sqrt(squares)) * (1 - Fraction(1, 10**6)))
    with pytest.raises(PrivacyParameterError, match="not the root of a whole number"):
        below.squared_in_steps(Grid.of(1))
    assert below.of_steps(1).squared_in_steps(Grid.of(1)) == squares - 1


def test_releases_of_one_variance_are_one_release() -> None:
    pair = DiscreteGaussianEvent(variance=9, squared_sensitivity=2, coordinates=2)
    four = DiscreteGaussianEvent(variance=9, squared_sensitivity=4, coordinates=4)
    together = batch_epsilon(
        ComposedEvent(events=(pair, RepeatedEvent(event=four, count=2))), delta=1e-6
    )
    assert together <= least_epsilon(Fraction(9), Move(10, 10), MILLIONTH)
    worst = max(
        summed_delta(Fraction(9), (1, 1, *first, *second), together)
        for first, second in product([(2,), (1, 1, 1, 1)], repeat=2)
    )
    assert MILLIONTH * Fraction(9, 10) < worst <= MILLIONTH


def test_releases_of_several_variances_are_still_priced() -> None:
    events = tuple(
        DiscreteGaussianEvent(variance=variance, squared_sensitivity=2, coordinates=2)
        for variance in (9, 16)
    )
    both = batch_epsilon(ComposedEvent(events=events), delta=1e-6)
    assert both > max(batch_epsilon(event, delta=1e-6) for event in events)


# A squared sensitivity ----------------------------------------------------------------------


@each("squares", [2, 3, 5, 8, 20, 1000])
def test_a_squared_sensitivity_is_priced_as_it_is(squares: int) -> None:
    """√20 is not 5: neither the noise nor the loss is that of the next whole number."""
    moved = Sensitivity(squared_l2=squares)
    for delta in ("1e-3", "1e-6"):
        noise = Gaussian.calibrated(sensitivity=moved, epsilon=1, delta=delta)
        root = isqrt(squares) + 1
        wide = Gaussian.calibrated(sensitivity=root, epsilon=1, delta=delta)
        assert abs(noise.sigma / wide.sigma * root - Fraction(sqrt(squares))) < Fraction(1, 20)
        loss = noise.loss(moved, delta=delta)
        assert loss.epsilon <= 1
    assert Gaussian(sigma=3).loss(moved).rho >= Fraction(squares, 18)
    event = Gaussian(sigma=3).event(moved, loss)
    assert event == DiscreteGaussianEvent(
        variance=9, squared_sensitivity=squares, coordinates=squares
    )


def test_a_squared_sensitivity_that_is_rounded_down_is_caught() -> None:
    """The negative control: σ of S = 4 on a move whose squares add up to 5."""
    level = Fraction(1)
    honest, careless = (
        Gaussian.calibrated(
            sensitivity=Sensitivity(squared_l2=squares), epsilon=level, delta=MILLIONTH
        ).sigma
        for squares in (5, 4)
    )
    worst = [
        max(summed_delta(sigma**2, move, level) for move in vectors(Move(5, 5)) or ())
        for sigma in (honest, careless)
    ]
    assert worst[0] <= MILLIONTH < worst[1]


@given(st.integers(1, 10**6), st.fractions(Fraction(1, 10**9), 100))
def test_the_noise_for_a_rho_costs_no_more_and_hardly_less(squares: int, rho: Fraction) -> None:
    sigma = concentrated_sigma(squares, rho)
    assert squares / (2 * sigma**2) <= rho
    less = sigma * (1 - 2 * MILLIONTH)
    assert squares / (2 * less**2) > rho
    noise = Gaussian.for_rho(sensitivity=Sensitivity(squared_l2=squares), rho=rho)
    assert noise.sigma == sigma


def test_the_noise_for_a_rho_is_fitted_on_a_grid_and_to_one_real_number() -> None:
    fine = Gaussian.for_rho(sensitivity="3/2", rho="1/8", grid="1/4", dimension=1)
    assert fine == Gaussian(sigma=3, grid="1/4")
    assert fine.loss(Sensitivity(l2="3/2"), dimension=1).rho == Fraction(1, 8)
    assert Gaussian.for_rho(sensitivity="6/5", rho="1/8", dimension=1) == Gaussian(sigma=4)
    with pytest.raises(PrivacyParameterError, match="not the root of a whole number"):
        Gaussian.for_rho(sensitivity="6/5", rho="1/8")
    with pytest.raises(PrivacyParameterError, match="rho"):
        Gaussian.for_rho(sensitivity=1, rho=0)


# Several vectors, each with its own noise ---------------------------------------------------

Moves = tuple[tuple[int, ...], ...]
Weights = tuple[Fraction, ...]


def joint_naive_delta(variances: Weights, moves: Moves, epsilon: Fraction) -> Fraction:
    """Σ max(0, P(x) - e^ε·P(x - move)) over all points of all vectors, as defined."""
    with localcontext() as context:
        context.prec = DIGITS
        coordinates = [
            (law, shift)
            for variance, move in zip(variances, moves, strict=True)
            for law, shift in zip([noise(variance)] * len(move), move, strict=True)
        ]
        factor, total = decimal(epsilon).exp(), Decimal(0)
        for point in product(*(law for law, _ in coordinates)):
            here = there = Decimal(1)
            for x, (law, shift) in zip(point, coordinates, strict=True):
                here *= law[x]
                there *= law.get(x - shift, Decimal(0))
            total += max(Decimal(0), here - factor * there)
        return Fraction(total)


def losses_of(variance: Fraction, move: tuple[int, ...]) -> dict[Fraction, Decimal]:
    """The law of the privacy loss of one vector, by that of Σ moveᵢ·xᵢ."""
    law, sums = noise(variance), {0: Decimal(1)}
    for shift in move:
        more: dict[int, Decimal] = {}
        for t, mass in sums.items():
            for x, weight in law.items():
                more[t + shift * x] = more.get(t + shift * x, Decimal(0)) + mass * weight
        sums = {t: mass for t, mass in more.items() if mass > Decimal("1e-24")}
    square = sum(shift * shift for shift in move)
    return {(2 * t + square) / (2 * variance): mass for t, mass in sums.items()}


def joint_summed_delta(variances: Weights, moves: Moves, epsilon: Fraction) -> Fraction:
    """The same by the losses of the vectors, which add up; of the last one by running sums."""
    with localcontext() as context:
        context.prec = DIGITS
        *others, last = map(losses_of, variances, moves)
        before = {Fraction(0): Decimal(1)}
        for vector in others:
            more: dict[Fraction, Decimal] = {}
            for (loss, mass), (own, weight) in product(before.items(), vector.items()):
                if mass * weight > Decimal("1e-20"):
                    more[loss + own] = more.get(loss + own, Decimal(0)) + mass * weight
            before = more
        places = sorted(last, reverse=True)
        above = [(Decimal(0), Decimal(0))]
        for loss in places:
            mass, weighed = above[-1]
            above.append((mass + last[loss], weighed + last[loss] * decimal(-loss).exp()))
        total, count = Decimal(0), 0
        for loss in sorted(before):
            while count < len(places) and places[count] > epsilon - loss:
                count += 1
            mass, weighed = above[count]
            total += before[loss] * (mass - decimal(epsilon - loss).exp() * weighed)
        return Fraction(total)


def signed(moves: Moves) -> Iterator[Moves]:
    """The moves in both directions: each vector up, or each down, or against one another."""
    for signs in product((1, -1), repeat=len(moves)):
        yield tuple(
            tuple(sign * step for step in move) for sign, move in zip(signs, moves, strict=True)
        )


JOINT = [
    ((1, 4), (1, 1), "1/2", "1e-3"),
    ((1, 3), (1, 9), 1, "1e-6"),
    ((2, 3), (3, 1), 2, "1e-4"),
    ((1, 2), (1, 3), 8, "1e-6"),
    ((1, 1, 2), (1, 2, 5), 3, "1e-4"),
]


@each(("squares", "weights", "epsilon", "delta"), JOINT)
def test_vectors_with_noise_of_their_own_are_private_together(
    squares: tuple[int, ...], weights: tuple[int, ...], epsilon: object, delta: str
) -> None:
    level, target = Fraction(epsilon), Fraction(delta)  # type: ignore[call-overload]
    shares = tuple(map(Fraction, weights))
    variances = joint_gaussian_variances(squares, shares, level, target)
    listed = [vectors(Move(count, count)) or () for count in squares]
    worst = max(joint_summed_delta(variances, moves, level) for moves in product(*listed))
    assert worst <= target
    ratios = [
        count / variance / share
        for count, variance, share in zip(squares, variances, shares, strict=True)
    ]
    assert max(ratios) <= min(ratios) * (1 + 10 * MILLIONTH)
    assert all(isqrt(v.numerator) ** 2 == v.numerator for v in variances)
    # Far less noise would be too little, so that the bound is about tight where noise is wide.
    narrow = tuple(variance * Fraction(9, 10) for variance in variances)
    if level <= 2:
        assert max(joint_summed_delta(narrow, moves, level) for moves in product(*listed)) > target


def test_both_directions_of_a_joint_move_cost_the_same_by_the_laws_themselves() -> None:
    variances, level = (Fraction(1, 2), Fraction(3, 4)), Fraction(2)
    for moves in (((1,), (2,)), ((1,), (1, 1))):
        deltas = {joint_naive_delta(variances, way, level) for way in signed(moves)}
        assert max(deltas) - min(deltas) < ROUNDING
        assert abs(max(deltas) - joint_summed_delta(variances, moves, level)) < Fraction(1, 10**18)


@each(
    ("variances", "moves", "roundings"),
    [
        (("9", "16"), ((1,), (2,)), ("1/2", "1/2")),
        (("5/2", "40"), ((1, 1), (3,)), ("1/4", "2")),
        (("4", "9", "6"), ((1,), (1,), (1,)), ("1/2", "1", "1/4")),
    ],
)
def test_the_joint_lattice_bound_is_above_the_laws(
    variances: tuple[str, ...], moves: Moves, roundings: tuple[str, ...]
) -> None:
    spreads = tuple(map(Fraction, variances))
    parts = [
        RoundedNoise(variance, Move(sum(x * x for x in move), len(move)), Fraction(rounding))
        for variance, move, rounding in zip(spreads, moves, roundings, strict=True)
    ]
    for epsilon in (Fraction(1, 2), Fraction(3, 2), Fraction(3)):
        truth = joint_summed_delta(spreads, moves, epsilon)
        assert truth <= joint_lattice_delta(parts, epsilon, 96) <= 3 * truth


def test_one_vector_and_several_of_one_variance_are_priced_as_ever() -> None:
    one = Gaussian.calibrated(sensitivity=Sensitivity(squared_l2=7), epsilon=1, delta="1e-6")
    assert joint_gaussian_variances([7], [Fraction(3)], Fraction(1), MILLIONTH) == (one.sigma**2,)
    parts = [Fraction(3), Fraction(4)]
    assert joint_gaussian_variances([3, 4], parts, Fraction(1), MILLIONTH) == (one.sigma**2,) * 2


def test_joint_noise_is_that_of_the_analytic_curve_and_not_of_the_conversion() -> None:
    squares = (2**60, 50 * 2**60)
    variances = joint_gaussian_variances(
        squares, (Fraction(1), Fraction(3)), Fraction(1), MILLIONTH
    )
    sigma = sum(n / v for n, v in zip(squares, map(float, variances), strict=True)) ** -0.5
    assert 4.2246 < sigma < 4.2249  # by the conversion of zCDP it is 4.531


def test_joint_noise_without_the_correction_is_caught() -> None:
    """The negative control: σ of the continuous formula on integers, alone and beside another."""
    level, sigma = Fraction(2), Fraction("2.2305")
    beside = (sigma**2 * Fraction(1000, 999), sigma**2 * 1000)
    assert joint_summed_delta((Fraction("4.2247") ** 2,), ((1,),), Fraction(1)) > 1.019e-6
    assert joint_summed_delta((sigma**2,), ((1,),), level) > 1.09e-6
    assert joint_summed_delta(beside, ((1,), (1,)), level) > 1.05e-6
    corrected = joint_gaussian_variances((1, 1), (Fraction(999), Fraction(1)), level, MILLIONTH)
    assert joint_summed_delta(corrected, ((1,), (1,)), level) <= MILLIONTH


@pytest.mark.parametrize(
    ("squares", "weights"), [((), ()), ((1,), ()), ((0, 1), (1, 1)), ((1, 1), (1, 0))]
)
def test_vectors_need_a_square_and_a_weight_each(
    squares: tuple[int, ...], weights: tuple[int, ...]
) -> None:
    with pytest.raises(PrivacyParameterError, match="one of each for every"):
        joint_gaussian_variances(squares, list(map(Fraction, weights)), Fraction(1), MILLIONTH)
