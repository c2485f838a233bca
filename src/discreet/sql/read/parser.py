"""From the analyst's text to sqlglot's tree: limited, and never a foreign exception."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice, pairwise
from typing import ClassVar, Final

from sqlglot import ErrorLevel, Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError
from sqlglot.generator import Generator

from discreet.errors import Place, QueryError, with_article
from discreet.plan.expressions import Constant, Node
from discreet.sql.read.allow_list import AGGREGATED, CALLED, WINDOWED
from discreet.sql.read.messages import (
    ROW_BY_ROW,
    Example,
    instead_of,
    instead_of_subquery,
    is_public_list,
    open_quote,
    position_of,
    rule_and_remedy,
    rule_and_remedy_of_sign,
)

MOST_CHARACTERS = 10_000
MOST_NESTED = 25
"""Brackets, CASEs and signs inside each other: what sqlglot reads within Python's own stack."""
MOST_JOINS = 5
MOST_SUBQUERIES = 4
"""One inside the other."""

_NAME: Final = r'("(?:[^"]|"")+"|[^\W\d]\w*)'
_SHOWN_TABLES: Final = re.compile(r"(?ai:\s*SHOW\s+TABLES\s*;?\s*)")
SHOWN_COLUMNS: Final = re.compile(
    rf"(?ai:\s*SHOW\s+COLUMNS)(?:(?ai:\s+(?:FROM|IN)\s+){_NAME})?(?a:\s*;?\s*)"
    rf"|(?ai:\s*DESC(?:RIBE)?\s+(?:TABLE\s+)?){_NAME}(?a:\s*;?\s*)"
)

DIALECT = "duckdb"
_LONGEST_INTERVAL = 20
_SYMBOLS = {
    TokenType.L_PAREN,
    TokenType.R_PAREN,
    TokenType.COMMA,
    TokenType.DOT,
    TokenType.PLUS,
    TokenType.DASH,
    TokenType.STAR,
    TokenType.SLASH,
    TokenType.DIV,
    TokenType.MOD,
    TokenType.DPIPE,
    TokenType.DCOLON,
    TokenType.EQ,
    TokenType.NEQ,
    TokenType.LT,
    TokenType.LTE,
    TokenType.GT,
    TokenType.GTE,
}
_VALUES = {TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER}
_NAMED = {*_VALUES, TokenType.VAR}
_PREFIXES = {TokenType.NOT, TokenType.DASH, TokenType.PLUS}
_OPENING = {TokenType.L_PAREN, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.END}

# sqlglot backtracks where a word before a bracket could be a type, where a table could be a bracket
# and at JOIN: twice the time for every level.  So only these words stand before a bracket, one in
# FROM starts a subquery, and there are few of these and few joins.
_BEFORE_BRACKETS = {
    *CALLED,
    *("AND", "OR", "NOT", "IN", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "IS", "LIKE", "ILIKE"),
    "FROM",  # IS DISTINCT FROM (…); that of a table is refused before
    *AGGREGATED,
    *("SELECT", "DISTINCT", "WHERE", "BY", "GROUP", "HAVING", "LIMIT", "FILTER", "ON", "USING"),
    *("CUBE", "ROLLUP", "SETS", "GROUPING", "OVER"),
    *WINDOWED,
}
_SIZED_TYPES = {"DECIMAL", "NUMERIC", "VARCHAR"}
_AFTER_FROM = {
    TokenType.UNION,
    *(TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.HAVING, TokenType.LIMIT),
    *(TokenType.ON, TokenType.USING),
}
QUERY = {TokenType.SELECT, TokenType.WITH}
_BEFORE_QUERY = {TokenType.FROM, TokenType.JOIN, TokenType.ALIAS}
_NOTHING_KNOWN = Example()


