"""What caps leave out of an answer: where the truth lies, and how that is said.

A person over a cap counts for less, so numbers of rows and of people come out too low, and means
may differ.  How far follows from a profile of the table and from declared ceilings, as free
post-processing.  Proof: docs/proofs/profile.md
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from math import ceil, floor, inf, isqrt
from typing import Any

from discreet.engines.base import SIZES
from discreet.errors import Front, QueryError, Remedy, with_article
from discreet.measures.measure import (
    CONFIDENCE,
    SHARE,
    Answers,
    CapName,
    LeftOut,
    Measure,
    Norm,
    Output,
    Unit,
    Weights,
)
from discreet.measures.moments import MEAN
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import Compared, Constant, Named, Node, names_in, walk
from discreet.plan.schema import MOST_ROWS, CategoryColumn, Schema
from discreet.privacy.estimates import BoundedError, FloatInterval, LinearError, Uncertainty
from discreet.privacy.losses import read_epsilon
from discreet.privacy.number_text import plural
from discreet.privacy.uncertainty import SumTruth, as_float
from discreet.question.check import Question
from discreet.question.groupings import BinGrouping
from discreet.question.query import (
    Lookup,
    Pair,
    PerPerson,
    Relation,
    Scan,
    Selected,
    origin,
    prefixed,
)
from discreet.release.profile import LARGEST_SIZES, Amount, Profile, SizeHistogram, moved_by_unit

Ends = tuple[Fraction, Fraction]
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TAIL = Fraction(25, 1000)
_MOST_ASIDE = 4
"""A suggested cap leaves out no more than so many margins of the noise,"""
_WORTH = 0.8
_LEAST_KEPT = 0.95
"""and keeps at least this share of all rows."""
_NOISE_FITTED = Fraction(1, 100)
"""A cap that fits noise is worse than one too low for a few: one is suggested so often at most."""
ASK_FOR_A_PROFILE = Remedy(
    python='Find out once by table.profile(spend="5%").',
    sql="Whoever keeps the table finds out once, by discreet profile.",
    command="Find out once, by discreet profile.",
)
ASK_FOR_ANOTHER = Remedy(
    python='Find out by another profile: table.profile(spend="10%", again=True).',
    sql="Whoever keeps the table finds out by another profile, at a higher price.",
    command="Find out by another profile, at a higher price: discreet profile --again.",
)


@dataclass(frozen=True, slots=True)
class PersonRows:
    """How many rows of a relation one person can have.

    ``profiled``: no more than of the table itself.  ``ceiling``: no more than this, by what is
    declared.  ``clipped`` are columns that add up a person's rows, with the bounds at which they
    are cut; None where they are computed from such.
    """

    profiled: bool
    ceiling: int | None
    clipped: Mapping[str, Ends | None] = field(default_factory=dict)
    identified: bool = False
    """Whether rows without an id have no place in it: it has a row for a person, or joins by id."""
    cut: int | None = None
    """A join leaves out rows of whoever has more than this, before anything is weighed."""
    altered: bool = False
    """Whether rows were kept, or grouped, by what is cut, so that they may be others in truth."""
    summarized: bool = False
    """Whether it has a row for a person; plain SQL makes one more, of all rows without an id."""


def person_rows(source: Relation, schema: Schema) -> PersonRows:
    """How many rows of a relation one person can have."""
    match source:
        case Scan(None):
            return PersonRows(True, schema.at_most_rows)
        case Scan(table):
            return PersonRows(False, schema.private[table or ""].at_most_rows)
        case Selected(inner):
            return _selected(source, person_rows(inner, schema))
        case Lookup():
            return _looked_up(source, person_rows(source.inner, schema))
        case Pair():
            sides = person_rows(source.first, schema), person_rows(source.second, schema)
            return _paired(source, *sides)
        case PerPerson(inner):
            return _per_person(source, schema, person_rows(inner, schema))


def reads_cut(nodes: Iterable[Node], clipped: Mapping[str, Ends | None]) -> bool:
    """Whether expressions may be others in truth than of columns that are cut at their ends.

    A comparison is not that parts what is at an end, or beyond, from what is not.
    """
    every, harmless = 0, 0
    for node in (part for whole in nodes for part in walk(whole)):
        match node:
            case Named(name) if name in clipped:
                every += 1
            case Compared(operator, Named(name), Constant(Fraction() as number)):
                harmless += _parts(operator, number, clipped.get(name))
            case Compared(operator, Constant(Fraction() as number), Named(name)):
                harmless += _parts(_TURNED.get(operator, operator), number, clipped.get(name))
    return every > harmless


def _parts(operator: str, number: Fraction, ends: Ends | None) -> bool:
    """Whether a comparison says the same of a total and of what is left of it between the ends."""
    if ends is None or not ends[0] <= number <= ends[1]:
        return False
    inside = ends[0] < number < ends[1]
    at_the_end = ("<", ">=") if number == ends[1] else (">", "<=")
    return inside or operator in at_the_end


def _selected(source: Selected, rows: PersonRows) -> PersonRows:
    clipped = {
        name: rows.clipped.get(node.name) if isinstance(node, Named) else None
        for name, node in source.columns
        if reads_cut([node], rows.clipped)
    }
    altered = rows.altered or reads_cut(source.where, rows.clipped)
    return replace(rows, clipped=clipped, altered=altered)


def _per_person(source: PerPerson, schema: Schema, rows: PersonRows) -> PersonRows:
    """Totals are cut, where a person may have more rows than the cap."""
    limit = origin(source.inner, schema).limit
    exceeds = rows.ceiling is None or rows.ceiling > limit
    clipped: dict[str, Ends | None] = {}
    for (name, asked), summary in zip(source.columns, source.summaries, strict=True):
        if asked.of is not None and reads_cut([asked.of], rows.clipped):
            clipped[name] = None
        elif exceeds and asked.statistic.adds_up:
            ends = summary.low, summary.high
            clipped[name] = None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
    told_apart = [*source.where, *(node for _, node in source.keys)]
    # What a join has left out is missing in totals and extremes, in either direction.
    altered = rows.altered or rows.cut is not None or reads_cut(told_apart, rows.clipped)
    ceiling = rows.ceiling if source.keys else 1
    return PersonRows(rows.profiled, ceiling, clipped, True, altered=altered, summarized=True)


def _looked_up(source: Lookup, rows: PersonRows) -> PersonRows:
    altered = rows.altered or reads_cut([node for node, _ in source.on], rows.clipped)
    clipped = {prefixed(source.left, name): ends for name, ends in rows.clipped.items()}
    rows = replace(rows, clipped=clipped, altered=altered)
    if source.partners == 1:
        return rows
    ceiling = None if rows.ceiling is None else rows.ceiling * source.partners
    return replace(rows, profiled=False, ceiling=ceiling)


def _paired(source: Pair, first: PersonRows, second: PersonRows) -> PersonRows:
    """One partner for each row does not multiply them; of very many pairs some are left out."""
    ceiling = None
    if first.ceiling is not None and second.ceiling is not None:
        ceiling = first.ceiling * second.ceiling
    # A left join keeps rows of the first side without an id, of which only its profile knows.
    known = not source.keep or first.identified
    profiled = (first.profiled and second.ceiling == 1) or (
        second.profiled and first.ceiling == 1 and known
    )
    clipped = {prefixed(source.left, name): ends for name, ends in first.clipped.items()}
    clipped |= {prefixed(source.right, name): ends for name, ends in second.clipped.items()}
    on = [name for name, _ in source.on if name in first.clipped]
    on += [name for _, name in source.on if name in second.clipped]
    cuts = [rows.cut for rows in (first, second) if rows.cut is not None]
    limit = None if ceiling is not None and ceiling <= (source.pairs or 0) else source.pairs
    if limit is not None:  # with one partner a row, there are no more pairs than rows
        cuts.append(limit if 1 in (first.ceiling, second.ceiling) else isqrt(limit))
    altered = first.altered or second.altered or bool(on)
    cut = min(cuts, default=None)
    summarized = source.keep and first.summarized
    return PersonRows(profiled, ceiling, clipped, known, cut, altered, summarized)


@dataclass(frozen=True, eq=False)
class CapEffect:
    """What one cap leaves out of a question.

    ``largest`` is the size that nobody exceeds, or is taken to exceed; ``lost`` is at
    least what is left out of all groups together, and ``missing`` are rows without an id.
    """

    weights: Weights
    largest: int | None
    lost: Amount | None = None
    missing: Amount | None = None
    condition: str = ""
    """What must hold of all people, so that the truth is where it is said to be: "if no …"."""
    looks: int = 1
    """Between how many largest sizes the profile's own noise chose."""
    multiplied: bool = False
    """Whether a join multiplies rows, so that a profile of the table says nothing of them."""
    kept: "KeptShare | None" = None
    """The share of all rows that is counted."""
    cut: int | None = None
    """A join may leave out all rows of a group of somebody who has more than this."""
    assigned: bool = False
    """Whether somebody over the cap counts in so many groups in full, and in the others not."""

    @property
    def bites(self) -> bool:
        """Whether somebody may have more than the cap."""
        return self.factor != 1

    @property
    def matters(self) -> bool:
        """Whether more than noise may stand before the truth, as far as is known."""
        return self.bites or self.missing is not None or bool(self.condition)

    @cached_property
    def factor(self) -> Fraction | None:
        """How many times as large the truth can be as what is counted; None without a limit."""
        if self.largest is None or self.cut is not None:
            return None
        if self.assigned:
            return Fraction(1) if self.largest <= self.weights.cap else None
        weight = self.weights.of(max(1, self.largest))
        return 1 / weight if weight else None

    def truth(
        self, left_out: LeftOut, value: Any, error: Any, counted: Amount | None
    ) -> Uncertainty | None:
        """Where the truth lies; None where nothing but noise stands before it."""
        if left_out.answers is Answers.RANK or not self.matters:
            return None
        if self.assigned:
            noise = partial(error.interval, value)
            return BoundedError(_Assigned(noise, self.lost, self.looks).interval)
        if left_out.answers in (Answers.SUM, Answers.DISTINCT):
            summed = _Sum(self, left_out, Amount.of(value, error))
            if left_out.answers is Answers.DISTINCT:
                return BoundedError(summed.interval)
            return SumTruth(summed.interval, self, left_out.low, left_out.high)
        if left_out.answers is Answers.OTHER:
            return BoundedError(lambda confidence: (-inf, inf))
        average = _Average(self, left_out, lambda level: error.interval(value, level), counted)
        return BoundedError(average.interval)

    def least_share(self, number: Any, error: LinearError, miss: Fraction) -> float:
        """The part of so many rows, or people, that is counted at least, but for this chance."""
        return self.least_counted(Amount.of(number, error), miss)

    def least_counted(self, counted: Amount | None, miss: Fraction) -> float:
        """The same; None where the number is not known."""
        if self.missing is None and self.factor is not None and self.lost is None:
            return float(1 / self.factor)
        if counted is None:
            return 0.0
        none, miss = self.missing is None, miss / self.looks
        shares = [float(1 / self.factor)] if none and self.factor is not None else []
        ways = (self.lost is not None) + (not none and self.factor is not None)
        if not ways:
            return max(shares, default=0.0)
        own = counted.lower(miss / (2 * ways))
        if own <= 0:
            return max(shares, default=0.0)
        if self.lost is not None:
            beyond = self.lost.plus(self.missing).upper(miss / (2 * ways))
            shares.append(own / (own + max(beyond, 0.0)))
        if not none and self.factor is not None and self.missing is not None:
            missing = max(self.missing.upper(miss / (2 * ways)), 0.0)
            shares.append(own / (own * float(self.factor) + missing))
        return max(shares)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum or a number of which the caps may have left a part out."""

    effect: CapEffect
    left_out: LeftOut
    counted: Amount

    def interval(self, confidence: Fraction) -> FloatInterval:
        """Where the truth lies.

        An end to which nothing can be added is that of the noise.  The others are reached in two
        ways, what is left out of all and how many times as much there can be, of which the nearer
        holds: each may miss half as often.
        """
        miss = (1 - confidence) / 2
        noise = self.counted.lower(miss), self.counted.upper(miss)
        low, high = self.left_out.low, self.left_out.high
        lower = noise[0] if low >= 0 else min(noise[0], -self._farthest(-low, -1, miss))
        upper = noise[1] if high <= 0 else max(noise[1], self._farthest(high, 1, miss))
        if low >= 0:  # and so is the truth
            lower, upper = max(lower, 0.0), max(upper, 0.0)
        if high <= 0:
            lower, upper = min(lower, 0.0), min(upper, 0.0)
        return lower, upper

    def _farthest(self, most: Fraction, sign: int, miss: Fraction) -> float:
        """How far the truth may be in one direction, in which each row adds at most so much."""
        own = self.counted.times(Fraction(sign))
        effect = self.effect
        missing = None if effect.missing is None else effect.missing.times(most)
        one_sided = self.left_out.low >= 0 or self.left_out.high <= 0
        ways = []
        if effect.lost is not None:
            ways.append(own.plus(effect.lost.times(most)).plus(missing))
        if effect.factor is not None and one_sided and self.left_out.answers is Answers.SUM:
            ways.append(own.times(effect.factor).plus(missing))
        miss /= max(1, len(ways)) * effect.looks
        return min((way.upper(miss) for way in ways), default=inf)


@dataclass(frozen=True, slots=True)
class _Assigned:
    """A number of people of whom some, who are over the cap, were assigned to other groups."""

    noise: Callable[[Fraction], FloatInterval]
    lost: Amount | None
    looks: int

    def interval(self, confidence: Fraction) -> FloatInterval:
        """Where the truth lies: all who are over the cap may be missing in any one group.

        The noise and what is left out each miss half as often.
        """
        miss = 1 - confidence
        if self.lost is None:
            return max(float(self.noise(confidence)[0]), 0.0), inf
        low, high = map(float, self.noise(1 - miss / 2))
        return max(low, 0.0), high + max(self.lost.upper(miss / (2 * self.looks)), 0.0)


@dataclass(frozen=True, slots=True)
class _Average:
    """A mean, a variance or its root, of which the caps may have left values out."""

    effect: CapEffect
    left_out: LeftOut
    noise: Callable[[Fraction], FloatInterval]
    counted: Amount | None

    def interval(self, confidence: Fraction) -> FloatInterval:
        """Where the truth lies: the values that were left out may be anywhere between the bounds.

        Half of the chance to miss is that of the noise, the other that of the share.
        """
        miss = 1 - confidence
        share = self.effect.least_counted(self.counted, miss / 2)
        least, most = self.noise(1 - miss / 2)
        low, high = as_float(self.left_out.low), as_float(self.left_out.high)
        answers = self.left_out.answers
        if answers is Answers.MEAN:
            return share * least + (1 - share) * low, share * most + (1 - share) * high
        power = 2 if answers is Answers.DEVIATION else 1
        largest = (high - low) ** 2
        variances = share * least**power, share * most**power + (1 - share) * largest
        ends = variances[0], max(min(variances[1], largest / 4), min(most**power, largest / 4))
        return ends[0] ** (1 / power), ends[1] ** (1 / power)


@dataclass(frozen=True, eq=False)
class CapEffects:
    """What the caps on rows and on groups leave out of a question."""

    rows: CapEffect | None
    groups: CapEffect | None
    source: PersonRows
    profile: Profile | None
    altered: bool = False
    """Whether the rows that are asked about were told apart by totals that are cut."""
    assigned: CapEffect | None = None
    """What the cap on groups does where groups are found: each person counts in some of theirs."""
    selected: Measure | None = None
    """The number of people that comes with found groups, if it is asked."""

    def of(self, output: Output, left_out: LeftOut) -> CapEffect | None:
        """What the cap does that leaves something out of an output."""
        if output.measure == self.selected:
            return self.assigned
        return self.rows if left_out.cap == "max_rows" else self.groups

    @property
    def conditions(self) -> list[str]:
        """What must hold of all people, so that the truth is where intervals say."""
        of_groups = (self.groups, None if self.selected is None else self.assigned)
        effects = [one for one in (self.rows, *of_groups) if one is not None]
        return list(dict.fromkeys(one.condition for one in effects if one.condition))

    def clips(self, output: Output) -> bool:
        """Whether it is about totals of people's rows, which are cut at the cap."""
        asked = [] if output.node is None else [output.node]
        return self.altered or reads_cut(asked, self.source.clipped)

    def least_share(self, number: Any, error: LinearError, miss: Fraction) -> float:
        """None of what is told apart by totals that are cut is known to be counted rightly."""
        return 0.0

    def _rises(self, output: Output, effect: CapEffect | None) -> bool:
        """Whether it is the sum or the mean of a column of totals, none of which is negative."""
        ends = None
        if isinstance(output.node, Named):
            ends = self.source.clipped.get(output.node.name)
        if self.altered or ends is None or ends[0] < 0 or effect is None:
            return False
        summed = output.aggregate.statistic.adds_up
        return summed or (output.aggregate.statistic is MEAN and not effect.bites)

    def moves_rank(self, output: Output, unit: Unit) -> bool:
        """Whether it is chosen by rank among rows of which caps may leave some out.

        Its interval is then of the rows as they are counted.
        """
        if not output.aggregate.statistic.ranked or not unit.by_person:
            return False
        left_out = output.measure.left_out(output, unit)
        effect = None if left_out is None else self.of(output, left_out)
        return self.clips(output) or (effect is not None and effect.matters)

    def truth(
        self, output: Output, unit: Unit, value: Any, error: Any, counted: Amount | None
    ) -> tuple[Uncertainty | None, str]:
        """Where the truth lies, if more than noise stands before it, and on which condition."""
        if output.aggregate.statistic.ranked or not unit.by_person or output.measure.free:
            return None, ""
        left_out = output.measure.left_out(output, unit)
        effect = None if left_out is None else self.of(output, left_out)
        if self.clips(output):
            counts = output.aggregate.statistic.counts
            clipped = _Clipped(self._rises(output, effect), counts, value, error)
            if counts:
                return SumTruth(clipped.interval, self, Fraction(0), Fraction(1)), ""
            return BoundedError(clipped.interval), ""
        if left_out is None or effect is None:
            return None, ""
        truth = effect.truth(left_out, value, error, counted)
        return truth, effect.condition if truth is not None else ""


