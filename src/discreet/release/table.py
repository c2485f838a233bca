"""An open table: what users ask questions of.  The answer is made along one line, ``answer``."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from discreet.engines.measuring import Engine, guarded
from discreet.errors import LedgerCorruptError, QueryError, UnsafeRandomnessError
from discreet.exact import exact_text
from discreet.ledger import Charge, Ledger
from discreet.ledger.balances import Balance
from discreet.measures.measure import Aggregate
from discreet.noise import BitSource, Keystream
from discreet.plan.schema import Schema
from discreet.privacy.estimate import Release as Payment
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.question.groupings import is_dated
from discreet.release.answer import Release
from discreet.release.asking import Asking
from discreet.release.certificate import UNANSWERED, Certificate
from discreet.release.groups import assembled
from discreet.release.planned import Plan
from discreet.release.run import Noisy, run
from discreet.release.suggest import Bounds, Caps, suggest_bounds, suggest_caps


class Table:
    """A private table: its declarations, its ledger, and a source that is read after a charge.

    Ask with ``where``, ``with_columns``, ``group_by`` and ``agg``; see the price with ``plan``; pay
    and get the answer with ``release``.
    """

    def __init__(self, engine: Engine, schema: Schema, ledger: Ledger) -> None:
        self._engine = engine
        self.schema = schema
        self.ledger = ledger

    def __repr__(self) -> str:
        whose = f"each {self.schema.unit}" if self.schema.by_person else "each row"
        return f"Table({self.schema.name!r}, protects {whose}, {self.budget})"

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

    def where(self, *conditions: Any) -> Asking:
        """Only the rows for which every condition is true; SQL such as "stay > 2" will do."""
        return Asking(self).where(*conditions)

    def with_columns(self, **derived: Any) -> Asking:
        """Columns computed from others, row by row."""
        return Asking(self).with_columns(**derived)

    def group_by(self, *keys: Any) -> Asking:
        """One answer per group: by columns, expressions, or ``dp.col("age").bins([0, 18, 65])``."""
        return Asking(self).group_by(*keys)

    def agg(self, *aggregates: Any, **named: Any) -> Asking:
        """What is asked of every group, by name: ``agg(patients=dp.people())``."""
        return Asking(self).agg(*aggregates, **named)

    def sql(
        self,
        text: str,
        *,
        epsilon: object = None,
        delta: object = 0,
        margin: Mapping[str, object] | None = None,
        expect_rows: int | None = None,
        key: str | None = None,
        analyst: str | None = None,
    ) -> Release | Plan:
        """The answer to a SELECT about this table; of EXPLAIN SELECT the plan, which is free."""
        from discreet.sql.select import explained

        question = explained(text)
        plan = self.ask(text if question is None else question).plan(
            epsilon=epsilon, delta=delta, margin=margin, expect_rows=expect_rows
        )
        return plan.release(key=key, analyst=analyst) if question is None else plan

    def ask(self, text: str) -> Asking:
        """A SELECT as a question that can be planned: ``table.ask("SELECT …").plan(epsilon=1)``."""
        from discreet.sql.select import parse_select

        return Asking(self, parse_select(text, self.schema))

    def suggest_bounds(self, column: str, *, epsilon: object, analyst: str | None = None) -> Bounds:
        """Bounds of a column that was declared without, found privately and paid for."""
        return suggest_bounds(self, column, epsilon=epsilon, analyst=analyst)

    def suggest_caps(self, *group_by: Any, epsilon: object, analyst: str | None = None) -> Caps:
        """Caps that about 95% of people stay within, found privately and paid for.

        With columns to group by, also for the number of groups.
        """
        return suggest_caps(self, epsilon=epsilon, group_by=group_by, analyst=analyst)

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
        if plan.question.declared != self.schema:
            raise QueryError(
                f"the plan was made for other declarations than those of {self.name[:60]!r}. Its "
                "noise is measured by them, and would not protect the people of this table. Plan "
                "the question again: table.ask(…).plan(epsilon=1)."
            )
        return answer(plan, self, key=key, analyst=analyst, source=source)

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
    """question ▶ plan ▶ price ▶ charge ▶ run ▶ noise ▶ release, in this order and no other."""
    if source is not None and not source.safe:
        raise UnsafeRandomnessError(
            "the release is asked for with seeded bits. Whoever knows the seed can subtract the "
            "noise, so a table never answers with it. Leave source out. Nothing was spent."
        )
    engine = table.engine()
    engine.prepare(plan.question, plan.measured)
    bits = Keystream() if source is None else source
    charge = table.ledger.charge(
        table.name,
        event=plan.price.event,
        question=plan.text,
        analyst=analyst,
        key=key,
        summary=plan.question.text,
        neighbors=table.schema.neighbors,
    )

    stated: Certificate | None = None

    def answered() -> bytes:
        nonlocal stated
        stated = _certificate(plan, table, charge)
        statement = stated.statement()

        def measured() -> bytes:
            noisy = run(plan.question, plan.price, engine, bits)
            return replace(noisy, certificate=statement).to_bytes()

        return guarded(measured)

    noisy = table.ledger.answer(charge, answered, safe=bits.safe)
    return _certified(plan, noisy, stated or _stated_before(plan, table, charge, noisy))


def _stated_before(plan: Plan, table: Table, charge: Charge, data: bytes) -> Certificate:
    """What was stated of a release the first time, for a retry of it."""
    kept = Noisy.from_bytes(data).certificate
    if kept is None:  # version 0.1.0 kept none
        return _certificate(plan, table, charge)
    return Certificate.from_data({**kept, "answer": UNANSWERED})


def _certified(plan: Plan, data: bytes, stated: Certificate) -> Release:
    price, noisy = plan.price, Noisy.from_bytes(data)
    loss: PureDP | ApproximateDP = PureDP(epsilon=price.epsilon)
    if price.delta:
        loss = ApproximateDP(epsilon=price.epsilon, delta=price.delta)
    groups, columns = assembled(plan.question, price, noisy, Payment(loss))
    certificate = replace(stated, answer=sha256(data).hexdigest())
    keys = tuple(name for name, _ in plan.question.keys)
    dated = tuple(name for name, grouping in plan.question.keys if is_dated(grouping))
    condition = plan.question.query.condition
    return Release(keys, groups, columns, certificate, plan.remarks, dated, _asked(plan), condition)


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
    place, durable = Path(ledger.place).name, ledger.durable
    return Certificate(
        table=schema.name,
        question=plan.question.text,
        unit=schema.unit,
        neighbors=schema.neighbors.value,
        max_groups=schema.max_groups,
        max_rows=schema.max_rows,
        mechanisms=_mechanisms(plan),
        epsilon=exact_text(price.epsilon),
        delta=exact_text(price.delta),
        analyst=charge.analyst,
        ledger=place,
        durable=durable,
        entry=charge.sequence,
        hash=entry.hash,
        time=entry.time,
        answer=UNANSWERED,
        versions=dict([*_versions(), table.engine().software]),
        suspensions=suspensions,
    )


def _mechanisms(plan: Plan) -> tuple[dict[str, str], ...]:
    """What was released, by which mechanism; and what was computed from it, which is free."""
    released = {}
    for output in plan.question.outputs:
        priced = plan.price.of(output.measure)
        mechanism = priced.described(plan.question.unit)
        released[output.name] = {
            "output": output.name,
            "asks": output.aggregate.text,
            "mechanism": mechanism,
            "epsilon": str(priced.epsilon),
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
        'released, each at a price. Ask for one: table.agg(n=dp.rows(), m=dp.col("age").mean()).'
    )
