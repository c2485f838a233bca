"""Repeated questions: what is drawn once stays, and the losses are those of enumeration."""

import json
import os
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import BoundsError, DataError, DiscreetError
from discreet.local import (
    Account,
    HadamardResponse,
    HeavyHitters,
    Mean,
    ProjectiveGeometryResponse,
    RandomizedResponse,
    Scheme,
    SubsetSelection,
    UnaryEncoding,
    choose,
    difference,
    respondents_for,
)
from discreet.local import memoization as memos
from discreet.local import scheme as read_scheme
from discreet.local.memoization import Memo
from discreet.local.repeated import Repeated
from discreet.local.scheme import Tally
from discreet.privacy.losses import PureDP
from discreet.privacy.verification import verify
from tests.support.evidence import fits

Law = dict[Any, Fraction]
QUESTION = "Do you smoke?"
STAGES = [
    (RandomizedResponse(epsilon=2, categories=k), RandomizedResponse(epsilon=e, categories=k))
    for k in (2, 3, 4)
    for e in ("1/2", 1, 3)
]


def channel(scheme: RandomizedResponse) -> list[list[Fraction]]:
    """The matrix of a randomized response over numbered categories."""
    truth, lie = scheme.pair
    size = range(scheme.categories)  # type: ignore[arg-type]
    return [[truth if y == x else lie for y in size] for x in size]


def history_law(history: tuple[int, ...], question: Repeated) -> Law:
    """The naive twin: every table of what is kept, and every report from it."""
    first = channel(question.permanent)
    each = question.each
    second = [[Fraction(int(y == x)) for y in range(len(first))] for x in range(len(first))]
    if each is not None:
        second = channel(each)
    values = sorted(set(history))
    law: Law = {}
    for kept in product(range(len(first)), repeat=len(values)):
        table = dict(zip(values, kept, strict=True))
        chance = Fraction(1)
        for value, drawn in table.items():
            chance *= first[value][drawn]
        for reports in product(range(len(first)), repeat=len(history)):
            each_chance = chance
            for value, report in zip(history, reports, strict=True):
                each_chance *= second[table[value]][report]
            law[reports] = law.get(reports, Fraction(0)) + each_chance
    return law


def worst(first: Law, second: Law) -> float:
    ratios = [float(first[at] / second[at]) if second[at] else np.inf for at in first if first[at]]
    return max(ratios)


# ---------------------------------------------------------------------- losses


@pytest.mark.parametrize(("permanent", "each"), STAGES, ids=str)
def test_one_report_reveals_exactly_the_stated_loss(
    permanent: RandomizedResponse, each: RandomizedResponse
) -> None:
    question = Repeated(permanent=permanent, each=each)
    laws = [history_law((value,), question) for value in (0, 1)]
    truth, lie = question.pair
    assert laws[0][(0,)] == truth
    assert laws[0][(1,)] == lie
    assert sum(laws[0].values()) == 1
    ratio = worst(*laws)
    assert ratio == pytest.approx(exp(float(question.report_loss.epsilon)), rel=1e-11)
    assert ratio <= exp(float(question.report_loss.epsilon)) * (1 + 1e-14)
    assert question.report_loss.epsilon < min(permanent.epsilon, each.epsilon)


@pytest.mark.parametrize(("permanent", "each"), STAGES[:6], ids=str)
def test_many_reports_on_one_value_stay_below_the_permanent_loss_and_approach_it(
    permanent: RandomizedResponse, each: RandomizedResponse
) -> None:
    question = Repeated(permanent=permanent, each=each)
    ratios = [
        worst(history_law((0,) * count, question), history_law((1,) * count, question))
        for count in (1, 2, 4, 6)
    ]
    assert ratios == sorted(ratios)
    limit = exp(float(question.loss.epsilon))
    assert ratios[0] < ratios[-1] <= limit
    fresh = ratios[0] ** 6
    assert fresh > limit or ratios[-1] < fresh  # the control: fresh draws would leak more
    bare = Repeated(permanent=permanent)
    alone = worst(history_law((0,) * 3, bare), history_law((1,) * 3, bare))
    assert alone == pytest.approx(limit, rel=1e-12)
    assert bare.report_loss == bare.loss == permanent.loss


