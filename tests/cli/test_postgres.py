"""A policy about a PostgreSQL table: written, planned and asked; its password is nowhere."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.support.postgres_tables import new_table

KINDS = {
    "patient": "bigint",
    "stay": "double precision",
    "age": "integer",
    "ward": "text",
    "day": "date",
    "smoker": "boolean",
    "notes": "jsonb",
}
PASSWORD = "8675309"


@pytest.fixture
def address(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    rows = [(one, one % 20, one % 90, "AB"[one % 2], None, None, None) for one in range(500)]
    monkeypatch.chdir(tmp_path)
    return new_table(server, KINDS, rows)


def test_a_policy_is_made_from_names_and_types(command: Command, address: str) -> None:
    ended = command("init", address, "--unit", "patient", "--output", "visits.toml")
    assert ended.code == 0, ended.error
    text = Path("visits.toml").read_text("utf-8")
    assert tomllib.loads(text)["source"] == address
    for line in ("# stay   = { low = , high = }", "# notes  holds lists", "smoker = {"):
        assert line in text


def test_a_password_is_not_written_into_a_policy(command: Command, address: str) -> None:
    for kept in (address.replace("postgres@", f"postgres:{PASSWORD}@"), f"{address}&password=x"):
        ended = command("init", kept, "--unit", "row", "--output", "visits.toml")
        assert ended.code == 2
        assert "PGPASSWORD" in ended.error
        assert PASSWORD not in ended.error + ended.out
        assert not Path("visits.toml").exists()


def test_a_policy_is_planned_and_asked(command: Command, address: str) -> None:
    secret = address.replace("postgres@", f"postgres:{PASSWORD}@")
    policy = f"""
        source = "{secret}"
        name = "visits"
        unit = "patient"
        max_rows = 1
        max_groups = 1
        ledger = "visits.ledger"
        [budget]
        epsilon = 10
        [columns]
        stay = {{ low = 0, high = 20 }}
        ward = {{ values = ["A", "B"] }}
        [public.wards]
        source = "wards.csv"
    """
    Path("visits.toml").write_text(policy, "utf-8")
    Path("wards.csv").write_text("ward,wing\nA,north\nB,it's south\n", "utf-8")
    question = "SELECT wing, AVG(stay) AS m FROM visits JOIN wards USING (ward) GROUP BY wing"
    planned = command("plan", "visits.toml", question, "--epsilon", "2", "--sql")
    asked = command("ask", "visits.toml", question, "--epsilon", "2", "--json")
    assert (planned.code, asked.code) == (0, 0), planned.error + asked.error
    assert "it's south" in str(json.loads(asked.out))
    shown = [planned.out, planned.error, asked.out, asked.error]
    assert not any(PASSWORD in one for one in shown)
    assert PASSWORD.encode() not in Path("visits.ledger").read_bytes()


def test_a_table_is_named_after_itself(command: Command, address: str) -> None:
    name = address.rpartition("=")[2]
    ended = command("init", address, "--unit", "patient")
    assert ended.code == 0, ended.error
    assert tomllib.loads(Path(f"{name}.toml").read_text("utf-8"))["name"] == name
