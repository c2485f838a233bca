"""Row expressions: trees of nodes, each an operator or function that is defined for every row.

Nothing here can fail on data.  Numbers are 64-bit floats; a date is the number of its day, a
datetime that of its second.  What
has no value (a division by zero, a difference of infinities, a cell that does not fit its column)
is missing, which is SQL's NULL, and missing operands give missing results as in SQL.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Literal, get_args

from discreet.errors import Place, QueryError, Remedy
from discreet.plan.calendar import DAY_SECONDS, Dated, dated_text

MOST_NODES = 1000
"""The most nodes of one expression."""
MOST_DEPTH = 60
"""The deepest nesting of one expression."""
MOST_QUESTION_NODES = 5_000
"""The most nodes of all expressions of a question together."""
LONGEST_JOINED = 10_000
"""Characters that are kept of a text before another is appended to it."""
_MOST_DIGITS = 15
_MOST_BUCKETS = 1_000_000
_RESERVED_WORDS = frozenset(
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
"""Words of SQL: a column of such a name is written in quotes."""
Arithmetic = Literal["+", "-", "*", "/", "%"]
Comparison = Literal["=", "<>", "<", "<=", ">", ">="]
DatePart = Literal["YEAR", "QUARTER", "MONTH", "DAY", "DAYOFWEEK", "ISODOW", "DAYOFYEAR", "WEEK"]
TimePart = Literal["HOUR", "MINUTE", "SECOND"]
NumberFunction = Literal["SQRT", "LN", "LOG10", "EXP", "POWER"]
TextFunction = Literal[
    "LOWER", "UPPER", "TRIM", "LENGTH", "SUBSTRING", "RIGHT", "LIKE", "ILIKE", "CONTAINS"
]
DateFunction = Literal["DATE_TRUNC", "CALENDAR", "DATE", "TIME", "MIDNIGHT", "EPOCH", "MOMENT"]
Function = NumberFunction | TextFunction | DatePart | TimePart | DateFunction
CastTarget = Literal["DOUBLE", "INTEGER", "BOOLEAN", "DATE", "TIMESTAMP", "TIME", "VARCHAR"]


# ---------------------------------------------------------------------- nodes


@dataclass(frozen=True, slots=True)
class _PlacedNode:
    """Base of all nodes: the place in the text that a node was read from, if it was read."""

    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Named(_PlacedNode):
    """The value of a column, declared or derived."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant(_PlacedNode):
    """A number, truth value, text, or None for missing; a ``dated`` number is a day or a second."""

    value: Fraction | bool | str | None
    dated: Dated = Dated.NOT


@dataclass(frozen=True, slots=True)
class Calculation(_PlacedNode):
    """A sum, difference, product, quotient or remainder, which has the sign of the left side.

    A quotient or remainder by zero is missing.  Two dates have a difference in days, and so have
    two datetimes or times of day, with fractions; a date or a datetime and a number of days have a
    sum.
    """

    operator: Arithmetic
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Compared(_PlacedNode):
    """The comparison of two values by an operator."""

    operator: Comparison
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Both(_PlacedNode):
    """Logical AND."""

    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Either(_PlacedNode):
    """Logical OR."""

    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Negated(_PlacedNode):
    """Logical NOT."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Missing(_PlacedNode):
    """Whether a value is missing: IS NULL."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Absolute(_PlacedNode):
    """The absolute value of a number."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Floored(_PlacedNode):
    """The largest whole number not above a number."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Clipped(_PlacedNode):
    """A number, clipped to two public bounds."""

    operand: "Node"
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Chosen(_PlacedNode):
    """One value where a condition is true, another where it is false or missing: CASE WHEN."""

    condition: "Node"
    then: "Node"
    otherwise: "Node"


