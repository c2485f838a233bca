"""From the analyst's text to sqlglot's tree: limited in size, and never a foreign exception.

The tree is only ever read, node by node, against an allow-list.  It is not sent to an engine.
"""

from itertools import islice, pairwise

from sqlglot import ErrorLevel, Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError

from discreet.errors import QueryError

MOST_CHARACTERS = 10_000
MOST_NESTED = 25
"""Brackets, CASEs and signs inside each other: what sqlglot reads within Python's own stack."""

OFFERED = (
    "columns, numbers, 'texts', TRUE, FALSE, NULL, DATE '2026-01-31', + - * /, = <> < <= > >=, "
    "BETWEEN, IN (…), AND, OR, NOT, IS NULL, CASE WHEN, ABS, FLOOR, COALESCE, NULLIF, LEAST, "
    "GREATEST and CLIP(x, low, high)"
)

_DIALECT = "duckdb"
_MOST_WRITTEN = 40
_SYMBOLS = {
    TokenType.L_PAREN,
    TokenType.R_PAREN,
    TokenType.COMMA,
    TokenType.DOT,
    TokenType.PLUS,
    TokenType.DASH,
    TokenType.STAR,
    TokenType.SLASH,
    TokenType.EQ,
    TokenType.NEQ,
    TokenType.LT,
    TokenType.LTE,
    TokenType.GT,
    TokenType.GTE,
}
_VALUES = {TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER}
_PREFIXES = {TokenType.NOT, TokenType.DASH, TokenType.PLUS}
_OPENING = {TokenType.L_PAREN, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.END}

