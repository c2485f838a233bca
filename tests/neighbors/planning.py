"""Questions planned in a process of its own, where the operating system bounds the work of each.

A planner that is kept busy cannot be asked to stop: a product of two long integers hears no signal
of Python's.  The system ends the process.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from math import ceil
from random import Random

from discreet.errors import DiscreetError
from discreet.release.table import Table
from tests.neighbors.comparing import FoundError
from tests.question.hostile import number, opened
from tests.support.package_source import ROOT

SECONDS = 3
"""Of the processor, for one question.  One is promised; the system counts whole seconds, and a
processor that is shared takes longer for the same work."""

_GROWING = (
    *("POWER({}, 9)", "POWER({}, 50)", "POWER({}, 99)", "POWER({}, 100)", "POWER({}, -7)"),
    *("EXP({})", "POWER({}, 0.5)", "({0} * {0})", "({0} + {0} * {0})", "(1 / (1 + {}))"),
)


def plan_many(seed: int, many: int, hole: str = "") -> None:
    """Plan questions as chance has them; ``FoundError`` names one that takes too long.

    ``hole`` is opened again in that process.
    """
    words = ["from tests.neighbors.planning import main; main()", str(seed), str(many), hole]
    done = subprocess.run(
        [sys.executable, "-c", *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == -signal.SIGXCPU:
        place = len(done.stdout.splitlines()) - 1
        shown = question(seed, place)
        raise FoundError(f"to plan takes more than {SECONDS} seconds: {shown} ({seed}: {place})")
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def question(seed: int, place: int) -> str:
    """One of those questions: what grows, nested again and again, in few characters."""
    random = Random(f"{seed} {place}")
    inner, several = number(random, 0), random.sample(_GROWING, random.choice((1, 2, 3)))
    for _ in range(random.choice((1, 3, 5, 8))):
        inner = random.choice(several).format(inner)
    return f"SELECT SUM({inner}) AS a FROM t"


def main() -> None:
    """What the other process does: a line for each question, before it is planned."""
    seed, many, hole = sys.argv[1:]
    holes = nullcontext()
    if hole:
        from tests.neighbors.holes import reopened

        holes = reopened(hole)
    with opened() as table, holes:
        _plan(table, "SELECT COUNT(*) AS n FROM t")  # which imports all there is
        for place in range(int(many)):
            text = question(int(seed), place)
            print(place, flush=True)
            allowed = ceil(time.process_time()) + SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))
            _plan(table, text)


def _plan(table: Table, text: str) -> None:
    try:
        table.ask(text).plan(epsilon=1).explain()
    except DiscreetError:
        return
