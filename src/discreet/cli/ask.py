"""``discreet plan`` and ``discreet ask``: what a question would cost, and a paid answer to it."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.cli.terminal import Progress, spinner
from discreet.errors import (
    DataError,
    Front,
    QueryError,
    UnansweredError,
    caught_by,
)
from discreet.exact import decimal_text

if TYPE_CHECKING:
    from discreet.engines.base import Engine
    from discreet.ledger.balances import Balance
    from discreet.release.open_table import TableDeclarations
    from discreet.release.plan import Plan
    from discreet.release.release import Release


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
            click.option(
                "--spend", help="A part of the whole budget instead: 5%; with --margin, at most."
            ),
            click.option("--rho", help="What it may cost in zCDP instead: 0.01."),
            click.option(
                "--delta",
                default="0",
                help="For groups found privately, or for Gaussian noise at --epsilon: 1e-6.",
            ),
            click.option(
                "--margin",
                "margins",
                multiple=True,
                metavar="NAME=SIZE",
                help="How large an output's error may be, at 95%: n=5. The least price is found.",
            ),
            click.option(
                "--max-rows",
                type=click.IntRange(min=1),
                help="A lower cap than the policy's: less noise, and more rows left out.",
            ),
            click.option(
                "--max-groups",
                type=click.IntRange(min=1),
                help="The same of the groups that one person counts in.",
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
        return self.engine.texts(self.plan.question, self.plan.measured, self.plan.price.unit)


@contextmanager
def read_question(
    policy: str,
    sql: str,
    epsilon: str | None,
    spend: str | None,
    rho: str | None,
    delta: str,
    margins: tuple[str, ...],
    expect_rows: int | None,
    max_rows: int | None = None,
    max_groups: int | None = None,
    *,
    analyst: str | None = None,
    key: str | None = None,
    beside_budget: bool = False,
) -> Iterator[TypedQuestion]:
    """The question that was typed, checked and priced.

    Of the ledger is read what the price depends on, or what shall be shown beside it.
    """
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
        lower = {"max_rows": max_rows, "max_groups": max_groups}
        caps = tuple((name, cap) for name, cap in lower.items() if cap is not None)
        query = replace(query, caps=caps, front=Front.COMMAND)
        question = checked_question(query, table.schema)
        depends = spend is not None or margins or delta != "0"
        reads_budget = table.budget is not None and (beside_budget or depends)
        plan = make_plan(
            question,
            epsilon=epsilon,
            spend=spend,
            rho=rho,
            delta=delta,
            margin=wanted or None,
            expect_rows=expect_rows,
            account=table.account(analyst=analyst, key=key) if reads_budget else None,
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


@click.command()
@question_options
@click.option("--explain", is_flag=True, help="Step by step, with what each step assumes.")
@click.option("--sql", "as_sql", is_flag=True, help="The SQL that the engine would run.")
@click.option("--json", "as_json", is_flag=True, help="Exact numbers, for programs.")
def plan(explain: bool, as_sql: bool, as_json: bool, **question: Any) -> None:
    """What a question would cost and how exact its answer would be. Nothing is spent.

    \b
    discreet plan visits.toml "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward" --epsilon 0.5

    POLICY is the TOML file that declares the table. No row is read, and of the ledger only what is
    left of the budget.
    """
    with read_question(**question, beside_budget=True) as asked:
        planned, queries = asked.plan, asked.queries()
    if as_sql:
        for query in queries:
            click.echo(f"{_pretty(query)};")
    elif as_json:
        data = {
            "question": planned.question.query.text,
            "epsilon": None if planned.epsilon is None else str(planned.epsilon),
            "delta": str(planned.delta),
            "rho": decimal_text(planned.rho),
            "part": None if planned.part is None else float(planned.part),
            "groups": planned.question.cells if planned.question.keys else None,
            "outputs": [
                {
                    "output": line.output,
                    "asks": line.asks,
                    "mechanism": line.mechanism,
                    "margin": line.margin.value,
                    "margin_of_rank": line.margin.of_rank,
                    "epsilon": None if line.epsilon is None else str(line.epsilon),
                    "rho": None if line.rho is None else decimal_text(line.rho),
                }
                for line in planned.lines
            ],
            "computed": [{"output": name, "as": how} for name, how in planned.computed],
            "notes": planned.notes,
        }
        click.echo(json.dumps(data, ensure_ascii=False))
    elif explain or asked.explain:
        click.echo(planned.explain(Front.COMMAND))
    else:
        from discreet.cli.terminal import show_plan

        show_plan(planned)


def _pretty(query: str) -> str:
    """A query on several lines; as it is, if it would not mean the very same then."""
    from sqlglot import ParseError, exp, parse_one

    try:
        tree = parse_one(query, read="duckdb")
        for around in list(tree.find_all(exp.Paren)):
            if isinstance(around.this, exp.Column):  # would stand on three lines
                around.replace(around.this)
        text = tree.sql(dialect="duckdb", pretty=True)
        return text if parse_one(text, read="duckdb") == tree else query
    except ParseError:
        return query


@click.command()
@question_options
@click.option("--key", help="Asked again with the same key, the same answer is given for free.")
@click.option("--analyst", help="Who asks; the operating system's user unless stated.")
@click.option("--json", "as_json", is_flag=True, help="The answer and its certificate as JSON.")
@click.option("--csv", "csv_file", metavar="FILE", help="Also write the table as CSV.")
@click.option("--html", "html_file", metavar="FILE", help="Also write a report.")
@click.option("--yes", is_flag=True, help="Pay what --margin needs without being asked.")
def ask(
    key: str | None,
    analyst: str | None,
    as_json: bool,
    csv_file: str | None,
    html_file: str | None,
    yes: bool,
    **question: Any,
) -> None:
    """Answer a question privately, and pay for it.

    \b
    discreet ask visits.toml "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward" --epsilon 0.5

    POLICY is the TOML file that declares the table. The charge is on the disk before a row is
    read, and is never given back.
    """
    with read_question(**question, analyst=analyst, key=key) as asked:
        if asked.explain:  # EXPLAIN asks for the plan, and pays for nothing
            asked.queries()
            click.echo(asked.plan.explain(Front.COMMAND))
            return
        files = _files({".csv": csv_file, ".html": html_file})
        ceiling = question["epsilon"] or question["spend"] or question["rho"]
        if ceiling is None and asked.plan.rho > 0 and not yes:
            _confirm(asked.plan)
        with spinner("asking") as tell:
            release, balances = pay_and_answer(asked, key=key, analyst=analyst, tell=tell)
    if as_json:
        click.echo(release.to_json())
    else:
        from discreet.cli.terminal import show_answer

        show_answer(release, balances)
    for file in files:
        release.save(file)
        if not as_json:
            click.echo(f"written   {file}")


def pay_and_answer(
    asked: TypedQuestion,
    *,
    key: str | None = None,
    analyst: str | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> "tuple[Release, list[Balance]]":
    """Pay exactly what was planned, and answer; the answer and what is left, of whose budget.

    ``tell`` gets the function that says how much of the table is read.
    """
    table, name = asked.declared.opened(asked.engine), asked.declared.schema.name
    with table.ledger as ledger:
        tell(asked.engine.progress)
        before, charged = ledger.asked(1, name), False
        try:
            release = table.release(asked.plan, key=key, analyst=analyst)
        except KeyboardInterrupt:
            charged = ledger.asked(1, name) != before
            if not charged:
                raise
        if charged:
            raise UnansweredError(
                "the question was broken off after it was paid for. A charge is never given back, "
                "or breaking off would be a way to ask for free. See discreet budget; ask again."
            )
        return release, ledger.budgets(name, release.certificate.analyst)


def _confirm(plan: "Plan") -> None:
    from discreet.cli.terminal import show_plan

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise QueryError(
            f"the margins cost {plan.price_text}, and nobody can be asked whether to pay it. What "
            "is paid is never given back. Add --yes, or the most that it may cost: --spend 5%. "
            "Nothing was spent."
        )
    show_plan(plan)
    click.confirm("Pay?", abort=True)


def _files(wanted: dict[str, str | None]) -> list[Path]:
    """Where the answer is to be written: looked at before it is paid for."""
    paths = []
    for ending, name in wanted.items():
        if name is None:
            continue
        place = Path(name)
        if place.suffix.lower() != ending:
            raise DataError(
                f"the file {place.name!r} does not end in {ending}. The ending says what a file "
                f"holds. Write --{ending[1:]} {place.stem or 'answer'}{ending}."
            )
        if not _writable(place):
            raise DataError(
                f"{place.name!r} cannot be written there. An answer is paid for once, so the place "
                "is looked at first. Name a file in a folder that exists. Nothing was spent."
            )
        paths.append(place)
    return paths


def _writable(place: Path) -> bool:
    """Whether a file can be written there; tried, since what the system says is not always so."""
    target = place.resolve()  # a link that leads nowhere yet is written through
    try:
        if target.exists():
            with open(target, "ab"):
                return True
        with open(target, "xb"):
            pass
        target.unlink()
    except OSError:
        return False
    return True
