"""Does a sample come from a law?  A χ² test whose false alarms are rarer than one in a million.

At the stated level in the limit; a cell that expects few has a longer tail, so both are set with
room: of two cells, one of which expects 50, a right sample is rejected 8 times in ten million."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from scipy.stats import chi2

FALSE_ALARM = 1e-7
_LEAST = 50.0


def fits(sample: Iterable[Hashable], law: Mapping[Hashable, float]) -> bool:
    """Whether the sample is compatible with the probabilities; rare outcomes are pooled."""
    counts = Counter(sample)
    if set(counts) - set(law):
        return False
    size = counts.total()
    pairs = [(counts[outcome], size * chance) for outcome, chance in law.items()]
    rare = [pair for pair in pairs if pair[1] < _LEAST]
    cells = [pair for pair in pairs if pair[1] >= _LEAST]
    pooled = (sum(seen for seen, _ in rare), sum(expected for _, expected in rare))
    if pooled[1] >= _LEAST:
        cells.append(pooled)
    elif pooled[0] > pooled[1] + 12 * _LEAST**0.5 + 30:  # beyond any Poisson with this mean
        return False
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    return float(chi2.sf(statistic, max(1, len(cells) - 1))) > FALSE_ALARM
