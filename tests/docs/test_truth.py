"""Each interval that the pages print holds the truth of the made-up table, and so do live ones."""

import re
from collections.abc import Iterator
from csv import DictReader
from io import StringIO
from pathlib import Path
from statistics import fmean

import pytest
from scipy.stats import binom

import discreet as dp
from discreet.cli.demo import COLUMNS, WARDS, visits, write_hospital
from tests.support.clone import ROOT

PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("docs/*/*.md"))]
NUMBER = r"-?[\d,]+(?:\.\d+)?"
IN_TRUTH = re.compile(rf"({NUMBER}) to ({NUMBER}) in truth")
AT_LEAST = re.compile(rf"at least ({NUMBER}) in truth")
AGES = [23, 35, 41, 67, 29, 52, 18, 74, 38, 45]
RELEASES = 28


def rows() -> list[dict[str, str]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in visits()]


def truths() -> dict[str, tuple[float, float]]:
    """Of each ward how many patients there are, and the mean stay, clipped to the bounds."""
    every = rows()
    found = {}
    for ward in WARDS:
        own = [row for row in every if row["ward"] == ward]
        stays = [min(30.0, float(row["stay"])) for row in own if row["stay"]]
        found[ward] = len({row["patient_id"] for row in own}), fmean(stays)
    return found


def printed(text: str) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """The wards of a printed answer, each with the intervals that stand beside it."""
    for line in text.splitlines():
        ward = line.split(" ", 1)[0]
        if ward in WARDS and " ± " in line:
            ends = [tuple(_number(end) for end in pair) for pair in IN_TRUTH.findall(line)]
            yield ward, [(low, high) for low, high in ends]


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def test_the_answer_that_the_readme_shows_holds_the_truth() -> None:
    shown, known = list(printed((ROOT / "README.md").read_text("utf-8"))), truths()
    assert [ward for ward, _ in shown] == list(WARDS)
    for ward, [(low, high)] in shown:
        patients, _ = known[ward]
        assert low <= patients <= high, ward


@pytest.mark.parametrize("page", PAGES)
def test_what_is_at_least_so_much_is(page: str) -> None:
    """The pages print it of the number of all rows alone."""
    many = len(rows())
    for least in AT_LEAST.findall((ROOT / page).read_text("utf-8")):
        if least != "13,185":  # of another table
            assert _number(least) <= many


def test_the_numbers_of_one_column_hold_the_truth() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for call, truth in (
        ("dp.count(ages, epsilon=1)", 10_000),
        ("dp.mean(ages, bounds=(0, 120), epsilon=1)", fmean(AGES)),
        ("share = old / everyone", sum(age > 64 for age in AGES) / len(AGES)),
    ):
        found = re.search(rf"^{re.escape(call)} +# ({NUMBER}) ± ({NUMBER})", text, re.M)
        assert found is not None, call
        value, margin = map(_number, found.groups())
        assert abs(value - truth) <= margin


@pytest.mark.slow
def test_the_intervals_of_the_demo_hold_the_truth_as_often_as_they_say(tmp_path: Path) -> None:
    """Another profile and another answer each time; a false alarm in a million."""
    policy, known = write_hospital(tmp_path), truths()
    text = policy.read_text("utf-8").replace("epsilon = 1", "epsilon = 20")
    policy.write_text(text.replace("visits.ledger", ":memory:"), "utf-8")
    sql = (
        "SELECT ward, COUNT(DISTINCT patient_id) AS patients, AVG(stay) AS mean_stay "
        "FROM visits GROUP BY ward"
    )
    held, noise, tried = 0, 0, 0
    with dp.table(str(policy)) as table:
        for _ in range(RELEASES):
            table.profile(epsilon="0.2", again=True)
            answer = table.sql(sql, epsilon="0.5")
            for place, name in enumerate(("patients", "mean_stay")):
                for (ward,), one in zip(answer.groups, answer.column(name), strict=True):
                    low, high = one.interval()
                    held += low <= known[str(ward)][place] <= high
                    low, high = one.noise_interval()
                    noise += low <= known[str(ward)][place] <= high
                    tried += 1
    assert binom.cdf(held, tried, 0.95) > 1e-6
    assert held >= noise  # what is known of the caps only widens them


def test_the_table_is_that_of_the_demo() -> None:
    text = StringIO()
    write = (ROOT / "src" / "discreet" / "cli" / "demo.py").read_text("utf-8")
    assert "at_most_rows = 12" in write
    from discreet.cli.demo import write_visits

    write_visits(text)
    each: dict[str, int] = {}
    for row in DictReader(StringIO(text.getvalue())):
        each[row["patient_id"]] = each.get(row["patient_id"], 0) + 1
    assert max(each.values()) <= 12  # the ceiling that the policy declares holds
