"""No value of the rows reaches the screen, a file or the ledger, whatever command fails."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.support.trials import all_but
from tests.support.visits_policy import BY_WARD, CANARY, CANARY_NUMBER, COUNT, write_visits

TOWNS = "SELECT town, COUNT(DISTINCT patient_id) AS n FROM visits GROUP BY town"
QUESTIONS = [
    (BY_WARD, "--epsilon", "0.1"),
    (BY_WARD, "--epsilon", "0.1", "--json"),
    (COUNT, "--epsilon", "0.1", "--key", "k"),
    (TOWNS, "--epsilon", "0.1", "--delta", "1e-9"),
    ("SELECT SUM(stay) AS s, AVG(stay) AS a, MAX(stay) AS m FROM visits", "--epsilon", "0.1"),
    ("SELECT ward, AVG(town) AS a FROM visits GROUP BY ward", "--epsilon", "0.1"),
    ("SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id", "--epsilon", "0.1"),
    ("SELECT COUNT(*) AS n FROM visits WHERE stay / (stay - stay) > 0", "--epsilon", "0.1"),
    ("SELECT COUNT(*) AS n FROM visits WHERE town > 3", "--epsilon", "0.1"),
    ("SELECT * FROM visits", "--epsilon", "0.1"),
    ("SELECT COUNT(*) AS n FROM visits WHERE", "--epsilon", "0.1"),
    (COUNT, "--epsilon", "100"),
]
WRONG_POLICIES = [
    ("unit       =", "unti ="),
    ('"patient_id"', '"patient"'),
    ("town   =", "twon ="),
    ("stay   = { low = 0", "stay   = { low = 90"),
    ('smoker = { type = "boolean" }', 'smoker = { type = "bool" }'),
    ("visits.csv", "other.csv"),
]


def outputs(command: Command, folder: Path, policy: Path) -> list[str]:
    ended = []
    for question in QUESTIONS:
        ended.append(command("plan", policy, *question[:3]))
        files = ("--csv", folder / "answer.csv", "--html", folder / "answer.html")
        ended.append(command("ask", policy, *question, *files))
    ended.append(command("init", folder / "visits.csv", "--output", folder / "new.toml"))
    ended.append(command("budget", policy))
    ended += [command("ledger", verb, policy) for verb in ("history", "export", "verify")]
    written = policy.read_text()
    for old, new in WRONG_POLICIES:
        policy.write_text(written.replace(old, new))
        ended.append(command("ask", policy, COUNT, "--epsilon", "0.1"))
        assert ended[-1].code == 2
    policy.write_text(written)
    return [one.out + one.error for one in ended]


def kept(folder: Path) -> list[str]:
    """Every file but the data, as text."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "visits.csv"]
    assert files
    return [path.read_bytes().decode("utf-8", "replace") for path in files]


@pytest.mark.parametrize(
    "end",
    all_but([""], ["", f'"{CANARY},{CANARY}', f"{CANARY}\x00\n", "\udcff"], pytest.mark.slow),
)
def test_a_planted_value_is_nowhere(command: Command, tmp_path: Path, end: str) -> None:
    policy = write_visits(tmp_path, canary=True)
    with open(tmp_path / "visits.csv", "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(end)
    shown = [*outputs(command, tmp_path, policy), *kept(tmp_path)]
    assert len(shown) > 30
    for text in shown:
        for part in (CANARY, CANARY_NUMBER[:7], "Traceback"):
            assert part not in text, text


def test_the_control_finds_a_value_that_is_released(command: Command, tmp_path: Path) -> None:
    policy = write_visits(tmp_path)
    lines = (tmp_path / "visits.csv").read_text().replace("Bonn", CANARY)
    (tmp_path / "visits.csv").write_text(lines)
    ended = command("ask", policy, TOWNS, "--epsilon", "2", "--delta", "1e-7")
    assert CANARY in ended.out
