"""The small drawing in a cell of the page: a bar or a point, and its range, without a script."""

from collections.abc import Sequence
from datetime import date
from math import isfinite
from typing import Any

from discreet.privacy.estimate import Estimate


class Scale:
    """Where numbers of one column lie between its left and its right edge."""

    def __init__(self, column: Sequence[Estimate], from_zero: bool, alone: bool) -> None:
        ends = [place for one in column for place in (_number(one.value), *_bounds(one))]
        ends += [0.0] if from_zero else []
        self.bars = from_zero
        self.drawn = bool(column) and (from_zero or not alone)  # a point needs others beside it
        self.low, self.high = min(ends, default=0.0), max(ends, default=1.0)

    def drawing(self, estimate: Estimate) -> str:
        """A bar or a point, and the range as a line over it."""
        if not self.drawn:
            return ""
        value, bounds = self._place(_number(estimate.value)), _bounds(estimate)
        marks = ""
        if self.bars:
            zero = self._place(0.0)
            left, width = min(zero, value), abs(value - zero)
            marks += f'<rect class="b" x="{left:.2f}%" y="3" width="{width:.2f}%" height="8"/>'
            marks += f'<line class="z" x1="{zero:.2f}%" x2="{zero:.2f}%" y1="0" y2="14"/>'
        if bounds:
            left, right = map(self._place, bounds)
            marks += f'<line class="i" x1="{left:.2f}%" x2="{right:.2f}%" y1="7" y2="7"/>'
            for end in (left, right):
                marks += f'<line class="i" x1="{end:.2f}%" x2="{end:.2f}%" y1="4" y2="10"/>'
        if not self.bars:
            marks += f'<circle class="p" cx="{value:.2f}%" cy="7" r="3.5"/>'
        return f'<svg aria-hidden="true" height="14" width="100%">{marks}</svg>'

    def _place(self, number: float) -> float:
        width = self.high - self.low
        part = 0.5 if width <= 0 else (number - self.low) / width
        return 3 + 94 * part  # marks at the edges stay whole


def _number(value: Any) -> float:
    return float(date.fromisoformat(value).toordinal() if isinstance(value, str) else value)


def _bounds(estimate: Estimate) -> tuple[float, ...]:
    if estimate.rank_error is not None:
        return ()
    ends = tuple(map(float, estimate.interval()))
    return ends if all(map(isfinite, ends)) else ()
