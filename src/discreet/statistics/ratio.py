"""Where a share lies, given two noisy counts.

If the true share is p, the noisy numbers satisfy part·(1-p) - rest·p = (1-p)·Z1 - p·Z2 with
independent Laplace Z1, Z2, whose law is known.  The interval holds every p for which that
combination is within its own quantile, so it covers the truth with exactly the confidence
asked for (Fieller's argument with the true law in place of the normal).
Proof: docs/proofs/ratio.md
"""

from collections.abc import Callable
from fractions import Fraction
from math import exp, expm1, log, log1p

from discreet.mechanisms.laplace import Laplace
from discreet.privacy.uncertainty import as_float, quotient

_HALVINGS = 50
_STEPS = 60
_PRECISION = 1e-12
_LEAST_SCALE, _MOST_SCALE = 1e-200, 1e200  # floats hold what lies between
_LEAST_MISS = 1e-200


def share(part: int, rest: int) -> float:
    """part/(part + rest), kept within [0, 1]; one half where the noise left nothing."""
    return min(max(quotient(part, part + rest), 0.0), 1.0) if part + rest > 0 else 0.5


def share_interval(
    part: int, rest: int, mechanism: Laplace, confidence: Fraction
) -> tuple[float, float]:
    """Bounds of part/(part + rest), for two counts with independent noise of one mechanism."""
    scale = max(as_float(mechanism.scale / mechanism.grid.step), _LEAST_SCALE)
    miss = max(float(1 - confidence), _LEAST_MISS)
    whole = part + rest
    if scale > _MOST_SCALE:
        return 0.0, 1.0
    # A draw is within so many steps of a continuous one that has the same sign.
    rounding = 1 + scale * log1p(expm1(-1 / scale) / 2)

    def inside(at: float) -> bool:
        reach = _quantile((1 - at) * scale, at * scale, miss) + rounding
        return abs(part - whole * at) <= reach

    center = share(part, rest)
    if not inside(center):
        return 0.0, 1.0
    return _edge(inside, center, 0.0), _edge(inside, center, 1.0)


def _edge(inside: Callable[[float], bool], center: float, end: float) -> float:
    """The point farthest from the center towards the end that is inside."""
    if inside(end):
        return end
    # The reach is convex in the share, so what is inside up to the end is one interval.
    near, far = center, end
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if inside(middle):
            near = middle
        else:
            far = middle
    return far


def _quantile(first: float, second: float, miss: float) -> float:
    """The s with P[|first·Z1 - second·Z2| > s] = miss for standard Laplace Z1, Z2.

    By Newton's method on the logarithm of the tail, within a bracket that it halves if it must.
    """
    low, high = 0.0, (first + second) * log(4 / miss)
    place = high
    for _ in range(_STEPS):
        tail, density = _tail(place, first, second)
        low, high = (place, high) if tail > miss else (low, place)
        following = place + log(tail / miss) * tail / density
        if abs(following - place) <= _PRECISION * place:
            break
        place = following if low < following < high else (low + high) / 2
    return place * (1 + 4 * _PRECISION)


def _tail(distance: float, first: float, second: float) -> tuple[float, float]:
    """P[|first·Z1 - second·Z2| > distance] and minus its derivative, for Laplace Z1, Z2."""
    large, small = max(first, second), min(first, second)
    part, slow = small / large, exp(-distance / large)
    if part > 1 - 1e-4:  # nearly equal: the limit, at the larger of the two
        halved = distance / (2 * large)
        return (1 + halved) * slow, (0.5 + halved) * slow / large
    fast = exp(-distance / small) if small > 0 else 0.0
    rest = 1 - part**2
    return (slow - part**2 * fast) / rest, (slow - part * fast) / (rest * large)
