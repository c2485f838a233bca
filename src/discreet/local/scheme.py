"""What all local schemes share: one interface, and tallies of their reports.

A scheme is a public rule.  The respondent's device randomizes with it, the collector counts the
reports in a tally and estimates from that alone.
"""

import json
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, DiscreetError
from discreet.local import wire
from discreet.local.categories import Categories, GivenCategories, bad_categories
from discreet.local.proportions import Channel, Proportions, estimated
from discreet.local.wire import write_report
from discreet.noise import BitSource
from discreet.privacy.estimates import Estimate, Estimates
from discreet.privacy.laws import Law
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.strict_json import Shape, decoded

_MAGIC = b"discreet.tally\x00\x01"  # the last byte is the version
_HASH = 32
_MOST_REPORTS = 1 << 40  # more than any survey has, and few enough for an exact interval


class Tally:
    """Counts of the reports of one scheme.

    >>> from discreet.local import RandomizedResponse
    >>> poll = RandomizedResponse.two_coin()
    >>> here, there = poll.tally([1, 0, 1]), poll.tally([1])
    >>> here.merge(there)
    Tally(4 reports of RandomizedResponse.two_coin())
    >>> poll.estimate(here).value
    1.0
    >>> Tally.from_bytes(here.to_bytes()) == here
    True
    """

    __slots__ = ("counts", "reports", "scheme")

    def __init__(self, scheme: "Scheme") -> None:
        self.scheme = scheme
        self.counts: NDArray[np.int64] = np.zeros(scheme.cells, np.int64)
        self.reports = 0

    @property
    def identity(self) -> str:
        """The hash of the scheme whose reports are counted."""
        return self.scheme.identity

    def add(self, reports: Any) -> "Tally":
        """Count more reports, one or many, as ``randomize`` gives them."""
        counts, number = self.scheme.count(reports)
        self._increase(counts, number)
        return self

    def merge(self, other: "Tally") -> "Tally":
        """Take up the reports of another tally of the same scheme."""
        if type(other) is not Tally or other.identity != self.identity:
            raise DataError(
                "the other tally is not of this scheme. Reports of different schemes mean "
                "different things and do not add up. Merge tallies of one scheme."
            )
        if other is self:
            raise DataError(
                "the tally would be merged with itself. Every report counts once. Merge the "
                "tally of another collector."
            )
        self._increase(other.counts, other.reports)
        return self

    def _increase(self, counts: NDArray[np.int64], number: int) -> None:
        if self.reports + number > _MOST_REPORTS:
            raise DataError(
                "the tally would hold more than 2^40 reports. No survey has so many. Look for "
                "what sends them."
            )
        self.counts += counts
        self.reports += number

    # ------------------------------------------------------------------ as bytes

    def to_bytes(self) -> bytes:
        """The scheme, the number of reports and the counts, with a checksum."""
        text = self.scheme.to_json().encode()
        numbers = np.concatenate([[self.reports], self.counts]).astype("<i8")
        body = _MAGIC + len(text).to_bytes(4, "little") + text + numbers.tobytes()
        return body + sha256(body).digest()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Tally":
        """The tally that ``to_bytes`` wrote; anything else is refused."""

        start = len(_MAGIC) + 4
        if type(data) is not bytes or len(data) < start + _HASH or data[:16] != _MAGIC:
            raise _malformed()
        body, checksum = data[:-_HASH], data[-_HASH:]
        if sha256(body).digest() != checksum:
            raise _malformed()
        end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
        stored_scheme = scheme(body[start:end])
        if (
            len(body) != end + 8 * (stored_scheme.cells + 1)
            or stored_scheme.to_json().encode() != body[start:end]
        ):
            raise _malformed()
        numbers = np.frombuffer(body[end:], "<i8").astype(np.int64)
        tally = cls(stored_scheme)
        tally.reports, tally.counts = int(numbers[0]), numbers[1:].copy()
        if not 0 <= tally.reports <= _MOST_REPORTS:
            raise _malformed()
        if not stored_scheme.possible(tally.counts, tally.reports):
            raise _malformed()
        return tally

    # ------------------------------------------------------------------ as a value

    def __len__(self) -> int:
        return self.reports

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tally)
            and other.identity == self.identity
            and other.reports == self.reports
            and np.array_equal(other.counts, self.counts)
        )

    __hash__ = None  # type: ignore[assignment]  # a tally grows

    def __repr__(self) -> str:
        return f"Tally({self.reports:,} reports of {self.scheme!r})"


def _malformed() -> DataError:
    return DataError(
        "the bytes are not a tally. A tally is read from what to_bytes() wrote, unchanged. "
        "Write it again."
    )


