"""One SELECT of groups and aggregates ▶ a question.

An answer has one row for each group, and shows what it is grouped by: what GROUP BY has and SELECT
has not comes in front, and GROUP BY ALL is everything in SELECT that is no aggregate.  What is
computed from aggregates, HAVING, ORDER BY and LIMIT are done with the released numbers.
"""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sqlglot import exp

from discreet.errors import DiscreetError, Front, QueryError
from discreet.measures.measure import Aggregate
from discreet.plan.expressions import (
    Both,
    Calculation,
    Constant,
    Named,
    Node,
    expression_text,
    walk,
)
from discreet.plan.expressions import conjuncts as parts_of
from discreet.plan.schema import Schema
from discreet.question.arrangements import MOST_TABLES, is_total, subsets
from discreet.question.query import (
    Arrangement,
    GroupingSets,
    GroupKey,
    GroupWindow,
    PostProcessing,
    Query,
    RunningTotal,
)
from discreet.sql.read.allow_list import AGGREGATE_NAMES
from discreet.sql.read.expressions import read_node
from discreet.sql.read.from_clause import Catalog
from discreet.sql.read.messages import (
    Example,
    did_you_mean,
    listed_names,
    position_of,
    with_position,
)
from discreet.sql.read.outer_select import without_outer_selects
from discreet.sql.read.parser import (
    check_clauses,
    parsed_statement,
    present_arguments,
    sql_excerpt,
    tree_conjuncts,
)
from discreet.sql.read.scopes import (
    FromRows,
    GroupItem,
    Scope,
    has_aggregate,
    readable,
)
from discreet.sql.read.unions import without_unions
from discreet.sql.read.windows import group_window

_LONGEST_NAME = 200
_SETS = exp.Cube | exp.Rollup | exp.GroupingSets


@dataclass(frozen=True, slots=True)
class SelectItem:
    """A column of the answer under the name it was given: a group, or released numbers."""

    tree: exp.Expr
    name: str | None
    asks: GroupItem | Node


def _divides_by_zero(node: Node) -> bool:
    match node:
        case Calculation("/", _, Constant(Fraction(numerator=0))):
            return True
    return False


