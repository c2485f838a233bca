"""The picture of a table by two keys with its totals."""

import pytest

from discreet.errors import DataError
from discreet.plots import HeatCell, heat_map_picture

CELLS = [
    HeatCell("a", "x", 3.0, "3", "± 1"),
    HeatCell("a", "y", 5.0, "5", "± 1"),
    HeatCell("a", "all", 8.0, "8", "± 2", total=True),
]


def test_every_cell_is_drawn_with_its_number_and_error() -> None:
    picture = heat_map_picture(CELLS, "n by one, two", ("one", "two"), "± at 95%")
    for text in ("3", "5", "8", "± 1", "± 2", "one", "two", "± at 95%"):
        assert text in picture.svg


def test_totals_have_no_color_of_the_scale() -> None:
    spec = heat_map_picture(CELLS, "n", ("one", "two")).spec
    domain = spec["layer"][0]["encoding"]["fillOpacity"]["scale"]["domain"]
    assert domain == [0.0, 5.0]
    assert "fillOpacity" not in spec["layer"][1]["encoding"]


def test_means_are_told_apart_between_the_least_and_the_largest() -> None:
    spec = heat_map_picture(CELLS, "m", ("one", "two"), from_zero=False).spec
    assert spec["layer"][0]["encoding"]["fillOpacity"]["scale"]["domain"] == [3.0, 5.0]


def test_one_number_everywhere_has_a_scale_too() -> None:
    spec = heat_map_picture(CELLS[:1], "m", ("one", "two"), from_zero=False).spec
    low, high = spec["layer"][0]["encoding"]["fillOpacity"]["scale"]["domain"]
    assert low < high


def test_a_cell_that_stands_twice_and_no_cell_at_all_are_refused() -> None:
    with pytest.raises(DataError, match="stands twice"):
        heat_map_picture([*CELLS, CELLS[0]], "n", ("one", "two"))
    with pytest.raises(DataError, match="no cells"):
        heat_map_picture(CELLS[2:], "n", ("one", "two"))
