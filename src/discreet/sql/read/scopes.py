"""What names, groups and aggregates mean in a SELECT: the columns that its FROM makes visible."""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from sqlglot import exp

from discreet.errors import BoundsError, Place, PrivacyParameterError, QueryError
from discreet.measures.measure import Aggregate, Statistic
from discreet.measures.registry import (
    CORRELATION,
    COUNT,
    COVARIANCE,
    DEVIATION,
    DISTINCT,
    INTERCEPT,
    MAX,
    MEAN,
    MIN,
    PEOPLE,
    QUANTILE,
    R_SQUARED,
    ROWS,
    ROWS_TOGETHER,
    SLOPE,
    STATISTICS,
    SUM,
    VARIANCE,
)
from discreet.plan.calendar import Dated, dated_text, day, second, time_second
from discreet.plan.expressions import (
    Both,
    Chosen,
    Constant,
    Named,
    Node,
    Together,
    expression_text,
    replaced,
    together,
    values_together,
    walk,
)
from discreet.plan.schema import Column, read_edges
from discreet.question.query import Relation
from discreet.sql.read.allow_list import AGGREGATE_NAMES
from discreet.sql.read.expressions import column_parts, read_node, written_only
from discreet.sql.read.messages import (
    compared_with,
    did_you_mean,
    listed_names,
    position_of,
    unknown_column_error,
)
from discreet.sql.read.parser import not_offered, number_of, present_arguments, sql_excerpt

# VAR and STDDEV are the mean squared distance and its root: beside noise, n - 1 says nothing.
_OF_ONE: dict[type[exp.Expr], Statistic] = {
    exp.Sum: SUM,
    exp.Avg: MEAN,
    exp.Variance: VARIANCE,
    exp.VariancePop: VARIANCE,
    exp.Stddev: DEVIATION,
    exp.StddevPop: DEVIATION,
    exp.StddevSamp: DEVIATION,
    exp.Min: MIN,
    exp.Max: MAX,
}
_OF_TWO: dict[type[exp.Expr], Statistic] = {
    exp.CovarPop: COVARIANCE,
    exp.CovarSamp: COVARIANCE,
    exp.Corr: CORRELATION,
    exp.RegrSlope: SLOPE,
    exp.RegrIntercept: INTERCEPT,
    exp.RegrCount: ROWS_TOGETHER,
    exp.RegrR2: R_SQUARED,
}
_LEVEL_OF = {
    exp.Quantile: "quantile",
    exp.ApproxQuantile: "quantile",
    exp.PercentileCont: "expression",
}


@dataclass(frozen=True, slots=True)
class VisibleColumn:
    """A column that can be named, and what it stands for; None is the column of people's ids.

    An ``optional`` id is one of a side whose rows may be missing: that of a LEFT JOIN.
    ``declared`` is what was declared of it, where it is a table's own, for messages.
    """

    table: str
    name: str
    node: Node | None
    optional: bool = False
    declared: Column | None = None


