"""Questions of few characters, as chance has them, are planned or refused in bounded work."""

from secrets import randbelow

import pytest

from tests.neighbors.planning import plan_many

IN_THE_SHORT_RUN = 100
IN_THE_SOAK = 10_000


@pytest.mark.slow
def test_no_question_keeps_the_planner_busy() -> None:
    plan_many(1, IN_THE_SHORT_RUN)


@pytest.mark.soak
def test_none_of_many_questions_keeps_the_planner_busy() -> None:
    plan_many(randbelow(10**9), IN_THE_SOAK)
