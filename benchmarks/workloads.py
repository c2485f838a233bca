"""Tables whose totals agree, and running totals: how exact they are, and how long they take.

Errors are the root of the mean squared error of a cell, at the price of one count of σ = 1: by the
closed form, and by adding the noise to the tables of 48,842 rows.  Those are drawn at random, with
as many values in each column as the Adult table has: the error does not depend on the rows.  Times
are of what is done beside an engine's own GROUP BYs, and of whole questions, in seconds of CPU.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod, sqrt
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Any

import numpy as np
import polars

import discreet as dp
from discreet.measures.noise_choice import gaussian_noise
from discreet.mechanisms.residual_tables import ResidualTables
from discreet.mechanisms.running_totals import RunningTotals
from discreet.noise import Keystream
from timing import table

ADULT = (100, 100, 100, 99, 85, 42, 16, 15, 9, 7, 6, 5, 2, 2)
ROWS = 48_842
RHO = Fraction(1, 100)
NUMBERS = 500_000
"""So many errors of cells are averaged at least: their root mean square is known to 0.3% then."""
ANCHORS = {(1,): 3.047, (2,): 6.359, (3,): 10.515, (0, 1, 2, 3): 10.665}
EVENLY = {(1,): 3.742, (2,): 9.539, (3,): 19.079, (0, 1, 2, 3): 21.679}
TOTALS = {365: 2.78, 1_024: 3.11, 4_096: 3.55}
TREE = {365: 6.39, 1_024: 7.42, 4_096: 8.83}


def drawn_rows(sizes: Sequence[int], rows: int) -> np.ndarray:
    """Rows of which small values are common, as chance has them."""
    random = np.random.default_rng(1)
    return np.column_stack([(random.random(rows) ** 2 * size).astype(np.int64) for size in sizes])


def tables_of(
    data: np.ndarray, sizes: Sequence[int], sets: Sequence[tuple[int, ...]]
) -> dict[tuple[int, ...], np.ndarray]:
    """What an engine hands over: the counts by some of the columns."""
    found = {}
    for keys in sets:
        shape = [sizes[key] for key in keys]
        place = np.zeros(len(data), np.int64)
        for key in keys:
            place = place * sizes[key] + data[:, key]
        found[keys] = np.bincount(place, minlength=prod(shape)).reshape(shape)
    return found


def strategy(sizes: Sequence[int], ways: Sequence[int]) -> ResidualTables:
    sets = tuple(keys for many in ways for keys in combinations(range(len(sizes)), many))
    return ResidualTables(tuple(sizes), sets, (Fraction(1),) * len(sets))


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    start = process_time()
    made = call()
    return process_time() - start, made


def cube_row(data: np.ndarray, ways: tuple[int, ...]) -> list[str]:
    """The errors of a cube by formula and on rows, and how long it takes beside an engine."""
    one = strategy(ADULT, ways)
    total = sum(one.cells_of(keys) * one.variance(keys) for keys in one.tables)
    formula = sqrt(total / one.cells * one.squared_norm())
    true = tables_of(data, ADULT, one.largest)

    def released() -> Any:
        noise = gaussian_noise(int(one.squared_norm()), RHO)
        noisy = one.measured(true)
        noisy = noisy + noise.draw(noisy.size, Keystream())
        return one.reconstructed(noisy)

    took, squares, trials = 0.0, 0.0, max(1, NUMBERS // one.cells)
    for _ in range(trials):
        once, found = seconds(released)
        took += once / trials
        for keys in one.tables:
            around = next(other for other in true if set(keys) <= set(other))
            others = tuple(axis for axis, key in enumerate(around) if key not in keys)
            squares += float(((found[keys] - true[around].sum(axis=others)) ** 2).sum())
    simulated = sqrt(squares / trials / one.cells * 2 * float(RHO))
    stated = ANCHORS[ways]
    name = "up to 3" if len(ways) > 1 else f"{ways[0]}"
    return [
        f"cube by {name}",
        f"{one.cells:,}",
        f"{stated}",
        f"{formula:.3f}",
        f"{simulated:.3f}",
        f"{max(formula, simulated) / stated:.3f}",
        f"{EVENLY[ways]}",
        f"{took:.2f}",
    ]


def running_row(length: int) -> list[str]:
    one = RunningTotals((length,), 0)
    variances = [one.variance((0,), (last,)) for last in range(length)]
    formula = sqrt(sum(variances) / length * one.squared_norm())
    values = np.random.default_rng(2).integers(0, 50, length)
    noise, exact = gaussian_noise(int(one.squared_norm()), RHO), np.cumsum(values)
    took, squares, trials = 0.0, 0.0, 2_000
    for _ in range(trials):

        def released() -> Any:
            noisy = one.measured({(0,): values})
            return one.reconstructed(noisy + noise.draw(length, Keystream()))[0,]

        once, found = seconds(released)
        took += once
        squares += float(((found - exact) ** 2).mean())
    simulated, stated = sqrt(squares / trials * 2 * float(RHO)), TOTALS[length]
    return [
        f"running totals of {length:,}",
        f"{length:,}",
        f"{stated}",
        f"{formula:.3f}",
        f"{simulated:.3f}",
        f"{max(formula, simulated) / stated:.3f}",
        f"{TREE[length]}",
        f"{took / trials:.3f}",
    ]


def whole_question(name: str, sizes: Sequence[int], data: np.ndarray, ways: int) -> list[str]:
    """A cube of a table, from the question to the numbers, and its engine's own queries alone."""
    names = [f"c{place}" for place in range(len(sizes))]
    frame = polars.DataFrame(dict(zip(names, data.T, strict=True)))
    columns: Any = {name: dp.integer(0, size - 1) for name, size in zip(names, sizes, strict=True)}
    opened = dp.table(
        frame,
        name="rows",
        unit="row",
        columns=columns,
        budget=dp.Budget(epsilon=10, delta=1e-6),
        ledger=":memory:",
    )
    asked = opened.cube(*names, ways=ways).agg(n=dp.rows())
    planning, plan = seconds(lambda: asked.plan(rho=RHO))
    engine, question = opened.engine(), plan.question
    texts = engine.texts(question, plan.measured, plan.price.unit)
    grouping, rows = seconds(lambda: [row for one in texts for row in engine._connection.rows(one)])
    taking, answer = seconds(plan.release)
    showing, _ = seconds(answer.to_dict)
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    return [
        f"{name} by {ways}",
        f"{len(question.strategy.tables):,}",
        f"{len(answer):,}",
        f"{len(rows):,}",
        f"{planning:.2f}",
        f"{grouping:.2f}",
        f"{taking:.2f}",
        f"{showing:.2f}",
        f"{memory:.2f}",
    ]


def main() -> None:
    data = drawn_rows(ADULT, ROWS)
    rows = [cube_row(data, ways) for ways in ANCHORS]
    rows += [running_row(length) for length in TOTALS]
    header = ["", "cells", "known", "formula", "on rows", "ratio", "plainly", "s"]
    print(table(header, rows))
    print()
    header = [
        "question",
        "tables",
        "cells",
        "found",
        "plan s",
        "GROUP BY s",
        "all s",
        "show s",
        "GiB",
    ]
    binary = (2,) * 100
    print(
        table(
            header,
            [
                whole_question("14 columns", ADULT, data, 2),
                whole_question("100 binary", binary, drawn_rows(binary, ROWS), 2),
            ],
        )
    )


if __name__ == "__main__":
    main()
