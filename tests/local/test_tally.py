"""Tallies: they add up, do not grow with the reports, and survive as bytes or not at all."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, DiscreetError
from discreet.local import Mean, RandomizedResponse, SubsetSelection, Tally, UnaryEncoding
from discreet.local.scheme import Scheme
from tests.local.scheme_twins import schemes

FORMS: list[Scheme] = [*schemes(1, 5), *schemes(2, ["a", "b", "ç"])]
kinds = pytest.mark.parametrize("form", FORMS, ids=repr)


def some_reports(form: Scheme, people: int) -> object:
    keys = list(form._answers.keys)  # type: ignore[attr-defined]
    return form.randomize([keys[at % len(keys)] for at in range(people)])


@kinds
def test_shards_add_up_to_the_whole(form: Scheme) -> None:
    reports = some_reports(form, 60)
    whole = form.tally(reports)
    shards = [form.tally(reports[at : at + 20]) for at in (0, 20, 40)]  # type: ignore[index]
    merged = shards[2].merge(shards[0]).merge(shards[1])
    one_by_one = form.tally()
    for report in reports:  # type: ignore[attr-defined]
        one_by_one.add(report)
    assert whole == merged == one_by_one
    assert len(whole) == whole.reports == 60
    found, expected = form.estimate(merged), form.estimate(reports)
    assert found.to_dict() == expected.to_dict()


@kinds
def test_a_tally_survives_as_bytes_and_does_not_grow(form: Scheme) -> None:
    tally = form.tally(some_reports(form, 50))
    data = tally.to_bytes()
    read = Tally.from_bytes(data)
    assert read == tally
    assert read.scheme == form
    assert read.to_bytes() == data
    assert len(form.tally(some_reports(form, 5000)).to_bytes()) == len(data)
    read.add(some_reports(form, 10))
    assert read.reports == 60
    assert Tally.from_bytes(form.tally().to_bytes()).reports == 0


def test_a_tally_of_means_survives_too() -> None:
    form = Mean(low=0, high=10, epsilon=1)  # type: ignore[arg-type]
    tally = form.tally(form.randomize([3.5] * 100))
    assert Tally.from_bytes(tally.to_bytes()) == tally


@kinds
def test_every_changed_byte_is_noticed(form: Scheme) -> None:
    data = form.tally(some_reports(form, 7)).to_bytes()
    for at in range(0, len(data), 7):
        changed = bytearray(data)
        changed[at] ^= 1
        with pytest.raises(DataError):
            Tally.from_bytes(bytes(changed))
    for other in (b"", data[:-1], data + b"\0", data[1:], bytearray(data), None, 5, "x" * 99):
        with pytest.raises(DataError):
            Tally.from_bytes(other)  # type: ignore[arg-type]


@given(st.binary(max_size=200))
def test_noise_is_no_tally(data: bytes) -> None:
    with pytest.raises(DataError):
        Tally.from_bytes(data)


def forged(form: Scheme, reports: int, counts: list[int]) -> bytes:
    """A tally with any numbers and a right checksum."""
    tally = form.tally()
    tally.reports, tally.counts = reports, np.array(counts, np.int64)
    return tally.to_bytes()


def test_numbers_that_no_reports_have_are_refused() -> None:
    pair, bits = RandomizedResponse(epsilon=1), UnaryEncoding(epsilon=1, categories=2)  # type: ignore[arg-type]
    three = SubsetSelection(epsilon=1, categories=3)  # type: ignore[arg-type]
    for form, reports, counts in [
        (pair, 3, [1, 1]),
        (pair, 0, [-1, 1]),
        (pair, -1, [-1, 0]),
        (pair, 3, [1, 1, 1]),
        (bits, 3, [4, 0]),
        (bits, 3, [-1, 0]),
        (three, 3, [1, 1, 0]),
        (three, 1, [2, -1, 0]),
    ]:
        with pytest.raises(DataError):
            Tally.from_bytes(forged(form, reports, counts))
    assert Tally.from_bytes(forged(pair, 3, [1, 2])).reports == 3


def test_a_scheme_that_is_not_written_in_its_one_form_is_refused() -> None:
    tally = RandomizedResponse(epsilon=1).tally([1])
    data = tally.to_bytes()
    text = tally.scheme.to_json().encode()
    spaced = text.replace(b'", "', b'",  "')
    body = data[:-32].replace(text, spaced)
    body = body[:16] + len(spaced).to_bytes(4, "little") + body[20:]
    with pytest.raises(DataError):
        Tally.from_bytes(body + sha256(body).digest())
    weaker = text.replace(b'"epsilon": "1"', b'"epsilon": "2"')
    body = data[:-32].replace(text, weaker)
    with pytest.raises(DiscreetError):
        Tally.from_bytes(body + sha256(body).digest())


def test_tallies_of_different_schemes_do_not_mix() -> None:
    tally = RandomizedResponse(epsilon=1).tally([1])
    others = [RandomizedResponse(epsilon=2).tally([1]), RandomizedResponse.two_coin().tally([1])]
    for other in [*others, tally, None, 5]:
        with pytest.raises(DataError):
            tally.merge(other)  # type: ignore[arg-type]
    assert tally.reports == 1


def test_a_tally_does_not_overflow() -> None:
    poll = RandomizedResponse(epsilon=1)
    tally = poll.tally()
    tally.reports, tally.counts[1] = 1 << 40, 1 << 40
    with pytest.raises(DataError, match="2\\^40"):
        tally.add([1])
    with pytest.raises(DataError):  # whose interval would take hours
        Tally.from_bytes(forged(poll, 1 << 62, [1 << 61, 1 << 61]))
    mean = Mean(low=0, high=10, epsilon=1, kind="duchi")  # type: ignore[arg-type]
    most = forged(mean, 1 << 38, [1 << 38, 1, 0, 0, 0])
    assert Tally.from_bytes(most).reports == 1 << 38
    with pytest.raises(DataError):
        Tally.from_bytes(forged(mean, 1 << 39, [1 << 39, 1, 0, 0, 0]))


def test_a_refused_report_leaves_the_tally_as_it_was() -> None:
    tally = RandomizedResponse(epsilon=1).tally([1, 0])
    with pytest.raises(DataError):
        tally.add([1, 0, 7])
    assert tally == RandomizedResponse(epsilon=1).tally([1, 0])
    assert repr(tally) == "Tally(2 reports of RandomizedResponse(epsilon=1))"
