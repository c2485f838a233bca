"""A question that the budget does not cover is refused at little cost, whatever it is made of.

Nothing is written or bound for an engine before the budget is asked.  Time is that of the
processor, of this process and its threads, so that what others do at the same time counts little;
``SLACK`` is for a processor that is shared or slow.  Memory is the most that the process holds.
"""

import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import discreet as dp
from discreet.engines.base import _made_up
from discreet.errors import BudgetExhaustedError, DiscreetError
from discreet.ledger import Ledger
from discreet.question import check
from discreet.question.check import Question
from discreet.sql.write.queries import queries
from discreet.sql.write.rows import DUCKDB
from tests.question.hostile import MOST, opened
from tests.question.shapes import SHAPES
from tests.support.trials import all_but, rounds

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")

SECONDS, SLACK = 1.0, 2.0
MEMORY = 200_000_000
PRICES: tuple[dict[str, Any], ...] = (
    {"epsilon": 1, "delta": "1e-6"},
    {"epsilon": 1, "delta": "1e-6"},
    {"rho": "0.1", "delta": "1e-6"},
    {"margin": {"a0": 3}, "delta": "1e-6"},
)


@pytest.fixture(scope="module")
def table() -> Iterator[dp.Table]:
    """Its budget covers nothing that is asked here."""
    with opened(dp.Budget(epsilon="0.001", delta="1e-9")) as found:
        refusal(found, "SELECT COUNT(*) AS a0 FROM t", PRICES[0])  # which imports all there is
        yield found


def refusal(table: dp.Table, text: str, price: dict[str, Any]) -> DiscreetError:
    with pytest.raises(DiscreetError) as raised:
        table.sql(text, **price)
    return raised.value


