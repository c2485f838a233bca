"""One version and one date in the package, its citation and the changelog; it is easy to read."""

import re
import tomllib
from datetime import date

import yaml

import discreet
from tests.support.clone import ROOT

CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HEADS = re.findall(r"^## (.*)$", CHANGELOG, re.M)
VERSIONS = [one for one in HEADS if one != "Unreleased"]
KINDS = ["What you have to do", "New", "Changed", "Mended"]


def test_the_package_takes_its_version_from_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/discreet/__init__.py"


def test_the_citation_is_of_the_newest_version_and_its_day() -> None:
    number, day = VERSIONS[0].split(", ")
    assert number == discreet.__version__ == CITATION["version"]
    assert CITATION["date-released"] == date.fromisoformat(day)


def test_the_citation_has_what_its_format_asks_for() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["keywords"] == PROJECT["project"]["keywords"]
    assert CITATION["authors"] == PROJECT["project"]["authors"]
    for name in ("message", "title"):
        assert isinstance(CITATION[name], str), name


def test_versions_are_dated_and_the_newest_is_first() -> None:
    found = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+), (\d{4}-\d\d-\d\d)", one) for one in VERSIONS]
    assert all(found), VERSIONS
    assert HEADS in (VERSIONS, ["Unreleased", *VERSIONS])
    numbers = [tuple(map(int, one.groups()[:3])) for one in found if one]
    days = [date.fromisoformat(one[4]) for one in found if one]
    assert numbers == sorted(numbers, reverse=True)
    assert days == sorted(days, reverse=True)


def test_changes_are_grouped_by_what_users_see() -> None:
    newest = re.split(r"^## ", CHANGELOG, flags=re.M)[1]
    assert re.findall(r"^### (.*)$", newest, re.M) == KINDS
    for change in re.findall(r"^- .*(?:\n  .*)*", CHANGELOG, re.M):
        assert change.count("\n") < 3, f"more than three lines: {change[:60]}"
