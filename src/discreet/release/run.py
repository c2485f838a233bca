"""Run and noise, the only steps that follow the charge, and the rows made of what was released."""

import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor, inf, isnan, nan
from typing import Any

from discreet.engines.base import Engine
from discreet.measures.counts import counted_part
from discreet.measures.measure import GroupIntegers, Measure, Unit
from discreet.measures.strategies import ReleasedCells
from discreet.noise import BitSource
from discreet.plan.calendar import (
    FIRST_DAY,
    FIRST_SECOND,
    LAST_DAY,
    LAST_SECOND,
    Dated,
    dated_number,
    released_number,
)
from discreet.plan.expressions import (
    Absolute,
    Applied,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Constant,
    Either,
    Floored,
    Missing,
    Named,
    Negated,
    Node,
    lowered,
    names_in,
    replaced,
    with_operands,
)
from discreet.privacy.estimates import (
    BoundedError,
    Estimate,
    FloatInterval,
    LinearError,
    Payment,
    RankError,
    computed,
)
from discreet.privacy.number_functions import (
    ABSOLUTE,
    DECIMAL_LOGARITHM,
    EXPONENTIAL,
    FLOOR,
    LOGARITHM,
    SQUARE_ROOT,
    NumberFunction,
    clipping,
    power,
)
from discreet.privacy.uncertainty import (
    PartOf,
    added_bounds,
    as_float,
    divided_bounds,
    multiplied_bounds,
    scaled_bounds,
    widest_quotient,
    within_bounds,
)
from discreet.question.check import Question
from discreet.question.groupings import (
    BinGrouping,
    Grouping,
    Label,
    PrivateGrouping,
    dated_labels,
)
from discreet.question.query import PostProcessing
from discreet.release.caps import CapEffects
from discreet.release.consistent import nonnegative_columns
from discreet.release.exports import ColumnType, column_type
from discreet.release.kept_answer import NoisyMeasurements
from discreet.release.price import Price, PricedKeySelection
from discreet.release.top_groups import (
    Cells,
    public_cells,
    shown_by_noise,
    shown_part,
    widened,
)
from discreet.release.windows import ordered_places, window_column

Facts = Mapping[Node, FloatInterval]
"""Between which bounds expressions lie where a condition is true."""
_NO_FACTS: Facts = {}
FUNCTIONS_OF_NUMBERS: Mapping[str, NumberFunction] = {
    "SQRT": SQUARE_ROOT,
    "LN": LOGARITHM,
    "LOG10": DECIMAL_LOGARITHM,
    "EXP": EXPONENTIAL,
}
Row = Mapping[str, Any]
"""What the names of one group's row stand for: estimates of outputs, labels of groups."""
Group = tuple[Label, ...]


