"""The question: which rows, in which groups, and what about them.  Frozen, and seen by no data."""

from dataclasses import dataclass, field
from fractions import Fraction

from discreet.errors import Front, Place
from discreet.measures.measure import Aggregate
from discreet.plan.expressions import Named, Node, constant_text, expression_text, quoted_name
from discreet.question.relations import THE_TABLE, Relation


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A grouping key: an expression, cut into bins where there are edges."""

    name: str
    of: Node
    edges: tuple[Fraction, ...] = ()
    dated: bool = False
    place: Place | None = field(default=None, compare=False, repr=False)
    """Where it stands in the text of the question, if it was read from one."""

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        inner = expression_text(self.of)
        if self.edges:
            ends = [constant_text(edge, self.dated) for edge in self.edges]
            inner = f"bins({inner}, [{', '.join(ends)}])"
        return inner if inner == quoted_name(self.name) else f"{inner} AS {quoted_name(self.name)}"


@dataclass(frozen=True, slots=True)
class PostProcessing:
    """Post-processing of released numbers: free of charge, since nothing else is read.

    Names are those of outputs and groups.  Without ``columns`` every output is shown as it is.
    ``order`` has expressions, each with whether the largest come first.
    """

    columns: tuple[tuple[str, Node], ...] = ()
    having: Node | None = None
    order: tuple[tuple[Node, bool], ...] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def text(self) -> str:
        """As it stands in plans and certificates."""
        parts = []
        if self.columns:
            shown_as = [
                expression_text(node)
                if node == Named(name)
                else f"{expression_text(node)} AS {quoted_name(name)}"
                for name, node in self.columns
            ]
            parts.append(f"SHOW {', '.join(shown_as)}")
        if self.having is not None:
            parts.append(f"HAVING {expression_text(self.having)}")
        if self.order:
            by = [
                expression_text(node) + (" DESC" if falling else "") for node, falling in self.order
            ]
            parts.append(f"ORDER BY {', '.join(by)}")
        if self.limit is not None:
            parts.append(f"LIMIT {self.limit}")
        if self.offset:
            parts.append(f"OFFSET {self.offset}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Query:
    """A question: rows of ``source`` that pass ``where``, in groups, and aggregates by their names.

    ``derived`` are columns computed row by row; ``after`` is done with what was released.
    """

    where: tuple[Node, ...] = ()
    derived: tuple[tuple[str, Node], ...] = ()
    keys: tuple[GroupKey, ...] = ()
    outputs: tuple[tuple[str, Aggregate], ...] = ()
    source: Relation = THE_TABLE
    after: PostProcessing = PostProcessing()
    front: Front = field(default=Front.PYTHON, compare=False, repr=False)
    """What it was written in, and is refused in."""

    @property
    def condition(self) -> str:
        """The conditions on rows."""
        return " AND ".join(f"({expression_text(one)})" for one in self.where)

    @property
    def text(self) -> str:
        """The question on one line, for people, certificates and the ledger.

        >>> from discreet.measures.registry import ROWS
        >>> Query(outputs=(("n", Aggregate(ROWS)),)).text
        'n = rows()'
        """
        parts = [f"{quoted_name(name)} = {output.text}" for name, output in self.outputs]
        text = ", ".join(parts)
        if self.source.text:
            text += f" FROM {self.source.text}"
        if self.where:
            text += f" WHERE {self.condition}"
        if self.keys:
            text += " GROUP BY " + ", ".join(key.text for key in self.keys)
        after = self.after.text
        return f"{text} {after}" if after else text
