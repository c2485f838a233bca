"""Counts that are moved on request, so that none is below 0 and their totals still agree.

All of it is computed from released numbers, and so it is free.  Whole numbers stay whole, and the
same released numbers are always moved in the same way.  Why it is done so, and what it costs:
docs/decisions/nonnegative_counts.md
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.measures.measure import Output, sentence_list
from discreet.privacy.estimates import BoundedError, Estimate, FloatInterval
from discreet.privacy.number_text import plural
from discreet.question.check import Question
from discreet.question.consistency import tables_within
from discreet.question.groupings import label_text
from discreet.question.query import GroupingSets, RunningTotal

Integers = NDArray[Any]
"""Of 64 bits, or of any size where these might not hold a sum of them."""
Keys = tuple[int, ...]
_BITS = 60
_LEAN = "Small groups lean upward, large ones downward"
_INTERVAL = "The interval is that of the measurement, cut at 0 and widened to the number shown."


def nonnegative_columns(
    question: Question, columns: Mapping[str, tuple[Estimate, ...]]
) -> dict[str, tuple[Estimate, ...]]:
    """The columns of a question with its counts moved."""
    found = dict(columns)
    for output in question.outputs:
        if is_moved(output):
            measured = found[output.name]
            values = [one.value for one in measured]
            note = moved_note(question, output)
            found[output.name] = tuple(
                moved(one, value, note)
                for one, value in zip(
                    measured, nonnegative_counts(question, output, values), strict=True
                )
            )
    return found


def is_moved(output: Output) -> bool:
    """Whether an output counts something: of other numbers nobody knows which are too low."""
    return output.aggregate.statistic.counts and not output.measure.free


def nonnegative_counts(question: Question, output: Output, values: Sequence[Any]) -> list[Any]:
    """The counts of all groups in the order of the answer, moved."""
    strategy = question.strategy
    if strategy is None:
        return [value if value > 0 else type(value)(0) for value in values]
    step, whole = _in_steps(values)
    arranged = question.query.arranged
    if isinstance(arranged, RunningTotal):
        found = _series(whole, strategy.sizes, arranged.key, apart=output.by_group)
    else:
        sizes = strategy.sizes
        ends = np.cumsum([prod(sizes[key] for key in keys) for keys in strategy.tables])
        tables = {
            keys: part.reshape([sizes[key] for key in keys])
            for keys, part in zip(strategy.tables, np.split(whole, ends[:-1]), strict=True)
        }
        made = nonnegative_tables(tables)
        found = np.concatenate([made[keys].ravel() for keys in strategy.tables])
    numbers: list[Any] = found.tolist()
    return numbers if step is None else [float(step * number) for number in numbers]


def _in_steps(values: Sequence[Any]) -> tuple[int | None, Integers]:
    """Whole numbers, and in which steps; None where they are whole by themselves.

    Noise beyond what floats hold is rounded to larger steps, of which all numbers are multiples.
    """
    step = None
    if not all(isinstance(value, int) for value in values):
        step = gcd(*map(int, values)) or 1
    whole = [int(value) // (step or 1) for value in values]
    largest = max(map(abs, whole), default=0) * (len(whole) + 1)
    return step, np.array(whole, dtype=np.int64 if largest < 1 << _BITS else object)


def moved(measured: Estimate, value: Any, note: str) -> Estimate:
    """The estimate of a number that was moved after it was measured.

    Its error is no longer a sum of draws, so that arithmetic takes bounds of both numbers at once.
    """

    def around(bounds: Callable[[Fraction], FloatInterval]) -> BoundedError:
        return BoundedError(lambda confidence: _widened(bounds(confidence), value))

    return replace(
        measured,
        value=value,
        error=around(measured.noise_interval),
        truth=None if measured.truth is None else around(measured.interval),
        note=f"{measured.note} {note}".lstrip(),
        moved=value - measured.value,
    )


def _widened(interval: FloatInterval, value: Any) -> FloatInterval:
    """What of an interval is not below 0, and the number shown.

    Where nothing of it is, it reaches from 0 as far as to one side of what was measured: an
    interval of 0 alone would look exact.
    """
    low, high = interval
    if high <= 0:
        width = high - low
        low, high = 0, (width + 1) // 2 if isinstance(width, int) else width / 2
    return min(max(low, 0), value), max(high, value)


# ---------------------------------------------------------------------- tables with totals


def nonnegative_tables(tables: Mapping[Keys, Integers]) -> dict[Keys, Integers]:
    """Tables of which none has a number below 0, and all totals agree.

    The grand total is kept, or 0.  It is shared out to the smallest table, each number of that to
    the next one that has its keys, and so on to the table with all keys: each time as near as can
    be to what was measured.  All other tables are sums of its cells.
    """
    chain = tables_within(tuple(tables))
    full = chain[-1]
    total = max(int(tables[full].sum()), 0)
    made = np.array(total, dtype=tables[full].dtype)
    for inner, keys in pairwise(chain):
        made = _shared_out(made, inner, tables[keys], keys)
    return {
        keys: made.sum(axis=tuple(place for place, key in enumerate(full) if key not in keys))
        for keys in tables
    }


def _shared_out(totals: Integers, inner: Keys, measured: Integers, keys: Keys) -> Integers:
    """A table of which each total is that of a smaller one, as near as can be to what it was."""
    order = [keys.index(key) for key in inner]
    order += [place for place, key in enumerate(keys) if key not in inner]
    turned = measured.transpose(order)
    rows = turned.reshape(totals.size, -1)
    shares = nearest_shares(rows, totals.ravel()).reshape(turned.shape)
    return shares.transpose(np.argsort(order))


def nearest_shares(measured: Integers, totals: Integers) -> Integers:
    """For each row the nearest numbers, none below 0, that add up to its total.

    The nearest real ones are max(m - λ, 0) for one λ.  The nearest whole ones lie at most one
    above max(m - ⌊λ⌋ - 1, 0): those that are above ⌊λ⌋ are all equally good to be one more.
    """
    ordered = -np.sort(-measured, axis=1)
    beyond = np.cumsum(ordered, axis=1) - totals[:, None]
    many = np.arange(1, measured.shape[1] + 1)
    kept = np.maximum((ordered * many > beyond).sum(axis=1), 1)
    level = np.take_along_axis(beyond, kept[:, None] - 1, axis=1) // kept[:, None]
    shares = np.maximum(measured - level - 1, 0)
    left = totals - shares.sum(axis=1)
    places = _scattered(measured.size).reshape(measured.shape)
    places = np.where(measured > level, places, np.iinfo(np.uint64).max)
    chosen = np.zeros(measured.shape, dtype=np.int64)
    first = (many[None, :] <= left[:, None]).astype(np.int64)
    np.put_along_axis(chosen, np.argsort(places, axis=1, kind="stable"), first, axis=1)
    found: Integers = shares + chosen
    return found


def _scattered(count: int) -> NDArray[np.uint64]:
    """A fixed number for every place, all different and in no order that a table has.

    Of equally good cells the first by these get one more: in the order of the cells themselves all
    of those would be in the first groups, and margins would be off by many.  The numbers are the
    mixing function of SplitMix64, which is one to one.
    """
    mixed = (np.arange(count, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return found


# ---------------------------------------------------------------------- running totals


def _series(whole: Integers, sizes: Sequence[int], key: int, *, apart: bool) -> Integers:
    """All running totals along a key, or the groups by themselves, in the order of the answer."""
    table = np.moveaxis(whole.reshape(sizes), key, -1)
    totals = np.cumsum(table, axis=-1) if apart else table
    rows = [rising_totals(row) for row in totals.reshape(-1, sizes[key]).tolist()]
    made = np.array(rows, dtype=whole.dtype).reshape(totals.shape)
    if apart:
        made = np.diff(made, axis=-1, prepend=made.dtype.type(0) if made.dtype != object else 0)
    return np.moveaxis(made, -1, key).ravel()


def rising_totals(measured: Sequence[int]) -> list[int]:
    """The nearest whole numbers that never fall and are not below 0; the last one is kept, or 0.

    Neighbors that fall are replaced by their mean again and again.  To round these means, and then
    to cut them at 0 and at the last total, gives the nearest whole numbers within those bounds.
    """
    *before, last = measured
    last = max(last, 0)
    blocks: list[tuple[int, int]] = []
    for number in before:
        block, many = number, 1
        while blocks and blocks[-1][0] * many > block * blocks[-1][1]:
            earlier = blocks.pop()
            block, many = block + earlier[0], many + earlier[1]
        blocks.append((block, many))
    found = []
    for block, many in blocks:
        mean = (2 * block + many) // (2 * many)
        found += [min(max(mean, 0), last)] * many
    return [*found, last]


# ---------------------------------------------------------------------- what is said of it


def moved_note(question: Question, output: Output) -> str:
    """How an output was moved, in which direction, and what its interval is."""
    arranged = question.query.arranged
    if isinstance(arranged, RunningTotal):
        name = label_text(question.keys[arranged.key][0])
        what = f"the totals along {name} never fall and none is below 0; the last one is kept"
        lean = _LEAN if output.by_group else "Early totals lean upward, late ones downward"
    elif isinstance(arranged, GroupingSets) and question.strategy is not None:
        what = "no count is below 0, and all totals agree; the grand total is kept"
        inner = [keys for keys in tables_within(question.strategy.tables)[1:-1] if keys]
        names = [sentence_list([label_text(question.keys[key][0]) for key in one]) for one in inner]
        if names:
            what += f", and those by {', then those by '.join(names)} are moved least"
        lean = _LEAN
    else:
        what, lean = "a count below 0 is shown as 0", "Small groups lean upward, and so do sums"
    return f"moved to be non-negative: {what}. {lean}. {_INTERVAL}"


def moved_notes(question: Question) -> list[tuple[str, str]]:
    """What a plan says of each output that will be moved."""
    moving = partial(moved_note, question)
    return [(one.name, moving(one)) for one in question.outputs if is_moved(one)]


def left_as_measured(question: Question) -> list[str]:
    """Which outputs are not moved beside those that are."""
    names = [one.name for one in question.outputs if not is_moved(one)]
    if not names:
        return []
    return [f"{', '.join(names)}: as measured; only counts are moved to be non-negative."]


def sizes_of_moves(groups: Sequence[tuple[Any, ...]], found: Sequence[Estimate]) -> str:
    """By how much the groups of a column were moved, and their totals."""
    moves: dict[bool, list[float]] = {True: [], False: []}
    for group, one in zip(groups, found, strict=True):
        if one.moved is not None:
            moves[None in group].append(abs(one.moved))
    cells, totals = moves[False], moves[True]
    if not any(cells) and not any(totals):
        return "no number had to be moved to be non-negative."
    parts = []
    if cells:
        many = sum(move > 0 for move in cells)
        size = f"by {sum(cells):,.6g} in all and by {max(cells):,.6g} at most"
        verb = "was" if many == 1 else "were"
        parts.append(f"{many:,} of {plural(len(cells), 'group')} {verb} moved, {size}")
    if totals:
        parts.append(f"totals were moved by {max(totals):,.6g} at most")
    return f"{'; '.join(parts)}."
