"""Row expressions: the nodes of an allow-list of total operators.

Nothing here can fail on data.  Numbers are 64-bit floats; a date is its day; whatever has no
value (a division by zero, an undefined difference of infinities, a value that does not fit its
column) is missing, and missing passes through every operator as it does in SQL.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Literal as OneOf
from typing import get_args

from discreet.errors import Place, QueryError
from discreet.plan.columns import date_text

MOST_NODES = 1000
DEEPEST = 60
MOST_PARTS = 5_000
"""Parts of all expressions of a question together."""
LONGEST_JOINED = 10_000
"""Characters of a text that stay where another is joined to it."""

_WORDS = frozenset(
    """
    all alter and any as between call case connect_by_root create cross current_catalog
    current_date current_time current_timestamp current_user describe distinct drop else end
    except execute explain false fetch for force from glob grant having if ilike inner insert
    install intersect interval into join lambda lateral like localtime localtimestamp map not
    notnull null on only optimize or outer partitioned_by positional prepare qualify regexp
    rename reset returning revoke rlike rollback select session_user straight_join summarize
    tablesample then true uncache union using vacuum values when where with xor
    """.split()  # noqa: SIM905
)
"""Names that SQL would read as its own words."""

Arithmetic = OneOf["+", "-", "*", "/", "%"]
Comparison = OneOf["=", "<>", "<", "<=", ">", ">="]
DatePart = OneOf["YEAR", "QUARTER", "MONTH", "DAY", "DAYOFWEEK", "ISODOW", "DAYOFYEAR", "WEEK"]
OfNumber = OneOf["SQRT", "LN", "LOG10", "EXP", "POWER"]
OfText = OneOf[
    "LOWER", "UPPER", "TRIM", "LENGTH", "SUBSTRING", "RIGHT", "LIKE", "ILIKE", "CONTAINS"
]
OfDate = OneOf["DATE_TRUNC", "CALENDAR"]
Function = OfNumber | OfText | DatePart | OfDate
Target = OneOf["DOUBLE", "INTEGER", "BOOLEAN", "DATE", "VARCHAR"]


@dataclass(frozen=True, slots=True)
class _Part:
    """What every node has: where it stands in the text that it was read from, if it was."""

    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Named(_Part):
    """The value of a column, declared or derived."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant(_Part):
    """A number, a truth value, a text, or nothing (missing); ``dated`` numbers are days."""

    value: Fraction | bool | str | None
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Calculation(_Part):
    """A sum, difference, product, quotient or remainder (of the sign of the left side).

    A quotient or remainder by zero is missing.  Two dates have a difference in days; a date and a
    number of days have a sum, which is a date.
    """

    operator: Arithmetic
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Compared(_Part):
    """Whether two values are in this relation."""

    operator: Comparison
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Both(_Part):
    """Logical and."""

    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Either(_Part):
    """Logical or."""

    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Negated(_Part):
    """Logical not."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Missing(_Part):
    """Whether there is no value."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Absolute(_Part):
    """The distance of a number from zero."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Floored(_Part):
    """The largest whole number not above a number."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Clipped(_Part):
    """A number, moved between two public bounds."""

    operand: "Node"
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Chosen(_Part):
    """One value where a condition is true, another where it is false or missing."""

    condition: "Node"
    then: "Node"
    otherwise: "Node"


