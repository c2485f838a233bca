"""The demo runs as a stranger runs it, on the data that its page describes."""

import subprocess
import sys
from math import isqrt
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_ages_follow_the_formula_beside_them() -> None:
    lines = (EXAMPLES / "data" / "ages.csv").read_text().splitlines()
    assert lines == ["age", *(str(99 - isqrt(7919 * i % 10_000)) for i in range(10_000))]


@pytest.mark.slow
def test_the_demo_answers_and_draws() -> None:
    picture = EXAMPLES / "output" / "tradeoff.svg"
    picture.unlink(missing_ok=True)
    shown = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / "demo.py"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert shown.count("±") >= 5
    assert "1/2" in shown
    assert picture.read_text("utf-8").startswith("<svg")
