"""The naive twin of the engine: the same integers in plain Python, row by row, with fractions."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from hashlib import md5
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import ceil, floor, fmod, inf, isnan, isqrt, prod
from typing import Any

from discreet.exact import Rounding
from discreet.measures.counts import Distinct, Partition, People, Present, Rows, Size
from discreet.measures.extremes import Extreme
from discreet.measures.measure import Measure, Norm, Steps
from discreet.measures.moments import Moments
from discreet.measures.quantiles import Ranks
from discreet.measures.relations import Relations
from discreet.measures.strategies import ByStrategy
from discreet.measures.sums import FixedTotal, Total
from discreet.plan.expressions import (
    Absolute,
    Applied,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Constant,
    Converted,
    Either,
    Floored,
    Joined,
    Missing,
    Named,
    Negated,
    Node,
)
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn
from discreet.question.check import Question
from discreet.question.groupings import (
    BinGrouping,
    BooleanGrouping,
    Grouping,
    IntegerGrouping,
    ListedGrouping,
    PrivateGrouping,
)
from tests.support import function_twin as functions
from tests.support.measuring import Row, Vector
from tests.support.table_twins import matrix

Value = float | bool | str | None

# ---------------------------------------------------------------------- one value


def read(stored: object, column: Column) -> Value:
    """A stored value as the declaration says; what does not fit is missing."""
    if stored is None:
        return None
    if isinstance(column, NumberColumn) or (isinstance(column, CategoryColumn) and column.numeric):
        try:
            return known(float(stored))  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            return None
    shown = str(stored)
    if isinstance(column, BooleanColumn):
        return {"true": True, "false": False}.get(shown.lower())
    return shown


def known(value: float) -> float | None:
    return None if isnan(value) else value


def evaluate(node: Node, row: Mapping[str, Value]) -> Any:
    """An expression's value; None is missing, and logic has three values."""
    match node:
        case Named(name):
            return row[name]
        case Constant(value, _):
            return float(value) if isinstance(value, Fraction) else value
        case Calculation(operator, left, right):
            return _calculated(operator, evaluate(left, row), evaluate(right, row))
        case Compared(operator, left, right):
            return _compared(operator, evaluate(left, row), evaluate(right, row))
        case Both(left, right):
            sides = evaluate(left, row), evaluate(right, row)
            return False if False in sides else None if None in sides else True
        case Either(left, right):
            sides = evaluate(left, row), evaluate(right, row)
            return True if True in sides else None if None in sides else False
        case Negated(operand):
            truth = evaluate(operand, row)
            return None if truth is None else not truth
        case Missing(operand):
            return evaluate(operand, row) is None
        case Absolute(operand):
            size = evaluate(operand, row)
            return None if size is None else abs(size)
        case Floored(operand):
            size = evaluate(operand, row)
            return size if size is None or abs(size) == inf else float(floor(size))
        case Clipped(operand, low, high):
            size = evaluate(operand, row)
            return None if size is None else min(max(size, float(low)), float(high))
        case Chosen(condition, then, otherwise):
            return evaluate(then if evaluate(condition, row) is True else otherwise, row)
        case Applied(function, operand, parameters):
            return functions.applied(function, evaluate(operand, row), parameters)
        case Joined(left, right):
            texts = evaluate(left, row), evaluate(right, row)
            return None if None in texts else "".join(texts)
        case Converted(operand, to):
            return functions.converted(to, evaluate(operand, row))


def _calculated(operator: str, left: float | None, right: float | None) -> float | None:
    if left is None or right is None or (operator in "/%" and right == 0):
        return None
    if operator == "%":
        return None if abs(left) == inf else fmod(left, right)
    if operator == "/":
        return known(left / right)
    return known({"+": left + right, "-": left - right, "*": left * right}[operator])


def _compared(operator: str, left: Any, right: Any) -> bool | None:
    if left is None or right is None:
        return None
    return bool(
        {
            "=": left == right,
            "<>": left != right,
            "<": left < right,
            "<=": left <= right,
            ">": left > right,
            ">=": left >= right,
        }[operator]
    )


