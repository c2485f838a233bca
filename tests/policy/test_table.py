"""A policy opens a table: what it declares is what the ledger holds."""

from pathlib import Path

import pytest

import discreet as dp
from discreet.errors import DeclarationError, PolicyError
from tests.cli.tables import write_visits


def test_a_table_is_opened_from_its_policy(tmp_path: Path) -> None:
    policy = write_visits(tmp_path)
    policy.write_text(policy.read_text() + '[public.wards]\nsource = "wards.csv"\n')
    with dp.table(str(policy)) as visits:
        answer = visits.group_by("ward").agg(n=dp.people()).release(epsilon=1)
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
