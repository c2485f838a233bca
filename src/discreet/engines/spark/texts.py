"""Texts as Spark is to write and compare them: constants, small and large letters, floats."""

import re
from functools import cache

_PLAIN = re.compile(r"[A-Za-z0-9_ .,:+-]*")


def literal(text: str) -> str:
    """A text constant.  Signs that a setting gives a meaning to, \\ and ${…}, go in as bytes."""
    if _PLAIN.fullmatch(text):
        return f"'{text}'"
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def lowered(text: str) -> str:
    """A text in small letters, sign by sign: how a letter looks at the end of a word is no part."""
    return _mapped(text, *_letters(upper=False))


def lower(text: str) -> str:
    """The same of a text that is known here.

    >>> lower("ÄΣ İ")
    'äσ i'
    """
    return text.translate(str.maketrans(*_letters(upper=False)))


def raised(text: str) -> str:
    """A text in large letters, sign by sign: no letter becomes two."""
    return _mapped(text, *_letters(upper=True))


def _mapped(text: str, signs: str, others: str) -> str:
    return f"TRANSLATE({text}, {literal(signs)}, {literal(others)})"


_SPECIAL = {"ß": "ẞ", "İ": "i"}
_OPPOSITE = {True: "İ", False: "ß"}


@cache
def _letters(*, upper: bool) -> tuple[str, str]:
    """Every letter that has another one beside it, and that other one."""
    signs, others = [], []
    for number in range(0x110000):
        sign = chr(number)
        ways = (sign.upper(), sign.title()) if upper else (sign.lower(),)
        other = _SPECIAL.get(sign) or next((one for one in ways if len(one) == 1), sign)
        if other != sign and sign != _OPPOSITE[upper]:
            signs.append(sign)
            others.append(other)
    return "".join(signs), "".join(others)


def float_text(text: str) -> str:
    """How a float is written: with a point or an exponent, as 0.0001, 1e+16 and 1.5e-05.

    ``text`` is how Java writes it, which has an exponent from 10^7 on and below 0.001.
    """
    mantissa = f"REGEXP_REPLACE(SUBSTRING_INDEX({text}, 'E', 1), '[.]0$', '')"
    power = f"CAST(SUBSTRING_INDEX({text}, 'E', -1) AS INT)"
    sign = f"CASE WHEN {power} < 0 THEN 'e-' ELSE 'e+' END"
    # From 10^7 to 10^16, and from 0.0001 to 0.001: no exponent, and up to 21 digits in all.
    plain = f"CAST(CAST({text} AS DECIMAL(38, 21)) AS STRING)"
    trimmed = f"REGEXP_REPLACE(REGEXP_REPLACE({plain}, '0+$', ''), '[.]$', '.0')"
    return (
        f"CASE WHEN {text} LIKE '%Infinity' THEN REPLACE({text}, 'Infinity', 'inf') "
        f"WHEN {text} NOT LIKE '%E%' THEN {text} "
        f"WHEN {power} BETWEEN -4 AND 15 THEN {trimmed} "
        f"ELSE {mantissa} || {sign} || LPAD(CAST(ABS({power}) AS STRING), "
        f"GREATEST(2, LENGTH(CAST(ABS({power}) AS STRING))), '0') END"
    )
