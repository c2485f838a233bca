"""An open table, and questions about it.  The answer is made along one line, ``answer``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from discreet.accounting.filters import Filter
from discreet.accounting.filters import charge as charge_of
from discreet.engines.base import Engine, guarded
from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    DataError,
    DiscreetError,
    LedgerCorruptError,
    QueryError,
    Remedy,
    UnsafeRandomnessError,
)
from discreet.exact import decimal_above, decimal_text, exact_text
from discreet.ledger import Charge, Entry, Ledger
from discreet.ledger.balances import Balance
from discreet.measures.measure import Aggregate, Measure
from discreet.noise import BitSource, Keystream
from discreet.plan.expressions import (
    Chosen,
    Constant,
    Named,
    Node,
    conjuncts,
    expression_text,
    names_in,
    read_size,
    replaced,
)
from discreet.plan.schema import NumberColumn, Schema, schema_from_data
from discreet.plan.types import unknown_column
from discreet.privacy.estimates import Estimates, Payment
from discreet.privacy.losses import read_epsilon
from discreet.question.arrangements import cube_of, distribution_of, running_total_of
from discreet.question.builder import (
    AggregateExpression,
    Binned,
    ComputedNumber,
    Distribution,
    Expression,
    Labeled,
    as_expression,
    col,
    rows,
)
from discreet.question.check import Question, checked_question
from discreet.question.consistency import read_consistent
from discreet.question.groupings import dated_labels
from discreet.question.query import GroupKey, PostProcessing, Query
from discreet.release.caps import SuggestedCaps, suggest_caps
from discreet.release.certificate import UNANSWERED, Certificate
from discreet.release.info import TableInfo, table_info
from discreet.release.kept_answer import NoisyMeasurements
from discreet.release.plan import KeyedAccount, Plan, make_plan, plan_anew, plan_from_data
from discreet.release.price import Price, PricedKeySelection, PricedMeasure
from discreet.release.profile import Profile, check_key, plan_profile, profile_key, remembered
from discreet.release.release import LEFT_OUT, Release
from discreet.release.run import (
    groups_and_estimates,
    key_type,
    run_and_noise,
    typical_columns,
)
from discreet.release.top_groups import PricedChoice
from discreet.release.ungrouped import no_group_share

if TYPE_CHECKING:
    from discreet.release.listings import Listing
    from discreet.release.release import Release


_LARGEST = 50
_SMALLEST = -10


@dataclass(frozen=True, eq=False, repr=False)
class QuestionBuilder:
    """A question about a table that has no price yet."""

    table: "Table"
    query: Query = field(default_factory=Query)

    def __repr__(self) -> str:
        return f"{self.table.name}: {self.query.text or 'all rows'}"

    def where(self, *conditions: Any) -> "QuestionBuilder":
        """Only the rows for which every condition is true."""
        given = [self._row_expression(one) for one in conditions]
        nodes = [read_size(part) for one in given for part in conjuncts(one)]
        return self._with(where=(*self.query.where, *nodes))

    def with_columns(self, **derived: Any) -> "QuestionBuilder":
        """Columns computed from others, row by row."""
        nodes = tuple(
            (name, read_size(self._row_expression(value))) for name, value in derived.items()
        )
        return self._with(derived=(*self.query.derived, *nodes))

    def group_by(self, *keys: Any, consistent: object = None) -> "QuestionBuilder":
        """One answer per group; ``consistent="non-negative"`` shows a count below 0 as 0."""
        return self._with(
            keys=(*self.query.keys, *map(_key, keys)), after=self._fitting(consistent)
        )

    def agg(self, *aggregates: Any, **named: Any) -> "QuestionBuilder":
        """What is asked of every group, also numbers computed from several aggregates.

        ``agg(n=dp.rows(), share=dp.rows(dp.col("smoker")) / dp.rows())``: aggregates are paid once,
        and what is computed from them is free.
        """
        asked = [*((_output_name(one), one) for one in aggregates), *named.items()]
        if any(isinstance(one, Distribution) for _, one in asked):
            return self._distributed(asked)
        return self._with(
            outputs=(outputs := _with_outputs(self.query.outputs, asked)),
            after=replace(self.query.after, columns=_with_columns(self.query, outputs, asked)),
        )

    def _distributed(self, asked: list[tuple[str, Any]]) -> "QuestionBuilder":
        """The one distribution that is asked for."""
        (name, one), *others = asked
        query = self.query
        if others or query.outputs or query.arranged is not None:
            raise QueryError(
                "a distribution is asked beside other things. It is measured as running totals, "
                'in a question of its own. Write .agg(share=dp.col("x").cdf(step=1)).'
            )
        return replace(self, query=distribution_of(query, name, one, self.table.schema.columns))

    def capped(
        self,
        *,
        max_rows: int | None = None,
        max_groups: int | None = None,
        max_rows_per_group: int | None = None,
    ) -> "QuestionBuilder":
        """Lower caps than the table's, for this question: less noise, and more is left out."""
        given = {
            "max_rows": max_rows,
            "max_groups": max_groups,
            "max_rows_per_group": max_rows_per_group,
        }
        caps = {name: cap for name, cap in given.items() if cap is not None}
        lowered = tuple((dict(self.query.caps) | caps).items())
        return replace(self, query=replace(self.query, caps=lowered))  # beside SQL that was typed

    def cube(
        self,
        *keys: Any,
        ways: int | None = None,
        weights: Mapping[int, object] | None = None,
        consistent: object = None,
    ) -> "QuestionBuilder":
        """Tables by all of the keys, by some of them, and by none, whose totals agree.

        ``ways`` is by how many keys at most: ``cube("sex", "ward", "age", ways=2)`` has the tables
        by two of them, by one, and the total.  A key whose values are all counted together has
        None for a label.  Of the price each table gets what makes the sum of all variances least;
        ``weights={0: 10, 1: 2}`` counts those of the total ten times, of tables by one key twice.
        With ``consistent="non-negative"`` counts are moved so that none is below 0: totals agree as
        they did, the grand total is kept, and then those by the first keys are moved least.
        """
        asked = tuple(map(_key, keys))
        return self._with(
            keys=(*self.query.keys, *asked),
            arranged=cube_of(self.query.keys, len(asked), ways, weights),
            after=self._fitting(consistent),
        )

    def cumulative(self, key: str | None = None, *, consistent: object = None) -> "QuestionBuilder":
        """Running totals: every group is added to those before it, in the order of a key.

        Unless stated, the last one.  All totals have one noise, so that a difference of two of them
        is the sum of the groups between with a right error.  With ``consistent="non-negative"``
        totals of counts are moved so that they never fall; the last one is kept.
        """
        arranged = running_total_of(self.query, key)
        return self._with(arranged=arranged, after=self._fitting(consistent))

    def _fitting(self, consistent: object) -> PostProcessing:
        """What is done after the noise, with what makes counts fit together."""
        wanted = read_consistent(consistent) or self.query.after.nonnegative
        return replace(self.query.after, nonnegative=wanted)

    def top(self, count: int) -> "QuestionBuilder":
        """Only the most common groups, by the first released count."""
        if type(count) is not int or count < 1 or not self.query.keys:
            raise QueryError(
                "top needs groups and a whole number from 1 up. It keeps the most common groups. "
                'Write .group_by("x").agg(n=dp.rows()).top(3).'
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
        return checked_question(self.query, self.table.schema)

    @property
    def free(self) -> bool:
        """Whether all that is asked is public, so that it is answered exactly for ε = 0."""
        return self.question.free

    def plan(
        self,
        *,
        epsilon: object = None,
        delta: object = 0,
        rho: object = None,
        spend: object = None,
        margin: Mapping[str, object] | None = None,
        weights: Mapping[str, object] | None = None,
        expect_rows: int | None = None,
    ) -> Plan:
        """The price and the errors for ``epsilon``, ``rho`` or ``spend``, or for every ``margin``.

        ``spend`` is a part of the whole budget, such as "5%": the question gets the noise with the
        smallest error that takes no more of it.  ``rho`` is zCDP, for Gaussian noise.  For margins
        the noise is chosen that takes the least of the budget; an ``epsilon``, ``rho`` or ``spend``
        beside them is then the ceiling.  What is public costs nothing and needs none of them.
        Outputs share the price in equal parts; one with ``weights={"n": 2}`` gets two.  Means and
        variances need ``expect_rows``, the number of rows expected in a group, to have a margin.
        """
        return make_plan(
            self.question,
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            spend=spend,
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
        rho: object = None,
        spend: object = None,
        margin: Mapping[str, object] | None = None,
        weights: Mapping[str, object] | None = None,
        expect_rows: int | None = None,
        key: str | None = None,
        analyst: str | None = None,
    ) -> "Release":
        """Plan, pay and answer."""
        plan = make_plan(
            self.question,
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            spend=spend,
            margin=margin,
            weights=weights,
            expect_rows=expect_rows,
            table=self.table,
            account=KeyedAccount(self.table, analyst, key),
        )
        return plan.release(key=key, analyst=analyst)

    def _row_expression(self, value: Any) -> Node:
        if isinstance(value, str):
            from discreet.sql.read.expressions import parse_expression

            return parse_expression(value, self.table.name)
        return as_expression(value).node

    def _with(self, **changes: Any) -> "QuestionBuilder":
        return QuestionBuilder(self.table, replace(self.query, **changes, written=""))


def _key(value: Any) -> GroupKey:
    if isinstance(value, str):
        return GroupKey(value, col(value).node)
    if isinstance(value, Binned | Labeled | Expression):
        read_size(value.node)
    if isinstance(value, Binned):
        return GroupKey(
            value.name or expression_text(value.node), value.node, value.edges, value.dated
        )
    if isinstance(value, Labeled):
        return GroupKey(value.name, value.node)
    if isinstance(value, Expression):
        node = value.node
        return GroupKey(node.name if isinstance(node, Named) else expression_text(node), node)
    raise QueryError(
        f"group_by got a {type(value).__name__}. Rows are grouped by columns, expressions or bins. "
        'Write group_by("x") or group_by(dp.col("y").bins([0, 18, 65, 120])).'
    )


def _aggregate(value: Any) -> Aggregate:
    if isinstance(value, AggregateExpression):
        if value.aggregate.of is not None:
            read_size(value.aggregate.of)
        return value.aggregate
    raise QueryError(
        f"agg got a {type(value).__name__}, which is not an aggregate. Only statistics of groups "
        'are released, never rows. Write n=dp.rows() or mean=dp.col("x").mean().'
    )


def _output_name(value: Any) -> str:
    if isinstance(value, ComputedNumber | Distribution):
        if isinstance(value, ComputedNumber) and value.name is not None:
            return value.name
        raise QueryError(
            "agg got a number that is computed from aggregates, without a name. It has none of its "
            "own. Write share=dp.rows(paid) / dp.rows()."
        )
    aggregate = _aggregate(value)
    return _plain_name(aggregate) if value.name is None else str(value.name)


def _plain_name(aggregate: Aggregate) -> str:
    match aggregate.of:
        case None:
            return str(aggregate.statistic)
        case Chosen(condition, Constant(Fraction()), Constant(None)):  # rows(condition)
            return f"{aggregate.statistic}_where_{expression_text(condition)}"
        case other:
            return f"{aggregate.statistic}_{expression_text(other)}"


_Outputs = tuple[tuple[str, Aggregate], ...]


def _with_outputs(before: _Outputs, asked: Sequence[tuple[str, Any]]) -> _Outputs:
    """What is measured: all aggregates that are asked for, and those that are computed with."""
    outputs = list(before)
    outputs += [(name, _aggregate(one)) for name, one in asked if not _is_computed(one)]
    taken = {name for name, _ in [*outputs, *asked]}
    inside = [part for _, one in asked if _is_computed(one) for part in one.aggregates]
    for aggregate in dict.fromkeys(inside):
        if all(one != aggregate for _, one in outputs):
            name = _plain_name(aggregate)
            while name in taken:
                name = f"{name}_"
            taken.add(name)
            outputs.append((name, aggregate))
    return tuple(outputs)


def _with_columns(
    query: Query, outputs: _Outputs, asked: Sequence[tuple[str, Any]]
) -> tuple[tuple[str, Node], ...]:
    """The columns that are shown, where some are computed; none says that all outputs are."""
    columns = query.after.columns
    if not columns and not any(_is_computed(one) for _, one in asked):
        return ()
    if not columns:
        columns = tuple(_as_columns(query.outputs))
    texts: dict[str, Node] = {}
    for name, aggregate in reversed(outputs):
        texts[aggregate.text] = Named(name)
    for name, one in asked:
        if _is_computed(one):
            columns = (*columns, (name, replaced(one.node, texts)))
        else:
            columns = (*columns, *_as_columns([(name, one.aggregate)]))
    return columns


def _is_computed(value: Any) -> bool:
    return isinstance(value, ComputedNumber)


def _as_columns(outputs: Iterable[tuple[str, Aggregate]]) -> list[tuple[str, Node]]:
    return [(one, Named(one)) for name, asked in outputs for one, _, _ in asked.columns(name)]


@dataclass(frozen=True, slots=True)
class SuggestedBounds:
    """Suggested bounds of a column, with the line to declare them by."""

    column: str
    low: int | float
    high: int | float
    share: float
    epsilon: Fraction

    @property
    def line(self) -> str:
        """What to write into the policy."""
        return f"{self.column} = {{ low = {self.low:g}, high = {self.high:g} }}"

    def __str__(self) -> str:
        return (
            f"{self.line}   # found privately for ε = {float(self.epsilon):g}; about "
            f"{self.share:.0%} of what was found lies between them. Widen them to what you know."
        )


def suggest_bounds(
    table: "Table", column: str, *, epsilon: object, analyst: str | None
) -> SuggestedBounds:
    """Bounds that hold most values of a column, from a noisy histogram over powers of two.

    The bins are public.  A person's rows count as one row together, whatever the caps are, so that
    there is as little noise as can be.  Proof: docs/proofs/suggestions.md
    """

    declared = table.schema.columns
    if column not in declared:
        raise unknown_column(column, declared)
    declared_column = declared[column]
    if not isinstance(declared_column, NumberColumn) or declared_column.dated:
        raise QueryError(
            f"bounds are asked for {column!r}, which is not a column of numbers. Only numbers are "
            "clipped to bounds. Declare it as dp.number() first."
        )
    powers = [Fraction(2) ** power for power in range(_SMALLEST, _LARGEST + 1)]
    edges = [-power for power in reversed(powers)] + [Fraction(0)] + powers
    key = GroupKey(column, col(column).node, tuple(edges))
    least = (("max_groups", 1), ("max_rows", 1)) if table.schema.by_person else ()
    asked = Query(keys=(key,), outputs=(("n", rows().aggregate),), caps=least)
    question = checked_question(asked, table.schema)
    cells = answer(make_plan(question, epsilon=epsilon), table, analyst=analyst)["n"]
    if not isinstance(cells, Estimates):
        raise TypeError("a histogram has several cells")
    counts = [float(cell.value) for cell in cells.values()]
    standing = [place for place, ends in enumerate(cells.simultaneous().values()) if ends[0] > 0]
    if not standing:
        raise QueryError(
            f"no range of {column!r} stands out of the noise. There are too few values for this ε. "
            "Use bounds that you know, or spend more. What was paid stays paid."
        )
    usual = float(next(iter(cells.values())).noise_margin or 0) * 2 / 3
    first, last = _widened(standing[0], standing[-1], counts, usual)
    low, high = edges[first], edges[last + 1]
    low = Fraction(0) if 0 < low <= high / 4 else low
    inside = sum(counts[first : last + 1])
    share = min(1.0, inside / max(inside, sum(counts)))
    return SuggestedBounds(column, _plain(low), _plain(high), share, read_epsilon(epsilon))


def _widened(first: int, last: int, counts: Sequence[float], usual: float) -> tuple[int, int]:
    """From bins that surely hold values outwards, while bins hold more than noise usually makes."""
    while first > 0 and counts[first - 1] > usual:
        first -= 1
    while last < len(counts) - 1 and counts[last + 1] > usual:
        last += 1
    return first, last


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


class Table:
    """A private table: its declarations, its ledger, and a source that is read after a charge.

    Ask with ``where``, ``with_columns``, ``group_by`` and ``agg``; see the price with ``plan``; pay
    and get the answer with ``release``.
    """

    def __init__(self, engine: Engine, schema: Schema, ledger: Ledger) -> None:
        self._engine = engine
        self.schema = schema
        self.ledger = ledger
        self.declared = schema.to_data()
        """What the ledger was told of the table: every charge is for these declarations."""

    def __repr__(self) -> str:
        whose = f"each {self.schema.unit}" if self.schema.by_person else "each row"
        return f"Table({self.schema.name!r}, protects {whose}, {self.budget})"

    def _repr_html_(self) -> str:
        return self.info()._repr_html_()

    def __getitem__(self, name: object) -> NoReturn:
        raise _never_rows()

    def __iter__(self) -> NoReturn:
        raise _never_rows()

    def __len__(self) -> NoReturn:
        raise _never_rows()

    def __bool__(self) -> bool:
        return True

    @property
    def name(self) -> str:
        """The identity that the ledger knows it by."""
        return self.schema.name

    @property
    def budget(self) -> Balance:
        """What was spent and what is left."""
        return self.ledger.balance(self.name)

    def info(self) -> TableInfo:
        """What may be asked, with an example for each column, and what not: free."""
        return table_info(self.schema, self.standing())

    def standing(self, *, analyst: str | None = None, key: str | None = None) -> Filter:
        """The budget, and what counts against it now; with a key, before its question was paid."""
        return self.ledger.standing(self.name, analyst=analyst, key=key)

    def where(self, *conditions: Any) -> QuestionBuilder:
        """Only the rows for which every condition is true; SQL such as "stay > 2" will do."""
        return QuestionBuilder(self).where(*conditions)

    def with_columns(self, **derived: Any) -> QuestionBuilder:
        """Columns computed from others, row by row."""
        return QuestionBuilder(self).with_columns(**derived)

    def group_by(self, *keys: Any, consistent: object = None) -> QuestionBuilder:
        """One answer per group: by columns, expressions, or ``dp.col("age").bins([0, 18, 65])``.

        ``consistent="non-negative"`` shows a count below 0 as 0.
        """
        return QuestionBuilder(self).group_by(*keys, consistent=consistent)

    def cube(
        self,
        *keys: Any,
        ways: int | None = None,
        weights: Mapping[int, object] | None = None,
        consistent: object = None,
    ) -> QuestionBuilder:
        """Tables by all of the keys, by some, and by none, whose totals agree.

        With ``consistent="non-negative"`` no count in them is below 0.
        """
        asked = QuestionBuilder(self)
        return asked.cube(*keys, ways=ways, weights=weights, consistent=consistent)

    def agg(self, *aggregates: Any, **named: Any) -> QuestionBuilder:
        """What is asked of every group, by name: ``agg(patients=dp.people())``."""
        return QuestionBuilder(self).agg(*aggregates, **named)

    def sql(
        self,
        text: str,
        *,
        epsilon: object = None,
        delta: object = 0,
        rho: object = None,
        spend: object = None,
        margin: Mapping[str, object] | None = None,
        weights: Mapping[str, object] | None = None,
        expect_rows: int | None = None,
        max_rows: int | None = None,
        max_groups: int | None = None,
        key: str | None = None,
        analyst: str | None = None,
        parameters: Mapping[str, object] | None = None,
        consistent: object = None,
    ) -> "Release | Plan | Listing":
        """The answer to a SELECT about this table; of EXPLAIN SELECT the plan, which is free.

        SHOW TABLES, SHOW COLUMNS and DESCRIBE list what is declared, which is free, too.

        ``max_rows`` and ``max_groups`` are lower caps than the table's, for this question.
        ``parameters`` are the values of names in the text that have a colon in front:
        ``"… WHERE age > :age", parameters={"age": 30}``.  They are written into the question.
        ``consistent="non-negative"`` moves counts so that none is below 0 and totals agree.
        """
        from discreet.release.listings import read_listing
        from discreet.sql.read.parameters import bind_names
        from discreet.sql.read.parser import is_listing
        from discreet.sql.read.select import explained

        if is_listing(text):
            return read_listing(text, self.schema)
        text = bind_names(text, parameters)
        question = explained(text)
        asking = self.ask(text if question is None else question, consistent=consistent)
        if max_rows is not None or max_groups is not None:
            asking = asking.capped(max_rows=max_rows, max_groups=max_groups)
        price: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "rho": rho, "spend": spend}
        price |= {"margin": margin, "weights": weights, "expect_rows": expect_rows}
        if question is not None:
            return asking.plan(**price)
        return asking.release(key=key, analyst=analyst, **price)

    def ask(
        self,
        text: str,
        parameters: Mapping[str, object] | None = None,
        *,
        consistent: object = None,
    ) -> QuestionBuilder:
        """A SELECT as a question that can be planned: ``table.ask("SELECT …").plan(epsilon=1)``.

        ``consistent="non-negative"`` moves counts so that none is below 0 and totals agree.
        """
        from discreet.sql.read.parameters import bind_names
        from discreet.sql.read.select import parse_select

        query = parse_select(bind_names(text, parameters), self.schema)
        if consistent is not None:
            after = replace(query.after, nonnegative=read_consistent(consistent))
            query = replace(query, after=after)
        return QuestionBuilder(self, query)

    def suggest_bounds(
        self, column: str, *, epsilon: object, analyst: str | None = None
    ) -> SuggestedBounds:
        """Bounds of a column that was declared without, found privately and paid for."""
        return suggest_bounds(self, column, epsilon=epsilon, analyst=analyst)

    def profile(
        self,
        *,
        spend: object = None,
        epsilon: object = None,
        rho: object = None,
        by: Sequence[str] | None = None,
        rows_in_a_group: bool = False,
        again: bool = False,
        analyst: str | None = None,
    ) -> Profile:
        """How many people have how many rows, and are in how many groups of each column.

        It is paid for once for each ``version`` of the data, at the first call with a price; ever
        after it is free, and answers and plans say with it what the caps leave out.  ``by`` are the
        columns, all categories and texts unless stated; fewer of them mean less noise.  With
        ``rows_in_a_group`` also how many rows people have in their fullest group.  ``again`` pays
        for another one.
        """
        known, number = remembered(self.ledger, self.schema)
        asked = not (spend is None and epsilon is None and rho is None)
        if known is not None and not (again and asked):
            return known
        plan = plan_profile(
            self.schema,
            lambda: self.standing(analyst=analyst),
            epsilon=epsilon,
            rho=rho,
            spend=spend,
            by=by,
            in_a_group=rows_in_a_group,
        )
        request: dict[str, Any] = {
            "event": plan.event,
            "question": plan.text,
            "analyst": analyst,
            "key": profile_key(self.schema, number + 1),
            "neighbors": self.schema.neighbors,
            "details": self.declared,
        }
        bits, engine = Keystream(), self._engine
        self.ledger.check(self.name, **request)
        with plan.prepared(engine):
            charge = self.ledger.charge(self.name, **request, summary=plan.summary)
            self.ledger.answer(
                charge, lambda: guarded(lambda: plan.run(engine, bits)), safe=bits.safe
            )
        made = self.remembered_profile()
        if made is None:
            raise LedgerCorruptError(
                "the profile is not in the ledger in which it was released. Answers are never "
                "removed. Run discreet ledger verify, and restore a backup that it accepts."
            )
        return made

    def suggest_caps(self, *, epsilon: object = None) -> SuggestedCaps:
        """Caps that suit questions at this ε, by the profile of the table: free.

        Unless stated, for questions that cost a tenth of the budget.
        """
        known = self.remembered_profile()
        if known is None:
            raise QueryError(
                "caps are asked for, and the table has no profile. How many people have how many "
                'rows is paid for once. Ask for it first: table.profile(spend="5%").'
            )
        if epsilon is None:
            budget = self.standing().budget.epsilon
            if budget is None:
                raise QueryError(
                    "caps are suggested for the price of a question, and the budget has no ε. More "
                    "noise asks for lower caps.",
                    Remedy(
                        python="Write table.suggest_caps(epsilon=0.1).",
                        sql="",
                        command="Add --for-epsilon 0.1.",
                    ),
                )
            epsilon = budget / 10
        return suggest_caps(known, self.schema, epsilon)

    def remembered_profile(self) -> Profile | None:
        """The profile of this version of the data, if one was paid for: free."""
        return remembered(self.ledger, self.schema)[0]

    def release(
        self,
        plan: Plan,
        *,
        key: str | None = None,
        analyst: str | None = None,
        source: BitSource | None = None,
    ) -> Release:
        """Pay what a plan shows, and answer.

        With a ``key``, a retry of the same question gets the same answer for free.
        """
        return answer(_own_plan(plan, self), self, key=key, analyst=analyst, source=source)

    def paid(self, entry: int) -> Release:
        """The answer that was paid for in an entry of the ledger, again: free, for ever.

        No row is read.  ``visits.ledger.asked(10)`` shows the last entries.
        """
        return paid_answer(entry, self.schema, self.ledger)

    def close(self) -> None:
        """Let go of the data and the ledger."""
        self._engine.close()
        self.ledger.close()

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def engine(self) -> Engine:
        """The source, opened: its names were compared with the declarations, no row was read."""
        return self._engine