def test_each_new_value_costs_again_among_histories_of_one_pattern() -> None:
    for each in (None, RandomizedResponse(epsilon=1, categories=4)):
        question = Repeated(permanent=RandomizedResponse(epsilon=1, categories=4), each=each)
        for first, second in [
            ((0, 1, 0), (2, 3, 2)),
            ((0, 0, 1), (1, 1, 0)),
            ((0, 1, 2), (3, 2, 1)),
        ]:
            ratio = worst(history_law(first, question), history_law(second, question))
            assert ratio <= exp(float(question.loss.for_group(len(set(first))).epsilon)) * (
                1 + 1e-12
            )
    bare = Repeated(permanent=RandomizedResponse(epsilon=1, categories=4))
    ratio = worst(history_law((0, 1), bare), history_law((2, 3), bare))
    assert ratio > exp(1.5)  # two values cost more than one


def test_symmetric_bits_are_the_better_first_stage_where_the_second_flips_many() -> None:
    def variance(kind: str, each: object) -> float:
        permanent = UnaryEncoding(epsilon=2, categories=50, kind=kind)  # type: ignore[arg-type]
        second = RandomizedResponse(epsilon=each)  # type: ignore[arg-type]
        return Repeated(permanent=permanent, each=second).variance(1)

    assert variance("symmetric", "1/2") < 0.7 * variance("optimised", "1/2")
    assert variance("symmetric", 4) > variance("optimised", 4)  # which flips few


def test_that_a_value_changed_is_not_hidden_by_one_stage_and_bounded_with_two() -> None:
    bare = Repeated(permanent=RandomizedResponse(epsilon=1))
    assert worst(history_law((0, 1), bare), history_law((0, 0), bare)) == np.inf
    with pytest.raises(DataError, match="second stage"):
        bare.history_loss(2)
    assert bare.history_loss(1) == bare.loss
    two = Repeated(permanent=RandomizedResponse(epsilon=3), each=RandomizedResponse(epsilon="1/2"))
    assert two.history_loss(4) == PureDP(epsilon=2)
    limit = exp(2.0)
    laws = [history_law(history, two) for history in product((0, 1), repeat=4)]
    for first, second in product(laws, laws):
        assert worst(first, second) <= limit


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["optimised", "symmetric"])
def test_the_bits_of_unary_encoding_have_two_stages_too(kind: str) -> None:
    permanent = UnaryEncoding(epsilon=2, categories=3, kind=kind)  # type: ignore[arg-type]
    each = RandomizedResponse(epsilon=1)
    question = Repeated(permanent=permanent, each=each)
    (one, other), (keep, change) = permanent.pair, each.pair
    laws: list[Law] = [{}, {}]
    for value, law in enumerate(laws):
        for kept, sent in product(product((0, 1), repeat=3), repeat=2):
            chance = Fraction(1)
            for at, (bit, told) in enumerate(zip(kept, sent, strict=True)):
                up = one if at == value else other
                chance *= (up if bit else 1 - up) * (keep if bit == told else change)
            law[sent] = law.get(sent, Fraction(0)) + chance
    assert worst(*laws) == pytest.approx(exp(float(question.report_loss.epsilon)), rel=1e-11)
    assert question.report_loss.epsilon < 2
    assert question.history_loss(2) == PureDP(epsilon=6)
    memo = Memo()
    reports = [np.unpackbits(memo.answer(QUESTION, question, 1), count=3) for _ in range(20_000)]
    kept = np.round(np.mean(reports, axis=0)).astype(int)
    law = {bits: _told(bits, kept, keep) for bits in product((0, 1), repeat=3)}
    rows = [tuple(row.tolist()) for row in reports]
    assert fits(rows, law)
    assert not fits(rows, {bits: _told(bits, kept, Fraction(13, 20)) for bits in law})


def _told(bits: tuple[int, ...], kept: Any, keep: Fraction) -> float:
    return float(
        np.prod([float(keep if a == b else 1 - keep) for a, b in zip(bits, kept, strict=True)])
    )


# ---------------------------------------------------------------------- the memo


