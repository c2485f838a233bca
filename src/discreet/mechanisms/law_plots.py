"""Laws as pictures: one mechanism on several inputs, or two mechanisms side by side."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import inf, log
from reprlib import Repr
from typing import Any

from discreet.errors import DataError
from discreet.exact import Grid
from discreet.mechanisms.additive_noise import grid_index, is_scalar
from discreet.privacy.laws import EnclosedLaw, WeightedLaw
from discreet.privacy.sensitivity import Sensitivity
from discreet.privacy.verification import verify

_SHOWN = Fraction(995, 1000)  # the part of the noise that is within the picture
_CONFIDENCE = Fraction(95, 100)
_MOST_POINTS = 240
_MOST_LAWS = 4
_MOST_OUTCOMES = 24
_LONG_NAME = 16
_DELTA = Fraction(1, 10**6)
_SHORT = Repr()
_SHORT.maxother = _SHORT.maxstring = 40


def plot_noise(mechanism: Any, values: Sequence[object], beside: Any) -> Any:
    """The picture of noise on a grid: on each of the values, or beside other noise on one."""
    from discreet.plots import noise_picture

    inputs = list(values) or [0]
    _check_number(len(inputs) if beside is None else 2)
    if not all(is_scalar(value) for value in inputs):
        raise DataError(
            "an input is not a single number. A picture shows the law of one number. Give numbers, "
            "for example .plot(0, 1)."
        )
    if beside is None:
        pairs = [(mechanism, value) for value in inputs]
        names = [f"on {value}" for value in inputs]
    else:
        if len(inputs) > 1 or not hasattr(beside, "pmf") or beside.grid != mechanism.grid:
            raise DataError(
                "two mechanisms are shown beside each other on one input and one grid. Otherwise "
                "their laws cannot be compared. Write dp.Laplace(scale=2).plot(beside="
                "dp.Gaussian(sigma=2)), with the same grid=."
            )
        pairs = [(mechanism, inputs[0]), (beside, inputs[0])]
        names = [repr(mechanism), repr(beside)]
    if len(set(names)) < len(names):
        raise DataError(
            "two of the laws are the same. Each has its own line in the picture. Give inputs, or "
            "mechanisms, that differ."
        )
    grid: Grid = mechanism.grid
    places = _places([(grid_index(value, grid), one) for one, value in pairs], grid)
    laws = [one.law(value) for one, value in pairs]
    chances = [[law.probability(grid.value(place)) for place in places] for law in laws]
    ratios = None
    if len(inputs) == 2:
        ratios = [log(p) - log(q) if p and q else None for p, q in zip(*chances, strict=True)]
    whole = grid.exponent == 0 and len(places) == places[-1] - places[0] + 1
    unit = 1.0 if grid.exponent == 0 else float(grid.step)
    kinds = " beside ".join(type(one).__name__ for one, _ in pairs)
    title = repr(mechanism) if beside is None else f"{kinds} noise"
    return noise_picture(
        [float(grid.value(place)) for place in places],
        {name: [p / unit for p in row] for name, row in zip(names, chances, strict=True)},
        title=title,
        subtitle=_noise_text(mechanism, inputs, beside),
        height_title="probability" if unit == 1 else "probability density",
        dots=whole,
        ratios=ratios,
        epsilon=_least_epsilon(mechanism, inputs) if ratios else None,
    )


def plot_choice(mechanism: Any, values: Sequence[object]) -> Any:
    """The picture of a law on few outcomes: on each of the values."""
    from discreet.plots import chances_picture

    _check_number(len(values))
    laws = [mechanism.law(value) for value in values]
    if not all(isinstance(law, WeightedLaw | EnclosedLaw) for law in laws):
        raise DataError(
            "an input is not of the kind whose law has a list of outcomes. A picture shows the "
            "law of one output. Give single inputs, for example .plot(0, 1)."
        )
    outcomes = list(dict.fromkeys(at for law in laws for at in _outcomes(law)))
    if len(outcomes) > _MOST_OUTCOMES:
        raise DataError(
            f"the laws have {len(outcomes)} outcomes, more than {_MOST_OUTCOMES}. Each has its own "
            "bars in the picture. Draw a mechanism with fewer."
        )
    names = [f"on {_SHORT.repr(value)}" for value in values]
    if max(map(len, names)) > _LONG_NAME or len(set(names)) < len(names):
        names = [f"on input {place}" for place in range(1, len(values) + 1)]
    subtitle = []
    if len(values) == 2:
        worst = verify(mechanism, *values).epsilon
        subtitle = [_ratio_text(worst)]
    return chances_picture(
        [str(at) for at in outcomes],
        {
            name: [law.probability(at) for at in outcomes]
            for name, law in zip(names, laws, strict=True)
        },
        title=_SHORT.repr(mechanism),
        subtitle=subtitle,
    )


def _outcomes(law: WeightedLaw | EnclosedLaw) -> Sequence[Hashable]:
    return list(law.weights) if isinstance(law, WeightedLaw) else law.outcomes


def _check_number(laws: int) -> None:
    if not 1 <= laws <= _MOST_LAWS:
        raise DataError(
            f"there are {laws} laws to draw. A picture shows one to {_MOST_LAWS}. Give as many "
            "inputs, for example .plot(0, 1)."
        )


def _places(centers: Sequence[tuple[int, Any]], grid: Grid) -> list[int]:
    """Grid points that most of the noise is on, at most so many, the centers among them."""
    reaches = [int(Fraction(one.accuracy(_SHOWN)) / grid.step) + 1 for _, one in centers]
    low = min(center - reach for (center, _), reach in zip(centers, reaches, strict=True))
    high = max(center + reach for (center, _), reach in zip(centers, reaches, strict=True))
    step = -(-(high - low) // _MOST_POINTS)
    first = centers[0][0]
    low -= (low - first) % step
    return sorted({*range(low, high + 1, step), *(center for center, _ in centers)})


def _noise_text(mechanism: Any, inputs: Sequence[object], beside: Any) -> list[str]:
    from discreet.plots.picture import rounded_up

    if beside is not None or len(inputs) != 2:
        shown = [mechanism] if beside is None else [mechanism, beside]
        reaches = [rounded_up(float(one.accuracy(_CONFIDENCE))) for one in shown]
        return [f"95% of the noise is within ± {' and within ± '.join(reaches)}"]
    worst = _least_epsilon(mechanism, inputs)
    if worst is not None:
        return [_ratio_text(worst)]
    loss = mechanism.loss(Sensitivity(l2=_apart(mechanism, inputs)), delta=_DELTA, dimension=1)
    level = rounded_up(float(loss.epsilon))
    return [
        "No factor bounds the ratio of the two: far out it grows without end.",
        f"On this pair: (ε, δ)-private with ε = {level}, δ = {rounded_up(float(_DELTA))}",
    ]


def _least_epsilon(mechanism: Any, inputs: Sequence[object]) -> Fraction | None:
    """The ε of the two laws; None where no pure ε holds."""
    distance = _apart(mechanism, inputs)
    loss = mechanism.loss(Sensitivity(l1=distance))
    return getattr(loss, "epsilon", None)


def _apart(mechanism: Any, inputs: Sequence[object]) -> Fraction:
    first, second = (grid_index(value, mechanism.grid) for value in inputs)
    return abs(first - second) * Fraction(mechanism.grid.step)


def _ratio_text(epsilon: Fraction | float) -> str:
    from discreet.plots.picture import rounded_up

    if epsilon == inf:
        return "An output is possible on one input only: no ε holds"
    return f"The probabilities differ by a factor of at most e^ε, ε = {rounded_up(float(epsilon))}"
