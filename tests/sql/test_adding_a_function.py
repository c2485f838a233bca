"""A new SQL function is a few lines in the files that docs/architecture.md lists: tried out here.

REVERSE is added to a copy of the source, and asked for in SQL and in Python.
"""

from pathlib import Path

import pytest

from tests.support.recipes import (
    changed_files,
    follow,
    listed_files,
    run_with,
    section,
    source_copy,
)

ASKED = r"""
from collections import Counter

import pandas

import discreet as dp
from tests.golden.engines import ENGINES

wards = ["north", "south", "", None]
names = ["abc", "", None, "e\u0301a", "\U0001f1e9\U0001f1ea!", "a\r\nb", "日本語", "it's", "level"]
frame = pandas.DataFrame(
    [(wards[place % 4], names[place % 9], place % 7) for place in range(9000)],
    columns=["ward", "name", "stay"],
)
declared = {
    "ward": dp.category(["north", "south", ""]),
    "name": dp.text(),
    "stay": dp.integer(0, 6),
}
with dp.table(frame, name="t", unit="row", budget=dp.Budget(epsilon=10**6), columns=declared,
              ledger=":memory:") as table:

    def near(found, truth):
        assert abs(found.value - truth) <= 3, (found, truth)

    # Characters are turned around one by one, and what is missing stays missing.
    for name, times in Counter(frame["name"].dropna()).items():
        told = "'" + name[::-1].replace("'", "''") + "'"
        text = f"SELECT COUNT(*) AS n FROM t WHERE REVERSE(name) = {told}"
        near(table.sql(text, epsilon=20)["n"], times)
        turned = table.where(dp.col("name").reverse() == name[::-1])
        near(turned.agg(n=dp.rows()).release(epsilon=20)["n"], times)
    present = table.sql("SELECT COUNT(REVERSE(name)) AS n FROM t", epsilon=20)["n"]
    near(present, frame["name"].notna().sum())

    # The values of a group are public where those of the column are.
    text = "SELECT REVERSE(ward) AS w, COUNT(*) AS n FROM t GROUP BY REVERSE(ward)"
    by_sql = table.sql(text, epsilon=20)
    by_python = table.group_by(dp.col("ward").reverse().alias("w")).agg(n=dp.rows())
    for answer in (by_sql, by_python.release(epsilon=20)):
        assert list(answer["n"]) == ["htron", "htuos", ""], answer
        for label, found in answer["n"].items():
            near(found, (frame["ward"] == label[::-1]).sum())

    # What it takes is checked before anything is spent.
    for question in (
        lambda: table.ask("SELECT COUNT(*) FROM t WHERE REVERSE(stay) = '1'").plan(epsilon=1),
        lambda: table.where(dp.col("stay").reverse() == "1").agg(dp.rows()).plan(epsilon=1),
    ):
        try:
            question()
        except dp.QueryError as refused:
            print(refused)

    # Every engine has a spelling; no server is asked for it.
    plan = table.ask(text).plan(epsilon=1)
    for name, engine in ENGINES.items():
        print(name, *engine(table.schema).texts(plan.question, plan.measured, plan.price.unit))
"""

REFUSAL = (
    "REVERSE takes a text, and 'stay' is a number. Kinds are checked before anything is spent. "
    "Use a column of the right kind, or declare it so."
)


@pytest.mark.slow
def test_a_function_is_added_in_the_files_of_the_recipe(tmp_path: Path) -> None:
    recipe, copy = section("Add a SQL function"), source_copy(tmp_path)
    follow(recipe, copy)
    assert changed_files(copy) == listed_files(recipe)
    by_sql, by_python, *queries = run_with(copy, ASKED).splitlines()
    assert by_python == REFUSAL
    assert by_sql == f"line 1, column 38: {REFUSAL}"
    assert [query.partition(" ")[0] for query in queries] == ["duckdb", "postgres", "spark"]
    duckdb, postgres, spark = queries
    assert "LIST_REVERSE(STRING_SPLIT(" in duckdb
    assert " REVERSE(" in postgres
    assert " REVERSE(" in spark


@pytest.mark.slow
def test_without_the_edit_of_an_engine_the_recipe_is_seen_to_be_wrong(tmp_path: Path) -> None:
    """Negative control: DuckDB's own REVERSE keeps a letter and its accent together."""
    copy = source_copy(tmp_path)
    follow(section("Add a SQL function"), copy)
    engine = copy / "engines" / "duckdb" / "engine.py"
    engine.write_text(engine.read_text("utf-8").replace("_by_character, ", "lambda one: one, "))
    with pytest.raises(AssertionError, match="in near"):
        run_with(copy, ASKED)
