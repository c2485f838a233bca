"""Chances as fractions of 2^64, derived from ε in one place.

A chance is an integer N and means the probability N/2^64: a device draws a uniform 64-bit integer
and compares it with N, in Python as in a browser, so both have exactly the same law.  Each is
rounded towards more protection.  Proof: docs/proofs/local-schemes.md
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus
from discreet.noise import BitSource, bernoulli_array
from discreet.noise.bernoulli import Probability, ratio

WHOLE = 1 << 64
"""The chance of what is certain."""

_MOST_EPSILON = Fraction(128)  # beyond it no chance changes: e^-128 is below 2^-184
_MOST_WEIGHT = 1 << 100


@lru_cache(maxsize=1024)
def keep_chance(
    epsilon: Fraction, truth: int = 1, others: int = 1, odds: Fraction | None = None
) -> int:
    """The largest N < 2^64 with N·others ≤ e^ε·(2^64 - N)·truth.

    With this chance a report is drawn uniformly from ``truth`` reports that fit the true value,
    else from the ``others`` that do not; no report is then more than e^ε times as likely under
    one value as under another.  ``odds`` states a rational e^ε in the place of ε.

    >>> keep_chance(Fraction(2), odds=Fraction(3)) == 3 * 2**62
    True
    >>> keep_chance(Fraction(1)) / 2**64
    0.7310585786300049
    """
    if not (0 < truth <= _MOST_WEIGHT and 0 < others <= _MOST_WEIGHT):
        raise ValueError("both numbers of reports are above 0 and at most 2^100")
    if odds is not None:
        return min(WHOLE - 1, WHOLE * truth * odds // (truth * odds + others))
    bits = 256
    while True:
        low, high = exp_minus(min(epsilon, _MOST_EPSILON), bits)
        whole = truth << bits
        least, most = (whole * WHOLE // (whole + others * decay) for decay in (high, low))
        # e^ε is irrational, so the bound is no integer and some enclosure decides its floor.
        if least == most:
            return min(WHOLE - 1, least)
        bits *= 2


def require_information(gain: Fraction, categories: int) -> None:
    """Refuse chances from which nothing could be estimated."""
    if gain <= 0:
        raise PrivacyParameterError(
            f"epsilon is too small for {categories} categories: rounded to 2^-64, a report would "
            "not depend on the value at all. Use a larger epsilon or fewer categories."
        )


# ---------------------------------------------------------------------- draws


def bernoulli_bits(chance: int, count: int, source: BitSource) -> NDArray[np.bool_]:
    """``count`` independent bits, each one with probability exactly chance/2^64."""
    return bernoulli_array(_enclosed(chance), count, source)


@lru_cache(maxsize=64)
def _enclosed(chance: int) -> Probability:
    return ratio(Fraction(chance, WHOLE))


def uniform(bound: int, count: int, source: BitSource) -> NDArray[np.int64]:
    """Uniform integers in [0, bound), bound ≤ 2^63, by rejection.

    A word above the last whole multiple of the bound is drawn again.
    """
    bits = 32 if bound <= 1 << 16 else 64
    most = (1 << bits) - 1 - (1 << bits) % bound
    words = _words(f"u{bits // 8}", count, source)
    pending = np.flatnonzero(words > most)
    while pending.size:
        fresh = _words(f"u{bits // 8}", pending.size, source)
        words[pending] = fresh
        pending = pending[fresh > most]
    words %= words.dtype.type(bound)
    return words.astype(np.int64)


def _words(dtype: str, count: int, source: BitSource) -> NDArray[Any]:
    """Fresh uniform words of 8, 16, 32 or 64 bits."""
    each = 8 // np.dtype(dtype).itemsize
    words = np.empty(-(-count // each), np.uint64)
    source.fill(words)
    return words.view(dtype)[:count]


def fresh_bytes(count: int, source: BitSource) -> NDArray[np.uint8]:
    """Uniform bytes."""
    return _words("u1", count, source)
