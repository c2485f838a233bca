"""One example: a pair of neighboring tables in a store, and a family of questions about it."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb

from discreet.engines.duckdb import connection
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.sources import Sources, find_source
from discreet.ledger import Ledger
from discreet.plan.schema import Schema
from discreet.privacy.losses import Budget
from discreet.release.open_table import open_engine
from discreet.release.table import Table
from tests.neighbors.comparing import Both, Counts, FoundError, said, same
from tests.neighbors.people import MANY, Drawer, Held, Pair
from tests.neighbors.questions import QUESTIONS, Named, family
from tests.neighbors.store import Store
from tests.support.drawn_sql import ROWS_OF_WARDS, schema
from tests.support.several_tables import arrow

PAIRS = 20
"""How many pairs of tables a family is asked of."""
_WARDS = FrameSource(arrow(ROWS_OF_WARDS, schema().public["wards"].columns, None, "text"))
_BUDGET = Budget(epsilon=9, delta="0.001")


def run(store: Store, number: int, counts: Counts, questions: int | None = None) -> None:
    """One example by its number; ``FoundError`` says how to have it again.

    It asks the first ``questions`` of its family: more ask the same ones, and others too.
    """
    try:
        _run(store, number, counts, questions)
    except FoundError as error:
        shown = f"{store.name}: {number}" + (f"/{questions}" if questions else "")
        error.add_note(f'Again: ./dev test {store.replayed} --replay "{shown}"')
        raise


def replay(stores: Callable[[str], Store], shown: str) -> None:
    """An example as a failure prints it, from a store by its name."""
    name, _, rest = shown.rpartition(": ")
    number, _, questions = rest.partition("/")
    run(stores(name), int(number), Counts(), int(questions) if questions else None)


def _run(store: Store, number: int, counts: Counts, questions: int | None) -> None:
    asked = family(number // PAIRS, QUESTIONS if questions is None else questions)
    random = Random(f"{store.name} {number}")
    many = random.random() < 0.01
    drawer = Drawer(random, store.kinds, store.mixes, store.merges, store.fits)
    pair = drawer.pair(asked.declared, MANY if many else 300)
    layout = random.getrandbits(32)
    threads = {"threads": "4" if many else "1"}  # to start more takes longer than few rows do
    with ExitStack() as stack:
        stack.enter_context(patch.dict(connection._CONFIGURATION, threads))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        both = stack.enter_context(_opened(store, pair, asked.declared, folder, layout, counts))
        if both is None:
            return
        listed = asked.questions[:5] if many else asked.questions
        for named in listed:
            try:
                both.ask(named)
            except FoundError as error:
                error.add_note(f"Question: {named.text}")
                raise
        if len(listed) > 1:
            _tell(both, listed[1:], random)


def _tell(both: Both, listed: Sequence[Named], random: Random) -> None:
    """What is said beside numbers, and what is asked in other ways: one of them."""
    match random.randrange(4):
        case 0:
            both.say(random.choice(listed))
        case 1 if len(listed) > 1:
            both.say_together(random.sample(listed, 2))
        case 2:
            keys = random.choice([[], ["ward"], ["tag", "flag"]])
            both.suggest(random.choice(["stay", "score", "level"]), *keys)


@contextmanager
def _opened(
    store: Store, pair: Pair, declared: Schema, folder: Path, layout: int, counts: Counts
) -> Iterator[Both | None]:
    """Both tables, each stored anew and opened; None where a writer does not take them."""
    sources = []
    for name, side in (("before", pair.before), ("after", pair.after)):
        place = folder / name
        place.mkdir()
        try:
            sources.append(_stored(store, side, place, layout))
        except WRITERS_REFUSE:
            counts.refused += 1
            yield None
            return
    tables = [said(lambda one=one: _table(one, declared)) for one in sources]
    with ExitStack() as stack:
        for table, _ in tables:
            if table is not None:
                stack.enter_context(closing(table))
        if same("what opening says", [error for _, error in tables]) is not None:
            counts.refused += 1
            yield None
            return
        counts.pairs += 1
        yield Both((tables[0][0], tables[1][0]), counts, pair.without_id)


WRITERS_REFUSE = (ValueError, TypeError, ArithmeticError, NotImplementedError, duckdb.Error)
"""What writers say of cells that they have no place for."""


def _stored(store: Store, side: dict[str, Held], place: Path, layout: int) -> dict[str, Any]:
    return {
        name: find_source(*store.write(held, place, name, Random(f"{layout} {name}")))
        for name, held in side.items()
    }


def _table(sources: dict[str, Any], declared: Schema) -> Table:
    private = {"patients": sources["patients"]} if declared.by_person else {}
    every = Sources(sources["visits"], private, {"wards": _WARDS})
    table = Table(open_engine(every, declared), declared, Ledger(":memory:"))
    table.ledger.declare(
        declared.name,
        neighbors=declared.neighbors,
        budget=_BUDGET,
        details=declared.to_data(),
    )
    return table
