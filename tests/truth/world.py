"""Tables whose values are on every grid and within every bound, and the same in a plain database.

No cap is reached in an open world; in a capped one most people are over theirs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

import duckdb
import pyarrow

import discreet as dp
from discreet.plan.schema import Column

PEOPLE, VISITS = 90, 320
WARDS = ("A", "B", "it's", "é")
CAPS = (3, 2)
"""Rows and groups for which a person counts in a capped world."""
_OPEN_CAPS = (1000, 10_000)

COLUMNS: dict[str, Column] = {
    "stay": dp.number(0, 60),
    "cost": dp.integer(-8, 40),
    "level": dp.integer(0, 3),
    "ward": dp.category(list(WARDS)),
    "code": dp.category([1, 2, 7]),
    "flag": dp.boolean(),
    "tag": dp.text(),
    "day": dp.date("2024-01-01", "2024-06-30"),
}
OF_PATIENTS: dict[str, Column] = {
    "age": dp.integer(0, 120),
    "sex": dp.category(["f", "m"]),
    "smoker": dp.boolean(),
}
_TYPES = {
    **{"id": "BIGINT", "pid": "BIGINT", "stay": "DOUBLE", "cost": "BIGINT", "level": "BIGINT"},
    **{"ward": "VARCHAR", "code": "BIGINT", "flag": "BOOLEAN", "tag": "VARCHAR", "day": "DATE"},
    **{"age": "BIGINT", "sex": "VARCHAR", "smoker": "BOOLEAN", "region": "VARCHAR"},
    "beds": "DOUBLE",
}
_MACROS = """
CREATE MACRO clip(x, a, b) AS CASE WHEN x < a THEN a WHEN x > b THEN b ELSE x END;
"""


def frames(seed: int, *, whole: bool = False) -> dict[str, pyarrow.Table]:
    """Rows of three tables; if ``whole``, nothing is missing and everyone is known."""
    random = Random(f"world {seed}")
    missing = 0.0 if whole else 0.06

    def some(values: Any) -> Any:
        return None if random.random() < missing else random.choice(values)

    days = [date(2024, month, day) for month in range(1, 7) for day in (1, 9, 15, 28)]
    wards = [*WARDS, *WARDS, "C"] if not whole else WARDS
    visits = [
        {
            "id": some(range(PEOPLE)),
            "stay": some([place / 2 for place in range(121)]),
            "cost": some(range(-8, 41)),
            "level": some(range(4)),
            "ward": some(wards),
            "code": some([1, 2, 7]),
            "flag": some([True, False]),
            "tag": some(["a", "b", "low", "A"]),
            "day": some(days),
        }
        for _ in range(VISITS)
    ]
    patients = [
        {
            "pid": person,
            "age": some(range(121)),
            "sex": some(["f", "m"]),
            "smoker": some([True, False]),
        }
        for person in range(0 if whole else 10, PEOPLE + 10)
    ]
    regions = ["north", "south", "north", None if not whole else "south"]
    beds = [10.0, 2.5, None if not whole else 4.0, 40.0]
    public = [
        {"ward": ward, "region": region, "beds": size}
        for ward, region, size in zip(WARDS, regions, beds, strict=True)
    ]
    named = {"visits": visits, "patients": patients, "wards": public}
    return {
        name: pyarrow.table(
            {
                column: pyarrow.array([row[column] for row in rows], _arrow(column))
                for column in rows[0]
            }
        )
        for name, rows in named.items()
    }


def _arrow(column: str) -> pyarrow.DataType:
    return {
        "BIGINT": pyarrow.int64(),
        "DOUBLE": pyarrow.float64(),
        "BOOLEAN": pyarrow.bool_(),
        "DATE": pyarrow.date32(),
        "VARCHAR": pyarrow.string(),
    }[_TYPES[column]]


@dataclass(frozen=True)
class World:
    """An open table, and a plain database with the rows that belong to somebody."""

    table: dp.Table
    plain: Any
    by_person: bool
    caps: tuple[int, int] | None
    """Rows and groups for which a person counts, where that is less than people have."""

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """What the plain database answers."""
        found = self.plain.execute(sql)
        names = [one[0] for one in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


Store = Callable[[str, pyarrow.Table], Any]
"""Where a table is kept: makes its source from a name and rows."""
KINDS = ("people", "rows", "replaced people", "capped people")


def in_memory(_: str, frame: pyarrow.Table) -> Any:
    """Arrow, which DuckDB reads."""
    return frame


@contextmanager
def world(kind: str, seed: int, store: Store = in_memory) -> Iterator[World]:
    """A world of a kind."""
    by_person, replaced = kind != "rows", kind.startswith("replaced")
    capped = kind.startswith("capped")
    held = frames(seed, whole=replaced)
    caps = CAPS if capped else _OPEN_CAPS
    beside: dict[str, Any] = {}
    if by_person:
        max_rows, max_groups = caps
        patients = dp.beside(
            store("patients", held["patients"]), unit="pid", columns=OF_PATIENTS, at_most_rows=1
        )
        beside = {"max_rows": max_rows, "max_groups": max_groups, "private": {"patients": patients}}
    opened = dp.table(
        store("visits", held["visits"]),
        name="visits",
        unit="id" if by_person else "row",
        neighbors="replace" if replaced else "add-remove",
        columns=COLUMNS,
        public={"wards": store("wards", held["wards"])},
        budget=dp.Budget(epsilon=10**60, delta="1/2"),
        ledger=":memory:",
        **beside,
    )
    plain = duckdb.connect()
    plain.execute(_MACROS)
    for name, frame in held.items():
        plain.register(f"raw_{name}", frame)
        casts = ", ".join(
            f'CAST("{one}" AS {_TYPES[one]}) AS "{one}"' for one in frame.column_names
        )
        whose = {"visits": "id IS NOT NULL", "patients": "pid IS NOT NULL"}.get(name, "true")
        known = whose if by_person else "true"
        plain.execute(f"CREATE TABLE {name} AS SELECT {casts} FROM raw_{name} WHERE {known}")
    try:
        yield World(opened, plain, by_person, CAPS if capped else None)
    finally:
        opened.close()
        plain.close()
