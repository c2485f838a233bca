"""What is tried on every change: how many examples of a property, and which cases of a table."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

_USUAL = 100
"""What Hypothesis draws where nothing is stated."""


def examples(number: int, others: settings | None = None) -> settings:
    """As many examples, and under a profile that draws more than usual as many times more."""
    return settings(others, max_examples=max(1, number * settings().max_examples // _USUAL))


def rounds(number: int) -> int:
    """As many rounds of a seeded draw, and under a profile that draws more as many times more."""
    return max(1, number * settings().max_examples // _USUAL)


def all_but(kept: Iterable[Any], cases: Iterable[Any], mark: pytest.MarkDecorator) -> list[Any]:
    """The cases of a table with a mark, without it those that are kept."""
    listed, kept = list(cases), list(kept)
    assert all(one in listed for one in kept)
    return [one if one in kept else pytest.param(one, marks=mark) for one in listed]
