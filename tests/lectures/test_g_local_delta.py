"""Lecture 003, lines 45 to 51: (ε, δ)-local privacy, for one user's data and every event."""

from fractions import Fraction
from itertools import combinations, permutations

import discreet as dp


def test_a_local_scheme_with_a_delta_satisfies_the_definition_and_not_less() -> None:
    poll = dp.local.ApproximateResponse(epsilon=1, delta="1/50", categories=4)  # type: ignore[arg-type]
    truth, lie = poll.pair
    above, below = Fraction(27182818285, 10**10), Fraction(27182818284, 10**10)  # around e
    for x, other in permutations(range(4), 2):
        for event in (set(one) for size in range(5) for one in combinations(range(4), size)):
            here, there = (sum(truth if y == v else lie for y in event) for v in (x, other))
            assert here <= below * there + poll.delta + Fraction(1, 10**10)
        assert truth > above * lie  # without δ the inequality fails, for the event {x}
        found = dp.verify(poll, x, other)
        assert found.delta(epsilon=1) <= poll.delta
        assert found.delta(epsilon=1) > poll.delta * Fraction(999, 1000)
