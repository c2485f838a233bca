"""Golden files: what the code writes, kept so that a change of it is noticed.

A subject is a function that writes texts by their names; its files are in a folder of that name.
A text may have parts, each below a heading, so that a difference names the first part that differs.
"""

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from itertools import islice
from pathlib import Path

FOLDER = Path(__file__).parent / "files"
_HEADING = "=== "
_MOST_LINES = 40
_LONGEST_LINE = 300


def parted(parts: Mapping[str, str]) -> str:
    """Texts below headings, in their order."""
    return "\n".join(f"{_HEADING}{name}\n{text.rstrip()}\n" for name, text in parts.items())


def differences(folder: Path, found: Mapping[str, str]) -> list[str]:
    """What is not as it was kept: a file that is missing, left over, or another."""
    kept = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    said = [f"{folder.name}/{name} is not kept" for name in sorted(found.keys() - kept.keys())]
    said += [f"{folder.name}/{name} is left over" for name in sorted(kept.keys() - found.keys())]
    for name in sorted(found.keys() & kept.keys()):
        before = kept[name].read_bytes().decode()
        if before != found[name]:
            said.append(_difference(f"{folder.name}/{name}", before, found[name]))
    return said


def keep(folder: Path, found: Mapping[str, str]) -> list[str]:
    """Write the files anew; the names of those that were changed, added or removed."""
    changed = []
    for path in _files(folder):
        if path.relative_to(folder).as_posix() not in found:
            path.unlink()
            changed.append(f"{folder.name}/{path.relative_to(folder).as_posix()}")
    for name, text in found.items():
        path = folder / name
        if not path.exists() or path.read_bytes().decode() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            changed.append(f"{folder.name}/{name}")
    return sorted(changed)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _difference(name: str, before: str, now: str) -> str:
    first, second = _parts(before), _parts(now)
    for heading in [*first, *(one for one in second if one not in first)]:
        old, new = first.get(heading), second.get(heading)
        if old != new:
            lines = unified_diff(
                (old or "").splitlines(), (new or "").splitlines(), "kept", "now", lineterm=""
            )
            shown = "\n".join(line[:_LONGEST_LINE] for line in islice(lines, _MOST_LINES))
            where = f"first in the part {heading!r}" if heading else "as a whole"
            return f"{name} differs, {where}:\n{shown}"
    return f"{name} has its parts in another order"


def _parts(text: str) -> dict[str, str]:
    """The parts by their headings; what stands before the first has none."""
    found, heading = {}, ""
    for line in text.split("\n"):
        if line.startswith(_HEADING):
            heading = line.removeprefix(_HEADING)
        found[heading] = f"{found.get(heading, '')}{line}\n"
    return found
