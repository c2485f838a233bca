"""Clusters for the tests of Spark; without PySpark none of them is collected."""

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.clusters import Clusters

MISSING = "NO SPARK TESTS: pyspark is not installed; run ./dev test tests/spark"

if find_spec("pyspark") is None:

    def pytest_make_collect_report(collector: pytest.Collector) -> pytest.CollectReport | None:
        if not collector.path.is_relative_to(Path(__file__).parent):
            return None
        return pytest.CollectReport(collector.nodeid, "skipped", (__file__, 1, MISSING), [])


def pytest_runtest_setup() -> None:
    """Forget that a test made a remote session: PySpark would take every session for one."""
    os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)


@pytest.fixture(scope="session")
def clusters() -> "Iterator[Clusters]":
    """Clusters to be asked for; they are ended also when the tests are."""
    from tests.spark.clusters import NoSparkError, running

    def end(*_: Any) -> None:
        pytest.exit("terminated", 128 + signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, end)
    try:
        with running() as found:
            yield found
    except NoSparkError as error:
        pytest.skip(f"NO SPARK TESTS: {error}")
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def local_cluster(clusters: "Clusters") -> "SparkSession":
    """A classic session whose two executors are processes beside it."""
    from tests.spark.clusters import LOCAL

    return clusters.classic(LOCAL)


@pytest.fixture(scope="session")
def standalone(clusters: "Clusters") -> str:
    """The address of a master with two workers."""
    return clusters.standalone


@pytest.fixture(scope="session")
def connect(clusters: "Clusters") -> str:
    """The address of a Connect server on the standalone cluster."""
    return clusters.connect


@pytest.fixture(scope="session")
def connect_session(clusters: "Clusters") -> "SparkSession":
    """A session of the Connect server."""
    return clusters.remote()
