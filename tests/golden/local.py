"""The wire form of every local scheme: its parameters, reports, tally and what is kept of them."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import discreet as dp
from discreet import local
from discreet.noise import UnsafeSeededBits
from tests.golden.comparing import parted
from tests.golden.numbers import steady

_WORDS = ["no", "yes", "rather »ja«", "d", "ε"]
_REPORTS = 12

SCHEMES: dict[str, Any] = {
    "randomized-response": local.RandomizedResponse(epsilon=1),
    "randomized-response, by its odds": local.RandomizedResponse.two_coin(),
    "randomized-response, of words": local.RandomizedResponse(epsilon="1/3", categories=_WORDS),
    "unary": local.UnaryEncoding(epsilon=1, categories=4),
    "unary, symmetric": local.UnaryEncoding(epsilon=2, categories=_WORDS, kind="symmetric"),
    "subset": local.SubsetSelection(epsilon=1, categories=10),
    "subset, of a chosen size": local.SubsetSelection(epsilon=2, categories=_WORDS, size=2),
    "hadamard": local.HadamardResponse(epsilon=1, categories=20),
    "projective": local.ProjectiveGeometryResponse(epsilon=2, categories=30),
    "mean, duchi": local.Mean(low=0, high=40, epsilon=1, kind="duchi"),
    "mean, piecewise": local.Mean(low="-1/2", high=24, epsilon=3, kind="piecewise"),
    "mean, hybrid": local.Mean(low=0, high=1, epsilon=2, kind="hybrid", steps=64),
    "repeated": local.Repeated(
        permanent=local.RandomizedResponse(epsilon=2), each=local.RandomizedResponse.two_coin()
    ),
    "repeated, in one stage": local.Repeated(
        permanent=local.Mean(low=0, high=10, epsilon=1, steps=10)
    ),
    "repeated, of bits": local.Repeated(
        permanent=local.UnaryEncoding(epsilon=3, categories=4),
        each=local.RandomizedResponse(epsilon=1),
    ),
    "approximate-response": local.ApproximateResponse(epsilon=1, delta="1/100"),
    "approximate-response, of words": local.ApproximateResponse(
        epsilon="1/2", delta="1/1000", categories=_WORDS
    ),
}
"""Every scheme, with every kind of parameter."""


def files(folder: Path) -> dict[str, str]:
    """One file for each scheme, and what a respondent's device keeps."""
    found = {f"{_file(name)}.txt": _scheme(scheme) for name, scheme in SCHEMES.items()}
    return found | {"device.txt": _device(), "search.txt": _search()}


def _file(name: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in name).replace("--", "-")


def _scheme(scheme: Any) -> str:
    bits = UnsafeSeededBits(7)
    values = [_value(scheme, place) for place in range(_REPORTS)]
    reports = [scheme.randomize(value, source=bits) for value in values]
    sent = [scheme.report_to_wire(report) for report in reports]
    tally = scheme.tally()
    for text in sent:
        tally.add(scheme.report_from_wire(text))
    return parted(
        {
            "scheme": f"{scheme.to_json()}\n{scheme!r}",
            "identity": scheme.identity,
            "costs": f"{scheme.loss!r}\n{scheme.message_bits} bits, {scheme.cells} cells",
            "reports": "\n".join(sent),
            "tally": f"{tally.to_bytes().hex()}\n{tally!r}",
            "estimate": steady(_estimate(scheme, tally)),
        }
    )


def _value(scheme: Any, place: int) -> Any:
    """A value that the scheme takes, by arithmetic."""
    inner = getattr(scheme, "permanent", scheme)
    if isinstance(inner, local.Mean):
        return inner.low + (inner.high - inner.low) * Fraction(place, _REPORTS - 1)
    names = inner.categories
    return place % inner.domain if isinstance(names, int) else names[place % len(names)]


def _estimate(scheme: Any, tally: Any) -> str:
    found = scheme.estimate(tally)
    if isinstance(found, dp.Estimate):
        return f"{found!r}\n{found.value!r} {found.interval()!r}"
    return "\n".join(f"{name} {one.value!r} {one.interval()!r}" for name, one in found.items())


def _device() -> str:
    """What was drawn, and what was paid; the account's time is that of the answer."""
    bits, memo, account = UnsafeSeededBits(8), local.Memo(), local.Account(cap=9)
    for name in ("randomized-response, of words", "unary", "mean, hybrid", "repeated, of bits"):
        scheme = SCHEMES[name]
        memo.answer(f"what of {name}?", scheme, _value(scheme, 3), source=bits)
        account.charge(f"what of {name}?", scheme)
    paid = json.loads(account.to_json())
    for charge in paid["charges"]:
        charge["when"] = "2026-01-31T00:00:00Z"
    written = local.Account.from_json(json.dumps(paid)).to_json()
    return parted({"memo": memo.to_json(), "account": written})


def _search() -> str:
    """The questions of a search for strings, and what it finds."""
    words, bits = local.HeavyHitters(epsilon=4, length=2, kept=2), UnsafeSeededBits(9)
    strings = ["ja"] * 3_000 + ["né"] * 2_000 + ["", "nee"] * 50
    first = words.first()
    tally = first.scheme.tally(first.randomize(strings, source=bits))
    second = first.following(tally)
    found = second.found(second.scheme.tally(second.randomize(strings, source=bits)))
    return parted(
        {
            "search": repr(words),
            "first scheme": f"{first.scheme.identity}\n{first.scheme.to_json()[:400]}",
            "second scheme": f"{second.scheme.identity}\n{second.scheme.to_json()[:400]}",
            "second prefixes": " ".join(prefix.hex() for prefix in second.prefixes),
            "found": steady("\n".join(f"{name!r} {one.value!r}" for name, one in found.items())),
        }
    )
