"""A number is printed in one way everywhere: to two digits of its error; exports are exact."""

from collections.abc import Callable
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import DataError
from discreet.privacy.estimates import BoundedError, Estimate, LinearError, RankError
from discreet.privacy.number_text import ends_text, margin_text, number_text

Opened = Callable[..., dp.Table]


def number(value: float, below: float, above: float, *, whole: bool = False) -> Estimate:
    return Estimate(
        value=value,
        error=BoundedError(lambda _: (value - below, value + above)),
        releases=(),
        mechanism=None,
        neighbors="add-remove",
        whole=whole,
    )


@pytest.mark.parametrize(
    ("value", "below", "above", "whole", "text"),
    [
        (1056.7, 29.6, 29.6, True, "1,057 ± 30"),
        (1056.7, 29.2, 29.2, True, "1,057 ± 30"),  # never less than it is
        (12, 3, 3, True, "12 ± 3"),
        (12, 3, 3, False, "12 ± 3"),
        (-0.3, 5.0, 5.0, True, "0 ± 5"),
        (3.2, 3.2, 40.0, True, "3 between 0 and 44"),
        (25.4871, 0.0213, 0.0213, False, "25.487 ± 0.022"),
        (42.2113, 0.0996, 0.0996, False, "42.21 ± 0.10"),
        (1234567.8, 45678.0, 45678.0, False, "1,235,000 ± 46,000"),
        (1234567, 45678, 45678, False, "1,235,000 ± 46,000"),
        (102908633, 1497866, 1497866, False, "102,900,000 ± 1,500,000"),
        (102908633, 1497866, 1497866, True, "102,908,633 ± 1,500,000"),  # counts add up
        (10**400, 10**398, 10**398, True, f"{10**400:,} ± {10**398:,}"),
        (10003, 3, 3, False, "10,003 ± 3"),
        (38.2, 38.2, 81.8, False, "38 between 0 and 120"),
        (38.2, 37.95, 81.85, False, "38 between 0 and 121"),  # ends are rounded outward
        (0.5, 0.25, inf, False, "0.50 at least 0.25"),
        (7, inf, 2, False, "7 at most 9"),
        (5.0, inf, inf, False, "5 ± ∞"),
    ],
)
def test_digits_follow_the_error(
    value: float, below: float, above: float, whole: bool, text: str
) -> None:
    one = number(value, below, above, whole=whole)
    assert one.printed().text == text
    assert one.text == f"{text} (95%)"


@given(
    value=st.floats(-1e9, 1e9),
    margin=st.floats(1e-6, 1e8),
    whole=st.booleans(),
)
def test_a_printed_error_has_two_digits_and_is_never_smaller_than_it_is(
    value: float, margin: float, whole: bool
) -> None:
    lower, upper = value - margin, value + margin
    text = number_text(value, (lower, upper), whole=whole)
    shown = Fraction(text.error.removeprefix("± ").replace(",", ""))
    error = max(Fraction(value) - Fraction(lower), Fraction(upper) - Fraction(value))
    rounding = Fraction(max(abs(value), abs(lower), abs(upper))) / 2**50
    assert error - rounding <= shown <= max(error * Fraction(111, 100), error + whole) + rounding
    digits = text.error.removeprefix("± ").replace(",", "").replace(".", "").lstrip("0")
    assert len(digits.rstrip("0")) <= 2
    assert text.value.partition(".")[2].isdigit() == ("." in text.error)
    step = 0 if "." not in text.error else -len(text.error.partition(".")[2])
    least, most = (Fraction(end.replace(",", "")) for end in ends_text((lower, upper), step))
    assert least <= Fraction(lower) + rounding
    assert most >= Fraction(upper) - rounding


def test_a_rounded_error_that_was_cut_would_be_found() -> None:
    cut = f"{0.0213:.3f}"
    assert Fraction(cut) < Fraction(0.0213)
    assert margin_text(0.0213) != cut


def test_what_is_exact_or_ranked_stays_as_it_is() -> None:
    common = {"releases": (), "mechanism": None, "neighbors": "replace"}
    exact = Estimate(value=1234567, error=LinearError(()), **common)  # type: ignore[arg-type]
    assert exact.printed().text == exact.text == "1,234,567 exact"
    ranked = Estimate(value=2.5, error=RankError(12.3), **common)  # type: ignore[arg-type]
    assert ranked.printed().text == "2.5 rank ± 13"
    assert ranked.printed(Fraction(99, 100)).text == "2.5 rank ± 13 (95%)"
    assert ranked.text == "2.5 rank ± 13 (95%)"


