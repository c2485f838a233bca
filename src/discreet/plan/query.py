"""The question: which rows, in which groups, and what about them.  Frozen, and seen by no data."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from discreet.plan.expressions import Node, constant_text, number_text, quoted_name, shown


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


@dataclass(frozen=True, slots=True)
class Key:
    """What rows are grouped by: an expression, cut into bins where there are edges."""

    name: str
    of: Node
    edges: tuple[Fraction, ...] = ()
    dated: bool = False

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        inner = shown(self.of)
        if self.edges:
            ends = [constant_text(edge, self.dated) for edge in self.edges]
            inner = f"bins({inner}, [{', '.join(ends)}])"
        return inner if inner == quoted_name(self.name) else f"{inner} AS {quoted_name(self.name)}"


@dataclass(frozen=True, slots=True)
class Query:
    """A question about a table: ``where``, derived columns, groups, aggregates by their names.

    ``top`` keeps the largest groups only, by the first aggregate that counts.
    """

    where: tuple[Node, ...] = ()
    derived: tuple[tuple[str, Node], ...] = ()
    keys: tuple[Key, ...] = ()
    outputs: tuple[tuple[str, Aggregate], ...] = ()
    top: int | None = None

    @property
    def text(self) -> str:
        """The question on one line, for people, certificates and the ledger.

        >>> Query(outputs=(("n", Aggregate(Statistic.ROWS)),)).text
        'n = rows()'
        """
        parts = [f"{quoted_name(name)} = {output.text}" for name, output in self.outputs]
        text = ", ".join(parts)
        if self.where:
            text += " WHERE " + " AND ".join(f"({shown(one)})" for one in self.where)
        if self.keys:
            text += " GROUP BY " + ", ".join(key.text for key in self.keys)
        if self.top is not None:
            text += f" TOP {self.top}"
        return text
