"""The sieve: what passes, what is kept of it, and that both together are the mechanism's law."""

import pickle
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from math import isqrt
from time import process_time

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus
from discreet.mechanisms import gaussian as gaussian_module
from discreet.mechanisms import laplace as laplace_module
from discreet.mechanisms import optimal_key_selection
from discreet.mechanisms.key_selection import KeySelection, Sieve
from discreet.mechanisms.key_sieve import MOST_LIMITS, drawn
from discreet.mechanisms.key_threshold import ChanceAbove, Threshold
from discreet.mechanisms.optimal_key_selection import OptimalSelection
from discreet.noise import Keystream, UnsafeSeededBits
from discreet.privacy.sensitivity import Sensitive
from tests.mechanisms.key_twins import keep_probability, passes
from tests.support.evidence import WRONG_VERDICT, fits
from tests.support.scripted_bits import ScriptedNumbers

LAPLACE, GAUSSIAN = Threshold.laplace, Threshold.gaussian
KINDS = [OptimalSelection, LAPLACE, GAUSSIAN]
THRESHOLDS = [LAPLACE, GAUSSIAN]
MANY = 20_000
WORK = 400
Interval = tuple[Fraction, Fraction]

every_kind = pytest.mark.parametrize("kind", KINDS)
both_relations = pytest.mark.parametrize("relation", ["add-remove", "replace"])
some_parameters = pytest.mark.parametrize(
    ("epsilon", "delta", "groups"),
    [(1, "1/20", 1), (3, "1/100", 2), ("1/2", "1e-6", 1), (2, "1e-9", 3)],
)


def made(kind, **changed) -> KeySelection:
    return kind(**({"epsilon": 1, "delta": "1/20", "groups": 1} | changed))


def repeated(count: int, size: int = MANY) -> Sensitive:
    return Sensitive(np.full(size, count, np.int64))


def chance_of(mechanism):
    """The enclosures that the mechanism gives to its sieve."""
    if isinstance(mechanism, OptimalSelection):
        return mechanism._curve.enclose
    return ChanceAbove(mechanism.noise, mechanism.threshold)


# ---------------------------------------------------------------------- the naive twin


def exponential(exponent: Fraction) -> Interval:
    """e^(-exponent) between fractions."""
    low, high = exp_minus(exponent, WORK)
    return Fraction(low, 1 << WORK), Fraction(high, 1 << WORK)


@lru_cache(maxsize=64)
def naive_weights(noise) -> list[Interval]:
    """e^(-x/scale) or e^(-x²/(2σ²)) for x = 0, 1, … until nothing is left; both fall."""
    weights, place = [], 0
    while not weights or weights[-1][0] > Fraction(1, 1 << 200):
        gaussian = hasattr(noise, "sigma")
        exponent = place**2 / (2 * noise.sigma**2) if gaussian else place / noise.scale
        weights.append(exponential(exponent))
        place += 1
    return weights


@lru_cache(maxsize=64)
def naive_tails(noise) -> tuple[list[Interval], Interval]:
    """Sums of the weights from each place on, and over all integers."""
    sums = [(Fraction(0), Fraction(1, 1 << 150))]  # what is left out is less
    for low, high in reversed(naive_weights(noise)):
        sums.append((sums[-1][0] + low, sums[-1][1] + high))
    tails = sums[::-1]
    return tails, (tails[0][0] + tails[1][0], tails[0][1] + tails[1][1])


def naive_chances(mechanism, size: int) -> list[Interval]:
    """P(0), P(1), … by the recursion, or by adding up weights."""
    if isinstance(mechanism, OptimalSelection):
        epsilon, delta = mechanism._curve.epsilon, mechanism._curve.delta
        q_low, q_high = exponential(epsilon)
        found = [(Fraction(0), Fraction(0))]
        for _ in range(size - 1):
            low, high = found[-1]
            low = min(low / q_high + delta, 1 - q_high * (1 - low - delta), Fraction(1))
            high = min(high / q_low + delta, 1 - q_low * (1 - high - delta), Fraction(1))
            low, high = int(low * 2**WORK), int(high * 2**WORK) + 1
            found.append((Fraction(low, 2**WORK), min(Fraction(high, 2**WORK), Fraction(1))))
        return found
    tails, (least, most) = naive_tails(mechanism.noise)

    def reaches(start: int) -> Interval:
        if start < 1:
            low, high = reaches(1 - start)
            return 1 - high, 1 - low
        low, high = tails[min(start, len(tails) - 1)]
        return low / most, high / least

    shown = (reaches(mechanism.threshold - count) for count in range(1, size))
    return [(Fraction(0), Fraction(0)), *shown]


