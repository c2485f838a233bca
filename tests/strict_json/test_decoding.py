"""JSON is read as one thing or not at all: what msgspec alone would let through is refused too."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from discreet.errors import DiscreetError, LedgerCorruptError
from discreet.ledger.entries import Anchor, Entry, Head
from discreet.local import Account, Memo, RandomizedResponse
from discreet.local.scheme import read_export, scheme
from discreet.release.certificate import Certificate
from discreet.release.kept_answer import NoisyMeasurements
from discreet.strict_json import Digest, Shape, decoded

POLL = RandomizedResponse(epsilon=1)


class Thing(Shape, frozen=True):
    number: int
    name: Annotated[str, Meta(max_length=3)] = ""
    version: Literal[1] = 1
    more: Any = None


@pytest.mark.parametrize(
    "text",
    [
        '{"number": 1, "number": 1}',
        '{"number": 1, "more": {"a": 1, "a": 1}}',
        '{"number": 1, "more": [{"a": 1, "a": 2}]}',
        '{"number": 1, "n\\u0075mber": 2}',
        '{"number": NaN}',
        '{"number": 1, "more": NaN}',
        '{"number": 1, "more": [Infinity]}',
        '{"number": 1, "more": -Infinity}',
        '{"number": 1.0}',
        '{"number": 1e0}',
        '{"number": true}',
        '{"number": "1"}',
        '{"number": null}',
        '{"number": 1, "name": 2}',
        '{"number": 1, "name": "long"}',
        '{"number": 1, "name": null}',
        '{"number": 1, "version": 1.0}',
        '{"number": 1, "version": true}',
        '{"number": 1, "version": 2}',
        '{"number": 1, "other": 2}',
        "{}",
        "[1]",
        "1",
        "null",
        "",
        "{'number': 1}",
        '{"number": 1,}',
        '{"number": 1} {"number": 1}',
        '\ufeff{"number": 1}',
        '{"number": ' + "9" * 5000 + "}",
        '{"number": 1, "more": ' + "[" * 100_000 + "]" * 100_000 + "}",
        b'\xef\xbb\xbf{"number": 1}',
        b'{"number": 1, "more": "\xff"}',
        b'{"number": 1, "more": "\xed\xa0\x80"}',
        '{"number": 1}'.encode("utf-16"),
        '{"number": 1}'.encode("utf-16-le"),
        {"number": 1},
        bytearray(b'{"number": 1}'),
        None,
    ],
)
def test_what_is_of_another_shape_or_has_two_meanings_is_refused(text: object) -> None:
    assert decoded(text, Thing) is None


@pytest.mark.parametrize("number", [0, -1, 2**63, -(2**63) - 1, 2**64, 10**400])
def test_integers_are_read_exactly_however_large(number: int) -> None:
    assert decoded(f'{{"number": {number}}}', Thing) == Thing(number)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_what_was_written_is_read(plain: Any) -> None:
    assert decoded(json.dumps([plain]), list) == [plain]
    assert decoded(json.dumps([plain], ensure_ascii=False).encode(), list) == [plain]


@pytest.mark.parametrize(
    "text", ["a" * 63, "a" * 65, "A" * 64, "a" * 64 + "\n", "\n" + "a" * 64, "g" * 64, "١" * 64]
)
def test_a_digest_is_64_letters_from_end_to_end(text: str) -> None:
    assert decoded(json.dumps("ab" * 32), Digest) == "ab" * 32  # type: ignore[arg-type]
    assert decoded(json.dumps(text), Digest) is None  # type: ignore[arg-type]


SECRET = "diagnosis-f20"
READERS: dict[str, Callable[[str], object]] = {
    "scheme": scheme,
    "report": POLL.report_from_wire,
    "export": read_export,
    "account": Account.from_json,
    "memo": Memo.from_json,
    "anchor": Anchor.read,
    "certificate": Certificate.read,
    "kept answer": lambda text: NoisyMeasurements.from_bytes(text.encode()),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    "text",
    [
        f'{{"{SECRET}": "{SECRET}"}}',
        f'{{"format": "{SECRET}", "version": "{SECRET}", "scheme": "{SECRET}"}}',
        f'{{"scheme": "{SECRET}", "report": "{SECRET}", "reports": ["{SECRET}"]}}',
        f'{{"entries": "{SECRET}", "hash": "{SECRET}", "time": "{SECRET}"}}',
        f'"{SECRET}',
        f'["{SECRET}"]',
    ],
)
def test_no_error_quotes_what_it_read(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(DiscreetError) as refused:
        read(text)
    error: BaseException | None = refused.value
    while error is not None:
        if not (read is Certificate.read and text.startswith(f'{{"{SECRET}"')):  # names of fields
            assert SECRET not in str(error)
        error = error.__cause__ or error.__context__


_TEXTS = [one for one in Entry._fields if one not in ("sequence", "charge")]
_WRONG: list[tuple[str, object]] = [
    (name, value) for name in Entry._fields for value in (True, 1.0, b"1", [1])
]
_WRONG += [(name, value) for name in ("sequence", "charge") for value in ("1", "\ud800")]
_WRONG += [(name, 1) for name in _TEXTS]
_WRONG += [(name, None) for name in Entry._fields if name not in ("analyst", "key", "charge")]


@pytest.mark.parametrize(("name", "value"), _WRONG)
def test_a_row_with_a_field_of_another_type_is_no_entry(name: str, value: object) -> None:
    entry = Entry.after(Head(), time="", kind="charge", dataset="visits", body={})
    row = tuple((entry._asdict() | {name: value}).values())
    assert Entry.read(tuple(entry)) == entry
    with pytest.raises(LedgerCorruptError, match="a field of the wrong type"):
        Entry.read(row)
