"""An open table: what users ask questions of.  The answer is made along one line, ``answer``."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.sources import Source, find, stem
from discreet.errors import LedgerCorruptError, PolicyError, QueryError, UnsafeRandomnessError
from discreet.exact import decimal_text
from discreet.ledger import Charge, Ledger
from discreet.ledger.balances import Balance
from discreet.noise import BitSource, Keystream
from discreet.plan.schema import ROW, Schema
from discreet.privacy.budget import Budget
from discreet.privacy.estimate import Release as Payment
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.neighbors import Neighbors
from discreet.release.accuracy import mechanism_text
from discreet.release.answer import Release
from discreet.release.asking import Asking
from discreet.release.certificate import Certificate
from discreet.release.groups import assembled
from discreet.release.planned import Plan
from discreet.release.run import Noisy, run
from discreet.release.suggest import Bounds, Caps, suggest_bounds, suggest_caps


class Table:
    """A private table: its declarations, its ledger, and a source that is read after a charge.

    Ask with ``where``, ``with_columns``, ``group_by`` and ``agg``; see the price with ``plan``; pay
    and get the answer with ``release``.
    """

    def __init__(self, source: Source, schema: Schema, ledger: Ledger) -> None:
        self._source = source
        self.schema = schema
        self.ledger = ledger
        self._engine: DuckDB | None = None

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
    ) -> Release:
        """The answer to a SELECT about this table."""
        return self.ask(text).release(
            epsilon=epsilon,
            delta=delta,
            margin=margin,
            expect_rows=expect_rows,
            key=key,
            analyst=analyst,
        )

    def ask(self, text: str) -> Asking:
        """A SELECT as a question that can be planned: ``table.ask("SELECT …").plan(epsilon=1)``."""
        from discreet.sql.select import parse_select

        return Asking(self, parse_select(text, self.name, self.schema.unit))

    def suggest_bounds(self, column: str, *, epsilon: object, analyst: str | None = None) -> Bounds:
        """Bounds of a column that was declared without, found privately and paid for."""
        return suggest_bounds(self, column, epsilon=epsilon, analyst=analyst)

    def suggest_caps(self, *group_by: Any, epsilon: object, analyst: str | None = None) -> Caps:
        """Caps that about 95% of people stay within, found privately and paid for.

        With columns to group by, also for the number of groups.
        """
        return suggest_caps(self, epsilon=epsilon, group_by=group_by, analyst=analyst)

    def close(self) -> None:
        """Let go of the data and the ledger."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        self.ledger.close()

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def engine(self) -> DuckDB:
        """The source, opened: its names are compared with the declarations, no row is read."""
        if self._engine is None:
            self._engine = DuckDB(self._source, self.schema)
        return self._engine


def table(
    source: object,
    *,
    unit: str | None = None,
    neighbors: str | None = None,
    budget: Budget | None = None,
    columns: Any = None,
    max_groups: int | None = None,
    max_rows: int | None = None,
    ledger: str | Path | Ledger | None = None,
    name: str | None = None,
    table: str | None = None,
    analyst_budget: Budget | None = None,
    period: str | None = None,
) -> Table:
    """Open a private table: a policy file, or a source with its declarations.

    ``unit`` says whom the table protects: "row", or the column that says whose row it is.
    ``budget`` is the cap on everything that is ever asked of the table, kept in ``ledger``.  A
    table keeps its budget and its declarations: opened again, they must be the same.

    >>> import pandas
    >>> from discreet.plan.build import col, rows
    >>> from discreet.plan.columns import integer
    >>> ages = pandas.DataFrame({"age": [30, 40] * 500})
    >>> visits = table(ages, name="visits", unit="row", budget=Budget(epsilon=3),
    ...                columns={"age": integer(0, 120)}, ledger=":memory:")
    >>> answer = visits.agg(n=rows()).release(epsilon=1)
    >>> 950 < answer["n"].value < 1050
    True
    """
    if isinstance(source, str | Path) and str(source).endswith(".toml"):
        return _from_policy(source, _given(locals()))
    if columns is not None and not isinstance(columns, Mapping):
        raise PolicyError(
            f"columns is a {type(columns).__name__}. It says of each column, by its name, what is "
            'public about it. Write columns={"age": dp.integer(0, 120)}.'
        )
    schema = Schema(
        name=_name(name, source, table),
        columns=dict(columns or {}),
        unit=_unit(unit),
        neighbors=Neighbors.read("add-remove" if neighbors is None else neighbors),
        max_groups=max_groups,
        max_rows=max_rows,
    )
    if not isinstance(budget, Budget):
        kind = type(budget).__name__
        given = "no budget" if kind == "NoneType" else f"a {kind} for its budget"
        raise PolicyError(
            f"the table has {given}. It is the cap on everything that will ever be asked of it. "
            "Write budget=dp.Budget(epsilon=3), with delta=1e-6 where approximate mechanisms are "
            "wanted."
        )
    found = find(source, table)
    opened = Table(found, schema, _ledger(ledger))
    opened.engine()  # names are checked before anything is written down
    opened.ledger.declare(
        schema.name,
        neighbors=schema.neighbors,
        budget=budget,
        analyst_budget=analyst_budget,
        period=period,
        details=schema.to_data(),
    )
    return opened


