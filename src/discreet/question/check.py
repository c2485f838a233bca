"""From what was asked to what will be measured: everything that can be refused is refused here.

A checked question has passed every rule, so that pricing and running it cannot fail for a reason
that was known before.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

from discreet.errors import DiscreetError, Front, QueryError, Remedy
from discreet.measures.measure import Jointly, Measure, MeasureRules, Norm, Output, Unit
from discreet.measures.registry import measured
from discreet.measures.strategies import Strategy, by_strategy
from discreet.plan.expressions import (
    Absolute,
    Applied,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Constant,
    Either,
    Floored,
    Joined,
    Missing,
    Named,
    Negated,
    Node,
    check_sizes,
    expression_text,
    names_in,
    number_text,
    replaced,
    walk,
)
from discreet.plan.function_signatures import SIGNATURES, Kind
from discreet.plan.schema import (
    MOST_BINS,
    MOST_KEYS,
    Column,
    NumberColumn,
    Schema,
)
from discreet.plan.types import (
    CheckedExpression,
    check_expression,
    condition_of,
    unknown_column,
    written_size,
)
from discreet.privacy.sensitivity import Neighbors
from discreet.question.arrangements import is_total, strategy_of
from discreet.question.conditions import Conditions, origins_of
from discreet.question.consistency import check_nonnegative
from discreet.question.groupings import (
    BinGrouping,
    Grouping,
    ListedGrouping,
    PrivateGrouping,
    grouping_of,
    label_column,
)
from discreet.question.pushdown import pushed_down
from discreet.question.query import (
    THE_TABLE,
    Arrangement,
    GroupKey,
    GroupWindow,
    Lookup,
    Pair,
    PerPerson,
    PostProcessing,
    Query,
    Relation,
    RunningTotal,
    Scan,
    Selected,
    has_pairs,
    origin,
    relations_in,
    schema_of,
)

ALLOWED_AFTER_RELEASE = (
    "+ - * /, ABS, FLOOR, CEIL, ROUND, CLIP, SQRT, LN, LOG10, EXP, POWER, LEAST, GREATEST, "
    "COALESCE, NULLIF and CASE"
)
_NUMERIC = ("SQRT", "LN", "LOG10", "EXP", "POWER")
"""The functions that are offered of released numbers."""
_Offered = (
    Named
    | Constant
    | Calculation
    | Absolute
    | Floored
    | Clipped
    | Chosen
    | Compared
    | Both
    | Either
    | Negated
    | Missing
)


_MOST_OUTPUTS = 200
_MOST_PASSES = 50
_MOST_WRITTEN = 60_000
"""Parts of SQL: to write and bind so many takes an engine about a second and 200 MB."""
_PARTS_OF_PASS = 120
"""Parts of a pass besides its rows, conditions, groups and values, about; and so on below."""
_PARTS_OF_ROWS = {Scan: 20, Selected: 20, Lookup: 120, Pair: 300, PerPerson: 60}
_PARTS_OF_SUMMARY = 160
_PARTS_OF_VALUE = 70
_PARTS_OF_PRODUCT = 40
_PARTS_OF_FACTOR = 15
"""Of each value that all have to be there for a product."""
_PARTS_OF_BIN = 8
_PARTS_OF_LISTED = 2
"""A listed number has more, which are bound sooner."""
_TIMES_READ = 3
"""How many parts of SQL one part of an expression becomes."""
_TIMES_MEASURED = 8
"""The same where it is clipped and rounded, or is the place of a group."""
_MOST_TEXTS = 100
_MOST_SUMMED = 4_000_000
_FINEST_LEVEL = 10**15


def check_after(
    after: PostProcessing, columns: Mapping[str, Column], groups: frozenset[str]
) -> PostProcessing:
    """The same steps with every expression checked; ``columns`` are the outputs and groups."""
    check_sizes(after.nodes)
    windows = tuple((name, _window(one, after, columns, groups)) for name, one in after.windows)
    columns = {**columns, **{name: NumberColumn() for name, _ in windows}}
    return PostProcessing(
        tuple((name, _column(name, node, columns, groups)) for name, node in after.columns),
        None if after.having is None else _condition(after.having, columns),
        tuple(
            (_checked_part(node, columns, "ORDER BY").node, falling)
            for node, falling in after.order
        ),
        after.limit,
        after.offset,
        windows,
        after.whole,
        after.nonnegative,
    )


def _window(
    window: GroupWindow,
    after: PostProcessing,
    columns: Mapping[str, Column],
    groups: frozenset[str],
) -> GroupWindow:
    """A window over released groups, of numbers and in the order of groups."""
    if after.having is not None and not names_in([after.having]) <= groups:
        raise QueryError(
            f"the SELECT has both a condition on released numbers and {window.text[:60]!r}. "
            "It keeps groups whose noise was high, so that a sum of what it keeps, or a rank among "
            "them, would lean to one side. Leave it out, and choose from the answer afterwards."
        ).at(window.place)
    of = None if window.of is None else _column("of a window", window.of, columns, groups)
    if isinstance(of, Named):
        kind = check_expression(of, columns).kind
        if of.name in groups or kind is not Kind.NUMBER:
            what = "a group" if of.name in groups else f"a {kind}"
            raise QueryError(
                f"{window.function} is asked of {of.name[:60]!r}, which is {what}. Windows are "
                "computed from released numbers. Write SUM(COUNT(*)) OVER ()."
            ).at(window.place)
    order = []
    for node, falling in window.order:
        typed = _checked_part(node, columns, "ORDER BY of a window")
        ranked = bool(names_in([typed.node]) - groups)
        if ranked is not (window.function == "RANK"):
            raise QueryError(
                f"{window.function} OVER has ORDER BY {expression_text(node)[:60]!r}. RANK orders "
                "groups by released numbers. All other windows go along groups: in an order that "
                "noise decides, sums of the first would be too large. Write RANK() OVER (ORDER BY "
                "COUNT(*) DESC), or ORDER BY a group."
            ).at(node.place or window.place)
        order.append((typed.node, falling))
    along = {node.name for node, _ in order if isinstance(node, Named)}
    if order and window.function != "RANK" and along | {*window.apart} != groups:
        raise QueryError(
            f"{window.function} OVER has an order in which several groups come at once. Every "
            "group has a place of its own. Write ORDER BY one group, and PARTITION BY every other "
            "one of GROUP BY."
        ).at(window.place)
    return replace(window, of=of, order=tuple(order))


def _check_frame(window: GroupWindow, keys: tuple[tuple[str, Grouping], ...]) -> None:
    """The sums of frames, each of which takes its time, are few enough."""
    sizes = {name: 1 if isinstance(one, PrivateGrouping) else one.size for name, one in keys}
    groups = prod(sizes.values())
    together = groups // prod(sizes[name] for name in window.apart)
    first, last = window.frame
    widest = together if None in window.frame else last - first + 1  # type: ignore[operator]
    if window.frame != (None, None) and groups * min(widest, together) > _MOST_SUMMED:
        raise QueryError(
            f"{window.function} OVER takes up to {min(widest, together):,} numbers for each of "
            f"{groups:,} groups, and at most {_MOST_SUMMED:,} are added up in one answer. Write a "
            "shorter frame, such as ROWS BETWEEN 6 PRECEDING AND CURRENT ROW, or ask for running "
            "totals by SUM(COUNT(*)) OVER (ORDER BY x), which are measured as such."
        ).at(window.place)


def _condition(node: Node, columns: Mapping[str, Column]) -> Node:
    """A condition of HAVING; of those that AND combines, each is one by itself."""
    if isinstance(node, Both):
        left, right = (_condition(part, columns) for part in (node.left, node.right))
        return Both(left, right, place=node.place)
    typed = _checked_part(node, columns, "HAVING")
    if typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"HAVING got {expression_text(node)[:60]!r}, which is not a condition. It keeps the "
            "groups whose released numbers fulfil it. Write HAVING COUNT(*) > 100."
        ).at(node.place)
    return typed.node


def _column(name: str, node: Node, columns: Mapping[str, Column], groups: frozenset[str]) -> Node:
    typed = _checked_part(node, columns, "SELECT")
    checked_node = typed.node
    if isinstance(checked_node, Named):
        return checked_node
    if typed.kind is not Kind.NUMBER:
        raise QueryError(
            f"the column {name[:60]!r} is {expression_text(node)[:60]!r}, which is not a number. "
            "Columns computed from released numbers are numbers with an error: "
            f"{ALLOWED_AFTER_RELEASE}. Use these, or change the answer afterwards."
        ).at(node.place)
    for part in walk(checked_node):
        if isinstance(part, Named) and part.name in groups and checked_node != is_total(part):
            raise QueryError(
                f"the column {name[:60]!r} computes with the group {part.name[:60]!r}. Only "
                "aggregates have an error to carry on. Select the group by itself, and compute "
                "afterwards."
            ).at(part.place or node.place)
    return checked_node


def _checked_part(node: Node, columns: Mapping[str, Column], clause: str) -> CheckedExpression:
    for part in walk(node):
        remainder = isinstance(part, Calculation) and part.operator == "%"
        offered = isinstance(part, Applied) and part.function in _NUMERIC
        if remainder or not (offered or isinstance(part, _Offered)):
            raise QueryError(
                f"{clause} uses {expression_text(part)[:60]!r} on released numbers. Their errors "
                f"are carried through {ALLOWED_AFTER_RELEASE}. Use these, or change the answer "
                "afterwards."
            ).at(part.place or node.place)
    return check_expression(node, columns)


@dataclass(frozen=True)
class Question:
    """A question that can be priced: where, groups and measures, with every expression checked."""

    schema: Schema
    """What holds for the rows that are asked about."""
    query: Query
    where: tuple[Node, ...]
    keys: tuple[tuple[str, Grouping], ...]
    outputs: tuple[Output, ...]
    rules: MeasureRules
    source: Relation
    """What the rows come from; conditions on one side of a join are applied inside of it."""
    remaining: tuple[Node, ...]
    """The conditions that are applied to the rows of the source."""
    pair_limits: tuple[int, ...]
    """At how many pairs of a person's rows its joins stop, where it may come to that."""
    after: PostProcessing
    declared: Schema
    """What was declared of the tables."""
    strategy: Strategy | None = None
    """How its groups are measured together, if they are."""

    @property
    def free(self) -> bool:
        """Whether everything that is asked is public, so that it costs nothing."""
        return all(measure.free for measure in self.measures)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """What is measured, each once."""
        return tuple(dict.fromkeys(output.measure for output in self.outputs))

    @cached_property
    def unit(self) -> Unit:
        """Whom it protects, and how far one of them may reach."""
        schema = self.schema
        return Unit(
            neighbors=schema.neighbors,
            by_person=schema.by_person,
            keyed=bool(self.keys),
            cells=self.cells,
            max_rows=schema.max_rows,
            max_groups=schema.max_groups,
            max_rows_per_group=schema.max_rows_per_group,
        )

    @property
    def gaussian_unit(self) -> Unit:
        """The same, as people are weighed for Gaussian noise: a strategy needs an L1 norm."""
        return self.unit if self.strategy is not None else self.unit.weighed_by(Norm.L2)

    @cached_property
    def used(self) -> frozenset[str]:
        """The columns of the source that are read."""
        return _used(self)

    @cached_property
    def text(self) -> str:
        """The question on one line, for people, certificates and the ledger."""
        return self.query.text

    @cached_property
    def selects_keys(self) -> bool:
        """Whether groups have to be found privately."""
        return any(isinstance(grouping, PrivateGrouping) for _, grouping in self.keys)

    @cached_property
    def cells(self) -> int | None:
        """The number of groups, where it is public."""
        if self.strategy is not None:
            return self.strategy.cells
        sizes: list[int] = []
        for _, grouping in self.keys:
            if isinstance(grouping, PrivateGrouping):
                return None
            sizes.append(grouping.size)
        return prod(sizes)


