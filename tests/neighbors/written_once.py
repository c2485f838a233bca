"""Queries that are written once for all tables that are asked the same.

To write one takes longer than to run it on a small table.  What is written depends on the question
and the kind of engine, and on nothing that a table holds: ``Both.say`` compares what each of
two tables writes for itself.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlglot import exp

from discreet.engines import base
from discreet.engines.duckdb import engine as duckdb


class Kept:
    """Results of a function by the identity of its first argument, and by its other ones."""

    def __init__(self, made: Callable[..., Any]) -> None:
        self.made = made
        self.found: dict[Any, Any] = {}

    def __call__(self, first: Any, *others: Any) -> Any:
        key = (id(first), *(tuple(one) if isinstance(one, list) else one for one in others))
        if key not in self.found:
            self.found[key] = first, self.made(first, *others)  # which keeps the identity in use
        return self.found[key][1]


_KEPT: list[Kept] = []


@contextmanager
def written_once() -> Iterator[None]:
    """Until the end, write every query of a question once."""
    texts = Kept(lambda query: query.sql("duckdb"))
    _KEPT[:] = [
        Kept(lambda *given: list(queries(*given))),
        Kept(base.keys_query),
        Kept(duckdb.named_rows),
        texts,
    ]
    queries = base.queries

    def written(query: exp.Select) -> str:
        return str(texts(query))

    with (
        patch.object(base, "queries", _KEPT[0]),
        patch.object(base, "keys_query", _KEPT[1]),
        patch.object(duckdb, "named_rows", _KEPT[2]),
        patch.object(duckdb, "_written", written),
    ):
        yield


def forget() -> None:
    """Let go of what was written: other questions come."""
    for kept in _KEPT:
        kept.found.clear()
