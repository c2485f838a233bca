"""From noisy integers to numbers with their errors: post-processing, so it costs nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Any

from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.quantile import Quantiles
from discreet.plan.aggregate import Statistic
from discreet.plan.blocks import (
    Distinct,
    Extreme,
    FixedTotal,
    Moments,
    Output,
    People,
    Present,
    Ranks,
    Rows,
    Size,
    Steps,
    Total,
)
from discreet.plan.check import Question
from discreet.plan.columns import date_text
from discreet.plan.sensitivity import unit
from discreet.privacy.estimate import (
    BoundedError,
    Estimate,
    LinearError,
    RankError,
    Release,
    Source,
    Uncertainty,
)
from discreet.privacy.uncertainty import as_float
from discreet.release.price import Price, Priced, Selection
from discreet.statistics.ratio import (
    share,
    share_interval,
    share_of_squares,
    share_of_squares_interval,
)
from discreet.statistics.spread import LARGEST, variance_interval, variance_of

_CONFIDENCE = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Frame:
    """What all estimates of one answer have in common."""

    question: Question
    price: Price
    payment: Release
    safe: bool
    rows: int | None


def estimate(output: Output, noisy: Sequence[int], frame: Frame) -> Estimate:
    """The answer in one group, from the released integers of its block."""
    return estimates(output, [noisy], frame)[0]


def estimates(
    output: Output, groups: Sequence[Sequence[int]], frame: Frame
) -> tuple[Estimate, ...]:
    """The answers in every group, from the released integers of each."""
    priced = frame.price.of(output.block)
    decoded = _decoder(output, priced, frame)
    neighbors, said = frame.question.schema.neighbors.value, note(output, frame.question)
    found = []
    for noisy in groups:
        value, error = decoded(noisy)
        found.append(
            Estimate(
                value=value,
                error=error,
                releases=(frame.payment,),
                mechanism=priced.mechanism,
                neighbors=neighbors,
                note=said,
                safe=frame.safe,
            )
        )
    return tuple(found)


def note(output: Output, question: Question) -> str:
    """What an interval does not cover."""
    parts = []
    block = output.block
    if isinstance(block, Size):
        return "It is exact. Neighbors replace one row, so the number of rows is public."
    if isinstance(block, Total | Moments | FixedTotal | Ranks | Extreme):
        bounds = block.value.range
        counts = {Statistic.ROWS, Statistic.PEOPLE, Statistic.COUNT}
        if output.aggregate.statistic not in counts:
            ends = [_shown(block.value, end) for end in (bounds.low, bounds.high)]
            parts.append(f"clipping to [{ends[0]}, {ends[1]}]")
        if block.value.default is not None:
            stands = _shown(block.value, block.value.default)
            parts.append(f"counting of missing values as {stands}")
    if isinstance(block, Ranks) and not block.value.whole:
        parts.append(f"rounding to multiples of {float(block.value.range.grid.step):.2g}")
    if question.schema.by_person:
        capped = (
            f"{question.group_cap} groups"
            if isinstance(block, People)
            else f"{question.row_cap} rows"
        )
        if not (isinstance(block, People) and unit(block, question) == 1):
            parts.append(f"weighing down of people with more than {capped}")
    if not parts:
        return ""
    covers = "That" if isinstance(block, Ranks | Extreme) else "The interval"
    return f"{covers} covers the noise, not the {' or the '.join(parts)}."


Decoder = Callable[[Sequence[int]], tuple[Any, Uncertainty | RankError]]


def _decoder(output: Output, priced: Priced | Selection, frame: Frame) -> Decoder:
    """How the integers of one group become a number with its error."""
    block, statistic = output.block, output.aggregate.statistic
    one = unit(block, frame.question)
    if isinstance(priced, Selection):
        return _linear([Fraction(1)], _noise(priced))
    if isinstance(block, Size):
        return lambda noisy: (noisy[0], LinearError(()))
    if isinstance(block, People | Rows | Present | Distinct):
        return _linear([Fraction(1, one)], _noise(priced))
    if isinstance(block, Ranks | Extreme):
        return lambda noisy: _ranked(output, noisy, priced, one)
    step, noise = block.value.range.grid.step, _noise(priced)
    if isinstance(block, Total):
        return _linear([step / one], noise)
    if isinstance(block, FixedTotal):
        rows = max(frame.rows or 0, 1)
        return _linear([step / rows if statistic is Statistic.MEAN else step], noise)
    if statistic in (Statistic.ROWS, Statistic.PEOPLE, Statistic.COUNT, Statistic.SUM):
        return _linear(_moment_weights(block, statistic, one), noise)
    if statistic is Statistic.MEAN:
        return lambda noisy: _mean(block, noisy, noise)
    return lambda noisy: _spread(block, noisy, noise, statistic)


def _noise(priced: Priced | Selection) -> Any:
    mechanism: Any = priced.mechanism
    return mechanism if isinstance(priced, Priced) else mechanism.noise


def _linear(weights: Sequence[Fraction], noise: Any) -> Decoder:
    """A weighted sum of released integers, and the error that their noise makes."""
    whole = all(weight.denominator == 1 for weight in weights)
    noisy_weights = [weight for weight in weights if weight]
    if len(weights) == 1:
        top, bottom = weights[0].as_integer_ratio()

        def single(noisy: Sequence[int]) -> tuple[int | float, LinearError]:
            value = noisy[0] * top if whole else _divided(noisy[0] * top, bottom)
            return value, LinearError(((weights[0], Source(noise)),))

        return single

    def decoded(noisy: Sequence[int]) -> tuple[int | float, LinearError]:
        terms = (weight * number for weight, number in zip(weights, noisy, strict=True))
        exact = sum(terms, Fraction(0))
        error = LinearError(tuple((weight, Source(noise)) for weight in noisy_weights))
        return exact.numerator if whole else as_float(exact), error

    return decoded


def _divided(top: int, bottom: int) -> float:
    try:
        return top / bottom  # the float nearest to the quotient
    except OverflowError:
        return as_float(Fraction(top, bottom))


def _moment_weights(block: Moments, statistic: Statistic, one: int) -> list[Fraction]:
    """The count, or the sum, as a combination of a block's sums."""
    bounds = block.value.range
    row = Fraction(1, one * bounds.width ** (2 if block.squares else 1))
    everything = [row] * (2 + block.squares)
    if statistic is Statistic.SUM:
        step = bounds.grid.step / one
        if block.squares:  # the sum above the lower bound is (2x(w-x)/2 + x²)/w
            above = [Fraction(0), step / (2 * bounds.width), step / bounds.width]
        else:
            above = [step, Fraction(0)]
        low = bounds.low * bounds.grid.step
        everything = [a + low * b for a, b in zip(above, everything, strict=True)]
    counts_rows = statistic in (Statistic.ROWS, Statistic.PEOPLE)
    return [*everything, row if counts_rows else Fraction(0)] if block.rows else everything