def held() -> int:
    """How much memory the process has held at most, in bytes, since it was last asked to forget."""
    status = Path("/proc/self/status").read_text("ascii")
    [line] = [one for one in status.splitlines() if one.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


def grown(run: Callable[[], None]) -> int:
    """By how much the process has grown at most, meanwhile."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # what it holds now is the most so far
    before = held()
    run()
    return held() - before


FIRST = ["many correlations", "many medians over a join of six", "wide IN lists"]


@pytest.mark.parametrize("shape", all_but(FIRST, SHAPES, pytest.mark.slow))
def test_what_the_budget_does_not_cover_is_refused_in_a_second_and_200_mb(
    table: dp.Table, shape: str
) -> None:
    """So many of a shape that it would show if each left something behind."""
    covered = 0

    def throw() -> None:
        nonlocal covered
        for seed in range(200 if rounds(1) > 1 else 8):  # 200 in the soak
            random = Random(f"{shape} {seed}")
            text, price = SHAPES[shape](random), random.choice(PRICES)
            assert len(text) <= MOST
            taken: list[float] = []
            while not taken or (taken[-1] >= SECONDS and len(taken) < 3):
                start = time.process_time()
                refused = refusal(table, text, price)
                taken.append(time.process_time() - start)
            assert min(taken) < SECONDS * SLACK, (min(taken), text[:300])
            covered += isinstance(refused, BudgetExhaustedError)

    assert grown(throw) < MEMORY
    # The control: of most shapes some are refused by the budget, and not at the first word.
    assert covered or shape in ("many unions",)


def names(table: dp.Table) -> list[str]:
    """The queries that are bound for a table."""
    rows = table.engine()._connection.rows("SELECT name FROM duckdb_prepared_statements()")
    return [str(name) for (name,) in rows]


CORRELATIONS = ", ".join(f"CORR(x, n + {place}) AS a{place}" for place in range(60))
ASKED = f"SELECT {CORRELATIONS} FROM t"


def test_nothing_is_written_or_bound_for_a_question_that_the_budget_does_not_cover(
    table: dp.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    bind = type(table.engine()._connection).bind

    def noted(self: Any, query: str) -> None:
        written.append(query)
        bind(self, query)

    monkeypatch.setattr(type(table.engine()._connection), "bind", noted)
    for key in (None, "a key"):
        with pytest.raises(BudgetExhaustedError):
            table.sql(ASKED, epsilon=1, delta="1e-6", key=key)
    with pytest.raises(BudgetExhaustedError):
        table.profile(epsilon=1)
    assert written == []
    # The control: without the first look at the budget all of it is bound, and given back.
    monkeypatch.setattr(Ledger, "check", lambda *_, **__: None)
    with pytest.raises(BudgetExhaustedError):
        table.sql(ASKED, epsilon=1, delta="1e-6")
    assert written
    assert names(table) == []


def test_an_answer_leaves_nothing_that_is_bound(tmp_path: Path) -> None:
    with opened() as found:
        for text in (
            "SELECT kind, COUNT(*) AS n, MEDIAN(x) AS m FROM t GROUP BY kind",
            "SELECT name, COUNT(*) AS n FROM t GROUP BY name",
        ):
            for key in ("k", "k"):
                found.sql(text, epsilon=1, delta="1e-6", key=f"{key} {text}")
                assert names(found) == []
        found.profile(epsilon=1)
        assert names(found) == []


def test_a_used_key_gets_its_answer_when_the_budget_is_spent() -> None:
    text = "SELECT COUNT(*) AS n FROM t"
    with opened(dp.Budget(epsilon=1)) as found:
        first = found.sql(text, epsilon=1, key="k")
        again = found.sql(text, epsilon=1, key="k")
        assert again.repeated
        assert again["n"].value == first["n"].value
        with pytest.raises(BudgetExhaustedError):
            found.sql(text, epsilon=1, key="another")
        with pytest.raises(dp.KeyReusedError):
            found.sql("SELECT COUNT(*) AS n FROM t WHERE x > 1", epsilon=1, key="k")


# ---------------------------------------------------------------------- parts of SQL


def counted(question: Question) -> int:
    """How many parts a question is said to become."""
    apart = [one for one in question.measures if not one.reading.together]
    passes = len(apart) + (len(apart) < len(question.measures)) + question.selects_keys
    measured = sum(map(check._parts_measured, question.measures))
    return passes * check._parts_of_pass(question) + measured


def written(question: Question) -> int:
    """How many it becomes; listed numbers have more, which cost less."""
    cells = _made_up(question) if question.selects_keys else None
    asked = queries(question, question.measures, cells, DUCKDB, question.unit)
    return sum(1 for _, query, _ in asked for _ in query.walk())


@pytest.mark.parametrize("shape", all_but(FIRST[1:], SHAPES, pytest.mark.slow))
def test_the_parts_of_sql_are_about_as_many_as_are_said(
    table: dp.Table, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they are too many, so that no question is far longer than it is taken to be."""
    monkeypatch.setattr(check, "_MOST_WRITTEN", 10**9)
    for seed in range(rounds(2)):
        try:
            question = table.ask(SHAPES[shape](Random(f"{shape} {seed}"))).question
        except DiscreetError:
            continue
        if question.strategy is None:
            assert written(question) < 2.5 * counted(question), question.text[:300]


def test_questions_of_many_outputs_by_many_joins_are_refused(table: dp.Table) -> None:
    joins = " ".join(f"JOIN u AS u{place} USING (id)" for place in range(5))
    medians = ", ".join(f"MEDIAN(t.x + {place}) AS a{place}" for place in range(49))
    for text in (
        f"SELECT {medians} FROM t {joins}",
        f"SELECT {', '.join(f'CORR(x, n + {place}) AS a{place}' for place in range(199))} FROM t",
    ):
        with pytest.raises(dp.QueryError, match="parts of SQL"):
            assert table.ask(text).question
    # The control: what people ask is far from it.
    for text in (
        f"SELECT {medians} FROM t",
        f"SELECT AVG(t.x) AS m, MEDIAN(t.x) AS d, MEDIAN(u4.x) AS e FROM t {joins}",
        "SELECT CORR(x, n) AS a, CORR(x, large) AS b, CORR(n, large) AS c FROM t",
    ):
        assert counted(table.ask(text).question) < check._MOST_WRITTEN / 4


def test_what_is_done_after_the_release_is_bounded_before_it_is_paid() -> None:
    with opened() as found:
        before = found.budget.spent
        for many in (70, 500):
            having = " AND ".join(f"COUNT(*)>{place}" for place in range(many))
            with pytest.raises(dp.QueryError, match="nested more than 60 deep"):
                found.sql(f"SELECT n, COUNT(*) AS a FROM t GROUP BY n HAVING {having}", epsilon=1)
        assert found.budget.spent == before
