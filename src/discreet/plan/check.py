"""From what was asked to what will be measured: everything that can be refused is refused here.

A checked question has passed every rule, so that pricing and running it cannot fail for a
reason that was known before.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod

from discreet.errors import PolicyError, QueryError
from discreet.plan.blocks import Block, Output, People, Rules, blocks_of
from discreet.plan.columns import (
    LARGEST_KEY,
    MOST_BINS,
    MOST_KEYS,
    Category,
    Column,
    Number,
    date_text,
)
from discreet.plan.expressions import (
    Chosen,
    Constant,
    Named,
    Node,
    number_text,
    replaced,
    shown,
    walk,
)
from discreet.plan.query import Key, Query, Statistic
from discreet.plan.schema import Schema
from discreet.plan.types import Kind, check, unknown_column
from discreet.privacy.neighbors import Neighbors

_MOST_OUTPUTS = 200

Label = str | int | bool
"""A group's name in one column."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Public values, texts or numbers; a row with another value is in no group."""

    node: Node
    values: tuple[str | int, ...]

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        return self.values


@dataclass(frozen=True, slots=True)
class Truth:
    """False and true."""

    node: Node

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        return (False, True)


@dataclass(frozen=True, slots=True)
class Whole:
    """Every whole number between two bounds."""

    node: Node
    low: int
    high: int
    dated: bool = False

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        places = range(self.low, self.high + 1)
        return tuple(map(date_text, places)) if self.dated else tuple(places)


@dataclass(frozen=True, slots=True)
class Edges:
    """Bins [a, b) between public edges, the last one closed."""

    node: Node
    edges: tuple[Fraction, ...]
    dated: bool = False

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        ends = [date_text(int(edge)) if self.dated else number_text(edge) for edge in self.edges]
        last = len(ends) - 2
        pairs = enumerate(pairwise(ends))
        return tuple(f"[{a}, {b}{']' if place == last else ')'}" for place, (a, b) in pairs)


@dataclass(frozen=True, slots=True)
class Unlisted:
    """Texts that are not public: groups are found by private selection."""

    node: Node


Grouping = Listed | Truth | Whole | Edges | Unlisted


