"""FROM ▶ a view: one table, tables joined person by person or with public ones, subqueries.

A subquery that works row by row is written out in the question around it.  One that groups by the
column of people's ids gives a row for each person.  Everything else is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from discreet.errors import QueryError
from discreet.plan.columns import Column
from discreet.plan.expressions import Named
from discreet.plan.schema import Schema
from discreet.question.relations import Scan
from discreet.sql.examples import Example
from discreet.sql.joins import Looked, joined
from discreet.sql.names import View, Visible
from discreet.sql.parse import check_clauses, conjuncts, given, is_grouped, item_name, written
from discreet.sql.people import check_no_id, per_person
from discreet.sql.places import listed, located, nearest, place_of

_MOST_NAMED = 16


@dataclass(frozen=True, slots=True)
class Catalog:
    """What FROM may name: the declared tables, and queries that WITH has named."""

    schema: Schema
    text: str
    named: Mapping[str, View] = field(default_factory=dict)

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
        found = self
        for query in clause.expressions:
            name = query.alias
            if given(query) - {"this", "alias"} or given(query.args["alias"]) != {"this"}:
                raise QueryError(
                    f"WITH {name[:60]} has more than a name and a "
                    "query. Columns are named inside. Write WITH a AS (SELECT x AS y FROM …)."
                ).at(place_of(query, self.text))
            view = found.view(query.this)
            found = replace(found, named={**found.named, name.casefold(): view})
        return found

    def view(self, tree: exp.Expr) -> View:
        """A SELECT inside another one, as rows to ask about."""
        check_clauses(tree, self.text, Example(self.schema), inner=True)
        catalog = self.with_queries(tree)
        view = catalog.source(tree)
        if is_grouped(tree):
            return per_person(tree, view, self.schema)
        where = tree.args.get("where")
        conditions = [] if where is None else conjuncts(where.this)
        columns = []
        for part in tree.expressions:
            inner = part.this if type(part) is exp.Alias else part
            if type(inner) is exp.Star or type(inner.this) is exp.Star:
                columns += _starred(inner, view)
                continue
            name = item_name(part, self.text)
            with located(part, self.text):
                node = None if view.is_unit(inner) else view.read(inner)
            if node is not None:
                check_no_id(part, name, self.schema, self.text)
            columns.append(Visible("", name, node))
        _check_doubles(tree, columns, self.text)
        kept = [*view.where]
        for condition in conditions:
            with located(condition, self.text):
                kept.append(view.read(condition))
        return View(view.source, tuple(columns), tuple(kept), self.text)

    def source(self, tree: exp.Expr) -> View:
        """The rows that a SELECT is about."""
        clause = tree.args.get("from_")
        if clause is None:
            raise QueryError(
                "the SELECT has no FROM. A question is about a table. Write FROM "
                f"{exp.to_identifier(self.schema.name).sql()}."
            )
        found = self._side(clause.this)
        joins = tree.args.get("joins") or []
        for join in joins:
            with located(join, self.text):
                found = joined(found, self._side(join.this), join, self.schema, self.text)
        if isinstance(found, Looked):
            raise QueryError(
                f"the SELECT is about {found.table[:60]!r} alone, "
                "which is public. There is nothing to protect in it, and nothing to pay for. Read "
                "it directly, or join it with a private table."
            ).at(place_of(clause, self.text))
        if joins:
            return replace(found, source=replace(found.source, place=place_of(clause, self.text)))
        return found

    def _side(self, tree: exp.Expr) -> View | Looked:
        """One table or subquery of FROM, under its alias."""
        alias = tree.args.get("alias")
        if alias is not None and given(alias) != {"this"}:
            raise QueryError(
                f"the alias {written(alias)!r} renames columns. They "
                f"keep their names. Write FROM {Example(self.schema).table} AS a."
            ).at(place_of(tree, self.text))
        if type(tree) is exp.Subquery and not given(tree) - {"this", "alias"}:
            view = self.view(tree.this)
            return _aliased(view, "" if alias is None else alias.name)
        name = tree.this if type(tree) is exp.Table else None
        if type(name) is not exp.Identifier or given(tree) - {"this", "alias"}:
            raise QueryError(
                f"FROM has {written(tree)!r}. Only declared tables are "
                "read: no file, function or sample. Existing tables: "
                f"{listed(self._tables())}."
            ).at(place_of(tree, self.text))
        return self._table(name.name, name.name if alias is None else alias.name, tree)

    def _table(self, name: str, alias: str, tree: exp.Expr) -> View | Looked:
        folded = name.casefold()
        if folded in self.named:
            return _aliased(self.named[folded], alias)
        schema = self.schema
        if folded == schema.name.casefold():
            the_table = Scan(called=schema.name)
            return self._scan(the_table, alias, schema.columns, schema.unit)
        for known, beside in schema.private.items():
            if known.casefold() == folded:
                return self._scan(Scan(known), alias, beside.columns, beside.unit)
        for known, public in schema.public.items():
            if known.casefold() == folded:
                return Looked(known, alias, public.columns)
        tables = self._tables()
        raise QueryError(
            f"there is no table {name[:60]!r}.{nearest(name, tables)} "
            f"Only declared tables are read. Existing tables: {listed(tables)}."
        ).at(place_of(tree, self.text))

    def _scan(self, scan: Scan, alias: str, columns: Mapping[str, Column], unit: str) -> View:
        visible = [Visible(alias, name, Named(name)) for name in columns]
        if self.schema.by_person:
            visible.append(Visible(alias, unit, None))
        return View(scan, tuple(visible), (), self.text)

    def _tables(self) -> list[str]:
        schema = self.schema
        return [schema.name, *schema.private, *schema.public, *self.named]


def _aliased(view: View, alias: str) -> View:
    columns = tuple(replace(one, table=alias) for one in view.columns)
    return replace(view, columns=columns)


def _starred(tree: exp.Expr, view: View) -> list[Visible]:
    table = tree.args.get("table")
    star = tree if type(tree) is exp.Star else tree.this
    if given(star) or (table is not None and table.name not in {one.table for one in view.columns}):
        raise QueryError(
            f"{written(tree)!r} is not offered. * stands for all "
            "columns of FROM, in a subquery. Write SELECT * or name the columns."
        ).at(place_of(tree, view.text))
    return [
        replace(one, table="") for one in view.columns if table is None or one.table == table.name
    ]


def _check_doubles(tree: exp.Expr, columns: list[Visible], text: str) -> None:
    names = [one.name.casefold() for one in columns]
    for one in columns:
        if names.count(one.name.casefold()) > 1:
            raise QueryError(
                f"the subquery has two columns named {one.name[:60]!r}. "
                "The question around it could mean either. Give one another name: x AS y."
            ).at(place_of(tree, text))
