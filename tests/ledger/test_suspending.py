"""A failure that rows may have caused is told once: then nothing is asked until it is resumed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier, Event
from time import monotonic, sleep
from typing import Any, get_args

import pytest

import discreet as dp
from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    DataError,
    DeclarationError,
    LedgerError,
    LedgerUnavailableError,
    SuspendedError,
)
from discreet.ledger import Charge, Ledger
from discreet.ledger.charges import OUTSIDE, LossReason
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget

TENTH = PureEvent(epsilon="0.1")
WRITTEN = Path(__file__).parents[1] / "golden" / "0.1.0" / "pending.ledger"
ROOT = Path(__file__).parents[2]


def declared(ledger: Ledger) -> Ledger:
    for name in ("visits", "wards"):
        ledger.declare(name, neighbors="add-remove", budget=Budget(epsilon=10))
    return ledger


def ask(ledger: Ledger, dataset: str = "visits", **options: Any) -> Charge:
    asked = {"event": TENTH, "question": "q", "analyst": "ann"} | options
    return ledger.charge(dataset, **asked)


def answered(ledger: Ledger, **options: Any) -> bytes:
    return ledger.answer(ask(ledger, **options), lambda: b"42", safe=True)


def fail(ledger: Ledger, error: type[BaseException] = ValueError, **options: Any) -> None:
    def run() -> bytes:
        raise error("the value is 42")

    with pytest.raises(error):
        ledger.answer(ask(ledger, **options), run, safe=True)


def kinds(ledger: Ledger) -> list[str]:
    return [entry.kind for entry in ledger.history()]


def eventually(condition: Callable[[], bool]) -> None:
    deadline = monotonic() + 60
    while not condition():
        assert monotonic() < deadline
        sleep(0.01)


def dead(ledger: Ledger) -> bool:
    return [one.state for one in ledger.pending()] == ["dead"]


class TestFailing:
    def test_after_a_failure_nothing_is_charged_whatever_is_asked(self, ledger: Ledger) -> None:
        fail(declared(ledger))
        before = list(ledger.export())
        for options in (
            {},
            {"analyst": "bob"},
            {"key": "k"},
            {"question": "something else", "event": PureEvent(epsilon="1/1000")},
            {"keeps_answer": False},
            {"event": PureEvent(epsilon=11)},
        ):
            with pytest.raises(SuspendedError, match=r"They resume it by ledger\.resume"):
                ask(ledger, **options)
        with pytest.raises(SuspendedError):
            ledger.check("visits", event=TENTH)
        assert list(ledger.export()) == before
        assert kinds(ledger) == ["dataset", "dataset", "charge", "lost", "suspended"]
        assert answered(ledger, dataset="wards") == b"42"

    def test_a_suspension_has_a_time_and_nothing_else(self, ledger: Ledger) -> None:
        fail(declared(ledger))
        (entry,) = (entry for entry in ledger.history() if entry.kind == "suspended")
        assert entry.data == {}
        assert (entry.analyst, entry.key, entry.charge) == (None, None, None)
        assert ledger.balance("visits").suspended == entry.time

    def test_every_cause_leads_to_the_same_entries_and_the_same_refusal(self, place: str) -> None:
        seen = set()
        for error in (ValueError, MemoryError, OSError, RecursionError, SystemExit, TimeoutError):
            times = iter(f"2026-01-01T00:00:{number:02}.000000Z" for number in range(60))
            with Ledger(":memory:", clock=lambda times=times: next(times)) as ledger:
                fail(declared(ledger), error)
                with pytest.raises(SuspendedError) as refusal:
                    ask(ledger)
                seen.add((str(refusal.value), *ledger.export()))
        assert len(seen) == 1

    @pytest.mark.parametrize("reason", get_args(LossReason))
    def test_only_what_is_certainly_no_rows_doing_suspends_nothing(
        self, ledger: Ledger, reason: LossReason
    ) -> None:
        declared(ledger).lose(ask(ledger), reason)
        assert (ledger.balance("visits").suspended is None) == (reason in OUTSIDE)
        assert {"cancelled", "unrecorded"} == OUTSIDE
        assert ledger.verify().sound

    def test_a_question_that_was_broken_off_is_charged_and_told_as_that(
        self, ledger: Ledger
    ) -> None:
        fail(declared(ledger), KeyboardInterrupt)
        assert kinds(ledger)[-1] == "lost"
        assert ledger.recent(1)[0].data == {"reason": "cancelled"}
        assert answered(ledger) == b"42"
        assert ledger.balance("visits").suspensions == 0

    def test_an_answer_that_cannot_be_recorded_is_no_rows_doing(self, ledger: Ledger) -> None:
        declared(ledger)
        with pytest.raises(DataError):
            ledger.answer(ask(ledger), lambda: "no bytes", safe=True)  # type: ignore[arg-type,return-value]
        assert ledger.recent(1)[0].data == {"reason": "unrecorded"}
        assert answered(ledger) == b"42"

    def test_a_failure_that_cannot_be_written_down_suspends_all_the_same(
        self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unavailable(*_: object) -> None:
            raise LedgerUnavailableError("the disk is full")

        declared(ledger)
        with monkeypatch.context() as patched:
            patched.setattr("discreet.ledger.charges.lose", unavailable)
            fail(ledger)
        assert kinds(ledger)[-1] == "charge"
        with pytest.raises(SuspendedError):
            ask(ledger)
        assert kinds(ledger)[-3:] == ["charge", "lost", "suspended"]
        assert ledger.verify().sound

    def test_a_second_interrupt_suspends(
        self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        declared(ledger)
        with monkeypatch.context() as patched:
            patched.setattr("discreet.ledger.charges.lose", interrupted)
            fail(ledger, KeyboardInterrupt)
        with pytest.raises(SuspendedError):
            ask(ledger)

    def test_an_interrupt_in_the_charge_itself_is_told_as_that(
        self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        declared(ledger)
        with monkeypatch.context() as patched:  # the charge is durable, and not handed over yet
            patched.setattr("discreet.ledger.journal.Journal._saw", interrupted)
            with pytest.raises(KeyboardInterrupt):
                ask(ledger)
        assert kinds(ledger)[-2:] == ["charge", "lost"]
        assert ledger.recent(1)[0].data == {"reason": "cancelled"}
        assert answered(ledger) == b"42"
        assert ledger.balance("visits").suspensions == 0

    def test_a_ledger_that_is_closed_has_given_up_what_is_pending(self, durable_place: str) -> None:
        with declared(Ledger(durable_place)) as ledger:
            charge = ask(ledger)
        with Ledger(durable_place) as ledger:
            assert dead(ledger)
            with pytest.raises(SuspendedError):
                ask(ledger)
            with pytest.raises(AnswerLostError):
                ledger.release(charge, b"too late", safe=True)


class TestKeys:
    def test_a_stored_answer_is_given_also_while_suspended(self, ledger: Ledger) -> None:
        assert answered(declared(ledger), key="k") == b"42"
        fail(ledger)
        assert ask(ledger, key="k").answer == b"42"
        assert ledger.answer(ask(ledger, key="k"), lambda: b"another", safe=True) == b"42"

    def test_a_retry_that_needs_a_run_is_refused(self, ledger: Ledger) -> None:
        fail(declared(ledger), key="k")
        for key in ("k", "another"):
            with pytest.raises(SuspendedError):
                ask(ledger, key=key)
        ledger.resume("visits", why="the page was mended")
        with pytest.raises(AnswerLostError):
            ask(ledger, key="k")
        assert answered(ledger, key="another") == b"42"

    def test_a_retry_of_what_is_running_waits_and_of_what_is_dead_suspends(
        self, ledger: Ledger
    ) -> None:
        charge = ask(declared(ledger), key="k")
        with pytest.raises(AnswerPendingError):
            ask(ledger, key="k")
        ledger._journal.store.let_go(charge.sequence, settled=False)
        with pytest.raises(SuspendedError):
            ask(ledger, key="k", wait=60)
        assert kinds(ledger)[-2:] == ["lost", "suspended"]


class TestAtOnce:
    def test_each_of_two_questions_in_flight_is_counted(self, ledger: Ledger) -> None:
        first, second, third = (ask(declared(ledger)) for _ in range(3))
        ledger.lose(first, "failed")
        ledger.release(second, b"42", safe=True)  # paid for, and read before anyone knew
        ledger.lose(third, "failed")
        assert ledger.balance("visits").suspensions == 2
        with pytest.raises(SuspendedError):
            ask(ledger)
        ledger.resume("visits", why="both were the same page")
        assert answered(ledger) == b"42"
        assert ledger.verify().sound

    def test_threads_in_flight_when_one_fails(self, ledger: Ledger) -> None:
        declared(ledger)
        started, failed = Barrier(4), Event()

        def question(number: int) -> str:
            def run() -> bytes:
                started.wait(60)
                if number == 0:
                    raise ValueError
                assert failed.wait(60)
                return b"42"

            try:
                ledger.answer(ask(ledger, analyst=f"thread {number}"), run, safe=True)
                return "answered"
            except ValueError:
                failed.set()
                return "failed"

        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(question, range(4)))
        assert ends == ["failed", "answered", "answered", "answered"]
        assert ledger.balance("visits").suspensions == 1
        with pytest.raises(SuspendedError):
            ask(ledger)

    def test_what_others_are_running_is_no_failure(self, durable_place: str) -> None:
        with declared(Ledger(durable_place)) as first, Ledger(durable_place) as second:
            running = [ask(first) for _ in range(3)]
            assert answered(second) == b"42"
            assert [one.state for one in second.pending()] == ["running"] * 3
            assert answered(first) == b"42"
            for charge in running:
                second.release(charge, b"42", safe=True)  # whoever has the charge may
            assert answered(second) == b"42"
            assert second.verify().sound

    def test_another_ledgers_suspension_is_seen_by_one_that_remembers(
        self, durable_place: str
    ) -> None:
        with declared(Ledger(durable_place)) as first, Ledger(durable_place) as second:
            for _ in range(3):
                answered(first)
            fail(second)
            with pytest.raises(SuspendedError):
                ask(first)


class TestResuming:
    def test_a_resumed_data_set_is_asked_again_and_counts(self, ledger: Ledger) -> None:
        declared(ledger)
        for number in (1, 2):
            fail(ledger)
            assert ledger.suspensions("visits") == number
            ledger.resume("visits", why="a page was mended", who="cleo")
            entry = ledger.recent(1)[0]
            assert (entry.kind, entry.data) == (
                "resumed",
                {"who": "cleo", "why": "a page was mended"},
            )
            assert ledger.balance("visits").suspended is None
            assert answered(ledger) == b"42"
        assert ledger.balance("visits").suspensions == 2
        assert ledger.balance("wards").suspensions == 0
        assert ledger.suspensions("visits", before=6) == 1
        assert ledger.verify().sound

    @pytest.mark.parametrize("why", ["", "  \n", None])
    def test_it_needs_a_reason(self, ledger: Ledger, why: str) -> None:
        fail(declared(ledger))
        with pytest.raises(DataError, match="no reason"):
            ledger.resume("visits", why=why)
        with pytest.raises(SuspendedError):
            ask(ledger)

    def test_only_what_is_suspended_can_be_resumed(self, ledger: Ledger) -> None:
        declared(ledger)
        with pytest.raises(LedgerError, match="is not suspended"):
            ledger.resume("visits", why="just in case")
        with pytest.raises(DeclarationError, match="It knows: 'visits', 'wards'"):
            ledger.resume("visit", why="a slip")
        assert kinds(ledger) == ["dataset", "dataset"]

    def test_a_dead_charge_is_written_down_before_it_is_resumed(self, ledger: Ledger) -> None:
        charge = ask(declared(ledger))
        ledger._journal.store.let_go(charge.sequence, settled=False)
        ledger.resume("visits", why="the machine was switched off")
        assert kinds(ledger)[-4:] == ["charge", "lost", "suspended", "resumed"]
        assert answered(ledger) == b"42"

    def test_giving_up_a_dead_charge_is_no_way_around(self, ledger: Ledger) -> None:
        charge = ask(declared(ledger))
        ledger._journal.store.let_go(charge.sequence, settled=False)
        ledger.lose(charge.sequence)
        with pytest.raises(SuspendedError):
            ask(ledger)


class TestSpending:
    def test_one_off_calls_are_refused_too(self, durable_place: str) -> None:
        with declared(Ledger(durable_place)) as ledger:
            fail(ledger)
        budget = dp.Budget(epsilon=10)
        with (
            dp.spending(budget, ledger=durable_place, dataset="visits"),
            pytest.raises(SuspendedError),
        ):
            dp.count([1, 2, 3], epsilon=1)
        with dp.spending(budget, ledger=durable_place, dataset="wards"):
            dp.count([1, 2, 3], epsilon=1)


# ---------------------------------------------------------------------- processes


def die_after_charging(place: str) -> None:
    ask(Ledger(place), key="k")
    os.kill(os.getpid(), signal.SIGKILL)


def killed(place: str) -> int:
    code = f"from tests.ledger.test_suspending import *; die_after_charging({place!r})"
    path = os.pathsep.join([str(ROOT), *sys.path])
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, check=False
    ).returncode


def test_a_kill_between_charge_and_answer_suspends_and_leaves_no_file(
    durable_place: str, tmp_path: Path
) -> None:
    with declared(Ledger(durable_place)) as ledger:
        assert killed(durable_place) == -signal.SIGKILL
        eventually(lambda: dead(ledger))
        for key in ("k", None, "another"):
            with pytest.raises(SuspendedError):
                ask(ledger, key=key)
        assert kinds(ledger)[-3:] == ["charge", "lost", "suspended"]
        assert ledger.entry(4).data == {"reason": "abandoned"}  # type: ignore[union-attr]
        ledger.resume("visits", why="it was killed on purpose")
        assert answered(ledger) == b"42"
        assert ledger.verify().sound
    assert [file.name for file in tmp_path.iterdir()] in ([], ["visits.ledger"])


def test_nothing_is_left_in_the_folder_when_nothing_runs(tmp_path: Path) -> None:
    with declared(Ledger(tmp_path / "visits.ledger")) as ledger:
        charges = [ask(ledger) for _ in range(3)]
        assert (tmp_path / "visits.ledger-running").exists()
        for charge in charges:
            ledger.release(charge, b"42", safe=True)
        assert not (tmp_path / "visits.ledger-running").exists()


def test_marks_that_somebody_removed_suspend_rather_than_let_pass(tmp_path: Path) -> None:
    with declared(Ledger(tmp_path / "visits.ledger")) as ledger:
        charge = ask(ledger)
        (tmp_path / "visits.ledger-running").unlink()
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            assert pool.submit(refused, str(tmp_path / "visits.ledger")).result()
        with pytest.raises(AnswerLostError):
            ledger.release(charge, b"42", safe=True)


def refused(place: str) -> bool:
    with Ledger(place) as ledger:
        try:
            answered(ledger)
        except SuspendedError:
            return True
        return False


def asking_often(place: str, times: int) -> list[str]:
    """Charge and answer again and again beside others; what went wrong."""
    wrong = []
    with Ledger(place) as ledger:

        def thread(number: int) -> None:
            for _ in range(times):
                try:
                    name = f"{os.getpid()} {number}"
                    answered(ledger, event=PureEvent(epsilon="1/100"), analyst=name)
                except Exception as error:
                    wrong.append(repr(error))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(thread, range(4)))
    return wrong


@pytest.mark.slow
def test_processes_that_come_and_go_never_take_each_other_for_dead(durable_place: str) -> None:
    with Ledger(durable_place) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=3))
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        runs = [pool.submit(asking_often, durable_place, 10) for _ in range(6)]
        assert [run.result() for run in runs] == [[]] * 6
    with Ledger(durable_place) as ledger:
        assert ledger.balance("visits").released == 240
        assert ledger.verify().sound


def with_a_child(place: str, pipe: int) -> None:
    """Charge, then fork a child that has a copy of all that its parent has, and outlives it."""
    try:
        ledger = declared(Ledger(place))
        ask(ledger)
        child = os.fork()
        if child == 0:
            answered(ledger, dataset="wards")
            os.write(pipe, f"{os.getpid()}\n".encode())
        signal.pause()
    finally:
        os._exit(1)


def forked(place: str) -> list[object]:
    """Who sees the charge of a process that has forked as running, before and after it dies."""
    seen: list[object] = []
    reading, writing = os.pipe()
    parent = os.fork()
    if parent == 0:
        with_a_child(place, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        child = int(pipe.readline() or 0)
    try:
        with Ledger(place) as ledger:
            seen.append([one.state for one in ledger.pending()])
            os.kill(parent, signal.SIGKILL)
            os.waitpid(parent, 0)
            deadline = monotonic() + 60
            while not dead(ledger) and monotonic() < deadline:
                sleep(0.01)
            seen += [dead(ledger), refused(place)]
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
    return seen


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_keep_its_parents_charge_alive(durable_place: str) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        seen = pool.submit(forked, durable_place).result()
    assert seen == [["running"], True, True]


def test_a_session_that_is_cut_keeps_what_it_works_on(new_postgres: Callable[[], str]) -> None:
    import psycopg

    place = new_postgres()
    with declared(Ledger(place)) as ledger, Ledger(place) as other:
        charge = ask(ledger)
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'discreet ledger'"
            )
        assert ledger.balance("visits").pending == 1  # on a new session
        eventually(lambda: [one.state for one in other.pending()] == ["running"])
        assert answered(other) == b"42"
        ledger.release(charge, b"42", safe=True)
        assert other.verify().sound


def test_two_ledgers_in_one_database_do_not_mix_up_their_charges(
    new_postgres: Callable[[], str],
) -> None:
    first, second = new_postgres(), new_postgres()
    with declared(Ledger(first)) as one, declared(Ledger(second)):
        ask(one)
        with Ledger(second) as other:
            ask(other)
        with Ledger(second) as again:
            assert dead(again)
            with pytest.raises(SuspendedError):
                ask(again)
        assert answered(one) == b"42"


@pytest.mark.skipif(os.name != "posix", reason="needs users")
def test_who_may_only_read_sees_what_is_pending() -> None:
    code = """
        import os, sys
        from discreet.ledger import Ledger
        if os.geteuid() == 0:
            os.setgid(65534), os.setuid(65534)
        with Ledger(sys.argv[1], read_only=True) as ledger:
            print([one.state for one in ledger.pending()])
    """
    folder = Path(tempfile.mkdtemp())  # one that a user other than root can reach
    folder.chmod(0o755)
    path = folder / "visits.ledger"
    declared(Ledger(path)).close()
    path.chmod(0o644)
    with Ledger(path) as ledger:
        ask(ledger)
        ran = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), str(path)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
    shutil.rmtree(folder)
    assert ran.stdout.strip() == "['running']", ran.stderr


# ---------------------------------------------------------------------- 0.1.0


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A ledger that 0.1.0 wrote: of the data set visits one charge is pending."""
    shutil.copy(WRITTEN, tmp_path / "old.ledger")
    return tmp_path / "old.ledger"