@pytest.mark.parametrize(
    ("scheme", "value"),
    [
        (RandomizedResponse(epsilon=1), True),
        (RandomizedResponse(epsilon=1, categories=("a", "b", "c")), "b"),
        (UnaryEncoding(epsilon=1, categories=30), 4),  # type: ignore[arg-type]
        (SubsetSelection(epsilon=1, categories=30), 4),  # type: ignore[arg-type]
        (Mean(low=0, high=1, epsilon=1, steps=20), 0.3),  # type: ignore[arg-type]
        (Repeated(permanent=RandomizedResponse(epsilon=1)), 0),
    ],
    ids=str,
)
def test_what_was_drawn_is_repeated(scheme: Any, value: object, tmp_path: Path) -> None:
    memo = Memo(path=tmp_path / "memo.json")
    assert not memo.holds(QUESTION, scheme, value)
    first = np.asarray(memo.answer(QUESTION, scheme, value)).tolist()
    assert memo.holds(QUESTION, scheme, value)
    again = Memo(path=tmp_path / "memo.json")
    for _ in range(5):
        assert np.asarray(again.answer(QUESTION, scheme, value)).tolist() == first
    copied = Memo.from_json(memo.to_json())
    assert np.asarray(copied.answer(QUESTION, scheme, value)).tolist() == first
    assert memo.values(QUESTION) == 1
    assert memo.spent(QUESTION) == scheme.loss
    assert memo.spent("another") == PureDP(epsilon=0)


def test_what_could_not_be_written_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would be sent, forgotten, and drawn again."""
    path, poll = tmp_path / "memo.json", RandomizedResponse(epsilon=1)
    memo = Memo(path=path)

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(memos, "write_whole", full)
        for _ in range(2):
            with pytest.raises(OSError, match="space"):
                memo.answer(QUESTION, poll, 1)
            assert not memo.holds(QUESTION, poll, 1)
    assert memo.answer(QUESTION, poll, 1) == Memo(path=path).answer(QUESTION, poll, 1)


def test_threads_that_share_a_memo_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One looks into the memo, or draws as well, while another draws."""
    poll = RandomizedResponse(epsilon=1)
    memo = Memo(path=tmp_path / "memo.json")
    memo.answer(QUESTION, poll, 0)

    def looked_at(path: Path, text: str) -> None:
        assert not memo.holds(QUESTION, poll, 1)
        written(path, text)

    written = memos.write_whole
    with monkeypatch.context() as patched:
        patched.setattr(memos, "write_whole", looked_at)
        memo.answer(QUESTION, poll, 1)
    assert Memo(path=tmp_path / "memo.json").values(QUESTION) == 2

    quick, draws = Memo(), [0, 1]
    inner: list[int] = []

    def drawn(*_: object) -> int:
        mine = draws.pop()
        if draws:
            inner.append(quick.answer(QUESTION, poll, 1))
        return mine

    monkeypatch.setattr(memos, "_draw", drawn)
    assert quick.answer(QUESTION, poll, 1) == inner[0] == 0  # the one that was kept first


def test_another_value_question_or_scheme_is_randomized_afresh() -> None:
    poll = RandomizedResponse(epsilon="1/10")
    memos = [Memo() for _ in range(200)]
    for other in [
        ("Do you drink?", poll, 1),
        (QUESTION, poll, 0),
        (QUESTION, RandomizedResponse(epsilon="1/9"), 1),
    ]:
        pairs = [(memo.answer(QUESTION, poll, 1), memo.answer(*other)) for memo in memos]
        assert 0 < sum(a == b for a, b in pairs) < 200
    assert memos[0].values(QUESTION) == 3
    assert memos[0].spent(QUESTION) == PureDP(epsilon=Fraction(2, 10) + Fraction(1, 9))


def test_a_value_is_one_however_it_is_written() -> None:
    memo = Memo()
    poll = RandomizedResponse(epsilon=1)
    for value in (1, True, np.int64(1), np.True_):
        memo.answer(QUESTION, poll, value)
    assert memo.values(QUESTION) == 1


@pytest.mark.slow
def test_reports_follow_the_laws_of_one_and_of_two_stages() -> None:
    permanent = RandomizedResponse(epsilon=1, categories=3)
    question = Repeated(permanent=permanent, each=RandomizedResponse(epsilon=1, categories=3))
    reports = [Memo().answer(QUESTION, question, 1) for _ in range(20_000)]
    truth, lie = (float(chance) for chance in question.pair)
    assert fits(reports, {0: lie, 1: truth, 2: lie})
    keep, other = (float(chance) for chance in permanent.pair)
    assert not fits(reports, {0: other, 1: keep, 2: other})


# ---------------------------------------------------------------------- estimates


