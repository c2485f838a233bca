"""What was written is what is meant."""

from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, rational, round_up
from tests.support.cases import each


class Level(IntEnum):
    ONE = 1


@each(
    ("written", "meant"),
    [
        (0, Fraction(0)),
        (3, Fraction(3)),
        (-7, Fraction(-7)),
        (0.1, Fraction(1, 10)),
        (-0.0, Fraction(0)),
        (1e-6, Fraction(1, 10**6)),
        (1e300, Fraction(10) ** 300),
        (5e-324, Fraction(5, 10**324)),
        (1.0, Fraction(1)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        ("1 / 3", Fraction(1, 3)),
        ("0.5/0.25", Fraction(2)),
        ("1e-6", Fraction(1, 10**6)),
        ("1e-400", Fraction(1, 10**400)),
        ("1E+400", Fraction(10**400)),
        ("-2.50", Fraction(-5, 2)),
        ("1_000", Fraction(1000)),
        ("0e1000000", Fraction(0)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1e-20"), Fraction(1, 10**20)),
        (Fraction(2, 7), Fraction(2, 7)),
        (Level.ONE, Fraction(1)),
        (np.int8(-3), Fraction(-3)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.longdouble("0.1"), Fraction(1, 10)),
    ],
)
def test_a_number_is_read_as_it_was_written(written: object, meant: Fraction) -> None:
    assert rational(written) == meant
    assert type(rational(written)) is Fraction


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_shortest_decimal_that_reads_back_as_it(value: float) -> None:
    assert rational(value) == Fraction(repr(value))
    assert float(rational(value)) == value


@given(st.fractions())
def test_a_fraction_is_itself_also_as_text(value: Fraction) -> None:
    assert rational(value) == rational(str(value)) == value


@each(
    "written",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        np.float64("nan"),
        np.float32("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        "",
        " ",
        "abc",
        "nan",
        "inf",
        "1/0",
        "1/2/3",
        "/",
        "1/",
        "0x10",
        "1,5",
        "ten",
        "1e",
        "1e99999999999999999999999",
        True,
        False,
        np.True_,
        None,
        [1],
        (1, 2),
        {},
        1j,
        b"1",
        object(),
        np.array([1]),
        np.array(1.5),
    ],
)
def test_what_is_no_number_is_refused_by_name(written: object) -> None:
    with pytest.raises(PrivacyParameterError, match=r"^epsilon is .* not a number"):
        rational(written, "epsilon")


@pytest.mark.parametrize(
    "written",
    [
        "1" * 10**6,
        "0." + "3" * 10**6,
        "1/" + "3" * 10**6,
        " " * 10**6 + "1",
        "1e-4000",
        "1e5000",
        1 << 3_321_929,  # as long as 10 ** (10**6), and made at once
        Fraction(1, 3**4000),
        Fraction(3**4000),
        Decimal("1e5000"),
        Decimal("1e-5000"),
        Decimal("3" * 10**5),
    ],
    ids=lambda written: f"{type(written).__name__}",
)
def test_a_number_too_long_to_mean_anything_is_refused(written: object) -> None:
    with pytest.raises(PrivacyParameterError, match=r"^epsilon has more than 4096 bits"):
        rational(written, "epsilon")


def test_a_long_text_is_quoted_in_part() -> None:
    with pytest.raises(PrivacyParameterError) as caught:
        rational("x" * 4000, "epsilon")
    assert len(str(caught.value)) < 300


@given(st.fractions(), st.fractions(min_value=Fraction(1, 10**6)))
def test_round_up_is_the_least_multiple_not_below(value: Fraction, step: Fraction) -> None:
    rounded = round_up(value, step)
    assert (rounded / step).denominator == 1
    assert rounded - step < value <= rounded


@given(st.fractions())
def test_a_text_is_exact_or_says_that_it_is_not(value: Fraction) -> None:
    text = decimal_text(value)
    if text.startswith("≈"):
        assert abs(Fraction(text[1:]) - value) <= abs(value) / 10**5
    else:
        assert Fraction(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 10**400), "1e-400"),
        (Fraction(2, 10**400), "2e-400"),
        (Fraction(1, 3 * 10**400), "≈3.33333e-401"),
        (Fraction(-(10**400)), "-1e+400"),
        (Fraction(0), "0"),
    ],
)
def test_a_tiny_number_is_not_called_zero(value: Fraction, text: str) -> None:
    assert decimal_text(value) == text
