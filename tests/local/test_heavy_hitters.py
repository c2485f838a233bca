"""Heavy hitters: frequent strings are found, rare ones are not, and everyone reports once."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import BoundsError, DataError, PrivacyParameterError
from discreet.local import HeavyHitters, scheme
from discreet.local.heavy_hitters import NONE, Level
from discreet.noise import Keystream, UnsafeSeededBits
from discreet.privacy.losses import PureDP
from discreet.privacy.verification import verify
from tests.local.twins import grows_to
from tests.mechanisms.goodness import fits

SURE = 1 - Fraction(1, 10**7)
TREE = HeavyHitters(epsilon=3, length=4, confidence=SURE)  # type: ignore[arg-type]
WORDS = ["tea"] * 30_000 + ["mate"] * 20_000 + ["té"] * 15_000 + [f"{i:04}" for i in range(10_000)]


def test_the_frequent_strings_are_found_with_their_proportions() -> None:
    found = TREE.find(WORDS)
    assert {"tea", "mate", "té"} <= set(found)
    assert list(found)[:3] == ["tea", "mate", "té"]
    assert len(found) == 3
    for word, count in [("tea", 30_000), ("mate", 20_000), ("té", 15_000)]:
        low, high = found[word].interval(1 - 1e-7)
        assert low < count / len(WORDS) < high
    assert found.loss == TREE.loss == PureDP(epsilon=3)
    assert found.label == "string"
    assert found.consistent().keys() == found.keys()


def test_without_a_frequent_string_nothing_is_made_up() -> None:
    rare = [f"{i:08}"[::-1] for i in range(2000)]
    with pytest.raises(DataError, match="more respondents"):
        HeavyHitters(epsilon="1/10", length=8, confidence=SURE).find(rare)  # type: ignore[arg-type]


def test_every_level_protects_as_stated() -> None:
    """Exactly, for pairs of strings that are asked for and one that is not."""
    level = Level(TREE, (b"te", b"ma", b"t\xc3"))
    assert level.scheme.loss == TREE.loss
    names = [level.category(word) for word in ("tea", "mate", "té", "other")]
    assert names[3] == NONE
    for first in names:
        for second in names:
            if first != second:
                ratio = verify(level.scheme, first, second).ratio
                assert grows_to(Fraction(ratio), Fraction(3)) == (True, True)  # type: ignore[arg-type]


def test_a_device_needs_only_the_scheme_of_its_level() -> None:
    level = TREE.first()
    text = level.scheme.to_json()
    assert scheme(text) == level.scheme
    assert "74" in level.scheme.categories  # type: ignore[operator]
    assert level.category("tea") == "74"
    following = Level(TREE, (b"tea\0", b"mate"))
    assert following.category("tea") == "74656100"
    assert following.category("teas") == NONE


def test_reports_follow_the_law_of_the_level() -> None:
    level = Level(TREE, (b"te", b"ma"))
    sample = list(level.randomize(["tea"] * 50_000))
    law = level.scheme.law(level.category("tea"))
    assert fits(sample, {name: law.probability(name) for name in ("7465", "6d61", NONE)})
    other = level.scheme.law(NONE)
    assert not fits(sample, {name: other.probability(name) for name in ("7465", "6d61", NONE)})
    assert level.randomize("tea") in ("7465", "6d61", NONE)


def test_long_strings_are_cut_to_whole_characters() -> None:
    level = Level(HeavyHitters(epsilon=1, length=3), (b"te\0", b"tea"))  # type: ignore[arg-type]
    assert level.category("teé") == "746500"
    assert level.category("tease") == "746561"


def test_respondents_are_split_over_the_levels_at_random() -> None:
    groups = TREE.assign(40_000)
    assert fits(groups.tolist(), dict.fromkeys(range(4), 1 / 4))
    assert not fits((groups // 2).tolist(), dict.fromkeys(range(4), 1 / 4))
    first, second = (TREE.assign(50, source=UnsafeSeededBits(2)) for _ in range(2))
    assert np.array_equal(first, second)


def test_collectors_of_a_level_can_be_sharded() -> None:
    level = TREE.first()
    source = Keystream()
    shards = [level.scheme.tally(level.randomize(WORDS[at::5], source=source)) for at in (0, 1)]
    following = level.following(shards[0].merge(shards[1]))
    assert following is not None
    assert {b"te", b"ma"} <= set(following.prefixes)
    assert following.depth == 2
    assert all(prefix[:1] in b"tm0123456789" for prefix in following.prefixes)
    assert level.following(level.scheme.tally()) is None


def test_an_ended_string_is_extended_in_one_way() -> None:
    level = Level(HeavyHitters(epsilon=8, length=3, confidence=SURE), (b"a\0", b"bc"))  # type: ignore[arg-type]
    following = level.following(level.randomize(["a"] * 500 + ["bcd"] * 500))
    assert following is not None
    assert Counter(prefix[:2] for prefix in following.prefixes)[b"a\0"] == 1
    last = following.found(following.randomize(["a"] * 500 + ["bcd"] * 500))
    assert set(last) == {"a", "bcd"}
    assert following.following(following.randomize(["a"] * 500)) is None


CANARY = "canary-77310577"


@pytest.mark.parametrize("value", [5, None, b"tea", [[CANARY]], CANARY + "\0", "\ud800" + CANARY])
def test_what_is_no_string_is_refused_without_showing_it(value: object) -> None:
    for take in (TREE.first().randomize, lambda one: TREE.find([one])):
        with pytest.raises(DataError) as refusal:
            take([value])
        assert CANARY not in str(refusal.value)


def test_parameters_without_meaning_are_refused() -> None:
    for epsilon in (0, -1, "x", None):
        with pytest.raises(PrivacyParameterError):
            HeavyHitters(epsilon=epsilon, length=3)  # type: ignore[arg-type]
    for length, kept in [(0, 5), (65, 5), (3, 0), (3, 65), (2.0, 5), (True, 5), ("3", 5)]:
        with pytest.raises(BoundsError):
            HeavyHitters(epsilon=1, length=length, kept=kept)  # type: ignore[arg-type]
    for confidence in (0, 1, -1, 2):
        with pytest.raises(BoundsError):
            HeavyHitters(epsilon=1, length=3, confidence=confidence)  # type: ignore[arg-type]
    with pytest.raises(BoundsError, match="shortest"):
        HeavyHitters(epsilon=1, length=3, message_bits=2).first().scheme  # type: ignore[arg-type] # noqa: B018
