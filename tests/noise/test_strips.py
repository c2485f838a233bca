"""Strips: a cell, a place in it, and whether the place is kept."""

from bisect import bisect_right
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.noise import UnsafeSeededBits
from discreet.noise.strip_tables import (
    _KEEP_MARGIN,
    CLEAR,
    Draws,
    GaussianWeights,
    LaplaceWeights,
    Strips,
    Weights,
    descending,
)
from tests.noise.reference import PRECISION, real
from tests.support.scripted_bits import Answering, Repeating, ScriptedBits

SPREADS = ["65", "1000", "65536", f"{2**20}", f"{2**40}", f"{2**45}", f"{2**50}", f"{2**57}"]
CASES = [
    pytest.param(family, Fraction(spread), id=f"{family}-{spread}")
    for family in ("laplace", "gaussian")
    for spread in SPREADS
]
every_weight = pytest.mark.parametrize(("family", "spread"), CASES)


def weights(family: str, spread: Fraction) -> Weights:
    return LaplaceWeights(spread) if family == "laplace" else GaussianWeights(spread**2)


def chance(strips: Strips, cell: int, place: int) -> mpmath.mpf:
    """weight/largest weight at 400 bits, from the definition of the weight."""
    base = cell * strips.cells.width
    top = base if cell >= 0 else base + strips.cells.width - 1
    exponent = strips.weights.exponent(base + place) - strips.weights.exponent(top)
    return mpmath.exp(-real(exponent))


