"""A poll file is read strictly, and says what is wrong with it."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import DiscreetError, PolicyError
from discreet.local.scheme_choice import even_margin
from discreet.survey.estimates import leverage
from discreet.survey.poll import read_poll, write_template
from discreet.survey.poll_schemes import KINDS, NUMBER_KINDS
from discreet.survey.question import ANSWER_KINDS
from tests.support.cases import each
from tests.survey.hosts import ANSWERS, write_poll


def test_the_poll_that_is_written_can_be_served(tmp_path: Path) -> None:
    write_template(tmp_path / "lessons.toml")
    poll = read_poll(tmp_path / "lessons.toml")
    assert poll.questions[0].answers == ("No", "Yes")
    assert poll.epsilon == 1
    assert poll.questions[0].scheme.name == "randomized-response"
    assert poll.database == str(tmp_path / "lessons.db")
    assert (poll.rate_limit, poll.closes, poll.tokens) == (60, None, "none")
    with pytest.raises(PolicyError, match="never overwritten"):
        write_template(tmp_path / "lessons.toml")
    with pytest.raises(PolicyError, match=r"end in \.toml"):
        write_template(tmp_path / "lessons.txt")


def test_the_questions_that_the_poll_shows_are_one_of_each_kind(tmp_path: Path) -> None:
    place = tmp_path / "poll.toml"
    write_template(place)
    above, line, below = place.read_text("utf-8").partition("# [[questions]]\n")
    own = ("question =", "answers =", "scheme =")
    kept = [one for one in above.splitlines() if not one.startswith(own)]
    shown = [one.removeprefix("# ") for one in f"{line}{below}".splitlines()]
    place.write_text("\n".join([*kept, *shown]), "utf-8")
    assert [one.kind for one in read_poll(place).questions] == list(ANSWER_KINDS)


def test_epsilon_is_the_decimal_that_was_written(tmp_path: Path) -> None:
    path = write_poll(tmp_path)
    path.write_text(path.read_text("utf-8").replace("epsilon = 1", "epsilon = 0.1"), "utf-8")
    assert read_poll(path).epsilon == Fraction(1, 10)


@pytest.mark.parametrize("kind", KINDS)
def test_every_scheme_that_the_page_knows_may_be_named(tmp_path: Path, kind: str) -> None:
    scheme = read_poll(write_poll(tmp_path, scheme=kind)).questions[0].scheme
    assert scheme.name == kind
    assert scheme.categories == ANSWERS
    assert leverage(scheme) > 1


@pytest.mark.parametrize("answers", [2, 3, 20, 200])
@pytest.mark.parametrize("epsilon", [0.25, 1, 4])
def test_the_scheme_that_is_chosen_has_the_lowest_variance(
    tmp_path: Path, answers: int, epsilon: float
) -> None:
    names = [f"answer {number}" for number in range(answers)]
    path = write_poll(tmp_path, answers=names, epsilon=epsilon)
    chosen = read_poll(path).questions[0].scheme.variance(1)
    for kind in KINDS.values():
        assert chosen <= kind(epsilon=epsilon, categories=names).variance(1) * (1 + 1e-8)


def test_a_question_for_a_number_has_bounds_instead_of_answers(tmp_path: Path) -> None:
    number = {"answers": None, "low": -0.5, "high": 40}
    poll = read_poll(write_poll(tmp_path, **number))
    assert poll.questions[0].is_number
    assert poll.questions[0].answers == ()
    assert (poll.questions[0].scheme.low, poll.questions[0].scheme.high) == (Fraction(-1, 2), 40)
    for kind in NUMBER_KINDS:
        named = read_poll(write_poll(tmp_path, **number, scheme=kind)).questions[0].scheme
        assert named.kind == kind
        wide = [
            even_margin(scheme, 1_000, Fraction(95, 100))
            for scheme in (poll.questions[0].scheme, named)
        ]
        assert wide[0] <= wide[1]
        assert leverage(named) > 40.5


def test_answers_may_be_in_any_script(tmp_path: Path) -> None:
    answers = ["👩‍👩‍👧‍👦", "نعم", "vielleicht\u00a0", "दो"]
    assert read_poll(write_poll(tmp_path, answers=answers)).questions[0].answers[2] == "vielleicht"


def test_an_epsilon_that_protects_nobody_is_not_told_over_and_over(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    assert read_poll(write_poll(tmp_path, epsilon=50)).epsilon == 50
    assert len(recwarn) == 0


def test_a_date_closes_the_poll_at_its_end(tmp_path: Path) -> None:
    poll = read_poll(write_poll(tmp_path, closes="2030-06-01"))
    end = datetime(2030, 6, 2, tzinfo=UTC)
    assert poll.is_open(end - timedelta(microseconds=1))
    assert not poll.is_open(end)
    assert read_poll(write_poll(tmp_path, closes="9999-12-31")).closes is None
    poll = read_poll(write_poll(tmp_path, closes="2030-06-01T12:00:00+02:00"))
    assert not poll.is_open(datetime(2030, 6, 1, 10, tzinfo=UTC))
    assert poll.is_open(datetime(2030, 6, 1, 9, 59, tzinfo=UTC))


@each(
    ("fields", "said"),
    [
        ({"titel": "x"}, "Did you mean 'title'"),
        ({"title": None}, "there is no title"),
        ({"title": "two\nlines"}, "not one line"),
        ({"question": 3}, "not one line"),
        ({"question": "Is it\u202e so?"}, r"nobody sees, U\+202E"),
        ({"question": "Q" * 2001}, "question has 2,001 letters"),
        ({"asker": " "}, 'asker is empty.*Write asker = "The pupils\' council"'),
        ({"shuffle": "yes"}, "neither true nor false.*order of their own"),
        ({"kind": "yesno"}, "there is no kind of question 'yesno'"),
        ({"answers": None}, "no answers"),
        ({"answers": "Yes"}, "not a list in brackets"),
        ({"answers": ["Yes"]}, "number of answers is 1"),
        ({"answers": ["Yes", 2]}, "answer 2 is not a text"),
        ({"answers": ["Yes", " "]}, "answer 2 is not a text, or empty"),
        ({"answers": ["Yes", "No", "a\nb"]}, r"answer 3 is not one line: 'a\\nb'"),
        ({"answers": ["Yes", "\u202eNo"]}, "answer 2 is not one line"),
        ({"answers": ["Yes", "N" * 201]}, "answer 2 is longer than 200"),
        ({"answers": ["Yes", "Yes "]}, "'Yes' stands twice"),
        ({"epsilon": None}, "there is no epsilon"),
        ({"epsilon": 0}, r"epsilon is not above 0.*Write epsilon = 1"),
        ({"epsilon": "much"}, "epsilon is not a number"),
        ({"epsilon": f"0.{'3' * 70}"}, "too many digits"),
        ({"database": "mysql://host/name"}, "another kind"),
        ({"scheme": "mean"}, "not one for this question"),
        ({"scheme": "hybrid"}, "not one for this question"),
        ({"low": 0, "high": 4}, "answers to choose from and bounds"),
        ({"answers": None, "low": 0}, "one of low and high"),
        ({"answers": None, "high": 0}, "one of low and high"),
        ({"answers": None, "low": 0, "high": 0}, "low is not below high"),
        ({"answers": None, "low": "a", "high": 1}, "low"),
        ({"answers": None, "low": 0, "high": 1e200}, "too large"),
        ({"answers": None, "low": 0, "high": 4, "scheme": "unary"}, "not one for this question"),
        ({"answers": None, "low": 0, "high": 4, "epsilon": -1}, "epsilon"),
        ({"database": 5}, "database"),
        ({"rate_limit": 0}, "rate_limit"),
        ({"rate_limit": 1.5}, "rate_limit"),
        ({"closes": '"tomorrow"'}, "closes is not a date"),
        ({"tokens": "many"}, "tokens"),
    ],
)
def test_a_field_that_is_wrong_is_named(
    tmp_path: Path, fields: dict[str, object], said: str
) -> None:
    with pytest.raises(DiscreetError, match=said):
        read_poll(write_poll(tmp_path, **fields))


def test_an_error_names_the_line_of_its_field(tmp_path: Path) -> None:
    place = tmp_path / "poll.toml"
    place.write_text('title = """\\\nepsilon = 1\\\n"""\nepsilom = 1\n', "utf-8")
    with pytest.raises(PolicyError, match=r"in poll\.toml, line 4: .*Did you mean 'epsilon'"):
        read_poll(place)
    place.write_text(
        """# epsilon = 1
