"""A poll: what the respondent sends, what the collector makes of it, what goes on the wire."""

import json
import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BoundsError, DataError, DiscreetError, PrivacyParameterError
from discreet.exact import exp_minus
from discreet.local import RandomizedResponse
from discreet.local.wire import MOST_CHARACTERS
from discreet.noise import UnsafeSeededBits
from discreet.privacy.estimates import Estimate, Estimates
from discreet.privacy.losses import PureDP
from discreet.privacy.verification import TOLERANCE, verify
from tests.support.cases import each
from tests.support.evidence import fits

POLL = RandomizedResponse(epsilon=1)
WARDS = RandomizedResponse(epsilon="1/2", categories=["north", "south", "west"])  # type: ignore[arg-type]
FORMS = [
    POLL,
    WARDS,
    RandomizedResponse.two_coin(),
    RandomizedResponse.two_coin(["no", "yes"]),
    RandomizedResponse(epsilon="1/3", categories=7),
    RandomizedResponse(odds="5/4", categories=("ja", "nein", "weiß nicht")),  # type: ignore[arg-type]
]


def one(estimate: Estimate | Estimates) -> Estimate:
    assert isinstance(estimate, Estimate)
    return estimate


def several(estimate: Estimate | Estimates) -> Estimates:
    assert isinstance(estimate, Estimates)
    return estimate


# ---------------------------------------------------------------------- poll


def test_a_poll_estimates_the_proportion_with_its_error_and_price() -> None:
    answers = [True] * 3_000 + [False] * 7_000
    reports = POLL.randomize(answers)
    estimate = one(POLL.estimate(reports))
    assert abs(estimate.value - 0.3) < 6 * POLL.variance(10_000) ** 0.5
    assert estimate.lower < estimate.value < estimate.upper  # type: ignore[operator]
    assert estimate.interval(0.99)[0] < estimate.lower  # type: ignore[operator]
    assert estimate.loss == POLL.loss == PureDP(epsilon=1)
    assert estimate.neighbors == "replace"
    assert estimate.mechanism == POLL
    assert "random sample" in estimate.note


def test_the_loss_of_two_coins_is_ln_3() -> None:
    loss = RandomizedResponse.two_coin().loss
    _, high = exp_minus(loss.epsilon, 100)
    assert Fraction(high, 1 << 100) <= Fraction(1, 3)


def test_named_answers_come_back_as_names_in_the_declared_order() -> None:
    reports = WARDS.randomize(["north"] * 6_000 + ["south"] * 3_000)
    assert set(reports) == {"north", "south", "west"}
    assert WARDS.randomize("north") in {"north", "south", "west"}
    assert type(WARDS.randomize("north")) is str
    estimates = several(WARDS.estimate(reports))
    assert list(estimates) == ["north", "south", "west"]
    assert sum(float(estimates[name]) for name in estimates) == pytest.approx(1)
    assert estimates.loss == WARDS.loss
    for name, truth in [("north", 2 / 3), ("south", 1 / 3), ("west", 0)]:
        low, high = estimates[name].interval(1 - 1e-9)
        assert low <= truth <= high


def test_numbered_answers_are_estimated_in_order() -> None:
    poll = RandomizedResponse(epsilon=3, categories=4)
    estimates = several(poll.estimate(poll.randomize(np.arange(8_000) % 4)))
    assert list(estimates) == [0, 1, 2, 3]
    assert all(abs(float(estimates[i]) - 1 / 4) < 0.1 for i in range(4))


def test_of_two_names_the_second_is_estimated() -> None:
    poll = RandomizedResponse.two_coin(["no", "yes"])
    assert one(poll.estimate(["yes", "yes", "yes", "no"])).value == 1.0


def test_names_follow_the_law_of_numbers() -> None:
    law = RandomizedResponse(epsilon="1/2", categories=3).law(1)
    reports = WARDS.randomize(["south"] * 60_000).tolist()
    names = ["north", "south", "west"]
    assert fits(reports, {name: law.probability(i) for i, name in enumerate(names)})
    assert not fits(reports, {"north": 1 / 3, "south": 1 / 3, "west": 1 / 3})


