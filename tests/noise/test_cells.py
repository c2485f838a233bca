"""The law of the cell, by inversion: tables, floats and integers decide alike."""

from fractions import Fraction
from functools import cache, lru_cache

import mpmath
import numpy as np
import pytest

from discreet.noise.strip_tables import (
    _CELL_MARGIN,
    CLEAR,
    Cells,
    GaussianWeights,
    LaplaceWeights,
    Strips,
    Weights,
)
from tests.noise.reference import PRECISION, gaussian_boundaries, laplace_boundaries
from tests.support.scripted_bits import NeedMoreBits, Repeating, ScriptedBits, binary

SPREADS = [
    "1/3",
    "1",
    "7/2",
    "24",
    "25",
    "100",
    "1000",
    "65536",
    f"{2**20}",
    f"{2**40}",
    f"{2**56}",
]
CASES = [
    pytest.param(family, Fraction(spread), id=f"{family}-{spread}")
    for family in ("laplace", "gaussian")
    for spread in SPREADS
]
every_weight = pytest.mark.parametrize(("family", "spread"), CASES)


def weights(family: str, spread: Fraction) -> Weights:
    return LaplaceWeights(spread) if family == "laplace" else GaussianWeights(spread**2)


@cache
def prepared(family: str, spread: Fraction) -> Cells:
    cells = Strips(weights(family, spread)).cells
    # The slow path is asked often here, at few precisions.
    cells.enclose = lru_cache(cells.enclose)  # type: ignore[method-assign]
    return cells


@cache
def true_boundaries(family: str, spread: Fraction, reach: int) -> list[mpmath.mpf]:
    """The boundaries of the cells -reach … reach at 400 bits."""
    width = prepared(family, spread).width
    with mpmath.workprec(PRECISION):
        if family == "laplace":
            return laplace_boundaries(spread, width, reach)
        return gaussian_boundaries(spread**2, width, reach)


def cell_of(uniform: mpmath.mpf, boundaries: list[mpmath.mpf]) -> int:
    """The cell by definition: how many boundaries are not above U, from the middle one on."""
    low, high = 0, len(boundaries)
    while low < high:
        middle = (low + high) // 2
        if boundaries[middle] <= uniform:
            low = middle + 1
        else:
            high = middle
    return low - 1 - len(boundaries) // 2


@pytest.mark.slow
@every_weight
def test_float_boundaries_are_within_an_eighth_of_their_margin(
    family: str, spread: Fraction
) -> None:
    cells = prepared(family, spread)
    truth = true_boundaries(family, spread, cells.reach)
    with mpmath.workprec(PRECISION):
        errors = [
            abs(mpmath.mpf(float(found)) - true)
            for found, true in zip(cells.boundaries, truth, strict=True)
        ]
    assert max(errors) < _CELL_MARGIN / 8


@every_weight
def test_the_table_names_a_cell_only_where_all_of_the_prefix_lies_in_it(
    family: str, spread: Fraction
) -> None:
    """For all 65,536 prefixes, against boundaries at 400 bits."""
    cells = prepared(family, spread)
    truth = true_boundaries(family, spread, cells.reach)
    with mpmath.workprec(PRECISION):
        buckets = np.array([int(mpmath.floor(boundary * 65_536)) for boundary in truth])
    first = np.searchsorted(buckets, np.arange(65_536), "left")  # boundaries below the stretch
    crossed = np.searchsorted(buckets, np.arange(65_536), "right")  # and up to its end
    clear = cells.table >= CLEAR
    assert (first == crossed)[clear].all()
    assert (cells.table[clear] == first[clear] - 1 - cells.reach).all()
    # The others start their search at or before the right place, and are few.
    assert (cells.table[~clear].astype(int) + 32_768 <= first[~clear]).all()
    assert (~clear).mean() < 0.04


@every_weight
def test_words_planted_at_true_boundaries_are_decided_as_the_reference_decides(
    family: str, spread: Fraction
) -> None:
    cells = prepared(family, spread)
    truth = true_boundaries(family, spread, cells.reach)
    margin = int(_CELL_MARGIN * 2**64)
    chosen = np.unique(np.linspace(0, len(truth) - 1, 40).astype(int))
    words = set()
    with mpmath.workprec(PRECISION):
        for boundary in (truth[index] for index in chosen):
            centre = int(mpmath.floor(mpmath.ldexp(boundary, 64)))
            for offset in (-2, -1, 0, 1, 2):
                words.add(centre + offset)
                words.update(centre + sign * margin + (offset << 11) for sign in (-1, 1))
        planted = np.array(sorted(word for word in words if 0 < word < 2**64), np.uint64)
        prefixes = (planted >> np.uint64(48)).astype(np.int64)
        entries = cells.table[prefixes].astype(np.int64)
        clear = entries >= CLEAR
        for pattern in ("0", "1", "0110"):
            source = Repeating(pattern)
            expected = [
                cell_of(mpmath.ldexp(int(word) << 300 | source.bits(300), -364), truth)
                for word in planted
            ]
            decided = entries.copy()
            script = ScriptedBits([planted[~clear] << np.uint64(16)], then=source)
            decided[~clear] = cells.settle(entries[~clear], prefixes[~clear], script)
            outside = np.abs(np.array(expected) + 0.5) > cells.reach  # beyond the reference's list
            assert decided[~outside].tolist() == np.array(expected)[~outside].tolist()
            assert planted.size > 20