@contextmanager
def _collecting_later() -> Iterator[None]:
    """No search for rings of objects while many are made: it takes half of the time of it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@_collecting_later()
def run_and_noise(
    question: Question, price: Price, engine: Engine, bits: BitSource
) -> NoisyMeasurements:
    """Measure the question and add the noise that was paid for.  Every cell gets a fresh draw."""
    cells: Cells | None = None
    selected: tuple[int, ...] | None = None
    if price.selection is not None:
        mechanism = price.selection.mechanism
        sieve = mechanism.sieve(bits) if engine.sieves else None
        candidates = engine.candidates(question, sieve, price.key_share)
        chosen = mechanism(candidates.counts, source=bits, sieve=sieve)
        cells = candidates.released(chosen.kept)
        if price.selection.answers is not None and chosen.counts is not None:
            selected = tuple(int(count) for count in chosen.counts)
    if price.choice is not None and cells != ():
        found = engine.measure(question, (price.choice.top.score,), cells, price.choice.unit)
        places = price.choice.chosen(found.of[price.choice.top.score], bits)
        if selected is not None:
            selected = tuple(selected[place] for place in places)
        if cells is None:
            cells = public_cells(question, places)
        else:
            cells = tuple(cells[place] for place in places)
    measured = engine.measure(
        question,
        tuple(priced_measure.measure for priced_measure in price.priced),
        cells,
        price.unit,
    )
    released = tuple(
        tuple(
            int(number)
            for number in priced_measure.mechanism.release(
                measured.of[priced_measure.measure], bits
            )
        )
        for priced_measure in price.priced
    )
    return NoisyMeasurements(released, cells, selected, measured.rows)


_ENDS: dict[str, tuple[int, int]] = {
    "CALENDAR": (FIRST_DAY, LAST_DAY),
    "MOMENT": (FIRST_SECOND, LAST_SECOND),
}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def rows_kept(after: PostProcessing, rows: Sequence[Row]) -> list[int]:
    """The places of the rows that are shown, in their order."""
    places = _kept_places(after, rows)
    keys = [[evaluated(node, row) for row in rows] for node, _ in after.order]
    places = ordered_places(places, keys, [falling for _, falling in after.order])
    last = None if after.limit is None else after.offset + after.limit
    return places[after.offset : last]


def _kept_places(after: PostProcessing, rows: Sequence[Row]) -> list[int]:
    """The places of the rows that HAVING keeps."""
    having = after.having
    places = range(len(rows))
    if having is None:
        return list(places)
    return [place for place in places if evaluated(having, rows[place]) is True]


def with_windows(after: PostProcessing, rows: Sequence[Row]) -> list[Row]:
    """The rows with what is computed for each group from several of those that are kept."""
    places = _kept_places(after, rows)
    kept, found = [rows[place] for place in places], [dict(row) for row in rows]
    for name, window in after.windows:
        numbers = [computed_column(window.number, row) for row in kept]
        keys = [[evaluated(node, row) for row in kept] for node, _ in window.order]
        column = window_column(window, kept, numbers, keys)
        for row in found:
            row[name] = None
        for place, number in zip(places, column, strict=True):
            found[place][name] = number
    return list(found)


def computed_column(node: Node, row: Row) -> Estimate:
    """A released number, or one that is computed from several, with its error."""
    absent: dict[str, Node] = {
        name: Constant(None) for name in names_in([node]) if row[name] is None
    }
    if absent:  # the first group has none before it
        node = replaced(node, absent)
    estimate = row[node.name] if isinstance(node, Named) else _joint(node, row)
    if isinstance(estimate, Estimate):  # also a date, which is computed with as its day
        return estimate
    names = names_in([node])
    if not any(isinstance(row[name], Estimate) for name in names):  # of groups alone
        beside = next(one for one in row.values() if isinstance(one, Estimate))
        found = evaluated(node, row)
        unpaid = [replace(beside, releases=(), note="")]
        if found is None:
            return computed(nan, BoundedError(lambda _: (-inf, inf)), unpaid)
        return computed(found, LinearError(()), unpaid)
    node, parts = _parted(node, row)
    reached = evaluated(node, parts)
    number = nan if reached is None else reached
    estimates = [parts[name] for name in sorted(parts)]
    if any(isinstance(part.error, RankError) for part in estimates):
        return computed(number, RankError(inf), estimates)

    def noise(confidence: Fraction) -> FloatInterval:
        each = 1 - (1 - confidence) / len(parts)
        ends = {name: _numbers(one.noise_interval(each)) for name, one in parts.items()}
        return _interval(node, ends) or (-inf, inf)

    def truth(confidence: Fraction) -> FloatInterval:
        each = 1 - (1 - confidence) / len(parts)
        ends = {name: _numbers(one.interval(each)) for name, one in parts.items()}
        return _interval(node, ends) or (-inf, inf)

    known = all(part.truth is None for part in estimates)
    bounded = None if known else BoundedError(truth)
    return computed(number, BoundedError(noise), estimates, bounded)


def _parted(node: Node, row: Row) -> tuple[Node, dict[str, Estimate]]:
    """The expression over estimates of its parts, as few as possible: each has its own interval.

    Parts are sums, products and quotients whose joint law is known, or the released numbers.
    """
    parts: dict[Node, str] = {}
    found: dict[str, Estimate] = {}

    def over_parts(inner: Node) -> Node:
        if isinstance(inner, Named) and isinstance(row[inner.name], Estimate):
            found[inner.name] = row[inner.name]
            return inner
        estimate = _joint(inner, row)
        if isinstance(estimate, Estimate):
            name = parts.setdefault(inner, f"part {len(parts)}")
            found.setdefault(name, estimate)
            return Named(name)
        return with_operands(inner, over_parts)

    rewritten = over_parts(node)
    names = sorted(one for one in names_in([node]) if isinstance(row[one], Estimate))
    if len(names) < len(found):
        return node, {name: row[name] for name in names}
    return rewritten, found


def _numbers(ends: tuple[Any, Any]) -> FloatInterval:
    """Both ends of an interval as numbers: a date is its day, a datetime its second."""
    low, high = (float(released_number(end) or 0) if isinstance(end, str) else end for end in ends)
    return low, high


def evaluated(node: Node, row: Row) -> Any:
    """The value of an expression of released numbers; None where it is missing."""
    match node:
        case Named(name):
            return _released(row[name])
        case Constant(Fraction() as number):
            return number.numerator if number.denominator == 1 else float(number)
        case Constant(constant):
            return constant
        case Calculation("/") if isinstance(quotient := _joint(node, row), Estimate):
            return _released(quotient)
        case Calculation(operator, left, right):
            return _calculated(operator, evaluated(left, row), evaluated(right, row))
        case Compared(operator, left, right):
            first, second = evaluated(left, row), evaluated(right, row)
            return None if None in (first, second) else _COMPARISONS[operator](first, second)
        case Both(left, right):
            return _all(evaluated(left, row), evaluated(right, row))
        case Either(left, right):
            return _not(_all(_not(evaluated(left, row)), _not(evaluated(right, row))))
        case Negated(operand):
            return _not(evaluated(operand, row))
        case Missing(operand):
            return evaluated(operand, row) is None
        case Chosen(condition, then, otherwise):
            return evaluated(then if evaluated(condition, row) is True else otherwise, row)
        case Applied() if (simpler := lowered(node)) is not None:
            return evaluated(simpler, row)
        case Applied("CALENDAR" | "MOMENT" as function, operand):
            inner, (first, last) = evaluated(operand, row), _ENDS[function]
            return floor(inner) if inner is not None and first <= inner < last + 1 else None
        case Absolute(operand) | Floored(operand) | Clipped(operand) | Applied(operand=operand):
            inner = evaluated(operand, row)
            return None if inner is None else _not_missing(_function(node).value(inner))
    raise TypeError(f"{type(node).__name__} is refused before anything is released")


def _function(node: Absolute | Floored | Clipped | Applied) -> NumberFunction:
    """The function of a released number that a node asks for."""
    match node:
        case Absolute():
            return ABSOLUTE
        case Floored():
            return FLOOR
        case Clipped(_, low, high):
            return clipping(low, high)
        case Applied("POWER", _, (Fraction() as exponent,)):
            return power(exponent)
    return FUNCTIONS_OF_NUMBERS[node.function]


def _not_missing(number: Any) -> Any:
    return None if isinstance(number, float) and isnan(number) else number


def _released(found: Any) -> Any:
    """A label, or an estimate's value; a date is its day, and NaN is missing."""
    plain = found.value if isinstance(found, Estimate) else found
    if isinstance(found, Estimate) and isinstance(plain, str):
        return released_number(plain)
    return _not_missing(plain)


