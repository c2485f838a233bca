"""Copies of CSV files whose bytes that are not UTF-8 are marked, since they end DuckDB's scan.

They are made when a scan has failed, in the folder for what is put aside, and again when a file has
changed since.
"""

import os
import re
from codecs import getincrementaldecoder
from gzip import open as open_compressed
from pathlib import Path
from typing import Any

from discreet.engines.duckdb.sources import Files

_MARK = "\ue000"
_ITSELF, _BAD = f"{_MARK}0", f"{_MARK}1"
_ESCAPED = re.compile("[\udc80-\udcff]+")
_AT_ONCE = 1 << 20


class Copies:
    """The copies in one folder, and what each file was like when it was copied."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._made: dict[str, tuple[Path, tuple[int, int, int]]] = {}

    def of(self, source: Files) -> Files:
        """The same files, copied."""
        for path in source.paths:
            self._copy(path)
        paths = tuple(str(self._made[path][0]) for path in source.paths)
        return Files(paths, source.format, source.table, source.header, source.delimiter)

    def renew(self) -> None:
        """Copy again what has changed."""
        for path, (_, before) in list(self._made.items()):
            if _likeness(path) != before:
                self._copy(path)

    def _copy(self, path: str) -> None:
        place = self._made[path][0] if path in self._made else self._next()
        self._made[path] = place, _likeness(path)
        opened: Any = open_compressed if path.endswith(".gz") else open
        decoder = getincrementaldecoder("utf-8")("surrogateescape")
        with opened(path, "rb") as file, open(place, "w", encoding="utf-8", newline="") as copy:
            while part := file.read(_AT_ONCE):
                copy.write(_marked(decoder.decode(part)))
            copy.write(_marked(decoder.decode(b"", final=True)))

    def _next(self) -> Path:
        return self._folder / f"copy_{len(self._made)}.csv"


def unmarked(column: str) -> str:
    """The SQL of a text of a copy: as it was, or NULL if it was not UTF-8."""
    text = f"REPLACE({column}, '{_ITSELF}', '{_MARK}')"
    return f"CASE WHEN NOT CONTAINS({column}, '{_BAD}') THEN {text} END"


def _marked(text: str) -> str:
    """A text with its bad bytes marked, and the mark itself told apart from that."""
    return _ESCAPED.sub(_BAD, text.replace(_MARK, _ITSELF))


def _likeness(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino
