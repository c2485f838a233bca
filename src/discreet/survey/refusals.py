"""Why a request to a survey is refused."""

from typing import Final

from discreet.web.refusals import Reason

REASONS: Final = {
    "malformed": Reason(
        400,
        "The text is not a report of this survey. It is a JSON object with the scheme's hash and "
        "what its randomizer drew. Send what the page makes.",
    ),
    "token-missing": Reason(
        403, "This survey is for those who have a token. Send the same report with the token."
    ),
    "token-unknown": Reason(
        403, "The token is not known. Send the same report with the token as it was given out."
    ),
    "not-public": Reason(
        403,
        "This is not for everyone now. Reports are for everyone with results = live, or once the "
        "survey is closed. Ask whoever serves it.",
    ),
    "too-slow": Reason(408, "The request took too long. Send the same report again."),
    "token-used": Reason(
        409, "The token was used before. It is for one report. Send this one with another token."
    ),
    "id-taken": Reason(
        409,
        "Another report was sent under this id. An id is for one report. Send this one under a "
        "new id.",
    ),
    "wrong-scheme": Reason(
        409,
        "The report was made for another scheme or another question. It would mean something else "
        "here. Send it to its own survey.",
    ),
    "closed": Reason(410, "The survey is closed. No more reports are taken."),
    "oversize": Reason(413, "The request is longer than 64 KiB. A report is much shorter."),
    "not-json": Reason(
        415, "The request is not JSON. Send it with the content type application/json."
    ),
    "too-many": Reason(
        429, "Too many reports came from this address. Wait a moment, and send the same one again."
    ),
    "unavailable": Reason(
        503,
        "The database does not answer. Whether the report was kept is not known. Send the same "
        "one again in a moment: it counts once.",
    ),
}
