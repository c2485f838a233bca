"""UNION ALL of a table and its totals: they are one question, whose totals agree."""

from typing import Final, NoReturn

from sqlglot import exp

from discreet.errors import QueryError
from discreet.sql.read.from_clause import group_entries, group_item
from discreet.sql.read.messages import position_of
from discreet.sql.read.parser import present_arguments, sql_excerpt

_MOST: Final = 16
_SHARED: Final = ("from_", "joins", "where")
_OF_ALL: Final = ("with_", "order", "limit", "offset")


def without_unions(tree: exp.Expr, text: str) -> exp.Expr:
    """The SELECT by GROUPING SETS that asks for the same as several with UNION ALL between them."""
    parts: list[exp.Expr] = []
    rest = tree
    while type(rest) is exp.Union and rest.args.get("distinct") is False:
        if parts and present_arguments(rest) & {*_OF_ALL}:
            _refuse(rest, "a part of UNION ALL has an order of its own", text)
        parts.append(rest.args["expression"])
        rest = rest.this
    if not parts:
        return tree
    parts = [rest, *reversed(parts)]
    if len(parts) > _MOST:
        _refuse(tree, f"the SQL has UNION ALL of {len(parts):,} SELECTs, more than {_MOST}", text)
    for one in parts:
        if type(one) is not exp.Select or present_arguments(one) - {
            *_SHARED,
            "expressions",
            "group",
        }:
            _refuse(one, f"UNION ALL has a part {sql_excerpt(one)!r}", text)
    return _together(tree, parts, text)


def _refuse(tree: exp.Expr, fact: str, text: str) -> NoReturn:
    raise QueryError(
        f"{fact}. UNION ALL is read between a table of groups and its totals: SELECTs of the same "
        "rows and aggregates, in which a text or NULL stands for a group that is left out. Write "
        "GROUP BY ROLLUP (x), or ask each SELECT by itself."
    ).at(position_of(tree, text))


def _together(tree: exp.Expr, parts: list[exp.Expr], text: str) -> exp.Expr:
    columns = [[_own(item) for item in part.expressions] for part in parts]
    groups = [_groups(part, text) for part in parts]
    widest = max(range(len(parts)), key=lambda place: len(groups[place]))
    whole, sets = parts[widest], []
    for part, own, keys in zip(parts, columns, groups, strict=True):
        if any(part.args.get(clause) != whole.args.get(clause) for clause in _SHARED):
            _refuse(part, "the SELECTs of UNION ALL are of different rows", text)
        if len(own) != len(columns[widest]):
            _refuse(part, "the SELECTs of UNION ALL have different numbers of columns", text)
        found = []
        for place, (mine, there) in enumerate(zip(own, columns[widest], strict=True), 1):
            if mine == there and (there not in groups[widest] or there in keys):
                found += [there] if there in keys else []
            elif there not in groups[widest] or not isinstance(mine, exp.Null | exp.Literal):
                _refuse(part, f"column {place} of a part of UNION ALL is another one", text)
        if len(found) != len(keys):
            _refuse(part, "a part of UNION ALL has groups that it does not show", text)
        sets.append(found)
    if len({tuple(sorted(map(repr, one))) for one in sets}) < len(sets):
        _refuse(tree, "UNION ALL has one table twice", text)
    merged: exp.Expr = whole.copy()
    names = [item.alias if type(item) is exp.Alias else "" for item in parts[0].expressions]
    items = [
        exp.Alias(this=own.copy(), alias=exp.to_identifier(name, quoted=True))
        if name
        else item.copy()
        for name, own, item in zip(names, columns[widest], whole.expressions, strict=True)
    ]
    merged.set("expressions", items)
    tables = exp.GroupingSets(expressions=[_set(one) for one in sets])
    merged.set("group", exp.Group(expressions=[tables]))
    for clause in _OF_ALL:
        merged.set(clause, tree.args.get(clause))
    return merged


def _own(item: exp.Expr) -> exp.Expr:
    own: exp.Expr = item.this if type(item) is exp.Alias else item
    return own


def _groups(part: exp.Expr, text: str) -> list[exp.Expr]:
    """What a SELECT groups by, written out."""
    if part.args.get("group") is None:
        return []
    entries = [_own(group_item(one, part)) for one in group_entries(part, text)]
    if any(isinstance(one, exp.Cube | exp.Rollup | exp.GroupingSets) for one in entries):
        _refuse(part, "a part of UNION ALL has several tables", text)
    return entries


def _set(keys: list[exp.Expr]) -> exp.Expr:
    copies = [one.copy() for one in keys]
    return exp.Paren(this=copies[0]) if len(copies) == 1 else exp.Tuple(expressions=copies)
