"""JOIN ▶ relations: two private tables by their people, or a private one with a public lookup."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from sqlglot import exp

from discreet.errors import QueryError
from discreet.plan.columns import Column
from discreet.plan.expressions import Named, Node, replaced, walk
from discreet.plan.schema import Schema
from discreet.question.relations import Lookup, Pair, Relation, Selected
from discreet.sql.names import View, Visible
from discreet.sql.parse import conjuncts, given, written
from discreet.sql.places import listed
from discreet.sql.text import column_parts

_PLAIN = {"", "INNER"}


@dataclass(frozen=True, slots=True)
class Looked:
    """A public table in FROM, under its alias."""

    table: str
    alias: str
    columns: Mapping[str, Column]

    def view(self) -> tuple[Visible, ...]:
        """Its columns as they can be named; those of a join carry the alias."""
        return tuple(
            Visible(self.alias, name, Named(f"{self.alias}.{name}")) for name in self.columns
        )


def joined(
    left: View | Looked, right: View | Looked, join: exp.Expr, schema: Schema, text: str
) -> View:
    """The rows of two sides, each pair of which belongs to one person."""
    keep = _kept(left, right, join, text)
    if isinstance(left, Looked):
        if isinstance(right, Looked):
            raise QueryError(
                "the join is of two public tables. The first table of FROM is private. Put it "
                "first, and join the public ones to it one by one."
            )
        if keep:
            _refuse_side("LEFT JOIN from a public table")
        left, right = right, left
    _check_aliases(left, right)
    if isinstance(right, Looked):
        return _looked_up(left, right, join, keep, text)
    return _paired(left, right, join, keep, text)


def _kept(left: View | Looked, right: View | Looked, join: exp.Expr, text: str) -> bool:
    """Whether rows without a partner stay."""
    unknown = given(join) - {"this", "on", "using", "side", "kind"}
    method, side, kind = (
        str(join.args.get(part) or "").upper() for part in ("method", "side", "kind")
    )
    if kind == "CROSS" or not unknown | given(join) & {"on", "using", "side"}:
        raise QueryError(
            "the join has no ON and no USING. Every row would meet every other, of whomever. Write "
            f"JOIN {written(join.this)} ON {_any_pair(left, right, text)}."
        )
    if unknown or side not in ("", "LEFT") or kind not in {*_PLAIN, "OUTER"}:
        _refuse_side(" ".join(filter(None, (method, side, kind, "JOIN"))))
    return side == "LEFT"


def _any_pair(left: View | Looked, right: View | Looked, text: str) -> str:
    """What ON could compare, for a message: a key of the public side, or the people's ids."""
    if isinstance(left, Looked):
        left, right = right, left
    if isinstance(left, Looked):
        return "x = y"
    if isinstance(right, Looked):
        return _key_pair(left, right)
    return _unit_pair(left.columns, right.columns)


def _refuse_side(what: str) -> NoReturn:
    raise QueryError(
        f"the SELECT has {what}. Rows must belong to someone, so JOIN and LEFT JOIN from a private "
        "table are offered, and no row of the other side stands alone. Write JOIN or LEFT JOIN, "
        "with the private table first."
    )


def _check_aliases(left: View, right: View | Looked) -> None:
    used = {one.table for one in left.columns}
    new = {right.alias} if isinstance(right, Looked) else {one.table for one in right.columns}
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


def _looked_up(left: View, right: Looked, join: exp.Expr, keep: bool, text: str) -> View:
    relation, prefix, visible = _left(left)
    both = View(relation, (*visible, *right.view()), (), text)
    own = View(relation, visible, (), text)
    on: list[tuple[Node, str]] = []
    further: list[Node] = []
    shared: set[str] = set()
    for name in _using(join):
        _need_column(name, right)
        on.append((_stripped(_of(own, name), prefix), name))
        shared.add(name)
    for part in _conditions(join):
        found = _lookup_pair(part, own, right)
        if found is not None:
            on.append((_stripped(found[0], prefix), found[1]))
        else:
            further.append(_further(part, both, keep))
    if not on:
        raise QueryError(
            f"the join with {right.table[:60]!r} has no pair of equal columns. A lookup finds rows "
            f"by a key. Write ON {_key_pair(own, right)}."
        )
    source = Lookup(relation, prefix, right.table, right.alias, tuple(on), keep)
    columns = [*visible, *(one for one in right.view() if one.name not in shared)]
    return View(source, tuple(columns), (*_carried(left, prefix), *further), text)


def _lookup_pair(part: exp.Expr, own: View, right: Looked) -> tuple[Node, str] | None:
    """The private and the public side of an equality; None for another condition."""
    if type(part) is not exp.EQ:
        return None
    for private, public in ((part.this, part.expression), (part.expression, part.this)):
        name = _public_column(public, own, right)
        if name is None or any(
            _public_column(one, own, right) is not None for one in private.find_all(exp.Column)
        ):
            continue
        return own.read(private), name
    return None


def _public_column(tree: exp.Expr, own: View, right: Looked) -> str | None:
    if type(tree) is not exp.Column:
        return None
    name, table = column_parts(tree)
    folded = {one.casefold(): one for one in right.columns}
    found = folded.get(name.casefold())
    if table is not None:
        return found if table.casefold() == right.alias.casefold() else None
    mine = any(one.name.casefold() == name.casefold() for one in own.columns)
    return None if mine else found


