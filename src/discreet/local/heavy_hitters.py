"""Heavy hitters: the frequent strings of a domain too large to list, by a prefix tree.

Respondents are split over the levels of the tree at random, which is public.  Those of the first
level report the first byte of their string; the bytes that are frequent are extended, those of
the second level report which extension they have, or none; and so on.  Everyone reports once.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError, DataError
from discreet.exact import rational
from discreet.exact.rational import WrittenNumber
from discreet.local.probabilities import uniform
from discreet.local.proportions import TOGETHER, Proportions
from discreet.local.scheme import CategoricalScheme, Tally
from discreet.local.scheme_choice import choose
from discreet.noise import BitSource, Keystream
from discreet.privacy.estimates import Estimate
from discreet.privacy.losses import PureDP, read_count, read_epsilon

NONE = "none"
"""The category of those whose string has no prefix that is asked for."""

_MOST_LENGTH = 64
_MOST_KEPT = 64
_END = b"\0"
_NEXT = [*range(0xC0), *range(0xC2, 0xF5)]  # the bytes of UTF-8


@dataclass(frozen=True, slots=True, kw_only=True)
class HeavyHitters:
    """A search for the strings that many respondents have, over all strings of ``length`` bytes.

    ``kept`` prefixes at most go from one level to the next, and only those of which it is
    certain that someone has them: with the stated confidence for all prefixes of a level at
    once.  A string is taken in UTF-8; a longer one is cut to whole characters, so that one that
    is found with all ``length`` bytes may be the beginning of longer ones, and says so.

    The protocol: ``assign`` puts every respondent into a level; ``first`` is the first question,
    whose ``scheme`` goes to the devices of that level; ``Level.randomize`` makes their reports,
    ``Level.following`` the next question from the tally, and ``Level.found`` at the last level
    the strings.  ``find`` rehearses all of it on strings that are at hand.

    Guarantee: local ε-DP, with one report per person.  Whatever one respondent's string is
    changed to, no report becomes more than e^ε times as likely, whichever level the respondent
    is in and whatever was asked there.  Proof: docs/proofs/local-schemes.md

    >>> words = HeavyHitters(epsilon=4, length=3, confidence="0.9999999")
    >>> found = words.find(["ja"] * 6_000 + ["nee"] * 4_000)
    >>> sorted(found)
    ['ja', 'nee']
    """

    epsilon: Fraction
    length: int
    kept: int = 16
    message_bits: int = 64
    confidence: Fraction = Fraction(99, 100)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            epsilon: WrittenNumber,
            length: int,
            kept: int = 16,
            message_bits: int = 64,
            confidence: WrittenNumber = Fraction(99, 100),
        ) -> None: ...

    def __post_init__(self) -> None:
        confidence = rational(self.confidence, "confidence")
        if not 0 < confidence < 1:
            raise BoundsError(
                "confidence is not between 0 and 1. It is the probability that no prefix of a "
                "level is taken for frequent that nobody has. Use confidence=0.99."
            )
        object.__setattr__(self, "confidence", confidence)
        object.__setattr__(self, "epsilon", read_epsilon(self.epsilon, stacklevel=4))
        for name, most in (("length", _MOST_LENGTH), ("kept", _MOST_KEPT)):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= most:
                raise BoundsError(
                    f"{name} is not an integer from 1 to {most}. The length is that of a string "
                    "in bytes, and as many prefixes are kept at each. Use length=8, kept=16."
                )
        # The widest question is for every extension of the prefixes kept, and for none of them.
        widest = len(_NEXT) * (self.kept if self.length > 1 else 1)
        least = widest.bit_length()
        if type(self.message_bits) is not int or self.message_bits < least:
            raise BoundsError(
                f"message_bits is not an integer of {least} or more. Of {widest + 1} prefixes the "
                f"shortest report takes {least} bits. Use message_bits={least} or a smaller kept=."
            )

    @property
    def loss(self) -> PureDP:
        """What one report may reveal of one string."""
        return PureDP(epsilon=self.epsilon)

    @property
    def levels(self) -> int:
        """As many as there are bytes."""
        return self.length

    def assign(self, respondents: int, *, source: BitSource | None = None) -> NDArray[np.int64]:
        """A level for each of so many respondents, by chance and in public."""
        count = read_count(respondents, "respondents", "people who answer")
        return uniform(self.levels, count, Keystream() if source is None else source)

    def first(self) -> "Level":
        """The first level: every byte that a string may begin with, and the empty string."""
        return Level(self, _extensions([b""]))

    def find(self, values: Iterable[str], *, source: BitSource | None = None) -> Proportions:
        """A rehearsal of the whole search on strings that are at hand, one of each respondent."""
        source = Keystream() if source is None else source
        strings = _strings(values)
        if not strings:
            raise DataError(
                "there are no strings. A search is among those of at least one respondent. Give "
                "one string for each: words.find(['tea', 'mate', 'tea'])."
            )
        for value in strings:  # whatever level each of them comes into
            _encoded(value)
        groups = self.assign(len(strings), source=source)
        level: Level | None = self.first()
        tally: Tally | None = None
        for number in range(self.levels):
            if level is None:
                break
            asked, level = level, None
            members = [strings[at] for at in np.flatnonzero(groups == number)]
            tally = asked.scheme.tally()
            if members:
                tally.add(asked.randomize(members, source=source))
            if number + 1 == self.levels:
                return asked.found(tally)
            level = asked.following(tally)
        raise DataError(
            "no prefix is frequent enough to be told from noise. The search needs more respondents "
            "or a larger epsilon. Use fewer bytes, so that every level has more respondents."
        )


@dataclass(frozen=True)
class Level:
    """One question of the search: which of these prefixes a string has, or none."""

    tree: HeavyHitters
    prefixes: tuple[bytes, ...]

    @cached_property
    def scheme(self) -> CategoricalScheme:
        """How the answer is randomized: its categories are the prefixes in hexadecimal, and
        none.  A device needs only its JSON."""
        names = [*(prefix.hex() for prefix in self.prefixes), NONE]
        choice = choose(
            epsilon=self.tree.epsilon, categories=names, message_bits=self.tree.message_bits
        )
        scheme: CategoricalScheme = choice.scheme
        return scheme

    @property
    def depth(self) -> int:
        """How many bytes a prefix has here."""
        return len(self.prefixes[0])

    def category(self, value: object) -> str:
        """The category of a string: its own prefix if that is asked for, else none."""
        return self._category(value, frozenset(self.prefixes))

    def _category(self, value: object, asked: frozenset[bytes]) -> str:
        encoded = _encoded(value)
        if len(encoded) > self.tree.length:
            encoded = encoded[: self.tree.length].decode(errors="ignore").encode()
        prefix = encoded[: self.depth].ljust(self.depth, _END)
        return prefix.hex() if prefix in asked else NONE

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the string, or for each of several."""
        asked = frozenset(self.prefixes)
        if isinstance(values, str) or not isinstance(values, Iterable):
            return self.scheme.randomize(self._category(values, asked), source=source)
        names = [self._category(value, asked) for value in _strings(values)]
        return self.scheme.randomize(names, source=source)

    def following(self, reports: Any) -> "Level | None":
        """The next level, with the extensions of the prefixes that are frequent here; None if
        no prefix is, or the strings are complete."""
        frequent = self._frequent(self._proportions(reports))
        if not frequent or self.depth == self.tree.length:
            return None
        return Level(self.tree, _extensions(frequent))

    def found(self, reports: Any) -> Proportions:
        """The frequent strings, the most frequent first, with intervals that hold all at once.

        They are for the respondents of this level, who are a random sample of all.  A string that
        fills all bytes may be the beginning of longer ones: its note says so.
        """
        every = self._proportions(reports)
        cells: dict[Hashable, Estimate] = {}
        note = TOGETHER
        for prefix in self._frequent(every):
            estimate = every[prefix.hex()]
            if not prefix.endswith(_END):
                estimate = replace(estimate, note=f"{self._cut} {estimate.note}")
                note = f"{self._cut} {TOGETHER}"
            cells[_text(prefix)] = estimate
        return Proportions("string", cells, every.reports, every.channel, note)

    @property
    def _cut(self) -> str:
        return f"A string of {self.depth} bytes may be the beginning of longer ones, cut there."

    def _proportions(self, reports: Any) -> Proportions:
        tally = reports if isinstance(reports, Tally) else self.scheme.tally(reports)
        if tally.reports == 0:
            channel = self.scheme.channel
            return Proportions("category", {}, 0, channel)
        return self.scheme.proportions(tally, simultaneous=True)

    def _frequent(self, proportions: Proportions) -> list[bytes]:
        """The prefixes whose interval is above 0, the most frequent first."""
        asked = [(float(one), name) for name, one in proportions.items() if name != NONE]
        heavy: list[bytes] = []
        for _, name in sorted(asked, reverse=True)[: self.tree.kept]:
            if proportions[name].interval(self.tree.confidence)[0] <= 0:
                break
            heavy.append(bytes.fromhex(name))
        return heavy


def _strings(values: object) -> list[Any]:
    """Several values as a list; one text or a mapping is not several."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise DataError(
            "the values are not a list of strings. A search is among one string of each "
            "respondent. Give a list, such as ['tea', 'mate', 'tea']."
        )
    return list(values)


def _encoded(value: object) -> bytes:
    if not isinstance(value, str) or "\0" in value:
        raise _not_a_string()
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise _not_a_string() from None


def _text(string: bytes) -> str:
    return string.rstrip(_END).decode(errors="backslashreplace")


def _extensions(prefixes: list[bytes]) -> tuple[bytes, ...]:
    """Each prefix with one more byte; one that has ended stays ended."""
    extended = []
    for prefix in prefixes:
        last = [0] if prefix.endswith(_END) else _NEXT
        extended += [prefix + bytes([byte]) for byte in last]
    return tuple(extended)


def _not_a_string() -> DataError:
    return DataError(
        "a value is not a string. Heavy hitters are searched among texts without the character "
        "NUL. Give each respondent's answer as a str."
    )
