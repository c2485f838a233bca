"""A small hospital for the tests of releases."""

from collections.abc import Callable
from typing import Any

import pytest

import discreet as dp
from tests.support.hospital import visits_columns, visits_frame


@pytest.fixture
def visits() -> Callable[..., dp.Table]:
    """A function that opens the hospital, with any declaration changed."""

    def opened(**changes: Any) -> dp.Table:
        declared: dict[str, Any] = {
            "name": "visits",
            "unit": "patient",
            "budget": dp.Budget(epsilon=20, delta=1e-3),
            "columns": visits_columns(),
            "max_groups": 3,
            "max_rows": 6,
            "ledger": ":memory:",
        } | changes
        source = declared.pop("source", None)
        frame = visits_frame() if source is None else source
        if declared["unit"] == "row":
            declared |= {"max_groups": None, "max_rows": None}
        return dp.table(frame, **{k: v for k, v in declared.items() if v is not None})

    return opened