@dataclass(frozen=True, slots=True)
class _Clipped:
    """An answer about totals that are cut: the sum or the mean of such is higher in truth."""

    rises: bool
    counts: bool
    value: Any
    error: Any

    def interval(self, confidence: Fraction) -> FloatInterval:
        """Where the truth lies."""
        if self.rises:
            return max(self.error.interval(self.value, confidence)[0], 0.0), inf
        return 0.0 if self.counts else -inf, inf


def cap_effects(
    question: Question, unit: Unit, profile: Profile | None, selected: Measure | None = None
) -> CapEffects:
    """What the caps leave out of a question whose people are weighed as ``unit`` says.

    ``selected`` is what is measured by finding groups, where no more than that is paid for.
    """
    source = person_rows(question.source, question.declared)
    if not unit.by_person:
        return CapEffects(None, None, source, None)
    measures = [one for one in question.measures if not one.free and one != selected]
    needed = {measure.cap_name for measure in measures}
    rows = None
    if "max_rows" in needed:
        rows = _rows_effect(unit, source, profile, question.declared.unit)
    groups = assigned = None
    if "max_groups" in needed and (unit.group_share != 1 or source.cut is not None):
        groups = _groups_effect(question, unit, source, profile)
    if question.selects_keys:
        assigned = _groups_effect(question, unit, source, profile, assigned=True)
    told_apart = [*question.where, *(grouping.node for _, grouping in question.keys)]
    altered = source.altered or reads_cut(told_apart, source.clipped)
    return CapEffects(rows, groups, source, profile, altered, assigned, selected)