@dataclass(frozen=True, slots=True)
class Applied(_PlacedNode):
    """A function of one value and constant parameters; missing where it is not defined.

    CALENDAR is the date itself; missing before the year 1 and after 9999, outside of the calendar.
    DATE is a datetime's date, TIME its time of day, and MIDNIGHT the datetime with which a date
    begins; EPOCH is the number that a datetime is, and MOMENT the datetime that a number is, if the
    calendar has it.
    """

    function: Function
    operand: "Node"
    parameters: tuple[Fraction | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined(_PlacedNode):
    """The concatenation of two texts."""

    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Converted(_PlacedNode):
    """A value converted to another type; missing where it cannot be: TRY_CAST."""

    operand: "Node"
    to: CastTarget


@dataclass(frozen=True, slots=True)
class Together(_PlacedNode):
    """Several values of a row, of which a relation between columns is asked: no value itself.

    More than two are nested to the right.
    """

    left: "Node"
    right: "Node"


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
    | Together
)
_OPERAND_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(
        field.name
        for field in fields(kind)
        if field.name in ("left", "right", "operand", "condition", "then", "otherwise")
    )
    for kind in get_args(Node)
}
"""The fields of each kind of node that hold nodes."""
TIME_SECONDS = {"hour": 3600, "minute": 60, "second": 1}
"""The parts of a day that a datetime is cut to."""
_CASTS = {"DATE": "DATE", "TIME": "TIME", "MIDNIGHT": "TIMESTAMP"}
_ZERO, _ONE = Constant(Fraction(0)), Constant(Fraction(1))
_NULL = Constant(None)


# ---------------------------------------------------------------------- walking and rewriting


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes inside of it; an expression that is too large is refused."""
    stack, visited = [(node, 1)], 0
    while stack:
        current, depth = stack.pop()
        visited += 1
        if visited > MOST_NODES or depth > MOST_DEPTH:
            raise _too_large()
        yield current
        for name in _OPERAND_FIELDS[type(current)]:
            stack.append((getattr(current, name), depth + 1))


def names_in(nodes: Iterable[Node]) -> frozenset[str]:
    """The names of the columns in expressions."""
    inner_nodes = (inner for node in nodes for inner in walk(node))
    return frozenset(inner.name for inner in inner_nodes if isinstance(inner, Named))


def read_size(node: Node) -> Node:
    """The node, refused if it is too large: one that a loop in Python has nested, for example."""
    for _ in walk(node):
        pass
    return node


def check_sizes(nodes: Iterable[Node]) -> None:
    """Refuse expressions that have too many nodes together."""
    visited = 0
    for node in nodes:
        visited += sum(1 for _ in walk(node))
        if visited > MOST_QUESTION_NODES:
            raise QueryError(
                f"the expressions of the question have more than {MOST_QUESTION_NODES:,} parts "
                "together, with derived columns written out. Questions are kept and shown in full. "
                "Ask several smaller ones."
            )


def conjuncts(node: Node) -> list[Node]:
    """The conditions that AND combines, in order; one without a place takes that of the AND."""
    conditions: list[Node] = []
    stack, visited = [node], 0
    while stack:
        current, visited = stack.pop(), visited + 1
        if visited > MOST_NODES:
            raise _too_large()
        if isinstance(current, Both):
            stack += [placed(current.right, current.place), placed(current.left, current.place)]
        else:
            conditions.append(current)
    return conditions


def replaced(node: Node, derived: dict[str, Node]) -> Node:
    """The node with every derived column replaced by its expression, at the place of its name."""
    if isinstance(node, Named):
        return placed(derived.get(node.name, node), node.place)
    return with_operands(node, lambda one: replaced(one, derived))


def with_operands(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with each of the nodes that it is made of changed."""
    arguments = [getattr(node, name) for name in node.__match_args__]
    rewritten = [change(one) if isinstance(one, Node) else one for one in arguments]
    return type(node)(*rewritten, place=node.place)  # type: ignore[arg-type]


