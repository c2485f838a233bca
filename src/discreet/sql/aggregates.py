"""An aggregate or a group in the list of a SELECT ▶ nodes."""

import re
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from discreet.errors import BoundsError, PrivacyParameterError, QueryError
from discreet.plan.columns import date_text, day, read_edges
from discreet.plan.expressions import Constant, Named, Node, shown
from discreet.plan.query import Aggregate, Statistic
from discreet.plan.schema import ROW
from discreet.sql.parse import given, not_offered, written
from discreet.sql.text import number_of, read

AGGREGATES = (
    "COUNT(*), COUNT(x), COUNT(DISTINCT x), PEOPLE(), ROWS(), SUM, AVG, VAR_POP, STDDEV_POP, MIN, "
    "MAX, MEDIAN and QUANTILE(x, 0.9)"
)
_COUNTS = {Statistic.ROWS, Statistic.PEOPLE, Statistic.COUNT}

# VAR and STDDEV are the mean squared distance and its root: beside noise, n - 1 says nothing.
_OF_ONE: dict[type[exp.Expr], Statistic] = {
    exp.Sum: Statistic.SUM,
    exp.Avg: Statistic.MEAN,
    exp.Variance: Statistic.VARIANCE,
    exp.VariancePop: Statistic.VARIANCE,
    exp.Stddev: Statistic.DEVIATION,
    exp.StddevPop: Statistic.DEVIATION,
    exp.StddevSamp: Statistic.DEVIATION,
    exp.Min: Statistic.LEAST,
    exp.Max: Statistic.MOST,
}
_NAMED = {
    "MEAN": Statistic.MEAN,
    "VAR": Statistic.VARIANCE,
    "STD": Statistic.DEVIATION,
    "N_UNIQUE": Statistic.DISTINCT,
}
_LEVEL_OF = {
    exp.Quantile: "quantile",
    exp.ApproxQuantile: "quantile",
    exp.PercentileCont: "expression",
}
_WORDS = {
    Statistic.MEAN: "avg",
    Statistic.DEVIATION: "stddev",
    Statistic.DISTINCT: "count_distinct",
}


@dataclass(frozen=True, slots=True)
class Grouped:
    """What rows are grouped by; with edges, in bins."""

    of: Node
    edges: tuple[Fraction, ...] = ()
    dated: bool = False

    @property
    def name(self) -> str:
        """Its name where it has no alias."""
        return self.of.name if isinstance(self.of, Named) else shown(self.of)


