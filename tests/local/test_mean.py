"""The mean of a number: what a report reveals, what the estimate is worth, what is on the wire."""

import json
import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import local
from discreet.errors import BoundsError, DataError, DiscreetError, PrivacyParameterError
from discreet.exact import exp_minus
from discreet.local.mean import Mean
from discreet.local.mean_law import KINDS, derive_law
from discreet.local.probabilities import WHOLE
from discreet.local.scheme import Tally
from discreet.noise import UnsafeSeededBits
from discreet.privacy.verification import verify
from tests.support.cases import each
from tests.support.evidence import fits

EPSILONS = [Fraction(1, 10), Fraction(1, 2), Fraction(7, 10), Fraction(1), Fraction(2), Fraction(4)]
STEPS = [1, 2, 3, 7, 10]
GRID = list(product(KINDS, EPSILONS, STEPS))


def mean(kind: str = "hybrid", epsilon: object = 1, **options: object) -> Mean:
    bounds: dict[str, object] = {"low": 0, "high": 10} | options
    return Mean(epsilon=epsilon, kind=kind, **bounds)  # type: ignore[arg-type]


def laws(kind: str, epsilon: Fraction, steps: int) -> list[dict[int, Fraction]]:
    law = derive_law(kind, epsilon, steps)
    return [law.probabilities(position) for position in range(steps + 1)]


# ---------------------------------------------------------------------- privacy


@each(("kind", "epsilon", "steps"), GRID)
def test_the_worst_ratio_of_all_pairs_and_reports_is_just_below_e_to_the_epsilon(
    kind: str, epsilon: Fraction, steps: int
) -> None:
    low, high = exp_minus(epsilon, 200)
    table = laws(kind, epsilon, steps)
    worst = max(a[report] / b[report] for a, b in product(table, table) for report in a)
    assert worst * high <= 1 << 200  # worst ≤ e^ε, whatever e^ε is in its enclosure
    assert worst * low * (1 + Fraction(1, 1 << 40)) >= 1 << 200
    assert worst == derive_law(kind, epsilon, steps).ratio()


def test_a_chance_that_is_one_unit_larger_would_be_seen() -> None:
    """The negative control: the chances are the largest that protect."""
    law = derive_law("piecewise", Fraction(1), 10)
    _, high = exp_minus(Fraction(1), 200)
    more = (law.keep + 1) * law.steps * high
    assert more > (WHOLE - law.keep - 1) * law.window << 200


@each(("kind", "epsilon", "steps"), GRID)
def test_probabilities_sum_to_one_and_scores_are_unbiased(
    kind: str, epsilon: Fraction, steps: int
) -> None:
    """The naive twin: mean and variance by enumeration of every report, in rationals."""
    law = derive_law(kind, epsilon, steps)
    for position in range(steps + 1):
        chances = law.probabilities(position)
        assert sum(chances.values()) == 1
        assert set(chances) == set(law.reports)
        scores = {}
        for report in chances:
            counts = law.count(np.array([report]))
            scores[report], square = law.moments(counts, 1)
            assert square == scores[report] ** 2
            assert law.possible(counts, 1)
        assert sum(chance * scores[at] for at, chance in chances.items()) == position
        spread = sum(chance * scores[at] ** 2 for at, chance in chances.items()) - position**2
        assert spread == law.variance(position)
        assert law.score_range[0] <= min(scores.values())
        assert law.score_range[1] >= max(scores.values())
        assert spread <= law.worst_variance
        assert spread + (position - Fraction(steps, 2)) ** 2 <= law.worst_spread
    assert law.worst_variance in [law.variance(position) for position in range(steps + 1)]


def test_the_law_of_the_scheme_is_the_one_verified() -> None:
    for kind in KINDS:
        scheme = mean(kind, steps=10)
        found = verify(scheme, 0, 10)
        assert Fraction(1) - Fraction(1, 10**11) <= found.epsilon <= scheme.loss.epsilon
    with pytest.raises(DataError, match="steps=1000"):
        mean("piecewise").law(3)


@pytest.mark.parametrize(("kind", "epsilon"), list(product(KINDS, ["1/2", 1, 3])))
def test_reports_follow_their_law(kind: str, epsilon: object) -> None:
    scheme = mean(kind, epsilon, steps=5)
    for value, other in ((0, 4), (4, 10)):
        reports = scheme.randomize([value] * 60_000).tolist()
        law = scheme.law(value)
        assert fits(reports, {at: law.probability(at) for at in scheme._law.reports})
        wrong = scheme.law(other)
        assert not fits(reports, {at: wrong.probability(at) for at in scheme._law.reports})


# ---------------------------------------------------------------------- accuracy


