"""Every scheme over categories: reports, estimates, what goes on the wire, what is refused."""

import json
import pickle
import tracemalloc
from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet.errors import BoundsError, DataError, DiscreetError, PrivacyParameterError
from discreet.local import (
    HadamardResponse,
    ProjectiveGeometryResponse,
    Proportions,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
    scheme,
)
from discreet.local.proportions import BIASED, on_simplex
from discreet.local.scheme import CategoricalScheme
from discreet.noise import UnsafeSeededBits
from discreet.privacy.losses import PureDP
from tests.local.scheme_twins import named, outcome, schemes, twin_law
from tests.support.cases import each
from tests.support.evidence import fits

NAMES = ["north", "south", "west", "östlich", "none of these"]
FIVE = schemes(1, 5)
NAMED = schemes("1/2", NAMES)
LARGE = schemes(2, 100)
kinds = pytest.mark.parametrize("form", FIVE, ids=repr)


def several(estimate: object) -> Proportions:
    assert isinstance(estimate, Proportions)
    return estimate


# ---------------------------------------------------------------------- the randomizer


@pytest.mark.parametrize("form", [*schemes(1, 5), *schemes(2, 4)], ids=repr)
def test_reports_follow_their_law_and_not_that_of_another_value(form: CategoricalScheme) -> None:
    """False alarms are rarer than one in a million, and the control fails by far."""
    reports = form.randomize(np.full(60_000, 2))
    sample = Counter(outcome(form, report) for report in reports)
    right, wrong = (
        {report: float(p) for report, p in twin_law(form, value).items()} for value in (2, 1)
    )
    assert fits(sample.elements(), right)
    assert not fits(sample.elements(), wrong)


@pytest.mark.parametrize("size", [3, 5])
def test_sets_of_any_size_are_uniform(size: int) -> None:
    form = SubsetSelection(epsilon=2, categories=7, size=size)  # type: ignore[arg-type]
    sample = [outcome(form, report) for report in form.randomize([6] * 80_000)]
    law = {report: float(p) for report, p in twin_law(form, 6).items()}
    assert fits(sample, law)
    assert not fits(sample, dict.fromkeys(law, 1 / len(law)))


@pytest.mark.parametrize("form", LARGE, ids=repr)
def test_large_sets_of_categories_are_named_with_the_stated_chances(
    form: CategoricalScheme,
) -> None:
    """Each category is in a report with chance p if it is the truth, else q; in pooled counts."""
    truth, lie = form.pair
    people = 20_000
    counts = form._named(form.tally(form.randomize(np.full(people, 37))))
    deviation = sqrt(people * truth * (1 - truth))
    assert abs(counts[37] - people * truth) < 6 * deviation
    others = np.delete(counts, 37)
    spread = sqrt(people * lie * (1 - lie))
    assert abs(others - people * lie).max() < 7 * spread + 7
    assert abs(counts[37] - people * lie) > 12 * spread  # the control: the truth stands out


@pytest.mark.parametrize("form", [*FIVE, *NAMED], ids=repr)
def test_one_value_gives_one_report_and_several_as_many(form: CategoricalScheme) -> None:
    keys = list(form._answers.keys)
    for report in (form.randomize(keys[3]), form.randomize([keys[3]])[0]):
        assert form.tally(report).reports == 1
    assert form.tally(form.randomize(keys * 4)).reports == 20
    assert form.tally(form.randomize(pd.Series(keys))).reports == 5
    assert len(form.randomize([])) == 0
    assert form.tally(form.randomize([])).reports == 0


@pytest.mark.parametrize("form", LARGE, ids=repr)
def test_memory_is_that_of_the_reports(form: CategoricalScheme) -> None:
    """Bits are unpacked in blocks: 200,000 reports over 100 categories would take 20 MB each."""
    values = np.arange(200_000) % 100
    tracemalloc.start()
    reports = form.randomize(values)
    form.tally(reports)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < reports.nbytes + values.nbytes + 20e6


