"""Pictures on a dark page: every color that they have has one there, and text stands out."""

import re
from datetime import date, timedelta

import pytest

from discreet.local import RandomizedResponse
from discreet.mechanisms import Gaussian, Laplace, NoiseComparison
from discreet.plots import HeatCell, Picture, estimates_picture, heat_map_picture, message_picture
from discreet.plots.picture import COLORS, DARK, MIDDLE_BLUE
from discreet.privacy.tradeoff import Region, tradeoff
from discreet.templates import package_text
from tests.release.test_report import contrast

STYLE = package_text("plots/picture.css")
NIGHT = dict(re.findall(r'\[(\w+="[\w#]+")\] \{ \w+: (#?\w+)', STYLE))
PAPER = "#161d25"
SEEN_ON_BOTH = {"none", "transparent", "#CC79A7", "#767676"}
DAYS = [str(date(2024, 1, 1) + timedelta(day)) for day in range(9)]


def drawn(labels: list[str], many: int, names: list[str] | None = None) -> Picture:
    numbers = [float(place + 1) for place in range(many)]
    lowers, uppers = [one - 0.5 for one in numbers], [one + 0.5 for one in numbers]
    uppers[-1] = float("inf")
    return estimates_picture(labels, numbers, lowers, uppers, "t", names=names or [])


def colored(many: int) -> Picture:
    names = [f"name {place}" for place in range(many)]
    return drawn(["a"] * many, many, names)


PICTURES = {
    "bars": lambda: drawn(["a", "b"], 2),
    "bars beside each other": lambda: colored(len(COLORS)),
    "panels": lambda: colored(len(COLORS) + 1),
    "a line": lambda: drawn(DAYS, len(DAYS)),
    "lines": lambda: drawn(
        DAYS * 6, 54, [f"name {place}" for place in range(6) for _ in range(len(DAYS))]
    ),
    "tables": lambda: heat_map_picture(
        [HeatCell("a", "x", 1, "1", "± 1"), HeatCell("a", "all", 2, "2", "± 1", total=True)],
        *("n", ("a", "b")),
    ),
    "a message": lambda: message_picture("n", "No group was found."),
    "noise": lambda: Laplace(scale=2).plot(0, 1),
    "beside": lambda: Laplace(scale=2).plot(beside=Gaussian(sigma=2)),
    "two answers": lambda: RandomizedResponse.two_coin().plot(0, 1),
    "a region": lambda: Region(epsilon=1, delta="0.1").plot(),
    "attacks": lambda: tradeoff(Gaussian(sigma=1), 0, 1).plot(epsilon=1, delta="0.01"),
    "comparison": lambda: NoiseComparison(epsilon=1, delta="1/100").plot(),
}


def colors(picture: Picture) -> set[str]:
    """Every color of a picture, as an attribute of its SVG."""
    found = set(re.findall(r'(?:fill|stroke)="[^"]+"', picture.svg))
    return {one for one in found if one.partition("=")[2].strip('"') not in SEEN_ON_BOTH}


@pytest.mark.parametrize("name", PICTURES)
def test_every_color_has_one_at_night(name: str) -> None:
    assert colors(PICTURES[name]()) <= set(NIGHT)


def test_a_color_that_was_forgotten_would_be_found() -> None:
    spec = drawn(["a", "b"], 2).spec
    spec["layer"][0]["mark"]["color"] = "#123456"
    assert not colors(Picture(spec)) <= set(NIGHT)


def test_text_and_lines_stand_out_from_the_dark() -> None:
    for text in (f'fill="{DARK}"', 'fill="#555555"'):
        for ground in (PAPER, NIGHT[f'fill="{MIDDLE_BLUE}"'], NIGHT['fill="#F0F0F0"']):
            assert contrast(NIGHT[text], ground) >= 3
        assert contrast(NIGHT[text], PAPER) >= 4.5
    for color in COLORS:
        night = NIGHT.get(f'fill="{color}"', color)
        assert night == NIGHT.get(f'stroke="{color}"', color)
        assert contrast(night, PAPER) >= 3


def test_the_page_of_a_picture_has_them_too() -> None:
    assert STYLE in drawn(["a", "b"], 2).html