def test_frames_and_arrays_are_taken() -> None:
    assert one(POLL.estimate(pd.Series(POLL.randomize(pd.Series([1, 0, 1]))))).value
    assert several(WARDS.estimate(pd.Series(WARDS.randomize(pd.Series(["west"] * 3)))))
    assert one(POLL.estimate(1)).value > 1  # one report, at its word


def test_an_array_without_dimensions_is_one_answer() -> None:
    assert WARDS.randomize(np.array("west")) in {"north", "south", "west"}
    assert POLL.randomize(np.array(1)) in {0, 1}
    for strange in (np.array("elsewhere"), np.array(None), np.array(5)):
        with pytest.raises(DataError):
            WARDS.randomize(strange)


def test_a_seed_repeats_only_under_a_name_that_says_unsafe() -> None:
    sent = [POLL.randomize([1] * 99, source=UnsafeSeededBits(3)).tolist() for _ in range(2)]
    assert sent[0] == sent[1]


def test_estimates_add_up_to_errors_that_still_cover() -> None:
    first, second = (one(POLL.estimate(POLL.randomize([1] * 500 + [0] * 500))) for _ in range(2))
    difference = first - second
    low, high = difference.interval(1 - 1e-6)
    assert low < 0 < high
    assert difference.loss == PureDP(epsilon=2)


def test_the_poll_protects_what_it_states() -> None:
    """Its chances are rounded to 2^-64, so it gives away less by next to nothing."""
    for form in FORMS:
        keys = form._answers.keys
        found = verify(form, keys[0], keys[-1])
        assert abs(form.loss.epsilon - found.epsilon) <= TOLERANCE
    assert verify(RandomizedResponse.two_coin(), 0, 1).ratio == 3


def test_warner_states_the_probability_of_the_truth() -> None:
    poll = RandomizedResponse.warner("2/3")
    assert poll.odds == 2
    assert verify(poll, 0, 1).ratio <= 2  # type: ignore[operator]
    assert RandomizedResponse.warner("1/2", 3).pair == (Fraction(1, 2), Fraction(1, 4))
    for truth in (0.5, 1, 0, "x"):
        with pytest.raises(PrivacyParameterError):
            RandomizedResponse.warner(truth)


# ---------------------------------------------------------------------- the wire


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_a_scheme_survives_the_wire(form: RandomizedResponse) -> None:
    text = form.to_json()
    assert RandomizedResponse.from_json(text) == form
    assert RandomizedResponse.from_json(text.encode()) == form
    assert RandomizedResponse.from_json(text).to_json() == text
    assert json.loads(text)["version"] == 2
    assert pickle.loads(pickle.dumps(form)) == form


def test_numbers_are_exact_on_the_wire() -> None:
    assert json.loads(RandomizedResponse(epsilon=0.1).to_json())["epsilon"] == "1/10"
    assert json.loads(RandomizedResponse.two_coin().to_json())["odds"] == "3"


GOOD = json.loads(POLL.to_json())


def changed(**fields: object) -> str:
    return json.dumps({name: value for name, value in (GOOD | fields).items() if value is not ...})


