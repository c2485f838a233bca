"""All reports of a poll as text, in pieces: for whoever asks with their day, and for everyone else
without it, since somebody may be known to be the only one who answered on a day."""

import json
from collections.abc import Iterator
from typing import Any

from discreet.survey import openapi
from discreet.survey.ballot import Ballot
from discreet.survey.collector import Collector
from discreet.survey.report_store import ReportStore


def csv_lines(store: ReportStore, _: Ballot, *, days: bool = True) -> Iterator[str]:
    """Reports as CSV."""
    rows = store.reports()
    held = next(rows, None)
    yield "day,report\n" if days else "report\n"
    while held is not None:
        quoted = ((day, report.replace('"', '""')) for day, report in held)
        yield "".join(f'{day},"{report}"\n' if days else f'"{report}"\n' for day, report in quoted)
        held = next(rows, None)


def json_lines(store: ReportStore, ballot: Ballot, *, days: bool = True) -> Iterator[str]:
    """Reports as JSON, with the scheme or the survey by which they were made."""
    rows = store.reports()
    held = next(rows, None)
    yield f'{{"{"scheme" if ballot.plain else "survey"}": {ballot.text}, "reports": ['
    before = ""
    while held is not None:
        yield before + ", ".join(
            f'{{"day": {json.dumps(day)}, "report": {report}}}'
            if days
            else f'{{"report": {report}}}'
            for day, report in held
        )
        before = ", "
        held = next(rows, None)
    yield "]}"


def exported(collector: Collector, format: openapi.ExportFormat, *, days: bool = True) -> Any:
    """The response with all reports, in pieces; it fails before it has begun, or not at all."""
    from fastapi.responses import StreamingResponse

    as_csv = format is openapi.ExportFormat.CSV
    form = csv_lines if as_csv else json_lines
    lines = form(collector.store, collector.poll.ballot, days=days)
    first = next(lines)  # a database that does not answer is told as such, not halfway
    return StreamingResponse(
        _after(first, lines),
        media_type="text/csv; charset=utf-8" if as_csv else "application/json",
        headers={"Content-Disposition": f'attachment; filename="reports.{format.value}"'},
    )


def _after(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest
