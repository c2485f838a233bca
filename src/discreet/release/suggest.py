"""Help with bounds and caps: suggestions that are paid for like any other answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from discreet.engines.measuring import guarded
from discreet.engines.profile import SIZES, people_by_size
from discreet.errors import PolicyError, QueryError
from discreet.mechanisms.laplace import Laplace
from discreet.noise import Keystream
from discreet.plan.columns import Number
from discreet.plan.schema import Schema
from discreet.plan.types import unknown_column
from discreet.privacy.estimates import Estimates
from discreet.privacy.events import ComposedEvent, DiscreteLaplaceEvent
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.parameters import read_epsilon
from discreet.question.build import col, people, rows
from discreet.question.check import checked
from discreet.question.query import Key, Query
from discreet.release.asking import Asking
from discreet.release.planned import planned

if TYPE_CHECKING:
    from discreet.release.table import Table

_LARGEST = 50
_SMALLEST = -10
_CONFIDENCE = Fraction(95, 100)
_COVERED = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Suggested bounds of a column, with the line to declare them by."""

    column: str
    low: int | float
    high: int | float
    share: float
    epsilon: Fraction

    @property
    def line(self) -> str:
        """What to write into the policy."""
        return f"{self.column} = {{ low = {self.low:g}, high = {self.high:g} }}"

    def __str__(self) -> str:
        return (
            f"{self.line}   # found privately for ε = {float(self.epsilon):g}; about "
            f"{self.share:.0%} of what was found lies between them. Widen them to what you know."
        )


@dataclass(frozen=True, slots=True)
class Caps:
    """Suggested caps, with the lines to declare them by."""

    max_rows: int
    max_groups: int | None
    epsilon: Fraction

    @property
    def lines(self) -> str:
        """What to write into the policy."""
        groups = "" if self.max_groups is None else f"max_groups = {self.max_groups}\n"
        return f"{groups}max_rows = {self.max_rows}"

    def __str__(self) -> str:
        paid = f"found for ε = {float(self.epsilon):g}"
        return f"{self.lines}\n# about 95% of people have no more; {paid}"


def suggest_bounds(table: "Table", column: str, *, epsilon: object, analyst: str | None) -> Bounds:
    """Bounds that hold most values of a column, from a noisy histogram over powers of two.

    The bins are public.  A person's rows count as one row together, whatever the caps are, so that
    there is as little noise as can be.  Proof: docs/proofs/suggestions.md
    """
    from discreet.release.table import answer

    declared = table.schema.columns
    if column not in declared:
        raise unknown_column(column, declared)
    found = declared[column]
    if not isinstance(found, Number) or found.dated:
        raise QueryError(
            f"bounds are asked for {column!r}, which is not a column of numbers. Only numbers are "
            "clipped to bounds. Declare it as dp.number() first."
        )
    powers = [Fraction(2) ** power for power in range(_SMALLEST, _LARGEST + 1)]
    edges = [-power for power in reversed(powers)] + [Fraction(0)] + powers
    key = Key(column, col(column).node, tuple(edges))
    question = checked(Query(keys=(key,), outputs=(("n", rows().aggregate),)), _uncapped(table))
    cells = answer(planned(question, epsilon=epsilon), table, analyst=analyst)["n"]
    if not isinstance(cells, Estimates):
        raise TypeError("a histogram has several cells")
    counts = [float(cell.value) for cell in cells.values()]
    standing = [place for place, ends in enumerate(cells.simultaneous().values()) if ends[0] > 0]
    if not standing:
        raise QueryError(
            f"no range of {column!r} stands out of the noise. There are too few values for this ε. "
            "Use bounds that you know, or spend more. What was paid stays paid."
        )
    usual = float(next(iter(cells.values())).margin or 0) * 2 / 3
    first, last = _widened(standing[0], standing[-1], counts, usual)
    low, high = edges[first], edges[last + 1]
    low = Fraction(0) if 0 < low <= high / 4 else low
    inside = sum(counts[first : last + 1])
    share = min(1.0, inside / max(inside, sum(counts)))
    return Bounds(column, _plain(low), _plain(high), share, read_epsilon(epsilon))


def suggest_caps(
    table: "Table", *, epsilon: object, group_by: Sequence[object], analyst: str | None
) -> Caps:
    """Caps that about 95% of people stay within, from a noisy histogram of their sizes.

    Each person is in one cell of the histogram of rows and, with ``group_by``, in one of groups.
    Proof: docs/proofs/suggestions.md
    """
    schema, level = table.schema, read_epsilon(epsilon)
    if not schema.by_person:
        raise PolicyError(
            "caps are asked for, and the unit is the row. A row counts once, so there is nothing "
            "to cap. Leave max_rows and max_groups out."
        )
    asking = Asking(table).group_by(*group_by)
    question = checked(
        Query(keys=asking.query.keys, outputs=(("n", people().aggregate),)), _uncapped(table)
    )
    kinds = [False, True] if question.keys else [False]
    moved = 2 if schema.neighbors is Neighbors.REPLACE else 1
    noise = Laplace(scale=moved * len(kinds) / level)
    event = DiscreteLaplaceEvent(scale=noise.scale, sensitivity=moved)
    engine = table.engine()
    charge = table.ledger.charge(
        table.name,
        event=event if len(kinds) == 1 else ComposedEvent(events=(event,) * len(kinds)),
        question=json.dumps(["suggest caps", question.query.text, str(level)]),
        analyst=analyst,
        summary=f"suggest caps {question.query.text}",
        neighbors=schema.neighbors,
    )

    def run() -> bytes:
        bits = Keystream()
        tallies = [people_by_size(engine, question, groups=kind) for kind in kinds]
        return json.dumps(
            [[int(count) for count in noise.release(tally, bits)] for tally in tallies]
        ).encode()

    noisy = json.loads(table.ledger.answer(charge, lambda: guarded(run), safe=True))
    hidden = int(noise.accuracy(_CONFIDENCE, cells=SIZES * len(kinds)))
    found = [_covering(counts, hidden) for counts in noisy]
    return Caps(found[0], found[1] if len(found) > 1 else None, level)


def _widened(first: int, last: int, counts: Sequence[float], usual: float) -> tuple[int, int]:
    """From bins that surely hold values outwards, while bins hold more than noise usually makes."""
    while first > 0 and counts[first - 1] > usual:
        first -= 1
    while last < len(counts) - 1 and counts[last + 1] > usual:
        last += 1
    return first, last


def _covering(counts: Sequence[int], hidden: int) -> int:
    """The least power of two that most people stay within, by the counts that stand out."""
    present = [count if count > hidden else 0 for count in counts]
    total = sum(present)
    if total == 0:
        raise QueryError(
            "no size stands out of the noise. There are too few people for this ε. Use caps that "
            "you know, or spend more. What was paid stays paid."
        )
    reached = enumerate(accumulate(present))
    return next(1 << place for place, people in reached if people >= _COVERED * total)


def _uncapped(table: "Table") -> Schema:
    """The declarations with the least caps: a person counts once, whatever is declared so far."""
    schema = table.schema
    return replace(schema, max_groups=1, max_rows=1) if schema.by_person else schema


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
