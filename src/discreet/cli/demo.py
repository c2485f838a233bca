"""``discreet demo``: a private table from made-up visits, from the first question to a refusal."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from shlex import quote
from tempfile import mkdtemp
from textwrap import fill
from typing import TYPE_CHECKING, Final

import click

from discreet.errors import BudgetExhaustedError, DataError
from discreet.packages import typed

if TYPE_CHECKING:
    from discreet.cli.questions import Asked

_WARDS: Final = (
    "SELECT ward, COUNT(DISTINCT patient_id) AS patients, AVG(stay) AS mean_stay "
    "FROM visits GROUP BY ward"
)
_AGES: Final = "SELECT AVG(age) AS mean_age FROM visits"
_KEPT: Final = "\N{NO-BREAK SPACE}"  # a blank at which no line is broken
_MADE: Final = ("visits.csv", "visits.toml", "visits.ledger", "wards.html")


@click.command()
@click.option(
    "--folder", metavar="DIR", help="Where the table is made; a temporary one unless stated."
)
def demo(folder: str | None) -> None:
    """A private table from bundled data: a plan, an answer with its errors, and a refusal."""
    from discreet.cli.answers import show_answer, show_picture, show_plan
    from discreet.cli.ask import answer
    from discreet.cli.exits import say
    from discreet.cli.hospital import write_hospital
    from discreet.cli.waiting import waiting

    place = _folder(folder)
    policy = write_hospital(place)
    _tell("Made-up visits to a hospital, and a policy that says what may be asked of them:")
    click.echo(place / "visits.csv")
    click.echo(policy)

    _tell("What would it cost to know each ward, and how exact would it be?")
    _typed("plan", policy, _WARDS, "--epsilon 0.7 --expect-rows 500")
    with _asked(policy, _WARDS, "0.7") as asked:
        show_plan(asked.plan)

        _tell("Pay it. The charge is on the disk before a row is read.")
        _typed("ask", policy, _WARDS, "--epsilon 0.7")
        release, balances = answer(asked)
    show_answer(release, balances)
    click.echo()
    show_picture(release, "patients")

    _tell("Ask for more than is left: nothing is read, nothing is spent.")
    _typed("ask", policy, _AGES, "--epsilon 0.5")
    try:
        with _asked(policy, _AGES, "0.5") as asked:
            answer(asked)
    except BudgetExhaustedError as refusal:
        say(refusal, err=False)

    report = place / "wards.html"
    with waiting("drawing the report"):
        release.save(report)
    _tell("The answer as a page to keep and send, with its certificate:")
    click.echo(report)
    _tell("Go on with the table, which has ε = 0.3 left:")
    click.echo(f"{_discreet()} budget {quote(str(policy))}")
    click.echo(
        f'{_discreet()} ask {quote(str(policy))} "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1'
    )


def _asked(policy: Path, sql: str, epsilon: str) -> AbstractContextManager["Asked"]:
    from discreet.cli.questions import read_question

    return read_question(str(policy), sql, epsilon, "0", (), 500)


def _folder(folder: str | None) -> Path:
    if folder is None:
        return Path(mkdtemp(prefix="discreet-demo-"))
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    there = [name for name in _MADE if (place / name).exists()]
    if there:
        raise DataError(
            f"the folder {place.name!r} already holds {there[0]}. The demo makes a table with a "
            "budget of its own and overwrites nothing. Name another folder."
        )
    return place


def _tell(text: str) -> None:
    click.echo()
    click.secho(text, fg="cyan")


def _typed(command: str, policy: Path, sql: str, options: str) -> None:
    # A line is broken within the quotes only, where it is a blank to SQL: the text can be pasted.
    before = f"$ {_discreet()} {command} {quote(str(policy))} ".replace(" ", _KEPT)
    after = f" {options}".replace(" ", _KEPT)
    text = fill(
        f'{before}"{sql}"{after}',
        96,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    click.secho(text.replace(_KEPT, " "), dim=True)
    click.echo()


def _discreet() -> str:
    """The command, as it is typed in the working folder to get this one."""
    if Path(sys.executable).with_name("discreet").exists():
        return typed("discreet")
    return f"{typed(Path(sys.executable).name)} -m discreet.cli"
