"""Floats as they are kept: with as many digits as every machine agrees on."""

import re

_DIGITS = 11
_LONG = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?(?![\w.]|\s*/)")


def steady(text: str) -> str:
    """A text in which floats have at most eleven digits; what machines compute differs behind.

    >>> steady('{"n": 12, "share": 0.30000000000000004, "text": "0.1.0"}')
    '{"n": 12, "share": 0.3, "text": "0.1.0"}'
    """
    return _LONG.sub(_rounded, text)


def _rounded(found: re.Match[str]) -> str:
    text = found.group()
    digits = text.partition("e")[0].lstrip("-0.").replace(".", "")
    return text if len(digits) <= _DIGITS else repr(float(f"{float(text):.{_DIGITS - 1}e}"))
