"""The OpenAPI document of the application, by address."""

from enum import Enum
from typing import Any, Final

from discreet.local import Mean
from discreet.survey.collector import LONGEST_BODY
from discreet.survey.poll import NONE, ONE_TIME, Poll
from discreet.survey.refusals import REASONS

DESCRIPTION: Final = (
    "Reports that were randomized at the respondent are collected here. No answer ever arrives."
)


class ExportFormat(Enum):
    """The format of exported reports."""

    CSV = "csv"
    JSON = "json"


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


_ERROR: Final = _content(
    {
        "type": "object",
        "required": ["error", "message"],
        "properties": {"error": {"type": "string"}, "message": {"type": "string"}},
        "additionalProperties": False,
    }
)
_UNAVAILABLE: Final = {503: {"description": "The database does not answer.", "content": _ERROR}}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _answer(description: str, content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"description": description, "content": content, **more}


def _by_status() -> dict[int, dict[str, Any]]:
    by_status: dict[int, list[str]] = {}
    for reason in REASONS.values():
        by_status.setdefault(reason.status, []).append(reason.message)
    return {
        status: {"description": " Or: ".join(messages), "content": _ERROR}
        for status, messages in by_status.items()
    }


SCHEME: Final[dict[str, Any]] = {
    "summary": "The scheme by which answers are randomized",
    "responses": {200: _answer("A scheme.", _content({"type": "object"}))},
}
POLL: Final[dict[str, Any]] = {
    "summary": "The question",
    "responses": {
        200: _answer(
            "The poll.",
            _content(
                _object(
                    {
                        "title": _TEXT,
                        "question": _TEXT,
                        "tokens": {"enum": [NONE, ONE_TIME]},
                        "closed": {"type": "boolean"},
                        "closes": {"type": ["string", "null"]},
                    }
                )
            ),
        )
    },
}


def report_operation(poll: Poll) -> dict[str, Any]:
    """What the address says that takes reports of this poll."""
    properties: dict[str, Any] = {
        "scheme": {
            "const": poll.scheme.identity,
            "description": "The SHA-256 of the text of /scheme.json.",
        },
        "report": _report(poll.scheme),
        "question": {
            "const": poll.question_identity,
            "description": "The SHA-256 of the question, if it is to be sure that it was this one.",
        },
        "id": {
            "type": "string",
            "pattern": "^[0-9a-f]{32}$",
            "description": "Drawn at random. The same report with the same id counts once, so it "
            "may be sent again.",
        },
    }
    required = ["scheme", "report"]
    if poll.tokens == ONE_TIME:
        properties["token"] = {"type": "string", "minLength": 1}
        required.append("token")
    return {
        "summary": "Send one report",
        "status_code": 201,
        "responses": {
            201: _answer(
                "The report is on the disk.", _content(_object({"stored": {"const": True}}))
            ),
            **_by_status(),
        },
        "openapi_extra": {
            "requestBody": {
                "required": True,
                "description": f"A report as the page makes it, at most {LONGEST_BODY} bytes.",
                "content": _content(
                    {
                        "type": "object",
                        "required": required,
                        "additionalProperties": False,
                        "properties": properties,
                    }
                ),
            }
        },
    }


def _report(scheme: Any) -> dict[str, Any]:
    """The reports of a scheme as a JSON schema."""
    if isinstance(scheme, Mean):
        possible = scheme.possible_reports
        return {
            "type": "integer",
            "minimum": possible.start,
            "maximum": possible.stop - 1,
            "description": "A cell, or a bit.",
        }
    size = scheme.domain
    place = {"type": "integer", "minimum": 0, "maximum": size - 1}
    match scheme.name:
        case "unary":
            digits = 2 * -(-size // 8)
            pattern = f"^[0-9a-f]{{{digits}}}$"
            return {"type": "string", "pattern": pattern, "description": "Marks as hexadecimal."}
        case "subset":
            return {
                "type": "array",
                "items": place,
                "minItems": scheme.size,
                "maxItems": scheme.size,
                "uniqueItems": True,
                "description": "The places that are listed, in their order.",
            }
        case "hadamard":
            row = {"type": "integer", "minimum": 0, "maximum": scheme.rows - 1}
            return {
                "type": "array",
                "prefixItems": [row, {"enum": [0, 1]}],
                "minItems": 2,
                "maxItems": 2,
                "description": "A row, and its bit.",
            }
        case "projective":
            return {"type": "integer", "minimum": 0, "maximum": scheme.cells - 1}
    return {**place, "description": "The place of an answer."}


RESULTS: Final[dict[str, Any]] = {
    "summary": "The estimates",
    "responses": {
        200: _answer(
            "Shares, or a mean, with their 95% intervals.",
            _content(
                _object(
                    {
                        "title": _TEXT,
                        "question": _TEXT,
                        "closed": {"type": "boolean"},
                        "reports": {"type": "integer", "minimum": 0},
                        "scheme": _TEXT,
                        "epsilon": _TEXT,
                        "confidence": _NUMBER,
                        "shares": {
                            "type": "array",
                            "items": _object(
                                {
                                    "answer": _TEXT,
                                    "share": _NUMBER,
                                    "error": _NUMBER,
                                    "lower": _NUMBER,
                                    "upper": _NUMBER,
                                }
                            ),
                        },
                        "mean": {
                            "anyOf": [
                                _object(
                                    dict.fromkeys(
                                        ("value", "error", "lower", "upper", "low", "high"), _NUMBER
                                    )
                                ),
                                {"type": "null"},
                            ]
                        },
                        "reading": _TEXT,
                        "poisoning": _object(
                            {
                                "most_shift_per_report": {"type": ["number", "null"]},
                                "weight": _NUMBER,
                                "text": _TEXT,
                            }
                        ),
                        "refused": {
                            "type": "object",
                            "additionalProperties": {"type": "integer", "minimum": 0},
                        },
                    }
                )
            ),
        ),
        **_UNAVAILABLE,
    },
}
EXPORT: Final[dict[str, Any]] = {
    "summary": "All reports, with their day and nothing else",
    "responses": {
        200: {
            "description": "Reports in the order of their random ids.",
            "content": {
                "text/csv": {"schema": _TEXT},
                **_content(
                    _object(
                        {
                            "scheme": {"type": "object"},
                            "reports": {
                                "type": "array",
                                "items": _object({"day": _TEXT, "report": {}}),
                            },
                        }
                    )
                ),
            },
        },
        422: {"description": "The format is not known.", "content": _ERROR},
        **_UNAVAILABLE,
    },
}
