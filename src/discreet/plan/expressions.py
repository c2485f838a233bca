"""Row expressions: the nodes of an allow-list of total operators.

Nothing here can fail on data.  Numbers are 64-bit floats; a date is its day; whatever has no
value (a division by zero, an undefined difference of infinities, a value that does not fit its
column) is missing, and missing passes through every operator as it does in SQL.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Literal as OneOf
from typing import get_args

from discreet.errors import Place, QueryError, Remedy
from discreet.plan.schema import date_text

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
    conditions: list[Node] = []
    stack, seen = [node], 0
    while stack:
        part, seen = stack.pop(), seen + 1
        if seen > MOST_NODES:
            raise _too_large()
        if isinstance(part, Both):
            stack += [placed(part.right, part.place), placed(part.left, part.place)]
        else:
            conditions.append(part)
    return conditions


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


def expression_text(node: Node) -> str:
    """The text of an expression in plans, certificates and the ledger.

    >>> expression_text(Compared(">", Named("stay"), Constant(Fraction(2))))
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
            return f"ABS({expression_text(operand)})"
        case Floored(operand):
            return f"FLOOR({expression_text(operand)})"
        case Clipped(operand, low, high):
            return f"CLIP({expression_text(operand)}, {number_text(low)}, {number_text(high)})"
        case Chosen(condition, then, otherwise):
            return (
                f"CASE WHEN {expression_text(condition)} THEN {expression_text(then)} "
                f"ELSE {expression_text(otherwise)} END"
            )
        case Applied():
            return _applied_text(node)
        case Joined(left, right):
            return f"{_inner(left)} || {_inner(right)}"
        case Converted(operand, to):
            return f"CAST({expression_text(operand)} AS {to})"


def _applied_text(node: Applied) -> str:
    operand, parameters = node.operand, [constant_text(one) for one in node.parameters]
    if node.function in ("LIKE", "ILIKE"):
        return f"{_inner(operand)} {node.function} {parameters[0]}"
    if node.function == "CALENDAR":
        return expression_text(operand)
    # Where SQL has words of its own between the brackets, it reads no condition without more.
    worded = node.function in ("SUBSTRING", "TRIM")
    listed = [_inner(operand) if worded else expression_text(operand), *parameters]
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
    text = expression_text(node)
    plain = isinstance(node, Named | Constant | Absolute | Floored | Clipped | Chosen | Converted)
    called = isinstance(node, Applied) and node.function not in ("LIKE", "ILIKE", "CALENDAR")
    return text if plain or called else f"({text})"


_NOTHING = Constant(None)
_ZERO, _ONE = Constant(Fraction(0)), Constant(Fraction(1))
_MOST_DIGITS = 15
_MOST_BUCKETS = 1_000_000


def any_of(conditions: Sequence[Node]) -> Node:
    """Whether one of several conditions is true; a long list is not nested deep."""
    return _balanced(Either, conditions)


def all_of(conditions: Sequence[Node]) -> Node:
    """Whether all conditions are true; a long list is not nested deep."""
    return _balanced(Both, conditions)


def _balanced(kind: type[Both] | type[Either], parts: Sequence[Node]) -> Node:
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return kind(_balanced(kind, parts[:middle]), _balanced(kind, parts[middle:]))


def negative(operand: Node) -> Node:
    """The number on the other side of zero."""
    return Calculation("-", _ZERO, operand)


def ceiling(operand: Node) -> Node:
    """The smallest whole number not below a number."""
    return negative(Floored(negative(operand)))


def rounded(operand: Node, digits: int = 0) -> Node:
    """The nearest number with so many digits after the point; halves go up.

    >>> from discreet.plan.expressions import Named, expression_text
    >>> expression_text(rounded(Named("x"), -1))
    'FLOOR((x / 10) + 0.5) * 10'
    """
    if abs(digits) > _MOST_DIGITS:
        raise QueryError(
            f"a number is rounded to {digits} digits. 64-bit floats have about {_MOST_DIGITS}.",
            Remedy(
                python="Write .round(2), or .round(-1) for tens.",
                sql="Write ROUND(x, 2), or ROUND(x, -1) for tens.",
            ),
        )
    half = Constant(Fraction(1, 2))
    if digits == 0:
        return Floored(Calculation("+", operand, half))
    scale = Constant(Fraction(10 ** abs(digits)))
    there, back = ("*", "/") if digits > 0 else ("/", "*")
    scaled = Calculation(there, operand, scale)  # type: ignore[arg-type]
    return Calculation(back, Floored(Calculation("+", scaled, half)), scale)  # type: ignore[arg-type]


