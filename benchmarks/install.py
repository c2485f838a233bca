"""What a fresh installation weighs, how fast it imports, and that its commands answer.

Runs inside the environment it describes, with the commands in an empty folder; `./dev build` makes
one for each Python it finds.  ``--survey`` tries the web server alone, which is an extra.
"""

import platform
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.request import urlopen

MOST_MEGABYTES = 200
SMOKE = "import discreet as dp; print(dp.count([1, 2, 3], epsilon=1))"
DISCREET = str(Path(sysconfig.get_path("scripts"), "discreet"))
COUNT = "SELECT COUNT(*) AS n FROM visits"
COMMANDS = (
    ([DISCREET, "--version"], "discreet "),
    ([sys.executable, "-m", "discreet", "--version"], "discreet "),
    ([DISCREET, "completion", "bash"], "_DISCREET_COMPLETE"),
    ([DISCREET, "demo", "--folder", "hospital"], "Go on with the table"),
    ([DISCREET, "info", "hospital/visits.toml"], "ward"),
    ([DISCREET, "plan", "hospital/visits.toml", COUNT, "--epsilon", "0.1"], "nothing was spent"),
    ([DISCREET, "ask", "hospital/visits.toml", COUNT, "--epsilon", "0.1"], "in truth"),
    ([DISCREET, "ledger", "verify", "hospital/visits.toml"], "sound"),
    ([DISCREET, "init", "hospital/visits.csv", "--unit", "patient_id", "--output", "my.toml"], ""),
    ([DISCREET, "learn", "--html", "learn.html"], ""),
    ([DISCREET, "survey", "new", "poll.toml"], ""),
    ([DISCREET, "survey", "simulate", "poll.toml", "--respondents", "500"], "hold the truth"),
)
"""What is typed after an installation, with a part of what it prints."""


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


def try_commands() -> None:
    """Type every command in a folder that holds nothing."""
    with TemporaryDirectory() as folder:
        for command, part in COMMANDS:
            ended = subprocess.run(
                command, cwd=folder, check=False, capture_output=True, text=True, encoding="utf-8"
            )
            if ended.returncode or part not in ended.stdout:
                sys.exit(f"{command} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    print(f"  {len(COMMANDS)} commands answered, from demo to survey")


def try_survey() -> None:
    """Serve a survey, and read its page."""
    with TemporaryDirectory() as folder:
        subprocess.run(
            [DISCREET, "survey", "new", "poll.toml"], cwd=folder, check=True, capture_output=True
        )
        serve = [DISCREET, "survey", "serve", "poll.toml", "--port", "0", "--no-qr"]
        with subprocess.Popen(serve, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
            try:
                lines = (re.match(r"\s+answer\s+(http\S+)", line) for line in server.stdout or ())
                found = next(filter(None, lines), None)
                if found is None:
                    sys.exit("The survey is not served.")
                with urlopen(found[1], timeout=30) as page:
                    size = len(page.read())
            finally:
                server.terminate()
    print(f"  the survey's page was served: {size:,} bytes")


def main() -> None:
    if sys.argv[1:] == ["--survey"]:
        try_survey()
        return
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
    try_commands()


if __name__ == "__main__":
    main()
