"""On a narrow terminal keys are never left out: what does not fit is stacked."""

from itertools import product
from unittest.mock import patch

import pytest
from rich.console import Console
from rich.table import Table

import discreet as dp
from discreet.cli import terminal
from discreet.release.plan import Plan
from discreet.release.release import Release
from discreet.text_table import TextTable, text_width

WARDS = ("Department of internal medicine and gastroenterology", "Intensive care", "外科病棟")
KEYS = ("ward", "smoker", "insured")


def drawn(tables: list[Table], width: int) -> list[list[str]]:
    """The lines of each table on a terminal of a width, which cuts what is wider."""
    shown = Console(width=width, highlight=False, color_system=None)
    parts = []
    for table in tables:
        with shown.capture() as captured:
            shown.print(table)
        parts.append(captured.get().splitlines())
    return parts


@pytest.fixture(scope="module")
def table() -> dp.Table:
    rows = {
        "ward": [WARDS[place % 3] for place in range(3000)],
        "smoker": [place % 2 == 0 for place in range(3000)],
        "insured": [place % 7 > 2 for place in range(3000)],
        "stay": [place % 30 for place in range(3000)],
    }
    import pandas

    return dp.table(
        pandas.DataFrame(rows),
        name="visits",
        unit="row",
        budget=dp.Budget(epsilon=20, delta=1e-6),
        columns={
            "ward": dp.category(list(WARDS)),
            "smoker": dp.boolean(),
            "insured": dp.boolean(),
            "stay": dp.number(0, 30),
        },
        ledger=":memory:",
    )


def outputs(many: int) -> dict[str, object]:
    """Outputs with names and numbers of different widths."""
    stay = dp.col("stay")
    every = [dp.rows(), stay.mean(), stay.sum(), stay.median(), stay.max()]
    names = ("n", "mean_length_of_stay", "days", "middle", "longest")
    return {f"{names[at % 5]}_{at}": every[at % 5] for at in range(many)}


@pytest.fixture(scope="module")
def answers(table: dp.Table) -> dict[tuple[int, int], Release]:
    cases = product((0, 1, 2, 3), (1, 2, 5, 9))
    return {
        (keys, many): table.group_by(*KEYS[:keys]).agg(**outputs(many)).release(epsilon=1)
        for keys, many in cases
    }


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("keys", [0, 1, 2, 3])
@pytest.mark.parametrize("many", [1, 2, 5, 9])
def test_every_key_and_number_is_shown_at_any_width(
    answers: dict[tuple[int, int], Release], width: int, keys: int, many: int
) -> None:
    release = answers[keys, many]
    parts = drawn(terminal.answer_tables(release, width), width)
    text = "".join(line.replace(" ", "") for part in parts for line in part)
    assert "…" not in text
    for row in release.cells():
        for cell in row[keys:]:
            assert cell.replace(" ", "") in text, cell
    for part in parts:
        assert max(map(text_width, part)) <= width
        words = "".join("".join(part).split())
        for ward in WARDS if keys else ():
            assert ward[:8].replace(" ", "") in words, part


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("many", [1, 2, 5, 9])
def test_every_line_of_a_plan_is_shown_at_any_width(table: dp.Table, width: int, many: int) -> None:
    plan = table.group_by("ward").agg(**outputs(many)).plan(epsilon=1)
    parts = drawn(terminal.plan_tables(plan, width), width)
    text = "".join(line.replace(" ", "") for part in parts for line in part)
    for line in plan.lines:
        for words in (line.output, line.asks, line.margin_text, line.price):
            assert words.replace(" ", "") in text, words
    assert all(max(map(text_width, part)) <= width for part in parts)


def test_what_fits_is_one_table(answers: dict[tuple[int, int], Release]) -> None:
    assert len(terminal.answer_tables(answers[3, 9], 1_000)) == 1
    assert len(terminal.answer_tables(answers[1, 1], 80)) == 1
    assert len(terminal.answer_tables(answers[1, 9], 80)) > 1


@pytest.mark.parametrize("many", [1, 2, 5, 9])
@pytest.mark.parametrize("keys", [0, 1, 2, 3])
def test_in_python_a_table_is_at_most_80_columns_wide(
    answers: dict[tuple[int, int], Release], keys: int, many: int
) -> None:
    text = repr(answers[keys, many])
    assert max(map(text_width, text.splitlines())) <= 80
    words = "".join(text.split())
    for name in answers[keys, many].columns:
        assert name in words
    for cell in {row[0] for row in answers[keys, many].cells()} if keys else ():
        assert cell.split()[0] in text


def test_keys_without_room_for_numbers_beside_them_stand_above_them() -> None:
    long = TextTable(("a", "b", "n"), (("x" * 40, "y" * 40, "1 between 2 and 3" * 2),), 2)
    (part,) = long.fitted(40)
    lines = part.lines()
    assert max(map(text_width, lines)) <= 40
    assert "".join("".join(lines).split()).count("x") == 40


def test_long_notes_are_wrapped_below_their_label(
    table: dp.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    plan: Plan = table.agg(**{f"mean_{at}": dp.col("stay").mean() for at in range(9)}).plan(
        epsilon=1
    )
    with patch.object(terminal, "_ENDLESS", 80):
        terminal.show_plan(plan)
    lines = capsys.readouterr().out.splitlines()
    note = next(place for place, line in enumerate(lines) if line.startswith("note"))
    assert lines[note + 1].startswith(" " * 10 + "mean_")
    assert max(map(len, lines)) <= 80
