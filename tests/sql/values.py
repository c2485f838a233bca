"""What a node is worth in one row, as SQL has it; and words to make odd SQL of."""

from collections.abc import Mapping
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any

from discreet.plan.expressions import (
    Both,
    Calculation,
    Chosen,
    Compared,
    Constant,
    Either,
    Missing,
    Named,
    Negated,
    Node,
)

_OPERATORS: dict[str, Any] = {"+": add, "-": sub, "*": mul, "/": truediv}
_OPERATORS |= {"=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}

WORDS = """
stay ward visits SELECT FROM WHERE CASE WHEN THEN ELSE END AND OR NOT IN IS NULL BETWEEN LIKE CAST
AS DATE INTERVAL ABS FLOOR CLIP COALESCE COUNT SUM OVER PARTITION BY read_csv ARRAY STRUCT MAP
LAMBDA TRY FILTER WITHIN GROUP ORDER UNION WITH VALUES ROWS LIMIT HAVING JOIN DISTINCT PIVOT ALL
( ) , ; . * + - / = < > <= <> || :: -> => [ ] { } ? $1 :x @ # % ^ & ~ 1 0.5 1e9 'a' "b" ' " -- /* */
"""


def value(node: Node, row: Mapping[str, Any]) -> Any:
    """The value of a node; None is missing."""
    match node:
        case Named(name):
            return row[name]
        case Constant(constant):
            return constant
        case Calculation(operator, left, right) | Compared(operator, left, right):
            sides = value(left, row), value(right, row)
            return None if None in sides else _OPERATORS[operator](*sides)
        case Both(left, right):
            sides = value(left, row), value(right, row)
            return False if False in sides else None if None in sides else True
        case Either(left, right):
            sides = value(left, row), value(right, row)
            return True if True in sides else None if None in sides else False
        case Negated(operand):
            inner = value(operand, row)
            return None if inner is None else not inner
        case Missing(operand):
            return value(operand, row) is None
        case Chosen(condition, then, otherwise):
            return value(then if value(condition, row) is True else otherwise, row)
    raise NotImplementedError(type(node).__name__)
