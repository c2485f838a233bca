"""The address at which others on the same network reach this machine, and its code for a camera."""

from contextlib import suppress
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, SOCK_DGRAM, socket

from discreet.dependencies import install_extra
from discreet.errors import SourceError


def own_address(version: int = 4) -> str | None:
    """This machine's address in its network, if it is in one; nothing is sent to find it."""
    family, outside = (AF_INET, "192.0.2.1") if version == 4 else (AF_INET6, "2001:db8::1")
    with suppress(OSError), socket(family, SOCK_DGRAM) as asking:
        asking.connect((outside, 9))
        found = str(asking.getsockname()[0])
        if not ip_address(found.partition("%")[0]).is_loopback:
            return found
    return None


def url(host: str, port: int) -> str:
    """The address of a page on a host.

    >>> url("::1", 8000), url("192.0.2.7", 80)
    ('http://[::1]:8000/', 'http://192.0.2.7:80/')
    """
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def camera_code(address: str) -> str:
    """A QR code of an address in lines of blocks, two rows of dots each, dark on light.

    >>> lines = camera_code("http://192.0.2.7:8000/").splitlines()
    >>> len({len(line) for line in lines}), len(lines) < 20
    (1, True)
    """
    try:
        import segno
    except ImportError:
        raise SourceError(
            f"segno is not installed. It draws the code for cameras. Run: {install_extra('server')}"
        ) from None
    rows = [list(row) for row in segno.make(address, micro=False, error="m").matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    blocks = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
    return "\n".join(
        "".join(blocks[bool(above), bool(below)] for above, below in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )
