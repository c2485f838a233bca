"""A refusal for want of bounds proposes the question that has them: from the columns' own."""

import re
from fractions import Fraction

import pytest

from discreet.errors import BoundsError, Front
from discreet.plan.added_bounds import with_bounds
from discreet.plan.expressions import expression_text
from discreet.plan.schema import Schema, boolean, integer, number, text
from discreet.plan.types import Kind, bounds_of, check_expression
from discreet.question.check import checked_question
from discreet.sql.read.expressions import parse_expression
from discreet.sql.read.select import parse_select
from tests.support.offered_expressions import COLUMNS, EXAMPLES, FURTHER

DECLARED = {
    "x": number(0, 80),
    "n": integer(0, 60),
    "share": number(0, 1),
    "change": number(-5, 80),
    "loss": number(-80, 0),
    "free": number(),
    "word": text(),
    "ok": boolean(),
}
TABLE = Schema(name="t", columns=DECLARED, unit="id", max_rows=2)


def added(expression: str) -> str:
    checked = check_expression(parse_expression(expression), DECLARED)
    return expression_text(with_bounds(checked.node, DECLARED))


@pytest.mark.parametrize(
    ("asked", "bounded"),
    [
        ("LN(x)", "LN(CLIP(x, 1, 80))"),
        ("LOG10(n)", "LOG10(CLIP(n, 1, 60))"),
        ("LN(share)", "LN(CLIP(share, 0.01, 1))"),
        ("LN(change)", "LN(CLIP(change, 1, 80))"),
        ("LN(x + 1)", "LN(x + 1)"),
        ("LN(free)", "LN(CLIP(free, 1, 120))"),
        ("SQRT(free)", "SQRT(CLIP(free, 0, 120))"),
        ("EXP(free)", "EXP(CLIP(free, 0, 20))"),
        ("POWER(x, -1)", "POWER(CLIP(x, 1, 80), -1)"),
        ("POWER(change, -1)", "CLIP(POWER(change, -1), -1, 1)"),
        ("x / n", "x / CLIP(n, 1, 60)"),
        ("x / loss", "x / CLIP(loss, -80, -1)"),
        ("n / change", "CLIP(n / change, -60, 60)"),
        ("LENGTH(word)", "CLIP(LENGTH(word), 0, 120)"),
        ("LN(x) - LN(free)", "LN(CLIP(x, 1, 80)) - LN(CLIP(free, 1, 120))"),
        ("CASE WHEN ok THEN LN(x) ELSE n END", "CASE WHEN ok THEN LN(CLIP(x, 1, 80)) ELSE n END"),
    ],
)
def test_a_clip_stands_where_bounds_are_lost(asked: str, bounded: str) -> None:
    assert added(asked) == bounded


@pytest.mark.parametrize("expression", [*EXAMPLES, *FURTHER])
def test_every_number_that_can_be_written_gets_bounds(expression: str) -> None:
    for declared in (COLUMNS, {name: _without_bounds(one) for name, one in COLUMNS.items()}):
        checked = check_expression(parse_expression(expression), declared)
        if checked.kind is not Kind.NUMBER:
            continue
        bounded = with_bounds(checked.node, declared)
        assert bounds_of(bounded, declared).bounded
        assert (bounded == checked.node) is checked.bounded


def _without_bounds(column):
    return number() if getattr(column, "dated", None) == 0 else column


@pytest.mark.parametrize("statistic", ["AVG", "SUM", "MEDIAN", "STDDEV_POP"])
@pytest.mark.parametrize("expression", ["LN(x)", "x / n", "SQRT(free)", "POWER(change, -2)"])
def test_the_proposed_question_is_accepted(statistic: str, expression: str) -> None:
    with pytest.raises(BoundsError) as caught:
        checked_question(parse_select(f"SELECT {statistic}({expression}) FROM t", TABLE), TABLE)
    said = caught.value.text(Front.SQL)
    proposed = said.partition("Give them: ")[2].removesuffix(".")
    checked_question(parse_select(f"SELECT {statistic}({proposed}) FROM t", TABLE), TABLE)
    python = caught.value.text(Front.PYTHON)
    assert re.search(rf"with_columns\(bounded='{re.escape(proposed)}'\)", python)


def test_a_persons_sum_without_bounds_is_refused_with_the_same_remedy() -> None:
    inside = "SELECT id, SUM({}) AS s FROM t GROUP BY id"
    with pytest.raises(BoundsError, match=r"Give them: LN\(CLIP\(x, 1, 80\)\)\."):
        checked_question(
            parse_select(f"SELECT AVG(s) FROM ({inside.format('LN(x)')}) AS p", TABLE), TABLE
        )
    parse_select(f"SELECT AVG(s) FROM ({inside.format('LN(CLIP(x, 1, 80))')}) AS p", TABLE)


def test_the_operands_own_bounds_are_narrower_than_any_clip_of_the_result() -> None:
    sharp = check_expression(parse_expression(added("LN(x)")), DECLARED)
    blunt = check_expression(parse_expression("CLIP(LN(x), 0, 120)"), DECLARED)
    assert sharp.high is not None
    assert blunt.high is not None
    assert blunt.high / sharp.high > Fraction(27)