@kinds
def test_a_seed_repeats_only_under_a_name_that_says_unsafe(form: CategoricalScheme) -> None:
    first, second = (form.randomize([1] * 200, source=UnsafeSeededBits(3)) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, form.randomize([1] * 200))


# ---------------------------------------------------------------------- estimates


@pytest.mark.parametrize("form", [*FIVE, *LARGE, *schemes("1/10", 9)], ids=repr)
def test_counts_are_those_of_the_definition(form: CategoricalScheme) -> None:
    reports = form.randomize(np.arange(300) % form.domain)
    expected = Counter(at for report in reports for at in named(form, report))
    tally = form.tally(reports)
    assert form._named(tally).tolist() == [expected[at] for at in range(form.domain)]
    assert form.possible(tally.counts, 300)


@pytest.mark.slow
@pytest.mark.parametrize("form", schemes(1, 16), ids=repr)
def test_the_measured_variance_is_within_3_percent_of_the_formula(form: CategoricalScheme) -> None:
    """6000 surveys of 50 people: 3% are six standard errors, and the control, the formula at
    another epsilon, is off by over 20%."""
    surveys, people = 6000, 50
    values = np.arange(people) % 12  # four categories have proportion 0
    truth = np.bincount(values, minlength=16) / people
    reports = form.randomize(np.tile(values, surveys)).reshape(surveys, people, -1)
    if isinstance(form, RandomizedResponse | ProjectiveGeometryResponse):
        reports = reports[..., 0]
    counts = np.array([form._named(form.tally(survey)) for survey in reports])
    errors = (counts / people - form.channel.lie) / form.channel.gain - truth
    assert abs(errors.mean(axis=0)).max() < 6 * sqrt(form.variance(people) * 2 / surveys)

    def ratio(other: CategoricalScheme) -> float:
        variances = [other.variance(people, share) for share in truth]
        return float((errors**2).mean(axis=0).sum() / sum(variances))

    assert abs(ratio(form) - 1) < 0.03
    others: dict[str, Any] = {"kind": form.kind} if isinstance(form, UnaryEncoding) else {}
    control = type(form)(epsilon="11/10", categories=16, **others)  # type: ignore[call-arg]
    assert abs(ratio(control) - 1) > 0.03


