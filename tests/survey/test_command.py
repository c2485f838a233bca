"""``discreet survey`` from a first poll to its results."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.cli.exit_codes import run_command
from discreet.cli.main import discreet
from discreet.local import read_export
from discreet.survey.poll import read_poll
from discreet.survey.poll_schemes import KINDS
from discreet.survey.report_store import ReceivedReport
from discreet.survey.serving import open_poll_store
from discreet.survey.tokens import new_id, token_hash
from discreet.web.addresses import camera_code
from discreet.web.serving import listening
from tests.survey.hosts import hosting, write_poll

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def survey(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ending:
            run_command(lambda: discreet(["survey", *map(str, words)], prog_name="discreet"))
        captured = capsys.readouterr()
        assert isinstance(ending.value.code, int)
        return ending.value.code, captured.out, captured.err

    return call


def test_a_new_poll_can_be_rehearsed(survey: Command, tmp_path: Path) -> None:
    path = tmp_path / "poll.toml"
    assert survey("new", path)[0] == 0
    code, out, _ = survey("simulate", path, "--respondents", 400)
    assert code == 0
    assert "400 fake respondents, randomized-response, ε = 1" in out
    assert "A forged report shifts a share by at most 0.55%" in out
    assert not (tmp_path / "poll.db").exists()
    code, _, error = survey("new", path)
    assert code == 2
    assert "never overwritten" in error
    code, _, error = survey("new", tmp_path / "none" / "poll.toml")
    assert code == 2
    assert "folder that exists" in error


@pytest.mark.parametrize("kind", KINDS)
def test_every_scheme_can_be_rehearsed(survey: Command, tmp_path: Path, kind: str) -> None:
    code, out, _ = survey("simulate", write_poll(tmp_path, scheme=kind), "--respondents", 50)
    assert code == 0
    assert kind in out
    assert "canary-south" in out


def test_a_number_is_rehearsed_and_its_mean_is_shown(survey: Command, tmp_path: Path) -> None:
    path = write_poll(tmp_path, answers=None, low=0, high=40)
    code, out, _ = survey("simulate", path, "--respondents", 50)
    assert code == 0
    assert "50 fake respondents, duchi, ε = 1 for each" in out
    assert "1 intervals hold the truth" in out
    assert "shifts the mean by at most" in out
    scheme = read_poll(path).questions[0].scheme
    stored(path, scheme.randomize([10] * 60).tolist())
    code, out, _ = survey("results", path)
    assert code == 0
    assert "60 reports" in out
    assert re.search(r"mean +at least +at most", out)
    assert "forges the report" in out
    found = json.loads(survey("results", path, "--json")[1])
    (asked,) = found["questions"]
    assert asked["shares"] == []
    assert asked["mean"]["lower"] <= asked["mean"]["value"] <= asked["mean"]["upper"]
    lines = survey("results", path, "--csv")[1].splitlines()
    assert lines[0] == "mean,error,lower,upper"
    assert float(lines[1].split(",")[0]) == asked["mean"]["value"]


def stored(path: Path, reports: list[int]) -> None:
    poll = read_poll(path)
    store = open_poll_store(poll)
    entries = [ReceivedReport(new_id(), "2030-01-02", str(report)) for report in reports]
    store.add(
        entries,
        lambda tally, more: poll.ballot.counted(tally, [one.report for one in more]),
        {"malformed": 3},
    )
    store.close()


def test_results_are_shown_and_written(survey: Command, tmp_path: Path) -> None:
    path = write_poll(tmp_path, scheme="randomized-response")
    code, _, error = survey("results", path)
    assert code == 2
    assert "no database" in error
    stored(path, [0] * 60 + [1] * 30 + [2] * 30)
    code, out, _ = survey("results", path)
    assert code == 0
    assert "120 reports, ε = 1 for each" in out
    assert "Refused: malformed 3." in out
    assert "forge" in out
    code, out, _ = survey("results", path, "--json")
    found = json.loads(out)
    assert (code, found["reports"], found["refused"]) == (0, 120, {"malformed": 3})
    assert found["questions"][0]["shares"][0]["share"] == pytest.approx(
        (0.5 - 0.2119415576) / (0.5761168848 - 0.2119415576)
    )
    code, out, _ = survey("results", path, "--csv")
    assert code == 0
    assert out.splitlines()[0] == "answer,share,error,lower,upper"
    assert len(out.splitlines()) == 4
    assert survey("results", path, "--csv", "--json")[0] == 2


def test_results_without_a_report_are_empty(survey: Command, tmp_path: Path) -> None:
    path = write_poll(tmp_path)
    open_poll_store(read_poll(path)).close()
    code, out, _ = survey("results", path)
    assert code == 0
    assert "0 reports" in out


def test_a_poll_that_protects_little_says_so(survey: Command, tmp_path: Path) -> None:
    code, _, error = survey("simulate", write_poll(tmp_path, epsilon=8), "--respondents", 50)
    assert code == 0
    assert "2.98e+03 times as likely" in error
    assert error.count("protects little") == 1
    assert "a great deal" not in survey("simulate", write_poll(tmp_path), "--respondents", 5)[2]


def test_tokens_do_not_take_over_a_poll_that_is_served(survey: Command, tmp_path: Path) -> None:
    open_poll_store(read_poll(write_poll(tmp_path, tokens="one-time"))).close()
    path = write_poll(tmp_path, tokens="one-time", question="Where to?")
    code, out, error = survey("tokens", path, "--number", 5)
    assert (code, out) == (2, "")
    assert "Serve the poll again" in error


def test_nothing_is_announced_that_cannot_be_served(survey: Command, tmp_path: Path) -> None:
    for fields, options, said in (
        ({"database": "none/poll.db"}, (), "no folder"),
        ({}, ("--proxy", "nginx"), "--proxy is not an address"),
        ({}, ("--host", "no.such.host.invalid"), "not an address of this machine"),
        ({}, ("--host", "192.0.2.1"), "not an address of this machine"),
    ):
        code, out, error = survey("serve", write_poll(tmp_path, **fields), "--port", 0, *options)
        assert (code, out) == (2, "")
        assert said in error


@pytest.mark.parametrize(
    "address", ["survey.example.org", "https://a/?b", "https://a/#b", "ftp://a"]
)
def test_a_link_needs_the_address_of_a_page(survey: Command, tmp_path: Path, address: str) -> None:
    path = write_poll(tmp_path, tokens="one-time")
    code, out, error = survey("tokens", path, "--address", address)
    assert (code, out) == (2, "")
    assert "--address" in error


def test_tokens_are_printed_once_and_stored_as_hashes(survey: Command, tmp_path: Path) -> None:
    path = write_poll(tmp_path, tokens="one-time")
    code, out, _ = survey("tokens", path, "--number", 5)
    made = out.split()
    assert code == 0
    assert len(set(made)) == 5
    assert all(re.fullmatch("[0-9a-z]{24}", token) for token in made)
    code, out, _ = survey("tokens", path, "--number", 1, "--address", "https://example.org/")
    assert re.fullmatch(r"https://example\.org/#token=[0-9a-z]{24}", out.strip())
    store = open_poll_store(read_poll(path))
    assert store.tokens() == (6, 0)
    store.close()
    database = (tmp_path / "poll.db").read_bytes()
    assert made[0].encode() not in database
    assert token_hash(made[0]).encode() in database
    code, _, error = survey("tokens", write_poll(tmp_path), "--number", 5)
    assert code == 2
    assert "open to everyone" in error


def test_a_port_that_is_taken_is_told(survey: Command, tmp_path: Path) -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        code, _, error = survey("serve", write_poll(tmp_path), "--port", port)
    assert code == 2
    assert f"port {port}" in error


def test_a_poll_is_closed_looked_at_and_exported(survey: Command, tmp_path: Path) -> None:
    path = write_poll(tmp_path, scheme="randomized-response")
    for command in ("status", "close", "export"):
        code, _, error = survey(command, path)
        assert code == 2
        assert "no database" in error
    stored(path, [0, 1, 2])
    code, out, _ = survey("status", path)
    assert code == 0
    assert "it takes reports, 3 reports" in out
    assert "malformed 3" in out
    assert survey("close", path)[1] == "No more reports are taken.\n"
    assert "it is closed, 3 reports" in survey("status", path)[1]
    assert json.loads(survey("status", path, "--json")[1])["closed"] is True
    assert ", closed" in survey("results", path)[1]
    assert survey("close", path, "--undo")[0] == 0
    assert json.loads(survey("status", path, "--json")[1])["closed"] is False
    lines = survey("export", path)[1].splitlines()
    assert lines[0] == "day,report"
    assert sorted(lines[1:]) == [f'2030-01-02,"{report}"' for report in range(3)]
    exported = survey("export", path, "--format", "json")[1]
    assert read_export(exported).reports == 3


def test_the_response_rate_is_that_of_tokens(survey: Command, tmp_path: Path) -> None:
    path = write_poll(tmp_path, tokens="one-time", answers=None, low=0, high=40)
    assert survey("tokens", path, "--number", 8)[0] == 0
    assert "0 of 8 tokens were used: 0.0%" in survey("status", path)[1]
    assert json.loads(survey("results", path, "--json")[1])["invited"] == 8
    assert survey("results", path, "--csv")[1] == "mean,error,lower,upper\n"


def test_several_questions_are_rehearsed_and_shown(survey: Command, tmp_path: Path) -> None:
    asked = [
        {"question": "Did you?", "kind": "yes-no"},
        {"question": "What?", "kind": "several", "answers": ["art", "sport"]},
    ]
    path = write_poll(tmp_path, asked, epsilon=2)
    code, out, _ = survey("simulate", path, "--respondents", 50)
    assert code == 0
    assert "Did you?  (yes-no, ε = 1)" in out
    assert "of 4 intervals hold the truth" in out
    open_poll_store(read_poll(path)).close()
    code, out, _ = survey("results", path)
    assert "Directions  0 reports, ε = 2 for each" in out


def test_the_scale_is_said_on_the_command_line(survey: Command, tmp_path: Path) -> None:
    for epsilon, said in ((1, "protects well"), (1.5, "protects some"), (2.9, "protects little")):
        path = write_poll(tmp_path, epsilon=epsilon, database=f"{said[-3:]}.db")
        open_poll_store(read_poll(path)).close()
        assert said in survey("status", path)[1]


def test_the_texts_are_written_to_be_translated(survey: Command) -> None:
    english, arabic = (json.loads(survey("texts", "--language", name)[1]) for name in ("en", "ar"))
    assert list(english) == list(arabic)
    assert arabic["direction"] == "rtl"
    code, _, said = survey("texts", "--language", "de")
    assert code == 2
    assert "There is no table of texts in 'de'. Those that are there are en, ar" in said


def test_a_language_without_texts_is_told_when_the_poll_is_served(tmp_path: Path) -> None:
    for language, texts, told in (("he", "en", True), ("en-GB", "en-GB", False)):
        with hosting(write_poll(tmp_path, language=language)) as host:
            assert host.get("/api/poll")["textsLanguage"] == texts
            host.process.terminate()
            assert host.process.stdout is not None
            said = host.said + host.process.stdout.read()
            host.process.wait()
        assert ("texts around them in English" in said) == told


def test_the_address_in_the_network_has_a_code_for_cameras(tmp_path: Path) -> None:
    with hosting(write_poll(tmp_path), "--qr", "--address", "https://survey.example.org") as host:
        said = host.said + host.stop()
    assert "others   https://survey.example.org/" in said
    assert "for you  https://survey.example.org/operator#key=" in said
    assert camera_code("https://survey.example.org/") in said
    blocks = [line for line in said.splitlines() if set(line) & set("▀▄█")]
    assert len(blocks) > 10
