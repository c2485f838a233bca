"""Something that turns while a command is at work, once it takes long."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Final

_PATIENCE: Final = 2.0  # seconds


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on the terminal what is being done, if it takes longer than two seconds."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    status = Status(Text(what), console=Console(stderr=True))
    timer = Timer(_PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
