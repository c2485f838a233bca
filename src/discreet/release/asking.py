"""A question being written: every step gives a new one, and nothing is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from discreet.errors import QueryError
from discreet.measures.measure import Aggregate
from discreet.plan.expressions import Named, Node, conjuncts, read_size, shown
from discreet.question.build import Asked, Binned, Expression, Labeled, col, expression
from discreet.question.check import Question, checked
from discreet.question.query import Key, Query
from discreet.release.planned import Plan, planned

if TYPE_CHECKING:
    from discreet.release.answer import Release
    from discreet.release.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Asking:
    """A question about a table, not yet priced."""

    table: "Table"
    query: Query = field(default_factory=Query)

    def __repr__(self) -> str:
        return f"{self.table.name}: {self.query.text or 'all rows'}"

    def where(self, *conditions: Any) -> "Asking":
        """Only the rows for which every condition is true."""
        given = [self._row_expression(one) for one in conditions]
        nodes = [read_size(part) for one in given for part in conjuncts(one)]
        return self._with(where=(*self.query.where, *nodes))

    def with_columns(self, **derived: Any) -> "Asking":
        """Columns computed from others, row by row."""
        nodes = tuple(
            (name, read_size(self._row_expression(value))) for name, value in derived.items()
        )
        return self._with(derived=(*self.query.derived, *nodes))

    def group_by(self, *keys: Any) -> "Asking":
        """One answer per group."""
        return self._with(keys=(*self.query.keys, *map(_key, keys)))

    def agg(self, *aggregates: Any, **named: Any) -> "Asking":
        """What is asked of every group."""
        outputs = [(_output_name(one), _aggregate(one)) for one in aggregates]
        outputs += [(name, _aggregate(one)) for name, one in named.items()]
        return self._with(outputs=(*self.query.outputs, *outputs))

    def top(self, count: int) -> "Asking":
        """Only the most common groups, by the first released count."""
        if type(count) is not int or count < 1 or not self.query.keys:
            raise QueryError(
                "top needs groups and a whole number from 1 up. It keeps the most common groups. "
                'Write .group_by("ward").agg(n=dp.rows()).top(3).'
            )
        counted = [name for name, asked in self.query.outputs if asked.statistic.sizes]
        if not counted:
            raise QueryError(
                "top is asked without a count. The most common groups are those with the largest "
                "released count. Add n=dp.people() or n=dp.rows() to agg, before top."
            )
        after = replace(self.query.after, order=((Named(counted[0]), True),), limit=count)
        return self._with(after=after)

    @cached_property
    def question(self) -> Question:
        """What is asked, checked once against what was declared of the table."""
        return checked(self.query, self.table.schema)

    @property
    def free(self) -> bool:
        """Whether all that is asked is public, so that it is answered exactly for ε = 0."""
        return self.question.free

    def plan(
        self,
        *,
        epsilon: object = None,
        delta: object = 0,
        margin: Mapping[str, object] | None = None,
        weights: Mapping[str, object] | None = None,
        expect_rows: int | None = None,
    ) -> Plan:
        """The price and the errors for ``epsilon``, or the least ε that meets every ``margin``.

        With both, ε is the ceiling; what is public costs nothing and needs neither.  ``weights``
        say how outputs share ε; without them all have the same error relative to what one person
        can add.  Means and variances need ``expect_rows``, the number of rows expected in a group,
        to have a margin.
        """
        return planned(
            self.question,
            epsilon=epsilon,
            delta=delta,
            margin=margin,
            weights=weights,
            expect_rows=expect_rows,
            table=self.table,
        )

    def release(
        self,
        *,
        epsilon: object = None,
        delta: object = 0,
        margin: Mapping[str, object] | None = None,
        weights: Mapping[str, object] | None = None,
        expect_rows: int | None = None,
        key: str | None = None,
        analyst: str | None = None,
    ) -> "Release":
        """Plan, pay and answer."""
        plan = self.plan(
            epsilon=epsilon, delta=delta, margin=margin, weights=weights, expect_rows=expect_rows
        )
        return plan.release(key=key, analyst=analyst)

    def _row_expression(self, value: Any) -> Node:
        if isinstance(value, str):
            from discreet.sql.text import parse_expression

            return parse_expression(value, self.table.name)
        return expression(value).node

    def _with(self, **changes: Any) -> "Asking":
        return Asking(self.table, replace(self.query, **changes))


def _key(value: Any) -> Key:
    if isinstance(value, str):
        return Key(value, col(value).node)
    if isinstance(value, Binned | Labeled | Expression):
        read_size(value.node)
    if isinstance(value, Binned):
        return Key(value.name or shown(value.node), value.node, value.edges, value.dated)
    if isinstance(value, Labeled):
        return Key(value.name, value.node)
    if isinstance(value, Expression):
        node = value.node
        return Key(node.name if isinstance(node, Named) else shown(node), node)
    raise QueryError(
        f"group_by got a {type(value).__name__}. Rows are grouped by columns, expressions or bins. "
        'Write group_by("ward") or group_by(dp.col("age").bins([0, 18, 65, 120])).'
    )


def _aggregate(value: Any) -> Aggregate:
    if isinstance(value, Asked):
        if value.aggregate.of is not None:
            read_size(value.aggregate.of)
        return value.aggregate
    raise QueryError(
        f"agg got a {type(value).__name__}, which is not an aggregate. Only statistics of groups "
        'are released, never rows. Write n=dp.rows() or mean_stay=dp.col("stay").mean().'
    )


def _output_name(value: Any) -> str:
    aggregate = _aggregate(value)
    if value.name is not None:
        return str(value.name)
    inner = "" if aggregate.of is None else f"_{shown(aggregate.of)}"
    return f"{aggregate.statistic}{inner}"