@dataclass(frozen=True, slots=True)
class Question:
    """A question that can be priced: where, groups and blocks, with every expression checked."""

    schema: Schema
    query: Query
    where: tuple[Node, ...]
    keys: tuple[tuple[str, Grouping], ...]
    outputs: tuple[Output, ...]
    rules: Rules

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What is measured, each once."""
        return tuple(dict.fromkeys(output.block for output in self.outputs))

    @property
    def selects_keys(self) -> bool:
        """Whether groups have to be found privately."""
        return any(isinstance(grouping, Unlisted) for _, grouping in self.keys)

    @property
    def cells(self) -> int | None:
        """The number of groups, where it is public."""
        sizes: list[int] = []
        for _, grouping in self.keys:
            if isinstance(grouping, Unlisted):
                return None
            sizes.append(len(grouping.labels))
        return prod(sizes)

    @property
    def row_cap(self) -> int:
        """For how many rows one unit counts at most."""
        return self._cap("max_rows") if self.schema.by_person else 1

    @property
    def group_cap(self) -> int:
        """In how many groups one unit counts at most."""
        if not self.keys or not self.schema.by_person:
            return 1
        cap = self._cap("max_groups")
        return cap if self.cells is None else min(cap, self.cells)

    def _cap(self, what: str) -> int:
        cap: int | None = getattr(self.schema, what)
        if cap is None:
            meaning = {"max_rows": "rows", "max_groups": "groups"}[what]
            raise PolicyError(
                f"{what} is not declared. A person may have any number of {meaning}, so without a "
                "cap one person could change the answer without limit. Declare it: "
                f"{what}=10, or in the policy {what} = 10. A person with more is weighed down."
            )
        return cap


def checked(query: Query, schema: Schema) -> Question:
    """The question, or a refusal that states fact, rule and remedy.  No data are read."""
    _check_unit(query, schema)
    columns, derived = _with_derived(query, schema)
    where = tuple(_condition(replaced(node, derived), columns) for node in query.where)
    keys = tuple((key.name, _grouping(key, derived, columns)) for key in query.keys)
    _check_names(query)
    person, replace = schema.by_person, schema.neighbors is Neighbors.REPLACE
    rules = Rules(
        replace=replace,
        fixed=replace and not person and not where and not keys,
        by_person=person,
    )
    outputs = tuple(
        (name, type(asked)(asked.statistic, asked.of and replaced(asked.of, derived), asked.levels))
        for name, asked in query.outputs
    )
    question = Question(schema, query, where, keys, blocks_of(outputs, columns, rules), rules)
    _check_size(question)
    return question


def _check_unit(query: Query, schema: Schema) -> None:
    nodes = [
        *query.where,
        *(node for _, node in query.derived),
        *(key.of for key in query.keys),
        *(asked.of for _, asked in query.outputs if asked.of is not None),
    ]
    named = {one.name for node in nodes for one in walk(node) if isinstance(one, Named)}
    if schema.by_person and schema.unit in named:
        raise QueryError(
            f"the question uses {schema.unit[:60]!r}, which says whose row it is. Nothing about "
            "one person is answered, so it can only be counted. Ask for dp.people(), or in SQL for "
            f"COUNT(DISTINCT {schema.unit[:60]})."
        )


def _with_derived(query: Query, schema: Schema) -> tuple[dict[str, Column], dict[str, Node]]:
    columns = dict(schema.columns)
    derived: dict[str, Node] = {}
    for name, node in query.derived:
        if name in columns or name in derived or name == schema.unit:
            raise QueryError(
                f"the derived column {name[:60]!r} has the name of another one. A column keeps the "
                "meaning that was declared; above all, nothing may write the id. Use a new name."
            )
        whole = replaced(node, derived)
        check(whole, columns)
        derived[name] = whole
    return columns, derived


def _condition(node: Node, columns: dict[str, Column]) -> Node:
    typed = check(node, columns)
    if typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"where got {shown(node)[:80]!r}, which is a {typed.kind}. A row is kept if the "
            'condition is true for it. Write a comparison, such as dp.col("stay") > 2.'
        )
    return typed.node


def _grouping(key: Key, derived: dict[str, Node], columns: dict[str, Column]) -> Grouping:
    node = replaced(key.of, derived)
    typed = check(node, columns)
    column = columns.get(node.name) if isinstance(node, Named) else None
    dated = typed.kind is Kind.DATE
    if key.edges:
        if typed.kind not in (Kind.NUMBER, Kind.DATE):
            raise QueryError(
                f"bins are asked of {shown(node)[:60]!r}, which is a {typed.kind}. Only numbers "
                "are cut into bins. Group by the column itself."
            )
        if key.dated != dated:
            kinds = ("dates", "numbers") if key.dated else ("numbers", "dates")
            raise QueryError(
                f"the bins of {shown(node)[:60]!r} have {kinds[0]} for edges, and its values are "
                f"{kinds[1]}. Edges are of the column's own kind. Write .bins([0, 18, 65, 120]), "
                'or .bins(["2025-01-01", "2026-01-01"]) for dates.'
            )
        return Edges(typed.node, key.edges, dated)
    if isinstance(column, Category):
        return Listed(node, column.values)
    if typed.kind is Kind.BOOLEAN:
        return Truth(typed.node)
    if typed.kind is Kind.TEXT:
        constants = _texts(typed.node)
        return Unlisted(typed.node) if constants is None else Listed(typed.node, constants)
    if typed.whole and typed.low is not None and typed.high is not None:
        low, high = int(typed.low), int(typed.high)
        if high - low < MOST_KEYS and max(abs(low), abs(high)) <= LARGEST_KEY:
            return Whole(typed.node, low, high, dated)
    example = "bins([0, 18, 65, 120])"
    kind = "a date" if dated else "a number"
    raise QueryError(
        f"groups are asked by {shown(node)[:60]!r}, which is {kind} with more values than can be "
        f"listed. Groups must be public. Cut it into bins: dp.col(…).{example}, or declare "
        + ("its bounds." if isinstance(column, Number) and column.low is None else "narrower ones.")
    )


def _texts(node: Node) -> tuple[str, ...] | None:
    """The values of an expression that chooses between written texts only."""
    match node:
        case Constant(str(value)):
            return (value,)
        case Constant(None):
            return ()
        case Chosen(_, then, otherwise):
            first, second = _texts(then), _texts(otherwise)
            if first is None or second is None:
                return None
            return tuple(dict.fromkeys((*first, *second)))
    return None


def _check_names(query: Query) -> None:
    if not query.outputs:
        raise QueryError(
            "nothing is asked of the groups. An answer needs at least one aggregate. Write "
            '.agg(n=dp.rows()) or .agg(mean_stay=dp.col("stay").mean()).'
        )
    if len(query.outputs) > _MOST_OUTPUTS:
        raise QueryError(
            f"more than {_MOST_OUTPUTS} aggregates are asked at once. They share one ε. Ask fewer."
        )
    names = [key.name for key in query.keys]
    for name, asked in query.outputs:
        several = asked.statistic is Statistic.QUANTILE and len(asked.levels) > 1
        shares = [f"{name}_{float(level):g}" for level in asked.levels] if several else [name]
        names += [part + end for part in shares for end in ("", "_lower", "_upper")]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise QueryError(
            f"two columns of the answer are named {sorted(doubled)[0][:60]!r}. An aggregate n also "
            "gives n_lower and n_upper. Use other names."
        )
    if any(not name or not name.isprintable() or len(name) > 200 for name in names):
        raise QueryError(
            "a column of the answer has no printable name of at most 200 characters. It stands in "
            "tables and reports. Use a short name."
        )
    if query.top is not None and (type(query.top) is not int or query.top < 1 or not query.keys):
        raise QueryError(
            "top needs groups and a whole number from 1 up. It keeps the most common groups. Write "
            '.group_by("ward").agg(n=dp.rows()).top(3).'
        )
    counts = {Statistic.ROWS, Statistic.PEOPLE, Statistic.COUNT}
    if query.top is not None and not any(one.statistic in counts for _, one in query.outputs):
        raise QueryError(
            "top is asked without a count. The most common groups are those with the largest "
            "released count. Add n=dp.people() or n=dp.rows() to agg."
        )


def _check_size(question: Question) -> None:
    cells = question.cells
    if cells is not None and cells > MOST_KEYS:
        raise QueryError(
            f"the groups are {cells:,} combinations of public values. Every one of them is "
            f"released, and at most {MOST_KEYS:,} can be. Group by fewer columns or wider bins."
        )
    for name, grouping in question.keys:
        long = isinstance(grouping, Listed) and len(grouping.values) > MOST_BINS
        if question.selects_keys and long:
            raise QueryError(
                f"{name[:60]!r} has more than {MOST_BINS:,} public values and stands beside a key "
                "whose values are private. Each combination is looked for. Group by fewer."
            )
    # A missing cap is refused before anything is priced.
    caps = [
        question.group_cap if isinstance(block, People) else question.row_cap
        for block in question.blocks
    ]
    if question.selects_keys:
        caps.append(question.group_cap)
    if min(caps) < 1:
        raise QueryError("a cap is below 1. One person counts at least once. Declare a larger cap.")


def used_columns(question: Question) -> set[str]:
    """The declared columns that the question reads."""
    nodes = [*question.where, *(grouping.node for _, grouping in question.keys)]
    for block in question.blocks:
        part = getattr(block, "value", block)
        node = getattr(part, "node", None)
        if node is not None:
            nodes.append(node)
    names = {one.name for node in nodes for one in walk(node) if isinstance(one, Named)}
    missing = names - set(question.schema.columns)
    if missing:
        raise unknown_column(sorted(missing)[0], question.schema.columns)
    return names