@pytest.mark.parametrize(
    ("epsilon", "duchi", "piecewise", "hybrid"), [(1, 4.68, 5.22, 4.29), (4, 1.08, 0.24, 0.22)]
)
def test_worst_variances_are_those_of_the_literature(
    epsilon: int, duchi: float, piecewise: float, hybrid: float
) -> None:
    for kind, expected in zip(KINDS, (duchi, piecewise, hybrid), strict=True):
        scheme = mean(kind, epsilon, low=-1, high=1)
        assert scheme.variance(1) == pytest.approx(expected, abs=0.005)
        assert scheme.variance(50) == pytest.approx(scheme.variance(1) / 50)
        middle, end = scheme.variance(1, 0), scheme.variance(1, 1)
        assert max(middle, end) == pytest.approx(scheme.variance(1))


def test_the_hybrid_is_never_worse_than_either_where_it_mixes() -> None:
    for epsilon in ("1/10", "1/2", "0.6", "0.62", 1, 2, 5, 8):
        one, two, both = (mean(kind, epsilon).variance(1) for kind in KINDS)
        assert both <= min(one, two) * (1 + 1e-12)
    assert mean("hybrid", "0.6")._law.mix == 0
    assert mean("hybrid", "0.62")._law.mix > 0


@pytest.mark.parametrize(("kind", "value"), list(product(KINDS, [0, 3, 10])))
def test_the_measured_variance_is_that_of_the_formula(kind: str, value: float) -> None:
    """Of 400,000 scores; 3% is over ten standard errors of a variance."""
    scheme = mean(kind)
    size = 400_000
    tally = scheme.tally(scheme.randomize(np.full(size, value)))
    truth = scheme.variance(size, value)
    assert scheme.standard_error(tally) ** 2 == pytest.approx(truth, rel=0.03)
    assert scheme.standard_error(tally) ** 2 != pytest.approx(1.1 * truth, rel=0.03)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("interval", ["guaranteed", "normal"])
def test_the_estimate_finds_the_mean(kind: str, interval: str) -> None:
    scheme = mean(kind, low=-5, high="5/2")
    values = np.linspace(-7, 3, 50_000)
    truth = float(np.clip(values, -5, 2.5).mean())
    estimate = scheme.estimate(scheme.randomize(values), interval=interval)
    low, high = estimate.interval(1 - 1e-8)
    assert low < truth < high
    assert abs(estimate.value - truth) < 6 * scheme.variance(50_000) ** 0.5
    assert estimate.loss == scheme.loss
    assert ("any number" in estimate.note) == (interval == "guaranteed")
    assert estimate.neighbors == "replace"


@pytest.mark.parametrize("kind", KINDS)
def test_the_guaranteed_interval_covers_few_reports(kind: str) -> None:
    """By enumeration of every pair of reports, for every pair of values."""
    scheme = mean(kind, 2, steps=4)
    intervals = {
        pair: scheme.estimate(list(pair)).interval("3/4")
        for pair in product(scheme._law.reports, repeat=2)
    }
    for first, second in product(range(5), repeat=2):
        truth = (first + second) / 2 * 2.5
        laws = scheme._law.probabilities(first), scheme._law.probabilities(second)
        covered = sum(
            laws[0][a] * laws[1][b]
            for (a, b), (low, high) in intervals.items()
            if low <= truth <= high
        )
        assert covered >= Fraction(3, 4)


def test_the_normal_interval_is_narrower_and_only_approximate() -> None:
    """The negative control: among few reports it misses what the other one covers."""
    scheme = mean("duchi", 4)
    law = scheme._law.probabilities(0)
    covered = {"guaranteed": Fraction(0), "normal": Fraction(0)}
    for ones in range(4):
        chance = [1, 3, 3, 1][ones] * law[1] ** ones * law[0] ** (3 - ones)
        for interval in covered:
            estimate = scheme.estimate([1] * ones + [0] * (3 - ones), interval=interval)
            low, high = estimate.interval(0.95)
            covered[interval] += chance * (low <= 0 <= high)
    assert covered["guaranteed"] >= Fraction(95, 100)
    assert covered["normal"] < Fraction(1, 10)
    many = scheme.randomize([0] * 3000 + [10] * 3000)
    near = scheme.estimate(many, interval="normal").interval()
    wide = scheme.estimate(many).interval()
    assert near[1] - near[0] < wide[1] - wide[0]