@dataclass(slots=True)
class SelectReader:
    """One SELECT being read: what its names mean, and the aggregates found so far."""

    view: FromRows
    example: Example
    grouped: bool = False
    """Whether it has GROUP BY."""
    outputs: dict[Aggregate, str] = field(default_factory=dict)
    running: dict[Aggregate, str] = field(default_factory=dict)
    """Aggregates of which every group is added to those before it, by SUM(…) OVER."""
    added_up: list[exp.Expr] = field(default_factory=list)
    """Where these are asked for."""
    windows: dict[GroupWindow, str] = field(default_factory=dict)
    """What is computed for each group from several, by its name."""
    _taken: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        """The SELECT as it was written."""
        return self.view.text

    def condition(self, tree: exp.Expr) -> Node:
        """A condition of WHERE, about rows."""
        with with_position(tree, self.text):
            if has_aggregate(tree):
                raise QueryError(
                    f"WHERE has {sql_excerpt(tree)!r}. It chooses rows, before anything is "
                    "counted. Write HAVING for released numbers."
                )
            return self.view.read(tree)

    def reserve(self, group: exp.Expr | None) -> None:
        """Names of columns in GROUP BY, which are not given to aggregates without a name."""
        entries = [] if group is None else group.expressions
        self._taken |= {one.name for one in entries if type(one) is exp.Column}

    def items(self, trees: list[exp.Expr]) -> list[SelectItem]:
        """The columns of a SELECT; those that are one aggregate name it."""
        inners = [tree.this if type(tree) is exp.Alias else tree for tree in trees]
        names = [tree.alias if type(tree) is exp.Alias else None for tree in trees]
        self._taken |= {name for name in names if name is not None}
        released = self._released_names(inners, names)
        items_found: list[SelectItem | None] = []
        for inner, name in zip(inners, names, strict=True):
            computes = self._computes(inner, released)
            items_found.append(None if computes else self._plain(inner, name))
        named = [
            one
            for one in items_found
            if one is not None and (isinstance(one.asks, GroupItem) or not self._hides(one))
        ]
        return [
            SelectItem(inner, name, self.released(inner, named)) if one is None else one
            for one, inner, name in zip(items_found, inners, names, strict=True)
        ]

    def _plain(self, tree: exp.Expr, name: str | None) -> SelectItem | None:
        """A group, or an aggregate that stands alone; None for what is computed from some."""
        if type(tree) is exp.Star:
            raise QueryError(
                f"the SELECT has *. Only statistics of groups are "
                f"released, never rows. Write {self.example.question}."
            ).at(position_of(tree, self.text))
        with with_position(tree, self.text):
            added = None if type(tree) is not exp.Window else self._added_up(tree, [])
            if added is not None:
                return SelectItem(tree, name, Named(self._running(tree, added, name)))
            if tree.find(exp.Window) is not None:
                return None
            aggregate = Scope(self.view).aggregate(tree)
            if aggregate is not None:
                return SelectItem(tree, name, Named(self._output(aggregate, name)))
            if has_aggregate(tree):
                return None
            item = SelectItem(tree, name, self.group(tree))
            self._taken.add(self.group_name(item))
            return item

    def _released_names(self, trees: list[exp.Expr], names: list[str | None]) -> set[str]:
        """The names of aggregates in this SELECT, unless a column of FROM has it: that comes
        first."""
        columns = {one.name.casefold() for one in self.view.columns}
        found = {
            name.casefold()
            for tree, name in zip(trees, names, strict=True)
            if name is not None and has_aggregate(tree) and tree.find(exp.Window) is None
        }
        return found - columns

    def _computes(self, tree: exp.Expr, released: set[str]) -> bool:
        """Whether an expression without an aggregate of its own is computed from released ones."""
        if not released or has_aggregate(tree) or tree.find(exp.Window) is not None:
            return False
        columns = (one for one in tree.find_all(exp.Column) if not one.table)
        return any(one.name.casefold() in released for one in columns)

    def group(self, tree: exp.Expr) -> GroupItem:
        """The group that an expression stands for."""
        return Scope(self.view).group(tree)

    def _hides(self, item: SelectItem) -> bool:
        """Whether a released number has the name of a column of FROM, which comes first."""
        name = (item.name or "").casefold()
        return any(one.name.casefold() == name for one in self.view.columns)

    def is_column(self, tree: exp.Expr) -> bool:
        """Whether a name is that of a column of FROM."""
        return any(one.name.casefold() == tree.name.casefold() for one in self.view.columns)

    def released(self, tree: exp.Expr, items: list[SelectItem]) -> Node:
        """An expression over released numbers and the names of groups."""
        with with_position(tree, self.text):
            node = read_node(tree, lambda part: self._meaning(part, items), self.text)
            if any(map(_divides_by_zero, walk(node))):
                raise QueryError(
                    f"the SELECT has {sql_excerpt(tree)!r}, a division by 0. There is no such "
                    "number, and nothing would be released for the price. Divide by another one."
                )
            return node

    def _window(self, tree: exp.Expr, items: list[SelectItem]) -> Node:
        """A number of each group that is computed from released numbers of several groups."""
        with with_position(tree, self.text):
            if not self._is_of_released(tree, items):
                raise QueryError(
                    f"the SELECT has {sql_excerpt(tree)!r}, a window over rows. It looks at other "
                    "rows for every row, and those may be other people's. Windows are computed "
                    "from released groups. Write SUM(COUNT(*)) OVER () with GROUP BY, or order the "
                    "released groups with ORDER BY … LIMIT."
                )

            def key(part: exp.Expr) -> str | None:
                node = self._meaning(part, items)
                names = {self.group_name(one) for one in items if isinstance(one.asks, GroupItem)}
                return node.name if isinstance(node, Named) and node.name in names else None

            window = group_window(tree, lambda part: self.released(part, items), key)
            window = replace(window, place=position_of(tree, self.text))
        if window not in self.windows:
            self.windows[window] = self._unused(window.function.lower())
        return Named(self.windows[window])

    def _is_of_released(self, tree: exp.Expr, items: list[SelectItem]) -> bool:
        """Whether a window is computed from groups, and not from rows."""
        if type(tree.this) is exp.Count and type(tree.this.this) is exp.Star:
            return self.grouped
        order = tree.args.get("order")
        of = [] if order is None else order.expressions
        if tree.this.args.get("this") is not None:
            of = [tree.this.this]
        columns = [column for one in of for column in one.find_all(exp.Column)]
        return any(map(has_aggregate, of)) or any(
            item.tree == column or _is_named(item, column.name)
            for item in items
            for column in columns
        )

    def node(self, item: SelectItem) -> Node:
        """A column of the answer as an expression over its names."""
        return Named(self.group_name(item)) if isinstance(item.asks, GroupItem) else item.asks

    def group_name(self, item: SelectItem) -> str:
        """The name of a group in the answer."""
        if item.name is not None or not isinstance(item.asks, GroupItem):
            return item.name or ""
        return item.tree.name if type(item.tree) is exp.Column else item.asks.name

    def shown(self, items: list[SelectItem]) -> tuple[tuple[str, Node], ...]:
        """The columns of released numbers, each under a name of its own."""
        columns: list[tuple[str, Node]] = []
        taken = {self.group_name(one) for one in items if isinstance(one.asks, GroupItem)}
        for item in items:
            if isinstance(item.asks, GroupItem):
                continue
            name, node = self._shown(item)
            if item.name is None and name in taken:
                name = self._unused(name)
            for own, part in self._columns(item, name, node):
                names = {own, f"{own}_lower", f"{own}_upper"}
                self._check_name(item, own, names & taken)
                taken |= names
                columns.append((own, part))
        return tuple(columns)

    def _columns(self, item: SelectItem, name: str, node: Node) -> list[tuple[str, Node]]:
        """The columns that an item is: a list of quantiles is several."""
        aggregate = self._list(item)
        if aggregate is None or not isinstance(node, Named):
            return [(name, node)]
        released = aggregate.columns(node.name)
        own = aggregate.columns(name)
        return [(one[0], Named(two[0])) for one, two in zip(own, released, strict=True)]

    def _list(self, item: SelectItem) -> Aggregate | None:
        """The aggregate of an item that is several numbers."""
        if not isinstance(item.asks, Named):
            return None
        asked = {name: aggregate for aggregate, name in self.outputs.items()}
        aggregate = asked.get(item.asks.name)
        return aggregate if aggregate is not None and len(aggregate.columns("")) > 1 else None

    def _check_name(self, item: SelectItem, name: str, doubled: set[str]) -> None:
        if doubled:
            raise QueryError(
                f"two columns of the answer are named "
                f"{min(doubled)[:60]!r}. Each has a name of its own, and an aggregate n also gives "
                "n_lower and n_upper. Use another name."
            ).at(position_of(item.tree, self.text))
        if not name or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise QueryError(
                f"a column of the answer is named {name[:60]!r}. "
                f"Names are 1 to {_LONGEST_NAME} printable characters. Use another name."
            ).at(position_of(item.tree, self.text))

    def _shown(self, item: SelectItem) -> tuple[str, Node]:
        node = self.node(item)
        if item.name is not None:
            return item.name, node
        if isinstance(node, Named):
            return node.name, node
        return self._unused(re.sub(r"\W+", "_", expression_text(node)).strip("_")[:60]), node

    def _added_up(self, tree: exp.Expr, items: list[SelectItem]) -> Aggregate | None:
        """The aggregate that OVER adds up group after group, for running totals."""
        if type(tree.this) is not exp.Sum or not _is_from_the_first(tree):
            return None
        inner, aggregate = tree.this.this, None
        if type(inner) is exp.Column:
            asked = {name: aggregate for aggregate, name in self.outputs.items()}
            for item in items:
                if item.name is not None and _is_named(item, inner.name):
                    own = item.asks if isinstance(item.asks, Named) else None
                    aggregate = None if own is None else asked.get(own.name)
        else:
            aggregate = Scope(self.view).aggregate(inner)
        return aggregate if aggregate is not None and aggregate.statistic.adds_up else None

    def _running(self, tree: exp.Expr, aggregate: Aggregate, name: str | None) -> str:
        """The name under which running totals are released."""
        self.added_up.append(tree)
        if aggregate not in self.running:
            self.running[aggregate] = name or self._unused(f"running_{readable(aggregate)}")
        return self.running[aggregate]

    def _meaning(self, tree: exp.Expr, items: list[SelectItem]) -> Node | None:
        if type(tree) is exp.Window:
            added = self._added_up(tree, items)
            if added is not None:
                return Named(self._running(tree, added, None))
            return self._window(tree, items)
        aggregate = Scope(self.view).aggregate(tree)
        if aggregate is not None:
            if len(aggregate.columns("")) > 1:
                raise self.of_several(tree)
            return Named(self._output(aggregate, None))
        for item in items:
            if isinstance(item.asks, GroupItem) and item.tree == tree:
                return self.node(item)
        if type(tree) is exp.Grouping and len(tree.expressions) == 1:
            key = self._meaning(tree.expressions[0], items)
            if isinstance(key, Named):
                return is_total(key)
        if type(tree) is not exp.Column:
            return None
        if tree.args.get("table") is None:
            for item in items:
                if item.name is not None and item.name.casefold() == tree.name.casefold():
                    if self._list(item) is not None:
                        raise self.of_several(tree)
                    return replace(self.node(item), place=None)  # it stands here as well
            self._check_known(tree, items)
        column = self.view.resolve(tree)
        for item in items:
            if isinstance(item.asks, GroupItem) and item.asks == GroupItem(column or Named("")):
                return self.node(item)
        raise QueryError(
            f"{sql_excerpt(tree)!r} stands among released numbers, and is "
            "neither an aggregate nor a group of the SELECT. Single rows are never released. Use "
            f"an aggregate of it: {AGGREGATE_NAMES}."
        ).at(position_of(tree, self.text))

    def is_list(self, item: SelectItem) -> bool:
        """Whether an item is a list of quantiles, which is several columns."""
        return self._list(item) is not None

    def of_several(self, tree: exp.Expr) -> QueryError:
        """The refusal of a list of quantiles where one number is needed."""
        return QueryError(
            f"{sql_excerpt(tree)!r} is several numbers, one for each level, and stands where one "
            "is needed. Write one level: QUANTILE(x, 0.5)."
        ).at(position_of(tree, self.text))

    def _check_known(self, tree: exp.Expr, items: list[SelectItem]) -> None:
        if type(tree.this) is not exp.Identifier or self.is_column(tree):
            return
        named = [self._shown(one)[0] if one.name is None else one.name for one in items]
        answer = list(dict.fromkeys(named))
        table = list(dict.fromkeys(one.name for one in self.view.columns))
        in_answer = f"in the answer {listed_names(answer)}; " if answer else ""
        raise self.view.unknown(
            tree,
            f"{did_you_mean(tree.name, [*answer, *table])} Columns of the answer, and declared "
            f"ones, can be used here. Existing columns: {in_answer}in FROM {listed_names(table)}.",
        )

    def _output(self, aggregate: Aggregate, name: str | None) -> str:
        """The name under which an aggregate is released; one that is asked twice is paid once."""
        if aggregate not in self.outputs:
            self.outputs[aggregate] = name or self._unused(readable(aggregate))
        return self.outputs[aggregate]

    def _unused(self, name: str) -> str:
        place, candidate = 1, name or "column"
        while candidate in self._taken:
            place += 1
            candidate = f"{name}_{place}"
        self._taken.add(candidate)
        return candidate


