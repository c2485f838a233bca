"""The answer as other programs and people read it: texts, typed frames, CSV and JSON."""

import csv
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from enum import Enum
from importlib import import_module
from io import StringIO
from math import isfinite
from typing import Any

from discreet.errors import DataError
from discreet.privacy.number_text import NumberText
from discreet.question.groupings import Label, label_text

_LARGEST = 2**63 - 1
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def points_aligned(column: Sequence[NumberText]) -> list[str]:
    """A column as texts whose decimal points stand below each other."""
    parts = [one.value.partition(".") for one in column]
    before = max((len(whole) for whole, _, _ in parts), default=0)
    behind = max((len(point + digits) for _, point, digits in parts), default=0)
    return [
        f"{whole:>{before}}{point + digits:<{behind}} {one.error}"
        for (whole, point, digits), one in zip(parts, column, strict=True)
    ]


def unique_labels(labels: Sequence[tuple[Label, ...]]) -> list[str]:
    """One name for each group, no two the same."""
    names = [", ".join(map(label_text, group)) for group in labels]
    if len(set(names)) < len(names):  # ("a, b", "c") and ("a", "b, c")
        names = [", ".join(repr(part) for part in group) for group in labels]
    return names


class ColumnType(Enum):
    """The type of an exported column."""

    TRUTH = "bool"
    WHOLE = "int64"
    REAL = "float64"
    DAY = "date"
    MOMENT = "datetime"
    TIME = "time"
    TEXT = "text"


_DATED_TYPES = {date: ColumnType.DAY, datetime: ColumnType.MOMENT, time: ColumnType.TIME}


def column_type(values: Iterable[Any], unknown: ColumnType = ColumnType.REAL) -> ColumnType:
    """The one type that holds every value; ``unknown`` where there are none but gaps.

    >>> [column_type(values).name for values in ([1, None, 2.5], [1, 2], [10**30], [None, None])]
    ['REAL', 'WHOLE', 'REAL', 'REAL']
    """
    types = {type(value) for value in values if value is not None}
    if not types:
        return unknown
    if types == {bool}:
        return ColumnType.TRUTH
    for dated, kind in _DATED_TYPES.items():
        if types == {dated}:
            return kind
    if types == {int} and all(value is not None and abs(value) <= _LARGEST for value in values):
        return ColumnType.WHOLE
    return ColumnType.REAL if types <= {int, float} else ColumnType.TEXT


def dated_column(texts: Sequence[str | None]) -> tuple[ColumnType, list[Any]]:
    """Texts of dates, of datetimes or of times of day, as such; a gap stays one.

    >>> dated_column(["2026-01-31"])[0].name, dated_column(["2026-01-31 10:00:00", None])[0].name
    ('DAY', 'MOMENT')
    """
    first = next((text for text in texts if text is not None), "")
    kind: type[date] | type[time] = date
    if ":" in first:
        kind = datetime if "-" in first else time
    return _DATED_TYPES[kind], [None if one is None else kind.fromisoformat(one) for one in texts]


Columns = Mapping[str, tuple[ColumnType, Sequence[Any]]]


def pandas_frame(columns: Columns, gapped: Collection[str] = ()) -> Any:
    """A pandas DataFrame; a gap is NaN or NaT, for which ``gapped`` columns have room anyhow."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise _missing("pandas") from None
    types = {
        ColumnType.TRUTH: bool,
        ColumnType.WHOLE: "int64",
        ColumnType.REAL: "float64",
        ColumnType.TEXT: str,
        ColumnType.TIME: object,
    }
    with_gaps = types | {ColumnType.TRUTH: "boolean", ColumnType.WHOLE: "Int64"}

    def dtype(name: str, kind: ColumnType, values: Sequence[Any]) -> Any:
        gaps = name in gapped or None in values
        return (with_gaps if gaps else types).get(kind, "datetime64[s]")

    return pandas.DataFrame(
        {
            name: pandas.Series(list(values), dtype=dtype(name, kind, values))
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
        ColumnType.TRUTH: polars.Boolean,
        ColumnType.WHOLE: polars.Int64,
        ColumnType.REAL: polars.Float64,
        ColumnType.DAY: polars.Date,
        ColumnType.MOMENT: polars.Datetime("us"),
        ColumnType.TIME: polars.Time,
        ColumnType.TEXT: polars.String,
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
        ColumnType.TRUTH: arrow.bool_(),
        ColumnType.WHOLE: arrow.int64(),
        ColumnType.REAL: arrow.float64(),
        ColumnType.DAY: arrow.date32(),
        ColumnType.MOMENT: arrow.timestamp("s"),
        ColumnType.TIME: arrow.time64("us"),
        ColumnType.TEXT: arrow.string(),
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
    writer.writerow(map(spreadsheet_safe, header))
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    return text.getvalue()


def spreadsheet_safe(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would run.

    >>> [spreadsheet_safe(text) for text in ("=1+1", "-5", "- none", "ICU")]
    ["'=1+1", '-5', "'- none", 'ICU']
    """
    starts = text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA)
    return f"'{text}" if starts and not _NUMBER.fullmatch(text) else text


def json_text(data: Mapping[str, Any]) -> str:
    """JSON, where an end that is not bounded is null: there is no infinity."""
    return json.dumps(_finite(data), ensure_ascii=False, indent=2, allow_nan=False)


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return spreadsheet_safe(value) if isinstance(value, str) else value


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value


def _read(values: Sequence[Any], kind: ColumnType) -> list[Any]:
    """Whole numbers among others are real ones too."""
    if kind is not ColumnType.REAL:
        return list(values)
    return [None if value is None else float(value) for value in values]


def _missing(library: str) -> DataError:
    return DataError(
        f"{library} is not installed. The answer is turned into its table. Install {library}, or "
        "use .to_dict(), .to_csv() or .save(…)."
    )
