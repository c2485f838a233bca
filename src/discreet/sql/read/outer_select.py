"""A SELECT around one of groups: what was released is shown, computed with and added up.

It becomes one SELECT of the groups: names of the inner one stand for what they are there, WHERE is
HAVING, and an aggregate of all groups is a window over them.
"""

from dataclasses import replace
from typing import Final, NoReturn

from sqlglot import exp

from discreet.errors import QueryError
from discreet.sql.read.from_clause import Catalog, ReleasedSelect, group_entries, group_item
from discreet.sql.read.messages import did_you_mean, listed_names, position_of
from discreet.sql.read.parser import item_name, present_arguments, sql_excerpt

_ADDED: Final = (exp.Sum, exp.Avg, exp.Count)
_PLAIN: Final = (exp.Column, exp.AggFunc, exp.Filter, exp.WithinGroup, exp.Paren, exp.Anonymous)


def without_outer_selects(tree: exp.Expr, catalog: Catalog) -> tuple[exp.Expr, Catalog, bool]:
    """The SELECT of groups that a SELECT is around, with all that is asked of them.

    The last part says whether all groups together are the one row of the answer.
    """
    inner = catalog.released_inside(tree)
    if inner is None:
        return tree, catalog, False
    groups, its_catalog, added_up = without_outer_selects(inner.tree, inner.catalog)
    if added_up:
        _refuse(tree, "the SELECT is around one that adds up all groups", catalog.text)
    whole = any(_aggregates(one) for one in tree.expressions)
    merging = _Merging(tree, replace(inner, tree=groups), catalog.text)
    return merging.merged(whole=whole), its_catalog, whole


def _refuse(tree: exp.Expr, fact: str, text: str) -> NoReturn:
    raise QueryError(
        f"{fact}. A SELECT around released groups chooses columns, computes with them, keeps and "
        "orders groups, or adds all of them up by SUM, AVG and COUNT(*). Write SELECT x, n FROM "
        "(…) AS g, or SELECT AVG(n) FROM (…) AS g."
    ).at(position_of(tree, text))


def _aggregates(tree: exp.Expr) -> list[exp.Expr]:
    """The aggregates of all groups in a column: those that OVER does not follow."""
    return [one for one in tree.find_all(exp.AggFunc) if type(one.parent) is not exp.Window]