def parse_select(text: str, schema: Schema) -> Query:
    """The question that a SELECT asks about the tables that were declared.

    >>> from discreet.plan.schema import category, number
    >>> columns = {"ward": category(["A", "B"]), "stay": number(0, 60)}
    >>> visits = Schema(name="visits", columns=columns)
    >>> parse_select("SELECT ward, AVG(stay) FROM visits GROUP BY 1", visits).text
    'avg_stay = mean(stay) GROUP BY ward'
    """
    try:
        return _parsed(text, schema)
    except DiscreetError as error:
        error.caught_by(Front.SQL)
        raise


def _parsed(text: str, schema: Schema) -> Query:
    example = Example(schema)
    tree = parsed_statement(text, example)
    tree = without_unions(tree, text) if type(tree) is exp.Union else tree
    check_clauses(tree, text, example, inner=False)
    catalog = Catalog(schema, text).with_queries(tree)
    whole = False  # all groups together are the one row
    if catalog.released_inside(tree) is not None:
        tree, catalog, whole = without_outer_selects(tree, catalog)
    view = catalog.source(tree)
    clause = tree.args.get("where")
    conditions = []
    for one in [] if clause is None else tree_conjuncts(clause.this):
        chosen = catalog.chosen(view, one)
        conditions += [one] if chosen is None else []
        view = view if chosen is None else chosen
    reading = SelectReader(view, example, tree.args.get("group") is not None)
    _check_no_rows(tree, reading)
    where = [reading.condition(one) for one in conditions]
    reading.reserve(tree.args.get("group"))
    asked = reading.items(tree.expressions)
    items, sets = _grouped(tree.args.get("group"), asked, reading)
    keys = tuple(
        GroupKey(
            reading.group_name(one), one.asks.of, one.asks.edges, one.asks.dated, one.asks.place
        )
        for one in items
        if isinstance(one.asks, GroupItem)
    )
    having, order, limit, offset = _after(tree, asked, items, reading)
    if not reading.outputs and not reading.running:
        raise QueryError(
            f"the SELECT has no aggregate. Only statistics "
            f"of groups are released, never rows. Add one: {AGGREGATE_NAMES}."
        ).at(position_of(tree.expressions[0], text))
    both = [*reading.outputs.items(), *reading.running.items()]
    outputs = tuple((name, asked) for asked, name in both)
    shown = reading.shown(items)
    columns = [column for name, one in outputs for column, _, _ in one.columns(name)]
    if shown == tuple((name, Named(name)) for name in columns):
        shown = ()
    windows = tuple((name, window) for window, name in reading.windows.items())
    after = PostProcessing(shown, having, order, limit, offset, windows, whole)
    kept = [part for node in (*view.where, *where) for part in parts_of(node)]
    return Query(
        tuple(kept),
        (),
        keys,
        outputs,
        view.source,
        after,
        arranged=_arranged(items, sets, reading),
        front=Front.SQL,
        written=text,
    )


