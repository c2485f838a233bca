"""How the groups of a question are measured together: a cube of tables, or running totals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import ceil, comb, prod

from discreet.errors import QueryError, Remedy
from discreet.exact import rational
from discreet.measures.measure import Aggregate
from discreet.measures.registry import ROWS
from discreet.measures.strategies import Strategy
from discreet.mechanisms.residual_tables import ResidualTables
from discreet.mechanisms.running_totals import RunningTotals
from discreet.plan.calendar import Dated
from discreet.plan.expressions import (
    Calculation,
    Chosen,
    Clipped,
    Constant,
    Missing,
    Named,
    Node,
    expression_text,
    replaced,
)
from discreet.plan.schema import MOST_KEYS, Column
from discreet.plan.types import Kind, check_expression
from discreet.question.builder import Distribution
from discreet.question.groupings import (
    BinGrouping,
    Grouping,
    IntegerGrouping,
    ListedGrouping,
    PrivateGrouping,
)
from discreet.question.query import (
    Arrangement,
    GroupingSets,
    GroupKey,
    GroupWindow,
    PostProcessing,
    Query,
    RunningTotal,
)

MOST_TABLES = 10_000
"""The most tables of a cube."""
_MOST_ADDED = 10_000
"""The most groups that are added up one after the other."""
_MOST_SUMS = 10**9
_COUNTED = {Kind.NUMBER: Dated.NOT, Kind.DATE: Dated.DAYS, Kind.TIME: Dated.TIME}

Keyed = tuple[tuple[str, Grouping], ...]


def strategy_of(query: Query, arranged: Arrangement, keys: Keyed) -> Strategy:
    """The strategy for the groups of a question, or a refusal with what would be one."""
    _check_listed(query, keys)
    sizes = tuple(
        1 if isinstance(grouping, PrivateGrouping) else grouping.size for _, grouping in keys
    )
    if isinstance(arranged, GroupingSets):
        _check_cells(arranged.sets, keys, sizes)
        weights = arranged.weights or (Fraction(1),) * len(arranged.sets)
        return ResidualTables(sizes, arranged.sets, weights)
    name, grouping = keys[arranged.key]
    dated = isinstance(grouping, ListedGrouping) and not isinstance(grouping.values[0], str)
    if not isinstance(grouping, IntegerGrouping | BinGrouping) and not dated:
        raise QueryError(
            f"running totals are asked by {name[:60]!r}, whose groups have no order. Every group "
            "is added to those before it. Use whole numbers, dates or bins."
        )
    _check_series(name, sizes, arranged.key)
    return RunningTotals(sizes, arranged.key)


def cube_of(
    before: Sequence[GroupKey],
    keys: int,
    ways: int | None,
    weights: Mapping[int, object] | None,
) -> GroupingSets:
    """The tables of a cube of so many keys, by up to so many of them; ``before`` is what was asked.

    Weights are those of all tables by as many keys.
    """
    if before or keys == 0:
        raise QueryError(
            "cube is asked without keys, or after group_by. It has tables by all of its keys, by "
            "some of them, and by none. Name all of them in it.",
            Remedy(
                python='Write .cube("x", "y", ways=2).',
                sql="Write GROUP BY CUBE (x, y).",
            ),
        )
    if ways is not None and (type(ways) is not int or not 0 < ways <= keys):
        raise QueryError(
            f"ways is {ways!r:.40}, and the cube has {keys:,} keys. It says by how many of them a "
            "table is at most.",
            Remedy(python=f"Write ways={min(2, keys)}.", sql="Write GROUP BY CUBE (x, y)."),
        )
    tables = subsets(keys, ways)
    if not weights:
        return GroupingSets(tables)
    if not isinstance(weights, Mapping):
        raise QueryError(
            f"weights got a {type(weights).__name__}. They say of tables by how many keys the "
            "variance counts for how much.",
            Remedy(python="Write weights={0: 10, 1: 2}.", sql="Leave weights out."),
        )
    stated = {}
    for many, weight in weights.items():
        number = rational(weight, f"the weight of tables by {many} keys")
        if type(many) is not int or not 0 <= many <= len(tables[0]) or number <= 0:
            raise QueryError(
                f"a weight of {many!r:.40} is {weight!r:.40}. It is above 0, and for tables by so "
                f"many keys, of which there are those by 0 to {len(tables[0])}.",
                Remedy(python="Write weights={0: 10, 1: 2}.", sql="Leave weights out."),
            )
        stated[many] = number
    return GroupingSets(tables, tuple(stated.get(len(one), Fraction(1)) for one in tables))


def running_total_of(query: Query, key: str | None) -> RunningTotal:
    """Running totals along a key, the last one unless it is stated."""
    names = [one.name for one in query.keys]
    if query.arranged is not None or not names or (key is not None and key not in names):
        raise QueryError(
            f"cumulative is asked{'' if key is None else f' by {key[:60]!r}'} of what is not "
            "grouped by it alone. Groups are added up in the order of a key.",
            Remedy(
                python='Write .group_by("x").cumulative().',
                sql="Write SUM(COUNT(*)) OVER (ORDER BY x) with GROUP BY x.",
            ),
        )
    return RunningTotal(len(names) - 1 if key is None else names.index(key))


def distribution_of(
    query: Query, name: str, asked: Distribution, columns: Mapping[str, Column]
) -> Query:
    """The question for the share of rows up to each value of a column, for each group apart.

    The steps begin at the lower bound, and the last one ends at the upper bound.
    """
    derived: dict[str, Node] = {}
    for one, node in query.derived:
        derived[one] = replaced(node, derived)
    checked = check_expression(replaced(asked.node, derived), columns)
    low, high, text = checked.low, checked.high, expression_text(asked.node)
    if checked.kind not in _COUNTED or low is None or high is None:
        raise QueryError(
            f"the distribution of {text[:60]!r} is asked, which has no public bounds. Its steps go "
            "from the lower bound to the upper one.",
            Remedy(
                python=f"Declare bounds, or write .clip(0, 100) before .cdf(step={asked.step})."
            ),
        )
    edges: tuple[Fraction, ...] = ()
    if not checked.whole or asked.step != 1:
        steps = ceil((high - low) / asked.step)
        if steps > _MOST_ADDED:
            raise QueryError(
                f"the distribution of {text[:60]!r} has {steps:,} steps, and at most "
                f"{_MOST_ADDED:,} groups are added up one after the other.",
                Remedy(python=f"Write a step of {(high - low) / _MOST_ADDED} or more."),
            )
        edges = (*(low + step * asked.step for step in range(steps)), high)
    key = GroupKey(text, asked.node, edges, _COUNTED[checked.kind])
    apart = tuple(one.name for one in query.keys)
    total = GroupWindow("FIRST_VALUE", Named("rows"), apart, ((Named(text), True),))
    share = Clipped(Calculation("/", Named("rows"), Named("all_rows")), Fraction(0), Fraction(1))
    return replace(
        query,
        keys=(*query.keys, key),
        arranged=RunningTotal(len(query.keys)),
        outputs=(("rows", Aggregate(ROWS)),),
        after=PostProcessing(((name, share),), windows=(("all_rows", total),)),
        written="",
    )


def is_total(key: Named) -> Node:
    """GROUPING of a key: 1 in the tables where all of its values are counted together, else 0."""
    return Chosen(Missing(Named(key.name)), Constant(Fraction(1)), Constant(Fraction(0)))


def subsets(keys: int, ways: int | None = None) -> tuple[tuple[int, ...], ...]:
    """The tables of a cube of so many keys, by up to so many ``ways`` of them: the largest first.

    >>> subsets(2)
    ((0, 1), (0,), (1,), ())
    """
    most = keys if ways is None else ways
    if sum(comb(keys, many) for many in range(most + 1)) > MOST_TABLES:
        raise QueryError(
            f"a cube of {keys:,} keys has more than {MOST_TABLES:,} tables. Each of them is "
            "released.",
            Remedy(
                python="Ask for the tables by two of the keys: .cube(…, ways=2).",
                sql="Write GROUPING SETS with the tables that are needed.",
            ),
        )
    places = range(keys)
    return tuple(one for many in range(most, -1, -1) for one in combinations(places, many))


def _check_listed(query: Query, keys: Keyed) -> None:
    for key, (name, grouping) in zip(query.keys, keys, strict=True):
        if isinstance(grouping, PrivateGrouping):
            raise QueryError(
                f"the values of {name[:60]!r} are private, and groups that are measured together "
                "must be public: noise is added to each of them, also where nobody is. Find the "
                "values first, by a question that groups by this column alone with a δ, and then "
                "ask about those that were found.",
                Remedy(
                    python='Write dp.when(dp.col("x") == "found").then("found").otherwise("other") '
                    "or declare them: dp.category([…]).",
                    sql="Write CASE WHEN x = 'found' THEN 'found' ELSE 'other' END, or declare "
                    "them: { values = […] } in the policy.",
                ),
            ).at(key.place)


def _check_cells(sets: Sequence[tuple[int, ...]], keys: Keyed, sizes: tuple[int, ...]) -> None:
    if len(sets) > MOST_TABLES:
        raise QueryError(
            f"{len(sets):,} tables are asked for at once. Each is released, and at most "
            f"{MOST_TABLES:,} are. Ask for fewer."
        )
    by_ways: dict[int, int] = {}
    for one in sets:
        by_ways[len(one)] = by_ways.get(len(one), 0) + prod(sizes[place] for place in one)
    cells = sum(by_ways.values())
    if cells <= MOST_KEYS:
        return
    listed = "; ".join(
        f"by {ways} key{'' if ways == 1 else 's'} {many:,}"
        for ways, many in sorted(by_ways.items(), reverse=True)
    )
    fitting, together = -1, 0
    for ways in sorted(by_ways):
        together += by_ways[ways]
        fitting = ways if together <= MOST_KEYS else fitting
    names = ", ".join(f"{name[:60]} {size:,}" for (name, _), size in zip(keys, sizes, strict=True))
    fits = f"The tables by up to {fitting} of them would fit" if fitting >= 0 else "None would fit"
    raise QueryError(
        f"the tables have {cells:,} cells: {listed}. Every one of them is released, and at most "
        f"{MOST_KEYS:,} can be; the keys have so many values: {names}. {fits}; or use wider bins."
    )


def _check_series(name: str, sizes: tuple[int, ...], key: int) -> None:
    cells = prod(sizes)
    if sizes[key] <= _MOST_ADDED and cells <= MOST_KEYS and cells * sizes[key] <= _MOST_SUMS:
        return
    raise QueryError(
        f"running totals are asked of {cells:,} groups, {sizes[key]:,} of {name[:60]!r} one after "
        f"the other. At most {_MOST_ADDED:,} are added up, of {MOST_KEYS:,} in all, and as many "
        "sums are made as fit into a minute. Use wider bins, or fewer other keys."
    )