def probabilities_used(mechanism, sieve: Sieve, size: int, monkeypatch) -> dict[int, Interval]:
    """With which probability the call keeps a key that passed, for each count that it draws."""
    asked = []

    def listening(probability, count, source):
        asked.append((probability, count))
        return np.ones(count, np.bool_)

    with monkeypatch.context() as patch:
        patch.setattr(optimal_key_selection, "bernoulli_array", listening)
        counts = Sensitive(np.arange(size))
        found = mechanism(counts, source=UnsafeSeededBits(1), sieve=sieve)
    assert [count for _, count in asked] == [1] * len(asked)
    assert set(found.kept.tolist()) >= set(range(1, len(asked) + 1))
    return {
        count: tuple(Fraction(end, 1 << 200) for end in probability(200))
        for count, (probability, _) in enumerate(asked, start=1)
    }


@every_kind
@both_relations
@some_parameters
@pytest.mark.parametrize("bits", [8, 64])
def test_what_passes_and_is_kept_has_the_probability_of_the_mechanism(
    kind, relation, epsilon, delta, groups, bits, monkeypatch
):
    mechanism = kind(epsilon=epsilon, delta=delta, groups=groups, neighbors=relation)
    sieve = mechanism.sieve(UnsafeSeededBits(1), bits=bits)
    one, size = 1 << bits, sieve.sure + 4
    naive = naive_chances(mechanism, size)
    limits = [sieve.limit(count) for count in range(size)]
    assert limits[0] == 0
    assert limits == sorted(limits)
    assert all(limit >= one * low for limit, (low, _) in zip(limits, naive, strict=True))
    assert all(limit <= one * high + 1 for limit, (_, high) in zip(limits, naive, strict=True))
    assert limits[sieve.sure - 1] < one == limits[sieve.sure]
    used = probabilities_used(mechanism, sieve, size, monkeypatch)
    assert set(range(1, sieve.sure)) <= set(used)
    for count, (low, high) in used.items():
        passing = Fraction(limits[count], one)
        if bits == 8:
            assert passing == Fraction(sum(u < limits[count] for u in range(256)), 256)
        assert high <= 1
        assert high - low < Fraction(1, 1 << 190)
        assert passing * low <= naive[count][1]
        assert passing * high >= naive[count][0]
        assert naive[count][1] - naive[count][0] < Fraction(1, 1 << 140)


def test_a_limit_that_is_too_low_would_be_seen():
    mechanism = made(OptimalSelection)
    sieve = mechanism.sieve(UnsafeSeededBits(1), bits=8)
    low = tuple(limit - 1 for limit in sieve.limits)
    naive = naive_chances(mechanism, sieve.sure)
    assert any(limit < 256 * naive[count][0] for count, limit in enumerate(low, start=1))


# ---------------------------------------------------------------------- the noise of what is kept


def test_the_excess_is_a_geometric_draw_kept_with_the_weight_that_is_missing(monkeypatch):
    """Exactly: the exponents, which are rationals, add up to those of the noise."""
    scales, exponents = [], []

    def places(scale, count, *, source):
        scales.append(Fraction(scale))
        return np.arange(count)

    def keep(numerator, denominator, source):
        exponents.append(Fraction(numerator, denominator))
        return True

    monkeypatch.setattr(laplace_module, "geometric", places)
    monkeypatch.setattr(gaussian_module, "geometric", places)
    monkeypatch.setattr(gaussian_module, "bernoulli_decay", keep)
    for kind in THRESHOLDS:
        mechanism = made(kind, epsilon="7/10", delta="1/1000")
        noise = mechanism.noise
        for count in range(1, mechanism.threshold - noise.near):
            scales.clear()
            exponents.clear()
            missing = mechanism.threshold - count
            found = noise.draw_excess(missing, 50, ScriptedNumbers())
            assert found.tolist() == list(range(50))
            shed = exponents or [Fraction(0)] * 50
            drawn_from = [k / scales[0] + shed[k] for k in range(50)]
            gaussian = kind is GAUSSIAN
            rate = 1 / (2 * noise.sigma**2) if gaussian else 1 / noise.scale
            right = [(k * (k + 2 * missing) if gaussian else k) * rate for k in range(50)]
            assert drawn_from == right
            # And that is the law restricted to what reaches the threshold.
            (law,) = mechanism.law([count]).parts
            first = law.probability(mechanism.threshold)
            for k in range(0, 50, 7):
                ratio = float(exponential(drawn_from[k])[0])
                assert law.probability(mechanism.threshold + k) == pytest.approx(first * ratio)


@pytest.mark.parametrize("variance", [Fraction(1, 9), 1, 2, Fraction(7, 2), 4, 9, 20, 100, 1000])
def test_no_draw_of_the_noise_is_refused_often(variance):
    """Above 1/8 near the threshold; above 1/e beyond, where e^(-variance/missing²) bounds it."""

    def weight(exponent):
        return float(exponential(Fraction(exponent))[0])

    near, reach = isqrt(int(variance)), 8 * isqrt(int(variance)) + 20
    weights = {x: weight(x * x / (2 * variance)) for x in range(-reach, reach)}
    total = sum(weights.values())
    assert sum(value for x, value in weights.items() if x >= near) / total > 1 / 8
    for missing in (near + 1, near + 2, 2 * near + 3):
        q = weight(missing / variance)
        kept = sum((1 - q) * q**k * weight(k * k / (2 * variance)) for k in range(reach))
        assert kept > 0.367


def sieved_law(mechanism, sieve: Sieve, count: int) -> dict[int | None, float]:
    """The law of one key that passed: its noisy count, or None."""
    (law,) = mechanism.law([count]).parts
    passing = sieve.limit(count) / (1 << sieve.bits)
    end = max(count, mechanism.threshold) + 80
    shown = {n: law.probability(n) / passing for n in range(mechanism.threshold, end)}
    return {None: max(0.0, 1 - keep_probability(mechanism, count) / passing)} | shown


def outcomes(found, size: int) -> list[int | None]:
    return [None] * (size - found.kept.size) + found.counts.tolist()


def control_errs_less(right: dict, wrong: dict, size: int) -> bool:
    """Whether a sample from ``wrong`` fits ``right`` less than once in a million runs."""
    cells = [outcome for outcome, chance in right.items() if size * chance >= 50]
    noncentral = sum(size * (wrong[x] - right[x]) ** 2 / right[x] for x in cells)
    degrees = len(cells)
    return ncx2.cdf(chi2.isf(WRONG_VERDICT, degrees), degrees, noncentral) < 1e-6


@pytest.mark.parametrize("kind", THRESHOLDS)
def test_noisy_counts_of_keys_that_passed_follow_the_law_and_no_other(kind):
    mechanism = made(kind)
    sieve = mechanism.sieve(UnsafeSeededBits(2), bits=4)
    half = mechanism.threshold
    for seed, count in enumerate([1, 2, half - 1, half, half + 1, sieve.sure, sieve.sure + 1]):
        found = mechanism(repeated(count), source=UnsafeSeededBits(seed), sieve=sieve)
        right, wrong = (sieved_law(mechanism, sieve, n) for n in (count, count + 1))
        sample = outcomes(found, MANY)
        assert fits(sample, right)
        assert control_errs_less(wrong, right, MANY)
        assert not fits(sample, wrong)


def test_gaussian_noise_without_its_second_draw_is_seen(monkeypatch):
    mechanism = made(GAUSSIAN)
    sieve = mechanism.sieve(UnsafeSeededBits(2), bits=4)
    count, variance = 1, mechanism.noise.sigma**2
    right = sieved_law(mechanism, sieve, count)
    missing = mechanism.threshold - count
    q = float(exponential(missing / variance)[0])
    wrong = {None: right[None]} | {
        n: (1 - right[None]) * (1 - q) * q ** (n - mechanism.threshold)
        for n in right
        if n is not None
    }
    assert control_errs_less(right, wrong, MANY)
    monkeypatch.setattr(gaussian_module, "bernoulli_decay", lambda *_: True)
    found = mechanism(repeated(count), source=UnsafeSeededBits(0), sieve=sieve)
    assert not fits(outcomes(found, MANY), right)


def test_noise_that_need_not_reach_the_threshold_is_seen():
    mechanism = made(LAPLACE)
    sieve = mechanism.sieve(UnsafeSeededBits(2), bits=4)
    count = mechanism.threshold - 1
    source = UnsafeSeededBits(3)
    noisy = mechanism.noise(np.full(MANY, count), source=source)
    assert not fits(noisy.tolist(), sieved_law(mechanism, sieve, count))


# ---------------------------------------------------------------------- both steps together


