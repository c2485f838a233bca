"""FROM ▶ relations: one table, tables joined by person or with public ones, subqueries."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NoReturn

from sqlglot import exp

from discreet.errors import QueryError
from discreet.measures.measure import Aggregate
from discreet.measures.registry import PEOPLE
from discreet.plan.expressions import (
    Both,
    Chosen,
    Constant,
    Missing,
    Named,
    Negated,
    Node,
    replaced,
    walk,
)
from discreet.plan.schema import Column, Schema, about_people
from discreet.question.query import Lookup, Pair, PerPerson, Relation, Scan, Selected
from discreet.sql.read.expressions import column_parts, read_node
from discreet.sql.read.messages import (
    Example,
    did_you_mean,
    listed_names,
    position_of,
    with_position,
)
from discreet.sql.read.parser import (
    check_clauses,
    is_grouped,
    item_name,
    present_arguments,
    sql_excerpt,
    tree_conjuncts,
)
from discreet.sql.read.scopes import FromRows, Scope, VisibleColumn, has_aggregate, readable

_PLAIN = {"", "INNER"}


_MOST_NAMED = 16


@dataclass(frozen=True, slots=True)
class ReleasedSelect:
    """A SELECT in FROM whose groups are of several people: they are released, and asked about."""

    tree: exp.Expr
    catalog: "Catalog"
    alias: str = ""


@dataclass(frozen=True, slots=True)
class AliasedLookup:
    """A public table in FROM, under its alias."""

    table: str
    alias: str
    columns: Mapping[str, Column]

    def view(self) -> tuple[VisibleColumn, ...]:
        """Its columns as they can be named; those of a join carry the alias."""
        return tuple(
            VisibleColumn(self.alias, name, Named(f"{self.alias}.{name}"), declared=column)
            for name, column in self.columns.items()
        )


def join_sides(
    left: FromRows | AliasedLookup,
    right: FromRows | AliasedLookup,
    join: exp.Expr,
    schema: Schema,
    text: str,
) -> FromRows:
    """The rows of two sides, each pair of which belongs to one person."""
    keep = _kept(left, right, join, text)
    if isinstance(left, AliasedLookup):
        if isinstance(right, AliasedLookup):
            raise QueryError(
                "the join is of two public tables. The first table of FROM is private. Put it "
                "first, and join the public ones to it one by one."
            )
        if keep:
            _refuse_side("LEFT JOIN from a public table")
        left, right = right, left
    _check_aliases(left, right)
    if isinstance(right, AliasedLookup):
        return _looked_up(left, right, join, keep, text)
    return _paired(left, right, join, keep, text)


def _kept(
    left: FromRows | AliasedLookup, right: FromRows | AliasedLookup, join: exp.Expr, text: str
) -> bool:
    """Whether rows without a partner stay."""
    unknown = present_arguments(join) - {"this", "on", "using", "side", "kind"}
    method, side, kind = (
        str(join.args.get(part) or "").upper() for part in ("method", "side", "kind")
    )
    if kind == "CROSS" or not unknown | present_arguments(join) & {"on", "using", "side"}:
        raise QueryError(
            "the join has no ON and no USING. Every row would meet every other, of whomever. Write "
            f"JOIN {sql_excerpt(join.this)} ON {_any_pair(left, right, text)}."
        )
    if unknown or side not in ("", "LEFT") or kind not in {*_PLAIN, "OUTER"}:
        _refuse_side(" ".join(filter(None, (method, side, kind, "JOIN"))))
    return side == "LEFT"


def _any_pair(left: FromRows | AliasedLookup, right: FromRows | AliasedLookup, text: str) -> str:
    """What ON could compare, for a message: a key of the public side, or the people's ids."""
    if isinstance(left, AliasedLookup):
        left, right = right, left
    if isinstance(left, AliasedLookup):
        return "x = y"
    if isinstance(right, AliasedLookup):
        return _key_pair(left, right)
    return _unit_pair(left.columns, right.columns)


def _refuse_side(what: str) -> NoReturn:
    raise QueryError(
        f"the SELECT has {what}. Rows must belong to someone, so JOIN and LEFT JOIN from a private "
        "table are offered, and no row of the other side stands alone. Write JOIN or LEFT JOIN, "
        "with the private table first."
    )


