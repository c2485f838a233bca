"""Values on a public grid: what a row adds to a sum, in whole numbers."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import BoundsError, QueryError
from discreet.exact import Grid, Range, Rounding
from discreet.plan.columns import date_text
from discreet.plan.expressions import Chosen, Node, shown, walk
from discreet.plan.types import Kind, Typed

POINTS = 1 << 30
"""About how many grid points lie between the bounds of a sum: rounding never shows."""
_LEAST_STEP, _MOST_STEP = Fraction(1, 10**220), Fraction(10**150)
_FARTHEST = 1 << 50  # grid steps from zero to a bound: floats hold them exactly


@dataclass(frozen=True, slots=True, repr=False)
class Steps:
    """A numeric expression, clipped and rounded in the row to steps of a public grid.

    ``default`` stands for a missing value; where it is None, a missing value is skipped.  The
    steps are counted from the lower bound, or from the upper one where values are rounded up.
    ``ends`` are the bounds as declared, which need not be grid points.  ``whole`` says that no
    value of the column lies between two grid points.
    """

    node: Node
    range: Range
    default: int | None = None
    dated: bool = False
    rounding: Rounding = Rounding.NEAREST
    ends: tuple[Fraction, Fraction] | None = None
    whole: bool = False

    def number(self, place: int) -> int | float:
        """The number at a grid point, or the bound that it is beyond."""
        found = self.range.grid.value(place)
        if self.ends is None or self.ends[0] <= found <= self.ends[1]:
            return found
        end = self.ends[0] if found < self.ends[0] else self.ends[1]
        return end.numerator if end.denominator == 1 else float(end)

    def label(self, place: int) -> str:
        """The number at a grid point as text; a date where it is one."""
        number = self.range.grid.value(place)
        return date_text(int(number)) if self.dated else f"{number:g}"

    @property
    def clipping(self) -> str:
        """What clipping does, as a note says it."""
        low, high = (self.label(end) for end in (self.range.low, self.range.high))
        return f"clipping to [{low}, {high}]"

    @property
    def filling(self) -> list[str]:
        """What is done with missing values, as a note says it."""
        if self.default is None:
            return []
        return [f"counting of missing values as {self.label(self.default)}"]

    def __hash__(self) -> int:
        """Of what tells most of them apart: measures are looked up at every call."""
        return hash((self.range.low, self.range.high, self.default))

    def __repr__(self) -> str:
        """As it stands in the text that the ledger keeps a hash of: the same in every version."""
        text = f"Steps(node={self.node!r}, range={self.range!r}, default={self.default!r}, "
        text += f"dated={self.dated!r}"
        if self.rounding is not Rounding.NEAREST:
            text += f", rounding={self.rounding!r}, ends={self.ends!r}"
        return f"{text})"


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides how rows are measured: public facts of the declarations and the question."""

    replace: bool
    """Missing values take the default, unless a choice in the question leaves rows out."""
    fixed: bool
    """The number of rows is public: replaced rows, no person, no filter and no groups."""
    by_person: bool


def always(node: Node) -> bool:
    """Whether every row is meant to have a value: a choice may leave rows out, as FILTER does."""
    return not any(isinstance(one, Chosen) for one in walk(node))


def filled(typed: Typed, rules: Rules) -> bool:
    """Whether a missing value takes the default, so that no row leaves because of one."""
    return rules.replace and (typed.default is not None or always(typed.node))


def steps(typed: Typed, points: int, rules: Rules, rounding: Rounding = Rounding.NEAREST) -> Steps:
    """The grid of an expression with bounds: whole numbers where they are few enough."""
    low, high = typed.low, typed.high
    if low is None or high is None:
        raise QueryError("an expression without bounds cannot be summed. Give it bounds by clip.")
    if low == high:  # of one value the sum still says how many rows have it
        low, high = (min(low, Fraction(0)), max(high, Fraction(0))) if low else (low, Fraction(1))
    farthest = max(abs(low), abs(high))
    finest = max((high - low) / points, farthest / _FARTHEST)
    if not _LEAST_STEP < finest < _MOST_STEP:
        raise BoundsError(
            f"the bounds of {shown(typed.node)[:60]!r} are closer together than 10^-200 or farther "
            "apart than 10^150. Values are computed in 64-bit floats. Use another unit."
        )
    grid = Grid(max(0, Grid.below(finest).exponent)) if typed.whole else Grid.below(finest)
    nearest = rounding is Rounding.NEAREST
    first, last = (grid.index(low), grid.index(high)) if nearest else grid.around(low, high)
    if grid.index(low) == grid.index(high):
        raise BoundsError(
            f"the bounds of {shown(typed.node)[:60]!r} are so close together, and so far from "
            "zero, that 64-bit floats do not tell them apart. Subtract a constant first, or use "
            "wider bounds."
        )
    bounded = Range(grid=grid, low=first, high=last)
    default = None
    if filled(typed, rules):
        default = bounded.middle
        if typed.default is not None:
            default = min(max(grid.index(typed.default), first), last)
    dated, ends = typed.kind is Kind.DATE, None if nearest else (low, high)
    whole = typed.whole and grid.exponent == 0
    return Steps(typed.node, bounded, default, dated, rounding, ends, whole)
