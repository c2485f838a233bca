"""A bit source that says what it was told."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class Scripted:
    """Words for ``fill`` and numbers for ``bits``, each in order; running out is an error."""

    safe = False

    def __init__(self, words: Iterable[int] = (), numbers: Iterable[int] = ()) -> None:
        self.words, self.numbers = list(words), list(numbers)
        self.asked: list[int] = []

    def fill(self, words: NDArray[np.uint64]) -> None:
        taken, self.words = self.words[: words.size], self.words[words.size :]
        words[:] = np.array(taken, np.uint64)

    def bits(self, count: int) -> int:
        self.asked.append(count)
        return self.numbers.pop(0) & ((1 << count) - 1) if count else 0
