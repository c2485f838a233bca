"""Processes that ask a table and kill themselves at a given step of their first release."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas

from discreet.engines.duckdb.engine import DuckDB
from discreet.ledger import Ledger, charges
from discreet.plan.schema import integer
from discreet.privacy.losses import Budget
from discreet.question.builder import col, rows
from discreet.release import table as tables
from discreet.release.open_table import table
from discreet.release.release import Release
from discreet.release.table import Table

STEPS = (
    "before charge",
    "after charge",
    "before measure",
    "after measure",
    "before noise",
    "after noise",
    "before release",
    "after release",
    "never",
)


def visits(ledger: str) -> Table:
    frame = pandas.DataFrame({"age": [30, 40] * 50})
    return table(
        frame,
        name="visits",
        unit="row",
        budget=Budget(epsilon=10),
        columns={"age": integer(0, 120)},
        ledger=ledger,
    )


def dying(call: Callable[..., Any], when: str) -> Callable[..., Any]:
    def called(*arguments: Any, **named: Any) -> Any:
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*arguments, **named)
        if when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return called


def ask(ledger: str, key: str | None) -> Release:
    with visits(ledger) as opened:
        return opened.agg(n=rows(), m=col("age").mean()).release(
            epsilon="1/2", key=key, analyst="ann"
        )


def asked(ledger: str, step: str, key: str) -> None:
    when, _, what = step.partition(" ")
    if what == "measure":
        DuckDB.measure = dying(DuckDB.measure, when)  # type: ignore[method-assign]
    elif what == "noise":
        tables.run_and_noise = dying(tables.run_and_noise, when)
    elif what == "charge":
        Ledger.charge = dying(Ledger.charge, when)  # type: ignore[method-assign]
    elif what == "release":
        Ledger.answer = dying(Ledger.answer, "after")  # type: ignore[method-assign]
        if when == "before":
            charges.release = dying(charges.release, "before")
    print(ask(ledger, key or None)["n"].value, flush=True)


def main(folder: str, key: str) -> None:
    """For each step a process, forked before anything is opened, and how it ended."""
    for step in STEPS:
        child = os.fork()
        if child == 0:
            with Path(folder, f"{step}.out").open("w") as out:
                os.dup2(out.fileno(), sys.stdout.fileno())
            asked(str(Path(folder, f"{step}.ledger")), step, key)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