def placed(node: Node, place: Place | None) -> Node:
    """The node at a place, unless it has a place of its own."""
    if place is None or node.place is not None:
        return node
    arguments = [getattr(node, name) for name in node.__match_args__]
    return type(node)(*arguments, place=place)


def _too_large() -> QueryError:
    return QueryError(
        f"an expression has more than {MOST_NODES} parts or is nested more than {MOST_DEPTH} "
        "deep. Questions are kept and shown in full. Write a simpler one."
    )


# ---------------------------------------------------------------------- texts


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
            return f"{_operand_text(left)} {operator} {_operand_text(right)}"
        case Both(left, right):
            return f"{_operand_text(left)} AND {_operand_text(right)}"
        case Either(left, right):
            return f"{_operand_text(left)} OR {_operand_text(right)}"
        case Negated(operand):
            return f"NOT {_operand_text(operand)}"
        case Missing(operand):
            return f"{_operand_text(operand)} IS NULL"
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
            return f"{_operand_text(left)} || {_operand_text(right)}"
        case Converted(operand, to):
            return f"CAST({expression_text(operand)} AS {to})"
        case Together():
            return ", ".join(map(expression_text, values_together(node)))


def values_together(node: Node) -> list[Node]:
    """The values that stand together, in order; a single one by itself."""
    values = []
    while isinstance(node, Together):
        values.append(node.left)
        node = node.right
    return [*values, node]


def together(values: Sequence[Node]) -> Node:
    """One or several values as one node.

    >>> expression_text(together([Named("wage"), Named("education")]))
    'wage, education'
    """
    *others, node = values
    for value in reversed(others):
        node = Together(value, node)
    return node


def quoted_name(name: str) -> str:
    """A column's name as SQL writes it, or table and name with a point between them."""
    parts = name.split(".")
    if len(parts) <= 2 and all(map(_is_plain_name, parts)):
        return name
    return '"' + name.replace('"', '""') + '"'


_LITERALS = {Dated.DAYS: "DATE", Dated.SECONDS: "TIMESTAMP", Dated.TIME: "TIME"}


def constant_text(value: Fraction | bool | str | None, dated: Dated = Dated.NOT) -> str:
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
    if not dated:
        return number_text(value)
    return f"{_LITERALS[dated]} '{dated_text(value, dated)}'"


def number_text(value: Fraction) -> str:
    """A number as text: an integer, or the shortest decimal of the nearest float."""
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def _applied_text(node: Applied) -> str:
    operand, parameters = node.operand, [constant_text(value) for value in node.parameters]
    if node.function in ("LIKE", "ILIKE"):
        return f"{_operand_text(operand)} {node.function} {parameters[0]}"
    if node.function == "CALENDAR":
        return expression_text(operand)
    if node.function in _CASTS:
        return f"CAST({expression_text(operand)} AS {_CASTS[node.function]})"
    if node.function == "MOMENT":
        return f"MAKE_TIMESTAMP({expression_text(operand)})"
    # SUBSTRING and TRIM have keywords among their arguments: a condition there needs parentheses.
    needs_parentheses = node.function in ("SUBSTRING", "TRIM")
    arguments = [
        _operand_text(operand) if needs_parentheses else expression_text(operand),
        *parameters,
    ]
    if node.function == "DATE_TRUNC":
        arguments.reverse()
    return f"{node.function}({', '.join(arguments)})"


def _operand_text(node: Node) -> str:
    """The text of an operand, in parentheses unless it is atomic or a call."""
    text = expression_text(node)
    atomic = isinstance(node, Named | Constant | Absolute | Floored | Clipped | Chosen | Converted)
    is_call = isinstance(node, Applied) and node.function not in ("LIKE", "ILIKE", "CALENDAR")
    return text if atomic or is_call else f"({text})"


def _is_plain_name(text: str) -> bool:
    return text.isidentifier() and text.isascii() and text.lower() not in _RESERVED_WORDS


# ---------------------------------------------------------------------- functions made of nodes


