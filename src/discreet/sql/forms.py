"""Where the SQL of engines differs in more than spelling."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Forms:
    """How an engine is asked to do what engines do in different ways.

    ``enumerated``: texts are placed in a list by a type of their own, not by a join.
    """

    enumerated: bool


DUCKDB = Forms(enumerated=True)
POSTGRES = Forms(enumerated=False)
