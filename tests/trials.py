"""How many examples a property is tried on: few on every change, many more in a soak."""

from hypothesis import settings

_USUAL = 100
"""What Hypothesis draws where nothing is stated."""


def examples(number: int, others: settings | None = None) -> settings:
    """As many examples, and under a profile that draws more than usual as many times more."""
    return settings(others, max_examples=max(1, number * settings().max_examples // _USUAL))


def rounds(number: int) -> int:
    """As many rounds of a seeded draw, and under a profile that draws more as many times more."""
    return max(1, number * settings().max_examples // _USUAL)
