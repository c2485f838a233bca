"""Time of local privacy, encoding and aggregating, beside multi-freq-ldpy and pure-ldp.

Ours draws from the operating system's entropy; theirs from seeded generators.
"""

import resource
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from discreet import local
from timing import best_times, table

PEOPLE = 100_000
CATEGORIES = 100
EPSILON = 1
ROUNDS = 5
PEER_ROUNDS = 2
MANY = 10_000_000
BLOCK = 1_000_000

SCHEMES = {
    "k-ary response": (local.RandomizedResponse, {}),
    "optimised unary": (local.UnaryEncoding, {}),
    "symmetric unary": (local.UnaryEncoding, {"kind": "symmetric"}),
    "subset selection": (local.SubsetSelection, {}),
    "Hadamard response": (local.HadamardResponse, {}),
    "projective geometry": (local.ProjectiveGeometryResponse, {}),
}
Survey = Callable[[], object]
VALUES = np.random.default_rng(7).integers(0, CATEGORIES, PEOPLE)


def ours(name: str) -> Survey:
    kind, options = SCHEMES[name]
    scheme = kind(epsilon=EPSILON, categories=CATEGORIES, **options)
    return lambda: scheme.estimate(scheme.randomize(VALUES))


# ---------------------------------------------------------------------- peers, where installed


def multi_freq(module: str, *options: bool, size_known: bool = True) -> Survey:
    """One client call per person, compiled beforehand, then one aggregation."""
    found: Any = import_module(f"multi_freq_ldpy.pure_frequency_oracles.{module}")
    client = getattr(found, f"{module}_Client")
    aggregate = getattr(found, f"{module}_Aggregator_MI")
    size = (CATEGORIES,) if size_known else ()
    values = VALUES.tolist()
    client(values[0], CATEGORIES, EPSILON, *options)

    def survey() -> object:
        reports = [client(value, CATEGORIES, EPSILON, *options) for value in values]
        return aggregate(reports, *size, EPSILON, *options)

    return survey


def pure(name: str, prefix: str, size: int = CATEGORIES, **options: object) -> Survey:
    """One client call and one server call per person."""
    found: Any = import_module(f"pure_ldp.frequency_oracles.{name}")
    values = (VALUES + 1).tolist()  # its values start at 1

    def survey() -> object:
        client = getattr(found, f"{prefix}Client")(epsilon=EPSILON, d=size, **options)
        server = getattr(found, f"{prefix}Server")(epsilon=EPSILON, d=size, **options)
        for value in values:
            server.aggregate(client.privatise(value))
        return [server.estimate(one, suppress_warnings=True) for one in range(1, CATEGORIES + 1)]

    return survey


PEERS: dict[str, dict[str, Callable[[], Survey]]] = {
    "multi-freq-ldpy": {
        "k-ary response": lambda: multi_freq("GRR"),
        "optimised unary": lambda: multi_freq("UE", True, size_known=False),
        "symmetric unary": lambda: multi_freq("UE", False, size_known=False),
        "subset selection": lambda: multi_freq("SS"),
    },
    "pure-ldp": {
        "k-ary response": lambda: pure("direct_encoding", "DE"),
        "optimised unary": lambda: pure("unary_encoding", "UE", use_oue=True),
        "symmetric unary": lambda: pure("unary_encoding", "UE", use_oue=False),
        "Hadamard response": lambda: pure("hadamard_mechanism", "HadamardMech", 128, t=1),
    },
}


def installed() -> tuple[dict[str, dict[str, Survey]], list[str]]:
    """The surveys of the peers that can be imported, and a line for each that cannot."""
    found: dict[str, dict[str, Survey]] = {}
    missing = []
    for peer, makers in PEERS.items():
        found[peer] = {}
        try:
            found[peer] = {name: make() for name, make in makers.items()}
        except ImportError as error:
            missing.append(f"{peer} is not installed, so its columns are empty: {error}.")
    return found, missing


# ---------------------------------------------------------------------- tables


def row(name: str, others: dict[str, dict[str, Survey]]) -> list[str]:
    """Seconds of ours and of each peer, and how many times longer they take."""
    own = best_times([ours(name)], ROUNDS)[0]
    cells = [name, f"{own:.4f}"]
    for surveys in others.values():
        survey = surveys.get(name)
        if survey is None:
            cells += ["-", "-"]
            continue
        time = best_times([survey], PEER_ROUNDS)[0]
        cells += [f"{time:.3f}", f"{time / own:,.0f}×"]
    return cells


def many(name: str) -> list[str]:
    """Ten million people: all reports at once, counted; seconds and the memory that it took."""
    kind, options = SCHEMES[name]
    scheme = kind(epsilon=EPSILON, categories=CATEGORIES, **options)
    values = np.random.default_rng(7).integers(0, CATEGORIES, MANY, dtype=np.uint8)
    start = perf_counter()
    tally = scheme.tally()
    for first in range(0, MANY, BLOCK):
        tally.add(scheme.randomize(values[first : first + BLOCK]))
    scheme.estimate(tally)
    streamed = perf_counter() - start
    start = perf_counter()
    scheme.estimate(scheme.randomize(values))
    whole = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [name, f"{streamed:.2f}", f"{whole:.2f}", f"{peak:,.0f}"]


def many_apart(name: str) -> list[str]:
    """The same in a process of its own, so that the memory is its own."""
    command = [sys.executable, __file__, name]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.split("\t")


def main() -> None:
    # Before the peers are loaded: a new process starts with the memory peak of its parent.
    rows = [[cell.strip() for cell in many_apart(name)] for name in SCHEMES]
    others, missing = installed()
    print(f"Seconds to randomize and estimate: {PEOPLE:,} people, {CATEGORIES} categories,")
    print(f"ε = {EPSILON}; the quickest of {ROUNDS} rounds (of {PEER_ROUNDS} for the peers).\n")
    header = ["scheme", "discreet"]
    for peer in others:
        header += [peer, f"{peer} / discreet"]
    print(table(header, [row(name, others) for name in SCHEMES]))
    for line in missing:
        print(line)
    print(f"\n{MANY:,} people: seconds in blocks of {BLOCK:,} into a tally, seconds with all")
    print("reports held at once, and the most memory of both in MiB.\n")
    print(table(["scheme", "streamed", "at once", "MiB"], rows))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("\t".join(many(sys.argv[1])))
    else:
        main()
