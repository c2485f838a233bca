"""The way of one question through the source: files entered, switches of package and calls.

``discreet ask`` answers ``SELECT ward, COUNT(*) … GROUP BY ward`` about a small CSV file, in this
process, under a hook that sees every call.  What runs while a module is imported is not counted,
nor are generator expressions, which stand inside of functions.  A package is a folder of the
source; a switch is a call in another one than the call before.  The fewer files and switches, the
less a reader has to hold in mind.  ``--list`` names the files in the order in which they are
entered, each with its calls.
"""

import io
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import discreet

SOURCE = Path(discreet.__file__).parent
QUESTION = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
POLICY = """\
source = "visits.csv"
unit = "patient_id"
max_groups = 3
max_rows = 10
ledger = "visits.ledger"

[budget]
epsilon = 3

[columns]
ward = { values = ["A", "B", "C"] }
stay = { low = 0, high = 60 }
"""


@dataclass
class Walk:
    """What a hook has seen: the calls of every file, and how often one package left another."""

    calls: Counter[str] = field(default_factory=Counter)
    functions: Counter[tuple[str, str]] = field(default_factory=Counter)
    switches: int = 0
    _package: Path | None = None
    _importing: int = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """The hook of ``sys.setprofile``."""
        code = frame.f_code
        if code.co_name == "<module>":
            self._importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self._importing and code.co_name != "<genexpr>":
            path = Path(code.co_filename)
            if path.is_relative_to(SOURCE):
                self._enter(path.relative_to(SOURCE), code.co_qualname)

    def _enter(self, file: Path, name: str) -> None:
        self.calls[str(file)] += 1
        self.functions[str(file), name] += 1
        self.switches += self._package not in (None, file.parent)
        self._package = file.parent


def walked(run: Callable[[], object]) -> Walk:
    """What is seen while something runs."""
    walk = Walk()
    before = sys.getprofile()
    sys.setprofile(walk)
    try:
        run()
    finally:
        sys.setprofile(before)
    return walk


def ask(folder: Path) -> Walk:
    """One ``discreet ask``, as it is typed."""
    lines = [f"p{place % 50},{'ABC'[place % 3]},{place % 9}" for place in range(300)]
    (folder / "visits.csv").write_text("\n".join(["patient_id,ward,stay", *lines]) + "\n")
    policy = folder / "visits.toml"
    policy.write_text(POLICY)
    arguments = ["discreet", "ask", str(policy), QUESTION, "--epsilon", "0.5"]

    def typed() -> None:
        from discreet.cli.main import main

        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise

    given, sys.argv = sys.argv, arguments
    printed = io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            return walked(typed)
    except SystemExit:
        print(printed.getvalue(), file=sys.stderr)
        raise
    finally:
        sys.argv = given


def main() -> None:
    with TemporaryDirectory() as folder:
        walk = ask(Path(folder))
    print(f"discreet ask: {QUESTION}\n")
    print(f"files        {len(walk.calls):>6,}")
    print(f"switches     {walk.switches:>6,}  from one package to another")
    print(f"functions    {len(walk.functions):>6,}")
    print(f"calls        {walk.calls.total():>6,}")
    if "--list" in sys.argv[1:]:
        print()
        for file, calls in walk.calls.items():
            print(f"{calls:>6,}  {file}")


if __name__ == "__main__":
    main()
