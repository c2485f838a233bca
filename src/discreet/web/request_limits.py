"""How much is taken: requests of one address in a minute, and the length of each.

Addresses are in memory only.
"""

from asyncio import timeout
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Final

from discreet.web.refusals import Refused

if TYPE_CHECKING:
    from starlette.requests import Request


_MOST_ADDRESSES: Final = 1 << 16
_PATIENCE: Final = 10.0  # seconds for a request's body


class RateLimit:
    """A bucket per address that holds a minute's requests and refills steadily.

    Addresses are kept in memory, and only while their bucket is not full again.

    >>> limit = RateLimit(2, clock=lambda: 0.0)
    >>> [limit.wait(address) for address in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2")]
    [0, 0, 30, 0]
    """

    def __init__(self, a_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._most = float(a_minute)
        self._rate = a_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> int:
        """Take one from the address's bucket: 0, or after how many seconds there will be one."""
        now = self._clock()
        address = network(address)
        held, since = self._buckets.pop(address, (self._most, now))
        held = min(self._most, held + (now - since) * self._rate)
        short = held < 1
        self._buckets[address] = (held if short else held - 1, now)
        self._forget(now)
        return ceil((1 - held) / self._rate) if short else 0

    def _forget(self, now: float) -> None:
        """Drop the buckets that are full again, oldest first, and some if there are too many."""
        while self._buckets:
            address, (held, since) = next(iter(self._buckets.items()))
            full = held + (now - since) * self._rate >= self._most
            if not full and len(self._buckets) <= _MOST_ADDRESSES:
                return
            del self._buckets[address]


def network(address: str) -> str:
    """The address; of IPv6 the network, of which one household has all addresses; whatever is no
    address shares one bucket."""
    try:
        read = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(read, IPv6Address):
        if read.ipv4_mapped is not None:
            return str(read.ipv4_mapped)
        return f"{int(read) >> 64:x}/64"
    return str(read)


async def json_body(request: "Request", longest: int) -> bytes:
    """The body of a request that is said to be JSON, of which no more is read than it may have.

    It is refused for one of the reasons "not-json", "oversize", "too-slow" and "malformed".
    """
    from starlette.requests import ClientDisconnect

    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # what another site's form cannot send
        raise Refused("not-json")
    data = bytearray()
    try:
        async with timeout(_PATIENCE):
            async for chunk in request.stream():
                data += chunk
                if len(data) > longest:
                    raise Refused("oversize")
    except ClientDisconnect:
        raise Refused("malformed") from None
    except TimeoutError:
        raise Refused("too-slow") from None
    return bytes(data)