class Lanes:
    """Words for chosen cells, places and V, in the layout that a sampler reads.

    V is given by 64 bits: its first ones stand in the word, the others come when asked for.
    """

    def __init__(self, strips: Strips, lanes: list[tuple[int, int, int]]) -> None:
        self.strips, self.lanes = strips, lanes
        shift, bits, keep = strips.shift, strips.bits, strips.keep
        first_prefix: dict[int, int] = {}
        for prefix in np.flatnonzero(strips.cells.table >= CLEAR):
            first_prefix.setdefault(int(strips.cells.table[prefix]), int(prefix))
        self.prefix = first_prefix
        words = []
        for cell, place, v in lanes:
            inner = 0 if strips.apart else place << 16
            words.append(v >> (64 - keep) << (bits - keep) | inner | first_prefix[cell])
        self.words = np.array(words, f"u{bits // 8}")
        self.places = np.array([place for _, place, _ in lanes], np.uint64)
        assert max(place for _, place, _ in lanes) < 1 << shift

    def fills(self) -> list[NDArray[np.uint64]]:
        """The fills of a round in which every lane is in doubt: words, places, no cells, V."""
        padded = np.zeros(-(-self.words.nbytes // 8) * 8 // self.words.itemsize, self.words.dtype)
        padded[: self.words.size] = self.words
        fills = [padded.view(np.uint64)]
        if self.strips.apart:
            fills.append(self.places)
        rest = [v << self.strips.keep & (2**64 - 1) for _, _, v in self.doubtful()]
        return [*fills, np.empty(0, np.uint64), np.array(rest, np.uint64)]

    def doubtful(self) -> list[tuple[int, int, int]]:
        """The lanes that the table does not keep."""
        entries = self.strips.entries[(self.words & 0xFFFF).astype(int)]
        return [
            lane for lane, open_ in zip(self.lanes, self.words >= entries, strict=True) if open_
        ]


def value(strips: Strips, cell: int, place: int) -> int:
    return cell * strips.cells.width + place


@every_weight
def test_v_planted_at_the_true_boundary_is_decided_as_the_reference_decides(
    family: str, spread: Fraction
) -> None:
    """A lane that is not kept is drawn anew, here always in the same place of the cell 0."""
    strips = Strips(weights(family, spread))
    width, margin = strips.cells.width, int(_KEEP_MARGIN * 2**64)
    named = sorted(set(strips.cells.table[strips.cells.table >= CLEAR].tolist()))
    chosen = {0, -1, 1, named[3], named[-4], named[len(named) // 3]}
    lanes = []
    with mpmath.workprec(PRECISION):
        for cell in sorted(chosen):
            for place in {0, 1, width // 2, width - 1}:
                boundary = int(mpmath.floor(mpmath.ldexp(chance(strips, cell, place), 64)))
                centres = [boundary, boundary - margin, boundary + margin]
                planted = {centre + offset for centre in centres for offset in range(-2, 3)}
                planted |= {centre + (offset << 12) for centre in centres for offset in (-1, 1)}
                lanes += [(cell, place, v) for v in planted if 0 <= v < 2**64]
        script = Lanes(strips, lanes)
        sentinel = Lanes(strips, [(0, 1, 0)])
        again = int(sentinel.words[0])
        redrawn = value(strips, 0, again & (width - 1) if strips.apart else 1)
        if strips.bits == 32:
            again |= again << 32
        for follow in ("0110", "1"):
            then = Redrawing(again, follow)
            drawn = np.zeros(len(lanes), np.int64)
            strips.sample(Draws(drawn), ScriptedBits(script.fills(), then=then))
            expected = [
                value(strips, cell, place)
                if mpmath.ldexp(v << 300 | Repeating(follow).bits(300), -364)
                < chance(strips, cell, place)
                else redrawn
                for cell, place, v in lanes
            ]
            assert drawn.tolist() == expected
            assert expected.count(redrawn) > len(lanes) // 4
            assert len(script.doubtful()) > len(lanes) // 2


class Redrawing(Repeating):
    """Fills every array with one word: the draw of all lanes that are drawn anew."""

    def __init__(self, word: int, pattern: str) -> None:
        super().__init__(pattern)
        self.word = word

    def fill(self, words: NDArray[np.uint64]) -> None:
        words[:] = self.word


@every_weight
def test_the_table_keeps_only_what_is_kept_for_certain(family: str, spread: Fraction) -> None:
    """For every clear prefix: the largest word below its entry has a V surely below e^(-drop) at
    the last place of the cell, where the drop is largest."""
    strips = Strips(weights(family, spread))
    clear = np.flatnonzero(strips.cells.table >= CLEAR)
    assert (strips.entries[strips.cells.table < CLEAR] == 0).all()
    bounds = {}
    for prefix in clear:
        bounds[int(strips.cells.table[prefix])] = int(strips.entries[prefix])
    with mpmath.workprec(PRECISION):
        for cell, entry in bounds.items():
            largest = (entry - 1) >> (strips.bits - strips.keep)
            last = strips.cells.width - 1 if cell >= 0 else 0
            kept = chance(strips, cell, last)
            assert real(Fraction(largest + 1, 1 << strips.keep)) <= kept
            # ... and little is left in doubt.
            assert real(Fraction(largest + 3, 1 << strips.keep)) >= kept


@every_weight
def test_every_draw_is_the_same_function_of_its_words_as_in_plain_python(
    family: str, spread: Fraction
) -> None:
    """A twin in Python integers reads the same words in the same order, rejections included."""
    strips = Strips(weights(family, spread))
    count = 3000
    drawn = np.zeros(count, np.int64)
    strips.sample(Draws(drawn), UnsafeSeededBits(9))
    assert drawn.tolist() == twin(strips, count, UnsafeSeededBits(9))


def twin(strips: Strips, count: int, source: UnsafeSeededBits) -> list[int]:
    """What ``_sample_cells`` does, a lane at a time and with nothing certain but reals."""

    def fresh(size: int, bits: int) -> list[int]:
        words = np.zeros(-(-size * bits // 64), np.uint64)
        source.fill(words)
        return [int(word) for word in words.view(f"u{bits // 8}")[:size]]

    words = fresh(count, strips.bits)
    mask = strips.cells.width - 1
    places = [word & mask for word in fresh(count, 64)] if strips.apart else []
    places = places or [word >> 16 & mask for word in words]
    drawn, doubtful = [0] * count, []
    for lane, (word, place) in enumerate(zip(words, places, strict=True)):
        cell = int(strips.cells.table[word & 0xFFFF])
        drawn[lane] = cell * (mask + 1) + place
        if word >= int(strips.entries[word & 0xFFFF]):
            doubtful.append(lane)
    if not doubtful:
        return drawn
    cells = {lane: int(strips.cells.table[words[lane] & 0xFFFF]) for lane in doubtful}
    unclear = [lane for lane in doubtful if cells[lane] < CLEAR]
    left, lows, highs = strips.cells.enclose(64)
    for lane, more in zip(unclear, fresh(len(unclear), 64), strict=True):
        uniform = (words[lane] & 0xFFFF) << 48 | more >> 16
        cells[lane] = sum(high <= uniform for high in highs) - 1 - left
        assert not any(low <= uniform < high for low, high in zip(lows, highs, strict=True))
    again = []
    for lane, more in zip(doubtful, fresh(len(doubtful), 64), strict=True):
        v = words[lane] >> (strips.bits - strips.keep) << (64 - strips.keep) | more >> strips.keep
        drawn[lane] = cells[lane] * (mask + 1) + places[lane]
        with mpmath.workprec(PRECISION):
            if mpmath.ldexp(v, -64) >= chance(strips, cells[lane], places[lane]):
                again.append(lane)
    for lane, redrawn in zip(again, twin(strips, len(again), source) if again else [], strict=True):
        drawn[lane] = redrawn
    return drawn


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize("spread", ["1/3", "1", "24", "25", "64"])
def test_integers_are_the_same_function_of_their_words_as_in_plain_python(
    family: str, spread: str
) -> None:
    """Sixteen bits each; where they are not clear, 48 more: U against the boundaries at 64 bits."""
    strips = Strips(weights(family, Fraction(spread)))
    count = 40_001
    drawn = np.zeros(count, np.int64)
    strips.sample(Draws(drawn), UnsafeSeededBits(9))
    source = UnsafeSeededBits(9)
    prefixes = []
    for size in (32_768, count - 32_768):
        words = np.zeros(-(-size // 4), np.uint64)
        source.fill(words)
        prefixes += words.view(np.uint16)[:size].tolist()
    left, lows, highs = strips.cells.enclose(64)
    unclear = [lane for lane in range(count) if strips.cells.table[prefixes[lane]] < CLEAR]
    more = np.zeros(len(unclear), np.uint64)
    source.fill(more)
    rest = dict(zip(unclear, more.tolist(), strict=True))
    for lane, prefix in enumerate(prefixes):
        uniform = prefix << 48 | rest.get(lane, 0) >> 16
        cell = bisect_right(highs, uniform)
        assert drawn[lane] == cell - 1 - left
        assert lows[cell] > uniform
    assert unclear


@pytest.mark.parametrize(
    ("family", "spread", "zeros"), [("laplace", 2**57, 140), ("gaussian", 2**58, 800)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_draw_beyond_64_bits_is_kept_as_a_python_integer(
    family: str, spread: int, zeros: int, sign: int
) -> None:
    """U or 1 - U starts with so many zeros that the cell lies beyond 2^63: 64 of them in the word
    and its continuation, then 64, 128, 256, … until a bit of the other kind."""
    strips = Strips(weights(family, Fraction(spread)))
    answers: dict[int, list[int]] = {}
    held = 64
    while held < zeros:
        turn = 1 << (2 * held - zeros - 1) if 2 * held > zeros else 0
        answers[held] = [turn if sign < 0 else (1 << held) - 1 - turn]
        held *= 2
    usual = int(Lanes(strips, [(0, 7, 0)]).words[0])
    fills = [[0 if sign < 0 else 0xFFFF, usual], [5, 7], [0 if sign < 0 else 2**64 - 1], [0]]
    source = Answering(answers, fills=fills)
    draws = Draws(np.zeros(2, np.int64))
    strips.sample(draws, source)
    assert source.finished
    assert set(draws.wide) == {0}
    wide = draws.wide[0]
    assert not -(2**63) <= wide < 2**63
    assert sign * wide > 0
    assert wide % strips.cells.width == 5
    assert abs(float(strips.weights.exponent(wide)) - zeros * np.log(2)) < 8
    assert draws.result(None).tolist() == [wide, 7]
    with pytest.raises(OverflowError, match="without out="):
        draws.result(draws.array)


@pytest.mark.parametrize("spread", [2**40, 2**57])
@pytest.mark.parametrize("keep", [True, False])
def test_a_place_beyond_the_table_is_kept_or_drawn_anew(spread: int, keep: bool) -> None:
    """U starts with 95 zeros at 2^40 (within 64 bits), with 127 at 2^57 (beyond).  V decides
    between the place 5 of that cell and a new draw, here place 9 of the cell 3."""
    strips = Strips(LaplaceWeights(Fraction(spread)))
    with mpmath.workprec(PRECISION):  # for Laplace noise the same in every cell left of zero
        boundary = int(mpmath.floor(mpmath.ldexp(chance(strips, -4000, 5), 64)))
    v = boundary - 1 if keep else boundary + 1
    lanes, again = Lanes(strips, [(0, 5, v)]), Lanes(strips, [(3, 9, 0)])
    first = int(lanes.words[0]) >> 16 << 16
    fills = [[first], [5], [0], [v << strips.keep & (2**64 - 1)], again.words, [9]]
    if not strips.apart:
        del fills[5], fills[1]
    source = Answering({64: [1 << 32 if spread == 2**40 else 1]}, fills=fills)
    draws = Draws(np.zeros(1, np.int64))
    strips.sample(draws, source)
    drawn = draws.wide.get(0, int(draws.array[0]))
    if keep:
        assert drawn < -strips.cells.reach * strips.cells.width
        assert drawn % strips.cells.width == 5
        assert (drawn < -(2**63)) == (spread == 2**57) == bool(draws.wide)
    else:
        assert drawn == value(strips, 3, 9)
        assert not draws.wide
        assert source.finished


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize(
    "spread", [Fraction(1, 3), Fraction(7, 2), Fraction(1000), Fraction(2**57)]
)
def test_descending_encloses_the_weights(family: str, spread: Fraction) -> None:
    law = weights(family, spread)
    for start, step in ((0, 1), (1, 4)):
        with mpmath.workprec(PRECISION):
            terms = zip(range(200), descending(law, start, step, 128), strict=False)
            for index, (low, high, ratio) in terms:
                at, after = start + index * step, start + (index + 1) * step
                weight = mpmath.exp(-real(law.exponent(at)))
                assert low <= mpmath.ldexp(weight, 128) <= high <= low + 3 * (index + 1) ** 2 + 4
                fall = real(law.exponent(after) - law.exponent(at))
                assert mpmath.ldexp(mpmath.exp(-fall), 128) <= ratio


@pytest.mark.parametrize("spread", [2**-30, 2**-10, Fraction(1, 10**400)])
def test_a_tiny_spread_is_zero_and_underflows_nowhere(spread: Fraction) -> None:
    with np.errstate(all="raise"):
        for law in (LaplaceWeights(Fraction(spread)), GaussianWeights(Fraction(spread) ** 2)):
            draws = Draws(np.ones(1000, np.int64))
            Strips(law).sample(draws, UnsafeSeededBits(1))
            assert not draws.array.any()


@pytest.mark.parametrize("size", [0, 1, 2, 32_767, 32_768, 32_769, 65_537])
@pytest.mark.parametrize("spread", [1, 1000, 2**40, 2**50])
def test_every_size_is_filled_without_a_float_exception(spread: int, size: int) -> None:
    untouched = 2**62 + 12345
    with np.errstate(all="raise"):
        for law in (LaplaceWeights(Fraction(spread)), GaussianWeights(Fraction(spread) ** 2)):
            draws = Draws(np.full(size, untouched, np.int64))
            Strips(law).sample(draws, UnsafeSeededBits(size))
            assert not (draws.array == untouched).any()