@runtime_checkable
class Scheme(Protocol):
    """A randomizer for one value, and the estimator from its reports.

    Guarantee: local ε-DP with the ε of ``loss``: whatever one respondent's value is changed to,
    no report becomes more than e^ε times as likely.  Of ``ApproximateResponse`` it is (ε, δ)-DP.
    """

    @property
    def loss(self) -> PureDP | ApproximateDP:
        """What one report may reveal of one value."""

    @property
    def message_bits(self) -> int:
        """How many bits one report takes."""

    @property
    def identity(self) -> str:
        """The SHA-256 of the scheme's JSON."""

    @property
    def cells(self) -> int:
        """How many counters a tally has."""

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the value, or one for each of several."""

    def estimate(self, reports: Any) -> Any:
        """What the respondents have, from reports or their tally alone."""

    def variance(self, reports: int) -> float:
        """The variance of an estimate from so many reports."""

    def law(self, value: Any, /) -> Law:
        """The exact law of one report."""

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """The counters and the number of these reports."""

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether so many reports can have these counters."""

    def tally(self, reports: Any = None) -> Tally:
        """A tally of these reports, or an empty one."""

    def report_to_wire(self, report: Any) -> str:
        """One report as JSON text."""

    def report_from_wire(self, text: str | bytes) -> Any:
        """One report from JSON text; what the randomizer cannot have made is refused."""

    def to_json(self) -> str:
        """The scheme as text, for the respondent's device."""