def place(value: Steps, row: Mapping[str, Value]) -> int | None:
    """floor(x·s + 1/2), clipped: product and sum are those of 64-bit floats, the rest is exact.

    What is rounded up or down is not shifted by a half.  A product differs from the exact one
    only where it underflows.
    """
    bounds = value.range
    size = evaluate(value.node, row)
    if size is None:
        return value.default
    if abs(size) == inf:
        return bounds.high if size > 0 else bounds.low
    scaled = Fraction(size) / bounds.grid.step
    if abs(scaled) >= 2**52:  # beyond every bound, where adding a half would round
        return bounds.high if scaled > 0 else bounds.low
    rounded = {
        Rounding.NEAREST: floor(Fraction(float(scaled) + 0.5)),
        Rounding.UP: ceil(float(scaled)),
        Rounding.DOWN: floor(float(scaled)),
    }[value.rounding]
    return min(max(rounded, bounds.low), bounds.high)


# ---------------------------------------------------------------------- one row


def group(grouping: Grouping, row: Mapping[str, Value]) -> int | str | None:
    """The place of a row's group among the public ones, its own text, or None."""
    value = evaluate(grouping.node, row)
    if value is None or isinstance(grouping, PrivateGrouping):
        return value
    match grouping:
        case ListedGrouping():
            return grouping.values.index(value) if value in grouping.values else None
        case BooleanGrouping(_, truths):
            return truths.index(value) if value in truths else None
        case IntegerGrouping(_, low, high):
            inside = low <= value <= high and value == floor(value)
            return int(value) - low if inside else None
        case BinGrouping(_, edges, _, left_out):
            number = len(edges) - 2 if value == edges[-1] else None
            for place, (lower, upper) in enumerate(pairwise(edges)):
                if lower <= value < upper:
                    number = place
            kept = [place for place in range(len(edges) - 1) if place not in left_out]
            return kept.index(number) if number in kept else None


def kept(
    table: Iterable[Row], question: Question, cells: Any = None
) -> list[tuple[str | None, int, dict[str, Value]]]:
    """Unit, cell and values of every row that is asked about and in a group."""
    declared = question.schema
    found = []
    for stored in table:
        row = {name: read(getattr(stored, name), one) for name, one in declared.columns.items()}
        if any(evaluate(condition, row) is not True for condition in question.where):
            continue
        if declared.by_person and stored.id is None:
            continue
        groups = [group(grouping, row) for _, grouping in question.keys]
        if None in groups:
            continue
        cell = _cell(groups, question, cells)
        if cell is not None:
            found += [(stored.id, cell, row)] * stored.times
    return found


def _cell(groups: list[Any], question: Question, cells: Any) -> Any:
    if cells == "texts":
        return tuple(map(str, groups))
    if cells is not None:
        return cells.index(tuple(map(str, groups))) if tuple(map(str, groups)) in cells else None
    sizes = [range(len(grouping.labels)) for _, grouping in question.keys]  # type: ignore[union-attr]
    return list(product(*sizes)).index(tuple(groups))


# ---------------------------------------------------------------------- blocks


def measure(
    table: Iterable[Row],
    question: Question,
    blocks: Iterable[Measure],
    cells: Any = None,
    norm: Norm = Norm.L1,
) -> dict[Measure, Vector]:
    """What the engine should make of the same rows."""
    rows = kept(table, question, cells)
    many = len(cells) if cells is not None else question.cells or 0
    return {
        block: _together(block, rows, question, norm)
        if isinstance(block, ByStrategy)
        else _block(block, rows, question, many, norm)
        for block in blocks
    }


def _together(block: ByStrategy, rows: list[Any], question: Question, norm: Norm) -> Vector:
    """A matrix times the sums of the finest cells, part after part."""
    strategy = block.strategy
    many = prod(strategy.sizes)
    sums, width = _block(block.inner, rows, question, many, norm), block.width
    found: Vector = {}
    for part in range(width):
        cells = [sums[cell * width + part] for cell in range(many)]
        for row in matrix(strategy):
            found[len(found)] = sum(a * b for a, b in zip(row, cells, strict=True))
    return found


