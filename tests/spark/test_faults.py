"""What goes wrong on a cluster: the answer is right or one constant error, and the charge stays."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.engines.sources import Sources, find_source
from discreet.engines.spark.engine import Spark
from discreet.errors import SourceError, UnansweredError
from discreet.plan.schema import Schema
from discreet.privacy.sensitivity import Neighbors
from tests.spark.clusters import executors
from tests.support.measuring import asked, integers
from tests.support.waits import until

COLUMNS = {"key": dp.category(["a", "b", "c"]), "x": dp.number(0, 10)}
DECLARED = Schema(
    name="t",
    columns=COLUMNS,
    unit="id",
    neighbors=Neighbors.ADD_REMOVE,
    max_rows=3,
    max_groups=2,
)
ROWS = 60_000


class Gate:
    """What tasks wait for while it is shut; a task that waits can be seen."""

    def __init__(self, folder: Path) -> None:
        self.open_file = folder / "open"
        self.waiting = folder / "waiting"
        self.waiting.mkdir()

    def open(self) -> None:
        self.open_file.touch()

    def shut(self) -> None:
        self.open_file.unlink()

    def wait_for_tasks(self, number: int) -> None:
        """Wait until so many tasks wait, each in a process of its own."""
        until(lambda: len(list(self.waiting.iterdir())) >= number, f"{number} tasks wait")


def gated_frame(session: Any, gate: Gate) -> Any:
    """Rows in four parts, which are the same whenever they are made, behind a gate."""
    open_file, waiting = str(gate.open_file), str(gate.waiting)

    def read(value: float) -> float:
        while not os.path.exists(open_file):
            with open(os.path.join(waiting, str(os.getpid())), "w"):
                time.sleep(0.01)
        return value

    session.udf.register("gated", read, "double")
    value = "CONV(SUBSTRING(SHA2(CAST(id AS STRING), 256), 1, 4), 16, 10)"
    return session.range(0, ROWS, 1, 4).selectExpr(
        "id % 5000 AS id",
        "ELEMENT_AT(ARRAY('a', 'b', 'c', 'd'), CAST(id % 4 AS INT) + 1) AS key",
        f"gated(CAST({value} AS DOUBLE) % 13) AS x",
    )


def measured(engine: Spark) -> dict[Any, Any]:
    query = {"n": dp.rows(), "p": dp.people(), "s": dp.col("x").sum(), "m": dp.col("x").median()}
    question = asked(DECLARED, query, ("key",))
    return integers(engine, question, question.measures, None)  # type: ignore[arg-type]


@contextmanager
def meanwhile(gate: Gate, tasks: int, action: Callable[[], None]) -> Iterator[None]:
    """An action in another thread, when so many tasks wait; then, whatever came, the gate opens."""

    def act() -> None:
        try:
            gate.wait_for_tasks(tasks)
            action()
        finally:
            gate.open()

    thread = threading.Thread(target=act)
    thread.start()
    yield
    thread.join()


def test_an_executor_that_is_killed_changes_no_integer(local_cluster: Any, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    gate.open()
    frame = gated_frame(local_cluster, gate)
    with closing(Spark(Sources(find_source(frame)), DECLARED)) as engine:
        expected = measured(engine)
        gate.shut()
        killed: list[int] = []

        def kill() -> None:
            # Two tasks wait, and an executor has one core: each of the two executors has one.
            killed.append(executors(local_cluster)[0])
            os.kill(killed[0], signal.SIGKILL)

        with meanwhile(gate, 2, kill):
            found = measured(engine)
        assert found == expected
        assert killed[0] not in executors(local_cluster)


def failing(session: Any, *, always: bool) -> Any:
    """A frame whose tasks fail when they are first run, or whenever they are."""
    from pyspark import TaskContext
    from pyspark.sql.functions import col, udf

    def read(value: float) -> float:
        context = TaskContext.get()
        if context is not None and (always or context.attemptNumber() == 0):
            raise ValueError("8675309")
        return value

    frame = session.range(0, 2000, 1, 2).selectExpr(
        "id % 50 AS id", "'a' AS key", "CAST(id % 10 AS DOUBLE) AS x"
    )
    return frame.withColumn("x", udf(read, "double", useArrow=False)(col("x")))


def test_a_task_that_is_run_again_counts_once(local_cluster: Any) -> None:
    plain = local_cluster.range(0, 2000, 1, 2).selectExpr(
        "id % 50 AS id", "'a' AS key", "CAST(id % 10 AS DOUBLE) AS x"
    )
    with (
        closing(Spark(Sources(find_source(plain)), DECLARED)) as engine,
        closing(
            Spark(Sources(find_source(failing(local_cluster, always=False))), DECLARED)
        ) as other,
    ):
        assert measured(other) == measured(engine)


def opened(frame: Any, **declared: Any) -> dp.Table:
    return dp.table(
        frame,
        **{
            "name": "t",
            "unit": "id",
            "budget": dp.Budget(epsilon=10),
            "columns": COLUMNS,
            "max_rows": 3,
            "max_groups": 2,
            "ledger": ":memory:",
            **declared,
        },
    )


def spent(table: dp.Table) -> float:
    return float(table.budget.spent.epsilon)


def check_silent(error: BaseException) -> None:
    """Nothing of the cause is kept: it could carry a row."""
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "8675309" not in str(error)


def test_a_task_that_always_fails_is_one_constant_error(local_cluster: Any) -> None:
    with opened(failing(local_cluster, always=True)) as table:
        with pytest.raises(UnansweredError, match="the charge stays") as caught:
            table.agg(s=dp.col("x").sum()).release(epsilon=1)
        check_silent(caught.value)
        assert spent(table) == 1


def test_a_query_that_is_cancelled_leaves_the_charge(connect_session: Any, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    with opened(gated_frame(connect_session, gate)) as table:
        with (
            meanwhile(gate, 1, connect_session.interruptAll),
            pytest.raises(UnansweredError) as caught,
        ):
            table.group_by("key").agg(s=dp.col("x").sum()).release(epsilon=1)
        check_silent(caught.value)
        assert spent(table) == 1


def test_a_table_is_found_anew_for_every_question(local_cluster: Any) -> None:
    name = "growing"
    rows = local_cluster.range(0, 2000).selectExpr("id", "'a' AS key", "CAST(5 AS DOUBLE) AS x")
    rows.write.mode("overwrite").saveAsTable(name)
    with opened(f"spark://?table={name}", name="t") as table:
        first = table.agg(n=dp.people()).release(epsilon=2)["n"].value
        rows.selectExpr("id + 2000 AS id", "key", "x").write.mode("append").saveAsTable(name)
        second = table.agg(n=dp.people()).release(epsilon=2)["n"].value
        assert abs(first - 2000) < 60
        assert abs(second - 4000) < 60
        rows.selectExpr("id", "key", "x AS y").write.mode("overwrite").saveAsTable(name)
        before = spent(table)
        with pytest.raises(SourceError, match="Nothing was spent"):
            table.agg(n=dp.people()).release(epsilon=2)
        assert spent(table) == before
    local_cluster.sql(f"DROP TABLE {name}")


def test_views_are_gone_with_the_table(local_cluster: Any) -> None:
    rows = local_cluster.range(0, 20).selectExpr("id", "'a' AS key", "CAST(5 AS DOUBLE) AS x")

    def views() -> set[str]:
        found = {one.name for one in local_cluster.catalog.listTables() if one.isTemporary}
        return {name for name in found if name.startswith("discreet_")}

    before = views()
    table = opened(rows)
    table.agg(n=dp.rows()).release(epsilon=1)
    assert len(views() - before) == 1
    table.close()
    assert views() == before
