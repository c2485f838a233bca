"""A further private table about the same people, declared beside the first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.engines.sources import Source, find
from discreet.errors import PolicyError
from discreet.plan.columns import Column


@dataclass(frozen=True, slots=True)
class PrivateTable:
    """Another table about the same people, as ``beside`` declares it."""

    source: Source
    columns: Mapping[str, Column]
    unit: str | None = None
    max_rows: int | None = None


def beside(
    source: object,
    *,
    columns: Any = None,
    unit: str | None = None,
    max_rows: int | None = None,
    table: str | None = None,
    engine: str | None = None,
) -> PrivateTable:
    """Another private table about the same people, to be joined with the one that is opened.

    ``unit`` is the column that says whose row it is, if it is not called as in the first table.
    Joined, each person keeps at most ``max_rows`` of its rows.  The budget is that of both.

    >>> import pandas
    >>> from discreet.plan.columns import integer
    >>> people = pandas.DataFrame({"id": [1, 2], "age": [30, 40]})
    >>> beside(people, unit="id", columns={"age": integer(0, 120)}, max_rows=1).unit
    'id'
    """
    return PrivateTable(find(source, table, engine), columns_of(columns), unit, max_rows)


def columns_of(columns: Any) -> dict[str, Column]:
    """The declared columns by their names."""
    if columns is not None and not isinstance(columns, Mapping):
        raise PolicyError(
            f"columns is a {type(columns).__name__}. It says of each column, by its name, what is "
            'public about it. Write columns={"age": dp.integer(0, 120)}.'
        )
    return dict(columns or {})
