"""What noisy tables of every two columns say about covariances, correlations and regressions.

Columns are taken from -1 at the lower bound to 1 at the upper one.  Every interval holds whatever
the data are: at the true means and coefficients a sum over rows is zero, what the tables say of it
is noise with weights that are not random, and how far the tables are from the truth is bounded at
first, with a small part of the chance to miss.  Proof: docs/proofs/relations-between-columns.md
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import inf, isfinite, sqrt

import numpy as np

from discreet.privacy.joint_noise import Floats, Noise, read_steps, sum_distance
from discreet.privacy.uncertainty import as_float

FloatInterval = tuple[float, float]

CELLS = 9
"""The sums of a table of two columns."""
_POWERS = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 1.0]])
"""1, x and x², for x from -1 to 1, as weights of (1-x)²/4, (1-x²)/2 and (1+x)²/4."""
_BOX_PART = Fraction(1, 16)
"""The part of the chance to miss that says where the moments are, which matters little."""
_ROUNDED = 2.0**-44
_LEAST_ROOM = 2.0**-10
"""Coefficients are determined where noise leaves this part of the moments or more."""
_USUAL = Fraction(95, 100)


@lru_cache(maxsize=16)
def moment_weights(columns: int) -> Floats:
    """Of the mean products of every two of 1 and the columns, the weight of each cell, per row.

    What several tables tell is taken as their mean.
    """
    pairs = list(combinations(range(1, columns + 1), 2))
    weights = np.zeros((columns + 1, columns + 1, len(pairs) * CELLS))
    told = np.zeros((columns + 1, columns + 1))
    for table, (first, second) in enumerate(pairs):
        cells = slice(table * CELLS, (table + 1) * CELLS)
        for a, b in product(range(3), repeat=2):
            if a + b > 2:
                continue
            factors = [first] * a + [second] * b
            low, high = sorted([*factors, 0, 0][:2])
            weights[low, high, cells] += np.outer(_POWERS[a], _POWERS[b]).ravel()
            told[low, high] += 1
    for low, high in np.argwhere(told):
        weights[low, high] /= told[low, high]
        weights[high, low] = weights[low, high]
    return weights


@dataclass(frozen=True, eq=False)
class NoisyMoments:
    """The noisy tables of one group; ``row_sizes`` are what a row adds to each of them."""

    columns: int
    row_sizes: tuple[int, ...]
    noise: Noise
    noisy: tuple[int, ...]

    @cached_property
    def sums(self) -> Floats:
        """The sums of products of every two of 1 and the columns."""
        cells = [
            number / size
            for size, table in zip(self.row_sizes, self._tables, strict=True)
            for number in table
        ]
        sums: Floats = moment_weights(self.columns) @ np.array(cells)
        return sums

    @property
    def _tables(self) -> Iterable[tuple[int, ...]]:
        starts = range(0, len(self.noisy), CELLS)
        return [self.noisy[start : start + CELLS] for start in starts]

    @cached_property
    def scales(self) -> Floats:
        """The scale of the noise of each cell, in rows."""
        steps = self.noise.steps
        return np.repeat([as_float(steps / size) for size in self.row_sizes], CELLS)

    @property
    def known(self) -> bool:
        """Whether the noise has a size, and leaves any rows."""
        return read_steps(self.noise.steps) < inf and bool(self.sums[0, 0] > 0)

    def reach(self, weights: Floats, miss: Fraction) -> float:
        """How many rows the noise is away at most, by these weights of its cells."""
        return sum_distance(self.noise, tuple(np.abs(weights * self.scales).tolist()), miss)


@dataclass(frozen=True, eq=False)
class Box:
    """Where the means and the centered moments of some columns are, but for a chance to miss.

    The first column is the explained one.  ``spread`` bounds what noise, and not knowing the means,
    do to each centered moment.
    """

    moments: NoisyMoments
    places: tuple[int, ...]
    miss: Fraction

    @cached_property
    def rows(self) -> float:
        """The noisy number of rows."""
        return float(self.moments.sums[0, 0])

    @cached_property
    def _part(self) -> Fraction:
        many = len(self.places)
        return self.miss / (1 + many + many * (many + 1) // 2)

    @cached_property
    def first(self) -> Floats:
        """The weights of the number of rows."""
        first: Floats = moment_weights(self.moments.columns)[0, 0]
        return first

    @cached_property
    def rows_spread(self) -> float:
        """How far the number of rows may be off."""
        return self.moments.reach(self.first, self._part)

    @cached_property
    def means(self) -> Floats:
        """The noisy means, within the bounds."""
        found = [self.moments.sums[place + 1, 0] / self.rows for place in self.places]
        means: Floats = np.clip(found, -1.0, 1.0)
        return means

    @cached_property
    def off(self) -> Floats:
        """What the means are off by at most.

        Of the true mean m the sum of x - m is zero: what the tables say of it is noise.
        """
        weights = moment_weights(self.moments.columns)
        found = []
        for place, center in zip(self.places, self.means, strict=True):
            own = weights[place + 1, 0]
            low, high, told = -1.0, 1.0, float(self.moments.sums[place + 1, 0]) / self.rows
            for _ in range(2):
                ends = np.maximum(np.abs(own - low * self.first), np.abs(own - high * self.first))
                reach = self.moments.reach(ends, self._part) / self.rows + _ROUNDED
                low, high = max(low, told - reach), min(high, told + reach)
                if low > high:
                    low, high = -1.0, 1.0
                    break
            found.append(max(high - center, center - low))
        return np.array(found)

    @cached_property
    def deviations(self) -> Floats:
        """The weights of x - m at the noisy means."""
        weights = moment_weights(self.moments.columns)
        own = weights[[place + 1 for place in self.places], 0]
        deviations: Floats = own - self.means[:, None] * self.first
        return deviations

    @cached_property
    def products(self) -> Floats:
        """The weights of (x - m)(y - k) for each two columns, at the noisy means."""
        every = [place + 1 for place in self.places]
        weights = moment_weights(self.moments.columns)
        own, means = weights[every, 0], self.means
        across = own[:, None] * means[None, :, None]
        both = np.outer(means, means)[:, :, None] * self.first
        centered: Floats = weights[np.ix_(every, every)] - across - across.swapaxes(0, 1) + both
        return centered

    @cached_property
    def off_products(self) -> Floats:
        """By how much these weights are others at the true means, at most."""
        across = np.abs(self.deviations)[:, None] * self.off[None, :, None]
        both = np.outer(self.off, self.off)[:, :, None] * np.abs(self.first)
        off: Floats = across + across.swapaxes(0, 1) + both
        return off

    @cached_property
    def centered(self) -> Floats:
        """The noisy sums of (x - m)(y - k)."""
        every = [place + 1 for place in self.places]
        sums, means = self.moments.sums, self.means
        own = sums[every, 0]
        across = np.outer(own, means)
        found: Floats = (
            sums[np.ix_(every, every)] - across - across.T + np.outer(means, means) * self.rows
        )
        return found

    @cached_property
    def told_off(self) -> Floats:
        """How far the noisy sums of (x - m)(y - k) at the true means are from those at the noisy.

        Where a mean was told to be beyond its bounds, it was taken at the bound.
        """
        own = np.array([self.moments.sums[place + 1, 0] for place in self.places])
        left = np.abs(own - self.means * self.rows)
        across = np.outer(left, self.off)
        found: Floats = across + across.T + self.rows * np.outer(self.off, self.off)
        return found + _ROUNDED * self.rows

    @cached_property
    def spread(self) -> Floats:
        """How far each centered moment may be off."""
        many = len(self.places)
        found = np.zeros((many, many))
        largest = np.abs(self.products) + self.off_products
        for first in range(many):
            for second in range(first, many):
                reach = self.moments.reach(largest[first, second], self._part)
                found[first, second] = found[second, first] = reach
        spread: Floats = found + self.told_off
        return spread

    @property
    def shares(self) -> Floats:
        """The part of each variance that noise may be."""
        told = np.diag(self.centered)
        shares: Floats = np.where(told > 0, np.diag(self.spread) / np.abs(told), inf)
        return shares

    @cached_property
    def rests(self) -> "_Rests":
        """What a regression of the first column on the others rests on."""
        return _Rests(self)

    def covariance(self, rest: Fraction) -> FloatInterval:
        """Bounds of the covariance of two columns: that of what noise leaves, in two rounds."""
        low, high, told = -1.0, 1.0, float(self.centered[0, 1]) / self.rows
        for _ in range(2):
            ends = (np.abs(self.products[0, 1] - end * self.first) for end in (low, high))
            largest = np.maximum(*ends) + self.off_products[0, 1]
            reach = (self.moments.reach(largest, rest) + float(self.told_off[0, 1])) / self.rows
            low, high = max(low, told - reach), min(high, told + reach)
            if low > high:
                return -1.0, 1.0
        return low, high

    def correlation(self, rest: Fraction) -> FloatInterval:
        """Bounds of the correlation of two columns.

        It is where the covariance less it times (k·v + w/k)/2 is zero, v and w the variances and
        k² = w/v.  That k makes the second as small as it can be, so that it hardly matters where k
        is; bounds of v and w say enough.
        """
        told, off = self.centered, self.spread
        lows = [float(told[one, one] - off[one, one]) for one in range(2)]
        highs = [float(told[one, one] + off[one, one]) for one in range(2)]
        if self.shares.max() > 1 - _LEAST_ROOM:
            return -1.0, 1.0
        ratios = sqrt(lows[1] / highs[0]), sqrt(highs[1] / lows[0])
        own = self.products[(0, 1), (0, 1)]
        own_off = self.off_products[(0, 1), (0, 1)]
        sides = [ratio / 2 for ratio in ratios], [1 / (2 * ratio) for ratio in ratios[::-1]]
        moved = np.diag(self.told_off)
        least = sqrt(max(float((told[0, 0] - moved[0]) * (told[1, 1] - moved[1])), 1e-300))
        most = max(
            ratio * float(told[0, 0] + moved[0]) / 2 + float(told[1, 1] + moved[1]) / (2 * ratio)
            for ratio in ratios
        )
        low, high = -1.0, 1.0
        slack = float(self.told_off[0, 1])
        for _ in range(2):
            largest = max_of(
                np.abs(self.products[0, 1] - end * (first * own[0] + second * own[1]))
                for end in (low, high)
                for first in sides[0]
                for second in sides[1]
            )
            farthest = max(abs(low), abs(high))
            largest += self.off_products[0, 1]
            largest += farthest * (sides[0][1] * own_off[0] + sides[1][1] * own_off[1])
            reach = self.moments.reach(largest, rest) + slack
            ends = [float(told[0, 1]) - reach, float(told[0, 1]) + reach]
            low = max(low, ends[0] / (least if ends[0] < 0 else most))
            high = min(high, ends[1] / (most if ends[1] < 0 else least))
            if low > high:
                return -1.0, 1.0
        return low, high


class _Rests:
    """The noisy least squares of a column on others, with bounds of all that they rest on.

    ``share`` is the part of the moments that noise may be: from 1 on nothing is determined.
    """

    def __init__(self, box: Box) -> None:
        self.box = box
        self.inner = box.centered[1:, 1:]
        self.across = box.centered[1:, 0]
        self.off_inner, self.off_across = box.spread[1:, 1:], box.spread[1:, 0]
        self.share = inf
        values = np.linalg.eigvalsh(self.inner)
        if values[0] > 0:
            self.inverse = np.linalg.inv(self.inner)
            self.shares = np.abs(self.inverse) @ self.off_inner
            self.share = float(np.abs(np.linalg.eigvals(self.shares)).max())

    @property
    def determined(self) -> bool:
        """Whether the noise leaves the coefficients determined."""
        return self.share <= 1 - _LEAST_ROOM

    @cached_property
    def slopes(self) -> Floats:
        """Least squares; where noise leaves nothing determined, with a ridge of its size."""
        if self.determined:
            found: Floats = self.inverse @ self.across
            return found
        values, vectors = np.linalg.eigh(self.inner)
        ridge = float(np.linalg.norm(self.off_inner, 2))
        kept: Floats = vectors @ ((vectors.T @ self.across) / np.maximum(values, ridge))
        return kept

    def solved(self, right: Floats) -> Floats:
        """The x with x = shares·x + right: no |x| with |x| ≤ shares·|x| + right is larger."""
        many = len(right)
        found: Floats = np.linalg.solve(np.eye(many) - self.shares, right)
        return found * (1 + 1e-9)

    @cached_property
    def off_slopes(self) -> Floats:
        """How far the slopes may be off."""
        right = self.off_across + self.off_inner @ np.abs(self.slopes)
        return self.solved(np.abs(self.inverse) @ right)

    @cached_property
    def largest_slopes(self) -> Floats:
        """The largest that each slope may be, without its sign."""
        largest: Floats = np.abs(self.slopes) + self.off_slopes
        return largest

    def error(self, combined: Floats, off: Floats, rest: Fraction, *, level: float = 0.0) -> float:
        """How far the sum of (noise of the normal equations)·combined may be from zero.

        At the true slopes, means and ``combined``, the last within ``off``, that is noise with
        weights that are not random, and what the means are off by.  ``level`` is the weight of
        the sum of residuals beside.
        """
        box, slopes, most = self.box, self.slopes, self.largest_slopes
        products, off_products = box.products, box.off_products
        residual = products[1:, 0] - np.einsum("l,klc->kc", slopes, products[1:, 1:])
        unsure = off_products[1:, 0] + np.einsum("l,klc->kc", most, off_products[1:, 1:])
        unsure += np.einsum("l,klc->kc", self.off_slopes, np.abs(products[1:, 1:]))
        largest = np.abs(combined) + off
        weights = np.einsum("k,kc->c", combined, residual)
        spread = np.einsum("k,kc->c", off, np.abs(residual))
        spread += np.einsum("k,kc->c", largest, unsure)
        slack = float(largest @ (box.told_off[1:, 0] + box.told_off[1:, 1:] @ most))
        slack += float(off @ (self.off_across + self.off_inner @ most))
        if level:
            weights = weights + level * (box.deviations[0] - slopes @ box.deviations[1:])
            beside = self.off_slopes @ np.abs(box.deviations[1:])
            spread += level * (beside + (box.off[0] + most @ box.off[1:]) * np.abs(box.first))
        return box.moments.reach(np.abs(weights) + spread, rest) + slack

    def slope(self, place: int, rest: Fraction) -> float:
        """How far one slope may be off."""
        inverse = self.inverse[place]
        off = self.solved(self.shares @ np.abs(inverse))
        return self.error(inverse, off, rest)

    def intercept(self, at: Floats, rest: Fraction) -> float:
        """How far the value on the line at a point may be off."""
        box = self.box
        far = at - box.means[1:]
        combined = self.inverse @ far
        off = self.solved(np.abs(self.inverse) @ (self.off_inner @ np.abs(combined) + box.off[1:]))
        off = box.rows * off + box.rows_spread * (np.abs(combined) + off)
        told = np.array([box.moments.sums[place + 1, 0] for place in box.places]) / box.rows
        moved = np.abs(told - box.means)  # where a mean was told to be beyond its bounds
        slack = float(moved[0] + self.largest_slopes @ moved[1:])
        return self.error(box.rows * combined, off, rest, level=1.0) / box.rows + slack

    def explained(self, rest: Fraction) -> FloatInterval:
        """Bounds of the share of the variance that is explained."""
        box = self.box
        whole = float(box.centered[0, 0])
        if whole - float(box.spread[0, 0]) <= 0:
            return 0.0, 1.0
        left = whole - float(self.across @ self.slopes)
        products, off_products = box.products, box.off_products
        signed, most = np.append(1.0, -self.slopes), np.append(1.0, self.largest_slopes)
        unsure = np.append(0.0, self.off_slopes)
        squares = np.einsum("k,l,klc->c", signed, signed, products)
        spread = np.einsum("k,l,klc->c", most, most, off_products)
        spread += 2 * np.einsum("k,l,klc->c", unsure, most, np.abs(products))
        most_slack = float(most @ box.told_off @ most)
        bent = float(self.off_slopes @ np.abs(self.inner) @ self.off_slopes)
        low, high = 0.0, 1.0
        for _ in range(2):
            ends = (np.abs(squares - end * products[0, 0]) for end in (low, high))
            largest = np.maximum(*ends) + spread + high * off_products[0, 0]
            reach = box.moments.reach(largest, rest) + most_slack
            bounds = left - reach, left + bent + reach
            moved = float(box.told_off[0, 0])
            wholes = whole - moved, whole + moved
            low = max(low, min(bounds[0] / one for one in wholes))
            high = min(high, max(bounds[1] / one for one in wholes))
            if low > high:
                return 0.0, 1.0
        return 1 - high, 1 - low


def max_of(weights: Iterable[Floats]) -> Floats:
    """The largest of several, cell by cell."""
    found: Floats = np.max(list(weights), axis=0)
    return found


@dataclass(frozen=True, slots=True)
class Related:
    """A number that noisy moments say, and where it lies; ``times`` is what it would take.

    ``times``: so many times ε, or as many times the rows, about, where noise leaves it open.
    """

    value: float
    bounds: FloatInterval
    times: float = 1.0


def related(
    moments: NoisyMoments,
    part: str,
    places: tuple[int, ...],
    at: Floats,
    confidence: Fraction = _USUAL,
) -> Related:
    """A covariance, a correlation, a coefficient or a share of variance, with its bounds.

    ``part`` says which; a slope by its place.  ``at`` is where the intercept is taken.
    """
    least, most = {"cov": (-1.0, 1.0), "corr": (-1.0, 1.0), "r2": (0.0, 1.0)}.get(part, (-inf, inf))
    if not moments.known:
        return Related(0.0, (least, most), inf)
    miss = 1 - confidence
    box, usual = Box(moments, places, miss * _BOX_PART), Box(moments, places, _USUAL_BOX)
    rest, times = miss * (1 - _BOX_PART), 1.0
    low, high = least, most
    with np.errstate(all="ignore"):
        if part == "cov":
            value = float(usual.centered[0, 1]) / usual.rows
            low, high = box.covariance(rest)
        elif part == "corr":
            own = np.diag(usual.centered)
            if usual.shares.max() > 1 - _LEAST_ROOM:
                own = np.maximum(own, np.diag(usual.spread))
            size = sqrt(float(own[0] * own[1]))
            value = float(usual.centered[0, 1]) / size
            low, high = box.correlation(rest)
            times = _more(usual.shares.max())
        else:
            rests, found = usual.rests, box.rests
            times = _more(rests.share)
            value, off = _regressed(rests, part, at), inf
            if found.determined and part == "r2":
                low, high = found.explained(rest)
            elif found.determined:
                if part == "intercept":
                    off = found.intercept(at, rest)
                else:
                    off = found.slope(int(part), rest)
                low, high = value - off, value + off
    if not isfinite(value):
        value = 0.0
    if not low <= high:  # a float beyond all: nothing is known
        low, high = least, most
    value = min(max(value, least), most)
    slack = _ROUNDED * (1 + abs(value))
    bounds = max(least, min(low, value) - slack), min(most, max(high, value) + slack)
    return Related(value, bounds, times)


def _regressed(rests: "_Rests", part: str, at: Floats) -> float:
    """What noisy least squares say."""
    box = rests.box
    if part == "r2":
        whole = float(box.centered[0, 0])
        return float(rests.across @ rests.slopes) / whole if whole > 0 else 0.0
    if part == "intercept":
        return float(box.means[0] + rests.slopes @ (at - box.means[1:]))
    return float(rests.slopes[int(part)])


def _more(share: float) -> float:
    """How many times ε would leave noise half of the moments, where it may be all of them."""
    return 1.0 if share <= 1 - _LEAST_ROOM else 2 * float(share)


_USUAL_BOX = (1 - _USUAL) * _BOX_PART
