"""From what was released to the rows of the answer: which groups, in which order."""

from itertools import product

from discreet.measures.measure import Output
from discreet.plan.columns import day
from discreet.plan.expressions import Named
from discreet.privacy.estimate import Estimate, Release
from discreet.question.check import Question
from discreet.question.groupings import Grouping, Label, Unlisted, is_dated
from discreet.question.query import After
from discreet.release.after import column, rows_kept
from discreet.release.price import Price, Selection
from discreet.release.run import Noisy

Group = tuple[Label, ...]


def assembled(
    question: Question, price: Price, noisy: Noisy, payment: Release
) -> tuple[tuple[Group, ...], dict[str, tuple[Estimate, ...]]]:
    """The groups and, for each output, an estimate in each of them."""
    groups = _groups(question, noisy)
    columns = {
        output.name: price.estimates(
            output, _integers(output, price, noisy, len(groups)), question, payment, noisy.rows
        )
        for output in question.outputs
    }
    if question.after == After():
        return groups, columns
    names, groupings = [name for name, _ in question.keys], [one for _, one in question.keys]
    rows = [
        dict(zip(names, map(_comparable, group, groupings), strict=True))
        | {name: found[place] for name, found in columns.items()}
        for place, group in enumerate(groups)
    ]
    kept = rows_kept(question.after, rows)
    shown = question.after.columns or tuple((name, Named(name)) for name in columns)
    return tuple(groups[place] for place in kept), {
        name: tuple(column(node, rows[place]) for place in kept) for name, node in shown
    }


def _comparable(label: Label, grouping: Grouping) -> Label | None:
    """A group's label as conditions compare it: a date is its day."""
    return day(label) if is_dated(grouping) else label


def _groups(question: Question, noisy: Noisy) -> tuple[Group, ...]:
    if noisy.cells is None:
        labels = [
            grouping.labels for _, grouping in question.keys if not isinstance(grouping, Unlisted)
        ]
        return tuple(product(*labels))
    known = [
        None if isinstance(grouping, Unlisted) else grouping.labels for _, grouping in question.keys
    ]
    return tuple(
        tuple(
            text if labels is None else labels[int(text)]
            for text, labels in zip(cell, known, strict=True)
        )
        for cell in noisy.cells
    )


def _integers(output: Output, price: Price, noisy: Noisy, groups: int) -> list[tuple[int, ...]]:
    """What was released of an output, group by group."""
    part = price.of(output.measure)
    if isinstance(part, Selection):
        integers, width = noisy.selected or (), 1
    else:
        integers, width = noisy.blocks[price.priced.index(part)], output.measure.width
    return [integers[place * width : (place + 1) * width] for place in range(groups)]