def _check_aliases(left: FromRows, right: FromRows | AliasedLookup) -> None:
    used = {one.table for one in left.columns}
    new = (
        {right.alias} if isinstance(right, AliasedLookup) else {one.table for one in right.columns}
    )
    if "" in used | new:
        raise QueryError(
            "a subquery in a join has no name. Its columns must be told from the others'. Write "
            "(SELECT …) AS totals."
        )
    if used & new:
        raise QueryError(
            f"two sides of the join are named {sorted(used & new)[0][:60]!r}. Columns could mean "
            f"either. Give one another name: JOIN {sorted(used & new)[0][:60]} AS other."
        )


def _looked_up(
    left: FromRows, right: AliasedLookup, join: exp.Expr, keep: bool, text: str
) -> FromRows:
    relation, prefix, visible = _left(left)
    both = FromRows(relation, (*visible, *right.view()), (), text)
    own = FromRows(relation, visible, (), text)
    on: list[tuple[Node, str]] = []
    further: list[Node] = []
    shared: set[str] = set()
    for key in _using(join):
        name = key.name
        with with_position(key, text):
            _need_column(name, right)
            on.append((_stripped(_of(own, name), prefix), name))
        shared.add(name)
    for part in _conditions(join):
        key_pair = _lookup_pair(part, own, right)
        if key_pair is not None:
            on.append((_stripped(key_pair[0], prefix), key_pair[1]))
        else:
            further.append(_further(part, both, keep))
    if not on:
        raise QueryError(
            f"the join with {right.table[:60]!r} has no pair of equal columns. A lookup finds rows "
            f"by a key. Write ON {_key_pair(own, right)}."
        )
    source = Lookup(relation, prefix, right.table, right.alias, tuple(on), keep)
    columns = [*visible, *(one for one in right.view() if one.name not in shared)]
    return FromRows(source, tuple(columns), (*_carried(left, prefix), *further), text)


def _lookup_pair(part: exp.Expr, own: FromRows, right: AliasedLookup) -> tuple[Node, str] | None:
    """The private and the public side of an equality; None for another condition."""
    if type(part) is not exp.EQ:
        return None
    for private, public in ((part.this, part.expression), (part.expression, part.this)):
        name = _public_column(public, own, right)
        if name is None or any(
            _public_column(one, own, right) is not None for one in private.find_all(exp.Column)
        ):
            continue
        if own.is_unit(private):
            raise QueryError(*about_people(right.table, name))
        return own.read(private), name
    return None


def _public_column(tree: exp.Expr, own: FromRows, right: AliasedLookup) -> str | None:
    if type(tree) is not exp.Column:
        return None
    name, table = column_parts(tree)
    folded = {one.casefold(): one for one in right.columns}
    column = folded.get(name.casefold())
    if table is not None:
        return column if table.casefold() == right.alias.casefold() else None
    mine = any(one.name.casefold() == name.casefold() for one in own.columns)
    return None if mine else column


