"""Which connections a server keeps: so many of one address, and none that only waits.

A connection waits while its request is incomplete, or before one has begun.  It is closed when it
waits too long; and sooner, the longest-waiting first, where its address has as many as it may.
So whoever opens thousands and sends nothing shuts out nobody but those behind the same address.
"""

from asyncio import TimerHandle, Transport
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from discreet.web.notices import Notices
from discreet.web.request_limits import network

_REMEDY: Final = (
    "What waits the longest is closed first, and others are answered. If they are all one "
    "proxy's, name it with --proxy; else shut the address out in front of this server."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Seconds until a connection that waits is closed, and how many there may be at once."""

    header: float = 10.0
    body: float = 15.0  # of a body that nobody reads; one that is read has ``json_body``'s limit
    unread: float = 30.0  # for the other side to take something of an answer
    of_an_address: int = 256
    in_all: int = 4096


class Closable(Protocol):
    """A connection that can be given up."""

    def give_up(self) -> None:
        """Close it at once."""


@dataclass(slots=True)
class _Network:
    number: int = 0
    waiting: "OrderedDict[Closable, None]" = field(default_factory=OrderedDict)


class Connections:
    """All connections of a server, by the network that they come from.

    The proxy that is named may have as many as it wants: all respondents come by it.
    """

    def __init__(self, limits: ConnectionLimits, notices: Notices, proxy: str | None = None):
        self._limits = limits
        self._notices = notices
        self._proxy = None if proxy is None else network(proxy)
        self._networks: dict[str, _Network] = {}
        self._of: dict[Closable, str] = {}

    def admit(self, connection: Closable, address: str) -> bool:
        """Whether a new connection may stay; another one may be given up for it."""
        name = network(address)
        place = self._networks.setdefault(name, _Network())
        place.number += 1
        self._of[connection] = name
        room = True
        if name != self._proxy and place.number > self._limits.of_an_address:
            self._notices.tell(
                "connections of an address",
                "one address has more connections at once than the "
                f"{self._limits.of_an_address:,} it may. {_REMEDY}",
            )
            room = self._make_room(place)
        if room and len(self._of) > self._limits.in_all:
            self._notices.tell(
                "connections in all",
                f"there are more connections at once than the {self._limits.in_all:,} that there "
                f"may be. {_REMEDY}",
            )
            room = self._make_room(max(self._networks.values(), key=lambda one: one.number))
        if not room:
            self.forget(connection)
        return room

    def wait(self, connection: Closable, waits: bool) -> None:
        """Note whether a connection waits for the other side, or is being answered."""
        name = self._of.get(connection)
        if name is None:
            return
        waiting = self._networks[name].waiting
        waiting.pop(connection, None)
        if waits:
            waiting[connection] = None

    def forget(self, connection: Closable) -> None:
        """A connection is no more."""
        name = self._of.pop(connection, None)
        if name is None:
            return
        place = self._networks[name]
        place.waiting.pop(connection, None)
        place.number -= 1
        if not place.number:
            del self._networks[name]

    def __len__(self) -> int:
        return len(self._of)

    def _make_room(self, place: _Network) -> bool:
        """Give up what waits the longest there; whether anything did."""
        if not place.waiting:
            return False
        longest = next(iter(place.waiting))
        self.forget(longest)
        longest.give_up()
        return True


def guarded_protocol(connections: Connections, limits: ConnectionLimits) -> type[Any]:
    """uvicorn's protocol for a connection, whose every wait has an end.

    uvicorn itself waits for ever for the rest of a header, and for a body that nobody reads.
    """
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    seconds = {
        "header": limits.header,
        "body": limits.body,
        "unread": limits.unread,
        "idle": None,  # uvicorn's own limit
        "answering": None,
    }

    class GuardedProtocol(H11Protocol):
        """A connection with a deadline for whatever it waits for."""

        transport: Transport
        _phase = ""
        _deadline: TimerHandle | None = None
        _unread = False
        _asked = False  # whether a header was ever complete

        def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if connections.admit(self, self.client[0] if self.client else ""):
                self._watch()
            else:
                self.give_up()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._unread = True
            self._watch()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._unread = False
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            connections.forget(self)
            self._watched("")
            super().connection_lost(exc)

        def give_up(self) -> None:
            self.transport.abort()

        def _watch(self) -> None:
            """Start the deadline of what is now waited for, unless it runs already."""
            state = self.conn.their_state
            if self._unread:
                phase = "unread"
            elif state is h11.IDLE:
                idle = self._asked and not self.conn.trailing_data[0]
                phase = "idle" if idle else "header"
            else:
                self._asked = True
                phase = "body" if state is h11.SEND_BODY else "answering"
            if phase != self._phase:
                self._watched(phase)
                connections.wait(self, phase != "answering")

        def _watched(self, phase: str) -> None:
            self._phase = phase
            if self._deadline is not None:
                self._deadline.cancel()
            allowed = seconds.get(phase)
            late = None if allowed is None else self.loop.call_later(allowed, self.give_up)
            self._deadline = late

    return GuardedProtocol
