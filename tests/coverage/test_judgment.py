"""The judgment itself: right shares pass, and shares that are a little off fail."""

import pytest

from tests.support.coverage import assert_covered


@pytest.mark.parametrize("hits", [1_900, 1_930])
def test_a_right_share_passes(hits: int) -> None:
    assert_covered((hits, 2_000), most=0.98)


@pytest.mark.parametrize("hits", [1_840, 2_000])
def test_a_share_that_is_too_small_or_too_large_fails(hits: int) -> None:
    with pytest.raises(AssertionError, match="hold the truth"):
        assert_covered((hits, 2_000), most=0.98)
