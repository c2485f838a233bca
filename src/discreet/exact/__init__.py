"""Exact arithmetic: rationals as they were written, enclosures of reals, the public grid."""

from discreet.exact.enclosure import exp_minus, logarithm, square_root
from discreet.exact.rational import (
    Grid,
    Range,
    Rounding,
    decimal_above,
    decimal_text,
    exact_text,
    named_number_text,
    percent_text,
    rational,
    round_up,
    short_text,
)

__all__ = [
    "Grid",
    "Range",
    "Rounding",
    "decimal_above",
    "decimal_text",
    "exact_text",
    "exp_minus",
    "logarithm",
    "named_number_text",
    "percent_text",
    "rational",
    "round_up",
    "short_text",
    "square_root",
]
