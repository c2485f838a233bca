"""How far one unit moves the shipped SQL's integers: never farther than priced, and that far."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import isqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from sqlglot import exp

from discreet.errors import DiscreetError, QueryError
from discreet.measures.counts import Present
from discreet.measures.measure import SHARE, Measure, Norm, Weights
from discreet.plan.schema import ROW, Column, Schema, category, integer
from discreet.privacy.sensitivity import Neighbors
from discreet.question import query
from discreet.question.builder import col, people, rows
from discreet.question.check import Question, checked_question
from discreet.sql.read.select import parse_select
from tests.support.drawn_rows import conditions, rows_of
from tests.support.drawn_sql import Rows
from tests.support.drawn_sql import schema as drawn_schema
from tests.support.measuring import (
    BOTH,
    BOUNDS,
    GROUPINGS,
    NORMS,
    PARTITIONS,
    QUICK,
    SELECTED,
    UNITS,
    Engine,
    Row,
    asked,
    assert_keys_move_within,
    bound,
    check_scores,
    distance,
    every_block,
    kind,
    l1_bound,
    ranked,
    schema,
    score_bound,
    scores,
    squared,
    squared_bound,
    vectors,
)
from tests.support.several_tables import TIMES
from tests.support.several_tables import Engine as PairsEngine
from tests.support.trials import all_but, examples

OTHERS = st.sampled_from(["p", "q", "r", "", None])
MOVING = st.sampled_from(["moving", "moving", "moving", None])


def moves(
    engine: Engine,
    question: Question,
    blocks: Sequence[Measure],
    before: list[Row],
    after: list[Row],
    cells: Any = None,
    *,
    squares: bool = True,
    norm: Norm = Norm.L1,
) -> dict[Measure, int]:
    """By how much each measure moves in L1; in L2 it is never more than priced."""
    one, two = (engine.integers(table, question, blocks, cells, norm) for table in (before, after))
    for block in blocks if squares else ():
        assert squared(one[block], two[block]) <= squared_bound(block, question, norm), kind(block)
    return {block: distance(one[block], two[block]) for block in blocks}


def unit_rows(unit: str, times: int = 2000) -> st.SearchStrategy[list[Row]]:
    """All that one unit holds: a single row, or a person's rows."""
    if unit == ROW:
        return rows_of(st.just("p")).map(lambda row: [replace(row, times=1)])
    person = st.lists(rows_of(MOVING, times), min_size=1, max_size=5)
    return st.one_of(person, person.map(renamed))


def renamed(table: list[Row]) -> list[Row]:
    return [replace(row, id=row.id and "another") for row in table]


@pytest.mark.parametrize("grouping", all_but(["category"], GROUPINGS, pytest.mark.slow))
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("neighbors", BOTH)
def test_no_unit_moves_a_block_by_more_than_its_sensitivity(
    neighbors: Neighbors, unit: str, grouping: str
) -> None:
    @QUICK
    @given(
        st.data(),
        st.lists(rows_of(OTHERS), max_size=5),
        unit_rows(unit),
        unit_rows(unit),
        st.sampled_from(sorted(BOUNDS)),
        st.sampled_from(["text", "double"]),
        st.sampled_from(NORMS),
    )
    def check(
        data: st.DataObject,
        others: list[Row],
        gone: list[Row],
        come: list[Row],
        bounds: str,
        stored: str,
        norm: Norm,
    ) -> None:
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
        before = others if neighbors is Neighbors.ADD_REMOVE else [*gone, *others]
        after = [*others, *come]
        engine = Engine(stored)
        found = moves(engine, question, blocks, before, after, SELECTED.get(grouping), norm=norm)
        for block, moved in found.items():
            priced = l1_bound(block, question, norm)
            assert priced is None or moved <= priced, (block, moved, priced)
        cells = SELECTED.get(grouping)
        first, second = (ranked(engine.read(t, question), question, cells) for t in (before, after))
        check_scores(question, first, second)
        if question.selects_keys:
            one, two = (engine.candidates(table, question) for table in (before, after))
            units = 1 if neighbors is Neighbors.ADD_REMOVE else 2
            assert distance(one, two) <= units * question.unit.group_cap
            assert all(abs(one.get(key, 0) - two.get(key, 0)) <= 1 for key in {*one, *two})
            if question.unit.by_person:
                weights = (engine.candidates(table, question, SHARE) for table in (before, after))
                assert_keys_move_within(question, *weights, SHARE)

    check()


