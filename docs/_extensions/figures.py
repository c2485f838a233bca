"""Draws the figures of the documentation from the product itself, and from its source.

python docs/_extensions/figures.py writes docs/figures; a test compares the two.  The picture of an
answer is one that `discreet demo` gave and that the ledger beside this file remembers.  With --ask
the demo runs anew, with fresh noise, and its ledger takes the place of that one.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

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
from discreet.cli.demo import write_hospital

FOLDER = Path(__file__).parents[1] / "figures"
LEDGER = Path(__file__).with_name("demo.ledger")
ENTRY = 4
"""The answer of the demo; before it the ledger has the declaration and the profile."""


@contextmanager
def demo_answer() -> Iterator[dp.Release]:
    """The answer that the demo gave, from its ledger: nothing is asked and nothing is paid."""
    with TemporaryDirectory() as folder:
        policy = write_hospital(Path(folder))
        copyfile(LEDGER, policy.with_name("visits.ledger"))
        with dp.table(str(policy)) as table:
            yield table.paid(ENTRY)


def run_demo() -> None:
    """Keep the ledger of a new run of the demo."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "discreet", "demo", "--folder", folder]
        subprocess.run(command, env={"LOGNAME": "ann"}, check=True, stdout=subprocess.DEVNULL)
        copyfile(Path(folder) / "visits.ledger", LEDGER)


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
    with demo_answer() as answer:
        pictures["answer.svg"] = answer.plot("patients")
    return {name: picture.svg + "\n" for name, picture in pictures.items()} | {
        "rooms.svg": rooms_svg() + "\n"
    }


if __name__ == "__main__":
    if "--ask" in sys.argv[1:]:
        run_demo()
    FOLDER.mkdir(exist_ok=True)
    for name, svg in figures().items():
        (FOLDER / name).write_text(svg, "utf-8")
