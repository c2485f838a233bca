"""What the source of the ledger must not hold."""

import ast
import re

from tests.support.package_source import imported_names, package_files

SURVEYS = "survey/report_store.py"  # keeps reports in SQLite, in tables of its own


def test_no_statement_changes_or_removes_what_was_written() -> None:
    texts = {str(file.path): file.text for file in package_files() if file.room == "ledger"}
    assert "ledger/records.py" in texts
    for path, text in texts.items():
        found = re.findall(r"\b(?:UPDATE|DELETE FROM|TRUNCATE|REPLACE INTO)\s+discreet_\w+", text)
        assert found == [], path


def test_only_the_ledger_appends_to_a_ledger() -> None:
    inner = ("discreet.ledger.journal", "discreet.ledger.records", "discreet.ledger.charges")
    found = [
        f"{file.path}:{node.lineno}"
        for file in package_files()
        if file.room != "ledger"
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported_names(node, file)
        if name.startswith(inner)
        or (name.partition(".")[0] == "sqlite3" and str(file.path) != SURVEYS)
    ]
    assert found == []


def test_the_database_of_a_survey_is_no_ledger() -> None:
    texts = [file.text for file in package_files() if file.room == "survey"]
    assert texts
    assert not any(
        re.search(r"\b(?:FROM|INTO|UPDATE|TABLE)\s+discreet_\w+", text) for text in texts
    )
