"""Sends reports to a collector at a steady rate, from a process of its own.

Reads {"address", "scheme", "rate", "ids"} from the standard input, and writes which ids were sent,
which of them were acknowledged, how long it took, and the longest wait for one of them.
"""

import json
import re
import sys
from socket import create_connection, socket
from threading import Lock, Thread
from time import monotonic, sleep

THREADS = 48
PATIENCE = 120.0  # seconds, for a machine with other things to do
HEAD = (
    "POST /reports HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    "Content-Length: {length}\r\n\r\n"
)


def answered(connection: socket) -> int:
    """The status of a response, which is read to its end."""
    data = b""
    while True:
        more = connection.recv(1 << 16)
        if not more:
            raise ConnectionResetError
        data += more
        head, end, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if end and length and len(body) >= int(length[1]):
            return int(head.split(b" ", 2)[1])


def main() -> None:
    order = json.load(sys.stdin)
    host, _, port = order["address"].removeprefix("http://").partition(":")
    waiting = list(enumerate(order["ids"]))[::-1]
    sent: list[str] = []
    acknowledged: list[str] = []
    lock = Lock()
    longest = [0.0]
    began = monotonic()

    def work() -> None:
        try:
            connection = create_connection((host, int(port)), timeout=PATIENCE)
        except OSError:
            return  # the collector is gone
        try:
            while True:
                with lock:
                    if not waiting:
                        return
                    number, identity = waiting.pop()
                sleep(max(0.0, began + number / order["rate"] - monotonic()))
                report = {
                    "scheme": order["scheme"],
                    "report": int(identity, 16) % 3,
                    "id": identity,
                }
                asked = monotonic()
                body = json.dumps(report)
                with lock:
                    sent.append(identity)
                connection.sendall((HEAD.format(host=host, length=len(body)) + body).encode())
                if answered(connection) == 201:
                    with lock:
                        acknowledged.append(identity)
                        longest[0] = max(longest[0], monotonic() - asked)
        except OSError:
            return  # the collector is gone
        finally:
            connection.close()

    threads = [Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = monotonic() - began
    found = {"sent": sent, "acknowledged": acknowledged}
    json.dump({**found, "seconds": seconds, "longest": longest[0]}, sys.stdout)


if __name__ == "__main__":
    main()
