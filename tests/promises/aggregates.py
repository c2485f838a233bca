"""Every true aggregate of a column in memory, and how far two of them are apart."""

from fractions import Fraction

from discreet.engines import arrays
from discreet.exact import Grid, Range
from tests.support import array_sums


def bounded(low=0, high=10, step=1):
    grid = Grid.of(step)
    return Range(grid=grid, low=grid.index(Fraction(low)), high=grid.index(Fraction(high)))


def aggregates(values, keep_all, bounds):
    """Every un-noised aggregate of a column as one dictionary of integer vectors."""
    column = arrays.clip(values, bounds, keep_all=keep_all)
    return {
        "sum": [array_sums.total(column, bounds.low).open()],
        "mean": list(array_sums.distances(column).open()),
        "var": list(array_sums.squares(column).open()),
        "moments": [part.open() for part in arrays.moments(column)],
        "tally": arrays.tally(column).open().tolist(),
        "bins": arrays.bins(values, [0, 5, 10]).open().tolist(),
        "categories": arrays.categories(values, [0, 1, 2, 3]).open().tolist(),
        "count": list(arrays.count(values).open()),
    }


def moved(first, second):
    return sum(abs(int(a) - int(b)) for a, b in zip(first, second, strict=True))
