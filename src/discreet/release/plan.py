"""A plan: what a question will cost and how large its errors will be.  Nothing is spent."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, Protocol

from discreet.accounting.filters import (
    Filter,
    SpendLimits,
    Totals,
    ended_branch,
    left_text,
    questions_left,
    rho_allowance,
    share_left,
    spend_limits,
    within_budget,
)
from discreet.errors import (
    BudgetExhaustedError,
    Front,
    PrivacyParameterError,
    QueryError,
    Remedy,
    with_article,
)
from discreet.exact import decimal_text, named_number_text, percent_text, rational
from discreet.measures.measure import (
    Answers,
    ArgumentKind,
    GroupIntegers,
    Measure,
    MeasureSensitivity,
    Output,
    Unit,
    sentence_list,
)
from discreet.measures.strategies import placed
from discreet.mechanisms.key_selection import KeySelection, WeightedThreshold
from discreet.noise import BitSource
from discreet.plan.expressions import Named, expression_text, names_in
from discreet.plan.schema import Schema
from discreet.privacy.estimates import Payment
from discreet.privacy.losses import (
    Budget,
    PureDP,
    read_delta,
    read_epsilon,
    read_rho,
    read_spend,
)
from discreet.privacy.number_text import margin_text, plural
from discreet.question.check import Question, checked_question
from discreet.question.groupings import PrivateGrouping, recorded_labels
from discreet.question.query import Scan
from discreet.release.caps import CapEffects, better_cap, cap_effects, cap_notes
from discreet.release.consistent import is_moved, left_as_measured, moved_notes
from discreet.release.kept_answer import query_from_data, query_to_data
from discreet.release.price import (
    UNREADABLE,
    Price,
    PricedKeySelection,
    PricedMeasure,
    Weights,
    price_alone,
    price_from_data,
    price_in_rho,
    price_question,
    price_within,
)
from discreet.release.profile import Profile
from discreet.release.release import (
    LEFT_OUT,
    NONE_FOUND,
    check_rank_names,
    merged_notes,
    read_confidence,
    small_group_notes,
    table_remarks,
    undeclared_value_notes,
)
from discreet.release.run import declare_parts, expected_margin
from discreet.release.top_groups import PricedChoice, first_notes
from discreet.release.ungrouped import no_group_notes
from discreet.templates import table_html
from discreet.text_table import TextTable

if TYPE_CHECKING:
    from discreet.engines.base import Engine
    from discreet.release.release import Release


_LEAST, _MOST = -6, 3  # powers of ten between which ε is looked for; of ρ, twice as far
_VERY_MANY = 10**6
_DIGITS = 90  # two-digit numbers per power of ten: 10 to 99


_STATE_ROWS = Remedy(
    python="State how many are expected: expect_rows=500.",
    sql="Only who asks knows how many are expected.",
    command="State how many are expected: --expect-rows 500.",
)
_CONFIDENCE = Fraction(95, 100)
_NEARLY_SURE, _HARDLY_EVER = Fraction(95, 100), Fraction(1, 100)
"""How often a group appears, of which a plan says from how many people on."""
_FINDING_GROUPS = "finding the groups"
_CHOOSING_GROUPS = "choosing the groups"


@dataclass(frozen=True, slots=True)
class Margin:
    """A half width at 95%, in the answer's own unit; or, of what is chosen by rank, in rows.

    ``measured`` says that the answer states it anew, as it was measured: this is about what to
    expect.
    """

    value: float | None
    of_rank: bool = False
    exact: bool = False
    measured: bool = False
    whole: bool = False
    """Whether it is of a count."""

    @property
    def text(self) -> str:
        """As it stands in a plan.

        >>> Margin(3).text, Margin(12.5, of_rank=True).text, Margin(None).text
        ('± 3', 'rank ± 13 rows', 'depends on rows')
        >>> Margin(7.1, of_rank=True, measured=True).text
        'rank ± about 8 rows'
        """
        if self.exact:
            return "exact"
        if self.value is None:
            return "depends on rows"
        size = margin_text(self.value, whole=self.whole or self.of_rank)
        if self.of_rank and self.value < inf:
            about = "about " if self.measured else ""
            return f"rank ± {about}{size} {'row' if size == '1' else 'rows'}"
        return f"± {size}"


def output_margin(
    output: Output,
    question: Question,
    price: Price,
    expect_rows: int | None = None,
    confidence: Fraction = _CONFIDENCE,
    keys: Sequence[int] | None = None,
) -> Margin:
    """The margin that an output will have in each group; of tables that of these ``keys``.

    Unless stated, it is that of the least exact table.  Means and variances have a margin only for
    a number of rows, which is private: it is stated for ``expect_rows`` rows in a group, all at one
    end of the range, where means are least exact.  Relations between columns have one, too: it is
    that of columns that spread evenly.
    """
    priced: Any = price.of(output.measure)
    if output.aggregate.statistic.ranked:
        measure: Any = output.measure
        error, measured = measure.planned_rank_error(output, priced.mechanism, price.unit)
        return Margin(error, of_rank=True, measured=measured)
    integers = output.measure.expected(output, price.unit, expect_rows)
    if integers is None:
        return Margin(None)
    noisy: Sequence[int] = integers
    if isinstance(priced, PricedKeySelection):
        noisy = [priced.released.far]  # near the threshold the bounds are not equally far
    noisy = _in_a_cell(question, noisy, keys)
    [found] = price.estimates(output, [noisy], Payment(PureDP(epsilon=Fraction(0))), expect_rows)
    found = price.widened(question, output, found)
    lower, upper = found.interval(confidence)
    return Margin(
        max(found.value - lower, upper - found.value), exact=found.exact, whole=found.whole
    )


def _in_a_cell(
    question: Question, noisy: Sequence[int], keys: Sequence[int] | None = None
) -> Sequence[int]:
    """Integers as they are released of a group; of tables, of a cell of the least exact one."""
    strategy = question.strategy
    if strategy is None:
        return noisy
    worst = max(strategy.tables, key=strategy.variance) if keys is None else tuple(keys)
    return placed(noisy, worst, tuple(strategy.sizes[key] - 1 for key in worst))


def reach_text(output: Output, unit: Unit) -> str:
    """How far one unit can move an output over all groups together, in its own unit."""
    measure = output.measure
    moved, step = measure.sensitivity(unit), measure.step(unit)
    if moved.l1 is not None:
        return _rows_text(float(moved.l1 * step), measure.moves)
    return f"{_rows_text(sqrt(moved.squared_l2) * float(step), measure.moves)} in L2"


def _rows_text(number: float, what: str) -> str:
    """A number of things, or a number alone.

    >>> _rows_text(1.0, "row"), _rows_text(2.5, "row"), _rows_text(120.0, "")
    ('1 row', '2.5 rows', '120')
    """
    return f"{number:,.6g} {what if number == 1 else f'{what}s'}" if what else f"{number:,.6g}"


@dataclass(frozen=True)
class _WantedMargins:
    """The margins that outputs shall have, and the shares of a price that suit them."""

    question: Question
    margins: Mapping[Output, Fraction]
    weights: Weights | None
    expect_rows: int | None

    def met(self, price: Price, margins: Mapping[Output, Fraction] | None = None) -> bool:
        """Whether every margin is, at this price."""
        return all(
            (output_margin(output, self.question, price, self.expect_rows).value or 0) <= bound
            for output, bound in (self.margins if margins is None else margins).items()
        )

    def price_in_epsilon(self, delta: Fraction) -> Price | None:
        """The price with the least ε of two significant digits that meets them."""
        question = self.question
        shares = self._shares(lambda measure, level: price_alone(measure, question, epsilon=level))
        least = _least(lambda level: self.met(price_question(question, level, delta, shares)), 1)
        return None if least is None else price_question(question, least, delta, shares)

    def price_in_rho(self, delta: Fraction) -> Price | None:
        """The price with the least ρ of two significant digits that meets them."""
        question = self.question
        shares = self._shares(lambda measure, level: price_alone(measure, question, rho=level), 2)
        least = _least(lambda level: self.met(price_in_rho(question, level, delta, shares)), 2)
        return None if least is None else price_in_rho(question, least, delta, shares)

    def _shares(
        self, alone: Callable[[Measure, Fraction], Price], power: int = 1
    ) -> Weights | None:
        """Where every measure has a margin, each gets the share that its own margin needs."""
        question, measures = self.question, {output.measure for output in self.margins}
        if self.weights is not None:
            return self.weights
        if question.selects_keys or measures != set(question.measures):
            return None
        if power == 1 and question.strategy is not None:  # no measure by itself is priced in ε
            return None
        shares = {}
        for measure in question.measures:
            own = {one: bound for one, bound in self.margins.items() if one.measure == measure}
            least = _least(lambda level: self.met(alone(measure, level), own), power)  # noqa: B023
            if least is None:
                return None
            shares[measure] = least
        return shares


def _least(meets: Callable[[Fraction], bool], power: int) -> Fraction | None:
    """The least number of two significant digits that meets what is wanted."""
    low, high = 0, power * (_MOST - _LEAST) * _DIGITS
    if not meets(_two_digits(high, power)):
        return None
    while low < high:
        middle = (low + high) // 2
        if meets(_two_digits(middle, power)):
            high = middle
        else:
            low = middle + 1
    return _two_digits(low, power)


def _two_digits(place: int, power: int = 1) -> Fraction:
    """The numbers of two significant digits in order: 1.0e-6, 1.1e-6, …, 9.9e-6, 1.0e-5, …

    >>> _two_digits(0), _two_digits(89), _two_digits(90)
    (Fraction(1, 1000000), Fraction(99, 10000000), Fraction(1, 100000))
    """
    tens, digits = divmod(place, _DIGITS)
    return Fraction(10 + digits, 10) * Fraction(10) ** (tens + power * _LEAST)


def _read(
    question: Question, wanted: Mapping[str, object], expect_rows: int | None
) -> dict[Output, Fraction]:
    outputs = {output.name: output for output in question.outputs}
    if not wanted or not isinstance(wanted, Mapping):
        raise QueryError(
            "margin names no output. It says how large the error of each may be at 95%.",
            Remedy(
                python='Write margin={"patients": 5}.',
                sql="Name one, with its size.",
                command="Write --margin patients=5.",
            ),
        )
    margins = {}
    probed = price_question(question, Fraction(1), Fraction(1, 10**6))
    for name, bound in wanted.items():
        if name not in outputs:
            raise _not_measured(f"margin names {name[:60]!r}", name, question)
        ranked = outputs[name].aggregate.statistic.ranked
        number = _in_rows(bound, name) if ranked else rational(bound, f"the margin of {name}")
        if number <= 0:
            raise QueryError(
                f"the margin of {name!r} is not above 0. A private answer always has an error. Use "
                "a larger one."
            )
        output = outputs[name]
        probe = output_margin(output, question, probed, None)
        if probe.value is None and expect_rows is None:
            raise QueryError(
                f"{name!r} has a margin only for a number of rows, which is private.",
                Remedy(
                    python="State how many rows a group is expected to have: .plan(margin=…, "
                    "expect_rows=1000).",
                    sql="State how many rows a group is expected to have.",
                    command="State how many rows a group is expected to have: --expect-rows 1000.",
                ),
            )
        margins[output] = number
    noisy = any(not measure.free for measure in question.measures)
    if noisy and all(output.measure.free for output in margins):
        raise QueryError(
            f"margin names only {next(iter(wanted))!r}, which is exact and costs nothing. ε "
            "follows from the margins of what has noise.",
            Remedy(
                python="Name another output too, or give epsilon.",
                command="Name another output too, or give --epsilon.",
            ),
        )
    return margins


def _in_rows(bound: object, name: str) -> Fraction:
    """How many rows a rank may be off by, as whoever asks wrote it: "5 rows"."""
    written = bound.split() if isinstance(bound, str) else []
    if len(written) == 2 and written[1] in ("row", "rows"):
        return rational(written[0], f"the margin of {name}")
    raise QueryError(
        f"the margin of {name[:60]!r} is stated in its own unit. How far a quantile, a least or a "
        "largest value is off in that unit depends on the data, which are private, so that no "
        "price is known for it. Its error of rank is counted in rows.",
        Remedy(
            python=f'State it in rows: margin={{"{name[:60]}": "5 rows"}}.',
            sql="State it in rows.",
            command=f'State it in rows: --margin "{name[:60]}=5 rows".',
        ),
        "The answer of a quantile has an interval in its own unit all the same.",
    )


class Account(Protocol):
    """What a plan needs of whatever pays for it."""

    def standing(self, *, analyst: str | None = None, key: str | None = None) -> Filter:
        """The budget, and what was spent of it; with a key, before its question was paid."""

    def remembered_profile(self) -> Profile | None:
        """The profile of the table, if one was paid for."""


@dataclass(frozen=True, slots=True)
class ReadAccount:
    """What was read of an account, at once."""

    state: Filter
    profile: Profile | None = None

    def standing(self, *, analyst: str | None = None, key: str | None = None) -> Filter:
        """The budget, and what was spent of it when it was read."""
        return self.state

    def remembered_profile(self) -> Profile | None:
        """The profile of the table, if one was paid for."""
        return self.profile


@dataclass(frozen=True, slots=True)
class KeyedAccount:
    """An account as it was before a key's question was paid, so that a retry has the same plan."""

    account: Account
    analyst: str | None
    key: str | None

    def standing(self, *, analyst: str | None = None, key: str | None = None) -> Filter:
        """The budget, and what was spent of it."""
        return self.account.standing(analyst=self.analyst, key=self.key)

    def remembered_profile(self) -> Profile | None:
        """The profile of the table, if one was paid for."""
        return self.account.remembered_profile()


