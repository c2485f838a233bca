"""Time against rows on every engine, as a ratio to the engine's own GROUP BY without privacy.

A release counts and sums by key, and weighs each person's rows (shares by rows).  It alternates
with the plain query in one process per engine, so that a busy machine slows both alike; the
quickest round counts.  Spark runs in the Python that is named on the command line: two executors
of one core and 1 GB beside the driver, and for the last job local[2].
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIZES = (100_000, 1_000_000, 10_000_000)
KEY_SIZES = (100_000, 1_000_000, 10_000_000)
KEYS = [f"key {number:04d}" for number in range(1000)]
CAP = 10
ROUNDS = 4
LIMITS = {"duckdb": "6", "spark": "6"}
CLUSTER = "local-cluster[2,1,1024]"
PEER = 15.0
"""Seconds that tmlt.analytics takes for the last job, warm, on two cores of the same machine."""
RECIPE = """COPY (
    SELECT CAST(hash(i) % {people} AS BIGINT) AS person,
        'key ' || lpad((hash(i + 1000000000) % 1000)::VARCHAR, 4, '0') AS key,
        CAST((hash(i + 2000000000) % 100000) / 1000 AS DOUBLE) AS value
    FROM range({rows}) t(i)
) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 122880)"""
PLAIN = "SELECT key, count(*), sum(value) FROM {source} GROUP BY key"


def main() -> None:
    import duckdb

    from timing import table

    spark = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        paths = []
        for rows in SIZES:
            paths.append(str(Path(folder) / f"{rows}.parquet"))
            duckdb.execute(RECIPE.format(people=rows // 20, rows=rows, path=paths[-1]))
        print("COUNT and SUM for 1,000 keys, a person for every 20 rows, cap 10, from Parquet (for")
        print("PostgreSQL from a table): seconds of a release, of the plain GROUP BY, their ratio,")
        print("and GB that the asking process ever held.\n")
        for engine, python in (("duckdb", sys.executable), ("postgres", sys.executable)):
            shown(engine, measured(python, engine, *paths), table)
        shown("spark", measured(spark, "spark", *paths), table)
        keys = measured(spark, "keys")
        print(f"\nspark: keys that nobody listed, two people each and {len(KEYS):,} with many.\n")
        lines = [
            [f"{one['rows']:,}", f"{one['ours']:.1f}", f"{one['released']:,}", f"{one['peak']:.2f}"]
            for one in keys
        ]
        print(table(["keys", "seconds", "released", "GB"], lines), flush=True)
        (job,) = measured(spark, "job", paths[1])
        print(f"\nspark local[2], {SIZES[1]:,} rows, 1,000 keys, people with caps, warm:")
        times = PEER / job["ours"]
        print(f"{job['ours']:.2f} s, {times:.1f}× faster than tmlt.analytics' {PEER:.0f} s (≥ 3).")


def shown(engine: str, found: list[dict[str, float]], table: Callable[..., str]) -> None:
    lines = []
    for one in found:
        last = one is found[-1]
        ratio = one["ours"] / one["plain"]
        limit = LIMITS.get(engine, "stated") if last else ""
        parts = [f"{one['ours']:.2f}", f"{one['plain']:.3f}", f"{ratio:.1f}", limit]
        lines.append([f"{engine}, {one['rows']:,} rows", *parts, f"{one['peak']:.2f}"])
    print(table(["", "release", "plain", "ratio", "≤", "GB"], lines))
    start, each = fitted([(one["rows"], one["ours"]) for one in found])
    print(f"fit: {start:.2f} s + {each * 1e6:.2f} s per 10^6 rows\n", flush=True)


def fitted(points: list[tuple[float, float]]) -> tuple[float, float]:
    """The line with the least relative errors through points."""
    import numpy as np

    sizes, times = (np.array(one, float) for one in zip(*points, strict=True))
    weights = 1 / times
    columns = np.stack([np.ones_like(sizes), sizes], axis=1) * weights[:, None]
    start, each = np.linalg.lstsq(columns, times * weights, rcond=None)[0]
    return float(start), float(each)


def measured(python: str, *arguments: str) -> list[dict[str, float]]:
    """What one case finds in a process of its own."""
    ran = subprocess.run(
        [python, __file__, "--case", *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    found: list[dict[str, float]] = json.loads(ran.stdout.splitlines()[-1])
    return found


def opened(source: Any) -> Any:
    import discreet as dp

    return dp.table(
        source,
        name="bench",
        unit="person",
        budget=dp.Budget(epsilon=10),
        columns={"key": dp.category(KEYS), "value": dp.number(0, 100)},
        max_rows=CAP,
        max_groups=CAP,
        ledger=":memory:",
    )


def asked(table: Any) -> object:
    import discreet as dp

    grouped = table.group_by("key").agg(rows=dp.rows(), total=dp.col("value").sum())
    return grouped.release(epsilon="1/10")


def best(ours: Callable[[], object], plain: Callable[[], object], rows: int) -> dict[str, float]:
    times = [float("inf")] * 2
    for call in (plain, ours):
        call()  # the first one is for the compiler
    for _ in range(ROUNDS):
        for place, call in enumerate((plain, ours)):
            start = time.perf_counter()
            call()
            times[place] = min(times[place], time.perf_counter() - start)
    return {"rows": rows, "plain": times[0], "ours": times[1], "peak": peak()}


def peak() -> float:
    """The most memory in GB that this process held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