def _is_from_the_first(tree: exp.Expr) -> bool:
    """Whether OVER takes all groups up to the present one, in a rising order of one of them."""
    order, spec = tree.args.get("order"), tree.args.get("spec")
    by = [] if order is None else order.expressions
    plain = len(by) == 1 and present_arguments(by[0]) <= {"this", "nulls_first"}
    if spec is not None:  # in any of its spellings
        start = (spec.args.get("start"), spec.args.get("start_side"))
        plain = plain and start == ("UNBOUNDED", "PRECEDING")
        plain = plain and spec.args.get("end") in (None, "CURRENT ROW")
        plain = plain and not present_arguments(spec) & {"end_side", "exclude"}
    return plain


def _running_total(items: list[SelectItem], reading: SelectReader) -> RunningTotal:
    """The key in whose order groups are added up, which all windows have in common."""
    groups = [one for one in items if isinstance(one.asks, GroupItem)]

    def place(tree: exp.Expr) -> int | None:
        for number, item in enumerate(groups):
            named = type(tree) is exp.Column and _is_named(item, tree.name)
            if named or item.tree == tree or item.asks == _group_or_none(tree, reading):
                return number
        return None

    found = set()
    for window in reading.added_up:
        along = place(window.args["order"].expressions[0].this)
        apart = {place(one) for one in window.args.get("partition_by") or []}
        if along is None or apart != {*range(len(groups))} - {along}:
            raise QueryError(
                f"the SELECT has {sql_excerpt(window)!r}. Running totals go along one group of the "
                "SELECT, for each of the others. Write ORDER BY that group, and PARTITION BY every "
                "other one of GROUP BY."
            ).at(position_of(window, reading.text))
        found.add(along)
    if len(found) > 1:
        raise QueryError(
            "the SELECT adds up along two groups. One measurement serves one order. Ask for the "
            "other in a question of its own."
        ).at(position_of(reading.added_up[0], reading.text))
    return RunningTotal(found.pop(), tuple(reading.outputs.values()))


