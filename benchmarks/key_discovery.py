"""How many keys that nobody listed are found, of 20,000 people with keys by Zipf's law.

Each draws 1 to 10 of 30,000 keys and counts in at most as many as the cap says; δ = 1e-6.
``python benchmarks/key_discovery.py`` measures this alone.
"""

from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.key_selection import KeySelection, WeightedThreshold, best_selection
from discreet.privacy.sensitivity import Sensitive
from timing import table

PEOPLE, KEYS, MOST = 20_000, 30_000, 10
CAPS = (1, 3, 10, 100)
EPSILONS = (0.1, 1, 3)
DELTA = 1e-6
RELEASES = 50
EARLIER = {"DP-SIPS": (22, 201, 547)}
"""Measured earlier on a table of the same kind, by its authors' code."""


def people() -> list[NDArray[np.int64]]:
    """The keys of each person, in the order in which they are kept."""
    random = np.random.default_rng(1)
    law = 1 / np.arange(1, KEYS + 1)
    law /= law.sum()
    held = (random.choice(KEYS, many, p=law) for many in random.integers(1, MOST + 1, PEOPLE))
    return [random.permutation(np.unique(keys)) for keys in held]


def added_up(selection: KeySelection, kept: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """What people add to each key."""
    sums = np.zeros(KEYS, np.int64)
    for keys in kept:
        weighed = isinstance(selection, WeightedThreshold)
        sums[keys] += selection.weight(keys.size) if weighed else 1
    return sums


def found(selection: KeySelection, kept: list[NDArray[np.int64]]) -> float:
    """The mean number of keys that are released."""
    sums = added_up(selection, kept)
    return fmean(selection(Sensitive(sums)).kept.size for _ in range(RELEASES))


def main() -> None:
    held, rows = people(), []
    for cap in CAPS:
        kept = [keys[:cap] for keys in held]
        for weights in (False, True):
            chosen = [
                best_selection(
                    epsilon=epsilon, delta=DELTA, groups=cap, counts=False, weights=weights
                )
                for epsilon in EPSILONS
            ]
            if weights and not any(isinstance(one, WeightedThreshold) for one in chosen):
                continue
            name = f"cap {cap}, {'as chosen' if weights else 'everybody counts in full'}"
            rows.append([name, *(f"{found(one, kept):.1f}" for one in chosen)])
    rows += [[name, *map(str, figures)] for name, figures in EARLIER.items()]
    print(f"\nKeys found of {PEOPLE:,} people who draw 1 to {MOST} of {KEYS:,} each, mean of")
    print(f"{RELEASES} releases at δ = 1e-6.\n")
    print(table(["", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], rows), flush=True)


if __name__ == "__main__":
    main()