def test_a_ledger_of_0_1_0_is_read_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    with Ledger(old, read_only=True) as ledger:
        report = ledger.verify()
        assert (report.sound, report.entries, report.pending) == (True, 15, 1)
        assert ledger.balance("visits").suspensions == 0
        assert dead(ledger)
    assert old.read_bytes() == before


def test_a_ledger_of_0_1_0_goes_on(old: Path) -> None:
    with Ledger(old) as ledger:
        assert ledger.charge(
            "visits", event=TENTH, question="how many?", analyst="ann", key="k1"
        ).answer == b"1003"  # fmt: skip
        # What failed before is not held against it; nothing of wards is pending.
        assert answered(ledger, dataset="wards", analyst="bob") == b"42"
        assert ledger.verify().sound


def test_what_0_1_0_left_pending_suspends_once_and_says_so(old: Path) -> None:
    with Ledger(old) as ledger:
        for _ in range(2):
            with pytest.raises(SuspendedError, match=r"They resume it by ledger\.resume"):
                ask(ledger)
        assert kinds(ledger)[-2:] == ["lost", "suspended"]
        ledger.resume("visits", why="it was pending since January")
        assert answered(ledger) == b"42"
        assert ledger.balance("visits").suspensions == 1
        assert ledger.verify().sound
    with Ledger(old) as ledger:
        assert answered(ledger) == b"42"
