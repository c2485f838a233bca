"""What a respondent sends: a report to each question, read and counted together.

Losses of the reports of one respondent add up, so the ballot has one ε, and an account of
``discreet.local`` pays for its questions: a poll whose questions cost more is refused.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from discreet.errors import DataError, DiscreetError
from discreet.local import Account, Tally
from discreet.survey.question import Question

_MAGIC: Final = b"discreet.tallies\x00\x01"  # the last byte is the version
_FORMAT: Final = "discreet.survey"


@dataclass(frozen=True, kw_only=True)
class Ballot:
    """The questions of a poll, and what all reports of one respondent may reveal together.

    A poll that declares one question, ``plain``, is known by its scheme, as it always was; one
    with a list of them by a text that names them all.
    """

    questions: tuple[Question, ...]
    epsilon: Fraction
    plain: bool

    @cached_property
    def text(self) -> str:
        """The public text by which reports are made, as the page reads and checks it."""
        if self.plain:
            return str(self.questions[0].scheme.to_json())
        return json.dumps(
            {
                "format": _FORMAT,
                "version": 1,
                "epsilon": str(self.epsilon),
                "questions": [
                    {
                        "question": one.text,
                        "kind": one.kind,
                        "answers": list(one.answers),
                        "scheme": json.loads(one.scheme.to_json()),
                    }
                    for one in self.questions
                ],
            },
            ensure_ascii=False,
        )

    @cached_property
    def identity(self) -> str:
        """The SHA-256 of the text, which every report states."""
        return sha256(self.text.encode()).hexdigest()

    @cached_property
    def schemes(self) -> list[Any]:
        """The scheme of each part of a report, in order."""
        return [one.scheme for one in self.questions for _ in range(one.parts)]

    def account(self) -> Account:
        """The account of a respondent who has answered nothing yet."""
        return Account(cap=self.epsilon)

    def read(self, report: Any) -> str:
        """A report's JSON text as it is kept; one that no browser can have made is a ValueError."""
        kept = json.dumps(report)
        try:
            self._parts(report)
        except (DiscreetError, ValueError, TypeError, OverflowError, RecursionError):
            raise ValueError from None
        return kept

    def _parts(self, report: Any) -> list[Any]:
        """What each scheme counts of a report."""
        if not self.plain and (not isinstance(report, list) or len(report) != len(self.questions)):
            raise ValueError
        answered = [report] if self.plain else report
        parts = [
            part
            for question, own in zip(self.questions, answered, strict=True)
            for part in question.reports(own)
        ]
        return [
            scheme.report_from_wire(json.dumps({"scheme": scheme.identity, "report": part}))
            for scheme, part in zip(self.schemes, parts, strict=True)
        ]

    def counted(self, tally: bytes | None, reports: list[str]) -> bytes:
        """The tally with these reports, which are JSON texts that were read before."""
        tallies = self.tallies(tally)
        for report in reports:
            for one, part in zip(tallies, self._parts(json.loads(report)), strict=True):
                one.add(part)
        if self.plain:
            return tallies[0].to_bytes()
        parts = [one.to_bytes() for one in tallies]
        return _MAGIC + b"".join(len(part).to_bytes(4, "little") + part for part in parts)

    def tallies(self, data: bytes | None) -> list[Tally]:
        """The tally of each part; of a database's bytes, which must be of these schemes."""
        if data is None:
            return [scheme.tally() for scheme in self.schemes]
        tallies = [Tally.from_bytes(part) for part in ([data] if self.plain else _split(data))]
        if [one.identity for one in tallies] != [scheme.identity for scheme in self.schemes]:
            raise DataError(
                "the database's tally is of another scheme. Its counts mean something else. Name "
                "the poll's own database."
            )
        return tallies

    def number(self, data: bytes | None) -> int:
        """How many respondents a tally counts."""
        return self.tallies(data)[0].reports


def _split(data: bytes) -> list[bytes]:
    if data[: len(_MAGIC)] != _MAGIC:
        raise _damaged()
    parts, place = [], len(_MAGIC)
    while place < len(data):
        start = place + 4
        place = start + int.from_bytes(data[place:start], "little")
        parts.append(data[start:place])
    if place != len(data):
        raise _damaged()
    return parts


def _damaged() -> DataError:
    return DataError(
        "the database's tally is damaged. Results are made from it. Put a backup in its place."
    )