@every_kind
def test_keys_are_released_as_often_as_stated_and_not_without_the_second_step(kind):
    """Four bits let a key pass with probability 1/16 that is to be released at most 1/50."""
    mechanism = made(kind, delta="1/50")
    sieve = mechanism.sieve(UnsafeSeededBits(4), bits=4)
    for count in (1, 2, mechanism.half_point):
        passed = sum(passes(sieve, ("key", str(key)), count) for key in range(MANY))
        chance = keep_probability(mechanism, count)
        law = {True: chance, False: 1 - chance}
        through = sieve.limit(count) / 16
        first = {True: through, False: 1 - through}
        assert fits([True] * passed + [False] * (MANY - passed), first)
        kept = mechanism(repeated(count, passed), source=UnsafeSeededBits(count), sieve=sieve).kept
        assert fits([True] * kept.size + [False] * (MANY - kept.size), law)
        if count == 1:
            assert control_errs_less(law, first, MANY)
            assert not fits([True] * passed + [False] * (MANY - passed), law)


@every_kind
def test_what_is_kept_comes_in_increasing_order_and_nobodys_keys_do_not(kind):
    mechanism = made(kind, delta="1/5")
    sieve = mechanism.sieve(UnsafeSeededBits(5))
    counts = np.random.default_rng(3).integers(0, 2 * sieve.sure, 500)
    found = mechanism(Sensitive(counts), source=UnsafeSeededBits(6), sieve=sieve)
    assert np.all(np.diff(found.kept) > 0)
    assert found.kept.tolist() == np.flatnonzero(counts).tolist()  # 64 bits leave nothing to thin
    if kind is not OptimalSelection:
        assert found.counts.min() >= mechanism.threshold
        assert np.corrcoef(found.counts, counts[found.kept])[0, 1] > 0.9
    for empty in (np.empty(0, np.int64), np.zeros(5, np.int64)):
        assert mechanism(Sensitive(empty), sieve=sieve).kept.size == 0


@pytest.mark.slow
@every_kind
@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_huge_noise_neither_overflows_nor_waits(kind):
    mechanism = made(kind, epsilon="1e-25", delta=1e-30, groups=1000)
    sieve = mechanism.sieve(UnsafeSeededBits(7), bits=128)
    found = mechanism(repeated(1, 1000), source=UnsafeSeededBits(8), sieve=sieve)
    if kind is not OptimalSelection:  # of which a step lets many more pass than are kept
        assert found.kept.size > 900
        assert found.counts.min() >= mechanism.threshold > 2**63


def test_counts_beyond_64_bits_are_python_integers():
    mechanism, top = made(LAPLACE), 2**63 - 1
    sieve = mechanism.sieve(UnsafeSeededBits(9))
    sums = [
        mechanism(Sensitive(np.array([5, top])), source=UnsafeSeededBits(seed), sieve=sieve).counts
        for seed in range(20)
    ]
    assert {array.dtype for array in sums} == {np.dtype(np.int64), np.dtype(np.object_)}
    assert all((array.max() > top) == (array.dtype == np.object_) for array in sums)


@every_kind
def test_the_sieve_of_another_selection_is_refused(kind):
    mechanism = made(kind)
    assert mechanism(repeated(0), sieve=made(kind).sieve(Keystream())).kept.size == 0
    for other in (made(kind, delta="1/30"), made(KINDS[KINDS.index(kind) - 1])):
        with pytest.raises(PrivacyParameterError, match="that of another selection"):
            mechanism(repeated(1), sieve=other.sieve(Keystream()))


# ---------------------------------------------------------------------- long tables


