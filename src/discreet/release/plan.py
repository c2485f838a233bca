"""A plan: what a question will cost and how exact its answer will be.  Nothing is spent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING, Protocol

from discreet.errors import BudgetExhaustedError, Front, QueryError, Remedy
from discreet.exact import decimal_text, named_number_text, rational
from discreet.measures.measure import Measure, Output
from discreet.noise import BitSource
from discreet.plan.expressions import Named, expression_text
from discreet.privacy.estimates import Payment
from discreet.privacy.losses import PureDP, read_delta, read_epsilon
from discreet.question.check import Question
from discreet.question.groupings import PrivateGrouping
from discreet.release.price import Price, PricedMeasure, price_alone, price_question
from discreet.release.release import (
    check_rank_names,
    no_group_notes,
    small_group_notes,
    undeclared_value_notes,
)
from discreet.text_table import aligned

if TYPE_CHECKING:
    from discreet.engines.base import Engine
    from discreet.release.release import Release


_LEAST, _MOST = -6, 3  # powers of ten between which ε is looked for
_DIGITS = 90  # two-digit numbers per power of ten: 10 to 99


_NEEDS_ROWS = Remedy(
    python="needs expect_rows=", sql="needs a number of rows", command="needs --expect-rows"
)


@dataclass(frozen=True, slots=True)
class Margin:
    """A half width at 95%, in the answer's own unit; or, for quantiles, in rows of rank."""

    value: float | None
    of_rank: bool = False
    exact: bool = False

    @property
    def text(self) -> str:
        """As it stands in a plan.

        >>> Margin(3).text, Margin(12.5, of_rank=True).text, Margin(None).text
        ('± 3', 'rank ± 12 rows', 'needs expect_rows=')
        """
        return self.told(Front.PYTHON)

    def told(self, front: Front) -> str:
        """As it stands in a plan that a front shows."""
        if self.exact:
            return "exact"
        if self.value is None:
            return _NEEDS_ROWS.text(front)
        if self.value == inf:
            return "± ∞"
        if self.of_rank:
            return f"rank ± {self.value:,.0f} rows"
        return f"± {self.value:,.3g}" if self.value < 1000 else f"± {self.value:,.0f}"


def output_margin(
    output: Output, question: Question, price: Price, expect_rows: int | None = None
) -> Margin:
    """The margin that an output will have in each group.

    Means and variances have a margin only for a number of rows, which is private: it is stated
    for ``expect_rows`` rows in a group, all at one end of the range, where means are least exact.
    """
    noisy = output.measure.expected(output, question.unit, expect_rows)
    if noisy is None:
        return Margin(None)
    payment = Payment(PureDP(epsilon=price.epsilon))
    [found] = price.estimates(output, [noisy], question, payment, expect_rows)
    if found.rank_error is not None:
        return Margin(found.rank_error, of_rank=True)
    return Margin(found.margin, exact=found.exact)


def reach_text(output: Output, question: Question) -> str:
    """How far one unit can move an output over all groups together, in its own unit."""
    measure, unit = output.measure, question.unit
    size = measure.sensitivity(unit).l1 * measure.step(unit)
    return f"{float(size):,.6g}{measure.moves}"


def price_for_margins(
    question: Question,
    delta: Fraction,
    wanted: Mapping[str, object],
    weights: Mapping[Measure, Fraction] | None = None,
    expect_rows: int | None = None,
    ceiling: Fraction | None = None,
) -> Price:
    """The price with the least ε of two significant digits at which every margin is met."""
    outputs = _read(question, wanted, expect_rows)
    shares = weights or _own_shares(question, delta, outputs, expect_rows)

    def meets(epsilon: Fraction) -> bool:
        priced = price_question(question, epsilon, delta, shares)
        return all(
            (output_margin(output, question, priced, expect_rows).value or 0) <= bound
            for output, bound in outputs.items()
        )

    least = _least(meets)
    if ceiling is not None and (least is None or least > ceiling):
        needed = "more than 1000" if least is None else decimal_text(least)
        raise BudgetExhaustedError(
            f"the margins need ε = {needed}, and the ceiling is {decimal_text(ceiling)}. A smaller "
            "error costs more privacy. Allow a larger margin or a larger epsilon. Nothing was "
            "read or spent."
        )
    if least is None:
        raise QueryError(
            "no ε up to 1000 meets the margins. What is so exact protects nobody. Allow larger "
            "margins."
        )
    return price_question(question, least, delta, shares)


