"""Public lookup tables, and further private ones: what is read of them, and what is refused."""

from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.engines.duckdb.public_columns import read_public
from discreet.engines.sources import find_source
from discreet.errors import PolicyError, QueryError, SourceError
from discreet.plan.schema import BooleanColumn, CategoryColumn, NumberColumn, TextColumn

VISITS = pandas.DataFrame(
    {"id": [1, 1, 2, 3], "ward": ["A", "B", "A", "C"], "x": [0.0, -0.0, 1, 0]}
)


def opened(**changes: Any) -> dp.Table:
    declared: dict[str, Any] = {
        "name": "visits",
        "unit": "id",
        "budget": dp.Budget(epsilon=20),
        "columns": {"ward": dp.category(["A", "B", "C"]), "x": dp.number(-1, 1)},
        "max_rows": 2,
        "max_groups": 2,
        "ledger": ":memory:",
    } | changes
    return dp.table(declared.pop("source", VISITS), **declared)


def counted(table: dp.Table, question: str) -> tuple[int, ...]:
    """The integers of a question with one block, before noise."""
    asked = table.ask(question).plan(epsilon=1).question
    (vector,) = table.engine().measure(asked, asked.measures, None, asked.unit).of.values()
    return tuple(vector.open())


def test_kinds_bounds_and_values_are_read_from_a_public_table(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(
        "ward,floor,zip,area,opened,closed,note\n"
        "A,1,01234,10.5,2001-02-03,true,x\nB,2,01235,7,2011-02-03,false,\nC,2,01236,7,,true,y\n"
    )
    public = read_public("wards", find_source(str(path)))
    kinds = public.columns
    assert kinds["ward"] == CategoryColumn(("A", "B", "C"))
    assert kinds["floor"] == CategoryColumn((1, 2))
    assert kinds["zip"] == CategoryColumn(("01234", "01235", "01236"))
    assert kinds["area"] == NumberColumn(low=7, high=10.5)  # type: ignore[arg-type]
    assert isinstance(kinds["opened"], NumberColumn)
    assert kinds["opened"].dated
    assert kinds["closed"] == BooleanColumn()
    assert {name for name, most in public.most.items() if most == 1} == {
        "ward",
        "zip",
        "opened",
        "note",
    }
    assert public.most["floor"] == 2


@pytest.mark.parametrize(
    "values", [["1", "1.0"], ["true", "TRUE"], ["2020-01-01", "2020-01-01 00:00:00"]]
)
def test_values_that_are_compared_as_one_are_not_unique(tmp_path: Path, values: list[str]) -> None:
    path = tmp_path / "w.csv"
    path.write_text("k\n" + "\n".join(values) + "\n")
    assert read_public("w", find_source(str(path))).most == {"k": 2}


def test_an_empty_public_table_has_texts(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("k,v\n")
    assert read_public("w", find_source(str(path))).columns == {
        "k": TextColumn(),
        "v": TextColumn(),
    }


def test_a_broken_public_table_is_refused_when_the_table_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text('k,v\n1,"2\n')
    with pytest.raises(SourceError, match="public table 'wards'"):
        opened(public={"wards": str(path)})
    with pytest.raises(SourceError, match="no file"):
        opened(public={"wards": str(tmp_path / "none.csv")})


def test_a_row_without_a_unique_partner_is_refused_where_rows_are_protected() -> None:
    public = pandas.DataFrame({"ward": ["A", "A"], "floor": [1, 2]})
    table = opened(unit="row", max_rows=None, max_groups=None, public={"wards": public})
    with pytest.raises(QueryError, match="several partners"):
        table.ask("SELECT COUNT(*) FROM visits JOIN wards USING (ward)").plan(epsilon=1)


def test_ids_of_different_types_are_compared_as_texts() -> None:
    texts = pandas.DataFrame({"id": ["1", "2", "9"], "sex": ["f", "m", "f"]})
    beside = {"people": dp.beside(texts, columns={"sex": dp.category(["f", "m"])}, max_rows=1)}
    question = "SELECT sex, COUNT(*) AS n FROM visits JOIN people USING (id) GROUP BY sex"
    assert counted(opened(private=beside), question) == (2 << 30, 1 << 30)
    named = VISITS.assign(id=pandas.Categorical(["alice", "alice", "bob", "carol"]))
    other = pandas.DataFrame({"id": pandas.Categorical(["dora", "bob"]), "sex": ["f", "m"]})
    beside = {"people": dp.beside(other, columns={"sex": dp.category(["f", "m"])}, max_rows=1)}
    assert counted(opened(source=named, private=beside), question) == (0, 1 << 30)
    nested = other.assign(id=[["dora"], ["bob"]])
    beside = {"people": dp.beside(nested, columns={"sex": dp.category(["f", "m"])}, max_rows=1)}
    assert counted(opened(source=named, private=beside), question) == (0, 0)


def test_which_distinct_values_count_does_not_depend_on_the_sign_of_zero() -> None:
    question = "SELECT COUNT(DISTINCT x) AS n FROM visits"
    frames = [VISITS.iloc[order] for order in ([0, 1, 2, 3], [1, 0, 2, 3])]
    found = {counted(opened(source=frame, max_rows=1), question) for frame in frames}
    assert len(found) == 1


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"private": ["people.csv"]}, "private is a list"),
        ({"private": {"people": "people.csv"}}, "dp.beside"),
        ({"public": "wards.csv"}, "public is a str"),
        ({"public": {"visits": VISITS.drop(columns="id")}}, "two tables are named 'visits'"),
        ({"unit": "row", "max_rows": None, "max_groups": None}, "the unit is the row"),
    ],
)
def test_declarations_of_other_tables_are_checked(changes: dict[str, Any], part: str) -> None:
    if changes.get("unit") == "row":
        other = pandas.DataFrame({"id": [1], "sex": ["f"]})
        changes = changes | {"private": {"people": dp.beside(other, unit="id")}}
    with pytest.raises(PolicyError) as refusal:
        opened(**changes)
    assert part in str(refusal.value)