def checked_question(query: Query, schema: Schema) -> Question:
    """The question, or a refusal that states fact, rule and remedy.  No data are read."""
    try:
        return _checked(query, schema)
    except DiscreetError as error:
        error.caught_by(query.front)
        raise


def _checked(query: Query, schema: Schema) -> Question:
    _check_unit(query, schema)
    found = origin(query.source, schema)
    source, local = found.relation, _capped(query, schema_of(found, schema))
    columns, asked = dict(local.columns), query
    if query.derived:
        asked = _written_out(query, local)
    clause = "where got" if query.front is Front.PYTHON else "WHERE has"
    where = tuple(condition_of(node, columns, clause) for node in asked.where)
    _check_counts([*where, *(one.of for _, one in asked.outputs if one.of)], found.counts)
    conditions = Conditions(origins_of(source, schema), where)
    keys = _keys(asked.keys, columns, conditions, query.arranged)
    _check_names(query)
    strategy = None if query.arranged is None else strategy_of(query, query.arranged, keys)
    person, replaces = schema.by_person, schema.neighbors is Neighbors.REPLACE
    rules = MeasureRules(
        replace=replaces,
        fixed=replaces and not person and not where and not keys and source == THE_TABLE,
        by_person=person,
        keyed=bool(keys),
        selects_keys=any(isinstance(grouping, PrivateGrouping) for _, grouping in keys),
    )
    outputs = measured(asked.outputs, columns, rules)
    if strategy is not None:
        apart = query.arranged.by_group if isinstance(query.arranged, RunningTotal) else ()
        outputs = by_strategy(outputs, strategy, apart)
    if query.after.nonnegative:
        check_nonnegative(query, outputs)
    for _, one in asked.outputs:
        conditions.check_aggregate(one)
    after = (
        _checked_after(query.after, outputs, keys)
        if query.after != PostProcessing()
        else query.after
    )
    rows, remaining = pushed_down(source, where, schema) if has_pairs(source) else (source, where)
    question = Question(
        schema=local,
        query=query,
        where=where,
        keys=keys,
        outputs=outputs,
        rules=rules,
        source=rows,
        remaining=remaining,
        pair_limits=_pair_limits(rows),
        after=after,
        declared=schema,
        strategy=strategy,
    )
    _check_size(question)
    _check_passes(question)
    return question


