"""A question on the command line: a policy, SQL, and what the answer may cost."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.errors import Front, PrivacyParameterError, QueryError, caught_by

if TYPE_CHECKING:
    from discreet.engines.measuring import Engine
    from discreet.release.opening import Declarations
    from discreet.release.planned import Plan

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
    """A question with its price, and the table's source, open.  No row was looked at."""

    declared: "Declarations"
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
) -> Iterator[Asked]:
    """The question that was typed, checked and priced.  The ledger was not looked at."""
    from discreet.policy import read_policy
    from discreet.question.check import checked
    from discreet.release.opening import declared
    from discreet.release.planned import planned
    from discreet.sql.select import explained, parse_select

    arguments = read_policy(policy)
    wanted = _margins(margins)
    with caught_by(Front.POLICY):
        table = declared(**arguments)
        opened = table.engine()
    with closing(opened) as engine:
        select = explained(sql)
        query = parse_select(sql if select is None else select, table.schema)
        question = checked(query, table.schema)
        if epsilon is None and not margins and not question.free:
            raise PrivacyParameterError(
                "neither --epsilon nor --margin is given. An answer costs privacy, and is the more "
                "exact the more it costs. Add --epsilon 0.5, or --margin n=5 for the least ε at "
                "which n is known to ±5."
            )
        plan = planned(
            question, epsilon=epsilon, delta=delta, margin=wanted or None, expect_rows=expect_rows
        )
        yield Asked(table, engine, plan, select is not None)


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
