"""Every operator is total: no value of any column makes an error, or a number beyond its bounds."""

import time
from collections.abc import Callable
from functools import cache
from itertools import product

import pyarrow
import pytest

from discreet.errors import DiscreetError, QueryError
from discreet.measures.measure import Steps
from discreet.measures.relations import Relations
from discreet.plan.schema import category
from discreet.question.builder import Expression, as_expression, col, rows, when
from discreet.sql.write.queries import sums_query
from tests.support.drawn_rows import ODD
from tests.support.measuring import Engine, Row, arrow, asked, every_block, schema

X, Z = col("x"), col("z")
NUMERIC: dict[str, Expression] = {
    "+": X + Z,
    "-": X - Z,
    "*": X * Z,
    "/": X / Z,
    "inverse": 1 / X,
    "square of a square": X * X * (X * X),
    "difference of overflows": X * 1e308 * Z - Z * 1e308 * X,
    "abs": abs(X),
    "floor": X.floor(),
    "clip": X.clip(-1, 1) / Z.clip(-1, 1),
    "negative": -X,
    "when": when(X > Z).then(X).otherwise(None),
    "null": as_expression(None) + X,
    "null alone": abs(as_expression(None)).floor().clip(0, 1),
    "overflow": X * 1e308 * 1e308,
    "underflow": X * 1e-308 * 1e-308,
    "%": X % Z,
    "remainder by zero": X % 0,
    "//": X // Z,
    "ceil": X.ceil() - Z.ceil(),
    "round": X.round(3) + Z.round(-3),
    "sign": X.sign() * Z,
    "sqrt": X.sqrt() - Z.sqrt(),
    "log": X.log() / Z.log10(),
    "exp": X.exp() - Z.exp(),
    "power": X**3 - Z**-2 + X**0.5,
    "width_bucket": X.width_bucket(-1, 1, 7),
    "length": col("tag").length() * X,
    "text as number": col("tag").cast("number") + X,
    "condition as number": col("flag").cast("integer") * X,
    "rounded by a cast": X.cast("integer"),
    "filled": X.fill_null(Z),
    "date of a text": col("tag").cast("date").year() + X,
    "days after a date": (col("tag").cast("date") + X).truncate("month").week(),
}
LOGICAL: dict[str, Expression] = {
    "=": X == Z,
    "<>": X != Z,
    "<": X < Z,
    "<=": X <= Z,
    ">": X > Z,
    ">=": X >= Z,
    "and": (X > 0) & (Z > 0),
    "or": (X > 0) | col("flag"),
    "not": ~col("flag"),
    "is null": X.is_null(),
    "in": col("tag").is_in(["a", "it's"]),
    "between": X.is_between(0, Z),
    "texts": col("tag") >= "it's",
    "null": (as_expression(None) & (X > 0)) | (Z > 0),
    "like": col("tag").like("%a%"),
    "ilike": col("tag").ilike("_T'%"),
    "contains": col("tag").contains("'") | col("ward").starts_with("it"),
    "concat": col("tag").concat(col("ward")).upper().trim() == "AA",
    "substring": col("tag").substring(2, 3).right(1) != "s",
    "dates": col("tag").cast("date") + X > "2026-01-31",
    "cast": col("tag").cast("boolean"),
    "number as condition": X.cast("boolean"),
    "is not null": X.is_not_null(),
}
PAIRS = [Row(x=x, z=z) for x, z in product(ODD, ODD)]


@cache
def pairs(stored: str) -> pyarrow.Table:
    return arrow(PAIRS, stored)


QUICK = ["+", "/", "overflow", "underflow", "%", "exp"]


@pytest.mark.parametrize(
    ("operator", "stored"),
    [
        *((operator, stored) for operator in QUICK for stored in ("text", "double")),
        *(
            pytest.param(operator, stored, marks=mark)
            for operator in NUMERIC
            if operator not in QUICK
            for stored, mark in (("text", pytest.mark.slow), ("double", pytest.mark.soak))
        ),
    ],
)
def test_no_pair_of_values_makes_an_error_or_leaves_the_bounds(operator: str, stored: str) -> None:
    size = NUMERIC[operator].clip(-5, 5)
    asks = {"s": size.sum(), "q": size.median(), "most": size.max(), "d": size.n_unique()}
    question = asked(schema(), {**asks, "c": size.count()}, (size.bins([-5, 0, 5]),))
    found = Engine(stored).integers(pairs(stored), question, question.measures)
    for block, vector in found.items():
        value = getattr(block, "value", None)
        if not isinstance(value, Steps):
            assert all(0 <= number <= len(PAIRS) for number in vector.values())
            continue
        farthest = max(value.range.farthest, value.range.width) * len(PAIRS)
        assert all(abs(number) <= farthest for number in vector.values())
        assert all(0 <= key[1] <= value.range.width for key in vector if isinstance(key, tuple))


@pytest.mark.parametrize("operator", LOGICAL)
def test_a_condition_is_true_or_false_or_missing_and_never_an_error(operator: str) -> None:
    truth = LOGICAL[operator]
    true, false, missing = (
        asked(schema(), {"n": rows()}, (), [condition])
        for condition in (truth, ~truth, truth.is_null())
    )
    for stored in ("text", "double"):
        engine = Engine(stored)
        counts = [
            next(iter(engine.integers(pairs(stored), one, one.measures).values()))[0]
            for one in (true, false, missing)
        ]
        assert sum(counts) == len(PAIRS)


@pytest.mark.slow
def test_one_odd_value_adds_at_most_one_row_to_every_aggregate() -> None:
    question, blocks = every_block(schema())
    engine = Engine()
    for odd in ODD:
        found = engine.integers([Row(x=odd)], question, blocks)
        for block, vector in found.items():
            value = getattr(block, "value", None)
            row = 1 if value is None else value.range.farthest + value.range.width**2
            if isinstance(block, Relations):
                row = sum(block.row_sizes)
            assert sum(map(abs, vector.values())) <= row


@pytest.mark.parametrize(
    "where",
    [
        pytest.param(lambda: X < 10**400, id="compared"),
        pytest.param(lambda: X + -(10**310) > 0, id="added"),
        pytest.param(lambda: X.clip(0, 10**400) > 1, id="clipped"),
    ],
)
def test_a_constant_that_no_float_holds_is_refused_before_anything_is_spent(
    where: Callable[[], Expression],
) -> None:
    with pytest.raises(DiscreetError):
        asked(schema(), {"n": rows()}, (), [where()])


def test_a_category_that_no_float_holds_is_refused_when_it_is_declared() -> None:
    with pytest.raises(DiscreetError):
        category([1, 10**400])


@pytest.mark.slow
def test_the_query_grows_with_the_question_and_not_exponentially() -> None:
    size, refused = X, False
    start = time.process_time()
    for place in range(12):
        size = size.clip(-1 - place, 1 + place)
        try:
            question = asked(schema(), {"s": size.sum()})
        except QueryError:
            refused = True
            break
        query, _ = sums_query(question, question.measures, question.unit)  # type: ignore[arg-type]
        assert len(query.sql("duckdb")) < 200_000
    assert refused
    assert time.process_time() - start < 20


@pytest.mark.parametrize("statistic", ["sum", "mean", "median", "max"])
def test_bounds_too_close_for_their_size_are_refused_as_bounds(statistic: str) -> None:
    from discreet.errors import BoundsError
    from discreet.plan.schema import number

    with pytest.raises(BoundsError):
        asked(schema(x=number(2**60, 2**60 + 1)), {"m": getattr(X, statistic)()})
