"""The page of an answer is whole, runs nothing, asks for nothing, and says true sentences."""

import re
import sys
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from math import exp, inf

import pytest

from discreet.privacy.estimates import BoundedError
from discreet.question.builder import AggregateExpression, col, people, rows
from discreet.release.release import Release
from discreet.release.report import (
    _up,
    asked_in_words,
    price_in_words,
    report_page,
)
from discreet.templates import package_text
from tests.release.released import HOSTILE, WARDS, released, visits

STYLE = package_text("release/report.css")
_VOID = {"meta", "br", "img", "input", "link", "hr"}


class Page(HTMLParser):
    """A page taken apart: every tag is closed, or it fails."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "svg"} & set(self.open):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def found(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(scope="module")
def answer() -> Release:
    return released(
        lambda table: (
            table.where(col("stay") > 2)
            .group_by("ward")
            .agg(
                patients=people(),
                mean=col("stay").mean(),
                p90=col("stay").quantile(0.9),
                day=col("admitted").median(),
            )
        ),
        unit="patient",
        max_groups=2,
        max_rows=5,
    )


@pytest.fixture(scope="module")
def hostile() -> Release:
    return released(
        lambda table: table.group_by("ward").agg(**{"<b>n</b>": rows()}),
        epsilon=5,
        wards=HOSTILE,
        delta="1/10000",
    )


@pytest.fixture(scope="module")
def single() -> Release:
    return released(lambda table: table.agg(n=rows(), m=col("stay").mean()))


@pytest.mark.parametrize("name", ["answer", "hostile", "single"])
class TestEveryPage:
    def test_it_asks_for_nothing(self, name: str, request: pytest.FixtureRequest) -> None:
        text = report_page(request.getfixturevalue(name))
        taken = Page(text)
        asking = {"script", "img", "link", "iframe", "object", "embed", "image", "use", "a", "base"}
        assert not asking & {tag for tag, _ in taken.tags}
        held = {attribute for _, attributes in taken.tags for attribute in attributes}
        assert not {"src", "href", "xlink:href", "srcset", "action"} & held
        assert not [attribute for attribute in held if attribute.startswith("on")]
        assert "http:" not in text
        assert "https:" not in text
        assert not re.search(r"@import|@font-face|url\(\s*['\"]?(?!#)", STYLE)
        (policy,) = [one for one in taken.found("meta") if "http-equiv" in one]
        assert str(policy["content"]).startswith("default-src 'none'")

    def test_it_can_be_read_without_eyes(self, name: str, request: pytest.FixtureRequest) -> None:
        taken = Page(report_page(request.getfixturevalue(name)))
        assert taken.found("html") == [{"lang": "en"}]
        assert all(one.get("scope") in ("row", "col") for one in taken.found("th"))
        assert len(taken.found("h1")) == 1
        ids = [one["id"] for _, one in taken.tags if "id" in one]
        assert len(ids) == len(set(ids))
        for attribute in ("aria-labelledby", "aria-describedby"):
            assert {one[attribute] for _, one in taken.tags if attribute in one} <= set(ids)
        hidden = [one for one in taken.found("svg") if one.get("height") == "14"]
        assert all(one["aria-hidden"] == "true" for one in hidden)

    def test_it_shows_every_number_of_the_table(
        self, name: str, request: pytest.FixtureRequest
    ) -> None:
        release: Release = request.getfixturevalue(name)
        shown = Page(report_page(release)).text
        for row in release.cells():
            assert all(" ".join(cell.split()) in shown for cell in row)

    def test_it_works_without_pictures(
        self, name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "altair", None)
        assert Page(report_page(request.getfixturevalue(name))).found("figure") == []


class TestPage:
    def test_it_tells_the_whole_story(self, answer: Release) -> None:
        text = Page(report_page(answer)).text
        certificate = answer.certificate
        for part in (
            "visits by ward",
            "The number of different patient, the mean of stay, the 0.9-quantile of stay and the "
            "median of admitted in visits, for each ward, counting only rows where (stay > 2).",
            certificate.question,
            "with all its rows. A patient counts for at most 5 rows in 2 groups.",
            "The exact number lies in the range in 95 of 100 answers.",
            "factor of at most 2.72",
            "What is “rank ±”?",
            f"entry {certificate.entry}",
            certificate.hash,
            *answer.notes,
        ):
            assert part in text

    def test_every_output_has_its_picture_inside(self, answer: Release) -> None:
        figures = Page(report_page(answer)).found("figure")
        assert [one["aria-label"] for one in figures] == [
            f"{name} by ward, ε = 1" for name in answer.columns
        ]

    def test_sql_is_shown_as_it_was_typed(self, answer: Release) -> None:
        typed = "SELECT ward,\n\tCOUNT(*) AS n -- <b>\nFROM visits\u202e GROUP BY ward\n"
        asked = replace(answer, written=typed)
        (shown,) = re.findall(r'<pre class="sql">(.*?)</pre>', report_page(asked), re.DOTALL)
        assert shown == (
            "SELECT ward,\n        COUNT(*) AS n -- &lt;b&gt;\nFROM visits\ufffd GROUP BY ward"
        )
        assert "<span>As asked</span>" not in report_page(asked)
        with visits() as table:
            sql = "SELECT COUNT(*)  AS n  FROM visits"
            assert f">{sql}</pre>" in report_page(table.sql(sql, epsilon=1))
            changed = table.ask(sql).where(col("stay") > 2).release(epsilon=1)
        assert changed.written == ""

    def test_a_range_without_an_end_fades_and_says_so(self, answer: Release) -> None:
        def open_ended(low: float, high: float) -> Release:
            cells = tuple(
                replace(one, truth=BoundedError(lambda _, at=one.value: (at + low, at + high)))
                for one in answer.columns["patients"]
            )
            return replace(answer, columns={"patients": cells})

        said = "Where the line fades, no end is known on that side."
        assert said not in Page(report_page(answer)).text
        for low, high, rising in ((-30, inf, True), (-inf, 30, False)):
            page = Page(report_page(open_ended(low, high)))
            assert said in page.text
            pieces = [
                one for one in page.found("line") if "opacity" in one and one.get("class") == "i"
            ]
            assert len(pieces) == 5 * len(answer)
            places = [[float(str(one[x]).rstrip("%")) for x in ("x1", "x2")] for one in pieces]
            assert all((start < end) is rising for start, end in places)
            assert all(0 <= end <= 100 for pair in places for end in pair)
            fading = [float(str(one["opacity"])) for one in pieces[:5]]
            assert fading == sorted(fading, reverse=True)
        nothing = Page(report_page(open_ended(-inf, inf)))
        assert said not in nothing.text

    def test_a_long_table_scrolls_in_a_box_and_is_printed_whole(self, answer: Release) -> None:
        def classes(release: Release) -> str:
            page = Page(report_page(release))
            return str(next(one for one in page.found("div") if one.get("role"))["class"])

        groups = tuple((f"g{place}",) for place in range(365))
        cells = (answer.columns["patients"] * 200)[:365]
        year = replace(answer, keys=("g",), groups=groups, columns={"patients": cells})
        assert "long" in classes(year)
        assert "long" not in classes(answer)
        assert len(Page(report_page(year)).found("tr")) >= 366
        on_paper = STYLE.partition("@media print")[2]
        assert re.search(r"\.scroll \{[^}]*max-height: none", on_paper)

    def test_on_a_phone_a_wide_table_becomes_cards(self, answer: Release) -> None:
        page = Page(report_page(answer))
        names = [one["data-name"] for one in page.found("td") if "data-name" in one]
        assert names == list(answer.columns) * len(answer)
        on_a_phone = STYLE.partition("@media (max-width: 40rem)")[2]
        assert "content: attr(data-name)" in on_a_phone
        assert (
            next(one for one in page.found("div") if one.get("role"))["class"] == "scroll several"
        )

    def test_on_a_phone_what_was_paid_has_a_line_for_each_part(self, answer: Release) -> None:
        boxes = [one for one in Page(report_page(answer)).found("div") if one.get("role")]
        assert boxes[1]["class"] == "scroll paid"
        on_a_phone = STYLE.partition("@media (max-width: 40rem)")[2]
        assert re.search(r":is\(\.paid, \.single\) :is\([^)]*td\) \{ display: block", on_a_phone)
        assert re.search(r"td\.n[^{]*\{[^}]*margin-right", on_a_phone), "a name touches no number"

    def test_what_the_line_is_stands_below_the_table(self, answer: Release) -> None:
        plain = "Each number stands with its error at 95%. The thin line below is that range"
        truth = "is the noise of what was counted, at 95%. The thin line below is where the truth"
        exact = released(lambda table: table.group_by("ward").agg(n=rows()))
        assert truth in Page(report_page(answer)).text
        assert plain not in Page(report_page(answer)).text
        assert plain in Page(report_page(exact)).text
        assert truth not in Page(report_page(exact)).text

    def test_keys_stay_while_many_columns_scroll(self, answer: Release) -> None:
        columns = {f"c{place}": answer.columns["patients"] for place in range(6)}
        groups = tuple((*group, True) for group in answer.groups)
        page = Page(
            report_page(replace(answer, keys=("ward", "b"), groups=groups, columns=columns))
        )
        lefts = [one.get("style") for one in page.found("th")[2 + 6 : 2 + 6 + 2]]
        assert lefts == ["left: 0rem", "left: 8rem"]
        assert re.search(r"\.pinned tbody th[^{]*\{ position: sticky", STYLE)

    def test_ranges_are_drawn_to_scale(self, answer: Release) -> None:
        bars = [one for one in Page(report_page(answer)).found("rect") if one.get("class") == "b"]
        widths = [float(str(one["width"]).rstrip("%")) for one in bars]
        values = [abs(one.value) for one in answer.columns["patients"]]
        assert len(widths) == len(WARDS)
        assert widths[0] * values[1] == pytest.approx(widths[1] * values[0], rel=0.01)

    def test_many_groups_are_cut(self, answer: Release) -> None:
        groups = tuple((f"g{place}",) for place in range(1500))
        columns = {"patients": answer.columns["patients"] * 500}
        text = Page(report_page(replace(answer, keys=("g",), groups=groups, columns=columns))).text
        assert "… 500 more groups" in text
        assert "Of the 1,500 on this page, up to about 75 can be expected to miss" in text

    def test_no_group_found_is_said(self, answer: Release) -> None:
        none = replace(answer, groups=(), columns={"patients": ()})
        assert "No row is left: a condition on the released numbers" in Page(report_page(none)).text

    def test_it_is_for_every_screen_and_for_paper(self) -> None:
        assert "prefers-color-scheme: dark" in STYLE
        assert "@media print" in STYLE
        assert "max-width: 40rem" in STYLE

    def test_pictures_are_dark_where_the_page_is(self, answer: Release) -> None:
        page = answer.report()
        assert package_text("plots/picture.css") in page
        (rule,) = re.findall(r"^figure \{.*", STYLE, re.MULTILINE)
        assert "background" not in rule

    @pytest.mark.parametrize("dark", [False, True])
    def test_text_stands_out(self, dark: bool) -> None:
        colors = dict(re.findall(r"--(\w+): (#\w+)", STYLE.split("@media")[int(dark)]))
        for text in ("ink", "quiet", "accent"):
            for ground in ("paper", "ground"):
                assert contrast(colors[text], colors[ground]) >= 4.5
        assert contrast(colors["range"], colors["bar"]) >= 3


def contrast(first: str, second: str) -> float:
    """The ratio of WCAG 2."""
    light, dark = sorted(map(luminance, (first, second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(2 * one for one in color[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class TestWords:
    def test_the_condition_is_said_as_it_was_asked(self) -> None:
        found = released(
            lambda table: table.where(col("ward") != " GROUP BY it's").agg(n=rows()),
        )
        assert "where (ward &lt;&gt; &#39; GROUP BY it&#39;&#39;s&#39;)." in report_page(found)
        plain = released(lambda table: table.agg(**{"a WHERE b": rows()}))
        assert "counting only" not in report_page(plain)

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            (rows(), "The number of rows in visits."),
            (col("ward").n_unique(), "The number of different values of ward in visits."),
            (
                (col("a") + 1).quantile([0.25, 0.5]),
                "The 0.25-quantile and the median of a + 1 in visits.",
            ),
            (col("age").max(), "About the largest age in visits."),
            (None, "Other(x) in visits."),
            (col("{x}").sum(), 'The sum of "{x}" in visits.'),
        ],
    )
    def test_a_question_is_a_sentence(
        self, answer: Release, asked: AggregateExpression | None, words: str
    ) -> None:
        one = {"output": "n", "asks": "other(x)", "mechanism": "", "epsilon": "1"}
        certificate = replace(answer.certificate, mechanisms=(one,))
        statistics = [None if asked is None else asked.aggregate]
        assert asked_in_words(certificate, statistics, [], "") == words

    @pytest.mark.parametrize("epsilon", ["0.001", "1/3", "1", "≈2.5", "8", "19.9"])
    def test_a_promise_is_never_rounded_down(self, answer: Release, epsilon: str) -> None:
        first, second = price_in_words(replace(answer.certificate, epsilon=epsilon))
        factor = exp(Fraction(epsilon.removeprefix("≈")))
        stated = re.search(r"factor of at most ([\d,.]+)", first)
        sure = re.search(r"at most ([\d.]+)% sure", second)
        assert stated is not None
        assert sure is not None
        assert factor <= float(stated[1].replace(",", "")) <= 1.02 * factor
        assert 100 * factor / (1 + factor) <= float(sure[1]) <= 100

    def test_a_price_that_protects_nobody_is_called_that(self, answer: Release) -> None:
        (sentence,) = price_in_words(replace(answer.certificate, epsilon="5000"))
        assert "protects nobody" in sentence

    def test_delta_takes_no_part_in_simple_promises(self, answer: Release) -> None:
        (sentence,) = price_in_words(replace(answer.certificate, delta="1e-06"))
        assert "by no more than δ = 1e-06 beyond that" in sentence

    def test_under_replacement_the_size_is_not_protected(self, answer: Release) -> None:
        first, second = price_in_words(replace(answer.certificate, neighbors="replace"))
        assert first.startswith("What one patient holds changes")
        assert "which of two things" in second

    def test_a_row_has_no_caps(self, single: Release) -> None:
        assert single.certificate.protected == "each row"

    def test_digits_are_rounded_up(self) -> None:
        assert [_up(1.0, 3), _up(1.001, 3), _up(9.999, 2)] == ["1.00", "1.01", "10.0"]


def test_a_price_that_protects_nobody_is_said_so_also_in_rho() -> None:
    """e to the power of such an ε is beyond the floats."""
    with visits() as opened:
        asked = opened.cube("ward").agg(n=rows())
        certificate = replace(asked.release(rho="1/10").certificate, rho="100000")
    [sentence] = price_in_words(certificate)
    assert "a factor of more than 10^44452, which protects nobody" in sentence


@pytest.mark.parametrize("having", [False, True])
def test_an_answer_without_a_row_has_a_report(having: bool) -> None:
    """It is paid for like any other."""
    asked = "HAVING COUNT(*) > 1000000" if having else "LIMIT 1 OFFSET 1"
    with visits() as opened:
        answer = opened.sql(f"SELECT COUNT(*) AS n, AVG(age) AS age FROM visits {asked}", epsilon=1)
    assert isinstance(answer, Release)
    for page in (answer.report(), answer._repr_html_()):
        assert "No row is left: a condition on the released numbers" in Page(page).text