def _capped(query: Query, schema: Schema) -> Schema:
    """The declarations with the lower caps of a question."""
    for name, cap in query.caps:
        declared = getattr(schema, name)
        option = name.replace("_", "-")
        if not schema.by_person:
            raise QueryError(
                f"{name} is given, and the unit is the row. A row counts once, so there is nothing "
                "to cap.",
                Remedy(
                    python=f"Leave {name} out.",
                    sql="Leave the cap out.",
                    command=f"Leave --{option} out.",
                ),
            )
        if type(cap) is not int or cap < 1 or (declared is not None and cap > declared):
            most = "" if declared is None else f" to {declared:,}"
            raise QueryError(
                f"{name} is {cap!r:.40}, and a question can only lower a cap: from 1{most}. The "
                "custodian has declared how much one person may count.",
                Remedy(
                    python=f"Write .capped({name}={declared or 1}), or less.",
                    sql=f"Lower it to {declared or 1}, or less.",
                    command=f"Write --{option} {declared or 1}, or less.",
                ),
            )
    caps: dict[str, Any] = dict(query.caps)
    return replace(schema, **caps) if caps else schema


def _pair_limits(source: Relation) -> tuple[int, ...]:
    pairs = {one.pairs for one in relations_in(source) if isinstance(one, Pair)}
    return tuple(sorted((one for one in pairs if one is not None), reverse=True))