@pytest.mark.parametrize("form", [*FIVE[1:], *NAMED, LARGE[0]], ids=repr)
def test_an_estimate_has_a_value_an_error_and_a_price_for_each_category(
    form: CategoricalScheme,
) -> None:
    """Of a hundred categories, a lie names each too rarely for few people: its count, and with it
    the margin, must be near enough to what is expected, but for once in over a million runs."""
    keys = list(form._answers.keys)
    people = 30_000 if form.domain == 5 else 600_000
    values = [keys[0]] * (people // 2) + [keys[1]] * (people // 2)
    estimates = several(form.estimate(form.randomize(values)))
    assert list(estimates) == keys
    assert estimates.loss == form.loss == PureDP(epsilon=form.epsilon)
    assert estimates.reports == people
    together = several(form.estimate(form.tally(form.randomize(values)), simultaneous=True))
    errors = estimates.standard_errors
    for at, key in enumerate(keys[:5]):
        truth = 0.5 if at < 2 else 0.0
        one = estimates[key]
        low, high = one.interval(1 - 1e-9)
        assert low <= truth <= high
        assert errors[key] == pytest.approx(sqrt(form.variance(people, truth)), rel=0.2)
        assert 1.9 < one.margin / errors[key] < 2.2  # type: ignore[operator]
        assert "random sample" in one.note
        assert one.mechanism is form
        lower, upper = together[key].interval(0.95)
        assert together[key].interval(0.95) == together[key].interval(Fraction(95, 100))
        assert upper - lower > one.upper - one.lower  # type: ignore[operator]
    assert estimates.simultaneous(0.95).keys() == estimates.keys()


def test_simultaneous_intervals_are_each_at_a_share_of_the_level() -> None:
    form = UnaryEncoding(epsilon=1, categories=4)  # type: ignore[arg-type]
    tally = form.tally(form.randomize([0, 1, 2, 3] * 100))
    alone, together = form.proportions(tally), form.proportions(tally, simultaneous=True)
    for key in range(4):
        assert together[key].interval("0.96") == alone[key].interval("0.99")
        assert together[key].interval("0.96") == alone.simultaneous("0.96")[key]


def test_consistent_proportions_are_on_the_simplex_and_say_that_they_are_biased() -> None:
    form = HadamardResponse(epsilon=1, categories=20)  # type: ignore[arg-type]
    estimates = several(form.estimate(form.randomize([3] * 500)))
    tidy = estimates.consistent()
    assert sum(tidy.values()) == pytest.approx(1)
    assert min(tidy.values()) == 0
    assert list(tidy) == list(estimates)
    assert tidy.note == BIASED
    assert "bias" in repr(tidy)


def test_the_projection_is_the_nearest_point() -> None:
    """Against many other points of the simplex."""
    generator = np.random.default_rng(5)
    for size in (1, 2, 3, 10):
        for _ in range(20):
            values = generator.normal(1 / size, 0.5, size)
            found = np.array(on_simplex(values))
            assert found.min() >= 0
            assert found.sum() == pytest.approx(1)
            others = generator.dirichlet(np.ones(size), 200)
            distances = ((others - values) ** 2).sum(axis=1)
            assert distances.min() >= ((found - values) ** 2).sum() - 1e-12
    assert on_simplex([0.2, 0.3, 0.5]) == [0.2, 0.3, 0.5]


@kinds
def test_a_variance_falls_with_the_reports(form: CategoricalScheme) -> None:
    assert form.variance(1000, 0.3) == pytest.approx(form.variance(1, 0.3) / 1000)
    for reports, proportion in [(0, 0.5), (-1, 0.5), (5, -0.1), (5, 1.1)]:
        with pytest.raises(DataError):
            form.variance(reports, proportion)


@kinds
def test_no_reports_give_no_estimate(form: CategoricalScheme) -> None:
    for empty in ([], form.tally()):
        with pytest.raises(DataError, match="no reports"):
            form.estimate(empty)


@kinds
def test_a_tally_of_another_scheme_gives_no_estimate(form: CategoricalScheme) -> None:
    for other in schemes(1, 6):
        with pytest.raises(DataError, match="another scheme"):
            form.estimate(other.tally(other.randomize([1, 2])))


# ---------------------------------------------------------------------- the wire


@pytest.mark.parametrize("form", [*FIVE, *NAMED, *LARGE], ids=repr)
def test_a_scheme_survives_the_wire(form: CategoricalScheme) -> None:
    text = form.to_json()
    assert type(form).from_json(text) == scheme(text) == scheme(text.encode()) == form
    assert scheme(text).to_json() == text
    assert json.loads(text)["version"] == 2
    assert pickle.loads(pickle.dumps(form)) == form
    assert scheme(text).identity == form.identity


def test_the_wire_has_the_fields_that_devices_read() -> None:
    expected = [
        {"scheme": "randomized-response", "keep": "7799019876780133573"},
        {"scheme": "unary", "kind": "optimised", "one": str(1 << 63)},
        {"scheme": "unary", "kind": "symmetric"},
        {"scheme": "subset", "size": 1},
        {"scheme": "hadamard", "rows": 8},
        {"scheme": "projective"},
    ]
    for form, fields in zip(FIVE, expected, strict=True):
        written = json.loads(form.to_json())
        assert written["epsilon"] == "1"
        assert written["categories"] == 5
        assert fields.items() <= written.items() | {("keep", fields.get("keep"))}


@kinds
def test_a_collector_cannot_weaken_a_scheme(form: CategoricalScheme) -> None:
    """Every field is checked against what follows from the others."""
    good = json.loads(form.to_json())
    for name, value in form.derived.items():
        number = int(value)
        others = [number + 1, number - 1, str(number + 1), str(number - 1), None, True, [number]]
        others += [number] if isinstance(value, str) else [str(number)]
        for other in others:
            with pytest.raises(DataError):
                scheme(json.dumps(good | {name: other}))
        with pytest.raises(DataError):
            scheme(json.dumps({key: one for key, one in good.items() if key != name}))
    for change in [{"epsilon": "2"}, {"x": 1}, {"version": 1}, {"odds": "3"}, {"scheme": "none"}]:
        with pytest.raises(DiscreetError):
            scheme(json.dumps(good | change))
    for text in ("", "null", "[]", "{}", b"\xff", 5, '{"scheme": 1}', json.dumps(good)[:-1]):
        with pytest.raises(DataError):
            scheme(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "change"),
    [
        (FIVE[1], {"kind": "symmetric"}),
        (FIVE[1], {"kind": None}),
        (FIVE[3], {"size": 0}),
        (FIVE[3], {"size": 5}),
        (FIVE[3], {"size": 2.0}),
        (FIVE[3], {"size": True}),
        (FIVE[3], {"size": None}),
        (FIVE[5], {"prime": 4}),
        (FIVE[5], {"prime": 2, "dimension": 2}),
        (FIVE[5], {"dimension": 10**9}),
        (FIVE[5], {"prime": 10**40}),
        (FIVE[5], {"prime": None}),
        (FIVE[5], {"prime": None, "dimension": None}),
    ],
)
def test_parameters_without_meaning_are_refused_from_the_wire(
    form: CategoricalScheme, change: dict[str, object]
) -> None:
    with pytest.raises(DiscreetError):
        scheme(json.dumps(json.loads(form.to_json()) | change))