def test_one_round_of_reports_is_estimated_without_bias() -> None:
    question = Repeated(permanent=RandomizedResponse(epsilon=3), each=RandomizedResponse.two_coin())
    answers = [1] * 3_000 + [0] * 7_000
    kept = question.permanent.randomize(answers)
    reports = question.each.randomize(kept)  # type: ignore[union-attr]
    estimate = question.estimate(reports)
    low, high = estimate.interval(1 - 1e-8)
    assert low < 0.3 < high
    assert abs(estimate.value - 0.3) < 6 * question.variance(10_000) ** 0.5
    assert estimate.loss == question.loss
    wrong = question.permanent.estimate(reports)
    assert wrong.interval(1 - 1e-8)[0] > 0.3  # the control: one stage is not both
    assert question.variance(100) > question.permanent.variance(100)


def test_categories_are_estimated_by_name() -> None:
    names = ("a", "b", "c")
    question = Repeated(
        permanent=UnaryEncoding(epsilon=4, categories=names, kind="symmetric"),
        each=RandomizedResponse(epsilon=3),
    )
    rows = question.permanent.randomize(["a"] * 3_000 + ["b"] * 1_000)
    reports = np.array([question.again(row) for row in rows])
    found = question.estimate(question.tally(reports))
    for name, truth in zip(names, (0.75, 0.25, 0), strict=True):
        low, high = found[name].interval(1 - 1e-8)
        assert low < truth < high
    bare = Repeated(permanent=question.permanent)
    assert list(bare.estimate(rows)) == list(names)
    assert bare.variance(10) == question.permanent.variance(10)


def test_a_tally_of_two_stages_is_estimated_with_the_chances_of_both() -> None:
    """By one's own tally of 40,000 reports; the control takes the first stage's and misses."""
    question = Repeated(permanent=RandomizedResponse(epsilon=3), each=RandomizedResponse.two_coin())
    tallies = []
    for share in (0.6, 0.2):
        answers = np.arange(40_000) < share * 40_000
        kept = question.permanent.randomize(answers)
        tallies.append(question.tally(question.again(kept)))
    assert tallies[0].identity == question.identity != question.permanent.identity
    for interval in ("guaranteed", "normal"):
        low, high = difference(*tallies, interval=interval).interval(1 - 1e-7)
        assert low < 0.4 < high
    alone = [question.permanent.tally() for _ in tallies]
    for wrong, right in zip(alone, tallies, strict=True):
        wrong._increase(right.counts, right.reports)
    assert difference(*alone).interval(1 - 1e-7)[1] < 0.4
    for estimate in (question.estimate, question.permanent.estimate):
        other = alone[0] if estimate == question.estimate else tallies[0]
        with pytest.raises(DataError, match=r"not of both stages|another scheme"):
            estimate(other)
    with pytest.raises(DataError):
        tallies[0].merge(alone[0])


@pytest.mark.parametrize(("permanent", "each"), STAGES[:4], ids=str)
def test_the_expected_tally_of_two_stages_is_estimated_exactly(
    permanent: RandomizedResponse, each: RandomizedResponse
) -> None:
    """Exactly, by the law of the naive twin, for everyone with the value 1."""
    question = Repeated(permanent=permanent, each=each)
    law = history_law((1,), question)
    people = 10**12
    tally = question.tally()
    counts = [round(law[(value,)] * people) for value in range(len(law))]
    tally._increase(np.array(counts), people)
    found = question.proportions(tally)
    assert [float(one) for one in found.values()] == pytest.approx(
        [float(value == 1) for value in range(len(law))], abs=1e-10
    )


def test_a_tally_of_two_stages_survives_as_bytes() -> None:
    question = Repeated(
        permanent=UnaryEncoding(epsilon=2, categories=3),  # type: ignore[arg-type]
        each=RandomizedResponse(epsilon=1),
    )
    tally = question.tally([question.again(question.permanent.randomize(1)) for _ in range(9)])
    read = Tally.from_bytes(tally.to_bytes())
    assert read == tally
    assert read.scheme == question
    sent = question.again(question.permanent.randomize(1))
    message = question.report_to_wire(sent)
    assert np.array_equal(question.report_from_wire(message), sent)
    assert message != question.permanent.report_to_wire(sent)
    with pytest.raises(DataError):  # of one stage
        question.report_from_wire(question.permanent.report_to_wire(sent))
    with pytest.raises(DataError):
        question.permanent.report_from_wire(message)
    for one in (question, Repeated(permanent=question.permanent)):
        assert read_scheme(one.to_json()) == one
    fields = json.loads(question.to_json())
    for change in (
        {"each": None},
        {"each": 1},
        {"permanent": ""},
        {"permanent": question.to_json()},
        {"permanent": fields["permanent"].replace(", ", ",")},
        {"more": 1},
    ):
        with pytest.raises(DiscreetError):
            Repeated.from_json(json.dumps(fields | change))


