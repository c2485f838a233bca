"""A released number as text, to the digits that its error leaves meaning."""

from math import floor, inf, log10


def number_text(value: int | float, margin: float | None) -> str:
    """The value to two digits of its margin; six digits where there is no margin.

    >>> number_text(25.4871, 0.0213), number_text(10003, 3), number_text(0.1 + 0.2, None)
    ('25.487', '10,003', '0.3')
    """
    if isinstance(value, int):
        return f"{value:,}"
    decimals = _decimals(margin)
    return f"{value:,.6g}" if decimals is None else f"{value:,.{decimals}f}"


def margin_text(margin: int | float | None) -> str:
    """The margin to two digits.

    >>> margin_text(0.0213), margin_text(3), margin_text(float("inf"))
    ('0.021', '3', '∞')
    """
    if isinstance(margin, int):
        return f"{margin:,}"
    decimals = _decimals(margin)
    if margin is None or decimals is None:
        return "0" if margin == 0 else "∞"
    return f"{margin:,.{decimals}f}"


def interval_text(value: int | float, lower: float, upper: float) -> str:
    """The value with its margin, or with both bounds where they are not equally far.

    >>> interval_text(25.4871, 25.4658, 25.5084), interval_text(38.2, 0.0, 120.0)
    ('25.487 ± 0.021 (95%)', '38 between 0 and 120 (95%)')
    """
    margin = max(value - lower, upper - value)
    return f"{number_text(value, margin)} {bounds_text(value, lower, upper)} (95%)"


def bounds_text(value: int | float, lower: float, upper: float) -> str:
    """What stands beside a value: ± where both bounds are about equally far, else both.

    >>> bounds_text(25.4871, 25.4658, 25.5084), bounds_text(38.2, 0.0, 120.0)
    ('± 0.021', 'between 0 and 120')
    """
    below, above = value - lower, upper - value
    margin = max(below, above)
    if margin < inf and 5 * min(below, above) < 4 * margin:
        return f"between {number_text(lower, margin)} and {number_text(upper, margin)}"
    return f"± {margin_text(margin)}"


def records_text(records: float) -> str:
    """A number of records, rounded.

    >>> records_text(23.77), records_text(float("inf"))
    ('24 records', '∞ records')
    """
    return f"{records:,.0f} records" if records < inf else "∞ records"


def _decimals(margin: float | None) -> int | None:
    """How many decimals show two digits of the margin; None where there is none to show."""
    if margin is None or not 0 < margin < inf:
        return None
    return max(0, 1 - floor(log10(margin)))
