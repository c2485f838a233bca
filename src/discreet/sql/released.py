"""The columns of a SELECT: groups, aggregates, and what is computed from released numbers."""

import re
from dataclasses import dataclass, field, replace

from sqlglot import exp

from discreet.errors import QueryError
from discreet.measures.measure import Aggregate
from discreet.plan.expressions import Named, Node, shown
from discreet.sql.aggregates import Grouped, Scope, has_aggregate, readable
from discreet.sql.examples import Example
from discreet.sql.names import View, unknown_text
from discreet.sql.offered import AGGREGATE_NAMES
from discreet.sql.parse import written
from discreet.sql.places import listed, located, nearest, place_of
from discreet.sql.text import read

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Item:
    """A column of the answer under the name it was given: a group, or released numbers."""

    tree: exp.Expr
    name: str | None
    asks: Grouped | Node


@dataclass(slots=True)
class Reading:
    """One SELECT being read: what its names mean, and the aggregates found so far."""

    view: View
    example: Example
    outputs: dict[Aggregate, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        """The SELECT as it was written."""
        return self.view.text

    def condition(self, tree: exp.Expr) -> Node:
        """A condition of WHERE, about rows."""
        with located(tree, self.text):
            if has_aggregate(tree):
                raise QueryError(
                    f"WHERE has {written(tree)!r}. It chooses rows, before anything is counted. "
                    "Write HAVING for released numbers."
                )
            return self.view.read(tree)

    def reserve(self, group: exp.Expr | None) -> None:
        """Names of columns in GROUP BY, which are not given to aggregates without a name."""
        entries = [] if group is None else group.expressions
        self._taken |= {one.name for one in entries if type(one) is exp.Column}

    def items(self, trees: list[exp.Expr]) -> list[Item]:
        """The columns of a SELECT; those that are one aggregate name it."""
        inners = [tree.this if type(tree) is exp.Alias else tree for tree in trees]
        names = [tree.alias if type(tree) is exp.Alias else None for tree in trees]
        self._taken |= {name for name in names if name is not None}
        found: list[Item | None] = []
        for inner, name in zip(inners, names, strict=True):
            found.append(self._plain(inner, name))
        groups = [one for one in found if one is not None]
        return [
            Item(inner, name, self.released(inner, groups)) if one is None else one
            for one, inner, name in zip(found, inners, names, strict=True)
        ]

    def _plain(self, tree: exp.Expr, name: str | None) -> Item | None:
        """A group, or an aggregate that stands alone; None for what is computed from some."""
        if type(tree) is exp.Star:
            raise QueryError(
                f"the SELECT has *. Only statistics of groups are "
                f"released, never rows. Write {self.example.question}."
            ).at(place_of(tree, self.text))
        with located(tree, self.text):
            aggregate = Scope(self.view).aggregate(tree)
            if aggregate is not None:
                return Item(tree, name, Named(self._output(aggregate, name)))
            if has_aggregate(tree):
                return None
            item = Item(tree, name, self.group(tree))
            self._taken.add(self.group_name(item))
            return item

    def group(self, tree: exp.Expr) -> Grouped:
        """The group that an expression stands for."""
        return Scope(self.view).group(tree)

    def is_column(self, tree: exp.Expr) -> bool:
        """Whether a name is that of a column of FROM."""
        return any(one.name.casefold() == tree.name.casefold() for one in self.view.columns)

    def released(self, tree: exp.Expr, items: list[Item]) -> Node:
        """An expression over released numbers and the names of groups."""
        with located(tree, self.text):
            return read(tree, lambda part: self._meaning(part, items), self.text)

    def node(self, item: Item) -> Node:
        """A column of the answer as an expression over its names."""
        return Named(self.group_name(item)) if isinstance(item.asks, Grouped) else item.asks

    def group_name(self, item: Item) -> str:
        """The name of a group in the answer."""
        if item.name is not None or not isinstance(item.asks, Grouped):
            return item.name or ""
        return item.tree.name if type(item.tree) is exp.Column else item.asks.name

    def shown(self, items: list[Item]) -> tuple[tuple[str, Node], ...]:
        """The columns of released numbers, each under a name of its own."""
        found: list[tuple[str, Node]] = []
        taken = {self.group_name(one) for one in items if isinstance(one.asks, Grouped)}
        for item in items:
            if isinstance(item.asks, Grouped):
                continue
            name, node = self._shown(item)
            if item.name is None and name in taken:
                name = self._unused(name)
            names = {name, f"{name}_lower", f"{name}_upper"}
            self._check_name(item, name, names & taken)
            taken |= names
            found.append((name, node))
        return tuple(found)

    def _check_name(self, item: Item, name: str, doubled: set[str]) -> None:
        if doubled:
            raise QueryError(
                f"two columns of the answer are named "
                f"{min(doubled)[:60]!r}. Each has a name of its own, and an aggregate n also gives "
                "n_lower and n_upper. Use another name."
            ).at(place_of(item.tree, self.text))
        if not name or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise QueryError(
                f"a column of the answer is named {name[:60]!r}. "
                f"Names are 1 to {_LONGEST_NAME} printable characters. Use another name."
            ).at(place_of(item.tree, self.text))

    def _shown(self, item: Item) -> tuple[str, Node]:
        node = self.node(item)
        if item.name is not None:
            return item.name, node
        if isinstance(node, Named):
            return node.name, node
        return self._unused(re.sub(r"\W+", "_", shown(node)).strip("_")[:60]), node

    def _meaning(self, tree: exp.Expr, items: list[Item]) -> Node | None:
        aggregate = Scope(self.view).aggregate(tree)
        if aggregate is not None:
            return Named(self._output(aggregate, None))
        for item in items:
            if isinstance(item.asks, Grouped) and item.tree == tree:
                return self.node(item)
        if type(tree) is not exp.Column:
            return None
        if tree.args.get("table") is None:
            for item in items:
                if item.name is not None and item.name.casefold() == tree.name.casefold():
                    return replace(self.node(item), place=None)  # it stands here as well
            self._check_known(tree, items)
        column = self.view.resolve(tree)
        for item in items:
            if isinstance(item.asks, Grouped) and item.asks == Grouped(column or Named("")):
                return self.node(item)
        raise QueryError(
            f"{written(tree)!r} stands among released numbers, and is "
            "neither an aggregate nor a group of the SELECT. Single rows are never released. Use "
            f"an aggregate of it: {AGGREGATE_NAMES}."
        ).at(place_of(tree, self.text))

    def _check_known(self, tree: exp.Expr, items: list[Item]) -> None:
        if type(tree.this) is not exp.Identifier or self.is_column(tree):
            return
        named = [self._shown(one)[0] if one.name is None else one.name for one in items]
        answer = list(dict.fromkeys(named))
        table = list(dict.fromkeys(one.name for one in self.view.columns))
        raise QueryError(
            f"there is no column {tree.name[:60]!r}."
            + (
                unknown_text(tree)
                or f"{nearest(tree.name, [*answer, *table])} Columns of the answer, and declared "
                f"ones, can be used here. Existing columns: in the answer {listed(answer)}; in "
                f"FROM {listed(table)}."
            )
        ).at(place_of(tree, self.text))

    def _output(self, aggregate: Aggregate, name: str | None) -> str:
        """The name under which an aggregate is released; one that is asked twice is paid once."""
        if aggregate not in self.outputs:
            self.outputs[aggregate] = name or self._unused(readable(aggregate))
        return self.outputs[aggregate]

    def _unused(self, name: str) -> str:
        place, found = 1, name or "column"
        while found in self._taken:
            place += 1
            found = f"{name}_{place}"
        self._taken.add(found)
        return found
