"""Whatever is passed to a public function, it answers or says what is wrong, and tells no data."""

import inspect
import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.engines import arrays
from tests.support.cases import each

CANARY = 8675309.125
"""A value that stands for a person's: it must never show in an error."""

BOUNDED = (dp.sum, dp.mean, dp.var, dp.std, dp.min, dp.max, dp.median)

ASK = {
    "count": dp.count,
    "proportion": dp.proportion,
    **{
        function.__name__: lambda values, function=function, **how: function(
            values, bounds=(0, 10), **how
        )
        for function in BOUNDED
    },
    "quantile": lambda values, **how: dp.quantile(values, [0.2, 0.7], bounds=(0, 10), **how),
    "histogram of bins": lambda values, **how: dp.histogram(values, bins=[0, 5, 10], **how),
    "histogram": lambda values, **how: dp.histogram(values, categories=["a", 1, None], **how),
    "most_common": lambda values, **how: dp.most_common(values, categories=["a", 1], **how),
}

numbers = st.one_of(
    st.floats(),
    st.integers(),
    st.booleans(),
    st.none(),
    st.decimals(),
    st.fractions(),
    st.sampled_from([2**63 - 1, -(2**63), 2**64, 10**400, -0.0, 5e-324, math.inf, math.nan]),
)
records = st.one_of(
    numbers,
    st.text(max_size=5),
    st.binary(max_size=3),
    st.complex_numbers(),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
    st.builds(object),
    st.builds(np.zeros, st.integers(0, 2)),
)
columns = st.lists(records, max_size=12)


def check(answer: object) -> None:
    """An answer is finite and says its price."""
    parts = answer.values() if isinstance(answer, dp.Estimates) else [answer]
    for part in parts:
        assert isinstance(part, dp.Estimate)
        if isinstance(part.value, int | float) and not isinstance(part.value, bool):
            assert math.isfinite(part.value)
        assert part.loss == dp.PureDP(epsilon=1)
        assert repr(part)


@pytest.mark.parametrize("name", ASK)
@given(values=columns, relation=st.sampled_from(["add-remove", "replace"]))
def test_no_record_can_raise_or_warn(name, values, relation):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if values or relation == "add-remove":
            check(ASK[name](values, epsilon=1, neighbors=relation))


@pytest.mark.parametrize("name", ["proportion", "mean", "var", "std"])
def test_a_mean_of_a_public_number_of_no_records_is_refused(name):
    with pytest.raises(dp.DataError, match="no records"):
        ASK[name]([], epsilon=1, neighbors="replace")


@pytest.mark.parametrize("name", ASK)
def test_odd_records_as_the_one_that_differs(name):
    for odd in (
        math.nan,
        math.inf,
        -math.inf,
        None,
        -0.0,
        5e-324,
        2**53 + 1,
        2**63 - 1,
        -(2**63),
        10**400,
        "text",
        b"bytes",
        1j,
        [],
        {},
        object(),
        Decimal("sNaN"),
        Fraction(1, 3),
        np.float16(3),
        np.datetime64("2020-01-01"),
        True,
    ):
        for relation in ("add-remove", "replace"):
            check(ASK[name]([1, 2, 3, odd], epsilon=1, neighbors=relation))


@pytest.mark.parametrize("name", ASK)
def test_what_is_not_a_column_is_refused_without_its_content(name):
    for wrong in (
        "8675309",
        b"8675309",
        {CANARY: 1},
        {CANARY},
        CANARY,
        None,
        np.full((2, 2), CANARY),
        np.array(CANARY),
        (CANARY for _ in range(3)),
        np.array([(CANARY,)], dtype=[("a", "f8")]),
    ):
        with pytest.raises(dp.DataError) as refusal:
            ASK[name](wrong, epsilon=1)
        assert "8675309" not in str(refusal.value)
        assert "Pass" in str(refusal.value)


