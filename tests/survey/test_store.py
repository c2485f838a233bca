"""Reports are kept once and whole, in SQLite as in PostgreSQL."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import monotonic
from urllib.parse import quote

import pytest

from discreet.errors import DataError, SourceError
from discreet.local import RandomizedResponse
from discreet.survey.ballot import Ballot
from discreet.survey.poll_terms import PollTerms
from discreet.survey.question import Question
from discreet.survey.report_store import Outcome, ReceivedReport, ReportStore, ShownResults
from discreet.survey.tokens import new_id, new_token, token_hash

POLL = RandomizedResponse(epsilon=1, categories=3)
BALLOT = Ballot(
    questions=(Question(text="Where?", kind="one", answers=("0", "1", "2"), scheme=POLL),),
    epsilon=POLL.loss.epsilon,
    plain=True,
)
TERMS = PollTerms(POLL.to_json(), "Where?", "none")
DAY = "2030-01-02"

Places = Callable[[], str]


def count(tally: bytes | None, entries: list[ReceivedReport]) -> bytes:
    return BALLOT.counted(tally, [entry.report for entry in entries])


def entry(report: int = 0, token: str | None = None, identity: str | None = None) -> ReceivedReport:
    return ReceivedReport(identity or new_id(), DAY, str(report), token and token_hash(token))


def everything(store: ReportStore) -> list[tuple[str, str]]:
    return [row for page in store.reports() for row in page]


@pytest.fixture
def schema(server: str) -> str:
    """An empty place for tables on the server."""
    import psycopg

    name = f"survey_{new_id()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server}&options={quote(f'-c search_path={name}', safe='')}"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a poll is kept: each test has a database, or a schema, of its own."""
    if request.param == "sqlite":
        return str(tmp_path / "poll.db")
    address: str = request.getfixturevalue("schema")
    return address


def test_a_batch_is_kept_with_its_tally(place: str) -> None:
    store = ReportStore(place, TERMS)
    assert store.tally() == (None, {})
    outcomes = store.add([entry(0), entry(2), entry(2)], count, {"malformed": 2})
    assert outcomes == [Outcome.STORED] * 3
    store.add([entry(1)], count, {"malformed": 1, "closed": 1})
    store.close()
    again = ReportStore(place, TERMS)
    tally, refused = again.tally()
    assert tally is not None
    assert BALLOT.tallies(tally)[0].counts.tolist() == [1, 1, 2]
    assert refused == {"closed": 1, "malformed": 3}
    assert sorted(everything(again)) == [(DAY, "0"), (DAY, "1"), (DAY, "2"), (DAY, "2")]
    again.close()


def test_a_report_that_is_sent_again_counts_once(place: str) -> None:
    store = ReportStore(place, TERMS)
    one = entry(1)
    assert store.add([one, one], count, {}) == [Outcome.STORED, Outcome.AGAIN]
    assert store.add([one], count, {}) == [Outcome.AGAIN]
    assert store.add([entry(2, identity=one.id)], count, {}) == [Outcome.ID_TAKEN]
    assert everything(store) == [(DAY, "1")]
    store.close()


def test_a_token_is_for_one_report(place: str) -> None:
    store = ReportStore(place, TERMS)
    first, second = new_token(), new_token()
    store.add_tokens([token_hash(first), token_hash(second)])
    one = entry(1, first)
    assert store.add([one, entry(1, first)], count, {}) == [Outcome.STORED, Outcome.TOKEN_USED]
    assert store.add([entry(0, first)], count, {}) == [Outcome.TOKEN_USED]
    assert store.add([one], count, {}) == [Outcome.AGAIN]
    assert store.add([entry(0, "another")], count, {}) == [Outcome.TOKEN_UNKNOWN]
    assert store.add([entry(0, second.upper())], count, {}) == [Outcome.STORED]
    assert store.tokens() == (2, 2)
    store.close()


def test_two_collectors_share_one_tally(place: str) -> None:
    stores = [ReportStore(place, TERMS) for _ in range(2)]
    for number in range(10):
        stores[number % 2].add([entry(number % 3)], count, {})
    tally, _ = stores[0].tally()
    assert tally is not None
    assert BALLOT.tallies(tally)[0].counts.tolist() == [4, 3, 3]
    for store in stores:
        store.close()


