"""What the ledger keeps of an answer: the released integers, so that a retry gets the same ones.

Also the question with its price, from which the answer can be shown again.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from discreet.errors import Front, LedgerCorruptError
from discreet.measures.measure import Statistic
from discreet.measures.registry import STATISTICS
from discreet.plan.calendar import Dated
from discreet.question.query import Query
from discreet.strict_json import Shape, decoded

_VERSION = 1
_NOT_KEPT: Final = ("place", "written")
"""Where a part stood in a text, and in which words: only refusals need them."""


def _parts_of(kind: Any, found: dict[type, dict[str, Any]]) -> dict[type, dict[str, Any]]:
    """The dataclasses that a type is made of, with the types of their fields that are kept.

    A statistic is one of a list.
    """
    if isinstance(kind, type) and is_dataclass(kind) and kind not in (Statistic, *found):
        hints = get_type_hints(kind)
        found[kind] = {
            one.name: hints[one.name] for one in fields(kind) if one.name not in _NOT_KEPT
        }
        for hint in found[kind].values():
            _parts_of(hint, found)
    for inner in get_args(kind):
        _parts_of(inner, found)
    return found


_PARTS: Final = {kind.__name__: (kind, hints) for kind, hints in _parts_of(Query, {}).items()}
"""What a question is made of."""
_STATISTICS: Final = {statistic.symbol: statistic for statistic in STATISTICS}


class _Kept(Shape, frozen=True):
    """What the ledger keeps of a release, as ``NoisyMeasurements.to_bytes`` wrote it."""

    version: Literal[1]
    blocks: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[str, ...], ...] | None
    selected: tuple[int, ...] | None
    rows: int | None
    certificate: dict[str, Any] | None = None
    asked: dict[str, Any] | None = None


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
    asked: Mapping[str, Any] | None = None
    """The question and its price, as ``query_to_data`` and ``Price.to_data`` write them.

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
        if self.asked is not None:
            data["asked"] = self.asked
        return json.dumps(data, separators=(",", ":")).encode()

    @staticmethod
    def read(data: bytes) -> "NoisyMeasurements | None":
        """What ``to_bytes`` wrote; None if it is anything else."""
        kept = decoded(data, _Kept)
        if kept is None:
            return None
        return NoisyMeasurements(
            kept.blocks, kept.cells, kept.selected, kept.rows, kept.certificate, kept.asked
        )

    @staticmethod
    def from_bytes(data: bytes) -> "NoisyMeasurements":
        """What ``to_bytes`` wrote."""
        kept = NoisyMeasurements.read(data)
        if kept is None:
            raise LedgerCorruptError(
                "the answer that the ledger kept is not one of a table. A record counts only if "
                "its meaning is certain. Run discreet ledger verify; if a newer discreet wrote it, "
                "use that one."
            )
        return kept


def query_to_data(query: Query) -> Any:
    """A question as plain data, from which ``query_from_data`` makes it again."""
    return _written(query)


def query_from_data(data: object) -> Query:
    """The question that ``query_to_data`` wrote; anything else is a ValueError."""
    query = _read(data)
    if not isinstance(query, Query):
        raise ValueError("not a question")
    return query


def _written(value: object) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case Fraction():
            return {"fraction": str(value)}
        case tuple():
            return [_written(one) for one in value]
        case Statistic():
            return {"statistic": value.symbol}
        case Front():
            return {"front": value.name}
    part: Any = value
    kept = [one for one in fields(part) if one.name not in _NOT_KEPT]
    stated = {one.name: getattr(part, one.name) for one in kept}
    defaults = {one.name: one.default for one in kept if one.default is not MISSING}
    return {"part": type(part).__name__} | {
        name: _written(one)
        for name, one in stated.items()
        if name not in defaults or one != defaults[name]
    }


def _read(data: object) -> Any:
    match data:
        case None | bool() | int() | str():
            return data
        case list():
            return tuple(map(_read, data))
        case {"fraction": str(text)}:
            return Fraction(text)
        case {"statistic": str(symbol)} if symbol in _STATISTICS:
            return _STATISTICS[symbol]
        case {"front": str(name)} if name in Front.__members__:
            return Front[name]
        case {"part": str(name), **rest} if name in _PARTS:
            kind, hints = _PARTS[name]
            values = {str(one): _read(value) for one, value in rest.items()}
            if type(values.get("dated")) is int:
                values["dated"] = Dated(values["dated"])
            if values.keys() <= hints.keys() and all(
                _is_of(value, hints[one]) for one, value in values.items()
            ):
                try:
                    return kind(**values)
                except TypeError:  # one that is needed is not there
                    pass
    raise ValueError("not a part of a question")


def _is_of(value: object, hint: Any) -> bool:
    """Whether a value is of the type that a field states."""
    inner: tuple[Any, ...] = get_args(hint)
    match get_origin(hint):
        case None:
            return type(value) is hint
        case kind if kind is Literal:
            return value in inner
        case kind if kind is tuple:
            if type(value) is not tuple:
                return False
            kinds = inner[:1] * len(value) if inner[-1] is ... else inner
            return len(value) == len(kinds) and all(map(_is_of, value, kinds))
    return any(_is_of(value, one) for one in inner)