def _least(meets: Callable[[Fraction], bool]) -> Fraction | None:
    low, high = 0, (_MOST - _LEAST) * _DIGITS
    if not meets(_two_digits(high)):
        return None
    while low < high:
        middle = (low + high) // 2
        if meets(_two_digits(middle)):
            high = middle
        else:
            low = middle + 1
    return _two_digits(low)


def _two_digits(place: int) -> Fraction:
    """The numbers of two significant digits in order: 1.0e-6, 1.1e-6, …, 9.9e-6, 1.0e-5, …

    >>> _two_digits(0), _two_digits(89), _two_digits(90)
    (Fraction(1, 1000000), Fraction(99, 10000000), Fraction(1, 100000))
    """
    power, digits = divmod(place, _DIGITS)
    return Fraction(10 + digits, 10) * Fraction(10) ** (power + _LEAST)


def _own_shares(
    question: Question,
    delta: Fraction,
    outputs: Mapping[Output, Fraction],
    expect_rows: int | None,
) -> dict[Measure, Fraction] | None:
    """Where every measure has a margin, each gets the share of ε that its own margin needs."""
    measures = {output.measure for output in outputs}
    if question.selects_keys or measures != set(question.measures):
        return None
    shares = {}
    for measure in question.measures:
        own = [pair for pair in outputs.items() if pair[0].measure == measure]

        def meets(
            epsilon: Fraction,
            measure: Measure = measure,
            own: list[tuple[Output, Fraction]] = own,
        ) -> bool:
            priced = price_alone(measure, question.unit, epsilon, delta)
            return all(
                (output_margin(output, question, priced, expect_rows).value or 0) <= bound
                for output, bound in own
            )

        least = _least(meets)
        if least is None:
            return None
        shares[measure] = least
    return shares


def _read(
    question: Question, wanted: Mapping[str, object], expect_rows: int | None
) -> dict[Output, Fraction]:
    outputs = {output.name: output for output in question.outputs}
    if not wanted:
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
            raise QueryError(
                f"margin names {name!r}, which is not asked. Its names are those of the outputs: "
                f"{', '.join(outputs)}. Correct the name."
            )
        number = rational(bound, f"the margin of {name}")
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


class OpenTable(Protocol):
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
    margin: Margin
    epsilon: Fraction
    shared_with: str | None = None

    @property
    def price(self) -> str:
        """Its part of ε; outputs of one measurement share one, which is stated once."""
        return (
            decimal_text(self.epsilon) if self.shared_with is None else f"with {self.shared_with}"
        )


