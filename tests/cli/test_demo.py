"""``discreet demo`` shows a private table from the first question to a refusal."""

import csv
import re
import subprocess
import sys
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest

from discreet.cli.hospital import COLUMNS, PEOPLE, WARDS, visits, write_visits
from discreet.policy import read_policy
from tests.cli.conftest import Command


def test_the_demo_plans_answers_refuses_and_reports(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    ended = command("demo", "--folder", folder)
    assert (ended.code, ended.error) == (0, "")
    for part in (
        '$ discreet plan visits.toml "SELECT ward, ',
        "costs     ε = 0.7; nothing was spent",
        "30%   ε = 0.3 of ε = 1",
        "▒",
        "discreet: The question costs ε = 0.5, and ε = 0.3 is left",
        str(folder / "wards.html"),
    ):
        assert part in ended.out, part
    assert len(re.findall(r"^(?:Emergency|Medicine|Surgery|Maternity).* ± ", ended.out, re.M)) == 4
    assert "Emergency" in (folder / "wards.html").read_text("utf-8")
    assert "30% left" in command("budget", folder / "visits.toml").out
    again = command("demo", "--folder", folder)
    assert again.code == 2
    assert "Name another folder" in again.error


def test_no_true_answer_is_shown(command: Command, tmp_path: Path) -> None:
    shown = command("demo", "--folder", tmp_path).out.replace(str(tmp_path), "")
    rows = list(visits())
    truths = {len({row[0] for row in rows if row[1] == ward}) for ward in WARDS}
    truths |= {len(rows), PEOPLE}
    noisy = re.findall(rf"^(?:{'|'.join(WARDS)}) .* ± .*$", shown, re.M)
    assert len(noisy) == len(WARDS)
    for line in noisy:
        shown = shown.replace(line, "")  # noise may well hit the truth, also behind a point
    told = {int(number.replace(",", "")) for number in re.findall(r"\b[\d,]*\d\b", shown)}
    assert truths.isdisjoint(told)


def test_the_rows_are_the_same_on_every_machine() -> None:
    text = StringIO()
    write_visits(text)
    assert sha256(text.getvalue().encode()).hexdigest()[:16] == "920b478bab8c7eb5"
    rows = list(csv.DictReader(text.getvalue().splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert len({row["patient_id"] for row in rows}) == PEOPLE
    wards = [sum(row["ward"] == ward for row in rows) for ward in WARDS]
    assert wards == sorted(wards, reverse=True)
    assert min(wards) > 0
    assert any(row["stay"] == "" for row in rows)
    assert any(row["smoker"] == "" for row in rows)


def test_every_row_fits_the_policy(command: Command, tmp_path: Path) -> None:
    command("demo", "--folder", tmp_path)
    declared = read_policy(tmp_path / "visits.toml")["columns"]
    assert set(declared) == set(COLUMNS) - {"patient_id"}
    for _, ward, age, stay, admitted, _ in visits():
        assert ward in declared["ward"].values
        assert declared["age"].low <= int(age) <= declared["age"].high
        assert not stay or 0 <= float(stay) <= 60
        assert "2024-01-01" <= admitted <= "2025-12-31"


@pytest.mark.slow
def test_it_runs_as_a_stranger_runs_it() -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-m", "discreet.cli", "demo"],
        capture_output=True,
        check=True,
        text=True,
    )
    report = re.search(r"^/.*wards\.html$", ended.stdout, re.M)
    assert report is not None
    assert Path(report[0]).exists()
