"""A ledger with one of each kind of entry and of event, written by a clock that stands still."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from discreet.cli.budget import balance_data
from discreet.ledger import Ledger
from discreet.ledger.charges import OUTSIDE, LossReason
from discreet.ledger.declare import BudgetScope
from discreet.ledger.store import POSTGRES, SQLITE
from discreet.privacy import events
from discreet.privacy.events import Event, event_to_data
from discreet.privacy.losses import Budget
from tests.golden.commands import shown
from tests.golden.comparing import parted
from tests.golden.numbers import steady

_TENTH = events.PureEvent(epsilon="0.1")

EVENTS: dict[str, Event] = {
    "pure": _TENTH,
    "approximate": events.ApproximateEvent(epsilon="1/3", delta="1e-9"),
    "zcdp": events.ConcentratedEvent(rho="0.05"),
    "laplace": events.LaplaceEvent(scale=50),
    "discrete-laplace": events.DiscreteLaplaceEvent(scale="40/3", sensitivity=4),
    "gaussian": events.GaussianEvent.of(sigma=30, sensitivity=2),
    "discrete-gaussian": events.DiscreteGaussianEvent(
        variance=400, squared_sensitivity=3, coordinates=3
    ),
    "randomized-response": events.RandomizedResponseEvent(categories=3, epsilon=1),
    "randomized-response by its odds": events.RandomizedResponseEvent(odds=3),
    "bounded-range": events.BoundedRangeEvent(epsilon="1/2"),
    "poisson-sampled": events.SampledEvent(event=events.LaplaceEvent(scale=5), rate="0.01"),
    "repeated": events.RepeatedEvent(event=_TENTH, count=3),
    "composed": events.ComposedEvent(events=(_TENTH, events.ConcentratedEvent(rho="1/100"))),
}
"""An event of each kind, and a second one where a kind is written in two ways."""


class Clock:
    """Says what it was told, so that it does not matter how often it is asked."""

    def __init__(self) -> None:
        self._minutes = 0

    def __call__(self) -> str:
        hours, minutes = divmod(self._minutes, 60)
        return f"2026-01-31T{hours:02}:{minutes:02}:00.000000Z"

    def tick(self) -> None:
        """One minute later."""
        self._minutes += 1


def fill(ledger: Ledger, clock: Clock) -> None:
    """Write every kind of entry, in every form."""
    _declare(ledger, clock)
    for place, (kind, event) in enumerate(EVENTS.items(), 1):
        clock.tick()
        charge = ledger.charge(
            "visits",
            event=event,
            question=f"what is {kind}?",
            analyst="ann" if place % 2 else "Bób",
            key=f"k{place}" if place % 3 else None,
            summary=f"{kind} »{place}«" if place % 4 else None,
        )
        clock.tick()
        ledger.release(charge, f"answer {place}, ε".encode(), safe=True)
    clock.tick()
    ledger.charge(
        "wards",
        event=_TENTH,
        question=b"\x00\xff",
        analyst="ann",
        keeps_answer=False,
        neighbors="replace",
    )
    for reason in get_args(LossReason):
        clock.tick()
        charge = ledger.charge("visits", event=_TENTH, question=reason, analyst="ann", key=reason)
        clock.tick()
        ledger.lose(charge, reason)
        if reason not in OUTSIDE:
            clock.tick()
            ledger.resume("visits", who="cleo", why=f"looked at: {reason}")
    clock.tick()
    ledger.charge("visits", event=_TENTH, question="at work", analyst="ann", key="pending")


def _declare(ledger: Ledger, clock: Clock) -> None:
    ledger.declare(
        "visits",
        neighbors="add-remove",
        budget=Budget(epsilon=16, delta="1/1000"),
        analyst_budget=Budget(epsilon=15, delta="1/2000"),
        details={"unit": "patient", "max_rows": 6, "columns": {"stay": ["number", "0", None]}},
        who="cleo",
    )
    ledger.declare(
        "wards", neighbors="replace", budget=Budget(epsilon="1/3"), period="month", who="cleo"
    )
    changes: list[dict[str, Any]] = [
        {"budget": Budget(epsilon=18, delta="1/1000", conversion_delta="1/5000")},
        {"budget": Budget(epsilon=14), "whose": BudgetScope.EACH_ANALYST, "period": "year"},
        {"budget": None, "whose": BudgetScope.EACH_ANALYST},
        {"budget": Budget(epsilon=1), "whose": "dan", "period": "week"},
        {"budget": None, "whose": "dan"},
        {"budget": Budget(epsilon=12, delta="1e-4"), "whose": "ann"},
    ]
    for place, change in enumerate(changes, 1):
        clock.tick()
        ledger.set_budget("visits", **change, why=f"change {place}", who="cleo")
    clock.tick()
    ledger.set_details("wards", {"unit": "row", "ε": ["é", True]}, why="a new field", who="cleo")


def fill_in_rho(ledger: Ledger, clock: Clock) -> None:
    """Declare budgets in ρ, spend from them, and change a budget's kind both ways."""
    ledger.declare(
        "beds",
        neighbors="add-remove",
        budget=Budget(rho="1/2", delta="1/1000"),
        analyst_budget=Budget(rho="1/4"),
        who="cleo",
    )
    ledger.declare(
        "wards", neighbors="replace", budget=Budget(rho="1/3"), period="month", who="cleo"
    )
    for place, (kind, event) in enumerate(EVENTS.items(), 1):
        if kind in {"pure", "zcdp", "discrete-gaussian", "bounded-range"}:
            clock.tick()
            ledger.charge(
                "beds",
                event=event,
                question=f"what is {kind}?",
                analyst="ann" if place % 2 else "Bób",
                keeps_answer=False,
            )
    changes: list[dict[str, Any]] = [
        {"budget": Budget(rho="3/10", delta="1/2000"), "whose": "ann"},
        {"budget": Budget(epsilon=2, delta="1/1000"), "whose": BudgetScope.DATASET},
        {"budget": Budget(rho="1/2", delta="1/1000"), "whose": BudgetScope.DATASET},
    ]
    for place, change in enumerate(changes, 1):
        clock.tick()
        ledger.set_budget("beds", **change, why=f"change {place}", who="cleo")
    clock.tick()
    leak = events.ApproximateEvent(epsilon="1/10", delta="1e-9")
    ledger.charge("beds", event=leak, question="a leak", analyst="ann", keeps_answer=False)


