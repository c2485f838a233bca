"""One SELECT of groups and aggregates ▶ a question.

SELECT and GROUP BY name the same groups, so that an answer has one row for each of them.
"""

from dataclasses import dataclass

from sqlglot import exp

from discreet.errors import QueryError
from discreet.plan.expressions import Named, Node, walk
from discreet.plan.query import Aggregate, Key, Query
from discreet.sql.aggregates import AGGREGATES, Grouped, Scope, counts, readable
from discreet.sql.parse import given, parsed_statement, written
from discreet.sql.text import read

_CLAUSES = {"expressions", "from_", "where", "group", "order", "limit"}
_REFUSED = {
    "with_": ("WITH", "Write the expression where it is used, or ask two questions."),
    "joins": ("a second table", "Let the custodian join them, or ask each table by itself."),
    "laterals": ("LATERAL", "Ask one table by itself."),
    "distinct": ("DISTINCT", "Write GROUP BY, or COUNT(DISTINCT x)."),
    "having": ("HAVING", "Groups are public: drop them after the release, which is free."),
    "qualify": ("QUALIFY", "Write ORDER BY the count DESC LIMIT k for the most common groups."),
    "windows": ("WINDOW", "Write GROUP BY."),
    "offset": ("OFFSET", "Write LIMIT k alone."),
    "sample": ("a sample", "Every row counts. Leave it out."),
}


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the answer: a group or an aggregate, under the name it was given."""

    tree: exp.Expr
    name: str | None
    asks: Aggregate | Grouped


def parse_select(text: str, table: str, unit: str) -> Query:
    """The question that a SELECT about ``table`` asks; ``unit`` is the column of people's ids.

    >>> parse_select("SELECT ward, AVG(stay) FROM visits GROUP BY 1", "visits", "id").text
    'avg_stay = mean(stay) GROUP BY ward'
    """
    tree = parsed_statement(text)
    _check_clauses(tree)
    scope = Scope(_source(tree, table), unit)
    columns = [_column(one, scope) for one in tree.expressions]
    _check_groups(tree.args.get("group"), columns, scope)
    where = tree.args.get("where")
    outputs = _outputs(columns)
    return Query(
        where=() if where is None else (read(where.this, scope.tables),),
        keys=tuple(
            Key(one.name or one.asks.name, one.asks.of, one.asks.edges, one.asks.dated)
            for one in columns
            if isinstance(one.asks, Grouped)
        ),
        outputs=outputs,
        top=_top(tree, columns, outputs, scope),
    )


def _check_clauses(tree: exp.Expr) -> None:
    if type(tree) is not exp.Select:
        raise QueryError(
            f"the question is {written(tree)!r}. It must be one SELECT about one table: sets of "
            "answers are priced one by one. Ask each SELECT by itself."
        )
    for clause in sorted(given(tree) - _CLAUSES):
        found, instead = _REFUSED.get(clause, (clause.strip("_").upper(), "Leave it out."))
        raise QueryError(
            f"the SELECT has {found}. Only SELECT, FROM, WHERE, GROUP BY and ORDER BY … LIMIT are "
            f"offered. {instead}"
        )
    if not tree.expressions:
        raise _nothing_asked()


def _source(tree: exp.Expr, table: str) -> frozenset[str]:
    """The names that may qualify a column: that of the table, or its alias."""
    source = tree.args.get("from_")
    found = None if source is None else source.this
    name = found.this if type(found) is exp.Table else None
    known = type(name) is exp.Identifier and name.name.casefold() == table.casefold()
    if found is None or name is None or not known or given(found) - {"this", "alias"}:
        what = "nothing" if found is None else written(found)
        raise QueryError(
            f"the SELECT is about {what!r}. The table is {table!r}, and nothing else is read: no "
            f"file, function, subquery or other table. Write FROM {exp.to_identifier(table)}."
        )
    alias = found.args.get("alias")
    if alias is None:
        return frozenset({table, name.name})
    if given(alias) != {"this"}:
        raise QueryError(
            f"the table's alias {written(alias)!r} renames columns. They keep their declared "
            "names. Write FROM visits AS v."
        )
    return frozenset({alias.name})


def _column(tree: exp.Expr, scope: Scope) -> _Column:
    name = tree.alias if type(tree) is exp.Alias else None
    inner = tree.this if type(tree) is exp.Alias else tree
    if type(inner) is exp.Star:
        raise QueryError(
            "the SELECT has *. Only statistics of groups are released, never rows. Write "
            "SELECT ward, COUNT(*) FROM visits GROUP BY ward."
        )
    aggregate = scope.aggregate(inner)
    return _Column(inner, name, scope.group(inner) if aggregate is None else aggregate)


def _check_groups(group: exp.Expr | None, columns: list[_Column], scope: Scope) -> None:
    """Refuse unless SELECT and GROUP BY name the same groups, each once."""
    if group is not None and given(group) != {"expressions"}:
        raise QueryError(
            f"the SELECT has {written(group)!r}. GROUP BY takes columns, expressions, aliases and "
            "positions. Write each group out; ROLLUP and the like are questions of their own."
        )
    entries = [] if group is None else group.expressions
    asked = {_entry(one, columns, scope): one for one in entries}
    selected = [(one.asks, one.tree) for one in columns if isinstance(one.asks, Grouped)]
    for found, tree in selected:
        if found not in asked:
            raise QueryError(
                f"the SELECT has {written(tree)!r}, which is neither an aggregate nor in GROUP BY. "
                f"Only groups and their statistics are released. Write GROUP BY {written(tree)}, "
                f"or an aggregate of it: {AGGREGATES}."
            )
    kept = {found for found, _ in selected}
    for found, tree in asked.items():
        if found not in kept:
            raise QueryError(
                f"GROUP BY has {written(tree)!r}, which is not in the SELECT. The answer has a row "
                "for every group, and each needs its name. Add it to the SELECT."
            )
    if len(kept) < len(selected):
        raise QueryError(
            "the SELECT has the same group twice. Groups are all combinations of values. Write "
            "each once."
        )


def _entry(tree: exp.Expr, columns: list[_Column], scope: Scope) -> Grouped:
    """The group that an entry of GROUP BY means: by position, by alias or written out."""
    if type(tree) is exp.Literal and not tree.is_string:
        place = int(tree.name) if tree.name.isdecimal() and len(tree.name) < 6 else 0
        found = columns[place - 1].asks if 0 < place <= len(columns) else None
        if not isinstance(found, Grouped):
            raise QueryError(
                f"GROUP BY has the position {tree.name[:20]!r}, where no group stands. Positions "
                "count the columns of the SELECT from 1. Write the group's name instead."
            )
        return found
    named = scope.group(tree)
    if not isinstance(named.of, Named) or named.edges:
        return named
    if any(one.asks == named for one in columns):
        return named
    alias = named.of.name
    for one in columns:
        if one.name != alias:
            continue
        if isinstance(one.asks, Aggregate):
            raise QueryError(
                f"GROUP BY has {alias[:60]!r}, which is an aggregate. Groups are made of rows, "
                "before anything is counted. Group by a column or an expression."
            )
        if _mentions(one.asks.of, alias):
            raise QueryError(
                f"GROUP BY has {alias[:60]!r}, which is both a column and an alias. Databases "
                "differ in which they mean. Use another alias."
            )
        return one.asks
    return named


def _mentions(node: Node, name: str) -> bool:
    return any(isinstance(one, Named) and one.name == name for one in walk(node))


def _outputs(columns: list[_Column]) -> tuple[tuple[str, Aggregate], ...]:
    """The aggregates by their names; those without one get a readable one of their own."""
    taken = {one.name for one in columns if one.name is not None}
    taken |= {one.asks.name for one in columns if isinstance(one.asks, Grouped) and not one.name}
    found = []
    for one in columns:
        if not isinstance(one.asks, Aggregate):
            continue
        name = one.name or _unused(readable(one.asks), taken)
        taken.add(name)
        found.append((name, one.asks))
    if not found:
        raise _nothing_asked()
    return tuple(found)


def _unused(name: str, taken: set[str]) -> str:
    place, found = 1, name
    while found in taken:
        place += 1
        found = f"{name}_{place}"
    return found


def _top(
    tree: exp.Expr,
    columns: list[_Column],
    outputs: tuple[tuple[str, Aggregate], ...],
    scope: Scope,
) -> int | None:
    """The number of most common groups that ORDER BY … DESC LIMIT asks for."""
    order, limit = tree.args.get("order"), tree.args.get("limit")
    if order is None and limit is None:
        return None
    if order is None or limit is None:
        found = "ORDER BY without LIMIT" if limit is None else "LIMIT without ORDER BY"
        raise QueryError(
            f"the SELECT has {found}. Every public group is released, in its declared order; "
            "together they ask for the most common groups. Sort or cut the answer afterwards, or "
            "write ORDER BY COUNT(*) DESC LIMIT 3."
        )
    first = next(((name, one) for name, one in outputs if counts(one)), None)
    written_out = order.expressions[0] if len(order.expressions) == 1 else None
    descending = written_out is not None and bool(written_out.args.get("desc"))
    by = None
    if written_out is not None and not given(written_out) - {"this", "desc", "nulls_first"}:
        by = _ordering(written_out.this, columns, dict(outputs), scope)
    if first is None or not descending or by != first[1]:
        raise QueryError(
            f"the SELECT has {written(order)!r} before LIMIT. Only the most common groups can be "
            "asked for, by the first count in the SELECT. Write SELECT ward, COUNT(*) AS n … "
            "ORDER BY n DESC LIMIT 3."
        )
    number = limit.args.get("expression")
    plain = type(limit) is exp.Limit and given(limit) == {"expression"}
    whole = plain and type(number) is exp.Literal and not number.is_string
    size = number.name if whole and number is not None else ""
    if not size.isdecimal() or len(size) > 9 or int(size) < 1:
        raise QueryError(
            f"the SELECT has {written(limit)!r}. It keeps so many of the most common groups. Write "
            "a whole number from 1 up, such as LIMIT 3."
        )
    return int(size)


def _ordering(
    tree: exp.Expr, columns: list[_Column], outputs: dict[str, Aggregate], scope: Scope
) -> Aggregate | None:
    """The aggregate that ORDER BY means: by position, by name or written out."""
    if type(tree) is exp.Literal and tree.name.isdecimal() and len(tree.name) < 6:
        place = int(tree.name)
        asks = columns[place - 1].asks if 0 < place <= len(columns) else None
        return asks if isinstance(asks, Aggregate) else None
    if type(tree) is exp.Column and given(tree) == {"this"}:
        return outputs.get(tree.name)
    return scope.aggregate(tree)


def _nothing_asked() -> QueryError:
    return QueryError(
        "the SELECT has no aggregate. Only statistics of groups are released, never rows. Add one: "
        f"{AGGREGATES}."
    )
