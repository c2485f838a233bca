"""The Spark session that a table is read in: the caller's, that of this process, or a new one."""

import os
import re
import socket
from contextlib import suppress
from typing import Any

from discreet.engines.spark.java import find_java
from discreet.engines.spark.source import SparkFrame, SparkSource, SparkTable
from discreet.errors import Remedy, SourceError
from discreet.packages import JAVA, install, install_extra

_OLDEST = 4
_PATIENCE = 10
_PORTS = {"spark": 7077, "sc": 15002}
_SKIPPING = "spark.sql.files.ignoreCorruptFiles"


def session_of(source: SparkSource) -> tuple[Any, bool]:
    """The session of a source, and whether it was made here, so that it is to be ended here."""
    if isinstance(source, SparkFrame):
        session, own = source.frame.sparkSession, False
        check_running(session)
    else:
        _installed()
        session, own = _opened(source)
    version = _version(session)
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


def _version(session: Any) -> int:
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
            socket.create_connection(known, _PATIENCE).close()
            return True
    return False


def _opened(source: SparkTable) -> tuple[Any, bool]:
    """The session of an address, or None if there is none to be had."""
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
    found = session.conf.get("spark.master", None)
    return None if found is None else str(found)


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
