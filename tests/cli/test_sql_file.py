"""Several questions of a file: all are planned and checked before the first is paid."""

import json
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.sql.read.parser import statements_of
from tests.cli.conftest import Command
from tests.support.visits_policy import COUNT, write_visits

QUESTIONS = """\
-- the wards; and who was there
SELECT ward, COUNT(DISTINCT patient_id) AS patients FROM visits GROUP BY ward;
/* a remark; with a semicolon */
SELECT COUNT(*) AS n FROM visits WHERE town <> 'A;B';

SELECT AVG(stay) AS mean_stay FROM visits
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


@pytest.fixture
def questions(policy: Path) -> Path:
    file = policy.parent / "questions.sql"
    file.write_text(QUESTIONS)
    return file


def charges(policy: Path) -> int:
    place = policy.parent / "visits.ledger"
    if not place.exists():
        return 0
    with Ledger(place, read_only=True) as ledger:
        return ledger.balance("visits").charges


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;\n SELECT 2 ;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';' AS a; SELECT \"a;b\"", ["SELECT ';' AS a", 'SELECT "a;b"']),
        ("-- a; b\nSELECT 1 /* ; */ + 2; -- the end;", ["SELECT 1 /* ; */ + 2"]),
        ("SELECT 'it''s; so'", ["SELECT 'it''s; so'"]),
        (" ;; \n;", []),
        ("", []),
    ],
)
def test_semicolons_in_quotes_and_comments_part_nothing(text: str, statements: list[str]) -> None:
    assert statements_of(text) == statements


def test_each_question_is_planned_under_its_heading(
    command: Command, policy: Path, questions: Path
) -> None:
    ended = command("plan", policy, "--sql-file", questions, "--epsilon", "0.5")
    assert ended.code == 0
    heads = ["1 of 3  SELECT ward,", "2 of 3  SELECT COUNT(*)", "3 of 3  SELECT AVG(stay)"]
    places = [ended.out.index(head) for head in heads]
    assert places == sorted(places)
    assert "about 4 such questions fit" in ended.out
    assert "about 2 such questions fit" in ended.out  # as if those before were paid
    data = json.loads(
        command("plan", policy, "--sql-file", questions, "--epsilon", "1", "--json").out
    )
    assert [one["covered"] for one in data] == [True, True, False]
    assert charges(policy) == 0


def test_each_is_answered_with_its_own_key_and_files(
    command: Command, policy: Path, questions: Path
) -> None:
    table = policy.parent / "wards.csv"
    words = ("ask", policy, "--sql-file", questions, "--epsilon", "0.5", "--key", "monday")
    ended = command(*words, "--csv", table)
    assert ended.code == 0
    assert ended.out.count("cost      ε = 0.5") == 3
    for place, head in enumerate(["ward,patients", "n,n_lower", "mean_stay,mean_stay_lower"], 1):
        written = (policy.parent / f"wards-{place}.csv").read_text()
        assert written.startswith(head)
    assert charges(policy) == 3
    again = json.loads(command(*words, "--json").out)
    assert [one["already_paid"]["entry"] for one in again] == [2, 4, 6]
    assert charges(policy) == 3
    alone = command("ask", policy, COUNT, "--epsilon", "0.5", "--key", "monday 2")
    assert alone.code == 2  # the key is that of the second question


def test_all_are_refused_if_the_budget_does_not_cover_all(
    command: Command, policy: Path, questions: Path
) -> None:
    ended = command("ask", policy, "--sql-file", questions, "--epsilon", "0.8")
    assert (ended.code, ended.out) == (3, "")
    assert "the budget covers the first 2 of the 3 questions" in ended.error.lower()
    assert "Nothing was read or spent." in ended.error
    assert charges(policy) == 0
    beyond = command("ask", policy, "--sql-file", questions, "--epsilon", "3")
    assert "not even the first of the 3" in beyond.error


def test_what_a_key_has_paid_for_is_not_paid_again(
    command: Command, policy: Path, questions: Path
) -> None:
    words = ("ask", policy, "--sql-file", questions, "--key", "k", "--epsilon", "0.5")
    assert command(*words).code == 0
    assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0  # nothing is left
    assert command(*words).code == 0
    assert charges(policy) == 4


def test_with_an_analyst_cap_it_is_that_which_counts(
    command: Command, policy: Path, questions: Path
) -> None:
    policy.write_text("analyst_budget = { epsilon = 1 }\n" + policy.read_text())
    words = ("ask", policy, "--sql-file", questions, "--epsilon", "0.5", "--analyst", "ann")
    assert "covers the first 2 of the 3" in command(*words).error
    assert charges(policy) == 0


def test_a_wrong_question_is_named_and_nothing_is_paid(
    command: Command, policy: Path, questions: Path
) -> None:
    questions.write_text(f"{COUNT}; SELECT AVG(stya) AS s FROM visits")
    for verb in ("plan", "ask"):
        ended = command(verb, policy, "--sql-file", questions, "--epsilon", "0.5")
        assert (ended.code, ended.out) == (2, "")
        assert "in question 2 of" in ended.error
        assert "'stya'" in ended.error
    assert charges(policy) == 0


def test_spend_is_a_part_for_each(command: Command, policy: Path, questions: Path) -> None:
    words = ("plan", policy, "--sql-file", questions, "--spend", "40%", "--json")
    ended = command(*words)
    assert ended.code == 3  # the third finds less than 40%
    assert "In question 3 of" in ended.error
    assert command("ask", policy, "--sql-file", questions, "--spend", "30%").code == 0
    assert charges(policy) == 3


@pytest.mark.parametrize(
    ("content", "part"),
    [(b"", "no question"), (b"-- nothing;", "no question"), (b"\xff\xfe", "not text in UTF-8")],
)
def test_a_file_without_questions_is_refused(
    command: Command, policy: Path, questions: Path, content: bytes, part: str
) -> None:
    questions.write_bytes(content)
    ended = command("plan", policy, "--sql-file", questions, "--epsilon", "1")
    assert ended.code == 2
    assert part in ended.error


def test_one_of_the_two_is_given(command: Command, policy: Path, questions: Path) -> None:
    both = command("ask", policy, COUNT, "--sql-file", questions, "--epsilon", "1")
    assert both.code == 2
    assert "a question and --sql-file are given" in both.error.lower()
    neither = command("ask", policy, "--epsilon", "1")
    assert neither.code == 2
    assert "no question is given" in neither.error.lower()
    gone = command("plan", policy, "--sql-file", policy.parent / "none.sql", "--epsilon", "1")
    assert gone.code == 2
    assert "cannot be read" in gone.error


def test_an_answer_that_is_paid_for_is_shown_whatever_comes_after_it(
    command: Command, policy: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.release import table
    from discreet.release.run import run_and_noise

    runs = []

    def fail_at_last(*arguments: object) -> object:
        runs.append(1)
        if len(runs) == 3:
            raise KeyboardInterrupt
        return run_and_noise(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(table, "run_and_noise", fail_at_last)
    ended = command("ask", policy, "--sql-file", questions, "--epsilon", "0.5", "--json")
    assert ended.code == 4
    assert len(json.loads(ended.out)) == 2
