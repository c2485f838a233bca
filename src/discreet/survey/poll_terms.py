"""The terms of a poll that all reports in its database share, and when they may change."""

from dataclasses import dataclass
from typing import Final

from discreet.errors import DataError, SourceError
from discreet.privacy.number_text import plural

LIVE: Final = "live"
BATCHES: Final = "batches"
CLOSED: Final = "closed"
PRIVATE: Final = "private"
MODES: Final = (LIVE, BATCHES, CLOSED, PRIVATE)
"""When results are shown to everyone, from at once to never.  Respondents are told."""


@dataclass(frozen=True, slots=True)
class PollTerms:
    """The scheme as JSON, the question asked, and the poll's ``tokens``: who is admitted."""

    scheme: str
    question: str
    tokens: str


def check_terms(stored: PollTerms, stated: PollTerms, reports: int, reworded: bool) -> None:
    """Refuse stated terms under which the stored reports would mean something else.

    ``reports`` is the number of stored reports; ``reworded`` allows another question or tokens.
    """
    if not reports:
        return
    fact = f"the database holds {reports_text(reports)}"
    if stored.scheme != stated.scheme:
        raise DataError(
            f"{fact} of another scheme. Reports of different answers, epsilons or schemes mean "
            "different things. Name another database in the poll, or put back what was changed "
            "in it."
        )
    if reworded:
        return
    if stored.question != stated.question:
        raise DataError(
            f"{fact} to another question: {stored.question!r}. A report answers the question that "
            "was asked. Name another database in the poll; or, if only the wording was mended, "
            "serve it once with --reworded."
        )
    if stored.tokens != stated.tokens:
        raise DataError(
            f"{fact} that came with tokens = {stored.tokens!r}. Who was admitted is part of what "
            "results mean. Name another database in the poll; or serve it once with --reworded if "
            "both may be counted together."
        )


def check_results(stored: str, stated: str, reports: int) -> None:
    """Refuse to show the stored reports earlier than those who sent them were told."""
    if reports and MODES.index(stated) < MODES.index(stored):
        raise DataError(
            f"the database holds {reports_text(reports)} that came with results = {stored!r}, and "
            f"results is {stated!r}. Whoever sent one was told when results are shown, and not "
            "that it is sooner. Put back what was changed, or name another database in the poll."
        )


def taken_over_error() -> SourceError:
    """The error of a collector whose database another one has taken over."""
    return SourceError(
        "the poll was changed while it was served. Reports to two questions are not mixed. Serve "
        "the poll again."
    )


def outdated_poll_error() -> DataError:
    """The error for a poll file that was changed since it was last served."""
    return DataError(
        "the database was made for the poll as it was before it was changed. A collector that "
        "runs would take no more reports. Serve the poll again, and then make tokens."
    )


def reports_text(reports: int) -> str:
    """The number of reports with its noun.

    >>> reports_text(1), reports_text(1200)
    ('1 report', '1,200 reports')
    """
    return plural(reports, "report")
