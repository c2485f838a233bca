"""A function of what mechanisms released: post-processing, whose law is known too."""

from cmath import isnan
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce
from itertools import accumulate, product
from math import inf, lcm, nan, prod
from operator import add
from typing import Any

import numpy as np

from discreet.errors import DataError, PrivacyParameterError, VerificationError
from discreet.exact import Grid, rational
from discreet.mechanisms.gaussian import GaussianLaw
from discreet.mechanisms.laplace import LaplaceLaw
from discreet.noise import BitSource, Keystream, uniform_below
from discreet.privacy.laws import (
    MAX_ATOMS,
    EnclosedLaw,
    ExponentialTerms,
    Law,
    ProductLaw,
    SummedLaw,
    WeightedLaw,
    product_of_terms,
    sum_of_terms,
)
from discreet.privacy.losses import ApproximateDP, PureDP, ZeroConcentratedDP
from discreet.privacy.sensitivity import Sensitivity


def canonical_outcome(value: Any) -> Any:
    """The one form of an outcome.

    A number is an int if it is whole, a float if a float is exactly that number, and otherwise a
    Fraction; there is one zero and one NaN.  Arrays are tuples, with their parts in this form too.

    >>> canonical_outcome((-0.0, True, (1.0, Fraction(1, 2), "yes")))
    (0, 1, (1, 0.5, 'yes'))
    """
    if isinstance(value, np.ndarray):
        return tuple(canonical_outcome(part) for part in value.ravel().tolist())
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble | np.clongdouble):
        return canonical_outcome(value.item())
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, int | float | Fraction | Decimal | np.longdouble):
        return _plain_number(value)
    if isinstance(value, tuple):
        return tuple(map(canonical_outcome, value))
    if isinstance(value, frozenset):  # equal sets may list their members in different orders
        return frozenset(sorted(map(canonical_outcome, value), key=repr))
    if isinstance(value, str):
        return str.__str__(value)
    if type(value) in (bytes, date) or _equals_only_itself(value):
        return value
    raise DataError(
        "an outcome is of a kind that cannot be hashed, or whose equal values may look different. "
        "The law is a table of outcomes, each in one form. Let the function give numbers, strings "
        "or tuples, or a mapping from those to probabilities."
    )


def _plain_number(value: Any) -> int | float | Fraction:
    try:
        exact = Fraction(*value.as_integer_ratio())
    except ValueError:
        return nan
    except OverflowError:
        return inf if value > 0 else -inf
    if exact.denominator == 1:
        return int(exact)
    try:
        near = float(exact)
    except OverflowError:
        return exact
    return near if Fraction(near) == exact else exact


def _complex(value: complex) -> int | float | complex | Fraction:
    if isnan(value):
        return nan
    if value.imag == 0:
        return _plain_number(value.real)
    return complex(value.real + 0.0, value.imag)  # adding zero leaves no -0.0


def _equals_only_itself(value: Any) -> bool:
    """Whether nothing else compares equal, as for None, or a member of an enumeration."""
    kind: Any = type(value)
    return bool(kind.__eq__ is object.__eq__ and kind.__hash__ is not None)


