"""Which aggregates of a question are measured together: the way with the least errors.

Why, and what is compared: docs/decisions/joint_moments.md
"""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from discreet.errors import QueryError
from discreet.measures.counts import (
    Partition,
    counted_node,
    counts_rows,
    flagged,
    implies,
    known_for,
    needed_for,
)
from discreet.measures.measure import (
    CheckedAggregate,
    Measure,
    MeasureContext,
    MeasureRules,
    Output,
    fills_missing,
)
from discreet.measures.moments import NEED_MOMENTS, shared_moments
from discreet.measures.sums import SUM
from discreet.plan.exclusion import RowFacts, facts_of
from discreet.plan.expressions import Node, read_size
from discreet.privacy.uncertainty import LinearError

_MOST_PARTS = 64
"""Of how many expressions a partition is made, so that its own is no larger than one may be."""


def ways(asked: Sequence[CheckedAggregate], rules: MeasureRules) -> Iterator[MeasureContext]:
    """All ways to measure what is asked that are worth comparing, the simplest one first."""
    needed = any(one.aggregate.statistic in NEED_MOMENTS for one in asked)
    all_rows = not rules.fixed and any(counts_rows(one, rules) for one in asked)
    # The counts of rows that key selection releases are free.
    apart = rules.selects_keys and not rules.by_person
    movable = all_rows and not needed and not apart
    pairs, first = _sums(asked, rules)
    families = _families(asked, rules)
    homes: list[tuple[list[Node], bool]] = [([], False)]
    if pairs:
        homes.append((pairs, False))
    if movable and first is not None:
        homes.append((pairs or [first], True))
    for summed, with_rows in homes:
        moments = _moments(asked, rules, summed, rows=all_rows and (needed or with_rows))
        rows = next(iter(moments.values())) if moments and (needed or with_rows) else None
        yield MeasureContext(asked, rules, moments, {}, rows)
        known = _counted_by(moments, asked, rules)
        left = [[node for node in family if node not in known] for family in families]
        left = [family for family in left if family]
        if left and all_rows and needed and not apart and not with_rows:
            parts = _parts(left, rest=True)
            rest = next(one for one in parts.values() if one.rest)
            alone = _moments(asked, rules, summed, rows=False)
            yield MeasureContext(asked, rules, alone, parts, rest)
        if any(len(family) > 1 for family in left):
            yield MeasureContext(asked, rules, moments, _parts(left), rows)
        if left and movable and not with_rows:
            parts = _parts(left, rest=True)
            rest = next(one for one in parts.values() if one.rest)
            yield MeasureContext(asked, rules, moments, parts, rest)


def least_regret(
    ways_measured: Sequence[tuple[Output, ...]], rules: MeasureRules
) -> tuple[Output, ...]:
    """The way whose worst output is the least worse than it could be, and of those the first.

    Every measure gets the same part of ε.  An output's error under a way is compared with its
    least error under all of them.
    """
    if len(ways_measured) == 1:
        return ways_measured[0]
    errors = [_errors(outputs, rules) for outputs in ways_measured]
    least = [min(several) for several in zip(*errors, strict=True)]

    def regret(place: int) -> Fraction:
        return max(
            (error / best for error, best in zip(errors[place], least, strict=True) if best),
            default=Fraction(1),
        )

    return ways_measured[min(range(len(errors)), key=regret)]


def _errors(outputs: Sequence[Output], rules: MeasureRules) -> list[Fraction]:
    """The variance of each output at ε = 1, up to a factor that is the same for all ways."""
    many = len({output.measure for output in outputs if not output.measure.free})
    return [_spread(output, rules) * many**2 for output in outputs]


def _spread(output: Output, rules: MeasureRules) -> Fraction:
    """The squares of the weights of its noise, times that of the noise's scale at ε = 1."""
    measure, unit = output.measure, rules.unit
    moved = Fraction(measure.sensitivity(unit).l1 or 0)
    if not output.aggregate.statistic.adds_up or not measure.reading.together:
        return moved**2
    _, error = measure.decoder(output, None, unit, None)([0] * measure.width)
    if not isinstance(error, LinearError):
        return moved**2
    return moved**2 * sum((weight**2 for weight, _ in error.terms), Fraction(0))