def answer(
    plan: Plan,
    table: Table,
    *,
    key: str | None = None,
    analyst: str | None = None,
    source: BitSource | None = None,
) -> Release:
    """question ▶ plan ▶ price ▶ charge ▶ run ▶ noise ▶ release, in this order and no other.

    The plan was just made of the table's own declarations; one that somebody held is made anew.
    """
    if source is not None and not source.safe:
        raise UnsafeRandomnessError(
            "the release is asked for with seeded bits. Whoever knows the seed can subtract the "
            "noise, so a table never answers with it. Leave source out. Nothing was spent."
        )
    check_key(key)
    known = table.remembered_profile()  # is said of the answer
    plan = plan if plan.profile == known else replace(plan, profile=known)
    engine, price = table.engine(), plan.price
    bits = Keystream() if source is None else source
    request: dict[str, Any] = {
        "event": price.event,
        "question": plan.text,
        "analyst": analyst,
        "key": key,
        "neighbors": table.schema.neighbors,
        "details": table.declared,
    }
    stated: Certificate | None = None
    table.ledger.check(table.name, **request)  # before anything is written for an engine
    with engine.prepared(
        plan.question, plan.measured, price.unit, share=price.key_share, score=plan.score
    ):
        charge = table.ledger.charge(table.name, **request, summary=plan.question.text)

        def answered() -> bytes:
            nonlocal stated
            stated = _certificate(plan, table, charge)
            statement = stated.statement()

            def measured() -> bytes:
                noisy = run_and_noise(plan.question, price, engine, bits)
                return replace(noisy, certificate=statement, asked=plan.to_data()).to_bytes()

            return guarded(measured)

        noisy = table.ledger.answer(charge, answered, safe=bits.safe)
    answered_now = _certified(plan, noisy, stated or _stated_before(plan, table, charge, noisy))
    return replace(answered_now, repeated=charge.answer is not None)