_Finite = SummedLaw | EnclosedLaw
_Loss = PureDP | ApproximateDP | ZeroConcentratedDP


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Processed:
    """g(M(x)), or g(M₁(x₁), M₂(x₂), …) of several mechanisms: a function of what they released.

    ``function`` takes the output of each mechanism and gives an outcome, or a mapping from
    outcomes to probabilities if it tosses coins of its own.  The output on an array is given to
    it as a tuple.  Laplace and Gaussian noise reach every grid point, so their law is known
    with ``clamp=(low, high)``: outputs outside are moved to the nearer end first.

    Outputs and outcomes that compare equal have one form, since a law takes them for one: whole
    numbers are ints, True, 1.0 and -0.0 among them, and there is one NaN.

    Guarantee: the loss is that of the mechanisms together; the function adds nothing, provided
    that it sees the outputs and no data.  Proof: docs/proofs/post-processing.md

    >>> from discreet.local import RandomizedResponse
    >>> poll = RandomizedResponse.two_coin()
    >>> again = Processed(poll, lambda bit: {bit: "9/10", 1 - bit: "1/10"})
    >>> again.law(1).known(1)
    Fraction(7, 10)
    >>> twice = Processed([poll, poll], lambda first, second: first + second)
    >>> twice.law([1, 1]).known(2), twice.loss() == poll.loss + poll.loss
    (Fraction(9, 16), True)
    """

    mechanisms: tuple[Any, ...]
    function: Callable[..., object]
    clamp: tuple[int | float, int | float] | None

    def __init__(
        self,
        mechanism: Any,
        function: Callable[..., object],
        *,
        clamp: object = None,
    ) -> None:
        several = isinstance(mechanism, Sequence)
        mechanisms = tuple(mechanism) if several else (mechanism,)
        if not mechanisms or not all(hasattr(one, "law") for one in mechanisms):
            raise PrivacyParameterError(
                "a mechanism is missing or has no exact law. A function is applied to what "
                "mechanisms release. Give one, such as dp.Laplace(scale=2), or a list of them."
            )
        if not callable(function):
            raise PrivacyParameterError(
                "the function cannot be called. It takes the output of each mechanism and gives "
                "an outcome. Give one, for example lambda output: output > 0."
            )
        object.__setattr__(self, "mechanisms", mechanisms)
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "clamp", None if clamp is None else _read_clamp(clamp))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.mechanisms))
        mechanisms = shown if len(self.mechanisms) == 1 else f"[{shown}]"
        name = getattr(self.function, "__name__", type(self.function).__name__)
        clamp = "" if self.clamp is None else f", clamp={self.clamp}"
        return f"Processed({mechanisms}, {name}{clamp})"

    def __call__(self, value: object, *, source: BitSource | None = None) -> Any:
        """The function of fresh outputs; several mechanisms take one input each."""
        bits = Keystream() if source is None else source
        outputs = [
            self._clamped(mechanism(part, source=bits))
            for mechanism, part in zip(self.mechanisms, self._inputs(value), strict=True)
        ]
        return _drawn(_image(self.function(*outputs)), bits)

    def loss(self, *sensitivities: Sensitivity) -> _Loss:
        """What the mechanisms cost together: the function costs nothing.

        One sensitivity for each mechanism that states its loss for one, in their order.  Losses
        that have no sum, such as a ρ and an ε with a δ, are refused.

        >>> from discreet.mechanisms.laplace import Laplace
        >>> Processed(Laplace(scale=2), abs).loss(Sensitivity(l1=1))
        PureDP(epsilon=1/2)
        """
        left = list(sensitivities)
        losses: list[Any] = []
        for mechanism in self.mechanisms:
            needed = _needed(mechanism)
            if len(left) < needed:
                raise PrivacyParameterError(
                    f"there is no sensitivity for {type(mechanism).__name__}. Its loss depends on "
                    "how far one unit moves its input. Give one for each such mechanism, for "
                    "example .loss(dp.Sensitivity(l1=1))."
                )
            own_loss = mechanism.loss  # local schemes have it as it is, others for a sensitivity
            losses.append(own_loss(*left[:needed]) if callable(own_loss) else own_loss)
            del left[:needed]
        if left:
            raise PrivacyParameterError(
                f"there are {len(sensitivities)} sensitivities, more than mechanisms that need "
                "one. Each is for one mechanism, in their order. Leave out the others."
            )
        if any(isinstance(loss, ZeroConcentratedDP) for loss in losses):
            losses = [loss.to_zcdp() if isinstance(loss, PureDP) else loss for loss in losses]
        _check_sum(losses)
        total: _Loss = reduce(add, losses)
        return total

    def law(self, value: object) -> SummedLaw | EnclosedLaw:
        """The exact law of the function's outcome on this input, or on one for each mechanism."""
        parts = [
            self._finite(mechanism.law(part))
            for mechanism, part in zip(self.mechanisms, self._inputs(value), strict=True)
        ]
        _check_size(prod(len(part.outcomes) for part in parts))
        images = [
            (outputs, _image(self.function(*map(self._clamped, outputs))))
            for outputs in product(*(part.outcomes for part in parts))
        ]
        summed = [part for part in parts if isinstance(part, SummedLaw)]
        if len(summed) == len(parts):
            return _summed(summed, images)
        return _enclosed(parts, images)

    def _inputs(self, value: object) -> list[Any]:
        if len(self.mechanisms) == 1:
            return [value]
        inputs = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
        if len(inputs) != len(self.mechanisms):
            raise DataError(
                f"the input is not a list of {len(self.mechanisms)}. Each mechanism takes an input "
                "of its own. Give a list with one input for each, in their order."
            )
        return inputs

    def _clamped(self, output: Any) -> Any:
        """What the function is given of an output: the same for a draw and for the law."""
        plain = canonical_outcome(output)
        if self.clamp is None:
            return plain
        if isinstance(plain, tuple):
            return tuple(map(self._clamped, plain))
        return min(max(plain, self.clamp[0]), self.clamp[1])

    def _finite(self, law: "Law | Mapping[Any, object]") -> _Finite:
        """The law on finitely many outcomes, before the function is applied."""
        if isinstance(law, Mapping):
            law = WeightedLaw.of_probabilities(law)
        if isinstance(law, WeightedLaw):
            return SummedLaw.of(law)
        if isinstance(law, SummedLaw | EnclosedLaw):
            return law
        if isinstance(law, LaplaceLaw | GaussianLaw):
            low, high = self._ends(law.grid)
            return law.clamped(low, high)
        if isinstance(law, ProductLaw):
            parts = [self._finite(part) for part in law.parts]
            _check_size(prod(len(part.outcomes) for part in parts))
            tuples = [(at, {at: Fraction(1)}) for at in product(*(one.outcomes for one in parts))]
            summed = [part for part in parts if isinstance(part, SummedLaw)]
            return (
                _summed(summed, tuples) if len(summed) == len(parts) else _enclosed(parts, tuples)
            )
        raise VerificationError(
            f"the outcomes of a {type(law).__name__} cannot be listed. The law of a function is "
            "the sum over all outputs that it maps to an outcome. Process a mechanism with "
            "finitely many outputs."
        )

    def _ends(self, grid: Grid) -> tuple[int, int]:
        if self.clamp is None:
            raise VerificationError(
                "the noise reaches every grid point, and no clamp is given. The law of a function "
                "is the sum over all outputs that it maps to an outcome. Add clamp=(low, high): "
                "outputs outside are moved to the nearer end."
            )
        low, high = (Fraction(end) / grid.step for end in self.clamp)
        if low.denominator != 1 or high.denominator != 1:
            raise VerificationError(
                f"an end of the clamp is not on the grid, whose step is {grid.step}. Outputs are "
                "grid points, and so are the ends that they are moved to. Choose ends on the grid."
            )
        _check_size(int(high - low) + 1)
        return int(low), int(high)


