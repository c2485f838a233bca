"""How many reports one address may send: a token bucket for each, in memory only."""

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from math import ceil
from time import monotonic
from typing import Final

_MOST_ADDRESSES: Final = 1 << 16


class RateLimit:
    """A bucket per address that holds a minute's reports and refills steadily.

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
        address = _network(address)
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


def _network(address: str) -> str:
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
