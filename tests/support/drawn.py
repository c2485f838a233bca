"""What a picture shows, as plain data: the rows that each of its layers draws."""

from collections.abc import Iterator
from typing import Any

Row = dict[str, Any]


def layers(part: Any, data: Any = None) -> Iterator[tuple[str, list[Row]]]:
    """The mark of each layer and its rows, of a picture's specification, from top to bottom."""
    own = part.get("data", data)  # layers of the same rows may share them
    if "mark" in part:
        yield part["mark"]["type"], own["values"]
    for inner in (*part.get("layer", ()), *part.get("vconcat", ())):
        yield from layers(inner, own)


def rows(part: Any, field: str) -> list[Row]:
    """All rows that have a field."""
    return [row for _, drawn in layers(part) for row in drawn if field in row]