class _Merging:
    """Two SELECTs that become one."""

    def __init__(self, outer: exp.Expr, inner: ReleasedSelect, text: str) -> None:
        self.outer, self.inner, self.text = outer, inner, text
        self.names = {
            item_name(one, text): one.this if type(one) is exp.Alias else one
            for one in inner.tree.expressions
        }
        self._folded = {name.casefold(): tree for name, tree in self.names.items()}

    def merged(self, *, whole: bool) -> exp.Expr:
        """The one SELECT: that of the groups, with what is asked of them."""
        for clause in ("group", "having", "joins", "distinct"):
            if self.outer.args.get(clause):
                words = {"group": "GROUP BY", "joins": "JOIN"}.get(clause, clause.upper())
                _refuse(self.outer, f"the SELECT has {words} of released groups", self.text)
        if whole and (self.outer.args.get("limit") or self.outer.args.get("offset")):
            _refuse(self.outer, "the SELECT adds up all groups, and has LIMIT", self.text)
        merged = self._groups_written_out()
        shown = [self._column(one, whole=whole) for one in self._items()]
        if whole and not any(_aggregates(one) for one in shown):
            _refuse(self.outer, "the SELECT asks only how many groups there are", self.text)
        own = [one.this if type(one) is exp.Alias else one for one in shown]
        groups = group_entries(merged, self.text)
        hidden = [one for one in self._keys(groups) if not whole and one.this not in own]
        merged.set("expressions", [*hidden, *shown])
        inner_having, where = self.inner.tree.args.get("having"), self.outer.args.get("where")
        conditions = [self._meaning(one.this) for one in (inner_having, where) if one is not None]
        if conditions:
            merged.set("having", exp.Having(this=exp.and_(*conditions, copy=False)))
        for clause in () if whole else ("order", "limit", "offset"):
            merged.set(clause, self.outer.args.get(clause))
        if merged.args.get("order") is not None:
            merged.set("order", self._ordered(shown, len(hidden)))
        return merged

    def _items(self) -> list[exp.Expr]:
        """The columns that the outer SELECT asks for; * stands for all of the inner one."""
        items: list[exp.Expr] = []
        for one in self.outer.expressions:
            starred = type(one) is exp.Star or (
                type(one) is exp.Column and type(one.this) is exp.Star
            )
            items += [exp.column(name) for name in self.names] if starred else [one]
        return items

    def _column(self, item: exp.Expr, *, whole: bool) -> exp.Expr:
        own = item.this if type(item) is exp.Alias else item
        if whole:
            if not _aggregates(own):
                _refuse(own, f"the SELECT has {sql_excerpt(own)!r} beside aggregates", self.text)
            own = self._over_all(own)
        made = self._meaning(own)
        name = item.alias if type(item) is exp.Alias else own.name
        if type(item) is not exp.Alias and type(own) is not exp.Column:
            return made
        return exp.Alias(this=made, alias=exp.to_identifier(name, quoted=True))

    def _over_all(self, tree: exp.Expr) -> exp.Expr:
        """A column in which every aggregate of all groups is a window over them."""
        root = exp.Tuple(expressions=[tree.copy()])
        for part in _aggregates(root):
            if type(part) not in _ADDED or present_arguments(part) - {"this", "big_int"}:
                _refuse(tree, f"the SELECT has {sql_excerpt(part)!r} of released groups", self.text)
            if type(part.parent) is exp.Filter:
                _refuse(tree, "the SELECT has FILTER of released groups", self.text)
            part.replace(exp.Window(this=part.copy(), over="OVER"))
        changed: exp.Expr = root.expressions[0]
        return changed

    def _meaning(self, tree: exp.Expr) -> exp.Expr:
        """An expression with what its names stand for in the inner SELECT."""
        root = exp.Tuple(expressions=[tree.copy()])
        for part in list(root.find_all(exp.Column)):
            part.replace(self._meant(part))
        changed: exp.Expr = root.expressions[0]
        return changed

    def _meant(self, column: exp.Expr) -> exp.Expr:
        table = column.args.get("table")
        known = table is None or table.name.casefold() == self.inner.alias.casefold()
        meant = self._folded.get(column.name.casefold()) if known else None
        if meant is None:
            names = list(self.names)
            raise QueryError(
                f"there is no column {sql_excerpt(column)!r}.{did_you_mean(column.name, names)} "
                f"Those of the SELECT inside are {listed_names(names)}. Use one of them."
            ).at(position_of(column, self.text))
        return meant.copy() if isinstance(meant, _PLAIN) else exp.Paren(this=meant.copy())

    def _ordered(self, shown: list[exp.Expr], before: int) -> exp.Expr:
        """ORDER BY, in which names that the outer SELECT gives stay; some columns come before."""
        given = {one.alias.casefold() for one in shown if type(one) is exp.Alias}
        order: exp.Expr = self.outer.args["order"].copy()
        for entry in order.expressions:
            by = entry.this
            if type(by) is exp.Literal and by.name.isdecimal() and before:
                entry.set("this", exp.Literal.number(int(by.name) + before))
            elif type(by) is not exp.Literal and not (
                type(by) is exp.Column and by.name.casefold() in given
            ):
                entry.set("this", self._meaning(by))
        return order

    def _groups_written_out(self) -> exp.Expr:
        """The inner SELECT, whose GROUP BY has no names and positions of its columns."""
        merged = self.inner.tree.copy()
        group = merged.args.get("group")
        if group is None:
            return merged
        if present_arguments(group) == {"all"}:
            plain = [one.copy() for one in group_entries(merged, self.text)]
            merged.set("group", exp.Group(expressions=plain))
            return merged
        for leaf in list(group.find_all(exp.Column, exp.Literal)):
            at_top = leaf.parent is group or isinstance(
                leaf.parent, exp.Cube | exp.Rollup | exp.GroupingSets | exp.Tuple | exp.Paren
            )
            item = group_item(leaf, self.inner.tree) if at_top else leaf
            if item is not leaf:
                leaf.replace(item.copy())
        return merged

    def _keys(self, groups: list[exp.Expr]) -> list[exp.Expr]:
        """The columns of the inner SELECT that are its groups, under their names."""
        found: list[exp.Expr] = []
        for name, tree in self.names.items():
            if any(tree == one for entry in groups for one in entry.walk()):
                alias = exp.to_identifier(name, quoted=True)
                found.append(exp.Alias(this=tree.copy(), alias=alias))
        return found
