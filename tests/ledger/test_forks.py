"""A fork shares a ledger and never a connection."""

import os
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from discreet.errors import LedgerError
from discreet.ledger import Ledger
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SMALL = PureEvent(epsilon="1/1000")


def ask(ledger: Ledger, times: int = 1) -> None:
    for _ in range(times):
        name = f"process {os.getpid()}"
        charge = ledger.charge("visits", event=SMALL, question="q", analyst=name)
        ledger.release(charge, b"42", safe=True)


def elsewhere(call: object, *arguments: object) -> object:
    """Run in a process of its own, which has no threads of the test runner and may fork."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(call, *arguments).result()  # type: ignore[arg-type]


def forked_children(place: str) -> tuple[list[int], int, bool]:
    """Fork with an open connection, let all go on, and see what the ledger holds."""
    ledger = Ledger(place)
    ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
    ask(ledger)
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            ask(ledger, 20)
            os._exit(0)
        children.append(child)
        ask(ledger, 5)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    ask(ledger)
    return codes, ledger.balance("visits").charges, ledger.verify().sound


@pytest.mark.slow
def test_forked_children_go_on_with_the_same_ledger(durable_place: str) -> None:
    assert elsewhere(forked_children, durable_place) == ([0, 0, 0, 0], 1 + 80 + 20 + 1, True)


def forks_while_threads_charge(place: str) -> tuple[list[int], int, bool]:
    """Fork again and again in the middle of other threads' transactions."""
    ledger = Ledger(place)
    ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=10))
    threads = [threading.Thread(target=ask, args=(ledger, 30)) for _ in range(4)]
    for thread in threads:
        thread.start()
    codes = []
    for _ in range(10):
        child = os.fork()
        if child == 0:
            ask(ledger, 3)
            os._exit(0)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    for thread in threads:
        thread.join()
    return codes, ledger.balance("visits").charges, ledger.verify().sound


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_fork_waits_for_the_transactions_of_other_threads(durable_place: str) -> None:
    assert elsewhere(forks_while_threads_charge, durable_place) == ([0] * 10, 150, True)


def fork_of_memory() -> str:
    ledger = Ledger(":memory:")
    ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ask(ledger)
            os.write(writing, b"charged twice")
        except LedgerError as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    ask(ledger)
    return os.read(reading, 1000).decode()


def test_a_ledger_in_memory_does_not_follow_a_fork() -> None:
    assert "The two would count apart" in str(elsewhere(fork_of_memory))