_MOST_WRITTEN = 40
_INSTEAD: dict[type[exp.Expr], str] = {
    exp.Like: "After LIKE stands a written pattern: x LIKE 'A%'.",
    exp.ILike: "After ILIKE stands a written pattern: x ILIKE 'a%'.",
    exp.Escape: "There is no ESCAPE. CONTAINS, STARTS_WITH and ENDS_WITH take % and _ as they are.",
    exp.Cast: "Cast to DOUBLE, INTEGER, BOOLEAN, DATE, TIMESTAMP, TIME or VARCHAR.",
    exp.Interval: "An interval stands beside a date or a datetime: d + INTERVAL '7' DAY, or HOUR, "
    "MINUTE, SECOND or WEEK. Months differ in length.",
    exp.Query: "A subquery stands in FROM or WITH. Join it, or use CASE WHEN.",
    exp.Window: "OVER stands in SELECT and ORDER BY, over released groups.",
    exp.AggFunc: "Aggregates stand in SELECT, HAVING and ORDER BY, and not inside each other.",
    exp.Star: "Name a column; * stands in COUNT(*) only.",
    exp.Distinct: "DISTINCT stands in COUNT(DISTINCT …) only.",
    exp.Is: "After IS stands NULL, TRUE, FALSE or DISTINCT FROM, each also with NOT.",
    exp.Pow: "The exponent is written out: POWER(x, 2).",
    exp.Concat: "Join at least one text: CONCAT(x, '-', y).",
    exp.TimestampTrunc: "Write DATE_TRUNC('month', d): year, quarter, month, week or day; of a "
    "datetime also hour, minute or second.",
    exp.DateDiff: "Write DATE_DIFF('day', d, e): day, month or year; of datetimes also hour, "
    "minute or second.",
    exp.AtTimeZone: "A datetime is that of its column's declared zone: "
    '{ type = "datetime", zone = "Europe/Paris", … }.',
    exp.Extract: "Write EXTRACT(YEAR FROM d): year, quarter, month, week, day, dow, isodow or doy; "
    "of a datetime also hour, minute, second or epoch.",
    exp.CurrentDate: instead_of("CURRENT_DATE"),
    exp.CurrentTimestamp: instead_of("CURRENT_TIMESTAMP"),
    exp.Glob: instead_of("GLOB"),
    exp.RegexpLike: instead_of("REGEXP"),
    exp.SimilarTo: instead_of("SIMILAR"),
}
_CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "with_"}
_UNION_ALL = [TokenType.UNION, TokenType.ALL]
_OUTER = _CLAUSES | {"order", "limit", "offset"}
_INNER = _CLAUSES | {"distinct"}
_REFUSED = {
    "laterals": ("LATERAL", "Join declared tables."),
    "distinct": ("DISTINCT", "Every group is one row already. Write {question}."),
    "qualify": ("QUALIFY", "Write ORDER BY the count DESC LIMIT k for the most common groups."),
    "windows": ("WINDOW", "Write OVER (…) where it is used."),
    "order": ("ORDER BY in a subquery", "Rows have no order. Order the released groups."),
    "limit": ("LIMIT in a subquery", "Which rows it keeps would be left to chance. Use WHERE."),
    "offset": ("OFFSET in a subquery", "Rows have no order. Use WHERE."),
    "sample": ("a sample", "Every row counts. Leave it out."),
}
_MOST_ENTRIES = 400
Inner = Callable[[exp.Expr], Node]
Reader = Callable[[exp.Expr, Inner], Node]


def is_listing(text: object) -> bool:
    """Whether a statement is SHOW TABLES, SHOW COLUMNS or DESCRIBE.

    >>> is_listing("show tables;"), is_listing("SHOW budget")
    (True, False)
    """
    return isinstance(text, str) and bool(
        _SHOWN_TABLES.fullmatch(text) or SHOWN_COLUMNS.fullmatch(text)
    )