def test_of_one_stage_the_tally_is_that_of_the_scheme() -> None:
    poll = RandomizedResponse(epsilon=1)
    assert Repeated(permanent=poll).tally([1, 0]) == poll.tally([1, 0])
    message = Repeated(permanent=poll).report_to_wire(1)
    assert message == poll.report_to_wire(1)
    assert Repeated(permanent=poll).report_from_wire(message) == 1
    hours = Mean(low=0, high=1, epsilon=1)  # type: ignore[arg-type]
    assert Repeated(permanent=hours).tally([5]) == hours.tally([5])
    with pytest.raises(DataError, match=r"estimate\(\)"):
        Repeated(permanent=hours).proportions([5])


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize("permanent", [1, "x", None, HeavyHitters(epsilon=1, length=3)])  # type: ignore[arg-type]
def test_what_is_no_scheme_is_not_repeated(permanent: object) -> None:
    with pytest.raises(BoundsError, match=r"permanent is not a scheme"):
        Repeated(permanent=permanent)


def test_a_folder_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    memo = Memo(path=tmp_path / "nowhere" / "memo.json")
    with pytest.raises(DataError, match=r"folder.*Make the folder"):
        memo.answer(QUESTION, RandomizedResponse(epsilon=1), 1)
    with pytest.raises(DataError, match=r"folder"):
        Account(cap=1, path=tmp_path / "nowhere" / "account.json")


def test_stages_that_do_not_fit_are_refused() -> None:
    two = RandomizedResponse(epsilon=1)
    for permanent in (
        RandomizedResponse(epsilon=1, categories=3),
        SubsetSelection(epsilon=1, categories=10),  # type: ignore[arg-type]
        Mean(low=0, high=1, epsilon=1),  # type: ignore[arg-type]
    ):
        with pytest.raises(BoundsError):
            Repeated(permanent=permanent, each=two)
    four = RandomizedResponse(epsilon=8, categories=4)
    for kind in (UnaryEncoding, SubsetSelection, HadamardResponse, ProjectiveGeometryResponse):
        with pytest.raises(BoundsError):  # its reports have other laws than report_loss is for
            Repeated(permanent=four, each=kind(epsilon=5, categories=4))  # type: ignore[arg-type]
        with pytest.raises(BoundsError):
            Repeated(
                permanent=UnaryEncoding(epsilon=1, categories=4),  # type: ignore[arg-type]
                each=kind(epsilon=1, categories=2),  # type: ignore[arg-type]
            )
    for stage in (1, "x", Mean(low=0, high=1, epsilon=1)):  # type: ignore[arg-type]
        with pytest.raises(BoundsError):
            Repeated(permanent=four, each=stage)  # type: ignore[arg-type]
    assert Repeated(permanent=two, each=choose(categories=2, epsilon=1)) == Repeated(  # type: ignore[arg-type]
        permanent=two, each=two
    )
    with pytest.raises(DataError):
        Repeated(permanent=two, each=two).estimate([])
    for reports, proportion in [(0, 0.5), (5, 2)]:
        with pytest.raises(DataError):
            Repeated(permanent=two, each=two).variance(reports, proportion)


@pytest.mark.parametrize("kind", ["duchi", "piecewise", "hybrid"])
def test_a_mean_that_is_asked_again_is_planned_for_its_worst_number(kind: str) -> None:
    hours = Mean(low=-100, high=100, epsilon=3, kind=kind)  # type: ignore[arg-type]
    question = Repeated(permanent=hours)
    assert question.variance(10) == hours.variance(10)
    assert question.variance(10, 0) == hours.variance(10, 0)
    assert question.variance(10, 0) != hours.variance(10, 100)
    plan = respondents_for(question, margin=1)
    assert plan.respondents == respondents_for(hours, margin=1).respondents
    at = respondents_for(question, margin=1, at=50)
    assert at.respondents == respondents_for(hours, margin=1, at=50).respondents


# ---------------------------------------------------------------------- numbers