@dataclass(frozen=True, slots=True)
class FromRows:
    """The rows of a FROM: a relation, conditions on its rows, and visible columns."""

    source: Relation
    columns: tuple[VisibleColumn, ...]
    where: tuple[Node, ...] = ()
    text: str = ""

    def read(self, tree: exp.Expr) -> Node:
        """The node of an expression over these columns."""
        return read_node(tree, self.resolve, self.text)

    def resolve(self, tree: exp.Expr) -> Node | None:
        """The node of a column, or a refusal; None for a tree that is no name."""
        if type(tree) is exp.Is and type(tree.args.get("expression")) is exp.Null:
            # Rows without an id belong to nobody, and are never among those asked about.
            return Constant(False) if self.is_unit(tree.this) else None
        if type(tree) is not exp.Column:
            return None
        column = self.found(tree)
        if column.node is None:
            raise QueryError(
                f"the question uses {column.name[:60]!r}, which says "
                "whose row it is. Nothing about one person is answered: people can only be counted "
                f"or joined. Ask for COUNT(DISTINCT {column.name[:60]}), or group by it in a "
                "subquery that sums up each person's rows."
            ).at(position_of(tree, self.text))
        return column.node

    def is_unit(self, tree: exp.Expr | None) -> bool:
        """Whether a tree is the column of people's ids."""
        while type(tree) is exp.Paren:
            tree = tree.this
        return type(tree) is exp.Column and self.found(tree).node is None

    def unknown(self, tree: exp.Expr, known: str) -> QueryError:
        """The refusal of a column that there is not; ``known`` says which there are."""
        other = compared_with(tree)
        folded = "" if other is None else other.name.casefold()
        beside = (one.declared for one in self.columns if one.name.casefold() == folded)
        error = unknown_column_error(tree, known, next(beside, None))
        return error.at(position_of(tree, self.text))

    def found(self, tree: exp.Expr) -> VisibleColumn:
        """The column that a tree names, or a refusal."""
        name, table = column_parts(tree)
        tables = {column.table for column in self.columns}
        if table is not None and tables and table not in tables:
            same = [column for column in tables if column.casefold() == table.casefold()]
            if not same:
                raise QueryError(
                    f"the column {sql_excerpt(tree)!r} is qualified by "
                    f"{table[:60]!r}, which is not in FROM.{did_you_mean(table, sorted(tables))} "
                    "Columns are qualified by a table of their own FROM; a subquery sees no other. "
                    f"Existing tables: {listed_names(sorted(tables))}."
                ).at(position_of(tree, self.text))
            table = same[0]
        among = [column for column in self.columns if table in (None, column.table)]
        matches = [column for column in among if column.name == name]
        matches = matches or [
            column for column in among if column.name.casefold() == name.casefold()
        ]
        if not matches:
            names = list(dict.fromkeys(column.name for column in among))
            raise self.unknown(
                tree,
                f"{did_you_mean(name, names)} Only declared columns can be asked about. Existing "
                f"columns: {listed_names(names)}.",
            )
        if len(matches) > 1 and len({column.node for column in matches}) > 1:
            tables_of = [f"{column.table}.{column.name}" for column in matches]
            raise QueryError(
                f"{name[:60]!r} is a column of several tables. Which "
                f"one is meant must be said. Write one of {listed_names(tables_of)}."
            ).at(position_of(tree, self.text))
        meant = next((column for column in matches if not column.optional), matches[0])
        if meant.optional:
            raise QueryError(
                f"the question uses {sql_excerpt(tree)!r}, an id that is "
                "missing where a row of the LEFT JOIN has no partner. People are known by the id "
                "of its left side, which every row has. Use that one, or another column of "
                f"{meant.table[:60]!r} to tell which rows have a partner."
            ).at(position_of(tree, self.text))
        return meant


_NAMED = {name: one for one in STATISTICS for name in one.sql}
"""Names that a parser of SQL does not know, and those that it does, which it reads by itself."""


@dataclass(frozen=True, slots=True)
class GroupItem:
    """An expression that rows are grouped by; with edges, in bins."""

    of: Node
    edges: tuple[Fraction, ...] = ()
    dated: Dated = Dated.NOT
    place: Place | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """Its name where it has no alias."""
        return self.of.name if isinstance(self.of, Named) else expression_text(self.of)


