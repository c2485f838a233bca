"""Durable charges per second against raw inserts at the same durability, and reading back.

Raw: the row of a charge, inserted as it is by the driver alone, in a transaction of its own with
the same settings; once into a table that has nothing but its primary key, and once into a table
with the ledger's indexes. Short blocks alternate, so that a busy disk slows all of them alike.
"""

import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

# The tests know how to start a server; a peer installs a package that is also called tests.
sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from postgres_server import NoServerError, running

from discreet.ledger import Entry, Ledger
from discreet.ledger.accounts import ChargeRequest
from discreet.ledger.entries import COLUMNS
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget
from timing import table

CHARGES = 50
ROUNDS = 80
BEFORE = 30
"""Blocks that are not counted: in them SQLite's log still grows to its usual length."""
ENTRIES = 100_000
BUDGET = Budget(epsilon=10, delta=1e-6)
TINY = PureEvent(epsilon="1/1000000")


def charging(place: str) -> Callable[[], None]:
    ledger = Ledger(place)
    ledger.declare("visits", neighbors="add-remove", budget=BUDGET)

    def charges() -> None:
        for number in range(CHARGES):
            ledger.charge("visits", event=TINY, question=f"question {number}", analyst="ann")

    return charges


def inserting(connection: Any, begin: str, mark: str) -> Callable[[], None]:
    """Insert a charge's row as it is, without a look at any budget."""
    entry = a_charge()
    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    statement = f"INSERT INTO discreet_entries ({columns}) VALUES ({', '.join([mark] * 10)})"
    row = [getattr(entry, name) for name in COLUMNS[1:]]
    numbers = count(1)

    def inserts() -> None:
        for _ in range(CHARGES):
            connection.execute(begin)
            connection.execute(statement, (next(numbers), *row))
            connection.execute("COMMIT")

    return inserts


PLAIN = """CREATE TABLE discreet_entries (
    sequence {number} PRIMARY KEY, previous TEXT NOT NULL, time TEXT NOT NULL, kind TEXT NOT NULL,
    dataset TEXT NOT NULL, analyst TEXT, "key" TEXT, charge {number}, body TEXT NOT NULL,
    hash TEXT NOT NULL)"""


def inserting_in_sqlite(path: Path, *, plain: bool) -> Callable[[], None]:
    if not plain:
        Ledger(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")
    if plain:
        connection.execute(PLAIN.format(number="INTEGER"))
    return inserting(connection, "BEGIN IMMEDIATE", "?")


def inserting_in_postgres(address: str, *, plain: bool) -> Callable[[], None]:
    import psycopg

    if not plain:
        Ledger(address).close()
    connection = psycopg.connect(address, autocommit=True)
    if plain:
        connection.execute(PLAIN.format(number="BIGINT"))
    return inserting(connection, "BEGIN", "%s")


def compared(
    what: str, charges: Callable[[], None], plain: Callable[[], None], indexed: Callable[[], None]
) -> list[str]:
    """Charges and inserts per second in the middle block, and the ratios of block to block."""
    blocks = []
    for number in range(BEFORE + ROUNDS):
        times = [0.0, 0.0, 0.0]
        calls = list(enumerate((charges, plain, indexed)))
        for place, call in calls[number % 3 :] + calls[: number % 3]:
            start = time.perf_counter()
            call()
            times[place] = time.perf_counter() - start
        blocks.append(times)
    del blocks[:BEFORE]
    ours, bare, full = (CHARGES / median(column) for column in zip(*blocks, strict=True))
    ratios = (median(block[place] / block[0] for block in blocks) for place in (1, 2))
    rates = (f"{rate:,.0f}" for rate in (ours, bare, full))
    return [what, *rates, *(f"{ratio:.2f}" for ratio in ratios)]


def a_charge() -> Entry:
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=BUDGET)
        ledger.charge("visits", event=TINY, question="question", analyst="ann")
        return ledger.recent(1)[0]


def fill(path: str, entries: int) -> None:
    """A ledger with many charges, written in one transaction."""
    with Ledger(path) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=BUDGET)
        question = ChargeRequest.read(
            dataset="visits",
            analyst="ann",
            event=TINY,
            question="question",
            key=None,
            summary="how many patients?",
            keeps_answer=True,
        )
        journal = ledger._journal
        with journal.writing() as pen:
            standing = journal.standing(pen, "visits", "ann")
            for _ in range(entries):
                body, standing = question.paid(standing, pen.time)
                pen.append("charge", "visits", body, analyst="ann")


def in_schema(address: str, name: str) -> str:
    """The address of an empty schema of a database."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{address}&options=-csearch_path%3D{name}"


READERS = {
    "history": "sum(1 for entry in ledger.history())",
    "history, each body parsed": "sum(bool(entry.data) for entry in ledger.history())",
    "export": "sum(map(len, ledger.export()))",
    "verify": "ledger.verify().sound or sys.exit('unsound')",
}


def reading(path: str, expression: str) -> tuple[float, float]:
    """Seconds, and the most memory in MB that a process used for it beyond what it began with."""
    code = f"""
import resource, sys, time
from discreet.ledger import Ledger
with Ledger({path!r}, read_only=True) as ledger:
    next(ledger.history())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    {expression}
    seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, memory = map(float, ran.stdout.split())
    return seconds, memory / (1024 if sys.platform == "linux" else 1 << 20)


def main() -> None:
    size = len(a_charge().line())
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        rows = [
            compared(
                "SQLite",
                charging(str(folder / "bench.ledger")),
                inserting_in_sqlite(folder / "plain.db", plain=True),
                inserting_in_sqlite(folder / "indexed.ledger", plain=False),
            )
        ]
        try:
            with running() as address:
                ours, bare, full = (in_schema(address, name) for name in ("a", "b", "c"))
                rows.append(
                    compared(
                        "PostgreSQL",
                        charging(ours),
                        inserting_in_postgres(bare, plain=True),
                        inserting_in_postgres(full, plain=False),
                    )
                )
        except (NoServerError, ImportError) as error:
            print(f"PostgreSQL is not measured: {error}\n")
        print(
            f"Durable charges of {size} bytes per second, one process; raw inserts of the same row "
            "into\na plain table and into one with the ledger's indexes; charges / raw inserts.\n"
        )
        print(table(["store", "charges", "plain", "indexed", "/ plain", "/ indexed"], rows))

        found = []
        for entries in (ENTRIES // 10, ENTRIES):
            path = str(folder / f"{entries}.ledger")
            fill(path, entries)
            found.append({what: reading(path, code) for what, code in READERS.items()})
        few, many = found
        print(f"\nReading {ENTRIES:,} entries from SQLite; memory beyond that of an open ledger.\n")
        header = ["", "seconds", "MB", f"MB at {ENTRIES // 10:,}"]
        print(
            table(
                header,
                [
                    [what, f"{many[what][0]:.2f}", f"{many[what][1]:.1f}", f"{few[what][1]:.1f}"]
                    for what in READERS
                ],
            )
        )


if __name__ == "__main__":
    main()
