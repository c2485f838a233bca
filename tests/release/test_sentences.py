"""What plans, answers and refusals say is true, and in the words of the field."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy
import pandas
import pytest

import discreet as dp
from discreet.errors import Front, PolicyError, PrivacyParameterError, QueryError
from discreet.plan.schema import protected_text
from discreet.policy.template import template

DAYS = pandas.date_range("2025-01-01", periods=40).astype(str).tolist()


def opened(**declared: object) -> dp.Table:
    """2,000 people with 1 to 12 rows, over 40 days."""
    draw = numpy.random.default_rng(1)
    ids = numpy.repeat(numpy.arange(2000), draw.integers(1, 13, 2000))
    frame = pandas.DataFrame(
        {
            "id": ids,
            "sex": draw.choice(["F", "M"], len(ids)),
            "day": draw.choice(DAYS, len(ids)),
        }
    )
    given: dict[str, object] = {
        "name": "t",
        "unit": "id",
        "columns": {"sex": dp.category(["F", "M"]), "day": dp.date(DAYS[0], DAYS[-1])},
        "budget": dp.Budget(epsilon=20, delta="1e-3"),
        "max_groups": 2,
        "max_rows": 2,
        "ledger": ":memory:",
    }
    return dp.table(frame, **(given | declared))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def known() -> Iterator[dp.Table]:
    """Its caps are far too low; how many rows people have is known."""
    with opened(at_most_rows=12) as table:
        table.profile(epsilon=2)
        yield table


def test_another_cap_is_praised_for_the_interval_that_it_gives(known: dp.Table) -> None:
    question = known.agg(n=dp.rows())
    plan = question.plan(epsilon=2)
    (note,) = (one for one in plan.notes if "narrower" in one)
    said = re.fullmatch(
        r"n: with max_rows = (\d+) declared for the table, the whole interval would be (.*) times "
        r"narrower\.",
        note,
    )
    assert said is not None
    cap, times = int(said[1]), float(said[2].replace(",", ""))
    with opened(at_most_rows=12, max_rows=cap) as table:
        table.profile(epsilon=2)
        better = table.agg(n=dp.rows()).release(epsilon=2)["n"]
    now = plan.release()["n"]
    found = (now.upper - now.lower) / (better.upper - better.lower)
    assert 0.7 * times <= found <= 1.5 * times


def test_what_is_left_out_may_be_in_any_group(known: dp.Table) -> None:
    said = "The rows left out may be in any group."
    by_sex = known.group_by("sex").agg(n=dp.rows()).plan(epsilon=1)
    assert any(said in note for note in by_sex.notes)
    assert not any(said in note for note in known.agg(n=dp.rows()).plan(epsilon=1).notes)


def test_nothing_is_assumed_where_a_ceiling_is_declared(known: dp.Table) -> None:
    plan = known.group_by("sex").agg(n=dp.rows()).plan(epsilon=1)
    assert not any(note.startswith("likely") for note in plan.notes)
    with opened() as table:
        table.profile(epsilon=2)
        assumed = table.group_by("sex").agg(n=dp.rows()).plan(epsilon=1)
    assert any(note.startswith("likely") for note in assumed.notes)


def test_a_ceiling_of_another_table_is_no_assumption() -> None:
    """Of its rows a profile of the first table says nothing, and everybody has one at most."""
    people = pandas.DataFrame({"id": range(2000), "town": ["N", "S"] * 1000})
    beside = dp.beside(
        people, columns={"town": dp.category(["N", "S"])}, max_rows=1, at_most_rows=1
    )
    with opened(private={"people": beside}) as table:
        table.profile(epsilon=2)
        plan = table.ask("SELECT town, COUNT(*) AS n FROM people GROUP BY town").plan(epsilon=1)
    assert not any("has more than 1 row" in note for note in plan.notes)
    assert not any("A declared ceiling makes it sure" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("sql", "fact"),
    [
        ("SELECT sex, COUNT(*) AS n FROM t GROUP BY CUBE(sex)", "A cube needs δ as well as ε"),
        (
            "SELECT day, SUM(COUNT(*)) OVER (ORDER BY day) AS n FROM t GROUP BY day",
            "Running totals need δ as well as ε",
        ),
    ],
)
def test_what_is_measured_together_asks_for_a_delta(known: dp.Table, sql: str, fact: str) -> None:
    with pytest.raises(QueryError) as refusal:
        known.ask(sql).plan(epsilon=1)
    for front, remedy in {
        Front.PYTHON: "Add delta=1e-6;",
        Front.SQL: "Add SET delta = 1e-6;",
        Front.COMMAND: "Add --delta 1e-6;",
    }.items():
        text = refusal.value.text(front)
        assert (text[:1].upper() + text[1:]).startswith(fact)
        assert remedy in text
    known.ask(sql).plan(epsilon=1, delta="1e-6")


def test_neighbors_are_called_the_neighboring_relation(tmp_path: Path) -> None:
    with pytest.raises(PrivacyParameterError, match="It is the neighboring relation"):
        opened(neighbors="added")
    assert "# The neighboring relation. add-remove:" in template("t.csv", "t", [], unit="id")
    policy = tmp_path / "t.toml"
    policy.write_text('source = "t.csv"\nunit = "id"\nneighbors = "added"\n')
    with pytest.raises(PolicyError, match="It is the neighboring relation"):
        dp.table(policy)


@pytest.mark.parametrize(
    ("caps", "said"),
    [
        ({}, ""),
        ({"max_groups": 5, "max_rows": 40}, "for at most 40 rows in 5 groups"),
        ({"max_groups": 1, "max_rows": 1}, "for at most 1 row in 1 group"),
        ({"max_rows": 40}, "for at most 40 rows"),
        ({"max_groups": 5}, "in at most 5 groups"),
        (
            {"max_groups": 5, "max_rows": 40, "max_rows_per_group": 4},
            "for at most 40 rows in 5 groups, 4 rows in one group",
        ),
    ],
)
def test_whom_a_table_protects_is_said_before_what_one_counts_for(
    caps: dict[str, int], said: str
) -> None:
    counts = f". An id counts {said}" if said else ""
    assert protected_text("id", caps) == f"each id, with all its rows{counts}"
    assert protected_text("row", {}) == "each row"


def test_every_form_says_the_same_of_whom_is_protected(known: dp.Table) -> None:
    said = "each id, with all its rows. An id counts for at most 2 rows in 2 groups"
    answer = known.group_by("sex").agg(n=dp.rows()).release(epsilon=1)
    plan = known.group_by("sex").agg(n=dp.rows()).plan(epsilon=1)
    assert known.info().protects == said
    assert f"protects   {said}\nneighbors  add-remove\n" in plan.explain()
    assert said in answer.certificate.text
    assert f"It protects {said}." in answer.report()


@pytest.mark.parametrize(
    ("by", "column", "said"),
    [
        ("day", "n", "line: capped count; band: 95% interval for the full count"),
        ("sex", "n", "bar: capped count; whisker: 95% interval for the full count"),
    ],
)
def test_a_picture_says_what_is_drawn(known: dp.Table, by: str, column: str, said: str) -> None:
    picture = known.group_by(by).agg(n=dp.rows()).release(epsilon=1).plot(column)
    assert said in " ".join(re.sub(r"<[^>]+>", " ", picture.svg).split())


def test_the_page_says_how_often_at_its_own_level(known: dp.Table) -> None:
    answer = known.agg(n=dp.rows()).release(epsilon=1)
    assert "lies in the range in 95 of 100 answers" in answer.report()
    assert "lies in the range in 999 of 1,000 answers" in answer.at("0.999").report()
