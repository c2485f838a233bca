"""The OpenAPI document of the application, by address."""

from enum import Enum
from typing import Any, Final

from discreet.local import Mean
from discreet.survey.collector import LONGEST_BODY
from discreet.survey.poll import NONE, ONE_TIME, Poll
from discreet.survey.poll_terms import MODES
from discreet.survey.question import ANSWER_KINDS, Question
from discreet.survey.refusals import REASONS

DESCRIPTION: Final = (
    "Reports that were randomized at the respondent are collected here. No answer ever arrives."
)


class ResultsFormat(Enum):
    """The format of estimates."""

    JSON = "json"
    CSV = "csv"


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
    "summary": "The scheme by which answers are randomized, or of several questions the survey",
    "responses": {200: _answer("A scheme, or a survey.", _content({"type": "object"}))},
}
_TEXTS: Final = {"type": "array", "items": _TEXT}
POLL: Final[dict[str, Any]] = {
    "summary": "The questions, and the texts around them",
    "responses": {
        200: _answer(
            "The poll.",
            _content(
                _object(
                    {
                        "title": _TEXT,
                        "language": _TEXT,
                        "texts": {"type": "object", "additionalProperties": _TEXT},
                        "textsLanguage": _TEXT,
                        "words": {"type": "object", "additionalProperties": _TEXT},
                        "tokens": {"enum": [NONE, ONE_TIME]},
                        "results": {"enum": list(MODES)},
                        "batch": {"type": "integer"},
                        "closed": {"type": "boolean"},
                        "closes": {"type": ["string", "null"]},
                        "questions": {
                            "type": "array",
                            "items": _object(
                                {
                                    "question": _TEXT,
                                    "kind": {"enum": list(ANSWER_KINDS)},
                                    "answers": _TEXTS,
                                    "ends": {"anyOf": [_TEXTS, {"type": "null"}]},
                                    "shuffle": {"type": "boolean"},
                                }
                            ),
                        },
                    }
                )
            ),
        )
    },
}


def report_operation(poll: Poll) -> dict[str, Any]:
    """What the address says that takes reports of this poll."""
    identity = {
        "const": poll.ballot.identity,
        "description": "The SHA-256 of the text of /scheme.json.",
    }
    own: dict[str, Any]
    if poll.ballot.plain:
        own = {
            "scheme": identity,
            "report": _of_question(poll.questions[0]),
            "question": {
                "const": poll.question_identity,
                "description": "The SHA-256 of the question, if it is to be sure that it was this "
                "one.",
            },
        }
    else:
        reports = [_of_question(one) for one in poll.questions]
        own = {
            "survey": identity,
            "report": {
                "type": "array",
                "prefixItems": reports,
                "minItems": len(reports),
                "maxItems": len(reports),
                "description": "A report to each question, in their order.",
            },
        }
    properties: dict[str, Any] = {
        **own,
        "id": {
            "type": "string",
            "pattern": "^[0-9a-f]{32}$",
            "description": "Drawn at random. The same report with the same id counts once, so it "
            "may be sent again.",
        },
    }
    required = ["scheme" if poll.ballot.plain else "survey", "report"]
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


def _of_question(question: Question) -> dict[str, Any]:
    """The reports to a question as a JSON schema."""
    report = _report(question.scheme)
    if question.kind != "several":
        return report
    return {
        "type": "array",
        "items": report,
        "minItems": question.parts,
        "maxItems": question.parts,
        "description": "For each answer whether it is chosen, randomized.",
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


_ESTIMATE: Final = dict.fromkeys(
    ("error", "lower", "upper", "consistent", "at_least", "at_most"), _NUMBER
)
_QUESTION: Final = _object(
    {
        "question": _TEXT,
        "kind": {"enum": list(ANSWER_KINDS)},
        "shares": {
            "type": "array",
            "items": _object({"answer": _TEXT, "share": _NUMBER, **_ESTIMATE}),
        },
        "mean": {
            "anyOf": [
                _object({"value": _NUMBER, **_ESTIMATE, "low": _NUMBER, "high": _NUMBER}),
                {"type": "null"},
            ]
        },
        "needed": {"type": "integer"},
        "reading": _TEXT,
        "poisoning": _object(
            {
                "most_shift_per_report": {"type": ["number", "null"]},
                "weight": _NUMBER,
                "text": _TEXT,
            }
        ),
    }
)
RESULTS: Final[dict[str, Any]] = {
    "summary": "The estimates that everyone may see",
    "responses": {
        200: _answer(
            "Shares, or a mean, with their 95% intervals; none before there is a batch of reports.",
            _content(
                _object(
                    {
                        "title": _TEXT,
                        "closed": {"type": "boolean"},
                        "mode": {"enum": list(MODES)},
                        "batch": {"type": "integer"},
                        "reports": {"type": "integer", "minimum": 0},
                        "ballot": _TEXT,
                        "epsilon": _TEXT,
                        "confidence": _NUMBER,
                        "questions": {"type": "array", "items": _QUESTION},
                        "refused": {
                            "type": "object",
                            "additionalProperties": {"type": "integer", "minimum": 0},
                        },
                    }
                )
            )
            | {"text/csv": {"schema": _TEXT}},
        ),
        422: {"description": "The format is not known.", "content": _ERROR},
        **_UNAVAILABLE,
    },
}
EXPORT: Final[dict[str, Any]] = {
    "summary": "All reports and nothing else, with their day where results are live",
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
        403: {"description": "Reports are not for everyone now.", "content": _ERROR},
        422: {"description": "The format is not known.", "content": _ERROR},
        **_UNAVAILABLE,
    },
}
