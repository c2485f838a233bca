"""Running the survey's web server."""

from contextlib import suppress
from socket import AF_INET, AF_INET6, create_server, socket

from discreet.errors import SourceError
from discreet.survey.app import application
from discreet.survey.collector import Collector
from discreet.survey.poll import Poll
from discreet.survey.store import Store


def opened(poll: Poll) -> Store:
    """The poll's database, made if it is not there."""
    return Store(poll.database, poll.scheme.to_json())


def listening(host: str, port: int) -> socket:
    """A socket on which the server will be reached; port 0 takes any that is free."""
    family = AF_INET6 if ":" in host else AF_INET
    try:
        return create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise SourceError(
            f"nothing can listen on port {port} of {host}: {error.strerror or 'no such address'}. "
            "A port serves one program. Name another: --port 8080."
        ) from None


def serve(poll: Poll, place: socket, proxy: str | None = None) -> None:
    """Serve a poll until the process is told to stop.

    No address of a respondent is logged.  ``proxy`` is the address of a proxy whose word about
    the sender's address is believed; nobody else's is.
    """
    try:
        import uvicorn
    except ImportError:
        raise SourceError(
            "uvicorn is not installed. It serves the survey's page. Install it: "
            "pip install 'discreet[server]'."
        ) from None
    settings = uvicorn.Config(
        application(Collector(poll, opened(poll))),
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        http="h11",  # which refuses endless headers
        ws="none",
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
        limit_concurrency=4096,
        h11_max_incomplete_event_size=1 << 14,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(settings).run(sockets=[place])