def test_nothing_of_a_batch_is_kept_that_fails(place: str) -> None:
    store = ReportStore(place, TERMS)
    store.add_tokens([token_hash("only")])

    def fails(tally: bytes | None, entries: list[ReceivedReport]) -> bytes:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.add([entry(1), entry(1, "only")], fails, {"closed": 1})
    assert everything(store) == []
    assert store.tally() == (None, {})
    assert store.tokens() == (1, 0)
    assert store.add([entry(1, "only")], count, {}) == [Outcome.STORED]
    store.close()


OTHER = RandomizedResponse(epsilon=2, categories=3).to_json()


def test_a_poll_may_change_until_there_is_a_report(place: str) -> None:
    ReportStore(place, TERMS).close()
    ReportStore(place, PollTerms(OTHER, "Whither?", "one-time")).close()
    store = ReportStore(place, TERMS)
    store.add([entry(1)], count, {})
    store.close()
    with pytest.raises(DataError, match=r"1 report of another scheme.*Name another"):
        ReportStore(place, replace(TERMS, scheme=OTHER))
    with pytest.raises(DataError, match=r"another question: 'Where\?'.*--reworded"):
        ReportStore(place, replace(TERMS, question="Where to?"))
    with pytest.raises(DataError, match=r"tokens = 'none'.*--reworded"):
        ReportStore(place, replace(TERMS, tokens="one-time"))
    with pytest.raises(DataError, match="another scheme"):
        ReportStore(place, replace(TERMS, scheme=OTHER), reworded=True)
    ReportStore(place, replace(TERMS, question="Where to?"), reworded=True).close()
    ReportStore(place, replace(TERMS, question="Where to?")).close()


def test_results_are_not_shown_sooner_than_those_who_sent_reports_were_told(place: str) -> None:
    for mode in ("private", "live", "batches"):  # there are no reports
        ReportStore(place, TERMS, results=mode).close()
    store = ReportStore(place, TERMS, results="batches")
    store.add([entry(1)], count, {})
    store.close()
    with pytest.raises(DataError, match=r"1 report that came with results = 'batches'.*sooner"):
        ReportStore(place, TERMS, results="live", reworded=True)
    ReportStore(place, TERMS, results="batches").close()
    ReportStore(place, TERMS, results="closed").close()
    with pytest.raises(DataError, match=r"results = 'closed', and results is 'batches'"):
        ReportStore(place, TERMS, results="batches")


def test_a_collector_of_another_scheme_does_not_write(place: str) -> None:
    store = ReportStore(place, TERMS)
    ReportStore(place, replace(TERMS, scheme=OTHER)).close()
    assert store.add([entry(1)], count, {}) == [Outcome.CHANGED]
    for look in (store.tally, lambda: everything(store)):
        with pytest.raises(SourceError, match=r"changed while it was served.*Serve"):
            look()
    store.close()
    store = ReportStore(place, replace(TERMS, scheme=OTHER))
    assert everything(store) == []
    store.close()


def test_a_poll_is_not_taken_over_unless_that_is_meant(place: str) -> None:
    ReportStore(place, TERMS, renew=False).close()
    ReportStore(place, TERMS, renew=False).close()
    with pytest.raises(DataError, match=r"before it was changed.*Serve the poll again"):
        ReportStore(place, replace(TERMS, question="Whither?"), renew=False)
    ReportStore(place, TERMS, renew=False).close()


def test_looking_does_not_change_a_file(tmp_path: Path) -> None:
    place = tmp_path / "foreign.db"
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE another (one INTEGER)")
    before = place.read_bytes()
    with pytest.raises(SourceError, match="no poll was served from it yet"):
        ReportStore(str(place), TERMS, make=False)
    assert place.read_bytes() == before


