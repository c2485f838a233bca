"""What a question costs and how exact its answer is, from public facts alone.

Each block gets a share of ε and the mechanism with the lowest error at that price.  By default
the shares give every count the same error relative to what one person can add to it.

Proof that all blocks together cost what was asked: docs/proofs/delta.md
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from discreet.errors import QueryError
from discreet.mechanisms.base_measure import round_numbers, toward_middle
from discreet.mechanisms.extreme import NearMaximum
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.key_selection import KeySelection, best_selection
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.quantile import Quantiles
from discreet.plan.blocks import Block, Extreme, People, Ranks, Rows, Size
from discreet.plan.check import Question
from discreet.plan.sensitivity import cap, sensitivity, squared_l2
from discreet.privacy.events import (
    ApproximateEvent,
    ComposedEvent,
    DiscreteLaplaceEvent,
    Event,
    PureEvent,
)
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.sensitivity import Sensitivity

_CONFIDENCE = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Exact:
    """No noise: the number is the same on all neighboring tables."""


Mechanism = Laplace | Gaussian | Quantiles | NearMaximum | Exact


@dataclass(frozen=True, slots=True)
class Priced:
    """A block, its share of ε, how far one unit moves it, and the noise that makes it private."""

    block: Block
    epsilon: Fraction
    sensitivity: int
    mechanism: Mechanism
    delta: Fraction = Fraction(0)
    instead: Laplace | Gaussian | None = None
    """The noise that was not chosen, because its error at this price is larger."""

    @property
    def event(self) -> Event:
        """What the ledger writes down."""
        if self.delta:
            return ApproximateEvent(epsilon=self.epsilon, delta=self.delta)
        if isinstance(self.mechanism, Laplace):
            return DiscreteLaplaceEvent(scale=self.mechanism.scale, sensitivity=self.sensitivity)
        return PureEvent(epsilon=self.epsilon)


@dataclass(frozen=True, slots=True)
class Selection:
    """How private keys are found, and the block that their released counts answer, if any."""

    epsilon: Fraction
    mechanism: KeySelection
    answers: Block | None

    @property
    def event(self) -> Event:
        """What the ledger writes down."""
        loss = self.mechanism.loss()
        return ApproximateEvent(epsilon=loss.epsilon, delta=loss.delta)


@dataclass(frozen=True, slots=True)
class Price:
    """The whole of what is paid."""

    epsilon: Fraction
    delta: Fraction
    blocks: tuple[Priced, ...]
    selection: Selection | None = None

    @property
    def event(self) -> Event:
        """What the ledger writes down for the whole question."""
        events = [priced.event for priced in self.blocks]
        if self.selection is not None:
            events.insert(0, self.selection.event)
        return events[0] if len(events) == 1 else ComposedEvent(events=tuple(events))

    def of(self, block: Block) -> Priced | Selection:
        """What a block was priced as."""
        if self.selection is not None and self.selection.answers == block:
            return self.selection
        for priced in self.blocks:  # most often the same one, which is found at once
            if priced.block is block:
                return priced
        return next(priced for priced in self.blocks if priced.block == block)


def price(
    question: Question,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    weights: Mapping[Block, Fraction] | None = None,
) -> Price:
    """The mechanisms that answer the question for this ε and δ.

    What is public is answered for nothing: the others share all of ε, and without any it is 0.
    """
    answers = _selected_block(question)
    blocks = [block for block in question.blocks if block != answers]
    shares = {
        block: _weight(block, question, weights) for block in blocks if not isinstance(block, Size)
    }
    total = sum(shares.values(), Fraction(0))
    selection = None
    if question.selects_keys:
        _need_delta(delta)
        own = (weights or {}).get(answers) if answers is not None else None
        share = own if own is not None else Fraction(question.group_cap)
        total += share
        selection = _selection(question, epsilon * share / total, delta, answers)
    free = Fraction(0) if selection is not None else delta
    levels: dict[Block, Fraction] = {
        block: epsilon * share / total for block, share in shares.items()
    }
    priced = _each_priced(question, levels, free)
    if Size() in blocks:
        priced = (*priced, _priced(Size(), question, Fraction(0), Fraction(0)))
    if not levels and selection is None:
        return Price(Fraction(0), Fraction(0), priced)
    spent = delta if selection is not None else sum((one.delta for one in priced), Fraction(0))
    return Price(epsilon, spent, priced, selection)


def price_alone(block: Block, question: Question, epsilon: Fraction, delta: Fraction) -> Price:
    """The price of one block of a question whose groups are public, if it got the whole ε."""
    priced = _priced(block, question, epsilon, delta)
    return Price(priced.epsilon, priced.delta, (priced,))


def _weight(block: Block, question: Question, weights: Mapping[Block, Fraction] | None) -> Fraction:
    """The share of ε that a block gets, in proportion: what one unit can add, unless stated."""
    if weights is not None and block in weights:
        return weights[block]
    return Fraction(cap(block, question))


def _each_priced(
    question: Question, levels: Mapping[Block, Fraction], delta: Fraction
) -> tuple[Priced, ...]:
    """Every block at its ε; those that Gaussian noise answers share δ in equal parts.

    Only people per group could use it: they have an L2 sensitivity below the one in L1.  All of
    them are tried at an equal part, and those for which it is better then share the whole: with
    more δ it is better still.
    """
    trying = [block for block in levels if isinstance(block, People)]
    part = delta / len(trying) if trying else Fraction(0)
    found = [_priced(block, question, level, part) for block, level in levels.items()]
    using = sum(one.delta > 0 for one in found)
    if 0 < using < len(trying):
        found = [
            _priced(one.block, question, one.epsilon, delta / using) if one.delta else one
            for one in found
        ]
    return tuple(found)


def _priced(block: Block, question: Question, epsilon: Fraction, delta: Fraction) -> Priced:
    moved = sensitivity(block, question)
    if isinstance(block, Size):
        return Priced(block, Fraction(0), moved, Exact())
    if not isinstance(block, Ranks | Extreme):
        laplace = Laplace(scale=Fraction(moved) / epsilon)
        if delta == 0 or not isinstance(block, People):
            return Priced(block, epsilon, moved, laplace)
        gaussian = _gaussian(squared_l2(block, question), epsilon, delta)
        if gaussian.accuracy(_CONFIDENCE) < laplace.accuracy(_CONFIDENCE):
            return Priced(block, epsilon, moved, gaussian, delta, laplace)
        return Priced(block, epsilon, moved, laplace, Fraction(0), gaussian)
    # Between groups, replacing is removing and adding: what costs ε/2 for each costs ε for both.
    replaced = question.schema.neighbors is Neighbors.REPLACE
    level = epsilon / 2 if replaced and question.keys else epsilon
    relation = Neighbors.ADD_REMOVE if question.keys else question.schema.neighbors
    width = block.value.range.width
    mechanism: Mechanism
    if isinstance(block, Ranks):
        mechanism = Quantiles(
            probabilities=block.levels,
            epsilon=level,
            width=width,
            neighbors=relation,
            share=moved,
            measure=round_numbers(block.value.range),
        )
    else:
        bounds = block.value.range if block.largest else block.value.range.flipped
        mechanism = NearMaximum(
            epsilon=level,
            width=width,
            share=moved,
            measure=toward_middle(bounds),
        )
    return Priced(block, epsilon, moved, mechanism)


@lru_cache(maxsize=256)
def _gaussian(squares: int, epsilon: Fraction, delta: Fraction) -> Gaussian:
    return Gaussian.calibrated(
        sensitivity=Sensitivity(l2=Fraction(isqrt(squares - 1) + 1)),
        epsilon=epsilon,
        delta=delta,
    )


def _selected_block(question: Question) -> Block | None:
    """The count of units that key selection releases at no further price."""
    if not question.selects_keys:
        return None
    counted = People() if question.schema.by_person else Rows()
    return counted if counted in question.blocks else None


def _selection(
    question: Question, epsilon: Fraction, delta: Fraction, answers: Block | None
) -> Selection:
    mechanism = best_selection(
        epsilon=epsilon,
        delta=delta,
        groups=question.group_cap,
        neighbors=question.schema.neighbors,
        counts=answers is not None,
    )
    return Selection(epsilon, mechanism, answers)


def _need_delta(delta: Fraction) -> None:
    if delta == 0:
        raise QueryError(
            "groups are asked by a column whose values are not public, and no delta is given. A "
            "value that only one person has must hardly ever appear, and δ is the chance that it "
            "does. Add delta=1e-6, or declare the values: dp.category([…])."
        )
