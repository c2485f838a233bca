"""Running the survey's web server."""

from collections.abc import Callable
from socket import socket

from discreet.survey.app import application
from discreet.survey.collector import Collector
from discreet.survey.poll import Poll
from discreet.survey.report_store import ReportStore
from discreet.web import serving
from discreet.web.one_time_link import OneTimeLink


def open_poll_store(
    poll: Poll, *, reworded: bool = False, renew: bool = True, make: bool = True
) -> ReportStore:
    """The poll's database, made if it is not there and ``make`` is true."""
    return ReportStore(
        poll.database,
        poll.terms,
        results=poll.results,
        reworded=reworded,
        renew=renew,
        make=make,
    )


def server(
    poll: Poll, store: ReportStore, proxy: str | None = None, link: OneTimeLink | None = None
) -> Callable[[socket], None]:
    """What serves a poll on a socket until the process is told to stop.

    ``proxy`` is the address of a proxy whose word about the sender's address is believed;
    ``link`` opens the page of whoever asks.
    """
    collector = Collector(poll, store)
    return serving.server(application(collector, link=link), proxy, collector.notices)
