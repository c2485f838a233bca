"""OVER ▶ a window over released groups: sums and means of several, changes and ranks.

Rows of the table are never looked at: a window is computed from what was released.
"""

from collections.abc import Callable
from typing import Final, cast

from sqlglot import exp

from discreet.errors import QueryError
from discreet.plan.expressions import Node
from discreet.question.query import GroupWindow, WindowFunction
from discreet.sql.read.parser import present_arguments, sql_excerpt

OFFERED: Final = (
    "SUM, AVG, COUNT(*), LAG, LEAD, FIRST_VALUE and RANK of released groups are offered, and "
    "SUM(COUNT(*)) OVER (ORDER BY x) for running totals"
)
_FUNCTIONS: Final[dict[type[exp.Expr], WindowFunction]] = {
    exp.Sum: "SUM",
    exp.Avg: "AVG",
    exp.Count: "COUNT",
    exp.Lag: "LAG",
    exp.Lead: "LEAD",
    exp.FirstValue: "FIRST_VALUE",
    exp.Rank: "RANK",
}
_FARTHEST: Final = 10_000
_A_FRAME: Final = "A frame is ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, in an order of groups"


def group_window(
    tree: exp.Expr, read: Callable[[exp.Expr], Node], key: Callable[[exp.Expr], str | None]
) -> GroupWindow:
    """The window over released groups that OVER asks for.

    ``read`` gives an expression over released numbers and groups, ``key`` the name of a group.
    """
    function = _FUNCTIONS.get(type(tree.this))
    unknown = present_arguments(tree) - {"this", "order", "partition_by", "spec", "over"}
    if function is None or unknown:
        raise _refused(tree, "Of windows, " + OFFERED)
    order = tuple(_ordered(tree, one, read) for one in _entries(tree.args.get("order")))
    apart = [key(one) for one in tree.args.get("partition_by") or []]
    if None in apart:
        raise _refused(tree, "PARTITION BY takes groups of the SELECT")
    needs_order = function in ("LAG", "LEAD", "FIRST_VALUE", "RANK")
    if needs_order and (not order or (function == "RANK" and len(order) > 1)):
        what = "one released number" if function == "RANK" else "groups"
        raise _refused(tree, f"{function} follows an order of {what}")
    frame = _frame(tree, order)
    if needs_order and tree.args.get("spec") is not None:
        raise _refused(tree, f"{function} takes no ROWS BETWEEN")
    of, steps = _argument(tree, function, read)
    return GroupWindow(function, of, cast(tuple[str, ...], tuple(apart)), order, frame, steps)


def _refused(tree: exp.Expr, rule: str) -> QueryError:
    return QueryError(
        f"the SELECT has {sql_excerpt(tree)!r}. {rule}. Write SUM(COUNT(*)) OVER () for the total, "
        "LAG(COUNT(*)) OVER (ORDER BY x) for the group before, or RANK() OVER (ORDER BY "
        "COUNT(*) DESC)."
    )


def _entries(order: exp.Expr | None) -> list[exp.Expr]:
    return [] if order is None else list(order.expressions)


def _ordered(tree: exp.Expr, one: exp.Expr, read: Callable[[exp.Expr], Node]) -> tuple[Node, bool]:
    plain = type(one) is exp.Ordered and present_arguments(one) <= {"this", "desc", "nulls_first"}
    if not plain or one.args.get("nulls_first"):
        raise _refused(tree, "Groups without a value come last in an order")
    return read(one.this), bool(one.args.get("desc"))


def _argument(
    tree: exp.Expr, function: WindowFunction, read: Callable[[exp.Expr], Node]
) -> tuple[Node | None, int]:
    """What a window is of, and how many places away that stands."""
    call = tree.this
    present = present_arguments(call)
    if function == "COUNT":
        if type(call.this) is not exp.Star:
            raise _refused(tree, "COUNT(*) OVER () is how many groups there are")
        return None, 1
    if function == "RANK":
        if present:
            raise _refused(tree, "RANK takes nothing between its brackets")
        return None, 1
    steps = call.args.get("offset") if function in ("LAG", "LEAD") else None
    stated = 1 if steps is None else _whole(steps)
    if present - {"this", "offset"} or stated is None or not 0 < stated <= _FARTHEST:
        raise _refused(tree, f"{function} takes a released number, and LAG and LEAD how far away")
    if call.this.find(exp.Window) is not None:
        raise _refused(tree, "A window is not taken of another one")
    return read(call.this), stated


def _frame(tree: exp.Expr, order: tuple[tuple[Node, bool], ...]) -> tuple[int | None, int | None]:
    """From which place before a group to which after it: None is the first, or the last one."""
    spec = tree.args.get("spec")
    if spec is None:
        return (
            (None, 0)
            if order and type(tree.this) in (exp.Sum, exp.Avg, exp.Count)
            else (None, None)
        )
    known = {"kind", "start", "start_side", "end", "end_side"}
    kind, written = spec.args.get("kind"), [spec.args.get("start"), spec.args.get("end")]
    numbered = any(isinstance(one, exp.Expr) for one in written)
    rows = kind == "ROWS" or (kind == "RANGE" and not numbered)
    if not order or not rows or present_arguments(spec) - known:
        raise _refused(tree, _A_FRAME)
    start = _end(tree, written[0], spec.args.get("start_side"), "PRECEDING")
    end = _end(tree, written[1] or "CURRENT ROW", spec.args.get("end_side"), "FOLLOWING")
    if start is not None and end is not None and start > end:
        raise _refused(tree, "A frame begins before it ends")
    return start, end


def _end(tree: exp.Expr, bound: object, side: object, unbounded: str) -> int | None:
    """One end of a frame: so many places after the group, None without a bound."""
    if bound == "CURRENT ROW":
        return 0
    if bound == "UNBOUNDED" and side == unbounded:
        return None
    count = _whole(bound)
    if count is None or side not in ("PRECEDING", "FOLLOWING"):
        raise _refused(tree, _A_FRAME)
    return -count if side == "PRECEDING" else count


def _whole(tree: object) -> int | None:
    """A written whole number, which is not too large."""
    plain = isinstance(tree, exp.Literal) and not tree.is_string
    text = tree.name if plain and isinstance(tree, exp.Literal) else ""
    return int(text) if text.isdecimal() and int(text[:9]) <= _FARTHEST and len(text) < 9 else None
