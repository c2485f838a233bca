"""Refusals of HTTP requests: their reasons, which are counted, and the responses to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse
    from starlette.exceptions import HTTPException


@dataclass(frozen=True, slots=True)
class Reason:
    """An HTTP status code and a plain sentence, which repeats nothing of the request."""

    status: int
    message: str


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """The refusal of a request, by the name of its reason; ``wait`` is in seconds."""

    def __init__(self, reason: str, wait: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


def refusal_response(name: str, reason: Reason, wait: int = 0) -> "JSONResponse":
    """The response to a refused request; with ``wait``, it says after how many seconds to retry."""
    from fastapi.responses import JSONResponse

    headers = {"Retry-After": str(wait)} if wait else None
    return JSONResponse({"error": name, "message": reason.message}, reason.status, headers)


def answer_refusals(
    app: "FastAPI", reasons: Mapping[str, Reason], count: Callable[[str], None]
) -> None:
    """Install handlers that answer every refused, invalid or misdirected request in one form.

    ``count`` is called with the reason of each ``Refused``.
    """
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    @app.exception_handler(Refused)
    async def refused(_: "Request", refusal: Refused) -> "JSONResponse":
        count(refusal.reason)
        return refusal_response(refusal.reason, reasons[refusal.reason], refusal.wait)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: "Request", __: "RequestValidationError") -> "JSONResponse":
        return refusal_response(
            "invalid", Reason(422, "A parameter of the request has no meaning here.")
        )

    @app.exception_handler(HTTPException)
    async def absent(_: "Request", error: "HTTPException") -> "JSONResponse":
        message = (
            "This address takes no such request."
            if error.status_code == 405
            else "There is no such page here."
        )
        response = refusal_response("no-such-page", Reason(error.status_code, message))
        response.headers.update(error.headers or {})
        return response