def _own_plan(given: Plan, table: Table) -> Plan:
    """What the table itself makes of a plan's query and price: this is paid and measured."""
    plan = plan_anew(given, table.schema)
    if plan is None:
        raise QueryError(
            f"the plan was made for other declarations than those of {table.name[:60]!r}, or "
            "changed by hand. Its noise would not protect the people of this table. Plan the "
            "question again: table.ask(…).plan(epsilon=1)."
        )
    query = replace(plan.question.query, written=given.question.query.written)
    return replace(plan, question=replace(plan.question, query=query))


def paid_answer(entry: int, schema: Schema, ledger: Ledger) -> Release:
    """The answer that a charge paid for, made again of what the ledger kept; no row is read."""
    charge = ledger.entry(entry)
    if charge is None or charge.kind != "charge" or charge.dataset != schema.name:
        raise DataError(
            f"entry {entry} of the ledger is {_what(charge)}. Only what was asked of "
            f"{schema.name[:60]!r} and paid for can be shown again.",
            Remedy(
                python="Use a number that table.ledger.asked(10) shows.",
                command="Use a number that discreet ledger history shows beside a charge.",
            ),
        )
    data, again = _kept_bytes(charge, ledger), ""
    if charge.key is not None:
        again = f"Asked again with its key, {charge.key[:60]!r}, it is free."
    kept = NoisyMeasurements.read(data)
    if kept is None:
        raise DataError(
            f"the answer of entry {entry} is no table: it suggested bounds or caps, or another "
            "program kept it. Only the answer to a question about rows is shown. See what it was "
            "by discreet ledger history."
        )
    if kept.asked is None or kept.certificate is None:
        raise DataError(
            f"entry {entry} was released by version 0.1.0, which kept the noisy numbers and not "
            "the question. Without it nobody can tell which group a number is of. Use the file it "
            "was saved to, or ask again.",
            again,
        )
    plan = _paid_plan(kept.asked, schema, charge)
    if plan is None:  # the table was declared in another way then
        plan = _paid_plan(kept.asked, _schema_then(charge, schema, ledger), charge)
    if plan is None:
        raise DataError(
            f"the question of entry {entry} means something else by now: a public table, a long "
            f"list of values or discreet itself have changed since, or {schema.name[:60]!r} is "
            "declared in a way that its ledger does not know. An answer is shown only as it was "
            "given. Open the table as it was then.",
            again,
        )
    statement = Certificate.from_data({**kept.certificate, "answer": UNANSWERED})
    plan = replace(plan, profile=remembered(ledger, schema)[0])
    return replace(_certified(plan, data, statement), repeated=True)


