"""The same question again and again: randomize once, then repeat what was drawn.

Fresh randomization of one value leaks a little more each time.  A memo on the respondent's device
keeps what was drawn for each value, so that asking again costs nothing more; a second stage can
randomize every report on top, so that single reports reveal less and do not link.
Proof: docs/proofs/repeated.md
"""

import json
import os
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from discreet.errors import BoundsError, DataError
from discreet.exact import logarithm, round_up
from discreet.local import wire
from discreet.local.choose import scheme_of
from discreet.local.device_file import locked, malformed, read_fields, write_whole
from discreet.local.mean import Mean
from discreet.local.proportions import Channel, estimated
from discreet.local.randomized_response import RandomizedResponse
from discreet.local.tally import Tally
from discreet.local.unary import UnaryEncoding
from discreet.noise import BitSource
from discreet.privacy.losses import PureDP
from discreet.privacy.parameters import read_count

_FORMAT = "discreet.local.memo"
_VERSION = 1
Table = dict[tuple[str, str, int], Any]
"""Reports by question, scheme and value."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_LOG_BITS = 96
_LOG_STEP = Fraction(1, 4 * 10**12)


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

    permanent: Any
    each: RandomizedResponse | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "permanent", scheme_of(self.permanent))
        object.__setattr__(self, "each", scheme_of(self.each))
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

    def loss_of(self, values: int) -> PureDP:
        """What all reports may reveal if so many different values were answered over time, and
        when they changed and returned is no secret: each new value costs again."""
        return self.loss.for_group(values)

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
        return self.each.loss.for_group(bits * count)

    @property
    def identity(self) -> str:
        """The SHA-256 of both stages' JSON."""
        stages = [self.permanent.to_json(), None if self.each is None else self.each.to_json()]
        return wire.identity(json.dumps(stages, ensure_ascii=False))

    # ------------------------------------------------------------------ at the respondent

    def again(self, kept: Any, *, source: BitSource | None = None) -> Any:
        """A report from what was kept."""
        if self.each is None:
            return kept
        if not isinstance(self.permanent, UnaryEncoding):
            return self.each.randomize(kept, source=source)
        bits = np.unpackbits(np.asarray(kept, np.uint8), count=_size(self.permanent))
        return np.packbits(self.each.randomize(bits.astype(np.int64), source=source))

    # ------------------------------------------------------------------ at the collector

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

    def estimate(self, reports: Any) -> Any:
        """What the respondents have, from one round of reports: one from each of them."""
        if self.each is None:
            return self.permanent.estimate(reports)
        tally = reports if isinstance(reports, Tally) else self.permanent.tally(reports)
        if tally.reports == 0 or tally.identity != self.permanent.identity:
            raise DataError(
                "there are no reports of this scheme. A proportion is estimated from at least one. "
                "Collect reports of Memo.answer()."
            )
        names = _names(self.permanent)
        counts = dict(zip(names, tally.counts.tolist(), strict=True))
        found = estimated(counts, tally.reports, Channel.of(*self.pair), self)
        two = isinstance(self.permanent, RandomizedResponse) and len(names) == 2
        return found[names[1]] if two else found


