"""The price of every question, on every pair of neighbors of a small universe, is what it says.

True values are heard where they meet noise, in the code that ships.  The noise is Laplace's on
integers, so the loss of a pair is the sum of |difference|/scale, exactly.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import discreet as dp
from tests.statistics.tape import Tape, tape
from tests.support.neighbors import neighbors

__all__ = ["tape"]

BOUNDS = (1, 5)
UNIVERSE = (1, 2, 3, 5, None)
EPSILON = Fraction(2, 3)
RELATIONS = ["add-remove", "replace"]


def bounded(name: str, **how: Any) -> Any:
    return lambda data, relation: getattr(dp, name)(
        data, bounds=BOUNDS, epsilon=EPSILON, neighbors=relation, **how
    )


ASK = {
    "count": lambda data, relation: dp.count(data, epsilon=EPSILON, neighbors=relation),
    "count where": lambda data, relation: dp.count(
        data, where=[value in (1, 5) for value in data], epsilon=EPSILON, neighbors=relation
    ),
    "proportion": lambda data, relation: dp.proportion(
        [None if value is None else value > 2 for value in data],
        epsilon=EPSILON,
        neighbors=relation,
    ),
    "histogram": lambda data, relation: dp.histogram(
        data, bins=[1, 2, 4, 5], epsilon=EPSILON, neighbors=relation
    ),
    "categories": lambda data, relation: dp.histogram(
        data, categories=[1, 3, None], epsilon=EPSILON, neighbors=relation
    ),
    "sum": bounded("sum"),
    "sum of integers": bounded("sum", grid=1),
    "mean": bounded("mean"),
    "var": bounded("var"),
    "std": bounded("std"),
    "max": bounded("max", grid=1),
    "min": bounded("min", grid=1),
}


def worst(tape: Tape, name: str, relation: str, universe: tuple[Any, ...] = UNIVERSE) -> Fraction:
    return max(
        tape.loss(
            lambda: ASK[name](list(first), relation),  # noqa: B023 - asked before the next pair
            lambda: ASK[name](list(second), relation),  # noqa: B023
        )
        for first, second in neighbors(universe, 3, relation)
        if first and second
    )


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", ASK)
def test_the_worst_pair_of_neighbors_costs_exactly_epsilon(tape, name, relation):
    assert worst(tape, name, relation) == EPSILON


def test_the_variance_of_a_public_number_is_worst_at_three_quarters(tape):
    """|Δx| + 2·|Δx(1-x)| is 9/8 for x = 0 and 3/4 of the width; elsewhere it is less."""
    assert worst(tape, "var", "replace", universe=(1, 4)) == EPSILON
    assert worst(tape, "var", "replace", universe=(2, 5)) == EPSILON
    assert worst(tape, "var", "replace", universe=(1, 5)) == EPSILON * Fraction(8, 9)
    assert worst(tape, "var", "replace", universe=(2, 4)) < EPSILON


@pytest.mark.parametrize("name", ["sum", "histogram", "mean"])
def test_a_wrong_price_is_caught(tape, name, monkeypatch):
    """The negative control: scales made for the other relation are not enough."""
    from discreet.measures import counts, moments, noise_choice, sums
    from discreet.statistics import array_call
    from discreet.statistics import counts as array_counts

    def cheaper(moved, epsilon):
        return noise_choice.laplace_noise(moved * 3 // 4 or 1, epsilon)

    monkeypatch.setattr(array_call, "_asked", array_call._asked.__wrapped__)
    monkeypatch.setattr(array_counts, "_cell_noise", array_counts._cell_noise.__wrapped__)
    for module in (counts, moments, sums):
        monkeypatch.setattr(module, "laplace_noise", cheaper)
    relation = "replace" if name == "histogram" else "add-remove"
    assert worst(tape, name, relation) > EPSILON


# ---------------------------------------------------------------------- the table of sensitivities


def scale(answer: Any) -> Fraction:
    if isinstance(answer, dp.Estimates):
        answer = next(iter(answer.values()))
    return answer.mechanism.scale


@pytest.mark.parametrize(
    ("ask", "add_or_remove", "replace"),
    [
        (lambda **how: dp.count([1, 2], **how), 1, 1),
        (lambda **how: dp.histogram([1, 2], bins=[0, 1, 2], **how), 1, 2),
        (lambda **how: dp.histogram([1, 2], categories=[1, 2], **how), 1, 2),
        (lambda **how: dp.sum([1, 2], bounds=(1, 10), grid=1, **how), 10, 9),
        (lambda **how: dp.sum([1, 2], bounds=(-10, -1), grid=1, **how), 10, 9),
        (lambda **how: dp.sum([1, 2], bounds=(-3, 10), grid=1, **how), 10, 13),
        (lambda **how: dp.max([1, 2], bounds=(1, 10), grid=1, **how).mechanism.noise, 1, 2),
    ],
    ids=["count", "histogram", "categories", "sum", "negative sum", "mixed sum", "max"],
)
def test_the_lectures_table_of_sensitivities(ask, add_or_remove, replace):
    for relation, expected in zip(RELATIONS, (add_or_remove, replace), strict=True):
        answer = ask(epsilon=Fraction(1, 2), neighbors=relation)
        found = answer.scale if isinstance(answer, dp.Laplace) else scale(answer)
        assert found == expected * 2


@pytest.mark.parametrize("records", [1, 7, 1000])
def test_averages_move_by_the_width_over_n(records):
    data = [150.0] * records
    mean = dp.mean(data, bounds=(1, 300), epsilon=1, neighbors="replace")
    (weight, source), *others = mean.error.terms
    assert others == []
    assert weight * source.noise.scale == pytest.approx(Fraction(299, records), rel=1e-8)
    share = dp.proportion([True] * records, epsilon=1, neighbors="replace")
    ((weight, source),) = share.error.terms
    assert weight * source.noise.scale == Fraction(1, records)


def test_a_record_adds_the_whole_width_to_the_two_sums_of_a_mean(tape):
    for data in ([1], [2.5], [5], [-100], [100]):
        ((distances, _),) = tape.play(lambda data=data: ASK["mean"](data, "add-remove"))
        ((empty, _),) = tape.play(lambda: ASK["mean"]([], "add-remove"))
        assert empty == [0, 0]
        assert sum(distances) == 4 << 28


def test_a_record_adds_the_squared_width_to_the_three_sums_of_a_variance(tape):
    for data in ([1], [2.5], [5], [-100], [100]):
        ((sums, scale),) = tape.play(lambda data=data: ASK["var"](data, "add-remove"))
        assert sum(sums) == scale * EPSILON == (1 << 20) ** 2


def test_selection_is_calibrated_to_the_relation():
    data, names = ["a", "b"], ["a", "b"]
    loose = dp.most_common(data, categories=names, epsilon=1).mechanism
    strict = dp.most_common(data, categories=names, epsilon=1, neighbors="replace").mechanism
    assert (loose.scale, loose.monotone) == (1, True)
    assert (strict.scale, strict.monotone) == (2, False)
    counts = list(product(range(3), repeat=2))
    added = [(x, (x[0] + 1, x[1])) for x in counts] + [(x, (x[0], x[1] + 1)) for x in counts]
    tolerance = Fraction(1, 10**12)  # that of verify
    assert max(dp.verify(loose, *pair).epsilon for pair in added) <= 1 + tolerance
    swapped = [(x, (x[0] - 1, x[1] + 1)) for x in counts if x[0]]
    assert max(dp.verify(strict, *pair).epsilon for pair in swapped) <= 1 + tolerance
    assert max(dp.verify(loose, *pair).epsilon for pair in swapped) > 1  # the control