def _group_or_none(tree: exp.Expr, reading: SelectReader) -> GroupItem | None:
    try:
        return reading.group(tree)
    except DiscreetError:  # a name of the answer, or nothing that rows have
        return None


def _arranged(
    items: list[SelectItem], sets: list[tuple[GroupItem, ...]], reading: SelectReader
) -> Arrangement | None:
    """Running totals, or the tables of GROUP BY by the places of their keys.

    None where there is one table by all keys, and nothing is added up.
    """
    places: dict[GroupItem, int] = {}
    for item in items:
        if isinstance(item.asks, GroupItem):
            places.setdefault(item.asks, len(places))
    tables = [tuple(sorted({places[group] for group in one})) for one in sets]
    distinct = tuple(dict.fromkeys(tables))
    if reading.windows and distinct != (tuple(range(len(places))),):
        raise QueryError(
            "the SELECT has a window over groups, and GROUP BY has several tables. Among their "
            "numbers are totals of others, so that a sum would count what is in both twice. Ask "
            "for one table, or take the totals that the tables have."
        ).at(next(iter(reading.windows)).place)
    if reading.added_up and len(distinct) > 1:
        raise QueryError(
            "the SELECT has running totals, and GROUP BY has several tables. Each is measured in "
            "its own way. Ask for them in two questions."
        ).at(position_of(reading.added_up[0], reading.text))
    if reading.added_up:
        return _running_total(items, reading)
    return None if distinct == (tuple(range(len(places))),) else GroupingSets(distinct)


