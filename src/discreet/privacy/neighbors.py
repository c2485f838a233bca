"""Which two data sets count as neighbors, stated with every result."""

from enum import Enum

from discreet.errors import PrivacyParameterError


class Neighbors(str, Enum):
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
        """The relation with that name."""
        try:
            return Neighbors(value)
        except ValueError:
            raise PrivacyParameterError(
                f"neighbors is {str(value)[:40]!r}. It says which data sets must be hard to tell "
                'apart: "add-remove" (one record more or less) or "replace" (one record swapped). '
                'Use neighbors="add-remove" unless the number of records is public.'
            ) from None

    def __str__(self) -> str:
        return self.value
