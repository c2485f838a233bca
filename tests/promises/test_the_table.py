"""The table of promises in the README names tests that exist, and every test of this folder."""

import re

from tests.support.package_source import ROOT

FOLDER = ROOT / "tests" / "promises"
ROW = re.compile(r"\| (\d+) \|[^|]+\|([^|]*)\|([^|]*)\|")
TEST = re.compile(r"^ *def test_promise_(\d+)(?:_and_(\d+))?_", re.MULTILINE)


def wrong(table: str) -> list[str]:
    """What the table says of files and tests that is not so."""
    rows = [(int(number), here, there) for number, here, there in ROW.findall(table)]
    found = [] if [row[0] for row in rows] == list(range(1, 34)) else ["not every promise once"]
    named = {(f"tests/promises/{file}", n) for n, here, _ in rows for file in marked(here)}
    held = {
        (path.relative_to(ROOT).as_posix(), int(number))
        for path in FOLDER.glob("test_*.py")
        for numbers in TEST.findall(path.read_text("utf-8"))
        for number in numbers
        if number
    }
    found += [f"promise {number} and {file} disagree" for file, number in sorted(named ^ held)]
    for number, _, there in rows:
        for place in marked(there):
            file, _, test = place.partition("::")
            path = ROOT / file
            if not path.is_file() or (test and f"def {test}(" not in path.read_text("utf-8")):
                found.append(f"promise {number}: there is no {place}")
    return found


def marked(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_promise_is_in_the_table_with_tests_that_exist() -> None:
    table = (FOLDER / "README.md").read_text("utf-8")
    assert wrong(table) == []
    # Negative controls: a row that is left out, a test of another name, and one that moved away.
    assert wrong(re.sub(r"\| 17 \|.*\n", "", table)) == ["not every promise once"]
    assert wrong(table.replace("::test_each_analyst_has_a_cap_too", "::test_gone"))
    assert wrong(table.replace("| `test_arithmetic_is_exact.py` |", "| |", 1))