def floor_divided(left: Node, right: Node) -> Node:
    """The largest whole number not above a quotient."""
    return Floored(Calculation("/", left, right))


def sign(operand: Node) -> Node:
    """1, 0 or -1."""
    below = Chosen(Compared("<", operand, _ZERO), Constant(Fraction(-1)), _NOTHING)
    zero = Chosen(Compared("=", operand, _ZERO), _ZERO, below)
    return Chosen(Compared(">", operand, _ZERO), _ONE, zero)


def bucket(operand: Node, low: Fraction, high: Fraction, count: Fraction) -> Node:
    """The number of the bucket, of equal ones from low to high; 0 below, count + 1 above."""
    if low >= high or count.denominator != 1 or not 1 <= count <= _MOST_BUCKETS:
        raise QueryError(
            "WIDTH_BUCKET has no increasing ends or no whole number of buckets. It cuts the "
            "values between two ends into equal parts. Write WIDTH_BUCKET(age, 0, 100, 10)."
        )
    above = Calculation("-", operand, Constant(low))
    share = Calculation("/", above, Constant((high - low) / count))
    inside = Calculation("+", Floored(share), _ONE)
    over = Chosen(Compared(">=", operand, Constant(high)), Constant(count + 1), inside)
    return Chosen(Compared("<", operand, Constant(low)), _ZERO, over)


def flag(condition: Node, true: Node = _ONE, false: Node = _ZERO) -> Node:
    """A condition as 1 and 0; missing where it is missing."""
    return Chosen(condition, true, Chosen(Negated(condition), false, _NOTHING))


def is_exactly(operand: Node, wanted: bool) -> Node:
    """Whether a condition is true, or false; never missing."""
    condition = operand if wanted else Negated(operand)
    return Chosen(condition, Constant(True), Constant(False))


def is_not_distinct(left: Node, right: Node) -> Node:
    """Whether two values are equal or both missing; never missing."""
    neither = Both(Missing(left), Missing(right))
    return Chosen(Compared("=", left, right), Constant(True), neither)


def coalesced(values: Sequence[Node]) -> Node:
    """The first value that is not missing."""
    *first, node = values
    for value in reversed(first):
        node = Chosen(Missing(value), node, value)
    return node


def null_if(value: Node, other: Node) -> Node:
    """A value, missing where it equals another."""
    return Chosen(Compared("=", value, other), _NOTHING, value)


def extreme(values: Sequence[Node], *, least: bool) -> Node:
    """The least or the greatest: missing where any of the values is, on every engine alike.

    Values are compared in halves, since each stands in its comparison three times.
    """
    if len(values) == 1:
        return values[0]
    middle = (len(values) + 1) // 2
    halves, other = (extreme(half, least=least) for half in (values[:middle], values[middle:]))
    sides = (halves, other) if least else (other, halves)
    smaller, larger = Compared("<=", *sides), Compared(">", *sides)
    return Chosen(smaller, halves, Chosen(larger, other, _NOTHING))


def first_characters(operand: Node, count: Fraction) -> Node:
    """The first characters of a text."""
    return Applied("SUBSTRING", operand, (Fraction(1), count))


def starts_with(operand: Node, text: str) -> Node:
    """Whether a text begins so."""
    return Compared("=", first_characters(operand, Fraction(len(text))), Constant(text))


def ends_with(operand: Node, text: str) -> Node:
    """Whether a text ends so."""
    return Compared("=", Applied("RIGHT", operand, (Fraction(len(text)),)), Constant(text))


def date_difference(unit: str, start: Node, end: Node) -> Node | None:
    """How many days lie between two dates, or how often the month or year changes."""
    if unit == "day":
        return Calculation("-", end, start)
    if unit == "year":
        return Calculation("-", Applied("YEAR", end), Applied("YEAR", start))
    return Calculation("-", _months(end), _months(start)) if unit == "month" else None


def _months(date: Node) -> Node:
    years = Calculation("*", Applied("YEAR", date), Constant(Fraction(12)))
    return Calculation("+", years, Applied("MONTH", date))
