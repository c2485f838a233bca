"""The web application of one poll: the page, the collector and the results."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib.resources import files
from threading import Lock
from time import monotonic
from typing import Any, Final

from discreet.dependencies import install_extra
from discreet.errors import DiscreetError, SourceError
from discreet.survey import openapi
from discreet.survey.collector import LONGEST_BODY, Collector
from discreet.survey.refusals import REASONS
from discreet.survey.results import results
from discreet.web.headers import Application, secured
from discreet.web.refusals import Reason, Refused, answer_refusals, refusal_response
from discreet.web.request_limits import RateLimit, json_body
from discreet.web.templates import rendered

_STATIC: Final = {
    "randomize.js": "text/javascript; charset=utf-8",
    "results.js": "text/javascript; charset=utf-8",
    "survey.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_FRESH: Final = 0.5  # seconds for which results are not computed again


def static_file(name: str) -> bytes:
    """A file of the page."""
    return (files("discreet.survey") / "page" / name).read_bytes()


class ResultsCache:
    """The results, computed at most twice a second however many look at them."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._lock = Lock()
        self._until = -1.0
        self._seen: object = None
        self._found: dict[str, Any] = {}

    def now(self) -> dict[str, Any]:
        """The results of all reports that were acknowledged half a second ago."""
        with self._lock:
            if monotonic() >= self._until:
                collector = self._collector
                tally, refused = collector.store.tally()
                seen = (tally, refused, collector.poll.is_open(collector.clock()))
                if seen != self._seen:
                    self._found = results(collector.poll, tally, refused, collector.clock())
                    self._seen = seen
                self._until = monotonic() + _FRESH
            return self._found


def application(collector: Collector, *, fresh: bool = False) -> Application:
    """The application that serves a poll.  Its collector starts and stops with it.

    ``fresh`` starts the collector at once, for a host that sends no lifespan events.
    """
    try:
        from fastapi import FastAPI, Request
        from fastapi.responses import JSONResponse, Response, StreamingResponse
        from starlette.exceptions import HTTPException
    except ImportError:
        raise SourceError(
            f"FastAPI is not installed. It serves the survey's page. Run: {install_extra('server')}"
        ) from None

    poll = collector.poll
    limit = RateLimit(poll.rate_limit)
    published = ResultsCache(collector)
    scheme = poll.scheme.to_json()

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
        data = rendered(f"survey/page/{name}", title=poll.title).encode()

        async def show() -> Response:
            return Response(data, media_type="text/html; charset=utf-8")

        return show

    for path, name in (("/", "index.html"), ("/results", "results.html")):
        app.get(path, include_in_schema=False)(page(name))

    static = {name: (static_file(name), kind) for name, kind in _STATIC.items()}

    @app.get("/static/{name}", include_in_schema=False)
    async def file(name: str) -> Response:
        if name not in static:
            raise HTTPException(404)
        data, kind = static[name]
        return Response(data, media_type=kind)

    @app.get("/scheme.json", **openapi.SCHEME)
    async def scheme_json() -> Response:
        return Response(scheme, media_type="application/json")

    @app.get("/api/poll", **openapi.POLL)
    async def poll_json() -> Response:
        closes = None if poll.closes is None else poll.closes.isoformat()
        return JSONResponse(
            {
                "title": poll.title,
                "question": poll.question,
                "tokens": poll.tokens,
                "closed": not poll.is_open(collector.clock()),
                "closes": closes,
            }
        )

    @app.post("/reports", **openapi.report_operation(poll))
    async def reports(request: Request) -> Response:
        if not poll.is_open(collector.clock()):
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
    def results_json() -> Response:
        return JSONResponse(published.now())

    @app.get("/api/export", **openapi.EXPORT)
    def export(format: openapi.ExportFormat = openapi.ExportFormat.CSV) -> Response:
        lines = _csv(collector) if format is openapi.ExportFormat.CSV else _json(collector)
        name = f"reports.{format.value}"
        kind = (
            "text/csv; charset=utf-8" if format is openapi.ExportFormat.CSV else "application/json"
        )
        first = next(lines)  # a database that does not answer is told as such, not halfway
        return StreamingResponse(
            _after(first, lines),
            media_type=kind,
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    return secured(app)


def _after(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _csv(collector: Collector) -> Iterator[str]:
    rows = collector.store.reports()
    held = next(rows, None)
    yield "day,report\n"
    while held is not None:
        quoted = ((day, report.replace('"', '""')) for day, report in held)
        yield "".join(f'{day},"{report}"\n' for day, report in quoted)
        held = next(rows, None)


def _json(collector: Collector) -> Iterator[str]:
    rows = collector.store.reports()
    held = next(rows, None)
    yield f'{{"scheme": {collector.poll.scheme.to_json()}, "reports": ['
    before = ""
    while held is not None:
        yield before + ", ".join(
            f'{{"day": {json.dumps(day)}, "report": {report}}}' for day, report in held
        )
        before = ", "
        held = next(rows, None)
    yield "]}"
