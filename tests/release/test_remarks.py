"""What a plan and an answer remark on, from public declarations and released numbers alone."""

import json
from dataclasses import replace

import pytest

from discreet.errors import QueryError
from discreet.plan.schema import Schema, category
from discreet.question.builder import Expression, col, rows
from discreet.question.check import checked_question
from discreet.release.plan import Plan
from discreet.release.release import Release, undeclared_value_notes
from discreet.sql.read.select import parse_select
from tests.release.released import released, visits


@pytest.fixture(scope="module")
def answer() -> Release:
    """Quantiles beside counts: two wards have 500 rows each, the third none."""
    return released(
        lambda table: table.group_by("ward").agg(
            n=rows(), m=col("stay").median(), top=col("stay").max(), day=col("admitted").min()
        ),
        epsilon=4,
    )


@pytest.fixture(scope="module")
def means() -> Release:
    """At ε = 10 each mean of 500 rows is known well; nobody is in the third ward."""
    return released(
        lambda table: table.group_by("ward").agg(m=col("stay").mean(), s=col("age").std()),
        epsilon=10,
    )


def planned(where: Expression) -> Plan:
    with visits() as opened:
        return opened.where(where).agg(n=rows()).plan(epsilon=1)


class TestUndeclaredValues:
    @pytest.mark.parametrize(
        "where",
        [
            (col("ward") == "ICU") | (col("ward") == "Cardiologie"),
            ~(col("ward") == "Cardiologie") & (col("stay") > 2),
        ],
    )
    def test_a_value_that_was_not_declared_is_noted_where_another_one_fits(
        self, where: Expression
    ) -> None:
        plan = planned(where)
        (note,) = plan.notes
        assert note == (
            "ward = 'Cardiologie' fits no declared value: those of ward are Cardiology, Oncology, "
            "ICU. Did you mean 'Cardiology'?"
        )
        assert f"note: {note}" in repr(plan)
        assert f"note       {note}" in plan.explain()

    @pytest.mark.parametrize(
        "where", [col("ward") == "ICU", col("ward") != "none", col("age") == 50]
    )
    def test_everything_else_is_not(self, where: Expression) -> None:
        plan = planned(where)
        assert plan.notes == []
        assert "note" not in repr(plan) + plan.explain()

    def test_among_numbers_none_is_guessed(self) -> None:
        schema = Schema(name="t", columns={"job": category([1, 2, 3])})
        question = checked_question(
            parse_select("SELECT COUNT(*) FROM t WHERE job IN (2, 12)", schema), schema
        )
        assert undeclared_value_notes(question) == [
            "job = 12 fits no declared value: those of job are 1, 2, 3."
        ]

    def test_the_note_is_the_same_whatever_the_rows_are(self) -> None:
        """It is made before any is read, also where a row has the value."""
        z_or_icu = col("ward").is_in(["Z", "ICU"])
        with visits(("Cardiology", "Oncology", "Z", "ICU")) as opened:
            there = opened.where(z_or_icu).agg(n=rows()).plan(epsilon=1)
        assert there.notes == []
        assert len(planned(z_or_icu).notes) == 1


