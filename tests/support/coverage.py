"""How often intervals hold the truth, judged by what the number of trials allows."""

from collections.abc import Callable

from scipy.stats import binom

from tests.support.trials import rounds

FALSE_ALARM = 1e-7
"""How often a judgment rejects intervals that hold the truth exactly as often as it asks."""
STATED = 0.95
MOST = 0.98
"""Where the law is known, an interval that holds the truth more often is wider than it needs be."""


def fewest_held(trials: int, stated: float = STATED) -> int:
    """Fewer are held but once in ten million if each is held with at least this chance."""
    return int(binom.ppf(FALSE_ALARM, trials, stated))


def most_held(trials: int, most: float = MOST) -> int:
    """More are held but once in ten million if each is held with at most this chance."""
    return int(binom.isf(FALSE_ALARM, trials, most))


def held(trial: Callable[[], bool], usual: int) -> tuple[int, int]:
    """How many of so many trials held the truth, and of how many; in the soak ten times as many."""
    trials = rounds(usual)
    return sum(trial() for _ in range(trials)), trials


def assert_covered(found: tuple[int, int], *, stated: float = STATED, most: float = 1.0) -> None:
    """That the truth is held as often as is stated and, where a law is known, hardly more often."""
    hits, trials = found
    least = fewest_held(trials, stated)
    assert hits >= least, f"{hits} of {trials} hold the truth, and {least} should"
    if most < 1:
        ceiling = most_held(trials, most)
        assert hits <= ceiling, f"{hits} of {trials} hold the truth, and {ceiling} are enough"
