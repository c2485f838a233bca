"""Tables for the questions of the corpus, by arithmetic."""

from collections.abc import Mapping
from typing import Any

import pandas

from discreet.plan.calendar import date_text
from discreet.plan.schema import (
    BooleanColumn,
    CategoryColumn,
    Column,
    NumberColumn,
    Schema,
    TextColumn,
)

ROWS, EACH = 600, 3  # no one is over a cap; half of the people are in the tables beside


def _value(column: Column, place: int) -> Any:
    """A value of a column, within its declaration, by arithmetic."""
    match column:
        case CategoryColumn(values):
            return values[place % len(values)]
        case BooleanColumn():
            return place % 3 == 0
        case TextColumn():
            return f"/shop/{place % 5}"
        case NumberColumn(low=low, high=high, dated=dated):
            if low is None or high is None:
                return place % 10
            found = low + (place * 7) % int(high - low)
            return date_text(int(found)) if dated else float(found)


def _frame(
    columns: Mapping[str, Column], unit: str | None, size: int, each: int = 1, first: int = 0
) -> Any:
    return pandas.DataFrame(
        {
            **({} if unit is None else {unit: [first + place // each for place in range(size)]}),
            **{
                name: [_value(column, place + shift) for place in range(size)]
                for shift, (name, column) in enumerate(columns.items())
            },
        }
    )


def frames_of(schema: Schema) -> dict[str, tuple[Any, Mapping[str, Column]]]:
    """The tables of a schema by their names, each with its columns."""
    found = {
        schema.name: (
            _frame(schema.columns, schema.unit if schema.by_person else None, ROWS, EACH),
            schema.columns,
        )
    }
    for name, beside in schema.private.items():
        found[name] = (_frame(beside.columns, beside.unit, 150, first=100), beside.columns)
    for name, public in schema.public.items():
        size = 200 if public.most.get("film_id") == 1 else 4
        frame = _frame(public.columns, None, size)
        if public.most.get("film_id") == 1:
            frame["film_id"] = range(1, size + 1)
        else:
            frame = frame.drop_duplicates(subset=[*public.columns][:1])
        found[name] = (frame, public.columns)
    return found