def answer(
    plan: Plan,
    *,
    key: str | None = None,
    analyst: str | None = None,
    source: BitSource | None = None,
) -> Release:
    """question ▶ plan ▶ price ▶ charge ▶ run ▶ noise ▶ release, in this order and no other."""
    opened = plan.table
    engine, bits = opened.engine(), Keystream() if source is None else source
    if not bits.safe:
        raise UnsafeRandomnessError(
            "the release is asked for with seeded bits. Whoever knows the seed can subtract the "
            "noise, so a table never answers with it. Leave source out. Nothing was spent."
        )
    engine.prepare(plan.question, tuple(priced.block for priced in plan.price.blocks))
    charge = opened.ledger.charge(
        opened.name,
        event=plan.price.event,
        question=plan.text,
        analyst=analyst,
        key=key,
        summary=plan.question.query.text,
        neighbors=opened.schema.neighbors,
    )

    def answered() -> bytes:
        return run(plan.question, plan.price, engine, bits).to_bytes()

    noisy = opened.ledger.answer(charge, answered, safe=bits.safe)
    return _certified(plan, Noisy.from_bytes(noisy), noisy, charge)


def _certified(plan: Plan, noisy: Noisy, data: bytes, charge: Charge) -> Release:
    opened, price = plan.table, plan.price
    loss: PureDP | ApproximateDP = PureDP(epsilon=price.epsilon)
    if price.delta:
        loss = ApproximateDP(epsilon=price.epsilon, delta=price.delta)
    groups, columns = assembled(plan.question, price, noisy, Payment(loss))
    entry, schema = opened.ledger.entry(charge.sequence), opened.schema
    if entry is None:
        raise LedgerCorruptError(
            f"entry {charge.sequence} of the ledger is gone. A charge is never removed. Run "
            "discreet ledger verify, and restore a backup that it accepts."
        )
    certificate = Certificate(
        table=schema.name,
        question=plan.question.query.text,
        unit=schema.unit,
        neighbors=schema.neighbors.value,
        max_groups=schema.max_groups,
        max_rows=schema.max_rows,
        mechanisms=tuple(
            {
                "output": output.name,
                "asks": output.aggregate.text,
                "mechanism": mechanism_text(output, plan.question, price),
                "epsilon": str(price.of(output.block).epsilon),
            }
            for output in plan.question.outputs
        ),
        epsilon=_exact_text(price.epsilon),
        delta=_exact_text(price.delta),
        analyst=charge.analyst,
        ledger=Path(opened.ledger.place).name,
        durable=opened.ledger.durable,
        entry=charge.sequence,
        hash=entry.hash,
        time=entry.time,
        answer=sha256(data).hexdigest(),
        versions=dict(_versions()),
    )
    keys = tuple(name for name, _ in plan.question.keys)
    return Release(keys, groups, columns, certificate)


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, version(name)) for name in ("discreet", "duckdb", "numpy"))


def _exact_text(value: Fraction) -> str:
    """A short decimal where that is exact, else the fraction."""
    text = decimal_text(value)
    return str(value) if text.startswith("≈") else text


def _never_rows() -> QueryError:
    return QueryError(
        "a table has no rows, columns or length to look at. Only answers about many people are "
        'released, each at a price. Ask for one: table.agg(n=dp.rows(), m=dp.col("age").mean()).'
    )


def _from_policy(path: str | Path, given: dict[str, Any]) -> Table:
    from discreet.policy import read_policy

    if given:
        raise PolicyError(
            f"{sorted(given)[0]}= is given beside a policy. The policy is the one place where a "
            "table is declared. Change it there."
        )
    return table(**read_policy(path))


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in arguments.items() if name != "source" and value is not None
    }


def _name(name: str | None, source: object, table: str | None) -> str:
    found = name or table or stem(source)
    if not found:
        raise PolicyError(
            "the table has no name. The ledger knows it by its name, whatever the file is called, "
            'so a frame needs one. Write name="visits".'
        )
    return found


def _unit(unit: str | None) -> str:
    if unit is None:
        raise PolicyError(
            "unit is not given. It says whom the table protects: whoever has several rows is "
            'protected only if all of them count as one. Write unit="patient_id", the column that '
            f'says whose row it is, or unit="{ROW}" if every row is another person.'
        )
    return unit


def _ledger(ledger: str | Path | Ledger | None) -> Ledger:
    if isinstance(ledger, Ledger):
        return ledger
    if ledger is None:
        raise PolicyError(
            "the table has no ledger. What was spent must outlive the process, or the budget caps "
            'nothing. Write ledger="visits.ledger"; ledger=":memory:" forgets it at the end, and '
            "every certificate says so."
        )
    return Ledger(ledger)
