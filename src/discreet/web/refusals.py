"""Why a request is refused: a reason that is counted, and what the sender is told."""

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
    """A status code of HTTP and a plain sentence; neither repeats what was sent."""

    status: int
    message: str


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """A request that is refused, for one of the application's reasons."""

    def __init__(self, reason: str, wait: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


def told(name: str, reason: Reason, wait: int = 0) -> "JSONResponse":
    """The response to a request that is refused, and after how many seconds to try it again."""
    from fastapi.responses import JSONResponse

    headers = {"Retry-After": str(wait)} if wait else None
    return JSONResponse({"error": name, "message": reason.message}, reason.status, headers)


def answer_refusals(
    app: "FastAPI", reasons: Mapping[str, Reason], count: Callable[[str], None]
) -> None:
    """Answer in one form what is refused, which is counted, and what no address here takes."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    @app.exception_handler(Refused)
    async def refused(_: "Request", refusal: Refused) -> "JSONResponse":
        count(refusal.reason)
        return told(refusal.reason, reasons[refusal.reason], refusal.wait)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: "Request", __: "RequestValidationError") -> "JSONResponse":
        return told("invalid", Reason(422, "A parameter of the request has no meaning here."))

    @app.exception_handler(HTTPException)
    async def absent(_: "Request", error: "HTTPException") -> "JSONResponse":
        said = (
            "This address takes no such request."
            if error.status_code == 405
            else "There is no such page here."
        )
        response = told("no-such-page", Reason(error.status_code, said))
        response.headers.update(error.headers or {})
        return response
