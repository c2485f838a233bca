"""SQL text of a row expression ▶ nodes, by an allow-list.

Each kind of tree node that is offered has a reader here; every other kind is refused.  Comments
are not part of a node, so none can reach an engine.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from sqlglot import exp

from discreet.errors import DiscreetError, Front, PrivacyParameterError, QueryError
from discreet.exact import rational
from discreet.plan.columns import LARGEST_BOUND
from discreet.plan.compose import all_of, any_of, is_exactly, negative, same
from discreet.plan.expressions import (
    Arithmetic,
    Both,
    Calculation,
    Chosen,
    Compared,
    Comparison,
    Constant,
    Missing,
    Named,
    Negated,
    Node,
    placed,
    read_size,
)
from discreet.sql.calls import CALLS
from discreet.sql.parse import given, not_offered, parsed_expression, written
from discreet.sql.places import place_of
from discreet.sql.reading import Inner, Reader, check_given, number_of
from discreet.sql.tokens import too_deep

_NOTHING = Constant(None)
_DEEPEST_TREE = 100
_DAYS = {"DAY": 1, "DAYS": 1, "WEEK": 7, "WEEKS": 7}

_CALCULATIONS: dict[type[exp.Expr], Arithmetic] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
Resolve = Callable[[exp.Expr], Node | None]
"""What a name stands for: every column has a meaning or is refused; other trees may have one."""


def parse_expression(text: str, table: str | None = None) -> Node:
    """The row expression that a text stands for; columns may be qualified by the table's name.

    >>> parse_expression("stay BETWEEN 2 AND 7 AND ward <> 'A'")
    ... # doctest: +ELLIPSIS
    Both(left=Both(left=Compared(operator='>=', ...
    >>> parse_expression("pg_sleep(10)")
    Traceback (most recent call last):
      ...
    discreet.errors.QueryError: line 1, column 1: 'pg_sleep(…)' is not offered. Only what ...
    """
    try:
        return read(parsed_expression(text), partial(_of_one_table, table=table))
    except DiscreetError as error:
        error.caught_by(Front.SQL)
        raise


def read(tree: exp.Expr, resolve: Resolve, text: str | None = None) -> Node:
    """The node of a parsed row expression; ``resolve`` says what a column's name means.

    With the text that it was parsed from, every node knows its place.
    """
    return read_size(_read(tree, resolve, text, 0))


def _read(tree: exp.Expr | None, resolve: Resolve, text: str | None, depth: int) -> Node:
    if depth > _DEEPEST_TREE:
        raise too_deep()
    if tree is None:  # sqlglot reads FLOOR() and the like
        raise QueryError(
            "a function is called without a value. It is computed from something of the row. Write "
            "one between its brackets: FLOOR(x)."
        )
    found = resolve(tree)
    if found is None:
        reader = _READERS.get(type(tree))
        if reader is None:
            raise not_offered(tree)
        found = reader(tree, partial(_read, resolve=resolve, text=text, depth=depth + 1))
    return found if text is None else placed(found, place_of(tree, text))


def _of_one_table(tree: exp.Expr, table: str | None) -> Node | None:
    if type(tree) is not exp.Column:
        return None
    name, qualifier = column_parts(tree)
    if qualifier is not None and qualifier != table:
        known = f"by {table!r} or " if table else ""
        raise QueryError(
            f"the column {written(tree)!r} is qualified by {qualifier[:60]!r}. A question is "
            f"about one table, so columns are qualified {known}not at all. Write {name[:60]}."
        )
    return Named(name)


def column_parts(tree: exp.Expr) -> tuple[str, str | None]:
    """A column's name, and that of the table it is qualified by."""
    name, table = tree.this, tree.args.get("table")
    if type(name) is not exp.Identifier or given(tree) - {"this", "table"}:
        raise not_offered(tree)
    return name.name, None if table is None else table.name


def written_only(tree: exp.Expr) -> Node | None:
    """The refusal of a column where a written value is needed."""
    if type(tree) is not exp.Column:
        return None
    raise not_offered(tree, "A written value stands here, such as 0.9 or DATE '2026-01-31'.")


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


def _paren(tree: exp.Expr, inner: Inner) -> Node:
    return inner(tree.this)


def _negative(tree: exp.Expr, inner: Inner) -> Node:
    operand = inner(tree.this)
    value = number_of(operand)
    return negative(operand) if value is None else Constant(-value)


def _calculation(tree: exp.Expr, inner: Inner) -> Node:
    # sqlglot notes how its dialect divides; ours is total and has one meaning.
    check_given(tree, "this", "expression", "typed", "safe")
    sides = (tree.this, tree.args["expression"])
    moves = type(tree) in (exp.Add, exp.Sub)
    left, right = (
        _days(side) if moves and type(side) is exp.Interval else inner(side) for side in sides
    )
    return Calculation(_CALCULATIONS[type(tree)], left, right)


def _days(tree: exp.Expr) -> Node:
    """An interval beside a date: a whole number of days."""
    check_given(tree, "this", "unit")
    count, unit = tree.this, tree.args.get("unit")
    number = count.name if type(count) is exp.Literal else ""
    days = _DAYS.get("" if unit is None else unit.name.upper())
    if days is None or not number.removeprefix("-").isdecimal() or len(number) > 9:
        raise not_offered(tree)
    return Constant(Fraction(int(number) * days))


def _comparison(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    return Compared(_COMPARISONS[type(tree)], inner(tree.this), inner(tree.args["expression"]))


def _logic(tree: exp.Expr, inner: Inner) -> Node:
    """A chain without brackets becomes a balanced tree, so that its length is not its depth."""
    kind, parts, current = type(tree), [], tree
    while type(current) is kind:
        check_given(current, "this", "expression")
        parts.append(current.args["expression"])
        current = current.this
    parts.append(current)
    combined = all_of if kind is exp.And else any_of
    return combined([inner(part) for part in reversed(parts)])


def _not(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this")
    return Negated(inner(tree.this))


def _is(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    wanted = tree.args["expression"]
    if type(wanted) is exp.Boolean:
        return is_exactly(inner(tree.this), bool(wanted.this))
    if type(wanted) is not exp.Null:
        raise not_offered(tree)
    return Missing(inner(tree.this))


def _same(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "expression")
    found = same(inner(tree.this), inner(tree.args["expression"]))
    return found if type(tree) is exp.NullSafeEQ else Negated(found)


def _between(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "low", "high")
    value = inner(tree.this)
    low, high = inner(tree.args["low"]), inner(tree.args["high"])
    return Both(Compared(">=", value, low), Compared("<=", value, high))


def _in(tree: exp.Expr, inner: Inner) -> Node:
    listed = tree.args.get("expressions") or []
    check_given(tree, "this", "expressions")
    values = [inner(one) for one in listed]
    if not values or not all(isinstance(one, Constant) for one in values):
        raise not_offered(tree, "After IN stand written values: x IN ('A', 'B').")
    value = inner(tree.this)
    return any_of([Compared("=", value, one) for one in values])


def _case(tree: exp.Expr, inner: Inner) -> Node:
    check_given(tree, "this", "ifs", "default")
    subject = None if tree.this is None else inner(tree.this)
    default = tree.args.get("default")
    found: Node = _NOTHING if default is None else inner(default)
    for branch in reversed(tree.args["ifs"]):
        check_given(branch, "this", "true")
        condition = inner(branch.this)
        if subject is not None:
            condition = Compared("=", subject, condition)
        found = Chosen(condition, inner(branch.args["true"]), found)
    return found


_READERS: dict[type[exp.Expr], Reader] = {
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Paren: _paren,
    exp.Neg: _negative,
    exp.And: _logic,
    exp.Or: _logic,
    exp.Not: _not,
    exp.Is: _is,
    exp.NullSafeEQ: _same,
    exp.NullSafeNEQ: _same,
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    **CALLS,
    **dict.fromkeys(_CALCULATIONS, _calculation),
    **dict.fromkeys(_COMPARISONS, _comparison),
}
