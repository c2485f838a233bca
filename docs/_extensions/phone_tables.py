"""Gives each cell of a wide table the heading of its column, so that on a phone a row is a card.

A table of two columns fits; of more, all after the second would be beyond the edge.  ``site.css``
shows the headings where the screen is narrow.
"""

import re
from html import escape, unescape
from typing import Any

_TABLE = re.compile(r'<table class="docutils([^"]*)">(.*?)</table>', re.DOTALL)
_ROW = re.compile(r"<tr\b[^>]*>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t([dh])\b([^>]*)>(.*?)</t\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_FEWEST = 3


def with_headings(page: str) -> str:
    """The page, whose wide tables say in each cell what its column is called.

    >>> row = "<tr><td>1</td><td>2</td><td>3</td></tr>"
    >>> head = "<tr><th><p>a</p></th><th>b</th><th>c</th></tr>"
    >>> with_headings(f'<table class="docutils"><thead>{head}</thead>{row}</table>')[-89:]
    '<tr><td data-head="a">1</td><td data-head="b">2</td><td data-head="c">3</td></tr></table>'
    """
    return _TABLE.sub(_headed, page)


def _headed(table: re.Match[str]) -> str:
    kinds, inside = table.groups()
    first, *_ = _ROW.findall(inside)
    heads = [unescape(_TAG.sub("", text)).strip() for _, _, text in _CELL.findall(first)]
    if len(heads) < _FEWEST or "<thead>" not in inside:
        return table[0]

    def named(row: re.Match[str]) -> str:
        if row[0] == first:
            return first
        cells = iter(heads)
        return _CELL.sub(lambda cell: _named(cell, next(cells, "")), row[0])

    return f'<table class="docutils{kinds} wide">{_ROW.sub(named, inside)}</table>'


def _named(cell: re.Match[str], head: str) -> str:
    kind, attributes, inside = cell.groups()
    return f'<t{kind}{attributes} data-head="{escape(head)}">{inside}</t{kind}>'


def _on_page(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    if "body" in context:
        context["body"] = with_headings(context["body"])


def setup(app: Any) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.connect("html-page-context", _on_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
