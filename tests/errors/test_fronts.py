"""A refusal is told in the syntax of whoever reads it, and in the user's own words."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet import dbapi, errors
from discreet.errors import DiscreetError, Front, Place, Remedy, caught_by
from discreet.plan.schema import Schema, integer
from discreet.question.check import checked_question
from discreet.sql.read.select import parse_select

REMEDY = Remedy(python="Write n=1.", sql="SET n = 1.", policy="Write n = 1.", command="Add --n 1.")
TEXTS = {
    Front.PYTHON: "n is 0. Write n=1. Nothing was spent.",
    Front.SQL: "n is 0. SET n = 1. Nothing was spent.",
    Front.POLICY: "n is 0. Write n = 1. Nothing was spent.",
    Front.COMMAND: "n is 0. Add --n 1. Nothing was spent.",
}
KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, DiscreetError | errors.PrivacyWarning)
]


def refusal(kind: type[DiscreetError] = errors.QueryError) -> DiscreetError:
    return kind("n is 0.", REMEDY, "Nothing was spent.")


@pytest.fixture
def visits() -> dp.Table:
    rows = pandas.DataFrame(
        {"who": range(200), "age": [30, 40] * 100, "ward": ["A", "B"] * 100, "name": ["x"] * 200}
    )
    return dp.table(
        rows,
        name="visits",
        unit="who",
        budget=dp.Budget(epsilon=3, delta=1e-6),
        columns={"age": dp.number(), "ward": dp.category(["A", "B"]), "name": dp.text()},
        ledger=":memory:",
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("front", Front)
def test_every_error_is_told_in_every_front(kind: type[DiscreetError], front: Front) -> None:
    error = refusal(kind)
    assert error.text(front) == TEXTS[front]
    assert str(error) == TEXTS[Front.PYTHON]
    assert repr(error) == f"{kind.__name__}({TEXTS[Front.PYTHON]!r})"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_is_copied_and_pickled_with_its_remedies_and_its_front(
    kind: type[DiscreetError],
) -> None:
    error = refusal(kind)
    error.front = Front.SQL
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is kind
        assert str(other) == TEXTS[Front.SQL]
        assert [other.text(front) for front in Front] == [TEXTS[front] for front in Front]


def test_a_front_without_a_text_takes_the_nearest() -> None:
    asked = Remedy(python="p", sql="s")
    declared = Remedy(python="p", policy="d")
    assert [asked.text(front) for front in Front] == ["p", "s", "s", "s"]
    assert [declared.text(front) for front in Front] == ["p", "d", "d", "d"]
    assert refusal().text(Front.POLICY) == TEXTS[Front.POLICY]
    empty = errors.BoundsError("n is 0.", Remedy(python="Write n=1.", policy=""))
    assert empty.text(Front.POLICY) == "n is 0."


def test_the_front_that_catches_first_tells_it() -> None:
    with pytest.raises(DiscreetError) as caught, caught_by(Front.COMMAND), caught_by(Front.SQL):
        raise refusal()
    assert str(caught.value) == TEXTS[Front.SQL]
    assert caught.value.told(Front.COMMAND) == TEXTS[Front.SQL]
    assert refusal().told(Front.COMMAND) == TEXTS[Front.COMMAND]


def test_an_error_that_says_where_it_is_keeps_its_remedies() -> None:
    located = refusal().at(Place(7, "SELECT 1"))
    assert type(located) is errors.QueryError
    assert located.text(Front.COMMAND) == f"line 1, column 8: {TEXTS[Front.COMMAND]}"


def test_a_question_in_sql_is_refused_in_sql_and_in_its_own_words(visits: dp.Table) -> None:
    with pytest.raises(errors.BoundsError) as caught:
        visits.sql("SELECT AVG(age) FROM visits", epsilon=1)
    said = str(caught.value)
    assert said.startswith("line 1, column 8: AVG(age) has no bounds.")
    assert said.endswith("Declare them: age = { low = 0, high = 120 } in the policy.")
    with pytest.raises(errors.BoundsError) as caught:
        visits.ask("SELECT STDDEV(age + 1) FROM visits").plan(epsilon=1)
    assert " STDDEV(age + 1) has no bounds." in str(caught.value)
    assert str(caught.value).endswith("Give them: CLIP(age, 0, 120) + 1.")


def test_bounds_of_whole_numbers_are_declared_for_whole_numbers() -> None:
    schema = Schema(name="t", columns={"age": integer()})
    with pytest.raises(errors.BoundsError) as caught:
        checked_question(parse_select("SELECT AVG(age) FROM t", schema), schema)
    declared = '{ type = "integer", low = 0, high = 120 }'
    assert str(caught.value).endswith(f"Declare them: age = {declared} in the policy.")
    assert caught.value.text(Front.PYTHON).endswith("columns={'age': dp.integer(0, 120)}.")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: dp.rows() and dp.people(), r"^rows\(\) has no truth value.*Give every aggregate"),
        (lambda: not dp.rows() / 2, "has no truth value"),
        (lambda: dp.rows() > 100, r"^rows\(\) is compared.*\.query\(\"n > 100\"\)\.$"),
        (lambda: dp.rows() / dp.people() >= 1, "is compared with another number"),
        (lambda: dp.rows() / dp.col("age"), r'^age stands beside.*dp\.col\("x"\)\.sum\(\)\.$'),
        (lambda: dp.rows() - dp.col("age").cdf(step=1), r"^a distribution is computed with"),
        (lambda: 1 - dp.col("age").cdf(step=1), r"^a distribution is computed with"),
        (lambda: -dp.col("age").cdf(step=1), r"^a distribution is computed with"),
        (lambda: dp.col("age").cdf(step=1) < 1, r"^a distribution is computed with"),
        (lambda: dp.rows() / 0, r"^rows\(\) is divided by 0"),
        (lambda: dp.corr("stay", "age"), r'^a column is .stay.*dp\.corr\(dp\.col\("stay"\)'),
        (lambda: dp.regression(dp.col("a"), "x y"), r'Write dp\.corr\(dp\.col\("x"\)'),
    ],
)
def test_what_is_released_is_told_from_rows_in_python(ask: Any, said: str) -> None:
    """Each was a TypeError, was about something else, or was answered otherwise than it reads."""
    with pytest.raises(errors.QueryError, match=said):
        ask()


def test_weights_of_a_cube_are_a_mapping(visits: dp.Table) -> None:
    with pytest.raises(errors.QueryError, match=r"weights got a list.*weights=\{0: 10, 1: 2\}\.$"):
        visits.cube("ward", weights=[1])  # type: ignore[arg-type]


def test_the_signs_of_a_format_are_those_of_its_column() -> None:
    with pytest.raises(errors.BoundsError, match=r"only %Y %m %d\. Write"):
        dp.date("2026-01-01", "2026-12-31", format="%H:%M")
    with pytest.raises(errors.BoundsError, match=r"%z, where %I and %p stand together\. Write"):
        dp.datetime("2026-01-01", "2026-12-31", format="%H:%M")


def test_an_entry_that_is_no_number_is_refused_without_a_command(visits: dp.Table) -> None:
    with pytest.raises(errors.DataError) as caught:
        visits.paid("2")  # type: ignore[arg-type]
    assert str(caught.value).endswith("Use one such as 10.")


def test_a_comparison_with_none_is_refused_in_python() -> None:
    age = dp.col("age")
    with pytest.raises(errors.QueryError, match=r"'age' is compared with None.*\.is_null\(\)\.$"):
        age == None  # noqa: B015, E711
    with pytest.raises(errors.QueryError, match=r"Write \.is_not_null\(\)\.$"):
        age != None  # noqa: B015, E711


def test_a_kind_stands_behind_its_article() -> None:
    budget: Any = 3
    with pytest.raises(errors.PolicyError, match="the table has an int for its budget"):
        dp.table(
            pandas.DataFrame({"age": [1]}), unit="row", budget=budget, ledger=":memory:", name="t"
        )


def test_the_same_question_in_python_is_refused_in_python(visits: dp.Table) -> None:
    with pytest.raises(errors.BoundsError) as caught:
        visits.agg(m=dp.col("age").mean()).plan(epsilon=1)
    said = str(caught.value)
    assert said.startswith("mean(age) has no bounds.")
    assert said.endswith("Declare them: columns={'age': dp.number(0, 120)}.")
    with pytest.raises(errors.QueryError, match=r"Ask for dp\.people\(\)\.$"):
        visits.where(dp.col("who") > 1).agg(n=dp.rows()).plan(epsilon=1)


def test_a_connection_tells_prices_and_questions_in_sql(visits: dp.Table) -> None:
    connection = dbapi.connect(visits, epsilon=1)
    cursor = connection.cursor()
    with pytest.raises(dbapi.Error, match=r"Use a small constant: SET epsilon = 1 or "):
        cursor.execute("SET epsilon = 0")
    with pytest.raises(dbapi.Error, match=r"AVG\(name\) asks for the mean of a text\. "):
        cursor.execute("SELECT AVG(name) FROM visits")
    with pytest.raises(dbapi.Error, match=r"Declare it: max_rows = 10 in the policy\."):
        cursor.execute("SELECT COUNT(*) FROM visits")


def test_a_policy_is_refused_in_its_own_syntax(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("who,age\n1,30\n")
    policy = tmp_path / "visits.toml"
    start = 'source = "rows.csv"\nledger = "visits.ledger"\nunit = "who"\n'
    policy.write_text(f"{start}[budget]\nepsilon = 0\n")
    with pytest.raises(errors.PolicyError, match=r"such as epsilon = 1 or epsilon = 0\.1\."):
        dp.table(policy)
    policy.write_text(
        f"{start}table = 'x'\n[budget]\nepsilon = 1\n[private.more]\nsource = 'a.csv'"
    )
    with pytest.raises(errors.SourceError) as caught:
        dp.table(policy)
    assert "dp." not in str(caught.value)
    policy.write_text(f"{start}[budget]\nepsilon = 1\n[columns]\nage = {{ low = 3, high = 1 }}\n")
    with pytest.raises(errors.PolicyError) as caught_policy:
        dp.table(policy)
    said = str(caught_policy.value)
    assert "dp." not in said
    assert said.count("Write") == 1
    assert "Write age = { low = 0, high = 60 }" in said
