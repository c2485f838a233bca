"""A clone that ./dev has set up, and the shell of a reader who sits before it."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from shutil import copy

ROOT = Path(__file__).parents[2]


def write_environment(folder: Path) -> None:
    """An environment as ./dev makes one, with the packages of the tests and this source."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n")
    command = folder / "bin" / "discreet"
    start = f"exec '{folder}/bin/python' -m discreet \"$@\""  # where a folder's name has blanks
    command.write_text(f"#!/bin/sh\n{start}\n")
    command.chmod(0o755)
    locked = [ROOT / "requirements" / "dev.txt", ROOT / "pyproject.toml"]
    (folder / "lock.txt").write_bytes(b"".join(path.read_bytes() for path in locked))


def write_clone(folder: Path, environment: Path) -> None:
    """What ./dev needs of a clone, with an environment that is there."""
    folder.mkdir(exist_ok=True)
    for name in ("pyproject.toml", "requirements"):
        (folder / name).symlink_to(ROOT / name)
    copy(ROOT / "dev", folder / "dev")  # it looks for what is beside it
    (folder / ".venv").symlink_to(environment)


def strangers_variables() -> dict[str, str]:
    """The variables of a shell that has not heard of discreet."""
    paths = os.environ["PATH"].split(os.pathsep)
    strange = [path for path in paths if not Path(path, "discreet").exists()]
    ours = ("PYTHON", "VIRTUAL_ENV", "PYTEST")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(ours)}
    return kept | {"PATH": os.pathsep.join(strange)}