@each("name", ASK)
@each(
    "epsilon",
    [
        0,
        -1,
        math.nan,
        math.inf,
        -math.inf,
        "abc",
        1e-400,
        "",
        None,
        [],
        1j,
        True,
        "1/0",
        "9" * 10**6,
        "1e1000000",
        Fraction(1, 10**5000),
        object(),
    ],
)
def test_an_epsilon_without_meaning_is_refused(name, epsilon):
    with pytest.raises(dp.PrivacyParameterError) as refusal:
        ASK[name]([1, 2, 3], epsilon=epsilon)
    message = str(refusal.value)
    assert message.startswith("epsilon ")
    assert len(message) < 400


@pytest.mark.parametrize("name", [name for name in ASK if name != "most_common"])
def test_a_tiny_epsilon_is_answered_with_a_warning_and_a_hopeless_one_refused(name):
    with pytest.warns(dp.PrivacyWarning, match="says nothing"):
        answer = ASK[name]([1, 2, 3], epsilon="1e-90")
    assert repr(answer)
    assert answer.loss.epsilon == Fraction(1, 10**90)
    with pytest.raises(dp.PrivacyParameterError, match="below 10"):
        ASK[name]([1, 2, 3], epsilon="1e-400")


def test_bounds_that_no_number_holds_are_refused():
    for bounds in ((-1e308, 1e308), (0, "1e200")):
        for function in BOUNDED:
            with pytest.raises(dp.BoundsError, match="beyond 10"):
                function([1, 2, 3], bounds=bounds, epsilon=1)


def test_the_noise_does_not_depend_on_the_type_of_the_value():
    for one, other in ((0, 0.0), (np.int64(3), np.float64(3)), (True, 1.0)):
        for sensitivity, grid in ((0.5, 1), (0.3, None), (1, None), (1, 2**-10)):
            scales = set()
            for value in (one, other):
                with dp.spending(dp.Budget(epsilon=1)):
                    answer = dp.laplace(
                        value,
                        sensitivity=sensitivity,
                        epsilon=1,
                        grid=grid,
                        source=dp.UnsafeSeededBits(5),
                    )
                scales.add(float(answer))
            assert len(scales) == 1


def test_the_type_of_a_report_does_not_tell_the_type_of_the_answer():
    for value in (0, 1, True, False, np.True_):
        assert type(dp.randomized_response(value, epsilon=1)) is int
    for values in ([True, False], [True, 0], np.array([1, 0], np.uint8)):
        assert dp.randomized_response(values, epsilon=1).dtype == np.int64


def test_one_record_does_not_change_the_category_of_others():
    ones = np.array([1] * 100)
    for names in (["1", "A"], [1, "A"]):
        before = arrays.categories(ones, names).open()
        after = arrays.categories(np.array([1] * 100 + ["A"]), names).open()
        assert abs(after - before).sum() == 1
    blanks = [math.nan] * 100
    (before,) = arrays.count(np.array(blanks)).open()
    (after,) = arrays.count(np.array([*blanks, "x"])).open()
    assert after - before <= 1


@each("function", BOUNDED, ids=lambda function: function.__name__)
@each(
    "bounds",
    [
        None,
        (10, 0),
        (5, 5),
        (0, math.inf),
        (math.nan, 1),
        "ab",
        (1,),
        (1, 2, 3),
        7,
        ("a", "b"),
        (None, 1),
        [True, False],
        (1e20, 1e20 + 1),
    ],
    ids=repr,
)
def test_bounds_that_bound_nothing_are_refused(function, bounds):
    with pytest.raises((dp.BoundsError, dp.PrivacyParameterError)):
        function([1, 2, 3], bounds=bounds, epsilon=1)


@pytest.mark.parametrize(
    "bins",
    [
        [],
        [1],
        [3, 2, 1],
        [1, 1],
        [0, math.nan],
        [0, math.inf],
        "012",
        5,
        [[0, 1], [1, 2]],
        ["a", "b"],
    ],
    ids=repr,
)
def test_bins_that_are_no_bins_are_refused(bins):
    with pytest.raises((dp.BoundsError, dp.PrivacyParameterError)):
        dp.histogram([1, 2, 3], bins=bins, epsilon=1)


