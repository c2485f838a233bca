"""What refusals of SQL say: line and column, an example of this table, what to write instead."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain

from sqlglot import Token, TokenType, exp

from discreet.errors import DiscreetError, Place, QueryError
from discreet.plan.expressions import constant_text, quoted_name
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, Schema, TextColumn
from discreet.plan.types import example_condition, example_equality
from discreet.sql.read.allow_list import AGGREGATE_NAMES, AGGREGATED, CALLED, OFFERED

_START = "start"
"""Under which sqlglot notes where a word begins."""


_LONGEST = 60
_DATES = "Write DATE_TRUNC('month', d) or MONTH(d)."
_WEEKDAY = "Write ISODOW(d), which is 1 on Mondays and 7 on Sundays."
_TODAY = "Write the date out: DATE '2026-01-31'."
_FILTER = "Write COUNT(*) FILTER (WHERE …)."
_ANY = "Write MAX(CASE WHEN … THEN 1 ELSE 0 END)."
_EVERY = "Write MIN(CASE WHEN … THEN 1 ELSE 0 END)."
_PATTERN = "Write x LIKE 'A%', or CONTAINS(x, 'A')."
_QUANTILE = "Write QUANTILE(x, 0.9)."
_DISTINCT = "Write COUNT(DISTINCT x)."
_COMMONEST = "Write GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1."
_RELATED = "Write CORR(y, x), COVAR_POP(y, x), REGR_SLOPE(y, x), REGR_INTERCEPT or REGR_R2."
_PIECES = "Write SUBSTRING(x, 1, 3), or x LIKE 'A%'."
_LATER = "Write d + INTERVAL '7' DAY."
_TOTALS = "Write GROUP BY CUBE (a, b), ROLLUP (a, b) or GROUPING SETS ((a, b), (a), ())."
_WHICH_TOTAL = "Write GROUPING(x), which is 1 where all x are counted together."
_LISTS = "Ask for COUNT(*) by groups; values of single rows are never listed."
_TYPES = "Write CAST(x AS DOUBLE), or TRY_CAST."
_RANKED = "Write RANK() OVER (ORDER BY COUNT(*) DESC) with GROUP BY, or ORDER BY … LIMIT."
_WORDS = {
    **dict.fromkeys(
        ("STRFTIME", "TO_CHAR", "DATE_FORMAT", "FORMAT_DATE", "FORMAT", "MONTHNAME"), _DATES
    ),
    **dict.fromkeys(("DAYNAME", "WEEKDAY", "DAY_NAME"), _WEEKDAY),
    **dict.fromkeys(
        ("NOW", "CURRENT_DATE", "CURRENT_TIMESTAMP", "GETDATE", "TODAY", "CURDATE", "SYSDATE"),
        _TODAY,
    ),
    **dict.fromkeys(("COUNT_IF", "COUNTIF", "SUM_IF", "SUMIF", "AVG_IF", "AVGIF"), _FILTER),
    **dict.fromkeys(("BOOL_OR", "ANY_VALUE", "ANY", "SOME", "LOGICAL_OR"), _ANY),
    **dict.fromkeys(("BOOL_AND", "EVERY", "LOGICAL_AND"), _EVERY),
    **dict.fromkeys(("RLIKE", "REGEXP", "SIMILAR", "GLOB", "MATCH"), _PATTERN),
    **dict.fromkeys(("PERCENTILE_DISC", "PERCENTILE", "QUANTILE_DISC", "NTILE"), _QUANTILE),
    **dict.fromkeys(("ROW_NUMBER", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST"), _RANKED),
    **dict.fromkeys(("LAST_VALUE", "NTH_VALUE"), "Write LEAD(n) OVER (ORDER BY x)."),
    "MODE": _COMMONEST,
    **dict.fromkeys(("APPROX_COUNT_DISTINCT", "APPROX_DISTINCT"), _DISTINCT),
    "CORR": _RELATED,
    **dict.fromkeys(("REPLACE", "SPLIT", "SPLIT_PART", "STRING_SPLIT", "TRANSLATE"), _PIECES),
    **dict.fromkeys(("INSTR", "POSITION", "STRPOS", "CHARINDEX"), "Write CONTAINS(x, 'A')."),
    **dict.fromkeys(("DATE_ADD", "DATEADD", "DATE_SUB", "DATESUB", "ADD_MONTHS"), _LATER),
    **dict.fromkeys(("DATE", "TO_DATE", "STR_TO_DATE", "STRPTIME"), "Write CAST(x AS DATE)."),
    **dict.fromkeys(("CONVERT", "TO_NUMBER", "SAFE_CAST"), _TYPES),
    **dict.fromkeys(("TIMESTAMP", "DATETIME"), "Write CAST(x AS DATE)."),
    **dict.fromkeys(("NVL", "ISNULL"), "Write COALESCE(x, 0)."),
    "DECODE": "Write CASE WHEN … THEN … END.",
    **dict.fromkeys(("ROLLUP", "CUBE", "SETS", "GROUPING"), _TOTALS),
    "GROUPING_ID": _WHICH_TOTAL,
    **dict.fromkeys(
        ("ARRAY_AGG", "STRING_AGG", "GROUP_CONCAT", "LISTAGG", "LIST", "FIRST", "LAST", "SAMPLE"),
        _LISTS,
    ),
}
_STARTS = {"REGEXP_": _PATTERN, "APPROX_": _QUANTILE, "COVAR": _RELATED, "REGR_": _RELATED}
_ABOUT_GROUPS = {
    *(_FILTER, _ANY, _EVERY, _QUANTILE, _DISTINCT, _COMMONEST, _RELATED, _LISTS),
}
ROW_BY_ROW = (
    f"Offered is what uses the values of one row and cannot fail on any of them: {OFFERED}."
)
_QUOTED = "Texts stand in single quotes, and names in double ones or in none."
_SIGNS = {
    **dict.fromkeys("`[]", 'Write names in double quotes: "x".'),
    **dict.fromkeys("‘’‚‛´", "Write plain quotes: 'text'."),
    **dict.fromkeys("“”„«»", "Write plain quotes: 'text' for a text, \"x\" for a name."),
    "~": _PATTERN,
    **dict.fromkeys("?$:@", "Write the value out; parameters are filled in before it is read."),
}
_CALCULATED = {
    *(TokenType.SLASH, TokenType.DIV, TokenType.STAR, TokenType.PLUS, TokenType.DASH),
}
_COMPARED = {
    *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
}
_SIGN_OF: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_NAMES = {TokenType.VAR, TokenType.IDENTIFIER}
_AFTER_WHERE = {TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT}
_FIRST = "Ask for it by itself first, and write what was released in its place."


def position_of(tree: exp.Expr, text: str) -> Place | None:
    """Where a part begins, or the expression around it if that is unknown; None if both are.

    It is noted with the part, as sqlglot does for words, so that the parts around it need not look
    further in.
    """
    start = _start(tree, text)
    if start is None:
        return position_of(tree.parent, text) if isinstance(tree.parent, exp.Condition) else None
    tree.meta[_START] = start
    return Place(start, text)


def _start(tree: exp.Expr, text: str) -> int | None:
    """The first of all characters that are known to belong to a part."""
    found: int | None = tree.meta.get(_START)
    if found is not None:  # a function begins with its name, and what is inside stands behind it
        return found
    stack = list(tree.iter_expressions())
    while stack:
        part = stack.pop()
        start = part.meta.get(_START)
        if start is None and type(part) is exp.Case:
            start = _start(part, text)
        elif start is None:
            stack += part.iter_expressions()
        if start is not None and (found is None or start < found):
            found = start
    # sqlglot does not say where CASE and CAST stand, only what is in them.
    if found is not None and isinstance(tree, exp.Cast):
        return _start_of_cast(tree, found, text)
    case = text.upper().rfind("CASE", 0, found or 0) if type(tree) is exp.Case else -1
    return found if case < 0 else case


def _start_of_cast(tree: exp.Expr, found: int, text: str) -> int:
    """Where a cast begins, if what is in it does at ``found``: x::DOUBLE begins with x."""
    inside: object = tree
    while isinstance(inside, exp.Expr):
        if isinstance(inside, exp.Cast):
            end = found
            while end and text[end - 1] in " \t\r\n(":
                end -= 1
            word = re.search(r"\b(TRY_)?CAST$", text[max(0, end - 9) : end], re.IGNORECASE)
            if word is None:
                break
            found = end - len(word.group())
        inside = inside.args.get("this")
    return found


@contextmanager
def with_position(tree: exp.Expr, text: str) -> Iterator[None]:
    """Errors raised inside get the position of a part of the question; the innermost wins."""
    try:
        yield
    except DiscreetError as error:
        error.at(position_of(tree, text))
        raise


def did_you_mean(name: str, known: list[str]) -> str:
    """A question whether another name was meant, for an error message."""
    folded = {one.casefold(): one for one in known}
    wanted = name.casefold()
    longer = [one for one in folded if len(wanted) > 2 and one.startswith(wanted)]
    matches = get_close_matches(wanted, folded, 1) or (longer if len(longer) == 1 else [])
    return f" Did you mean {folded[matches[0]]!r}?" if matches else ""


def listed_names(names: list[str], most: int = 12) -> str:
    """The names that exist, for an error message.

    >>> listed_names(["ward", "stay"]), listed_names([])
    ('ward, stay', 'none')
    """
    return "none" if not names else ", ".join(names[:most]) + (", …" if len(names) > most else "")


@dataclass(frozen=True, slots=True)
class Example:
    """Names of the declared tables; without a schema, names that stand for any."""

    schema: Schema | None = None

    @property
    def table(self) -> str:
        """The table that is asked about."""
        return "a_table" if self.schema is None else quoted_name(self.schema.name)[:_LONGEST]

    @property
    def question(self) -> str:
        """A SELECT, by groups where a column has public ones."""
        by = self._column(CategoryColumn) or self._column(BooleanColumn)
        if by is None:
            return f"SELECT COUNT(*) FROM {self.table}"
        return f"SELECT {by}, COUNT(*) FROM {self.table} GROUP BY {by}"

    @property
    def condition(self) -> str:
        """A condition on a row."""
        return example_condition({} if self.schema is None else self.schema.columns)

    @property
    def equality(self) -> str:
        """A condition that chooses one group."""
        return example_equality({} if self.schema is None else self.schema.columns)

    @property
    def share(self) -> str:
        """A share of the total, asked in one question."""
        return f"100 * COUNT(*) FILTER (WHERE {self.equality}) / COUNT(*)"

    def declared(self, name: str) -> str | None:
        """The column of any declared table that has a name, however its letters are written."""
        schema, folded = self.schema, name.casefold()
        if schema is None:
            return None
        private = (one.columns for one in schema.private.values())
        public = (one.columns for one in schema.public.values())
        names = chain(schema.columns, *private, *public)
        return next((one for one in names if one.casefold() == folded), None)

    def _column(self, kind: type[BooleanColumn] | type[CategoryColumn]) -> str | None:
        columns = {} if self.schema is None else self.schema.columns
        for name, column in columns.items():
            if isinstance(column, kind) and len(name) <= _LONGEST:
                return quoted_name(name)
        return None


def instead_of(name: str) -> str:
    """What is written instead of a function: a known remedy, or a name that is near.

    >>> instead_of("LENGHT")
    'Write LENGTH, if that was meant.'
    """
    upper = name.upper()
    starts = (remedy for start, remedy in _STARTS.items() if upper.startswith(start))
    known = _WORDS.get(upper) or next(starts, None)
    if known is not None:
        return known
    near = get_close_matches(upper, sorted(CALLED | AGGREGATED), 1, 0.75)
    return f"Write {near[0]}, if that was meant." if near else "Write it with these."


def rule_and_remedy(name: str) -> str:
    """Why a function is not offered, and what is written instead."""
    remedy = instead_of(name)
    rule = f"The aggregates are {AGGREGATE_NAMES}." if remedy in _ABOUT_GROUPS else ROW_BY_ROW
    if remedy in (_TOTALS, _WHICH_TOTAL):
        rule = "An answer has one row for each group."
    rule = (
        "Windows are computed from released groups, never from rows." if "OVER" in remedy else rule
    )
    return f"{rule} {remedy}"


def rule_and_remedy_of_sign(sign: str) -> str:
    """Why a sign, or a word that has one in it, is not offered, and what is written instead."""
    known_sign = next((one for one in sign if one in _SIGNS), None)
    if known_sign is None:
        other = "Write it with these; a name with other characters stands in double quotes."
        return f"{ROW_BY_ROW} {other}"
    return f"{_QUOTED if 'quotes' in _SIGNS[known_sign] else ROW_BY_ROW} {_SIGNS[known_sign]}"


def open_quote(text: str) -> int | None:
    """The position of a quote that is never closed.

    >>> open_quote("x = 'it's'")
    9
    """
    place = 0
    while place < len(text):
        if text[place : place + 2] in ("--", "/*"):
            end = text.find("\n" if text[place] == "-" else "*/", place)
            place = len(text) if end < 0 else end
        elif text[place] in "'\"":
            end = text.find(text[place], place + 1)
            if end < 0:
                return place
            place = end
        place += 1
    return None


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
            f"Write SUM(COUNT(*)) OVER () for the total of all groups, or {example.share} for one "
            "part."
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
    unit_column = next((name for name in units if name.casefold() == folded), None)
    if unit_column is None or not schema.by_person:
        return _by_person(schema)
    unit = units[unit_column]
    if word == "IN" and inner.column.casefold() != unit.casefold():
        return _FIRST
    if negated:
        return "Ask for all, and for those who are in it, and subtract what was released."
    one_row = unit_column in schema.private and schema.private[unit_column].max_rows == 1
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


def is_public_list(tokens: list[Token], place: int, text: str, schema: Schema | None) -> bool:
    """Whether the SELECT at ``place`` is the list of an IN: a column of a public table, in which
    no value is there twice."""
    if schema is None or place < 2 or tokens[place - 2].text.upper() != "IN":
        return False
    inner = _inner(tokens[place:], text)
    if inner is None or not inner.plain or inner.alias:
        return False
    for name, public in schema.public.items():
        if name.casefold() == inner.table.casefold():
            folded = {one.casefold(): one for one in public.columns}
            return public.most.get(folded.get(inner.column.casefold(), "")) == 1
    return False


def compared_with(tree: exp.Expr) -> exp.Expr | None:
    """The column beside which a name stands in a comparison or in the list of an IN."""
    around = tree.parent
    if around is not None and type(around) in _SIGN_OF:
        other = around.args["expression"] if around.this is tree else around.this
    elif isinstance(around, exp.In):
        other = around.this
    else:
        return None
    return other if type(other) is exp.Column and other is not tree else None


def unknown_column_error(tree: exp.Expr, known: str, beside: Column | None = None) -> QueryError:
    """The refusal of a column that there is not; ``known`` says which there are.

    A name in double quotes that is compared like a text may be meant as one, and so may a name
    without any that stands ``beside`` a column of texts.
    """
    compared = isinstance(tree.parent, exp.Predicate | exp.Binary | exp.If | exp.Case)
    text = constant_text(tree.name[:60])
    if compared and tree.this.args.get("quoted") and tree.args.get("table") is None:
        known = (
            " Names stand in double quotes, and texts in single ones. Write "
            f"{text}, if it is a text."
        )
    elif isinstance(beside, CategoryColumn) and tree.args.get("table") is None:
        folded = tree.name.casefold()
        meant = [one for one in beside.values if isinstance(one, str) and one.casefold() == folded]
        if meant:
            value = tree.name if tree.name in meant else meant[0]
            known = f" Texts stand in single quotes. Write {_with_text(tree, value)}."
        elif not beside.numeric:
            known += f" If it is a text, write {text}."
    elif isinstance(beside, TextColumn) and tree.args.get("table") is None:
        known += f" If it is a text, write {text}."
    return QueryError(f"there is no column {tree.name[:60]!r}.{known}")


def _with_text(tree: exp.Expr, value: str) -> str:
    """The comparison around a name with a text in its place; of a list, the text alone."""
    around, other, text = tree.parent, compared_with(tree), constant_text(value[:_LONGEST])
    sign = None if around is None else _SIGN_OF.get(type(around))
    if around is None or other is None or sign is None or len(other.name) > _LONGEST:
        return text
    column = quoted_name(other.name)
    return f"{column} {sign} {text}" if around.this is other else f"{text} {sign} {column}"
