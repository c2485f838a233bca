"""What happens when the place where a ledger is kept fails: a clear error, nothing released."""

import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from discreet.errors import (
    DataError,
    LedgerCorruptError,
    LedgerError,
    LedgerMissingError,
    LedgerUnavailableError,
)
from discreet.ledger import Ledger
from discreet.ledger.postgres import shown_url
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget

TENTH = PureEvent(epsilon="0.1")


def declared(place: str | Path) -> Ledger:
    ledger = Ledger(place)
    ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=10))
    return ledger


def ask(ledger: Ledger) -> None:
    ledger.charge("visits", event=TENTH, question="q", analyst="ann", keeps_answer=False)


def ask_often(ledger: Ledger) -> None:
    for _ in range(50):
        ask(ledger)


def found_out(path: Path) -> bool:
    """Whether opening or verifying a ledger finds something wrong."""
    try:
        with Ledger(path) as ledger:
            return not ledger.verify().sound
    except LedgerError:
        return True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.ledger"


class TestFile:
    def test_only_its_owner_may_read_a_ledger(self, path: Path) -> None:
        with declared(path) as ledger:
            ask(ledger)
            for file in path.parent.iterdir():
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file

    @pytest.mark.skipif(sys.platform != "linux", reason="limits of file sizes differ")
    def test_a_full_disk_is_a_clear_error_and_loses_nothing(self, path: Path) -> None:
        with declared(path) as ledger:
            ask(ledger)
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            size = path.with_name(path.name + "-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 5_000, hard))
            try:
                with pytest.raises(LedgerUnavailableError, match=r"disk.*nothing was released"):
                    ask_often(ledger)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            spent = ledger.balance("visits").spent.epsilon
            ask(ledger)  # there is room again
            report = ledger.verify()
        assert report.sound
        assert spent is not None
        with Ledger(path) as again:
            assert again.balance("visits").spent.epsilon == spent + TENTH.epsilon

    def test_a_file_that_may_only_be_read_is_read_and_not_written(self) -> None:
        folder = Path(tempfile.mkdtemp())  # one that a user other than root can reach
        path = folder / "visits.ledger"
        with declared(path) as ledger:
            ask(ledger)
        code = """
            import os, sys
            from discreet.errors import LedgerUnavailableError
            from discreet.ledger import Ledger
            if os.geteuid() == 0:
                os.setgid(65534), os.setuid(65534)
            with Ledger(sys.argv[1], read_only=True) as ledger:
                print(ledger.verify().sound, ledger.balance("visits").charges)
            try:
                Ledger(sys.argv[1])
            except LedgerUnavailableError as error:
                print(error)
        """
        path.chmod(0o444)
        folder.chmod(0o555)
        try:
            ran = subprocess.run(
                [sys.executable, "-c", textwrap.dedent(code), str(path)],
                capture_output=True,
                text=True,
                check=True,
            )
        finally:
            folder.chmod(0o755)
            shutil.rmtree(folder)
        first, refusal = ran.stdout.splitlines()
        assert first == "True 1"
        assert "may only be read" in refusal or "writable" in refusal

    @pytest.mark.parametrize(
        "where", [b"SQLite format 3", b"TABLE discreet_entries", b'"epsilon"', None]
    )
    def test_a_damaged_file_is_found_out(self, path: Path, where: bytes | None) -> None:
        with declared(path) as ledger:
            ask_often(ledger)
        content = bytearray(path.read_bytes())
        for start in range(0, len(content), 4096) if where is None else [content.find(where)]:
            content[start : start + 8] = b"\xff" * 8
            if where is None and start > 40_000:
                break
        path.write_bytes(content)
        assert found_out(path)

    def test_an_index_that_misses_a_charge_is_found_out(self, path: Path) -> None:
        with declared(path) as ledger:
            ask_often(ledger)
        with sqlite3.connect(path) as forger:
            forger.execute("PRAGMA writable_schema = ON")
            forger.execute(
                "UPDATE sqlite_master SET sql = replace(sql, 'charge', 'charges')"
                " WHERE name = 'discreet_spent'"
            )
        forger.close()
        assert found_out(path)

    def test_a_file_of_another_kind_is_refused(self, path: Path) -> None:
        path.write_text("name,age\nann,23\n" * 100)
        with pytest.raises(LedgerError, match="is not a ledger"):
            Ledger(path)
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE people (name TEXT)")
        other.close()
        with pytest.raises(LedgerError, match="not a ledger"):
            Ledger(path)

    def test_a_missing_folder_is_a_clear_error(self, path: Path) -> None:
        with pytest.raises(LedgerMissingError, match="Make the folder, or correct the path"):
            Ledger(path / "in" / "nowhere")
        path.touch()
        with pytest.raises(LedgerMissingError, match="there is no folder"):
            Ledger(path / "a file is no folder")

    def test_reading_makes_no_ledger(self, path: Path) -> None:
        with pytest.raises(LedgerUnavailableError, match="there is no ledger"):
            Ledger(path, read_only=True)
        assert not path.exists()

    @pytest.mark.parametrize("place", ["http://example.org/x", "", "mysql://host/db"])
    def test_other_places_are_refused(self, place: str) -> None:
        with pytest.raises(DataError, match="SQLite"):
            Ledger(place)

    def test_a_file_that_is_replaced_in_use_is_found_out(self, path: Path) -> None:
        with declared(path) as ledger:
            ask(ledger)
        shutil.copy(path, path.with_name("backup"))
        with Ledger(path) as ledger:
            ask(ledger)
            path.with_name("backup").rename(path)
            with pytest.raises(LedgerError, match="was replaced"):
                ask(ledger)

    def test_a_backup_that_is_copied_over_it_in_use_is_found_out(self, path: Path) -> None:
        with declared(path) as ledger:
            ask(ledger)
        backup = path.read_bytes()
        ledger = Ledger(path)
        ask(ledger)
        ledger.close()
        path.write_bytes(backup)
        with ledger, pytest.raises(LedgerCorruptError, match="It only grows"):
            ask(ledger)

    def test_a_log_without_its_ledger_starts_no_new_one(self, path: Path) -> None:
        with declared(path) as ledger:
            ask(ledger)
            shutil.copy(f"{path}-wal", f"{path}-wal.kept")
        path.unlink()
        Path(f"{path}-wal.kept").rename(f"{path}-wal")
        with pytest.raises(LedgerCorruptError, match="belong together"):
            Ledger(path)

    def test_entries_cannot_be_changed_by_a_slip(self, path: Path) -> None:
        with declared(path) as ledger:
            ask(ledger)
        with sqlite3.connect(path) as connection:
            for statement in (
                "UPDATE discreet_entries SET analyst = 'bob' WHERE sequence = 2",
                "DELETE FROM discreet_entries",
            ):
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    connection.execute(statement)
        connection.close()


class TestServer:
    @pytest.fixture
    def place(self, new_postgres: Callable[[], str]) -> str:
        return new_postgres()

    @pytest.fixture
    def ledger(self, place: str) -> Iterator[Ledger]:
        with declared(place) as ledger:
            yield ledger

    def cut(self, place: str) -> None:
        """End every connection of ledgers on the server, as an administrator would."""
        import psycopg

        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'discreet ledger'"
            )

    def test_a_connection_that_was_cut_before_a_question_is_replaced(
        self, ledger: Ledger, place: str
    ) -> None:
        ask(ledger)
        self.cut(place)
        ask(ledger)
        self.cut(place)
        assert ledger.balance("visits").charges == 2
        assert ledger.verify().sound

    def test_a_connection_that_is_cut_in_a_transaction_releases_nothing(
        self, ledger: Ledger, place: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from discreet.ledger.records import Records

        append = Records.append

        def cut_then_append(*arguments: object) -> None:
            self.cut(place)
            append(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(Records, "append", cut_then_append)
        with pytest.raises(LedgerUnavailableError, match="connection failed or was cut"):
            ask(ledger)
        monkeypatch.undo()
        assert ledger.balance("visits").charges == 0
        ask(ledger)
        assert ledger.verify().sound

    def test_a_commit_whose_answer_was_lost_is_looked_up(
        self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import psycopg

        execute = psycopg.Connection.execute
        commits = []

        def lose_the_answer(connection: object, statement: object, *rest: object) -> object:
            result = execute(connection, statement, *rest)  # type: ignore[arg-type]
            if statement == "COMMIT" and not commits:
                commits.append(1)
                connection.close()  # type: ignore[attr-defined]
                raise psycopg.OperationalError("the connection broke")
            return result

        monkeypatch.setattr(psycopg.Connection, "execute", lose_the_answer)
        ask(ledger)
        assert commits
        assert ledger.balance("visits").charges == 1
        assert ledger.verify().sound

    def test_a_commit_that_did_not_arrive_is_an_error(
        self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import psycopg

        execute = psycopg.Connection.execute
        commits = []

        def lose_the_question(connection: object, statement: object, *rest: object) -> object:
            if statement == "COMMIT" and not commits:
                commits.append(1)
                connection.close()  # type: ignore[attr-defined]
                raise psycopg.OperationalError("the connection broke")
            return execute(connection, statement, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(psycopg.Connection, "execute", lose_the_question)
        with pytest.raises(LedgerUnavailableError, match="cut"):
            ask(ledger)
        assert ledger.balance("visits").charges == 0
        ask(ledger)
        assert ledger.verify().sound

    def test_no_server_is_a_clear_error_without_the_password(self) -> None:
        url = "postgresql://ann:secret@127.0.0.1:1/privacy"
        with pytest.raises(LedgerUnavailableError) as refusal:
            Ledger(url)
        assert "postgresql://ann@127.0.0.1:1/privacy" in str(refusal.value)
        assert "secret" not in str(refusal.value)
        assert "secret" not in shown_url(url + "?password=secret")

    def test_a_server_without_fsync_is_refused(
        self, place: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from discreet.ledger import postgres

        executing = postgres._executing

        def pretending(connection: object) -> Callable[..., object]:
            execute = executing(connection)  # type: ignore[arg-type]

            def pretend(statement: str, parameters: object) -> object:
                if "fsync" in statement:
                    return [("off", "on")]
                return execute(statement, parameters)  # type: ignore[arg-type]

            return pretend

        monkeypatch.setattr(postgres, "_executing", pretending)
        with pytest.raises(LedgerError, match="fsync = off"):
            Ledger(place)

    def test_a_session_that_commits_in_memory_is_made_durable(self, place: str) -> None:
        careless = place + "%20-csynchronous_commit%3Doff"
        with Ledger(careless) as ledger, ledger._journal.store.reading() as records:
            assert records.execute("SHOW synchronous_commit", {}) == [("on",)]

    def test_reading_makes_no_tables(self, place: str) -> None:
        with pytest.raises(LedgerUnavailableError, match="there is no ledger"):
            Ledger(place, read_only=True)
        with declared(place) as ledger:
            ask(ledger)
        with Ledger(place, read_only=True) as reading:
            assert reading.verify().sound
            with pytest.raises(LedgerUnavailableError, match="read only"):
                ask(reading)

    def test_entries_cannot_be_changed_by_a_slip(self, ledger: Ledger, place: str) -> None:
        import psycopg

        ask(ledger)
        with psycopg.connect(place, autocommit=True) as connection:
            for statement in (
                "UPDATE discreet_entries SET analyst = 'bob' WHERE sequence = 2",
                "DELETE FROM discreet_entries",
                "TRUNCATE discreet_entries",
            ):
                with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                    connection.execute(statement)

    def test_without_the_driver_it_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(LedgerUnavailableError, match="psycopg"):
            Ledger("postgresql://somewhere/privacy")


def test_reading_leaves_the_log_of_a_process_that_died(tmp_path: Path) -> None:
    used = declared(tmp_path / "used.ledger")
    ask(used)
    for ending in ("", "-wal"):
        shutil.copy(tmp_path / f"used.ledger{ending}", tmp_path / f"died.ledger{ending}")
    before = [(tmp_path / f"died.ledger{ending}").read_bytes() for ending in ("", "-wal")]
    with Ledger(tmp_path / "died.ledger", read_only=True) as ledger:
        assert ledger.balance("visits").charges == 1
    after = [(tmp_path / f"died.ledger{ending}").read_bytes() for ending in ("", "-wal")]
    assert after == before
    used.close()
    with Ledger(tmp_path / "used.ledger", read_only=True) as ledger:
        assert ledger.balance("visits").charges == 1
    assert not list(tmp_path.glob("used.ledger-*"))
