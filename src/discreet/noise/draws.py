"""Where draws are written: 64-bit integers, and the rare ones that do not fit."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Draws:
    """An array of draws and, by lane, those beyond 64 bits.

    No noise law ends at 2^63.  To redraw or cut off what lies beyond would be another law, so it
    is kept as it is and the array becomes one of Python integers.
    """

    array: Integers
    wide: dict[int, int] = field(default_factory=dict)

    @staticmethod
    def prepare(count: int, out: Integers | None) -> "Draws":
        """Room for ``count`` draws: ``out`` if given, which may have gaps between its lanes."""
        if out is None:
            return Draws(np.empty(count, np.int64))
        if out.dtype != np.int64 or out.shape != (count,) or not out.flags.writeable:
            raise ValueError(f"out must be a writable int64 array of shape ({count},)")
        return Draws(out)

    def put(self, lane: int, value: int) -> None:
        """Write one draw of any size."""
        self.wide.pop(lane, None)
        if -(1 << 63) <= value < 1 << 63:
            self.array[lane] = value
        else:
            self.wide[lane] = value

    def put_all(self, lanes: Integers, draws: "Draws") -> None:
        """Write the draws of a smaller batch into the given lanes."""
        self.array[lanes] = draws.array
        if self.wide or draws.wide:
            for index, lane in enumerate(lanes):
                self.put(int(lane), draws.wide.get(index, int(draws.array[index])))

    def result(self, out: Integers | None) -> NDArray[np.int64] | NDArray[np.object_]:
        """The array, of Python integers if one of them does not fit in 64 bits."""
        if not self.wide:
            return self.array
        if out is not None:
            raise OverflowError("the noise does not fit in 64 bits; call without out=")
        exact: NDArray[np.object_] = self.array.astype(np.object_)
        for lane, value in self.wide.items():
            exact[lane] = value
        return exact
