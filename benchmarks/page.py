"""Runs a benchmark and keeps what it printed in docs/benchmarks.md: ./dev bench --write noise

python benchmarks/page.py NAME COMMAND … shows what the command prints and, once it has ended
without an error, puts it between the marks of its name on the page, with the date, the machine and
the versions of what was measured.  All other records stay as they are, and so does the prose.
"""

import ast
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import packages_distributions, version
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"


def record_place(name: str) -> re.Pattern[str]:
    """Where the record of a benchmark stands on the page, between its marks."""
    return re.compile(
        rf"(?<=^<!-- bench {re.escape(name)} -->\n).*?(?=^<!-- end of bench -->$)", re.M | re.S
    )


def with_record(page: str, name: str, record: str) -> str:
    """The page with another record of one benchmark."""
    changed, places = record_place(name).subn(lambda _: record, page)
    if places != 1:
        raise SystemExit(f"The page has {places} places for {name!r}: <!-- bench {name} --> once.")
    return changed


def run(command: Sequence[str]) -> str:
    """What a command prints, which is also shown while it runs."""
    lines = []
    told = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=told
    ) as running:
        for line in running.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    if running.returncode:
        raise SystemExit(f"It ended with {running.returncode}, so nothing was written.")
    return "".join(lines).strip("\n")


def record(name: str, printed: str, facts: Sequence[str]) -> str:
    """What stands between the marks."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", printed)), default=0))
    return f"`./dev bench {name}`, {'; '.join(facts)}.\n\n{fence}text\n{printed}\n{fence}\n"


def machine() -> str:
    """The processors, the system and the Python of this machine."""
    described = Path("/proc/cpuinfo")
    names = re.findall(
        r"(?m)^model name\s*: (.+)$", described.read_text() if described.exists() else ""
    )
    name = names[0] if names else platform.processor() or platform.machine()
    cores = f"{os.cpu_count()} cores of {' '.join(name.split())}"
    return f"{cores}, {platform.system()}, Python {platform.python_version()}"


def versions(name: str) -> str:
    """The version of this project, with its commit, and of the packages a benchmark imports."""
    packages = packages_distributions()
    found = {package for module in _imported(name) for package in packages.get(module, ())}
    peers = sorted(found - {"discreet"}, key=str.lower)
    ours = f"discreet {version('discreet')}{_commit()}"
    return ", ".join([ours, *(f"{package} {version(package)}" for package in peers)])


def _imported(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """The modules that a benchmark imports, with those of the files beside it that it imports."""
    path = ROOT / "benchmarks" / f"{name}.py"
    if not path.exists():
        return {name}
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    names = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    modules = {one.partition(".")[0] for one in names} - seen
    return set().union(*(_imported(module, seen | modules | {name}) for module in modules))


def _commit() -> str:
    """The commit that was measured, where the source is a clone."""
    if not (ROOT / ".git").exists():
        return ""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, check=True, text=True
    ).stdout.strip()
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "src"], check=False).returncode
    return f" ({head}{', changed' if changed else ''})"


def main() -> None:
    name, *command = sys.argv[1:]
    with_record(PAGE.read_text("utf-8"), name, "")  # before it runs for an hour
    measured = versions(name)  # the source may be another one when it ends
    began, busy, start = datetime.now(UTC), os.getloadavg()[0], perf_counter()
    printed = run(command)
    facts = [
        f"{began:%Y-%m-%d %H:%M} UTC for {perf_counter() - start:,.0f} s",
        f"others kept {busy:.1f} cores busy when it began",
        machine(),
        measured,
    ]
    page = PAGE.read_text("utf-8")
    PAGE.write_text(with_record(page, name, record(name, printed, facts)), "utf-8")
    print(f"\nwritten to {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
