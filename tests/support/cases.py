"""A long table of cases that is one test: every case is tried, and every one that fails is named.

`@each` is written as `pytest.mark.parametrize` is, and both may stand above one test. What pytest
does around a test takes a millisecond or more, which a case of `@each` does not pay. In return all
cases share the fixtures of their test.
"""

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import product
from typing import Any

import pytest

LONGEST_NAME = 100
LONGEST_REASON = 500
"""How many characters of a value, and of what went wrong with a case, are shown."""

Test = Callable[..., None]


@dataclass(frozen=True)
class Table:
    """Cases, what a test calls their values, and how they are shown."""

    arguments: list[str]
    cases: list[Any]
    ids: Callable[[Any], object] | list[Any] | None

    def values(self, place: int) -> dict[str, Any]:
        case = self.cases[place]
        values = [case] if len(self.arguments) == 1 else case
        return dict(zip(self.arguments, values, strict=True))

    def shown(self, place: int) -> str:
        if isinstance(self.ids, list):
            return str(self.ids[place])
        named = self.ids or (lambda value: _written(value, place))
        parts = [
            f"{argument}={_shortened(str(named(value)), LONGEST_NAME)}"
            for argument, value in self.values(place).items()
        ]
        return ", ".join(parts)


def each(
    names: str | Sequence[str],
    cases: Collection[Any],
    ids: Callable[[Any], object] | Collection[Any] | None = None,
) -> Callable[[Test], Test]:
    """Call a test once for each case of a table, then fail with the names of all that failed."""
    arguments = names.replace(" ", "").split(",") if isinstance(names, str) else list(names)
    table = Table(arguments, list(cases), ids if ids is None or callable(ids) else list(ids))
    if not table.cases:
        raise ValueError(f"The table of {names} has no case.")
    if isinstance(table.ids, list) and len(table.ids) != len(table.cases):
        raise ValueError(f"{len(table.cases)} cases of {names} have {len(table.ids)} names.")

    def decorate(test: Test) -> Test:
        body, others = getattr(test, "body_and_tables", (test, []))
        tables = [table, *others]

        @wraps(test)
        def every_case(**fixtures: Any) -> None:
            tried, failed = 0, []
            for places in product(*(range(len(table.cases)) for table in tables)):
                tried += 1
                try:
                    body(**fixtures, **_chosen(tables, places))
                # A case that skips itself would pass over all the others.
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                    failed.append((_name(tables, places), error))
            if failed:
                lines = [f"{name}: {_shortened(_reason(e), LONGEST_REASON)}" for name, e in failed]
                text = "\n".join([f"{len(failed)} of {tried} cases failed:", *lines])
                raise AssertionError(text) from failed[0][1]

        left = inspect.signature(test)
        unknown = [name for name in arguments if name not in left.parameters]
        if unknown:
            raise ValueError(f"{test.__name__} takes no argument {unknown[0]}.")
        taken = [one for name, one in left.parameters.items() if name not in arguments]
        every_case.__signature__ = left.replace(parameters=taken)  # type: ignore[attr-defined]
        every_case.body_and_tables = (body, tables)  # type: ignore[attr-defined]
        return every_case

    return decorate


def _chosen(tables: list[Table], places: tuple[int, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for table, place in zip(tables, places, strict=True):
        values |= table.values(place)
    return values


def _name(tables: list[Table], places: tuple[int, ...]) -> str:
    return ", ".join(table.shown(place) for table, place in zip(tables, places, strict=True))


def _written(value: Any, place: int) -> str:
    """The value as it is written; by its place if that says nothing, as of a function."""
    try:
        text = repr(value)
    except Exception:  # an odd value may be odd in this too
        return f"number {place + 1}"
    return f"number {place + 1}" if " at 0x" in text else text


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