def _paired(left: FromRows, right: FromRows, join: exp.Expr, keep: bool, text: str) -> FromRows:
    relation, prefix, visible = _left(left)
    second = as_relation(right)
    alias = right.columns[0].table
    others = tuple(
        VisibleColumn(alias, one.name, None, keep)
        if one.node is None
        else replace(one, table=alias, node=Named(f"{alias}.{one.name}"))
        for one in right.columns
    )
    # The condition of a LEFT JOIN itself may name the ids of both sides.
    partners = tuple(replace(one, optional=False) for one in others)
    both = FromRows(relation, (*visible, *partners), (), text)
    mine, theirs = FromRows(relation, visible, (), text), FromRows(second, partners, (), text)
    by_person = False
    on: list[tuple[str, str]] = []
    further: list[Node] = []
    before: list[Node] = []
    shared: set[str] = set()
    for key in _using(join):
        name = key.name
        if not (_has(mine, name) and _has(theirs, name)):
            both_have = [one.name for one in visible if _has(theirs, one.name)]
            raise QueryError(
                f"USING names {name[:60]!r}, which one side does not have."
                f"{did_you_mean(name, both_have)} Both sides need it. "
                f"Write ON {_unit_pair(visible, others)}."
            ).at(position_of(key, text))
        if mine.is_unit(_column(name)) and theirs.is_unit(_column(name)):
            by_person = True
        else:
            on.append(_column_pair(_of(mine, name), _of(theirs, name), prefix, alias))
            shared.add(name.casefold())
    for condition in _conditions(join):
        if (
            type(condition) is exp.EQ
            and both.is_unit(condition.this)
            and both.is_unit(condition.expression)
        ):
            by_person = by_person or _apart(condition, mine, theirs)
            continue
        pair = _equal_columns(condition, mine, theirs)
        if pair is not None:
            on.append(_column_pair(*pair, prefix, alias))
        elif not keep:
            further.append(both.read(condition))
        elif _names_only(condition, theirs, mine):
            before.append(_stripped(theirs.read(condition), alias))
        else:
            raise _not_of_partners(condition, alias)
    if not by_person:
        raise QueryError(
            "two private tables are joined by something other than the person. Rows of several "
            "people would meet, and nobody could say how many one person adds. Add the people's "
            f"ids to ON: {_unit_pair(visible, others)}."
        )
    if before:
        plain = ((one.name, Named(one.name)) for one in right.columns if one.node is not None)
        second = Selected(second, tuple(plain), tuple(before))
    source = Pair(relation, prefix, second, alias, tuple(on), keep)
    columns = [*visible, *(one for one in others if one.name.casefold() not in shared)]
    return FromRows(source, tuple(columns), (*_carried(left, prefix), *further), text)


def as_relation(view: FromRows) -> Relation:
    """A view of one table as a relation whose columns have the visible names."""
    plain = [(one.name, one.node) for one in view.columns if one.node is not None]
    if not view.where and all(node == Named(name) for name, node in plain):
        return view.source
    return Selected(view.source, tuple(plain), view.where)


def _left(view: FromRows) -> tuple[Relation, str, tuple[VisibleColumn, ...]]:
    """The left side's relation, the prefix that its columns get, and how they are named then."""
    if len({one.table for one in view.columns}) > 1:  # a join: its columns have their prefixes
        return view.source, "", view.columns
    alias = view.columns[0].table
    visible = tuple(
        replace(one, node=None if one.node is None else Named(f"{alias}.{one.name}"))
        for one in view.columns
    )
    return as_relation(view), alias, visible


def _carried(left: FromRows, prefix: str) -> tuple[Node, ...]:
    """Conditions of an earlier join; those of a single side are in its relation already."""
    return () if prefix else left.where


def _stripped(node: Node, prefix: str) -> Node:
    """A node over the join's names as one over the left side's own."""
    if not prefix:
        return node
    names = {one.name for one in walk(node) if isinstance(one, Named)}
    return replaced(node, {name: Named(name.removeprefix(f"{prefix}.")) for name in names})


def _using(join: exp.Expr) -> list[exp.Expr]:
    return list(join.args.get("using") or [])


def _conditions(join: exp.Expr) -> list[exp.Expr]:
    on = join.args.get("on")
    return [] if on is None else tree_conjuncts(on)


def _column(name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True))


def _of(view: FromRows, name: str) -> Node:
    return view.read(_column(name))


def _need_column(name: str, right: AliasedLookup) -> None:
    if name not in right.columns:
        raise QueryError(
            f"USING names {name[:60]!r}, which {right.table[:60]!r} does not have."
            f"{did_you_mean(name, list(right.columns))} Both sides need it. Existing columns: "
            f"{listed_names(list(right.columns))}."
        )


def _has(view: FromRows, name: str) -> bool:
    return any(one.name.casefold() == name.casefold() for one in view.columns)


def _key_pair(own: FromRows, right: AliasedLookup) -> str:
    """Columns of both sides as ON compares them, for a message: those of one name if there are."""
    shared = [
        (one, name)
        for name in right.columns
        for one in own.columns
        if one.name.casefold() == name.casefold() and one.node is not None
    ]
    if not shared:
        return f"x = {right.alias[:60]}.{next(iter(right.columns))[:60]}"
    one, name = shared[0]
    return f"{one.table[:60]}.{one.name[:60]} = {right.alias[:60]}.{name[:60]}"


