"""From what was released to the rows of the answer: which groups, in which order."""

from itertools import product

from discreet.plan.blocks import Output, components
from discreet.plan.check import Label, Question, Unlisted
from discreet.plan.query import Statistic
from discreet.privacy.estimate import Estimate, Release
from discreet.release.decode import Frame, estimates
from discreet.release.price import Price, Selection
from discreet.release.run import Noisy

Group = tuple[Label, ...]

_COUNTS = (Statistic.PEOPLE, Statistic.ROWS, Statistic.COUNT)


def assembled(
    question: Question, price: Price, noisy: Noisy, payment: Release
) -> tuple[tuple[Group, ...], dict[str, tuple[Estimate, ...]]]:
    """The groups and, for each output, an estimate in each of them."""
    groups = _groups(question, noisy)
    frame = Frame(question, price, payment, True, noisy.rows)
    columns = {
        output.name: _column(output, price, noisy, frame, len(groups))
        for output in question.outputs
    }
    if question.query.top is None:
        return groups, columns
    counted = next(one for one in question.outputs if one.aggregate.statistic in _COUNTS)
    values = [found.value for found in columns[counted.name]]
    # Those with the same released count stay in public order.
    order = sorted(range(len(groups)), key=lambda place: -values[place])[: question.query.top]
    return tuple(groups[place] for place in order), {
        name: tuple(found[place] for place in order) for name, found in columns.items()
    }


def _groups(question: Question, noisy: Noisy) -> tuple[Group, ...]:
    if noisy.cells is None:
        labels = [
            grouping.labels for _, grouping in question.keys if not isinstance(grouping, Unlisted)
        ]
        return tuple(product(*labels))
    return tuple(
        tuple(
            text if isinstance(grouping, Unlisted) else grouping.labels[int(text)]
            for text, (_, grouping) in zip(cell, question.keys, strict=True)
        )
        for cell in noisy.cells
    )


def _column(
    output: Output, price: Price, noisy: Noisy, frame: Frame, groups: int
) -> tuple[Estimate, ...]:
    priced = price.of(output.block)
    if isinstance(priced, Selection):
        integers, width = noisy.selected or (), 1
    else:
        integers, width = noisy.blocks[price.blocks.index(priced)], components(output.block)
    cells = [integers[place * width : (place + 1) * width] for place in range(groups)]
    return estimates(output, cells, frame)
