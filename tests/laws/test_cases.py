"""A table of cases that is one test fails for every case that fails, and names it."""

import pytest

from tests.support.cases import each


def failure(test) -> str:
    with pytest.raises(AssertionError) as failed:
        test()
    return str(failed.value)


def test_every_case_is_tried():
    tried = []

    @each("first", ["a", "b"])
    @each(("second", "third"), [(1, 2), (3, 4)])
    def table(first, second, third):
        tried.append((first, second, third))

    table()
    assert tried == [("a", 1, 2), ("a", 3, 4), ("b", 1, 2), ("b", 3, 4)]


def test_a_case_that_fails_is_named_and_the_others_are_tried():
    tried = []

    @each("number", range(5))
    def table(number):
        tried.append(number)
        assert number not in (1, 3), "odd"

    shown = failure(table)
    assert tried == [0, 1, 2, 3, 4]
    assert shown.splitlines()[0] == "2 of 5 cases failed:"
    assert "number=1: AssertionError: odd" in shown
    assert "number=3: AssertionError: odd" in shown
    assert "number=2" not in shown


@pytest.mark.parametrize("ids", [["one", "two"], {"one": 1, "two": 2}, {1: "one", 2: "two"}.get])
def test_a_case_is_called_what_its_table_calls_it(ids):
    @each("number", [1, 2], ids=ids)
    def table(number):
        assert number != 2

    shown = failure(table)
    assert "two: AssertionError" in shown.replace("number=", "")
    assert "one" not in shown


def test_whatever_ends_a_case_is_its_failure():
    def refused():
        with pytest.raises(ValueError, match="wrong"):
            pass

    endings = [refused, lambda: 1 / 0, lambda: pytest.skip("later"), lambda: pytest.fail("wrong")]

    @each("ending", endings, ids=["not raised", "error", "skip", "fail"])
    def table(ending):
        ending()

    shown = failure(table)
    assert shown.splitlines()[0] == "4 of 4 cases failed:"
    for name in ("not raised: Failed", "error: ZeroDivisionError", "skip: Skipped", "fail: Failed"):
        assert name in shown


def test_what_stops_a_run_stops_it():
    @each("number", range(3))
    def table(number):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table()


def test_a_value_that_cannot_be_shown_is_named_by_its_place():
    class Raising:
        def __repr__(self):
            raise RuntimeError("8675309")

    @each("value", [Raising(), "x" * 10_000, lambda: 0, 10**5_000])
    def table(value):
        raise ValueError("y" * 10_000)

    shown = failure(table)
    for place in (1, 3, 4):
        assert f"value=number {place}: ValueError" in shown
    assert len(shown) < 3_000


@pytest.mark.parametrize("axis", ["below", "beside"])
@each("number", [1, 2])
@pytest.mark.parametrize("other", ["above"])
def test_tables_stand_beside_those_of_pytest(request, axis, number, other):
    assert (axis in ("below", "beside"), number in (1, 2), other) == (True, True, "above")
    assert set(request.fixturenames) >= {"axis", "other"}
    assert "number" not in request.fixturenames


def test_a_table_that_tries_nothing_is_refused():
    with pytest.raises(ValueError, match="no case"):
        each("number", [])
    with pytest.raises(ValueError, match="2 cases of number have 1 names"):
        each("number", [1, 2], ids=["one"])
    with pytest.raises(ValueError, match="takes no argument nothing"):
        each("nothing", [1])(lambda number: None)
