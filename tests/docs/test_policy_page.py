"""The page about policies names every field, and its policies are read."""

import re
from pathlib import Path

import pytest

from discreet.policy import reader
from discreet.policy.reader import read_policy

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "policy.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def named(*sections: str) -> set[str]:
    """The fields that the tables of these sections name in their first cells."""
    rows = [line for one in sections for line in SECTIONS[one].splitlines()]
    cells = [line.split("|")[1] for line in rows if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_every_field_of_a_table_is_named_and_no_other() -> None:
    own_sections = {"budget", "analyst_budget", "columns", "private", "public"}
    assert named("The table", "Caps and ceilings") == set(reader._FIELDS) - own_sections
    headings = set(re.findall(r"\[(\w+)", " ".join(SECTIONS)))
    assert headings == own_sections


def test_every_field_of_a_budget_is_named() -> None:
    assert named("`[budget]` and `[analyst_budget]`") == set(reader._BUDGET)


def test_every_type_is_named_with_its_fields() -> None:
    rows = re.findall(r'^\| `"(\w+)"` \|(.*?)\|', SECTIONS["`[columns]`"], re.MULTILINE)
    stated = {kind: {"type", *re.findall(r"`(\w+)`", fields)} for kind, fields in rows}
    declared = {kind: set(reader._COLUMN_FIELDS.get(kind, ("type",))) for kind in reader.TYPES}
    assert stated == declared
    fields = {name for found in declared.values() for name in found}
    types = {f'"{kind}"' for kind in reader.TYPES}
    assert named("`[columns]`") == fields | types


def test_every_field_of_another_table_is_named() -> None:
    assert named("`[private.NAME]`") == set(reader._BESIDE)


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL))
def test_the_policies_on_the_page_are_read(text: str, tmp_path: Path) -> None:
    place = tmp_path / "visits.toml"
    for name in re.findall(r'source\s*= "(\w+\.csv)"', text):
        (tmp_path / name).write_text("patient_id,sex\n")
    place.write_text(text)
    assert read_policy(place)["columns"]
