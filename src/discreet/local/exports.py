"""Reports that a collector has exported, counted again by whoever wants to check."""

import json
from typing import Any

from discreet.errors import DataError
from discreet.local.scheme import scheme
from discreet.local.strict_json import parsed
from discreet.local.tally import Tally
from discreet.local.wire import write_report


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
    try:
        fields = parsed(text)
    except (ValueError, TypeError):
        raise _malformed() from None
    if not isinstance(fields, dict) or set(fields) != {"scheme", "reports"}:
        raise _malformed()
    rows = fields["reports"]
    if not isinstance(fields["scheme"], dict) or not isinstance(rows, list):
        raise _malformed()
    made: Any = scheme(json.dumps(fields["scheme"], ensure_ascii=False))
    tally = made.tally()
    identity = tally.identity  # a repeated question of one stage has the reports of that stage
    for row in rows:
        if not isinstance(row, dict) or not {"report"} <= set(row) <= {"day", "report"}:
            raise _malformed()
        tally.add(made.report_from_wire(write_report(identity, row["report"])))
    counted: Tally = tally
    return counted


def _malformed() -> DataError:
    return DataError(
        "the text is not an export. It is a JSON object with a scheme and its reports, as a "
        "survey's /api/export?format=json gives it. Read it from there again."
    )
