"""What an analyst should know of a question or an answer, from declarations and releases alone."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from discreet.errors import QueryError, Remedy
from discreet.plan.columns import Category
from discreet.plan.expressions import (
    Chosen,
    Compared,
    Constant,
    Missing,
    Named,
    Node,
    constant_text,
    shown,
    walk,
)
from discreet.privacy.estimate import Estimate
from discreet.question.check import Question
from discreet.question.groupings import Edges, Grouping, Label, Listed, Truth
from discreet.release.shown import label_text

RANK_ERROR = "_rank_error"
"""What is added to the name of an output for the column of its rank errors."""
_A_VALUE = Remedy(python="fill_null gives them one.", sql="COALESCE gives them one.")
_MOST_LISTED = 6
_MOST_COMPARED = 1_000
"""Declared values among which one like a written one is looked for: that takes time."""


def check_rank_names(question: Question) -> None:
    """Refuse a question of which two columns of the answer would have the same name."""
    names = {output.name for output in question.outputs} | {name for name, _ in question.keys}
    names |= {name for name, _ in question.after.columns}
    doubled = sorted(names & {f"{name}{RANK_ERROR}" for name in names})
    if doubled and any(output.aggregate.statistic.ranked for output in question.outputs):
        raise QueryError(
            f"two columns of the answer are named {doubled[0][:60]!r}. A quantile, a least or a "
            f"largest value m also gives m{RANK_ERROR}. Use other names."
        )


def undeclared(question: Question) -> list[str]:
    """Conditions that compare a category with a value that was not declared."""
    found: dict[str, tuple[str, object, Category]] = {}
    declared: dict[str, frozenset[object]] = {}
    asked = [one.of for _, one in question.query.outputs if one.of is not None]
    for condition in (*question.where, *asked):
        for node in walk(condition):
            name, value = _compared(node)
            column = question.schema.columns.get(name)
            if not isinstance(column, Category) or value is None:
                continue
            if name not in declared:
                declared[name] = frozenset(column.values)
            if value not in declared[name]:
                found[shown(node)] = name, value, column
    remarks = [_remark(text, *what) for text, what in list(found.items())[:_MOST_LISTED]]
    if len(found) > _MOST_LISTED:
        more = len(found) - _MOST_LISTED
        remarks.append(f"{more:,} more comparisons fit no declared value of their columns.")
    return remarks


def in_no_group(question: Question) -> list[str]:
    """Groups that are made in the question, in which some rows may not be."""
    found = []
    for name, grouping in question.keys:
        if isinstance(grouping, Edges):
            found.append(f"{label_text(name)}: rows outside of the bins are in no group.")
        elif _leaves_out(grouping):
            found.append(
                f"{label_text(name)}: rows for which it has no value are in no group. "
                f"{_A_VALUE.text(question.query.front)}"
            )
    return found


def _leaves_out(grouping: Grouping) -> bool:
    """Whether a condition or a choice that stands in the question may have no value."""
    if isinstance(grouping, Truth):
        return not isinstance(grouping.node, Missing)
    chooses = isinstance(grouping, Listed) and isinstance(grouping.node, Chosen)
    return chooses and any(node == Constant(None) for node in walk(grouping.node))


def _compared(node: Node) -> tuple[str, object]:
    """The column and the constant that are said to be equal, if that is what a node says."""
    match node:
        case Compared("=", Named(name), Constant(value)) | Compared(
            "=", Constant(value), Named(name)
        ):
            return name, value
    return "", None


def _remark(condition: str, name: str, value: object, column: Category) -> str:
    values = [label_text(one) for one in column.values[:_MOST_LISTED]]
    listed = ", ".join(values) + (", …" if len(column.values) > _MOST_LISTED else "")
    looked_at = column.values[:_MOST_COMPARED]
    near = get_close_matches(str(value)[:60], [str(one) for one in looked_at], 1)
    meant = constant_text(near[0]) if near else "one of them"
    return (
        f"{label_text(condition)} fits no declared value: those of {name} are {listed}. Did you "
        f"mean {meant}?"
    )


def too_few(errors: Mapping[str, float | None], rows: int | None) -> list[str]:
    """Outputs whose error of rank is as large as the group that is expected."""
    return [
        f"{name}: the guaranteed error of rank is {error:,.0f} rows, and a group is expected to "
        f"have {rows:,}. The value could be any between the bounds. Use a larger ε, or larger "
        "groups."
        for name, error in errors.items()
        if error is not None and rows is not None and error >= rows
    ]


def outranked(
    groups: Sequence[tuple[Label, ...]],
    columns: Mapping[str, Sequence[Estimate]],
    sizes: Sequence[Estimate] | None,
) -> dict[str, str]:
    """Of each output, the groups that were released as no larger than its error of rank."""
    if sizes is None:
        return {}
    found: dict[str, str] = {}
    for name, column in columns.items():
        names = [
            ", ".join(map(label_text, group))
            for group, one, size in zip(groups, column, sizes, strict=True)
            if one.rank_error is not None and one.rank_error >= size.value
        ]
        if names:
            more = f" and {len(names) - _MOST_LISTED:,} more" if len(names) > _MOST_LISTED else ""
            several = "group" if len(names) == 1 else "groups"
            listed = f"the {several} {'; '.join(names[:_MOST_LISTED])}{more}"
            found[name] = listed if any(names) else "all that was asked about"
    return found