@dataclass(frozen=True, slots=True)
class Scope:
    """What the words of a SELECT may mean: the columns of its FROM, and aggregates of them."""

    view: FromRows

    def aggregate(self, tree: exp.Expr) -> Aggregate | None:
        """The aggregate that a part of SELECT asks for; None if it is another expression."""
        asked = self._aggregate(tree)
        if asked is None:
            return None
        place, words = position_of(tree, self.view.text), partial(sql_excerpt, tree)
        return Aggregate(asked.statistic, asked.of, asked.levels, words, place)

    def _aggregate(self, tree: exp.Expr) -> Aggregate | None:
        kind = type(tree)
        if kind is exp.Filter:
            return self._filtered(tree)
        if kind is exp.Count:
            return self._count(tree)
        if kind in _OF_ONE:
            self._check_given(tree, "this")
            return Aggregate(_OF_ONE[kind], self.view.read(tree.this))
        if kind in _OF_TWO:
            self._check_given(tree, "this", "expression")
            if tree.args.get("expression") is None:
                raise _not_an_aggregate(tree, "It is of two columns: CORR(y, x).")
            of = together([self.view.read(tree.this), self.view.read(tree.args["expression"])])
            return Aggregate(_OF_TWO[kind], of)
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

    def group(self, tree: exp.Expr) -> GroupItem:
        """The group that a part of SELECT or GROUP BY stands for."""
        place = position_of(tree, self.view.text)
        if type(tree) is not exp.Anonymous or tree.name.upper() != "BINS":
            return GroupItem(self.view.read(tree), place=place)
        of, *edges = tree.expressions or [exp.null()]
        places = [_place(read_node(edge, written_only)) for edge in edges]
        try:
            return GroupItem(self.view.read(of), *read_edges(places), place)
        except (BoundsError, PrivacyParameterError):
            raise QueryError(
                f"the bins of {sql_excerpt(of)!r} are not at least two increasing numbers or dates "
                "up to 10^100. Bins must be public, and are [a, b) between neighboring edges, the "
                "last one closed. Write BINS(x, 0, 18, 65, 120)."
            ) from None

    def _filtered(self, tree: exp.Expr) -> Aggregate:
        """FILTER: other rows have no value."""
        kept, asked = tree.args.get("expression"), self._aggregate(tree.this)
        if asked is None or type(kept) is not exp.Where:
            raise _not_an_aggregate(tree)
        condition = self.view.read(kept.this)
        if asked.statistic is PEOPLE:
            return Aggregate(PEOPLE, _and(condition, asked.of))
        of = Constant(Fraction(1)) if asked.of is None else asked.of
        statistic = COUNT if asked.of is None else asked.statistic
        value, *others = values_together(of)  # a row without one of them counts for none
        kept = together([Chosen(condition, value, Constant(None)), *others])
        return Aggregate(statistic, kept, asked.levels)

    def _count(self, tree: exp.Expr) -> Aggregate:
        self._check_given(tree, "this", "big_int")
        of = tree.this
        if (
            of is None
            or (type(of) is exp.Star and not present_arguments(of))
            or self.view.is_unit(of)
        ):
            return Aggregate(ROWS)
        if type(of) is exp.Distinct:
            if present_arguments(of) != {"expressions"} or len(of.expressions) != 1:
                raise _not_an_aggregate(tree, "Count the different values of one column.")
            return self._distinct(of.expressions[0])
        value = self.view.read(of)
        every = isinstance(value, Constant) and value.value is not None
        return Aggregate(ROWS) if every else Aggregate(COUNT, value)

    def _distinct(self, of: exp.Expr) -> Aggregate:
        if self.view.is_unit(of):
            return Aggregate(PEOPLE)
        plain = (
            type(of) is exp.Case and present_arguments(of) == {"ifs"} and len(of.args["ifs"]) == 1
        )
        if plain and self.view.is_unit(of.args["ifs"][0].args["true"]):
            return Aggregate(PEOPLE, self.view.read(of.args["ifs"][0].this))
        return Aggregate(DISTINCT, self.view.read(of))

    def _within(self, tree: exp.Expr) -> Aggregate:
        inside, order = tree.this, tree.args.get("expression")
        plain = type(inside) is exp.PercentileCont and present_arguments(inside) == {"this"}
        if not plain or type(order) is not exp.Order or len(order.expressions) != 1:
            raise _not_an_aggregate(tree)
        ordered = order.expressions[0]
        if present_arguments(ordered) - {"this", "nulls_first"} or present_arguments(order) != {
            "expressions"
        }:
            raise _not_an_aggregate(tree, "Order by the value, ascending: ORDER BY x.")
        return self._quantile(tree, ordered.this, inside.this)

    def _quantile(self, tree: exp.Expr, of: exp.Expr, level: exp.Expr | None) -> Aggregate:
        listed = level.expressions if type(level) is exp.Array else [level]
        shares = [
            None if one is None else number_of(read_node(one, written_only)) for one in listed
        ]
        levels = sorted({one for one in shares if one is not None and 0 < one < 1})
        if not levels or len(levels) < len(listed):
            raise QueryError(
                f"{sql_excerpt(tree)!r} has no level between 0 and 1, or one twice. It is the "
                "share of rows below the value. Write QUANTILE(x, 0.9), or QUANTILE(x, [0.25, "
                "0.5, 0.75]) for several columns that share one ε."
            ).at(None if level is None else position_of(level, self.view.text))
        return Aggregate(QUANTILE, self.view.read(of), tuple(levels))

    def _named(self, tree: exp.Expr) -> Aggregate | None:
        name, parts = tree.name.upper(), tree.expressions
        if name in ("PEOPLE", "ROWS"):
            if len(parts) > 1:
                raise _not_an_aggregate(tree, f"Write {name}(), or {name}(x > 2).")
            if not parts:
                return Aggregate(_NAMED[name])
            condition = self.view.read(parts[0])
            if name == "PEOPLE":
                return Aggregate(PEOPLE, condition)
            return Aggregate(COUNT, Chosen(condition, Constant(Fraction(1)), Constant(None)))
        if name not in _NAMED:
            return None
        if len(parts) != 1:
            raise _not_an_aggregate(tree)
        return Aggregate(_NAMED[name], self.view.read(parts[0]))

    def _check_given(self, tree: exp.Expr, *names: str) -> None:
        # Without an argument, COUNT() is COUNT(*); the others have nothing to be about.
        if present_arguments(tree) - set(names) or (
            tree.this is None and type(tree) is not exp.Count
        ):
            raise _not_an_aggregate(tree)


