"""The page of whoever asks: counts, response rate, faults, closing and all reports."""

from asyncio import to_thread
from typing import TYPE_CHECKING, Any, Final

from discreet.strict_json import Shape, decoded
from discreet.survey import openapi
from discreet.survey.collector import Collector
from discreet.survey.export import exported
from discreet.survey.pages import rendered_page
from discreet.survey.results import Counted, as_csv, results
from discreet.web.one_time_link import OneTimeLink
from discreet.web.refusals import Reason, refusal_response
from discreet.web.request_limits import json_body

if TYPE_CHECKING:
    from fastapi import FastAPI

_LONGEST: Final = 1000
_STRANGER: Final = Reason(
    403, "This is for whoever serves the survey. Follow the link that discreet survey serve prints."
)


class _Key(Shape, frozen=True):
    key: str


class _Wish(Shape, frozen=True):
    closed: bool


def status(collector: Collector) -> dict[str, Any]:
    """What whoever asks may know: of all reports, and of what went wrong."""
    tally, refused = collector.store.tally()
    counted = Counted(tally, refused)
    shown = collector.store.shown()
    given, used = collector.store.tokens()
    number = collector.poll.ballot.number
    return {
        **results(collector.poll, counted, closed=not collector.is_open, tokens=given or None),
        "shown": number(shown.tally),
        "closed_by_hand": shown.closed,
        "tokens_used": used,
        "faults": [{"text": one.text, "times": one.times} for one in collector.notices.all()],
    }


def add_operator_page(app: "FastAPI", collector: Collector, link: OneTimeLink) -> None:
    """The page at /operator, and what it asks; all of it is for the holder of the session."""
    from fastapi import Request
    from fastapi.responses import JSONResponse, Response

    page = rendered_page(collector.poll, "operator.html").encode()

    def admitted(request: Request) -> bool:
        kind, _, session = request.headers.get("authorization", "").partition(" ")
        return kind == "Bearer" and link.admits(session)

    def refused() -> Response:
        return refusal_response("not-yours", _STRANGER)

    @app.api_route("/operator", methods=["GET", "HEAD"], include_in_schema=False)
    async def show() -> Response:
        return Response(page, media_type="text/html; charset=utf-8")

    @app.post("/operator/session", include_in_schema=False)
    async def session(request: Request) -> Response:
        sent = decoded(await json_body(request, _LONGEST), _Key)
        opened = None if sent is None else link.exchange(sent.key)
        return refused() if opened is None else JSONResponse({"session": opened})

    @app.get("/operator/status", include_in_schema=False)
    def found(
        request: Request, format: openapi.ResultsFormat = openapi.ResultsFormat.JSON
    ) -> Response:
        if not admitted(request):
            return refused()
        known = status(collector)
        if format is openapi.ResultsFormat.JSON:
            return JSONResponse(known)
        return Response(as_csv(known), media_type="text/csv; charset=utf-8")

    @app.post("/operator/closed", include_in_schema=False)
    async def close(request: Request) -> Response:
        if not admitted(request):
            return refused()
        sent = decoded(await json_body(request, _LONGEST), _Wish)
        if sent is None:
            return refusal_response("malformed", Reason(400, "It says neither open nor closed."))
        await to_thread(collector.close_poll, sent.closed)
        return JSONResponse({"closed": not collector.is_open})

    @app.get("/operator/export", include_in_schema=False)
    def export(
        request: Request, format: openapi.ExportFormat = openapi.ExportFormat.CSV
    ) -> Response:
        if not admitted(request):
            return refused()
        response: Response = exported(collector, format)
        return response
