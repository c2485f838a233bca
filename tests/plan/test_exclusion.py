"""Expressions that are said to exclude each other have a value in no row at once."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measures.counts import value_where_true
from discreet.plan.exclusion import facts_of
from discreet.plan.expressions import (
    Both,
    Chosen,
    Compared,
    Constant,
    Either,
    Missing,
    Named,
    Negated,
    Node,
    expression_text,
    is_exactly,
)
from discreet.question.builder import Expression, col, when
from tests.neighbors.questions import _Draw
from tests.support.engine_twin import evaluate

NUMBERS = [None, -1.0, 0.0, 0.5, 1.0, 2.0, 17.0, 18.0, 64.0, 65.0]
WORDS = [None, "a", "b", "c"]
TRUTHS = [None, True, False]


def excluded(first: Expression | Node, second: Expression | Node) -> bool:
    nodes = [
        one if isinstance(one, Node) else value_where_true(one.node) for one in (first, second)
    ]
    one, two = map(facts_of, nodes)
    assert one.exclude(two) == two.exclude(one)
    return one.exclude(two)


AGE, WORD, FLAG = col("x"), col("w"), col("flag")
APART = {
    "different constants": (WORD == "a", WORD == "b"),
    "different numbers": (AGE == 1, AGE == 2),
    "ranges": (AGE < 18, AGE >= 18),
    "three ranges": (AGE.is_between(18, 64), AGE > 64),
    "lists": (WORD.is_in(["a", "b"]), WORD.is_in(["c", "d"])),
    "a list and a constant": (AGE.is_in([1, 2, 3]), AGE == 4),
    "a condition and its opposite": (FLAG, ~FLAG),
    "a comparison and its opposite": (AGE > 3, ~(AGE > 3)),
    "all but one": (WORD == "a", WORD != "a"),
    "conjunctions": ((AGE < 18) & FLAG, (AGE >= 20) & (WORD == "a")),
    "true and compared with false": (FLAG, FLAG == False),  # noqa: E712
    "not any of a list": (WORD.is_in(["a", "b"]), ~WORD.is_in(["a", "b"])),
    "missing and compared": (AGE.is_null(), AGE > 3),
    "missing and not": (AGE.is_null(), AGE.is_not_null()),
}
TOGETHER = {
    "two columns": (WORD == "a", AGE == 1),
    "ranges that meet": (AGE <= 18, AGE >= 18),
    "ranges that overlap": (AGE < 19, AGE > 3),
    "lists that meet": (WORD.is_in(["a", "b"]), WORD.is_in(["b", "c"])),
    "the same": (FLAG, FLAG),
    "either": ((AGE < 18) | FLAG, AGE >= 18),
    "two of three": (WORD != "a", WORD != "b"),
    "an order of texts": (WORD < "a", WORD > "b"),
    "numbers that are one float": (
        Fraction(1, 10) == AGE,
        Fraction(1, 10) + Fraction(1, 10**30) == AGE,
    ),
}


@pytest.mark.parametrize("name", APART)
def test_conditions_that_no_row_fulfills_at_once_are_seen(name: str) -> None:
    assert excluded(*APART[name])


@pytest.mark.parametrize("name", TOGETHER)
def test_conditions_that_a_row_may_fulfill_at_once_are_not(name: str) -> None:
    assert not excluded(*TOGETHER[name])


def test_values_are_seen_as_conditions_are() -> None:
    """COUNT(x), COUNT(CASE …) and FILTER on values: what has a value, not only what is true."""
    x, missing = Named("x"), value_where_true(Missing(Named("x")))
    assert excluded(x, missing)
    assert not excluded(x, Named("w"))
    old, young = ((AGE >= 18).node, (AGE < 18).node)
    assert excluded(Chosen(old, x, Constant(None)), Chosen(young, Named("w"), Constant(None)))
    assert excluded(Chosen(old, Constant(None), x), Chosen(old, x, Constant(None)))
    assert excluded((AGE + 1).node, missing)
    assert excluded(
        value_where_true(is_exactly(old, True)), value_where_true(is_exactly(young, True))
    )
    assert not excluded(
        value_where_true(is_exactly(old, True)), value_where_true(is_exactly(young, False))
    )


def test_one_and_true_are_not_taken_for_each_other() -> None:
    """Python calls the nodes of CASE … THEN 1 ELSE 0 and CASE … THEN TRUE ELSE FALSE equal."""
    flag, one, zero = Named("flag"), Constant(Fraction(1)), Constant(Fraction(0))
    number = Compared("=", Chosen(flag, one, zero), one)
    truth = Compared("=", Chosen(flag, Constant(True), Constant(False)), Constant(True))
    assert number == truth
    assert not excluded(value_where_true(number), value_where_true(truth))


truths = st.recursive(
    st.one_of(
        st.builds(
            lambda sign, value: Compared(sign, Named("x"), Constant(Fraction(value))),
            st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
            st.sampled_from([one for one in NUMBERS if one is not None]),
        ),
        st.builds(
            lambda sign, value: Compared(sign, Named("w"), Constant(value)),
            st.sampled_from(["=", "<>", "<", ">="]),
            st.sampled_from(["a", "b", "c"]),
        ),
        st.just(Named("flag")),
        st.sampled_from([Missing(Named("x")), Missing(Named("w")), Missing(Named("flag"))]),
    ),
    lambda inner: st.one_of(
        st.builds(Both, inner, inner),
        st.builds(Either, inner, inner),
        st.builds(Negated, inner),
        st.builds(is_exactly, inner, st.booleans()),
    ),
    max_leaves=5,
)
values = st.one_of(
    truths.map(value_where_true),
    st.builds(lambda one, node: Chosen(one, node, Constant(None)), truths, st.just(Named("x"))),
    st.builds(lambda one, node: Chosen(one, Constant(None), node), truths, st.just(Named("w"))),
    st.just(Named("x")),
)
ROWS = [{"x": x, "w": w, "flag": flag} for x in NUMBERS for w in WORDS for flag in TRUTHS]


@given(values, values)
def test_no_row_has_both_of_what_excludes_each_other(first: Node, second: Node) -> None:
    """Every row that these columns can make is tried."""
    if facts_of(first).exclude(facts_of(second)):
        for row in ROWS:
            has = [evaluate(one, row) is not None for one in (first, second)]
            assert not all(has), (expression_text(first), expression_text(second), row)


def test_much_is_seen_and_much_is_not() -> None:
    """So that the claim above is not empty."""
    random = Random(3)
    draw = _Draw(random)
    drawn = [facts_of(value_where_true(draw.truth(1).node)) for _ in range(200)]
    seen = sum(one.exclude(two) for one, two in combinations(drawn, 2))
    assert 100 < seen < 19_000


def test_a_row_expression_of_the_builder_is_read() -> None:
    young = when(AGE < 18).then(1).otherwise(None)
    old = when(AGE >= 18).then(1).otherwise(None)
    assert excluded(young.node, old.node)
