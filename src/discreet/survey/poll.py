"""A poll as its TOML file declares it, and the file that ``discreet survey new`` writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final
from warnings import catch_warnings, simplefilter

from discreet.errors import BudgetExhaustedError, PolicyError, PrivacyWarning
from discreet.exact import decimal_text
from discreet.policy.policy_file import TomlFile
from discreet.survey.ballot import Ballot
from discreet.survey.poll_terms import BATCHES, CLOSED, LIVE, MODES, PRIVATE, PollTerms
from discreet.survey.question import (
    QUESTION_FIELDS,
    Complaint,
    Question,
    is_line,
    read_epsilon,
    read_line,
    read_question,
)
from discreet.survey.texts import ENGLISH, Texts, texts_from, texts_in

NONE: Final = "none"
ONE_TIME: Final = "one-time"
LEAST_BATCH: Final = 10
MOST_QUESTIONS: Final = 50

_WORDS: Final = {
    "asker": "The pupils' council",
    "purpose": "We want to know whether lessons start too early.",
    "contact": "council@school.example",
    "consent": "I am 14 or older, and I take part of my own will.",
    "thanks": "Results are on the board on Friday.",
}
_SHARED: Final = (
    "title",
    "questions",
    "database",
    "rate_limit",
    "closes",
    "tokens",
    "results",
    "batch",
    "language",
    "texts",
    *_WORDS,
)
_FIELDS: Final = ("title", *QUESTION_FIELDS, *_SHARED[1:])
_MOST_RATE: Final = 1_000_000
_MOST_BATCH: Final = 1_000_000


_TEXT = """# A survey in which answers are randomized in the browser of each respondent.
# Serve it:    discreet survey serve {name}
# Rehearse it: discreet survey simulate {name} --respondents 1000

title = "Lessons"
question = "Did you skip a lesson in the last month?"
answers = ["No", "Yes"]

# For a number, such as hours a week, give its bounds instead of answers:
# low = 0
# high = 40

# No report is more than e^epsilon times as likely for one answer as for another. To 1 that
# protects well, to 2 some, above 2 little. A smaller epsilon needs more respondents for the same
# accuracy. It cannot be changed once there are reports.
epsilon = 1

# How an answer is randomized: "randomized-response", "unary", "subset", "hadamard" or "projective";
# a number: "duchi", "piecewise" or "hybrid". "choose" takes the one with the narrowest interval.
scheme = "choose"

# Who asks and why, whom to write to, and what respondents agree to. Respondents read it first.
# asker = "The pupils' council"
# purpose = "We want to know whether lessons start too early."
# contact = "council@school.example"
# consent = "I am 14 or older, and I take part of my own will."
# thanks = "Results are on the board on Friday."

# When results are shown to everyone: "batches" of at least 10 reports, so that nobody sees what
# one report changes; "live"; "closed", once the survey is; or "private", to you alone.
results = "batches"

# Where reports are kept: a SQLite file beside this one, or "postgresql://host/database".
database = "{stem}.db"

# How many reports one address may send in a minute. A class behind one router shares an address.
rate_limit = 60

# The last day on which reports are taken, in UTC; without it the survey stays open.
# closes = 2030-12-31

# "none": everyone may answer. "one-time": whoever has a token, once; make tokens with
# discreet survey tokens {name} --number 200
tokens = "none"

# The language of the questions, as in lang="en" of a page. English and Arabic ("ar") pages
# are there; for another one translate what discreet survey texts writes, and name
# the file: texts = "texts.json".
language = "en"

