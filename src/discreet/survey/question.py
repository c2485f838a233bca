"""One question of a poll: its kind, its answers, and the scheme by which they are randomized."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal
from unicodedata import category, normalize
from warnings import catch_warnings, simplefilter

from discreet.errors import DiscreetError, Front, PolicyError, PrivacyWarning
from discreet.exact import decimal_text, rational
from discreet.local import Mean, RandomizedResponse
from discreet.survey.poll_schemes import CHOOSE, KINDS, NUMBER_KINDS, number_scheme_for, scheme_for

Kind = Literal["yes-no", "one", "several", "scale", "number"]
ANSWER_KINDS: Final[tuple[Kind, ...]] = ("yes-no", "one", "several", "scale", "number")
MOST_ANSWERS: Final = 1000
MOST_SEVERAL: Final = 40
MOST_POINTS: Final = 11
MOST_LETTERS: Final = {"title": 200, "question": 2000, "answer": 200}
QUESTION_FIELDS: Final = (
    "question",
    "kind",
    "answers",
    "low",
    "high",
    "ends",
    "shuffle",
    "epsilon",
    "scheme",
)
_LONGEST_EPSILON: Final = 120  # letters of a fraction, as in the page's script
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_INSIDE: Final = frozenset(
    "\u200c\u200d\u00ad"  # joiners inside of words and emoji
    "\u200e\u200f\u061c"  # marks of direction, which turn nothing that follows
    + "".join(map(chr, range(0xE0020, 0xE0080)))  # tags, of which flags are made
)

Complaint = Callable[[str, str, str | None], PolicyError]
"""Makes an error of a fact, a remedy and the field that they are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and how a browser randomizes what is answered.

    Of ``several`` answers each is a question of its own, whether it is chosen, by the same scheme.
    A question for a number has no ``answers``; one for a place on a scale has its points, and
    ``ends`` says in words what the first and the last of them mean.  ``shuffled`` answers are
    shown to each respondent in an order of their own.
    """

    text: str
    kind: Kind
    answers: tuple[str, ...]
    scheme: Any
    ends: tuple[str, str] | None = None
    shuffled: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the estimate is a mean."""
        return self.kind == "number"

    @property
    def scheme_name(self) -> str:
        """How answers are randomized, as it is called in a poll."""
        name: str = self.scheme.kind if self.is_number else self.scheme.name
        return name

    @property
    def parts(self) -> int:
        """Of how many reports of the scheme the report is made."""
        return len(self.answers) if self.kind == "several" else 1

    @property
    def epsilon(self) -> Fraction:
        """What the report to this question may reveal: losses of its parts add up."""
        loss: Fraction = self.scheme.loss.epsilon
        return self.parts * loss

    def reports(self, report: Any) -> list[Any]:
        """The reports of the scheme in a report to this question, or a ``ValueError``."""
        if self.kind != "several":
            return [report]
        if not isinstance(report, list) or len(report) != self.parts:
            raise ValueError
        return report

    def values(self, answer: Any) -> list[Any]:
        """What the scheme randomizes of an answer: of several, for each whether it is chosen."""
        if self.kind != "several":
            return [answer]
        return [name in answer for name in self.answers]


def is_line(text: str) -> bool:
    """Whether a text can be shown on one line: no control characters, no half characters, and
    nothing that turns the direction of what follows."""
    return not any(category(letter) in _UNSEEN and letter not in _INSIDE for letter in text)


def read_line(fields: Mapping[str, Any], complain: Complaint, name: str, example: str) -> str:
    """A text that every respondent is shown."""
    text, most = fields.get(name), MOST_LETTERS.get(name, MOST_LETTERS["question"])
    if isinstance(text, str) and text.strip() and len(text) <= most and is_line(text):
        return text.strip()
    raise complain(
        f"there is no {name}." if text is None else f"{name} {_no_line(text, most)}.",
        f'It is shown to every respondent, in at most {most} letters. Write {name} = "{example}".',
        name,
    )


def _no_line(text: Any, most: int) -> str:
    """Why this is no line of text."""
    if not isinstance(text, str) or "\n" in text:
        return "is not one line of text"
    if not text.strip():
        return "is empty"
    if len(text) > most:
        return f"has {len(text):,} letters"
    unseen = next(f"U+{ord(letter):04X}" for letter in text if not is_line(letter))
    return f"is not one line of text: it has a character that nobody sees, {unseen}"