def _rows_effect(unit: Unit, source: PersonRows, profile: Profile | None, whose: str) -> CapEffect:
    weights, ceiling = unit.row_weights, source.ceiling
    if not source.profiled or profile is None:
        # Without a profile nobody knows how many rows have no id.
        unknown = ceiling is not None and not source.identified
        condition = f"if every row has {with_article(whose)}" if unknown else ""
        multiplied, cut = not source.profiled, _cut(source, ceiling)
        return CapEffect(weights, ceiling, condition=condition, multiplied=multiplied, cut=cut)
    sizes = profile.rows

    def counted(size: int) -> Fraction:
        held = size if source.cut is None else min(size, source.cut)
        return held * weights.of(held)

    def lost(size: int) -> Fraction:
        return size - counted(size)

    largest = sizes.largest if ceiling is None else ceiling
    missing = None if source.identified else profile.missing
    return CapEffect(
        weights,
        largest,
        None if largest is None else sizes.lost(lost, largest),
        missing,
        _condition(largest, whose) if ceiling is None else "",
        LARGEST_SIZES if ceiling is None else 1,
        kept=_kept_share(sizes, counted, ceiling, missing),
        cut=_cut(source, largest),
    )


def _condition(largest: int | None, whose: str) -> str:
    """That nobody has more rows than this; nothing where no end rests on it."""
    if largest is None:
        return ""
    return f"if no {whose} has more than {plural(largest, 'row')}"


