"""Rows in memory, with the types that a database gives them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow

_ARROW = {
    "double precision": pyarrow.float64(),
    "text": pyarrow.string(),
    "boolean": pyarrow.bool_(),
    "date": pyarrow.date32(),
    "bigint": pyarrow.int64(),
    "integer": pyarrow.int32(),
}


def frame(types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> pyarrow.Table:
    """The same rows in memory."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    return pyarrow.table(
        {
            name: pyarrow.array(values, _ARROW[kind])
            for (name, kind), values in zip(types.items(), columns, strict=True)
        }
    )
