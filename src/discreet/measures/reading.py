"""What an engine adds up or counts for a measure: the four ways in which rows are read."""

from dataclasses import dataclass
from typing import ClassVar

from discreet.measures.steps import Steps
from discreet.plan.expressions import Node


@dataclass(frozen=True, slots=True)
class Given:
    """An expression of which only matters whether a row has a value."""

    node: Node


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the rows of a group, by weight: all such readings of a question take one pass.

    Always how many rows there are; with a value, how many have one (``present``, where it
    matters), its sum, and with ``squares`` the sum of its squares.
    """

    value: Steps | Given | None = None
    present: bool = False
    squares: bool = False
    together: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PeopleIn:
    """How many people are in a group, or those with a row for which a condition is true."""

    condition: Node | None = None
    together: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Different:
    """How many different values there are."""

    node: Node
    together: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Places:
    """The steps at which rows are, in order, and the weight at each.

    ``mirrored``: counted from the other bound.
    """

    value: Steps
    mirrored: bool = False
    together: ClassVar[bool] = False


Reading = Sums | PeopleIn | Different | Places


@dataclass(frozen=True, slots=True, repr=False)
class Summed:
    """What was added up in one group; 0 for what was not asked for."""

    rows: int
    present: int = 0
    total: int = 0
    squares: int = 0
