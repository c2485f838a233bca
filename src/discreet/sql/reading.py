"""What the readers of SQL trees share: their shape, and written values among the arguments."""

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from discreet.plan.expressions import Constant, Node
from discreet.sql.parse import given, not_offered

Inner = Callable[[exp.Expr], Node]
Reader = Callable[[exp.Expr, Inner], Node]


def check_given(tree: exp.Expr, *names: str) -> None:
    """Refuses a tree with an argument that its reader does not know."""
    if given(tree) - set(names):
        raise not_offered(tree)


def number_of(node: Node) -> Fraction | None:
    """The number that a node writes out, if it is one."""
    if not isinstance(node, Constant) or node.dated:
        return None
    return node.value if isinstance(node.value, Fraction) else None


def written_number(tree: exp.Expr, part: exp.Expr | None, inner: Inner) -> Fraction:
    """A part of a tree that has to be a written number."""
    number = None if part is None else number_of(inner(part))
    if number is None:
        raise not_offered(tree, "Only its first value is a column's; numbers are written out.")
    return number


def written_text(tree: exp.Expr, part: exp.Expr | None) -> str:
    """A part of a tree that has to be a written text."""
    if type(part) is not exp.Literal or not part.is_string:
        raise not_offered(tree)
    return part.name
