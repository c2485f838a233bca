"""``discreet survey``: ask a question on the web without ever seeing an answer."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from math import exp
from pathlib import Path
from shlex import quote
from textwrap import fill
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from discreet.errors import DataError, PolicyError

if TYPE_CHECKING:
    from discreet.survey.poll import Poll

_WEAK = 20.0  # times as likely: from there on, ε = 3, a report hardly hides an answer


@click.group()
def survey() -> None:
    """Ask a question on the web, and never see an answer.

    \b
    discreet survey new poll.toml        # a poll to be filled in
    discreet survey simulate poll.toml   # a rehearsal with fake answers
    discreet survey serve poll.toml      # the page, the collector and the results
    discreet survey results poll.toml    # estimates with their intervals

    Answers are randomized in the browser of each respondent; only reports arrive.
    """


@survey.command()
@click.argument("poll")
def new(poll: str) -> None:
    """Write a poll to be filled in."""
    from discreet.survey.poll import write_template

    write_template(Path(poll))
    click.echo(f"{poll} asks a first question. Put yours in its place, and then:")
    click.echo(f"  discreet survey simulate {quote(poll)} --respondents 1000")


@survey.command()
@click.argument("poll")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--proxy",
    metavar="ADDRESS",
    help="The proxy in front, whose word about a sender's address is believed.",
)
@click.option(
    "--reworded", is_flag=True, help="The question was mended, and means what it meant before."
)
def serve(poll: str, host: str, port: int, proxy: str | None, reworded: bool) -> None:
    """Serve the page, take reports and show results, until stopped.

    No address of a respondent is stored or logged. Beyond this machine, put a server with TLS in
    front: without it, whoever carries the page can change what it does.
    """
    from discreet.survey.poll import read_poll
    from discreet.survey.serving import open_poll_store, server
    from discreet.web.serving import listening

    declared_poll = read_poll(poll)
    run = server(declared_poll, open_poll_store(declared_poll, reworded=reworded), proxy)
    place = listening(host, port)
    every = host in ("0.0.0.0", "::")
    shown_host = "127.0.0.1" if every else f"[{host}]" if ":" in host else host
    port = place.getsockname()[1]
    click.echo(f"{declared_poll.question}  ({declared_poll.kind}, {declared_poll.scheme.loss})")
    click.echo(f"  answer   http://{shown_host}:{port}/")
    click.echo(f"  results  http://{shown_host}:{port}/results")
    if every:
        click.echo(f"Others reach it at this machine's name or address, port {port}.")
    if not declared_poll.is_open(datetime.now(UTC)):
        click.echo("The poll is closed: no report is taken. Change closes in it to go on.")
    _warn_of_weakness(declared_poll)
    if host not in ("127.0.0.1", "::1", "localhost"):
        click.echo(
            "Respondents trust the page that they load: let them load it over TLS, by a server in "
            "front of this one.",
            err=True,
        )
    sys.stdout.flush()
    with place:
        run(place)


@survey.command()
@click.argument("poll")
@click.option("--respondents", default=1000, show_default=True, type=click.IntRange(1, 10**6))
def simulate(poll: str, respondents: int) -> None:
    """Rehearse with fake answers: what so many respondents would show.

    Nothing is stored. The first answer is given by the most of the fake respondents, the last one
    by the fewest; numbers lie anywhere between the bounds.
    """
    from discreet.survey.estimates import leverage
    from discreet.survey.poll import read_poll
    from discreet.survey.results import rounded_up
    from discreet.survey.simulation import rehearse

    declared_poll = read_poll(poll)
    rehearsal = rehearse(declared_poll, respondents)
    form = ".4g" if declared_poll.is_number else ".1%"
    rows = []
    for one in rehearsal:
        numbers = one.truth, one.estimate.value, one.estimate.lower, one.estimate.upper
        rows.append((one.estimate.answer, *(format(number, form) for number in numbers)))
    people = "1 fake respondent" if respondents == 1 else f"{respondents:,} fake respondents"
    click.echo(f"{people}, {declared_poll.kind}, {declared_poll.scheme.loss} for each")
    _table(("answer", "truth", "estimate", "at least", "at most"), rows)
    held = sum(one.covered for one in rehearsal)
    click.echo(
        f"{held} of {len(rehearsal)} intervals hold the truth; each does in 95 of 100 surveys."
    )
    shift = leverage(declared_poll.scheme) / respondents
    what = (
        f"the mean by at most {rounded_up(shift)}"
        if declared_poll.is_number
        else f"a share by at most {rounded_up(100 * shift)}%"
    )
    click.echo(f"A forged report shifts {what}.")
    _warn_of_weakness(declared_poll)


@survey.command()
@click.argument("poll")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="The estimates as CSV.")
def results(poll: str, as_json: bool, as_csv: bool) -> None:
    """Show estimates with their intervals, from the reports so far."""
    from discreet.survey.poll import read_poll
    from discreet.survey.poll_terms import reports_text
    from discreet.survey.results import as_csv as csv_text
    from discreet.survey.results import results as computed
    from discreet.survey.serving import open_poll_store

    if as_json and as_csv:
        raise DataError("--json and --csv are both given. Results have one form. Leave one out.")
    declared_poll = read_poll(poll)
    if "://" not in declared_poll.database and not Path(declared_poll.database).is_file():
        raise PolicyError(
            f"there is no database {Path(declared_poll.database).name!r} of this poll yet. It is "
            f"made when the poll is served. Run discreet survey serve {quote(poll)}."
        )
    store = open_poll_store(declared_poll, make=False)
    tally, refused = store.tally()
    summary = computed(declared_poll, tally, refused, datetime.now(UTC))
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False, indent=2))
        return
    if as_csv:
        click.echo(csv_text(summary), nl=False)
        return
    counted = reports_text(summary["reports"])
    closed = ", closed" if summary["closed"] else ""
    click.echo(f"{declared_poll.question}  {counted}, {declared_poll.scheme.loss} for each{closed}")
    if not summary["reports"]:
        click.echo("There is nothing to estimate from yet.")
    elif summary["mean"] is not None:
        numbers = (format(summary["mean"][name], ".4g") for name in ("value", "lower", "upper"))
        _table(("mean", "at least", "at most"), [tuple(numbers)])
    else:
        rows = [
            (one["answer"], *(f"{one[name]:.1%}" for name in ("share", "lower", "upper")))
            for one in summary["shares"]
        ]
        _table(("answer", "share", "at least", "at most"), rows)
    if summary["reports"]:
        click.echo(fill(summary["poisoning"]["text"], 96))
    if refused:
        refused_text = ", ".join(f"{reason} {number:,}" for reason, number in refused.items())
        click.echo(f"Refused: {refused_text}.")
    store.close()


@survey.command()
@click.argument("poll")
@click.option("--number", default=100, show_default=True, type=click.IntRange(1, 10**6))
@click.option("--address", metavar="URL", help="Write links to the page, with the token in each.")
def tokens(poll: str, number: int, address: str | None) -> None:
    """Make one-time tokens, one a line; only their hashes are stored.

    They cannot be shown again. Hand them out without noting who got which.
    """
    from discreet.survey.poll import ONE_TIME, read_poll
    from discreet.survey.serving import open_poll_store
    from discreet.survey.tokens import new_token, token_hash

    if address is not None and not _is_page(address):
        raise DataError(
            "--address is not that of a page. Links need the whole address, without what follows "
            "a ? or a #. Use --address https://survey.example.org."
        )
    declared_poll = read_poll(poll)
    if declared_poll.tokens != ONE_TIME:
        raise PolicyError(
            f"{Path(poll).name} is open to everyone. Tokens are for a poll that asks for them. "
            f'Write tokens = "{ONE_TIME}" in it.'
        )
    store = open_poll_store(declared_poll, renew=False)
    new_tokens = [new_token() for _ in range(number)]
    store.add_tokens([token_hash(token) for token in new_tokens])
    store.close()
    for token in new_tokens:
        click.echo(token if address is None else f"{address.rstrip('/')}/#token={token}")


def _is_page(address: str) -> bool:
    parts = urlsplit(address)
    whole = parts.scheme in ("http", "https") and bool(parts.netloc)
    return whole and not parts.query and not parts.fragment and address.isprintable()


def _warn_of_weakness(poll: "Poll") -> None:
    """Say so where a report all but is the answer."""
    ratio = exp(min(700.0, float(poll.epsilon)))
    if ratio >= _WEAK:
        click.echo(
            f"With {poll.scheme.loss} a report is up to {ratio:,.3g} times as likely for one "
            "answer as for another: whoever sees it learns a great deal about the answer. The "
            "page tells respondents so. Use epsilon = 1 or less to protect them.",
            err=True,
        )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from discreet.cli.terminal import console

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="")
    for place, name in enumerate(head):
        table.add_column(name, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console().print(Padding(table, (0, 0, 0, 2), expand=False))
