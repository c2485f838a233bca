"""The first groups by a released number: chosen before anything is measured, or cut afterwards.

``ORDER BY n DESC LIMIT 10`` can be answered in two ways.  All groups get noise, and those with the
largest noisy numbers are shown.  Or ten are chosen by a mechanism whose error grows with ten and
not with what one person moves in all groups together, and get fresh noise.  Which one is better
follows from public facts.

Where groups are shown because of their noise, it helped them: their intervals are widened so that
of all that are shown as many hold as they say.  Why: docs/decisions/first_groups.md
Proofs: docs/proofs/top-k.md
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, inf, log
from typing import Any

from discreet.errors import Remedy
from discreet.exact import Grid, round_up
from discreet.measures.measure import CONFIDENCE, Measure, Output, Unit
from discreet.measures.registry import MAX, MEAN, MIN
from discreet.measures.scores import score_of
from discreet.mechanisms.top_k import TopK
from discreet.noise import BitSource
from discreet.plan.expressions import Calculation, Named, Node, walk
from discreet.privacy.estimates import Estimate, FloatInterval, LinearError, RankError
from discreet.privacy.events import Event
from discreet.privacy.losses import PureDP
from discreet.privacy.number_text import margin_text, plural
from discreet.privacy.sensitivity import Sensitive, Sensitivity
from discreet.privacy.uncertainty import (
    BoundedError,
    MeasuredRankError,
    RealNumber,
    Uncertainty,
    combined_margin,
)
from discreet.question.check import Question
from discreet.question.groupings import PrivateGrouping

MOST_CHOSEN = 1_000
"""Of how many groups the first are chosen one by one."""
_MOST_FLIPPED = 200
"""Of how many by permute-and-flip, which takes 0.2 s for a draw among 10^6 groups."""
_UNLISTED = 1_000
"""How many groups that nobody listed are taken to be found: the logarithm of it matters."""
_STEP_BITS = 13  # of the largest move of a score: rounding to such steps costs 2^-12 of the price
_FINEST, _COARSEST = Fraction(1, 1 << 40), 1 << 40  # the scales that a choice can have, in steps

_LARGE_GROUPS = Remedy(
    python="Keep groups only whose released count is several times its ±.",
    sql="Keep groups only whose count is several times its ±: HAVING COUNT(*) > 100 if that is 30.",
)

Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TopGroups:
    """The groups with the largest scores that a question asks for, of so many candidates."""

    many: int
    output: Output
    """What they are ordered by."""
    score: Measure
    candidates: int | None
    """None where they have to be found."""

    @property
    def compared(self) -> int:
        """The number of candidates, or a usual one."""
        return _UNLISTED + self.many if self.candidates is None else self.candidates

    def unit(self, unit: Unit) -> Unit:
        """Whom the noise of the chosen groups is made for: there are no other groups then."""
        return replace(unit, cells=self.many)

    def choice(
        self, unit: Unit, epsilon: Fraction, rho: Fraction | None = None, *, flips: bool = False
    ) -> "PricedChoice | None":
        """The mechanism for an ε of all draws together; None where its scale is out of reach."""
        alone = unit.in_one_group
        moved = self.score.sensitivity(alone).l1
        if not moved or epsilon <= 0:
            return None
        grid = Grid(max(0, moved.bit_length() - _STEP_BITS))
        sides = 2 if unit.replaced else 1
        scale = sides * self.many * round_up(Fraction(moved), grid.step) / epsilon
        if not _FINEST <= scale / grid.step <= _COARSEST:
            return None
        monotone = not unit.replaced
        mechanism = TopK(count=self.many, scale=scale, monotone=monotone, grid=grid, flips=flips)
        return PricedChoice(self, mechanism, alone, Sensitivity(linf=Fraction(moved)), epsilon, rho)


def top_groups(question: Question) -> TopGroups | None:
    """The first groups by a count, or by a sum of what is not negative, if those are asked for.

    HAVING keeps what all groups are compared with, so that none are chosen before.
    """
    after = question.after
    if after.limit is None or after.having is not None or not after.order or not question.keys:
        return None
    if question.strategy is not None or after.windows:  # all of the groups are measured
        return None
    node, falling = after.order[0]
    many = after.offset + after.limit
    if not falling or not isinstance(node, Named) or many > MOST_CHOSEN:
        return None
    if question.cells is not None and question.cells <= many:
        return None
    output = next((one for one in question.outputs if one.name == node.name), None)
    score = None if output is None else score_of(output, question.rules)
    if output is None or score is None or output.measure.free:
        return None
    return TopGroups(many, output, score, question.cells)


@dataclass(frozen=True, slots=True)
class PricedChoice:
    """The mechanism that chooses the first groups, and its part of the price."""

    top: TopGroups
    mechanism: TopK
    unit: Unit
    """As one group alone sees it."""
    sensitivity: Sensitivity
    epsilon: Fraction
    """Of all draws together."""
    rho: Fraction | None = None
    """Its ρ, where the question is priced in ρ."""

    @property
    def event(self) -> Event:
        """What the ledger writes down."""
        return self.mechanism.event(self.sensitivity, PureDP(epsilon=self.epsilon))

    @property
    def gap(self) -> float:
        """By how much a group left out may exceed one that is chosen, at 95%."""
        steps = self.mechanism.accuracy(CONFIDENCE, candidates=self.top.compared)
        return float(steps * self.top.score.step(self.unit))

    @property
    def name(self) -> str:
        """The mechanism, and the scale of its noise in the answer's own unit."""
        scale = float(self.mechanism.scale * self.top.score.step(self.unit))
        flips = ", flips=True" if self.mechanism.flips else ""
        return f"TopK(count={self.top.many}, scale={scale:.6g}{flips})"

    @property
    def flipped(self) -> "PricedChoice":
        """The same for the same ε by permute-and-flip, if that takes no longer than a minute."""
        if self.rho is not None or self.top.many > _MOST_FLIPPED:
            return self
        return replace(self, mechanism=replace(self.mechanism, flips=True))

    def chosen(self, scores: Sensitive[Any], source: BitSource) -> list[int]:
        """The places of the groups that are chosen, in public order: how they came is not kept."""
        return sorted(self.mechanism(scores, source=source))