def _checked_after(
    after: PostProcessing, outputs: tuple[Output, ...], keys: tuple[tuple[str, Grouping], ...]
) -> PostProcessing:
    columns: dict[str, Column] = {
        output.name: NumberColumn(whole=bool(output.dated), dated=output.dated)
        for output in outputs
    }
    for name, grouping in keys:
        columns[name] = label_column(grouping)
    for _, window in after.windows:
        _check_frame(window, keys)
    return check_after(after, columns, frozenset(name for name, _ in keys))


def _keys(
    keys: tuple[GroupKey, ...],
    columns: Mapping[str, Column],
    conditions: Conditions,
    arranged: Arrangement | None,
) -> tuple[tuple[str, Grouping], ...]:
    """The groupings; how many groups are ``arranged`` together is for their strategy to say."""
    listed = [grouping_of(key, columns) for key in keys]
    if isinstance(arranged, RunningTotal) and not arranged.by_group:
        last = listed[arranged.key]
        if isinstance(last, BinGrouping):
            listed[arranged.key] = replace(last, totals=True)
    private = any(isinstance(one, PrivateGrouping) for one in listed)
    groupings: list[tuple[str, Grouping]] = []
    cells = 1
    for key, declared in zip(keys, listed, strict=True):
        grouping = conditions.left(declared, few=private)
        if grouping is None:
            raise QueryError(
                f"the conditions exclude every group of {expression_text(key.of)[:60]!r}. Only "
                "noise would be paid for. Group by something else, or keep other rows."
            ).at(key.place)
        cells *= 1 if arranged or isinstance(grouping, PrivateGrouping) else grouping.size
        if cells > MOST_KEYS:  # at once: listing the others would take long
            raise QueryError(
                f"the groups are {cells:,} combinations of public values or more. Every one of "
                f"them is released, and at most {MOST_KEYS:,} can be. Group by fewer columns or "
                "wider bins."
            )
        groupings.append((key.name, grouping))
    return tuple(groupings)


