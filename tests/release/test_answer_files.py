"""Every kind of file holds the numbers of the answer with its notes, and runs nothing."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from io import BytesIO
from math import floor, inf
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pyarrow
import pytest
from pyarrow import parquet

from discreet.dependencies import install_extra
from discreet.errors import DataError, DiscreetError
from discreet.privacy.estimates import BoundedError
from discreet.question.builder import col, rows
from discreet.release.answer_files import check_ending, markdown_text
from discreet.release.exports import ColumnType
from discreet.release.release import Release
from tests.release.released import HOSTILE, released

_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@pytest.fixture(scope="module")
def answer() -> Release:
    return released(
        lambda table: table.group_by("ward", "admitted", col("age") > 50).agg(
            n=rows(), mean=col("stay").mean(), p90=col("stay").quantile(0.9)
        )
    )


@pytest.fixture(scope="module")
def hostile() -> Release:
    return released(
        lambda table: table.group_by("ward").agg(**{"=1|<b>n</b>": rows()}),
        epsilon=5,
        wards=HOSTILE,
        delta="1/10000",
    )


@pytest.fixture(scope="module")
def by_ward() -> Release:
    return released(
        lambda table: table.group_by("ward").agg(n=rows(), mean=col("stay").mean()), epsilon=1
    )


@pytest.fixture(scope="module")
def open_ended(by_ward: Release) -> Release:
    """An answer whose counts have no upper end, and whose means have no lower one."""

    def bounded(found: tuple[Any, ...], low: float, high: float) -> tuple[Any, ...]:
        def ends(value: float) -> BoundedError:
            return BoundedError(lambda _: (value + low, value + high))

        return tuple(replace(one, error=ends(one.value)) for one in found)

    columns = by_ward.columns
    return replace(
        by_ward,
        columns={
            "n": bounded(columns["n"], -30, inf),
            "mean": bounded(columns["mean"], -inf, 2),
        },
    )


class Workbook:
    """The sheets of a workbook, read without a library."""

    def __init__(self, data: bytes) -> None:
        self.files = ZipFile(BytesIO(data))
        self.names = [
            str(one.get("name")) for one in self._part("xl/workbook.xml").iter(f"{_SHEET}sheet")
        ]
        self._texts = [
            "".join(part.text or "" for part in one.iter(f"{_SHEET}t"))
            for one in self._part("xl/sharedStrings.xml").iter(f"{_SHEET}si")
        ]

    def _part(self, name: str) -> ElementTree.Element:
        return ElementTree.fromstring(self.files.read(name))

    def sheet(self, name: str) -> list[dict[str, Any]]:
        """The rows, by the letters of the columns: texts, truth values and numbers."""
        tree = self._part(f"xl/worksheets/sheet{self.names.index(name) + 1}.xml")
        found = []
        for row in tree.iter(f"{_SHEET}row"):
            cells = {}
            for cell in row.iter(f"{_SHEET}c"):
                value = cell.findtext(f"{_SHEET}v")
                letters = re.sub(r"\d", "", str(cell.get("r")))
                assert cell.find(f"{_SHEET}f") is None, "a formula"
                if value is not None:
                    kind = cell.get("t")
                    cells[letters] = (
                        self._texts[int(value)]
                        if kind == "s"
                        else value == "1"
                        if kind == "b"
                        else float(value)
                    )
            found.append(cells)
        return found


def saved(release: Release, folder: Path, name: str) -> bytes:
    place = release.save(folder / name)
    assert place == folder / name
    return place.read_bytes()


class TestExcel:
    def test_columns_have_the_types_of_the_frames(self, answer: Release, tmp_path: Path) -> None:
        head, *body = Workbook(saved(answer, tmp_path, "a.xlsx")).sheet("answer")
        assert list(head.values()) == answer.header
        frame = answer.to_pandas()
        assert len(body) == len(frame)
        first_day = date(1899, 12, 30)  # as spreadsheets count
        for row, (_, expected) in zip(body, frame.iterrows(), strict=True):
            shown = {head[letters]: value for letters, value in row.items()}
            day = first_day + timedelta(int(shown["admitted"]))
            assert day == expected["admitted"].date()
            assert shown["ward"] == expected["ward"]
            assert shown[answer.keys[2]] is bool(expected.iloc[2])
            for name in answer.header[3:]:
                if expected[name] == expected[name]:  # not NaN
                    assert shown[name] == expected[name]
                else:
                    assert name not in shown

    def test_notes_and_certificate_have_sheets(self, answer: Release, tmp_path: Path) -> None:
        book = Workbook(saved(answer, tmp_path, "a.xlsx"))
        assert book.names == ["answer", "notes", "certificate"]
        assert [row["A"] for row in book.sheet("notes")][: len(answer.notes)] == answer.notes
        stated = {row.get("A"): row.get("B") for row in book.sheet("certificate")}
        assert json.loads(str(stated["as data"])) == json.loads(answer.certificate.to_json())

    def test_nothing_is_a_formula_or_an_address(self, hostile: Release, tmp_path: Path) -> None:
        book = Workbook(saved(hostile, tmp_path, "a.xlsx"))
        labels = [row["A"] for row in book.sheet("answer")][1:]
        assert {"=HYPERLINK(0)", "@SUM(1)"} <= set(labels)
        assert not [
            name for name in book.files.namelist() if "hyperlink" in name or "rels/sheet" in name
        ]

    def test_an_end_that_is_not_known_is_said(self, open_ended: Release, tmp_path: Path) -> None:
        book = Workbook(saved(open_ended, tmp_path, "a.xlsx"))
        head, first, *_ = book.sheet("answer")
        shown = {head[letters]: value for letters, value in first.items()}
        assert (shown["n_upper"], shown["mean_lower"]) == ("inf", "-inf")
        assert isinstance(shown["n_lower"], float)
        assert "inf" in str(book.sheet("notes")[-1]["A"])

    def test_what_a_cell_would_round_is_a_text(self, by_ward: Release, tmp_path: Path) -> None:
        groups = ((2**53 + 1,), (3,), (4,))
        whole = ((ColumnType.WHOLE, False),)
        large = replace(by_ward, keys=("code",), groups=groups, key_types=whole)
        body = Workbook(saved(large, tmp_path, "a.xlsx")).sheet("answer")[1:]
        assert [row["A"] for row in body] == [str(2**53 + 1), 3, 4]
        old = replace(
            by_ward,
            groups=(("1850-01-01",), ("1900-02-28",), ("1900-03-01",)),
            dated=("ward",),
            key_types=((ColumnType.DAY, False),),
        )
        body = Workbook(saved(old, tmp_path, "b.xlsx")).sheet("answer")[1:]
        assert [row["A"] for row in body] == ["1850-01-01", "1900-02-28", 61]

    def test_more_rows_than_a_sheet_has_go_on_to_the_next(
        self, by_ward: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("discreet.release.answer_files._MOST_ROWS", 2)
        book = Workbook(saved(by_ward, tmp_path, "a.xlsx"))
        assert book.names == ["answer", "answer 2", "notes", "certificate"]
        first, second = book.sheet("answer"), book.sheet("answer 2")
        assert first[0] == second[0]
        found = [row["A"] for row in (*first[1:], *second[1:])]
        assert found == [ward for (ward,) in by_ward.groups]

    def test_a_label_that_does_not_fit_is_never_cut(self, by_ward: Release, tmp_path: Path) -> None:
        long = replace(by_ward, groups=(("x" * 40_000,), ("y",), ("z",)))
        with pytest.raises(DataError, match=r"Save it as \.csv, \.parquet or \.json"):
            long.save(tmp_path / "a.xlsx")
        assert not (tmp_path / "a.xlsx").exists()


class TestParquet:
    @pytest.mark.parametrize("name", ["answer", "hostile", "by_ward", "open_ended"])
    def test_it_is_the_arrow_table(
        self, name: str, request: pytest.FixtureRequest, tmp_path: Path
    ) -> None:
        release: Release = request.getfixturevalue(name)
        release.save(tmp_path / "a.parquet")
        found = parquet.read_table(tmp_path / "a.parquet")
        assert found.replace_schema_metadata(None) == release.to_arrow()
        metadata: Mapping[bytes, bytes] = found.schema.metadata
        assert json.loads(metadata[b"notes"]) == release.notes
        assert json.loads(metadata[b"certificate"]) == json.loads(release.certificate.to_json())

    def test_names_that_differ_in_case_are_two(self, by_ward: Release, tmp_path: Path) -> None:
        columns = {
            "n": by_ward.columns["n"],
            "N": by_ward.columns["mean"],
            "a\"b'c": by_ward.columns["n"],
        }
        alike = replace(by_ward, columns=columns)
        alike.certificate  # noqa: B018
        alike.save(tmp_path / "a.parquet")
        found = parquet.read_table(tmp_path / "a.parquet")
        assert found.column_names == alike.header
        assert b"notes" in found.schema.metadata

    def test_an_answer_without_groups_is_a_table_of_no_rows(
        self, by_ward: Release, tmp_path: Path
    ) -> None:
        none = replace(by_ward, groups=(), columns={"n": (), "mean": ()})
        none.save(tmp_path / "a.parquet")
        found = parquet.read_table(tmp_path / "a.parquet")
        assert (found.num_rows, found.schema.field("ward").type) == (0, pyarrow.string())


class TestMarkdown:
    def test_it_is_a_table_with_errors_and_notes(self, by_ward: Release, tmp_path: Path) -> None:
        lines = saved(by_ward, tmp_path, "a.md").decode().splitlines()
        assert lines[:2] == ["| ward | n | mean |", "| --- | ---: | ---: |"]
        for line, row in zip(lines[2:5], by_ward.cells(), strict=True):
            assert line == f"| {' | '.join(row)} |"
            assert "±" in line
        text = "\n".join(lines)
        assert "ε = 1, errors at 95%." in text
        assert by_ward.certificate.hash in text
        assert len([line for line in lines if line.startswith("- ")]) == len(by_ward.notes) + 1

    def test_markup_is_only_text(self, hostile: Release, tmp_path: Path) -> None:
        lines = saved(hostile, tmp_path, "a.md").decode().splitlines()
        table = [line for line in lines if line.startswith("|")]
        assert len(table) == 2 + len(hostile)
        assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in table)
        assert "<" not in "".join(lines)
        assert "\u202e" not in "".join(lines)
        assert "\x1b" not in "".join(lines)

    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ("a|b", r"a\|b"),
            ("<img src=x>", "&lt;img src=x&gt;"),
            ("[x](y) `c` *d* _e_", r"\[x\](y) \`c\` \*d\* \_e\_"),
            ("# x", r"\# x"),
            ("- x", r"\- x"),
            ("1. x", r"1\. x"),
            ("13.75 ± 0.9", "13.75 ± 0.9"),
            ("-20 ± 15", "-20 ± 15"),
            ("https://a.example www.b.example", r"https\://a.example www\.b.example"),
            ("\\|", "\\\\\\|"),
        ],
    )
    def test_what_would_be_markup_is_escaped(self, text: str, written: str) -> None:
        assert markdown_text(text) == written


class TestPictures:
    def test_all_outputs_are_in_one_file(self, by_ward: Release, tmp_path: Path) -> None:
        svg = saved(by_ward, tmp_path, "a.svg").decode()
        assert "n by ward, ε = 1" in svg
        assert "mean by ward, ε = 1" in svg
        assert saved(by_ward, tmp_path, "a.png").startswith(b"\x89PNG")

    def test_dates_are_a_line_and_wards_lines_of_it(self, by_ward: Release) -> None:
        places = [
            (str(date(2024, 1, 1) + timedelta(day)), ward)
            for day in range(365)
            for ward in ("ICU", "Oncology")
        ]
        cells = (by_ward.columns["n"] * 300)[: len(places)]
        yearly = replace(by_ward, keys=("day", "ward"), groups=tuple(places), columns={"n": cells})
        picture = yearly.plot()
        assert {row["name"] for row in picture.spec["data"]["values"]} == {"ICU", "Oncology"}
        assert len(picture.spec["data"]["values"]) == 730
        many = tuple((day, f"{ward}{place % 40}") for place, (day, ward) in enumerate(places))
        picture = replace(yearly, groups=many).plot()
        assert "the first 12 of 40 groups by ward" in str(picture.spec["title"]["subtitle"])
        assert len({row["name"] for row in picture.spec["data"]["values"]}) == 12

    def test_codes_that_are_texts_stay_categories(self, by_ward: Release) -> None:
        codes = tuple((f"{10115 + place}",) for place in range(9))
        coded = replace(by_ward, groups=codes, columns={"n": by_ward.columns["n"] * 3})
        assert '"bar"' in json.dumps(coded.plot().spec)
        numbered = replace(coded, groups=tuple((int(code),) for (code,) in codes))
        assert '"bar"' not in json.dumps(numbered.plot().spec)

    def test_what_is_not_finite_is_left_out_and_said(self, by_ward: Release) -> None:
        first, *rest = by_ward.columns["n"]
        cells = (replace(first, value=inf, error=BoundedError(lambda _: (0, inf))), *rest)
        picture = replace(by_ward, columns={"n": cells}).plot()
        assert "1 without a finite value are left out" in str(picture.spec["title"]["subtitle"])
        alone = replace(by_ward, groups=(("ICU",),), columns={"n": cells[:1]})
        assert "No value is finite." in alone.plot().svg

    def test_no_group_found_is_a_picture_too(self, by_ward: Release, tmp_path: Path) -> None:
        none = replace(by_ward, groups=(), columns={"n": (), "mean": ()})
        assert "No row is left." in saved(none, tmp_path, "a.svg").decode()
        found = replace(none, none_found="no group shown: a group needs about 26 people")
        assert "No group shown." in saved(found, tmp_path, "a.svg").decode()

    def test_open_ends_are_drawn_and_said(self, open_ended: Release, tmp_path: Path) -> None:
        svg = saved(open_ended, tmp_path, "a.svg").decode()
        assert "no upper end is known" in svg
        assert "no lower end is known" in svg


class TestBeforePaying:
    @pytest.mark.parametrize(
        ("name", "library", "extra"),
        [
            ("a.xlsx", "xlsxwriter", "excel"),
            ("a.png", "altair", "plot"),
            ("a.SVG", "vl_convert", "plot"),
        ],
    )
    def test_a_missing_package_is_named_before_a_charge(
        self, by_ward: Release, name: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        check_ending(Path(name))
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(
            DiscreetError, match=rf"not installed.* {re.escape(install_extra(extra))}$"
        ):
            check_ending(Path(name))

    @pytest.mark.parametrize("name", ["a.json", "a.csv", "a.html", "a.md", "a.parquet"])
    def test_the_core_writes_the_others(
        self, by_ward: Release, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for library in ("xlsxwriter", "altair", "vl_convert", "pyarrow", "pandas", "polars"):
            monkeypatch.setitem(sys.modules, library, None)
        check_ending(Path(name))
        assert saved(by_ward, tmp_path, name)

    @pytest.mark.parametrize("name", ["a.pdf", "a", "xlsx"])
    def test_another_ending_is_refused_with_a_list(self, name: str) -> None:
        with pytest.raises(DataError, match=r"\.parquet, \.png, \.svg\. Use one of them"):
            check_ending(Path(name))


def test_the_level_of_bounds_is_that_of_the_table(open_ended: Release) -> None:
    (lower, upper) = open_ended.columns["n"][0].interval(Fraction(95, 100))
    assert open_ended.to_dict()["n_upper"][0] == upper == inf
    assert open_ended.to_dict()["n_lower"][0] == floor(lower)  # of whole rows
    assert json.loads(open_ended.to_json())["rows"][0]["n_upper"] is None