def _paid_plan(asked: Mapping[str, Any], schema: Schema | None, charge: Entry) -> Plan | None:
    """The plan that a charge paid for, if the question is that one under these declarations."""
    plan = None if schema is None else plan_from_data(asked, schema)
    if plan is None or sha256(plan.text.encode()).hexdigest() != charge.data["question"]:
        return None
    return plan


def _schema_then(charge: Entry, schema: Schema, ledger: Ledger) -> Schema | None:
    """The declarations that held when a question was charged, as the ledger has them."""
    details = None
    for entry in ledger.history(charge.dataset):
        if entry.sequence > charge.sequence:
            break
        if entry.kind in ("dataset", "budget", "details") and entry.analyst is None:
            details = entry.data["to"]["details"]
    try:
        return None if details is None else schema_from_data(details, schema)
    except (DiscreetError, LookupError, TypeError, ValueError):
        return None  # another program declared it, or a list of values is not known any more


def _what(entry: Entry | None) -> str:
    if entry is None:
        return "not there"
    if entry.kind == "charge":
        return f"a question about {entry.dataset[:60]!r}"
    settles = "" if entry.charge is None else f", and settles entry {entry.charge}"
    return f"not a charge: it says {entry.kind!r}{settles}"


def _kept_bytes(charge: Entry, ledger: Ledger) -> bytes:
    """The answer of a charge, as the ledger kept it."""
    settled, number = ledger.settled(charge.sequence), charge.sequence
    if settled is None:
        raise AnswerPendingError(
            f"the question of entry {number} is paid for and not answered yet. Nobody sees an "
            "answer before it is in the ledger. Wait for it; discreet ledger pending shows whether "
            "anybody works on it."
        )
    if settled.kind == "lost":
        raise AnswerLostError(
            f"the answer of entry {number} was lost: it was never released. What is not in the "
            "ledger can be shown by nobody. Ask again, which is charged."
        )
    if settled.kind != "released":
        raise DataError(
            f"the answer of entry {number} was handed out at once, and not kept. Only what the "
            "ledger keeps can be shown again. Whoever asked has it."
        )
    stored = ledger.stored(settled)
    if stored is None:
        raise LedgerCorruptError(
            f"the answer that entry {settled.sequence} released is not the one that is stored. "
            "Answers are never changed, so the ledger was damaged or edited. Run discreet ledger "
            "verify, and restore a backup that it accepts."
        )
    return stored


