"""Where the SQL of engines differs in more than spelling."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Forms:
    """How an engine is asked to do what engines do in different ways.

    ``enumerated``: texts are placed in a list by a type of their own, not by a join.
    ``windowed``: a person's rows are counted by a window over the rows themselves.  Otherwise they
    are put aside, counted, and joined with the counts; an engine that puts nothing aside would read
    the table twice for that.
    """

    enumerated: bool
    windowed: bool


DUCKDB = Forms(enumerated=True, windowed=False)
POSTGRES = Forms(enumerated=False, windowed=False)
SPARK = Forms(enumerated=False, windowed=True)
