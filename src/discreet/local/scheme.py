"""Local schemes: their interface, what schemes over categories share, and tallies of reports.

A scheme is a public rule.  The respondent's device randomizes with it; the collector counts the
reports in a tally and estimates from the tally alone.
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
from discreet.noise import BitSource
from discreet.privacy.estimates import Estimate, Estimates
from discreet.privacy.laws import Law
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.number_text import plural
from discreet.strict_json import Shape, decoded

_MAGIC = b"discreet.tally\x00\x01"  # the last byte is the version
_CHECKSUM_BYTES = 32
_MOST_REPORTS = 1 << 40  # beyond any survey, yet few enough for exact intervals
_SchemeClass = TypeVar("_SchemeClass")
_SCHEMES: dict[str, Any] = {}
"""Scheme classes by their names in JSON; complete once ``discreet.local`` is imported."""


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
        counts, report_count = self.scheme.count(reports)
        self._increase(counts, report_count)
        return self

    def merge(self, other: "Tally") -> "Tally":
        """Add the reports of another tally of the same scheme."""
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

    def _increase(self, counts: NDArray[np.int64], report_count: int) -> None:
        if self.reports + report_count > _MOST_REPORTS:
            raise DataError(
                "the tally would hold more than 2^40 reports. No survey has so many. Look for "
                "what sends them."
            )
        self.counts += counts
        self.reports += report_count

    # ------------------------------------------------------------------ serialization

    def to_bytes(self) -> bytes:
        """The tally as bytes: scheme, number of reports and counts, with a checksum."""
        text = self.scheme.to_json().encode()
        numbers = np.concatenate([[self.reports], self.counts]).astype("<i8")
        body = _MAGIC + len(text).to_bytes(4, "little") + text + numbers.tobytes()
        return body + sha256(body).digest()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Tally":
        """The tally that ``to_bytes`` wrote; anything else is refused."""
        start = len(_MAGIC) + 4
        if type(data) is not bytes or len(data) < start + _CHECKSUM_BYTES or data[:16] != _MAGIC:
            raise _malformed_tally()
        body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        if sha256(body).digest() != checksum:
            raise _malformed_tally()
        end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
        stored_scheme = scheme(body[start:end])
        if (
            len(body) != end + 8 * (stored_scheme.cells + 1)
            or stored_scheme.to_json().encode() != body[start:end]
        ):
            raise _malformed_tally()
        numbers = np.frombuffer(body[end:], "<i8").astype(np.int64)
        tally = cls(stored_scheme)
        tally.reports, tally.counts = int(numbers[0]), numbers[1:].copy()
        if not 0 <= tally.reports <= _MOST_REPORTS:
            raise _malformed_tally()
        if not stored_scheme.possible(tally.counts, tally.reports):
            raise _malformed_tally()
        return tally

    # ------------------------------------------------------------------ comparison

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
        return f"Tally({plural(self.reports, 'report')} of {self.scheme!r})"


@runtime_checkable
class Scheme(Protocol):
    """A randomizer for one value, and the estimator from its reports.

    Guarantee: local ε-DP with the ε of ``loss``: whatever one respondent's value is changed to,
    no report becomes more than e^ε times as likely.  ``ApproximateResponse`` is (ε, δ)-DP.
    """

    @property
    def loss(self) -> PureDP | ApproximateDP:
        """What one report may reveal of one value."""

    @property
    def message_bits(self) -> int:
        """The number of bits of one report."""

    @property
    def identity(self) -> str:
        """The SHA-256 of the scheme's JSON."""

    @property
    def cells(self) -> int:
        """The number of counters in a tally."""

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the value, or one for each of several."""

    def estimate(self, reports: Any) -> Any:
        """Estimates of what the respondents have, from reports or their tally alone."""

    def variance(self, reports: int) -> float:
        """The variance of an estimate from this number of reports."""

    def law(self, value: Any, /) -> Law:
        """The exact probability law of one report."""

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """The counters that these reports add to a tally, and the number of reports."""

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether this number of reports can lead to these counters."""

    def tally(self, reports: Any = None) -> Tally:
        """A tally of these reports, or an empty one."""

    def report_to_wire(self, report: Any) -> str:
        """One report as JSON text."""

    def report_from_wire(self, text: str | bytes) -> Any:
        """The report in a JSON text; what the randomizer cannot have made is refused."""

    def to_json(self) -> str:
        """The scheme as text, for the respondent's device."""


