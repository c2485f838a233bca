"""``discreet ask``: a private answer, paid for from the table's budget."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.arguments import TypedQuestion, question_options, read_question
from discreet.cli.terminal import Progress, spinner
from discreet.errors import DataError, Front, QueryError, UnansweredError

if TYPE_CHECKING:
    from discreet.ledger.balances import Balance
    from discreet.release.plan import Plan
    from discreet.release.release import Release


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
    with read_question(**question) as asked:
        if asked.explain:  # EXPLAIN asks for the plan, and pays for nothing
            asked.queries()
            click.echo(asked.plan.explain(Front.COMMAND))
            return
        files = _files({".csv": csv_file, ".html": html_file})
        if question["epsilon"] is None and asked.plan.epsilon > 0 and not yes:
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
    from discreet.cli.terminal import cost, show_plan

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise QueryError(
            f"the margins cost {cost(plan)}, and nobody can be asked whether to pay it. What "
            "is paid is never given back. Add --yes, or the most that it may cost: --epsilon 1. "
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