def _asked_of(query: Query) -> list[Node]:
    """The expressions that are asked about."""
    return [
        *query.where,
        *(key.of for key in query.keys),
        *(asked.of for _, asked in query.outputs if asked.of is not None),
    ]


def _check_unit(query: Query, schema: Schema) -> None:
    nodes = [*_asked_of(query), *(node for _, node in query.derived)]
    check_sizes(nodes)
    if schema.by_person and schema.unit in names_in(nodes):
        raise QueryError(
            f"the question uses {schema.unit[:60]!r}, which says whose row it is. Nothing about "
            "one person is answered, so it can only be counted.",
            Remedy(
                python="Ask for dp.people().", sql=f"Ask for COUNT(DISTINCT {schema.unit[:60]})."
            ),
        )


def _written_out(query: Query, schema: Schema) -> Query:
    """The question with every derived column written out, once each of them is checked."""
    columns = schema.columns
    derived: dict[str, Node] = {}
    for name, node in query.derived:
        if name in columns or name in derived or name == schema.unit:
            raise QueryError(
                f"the derived column {name[:60]!r} has the name of another one. A column keeps the "
                "meaning that was declared; above all, nothing may write the id. Use a new name."
            )
        derived[name] = replaced(node, derived)
    check_sizes(derived.values())  # before each is looked at
    for node in derived.values():
        check_expression(node, columns)
    asked = replace(
        query,
        where=tuple(replaced(node, derived) for node in query.where),
        keys=tuple(replace(key, of=replaced(key.of, derived)) for key in query.keys),
        outputs=tuple(
            (name, one if one.of is None else replace(one, of=replaced(one.of, derived)))
            for name, one in query.outputs
        ),
    )
    check_sizes(_asked_of(asked))
    return asked


def _check_names(query: Query) -> None:
    if not query.outputs:
        raise QueryError(
            "nothing is asked of the groups. An answer needs at least one aggregate.",
            Remedy(
                python='Write .agg(n=dp.rows()) or .agg(mean=dp.col("x").mean()).',
                sql="Write COUNT(*) AS n or AVG(x) AS mean.",
            ),
        )
    if sum(len(asked.columns(name)) for name, asked in query.outputs) > _MOST_OUTPUTS:
        raise QueryError(
            f"more than {_MOST_OUTPUTS} aggregates are asked at once, each level of a quantile "
            "and each coefficient counted. They share one ε. Ask fewer."
        )
    if any(
        level.denominator > _FINEST_LEVEL for _, asked in query.outputs for level in asked.levels
    ):
        raise QueryError(
            "the level of a quantile has more than 15 digits. It is the share of rows below the "
            "value, and kept exactly. Write 0.9, or another of a few digits."
        )
    names = [key.name for key in query.keys]
    for name, asked in query.outputs:
        columns = [column for column, _, _ in asked.columns(name)]
        names += [column + end for column in columns for end in ("", "_lower", "_upper")]
    doubled = [name for name, times in Counter(names).items() if times > 1]
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


def _check_size(question: Question) -> None:
    for name, grouping in question.keys:
        long = isinstance(grouping, ListedGrouping) and len(grouping.values) > MOST_BINS
        if question.selects_keys and long:
            raise QueryError(
                f"{name[:60]!r} has more than {MOST_BINS:,} public values and stands beside a key "
                "whose values are private. Each combination is looked for. Group by fewer."
            )
    caps = {measure.cap_name for measure in question.measures}
    if question.selects_keys:
        caps.add("max_groups")
    for cap in sorted(caps):
        question.unit.cap(cap)  # a cap that is needed and not declared is refused


