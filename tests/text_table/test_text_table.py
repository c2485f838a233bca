"""Columns stand below each other, and every text is shown as it is."""

from hypothesis import given
from hypothesis import strategies as st

from discreet.text_table import aligned, padded

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
