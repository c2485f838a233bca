"""What may be asked of a table is told for free, and every example is accepted as it stands."""

import json
from collections.abc import Callable

import pandas
import pytest

import discreet as dp
from discreet.errors import Front
from discreet.policy import read_policy
from discreet.release.info import TableInfo
from discreet.release.open_table import read_declarations
from discreet.text_table import text_width
from tests.golden.questions import write_tables

Opened = Callable[..., dp.Table]


def examples(info: TableInfo) -> list[tuple[str, bool]]:
    listed = [*(one.example for one in info.columns), *(one.example for one in info.tables)]
    return [(one.sql, one.needs_delta) for one in listed if one is not None]


@pytest.mark.parametrize(
    "declared",
    [
        {},
        {"unit": "row"},
        {"unit": "row", "neighbors": "replace"},
        {"budget": dp.Budget(epsilon=1)},
        {"budget": dp.Budget(rho=1, delta=1e-6)},
        {"max_rows": None},
        {"max_groups": None},
        {"max_rows": None, "max_groups": None},
        {"columns": {"stay": dp.number(), "admitted": dp.date(), "diagnosis": dp.text()}},
        {"name": "order by"},
    ],
    ids=str,
)
def test_every_example_is_planned_as_it_is_shown(
    visits: Opened, declared: dict[str, object]
) -> None:
    table = visits(**declared)
    info = table.info()
    assert [one.name for one in info.columns] == list(table.schema.columns)
    shown = examples(info)
    assert shown
    for sql, needs_delta in shown:
        assert table.ask(sql).plan(epsilon="0.1", delta=1e-6 if needs_delta else 0).queries
    capped = {"max_rows", "max_groups"} - {name for name, one in declared.items() if one is None}
    if len(capped) == 2:
        assert len(shown) == len(info.columns)
    assert table.budget.charges == 0


def test_a_column_whose_name_is_odd_has_an_example(visits: Opened) -> None:
    import pandas

    names = ["select", "a.b", 'say "x"', "Länge", "two words"]
    table = visits(
        source=pandas.DataFrame({name: [1, 2] for name in names}),
        unit="row",
        columns={name: dp.integer(0, 9) for name in names},
    )
    for sql, _ in examples(table.info()):
        table.ask(sql).plan(epsilon=1)
    assert len(examples(table.info())) == len(names)


@pytest.mark.parametrize("declared", [{"unit": "row"}, {"max_groups": None}], ids=str)
@pytest.mark.parametrize("taken", [["stay"], ["hour"], ["Hour", "hour_of_day"]], ids=str)
def test_a_datetime_has_an_example_whatever_it_is_beside(
    visits: Opened, declared: dict[str, object], taken: list[str]
) -> None:
    import pandas

    names = ["departed", *taken]
    table = visits(
        source=pandas.DataFrame({name: [1, 2] for name in ["patient", *names]}),
        columns={name: dp.integer(0, 23) for name in taken}
        | {"departed": dp.datetime("2013-01-01", "2013-12-31 23:59:59")},
        **declared,
    )
    for sql, _ in examples(table.info()):
        table.ask(sql).plan(epsilon=1)
    assert len(examples(table.info())) == len(names)


@pytest.mark.parametrize("name", ["visits", "joined"])
def test_other_tables_are_listed_with_how_they_are_joined(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    folder = tmp_path_factory.mktemp("info")
    write_tables(folder)
    with dp.table(**read_policy(folder / f"{name}.toml")) as table:
        info = table.info()
        for sql, needs_delta in examples(info):
            assert table.ask(sql).plan(epsilon=1, delta=1e-6 if needs_delta else 0).queries
        names = [one.name for one in info.tables]
        assert names == [*table.schema.private, *table.schema.public]
        assert all(one.example is not None and "JOIN" in one.example.sql for one in info.tables)


@pytest.mark.parametrize(
    ("column", "values", "joined"),
    [
        ("ward", ["A", "B"], True),
        ("Ward", ["A", "B"], True),
        ("ward", ["X", "Y"], False),
        ("ward", [1, 2], False),
        ("room", ["A", "B"], False),
        ("age", [0.5, 1.5], True),
        ("floor", [0.5, 1.5], False),
        ("admitted", [1, 2], False),
    ],
)
def test_a_join_is_proposed_where_names_and_kinds_fit(
    visits: Opened, column: str, values: list[object], joined: bool
) -> None:
    frame = pandas.DataFrame({column: values, "other_column": ["x", "y"]})
    (table,) = visits(public={"lookups": frame}).info().tables
    assert (table.example is not None) == joined
    if table.example is not None:
        assert f"lookups.{column}" in table.example.sql


def test_it_says_what_is_declared_and_what_is_left(visits: Opened) -> None:
    table = visits(budget=dp.Budget(epsilon=2))
    table.agg(n=dp.rows()).release(epsilon=1)
    text = repr(table.info())
    for part in (
        "each patient, with all its rows. A patient counts for at most 6 rows in 3 groups",
        "ε = 2, δ = 0; ε = 1 is left, 50%",
        "one of 4 values: A, B, C, D",
        "a number from 0 to 20",
        "a whole number from 0 to 120",
        "a date from 2025-01-01 to 2025-12-31",
        "Single rows, such as SELECT *",
        "COUNT(DISTINCT patient)",
        "GROUP BY diagnosis: groups are found privately, and the budget has no δ.",
    ):
        assert part in " ".join(text.split()) or part in text, part


def test_a_long_list_is_cut_and_no_line_is_too_wide(visits: Opened) -> None:
    wards = [f"Ward number {place} of the hospital" for place in range(500)]
    info = visits(columns={"ward": dp.category(wards)}).info()
    assert "500 values" in repr(info)
    assert "number 400" not in repr(info)
    (column,) = info.to_dict()["columns"]
    assert (len(column["values"]), column["number_of_values"]) == (8, 500)
    for width in (40, 60, 80, 200):
        assert max(map(text_width, info.text(width).splitlines())) <= width


def test_as_data_it_says_the_same(visits: Opened) -> None:
    data = visits().info().to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["columns"][0]["example"]["sql"].startswith("SELECT ward, COUNT(DISTINCT patient)")
    assert data["caps"] == {"max_groups": 3, "max_rows": 6, "max_rows_per_group": None}


def test_it_needs_neither_rows_nor_a_ledger(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("nothing")
    write_tables(folder)
    data = folder / "visits.csv"
    data.write_bytes(data.read_bytes().partition(b"\n")[0] + b"\n\xff\xff")  # no row can be read
    declared = read_declarations(**read_policy(folder / "visits.toml"))
    from discreet.release.info import table_info

    info = table_info(declared.schema, declared.account().state)
    assert "discreet plan POLICY" in info.text(front=Front.COMMAND)
    assert not (folder / "visits.ledger").exists()