class OpenTable(Account, Protocol):
    """What a plan needs of the table that was asked."""

    def engine(self) -> "Engine":
        """The source, opened."""

    def release(
        self,
        plan: "Plan",
        *,
        key: str | None = None,
        analyst: str | None = None,
        source: BitSource | None = None,
    ) -> "Release":
        """Pay what a plan shows, and answer."""


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One output of a plan."""

    output: str
    asks: str
    mechanism: str
    margin: Margin | None
    """None where groups are found: they are released or not."""
    epsilon: Fraction | None
    """Its part of the ε that the plan costs; None where that is stated in ρ."""
    rho: Fraction | None = None
    """Its part of the ρ, where the price is stated in ρ."""
    shared_with: str | None = None

    @property
    def price(self) -> str:
        """Its part of the price; outputs of one measurement share one, which is stated once.

        All parts together are what the plan costs.
        """
        if self.shared_with is not None:
            return f"with {self.shared_with}"
        if self.rho is not None:
            return named_number_text("ρ", self.rho)
        text = decimal_text(self.epsilon or Fraction(0))
        return f"≈{float(self.epsilon or 0):.4g}" if "/" in text else text

    @property
    def margin_text(self) -> str:
        """Its margin as it stands in the table of a plan."""
        return "" if self.margin is None else self.margin.text.removeprefix("± ")


@dataclass(frozen=True, repr=False)
class Plan:
    """A question with its price: a value, for which neither data nor ledger are needed.

    ``table.release(plan)`` pays exactly what is shown here, and so does ``release`` of a plan that
    was made by asking a table.
    """

    question: Question
    price: Price
    expect_rows: int | None = None
    table: OpenTable | None = field(default=None, compare=False)
    """The open table that was asked, if one was."""
    standing: Filter | None = field(default=None, compare=False)
    """The budget that pays, and what was spent of it when the plan was made, if that is known."""
    profile: Profile | None = field(default=None, compare=False)
    """What is known of the people of the table: it says what caps leave out, and decides nothing
    that is paid for."""
    confidence: Fraction = field(default=_CONFIDENCE, compare=False)
    """The probability with which the margins that it shows hold; errors of rank are at 95%."""

    def __post_init__(self) -> None:
        if not self.price.fits(self.question):
            raise QueryError(
                "the price is not one of the question. Noise is measured by what is asked and for "
                "whom it counts, and another question's would not protect them. Plan the question: "
                "table.ask(…).plan(epsilon=1)."
            )

    @property
    def epsilon(self) -> Fraction | None:
        """The ε that it costs by itself; None where it is priced in ρ."""
        return self.price.epsilon

    @property
    def delta(self) -> Fraction:
        """The δ that it costs by itself; 0 where only pure mechanisms are used."""
        return self.price.delta

    @property
    def rho(self) -> Fraction:
        """The ρ that it adds to the budget's sum of ρ."""
        return self.price.cost.rho

    @property
    def part(self) -> Fraction | None:
        """The part of the budget that is left less when it is paid; None without a budget."""
        state = self.standing
        if state is None:
            return None
        return _taken(state, self.price.cost)

    @property
    def price_text(self) -> str:
        """What it costs, in the currency of the budget where that is known."""
        return self.price.text(None if self.standing is None else self.standing.budget)

    @property
    def budget_text(self) -> str:
        """The part of the budget that it takes, and about how many such questions fit.

        Empty without a budget, or where it costs nothing.
        """
        state, cost = self.standing, self.price.cost
        if state is None or not (cost.rho or cost.delta):
            return ""
        many = questions_left(state.budget, state.totals, cost)
        if many == 0:
            left = percent_text(share_left(state.budget, state.totals))
            return f"more than the {left} that is left of the budget"
        taken = _taken(state, cost)
        fitting = (
            "the rest of the budget does not cover a second one"
            if many == 1
            else f"about {many:,} such questions fit"
        )
        if many >= _VERY_MANY:
            fitting = "more than a million such questions fit"
        elif many < questions_left(state.budget, state.totals, replace(cost, delta=Fraction(0))):
            fitting += ", as many as its δ allows"
        return f"{part_text(taken)} of the budget; {fitting}"

    @property
    def covered(self) -> bool | None:
        """Whether what is left of the budget covers it; None without a budget."""
        state = self.standing
        return (
            None if state is None else within_budget(state.budget, state.totals + self.price.cost)
        )

    @property
    def not_covered(self) -> str:
        """What it costs and what is left, where the budget does not cover it; else empty."""
        state = self.standing
        if state is None or self.covered:
            return ""
        left = left_text(state.budget, state.totals)
        return f"The budget does not cover this: it costs {self.price_text}, and {left} is left."

    @property
    def measured(self) -> tuple[Measure, ...]:
        """What an engine is asked for."""
        return tuple(one.measure for one in self.price.priced)

    @property
    def score(self) -> Measure | None:
        """What groups are chosen by before that, if they are."""
        return None if self.price.choice is None else self.price.choice.top.score

    @cached_property
    def lines(self) -> list[PlanLine]:
        """Each output with its mechanism, its margin at 95% and its part of ε."""
        price, found = self.price, self.price.selection
        first: dict[Measure, str] = {}
        if found is not None and found.answers is not None:
            first[found.answers] = _FINDING_GROUPS
        lines = []
        for output in self.question.outputs:
            measure = output.measure
            shared = first.setdefault(measure, output.name)
            epsilon, rho = self._part(price.of(measure))
            lines.append(
                PlanLine(
                    output.name,
                    output.aggregate.text,
                    price.of(measure).described(price.unit),
                    output_margin(output, self.question, price, self.expect_rows, self.confidence),
                    epsilon,
                    rho,
                    None if shared == output.name else shared,
                )
            )
        return lines

    @property
    def finding_groups(self) -> PlanLine | None:
        """What finding the groups costs, where their names are private."""
        found = self.price.selection
        if found is None:
            return None
        return PlanLine(_FINDING_GROUPS, "", found.mechanism.name, None, *self._part(found))

    @property
    def choosing_groups(self) -> PlanLine | None:
        """What choosing the first groups costs, where that is done before they are measured."""
        choice = self.price.choice
        if choice is None:
            return None
        return PlanLine(_CHOOSING_GROUPS, "", choice.name, None, *self._part(choice))

    @property
    def priced_lines(self) -> list[PlanLine]:
        """Finding and choosing groups, where they are paid for, and each output.

        These are the parts of the price.
        """
        groups = (self.finding_groups, self.choosing_groups)
        return [*(line for line in groups if line is not None), *self.lines]

    def _part(
        self, priced: PricedMeasure | PricedKeySelection | PricedChoice
    ) -> tuple[Fraction | None, Fraction | None]:
        """The ε or the ρ of a part, in the currency in which the price is stated."""
        price = self.price
        budget = None if self.standing is None else self.standing.budget
        in_rho = price.cost.epsilon is None or (budget is not None and budget.epsilon is None)
        return price.part(priced, in_rho=in_rho)

    @property
    def computed(self) -> list[tuple[str, str]]:
        """Columns that are computed from released numbers, and how: they cost nothing."""
        return [
            (name, expression_text(node))
            for name, node in self.question.after.columns
            if node != Named(name)
        ]

    @cached_property
    def computed_margins(self) -> dict[str, Margin]:
        """The margins of those that have one: sums, shares of what is counted, and means."""
        price, question = self.price, self.question
        if not self.computed:
            return {}
        sums = [one for one in question.outputs if one.aggregate.statistic.adds_up]
        if question.after.nonnegative:  # of what is moved only both intervals together are known
            sums = [one for one in sums if not is_moved(one)]
        zeros = {
            one.measure: _in_a_cell(question, GroupIntegers([0] * one.measure.width))
            for one in sums
        }
        nothing = Payment(PureDP(epsilon=Fraction(0)))
        row = {
            one.name: price.estimates(one, [zeros[one.measure]], nothing, self.expect_rows)[0]
            for one in sums
        }
        declare_parts(self.question, price.unit, {name: [one] for name, one in row.items()})
        counts = [one.name for one in sums if one.aggregate.statistic.counts]
        margins: dict[str, Margin] = {}
        for name, node in self.question.after.columns:
            if node != Named(name):
                margin, known = expected_margin(
                    node, row, counts, self.expect_rows, self.confidence
                )
                margins |= {name: Margin(margin)} if known else {}
        return margins

    def computed_text(self, name: str) -> str:
        """The margin of a computed column as a plan tells it; empty where it has none."""
        margin = self.computed_margins.get(name)
        return "" if margin is None else margin.text.removeprefix("± ")

    @property
    def queries(self) -> list[str]:
        """The SQL that the engine will run, one text for each query; nothing is read or spent.

        Groups that are found or chosen are not known yet: one made-up group stands for them.
        """
        engine, price = self._asked().engine(), self.price
        return engine.texts(
            self.question, self.measured, price.unit, share=price.key_share, score=self.score
        )

    @cached_property
    def effects(self) -> CapEffects:
        """What the caps leave out of the answer."""
        found = self.price.selection
        selected = None if found is None else found.answers
        return cap_effects(self.question, self.price.unit, self.profile, selected)

    def margins(self) -> dict[str, float | None]:
        """The margin of every output at 95%, per group; for quantiles, in rows of rank."""
        return {name: margin.value for name, margin in self._margins.items()}

    @property
    def notes(self) -> list[str]:
        """What to look at before paying, from public facts alone."""
        return self.notes_told(Front.PYTHON)

    def notes_told(self, front: Front) -> list[str]:
        """The same, as a front writes it."""
        errors = {name: one.value for name, one in self._margins.items() if one.of_rank}
        notes = [*self.joins, *self.remarks, *self.key_notes, *self.table_notes]
        notes += [*self.count_notes, *self.first_notes]
        if self.question.after.nonnegative:
            notes += merged_notes(moved_notes(self.question))
        notes += small_group_notes(errors, self.expect_rows)
        notes += [*self.cap_notes(front), *self.advice]
        state, cost = self.standing, self.price.cost
        ended = None if state is None else ended_branch(state.budget, state.totals, cost)
        if ended is not None and cost.epsilon is None:
            notes.append(
                "Gaussian noise has no ε: from this question on the budget is counted by ρ alone. "
                f"Afterwards {percent_text(ended.share_left)} of it is left."
            )
        return [*notes, *self.rows_notes(front)]

    def rows_notes(self, front: Front = Front.PYTHON) -> list[str]:
        """Which margins need a number of rows that only whoever asks can expect."""
        margins = self._margins | self.computed_margins
        unknown = [name for name, one in margins.items() if one.value is None]
        listed = f"{', '.join(unknown)}: the ± depends on the number of rows in a group."
        notes = [f"{listed} {_STATE_ROWS.text(front)}"] if unknown else []
        return [*notes, *self._relation_notes]

    @property
    def _relation_notes(self) -> list[str]:
        """What the margins of relations between columns are stated for."""
        related = [
            output.name
            for output in self.question.outputs
            if output.aggregate.statistic.takes is ArgumentKind.TOGETHER
            and (margin := self._margins.get(output.name)) is not None
            and output.measure.expected(output, self.price.unit, None) is None
            and margin.value is not None
        ]
        if not related:
            return []
        return [
            f"{', '.join(related)}: the ± is for unrelated columns that are spread evenly between "
            "their bounds. It is larger where they vary less."
        ]

    @property
    def _margins(self) -> dict[str, Margin]:
        return {line.output: line.margin for line in self.lines if line.margin is not None}

    @property
    def advice(self) -> list[str]:
        """Another cap on rows, where the profile says that it would be better for the question."""
        question, unit, effect = self.question, self.price.unit, self.effects.rows
        if self.profile is None or effect is None or not isinstance(question.source, Scan):
            return []
        margins: dict[str, float] = {}
        for output in question.outputs:
            left_out = output.measure.left_out(output, unit)
            size = self._margins[output.name].value
            if left_out is None or left_out.answers is not Answers.SUM or not size:
                continue
            if left_out.cap == "max_rows" and left_out.low >= 0 and left_out.high:
                margins[output.name] = size / float(left_out.high)
        if not margins:
            return []
        margin = max(margins.values())
        better = better_cap(effect, margin, self.profile, question.declared)
        if better is None:
            return []
        return [better.text(list(margins), unit.row_cap)]

    @property
    def key_notes(self) -> list[str]:
        """That groups may be missing which are found privately, and which they are."""
        found, question = self.price.selection, self.question
        if found is None:
            return []
        names = [name for name, one in question.keys if isinstance(one, PrivateGrouping)]
        listed, noun = ", ".join(names), _counted_noun(question)
        found_by = found.mechanism
        text = (
            f"{listed}: groups are found privately (partition selection), and small ones are not "
            f"shown. A group of {found_by.half_point:,} {noun} is shown in 50 of 100 answers, of "
            f"{found_by.people_for(_NEARLY_SURE):,} in 95, of "
            f"{found_by.people_for(_HARDLY_EVER):,} in 1."
        )
        notes = [f"{text} {_weighed_text(found_by)}".rstrip()]
        assigned = self.effects.assigned
        if assigned is not None and assigned.bites:
            cap, person = self.price.unit.group_cap, with_article(_whose(question))
            notes.append(
                f"{listed}: {person} in more than {plural(cap, 'group')} helps only {cap:,} "
                "of them to be shown, which a hash chose."
            )
        return notes

    @property
    def count_notes(self) -> list[str]:
        """What finding groups does to the numbers by which they are found."""
        found = self.price.selection
        counts = [
            one.name
            for one in self.question.outputs
            if found is not None and one.measure == found.answers
        ]
        if found is None or not counts:
            return []
        return [
            f"{', '.join(counts)}: a small group is shown only where noise raised its number, so a "
            f"number near {found.released.threshold:,} is often too high. The interval allows for "
            "that."
        ]

    @property
    def none_found(self) -> str:
        """What an answer says that shows no group, where groups are found privately."""
        found, noun = self.price.selection, _counted_noun(self.question)
        if found is None:
            return LEFT_OUT
        text = (
            f"{NONE_FOUND}: a group needs about {found.mechanism.half_point:,} {noun}, and "
            f"{found.mechanism.people_for(_NEARLY_SURE):,} to be shown in 95 of 100 answers. A "
            "larger ε, or coarser groups, show more"
        )
        weighed = _weighed_text(found.mechanism).removesuffix(".")
        return f"{text}. {weighed}" if weighed else text

    @property
    def first_notes(self) -> list[str]:
        """How the first groups are chosen, or which noise decides on those that are shown."""
        price = self.price
        return first_notes(self.question, price.choice, price.gap(self.question))

    def table_margins(self) -> dict[str, dict[tuple[str, ...], float | None]]:
        """Of a cube, the margin of every output in each of its tables, by the keys of the table."""
        question, strategy = self.question, self.question.strategy
        if strategy is None:
            return {}
        names = [name for name, _ in question.keys]
        return {
            output.name: {
                tuple(names[key] for key in keys): output_margin(
                    output, question, self.price, self.expect_rows, self.confidence, keys
                ).value
                for keys in strategy.tables
            }
            for output in question.outputs
        }

    @property
    def table_notes(self) -> list[str]:
        """Of a cube, how exact the tables by as many keys are at least."""
        strategy = self.question.strategy
        if strategy is None or len(strategy.tables) == 1:
            return []
        notes = []
        worst = {  # of as many keys all cells of a table are alike
            len(keys): keys for keys in sorted(strategy.tables, key=strategy.variance)
        }
        for output in self.question.outputs:
            margins = {
                ways: output_margin(
                    output, self.question, self.price, self.expect_rows, self.confidence, keys
                )
                for ways, keys in sorted(worst.items(), reverse=True)
            }
            if any(margin.value is None for margin in margins.values()):
                continue
            listed = [f"{one.text} {_by_keys(ways)}" for ways, one in margins.items()]
            notes.append(f"{output.name}: {sentence_list(listed)}")
        return notes

    def cap_notes(self, front: Front) -> list[str]:
        """What the caps leave out of the answer, with direction and size."""
        return cap_notes(self.effects, self.question, self.price.unit, front)

    @property
    def joins(self) -> list[str]:
        """How many pairs of one person's rows are made, where a join of private tables has many."""
        return [
            f"the join makes at most {most:,} pairs of one person's rows; of a person with more, a "
            "hash leaves rows out"
            for most in self.question.pair_limits
        ]

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What the answer says too: conditions and groups that may not mean what they seem to."""
        question = self.question
        return (
            *undeclared_value_notes(question),
            *merged_notes(no_group_notes(question)),
            *table_remarks(question),
            *(left_as_measured(question) if question.after.nonnegative else ()),
        )

    def at(self, confidence: object) -> "Plan":
        """The same plan, which shows the margins at another probability: ``at(0.99)``."""
        return replace(self, confidence=read_confidence(confidence))

    def release(
        self,
        *,
        key: str | None = None,
        analyst: str | None = None,
        source: BitSource | None = None,
    ) -> "Release":
        """Pay what the plan shows, and answer.

        With a ``key``, a retry of the same question gets the same answer for free.
        """
        return self._asked().release(self, key=key, analyst=analyst, source=source)

    def __hash__(self) -> int:
        """Equal plans have equal texts."""
        return hash(self.text)

    def _asked(self) -> OpenTable:
        if self.table is None:
            raise QueryError(
                "the plan belongs to no open table. A question is asked of a table. Write "
                "table.release(plan), or make the plan with table.agg(…).plan(epsilon=1)."
            )
        return self.table

    @property
    def text(self) -> str:
        """The question as bytes are hashed from it: all that determines the answer."""
        groups = _digest(self.question)
        data = {
            "version": 1,
            "table": self.question.schema.name,
            "question": self.question.text,
            "derived": [[name, str(node)] for name, node in self.question.query.derived],
            "source": str(self.question.source),
            "groups": groups,
            **_price_data(self.price),
            "blocks": [
                [
                    priced_measure.measure.recorded,
                    str(priced_measure.mechanism),
                    _moved(priced_measure.sensitivity),
                ]
                for priced_measure in self.price.priced
            ],
        }
        choice = self.price.choice
        if choice is not None:
            data["choice"] = [choice.top.score.recorded, str(choice.mechanism)]
        return json.dumps(data, sort_keys=True)

    def to_data(self) -> dict[str, Any]:
        """The question and its price as plain data, which ``plan_from_data`` takes back."""
        return {
            "query": query_to_data(self.question.query),
            "price": self.price.to_data(self.question),
        }

    def explain(self, front: Front = Front.PYTHON) -> str:
        """How the question is answered, step by step, with what each step assumes."""
        question = self.question
        schema = question.schema
        lines = [f"question   {question.text}", f"table      {schema.name}"]
        if question.query.source.text:
            lines.append(f"rows       {question.query.source.text}")
        lines += [f"joins      {limit}" for limit in self.joins]
        lines += [f"protects   {schema.protected}", f"neighbors  {schema.neighbors}"]
        if question.keys:
            lines.append(f"groups     {self.groups_text('all released')}")
        lines.append(f"price      {self.price_text}")
        state = self.standing
        if state is not None:
            lines += [f"budget     {line}" for line in self._counted(state)]
        if self.price.selection is not None:
            mechanism = self.price.selection.mechanism
            lines.append(
                f"keys       {mechanism.name}: a group of {mechanism.half_point:,} "
                f"{_counted_noun(question)} appears with probability one half, one of a single "
                f"{_whose(question)} with at most δ. {_weighed_text(mechanism)}".removesuffix(". ")
            )
        if self.choosing_groups is not None:
            line = self.choosing_groups
            lines.append(
                f"choice     {line.mechanism}, {_part_text(line)}: before they are measured"
            )
        lines += [
            self._explained(line, output)
            for line, output in zip(self.lines, question.outputs, strict=True)
        ]
        lines += [
            f"{name:<10} {how}: computed from released numbers, {self._computed_size(name)}free"
            for name, how in self.computed
        ]
        steps = replace(question.query.after, columns=()).text
        if steps:
            lines.append(f"then       {steps}: done with released numbers, free")
        told = [note for note in self.notes_told(front) if note not in self.joins]
        lines += [f"note       {note}" for note in told]
        return "\n".join(lines)

    def _computed_size(self, name: str) -> str:
        margin = self.computed_margins.get(name)
        if margin is None:
            return ""
        if margin.value is None:
            return "± depends on rows, "
        return f"{margin.text} ({percent_text(self.confidence)}), "

    def groups_text(self, otherwise: str) -> str:
        """How many groups there are, and which of them are released; ``otherwise`` if all are."""
        cells, choice = self.question.cells, self.price.choice
        found = "found privately" if cells is None else f"{cells:,}"
        if choice is not None:
            return f"{found}, of which {choice.top.many:,} will be chosen and released"
        return found if cells is None else f"{found}, {otherwise}"

    def _explained(self, line: PlanLine, output: Output) -> str:
        question, priced = self.question, self.price.of(output.measure)
        margin = self._margins[line.output]
        level = percent_text(_CONFIDENCE if margin.of_rank else self.confidence)
        if margin.exact:
            return (
                f"{line.output:<10} {line.asks}: exact, ε = 0; the number of rows is public, since "
                "a neighbor has another row in the place of one"
            )
        size = "± depends on rows" if margin.value is None else f"{margin.text} ({level})"
        text = f"{line.output:<10} {line.asks}: {line.mechanism}, {size}, {_part_text(line)}"
        if not isinstance(priced, PricedMeasure):
            return f"{text}; released with the keys, at no further price"
        together = [
            other.name
            for other in question.outputs
            if other.measure == output.measure and other.name != output.name
        ]
        if together:
            text += f" together with {', '.join(together)}"
        reach = reach_text(output, self.price.unit)
        text += f"; one {_whose(question)} moves it by at most {reach}"
        if priced.instead is not None:
            step = output.measure.step(self.price.unit)
            text += f"; {priced.instead.described(step)} would be less exact"
        return text

    def _counted(self, state: Filter) -> list[str]:
        """By which of its two sums a budget counts the question."""
        budget, cost = state.budget, self.price.cost
        after = state.totals + cost
        lines = [self.budget_text] if self.budget_text else []
        if lines and budget.epsilon is not None and rho_allowance(budget):
            added = [named_number_text("ρ", cost.rho)]
            left = percent_text(max(Fraction(0), 1 - after.rho / rho_allowance(budget)))
            sums = [f"{left} is left by the sum of ρ"]
            if after.epsilon is not None:
                left = percent_text(max(Fraction(0), 1 - after.epsilon / budget.epsilon))
                sums.insert(0, f"{left} is left by the sum of ε")
            if cost.epsilon is not None:
                added.insert(0, named_number_text("ε", cost.epsilon))
            larger = ", of which the larger counts" if len(sums) > 1 else ""
            lines.append(f"it adds {' and '.join(added)}: {' and '.join(sums)}{larger}")
        return lines

    def __repr__(self) -> str:
        return "\n".join([*self._table.lines(), *self._below])

    def _repr_html_(self) -> str:
        return table_html(self._table, self._below, numbers=2)

    @property
    def _table(self) -> TextTable:
        header = ("output", "asks", "mechanism", self.margin_heading, self.currency)
        rows = (
            (line.output, line.asks, line.mechanism, line.margin_text, line.price)
            for line in self.priced_lines
        )
        return TextTable(header, tuple(rows), 1)

    @property
    def _below(self) -> list[str]:
        """What is said below the table: what is computed, notes, and the price."""
        text = []
        for name, how in self.computed:
            margin = self.computed_margins.get(name)
            size = "" if margin is None else f": {margin.text.replace('depends', '± depends')}"
            text.append(f"{name} = {how}, from released numbers{size}")
        text += [f"note: {note}" for note in self.notes]
        taken = self.budget_text
        costs = f"costs {self.price_text}{', ' if taken else ''}{taken}"
        text += [f"note: {self.not_covered}"] if self.not_covered else []
        return [*text, f"{costs}; nothing is spent until .release()"]

    @property
    def margin_heading(self) -> str:
        """The heading of the column of margins."""
        return f"± ({percent_text(self.confidence)})"

    @property
    def currency(self) -> str:
        """What the parts of the price are counted in: the heading of their column."""
        return "ε" if all(line.rho is None for line in self.lines) else "price"


def plan_from_data(data: Mapping[str, Any], schema: Schema) -> Plan | None:
    """The plan that ``Plan.to_data`` wrote; None if it has no meaning under these declarations."""
    try:
        question = checked_question(query_from_data(data["query"]), schema)
        return Plan(question, price_from_data(data["price"], question))
    except UNREADABLE:
        return None


def plan_anew(plan: Plan, schema: Schema) -> Plan | None:
    """The plan that these declarations make of a plan's query and price; None if it is another one.

    Nothing else of the plan is believed: somebody may have changed it.
    """
    try:
        made = plan_from_data(json.loads(json.dumps(plan.to_data())), schema)
    except UNREADABLE:
        return None
    same = made is not None and (made.question, made.price) == (plan.question, plan.price)
    return made if same else None


def make_plan(
    question: Question,
    *,
    epsilon: object = None,
    delta: object = 0,
    rho: object = None,
    spend: object = None,
    margin: Mapping[str, object] | None = None,
    weights: Mapping[str, object] | None = None,
    expect_rows: int | None = None,
    table: OpenTable | None = None,
    account: Account | None = None,
) -> Plan:
    """The price and the errors for ``epsilon``, ``rho`` or ``spend``, or for every ``margin``.

    ``spend`` is a part of the whole budget, such as "5%": it gets the noise with the smallest error
    that takes no more.  For margins it is the noise that takes the least of the budget; an
    ``epsilon``, ``rho`` or ``spend`` beside them is then the most that they may cost.  What is
    public costs nothing and needs none of them.  Outputs share the price in equal parts, and one
    with a weight of 2 among ``weights`` gets two; what is measured together has one part.
    ``account`` is what pays, if it is not the open ``table``.
    """
    check_rank_names(question)
    _one_price(epsilon=epsilon, rho=rho, spend=spend)
    if epsilon is None and rho is None and spend is None and margin is None and not question.free:
        raise _no_price()
    level = read_delta(delta)
    shares = None if weights is None else _weights(weights, question)
    payer = table if account is None else account
    state = None if payer is None else payer.standing()
    if rho is not None and state is not None and rho_allowance(state.budget) == 0:
        raise _no_rho(state.budget)
    if margin is not None:
        wanted = _WantedMargins(question, _read(question, margin, expect_rows), shares, expect_rows)
        price = _price_for_margins(wanted, level, state, epsilon, rho, spend)
    elif spend is not None:
        price = price_within(question, _limits(state, spend), level, shares)
    elif rho is not None:
        price = price_in_rho(question, read_rho(rho), level, shares)
    else:
        free = epsilon is None and question.free
        asked = Fraction(0) if free else read_epsilon(epsilon)
        price = price_question(question, asked, level, shares)
    if price.gaussian and price.promise is not None:
        price = _cheaper_charge(price, state)
    if price.choice is not None and state is not None and rho_allowance(state.budget) == 0:
        price = replace(price, choice=price.choice.flipped)  # where ε alone is counted
    profile = None if payer is None else payer.remembered_profile()
    return Plan(question, price, expect_rows, table, state, profile)


def _cheaper_charge(price: Price, state: Filter | None) -> Price:
    """The price charged as its noise, or as the ε and δ that it was made for if more is left then.

    Both are true of it.  The noise itself costs less unless little but ε is left.
    """
    if state is None:
        return price
    promised = replace(price, charged_as_promised=True)

    def left(one: Price) -> tuple[bool, Fraction]:
        after = state.totals + one.cost
        return within_budget(state.budget, after), share_left(state.budget, after)

    return promised if left(promised) > left(price) else price


def _no_price() -> PrivacyParameterError:
    return PrivacyParameterError(
        "no price is given. An answer costs privacy, and is the more exact the more it costs.",
        Remedy(
            python='Add spend="5%" for a part of the budget, epsilon=0.1, or margin={"n": 30} for '
            "the least price at which n is known to ±30.",
            sql="Write SET spend = '5%' for a part of the budget, or SET epsilon = 0.1.",
            command="Add --spend 5% for a part of the budget, --epsilon 0.5, or --margin n=5 for "
            "the least price at which n is known to ±5.",
        ),
    )


def _no_rho(budget: Budget) -> QueryError:
    return QueryError(
        f"the question is priced in ρ, and the budget {budget} counts ε alone. ρ stands for an ε "
        "only with a δ, which this budget does not have.",
        Remedy(
            python='Ask with epsilon=0.1 or spend="5%", or have a δ set.',
            sql="Write SET epsilon = 0.1 or SET spend = '5%', or have a δ set.",
            command="Ask with --epsilon 0.1 or --spend 5%, or set a δ by discreet budget set.",
        ),
        "Nothing was read or spent.",
    )


def _one_price(**prices: object) -> None:
    given = [name for name, value in prices.items() if value is not None]
    if len(given) > 1:
        raise PrivacyParameterError(
            f"{' and '.join(given)} are given. A question has one price, in ε, in ρ or as a part "
            "of the budget. Leave out all but one."
        )


def _limits(state: Filter | None, spend: object) -> SpendLimits:
    part = read_spend(spend)
    if state is None:
        raise QueryError(
            "spend is given, and the question is asked of no open table. It is a part of a table's "
            "budget.",
            Remedy(
                python='Give epsilon or rho, or ask a table: table.ask(…).plan(spend="5%").',
                sql="Write SET epsilon = 0.1 or SET rho = 0.001.",
                command="Give --epsilon or --rho, or a budget in the policy.",
            ),
        )
    return spend_limits(state.budget, state.totals, part)


def _price_for_margins(
    wanted: _WantedMargins,
    delta: Fraction,
    state: Filter | None,
    epsilon: object,
    rho: object,
    spend: object,
) -> Price:
    """The price that meets every margin and leaves most of the budget, within its ceiling."""
    limits = None if spend is None else _limits(state, spend)
    candidates = []
    gaussian = wanted.question.strategy is not None
    in_rho = rho is not None or (state is not None and rho_allowance(state.budget) > 0)
    in_rho = in_rho or (gaussian and state is None)
    in_epsilon = rho is None and (state is None or state.budget.epsilon is not None)
    if in_epsilon and (delta or not gaussian):
        candidates.append(wanted.price_in_epsilon(delta))
    if in_rho and epsilon is None:
        candidates.append(wanted.price_in_rho(delta))
    prices = [price for price in candidates if price is not None]
    if not prices:
        raise QueryError(
            "no price meets the margins, not even ε = 1000. Such an answer would protect nobody. "
            "Allow larger margins."
        )
    if state is None:
        best = prices[0]
    else:
        best = max(prices, key=lambda one: share_left(state.budget, state.totals + one.cost))
    _check_ceiling(best, epsilon, rho, spend, limits)
    return best


def _check_ceiling(
    price: Price, epsilon: object, rho: object, spend: object, limits: SpendLimits | None
) -> None:
    cost = price.cost
    ceiling = None
    if epsilon is not None and (price.epsilon or 0) > read_epsilon(epsilon):
        ceiling = named_number_text("ε", read_epsilon(epsilon))
    if rho is not None and cost.rho > read_rho(rho):
        ceiling = named_number_text("ρ", read_rho(rho))
    if limits is not None:
        fits = (
            limits.epsilon is not None
            and cost.epsilon is not None
            and cost.epsilon <= limits.epsilon
        ) or (limits.rho is not None and cost.rho <= limits.rho)
        if not fits:
            ceiling = f"{part_text(read_spend(spend))} of the budget"
    if ceiling is not None:
        raise BudgetExhaustedError(
            f"the margins need {price.text()}, and the ceiling is {ceiling}. A smaller error costs "
            "more privacy. Allow a larger margin, or a larger ceiling. Nothing was read or spent."
        )


def _weights(weights: Mapping[str, object], question: Question) -> dict[Measure, Fraction]:
    """The weights of measures: 1 unless stated, and of what is measured together the largest."""
    if not isinstance(weights, Mapping):
        raise QueryError(
            "weights is not a dictionary. It has a number for the name of an output, and one "
            "without a weight has 1.",
            Remedy(
                python='Write weights={"n": 2}.',
                sql="Write SET weights = 'n=2'.",
                command="Write --weight n=2.",
            ),
        )
    measures = {output.name: output.measure for output in question.outputs}
    shares: dict[Measure, Fraction] = {}
    for name, weight in weights.items():
        if name not in measures:
            raise _not_measured(f"a weight is given for {name[:60]!r}", name, question)
        number = rational(weight, f"the weight of {name}")
        if number <= 0:
            raise QueryError(
                f"the weight of {name!r} is not above 0. Every output needs some of the price. Use "
                "2 for twice the part of one without a weight."
            )
        shares[measures[name]] = max(shares.get(measures[name], number), number)
    return shares


def _not_measured(fact: str, name: str, question: Question) -> QueryError:
    """A price is for what is measured: a computed number, and a wrong name, are told apart."""
    computed = dict(question.after.columns)
    if name in computed:
        made_of = sorted(names_in([computed[name]]))
        return QueryError(
            f"{fact}, which is computed from released numbers. What they are computed from is "
            f"measured, and has the price and the noise. Name these: {', '.join(made_of)}."
        )
    names = ", ".join(output.name for output in question.outputs)
    return QueryError(
        f"{fact}, which is not asked. The names are those of the outputs: {names}. Correct the "
        "name."
    )


def _digest(question: Question) -> str:
    """What the groups are called: a public table that changes gives other answers."""
    labels = [
        None if isinstance(grouping, PrivateGrouping) else list(recorded_labels(grouping))
        for _, grouping in question.keys
    ]
    return sha256(json.dumps(labels).encode()).hexdigest()


def _weighed_text(found_by: KeySelection) -> str:
    """For whom it holds that so many people make a group appear, where that differs."""
    if not isinstance(found_by, WeightedThreshold):
        return ""
    half, ends = Fraction(1, 2), (1, found_by.groups)
    least, most = (found_by.people_for(half, keys) for keys in ends)
    many = plural(found_by.usual_keys, "group")
    return (
        f"These numbers are for people in {many} each. For 50 of 100 answers, {least:,} people in "
        f"no other group are enough; of people in {found_by.groups:,} groups it takes {most:,}."
    )


def _counted_noun(question: Question) -> str:
    """What a group has to have enough of to appear."""
    return "people" if question.schema.by_person else "rows"


def _whose(question: Question) -> str:
    return question.schema.unit if question.schema.by_person else "row"


def _by_keys(ways: int) -> str:
    """Which tables those by so many keys are."""
    if ways == 0:
        return "in the total"
    return f"by {ways} key{'' if ways == 1 else 's'}"


def part_text(part: Fraction) -> str:
    """A part of a budget, to two digits.

    >>> part_text(Fraction(1)), part_text(Fraction(1, 20)), part_text(Fraction(1, 3000))
    ('100%', '5%', '0.033%')
    """
    percent = float(100 * part)
    return f"{percent:.0f}%" if percent >= 10 else f"{percent:.2g}%"


def _taken(state: Filter, cost: Totals) -> Fraction:
    """By how much what is left of a budget falls when a question is paid."""
    before = share_left(state.budget, state.totals)
    return before - share_left(state.budget, state.totals + cost)


def _price_data(price: Price) -> dict[str, str]:
    """The price as it is hashed: in the currency that was asked."""
    if price.epsilon is not None:
        return {"epsilon": str(price.epsilon), "delta": str(price.delta)}
    return {"rho": str(price.cost.rho), "delta": str(price.delta)}


def _moved(sensitivity: MeasureSensitivity) -> int | dict[str, int]:
    """How far one unit moves a measure, as it is hashed: in L1, or squared in L2."""
    return {"squared_l2": sensitivity.squared_l2} if sensitivity.l1 is None else sensitivity.l1


def _part_text(line: PlanLine) -> str:
    if line.rho is not None:
        return named_number_text("ρ", line.rho)
    return named_number_text("ε", line.epsilon or Fraction(0))