class Memo:
    """What a respondent's device has drawn, by question, scheme and value.

    It belongs to the respondent, and is as secret as the answers themselves.  With ``path`` it is
    a JSON file, and what was drawn is on the disk before it is used; otherwise it is for one
    process (a fork or a copy draws on its own, and costs again), and the program keeps
    ``to_json()``.  A value that was not answered before is randomized afresh, and costs again.

    >>> memo = Memo()
    >>> poll = RandomizedResponse(epsilon=1)
    >>> len({memo.answer("Do you smoke?", poll, True) for _ in range(100)})
    1
    >>> report = memo.answer("Do you smoke?", poll, False)
    >>> memo.spent("Do you smoke?")
    PureDP(epsilon=2)
    """

    def __init__(self, *, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._kept: Table = {}
        self._load()

    def holds(self, question: str, scheme: Any, value: object) -> bool:
        """Whether this value was answered before, so that another report costs nothing."""
        self._load()
        return _key(question, scheme, value) in self._kept

    def answer(
        self, question: str, scheme: Any, value: object, *, source: BitSource | None = None
    ) -> Any:
        """A report: from what was kept for this value, or drawn now and kept."""
        key, permanent = _key(question, scheme, value), _permanent(scheme)
        if self._path is None:
            drawn = self._kept.get(key)
            if drawn is None:  # of threads that draw at once, one is kept and all repeat that
                drawn = self._kept.setdefault(key, _draw(permanent, value, source))
        else:
            # Other threads may load or answer meanwhile: what is written is a table of its own.
            with locked(self._path):
                table = self._table()
                drawn = table.get(key)
                if drawn is None:
                    drawn = table[key] = _draw(permanent, value, source)
                    write_whole(self._path, _written(table))
                self._kept = table
        kept = permanent.report_from_wire(wire.write_report(permanent.identity, drawn))
        return scheme.again(kept, source=source) if isinstance(scheme, Repeated) else kept

    def values(self, question: str) -> int:
        """How many different values were answered to a question."""
        self._load()
        return sum(key[0] == question for key in list(self._kept))

    def spent(self, question: str) -> PureDP:
        """What all reports to a question may reveal, but for when the value changed."""
        self._load()
        kept = [key[1] for key in list(self._kept) if key[0] == question]
        losses = [_scheme(text).loss.epsilon for text in kept]
        return PureDP(epsilon=sum(losses, Fraction(0)))

    # ------------------------------------------------------------------ as text

    def to_json(self) -> str:
        """Everything that was drawn, as text."""
        return _written(dict(self._kept))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Memo":
        """The memo that ``to_json`` wrote; anything else is refused."""
        memo = cls()
        memo._kept = _read(text)
        return memo

    def _load(self) -> None:
        if self._path is not None:
            self._kept = self._table()

    def _table(self) -> Table:
        """What is on the disk, in a table of its own; of a file that is gone, what it held."""
        if self._path is not None and self._path.exists():
            return _read(self._path.read_bytes())
        return dict(self._kept)


# ---------------------------------------------------------------------- reading and writing


def _draw(scheme: Any, value: object, source: BitSource | None) -> Any:
    """A fresh report, as JSON has it."""
    text = scheme.report_to_wire(scheme.randomize(value, source=source))
    return json.loads(text)["report"]


def _written(kept: Table) -> str:
    answers = [
        {"question": question, "scheme": scheme, "value": value, "report": report}
        for (question, scheme, value), report in kept.items()
    ]
    head = {"format": _FORMAT, "version": _VERSION}
    return json.dumps({**head, "answers": answers}, ensure_ascii=False)


def _key(question: object, scheme: Any, value: object) -> tuple[str, str, int]:
    permanent = _permanent(scheme)
    return read_question(question), permanent.to_json(), code(permanent, value)


def read_question(question: object) -> str:
    """The text that a question is known by; what cannot be written in UTF-8 is none."""
    if not isinstance(question, str) or not question or _SURROGATE.search(question):
        raise DataError(
            "the question is not a text. It names what is kept and what is paid for. Give its text."
        )
    return question


def code(scheme: Any, value: object) -> int:
    """The number of one value among those that the scheme tells apart; others are refused."""
    scheme = _permanent(scheme)
    codes = scheme._positions(value) if isinstance(scheme, Mean) else scheme._answers.codes(value)
    if codes.ndim:
        raise DataError("there are several values. A respondent answers with one. Give one.")
    return int(codes)


def _permanent(scheme: Any) -> Any:
    return scheme.permanent if isinstance(scheme, Repeated) else scheme_of(scheme)


def _names(scheme: Any) -> Any:
    given = scheme.categories
    return given if isinstance(given, tuple) else range(given)


def _size(scheme: Any) -> int:
    return len(_names(scheme))


def _scheme(text: str) -> Any:
    from discreet.local.scheme import scheme

    return scheme(text)


def _read(text: object) -> Table:
    answers = read_fields(text, _FORMAT, _VERSION, ("answers",))["answers"]
    if not isinstance(answers, list):
        raise malformed(_FORMAT)
    kept: Table = {}
    for one in answers:
        if not isinstance(one, dict) or set(one) != {"question", "scheme", "value", "report"}:
            raise malformed(_FORMAT)
        question, text, value = one["question"], one["scheme"], one["value"]
        if not isinstance(question, str) or not isinstance(text, str) or type(value) is not int:
            raise malformed(_FORMAT)
        scheme = _scheme(text)
        if scheme.to_json() != text:  # which would never be found again
            raise malformed(_FORMAT)
        scheme.report_from_wire(wire.write_report(scheme.identity, one["report"]))
        kept[question, text, value] = one["report"]
    if len(kept) != len(answers):
        raise malformed(_FORMAT)
    return kept
