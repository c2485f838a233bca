"""Numbers of a group that are computed from released numbers of several: sums, changes, ranks."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import inf, nan
from typing import Any

from discreet.privacy.estimates import Estimate, FloatInterval, computed, summed
from discreet.privacy.uncertainty import BoundedError
from discreet.question.query import GroupWindow

Places = Sequence[int]


def window_column(
    window: GroupWindow,
    rows: Sequence[Mapping[str, Any]],
    numbers: Sequence[Estimate],
    keys: Sequence[Sequence[Any]],
) -> list[Estimate | None]:
    """The window's number of every group; None where it has none, as a change has at the start.

    ``numbers`` are what the window is of, or what decides the rank; ``keys`` are the values by
    which groups are ordered, from the first to the last of ORDER BY.
    """
    column: list[Estimate | None] = [None] * len(rows)
    for places in _parts(window, rows):
        ordered = ordered_places(places, keys, [falling for _, falling in window.order])
        for place, number in zip(ordered, _along(window, ordered, numbers, keys), strict=True):
            column[place] = number
    return column


def ordered_places(
    places: Places, keys: Sequence[Sequence[Any]], falling: Sequence[bool]
) -> list[int]:
    """Places by their keys.

    Those with the same key stay in their order, and those without one come last.
    """
    found = list(places)
    for key, down in zip(reversed(keys), reversed(falling), strict=True):
        known = [place for place in found if key[place] is not None]
        missing = [place for place in found if key[place] is None]
        found = [*sorted(known, key=key.__getitem__, reverse=down), *missing]
    return found


def _parts(window: GroupWindow, rows: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """The places of the groups that are taken together."""
    parts: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(rows):
        parts.setdefault(tuple(row[name] for name in window.apart), []).append(place)
    return list(parts.values())


def _along(
    window: GroupWindow,
    places: Places,
    numbers: Sequence[Estimate],
    keys: Sequence[Sequence[Any]],
) -> Sequence[Estimate | None]:
    taken = [numbers[place] for place in places]
    count = len(places)
    match window.function:
        case "LAG" | "LEAD":
            steps = -window.steps if window.function == "LAG" else window.steps
            there = [at + steps for at in range(count)]
            return [taken[at] if 0 <= at < count else None for at in there]
        case "FIRST_VALUE":
            return [taken[0]] * count
        case "RANK":
            return _ranks(taken, [keys[0][place] for place in places], window.order[0][1])
    if not window.order or window.frame == (None, None):
        return [_together(window, taken)] * count
    before, behind = window.frame
    first = [0 if before is None else max(0, at + before) for at in range(count)]
    end = [count if behind is None else max(0, at + behind + 1) for at in range(count)]
    return [_together(window, taken[first[at] : end[at]]) for at in range(count)]


def _together(window: GroupWindow, parts: Sequence[Estimate]) -> Estimate | None:
    if not parts:
        return None
    if window.function == "COUNT":  # of groups, which are known
        return replace(parts[0] * 0 + len(parts), releases=(), note="")
    total = summed(parts)
    return total / len(parts) if window.function == "AVG" else total


def _ranks(
    numbers: Sequence[Estimate], values: Sequence[Any], falling: bool
) -> list[Estimate | None]:
    """The place of each number among all, with where it is if all intervals hold at once.

    A number is surely before another where their intervals are apart.
    """
    known = sorted(value for value in values if value is not None)
    found: list[Estimate | None] = []
    noise, truth = (_rank_bounds(numbers, falling, noise=one) for one in (True, False))
    same = all(one.truth is None for one in numbers)
    for at, value in enumerate(values):
        before = len(known) - bisect_right(known, value) if falling else bisect_left(known, value)
        rank = nan if value is None else before + 1
        error = BoundedError(lambda level, at=at: noise(level)[at])  # type: ignore[misc]
        beyond = BoundedError(lambda level, at=at: truth(level)[at])  # type: ignore[misc]
        found.append(computed(rank, error, [numbers[at]], None if same else beyond))
    return found


def _rank_bounds(
    numbers: Sequence[Estimate], falling: bool, *, noise: bool
) -> Callable[[Fraction], list[FloatInterval]]:
    """For a confidence the least and the largest rank of each number."""

    @lru_cache(maxsize=4)
    def bounds(level: Fraction) -> list[FloatInterval]:
        each = 1 - (1 - level) / len(numbers)
        ends = [
            (one.noise_interval(each) if noise else one.interval(each)) if one.bounded else None
            for one in numbers
        ]
        lows = sorted(-inf if one is None else one[0] for one in ends)
        highs = sorted(inf if one is None else one[1] for one in ends)
        count = len(ends)
        found: list[FloatInterval] = []
        for one in ends:
            low, high = (-inf, inf) if one is None else one
            surely_above = count - bisect_right(lows, high)
            surely_below = bisect_left(highs, low)
            first, last = (surely_above, surely_below) if falling else (surely_below, surely_above)
            found.append((1 + first, count - last))
        return found

    return bounds
