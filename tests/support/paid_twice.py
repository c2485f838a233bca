"""Every question of the golden files and of the corpus, paid once and asked again: see ``main``.

.venv/bin/python -m tests.support.paid_twice FOLDER
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import discreet as dp
from discreet.engines.sources import Sources, find_source
from discreet.policy import read_policy
from discreet.release.open_table import TableDeclarations
from discreet.release.plan import Plan
from discreet.release.release import Release
from tests.golden.questions import POLICIES, QUESTIONS, write_tables
from tests.golden.tables import planned
from tests.sql.corpus.facts import DELTA, cases
from tests.sql.corpus.frames import frames_of
from tests.sql.corpus.schemas import SCHEMAS

Paid = dict[str, tuple[int, str]]
"""By the name of a question, its entry and its answer."""
WINDOWS = {
    "running": "SELECT MONTH(admitted) AS month, SUM(COUNT(*)) OVER (ORDER BY month) AS s "
    "FROM visits GROUP BY month",
    "before": "SELECT ward, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY ward) AS more FROM visits "
    "GROUP BY ward",
    "first": "SELECT ward, smoker, FIRST_VALUE(COUNT(*)) OVER (PARTITION BY smoker "
    "ORDER BY ward) AS f FROM visits GROUP BY ward, smoker",
    "rank": "SELECT ward, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM visits GROUP BY ward",
    "of dates": "SELECT COUNT(*) AS n FROM (SELECT patient, MIN(admitted) AS first FROM visits "
    "WHERE admitted > '2025-02-01' GROUP BY patient) AS each WHERE first < '2025-06-01'",
}
"""What the golden questions and the corpus have too few of."""


def asked(folder: Path) -> Iterator[tuple[str, dp.Table, Callable[[], Plan]]]:
    """Every question by its name, with its table and a function that plans it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dp.PrivacyWarning)
        budget = dp.Budget(epsilon=10**6, delta="1/10")
    for policy in POLICIES:
        declared = read_policy(folder / f"{policy}.toml")
        declared |= {"ledger": folder / f"{policy}.ledger", "budget": budget}
        declared.pop("analyst_budget", None)
        with dp.table(**declared) as table:
            for name, one in QUESTIONS.items():
                if one.table == policy:
                    yield name, table, lambda one=one, table=table: planned(table, one)
            if policy == "visits":
                for name, sql in WINDOWS.items():
                    yield name, table, lambda sql=sql, table=table: _plan(table, sql)
    for file, schema in SCHEMAS.items():
        frames = frames_of(schema)
        sources = Sources(
            find_source(frames[schema.name][0]),
            {name: find_source(frames[name][0]) for name in schema.private},
            {name: find_source(frames[name][0]) for name in schema.public},
        )
        declarations = TableDeclarations(
            schema=schema,
            sources=sources,
            ledger=folder / f"corpus {file}.ledger",
            budget=budget,
            analyst_budget=None,
            period=None,
        )
        with closing(declarations.opened()) as table:
            for case in cases("accepted"):
                if case.file == file:
                    yield str(case), table, lambda case=case, table=table: _plan(table, case.sql)


def _plan(table: dp.Table, sql: str) -> Plan:
    asking = table.ask(sql)
    question = asking.question
    delta = DELTA if question.selects_keys or question.strategy is not None else Fraction(0)
    return asking.plan(epsilon="1/10", delta=delta)


def pay(folder: Path) -> Paid:
    """Every question with a key: its entry and its answer."""
    write_tables(folder)
    return {
        name: (given.certificate.entry, _shown(given))
        for name, _, plan in asked(folder)
        for given in [plan().release(key=name)]
    }


def again(folder: Path, entries: dict[str, int]) -> dict[str, list[str]]:
    """By the name of a question, its answer by ``paid`` and by its key, and what refuses it."""
    found = {}
    for name, table, plan in asked(folder):
        charges = table.budget.charges
        found[name] = [
            _told(partial(table.paid, entries[name])),
            _told(lambda plan=plan, name=name: plan().release(key=name)),
        ]
        assert table.budget.charges == charges, name
    return found


def _told(ask: Callable[[], Release]) -> str:
    try:
        return _shown(ask())
    except dp.DiscreetError as error:
        return str(error)


def _shown(release: Release) -> str:
    return replace(release, repeated=False, written="").to_json()


def main() -> None:
    """Show again what was paid in a folder, whose entries are read as JSON."""
    json.dump(again(Path(sys.argv[1]), json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
