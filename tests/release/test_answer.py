"""An answer says the same in every form, and nothing in it runs."""

import csv
import json
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

from discreet.errors import DataError
from discreet.privacy.estimates import Estimate, Estimates
from discreet.question.builder import col, people, rows
from discreet.release.exports import ColumnType, column_type, spreadsheet_safe
from discreet.release.release import Release
from tests.release.released import HOSTILE, WARDS, released


@pytest.fixture(scope="module")
def answer() -> Release:
    """A count, a mean, a quantile and a date, by ward."""
    return released(
        lambda table: table.group_by("ward").agg(
            n=rows(),
            mean=col("stay").mean(),
            p90=col("stay").quantile(0.9),
            day=col("admitted").median(),
        ),
        epsilon=4,
    )


@pytest.fixture(scope="module")
def counted() -> Release:
    """Whole numbers by ward."""
    return released(lambda table: table.group_by("ward").agg(n=rows()))


@pytest.fixture(scope="module")
def hostile() -> Release:
    """Groups that are called like attacks."""
    return released(
        lambda table: table.group_by("ward").agg(n=rows()),
        epsilon=5,
        wards=HOSTILE,
        delta="1/10000",
    )


@pytest.fixture(scope="module")
def noisy() -> Release:
    """Counts of 121 ages, nearly all noise: one without a negative count is never seen."""
    return released(
        lambda table: table.where(col("stay") > 28).group_by("age").agg(n=rows()), epsilon="1/20"
    )


def plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


class TestForms:
    def test_every_form_has_the_same_numbers(self, answer: Release) -> None:
        expected = list(answer.rows())
        frames = (answer.to_polars().to_dicts(), answer.to_arrow().to_pylist())
        for found in frames:
            assert [{k: plain(v) for k, v in row.items()} for row in found] == expected
        assert json.loads(answer.to_json())["rows"] == expected
        assert [
            dict(zip(answer.to_dict(), row, strict=True))
            for row in zip(*answer.to_dict().values(), strict=True)
        ] == expected
        read = list(csv.DictReader(StringIO(answer.to_csv())))
        assert read == [
            {k: "" if v is None else str(v) for k, v in row.items()} for row in expected
        ]

    def test_pandas_has_the_same_numbers(self, answer: Release) -> None:
        frame = answer.to_pandas()
        for name, values in answer.to_dict().items():
            for found, value in zip(frame[name], values, strict=True):
                if value is None:
                    assert pandas.isna(found)
                else:
                    days = ("day", "day_lower", "day_upper")
                    assert str(found)[:10] == value if name in days else found == value

    def test_polars_columns_have_types_where_all_bounds_are_missing(self, answer: Release) -> None:
        types = answer.to_polars().schema
        assert types["ward"] == polars.String
        assert types["n"] == types["n_lower"] == polars.Int64
        assert types["n_exact"] == polars.Float64  # its fraction, where caps weigh rows
        assert types["mean"] == types["mean_lower"] == polars.Float64
        assert types["p90_lower"] == types["p90_upper"] == polars.Float64
        assert types["day"] == types["day_lower"] == polars.Date

    def test_arrow_columns_have_types_where_all_bounds_are_missing(self, answer: Release) -> None:
        types = answer.to_arrow().schema
        assert types.field("p90_upper").type == pyarrow.float64()
        assert types.field("day").type == types.field("day_upper").type == pyarrow.date32()

    def test_whole_counts_are_integers(self, counted: Release) -> None:
        names = ("n", "n_lower", "n_upper")
        assert all(counted.to_polars().schema[name] == polars.Int64 for name in names)
        assert all(counted.to_arrow().schema.field(name).type == pyarrow.int64() for name in names)
        assert all(str(counted.to_pandas().dtypes[name]) == "int64" for name in names)

    @pytest.mark.parametrize(
        ("values", "kind"),
        [
            ([1, 2], ColumnType.WHOLE),
            ([1, 2.5], ColumnType.REAL),
            ([1, None], ColumnType.REAL),
            ([2**63], ColumnType.REAL),
            ([True], ColumnType.TRUTH),
            ([None], ColumnType.REAL),
            (["a"], ColumnType.TEXT),
            (["a", 1], ColumnType.TEXT),
        ],
    )
    def test_a_type_holds_all_values(self, values: list[Any], kind: ColumnType) -> None:
        assert column_type(values) is kind

    def test_no_group_found_is_an_empty_table_with_its_columns(self, counted: Release) -> None:
        none = replace(counted, groups=(), columns={"n": ()})
        assert none.to_polars().shape == none.to_pandas().shape == (0, 4)
        assert none.to_arrow().num_rows == 0
        assert none.to_csv() == "ward,n,n_lower,n_upper\n"
        assert "no row is left" in repr(none)

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_a_missing_library_is_named(
        self, answer: Release, monkeypatch: pytest.MonkeyPatch, library: str
    ) -> None:
        monkeypatch.setitem(sys.modules, library, None)
        form = {"pandas": answer.to_pandas, "polars": answer.to_polars, "pyarrow": answer.to_arrow}
        with pytest.raises(DataError, match=f"Install {library}, or use"):
            form[library]()

    def test_infinities_are_null_in_json(self, answer: Release) -> None:
        from discreet.release.exports import json_text

        assert json.loads(json_text({"a": [float("inf"), 1.5, None]})) == {"a": [None, 1.5, None]}


