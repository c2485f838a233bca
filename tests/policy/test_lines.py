"""An error names the line on which its field is set, however the TOML is written."""

import tomllib
from dataclasses import dataclass, field

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from discreet.policy.policy_file import line_of

TRAPS = '''\
# stay = 1
title = """
stay = 2
[columns]
"""
"quoted key" = 3
'literal' = [
  "stay = 4",  # stay = 5
  [1, 2],
]
budget.epsilon = 1
budget . delta = 2
inline = { stay = 6, deep.er = { est = [
  7] }, "x.y" = 8 }

  [ columns ]  # stay
"a.b" = 1
stay = { low = 0, high = 1 }

[private."x.y"]
max_rows = 3
[private."x.y".columns]
stay = 9
[[list]]
stay = 10
[[list]]
other = 11
[list.sub]
stay = 12
[public]
[private.later]
stay = 13
'''


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("title",), 2),
        (("quoted key",), 6),
        (("literal",), 7),
        (("budget",), 11),
        (("budget", "epsilon"), 11),
        (("budget", "delta"), 12),
        (("inline",), 13),
        (("inline", "stay"), 13),
        (("inline", "deep", "er", "est"), 13),
        (("inline", "x.y"), 13),
        (("columns",), 16),
        (("columns", "a.b"), 17),
        (("columns", "stay"), 18),
        (("columns", "stay", "high"), 18),
        (("private",), 20),
        (("private", "x.y"), 20),
        (("private", "x.y", "max_rows"), 21),
        (("private", "x.y", "columns", "stay"), 23),
        (("private", "later", "stay"), 32),
        (("list",), 24),
        (("list", "stay"), 25),
        (("list", "other"), 27),
        (("list", "sub", "stay"), 29),
        (("public",), 30),
        (("public", "wards"), 30),  # not there: its table is
        (("private", "later", "columns", "stay"), 31),
        (("stay",), None),
        (("a", "b"), None),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_field_is_found_where_it_is_set(
    keys: tuple[str, ...], line: int | None, end: str
) -> None:
    assert tomllib.loads(TRAPS)
    assert line_of(TRAPS.replace("\n", end), keys) == line


LONG = {"array": "[" + "\n1," * 20_000 + "\n]", "text": "'''" + "\na" * 20_000 + "\n'''"}


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_a_long_value_is_read_at_once(value: str) -> None:
    assert line_of(f"a = {value}\nb = 1", ("b",)) == 20_003


def test_only_line_feeds_end_a_line() -> None:
    text = '# \u2028 \u0085\na = "\u2028"\nb = 1\n'
    assert line_of(text, ("b",)) == 3


# ---------------------------------------------------------------------- the naive twin
#
# It writes documents line by line, and so knows on which line it has put each field.

NAMES = st.sampled_from(["a", "b", "stay", "x.y", "a b", "é", "low", '"', "1", "#", "[a]", ""])


def written(name: str, quotes: str) -> str:
    if name.isascii() and name.isalnum() and not quotes:
        return name
    if quotes == "'" and "'" not in name:
        return f"'{name}'"
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass
class Written:
    """A document, and the line of the first statement that sets each path."""

    lines: list[str] = field(default_factory=list)
    found: dict[tuple[str, ...], int] = field(default_factory=dict)

    def put(self, text: str) -> None:
        self.lines += text.split("\n")

    def set(self, keys: tuple[str, ...], line: int) -> None:
        for depth in range(1, len(keys) + 1):
            self.found.setdefault(keys[:depth], line)


@st.composite
def statement(draw: st.DrawFn, document: Written, within: tuple[str, ...]) -> None:
    keys = tuple(draw(st.lists(NAMES, min_size=1, max_size=3)))
    dots = draw(st.sampled_from([".", " . ", ". "]))
    name = dots.join(written(key, draw(st.sampled_from(["", "'", '"']))) for key in keys)
    here, line = (*within, *keys), len(document.lines) + 1
    document.set(here, line)
    kind = draw(st.sampled_from(["number", "text", "lines", "array", "inline"]))
    match kind:
        case "text":
            value = draw(st.sampled_from(['"stay = 1"', "'[a]'", '"# b"', '"\\n"', "'''x'''"]))
        case "lines":
            middle = draw(st.sampled_from(["stay = 1", "[a]", "[[b]]", "", '\\"""', "a = '''"]))
            value = f'"""\n{middle}\n b = 2"""'
        case "array":
            value = draw(st.sampled_from(["[]", "[1,\n 2]", '[ # a = 1\n"b = 2",\n\n]', "[\n]"]))
        case "inline":
            inner = draw(st.lists(NAMES, max_size=3, unique=True))
            parts = []
            for one in inner:
                document.set((*here, one), line)
                part = draw(st.sampled_from(["1", "[\n]", '"""\na = 1"""', "{}", "[{a = 1}]"]))
                parts.append(f"{written(one, '')} = {part}")
            value = "{ " + ", ".join(parts) + " }"
        case _:
            value = draw(st.sampled_from(["1", "-0.5", "true", "2026-01-31", "0x1F"]))
    comment = draw(st.sampled_from(["", " # stay = 3", "  #[a]"]))
    document.put(f"{draw(st.sampled_from(['', '  ']))}{name} = {value}{comment}")


@st.composite
def documents(draw: st.DrawFn) -> Written:
    document = Written()
    within: tuple[str, ...] = ()
    for _ in range(draw(st.integers(1, 8))):
        match draw(st.sampled_from(["blank", "comment", "heading", "array", "set", "set", "set"])):
            case "blank":
                document.put(draw(st.sampled_from(["", "  "])))
            case "comment":
                document.put(draw(st.sampled_from(["# a = 1", "#[a]", '# """'])))
            case "set":
                draw(statement(document, within))
            case kind:
                within = tuple(draw(st.lists(NAMES, min_size=1, max_size=3)))
                document.set(within, len(document.lines) + 1)
                name = ".".join(written(key, "") for key in within)
                document.put(f"[[{name}]]" if kind == "array" else f"[ {name} ] # b = 1")
    return document


@given(documents(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_line_is_that_of_the_naive_twin(document: Written, end: str, last: bool) -> None:
    text = end.join(document.lines) + (end if last else "")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # a name that was set before
        event("not TOML")
        return
    for keys, line in document.found.items():
        assert line_of(text, keys) == line, (text, keys)