title = "t"
question = "q"
answers = [
  "epsilon = 1",
  "b",
]
epsilon = 0
""",
        "utf-8",
    )
    with pytest.raises(PolicyError, match=r"in poll\.toml, line 8: epsilon is not above 0"):
        read_poll(place)


def test_a_file_that_is_no_poll_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="not there"):
        read_poll(tmp_path / "none.toml")
    with pytest.raises(PolicyError, match="folder"):
        read_poll(tmp_path)
    (tmp_path / "bad.toml").write_text("title = \n", "utf-8")
    with pytest.raises(PolicyError, match=r"not TOML.*line 1"):
        read_poll(tmp_path / "bad.toml")
    (tmp_path / "deep.toml").write_text(f"a = {'[' * 9999}", "utf-8")
    with pytest.raises(PolicyError, match=r"is not TOML: line 1 of deep\.toml cannot be read"):
        read_poll(tmp_path / "deep.toml")
    (tmp_path / "long.toml").write_text("#" * (1 << 24) + '\ntokens = "one-time"', "utf-8")
    with pytest.raises(PolicyError, match="longer than 16 MiB"):
        read_poll(tmp_path / "long.toml")
    (tmp_path / "twice.toml").write_text('title = "a"\ntitle = "b"\n', "utf-8")
    with pytest.raises(PolicyError, match=r"line 2 of twice\.toml sets what is set before"):
        read_poll(tmp_path / "twice.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(PolicyError, match="UTF-8"):
        read_poll(tmp_path / "binary.toml")
