"""A headless Chromium, driven by its DevTools protocol over a pair of pipes."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from time import monotonic
from typing import Any

PATIENCE = 120.0  # seconds, for a machine with other things to do
VARIABLE = "DISCREET_CHROMIUM"


def chromium() -> str | None:
    """The program, if there is one: what the variable names, or what the system has."""
    return os.environ.get(VARIABLE) or shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One browser with one page; every request that the page makes is logged."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._buffer = b""
        self._last = 0
        self._session: str | None = None
        self.requests: list[dict[str, Any]] = []
        self.complaints: list[str] = []

    # ------------------------------------------------------------------ the protocol

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its result."""
        self._last += 1
        number = self._last
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = monotonic() + PATIENCE
        while True:
            answer = self._receive(until)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select([self._read], [], [], max(0.0, until - monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._read, 1 << 16)
            if not data:
                raise RuntimeError("the browser has ended")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(parameters["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(json.dumps(parameters["entry"]))

    def attach(self) -> None:
        """Open the page whose requests are logged."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Accessibility"):
            self.call(f"{domain}.enable")

    # ------------------------------------------------------------------ the page

    def open(self, address: str) -> None:
        """Load a page."""
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        until = monotonic() + PATIENCE
        while monotonic() < until:
            with suppress(RuntimeError):  # between two pages there is nothing to ask
                if self.run(f"Boolean({condition})"):
                    return
        raise TimeoutError(f"never true: {condition}")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key as a keyboard would."""
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """Show the page at this width, by day or by night."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        """A screenshot of the whole page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def roles(self) -> list[tuple[str, str]]:
        """What a screen reader is told: roles and names, in order."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node.get("ignored") and "role" in node
        ]


@contextmanager
def browsing(program: str) -> Iterator[Browser]:
    """A browser with a profile of its own, gone afterwards."""
    to_browser, write = os.pipe()
    read, from_browser = os.pipe()
    home = tempfile.mkdtemp(prefix="chromium")
    command = [
        *(program, "--headless", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"),
        *(f"--user-data-dir={home}", "--no-first-run", "--disable-background-networking"),
        *("--disable-component-update", "--disable-dev-shm-usage"),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]
    # The protocol's pipes are descriptors 3 and 4 of the browser.
    wiring = (
        "import os, sys; r, w = int(sys.argv[1]), int(sys.argv[2]); r, w = os.dup(r), os.dup(w); "
        "r2, w2 = os.dup2(r, 103), os.dup2(w, 104); os.dup2(r2, 3); os.dup2(w2, 4); "
        "os.execvp(sys.argv[3], sys.argv[3:])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", wiring, str(to_browser), str(from_browser), *command],
        pass_fds=(to_browser, from_browser),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        browser = Browser(write, read)
        browser.attach()
        yield browser
    finally:
        os.close(write)
        os.close(read)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(home, ignore_errors=True)


def faults(browser: Browser, *, named: bool = False) -> list[str]:
    """What would keep a person with a screen reader, a keyboard or a phone from using the page.

    With ``named`` fields may have names, on a page whose fields hold nothing about anyone.
    """
    found: list[str] = browser.run((Path(__file__).parent / "faults.js").read_text("utf-8"))
    return [one for one in found if not (named and one == "a field has a name attribute")]
