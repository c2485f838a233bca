"""Whom a question protects, and how far one of them may reach: what every sensitivity depends on.

A unit's rows carry integer weights that add up to at most its cap times a share: 1 where the unit
is the row, cap·2^30 where it is a person, who is weighed down beyond the cap.  A row's own vector
in a measure is bounded in L1, so that a unit as a whole adds at most weight·row to all groups.

- add/remove: the vector moves by what the unit adds.
- replace: one unit's vector goes and another's comes, perhaps in other groups: twice that.  Where
  there is one group and one number, both lie in one interval that holds 0, and it moves by at most
  that interval's length.  Where no row can leave either (unit = row, no filter, no groups, missing
  values take the default), it moves by the length of the column's own range, and the number of all
  rows does not move at all.

Proof: docs/proofs/shares.md
"""

from dataclasses import dataclass
from typing import Literal

from discreet.errors import PolicyError, Remedy
from discreet.privacy.neighbors import Neighbors

SHARE = 1 << 30
"""The weight of a row that is not weighed down: times a value's steps it fits in 64 bits."""
RANK_SHARE = 1 << 20
"""The same for quantiles, whose weights are summed in 64 bits."""

CapName = Literal["max_rows", "max_groups"]


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one unit moves a measure's integers over all groups, in L1 and, squared, in L2."""

    l1: int
    squared_l2: int


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of privacy of one question: a row, or a person with declared caps."""

    neighbors: Neighbors = Neighbors.ADD_REMOVE
    by_person: bool = False
    keyed: bool = False
    """Whether there are groups."""
    cells: int | None = 1
    """The number of groups, where it is public."""
    max_rows: int | None = None
    max_groups: int | None = None

    @property
    def replaced(self) -> bool:
        """Whether a neighbor has another unit in the place of one."""
        return self.neighbors is Neighbors.REPLACE

    @property
    def row_cap(self) -> int:
        """For how many rows one unit counts at most."""
        return self.cap("max_rows")

    @property
    def group_cap(self) -> int:
        """In how many groups one unit counts at most."""
        return self.cap("max_groups")

    def cap(self, name: CapName) -> int:
        """For how many rows, or in how many groups, one unit counts at most."""
        if not self.by_person or (name == "max_groups" and not self.keyed):
            return 1
        declared = self.max_rows if name == "max_rows" else self.max_groups
        if declared is None:
            meaning = name.removeprefix("max_")
            raise PolicyError(
                f"{name} is not declared. A person may have any number of {meaning}, so without a "
                "cap one person could change the answer without limit.",
                Remedy(
                    python=f"Declare it: {name}=10.",
                    policy=f"Declare it: {name} = 10 in the policy.",
                ),
                "A person with more is weighed down.",
            )
        if name == "max_rows" or self.cells is None:
            return declared
        return min(declared, self.cells)

    @property
    def row_share(self) -> int:
        """The weight of a row of a person who is not over the cap."""
        return SHARE if self.by_person else 1

    @property
    def group_share(self) -> int:
        """The weight in a group of a person who is in no more groups than the cap allows."""
        capped = self.by_person and (self.cells is None or self.group_cap < self.cells)
        return SHARE if capped else 1

    @property
    def rank_share(self) -> int:
        """The weight of a row in a quantile."""
        return RANK_SHARE if self.by_person else 1

    def reach(self, added: int) -> Reach:
        """How far integers move of which one unit adds at most so much, none of them below 0.

        With groups, replacing takes from some and adds to others: a and b, which are not negative,
        have |b - a|² ≤ |a|² + |b|².  Of one number, what goes and what comes lie between the same
        ends.
        """
        if self.replaced and self.keyed:
            return Reach(2 * added, 2 * added**2)
        return Reach(added, added**2)