@each(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "1" * 5000,
        "[" * 50_000,
        "{" * 50_000,
        '{"format": NaN}',
        b"\xff\xfe",
        POLL.to_json()[:-1],
        POLL.to_json()[:-1] + ', "categories": 2}',
        POLL.to_json() + " " * MOST_CHARACTERS,
        changed(format="other"),
        changed(format=...),
        changed(version=1),
        changed(version="2"),
        changed(version=2.0),
        changed(version=True),
        changed(version=...),
        changed(scheme="subset"),
        changed(epsilon=...),
        changed(epsilon=1),
        changed(epsilon="1.0"),
        changed(epsilon="2/2"),
        changed(epsilon="1/0"),
        changed(epsilon="0"),
        changed(epsilon="-1"),
        changed(epsilon="+1"),
        changed(epsilon=" 1"),
        changed(epsilon="１"),
        changed(epsilon="01"),
        changed(epsilon="1e3"),
        changed(epsilon="9" * 5000),
        changed(odds="3"),
        changed(keep=...),
        changed(keep=int(GOOD["keep"])),
        changed(keep=str(int(GOOD["keep"]) + 1)),
        changed(keep=str(int(GOOD["keep"]) - 1)),
        changed(keep="0" + GOOD["keep"]),
        changed(epsilon="2"),
        changed(categories=3),
        changed(odds="1", epsilon=...),
        changed(categories=...),
        changed(categories=True),
        changed(categories=None),
        changed(categories=2.0),
        changed(categories="ab"),
        changed(categories=1),
        changed(categories=10**30),
        changed(categories=[]),
        changed(categories=["a"]),
        changed(categories=["a", "a"]),
        changed(categories=["a", 1]),
        changed(categories=["a", ""]),
        changed(categories=["a", "b\0"]),
        changed(categories=["a", "\ud800"]),
        changed(categories={"a": 1}),
        changed(secret=1),
        5,
        None,
    ],
    ids=lambda text: repr(text)[:60],
)
def test_anything_else_on_the_wire_is_refused(text: object) -> None:
    with pytest.raises(DiscreetError):
        RandomizedResponse.from_json(text)  # type: ignore[arg-type]


@given(st.text() | st.binary())
def test_noise_on_the_wire_is_refused(text: str | bytes) -> None:
    with pytest.raises(DataError):
        RandomizedResponse.from_json(text)


@given(
    st.dictionaries(
        st.sampled_from([*GOOD, "odds", "x"]),
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.just("1/2")),
    )
)
def test_a_scheme_is_read_as_written_or_refused(fields: dict[str, object]) -> None:
    text = json.dumps(GOOD | fields, ensure_ascii=False)
    try:
        form = RandomizedResponse.from_json(text)
    except DiscreetError:
        return
    assert json.loads(form.to_json()) == json.loads(text)


def test_names_too_long_for_the_wire_are_refused() -> None:
    form = RandomizedResponse(epsilon=1, categories=["a" * MOST_CHARACTERS, "b"])  # type: ignore[arg-type]
    with pytest.raises(DataError):
        form.to_json()


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "categories", ["ab", b"ab", 2.0, None, ["a"], [1, 2], [None, "a"], {"a", "b"}]
)
def test_categories_without_meaning_are_refused(categories: object) -> None:
    with pytest.raises(BoundsError):
        RandomizedResponse(epsilon=1, categories=categories)  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), "x"])
def test_an_epsilon_without_meaning_is_refused(epsilon: object) -> None:
    with pytest.raises(PrivacyParameterError):
        RandomizedResponse(epsilon=epsilon)  # type: ignore[arg-type]


CANARY = "canary-77310577"
WRAPS: list[Callable[[object], object]] = [
    lambda value: value,
    lambda value: [value],
    lambda value: ["north", value],
    lambda value: [0, value],
    lambda value: [[value]],
    lambda value: {value: 1},
    lambda value: np.array([value, None], np.object_),
    lambda value: [b"north", value],
    lambda value: pd.Series([value, "north"]),
]


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("form", [POLL, WARDS], ids=repr)
def test_an_answer_that_is_none_is_refused_without_showing_it(
    wrap: Callable[[object], object], form: RandomizedResponse
) -> None:
    for take in (form.randomize, form.estimate):
        with pytest.raises(DataError) as refusal:
            take(wrap(CANARY))
        assert CANARY not in str(refusal.value)
        assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_no_reports_give_no_estimate_and_no_answers_no_reports() -> None:
    for form, empty in ((POLL, []), (WARDS, [])):
        with pytest.raises(DataError, match="no reports"):
            form.estimate(empty)
        assert form.randomize(empty).tolist() == []


@pytest.mark.parametrize(("reports", "proportion"), [(0, 0.5), (-1, 0.5), (5, -0.1), (5, 1.1)])
def test_a_variance_without_meaning_is_refused(reports: int, proportion: float) -> None:
    with pytest.raises(DataError):
        POLL.variance(reports, proportion)


def test_many_names_are_listed_in_short() -> None:
    form = RandomizedResponse(epsilon=1, categories=[f"ward {i}" for i in range(100)])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="and 95 more"):
        form.randomize(["elsewhere"])
