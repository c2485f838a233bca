"""Local (ε, δ)-privacy: the inequality of the definition, for every set of reports."""

import json
from fractions import Fraction
from itertools import chain, combinations, permutations
from typing import Any

import pytest

from discreet.errors import DataError, DiscreetError, PrivacyParameterError
from discreet.exact import exp_minus
from discreet.local import (
    Account,
    ApproximateResponse,
    Memo,
    RandomizedResponse,
    Repeated,
    Scheme,
    Tally,
    difference,
    respondents_for,
    scheme,
    shuffled,
    shuffled_delta,
)
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.verification import verify
from tests.support.evidence import fits

BITS = 400
FORMS = [
    ApproximateResponse(epsilon=epsilon, delta=delta, categories=size)  # type: ignore[arg-type]
    for epsilon in ("1/10", 1, 3)
    for delta in ("1e-6", "1/100", "1/3", "0.999")
    for size in (2, 3, 5)
]


def worst(
    form: ApproximateResponse, truth: Fraction, lie: Fraction, first: int, second: int
) -> Any:
    """The naive twin: the largest P[E | first] - e^ε·P[E | second] over all sets E, enclosed."""
    low, high = (Fraction(1 << BITS, end) for end in reversed(exp_minus(form.epsilon, BITS)))
    reports = range(form.domain)
    subsets = chain.from_iterable(combinations(reports, size) for size in range(form.domain + 1))
    sides = [
        [sum((truth if y == x else lie for y in chosen), Fraction(0)) for x in (first, second)]
        for chosen in subsets
    ]
    least, most = (max(p - odds * q for p, q in sides) for odds in (high, low))
    return least, most


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_no_set_of_reports_tells_more_than_delta(form: ApproximateResponse) -> None:
    """Exactly, for all pairs of answers and all sets; the next larger chance tells too much."""
    truth, lie = form.pair
    assert truth + (form.domain - 1) * lie == 1
    for first, second in permutations(range(min(form.domain, 3)), 2):
        least, most = worst(form, truth, lie, first, second)
        assert 0 < most <= form.delta
        assert least > form.delta - Fraction(1, 1 << 58)
        found = verify(form, first, second).delta(epsilon=form.epsilon)
        assert least - Fraction(1, 10**15) <= found <= most + Fraction(1, 10**15)
    more = truth + Fraction(1, 1 << 64)
    if more < 1:
        assert worst(form, more, (1 - more) / (form.domain - 1), 0, 1)[0] > form.delta


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_it_is_pure_for_a_larger_epsilon_only(form: ApproximateResponse) -> None:
    found = verify(form, 0, 1).epsilon
    assert found <= form.pure_loss.epsilon <= found + Fraction(1, 10**11)
    assert form.pure_loss.epsilon > form.epsilon  # the control: ε alone does not hold
    pure = RandomizedResponse(epsilon=form.epsilon, categories=form.domain)
    assert form.variance(100) < pure.variance(100)
    (truth, lie), (told, other) = form.pair, pure.pair
    gained = form.delta * form.domain * other  # δ·k/(e^ε + k - 1)
    assert abs((truth - lie) - (told - other) - gained) < Fraction(1, 1 << 60)


def test_reports_follow_the_law() -> None:
    """By 200,000 reports, with a chance of 10^-6 or less to fail; the control has no δ."""
    form = ApproximateResponse(epsilon=1, delta="1/20", categories=("a", "b", "c"))  # type: ignore[arg-type]
    reports = form.randomize(["b"] * 200_000).tolist()
    pure = RandomizedResponse(epsilon=1, categories=form.categories)
    for poll, right in ((form, True), (pure, False)):
        law = poll.law("b")
        assert fits(reports, {name: law.probability(name) for name in "abc"}) == right


def test_it_is_a_scheme_like_the_others() -> None:
    form = ApproximateResponse(epsilon=1, delta="1/100", categories=["no", "yes"])  # type: ignore[arg-type]
    assert isinstance(form, Scheme)
    assert form.loss == ApproximateDP(epsilon=Fraction(1), delta=Fraction(1, 100))
    tally = form.tally(form.randomize(["yes"] * 6_000 + ["no"] * 4_000))
    estimate: Any = form.estimate(tally)
    low, high = estimate.interval(1 - 1e-8)
    assert low < 0.6 < high
    assert estimate.loss == form.loss
    assert scheme(form.to_json()) == form == ApproximateResponse.from_json(form.to_json())
    assert Tally.from_bytes(tally.to_bytes()) == tally
    assert form.report_from_wire(form.report_to_wire("no")) == "no"
    plan = respondents_for(form, margin=0.05)
    assert "ε = 1, δ = 0.01" in str(plan)
    assert (
        plan.respondents < respondents_for(RandomizedResponse(epsilon=1), margin=0.05).respondents
    )
    pure = RandomizedResponse(epsilon=2, categories=["no", "yes"])  # type: ignore[arg-type]
    other = pure.tally(pure.randomize(["yes"] * 100))
    assert difference(tally, other).loss == ApproximateDP(epsilon=Fraction(2), delta=form.delta)
    assert difference(other, pure.tally(["no"])).loss == PureDP(epsilon=2)


def test_whatever_adds_up_epsilon_alone_refuses_a_delta() -> None:
    form = ApproximateResponse(epsilon=1, delta="1/100")  # type: ignore[arg-type]
    account, memo = Account(cap=9), Memo()
    for answer in (
        lambda: account.answer("?", form, 1),
        lambda: account.charge("?", form),
        lambda: account.answer("?", form, 1, memo=memo),
        lambda: memo.answer("?", form, 1),
        lambda: Repeated(permanent=form),
        lambda: Repeated(permanent=RandomizedResponse(epsilon=1), each=form),  # type: ignore[arg-type]
        lambda: shuffled(form, 100, delta=1e-6),
        lambda: shuffled_delta(form, 100, epsilon=1),
    ):
        with pytest.raises(DiscreetError):
            answer()
    assert account.charges == ()
    assert memo.values("?") == 0
    with pytest.raises(DataError, match="δ"):
        memo.answer("?", form, 1)


@pytest.mark.parametrize(
    "change", [{"delta": "0.01"}, {"delta": 0.01}, {"delta": "0"}, {"keep": "1"}, {"more": 1}]
)
def test_a_changed_scheme_is_refused(change: dict[str, object]) -> None:
    fields = json.loads(ApproximateResponse(epsilon=1, delta="1/100").to_json())  # type: ignore[arg-type]
    assert ApproximateResponse.from_json(json.dumps(fields)).delta == Fraction(1, 100)
    with pytest.raises(DiscreetError):
        ApproximateResponse.from_json(json.dumps(fields | change))


@pytest.mark.parametrize("delta", [0, 1, -1, "x", None])
def test_a_delta_that_is_none_is_refused(delta: object) -> None:
    with pytest.raises(PrivacyParameterError):
        ApproximateResponse(epsilon=1, delta=delta)  # type: ignore[arg-type]
