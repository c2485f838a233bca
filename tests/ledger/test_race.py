"""Processes and threads that race for the last of a budget never go over it."""

from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import pytest

from discreet.accounting.zcdp import pure_rho
from discreet.ledger import Ledger
from discreet.privacy.events import ConcentratedEvent, PureEvent
from discreet.privacy.losses import Budget
from tests.ledger.workers import charge_until_exhausted

PROCESSES, THREADS = 2, 32


@pytest.mark.slow
def test_two_processes_of_32_threads_never_exceed_a_cap_in_rho(durable_place: str) -> None:
    each = pure_rho(Fraction(1, 1000))
    budget = Budget(rho=100 * each + Fraction(9, 10))
    with Ledger(durable_place) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=budget)
        event = ConcentratedEvent(rho="0.9")
        charge = ledger.charge("visits", event=event, question="most of it", analyst="ann")
        ledger.release(charge, b"42", safe=True)
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        runs = [
            pool.submit(charge_until_exhausted, durable_place, THREADS, "1/1000")
            for _ in range(PROCESSES)
        ]
        results = [run.result() for run in runs]
    assert [error for _, errors in results for error in errors] == []
    assert sum(paid for paid, _ in results) == 100
    with Ledger(durable_place) as ledger:
        assert ledger.balance("visits").spent.rho == budget.rho
        assert ledger.verify().sound


@pytest.mark.slow
def test_two_processes_of_32_threads_never_exceed_the_cap(durable_place: str) -> None:
    with Ledger(durable_place) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
        event = PureEvent(epsilon="0.9")
        charge = ledger.charge("visits", event=event, question="most of it", analyst="ann")
        ledger.release(charge, b"42", safe=True)
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        runs = [
            pool.submit(charge_until_exhausted, durable_place, THREADS, "1/1000")
            for _ in range(PROCESSES)
        ]
        results = [run.result() for run in runs]
    assert [error for _, errors in results for error in errors] == []
    assert sum(paid for paid, _ in results) == 100
    with Ledger(durable_place) as ledger:
        assert ledger.balance("visits").spent.epsilon == 1
        assert ledger.verify().sound
