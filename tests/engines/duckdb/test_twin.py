"""The engine's integers are those of a naive twin, for every block, grouping and unit."""

from dataclasses import replace

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from discreet.errors import QueryError
from discreet.measures.measure import SHARE, Norm
from discreet.plan.schema import ROW
from discreet.privacy.sensitivity import Neighbors
from discreet.question.builder import Expression, col, rows
from discreet.release.top_groups import public_cells
from tests.support import engine_twin as twin
from tests.support.drawn_rows import conditions, numbers, rows_of
from tests.support.measuring import (
    BOTH,
    BOUNDS,
    GROUPINGS,
    LEFT_OUT,
    NORMS,
    QUICK,
    SELECTED,
    UNITS,
    Engine,
    Row,
    as_double,
    asked,
    every_block,
    ranked,
    schema,
    scores,
)
from tests.support.trials import all_but, examples

people = st.sampled_from(["p", "q", "r", "it's", "", "\x1f", None])
tables = st.lists(rows_of(people, most=50), max_size=7)


@pytest.mark.parametrize("grouping", all_but(["category", "unlisted"], GROUPINGS, pytest.mark.slow))
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("neighbors", BOTH)
def test_every_block_is_what_plain_arithmetic_says(
    neighbors: Neighbors, unit: str, grouping: str
) -> None:
    @QUICK
    @given(
        st.data(),
        tables,
        st.sampled_from(sorted(BOUNDS)),
        st.sampled_from(["text", "double"]),
        st.sampled_from(NORMS),
    )
    def check(data: st.DataObject, table: list[Row], bounds: str, stored: str, norm: Norm) -> None:
        caps = {
            "max_rows": data.draw(st.integers(1, 5)),
            "max_groups": data.draw(st.integers(1, 4)),
            "max_rows_per_group": data.draw(st.sampled_from([None, 1, 2, 3, 9])),
        }
        declared = schema(neighbors, unit, bounds, **caps)
        where = data.draw(st.lists(conditions, max_size=1))
        try:
            question, blocks = every_block(declared, GROUPINGS[grouping], where)
        except QueryError:  # of no row, or of no group
            reject()
        cells = SELECTED.get(grouping)
        if stored == "double":
            table = [as_doubles(row) for row in table]
        engine = Engine(stored)
        found = engine.integers(table, question, blocks, cells, norm)
        expected = twin.measure(table, question, blocks, cells, norm)
        for block in blocks:
            assert found[block] == expected[block], block
        scored = ranked(engine.read(table, question), question, cells)
        assert scored == twin.ranked(table, question, scores(question), cells)
        if question.selects_keys:
            for share in (None, SHARE) if question.unit.by_person else (None,):
                found = engine.candidates(table, question, share)
                assert found == twin.candidates(table, question, share)
        elif question.keys:  # some public groups, as a choice among all of them gives them
            places = data.draw(st.sets(st.integers(0, (question.cells or 1) - 1), min_size=1))
            chosen = public_cells(question, sorted(places))
            found = engine.integers(table, question, blocks, chosen, norm)
            assert found == twin.measure(table, question, blocks, chosen, norm)

    check()


