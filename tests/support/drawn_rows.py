"""What hypothesis writes: rows with odd values, and conditions about them."""

from hypothesis import strategies as st

from discreet.plan.expressions import MOST_NODES
from discreet.plan.types import written_size
from discreet.question.builder import Expression, col, when
from tests.support.measuring import Row

ODD = (
    None,
    "nan",
    "inf",
    "-inf",
    "-0.0",
    "abc",
    "",
    " 7 ",
    "1e400",
    5e-324,
    1e-310,
    0.49999999999999994,
    0.5,
    -0.5,
    2.0**53,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    2**64,
    1e308,
    -1.7976931348623157e308,
    1.5e-9,
    2.0**40 + 0.25,
)
"""Values of a numeric column, as texts or numbers: some are missing, some beyond every bound."""

values = st.one_of(
    st.sampled_from(ODD),
    st.floats(-12, 12),
    st.integers(-9, 9),
    st.floats(allow_nan=True, allow_infinity=True),
)


def rows_of(ids: st.SearchStrategy[str | None], most: int = 2000) -> st.SearchStrategy[Row]:
    return st.builds(
        Row,
        id=ids,
        x=values,
        ward=st.sampled_from(["A", "B", "it's", "C", "", None]),
        flag=st.sampled_from(["true", "false", "FALSE", "maybe", "", None]),
        tag=st.sampled_from(["a", "b", "it's", "c", "\x1f", "a\x1fb", "", None]),
        z=st.one_of(st.sampled_from([-1, 0, 2, 5, -1.5, 4.999, "x", None, "nan"]), values),
        code=st.sampled_from([1, 2, 7, "1.0", 3, 1.5, None, "x"]),
        level=st.sampled_from([0, 1, 2, 3, 4, 0.5, -1, None, "inf", 2**63]),
        times=st.one_of(st.just(1), st.just(1), st.integers(2, 8), st.just(most)),
    )


def _numbers(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / b, inner, inner),
        st.builds(lambda a, b: a % b, inner, inner),
        st.builds(lambda a, b: a // b, inner, inner),
        inner.map(abs),
        inner.map(Expression.floor),
        inner.map(Expression.ceil),
        inner.map(Expression.sqrt),
        inner.map(Expression.sign),
        inner.map(lambda size: size.round(1)),
        inner.map(lambda size: size.width_bucket(-1, 2, 3)),
        inner.map(lambda size: size.clip(-2, 2.5)),
        st.builds(lambda a, b: when(a < b).then(a).otherwise(b), inner, inner),
        st.builds(lambda a, b: when(a.is_null()).then(b).otherwise(None), inner, inner),
    )


def short(expression: Expression) -> bool:
    """Whether it is not refused for what it grows to when it is written out."""
    return written_size(expression.node) <= MOST_NODES // 2  # a question may nest it once more


def _conditions(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(lambda a, b: a & b, inner, inner),
        st.builds(lambda a, b: a | b, inner, inner),
        inner.map(lambda truth: ~truth),
    )


numbers = st.recursive(
    st.sampled_from(
        [col("x"), col("z"), col("level"), *(col("z") * 0 + size for size in (-2.5, 1e308, 1e-308))]
    ),
    _numbers,
    max_leaves=4,
).filter(short)
conditions = st.recursive(
    st.one_of(
        st.builds(lambda a, b: a < b, numbers, numbers),
        st.builds(lambda a, b: a >= b, numbers, numbers),
        st.builds(lambda a, b: a == b, numbers, numbers),
        st.builds(lambda a, b: a != b, numbers, numbers),
        st.sampled_from([col("flag"), col("ward") == "A", col("tag") > "a", col("tag") != ""]),
        st.sampled_from([col("x").is_null(), col("flag").is_null(), col("flag") == col("flag")]),
        st.sampled_from([col("tag").like("a%"), col("tag").concat(col("ward")).contains("'")]),
    ),
    _conditions,
    max_leaves=3,
).filter(short)