def read_question(
    fields: Mapping[str, Any], complain: Complaint, epsilon: Fraction, words: tuple[str, str]
) -> Question:
    """The question that fields declare, whose report may reveal ``epsilon``; ``words`` are those
    for no and yes."""
    text = read_line(fields, complain, "question", "Did you ever skip a lesson?")
    kind = _kind(fields, complain)
    for name, kinds in (
        ("answers", ("one", "several")),
        ("low", ("scale", "number")),
        ("high", ("scale", "number")),
        ("ends", ("scale",)),
        ("shuffle", ("one", "several")),
    ):
        if name in fields and kind not in kinds:
            raise _misplaced(complain, name, kind)
    shuffled = fields.get("shuffle", False)
    if not isinstance(shuffled, bool):
        raise complain(
            "shuffle is neither true nor false.",
            "It says whether each respondent sees the answers in an order of their own. Write "
            "shuffle = true.",
            "shuffle",
        )
    answers = _answers_of(kind, fields, complain, words)
    scheme: Any
    if kind == "number":
        scheme = _number_scheme(fields, complain, epsilon)
    elif kind == "several":
        scheme = _several_scheme(fields, complain, answers, epsilon)
    else:
        scheme = _scheme(fields, complain, answers, epsilon)
    ends = _ends(fields, complain) if kind == "scale" else None
    return Question(
        text=text, kind=kind, answers=answers, scheme=scheme, ends=ends, shuffled=shuffled
    )


def read_epsilon(fields: Mapping[str, Any], complain: Complaint) -> Fraction:
    """The epsilon that fields state."""
    if "epsilon" not in fields:
        raise complain(
            "there is no epsilon.",
            "It says how much a report may reveal of an answer: no report is more than e^ε times "
            "as likely for one answer as for another. Write epsilon = 1.",
            "epsilon",
        )
    rule = "It is a number above 0; smaller ones protect more. Write epsilon = 1."
    try:
        epsilon = rational(fields["epsilon"], "epsilon")
    except DiscreetError:
        raise complain("epsilon is not a number.", rule, "epsilon") from None
    if epsilon <= 0:
        raise complain("epsilon is not above 0.", rule, "epsilon")
    if len(str(epsilon)) > _LONGEST_EPSILON:
        raise complain("epsilon has too many digits for a page to check.", rule, "epsilon")
    return epsilon


def _kind(fields: Mapping[str, Any], complain: Complaint) -> Kind:
    stated = fields.get("kind")
    if stated is None:
        return "number" if "low" in fields or "high" in fields else "one"
    for kind in ANSWER_KINDS:
        if stated == kind:
            return kind
    raise complain(
        f"there is no kind of question {str(stated)[:60]!r}.",
        f'It is one of {", ".join(ANSWER_KINDS)}. Write kind = "one", or leave it out.',
        "kind",
    )


def _misplaced(complain: Complaint, name: str, kind: Kind) -> PolicyError:
    if kind == "number" and name == "answers":
        return complain(
            "there are answers to choose from and bounds of a number.",
            "A question for a number has bounds that are known beforehand, and no answers. Take "
            "out answers, or low and high.",
            "low",
        )
    return complain(
        f"a question of the kind {kind} has no {name}.",
        f"It would mean nothing there. Take {name} out, or state another kind.",
        name,
    )


def _answers_of(
    kind: Kind, fields: Mapping[str, Any], complain: Complaint, words: tuple[str, str]
) -> tuple[str, ...]:
    match kind:
        case "number":
            return ()
        case "yes-no":
            return words
        case "scale":
            return _points(fields, complain)
    return _answers(fields, complain)


def _answers(fields: Mapping[str, Any], complain: Complaint) -> tuple[str, ...]:
    answers = fields.get("answers")
    most = MOST_LETTERS["answer"]
    remedy = (
        f"They are 2 to {MOST_ANSWERS} different texts of at most {most} letters, in the order in "
        'which they are shown. Write answers = ["No", "Yes"].'
    )
    if answers is None:
        bounds = "For a number, write low = 0 and high = 40 instead."
        raise complain("there are no answers to choose from.", f"{remedy} {bounds}", "answers")
    if not isinstance(answers, list):
        raise complain("answers is not a list in brackets.", remedy, "answers")
    if not 2 <= len(answers) <= MOST_ANSWERS:
        raise complain(f"the number of answers is {len(answers)}.", remedy, "answers")
    texts: list[str] = []
    for number, answer in enumerate(answers, 1):
        text = normalize("NFC", answer).strip() if isinstance(answer, str) else ""
        if not text:
            raise complain(f"answer {number} is not a text, or empty.", remedy, "answers")
        if len(text) > most or not is_line(text):
            why = f"longer than {most} letters" if len(text) > most else "not one line"
            raise complain(f"answer {number} is {why}: {text[:40]!r}.", remedy, "answers")
        if text in texts:
            raise complain(f"the answer {text[:60]!r} stands twice.", remedy, "answers")
        texts.append(text)
    return tuple(texts)


