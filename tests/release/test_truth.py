"""What is said of the truth: in arithmetic with estimates, in every form of an answer, in notes."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import inf, isinf
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import Calculation, Constant, Named
from discreet.privacy.estimates import Estimate, IntervalKind, LinearError, NoiseDraw, Payment
from discreet.privacy.losses import PureDP
from discreet.privacy.uncertainty import BoundedError
from discreet.release.run import computed_column

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
NOISE = Laplace(scale=2)
PAYMENT = Payment(PureDP(epsilon=Fraction(1)))
Ends = tuple[float, float]


def number(
    value: float, above: float | None, *, below: float = 0, likely: bool = False
) -> Estimate:
    """A number that may be ``below`` smaller and ``above`` larger in truth, beside its noise."""
    error = LinearError(((Fraction(1), NoiseDraw(NOISE)),))

    def truth(level: Fraction) -> Ends:
        low, high = error.interval(value, level)
        return low - below, high + (above or 0)

    return Estimate(
        value=value,
        error=error,
        releases=(PAYMENT,),
        mechanism=NOISE,
        neighbors="add-remove",
        truth=None if above is None else BoundedError(truth),
        condition="if nobody has more" if likely else "",
    )


A, B, EXACT = number(120, 30), number(80, 5, likely=True), number(50, None)
OPEN = number(40, inf)
HALVES: Callable[[Estimate], Ends] = lambda one: one.interval(Fraction(39, 40))  # noqa: E731
SUMS: dict[str, tuple[Callable[..., Any], Callable[[Ends, Ends], Sequence[float]]]] = {
    "a + b": (lambda a, b: a + b, lambda a, b: (a[0] + b[0], a[1] + b[1])),
    "a - b": (lambda a, b: a - b, lambda a, b: (a[0] - b[1], a[1] - b[0])),
    "a * b": (lambda a, b: a * b, lambda a, b: [x * y for x, y in product(a, b)]),
    "a / b": (lambda a, b: a / b, lambda a, b: [x / y for x, y in product(a, b)]),
}


@pytest.mark.parametrize("how", SUMS)
@pytest.mark.parametrize(("a", "b"), [(A, B), (A, EXACT), (EXACT, B)])
def test_two_numbers_hold_the_truth_at_once(how: str, a: Estimate, b: Estimate) -> None:
    """By the arithmetic of intervals, each at half of the chance to miss."""
    combine, ends = SUMS[how]
    found, expected = combine(a, b), ends(HALVES(a), HALVES(b))
    low, high = found.interval()
    assert low <= min(expected) + 1e-9
    assert high >= max(expected) - 1e-9
    assert (low, high) == pytest.approx((min(expected), max(expected)))
    assert found.likely == (a.likely or b.likely)
    assert found.kind is (IntervalKind.LIKELY if found.likely else IntervalKind.SURE)


@pytest.mark.parametrize("how", SUMS)
def test_the_interval_of_the_noise_stays_what_it_was(how: str) -> None:
    combine, _ = SUMS[how]
    plain = [number(one.value, None) for one in (A, B)]
    without = combine(*plain)
    assert combine(A, B).noise_interval() == without.noise_interval() == without.interval()
    assert without.kind is IntervalKind.NOISE
    assert combine(A, B).noise_margin == without.noise_margin


def test_numbers_and_scales_carry_the_truth_along() -> None:
    low, high = A.interval()
    for found, ends in [
        (3 * A, (3 * low, 3 * high)),
        (A + 7, (low + 7, high + 7)),
        (-A, (-high, -low)),
        (10 - A, (10 - high, 10 - low)),
        (A / 4, (low / 4, high / 4)),
        (1 / A, (1 / high, 1 / low)),
    ]:
        assert found.interval() == pytest.approx(ends)
        assert found.kind is IntervalKind.SURE


def test_at_least_becomes_at_most_when_it_is_subtracted() -> None:
    low, high = OPEN.interval()
    assert isinf(high)
    assert (100 - OPEN).interval() == (-inf, pytest.approx(100 - low))
    difference = A - OPEN
    assert difference.interval()[0] == -inf
    assert difference.interval()[1] < inf
    assert "at most" in str(difference)
    assert "at least" in str(OPEN)
    assert (OPEN - number(40, inf)).interval() == (-inf, inf)
    assert (OPEN - OPEN).interval() == (0, 0)
    assert (OPEN * 0).interval() == (0, 0)
    below, above = (1 / OPEN).interval()
    assert below == 0
    assert above == pytest.approx(1 / low)


def test_a_quotient_by_what_may_be_zero_is_not_bounded() -> None:
    around = number(1, 5, below=5)
    assert (A / around).interval() == (-inf, inf)
    assert (OPEN / A).interval()[1] == inf
    low, high = (A / OPEN).interval()
    assert low == 0
    assert high < inf
    for found in (OPEN * OPEN, OPEN / OPEN, OPEN + OPEN, OPEN * around, around / OPEN):
        low, high = found.interval()
        assert low <= high


def test_another_confidence_is_a_wider_interval_and_truth_holds_the_noise() -> None:
    for one in (A, B, OPEN, A + B, A / B):
        usual, surer, noise = one.interval(), one.interval(0.999), one.noise_interval()
        assert surer[0] <= usual[0]
        assert surer[1] >= usual[1]
        assert usual[0] <= noise[0]
        assert usual[1] >= noise[1]


# ---------------------------------------------------------------------- the same in SQL


@pytest.mark.parametrize(("operator", "how"), [("+", "a + b"), ("-", "a - b"), ("*", "a * b")])
def test_a_column_that_is_computed_in_sql_holds_the_truth_too(operator: Any, how: str) -> None:
    node = Calculation(operator, Named("a"), Named("b"))
    found = computed_column(node, {"a": A, "b": B})
    _, ends = SUMS[how]
    expected = ends(HALVES(A), HALVES(B))
    assert found.interval() == pytest.approx((min(expected), max(expected)))
    assert found.kind is IntervalKind.LIKELY
    plain = computed_column(node, {name: number(one.value, None) for name, one in COLUMNS.items()})
    assert found.noise_interval() == plain.interval()
    opened = computed_column(Calculation("-", Constant(Fraction(9)), Named("a")), {"a": OPEN})
    assert opened.interval()[0] == -inf
    assert opened.interval()[1] < inf


COLUMNS = {"a": A, "b": B}

# ---------------------------------------------------------------------- a table of visits


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise that is always zero, of either kind."""
    for kind in (Laplace, Gaussian):
        monkeypatch.setattr(kind, "release", lambda self, steps, source: steps.open())