# ---------------------------------------------------------------------- one engine each


def duckdb(*paths: str) -> list[dict[str, float]]:
    import duckdb as engine

    found = []
    for rows, path in zip(SIZES, paths, strict=True):
        plain, table = engine.connect(), opened(path)
        query = PLAIN.format(source=f"'{path}'")
        found.append(
            best(lambda: asked(table), lambda: plain.execute(query).fetchall(), rows)  # noqa: B023
        )
    return found


def postgres(*paths: str) -> list[dict[str, float]]:
    import duckdb as reader
    import psycopg

    # The tests know how to start a server; a peer installs a package that is also called tests.
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
    from postgres_server import running

    found = []
    with running() as address, psycopg.connect(address, autocommit=True) as connection:
        for rows, path in zip(SIZES, paths, strict=True):
            name = f"bench_{rows}"
            connection.execute(
                f"CREATE TABLE {name} (person bigint, key text, value double precision)"
            )
            reading = reader.connect().execute(f"SELECT person, key, value FROM '{path}'")
            with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
                while batch := reading.fetchmany(100_000):
                    copy.write("".join(f"{a}\t{b}\t{c!r}\n" for a, b, c in batch))
            connection.execute(f"VACUUM ANALYZE {name}")
            table = opened(f"{address}&table={name}")
            query = PLAIN.format(source=name)
            found.append(
                best(
                    lambda: asked(table),  # noqa: B023
                    lambda: connection.execute(query).fetchall(),  # noqa: B023
                    rows,
                )
            )
    return found


@contextmanager
def session(master: str) -> Iterator[Any]:
    """A Spark session with room for the sort of 10^7 rows."""
    from discreet.engines.spark.session import find_java

    java = find_java()
    if java is None:
        raise SystemExit("no Java of version 17 or newer was found")
    os.environ |= {"JAVA_HOME": str(java.home), "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "4",
    }
    with tempfile.TemporaryDirectory() as folder:
        builder = SparkSession.builder.master(master)
        for name, value in {**settings, "spark.sql.warehouse.dir": folder}.items():
            builder = builder.config(name, value)
        made = builder.getOrCreate()
        made.sparkContext.setLogLevel("OFF")
        try:
            yield made
        finally:
            made.stop()


def spark(*paths: str) -> list[dict[str, float]]:
    found = []
    with session(CLUSTER) as made:
        for rows, path in zip(SIZES, paths, strict=True):
            frame = made.read.parquet(path)
            frame.createOrReplaceTempView("plain")
            table = opened(frame)
            query = PLAIN.format(source="plain")
            found.append(
                best(lambda: asked(table), lambda: made.sql(query).collect(), rows)  # noqa: B023
            )
    return found


def keys() -> list[dict[str, float]]:
    """Keys of two people each, among which some are held by many."""
    import discreet as dp

    found = []
    with session(CLUSTER) as made:
        for many in KEY_SIZES:
            frame = made.range(0, 2 * many + 100 * len(KEYS), 1, 4).selectExpr(
                "id AS person",
                f"concat('key ', CAST(CASE WHEN id < {2 * many} THEN id % {many} "
                f"ELSE {many} + id % {len(KEYS)} END AS STRING)) AS key",
            )
            table = dp.table(
                frame,
                name="bench",
                unit="person",
                budget=dp.Budget(epsilon=10, delta=1e-3),
                columns={"key": dp.text()},
                max_rows=1,
                max_groups=1,
                ledger=":memory:",
            )
            grouped = table.group_by("key").agg(people=dp.people())
            start = time.perf_counter()
            answer = grouped.release(epsilon=1, delta=1e-6)
            seconds = time.perf_counter() - start
            released = len(answer.to_arrow())
            found.append({"rows": many, "ours": seconds, "released": released, "peak": peak()})
    return found


def job(path: str) -> list[dict[str, float]]:
    with session("local[2]") as made:
        frame = made.read.parquet(path)
        frame.createOrReplaceTempView("plain")
        table = opened(frame)
        return [best(lambda: asked(table), lambda: made.table("plain").count(), SIZES[1])]


if __name__ == "__main__":
    if sys.argv[1] == "--case":
        case, *arguments = sys.argv[2:]
        print(json.dumps(globals()[case](*arguments)))
    else:
        main()
