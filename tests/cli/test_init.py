"""``discreet init`` writes names and types, and leaves every decision to the custodian."""

import shlex
import tomllib
from pathlib import Path

import duckdb
import pytest

from discreet.errors import PolicyError
from discreet.policy import read_policy
from tests.cli.conftest import Command
from tests.support.visits_policy import CANARY, CANARY_NUMBER, COUNT, write_visits


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_visits(tmp_path, canary=True)
    (tmp_path / "visits.toml").unlink()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(folder: Path, name: str, *, rows: bool = True) -> None:
    where = "" if rows else "WHERE false"
    select = f"""
        SELECT '{CANARY}' AS id, 'A' AS ward, 1.5 AS stay, {CANARY_NUMBER}::DOUBLE AS weight,
               7 AS "the age", DATE '2021-01-01' AS day, TIMESTAMP '2021-01-01' AS time,
               TIMESTAMPTZ '2021-01-01 00:00:00Z' AS moment,
               true AS smoker, ['{CANARY}'] AS list {where}"""
    if name.endswith(".parquet"):
        duckdb.sql(f"COPY ({select}) TO '{folder / name}' (FORMAT parquet)")
        return
    with duckdb.connect(str(folder / name)) as opened:
        opened.execute(f"CREATE TYPE kind AS ENUM ('{CANARY}')")
        opened.execute(f"CREATE TABLE visits AS {select}")
        opened.execute("ALTER TABLE visits ADD COLUMN kind kind")


def test_a_parquet_file_gives_its_types(command: Command, folder: Path) -> None:
    make(folder, "stays.parquet")
    assert command("init", "stays.parquet", "--unit", "id").code == 0
    text = (folder / "stays.toml").read_text()
    assert text.partition("[columns]\n")[2].partition("\n\n")[0].splitlines() == [
        'ward      = { type = "text" }  # or, if its values are public: { values = ["A", "B"] }',
        "# stay      = { low = , high = }",
        "# weight    = { low = , high = }",
        '# "the age" = { type = "integer", low = , high = }',
        '# day       = { type = "date", low = "", high = "" }',
        '# time      = { type = "datetime", low = "", high = "" }',
        '# moment    = { type = "datetime", low = "", high = "", zone = "" }',
        'smoker    = { type = "boolean" }',
        "# list      holds lists, records or bytes, which cannot be asked about",
    ]
    declared = read_policy("stays.toml")
    assert set(declared["columns"]) == {"ward", "smoker"}
    assert declared["source"] == "stays.parquet"
    assert (
        command("plan", "stays.toml", COUNT.replace("visits", "stays"), "--epsilon", "1").code == 0
    )


@pytest.mark.parametrize("unit", [None, "patient_id", "row"])
def test_it_is_toml_whoever_is_protected(command: Command, folder: Path, unit: str | None) -> None:
    assert command("init", "visits.csv", *(["--unit", unit] if unit else [])).code == 0
    read = tomllib.loads((folder / "visits.toml").read_text())
    assert read["columns"] == {}
    assert ("max_rows" in read) == (unit != "row")
    if unit is None:
        with pytest.raises(PolicyError, match="unit is not filled in"):
            read_policy("visits.toml")
    else:
        assert command("plan", "visits.toml", COUNT, "--epsilon", "1").code == 0


def test_a_column_without_its_bounds_is_refused_until_they_are_filled_in(
    command: Command, folder: Path
) -> None:
    make(folder, "stays.parquet")
    command("init", "stays.parquet", "--unit", "id")
    policy = folder / "stays.toml"
    policy.write_text(policy.read_text().replace("# stay ", "stay "))
    ended = command("plan", policy, "SELECT SUM(stay) AS s FROM stays", "--epsilon", "1")
    assert ended.code == 2
    assert "is not TOML: line" in ended.error
    policy.write_text(policy.read_text().replace("low = , high = }", "low = 0, high = 9 }"))
    assert command("plan", policy, "SELECT SUM(stay) AS s FROM stays", "--epsilon", "1").code == 0


def test_no_value_and_no_number_of_rows_is_written(command: Command, folder: Path) -> None:
    written = {}
    for rows in (True, False):
        place = folder / str(rows)
        place.mkdir()
        make(place, "visits.parquet", rows=rows)
        make(place, "visits.duckdb", rows=rows)
        (place / "visits.csv").write_text("id,ward\n" + f"{CANARY},{CANARY}\n" * rows)
        (place / "visits.jsonl").write_text(f'{{"{CANARY}": "{CANARY}"}}\n' * rows)
        for kind in ("parquet", "csv", "duckdb", "jsonl"):
            table = ["--table", "visits"] if kind == "duckdb" else []
            output = place / f"{kind}.toml"
            ended = command("init", place / f"visits.{kind}", "--output", output, *table)
            assert ended.code == 0, ended.error
            text = ended.out.replace(str(place), "") + output.read_text()
            assert CANARY not in text
            written.setdefault(kind, set()).add(text)
    assert [len(texts) for texts in written.values()] == [1, 1, 1, 1]


def test_a_first_line_that_is_a_row_is_not_taken_for_names(command: Command, folder: Path) -> None:
    for line in (f"{CANARY},44,A", f"{CANARY},2021-03-04", f"{CANARY},,A"):
        (folder / "bare.csv").write_text(line + "\n")
        ended = command("init", "bare.csv")
        assert ended.code == 2
        assert CANARY not in ended.error + ended.out
    assert not (folder / "bare.toml").exists()


