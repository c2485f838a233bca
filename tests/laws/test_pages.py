"""Pages stand in files of their own: no markup in a string of Python, which nothing escapes."""

import ast
import re

from tests.support.cases import each
from tests.support.package_source import SourceFile, made_up, package_files

MARKUP = re.compile(r"</[a-z]|<!doctype|(?<!\w)<[a-z][a-z0-9]*( [a-z-]+=|>)", re.IGNORECASE)
ESCAPING = {"html.escape", "markupsafe.Markup"}


def written_pages(file: SourceFile) -> list[str]:
    """Where a string holds markup, or escaping is done by hand."""
    found = []
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if MARKUP.search(node.value):
                found.append(f"{file.path}:{node.lineno} holds markup")
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            if names & ESCAPING:
                found.append(f"{file.path}:{node.lineno} escapes by hand")
    return found


def test_no_page_is_written_in_python() -> None:
    assert [place for file in package_files() for place in written_pages(file)] == []


@each(
    "text",
    [
        "row = f'<tr><td>{value}</td></tr>'",
        "row = f'<td class=\"n\">{value}'",
        "page = '<!DOCTYPE html>'",
        "from html import escape",
        "from markupsafe import Markup",
    ],
)
def test_markup_is_seen(text: str) -> None:
    assert written_pages(made_up("release/report.py", text))
