"""The clusters that the tests of Spark rely on."""

import os
import signal
import subprocess
import sys

import pytest
from pyspark.sql import SparkSession

from tests.spark.clusters import Clusters, executors
from tests.support.waits import PATIENCE, until

QUESTION = "SELECT sum(id) FROM range(1000)"
ELSEWHERE = """
import sys
from pyspark.sql import SparkSession
from tests.spark.clusters import executors
session = SparkSession.builder.master(sys.argv[1]).getOrCreate()
print("found", session.sql(sys.argv[2]).collect()[0][0], len(executors(session)))
session.stop()
"""


def answer(session: SparkSession) -> int:
    found: int = session.sql(QUESTION).collect()[0][0]
    return found


def all_of(session: SparkSession) -> list[int]:
    """The executors, once there are two."""
    return until(lambda: found if len(found := executors(session)) >= 2 else [], "two executors")


def check_a_lost_executor(session: SparkSession) -> None:
    before = all_of(session)
    os.kill(before[0], signal.SIGKILL)
    assert answer(session) == 499_500
    after = all_of(session)
    assert len(after) == 2
    assert before[0] not in after
    assert os.getpid() not in after


def test_a_local_cluster_answers_and_outlives_an_executor(local_cluster: SparkSession) -> None:
    assert answer(local_cluster) == 499_500
    check_a_lost_executor(local_cluster)


@pytest.mark.soak  # as test_table's policy that names this cluster
def test_a_standalone_cluster_answers_a_process_of_its_own(standalone: str) -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, standalone, QUESTION],
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
    )
    assert "found 499500 2" in asked.stdout, asked.stderr


def test_a_connect_server_answers_and_outlives_an_executor(
    clusters: Clusters, connect: str
) -> None:
    session = clusters.remote()
    assert connect.startswith("sc://127.0.0.1:")
    assert answer(session) == 499_500
    check_a_lost_executor(session)
    session.stop()


def test_the_kinds_of_session_leave_each_other_alone(
    clusters: Clusters, local_cluster: SparkSession, connect: str
) -> None:
    public = SparkSession.builder.remote(connect).create()
    assert os.environ.pop("SPARK_CONNECT_MODE_ENABLED")
    assert answer(public) == 499_500
    own = clusters.remote()
    for session in (local_cluster, own, local_cluster):
        assert answer(session) == 499_500
        assert session.sql("SELECT :x AS x", {"x": 5}).collect()[0][0] == 5
    assert set(executors(local_cluster)).isdisjoint(executors(own))
    assert clusters.classic(local_cluster.sparkContext.master) is local_cluster
    public.stop()
