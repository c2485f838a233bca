"""A Spark session that questions are run in.  It reads, and makes nothing but views of its own."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import count
from logging import Filter
from threading import local
from typing import Any

import numpy as np

_names = count()
_silent = local()
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class _Silence(Filter):
    """Keeps PySpark from logging why a query of ours failed: that could show a row."""

    def filter(self, record: object) -> bool:
        return not getattr(_silent, "now", False)


_SILENCE = _Silence()


@contextmanager
def silent() -> Iterator[None]:
    """No line about what goes wrong is written by this thread."""
    from pyspark.logger import PySparkLogger  # a logger of another class would fail when it logs

    for name in _LOGGERS:
        PySparkLogger.getLogger(name).addFilter(_SILENCE)  # not twice, if it is there already
    before = getattr(_silent, "now", False)
    _silent.now = True
    try:
        yield
    finally:
        _silent.now = before


class SparkConnection:
    """A session of Spark, classic or Connect, and the views that were made in it.

    ``own``: the session was made for this table, and ends with it.
    """

    def __init__(self, session: Any, *, own: bool) -> None:
        self.session = session
        self._own = own
        self._views: list[str] = []
        self._process = os.getpid()

    def view(self, frame: Any, name: str | None = None) -> str:
        """A view of a frame, by a new name or in the place of an earlier one."""
        if name is None:
            name = f"discreet_{os.getpid()}_{next(_names)}"
            self._views.append(name)
        frame.createOrReplaceTempView(name)
        return name

    def drop(self, name: str) -> None:
        """Let go of a view."""
        self._views.remove(name)
        with suppress(Exception):
            self.session.catalog.dropTempView(name)

    def close(self) -> None:
        """Let go of the views, and of a session that is this table's own."""
        if self._process != os.getpid():
            return  # the parent's, which goes on using them
        for name in list(self._views):
            self.drop(name)
        if self._own:
            with suppress(Exception):
                self.session.stop()

    @property
    def software(self) -> tuple[str, str]:
        """What runs the queries, and its version."""
        return "spark", str(self.session.version)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The result as Python values: integers of any size."""
        fetched = self._fetched(query)
        columns = [list(map(_plain, column.to_pylist())) for column in fetched.columns]
        return list(zip(*columns, strict=True))

    def arrays(self, query: str) -> Mapping[str, Any]:
        """The result by columns: integers of 64 bits."""
        fetched = self._fetched(query)
        return {
            name: np.asarray(column.cast("int64").to_numpy(), np.int64)
            for name, column in zip(fetched.column_names, fetched.columns, strict=True)
        }

    def bind(self, query: str) -> None:
        """Find the columns and functions of a query, without running it."""
        with silent():
            _ = self.session.sql(query).schema

    def forget(self, query: str) -> None:
        """Nothing: a view of no rows was looked at, and none is kept."""

    def progress(self) -> float:
        """Nothing: a query is many stages, and how many is seen only as it runs."""
        return 0.0

    def _fetched(self, query: str) -> Any:
        """The result as an Arrow table, which the executors hand over in batches."""
        if self._process != os.getpid():
            raise RuntimeError("a Spark session does not outlive a fork")
        with silent():
            return self.session.sql(query).toArrow()


def _plain(value: object) -> object:
    """Whole numbers as Python's: sums are DECIMAL in Spark."""
    return int(value) if isinstance(value, Decimal) else value