def public_cells(question: Question, places: Iterable[int]) -> Cells:
    """Public groups by their places among all of them, as an engine is given groups."""
    sizes = [one.size for _, one in question.keys if not isinstance(one, PrivateGrouping)]

    def codes(place: int) -> tuple[str, ...]:
        found = []
        for size in reversed(sizes):
            place, code = divmod(place, size)
            found.append(str(code))
        return tuple(reversed(found))

    return tuple(map(codes, places))


def noised_gap(top: TopGroups, error: Uncertainty | RankError) -> float:
    """The same where all groups get noise and the largest are shown.

    If a group left out has more than one that is shown, then one of the first in truth has been
    overtaken by one that is not among them.  The union bound is over these pairs.
    """
    if not isinstance(error, LinearError):
        return inf
    terms = error.independent
    pairs = top.many * (top.compared - top.many)
    return float(combined_margin([*terms, *terms], 1 - 2 * (1 - CONFIDENCE) / pairs))


# ---------------------------------------------------------------------- what is shown


@dataclass(frozen=True, eq=False)
class ShownError:
    """The error of a number that is shown because of its noise, among so many that are not.

    Of k intervals that are shown of d, each at the level 1 - α·k/d, at most the share α fails on
    average (Benjamini and Yekutieli 2005).
    """

    error: Uncertainty
    part: Fraction

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """Bounds at the higher level."""
        return self.error.interval(value, 1 - (1 - confidence) * self.part)


def deciding_measures(question: Question) -> frozenset[Measure]:
    """The measures whose noise decides which groups are shown."""
    after = question.after
    deciding = [] if after.having is None else [after.having]
    if after.limit is not None or after.offset:
        deciding += [node for node, _ in after.order]
    return _measures(question, deciding)


def shown_by_noise(question: Question) -> list[str]:
    """The columns of the answer whose own noise decides which groups are shown."""
    after, deciding = question.after, deciding_measures(question)
    columns = after.columns or tuple((one.name, Named(one.name)) for one in question.outputs)
    return [name for name, node in columns if deciding & _measures(question, [node])]


def _measures(question: Question, nodes: Sequence[Node]) -> frozenset[Measure]:
    """What such expressions are made of that has intervals: least and largest values have none."""
    names = question.after.names(nodes)
    return frozenset(
        one.measure
        for one in question.outputs
        if one.name in names and one.aggregate.statistic not in (MAX, MIN)
    )