@dataclass(frozen=True, slots=True)
class Applied(_Part):
    """A function of one value and of written parameters; missing where it has no value.

    CALENDAR is a date itself: missing before the year 1 and after 9999, where there is none.
    """

    function: Function
    operand: "Node"
    parameters: tuple[Fraction | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined(_Part):
    """One text after another."""

    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Converted(_Part):
    """A value as one of another kind; missing where it cannot be read so."""

    operand: "Node"
    to: Target


Node = (
    Named
    | Constant
    | Calculation
    | Compared
    | Both
    | Either
    | Negated
    | Missing
    | Absolute
    | Floored
    | Clipped
    | Chosen
    | Applied
    | Joined
    | Converted
)


_INSIDE: dict[type, tuple[str, ...]] = {
    kind: tuple(
        field.name
        for field in fields(kind)
        if field.name in ("left", "right", "operand", "condition", "then", "otherwise")
    )
    for kind in get_args(Node)
}
"""The fields of each node that hold others."""


def walk(node: Node) -> Iterator[Node]:
    """The node and all that it is made of; refused where it is too large to be read."""
    stack, seen = [(node, 1)], 0
    while stack:
        current, depth = stack.pop()
        seen += 1
        if seen > MOST_NODES or depth > DEEPEST:
            raise _too_large()
        yield current
        for name in _INSIDE[type(current)]:
            stack.append((getattr(current, name), depth + 1))


def names_in(nodes: Iterable[Node]) -> frozenset[str]:
    """The columns that expressions are about."""
    return frozenset(one.name for node in nodes for one in walk(node) if isinstance(one, Named))


def read_size(node: Node) -> Node:
    """The node, refused where it is too large to be read: one that Python made of itself, say."""
    for _ in walk(node):
        pass
    return node


def check_sizes(nodes: Iterable[Node]) -> None:
    """Refuse expressions that are too large together."""
    seen = 0
    for node in nodes:
        seen += sum(1 for _ in walk(node))
        if seen > MOST_PARTS:
            raise QueryError(
                f"the expressions of the question have more than {MOST_PARTS:,} parts together, "
                "with derived columns written out. Questions are kept and shown in full. Ask "
                "several smaller ones."
            )


def _too_large() -> QueryError:
    return QueryError(
        f"an expression has more than {MOST_NODES} parts or is nested more than {DEEPEST} "
        "deep. Questions are kept and shown in full. Write a simpler one."
    )


def conjuncts(node: Node) -> list[Node]:
    """The conditions that AND combines, in order; one without a place stands where they do."""
    found: list[Node] = []
    stack, seen = [node], 0
    while stack:
        part, seen = stack.pop(), seen + 1
        if seen > MOST_NODES:
            raise _too_large()
        if isinstance(part, Both):
            stack += [placed(part.right, part.place), placed(part.left, part.place)]
        else:
            found.append(part)
    return found


def replaced(node: Node, derived: dict[str, Node]) -> Node:
    """The node with every derived column written out, which stands where it was read if it was."""
    if isinstance(node, Named):
        return placed(derived.get(node.name, node), node.place)
    parts = [getattr(node, name) for name in node.__match_args__]
    whole = [replaced(part, derived) if isinstance(part, Node) else part for part in parts]
    return type(node)(*whole, place=node.place)  # type: ignore[arg-type]


def placed(node: Node, place: Place | None) -> Node:
    """The node at a place, unless it has one: what stands for a name keeps its own."""
    if place is None or node.place is not None:
        return node
    parts = [getattr(node, name) for name in node.__match_args__]
    return type(node)(*parts, place=place)


def shown(node: Node) -> str:
    """The expression as text: what stands in plans, certificates and the ledger.

    >>> shown(Compared(">", Named("stay"), Constant(Fraction(2))))
    'stay > 2'
    """
    match node:
        case Named(name):
            return quoted_name(name)
        case Constant(value, dated):
            return constant_text(value, dated)
        case Calculation(operator, left, right) | Compared(operator, left, right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case Both(left, right):
            return f"{_inner(left)} AND {_inner(right)}"
        case Either(left, right):
            return f"{_inner(left)} OR {_inner(right)}"
        case Negated(operand):
            return f"NOT {_inner(operand)}"
        case Missing(operand):
            return f"{_inner(operand)} IS NULL"
        case Absolute(operand):
            return f"ABS({shown(operand)})"
        case Floored(operand):
            return f"FLOOR({shown(operand)})"
        case Clipped(operand, low, high):
            return f"CLIP({shown(operand)}, {number_text(low)}, {number_text(high)})"
        case Chosen(condition, then, otherwise):
            return f"CASE WHEN {shown(condition)} THEN {shown(then)} ELSE {shown(otherwise)} END"
        case Applied():
            return _applied_text(node)
        case Joined(left, right):
            return f"{_inner(left)} || {_inner(right)}"
        case Converted(operand, to):
            return f"CAST({shown(operand)} AS {to})"


def _applied_text(node: Applied) -> str:
    operand, parameters = node.operand, [constant_text(one) for one in node.parameters]
    if node.function in ("LIKE", "ILIKE"):
        return f"{_inner(operand)} {node.function} {parameters[0]}"
    if node.function == "CALENDAR":
        return shown(operand)
    # Where SQL has words of its own between the brackets, it reads no condition without more.
    worded = node.function in ("SUBSTRING", "TRIM")
    listed = [_inner(operand) if worded else shown(operand), *parameters]
    if node.function == "DATE_TRUNC":
        listed.reverse()
    return f"{node.function}({', '.join(listed)})"


def quoted_name(name: str) -> str:
    """A column's name as SQL writes it, perhaps behind that of its table."""
    parts = name.split(".")
    if len(parts) <= 2 and all(
        part.isidentifier() and part.isascii() and part.lower() not in _WORDS for part in parts
    ):
        return name
    return '"' + name.replace('"', '""') + '"'


def constant_text(value: Fraction | bool | str | None, dated: bool = False) -> str:
    """A constant as SQL writes it.

    >>> constant_text(Fraction(1, 4)), constant_text("it's"), constant_text(None)
    ('0.25', "'it''s'", 'NULL')
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"DATE '{date_text(int(value))}'" if dated else number_text(value)


def number_text(value: Fraction) -> str:
    """A number as one would write it; the nearest float's text where it has no short decimal."""
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def _inner(node: Node) -> str:
    text = shown(node)
    plain = isinstance(node, Named | Constant | Absolute | Floored | Clipped | Chosen | Converted)
    called = isinstance(node, Applied) and node.function not in ("LIKE", "ILIKE", "CALENDAR")
    return text if plain or called else f"({text})"
