"""The web application of one poll: the page, the collector and the results."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Lock
from time import monotonic
from typing import Any, Final

from discreet.dependencies import install_extra
from discreet.errors import DiscreetError, SourceError
from discreet.survey import openapi
from discreet.survey.collector import LONGEST_BODY, Collector
from discreet.survey.export import exported
from discreet.survey.operator import add_operator_page
from discreet.survey.pages import rendered_page, static_files
from discreet.survey.poll_terms import CLOSED, LIVE, PRIVATE
from discreet.survey.refusals import REASONS
from discreet.survey.results import Counted, as_csv, results
from discreet.web.headers import Application, secured
from discreet.web.one_time_link import OneTimeLink
from discreet.web.refusals import Reason, Refused, answer_refusals, refusal_response
from discreet.web.request_limits import RateLimit, json_body

_FRESH: Final = 0.5  # seconds for which results are not computed again


class ResultsCache:
    """The results that everyone may see, computed at most twice a second."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._lock = Lock()
        self._until = -1.0
        self._seen: object = None
        self._found: dict[str, Any] = {}

    def now(self) -> dict[str, Any]:
        """The results, as new as the poll's mode lets them be."""
        with self._lock:
            if monotonic() >= self._until:
                collector = self._collector
                counted, closed = public_counts(collector), not collector.is_open
                seen = (counted, closed)
                if seen != self._seen:
                    self._found = results(collector.poll, counted, closed=closed)
                    self._seen = seen
                self._until = monotonic() + _FRESH
            return self._found


def public_counts(collector: Collector) -> Counted:
    """What everyone may see of what was counted."""
    mode, store = collector.poll.results, collector.store
    if mode == LIVE:
        return Counted(*store.tally())
    shown = store.shown()
    if mode == PRIVATE or (mode == CLOSED and collector.is_open):
        return Counted(None, {})
    return Counted(shown.tally, shown.refused)


def may_export(collector: Collector) -> bool:
    """Whether everyone may have the reports: what changes from one look to the next would be one
    of them, unless all is shown and no more come."""
    if collector.poll.results == LIVE:
        return True
    if collector.poll.results == PRIVATE or collector.is_open:
        return False
    shown = collector.store.shown().tally
    return shown is not None and shown == collector.store.tally()[0]


def application(
    collector: Collector, *, fresh: bool = False, link: OneTimeLink | None = None
) -> Application:
    """The application that serves a poll.  Its collector starts and stops with it.

    ``fresh`` starts the collector at once, for a host that sends no lifespan events.  ``link``
    opens the page of whoever asks.
    """
    try:
        from fastapi import FastAPI, Request
        from fastapi.responses import JSONResponse, Response
        from starlette.exceptions import HTTPException
    except ImportError:
        raise SourceError(
            f"FastAPI is not installed. It serves the survey's page. Run: {install_extra('server')}"
        ) from None

    poll = collector.poll
    limit = RateLimit(poll.rate_limit)
    published = ResultsCache(collector)
    ballot = poll.ballot.text

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        collector.start()
        yield
        await asyncio.to_thread(collector.stop)

    app = FastAPI(
        title=poll.title,
        version="1",
        description=openapi.DESCRIPTION,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=None if fresh else lifespan,
    )
    if fresh:
        collector.start()

    answer_refusals(app, REASONS, collector.refuse)

    @app.exception_handler(DiscreetError)
    async def unavailable(request: Request, error: DiscreetError) -> Response:
        if request.method != "POST":
            collector.tell(error)
            return refusal_response("unavailable", Reason(503, "The database does not answer."), 5)
        collector.refuse("unavailable")
        return refusal_response("unavailable", REASONS["unavailable"], 5)

    def page(name: str) -> Any:
        data = rendered_page(poll, name).encode()

        async def show() -> Response:
            return Response(data, media_type="text/html; charset=utf-8")

        return show

    for path, name in (("/", "index.html"), ("/results", "results.html")):
        app.api_route(path, methods=["GET", "HEAD"], include_in_schema=False)(page(name))

    static = static_files()

    @app.get("/static/{name:path}", include_in_schema=False)
    async def file(name: str) -> Response:
        if name not in static:
            raise HTTPException(404)
        data, kind = static[name]
        return Response(data, media_type=kind)

    @app.get("/scheme.json", **openapi.SCHEME)
    async def scheme_json() -> Response:
        return Response(ballot, media_type="application/json")

    @app.get("/api/poll", **openapi.POLL)
    async def poll_json() -> Response:
        return JSONResponse(poll_document(collector))

    @app.post("/reports", **openapi.report_operation(poll))
    async def reports(request: Request) -> Response:
        if not collector.is_open:
            raise Refused("closed")
        client = request.client
        wait = limit.wait(client.host if client else "")
        if wait:
            raise Refused("too-many", wait)
        data = await json_body(request, LONGEST_BODY)
        entry = collector.read(data)
        await collector.keep(entry)
        return JSONResponse({"stored": True}, 201)

    @app.get("/api/results", **openapi.RESULTS)
    def results_in(format: openapi.ResultsFormat = openapi.ResultsFormat.JSON) -> Response:
        found = published.now()
        if format is openapi.ResultsFormat.JSON:
            return JSONResponse(found)
        named = {"Content-Disposition": 'attachment; filename="results.csv"'}
        return Response(as_csv(found), media_type="text/csv; charset=utf-8", headers=named)

    @app.get("/api/export", **openapi.EXPORT)
    def export(format: openapi.ExportFormat = openapi.ExportFormat.CSV) -> Response:
        if not may_export(collector):
            return refusal_response("not-public", REASONS["not-public"])
        response: Response = exported(collector, format, days=poll.results == LIVE)
        return response

    if link is not None:
        add_operator_page(app, collector, link)
    return secured(app)


def poll_document(collector: Collector) -> dict[str, Any]:
    """The poll as the page shows it."""
    poll = collector.poll
    return {
        "title": poll.title,
        "language": poll.language,
        "texts": dict(poll.texts.table),
        "textsLanguage": poll.texts.language,
        "words": dict(poll.words),
        "tokens": poll.tokens,
        "results": poll.results,
        "batch": poll.batch,
        "closed": not collector.is_open,
        "closes": None if poll.closes is None else poll.closes.isoformat(),
        "questions": [
            {
                "question": one.text,
                "kind": one.kind,
                "answers": list(one.answers),
                "ends": None if one.ends is None else list(one.ends),
                "shuffle": one.shuffled,
            }
            for one in poll.questions
        ],
    }