def ranked(
    table: Iterable[Row], question: Question, scores: Iterable[Measure], cells: Any = None
) -> dict[Measure, Vector]:
    """The score of every group, weighed by a person's rows in that group alone."""
    rows = kept(table, question, cells)
    many, declared = len(cells) if cells is not None else question.cells or 0, question.schema
    caps = [one for one in (declared.max_rows, declared.max_rows_per_group) if one is not None]
    held = Counter((unit, cell) for unit, cell, _ in rows)
    found: dict[Measure, Vector] = {}
    for score in scores:
        sums: Vector = dict.fromkeys(range(many), 0)
        if isinstance(score, People):
            there = score.node
            pairs = {(u, c) for u, c, row in rows if there is None or evaluate(there, row) is True}
            for _, cell in pairs:
                sums[cell] += 1
        else:
            for unit, cell, row in rows:
                [part] = _parts(score)(row)
                whole = _share(2**30, min(caps), held[unit, cell]) if declared.by_person else 1
                sums[cell] += whole * part
        found[score] = sums
    return found


def _share(share: int, cap: int, count: int) -> int:
    return floor(Fraction(share * cap, max(count, cap)))


def _squared_share(share: int, cap: int, squares: int) -> int:
    """The largest weight whose square times the squares is at most share²·cap."""
    return isqrt(floor(Fraction(share**2 * cap, max(squares, cap))))


def squared_cap(question: Question) -> int:
    """The largest sum of squares of the rows in each group within the caps, found by trying all."""
    declared = question.schema
    rows = declared.max_rows or 0
    in_group = min(rows, declared.max_rows_per_group or rows) if question.keys else rows
    groups = min([rows, declared.max_groups or rows, question.cells or rows])
    held = combinations_with_replacement(range(in_group + 1), groups)
    return max(sum(m * m for m in one) for one in held if sum(one) <= rows)


def _block(
    block: Measure, rows: list[Any], question: Question, many: int, norm: Norm = Norm.L1
) -> Vector:
    person = question.schema.by_person
    if isinstance(block, People):
        return _people(rows, question, many, norm)
    if isinstance(block, Distinct):
        return _distinct(block, rows, question, many)
    whole = 1 if not person else 2**20 if isinstance(block, Ranks | Extreme) else 2**30
    held = Counter(unit for unit, _, _ in rows)
    squares: Counter[Any] = Counter()
    for (unit, _), number in Counter((unit, cell) for unit, cell, _ in rows).items():
        squares[unit] += number**2
    in_squares = norm is Norm.L2 and not isinstance(block, Ranks | Extreme)
    cap = squared_cap(question) if in_squares and person else 0
    weights: dict[Any, int] = {}

    def weight(unit: str | None) -> int:
        if not person:
            return 1
        if unit not in weights:
            weights[unit] = (
                _squared_share(whole, cap, squares[unit])
                if in_squares
                else _share(whole, question.unit.row_cap, held[unit])
            )
        return weights[unit]

    if isinstance(block, Ranks | Extreme):
        ranks: Vector = Counter()
        for unit, cell, row in rows:
            step = place(block.value, row)
            if step is not None:
                above = step - block.value.range.low
                smallest = isinstance(block, Extreme) and not block.largest
                ranks[cell, block.value.range.width - above if smallest else above] += weight(unit)
        return dict(ranks)
    parts = _parts(block)
    width = len(parts(dict.fromkeys(question.schema.columns)))
    sums: Vector = dict.fromkeys(range(many * width), 0)
    for unit, cell, row in rows:
        for number, part in enumerate(parts(row)):
            sums[cell * width + number] += weight(unit) * part
    return sums


