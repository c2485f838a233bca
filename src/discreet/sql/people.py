"""A subquery that sums up each person's own rows ▶ one row for each person."""

from sqlglot import exp

from discreet.errors import QueryError
from discreet.measures.measure import Aggregate
from discreet.measures.table import PEOPLE
from discreet.plan.expressions import Named, Node
from discreet.plan.schema import Schema
from discreet.question.relations import PerPerson
from discreet.sql.aggregates import Scope, has_aggregate, readable
from discreet.sql.names import View, Visible
from discreet.sql.parse import conjuncts, given, item_name, written
from discreet.sql.places import located, place_of
from discreet.sql.text import read


class _Summing:
    """Reads the items of a SELECT over a person's rows; aggregates become columns of their own."""

    def __init__(self, view: View, taken: set[str]) -> None:
        self._scope = Scope(view)
        self._taken = taken
        self.keys: list[tuple[str, Node, exp.Expr]] = []
        self.columns: dict[Aggregate, str] = {}

    def summed(self, tree: exp.Expr, name: str | None = None) -> Node:
        """An expression over aggregates and keys."""
        text = self._scope.view.text
        return read(tree, lambda part: self._resolve(part, name if part is tree else None), text)

    def _resolve(self, tree: exp.Expr, name: str | None) -> Node | None:
        asked = self._scope.aggregate(tree)
        if asked is not None:
            if asked.statistic is PEOPLE:
                raise QueryError(
                    f"{written(tree)!r} counts people among the rows of one person. There is one. "
                    "Count them in the question around it: COUNT(*)."
                )
            return Named(self._column(asked, name))
        if type(tree) is not exp.Column:
            key = next((key for key, _, other in self.keys if other == tree), None)
            return None if key is None else Named(key)
        node = self._scope.view.resolve(tree)
        key = next((key for key, of, _ in self.keys if of == node), None)
        if key is None:
            raise QueryError(
                f"the subquery has {written(tree)!r}, which "
                "is neither summed up nor in its GROUP BY. A person may have many rows. Write an "
                f"aggregate, such as COUNT(DISTINCT {written(tree)}), or group by it too."
            ).at(place_of(tree, self._scope.view.text))
        return Named(key)

    def _column(self, asked: Aggregate, name: str | None) -> str:
        if asked not in self.columns:
            found, place = name or readable(asked), 1
            while found in self._taken and found != name:
                place += 1
                found = f"{readable(asked)}_{place}"
            self._taken.add(found)
            self.columns[asked] = found
        return self.columns[asked]


def per_person(tree: exp.Expr, view: View, schema: Schema) -> View:
    """The view of a subquery whose groups are people, each perhaps divided further."""
    text = view.text
    entries = _entries(tree, text)
    units = [one for one in entries if view.is_unit(_item(one, tree))]
    if not schema.by_person or not units:
        by_id = f"Group by the id in it (GROUP BY {schema.unit}), or ask"
        start = by_id if schema.by_person else "Ask"
        raise QueryError(
            f"the subquery makes groups of several people's rows. What is "
            "computed from many people cannot be asked about again, since nobody could say how "
            f"much one of them moves it. {start} the subquery itself."
        ).at(place_of(tree, text))
    items = [(item_name(one, text), one) for one in tree.expressions]
    taken = {name for name, _ in items} | {one.name for one in view.columns}
    reading = _Summing(view, taken)
    for place, entry in enumerate(entries):
        key = _item(entry, tree)
        if view.is_unit(key):
            continue
        with located(entry, text):
            node = view.read(key)
        name = next((name for name, one in items if _inner(one) == key), f"key_{place}")
        reading.keys.append((name, node, key))
    visible = []
    for name, item in items:
        inner = _inner(item)
        if view.is_unit(inner):
            visible.append(Visible("", name, None))
            continue
        check_no_id(item, name, schema, text)
        with located(item, text):
            visible.append(Visible("", name, reading.summed(inner, name)))
    having = tree.args.get("having")
    kept = []
    for condition in [] if having is None else conjuncts(having.this):
        with located(condition, text):
            kept.append(reading.summed(condition))
    where = tree.args.get("where")
    conditions = list(view.where)
    for condition in [] if where is None else conjuncts(where.this):
        with located(condition, text):
            conditions.append(view.read(condition))
    source = PerPerson(
        view.source,
        tuple(conditions),
        tuple((name, node) for name, node, _ in reading.keys),
        tuple((name, asked) for asked, name in reading.columns.items()),
        place=place_of(tree, text),
    )
    return View(source, tuple(visible), tuple(kept), text)


def check_no_id(tree: exp.Expr, name: str, schema: Schema, text: str) -> None:
    """Refuse a column of a subquery that is named like the people's ids and is none."""
    if schema.by_person and name.casefold() == schema.unit.casefold():
        raise QueryError(
            f"a column of the subquery is named {name[:60]!r}, like the "
            "people's ids. Nothing may stand in for an id. Use another name."
        ).at(place_of(tree, text))


def _entries(tree: exp.Expr, text: str) -> list[exp.Expr]:
    """What a subquery groups by; DISTINCT groups by everything that it selects."""
    group = tree.args.get("group")
    if group is not None and given(group) == {"all"}:
        return [_inner(one) for one in tree.expressions if not has_aggregate(one)]
    if group is not None and given(group) != {"expressions"}:
        raise QueryError(
            f"the subquery has {written(group)!r}. GROUP BY takes columns, "
            "expressions and positions. Write each group out."
        ).at(place_of(group, text))
    distinct = tree.args.get("distinct")
    if distinct is not None:
        if given(distinct) or group is not None:
            raise QueryError(
                "the subquery has DISTINCT with something else. It stands "
                "for a GROUP BY of all that is selected. Write GROUP BY."
            ).at(place_of(tree, text))
        return [_inner(one) for one in tree.expressions]
    found: list[exp.Expr] = [] if group is None else group.expressions
    return found


def _item(entry: exp.Expr, tree: exp.Expr) -> exp.Expr:
    """What an entry of GROUP BY means: a position, an alias, or itself."""
    if type(entry) is exp.Literal and entry.name.isdecimal() and len(entry.name) < 6:
        place = int(entry.name)
        if not 0 < place <= len(tree.expressions):
            raise QueryError(
                f"GROUP BY has the position {entry.name[:20]!r}, where no column stands. Positions "
                "count the columns of the SELECT from 1. Write the column's name instead."
            )
        return _inner(tree.expressions[place - 1])
    if type(entry) is exp.Column and given(entry) == {"this"}:
        for one in tree.expressions:
            if type(one) is exp.Alias and one.alias.casefold() == entry.name.casefold():
                return _inner(one)
    return entry


def _inner(tree: exp.Expr) -> exp.Expr:
    return tree.this if type(tree) is exp.Alias else tree