def explained(text: object) -> str | None:
    """The SELECT whose plan an EXPLAIN asks for; None if the text is no EXPLAIN.

    What stands before it becomes spaces, so that errors point at the text as it was written.

    >>> explained("EXPLAIN SELECT COUNT(*) FROM visits")
    '        SELECT COUNT(*) FROM visits'
    """
    if not isinstance(text, str):
        return None
    match = re.match(r"\s*EXPLAIN\s+", text, re.IGNORECASE)
    return None if match is None else re.sub(r"\S", " ", match.group()) + text[match.end() :]


def _check_no_rows(tree: exp.Expr, reading: SelectReader) -> None:
    """Refuse a SELECT of single rows, before anything is said about groups."""
    clauses = [tree.args.get(name) for name in ("having", "order")]
    parts = [*tree.expressions, *(one for one in clauses if one is not None)]
    starred = any(type(one) is exp.Star for one in tree.expressions)  # is refused where it stands
    if tree.args.get("group") is None and not starred and not any(map(has_aggregate, parts)):
        raise QueryError(
            f"the SELECT has neither an aggregate nor "
            "GROUP BY. Single rows are never released, only statistics of groups. Write "
            f"{reading.example.question}."
        ).at(position_of(tree.expressions[0], reading.text))


def _grouped(
    group: exp.Expr | None, items: list[SelectItem], reading: SelectReader
) -> tuple[list[SelectItem], list[tuple[GroupItem, ...]]]:
    """The groups of GROUP BY that the SELECT has not, and all columns that it has.

    A group that both write out is placed where it is grouped by.  Beside them are the groups of
    each table: there is one, but for CUBE, ROLLUP and GROUPING SETS.
    """
    text = reading.text
    every_group = group is not None and present_arguments(group) == {"all"}
    if group is not None and not every_group and present_arguments(group) != {"expressions"}:
        raise QueryError(
            f"the SELECT has {sql_excerpt(group)!r}. GROUP BY takes columns, "
            "expressions, aliases and positions, and CUBE, ROLLUP and GROUPING SETS of them. Write "
            "one of these."
        ).at(position_of(group, text))
    entries = [] if group is None else group.expressions
    asked: dict[GroupItem, exp.Expr] = {}
    known: dict[int, GroupItem] = {}
    for entry in entries:
        for item in _leaves(entry):
            with with_position(item, text):
                known[id(item)] = _entry(item, items, reading)
                asked[known[id(item)]] = item
    sets = [tuple(known[id(item)] for item in one) for one in _tables(entries, text)]
    selected = [(item.asks, item.tree) for item in items if isinstance(item.asks, GroupItem)]
    if every_group:
        asked = dict(selected)
        sets = [tuple(asked)]
    hidden = [(found, item) for found, item in asked.items() if found not in dict(selected)]
    for found, tree in selected:
        if found not in asked:
            every = ", ".join(sql_excerpt(item) for _, item in (*hidden, *selected))
            raise QueryError(
                f"the SELECT has {sql_excerpt(tree)!r}, which is neither an "
                f"aggregate nor in GROUP BY. Only groups and their statistics are released. Write "
                f"GROUP BY {every[:200]}, or an aggregate such as COUNT(DISTINCT "
                f"{sql_excerpt(tree)})."
            ).at(position_of(tree, text))
    if len(dict(selected)) < len(selected):
        asks = [found for found, _ in selected]
        doubled, tree = next(
            (found, tree) for place, (found, tree) in enumerate(selected) if found in asks[:place]
        )
        raise QueryError(
            f"the SELECT has the group {doubled.name[:60]!r} twice. Each "
            "group is one column. Take one out."
        ).at(position_of(tree, text))
    entry = {found: found for found in asked}
    grouped = [
        *(SelectItem(tree, None, found) for found, tree in hidden),
        *(
            replace(one, asks=entry[one.asks]) if isinstance(one.asks, GroupItem) else one
            for one in items
        ),
    ]
    return grouped, sets


