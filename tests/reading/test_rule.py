"""The rule itself: every cell is read, and equal cells alike, whatever holds them."""

import datetime
from decimal import Decimal
from uuid import UUID

import numpy as np

from tests.reading.rule import CELLS, DECLARED, read, read_id


def test_every_cell_has_a_value_of_its_kind_or_none() -> None:
    kinds = {"boolean": bool, "text": str, "text category": str}
    for name, declared in DECLARED.items():
        for cell in CELLS:
            value = read(declared, cell)
            assert value is None or type(value) is kinds.get(name, float), (name, cell)
            assert value == value, (name, cell)  # noqa: PLR0124
            assert isinstance(read_id(cell), str | None)


def test_equal_numbers_are_read_alike() -> None:
    for declared in DECLARED.values():
        for seven in (7, 7.0, np.float32(7), Decimal("7.00"), np.int8(7)):
            assert read(declared, seven) == read(declared, 7)
        assert read(declared, -0.0) == read(declared, 0)
    for one in (1, 1.0, True, "1", "true", "1.0", b"1", Decimal("1.0"), "T", "yes", " 1 "):
        assert read(DECLARED["boolean"], one) is True, one


def test_what_the_page_says() -> None:
    number, truth, text, date = (DECLARED[name] for name in ("number", "boolean", "text", "date"))
    assert read(text, Decimal("2.50")) == "2.5"
    assert read(text, "7.0") == "7.0"
    assert read(text, b"\xff") is None
    assert read_id(b"\xff") == "FF"
    assert read(text, np.float32(0.1)) == "0.10000000149011612"
    assert read(text, datetime.datetime(2020, 1, 2, 3, 4, 5, 500_000)) == "2020-01-02 03:04:05.5"
    zone = datetime.timezone(datetime.timedelta(hours=5))
    assert read(text, datetime.datetime(2020, 1, 2, 3, tzinfo=zone)) == "2020-01-01 22:00:00+00"
    assert read(date, datetime.datetime(2020, 1, 2, 3, tzinfo=zone)) == 18262
    assert read(date, "2020-01-02T23:00:00-05:00") == 18263
    assert read(date, np.datetime64("10000-01-01")) is None
    assert read(text, np.datetime64("NaT")) is None
    assert read(text, UUID(int=255)) == "00000000-0000-0000-0000-0000000000ff"
    assert read(number, " 1_0.5e1 ") == 105.0
    assert read(number, "+-7") == -7.0
    assert read(number, "nan") is None
    assert read(number, 10**400) == float("inf")
    assert read(truth, Decimal("1.0000000000000000000000000001")) is None
    assert read(number, datetime.date(2020, 1, 1)) is None
