"""What commands are called with: a policy, SQL, a price, or the path of a ledger."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.errors import DataError, Front, PrivacyParameterError, QueryError, caught_by
from discreet.ledger import Ledger
from discreet.ledger.declarations import BudgetCap, Period

if TYPE_CHECKING:
    from discreet.engines.base import Engine
    from discreet.policy.policy_file import PolicyFile
    from discreet.release.open_table import TableDeclarations
    from discreet.release.plan import Plan


@dataclass(frozen=True, slots=True)
class LedgerLocation:
    """A ledger, and the data set that the TOML file names, if it was one."""

    ledger: str
    dataset: str | None = None
    policy: "PolicyFile | None" = field(default=None, repr=False)

    @staticmethod
    def read(argument: str) -> "LedgerLocation":
        """What the user wrote, as a place.  Only what names the ledger need be filled in."""
        if not argument.endswith(".toml"):
            return LedgerLocation(argument)
        from discreet.policy.policy_file import MEMORY, PolicyFile
        from discreet.policy.reader import read_table_name

        policy = PolicyFile.read(argument)
        if policy.fields.get("ledger", MEMORY) == MEMORY:
            raise DataError(
                f"{argument} names no ledger that could be opened. Only a ledger in a file or a "
                'database outlives its process. Write ledger = "visits.ledger", or name the '
                "ledger itself."
            )
        return LedgerLocation(policy.ledger(), read_table_name(policy), policy)

    def open_to_read(self) -> Ledger:
        """The ledger; it must be there."""
        return Ledger(self.ledger, read_only=True)

    def open_to_write(self) -> Ledger:
        """The ledger; it must be there: a slip in its name makes no new one."""
        self.open_to_read().close()
        return Ledger(self.ledger)

    def cap(self, budget: str) -> BudgetCap | None:
        """The cap that the TOML file declares as ``budget`` or ``analyst_budget``, if it does."""
        if self.policy is None or budget not in self.policy.fields:
            return None
        from discreet.policy.reader import read_budget, read_period

        declared = read_budget(self.policy, budget)
        period = Period.read(read_period(self.policy))
        return None if declared is None else BudgetCap(budget=declared, period=period)


Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def question_options(command: Decorated) -> Decorated:
    """The words that every command that asks a question takes."""
    for decorate in reversed(
        [
            click.argument("policy"),
            click.argument("sql"),
            click.option(
                "--epsilon", help="What it may cost: 0.5, 1 or 1/3; with --margin, at most."
            ),
            click.option("--delta", default="0", help="For groups that are found privately: 1e-6."),
            click.option(
                "--margin",
                "margins",
                multiple=True,
                metavar="NAME=SIZE",
                help="How large the error of an output may be, at 95%: n=5. The least ε is found.",
            ),
            click.option(
                "--expect-rows",
                type=click.IntRange(min=1),
                help="Rows expected in a group, from which the margin of a mean is foretold.",
            ),
        ]
    ):
        command = decorate(command)
    return command


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question with its price, and the table's source, open.  No row was looked at."""

    declared: "TableDeclarations"
    engine: "Engine"
    plan: "Plan"
    explain: bool = False
    """Whether only the plan was asked for, by EXPLAIN."""

    def queries(self) -> list[str]:
        """The SQL that the engine would run; what it does not offer is refused."""
        return self.engine.texts(self.plan.question, self.plan.measured)


@contextmanager
def read_question(
    policy: str,
    sql: str,
    epsilon: str | None,
    delta: str,
    margins: tuple[str, ...],
    expect_rows: int | None,
) -> Iterator[TypedQuestion]:
    """The question that was typed, checked and priced.  The ledger was not looked at."""
    from discreet.policy import read_policy
    from discreet.question.check import checked_question
    from discreet.release.open_table import read_declarations
    from discreet.release.plan import make_plan
    from discreet.sql.read.select import explained, parse_select

    arguments = read_policy(policy)
    wanted = _margins(margins)
    with caught_by(Front.POLICY):
        table = read_declarations(**arguments)
        opened = table.engine()
    with closing(opened) as engine:
        select = explained(sql)
        query = parse_select(sql if select is None else select, table.schema)
        question = checked_question(query, table.schema)
        if epsilon is None and not margins and not question.free:
            raise PrivacyParameterError(
                "neither --epsilon nor --margin is given. An answer costs privacy, and is the more "
                "exact the more it costs. Add --epsilon 0.5, or --margin n=5 for the least ε at "
                "which n is known to ±5."
            )
        plan = make_plan(
            question, epsilon=epsilon, delta=delta, margin=wanted or None, expect_rows=expect_rows
        )
        yield TypedQuestion(table, engine, plan, select is not None)


def _margins(margins: tuple[str, ...]) -> dict[str, object]:
    margin_of: dict[str, object] = {}
    for margin in margins:
        name, equals, size = margin.rpartition("=")
        if not equals or not name or not size:
            raise QueryError(
                f"the margin {margin[:60]!r} is not a name and a size. It says how large the error "
                "of an output may be. Write --margin n=5."
            )
        if name in margin_of:
            raise QueryError(
                f"two margins are given for {name[:60]!r}. One error can only meet one of them. "
                "Leave one out."
            )
        margin_of[name] = size
    return margin_of
