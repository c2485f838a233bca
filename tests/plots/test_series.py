"""Dates and long runs of numbers are lines with bands, and what stands below them can be read."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from math import inf
from typing import Any
from xml.etree import ElementTree

import pytest

from discreet.plots import Picture, estimates_picture, places_of, series_picture, stacked

_LETTER = 6.7
"""About how wide a letter of the axis is, in pixels."""


def days(count: int, first: str = "2024-01-01") -> list[str]:
    start = date.fromisoformat(first)
    return [str(start + timedelta(place)) for place in range(count)]


def line(labels: Sequence[object], **options: Any) -> Picture:
    numbers = [100 + place % 7 for place in range(len(labels))]
    lowers, uppers = [one - 5 for one in numbers], [one + 5 for one in numbers]
    return estimates_picture(labels, numbers, lowers, uppers, "n by day", **options)


def lines(names: Sequence[str], places: Sequence[str]) -> Picture:
    pairs = [(place, name) for place in places for name in names]
    found = places_of([place for place, _ in pairs])
    assert found is not None
    numbers = [float(place) for place in range(len(pairs))]
    return series_picture(
        found,
        [", ".join(pair) for pair in pairs],
        [name for _, name in pairs],
        numbers,
        [one - 1 for one in numbers],
        [one + 1 for one in numbers],
        "n by day, ward",
        from_zero=True,
    )


def below(picture: Picture) -> list[tuple[float, str]]:
    """What is written below the places, with the middle of each text."""
    root = ElementTree.fromstring(picture.svg)
    shape = "{http://www.w3.org/2000/svg}"
    axes = [one for one in root.iter(f"{shape}g") if "X-axis" in (one.get("aria-label") or "")]
    found = []
    for text in axes[0].iter(f"{shape}text"):
        at = re.match(r"translate\(([-\d.]+),", text.get("transform") or "")
        lines = ["".join(part.itertext()) for part in text.iter(f"{shape}tspan")]
        words = max(lines or ["".join(text.itertext())], key=len)
        if at is not None and float(text.get("opacity") or 1) > 0:
            found.append((float(at[1]), words))
    return found


def rows(picture: Picture) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = picture.spec["data"]["values"]
    return values


def width(picture: Picture) -> float:
    found = ElementTree.fromstring(picture.svg).get("width")
    return float(str(found))


class TestAxis:
    @pytest.mark.parametrize(
        ("count", "first"),
        [
            (1, "2024-01-01"),
            (2, "1999-12-31"),
            (5, "2023-02-27"),
            (9, "2024-02-27"),
            (40, "2023-12-20"),
            (90, "2023-02-28"),
            (200, "2023-08-15"),
            (365, "2024-01-01"),
            (365, "2023-06-30"),
            (730, "2023-12-31"),
            (3_650, "2014-05-05"),
        ],
    )
    def test_labels_of_dates_are_few_and_apart(self, count: int, first: str) -> None:
        picture = line(days(count, first))
        written = below(picture)
        assert 1 <= len(written) <= 8
        if count > 1:
            assert len(written) >= 2
        for (left, before), (right, after) in pairwise(written):
            assert right - left > _LETTER * (len(before) + len(after)) / 2
        assert width(picture) < 700

    def test_a_year_stands_below_the_first_month_of_it(self) -> None:
        svg = line(days(730)).svg
        assert re.findall(r">(\d{4})<", svg) == ["2024", "2025"]
        assert "Apr" in svg

    def test_of_many_years_some_are_written(self) -> None:
        written = [text for _, text in below(line([f"{year}-01-01" for year in range(1990, 2020)]))]
        assert all(re.fullmatch(r"\d{4}", text) for text in written)

    def test_days_do_not_depend_on_where_they_are_drawn(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = []
        for zone in ("Pacific/Honolulu", "Pacific/Auckland"):
            monkeypatch.setenv("TZ", zone)
            found.append(line(days(5)).svg)
        assert found[0] == found[1]
        assert "1 Jan" in found[0]
        assert line(days(5)).spec["layer"][-1]["encoding"]["x"]["scale"]["type"] == "utc"

    def test_numbers_are_in_order_whatever_the_order_of_the_groups(self) -> None:
        shuffled = [9, 2, 0, 11, 10, 1, 3, 8, 7, 4, 5, 6]
        assert [row["place"] for row in rows(line(shuffled))] == sorted(shuffled)
        few = estimates_picture([10, 9, 2], [1, 2, 3], [None] * 3, [None] * 3, "t")
        assert [row["label"] for row in rows(few)] == ["2", "9", "10"]

    def test_texts_of_digits_are_categories(self) -> None:
        codes = [f"1011{place}" for place in range(9)]
        assert places_of(codes) is None
        assert places_of([True, False] * 9) is None
        assert [row["label"] for row in rows(line(codes[::-1]))] == codes[::-1]

    @pytest.mark.parametrize("label", ["2024-02-30", "2024-13-01", "[2024-02-30, 2024-03-01)"])
    def test_what_only_looks_like_a_date_is_a_category(self, label: str) -> None:
        assert places_of([label, label.replace("2024", "2023")]) is None


class TestLines:
    def test_a_day_that_is_missing_breaks_the_line(self) -> None:
        dates = [*days(3), *days(2, "2024-01-10"), "2024-03-01"]
        runs = [row["run"] for row in rows(line(dates))]
        assert [runs.count(run) for run in dict.fromkeys(runs)] == [3, 2, 1]
        assert [row["alone"] for row in rows(line(dates))] == [False] * 5 + [True]

    def test_months_follow_each_other_though_they_are_not_equally_long(self) -> None:
        months = [f"2023-{month:02d}-01" for month in range(1, 13)]
        assert len({row["run"] for row in rows(line(months))}) == 1

    def test_bins_follow_each_other_where_one_ends_as_the_next_begins(self) -> None:
        bins = ["[2024-01-01, 2024-01-08)", "[2024-01-08, 2024-06-01)", "[2024-07-01, 2024-08-01]"]
        runs = [row["run"] for row in rows(line(bins))]
        assert runs[0] == runs[1] != runs[2]

    def test_a_band_is_drawn_only_where_intervals_are_known(self) -> None:
        picture = estimates_picture(
            days(4), [1, 2, 3, 4], [0, 1, None, None], [2, 3, None, inf], "t"
        )
        covered = [row["covered"] for row in rows(picture)]
        assert covered[0] == covered[1] != covered[2]
        none = estimates_picture(days(3), [1, 2, 3], [None] * 3, [None] * 3, "t")
        assert "area" not in str(none.spec)
        assert none.svg

    def test_counts_begin_at_zero_and_means_do_not(self) -> None:
        def lowest(picture: Picture) -> float:
            scales = [one["encoding"]["y"].get("scale") for one in picture.spec["layer"]]
            found: float = next(one for one in scales if one is not None)["domain"][0]
            return found

        assert lowest(line(days(30))) == 0
        assert lowest(line(days(30), bars=False)) > 90

    def test_medians_of_dates_over_time_are_drawn(self) -> None:
        found = estimates_picture(days(3), days(3, "2020-05-01"), [None] * 3, [None] * 3, "t")
        assert "2020-05-0" in found.svg


class TestSeveralLines:
    def test_up_to_six_share_a_picture(self) -> None:
        names = [f"Ward {place}" for place in range(6)]
        picture = lines(names, days(30))
        assert "layer" in picture.spec
        assert all(name in picture.svg for name in names)
        colors = picture.spec["layer"][-1]["encoding"]["color"]["scale"]
        assert colors["domain"] == names
        assert len(set(colors["range"])) == 6
        assert len({row["run"] for row in rows(picture)}) == 6

    def test_more_have_a_panel_each_on_one_scale(self) -> None:
        names = [f"Ward {place}" for place in range(9)]
        picture = lines(names, days(30))
        assert picture.spec["facet"]["sort"] == names
        assert all(name in picture.svg for name in names)
        assert width(picture) < 720


class TestStacked:
    def test_pictures_stand_below_each_other(self) -> None:
        single = line(days(40))
        both = stacked([single, line(["b", "a"])], "n and m by day")
        assert both.title == "n and m by day"
        assert len(both.spec["vconcat"]) == 2
        texts = re.findall(r">([^<>]+)</text>", both.svg)
        assert texts.count("n by day") == 2
        height = ElementTree.fromstring(both.svg).get("height")
        assert float(str(height)) > 550
        assert stacked([single], "another") is single