# sqlglot backtracks where a word before a bracket could be a type, where a table could be a bracket
# and at JOIN: twice the time for every level.  So only these words stand before a bracket, FROM has
# none, and JOIN is refused unread.
_BEFORE_BRACKETS = {
    *("ABS", "FLOOR", "COALESCE", "IFNULL", "NULLIF", "LEAST", "GREATEST", "CLIP", "CAST"),
    *("AND", "OR", "NOT", "IN", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "IS", "LIKE"),
    *("COUNT", "ROWS", "PEOPLE", "N_UNIQUE", "SUM", "AVG", "MEAN", "MIN", "MAX", "MEDIAN"),
    *("VAR", "VAR_POP", "VAR_SAMP", "VARIANCE", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP"),
    *("QUANTILE", "QUANTILE_CONT", "APPROX_QUANTILE", "PERCENTILE_CONT", "BINS"),
    *("SELECT", "DISTINCT", "WHERE", "BY", "GROUP", "HAVING", "LIMIT", "FILTER", "OVER"),
}
_AFTER_FROM = {TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.HAVING}

_INSTEAD: dict[type[exp.Expr], str] = {
    exp.Like: "Compare a text with = or IN.",
    exp.ILike: "Compare a text with = or IN.",
    exp.TryCast: "Columns have the kind that was declared; what does not fit is missing already.",
    exp.Cast: "Columns have the kind that was declared. A written date is DATE '2026-01-31'.",
    exp.Query: "There is no subquery. Ask two questions, or use CASE WHEN.",
    exp.Window: "There is no OVER. Ask for groups with GROUP BY.",
    exp.Filter: "Write the condition inside: COUNT(CASE WHEN … THEN 1 END).",
    exp.AggFunc: "An aggregate stands alone in SELECT. Combine released numbers afterwards.",
    exp.Star: "Name a column; * stands in COUNT(*) only.",
    exp.Mod: "Write x - 10 * FLOOR(x / 10).",
    exp.IntDiv: "Write FLOOR(a / b).",
    exp.Distinct: "DISTINCT stands in COUNT(DISTINCT …) only.",
    exp.NullSafeEQ: "Write IS NULL beside =.",
    exp.Is: "After IS stands NULL or NOT NULL. Write x = TRUE or NOT x.",
}


def parsed_expression(text: str) -> exp.Expr:
    """The tree of one row expression."""
    return _parsed(text, _checked(_tokens(text)), whole_statement=False)


def parsed_statement(text: str) -> exp.Expr:
    """The tree of one statement that starts with SELECT."""
    tokens = _tokens(text)
    first = tokens[0]
    if first.token_type is not TokenType.SELECT:
        raise QueryError(
            f"the question starts with {first.text[:60]!r}. Only a SELECT of groups and aggregates "
            "is read, and nothing else ever runs. Write SELECT ward, COUNT(*) FROM visits GROUP BY "
            "ward."
        )
    return _parsed(text, _checked(tokens), whole_statement=True)


def not_offered(tree: exp.Expr, instead: str | None = None) -> QueryError:
    """The refusal of a part that is not on the allow-list."""
    kinds = (remedy for kind, remedy in _INSTEAD.items() if isinstance(tree, kind))
    remedy = instead or next(kinds, "Write it with these.")
    return QueryError(
        f"{written(tree)!r} is not offered here. Only operators that cannot fail on data, and "
        f"reach nothing but the row, are: {OFFERED}. {remedy}"
    )


def written(tree: exp.Expr) -> str:
    """A part of the question as SQL, short enough for a message and without its comments."""
    # Writing can take time that doubles with depth, and sqlglot logs what it finds unusual.
    if len(list(islice(tree.walk(), _MOST_WRITTEN))) < _MOST_WRITTEN:
        try:
            return tree.sql(comments=False, unsupported_level=ErrorLevel.IGNORE)[:60]
        except Exception:  # what sqlglot reads and cannot write
            pass
    return tree.key.upper()[:60]


def given(tree: exp.Expr) -> set[str]:
    """The names of a tree node's arguments that say something."""
    return {
        name for name, value in tree.args.items() if value is not None and value not in (False, [])
    }


def too_deep() -> QueryError:
    """The refusal of what is nested too deep to be read."""
    return QueryError(
        f"the text is nested more than {MOST_NESTED} deep. Questions are kept and shown in full, "
        "for people to read. Write a simpler one, or ask in Python with dp.col."
    )


def _tokens(text: str) -> list[Token]:
    if not isinstance(text, str):
        raise QueryError(
            f"the SQL is a {type(text).__name__}, not a text. It is read as written. Write "
            '"stay > 2".'
        )
    if len(text) > MOST_CHARACTERS:
        raise QueryError(
            f"the SQL has {len(text):,} characters. Questions are kept and shown in full, so at "
            f"most {MOST_CHARACTERS:,} are read. Write a shorter one."
        )
    try:
        tokens = Dialect.get_or_raise(_DIALECT).tokenize(text)
    except Exception:  # sqlglot's own errors, and whatever odd text makes it raise
        raise _unreadable(text) from None
    if tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        raise QueryError(
            "the SQL is empty. There is nothing to ask. Write a condition such as stay > 2, or "
            "SELECT COUNT(*) FROM visits."
        )
    return tokens


def _checked(tokens: list[Token]) -> list[Token]:
    """The tokens that sqlglot may see: what it would read slowly, or never, is refused."""
    _check_symbols(tokens)
    _check_brackets(tokens)
    _check_depth(tokens)
    return [
        _word(token, following)
        for token, following in zip(tokens, [*tokens[1:], None], strict=True)
    ]


def _check_symbols(tokens: list[Token]) -> None:
    for token in tokens:
        kind = token.token_type
        if kind is TokenType.SEMICOLON:
            raise QueryError(
                "the SQL has a ';' before its end. One text is one question, and every question is "
                "priced by itself. Ask them one by one."
            )
        if kind in (TokenType.JOIN, TokenType.STRAIGHT_JOIN):
            raise QueryError(
                "the SQL has a JOIN. A question is about one table, so that it can be said how "
                "much one person adds. Let the custodian join them, or ask each table by itself."
            )
        wordy = all(part.isidentifier() for part in token.text.split())
        if kind not in _SYMBOLS and kind not in _VALUES and not wordy:
            raise QueryError(
                f"the SQL has {token.text[:60]!r}, which is not offered. Only these are: {OFFERED}."
                " Write it with these; a name with other characters stands in double quotes."
            )


def _check_brackets(tokens: list[Token]) -> None:
    in_from = False
    for before, token in pairwise(tokens):
        in_from = (in_from or before.token_type is TokenType.FROM) and (
            before.token_type not in _AFTER_FROM
        )
        if token.token_type is TokenType.SELECT:
            raise QueryError(
                f"the SQL has {before.text[:60]!r} before a second SELECT. One text is one SELECT "
                "about one table: there is no subquery, and no union of answers, which are priced "
                "one by one. Ask each by itself."
            )
        if token.token_type is not TokenType.L_PAREN:
            continue
        if in_from:
            raise QueryError(
                f"FROM has {before.text[:60]!r} before a bracket. One table is named there, and "
                "nothing else is read: no file, function, subquery or join. Write FROM visits."
            )
        name = before.text.split()[-1].upper() if before.text.split() else ""
        if before.token_type not in _SYMBOLS and name not in _BEFORE_BRACKETS:
            raise QueryError(
                f"{before.text[:60] + '(…)'!r} is not offered. Only operators that cannot fail on "
                f"data, and reach nothing but the row, are: {OFFERED}. Write it with these."
            )


def _check_depth(tokens: list[Token]) -> None:
    open_now = signs = 0
    for token in tokens:
        kind = token.token_type
        signs = signs + 1 if kind in _PREFIXES else 0
        if kind in _OPENING:
            open_now += 1
        elif kind in _CLOSING:
            open_now = max(0, open_now - 1)
        if open_now + signs > MOST_NESTED:
            raise too_deep()


def _word(token: Token, following: Token | None) -> Token:
    """ROWS is a word of window frames to sqlglot; before a bracket it is our aggregate."""
    called = following is not None and following.token_type is TokenType.L_PAREN
    if token.token_type is not TokenType.ROWS or not called:
        return token
    return Token(TokenType.VAR, token.text, token.line, token.col, token.start, token.end)


def _parsed(text: str, tokens: list[Token], *, whole_statement: bool) -> exp.Expr:
    parser = Dialect.get_or_raise(_DIALECT).parser()
    try:
        if whole_statement:
            trees = parser.parse(tokens, text)
        else:
            trees = parser.parse_into(exp.Condition, tokens, text)
    except RecursionError:
        raise too_deep() from None
    except Exception as error:  # sqlglot's own errors, and whatever odd text makes it raise
        raise _unreadable(text, error) from None
    if len(trees) != 1 or trees[0] is None:
        raise _unreadable(text)
    return trees[0]


def _unreadable(text: str, error: Exception | None = None) -> QueryError:
    place = text
    if isinstance(error, ParseError):
        place = next((str(one.get("highlight") or "") for one in error.errors), "") or text
    return QueryError(
        f"the SQL cannot be read at {place[:60]!r}. It is neither passed on nor guessed at. Check "
        "brackets, quotes ('text', \"column\") and the order of the words."
    )