def _parts(block: Measure) -> Callable[[Mapping[str, Value]], list[int]]:
    """What one row of weight one adds."""

    def moments(block: Moments, row: Mapping[str, Value]) -> list[int]:
        width, step = block.value.range.width, place(block.value, row)
        whole = width**2 if block.squares else width
        if step is None:
            return [0] * (2 + block.squares) + [whole] * block.rows
        x = step - block.value.range.low
        found = [(width - x) ** 2, 2 * x * (width - x), x**2] if block.squares else [x, width - x]
        return found + [0] * block.rows

    def partition(nodes: tuple[Node, ...], rest: bool, row: Mapping[str, Value]) -> list[int]:
        """1 for the first of the expressions that has a value, else for the rest."""
        has = [evaluate(node, row) is not None for node in nodes]
        first = has.index(True) if any(has) else len(nodes)
        return [int(number == first) for number in range(len(nodes) + rest)]

    def relations(block: Relations, row: Mapping[str, Value]) -> list[int]:
        """Of every two columns the products of (w-x)², 2x(w-x), x² and the same of the other."""
        found = [place(one, row) for one in block.values]
        cells = []
        sizes = {
            (a, b): (block.values[a].range.width * block.values[b].range.width) ** 2
            for a, b in combinations(range(len(found)), 2)
        }
        most = max(sizes.values()) * (1 if len(sizes) == 1 else 256)
        for (a, b), size in sizes.items():
            one, two = found[a], found[b]
            if None in found or one is None or two is None:
                cells += [0] * 9
                continue
            x, w = one - block.values[a].range.low, block.values[a].range.width
            y, v = two - block.values[b].range.low, block.values[b].range.width
            cells += [
                most // size * p * q
                for p in ((w - x) ** 2, 2 * x * (w - x), x**2)
                for q in ((v - y) ** 2, 2 * y * (v - y), y**2)
            ]
        return cells

    match block:
        case Rows() | Size():
            return lambda row: [1]
        case Present(node):
            return lambda row: [int(evaluate(node, row) is not None)]
        case Partition(nodes, rest):
            return lambda row: partition(nodes, rest, row)
        case Total(value) | FixedTotal(value):
            return lambda row: [place(value, row) or 0]
        case Moments():
            return lambda row: moments(block, row)
        case Relations():
            return lambda row: relations(block, row)
    raise TypeError(type(block).__name__)


def _people(rows: list[Any], question: Question, many: int, norm: Norm = Norm.L1) -> Vector:
    pairs = {(unit, cell) for unit, cell, _ in rows}
    groups = Counter(unit for unit, _ in pairs)
    cap = question.unit.group_cap
    whole = 1 if question.cells is not None and cap >= question.cells else 2**30
    sums: Vector = dict.fromkeys(range(many), 0)
    share = _squared_share if norm is Norm.L2 else _share
    for unit, cell in pairs:
        sums[cell] += share(whole, cap, groups[unit])
    return sums


def _distinct(block: Distinct, rows: list[Any], question: Question, many: int) -> Vector:
    values = {(unit, cell, evaluate(block.node, row)) for unit, cell, row in rows}
    held = {one for one in values if one[2] is not None}
    if question.schema.by_person:
        held = _first(held, question.unit.row_cap)
    sums: Vector = dict.fromkeys(range(many), 0)
    for cell, _ in {(cell, value) for _, cell, value in held}:
        sums[cell] += 1
    return sums


def _first(held: set[Any], cap: int) -> set[Any]:
    """The cap's worth of each person's entries, by a hash of the person and the entry."""

    def order(one: Any) -> Any:
        return md5("\x1f".join(map(str, one)).encode()).hexdigest(), one[1:]

    chosen = set()
    for unit in {one[0] for one in held}:
        chosen |= set(sorted((one for one in held if one[0] == unit), key=order)[:cap])
    return chosen


def candidates(table: Iterable[Row], question: Question, share: int | None = None) -> Vector:
    """How many units hold each combination of keys that occurs, or what they add to it."""
    return held_keys(kept(table, question, "texts"), question, share)


def held_keys(rows: list[Any], question: Question, share: int | None) -> Vector:
    """The units of each combination of keys; with a share, the weights that their keys have."""
    if not question.schema.by_person:
        return dict(Counter(cell for _, cell, _ in rows))
    held = _first({(unit, *cell) for unit, cell, _ in rows}, question.unit.group_cap)
    if share is None:
        return dict(Counter(one[1:] for one in held))
    many, weights = Counter(one[0] for one in held), Counter()
    for unit, *cell in held:
        weights[tuple(cell)] += isqrt(share**2 // many[unit])
    return dict(weights)
