"""Heavy hitters: frequent strings are found, rare ones are not, and everyone reports once."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import BoundsError, DataError, PrivacyParameterError
from discreet.local import HeavyHitters, scheme
from discreet.local.heavy_hitters import _NEXT, NONE, Level
from discreet.local.proportions import TOGETHER
from discreet.noise import Keystream, UnsafeSeededBits
from discreet.privacy.losses import PureDP
from discreet.privacy.verification import verify
from tests.local.scheme_twins import grows_to
from tests.support.evidence import fits

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
    for bits in (1, 2, 11, 12.0, None):
        with pytest.raises(BoundsError, match=r"shortest.*message_bits=12"):
            HeavyHitters(epsilon=1, length=3, message_bits=bits)  # type: ignore[arg-type]


def test_the_shortest_messages_that_are_allowed_do_at_every_level() -> None:
    for length, kept, bits in [(1, 64, 8), (3, 1, 8), (3, 16, 12), (3, 64, 14)]:
        tree = HeavyHitters(epsilon=1, length=length, kept=kept, message_bits=bits)  # type: ignore[arg-type]
        widest = tree.first()
        if length > 1:
            widest = Level(tree, tuple(bytes([i, byte]) for i in range(kept) for byte in _NEXT))
        assert widest.scheme.message_bits <= bits
        assert tree.first().scheme.message_bits <= bits


def test_a_string_that_may_be_cut_says_so_and_a_shorter_one_does_not() -> None:
    tree = HeavyHitters(epsilon=8, length=3, confidence=SURE)  # type: ignore[arg-type]
    found = tree.find(["duckduckgo"] * 6_000 + ["ix"] * 6_000)
    assert set(found) == {"duc", "ix"}
    assert "beginning of longer" in found["duc"].note
    assert "beginning of longer" not in found["ix"].note
    assert "beginning of longer" in str(found)
    assert TOGETHER in str(found)
    assert TOGETHER in found["ix"].note
    level = Level(tree, (b"ix\0", b"a\0\0"))
    whole = level.found(level.randomize(["ix"] * 3_000))
    assert str(whole).splitlines()[-1] == TOGETHER


def test_a_search_among_nothing_is_refused_in_words() -> None:
    with pytest.raises(DataError, match=r"there are no strings"):
        TREE.find([])
    for _ in range(5):  # whatever level the value comes into
        with pytest.raises(DataError, match=r"^a value is not a string"):
            TREE.find([None, "a"])  # type: ignore[list-item]
    for values in ("tea", b"tea", {"tea": 1}, None):
        with pytest.raises(DataError, match=r"list of strings"):
            TREE.find(values)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"list of strings"):
        TREE.first().randomize({"tea": 1})
    for count in ("x", 0, -1, 2.5, None):
        with pytest.raises(PrivacyParameterError, match=r"respondents is not a whole number"):
            TREE.assign(count)  # type: ignore[arg-type]


def test_a_prefix_that_was_not_found_is_looked_up_in_words() -> None:
    level = Level(TREE, (b"tea\0", b"mate"))
    none = level.found(level.scheme.tally())
    assert len(none) == 0
    assert none.consistent().to_dict() == {}
    with pytest.raises(KeyError, match=r"no such string, nor any other"):
        none["tea"]
