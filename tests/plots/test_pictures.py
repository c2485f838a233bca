"""Pictures are whole: they are rendered on this machine and ask for nothing from elsewhere."""

import json
import re
import struct
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from math import inf
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from discreet.dependencies import install_extra
from discreet.errors import DataError, DiscreetError
from discreet.mechanisms import Laplace
from discreet.plots import Picture, estimates_picture
from discreet.plots.picture import BLUE, COLORS, VERMILION, rounded_up
from discreet.privacy.tradeoff import tradeoff

HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def attacks() -> Picture:
    return tradeoff(Laplace(scale=2), 0, 4).plot()


@pytest.fixture(scope="module")
def bars() -> Picture:
    return estimates_picture(
        ["b", "a", HOSTILE], [3, -1, 2], [2, None, 1], [4, 0.5, 3], "ages, ε = 1"
    )


class References(HTMLParser):
    """What a browser would fetch for a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.scripts = 0
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.scripts += tag == "script"
        self.found += [
            f"{tag} {name}={value}"
            for name, value in attributes
            if name in {"src", "href", "xlink:href", "srcset", "data", "action"}
            and not str(value).startswith("#")
        ]
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(values["content"])


def texts(picture: Picture) -> str:
    root = ElementTree.fromstring(picture.svg)
    return "\n".join(
        "".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")
    )


@pytest.mark.parametrize("name", ["attacks", "bars"])
class TestEveryPicture:
    def test_svg_is_well_formed_and_refers_to_nothing(
        self, name: str, request: pytest.FixtureRequest
    ) -> None:
        svg = request.getfixturevalue(name).svg
        assert svg.startswith("<svg")
        ElementTree.fromstring(svg)
        assert References(svg).found == []
        assert References(svg).scripts == 0
        assert not re.search(r"url\(\s*['\"]?http|@import|@font-face", svg)

    def test_png_is_a_picture_of_some_size(self, name: str, request: pytest.FixtureRequest) -> None:
        png = request.getfixturevalue(name).png
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", png[16:24])
        assert 300 < width < 2000
        assert 300 < height < 2000

    def test_html_holds_all_that_it_needs(self, name: str, request: pytest.FixtureRequest) -> None:
        page = request.getfixturevalue(name).html
        references = References(page)
        assert references.found == []
        assert references.scripts == 2
        assert references.policy.startswith("default-src 'none'")
        assert "http" not in references.policy
        assert '"actions": false' in page

    def test_the_data_in_the_page_are_those_of_the_picture(
        self, name: str, request: pytest.FixtureRequest
    ) -> None:
        picture = request.getfixturevalue(name)
        call = picture.html.rpartition('vegaEmbed("#picture", ')[2]
        spec, _ = json.JSONDecoder().raw_decode(call)
        assert spec == picture.spec

    def test_it_is_the_same_each_time(self, name: str, request: pytest.FixtureRequest) -> None:
        picture = request.getfixturevalue(name)
        assert Picture(picture.spec).svg == picture.svg

    def test_notebooks_show_it(self, name: str, request: pytest.FixtureRequest) -> None:
        picture = request.getfixturevalue(name)
        assert picture._repr_html_() == picture.svg
        assert picture._repr_mimebundle_()["image/svg+xml"] == picture.svg
        assert repr(picture) == f"Picture({picture.title!r})"


def test_an_external_reference_would_be_seen() -> None:
    assert References('<script src="https://cdn.example/vega.js"></script>').found
    assert References('<svg><image xlink:href="https://example.com/x.png"/></svg>').found
    assert References(f"<script>draw('{HOSTILE}')</script>").scripts == 2


class TestSaving:
    @pytest.mark.parametrize(
        ("name", "start"),
        [("x.svg", b"<svg"), ("x.PNG", b"\x89PNG"), ("x.html", b"<!DOCTYPE html>")],
    )
    def test_the_ending_says_how(
        self, attacks: Picture, tmp_path: Path, name: str, start: bytes
    ) -> None:
        assert attacks.save(tmp_path / name) == tmp_path / name
        assert (tmp_path / name).read_bytes().startswith(start)
        assert attacks.save(str(tmp_path / name)).is_file()

    @pytest.mark.parametrize("name", ["x.pdf", "x", ".svg"])
    def test_another_ending_is_refused(self, attacks: Picture, tmp_path: Path, name: str) -> None:
        with pytest.raises(DataError, match=r"Use \.svg, \.png or \.html"):
            attacks.save(tmp_path / name)
        assert list(tmp_path.iterdir()) == []


class TestAttacks:
    def test_it_speaks_plainly(self, attacks: Picture) -> None:
        shown = texts(attacks)
        assert "Laplace(scale=2): ε = 2" in shown
        assert "say 4 when the output is 3 or more, else 0" in shown
        assert "false alarms: says 4, but the input is 0" in shown
        assert "detections: says 4, and the input is 4" in shown
        assert "allowed by ε = 2" in shown

    def test_without_an_epsilon_a_delta_is_drawn(self) -> None:
        table = {0: {"a": "9/10", "b": "1/10"}, 1: {"a": "9/10", "c": "1/10"}}
        shown = texts(tradeoff(table, 0, 1).plot())
        assert "ε = ∞" in shown
        assert "allowed by ε = 1, δ = 0.1" in shown.splitlines()

    def test_the_region_may_be_chosen(self) -> None:
        shown = texts(tradeoff(Laplace(scale=2), 0, 1).plot(epsilon=0.3))
        assert "allowed by ε = 0.3, δ = 0.1129" in shown

    def test_there_may_be_nothing_to_attack(self) -> None:
        shown = texts(tradeoff({0: {"a": 1}, 1: {"a": 1}}, 0, 1).plot())
        assert "No attack does better than guessing" in shown
        assert "largest gap" not in shown

    def test_there_may_be_nothing_to_protect(self) -> None:
        shown = texts(tradeoff({0: {"a": 1}, 1: {"b": 1}}, 0, 1).plot())
        assert "100.0% detections at 0.0% false alarms" in shown

    def test_many_points_are_thinned_and_long_names_left_out(self) -> None:
        picture = tradeoff(Laplace(scale=300), [0, *range(50)], [900, *range(50)]).plot()
        assert all(len(rows) <= 400 for rows in values(picture))
        assert "says the second, but the input is the first" in texts(picture)

    def test_names_do_not_become_code(self) -> None:
        picture = tradeoff({HOSTILE: {0: 1}, 0: {1: 1}}, HOSTILE, 0).plot()
        assert References(picture.html).scripts == 2

    def test_losses_arerounded_up(self) -> None:
        assert rounded_up(0.5) == "0.5"
        assert rounded_up(0.1 + 1e-17) == "0.1"
        assert rounded_up(1.0986122886681098) == "1.099"
        assert rounded_up(1.23401) == "1.235"
        assert rounded_up(1.2e-9) == "1.2e-09"


def faded(picture: Picture) -> list[Any]:
    """The layers that are drawn beyond a known end."""
    return [one for one in picture.spec["layer"] if "datum.fades ==" in json.dumps(one)]


def domain(picture: Picture) -> tuple[float, float]:
    """Where the scale of the numbers begins and ends."""
    found = [
        one["encoding"]["y"]["scale"]["domain"]
        for one in picture.spec["layer"]
        if one["encoding"]["y"].get("field") == "value"
    ]
    return found[0][0], found[0][1]


def values(picture: Picture) -> list[list[Any]]:
    """The rows that each layer draws."""
    named = picture.spec.get("datasets", {})
    layers = picture.spec["layer"]
    data = [layer.get("data", picture.spec.get("data")) for layer in layers]
    return [named[one["name"]] if "name" in one else one["values"] for one in data]


class TestEstimates:
    def test_labels_keep_their_order(self, bars: Picture) -> None:
        shown = [line for line in texts(bars).splitlines() if line in {"b", "a", HOSTILE}]
        assert [line for line in shown if line != HOSTILE] == ["b", "a"]
        rows = values(bars)[0]
        assert [row["label"] for row in rows] == ["b", "a", HOSTILE]

    @pytest.mark.parametrize(
        ("labels", "bars"), [("ab", True), ("ab", False), (["2024-01-01", "2024-01-02"], True)]
    )
    def test_an_end_that_is_not_known_fades(self, labels: Sequence[object], bars: bool) -> None:
        known = estimates_picture(labels, [10, 20], [8, 18], [12, 22], "t", bars=bars)
        assert "fades" not in texts(known)
        above = estimates_picture(labels, [10, 20], [8, 18], [inf, 22], "t", bars=bars)
        below = estimates_picture(labels, [10, 20], [-inf, 18], [12, 22], "t", bars=bars)
        both = estimates_picture(labels, [10, 20], [8, -inf], [inf, 22], "t", bars=bars)
        assert "where one fades, no upper end is known" in texts(above)
        assert "where one fades, no lower end is known" in texts(below)
        assert "where one fades, no end is known on that side" in texts(both)
        for picture, side in ((above, "up"), (below, "down")):
            faint = [one for one in faded(picture) if side in json.dumps(one)]
            strengths = [one["mark"]["opacity"] for one in faint if one["mark"]["type"] == "rule"]
            assert len(strengths) >= 4
            assert strengths == sorted(strengths, reverse=True)
        assert faded(known) == []

    @pytest.mark.parametrize("labels", ["ab", ["2024-01-01", "2024-01-02"]])
    def test_the_scale_comes_from_finite_numbers(self, labels: Sequence[object]) -> None:
        open_ended = estimates_picture(labels, [100, 200], [90, 190], [inf, 210], "t")
        low, high = domain(open_ended)
        assert low == 0
        assert 200 < high < 300
        low, high = domain(estimates_picture(labels, [-5, 5], [-inf, 4], [-4, 6], "t", bars=False))
        assert -10 < low < -5
        assert 6 < high < 10

    def test_where_no_end_is_known_there_is_no_interval(self) -> None:
        picture = estimates_picture("ab", [1, 2], [-inf, 1], [inf, 3], "t")
        assert "with 95% intervals where they are known" in texts(picture).splitlines()
        nothing = estimates_picture("ab", [1, 2], [-inf, None], [inf, None], "t")
        assert "without intervals" in texts(nothing).splitlines()

    @pytest.mark.parametrize("count", [1, 14, 15, 200])
    @pytest.mark.parametrize("bars", [True, False])
    def test_few_and_many_are_drawn(self, count: int, bars: bool) -> None:
        names = [f"category {i}" for i in range(count)]
        picture = estimates_picture(
            names,
            list(range(count)),
            list(range(-1, count - 1)),
            list(range(1, count + 1)),
            "t",
            bars=bars,
        )
        ElementTree.fromstring(picture.svg)

    def test_dates_are_points_on_a_calendar(self) -> None:
        days: list[float | str] = ["2024-03-01", "2024-11-20"]
        picture = estimates_picture("ab", days, [None, None], [None, None], "t")
        assert '"temporal"' in json.dumps(picture.spec)
        assert '"bar"' not in json.dumps(picture.spec)
        shown = texts(picture)
        assert "without intervals" in shown
        assert re.search(r"^2024-\d\d-01$", shown, re.MULTILINE)

    def test_datetimes_are_points_on_a_calendar_whatever_the_zone_of_this_machine(self) -> None:
        times: list[float | str] = ["2024-03-01 00:30:00", "2024-03-02 23:30:00"]
        ends = ["2024-03-01 00:00:00", None], ["2024-03-01 01:00:00", None]
        picture = estimates_picture("ab", times, *ends, "t")
        first = values(picture)[0][0]
        assert [first[name] for name in ("value", "low", "high")] == [
            *("2024-03-01T00:30:00Z", "2024-03-01T00:00:00Z", "2024-03-01T01:00:00Z")
        ]
        assert first["estimate"] == f"{times[0]}, {ends[0][0]} to {ends[1][0]}"
        assert re.search(r"^2024-03-0\d \d\d:00$", texts(picture), re.MULTILINE)

    def test_the_pointer_shows_the_number_as_it_is_printed(self) -> None:
        picture = estimates_picture(["a"], [25.4871], [25.4658], [25.5084], "t")
        assert values(picture)[0][0]["estimate"] == "25.4871, 25.4658 to 25.5084"
        assert '"estimate"' in json.dumps(picture.spec["layer"])
        told = estimates_picture(["a"], [25.4871], [25.4658], [25.5084], "t", texts=["25 ± 1"])
        assert values(told)[0][0]["estimate"] == "25 ± 1"

    @pytest.mark.parametrize("bars", [False, True])
    @pytest.mark.parametrize("labels", [["short", "tall"], ["a label that is long", "another"]])
    def test_several_of_one_label_stand_beside_each_other(
        self, labels: list[str], bars: bool
    ) -> None:
        picture = estimates_picture(
            [labels[0], labels[0], labels[1], labels[1]],
            *([1.0, 2.0, 3.0, 4.0], [0.5, 1.5, 2.5, 3.5], [1.5, 2.5, 3.5, 4.5], "t"),
            bars=bars,
            names=["f", "m", "f", "m"],
        )
        offset = "xOffset" if labels[0] == "short" else "yOffset"
        marks = [one for one in picture.spec["layer"] if one["mark"]["type"] in ("bar", "circle")]
        rules = [one for one in picture.spec["layer"] if one["mark"]["type"] == "rule"]
        assert {one["encoding"][offset]["field"] for one in (*marks, *rules)} == {"name"}
        assert marks[0]["encoding"]["color"]["scale"]["domain"] == ["f", "m"]
        assert {"f", "m", *labels} <= set(texts(picture).splitlines())
        filled = {one.get("fill") for one in ElementTree.fromstring(picture.svg).iter()}
        assert {BLUE, VERMILION} <= filled

    def test_more_names_than_colors_have_a_panel_each(self) -> None:
        names = [f"name {place}" for place in range(len(COLORS) + 1)]
        ends = [0.5] * len(names), [1.5] * len(names)
        picture = estimates_picture(["a"] * len(names), [1.0] * len(names), *ends, "t", names=names)
        assert picture.spec["facet"]["field"] == "name"
        assert set(names) <= set(texts(picture).splitlines())

    def test_many_names_are_all_written(self) -> None:
        names = [f"ward {place}" for place in range(100)]
        shown = texts(estimates_picture(names, range(100), range(100), range(100), "t"))
        assert set(names) <= set(shown.splitlines())

    @pytest.mark.parametrize(
        ("labels", "numbers", "message"),
        [
            (["a", "b"], [1, "2024-01-01"], "not all of them are dates"),
            (["a"], ["many"], "not all of them are dates"),
            (["a"], ["2024-01-01 25h"], "not all of them are dates"),
            (["a"], [1, 2], "Give lists of one length"),
            (["a", "a"], [1, 2], "a label stands twice"),
            (["a", "b"], [1, float("nan")], "NaN or infinite"),
            ([], [], "nothing to draw"),
        ],
    )
    def test_what_cannot_be_drawn_is_refused(
        self, labels: list[str], numbers: list[float], message: str
    ) -> None:
        ends = [None] * len(numbers)
        with pytest.raises(DataError, match=message):
            estimates_picture(labels, numbers, ends, ends, "t")


def test_a_long_title_stands_on_several_lines() -> None:
    title = "the mean of something by a key with a long name, another one and a third, ε = 1"
    picture = estimates_picture(["a", "b"], [1, 2], [0, 1], [2, 3], title)
    assert picture.title == title
    lines = picture.spec["title"]["text"]
    assert len(lines) == 2
    assert max(map(len, lines)) <= 54
    assert all(line in picture.svg for line in lines)


class TestWithoutTheExtra:
    @pytest.mark.parametrize("library", ["altair", "vl_convert"])
    def test_the_remedy_is_named(
        self, attacks: Picture, monkeypatch: pytest.MonkeyPatch, library: str
    ) -> None:
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(
            DiscreetError, match=rf"not installed.* {re.escape(install_extra('plot'))}$"
        ):
            tradeoff(Laplace(scale=2), 0, 1).plot().svg  # noqa: B018

    def test_everything_else_works(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "altair", None)
        monkeypatch.setitem(sys.modules, "vl_convert", None)
        assert tradeoff(Laplace(scale=2), 0, 1).best_attack().rule
