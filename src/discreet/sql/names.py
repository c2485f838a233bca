"""What the names in a SELECT mean: the columns that its FROM makes visible."""

from dataclasses import dataclass

from sqlglot import exp

from discreet.errors import QueryError
from discreet.plan.expressions import Constant, Node, constant_text
from discreet.question.relations import Relation
from discreet.sql.parse import written
from discreet.sql.places import listed, nearest, place_of
from discreet.sql.text import column_parts, read


@dataclass(frozen=True, slots=True)
class Visible:
    """A column that can be named, and what it stands for; None is the column of people's ids.

    An ``optional`` id is one of a side whose rows may be missing: that of a LEFT JOIN.
    """

    table: str
    name: str
    node: Node | None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The rows that FROM stands for: a relation, conditions on its rows, and visible columns."""

    source: Relation
    columns: tuple[Visible, ...]
    where: tuple[Node, ...] = ()
    text: str = ""

    def read(self, tree: exp.Expr) -> Node:
        """The node of an expression over these columns."""
        return read(tree, self.resolve, self.text)

    def resolve(self, tree: exp.Expr) -> Node | None:
        """The node of a column, or a refusal; None for a tree that is no name."""
        if type(tree) is exp.Is and type(tree.args.get("expression")) is exp.Null:
            # Rows without an id belong to nobody, and are never among those asked about.
            return Constant(False) if self.is_unit(tree.this) else None
        if type(tree) is not exp.Column:
            return None
        found = self.found(tree)
        if found.node is None:
            raise QueryError(
                f"the question uses {found.name[:60]!r}, which says "
                "whose row it is. Nothing about one person is answered: people can only be counted "
                f"or joined. Ask for COUNT(DISTINCT {found.name[:60]}), or group by it in a "
                "subquery that sums up each person's rows."
            ).at(place_of(tree, self.text))
        return found.node

    def is_unit(self, tree: exp.Expr | None) -> bool:
        """Whether a tree is the column of people's ids."""
        while type(tree) is exp.Paren:
            tree = tree.this
        return type(tree) is exp.Column and self.found(tree).node is None

    def found(self, tree: exp.Expr) -> Visible:
        """The column that a tree names, or a refusal."""
        name, table = column_parts(tree)
        tables = {one.table for one in self.columns}
        if table is not None and table not in tables:
            same = [one for one in tables if one.casefold() == table.casefold()]
            if not same:
                raise QueryError(
                    f"the column {written(tree)!r} is qualified by "
                    f"{table[:60]!r}, which is not in FROM.{nearest(table, sorted(tables))} "
                    "Columns are qualified by a table of their own FROM; a subquery sees no other. "
                    f"Existing tables: {listed(sorted(tables))}."
                ).at(place_of(tree, self.text))
            table = same[0]
        among = [one for one in self.columns if table in (None, one.table)]
        found = [one for one in among if one.name == name]
        found = found or [one for one in among if one.name.casefold() == name.casefold()]
        if not found:
            names = list(dict.fromkeys(one.name for one in among))
            raise QueryError(
                f"there is no column {name[:60]!r}."
                + (
                    unknown_text(tree)
                    or f"{nearest(name, names)} Only declared columns can be asked about. Existing "
                    f"columns: {listed(names)}."
                )
            ).at(place_of(tree, self.text))
        if len(found) > 1 and len({one.node for one in found}) > 1:
            tables_of = [f"{one.table}.{one.name}" for one in found]
            raise QueryError(
                f"{name[:60]!r} is a column of several tables. Which "
                f"one is meant must be said. Write one of {listed(tables_of)}."
            ).at(place_of(tree, self.text))
        meant = next((one for one in found if not one.optional), found[0])
        if meant.optional:
            raise QueryError(
                f"the question uses {written(tree)!r}, an id that is "
                "missing where a row of the LEFT JOIN has no partner. People are known by the id "
                "of its left side, which every row has. Use that one, or another column of "
                f"{meant.table[:60]!r} to tell which rows have a partner."
            ).at(place_of(tree, self.text))
        return meant


def unknown_text(tree: exp.Expr) -> str:
    """The rest of a refusal, where a name in double quotes is compared like a text."""
    compared = isinstance(tree.parent, exp.Predicate | exp.Binary | exp.If | exp.Case)
    if not compared or not tree.this.args.get("quoted") or tree.args.get("table") is not None:
        return ""
    return (
        " Names stand in double quotes, and texts in single ones. Write "
        f"{constant_text(tree.name[:60])}, if it is a text."
    )
