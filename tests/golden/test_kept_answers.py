"""Answers that 0.2.0 gave are given again, by their keys and by their entries, for nothing."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.ledger import Ledger
from discreet.ledger.entries import Anchor
from discreet.release.certificate import Certificate, check_certificate

WRITTEN = Path(__file__).parent / "0.2.0"
ASKED: dict[str, dict[str, Any]] = json.loads((WRITTEN / "asked.json").read_text())
pytestmark = pytest.mark.filterwarnings("ignore:epsilon is")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, to be written to."""
    return Path(shutil.copytree(WRITTEN, tmp_path_factory.mktemp("kept") / "0.2.0"))


def test_the_ledger_is_sound_and_agrees_with_every_certificate(folder: Path) -> None:
    with Ledger(folder / "kept.ledger", read_only=True) as ledger:
        anchor = Anchor.load(folder / "kept.anchor.json")
        assert ledger.verify(anchor).problems == ()
        for name in ASKED:
            certificate = Certificate.load(folder / "answers" / f"{name}.json")
            assert check_certificate(certificate, ledger) == [], name


@pytest.mark.parametrize("name", ASKED)
def test_a_key_gives_its_answer_again(folder: Path, name: str) -> None:
    asked = ASKED[name]
    price = {field: asked[field] for field in asked if field not in ("table", "sql")}
    with dp.table(folder / f"{asked['table']}.toml") as table:
        spent = table.budget.spent
        again = table.sql(asked["sql"], key=name, analyst="ann", **price)
        assert table.budget.spent == spent
        assert _same(again, name)


@pytest.mark.parametrize("name", ASKED)
def test_an_entry_gives_its_answer_again(folder: Path, name: str) -> None:
    certificate = Certificate.load(folder / "answers" / f"{name}.json")
    with dp.table(folder / f"{ASKED[name]['table']}.toml") as table:
        assert _same(table.paid(certificate.entry), name)


def _same(answer: dp.Release, name: str) -> bool:
    """Whether the released numbers are those that were given; intervals may say more now."""
    kept = json.loads((WRITTEN / "answers" / f"{name}.json").read_text())
    for row, before in zip(answer.rows(), kept["rows"], strict=True):
        for column in (*answer.keys, *answer.columns):
            # Numbers of people that caps make fractions have a column of their own since.
            if _plain(row.get(f"{column}_exact", row[column])) != _plain(before[column]):
                return False
    return True


def _plain(value: Any) -> Any:
    """A number or a label as JSON has it."""
    return value if value is None or isinstance(value, bool | int | float) else str(value)
