"""ε at δ = 1e-6 of a thousand releases, and the time it takes, beside dp-accounting.

Every round has slightly other noise than the one before, so that nothing remembered helps either
of the two; the last has the noise that the table names.
"""

import warnings
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld.privacy_loss_distribution import from_laplace_mechanism

from discreet.accounting import loss_distribution_epsilon
from discreet.privacy.events import (
    ComposedEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    RepeatedEvent,
    SampledEvent,
)
from timing import table

DELTA = 1e-6
ROUNDS = 5
SLOW_ROUNDS = 2
SIGMAS = [40 + Fraction(20 * place, 999) for place in range(1000)]

Peer = dp_event.DpEvent
Case = Callable[[Fraction], tuple[Event, Peer]]
"""The same releases for both, with noise that is larger by a factor."""


def gaussians(more: Fraction) -> tuple[Event, Peer]:
    event, peer = GaussianEvent.of(sigma=50 * more), dp_event.GaussianDpEvent(float(50 * more))
    return RepeatedEvent(event=event, count=1000), dp_event.SelfComposedDpEvent(peer, 1000)


def laplaces(more: Fraction) -> tuple[Event, Peer]:
    event, peer = LaplaceEvent(scale=50 * more), dp_event.LaplaceDpEvent(float(50 * more))
    return RepeatedEvent(event=event, count=1000), dp_event.SelfComposedDpEvent(peer, 1000)


def different_gaussians(more: Fraction) -> tuple[Event, Peer]:
    sigmas = [sigma * more for sigma in SIGMAS]
    return (
        ComposedEvent(events=tuple(GaussianEvent.of(sigma=sigma) for sigma in sigmas)),
        dp_event.ComposedDpEvent([dp_event.GaussianDpEvent(float(sigma)) for sigma in sigmas]),
    )


def sampled_gaussians(more: Fraction) -> tuple[Event, Peer]:
    event = SampledEvent(event=GaussianEvent.of(sigma=more), rate="0.01")
    peer = dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(float(more)))
    return RepeatedEvent(event=event, count=10_000), dp_event.SelfComposedDpEvent(peer, 10_000)


def ours(event: Event) -> float:
    return float(loss_distribution_epsilon(event, delta=DELTA))


def theirs(event: Peer) -> float:
    return PLDAccountant().compose(event).get_epsilon(DELTA)


def row(name: str, case: Case, rounds: int = ROUNDS) -> list[str]:
    values, best = [0.0, 0.0], [float("inf")] * 2
    for number in reversed(range(rounds)):
        events = case(1 + Fraction(number, 10**6))
        for place, (account, event) in enumerate(zip((ours, theirs), events, strict=True)):
            start = perf_counter()
            values[place] = account(event)  # type: ignore[operator]
            best[place] = min(best[place], perf_counter() - start)
    return [
        name,
        *(f"{value:.8f}" for value in values),
        *(f"{seconds * 1e3:,.1f}" for seconds in best),
        f"{best[1] / best[0]:,.1f}×",
    ]


def least_epsilon_of_laplaces() -> float:
    """Below the truth: theirs with every loss rounded down, on a grid fifty times as fine."""
    single = from_laplace_mechanism(
        50, pessimistic_estimate=False, value_discretization_interval=2e-6, use_connect_dots=False
    )
    return single.self_compose(1000).get_epsilon_for_delta(DELTA)


def main() -> None:
    warnings.simplefilter("ignore")  # the peer warns about rounding that it does on purpose
    print(
        "ε at δ = 1e-6 and milliseconds: the quickest of several rounds that time both in turn.\n"
    )
    header = ["releases", "discreet ε", "their ε", "discreet ms", "their ms", "theirs / discreet"]
    ask = {
        "1,000 Gaussians, σ = 50": (gaussians, ROUNDS),
        "1,000 Laplaces, b = 50": (laplaces, ROUNDS),
        "1,000 Gaussians, σ = 40 … 60": (different_gaussians, SLOW_ROUNDS),
        "10,000 sampled Gaussians, σ = 1, q = 1%": (sampled_gaussians, SLOW_ROUNDS),
    }
    print(table(header, [row(name, case, rounds) for name, (case, rounds) in ask.items()]))
    print(f"\nThe ε of 1,000 Laplaces is at least {least_epsilon_of_laplaces():.8f}.")


if __name__ == "__main__":
    main()
