"""A poll as its TOML file declares it, and the file that ``discreet survey new`` writes."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final
from unicodedata import category, normalize
from warnings import catch_warnings, simplefilter

from discreet.errors import DiscreetError, Front, PolicyError, PrivacyWarning
from discreet.exact import rational
from discreet.local import Mean
from discreet.policy.policy_file import TomlFile
from discreet.survey.estimates import CHOOSE, KINDS, NUMBER_KINDS, number_scheme_for, scheme_for

NONE: Final = "none"
ONE_TIME: Final = "one-time"
MOST_ANSWERS: Final = 1000

_FIELDS: Final = (
    "title",
    "question",
    "answers",
    "low",
    "high",
    "epsilon",
    "scheme",
    "database",
    "rate_limit",
    "closes",
    "tokens",
)
_LONGEST_EPSILON: Final = 120  # letters of a fraction, as in the page's script
_MOST_LETTERS: Final = {"title": 200, "question": 2000, "answer": 200}
_MOST_RATE: Final = 1_000_000
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS: Final = frozenset("\u200c\u200d\u00ad")  # inside of words and emoji


_TEXT = """# A survey in which answers are randomized in the browser of each respondent.
# Serve it:    discreet survey serve {name}
# Rehearse it: discreet survey simulate {name} --respondents 1000

title = "Lessons"
question = "Did you skip a lesson in the last month?"
answers = ["No", "Yes"]

# For a number, such as hours a week, give its bounds instead of answers:
# low = 0
# high = 40

# No report is more than e^epsilon times as likely for one answer as for another. A smaller
# epsilon protects more, and needs more respondents for the same accuracy. It cannot be changed
# once there are reports.
epsilon = 1

# How an answer is randomized: "randomized-response", "unary", "subset", "hadamard" or "projective",
# a number: "duchi", "piecewise" or "hybrid". "choose" takes the one with the narrowest interval.
scheme = "choose"

# Where reports are kept: a SQLite file beside this one, or "postgresql://host/database".
database = "{stem}.db"

# How many reports one address may send in a minute. A class behind one router shares an address.
rate_limit = 60

# The last day on which reports are taken, in UTC; without it the survey stays open.
# closes = 2030-12-31

# "none": everyone may answer. "one-time": whoever has a token, once; make tokens with
# discreet survey tokens {name} --number 200
tokens = "none"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """One question with its answers, and how reports of it are collected.

    Without ``answers`` the question is for a number between the bounds of its scheme.
    ``scheme`` is the local scheme by which a browser randomizes an answer; it fixes the privacy.
    ``rate_limit`` is how many reports a minute one address may send.  ``closes`` is the first
    moment at which no more are taken.
    """

    title: str
    question: str
    answers: tuple[str, ...]
    scheme: Any
    database: str
    rate_limit: int = 60
    closes: datetime | None = None
    tokens: str = NONE

    @property
    def is_number(self) -> bool:
        """Whether the question is for a number, and the estimate a mean."""
        return isinstance(self.scheme, Mean)

    @property
    def kind(self) -> str:
        """How answers are randomized, as it is called in a poll."""
        name: str = self.scheme.kind if self.is_number else self.scheme.name
        return name

    @property
    def question_identity(self) -> str:
        """The SHA-256 of the question, by which a report names it."""
        return sha256(self.question.encode()).hexdigest()

    @property
    def epsilon(self) -> Fraction:
        """What one report may reveal of one answer."""
        loss: Fraction = self.scheme.loss.epsilon
        return loss

    def is_open(self, now: datetime) -> bool:
        """Whether reports are still taken."""
        return self.closes is None or now < self.closes


def read_poll(path: str | Path) -> Poll:
    """The poll that a TOML file declares; every field is checked before anything is opened."""
    file = _PollFile.read(path)
    fields = file.fields
    for name in fields:
        if name not in _FIELDS:
            raise file.unknown(name, _FIELDS)
    number = "low" in fields or "high" in fields
    answers = () if number else _answers(file)
    return Poll(
        title=_line(file, "title", "Sport in our school"),
        question=_line(file, "question", "Did you ever skip a lesson?"),
        answers=answers,
        scheme=_number_scheme(file) if number else _scheme(file, answers),
        database=_database(file),
        rate_limit=_rate(file),
        closes=_closing(file),
        tokens=_tokens(file),
    )


class _PollFile(TomlFile):
    __slots__ = ()

    kind: ClassVar = "poll"
    missing: ClassVar = (
        "It is the TOML file with the question and its answers. Correct the path, or have one "
        "written: discreet survey new poll.toml."
    )
    example: ClassVar = 'title = "Sport"'


