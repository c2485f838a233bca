"""Which two data sets count as neighbors, stated with every result."""

from enum import StrEnum
from typing import NoReturn

from discreet.errors import PrivacyParameterError, Remedy


class Neighbors(StrEnum):
    """The neighboring relation.

    ``add-remove``: one record more or less; the number of records is private.
    ``replace``: one record swapped for another; the number of records is public.

    >>> Neighbors.read("replace")
    <Neighbors.REPLACE: 'replace'>
    """

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"

    @staticmethod
    def read(value: object) -> "Neighbors":
        """The relation with that name; only a text is compared with the names."""
        return Neighbors(value) if isinstance(value, str) else Neighbors._missing_(value)

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        # What is not a text is not shown: it may be data in the wrong place.
        shown = repr(value[:40]) if isinstance(value, str) else f"a {type(value).__name__}"
        raise PrivacyParameterError(
            f"neighbors is {shown}. It says which data sets must be hard to tell apart: "
            '"add-remove" (one record more or less) or "replace" (one record swapped).',
            Remedy(
                python='Use neighbors="add-remove" unless the number of records is public.',
                policy='Use neighbors = "add-remove" unless the number of records is public.',
            ),
        )
