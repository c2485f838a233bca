"""A value computed from rows, before noise."""

from typing import Generic, TypeVar

Value = TypeVar("Value")


class Sensitive(Generic[Value]):
    """A true value on its way to a mechanism: it does not show itself.

    Engines make it, mechanisms open it, and nothing in between can print, compare, format
    or pickle it.

    >>> Sensitive(42)
    Sensitive(hidden)
    """

    __slots__ = ("_value",)

    def __init__(self, value: Value) -> None:
        self._value = value

    def open(self) -> Value:
        """The true value.  Only a mechanism calls this (held by tests/laws)."""
        return self._value

    def __repr__(self) -> str:
        return "Sensitive(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("a sensitive value does not leave the process")

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("a sensitive value cannot be compared; pass it to a mechanism")
