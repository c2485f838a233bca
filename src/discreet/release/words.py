"""What was asked and what the price means, in words that need no course in privacy."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, floor, log10

from discreet.measures.measure import Aggregate, joined
from discreet.release.certificate import Certificate

_LARGEST_EPSILON = 20


def asked_in_words(
    certificate: Certificate,
    asked: Sequence[Aggregate | None],
    keys: Sequence[str],
    condition: str,
) -> str:
    """The question as a sentence; ``asked`` are the statistics of what the certificate lists."""
    phrases = [
        one["asks"] if aggregate is None else aggregate.in_words(certificate.unit)
        for one, aggregate in zip(certificate.mechanisms, asked, strict=True)
    ]
    listed = joined(list(dict.fromkeys(phrases)))
    each = f", for each {joined(keys)}" if keys else ""
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


def _up(number: float, digits: int) -> str:
    """So many digits, never below the number: a promise is not rounded in its own favor.

    >>> _up(2.71828, 3), _up(1.1051709, 3), _up(22026.46, 3)
    ('2.72', '1.11', '22,100')
    """
    step = Fraction(10) ** (floor(log10(number)) - digits + 1)
    rounded = -(-Fraction(number) // step) * step
    return f"{float(rounded):,.{max(0, digits - 1 - floor(log10(number)))}f}"
