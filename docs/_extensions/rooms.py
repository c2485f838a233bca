"""Draws the rooms of the source and the imports between them, read from the source itself.

A room stands below all that it imports.  An import that follows from two others is left out, so
that what is drawn is the least that shows the order.  Single files that import no room are listed
above, without lines: most rooms import some of them.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from html import escape
from itertools import accumulate, pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.package_source import import_graph, package_files

WIDTH = 640
_BOX = (118, 40)
_GAP = 26
"""Between two boxes of a row, or a box and a line that passes."""
_ROW = 78
_TOP = 16
_STRIP = 46
_SWEEPS = 24


def room_graph() -> tuple[dict[str, set[str]], Counter[str]]:
    """The rooms that each room imports, and how many files it has; not ``python -m discreet``."""
    files = [file for file in package_files() if file.room != "__main__"]
    rooms = {str(file.path): file.room for file in files}
    graph: dict[str, set[str]] = {}
    for path, imported in import_graph(files).items():
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


def single_files(graph: dict[str, set[str]]) -> list[str]:
    """The files beside the rooms that import no room."""
    files = {file.room for file in package_files() if len(file.path.parts) == 1} & set(graph)
    while outside := {file for file in files if graph[file] - files}:
        files -= outside
    return sorted(files)


def levels(graph: dict[str, set[str]]) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The rooms in rows, each below all that it imports, and the lines from row to row.

    An import that passes a row has a place in it, named ``room>other>row``, so that no box hides
    it.
    """
    depth: dict[str, int] = {}

    def deep(room: str) -> int:
        if room not in depth:
            depth[room] = 1 + max((deep(other) for other in graph[room]), default=-1)
        return depth[room]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(deep, graph)))]
    for room in sorted(graph):
        rows[depth[room]].append(room)
    lines = []
    for room in sorted(graph):
        for other in sorted(graph[room]):
            for row in range(depth[other] + 1, depth[room]):
                rows[row].append(f"{room}>{other}>{row}")
            lines += pairwise(way(room, other, depth))
    return rows, lines


def way(room: str, other: str, depth: dict[str, int]) -> list[str]:
    """A room, its places in the rows between, and the room that it imports."""
    between = range(depth[room] - 1, depth[other], -1)
    return [room, *(f"{room}>{other}>{row}" for row in between), other]


def places(rows: list[list[str]], lines: list[tuple[str, str]]) -> dict[str, int]:
    """How far to the right each room is: near those that it is joined to, and beside the others.

    Computed without floats, so that every machine draws the same picture.
    """
    beside: dict[str, list[str]] = {}
    for one, other in lines:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    place = {room: index * _ROW for row in rows for index, room in enumerate(row)}
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = {
                room: _mean([place[near] for near in beside.get(room, [room])]) for room in row
            }
            if sweep < _SWEEPS // 2:
                row.sort(key=lambda room: wanted[room])
            place |= _apart(row, wanted)
    left = min(place[room] - _wide(room) // 2 for room in place)
    right = max(place[room] + _wide(room) // 2 for room in place)
    return {room: x + (WIDTH - left - right) // 2 for room, x in place.items()}


def _apart(row: list[str], wanted: dict[str, Fraction]) -> dict[str, int]:
    """The places of a row in its order, no box on another, as near as can be to those wanted.

    Less the room that those before take, places must not decrease: the nearest such places are
    the means of runs that are joined where they would.
    """
    widths = [(_wide(one) + _wide(other)) // 2 + _GAP for one, other in pairwise(row)]
    taken = list(accumulate(widths, initial=0))
    runs: list[list[Fraction]] = []
    for room, before in zip(row, taken, strict=True):
        runs.append([wanted[room] - before])
        while len(runs) > 1 and _mean(runs[-2]) > _mean(runs[-1]):
            runs[-2:] = [runs[-2] + runs[-1]]
    least = [round(_mean(run)) for run in runs for _ in run]
    return {room: x + before for room, x, before in zip(row, least, taken, strict=True)}


def _wide(room: str) -> int:
    return 0 if ">" in room else _BOX[0]


def _mean(numbers: Sequence[int | Fraction]) -> Fraction:
    return Fraction(sum(numbers)) / len(numbers)


def rooms_svg() -> str:
    """The picture."""
    graph, files = room_graph()
    single = single_files(graph)
    shown = reduced({room: graph[room] - set(single) for room in graph if room not in single})
    rows, lines = levels(shown)
    across = places(rows, lines)
    depth = {room: index for index, row in enumerate(rows) for room in row}
    box, height = _BOX
    first = _TOP + _STRIP + height / 2
    center = {room: (across[room], first + depth[room] * _ROW) for room in across}
    paths = [
        _line([center[place] for place in way(room, other, depth)])
        for room in sorted(shown)
        for other in sorted(shown[room])
    ]
    boxes = [_box(room, files[room], *center[room], box, height) for room in sorted(shown)]
    tall = _TOP + _STRIP + len(rows) * _ROW - (_ROW - height) + _TOP
    listed = "Files that any room may import: " + ", ".join(single)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" '
            'font-family="system-ui, sans-serif" role="img">',
            "<title>The rooms of the source; each imports only rooms above it</title>",
            f'<rect width="{WIDTH}" height="{tall}" fill="#ffffff"/>',
            f'<text x="{WIDTH // 2}" y="{_TOP + 16}" text-anchor="middle" font-size="13" '
            f'fill="#51607a">{escape(listed)}</text>',
            '<g stroke="#8a94a6" stroke-width="1.2" fill="none">',
            *paths,
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
