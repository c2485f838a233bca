"""Where a share lies, given two noisy counts.

If the true share is p, the noisy numbers satisfy part·(1-p) - rest·p = (1-p)·Z1 - p·Z2 with
independent Laplace Z1, Z2, whose law is known.  The interval holds every p for which that
combination is within its own quantile, so it covers the truth with exactly the confidence
asked for (Fieller's argument with the true law in place of the normal).
Proof: docs/proofs/ratio.md
"""

from collections.abc import Callable
from fractions import Fraction
from math import exp, log

from discreet.mechanisms.laplace import Laplace

_SCAN = 64


def share_interval(
    part: int, rest: int, mechanism: Laplace, confidence: Fraction
) -> tuple[float, float]:
    """Bounds of part/(part + rest), for two counts with independent noise of one mechanism."""
    scale = float(mechanism.scale / mechanism.grid.step)
    miss = float(1 - confidence)
    whole = part + rest

    def inside(share: float) -> bool:
        reach = _quantile((1 - share) * scale, share * scale, miss) + 1  # one step for the grid
        return abs(part - whole * share) <= reach

    center = min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.5
    if not inside(center):
        return 0.0, 1.0
    return _edge(inside, center, 0.0), _edge(inside, center, 1.0)


def _edge(inside: Callable[[float], bool], center: float, end: float) -> float:
    """The point farthest from the center towards the end that is inside."""
    if inside(end):
        return end
    near, far = center, end
    # The farthest of some evenly spaced points inside; then bisection beyond it.
    for step in range(_SCAN - 1, 0, -1):
        point = center + (end - center) * step / _SCAN
        if inside(point):
            near, far = point, center + (end - center) * (step + 1) / _SCAN
            break
    for _ in range(60):
        middle = (near + far) / 2
        if inside(middle):
            near = middle
        else:
            far = middle
    return far


def _quantile(first: float, second: float, miss: float) -> float:
    """The s with P[|first·Z1 - second·Z2| > s] = miss for standard Laplace Z1, Z2."""
    low, high = 0.0, (first + second) * log(4 / miss)
    for _ in range(50):
        middle = (low + high) / 2
        if _tail(middle, first, second) > miss:
            low = middle
        else:
            high = middle
    return high


def _tail(distance: float, first: float, second: float) -> float:
    """P[|first·Z1 - second·Z2| > distance] for standard Laplace Z1, Z2."""
    large, small = max(first, second), min(first, second)
    if large - small < 1e-4 * large:  # nearly equal: the limit, at the larger of the two
        return (1 + distance / (2 * large)) * exp(-distance / large)
    slow, fast = exp(-distance / large), exp(-distance / small) if small > 0 else 0.0
    return (large**2 * slow - small**2 * fast) / (large**2 - small**2)