def _check_sum(losses: Sequence[object]) -> None:
    kinds = {type(loss) for loss in losses}
    if len(kinds) > 1 and not kinds <= {PureDP, ApproximateDP}:
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise PrivacyParameterError(
            f"the mechanisms state losses of different kinds: {names}. Kinds that say different "
            "things have no sum, and the δ for which a ρ becomes an ε is not chosen here. Ask each "
            "for its loss, turn those that are no ApproximateDP into one, .to_approximate() or, "
            "of a ρ, .to_approximate(delta=1e-6), and add them."
        )


def _needed(mechanism: Any) -> int:
    """How many sensitivities a mechanism's loss is stated for: noise on numbers needs one."""
    if isinstance(mechanism, Processed):
        return sum(map(_needed, mechanism.mechanisms))
    return int(hasattr(mechanism, "calibrated"))


def _summed(
    parts: Sequence[SummedLaw],
    images: Sequence[tuple[tuple[Hashable, ...], Mapping[Any, Fraction]]],
) -> SummedLaw:
    collected: dict[Hashable, list[ExponentialTerms]] = {}
    one: ExponentialTerms = {Fraction(0): Fraction(1)}
    for outputs, image in images:
        weights = [part.terms(output) for part, output in zip(parts, outputs, strict=True)]
        weight = reduce(product_of_terms, weights, one)
        for outcome, chance in image.items():
            scaled = {exponent: chance * c for exponent, c in weight.items()}
            collected.setdefault(outcome, []).append(scaled)
    return SummedLaw({outcome: sum_of_terms(terms) for outcome, terms in collected.items()})