@pytest.mark.parametrize("form", [*FIVE, *NAMED, *LARGE], ids=repr)
def test_a_report_survives_the_wire(form: CategoricalScheme) -> None:
    for _ in range(20):
        report = form.randomize(form._answers.keys[2])
        text = form.report_to_wire(report)
        assert json.loads(text)["scheme"] == form.identity
        read = form.report_from_wire(text)
        assert form.tally(read) == form.tally(report)
        assert form.report_to_wire(read) == text


@pytest.mark.parametrize("form", [*FIVE, *NAMED], ids=repr)
def test_a_message_carries_one_report(form: CategoricalScheme) -> None:
    keys = list(form._answers.keys)
    for several in (form.randomize(keys[:2]), form.randomize([])):
        with pytest.raises(DataError):
            form.report_to_wire(several)
    one = form.randomize(keys[:1])
    assert form.tally(form.report_from_wire(form.report_to_wire(one[0]))).reports == 1


@pytest.mark.parametrize("kind", [RandomizedResponse, UnaryEncoding, SubsetSelection])
def test_a_report_on_very_many_categories_survives_the_wire(kind: Any) -> None:
    form = kind(epsilon="1/10", categories=1 << 20)
    text = form.report_to_wire(form.randomize((1 << 20) - 1))
    assert form.report_to_wire(form.report_from_wire(text)) == text
    with pytest.raises(DataError):
        form.report_from_wire(text + " " * (1 << 23))


BAD_REPORTS: list[object] = [
    *[None, True, 1.0, -1, 10**30, "", "0", "zz", "ff", "FF", "f8f8", [], [0], [0, 0], [1, 0]],
    *[[0, 2], [-1, 0], [99, 0], [0, 1.0], [True, 0], [0, 1, 2], [0, 1, 2, 3], [[0, 1]], {}],
    *["0" * 3, " 8", "8 ", "+8", "８０"],
]


