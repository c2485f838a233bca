"""Every released cell has a draw of its own."""

from math import sqrt

import numpy as np

import discreet as dp
from discreet.mechanisms.laplace import Laplace
from tests.support.evidence import fits

CELLS = 1000


def empty_cells() -> np.ndarray:
    answer = dp.histogram([], categories=range(CELLS), epsilon=0.1)
    return np.array([cell.value for cell in answer.values()])


def correlated(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two rows of numbers go together; independent ones do once in forty million."""
    return bool(abs(np.corrcoef(first, second)[0, 1]) > 5.6 / sqrt(first.size))


def test_a_thousand_empty_cells_have_independent_noise():
    rows = np.array([empty_cells() for _ in range(20)])
    law = Laplace(scale=10)
    assert fits(rows.ravel().tolist(), {k: law.pmf(k) for k in range(-250, 251)})
    assert not correlated(rows[:, :-1].ravel(), rows[:, 1:].ravel())  # between cells
    assert not correlated(rows[:-1].ravel(), rows[1:].ravel())  # between questions
    assert np.unique(rows[0]).size > 50


def test_a_draw_that_serves_two_cells_is_caught():
    """The negative control: one draw for each pair of cells, and one for all questions."""
    rows = np.array([empty_cells() for _ in range(20)])
    rows[:, 1::2] = rows[:, ::2]
    assert correlated(rows[:, :-1].ravel(), rows[:, 1:].ravel())
    repeated = np.repeat(rows[:1], 20, axis=0)
    assert correlated(repeated[:-1].ravel(), repeated[1:].ravel())


def test_the_sums_of_a_mean_and_of_a_variance_have_draws_of_their_own(monkeypatch):
    drawn: list[list[int]] = []
    release = Laplace.release

    def recorded(self, steps, source):
        noisy = release(self, steps, source)
        true = steps.open()
        if isinstance(noisy, tuple):
            drawn.append([a - b for a, b in zip(noisy, true, strict=True)])
        return noisy

    monkeypatch.setattr(Laplace, "release", recorded)
    for _ in range(2000):
        dp.var([], bounds=(0, 1), epsilon=1)
    noise = np.array(drawn, float)
    assert noise.shape == (2000, 3)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert not correlated(noise[:, first], noise[:, second])
