"""Small tables, questions about them, and the true integers that the engine makes of both.

A table is written as a list of rows with a repetition each, so that a person with a million rows
is as short as one with a single row.
"""

import atexit
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow
from hypothesis import Phase, settings

from discreet.engines.base import Engine as AnyEngine
from discreet.engines.base import Measurements
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.frames.frame import FrameReader
from discreet.engines.sources import Sources
from discreet.measures.counts import (
    Distinct,
    Partition,
    People,
    Present,
    Rows,
    value_where_true,
)
from discreet.measures.extremes import Extreme
from discreet.measures.measure import POINTS, Measure, MeasureRules, Norm, Unit, grid_steps
from discreet.measures.moments import SQUARE_POINTS, Moments
from discreet.measures.quantiles import Ranks
from discreet.measures.scores import score_of
from discreet.measures.strategies import ByStrategy
from discreet.measures.sums import FixedTotal, Total
from discreet.plan.expressions import Named
from discreet.plan.schema import ROW, Column, Schema, boolean, category, integer, number, text
from discreet.plan.types import check_expression
from discreet.privacy.sensitivity import Neighbors
from discreet.question.builder import AggregateExpression, Expression, col, people, rows, when
from discreet.question.check import Question, checked_question
from discreet.question.query import Arrangement, GroupKey, Query
from discreet.statistics import cov, regression
from tests.support.trials import examples