def test_looking_leaves_the_database_as_it_is(place: str) -> None:
    with pytest.raises(SourceError, match=r"no poll was served from it yet|cannot be opened"):
        ReportStore(place, TERMS, make=False)
    ReportStore(place, replace(TERMS, question="Whither?")).close()
    ReportStore(place, TERMS, make=False).close()
    store = ReportStore(place, replace(TERMS, question="Whither?"))
    store.add([entry(1)], count, {})
    store.close()
    with pytest.raises(DataError, match="another question"):
        ReportStore(place, TERMS, make=False)


def cells(place: Path, table: str) -> list[bytes]:
    """The rows of a table of one page, from the last that was written to its bytes to the first."""
    with closing(sqlite3.connect(place)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", [table]
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    page = place.read_bytes()[(root - 1) * size : root * size]
    assert page[0] == 0x0A  # a leaf
    count = int.from_bytes(page[3:5])
    pointers = [int.from_bytes(page[8 + 2 * at : 10 + 2 * at]) for at in range(count)]
    ids = [page[at + 5 : at + 37] for at in pointers]  # after two lengths and three types
    return [one for _, one in sorted(zip(pointers, ids, strict=True))]


def test_a_file_does_not_tell_the_order_of_arrival_or_whose_token_it_was(tmp_path: Path) -> None:
    place = tmp_path / "poll.db"
    store = ReportStore(str(place), TERMS)
    tokens = [new_token() for _ in range(40)]
    store.add_tokens([token_hash(token) for token in tokens])
    came = [entry(1, token) for token in tokens]
    for one in came:
        store.add([one], count, {})
    assert place.with_name("poll.db-wal").stat().st_size > 0  # the control: all of it is there
    assert store.tidy()
    assert place.with_name("poll.db-wal").stat().st_size == 0
    store.close()
    with closing(sqlite3.connect(place)) as connection:
        keys = [row[0].encode() for row in connection.execute("SELECT id FROM survey_reports")]
    written = cells(place, "survey_reports")
    assert sorted(written) in (written, written[::-1])  # in the order of random ids
    assert sorted(keys) == sorted(written)
    arrived = [one.id.encode() for one in came]
    assert written not in (arrived, arrived[::-1])


def test_untidied_a_file_does_tell_the_order(tmp_path: Path) -> None:
    place = tmp_path / "poll.db"
    store = ReportStore(str(place), TERMS)
    came = [entry(1) for _ in range(40)]
    for one in came:
        store.add([one], count, {})
    store.close()
    assert cells(place, "survey_reports")[::-1] == [one.id.encode() for one in came]


def test_a_server_does_not_tell_the_order_of_arrival_or_whose_token_it_was(schema: str) -> None:
    import psycopg

    store = ReportStore(schema, TERMS)
    tokens = [new_token() for _ in range(40)]
    store.add_tokens([token_hash(token) for token in tokens])
    came = [entry(1, token) for token in tokens]
    linking = (
        "SELECT r.id, t.hash FROM survey_reports r JOIN survey_tokens t ON r.xmin = t.xmin "
        "ORDER BY r.ctid"
    )
    with psycopg.connect(schema, autocommit=True) as connection:
        for one in came:
            store.add([one], count, {})
        assert connection.execute(linking).fetchall() == [(one.id, one.token) for one in came]
        assert store.tidy()
        assert connection.execute(linking).fetchall() == []
        for table, key in (("survey_reports", "id"), ("survey_tokens", "hash")):
            rows = connection.execute(f"SELECT {key}, xmin::text FROM {table} ORDER BY ctid")
            found = rows.fetchall()
            assert [row[0] for row in found] == sorted(row[0] for row in found)
            assert len({row[1] for row in found}) == 1
            assert len(found) == 40
    assert store.tokens() == (40, 40)
    tally, _ = store.tally()
    assert tally is not None
    assert BALLOT.tallies(tally)[0].reports == 40
    assert store.add([came[0]], count, {}) == [Outcome.AGAIN]
    store.close()


def test_a_reader_puts_a_tidying_off_and_stops_nobody(place: str) -> None:
    store = ReportStore(place, TERMS)
    store.add([entry(1), entry(2)], count, {})
    reader = store._database.connect(write=False)
    reader.execute(store._database.begin.replace(" IMMEDIATE", ""))
    reader.execute("SELECT id FROM survey_reports").fetchall()
    store.add([entry(0)], count, {})
    began, said = monotonic(), "another program keeps it locked"
    try:
        tidied = store.tidy()
    except SourceError as error:
        tidied, said = False, str(error)
    assert not tidied
    assert "another program keeps it locked" in said
    assert monotonic() - began < 30  # it waits for an instant, not for its patience of 30 seconds
    assert store.add([entry(1)], count, {}) == [Outcome.STORED]
    reader.close()
    assert store.tidy()
    assert len(everything(store)) == 4
    store.close()


def test_an_old_snapshot_of_a_server_keeps_nothing_of_the_order(schema: str) -> None:
    """A row that was deleted would stay, as a transaction that began before might read it."""
    import psycopg

    store = ReportStore(schema, TERMS)
    with (
        psycopg.connect(schema, autocommit=True) as reader,
        psycopg.connect(schema, autocommit=True) as other,
    ):

        def size(table: str) -> int:
            found = other.execute("SELECT pg_relation_size(%s::regclass)", [table]).fetchone()
            assert found is not None
            return int(found[0])

        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM pg_class").fetchall()
        for _ in range(60):
            store.add([entry(1) for _ in range(5)], count, {})
        untidied = size("survey_poll")
        assert store.tidy()
        other.execute("CREATE TABLE fresh AS SELECT * FROM survey_reports ORDER BY id")
        once = size("fresh")
        assert size("survey_reports") <= once
        assert size("survey_poll") < untidied
        # The control: deleted, inserted again and vacuumed, the rows are there twice.
        other.execute(
            "WITH gone AS (DELETE FROM fresh RETURNING *) INSERT INTO fresh SELECT * FROM gone"
        )
        other.execute("VACUUM FULL fresh")
        assert size("fresh") > once
    assert len(everything(store)) == 300
    store.close()


def test_tables_that_may_not_be_emptied_are_told(schema: str) -> None:
    import psycopg

    role = f"collector_{new_id()}"
    ReportStore(schema, TERMS).close()
    with psycopg.connect(schema, autocommit=True) as connection:
        (name,) = connection.execute("SELECT current_schema()").fetchone() or ("",)
        connection.execute(f"CREATE ROLE {role} LOGIN")
        connection.execute(f"GRANT USAGE, CREATE ON SCHEMA {name} TO {role}")
        connection.execute(
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {name} TO {role}"
        )
    store = ReportStore(schema.replace("postgres@", f"{role}@"), TERMS)
    assert store.add([entry(1)], count, {}) == [Outcome.STORED]
    with pytest.raises(SourceError, match="may not write, or empty, the tables"):
        store.tidy()
    assert len(everything(store)) == 1
    store.close()


def test_nothing_is_kept_in_a_file_that_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "poll.db"
    store = ReportStore(str(place), TERMS)
    assert place.stat().st_mode & 0o777 == 0o600
    store.add([entry(1)], count, {})
    place.rename(tmp_path / "moved.db")
    for said in ("removed or replaced", "cannot be opened"):
        with pytest.raises(SourceError, match=said):
            store.add([entry(1)], count, {})
    with pytest.raises(SourceError, match="cannot be opened"):
        store.tally()
    assert not place.exists()
    (tmp_path / "moved.db").rename(place)
    assert store.add([entry(2)], count, {}) == [Outcome.STORED]
    assert len(everything(store)) == 2
    store.close()


def test_many_collectors_may_start_at_once(place: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: ReportStore(place, TERMS), range(8)))
    for store in stores:
        store.add([entry(1)], count, {})
    assert len(everything(stores[0])) == 8
    for store in stores:
        store.close()