def test_infinities_clip_and_exact_numbers_are_read() -> None:
    scheme = mean(steps=10)
    assert scheme._positions([-np.inf, np.inf, 1e308, -(10**400), 10**400]).tolist() == [
        0, 10, 10, 0, 10,
    ]  # fmt: skip
    assert scheme._positions([Fraction(1, 2), Fraction(3, 2), Fraction(149, 100)]).tolist() == [
        1,
        2,
        1,
    ]
    assert scheme._positions(pd.Series([4.4, 4.6])).tolist() == [4, 5]
    assert scheme._positions(np.float32(7)).tolist() == 7
    assert isinstance(scheme.randomize(3), int)
    assert scheme.randomize(np.zeros((2, 3))).shape == (2, 3)
    assert scheme.randomize([]).tolist() == []


def test_rounding_is_half_a_step_at_most() -> None:
    scheme = mean(steps=16)
    values = np.linspace(0, 10, 1001)
    assert (
        np.abs(scheme._positions(values) * 10 / 16 - values).max() <= float(scheme.rounding) + 1e-12
    )


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, 10),
        (10**16, 10**16 + 2),
        (10**9, 10**9 + 1),
        (-(2**53) - 1, -(2**53) + 8),
        (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**12)),
        (Fraction(-1, 7), Fraction(22, 7)),
        (-4e139, 4e139),
        (0, 1e-320),
        (Fraction(1, 10**322), Fraction(4, 10**322)),
    ],
    ids=str,
)
@pytest.mark.parametrize("steps", [1, 7, 1 << 24])
def test_no_number_is_moved_by_more_than_is_said(low: Any, high: Any, steps: int) -> None:
    """Exactly, also where floats can hardly tell the bounds apart."""
    scheme = mean(low=low, high=high, steps=steps)
    width = scheme.high - scheme.low
    numbers = [scheme.low + width * Fraction(part, 991) for part in range(-3, 995)]
    clipped = [min(max(number, scheme.low), scheme.high) for number in numbers]
    for number, place in zip(clipped, scheme._positions(numbers).tolist(), strict=True):
        assert 0 <= place <= steps
        assert abs(scheme.low + width * place / steps - number) <= scheme.rounding
    assert scheme.rounding <= width


def test_an_interval_covers_numbers_that_floats_cannot_tell_apart() -> None:
    """All three numbers between the bounds are integers, and the middle one is no float."""
    for kind in KINDS:
        scheme = mean(kind, 8, low=10**16, high=10**16 + 2)
        low, high = scheme.estimate(scheme.randomize([10**16 + 1] * 10_000)).interval(1 - 1e-9)
        assert low <= 10**16 + 1 <= high
    usual = mean("duchi")
    assert usual.rounding < Fraction(10, 1 << 25) * (1 + Fraction(1, 10**6))


def test_a_number_beyond_all_floats_is_clipped_without_a_word() -> None:
    assert mean(steps=10)._positions(np.longdouble("1e400")).tolist() == 10


def test_a_seed_repeats() -> None:
    sent = [mean().randomize([1] * 99, source=UnsafeSeededBits(3)).tolist() for _ in range(2)]
    assert sent[0] == sent[1]


# ---------------------------------------------------------------------- tallies


@pytest.mark.parametrize("kind", KINDS)
def test_shards_merge_to_the_whole(kind: str) -> None:
    scheme = mean(kind)
    reports = scheme.randomize(np.linspace(0, 10, 30_000))
    whole = scheme.tally(reports)
    parts = [scheme.tally(part) for part in np.split(reports, [5, 17_000])]
    for part in parts[1:]:
        parts[0].merge(Tally.from_bytes(part.to_bytes()))
    assert parts[0] == whole
    assert local.scheme(scheme.to_json()) == scheme
    assert scheme.estimate(whole).value == scheme.estimate(reports).value
    assert len(whole.to_bytes()) == len(scheme.tally([reports[0]]).to_bytes())
    bits, _, total, high, low = whole.counts.tolist()
    cells = [int(report) for report in reports if report < scheme._law.cells]
    assert (len(reports) - bits, total) == (len(cells), sum(cells))
    assert (high << 25) + low == sum(cell * cell for cell in cells)


def test_a_tally_of_another_scheme_or_of_no_reports_is_refused() -> None:
    with pytest.raises(DataError):
        mean().tally([5]).merge(mean(high=11).tally([5]))
    with pytest.raises(DataError, match="another scheme"):
        mean().estimate(mean(high=11).tally([5]))
    with pytest.raises(DataError, match="no reports"):
        mean().estimate([])
    with pytest.raises(DataError, match="at least two"):
        mean().standard_error([5])
    for counts in (
        [0, 1, 0, 0, 0],
        [2, 0, 0, 0, 0],
        [0, 0, 5, 0, 4],
        [0, 0, 5, 0, 1 << 25],
        [-1] * 5,
    ):
        assert not mean()._law.possible(np.array(counts), 1)


# ---------------------------------------------------------------------- the wire

