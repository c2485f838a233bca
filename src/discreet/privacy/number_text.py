"""A released number as people read it: the one text of a number and its error, in every form.

The error has two digits, rounded outward: it is never smaller than it is.  The value is rounded to
the same place.  A count stays whole, so that counts add up to their totals, and no whole number has
decimals.  Ends of intervals are rounded away from each other.  Dates are as they were released.
Files for programs hold exact numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from math import ceil, floor, inf, log10
from typing import Any

NO_NUMBER = "–"
"""What stands where there is no number: a quotient by nothing, the change of the first group."""
_EXACT = Context(prec=1_200)
"""More digits than a float has."""
_FLOAT_ERROR = Decimal(2) ** -50
_LEAST_DIGITS = Decimal(2) ** -20
"""How far the ends of an interval, which are floats, may be off: a part of the value, and no more
than this part of what is shown."""


@dataclass(frozen=True, slots=True)
class NumberText:
    """A value and what stands beside it: its ±, or both bounds where they are not equally far."""

    value: str
    error: str

    @property
    def text(self) -> str:
        """Both."""
        return f"{self.value} {self.error}".rstrip()

    def followed_by(self, more: str) -> "NumberText":
        """The same with more behind the error, if there is any."""
        return NumberText(self.value, f"{self.error}{more}")


def number_text(value: Any, ends: tuple[Any, Any], *, whole: bool = False) -> NumberText:
    """A value with the interval of its noise; ``whole``: a count, which is whole in print.

    >>> number_text(25.4871, (25.4658, 25.5084)).text, number_text(10003, (10000, 10006)).text
    ('25.487 ± 0.022', '10,003 ± 3')
    >>> number_text(38.2, (0.0, 120.0)).text, number_text(0.4, (0.25, float("inf"))).text
    ('38 between 0 and 120', '0.40 at least 0.25')
    >>> number_text(1105, (939, 1271), whole=True).text, number_text(1105, (939, 1271)).text
    ('1,105 ± 170', '1,100 ± 170')
    >>> number_text("2026-03-01", ("2026-02-27", "2026-03-03")).text
    '2026-03-01 ± 2 days'
    """
    if value != value:  # noqa: PLR0124
        return NumberText(NO_NUMBER, "")
    lower, upper = ends
    below, above = distance(lower, value), distance(value, upper)
    margin = max(below, above)
    uneven = 5 * min(below, above) < 4 * margin < inf
    if isinstance(value, str):
        error = f"between {lower} and {upper}" if uneven else f"± {_span_text(value, margin)}"
        return NumberText(value, error)
    step = interval_step(value, ends, whole=whole)
    least, most = ends_text(ends, step)
    if uneven:
        error = f"between {least} and {most}"
    elif margin < inf:
        size = max(map(abs, (value, lower, upper)))
        error = f"± {margin_text(margin, whole=whole or isinstance(value, int), size=size)}"
    elif below < inf:
        error = f"at least {least}"
    else:
        error = f"at most {most}" if above < inf else "± ∞"
    return NumberText(value_text(value, step), error)


def interval_step(value: float, ends: tuple[float, float], *, whole: bool = False) -> int | None:
    """The power of ten to which a number with this interval is rounded; None where none fits."""
    if whole:
        return 0
    sides = [side for side in (value - ends[0], ends[1] - value) if side < inf]
    return rounding_step(max(sides, default=inf), whole=isinstance(value, int))


def rounding_step(margin: float, *, whole: bool = False) -> int | None:
    """The power of ten that leaves two digits of a margin.

    >>> rounding_step(0.0213), rounding_step(0.0996), rounding_step(1497866), rounding_step(0)
    (-3, -2, 5, None)
    """
    if not 0 < margin < inf:
        return 0 if whole else None
    step = floor(log10(margin)) - 1
    if _quantized(margin, step, ROUND_CEILING).scaleb(-step) >= 100:
        step += 1
    return max(0, step) if whole else step


def margin_text(margin: float, *, whole: bool = False, size: float = 0) -> str:
    """Two digits of a margin, never less than it is; ``size`` is that of the floats it is between.

    >>> margin_text(0.0213), margin_text(3), margin_text(3.2, whole=True), margin_text(1497866)
    ('0.022', '3', '4', '1,500,000')
    >>> margin_text(0), margin_text(float("inf"))
    ('0', '∞')
    """
    step = rounding_step(margin, whole=whole or isinstance(margin, int))
    return _rounded(margin, step, ROUND_CEILING, max(margin, size))


def value_text(value: float, step: int | None) -> str:
    """A value at its place; to six digits where there is none."""
    return _rounded(value, step, ROUND_HALF_EVEN)


def ends_text(ends: Sequence[float], step: int | None) -> tuple[str, str]:
    """Both ends of an interval, rounded away from each other.

    >>> ends_text((0.3, 1.21), -1), ends_text((-float("inf"), 5), 0)
    (('0.3', '1.3'), ('-∞', '5'))
    """
    lower, upper = ends
    return (
        _rounded(lower, step, ROUND_FLOOR, abs(lower)),
        _rounded(upper, step, ROUND_CEILING, abs(upper)),
    )


def _rounded(number: float, step: int | None, rounding: str, size: float = 0) -> str:
    """A number, rounded to a power of ten; ``size`` is that of the floats it was computed from."""
    if abs(number) == inf:
        return "∞" if number > 0 else "-∞"
    if step is None or (isinstance(number, int) and step <= 0):
        return f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"
    text = f"{_quantized(number, step, rounding, size):,f}"
    return text if text.strip("-0.,") else text.removeprefix("-")  # a rounded -0.3 is 0


def _quantized(number: float, step: int, rounding: str, size: float = 0) -> Decimal:
    exact = Decimal(number)
    slack = min(Decimal(size) * _FLOAT_ERROR, abs(exact) * _LEAST_DIGITS)
    if rounding == ROUND_CEILING:
        slack = -slack
    return _EXACT.add(exact, slack).quantize(Decimal((0, (1,), step)), rounding, _EXACT)


def _span_text(value: str, margin: float) -> str:
    """A span around a date, which is in days, or around a datetime, in the unit that fits it.

    >>> _span_text("2026-02-27", 1), _span_text("2026-02-27 10:00:00", 5400)
    ('1 day', '90 minutes')
    """
    size, unit = 1, "day"
    if ":" in value:
        units = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
        size, unit = next((one for one in units if margin >= 2 * one[0]), (1, "second"))
    many = ceil(margin / size)
    return f"1 {unit}" if many == 1 else f"{many:,} {unit}s"


def distance(first: Any, second: Any) -> float:
    """How far the second of two values is above the first: of dates in days.

    Of datetimes and times of day it is in seconds.

    >>> distance(2, 5), distance("2026-02-27", "2026-03-03")
    (3, 4)
    >>> distance("2026-02-27 10:00:00", "2026-02-27 10:01:30"), distance("10:00:00", "10:01:30")
    (90, 90)
    """
    if isinstance(first, str):
        apart_by = _moment(second) - _moment(first)
        return apart_by // timedelta(seconds=1) if ":" in first else apart_by.days
    apart: float = second - first
    return apart


def _moment(text: str) -> datetime:
    """A date, a datetime or a time of day as a moment; times are those of one day."""
    return datetime.fromisoformat(text if "-" in text else f"1970-01-01 {text}")


def rank_text(records: float, *, behind: bool = False) -> str:
    """How far off a rank is at most, or how far a chosen category is ``behind`` the fullest.

    >>> rank_text(23.8), rank_text(float("inf")), rank_text(5, behind=True)
    ('rank ± 24', 'rank ± ∞', 'behind the fullest by at most 5')
    """
    size = margin_text(records, whole=True)
    return f"behind the fullest by at most {size}" if behind else f"rank ± {size}"


def plural(number: int, what: str, several: str = "") -> str:
    """A number of things.

    >>> plural(1, "question"), plural(2000, "question"), plural(2, "entry", "entries")
    ('1 question', '2,000 questions', '2 entries')
    """
    return f"{number:,} {what if number == 1 else several or f'{what}s'}"


def truth_text(truth: tuple[float, float], noise: tuple[float, float], step: int | None) -> str:
    """Where the truth lies, if that is not where the noise says.

    >>> truth_text((0.0, 12.34), (10.0, 14.0), -1), truth_text((1.0, 2.0), (1.0, 2.0), 0)
    (' counted, 0.0 to 12.4 in truth', '')
    """
    least, most = ends_text(truth, step)
    if (least, most) == ends_text(noise, step):
        return ""
    low, high = (abs(end) < inf for end in truth)
    if low and high:
        return f" counted, {least} to {most} in truth"
    if low or high:
        return f" counted, {f'at least {least}' if low else f'at most {most}'} in truth"
    return " counted, no bound in truth"