def _cut(source: PersonRows, largest: int | None) -> int | None:
    """Of whom a join leaves rows out: of nobody, if nobody can have so many rows."""
    return None if largest is not None and largest <= (source.cut or 0) else source.cut


@dataclass(frozen=True, slots=True)
class KeptShare:
    """The share of all rows that is counted: at least and at most, at 95%, and about.

    About how much is not known where people are there whose size is not seen.
    """

    least: float
    most: float
    about: float | None

    def __str__(self) -> str:
        ends = f"{_percent(self.least, down=True)} to {_percent(self.most)}"
        if self.about is None:
            return f"{ends} of all rows are counted"
        return f"about {_percent(self.about)} of all rows are counted ({ends})"


def _kept_share(
    sizes: SizeHistogram,
    counted: Callable[[int], Fraction],
    ceiling: int | None,
    missing: Amount | None,
) -> KeptShare | None:
    """Which share of all rows is counted; None where nothing is known of it."""
    largest = sizes.largest if ceiling is None else ceiling
    if largest is None:
        return None
    miss = Fraction(5, 100) / (4 * (1 if ceiling is not None else LARGEST_SIZES))

    def rest(size: int) -> Fraction:
        return size - counted(size)

    own = sizes.total(counted, largest, least=True), sizes.lost(counted, largest)
    left_out = sizes.total(rest, largest, least=True), sizes.lost(rest, largest)
    beyond = [one.plus(missing) for one in left_out]
    if own[0].lower(miss) <= 0:
        return None
    most_beyond, least_beyond = max(beyond[1].upper(miss), 0.0), max(beyond[0].lower(miss), 0.0)
    least = own[0].lower(miss) / (own[0].lower(miss) + most_beyond)
    most = own[1].upper(miss) / (own[1].upper(miss) + least_beyond)
    about = None
    if not sizes.unplaced:
        seen = sizes.total(counted, largest), sizes.total(rest, largest)
        middle = [
            float(low.value + high.value) / 2
            for low, high in zip((own[0], left_out[0]), seen, strict=True)
        ]
        middle[1] += 0.0 if missing is None else float(missing.value)
        about = min(max(middle[0] / max(sum(middle), middle[0]), least), most)
    return KeptShare(least, most, about)


