"""Releases from a table against the same GROUP BY on DuckDB without privacy, and against OpenDP.

Every case runs in a process of its own, which alternates it with the plain query on a default
connection, so that a busy machine slows both alike; the quickest round of each counts, and the
ratio is also taken of processor time.  Memory is the most that the process ever held.
``--large`` adds 10^8 rows.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from timing import table

ROWS, MANY_ROWS, FEW_ROWS = 10_000_000, 100_000_000, 1_000_000
KEYS = [f"key {number:04d}" for number in range(1000)]
CAP = 10
ROUNDS = 5
REPEATS = 20
RECIPE = """COPY (
    SELECT person{others},
        'key ' || lpad((hash(i + 1000000000) % 1000)::VARCHAR, 4, '0') AS key,
        CAST((hash(i + 2000000000) % 100000) / 1000 AS DOUBLE) AS value
    FROM (SELECT i, CAST(hash(i) % {people} AS BIGINT) AS person FROM range({rows}) t(i))
) TO '{path}' (FORMAT parquet)"""
OTHERS = ", CAST(hash(person) >> 1 AS BIGINT) AS sparse, 'p' || hash(person) AS text"
PLAIN = "SELECT key, count(*), sum(value) FROM '{path}' GROUP BY key"

CASES = {
    "rows: COUNT, SUM": ("row", "sums", "2"),
    "people: COUNT, SUM": ("person", "sums", "6"),
    "people: COUNT, SUM, sparse ids": ("sparse", "sums", ""),
    "people: COUNT, SUM, text ids": ("text", "sums", ""),
    "people per key": ("person", "people", "30"),
    "people per key, sparse ids": ("sparse", "people", ""),
    "people per key, text ids": ("text", "people", ""),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder, ROWS, OTHERS)
        rows = []
        for name, (unit, asked, target) in CASES.items():
            rows.append(row(name, measured("release", path, unit, asked, ROUNDS), target))
        print(f"{ROWS:,} rows, {ROWS // 20:,} people, {len(KEYS):,} keys, from Parquet: seconds of")
        print("a release, of the plain GROUP BY, their ratio, that of processor time, peak GB.\n")
        print(table(["", "release", "plain", "ratio", "cpu ratio", "≤", "GB"], rows), flush=True)
        few = make(folder, FEW_ROWS)
        found = measured("peer", few)
        ratio = found["peer"] / found["ours"]
        print(f"\n{FEW_ROWS:,} rows, COUNT and SUM by person: {found['ours']:.3f} s; OpenDP's")
        print(f"Context on Polars {found['peer']:.1f} s, {ratio:.0f}× (≥ 20).", flush=True)
        by_norm = {asked: measured("weighed", few, asked, ROUNDS) for asked in ("sums", "people")}
        rows = [
            [asked, f"{one['L1']:.3f}", f"{one['L2']:.3f}", f"{one['L2'] / one['L1']:.1f}"]
            for asked, one in by_norm.items()
        ]
        print(f"\n{FEW_ROWS:,} rows measured by weights in L1 and in L2: seconds and ratio.\n")
        print(table(["", "L1", "L2", "ratio"], rows), flush=True)
        runs = [measured("small") for _ in range(3)]
        best = {name: min(one[name] for one in runs) * 1000 for name in runs[0]}
        print(f"\n1,000 rows in memory: a release {best['next']:.1f} ms (≤ 15); the first in a")
        print(
            f"process {best['first']:.0f} ms; opening the table, {best['open']:.0f} ms.", flush=True
        )
        if "--large" in sys.argv:
            large = make(folder, MANY_ROWS)
            rows = [
                row(name, measured("release", large, unit, asked, 1), "")
                for name, (unit, asked, target) in CASES.items()
                if target
            ]
            print(f"\n{MANY_ROWS:,} rows, {MANY_ROWS // 20:,} people.\n")
            print(table(["", "release", "plain", "ratio", "cpu ratio", "≤", "GB"], rows))


def make(folder: str, rows: int, others: str = "") -> str:
    """A table of rows that are scattered over people and keys, always the same."""
    import duckdb

    path = str(Path(folder) / f"{rows}.parquet")
    duckdb.execute(RECIPE.format(people=rows // 20, rows=rows, path=path, others=others))
    return path


def row(name: str, found: dict[str, float], target: str) -> list[str]:
    ratio, cpu = found["ours"] / found["plain"], found["cpu"] / found["plain_cpu"]
    parts = [f"{found['ours']:.2f}", f"{found['plain']:.3f}", f"{ratio:.1f}", f"{cpu:.1f}", target]
    return [name, *parts, f"{found['peak']:.2f}"]


def measured(*arguments: object) -> dict[str, float]:
    """What one case finds in a process of its own."""
    command = [sys.executable, __file__, "--case", *map(str, arguments)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def question(source: Any, unit: str, asked: str) -> Any:
    import discreet as dp

    caps: dict[str, Any] = {} if unit == "row" else {"max_rows": CAP, "max_groups": CAP}
    opened = dp.table(
        source,
        name="bench",
        unit=unit,
        budget=dp.Budget(epsilon=10),
        columns={"key": dp.category(KEYS), "value": dp.number(0, 100)},
        ledger=":memory:",
        **caps,
    )
    grouped = opened.group_by("key")
    if asked == "people":
        return grouped.agg(people=dp.people())
    return grouped.agg(rows=dp.rows(), total=dp.col("value").sum())


def release(path: str, unit: str, asked: str, rounds: str) -> dict[str, float]:
    import duckdb

    plain, ours = duckdb.connect(), question(path, unit, asked)
    query = PLAIN.format(path=path)
    before, after = alternated(
        [lambda: plain.execute(query).fetchall(), lambda: ours.release(epsilon="1/10")],
        int(rounds),
    )
    return {
        "plain": before[0],
        "plain_cpu": before[1],
        "ours": after[0],
        "cpu": after[1],
        "peak": peak(),
    }


def weighed(path: str, asked: str, rounds: str) -> dict[str, float]:
    """The engine alone: what a person's rows weigh by their number, and by squares in groups."""
    from discreet.measures.measure import Norm

    asking = question(path, "person", asked)
    plan = asking.plan(epsilon="1/10")
    engine, unit = asking.table.engine(), plan.question.unit

    def measure(norm: Norm) -> Callable[[], object]:
        own = unit.weighed_by(norm)
        return lambda: engine.measure(plan.question, plan.measured, None, own)

    found = alternated([measure(norm) for norm in Norm], int(rounds))
    return {norm.value: seconds for norm, (seconds, _) in zip(Norm, found, strict=True)}