@dataclass(frozen=True, repr=False)
class Plan:
    """A question with its price: a value, for which neither data nor ledger are needed.

    ``table.release(plan)`` pays exactly what is shown here, and so does ``release`` of a plan that
    was made by asking a table.
    """

    question: Question
    price: Price
    expect_rows: int | None = None
    table: "OpenTable | None" = field(default=None, compare=False)
    """The open table that was asked, if one was."""

    def __post_init__(self) -> None:
        if not self.price.fits(self.question):
            raise QueryError(
                "the price is not one of the question. Noise is measured by what is asked and for "
                "whom it counts, and another question's would not protect them. Plan the question: "
                "table.ask(…).plan(epsilon=1)."
            )

    @property
    def epsilon(self) -> Fraction:
        """What it costs."""
        return self.price.epsilon

    @property
    def delta(self) -> Fraction:
        """The δ that it costs; 0 where only pure mechanisms are used."""
        return self.price.delta

    @property
    def measured(self) -> tuple[Measure, ...]:
        """What an engine is asked for."""
        return tuple(one.measure for one in self.price.priced)

    @cached_property
    def lines(self) -> list[PlanLine]:
        """Each output with its mechanism, its margin at 95% and its part of ε."""
        first: dict[Measure, str] = {}
        for output in self.question.outputs:
            first.setdefault(output.measure, output.name)
        return [
            PlanLine(
                output.name,
                output.aggregate.text,
                self.price.of(output.measure).described(self.question.unit),
                output_margin(output, self.question, self.price, self.expect_rows),
                self.price.of(output.measure).epsilon,
                None if first[output.measure] == output.name else first[output.measure],
            )
            for output in self.question.outputs
        ]

    @property
    def computed(self) -> list[tuple[str, str]]:
        """Columns that are computed from released numbers, and how: they cost nothing."""
        return [
            (name, expression_text(node))
            for name, node in self.question.after.columns
            if node != Named(name)
        ]

    @property
    def queries(self) -> list[str]:
        """The SQL that the engine will run, one text for each query; nothing is read or spent.

        Keys that are found privately are not known yet: one made-up group stands for them.
        """
        return self._asked().engine().texts(self.question, self.measured)

    def margins(self) -> dict[str, float | None]:
        """The margin of every output at 95%, per group; for quantiles, in rows of rank."""
        return {line.output: line.margin.value for line in self.lines}

    @property
    def notes(self) -> list[str]:
        """What to look at before paying, from public facts alone."""
        errors = {line.output: line.margin.value for line in self.lines if line.margin.of_rank}
        return [*self.remarks, *small_group_notes(errors, self.expect_rows)]

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What the answer says too: conditions and groups that may not mean what they seem to."""
        return (*undeclared_value_notes(self.question), *no_group_notes(self.question))

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

    def _asked(self) -> "OpenTable":
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
            "epsilon": str(self.price.epsilon),
            "delta": str(self.price.delta),
            "blocks": [
                [
                    priced_measure.measure.recorded,
                    str(priced_measure.mechanism),
                    priced_measure.sensitivity.l1,
                ]
                for priced_measure in self.price.priced
            ],
        }
        return json.dumps(data, sort_keys=True)

    def explain(self, front: Front = Front.PYTHON) -> str:
        """How the question is answered, step by step, with what each step assumes."""
        question = self.question
        schema = question.schema
        lines = [f"question   {question.text}", f"table      {schema.name}"]
        if question.query.source.text:
            lines.append(f"rows       {question.query.source.text}")
        if schema.by_person:
            lines.append(
                f"protects   each {schema.unit}, {schema.neighbors} neighbors; at most "
                f"{schema.max_groups} groups and {schema.max_rows} rows each, more are weighed down"
            )
        else:
            lines.append(f"protects   each row, {schema.neighbors} neighbors")
        cells = question.cells
        if question.keys:
            groups = "found privately" if cells is None else f"{cells:,}, all released"
            lines.append(f"groups     {groups}")
        lines.append(f"price      {self._price}")
        if self.price.selection is not None:
            mechanism = self.price.selection.mechanism
            lines.append(
                f"keys       {mechanism.name}: a group of {mechanism.half_point} people "
                "appears with probability one half, one of a single person with at most δ"
            )
        lines += [
            self._explained(line, output, front)
            for line, output in zip(self.lines, question.outputs, strict=True)
        ]
        lines += [
            f"{name:<10} {how}: computed from released numbers, free" for name, how in self.computed
        ]
        steps = replace(question.query.after, columns=()).text
        if steps:
            lines.append(f"then       {steps}: done with released numbers, free")
        lines += [f"note       {note}" for note in self.notes]
        return "\n".join(lines)

    def _explained(self, line: PlanLine, output: Output, front: Front) -> str:
        question, priced = self.question, self.price.of(output.measure)
        if line.margin.exact:
            return (
                f"{line.output:<10} {line.asks}: exact, {named_number_text('ε', line.epsilon)}; "
                "the number of rows is public, since a neighbor has another row in the place of one"
            )
        text = (
            f"{line.output:<10} {line.asks}: {line.mechanism}, {line.margin.told(front)} (95%), "
            f"{named_number_text('ε', line.epsilon)}"
        )
        if not isinstance(priced, PricedMeasure):
            return f"{text}; released with the keys, at no further price"
        together = [
            other.name
            for other in question.outputs
            if other.measure == output.measure and other.name != output.name
        ]
        if together:
            text += f" together with {', '.join(together)}"
        text += f"; one {_whose(question)} moves it by at most {reach_text(output, question)}"
        if priced.instead is not None:
            step = output.measure.step(question.unit)
            text += f"; {priced.instead.described(step)} would be less exact"
        return text

    @property
    def _price(self) -> str:
        delta = "" if self.delta == 0 else f", {named_number_text('δ', self.delta)}"
        return f"{named_number_text('ε', self.epsilon)}{delta}"

    def __repr__(self) -> str:
        rows = [("output", "asks", "mechanism", "± (95%)", "ε")]
        rows += [
            (
                line.output,
                line.asks,
                line.mechanism,
                line.margin.text.removeprefix("± "),
                line.price,
            )
            for line in self.lines
        ]
        text = aligned(rows)
        text += [f"{name} = {how}, from released numbers" for name, how in self.computed]
        text += [f"note: {note}" for note in self.notes]
        return "\n".join([*text, f"costs {self._price}; nothing is spent until .release()"])


def make_plan(
    question: Question,
    *,
    epsilon: object = None,
    delta: object = 0,
    margin: Mapping[str, object] | None = None,
    weights: Mapping[str, object] | None = None,
    expect_rows: int | None = None,
    table: "OpenTable | None" = None,
) -> Plan:
    """The price and the errors for ``epsilon``, or the least ε that meets every ``margin``.

    With both, ε is the ceiling; what is public costs nothing and needs neither.  ``weights`` say
    how outputs share ε; without them all have the same error relative to what one person can add.
    """
    check_rank_names(question)
    level = read_delta(delta)
    shares = None if weights is None else _weights(weights, question)
    if margin is not None:
        ceiling = None if epsilon is None else read_epsilon(epsilon)
        met_price = price_for_margins(question, level, margin, shares, expect_rows, ceiling)
        return Plan(question, met_price, expect_rows, table)
    free = epsilon is None and question.free
    priced = price_question(question, Fraction(0) if free else read_epsilon(epsilon), level, shares)
    return Plan(question, priced, expect_rows, table)


def _weights(weights: Mapping[str, object], question: Question) -> dict[Measure, Fraction]:
    measures = {output.name: output.measure for output in question.outputs}
    shares: dict[Measure, Fraction] = {}
    for name, weight in weights.items():
        if name not in measures:
            raise QueryError(
                f"weights names {name!r}, which is not asked. Each weight is that of an output: "
                f"{', '.join(measures)}. Correct the name."
            )
        number = rational(weight, f"the weight of {name}")
        if number <= 0:
            raise QueryError(
                f"the weight of {name!r} is not above 0. Every output needs some of ε. Use 1, or "
                "more for a smaller error."
            )
        # Outputs of one measure share its noise, so that the largest of their weights counts.
        shares[measures[name]] = max(shares.get(measures[name], number), number)
    missing = [name for name, measure in measures.items() if measure not in shares]
    if missing:
        raise QueryError(
            f"weights leaves out {missing[0]!r}. Either no output has a weight or each has one. "
            "Add it."
        )
    return shares


def _digest(question: Question) -> str:
    """What the groups are called: a public table that changes gives other answers."""
    labels = [
        None if isinstance(grouping, PrivateGrouping) else list(grouping.labels)
        for _, grouping in question.keys
    ]
    return sha256(json.dumps(labels).encode()).hexdigest()


def _whose(question: Question) -> str:
    return question.schema.unit if question.schema.by_person else "row"