def _mean(block: Moments, noisy: Sequence[int], noise: Laplace) -> tuple[float, BoundedError]:
    bounds = block.value.range
    low, high = float(bounds.grid.value(bounds.low)), float(bounds.grid.value(bounds.high))

    def between(part: float) -> float:
        return low * (1 - part) + high * part

    if not block.squares:
        above, below = noisy[:2]

        def interval(confidence: Fraction) -> tuple[float, float]:
            least, most = share_interval(above, below, noise, confidence)
            return between(least), between(most)

        return between(share(above, below)), BoundedError(interval)

    sums = (noisy[0], noisy[1], noisy[2])

    def bounds_of(confidence: Fraction) -> tuple[float, float]:
        least, most = share_of_squares_interval(sums, noise, confidence)
        return between(least), between(most)

    return between(share_of_squares(*sums)), BoundedError(bounds_of)


def _spread(
    block: Moments, noisy: Sequence[int], noise: Laplace, statistic: Statistic
) -> tuple[float, BoundedError]:
    bounds = block.value.range
    width = as_float(bounds.width * bounds.grid.step)
    sums = (noisy[0], noisy[1], noisy[2])

    def shown(variance: float) -> float:
        part = min(max(variance, 0.0), LARGEST)
        return part * width * width if statistic is Statistic.VARIANCE else sqrt(part) * width

    def interval(confidence: Fraction) -> tuple[float, float]:
        least, most = variance_interval(sums, noise, confidence)
        return shown(least), shown(most)

    return shown(float(variance_of(*sums))), BoundedError(interval)


def _ranked(
    output: Output, noisy: Sequence[int], priced: Priced, one: int
) -> tuple[Any, RankError]:
    block, mechanism = output.block, priced.mechanism
    if isinstance(block, Ranks):
        place = block.levels.index(output.level or Fraction(1, 2))
        error = _rank_errors(mechanism)[place]
        point = noisy[place]
    elif isinstance(block, Extreme):
        error = mechanism.rank_error(_CONFIDENCE)  # type: ignore[union-attr]
        point = noisy[0] if block.largest else block.value.range.width - noisy[0]
    value = block.value.number(block.value.range.low + point)  # type: ignore[union-attr]
    records = RankError(as_float(Fraction(error) / one))
    return (date_text(int(value)) if output.dated else value), records


@lru_cache(maxsize=64)
def _rank_errors(mechanism: Quantiles) -> list[float]:
    """The errors of all levels: each output and each group asks for its own."""
    return mechanism.rank_errors(_CONFIDENCE)


def _shown(value: Steps, place: int) -> str:
    number = value.range.grid.value(place)
    return date_text(int(number)) if value.dated else f"{number:g}"
