"""How long a policy's files and databases are waited for."""

import re
from contextlib import suppress
from pathlib import Path

_SECONDS, _SPARK_SECONDS = 5, 90
_SPARK = re.compile(r'^\s*(engine\s*=\s*"spark"|source\s*=\s*"spark:)', re.MULTILINE)


def patience(policy: str) -> int:
    """Seconds: Spark takes long to start, and a server that is gone should not."""
    with suppress(OSError, UnicodeDecodeError):
        if _SPARK.search(Path(policy).read_text("utf-8")):
            return _SPARK_SECONDS
    return _SECONDS
