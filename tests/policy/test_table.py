"""A policy opens a table: what it declares is what the ledger holds."""

from pathlib import Path

import pytest

import discreet as dp
from discreet.errors import DeclarationError, PolicyError
from tests.support.visits_policy import write_visits

TABLES = """
[public.wards]
source = "wards.csv"
[private.people]
source = "people.csv"
unit = "id"
max_rows = 1
[private.people.columns]
sex = { values = ["f", "m"] }
"""


def test_a_table_is_opened_from_its_policy(tmp_path: Path) -> None:
    policy = write_visits(tmp_path)
    policy.write_text(policy.read_text() + TABLES)
    (tmp_path / "wards.csv").write_text("ward,floor\nA,1\nB,2\nC,2\n")
    (tmp_path / "people.csv").write_text("id,sex\n1,f\n2,m\n")
    with dp.table(str(policy)) as visits:
        answer = visits.group_by("ward").agg(n=dp.people()).release(epsilon=1)
        joined = visits.ask(
            "SELECT sex, floor, COUNT(*) FROM visits JOIN people ON patient_id = id "
            "JOIN wards USING (ward) GROUP BY sex, floor"
        ).release(epsilon=1)
    assert joined.groups == (("f", 1), ("f", 2), ("m", 1), ("m", 2))
    assert [group[0] for group in answer.groups] == ["A", "B", "C"]
    assert answer.certificate.unit == "patient_id"
    assert (tmp_path / "visits.ledger").exists()


def test_a_policy_that_changed_is_refused_with_both_shown(tmp_path: Path) -> None:
    policy = write_visits(tmp_path)
    dp.table(policy).close()
    policy.write_text(policy.read_text().replace("high = 60", "high = 61"))
    with pytest.raises(DeclarationError, match=r'"60".*"61"'):
        dp.table(policy)


def test_nothing_is_declared_beside_a_policy(tmp_path: Path) -> None:
    policy = write_visits(tmp_path)
    with pytest.raises(PolicyError, match="unit="):
        dp.table(policy, unit="row")