def test_nearly_equal_numbers_are_one_value_or_are_refused(tmp_path: Path) -> None:
    """50 numbers within a fiftieth of the bounds cost one ε or two, and not 50."""
    numbers = [0.4 + 0.0004 * step for step in range(50)]
    fine = Mean(low=0, high=1, epsilon=1)  # type: ignore[arg-type]
    for path in (None, tmp_path / "memo.json"):
        memo, account = Memo(path=path), Account(cap=100)
        for scheme in (fine, Repeated(permanent=fine)):
            with pytest.raises(DataError, match="16,777,216 steps"):
                memo.answer("Hours?", scheme, 0.4)
            with pytest.raises(DataError, match="steps=64"):
                account.answer("Hours?", scheme, 0.4, memo=memo)
        assert (memo.values("Hours?"), account.spent) == (0, PureDP(epsilon=0))
        coarse = Mean(low=0, high=1, epsilon=1, steps=64)  # type: ignore[arg-type]
        for number in numbers:
            account.answer("Hours?", coarse, number, memo=memo)
        assert memo.values("Hours?") <= 3
        assert memo.spent("Hours?") == account.spent
        with pytest.raises(DataError):
            memo.answer("Hours?", Mean(low=0, high=1, epsilon=1, steps=65), 0.4)  # type: ignore[arg-type]


def test_what_an_older_memo_holds_of_fine_steps_is_read_and_repeated() -> None:
    fine = Mean(low=0, high=1, epsilon=1)  # type: ignore[arg-type]
    position, report = 1 << 23, fine.randomize(0.5)
    entry = {"question": "Hours?", "scheme": fine.to_json(), "value": position, "report": report}
    head = {"format": "discreet.local.memo", "version": 1}
    memo = Memo.from_json(json.dumps({**head, "answers": [entry]}))
    assert memo.answer("Hours?", fine, 0.5) == report
    with pytest.raises(DataError, match="steps"):
        memo.answer("Hours?", fine, 0.500001)


# ---------------------------------------------------------------------- a scheme like others


@pytest.mark.parametrize(("permanent", "each"), STAGES[3:], ids=str)
def test_the_law_of_a_report_is_that_of_enumeration(
    permanent: RandomizedResponse, each: RandomizedResponse
) -> None:
    question = Repeated(permanent=permanent, each=each)
    size = permanent.domain
    for value in range(size):
        law = question.law(value)
        twin = history_law((value,), question)
        assert [law.probability(at) for at in range(size)] == pytest.approx(
            [float(twin[(at,)]) for at in range(size)], rel=1e-14
        )
    found = verify(question, 0, 1).epsilon
    assert found <= question.report_loss.epsilon <= found + Fraction(1, 10**11)
    assert question.message_bits == permanent.message_bits
    assert Repeated(permanent=permanent).law(0).probability(0) == permanent.law(0).probability(0)


def test_first_reports_follow_the_law_of_both_stages() -> None:
    """By 40,000 reports of each kind; the control is the law of one stage."""
    names = ("a", "b", "c")
    question = Repeated(
        permanent=RandomizedResponse(epsilon=2, categories=names),
        each=RandomizedResponse(epsilon=1, categories=names),
    )
    drawn = question.randomize(["b"] * 40_000).tolist()
    for scheme, right in ((question, True), (question.permanent, False)):
        law = scheme.law("b")
        assert fits(drawn, {name: law.probability(name) for name in names}) == right
    assert question.randomize("b") in names
    unary = Repeated(
        permanent=UnaryEncoding(epsilon=2, categories=3),  # type: ignore[arg-type]
        each=RandomizedResponse(epsilon=1),
    )
    rows = np.unpackbits(unary.randomize([1] * 40_000), axis=1, count=3)
    for scheme, right in ((unary, True), (unary.permanent, False)):
        law = scheme.law(1)
        expected = {bits: law.probability(bits) for bits in product((0, 1), repeat=3)}
        assert fits(map(tuple, rows.tolist()), expected) == right
    assert verify(unary, 0, 1).epsilon <= unary.report_loss.epsilon
    hours = Repeated(permanent=Mean(low=0, high=1, epsilon=1, steps=4))  # type: ignore[arg-type]
    assert hours.message_bits == hours.permanent.message_bits
    estimate = hours.estimate(hours.randomize([0.5] * 100), interval="normal")
    assert "normal" in str(estimate.note)