def _groups_effect(
    question: Question,
    unit: Unit,
    source: PersonRows,
    profile: Profile | None,
    *,
    assigned: bool = False,
) -> CapEffect:
    """Of people by groups: a person is in no more groups than rows, values or cells allow.

    The groups of a column say something of those by the column itself alone: a row that is in none
    of them may be in a bin, or have a value of what is computed from the column.
    """
    weights, declared, histogram = unit.group_weights, question.declared, None
    nodes = [grouping.node for _, grouping in question.keys]
    own = bool(nodes) and isinstance(question.source, Scan) and source.profiled
    own = own and all(isinstance(node, Named) for node in nodes)
    own = own and not any(isinstance(one, BinGrouping) for _, one in question.keys)
    ceilings = [source.ceiling]
    if own and declared.at_most_groups is not None:
        ceilings.append(declared.at_most_groups ** len(nodes))
    if own and profile is not None and len(nodes) == 1:
        histogram = profile.groups.get(min(names_in(nodes)))
    known = [one for one in (*ceilings, question.cells) if one is not None]
    most = min(known, default=None)
    if profile is None or not source.profiled:
        multiplied, cut = not source.profiled and most is None, _cut(source, source.ceiling)
        return CapEffect(weights, most, multiplied=multiplied, cut=cut, assigned=assigned)
    sizes = histogram or profile.rows

    def lost(size: int) -> Fraction:
        if source.cut is not None and size > source.cut:
            return Fraction(1)
        if assigned:
            return Fraction(size > weights.cap)
        return 1 - weights.of(size if most is None else min(size, most))

    # Nobody is missing more than once, however large; somebody with more than the ceiling of
    # another kind is in as many groups as that.
    ends = [*ceilings, question.cells] if histogram else [source.ceiling]
    stated = [one for one in ends if one is not None]
    seen = sizes.lost(lost, min(stated, default=max(most or 0, SIZES[-1] + 1)))
    cut = _cut(source, source.ceiling)
    return CapEffect(weights, most, seen, cut=cut, assigned=assigned)