def test_many_reports_are_read_in_pages(place: str) -> None:
    store = ReportStore(place, TERMS)
    store.add([entry(1) for _ in range(2_001)], count, {})
    assert len(everything(store)) == 2_001
    store.close()


def test_sqlite_waits_for_the_disk_at_every_commit(tmp_path: Path) -> None:
    from discreet.survey.report_store import SqliteFile

    database = SqliteFile(str(tmp_path / "poll.db"))
    database.make()
    with closing(database.connect(write=True)) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_row_holds_nothing_about_a_person(tmp_path: Path) -> None:
    place = tmp_path / "poll.db"
    store = ReportStore(str(place), TERMS)
    store.add([entry(1)], count, {})
    store.close()
    with closing(sqlite3.connect(place)) as connection:
        tables = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL"))
        columns = {
            table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in tables
        }
    assert columns == {
        "survey_poll": ["one", "scheme", "question", "tokens", "tally"],
        "survey_reports": ["id", "day", "report"],
        "survey_tokens": ["hash", "used"],
        "survey_refusals": ["reason", "number"],
        "survey_shown": ["one", "closed", "shown", "refused", "coming"],
        "survey_results": ["one", "mode"],
    }
    # No hidden row number tells in which order reports came.
    assert "WITHOUT ROWID" in tables["survey_reports"]
    assert "WITHOUT ROWID" in tables["survey_tokens"]


