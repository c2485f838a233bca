"""``discreet plan`` touches nothing; ``discreet ask`` pays first, answers, and ends as promised."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from discreet.ledger import Ledger
from tests.cli.conftest import Command
from tests.support.visits_policy import BY_WARD, COUNT, write_visits


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


def test_a_plan_shows_mechanism_error_and_price(command: Command, policy: Path) -> None:
    ended = command("plan", policy, BY_WARD, "--epsilon", "0.5")
    assert ended.code == 0
    for part in (
        "patients   people()   Laplace(scale=4)",
        "groups    3, each of them released",
        "each patient_id, with all its rows. A patient_id counts for at most 4 rows in 2 groups",
        "costs     ε = 0.5, 25% of the budget; about 4 such questions fit; nothing was spent",
    ):
        assert part in " ".join(ended.out.split()) or part in ended.out, part


def test_a_plan_notes_a_value_that_was_not_declared(command: Command, policy: Path) -> None:
    asked = f"{COUNT} WHERE ward IN ('A', 'Z')"
    note = "ward = 'Z' fits no declared value: those of ward are A, B, C."
    assert f"note      {note}" in command("plan", policy, asked, "--epsilon", "1").out
    found, *_ = json.loads(command("plan", policy, asked, "--epsilon", "1", "--json").out)["notes"]
    assert found.startswith(note)


def test_a_plan_reads_no_row_and_opens_no_ledger(command: Command, policy: Path) -> None:
    before = command("plan", policy, BY_WARD, "--epsilon", "0.5", "--explain")
    assert not (policy.parent / "visits.ledger").exists()
    data = policy.parent / "visits.csv"
    data.write_text(data.read_text().partition("\n")[0] + '\n"broken')
    assert command("plan", policy, BY_WARD, "--epsilon", "0.5", "--explain") == before
    assert sorted(path.name for path in policy.parent.iterdir()) == ["visits.csv", "visits.toml"]


def test_a_plan_leaves_a_ledger_as_it_is(command: Command, policy: Path) -> None:
    assert command("ask", policy, COUNT, "--epsilon", "1").code == 0
    ledger = policy.parent / "visits.ledger"
    before = ledger.read_bytes(), ledger.stat().st_mtime_ns
    planned = command("plan", policy, COUNT, "--epsilon", "1").out
    assert "the rest of the budget does not cover a second one" in " ".join(planned.split())
    assert (ledger.read_bytes(), ledger.stat().st_mtime_ns) == before


def test_a_margin_finds_the_least_epsilon(command: Command, policy: Path) -> None:
    ended = command("plan", policy, COUNT, "--margin", "n=30", "--json")
    data = json.loads(ended.out)
    assert data["outputs"][0]["margin"] <= 30
    assert data["epsilon"] == "2/5"


def test_an_output_with_a_weight_gets_more_of_the_price(command: Command, policy: Path) -> None:
    sql = "SELECT COUNT(DISTINCT patient_id) AS n, AVG(stay) AS s FROM visits"

    def parts(*weights: str) -> list[str]:
        options = [word for weight in weights for word in ("--weight", weight)]
        ended = command("plan", policy, sql, "--epsilon", "1", "--json", *options)
        return [one["epsilon"] for one in json.loads(ended.out)["outputs"]]

    assert parts() == ["1/2", "1/2"]
    assert parts("n=3") == ["3/4", "1/4"]
    assert parts("n=3", "s=1.5") == ["2/3", "1/3"]


def test_an_answer_shows_errors_price_what_is_left_and_its_record(
    command: Command, policy: Path
) -> None:
    ended = command("ask", policy, BY_WARD, "--epsilon", "0.5")
    assert ended.code == 0
    assert re.search(r"^A +\d+ ± 12 counted, \d+ to \d+ in truth$", ended.out, re.M)
    for part in (
        "cost      ε = 0.5",
        "left      ██████████████████░░░░░░ 75%   ε = 1.5, δ = 5e-07 of ε = 2, δ = 1e-06",
        "protects  each patient_id",
        "record    entry 2 of visits.ledger, ",
    ):
        assert part in ended.out, part
    assert command("ledger", "verify", policy).code == 0
    assert "75% left" in command("budget", policy).out


def test_whoever_has_a_cap_of_their_own_sees_it(command: Command, policy: Path) -> None:
    policy.write_text("analyst_budget = { epsilon = 1 }\n" + policy.read_text())
    ended = command("ask", policy, COUNT, "--epsilon", "0.5", "--analyst", "ann")
    assert "50%   ε = 0.5 of ε = 1, δ = 0 for ann" in ended.out
    assert command("ask", policy, COUNT, "--epsilon", "0.6", "--analyst", "ann").code == 3
    assert command("ask", policy, COUNT, "--epsilon", "0.6", "--analyst", "bob").code == 0


@pytest.mark.slow
def test_an_answer_is_written_as_json_csv_and_html(command: Command, policy: Path) -> None:
    table, report = policy.parent / "wards.csv", policy.parent / "wards.html"
    files = ("--csv", table, "--html", report)
    ended = command("ask", policy, BY_WARD, "--epsilon", "0.5", "--json", *files)
    data = json.loads(ended.out)
    assert [row["ward"] for row in data["rows"]] == ["A", "B", "C"]
    assert data["certificate"]["epsilon"] == "0.5"
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["patients"]) for row in rows] == [row["patients"] for row in data["rows"]]
    assert "patients" in report.read_text("utf-8")


@pytest.mark.slow
def test_an_answer_is_saved_as_each_ending_says(command: Command, policy: Path) -> None:
    endings = ("xlsx", "parquet", "md", "png", "svg", "json")
    places = [policy.parent / f"wards.{ending}" for ending in endings]
    files = [word for place in places for word in ("--save", place)]
    ended = command("ask", policy, BY_WARD, "--epsilon", "0.5", *files)
    assert ended.code == 0
    for place in places:
        assert place.stat().st_size > 100
        assert f"written   {place}" in ended.out
    found = duckdb.sql(f"SELECT patients FROM '{policy.parent / 'wards.parquet'}'").fetchall()
    told = json.loads((policy.parent / "wards.json").read_text("utf-8"))
    assert [value for (value,) in found] == [row["patients"] for row in told["rows"]]
    assert (policy.parent / "wards.md").read_text("utf-8").startswith("| ward | patients |")


@pytest.mark.parametrize(("name", "library"), [("a.xlsx", "xlsxwriter"), ("a.png", "altair")])
def test_what_a_file_needs_is_looked_for_before_it_is_paid(
    command: Command, policy: Path, name: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    ended = command("ask", policy, COUNT, "--epsilon", "1", "--save", policy.parent / name)
    assert ended.code != 0
    assert f"{library} is not installed" in ended.error.lower()
    assert "install" in ended.error.rpartition("Run:")[2]
    assert not (policy.parent / "visits.ledger").exists()


def test_the_same_key_gets_the_same_answer_for_free(command: Command, policy: Path) -> None:
    words = ("ask", policy, BY_WARD, "--epsilon", "0.5", "--key", "monday")
    first, again = (json.loads(command(*words, "--json").out) for _ in range(2))
    paid = again.pop("already_paid")
    assert paid == {"entry": 2, "date": first["certificate"]["time"][:10]}
    assert first == again
    assert f"cost      already paid: entry 2, {paid['date']}" in command(*words).out
    with Ledger(policy.parent / "visits.ledger", read_only=True) as ledger:
        assert ledger.balance("visits").charges == 1
    other = ("ask", policy, COUNT, "--epsilon", "0.5", "--key", "monday")
    assert command(*other).code == 2


def test_a_price_that_nobody_stated_is_not_paid_unasked(command: Command, policy: Path) -> None:
    ended = command("ask", policy, COUNT, "--margin", "n=30")
    assert ended.code == 2
    assert "--yes" in ended.error
    assert not (policy.parent / "visits.ledger").exists()
    assert command("ask", policy, COUNT, "--margin", "n=30", "--yes").code == 0
    assert command("ask", policy, COUNT, "--margin", "n=30", "--epsilon", "1").code == 0
    refused = command("ask", policy, COUNT, "--margin", "n=30", "--epsilon", "0.1")
    assert refused.code == 3
    assert "the ceiling is ε = 0.1" in refused.error


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ((COUNT,), ["--epsilon 0.5", "--margin n=5"]),
        ((COUNT, "--epsilon", "0"), ["must be above 0", "--epsilon 1"]),
        ((COUNT, "--epsilon", "much"), ["Epsilon is 'much'", "Write it as 1, 0.5 or 1/3."]),
        ((COUNT, "--epsilon", "1", "--delta", "2"), ["Delta is 2", "--delta 1e-6"]),
        ((COUNT, "--margin", "n"), ["--margin n=5"]),
        ((COUNT, "--margin", "n=0"), ["not above 0"]),
        ((COUNT, "--margin", "n=5", "--margin", "n=6"), ["two margins"]),
        ((COUNT, "--margin", "m=5"), ["'m'", "outputs: n"]),
        ((COUNT, "--epsilon", "1", "--weight", "n"), ["--weight n=2"]),
        ((COUNT, "--epsilon", "1", "--weight", "n=0"), ["not above 0"]),
        ((COUNT, "--epsilon", "1", "--weight", "n=1", "--weight", "n=2"), ["two weights"]),
        ((COUNT, "--epsilon", "1", "--weight", "m=2"), ["'m'", "outputs: n"]),
        (("SELECT AVG(stay) AS s FROM visits", "--margin", "s=1"), ["--expect-rows 1000"]),
        (("SELECT * FROM visits", "--epsilon", "1"), []),
        (("SELECT AVG(stya) AS s FROM visits", "--epsilon", "1"), ["'stya'", "'stay'"]),
        (("SELECT COUNT(*) FROM visit", "--epsilon", "1"), ["visits"]),
        (("DROP TABLE visits", "--epsilon", "1"), []),
        (("SELECT town, COUNT(*) FROM visits GROUP BY town", "--epsilon", "1"), ["--delta 1e-6"]),
        (("SELECT AVG(town) AS s FROM visits", "--epsilon", "1"), ["COUNT(DISTINCT"]),
        (("SELECT stay, COUNT(*) FROM visits GROUP BY stay", "--epsilon", "1"), ["BINS("]),
        (("SELECT MAX(patient_id) FROM visits", "--epsilon", "1"), ["COUNT(DISTINCT patient_id)"]),
        (("SELECT COUNT(*) FROM visits WHERE stay", "--epsilon", "1"), ["stay > 2"]),
        (("SELECT ward FROM visits GROUP BY ward", "--epsilon", "1"), []),
        (
            ("SELECT COUNT(DISTINCT patient_id) FILTER (WHERE stay) FROM visits", "--epsilon", "1"),
            ["PEOPLE() FILTER (WHERE stay > 2)"],
        ),
        (
            (
                "SELECT BINS(stay, '2020-01-01', '2021-01-01'), COUNT(*) FROM visits GROUP BY 1",
                "--epsilon",
                "1",
            ),
            ["BINS(x, '2025-01-01', '2026-01-01')"],
        ),
    ],
)
def test_a_wrong_question_ends_with_2_and_costs_nothing(
    command: Command, policy: Path, words: tuple[str, ...], parts: list[str]
) -> None:
    for verb in ("plan", "ask"):
        ended = command(verb, policy, *words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.error.startswith("discreet: ")
        for part in parts:
            assert part.lower() in ended.error.lower(), ended.error
        assert "Traceback" not in ended.error
        for python in (
            "Fraction",
            "dp.",
            "epsilon=",
            "delta=",
            "expect_rows",
            ".n_unique",
            ".bins(",
        ):
            assert python not in ended.error, ended.error
    assert not (policy.parent / "visits.ledger").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--csv", "no/where.csv"),
        ("--html", "."),
        ("--csv", "a.txt"),
        ("--html", "a.csv"),
        ("--csv", "/proc/answer.csv"),  # said to be writable, and is not
        ("--csv", f"{'long' * 100}.csv"),
        ("--save", "a.pdf"),
        ("--save", "no/where.xlsx"),
        ("--save", "answer"),
    ],
)
def test_where_an_answer_cannot_be_written_nothing_is_paid(
    command: Command, policy: Path, words: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(policy.parent)
    assert command("ask", policy, COUNT, "--epsilon", "1", *words).code == 2
    assert not (policy.parent / "visits.ledger").exists()


def test_a_strange_epsilon_is_noted_and_not_refused(command: Command, policy: Path) -> None:
    ended = command("plan", policy, COUNT, "--epsilon", "50")
    assert ended.code == 0
    assert ended.error.startswith("note: ")


def test_a_folder_that_is_not_there_is_a_wrong_request(command: Command, policy: Path) -> None:
    policy.write_text(policy.read_text().replace('"visits.ledger"', '"nowhere/visits.ledger"'))
    ended = command("ask", policy, COUNT, "--epsilon", "1")
    assert (ended.code, ended.out) == (2, "")
    for part in ("There is no folder", "A ledger is made only", "Make the folder"):
        assert part in ended.error
    assert not (policy.parent / "nowhere").exists()


def said(code: int, *words: object, encoding: str = "utf-8") -> str:
    """All that a process of its own wrote, which must end with the code."""
    command = [sys.executable, "-m", "discreet", *map(str, words)]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    ended = subprocess.run(command, capture_output=True, check=False, env=environment)
    text = (ended.stdout + ended.stderr).decode("utf-8")
    assert ended.returncode == code, text
    return text


@pytest.mark.slow
def test_a_process_ends_with_the_code_that_was_promised(command: Command, policy: Path) -> None:
    said(0, "ask", policy, COUNT, "--epsilon", "1")
    said(2, "ask", policy, "SELECT", "--epsilon", "1")
    assert command("ask", policy.parent / "none.toml", COUNT, "--epsilon", "1").code == 2
    said(3, "ask", policy, COUNT, "--epsilon", "1.5")
    data = policy.parent / "visits.csv"
    data.write_text(data.read_text() + '"p9,A,1\n')
    assert "the charge stays" in said(4, "ask", policy, COUNT, "--epsilon", "0.5")
    refused = " ".join(said(4, "ask", policy, COUNT, "--epsilon", "0.1").split())
    assert "is suspended since" in refused
    assert 'They resume it by discreet table resume POLICY --why "…". Nothing was' in refused
    assert "spent ε = 1.5" in command("budget", policy).out
    data.unlink()
    assert command("ask", policy, COUNT, "--epsilon", "0.1").code == 2


@pytest.mark.slow
def test_an_answer_that_is_paid_for_is_shown_on_any_terminal(policy: Path) -> None:
    text = said(0, "ask", policy, COUNT, "--epsilon", "1", encoding="ascii")
    assert "visits.ledger" in text
    assert text.isascii()


def test_breaking_off_after_the_charge_is_not_free(
    command: Command, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("discreet.release.table.run_and_noise", break_off)
        assert command("ask", policy, COUNT, "--epsilon", "1").code == 4
    with monkeypatch.context() as patched:
        patched.setattr("discreet.ledger.Ledger.charge", break_off)
        assert command("ask", policy, COUNT, "--epsilon", "1").code == 1
    with Ledger(policy.parent / "visits.ledger", read_only=True) as ledger:
        assert (ledger.balance("visits").charges, ledger.balance("visits").lost) == (1, 1)


def test_a_bug_shows_where_it_is_and_not_what_it_says(
    command: Command, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the value was 42")

    monkeypatch.setattr("discreet.cli.ask.pay_and_answer", fail)
    ended = command("ask", policy, COUNT, "--epsilon", "1")
    assert ended.code == 1
    assert "RuntimeError" in ended.error
    assert "42" not in ended.error.replace(str(policy), "").partition("discreet: ")[2]


def test_looking_whether_an_answer_can_be_written_changes_nothing(
    command: Command, policy: Path
) -> None:
    old, new, link = (policy.parent / f"{name}.csv" for name in ("old", "new", "link"))
    old.write_text("kept")
    link.symlink_to(policy.parent / "behind.csv")
    for place in (old, new, link):
        assert command("ask", policy, COUNT, "--epsilon", "50", "--csv", place).code == 3
    assert (old.read_text(), new.exists(), link.exists()) == ("kept", False, False)
    assert command("ask", policy, COUNT, "--epsilon", "1", "--csv", link).code == 0
    assert (policy.parent / "behind.csv").read_text().startswith("n,")


def test_a_delta_asked_of_a_budget_without_one_is_told_what_that_means(
    command: Command, policy: Path
) -> None:
    policy.write_text(policy.read_text().replace("delta   = 1e-6\n", ""))
    towns = "SELECT town, COUNT(*) AS n FROM visits GROUP BY town"
    ended = command("ask", policy, towns, "--epsilon", "1", "--delta", "1e-6")
    assert ended.code == 3
    for part in ("has no δ", "groups cannot be found privately", "Declare the values", "set a δ"):
        assert part in ended.error, ended.error
    assert "smaller" not in ended.error


def test_a_plan_says_when_the_budget_does_not_cover_it(command: Command, policy: Path) -> None:
    assert command("ask", policy, COUNT, "--epsilon", "1.7").code == 0
    ended = command("plan", policy, COUNT, "--epsilon", "0.5")
    assert ended.code == 0
    said = "The budget does not cover this: it costs ε = 0.5, and ε = 0.3, δ = 5e-07 is left."
    assert said in ended.out
    for epsilon, covered in (("0.5", False), ("0.3", True)):
        data = json.loads(command("plan", policy, COUNT, "--epsilon", epsilon, "--json").out)
        assert data["covered"] is covered


def test_a_rho_in_json_is_a_decimal_that_is_not_below_it(command: Command, policy: Path) -> None:
    words = ("plan", policy, BY_WARD, "--json")
    long = json.loads(command(*words, "--epsilon", "0.5").out)
    assert re.fullmatch(r"0\.[0-9]{3,7}", long["rho"])
    assert "rho_exact" not in long
    short = json.loads(command(*words, "--rho", "0.005").out)
    assert float(short["rho"]) <= 0.005
    answer = json.loads(command("ask", policy, BY_WARD, "--rho", "0.005", "--json").out)
    (part,) = answer["certificate"]["mechanisms"]
    assert re.fullmatch(r"0\.[0-9]{3,9}", part["rho"])


def test_intervals_of_another_confidence_say_so(command: Command, policy: Path) -> None:
    words = ("ask", policy, BY_WARD, "--epsilon", "0.5", "--key", "k")
    usual, wide = command(*words), command(*words, "--confidence", "0.99")
    assert re.search(r"^ward +± \(95%\)$", usual.out, re.M)
    assert re.search(r"^ward +± \(99%\)$", wide.out, re.M)
    assert re.search(r"^A +\d+ ± 12 counted, ", usual.out, re.M)
    assert re.search(r"^A +\d+ ± 19 counted, ", wide.out, re.M)
    table = policy.parent / "wide.csv"
    data = json.loads(command(*words, "--confidence", "0.99", "--json", "--csv", table).out)
    assert data["confidence"] == 0.99
    with open(table, newline="") as file:
        for row, written in zip(data["rows"], csv.DictReader(file), strict=True):
            assert float(written["patients_upper"]) == row["patients_upper"]
            assert row["patients_upper"] - row["patients"] > 18
    plan = command("plan", policy, BY_WARD, "--epsilon", "0.5", "--confidence", "0.99").out
    assert "± (99%)" in plan
    assert command(*words, "--confidence", "99").code == 2


def test_the_sql_of_a_plan_is_on_several_lines_and_runs(command: Command, policy: Path) -> None:
    asked = "SELECT ward, AVG(stay) AS s FROM visits WHERE smoker GROUP BY ward"
    text = command("plan", policy, asked, "--epsilon", "1", "--sql").out
    assert len(text.splitlines()) > 20
    assert max(map(len, text.splitlines())) < 160
    with duckdb.connect() as opened:
        opened.execute(
            f"CREATE VIEW source AS FROM read_csv('{policy.parent / 'visits.csv'}', "
            "all_varchar = true)"
        )
        assert len(opened.execute(text).fetchall()) == 3