def test_a_policy_is_never_overwritten(command: Command, folder: Path) -> None:
    (folder / "visits.toml").write_text("decided")
    ended = command("init", "visits.csv")
    assert ended.code == 2
    assert "--output" in ended.error
    assert (folder / "visits.toml").read_text() == "decided"


def test_a_slip_is_told_its_remedy(command: Command, folder: Path) -> None:
    assert "'patient_id'" in command("init", "visits.csv", "--unit", "patient").error
    assert command("init", "none.csv").code == 2
    assert "visits.toml" in command("init", "visits.csv", "--output", "visits.txt").error
    assert not list(folder.glob("*.toml"))


def test_the_source_is_named_from_the_policys_folder(command: Command, folder: Path) -> None:
    (folder / "policies").mkdir()
    assert command("init", "visits.csv", "--output", "policies/v.toml", "--unit", "row").code == 0
    source = tomllib.loads((folder / "policies" / "v.toml").read_text())["source"]
    assert source == "../visits.csv"
    assert command("plan", "policies/v.toml", COUNT, "--epsilon", "1").code == 0


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("./visits.csv", "../visits.csv"),
        ("policies/../visits.csv", "../visits.csv"),
        ("link/visits.csv", "stays/visits.csv"),
        ("link/../visits.csv", "visits.csv"),
        ("{folder}/visits.csv", "../visits.csv"),
        ("{folder}/policies/stays/visits.csv", "stays/visits.csv"),
    ],
)
def test_the_source_is_named_as_shortly_as_it_can_be(
    command: Command, folder: Path, source: str, named: str
) -> None:
    (folder / "policies" / "stays").mkdir(parents=True)
    for place in ("policies/stays", "policies"):
        (folder / place / "visits.csv").write_text((folder / "visits.csv").read_text())
    (folder / "link").symlink_to(folder / "policies" / "stays")
    policy = folder / "policies" / "v.toml"
    asked = source.format(folder=folder)
    assert command("init", asked, "--output", "policies/v.toml", "--unit", "row").code == 0
    assert tomllib.loads(policy.read_text())["source"] == named
    assert command("plan", policy, COUNT, "--epsilon", "1").code == 0


@pytest.mark.parametrize("name", ["my data", "visits", "order", "it's $HOME", "müll", 'a"b'])
def test_the_example_works_as_it_is_printed(command: Command, folder: Path, name: str) -> None:
    (folder / f"{name}.csv").write_text("id,ward\n")
    ended = command("init", f"{name}.csv", "--unit", "row")
    example = shlex.split(ended.out.splitlines()[-1])
    assert (example[:2], len(example)) == (["discreet", "plan"], 6)
    assert command(*example[1:]).code == 0
    if name == "visits":
        assert ended.out.endswith(
            '  discreet plan visits.toml "SELECT COUNT(*) AS n FROM visits" --epsilon 0.5\n'
        )


def test_json_lines_do_not_name_their_columns(command: Command, folder: Path) -> None:
    (folder / "j.jsonl").write_text('{"id": "a"}\n')
    ended = command("init", "j.jsonl", "--unit", "patient")
    assert "no row was read" in ended.out
    assert "--unit patient was not checked" in ended.out
    text = (folder / "j.toml").read_text()
    assert "# EXAMPLE_COLUMN = { low = 0, high = 60 }" in text
    assert "names its columns only in its rows" in text
    assert tomllib.loads(text.replace("# EXAMPLE", "EXAMPLE"))["columns"].keys() == {
        "EXAMPLE_COLUMN"
    }


def test_a_table_of_a_file_is_an_option(command: Command, folder: Path) -> None:
    make(folder, "stays.duckdb")
    assert "Add --table visits." in command("init", "stays.duckdb").error
    assert "Leave --table out." in command("init", "visits.csv", "--table", "visits").error


def test_the_second_step_is_a_profile_and_it_works(command: Command, folder: Path) -> None:
    """What the last lines say to type, typed."""
    done = command("init", "visits.csv", "--unit", "patient_id")
    steps = [shlex.split(line) for line in done.out.splitlines() if line.startswith("  discreet ")]
    assert [step[1] for step in steps] == ["profile", "plan"]
    policy = folder / "visits.toml"
    text = policy.read_text()
    for field in ("at_most_rows", "at_most_groups", "version"):
        assert field in text
    assert "counts for max_rows" in text
    assert "weighed down" not in text
    assert read_policy("visits.toml")["version"] == "1"
    for _, *words in steps:
        assert command(*words).code == 0
    written = text.replace("# at_most_rows   = 365", "at_most_rows = 365")
    policy.write_text(written.replace("# at_most_groups = 12", "at_most_groups = 12"))
    found = read_policy("visits.toml")
    assert (found["at_most_rows"], found["at_most_groups"]) == (365, 12)


def test_where_every_row_is_another_person_there_is_no_profile(
    command: Command, folder: Path
) -> None:
    done = command("init", "visits.csv", "--unit", "row")
    assert "discreet profile" not in done.out
    assert "version" not in read_policy("visits.toml")
