"""Run and noise: the only steps that follow the charge."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.engines.measuring import Engine
from discreet.noise import BitSource
from discreet.question.check import Question
from discreet.release.price import Price

_VERSION = 1


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
        read = json.loads(data)
        cells, selected = read["cells"], read["selected"]
        return Noisy(
            tuple(tuple(block) for block in read["blocks"]),
            None if cells is None else tuple(tuple(cell) for cell in cells),
            None if selected is None else tuple(selected),
            read["rows"],
            read.get("certificate"),
        )


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
