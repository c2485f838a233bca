"""A profile: how many people have how many rows, and are in how many groups of a column.

It is a release like any other, paid for once, and remembered with the table and the declared
version of its data.  What caps leave out of later answers follows from it, free of charge.
Proof: docs/proofs/profile.md
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any, Literal, Protocol

from discreet.accounting.filters import Filter, charge, spend_limits
from discreet.engines.base import (
    SIZES,
    Engine,
    SizeKind,
    missing_query,
    people_by_size,
    rows_without_unit,
    size_query,
)
from discreet.errors import DiscreetError, PolicyError, QueryError, Remedy
from discreet.exact import rational
from discreet.ledger import Entry
from discreet.measures.measure import Aggregate
from discreet.measures.noise_choice import gaussian_noise
from discreet.measures.registry import PEOPLE
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource
from discreet.plan.expressions import Named
from discreet.plan.schema import ROW, CategoryColumn, Schema, TextColumn
from discreet.plan.types import unknown_column
from discreet.privacy.events import ComposedEvent, Event
from discreet.privacy.losses import PureDP, read_epsilon, read_rho, read_spend
from discreet.privacy.number_text import margin_text, number_text
from discreet.privacy.sensitivity import Neighbors, Sensitivity
from discreet.privacy.uncertainty import LinearError, NoiseDraw, combined_margin
from discreet.question.check import Question, checked_question
from discreet.question.query import GroupKey, Query
from discreet.strict_json import Shape, decoded
from discreet.text_table import aligned

Noise = Laplace | Gaussian
_CONFIDENCE = Fraction(95, 100)
_TAIL = Fraction(25, 1000)
_NEAR, _FAR_OUT, _GAP = Fraction(5, 100), Fraction(1, 1000), 4
"""How often noise is taken for somebody: near those that are seen, and far beyond them."""
_UNPLACED_BINS, _UNPLACED = 10, 1 << 12
"""People who are there, and whose size is not seen, are asked to have no more than so many bins
above the last that is counted, or than this number where that is more."""
LARGEST_SIZES = 3
"""Between so many of them the noise of those who are counted again chooses."""
_WINDOWS = (1, 2, 4, 8, 16)
"""So many neighboring bins are looked at together for whether somebody is seen in them."""
_LARGEST_COUNT = 1 << 62


def bin_bounds(place: int) -> tuple[int, int | None]:
    """The smallest and the largest number in a bin of sizes; the last one has no largest.

    >>> bin_bounds(0), bin_bounds(4), bin_bounds(len(SIZES))
    ((1, 1), (5, 6), (1048577, None))
    """
    low = 1 if place == 0 else SIZES[place - 1] + 1
    return low, SIZES[place] if place < len(SIZES) else None


@dataclass(frozen=True)
class Amount:
    """A number that noise was added to, with its draws: a sum over a histogram."""

    value: Fraction
    error: LinearError

    @staticmethod
    def of(value: object, error: object) -> "Amount":
        """A released number and its error, which is a sum of draws."""
        if not isinstance(error, LinearError):
            raise TypeError("only sums have an error that is a sum of draws")
        exact = value if isinstance(value, Fraction) else rational(value, "the number")
        return Amount(exact, error)

    def plus(self, other: "Amount | None") -> "Amount":
        """The sum of both."""
        if other is None:
            return self
        one = Fraction(1)
        return Amount(self.value + other.value, self.error.plus(one, other.error, one))

    def times(self, factor: Fraction) -> "Amount":
        """So many times the number."""
        return Amount(factor * self.value, self.error.times(factor))

    def upper(self, miss: Fraction) -> float:
        """What the true number exceeds with a probability of at most ``miss``."""
        return self._end(miss, 1)

    def lower(self, miss: Fraction) -> float:
        """What the true number is below with a probability of at most ``miss``."""
        return self._end(miss, -1)

    def _end(self, miss: Fraction, sign: int) -> float:
        margin = float(combined_margin(self.error.independent, 1 - 2 * miss)) + self.error.slack
        return float(self.value) + sign * margin


@dataclass(frozen=True)
class Recount:
    """People by size once more, with noise of their own: in the first bins, and beyond them.

    One histogram says where people are seen, and this one how many they are: so its noise knows
    nothing of how the bins were chosen.
    """

    counts: tuple[int, ...]
    rest: int
    noise: Noise

    @cached_property
    def draws(self) -> tuple[NoiseDraw, ...]:
        """The draw of noise in each of the bins."""
        return tuple(NoiseDraw(self.noise) for _ in self.counts)

    @cached_property
    def beyond(self) -> Amount:
        """How many people have a size beyond the bins."""
        return Amount(Fraction(self.rest), LinearError(((Fraction(1), NoiseDraw(self.noise)),)))

    def above(self, size: int) -> Amount:
        """How many people have more than the end of a bin."""
        places = range(SIZES.index(size) + 1, len(self.counts))
        terms = tuple((Fraction(1), self.draws[place]) for place in places)
        between = Amount(Fraction(sum(self.counts[place] for place in places)), LinearError(terms))
        return self.beyond.plus(between)

    @property
    def reach(self) -> int:
        """The largest size in the bins."""
        return SIZES[len(self.counts) - 1] if self.counts else 0


def _is_somebody(people: Amount, alarms: Fraction) -> bool:
    """Whether it is more than noise makes of nobody, but for this share of profiles."""
    return people.lower(alarms) > 0


@dataclass(frozen=True)
class SizeHistogram:
    """How many people have a size in each bin, with noise of the same law on each number."""

    counts: tuple[int, ...]
    noise: Noise
    again: Recount | None = None
    """Those up to the size at which somebody is seen, and how many are beyond it.

    None in a profile of a table with a ceiling, and in one of version 0.2.0.
    """

    @cached_property
    def draws(self) -> tuple[NoiseDraw, ...]:
        """The draw of noise in each of them."""
        return tuple(NoiseDraw(self.noise) for _ in self.counts)

    @cached_property
    def seen(self) -> int:
        """The number of bins up to the last one in which people are seen.

        Somebody is seen where one, two or four neighboring bins hold more than noise makes of
        nothing, anywhere in the histogram, in 95 of 100 profiles; far beyond those that are seen
        before, in 999 of 1,000, since a stray bin would mislead.  Several bins are looked at
        together only beyond those in which fewer show somebody.
        """
        last = 0
        for width in _WINDOWS:
            far, near = self._hidden(width, _FAR_OUT), self._hidden(width, _NEAR)
            end = last + width
            while end <= len(self.counts):
                people = sum(self.counts[end - width : end])
                close = last == 0 or end - width <= last + _GAP
                if people > (near if close else far):
                    last, end = end, end + width
                else:
                    end += 1
        return last

    def _hidden(self, width: int, alarms: Fraction) -> float:
        """So many people in bins can be noise, but for so many false alarms in a histogram."""
        each = alarms / (len(_WINDOWS) * len(self.counts))
        return float(combined_margin([(Fraction(1), self.noise)] * width, 1 - 2 * each))

    @property
    def counted_again(self) -> int:
        """In how many bins people are counted again: two octaves more than somebody is seen in."""
        return min(self.seen + 4, len(SIZES)) if self.seen else 0

    @cached_property
    def largest(self) -> int | None:
        """The size that intervals ask nobody to exceed, where no ceiling is declared; None if the
        profile does not know how many people are beyond those that it sees.

        That is little more than the largest that is seen, an octave more where somebody is there,
        and far more where somebody is beyond all that was counted.
        """
        return self.largest_but(_NEAR)

    def largest_but(self, alarms: Fraction) -> int | None:
        """The same, where noise is taken for somebody in this share of profiles at most."""
        if self.again is None or not self.again.counts:
            return None
        places, last = len(self.again.counts), len(SIZES) - 1
        if _is_somebody(self.again.beyond, alarms):
            return max(SIZES[min(places - 1 + _UNPLACED_BINS, last)], _UNPLACED)
        near = SIZES[min(self.seen + 2, places - 1)]
        return self.again.reach if _is_somebody(self.again.above(near), alarms) else near

    @property
    def hidden(self) -> tuple[int, Amount] | None:
        """A size, and how many people have more: none of them, if intervals are to hold.

        Of those who are beyond all that was counted, it is known that they are there.
        """
        if self.again is None or self.largest is None:
            return None
        size = min(self.largest, self.again.reach)
        return size, self.again.above(size)

    @property
    def unplaced(self) -> bool:
        """Whether people are there of whom nobody knows how much larger they are."""
        return self.again is not None and (self.largest or 0) > self.again.reach

    def lost(self, weigh: Callable[[int], Fraction], most: int) -> Amount:
        """Σ weigh(size) over people, of whom nobody is larger than ``most``.

        Of those who are beyond the bins that were counted again, each is taken to be as large.
        """
        seen = self.total(weigh, most)
        if self.again is None or most <= self.again.reach:
            return seen
        return seen.plus(self.again.beyond.times(weigh(most)))

    def total(self, weigh: Callable[[int], Fraction], most: int, *, least: bool = False) -> Amount:
        """Σ weigh(size) over people in bins up to a size, at the ends of bins.

        In those that were counted again, if any were.  ``least``: at the lower ends.
        """
        value, terms, best = Fraction(0), [], self.again or self
        for place, (people, draw) in enumerate(zip(best.counts, best.draws, strict=True)):
            low, high = bin_bounds(place)
            if low > most:
                break
            weight = weigh(low if least else min(high or most, most))
            if weight:
                value += weight * people
                terms.append((weight, draw))
        return Amount(value, LinearError(tuple(terms)))


class _KeptAgain(Shape, frozen=True):
    """What the ledger keeps of people who were counted again."""

    noise: str
    counts: tuple[int, ...]
    beyond: int


class _Kept(Shape, frozen=True):
    """What the ledger keeps of a profile.

    Version 2 says how many people are beyond those that are seen, which 0.2.0 did not ask.
    """

    version: Literal[1, 2]
    profile: str
    columns: dict[str, str]
    noise: tuple[Literal["laplace", "gaussian"], str, str, str]
    rows: tuple[int, ...]
    groups: dict[str, tuple[int, ...]]
    fullest: dict[str, tuple[int, ...]]
    missing: int
    again: _KeptAgain | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Profile:
    """How many people have how many rows, and are in how many groups of each column.

    ``missing`` is how many rows do not say whose they are.  Each of these is protected as a unit of
    its own, since nobody knows whose it is.
    """

    version: str
    rows: SizeHistogram
    groups: Mapping[str, SizeHistogram]
    fullest: Mapping[str, SizeHistogram]
    """By column, how many people have how many rows in the group in which they have most."""
    missing: Amount
    entry: int
    """The charge that paid for it."""
    time: str

    def __repr__(self) -> str:
        shown = f"people by size, {self.margin_text}; entry {self.entry}"
        version = f" of version {self.version}" if self.version else ""
        lines = [f"profile{version}: {shown}", *aligned(self.table())]
        hidden = f"{self.hidden_text[0].lower()}{self.hidden_text[1:]}"
        missing = f"rows without an id: {self.missing_text}"
        return "\n".join([*lines, missing, f"rows of one person: {hidden}"])

    @property
    def hidden_text(self) -> str:
        """How many may have more rows than the largest size that was counted."""
        if self.rows.hidden is None:
            return "How many have more rows than those who are seen is not known"
        size, people = self.rows.hidden
        low, high = (max(0.0, end) for end in (people.lower(_TAIL), people.upper(_TAIL)))
        if not self.rows.unplaced:
            return f"Up to {ceil(high):,} may have more than {size:,}, unseen in the noise"
        many = f"{floor(low):,} to {ceil(high):,} have more than {size:,}"
        return f"{many}, and how many each has is not seen"

    @property
    def missing_text(self) -> str:
        """How many rows do not say whose they are."""
        far = max(self.missing.upper(_TAIL) - float(self.missing.value), 0)
        about = max(0, round(self.missing.value))
        return number_text(about, (about - far, about + far)).text

    @property
    def margin_text(self) -> str:
        """How far noise may be from the numbers."""
        by_rows = (self.rows.again or self.rows).noise.accuracy(_CONFIDENCE)
        others = {one.noise.accuracy(_CONFIDENCE) for one in self.groups.values()} - {by_rows}
        text = f"each number ± {margin_text(by_rows, whole=True)} (95%)"
        return text + "".join(
            f", by groups ± {margin_text(margin, whole=True)}" for margin in others
        )

    def table(self) -> list[list[str]]:
        """People by size, bin by bin up to the last in which somebody is seen; with a heading."""
        columns = {"rows": self.rows} | {
            f"groups of {name}": one for name, one in self.groups.items()
        }
        columns |= {f"rows in a {name}": one for name, one in self.fullest.items()}
        last = max(one.seen for one in columns.values())
        heading = ["size", *columns]
        rows = [
            [bin_text(place), *(_shown(one, place) for one in columns.values())]
            for place in range(last)
        ]
        return [heading, *rows]

    @property
    def missing_seen(self) -> bool:
        """Whether rows without an id are more than the noise."""
        return self.missing.lower(Fraction(5, 100)) > 0

    def to_data(self) -> dict[str, Any]:
        """Plain data: the noisy numbers by bin, and the size of the noise at 95%."""

        def bins(histogram: SizeHistogram | Recount) -> dict[str, int]:
            named = map(bin_text, range(len(histogram.counts)))
            return dict(zip(named, histogram.counts, strict=True))

        again = self.rows.again
        hidden = None
        if again is not None:
            hidden = {"more_than": again.reach, "people": again.rest}
        return {
            "version": self.version or None,
            "entry": self.entry,
            "margin": {
                name: float(one.noise.accuracy(_CONFIDENCE))
                for name, one in {"rows": again or self.rows, **self.groups}.items()
            },
            "rows": bins(again or self.rows),
            "beyond": hidden,
            "groups": {name: bins(one) for name, one in self.groups.items()},
            "rows_in_a_group": {name: bins(one) for name, one in self.fullest.items()},
            "rows_without_id": int(self.missing.value),
        }


def _shown(histogram: SizeHistogram, place: int) -> str:
    """A number of people; nothing, beyond the bins in which somebody is seen."""
    best = histogram.again or histogram
    return f"{max(0, best.counts[place]):,}" if place < histogram.seen else ""


def bin_text(place: int) -> str:
    """The sizes of a bin.

    >>> bin_text(0), bin_text(4), bin_text(len(SIZES))
    ('1', '5–6', 'more than 1,048,576')
    """
    low, high = bin_bounds(place)
    if high is None:
        return f"more than {low - 1:,}"
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


@dataclass(frozen=True, slots=True)
class ProfileNoise:
    """The noise on each number of people by rows, and by groups, and on rows without an id.

    All are of one kind.  ``again`` is that of people who are counted once more.
    """

    kind: Literal["laplace", "gaussian"]
    by_rows: Fraction
    by_groups: Fraction
    missing: Fraction
    again: Fraction | None = None

    @property
    def data(self) -> list[str]:
        """As it is kept."""
        return [self.kind, str(self.by_rows), str(self.by_groups), str(self.missing)]

    def on_again(self) -> Noise | None:
        """On each number of those who are counted again, if anybody is."""
        return None if self.again is None else _NOISES[self.kind](self.again)

    def on_rows(self) -> Noise:
        """On each number of people by their rows."""
        return _NOISES[self.kind](self.by_rows)

    def on_groups(self) -> Noise:
        """On each number of people by their groups, or by the rows in one."""
        return _NOISES[self.kind](self.by_groups)

    def on_missing(self) -> Noise:
        """On the number of rows without an id."""
        return _NOISES[self.kind](self.missing)


_NOISES: dict[str, Callable[[Fraction], Noise]] = {
    "laplace": lambda scale: Laplace(scale=scale),
    "gaussian": lambda sigma: Gaussian(sigma=sigma),
}


@dataclass(frozen=True, slots=True)
class ProfilePlan:
    """What a profile of a table measures, and what it costs."""

    schema: Schema
    columns: tuple[str, ...]
    in_a_group: bool
    noise: ProfileNoise

    @property
    def histograms(self) -> int:
        """How many histograms a person is in, once in each."""
        return 1 + len(self.columns) * (2 if self.in_a_group else 1)

    @property
    def event(self) -> Event:
        """What the ledger writes down.

        Rows without an id are units of their own and in no histogram: neighbors differ in a person
        or in such a row, and both cost the same ε.
        """
        moved, free = Fraction(moved_by_unit(self.schema)), PureDP(epsilon=Fraction(0))
        reach = Sensitivity(l1=moved, squared_l2=moved)
        by_rows = self.noise.on_rows().event(reach, free)
        by_groups = self.noise.on_groups().event(reach, free)
        parts = [by_rows, *[by_groups] * (self.histograms - 1)]
        again = self.noise.on_again()
        if again is not None:
            parts.append(again.event(reach, free))
        histograms = ComposedEvent(events=tuple(parts)) if len(parts) > 1 else by_rows
        missing = self.noise.on_missing().event(reach, free)
        # Of noise in several parts the sum of ρ is less, so the costlier of both is paid.
        return max(histograms, missing, key=lambda one: charge(one).rho)

    @property
    def text(self) -> str:
        """The question as bytes are hashed from it."""
        schema = self.schema
        asked: list[object] = [schema.name, schema.version, self.in_a_group]
        asked += [{name: _declared(schema, name) for name in self.columns}]
        again = [] if self.noise.again is None else [str(self.noise.again)]
        return json.dumps(["profile", *asked, *self.noise.data, *again])

    @property
    def summary(self) -> str:
        """What people see of it in the ledger."""
        by = f" and in how many groups of {', '.join(self.columns)}" if self.columns else ""
        return f"profile: people by number of rows{by}"

    def prepared(self, engine: Engine) -> AbstractContextManager[None]:
        """Bind every query, so that one that cannot run is refused uncharged."""
        kinds = [SizeKind.GROUPS, *([SizeKind.ROWS_IN_A_GROUP] if self.in_a_group else [])]
        asked = [(counted_by(self.schema), SizeKind.ROWS)]
        asked += [(counted_by(self.schema, name), kind) for name in self.columns for kind in kinds]
        queries = [size_query(question, kind, engine.forms) for question, kind in asked]
        return engine.prepared_queries([*queries, missing_query(asked[0][0])])

    def run(self, engine: Engine, bits: BitSource) -> bytes:
        """Measure, add noise, and write down what is kept."""

        def released(question: Question, kind: SizeKind) -> tuple[int, ...]:
            tally, by_rows = people_by_size(engine, question, kind), kind is SizeKind.ROWS
            noise = self.noise.on_rows() if by_rows else self.noise.on_groups()
            return tuple(int(count) for count in noise.release(tally, bits))

        everybody, again = counted_by(self.schema), self.noise.on_again()
        rows, kept = released(everybody, SizeKind.ROWS), {}
        if again is not None:
            bins = SizeHistogram(rows, self.noise.on_rows()).counted_again
            tally = people_by_size(engine, everybody, SizeKind.ROWS, bins)
            *counts, beyond = (int(count) for count in again.release(tally, bits))
            recounted = {"noise": str(self.noise.again), "counts": counts, "beyond": beyond}
            kept = {"again": recounted}
        by_column = {name: counted_by(self.schema, name) for name in self.columns}
        missing = rows_without_unit(engine, everybody)
        return json.dumps(
            {
                "version": 1 if again is None else 2,
                "profile": self.schema.version or "",
                "columns": {name: _declared(self.schema, name) for name in self.columns},
                "noise": self.noise.data,
                "rows": rows,
                "groups": {
                    name: released(asked, SizeKind.GROUPS) for name, asked in by_column.items()
                },
                "fullest": {
                    name: released(asked, SizeKind.ROWS_IN_A_GROUP)
                    for name, asked in by_column.items()
                    if self.in_a_group
                },
                "missing": int(self.noise.on_missing().release(missing, bits)[0]),
                **kept,
            }
        ).encode()


def _declared(schema: Schema, name: str) -> str:
    """The declaration of a column, by which its groups were made; empty if there is none."""
    column = schema.columns.get(name)
    return "" if column is None else json.dumps(column.to_data(), sort_keys=True, default=str)


def moved_by_unit(schema: Schema) -> int:
    """How far one unit moves a histogram: it comes or goes; replaced, one goes and one comes."""
    return 2 if schema.neighbors is Neighbors.REPLACE else 1


def counted_by(schema: Schema, column: str | None = None) -> Question:
    """The question whose people are counted by size: of all rows, or of those in a group."""
    uncapped = replace(schema, max_groups=1, max_rows=1, at_most_rows=None, at_most_groups=None)
    keys = () if column is None else (GroupKey(column, Named(column)),)
    return checked_question(Query(keys=keys, outputs=(("n", Aggregate(PEOPLE)),)), uncapped)


def grouping_columns(schema: Schema) -> tuple[str, ...]:
    """The columns that people group by: those with more than two public values, and texts."""
    return tuple(
        name
        for name, column in schema.columns.items()
        if isinstance(column, TextColumn)
        or (isinstance(column, CategoryColumn) and len(column.values) > 2)
    )


def plan_profile(
    schema: Schema,
    standing: Callable[[], Filter],
    *,
    epsilon: object = None,
    rho: object = None,
    spend: object = None,
    by: Sequence[str] | None = None,
    in_a_group: bool = False,
) -> ProfilePlan:
    """What a profile would measure and cost; nothing is read or spent."""
    if schema.unit == ROW:
        raise PolicyError(
            "a profile is asked for, and the unit is the row. Every row counts once, so there is "
            "no cap that could leave any out. Ask the table at once."
        )
    given = [price for price in (epsilon, rho, spend) if price is not None]
    if len(given) != 1:
        raise QueryError(
            "a profile has one price. It is paid once, and every later answer uses it.",
            Remedy(
                python='Write table.profile(spend="5%"), or give epsilon or rho.',
                sql="",
                command="Add --spend 5%, or --epsilon or --rho.",
            ),
        )
    if by is not None and not (
        isinstance(by, list | tuple) and all(isinstance(name, str) for name in by)
    ):
        raise QueryError(
            "by is not a list of columns. It says by which columns groups of people are counted.",
            Remedy(
                python=f"Write by={list(grouping_columns(schema))[:2]!r}, or by=[] for none.",
                sql="",
                command=f"Write --by {','.join(grouping_columns(schema)[:2]) or 'x'}.",
            ),
        )
    columns = grouping_columns(schema) if by is None else tuple(dict.fromkeys(by))
    for name in columns:
        if name not in schema.columns:
            raise unknown_column(name, schema.columns)
        counted_by(schema, name)  # refused, where its groups are not public and not texts
    moved, others = moved_by_unit(schema), len(columns) * (2 if in_a_group else 1)
    # What caps leave out rests on rows most of all, and without a ceiling on those who are counted
    # again: of the price each gets its part, and columns share theirs.
    parts = _PARTS[schema.at_most_rows is None]
    together = sum(parts if others else parts[:2])
    by_rows, again, by_groups = (one / together for one in parts)
    shares = [by_rows, by_groups / max(1, others), Fraction(1), *([again] if again else [])]

    def laplace(level: Fraction) -> ProfileNoise:
        return ProfileNoise("laplace", *(moved / (level * share) for share in shares))

    def gaussian(level: Fraction) -> ProfileNoise:
        sigmas = (gaussian_noise(moved, level * share).sigma for share in shares)
        return ProfileNoise("gaussian", *sigmas)

    if epsilon is not None:
        noise = laplace(read_epsilon(epsilon))
    elif rho is not None:
        noise = gaussian(read_rho(rho))
    else:
        state = standing()
        part, whole = read_spend(spend), state.budget.epsilon
        limits = spend_limits(state.budget, state.totals, part)
        noises = [] if limits.epsilon is None else [laplace(limits.epsilon)]
        # Gaussian noise would end the sum of ε for all that is asked after the profile.
        fair = limits.epsilon is not None and whole is not None and limits.epsilon >= part * whole
        if limits.rho and not fair:
            noises.append(gaussian(limits.rho))
        noise = min(noises, key=lambda one: one.on_rows().accuracy(_CONFIDENCE))
    return ProfilePlan(schema, columns, in_a_group, noise)


class _Ledgered(Protocol):
    """Where answers are kept."""

    def released(self, dataset: str, key: str) -> tuple[Entry, bytes] | None:
        """The last answer under a key, whoever asked for it, and the entry that released it."""

    def is_used(self, dataset: str, key: str) -> bool:
        """Whether anybody charged a question with a key, whatever became of it."""


_PARTS = {
    False: (Fraction(1), Fraction(0), Fraction(1)),
    True: (Fraction(4), Fraction(13), Fraction(3)),
}
"""The parts of the price of a profile, by whether people are counted again: those of people by
rows, of people who are counted again, and of all columns together."""
_KEY = "discreet profile "


def profile_key(schema: Schema, number: int) -> str:
    """The key under which a profile of a version of the data is kept."""
    return f"{_KEY}{number} of {schema.version or 'the table'}"


def check_key(key: str | None) -> None:
    """Refuse a question under the key of a profile, behind which the profile would be hidden."""
    if key is not None and key.startswith(_KEY):
        raise QueryError(
            f"the key begins with {_KEY.strip()!r}. Under such keys profiles of the table are "
            "remembered. Use another key."
        )


def remembered(ledger: _Ledgered, schema: Schema) -> tuple[Profile | None, int]:
    """The last profile of this version of the data, and how many were paid for.

    One that was paid for and lost has a number too: nobody can ask under its key again.
    """
    found, number = None, 0
    while schema.by_person:
        key = profile_key(schema, number + 1)
        kept = ledger.released(schema.name, key)
        if kept is not None:
            found = read_profile(*kept, schema) or found
        elif not ledger.is_used(schema.name, key):
            break
        number += 1
    return found, number


def read_profile(entry: Entry, data: bytes, schema: Schema) -> Profile | None:
    """A profile from what was kept; None if it is of something else.

    Of a column that is declared otherwise now nothing is known.
    """
    kept = decoded(data, _Kept)
    if kept is None or kept.profile != (schema.version or ""):
        return None
    same = {name for name, text in kept.columns.items() if text == _declared(schema, name)}
    made = _noise_from(kept)
    if made is None:
        return None
    noise, missing = made.on_groups(), NoiseDraw(made.on_missing())
    histograms = (kept.rows, *kept.groups.values(), *kept.fullest.values())
    again = _counted_again(kept, made)
    recounted = () if again is None else (*again.counts, again.rest)
    numbers = [kept.missing, *recounted, *(count for counts in histograms for count in counts)]
    lengths = {len(counts) for counts in histograms}
    if lengths != {len(SIZES) + 1} or len(recounted) > len(SIZES) + 1:
        return None
    if (again is None) != (kept.version == 1) or max(map(abs, numbers)) > _LARGEST_COUNT:
        return None
    return Profile(
        version=kept.profile,
        rows=SizeHistogram(kept.rows, made.on_rows(), again),
        groups=_of_columns(kept.groups, same, noise),
        fullest=_of_columns(kept.fullest, same, noise),
        missing=Amount(Fraction(kept.missing), LinearError(((Fraction(1), missing),))),
        entry=entry.charge or entry.sequence,
        time=entry.time,
    )


def _noise_from(kept: _Kept) -> ProfileNoise | None:
    try:
        again = [] if kept.again is None else [kept.again.noise]
        sizes = [rational(size, "the noise of a profile") for size in (*kept.noise[1:], *again)]
    except (DiscreetError, ArithmeticError):
        return None
    return ProfileNoise(kept.noise[0], *sizes) if min(sizes) > 0 else None


def _counted_again(kept: _Kept, made: ProfileNoise) -> Recount | None:
    noise = made.on_again()
    if kept.again is None or noise is None:
        return None
    return Recount(kept.again.counts, kept.again.beyond, noise)


def _of_columns(
    kept: Mapping[str, tuple[int, ...]], columns: Collection[str], noise: Noise
) -> dict[str, SizeHistogram]:
    return {name: SizeHistogram(one, noise) for name, one in kept.items() if name in columns}