def _moments(
    asked: Sequence[CheckedAggregate],
    rules: MeasureRules,
    summed: Sequence[Node],
    *,
    rows: bool,
) -> dict[Node, Measure]:
    statistics = {one.aggregate.statistic for one in asked}
    if not summed and not statistics & set(NEED_MOMENTS):
        return {}
    return shared_moments(asked, rules, summed, rows=rows)


def _counted_by(
    moments: Collection[Node], asked: Sequence[CheckedAggregate], rules: MeasureRules
) -> set[Node]:
    """The expressions whose values are counted by moments: those that take no default."""
    return {
        one.typed.node
        for one in asked
        if one.typed is not None
        and one.typed.node in moments
        and not fills_missing(one.typed, rules)
    }


def _sums(asked: Sequence[CheckedAggregate], rules: MeasureRules) -> tuple[list[Node], Node | None]:
    """The expressions that are summed and counted, and the first that is summed."""
    if rules.fixed:
        return [], None
    summed = {
        one.typed.node: one.typed
        for one in asked
        if one.aggregate.statistic is SUM and one.typed is not None
    }
    means = {
        one.typed.node
        for one in asked
        if one.aggregate.statistic in NEED_MOMENTS and one.typed is not None
    }
    counted = {counted_node(one, rules) for one in asked}
    free = [node for node in summed if node not in means]
    pairs = [node for node in free if node in counted and not fills_missing(summed[node], rules)]
    return pairs, free[0] if free else None


def _families(asked: Sequence[CheckedAggregate], rules: MeasureRules) -> list[list[Node]]:
    """The expressions whose values are counted, in lists of those that one partition can have.

    Of two, no row has both, or one is there wherever the other is: the narrower one comes first.
    """
    nodes = dict.fromkeys(node for one in asked if (node := _counted(one, rules)) is not None)
    if len(nodes) + any(counts_rows(one, rules) for one in asked) < 2:
        return []
    known = [(node, facts_of(node), needed_for(node), known_for(node)) for node in nodes]
    found: list[list[tuple[Node, RowFacts, frozenset[Node], frozenset[Node]]]] = []
    for node, facts, needed, own in known:
        for family in found:
            fit = all(
                facts.exclude(others) or needs <= own or needed <= theirs
                for _, others, needs, theirs in family
            )
            if fit and _fits([*(other[0] for other in family), node]):
                family.append((node, facts, needed, own))
                break
        else:
            if _fits([node]):
                found.append([(node, facts, needed, own)])
    return [_narrower_first([one[0] for one in family]) for family in found]


def _counted(one: CheckedAggregate, rules: MeasureRules) -> Node | None:
    """The expression whose values are counted, also where a sum of ones counts them."""
    if one.aggregate.statistic is not SUM or one.typed is None or rules.fixed:
        return counted_node(one, rules)
    return None if fills_missing(one.typed, rules) else flagged(one.typed.node)


def _narrower_first(family: list[Node]) -> list[Node]:
    """Expressions in an order in which none comes after one that is there wherever it is.

    What implies another knows all that the other knows, and more.  Where to count conditions is
    enough the order is that of version 0.2.0, so that the keys of its answers are known.
    """
    if not any(implies(one, two) for one in family for two in family if one != two):
        return family
    ordered = sorted(family, key=lambda node: -len(needed_for(node)))
    if any(
        implies(later, one) and not implies(one, later)
        for place, one in enumerate(ordered)
        for later in ordered[place + 1 :]
    ):
        ordered.sort(key=lambda node: -len(known_for(node)))
    return ordered


def _fits(nodes: Sequence[Node]) -> bool:
    """Whether the expression of a partition is not too large."""
    if len(nodes) > _MOST_PARTS:
        return False
    try:
        read_size(Partition(tuple(nodes)).node)
    except QueryError:
        return False
    return True


def _parts(families: Sequence[Sequence[Node]], *, rest: bool = False) -> dict[Node, Partition]:
    """The partition of each list of two or more; the rest of the rows goes to the longest."""
    longest = max(families, key=len)
    parts: dict[Node, Partition] = {}
    for family in families:
        with_rest = rest and family is longest
        if len(family) > 1 or with_rest:
            partition = Partition(tuple(family), with_rest)
            parts |= dict.fromkeys(family, partition)
    return parts