def has_aggregate(tree: exp.Expr) -> bool:
    """Whether something in a part of a SELECT is an aggregate."""
    return any(
        isinstance(part, exp.AggFunc | exp.Filter | exp.WithinGroup)
        or (type(part) is exp.Anonymous and part.name.upper() in _NAMED)
        for part in tree.walk()
    )


def _and(condition: Node, other: Node | None) -> Node:
    return condition if other is None else Both(condition, other)


def readable(aggregate: Aggregate) -> str:
    """The name of an aggregate that was given none.

    >>> readable(Aggregate(MEAN, Named("stay")))
    'avg_stay'
    """
    word = aggregate.statistic.label or aggregate.statistic.name
    if len(aggregate.levels) > 1:
        word = "quantile"
    elif aggregate.levels:
        share = 100 * aggregate.levels[0]
        word = "median" if share == 50 else f"p{float(share):g}"
    inner = "" if aggregate.of is None else f"_{_words(aggregate.of)}"
    return re.sub(r"[\W_]+", "_", f"{word}{inner}").strip("_")[:60]


def _words(node: Node) -> str:
    """An expression in a name; the condition of a FILTER follows what it is about."""
    match node:
        case Together():
            return "_".join(map(_words, values_together(node)))
        case Chosen(condition, Constant(Fraction()), Constant(None)):
            return f"where_{_words(condition)}"
        case Chosen(condition, value, Constant(None)):
            return f"{_words(value)}_where_{_words(condition)}"
    names = {one.name for one in walk(node) if isinstance(one, Named)}
    return expression_text(replaced(node, {name: Named(name.rpartition(".")[2]) for name in names}))


def _place(edge: Node) -> object:
    """A bin edge: a number, or the text of a date, a datetime or a time."""
    if isinstance(edge, Constant) and isinstance(edge.value, str):
        known = (day(edge.value), second(edge.value), time_second(edge.value))
        return edge.value if known != (None, None, None) else None
    if isinstance(edge, Constant) and edge.dated and isinstance(edge.value, Fraction):
        return dated_text(edge.value, edge.dated)
    return number_of(edge)


def _not_an_aggregate(tree: exp.Expr, instead: str = "Use one of these.") -> QueryError:
    return not_offered(tree, instead, f"The aggregates are {AGGREGATE_NAMES}.")