def _leaves(tree: exp.Expr) -> list[exp.Expr]:
    """The expressions that an entry of GROUP BY is made of."""
    if isinstance(tree, _SETS | exp.Tuple):
        return [leaf for one in tree.expressions for leaf in _leaves(one)]
    return _leaves(tree.this) if type(tree) is exp.Paren else [tree]


def _tables(entries: list[exp.Expr], text: str) -> list[tuple[exp.Expr, ...]]:
    """The expressions of each table: every table of an entry beside every one of the others."""
    tables: list[tuple[exp.Expr, ...]] = [()]
    for entry in entries:
        own = _tables_of(entry, text)
        if len(tables) * len(own) > MOST_TABLES:
            raise QueryError(
                f"GROUP BY asks for {len(tables) * len(own):,} tables. Each of them is released, "
                f"and at most {MOST_TABLES:,} are. Write GROUPING SETS with those that are needed."
            ).at(position_of(entry, text))
        tables = [(*one, *other) for one in tables for other in own]
    return tables


def _tables_of(tree: exp.Expr, text: str) -> list[tuple[exp.Expr, ...]]:
    """The tables of one entry of GROUP BY, by their expressions."""
    if type(tree) is exp.GroupingSets:
        return [table for one in tree.expressions for table in _tables_of(one, text)]
    if type(tree) is exp.Rollup:
        parts = [tuple(_leaves(one)) for one in tree.expressions]
        ends = range(len(parts), -1, -1)
        return [tuple(leaf for part in parts[:end] for leaf in part) for end in ends]
    if type(tree) is exp.Cube:
        parts = [tuple(_leaves(one)) for one in tree.expressions]
        with with_position(tree, text):
            chosen = subsets(len(parts))
        return [tuple(leaf for place in one for leaf in parts[place]) for one in chosen]
    return [tuple(_leaves(tree))]