def tokens_of(text: str, example: Example = _NOTHING_KNOWN) -> list[Token]:
    """The words of a text, which is not too long and not empty."""
    if not isinstance(text, str):
        raise QueryError(
            f"the SQL is {with_article(type(text).__name__)}, not a text. It is read as written. "
            f'Write "{example.condition if example.schema is None else example.question}".'
        )
    if len(text) > MOST_CHARACTERS:
        raise QueryError(
            f"the SQL has {len(text):,} characters. Questions are kept and shown in full, so at "
            f"most {MOST_CHARACTERS:,} are read. Write a shorter one."
        )
    try:
        tokens = Dialect.get_or_raise(DIALECT).tokenize(text)
    except Exception:  # sqlglot's own errors, and whatever odd text makes it raise
        raise unreadable(text) from None
    if tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        written = example.question
        if example.schema is None:  # a condition, or a SELECT of an unknown table
            written = f"a condition such as {example.condition}, or {written}"
        raise QueryError(f"the SQL is empty. There is nothing to ask. Write {written}.")
    return tokens


def statements_of(text: str) -> list[str]:
    """The statements of a text, which semicolons part: those outside of quotes and comments.

    >>> statements_of("SELECT ';' AS a; -- first; of two\\nSELECT 2;;")
    ["SELECT ';' AS a", 'SELECT 2']
    """
    try:
        tokens = Dialect.get_or_raise(DIALECT).tokenize(text)
    except Exception:  # sqlglot's own errors, and whatever odd text makes it raise
        raise unreadable(text) from None
    ends = [n for n, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON]
    parts = [tokens[a:b] for a, b in pairwise([0, *(end + 1 for end in ends), len(tokens) + 1])]
    spans = [[one for one in part if one.token_type is not TokenType.SEMICOLON] for part in parts]
    return [text[part[0].start : part[-1].end + 1] for part in spans if part]


def checked_tokens(
    tokens: list[Token], text: str, example: Example = _NOTHING_KNOWN
) -> list[Token]:
    """The tokens that sqlglot may see: what it would read slowly, or never, is refused."""
    _check_symbols(tokens, text, example)
    _check_depth(tokens, text)  # before brackets, which take time by depth
    _check_brackets(tokens, text, example)
    _check_intervals(tokens, text)
    return [
        _word(token, following)
        for token, following in zip(tokens, [*tokens[1:], None], strict=True)
    ]


def position_of_words(text: str, words: str) -> Place | None:
    """Where a word stands outside of all brackets; None if it is not there."""
    depth = 0
    for token in tokens_of(text):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0 and token.token_type not in _VALUES and token.text.upper() == words:
            return _at(token, text)
    return None


def _in_lists(tokens: list[Token]) -> set[int]:
    """The places of the brackets around lists of written numbers, as QUANTILE takes one."""
    found: set[int] = set()
    for place, token in enumerate(tokens):
        if token.token_type is not TokenType.L_BRACKET or not place:
            continue
        after = [one.token_type for one in tokens[place + 1 : place + 2 * _MOST_ENTRIES]]
        end = after.index(TokenType.R_BRACKET) if TokenType.R_BRACKET in after else 0
        numbers, commas = after[:end:2], after[1:end:2]
        listed = set(numbers) == {TokenType.NUMBER} and set(commas) <= {TokenType.COMMA}
        if listed and end % 2 and tokens[place - 1].token_type is TokenType.COMMA:
            found |= {place, place + 1 + end}
    return found


def _check_symbols(tokens: list[Token], text: str, example: Example) -> None:
    listed = _in_lists(tokens)
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.SEMICOLON:
            raise QueryError(
                "the SQL has a ';' before its end. One text is one question, "
                "and every question is priced by itself. Ask them one by one."
            ).at(_at(token, text))
        if kind in (TokenType.WINDOW, TokenType.QUALIFY):
            raise QueryError(
                f"the SQL has {token.text.upper()}. Windows are written where they are used, and "
                "groups are chosen by LIMIT. Write SUM(COUNT(*)) OVER (), and order the released "
                "groups with ORDER BY … LIMIT."
            ).at(_at(token, text))
        wordy = all(part.isidentifier() for part in token.text.split())
        if kind not in _SYMBOLS and kind not in _VALUES and not wordy and place not in listed:
            raise QueryError(
                f"the SQL has {token.text[:60]!r}, which is not offered. "
                f"{rule_and_remedy_of_sign(token.text)}"
            ).at(_at(token, text))


