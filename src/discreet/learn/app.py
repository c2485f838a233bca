"""The web application of the page."""

from discreet.dependencies import install_extra
from discreet.errors import SourceError
from discreet.learn.pages import served_page, static_files
from discreet.web.headers import Application, secured


def application() -> Application:
    """The application that serves the page and its files, and takes nothing."""
    try:
        from starlette.applications import Starlette
        from starlette.requests import Request
        from starlette.responses import Response
        from starlette.routing import Route
    except ImportError:
        raise SourceError(
            f"FastAPI is not installed. It serves the page. Run: {install_extra('server')} "
            "Or write the page into a file, which needs none: discreet learn --html FILE."
        ) from None

    def route(path: str, data: bytes, kind: str) -> Route:
        async def answer(_: Request) -> Response:
            return Response(data, media_type=kind)

        return Route(path, answer)

    return secured(
        Starlette(
            routes=[
                route("/", served_page().encode(), "text/html; charset=utf-8"),
                *(route(f"/static/{name}", *file) for name, file in static_files().items()),
            ]
        )
    )
