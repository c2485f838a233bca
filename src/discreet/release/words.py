"""What was asked and what the price means, in words that need no course in privacy."""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import exp, floor, log10

from discreet.release.certificate import Certificate

_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_ASKED = {
    "rows": "the number of rows",
    "count": "the number of rows that have {of}",
    "sum": "the sum of {of}",
    "mean": "the mean of {of}",
    "var": "the variance of {of}",
    "std": "the standard deviation of {of}",
    "min": "about the smallest {of}",
    "max": "about the largest {of}",
    "n_unique": "the number of different values of {of}",
}
_FROM_ZERO = ("people", "rows", "count", "sum", "n_unique")
_LARGEST_EPSILON = 20


def from_zero(asks: str) -> bool:
    """Whether an output adds up rows, so that a bar from 0 shows it truly."""
    return asks.partition("(")[0] in _FROM_ZERO


def counts(asks: str) -> bool:
    """Whether an output counts something, so that the truth is never below 0."""
    return from_zero(asks) and not asks.startswith("sum(")


def asked_in_words(certificate: Certificate, keys: Sequence[str]) -> str:
    """The question as a sentence."""
    phrases = [_phrase(one["asks"], certificate.unit) for one in certificate.mechanisms]
    listed = _joined(list(dict.fromkeys(phrases)))
    each = f", for each {_joined(list(keys))}" if keys else ""
    condition = _condition(certificate.question)
    where = f", counting only rows where {condition}" if condition else ""
    return f"{listed[:1].upper()}{listed[1:]} in {certificate.table}{each}{where}."


def protected(certificate: Certificate) -> str:
    """Whom the price protects, with the caps that it counts on."""
    if certificate.unit == "row":
        return "each single row of the table"
    limits = []
    if certificate.max_groups is not None:
        limits.append(f"in at most {certificate.max_groups:,} groups")
    if certificate.max_rows is not None:
        limits.append(f"for at most {certificate.max_rows:,} rows")
    caps = f". One counts {' and '.join(limits)}; who has more is weighed down" if limits else ""
    return f"each {certificate.unit}, all rows of one together{caps}"


def price_in_words(certificate: Certificate) -> list[str]:
    """What ε, and δ where there is one, promise: true sentences, the simplest that are."""
    epsilon = float(Fraction(certificate.epsilon.removeprefix("≈")))
    if epsilon == 0 and certificate.delta == "0":
        return ["Nothing is learned about any row: the answer is the same whatever one row holds."]
    one = "row" if certificate.unit == "row" else certificate.unit
    added = certificate.neighbors == "add-remove"
    changed = f"Whether one {one} is in the table or not" if added else f"What one {one} holds"
    if epsilon > _LARGEST_EPSILON:
        factor = "by a factor of more than 400 million, which protects nobody"
    else:
        factor = f"by a factor of at most {_up(exp(epsilon), 3)}"
    power = f"e to the power of {certificate.price.partition(',')[0]}"
    if certificate.delta != "0":
        return [
            f"{changed} changes how likely any answer was {factor} ({power}), and by no more than "
            f"δ = {certificate.delta} beyond that."
        ]
    sentences = [f"{changed} changes how likely any answer was {factor} ({power})."]
    if epsilon <= _LARGEST_EPSILON:
        most = _up(100 * exp(epsilon) / (1 + exp(epsilon)), 3 if epsilon > 2.2 else 2)
        about = (
            f"that a certain {one} is in the table"
            if added
            else f"about which of two things a certain {one} holds"
        )
        sentences.append(
            f"Somebody who was 50% sure {about}, and knows all the others, can be at most {most}% "
            "sure after reading this."
        )
    return sentences


def _phrase(asks: str, unit: str) -> str:
    statistic, _, rest = asks.partition("(")
    of = rest.removesuffix(")")
    if statistic == "people":
        return "the number of rows" if unit == "row" else f"the number of different {unit}"
    if statistic == "quantile":
        of, *levels = re.split(r", (?=[0-9./]+(?:,|$))", of)
        named = ["the median" if one in ("0.5", "1/2") else f"the {one}-quantile" for one in levels]
        return f"{_joined(named)} of {of}"
    return _ASKED.get(statistic, asks).format(of=of) if statistic in _ASKED else asks


def _condition(question: str) -> str:
    """What stands between WHERE and GROUP BY; what is quoted cannot pretend to be either."""
    masked = _QUOTED.sub(lambda found: "_" * len(found[0]), question)
    start = masked.find(" WHERE ")
    if start < 0:
        return ""
    ends = [place for end in (" GROUP BY ", " TOP ") if (place := masked.find(end, start)) >= 0]
    return question[start + len(" WHERE ") : min(ends, default=len(question))]


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _up(number: float, digits: int) -> str:
    """So many digits, never below the number: a promise is not rounded in its own favor.

    >>> _up(2.71828, 3), _up(1.1051709, 3), _up(22026.46, 3)
    ('2.72', '1.11', '22,100')
    """
    step = Fraction(10) ** (floor(log10(number)) - digits + 1)
    rounded = -(-Fraction(number) // step) * step
    return f"{float(rounded):,.{max(0, digits - 1 - floor(log10(number)))}f}"
