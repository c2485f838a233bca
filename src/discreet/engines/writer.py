"""Writing a query as one engine is to run it: node by node, the inner ones first."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from sqlglot import exp

from discreet.errors import QueryError

SPACES = "\u0020\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
"""What TRIM takes off: every space of Unicode."""
EXACT = 1 << 53
"""Up to here a float and the whole number beside it are the same."""
LONGEST_TEXT = 1 << 16
"""Bytes of the longest text that a server is asked about: what is made of one fits as well."""


class Writer:
    """Writes queries that read the relations of one database.

    An engine says how it writes the nodes that it computes in its own way; what cannot mean the
    same there, or can fail on a row, it refuses before anything is charged.
    """

    dialect: ClassVar[str]
    rules: ClassVar[Mapping[type[exp.Expr], Callable[..., exp.Expr]]]

    def __init__(self, relations: Mapping[str, Any]) -> None:
        self._relations = relations

    def text(self, query: exp.Select) -> str:
        """The SQL of a query."""
        return self._sql(self._written(query.copy(), None))

    def scans(self, query: exp.Select) -> dict[str, list[str]]:
        """The relations that a query reads, and the columns that it names of each."""
        columns_of: dict[str, list[str]] = {}
        for select in query.find_all(exp.Select):
            relation = self._read_by(select)
            if relation is not None:
                names = columns_of.setdefault(relation, [])
                columns = [column.name for column in select.find_all(exp.Column)]
                names += [column for column in columns if column not in names]
        return {relation: sorted(names) for relation, names in columns_of.items()}

    def _written(self, node: exp.Expr, relation: str | None) -> exp.Expr:
        """A node with all that it is made of; ``relation``: its own columns are read here.

        The engine has a relation's columns as they are declared, so that reading one is no cast.
        """
        if isinstance(node, exp.Select):
            relation = self._read_by(node)
        written = self._at_once(node, relation)
        if written is not None:
            return written
        for name, value in list(node.args.items()):
            if isinstance(value, exp.Expr):
                node.set(name, self._written(value, relation))
            elif isinstance(value, list):
                node.set(
                    name,
                    [
                        self._written(one, relation) if isinstance(one, exp.Expr) else one
                        for one in value
                    ],
                )
        if relation is not None and isinstance(node, exp.TryCast | exp.DateDiff):
            column: exp.Expr = node.this
            return column
        write = self.rules.get(type(node))
        return node if write is None else write(self, node)

    def _at_once(self, node: exp.Expr, relation: str | None) -> exp.Expr | None:
        """What a node is written as without a look at its parts, if it is."""
        return node if is_literal_cast(node) else None

    def _read_by(self, query: exp.Select) -> str | None:
        """The relation that a query reads itself, not by way of another query."""
        source = query.args.get("from_") or query.args.get("from")
        table = None if source is None else source.this
        if isinstance(table, exp.Table) and table.name in self._relations:
            return table.name
        return None

    def _sql(self, node: exp.Expr) -> str:
        return node.sql(self.dialect, copy=False)


def raw_sql(text: str) -> exp.Expr:
    """A part that is written already."""
    return exp.Var(this=text)


def unnested(node: exp.Expr) -> exp.Expr:
    """A node without the parentheses around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def is_literal_cast(node: exp.Expr) -> bool:
    """Whether a node is a written constant of some type."""
    return isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal)


def is_double(node: exp.Expr) -> bool:
    """Whether a node is made a float."""
    return isinstance(node, exp.Cast) and node.to.this is exp.DataType.Type.DOUBLE


def float_node(node: exp.Expr) -> float | None:
    """A written float."""
    node = unnested(node)
    return float(node.this.name) if is_double(node) and is_literal_cast(node) else None


def rounded_operand(node: exp.Expr) -> exp.Floor | None:
    """The value that is rounded and then clipped, if that is what a node does."""
    if not isinstance(node, exp.Case):
        return None
    first = node.args["ifs"][0].this
    operand = first.this
    return operand if isinstance(first, exp.Between) and isinstance(operand, exp.Floor) else None


def not_offered(engine: str, what: str, why: str) -> QueryError:
    """The refusal of a construct that an engine is not asked to compute."""
    return QueryError(
        f"{what} are not offered on {engine}: {why}. What is asked must mean the same on every "
        "engine and fail on no row. Compute the value in a view, and name the view as the table. "
        "Nothing was spent."
    )
