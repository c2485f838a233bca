"""The same question again and again: randomize once, then repeat what was drawn.

Fresh randomization of one value leaks a little more each time.  What was drawn for a value is
kept in a memo, so that asking again costs nothing more; a second stage can randomize every report
on top, so that single reports reveal less and do not link.  Proof: docs/proofs/repeated.md
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError, DataError
from discreet.exact import logarithm, round_up
from discreet.local import wire
from discreet.local.mean import Mean
from discreet.local.proportions import Channel, Proportions, estimated
from discreet.local.randomized_response import RandomizedResponse
from discreet.local.scheme import CategoricalScheme, Tally, register_scheme, scheme
from discreet.local.scheme_choice import scheme_of
from discreet.local.subsets import UnaryEncoding
from discreet.noise import BitSource
from discreet.privacy.laws import Law, ProductLaw, WeightedLaw
from discreet.privacy.losses import PureDP, read_count

_LOG_BITS = 96
_LOG_STEP = Fraction(1, 4 * 10**12)


@register_scheme
@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A scheme for a question that is asked again, in one stage or two.

    ``permanent`` is drawn once for each value and kept in a ``Memo``.  ``each``, if given, is
    randomized response that is applied to what is kept anew for every report: over the same
    categories if ``permanent`` is randomized response, to each bit if it is unary encoding.

    Guarantee: for a value that stays the same, all reports together, however many, are ``loss``-DP,
    and one report by itself is ``report_loss``-DP.  A value that changes costs ``loss`` again for
    each new value, among histories that change and return at the same times; *that* and *when* it
    changed is not hidden by the permanent stage.  With a second stage, ``history_loss`` bounds
    that as well.  Proof: docs/proofs/repeated.md

    >>> question = Repeated(
    ...     permanent=RandomizedResponse(epsilon=2), each=RandomizedResponse.two_coin()
    ... )
    >>> question.loss
    PureDP(epsilon=2)
    >>> round(float(question.report_loss.epsilon), 4)
    0.802
    """

    name: ClassVar[str] = "repeated"
    """What the two stages are called in a tally's bytes."""

    permanent: Any
    each: RandomizedResponse | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "permanent", scheme_of(self.permanent))
        object.__setattr__(self, "each", scheme_of(self.each))
        known: object = self.permanent
        if not isinstance(known, CategoricalScheme | Mean):
            raise BoundsError(
                "permanent is not a scheme. It is what is drawn once for each value and kept. Use "
                "permanent=RandomizedResponse(epsilon=1)."
            )
        if not isinstance(known.loss, PureDP):
            raise BoundsError(
                "permanent has a δ. What repeated reports reveal is bounded for ε alone. Use "
                "permanent=RandomizedResponse(epsilon=1)."
            )
        if self.each is None:
            return
        given: object = self.each
        if not isinstance(given, RandomizedResponse):
            fits = False  # the losses below are those of randomized response
        elif isinstance(self.permanent, UnaryEncoding):
            fits = self.each.categories == 2
        else:
            same = isinstance(self.permanent, RandomizedResponse)
            fits = same and self.each.categories == self.permanent.categories
        if not fits:
            raise BoundsError(
                "each does not fit permanent. The second stage randomizes what the first one drew: "
                "randomized response over the same categories, or with 2 of them for the bits of "
                "unary encoding. Use the same categories= in both, or leave each out."
            )

    # ------------------------------------------------------------------ what it costs

    @property
    def loss(self) -> PureDP:
        """What any number of reports on one value may reveal of it."""
        loss: PureDP = self.permanent.loss
        return loss

    @property
    def report_loss(self) -> PureDP:
        """What one report may reveal, exactly but for rounding up by less than 10^-12."""
        if self.each is None:
            return self.loss
        truth, lie = self.pair
        if isinstance(self.permanent, UnaryEncoding):
            ratio = truth * (1 - lie) / (lie * (1 - truth))
        else:
            ratio = truth / lie
        _, above = logarithm(ratio, _LOG_BITS)
        epsilon = round_up(Fraction(above, 1 << _LOG_BITS), _LOG_STEP)
        return PureDP(epsilon=min(epsilon, self.loss.epsilon))

    def history_loss(self, reports: int) -> PureDP:
        """What so many reports may reveal of the whole history, changes included."""
        count = read_count(reports, "reports", "reports that are made")
        if self.each is None:
            if count == 1:
                return self.loss
            raise DataError(
                "without a second stage there is no such bound: a report that changed shows that "
                "the value did. Use each=RandomizedResponse(epsilon=1) as well."
            )
        bits = _size(self.permanent) if isinstance(self.permanent, UnaryEncoding) else 1
        return PureDP(epsilon=self.each.epsilon).for_group(bits * count)

    @property
    def message_bits(self) -> int:
        """As many as those of the permanent stage, whose reports look the same."""
        bits: int = self.permanent.message_bits
        return bits

    def law(self, value: Any, /) -> Law:
        """The exact law of one report on a value, through both stages.

        Over randomized response it is also that of the tuple of reports on several.
        """
        first: Law = self.permanent.law(value)
        if self.each is None:
            return first
        names, (truth, lie) = list(_names(self.permanent)), self.pair
        if isinstance(self.permanent, UnaryEncoding):
            true = self.permanent._answers.code(value)
            one, other = (WeightedLaw.of_probabilities({1: up, 0: 1 - up}) for up in (truth, lie))
            return ProductLaw(tuple(one if at == true else other for at in range(len(names))))
        codes = self.permanent._answers.codes(value)
        laws = {
            kept: WeightedLaw.of_probabilities(
                {name: truth if at == kept else lie for at, name in enumerate(names)}
            )
            for kept in set(codes.ravel().tolist())
        }
        reports = tuple(laws[kept] for kept in codes.ravel().tolist())
        return ProductLaw(reports) if codes.ndim else reports[0]

    @property
    def identity(self) -> str:
        """The SHA-256 of both stages' JSON."""
        return wire.scheme_identity(self.to_json())

    def to_json(self) -> str:
        """Both stages as text.  A device randomizes with it through a ``Memo`` only."""
        each = "" if self.each is None else self.each.to_json()
        return wire.write(self.name, {"permanent": self.permanent.to_json(), "each": each})

    @classmethod
    def from_json(cls, text: str | bytes) -> "Repeated":
        """The stages that ``to_json`` wrote; anything else is refused."""
        fields = wire.read_scheme_fields(text, cls.name)
        permanent, each = (wire.take(fields, name) for name in ("permanent", "each"))
        wire.refuse_other_fields(fields)
        if not isinstance(permanent, str) or not isinstance(each, str):
            raise wire.malformed()
        repeated = cls(permanent=scheme(permanent), each=scheme(each) if each else None)
        if repeated.to_json() != wire.write(cls.name, {"permanent": permanent, "each": each}):
            raise wire.malformed()
        return repeated

    # ------------------------------------------------------------------ at the respondent

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A first report for the value, or for each of several people: both stages, drawn anew.

        What the permanent stage drew is not kept.  Another report on the same value by this
        function costs ``loss`` again; ``Memo.answer`` keeps it.
        """
        return self.again(self.permanent.randomize(values, source=source), source=source)

    def again(self, kept: Any, *, source: BitSource | None = None) -> Any:
        """A report from what was kept, or one from each of several."""
        if self.each is None:
            return kept
        if not isinstance(self.permanent, UnaryEncoding):
            return self.each.randomize(kept, source=source)
        bits = np.unpackbits(np.asarray(kept, np.uint8), axis=-1, count=_size(self.permanent))
        return np.packbits(self.each.randomize(bits.astype(np.int64), source=source), axis=-1)

    def report_to_wire(self, report: Any) -> str:
        """One report as JSON text, under the name of both stages if there are two."""
        text: str = self.permanent.report_to_wire(report)
        if self.each is None:
            return text
        return wire.write_report(self.identity, json.loads(text)["report"])

    # ------------------------------------------------------------------ at the collector

    def report_from_wire(self, text: str | bytes) -> Any:
        """One report from JSON text; what the device cannot have made is refused."""
        if self.each is None:
            return self.permanent.report_from_wire(text)
        plain = wire.read_report(text, self.identity)
        return self.permanent.report_from_wire(wire.write_report(self.permanent.identity, plain))

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """P[a report names the true category] and P[it names a given other one], exactly."""
        truth, lie = self.permanent.pair
        if self.each is None:
            return truth, lie
        keep, change = self.each.pair
        if isinstance(self.permanent, UnaryEncoding):
            return truth * keep + (1 - truth) * change, lie * keep + (1 - lie) * change
        others = _size(self.permanent) - 1
        mixed = truth * change + lie * keep + (others - 1) * lie * change
        return truth * keep + others * lie * change, mixed

    def variance(self, reports: int, proportion: Any = None) -> float:
        """The variance of an estimate from one round of so many people's reports.

        The proportion is 0 if it is left out; for a mean it is the number that everyone has, and
        the one of the largest variance if it is left out.  Several rounds of the same people share
        what was kept, so that their mean does not fall below the variance of the permanent stage.
        """
        if isinstance(self.permanent, Mean):
            return self.permanent.variance(reports, proportion)
        at = 0.0 if proportion is None else proportion
        alone = float(self.permanent.variance(reports, at))  # which refuses what is no proportion
        return alone if self.each is None else Channel.of(*self.pair).variance(reports, at)

    @property
    def cells(self) -> int:
        """As many counters as those of the permanent stage."""
        cells: int = self.permanent.cells
        return cells

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """The counters and the number of these reports, which look like those of one stage."""
        counted: tuple[NDArray[np.int64], int] = self.permanent.count(reports)
        return counted

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether so many reports can have these counters."""
        return bool(self.permanent.possible(counts, reports))

    def tally(self, reports: Any = None) -> Tally:
        """A tally of one round of reports.  Of two stages it is one of its own, so that whatever
        is estimated from it has the chances of both; of one stage it is that of ``permanent``."""
        if self.each is None:
            tally: Tally = self.permanent.tally(reports)
            return tally
        tally = Tally(self)
        return tally if reports is None else tally.add(reports)

    def proportions(self, reports: Any, *, simultaneous: bool = False) -> Proportions:
        """The proportion of every category, from one round of reports or their tally."""
        if isinstance(self.permanent, Mean):
            raise DataError(
                "the question is for a number. Proportions are of categories. Use estimate()."
            )
        if self.each is None:
            alone: Proportions = self.permanent.proportions(reports, simultaneous=simultaneous)
            return alone
        tally = reports if isinstance(reports, Tally) else self.tally(reports)
        if tally.identity != self.identity:
            raise DataError(
                "the tally is not of both stages. Reports that were randomized twice have other "
                "chances than those of one stage. Count them with question.tally(reports)."
            )
        if tally.reports == 0:
            raise DataError(
                "there are no reports of this scheme. A proportion is estimated from at least one. "
                "Collect reports of Memo.answer()."
            )
        counts = dict(zip(_names(self.permanent), tally.counts.tolist(), strict=True))
        return estimated(counts, tally.reports, Channel.of(*self.pair), self, simultaneous)

    def estimate(self, reports: Any, **options: Any) -> Any:
        """What the respondents have, from one round of reports: one from each of them.

        It takes the options of the permanent stage: ``simultaneous=True`` of categories, where all
        intervals hold at once, or ``interval="normal"`` of a mean.
        """
        if self.each is None:
            return self.permanent.estimate(reports, **options)
        proportions = self.proportions(reports, **options)
        return proportions[_names(self.permanent)[1]] if len(proportions) == 2 else proportions


def _names(scheme: Any) -> Any:
    given = scheme.categories
    return given if isinstance(given, tuple) else range(given)


def _size(scheme: Any) -> int:
    return len(_names(scheme))
