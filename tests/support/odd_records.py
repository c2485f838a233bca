"""Records that a column of numbers should not have, and now and then does."""

import datetime
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd


class Raising:
    """A record that raises whatever is done to it."""

    def _raise(self, *_: object) -> Any:
        raise RuntimeError("8675309")

    __float__ = __eq__ = __ne__ = __hash__ = __bool__ = __lt__ = __gt__ = _raise  # type: ignore[assignment]
    __class__ = property(_raise)  # type: ignore[assignment]


class Warns:
    """A record that warns when it is read."""

    def __float__(self) -> float:
        warnings.warn("8675309", stacklevel=2)
        return 5.0


class EqualToAll:
    """A record that claims to equal every other one."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("a")


ODD: list[Any] = [
    None,
    float("nan"),
    float("inf"),
    float("-inf"),
    -0.0,
    5e-324,
    -5e-324,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    True,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    10**400,
    -(10**400),
    "",
    "a",
    "7",
    " 7.5 ",
    "nan",
    "True",
    b"7",
    b"\xff",
    3 + 0j,
    3 + 4j,
    complex("nan"),
    Decimal("2.5"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("1e999999"),
    Fraction(1, 3),
    Fraction(10**400),
    np.float16(3),
    np.float32("nan"),
    np.array([0x7FA00000], np.uint32).view(np.float32)[0],
    np.longdouble("1e4000"),
    np.uint64(2**64 - 1),
    np.int8(-128),
    np.bool_(True),
    np.str_("7"),
    np.complex64(3 + 4j),
    np.datetime64("2020-01-01"),
    np.datetime64("NaT"),
    np.timedelta64(5, "ns"),
    np.void(b"12345678"),
    np.ma.masked,
    np.zeros(0),
    np.zeros(1),
    np.zeros((2, 2)),
    pd.NA,
    pd.NaT,
    pd.Timestamp("2020-01-01"),
    pd.Series([1.0]),
    datetime.date(2020, 1, 1),
    [],
    [1],
    [1, 2],
    {},
    {"a": 1},
    (1, 2),
    {1},
    object(),
    float,
    Raising(),
    Warns(),
    EqualToAll(),
]
"""Each of them must be read without an error, without a warning, and by itself."""

SHOWN = [f"{type(record).__name__}-{place}" for place, record in enumerate(ODD)]


@contextmanager
def watched() -> Iterator[None]:
    """Every warning and every float that overflows is an error, as the strictest user may ask."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        yield
