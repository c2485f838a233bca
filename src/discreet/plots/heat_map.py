"""The picture of a table by two keys, with its totals at the margins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import DataError
from discreet.plots.picture import DARK, MIDDLE_BLUE, Picture, altair, finished

MOST_ROWS, MOST_COLUMNS = 40, 14
"""So many values of a key are drawn down and across."""
_PALEST, _MARGIN = 0.1, "#F0F0F0"
"""How opaque the smallest number is, and the color of totals."""
_CELL, _NARROWEST, _HEIGHT = 66, 60, 34


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: where it stands, its number, and how both are written; a total has no color."""

    row: str
    column: str
    value: float
    text: str
    error: str
    total: bool = False


def heat_map_picture(
    cells: Sequence[HeatCell],
    title: str,
    keys: tuple[str, str],
    remark: str = "",
    *,
    from_zero: bool = True,
) -> Picture:
    """A square for each cell, the stronger the larger its number; totals stand at the margins.

    ``keys`` are the names of what goes down and across.  In each square stand the number and its
    error.
    """
    if not any(not cell.total for cell in cells):
        raise DataError(
            "there are no cells, so there is nothing to draw. A picture shows at least one. Give a "
            "list that is not empty."
        )
    if len({(cell.row, cell.column) for cell in cells}) < len(cells):
        raise DataError(
            "a cell stands twice. Each has its own square in the picture. Give each another label."
        )
    alt = altair()
    data = [
        {
            "row": cell.row,
            "column": cell.column,
            "value": cell.value,
            "text": cell.text,
            "error": cell.error,
            "total": cell.total,
        }
        for cell in cells
    ]
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    down = alt.Y("row:N", sort=None).title(keys[0]).scale(domain=rows, padding=0.04)
    down = down.axis(grid=False, ticks=False, domain=False, labelLimit=200)
    across = alt.X("column:N", sort=None).title(keys[1]).scale(domain=columns, padding=0.04)
    across = across.axis(
        grid=False, ticks=False, domain=False, orient="top", labelAngle=0, labelLimit=_CELL
    )
    inner = [cell.value for cell in cells if not cell.total]
    low, high = min([*inner, *([0.0] if from_zero else [])]), max(inner)
    ends = [low, high] if low < high else [low - 1, high]
    shade = alt.FillOpacity("value:Q").legend(None)
    shade = shade.scale(domain=ends, range=[_PALEST, 1], clamp=True)
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("row", "column", "text", "error")]
    chart = alt.Chart()
    parts = [
        chart.transform_filter("!datum.total")
        .mark_rect(color=MIDDLE_BLUE)
        .encode(down, across, shade, tooltip=tooltip),
        chart.transform_filter("datum.total")
        .mark_rect(color=_MARGIN)
        .encode(down, across, tooltip=tooltip),
        chart.mark_text(color=DARK, fontSize=12, dy=-6).encode(down, across, text="text:N"),
        chart.mark_text(color="#555555", fontSize=9.5, dy=8).encode(down, across, text="error:N"),
    ]
    size: dict[str, Any] = {
        "width": max(_NARROWEST, _CELL) * len(columns),
        "height": _HEIGHT * len(rows),
    }
    layered = alt.layer(*parts, data=alt.Data(values=data)).properties(**size)
    return finished(layered, title, [remark] if remark else [])
