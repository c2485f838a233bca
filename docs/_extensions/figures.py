"""Draws the figures of the documentation from the product itself, and from its source.

python docs/_extensions/figures.py writes docs/figures; a test compares the two.
"""

from pathlib import Path

from caps import caps_picture
from course_pictures import (
    averaging_picture,
    by_hand_picture,
    combs_picture,
    farthest_picture,
    rebuilt_picture,
    trust_picture,
)
from odds import odds_picture
from rooms import rooms_svg

import discreet as dp

FOLDER = Path(__file__).parents[1] / "figures"


def figures() -> dict[str, str]:
    """Each figure as SVG, by the name of its file."""
    pictures = {
        "shifted.svg": dp.Laplace(scale=2).plot(0, 1),
        "beside.svg": dp.Laplace(scale=2).plot(beside=dp.Gaussian(sigma=2)),
        "region.svg": dp.Region(epsilon=1, delta="0.1").plot(),
        "comparison.svg": dp.NoiseComparison(epsilon=1, delta=1e-6).plot(),
        "caps.svg": caps_picture(),
        "odds.svg": odds_picture(),
        "tradeoff.svg": dp.tradeoff(dp.Laplace(scale=2), 0, 1).plot(),
        "coins.svg": dp.RandomizedResponse.two_coin().plot(0, 1),
        "trust.svg": trust_picture(),
        "by_hand.svg": by_hand_picture(),
        "combs.svg": combs_picture(),
        "averaging.svg": averaging_picture(),
        "farthest.svg": farthest_picture(),
        "rebuilt.svg": rebuilt_picture(),
    }
    return {name: picture.svg + "\n" for name, picture in pictures.items()} | {
        "rooms.svg": rooms_svg() + "\n"
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, svg in figures().items():
        (FOLDER / name).write_text(svg, "utf-8")
