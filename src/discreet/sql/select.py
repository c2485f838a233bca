"""One SELECT of groups and aggregates ▶ a question.

An answer has one row for each group, and shows what it is grouped by: what GROUP BY has and SELECT
has not comes in front, and GROUP BY ALL is everything in SELECT that is no aggregate.  What is
computed from aggregates, HAVING, ORDER BY and LIMIT are done with the released numbers.
"""

import re

from sqlglot import exp

from discreet.errors import DiscreetError, Front, QueryError
from discreet.plan.expressions import Both, Named, Node
from discreet.plan.expressions import conjuncts as parts_of
from discreet.plan.schema import Schema
from discreet.question.query import After, Key, Query
from discreet.sql.aggregates import Grouped, Scope, has_aggregate
from discreet.sql.examples import Example
from discreet.sql.offered import AGGREGATE_NAMES
from discreet.sql.parse import check_clauses, conjuncts, given, parsed_statement, written
from discreet.sql.places import located, place_of
from discreet.sql.released import Item, Reading
from discreet.sql.tables import Catalog


def parse_select(text: str, schema: Schema) -> Query:
    """The question that a SELECT asks about the tables that were declared.

    >>> from discreet.plan.columns import category, number
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
    check_clauses(tree, text, example, inner=False)
    catalog = Catalog(schema, text).with_queries(tree)
    view = catalog.source(tree)
    reading = Reading(view, example)
    _check_no_rows(tree, reading)
    clause = tree.args.get("where")
    where = [] if clause is None else [reading.condition(one) for one in conjuncts(clause.this)]
    reading.reserve(tree.args.get("group"))
    asked = reading.items(tree.expressions)
    items = [*_only_grouped(tree.args.get("group"), asked, reading), *asked]
    keys = tuple(
        Key(reading.group_name(one), one.asks.of, one.asks.edges, one.asks.dated, one.asks.place)
        for one in items
        if isinstance(one.asks, Grouped)
    )
    having, order, limit, offset = _after(tree, asked, items, reading)
    if not reading.outputs:
        raise QueryError(
            f"the SELECT has no aggregate. Only statistics "
            f"of groups are released, never rows. Add one: {AGGREGATE_NAMES}."
        ).at(place_of(tree.expressions[0], text))
    outputs = tuple((name, asked) for asked, name in reading.outputs.items())
    shown = reading.shown(items)
    if shown == tuple((name, Named(name)) for name, _ in outputs):
        shown = ()
    after = After(shown, having, order, limit, offset)
    kept = [part for node in (*view.where, *where) for part in parts_of(node)]
    return Query(tuple(kept), (), keys, outputs, view.source, after, Front.SQL)


def explained(text: object) -> str | None:
    """The SELECT whose plan an EXPLAIN asks for; None if the text is no EXPLAIN.

    What stands before it becomes spaces, so that errors point at the text as it was written.

    >>> explained("EXPLAIN SELECT COUNT(*) FROM visits")
    '        SELECT COUNT(*) FROM visits'
    """
    if not isinstance(text, str):
        return None
    found = re.match(r"\s*EXPLAIN\s+", text, re.IGNORECASE)
    return None if found is None else re.sub(r"\S", " ", found.group()) + text[found.end() :]


def _check_no_rows(tree: exp.Expr, reading: Reading) -> None:
    """Refuse a SELECT of single rows, before anything is said about groups."""
    clauses = [tree.args.get(name) for name in ("having", "order")]
    parts = [*tree.expressions, *(one for one in clauses if one is not None)]
    starred = any(type(one) is exp.Star for one in tree.expressions)  # is refused where it stands
    if tree.args.get("group") is None and not starred and not any(map(has_aggregate, parts)):
        raise QueryError(
            f"the SELECT has neither an aggregate nor "
            "GROUP BY. Single rows are never released, only statistics of groups. Write "
            f"{reading.example.question}."
        ).at(place_of(tree.expressions[0], reading.text))


def _only_grouped(group: exp.Expr | None, items: list[Item], reading: Reading) -> list[Item]:
    """The groups of GROUP BY that the SELECT has not; those that it has stand in both, once."""
    text = reading.text
    every_group = group is not None and given(group) == {"all"}
    if group is not None and not every_group and given(group) != {"expressions"}:
        raise QueryError(
            f"the SELECT has {written(group)!r}. GROUP BY takes columns, "
            "expressions, aliases and positions. Write each group out; ROLLUP and the like are "
            "questions of their own."
        ).at(place_of(group, text))
    entries = [] if group is None else group.expressions
    asked: dict[Grouped, exp.Expr] = {}
    for one in entries:
        with located(one, text):
            asked[_entry(one, items, reading)] = one
    selected = [(one.asks, one.tree) for one in items if isinstance(one.asks, Grouped)]
    if every_group:
        asked = dict(selected)
    hidden = [(found, one) for found, one in asked.items() if found not in dict(selected)]
    for found, tree in selected:
        if found not in asked:
            every = ", ".join(written(one) for _, one in (*hidden, *selected))
            raise QueryError(
                f"the SELECT has {written(tree)!r}, which is neither an "
                f"aggregate nor in GROUP BY. Only groups and their statistics are released. Write "
                f"GROUP BY {every[:200]}, or an aggregate such as COUNT(DISTINCT {written(tree)})."
            ).at(place_of(tree, text))
    if len(dict(selected)) < len(selected):
        asks = [found for found, _ in selected]
        doubled, tree = next(
            (found, tree) for place, (found, tree) in enumerate(selected) if found in asks[:place]
        )
        raise QueryError(
            f"the SELECT has the group {doubled.name[:60]!r} twice. Each "
            "group is one column. Take one out."
        ).at(place_of(tree, text))
    return [Item(tree, None, found) for found, tree in hidden]


def _entry(tree: exp.Expr, items: list[Item], reading: Reading) -> Grouped:
    """What an entry of GROUP BY means: a position, an alias, or an expression."""
    if type(tree) is exp.Literal and not tree.is_string:
        place = int(tree.name) if tree.name.isdecimal() and len(tree.name) < 6 else 0
        found = items[place - 1].asks if 0 < place <= len(items) else None
        if not isinstance(found, Grouped):
            raise QueryError(
                f"GROUP BY has the position {tree.name[:20]!r}, where no group stands. Positions "
                "count the columns of the SELECT from 1. Write the group's name instead."
            )
        return found
    alias = tree.name if type(tree) is exp.Column and given(tree) == {"this"} else None
    meant = next((one for one in items if alias is not None and _is_named(one, alias)), None)
    if meant is None:
        return reading.group(tree)
    if not isinstance(meant.asks, Grouped):
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


def _is_named(item: Item, alias: str) -> bool:
    return item.name is not None and item.name.casefold() == alias.casefold()


def _after(
    tree: exp.Expr, asked: list[Item], items: list[Item], reading: Reading
) -> tuple[Node | None, tuple[tuple[Node, bool], ...], int | None, int]:
    """HAVING, ORDER BY, LIMIT and OFFSET, which are about the released numbers."""
    having: Node | None = None
    clause = tree.args.get("having")
    for one in [] if clause is None else conjuncts(clause.this):
        found = reading.released(one, items)
        having = found if having is None else Both(having, found)
    order = tree.args.get("order")
    entries = [] if order is None else order.expressions
    by = [_ordering(one, asked, items, reading) for one in entries]
    limit = _number(tree.args.get("limit"), exp.Limit, "LIMIT", 1, reading.text)
    offset = _number(tree.args.get("offset"), exp.Offset, "OFFSET", 0, reading.text)
    return having, tuple(by), limit, offset or 0


def _ordering(
    tree: exp.Expr, asked: list[Item], items: list[Item], reading: Reading
) -> tuple[Node, bool]:
    if type(tree) is not exp.Ordered or given(tree) - {"this", "desc", "nulls_first"}:
        raise QueryError(
            f"ORDER BY has {written(tree)!r}. Groups are ordered by "
            "released numbers or by their names. Write ORDER BY n DESC."
        ).at(place_of(tree, reading.text))
    if tree.args.get("nulls_first"):
        raise QueryError(
            "ORDER BY has NULLS FIRST. Groups whose value is "
            "missing come last, in either direction, so that LIMIT keeps known ones. Write NULLS "
            "LAST, or leave it out."
        ).at(place_of(tree, reading.text))
    by, falling = tree.this, bool(tree.args.get("desc"))
    if type(by) is exp.Literal and not by.is_string:
        place = int(by.name) if by.name.isdecimal() and len(by.name) < 6 else 0
        if not 0 < place <= len(asked):
            raise QueryError(
                f"ORDER BY has the position {by.name[:20]!r}, where "
                "no column stands. Positions count the columns of the SELECT from 1. Write the "
                "column's name instead."
            ).at(place_of(tree, reading.text))
        return reading.node(asked[place - 1]), falling
    return reading.released(by, items), falling


def _number(
    clause: exp.Expr | None, kind: type[exp.Expr], word: str, least: int, text: str
) -> int | None:
    if clause is None:
        return None
    number = clause.args.get("expression")
    plain = type(clause) is kind and given(clause) == {"expression"}
    whole = plain and type(number) is exp.Literal and not number.is_string
    size = number.name if whole and number is not None else ""
    if not size.isdecimal() or len(size) > 9 or int(size) < least:
        raise QueryError(
            f"the SELECT has {written(clause)!r}. It is about the groups "
            f"of the answer. Write a whole number from {least} up, such as {word} 3."
        ).at(place_of(clause, text))
    return int(size)