# ---------------------------------------------------------------------- what is said of it


def cap_notes(effects: CapEffects, question: Question, unit: Unit, front: Front) -> list[str]:
    """What the caps leave out, with direction and size: one sentence for all whom it concerns."""
    notes, whose = [], question.declared.unit
    alone = isinstance(question.source, Scan)
    concerned: dict[CapEffect, tuple[CapName, dict[str, None], dict[str, None]]] = {}
    clipped: dict[str, None] = {}
    for output in question.outputs:
        shown = dict.fromkeys(_shown(question, output.name))
        if effects.clips(output) and not output.measure.free and unit.by_person:
            clipped |= shown
        left_out = output.measure.left_out(output, unit)
        effect = None if left_out is None else effects.of(output, left_out)
        if left_out is not None and effect is not None and effect.bites:
            added = left_out.answers in (Answers.SUM, Answers.DISTINCT)
            _, rising, others = concerned.setdefault(effect, (left_out.cap, {}, {}))
            for column in shown:  # what is computed from a sum need not rise with it
                rises = added and left_out.low >= 0 and _is_shown(question, output.name, column)
                (rising if rises else others)[column] = None
    for effect, (cap, rising, others) in concerned.items():
        said = _cap_text(cap, effect, unit, whose, front, alone=alone)
        if effect.kept is not None and question.keys:
            said += " The rows left out may be in any group."
        notes.append(f"{', '.join(rising | others)}: {said} {_direction(rising, others)}")
    ranked = [one for one in question.outputs if one.level and effects.moves_rank(one, unit)]
    for one in ranked:
        text, where = _rank_text(one, effects, unit), _shown(question, one.name)
        notes += [f"{', '.join(where)}: {text}"] if text and where else []
    if clipped:
        truth = (
            "The truth may be higher or lower." if effects.altered else "True totals are higher."
        )
        notes.append(
            f"{', '.join(clipped)}: of {with_article(whose)} with more rows than the cap, no more "
            f"are added up, or joined, before this is computed. {truth}"
        )
    if effects.rows is not None:
        notes += _missing_notes(effects, whose)
    if effects.profile is not None and effects.rows is not None and effects.rows.looks > 1:
        notes += _likely_notes(effects.rows.condition, effects.profile)
    return notes


def _direction(rising: Collection[str], others: Collection[str]) -> str:
    """On which side the truth is."""
    if not others:
        return "True numbers are higher."
    either = "may be higher or lower"
    if not rising:
        return f"The truth {either}."
    return f"The truth of {', '.join(rising)} is higher, that of {', '.join(others)} {either}."


def _rank_text(output: Output, effects: CapEffects, unit: Unit) -> str:
    """What caps do to a quantile: of which of the counted rows the truth may be a quantile.

    Where the share s of all rows is counted at least, s·F ≤ G ≤ s·F + 1 - s for the shares F and G
    of the counted rows and of all rows up to any value.
    """
    own = "the interval is for the rows as the caps count them"
    left_out = output.measure.left_out(output, unit)
    effect = None if left_out is None else effects.of(output, left_out)
    factor = None if effect is None or effects.clips(output) else effect.factor
    if factor is None or output.level is None:
        return f"{own}; for all rows none is known."
    low = max(floor(100 * ((output.level - 1) * factor + 1)), 0)
    high = min(ceil(100 * output.level * factor), 100)
    if factor == 1:
        return ""
    if (low, high) == (0, 100):
        return f"{own}; for all rows none is known."
    share = f"{floor(100 / factor)}%"
    taken = "".join(f" {one}" for one in effects.conditions)
    return (
        f"{own}. Each counts for {share} of one at least{taken}, so the quantile of all rows is "
        f"between the {low}% and the {high}% quantile of the counted rows."
    )


def _shown(question: Question, name: str) -> list[str]:
    """The columns of the answer that an output is, or is a part of."""
    columns = question.after.columns
    after = question.after
    return [one for one, node in columns if name in after.names([node])] if columns else [name]


def _is_shown(question: Question, name: str, column: str) -> bool:
    """Whether a column of the answer is an output as it was released."""
    columns = question.after.columns
    return not columns or (column, Named(name)) in columns