def any_of(conditions: Sequence[Node]) -> Node:
    """Whether any condition is true; the tree is balanced, so that a long list is not deep."""
    return _balanced_tree(Either, conditions)


def all_of(conditions: Sequence[Node]) -> Node:
    """Whether all conditions are true; the tree is balanced, so that a long list is not deep."""
    return _balanced_tree(Both, conditions)


def negative(operand: Node) -> Node:
    """The negated number."""
    return Calculation("-", _ZERO, operand)


def ceiling(operand: Node) -> Node:
    """The smallest whole number not below a number."""
    return negative(Floored(negative(operand)))


def rounded(operand: Node, digits: int = 0) -> Node:
    """The nearest number with this number of digits after the point; halves are rounded up.

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
    operators: tuple[Arithmetic, Arithmetic] = ("*", "/") if digits > 0 else ("/", "*")
    scaled = Calculation(operators[0], operand, scale)
    return Calculation(operators[1], Floored(Calculation("+", scaled, half)), scale)


def floor_divided(left: Node, right: Node) -> Node:
    """The largest whole number not above a quotient."""
    return Floored(Calculation("/", left, right))


def sign(operand: Node) -> Node:
    """The sign of a number: 1, 0 or -1."""
    below = Chosen(Compared("<", operand, _ZERO), Constant(Fraction(-1)), _NULL)
    zero = Chosen(Compared("=", operand, _ZERO), _ZERO, below)
    return Chosen(Compared(">", operand, _ZERO), _ONE, zero)


def bucket(operand: Node, low: Fraction, high: Fraction, count: Fraction) -> Node:
    """The number of a value's bucket, of equal ones from low to high; 0 below, count + 1 above."""
    if low >= high or count.denominator != 1 or not 1 <= count <= _MOST_BUCKETS:
        raise QueryError(
            "WIDTH_BUCKET has no increasing ends or no whole number of buckets. It cuts the "
            "values between two ends into equal parts. Write WIDTH_BUCKET(x, 0, 100, 10)."
        )
    from_low = Calculation("-", operand, Constant(low))
    widths = Calculation("/", from_low, Constant((high - low) / count))
    bucket_number = Calculation("+", Floored(widths), _ONE)
    not_below = Chosen(Compared(">=", operand, Constant(high)), Constant(count + 1), bucket_number)
    return Chosen(Compared("<", operand, Constant(low)), _ZERO, not_below)


def flag(condition: Node, true: Node = _ONE, false: Node = _ZERO) -> Node:
    """A condition as 1 or 0; missing where the condition is."""
    return Chosen(condition, true, Chosen(Negated(condition), false, _NULL))


def is_exactly(operand: Node, wanted: bool) -> Node:
    """Whether a condition is true (or false, if that is ``wanted``); never missing."""
    condition = operand if wanted else Negated(operand)
    return Chosen(condition, Constant(True), Constant(False))


def is_not_distinct(left: Node, right: Node) -> Node:
    """Whether two values are equal or both missing; never missing."""
    both_missing = Both(Missing(left), Missing(right))
    return Chosen(Compared("=", left, right), Constant(True), both_missing)


def coalesced(values: Sequence[Node]) -> Node:
    """The first value that is not missing."""
    *first, node = values
    for value in reversed(first):
        node = Chosen(Missing(value), node, value)
    return node


def null_if(value: Node, other: Node) -> Node:
    """A value, missing where it equals another one."""
    return Chosen(Compared("=", value, other), _NULL, value)


def extreme(values: Sequence[Node], *, least: bool) -> Node:
    """The least or greatest of values; missing where any of them is, on every engine.

    The halves of the list are compared, since a comparison contains each operand three times.
    """
    if len(values) == 1:
        return values[0]
    middle = (len(values) + 1) // 2
    first, second = (extreme(half, least=least) for half in (values[:middle], values[middle:]))
    sides = (first, second) if least else (second, first)
    smaller, larger = Compared("<=", *sides), Compared(">", *sides)
    return Chosen(smaller, first, Chosen(larger, second, _NULL))