def _stated_before(plan: Plan, table: Table, charge: Charge, data: bytes) -> Certificate:
    """What was stated of a release the first time, for a retry of it."""
    kept = NoisyMeasurements.from_bytes(data).certificate
    if kept is None:  # version 0.1.0 kept none: what is known now is not what was known then
        return replace(_certificate(plan, table, charge), written=None, profile=None)
    return Certificate.from_data({**kept, "answer": UNANSWERED})


def _certified(plan: Plan, data: bytes, stated: Certificate) -> Release:
    price, noisy = plan.price, NoisyMeasurements.from_bytes(data)
    payment = Payment(price.loss)
    groups, columns = groups_and_estimates(plan.question, price, noisy, payment, plan.effects)
    typical = typical_columns(plan.question, price, noisy, payment, plan.effects, len(groups))
    certificate = replace(stated, answer=sha256(data).hexdigest())
    shown_keys = () if plan.question.after.whole else plan.question.keys
    keys = tuple(name for name, _ in shown_keys)
    dated = tuple(name for name, grouping in shown_keys if dated_labels(grouping))
    query = plan.question.query
    of_numbers = [*plan.count_notes, *plan.first_notes, *plan.cap_notes(query.front)]
    return Release(
        keys,
        groups,
        columns,
        certificate,
        (
            *plan.remarks,
            *no_group_share(plan.question, plan.profile, groups, columns),
            *plan.key_notes,
            *(of_numbers if groups else []),
        ),
        dated,
        _asked(plan),
        query.condition,
        written=stated.written or query.written,
        none_found=LEFT_OUT if noisy.cells else plan.none_found,
        key_types=tuple(key_type(plan.question, name) for name in keys),
        typical=typical,
    )


