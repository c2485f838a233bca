"""Rows in no group: an answer says which there may be, and which share, where a profile knows."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy
import pandas
import pytest

import discreet as dp
from discreet.dbapi import connect
from tests.support.evidence import most_misses

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
COLUMNS = {
    "sex": dp.category(["F", "M"]),
    "job": dp.category([1, 2, 3]),
    "stay": dp.number(0, 60),
    "age": dp.integer(0, 99),
    "day": dp.date("2025-01-01", "2026-12-31"),
    "smoker": dp.boolean(),
    "note": dp.text(),
}
ODD: dict[str, list[object]] = {
    "sex": ["F", "M", "X", None],
    "job": [1, 2, 3, 7, None],
    "stay": [0, 5, 60, 99, -1, None],
    "age": [0, 17, 99, 250, 2.5, None],
    "day": ["2025-03-01", "2026-03-01", "1999-01-01", None],
    "smoker": [True, False, None],
    "note": ["a", None],
}
"""Of each column what is declared, and what is not."""
UNLISTED = "rows without a listed value are in no group. CASE … ELSE … END gives them one."
OTHERS = "rows with a value that is not listed are in no group. CASE … ELSE … END gives them one."
NONE = "rows without a value are in no group. COALESCE gives them one."
BEYOND = "rows outside of the bins are in no group."
SAID = {
    "sex": UNLISTED,
    "job": UNLISTED,
    "UPPER(sex)": UNLISTED,
    "sex WHERE sex IS NOT NULL": OTHERS,
    "COALESCE(sex, 'none')": OTHERS,
    "CASE WHEN stay > 5 THEN 'long' END": NONE,
    "smoker": NONE,
    "stay > 5": NONE,
    "age": "rows without a value from 0 to 99 are in no group.",
    "age // 10": "rows without a value from 0 to 9 are in no group.",
    "YEAR(day)": "rows without a value from 2025 to 2026 are in no group.",
    "BINS(stay, 0, 10, 60)": "rows without a value, or outside of the bins, are in no group.",
    "BINS(stay, 0, 10, 60) WHERE stay IS NOT NULL": BEYOND,
    "BINS(COALESCE(stay, 5), 0, 10, 60)": BEYOND,
}
WHOLE = [
    "CASE WHEN sex IN ('F', 'M') THEN sex ELSE 'other' END",
    "CASE WHEN sex = 'F' THEN sex WHEN sex = 'M' THEN 'm' ELSE 'other' END",
    "CASE WHEN stay > 5 THEN 'long' ELSE 'short' END",
    "sex WHERE sex IN ('F', 'M')",
    "sex WHERE sex = 'F' OR sex = 'M' AND stay > 5",
    "job WHERE job IN (2, 3)",
    "smoker WHERE smoker IS NOT NULL",
    "COALESCE(smoker, FALSE)",
    "smoker IS NULL",
    "stay > 5 WHERE stay >= 0",
    "BINS(stay, 0, 10, 60) WHERE stay BETWEEN 0 AND 60",
    "BINS(stay, 0, 10, 60) WHERE stay IN (5, 60)",
]


def asked(key: str) -> str:
    by, _, where = key.partition(" WHERE ")
    condition = f" WHERE {where}" if where else ""
    return f"SELECT {by} AS k, COUNT(*) AS n FROM t{condition} GROUP BY k"


@pytest.fixture(scope="module")
def odd() -> Iterator[dp.Table]:
    """Every value of each column beside every one of each other, some of them."""
    draw, size = numpy.random.default_rng(2), 600
    drawn = {
        name: [one[at] for at in draw.integers(0, len(one), size)] for name, one in ODD.items()
    }
    table = dp.table(
        pandas.DataFrame(drawn, dtype=object),
        name="t",
        unit="row",
        columns=COLUMNS,
        budget=dp.Budget(epsilon=10**6),
        ledger=":memory:",
    )
    with table:
        yield table


def left_out(table: dp.Table, key: str) -> int:
    """How many rows of which the conditions hold are in no group, at an ε that leaves no noise."""
    where = key.partition(" WHERE ")[2]
    whole = "SELECT COUNT(*) AS n FROM t" + (f" WHERE {where}" if where else "")
    groups = table.sql(asked(key), epsilon=2000).to_pandas()["n"].sum()
    return int(table.sql(whole, epsilon=2000).to_pandas()["n"][0] - groups)


@pytest.mark.parametrize("key", SAID)
def test_rows_in_no_group_are_said(odd: dp.Table, key: str) -> None:
    assert left_out(odd, key) > 0
    assert odd.ask(asked(key)).plan(epsilon=1).notes == [f"k: {SAID[key]}"]


@pytest.mark.parametrize("key", WHOLE)
def test_nothing_is_said_where_every_row_is_in_a_group(odd: dp.Table, key: str) -> None:
    assert left_out(odd, key) == 0
    assert not any("in no group" in note for note in odd.ask(asked(key)).plan(epsilon=1).notes)


def test_python_shows_its_own_remedy(odd: dp.Table) -> None:
    plan = odd.group_by("sex").agg(n=dp.rows()).plan(epsilon=1)
    assert "dp.when(…).then(…).otherwise(…) gives them one." in plan.notes[0]


def test_texts_are_found_and_have_rows_without_any(odd: dp.Table) -> None:
    plan = odd.ask(asked("note")).plan(epsilon=1, delta="1e-6")
    assert plan.notes[0] == "k: rows without a value are in no group."
    plan = odd.ask(asked("note WHERE note IS NOT NULL")).plan(epsilon=1, delta="1e-6")
    assert not any("in no group" in note for note in plan.notes)


def test_keys_that_leave_out_the_same_are_named_together(odd: dp.Table) -> None:
    sql = "SELECT sex, job, COUNT(*) AS n FROM t GROUP BY CUBE(sex, job)"
    first, second, *_ = odd.ask(sql).plan(epsilon=1, delta="1e-6").notes
    assert first == f"sex, job: {UNLISTED}"
    assert second == (
        "all totals agree: a row in no group of one of the keys (sex, job) is in no total either. "
        "The number of all rows is a question of its own."
    )


# ---------------------------------------------------------------------- the share


def hospital(unlisted: float, seed: int = 0, **declared: object) -> dp.Table:
    """2,000 people with 1 to 4 rows; of so many rows the sex is not listed."""
    draw = numpy.random.default_rng(seed)
    ids = numpy.repeat(numpy.arange(2000), draw.integers(1, 5, 2000))
    listed = numpy.where(draw.random(len(ids)) < 0.5, "F", "M")
    sexes = numpy.where(draw.random(len(ids)) < unlisted, "X", listed)
    return dp.table(
        pandas.DataFrame({"id": ids, "sex": sexes, "ward": "A"}),
        name="t",
        unit="id",
        columns={"sex": dp.category(["F", "M"]), "ward": dp.category(["A", "B"])},
        budget=dp.Budget(epsilon=100, delta="1e-3"),
        ledger=":memory:",
        **({"max_groups": 2, "max_rows": 4, "at_most_rows": 4} | declared),  # type: ignore[arg-type]
    )


def share_in(notes: list[str]) -> tuple[int, int]:
    (note,) = (one for one in notes if "of all rows are in no group" in one)
    numbers = [int(part.strip("%")) for part in note.split() if part.endswith("%")]
    return (0, numbers[0]) if note.startswith("at most") else (numbers[0], numbers[1])


def test_a_profile_knows_the_share(tmp_path: Path) -> None:
    with hospital(0.6) as table:
        builder = table.group_by("sex").agg(n=dp.rows())
        assert "of all rows" not in " ".join(builder.release(epsilon=1).notes)
        table.profile(epsilon=1)
        answer = builder.release(epsilon=1)
        low, high = share_in(answer.notes)
        assert 50 <= low <= 60 <= high <= 70
        note = f"{low}% to {high}% of all rows are in no group."
        assert note in answer.notes
        assert note in json.loads(answer.to_json())["notes"]
        assert note in answer.to_pandas().attrs["notes"]
        assert note in answer.report()
        assert note in answer._repr_html_()
        assert note in answer.save(tmp_path / "t.md").read_text("utf-8")
        cube = table.cube("sex", "ward").agg(n=dp.rows()).release(epsilon=1, delta="1e-6")
        low, high = share_in(cube.notes)
        assert low <= 60 <= high


def test_a_share_without_a_ceiling_is_likely() -> None:
    with hospital(0.6, at_most_rows=None) as table:
        table.profile(epsilon=1)
        notes = table.group_by("sex").agg(n=dp.rows()).release(epsilon=1).notes
        assert any(one.endswith("of all rows are in no group (likely).") for one in notes)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sex, COUNT(*) AS n FROM t WHERE ward = 'A' GROUP BY sex",
        "SELECT sex, COUNT(DISTINCT id) AS n FROM t GROUP BY sex",
        "SELECT sex, COUNT(*) AS n FROM t GROUP BY sex HAVING n > 2000",
        "SELECT sex, COUNT(*) AS n FROM t WHERE sex IN ('F', 'M') GROUP BY sex",
        "SELECT COUNT(*) AS n FROM t",
    ],
)
def test_no_share_is_said_of_a_part_of_the_rows(sql: str) -> None:
    with hospital(0.6) as table:
        table.profile(epsilon=1)
        assert "of all rows are in no group" not in " ".join(table.sql(sql, epsilon=1).notes)


def test_the_share_holds_the_truth() -> None:
    """At 95%, of tables that differ in how many rows are in no group; negative control: another."""
    misses, others, trials = 0, 0, 60
    for trial in range(trials):
        unlisted = (0.0, 0.05, 0.3, 0.9)[trial % 4]
        with hospital(unlisted, trial, max_rows=2 + trial % 3) as table:
            table.profile(epsilon="0.5")
            answer = table.group_by("sex").agg(n=dp.rows()).release(epsilon="0.5")
        draw = numpy.random.default_rng(trial)
        sizes = draw.integers(1, 5, 2000)
        draw.random(int(sizes.sum()))
        truth = 100 * float((draw.random(int(sizes.sum())) < unlisted).mean())
        low, high = share_in(answer.notes)
        misses += not low <= truth <= high
        others += not low <= abs(truth - 50) <= high
    assert misses <= most_misses(trials, 0.05) < others


def test_a_connection_has_the_note() -> None:
    with hospital(0.6) as table, connect(table, epsilon=1) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT sex, COUNT(*) AS n FROM t GROUP BY sex")
        assert f"sex: {UNLISTED}" in cursor.release.notes
