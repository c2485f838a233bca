"""A question on the command line: a policy, SQL, and what the answer may cost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.errors import PrivacyParameterError, QueryError

if TYPE_CHECKING:
    from discreet.release.planned import Plan
    from discreet.release.table import Table

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
class Asked:
    """A question with its price.  Neither a row nor the ledger was looked at."""

    arguments: dict[str, Any]
    plan: "Plan"
    queries: tuple[str, ...]
    """The SQL that the engine would run."""
    explain: bool = False
    """Whether only the plan was asked for, by EXPLAIN."""


def read_question(
    policy: str,
    sql: str,
    epsilon: str | None,
    delta: str,
    margins: tuple[str, ...],
    expect_rows: int | None,
) -> Asked:
    """The question that was typed, checked and priced."""
    from discreet.policy import read_policy
    from discreet.release.asking import Asking
    from discreet.sql.select import explained, parse_select

    arguments = read_policy(policy)
    wanted = _margins(margins)
    opened = declared(arguments)
    try:
        question = explained(sql)
        query = parse_select(sql if question is None else question, opened.schema)
        asking = Asking(opened, query)
        if epsilon is None and not margins and not asking.free:
            raise PrivacyParameterError(
                "neither --epsilon nor --margin is given. An answer costs privacy, and is the more "
                "exact the more it costs. Add --epsilon 0.5, or --margin n=5 for the least ε at "
                "which n is known to ±5."
            )
        plan = asking.plan(
            epsilon=epsilon, delta=delta, margin=wanted or None, expect_rows=expect_rows
        )
        return Asked(arguments, plan, tuple(plan.queries), question is not None)
    finally:
        opened.close()


def declared(arguments: dict[str, Any]) -> "Table":
    """The table as far as a plan needs it: its names are compared with the source's.

    Its ledger is an empty one in memory, so that nothing can be released from it.
    """
    from discreet.ledger import Ledger
    from discreet.release.opening import declared as declarations
    from discreet.release.table import Table

    kept = ("ledger", "budget", "analyst_budget", "period")
    sources, schema = declarations(
        **{name: value for name, value in arguments.items() if name not in kept}
    )
    opened = Table(sources, schema, Ledger(":memory:"))
    opened.engine()
    return opened


def _margins(margins: tuple[str, ...]) -> dict[str, object]:
    found: dict[str, object] = {}
    for margin in margins:
        name, equals, size = margin.rpartition("=")
        if not equals or not name or not size:
            raise QueryError(
                f"the margin {margin[:60]!r} is not a name and a size. It says how large the error "
                "of an output may be. Write --margin n=5."
            )
        if name in found:
            raise QueryError(
                f"two margins are given for {name[:60]!r}. One error can only meet one of them. "
                "Leave one out."
            )
        found[name] = size
    return found