def _cap_text(
    cap: CapName, effect: CapEffect, unit: Unit, whose: str, front: Front, *, alone: bool
) -> str:
    """What a cap does to an answer, and how much is counted; ``alone``: about a single table."""
    person = with_article(whose)
    if cap == "max_groups":
        said, many = [], plural(unit.group_cap, "group")
        if effect.assigned:
            said = [f"{person} in more than {many} counts in {unit.group_cap:,} that a hash chose."]
        elif unit.group_share != 1:
            said = [f"{person} in more than {many} counts for {unit.group_cap:,} in all of them."]
        if effect.cut is not None:
            said.append(
                f"The join may leave rows out of {person} with more than {effect.cut:,} on either "
                "side, who is then missing where none is left."
            )
        return " ".join(said)
    many = plural(unit.row_cap, "row")
    counts = f"{person} with more than {many} counts for {unit.row_cap:,}"
    in_group = unit.max_rows_per_group
    if unit.norm is Norm.L2 and in_group is not None and in_group < unit.row_cap:
        many = plural(in_group, "row")
        counts = f"{person} with more than {many} in a group may count for less"
    if effect.kept is not None:
        return f"{effect.kept}: {counts}."
    if effect.largest is not None:
        has = "is taken to have" if effect.condition else "has"
        return f"{counts}, and none {has} more than {effect.largest:,}."
    if effect.multiplied:
        why = (
            "A profile is of the first table"
            if alone
            else (f"The join can give {person} more rows than the table has")
        )
        return f"{counts}. {why}, so how many are left out is not known."
    remedy = ASK_FOR_A_PROFILE if effect.missing is None else ASK_FOR_ANOTHER
    return f"{counts}. How many rows that leaves out is not known. {remedy.text(front)}"


def _missing_notes(effects: CapEffects, whose: str) -> list[str]:
    person = with_article(whose)
    if effects.rows is None:
        return []
    if effects.source.summarized:
        return [
            f"Rows without {person} make no row in the subquery; plain SQL would make one of all "
            "of them."
        ]
    if effects.source.identified:
        return []
    missing = effects.rows.missing
    if missing is None:
        if effects.profile is not None and not effects.rows.multiplied:
            return []
        likely = f"likely: {effects.rows.condition}. " if effects.rows.condition else ""
        return [f"{likely}Rows without {person} are not counted."]
    ends = (max(0.0, missing.lower(_TAIL)), max(0.0, missing.upper(_TAIL)))
    low, high = (round(end) for end in ends)
    about = max(0, round(missing.value))
    return [f"Rows without {person} are not counted: about {about:,} ({low:,} to {high:,})."]


def _likely_notes(condition: str, profile: Profile) -> list[str]:
    if not condition:
        return []
    return [f"likely: {condition}. {profile.hidden_text}. A declared ceiling makes it sure."]


def _percent(share: float, *, down: bool = False) -> str:
    percent = 100 * share
    if 0.1 < percent < 99.9:
        digits = 0 if 1 <= percent <= 99 else 1
        scale = 10**digits
        rounded = floor(percent * scale) / scale if down else round(percent, digits)
        return f"{rounded:.{digits}f}%"
    return f"{percent:.2g}%" if percent <= 0.1 else "100%" if not down else "99.9%"


# ---------------------------------------------------------------------- which caps are best


@dataclass(frozen=True, slots=True)
class SuggestedCaps:
    """Caps at which noise and what the caps leave out are smallest together, for a price."""

    epsilon: Fraction
    max_rows: int
    max_groups: int | None = None
    max_rows_per_group: int | None = None
    kept: KeptShare | None = None
    condition: str = ""

    @property
    def values(self) -> dict[str, int]:
        """The caps by their names."""
        names = ("max_groups", "max_rows", "max_rows_per_group")
        caps = {name: getattr(self, name) for name in names}
        return {name: cap for name, cap in caps.items() if cap is not None}

    @property
    def lines(self) -> str:
        """What to write into the policy."""
        return "\n".join(f"{name} = {cap}" for name, cap in self.values.items())

    def __str__(self) -> str:
        kept = f"; {self.kept} with them" if self.kept is not None else ""
        kept += f"{'' if kept else ';'} {self.condition}" if self.condition else ""
        return f"{self.lines}\n# best for questions at ε = {float(self.epsilon):g}{kept}"