class CategoricalScheme(ABC):
    """Base of schemes over categories whose reports name each category with one of two chances.

    A subclass is a frozen dataclass with ``epsilon`` and ``categories``.  It says how a report is
    drawn, with which chances (``pair``) a report names the true category and another one, and how
    many reports of a tally name each category (``_named``).
    """

    __slots__ = ()

    name: ClassVar[str]
    """The scheme's name in JSON."""
    most: ClassVar[int]
    """The largest number of categories."""
    chosen: ClassVar[tuple[str, ...]] = ()
    """The names of parameters that may be chosen besides ε and the categories."""

    epsilon: Fraction
    categories: GivenCategories

    # ------------------------------------------------------------------ different in each scheme

    @property
    @abstractmethod
    def derived(self) -> dict[str, str | int]:
        """The fields of the JSON that follow from the parameters; chances are text."""

    @property
    @abstractmethod
    def pair(self) -> tuple[Fraction, Fraction]:
        """P[a report names the true category] and P[it names a given other one], exactly."""

    @property
    @abstractmethod
    def message_bits(self) -> int:
        """The number of bits of one report."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """The number of counters in a tally."""

    @abstractmethod
    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the value, or one for each of several."""

    @abstractmethod
    def law(self, value: Any, /) -> Law:
        """The exact probability law of one report."""

    @abstractmethod
    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """The counters that these reports add to a tally, and the number of reports."""

    @abstractmethod
    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether this number of reports can lead to these counters."""

    @abstractmethod
    def _to_plain(self, report: Any) -> object:
        """One report as a value for JSON."""

    @abstractmethod
    def _from_plain(self, plain: Any) -> Any:
        """The report that a JSON value stands for; None if the randomizer cannot have made it."""

    def _named(self, tally: Tally) -> NDArray[np.int64]:
        """The number of reports that name each category."""
        return tally.counts

    @property
    def _longest(self) -> int:
        """The largest number of characters of a report as JSON text."""
        return wire.MOST_CHARACTERS

    # ------------------------------------------------------------------ the same for all

    @property
    def loss(self) -> PureDP | ApproximateDP:
        """What one report may reveal of one answer."""
        return PureDP(epsilon=self.epsilon)

    @property
    def domain(self) -> int:
        """The number of categories."""
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
        """The variance of an estimate from this number of reports, at a true proportion."""
        if reports < 1 or not 0 <= proportion <= 1:
            raise DataError(
                "the variance is for at least one report and a proportion from 0 to 1. "
                "Use poll.variance(1_000)."
            )
        return self.channel.variance(reports, proportion)

    # ------------------------------------------------------------------ JSON

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
        """The report in a JSON text; what the randomizer cannot have made is refused."""
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
        parameter = "odds" if "odds" in fields and hasattr(cls, "odds") else "epsilon"
        options: dict[str, Any] = {parameter: wire.take_rational(fields, parameter)}
        for name in ("categories", *cls.chosen):
            options[name] = wire.take(fields, name)
            if options[name] is None:  # a constructor would read None as "choose the best"
                raise wire.malformed()
        if type(options["categories"]) is not int and not isinstance(options["categories"], list):
            raise bad_categories()
        instance = cls(**options)
        for name, value in instance.derived.items():
            wire.take_derived(fields, name, value)
        wire.refuse_other_fields(fields)
        return instance


def register_scheme(kind: type[_SchemeClass]) -> type[_SchemeClass]:
    """Class decorator that registers a scheme, so that ``scheme`` reads it from its JSON."""
    _SCHEMES[vars(kind)["name"]] = kind
    return kind


def scheme(text: str | bytes) -> Any:
    """The scheme, of any kind, that a ``to_json`` wrote.

    >>> from discreet.local import UnaryEncoding
    >>> scheme(UnaryEncoding(epsilon=1, categories=4).to_json())
    UnaryEncoding(epsilon=1, categories=4)
    """
    name = wire.scheme_kind(text)
    if name not in _SCHEMES:
        raise DataError(
            "the scheme is none that this version knows. It may protect in another way, so it is "
            f"not guessed at. The known schemes are {', '.join(sorted(_SCHEMES))}."
        )
    return _SCHEMES[name].from_json(text)


def read_export(text: str | bytes) -> Tally:
    """The tally of an export: a JSON object with a scheme and a list of its reports.

    A survey's ``/api/export?format=json`` gives such an export.  A report that the scheme cannot
    have made is refused.

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
    exported_scheme: Any = scheme(json.dumps(export.scheme, ensure_ascii=False))
    tally: Tally = exported_scheme.tally()
    identity = tally.identity  # of a repeated question with one stage: that of the stage
    for row in export.reports:
        tally.add(exported_scheme.report_from_wire(wire.write_report(identity, row.report)))
    return tally


class _ExportedReport(Shape, frozen=True):
    report: Any
    day: str = ""


class _Export(Shape, frozen=True):
    scheme: dict[str, Any]
    reports: list[_ExportedReport]


@lru_cache(maxsize=256)
def _identity(text: str) -> str:
    return wire.scheme_identity(text)


@lru_cache(maxsize=256)
def _categories(given: GivenCategories) -> Categories:
    return Categories.read(given)


def _malformed_tally() -> DataError:
    return DataError(
        "the bytes are not a tally. A tally is read from what to_bytes() wrote, unchanged. "
        "Write it again."
    )


def _malformed_export() -> DataError:
    return DataError(
        "the text is not an export. It is a JSON object with a scheme and its reports, as a "
        "survey's /api/export?format=json gives it. Read it from there again."
    )