def _equal_columns(part: exp.Expr, mine: FromRows, theirs: FromRows) -> tuple[Node, Node] | None:
    """A column of each side that are equal; None for another condition."""
    if type(part) is not exp.EQ:
        return None
    for first, second in ((part.this, part.expression), (part.expression, part.this)):
        if all(type(one) is exp.Column for one in (first, second)) and (
            _belongs(first, mine, theirs) and _belongs(second, theirs, mine)
        ):
            return mine.read(first), theirs.read(second)
    return None


def _not_of_partners(condition: exp.Expr, alias: str) -> QueryError:
    return QueryError(
        f"the LEFT JOIN has {sql_excerpt(condition)!r} in ON. Rows without a partner stay, so ON "
        f"compares columns of both sides by =, or has conditions on columns of {alias[:60]} alone, "
        "which say what is a partner. Put it in WHERE, or join a subquery that has it."
    )


def _names_only(tree: exp.Expr, view: FromRows, other: FromRows) -> bool:
    """Whether a condition names columns of this side, and none of the other."""
    columns = list(tree.find_all(exp.Column))
    return bool(columns) and all(_belongs(one, view, other) for one in columns)


def _belongs(tree: exp.Expr, view: FromRows, other: FromRows) -> bool:
    """Whether a column is one of this side and of no other."""
    name, table = column_parts(tree)
    if table is not None:
        return any(one.table.casefold() == table.casefold() for one in view.columns)
    return _has(view, name) and not _has(other, name)


def _column_pair(mine: Node, theirs: Node, prefix: str, alias: str) -> tuple[str, str]:
    first, second = _stripped(mine, prefix), _stripped(theirs, alias)
    if not isinstance(first, Named) or not isinstance(second, Named):
        raise TypeError("a visible column of a join is a column")
    return first.name, second.name


def _apart(part: exp.Expr, mine: FromRows, theirs: FromRows) -> bool:
    """Whether an equality of ids is one between the two sides."""
    one, two = _unwrapped(part.this), _unwrapped(part.expression)
    return (_belongs(one, mine, theirs) and _belongs(two, theirs, mine)) or (
        _belongs(two, mine, theirs) and _belongs(one, theirs, mine)
    )


def _unwrapped(tree: exp.Expr) -> exp.Expr:
    while type(tree) is exp.Paren:
        tree = tree.this
    return tree


def _unit_pair(visible: tuple[VisibleColumn, ...], others: tuple[VisibleColumn, ...]) -> str:
    """The ids of both sides as ON compares them, for a message."""
    sides = [
        next((f"{one.table}.{one.name}" for one in side if one.node is None), "its id")
        for side in (visible, others)
    ]
    return " = ".join(sides)


def _further(part: exp.Expr, both: FromRows, keep: bool) -> Node:
    """Another condition of ON, which is one of WHERE."""
    if keep:
        raise QueryError(
            f"the LEFT JOIN has {sql_excerpt(part)!r} in ON. There only columns of both sides are "
            "compared by =, since rows without a partner stay. Put it in WHERE, or join a subquery "
            "that has it."
        )
    return both.read(part)


class _PersonSummary:
    """Reads the items of a SELECT over a person's rows; aggregates become columns of their own."""

    def __init__(self, view: FromRows, taken: set[str]) -> None:
        self._scope = Scope(view)
        self._taken = taken
        self.keys: list[tuple[str, Node, exp.Expr]] = []
        self.columns: dict[Aggregate, str] = {}

    def summed(self, tree: exp.Expr, name: str | None = None) -> Node:
        """An expression over aggregates and keys."""
        text = self._scope.view.text
        return read_node(
            tree, lambda part: self._resolve(part, name if part is tree else None), text
        )

    def _resolve(self, tree: exp.Expr, name: str | None) -> Node | None:
        asked = self._scope.aggregate(tree)
        if asked is not None:
            if asked.statistic is PEOPLE:
                raise QueryError(
                    f"{sql_excerpt(tree)!r} counts people among the rows of one person. There is "
                    "one. Count them in the question around it: COUNT(*)."
                )
            return Named(self._column(asked, name))
        if type(tree) is not exp.Column:
            key = next((key for key, _, other in self.keys if other == tree), None)
            return None if key is None else Named(key)
        node = self._scope.view.resolve(tree)
        key = next((key for key, of, _ in self.keys if of == node), None)
        if key is None:
            raise QueryError(
                f"the subquery has {sql_excerpt(tree)!r}, which "
                "is neither summed up nor in its GROUP BY. A person may have many rows. Write an "
                f"aggregate, such as COUNT(DISTINCT {sql_excerpt(tree)}), or group by it too."
            ).at(position_of(tree, self._scope.view.text))
        return Named(key)

    def _column(self, asked: Aggregate, name: str | None) -> str:
        if asked not in self.columns:
            unused_name, place = name or readable(asked), 1
            while unused_name in self._taken and unused_name != name:
                place += 1
                unused_name = f"{readable(asked)}_{place}"
            self._taken.add(unused_name)
            self.columns[asked] = unused_name
        return self.columns[asked]


