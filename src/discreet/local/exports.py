"""Reports that a collector has exported, counted again by whoever wants to check."""

import json
from typing import Any

from discreet.decoding import Shape, decoded
from discreet.errors import DataError
from discreet.local.scheme import scheme
from discreet.local.tally import Tally
from discreet.local.wire import write_report


class _Row(Shape, frozen=True):
    report: Any
    day: str = ""


class _Export(Shape, frozen=True):
    scheme: dict[str, Any]
    reports: list[_Row]


def read_export(text: str | bytes) -> Tally:
    """The tally of an export: a JSON object with a scheme and a list of its reports.

    It is what a survey's ``/api/export?format=json`` gives.  A report that the scheme cannot have
    made is refused.

    >>> from discreet.local import RandomizedResponse
    >>> poll = RandomizedResponse.two_coin()
    >>> text = f'{{"scheme": {poll.to_json()}, "reports": [{{"report": 1}}, {{"report": 0}}]}}'
    >>> tally = read_export(text)
    >>> tally.scheme.estimate(tally).value
    0.5
    """
    export = decoded(text, _Export)
    if export is None:
        raise _malformed()
    made: Any = scheme(json.dumps(export.scheme, ensure_ascii=False))
    tally = made.tally()
    identity = tally.identity  # a repeated question of one stage has the reports of that stage
    for row in export.reports:
        tally.add(made.report_from_wire(write_report(identity, row.report)))
    counted: Tally = tally
    return counted


def _malformed() -> DataError:
    return DataError(
        "the text is not an export. It is a JSON object with a scheme and its reports, as a "
        "survey's /api/export?format=json gives it. Read it from there again."
    )