@dataclass(frozen=True, slots=True)
class Scope:
    """What the words of a SELECT may mean: names of its table, and the column of its unit."""

    tables: frozenset[str]
    unit: str

    def aggregate(self, tree: exp.Expr) -> Aggregate | None:
        """The aggregate that a part of SELECT asks for; None if it is another expression."""
        kind = type(tree)
        if kind is exp.Count:
            return self._count(tree)
        if kind in _OF_ONE:
            self._check_given(tree, "this")
            return Aggregate(_OF_ONE[kind], self._value(tree.this))
        if kind is exp.Median:
            self._check_given(tree, "this")
            return self._quantile(tree, tree.this, exp.Literal.number("0.5"))
        if kind in _LEVEL_OF:
            level = _LEVEL_OF[kind]
            self._check_given(tree, "this", level)
            return self._quantile(tree, tree.this, tree.args.get(level))
        if kind is exp.WithinGroup:
            return self._within(tree)
        return self._named(tree) if kind is exp.Anonymous else None

    def group(self, tree: exp.Expr) -> Grouped:
        """The group that a part of SELECT or GROUP BY stands for."""
        if type(tree) is not exp.Anonymous or tree.name.upper() != "BINS":
            return Grouped(read(tree, self.tables))
        of, *edges = tree.expressions or [exp.null()]
        places = [_place(read(edge, frozenset())) for edge in edges]
        try:
            return Grouped(read(of, self.tables), *read_edges(places))
        except (BoundsError, PrivacyParameterError):
            raise QueryError(
                f"the bins of {written(of)!r} are not at least two increasing numbers or dates up "
                "to 10^100. Bins must be public, and are [a, b) between neighboring edges, the "
                "last one closed. Write BINS(age, 0, 18, 65, 120)."
            ) from None

    def _count(self, tree: exp.Expr) -> Aggregate:
        self._check_given(tree, "this", "big_int")
        of = tree.this
        if of is None or (type(of) is exp.Star and not given(of)):
            return Aggregate(Statistic.ROWS)
        if type(of) is exp.Distinct:
            if given(of) != {"expressions"} or len(of.expressions) != 1:
                raise _not_an_aggregate(tree, "Count the different values of one column.")
            value = self._value(of.expressions[0])
            people = self.unit != ROW and value == Named(self.unit)
            return Aggregate(Statistic.PEOPLE) if people else Aggregate(Statistic.DISTINCT, value)
        value = self._value(of)
        every = isinstance(value, Constant) and value.value is not None
        return Aggregate(Statistic.ROWS) if every else Aggregate(Statistic.COUNT, value)

    def _within(self, tree: exp.Expr) -> Aggregate:
        inside, order = tree.this, tree.args.get("expression")
        plain = type(inside) is exp.PercentileCont and given(inside) == {"this"}
        if not plain or type(order) is not exp.Order or len(order.expressions) != 1:
            raise _not_an_aggregate(tree)
        ordered = order.expressions[0]
        if given(ordered) - {"this", "nulls_first"} or given(order) != {"expressions"}:
            raise _not_an_aggregate(tree, "Order by the value, ascending: ORDER BY stay.")
        return self._quantile(tree, ordered.this, inside.this)

    def _quantile(self, tree: exp.Expr, of: exp.Expr, level: exp.Expr | None) -> Aggregate:
        share = None if level is None else number_of(read(level, frozenset()))
        if share is None or not 0 < share < 1:
            raise QueryError(
                f"{written(tree)!r} has no level between 0 and 1. It is the share of rows below "
                "the value. Write QUANTILE(stay, 0.9), and one such aggregate for each level."
            )
        return Aggregate(Statistic.QUANTILE, self._value(of), (share,))

    def _named(self, tree: exp.Expr) -> Aggregate | None:
        name, parts = tree.name.upper(), tree.expressions
        if name in ("PEOPLE", "ROWS"):
            if parts:
                raise _not_an_aggregate(tree, f"Write {name}().")
            return Aggregate(Statistic(name.lower()))
        if name not in _NAMED:
            return None
        if len(parts) != 1:
            raise _not_an_aggregate(tree)
        return Aggregate(_NAMED[name], self._value(parts[0]))

    def _value(self, tree: exp.Expr) -> Node:
        return read(tree, self.tables)

    def _check_given(self, tree: exp.Expr, *names: str) -> None:
        if given(tree) - set(names):
            raise _not_an_aggregate(tree)


def counts(aggregate: Aggregate) -> bool:
    """Whether an aggregate says how common a group is."""
    return aggregate.statistic in _COUNTS


def readable(aggregate: Aggregate) -> str:
    """The name of an aggregate that was given none.

    >>> readable(Aggregate(Statistic.MEAN, Named("stay")))
    'avg_stay'
    """
    word = _WORDS.get(aggregate.statistic, str(aggregate.statistic))
    if aggregate.statistic is Statistic.ROWS:
        return "count"
    if aggregate.levels:
        share = 100 * aggregate.levels[0]
        word = "median" if share == 50 else f"p{float(share):g}"
    inner = "" if aggregate.of is None else f"_{shown(aggregate.of)}"
    return re.sub(r"\W+", "_", f"{word}{inner}").strip("_")[:60]


def _place(edge: Node) -> object:
    """A bin edge: a number, or the text of a date."""
    if isinstance(edge, Constant) and isinstance(edge.value, str):
        return edge.value if day(edge.value) is not None else None
    if isinstance(edge, Constant) and edge.dated and isinstance(edge.value, Fraction):
        return date_text(int(edge.value))
    return number_of(edge)


def _not_an_aggregate(tree: exp.Expr, instead: str = "Use one of these.") -> QueryError:
    return not_offered(tree, f"The aggregates are {AGGREGATES}. {instead}")