def opened(rows_each: Sequence[int], nobody: int = 0, **changes: Any) -> dp.Table:
    """People with so many rows each, alternately in the wards A and B."""
    rows = [
        (person, "AB"[row % 2], float(person % 7), f"n{row % 3}")
        for person, many in enumerate(rows_each)
        for row in range(many)
    ]
    rows += [(None, "A", 3.0, "n0")] * nobody
    declared: dict[str, Any] = {
        "name": "visits",
        "unit": "patient",
        "columns": {
            "ward": dp.category(["A", "B"]),
            "stay": dp.number(0, 8),
            "note": dp.text(),
        },
        "budget": dp.Budget(epsilon=100),
        "max_rows": 2,
        "max_groups": 1,
        "ledger": ":memory:",
    } | changes
    frame = pandas.DataFrame(rows, columns=["patient", "ward", "stay", "note"], dtype=object)
    return dp.table(frame, **{name: one for name, one in declared.items() if one is not None})


CROWD = [1, 2, 3, 4, 5] * 100
TEXT = "SELECT ward, COUNT(*) AS n, AVG(stay) AS m, MEDIAN(stay) AS q FROM visits GROUP BY ward"


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("known", ["nothing", "ceiling", "profile", "both"])
def test_every_form_says_on_what_its_bounds_rest(known: str) -> None:
    ceiling = 5 if known in ("ceiling", "both") else None
    with opened(CROWD, at_most_rows=ceiling) as table:
        if known in ("profile", "both"):
            table.profile(epsilon=20)
        found: Any = table.sql(TEXT, epsilon=8)
    # Without a profile nobody knows of rows without an id, which a ceiling says nothing of.
    kind = "sure" if known in ("nothing", "both") else "likely"
    header = ["ward", "n", "n_lower", "n_upper", "n_interval"]
    header += ["m", "m_lower", "m_upper", "m_interval"]
    header += ["q", "q_lower", "q_upper", "q_interval", "q_rank_error"]
    for row in found.rows():
        assert list(row) == header
        assert row["n_interval"] == row["m_interval"] == kind
        assert row["q_interval"] == "counted"
        assert (row["n_upper"] == inf) == (known == "nothing")
        assert row["n_lower"] <= 750 <= row["n_upper"] or known == "nothing"
    frame = found.to_pandas()
    assert list(frame) == list(found.to_polars().columns) == header
    assert found.to_arrow().column_names == header
    for other in (frame, found.to_polars().to_pandas(), found.to_arrow().to_pandas()):
        assert list(other["n_interval"]) == [kind] * 2
        assert all(isinf(end) == (known == "nothing") for end in other["n_upper"])
    stated = {name: {"kind": kind, "confidence": 0.95} for name in ("n", "m")}
    stated["q"] = {"kind": "counted", "confidence": 0.95}
    assert frame.attrs == {"notes": found.notes, "intervals": stated}
    data = json.loads(found.to_json())
    assert data["intervals"] == stated
    assert data["notes"] == found.notes
    assert [(row["n_upper"] is None) for row in data["rows"]] == [known == "nothing"] * 2
    [names, *lines] = csv.reader(io.StringIO(found.to_csv()))
    assert names == header
    assert {line[names.index("n_interval")] for line in lines} == {kind}
    assert any("counts for 2" in note for note in found.notes)
    page = found.report()
    assert "the truth has a range of its own" in page
    assert ("A range that is “likely”" in page) == (kind == "likely")
    assert found.plot().svg


