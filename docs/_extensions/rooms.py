"""Draws the rooms of the source and the imports between them, read from the source itself.

A room stands below all that it imports.  An import that follows from two others is left out, so
that what is drawn is the least that shows the order.
"""

import sys
from collections import Counter
from html import escape
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.package_source import import_graph, package_files

WIDTH = 860
_BOX = (118, 40)
_ROW = 78
_TOP = 16


def room_graph() -> tuple[dict[str, set[str]], Counter[str]]:
    """The rooms that each room imports, and how many files it has."""
    rooms = {str(file.path): file.room for file in package_files()}
    graph: dict[str, set[str]] = {}
    for path, imported in import_graph(package_files()).items():
        graph.setdefault(rooms[path], set()).update(rooms[other] for other in imported)
    named = Counter(room for path, room in rooms.items() if not path.endswith("__init__.py"))
    return {room: found - {room} for room, found in graph.items()}, named


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports that do not follow from others."""
    reach: dict[str, set[str]] = {}

    def reached(room: str) -> set[str]:
        if room not in reach:
            reach[room] = graph[room].union(*(reached(other) for other in graph[room]))
        return reach[room]

    return {
        room: {other for other in found if not any(other in reached(via) for via in found)}
        for room, found in graph.items()
    }


def levels(graph: dict[str, set[str]]) -> list[list[str]]:
    """The rooms in rows, each below all that it imports.

    An import that passes a row has a place in it, named ``room>other``, so that no box hides it.
    """
    depth: dict[str, int] = {}

    def deep(room: str) -> int:
        if room not in depth:
            depth[room] = 1 + max((deep(other) for other in graph[room]), default=-1)
        return depth[room]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(deep, graph)))]
    above: dict[str, list[str]] = {}
    for room in sorted(graph):
        rows[depth[room]].append(room)
        above[room] = [_passing(room, other, depth, rows, above) for other in sorted(graph[room])]
    place: dict[str, float] = {}
    for row in rows:
        row.sort(key=lambda room: _middle([place[other] for other in above[room]]))
        place.update({room: (index + 1) / (len(row) + 1) for index, room in enumerate(row)})
    return rows


def _passing(
    room: str, other: str, depth: dict[str, int], rows: list[list[str]], above: dict[str, list[str]]
) -> str:
    """What is in the row above a room on the way to another: that one, or a place in between."""
    upper = other
    for row in range(depth[other] + 1, depth[room]):
        place = f"{room}>{other}>{row}"
        rows[row].append(place)
        above[place] = [upper]
        upper = place
    return upper


def _middle(places: list[float]) -> float:
    return sum(places) / len(places) if places else 0.5


def rooms_svg() -> str:
    """The picture."""
    graph, files = room_graph()
    shown = reduced(graph)
    rows = levels(shown)
    box, height = _BOX
    center = {
        room: (WIDTH * (index + 1) / (len(row) + 1), _TOP + depth * _ROW + height / 2)
        for depth, row in enumerate(rows)
        for index, room in enumerate(row)
    }
    depth = {room: index for index, row in enumerate(rows) for room in row}
    lines = []
    for room in shown:
        for other in sorted(shown[room]):
            between = range(depth[room] - 1, depth[other], -1)
            way = [center[f"{room}>{other}>{row}"] for row in between]
            lines.append(_line([center[room], *way, center[other]]))
    boxes = [_box(room, files[room], *center[room], box, height) for room in shown]
    tall = _TOP + len(rows) * _ROW - (_ROW - height) + _TOP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" '
            'font-family="system-ui, sans-serif" role="img">',
            "<title>The rooms of the source; each imports only rooms above it</title>",
            f'<rect width="{WIDTH}" height="{tall}" fill="#ffffff"/>',
            '<g stroke="#8a94a6" stroke-width="1.2" fill="none">',
            *lines,
            "</g>",
            *boxes,
            "</svg>",
        ]
    )


def _line(points: list[tuple[float, float]]) -> str:
    """A line from a room up to another, straight through the rows that it passes."""
    half = _BOX[1] / 2
    x, y = points[0]
    path = f"M{x:.0f} {y - half:.0f}"
    for (x, y), (to, top) in pairwise(points):
        start, end = y - half, top + half
        bend = (start - end) / 2
        path += f"C{x:.0f} {start - bend:.0f} {to:.0f} {end + bend:.0f} {to:.0f} {end:.0f}"
        if (to, top) != points[-1]:
            path += f"V{top - half:.0f}"
    return f'<path d="{path}"/>'


def _box(room: str, files: int, x: float, y: float, width: int, height: int) -> str:
    count = f"{files} file{'s' * (files != 1)}"
    return (
        f'<g text-anchor="middle"><rect x="{x - width / 2:.0f}" y="{y - height / 2:.0f}" '
        f'width="{width}" height="{height}" rx="6" fill="#eef3fb" stroke="#3b6fb5"/>'
        f'<text x="{x:.0f}" y="{y - 2:.0f}" font-size="14" fill="#12233d">{escape(room)}</text>'
        f'<text x="{x:.0f}" y="{y + 13:.0f}" font-size="10.5" fill="#51607a">{count}</text></g>'
    )
