"""Bit sources that say what they were told."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.noise import BitSource

Words = NDArray[np.uint64]


class NeedMoreBits(Exception):  # noqa: N818 - a request, not a mistake
    """The script has come to its end, and the sampler has not."""


class ScriptedBits:
    """A bit source that reads from a script.

    ``fills`` are the arrays for successive calls of ``fill``; each must have the length that is
    asked for.  ``bits`` is the bit string for calls of ``bits``, read from the left.  When a
    script ends, ``then`` goes on, or else NeedMoreBits is raised.  ``asked`` records every
    request: the number of words as a negative number, or the number of bits.
    """

    safe = False

    def __init__(
        self,
        fills: Iterable[Sequence[int] | Words] = (),
        bits: str = "",
        then: BitSource | None = None,
    ) -> None:
        self.fills = [np.asarray(words, np.uint64) for words in fills]
        self.script = bits
        self.then = then
        self.asked: list[int] = []

    def fill(self, words: Words) -> None:
        self.asked.append(-words.size)
        if self.fills:
            script = self.fills.pop(0)
            assert script.size == words.size, f"{words.size} words asked, {script.size} scripted"
            words[:] = script
        elif self.then is not None:
            self.then.fill(words)
        elif words.size:
            raise NeedMoreBits

    def bits(self, count: int) -> int:
        self.asked.append(count)
        if count <= len(self.script):
            taken, self.script = self.script[:count], self.script[count:]
            return int(taken, 2) if count else 0
        if self.then is None:
            raise NeedMoreBits
        held = len(self.script)
        prefix = int(self.script, 2) if held else 0
        self.script = ""
        return prefix << (count - held) | self.then.bits(count - held)

    @property
    def finished(self) -> bool:
        """Whether the whole script was read."""
        return not self.fills and not self.script


class Repeating:
    """The same bit pattern for ever: "0", "1" or a longer one, from its start in every request."""

    safe = False

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def fill(self, words: Words) -> None:
        words[:] = self.bits(64)

    def bits(self, count: int) -> int:
        repeated = self.pattern * (count // len(self.pattern) + 1)
        return int(repeated[:count], 2) if count else 0


class Answering:
    """Fills from a script, and answers to requests for bits by their size, each size in order.

    Requests of a size without answers get the pattern.
    """

    safe = False

    def __init__(
        self,
        answers: dict[int, list[int]],
        pattern: str = "0110",
        fills: Iterable[Sequence[int] | Words] = (),
    ) -> None:
        self.answers = answers
        self.others = Repeating(pattern)
        self.fills = ScriptedBits(fills)

    def fill(self, words: Words) -> None:
        self.fills.fill(words)

    def bits(self, count: int) -> int:
        if count not in self.answers:
            return self.others.bits(count)
        if not self.answers[count]:
            raise NeedMoreBits
        return self.answers[count].pop(0)

    @property
    def finished(self) -> bool:
        """Whether every answer was given."""
        return self.fills.finished and not any(self.answers.values())


class ScriptedNumbers:
    """Words for ``fill`` and numbers for ``bits``, each in order; running out is an error."""

    safe = False

    def __init__(self, words: Iterable[int] = (), numbers: Iterable[int] = ()) -> None:
        self.words, self.numbers = list(words), list(numbers)
        self.asked: list[int] = []

    def fill(self, words: Words) -> None:
        taken, self.words = self.words[: words.size], self.words[words.size :]
        words[:] = np.array(taken, np.uint64)

    def bits(self, count: int) -> int:
        self.asked.append(count)
        return self.numbers.pop(0) & ((1 << count) - 1) if count else 0


def binary(value: int, bits: int) -> str:
    """An integer as a bit string of this length."""
    assert 0 <= value < 1 << bits
    return f"{value:0{bits}b}" if bits else ""
