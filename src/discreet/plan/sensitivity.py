"""How far one unit can move each measured block: the one place where that is decided.

Every rule is for the integers that the engine hands over, under both neighboring relations.

A unit's rows carry integer weights that add up to at most ``weight(question)``: 1 where the unit
is the row, cap·2^30 where it is a person (shares).  A row's own vector in a block is bounded by
``_row`` in L1, so that a unit as a whole adds at most weight·row to all groups together.

- add/remove: the vector moves by what the unit adds: weight·row.
- replace: one unit's vector goes and another's comes, perhaps in other groups: 2·weight·row.
  Where there is one group and one number, both lie in one interval that holds 0, and it moves by
  at most that interval's length.  Where no row can leave either (unit = row, no filter, no groups,
  missing values take the default), it moves by the length of the column's own range, and the
  number of all rows does not move at all.

Proof: docs/proofs/shares.md
"""

from discreet.plan.blocks import (
    Block,
    Distinct,
    Extreme,
    FixedTotal,
    Moments,
    People,
    Present,
    Ranks,
    Rows,
    Size,
    Total,
)
from discreet.plan.check import Question
from discreet.privacy.neighbors import Neighbors

SHARE = 1 << 30
"""The weight of a row that is not weighed down: times a value's steps it fits in 64 bits."""
RANK_SHARE = 1 << 20
"""The same for quantiles, whose weights are summed in 64 bits."""


def row_share(question: Question) -> int:
    """The weight of a row of a person who is not over the cap."""
    return SHARE if question.schema.by_person else 1


def group_share(question: Question) -> int:
    """The weight in a group of a person who is in no more groups than the cap allows."""
    cells = question.cells
    capped = cells is None or question.group_cap < cells
    return SHARE if question.schema.by_person and capped else 1


def rank_share(question: Question) -> int:
    """The weight of a row in a quantile."""
    return RANK_SHARE if question.schema.by_person else 1


def unit(block: Block, question: Question) -> int:
    """How many integer steps stand for one row, or one person, or one value."""
    if isinstance(block, People):
        return group_share(question)
    if isinstance(block, Distinct):
        return 1
    return rank_share(question) if isinstance(block, Ranks | Extreme) else row_share(question)


def cap(block: Block, question: Question) -> int:
    """For how many rows, people or values one unit counts at most."""
    return question.group_cap if isinstance(block, People) else question.row_cap


def sensitivity(block: Block, question: Question) -> int:
    """The largest L1 distance between the block's integers on neighboring tables.

    For ranks it is the largest weight that one unit adds or takes away.
    """
    weight = unit(block, question) * cap(block, question)
    if isinstance(block, Ranks | Extreme):
        return weight
    if isinstance(block, Size):
        return 0
    added = weight * _row(block)
    if question.schema.neighbors is Neighbors.ADD_REMOVE:
        return added
    if isinstance(block, FixedTotal):
        return block.value.range.width
    if question.keys or isinstance(block, Moments):
        return 2 * added
    if isinstance(block, Total):
        bounds = block.value.range
        return weight * (max(bounds.high, 0) - min(bounds.low, 0))
    return added


def squared_l2(block: People, question: Question) -> int:
    """The largest squared L2 distance between the numbers of people on neighboring tables.

    A person in n groups adds min(1, cap/n) to each of them, whose squares add up to at most cap.
    """
    squares = cap(block, question) * unit(block, question) ** 2
    replaced = question.schema.neighbors is Neighbors.REPLACE and bool(question.keys)
    return 2 * squares if replaced else squares


def _row(block: Block) -> int:
    """The largest L1 norm of what one row of weight one adds."""
    match block:
        case People() | Rows() | Size() | Present() | Distinct():
            return 1
        case Total(value) | FixedTotal(value):
            return value.range.farthest
        case Moments(value, squares):
            return value.range.width ** (2 if squares else 1)
        case Ranks() | Extreme():
            return 1