def _points(fields: Mapping[str, Any], complain: Complaint) -> tuple[str, ...]:
    low, high = fields.get("low", 1), fields.get("high", 5)
    if type(low) is not int or type(high) is not int or not 1 <= high - low < MOST_POINTS:
        raise complain(
            "low and high do not make the points of a scale.",
            f"They are whole numbers, 2 to {MOST_POINTS} of them. Write low = 1 and high = 5.",
            "low" if "low" in fields else "high",
        )
    return tuple(map(str, range(low, high + 1)))


def _ends(fields: Mapping[str, Any], complain: Complaint) -> tuple[str, str] | None:
    ends = fields.get("ends")
    if ends is None:
        return None
    if isinstance(ends, list) and len(ends) == 2:
        first, last = ends
        if all(
            isinstance(one, str) and one.strip() and len(one) <= MOST_LETTERS["answer"]
            for one in (first, last)
        ) and is_line(first + last):
            return first.strip(), last.strip()
    raise complain(
        "ends is not two texts.",
        "They say what the first and the last point of the scale mean. Write "
        'ends = ["never", "every day"].',
        "ends",
    )


def _scheme(
    fields: Mapping[str, Any], complain: Complaint, answers: tuple[str, ...], epsilon: Fraction
) -> Any:
    kind = _scheme_kind(fields, complain, tuple(KINDS))
    return _made(complain, lambda: scheme_for(kind, answers, epsilon))


def _several_scheme(
    fields: Mapping[str, Any], complain: Complaint, answers: tuple[str, ...], epsilon: Fraction
) -> RandomizedResponse:
    """Whether an answer is chosen: two who answer may differ in all, so each has an equal part."""
    _scheme_kind(fields, complain, (RandomizedResponse.name,))
    if len(answers) > MOST_SEVERAL:
        raise complain(
            f"of {len(answers)} answers several may be chosen.",
            f"Each of them is a yes or a no and has its part of epsilon, here "
            f"{decimal_text(epsilon / len(answers))}. Name at most {MOST_SEVERAL}, better 10.",
            "answers",
        )
    scheme: RandomizedResponse = _made(
        complain, lambda: RandomizedResponse(epsilon=epsilon / len(answers))
    )
    return scheme


def _number_scheme(fields: Mapping[str, Any], complain: Complaint, epsilon: Fraction) -> Mean:
    if not {"low", "high"} <= set(fields):
        raise complain(
            "one of low and high is missing.",
            "A question for a number has bounds that are known beforehand, and no answers. Write "
            "low = 0 and high = 40.",
            "low" if "low" in fields else "high",
        )
    kind = _scheme_kind(fields, complain, NUMBER_KINDS)

    def make() -> Mean:
        low, high = (rational(fields[name], name) for name in ("low", "high"))
        return number_scheme_for(kind, low, high, epsilon)

    scheme: Mean = _made(complain, make)
    return scheme


def _made(complain: Complaint, make: Callable[[], Any]) -> Any:
    """A scheme; a refusal of it names the poll."""
    try:
        with catch_warnings():
            simplefilter("ignore", PrivacyWarning)  # of an ε that the commands tell about once
            return make()
    except DiscreetError as error:
        fact, _, remedy = error.text(Front.POLICY).partition(". ")
        raise complain(f"{fact}.", remedy, None) from None


def _scheme_kind(fields: Mapping[str, Any], complain: Complaint, kinds: tuple[str, ...]) -> str:
    kind = fields.get("scheme", CHOOSE)
    if kind in (CHOOSE, *kinds):
        return str(kind)
    raise complain(
        "the scheme is not one for this question.",
        f"It is how an answer is randomized: {', '.join(kinds)}, or {CHOOSE}, which takes the "
        f'most accurate. Write scheme = "{CHOOSE}".',
        "scheme",
    )
