"""Two neighbors asked the same: what they say must be equal, what moves must be priced."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.engines.base import SIZES, Engine
from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import DiscreetError, QueryError
from discreet.measures.measure import SHARE, Measure, Unit
from discreet.privacy.losses import Budget
from discreet.privacy.sensitivity import Neighbors
from discreet.question.check import Question
from discreet.release.batch import batch
from discreet.release.table import QuestionBuilder, Table
from tests.neighbors.questions import Named
from tests.support.measuring import (
    Vector,
    assert_keys_move_within,
    check_scores,
    distance,
    kind,
    l1_bound,
    ranked,
    squared,
    squared_bound,
    vectors,
)

_NUMBERED = re.compile(r"\b(?:discreet_[0-9]+_|a)[0-9]+\b")


_WITHOUT_ID = -1
"""Where rows without an id stand among people by size."""


class FoundError(AssertionError):
    """Neighbors that can be told apart by more than is priced."""


@dataclass
class Counts:
    """What was asked, and of what."""

    questions: int = 0
    pairs: int = 0
    refused: int = 0
    """Tables that their writer did not take."""
    blocks: Counter[str] = field(default_factory=Counter)

    def to_data(self) -> dict[str, Any]:
        """Plain data, which one process can send to another."""
        return {**vars(self), "blocks": dict(self.blocks)}


Said = tuple[str, str, str]


def said(run: Callable[[], Any]) -> tuple[Any, Said | None]:
    """What something gives, or the error that it says."""
    try:
        return run(), None
    except DiscreetError as error:
        return None, (type(error).__name__, str(error), repr(error.__cause__))


def bound(engine: Engine, question: Question, measures: Sequence[Measure], unit: Unit) -> None:
    """Bind a question, which a charge would follow."""
    with engine.prepared(question, measures, unit):
        pass


def same(what: str, values: Iterable[Any]) -> Any:
    """What is equal on both neighbors."""
    first, second = values
    if first != second:
        raise FoundError(f"{what} differs on neighbors: {first!r} and {second!r}"[:4000])
    return first


@dataclass
class Both:
    """Two neighboring tables that are open."""

    tables: tuple[Table, Table]
    counts: Counts
    without_id: int = 0
    """How many rows without an id one of them has and the other has not."""

    @property
    def engines(self) -> list[Engine]:
        return [table.engine() for table in self.tables]

    # ------------------------------------------------------------------ integers

    def ask(self, named: Named) -> None:
        """The integers of one question, on both."""
        question, engines = named.question, self.engines
        unit = question.unit.weighed_by(named.norm)
        if not isinstance(engines[0], DuckDB):  # others may not offer something
            prepared = [
                said(lambda e=e: bound(e, question, named.measures, unit))[1] for e in engines
            ]
            refused = same("the refusal", prepared)
            if refused is not None and refused[0] != QueryError.__name__:
                raise FoundError(f"a question is not bound: {refused}")
            if refused is not None:
                return
        cells = None
        if question.selects_keys:
            for share in (None, SHARE) if unit.by_person else (None,):
                found = self._answered(
                    [said(lambda e=e, s=share: _candidates(e, question, s)) for e in engines]
                )
                self._check_candidates(question, *found, share)
            cells = list(named.cells)
        measured = self._answered(
            [said(lambda e=e: e.measure(question, named.measures, cells, unit)) for e in engines]
        )
        self.counts.questions += 1
        same("the public number of rows", [one.rows for one in measured])
        self.check(question, unit, *map(vectors, measured))
        self.rank(question, cells)

    def rank(self, question: Question, cells: Any) -> None:
        """The scores of groups, of which each moves by what is priced."""
        if question.strategy is not None:  # nothing is chosen among cells that are one measurement
            return
        answers = [said(lambda e=e: ranked(e, question, cells)) for e in self.engines]
        self._check_scores(question, *self._answered(answers))

    def _check_scores(
        self, question: Question, one: dict[Measure, Vector], two: dict[Measure, Vector]
    ) -> None:
        try:
            check_scores(question, one, two)
        except AssertionError as error:
            raise FoundError(f"a score moves by more than is priced: {error}") from None
        for score in one:
            self.counts.blocks[f"{kind(score)} as a score"] += 1

    def _answered(self, found: Sequence[tuple[Any, Said | None]]) -> list[Any]:
        """Both answers: every cell can be read, so that no row may end a question."""
        failed = [error for _, error in found]
        if any(failed):
            raise FoundError(f"a row ends a question: {failed}")
        return [answer for answer, _ in found]

    def _check_candidates(
        self, question: Question, one: Vector, two: Vector, share: int | None = None
    ) -> None:
        if share is not None:
            self._check_weights(question, one, two, share)
            return
        units = 2 if question.rules.replace else 1
        moved = distance(one, two)
        if moved > units * question.unit.group_cap:
            raise FoundError(f"keys move by {moved}, priced are {units * question.unit.group_cap}")
        if any(abs(one.get(key, 0) - two.get(key, 0)) > 1 for key in {*one, *two}):
            raise FoundError("a key moves by more than one unit")
        self.counts.blocks["Keys"] += 1

    def _check_weights(self, question: Question, one: Vector, two: Vector, share: int) -> None:
        try:
            assert_keys_move_within(question, one, two, share)
        except AssertionError as error:
            raise FoundError(f"{error} move by more than is priced") from None
        self.counts.blocks["Keys by weight"] += 1

    def check(
        self,
        question: Question,
        unit: Unit,
        one: dict[Measure, Vector],
        two: dict[Measure, Vector],
    ) -> None:
        """Every block moves by what is priced, at most: of weights in L2 that is one norm."""
        same("the blocks", [list(one), list(two)])
        if unit.apart:
            self._check_scores(question, one, two)
            return
        for block, first in one.items():
            moved, priced = distance(first, two[block]), l1_bound(block, question, unit.norm, unit)
            if priced is not None and moved > priced:
                raise FoundError(f"{block} moves by {moved}, priced are {priced}")
            moved = squared(first, two[block])
            most = squared_bound(block, question, unit.norm, unit)
            if moved > most:
                raise FoundError(f"{block} moves by {moved} in squared L2, priced: {most}")
            self.counts.blocks[kind(block)] += 1
            if priced is None:
                self.counts.blocks[f"{kind(block)} in L2"] += 1

    # ------------------------------------------------------------------ all that is said

    def say(self, named: Named) -> None:
        """The plan, the SQL and a release of a question: all but the numbers is the same."""
        gaussian = named.question.selects_keys or named.question.strategy is not None
        delta = Fraction(1, 10**6) if gaussian else 0
        asked = [QuestionBuilder(table, named.query) for table in self.tables]
        plans = [
            said(lambda one=one: one.plan(epsilon=1, delta=delta, expect_rows=100)) for one in asked
        ]
        if same("the refusal of a plan", [error for _, error in plans]) is not None:
            return
        found = [plan for plan, _ in plans]
        for what in ("explain", "text", "queries", "notes", "lines", "computed", "__repr__"):
            shown = [said(lambda plan=plan, what=what: _shown(plan, what)) for plan in found]
            refused = same(f"the refusal of {what}", [error for _, error in shown])
            if refused is not None and (what, refused[0]) != ("queries", QueryError.__name__):
                raise FoundError(f"{what} of a plan fails: {refused}")
            same(what, [text for text, _ in shown])
        released = self._recorded(lambda place: found[place].release())
        if released is None:
            return
        for what in ("header", "keys", "remarks", "dated"):
            same(f"the answer's {what}", [getattr(one, what) for one in released])
        if all(one.groups for one in released):  # noise may have found no key, and then no number
            same("the answer's types", [one.to_arrow().schema for one in released])
        if not named.question.selects_keys and named.query.after.limit is None:  # noise chooses
            same("the groups", [one.groups for one in released])
        if found[0].price.choice is not None:
            self.counts.blocks["Chosen groups"] += 1
            if not named.question.selects_keys:
                same("how many groups are chosen", [len(one.groups) for one in released])

    def say_together(self, several: Sequence[Named]) -> None:
        """A batch, planned and released."""
        budget = Budget(epsilon=3, delta=Fraction(1, 10**6))
        batches = [
            said(
                lambda t=t: batch([QuestionBuilder(t, one.query) for one in several]).plan(
                    budget=budget
                )
            )
            for t in self.tables
        ]
        if same("the refusal of a batch", [error for _, error in batches]) is not None:
            return
        plans = [plan for plan, _ in batches]
        same("the batch", map(repr, plans))
        released = self._recorded(lambda place: plans[place].release())
        if released is not None:
            same("the batch's columns", [[one.header for one in every] for every in released])

    def suggest(self, column: str, *keys: str) -> None:
        """Bounds of a column; a profile, with groups or without."""
        self._recorded(
            lambda place: _despite_noise(
                lambda: self.tables[place].suggest_bounds(column, epsilon=1)
            )
        )
        self.counts.blocks["Bounds"] += 1
        if self.tables[0].schema.by_person:
            self._recorded(
                lambda place: _despite_noise(
                    lambda: self.tables[place].profile(
                        by=keys, rows_in_a_group=True, epsilon=1, again=True
                    )
                )
            )
            self.counts.blocks["Profile"] += 1

    def _recorded(self, run: Callable[[int], Any]) -> list[Any] | None:
        """Run something on both tables, and compare what they measure meanwhile.

        None if both refuse it before the charge: not every engine offers everything.
        """
        records = [_Record(engine) for engine in self.engines]
        found = []
        for place, record in enumerate(records):
            with record:
                found.append(said(lambda place=place: run(place)))
        if all(error is not None and error[0] == QueryError.__name__ for _, error in found):
            same("the refusal", [error for _, error in found])
            return None
        self.counts.questions += 1
        answers = self._answered(found)
        one, two = (record.measured for record in records)
        same("how often rows are read", [len(one), len(two)])
        for (question, unit, cells, first), (_, _, others, second) in zip(one, two, strict=True):
            if cells == others:  # groups that chance found or chose may differ
                self.check(question, unit, first, second)
        for first, second in zip(*(record.tallies for record in records), strict=True):
            self._check_tallies(first, second)
        return answers

    def _check_tallies(self, first: dict[int, int], second: dict[int, int]) -> None:
        units = 2 if self.tables[0].schema.neighbors is Neighbors.REPLACE else 1
        if _WITHOUT_ID in {*first, *second}:  # each of these rows is a unit of its own
            units = self.without_id
        moved = distance(first, second)
        if moved > units:
            raise FoundError(f"people by size move by {moved}, priced are {units}")


def _shown(plan: Any, what: str) -> Any:
    one = getattr(plan, what)
    return _renamed(one() if callable(one) else one)


def _renamed(shown: Any) -> Any:
    """Names that Spark is given in the order of its queries, in the order of this text instead."""
    if isinstance(shown, list):
        return [_renamed(one) for one in shown]
    if not isinstance(shown, str):
        return shown
    names: dict[str, str] = {}
    return _NUMBERED.sub(lambda one: names.setdefault(one[0], f"name {len(names)}"), shown)


def _despite_noise(run: Callable[[], Any]) -> None:
    """Run what noise alone may refuse: too little stands out of it."""
    try:
        run()
    except QueryError as error:
        if "stands out" not in str(error):
            raise


def _candidates(engine: Engine, question: Question, share: int | None) -> Vector:
    found = engine.candidates(question, share=share)
    counts = found.counts.open()
    return dict(zip(found.released(np.arange(len(counts))), counts.tolist(), strict=True))


@dataclass
class _Record:
    """What an engine measures for whoever asks it."""

    engine: Engine
    measured: list[Any] = field(default_factory=list)
    tallies: list[Any] = field(default_factory=list)

    def __enter__(self) -> None:
        engine: Any = self.engine
        measure, guarded = engine.measure, engine.guarded_rows

        def measuring(question: Question, blocks: Sequence[Measure], cells: Any, unit: Unit) -> Any:
            found = measure(question, blocks, cells, unit)
            self.measured.append((question, unit, cells, vectors(found)))
            return found

        def reading(query: Any) -> Any:
            found = guarded(query)
            tally: Counter[int] = Counter()
            for *many, people in found:  # people by size; rows without an id have none
                tally[bisect_left(SIZES, int(many[0])) if many else _WITHOUT_ID] += people
            self.tallies.append(tally)
            return found

        engine.measure, engine.guarded_rows = measuring, reading

    def __exit__(self, *_: object) -> None:
        del self.engine.measure, self.engine.guarded_rows  # type: ignore[misc]
