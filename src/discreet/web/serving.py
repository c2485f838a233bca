"""Running a web server: the socket, and what answers on it until it is stopped."""

from collections.abc import Callable
from contextlib import suppress
from errno import EADDRNOTAVAIL
from ipaddress import ip_address
from logging import CRITICAL, getLogger
from socket import (
    AF_INET,
    AF_INET6,
    EAI_AGAIN,
    EAI_FAIL,
    EAI_NODATA,
    EAI_NONAME,
    create_server,
    socket,
)
from typing import Final

from discreet.dependencies import install_extra
from discreet.errors import SourceError
from discreet.web.connections import ConnectionLimits, Connections, guarded_protocol
from discreet.web.headers import Application
from discreet.web.notices import Notices

_MOST_CONNECTIONS: Final = 4096
_BACKLOG: Final = 2048
_NO_ADDRESS: Final = frozenset({EADDRNOTAVAIL, EAI_NONAME, EAI_NODATA, EAI_AGAIN, EAI_FAIL})


def listening(host: str, port: int) -> socket:
    """A socket on which the server will be reached; port 0 takes any that is free."""
    family = AF_INET6 if ":" in host else AF_INET
    try:
        return create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, ValueError, TypeError) as error:
        if not isinstance(error, OSError) or error.errno in _NO_ADDRESS:
            raise SourceError(
                f"{host} is not an address of this machine. A server listens on one of its own. "
                "Use --host 127.0.0.1 for this machine alone, or --host 0.0.0.0 for all addresses."
            ) from None
        raise SourceError(
            f"nothing can listen on port {port} of {host}: {error.strerror}. A port serves one "
            "program, and those below 1024 are for the administrator. Name another: --port 8080."
        ) from None


def server(
    application: Application,
    proxy: str | None = None,
    notices: Notices | None = None,
    limits: ConnectionLimits | None = None,
) -> Callable[[socket], None]:
    """What serves an application on a socket until the process is told to stop.

    No address of a sender is logged.  ``proxy`` is the address of a proxy whose word about
    the sender's address is believed; nobody else's is.
    """
    try:
        import uvicorn
    except ImportError:
        raise SourceError(
            f"uvicorn is not installed. It serves pages. Run: {install_extra('server')}"
        ) from None
    if proxy is not None and not _is_address(proxy):
        raise SourceError(
            "--proxy is not an address. It is the IP address from which the proxy connects, whose "
            "word about senders is believed. Use --proxy 127.0.0.1 for one on this machine."
        )
    limits = limits or ConnectionLimits(in_all=_connections())
    connections = Connections(limits, notices or Notices("discreet"), proxy)
    settings = uvicorn.Config(
        application,
        access_log=False,
        log_config=None,  # what is wrong goes to the standard error, and other loggers are let be
        log_level="error",  # a flood of what is no HTTP writes no lines
        server_header=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        http=guarded_protocol(connections, limits),
        ws="none",
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
        backlog=_BACKLOG,
        h11_max_incomplete_event_size=1 << 14,  # of a header
    )

    def run(place: socket) -> None:
        getLogger("asyncio").setLevel(CRITICAL)  # it tells of every connection that is too many
        with suppress(KeyboardInterrupt):
            uvicorn.Server(settings).run(sockets=[place])

    return run


def _connections() -> int:
    """How many connections there may be: half as many as the files that the process may open."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit, setrlimit
    except ImportError:  # where there is no such limit
        return _MOST_CONNECTIONS
    soft, hard = getrlimit(RLIMIT_NOFILE)
    wanted = 2 * _MOST_CONNECTIONS if hard < 0 else min(hard, 2 * _MOST_CONNECTIONS)
    if 0 <= soft < wanted:
        with suppress(OSError, ValueError):
            setrlimit(RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return _MOST_CONNECTIONS if soft < 0 else max(16, min(_MOST_CONNECTIONS, soft // 2))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
