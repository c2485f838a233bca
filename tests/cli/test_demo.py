"""``discreet demo`` shows a private table from the first question to a refusal."""

import csv
import re
import subprocess
import sys
from hashlib import sha256
from io import StringIO
from pathlib import Path
from shutil import copy

import pytest

from discreet.cli.demo import COLUMNS, PEOPLE, WARDS, visits, write_visits
from discreet.cli.exit_codes import NO_BUDGET
from discreet.policy import read_policy
from tests.cli.conftest import Command
from tests.support.clone import ROOT, strangers_variables, write_clone, write_environment


def test_the_demo_plans_answers_refuses_and_reports(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    ended = command("demo", "--folder", folder)
    assert (ended.code, ended.error) == (0, "")
    for part in (
        f"discreet profile {folder / 'visits.toml'} --spend 20%",
        f'discreet plan {folder / "visits.toml"} "SELECT',
        "ε = 0.5, 50% of the budget; the rest of the budget does not cover a second one; nothing",
        "30%   ε = 0.3 of ε = 1",
        "▒",
        "discreet: The question costs ε = 0.5, and ε = 0.3 is left",
        str(folder / "wards.html"),
    ):
        assert part in " ".join(ended.out.split()) or part in ended.out, part
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
    # So may that of a profile, in any of its lines.
    shown = re.sub(r"^how many of .*?rows without an id", "", shown, flags=re.M | re.S)
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


def shown_commands(shown: str) -> list[str]:
    """The commands in what the demo says, each with the lines that it is broken into."""
    typed = re.findall(r"^\$ (.+\n(?:    .+\n)*)", shown, re.M)
    return [*typed, *shown.rstrip().splitlines()[-2:]]


@pytest.mark.slow
@pytest.mark.parametrize("where", [pytest.param("", marks=pytest.mark.soak), "elsewhere"])
def test_every_command_that_is_shown_works_as_it_is_printed(tmp_path: Path, where: str) -> None:
    """In the folder that the demo was started from, without help of the PATH."""
    clone = tmp_path / "a clone"
    clone.mkdir()
    write_environment(clone / "environment")
    write_clone(clone, clone / "environment")
    here = clone / where
    here.mkdir(exist_ok=True)
    variables = strangers_variables() | {"TMPDIR": str(tmp_path)}
    shown = subprocess.run(
        [clone / "dev", "demo"], cwd=here, env=variables, check=True, capture_output=True, text=True
    )
    assert shown.stderr == ""  # there is nothing to set up
    report = re.search(r"^/.*wards\.html$", shown.stdout, re.M)
    assert report is not None
    assert Path(report[0]).exists()
    commands = shown_commands(shown.stdout)
    codes = [
        subprocess.run(["bash", "-c", line], cwd=here, env=variables, check=False).returncode
        for line in commands
    ]
    assert codes == [0, 0, NO_BUDGET, NO_BUDGET, 0, 0], commands  # what was paid for is not left


@pytest.mark.soak
def test_a_clone_says_what_it_sets_up(tmp_path: Path) -> None:
    """From the cache of the environment that runs the tests, without a network."""
    tools = Path(sys.prefix).parent / ".tools"
    if not (tools / "cache").is_dir():
        pytest.skip("NO TEST OF THE SET-UP: these tests run in no environment of ./dev")
    clone = tmp_path / "a clone"
    clone.mkdir()
    for name in ("requirements", "pyproject.toml", "README.md", "LICENSE", "src"):
        (clone / name).symlink_to(ROOT / name)
    copy(ROOT / "dev", clone / "dev")
    (clone / ".tools").mkdir()
    for name in ("cache", "uv"):
        (clone / ".tools" / name).symlink_to(tools / name)
    variables = strangers_variables() | {"UV_OFFLINE": "1", "TMPDIR": str(tmp_path)}
    for stated in (True, False):  # the second run has nothing to set up
        ended = subprocess.run(
            ["./dev", "demo"], cwd=clone, env=variables, check=True, capture_output=True, text=True
        )
        assert "Go on with the table" in ended.stdout
        said = [line.strip() for line in ended.stderr.splitlines()]
        assert bool(said) == stated
        if stated:
            assert re.fullmatch(r"Setting up \.venv, once\. .*a clone:", said[0])
            steps = ["making", "fetching and installing", "compiling", "installing discreet"]
            begun = [line for line in said if line.endswith("…")]
            assert all(line.startswith(step) for line, step in zip(begun, steps, strict=True))
            assert re.fullmatch(r"Done in \d+ s\. The next run starts at once\.", said[-1])