def test_a_score_counts_a_person_in_every_group_and_caps_the_rows_in_each() -> None:
    question = asked(schema(unit="id", max_rows=3, max_groups=1), {"n": rows()}, ("ward",))
    table = [Row("p", ward="A", times=6), Row("p", ward="B", times=2), Row("q", ward="B")]
    engine = Engine()
    [by_rows] = ranked(engine.read(table, question), question).values()
    assert by_rows == {0: 3 << 30, 1: 3 << 30, 2: 0, 3: 0}
    declared = schema(unit="id", max_rows=3, max_rows_per_group=1)
    capped = asked(declared, {"n": rows()}, ("ward",))
    [in_one] = ranked(engine.read(table, capped), capped).values()
    assert in_one == {0: 6 * (2**30 // 6), 1: 2 << 30, 2: 0, 3: 0}
    # The negative control: as sums are weighed, the person has less in each.
    [weighed] = engine.integers(table, question, question.measures).values()
    assert weighed[0] < by_rows[0]
    assert weighed[1] < by_rows[1]


@pytest.mark.parametrize("grouping", LEFT_OUT)
@pytest.mark.parametrize("unit", UNITS)
def test_rows_in_groups_that_conditions_exclude_count_in_none(unit: str, grouping: str) -> None:
    """Also where they fulfill the conditions, with values that were not declared."""

    @QUICK
    @given(tables, st.sampled_from(["text", "double"]), st.sampled_from(NORMS))
    def check(table: list[Row], stored: str, norm: Norm) -> None:
        question, blocks = every_block(schema(unit=unit), GROUPINGS[grouping], LEFT_OUT[grouping])
        table = [as_doubles(row) for row in table] if stored == "double" else table
        cells, engine = SELECTED.get(grouping), Engine(stored)
        expected = twin.measure(table, question, blocks, cells, norm)
        assert engine.integers(table, question, blocks, cells, norm) == expected

    check()


def as_doubles(row: Row) -> Row:
    """The row as a column of doubles holds it: no texts, no integers beyond 2^53."""
    numeric = {name: as_double(getattr(row, name)) for name in ("x", "z", "code", "level")}
    return replace(row, **numeric)  # type: ignore[arg-type]


@pytest.mark.slow
@examples(25, QUICK)
@given(st.lists(rows_of(st.just("p"), most=1), min_size=1, max_size=6), numbers, conditions)
def test_every_expression_is_what_plain_arithmetic_says(
    table: list[Row], size: Expression, truth: Expression
) -> None:
    declared = schema()
    outputs = {
        "total": size.clip(-(10**6), 10**6).sum(),
        "present": size.count(),
        "true": truth.mean(),
        "known": truth.count(),
    }
    try:
        question = asked(declared, outputs, (truth.alias("truth"),))
    except QueryError as error:  # the drawn expression is longer than a question may be
        if "too long" not in str(error):
            raise
        reject()
    engine = Engine()
    found = engine.integers(table, question, question.measures)
    assert found == twin.measure(table, question, question.measures)


@pytest.mark.slow
def test_a_person_with_a_million_rows_weighs_what_plain_arithmetic_says() -> None:
    declared = schema(unit="id", max_rows=3)
    question, blocks = every_block(declared, ("ward",))
    table = [Row("p", x, ward, times=500_000) for x, ward in ((9.0, "A"), (1.0, "B"))]
    engine = Engine()
    found = engine.integers(table, question, blocks)
    few = [Row("p", x, ward) for x, ward in ((9.0, "A"), (1.0, "B"))]
    for block in blocks:
        vector = found[block]
        if type(block).__name__ == "Rows":
            share = 3 * 2**30 // 10**6
            assert vector == {0: 500_000 * share, 1: 500_000 * share, 2: 0, 3: 0}
        if type(block).__name__ in ("People", "Distinct"):
            assert vector == twin.measure(few, question, [block])[block]


def test_a_twin_without_shares_is_told_apart() -> None:
    """Negative control: the comparison sees a rule that is left out."""
    table = [Row("p", times=5), Row("q")]
    capped, free = (schema(unit="id", max_rows=cap) for cap in (3, 5))
    question, blocks = every_block(capped)
    other, _ = every_block(free)
    engine = Engine()
    found = engine.integers(table, question, blocks)
    expected = twin.measure(table, other, blocks)
    differing = {type(block).__name__ for block in blocks if found[block] != expected[block]}
    assert {"Rows", "Present", "Total", "Moments", "Ranks", "Extreme"} <= differing


def test_queries_that_were_bound_for_one_norm_are_not_run_for_the_other() -> None:
    question = asked(schema(unit="id"), {"n": rows()}, ("ward",))
    table = [Row("p", ward=ward, times=3) for ward in ("A", "B", "D")]
    engine = Engine()
    expected = [twin.measure(table, question, question.measures, None, norm) for norm in NORMS]
    assert expected[0] != expected[1]
    for bound in NORMS:
        unit = question.unit.weighed_by(bound)
        with engine.read(table, question).prepared(question, question.measures, unit):
            found = [engine.integers(table, question, question.measures, None, n) for n in NORMS]
        assert found == expected


def test_ungrouped_rows_of_a_row_table_are_counted_one_by_one() -> None:
    declared = schema(unit=ROW)
    question, blocks = every_block(declared, (), [col("x") > 0])
    engine = Engine()
    found = engine.integers([Row(x=1, times=7), Row(x=-1, times=5)], question, blocks)
    counted = next(block for block in blocks if type(block).__name__ == "Rows")
    assert found[counted] == {0: 7}