@pytest.mark.slow
@every_weight
def test_integers_enclose_every_boundary_and_only_just(family: str, spread: Fraction) -> None:
    cells = prepared(family, spread)
    for bits in (64, 128):
        left, lows, highs = cells.enclose(bits)
        truth = true_boundaries(family, spread, left)
        with mpmath.workprec(PRECISION):
            pairs = list(zip(lows, highs, truth, strict=False))
            assert len(lows) in (2 * left + 1, 2 * left + 2)  # one more cell may fit on the right
            assert all(low <= mpmath.ldexp(true, bits) <= high for low, high, true in pairs)
            assert max(high - low for low, high, _ in pairs) <= 2
        assert lows == sorted(lows)
        assert highs == sorted(highs)


@every_weight
def test_the_law_of_the_cell_is_exact_by_enumeration(family: str, spread: Fraction) -> None:
    """The cell grows with U, so the words at which it grows are its whole law.

    A draw is given 128 bits of U: a prefix, 48 bits, 64 bits.  For the cell h, bisection finds the
    last word that certainly leads below h and the first that certainly leads to h or above.  They
    are next to each other but for what 128 bits cannot tell, with the true boundary between.
    """
    cells = prepared(family, spread)

    def reached(word: int, cell: int) -> bool | None:
        prefix = word >> 112
        entry = int(cells.table[prefix])
        if entry >= CLEAR:
            return entry >= cell
        more, rest = word >> 64 & (2**48 - 1), word & (2**64 - 1)
        script = ScriptedBits([[more << 16]], bits=binary(rest, 64))
        try:
            found = cells.settle(np.array([entry]), np.array([prefix]), script)
        except NeedMoreBits:
            return None
        return bool(found[0] >= cell)

    def first(cell: int, certainly: bool) -> int:
        low, high = 0, 1 << 128
        while low < high:
            middle = (low + high) // 2
            outcome = reached(middle, cell)
            if outcome or (outcome is None and not certainly):
                high = middle
            else:
                low = middle + 1
        return low

    truth = true_boundaries(family, spread, cells.reach)
    for cell in sorted({0, 1, -1, cells.reach // 5, -cells.reach // 4}):
        if abs(cell) < cells.reach:
            boundary = truth[cell + cells.reach]
            with mpmath.workprec(PRECISION):
                position = mpmath.ldexp(boundary, 128)
                assert first(cell, certainly=False) <= position <= first(cell, certainly=True)
                assert first(cell, certainly=True) - first(cell, certainly=False) <= 3


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize(("word", "then"), [(0, "0" * 40 + "1"), (2**64 - 1, "1" * 40 + "0")])
def test_a_uniform_at_either_end_leads_beyond_the_table(family: str, word: int, then: str) -> None:
    """64 equal bits and 40 more: U or 1 - U is about 2^-105, so the cell is where that tail is."""
    cells = prepared(family, Fraction(2**40))
    follow = ScriptedBits(bits=then, then=Repeating("0110"))
    found = cells.settle(
        np.array([int(cells.table[word >> 48])]),
        np.array([word >> 48]),
        ScriptedBits([[word << 16 & (2**64 - 1)]], then=follow),
    )[0]
    assert abs(found) > cells.reach
    truth = true_boundaries(family, Fraction(2**40), abs(int(found)) + 3)
    middle = len(truth) // 2 + int(found)
    with mpmath.workprec(PRECISION):
        ends = (
            truth[middle : middle + 2] if word == 0 else [1 - b for b in truth[middle : middle + 2]]
        )
        assert min(ends) < mpmath.ldexp(1, -104)
        assert max(ends) > mpmath.ldexp(1, -106)


def test_a_bucket_with_many_boundaries_is_searched() -> None:
    """In the first and the last bucket hundreds of cells lie side by side."""
    for family in ("laplace", "gaussian"):
        cells = prepared(family, Fraction(1000))
        truth = true_boundaries(family, Fraction(1000), cells.reach)
        for prefix in (0, 65_535):
            more = np.arange(2**40, 2**48, 2**48 // 50 + 12345)
            entry = int(cells.table[prefix])
            found = cells.settle(
                np.full(more.size, entry),
                np.full(more.size, prefix),
                ScriptedBits([more.astype(np.uint64) << np.uint64(16)], then=Repeating("0110")),
            )
            with mpmath.workprec(PRECISION):
                expected = [
                    cell_of(mpmath.ldexp((prefix << 48) + int(part), -64), truth) for part in more
                ]
            assert found.tolist() == expected
            assert len(set(expected)) > 10