def _check_brackets(tokens: list[Token], text: str, example: Example) -> None:
    in_from, joins = False, 0
    nested: list[tuple[bool, bool]] = []  # of every open bracket: is it a subquery, is it in FROM
    for place, (before, token) in enumerate(pairwise([*tokens, tokens[-1]]), 1):
        kind = before.token_type
        joins += kind is TokenType.JOIN
        if kind is TokenType.FROM and not _inner_from(tokens[max(0, place - 4) : place - 1]):
            in_from = True
        elif kind is TokenType.JOIN or kind in _AFTER_FROM:
            in_from = kind is TokenType.JOIN
        if kind is TokenType.L_PAREN:
            nested.append((token.token_type in QUERY, in_from))
            in_from = False
        elif kind is TokenType.R_PAREN and nested:
            _, in_from = nested.pop()  # after a subquery of FROM, FROM goes on
        if joins > MOST_JOINS or sum(query for query, _ in nested) > MOST_SUBQUERIES:
            raise QueryError(
                f"the SQL has more than {MOST_JOINS} joins, or subqueries "
                "more than "
                f"{MOST_SUBQUERIES} deep. Questions are kept and shown in full, for people to "
                "read. Ask a simpler one, or let the custodian prepare the table."
            ).at(_at(before, text))
        if token.token_type in QUERY and place < len(tokens):
            _check_subquery(tokens, place, text, example)
        if token.token_type is not TokenType.L_PAREN or place == len(tokens):
            continue
        opens = tokens[place + 1].token_type if place + 1 < len(tokens) else None
        if in_from and opens not in QUERY:
            raise QueryError(
                f"FROM has {_bracketed(before)}. Declared tables and subqueries "
                "stand there, and nothing else is read: no file and no function. Write FROM "
                f"{example.table}."
            ).at(_at(before, text))
        if in_from or (kind is TokenType.ALIAS and opens in QUERY):
            continue
        name = before.text.split()[-1].upper() if before.text.split() else ""
        known = kind in _SYMBOLS or name in _BEFORE_BRACKETS
        if not known and not _size_of_type(tokens[place - 2 : place + 3]):
            if name == "EXISTS" and opens in QUERY:
                raise _misplaced(tokens, place + 1, before, text, example)
            raise QueryError(
                f"{before.text[:60] + '(…)'!r} is not offered. {rule_and_remedy(name)}"
            ).at(_at(before, text))


def _check_subquery(tokens: list[Token], place: int, text: str, example: Example) -> None:
    """Refuse a SELECT or WITH that stands neither in FROM nor in a WITH."""
    bracket = tokens[place - 1]
    outside = tokens[place - 2].token_type if place > 1 else None
    if bracket.token_type is TokenType.L_PAREN and outside in _BEFORE_QUERY:
        return
    if tokens[0].token_type is TokenType.WITH and bracket.token_type is TokenType.R_PAREN:
        return  # the SELECT that a WITH is written for
    if bracket.token_type is TokenType.L_PAREN:
        if is_public_list(tokens, place, text, example.schema):
            return
        raise _misplaced(tokens, place, bracket, text, example)
    following = tokens[place + 1].text.upper() if place + 1 < len(tokens) else ""
    if tokens[place].token_type is TokenType.WITH and following in ("ROLLUP", "CUBE"):
        raise QueryError(
            f"the SQL has WITH {following}. What tables are made is said in "
            f"brackets. {instead_of(following)}"
        ).at(_at(tokens[place], text))
    if [one.token_type for one in tokens[max(0, place - 2) : place]] == _UNION_ALL:
        return
    named = bracket.text[:60]
    if bracket.token_type in (TokenType.ALL, TokenType.DISTINCT) and place > 1:
        named, bracket = f"{tokens[place - 2].text[:60]} {named}", tokens[place - 2]
    raise QueryError(
        f"the SQL has {named!r} before a second SELECT. Sets of rows or of answers are not "
        "combined, since a person may be in several. Write GROUP BY ROLLUP (…) for groups and "
        "their totals, use OR in WHERE for rows of two kinds, or ask each SELECT by itself."
    ).at(_at(bracket, text))


