"""How many of the true first groups are named, and how far the others are behind, beside peers.

20,000 people have films by Zipf's law, at most 50 of 2,000.  Each film counts people.  discreet
names the ten largest and counts them for one price; OpenDP's noisy top-k gets half of it for the
names alone, which is what choosing costs in discreet.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import fmean, stdev

import opendp.prelude as opendp
import polars as pl

import discreet as dp
from timing import table

PEOPLE, FILMS, MOST, FIRST = 20_000, 2_000, 50, 10
RELEASES = 200
PRICES = ({"epsilon": "0.1"}, {"epsilon": "0.3"}, {"rho": "0.0005"}, {"rho": "0.005"})

Names = Callable[[], Sequence[int]]
"""The films that are named as the first."""


def held() -> pl.DataFrame:
    """Who has which film: few films are had by many, and few people have many."""
    random = Random(5)
    films, weights = range(FILMS), [1 / (place + 1) ** 0.8 for place in range(FILMS)]
    rows = []
    for person in range(PEOPLE):
        many = min(MOST, int(1 / (1 - random.random()) * 3))
        rows += [(person, film) for film in set(random.choices(films, weights, k=many))]
    return pl.DataFrame(rows, schema=["person", "film"], orient="row")


def opened(frame: pl.DataFrame, delta: str) -> dp.Table:
    """Where a budget has no δ, ε alone is counted, and the first are drawn by permute-and-flip."""
    return dp.table(
        frame,
        name="films",
        unit="person",
        max_groups=MOST,
        max_rows=MOST,
        max_rows_per_group=1,
        columns={"film": dp.integer(0, FILMS - 1)},
        budget=dp.Budget(epsilon=10**4, delta=delta),
        ledger=":memory:",
    )


def chosen(films: dp.Table, price: Mapping[str, str]) -> Names:
    plan = films.group_by("film").agg(n=dp.people()).top(FIRST).plan(**price)
    return lambda: [group[0] for group in plan.release().groups]


def noised(films: dp.Table, price: Mapping[str, str]) -> Names:
    """Noise on all groups for the whole price, of which the largest are taken."""
    plan = films.group_by("film").agg(n=dp.people()).plan(**price)

    def names() -> list[int]:
        values = [one.value for one in plan.release().column("n")]
        return sorted(range(FILMS), key=lambda film: -values[film])[:FIRST]

    return names


def theirs(counts: list[int], price: Mapping[str, str]) -> Names:
    """OpenDP's noisy top-k of true counts, each of which a person moves by one."""
    space = (
        opendp.vector_domain(opendp.atom_domain(T=int)),
        opendp.linf_distance(T=int, monotonic=True),
    )

    measure = (
        opendp.max_divergence() if "epsilon" in price else opendp.zero_concentrated_divergence()
    )

    def made(scale: float) -> opendp.Measurement:
        return opendp.m.make_noisy_top_k(*space, measure, k=FIRST, scale=scale)

    (whole,) = price.values()
    scale = opendp.binary_search_param(made, d_in=1, d_out=float(whole) / 2)
    return lambda: list(made(scale)(counts))


def main() -> None:
    warnings.simplefilter("ignore")
    opendp.enable_features("contrib")
    frame = held()
    counts = [0] * FILMS
    for film, many in frame.group_by("film").len().iter_rows():
        counts[film] = many
    order = sorted(range(FILMS), key=lambda film: -counts[film])
    first = set(order[:FIRST])
    print(f"\nThe first {FIRST} of {FILMS:,} films, {PEOPLE:,} people with up to {MOST} each.\n")
    rows = []
    for price in PRICES:
        with opened(frame, "0" if "epsilon" in price else "1e-6") as films:
            libraries = {
                "discreet": chosen(films, price),
                "noise on all": noised(films, price),
                "opendp, half of the price": theirs(counts, price),
            }
            for library, names in libraries.items():
                found = [names() for _ in range(RELEASES)]
                share = [len(first & set(one)) / FIRST for one in found]
                lost = [
                    sum(counts[f] for f in first) - sum(counts[f] for f in one) for one in found
                ]
                spread = stdev(share) / RELEASES**0.5
                rows.append(
                    [
                        f"{' '.join(map(' = '.join, price.items()))}, {library}",
                        f"{fmean(share):.3f}",
                        f"{spread:.3f}",
                        f"{fmean(lost) / FIRST:.1f}",
                    ]
                )
    print(table(["price, library", "named of the first", "standard error", "behind, each"], rows))


if __name__ == "__main__":
    main()
