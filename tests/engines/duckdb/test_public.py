"""Public lookup tables, and further private ones: what is read of them, and what is refused."""

from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.engines.duckdb.public_columns import read_public
from discreet.engines.sources import find_source
from discreet.errors import Front, PolicyError, QueryError, SourceError
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


TIMES = {
    "2013-01-01T06:00:00Z": ("datetime", "UTC", "2013-01-01 06:00:00"),
    "2013-01-01T00:00:00+02:00": ("datetime", "UTC", "2012-12-31 22:00:00"),
    "2013-01-01 06:00": ("datetime", None, "2013-01-01 06:00:00"),
    "2013-01-01 00:00:00": ("date", None, "2013-01-01"),
    " 2013-01-01 ": ("date", None, "2013-01-01"),
    "2013-01-01 at noon": ("category", None, None),
    "2013-01-01 6:00 PM": ("category", None, None),
}


@pytest.mark.parametrize("cell", TIMES)
def test_a_time_of_day_is_kept_or_the_cell_is_no_date(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "w.csv"
    path.write_text(f"k,v\n1,{cell}\n2,{cell}\n3,\n")
    data = read_public("w", find_source(str(path))).columns["v"].to_data()
    assert (data["kind"], data.get("zone"), data.get("low")) == TIMES[cell]


def test_times_of_a_frame_are_those_of_its_types() -> None:
    hours = pandas.to_datetime(["2013-01-01 06:00", "2013-01-02 07:00"])
    days = pandas.to_datetime(["2013-01-01", "2013-01-02"])
    frame = pandas.DataFrame({"clock": hours, "day": days, "moment": hours.tz_localize("UTC")})
    ends = "2013-01-01 06:00:00", "2013-01-02 07:00:00"
    assert read_public("w", find_source(frame)).columns == {
        "clock": dp.datetime(*ends),
        "day": dp.date("2013-01-01", "2013-01-02"),
        "moment": dp.datetime(*ends, zone="UTC"),
    }


class TestDeclared:
    """Columns of a public table may be declared; all else is found."""

    def test_a_column_is_read_as_it_is_declared(self, tmp_path: Path) -> None:
        path = tmp_path / "w.csv"
        path.write_text('ward,code,day,cost\nA,1,03/02/2013,"2,5"\nB,2,04/02/2013,7\n')
        declared = {
            "cost": dp.number(decimal=","),
            "code": dp.category(["1", "2"]),
            "day": dp.date(format="%d/%m/%Y"),
        }
        found = read_public("w", find_source(str(path)), declared)
        assert list(found.columns) == ["ward", "code", "day", "cost"]
        assert found.columns == {
            "ward": dp.category(["A", "B"]),
            "code": dp.category(["1", "2"]),
            "day": dp.date("2013-02-03", "2013-02-04", format="%d/%m/%Y"),
            "cost": dp.number("2.5", 7, decimal=","),
        }

    def test_a_question_is_answered_by_it_from_python_and_a_policy(self, tmp_path: Path) -> None:
        path = tmp_path / "wards.csv"
        path.write_text("ward,code\nA,01\nB,2\nC,01\n")
        lookup = dp.lookup(path, columns={"code": dp.category(["01", "2"])})
        sql = "SELECT code, COUNT(*) AS n FROM visits JOIN wards USING (ward) GROUP BY code"
        table = opened(public={"wards": lookup})
        assert counted(table, sql) == (3 << 30, 1 << 30)
        VISITS.to_csv(tmp_path / "visits.csv", index=False)
        policy = tmp_path / "visits.toml"
        policy.write_text(
            'source = "visits.csv"\nunit = "id"\nmax_rows = 2\nmax_groups = 2\n'
            'ledger = ":memory:"\n'
            "[budget]\nepsilon = 20\n[columns]\nward = { values = ['A', 'B', 'C'] }\n"
            '[public.wards]\nsource = "wards.csv"\n'
            '[public.wards.columns]\ncode = { values = ["01", "2"] }\n'
        )
        assert counted(dp.table(policy), sql) == (3 << 30, 1 << 30)
        policy.write_text(policy.read_text() + "cod = { low = 0, high = 1 }\n")
        with pytest.raises(SourceError, match=r"'cod' is not in the data.* 'code'"):
            dp.table(policy)


class TestClocks:
    """Datetimes of two zones are not compared: neither clock is chosen silently."""

    @staticmethod
    def joined(**declared: Any) -> dp.Table:
        times = ["2013-01-01T10:00:00Z", "2013-01-01T11:00:00Z"]
        table = pandas.DataFrame({"id": [1, 2, 3], "at": [times[0], times[0], times[1]]})
        weather = pandas.DataFrame({"at": times, "rain": [True, False]})
        return opened(
            source=table,
            columns={"at": dp.datetime("2013-01-01", "2013-12-31", **declared)},
            public={"weather": weather},
        )

    def test_moments_are_joined_by_one_clock(self) -> None:
        sql = "SELECT rain, COUNT(*) AS n FROM visits JOIN weather USING (at) GROUP BY rain"
        assert counted(self.joined(zone="UTC"), sql) == (1 << 30, 2 << 30)

    @pytest.mark.parametrize("zone", [None, "America/New_York"])
    def test_two_clocks_are_refused(self, zone: str | None) -> None:
        sql = "SELECT COUNT(*) AS n FROM visits JOIN weather USING (at)"
        with pytest.raises(QueryError, match="show the same moment differently") as refusal:
            self.joined(zone=zone).ask(sql).plan(epsilon=1)
        assert 'zone = "' in refusal.value.text(Front.COMMAND)


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