def test_what_is_shown_is_kept_wherever_reports_are(place: str) -> None:
    store = ReportStore(place, TERMS)
    store.show(10, BALLOT.number, to_end=False)
    assert store.shown() == ShownResults(False, None, {})
    for expected in (0, 10, 20):
        store.add([entry(1) for _ in range(10)], count, {"malformed": 1})
        store.show(10, BALLOT.number, to_end=False)
        assert BALLOT.number(store.shown().tally) == expected
    assert store.shown().refused == {"malformed": 3}
    store.close_poll()
    assert store.is_closed()
    assert store.add([entry(1)], count, {}) == [Outcome.CLOSED]
    store.close()
    again = ReportStore(place, TERMS)
    again.show(10, BALLOT.number, to_end=True)
    assert (again.shown().closed, BALLOT.number(again.shown().tally)) == (True, 30)
    again.close_poll(False)
    assert again.add([entry(1)], count, {}) == [Outcome.STORED]
    again.close()


def test_a_database_of_version_0_1_0_is_read_and_served(place: str) -> None:
    store = ReportStore(place, TERMS)
    store.add([entry(number % 3) for number in range(30)], count, {})
    with store._writing() as execute:
        execute("DROP TABLE survey_shown")  # which that version did not have
    store.close()
    looked_at = ReportStore(place, TERMS, make=False)
    assert looked_at.is_closed() is False
    assert BALLOT.number(looked_at.tally()[0]) == 30
    served = ReportStore(place, TERMS)
    assert len(everything(served)) == 30
    assert served.add([entry(1)], count, {}) == [Outcome.STORED]
    served.show(10, BALLOT.number, to_end=True)
    assert BALLOT.number(served.shown().tally) == 31
    served.close()


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no folder"):
        ReportStore(str(tmp_path / "none" / "poll.db"), TERMS)
    (tmp_path / "text.db").write_text("not a database, however long it is" * 99, "utf-8")
    with pytest.raises(SourceError, match="not a SQLite database"):
        ReportStore(str(tmp_path / "text.db"), TERMS)
    with pytest.raises(SourceError, match="cannot be opened"):
        ReportStore(str(tmp_path), TERMS)
    with pytest.raises(SourceError, match="cannot be opened"):
        ReportStore(str(tmp_path / "none.db"), TERMS, make=False)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(SourceError, match="server does not answer"):
        ReportStore("postgresql://127.0.0.1:1/none", TERMS)
    (tmp_path / "empty.db").touch()
    with closing(sqlite3.connect(tmp_path / "empty.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE survey_poll (one INTEGER)")
    with pytest.raises(SourceError, match="OperationalError"):
        ReportStore(str(tmp_path / "empty.db"), TERMS)


def test_a_database_that_a_server_does_not_have_is_told(server: str) -> None:
    address, _, options = server.partition("?")
    missing = f"{address.rpartition('/')[0]}/no_such_database?{options}"
    with pytest.raises(SourceError, match="no database of this name"):
        ReportStore(missing, TERMS)


def test_tokens_and_ids_are_random() -> None:
    assert len({new_token() for _ in range(1_000)}) == 1_000
    assert len({new_id() for _ in range(1_000)}) == 1_000
    assert {letter for _ in range(1_000) for letter in new_token()} == set(
        "0123456789abcdefghjkmnpqrstvwxyz"
    )