def _entry(tree: exp.Expr, items: list[SelectItem], reading: SelectReader) -> GroupItem:
    """What an entry of GROUP BY means: a position, an alias, or an expression."""
    if type(tree) is exp.Literal and not tree.is_string:
        place = int(tree.name) if tree.name.isdecimal() and len(tree.name) < 6 else 0
        item = items[place - 1].asks if 0 < place <= len(items) else None
        if not isinstance(item, GroupItem):
            raise QueryError(
                f"GROUP BY has the position {tree.name[:20]!r}, where no group stands. Positions "
                "count the columns of the SELECT from 1. Write the group's name instead."
            )
        return item
    alias = tree.name if type(tree) is exp.Column and present_arguments(tree) == {"this"} else None
    meant = next((one for one in items if alias is not None and _is_named(one, alias)), None)
    if meant is None:
        return reading.group(tree)
    if not isinstance(meant.asks, GroupItem):
        raise QueryError(
            f"GROUP BY has {meant.name!r}, which is an aggregate. Groups are made of rows, before "
            "anything is counted. Group by a column or an expression."
        )
    if reading.is_column(tree) and Scope(reading.view).group(tree) != meant.asks:
        raise QueryError(
            f"GROUP BY has {meant.name!r}, which is both a column and an alias. Databases differ "
            "in which they mean. Use another alias."
        )
    return meant.asks


def _is_named(item: SelectItem, alias: str) -> bool:
    return item.name is not None and item.name.casefold() == alias.casefold()


def _after(
    tree: exp.Expr, asked: list[SelectItem], items: list[SelectItem], reading: SelectReader
) -> tuple[Node | None, tuple[tuple[Node, bool], ...], int | None, int]:
    """HAVING, ORDER BY, LIMIT and OFFSET, which are about the released numbers."""
    having: Node | None = None
    clause = tree.args.get("having")
    for one in [] if clause is None else tree_conjuncts(clause.this):
        condition = reading.released(one, items)
        having = condition if having is None else Both(having, condition)
    order = tree.args.get("order")
    entries = [] if order is None else order.expressions
    by = [_ordering(one, asked, items, reading) for one in entries]
    limit = _number(tree.args.get("limit"), exp.Limit, "LIMIT", 1, reading.text)
    offset = _number(tree.args.get("offset"), exp.Offset, "OFFSET", 0, reading.text)
    return having, tuple(by), limit, offset or 0


def _ordering(
    tree: exp.Expr, asked: list[SelectItem], items: list[SelectItem], reading: SelectReader
) -> tuple[Node, bool]:
    if type(tree) is not exp.Ordered or present_arguments(tree) - {"this", "desc", "nulls_first"}:
        raise QueryError(
            f"ORDER BY has {sql_excerpt(tree)!r}. Groups are ordered by "
            "released numbers or by their names. Write ORDER BY n DESC."
        ).at(position_of(tree, reading.text))
    if tree.args.get("nulls_first"):
        raise QueryError(
            "ORDER BY has NULLS FIRST. Groups whose value is "
            "missing come last, in either direction, so that LIMIT keeps known ones. Write NULLS "
            "LAST, or leave it out."
        ).at(position_of(tree, reading.text))
    by, falling = tree.this, bool(tree.args.get("desc"))
    if type(by) is exp.Literal and not by.is_string:
        place = int(by.name) if by.name.isdecimal() and len(by.name) < 6 else 0
        if not 0 < place <= len(asked):
            raise QueryError(
                f"ORDER BY has the position {by.name[:20]!r}, where "
                "no column stands. Positions count the columns of the SELECT from 1. Write the "
                "column's name instead."
            ).at(position_of(tree, reading.text))
        if reading.is_list(asked[place - 1]):
            raise reading.of_several(asked[place - 1].tree)
        return reading.node(asked[place - 1]), falling
    return reading.released(by, items), falling


def _number(
    clause: exp.Expr | None, kind: type[exp.Expr], word: str, least: int, text: str
) -> int | None:
    if clause is None:
        return None
    number = clause.args.get("expression")
    plain = type(clause) is kind and present_arguments(clause) == {"expression"}
    whole = plain and type(number) is exp.Literal and not number.is_string
    size = number.name if whole and number is not None else ""
    if not size.isdecimal() or len(size) > 9 or int(size) < least:
        raise QueryError(
            f"the SELECT has {sql_excerpt(clause)!r}. It is about the groups "
            f"of the answer. Write a whole number from {least} up, such as {word} 3."
        ).at(position_of(clause, text))
    return int(size)
