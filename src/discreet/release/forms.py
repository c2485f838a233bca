"""The answer as other programs read it: typed frames, CSV and JSON, all with the same numbers."""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from enum import Enum
from importlib import import_module
from io import StringIO
from math import isfinite
from typing import Any

from discreet.errors import DataError

_LARGEST = 2**63 - 1
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


class Kind(Enum):
    """What a column holds."""

    TRUTH = "bool"
    WHOLE = "int64"
    REAL = "float64"
    DAY = "date"
    TEXT = "text"


def kind_of(values: Iterable[Any], unknown: Kind = Kind.REAL) -> Kind:
    """The one type that holds every value; ``unknown`` where there are none but gaps.

    >>> kind_of([1, None, 2.5]), kind_of([1, 2]), kind_of([10**30]), kind_of([None, None])
    (<Kind.REAL: 'float64'>, <Kind.WHOLE: 'int64'>, <Kind.REAL: 'float64'>, <Kind.REAL: 'float64'>)
    """
    found = {type(value) for value in values if value is not None}
    if not found:
        return unknown
    if found == {bool}:
        return Kind.TRUTH
    if found == {date}:
        return Kind.DAY
    if found == {int} and all(value is not None and abs(value) <= _LARGEST for value in values):
        return Kind.WHOLE
    return Kind.REAL if found <= {int, float} else Kind.TEXT


Columns = Mapping[str, tuple[Kind, Sequence[Any]]]


def pandas_frame(columns: Columns) -> Any:
    """A pandas DataFrame; a gap is NaN or NaT."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise _missing("pandas") from None
    types = {Kind.TRUTH: bool, Kind.WHOLE: "int64", Kind.REAL: "float64", Kind.TEXT: str}
    return pandas.DataFrame(
        {
            name: pandas.Series(list(values), dtype=types.get(kind, "datetime64[s]"))
            for name, (kind, values) in columns.items()
        }
    )


def polars_frame(columns: Columns) -> Any:
    """A Polars DataFrame; a gap is null."""
    try:
        polars: Any = import_module("polars")
    except ImportError:
        raise _missing("polars") from None
    types = {
        Kind.TRUTH: polars.Boolean,
        Kind.WHOLE: polars.Int64,
        Kind.REAL: polars.Float64,
        Kind.DAY: polars.Date,
        Kind.TEXT: polars.String,
    }
    return polars.DataFrame(
        [
            polars.Series(name, _read(values, kind), dtype=types[kind])
            for name, (kind, values) in columns.items()
        ]
    )


def arrow_table(columns: Columns) -> Any:
    """An Arrow table; a gap is null."""
    try:
        arrow: Any = import_module("pyarrow")
    except ImportError:
        raise _missing("pyarrow") from None
    types = {
        Kind.TRUTH: arrow.bool_(),
        Kind.WHOLE: arrow.int64(),
        Kind.REAL: arrow.float64(),
        Kind.DAY: arrow.date32(),
        Kind.TEXT: arrow.string(),
    }
    return arrow.table(
        {
            name: arrow.array(_read(values, kind), type=types[kind])
            for name, (kind, values) in columns.items()
        }
    )


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV that a spreadsheet opens without running anything.

    A text that a spreadsheet would take for a formula (it starts with = + - @ or a control
    character) gets an apostrophe in front.  Numbers are written as they are, also negative ones.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(guarded, header))
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    return text.getvalue()


def guarded(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would run.

    >>> guarded("=1+1"), guarded("-5"), guarded("- none"), guarded("ICU")
    ("'=1+1", '-5', "'- none", 'ICU')
    """
    starts = text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA)
    return f"'{text}" if starts and not _NUMBER.fullmatch(text) else text


def json_text(data: Mapping[str, Any]) -> str:
    """JSON, where an end that is not bounded is null: there is no infinity."""
    return json.dumps(_finite(data), ensure_ascii=False, indent=2, allow_nan=False)


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return guarded(value) if isinstance(value, str) else value


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value


def _read(values: Sequence[Any], kind: Kind) -> list[Any]:
    """Whole numbers among others are real ones too."""
    if kind is not Kind.REAL:
        return list(values)
    return [None if value is None else float(value) for value in values]


def _missing(library: str) -> DataError:
    return DataError(
        f"{library} is not installed. The answer is turned into its table. Install {library}, or "
        "use .to_dict(), .to_csv() or .save(…)."
    )
