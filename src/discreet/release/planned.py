"""A plan: what a question will cost and how exact its answer will be.  Nothing is spent."""

import json
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from discreet.errors import QueryError
from discreet.exact import decimal_text, stated
from discreet.plan.blocks import Block, Output
from discreet.plan.check import Question
from discreet.plan.expressions import Named, shown
from discreet.plan.groupings import Unlisted
from discreet.release.accuracy import Margin, margin, mechanism_text, noise_text, reach_text
from discreet.release.price import Price, Priced
from discreet.release.remarks import in_no_group, too_few, undeclared

if TYPE_CHECKING:
    from discreet.release.answer import Release
    from discreet.release.table import Table


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


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A question with its price.  ``release`` pays exactly what is shown here.

    Neither data nor ledger are touched by making or reading a plan.
    """

    question: Question
    price: Price
    expect_rows: int | None = None
    opened: "Table | None" = field(default=None)

    @property
    def table(self) -> "Table":
        """The table that the question is about."""
        if self.opened is None:
            raise QueryError(
                "the plan belongs to no open table. A question is asked of a table. Make the plan "
                "with table.agg(…).plan(epsilon=1)."
            )
        return self.opened

    @property
    def epsilon(self) -> Fraction:
        """What it costs."""
        return self.price.epsilon

    @property
    def delta(self) -> Fraction:
        """The δ that it costs; 0 where only pure mechanisms are used."""
        return self.price.delta

    @cached_property
    def lines(self) -> list[Line]:
        """Each output with its mechanism, its margin at 95% and its part of ε."""
        first: dict[Block, str] = {}
        for output in self.question.outputs:
            first.setdefault(output.block, output.name)
        return [
            Line(
                output.name,
                output.aggregate.text,
                mechanism_text(output, self.question, self.price),
                margin(output, self.question, self.price, self.expect_rows),
                self.price.of(output.block).epsilon,
                None if first[output.block] == output.name else first[output.block],
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
        blocks = tuple(priced.block for priced in self.price.blocks)
        return self.table.engine().texts(self.question, blocks)

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
        self, *, key: str | None = None, analyst: str | None = None, source: Any = None
    ) -> "Release":
        """Pay what the plan shows, and answer.

        With a ``key``, a retry of the same question gets the same answer for free.
        """
        from discreet.release.table import answer

        return answer(self, key=key, analyst=analyst, source=source)

    @property
    def text(self) -> str:
        """The question as bytes are hashed from it: all that determines the answer."""
        data = {
            "version": 1,
            "table": self.question.schema.name,
            "question": self.question.query.text,
            "derived": [[name, str(node)] for name, node in self.question.query.derived],
            "source": str(self.question.source),
            "groups": _digest(self.question),
            "epsilon": str(self.price.epsilon),
            "delta": str(self.price.delta),
            "blocks": [
                [str(priced.block), str(priced.mechanism), priced.sensitivity]
                for priced in self.price.blocks
            ],
        }
        return json.dumps(data, sort_keys=True)

    def explain(self) -> str:
        """How the question is answered, step by step, with what each step assumes."""
        question = self.question
        schema = question.schema
        lines = [f"question   {question.query.text}", f"table      {schema.name}"]
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
            self._explained(line, output)
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

    def _explained(self, line: Line, output: Output) -> str:
        question, priced = self.question, self.price.of(output.block)
        if line.margin.exact:
            return (
                f"{line.output:<10} {line.asks}: exact, {stated('ε', line.epsilon)}; the number of "
                "rows is public, since a neighbor has another row in the place of one"
            )
        text = (
            f"{line.output:<10} {line.asks}: {line.mechanism}, {line.margin.text} (95%), "
            f"{stated('ε', line.epsilon)}"
        )
        if not isinstance(priced, Priced):
            return f"{text}; released with the keys, at no further price"
        together = [
            other.name
            for other in question.outputs
            if other.block == output.block and other.name != output.name
        ]
        if together:
            text += f" together with {', '.join(together)}"
        text += f"; one {_whose(question)} moves it by at most {reach_text(output, question)}"
        if priced.instead is not None:
            text += f"; {noise_text(priced.instead, output, question)} would be less exact"
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
        widths = [max(len(row[place]) for row in rows) for place in range(5)]
        text = [
            "  ".join(f"{part:<{width}}" for part, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        text += [f"{name} = {how}, from released numbers" for name, how in self.computed]
        text += [f"note: {note}" for note in self.notes]
        return "\n".join([*text, f"costs {self._price}; nothing is spent until .release()"])


def _digest(question: Question) -> str:
    """What the groups are called: a public table that changes gives other answers."""
    labels = [
        None if isinstance(grouping, Unlisted) else list(grouping.labels)
        for _, grouping in question.keys
    ]
    return sha256(json.dumps(labels).encode()).hexdigest()


def _whose(question: Question) -> str:
    return question.schema.unit if question.schema.by_person else "row"