def widened(estimate: Estimate, part: Fraction) -> Estimate:
    """The estimate of a group that is shown because of its noise, as this part of all groups."""
    error = estimate.error
    if part == 1 or isinstance(error, RankError) or estimate.exact:
        return estimate
    truth = None if estimate.truth is None else ShownError(estimate.truth, part)
    shown = ShownError(error, part)
    if isinstance(error, MeasuredRankError | BoundedError):  # what else it says is as it was
        bounds = partial(shown.interval, estimate.value)
        return replace(estimate, error=replace(error, bounds=bounds), truth=truth)
    return replace(estimate, error=shown, truth=truth)


def shown_part(question: Question, shown: int, released: int) -> Fraction:
    """Which part of the chance to miss each of the shown groups has, of those that are released.

    Groups that are measured together have one noise, and so has a total beside each group.  Of such
    intervals the share that fails stays what it is at 1 - α·k/(d·Σ 1/j), whatever the dependence;
    Σ 1/j for j up to d is below 1 + ln d.
    """
    if shown >= released:
        return Fraction(1)
    apart = question.strategy is None and not question.after.windows
    dependent = 1 if apart else ceil(1 + log(released))
    return Fraction(shown, released * dependent)


def expected_part(question: Question, released: int | None) -> Fraction:
    """The same, where it is known before how many are shown."""
    after = question.after
    if after.having is not None or after.limit is None or released is None:
        return Fraction(1)
    return shown_part(question, max(1, min(after.limit, released - after.offset)), released)


# ---------------------------------------------------------------------- notes


def first_notes(question: Question, choice: PricedChoice | None, gap: float | None) -> list[str]:
    """How the groups that are shown were chosen, and by how much that may be wrong.

    ``gap`` is that of the first groups by their noisy numbers, where all are released.
    """
    notes = []
    if choice is not None:
        top = choice.top
        among = "those found" if top.candidates is None else plural(top.candidates, "group")
        first = "first of" if top.many == 1 else f"first {top.many:,} of"
        chosen = "is" if top.many == 1 else "are"
        notes.append(
            f"{top.output.name}: the {first} {among} {chosen} chosen privately, and then measured "
            f"with fresh noise. {_gap_text(question, top, choice.gap, 'chosen')}"
        )
    columns = shown_by_noise(question)
    released = None if choice is None else choice.top.many
    if columns and (choice is None or expected_part(question, released) < 1):
        text = (
            f"{', '.join(columns)}: noisy numbers decide which groups are shown. The intervals are "
            "wider for that, so that they hold for the groups that are shown."
        )
        asked = top_groups(question)
        if choice is None and gap is not None and asked is not None:
            text += f" {_gap_text(question, asked, gap, 'shown')}"
        notes.append(text)
    notes += _mean_notes(question)
    return notes


def _gap_text(question: Question, top: TopGroups, gap: float, how: str) -> str:
    """By how much the choice may be wrong, and of what and of how many groups that is said."""
    left_out, chosen = "A group that is left out", f"one that is {how}"
    if question.after.offset:
        left_out, chosen = f"A group that is not among the first {top.many:,}", "one that is"
    sure = "95%" if top.candidates is not None else f"95%, if {_UNLISTED:,} are found or fewer"
    said = f"{left_out} has at most about {margin_text(gap)} more than {chosen} ({sure})"
    if question.schema.by_person:
        return f"{said}, by what is counted: where caps bite, others may be first in truth."
    return f"{said}."


def _mean_notes(question: Question) -> list[str]:
    """That small groups lead by chance where means or quotients decide which are first."""
    after = question.after
    if after.limit is None or not after.order or not question.keys:
        return []
    node, _ = after.order[0]
    names = after.names([node])
    means = [one.name for one in question.outputs if one.aggregate.statistic is MEAN]
    divided = any(isinstance(one, Calculation) and one.operator == "/" for one in walk(node))
    known = set() if after.having is None else after.names([after.having])
    sizes = {one.name for one in question.outputs if one.aggregate.statistic.sizes}
    if known & sizes or not (divided or names & set(means)):
        return []
    return [
        f"{', '.join(sorted(names))}: in small groups noise moves it most, so that they come first "
        f"by chance. {_LARGE_GROUPS.text(question.query.front)}"
    ]
