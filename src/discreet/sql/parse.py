"""From the analyst's text to sqlglot's tree: limited, and never a foreign exception.

The tree is only ever read, node by node, against an allow-list.  It is not sent to an engine.
"""

from itertools import islice

from sqlglot import ErrorLevel, Token, exp
from sqlglot.dialects.dialect import Dialect

from discreet.errors import Place, QueryError
from discreet.sql.examples import Example
from discreet.sql.hints import ROW_BY_ROW, instead_of
from discreet.sql.places import place_of
from discreet.sql.tokens import (
    DIALECT,
    QUERY,
    checked_tokens,
    place_of_words,
    tokens_of,
    too_deep,
    unreadable,
)

_MOST_WRITTEN = 40

_INSTEAD: dict[type[exp.Expr], str] = {
    exp.Like: "After LIKE stands a written pattern: x LIKE 'A%'.",
    exp.ILike: "After ILIKE stands a written pattern: x ILIKE 'a%'.",
    exp.Escape: "There is no ESCAPE. CONTAINS, STARTS_WITH and ENDS_WITH take % and _ as they are.",
    exp.Cast: "Cast to DOUBLE, INTEGER, BOOLEAN, DATE or VARCHAR.",
    exp.Interval: "An interval stands beside a date: d + INTERVAL '7' DAY. Months differ in "
    "length.",
    exp.Query: "A subquery stands in FROM or WITH. Join it, or use CASE WHEN.",
    exp.Window: "There is no OVER. Ask for groups with GROUP BY.",
    exp.AggFunc: "Aggregates stand in SELECT, HAVING and ORDER BY, and not inside each other.",
    exp.Star: "Name a column; * stands in COUNT(*) only.",
    exp.Distinct: "DISTINCT stands in COUNT(DISTINCT …) only.",
    exp.Is: "After IS stands NULL, TRUE, FALSE or DISTINCT FROM, each also with NOT.",
    exp.Pow: "The exponent is written out: POWER(x, 2).",
    exp.Concat: "Join at least one text: CONCAT(x, '-', y).",
    exp.TimestampTrunc: "Write DATE_TRUNC('month', d): year, quarter, month, week or day.",
    exp.DateDiff: "Write DATE_DIFF('day', d, e): day, month or year.",
    exp.Extract: "Write EXTRACT(YEAR FROM d): year, quarter, month, week, day, dow, isodow or doy.",
    exp.CurrentDate: instead_of("CURRENT_DATE"),
    exp.CurrentTimestamp: instead_of("CURRENT_TIMESTAMP"),
    exp.Glob: instead_of("GLOB"),
    exp.RegexpLike: instead_of("REGEXP"),
    exp.SimilarTo: instead_of("SIMILAR"),
}


_CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "with_"}
_OUTER = _CLAUSES | {"order", "limit", "offset"}
_INNER = _CLAUSES | {"distinct"}
_REFUSED = {
    "laterals": ("LATERAL", "Join declared tables."),
    "distinct": ("DISTINCT", "Every group is one row already. Write {question}."),
    "qualify": ("QUALIFY", "Write ORDER BY the count DESC LIMIT k for the most common groups."),
    "windows": ("WINDOW", "Each row is looked at by itself. Write GROUP BY."),
    "order": ("ORDER BY in a subquery", "Rows have no order. Order the released groups."),
    "limit": ("LIMIT in a subquery", "Which rows it keeps would be left to chance. Use WHERE."),
    "offset": ("OFFSET in a subquery", "Rows have no order. Use WHERE."),
    "sample": ("a sample", "Every row counts. Leave it out."),
}
_MOST_ENTRIES = 400


def parsed_expression(text: str) -> exp.Expr:
    """The tree of one row expression."""
    return _parsed(text, checked_tokens(tokens_of(text), text), whole_statement=False)


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
    return _parsed(text, checked_tokens(tokens, text, example), whole_statement=True)


def not_offered(tree: exp.Expr, instead: str | None = None, rule: str = ROW_BY_ROW) -> QueryError:
    """The refusal of a part that is not on the allow-list."""
    kinds = (remedy for kind, remedy in _INSTEAD.items() if isinstance(tree, kind))
    remedy = instead or next(kinds, "Write it with these.")
    return QueryError(f"{written(tree)!r} is not offered here. {rule} {remedy}")


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


def _parsed(text: str, tokens: list[Token], *, whole_statement: bool) -> exp.Expr:
    parser = Dialect.get_or_raise(DIALECT).parser()
    try:
        if whole_statement:
            trees = parser.parse(tokens, text)
        else:
            trees = parser.parse_into(exp.Condition, tokens, text)
    except RecursionError:
        raise too_deep() from None
    except Exception as error:  # sqlglot's own errors, and whatever odd text makes it raise
        raise unreadable(text, error) from None
    if len(trees) != 1 or trees[0] is None:
        raise unreadable(text)
    return trees[0]


def check_clauses(tree: exp.Expr, text: str, example: Example, *, inner: bool) -> None:
    """Refuse what is no SELECT, or has a clause that is not offered."""
    if type(tree) is not exp.Select:
        raise QueryError(
            f"the question is {written(tree)!r}. It must be one SELECT: sets "
            "of rows or of answers are not combined, since a person may be in several. Ask each "
            "SELECT by itself, or use OR in WHERE."
        ).at(place_of(tree, text))
    for clause in sorted(given(tree) - (_INNER if inner else _OUTER)):
        found, instead = _REFUSED.get(clause, (clause.strip("_").upper(), "Leave it out."))
        place = (None if inner else place_of_words(text, found)) or place_of(tree, text)
        raise QueryError(
            f"the SELECT has {found}. It is made of WITH, SELECT, FROM, JOIN, WHERE, GROUP "
            "BY and HAVING, and at the end ORDER BY and LIMIT. "
            f"{instead.format(question=example.question)}"
        ).at(place)
    if not tree.expressions:
        raise QueryError(
            "a SELECT has no columns. What is asked is written between "
            "SELECT and FROM. Write SELECT COUNT(*), or SELECT * in a subquery."
        ).at(place_of(tree, text))
    for part in (tree, tree.args.get("group"), tree.args.get("order")):
        if part is not None and len(part.expressions) > _MOST_ENTRIES:
            raise QueryError(
                f"the SELECT has {len(part.expressions):,} columns or "
                f"entries in one clause. Questions are kept and shown in full, so at most "
                f"{_MOST_ENTRIES} are read. Ask for fewer."
            ).at(place_of(tree, text))


def conjuncts(tree: exp.Expr) -> list[exp.Expr]:
    """The conditions that AND combines, in order."""
    found: list[exp.Expr] = []
    stack = [tree]
    while stack:
        part = stack.pop()
        if type(part) is exp.And:
            stack += [part.args["expression"], part.this]
        elif type(part) is exp.Paren:
            stack.append(part.this)
        else:
            found.append(part)
    return found


def is_grouped(tree: exp.Expr) -> bool:
    """Whether a SELECT has groups or aggregates."""
    if given(tree) & {"group", "having", "distinct"}:
        return True
    return any(part.find(exp.AggFunc) is not None for part in tree.expressions)


def item_name(tree: exp.Expr, text: str) -> str:
    """The name of a column that a subquery gives."""
    if type(tree) is exp.Alias:
        return tree.alias
    if type(tree) is exp.Column:
        return tree.name
    raise QueryError(
        f"the subquery has {written(tree)!r} without a name. The question "
        "around it can only use what is named. Write … AS total."
    ).at(place_of(tree, text))