def _misplaced(
    tokens: list[Token], place: int, subject: Token, text: str, example: Example
) -> QueryError:
    """The refusal of a subquery whose SELECT is the token at ``place``."""
    after = tokens[place - 2].text[:60] if place > 1 else "("
    return QueryError(
        f"the SQL has a subquery after {after!r}. Subqueries stand in FROM and "
        "in WITH, where it can be said whose rows they give; one that looks at other rows for "
        f"every row is not offered. {instead_of_subquery(tokens, place, text, example)}"
    ).at(_at(subject, text))


def _inner_from(before: list[Token]) -> bool:
    """Whether a FROM after these is a word of EXTRACT(… FROM x) or of IS DISTINCT FROM."""
    words = ["", "", "", *(token.text.upper() for token in before[-3:])]
    distinct = words[-1] == "DISTINCT" and words[-2] in ("IS", "NOT")
    return distinct or words[-3:-1] == ["EXTRACT", "("]


def _size_of_type(around: list[Token]) -> bool:
    """Whether a bracket holds the size of a type that is cast to: AS DECIMAL(10, 2)."""
    kinds = [token.token_type for token in around]
    return (
        len(around) == 5
        and kinds[0] in (TokenType.ALIAS, TokenType.DCOLON)
        and around[1].text.upper() in _SIZED_TYPES
        and kinds[3] is TokenType.NUMBER
        and kinds[4] in (TokenType.COMMA, TokenType.R_PAREN)
    )


def _check_depth(tokens: list[Token], text: str) -> None:
    open_now = signs = 0
    for token in tokens:
        kind = token.token_type
        signs = signs + 1 if kind in _PREFIXES else 0
        if kind in _OPENING:
            open_now += 1
        elif kind in _CLOSING:
            open_now = max(0, open_now - 1)
        if open_now + signs > MOST_NESTED:
            raise too_deep().at(_at(token, text))


def _check_intervals(tokens: list[Token], text: str) -> None:
    # sqlglot looks for units in the text of an interval in time that is the square of its length.
    for before, token in pairwise(tokens):
        if before.token_type is TokenType.INTERVAL and len(token.text) > _LONGEST_INTERVAL:
            raise QueryError(
                f"the SQL has an interval of {len(token.text):,} characters. "
                "It is a number of "
                "days or weeks beside a date. Write d + INTERVAL '7' DAY."
            ).at(_at(token, text))


def _word(token: Token, following: Token | None) -> Token:
    """ROWS and YEAR are words of their own to sqlglot; before a bracket they are functions."""
    called = following is not None and following.token_type is TokenType.L_PAREN
    if token.token_type not in (TokenType.ROWS, TokenType.YEAR) or not called:
        return token
    return Token(TokenType.VAR, token.text, token.line, token.col, token.start, token.end)


def too_deep() -> QueryError:
    """The refusal of what is nested too deep to be read."""
    return QueryError(
        f"the text is nested more than {MOST_NESTED} deep. Questions are kept and shown "
        "in full, for people to read. Write a simpler one."
    )


def unreadable(
    text: str,
    error: Exception | None = None,
    tokens: Sequence[Token] = (),
    example: Example = _NOTHING_KNOWN,
) -> QueryError:
    """The refusal of what is no SQL; it says where."""
    opened = open_quote(text) if error is None else None
    if opened is not None and text[opened] == '"':
        return QueryError(
            "a double quote is opened here and never closed. Names stand in "
            "double quotes or in none. Write \"x\" for a name, and 'text' for a text."
        ).at(Place(opened, text))
    if opened is not None:
        return QueryError(
            "a quote is opened here and never closed. A quote inside a "
            "text is doubled: 'it''s'. Write those inside twice, and one at the end."
        ).at(Place(opened, text))
    place, where = text, None
    details = error.errors[0] if isinstance(error, ParseError) and error.errors else None
    if details is not None:
        place = str(details.get("highlight") or "") or text
        before = str(details.get("start_context") or "")
        at = text.find(before + place) if before else -1
        where = Place(at + len(before), text) if at >= 0 else None
    remedy = "Check brackets, quotes ('text', \"column\") and the order of the words."
    words = [] if where is None else _words_at(where.start, tokens)
    for token in words:
        name = example.declared(token.text)
        if name is not None:
            where, place = Place(token.start, text), token.text
            remedy = f"Write {exp.to_identifier(name, quoted=True).sql()}, if the column is meant."
    word = ", a word of SQL" if any(Place(one.start, text) == where for one in words) else ""
    return QueryError(
        f"the SQL cannot be read at {place[:60]!r}{word}. It is neither passed on nor guessed "
        f"at. {remedy}"
    ).at(where)


