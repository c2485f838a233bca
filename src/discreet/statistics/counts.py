"""Counting records: how many, which share, how many in each cell, which cell is fullest."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from discreet.engines import arrays
from discreet.engines.arrays import category_key, length
from discreet.errors import BoundsError, DataError
from discreet.exact import Grid, Range
from discreet.measures.counts import ROWS, Rows
from discreet.measures.measure import Aggregate, Decoder, Output, Steps, Unit
from discreet.measures.moments import MEAN, Moments
from discreet.measures.sums import FixedTotal
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.selection import PermuteAndFlip
from discreet.noise import BitSource
from discreet.plan.expressions import Named
from discreet.privacy.estimates import Estimate, Estimates, RankError
from discreet.privacy.events import Event
from discreet.privacy.losses import PureDP
from discreet.privacy.sensitivity import Neighbors, Sensitivity
from discreet.statistics.array_call import ArrayCall, read_edges

_ADDED_IN_CELLS, _REPLACED_IN_CELLS = (
    Unit(neighbors=relation, keyed=True, cells=None)
    for relation in (Neighbors.ADD_REMOVE, Neighbors.REPLACE)
)
_RECORDS = Rows()
_ONE = Sensitivity(linf=Fraction(1))
_CELL = Output("", Aggregate(ROWS), _RECORDS)
_TRUE = Steps(Named("values"), Range(grid=Grid(0), low=0, high=1))
_SHARE, _SHARE_OF_ALL = Moments(_TRUE), FixedTotal(replace(_TRUE, default=0))


def count(
    values: object,
    *,
    epsilon: object = None,
    where: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """How many records have a value (and satisfy ``where``, one true or false per record).

    One record changes a count by at most one under either relation, so the noise is integer
    Laplace of scale 1/ε, the most accurate there is for one count.

    >>> answer = count(range(1000), epsilon=1)
    >>> answer.margin, answer.loss
    (3, PureDP(epsilon=1))
    """
    question = ArrayCall.read(epsilon, neighbors, source)
    return question.measured(ROWS, _RECORDS, lambda: arrays.count(values, where))


def proportion(
    values: object,
    *,
    epsilon: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The share of records that are true; what is neither true nor false is missing.

    Under add/remove the number of records is private: the true and the false are counted, one
    record moves one of the two counts, and the share is their ratio.  Under replace the number
    is public, a missing value counts as false, and the share moves by at most 1/n.

    >>> answer = proportion([True] * 700 + [False] * 300, epsilon=1)
    >>> 0.6 < answer.lower < answer.value < answer.upper < 0.8
    True
    """
    question = ArrayCall.read(epsilon, neighbors, source)
    if question.fixed_size:
        return question.measured(
            MEAN,
            _SHARE_OF_ALL,
            lambda: arrays.sums(_SHARE_OF_ALL, arrays.flags(values, keep_all=True)),
            "A missing value counts as false.",
            rows=public_size(values),
        )
    return question.measured(
        MEAN, _SHARE, lambda: arrays.sums(_SHARE, arrays.flags(values, keep_all=False))
    )


def public_size(values: object) -> int:
    """The number of records where it is public, which must not be zero."""
    records = length(values)
    if records == 0:
        raise DataError(
            "there are no records. Under replace neighbors their number is public, and a share "
            'or a mean of none has no value. Pass data, or use neighbors="add-remove".'
        )
    return records


def histogram(
    values: object,
    *,
    epsilon: object = None,
    bins: Sequence[object] | None = None,
    categories: Sequence[Hashable] | None = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimates:
    """How many records fall in each public bin or category; the others are dropped.

    Bins are [a, b) between neighboring edges, the last one closed.  One record is in one cell,
    so the noise of a cell is Laplace of scale 1/ε however many cells there are; under replace a
    record leaves one cell and enters another, which doubles it.

    >>> answer = histogram([15, 30, 70], bins=[0, 18, 65, 120], epsilon=1)
    >>> list(answer), answer.loss
    ([(0, 18), (18, 65), (65, 120)], PureDP(epsilon=1))
    """
    question = ArrayCall.read(epsilon, neighbors, source)
    mechanism, decoded, event = _cell_noise(question.fixed_size, question.epsilon)
    if (bins is None) == (categories is None):
        raise BoundsError(
            "histogram needs either bins or categories. Cells must be public: if they came from "
            "the data, a cell that only one person is in would give that person away. Write "
            "bins=[0, 18, 65, 120] or categories=['A', 'B', 'C']."
        )
    if bins is not None:
        edges = read_edges(bins)
        names: list[Hashable] = list(pairwise(bins))
        release = question.charge(event)
        counted = arrays.bins(values, edges)
    else:
        names = read_categories(categories)
        release = question.charge(event)
        counted = arrays.categories(values, names)
    noisy = mechanism.release(counted, question.source)
    return Estimates(
        "bin" if bins is not None else "category",
        {
            name: question.estimate(*decoded([int(cell)]), release, mechanism, whole=True)
            for name, cell in zip(names, noisy, strict=True)
        },
    )


@lru_cache(maxsize=256)
def _cell_noise(replaced: bool, epsilon: Fraction) -> tuple[Laplace, Decoder, Event]:
    """The noise of a cell, how it is decoded, and the event of all cells."""
    unit = _REPLACED_IN_CELLS if replaced else _ADDED_IN_CELLS
    noise: Laplace = _RECORDS.mechanism(unit, epsilon)
    event = noise.event(_RECORDS.sensitivity(unit).norms, PureDP(epsilon=epsilon))
    return noise, _RECORDS.decoder(_CELL, noise, unit, None), event


def most_common(
    values: object,
    *,
    epsilon: object = None,
    categories: Sequence[Hashable] | None = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The fullest of the public categories, and nothing else: no count is released.

    By permute-and-flip.  Under add/remove all counts move in one direction together, which
    halves the noise.  ``rank_error`` says by how many records the chosen category is at most
    behind the fullest, at 95%.

    >>> most_common(["flu"] * 90 + ["cold"] * 5, categories=["cold", "flu"], epsilon=1).value
    'flu'
    """
    question = ArrayCall.read(epsilon, neighbors, source)
    if categories is None:
        raise BoundsError(
            "most_common has no categories. They must be public: if they came from the data, a "
            "category that only one person is in would give that person away. Write "
            "categories=['A', 'B', 'C']."
        )
    names = read_categories(categories)
    mechanism = PermuteAndFlip.calibrated(
        sensitivity=1, epsilon=question.epsilon, monotone=not question.fixed_size
    )
    release = question.charge(mechanism.event(_ONE, question.loss))
    index = mechanism(arrays.categories(values, names), source=question.source)
    behind = float(mechanism.accuracy(Fraction(95, 100), candidates=len(names)))
    return question.estimate(names[index], RankError(behind, behind=True), release, mechanism)


def read_categories(categories: Sequence[Hashable] | None) -> list[Hashable]:
    """Distinct public categories, at least one."""
    names = [] if categories is None or isinstance(categories, str) else list(categories)
    try:
        distinct = len(set(map(category_key, names))) == len(names)
    except TypeError:
        distinct = False
    if not names or not distinct:
        raise BoundsError(
            "the categories are not a list of distinct values. Each is one public cell, and a "
            "number and its text are one: 1 and '1' hold the same records. Write "
            "categories=['A', 'B', 'C']."
        )
    return names