def test_where_no_cap_can_matter_nothing_is_added() -> None:
    with opened(CROWD, unit="row", max_rows=None, max_groups=None) as table:
        found: Any = table.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon=1)
        assert list(found.to_dict()) == ["ward", "n", "n_lower", "n_upper"]
        assert found.intervals == {"n": {"kind": "noise", "confidence": 0.95}}
        assert "has a range of its own" not in found.report()
    with opened(CROWD) as table:
        people = table.agg(n=dp.people()).release(epsilon=1)
        assert list(people.to_dict()) == ["n", "n_lower", "n_upper"]


def test_names_that_would_clash_are_refused() -> None:
    with opened([1]) as table:
        asking = table.agg(n=dp.rows(), n_interval=dp.people())
        with pytest.raises(dp.QueryError, match="'n_interval'"):
            asking.plan(epsilon=1)
        with pytest.raises(dp.QueryError, match="'n_interval'"):
            table.sql("SELECT COUNT(*) AS n, AVG(stay) AS n_interval FROM visits", epsilon=1)
        assert table.budget.charges == 0


# ---------------------------------------------------------------------- lower caps


def test_a_question_can_lower_a_cap_and_never_raise_it() -> None:
    with opened([1], max_rows=6, max_groups=2) as table:
        asking = table.group_by("ward").agg(n=dp.rows(), p=dp.people())
        plan, lower = asking.plan(epsilon=1), asking.capped(max_rows=2).plan(epsilon=1)
        by_rows = [one.price.of(one.question.outputs[0].measure) for one in (plan, lower)]
        assert lower.question.unit.row_cap == 2
        assert by_rows[1].mechanism.scale < by_rows[0].mechanism.scale
        assert lower.price.fits(lower.question)
        assert not plan.price.fits(lower.question)
        assert asking.capped(max_groups=1).plan(epsilon=1).question.unit.group_cap == 1
        for wrong in (0, -1, 7, "2", 2.0, True, Fraction(2)):
            with pytest.raises(dp.QueryError, match="can only lower a cap: from 1 to 6") as caught:
                asking.capped(max_rows=wrong).plan(epsilon=1)  # type: ignore[arg-type]
            assert ".capped(max_rows=6), or less." in str(caught.value)
        with pytest.raises(dp.QueryError, match=r"\.capped\(max_groups=2\)"):
            asking.capped(max_groups=3).plan(epsilon=1)
        with pytest.raises(dp.QueryError, match="Lower it to 6, or less"):
            table.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1, max_rows=7)
        assert table.budget.charges == 0
    with (
        opened([1], unit="row", max_rows=None, max_groups=None) as rows,
        pytest.raises(dp.QueryError, match="nothing to cap"),
    ):
        rows.agg(n=dp.rows()).capped(max_rows=1).plan(epsilon=1)


