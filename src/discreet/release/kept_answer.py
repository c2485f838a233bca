"""What the ledger keeps of an answer: the released integers, so that a retry gets the same ones."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from discreet.errors import LedgerCorruptError
from discreet.strict_json import Shape, decoded

_VERSION = 1


class _Kept(Shape, frozen=True):
    """What the ledger keeps of a release, as ``NoisyMeasurements.to_bytes`` wrote it."""

    version: Literal[1]
    blocks: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[str, ...], ...] | None
    selected: tuple[int, ...] | None
    rows: int | None
    certificate: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class NoisyMeasurements:
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
    def from_bytes(data: bytes) -> "NoisyMeasurements":
        """What ``to_bytes`` wrote."""
        kept = decoded(data, _Kept)
        if kept is None:
            raise LedgerCorruptError(
                "the answer that the ledger kept is not one of a table. A record counts only if "
                "its meaning is certain. Run discreet ledger verify; if a newer discreet wrote it, "
                "use that one."
            )
        return NoisyMeasurements(
            kept.blocks, kept.cells, kept.selected, kept.rows, kept.certificate
        )
