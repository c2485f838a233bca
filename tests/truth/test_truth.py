"""Whole answers are the answers that were asked: what a plain database says of the same rows.

Random questions of one to six outputs, in every order and both fronts, at an ε that leaves no
noise: groups, FILTER, WHERE, joins, subqueries, cubes, windows, quotients.  Where no cap is reached
the twin is plain SQL; where caps are, plain SQL in which a row weighs what the caps leave of it.
The short run asks the same questions every time; the soak draws fresh ones.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from discreet.measures import joint
from discreet.measures.counts import Partition, needed_for
from discreet.plan.expressions import Node
from tests.support.postgres_tables import new_table
from tests.truth.comparing import Tally, UntrueError
from tests.truth.running import long_run, short_run
from tests.truth.world import Store

pytestmark = pytest.mark.filterwarnings("ignore:epsilon is")
IN_CI, IN_CI_ON_POSTGRES = 500, 50
IN_THE_SOAK, IN_THE_SOAK_ON_POSTGRES = 100_000, 10_000
ASKED = {"SUM", "AVG", "COUNT", "VAR_POP", "STDDEV_POP", "QUANTILE", "MIN", "MAX", "PEOPLE"}
_TYPES = {
    "int64": "bigint",
    "double": "double precision",
    "bool": "boolean",
    "string": "text",
    "date32[day]": "date",
}


def on_postgres(server: str) -> Store:
    """Tables on a server."""

    def write(name: str, frame: Any) -> Any:
        if name == "wards":
            return frame  # a public table is a file
        types = {field.name: _TYPES[str(field.type)] for field in frame.schema}
        return new_table(server, types, [tuple(row.values()) for row in frame.to_pylist()])

    return write


@pytest.mark.slow
def test_answers_are_what_a_plain_database_says() -> None:
    tally = short_run(IN_CI)
    _seen(tally, IN_CI)
    assert tally.kinds.keys() >= ASKED


def test_few_answers_are_what_a_plain_database_says() -> None:
    _seen(short_run(40), 40)


@pytest.mark.slow
def test_answers_from_postgres_are_what_a_plain_database_says(server: str) -> None:
    _seen(short_run(IN_CI_ON_POSTGRES, on_postgres(server)), IN_CI_ON_POSTGRES)


def _seen(tally: Tally, questions: int) -> None:
    """Most are answered: a few contradict themselves, and are refused."""
    assert tally.questions + tally.refused >= questions
    assert tally.questions > 0.8 * questions


# ---------------------------------------------------------------------- controls


def _by_the_number_of_conditions(family: list[Node]) -> list[Node]:
    """As 0.2.0 ordered parts: x > 7 and x IS NOT NULL have one condition each."""
    return sorted(family, key=lambda node: -len(needed_for(node)))


def _of_every_condition(nodes: Any, other: Any) -> bool:
    """Parts of one partition that neither exclude nor imply each other."""
    return True


def _alone(self: Partition, *given: Any) -> Any:
    """A part without those that are in it."""
    with patch("discreet.measures.counts.implies", lambda one, other: one == other):
        return _decoder(self, *given)


_decoder = Partition.decoder
HOLES: dict[str, tuple[Any, str, Any]] = {
    "parts are ordered by the number of their conditions": (
        joint,
        "_narrower_first",
        _by_the_number_of_conditions,
    ),
    "conditions that overlap are parts of one whole": (
        joint,
        "implies",
        _of_every_condition,
    ),
    "a part forgets the parts that are in it": (Partition, "decoder", _alone),
}


@contextmanager
def reopened(hole: str) -> Iterator[None]:
    """The product with a hole that was closed, or that nobody may open."""
    with patch.object(*HOLES[hole]):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("hole", HOLES)
def test_the_short_run_finds_a_hole(hole: str) -> None:
    with reopened(hole), pytest.raises(UntrueError):
        short_run(IN_CI)


# ---------------------------------------------------------------------- the soak


@pytest.mark.soak
def test_many_answers() -> None:
    _seen(long_run(IN_THE_SOAK), IN_THE_SOAK)


@pytest.mark.soak
def test_many_answers_from_postgres(server: str) -> None:
    _seen(long_run(IN_THE_SOAK_ON_POSTGRES, on_postgres(server)), IN_THE_SOAK_ON_POSTGRES)
