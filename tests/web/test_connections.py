"""Whoever opens connections and says nothing shuts out nobody else: with a server that listens."""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest

from discreet.web.connections import ConnectionLimits, Connections
from discreet.web.notices import Notices
from discreet.web.serving import listening, server
from tests.support.waits import until

pytest.importorskip("uvicorn", reason="NO TESTS OF CONNECTIONS: no uvicorn")

QUICK = ConnectionLimits(header=0.4, body=0.4, unread=0.6, of_an_address=20, in_all=60)
HALF = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
LARGE = 1 << 24


async def answering(scope: Any, receive: Any, send: Any) -> None:
    """Reads no body, answers everybody, and sends a great deal at /large."""
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
        return
    size = LARGE if scope["path"] == "/large" else 2
    length = [(b"content-length", str(size).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    for start in range(0, size, 1 << 16):
        part = b"." * min(1 << 16, size - start)
        more = start + len(part) < size
        await send({"type": "http.response.body", "body": part, "more_body": more})


@contextmanager
def served(limits: ConnectionLimits, proxy: str | None = None) -> Iterator[int]:
    """A server on a port of this machine, until it is left."""
    import uvicorn

    made: list[uvicorn.Server] = []
    real = uvicorn.Server.__init__

    def noted(self: Any, *arguments: Any, **named: Any) -> None:
        real(self, *arguments, **named)
        made.append(self)

    with pytest.MonkeyPatch.context() as patched, listening("0.0.0.0", 0) as place:
        patched.setattr(uvicorn.Server, "__init__", noted)
        run = server(answering, proxy, Notices("test"), limits)
        thread = Thread(target=run, args=(place,), daemon=True)
        thread.start()
        until(lambda: made and made[0].started, "the server listens")
        yield int(place.getsockname()[1])
        made[0].should_exit = made[0].force_exit = True
        thread.join(20)


def connected(port: int, address: str, stack: ExitStack) -> socket.socket:
    """A connection from one of this machine's own addresses."""
    made = socket.create_connection(("127.0.0.1", port), 20, source_address=(address, 0))
    return stack.enter_context(made)


def answered(port: int, address: str) -> bool:
    """Whether somebody at this address is answered."""
    asked = http.client.HTTPConnection("127.0.0.1", port, 20, source_address=(address, 0))
    try:
        asked.request("GET", "/")
        return asked.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asked.close()


def gone(connection: socket.socket) -> bool:
    """Whether the other side has closed a connection; waits for as long as it may stay."""
    try:
        while data := connection.recv(1 << 16):
            del data
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        HALF,
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{",
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" + HALF,
    ],
    ids=["nothing", "half a header", "half a body", "half a second header"],
)
def test_a_request_that_does_not_come_is_not_waited_for(sent: bytes) -> None:
    with served(QUICK) as port, ExitStack() as stack:
        slow = connected(port, "127.0.0.2", stack)
        slow.sendall(sent)
        began = monotonic()
        assert gone(slow)
        assert monotonic() - began >= 0.2
        assert answered(port, "127.0.0.2")


def test_a_letter_now_and_then_does_not_put_off_the_end() -> None:
    with served(QUICK) as port, ExitStack() as stack:
        slow = connected(port, "127.0.0.2", stack)
        slow.sendall(HALF)

        def trickle() -> None:
            for _ in range(400):
                slow.sendall(b"x")
                sleep(0.05)

        with pytest.raises(OSError, match=r"reset|pipe|abort"):
            trickle()


def test_an_answer_that_is_not_read_is_given_up() -> None:
    with served(QUICK) as port, ExitStack() as stack:
        lazy = connected(port, "127.0.0.2", stack)
        lazy.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        sleep(2 * QUICK.unread)
        read = 0
        try:
            while part := lazy.recv(1 << 20):
                read += len(part)
        except OSError:
            pass
        assert read < LARGE


def test_one_address_cannot_shut_out_the_others() -> None:
    patient = ConnectionLimits(header=600, body=600, of_an_address=20, in_all=60)
    with served(patient) as port, ExitStack() as stack:
        halves = [connected(port, "127.0.0.2", stack) for _ in range(150)]
        for half in halves[:20]:
            half.sendall(HALF)
        assert all(answered(port, f"127.0.0.{number}") for number in range(3, 9))
        assert answered(port, "127.0.0.2")  # what waits the longest makes room, even there
        assert all(gone(half) for half in halves[:50])
        # Many addresses together: those of the one that has the most are closed.
        for number in range(10, 20):
            for _ in range(10):
                connected(port, f"127.0.0.{number}", stack).sendall(HALF)
        assert answered(port, "127.0.0.99")


def test_the_proxy_that_is_named_has_no_limit_of_its_own() -> None:
    patient = ConnectionLimits(header=600, body=600, of_an_address=5, in_all=60)
    with served(patient, "127.0.0.2") as port, ExitStack() as stack:
        halves = [connected(port, "127.0.0.2", stack) for _ in range(30)]
        assert answered(port, "127.0.0.3")
        halves[0].settimeout(0.3)
        with pytest.raises(TimeoutError):
            halves[0].recv(1)  # it is still there


class One:
    """A connection of a test."""

    closed = False

    def give_up(self) -> None:
        self.closed = True


def test_room_is_made_by_what_waits_and_never_by_what_is_answered() -> None:
    connections = Connections(ConnectionLimits(of_an_address=2, in_all=3), Notices("test"))
    busy, idle, third, other, last = (One() for _ in range(5))
    assert connections.admit(busy, "192.0.2.1")
    connections.wait(busy, False)
    assert connections.admit(idle, "192.0.2.1")
    connections.wait(idle, True)
    assert connections.admit(third, "192.0.2.1")
    assert (busy.closed, idle.closed) == (False, True)
    connections.wait(third, False)
    assert not connections.admit(One(), "192.0.2.1")  # both are being answered
    assert connections.admit(other, "2001:db8::1")
    connections.wait(other, True)
    connections.wait(third, True)
    assert connections.admit(last, "2001:db8:1::1")
    assert (third.closed, other.closed) == (True, False)  # of the address that has the most
    for one in (busy, other, last, third, idle):
        connections.forget(one)
    assert len(connections) == 0
    assert connections._networks == {}


def test_a_flood_is_told_once_a_minute_and_names_nobody(caplog: pytest.LogCaptureFixture) -> None:
    clock = [0.0]
    limits = ConnectionLimits(of_an_address=1)
    connections = Connections(limits, Notices("test", lambda: clock[0]))
    for second in range(150):
        clock[0] = float(second)
        connections.admit(One(), "192.0.2.1")
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 3
    assert not any("192.0.2.1" in line for line in said)
    assert "59 times more" in said[1]


FLOOD = Path(__file__).with_name("flood.py")


@pytest.mark.soak
def test_thousands_of_half_requests_keep_nobody_from_being_answered() -> None:
    """4,200 from one address, opened again as they are closed, for 75 seconds."""
    flood(4200, 75)


@pytest.mark.slow
def test_hundreds_of_half_requests_keep_nobody_from_being_answered() -> None:
    flood(600, 4)


def flood(number: int, seconds: int) -> None:
    slowest: list[float] = []
    with served(ConnectionLimits()) as port:
        order = [str(word) for word in (port, number, seconds)]
        attack = subprocess.Popen(
            [sys.executable, FLOOD, *order], stdout=subprocess.PIPE, text=True
        )
        assert attack.stdout is not None
        assert attack.stdout.readline() == "all are open\n"
        began = monotonic()
        turn = 0
        while attack.poll() is None and monotonic() - began < seconds + 60:
            before = monotonic()
            assert answered(port, f"127.0.1.{turn % 200 + 1}")
            slowest.append(monotonic() - before)
            turn += 1
            sleep(0.05)
        opened = int(attack.stdout.read().split()[0])
        attack.stdout.close()
        assert attack.wait() == 0
    assert opened >= number
    assert slowest
    load = os.getloadavg()[0]
    print(f"{len(slowest)} answered, the slowest in {max(slowest):.3f} s; {opened} opened; {load=}")
