"""The terms that all reports of one database share, and when they may change."""

from dataclasses import dataclass

from discreet.errors import DataError, SourceError


@dataclass(frozen=True, slots=True)
class PollTerms:
    """The scheme as JSON, the question that was asked, and who was admitted."""

    scheme: str
    question: str
    tokens: str


def check_terms(found: PollTerms, stated: PollTerms, reports: int, reworded: bool) -> None:
    """Refuse terms under which the reports that there are would mean something else."""
    if not reports:
        return
    held = f"the database holds {counted_in_words(reports)}"
    if found.scheme != stated.scheme:
        raise DataError(
            f"{held} of another scheme. Reports of different answers, epsilons or schemes mean "
            "different things. Name another database in the poll, or put back what was changed "
            "in it."
        )
    if reworded:
        return
    if found.question != stated.question:
        raise DataError(
            f"{held} to another question: {found.question!r}. A report answers the question that "
            "was asked. Name another database in the poll; or, if only the wording was mended, "
            "serve it once with --reworded."
        )
    if found.tokens != stated.tokens:
        raise DataError(
            f"{held} that came with tokens = {found.tokens!r}. Who was admitted is part of what "
            "results mean. Name another database in the poll; or serve it once with --reworded if "
            "both may be counted together."
        )


def taken_over_error() -> SourceError:
    """The error of a collector whose database another one has taken over."""
    return SourceError(
        "the poll was changed while it was served. Reports to two questions are not mixed. Serve "
        "the poll again."
    )


def outdated_poll_error() -> DataError:
    """The error for a poll that is not the one that is served."""
    return DataError(
        "the database was made for the poll as it was before it was changed. A collector that "
        "runs would take no more reports. Serve the poll again, and then make tokens."
    )


def counted_in_words(reports: int) -> str:
    """The number of reports, in words.

    >>> counted_in_words(1), counted_in_words(1200)
    ('1 report', '1,200 reports')
    """
    return "1 report" if reports == 1 else f"{reports:,} reports"
