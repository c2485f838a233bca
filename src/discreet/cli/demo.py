"""``discreet demo``: a private table from made-up visits, from the first question to a refusal."""

import csv
import datetime
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from shlex import quote
from tempfile import mkdtemp
from textwrap import fill
from typing import TYPE_CHECKING, Final, TextIO

import click

from discreet.dependencies import typed_command
from discreet.errors import BudgetExhaustedError, DataError

if TYPE_CHECKING:
    from discreet.cli.ask import TypedQuestion


PEOPLE: Final = 2_000
WARDS: Final = ("Emergency", "Medicine", "Surgery", "Maternity", "Oncology")
COLUMNS: Final = ("patient_id", "ward", "age", "stay", "admitted", "smoker")
_SHARES: Final = (44, 72, 90, 98, 100)  # of a hundred visits, up to and with each ward
_FIRST: Final = datetime.date(2024, 1, 1)
_DAYS: Final = 731

POLICY: Final = """\
# What may be asked of the hospital's visits, and how much privacy it may cost in all.
source     = "visits.csv"
name       = "visits"
unit       = "patient_id"    # all visits of a patient count as one
neighbors  = "add-remove"
max_groups = 2               # a patient counts in at most two wards
max_rows   = 5               # and for at most five visits
at_most_rows = 12            # nobody has more than twelve: this is known without the rows
ledger     = "visits.ledger"

[budget]
epsilon = 1

[columns]
ward     = { values = ["Emergency", "Medicine", "Surgery", "Maternity", "Oncology"] }
age      = { type = "integer", low = 0, high = 100 }
stay     = { low = 0, high = 30 }
admitted = { type = "date", low = "2024-01-01", high = "2025-12-31" }
smoker   = { type = "boolean" }
"""


_WARDS: Final = (
    "SELECT ward, COUNT(DISTINCT patient_id) AS patients, AVG(stay) AS mean_stay "
    "FROM visits GROUP BY ward"
)
_AGES: Final = "SELECT AVG(age) AS mean_age FROM visits"
_WIDEST_LINE: Final = 96
_KEPT: Final = "\N{NO-BREAK SPACE}"  # a blank at which no line is broken
_MADE: Final = ("visits.csv", "visits.toml", "visits.ledger", "wards.html")


def write_hospital(folder: Path) -> Path:
    """Write ``visits.csv`` and its policy into a folder; the policy's path."""
    with open(folder / "visits.csv", "x", encoding="utf-8", newline="") as file:
        write_visits(file)
    policy = folder / "visits.toml"
    with open(policy, "x", encoding="utf-8") as file:
        file.write(POLICY)
    return policy


def write_visits(file: TextIO) -> None:
    """The rows as CSV."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(visits())


def visits() -> Iterator[tuple[str, str, str, str, str, str]]:
    """Every visit: a few for most people, many for some; some stays and habits are not known."""
    numbers = _numbers()

    def below(bound: int) -> int:
        return next(numbers) * bound >> 31

    for person in range(1, PEOPLE + 1):
        age = 18 + (below(80) + below(60)) * 8 // 14
        smokes = "" if below(20) == 0 else "true" if below(100) < 24 else "false"
        frequent = below(25) == 0
        home = below(100)
        for _ in range(1 + min(below(3), below(4)) + (below(9) if frequent else 0)):
            place = home if below(3) else below(100)
            ward = next(n for n, share in enumerate(_SHARES) if place < share)
            days = (1 + ward) * (1 + below(7)) * (1 + below(9)) / 14
            yield (
                f"P{person:04}",
                WARDS[ward],
                str(age),
                "" if below(30) == 0 else f"{days:.1f}",
                (_FIRST + datetime.timedelta(days=below(_DAYS))).isoformat(),
                smokes,
            )


def _numbers() -> Iterator[int]:
    """Numbers of 31 bits that look irregular: a linear congruence (Knuth's MMIX)."""
    state = 2006  # the year of differential privacy
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield state >> 33


@click.command()
@click.option(
    "--folder", metavar="DIR", help="Where the table is made; a temporary one unless stated."
)
def demo(folder: str | None) -> None:
    """A private table from bundled data: a plan, an answer with its errors, and a refusal."""
    from discreet.cli.ask import pay_and_answer
    from discreet.cli.exit_codes import print_error
    from discreet.cli.terminal import show_answer, show_picture, show_plan, spinner

    place = _folder(folder)
    policy = write_hospital(place)
    _tell("Made-up visits to a hospital, and a policy that says what may be asked of them:")
    click.echo(place / "visits.csv")
    click.echo(policy)

    _tell(
        "Once: how many patients have how many visits. By it answers say what the caps leave out."
    )
    _typed("profile", policy, None, "--spend 20%")
    _show_profile(policy)

    _tell("What would it cost to ask about each ward, and how large would the errors be?")
    _typed("plan", policy, _WARDS, "--epsilon 0.5 --expect-rows 500")
    with _asked(policy, _WARDS, "0.5") as asked:
        show_plan(asked[0].plan)

        _tell("Pay it. The charge is on the disk before a row is read.")
        _typed("ask", policy, _WARDS, "--epsilon 0.5")
        [(release, balances)] = pay_and_answer(asked)
    show_answer(release, balances)
    click.echo()
    show_picture(release, "patients")

    _tell("Ask for more than is left: nothing is read, nothing is spent.")
    _typed("ask", policy, _AGES, "--epsilon 0.5")
    try:
        with _asked(policy, _AGES, "0.5") as asked:
            list(pay_and_answer(asked))
    except BudgetExhaustedError as refusal:
        print_error(refusal, err=False)

    report = place / "wards.html"
    with spinner("drawing the report"):
        release.save(report)
    _tell("The answer as a page to keep and send, with its certificate:")
    click.echo(report)
    _tell("Go on with the table, which has ε = 0.3 left:")
    click.echo(f"{_discreet()} budget {quote(str(policy))}")
    click.echo(
        f'{_discreet()} ask {quote(str(policy))} "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1'
    )


def _show_profile(policy: Path) -> None:
    from discreet.cli.terminal import show_profile
    from discreet.policy import read_policy
    from discreet.release.open_table import read_declarations

    with closing(read_declarations(**read_policy(policy)).opened()) as table:
        show_profile(table.profile(spend="20%"), table.schema)


def _asked(policy: Path, sql: str, epsilon: str) -> AbstractContextManager[list["TypedQuestion"]]:
    from discreet.cli.ask import read_questions

    return read_questions(
        str(policy),
        sql,
        epsilon=epsilon,
        spend=None,
        rho=None,
        delta="0",
        margins=(),
        weights=(),
        expect_rows=500,
        beside_budget=True,
    )


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


def _typed(command: str, policy: Path, sql: str | None, options: str) -> None:
    from discreet.cli.terminal import console

    # A line is broken within the quotes only, where it is a blank to SQL: the text can be pasted.
    before = f"$ {_discreet()} {command} {quote(str(policy))} ".replace(" ", _KEPT)
    after = f" {options}".replace(" ", _KEPT)
    text = fill(
        f"{before.rstrip(_KEPT)}{after}" if sql is None else f'{before}"{sql}"{after}',
        min(_WIDEST_LINE, console().width),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    click.secho(text.replace(_KEPT, " "), dim=True)
    click.echo()


def _discreet() -> str:
    """The command, as it is typed in the working folder to get this one."""
    if Path(sys.executable).with_name("discreet").exists():
        return typed_command("discreet")
    return f"{typed_command(Path(sys.executable).name)} -m discreet"
