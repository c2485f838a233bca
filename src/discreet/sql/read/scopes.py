"""Names in a SELECT: the columns that its FROM makes visible."""

from dataclasses import dataclass

from sqlglot import exp

from discreet.errors import QueryError
from discreet.plan.expressions import Constant, Node, constant_text
from discreet.question.relations import Relation
from discreet.sql.read.expressions import column_parts, read_node
from discreet.sql.read.messages import did_you_mean, listed_names, position_of
from discreet.sql.read.parser import sql_excerpt


@dataclass(frozen=True, slots=True)
class VisibleColumn:
    """A column that can be named, and what it stands for; None is the column of people's ids.

    An ``optional`` id is one of a side whose rows may be missing: that of a LEFT JOIN.
    """

    table: str
    name: str
    node: Node | None
    optional: bool = False


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

    def found(self, tree: exp.Expr) -> VisibleColumn:
        """The column that a tree names, or a refusal."""
        name, table = column_parts(tree)
        tables = {column.table for column in self.columns}
        if table is not None and table not in tables:
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
            raise QueryError(
                f"there is no column {name[:60]!r}."
                + (
                    unknown_text(tree)
                    or f"{did_you_mean(name, names)} Only declared columns can be asked about. "
                    f"Existing columns: {listed_names(names)}."
                )
            ).at(position_of(tree, self.text))
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


def unknown_text(tree: exp.Expr) -> str:
    """The rest of a refusal, where a name in double quotes is compared like a text."""
    compared = isinstance(tree.parent, exp.Predicate | exp.Binary | exp.If | exp.Case)
    if not compared or not tree.this.args.get("quoted") or tree.args.get("table") is not None:
        return ""
    return (
        " Names stand in double quotes, and texts in single ones. Write "
        f"{constant_text(tree.name[:60])}, if it is a text."
    )