def _check_passes(question: Question) -> None:
    """Refuse what an engine would be asked in too many queries, or in too long ones."""
    apart = [measure for measure in question.measures if not measure.reading.together]
    passes = len(apart) + (len(apart) < len(question.measures)) + question.selects_keys
    if passes > _MOST_PASSES:
        raise QueryError(
            f"the question needs {passes} passes over the table. Every quantile, least, largest "
            "or distinct value of another expression, and every count of people by another "
            f"condition, is a pass, and at most {_MOST_PASSES} are made. Ask several questions."
        )
    written = passes * _parts_of_pass(question) + sum(map(_parts_measured, question.measures))
    if written > _MOST_WRITTEN:
        raise QueryError(
            f"the question becomes about {written:,} parts of SQL in {passes} passes over the "
            f"table, each of which has its joins, conditions and groups. At most {_MOST_WRITTEN:,} "
            "are written. Ask several questions, or simpler ones."
        )
    keys = [grouping for _, grouping in question.keys]
    own = [one.node for one in question.measures if one.node is not None]
    row_nodes = [*question.where, *(one.node for one in keys), *own]
    texts = sum(
        isinstance(one, Joined)
        or (isinstance(one, Applied) and SIGNATURES[one.function].gives is Kind.TEXT)
        for node in row_nodes
        for one in walk(node)
    )
    if texts > _MOST_TEXTS:
        raise QueryError(
            f"the question makes texts of texts {texts:,} times (LOWER, TRIM, || and the like). An "
            f"engine keeps each of them in memory, so at most {_MOST_TEXTS} are made. Ask several "
            "questions, or simpler ones."
        )


def _parts_of_pass(question: Question) -> int:
    """How many parts the SQL of a pass has besides what it measures, about."""
    parts = _PARTS_OF_PASS + _TIMES_READ * sum(map(written_size, question.where))
    for one in relations_in(question.source):
        parts += _PARTS_OF_ROWS[type(one)]
        nodes: list[Node] = []
        if isinstance(one, Selected):
            nodes += [node for _, node in one.columns]
        if isinstance(one, PerPerson):
            parts += _PARTS_OF_SUMMARY * len(one.summaries)
            nodes += [asked.of for _, asked in one.columns if asked.of is not None]
        if isinstance(one, Selected | PerPerson):
            parts += _TIMES_READ * sum(map(written_size, [*nodes, *one.where]))
    for _, grouping in question.keys:
        parts += _TIMES_MEASURED * written_size(grouping.node)
        if isinstance(grouping, BinGrouping):
            parts += _PARTS_OF_BIN * grouping.size
        if isinstance(grouping, ListedGrouping):  # texts are one part together
            parts += _PARTS_OF_LISTED * sum(not isinstance(one, str) for one in grouping.values)
    return parts


def _parts_measured(measure: Measure) -> int:
    """How many parts the SQL of what is measured has, about."""
    if measure.node is None:
        return 0
    value = getattr(measure.reading, "value", None)
    parts = _PARTS_OF_VALUE + _TIMES_MEASURED * written_size(measure.node)
    if isinstance(value, Jointly):
        parts += len(value.powers) * (_PARTS_OF_PRODUCT + _PARTS_OF_FACTOR * len(value.values))
    return parts


def _check_counts(nodes: Sequence[Node], caps: Mapping[str, int]) -> None:
    """Refuse to compare how many rows a person has with more than are counted."""
    if not caps:
        return
    for node in (one for whole in nodes for one in walk(whole)):
        match node:
            case Compared(operator, Named(name), Constant(Fraction() as number)) if name in caps:
                cap = caps[name]
                if number > cap or (number == cap and operator in (">", "<=")):
                    raise QueryError(
                        f"{expression_text(node)[:60]!r} compares how many rows a person has with "
                        f"{number_text(number)}. Of one person {cap} are counted (max_rows), so it "
                        "would be the same for everybody with so many. Compare with less, or let "
                        "the custodian raise max_rows."
                    ).at(node.place)


def _used(question: Question) -> frozenset[str]:
    nodes = [*question.remaining, *(grouping.node for _, grouping in question.keys)]
    nodes += [one.node for one in question.measures if one.node is not None]
    names = names_in(nodes)
    missing = names - set(question.schema.columns)
    if missing:
        raise unknown_column(sorted(missing)[0], question.schema.columns)
    return names
