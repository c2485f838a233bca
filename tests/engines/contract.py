"""Claims that every engine keeps beside DuckDB: the same rows give the same integers."""

from itertools import product
from math import inf, nan
from typing import Any

from discreet.engines.measuring import Engine
from discreet.plan.blocks import Block
from discreet.plan.build import col
from discreet.plan.check import Question
from discreet.plan.schema import Schema
from discreet.privacy.neighbors import Neighbors
from tests.engines.duckdb.measuring import (
    BOUNDS,
    GROUPINGS,
    SELECTED,
    UNITS,
    Vector,
    every_block,
    integers,
    schema,
)

TYPES = {
    "id": "text",
    "x": "double precision",
    "ward": "text",
    "flag": "boolean",
    "tag": "text",
    "z": "double precision",
    "code": "double precision",
    "level": "double precision",
}
NUMBERS = [None, nan, inf, -inf, 0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 0.1, 0.5]
NUMBERS += [1.0, 2.5, -2.5, 2.675, 7.0, 9.75, 1.5e-9, 2.0**40 + 0.5, 2.0**53, -(2.0**63), 1e99]
NUMBERS += [1e200, 1e308, -1e308, 1.7976931348623157e308, -1.7976931348623157e308]
TEXTS = [
    None,
    "",
    "a",
    "b",
    "it's",
    "A",
    "Ä",
    "ä",
    "日本語",
    "👍",
    "e\u0301",
    " a",
    "a ",
    "B\\",
    "%",
]
IDS = [None, "", "p", "q", "P", "日本", "p ", "é", "e\u0301", "1", "01"]
WARDS = [None, "A", "B", "it's", "D", "a", "E", "A "]


def adversarial() -> list[tuple[Any, ...]]:
    """Rows with every odd value, many ids double, and one person with many rows."""
    rows: list[tuple[Any, ...]] = []
    for place in range(400):
        rows.append(
            (
                IDS[place * 7 % len(IDS)],
                NUMBERS[place % len(NUMBERS)],
                WARDS[place * 3 % len(WARDS)],
                (None, True, False)[place % 3],
                TEXTS[place * 5 % len(TEXTS)],
                NUMBERS[place * 11 % len(NUMBERS)],
                (None, 1.0, 2.0, 7.0, 3.5, nan, inf)[place % 7],
                (None, 0.0, 3.0, 1.0, 2.5, -1.0, -0.0, nan)[place % 8],
            )
        )
    return rows + [("many", 1.5, "A", True, "a", 1.0, 1.0, 2.0)] * 300


def questions(
    *, quick: bool = False
) -> "list[tuple[str, Schema, Question, tuple[Block, ...], Any]]":
    """Every kind of block for every grouping, unit, relation of neighbors and kind of bounds."""
    found = []
    bounds = ["around zero", "vast"] if quick else list(BOUNDS)
    for unit, neighbors, grouping in product(UNITS, Neighbors, GROUPINGS):
        for x in bounds if grouping in ("no groups", "category") else bounds[:1]:
            for where in ((), (col("z") * 3 > 1,)):
                declared = schema(neighbors, unit, x)
                question, blocks = every_block(declared, GROUPINGS[grouping], where)
                label = f"{unit} {neighbors.value} {grouping} {x} {len(where)}"
                found.append((label, declared, question, blocks, SELECTED.get(grouping)))
    return found


def measured(engine: Engine, question: Question, blocks: Any, cells: Any) -> dict[Block, Vector]:
    """The true integers of all blocks, in two questions: none has moments of both kinds."""
    squared = [block for block in blocks if getattr(block, "squares", False)]
    rest = [block for block in blocks if block not in squared]
    found = integers(engine, question, squared, cells)  # type: ignore[arg-type]
    return found | integers(engine, question, rest, cells)  # type: ignore[arg-type]


def keys(engine: Engine, question: Question) -> Vector:
    """The candidates of a question's unlisted keys."""
    found = engine.candidates(question)
    counts = found.counts.open().tolist()
    return dict(zip(found.released(range(len(counts))), counts, strict=True))  # type: ignore[arg-type]
