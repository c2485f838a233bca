"""Timing of several things in one run, so that a busy machine slows them all alike."""

from collections.abc import Callable, Sequence
from time import perf_counter


def best_times(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Seconds of the quickest of several rounds for each call; a round makes every call once."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start = perf_counter()
            call()
            best[place] = min(best[place], perf_counter() - start)
    return best


def repeated(call: Callable[[], object], times: int) -> Callable[[], None]:
    """A call that is long enough to time."""

    def calls() -> None:
        for _ in range(times):
            call()

    return calls


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain text, the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        parts = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        return "  ".join(parts).rstrip()

    return "\n".join([line(header), line(["-" * width for width in widths]), *map(line, rows)])
