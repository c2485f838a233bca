"""What every SELECT is made of: which clauses it may have, its conditions and its items' names."""

from sqlglot import exp

from discreet.errors import QueryError
from discreet.sql.examples import Example
from discreet.sql.parse import given, written
from discreet.sql.places import place_of
from discreet.sql.tokens import place_of_words

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


def check_clauses(tree: exp.Expr, text: str, example: Example, *, inner: bool) -> None:
    """Refuse what is no SELECT, or has a clause that is not offered."""
    if type(tree) is not exp.Select:
        raise QueryError(
            f"{place_of(tree, text)}the question is {written(tree)!r}. It must be one SELECT: sets "
            "of rows or of answers are not combined, since a person may be in several. Ask each "
            "SELECT by itself, or use OR in WHERE."
        )
    for clause in sorted(given(tree) - (_INNER if inner else _OUTER)):
        found, instead = _REFUSED.get(clause, (clause.strip("_").upper(), "Leave it out."))
        place = ("" if inner else place_of_words(text, found)) or place_of(tree, text)
        raise QueryError(
            f"{place}the SELECT has {found}. It is made of WITH, SELECT, FROM, JOIN, WHERE, GROUP "
            "BY and HAVING, and at the end ORDER BY and LIMIT. "
            f"{instead.format(question=example.question)}"
        )
    if not tree.expressions:
        raise QueryError(
            f"{place_of(tree, text)}a SELECT has no columns. What is asked is written between "
            "SELECT and FROM. Write SELECT COUNT(*), or SELECT * in a subquery."
        )
    for part in (tree, tree.args.get("group"), tree.args.get("order")):
        if part is not None and len(part.expressions) > _MOST_ENTRIES:
            raise QueryError(
                f"{place_of(tree, text)}the SELECT has {len(part.expressions):,} columns or "
                f"entries in one clause. Questions are kept and shown in full, so at most "
                f"{_MOST_ENTRIES} are read. Ask for fewer."
            )


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
        f"{place_of(tree, text)}the subquery has {written(tree)!r} without a name. The question "
        "around it can only use what is named. Write … AS total."
    )
