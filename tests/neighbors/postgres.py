"""Tables of PostgreSQL, one database for each of two neighbors."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from tests.neighbors.kinds import EVERY, NUMERIC, OBJECTS, Cell, Kind
from tests.neighbors.people import Held
from tests.neighbors.store import Store, Written
from tests.reading import rule
from tests.support.postgres_tables import fill

_WITHOUT_ZERO = [cell for cell in rule.TEXTS if cell is None or "\0" not in cell]
_ENDLESS = ["infinity", "-infinity"]
_NUMERIC = [*rule.WIDE_DECIMALS, Decimal("NaN"), Decimal("Infinity"), Decimal("1e1000")]


def _like(name: str, odd: list[Cell], of: str, kind: str) -> Kind:
    return Kind(name, odd, EVERY[of].made, postgres=kind)


def _day(value: Any) -> Cell:
    return EVERY["date"].made(value)


KINDS = {
    kind.name: kind
    for kind in (
        *(EVERY[name] for name in ("int64", "int8", "float64", "float32", "decimal", "bool")),
        _like("wide decimal", _NUMERIC, "wide decimal", "numeric"),
        _like("text", _WITHOUT_ZERO, "text", "text"),
        _like("varchar", _WITHOUT_ZERO, "text", "varchar"),
        _like("padded", [None, "a", "7 ", "", "true"], "text", "char(12)"),
        _like("bytes", [*rule.BYTES, *rule.NOT_UTF8], "bytes", "bytea"),
        _like("day", [*rule.DATES, *_ENDLESS, "0044-03-15 BC", "12345-01-01"], "date", "date"),
        Kind("moment", [*rule.MOMENTS, *_ENDLESS, "0044-03-15 BC"], _day, postgres="timestamp"),
        Kind("zoned", [*rule.ZONED, *_ENDLESS, "99999-01-01"], _day, postgres="timestamptz"),
        Kind("time", [*rule.TIMES, "24:00:00"], OBJECTS.made, postgres="time"),
        Kind("uuid", [None, UUID(int=0), UUID(int=7)], lambda value: None, postgres="uuid"),
    )
}

_DATED = ("day", "moment", "zoned")
FITS = {
    "date": _DATED,
    "datetime": _DATED,
    "time": ("time",),
    "number": [*NUMERIC, "bool"],
    "boolean": ["bool", *NUMERIC],
    "text": [name for name in KINDS if name != "bytes"],
}


@contextmanager
def postgres_store(server: str) -> Iterator[Store]:
    """A store that writes into two databases of a server, by the names of the folders."""
    first = server.replace("/postgres?", "/{}?")
    with psycopg.connect(server, autocommit=True) as connection:
        for name in ("before", "after"):
            connection.execute(f"CREATE DATABASE fuzzed_{name}")

        def write(held: Held, folder: Path, name: str, layout: Random) -> Written:
            address = first.format(f"fuzzed_{folder.name}")
            with psycopg.connect(address) as database:
                _write(database, held, name, analyzed=layout.random() < 0.5)
            return f"{address}&table={name}", None

        try:
            yield Store("PostgreSQL", write, KINDS, fits=FITS)
        finally:
            for name in ("before", "after"):
                connection.execute(f"DROP DATABASE fuzzed_{name} WITH (FORCE)")


def _write(database: Any, held: Held, name: str, *, analyzed: bool) -> None:
    """A table made anew, with what the server finds out about its rows or without."""
    kinds = {column: str(kind.postgres) for column, kind in held.kinds.items()}
    database.execute(f"DROP TABLE IF EXISTS {name}")
    listed = ", ".join(f'"{column}" {kind}' for column, kind in kinds.items())
    database.execute(f"CREATE TABLE {name} ({listed})")
    rows = [[row[column] for column in kinds] for row in held.rows]
    fill(database, name, kinds, [rows[place] for place in held.places])
    if analyzed:
        database.execute(f"ANALYZE {name}")