def alternated(calls: list[Callable[[], object]], rounds: int) -> list[tuple[float, float]]:
    """The least seconds and the least processor time of each call."""
    best = [(float("inf"), float("inf"))] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start, used = time.perf_counter(), time.process_time()
            call()
            wall, cpu = time.perf_counter() - start, time.process_time() - used
            best[place] = min(best[place][0], wall), min(best[place][1], cpu)
    return best


def peer(path: str) -> dict[str, float]:
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    ours = question(path, "person", "sums")

    def theirs() -> object:
        context = dp.Context.compositor(
            data=pl.scan_parquet(path),
            privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("person")),
            privacy_loss=dp.loss_of(epsilon=0.1),
            split_evenly_over=1,
            margins=[dp.polars.Margin(by=["key"], max_length=FEW_ROWS, max_groups=len(KEYS))],
        )
        value = pl.col("value").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, 100.0))
        query = context.query().truncate_per_group(CAP).group_by("key").agg(dp.len(), value)
        return query.with_keys(pl.LazyFrame({"key": KEYS})).release().collect()

    calls = [lambda: ours.release(epsilon="1/10"), theirs]
    (first, _), (second, _) = alternated(calls, 2)
    return {"ours": first, "peer": second}


def small() -> dict[str, float]:
    """Opening a table of 1,000 rows in memory, the first release from it, and the next ones."""
    import pyarrow as pa

    import discreet as dp

    frame = pa.table({"age": [number % 100 for number in range(1000)]})
    moments = [time.perf_counter()]
    opened = dp.table(
        frame,
        name="bench",
        unit="row",
        budget=dp.Budget(epsilon=10),
        columns={"age": dp.integer(0, 120)},
        ledger=":memory:",
    )
    moments.append(time.perf_counter())
    for _ in range(REPEATS):
        opened.agg(rows=dp.rows(), mean=dp.col("age").mean()).release(epsilon="1/10")
        moments.append(time.perf_counter())
    times = [after - before for before, after in pairwise(moments)]
    return {"open": times[0], "first": times[1], "next": min(times[2:])}


def peak() -> float:
    """The most memory in GB that this process held."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held / (1 << 20 if sys.platform == "linux" else 1 << 30)


CALLS: dict[str, Callable[..., dict[str, float]]] = {
    "release": release,
    "peer": peer,
    "weighed": weighed,
    "small": small,
}

if __name__ == "__main__":
    if sys.argv[1:2] == ["--case"]:
        warnings.simplefilter("ignore")
        case, *rest = sys.argv[2:]
        print(json.dumps(CALLS[case](*rest)))
    else:
        main()
