"""Where the rows of a question come from: tables of one set of people, joined or summed up.

Every row of every relation belongs to one person, or, where the unit is the row, to one row of the
table.  Weights are given out after all of this, over the rows that a person ends up with, so that
no relation can make anyone count for more than the caps allow.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from discreet.errors import Place
from discreet.measures.measure import Aggregate, Statistic
from discreet.measures.steps import Steps
from discreet.plan.expressions import Node, quoted_name, shown


@dataclass(frozen=True, slots=True)
class _Read:
    """What every relation has: where it stands in the text that it was read from, if it was."""

    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Scan(_Read):
    """The rows of a private table; without one, of the table that the question is asked of.

    ``called`` is that table's name, for people to read: it decides nothing.
    """

    table: str | None = None
    called: str = field(default="", compare=False, repr=False)

    @property
    def text(self) -> str:
        """As it stands in plans and certificates; the asked table stands there by itself."""
        return "" if self.table is None else quoted_name(self.table)


@dataclass(frozen=True, slots=True)
class Selected(_Read):
    """Rows that are kept, with new columns computed from their own."""

    inner: "Relation"
    columns: tuple[tuple[str, Node], ...]
    where: tuple[Node, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        return f"(SELECT {_columns(self.columns)}{_tail(self.inner, self.where)})"


@dataclass(frozen=True, slots=True)
class Lookup(_Read):
    """Rows with the columns of a public table beside them, where all the ``on`` pairs are equal.

    ``keep`` keeps rows that find nothing.  Columns are called ``left.name`` and ``right.name``;
    with an empty ``left``, those of a join that came before keep the names they have.
    """

    inner: "Relation"
    left: str
    table: str
    right: str
    on: tuple[tuple[Node, str], ...]
    keep: bool = False
    partners: int = 1
    """How many public rows are found for a row at most, once that has been checked."""

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        pairs = " AND ".join(
            f"{shown(node)} = {quoted_name(f'{self.right}.{name}')}" for node, name in self.on
        )
        join = "LEFT JOIN" if self.keep else "JOIN"
        right = _aliased(quoted_name(self.table), self.right)
        return f"{_aliased(_named(self.inner), self.left)} {join} {right} ON {pairs}"


@dataclass(frozen=True, slots=True)
class Pair(_Read):
    """Every pair of two tables' rows that belong to the same person.

    Of each side a person keeps no more rows than that table's cap.  ``on`` are further columns
    that are equal.  Columns are called as those of a lookup.
    """

    first: "Relation"
    left: str
    second: "Relation"
    right: str
    on: tuple[tuple[str, str], ...] = ()
    keep: bool = False

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        join = "LEFT JOIN" if self.keep else "JOIN"
        further = "".join(
            f" AND {quoted_name(prefixed(self.left, a))} = {quoted_name(f'{self.right}.{b}')}"
            for a, b in self.on
        )
        sides = [_aliased(_named(self.first), self.left), _aliased(_named(self.second), self.right)]
        return f"{sides[0]} {join} {sides[1]} BY PERSON{further}"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a person's rows add up to, clipped to bounds where there are some."""

    statistic: Statistic
    value: Steps | Node | None
    low: Fraction | None = None
    high: Fraction | None = None


@dataclass(frozen=True, slots=True)
class PerPerson(_Read):
    """One row for each person, or for each person and key: what that person's own rows add up to.

    ``summaries`` are the columns once they have been checked.
    """

    inner: "Relation"
    where: tuple[Node, ...]
    keys: tuple[tuple[str, Node], ...]
    columns: tuple[tuple[str, Aggregate], ...]
    summaries: tuple[Summary, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        parts = [_columns(self.keys)] if self.keys else []
        parts += [f"{quoted_name(name)} = {asked.text}" for name, asked in self.columns]
        keys = "".join(f", {quoted_name(name)}" for name, _ in self.keys)
        selected = ", ".join(parts) or "people"
        return f"(SELECT {selected}{_tail(self.inner, self.where)} PER PERSON{keys})"


THE_TABLE = Scan()
"""The table that the question is asked of."""

Relation = Scan | Selected | Lookup | Pair | PerPerson


def prefixed(prefix: str, name: str) -> str:
    """A column's name in a join; without a prefix it keeps its own."""
    return f"{prefix}.{name}" if prefix else name


def _columns(columns: tuple[tuple[str, Node], ...]) -> str:
    return ", ".join(f"{shown(node)} AS {quoted_name(name)}" for name, node in columns)


def _tail(inner: Relation, where: tuple[Node, ...]) -> str:
    text = f" FROM {_named(inner)}" if _named(inner) else ""
    return text + (" WHERE " + " AND ".join(f"({shown(one)})" for one in where) if where else "")


def _named(relation: Relation) -> str:
    called = quoted_name(relation.called) if isinstance(relation, Scan) and relation.called else ""
    return relation.text or called


def _aliased(text: str, alias: str) -> str:
    name = quoted_name(alias) if alias else text
    return name if text in ("", name) else f"{text} AS {name}"