def per_person(tree: exp.Expr, view: FromRows, schema: Schema) -> FromRows:
    """The view of a subquery whose groups are people, each perhaps divided further."""
    text = view.text
    entries = group_entries(tree, text)
    units = [one for one in entries if view.is_unit(group_item(one, tree))]
    if not schema.by_person or not units:
        by_id = f"Group by the id in it (GROUP BY {schema.unit}), or ask"
        start = by_id if schema.by_person else "Ask"
        raise QueryError(
            f"the subquery makes groups of several people's rows. What is "
            "computed from many people cannot be asked about again, since nobody could say how "
            f"much one of them moves it. {start} the subquery itself."
        ).at(position_of(tree, text))
    items = [(item_name(one, text), one) for one in tree.expressions]
    taken = {name for name, _ in items} | {one.name for one in view.columns}
    reading = _PersonSummary(view, taken)
    for place, entry in enumerate(entries):
        key = group_item(entry, tree)
        if view.is_unit(key):
            continue
        with with_position(entry, text):
            node = view.read(key)
        name = next((name for name, one in items if _inner(one) == key), f"key_{place}")
        reading.keys.append((name, node, key))
    visible = []
    for name, item in items:
        inner = _inner(item)
        if view.is_unit(inner):
            visible.append(VisibleColumn("", name, None))
            continue
        check_no_id(item, name, schema, text)
        with with_position(item, text):
            visible.append(VisibleColumn("", name, reading.summed(inner, name)))
    having = tree.args.get("having")
    kept = []
    for condition in [] if having is None else tree_conjuncts(having.this):
        with with_position(condition, text):
            kept.append(reading.summed(condition))
    where = tree.args.get("where")
    conditions = list(view.where)
    for condition in [] if where is None else tree_conjuncts(where.this):
        with with_position(condition, text):
            conditions.append(view.read(condition))
    source = PerPerson(
        view.source,
        tuple(conditions),
        tuple((name, node) for name, node, _ in reading.keys),
        tuple((name, asked) for asked, name in reading.columns.items()),
        place=position_of(tree, text),
    )
    return FromRows(source, tuple(visible), tuple(kept), text)


def check_no_id(tree: exp.Expr, name: str, schema: Schema, text: str) -> None:
    """Refuse a column of a subquery that has the name of the people's ids but is another."""
    if schema.by_person and name.casefold() == schema.unit.casefold():
        raise QueryError(
            f"a column of the subquery is named {name[:60]!r}, like the "
            "people's ids. Nothing may stand in for an id. Use another name."
        ).at(position_of(tree, text))


def group_entries(tree: exp.Expr, text: str) -> list[exp.Expr]:
    """What a subquery groups by; DISTINCT groups by everything that it selects."""
    group = tree.args.get("group")
    if group is not None and present_arguments(group) == {"all"}:
        return [_inner(one) for one in tree.expressions if not has_aggregate(one)]
    if group is not None and present_arguments(group) != {"expressions"}:
        raise QueryError(
            f"the subquery has {sql_excerpt(group)!r}. GROUP BY takes columns, "
            "expressions and positions. Write each group out."
        ).at(position_of(group, text))
    distinct = tree.args.get("distinct")
    if distinct is not None:
        if present_arguments(distinct) or group is not None:
            raise QueryError(
                "the subquery has DISTINCT with something else. It stands "
                "for a GROUP BY of all that is selected. Write GROUP BY."
            ).at(position_of(tree, text))
        return [_inner(one) for one in tree.expressions]
    entries: list[exp.Expr] = [] if group is None else group.expressions
    return entries


