"""What other processes do to a ledger; they are spawned, so that nothing is shared by accident."""

import os
import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from threading import Barrier
from time import monotonic, sleep
from typing import Any

from discreet.errors import BudgetExhaustedError, SuspendedError
from discreet.ledger import Ledger
from discreet.ledger.records import Records
from discreet.ledger.sqlite import SqliteStore
from discreet.ledger.store import Execute
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget
from tests.support.waits import until

SMALL = PureEvent(epsilon="1/1000")


def charge_until_exhausted(place: str, threads: int, epsilon: str) -> tuple[int, list[str]]:
    """How many charges the threads of one process could make, and every unexpected error."""
    start = Barrier(threads)
    ledger = Ledger(place)

    def thread(number: int) -> tuple[int, str | None]:
        start.wait()
        paid = 0
        try:
            while True:
                charge = ledger.charge(
                    "visits",
                    event=PureEvent(epsilon=epsilon),
                    question=f"{number} {paid}",
                    analyst=f"process {os.getpid()}",
                )
                paid += 1
                ledger.release(charge, b"42", safe=True)
        except BudgetExhaustedError:
            return paid, None
        except Exception as error:
            return paid, repr(error)

    with ledger, ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(thread, range(threads)))
    return sum(paid for paid, _ in results), [error for _, error in results if error is not None]


def killed_at_random(
    place_of: Callable[[int], str], rounds: int, seed: int, careless: bool = False
) -> list[str]:
    """Kill a charging process at random moments; what was wrong afterwards."""
    moments = random.Random(seed)

    def wait(lines: Iterator[str]) -> None:
        # Some kills hit a process that is still opening the ledger, most hit one at work.
        if moments.random() < 0.2:
            sleep(moments.uniform(0, 0.01))
            return
        next(lines)
        opened = monotonic()
        next(lines)
        sleep(moments.uniform(0, 2 * (monotonic() - opened)))

    wrong = []
    for number in range(rounds):
        place = place_of(number)
        with Ledger(place) as ledger:
            ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=20))
        wrong += [f"round {number}: {problem}" for problem in _killed(place, wait, None, careless)]
    return wrong


def killed_at_every_statement(place: str) -> list[str]:
    """Kill a charging process before and after each statement of its first questions."""
    wrong = []
    with Ledger(place) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=20))
    for number in range(1, 17):
        for when in ("before", "after"):
            wrong += [
                f"{when} statement {number}: {problem}"
                for problem in _killed(place, None, (number, when))
            ]
    return wrong


def _killed(
    place: str,
    wait: Callable[[Iterator[str]], None] | None,
    statement: tuple[int, str] | None,
    careless: bool = False,
) -> list[str]:
    """Let a child ask until it is killed; then hold what it handed out against the ledger."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if statement is not None:
                _die_at(*statement)
            _ask_for_ever(place, writing, careless)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        seen: list[str] = []
        if wait is not None:
            wait(seen.append(line) or line for line in pipe)  # type: ignore[func-returns-value]
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        seen += pipe
    if place.startswith("postgres"):
        _await_the_server(place)
    handed_out = [int(line) for line in seen if line.endswith("\n") and line != "0\n"]
    if os.WTERMSIG(status) != signal.SIGKILL:
        return [f"the child ended with status {status}"]
    return _problems(place, handed_out)


def _await_the_server(place: str) -> None:
    """Wait until the server noticed that a client is gone: what it was told it may still do."""
    import psycopg

    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(place, autocommit=True) as connection:
        until(lambda: connection.execute(others).fetchone() == (0,), "no client is left")


def _ask_for_ever(place: str, pipe: int, careless: bool) -> None:
    """Charge, answer, release; only then hand out, unless careless, and then long before.

    Every other question has a key: those without are charged in one statement on SQLite.
    """
    ledger = Ledger(place)
    os.write(pipe, b"0\n")
    number = 0
    while True:
        number += 1
        name = f"{os.getpid()} {number}"
        key = name if number % 2 else None
        began = monotonic()
        charge = ledger.charge("visits", event=SMALL, question=name, analyst="ann", key=key)
        took = monotonic() - began
        for step in (1, 2) if careless else (2, 1):
            if step == 1:
                os.write(pipe, f"{charge.sequence}\n".encode())
                if careless:
                    sleep(3 * took)  # most of the time, however slow the machine is
            else:
                ledger.release(charge, b"42", safe=True)


def _problems(place: str, handed_out: list[int]) -> list[str]:
    """What is wrong with a ledger after a crash: nothing may need repair."""
    with Ledger(place) as ledger:
        report = ledger.verify()
        problems = list(map(str, report.problems))
        entries = list(ledger.history())
        charges = {entry.sequence for entry in entries if entry.kind == "charge"}
        released = {entry.charge for entry in entries if entry.kind == "released"}
        problems += [
            f"{sequence} was handed out and is not released"
            for sequence in handed_out
            if sequence not in released
        ]
        if not released <= charges:
            problems.append("something was released that was not charged")
        spent = ledger.balance("visits").spent.epsilon
        if spent != Fraction(len(charges), 1000):
            problems.append(f"{len(charges)} charges, and {spent} spent")
        # A question that was killed between its charge and its answer may have been killed by what
        # it read: it suspends the data set, and nothing else does.
        pending = len(list(ledger.pending()))
        suspended, suspensions = _suspended(ledger), ledger.suspensions("visits")
        if pending:
            ledger.resume("visits", why="a kill was tried")
            if _suspended(ledger):
                problems.append("it was resumed, and is suspended")
        if (suspended, suspensions - sum(e.kind == "suspended" for e in entries)) != (
            pending > 0,
            pending,
        ):
            problems.append(f"{pending} were pending, {suspensions} suspensions")
        if not ledger.verify().sound:
            problems.append("it is not sound after the crash")
    return problems


def _suspended(ledger: Ledger) -> bool:
    """Whether nothing may be asked; when a process dies, its server may notice a moment later."""
    deadline = monotonic() + 60
    while monotonic() < deadline and any(one.state == "running" for one in ledger.pending()):
        sleep(0.01)
    try:
        charge = ledger.charge("visits", event=SMALL, question="after the crash", analyst="bob")
        ledger.release(charge, b"42", safe=True)
    except SuspendedError:
        return True
    return False


def _die_at(number: int, when: str) -> None:
    """Kill this process at its n-th statement from now."""
    seen = 0
    original, append_next = Records.__init__, SqliteStore.append_next

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: object) -> object:
            nonlocal seen
            seen += 1
            if seen == number and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*arguments)
            if seen == number and when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return called

    def init(self: Records, execute: Execute) -> None:
        original(self, dying(execute))

    Records.__init__ = init  # type: ignore[method-assign]
    SqliteStore.append_next = dying(append_next)  # type: ignore[method-assign]


def files(folder: str) -> Callable[[int], str]:
    """A new ledger every few rounds, so that verification stays quick."""
    return lambda number: str(Path(folder) / f"{number // 10}.ledger")


def rounds_in_files(folder: str, rounds: int, seed: int, careless: bool = False) -> list[str]:
    return killed_at_random(files(folder), rounds, seed, careless)


def rounds_in_one_place(places: list[str], rounds: int, seed: int) -> list[str]:
    return killed_at_random(lambda number: places[number * len(places) // rounds], rounds, seed)
