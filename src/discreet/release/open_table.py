"""Opening a table: its declarations, from Python or from a policy, and its ledger."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from discreet.accounting.filters import Filter
from discreet.engines.base import Engine
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.public_columns import read_public
from discreet.engines.sources import Sources, default_name, engine_of, find_source
from discreet.errors import (
    DeclarationError,
    Front,
    LedgerMissingError,
    PolicyError,
    caught_by,
    with_article,
)
from discreet.ledger import Ledger
from discreet.plan.schema import ROW, PartnerTable, Schema
from discreet.policy.policy_file import MEMORY
from discreet.policy.reader import PrivateTable, PublicTable, columns_of, lookup
from discreet.privacy.losses import Budget
from discreet.privacy.sensitivity import Neighbors
from discreet.release.plan import ReadAccount
from discreet.release.profile import remembered
from discreet.release.table import Table

Known = TypeVar("Known")


def table(
    source: object,
    *,
    unit: str | None = None,
    neighbors: str | None = None,
    budget: Budget | None = None,
    columns: Any = None,
    max_groups: int | None = None,
    max_rows: int | None = None,
    max_rows_per_group: int | None = None,
    at_most_rows: int | None = None,
    at_most_groups: int | None = None,
    version: str | None = None,
    ledger: str | Path | Ledger | None = None,
    name: str | None = None,
    table: str | None = None,
    engine: str | None = None,
    analyst_budget: Budget | None = None,
    period: str | None = None,
    private: Mapping[str, PrivateTable] | None = None,
    public: Mapping[str, object] | None = None,
) -> Table:
    """Open a private table: a policy file, or a source with its declarations.

    ``unit`` says whom the table protects: "row", or the column that says whose row it is.  One
    person counts in at most ``max_groups`` groups and for at most ``max_rows`` rows.  The cap
    ``max_rows_per_group`` need not be given: where it is, Gaussian noise on rows by groups is less.
    ``at_most_rows`` and ``at_most_groups`` are public ceilings on what one person can have at all:
    with them answers say how much the caps leave out at most.  ``version`` names the data as they
    are now: what ``profile`` learns of them is remembered with it.
    ``budget`` is the cap on everything that is ever asked of the table, kept in ``ledger``.  A
    table keeps its budget and its declarations: opened again, they must be the same.
    ``engine`` is what reads the rows, "duckdb", "postgres" or "spark": the source says it, but for
    Parquet files, which DuckDB reads unless it is "spark".
    ``private`` are further tables about the same people, each declared by ``beside``, ``public``
    are lookup tables that are not sensitive: a source, or what ``lookup`` declares.  SQL can join
    both.

    >>> import pandas
    >>> from discreet.question.builder import col, rows
    >>> from discreet.plan.schema import integer
    >>> ages = pandas.DataFrame({"age": [30, 40] * 500})
    >>> visits = table(ages, name="visits", unit="row", budget=Budget(epsilon=3),
    ...                columns={"age": integer(0, 120)}, ledger=":memory:")
    >>> answer = visits.agg(n=rows()).release(epsilon=1)
    >>> 950 < answer["n"].value < 1050
    True
    """
    if isinstance(source, str | Path) and str(source).endswith(".toml"):
        return _from_policy(source, _given(locals()))
    return read_declarations(**locals()).opened()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDeclarations:
    """The declarations of a table: unit and columns, source, ledger and budgets.

    A question is checked, planned and priced against its ``schema``.  To look at the names of the
    source it is opened by ``engine``; to ask, the table is opened, with that engine.
    """

    schema: Schema
    sources: Sources
    ledger: str | Path | Ledger | None
    budget: Budget | None
    analyst_budget: Budget | None
    period: str | None

    def engine(self) -> Engine:
        """The source, opened: its names are compared with the declarations, no row is read."""
        return open_engine(self.sources, self.schema)

    def account(self, *, analyst: str | None = None, key: str | None = None) -> ReadAccount:
        """The budget, what was spent of it, and the table's profile; as if new without a ledger.

        With a key, before its question was paid.  The ledger is only read, and not made if it is
        not there.
        """

        def read(kept: Ledger) -> ReadAccount:
            state = kept.standing(self.schema.name, analyst=analyst, key=key)
            return ReadAccount(state, remembered(kept, self.schema)[0])

        return self._known(read, ReadAccount(Filter(budget=self._budget())))

    def paid(self, key: str, *, analyst: str | None = None) -> bool:
        """Whether a question was paid for with the key, so that asking it again is free."""
        return self._known(
            lambda kept: kept.keyed(self.schema.name, key, analyst=analyst) is not None, False
        )

    def _known(self, read: Callable[[Ledger], Known], unknown: Known) -> Known:
        """What the ledger says, which is only read; ``unknown`` where it says nothing yet."""
        ledger = self.ledger
        if ledger is None or ledger == MEMORY:
            return unknown
        try:
            if isinstance(ledger, Ledger):
                return read(ledger)
            with Ledger(ledger, read_only=True) as kept:
                return read(kept)
        except (LedgerMissingError, DeclarationError):
            return unknown

    def _budget(self) -> Budget:
        if isinstance(self.budget, Budget):
            return self.budget
        kind = type(self.budget).__name__
        given = "no budget" if kind == "NoneType" else f"{with_article(kind)} for its budget"
        raise PolicyError(
            f"the table has {given}. It is the cap on everything that will ever be asked of "
            "it. Write budget=dp.Budget(epsilon=3), with delta=1e-6 where approximate "
            "mechanisms are wanted, or budget=dp.Budget(rho=0.1)."
        )

    def opened(self, engine: Engine | None = None) -> Table:
        """The table, with its source and its ledger, in which it is declared."""
        budget = self._budget()
        if self.ledger is None:
            raise PolicyError(
                "the table has no ledger. What was spent must outlive the process, or the budget "
                'caps nothing. Write ledger="visits.ledger"; ledger=":memory:" forgets it at the '
                "end, and every certificate says so."
            )
        details = self.schema.to_data()
        with ExitStack() as stack:  # which closes what was opened here, if something is refused
            if engine is None:
                engine = stack.enter_context(closing(self.engine()))
            ledger = self.ledger
            if not isinstance(ledger, Ledger):
                ledger = stack.enter_context(Ledger(ledger))
            ledger.declare(
                self.schema.name,
                neighbors=self.schema.neighbors,
                budget=budget,
                analyst_budget=self.analyst_budget,
                period=self.period,
                details=details,
            )
            stack.pop_all()
        return Table(engine, self.schema, ledger)


def read_declarations(
    source: object,
    *,
    unit: str | None = None,
    neighbors: str | None = None,
    budget: Budget | None = None,
    columns: Any = None,
    max_groups: int | None = None,
    max_rows: int | None = None,
    max_rows_per_group: int | None = None,
    at_most_rows: int | None = None,
    at_most_groups: int | None = None,
    version: str | None = None,
    ledger: str | Path | Ledger | None = None,
    name: str | None = None,
    table: str | None = None,
    engine: str | None = None,
    analyst_budget: Budget | None = None,
    period: str | None = None,
    private: Mapping[str, PrivateTable] | None = None,
    public: Mapping[str, object] | None = None,
) -> TableDeclarations:
    """What ``table`` is given, checked once.  Of the data only public tables are read."""
    others, lookups = _tables("private", private), _tables("public", public)
    for label, other in others.items():
        if not isinstance(other, PrivateTable):
            raise PolicyError(
                f"private[{label[:60]!r}] is {with_article(type(other).__name__)}. A further "
                "private table is declared like the first. Write private={"
                f'{label[:60]!r}: dp.beside("{label[:60]}.csv", columns={{…}}, max_rows=1)}}.'
            )
    public_tables = {
        label: one if isinstance(one, PublicTable) else lookup(one)
        for label, one in lookups.items()
    }
    whose = _unit(unit)
    schema = Schema(
        name=_name(name, source, table),
        columns=columns_of(columns),
        unit=whose,
        neighbors=Neighbors.read("add-remove" if neighbors is None else neighbors),
        max_groups=max_groups,
        max_rows=max_rows,
        max_rows_per_group=max_rows_per_group,
        at_most_rows=at_most_rows,
        at_most_groups=at_most_groups,
        version=version,
        private={
            label: PartnerTable(
                columns=other.columns,
                unit=other.unit or whose,
                max_rows=other.max_rows,
                at_most_rows=other.at_most_rows,
            )
            for label, other in others.items()
        },
        public={
            label: read_public(label, one.source, one.columns)
            for label, one in public_tables.items()
        },
    )
    return TableDeclarations(
        schema=schema,
        sources=Sources(
            find_source(source, table, engine),
            {label: other.source for label, other in others.items()},
            {label: one.source for label, one in public_tables.items()},
        ),
        ledger=ledger,
        budget=budget,
        analyst_budget=analyst_budget,
        period=period,
    )


def open_engine(sources: Sources, schema: Schema) -> Engine:
    """The engine of the source; names are compared with the declarations, no row is read."""
    match engine_of(sources.main):
        case "postgres":
            from discreet.engines.postgres.engine import Postgres

            return Postgres(sources, schema)
        case "spark":
            from discreet.engines.spark.engine import Spark

            return Spark(sources, schema)
        case _:
            return DuckDB(sources, schema)


def _tables(what: str, tables: Any) -> dict[str, Any]:
    if tables is not None and not isinstance(tables, Mapping):
        raise PolicyError(
            f"{what} is {with_article(type(tables).__name__)}. It names tables to join with. Write "
            + (
                'private={"patients": dp.beside("patients.csv", columns={…})}.'
                if what == "private"
                else 'public={"wards": "wards.csv"}.'
            )
        )
    return dict(tables or {})


def _from_policy(path: str | Path, given: dict[str, Any]) -> Table:
    from discreet.policy import read_policy

    if given:
        raise PolicyError(
            f"{sorted(given)[0]}= is given beside a policy. The policy is the one place where a "
            "table is declared. Change it there."
        )
    with caught_by(Front.POLICY):
        return read_declarations(**read_policy(path)).opened()


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in arguments.items() if name != "source" and value is not None
    }


def _name(name: str | None, source: object, table: str | None) -> str:
    table_name = name or default_name(source, table)
    if not table_name:
        raise PolicyError(
            "the table has no name. The ledger knows it by its name, whatever the file is called, "
            'so a frame needs one. Write name="visits".'
        )
    return table_name


def _unit(unit: str | None) -> str:
    if unit is None:
        raise PolicyError(
            "unit is not given. It says whom the table protects: whoever has several rows is "
            'protected only if all of them count as one. Write unit="patient_id", the column that '
            f'says whose row it is, or unit="{ROW}" if every row is another person.'
        )
    return unit
