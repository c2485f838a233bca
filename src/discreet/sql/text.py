"""SQL text of a row expression ▶ nodes, by an allow-list.

Each kind of tree node that is offered has a reader here; every other kind is refused.  Comments
are not part of a node, so none can reach an engine.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from sqlglot import exp

from discreet.errors import PrivacyParameterError, QueryError
from discreet.exact import rational
from discreet.plan.columns import LARGEST_BOUND, day
from discreet.plan.expressions import (
    Absolute,
    Arithmetic,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Comparison,
    Constant,
    Either,
    Floored,
    Missing,
    Named,
    Negated,
    Node,
    walk,
)
from discreet.sql.parse import given, not_offered, parsed_expression, too_deep, written

_NOTHING = Constant(None)
_DEEPEST_TREE = 100

_CALCULATIONS: dict[type[exp.Expr], Arithmetic] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
}
_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_FUNCTIONS: dict[type[exp.Expr], type[Absolute] | type[Floored] | type[Negated]] = {
    exp.Abs: Absolute,
    exp.Floor: Floored,
    exp.Not: Negated,
}

Inner = Callable[[exp.Expr], Node]
Reader = Callable[[exp.Expr, Inner], Node]


def parse_expression(text: str, table: str | None = None) -> Node:
    """The row expression that a text stands for; columns may be qualified by the table's name.

    >>> parse_expression("stay BETWEEN 2 AND 7 AND ward <> 'A'")
    ... # doctest: +ELLIPSIS
    Both(left=Both(left=Compared(operator='>=', ...
    >>> parse_expression("pg_sleep(10)")
    Traceback (most recent call last):
      ...
    discreet.errors.QueryError: 'pg_sleep(…)' is not offered. Only operators that ...
    """
    return read(parsed_expression(text), frozenset() if table is None else frozenset({table}))


def read(tree: exp.Expr, tables: frozenset[str]) -> Node:
    """The node of a parsed row expression; ``tables`` are the names that may qualify a column."""
    node = _read(tree, tables, 0)
    for _ in walk(node):  # refuses what is too large
        pass
    return node


def _read(tree: exp.Expr, tables: frozenset[str], depth: int) -> Node:
    if depth > _DEEPEST_TREE:
        raise too_deep()
    if type(tree) is exp.Column:
        return _column(tree, tables)
    reader = _READERS.get(type(tree))
    if reader is None:
        raise not_offered(tree)
    return reader(tree, partial(_read, tables=tables, depth=depth + 1))


def _column(tree: exp.Expr, tables: frozenset[str]) -> Node:
    name, table = tree.this, tree.args.get("table")
    if type(name) is not exp.Identifier or given(tree) - {"this", "table"}:
        raise not_offered(tree)
    if table is not None and table.name not in tables:
        known = f"by {sorted(tables)[0]!r} or " if tables else ""
        raise QueryError(
            f"the column {written(tree)!r} is qualified by {table.name[:60]!r}. A question is "
            f"about one table, so columns are qualified {known}not at all. Write {name.name[:60]}."
        )
    return Named(name.name)


def _literal(tree: exp.Expr, _: Inner) -> Node:
    if tree.is_string:
        return Constant(str(tree.this))
    try:
        number = rational(str(tree.this))
    except PrivacyParameterError:
        number = None
    if number is None or number > LARGEST_BOUND:
        raise QueryError(
            f"the number {str(tree.this)[:60]!r} is too long or beyond 10^100. Values are computed "
            "in 64-bit floats. Use another unit."
        )
    return Constant(number)


def _boolean(tree: exp.Expr, _: Inner) -> Node:
    return Constant(bool(tree.this))


def _null(_: exp.Expr, __: Inner) -> Node:
    return _NOTHING


def _date(tree: exp.Expr, _: Inner) -> Node:
    value = tree.this
    whole = given(tree) == {"this", "to"} and type(value) is exp.Literal and value.is_string
    if not whole or tree.args["to"].this is not exp.DataType.Type.DATE:
        raise not_offered(tree)
    days = day(value.name)
    if days is None:
        raise QueryError(
            f"{value.name[:60]!r} is not a date. Dates are written as year, month and day. Write "
            "DATE '2026-01-31'."
        )
    return Constant(Fraction(days), dated=True)


def _paren(tree: exp.Expr, inner: Inner) -> Node:
    return inner(tree.this)


def _negative(tree: exp.Expr, inner: Inner) -> Node:
    operand = inner(tree.this)
    value = number_of(operand)
    zero = Constant(Fraction(0))
    return Calculation("-", zero, operand) if value is None else Constant(-value)


def _calculation(tree: exp.Expr, inner: Inner) -> Node:
    # sqlglot notes how its dialect divides; ours is total and has one meaning.
    _check_given(tree, "this", "expression", "typed", "safe")
    return Calculation(_CALCULATIONS[type(tree)], inner(tree.this), inner(tree.args["expression"]))


def _comparison(tree: exp.Expr, inner: Inner) -> Node:
    _check_given(tree, "this", "expression")
    return Compared(_COMPARISONS[type(tree)], inner(tree.this), inner(tree.args["expression"]))


def _logic(tree: exp.Expr, inner: Inner) -> Node:
    """A chain without brackets becomes a balanced tree, so that its length is not its depth."""
    kind, parts, current = type(tree), [], tree
    while type(current) is kind:
        _check_given(current, "this", "expression")
        parts.append(current.args["expression"])
        current = current.this
    parts.append(current)
    return _balanced(Both if kind is exp.And else Either, [inner(part) for part in reversed(parts)])


def _balanced(kind: type[Both] | type[Either], parts: list[Node]) -> Node:
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return kind(_balanced(kind, parts[:middle]), _balanced(kind, parts[middle:]))


def _is(tree: exp.Expr, inner: Inner) -> Node:
    if given(tree) != {"this", "expression"} or type(tree.args["expression"]) is not exp.Null:
        raise not_offered(tree)
    return Missing(inner(tree.this))


def _between(tree: exp.Expr, inner: Inner) -> Node:
    _check_given(tree, "this", "low", "high")
    value = inner(tree.this)
    low, high = inner(tree.args["low"]), inner(tree.args["high"])
    return Both(Compared(">=", value, low), Compared("<=", value, high))


def _in(tree: exp.Expr, inner: Inner) -> Node:
    listed = tree.args.get("expressions") or []
    _check_given(tree, "this", "expressions")
    values = [inner(one) for one in listed]
    if not values or not all(isinstance(one, Constant) for one in values):
        raise not_offered(tree, "After IN stand written values: ward IN ('A', 'B').")
    value = inner(tree.this)
    return _balanced(Either, [Compared("=", value, one) for one in values])


def _case(tree: exp.Expr, inner: Inner) -> Node:
    _check_given(tree, "this", "ifs", "default")
    subject = None if tree.this is None else inner(tree.this)
    default = tree.args.get("default")
    found: Node = _NOTHING if default is None else inner(default)
    for branch in reversed(tree.args["ifs"]):
        _check_given(branch, "this", "true")
        condition = inner(branch.this)
        if subject is not None:
            condition = Compared("=", subject, condition)
        found = Chosen(condition, inner(branch.args["true"]), found)
    return found


def _function(tree: exp.Expr, inner: Inner) -> Node:
    _check_given(tree, "this")
    return _FUNCTIONS[type(tree)](inner(tree.this))


def _coalesce(tree: exp.Expr, inner: Inner) -> Node:
    _check_given(tree, "this", "expressions")
    *first, found = [inner(one) for one in (tree.this, *tree.expressions)]
    for value in reversed(first):
        found = Chosen(Missing(value), found, value)
    return found


def _nullif(tree: exp.Expr, inner: Inner) -> Node:
    _check_given(tree, "this", "expression")
    value = inner(tree.this)
    return Chosen(Compared("=", value, inner(tree.args["expression"])), _NOTHING, value)


def _end(tree: exp.Expr, inner: Inner) -> Node:
    """LEAST and GREATEST: missing where any of the values is, on every engine alike."""
    _check_given(tree, "this", "expressions", "ignore_nulls")
    found, *others = [inner(one) for one in (tree.this, *tree.expressions)]
    for other in others:
        sides = (found, other) if type(tree) is exp.Least else (other, found)
        smaller, larger = Compared("<=", *sides), Compared(">", *sides)
        found = Chosen(smaller, found, Chosen(larger, other, _NOTHING))
    return found


def _clip(tree: exp.Expr, inner: Inner) -> Node:
    _check_given(tree, "this", "expressions")
    parts = tree.expressions
    if tree.name.upper() != "CLIP":
        raise not_offered(tree)
    if len(parts) == 3:
        low, high = number_of(inner(parts[1])), number_of(inner(parts[2]))
        if low is not None and high is not None:
            return Clipped(inner(parts[0]), low, high)
    raise not_offered(tree, "CLIP takes a value and two written bounds: CLIP(stay, 0, 60).")


def number_of(node: Node) -> Fraction | None:
    """The number that a node writes out, if it is one."""
    if not isinstance(node, Constant) or node.dated:
        return None
    return node.value if isinstance(node.value, Fraction) else None


def _check_given(tree: exp.Expr, *names: str) -> None:
    if given(tree) - set(names):
        raise not_offered(tree)


_READERS: dict[type[exp.Expr], Reader] = {
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Cast: _date,
    exp.Paren: _paren,
    exp.Neg: _negative,
    exp.And: _logic,
    exp.Or: _logic,
    exp.Is: _is,
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Least: _end,
    exp.Greatest: _end,
    exp.Anonymous: _clip,
    **dict.fromkeys(_FUNCTIONS, _function),
    **dict.fromkeys(_CALCULATIONS, _calculation),
    **dict.fromkeys(_COMPARISONS, _comparison),
}
