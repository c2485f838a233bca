"""A statistic that can be asked of a group of rows."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from discreet.plan.expressions import Node, number_text, shown


class Statistic(StrEnum):
    """What can be asked of a group."""

    PEOPLE = "people"
    ROWS = "rows"
    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    VARIANCE = "var"
    DEVIATION = "std"
    LEAST = "min"
    MOST = "max"
    QUANTILE = "quantile"
    DISTINCT = "n_unique"


COUNTS = frozenset({Statistic.ROWS, Statistic.PEOPLE, Statistic.COUNT})
"""Statistics that say how common a group is."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One statistic, of an expression where it needs one; ``levels`` are a quantile's."""

    statistic: Statistic
    of: Node | None = None
    levels: tuple[Fraction, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in plans and certificates.

        >>> from discreet.plan.expressions import Named
        >>> Aggregate(Statistic.MEAN, Named("stay")).text
        'mean(stay)'
        """
        inner = "" if self.of is None else shown(self.of)
        levels = "".join(f", {number_text(level)}" for level in self.levels)
        return f"{self.statistic}({inner}{levels})"
