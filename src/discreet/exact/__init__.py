"""Exact arithmetic: rationals as they were written, enclosures of reals, the public grid."""

from discreet.exact.enclosure import exp_minus, logarithm, square_root
from discreet.exact.grid import Grid, Range, Rounding
from discreet.exact.rational import decimal_text, rational, round_up, stated

__all__ = [
    "Grid",
    "Range",
    "Rounding",
    "decimal_text",
    "exp_minus",
    "logarithm",
    "rational",
    "round_up",
    "square_root",
    "stated",
]