class TestRanks:
    def test_every_form_has_the_rank_error(self, answer: Release) -> None:
        expected = [one.rank_error for one in answer.column("m")]
        assert all(error is not None and 0 <= error < 500 for error in expected)
        assert list(answer.to_pandas()["m_rank_error"]) == expected
        assert answer.to_polars()["m_rank_error"].to_list() == expected
        assert answer.to_arrow()["m_rank_error"].to_pylist() == expected
        assert [row["m_rank_error"] for row in json.loads(answer.to_json())["rows"]] == expected
        assert "m,m_lower,m_upper,m_rank_error,top" in answer.to_csv()

    def test_only_what_is_chosen_by_rank_has_one(self, answer: Release) -> None:
        named = [name for name in answer.header if name.endswith("_rank_error")]
        assert named == ["m_rank_error", "top_rank_error", "day_rank_error"]
        assert str(answer.to_pandas().dtypes["day_rank_error"]) == "float64"

    def test_a_name_that_would_stand_twice_is_refused(self) -> None:
        with visits() as opened:
            asked = opened.agg(m=col("stay").median(), m_rank_error=rows())
            with pytest.raises(QueryError, match="also gives m_rank_error"):
                asked.plan(epsilon=1)
            opened.agg(m=rows(), m_rank_error=rows()).plan(epsilon=1)

    def test_without_groups_the_columns_are_the_same(self, answer: Release) -> None:
        columns: dict[str, tuple[()]] = dict.fromkeys(answer.columns, ())
        none = replace(answer, groups=(), columns=columns)
        assert none.header == answer.header
        assert list(none.to_pandas().columns) == list(answer.to_pandas().columns)

    @pytest.mark.parametrize("size", [0, 1, 3])
    def test_a_group_that_may_be_smaller_than_the_error_is_named(
        self, answer: Release, size: int
    ) -> None:
        *large, none = answer.column("n")
        columns = answer.columns | {"n": (*large, replace(none, value=size))}
        answer = replace(answer, columns=columns)
        assert answer.outranked["m"] == "the group ICU"
        said = "the error of rank may be as large as the group ICU"
        (note,) = (one for one in answer.notes if said in one)
        assert note.startswith("m, ")  # of all outputs at once
        assert f"note: {note}" in " ".join(repr(answer).split())
        assert said in answer.report()

    def test_an_answer_without_counts_says_what_a_small_group_means(self) -> None:
        found = released(lambda table: table.agg(m=col("stay").median()))
        assert found.outranked == {}
        assert any("of a group with fewer rows that says nothing" in note for note in found.notes)

    def test_a_whole_table_can_be_too_small(self) -> None:
        found = released(
            lambda table: table.where(col("stay") >= 29.9).agg(n=rows(), m=col("stay").median())
        )
        assert found.outranked == {"m": "all that was asked about"}

    @pytest.mark.parametrize(("rows_expected", "noted"), [(10, True), (10_000, False)])
    def test_a_plan_foretells_it_for_the_rows_expected(
        self, rows_expected: int, noted: bool
    ) -> None:
        with visits() as opened:
            asked = opened.group_by("ward").agg(m=col("stay").median(), n=rows())
            plan = asked.plan(epsilon=1, expect_rows=rows_expected)
        assert any("error of rank" in note for note in plan.notes) is noted
        assert ("a group is expected to have 10. The value" in repr(plan)) is noted


class TestMeans:
    """Where noise leaves every mean possible, the bounds of the column are no finding."""

    def test_one_that_says_nothing_is_noted(self, means: Release) -> None:
        *large, none = means.column("m")
        open_error = replace(none.error, bounds=lambda _: (0.0, 60.0))
        found = replace(means, columns={"m": (*large, replace(none, error=open_error))})
        (note,) = (one for one in found.notes if one.startswith("m: its interval"))
        assert "is the whole range in 1 of 3 groups: there are too few rows for this ε" in note
        assert note in found.report()
        known = tuple(replace(one, error=large[0].error) for one in (*large, none))
        assert not any("whole range" in one for one in replace(means, columns={"m": known}).notes)

    def test_what_is_possible_is_known_of_means_and_spreads_also_in_a_cube(
        self, means: Release
    ) -> None:
        cube = released(
            lambda table: table.cube("ward").agg(m=col("stay").mean(), s=col("age").std()),
            epsilon=4,
            delta="1e-6",
        )
        for found in (means, cube):
            assert {one.error.possible for one in found.column("m")} == {(0, 60)}
            assert {one.error.possible for one in found.column("s")} == {(0, 60)}


class TestRunningTotals:
    def test_numbers_of_a_group_alone_are_not_called_totals(self) -> None:
        sql = "SELECT age // 10 AS decade, COUNT(*) AS n{} FROM visits GROUP BY decade"
        so_far = ", SUM(COUNT(*)) OVER (ORDER BY decade) AS so_far"
        with visits() as opened:
            both = opened.ask(sql.format(so_far)).plan(epsilon=1, delta="1e-6")
            ages = opened.group_by((col("age") // 10).alias("decade")).cumulative().agg(n=rows())
            totals = ages.plan(epsilon=1, delta="1e-6")
        assert any(
            one.startswith("each number is the total of its group and of those")
            for one in totals.notes
        )
        (note,) = (one for one in both.notes if "those before it" in one)
        assert note.startswith("a running total is of its group and of those before it, other")


def test_a_subquery_says_that_rows_without_an_id_make_none_of_its_rows() -> None:
    """Plain SQL makes one of all of them; a count of people, or a join by id, has none there."""
    said = "make no row in the subquery; plain SQL would make one of all of them"
    each = "(SELECT patient, COUNT(*) AS k FROM visits GROUP BY patient) AS t"
    asked = {
        f"SELECT COUNT(*) AS n FROM {each}": True,
        f"SELECT AVG(k) AS k FROM {each} WHERE k > 1": True,
        f"SELECT PEOPLE() AS n FROM {each}": False,
        "SELECT COUNT(*) AS n FROM visits": False,
    }
    with visits(unit="patient", max_rows=2, max_groups=1) as opened:
        for text, expected in asked.items():
            notes = opened.sql(text, epsilon=1).notes
            assert any(said in note for note in notes) is expected, text
