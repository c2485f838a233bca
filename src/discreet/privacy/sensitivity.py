"""How far one unit can move the true answer, under either neighbor relation.

``Sensitive`` is that answer before noise: its repr hides it, and only a mechanism opens it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import ceil, comb, floor, isqrt
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from discreet.errors import BoundsError, PrivacyParameterError, Remedy
from discreet.exact import Grid, decimal_text, rational, round_up, square_root
from discreet.exact.rational import WrittenNumber
from discreet.privacy.losses import read_count, read_number

Value = TypeVar("Value")
_BITS = 64
_ROOT_ERROR = 1 << 40
_MOST_PAIRS = 200_000


class Neighbors(StrEnum):
    """The neighboring relation.

    ``add-remove``: one record more or less; the number of records is private.
    ``replace``: one record swapped for another; the number of records is public.

    >>> Neighbors.read("replace")
    <Neighbors.REPLACE: 'replace'>
    """

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"

    @staticmethod
    def read(value: object) -> "Neighbors":
        """The relation with that name; only a text is compared with the names."""
        return Neighbors(value) if isinstance(value, str) else Neighbors._missing_(value)

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        # What is not a text is not shown: it may be data in the wrong place.
        shown = repr(value[:40]) if isinstance(value, str) else f"a {type(value).__name__}"
        raise PrivacyParameterError(
            f"neighbors is {shown}. It is the neighboring relation: "
            '"add-remove" (one record more or less) or "replace" (one record swapped).',
            Remedy(
                python='Use neighbors="add-remove" unless the number of records is public.',
                policy='Use neighbors = "add-remove" unless the number of records is public.',
            ),
        )


class Sensitive(Generic[Value]):
    """A true value on its way to a mechanism: it does not show itself.

    Engines make it, mechanisms open it, and nothing in between can print, compare, format
    or pickle it.

    >>> Sensitive(42)
    Sensitive(hidden)
    """

    __slots__ = ("_value",)

    def __init__(self, value: Value) -> None:
        self._value = value

    def open(self) -> Value:
        """The true value.  Only a mechanism calls this (held by tests/laws)."""
        return self._value

    def __repr__(self) -> str:
        return "Sensitive(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("a sensitive value does not leave the process")

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("a sensitive value cannot be compared; pass it to a mechanism")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The largest move of a query between neighbors, in one or several norms.

    ``l1`` serves Laplace noise, ``l2`` Gaussian noise, ``linf`` selection.  A norm that is not
    given, or larger than need be, is taken from the others where that holds in every dimension:
    linf ≤ l2 ≤ l1.

    ``squared_l2`` is the square of ``l2``, which may be given instead: that of √20 is 20, and no
    rational is √20.  ``l2`` is then its root, rounded up; whoever needs the square takes it.

    >>> Sensitivity(l1=1).l2
    Fraction(1, 1)
    >>> Sensitivity(squared_l2=9).l2, Sensitivity(squared_l2=20).squared_l2
    (Fraction(3, 1), Fraction(20, 1))
    """

    l1: Fraction | None = None
    l2: Fraction | None = None
    linf: Fraction | None = None
    squared_l2: Fraction | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            l1: WrittenNumber | None = None,
            l2: WrittenNumber | None = None,
            linf: WrittenNumber | None = None,
            squared_l2: WrittenNumber | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        l1, l2, linf, squared = (
            None if value is None else _read(value, name)
            for name, value in (
                ("l1", self.l1),
                ("l2", self.l2),
                ("linf", self.linf),
                ("squared_l2", self.squared_l2),
            )
        )
        if l1 is None and l2 is None and linf is None and squared is None:
            raise PrivacyParameterError(
                "the sensitivity has no norm. It says how far one unit can move the answer. "
                "Give l1=, l2=, squared_l2= or linf=, for example dp.Sensitivity(l1=1)."
            )
        l2 = _least(l2, l1)
        if squared is not None and (l2 is None or squared < l2 * l2):
            l2 = _root(squared)
        elif l2 is not None:
            squared = l2 * l2
        object.__setattr__(self, "l1", l1)
        object.__setattr__(self, "l2", l2)
        object.__setattr__(self, "linf", _least(linf, l2))
        object.__setattr__(self, "squared_l2", squared)

    def __repr__(self) -> str:
        exact = self.l2 is None or self.l2 * self.l2 == self.squared_l2
        middle = ("l2", self.l2) if exact else ("squared_l2", self.squared_l2)
        norms = (("l1", self.l1), middle, ("linf", self.linf))
        shown = ", ".join(f"{name}={value}" for name, value in norms if value is not None)
        return f"Sensitivity({shown})"

    def in_dimension(self, dimension: int) -> "Sensitivity":
        """The norms that follow for an answer with so many coordinates, rounded up.

        Besides linf ≤ l2 ≤ l1 these are l1 ≤ √d·l2, l2 ≤ √d·linf and l2² ≤ l1·linf.

        >>> Sensitivity(linf=1).in_dimension(4)
        Sensitivity(l1=4, l2=2, linf=1)
        """
        count = read_count(dimension, "dimension", "coordinates of the answer")
        wide = self.need("linf")
        squares = [count * wide**2]
        if self.squared_l2 is not None:
            squares.append(self.squared_l2)
        if self.l1 is not None:
            squares.append(self.l1 * wide)
        squared = min(squares)
        l1 = min(count * wide, _root(count * squared))
        return Sensitivity(l1=_least(self.l1, l1), squared_l2=squared, linf=wide)

    def rounded(self, grid: object, dimension: int = 1) -> "Sensitivity":
        """The sensitivity after real values were rounded to a grid.

        Rounding is monotone and commutes with whole steps, so one coordinate that moves by at
        most d lands at most ceil(d/step) steps away; d coordinates together add at most one
        step each: d·step in L1, √d·step in L2.

        >>> Sensitivity(l1=1).rounded(1)
        Sensitivity(l1=1, l2=1, linf=1)
        >>> Sensitivity(l2=1).rounded("1/4", dimension=4)
        Sensitivity(l1=3, l2=3/2, linf=1)
        """
        count, steps = (
            read_count(dimension, "dimension", "coordinates of the answer"),
            Grid.of(grid),
        )
        step = steps.step
        moved = Sensitivity(
            l1=None if self.l1 is None else self.l1 + count * step,
            l2=None if self.l2 is None else self.l2 + _root(count * step**2),
            linf=round_up(self.need("linf"), step),
        )
        return moved.in_dimension(count).of_steps(steps)

    def of_steps(self, grid: object) -> "Sensitivity":
        """The sensitivity of values that are on a grid: they move by whole steps.

        So l1 and linf are whole numbers of steps, and so is the square of l2, of squared steps.

        >>> Sensitivity(l1="5/2").of_steps(1)
        Sensitivity(l1=2, l2=2, linf=2)
        >>> Sensitivity(squared_l2="41/2").of_steps(1).squared_l2
        Fraction(20, 1)
        """
        step = Grid.of(grid).step
        norms = {"l1": self.l1, "linf": self.linf}
        norms_on_grid = {
            name: norm and max(1, norm // step) * step  # a move, however small, is a step
            for name, norm in norms.items()
        }
        if squared := self.squared_l2:
            squared = max(1, floor(_near_whole(squared / step**2))) * step**2
        return Sensitivity(**norms_on_grid, squared_l2=squared)

    def in_steps(self, norm: str, grid: Grid, dimension: int | None = None) -> Fraction:
        """How many steps of a grid values on it move by, at most; a single number by whole ones.

        A norm that no values on the grid have is refused: it is that of real numbers, which are
        rounded first and may move by more.

        >>> Sensitivity(l1=1).in_steps("l1", Grid.of("1/4"))
        Fraction(4, 1)
        """
        if norm == "l2":
            return _root(Fraction(self.squared_in_steps(grid, dimension)))
        distance = self.need(norm) / grid.step
        if dimension == 1:
            return Fraction(ceil(distance))
        if distance.denominator == 1:
            return distance
        raise _off_grid(norm, self.need(norm), grid, "a whole number")

    def squared_in_steps(self, grid: Grid, dimension: int | None = None) -> int:
        """The squared L2 norm in squared steps of a grid: whole for values that are on it.

        As ``in_steps``, and exact: no root is taken.

        >>> Sensitivity(squared_l2=20).squared_in_steps(Grid.of(1))
        20
        >>> Sensitivity(squared_l2=20).squared_in_steps(Grid.of(1), dimension=1)
        25
        """
        self.need("l2")
        squared = (self.squared_l2 or Fraction(0)) / grid.step**2
        if dimension == 1:
            root = isqrt(ceil(squared))
            return root * root if root * root >= squared else (root + 1) ** 2
        squared = _near_whole(squared)
        if squared.denominator == 1:
            return int(squared)
        raise _off_grid("l2", self.need("l2"), grid, "the root of a whole number")

    @classmethod
    def of(
        cls,
        query: str,
        *,
        bounds: object = None,
        neighbors: object = "add-remove",
        records: int | None = None,
        counts: int = 1,
    ) -> "Sensitivity":
        """The largest move of a query, from public facts alone: the lectures' table.

        ``query`` is "count", "counts" (as many as ``counts``, a record may be in all of them),
        "histogram" (disjoint cells), "sum", "min", "max", "proportion" or "mean".  Values lie
        between ``bounds``; of no records the largest is the lower bound and the smallest the upper.
        Shares and means have a sensitivity under replace only, where the number of ``records``
        is public.  No record is filtered out, and no value is missing.

        >>> Sensitivity.of("max", bounds=(1, 300)).l1
        Fraction(299, 1)
        >>> Sensitivity.of("mean", bounds=(1, 300), neighbors="replace", records=4).l1
        Fraction(299, 4)
        >>> Sensitivity.of("histogram", neighbors="replace").l1
        Fraction(2, 1)
        """
        fixed = Neighbors.read(neighbors) is Neighbors.REPLACE
        if query in ("count", "counts"):
            many = read_count(counts if query == "counts" else 1, "counts", "counting queries")
            return cls(linf=Fraction(1)).in_dimension(many)
        if query == "histogram":
            return cls(l1=Fraction(2 if fixed else 1), linf=Fraction(1)).in_dimension(2)
        if query not in ("sum", "min", "max", "proportion", "mean"):
            raise PrivacyParameterError(
                f"the query is {str(query)[:40]!r}. Its sensitivity is known for count, counts, "
                "histogram, sum, min, max, proportion and mean. For another, look at all neighbors "
                "of a small universe: dp.Sensitivity.over(query, universe, records=3)."
            )
        low, high = (Fraction(0), Fraction(1)) if query == "proportion" else _read_ends(bounds)
        if query == "sum" and not fixed:
            return cls(l1=max(abs(low), abs(high)))
        if query in ("proportion", "mean"):
            return cls(l1=(high - low) / _read_records(records, fixed, query))
        return cls(l1=high - low)

    @classmethod
    def over(
        cls,
        query: Callable[[tuple[Any, ...]], object],
        universe: Iterable[Any],
        *,
        records: int,
        neighbors: object = "add-remove",
    ) -> "Sensitivity":
        """The largest move of any function, found by looking at every pair of neighbors.

        Data sets have at most ``records`` records, each from the ``universe``; the function takes
        them as a tuple, the empty one included under add/remove, and gives a number or a
        sequence of numbers.  A data set has no order, so neither may the answer depend on it.
        Under replace all data sets have ``records`` records.

        The universe {0,1}^3 of three yes-or-no attributes, and how many have each of them:

        >>> from itertools import product
        >>> def having(people): return [sum(person[i] for person in people) for i in range(3)]
        >>> Sensitivity.over(having, product((0, 1), repeat=3), records=2).l1
        Fraction(3, 1)
        """
        fixed = Neighbors.read(neighbors) is Neighbors.REPLACE
        size = read_count(records, "records", "records of a data set")
        values = list(universe)
        _check_pairs(len(values), size, fixed)
        moves: set[tuple[Fraction, Fraction, Fraction]] = set()
        if not fixed:
            _check_empty(query)
        for first, second in _neighbors(values, size, fixed):
            moves.add(_norms(_vector(query(first)), _vector(query(second))))
        return cls(
            l1=max((move[0] for move in moves), default=Fraction(0)),
            squared_l2=max((move[1] for move in moves), default=Fraction(0)),
            linf=max((move[2] for move in moves), default=Fraction(0)),
        )

    @staticmethod
    def read(value: object) -> "Sensitivity":
        """The value itself, if it is a sensitivity."""
        if isinstance(value, Sensitivity):
            return value
        raise PrivacyParameterError(
            "the sensitivity is a bare value. A move is measured in a norm, and mechanisms differ "
            "in the one they need. Write dp.Sensitivity(l1=1), or l2=, squared_l2= or linf=."
        )

    def need(self, norm: str) -> Fraction:
        """The norm a mechanism needs, or an error that asks for it."""
        value: Fraction | None = getattr(self, norm)
        if value is None:
            raise PrivacyParameterError(
                f"the sensitivity gives no {norm}, and it cannot be derived from the other norms "
                f"for every dimension. The mechanism needs it. Give {norm}= as well."
            )
        return value


def _check_empty(query: Callable[[tuple[Any, ...]], object]) -> None:
    """Refuse a function that fails on no records, as max does."""
    try:
        query(())
    except Exception as error:
        raise PrivacyParameterError(
            f"the function fails on the empty data set ({type(error).__name__}). Under add/remove "
            "the only record may be taken away, so it needs a value there. Give it one, as in "
            "lambda records: max(records, default=0), or write neighbors='replace'."
        ) from error


def _neighbors(
    universe: Sequence[Any], records: int, fixed: bool
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Every pair of neighbors, as data sets whose order does not count."""
    for others in (records - 1,) if fixed else range(records):
        for rest in combinations_with_replacement(universe, others):
            ends = combinations(universe, 2) if fixed else [(one,) for one in universe]
            for one, *other in ends:
                yield (*rest, one), (*rest, *other)


def _check_pairs(values: int, records: int, fixed: bool) -> None:
    sizes = (records - 1,) if fixed else range(records)
    ends = values * (values - 1) // 2 if fixed else values
    if sum(comb(values + size - 1, size) for size in sizes) * ends > _MOST_PAIRS:
        raise PrivacyParameterError(
            f"there are more than {_MOST_PAIRS} pairs of neighbors. Each of them is looked at. Use "
            "fewer records or a smaller universe: the ends of a range most often suffice."
        )


def _vector(answer: object) -> list[Fraction]:
    many = isinstance(answer, Iterable) and not isinstance(answer, str)
    parts = list(answer) if many else [answer]  # type: ignore[call-overload]
    return [rational(part, "the query's answer") for part in parts]


def _norms(first: list[Fraction], second: list[Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    """The L1 distance, the squared L2 distance and the largest one of two answers."""
    if len(first) != len(second):
        raise PrivacyParameterError(
            "the query's answers on two neighbors have different lengths. How far an answer moves "
            "is measured coordinate by coordinate. Let the query give as many numbers for each "
            "data set."
        )
    moves = [abs(a - b) for a, b in zip(first, second, strict=True)]
    zero = Fraction(0)
    return sum(moves, zero), sum((move**2 for move in moves), zero), max(moves, default=zero)


def _read_ends(bounds: object) -> tuple[Fraction, Fraction]:
    ends = list(bounds) if isinstance(bounds, tuple | list) else []
    if len(ends) != 2:
        raise BoundsError(
            "the query needs bounds. Of unbounded data one record can move it by any amount. Give "
            "the range that values lie in, from public knowledge: bounds=(1, 300)."
        )
    low, high = (rational(end, "a bound") for end in ends)
    if low > high:
        raise BoundsError(
            "the lower bound is above the upper one. Values lie between them. Write "
            "bounds=(1, 300)."
        )
    return low, high


def _read_records(records: int | None, fixed: bool, query: str) -> int:
    if not fixed or records is None:
        raise PrivacyParameterError(
            f"a {query} moves by the range of a value over the number of records, which must be "
            'public: under add-remove it is not. Use neighbors="replace" with records=, or '
            f"divide a noisy sum by a noisy count, as dp.{query} does."
        )
    return read_count(records, "records", "records of the data set")


def _least(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    """The smaller of two bounds, of which either may be missing."""
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _off_grid(norm: str, distance: Fraction, grid: Grid, whole: str) -> PrivacyParameterError:
    """The refusal of a move that no values on the grid make."""
    shown = decimal_text(distance)
    return PrivacyParameterError(
        f"the sensitivity is {shown}, which is not {whole} of steps of the grid {grid.step}. "
        "Values are rounded to the grid before they get noise, so a small move can become a whole "
        "step in each coordinate. Say how far the rounded values move: "
        f"dp.Sensitivity({norm}={shown}).rounded({grid.step}, dimension=1) for one number, and "
        "with their number for several."
    )


def _near_whole(number: Fraction) -> Fraction:
    """The number, or the whole number that it is a part in 2^40 from: the square of a rounded root.

    A float √3 has a square that is a little below 3, and its reader means 3.
    """
    whole = Fraction(round(number))
    return whole if abs(number - whole) * _ROOT_ERROR <= number else number


def _root(square: Fraction) -> Fraction:
    """The square root: exact where it is rational, else rounded up to 64 bits or better."""
    roots = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if roots * roots == square:
        return roots
    size = square.numerator.bit_length() - square.denominator.bit_length()
    bits = max(0, _BITS - size // 2)
    _, root = square_root(square, bits)
    return Fraction(root, 1 << bits)


def _read(value: object, name: str) -> Fraction:
    number = read_number(value, f"sensitivity {name}")
    if number < 0:
        raise PrivacyParameterError(
            f"sensitivity {name} is {decimal_text(number)}. It is a distance, so it cannot be "
            f"negative. Use the largest move of the answer, for example {name}=1."
        )
    return number
