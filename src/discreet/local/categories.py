"""The categories of a scheme: how many there are, or their names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError, DataError, PrivacyParameterError
from discreet.exact import decimal_text

GivenCategories = int | tuple[str, ...]
WrittenCategories = int | Sequence[str]
"""As a caller writes them: how many there are, or their names."""
MOST_CATEGORIES = 1 << 31
REPORT = "a report"


@dataclass(frozen=True, slots=True)
class Categories:
    """Answers to choose from, numbered 0, …, k - 1 or named."""

    given: GivenCategories
    size: int

    @classmethod
    def read(cls, categories: object, most: int = MOST_CATEGORIES) -> "Categories":
        """A number of categories, or their names."""
        if isinstance(categories, int | np.integer) and not isinstance(categories, bool):
            if not 2 <= categories <= most:
                raise PrivacyParameterError(
                    f"categories is {decimal_text(Fraction(int(categories)))}. A report is about "
                    f"one of at least 2 and at most {most} values. Use categories=2 for a yes "
                    "or no."
                )
            return cls(int(categories), int(categories))
        if isinstance(categories, bool | str | bytes) or not isinstance(categories, Sequence):
            raise bad_categories()
        names = tuple(categories)
        if len(names) < 2 or not all(isinstance(name, str) and _is_name(name) for name in names):
            raise bad_categories()
        if len(set(names)) != len(names):
            raise BoundsError(
                "a category stands twice. Each answer has one name. Remove the second one."
            )
        if len(names) > most:
            raise BoundsError(
                f"there are {len(names)} names. This scheme takes at most {most} categories. "
                "Use fewer, or another scheme."
            )
        return cls(names, len(names))

    @property
    def keys(self) -> Sequence[Any]:
        """The categories in order, as an estimate is keyed by them."""
        return self.given if isinstance(self.given, tuple) else range(self.size)

    @property
    def shown(self) -> object:
        """As they are written in code: a number, or a list."""
        return list(self.given) if isinstance(self.given, tuple) else self.given

    def codes(self, values: object, what: str = "an answer") -> NDArray[np.int64]:
        """Answers, or reports that name one each, as an array of 0, …, k - 1, of their shape.

        An error says ``what`` was given, and never shows one.
        """
        if isinstance(values, Mapping):
            raise DataError(
                f"there is a mapping and not {what} or several. Of a mapping it is not clear "
                "whether its keys or its values are meant. Give list(answers.values())."
            )
        if isinstance(self.given, tuple):
            return self._named(self.given, values, what)
        try:
            array = np.asarray(values)
        except (TypeError, ValueError):
            raise self._not_values(what) from None
        if array.size == 0 and array.dtype.kind in "biuf":
            return array.astype(np.int64)
        if array.dtype.kind == "b" and self.size == 2:
            return array.astype(np.int64)  # the type of a report must not tell that of the value
        if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= self.size:
            raise self._not_values(what)
        return array.astype(np.int64, copy=False)

    def code(self, value: object) -> int:
        """One answer as a number from 0 to k - 1; several are refused."""
        codes = self.codes(value)
        if codes.ndim:
            raise DataError(
                "there are several answers. The law of this scheme is that of the report on one. "
                "Give one answer, and take the law of each for several: reports are independent."
            )
        return int(codes)

    def _named(self, names: tuple[str, ...], values: object, what: str) -> NDArray[np.int64]:
        places = {name: code for code, name in enumerate(names)}
        if isinstance(values, np.ndarray) and values.ndim == 0:
            values = values.item()  # NumPy calls it iterable, but it is one answer
        several = isinstance(values, Iterable) and not isinstance(values, str)
        answers = list(values) if isinstance(values, Iterable) and several else [values]
        codes = [_looked_up(places, value) for value in answers]
        if None in codes:
            if what == REPORT:
                raise DataError(
                    "a report is not a category of this scheme. Its reports name one of "
                    f"{names_text(names)}. Give what randomize() made with this scheme."
                )
            raise DataError(
                f"an answer is not a category. The poll's answers are {names_text(names)}. "
                "Give answers by these names, or declare the missing one in categories=."
            )
        return np.array(codes if several else codes[0], np.int64)

    def _not_values(self, what: str) -> DataError:
        if what == REPORT:
            return DataError(
                f"a report is not one of this scheme. Its reports are integers from 0 to "
                f"{self.size - 1}. Give what randomize() made with this scheme."
            )
        if self.size == 2:
            return DataError(
                "a value is not a bit. A scheme of two categories takes 0 and 1, or False and "
                "True. Encode the answers first, for example [answer == 'yes' for answer in "
                "answers]."
            )
        return DataError(
            f"a value is not a category. A scheme of {self.size} categories takes integers from "
            f"0 to {self.size - 1}. Encode the answers first, for example [names.index(answer) "
            "for answer in answers]."
        )


def bad_categories() -> BoundsError:
    """The error for what is neither a number nor names."""
    return BoundsError(
        "categories is neither a number nor names. It is how many answers there are, or a list "
        "of at least two names. Use categories=4 or categories=['north', 'south']."
    )


def _looked_up(places: dict[str, int], value: object) -> int | None:
    try:
        return places.get(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return None


def _is_name(name: str) -> bool:
    """Whether a name survives a NumPy array and the wire: NumPy drops trailing NULs."""
    return (
        bool(name)
        and "\0" not in name
        and not any("\ud800" <= letter <= "\udfff" for letter in name)
    )


def names_text(names: Sequence[Any]) -> str:
    """A few names for people."""
    shown = ", ".join(
        repr(name) if len(str(name)) <= 40 else repr(name[:37] + "...") for name in names[:5]
    )
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