# Several questions share one epsilon. Write them at the end, instead of the one above. Of each kind
# there is one here; every question is to be answered.
# [[questions]]
# question = "Did you skip a lesson in the last month?"
# kind = "yes-no"
# [[questions]]
# question = "How do you come to school?"
# kind = "one"
# answers = ["On foot", "By bicycle", "By bus", "I would rather not say"]
# [[questions]]
# question = "What do you like?"
# kind = "several"
# answers = ["Sport", "Music", "Art"]
# shuffle = true
# [[questions]]
# question = "How are the lessons?"
# kind = "scale"
# low = 1
# high = 5
# ends = ["boring", "exciting"]
# [[questions]]
# question = "How many hours do you sleep?"
# kind = "number"
# low = 0
# high = 14
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """Questions with their answers, and how reports to them are collected.

    ``ballot`` holds the questions and how answers are randomized; it fixes the privacy.
    ``rate_limit`` is how many reports a minute one address may send.  ``closes`` is the first
    moment at which no more are taken.  ``results`` says when results are shown to everyone, and
    ``batch`` how many reports a change of them holds at least.  ``words`` are what respondents
    read before and after: who asks, why, whom to write to, what they agree to, and thanks.
    """

    title: str
    ballot: Ballot
    database: str
    rate_limit: int = 60
    closes: datetime | None = None
    tokens: str = NONE
    results: str = BATCHES
    batch: int = LEAST_BATCH
    language: str = ENGLISH
    texts: Texts = field(default_factory=lambda: texts_in(ENGLISH))
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked, in order."""
        return self.ballot.questions

    @property
    def epsilon(self) -> Fraction:
        """What all reports of one respondent may reveal."""
        return self.ballot.epsilon

    @property
    def terms(self) -> PollTerms:
        """What all reports in a database share."""
        if self.ballot.plain:
            return PollTerms(self.ballot.text, self.questions[0].text, self.tokens)
        schemes = "\n".join(f"{one.kind} {one.scheme.to_json()}" for one in self.questions)
        return PollTerms(schemes, "\n".join(one.text for one in self.questions), self.tokens)

    @property
    def question_identity(self) -> str | None:
        """The SHA-256 of the question, by which a report to a plain poll may name it."""
        if not self.ballot.plain:
            return None
        return sha256(self.questions[0].text.encode()).hexdigest()

    def is_open(self, now: datetime) -> bool:
        """Whether it is before the moment from which no reports are taken."""
        return self.closes is None or now < self.closes


def read_poll(path: str | Path) -> Poll:
    """The poll that a TOML file declares; every field is checked before anything is opened."""
    file = _PollFile.read(path)
    fields = file.fields
    several = "questions" in fields
    known = ("title", "epsilon", *_SHARED[1:]) if several else _FIELDS
    for name in fields:
        if several and name in QUESTION_FIELDS and name not in known:
            raise file.error(
                f"{name} stands beside a list of questions.",
                "A poll has one question, or a list of them in which each has its own fields. "
                f"Write {name} below a line [[questions]], or take it out.",
                name,
            )
        if name not in known:
            raise file.unknown(name, known)
    if several:
        _misplaced(file)
    language = _language(file)
    texts = _texts(file, language)
    words = {
        name: read_line(fields, file.error, name, words)
        for name, words in _WORDS.items()
        if name in fields
    }
    return Poll(
        title=read_line(fields, file.error, "title", "Sport in our school"),
        ballot=_ballot(file, texts) if several else _plain(file, texts),
        database=_database(file),
        rate_limit=_rate(file),
        closes=_closing(file),
        tokens=_tokens(file),
        results=_results(file),
        batch=_batch(file),
        language=language,
        texts=texts,
        words=words,
    )


def _misplaced(file: "_PollFile") -> None:
    """Refuse a field of the whole poll that stands below a question: TOML takes it for its own."""
    tables = file.fields["questions"]
    for table in tables if isinstance(tables, list) else []:
        for name in table if isinstance(table, dict) else []:
            if name in ("title", *_SHARED[2:]):
                raise file.error(
                    f"{name} stands below a line [[questions]].",
                    "What does is of that question, and this is of the whole poll. Write it above "
                    "the first line [[questions]].",
                )


def _plain(file: "_PollFile", texts: Texts) -> Ballot:
    """The ballot of a poll that declares one question."""
    epsilon = read_epsilon(file.fields, file.error)
    question = read_question(file.fields, file.error, epsilon, _no_and_yes(texts))
    # One scheme is all that such a report states; a report of several parts states them all.
    return Ballot(questions=(question,), epsilon=question.epsilon, plain=question.parts == 1)


def _ballot(file: "_PollFile", texts: Texts) -> Ballot:
    """The ballot of a list of questions, which share one epsilon."""
    tables = file.fields["questions"]
    if (
        not isinstance(tables, list)
        or not 1 <= len(tables) <= MOST_QUESTIONS
        or not all(isinstance(table, dict) for table in tables)
    ):
        raise file.error(
            "questions is not a list of questions.",
            f"It is 1 to {MOST_QUESTIONS} of them, each under a line [[questions]]. Write them at "
            "the end of the file.",
            "questions",
        )
    complaints: list[Complaint] = [
        partial(_about, file, number) for number in range(1, len(tables) + 1)
    ]
    for table, complain in zip(tables, complaints, strict=True):
        for name in table:
            if name not in QUESTION_FIELDS:
                fields = ", ".join(QUESTION_FIELDS)
                raise complain(
                    f"there is no field {name[:60]!r}.",
                    f"The fields of a question are {fields}. Correct the name, or take it out.",
                    name,
                )
    parts, cap = _parts_of_epsilon(file, tables, complaints)
    questions = tuple(
        read_question(table, complain, epsilon, _no_and_yes(texts))
        for table, complain, epsilon in zip(tables, complaints, parts, strict=True)
    )
    for number, one in enumerate(questions):
        if one.text in {other.text for other in questions[:number]}:
            raise complaints[number](
                "the question stands twice.",
                "Two reports to one question reveal twice as much. Take one of them out.",
                "question",
            )
    ballot = Ballot(questions=questions, epsilon=cap, plain=False)
    account = ballot.account()
    try:
        with catch_warnings():
            simplefilter("ignore", PrivacyWarning)
            for one in questions:
                for part in range(one.parts):
                    account.charge(f"{one.text} {part}", one.scheme)
    except BudgetExhaustedError:
        raise file.error(
            f"the questions together cost more than epsilon = {decimal_text(cap)}.",
            "It is for all answers of a respondent together, since losses add up. Lower those of "
            "the questions, or raise it.",
            "epsilon",
        ) from None
    return ballot


def _parts_of_epsilon(
    file: "_PollFile", tables: list[Any], complaints: list[Complaint]
) -> tuple[list[Fraction], Fraction]:
    """What each question may cost, and all of them together: those that state nothing share
    equally what is left."""
    stated = [
        read_epsilon(table, complain) if "epsilon" in table else None
        for table, complain in zip(tables, complaints, strict=True)
    ]
    taken = sum((one for one in stated if one is not None), Fraction(0))
    rest = stated.count(None)
    if "epsilon" not in file.fields and not rest:
        return [one for one in stated if one is not None], taken
    cap = read_epsilon(file.fields, file.error)
    if rest and taken >= cap:
        raise file.error(
            f"nothing of epsilon = {decimal_text(cap)} is left for {rest} of the questions.",
            "It is for all answers of a respondent together; questions without an epsilon of "
            "their own share what is left. Raise it, or lower those of the others.",
            "epsilon",
        )
    return [(cap - taken) / rest if one is None else one for one in stated], cap


def _about(
    file: "_PollFile", number: int, fact: str, remedy: str, field: str | None
) -> PolicyError:
    """An error in one of several questions."""
    del field  # it stands in several places
    return file.error(f"in question {number}: {fact}", remedy)


def _no_and_yes(texts: Texts) -> tuple[str, str]:
    return texts.say("no"), texts.say("yes")


class _PollFile(TomlFile):
    __slots__ = ()

    kind: ClassVar = "poll"
    missing: ClassVar = (
        "It is the TOML file with the question and its answers. Correct the path, or have one "
        "written: discreet survey new poll.toml."
    )
    example: ClassVar = 'title = "Sport"'


def _database(file: TomlFile) -> str:
    database = file.fields.get("database")
    if database is None:
        database = f"{file.path.stem}.db"
    if not isinstance(database, str) or not database or not database.isprintable():
        raise file.error(
            "database is not a text.",
            "It is the file or the PostgreSQL address in which reports are kept. Write "
            f'database = "{file.path.stem}.db" or database = "postgresql://host/name".',
            "database",
        )
    if database.startswith(("postgresql://", "postgres://")):
        return database
    if "://" in database:
        raise file.error(
            "database is an address of another kind.",
            "Reports are kept in a SQLite file or in PostgreSQL. Write "
            f'database = "{file.path.stem}.db" or database = "postgresql://host/name".',
            "database",
        )
    return str(file.path.parent / database)


def _rate(file: TomlFile) -> int:
    rate = file.fields.get("rate_limit", 60)
    if type(rate) is int and 1 <= rate <= _MOST_RATE:
        return rate
    raise file.error(
        "rate_limit is not a whole number of reports.",
        f"It is how many reports one address may send in a minute, 1 to {_MOST_RATE}. A class "
        "behind one router shares an address. Write rate_limit = 60.",
        "rate_limit",
    )


def _closing(file: TomlFile) -> datetime | None:
    closes = file.fields.get("closes")
    if closes is None:
        return None
    if isinstance(closes, datetime):
        return closes if closes.tzinfo else closes.replace(tzinfo=UTC)
    if closes == date.max:
        return None
    if isinstance(closes, date):
        return datetime.combine(closes + timedelta(days=1), time(), UTC)
    raise file.error(
        "closes is not a date.",
        "It is the last day, or the moment, at which reports are taken, in UTC unless stated. "
        "Write closes = 2030-12-31, without quotes.",
        "closes",
    )


def _tokens(file: TomlFile) -> str:
    tokens = file.fields.get("tokens", NONE)
    if tokens in (NONE, ONE_TIME):
        return str(tokens)
    raise file.error(
        "tokens is not a way to admit respondents.",
        f'With "{NONE}" everyone may answer, with "{ONE_TIME}" whoever has a token, once. Write '
        f'tokens = "{NONE}".',
        "tokens",
    )


def _results(file: TomlFile) -> str:
    mode = file.fields.get("results", BATCHES)
    if mode in MODES:
        return str(mode)
    raise file.error(
        "results is not a way to show them.",
        f'"{BATCHES}" shows them to everyone whenever at least {LEAST_BATCH} reports more have '
        f'come, "{LIVE}" with every report, "{CLOSED}" once the poll is closed, "{PRIVATE}" to '
        f'you alone. Write results = "{BATCHES}".',
        "results",
    )


def _batch(file: TomlFile) -> int:
    batch = file.fields.get("batch", LEAST_BATCH)
    if type(batch) is int and LEAST_BATCH <= batch <= _MOST_BATCH:
        return batch
    raise file.error(
        f"batch is not a whole number from {LEAST_BATCH} on.",
        "It is how many reports come between two results that are shown, at least. Write "
        f"batch = {LEAST_BATCH}.",
        "batch",
    )


def _language(file: TomlFile) -> str:
    language = file.fields.get("language", ENGLISH)
    if isinstance(language, str) and len(language) <= 35:
        parts = language.split("-")
        if 2 <= len(parts[0]) <= 8 and all(
            part.isascii() and part.isalnum() and len(part) <= 8 for part in parts
        ):
            return language
    raise file.error(
        "language is not the name of one.",
        "It is that of the questions, as a page's lang has it: en, ar, pt-BR. Write "
        f'language = "{ENGLISH}".',
        "language",
    )


def _texts(file: TomlFile, language: str) -> Texts:
    """The texts of the pages: those of a file beside the poll, or those that are there."""
    named = file.fields.get("texts")
    if named is None:
        return texts_in(language)
    remedy = (
        "It is the JSON of discreet survey texts, translated, beside the poll. Write "
        'texts = "texts.json".'
    )
    if not isinstance(named, str) or not named or not is_line(named):
        raise file.error("texts is not the name of a file.", remedy, "texts")
    try:
        text = (file.path.parent / named).read_text("utf-8")
    except (OSError, ValueError):
        raise file.error(f"the file {named[:60]!r} cannot be read.", remedy, "texts") from None
    return texts_from(named[:60], text, language)


def write_template(place: Path) -> None:
    """Write a commented poll; an existing file is never overwritten."""
    if place.suffix != ".toml":
        raise PolicyError(
            f"the poll's name {place.name!r} does not end in .toml. It is a TOML file. Name it "
            f"{place.stem or 'poll'}.toml."
        )
    try:
        with open(place, "x", encoding="utf-8") as file:
            file.write(_TEXT.format(name=place.name, stem=place.stem))
    except FileExistsError:
        raise PolicyError(
            f"{place.name!r} is already there. A poll is never overwritten, since its reports "
            "belong to it. Name another file, or move it away."
        ) from None
    except OSError:
        raise PolicyError(
            f"{place.name!r} cannot be written there. A poll is written into a folder that exists "
            "and that you may write to. Make the folder, or name another."
        ) from None
