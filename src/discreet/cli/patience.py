"""How long a policy's files and databases are waited for."""

import re
from contextlib import suppress
from pathlib import Path

_SECONDS, _SPARK_SECONDS = 30, 90
_SPARK = re.compile(r'^\s*(engine\s*=\s*"spark"|source\s*=\s*"spark:)', re.MULTILINE)


def patience(policy: str) -> int:
    """Seconds: a busy machine takes some to look at all, and Spark takes long to start."""
    with suppress(OSError, UnicodeDecodeError):
        if _SPARK.search(Path(policy).read_text("utf-8")):
            return _SPARK_SECONDS
    return _SECONDS