def _certificate(plan: Plan, table: Table, charge: Charge) -> Certificate:
    """What is stated of a release, before there is an answer."""
    price, schema, ledger = plan.price, table.schema, table.ledger
    entry = ledger.entry(charge.sequence)
    if entry is None:
        raise LedgerCorruptError(
            f"entry {charge.sequence} of the ledger is gone. A charge is never removed. Run "
            "discreet ledger verify, and restore a backup that it accepts."
        )
    suspensions = ledger.suspensions(schema.name, before=charge.sequence)
    account = ledger.account_after(entry)
    place, durable, cost = Path(ledger.place).name, ledger.durable, charge.cost
    return Certificate(
        table=schema.name,
        question=plan.question.text,
        unit=schema.unit,
        neighbors=schema.neighbors.value,
        max_groups=schema.max_groups,
        max_rows=schema.max_rows,
        max_rows_per_group=schema.max_rows_per_group,
        mechanisms=_mechanisms(plan),
        epsilon=None if cost.epsilon is None else exact_text(cost.epsilon),
        delta=exact_text(cost.delta),
        analyst=charge.analyst,
        ledger=place,
        durable=durable,
        entry=charge.sequence,
        hash=entry.hash,
        time=entry.time,
        answer=UNANSWERED,
        versions=dict([*_versions(), table.engine().software]),
        suspensions=suspensions,
        rho=decimal_text(cost.rho) if cost.epsilon is None else None,
        promise=None if cost.epsilon is not None or price.promise is None else str(price.promise),
        written=plan.question.query.written or None,
        lowered=dict(plan.question.query.caps) or None,
        at_most_rows=schema.at_most_rows,
        at_most_groups=schema.at_most_groups,
        bounds=_bounds(plan.question) or None,
        profile=None if plan.profile is None else plan.profile.entry,
        groups=_finding_groups(plan) or None,
        account=account,
    )