def _line(file: TomlFile, name: str, example: str) -> str:
    text, most = file.fields.get(name), _MOST_LETTERS[name]
    if isinstance(text, str) and text.strip() and len(text) <= most and _is_line(text):
        return text.strip()
    raise file.error(
        f"there is no {name}." if text is None else f"{name} is not one line of text.",
        f'It is shown to every respondent, in at most {most} letters. Write {name} = "{example}".',
        name,
    )


def _answers(file: TomlFile) -> tuple[str, ...]:
    answers = file.fields.get("answers")
    most = _MOST_LETTERS["answer"]
    remedy = (
        f"They are 2 to {MOST_ANSWERS} different texts of at most {most} letters, in the order in "
        'which they are shown. Write answers = ["No", "Yes"].'
    )
    if answers is None:
        bounds = "For a number, write low = 0 and high = 40 instead."
        raise file.error("there are no answers to choose from.", f"{remedy} {bounds}", "answers")
    if not isinstance(answers, list):
        raise file.error("answers is not a list in brackets.", remedy, "answers")
    if not 2 <= len(answers) <= MOST_ANSWERS:
        raise file.error(f"the number of answers is {len(answers)}.", remedy, "answers")
    texts: list[str] = []
    for number, answer in enumerate(answers, 1):
        text = normalize("NFC", answer).strip() if isinstance(answer, str) else ""
        if not text:
            raise file.error(f"answer {number} is not a text, or empty.", remedy, "answers")
        if len(text) > most or not _is_line(text):
            why = f"longer than {most} letters" if len(text) > most else "not one line"
            raise file.error(f"answer {number} is {why}: {text[:40]!r}.", remedy, "answers")
        if text in texts:
            raise file.error(f"the answer {text[:60]!r} stands twice.", remedy, "answers")
        texts.append(text)
    return tuple(texts)


def _is_line(text: str) -> bool:
    """Whether a text can be shown on one line: no control characters, no half characters, and
    nothing that turns the direction of what follows."""
    return not any(category(letter) in _UNSEEN and letter not in _JOINERS for letter in text)


def _scheme(file: TomlFile, answers: tuple[str, ...]) -> Any:
    kind, epsilon = _kind(file, tuple(KINDS)), _epsilon(file)
    try:
        with catch_warnings():
            simplefilter("ignore", PrivacyWarning)  # of an ε that the commands tell about once
            return scheme_for(kind, answers, epsilon)
    except DiscreetError as error:
        raise PolicyError(f"in {file.path.name}: {error.text(Front.POLICY)}") from None


def _number_scheme(file: TomlFile) -> Mean:
    """The scheme of a question for a number."""
    rule = "A question for a number has bounds that are known beforehand, and no answers."
    if "answers" in file.fields:
        raise file.error(
            "there are answers to choose from and bounds of a number.",
            f"{rule} Take out answers, or low and high.",
            "low",
        )
    if not {"low", "high"} <= set(file.fields):
        raise file.error(
            "one of low and high is missing.",
            f"{rule} Write low = 0 and high = 40.",
            "low" if "low" in file.fields else "high",
        )
    kind, epsilon = _kind(file, NUMBER_KINDS), _epsilon(file)
    try:
        low, high = (rational(file.fields[name], name) for name in ("low", "high"))
        with catch_warnings():
            simplefilter("ignore", PrivacyWarning)
            return number_scheme_for(kind, low, high, epsilon)
    except DiscreetError as error:
        raise PolicyError(f"in {file.path.name}: {error.text(Front.POLICY)}") from None


def _kind(file: TomlFile, kinds: tuple[str, ...]) -> str:
    kind = file.fields.get("scheme", CHOOSE)
    if kind in (CHOOSE, *kinds):
        return str(kind)
    raise file.error(
        "the scheme is not one for this question.",
        f"It is how an answer is randomized: {', '.join(kinds)}, or {CHOOSE}, which takes the "
        f'most accurate. Write scheme = "{CHOOSE}".',
        "scheme",
    )


def _epsilon(file: TomlFile) -> Fraction:
    if "epsilon" not in file.fields:
        raise file.error(
            "there is no epsilon.",
            "It says how much a report may reveal of an answer: no report is more than e^ε times "
            "as likely for one answer as for another. Write epsilon = 1.",
            "epsilon",
        )
    rule = "It is a number above 0; smaller ones protect more. Write epsilon = 1."
    try:
        epsilon = rational(file.fields["epsilon"], "epsilon")
    except DiscreetError:
        raise file.error("epsilon is not a number.", rule, "epsilon") from None
    if epsilon <= 0:
        raise file.error("epsilon is not above 0.", rule, "epsilon")
    if len(str(epsilon)) > _LONGEST_EPSILON:
        raise file.error("epsilon has too many digits for a page to check.", rule, "epsilon")
    return epsilon


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