def test_another_cap_is_another_question() -> None:
    with opened(CROWD, max_rows=6) as table:
        asking = table.agg(n=dp.rows())
        texts = [asking.capped(max_rows=cap).plan(epsilon=1).text for cap in (1, 2, 6)]
        assert len({*texts, asking.plan(epsilon=1).text}) == 4
        assert "CAPPED BY max_rows = 2" in asking.capped(max_rows=2).question.text
        by_sql: Any = table.sql("EXPLAIN SELECT COUNT(*) AS n FROM visits", epsilon=1, max_rows=2)
        assert by_sql.text == texts[1]
        first = asking.capped(max_rows=2).release(epsilon=1, key="k")
        again = asking.capped(max_rows=2).release(epsilon=1, key="k")
        assert first["n"].value == again["n"].value
        for other in (asking, asking.capped(max_rows=1)):
            with pytest.raises(dp.DiscreetError):
                other.release(epsilon=1, key="k")
        assert table.budget.spent.epsilon == 1


@pytest.mark.usefixtures("silent")
def test_a_lower_cap_counts_for_less_and_its_interval_says_so() -> None:
    with opened(CROWD, max_rows=5, at_most_rows=5) as table:
        table.profile(epsilon=20)
        counts = [
            table.agg(n=dp.rows()).capped(max_rows=cap).release(epsilon=5)["n"]
            for cap in range(1, 6)
        ]
    for cap, one in enumerate(counts, 1):
        assert one.value == pytest.approx(sum(min(many, cap) for many in CROWD), abs=1e-3)
        low, high = one.interval()
        assert low <= sum(CROWD) <= high
        assert one.kind is IntervalKind.SURE
        assert (one.noise_interval()[1] < sum(CROWD)) == (cap < 5)


def test_a_cap_is_lowered_on_the_command_line_too() -> None:
    from discreet.cli.ask import question_options

    command = question_options(lambda: None)
    assert {"max_rows", "max_groups"} <= {
        one.name
        for one in command.__click_params__  # type: ignore[attr-defined]
    }


# ---------------------------------------------------------------------- joins and subqueries


PARTNERS = pandas.DataFrame({"patient": [*range(500)], "sex": ["f", "m"] * 250})
PAIRED = "SELECT v.ward, COUNT(*) AS n FROM visits v {} JOIN partners p ON v.patient = p.patient"


def joined(at_most: int | None, max_rows: int, nobody: int = 0, **changes: Any) -> dp.Table:
    beside = dp.beside(
        PARTNERS,
        columns={"sex": dp.category(["f", "m"])},
        max_rows=max_rows,
        at_most_rows=at_most,
    )
    lookups = {"wards": pandas.DataFrame({"ward": ["A", "B"], "floor": [1, 2]})}
    return opened(CROWD, nobody, private={"partners": beside}, public=lookups, **changes)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("ceiling", [None, 5])
@pytest.mark.parametrize("kind", ["LEFT", ""])
def test_a_join_with_one_partner_leaves_out_no_more_than_the_table_does(
    kind: str, ceiling: int | None
) -> None:
    """A join keeps so many rows of somebody, by a hash: which may be all in one ward."""
    with joined(1, 1, 7 * (kind == "LEFT"), at_most_rows=ceiling) as table:
        table.profile(epsilon=20)
        found: Any = table.sql(PAIRED.format(kind) + " GROUP BY v.ward", epsilon=8)
    truth = {"A": 900.0 + 7 * (kind == "LEFT"), "B": 600.0}
    for ward, estimate in found["n"].items():
        low, high = estimate.interval()
        assert low <= truth[ward] <= high < inf
        assert estimate.noise_interval()[1] < truth[ward]
        assert estimate.kind is (IntervalKind.LIKELY if ceiling is None else IntervalKind.SURE)


@pytest.mark.parametrize("at_most", [None, 3])
def test_a_join_that_multiplies_rows_gets_no_upper_end_and_says_so(at_most: int | None) -> None:
    with joined(at_most, 2) as table:
        table.profile(epsilon=20)
        found: Any = table.sql(PAIRED.format("") + " GROUP BY v.ward", epsilon=8)
    assert all(one.interval()[1] == inf for one in found["n"].values())
    assert any("The join can give a patient more rows" in note for note in found.notes)