def _bounds(question: Question) -> dict[str, str]:
    """The declared bounds of the columns that numbers are computed from."""
    columns = question.schema.columns
    asked = [names_in([one.node]) for one in question.outputs if one.node is not None]
    names = sorted(set().union(*asked))
    stated = {name: columns[name].to_data() for name in names if name in columns}
    return {
        name: f"{column['low']} to {column['high']}"
        for name, column in stated.items()
        if {"low", "high"} <= set(column)
    }


def _finding_groups(plan: Plan) -> tuple[dict[str, str], ...]:
    """What finding and choosing the groups cost, beside what is measured in them."""
    price, lines = plan.price, (plan.finding_groups, plan.choosing_groups)
    steps = zip(lines, (price.selection, price.choice), strict=True)
    return tuple(
        {
            "step": line.output,
            "mechanism": line.mechanism,
            **_part(price, priced),
            "delta": exact_text(charge_of(priced.event).delta),
        }
        for line, priced in steps
        if line is not None and priced is not None
    )


def _mechanisms(plan: Plan) -> tuple[dict[str, str], ...]:
    """What was released, by which mechanism; and what was computed from it, which is free.

    Outputs of one measurement share its price, which stands at the first of them.
    """
    released: dict[str, dict[str, str]] = {}
    first: dict[Measure, str] = {}
    found = plan.finding_groups, plan.price.selection
    if found[0] is not None and found[1] is not None and found[1].answers is not None:
        first[found[1].answers] = found[0].output
    for output in plan.question.outputs:
        priced, shared = plan.price.of(output.measure), first.get(output.measure)
        part, mechanism = _part(plan.price, priced), priced.described(plan.price.unit)
        first.setdefault(output.measure, output.name)
        released[output.name] = {
            "output": output.name,
            "asks": output.aggregate.text,
            "mechanism": mechanism if shared is None else f"{mechanism}, with {shared}",
            **(part if shared is None else dict.fromkeys(part, "0")),
        }
    computed = [
        {
            "output": name,
            "asks": released[how]["asks"] if how in released else how,
            "mechanism": "computed from released numbers",
            "epsilon": "0",
        }
        for name, how in plan.computed
    ]
    return (*released.values(), *computed)


def _part(
    price: Price, priced: PricedMeasure | PricedKeySelection | PricedChoice
) -> dict[str, str]:
    """The part of the price, in ε or in ρ as the whole is."""
    epsilon, rho = price.part(priced, in_rho=price.cost.epsilon is None)
    return {"epsilon": str(epsilon)} if rho is None else {"rho": decimal_above(rho)}


def _asked(plan: Plan) -> tuple[Aggregate | None, ...]:
    """The statistics of what ``_mechanisms`` lists, in its order."""
    released = {output.name: output.aggregate for output in plan.question.outputs}
    return (*released.values(), *(released.get(how) for _, how in plan.computed))


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, version(name)) for name in ("discreet", "numpy"))


def _never_rows() -> QueryError:
    return QueryError(
        "a table has no rows, columns or length to look at. Only answers about many people are "
        'released, each at a price. Ask for one: table.agg(n=dp.rows(), m=dp.col("x").mean()).'
    )
