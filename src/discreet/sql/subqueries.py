"""What to write instead of a subquery that stands where none is read: mostly a join."""

from dataclasses import dataclass

from sqlglot import Token, TokenType

from discreet.plan.expressions import quoted_name
from discreet.plan.schema import Schema
from discreet.sql.examples import Example

_CALCULATED = {
    *(TokenType.SLASH, TokenType.DIV, TokenType.STAR, TokenType.PLUS, TokenType.DASH),
}
_COMPARED = {
    *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
}
_NAMES = {TokenType.VAR, TokenType.IDENTIFIER}
_AFTER_WHERE = {TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT}
_LONGEST = 60
_FIRST = "Ask for it by itself first, and write what was released in its place."


@dataclass(frozen=True, slots=True)
class _Inner:
    """The parts of a subquery, as far as words show them."""

    column: str
    table: str
    alias: str
    where: str
    plain: bool

    @property
    def named(self) -> str:
        """The table under its alias."""
        return f"{self.table} {self.alias}".strip()


def instead_of_subquery(tokens: list[Token], place: int, text: str, example: Example) -> str:
    """The remedy for a subquery whose SELECT is the token at ``place``."""
    before = tokens[place - 2] if place > 1 else None
    word = "" if before is None else before.text.upper()
    if before is not None and before.token_type in _CALCULATED:
        return (
            "Ask for the total in a question of its own, or for one part within this: "
            f"{example.share}."
        )
    if before is not None and before.token_type in _COMPARED:
        return _FIRST
    inner = _inner(tokens[place:], text)
    schema = example.schema
    if word not in ("IN", "EXISTS") or inner is None or schema is None:
        return _by_person(schema) if word in ("IN", "EXISTS") else _FIRST
    outer = tokens[place - 3].text if place > 2 else ""
    negated = outer.upper() == "NOT"
    folded = inner.table.casefold()
    for name, public in schema.public.items():
        if name.casefold() == folded:
            shared = next((one for one in public.columns if one in schema.columns), "")
            key, other = (outer, inner.column) if word == "IN" else (shared, shared)
            if negated or not inner.plain or public.most.get(other) != 1:
                return f"Read {name[:_LONGEST]}, which is public, and write its values out."
            return f"Join it: {_joined(schema, key, inner, other)}."
    units = {schema.name: schema.unit} | {name: one.unit for name, one in schema.private.items()}
    found = next((name for name in units if name.casefold() == folded), None)
    if found is None or not schema.by_person:
        return _by_person(schema)
    unit = units[found]
    if word == "IN" and inner.column.casefold() != unit.casefold():
        return _FIRST
    if negated:
        return "Ask for all, and for those who are in it, and subtract what was released."
    one_row = found in schema.private and schema.private[found].max_rows == 1
    if one_row and inner.plain and word == "IN":
        return f"Join it by the person: {_joined(schema, schema.unit, inner, unit)}."
    return _by_person(schema, unit, f"SELECT DISTINCT {quoted_name(unit)} FROM {inner.table} …")


def _by_person(schema: Schema | None, unit: str = "", query: str = "SELECT …") -> str:
    if schema is None:
        return "Join it by the person: FROM a JOIN (SELECT …) AS b USING (id)."
    if not schema.by_person:
        return _FIRST
    mine = schema.unit[:_LONGEST]
    table = quoted_name(schema.name[:_LONGEST])
    on = f"USING ({quoted_name(mine)})"
    if unit and unit != mine:
        on = f"ON {table}.{quoted_name(mine)} = chosen.{quoted_name(unit[:_LONGEST])}"
    return f"Join it by the person: FROM {table} JOIN ({query}) AS chosen {on}."


def _joined(schema: Schema, key: str, inner: _Inner, other: str) -> str:
    """The FROM and WHERE of a join that a subquery stands for."""
    table = quoted_name(schema.name[:_LONGEST])
    on = f"USING ({quoted_name(key[:_LONGEST])})"
    if key.casefold() != other.casefold():
        right = f"{inner.alias or inner.table}.{quoted_name(other[:_LONGEST])}"
        on = f"ON {table}.{quoted_name(key[:_LONGEST])} = {right}"
    where = f" WHERE {inner.where}" if inner.where else ""
    return f"FROM {table} JOIN {inner.named} {on}{where}"


def _inner(tokens: list[Token], text: str) -> _Inner | None:
    """The parts of a subquery that starts with these tokens; None if they are not plain to see."""
    depth, inside = 0, []
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0:
            break
        inside.append(token)
    kinds = [token.token_type for token in inside]
    if TokenType.FROM not in kinds or kinds[0] is not TokenType.SELECT:
        return None
    at = kinds.index(TokenType.FROM)
    if at + 1 >= len(inside) or kinds[at + 1] not in _NAMES:
        return None
    rest = [one for one in range(at + 2, len(kinds)) if kinds[one] is not TokenType.ALIAS]
    alias = inside[rest[0]].text if rest and kinds[rest[0]] in _NAMES else ""
    where = ""
    if TokenType.WHERE in kinds and kinds.index(TokenType.WHERE) + 1 < len(inside):
        first = inside[kinds.index(TokenType.WHERE) + 1]
        where = " ".join(text[first.start : inside[-1].end + 1].split())
    plain = (
        at in (2, 4)
        and not set(kinds) & {*_AFTER_WHERE, TokenType.JOIN, TokenType.DISTINCT}
        and kinds.count(TokenType.SELECT) == 1
    )
    if len(where) > _LONGEST:
        where = "…"
    column, table = inside[at - 1].text, inside[at + 1].text[:_LONGEST]
    return _Inner(column, table, alias[:_LONGEST], where, plain)
