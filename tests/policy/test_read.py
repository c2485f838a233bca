"""A policy says everything once, in decimals as written, and every slip names its remedy."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import Front, PolicyError, caught_by
from discreet.plan.schema import boolean, category, date, datetime, integer, number, text
from discreet.policy import read_policy
from discreet.privacy.losses import Budget
from discreet.release.open_table import read_declarations
from tests.support.cases import each

INTERFACE = """\
source    = "visits.parquet"
name      = "visits"            # the identity the ledger knows it by
unit      = "patient_id"
neighbors = "add-remove"
max_groups = 3
max_rows   = 10
ledger    = "visits.ledger"
[budget]
epsilon = 3
delta   = 1e-6
[columns]
ward = { values = ["A", "B", "C"] }
stay = { low = 0, high = 60 }
[public.wards]                  # lookup tables that are not sensitive
source = "wards.csv"
"""
LEAST = """\
source = "visits.csv"
unit = "row"
ledger = "visits.ledger"
budget = { epsilon = 1 }
"""


@pytest.fixture
def policy(tmp_path: Path) -> Any:
    def read(content: str | bytes) -> dict[str, Any]:
        path = tmp_path / "visits.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_policy(path)

    return read


def test_the_policy_of_the_interface_is_read(policy: Any, tmp_path: Path) -> None:
    assert policy(INTERFACE) == {
        "source": str(tmp_path / "visits.parquet"),
        "name": "visits",
        "unit": "patient_id",
        "neighbors": "add-remove",
        "max_groups": 3,
        "max_rows": 10,
        "ledger": str(tmp_path / "visits.ledger"),
        "budget": Budget(epsilon=3, delta=Decimal("1e-6")),
        "columns": {"ward": category(["A", "B", "C"]), "stay": number(0, 60)},
        "public": {"wards": str(tmp_path / "wards.csv")},
    }


def test_rows_in_one_group_can_have_a_cap_of_their_own(policy: Any) -> None:
    found = policy(INTERFACE.replace("max_rows   = 10", "max_rows = 10\nmax_rows_per_group = 4"))
    assert (found["max_rows"], found["max_rows_per_group"]) == (10, 4)


KNOWN = "max_rows   = 10\nat_most_rows = 365\nat_most_groups = 12\nversion = '2026-11'"


def test_what_is_known_of_everybody_is_declared_with_the_name_of_the_data(policy: Any) -> None:
    found = policy(INTERFACE.replace("max_rows   = 10", KNOWN))
    assert (found["at_most_rows"], found["at_most_groups"]) == (365, 12)
    assert found["version"] == "2026-11"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("at_most_rows = 9", "Write max_rows = 9."),
        ("at_most_rows = 0", "at_most_rows is not a whole number from 1 to 1,000,000"),
        ('at_most_rows = "many"', "at_most_rows"),
        ("at_most_rows = 12.5", "at_most_rows"),
        ("at_most_rows = true", "at_most_rows"),
        ("at_most_groups = 2", "Write max_groups = 2."),
        ("at_most_groups = 2000000", "at_most_groups is not a whole number from 1 to 1,000,000"),
        ("version = 7", "version"),
        ('version = ""', "version"),
        (f'version = "{"x" * 61}"', 'Write version = "2026-11".'),
        ('version = " 7"', 'Write version = "2026-11".'),
        ("at_least_rows = 3", "at_most_rows"),
    ],
)
def test_wrong_ceilings_and_versions_are_refused_in_the_words_of_a_policy(
    policy: Any, written: str, said: str
) -> None:
    text = INTERFACE.partition("[public.wards]")[0]
    text = text.replace("max_rows   = 10", f"max_rows = 10\n{written}")
    with pytest.raises(PolicyError) as caught, caught_by(Front.POLICY):
        read_declarations(**policy(text))
    assert said in str(caught.value)
    assert "=9" not in str(caught.value)  # the syntax of Python


@pytest.mark.parametrize("field", ["at_most_rows", "at_most_groups"])
def test_where_the_unit_is_the_row_there_is_nothing_that_somebody_could_have(
    policy: Any, field: str
) -> None:
    with pytest.raises(PolicyError, match=f"{field} is given, and the unit is the row"):
        policy(f"{field} = 5\n{LEAST}")


def test_what_is_left_out_is_not_made_up(policy: Any) -> None:
    found = policy(LEAST)
    assert set(found) == {"source", "name", "unit", "ledger", "budget", "columns"}
    assert found["name"] == "visits"
    assert found["columns"] == {}


@pytest.mark.parametrize(
    ("form", "column"),
    [
        ("{ values = [1, 2, 3] }", category([1, 2, 3])),
        ('{ type = "category", values = ["A"] }', category(["A"])),
        ("{ low = -0.1, high = 0.3 }", number("-0.1", "0.3")),
        ('{ type = "number" }', number()),
        ('{ type = "number", low = 0, high = 1, default = 0.7 }', number(0, 1, default="0.7")),
        ('{ type = "integer", low = 0, high = 120 }', integer(0, 120)),
        ("{ low = 2020-01-01, high = 2026-12-31 }", date("2020-01-01", "2026-12-31")),
        (
            '{ type = "date", low = "2020-01-01", high = "2026-12-31" }',
            date("2020-01-01", "2026-12-31"),
        ),
        (
            '{ type = "date", low = "2020-01-01", high = "2026-12-31", format = "%d.%m.%Y" }',
            date("2020-01-01", "2026-12-31", format="%d.%m.%Y"),
        ),
        (
            '{ type = "datetime", low = "2020-01-01", high = "2026-12-31 23:59", zone = "UTC" }',
            datetime("2020-01-01", "2026-12-31 23:59", zone="UTC"),
        ),
        (
            '{ low = 2020-01-01, high = 2026-12-31, zone = "Europe/Paris", unit = "ms" }',
            datetime("2020-01-01", "2026-12-31", zone="Europe/Paris", unit="ms"),
        ),
        (
            "{ low = 2020-01-01T00:00:00, high = 2026-12-31T12:00:00 }",
            datetime("2020-01-01", "2026-12-31 12:00"),
        ),
        ('{ type = "datetime" }', datetime()),
        ('{ low = 0, high = 60, decimal = "," }', number(0, 60, decimal=",")),
        ('{ type = "boolean" }', boolean()),
        ('{ type = "text" }', text()),
    ],
)
def test_every_form_of_a_column(policy: Any, form: str, column: object) -> None:
    assert policy(f"{LEAST}[columns]\nx = {form}")["columns"] == {"x": column}


def test_a_decimal_is_the_one_that_was_written(policy: Any) -> None:
    found = policy(
        LEAST.replace("epsilon = 1", "epsilon = 0.1, delta = 1e-7")
        + "[columns]\nx = { low = 0.1, high = 0.123456789012345678901 }"
    )
    assert found["budget"].epsilon == Fraction(1, 10)
    assert found["budget"].delta == Fraction(1, 10**7)
    assert found["columns"]["x"].high == Fraction("0.123456789012345678901")


def test_a_budget_may_be_in_rho(policy: Any) -> None:
    written = LEAST.replace("epsilon = 1", "rho = 0.5, delta = 1e-7")
    found = policy("analyst_budget = { rho = '1/3' }\n" + written)
    assert found["budget"] == Budget(rho="0.5", delta="1e-7")
    assert found["analyst_budget"] == Budget(rho="1/3")


def test_paths_are_looked_up_from_the_policys_folder(policy: Any, tmp_path: Path) -> None:
    assert policy(LEAST.replace("visits.ledger", ":memory:"))["ledger"] == ":memory:"
    address = "postgresql://host/ledger"
    assert policy(LEAST.replace("visits.ledger", address))["ledger"] == address
    several = policy('name = "all"\n' + LEAST.replace('"visits.csv"', '["a.csv", "b.csv"]'))
    assert several["source"] == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    assert policy(LEAST.replace("visits.csv", "/data/v.csv"))["source"] == "/data/v.csv"


def test_a_folder_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    from discreet.engines.duckdb.source import FileSource
    from discreet.engines.sources import find_source

    folder = tmp_path / "data [2024]"
    folder.mkdir()
    (folder / "visits.toml").write_text(LEAST)
    (folder / "visits.csv").write_text("age\n1\n")
    found = find_source(read_policy(folder / "visits.toml")["source"])
    assert isinstance(found, FileSource)
    assert found.paths == (str(folder / "visits.csv"),)


@each(
    ("content", "parts"),
    [
        ("unit = ", ["is not TOML", "line 1 of visits.toml has no value after an equals sign"]),
        (
            LEAST + '[columns]\nx = { type = "integer", low = , high = }',
            ["line 6 of visits.toml has no value after an equals sign", "Write the value there"],
        ),
        ('x = 1\ny = ["a = ," b]  # z = ,', ["line 2 of visits.toml cannot be read"]),
        ('unit = "a', ["is not TOML", "line 1"]),
        ('unit = "a"\nunit = "b"', ["line 2", "sets what is set before"]),
        (LEAST + "[columns]\nx = {}\n[columns]", ["sets what is set before"]),
        (b"unit = '\xff'", ["not UTF-8"]),
        (LEAST + "#" * (1 << 24), ["longer than 16 MiB"]),
        ("x = " + "[" * 5000, ["is not TOML"]),
        ("", ["the table has no source", 'source = "visits.parquet"']),
        ('untit = "a"\n' + LEAST, ["line 1", "'untit'", "Did you mean 'unit'?"]),
        (LEAST.replace('"visits.csv"', "3"), ["line 1", "source is not a path"]),
        (LEAST.replace("visits.csv", "other.toml"), ["source is another policy"]),
        (LEAST.replace("visits.csv", "*.csv"), ["the table has no name", 'name = "visits"']),
        (LEAST.replace('"row"', '""'), ["line 2", "unit is not filled in", "patient_id"]),
        (LEAST.replace('unit = "row"\n', ""), ["unit is not given", "patient_id"]),
        (LEAST.replace('ledger = "visits.ledger"', ""), ["no ledger", 'ledger = "visits.ledger"']),
        (LEAST.replace("budget = { epsilon = 1 }", ""), ["no budget", "[budget]"]),
        (LEAST.replace("epsilon", "epsilom"), ["budget has no epsilon", "epsilon = 1"]),
        (LEAST.replace("epsilon = 1", "epsilon = 1, detla = 0"), ["Did you mean 'delta'?"]),
        (LEAST.replace("epsilon = 1", "epsilon = true"), ["epsilon is not a number"]),
        (LEAST.replace("epsilon = 1", "epsilon = nan"), ["epsilon is NaN"]),
        (LEAST.replace("epsilon = 1", "epsilon = -1"), ["epsilon is -1", "must be above 0"]),
        (LEAST.replace("epsilon = 1", "epsilon = 1, delta = 2"), ["delta is 2"]),
        (LEAST.replace("epsilon = 1", "delta = 1e-6"), ["no epsilon, and no rho", "rho = 0.1"]),
        (
            LEAST.replace("epsilon = 1", "epsilon = 1, rho = 1"),
            ["line 4", "both epsilon and rho", "Write epsilon = 1 and delta = 1e-6, or rho = 0.1."],
        ),
        (LEAST.replace("epsilon = 1", "rho = 0"), ["line 4", "rho is 0", "such as rho = 0.1"]),
        (LEAST.replace("epsilon = 1", "rho = true"), ["rho is not a number"]),
        ("rho = 0.1\n" + LEAST, ["line 1", "rho stands outside of a budget"]),
        ("max_rows = 10\n" + LEAST, ["line 1", "the unit is the row", "Take max_rows out"]),
        ("max_rows = 0\n" + LEAST, ["max_rows is not a whole number", "max_rows = 10"]),
        ("max_rows = 1.5\n" + LEAST, ["max_rows is not a whole number"]),
        (
            "max_rows_per_group = 4\n" + LEAST,
            ["line 1", "the unit is the row", "Take max_rows_per_group out"],
        ),
        (
            "max_rows_per_group = 0\n" + LEAST,
            ["max_rows_per_group is not a whole number", "max_rows_per_group = 10"],
        ),
        (
            LEAST + "[private.a]\nsource = 'a.csv'\nmax_rows_per_group = 2",
            ["line 7", "max_rows_per_group"],
        ),
        ('neighbors = "addremove"\n' + LEAST, ['neighbors = "add-remove"']),
        ('period = "fortnight"\n' + LEAST, ["day, week, month, quarter, year"]),
        ("name = 3\n" + LEAST, ["name is not a printable text"]),
        ("columns = 3\n" + LEAST, ["columns is not a table", "[columns]"]),
        ("public = 3\n" + LEAST, ["[public.wards]"]),
        (LEAST + "[public.wards]\nsource = 'a.csv'\nkey = 1", ["'key'"]),
        ("private = 3\n" + LEAST, ["a private table has no source", "[private.patients]"]),
        (LEAST + "[private.a]\nsource = 'a.csv'\nkey = 1", ["line 7", "'key'"]),
        (LEAST + "[private.a]\nsource = 'a.csv'\nmax_rows = 0", ["line 7", "max_rows = 10"]),
        (LEAST + "[private.a]\nsource = 'a.csv'\nunit = 3", ["line 7", "unit is not a text"]),
        (LEAST + "[private.'a.b']\nsource = 'a.csv'\nmax_rows = 0", ["line 7", "max_rows = 10"]),
        (LEAST + "[private.'a b']\nsource = 'a.csv'\ncolumns = 1", ['[private."a b".columns]']),
        ('name = """\\\nunit = 3\\\n"""\nuntit = 1\n' + LEAST, ["line 4", "'untit'"]),
        (
            LEAST + "[private.a]\nsource = 'a.csv'\n[private.a.columns]\nx = 1",
            ["line 8", "column 'x' is not a declaration"],
        ),
        (LEAST.replace('"row"', '"id"') + '[columns]\nid = { type = "text" }', ["Take id out"]),
    ],
)
def test_a_slip_is_named_with_its_line_and_its_remedy(
    policy: Any, content: str | bytes, parts: list[str]
) -> None:
    with pytest.raises(PolicyError) as refusal:
        policy(content)
    for part in ["visits.toml" if content != b"unit = '\xff'" else "policy", *parts]:
        assert part in str(refusal.value), part


@each(
    ("form", "field"),
    [
        ('{ type = "datetime", zone = "Mars" }', "zone"),
        ('{ type = "datetime", unit = "s" }', "zone"),
        ('{ type = "datetime", format = "DD.MM" }', "format"),
        ('{ low = 0, high = 60, decimal = ";" }', "decimal"),
    ],
)
def test_a_wrong_form_of_cells_is_told_the_field_to_write_and_no_line_without_it(
    policy: Any, form: str, field: str
) -> None:
    with pytest.raises(PolicyError) as refusal:
        policy(f"{LEAST}[columns]\nx = {form}")
    said = str(refusal.value)
    assert f"Write {field} = " in said
    assert "Write x = " not in said


@each(
    ("form", "parts"),
    [
        ("{ }", ["does not say what it holds", "x = { low = 0, high = 60 }"]),
        ("3", ["is not a declaration"]),
        ('"boolean"', ['x = { type = "boolean" }']),
        ("{ low = 0 }", ["one bound", "x = { low = 0, high = 60 }"]),
        ("{ low = 5, high = 1 }", ["do not increase: 5 and 1"]),
        ('{ low = "2020-01-01", high = "2021-01-01" }', ['type = "date"']),
        ('{ type = "date", low = "soon", high = "later" }', ["not a date", '"2020-01-01"']),
        ('{ type = "date", low = "", high = "" }', ["not a date"]),
        ('{ type = "datetime", low = "", high = "" }', ["datetime column is not one"]),
        ('{ type = "timestamp" }', ["has a type that is 'timestamp'", 'type = "datetime"']),
        (
            '{ type = "datetime", low = "2020-01-01", high = "2021-01-01", zone = "Paris" }',
            ["zone 'Paris' is not known", "IANA"],
        ),
        (
            '{ type = "datetime", low = "2020-01-01", high = "2021-01-01", unit = "s" }',
            ["a unit and no zone", 'zone = "UTC"'],
        ),
        ('{ type = "text", zone = "UTC" }', ["of type 'text', and has 'zone'", "datetime"]),
        ('{ low = 0, high = 60, decimal = ";" }', ["decimal is ';'", 'decimal = ","']),
        ('{ type = "date", format = "%d/%m" }', ["year, month and day", "%d/%m/%Y"]),
        ('{ type = "integer", low = 0, high = 1.5 }', ["1.5", 'x = { type = "integer"']),
        ('{ type = "integer", low = "0", high = "9" }', ["not a number", "without quotes"]),
        ('{ type = "int", low = 0, high = 9 }', ["'int'", 'type = "integer"']),
        ('{ type = "bool" }', ["'bool'", 'Write x = { type = "boolean" }']),
        ('{ type = "real" }', ["'real'", "x = { low = 0, high = 60 }", 'x = { type = "boolean" }']),
        ("{ type = 3 }", ["not a text"]),
        ('{ type = "text", low = 0 }', ["'text'", "'low'"]),
        ('{ type = "number", values = [1] }', ["'values'", "x = { values = "]),
        ("{ lwo = 0, high = 9 }", ["x", "low"]),
        ("{ low = 0, high = 9, step = 1 }", ["'step'"]),
        ("{ values = [] }", ["list of texts", 'x = { values = ["A", "B", "C"] }']),
        ('{ values = ["A", "A"] }', ["twice"]),
        ('{ values = ["A", 1] }', ["list of texts"]),
        ("{ values = 1 }", ["list of texts"]),
        ('{ type = "category" }', ["list of texts"]),
        ("{ low = true, high = 3 }", ["not a number"]),
        ("{ low = nan, high = inf }", ["not a number"]),
        ("{ low = 0, high = 1, default = 2 }", ["default", "outside its bounds"]),
        ("{ low = 0, high = 1e200 }", ["beyond 10^100"]),
    ],
)
def test_a_wrong_column_is_told_the_line_to_write(policy: Any, form: str, parts: list[str]) -> None:
    with pytest.raises(PolicyError) as refusal:
        policy(f"{LEAST}[columns]\nage = {{ low = 0, high = 9 }}\nx = {form}")
    said = str(refusal.value)
    for part in ["visits.toml, line 7", *parts]:
        assert part in said, said
    assert "dp." not in said


def test_a_policy_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(PolicyError, match="discreet init"):
            read_policy(path)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (
            LEAST.replace("budget = { epsilon = 1 }", "epsilon = 1"),
            ["line 4", "epsilon stands outside of a budget", "[budget]"],
        ),
        (
            LEAST.replace("budget = { epsilon = 1 }", "[budget]\nepsilon = 1\nmax_rows = 3"),
            ["line 6", "max_rows stands within [budget]", "above the first heading"],
        ),
        (LEAST + "[columns]\nordered = {}", ['ordered = { type = "date", low = "2020-01-01"']),
        (LEAST.replace("epsilon = 1", 'epsilon = "much"'), ['1, 0.5 or "1/3"']),
        (LEAST.replace("epsilon = 1", "epsilon = 0"), ["epsilon = 0.1"]),
    ],
)
def test_a_remedy_is_one_of_the_policy(policy: Any, content: str, parts: list[str]) -> None:
    with pytest.raises(PolicyError) as refused:
        policy(content)
    for part in parts:
        assert part in str(refused.value)
    assert "Fraction" not in str(refused.value)