def _words_at(start: int, tokens: Sequence[Token]) -> list[Token]:
    """The words of SQL, which are no names, at a place and just before it."""
    at = next((place for place, one in enumerate(tokens) if one.start == start), len(tokens))
    near = tokens[max(0, at - 1) : at + 1]
    return [one for one in near if one.token_type not in _NAMED and one.text.isidentifier()]


def _at(token: Token, text: str) -> Place:
    return Place(token.start, text)


def _bracketed(before: Token) -> str:
    if before.token_type in (TokenType.FROM, TokenType.JOIN):
        return "a bracket that starts no subquery"
    return f"{before.text[:60]!r} before a bracket"


def parsed_expression(text: str) -> exp.Expr:
    """The tree of one row expression."""
    return _parsed(text, checked_tokens(tokens_of(text), text), None)


def parsed_statement(text: str, example: Example) -> exp.Expr:
    """The tree of one statement that starts with SELECT or WITH."""
    tokens = tokens_of(text, example)
    first = tokens[0]
    if first.token_type not in QUERY:
        timed = "EXPLAIN " * (first.text.upper() == "ANALYZE")
        raise QueryError(
            f"the question starts with {first.text[:60]!r}. Only a "
            "SELECT of groups and aggregates is read, and nothing else ever runs. Write "
            f"{timed}{example.question}."
        ).at(Place(first.start, text))
    return _parsed(text, checked_tokens(tokens, text, example), example)


def not_offered(tree: exp.Expr, instead: str | None = None, rule: str = ROW_BY_ROW) -> QueryError:
    """The refusal of a part that is not on the allow-list."""
    kinds = (remedy for kind, remedy in _INSTEAD.items() if isinstance(tree, kind))
    remedy = instead or next(kinds, "Write it with these.")
    return QueryError(f"{sql_excerpt(tree)!r} is not offered here. {rule} {remedy}")


class _Excerpt(Dialect):
    """SQL as it is typed here: without what sqlglot writes out for databases that differ."""

    NULL_ORDERING = "nulls_are_last"

    class Generator(Generator):
        """An array stands in brackets, and parts of dates have the name that they were given."""

        TRANSFORMS: ClassVar = {
            **Generator.TRANSFORMS,
            exp.Array: lambda self, one: f"[{self.expressions(one, flat=True)}]",
            exp.TimestampTrunc: lambda self, one: self.func(
                "DATE_TRUNC", exp.Literal.string(one.text("unit").lower()), one.this
            ),
        }


def sql_excerpt(tree: exp.Expr) -> str:
    """A part of the question as SQL, short enough for a message and without its comments."""
    # Writing can take time that doubles with depth, and sqlglot logs what it finds unusual.
    if len(list(islice(tree.walk(), _MOST_WRITTEN))) < _MOST_WRITTEN:
        try:
            return tree.sql(_Excerpt, comments=False, unsupported_level=ErrorLevel.IGNORE)[:60]
        except Exception:  # what sqlglot reads and cannot write
            pass
    return tree.key.upper()[:60]


def present_arguments(tree: exp.Expr) -> set[str]:
    """The names of a tree node's arguments that say something."""
    return {
        name for name, value in tree.args.items() if value is not None and value not in (False, [])
    }