@pytest.mark.parametrize("categories", [[], "abc", ["a", "a"], [[1], [2]], [1, 1.0]], ids=repr)
def test_categories_that_are_no_cells_are_refused(categories):
    for function in (dp.histogram, dp.most_common):
        with pytest.raises(dp.BoundsError):
            function(["a"], categories=categories, epsilon=1)


def test_a_histogram_needs_its_cells_and_only_one_kind_of_them():
    for how in ({}, {"bins": [0, 1], "categories": ["a"]}):
        with pytest.raises(dp.BoundsError, match="either bins or categories"):
            dp.histogram([1], epsilon=1, **how)


@pytest.mark.parametrize("level", [0, 1, -1, 2, math.nan, "x", [], [0.5, 0.5], None], ids=repr)
def test_probabilities_that_ask_for_no_quantile_are_refused(level):
    with pytest.raises((dp.BoundsError, dp.PrivacyParameterError)):
        dp.quantile([1, 2, 3], level, bounds=(0, 10), epsilon=1)


@pytest.mark.parametrize(
    "bits", [[2], [0, 1, 2], ["8675309"], [None], [0.5], [math.nan], "01"], ids=repr
)
def test_bits_that_are_not_bits_are_refused_by_the_respondents_own_randomizer(bits):
    with pytest.raises(dp.DataError) as refusal:
        dp.randomized_response(bits, epsilon=1)
    assert "8675309" not in str(refusal.value)


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, None, "8675309", [CANARY, math.nan], ["8675309x"], object()],
)
def test_noise_is_not_added_to_what_is_no_number(value):
    for add in (
        lambda: dp.laplace(value, sensitivity=1, epsilon=1, grid=2**-10),
        lambda: dp.gaussian(value, sensitivity=1, epsilon=1, delta=1e-6, grid=2**-10),
    ):
        with pytest.raises(dp.DataError) as refusal:
            add()
        assert "8675309" not in str(refusal.value)


@pytest.mark.parametrize("sensitivity", [0, -1, math.nan, math.inf, "x", None], ids=repr)
def test_a_sensitivity_without_meaning_is_refused(sensitivity):
    for function in (dp.laplace, dp.noisy_max):
        with pytest.raises(dp.PrivacyParameterError):
            function([1, 2], sensitivity=sensitivity, epsilon=1)


@pytest.mark.parametrize("grid", [0, 3, -1, math.nan, "x", 0.1], ids=repr)
def test_a_grid_that_is_no_power_of_two_is_refused(grid):
    with pytest.raises((dp.BoundsError, dp.PrivacyParameterError)):
        dp.laplace(1, sensitivity=1, epsilon=1, grid=grid)


@given(
    value=st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
    sensitivity=st.fractions(min_value=Fraction(1, 10**6), max_value=10**6),
    epsilon=st.fractions(min_value=Fraction(1, 1000), max_value=20),
)
def test_any_finite_number_gets_noise(value, sensitivity, epsilon):
    noisy = dp.laplace(value, sensitivity=sensitivity, epsilon=epsilon)
    assert isinstance(noisy, int | float)
    assert math.isfinite(noisy) or abs(value) > 1e300


def test_every_public_function_explains_itself():
    for name in dp.__all__:
        thing = getattr(dp, name)
        assert inspect.getdoc(thing), name


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"rho": "1/8", "epsilon": 1}, "both rho and epsilon or delta"),
        ({"rho": "1/8", "delta": 1e-6}, "both rho and epsilon or delta"),
        ({"rho": 0}, "rho is 0"),
        ({"rho": -1}, "rho is -1"),
        ({"epsilon": 1}, "delta is 0 or not given"),
        ({"delta": 1e-6}, "epsilon"),
        ({}, "epsilon"),
    ],
)
def test_gaussian_noise_is_asked_for_by_epsilon_and_delta_or_by_rho(how, said):
    with pytest.raises(dp.PrivacyParameterError, match=said):
        dp.gaussian(1, sensitivity=1, **how)
