"""What a command writes."""

import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from discreet.cli.exit_codes import run_command
from discreet.cli.main import discreet


def shown(*words: object, without: Path | None = None) -> str:
    """What ``discreet`` writes to a pipe, and how it ends; a folder's path is left out."""
    out, error, code = StringIO(), StringIO(), None
    with redirect_stdout(out), redirect_stderr(error), warnings.catch_warnings():
        try:
            run_command(lambda: discreet(list(map(str, words)), prog_name="discreet"))
        except SystemExit as ending:
            code = ending.code
    told = f"{out.getvalue()}{error.getvalue()}"
    if without is not None:
        told = told.replace(str(without), "FOLDER")
    return told if code == 0 else f"{told}exit {code}\n"
