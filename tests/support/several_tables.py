"""Several small tables behind one engine, and the true integers that it makes of a question."""

import atexit
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
import pyarrow

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.sources import Sources
from discreet.measures.measure import Measure, Norm
from discreet.plan.schema import ROW, CategoryColumn, Column, NumberColumn
from discreet.question.check import Question
from tests.support import interpreter
from tests.support.drawn_sql import ROWS_OF_WARDS, schema
from tests.support.measuring import Vector, as_double, integers, put

Rows = Sequence[Mapping[str, Any]]
TIMES = "times"
"""How often a row is there: a person with many rows is as short as one with a single row."""

_DECLARED = schema()
_PATIENTS = _DECLARED.private["patients"]
_WARDS = _DECLARED.public["wards"]


def arrow(rows: Rows, columns: Mapping[str, Column], unit: str | None, stored: str) -> Any:
    """Rows as an Arrow table; numbers are stored as texts or as doubles."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        values = [row[name] for row in rows]
        if stored == "double" and _numeric(column):
            found[name] = pyarrow.array(map(as_double, values), pyarrow.float64())
        else:
            shown = [None if value is None else str(value) for value in values]
            found[name] = pyarrow.array(shown, pyarrow.string())
    if unit is not None:
        found[unit] = pyarrow.array([row[unit] for row in rows], pyarrow.string())
    places = np.repeat(np.arange(len(rows)), [row.get(TIMES, 1) for row in rows])
    return pyarrow.table(found).take(pyarrow.array(places, pyarrow.int64()))


def _numeric(column: Column) -> bool:
    return (isinstance(column, NumberColumn) and not column.dated) or (
        isinstance(column, CategoryColumn) and column.numeric
    )


def frames(visits: Rows, patients: Rows, stored: str = "text") -> dict[str, Any]:
    """The tables by the names that queries have for them."""
    return {
        "source": arrow(visits, _DECLARED.columns, "id", stored),
        "private_0": arrow(patients, _PATIENTS.columns, "pid", stored),
        "public_0": arrow(ROWS_OF_WARDS, _WARDS.columns, None, stored),
    }


@cache
def _opened(unit: str, stored: str) -> DuckDB:
    empty = {name: FrameSource(frame) for name, frame in frames([], [], stored).items()}
    private = {} if unit == ROW else {"patients": empty["private_0"]}
    engine = DuckDB(
        Sources(empty["source"], private, {"wards": empty["public_0"]}), schema(unit=unit)
    )
    atexit.register(engine.close)
    return engine


class Engine:
    """The shipped engine, with one set of tables after another behind it."""

    def __init__(self, visits: Rows, patients: Rows, unit: str = "id", stored: str = "text"):
        self._engine = _opened(unit, stored)
        self._frames = frames(visits, patients, stored)

    def _read(self) -> DuckDB:
        for name, frame in self._frames.items():
            put(self._engine, name, frame)
        return self._engine

    def prepared(self, question: Question, norm: Norm = Norm.L1) -> AbstractContextManager[None]:
        """Write the queries once for several sets of tables."""
        return self._read().prepared(question, question.measures, question.unit.weighed_by(norm))

    def integers(
        self,
        question: Question,
        blocks: Iterable[Measure],
        cells: Any = None,
        norm: Norm = Norm.L1,
    ) -> dict[Measure, Vector]:
        return integers(self._read(), question, list(blocks), cells, norm)

    def candidates(self, question: Question, share: int | None = None) -> Vector:
        found = self._read().candidates(question, share=share)
        counts = found.counts.open()
        return dict(zip(found.released(np.arange(len(counts))), counts.tolist(), strict=True))


def interpreted(visits: Rows, patients: Rows, stored: str = "text") -> interpreter.Tables:
    """The same tables for the interpreter, every row as often as it is there."""

    def held(rows: Rows, columns: Mapping[str, Column]) -> list[dict[str, Any]]:
        numbers = [name for name, one in columns.items() if stored == "double" and _numeric(one)]
        read = [{**row, **{name: as_double(row[name]) for name in numbers}} for row in rows]
        return [row for row in read for _ in range(row.get(TIMES, 1))]

    return interpreter.Tables(
        held(visits, _DECLARED.columns),
        {
            "patients": held(patients, _PATIENTS.columns),
            "wards": held(ROWS_OF_WARDS, _WARDS.columns),
        },
    )


def cells_of(question: Question, found: Iterable[tuple[str, ...]]) -> Any:
    """Groups that private selection is taken to have released: some that occur, some that do not.

    Where all keys are public there is nothing to select.
    """
    if not question.selects_keys:
        return None
    made_up = ("0",) * len(question.keys), ("low",) + ("1",) * (len(question.keys) - 1)
    return list(dict.fromkeys([*sorted(found)[::2], *made_up]))