def first_characters(operand: Node, count: Fraction) -> Node:
    """The first characters of a text."""
    return Applied("SUBSTRING", operand, (Fraction(1), count))


def starts_with(operand: Node, text: str) -> Node:
    """Whether a text begins with another."""
    return Compared("=", first_characters(operand, Fraction(len(text))), Constant(text))


def ends_with(operand: Node, text: str) -> Node:
    """Whether a text ends with another."""
    return Compared("=", Applied("RIGHT", operand, (Fraction(len(text)),)), Constant(text))


def date_difference(unit: str, start: Node, end: Node) -> Node | None:
    """How often a unit of time changes between two dates or datetimes; None for other units."""
    if unit == "day":
        return Calculation("-", *(_date_of(side) for side in (end, start)))
    if unit == "year":
        return Calculation("-", Applied("YEAR", end), Applied("YEAR", start))
    if unit == "month":
        return Calculation("-", _month_number(end), _month_number(start))
    if unit not in TIME_SECONDS:
        return None
    return Calculation("-", _unit_number(unit, end), _unit_number(unit, start))


def lowered(node: Applied) -> Node | None:
    """A function of a datetime as arithmetic with its number, or None for any other function.

    Every step is a whole number below 2^53 or the floor of a quotient of two such, so that floats
    of every engine give the same.
    """
    match node:
        case Applied("HOUR", operand):
            return _within(operand, 3600, DAY_SECONDS)
        case Applied("MINUTE", operand):
            return _within(operand, 60, 3600)
        case Applied("SECOND", operand):
            return _within(operand, 1, 60)
        case Applied("DATE", operand):
            return _count_of(DAY_SECONDS, operand)
        case Applied("TIME", operand):
            return _within(operand, 1, DAY_SECONDS)
        case Applied("MIDNIGHT", operand):
            return Calculation("*", operand, Constant(Fraction(DAY_SECONDS)))
        case Applied("EPOCH", operand):
            return operand
        case Applied("DATE_TRUNC", operand, (str() as unit,)) if unit in TIME_SECONDS:
            size = TIME_SECONDS[unit]
            return Calculation("*", _count_of(size, operand), Constant(Fraction(size)))
    return None


def _date_of(moment: Node) -> Node:
    """The date of a datetime; a date is its own, and a written one is read as the other side is."""
    written = isinstance(moment, Constant) and isinstance(moment.value, str)
    return moment if written else Converted(moment, "DATE")


def _within(seconds: Node, size: int, larger: int) -> Node:
    """How many parts of a size have passed in the larger one that a second is in."""
    whole = Calculation("*", _count_of(larger, seconds), Constant(Fraction(larger // size)))
    return Calculation("-", _count_of(size, seconds), whole)


def _count_of(size: int, seconds: Node) -> Node:
    """How many parts of a size have passed since 1970."""
    if size == 1:
        return seconds
    return Floored(Calculation("/", seconds, Constant(Fraction(size))))


def _unit_number(unit: str, moment: Node) -> Node:
    """The number of the hour, minute or second that a datetime is in."""
    return _count_of(TIME_SECONDS[unit], Applied("EPOCH", moment))


def _balanced_tree(kind: type[Both] | type[Either], conditions: Sequence[Node]) -> Node:
    if len(conditions) == 1:
        return conditions[0]
    middle = (len(conditions) + 1) // 2
    first, second = conditions[:middle], conditions[middle:]
    return kind(_balanced_tree(kind, first), _balanced_tree(kind, second))


def _month_number(date: Node) -> Node:
    """The number of a date's month, counted from the year 0."""
    years = Calculation("*", Applied("YEAR", date), Constant(Fraction(12)))
    return Calculation("+", years, Applied("MONTH", date))
