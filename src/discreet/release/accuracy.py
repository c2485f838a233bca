"""How exact an answer will be, before anything is paid: from the price and public facts."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.plan.aggregate import Statistic
from discreet.plan.blocks import (
    Block,
    Extreme,
    FixedTotal,
    Moments,
    Output,
    Ranks,
    Size,
    Total,
    components,
)
from discreet.plan.check import Question
from discreet.plan.sensitivity import sensitivity, unit
from discreet.privacy.estimate import Estimate, RankError, Release
from discreet.privacy.losses import PureDP
from discreet.release.decode import Frame, estimate
from discreet.release.price import Exact, Price, Selection

_COUNTS = {Statistic.ROWS, Statistic.PEOPLE, Statistic.COUNT, Statistic.SUM, Statistic.DISTINCT}


@dataclass(frozen=True, slots=True)
class Margin:
    """A half width at 95%, in the answer's own unit; or, for quantiles, in rows of rank."""

    value: float | None
    of_rank: bool = False
    exact: bool = False

    @property
    def text(self) -> str:
        """As it stands in a plan.

        >>> Margin(3).text, Margin(12.5, of_rank=True).text, Margin(None).text
        ('± 3', 'rank ± 12 rows', 'needs expect_rows=')
        """
        if self.exact:
            return "exact"
        if self.value is None:
            return "needs expect_rows="
        if self.value == inf:
            return "± ∞"
        if self.of_rank:
            return f"rank ± {self.value:,.0f} rows"
        return f"± {self.value:,.3g}" if self.value < 1000 else f"± {self.value:,.0f}"


def margin(
    output: Output, question: Question, price: Price, expect_rows: int | None = None
) -> Margin:
    """The margin that an output will have in each group.

    Means and variances have a margin only for a number of rows, which is private: it is stated
    for ``expect_rows`` rows in a group, all at one end of the range, where means are least exact.
    """
    block = output.block
    if isinstance(block, Size):
        return Margin(0, exact=True)
    if isinstance(block, Ranks | Extreme):
        found = _estimate(output, [0] * components(block), question, price, None)
        error = found.error
        return Margin(error.records if isinstance(error, RankError) else inf, of_rank=True)
    if isinstance(block, Moments) and output.aggregate.statistic not in _COUNTS:
        if expect_rows is None:
            return Margin(None)
        found = _estimate(output, _expected(block, question, expect_rows), question, price, None)
    elif isinstance(block, FixedTotal) and output.aggregate.statistic is Statistic.MEAN:
        if expect_rows is None:
            return Margin(None)
        found = _estimate(output, [0], question, price, expect_rows)
    else:
        found = _estimate(output, [0] * components(block), question, price, None)
    return Margin(found.margin)


def _expected(block: Moments, question: Question, rows: int) -> list[int]:
    one, width = unit(block, question), block.value.range.width
    missing = [0] if block.rows else []
    if not block.squares:
        return [0, rows * one * width, *missing]
    # Half of the rows at either end: where a variance is least exact.
    half = rows * one * width * width // 2
    return [half, 0, half, *missing]


def _estimate(
    output: Output, noisy: list[int], question: Question, price: Price, rows: int | None
) -> Estimate:
    payment = Release(PureDP(epsilon=price.epsilon))
    return estimate(output, noisy, Frame(question, price, payment, True, rows))


def mechanism_text(output: Output, question: Question, price: Price) -> str:
    """The mechanism of an output, and its scale in the answer's own unit."""
    priced = price.of(output.block)
    if isinstance(priced, Selection):
        return priced.mechanism.name
    mechanism = priced.mechanism
    if isinstance(mechanism, Exact):
        return "none: the number of rows is public"
    if not isinstance(mechanism, Laplace | Gaussian):
        return type(mechanism).__name__
    return noise_text(mechanism, output, question)


def noise_text(mechanism: Laplace | Gaussian, output: Output, question: Question) -> str:
    """Additive noise, with its scale in the answer's own unit."""
    scale = mechanism.scale if isinstance(mechanism, Laplace) else mechanism.sigma
    size = _in_own_unit(Fraction(scale), output.block, question)
    name = "scale" if isinstance(mechanism, Laplace) else "sigma"
    return f"{type(mechanism).__name__}({name}={float(size):.6g})"


def reach_text(output: Output, question: Question) -> str:
    """How far one unit can move an output over all groups together, in its own unit."""
    size = _in_own_unit(Fraction(sensitivity(output.block, question)), output.block, question)
    counted = isinstance(output.block, Moments | Ranks | Extreme)
    return f"{float(size):,.6g}" + (" rows" if counted else "")


def _in_own_unit(steps: Fraction, block: Block, question: Question) -> Fraction:
    """A number of integer steps as one of rows, people or the column's own unit."""
    size = steps / unit(block, question)
    if isinstance(block, Moments):
        return size / block.value.range.width ** (2 if block.squares else 1)
    if isinstance(block, Total | FixedTotal):
        return size * block.value.range.grid.step
    return size