class CategoricalScheme(ABC):
    """A scheme over categories whose reports name each of them with one of two chances.

    A subclass is a frozen dataclass with ``epsilon`` and ``categories``; it says how a report is
    drawn, how often each report names each category (``_named``), and with which chances.
    """

    __slots__ = ()

    name: ClassVar[str]
    """What the scheme is called on the wire."""
    most: ClassVar[int]
    """How many categories it takes at most."""
    chosen: ClassVar[tuple[str, ...]] = ()
    """The parameters besides ε and the categories that may be chosen."""

    epsilon: Fraction
    categories: GivenCategories

    # ------------------------------------------------------------------ of each scheme

    @property
    @abstractmethod
    def derived(self) -> dict[str, str | int]:
        """What follows from the other parameters, as it stands on the wire: chances as text."""

    @property
    @abstractmethod
    def pair(self) -> tuple[Fraction, Fraction]:
        """P[a report names the true category] and P[it names a given other one], exactly."""

    @property
    @abstractmethod
    def message_bits(self) -> int:
        """How many bits one report takes."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many counters a tally has."""

    @abstractmethod
    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the value, or one for each of several."""

    @abstractmethod
    def law(self, value: Any, /) -> Law:
        """The exact law of one report."""

    @abstractmethod
    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """The counters and the number of these reports."""

    @abstractmethod
    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether so many reports can have these counters."""

    @abstractmethod
    def _to_plain(self, report: Any) -> object:
        """One report as JSON has it."""

    @abstractmethod
    def _from_plain(self, plain: Any) -> Any:
        """The report, or None if the randomizer cannot have made it."""

    def _named(self, tally: Tally) -> NDArray[np.int64]:
        """How many reports name each category."""
        return tally.counts

    @property
    def _longest(self) -> int:
        """How many characters a report has at most as JSON text."""
        return wire.MOST_CHARACTERS

    # ------------------------------------------------------------------ the same for all

    @property
    def loss(self) -> PureDP | ApproximateDP:
        """What one report may reveal of one answer."""
        return PureDP(epsilon=self.epsilon)

    @property
    def domain(self) -> int:
        """How many categories there are."""
        return self._answers.size

    @property
    def identity(self) -> str:
        """The SHA-256 of the scheme's JSON, by which reports and tallies name it."""
        return _identity(self.to_json())

    @property
    def _answers(self) -> Categories:
        return _categories(self.categories)

    @property
    def channel(self) -> Channel:
        """The chances that a report names a category, as floats for the estimator."""
        return Channel.of(*self.pair)

    def tally(self, reports: Any = None) -> Tally:
        """A tally of these reports, or an empty one."""
        tally = Tally(self)
        return tally if reports is None else tally.add(reports)

    def estimate(self, reports: Any, *, simultaneous: bool = False) -> Estimate | Estimates:
        """The proportion of each category, from reports or their tally alone.

        Of two categories it is one estimate, the proportion of the second; ``proportions`` gives
        both.  Values are unbiased, so they may lie outside of 0 and 1.  Each interval holds with
        the probability that it states; with ``simultaneous=True`` all of them hold at once.
        """
        proportions = self.proportions(reports, simultaneous=simultaneous)
        return proportions[self._answers.keys[1]] if self.domain == 2 else proportions

    def proportions(self, reports: Any, *, simultaneous: bool = False) -> Proportions:
        """The estimate of every category, also where there are two."""
        tally = reports if isinstance(reports, Tally) else self.tally(reports)
        if tally.identity != self.identity:
            raise DataError(
                "the tally is of another scheme. Its reports have other chances. Estimate with "
                "the scheme that made them: tally.scheme.estimate(tally)."
            )
        if tally.reports == 0:
            raise DataError(
                "there are no reports. A proportion is estimated from at least one. "
                "Collect reports made by randomize()."
            )
        named = self._named(tally).tolist()
        keys = self._answers.keys
        return estimated(
            dict(zip(keys, named, strict=True)), tally.reports, self.channel, self, simultaneous
        )

    def variance(self, reports: int, proportion: float = 0.0) -> float:
        """The variance of an estimate from so many reports, at a true proportion."""
        if reports < 1 or not 0 <= proportion <= 1:
            raise DataError(
                "the variance is for at least one report and a proportion from 0 to 1. "
                "Use poll.variance(1_000)."
            )
        return self.channel.variance(reports, proportion)

    # ------------------------------------------------------------------ on the wire

    def report_to_wire(self, report: Any) -> str:
        """One report as JSON text."""
        try:
            plain = self._to_plain(report)
        except DiscreetError:
            raise
        except (TypeError, ValueError):
            raise DataError(
                "there is not one report. A message carries one, and each is sent by itself. "
                "Give one."
            ) from None
        return wire.write_report(self.identity, plain)

    def report_from_wire(self, text: str | bytes) -> Any:
        """One report from JSON text; what the randomizer cannot have made is refused."""
        report = self._from_plain(wire.read_report(text, self.identity, self._longest))
        if report is None:
            raise wire.bad_report()
        return report

    def to_json(self) -> str:
        """The scheme as text, for the respondent's device."""
        odds = getattr(self, "odds", None)
        privacy = {"epsilon": self.epsilon} if odds is None else {"odds": odds}
        chosen = {name: getattr(self, name) for name in self.chosen}
        return wire.write(
            self.name, {**privacy, "categories": self.categories, **chosen, **self.derived}
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The scheme that ``to_json`` wrote; anything else is refused."""
        fields = wire.read_scheme_fields(text, cls.name)
        stated = "odds" if "odds" in fields and hasattr(cls, "odds") else "epsilon"
        options: dict[str, Any] = {stated: wire.take_rational(fields, stated)}
        for name in ("categories", *cls.chosen):
            options[name] = wire.take(fields, name)
            if options[name] is None:  # which would ask for the best
                raise wire.malformed()
        if type(options["categories"]) is not int and not isinstance(options["categories"], list):
            raise bad_categories()
        instance = cls(**options)
        for name, value in instance.derived.items():
            wire.take_derived(fields, name, value)
        wire.refuse_other_fields(fields)
        return instance


_Class = TypeVar("_Class")
_KNOWN: dict[str, Any] = {}
"""The schemes by their names on the wire; all are here once ``discreet.local`` is imported."""


def on_the_wire(kind: type[_Class]) -> type[_Class]:
    """Class decorator of a scheme that ``scheme`` reads from its JSON."""
    _KNOWN[vars(kind)["name"]] = kind
    return kind


def scheme(text: str | bytes) -> Any:
    """Any scheme from the JSON that its ``to_json`` wrote.

    >>> from discreet.local import UnaryEncoding
    >>> scheme(UnaryEncoding(epsilon=1, categories=4).to_json())
    UnaryEncoding(epsilon=1, categories=4)
    """
    name = wire.scheme_kind(text)
    if name not in _KNOWN:
        raise DataError(
            "the scheme is none that this version knows. It may protect in another way, so it is "
            f"not guessed at. The known schemes are {', '.join(sorted(_KNOWN))}."
        )
    return _KNOWN[name].from_json(text)


@lru_cache(maxsize=256)
def _identity(text: str) -> str:
    return wire.scheme_identity(text)


@lru_cache(maxsize=256)
def _categories(given: GivenCategories) -> Categories:
    return Categories.read(given)


class _Row(Shape, frozen=True):
    report: Any
    day: str = ""


class _Export(Shape, frozen=True):
    scheme: dict[str, Any]
    reports: list[_Row]


def read_export(text: str | bytes) -> Tally:
    """The tally of an export: a JSON object with a scheme and a list of its reports.

    It is what a survey's ``/api/export?format=json`` gives.  A report that the scheme cannot have
    made is refused.

    >>> from discreet.local import RandomizedResponse
    >>> poll = RandomizedResponse.two_coin()
    >>> text = f'{{"scheme": {poll.to_json()}, "reports": [{{"report": 1}}, {{"report": 0}}]}}'
    >>> tally = read_export(text)
    >>> tally.scheme.estimate(tally).value
    0.5
    """
    export = decoded(text, _Export)
    if export is None:
        raise _malformed_export()
    made: Any = scheme(json.dumps(export.scheme, ensure_ascii=False))
    tally = made.tally()
    identity = tally.identity  # a repeated question of one stage has the reports of that stage
    for row in export.reports:
        tally.add(made.report_from_wire(write_report(identity, row.report)))
    counted: Tally = tally
    return counted


def _malformed_export() -> DataError:
    return DataError(
        "the text is not an export. It is a JSON object with a scheme and its reports, as a "
        "survey's /api/export?format=json gives it. Read it from there again."
    )
