"""Writing a sqlglot query in the SQL of one engine: node by node, operands first."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from sqlglot import exp

from discreet.errors import QueryError

SPACES = "\u0020\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
"""The characters that TRIM removes: every Unicode space."""
EXACT = 1 << 53
"""Every integer up to 2^53 is exactly a 64-bit float."""
LONGEST_TEXT = 1 << 16
"""Bytes of the longest text that is read: what an expression makes of it fits a server too."""


class Writer:
    """Writer of the queries that read the relations of one database.

    A subclass has ``rules`` for the nodes that its engine computes in its own way.  What would
    mean something else there, or can fail on a row, a rule refuses before anything is charged.
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
        columns_by_relation: dict[str, list[str]] = {}
        for select in query.find_all(exp.Select):
            relation = self._scanned_relation(select)
            if relation is not None:
                names = columns_by_relation.setdefault(relation, [])
                columns = [column.name for column in select.find_all(exp.Column)]
                names += [column for column in columns if column not in names]
        return {relation: sorted(names) for relation, names in columns_by_relation.items()}

    def _written(self, node: exp.Expr, relation: str | None) -> exp.Expr:
        """A node written with its operands; ``relation`` is the one that the query around it scans.

        An engine's relation has its columns as they are declared, so they are read without casts.
        """
        if isinstance(node, exp.Select):
            relation = self._scanned_relation(node)
        written = self._written_without_parts(node, relation)
        if written is not None:
            return written
        for name, value in list(node.args.items()):
            if isinstance(value, exp.Expr):
                node.set(name, self._written(value, relation))
            elif isinstance(value, list):
                node.set(
                    name,
                    [
                        self._written(item, relation) if isinstance(item, exp.Expr) else item
                        for item in value
                    ],
                )
        if relation is not None and isinstance(node, exp.TryCast | exp.DateDiff):
            column: exp.Expr = node.this
            return column
        rule = self.rules.get(type(node))
        return node if rule is None else rule(self, node)

    def _written_without_parts(self, node: exp.Expr, relation: str | None) -> exp.Expr | None:
        """What a node is written as if its operands need no rule of their own, else None."""
        return node if is_literal_cast(node) and not is_wide(node) else None

    def _scanned_relation(self, query: exp.Select) -> str | None:
        """The relation in a query's own FROM clause; None where that is another query."""
        source = query.args.get("from_") or query.args.get("from")
        table = None if source is None else source.this
        if isinstance(table, exp.Table) and table.name in self._relations:
            return table.name
        return None

    def _sql(self, node: exp.Expr) -> str:
        return node.sql(self.dialect, copy=False)


def raw_sql(text: str) -> exp.Expr:
    """A node that holds finished SQL."""
    return exp.Var(this=text)


def unnested(node: exp.Expr) -> exp.Expr:
    """The node inside of any parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def is_literal_cast(node: exp.Expr) -> bool:
    """Whether a node is a literal cast to a type."""
    return isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal)


def is_wide(node: exp.Expr) -> bool:
    """Whether a node is a cast to 128 bits, or to the decimal that is written in their place."""
    wide = (exp.DataType.Type.INT128, exp.DataType.Type.DECIMAL)
    return isinstance(node, exp.Cast) and node.to.this in wide


def decimal_cast(node: exp.Cast) -> exp.Expr:
    """A whole number of 128 bits where an engine has none: up to 10^38, and not below 2^126."""
    return exp.Cast(this=node.this, to=exp.DataType.build("DECIMAL(38, 0)"))


def is_double(node: exp.Expr) -> bool:
    """Whether a node is a cast to a 64-bit float."""
    return isinstance(node, exp.Cast) and node.to.this is exp.DataType.Type.DOUBLE


def float_node(node: exp.Expr) -> float | None:
    """The value of a node that is a literal float, else None."""
    node = unnested(node)
    return float(node.this.name) if is_double(node) and is_literal_cast(node) else None


def rounded_operand(node: exp.Expr) -> exp.Floor | None:
    """The rounded value (a FLOOR) that a CASE clips between bounds; None for any other node."""
    if not isinstance(node, exp.Case):
        return None
    condition = node.args["ifs"][0].this
    operand = condition.this
    return (
        operand if isinstance(condition, exp.Between) and isinstance(operand, exp.Floor) else None
    )


def not_offered(engine: str, what: str, why: str) -> QueryError:
    """The error for a construct that is not offered on an engine."""
    return QueryError(
        f"{what} are not offered on {engine}: {why}. What is asked must mean the same on every "
        "engine and fail on no row. Compute the value in a view, and name the view as the table. "
        "Nothing was spent."
    )