def _parsed(text: str, tokens: list[Token], example: Example | None) -> exp.Expr:
    """The tree of a statement about the tables of an example; without one, of a row expression."""
    parser = Dialect.get_or_raise(DIALECT).parser()
    try:
        if example is not None:
            trees = parser.parse(tokens, text)
        else:
            trees = parser.parse_into(exp.Condition, tokens, text)
    except RecursionError:
        raise too_deep() from None
    except Exception as error:  # sqlglot's own errors, and whatever odd text makes it raise
        raise unreadable(text, error, tokens, example or _NOTHING_KNOWN) from None
    if len(trees) != 1 or trees[0] is None:
        raise unreadable(text)
    return trees[0]


def check_clauses(tree: exp.Expr, text: str, example: Example, *, inner: bool) -> None:
    """Refuse what is no SELECT, or has a clause that is not offered."""
    if type(tree) is not exp.Select:
        raise QueryError(
            f"the question is {sql_excerpt(tree)!r}. It must be one SELECT: sets "
            "of rows or of answers are not combined, since a person may be in several. Ask each "
            "SELECT by itself, or use OR in WHERE."
        ).at(position_of(tree, text))
    for clause in sorted(present_arguments(tree) - (_INNER if inner else _OUTER)):
        refusal, instead = _REFUSED.get(clause, (clause.strip("_").upper(), "Leave it out."))
        place = (None if inner else position_of_words(text, refusal)) or position_of(tree, text)
        raise QueryError(
            f"the SELECT has {refusal}. It is made of WITH, SELECT, FROM, JOIN, WHERE, GROUP "
            "BY and HAVING, and at the end ORDER BY and LIMIT. "
            f"{instead.format(question=example.question)}"
        ).at(place)
    if not tree.expressions:
        raise QueryError(
            "a SELECT has no columns. What is asked is written between "
            "SELECT and FROM. Write SELECT COUNT(*), or SELECT * in a subquery."
        ).at(position_of(tree, text))
    for part in (tree, tree.args.get("group"), tree.args.get("order")):
        if part is not None and len(part.expressions) > _MOST_ENTRIES:
            raise QueryError(
                f"the SELECT has {len(part.expressions):,} columns or "
                f"entries in one clause. Questions are kept and shown in full, so at most "
                f"{_MOST_ENTRIES} are read. Ask for fewer."
            ).at(position_of(tree, text))


def tree_conjuncts(tree: exp.Expr) -> list[exp.Expr]:
    """The conditions that AND combines, in order."""
    conditions: list[exp.Expr] = []
    stack = [tree]
    while stack:
        part = stack.pop()
        if type(part) is exp.And:
            stack += [part.args["expression"], part.this]
        elif type(part) is exp.Paren:
            stack.append(part.this)
        else:
            conditions.append(part)
    return conditions


def is_grouped(tree: exp.Expr) -> bool:
    """Whether a SELECT has groups or aggregates."""
    if present_arguments(tree) & {"group", "having", "distinct"}:
        return True
    return any(part.find(exp.AggFunc) is not None for part in tree.expressions)


def item_name(tree: exp.Expr, text: str) -> str:
    """The name of a column that a subquery gives."""
    if type(tree) is exp.Alias:
        return tree.alias
    if type(tree) is exp.Column:
        return tree.name
    raise QueryError(
        f"the subquery has {sql_excerpt(tree)!r} without a name. The question "
        "around it can only use what is named. Write … AS total."
    ).at(position_of(tree, text))


def check_given(tree: exp.Expr, *names: str) -> None:
    """Refuses a tree with an argument that its reader does not know."""
    if present_arguments(tree) - set(names):
        raise not_offered(tree)


def number_of(node: Node) -> Fraction | None:
    """The number that a node writes out, if it is one."""
    if not isinstance(node, Constant) or node.dated:
        return None
    return node.value if isinstance(node.value, Fraction) else None


def written_number(tree: exp.Expr, part: exp.Expr | None, inner: Inner) -> Fraction:
    """A part of a tree that has to be a written number."""
    number = None if part is None else number_of(inner(part))
    if number is None:
        raise not_offered(tree, "Only its first value is a column's; numbers are written out.")
    return number


def written_text(tree: exp.Expr, part: exp.Expr | None) -> str:
    """A part of a tree that has to be a written text."""
    if type(part) is not exp.Literal or not part.is_string:
        raise not_offered(tree)
    return part.name