class TestLabels:
    def test_a_spreadsheet_runs_nothing(self, hostile: Release) -> None:
        read = {row[0] for row in csv.reader(StringIO(hostile.to_csv()))}
        assert {"'=HYPERLINK(0)", "'@SUM(1)", "'- none", "-5", HOSTILE[4]} < read
        assert not {"=HYPERLINK(0)", "@SUM(1)", "- none"} & read

    @pytest.mark.parametrize("text", ["+1 800", "\t=1", " =1", "\r", "＝1", "-1+1", "@x"])
    def test_what_starts_like_a_formula_is_a_text(self, text: str) -> None:
        assert spreadsheet_safe(text) == f"'{text}"

    @pytest.mark.parametrize("text", ["ICU", "-5", "+3.25", "[0, 18)", "", "'x", "a=b"])
    def test_other_texts_are_not_touched(self, text: str) -> None:
        assert spreadsheet_safe(text) == text

    def test_negative_numbers_stay_numbers(self, noisy: Release) -> None:
        read = list(csv.DictReader(StringIO(noisy.to_csv())))
        assert [int(row["n"]) for row in read] == noisy.to_dict()["n"]

    def test_json_and_frames_keep_labels_as_they_are(self, hostile: Release) -> None:
        labels = [group[0] for group in hostile.groups]
        assert set(labels) == set(HOSTILE[:-1])
        assert [row["ward"] for row in json.loads(hostile.to_json())["rows"]] == labels
        assert hostile.to_polars()["ward"].to_list() == labels
        assert list(hostile.to_pandas()["ward"]) == labels

    def test_a_terminal_runs_nothing(self, hostile: Release) -> None:
        shown = repr(hostile)
        assert all(letter.isprintable() or letter == "\n" for letter in shown)
        assert "Ward �[2J" in shown

    def test_a_notebook_runs_nothing(self, hostile: Release) -> None:
        shown = hostile._repr_html_()
        assert "<script" not in shown
        assert "<img" not in shown
        assert "&lt;script&gt;" in shown


class TestText:
    def test_points_stand_below_each_other(self, answer: Release) -> None:
        head, *lines = repr(answer).splitlines()
        assert head.split()[:2] == ["ward", "n"]
        assert len({line.index("±") for line in lines[: len(WARDS)]}) == 1
        assert any(line.startswith("ε = 4, errors at 95%") for line in lines)

    def test_dates_have_a_rank_error_too(self, answer: Release) -> None:
        assert " rank ± " in answer.cells()[0][-1]
        assert "fullest" not in repr(answer)

    def test_negative_counts_are_shown_and_explained(self, noisy: Release) -> None:
        values = noisy.to_dict()["n"][:60]
        assert min(values) < 0
        assert f"{min(values):,} ±" in repr(noisy)
        assert "note: n: noise can make a small count negative" in repr(noisy)
        assert any("noise can make a small count negative" in note for note in noisy.notes)

    def test_a_negative_sum_is_no_surprise(self) -> None:
        found = released(
            lambda table: table.group_by("age").agg(s=col("stay").sum()), epsilon="1/100"
        )
        assert min(found.to_dict()["s"]) < 0
        assert found.negative == []

    def test_many_groups_are_cut(self, noisy: Release) -> None:
        assert len(noisy) == 121
        assert "… 61 more groups" in repr(noisy)
        assert "… 61 more groups" in noisy._repr_html_()


class TestBounds:
    def test_simultaneous_bounds_are_wider(self, answer: Release) -> None:
        together = answer.simultaneous()
        for name, found in answer.columns.items():
            for estimate, bounds in zip(found, together[name], strict=True):
                if bounds is None:
                    assert estimate.rank_error is not None
                else:
                    lower, upper = estimate.interval()
                    assert bounds[0] <= lower <= upper <= bounds[1]
        assert together["n"][0] != answer.columns["n"][0].interval()

    def test_each_of_k_bounds_gets_a_kth_of_the_chance(self, counted: Release) -> None:
        expected = [one.interval("59/60") for one in counted.columns["n"]]
        assert counted.simultaneous("19/20")["n"] == expected

    @pytest.mark.parametrize("confidence", [0, 1, 95, "99%"])
    def test_a_confidence_is_between_0_and_1(self, answer: Release, confidence: object) -> None:
        with pytest.raises(DataError, match=r"Use 0\.95 or 0\.99"):
            answer.simultaneous(confidence)
        with pytest.raises(DataError, match=r"Use 0\.95 or 0\.99"):
            list(answer.rows(confidence))

    def test_columns_are_found_by_name(self, answer: Release) -> None:
        found = answer["n"]
        assert isinstance(found, Estimates)
        assert list(found) == list(WARDS)
        single = released(lambda table: table.agg(n=rows()))["n"]
        assert isinstance(single, Estimate)
        with pytest.raises(DataError, match="Its columns are n, mean, p90, day"):
            answer["m"]


