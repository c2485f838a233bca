"""Mean absolute error of tables at ε = 1, by row and by person, beside peers at the same price.

Everybody has as many rows as one person counts for; where half are over the cap, these have three
times as many: discreet weighs their rows down, OpenDP drops rows.  Errors are distances from what
the table says without caps and noise.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from statistics import fmean, variance
from typing import Any

import diffprivlib
import opendp.prelude as opendp
import polars as pl
from pydp.algorithms import laplacian

import discreet as dp
from timing import table

KEYS = [f"key {number:03d}" for number in range(300)]
LIBRARIES = ["discreet", "opendp", "python-dp", "diffprivlib"]
CAP = 10
MODEST, EAGER = CAP, 3 * CAP
PEOPLE = 1_000
HIGH = 100
RELEASES = {"opendp": 2}
MANY = 10
"""Releases of each library; one of OpenDP's takes seconds."""

Answer = Mapping[str, Sequence[float]]
"""Of each output, one number for each key."""
Release = Callable[[], Answer]


def frame(rows_each: Sequence[int]) -> pl.DataFrame:
    """People with so many rows, by turns, scattered over keys and values by arithmetic."""
    rows = [
        (person, person * 31 + place * 17 + place * place)
        for person in range(PEOPLE)
        for place in range(rows_each[person % len(rows_each)])
    ]
    return pl.DataFrame(
        {
            "person": [person for person, _ in rows],
            "key": [KEYS[number % len(KEYS)] for _, number in rows],
            "value": [float(number * 7919 % 1000) / 10 for _, number in rows],
        }
    )


def truths(data: pl.DataFrame) -> dict[str, list[float]]:
    found = data.group_by("key").agg(
        rows=pl.len(), total=pl.col("value").sum(), people=pl.col("person").n_unique()
    )
    each = {row["key"]: row for row in found.to_dicts()}
    return {name: [each[key][name] for key in KEYS] for name in ("rows", "total", "people")}


def ours(data: pl.DataFrame, unit: str, *asked: str) -> Release:
    """What discreet answers, all outputs from one release."""
    caps: dict[str, Any] = {} if unit == "row" else {"max_rows": CAP, "max_groups": CAP}
    outputs = {"rows": dp.rows(), "total": dp.col("value").sum(), "people": dp.people()}
    opened = dp.table(
        data,
        name="bench",
        unit=unit,
        budget=dp.Budget(epsilon=1000),
        columns={"key": dp.category(KEYS), "value": dp.number(0, HIGH)},
        ledger=":memory:",
        **caps,
    )
    plan = opened.group_by("key").agg(**{name: outputs[name] for name in asked}).plan(epsilon=1)
    return lambda: plan.release().to_dict()


def theirs(data: pl.DataFrame, unit: str, *asked: str) -> Release:
    """What OpenDP's Context answers, all outputs from one query."""
    value = pl.col("value").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, float(HIGH)))
    outputs = {
        "rows": opendp.len().alias("rows"),
        "total": value.alias("total"),
        "people": pl.col("person").dp.n_unique().alias("people"),
    }
    person = None if unit == "row" else pl.col(unit)

    def answer() -> Answer:
        context = opendp.Context.compositor(
            data=data.lazy(),
            privacy_unit=opendp.unit_of(contributions=1, identifier=person),
            privacy_loss=opendp.loss_of(epsilon=1.0),
            split_evenly_over=1,
            margins=[opendp.polars.Margin(by=["key"], max_length=10**6, max_groups=len(KEYS))],
        )
        query = context.query() if person is None else context.query().truncate_per_group(CAP)
        query = query.group_by("key").agg(*(outputs[name] for name in asked))
        found = query.with_keys(pl.LazyFrame({"key": KEYS})).release().collect().sort("key")
        return {name: found[name].to_list() for name in asked}

    return answer


def by_key(data: pl.DataFrame, name: str, release: Callable[[list[float]], float]) -> Release:
    """A peer that knows no groups: each key is a list of its own, and a row is in one of them."""
    parts = {key[0]: part["value"].to_list() for key, part in data.group_by("key")}
    return lambda: {name: [release(parts[key]) for key in KEYS]}


def by_row(data: pl.DataFrame) -> dict[str, dict[str, Release]]:
    ends = {"lower_bound": 0, "upper_bound": HIGH}
    count, total = laplacian.Count, laplacian.BoundedSum
    return {
        "rows": {
            "python-dp": by_key(
                data, "rows", lambda part: count(epsilon=1, dtype="float").quick_result(part)
            )
        },
        "total": {
            "python-dp": by_key(
                data,
                "total",
                lambda part: total(epsilon=1, dtype="float", **ends).quick_result(part),
            ),
            "diffprivlib": by_key(
                data,
                "total",
                lambda part: diffprivlib.tools.sum(part, epsilon=1, bounds=(0, HIGH)),
            ),
        },
    }


def jobs() -> Iterator[tuple[str, Answer, dict[str, Release]]]:
    """What is asked, the truth, and who answers."""
    plain, heavy = frame([MODEST]), frame([MODEST, EAGER])
    for name, others in by_row(plain).items():
        answers = {"discreet": ours(plain, "row", name), "opendp": theirs(plain, "row", name)}
        yield "by row", {name: truths(plain)[name]}, answers | others
    for kind, data in (("none over the cap", plain), ("half over the cap", heavy)):
        truth = truths(data)
        for names in (("rows", "total"), ("people",)):
            answers = {
                "discreet": ours(data, "person", *names),
                "opendp": theirs(data, "person", *names),
            }
            asked = f"by person, {kind}"
            yield asked, {name: truth[name] for name in names}, answers


def errors(release: Release, truth: Answer, releases: int) -> dict[str, list[float]]:
    answers = [release() for _ in range(releases)]
    return {
        name: [
            abs(value - true)
            for answer in answers
            for value, true in zip(answer[name], exact, strict=True)
        ]
        for name, exact in truth.items()
    }


def main() -> None:
    warnings.simplefilter("ignore")
    opendp.enable_features("contrib")
    rows = []
    for job, truth, answers in jobs():
        measured = {
            library: errors(release, truth, RELEASES.get(library, MANY))
            for library, release in answers.items()
        }
        for name in truth:
            found = {library: each[name] for library, each in measured.items()}
            means = {library: fmean(sizes) for library, sizes in found.items()}
            best = min(set(means) - {"discreet"}, key=lambda library: means[library])
            apart = means["discreet"] - means[best]
            unsure = sqrt(sum(variance(found[one]) / len(found[one]) for one in ("discreet", best)))
            shown = [f"{means[one]:.4g}" if one in means else "" for one in LIBRARIES]
            ratio = f"{means['discreet'] / means[best]:.2f}"
            rows.append([f"{name} {job}", *shown, ratio, f"{apart / unsure:+.1f}"])
    print(
        f"\nTables of {len(KEYS)} keys at ε = 1, {PEOPLE:,} people, of whom one counts for at most"
    )
    print(f"{CAP} rows; rows and total share one release. Mean absolute error per key.\n")
    print(table(["", *LIBRARIES, "ours / best peer", "standard errors off"], rows), flush=True)


if __name__ == "__main__":
    main()