def suggest_caps(profile: Profile, schema: Schema, epsilon: object) -> SuggestedCaps:
    """The caps that suit questions at this ε, by what the profile shows: free.

    Of the caps that keep most rows and leave out little beside the noise, that with the narrowest
    interval of a number of rows, or of people, in a group.  Proof: docs/proofs/profile.md
    """
    level = read_epsilon(epsilon)
    sizes, ceiling = profile.rows, schema.at_most_rows
    if sizes.seen == 0:
        raise QueryError(
            "no number of rows stands out of the noise. There are too few people for what the "
            "profile cost. Use caps that you know, or pay for another profile."
        )
    largest = sizes.largest_but(_NOISE_FITTED) if ceiling is None else ceiling
    if largest is None:
        raise QueryError(
            "the profile does not say how many people have more rows than those that it sees. "
            "Caps that suit them alone may leave most rows out.",
            ASK_FOR_ANOTHER,
            "Or declare at_most_rows.",
        )
    rows = _best_cap(sizes, schema, level, largest, lambda cap: Weights(Norm.L1, SHARE, cap))
    weights = Weights(Norm.L1, SHARE, rows)
    groups = [
        _best_cap(
            one,
            schema,
            level,
            _most_groups(schema, name, largest),
            lambda cap: Weights(Norm.L1, SHARE, cap, each_group=True),
            people=True,
        )
        for name, one in profile.groups.items()
        if one.seen
    ]
    fullest = [_covering(one) for one in profile.fullest.values() if one.seen]
    return SuggestedCaps(
        epsilon=level,
        max_rows=rows,
        max_groups=max(groups, default=None),
        max_rows_per_group=min(max(fullest), rows) if fullest else None,
        kept=_kept_share(sizes, lambda size: size * weights.of(size), ceiling, profile.missing),
        condition=_condition(sizes.largest, schema.unit) if ceiling is None else "",
    )


def _most_groups(schema: Schema, name: str, largest: int) -> int:
    """In how many groups somebody is at most who has no more than so many rows."""
    column = schema.columns[name]
    listed = len(column.values) if isinstance(column, CategoryColumn) else largest
    return min(listed, schema.at_most_groups or largest, largest)


def _best_cap(
    sizes: SizeHistogram,
    schema: Schema,
    level: Fraction,
    largest: int,
    weighed: Callable[[int], Weights],
    *,
    people: bool = False,
) -> int:
    """The cap with the narrowest interval, of those that keep most and leave out little."""
    candidates = [size for size in SIZES if size < largest]
    candidates = [cap for cap in (*candidates, largest) if cap <= MOST_ROWS] or [MOST_ROWS]
    moved = moved_by_unit(schema)

    whole = sizes.total(Fraction, largest).value

    def error(cap: int) -> tuple[float, float]:
        """How much too much the cap leaves out, and the width of an interval."""
        weights = weighed(cap)

        def lost(size: int) -> Fraction:
            rest = 1 - weights.of(size)
            return rest if people else size * rest

        def held(size: int) -> Fraction:
            return size * weights.of(size)

        if sizes.total(held, largest).value < _LEAST_KEPT * whole:
            return inf, 0.0
        margin = float(Laplace(scale=moved * cap / level).accuracy(CONFIDENCE))
        aside = max(0.0, sizes.lost(lost, largest).upper(_TAIL))
        return float(aside > _MOST_ASIDE * margin), 2 * margin + aside

    errors = {cap: error(cap) for cap in candidates}
    best = min(candidates, key=lambda cap: errors[cap])
    return best if errors[best][0] < inf else candidates[-1]


@dataclass(frozen=True, slots=True)
class BetterCap:
    """A cap on rows at which noise and what is left out would be smaller together."""

    cap: int
    width: float
    instead: float

    def text(self, names: Sequence[str], declared: int) -> str:
        """The advice."""
        where = "for this question" if self.cap < declared else "declared for the table"
        return (
            f"{', '.join(names)}: with max_rows = {self.cap} {where}, the whole interval would be "
            f"{_times(self.instead / self.width)} narrower."
        )


def _times(factor: float) -> str:
    """How many times something is, at least.

    >>> _times(14.9), _times(1.29)
    ('14 times', '1.2 times')
    """
    return f"{floor(factor):,} times" if factor >= 10 else f"{floor(10 * factor) / 10:g} times"


def better_cap(
    effect: CapEffect, margin: float, profile: Profile, schema: Schema
) -> BetterCap | None:
    """The cap on rows with the narrowest interval for a price, if that is narrower by a fifth.

    Noise is in proportion to the cap; ``margin`` is that of a number of rows at the present one.
    """
    ceiling, now = schema.at_most_rows, effect.weights
    largest = profile.rows.largest if ceiling is None else ceiling
    if now.norm is not Norm.L1 or largest is None:
        return None

    def width(cap: int) -> float:
        weights = replace(now, cap=cap)

        def lost(size: int) -> Fraction:
            return size * (1 - weights.of(size))

        aside = max(0.0, profile.rows.lost(lost, largest).upper(_TAIL))
        return 2 * margin * cap / now.cap + aside

    candidates = {size for size in (*SIZES, largest) if size <= min(largest, MOST_ROWS)}
    widths = {cap: width(cap) for cap in candidates}
    best, instead = min(candidates, key=lambda cap: (widths[cap], cap)), width(now.cap)
    if widths[best] > _WORTH * instead:
        return None
    return BetterCap(best, widths[best], instead)


def _covering(sizes: SizeHistogram) -> int:
    """The least number of rows that most people stay within, of those that are seen."""
    counts = [max(0, count) for count in sizes.counts[: sizes.seen]]
    reached = enumerate(accumulate(counts))
    place = next(place for place, people in reached if people >= _LEAST_KEPT * sum(counts))
    return SIZES[min(place, len(SIZES) - 1)]