def test_a_least_date_has_a_rank_and_a_chosen_category_is_behind_another() -> None:
    common = {"releases": (), "mechanism": None, "neighbors": "replace"}
    first = Estimate(value="2026-03-01", error=RankError(7), **common)  # type: ignore[arg-type]
    assert first.text == "2026-03-01 rank ± 7 (95%)"
    fullest = dp.most_common(["a"] * 90 + ["b"], categories=["a", "b"], epsilon=1)
    assert fullest.printed().text.startswith("a behind the fullest by at most ")


@pytest.mark.parametrize("name", ["n", "p"])
def test_sums_and_differences_of_counts_stay_whole(visits: Opened, name: str) -> None:
    table = visits(max_groups=2).group_by("ward").agg(n=dp.rows(), p=dp.people())
    found = table.release(epsilon=1)[name]
    assert isinstance(found, dp.Estimates)
    first, second = list(found.values())[:2]
    for made in (found.sum(), first + second, first - second):
        assert "." not in made.text, made
    assert "." in (first / 1000).text


def test_weighed_people_are_whole_in_print_and_exact_in_exports(visits: Opened) -> None:
    answer = (
        visits(max_groups=2).group_by("ward").agg(p=dp.people(), n=dp.rows()).release(epsilon=1)
    )
    for _, people, rows in answer.cells():
        for cell in (people, rows):
            value, _, margin = cell.partition(" counted")[0].partition(" ± ")
            assert value.replace(",", "").removeprefix("-").isdigit(), cell
            assert margin.replace(",", "").isdigit(), cell
    exact = [one.value for one in answer.column("p")]
    assert any(value != round(value) for value in exact)
    for row, one in zip(answer.rows(), answer.column("p"), strict=True):
        lower, upper = one.interval()
        assert row["p"] == round(one.value)
        assert row["p_lower"] <= lower < row["p_lower"] + 1
        assert row["p_upper"] == upper or upper <= row["p_upper"] < upper + 1
        assert row["p_exact"] == one.value
    frame = answer.to_pandas()
    assert list(frame["p_exact"]) == exact
    assert frame["p"].dtype == "int64"
    assert f"{exact[0]}" in answer.to_csv()
    assert "n_exact" in answer.header


def test_counts_without_a_fraction_have_no_other_column(visits: Opened) -> None:
    answer = visits(unit="row").group_by("ward").agg(n=dp.rows())
    assert not [name for name in answer.release(epsilon=1).header if name.endswith("_exact")]


def test_two_columns_of_one_name_are_refused(visits: Opened) -> None:
    with pytest.raises(dp.QueryError, match="two columns of the answer are named 'n_exact'"):
        visits().agg(n=dp.rows(), n_exact=dp.people()).plan(epsilon=1)


class TestConfidence:
    def test_a_view_has_wider_intervals_in_every_form(self, visits: Opened) -> None:
        answer = (
            visits().group_by("ward").agg(n=dp.rows(), m=dp.col("stay").mean()).release(epsilon=1)
        )
        wide = answer.at(0.99)
        for usual, wider in zip(answer.rows(), wide.rows(), strict=True):
            assert wider["n"] == usual["n"]
            assert wider["n_lower"] < usual["n_lower"] or wider["n_lower"] == 0
            assert usual["n_upper"] == wider["n_upper"] == inf  # nobody knows what the cap takes
        assert list(wide.rows()) == list(answer.rows(0.99))
        assert list(wide.to_pandas()["n_upper"]) == [row["n_upper"] for row in wide.rows()]
        assert wide.to_csv() != answer.to_csv()
        assert '"confidence": 0.99' in wide.to_json()
        assert '"confidence": 0.95' in answer.to_json()
        assert "errors at 99%" in repr(wide)
        assert "errors at 99%" in wide._repr_html_()
        assert "the noise of what was counted, at 99%" in wide.report()
        assert "with 99% intervals" in wide.plot().svg
        assert wide.at(0.95).to_dict() == answer.to_dict()

    @pytest.mark.parametrize("wrong", [0, 1, 95, "much"])
    def test_a_confidence_is_between_0_and_1(self, visits: Opened, wrong: object) -> None:
        answer = visits().agg(n=dp.rows()).release(epsilon=1)
        with pytest.raises((DataError, dp.PrivacyParameterError, ValueError, TypeError)):
            answer.at(wrong)

    def test_a_plan_shows_the_margin_of_the_same_confidence(self, visits: Opened) -> None:
        plan = visits().agg(n=dp.rows(), m=dp.col("stay").median()).plan(epsilon=1)
        wide = plan.at(0.99)
        assert "± (99%)" in repr(wide)
        assert wide == plan
        assert (wide.margins()["n"] or 0) > (plan.margins()["n"] or 0)
        assert wide.margins()["m"] == plan.margins()["m"]  # ranks are guaranteed at 95%
        answer = wide.release().at(0.99)
        [one] = answer.column("n")
        assert one.value - one.noise_interval(answer.confidence)[0] == pytest.approx(
            wide.margins()["n"]
        )