FORMS = [mean(kind, epsilon) for kind in KINDS for epsilon in ("1/10", 1)]
FORMS += [mean(low="-1/3", high="1/7", steps=100)]
GOOD = json.loads(FORMS[-1].to_json())


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_a_scheme_and_its_reports_survive_the_wire(form: Mean) -> None:
    text = form.to_json()
    assert Mean.from_json(text) == form
    assert Mean.from_json(text.encode()).to_json() == text
    assert pickle.loads(pickle.dumps(form)) == form
    for report in form.randomize([1, 5, 9]):
        message = form.report_to_wire(report)
        assert form.report_from_wire(message) == report
        assert json.loads(message) == {"scheme": form.identity, "report": int(report)}


def changed(**fields: object) -> str:
    return json.dumps({name: value for name, value in (GOOD | fields).items() if value is not ...})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        changed(version=1),
        changed(scheme="unary"),
        *[changed(**{name: ...}) for name in GOOD],
        changed(low=0),
        changed(low="0.5"),
        changed(low="-0"),
        changed(low="1"),
        changed(low="2/4"),
        changed(high="-1"),
        changed(kind="laplace"),
        changed(kind=[]),
        changed(steps=101),
        changed(steps=0),
        changed(steps=True),
        changed(steps="100"),
        changed(steps=1 << 25),
        changed(mix=str(int(GOOD["mix"]) + 1)),
        changed(bit=int(GOOD["bit"])),
        changed(bit=str(int(GOOD["bit"]) + 1)),
        changed(keep=str(int(GOOD["keep"]) + 1)),
        changed(window=GOOD["window"] + 1),
        changed(cells=float(GOOD["cells"])),
        changed(epsilon="2"),
        changed(epsilon="0"),
        changed(more=1),
        5,
    ],
    ids=lambda text: repr(text)[-60:],
)
def test_anything_else_on_the_wire_is_refused(text: object) -> None:
    with pytest.raises(DiscreetError):
        Mean.from_json(text)  # type: ignore[arg-type]


@given(st.text() | st.binary())
def test_noise_is_refused(text: str | bytes) -> None:
    with pytest.raises(DataError):
        Mean.from_json(text)
    with pytest.raises(DataError):
        FORMS[0].report_from_wire(text)


@pytest.mark.parametrize("report", [-1, 2, 1.0, True, "1", None, [1], 10**30])
def test_a_report_that_cannot_be_is_refused(report: object) -> None:
    scheme = mean("duchi")
    with pytest.raises(DataError):
        scheme.report_from_wire(json.dumps({"scheme": scheme.identity, "report": report}))
    if report is not True and report != [1]:
        with pytest.raises(DataError):
            scheme.estimate([report])


# ---------------------------------------------------------------------- bad input

CANARY = "canary-77310577"


@pytest.mark.parametrize(
    "values",
    [
        CANARY,
        [CANARY],
        [1, None],
        [CANARY, 1],
        np.nan,
        [1.0, np.nan],
        {1: 2},
        [True],
        b"1",
        [[1], []],
    ],
)
def test_what_is_no_number_is_refused_without_showing_it(values: object) -> None:
    with pytest.raises(DataError) as refusal:
        mean().randomize(values)
    assert CANARY not in str(refusal.value)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


@pytest.mark.parametrize(
    "options",
    [
        {"low": 5, "high": 5},
        {"low": 6, "high": 5},
        {"low": "x"},
        {"high": float("inf")},
        {"low": None},
        {"low": -1e308, "high": 1e308},
        {"high": 10**400},
        {"kind": "laplace"},
        {"steps": 0},
        {"steps": 2.0},
        {"steps": 1 << 25},
    ],
    ids=str,
)
def test_bounds_without_meaning_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BoundsError):
        mean(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [0, -1, "x"])
def test_an_epsilon_without_meaning_is_refused(epsilon: object) -> None:
    with pytest.raises(PrivacyParameterError):
        mean(epsilon=epsilon)


@pytest.mark.filterwarnings("ignore:epsilon is")
def test_an_epsilon_that_leaves_nothing_is_refused_and_a_large_one_works() -> None:
    with pytest.raises(PrivacyParameterError, match="2\\^64"):
        mean(epsilon="1e-25")
    for kind in KINDS:
        scheme = mean(kind, 500)
        assert scheme._law.ratio() < WHOLE**2
        assert -1e-9 <= scheme.estimate(scheme.randomize([3] * 10)).value <= 10 + 1e-9


def test_other_arguments_without_meaning_are_refused() -> None:
    with pytest.raises(DataError):
        mean().variance(0)
    with pytest.raises(DataError):
        mean().variance(5, [1, 2])
    with pytest.raises(DataError):
        mean().estimate([1], interval="exact")
    with pytest.raises(DataError):
        mean().report_to_wire([1, 2])