QUICK = settings(examples(3), phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""Examples are small as they are drawn; shrinking them against an engine takes minutes."""
BOTH = tuple(Neighbors)
NORMS = tuple(Norm)
UNITS = (ROW, "id")
BOUNDS: dict[str, Column] = {
    "from zero": number(0, 10),
    "around zero": number(-3, 7.5),
    "below zero": number(-8, -2),
    "whole": integer(-5, 5),
    "vast": number(-(10**99), 10**100),
    "tiny": number(1e-9, 2e-9),
    "far from zero": number(2**40, 2**40 + 1),
    "to 2^53": integer(0, 2**53),
}
GROUPINGS: dict[str, tuple[Any, ...]] = {
    "no groups": (),
    "category": ("ward",),
    "numbers": ("code",),
    "bins": (col("z").bins([-1, 0, 2, 5]),),
    "two keys": ("ward", "flag"),
    "boolean": ("flag",),
    "whole numbers": ("level",),
    "unlisted": ("tag",),
    "unlisted and boolean": ("tag", "flag"),
}
SELECTED: dict[str, tuple[tuple[str, ...], ...]] = {
    "unlisted": (("a",), ("b",), ("it's",)),
    "unlisted and boolean": (("a", "0"), ("a", "1"), ("b", "0")),
}
"""Groups that private selection is taken to have released."""
LEFT_OUT = {
    "category": (col("ward") != "B",),
    "numbers": (col("code").is_in([1, 7]),),
    "bins": ((col("z") < 0) | (col("z") >= 2),),
    "two keys": (col("ward").is_in(["A", "it's"]), col("flag")),
    "boolean": (~col("flag"),),
    "whole numbers": (col("level") != 1,),
    "unlisted and boolean": (col("flag") | (col("z") > 4),),
}
"""Conditions that exclude some of the public groups; the rows have those and odd values."""


@dataclass(frozen=True)
class Row:
    """One row as it is stored, and how often."""

    id: str | None = "p"
    x: object = 1.0
    ward: str | None = "A"
    flag: str | None = "true"
    tag: str | None = "a"
    z: object = 1.0
    code: object = 1.0
    level: object = 2.0
    times: int = 1


_TYPES = {
    "id": pyarrow.string(),
    "ward": pyarrow.string(),
    "flag": pyarrow.string(),
    "tag": pyarrow.string(),
}


def arrow(table: Iterable[Row], stored: str = "text") -> pyarrow.Table:
    """The rows as an Arrow table; numbers are stored as texts or as doubles."""
    table = list(table)
    columns: dict[str, Any] = {}
    for name in ("id", "x", "ward", "flag", "tag", "z", "code", "level"):
        values = [getattr(row, name) for row in table]
        if name in _TYPES:
            columns[name] = pyarrow.array(values, _TYPES[name])
        elif stored == "text":
            shown = [None if value is None else str(value) for value in values]
            columns[name] = pyarrow.array(shown, pyarrow.string())
        else:
            columns[name] = pyarrow.array(map(as_double, values), pyarrow.float64())
    places = np.repeat(np.arange(len(table)), [row.times for row in table])
    return pyarrow.table(columns).take(pyarrow.array(places, pyarrow.int64()))


def as_double(value: object) -> float | None:
    """What a column of doubles can hold of a value."""
    try:
        return None if value is None else float(value)  # type: ignore[arg-type]
    except ValueError:
        return None
    except OverflowError:
        return float("inf")


def schema(
    neighbors: Neighbors = Neighbors.ADD_REMOVE,
    unit: str = ROW,
    x: str | Column = "from zero",
    max_rows: int = 3,
    max_groups: int = 2,
    max_rows_per_group: int | None = None,
) -> Schema:
    return Schema(
        name="t",
        columns={
            "x": BOUNDS[x] if isinstance(x, str) else x,
            "ward": category(["A", "B", "it's", "D"]),
            "flag": boolean(),
            "tag": text(),
            "z": number(0, 5),
            "code": category([1, 2, 7]),
            "level": integer(0, 3),
        },
        unit=unit,
        neighbors=neighbors,
        max_rows=None if unit == ROW else max_rows,
        max_groups=None if unit == ROW else max_groups,
        max_rows_per_group=None if unit == ROW else max_rows_per_group,
    )


def asked(
    declared: Schema,
    outputs: dict[str, AggregateExpression],
    groups: Sequence[Any] = (),
    where: Sequence[Expression] = (),
    arranged: Arrangement | None = None,
) -> Question:
    """A checked question, as ``where``, ``group_by`` and ``agg`` make it."""
    keys = tuple(
        GroupKey(group, Named(group))
        if isinstance(group, str)
        else GroupKey(f"key{place}", group.node, getattr(group, "edges", ()))
        for place, group in enumerate(groups)
    )
    query = Query(
        where=tuple(condition.node for condition in where),
        keys=keys,
        outputs=tuple((name, one.aggregate) for name, one in outputs.items()),
        arranged=arranged,
    )
    return checked_question(query, declared)


CONDITIONS = (col("ward") == "A", col("ward") == "B", col("flag"), col("z") > 0)
_HELD = tuple(value_where_true(one.node) for one in CONDITIONS)
PARTITIONS = (Partition(_HELD[:2], True), Partition((Named("x"), *_HELD[2:])))
"""Of expressions that no row has at once, and of some that a row may have: the first one counts."""


def every_block(
    declared: Schema, groups: Sequence[Any] = (), where: Sequence[Expression] = ()
) -> tuple[Question, tuple[Measure, ...]]:
    """A question about x that may be answered by any kind of block, and all of those blocks."""
    question = asked(
        declared,
        {"n": rows(), "u": people(), "s": col("x").sum(), "c": col("x").count()}
        | {"d": col("tag").n_unique(), "q": col("x").quantile([0.25, 0.5])}
        | {"least": col("x").min(), "most": col("x").max(), "v": cov(col("x"), col("z"))}
        | {"fit": regression(col("x"), col("level"), col("flag"))}
        | {
            f"part{place}": when(one).then(1).otherwise(None).count()
            for place, one in enumerate(CONDITIONS)
        },
        groups,
        where,
    )
    typed = check_expression(Named("x"), dict(declared.columns))
    free = MeasureRules(question.rules.replace, False, question.rules.by_person)
    plain, coarse = grid_steps(typed, POINTS, free), grid_steps(typed, SQUARE_POINTS, free)
    blocks = [
        *question.measures,
        *([] if question.rules.fixed else [Rows()]),
        Present(Named("x")),
        *PARTITIONS,
        *(Moments(plain, False, counted) for counted in (False, True)),
        *(Moments(coarse, True, counted) for counted in (False, True)),
        Total(plain),
    ]
    blocks = [block for block in blocks if question.rules.fixed or not fixed(block)]
    return question, tuple(dict.fromkeys(blocks))


def fixed(block: Measure) -> bool:
    return isinstance(block, FixedTotal)


def kind(block: Measure) -> str:
    """A block's name in a table of bounds."""
    if isinstance(block, Moments):
        return "Moments" + " with squares" * block.squares + " with rows" * block.rows
    if isinstance(block, ByStrategy):
        return f"{kind(block.inner)} by {type(block.strategy).__name__}"
    return type(block).__name__


KINDS = tuple(
    one.__name__
    for one in (Rows, People, Present, Partition, Total, FixedTotal, Distinct, Ranks, Extreme)
)

Vector = dict[Any, int]
"""Integers by their place: of ranks, by group and step, so that two of them can be compared."""


@cache
def _opened(stored: str, x: Column) -> DuckDB:
    """DuckDB on an empty table, opened once: every test puts its own rows behind it."""
    engine = DuckDB(Sources(FrameSource(arrow([], stored))), schema(unit="id", x=x))

    def close() -> None:
        engine.close()
        _opened.cache_clear()

    atexit.register(close)
    return engine


def put(engine: DuckDB, view: str, frame: pyarrow.Table) -> None:
    """Put other rows behind an opened table, if it is one of those."""
    connection: Any = engine._connection
    for table in connection._tables:
        if table.view == view:
            connection._frames[view] = FrameReader(frame, table.columns, table.unit)
            connection._has_rows = False


class Engine:
    """The shipped engine on one table after another; numbers are stored as texts or doubles."""

    def __init__(self, stored: str = "text") -> None:
        self.stored = stored

    def read(self, table: Iterable[Row] | pyarrow.Table, question: Question) -> DuckDB:
        """The engine with these rows behind it, read as the question's table declares them."""
        frame = table if isinstance(table, pyarrow.Table) else arrow(table, self.stored)
        engine = _opened(self.stored, question.declared.columns["x"])
        put(engine, "source", frame)
        return engine

    def integers(
        self,
        table: Iterable[Row] | pyarrow.Table,
        question: Question,
        blocks: Sequence[Measure],
        cells: Any = None,
        norm: Norm = Norm.L1,
    ) -> dict[Measure, Vector]:
        # No question has moments of one column both with and without squares.
        squared = [block for block in blocks if getattr(block, "squares", False)]
        engine = self.read(table, question)
        found = integers(engine, question, squared, cells, norm)
        rest = [block for block in blocks if block not in squared]
        return found | integers(engine, question, rest, cells, norm)

    def candidates(
        self, table: Iterable[Row], question: Question, share: int | None = None
    ) -> Vector:
        found = self.read(table, question).candidates(question, share=share)
        counts = found.counts.open()
        return dict(zip(found.released(np.arange(len(counts))), counts.tolist(), strict=True))


def assert_keys_move_within(question: Question, one: Vector, two: Vector, share: int) -> None:
    """That a unit moves no more keys than the cap, and by weights of which the squares add up."""
    units = 2 if question.rules.replace else 1
    assert sum(one.get(key, 0) != two.get(key, 0) for key in {*one, *two}) <= (
        units * question.unit.group_cap
    ), "keys that move"
    assert squared(one, two) <= units * share**2, "weights of keys"


def integers(
    engine: DuckDB,
    question: Question,
    blocks: Sequence[Measure],
    cells: Any = None,
    norm: Norm = Norm.L1,
) -> dict[Measure, Vector]:
    """The true integers of every block, opened as a mechanism would."""
    return vectors(engine.measure(question, blocks, cells, question.unit.weighed_by(norm)))


def vectors(measured: Measurements) -> dict[Measure, Vector]:
    """What was measured, opened as a mechanism would."""
    found: dict[Measure, Vector] = {}
    for measure, true in measured.of.items():
        if isinstance(true, tuple):
            found[measure] = {
                (cell, int(step)): int(weight)
                for cell, group in enumerate(true)
                for step, weight in zip(*group.open(), strict=True)
            }
        else:  # what is public is not hidden
            numbers = [true] if isinstance(true, int) else true.open()
            found[measure] = dict(enumerate(map(int, numbers)))
    return found


def distance(first: Vector, second: Vector) -> int:
    """The L1 distance; what is not there is 0."""
    return sum(abs(first.get(key, 0) - second.get(key, 0)) for key in {*first, *second})


def squared(first: Vector, second: Vector) -> int:
    """The squared L2 distance."""
    return sum((first.get(key, 0) - second.get(key, 0)) ** 2 for key in {*first, *second})


def squared_bound(
    measure: Measure, question: Question, norm: Norm = Norm.L1, unit: Unit | None = None
) -> int:
    """What is priced in squared L2; ranks are priced per unit that comes or goes.

    ``unit`` is that of the price, where it is another than the question's.
    """
    priced = measure.sensitivity((unit or question.unit).weighed_by(norm)).squared_l2
    twice = isinstance(measure, Ranks | Extreme) and question.rules.replace
    return 4 * priced if twice else priced


def share(measure: Measure, unit: Unit) -> int:
    """How many integer steps stand for one row, person or value, as the proof has them."""
    if isinstance(measure, People):
        return unit.group_share
    if isinstance(measure, Distinct):
        return 1
    return unit.rank_share if isinstance(measure, Ranks | Extreme) else unit.row_share


def bound(block: Measure, question: Question) -> int:
    """What is priced; ranks are priced per unit that comes or goes, and replacing does both."""
    moved = l1_bound(block, question, Norm.L1)
    if moved is None:
        raise TypeError("weights in L1 have a bound")
    return moved


def l1_bound(
    block: Measure, question: Question, norm: Norm, unit: Unit | None = None
) -> int | None:
    """The same; of weights in L2 there may be none."""
    moved = block.sensitivity((unit or question.unit).weighed_by(norm)).l1
    twice = isinstance(block, Ranks | Extreme) and question.rules.replace
    return moved if moved is None else 2 * moved if twice else moved


def scores(question: Question) -> list[Measure]:
    """All that the groups of a question can be ranked by."""
    found = [score_of(output, question.rules) for output in question.outputs if question.keys]
    return list(dict.fromkeys(one for one in found if one is not None))


def ranked(engine: AnyEngine, question: Question, cells: Any = None) -> dict[Measure, Vector]:
    """The score of every group, opened as a mechanism would, each in a question of its own."""
    found: dict[Measure, Vector] = {}
    for score in scores(question):
        found |= vectors(engine.measure(question, (score,), cells, question.unit.in_one_group))
    return found


def score_bound(score: Measure, question: Question) -> int:
    """By how much one unit is priced to move the score of a group."""
    moved = score.sensitivity(question.unit.in_one_group).l1
    if moved is None:
        raise TypeError("in one group weights are in L1")
    return moved


def check_scores(
    question: Question, one: dict[Measure, Vector], two: dict[Measure, Vector]
) -> None:
    """No group's score moves by more than is priced; under add/remove all go in one direction."""
    for score, first in one.items():
        moved = [two[score].get(key, 0) - first.get(key, 0) for key in {*first, *two[score]}]
        priced = score_bound(score, question)
        assert all(abs(move) <= priced for move in moved), (score, moved, priced)
        both = any(move > 0 for move in moved) and any(move < 0 for move in moved)
        assert not both or question.unit.replaced, (score, moved)