class TestSaving:
    @pytest.mark.parametrize("name", ["a.json", "a.CSV", "a.html"])
    def test_the_ending_says_how(self, answer: Release, tmp_path: Path, name: str) -> None:
        made = {"json": answer.to_json, "csv": answer.to_csv, "html": answer.report}
        assert answer.save(str(tmp_path / name)) == tmp_path / name
        assert (tmp_path / name).read_text("utf-8") == made[name.lower().partition(".")[2]]()

    def test_another_ending_is_refused(self, answer: Release, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"\.json, .*\.md, \.xlsx, .*, \.svg\. Use"):
            answer.save(tmp_path / "a.pdf")
        assert list(tmp_path.iterdir()) == []


class TestPictures:
    @pytest.mark.parametrize("column", ["n", "mean", "p90", "day"])
    def test_every_column_is_drawn(self, answer: Release, column: str) -> None:
        picture = answer.plot(column)
        assert picture.title == f"{column} by ward, ε = 4"
        assert all(ward in picture.svg for ward in WARDS)

    def test_the_first_is_drawn_unless_stated(self, answer: Release) -> None:
        assert answer.plot().title == answer.plot("n").title
        with pytest.raises(DataError, match="there is no column 'x'"):
            answer.plot("x")

    def test_counts_are_bars_and_means_are_points(self, answer: Release) -> None:
        assert '"bar"' in json.dumps(answer.plot("n").spec)
        assert '"bar"' not in json.dumps(answer.plot("mean").spec)

    def test_an_answer_without_groups_is_drawn(self) -> None:
        assert released(lambda table: table.agg(n=rows())).plot().title == "n, ε = 1"

    def test_several_keys_are_drawn_even_if_their_names_run_together(self) -> None:
        found = released(lambda table: table.group_by("ward", col("age") > 50).agg(n=rows()))
        shown = found.plot().spec["data"]["values"]
        assert [(row["label"], row["name"]) for row in shown] == [
            (ward, older) for ward in WARDS for older in ("false", "true")
        ]
        groups = (("a, b", "c"), ("a", "b, c"))
        columns = {"n": found.columns["n"][:2]}
        alike = replace(found, groups=groups, columns=columns)
        assert "'a, b', 'c'" in alike.plot().svg

    def test_of_two_keys_the_one_with_fewer_values_has_colors(self, noisy: Release) -> None:
        pairs = tuple((f"a{place // 3}", f"b{place % 3}") for place in range(12))
        many = tuple((f"a{place}", f"b{other}") for place in range(40) for other in range(9))
        for groups, named, few in ((pairs, "b", 3), (many, "b", 9)):
            columns = {"n": (noisy.columns["n"] * 3)[: len(groups)]}
            picture = replace(noisy, keys=("a", "b"), groups=groups, columns=columns).plot()
            shown = picture.spec["data"]["values"]
            assert {row["name"][0] for row in shown} == {named}
            assert len({row["name"] for row in shown}) == few
            assert len(shown) == min(len(groups), 130 // few * few)
        assert "the first 126 of 360 groups" in str(picture.spec["title"]["subtitle"])

    def test_the_pointer_shows_numbers_as_the_table_does(self, answer: Release) -> None:
        for name in answer.columns:
            shown = [row["estimate"] for row in answer.plot(name).spec["data"]["values"]]
            assert shown == [one.text for one in answer.printed(name)]

    def test_many_groups_are_drawn(self, noisy: Release) -> None:
        assert noisy.plot().svg

    def test_of_very_many_groups_the_first_are_drawn(self, noisy: Release) -> None:
        groups = tuple((f"g{place}",) for place in range(242))
        columns = {"n": noisy.columns["n"] * 2}
        picture = replace(noisy, keys=("g",), groups=groups, columns=columns).plot()
        assert "the first 130 of 242 groups" in picture.spec["title"]["subtitle"]
        assert ">g129<" in picture.svg
        assert ">g130<" not in picture.svg

    def test_hostile_labels_are_only_text(self, hostile: Release) -> None:
        assert "<script" not in hostile.plot().svg


def test_people_are_counted_by_unit() -> None:
    found = released(lambda table: table.agg(n=people()), unit="patient", max_groups=1, max_rows=2)
    assert found.asks("n") == "people()"
    assert 400 < found.to_dict()["n"][0] < 600
