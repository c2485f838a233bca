"""From the analyst's text to sqlglot's tree: limited, and never a foreign exception."""

from collections.abc import Callable
from fractions import Fraction
from itertools import islice

from sqlglot import ErrorLevel, Token, exp
from sqlglot.dialects.dialect import Dialect

from discreet.errors import Place, QueryError
from discreet.plan.expressions import Constant, Node
from discreet.sql.read.lexer import (
    DIALECT,
    QUERY,
    checked_tokens,
    position_of_words,
    tokens_of,
    too_deep,
    unreadable,
)
from discreet.sql.read.messages import ROW_BY_ROW, Example, instead_of, position_of

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
    return QueryError(f"{sql_excerpt(tree)!r} is not offered here. {rule} {remedy}")


def sql_excerpt(tree: exp.Expr) -> str:
    """A part of the question as SQL, short enough for a message and without its comments."""
    # Writing can take time that doubles with depth, and sqlglot logs what it finds unusual.
    if len(list(islice(tree.walk(), _MOST_WRITTEN))) < _MOST_WRITTEN:
        try:
            return tree.sql(comments=False, unsupported_level=ErrorLevel.IGNORE)[:60]
        except Exception:  # what sqlglot reads and cannot write
            pass
    return tree.key.upper()[:60]


def present_arguments(tree: exp.Expr) -> set[str]:
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


Inner = Callable[[exp.Expr], Node]
Reader = Callable[[exp.Expr, Inner], Node]


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