@kinds
def test_a_report_that_cannot_have_been_drawn_is_refused(form: CategoricalScheme) -> None:
    taken = 0
    for bad in BAD_REPORTS:
        text = json.dumps({"scheme": form.identity, "report": bad})
        try:
            report = form.report_from_wire(text)
        except DataError:
            continue
        taken += 1
        assert form.report_to_wire(report) == text
    assert taken <= 4
    good = form.report_to_wire(form.randomize(1))
    for text in [
        *[good[:-1], good + "x", f"[{good}]", good.replace("{", '{"x": 1, '), "", b"\xff", None],
        good.replace(form.identity, "0" * 64),
        good.replace(form.identity, form.identity.upper()),
        json.dumps({"scheme": form.identity}),
        json.dumps({"report": 1}),
        " " * (1 << 20) + good,
        "[" * 100_000,
    ]:
        with pytest.raises(DataError):
            form.report_from_wire(text)  # type: ignore[arg-type]


def test_the_padding_of_packed_bits_is_zero() -> None:
    form = UnaryEncoding(epsilon=1, categories=5)  # type: ignore[arg-type]
    assert form.report_from_wire(json.dumps({"scheme": form.identity, "report": "f8"})) is not None
    with pytest.raises(DataError):
        form.report_from_wire(json.dumps({"scheme": form.identity, "report": "f9"}))
    with pytest.raises(DataError):
        form.tally(np.array([[0b11111001]], np.uint8))


# ---------------------------------------------------------------------- bad input

CANARY = "canary-77310577"


@each("form", [*FIVE, *NAMED], ids=repr)
@each("value", [CANARY, [CANARY], [0, CANARY], [[CANARY]], {CANARY: 1}, np.array([CANARY, None])])
def test_what_is_no_value_or_report_is_refused_without_showing_it(
    form: CategoricalScheme, value: object
) -> None:
    for take in (form.randomize, form.estimate):
        with pytest.raises(DataError) as refusal:
            take(value)
        assert CANARY not in str(refusal.value)
        assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


@kinds
@each("value", [-1, 5, 1.5, None, True, [0, 5], [0.0], float("nan"), 10**30])
def test_a_number_that_is_no_category_is_refused(form: CategoricalScheme, value: object) -> None:
    with pytest.raises(DataError):
        form.randomize(value)


@pytest.mark.parametrize("kind", [type(form) for form in [*FIVE[:2], *FIVE[3:]]])
def test_parameters_without_meaning_are_refused(kind: Any) -> None:
    for epsilon in (0, -1, float("nan"), "x", None):
        with pytest.raises(PrivacyParameterError):
            kind(epsilon=epsilon, categories=4)
    for categories in ("ab", b"ab", 2.0, None, ["a"], [1, 2], [None, "a"], {"a", "b"}, ["a", "a"]):
        with pytest.raises(BoundsError):
            kind(epsilon=1, categories=categories)
    for number in (1, 0, -3, 1 << 40):
        with pytest.raises(PrivacyParameterError):
            kind(epsilon=1, categories=number)


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(BoundsError):
        UnaryEncoding(epsilon=1, categories=4, kind="best")  # type: ignore[arg-type]


def test_reports_of_another_shape_are_refused() -> None:
    unary, subset, hadamard = FIVE[1], FIVE[3], FIVE[4]
    for form, reports in [
        (unary, np.zeros((3, 2), np.uint8)),
        (unary, np.zeros((3, 1), np.int64)),
        (unary, np.zeros((1, 3, 1), np.uint8)),
        (subset, np.zeros((3, 1), np.uint8)),
        (subset, np.array([[0b11000000]], np.uint8)),
        (hadamard, [[0, 1, 0]]),
        (hadamard, [[8, 0]]),
        (hadamard, [[0, 2]]),
        (hadamard, [[0, 1], [0]]),
    ]:
        with pytest.raises(DataError):
            form.estimate(reports)
