"""Where the SQL of engines differs in more than spelling."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Forms:
    """How an engine is asked to do what engines do in different ways.

    ``enumerated``: texts are placed in a list by a type of their own, not by a join.
    ``set_aside``: rows that are used twice are read once and kept; otherwise weights are counted
    over a window, so that nothing is used twice.
    """

    enumerated: bool
    set_aside: bool


DUCKDB = Forms(enumerated=True, set_aside=True)
POSTGRES = Forms(enumerated=False, set_aside=True)
SPARK = Forms(enumerated=False, set_aside=False)
