"""Reports that name one answer: the true one with a chance of its own, else any other one."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import VerificationError
from discreet.local.categories import REPORT
from discreet.local.chances import WHOLE, happens, uniform
from discreet.local.scheme import Categorical
from discreet.noise import BitSource, Keystream
from discreet.privacy.laws import MAX_ATOMS, Law, ProductLaw, WeightedLaw

_BLOCK = 1 << 16


class KeptAnswer(Categorical):
    """A scheme that keeps an answer with the chance ``keep``/2^64, and else replaces it by one of
    the others, uniformly.  A subclass says which chance that is, and what it protects."""

    __slots__ = ()

    keep: int

    @property
    def derived(self) -> dict[str, str | int]:
        """The chance that an answer is kept."""
        return {"keep": str(self.keep)}

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """The chances that a report names the true answer, and a given other one."""
        return Fraction(self.keep, WHOLE), Fraction(WHOLE - self.keep, WHOLE * (self.domain - 1))

    @property
    def message_bits(self) -> int:
        """A report names one category."""
        return (self.domain - 1).bit_length()

    @property
    def cells(self) -> int:
        """One counter per category."""
        return self.domain

    def law(self, value: Any, /) -> Law:
        """The exact law of the report on an answer, or of the tuple of reports on several."""
        if self.domain > MAX_ATOMS:
            raise VerificationError(
                f"there are {self.domain} categories, more than {MAX_ATOMS}. The law holds a "
                "probability for each. Verify with fewer categories."
            )
        codes = self._answers.codes(value)
        if codes.ndim == 0:
            return self._law(int(codes))
        laws = {code: self._law(code) for code in set(codes.ravel().tolist())}
        return ProductLaw(tuple(laws[code] for code in codes.ravel().tolist()))

    def _law(self, kept: int) -> WeightedLaw:
        truth, lie = self.pair
        return WeightedLaw.of_probabilities(
            {key: truth if at == kept else lie for at, key in enumerate(self._answers.keys)}
        )

    # ------------------------------------------------------------------ at the respondent

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the answer, or for each of several; names come back as names."""
        source = Keystream() if source is None else source
        codes = self._answers.codes(values)
        reports = codes.ravel().copy()
        for start in range(0, reports.size, _BLOCK):
            self._randomize(reports[start : start + _BLOCK], source)
        if not codes.ndim:
            return self._answers.keys[int(reports[0])]
        shaped = reports.reshape(codes.shape)
        return np.array(self.categories)[shaped] if isinstance(self.categories, tuple) else shaped

    def _randomize(self, part: NDArray[np.int64], source: BitSource) -> None:
        kept = happens(self.keep, part.size, source)
        if self.domain == 2:
            part ^= ~kept
            return
        # A lie is a shift by 1 to k - 1.  It is drawn for all, so that time does not tell who lied.
        shift = uniform(self.domain - 1, part.size, source)
        shift += 1
        shift *= ~kept
        part += shift
        part[part >= self.domain] -= self.domain

    # ------------------------------------------------------------------ at the collector

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How many reports name each category."""
        codes = self._answers.codes(reports, REPORT).ravel()
        return np.bincount(codes, minlength=self.domain).astype(np.int64, copy=False), codes.size

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether every report names one category."""
        return int(counts.min()) >= 0 and sum(counts.tolist()) == reports

    # ------------------------------------------------------------------ on the wire

    def _to_plain(self, report: Any) -> object:
        return int(self._answers.codes(report, REPORT))

    def _from_plain(self, plain: Any) -> Any:
        if type(plain) is not int or not 0 <= plain < self.domain:
            return None
        return self._answers.keys[plain]
