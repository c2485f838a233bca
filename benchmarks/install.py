"""What a fresh installation weighs, how fast it imports, and that it answers.

Runs inside the environment it describes; `./dev build` makes one for each Python it finds.
"""

import platform
import subprocess
import sys
import sysconfig
from pathlib import Path
from time import perf_counter

MOST_MEGABYTES = 200
SMOKE = "import discreet as dp; print(dp.count([1, 2, 3], epsilon=1))"


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def seconds(code: str) -> float:
    """The quickest of five fresh processes."""
    times = []
    for _ in range(5):
        start = perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-c", SMOKE], check=True, capture_output=True, text=True
    ).stdout.strip()
    size = megabytes(Path(sysconfig.get_path("purelib")))
    print(
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}: "
        f"{size:.0f} MB, import {seconds('import discreet') - seconds('pass'):.2f} s, "
        f"count([1, 2, 3]) = {answer}"
    )
    if size > MOST_MEGABYTES:
        sys.exit(f"The installation is over {MOST_MEGABYTES} MB.")


if __name__ == "__main__":
    main()
