"""The answer as other programs and people read it: texts, typed frames, CSV and JSON."""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import Enum
from fractions import Fraction
from importlib import import_module
from io import StringIO
from math import ceil, floor, inf, isfinite, isnan, log10
from typing import Any

from discreet.errors import DataError
from discreet.privacy.estimates import (
    NO_NUMBER,
    Estimate,
    FloatInterval,
    bounds_text,
    error_text,
    rank_text,
    value_text,
)
from discreet.question.groupings import Label, label_text

_USUAL = Fraction(95, 100)
_LARGEST = 2**63 - 1
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class NumberText:
    """A value and what stands beside it: its ±, or both bounds where they are not equally far."""

    value: str
    error: str

    @property
    def text(self) -> str:
        """Both."""
        return f"{self.value} {self.error}"


def printed(estimate: Estimate, confidence: Fraction, *, whole: bool) -> NumberText:
    """A number with its error; a ``whole`` one is a count, of which weighing made a fraction."""
    value, rank = estimate.value, ""
    if isinstance(value, float) and isnan(value):
        return NumberText(NO_NUMBER, "")
    if estimate.rank_error is not None:
        at = "" if confidence == _USUAL else " (95%)"  # a rank is guaranteed at no other level
        rank = f"{rank_text(estimate)}{at}"
        if not estimate.bounded:
            return NumberText(value_text(estimate), error_text(estimate) + at)
    if isinstance(value, str) and estimate.bounded:
        error = bounds_text(value, *usual_noise(estimate, confidence))
        error += " counted" if estimate.counted else ""
        marked = f"{error}, {rank}" if rank else error
        return NumberText(value, marked if estimate.safe else f"{marked} UNSAFE: seeded noise")
    if estimate.exact or not isinstance(value, int | float):
        return NumberText(value_text(estimate), error_text(estimate))
    lower, upper = noise = usual_noise(estimate, confidence)
    below, above = value - lower, upper - value
    step = _step(max(below, above), whole=whole)
    if 5 * min(below, above) < 4 * max(below, above) < inf:
        error = f"between {_digits(lower, step)} and {_digits(upper, step)}"
    elif whole and isfinite(above):
        error = f"± {ceil(round(max(below, above), 6)):,}"
    else:
        error = f"± {_digits(max(below, above), step)}"
    if estimate.truth is not None:
        error += _truth(usual_interval(estimate, confidence), noise, step)
        error += " (likely)" if estimate.likely else ""
    error += " counted" if estimate.counted else ""
    error += f", {rank}" if rank else ""
    marked = error if estimate.safe else f"{error} UNSAFE: seeded noise"
    return NumberText(_digits(value, step), marked)


def _truth(truth: FloatInterval, noise: FloatInterval, step: int | None) -> str:
    """Where the truth lies, if that is not where the noise says; ends are rounded outwards."""
    least, most = _outward(truth, step)
    if (least, most) == _outward(noise, step):
        return ""
    low, high = truth
    if low == -inf:
        return (
            " counted, no bound in truth" if high == inf else f" counted, at most {most} in truth"
        )
    ends = f"at least {least}" if high == inf else f"{least} to {most}"
    return f" counted, {ends} in truth"


def _outward(ends: FloatInterval, step: int | None) -> tuple[str, str]:
    """Both ends, rounded to a power of ten away from each other."""
    size = 10.0 ** (step or 0)
    if step is None or not all(isfinite(end / size) for end in ends if isfinite(end)):
        return _digits(ends[0], step), _digits(ends[1], step)
    low, high = (round(end / size, 6) if isfinite(end) else end for end in ends)
    least = floor(low) * size if isfinite(low) else low
    most = ceil(high) * size if isfinite(high) else high
    return _digits(least, step), _digits(most, step)


def usual_noise(estimate: Estimate, confidence: Fraction) -> FloatInterval:
    """The same of the noise alone."""
    return (
        estimate.noise_interval() if confidence == _USUAL else estimate.noise_interval(confidence)
    )


def usual_interval(estimate: Estimate, confidence: Fraction) -> FloatInterval:
    """The interval of an estimate, which keeps the one at 95%."""
    return estimate.interval() if confidence == _USUAL else estimate.interval(confidence)


def points_aligned(column: Sequence[NumberText]) -> list[str]:
    """A column as texts whose decimal points stand below each other."""
    parts = [one.value.partition(".") for one in column]
    before = max((len(whole) for whole, _, _ in parts), default=0)
    behind = max((len(point + digits) for _, point, digits in parts), default=0)
    return [
        f"{whole:>{before}}{point + digits:<{behind}} {one.error}"
        for (whole, point, digits), one in zip(parts, column, strict=True)
    ]


def _step(margin: float, *, whole: bool) -> int | None:
    """The power of ten to which a number is rounded, so that two digits of its error are left."""
    if whole:
        return 0
    return floor(log10(margin)) - 1 if 0 < margin < inf else None


def _digits(number: float, step: int | None) -> str:
    """A number, rounded to a power of ten; to six digits where there is none.

    >>> _digits(1234567, 3), _digits(25.4871, -3), _digits(12, -1), _digits(-0.3, 0)
    ('1,235,000', '25.487', '12', '0')
    """
    if not isfinite(number):
        return {inf: "∞", -inf: "-∞"}.get(number, "nan")
    if isinstance(number, int) and (step is None or step <= 0):
        return f"{number:,}"
    text = f"{number:,.6g}" if step is None else f"{round(number, -step):,.{max(0, -step)}f}"
    return text if text.strip("-0.,") else text.removeprefix("-")


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


def pandas_frame(columns: Columns) -> Any:
    """A pandas DataFrame; a gap is NaN or NaT."""
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
    gapped = types | {ColumnType.TRUTH: "boolean", ColumnType.WHOLE: "Int64"}

    def dtype(kind: ColumnType, values: Sequence[Any]) -> Any:
        return (gapped if None in values else types).get(kind, "datetime64[s]")

    return pandas.DataFrame(
        {
            name: pandas.Series(list(values), dtype=dtype(kind, values))
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