def _calculated(operator: str, left: Any, right: Any) -> Any:
    if left is None or right is None or (operator == "/" and right == 0):
        return None
    try:
        match operator:
            case "+":
                result = left + right
            case "-":
                result = left - right
            case "*":
                result = left * right
            case "/":
                result = left / right
            case _:
                raise TypeError(f"{operator} is refused before anything is released")
    except OverflowError:
        return None
    return _not_missing(result)


def _all(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if None in (left, right) else True


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _joint(node: Node, row: Row) -> Estimate | Fraction | None:
    """A number by the joint law of the released ones that it is computed from; None without one.

    That is a sum of released numbers times constants, and a product or quotient of two such, which
    may again be multiplied, or have a constant added to it.
    """
    match node:
        case Named(name):
            found = row[name]
            numeric = isinstance(found, Estimate) and not isinstance(found.value, str)
            return found if numeric else None
        case Constant(Fraction() as number):
            return number
        case Calculation(operator, left, right):
            first = _joint(left, row)
            second = _joint(_without_guard(right) if operator == "/" else right, row)
            if first is None or second is None:
                return None
            if isinstance(first, Estimate) and isinstance(second, Estimate):
                known = [isinstance(one.error, LinearError) for one in (first, second)]
                return _combined(operator, first, second) if all(known) else None
            if operator == "/" and second == 0:
                return None
            return _combined(operator, first, second)
    return None


def _without_guard(divisor: Node) -> Node:
    """The number in NULLIF(number, 0): a divisor that is not positive has its own rule."""
    match divisor:
        case Chosen(Compared("=", number, Constant(Fraction(numerator=0))), Constant(None), same):
            return number if number == same else divisor
    return divisor


def expected_margin(
    node: Node, row: Row, counts: Collection[str], expected: int | None, confidence: Fraction
) -> tuple[float | None, bool]:
    """The margin of a number that is computed from sums, and whether there is one.

    A quotient with one of the ``counts`` below it is a share or a mean, whose margin depends on how
    many are ``expected`` to be counted there: without that it is None.  Nothing else that is not a
    sum has one.
    """
    if not names_in([node]) <= set(row):
        return None, False
    found = _joint(node, row)
    if isinstance(found, Estimate) and isinstance(found.error, LinearError):
        low, high = found.error.interval(0, confidence)
        return max(-low, high), True
    match node:
        case Calculation("*", Constant(Fraction() as factor), inner):
            margin, known = expected_margin(inner, row, counts, expected, confidence)
        case Calculation("*", inner, Constant(Fraction() as factor)):
            margin, known = expected_margin(inner, row, counts, expected, confidence)
        case Calculation("/", inner, Constant(Fraction() as divisor)) if divisor:
            factor = 1 / divisor
            margin, known = expected_margin(inner, row, counts, expected, confidence)
        case Calculation("/", left, right):
            return _expected_quotient(left, right, row, counts, expected, confidence)
        case _:
            return None, False
    return None if margin is None else abs(float(factor)) * margin, known


def _expected_quotient(
    left: Node,
    right: Node,
    row: Row,
    counts: Collection[str],
    expected: int | None,
    confidence: Fraction,
) -> tuple[float | None, bool]:
    top, bottom, divisor = _joint(left, row), None, _without_guard(right)
    if isinstance(divisor, Named) and divisor.name in counts:
        bottom = _joint(divisor, row)
    if not isinstance(top, Estimate) or not isinstance(bottom, Estimate):
        return None, False
    if not isinstance(top.error, LinearError) or not isinstance(bottom.error, LinearError):
        return None, False
    widest = widest_quotient(top.error, bottom.error, expected or 1, confidence)
    return (None, False) if widest is None else (widest if expected else None, True)


def _combined(operator: str, first: Any, second: Any) -> Estimate | Fraction:
    result: Estimate | Fraction
    match operator:
        case "+":
            result = first + second
        case "-":
            result = first - second
        case "*":
            result = first * second
        case _:
            result = first / second
    return result


def _interval(
    node: Node, ends: Mapping[str, FloatInterval], facts: Facts = _NO_FACTS
) -> FloatInterval | None:
    """Between which numbers an expression lies while its parts do; None where it is missing.

    ``facts`` are what holds where a condition is true.
    """
    found = _image(node, ends, facts)
    return found if found is None or node not in facts else within_bounds(found, facts[node])


def _image(node: Node, ends: Mapping[str, FloatInterval], facts: Facts) -> FloatInterval | None:
    match node:
        case Named(name):
            return ends[name]
        case Constant(Fraction() as number):
            return as_float(number), as_float(number)
        case Calculation(operator, left, right):
            first, second = _interval(left, ends, facts), _interval(right, ends, facts)
            if first is None or second is None:
                return None
            match operator:
                case "+":
                    return added_bounds(first, second)
                case "-":
                    return added_bounds(first, scaled_bounds(second, Fraction(-1)))
                case "*":
                    return multiplied_bounds(first, second)
                case _:
                    return divided_bounds(first, second)
        case Absolute(operand) | Floored(operand) | Clipped(operand) | Applied(operand=operand):
            inner = _interval(operand, ends, facts)
            return None if inner is None else _function(node).bounds(inner)
        case Chosen(condition, then, otherwise):
            truth = _certain(condition, ends)
            known_then = {**facts, **_where_true(condition, ends)}
            sides = [
                None if truth is False else _interval(then, ends, known_then),
                None if truth is True else _interval(otherwise, ends, facts),
            ]
            known = [side for side in sides if side is not None]
            if not known:
                return None
            return min(side[0] for side in known), max(side[1] for side in known)
    return None


def _where_true(condition: Node, ends: Mapping[str, FloatInterval]) -> Facts:
    """Where both sides of a comparison lie if it is true: neither is then missing."""
    match condition:
        case Compared("<" | "<=" | ">" | ">=" as operator, left, right):
            least, most = (left, right) if operator in ("<", "<=") else (right, left)
            below, above = _interval(least, ends), _interval(most, ends)
            if below is None or above is None:
                return {}
            return {least: (-inf, above[1]), most: (below[0], inf)}
    return {}


def _certain(condition: Node, ends: Mapping[str, FloatInterval]) -> bool | None:
    """Whether a condition holds, where that is the same for all numbers between the bounds."""
    match condition:
        case Compared(operator, left, right):
            first, second = _interval(left, ends), _interval(right, ends)
            if first is None or second is None:
                return None
            return _compared(operator, first, second)
        case Both(left, right):
            return _all(_certain(left, ends), _certain(right, ends))
        case Either(left, right):
            return _not(_all(_not(_certain(left, ends)), _not(_certain(right, ends))))
        case Negated(operand):
            return _not(_certain(operand, ends))
    return None


def _compared(operator: str, first: FloatInterval, second: FloatInterval) -> bool | None:
    match operator:
        case "<":
            return True if first[1] < second[0] else False if first[0] >= second[1] else None
        case "<=":
            return True if first[1] <= second[0] else False if first[0] > second[1] else None
        case ">":
            return _compared("<", second, first)
        case ">=":
            return _compared("<=", second, first)
    apart = first[1] < second[0] or second[1] < first[0]
    if operator == "=":
        return False if apart else None
    return True if apart else None


@_collecting_later()
def groups_and_estimates(
    question: Question,
    price: Price,
    noisy: NoisyMeasurements,
    payment: Payment,
    effects: CapEffects | None = None,
) -> tuple[tuple[Group, ...], dict[str, tuple[Estimate, ...]]]:
    """The groups and, for each output, an estimate in each of them."""
    groups = _groups(question, noisy)
    integers = {
        measure: _integers(measure, question, price, noisy, len(groups))
        for measure in question.measures
    }
    columns = {
        output.name: price.estimates(output, integers[output.measure], payment, noisy.rows, effects)
        for output in question.outputs
    }
    if question.after.nonnegative:
        columns = nonnegative_columns(question, columns)
    declare_parts(question, price.unit, columns)
    if replace(question.after, nonnegative=False) == PostProcessing():
        return groups, columns
    names, groupings = [name for name, _ in question.keys], [one for _, one in question.keys]
    comparable = [_comparable(one) for one in groupings]
    rows: list[Row] = [
        {name: known(label) for name, known, label in zip(names, comparable, group, strict=True)}
        | {name: found[place] for name, found in columns.items()}
        for place, group in enumerate(groups)
    ]
    if question.after.windows:
        rows = with_windows(question.after, rows)
    positions = rows_kept(question.after, rows)
    if question.after.whole:  # what is computed from all groups stands in each of them
        positions = positions[:1]
    shown_columns = question.after.columns or tuple((name, Named(name)) for name in columns)
    shown = {
        name: tuple(computed_column(node, rows[place]) for place in positions)
        for name, node in shown_columns
    }
    part = shown_part(question, len(positions), len(rows))
    for name in shown_by_noise(question):
        shown[name] = tuple(widened(estimate, part) for estimate in shown[name])
    if question.after.whole:
        return ((),) * len(positions), shown
    return tuple(groups[place] for place in positions), shown


def typical_columns(
    question: Question,
    price: Price,
    noisy: NoisyMeasurements,
    payment: Payment,
    effects: CapEffects | None,
    shown: int,
) -> dict[str, tuple[Estimate, ...]]:
    """The columns as they are before groups are left out, where those that are ``shown`` tell less.

    Of made-up groups, where none was found: what a column is follows from what is asked.
    """
    after = question.after
    left_out = after.having is not None or after.limit is not None or after.offset
    if shown and not (left_out and after.windows):
        return {}
    if noisy.cells == ():
        noisy = _made_up(question, price)
    whole = replace(after, having=None, order=(), limit=None, offset=0)
    asked = replace(question, after=whole)
    return groups_and_estimates(asked, price, noisy, payment, effects)[1]


def _made_up(question: Question, price: Price) -> NoisyMeasurements:
    """As many groups as a window takes together, of no rows, in the place of what was found."""
    windows = [window for _, window in question.after.windows]
    steps = [window.steps for window in windows]
    steps += [abs(end) for window in windows for end in window.frame if end is not None]
    many = 2 + max(steps) if windows else 1
    sizes = [
        many if isinstance(one, PrivateGrouping) else min(many, one.size)
        for _, one in question.keys
    ]
    cells = tuple(product(*(map(str, range(size)) for size in sizes)))
    zeros = tuple((0,) * (len(cells) * one.measure.width) for one in price.priced)
    found = price.selection
    shared = found is not None and found.answers is not None
    return NoisyMeasurements(
        zeros, cells, (found.released.far,) * len(cells) if found is not None and shared else None
    )


_DATED = {
    Dated.DAYS: ColumnType.DAY,
    Dated.SECONDS: ColumnType.MOMENT,
    Dated.TIME: ColumnType.TIME,
}


def key_type(question: Question, name: str) -> tuple[ColumnType, bool]:
    """The type of a key, and whether the totals of tables leave gaps in it."""
    place = [one for one, _ in question.keys].index(name)
    grouping, strategy = question.keys[place][1], question.strategy
    gaps = strategy is not None and any(place not in keys for keys in strategy.tables)
    dated = dated_labels(grouping)
    if dated:
        return _DATED[dated], gaps
    if isinstance(grouping, PrivateGrouping):
        return ColumnType.TEXT, gaps
    return column_type(grouping.labels), gaps


def declare_parts(
    question: Question, unit: Unit, columns: Mapping[str, Sequence[Estimate]]
) -> None:
    """Let numbers that were measured apart know which of them is a part of which."""
    outputs = [one for one in question.outputs if one.aggregate.statistic.adds_up]
    for one, other in product(outputs, repeat=2):
        most = None if one.measure == other.measure else counted_part(one, other, unit)
        if not most:
            continue
        # People over a cap are weighed by the groups that count: in parts they weigh more.
        same = other.measure.cap_name == "max_rows" or unit.group_share == 1
        for part, whole in zip(columns[one.name], columns[other.name], strict=True):
            own, others = part.error, whole.error
            if not isinstance(own, LinearError) or not isinstance(others, LinearError):
                continue
            if same or whole.truth is None:
                PartOf(own.times(1 / most), others).declare()


class _BinLabel(str):
    """The label of a bin, which comes before those of the bins above it."""

    place: int

    def __lt__(self, other: str) -> bool:
        return self.place < other.place if isinstance(other, _BinLabel) else str(self) < other


def _comparable(grouping: Grouping) -> Callable[[Label], Any]:
    """A group's label as it is compared: a date is its day, a datetime its second.

    Bins are in the order of their edges.  A total has none.
    """
    if isinstance(grouping, BinGrouping):
        bins: dict[Label, Label] = {}
        for place, label in enumerate(grouping.labels):
            bins[label] = one = _BinLabel(label)
            one.place = place
        return lambda label: bins.get(label, label)
    dated = dated_labels(grouping)
    return lambda label: dated_number(label, dated) if dated and label is not None else label


def _groups(question: Question, noisy: NoisyMeasurements) -> tuple[Group, ...]:
    if question.strategy is not None:
        return tuple(
            group for keys in question.strategy.tables for group in _of_table(question, keys)
        )
    if noisy.cells is None:
        labels = [
            grouping.labels
            for _, grouping in question.keys
            if not isinstance(grouping, PrivateGrouping)
        ]
        return tuple(product(*labels))
    known = [
        None if isinstance(grouping, PrivateGrouping) else grouping.labels
        for _, grouping in question.keys
    ]
    return tuple(
        tuple(
            text if labels is None else labels[int(text)]
            for text, labels in zip(cell, known, strict=True)
        )
        for cell in noisy.cells
    )


def _of_table(question: Question, keys: Sequence[int]) -> Iterator[Group]:
    """The groups of one of the tables: None stands for all values of a key."""
    labels = [
        grouping.labels if place in keys and not isinstance(grouping, PrivateGrouping) else (None,)
        for place, (_, grouping) in enumerate(question.keys)
    ]
    return product(*labels)


def _integers(
    measure: Measure, question: Question, price: Price, noisy: NoisyMeasurements, groups: int
) -> list[GroupIntegers]:
    """What was released of a measure, group by group."""
    part = price.of(measure)
    if question.strategy is not None and not isinstance(part, PricedKeySelection):
        released = noisy.blocks[price.priced.index(part)]
        return ReleasedCells.of(question.strategy, released, measure.width, part.mechanism).cells()
    if isinstance(part, PricedKeySelection):
        integers = noisy.selected or ()
    else:
        integers = noisy.blocks[price.priced.index(part)]
    width = len(integers) // max(1, groups)  # what is released of a quantile was less once
    return [GroupIntegers(integers[place * width : (place + 1) * width]) for place in range(groups)]
