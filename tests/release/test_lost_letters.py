"""No page and no file of an answer shows the mark of a letter that was lost, where none was."""

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pyarrow.parquet
import pytest

from discreet import regression
from discreet.cli.terminal import answer_tables, console, show_answer
from discreet.question.builder import col, rows
from discreet.release.release import Release
from discreet.text_table import printable
from tests.release.released import visits

MARK = "\N{REPLACEMENT CHARACTER}"
FILES = ["html", "md", "csv", "json", "svg", "xlsx", "parquet"]
SPACED = ("Ward\u00a01", "病\u3000棟", "1\u202f000")
"""Labels with blanks that break no line, which people write."""


@pytest.fixture(scope="module")
def answers() -> dict[str, Release]:
    with visits(unit="patient", max_groups=2, max_rows=5, at_most_rows=9) as table:
        table.profile(epsilon=1)
        asked = {
            "groups": table.group_by("ward").agg(n=rows(), m=col("stay").mean()),
            "total": table.agg(n=rows(), m=col("stay").median()),
            "cube": table.cube("ward", col("age") > 50).agg(n=rows()),
            "empty": table.ask("SELECT COUNT(*) AS n FROM visits HAVING COUNT(*) > 10000"),
            "regression": table.agg(fit=regression(col("stay"), col("age"))),
        }
        found = {name: one.release(epsilon="0.1", delta="1e-6") for name, one in asked.items()}
    spaced = tuple((label,) for label in SPACED)
    return found | {"groups": replace(found["groups"], groups=spaced)}


def written(path: Path) -> Iterator[str]:
    """The texts in a file."""
    data = path.read_bytes()
    if path.suffix == ".xlsx":
        with ZipFile(BytesIO(data)) as book:
            yield from (book.read(name).decode() for name in book.namelist())
    elif path.suffix == ".parquet":
        table = pyarrow.parquet.read_table(path)
        yield f"{table.to_pydict()} {table.schema.metadata}"
    else:
        yield data.decode()


@pytest.mark.parametrize("ending", FILES)
def test_no_file_has_one(answers: dict[str, Release], ending: str, tmp_path: Path) -> None:
    for name, answer in answers.items():
        for text in written(answer.save(tmp_path / f"{name}.{ending}")):
            assert MARK not in text, name


def test_nothing_that_is_shown_has_one(
    answers: dict[str, Release], capsys: pytest.CaptureFixture[str]
) -> None:
    for answer in answers.values():
        show_answer(answer, [])
        shown = [repr(answer), answer._repr_html_(), str(answer.certificate)]
        shown += [answer.certificate._repr_html_(), capsys.readouterr().out]
        assert not any(MARK in text for text in shown)
    assert "Ward\u00a01" in repr(answers["groups"])
    assert answer_tables(answers["groups"], console().width)


def test_a_letter_that_hides_something_is_still_marked() -> None:
    """The control."""
    hiding = "\u202e\x1b\x00\u200b\n\u2028\U000e0041"
    assert printable(hiding) == MARK * len(hiding)
    assert printable("\u00a0\u2003\u3000 ") == "\u00a0\u2003\u3000 "
