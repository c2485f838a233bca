"""Opens connections from one address of this machine, sends half a header on each, and opens those
anew that are closed, for a bounded time: PORT NUMBER SECONDS."""

import socket
import sys
from contextlib import suppress
from select import POLLERR, POLLHUP, POLLIN, poll
from time import monotonic

HALF = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
MOST = 40_000  # connections in all, whatever happens


def main(port: int, number: int, seconds: float) -> int:
    with suppress(ImportError, ValueError, OSError):
        from resource import RLIMIT_NOFILE, getrlimit, setrlimit

        setrlimit(RLIMIT_NOFILE, (number + 100, getrlimit(RLIMIT_NOFILE)[1]))
    opened = 0
    held: dict[int, socket.socket] = {}
    ended = poll()

    def another() -> None:
        nonlocal opened
        opened += 1
        made = socket.create_connection(("127.0.0.1", port), 20, source_address=("127.0.0.2", 0))
        with suppress(OSError):
            made.sendall(HALF)
        held[made.fileno()] = made
        ended.register(made, POLLIN | POLLHUP | POLLERR)

    for _ in range(number):
        another()
    print("all are open", flush=True)
    until = monotonic() + seconds
    while monotonic() < until:
        for descriptor, _ in ended.poll(50)[:50]:  # at most a thousand a second
            ended.unregister(descriptor)
            held.pop(descriptor).close()
            if opened < MOST:
                another()
    for one in held.values():
        one.close()
    return opened


if __name__ == "__main__":
    print(main(*map(int, sys.argv[1:])))