def test_intervals_of_two_stages_hold_at_once_on_request() -> None:
    question = Repeated(
        permanent=RandomizedResponse(epsilon=3, categories=4),
        each=RandomizedResponse(epsilon=2, categories=4),
    )
    tally = question.tally(question.randomize([0, 1, 2, 3] * 500))
    together, alone = question.estimate(tally, simultaneous=True), question.estimate(tally)
    assert all(together[at].margin > alone[at].margin for at in range(4))
    assert "at once" in str(together)
    assert isinstance(question, Scheme)


GOOD = Memo()
GOOD.answer(QUESTION, RandomizedResponse(epsilon=1), 1)
FIELDS = json.loads(GOOD.to_json())
ENTRY = FIELDS["answers"][0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        b"\xff",
        "[" * 50_000,
        5,
        json.dumps(FIELDS | {"version": 2}),
        json.dumps(FIELDS | {"version": True}),
        json.dumps(FIELDS | {"more": 1}),
        json.dumps(FIELDS | {"answers": {}}),
        json.dumps(FIELDS | {"answers": [ENTRY, ENTRY]}),
        json.dumps(FIELDS | {"answers": [ENTRY | {"report": 2}]}),
        json.dumps(FIELDS | {"answers": [ENTRY | {"value": "1"}]}),
        json.dumps(FIELDS | {"answers": [ENTRY | {"question": None}]}),
        json.dumps(FIELDS | {"answers": [ENTRY | {"scheme": "{}"}]}),
        json.dumps(FIELDS | {"answers": [ENTRY | {"scheme": ENTRY["scheme"].replace(", ", ",")}]}),
        json.dumps(
            FIELDS
            | {
                "answers": [
                    ENTRY | {"scheme": Repeated(permanent=RandomizedResponse(epsilon=1)).to_json()}
                ]
            }
        ),
        json.dumps(FIELDS | {"answers": [{}]}),
        GOOD.to_json()[:-1] + ', "version": 1}',
    ],
    ids=lambda text: repr(text)[:60],
)
def test_a_memo_that_was_changed_is_refused(text: object) -> None:
    with pytest.raises(DiscreetError):
        Memo.from_json(text)  # type: ignore[arg-type]
    assert Memo.from_json(GOOD.to_json()).to_json() == GOOD.to_json()


def test_bad_answers_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    memo = Memo(path=tmp_path / "memo.json")
    poll = RandomizedResponse(epsilon=1)
    for question, value in [
        ("", 1),
        (None, 1),
        ("\ud800", 1),
        (QUESTION, 2),
        (QUESTION, [1]),
        (QUESTION, "x"),
    ]:
        with pytest.raises(DataError):
            memo.answer(question, poll, value)  # type: ignore[arg-type]
    assert not (tmp_path / "memo.json").exists()
    memo.answer(QUESTION, poll, 1)
    assert os.stat(tmp_path / "memo.json").st_mode & 0o77 == 0


@pytest.mark.parametrize("categories", [2, 3, ("no", "yes")])
def test_the_law_of_several_reports_is_the_product_as_for_one_stage(categories):
    stage = RandomizedResponse(epsilon=1, categories=categories)
    names = range(categories) if isinstance(categories, int) else categories
    for question in (Repeated(permanent=stage, each=stage), Repeated(permanent=stage)):
        both = question.law([names[0], names[1]])
        first, second = question.law(names[0]), question.law(names[1])
        for pair in product(names, names):
            expected = first.probability(pair[0]) * second.probability(pair[1])
            assert both.probability(pair) == pytest.approx(expected, rel=1e-15)
        moved = verify(question, [names[0], names[1]], [names[1], names[1]])
        assert moved.epsilon == verify(question, names[0], names[1]).epsilon


@pytest.mark.parametrize(
    "scheme",
    [
        UnaryEncoding(epsilon=1, categories=3),
        HadamardResponse(epsilon=1, categories=3),
        SubsetSelection(epsilon=1, categories=3),
        ProjectiveGeometryResponse(epsilon=1, categories=3),
        Repeated(
            permanent=UnaryEncoding(epsilon=1, categories=3), each=RandomizedResponse(epsilon=1)
        ),
    ],
    ids=lambda scheme: type(scheme).__name__,
)
def test_a_law_of_one_report_is_not_asked_for_several(scheme):
    with pytest.raises(DataError, match=r"several answers\. .* Give one answer"):
        scheme.law([0, 1])
    assert scheme.law(1).against(scheme.law(0))
