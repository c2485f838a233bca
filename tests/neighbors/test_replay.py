"""An example that was found is had again by what its failure prints."""

import os
import re
import subprocess
import sys

import pytest

from tests.neighbors.comparing import Counts, FoundError
from tests.neighbors.example import replay, run
from tests.neighbors.holes import HOLES, reopened
from tests.neighbors.running import closely
from tests.neighbors.store import Store
from tests.neighbors.stores import STORES
from tests.support.package_source import ROOT


def test_the_example_that_is_asked_for(request: pytest.FixtureRequest) -> None:
    """``--replay "CSV: 1234"``, as a failure prints it; some example, where none is asked for."""

    def store(name: str) -> Store:
        found: Store = STORES[name] if name in STORES else request.getfixturevalue("postgres")
        return found

    replay(store, request.config.getoption("replay") or "Arrow: 1/5")


@pytest.mark.slow
def test_a_failure_prints_what_finds_it_again() -> None:
    """In another process too, whose sets have another order."""
    hole = "pandas' types decide"
    with reopened(hole):
        first = _found(HOLES[hole][0])
        notes = " ".join(first.__notes__)
        shown = re.findall(r'--replay "(.+)"', notes)[0]
        with pytest.raises(FoundError) as second:
            replay(STORES.__getitem__, shown)
    assert str(second.value) == str(first)
    assert "./dev test tests/neighbors/test_replay.py --replay" in notes
    assert "Question: " in notes
    code = f"from tests.neighbors.test_replay import again; again({hole!r}, {shown!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(first).strip()


def again(hole: str, shown: str) -> None:
    with reopened(hole), pytest.raises(FoundError) as found:
        replay(STORES.__getitem__, shown)
    print(found.value)


def _found(store: str) -> FoundError:
    for number in closely():
        try:
            run(STORES[store], number, Counts(), 1)
        except FoundError as error:
            return error
    raise AssertionError("the hole is not found")
