"""One question takes every step once: a source, a check, a text of SQL, a look at the budget.

Calls are counted by the hook of ``benchmarks/walk.py``, which every call of the source passes.
"""

import sys
from collections.abc import Callable
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from discreet.policy import read_policy
from discreet.release.open_table import read_declarations, table
from tests.cli.conftest import Command
from tests.support.package_source import ROOT
from tests.support.visits_policy import BY_WARD, write_visits

MOST_FILES, MOST_SWITCHES = 75, 325

STEPS = {
    "the policy is read": ("policy/reader.py", "read_policy"),
    "the declarations are validated": ("plan/schema.py", "Schema.__post_init__"),
    "the source is opened": ("engines/duckdb/connection.py", "DuckDBConnection._connect"),
    "the SELECT is read": ("sql/read/select.py", "parse_select"),
    "the question is checked": ("question/check.py", "checked_question"),
    "it is priced": ("release/price.py", "price_question"),
    "its SQL is written": ("engines/base.py", "Engine._queries"),
}
ASKING = {
    "the ledger is opened": ("ledger/ledger.py", "Ledger.__init__"),
    "the table is declared": ("ledger/ledger.py", "Ledger.declare"),
    "the question is charged": ("ledger/ledger.py", "Ledger.charge"),
    "the rows are read": ("release/run.py", "run_and_noise"),
}
BALANCE = ("ledger/balances.py", "_account")


def benchmark() -> Any:
    spec = spec_from_file_location("walk", ROOT / "benchmarks" / "walk.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["walk"] = module  # where a data class looks its module up
    spec.loader.exec_module(module)
    return module


WALK = benchmark()


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


def walked(run: Callable[[], object]) -> Any:
    return WALK.walked(run)


def times(walk: Any, steps: dict[str, tuple[str, str]]) -> dict[str, int]:
    return {what: walk.functions[function] for what, function in steps.items()}


def once(steps: dict[str, tuple[str, str]]) -> dict[str, int]:
    return dict.fromkeys(steps, 1)


def test_an_answer_takes_every_step_once(command: Command, policy: Path) -> None:
    walk = walked(lambda: command("ask", policy, BY_WARD, "--epsilon", "0.5"))
    assert times(walk, STEPS | ASKING) == once(STEPS | ASKING)
    assert walk.functions[BALANCE] == 1  # after it, to be shown


def test_a_plan_takes_every_step_once_and_makes_no_ledger(command: Command, policy: Path) -> None:
    words = ("plan", policy, BY_WARD, "--epsilon", "0.5")
    looked = dict.fromkeys(ASKING, 0) | {"the ledger is opened": 1}  # to read what is left
    for options in ((), ("--explain",), ("--json",), ("--sql",)):
        walk = walked(partial(command, *words, *options))
        assert times(walk, STEPS) == once(STEPS), options
        assert times(walk, ASKING) == looked, options
        assert not list(policy.parent.glob("*.ledger*"))


def test_a_table_and_a_connection_check_a_question_once(policy: Path) -> None:
    from discreet import dbapi

    def asked() -> None:
        with table(policy) as visits:
            visits.ask(BY_WARD).plan(epsilon=1).release()

    def executed() -> None:
        with dbapi.connect(policy, epsilon=1) as connection:
            connection.cursor().execute(BY_WARD)

    for run in (asked, executed):
        walk = walked(run)
        again = {"the question is checked": 2}  # that of a plan which somebody held
        assert times(walk, STEPS | ASKING) == once(STEPS | ASKING) | again


def test_the_way_of_a_question_is_short(tmp_path: Path) -> None:
    walk = WALK.ask(tmp_path)
    assert len(walk.calls) <= MOST_FILES, sorted(walk.calls)
    assert walk.switches <= MOST_SWITCHES


def test_a_second_opening_is_seen(command: Command, policy: Path) -> None:
    def twice() -> None:
        found = read_declarations(**read_policy(policy))
        for _ in range(2):
            found.engine().close()
        command("plan", policy, BY_WARD, "--epsilon", "0.5")

    walk = walked(twice)
    assert walk.functions[STEPS["the source is opened"]] == 3
    assert walk.functions[STEPS["the policy is read"]] == 2
    assert walk.functions[STEPS["the question is checked"]] == 1