@pytest.mark.usefixtures("silent")
def test_a_lookup_with_one_partner_leaves_out_no_more_than_the_table_does() -> None:
    with joined(1, 1, at_most_rows=5) as table:
        table.profile(epsilon=20)
        found: Any = table.sql(
            "SELECT w.floor, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward "
            "GROUP BY w.floor",
            epsilon=8,
        )
    truths = {1: 900, 2: 600}
    for floor, one in found["n"].items():
        assert one.interval()[0] <= truths[floor] <= one.interval()[1] < inf
        assert one.kind is IntervalKind.SURE


MANY_PAIRS = (
    """SELECT {} FROM visits v JOIN drugs d ON v.patient = d.patient AND v.day = d.day {}"""
)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ("COUNT(DISTINCT v.patient) AS x", ""),
        ("COUNT(DISTINCT v.patient) AS x", "GROUP BY v.ward"),
        ("COUNT(DISTINCT v.patient) FILTER (WHERE v.ward = 'A') AS x", ""),
        ("COUNT(*) AS x", ""),
        ("COUNT(v.stay) AS x", "GROUP BY v.ward"),
        ("SUM(v.stay) AS x", ""),
        ("COUNT(DISTINCT v.stay) AS x", ""),
    ],
)
@pytest.mark.parametrize("max_groups", [1, 2])
def test_whoever_has_too_many_pairs_for_a_join_may_be_missing(
    asked: str, keys: str, max_groups: int
) -> None:
    """Each has 1,200 rows on both sides of which one pair fits: often one that the join leaves out.

    Below the limit nobody is left out, and nothing but noise stands before a number of people.
    """

    def estimates(ceiling: int | None) -> tuple[dict[object, Estimate], list[str]]:
        days = range(0, 1200 if ceiling is None else ceiling)
        here = [(who, day, "AB"[day % 2], 1.0) for who in range(12) for day in days]
        there = [(who, 600 * day) for who in range(12) for day in days if day]
        beside = dp.beside(
            pandas.DataFrame(there, columns=["patient", "day"]),
            columns={"day": dp.number(0, 10**6)},
            max_rows=2,
            at_most_rows=ceiling,
        )
        frame = pandas.DataFrame(here, columns=["patient", "day", "ward", "stay"])
        with dp.table(
            frame,
            name="visits",
            unit="patient",
            budget=dp.Budget(epsilon=100),
            columns={
                "day": dp.number(0, 10**6),
                "ward": dp.category(["A", "B"]),
                "stay": dp.number(0, 1),
            },
            max_rows=2,
            max_groups=max_groups,
            at_most_rows=ceiling,
            ledger=":memory:",
            private={"drugs": beside},
        ) as table:
            found: Any = table.sql(MANY_PAIRS.format(asked, keys), epsilon=50)
        column = found["x"]
        return (column if keys else {None: column}), list(found.notes)

    cut, notes = estimates(None)
    values = {"A": 12, "B": 0} if keys else {None: 1 if "DISTINCT v.stay" in asked else 12}
    for group, one in cut.items():
        assert one.interval()[0] <= values[str(group) if keys else None] < one.interval()[1] == inf
        assert one.kind is IntervalKind.SURE
    assert any("x: " in note and "True numbers are higher." in note for note in notes)
    if "patient" in asked:
        said = "The join may leave rows out of a patient with more than 1,000 on either side"
        assert any(said in note for note in notes)
        assert min(one.value for one in cut.values()) < 12
        if max_groups == 2 or not keys:
            whole, notes = estimates(1000)
            assert {one.kind for one in whole.values()} == {IntervalKind.NOISE}
            assert not any("x: " in note for note in notes)