def _enclosed(
    parts: Sequence[_Finite], images: Sequence[tuple[tuple[Hashable, ...], Mapping[Any, Fraction]]]
) -> EnclosedLaw:
    sources: dict[Hashable, list[tuple[tuple[Hashable, ...], Fraction]]] = {}
    for outputs, image in images:
        for outcome, chance in image.items():
            sources.setdefault(outcome, []).append((outputs, chance))
    return EnclosedLaw(tuple(sources), partial(_enclosures, tuple(parts), sources))


def _enclosures(
    parts: Sequence[_Finite],
    sources: Mapping[Hashable, Sequence[tuple[tuple[Hashable, ...], Fraction]]],
    bits: int,
) -> list[tuple[int, int]]:
    return [_enclosure(parts, reached, bits) for reached in sources.values()]


def _enclosure(
    parts: Sequence[_Finite], reached: Sequence[tuple[tuple[Hashable, ...], Fraction]], bits: int
) -> tuple[int, int]:
    """2^bits times the probability of the outputs, each weighed by a chance."""
    work = bits + 16 + len(reached).bit_length()
    low = high = Fraction(0)
    for outputs, chance in reached:
        pairs = [part.enclose(output, work) for part, output in zip(parts, outputs, strict=True)]
        scale = 1 << work * len(parts)
        low += chance * Fraction(prod(pair[0] for pair in pairs), scale)
        high += chance * Fraction(prod(pair[1] for pair in pairs), scale)
    return (low * (1 << bits)).__floor__(), min(1 << bits, (high * (1 << bits)).__ceil__())


def _image(result: object) -> dict[Any, Fraction]:
    """What the function gave: one outcome for certain, or a law of its own."""
    if not isinstance(result, Mapping):
        return {canonical_outcome(result): Fraction(1)}
    image: dict[Any, Fraction] = {}
    for outcome, weight in WeightedLaw.of_probabilities(result).weights.items():
        if weight.coefficient:
            form = canonical_outcome(outcome)
            image[form] = image.get(form, Fraction(0)) + weight.coefficient
    return image


def _drawn(image: Mapping[Any, Fraction], bits: BitSource) -> Any:
    """An outcome with its chance, exactly."""
    unit = lcm(*(chance.denominator for chance in image.values()))
    place = uniform_below(unit, bits)
    ends = accumulate(int(chance * unit) for chance in image.values())
    return next(outcome for outcome, end in zip(image, ends, strict=True) if place < end)


def _read_clamp(clamp: object) -> tuple[int | float, int | float]:
    ends = list(clamp) if isinstance(clamp, Sequence) and not isinstance(clamp, str) else []
    if len(ends) != 2:
        raise PrivacyParameterError(
            "clamp is not a pair of numbers. Outputs outside are moved to the nearer end. Write "
            "clamp=(0, 100)."
        )
    low, high = (rational(end, "an end of the clamp") for end in ends)
    if low > high:
        raise PrivacyParameterError(
            "the clamp's lower end is above its upper end. Outputs outside are moved to the nearer "
            "end. Write clamp=(0, 100)."
        )
    return _number(low), _number(high)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _check_size(count: int) -> None:
    if count > MAX_ATOMS:
        raise VerificationError(
            f"there are {count} combinations of outputs, more than {MAX_ATOMS}. The function is "
            "applied to each of them. Use fewer outputs, or a narrower clamp."
        )
