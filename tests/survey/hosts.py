"""Polls and collectors for the tests."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

PATIENCE = 120  # seconds, for a machine with other things to do
ANSWERS = ("canary-north", "canary-south", "canary-east")


def write_poll(
    folder: Path, questions: Sequence[Mapping[str, object]] = (), **fields: object
) -> Path:
    """A poll file with some fields of its own; of several questions without the one of its own."""
    stated: dict[str, object] = {
        "title": "Directions",
        "question": "Where would you go?",
        "answers": list(ANSWERS),
        "epsilon": 1,
        "rate_limit": 1_000_000,
        "results": "live",  # so that a test sees at once what it has sent
        **fields,
    }
    path = folder / "poll.toml"
    if questions:
        stated |= {"question": None, "answers": None}
    lines = _lines(stated)
    for one in questions:
        lines += ["[[questions]]", *_lines(one)]
    path.write_text("\n".join(lines), "utf-8")
    return path


def _lines(fields: Mapping[str, object]) -> list[str]:
    return [
        f"{name} = {value if name == 'closes' else json.dumps(value, ensure_ascii=False)}"
        for name, value in fields.items()
        if value is not None
    ]


class Host:
    """A collector in a process of its own."""

    def __init__(self, poll: Path, *options: str) -> None:
        command = [sys.executable, "-m", "discreet", "survey", "serve", str(poll)]
        self._start([*command, "--port", "0", *options])

    @classmethod
    def started(cls, command: list[str]) -> "Host":
        """The collector that a command of its own serves."""
        host = cls.__new__(cls)
        host._start(command)
        return host

    def _start(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = ""
        while line := self.process.stdout.readline():
            self.said += line
            if "for you" in line:
                break
        found = re.search(r"answer\s+(http\S+)/", self.said)
        if found is None:
            self.said += self.stop(signal.SIGKILL)
            raise RuntimeError(f"the collector did not start: {self.said}")
        self.address = found[1]  # the socket listens: a request waits until it is answered

    def get(self, path: str) -> Any:
        with urlopen(self.address + path, timeout=PATIENCE) as response:
            return json.load(response)

    def post(self, body: object) -> int:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = Request(
            f"{self.address}/reports", data, {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with urlopen(request, timeout=PATIENCE) as response:
                status: int = response.status
                return status
        except HTTPError as error:
            with error:
                return int(error.code)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> str:
        """End the process; what it wrote."""
        self.process.send_signal(by)
        output, _ = self.process.communicate(timeout=PATIENCE)
        return output


@contextmanager
def hosting(poll: Path, *options: str) -> Iterator[Host]:
    """A collector that is stopped afterwards, if it still runs."""
    host = Host(poll, *options)
    try:
        yield host
    finally:
        if host.process.poll() is None:
            host.stop()
        elif host.process.stdout is not None:
            host.process.stdout.close()
