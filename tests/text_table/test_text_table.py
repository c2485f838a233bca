"""Columns stand below each other, and every text is shown as it is."""

from hypothesis import given
from hypothesis import strategies as st

from discreet.text_table import TextTable, aligned, padded, text_width

WORD = st.text("abé±", max_size=5)


@given(st.integers(1, 4).flatmap(lambda wide: st.lists(st.tuples(*[WORD] * wide), max_size=5)))
def test_each_column_begins_at_one_place(rows: list[tuple[str, ...]]) -> None:
    lines = aligned(rows)
    assert len(lines) == len(rows)
    begin = 0
    for column in zip(*rows, strict=True):
        wide = max(map(len, column))
        for line, text in zip(lines, column, strict=True):
            assert line[begin : begin + wide].ljust(wide) == text.ljust(wide)
        begin += wide + 2
    assert all(line == line.rstrip() for line in lines)


def test_nothing_has_no_lines() -> None:
    assert aligned([]) == padded([]) == []


LONG = "121,074 ± 4,400 counted, 116,700 to 128,973 in truth (likely)"


def test_at_80_columns_a_number_stands_beside_its_keys() -> None:
    rows = (("EWR", "United Airlines", LONG), ("LaGuardia airport", "Delta", LONG))
    (table,) = TextTable(("origin", "carrier", "flights"), rows, 2).fitted(80)
    lines = table.lines()
    assert lines[0].split() == ["origin", "carrier", "flights"]
    assert lines[1].startswith("EWR")
    assert "121,074 ± 4,400 counted" in lines[1]
    assert lines[2].strip() == "in truth (likely)"
    assert lines[2].index("in") == lines[1].index("121,074")


def test_a_cell_on_several_lines_keeps_where_it_begins() -> None:
    rows = (("EWR", "United Airlines", f"   {LONG}"), ("LaGuardia airport", "Delta", f" {LONG}"))
    (table,) = TextTable(("origin", "carrier", "flights"), rows, 2).fitted(80)
    first, second = table.rows[0][2].split("\n")
    assert first.startswith("   121,074")
    assert second.startswith("   ")


@given(
    keys=st.integers(1, 3),
    lengths=st.lists(st.integers(0, 70), min_size=2, max_size=5),
    width=st.integers(30, 120),
)
def test_no_table_is_wider_than_there_is_room_and_no_word_is_lost(
    keys: int, lengths: list[int], width: int
) -> None:
    keys = min(keys, len(lengths) - 1)
    row = tuple(" ".join(["word"] * (length // 5 + 1)) for length in lengths)
    header = tuple("name of it" * (1 + length // 40) for length in lengths)
    tables = TextTable(header, (row, row), keys).fitted(width)
    words = 0
    for table in tables:
        assert all(text_width(line) <= width for line in table.lines())
        words += sum(text.count("word") for line in table.rows for text in line[table.keys :])
    if all(any(table.header) for table in tables):  # else keys and numbers stand below each other
        assert words == 2 * sum(text.count("word") for text in row[keys:])
