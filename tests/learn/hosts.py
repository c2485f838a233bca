"""The page, served by the command in a process of its own."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 120  # seconds, for a machine with other things to do


class Host:
    """A command that serves until it is stopped."""

    def __init__(self, *options: str, **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "discreet", "learn", *options],
            env=os.environ | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", self.said)
        if found is None:
            raise RuntimeError(f"the page is not served: {self.said}{self.stop(signal.SIGKILL)}")
        self.address = found[0]

    def stop(self, by: signal.Signals = signal.SIGINT) -> str:
        """End the process; what it wrote since."""
        self.process.send_signal(by)
        output, _ = self.process.communicate(timeout=PATIENCE)
        return output


@contextmanager
def serving(*options: str, **variables: str) -> Iterator[Host]:
    """The command, stopped afterwards if it still runs."""
    host = Host(*options, **variables)
    try:
        yield host
    finally:
        if host.process.poll() is None:
            host.stop()