@every_kind
def test_a_long_table_has_steps_and_its_limits_are_high_enough(kind):
    mechanism = made(kind, epsilon="0.001", delta=1e-6)
    sieve = mechanism.sieve(UnsafeSeededBits(10))
    assert sieve.step > 1
    assert MOST_LIMITS / 2 < len(sieve.limits) <= MOST_LIMITS
    assert all(a <= b for a, b in pairwise(sieve.limits))
    assert sieve.limits[-1] < 1 << 64
    chance = chance_of(mechanism)
    chosen = {*range(1, sieve.sure, 997), *range(1, 40), sieve.sure - 1, mechanism.half_point}
    for count in chosen:
        assert sieve.limit(count) >= chance(count, 64)[0]
        assert sieve.limit(count) == -(-chance(-(-count // sieve.step) * sieve.step, 80)[1] >> 16)
        if kind is not OptimalSelection:  # P is at most 3% larger at the end of a step
            assert 100 * sieve.limit(count) < 103 * chance(count, 64)[1]
    assert sieve.limit(sieve.sure - 1) < 1 << 64 == sieve.limit(sieve.sure)


@pytest.mark.slow
def test_chances_with_wide_gaussian_noise_are_enclosed_by_integrals_and_by_sums():
    mechanism = made(GAUSSIAN, epsilon="0.0005", delta=1e-6, groups=4)
    sigma, chance = mechanism.noise.sigma, chance_of(mechanism)
    assert sigma > 2**13
    for missing in (-20_000, 0, 1, 9_000, 40_000):
        count = mechanism.threshold - missing
        low, high = chance(count, 96)
        least, most = chance(count, 321)
        assert low << 225 <= least <= most <= high << 225
        assert most - least <= 2
        assert high - low <= (1 << 96) * 2 / (5 * sigma)


# ---------------------------------------------------------------------- the published formula


def test_the_hash_is_the_published_one():
    secret = bytes(range(32))
    text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2:ab1:c"
    number = int(sha256(text.encode("utf-8")).hexdigest()[:16], 16)
    assert number == 0xF7728B33D8781595
    assert not passes(Sieve(secret, (number,), 1, 64), ("ab", "c"), 1)
    assert passes(Sieve(secret, (number + 1,), 1, 64), ("ab", "c"), 1)
    assert passes(Sieve(secret, (number,), 1, 64), ("ab", "c"), 2)
    assert not passes(Sieve(secret, (1 << 64,), 1, 64), ("ab", "c"), 0)
    short = number >> 56
    assert not passes(Sieve(secret, (short,), 3, 8), ("ab", "c"), 3)
    assert passes(Sieve(secret, (short + 1,), 3, 8), ("ab", "c"), 3)


def hash_of(sieve: Sieve, *labels: str) -> int:
    """By bisection of the limit."""
    low, high = 0, 1 << sieve.bits
    while high - low > 1:
        middle = (low + high) // 2
        if passes(Sieve(sieve.secret, (middle,), 1, sieve.bits), labels, 1):
            high = middle
        else:
            low = middle
    return low


def test_keys_that_read_alike_have_different_hashes():
    sieve = Sieve(bytes(32), (), 1, 64)
    keys = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("1:a", ""), ("2:ab1:c",)]
    assert len({hash_of(sieve, *key) for key in keys}) == len(keys)
    text = "00" * 32 + "4:né€😀"  # lengths are in code points, the hash is over UTF-8
    assert hash_of(sieve, "né€😀") == int(sha256(text.encode("utf-8")).hexdigest()[:16], 16)


@every_kind
def test_the_same_secret_decides_the_same_and_another_does_not(kind):
    mechanism, count = made(kind), made(kind).half_point
    secret = int.from_bytes(bytes(range(32)))
    first, again, other = (
        mechanism.sieve(ScriptedNumbers(numbers=[number]))
        for number in (secret, secret, secret + 1)
    )
    assert first.secret == bytes(range(32))
    assert first == again
    decided = [
        [passes(sieve, (str(key),), count) for key in range(200)] for sieve in (first, again, other)
    ]
    assert decided[0] == decided[1] != decided[2]


def test_a_sieve_does_not_show_its_secret():
    sieve = made(OptimalSelection).sieve(Keystream())
    assert repr(sieve) == str(sieve) == f"Sieve(sure={sieve.sure}, step=1, bits=64)"
    with pytest.raises(TypeError, match="does not leave the process"):
        pickle.dumps(sieve)


def test_sieves_without_meaning_are_refused():
    chance = chance_of(made(LAPLACE))
    for bits in (0, -4, 6, 260):
        with pytest.raises(ValueError, match="4, 8, … or 256 bits"):
            drawn(chance, Keystream(), bits)
        with pytest.raises(ValueError, match="4, 8, … or 256 bits"):
            Sieve(bytes(32), (), 1, bits)
    with pytest.raises(ValueError, match="32 bytes"):
        Sieve(bytes(31), (), 1, 64)
    with pytest.raises(ValueError, match="a step of 1 or more"):
        Sieve(bytes(32), (), 0, 64)


# ---------------------------------------------------------------------- time


@every_kind
@pytest.mark.parametrize("groups", [1, 64])
def test_a_sieve_and_a_hundred_thousand_keys_take_little_time(kind, groups):
    """Measured: at most 0.2 s for the sieve and 0.3 s for the keys."""
    mechanism = made(kind, delta=1e-6, groups=groups)
    counts = np.random.default_rng(1).integers(1, 2 * mechanism.half_point, 100_000)
    start = process_time()
    sieve = mechanism.sieve(Keystream())
    built = process_time()
    assert mechanism(Sensitive(counts), sieve=sieve).kept.size == 100_000
    assert built - start < 5
    assert process_time() - built < 10
