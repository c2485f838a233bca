"""A plan: what a question will cost and how exact its answer will be.  Nothing is spent."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from discreet.errors import Front, QueryError
from discreet.exact import decimal_text, rational, stated
from discreet.measures.measure import Measure, Output
from discreet.noise import BitSource
from discreet.plan.expressions import Named, shown
from discreet.privacy.parameters import read_delta, read_epsilon
from discreet.question.check import Question
from discreet.question.groupings import Unlisted
from discreet.release.margins import Margin, least_epsilon, margin, reach_text
from discreet.release.price import Price, Priced, price
from discreet.release.remarks import check_rank_names, in_no_group, too_few, undeclared
from discreet.text_table import aligned

if TYPE_CHECKING:
    from discreet.engines.measuring import Engine
    from discreet.release.answer import Release


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
class Line:
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
    def lines(self) -> list[Line]:
        """Each output with its mechanism, its margin at 95% and its part of ε."""
        first: dict[Measure, str] = {}
        for output in self.question.outputs:
            first.setdefault(output.measure, output.name)
        return [
            Line(
                output.name,
                output.aggregate.text,
                self.price.of(output.measure).described(self.question.unit),
                margin(output, self.question, self.price, self.expect_rows),
                self.price.of(output.measure).epsilon,
                None if first[output.measure] == output.name else first[output.measure],
            )
            for output in self.question.outputs
        ]

    @property
    def computed(self) -> list[tuple[str, str]]:
        """Columns that are computed from released numbers, and how: they cost nothing."""
        return [
            (name, shown(node)) for name, node in self.question.after.columns if node != Named(name)
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
        return [*self.remarks, *too_few(errors, self.expect_rows)]

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What the answer says too: conditions and groups that may not mean what they seem to."""
        return (*undeclared(self.question), *in_no_group(self.question))

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
                [one.measure.recorded, str(one.mechanism), one.sensitivity]
                for one in self.price.priced
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

    def _explained(self, line: Line, output: Output, front: Front) -> str:
        question, priced = self.question, self.price.of(output.measure)
        if line.margin.exact:
            return (
                f"{line.output:<10} {line.asks}: exact, {stated('ε', line.epsilon)}; the number of "
                "rows is public, since a neighbor has another row in the place of one"
            )
        text = (
            f"{line.output:<10} {line.asks}: {line.mechanism}, {line.margin.told(front)} (95%), "
            f"{stated('ε', line.epsilon)}"
        )
        if not isinstance(priced, Priced):
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
        delta = "" if self.delta == 0 else f", {stated('δ', self.delta)}"
        return f"{stated('ε', self.epsilon)}{delta}"

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


def planned(
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
        found = least_epsilon(question, level, margin, shares, expect_rows, ceiling)
        return Plan(question, found, expect_rows, table)
    free = epsilon is None and question.free
    priced = price(question, Fraction(0) if free else read_epsilon(epsilon), level, shares)
    return Plan(question, priced, expect_rows, table)


def _weights(weights: Mapping[str, object], question: Question) -> dict[Measure, Fraction]:
    measures = {output.name: output.measure for output in question.outputs}
    found: dict[Measure, Fraction] = {}
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
        found[measures[name]] = max(found.get(measures[name], number), number)
    missing = [name for name, measure in measures.items() if measure not in found]
    if missing:
        raise QueryError(
            f"weights leaves out {missing[0]!r}. Either no output has a weight or each has one. "
            "Add it."
        )
    return found


def _digest(question: Question) -> str:
    """What the groups are called: a public table that changes gives other answers."""
    labels = [
        None if isinstance(grouping, Unlisted) else list(grouping.labels)
        for _, grouping in question.keys
    ]
    return sha256(json.dumps(labels).encode()).hexdigest()


def _whose(question: Question) -> str:
    return question.schema.unit if question.schema.by_person else "row"
