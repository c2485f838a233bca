"""Run and noise: the only steps that follow the charge."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from discreet.decoding import Shape, decoded
from discreet.engines.measuring import Engine
from discreet.errors import LedgerCorruptError
from discreet.noise import BitSource
from discreet.question.check import Question
from discreet.release.price import Price

_VERSION = 1


class _Kept(Shape, frozen=True):
    """What the ledger keeps of a release, as ``Noisy.to_bytes`` wrote it."""

    version: Literal[1]
    blocks: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[str, ...], ...] | None
    selected: tuple[int, ...] | None
    rows: int | None
    certificate: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Noisy:
    """Everything that was released: integers per block and group, selected keys, a public n."""

    blocks: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[str, ...], ...] | None = None
    selected: tuple[int, ...] | None = None
    rows: int | None = None
    certificate: Mapping[str, Any] | None = None
    """What the certificate states of the release: kept with it, so that nobody can change it.

    None in what version 0.1.0 released.
    """

    def to_bytes(self) -> bytes:
        """What the ledger keeps, so that a retry gets the same answer."""
        data: dict[str, Any] = {
            "version": _VERSION,
            "blocks": self.blocks,
            "cells": self.cells,
            "selected": self.selected,
            "rows": self.rows,
        }
        if self.certificate is not None:
            data["certificate"] = self.certificate
        return json.dumps(data, separators=(",", ":")).encode()

    @staticmethod
    def from_bytes(data: bytes) -> "Noisy":
        """What ``to_bytes`` wrote."""
        kept = decoded(data, _Kept)
        if kept is None:
            raise LedgerCorruptError(
                "the answer that the ledger kept is not one of a table. A record counts only if "
                "its meaning is certain. Run discreet ledger verify; if a newer discreet wrote it, "
                "use that one."
            )
        return Noisy(kept.blocks, kept.cells, kept.selected, kept.rows, kept.certificate)


def run(question: Question, price: Price, engine: Engine, bits: BitSource) -> Noisy:
    """Measure the question and add the noise that was paid for.  Every cell gets a fresh draw."""
    cells = selected = None
    if price.selection is not None:
        mechanism = price.selection.mechanism
        sieve = mechanism.sieve(bits) if engine.sieves else None
        candidates = engine.candidates(question, sieve)
        chosen = mechanism(candidates.counts, source=bits, sieve=sieve)
        cells = candidates.released(chosen.kept)
        if price.selection.answers is not None and chosen.counts is not None:
            selected = tuple(int(count) for count in chosen.counts)
    measured = engine.measure(question, tuple(one.measure for one in price.priced), cells)
    released = tuple(
        tuple(int(number) for number in one.mechanism.release(measured.of[one.measure], bits))
        for one in price.priced
    )
    return Noisy(released, cells, selected, measured.rows)
