"""Addresses of Spark tables: no cluster is needed to read them."""

import pytest

import discreet as dp
from discreet.engines.sources import default_name, engine_of, find_source
from discreet.engines.spark import session
from discreet.engines.spark.source import SparkTable
from discreet.errors import SourceError


@pytest.mark.parametrize(
    ("source", "found", "name"),
    [
        (
            "spark://host:7077?table=hospital.visits",
            SparkTable("spark://host:7077", "hospital.visits"),
            "visits",
        ),
        ("spark://?table=visits", SparkTable(None, "visits"), "visits"),
        ("spark:///?table=`odd name`", SparkTable(None, "`odd name`"), "odd name"),
        (
            "sc://host:15002/;token=abc?path=/data/visits.parquet",
            SparkTable("sc://host:15002/;token=abc", None, "/data/visits.parquet"),
            "visits",
        ),
    ],
)
def test_an_address_names_a_cluster_and_a_table(source, found, name):
    assert find_source(source) == found
    assert default_name(source) == name
    assert engine_of(find_source(source)) == "spark"
    assert "abc" not in repr(find_source(source))


@pytest.mark.parametrize(
    "source",
    [
        "spark://host:7077",
        "spark://host:7077?table=",
        "spark://host:7077?table=a&path=b",
        "spark://host:7077?tabel=8675309",
        "sc://[8675309?table=a",
        "sc://host:15002/;token=8675309?table=a#b",
    ],
)
def test_an_address_that_says_too_little_or_too_much_is_refused(source):
    with pytest.raises(SourceError, match="spark://host:7077") as caught:
        find_source(source)
    assert "8675309" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "engine"),
    [
        ("visits.csv", "spark"),
        ("visits.json", "spark"),
        ("postgresql://host/db?table=a", "spark"),
        ("spark://?table=a", "duckdb"),
        ("spark://?table=a", "postgres"),
        ("spark://?table=a", "flink"),
    ],
)
def test_an_engine_reads_its_own_sources(source, engine):
    with pytest.raises(SourceError, match=r"engine is|no Parquet"):
        find_source(source, engine=engine)


def test_paths_of_stores_are_spark_s():
    assert find_source("s3a://bucket/visits", engine="spark") == SparkTable(
        None, None, "s3a://bucket/visits"
    )
    with pytest.raises(SourceError, match="is an address"):
        find_source("s3a://bucket/visits")


def test_spark_that_is_not_installed_is_said_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql", None)
    with pytest.raises(SourceError, match="pyspark"):
        dp.table(
            "spark://?table=visits",
            unit="row",
            budget=dp.Budget(epsilon=1),
            columns={"x": dp.number(0, 1)},
            ledger=":memory:",
        )


class Deaf:
    """A session of a server that answers, and is not Spark; or is an old one."""

    def __init__(self, version=None):
        self.client, self.closed, self.said = self, False, version

    @property
    def version(self):
        if self.said is None:
            raise RuntimeError("8675309")
        return self.said

    def close(self):
        self.closed = True


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (None, r"could be opened on host:15002\."),
        ("3.5.1", "of version 3"),
        ("x", "could be opened"),
    ],
)
def test_a_server_that_is_no_spark_4_is_refused_and_let_go(monkeypatch, version, message):
    found = Deaf(version)
    monkeypatch.setattr(session, "_installed", lambda: None)
    monkeypatch.setattr(session, "_opened", lambda source: (found, True))
    with pytest.raises(SourceError, match=message) as caught:
        session.session_of(SparkTable("sc://host:15002/;token=8675309", "visits"))
    assert found.closed
    assert caught.value.__context__ is None
    assert "8675309" not in str(caught.value)