def extremes(unit: str, times: int, far: float) -> list[list[Row]]:
    """What a unit may hold at its most: rows at an end, in as many groups and with new texts."""
    name = "p" if unit == ROW else "moving"
    places = [("A", "x1"), ("B", "x2"), ("it's", "x3"), ("D", "x4")]
    found = []
    for x in (far, -far, None):
        if unit == ROW:
            found += [[Row(name, x, ward, tag=tag)] for ward, tag in places]
            found.append([Row(name, x, "A", "false", "x1")])
            continue
        spread = [Row(name, x, ward, tag=tag, times=times) for ward, tag in places]
        found += [spread, spread[:2], spread[2:], *([one] for one in spread)]
        found.append([Row(name, x, "A", tag=tag) for _, tag in places[:3]])
        found.append([Row(name, x, "B", tag=f"{tag}!") for _, tag in places[:3]])
        # The opposite end of another column, too: tables of two columns have four corners.
        found.append([Row(name, x, "A", "false", tag) for _, tag in places[:3]])
    # Nobody's rows: where a condition leaves them out, a unit may hold nothing that counts.
    return [*found, [Row(name, z=-100)]]


@pytest.mark.parametrize(
    ("grouping", "bounds"),
    [
        ("no groups", "around zero"),
        pytest.param("no groups", "below zero", marks=pytest.mark.slow),
        pytest.param("category", "around zero", marks=pytest.mark.slow),
        pytest.param("category", "below zero", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("neighbors", all_but(BOTH[:1], BOTH, pytest.mark.slow))
def test_some_unit_moves_every_block_by_its_whole_sensitivity(
    neighbors: Neighbors, unit: str, bounds: str, grouping: str
) -> None:
    """So that no bound is loose, and one less (the negative control) is a false claim."""
    declared = schema(neighbors, unit, bounds, max_rows=3, max_groups=2)
    question, blocks = every_block(declared, GROUPINGS[grouping], [col("z") > -50])
    others = [Row("q", 2.0, "A", tag="shared"), Row("r", None, "B", tag="shared")]
    units = extremes(unit, 3, 1e6)
    engine = Engine()
    measured = [engine.integers([*others, *one], question, blocks) for one in units]
    alone = engine.integers(others, question, blocks)
    pairs = (
        [(alone, one) for one in measured]
        if neighbors is Neighbors.ADD_REMOVE
        else [(one, two) for one in measured for two in measured]
    )
    for block in blocks:
        reached = max(distance(one[block], two[block]) for one, two in pairs)
        assert reached == bound(block, question), kind(block)
        farthest = max(squared(one[block], two[block]) for one, two in pairs)
        assert farthest <= squared_bound(block, question) < 4 * farthest, kind(block)
        one_less = bound(block, question) - 1
        assert any(distance(one[block], two[block]) > one_less for one, two in pairs)


def test_a_public_number_of_rows_lets_a_sum_move_by_its_range_only() -> None:
    declared = schema(Neighbors.REPLACE, ROW, "around zero")
    question, blocks = every_block(declared)
    total = next(block for block in blocks if kind(block) == "FixedTotal")
    tables = [[Row(x=2.0), Row(x=x)] for x in (-1e9, 1e9, None, "abc", "nan", "-inf")]
    engine = Engine()
    found = [engine.integers(table, question, [total])[total] for table in tables]
    reached = max(distance(one, two) for one in found for two in found)
    assert reached == total.sensitivity(question.unit).l1 == total.value.range.width


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", BOTH)
@pytest.mark.parametrize("grouping", ["no groups", "category", "unlisted"])
def test_a_person_with_a_million_rows_moves_no_more_than_the_caps_allow(
    neighbors: Neighbors, grouping: str
) -> None:
    declared = schema(neighbors, "id", "around zero", max_rows=3, max_groups=2)
    question, blocks = every_block(declared, GROUPINGS[grouping])
    cells = SELECTED.get(grouping)
    others = [Row("q", 2.0, "A"), Row(None, 7.0, "A", times=1000), Row("p", 3.0, "B", tag="b")]
    spread = [(1e9, "A", "a"), (-1e9, "B", "b")]
    engine = Engine()
    for x, ward, tag in spread:
        # Who is in a group or replaces somebody has fewer: weights are given out in the same way.
        whole = neighbors is Neighbors.ADD_REMOVE and grouping == "no groups"
        times = 10**6 if whole else 20_000
        many = [Row("moving", x, ward, tag=tag, times=times)]
        before = others if neighbors is Neighbors.ADD_REMOVE else [*others, Row("moving", 2.0)]
        found = moves(engine, question, blocks, before, [*others, *many], cells)
        for block, moved in found.items():
            assert moved <= bound(block, question), kind(block)
        # Beyond a share of nothing the person still counts for nearly the whole cap.
        counted = next(block for block in blocks if kind(block) == "Rows")
        least = 2 if neighbors is Neighbors.ADD_REMOVE else 1
        assert found[counted] >= least * 2**30 * 99 // 100


@pytest.mark.slow
def test_rows_without_an_id_move_nothing() -> None:
    declared = schema(unit="id")
    for grouping in GROUPINGS:
        question, blocks = every_block(declared, GROUPINGS[grouping])
        others = [Row("p"), Row("q", 3.0, "B")]
        pooled = [Row(None, 9.0, ward, tag="new", times=100) for ward in ("A", "B", None)]
        engine = Engine()
        found = moves(engine, question, blocks, others, [*others, *pooled], SELECTED.get(grouping))
        assert set(found.values()) == {0}


def pairs_of(visits: int, patients: int, whose: str = "moving") -> tuple[Any, Any]:
    """All that somebody has: equal rows on both sides of a join, with the largest values."""
    drawn = Rows(Random(1), clean=True)
    visit = {**drawn.visit(whose), "ward": "A", "stay": 1e9}
    patient = {**drawn.patient(whose), "age": 1e9}
    return [{**visit, TIMES: visits}], [{**patient, TIMES: patients}]


@pytest.mark.parametrize("most", [1_000_000, 50])
@pytest.mark.parametrize("sizes", [(1, 1), (6, 1), (2, 3), (3, 4), (1, 600), (60, 60)])
@pytest.mark.parametrize("neighbors", BOTH)
def test_a_persons_pairs_move_a_join_by_exactly_their_weights(
    monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors, sizes: tuple[int, int], most: int
) -> None:
    """By the whole sensitivity where the pairs are as many as the cap, and never by more."""
    monkeypatch.setattr(query, "MOST_PAIRS", most)
    cap = 6
    declared = drawn_schema(neighbors, max_rows=cap, beside_rows=cap)
    text = "SELECT v.flag, COUNT(*) AS n FROM visits v JOIN patients p ON v.id = p.pid GROUP BY 1"
    question = checked_question(parse_select(text, declared), declared)
    replaces = neighbors is Neighbors.REPLACE
    others = pairs_of(2, 2, "q")
    visits, patients = pairs_of(*sizes)
    visits = [{**one, "flag": "true"} for one in visits]
    gone = [{**one, "flag": "false"} for one in visits] if replaces else []
    left, right = (others[side] for side in (0, 1))
    tables = [(left + gone, right + (patients if gone else [])), (left + visits, right + patients)]
    made = made_of(*sizes, most)
    for norm in NORMS:
        one, two = (
            PairsEngine(*table).integers(question, question.measures, None, norm)
            for table in tables
        )
        for block in question.measures:
            moved, priced = distance(one[block], two[block]), bound(block, question)
            weight = (cap << 30) // max(made, cap)
            assert moved == (2 if replaces else 1) * made * weight <= priced
            assert squared(one[block], two[block]) <= squared_bound(block, question, norm)
            assert (moved == priced) == (made >= cap and (cap << 30) % made == 0)


def made_of(first: int, second: int, most: int) -> int:
    """How many pairs are made of so many rows."""
    if first * second <= most:
        return first * second
    kept = max(isqrt(most), most // second), max(isqrt(most), most // first)
    return min(first, kept[0]) * min(second, kept[1])


def test_without_shares_a_person_moves_more_than_is_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the comparison sees a bound that is not kept."""
    from discreet.sql.write import queries

    def unweighed(weights: Weights, count: object) -> object:
        return queries.integer_constant(weights.share)

    monkeypatch.setattr(queries, "_share", unweighed)
    declared = schema(unit="id", max_rows=3)
    question, blocks = every_block(declared, ("ward",))
    many = [Row("moving", 9.0, times=10)]
    engine = Engine()
    before, after = [Row("q")], [Row("q"), *many]
    with pytest.raises(AssertionError):  # in L2 it is seen too
        moves(engine, question, blocks, before, after)
    found = moves(engine, question, blocks, before, after, squares=False)
    beyond = {kind(block) for block, moved in found.items() if moved > bound(block, question)}
    assert {"Rows", "Present", "Partition", "Total", "Moments", "Ranks", "Extreme"} <= beyond


# ---------------------------------------------------------------------- weights in L2

SQUARED = {
    "Rows",
    "Present",
    "Partition",
    "Total",
    "People",
    *(f"Moments{one}" for one in ("", " with rows")),
}
SQUARED |= {f"Moments with squares{one}" for one in ("", " with rows")}
"""What is weighed in L2."""
WARDS = ("A", "B", "it's", "D")


def whole(spread: Sequence[int], x: object, wards: Sequence[str] = WARDS) -> list[Row]:
    """Somebody with so many rows in each ward, all at one value."""
    return [Row("moving", x, ward, times=many) for ward, many in zip(wards, spread, strict=False)]


def squares_between(
    question: Question, blocks: Sequence[Measure], before: list[Row], after: list[Row]
) -> dict[str, int]:
    """The squared distances of two tables by weights in L2."""
    one, two = (
        Engine().integers(table, question, blocks, None, Norm.L2) for table in (before, after)
    )
    return {kind(block): squared(one[block], two[block]) for block in blocks}


@pytest.mark.parametrize(
    ("in_group", "spread"), [(None, (3,)), (2, (2, 1)), (1, (1, 1)), (9, (3,))]
)
@pytest.mark.parametrize("bounds", ["from zero", "below zero"])
@pytest.mark.parametrize("neighbors", BOTH)
def test_in_l2_some_unit_moves_every_block_by_its_whole_sensitivity(
    neighbors: Neighbors, bounds: str, in_group: int | None, spread: tuple[int, ...]
) -> None:
    """Somebody at all caps at once, so that one less than is priced would be a false claim."""
    declared = schema(neighbors, "id", bounds, max_rows_per_group=in_group)
    question, blocks = every_block(declared, ("ward",), [col("z") > -50])
    others = [Row("q", 2.0, "A", tag="shared"), Row("r", None, "B", tag="shared")]
    replaced = neighbors is Neighbors.REPLACE
    reached = dict.fromkeys(SQUARED, 0)
    for x, held in product((1e6, -1e6, None), (spread, (1, 1))):
        come, gone = whole(held, x), whole(held, x, WARDS[2:]) if replaced else []
        found = squares_between(question, blocks, [*others, *gone], [*others, *come])
        reached = {name: max(most, found[name]) for name, most in reached.items()}
    priced = {kind(block): squared_bound(block, question, Norm.L2) for block in blocks}
    assert reached == {name: priced[name] for name in SQUARED}


def test_in_l2_a_signed_total_that_is_replaced_moves_by_the_squares_of_both_bounds() -> None:
    """The bound is reached, and that of weights in L1 is not one."""
    declared = schema(Neighbors.REPLACE, "id", integer(-3, 4), max_rows=5)
    question = asked(declared, {"s": col("x").sum()}, ("ward",))
    gone = [Row("moving", -3, "A", times=3), Row("moving", 4, "B", times=4)]
    come = [Row("moving", 4, "A", times=4), Row("moving", -3, "B", times=3)]
    found = squares_between(question, question.measures, gone, come)
    (total,) = question.measures
    priced = squared_bound(total, question, Norm.L2)
    assert found["Total"] == priced == 2 * (3**2 + 4**2) * 5**2 * 2**60
    in_l1 = squared_bound(total, question, Norm.L1)
    assert in_l1 == max(2 * 4**2, (3 + 4) ** 2) * 5**2 * 2**60 < found["Total"]


@QUICK
@given(st.data(), st.sampled_from(BOTH), st.booleans())
def test_in_l2_no_unit_moves_a_signed_total_by_more(
    data: st.DataObject, neighbors: Neighbors, grouped: bool
) -> None:
    """Spread over groups and signs as chance has it, which is where the bound is reached."""
    caps = {"max_rows": data.draw(st.integers(1, 9)), "max_groups": data.draw(st.integers(1, 4))}
    caps["max_rows_per_group"] = data.draw(st.sampled_from([None, 1, 2, 3]))
    low, high = data.draw(st.integers(-5, 0)), data.draw(st.integers(1, 5))
    declared = schema(neighbors, "id", integer(low, high), **caps)
    question, blocks = every_block(declared, ("ward",) if grouped else ())
    rows_at = st.builds(
        Row,
        id=st.just("moving"),
        x=st.sampled_from([low, high, None]),
        ward=st.sampled_from([*WARDS, None]),
        times=st.integers(1, 9),
    )
    gone, come = (data.draw(st.lists(rows_at, max_size=6)) for _ in range(2))
    before = [] if neighbors is Neighbors.ADD_REMOVE else gone
    moves(Engine(), question, blocks, before, come, norm=Norm.L2)


def test_in_one_group_both_norms_weigh_alike() -> None:
    question, blocks = every_block(schema(unit="id"))
    table = [Row("p", times=7), Row("q", 3.0, times=2), Row("r", None, times=10**4)]
    one, two = (Engine().integers(table, question, blocks, None, norm) for norm in Norm)
    assert one == two
    for block in blocks:
        assert l1_bound(block, question, Norm.L2) == bound(block, question)


@pytest.mark.slow
def test_in_l2_a_person_with_a_million_rows_moves_no_more_than_the_caps_allow() -> None:
    declared = schema(unit="id", x="around zero", max_rows_per_group=2)
    question, blocks = every_block(declared, ("ward",))
    for spread in ((10**6,), (5 * 10**5, 1, 10**5, 3)):
        found = squares_between(question, blocks, [], whole(spread, 1e9))
        for block in blocks:
            assert found[kind(block)] <= squared_bound(block, question, Norm.L2), kind(block)
        assert found["Rows"] >= squared_bound(blocks[0], question, Norm.L2) * 99 // 100


@pytest.mark.parametrize("neighbors", BOTH)
@pytest.mark.parametrize("in_group", [None, 1, 2])
def test_some_unit_moves_a_score_by_its_whole_sensitivity(
    neighbors: Neighbors, in_group: int | None
) -> None:
    """However many groups it is in; replaced, one score rises by it and another falls."""
    declared = schema(neighbors, "id", max_rows_per_group=in_group)
    asking = {"n": rows(), "u": people(), "s": col("x").sum(), "c": col("x").count()}
    question, held = asked(declared, asking, ("ward",)), in_group or 3
    come = [Row("p", 1e9, ward, times=held) for ward in WARDS[:2]]
    gone = [Row("p", 1e9, WARDS[3], times=held)] if neighbors is Neighbors.REPLACE else []
    one, two = (ranked(Engine().read(table, question), question) for table in (gone, come))
    check_scores(question, one, two)
    for score, first in one.items():
        moved = [two[score][group] - first[group] for group in range(4)]
        priced = score_bound(score, question)
        assert moved == [priced, priced, 0, -priced if gone else 0], score
        assert priced < distance(first, two[score])


# Negative controls: each of these rules is seen to fail.


def test_sums_of_what_may_be_negative_are_no_scores() -> None:
    """A sum of what may be negative is no score: one who comes raises one and lowers another."""
    question = asked(schema(unit="id", x="around zero"), {"s": col("x").sum()}, ("ward",))
    assert not scores(question)
    [total] = question.measures
    table = [Row("p", 7.0, "A"), Row("p", -3.0, "B")]
    unit = question.unit.in_one_group
    found = vectors(Engine().read(table, question).measure(question, (total,), None, unit))
    none: dict[Measure, Any] = {total: {}}
    with pytest.raises(AssertionError):
        check_scores(question, none, found)


def test_scores_by_weights_that_are_not_capped_in_a_group_exceed_what_is_priced() -> None:
    question = asked(schema(unit="id", max_rows_per_group=1), {"n": rows()}, ("ward",))
    [score] = scores(question)
    loose = asked(schema(unit="id", max_rows_per_group=2), {"n": rows()}, ("ward",))
    found = ranked(Engine().read([Row("p", times=2)], loose), loose)
    with pytest.raises(AssertionError):
        check_scores(question, {score: {}}, found)


def test_weights_in_l2_exceed_what_is_priced_in_l1() -> None:
    """Laplace noise for the caps protects nobody who is weighed so: there is no bound to fit to."""
    question, blocks = every_block(schema(unit="id"), ("ward",))
    found = moves(Engine(), question, blocks, [], whole((3, 3, 3, 3), 9.0), norm=Norm.L2)
    beyond = {kind(block) for block, moved in found.items() if moved > bound(block, question)}
    assert beyond == SQUARED | {"Relations"}
    unbound = {kind(one) for one in blocks if l1_bound(one, question, Norm.L2) is None}
    assert unbound == SQUARED | {"Relations"}


def test_weights_in_l1_exceed_what_is_priced_in_l2() -> None:
    """Where rows in a group are capped, those of one group may weigh more by their number alone."""
    question, blocks = every_block(schema(unit="id", max_rows_per_group=1), ("ward",))
    table = whole((3,), 9.0)
    found = Engine().integers(table, question, blocks, None, Norm.L1)
    rows_block = next(block for block in blocks if kind(block) == "Rows")
    assert squared(found[rows_block], {}) > squared_bound(rows_block, question, Norm.L2)


def test_a_squared_cap_that_is_rounded_to_a_square_is_exceeded() -> None:
    """√5 is not 2: with two rows in a group and one in another the square is 5."""
    question, blocks = every_block(schema(unit="id", max_rows_per_group=2), ("ward",))
    found = squares_between(question, blocks, [], whole((2, 1), 10.0))
    assert question.unit.squared_row_cap == 5
    assert found["Rows"] == 5 * 2**60 > isqrt(5) ** 2 * 2**60


def test_weights_that_are_rounded_up_exceed_what_is_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.sql.write import queries

    above = queries.narrow_integer(
        exp.Add(this=exp.column("root"), expression=exp.Literal.number(1))
    )
    monkeypatch.setattr(queries, "_whole_root", lambda most: above.copy())
    question, blocks = every_block(schema(unit="id"), ("ward",))
    with pytest.raises(AssertionError, match="Rows"):
        moves(Engine(), question, blocks, [], whole((5, 4, 3), 9.0), norm=Norm.L2)


def test_weights_by_the_root_of_the_number_of_rows_exceed_what_is_priced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """cap/√n is enough where every row is in another group: 10,000 in one add up to far more."""
    from discreet.sql.write import queries

    counted = queries._counted
    monkeypatch.setattr(queries, "_counted", lambda name, squared: counted(name, squared=False))
    question, blocks = every_block(schema(unit="id"), ("ward",))
    found = squares_between(question, blocks, [], whole((10_000,), 9.0))
    priced = {kind(block): squared_bound(block, question, Norm.L2) for block in blocks}
    assert {name for name in SQUARED if found[name] > priced[name]} == SQUARED - {"People"}
    assert found["Rows"] > 900 * priced["Rows"]


@pytest.mark.parametrize("unit", UNITS)
def test_conditions_that_a_row_fulfills_at_once_count_it_for_one(unit: str) -> None:
    """A partition is kept to its bound by the SQL; counted by themselves, they move by three."""
    question, _ = every_block(schema(unit=unit, max_rows=1))
    partition = PARTITIONS[1]
    alone = [Present(node) for node in partition.nodes]
    others, row = [Row("q")], Row("p", 1.0, "A", flag="true", z=1.0)
    found = moves(Engine(), question, [partition, *alone], others, [*others, row])
    assert found[partition] == bound(partition, question)
    apart = sum(found[block] for block in alone)
    assert apart == 3 * bound(partition, question), "the negative control"


# ---------------------------------------------------------------------- keys that floats confuse


@pytest.mark.parametrize("beyond", [2**53 + 1, -(2**53) - 1, 10**400])
def test_keys_that_are_one_float_are_refused_so_that_a_row_is_in_one_group(beyond: int) -> None:
    with pytest.raises(DiscreetError):
        keyed(category([1, beyond]))
    with pytest.raises(DiscreetError):
        keyed(integer(beyond - 1, beyond + 1))


def keyed(column: Column) -> Question:
    declared = Schema(name="t", columns={"k": column})
    return asked(declared, {"n": rows()}, ("k",))


@examples(8, QUICK)
@given(st.lists(rows_of(OTHERS), max_size=5), rows_of(st.just("p")))
def test_a_row_that_is_in_no_group_moves_nothing(others: list[Row], moved: Row) -> None:
    declared = schema()
    question, blocks = every_block(declared, ("ward",))
    outside = replace(moved, ward=None)
    engine = Engine()
    found = moves(engine, question, blocks, others, [*others, outside])
    assert set(found.values()) == {0}