PER_PERSON = (
    "SELECT {} FROM (SELECT patient, COUNT(*) AS visits, SUM(stay) AS days, MAX(stay) AS longest "
    "FROM visits GROUP BY patient) AS t {}"
)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    ("asked", "where", "bounds"),
    [
        ("AVG(visits) AS x", "", "at least"),
        ("SUM(days) AS x", "", "at least"),
        ("AVG(longest) AS x", "", "noise"),
        ("COUNT(*) AS x", "", "noise"),
        ("COUNT(*) AS x", "WHERE visits >= 2", "noise"),  # two are counted of whoever has more
        ("COUNT(*) AS x", "WHERE 2 > visits", "noise"),
        ("COUNT(*) AS x", "WHERE days < 16", "noise"),
        ("COUNT(*) AS x", "WHERE days <= 16", "open"),
        ("COUNT(*) AS x", "WHERE days BETWEEN 3 AND 12", "noise"),
        ("COUNT(*) AS x", "WHERE visits = 2", "open"),
        ("COUNT(*) AS x", "WHERE days + 0 > 4", "open"),
        ("AVG(longest) AS x", "WHERE days * 2 < 4", "open"),
        ("SUM(CLIP(10 - days, 0, 10)) AS x", "", "open"),
        ("AVG(visits) AS x", "WHERE longest > 2", "at least"),
        ("COUNT(DISTINCT visits) AS x", "", "at least"),
    ],
)
def test_totals_that_are_cut_leave_ends_open(asked: str, where: str, bounds: str) -> None:
    with opened(CROWD) as table:
        table.profile(epsilon=20)
        text = PER_PERSON.format(asked, where)
        found: Any = table.sql(text.replace("CLIP(10 - days, 0, 10)", "10 - days"), epsilon=8)
    one = found["x"]
    low, high = one.interval()
    if bounds == "noise":
        assert (low, high) == one.noise_interval()
        return
    assert high == inf
    assert (low > 0) == (bounds == "at least")
    assert any("more rows than the cap, no more are added up" in note for note in found.notes)


def test_totals_within_a_ceiling_are_not_cut() -> None:
    with opened([1, 2], max_rows=2, at_most_rows=2) as table:
        found: Any = table.sql(PER_PERSON.format("AVG(visits) AS x", ""), epsilon=8)
    assert found["x"].kind is IntervalKind.NOISE


@pytest.mark.usefixtures("silent")
def test_a_quantile_keeps_its_error_of_rank() -> None:
    with opened(CROWD) as table:
        found: Any = table.sql("SELECT MEDIAN(stay) AS q, MAX(stay) AS m FROM visits", epsilon=8)
    for name in ("q", "m"):
        assert found[name].truth is None
        assert found[name].rank_error is not None
        assert found[name].kind is IntervalKind.COUNTED
    assert " counted, rank ± " in found["q"].text
    assert (found["q"].bounded, found["m"].bounded) == (True, False)


def test_people_are_counted_whatever_ward_is_made_of_theirs() -> None:
    """Rows without a ward are in no group of the profile, and are in one of what is computed."""
    rows = [(person, ward) for person in range(300) for ward in ("A", None)]
    frame = pandas.DataFrame(rows, columns=["patient", "ward"])
    with dp.table(
        frame,
        name="visits",
        unit="patient",
        columns={"ward": dp.category(["A", "B"])},
        budget=dp.Budget(epsilon=200),
        max_rows=2,
        max_groups=1,
        at_most_groups=1,
        at_most_rows=2,
        ledger=":memory:",
    ) as table:
        table.profile(epsilon=50)
        found: Any = table.sql(
            "SELECT COALESCE(ward, 'none') AS w, COUNT(DISTINCT patient) AS n FROM visits "
            "GROUP BY 1",
            epsilon=50,
        )
    for ward, one in found["n"].items():
        low, high = one.interval(1 - 1e-7)
        assert low <= (0 if ward == "B" else 300) <= high, ward


@pytest.mark.usefixtures("silent")
def test_a_quantile_says_of_which_rows_its_interval_is() -> None:
    """With at most 5 rows, of which 2 count, each counts for about 40%."""
    text = "SELECT MEDIAN(stay) AS q, QUANTILE(stay, 0.9) AS p FROM visits"
    with opened(CROWD, nobody=0) as table:
        found: Any = table.sql(text, epsilon=8)
    unknown = "q: the interval is for the rows as the caps count them; for all rows none"
    assert any(note.startswith(unknown) for note in found.notes)
    with opened(CROWD, at_most_rows=5) as table:
        known: Any = table.sql(text, epsilon=8)
    said = [note for note in known.notes if "Each counts for 39% of one at least" in note]
    assert [note[:2] for note in said] == ["p:"]
    assert "between the 74% and the 100% quantile of the counted rows" in said[0]
    assert any(note.startswith(unknown) for note in known.notes)  # 0% to 100% would say nothing
    with opened([1, 2], at_most_rows=2) as table:
        whole: Any = table.sql(text, epsilon=8)
    assert not any("the rows as the caps count them" in note for note in whole.notes)
