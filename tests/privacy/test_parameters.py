"""Reading ε and δ: what was written is what is meant; what has no meaning is refused, quickly."""

import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import Front, PrivacyParameterError, PrivacyWarning
from discreet.privacy.events import DiscreteLaplaceEvent, PureEvent
from discreet.privacy.losses import (
    ApproximateDP,
    PureDP,
    read_count,
    read_delta,
    read_epsilon,
    read_number,
    read_positive,
    read_rho,
    read_spend,
)
from discreet.privacy.sensitivity import Sensitivity
from tests.support.cases import each


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (1, Fraction(1)),
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.int8(3), Fraction(3)),
        (np.uint64(3), Fraction(3)),
    ],
)
def test_epsilon_is_the_number_that_was_written(written: object, meant: Fraction) -> None:
    assert read_epsilon(written) == meant


@each(
    ("bad", "words"),
    [
        (0, "epsilon is 0"),
        (0.0, "epsilon is 0"),
        (-0.0, "epsilon is 0"),
        (float("1e-400"), "epsilon is 0"),
        (-1, "epsilon is -1"),
        ("-1/3", "epsilon is -1/3"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        (Decimal("NaN"), "NaN"),
        (Decimal("sNaN"), "sNaN"),
        (Decimal("Infinity"), "Infinity"),
        ("nan", "nan"),
        ("abc", "'abc'"),
        ("", "''"),
        ("1/0", "'1/0'"),
        ("1/2/3", "'1/2/3'"),
        ("0x10", "'0x10'"),
        (True, "True"),
        (False, "False"),
        (np.True_, "bool"),
        (None, "not given"),
        (1j, "complex"),
        (np.complex128(1), "complex128"),
        ([1], "list"),
        (np.array([1.0]), "ndarray"),
        (np.array(1.0), "ndarray"),
        (object(), "object"),
        (b"1", "bytes"),
    ],
)
def test_an_epsilon_without_meaning_is_refused(bad: object, words: str) -> None:
    with pytest.raises(PrivacyParameterError) as failure:
        read_epsilon(bad)
    text = str(failure.value)
    assert words in text
    assert text.startswith("epsilon")
    assert "Use" in text or "Write" in text or "Add" in text, "the remedy is stated"


MILLION_DIGITS = 1 << 3_321_929
"""As long as 10**1_000_000, and made at once."""


@pytest.mark.parametrize(
    "long",
    [
        MILLION_DIGITS,
        Fraction(1, MILLION_DIGITS),
        Fraction(MILLION_DIGITS, 3),
        "1" * 1_000_000,
        "1/" + "3" * 1_000_000,
        " " * 1_000_000 + "1",
        "0." + "0" * 1_000_000 + "1",
        "1e1000000000",
        "1e-1000000000",
        Decimal("1e1000000"),
        Decimal("1e-1000000"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_number_that_never_ends_is_refused_at_once(long: object) -> None:
    start = process_time()
    with pytest.raises(PrivacyParameterError, match="bits"):
        read_epsilon(long)
    assert process_time() - start < 0.5


def test_a_tiny_text_is_read_and_warned_about() -> None:
    with pytest.warns(PrivacyWarning, match="says nothing"):
        assert read_epsilon("1e-100") == Fraction(1, 10**100)
    with pytest.raises(PrivacyParameterError, match="below 10"):
        read_epsilon("1e-101")


@pytest.mark.parametrize(
    ("epsilon", "factor"), [("20.0001", "10^8"), (100, "10^43"), ("1e300", "10^10^299")]
)
def test_a_large_epsilon_warns_and_says_how_large_it_is(epsilon: object, factor: str) -> None:
    words = rf"here over {re.escape(factor)}, which protects nobody"
    with pytest.warns(PrivacyWarning, match=words):
        read_epsilon(epsilon)
    with pytest.warns(PrivacyWarning, match=words):
        read_rho(epsilon)


@pytest.mark.parametrize("epsilon", ["9e-7", 2.0**-80])
def test_a_small_epsilon_warns(epsilon: object) -> None:
    with pytest.warns(PrivacyWarning, match="says nothing"):
        read_epsilon(epsilon)


@pytest.mark.parametrize("epsilon", ["1e-6", 0.1, 1, 20])
def test_a_sane_epsilon_does_not_warn(epsilon: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_epsilon(epsilon)


def test_the_warning_points_at_the_caller() -> None:
    def ask(value: object) -> Fraction:
        return read_epsilon(value)

    with pytest.warns(PrivacyWarning) as caught:
        ask(100)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("written", "meant"), [(0, 0), (1e-6, Fraction(1, 10**6)), ("1/2", "1/2")])
def test_delta_is_a_probability(written: object, meant: object) -> None:
    assert read_delta(written) == Fraction(meant)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [1, 1.5, -1e-9, float("nan"), "abc", None, True, 1j])
def test_a_delta_that_is_no_probability_is_refused(bad: object) -> None:
    with pytest.raises(PrivacyParameterError, match="delta"):
        read_delta(bad)


def test_a_positive_number_says_its_name_and_its_remedy() -> None:
    assert read_positive("0.25", "scale", "Use 2.") == Fraction(1, 4)
    with pytest.raises(PrivacyParameterError, match=r"scale is 0\. It must be above 0\. Use 2\."):
        read_positive(0, "scale", "Use 2.")


@pytest.mark.parametrize("count", [1, np.int32(7), 10**30])
def test_a_count_is_a_whole_number(count: int) -> None:
    assert read_count(count, "cells", "released numbers") == count
    assert type(read_count(count, "cells", "released numbers")) is int


@pytest.mark.parametrize("bad", [0, -1, 1.0, "1", None, True, np.True_, np.array([1, 2]), 1j])
def test_what_does_not_count_is_refused(bad: object) -> None:
    with pytest.raises(PrivacyParameterError, match="cells is not a whole number above 0"):
        read_count(bad, "cells", "released numbers")


@given(st.floats(min_value=1e-6, max_value=20, allow_nan=False))
def test_a_float_means_its_shortest_decimal(value: float) -> None:
    assert read_epsilon(value) == Fraction(repr(value))


LONG = 1 + Fraction(1, 3**4000)


@each(
    "made",
    [
        lambda: read_epsilon(LONG),
        lambda: read_delta(LONG / 2),
        lambda: PureDP(epsilon=LONG),
        lambda: ApproximateDP(epsilon=1, delta=LONG / 2),
        lambda: Sensitivity(l1=LONG),
        lambda: PureEvent(epsilon=LONG),
        lambda: DiscreteLaplaceEvent(scale=LONG, sensitivity=1),
        lambda: DiscreteLaplaceEvent(scale=1, sensitivity=3**4000),
    ],
)
def test_what_is_exact_already_is_refused_if_it_is_too_long_to_be_kept(
    made: Callable[[], object],
) -> None:
    with pytest.raises(PrivacyParameterError, match="more than 4096 bits"):
        made()


@each("written", [True, np.bool_(True), float("nan"), "x", None])
def test_only_an_exact_number_is_taken_as_it_is(written: object) -> None:
    with pytest.raises(PrivacyParameterError, match="not a number one can compute with"):
        read_number(written, "epsilon")


@each(
    ("written", "meant"),
    [
        ("5%", Fraction(1, 20)),
        (" 0.5 % ", Fraction(1, 200)),
        ("1/3%", Fraction(1, 300)),
        ("100%", Fraction(1)),
        (0.05, Fraction(1, 20)),
        (Decimal("0.050"), Fraction(1, 20)),
        (Fraction(1, 3), Fraction(1, 3)),
        (np.float64(0.05), Fraction(1, 20)),
        (Fraction(1), Fraction(1)),
    ],
)
def test_a_part_is_a_percentage_or_the_part_itself(written: object, meant: Fraction) -> None:
    assert read_spend(written) == meant


@each(
    ("bad", "fact"),
    [
        (5, "spend is 5, which is 500%."),
        ("5", "spend is 5: 5% may be meant, or 500%."),
        ("0.05", "spend is 0.05: 0.05% may be meant, or 5%."),
        (1, "spend is 1: 1% may be meant, or 100%."),
        (1.0, "spend is 1: 1% may be meant, or 100%."),
        (0, "spend is 0, which is 0%."),
        (-0.05, "spend is -0.05, which is -5%."),
        ("0%", "spend is 0%."),
        ("101%", "spend is 101%."),
        ("-1%", "spend is -1%."),
        ("%", "spend is '%'."),
        ("5%%", "spend is '5%%'."),
        ("5 percent", "spend is '5 percent'."),
        ("nan%", "spend is 'nan%'."),
        (float("nan"), "spend is float."),
        (None, "spend is NoneType."),
        (True, "spend is bool."),
        ([0.05], "spend is list."),
        ("9" * 10**5 + "%", "spend is '999"),
    ],
)
def test_what_is_no_part_is_refused_with_a_part(bad: object, fact: str) -> None:
    with pytest.raises(PrivacyParameterError) as refusal:
        read_spend(bad)
    for front, remedy in (
        (Front.PYTHON, 'Write spend="5%", or the part itself: spend=0.05.'),
        (Front.SQL, "Write SET spend = '5%'."),
        (Front.COMMAND, "Write --spend 5%."),
    ):
        text = refusal.value.text(front)
        assert text.startswith(fact), text
        assert "above 0% and at most 100%" in text
        assert text.endswith(remedy)


def test_rho_is_the_number_that_was_written() -> None:
    assert read_rho("1/3") == Fraction(1, 3)
    for front, remedy in (
        (Front.PYTHON, "such as rho=0.1"),
        (Front.SQL, "SET rho = 0.1"),
        (Front.POLICY, "such as rho = 0.1"),
        (Front.COMMAND, "such as --rho 0.1"),
    ):
        with pytest.raises(PrivacyParameterError) as refusal:
            read_rho(-1)
        assert remedy in refusal.value.text(front)