def files(folder: Path) -> dict[str, str]:
    """The entries with their hashes, the answers, the sums, and the tables of both stores."""
    place, clock = folder / "golden.ledger", Clock()
    with Ledger(place, clock=clock) as ledger:
        fill(ledger, clock)
        with ledger._journal.store.reading() as records:
            last = ledger._journal.head().sequence
            answers = {number: records.answer(number) for number in records.answers(1, last)}
        found = {
            "entries.jsonl": "".join(f"{line}\n" for line in ledger.export()),
            "answers.txt": "".join(
                f"{number} {(answer or b'').decode()}\n" for number, answer in answers.items()
            ),
            "anchor.json": f"{ledger.anchor().to_json()}\n",
            "events.txt": parted({name: str(event_to_data(one)) for name, one in EVENTS.items()}),
            "balances.txt": _balances(ledger),
        }
    with Ledger(folder / "rho.ledger", clock=(clock := Clock())) as ledger:
        fill_in_rho(ledger, clock)
        found["rho_entries.jsonl"] = "".join(f"{line}\n" for line in ledger.export())
        found["rho_balances.txt"] = _balances(ledger)
    return found | {
        "commands.txt": _commands(place),
        "sqlite.sql": _stored(place),
        "steps.sql": parted(
            {
                f"{store}, step {number}": _statements(step)
                for store, steps in (("SQLite", SQLITE), ("PostgreSQL", POSTGRES))
                for number, step in enumerate(steps, 1)
            }
        ),
    }


def _balances(ledger: Ledger) -> str:
    parts = {
        f"{one.dataset}, {one.analyst or 'in all'}": (
            f"{json.dumps(balance_data(one), indent=2)}\n{one}"
        )
        for one in ledger.balances()
    }
    return steady(parted(parts))


def _commands(place: Path) -> str:
    """What the commands show that the time of day does not change."""
    found = {}
    for command in ("history --all", "history --json --last 5", "pending", "verify --json"):
        name, *options = command.split()
        found[command] = shown("ledger", name, place, *options, without=place.parent)
    return parted(found)


def _stored(place: Path) -> str:
    """The tables and indexes that a SQLite file holds."""
    connection = sqlite3.connect(place)
    try:
        marks = [
            f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]}"
            for name in ("application_id", "user_version")
        ]
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1")
        return _statements([*marks, *(row[0] for row in made)])
    finally:
        connection.close()


def _statements(every: Iterable[str]) -> str:
    return "".join(f"{one.strip()};\n" for one in every)