def _paired(left: View, right: View, join: exp.Expr, keep: bool, text: str) -> View:
    relation, prefix, visible = _left(left)
    second = as_relation(right)
    alias = right.columns[0].table
    others = tuple(
        Visible(alias, one.name, None, keep)
        if one.node is None
        else Visible(alias, one.name, Named(f"{alias}.{one.name}"))
        for one in right.columns
    )
    # The condition of a LEFT JOIN itself may name the ids of both sides.
    partners = tuple(replace(one, optional=False) for one in others)
    both = View(relation, (*visible, *partners), (), text)
    mine, theirs = View(relation, visible, (), text), View(second, partners, (), text)
    by_person = False
    on: list[tuple[str, str]] = []
    further: list[Node] = []
    shared: set[str] = set()
    for name in _using(join):
        if not (_has(mine, name) and _has(theirs, name)):
            raise QueryError(
                f"USING names {name[:60]!r}, which one side does not have. Both sides need it. "
                f"Write ON {_unit_pair(visible, others)}."
            )
        if mine.is_unit(_column(name)) and theirs.is_unit(_column(name)):
            by_person = True
        else:
            on.append(_column_pair(_of(mine, name), _of(theirs, name), prefix, alias))
            shared.add(name.casefold())
    for part in _conditions(join):
        if type(part) is exp.EQ and both.is_unit(part.this) and both.is_unit(part.expression):
            by_person = by_person or _apart(part, mine, theirs)
            continue
        pair = _equal_columns(part, mine, theirs)
        if pair is not None:
            on.append(_column_pair(*pair, prefix, alias))
        else:
            further.append(_further(part, both, keep))
    if not by_person:
        raise QueryError(
            "two private tables are joined by something other than the person. Rows of several "
            "people would meet, and nobody could say how many one person adds. Add the people's "
            f"ids to ON: {_unit_pair(visible, others)}."
        )
    source = Pair(relation, prefix, second, alias, tuple(on), keep)
    columns = [*visible, *(one for one in others if one.name.casefold() not in shared)]
    return View(source, tuple(columns), (*_carried(left, prefix), *further), text)


def as_relation(view: View) -> Relation:
    """A view of one table as a relation whose columns have the visible names."""
    plain = [(one.name, one.node) for one in view.columns if one.node is not None]
    if not view.where and all(node == Named(name) for name, node in plain):
        return view.source
    return Selected(view.source, tuple(plain), view.where)


def _left(view: View) -> tuple[Relation, str, tuple[Visible, ...]]:
    """The left side's relation, the prefix that its columns get, and how they are named then."""
    if len({one.table for one in view.columns}) > 1:  # a join: its columns have their prefixes
        return view.source, "", view.columns
    alias = view.columns[0].table
    visible = tuple(
        replace(one, node=None if one.node is None else Named(f"{alias}.{one.name}"))
        for one in view.columns
    )
    return as_relation(view), alias, visible


def _carried(left: View, prefix: str) -> tuple[Node, ...]:
    """Conditions of an earlier join; those of a single side are in its relation already."""
    return () if prefix else left.where


def _stripped(node: Node, prefix: str) -> Node:
    """A node over the join's names as one over the left side's own."""
    if not prefix:
        return node
    names = {one.name for one in walk(node) if isinstance(one, Named)}
    return replaced(node, {name: Named(name.removeprefix(f"{prefix}.")) for name in names})


def _using(join: exp.Expr) -> list[str]:
    return [one.name for one in join.args.get("using") or []]


def _conditions(join: exp.Expr) -> list[exp.Expr]:
    on = join.args.get("on")
    return [] if on is None else conjuncts(on)


def _column(name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True))


def _of(view: View, name: str) -> Node:
    return view.read(_column(name))


def _need_column(name: str, right: Looked) -> None:
    if name not in right.columns:
        raise QueryError(
            f"USING names {name[:60]!r}, which {right.table[:60]!r} does not have. Both sides need "
            f"it. Existing columns: {listed(list(right.columns))}."
        )


def _has(view: View, name: str) -> bool:
    return any(one.name.casefold() == name.casefold() for one in view.columns)


def _key_pair(own: View, right: Looked) -> str:
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


def _equal_columns(part: exp.Expr, mine: View, theirs: View) -> tuple[Node, Node] | None:
    """A column of each side that are equal; None for another condition."""
    if type(part) is not exp.EQ:
        return None
    for first, second in ((part.this, part.expression), (part.expression, part.this)):
        if all(type(one) is exp.Column for one in (first, second)) and (
            _belongs(first, mine, theirs) and _belongs(second, theirs, mine)
        ):
            return mine.read(first), theirs.read(second)
    return None


def _belongs(tree: exp.Expr, view: View, other: View) -> bool:
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


def _apart(part: exp.Expr, mine: View, theirs: View) -> bool:
    """Whether an equality of ids is one between the two sides."""
    one, two = _unwrapped(part.this), _unwrapped(part.expression)
    return (_belongs(one, mine, theirs) and _belongs(two, theirs, mine)) or (
        _belongs(two, mine, theirs) and _belongs(one, theirs, mine)
    )


def _unwrapped(tree: exp.Expr) -> exp.Expr:
    while type(tree) is exp.Paren:
        tree = tree.this
    return tree


def _unit_pair(visible: tuple[Visible, ...], others: tuple[Visible, ...]) -> str:
    """The ids of both sides as ON compares them, for a message."""
    sides = [
        next((f"{one.table}.{one.name}" for one in side if one.node is None), "its id")
        for side in (visible, others)
    ]
    return " = ".join(sides)


def _further(part: exp.Expr, both: View, keep: bool) -> Node:
    """Another condition of ON, which is one of WHERE."""
    if keep:
        raise QueryError(
            f"the LEFT JOIN has {written(part)!r} in ON. There only columns of both sides are "
            "compared by =, since rows without a partner stay. Put it in WHERE, or join a subquery "
            "that has it."
        )
    return both.read(part)
