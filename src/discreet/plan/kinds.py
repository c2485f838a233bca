"""The kinds of value that a row expression can have."""

from enum import StrEnum


class Kind(StrEnum):
    """The kinds of value.  A date is counted in days, and compared with dates only."""

    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "true or false"
    TEXT = "text"
    NOTHING = "nothing"