def group_item(entry: exp.Expr, tree: exp.Expr) -> exp.Expr:
    """What an entry of GROUP BY means: a position, an alias, or itself."""
    if type(entry) is exp.Literal and entry.name.isdecimal() and len(entry.name) < 6:
        place = int(entry.name)
        if not 0 < place <= len(tree.expressions):
            raise QueryError(
                f"GROUP BY has the position {entry.name[:20]!r}, where no column stands. Positions "
                "count the columns of the SELECT from 1. Write the column's name instead."
            )
        return _inner(tree.expressions[place - 1])
    if type(entry) is exp.Column and present_arguments(entry) == {"this"}:
        for one in tree.expressions:
            if type(one) is exp.Alias and one.alias.casefold() == entry.name.casefold():
                return _inner(one)
    return entry


def _inner(tree: exp.Expr) -> exp.Expr:
    return tree.this if type(tree) is exp.Alias else tree


@dataclass(frozen=True, slots=True)
class Catalog:
    """The tables that FROM may name: the declared ones, and queries that WITH has named."""

    schema: Schema
    text: str
    named: Mapping[str, FromRows] = field(default_factory=dict)
    released: Mapping[str, ReleasedSelect] = field(default_factory=dict)
    """Queries of WITH that make groups of several people."""

    def with_queries(self, tree: exp.Expr) -> "Catalog":
        """This catalog and the queries of a WITH, each of which sees those before it."""
        clause = tree.args.get("with_")
        if clause is None:
            return self
        if clause.args.get("recursive"):
            raise QueryError(
                "WITH is RECURSIVE. How often a query would repeat depends on the rows, and so "
                "would what one person adds. Write the steps out."
            )
        if len(list(clause.find_all(exp.CTE))) > _MOST_NAMED:
            raise QueryError(
                f"WITH names more than {_MOST_NAMED} queries. Questions are kept and shown in "
                "full, for people to read. Ask a simpler one, or let the custodian prepare the "
                "table."
            )
        catalog = self
        for query in clause.expressions:
            name = query.alias
            if present_arguments(query) - {"this", "alias"} or present_arguments(
                query.args["alias"]
            ) != {"this"}:
                raise QueryError(
                    f"WITH {name[:60]} has more than a name and a "
                    "query. Columns are named inside. Write WITH a AS (SELECT x AS y FROM …)."
                ).at(position_of(query, self.text))
            inner = catalog.as_released(query.this)
            if inner is not None:
                catalog = replace(catalog, released={**catalog.released, name.casefold(): inner})
                continue
            view = catalog.view(query.this)
            catalog = replace(catalog, named={**catalog.named, name.casefold(): view})
        return catalog

    def released_inside(self, tree: exp.Expr) -> ReleasedSelect | None:
        """The SELECT of released groups that another one is around; None if it is about rows."""
        clause = tree.args.get("from_")
        side = None if clause is None else clause.this
        named = None if side is None else side.args.get("alias")
        alias = "" if named is None else named.name
        if type(side) is exp.Subquery:
            inner = self.as_released(side.this)
        elif type(side) is exp.Table:
            inner, alias = self.released.get(side.name.casefold()), alias or side.name
        else:
            inner = None
        return None if inner is None else replace(inner, alias=alias)

    def as_released(self, tree: exp.Expr) -> ReleasedSelect | None:
        """A SELECT of which each row is a group of several people; None for one about rows."""
        check_clauses(tree, self.text, Example(self.schema), inner=True)
        if tree.args.get("distinct") is not None:
            return None
        catalog = self.with_queries(tree)
        if catalog.released_inside(tree) is not None:
            return ReleasedSelect(tree, catalog)
        if not is_grouped(tree):
            return None
        view = catalog.source(tree)
        entries = [group_item(one, tree) for one in group_entries(tree, self.text)]
        if self.schema.by_person and any(view.is_unit(one) for one in entries):
            return None
        return ReleasedSelect(tree, catalog)

    def view(self, tree: exp.Expr) -> FromRows:
        """A SELECT inside another one, as rows to ask about."""
        check_clauses(tree, self.text, Example(self.schema), inner=True)
        catalog = self.with_queries(tree)
        view = catalog.source(tree)
        if is_grouped(tree):
            return per_person(tree, view, self.schema)
        where = tree.args.get("where")
        conditions = [] if where is None else tree_conjuncts(where.this)
        columns = []
        for part in tree.expressions:
            inner = part.this if type(part) is exp.Alias else part
            if type(inner) is exp.Star or type(inner.this) is exp.Star:
                columns += _starred(inner, view)
                continue
            name = item_name(part, self.text)
            with with_position(part, self.text):
                node = None if view.is_unit(inner) else view.read(inner)
            if node is not None:
                check_no_id(part, name, self.schema, self.text)
            columns.append(VisibleColumn("", name, node))
        _check_doubles(tree, columns, self.text)
        row_conditions = [*view.where]
        for condition in conditions:
            with with_position(condition, self.text):
                row_conditions.append(view.read(condition))
        return FromRows(view.source, tuple(columns), tuple(row_conditions), self.text)

    def chosen(self, view: FromRows, tree: exp.Expr) -> FromRows | None:
        """The rows of which a value is among those of a public column; None for another condition.

        It is a join that keeps every row, by a column in which no value is there twice, and a
        condition on what was found: a row stays one row.
        """
        negated = type(tree) is exp.Not
        inside = tree.this if negated else tree
        listed = inside.args.get("query") if type(inside) is exp.In else None
        if listed is None:
            return None
        with with_position(tree, self.text):
            return self._among(view, inside.this, listed.this, negated=negated)

    def _among(
        self, view: FromRows, value: exp.Expr, listed: exp.Expr, *, negated: bool
    ) -> FromRows:
        check_clauses(listed, self.text, Example(self.schema), inner=True)
        table = listed.args["from_"].this
        one_table = present_arguments(table) <= {"this", "alias"} and not listed.args.get("joins")
        if not one_table or table.name.casefold() in self.named:
            raise QueryError(
                "the list behind IN is not a column of one public table. Only such a column is "
                "looked up, as a whole. Name one table that is declared, and no sample, join or "
                "query of WITH."
            ).at(position_of(table, self.text))
        folded = {name.casefold(): name for name in self.schema.public}
        name = folded[table.name.casefold()]
        relation, prefix, visible = _left(view)
        taken = {one.table.casefold() for one in visible}
        tries = (f"{name}_{number}" if number else name for number in count())
        alias = next(one for one in tries if one.casefold() not in taken)
        right = AliasedLookup(name, alias, self.schema.public[name].columns)
        own = FromRows(relation, visible, (), self.text)
        shown = replace(right, alias=name).view()  # in the list it goes by its own name
        inner = FromRows(
            relation,
            tuple(replace(one, node=Named(f"{alias}.{one.name}")) for one in shown),
            (),
            self.text,
        )
        column = inner.found(listed.expressions[0])
        if own.is_unit(value):
            raise QueryError(*about_people(name, column.name))
        node = own.read(value)
        source = Lookup(
            relation, prefix, name, alias, ((_stripped(node, prefix), column.name),), True
        )
        where = listed.args.get("where")
        missing: Node = Missing(Named(f"{alias}.{column.name}"))
        condition: Node = Negated(missing)
        for one in [] if where is None else tree_conjuncts(where.this):
            condition = Both(condition, inner.read(one))
        if negated:
            never = Chosen(condition, Constant(False), Constant(True))
            condition = Both(Negated(Missing(node)), never)
        return FromRows(source, visible, (*_carried(view, prefix), condition), self.text)

    def source(self, tree: exp.Expr) -> FromRows:
        """The rows that a SELECT is about."""
        clause = tree.args.get("from_")
        if clause is None:
            raise QueryError(
                "the SELECT has no FROM. A question is about a table. Write FROM "
                f"{exp.to_identifier(self.schema.name).sql()}."
            )
        view = self._side(clause.this)
        joins = tree.args.get("joins") or []
        for join in joins:
            with with_position(join, self.text):
                view = join_sides(view, self._side(join.this), join, self.schema, self.text)
        if isinstance(view, AliasedLookup):
            raise QueryError(
                f"the SELECT is about {view.table[:60]!r} alone, "
                "which is public. There is nothing to protect in it, and nothing to pay for. Read "
                "it directly, or join it with a private table."
            ).at(position_of(clause, self.text))
        if joins:
            return replace(view, source=replace(view.source, place=position_of(clause, self.text)))
        return view

    def _side(self, tree: exp.Expr) -> FromRows | AliasedLookup:
        """One table or subquery of FROM, under its alias."""
        alias = tree.args.get("alias")
        if alias is not None and present_arguments(alias) != {"this"}:
            raise QueryError(
                f"the alias {sql_excerpt(alias)!r} renames columns. They "
                f"keep their names. Write FROM {Example(self.schema).table} AS a."
            ).at(position_of(tree, self.text))
        if type(tree) is exp.Subquery and not present_arguments(tree) - {"this", "alias"}:
            view = self.view(tree.this)
            return _aliased(view, "" if alias is None else alias.name)
        name = tree.this if type(tree) is exp.Table else None
        if type(name) is not exp.Identifier or present_arguments(tree) - {"this", "alias"}:
            raise QueryError(
                f"FROM has {sql_excerpt(tree)!r}. Only declared tables are "
                "read: no file, function or sample. Existing tables: "
                f"{listed_names(self._tables())}."
            ).at(position_of(tree, self.text))
        return self._table(name.name, name.name if alias is None else alias.name, tree)

    def _table(self, name: str, alias: str, tree: exp.Expr) -> FromRows | AliasedLookup:
        folded = name.casefold()
        if folded in self.named:
            return _aliased(self.named[folded], alias)
        if folded in self.released:
            raise QueryError(
                f"{name[:60]!r} makes groups of several people's rows, and is joined, or asked "
                "about in a subquery. What is computed from many people is released, and what was "
                "released has no rows to join. Put it into FROM of the outermost SELECT, alone."
            ).at(position_of(tree, self.text))
        schema = self.schema
        if folded == schema.name.casefold():
            the_table = Scan(called=schema.name)
            return self._scan(the_table, alias, schema.columns, schema.unit)
        for known, beside in schema.private.items():
            if known.casefold() == folded:
                return self._scan(Scan(known), alias, beside.columns, beside.unit)
        for known, public in schema.public.items():
            if known.casefold() == folded:
                return AliasedLookup(known, alias, public.columns)
        tables = self._tables()
        raise QueryError(
            f"there is no table {name[:60]!r}.{did_you_mean(name, tables)} "
            f"Only declared tables are read. Existing tables: {listed_names(tables)}."
        ).at(position_of(tree, self.text))

    def _scan(self, scan: Scan, alias: str, columns: Mapping[str, Column], unit: str) -> FromRows:
        visible = [
            VisibleColumn(alias, name, Named(name), declared=column)
            for name, column in columns.items()
        ]
        if self.schema.by_person:
            visible.append(VisibleColumn(alias, unit, None))
        return FromRows(scan, tuple(visible), (), self.text)

    def _tables(self) -> list[str]:
        schema = self.schema
        return [schema.name, *schema.private, *schema.public, *self.named, *self.released]


def _aliased(view: FromRows, alias: str) -> FromRows:
    columns = tuple(replace(one, table=alias) for one in view.columns)
    return replace(view, columns=columns)


def _starred(tree: exp.Expr, view: FromRows) -> list[VisibleColumn]:
    table = tree.args.get("table")
    star = tree if type(tree) is exp.Star else tree.this
    if present_arguments(star) or (
        table is not None and table.name not in {one.table for one in view.columns}
    ):
        raise QueryError(
            f"{sql_excerpt(tree)!r} is not offered. * stands for all "
            "columns of FROM, in a subquery. Write SELECT * or name the columns."
        ).at(position_of(tree, view.text))
    return [
        replace(one, table="") for one in view.columns if table is None or one.table == table.name
    ]


def _check_doubles(tree: exp.Expr, columns: list[VisibleColumn], text: str) -> None:
    names = [one.name.casefold() for one in columns]
    for one in columns:
        if names.count(one.name.casefold()) > 1:
            raise QueryError(
                f"the subquery has two columns named {one.name[:60]!r}. "
                "The question around it could mean either. Give one another name: x AS y."
            ).at(position_of(tree, text))
