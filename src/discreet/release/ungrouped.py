"""Rows in no group: which there may be, and which share of all rows they are."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, inf, nextafter

from discreet.errors import Front, Remedy
from discreet.measures.registry import ROWS
from discreet.plan.exclusion import ways
from discreet.plan.expressions import (
    Both,
    Chosen,
    Compared,
    Constant,
    Either,
    Missing,
    Named,
    Negated,
    Node,
)
from discreet.plan.schema import CategoryColumn, Column
from discreet.privacy.estimates import Estimate, summed
from discreet.question.check import Question
from discreet.question.groupings import (
    BinGrouping,
    BooleanGrouping,
    Grouping,
    IntegerGrouping,
    Label,
    ListedGrouping,
    label_text,
)
from discreet.question.query import Scan
from discreet.release.profile import LARGEST_SIZES, Profile

_A_VALUE = Remedy(python="fill_null gives them one.", sql="COALESCE gives them one.")
_A_GROUP = Remedy(
    python="dp.when(…).then(…).otherwise(…) gives them one.",
    sql="CASE … ELSE … END gives them one.",
)
_NO_VALUE, _UNLISTED = "rows without a value", "rows with a value that is not listed"
_HALF_SURE = Fraction(975, 1000)
"""Each of the two numbers of a share misses half as often as the share."""


def no_group_notes(question: Question) -> list[tuple[str, str]]:
    """Of each key, which rows are in none of its groups, unless the question leaves none out."""
    return [
        (
            label_text(name),
            f"{rows} are in no group.{_remedy(rows, grouping, question.query.front)}",
        )
        for name, grouping in question.keys
        if (rows := _left_out(grouping, question))
    ]


_SAYS_NOTHING = 50
"""A share of at most more per cent than this is no news."""


def no_group_share(
    question: Question,
    profile: Profile | None,
    groups: Sequence[tuple[Label, ...]],
    columns: Mapping[str, Sequence[Estimate]],
) -> list[str]:
    """Which share of all rows is in no group, where a profile knows how many rows there are.

    It is asked of all rows of the table, and of rows: whom they belong to may be in several groups.
    """
    total = _rows_in_groups(question, groups, columns)
    whole = question.source == Scan() and not question.where
    if profile is None or total is None or not whole or not no_group_notes(question):
        return []
    least, most = total.interval(_HALF_SURE)
    miss, ceiling = (1 - _HALF_SURE) / 2, question.declared.at_most_rows
    each = profile.rows.largest if ceiling is None else ceiling
    if each is None:
        return []
    miss /= 1 if ceiling is not None else LARGEST_SIZES
    fewest = profile.rows.total(Fraction, each, least=True).lower(miss)
    largest = profile.rows.lost(Fraction, each).upper(miss)
    if not (0 < least < largest and fewest > 0 and most < inf):
        return []
    low, high = floor(100 * (1 - most / fewest)), ceil(100 * (1 - least / largest))
    if low <= 0 and high > _SAYS_NOTHING:
        return []
    share = f"{low}% to {high}%" if low > 0 else f"at most {high}%"
    likely = " (likely)" if total.likely or ceiling is None else ""
    return [f"{share} of all rows are in no group{likely}."]


def _rows_in_groups(
    question: Question,
    groups: Sequence[tuple[Label, ...]],
    columns: Mapping[str, Sequence[Estimate]],
) -> Estimate | None:
    """How many rows are in a group, of an answer that shows all groups; else None."""
    after = question.after
    names = [one.name for one in question.outputs if one.aggregate.statistic is ROWS]
    shown = [name for name in names if not after.columns or (name, Named(name)) in after.columns]
    if not shown or question.cells is None or len(groups) < question.cells:
        return None
    counts = columns[shown[0]]
    if question.strategy is None:
        return summed(counts)
    totals = (one for group, one in zip(groups, counts, strict=True) if set(group) == {None})
    return next(totals, None)


def _left_out(grouping: Grouping, question: Question) -> str:
    """Which rows are in none of the groups; empty where there are no such rows."""
    node, columns, conditions = grouping.node, question.schema.columns, question.where
    known = _has_value(node, conditions)
    without = "" if known else _NO_VALUE
    match grouping:
        case BinGrouping():
            if not _has_others(grouping, question):
                return without
            return "rows outside of the bins" if known else f"{_NO_VALUE}, or outside of the bins,"
        case IntegerGrouping():
            first, last = (label_text(grouping.labels[place]) for place in (0, -1))
            return f"rows without a value from {first} to {last}"
        case ListedGrouping() if not _is_listed(node, conditions, columns):
            return _UNLISTED if known else "rows without a listed value"
    return without


def _remedy(rows: str, grouping: Grouping, front: Front) -> str:
    """How such rows get into a group, of a key whose values a question can add to."""
    if not isinstance(grouping, BooleanGrouping | ListedGrouping):
        return ""
    return f" {(_A_VALUE if rows == _NO_VALUE else _A_GROUP).text(front)}"


def _has_value(node: Node, conditions: Sequence[Node]) -> bool:
    """Whether an expression has a value in every row of which the conditions are true."""
    if conditions and all(way.known(node) for way in ways(conditions)):
        return True
    match node:
        case Constant(value):
            return value is not None
        case Missing():
            return True
        case Chosen(condition, then, otherwise):
            first, second = _branches(condition, conditions)
            return _has_value(then, first) and _has_value(otherwise, second)
        case Compared(_, left, right) | Both(left, right) | Either(left, right):
            return _has_value(left, conditions) and _has_value(right, conditions)
        case Negated(operand):
            return _has_value(operand, conditions)
    return False


def _is_listed(node: Node, conditions: Sequence[Node], columns: Mapping[str, Column]) -> bool:
    """Whether an expression of public values has none that is not listed."""
    match node:
        case Constant():
            return True
        case Named(name):
            column = columns.get(name)
            if not conditions or not isinstance(column, CategoryColumn):
                return False
            return all(way.within(node, column.values) for way in ways(conditions))
        case Chosen(condition, then, otherwise):
            first, second = _branches(condition, conditions)
            return _is_listed(then, first, columns) and _is_listed(otherwise, second, columns)
    return False


def _branches(
    condition: Node, conditions: Sequence[Node]
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """What is true where a condition is, and where it is not, which it may be for want of a value.

    A condition without a value is not false either.
    """
    otherwise = (Negated(condition),) if _has_value(condition, conditions) else ()
    return (*conditions, condition), (*conditions, *otherwise)


def _has_others(grouping: BinGrouping, question: Question) -> bool:
    """Whether rows of which the conditions are true may have a value outside of the bins."""
    below = nextafter(float(grouping.edges[0]), -inf)
    above = nextafter(float(grouping.edges[-1]), inf)
    ends = [way.ends(grouping.node) for way in ways(question.where)]
    return any(low <= below or above <= high for low, high in ends)
