"""The naive twin of functions and casts: plain Python, one value at a time; None is missing."""

import datetime
import math
import re
from fractions import Fraction
from typing import Any

_EPOCH = datetime.date(1970, 1, 1)
_OF_CLOCKS = ("HOUR", "MINUTE", "SECOND", "DATE", "TIME", "MIDNIGHT", "EPOCH", "MOMENT")
_TRUE, _FALSE = {"true", "t", "yes", "y", "1"}, {"false", "f", "no", "n", "0"}


def applied(function: str, value: Any, parameters: tuple[Fraction | str, ...]) -> Any:
    """A function of a value."""
    if value is None:
        return None
    if function in ("SQRT", "LN", "LOG10", "EXP", "POWER"):
        return _numeric(function, value, parameters)
    if function in _OF_CLOCKS or parameters[:1] in (("hour",), ("minute",), ("second",)):
        return _timed(function, value, parameters)
    if function in ("DATE_TRUNC", "CALENDAR") or isinstance(value, float):
        return _dated(function, value, parameters)
    return _textual(function, value, parameters)


def _numeric(function: str, value: float, parameters: tuple[Any, ...]) -> float | None:
    try:
        match function:
            case "SQRT":
                return math.sqrt(value)
            case "LN":
                return math.log(value)
            case "LOG10":
                return math.log10(value)
            case "EXP":
                return math.exp(value)
            case _ if value < 0 and parameters[0].denominator != 1:
                return None
            case _:
                return math.pow(value, float(parameters[0]))
    except ValueError:
        return None
    except OverflowError:
        odd = function == "POWER" and parameters[0] % 2 == 1
        return -math.inf if odd and value < 0 else math.inf


def _textual(function: str, value: str, parameters: tuple[Any, ...]) -> Any:
    places = [int(one) for one in parameters if isinstance(one, Fraction)]
    match function:
        case "LOWER":
            return value.lower()
        case "UPPER":
            return value.upper()
        case "TRIM":
            return value.strip(" ")
        case "LENGTH":
            return float(len(value))
        case "SUBSTRING":
            rest = value[places[0] - 1 :]
            return rest if len(places) == 1 else rest[: places[1]]
        case "RIGHT":
            return "".join(reversed("".join(reversed(value))[: places[0]]))
        case "CONTAINS":
            return parameters[0] in value
    letters = {"%": ".*", "_": "."}
    pattern = "".join(letters.get(one, re.escape(one)) for one in parameters[0])
    ignore = re.IGNORECASE if function == "ILIKE" else 0
    return re.fullmatch(pattern, value, re.DOTALL | ignore) is not None


def _dated(function: str, value: float, parameters: tuple[Any, ...]) -> float | None:
    try:
        date = _EPOCH + datetime.timedelta(days=math.floor(value))
    except OverflowError:
        return None
    if function == "CALENDAR":
        return days(date)
    if function == "DATE_TRUNC":
        unit = parameters[0]
        if unit == "week":
            return days(datetime.date.fromordinal(date.toordinal() - date.weekday()))
        if unit == "quarter":
            date = date.replace(month={0: 1, 1: 4, 2: 7, 3: 10}[(date.month - 1) // 3])
        date = date.replace(month=1) if unit == "year" else date
        return days(date if unit == "day" else date.replace(day=1))
    found = {
        "YEAR": date.year,
        "QUARTER": (date.month - 1) // 3 + 1,
        "MONTH": date.month,
        "DAY": date.day,
        "DAYOFWEEK": int(date.strftime("%w")),
        "ISODOW": date.isoweekday(),
        "DAYOFYEAR": int(date.strftime("%j")),
        "WEEK": date.isocalendar()[1],
    }
    return float(found[function])


def _timed(function: str, value: float, parameters: tuple[Any, ...]) -> float | None:
    """By whole numbers, also beyond the calendar; MOMENT alone asks for it."""
    if function == "MIDNIGHT":
        return value * 86_400
    if math.isinf(value):  # an infinity less another one is nothing
        return None if function in ("HOUR", "MINUTE", "SECOND", "TIME", "MOMENT") else value
    seconds = math.floor(value)
    minutes, hours, day = seconds // 60, seconds // 3600, seconds // 86_400
    match function:
        case "HOUR":
            return float(hours % 24)
        case "MINUTE":
            return float(minutes % 60)
        case "SECOND":
            return float(seconds % 60)
        case "DATE":
            return float(day)
        case "TIME":
            return float(seconds % 86_400)
        case "EPOCH":
            return value
        case "MOMENT":
            return None if _dated("CALENDAR", float(day), ()) is None else float(seconds)
    return float({"hour": hours * 3600, "minute": minutes * 60, "second": seconds}[parameters[0]])


def days(date: datetime.date) -> float:
    return float((date - _EPOCH).days)


def converted(to: str, text: str | None) -> Any:
    """What a text says."""
    if text is None:
        return None
    if to == "BOOLEAN":
        folded = text.strip().lower()
        return True if folded in _TRUE else False if folded in _FALSE else None
    try:
        if to == "DATE":
            return days(datetime.date.fromisoformat(text[:10]))
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
