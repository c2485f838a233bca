"""Counts are whole in print; any other number has two digits of its error; exports are exact."""

from collections.abc import Callable
from fractions import Fraction
from math import inf

import pytest

import discreet as dp
from discreet.errors import DataError
from discreet.privacy.estimates import BoundedError, Estimate, LinearError, RankError
from discreet.release.exports import printed

Opened = Callable[..., dp.Table]
USUAL = Fraction(95, 100)


def number(value: float, below: float, above: float) -> Estimate:
    error = BoundedError(lambda _: (value - below, value + above))
    return Estimate(value=value, error=error, releases=(), mechanism=None, neighbors="add-remove")


@pytest.mark.parametrize(
    ("value", "below", "above", "whole", "text"),
    [
        (1056.7, 29.6, 29.6, True, "1,057 ± 30"),
        (1056.7, 29.2, 29.2, True, "1,057 ± 30"),  # never less than it is
        (12, 3, 3, True, "12 ± 3"),
        (-0.3, 5.0, 5.0, True, "0 ± 5"),
        (3.2, 3.2, 40.0, True, "3 between 0 and 43"),
        (25.4871, 0.0213, 0.0213, False, "25.487 ± 0.021"),
        (1234567.8, 45678.0, 45678.0, False, "1,235,000 ± 46,000"),
        (1234567, 45678, 45678, False, "1,235,000 ± 46,000"),
        (10003, 3, 3, False, "10,003 ± 3"),
        (38.2, 38.2, 81.8, False, "38 between 0 and 120"),
        (5.0, float("inf"), float("inf"), False, "5 ± ∞"),
    ],
)
def test_digits_follow_the_error(
    value: float, below: float, above: float, whole: bool, text: str
) -> None:
    assert printed(number(value, below, above), USUAL, whole=whole).text == text


def test_what_is_exact_or_ranked_stays_as_it_is() -> None:
    common = {"releases": (), "mechanism": None, "neighbors": "replace"}
    exact = Estimate(value=1234567, error=LinearError(()), **common)  # type: ignore[arg-type]
    assert printed(exact, USUAL, whole=True).text == "1,234,567 exact"
    ranked = Estimate(value=2.5, error=RankError(12.3), **common)  # type: ignore[arg-type]
    assert printed(ranked, USUAL, whole=False).text == "2.5 rank ± 12"
    assert printed(ranked, Fraction(99, 100), whole=False).text == "2.5 rank ± 12 (95%)"


def test_weighed_people_are_whole_in_print_and_exact_in_exports(visits: Opened) -> None:
    answer = (
        visits(max_groups=2).group_by("ward").agg(p=dp.people(), n=dp.rows()).release(epsilon=1)
    )
    for _, people, rows in answer.cells():
        for cell in (people, rows):
            value, _, margin = cell.partition(" counted")[0].partition(" ± ")
            assert value.replace(",", "").removeprefix("-").isdigit(), cell
            assert margin.replace(",", "").isdigit(), cell
    values = [row["p"] for row in answer.rows()]
    assert any(value != round(value) for value in values)
    assert values == list(answer.to_pandas()["p"])
    assert f"{values[0]}" in answer.to_csv()


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
        (row,) = answer.rows()
        assert row["n"] - row["n_lower"] == pytest.approx(wide.margins()["n"])
