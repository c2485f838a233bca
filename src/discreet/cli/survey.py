"""``discreet survey``: ask questions on the web without ever seeing an answer."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from math import exp
from pathlib import Path
from shlex import quote
from textwrap import fill
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from discreet.errors import DataError, PolicyError

if TYPE_CHECKING:
    from discreet.survey.poll import Poll
    from discreet.survey.report_store import ReportStore

_ANYWHERE = ("0.0.0.0", "::")
_HERE = ("127.0.0.1", "::1", "localhost")


@click.group()
def survey() -> None:
    """Ask questions on the web, and never see an answer.

    \b
    discreet survey new poll.toml        # a poll to be filled in
    discreet survey simulate poll.toml   # a rehearsal with fake answers
    discreet survey serve poll.toml      # the page, the collector and the results
    discreet survey status poll.toml     # how many reports and tokens there are
    discreet survey results poll.toml    # estimates with their intervals
    discreet survey close poll.toml      # take no more reports

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
@click.option("--address", metavar="URL", help="The page's address, where a proxy has another one.")
@click.option(
    "--qr/--no-qr",
    default=None,
    help="Show a code of the address for cameras; unless stated, on a terminal.",
)
@click.option(
    "--reworded", is_flag=True, help="The question was mended, and means what it meant before."
)
def serve(
    poll: str,
    host: str,
    port: int,
    proxy: str | None,
    address: str | None,
    qr: bool | None,
    reworded: bool,
) -> None:
    """Serve the page, take reports and show results, until stopped.

    No address of a respondent is stored or logged. Beyond this machine, put a server with TLS in
    front: without it, whoever carries the page can change what it does. The link for you alone
    works once, and opens a page with counts, faults and all reports.
    """
    from discreet.survey.poll import read_poll
    from discreet.survey.serving import open_poll_store, server
    from discreet.web.addresses import camera_code, own_address, url
    from discreet.web.one_time_link import OneTimeLink
    from discreet.web.serving import listening

    _require_page(address)
    declared_poll = read_poll(poll)
    link, key = OneTimeLink.made()
    store = open_poll_store(declared_poll, reworded=reworded)
    run = server(declared_poll, store, proxy, link)
    place = listening(host, port)
    port = place.getsockname()[1]
    page = url("127.0.0.1" if host in _ANYWHERE else host, port)
    outside = own_address(6 if host == "::" else 4) if host in _ANYWHERE else None
    others = f"{address.rstrip('/')}/" if address else outside and url(outside, port)
    click.echo(_headline(declared_poll))
    click.echo(f"  answer   {page}")
    if others:
        click.echo(f"  others   {others}")
    elif host in _ANYWHERE:
        click.echo(f"  others   this machine's name or address, port {port}")
    click.echo(f"  results  {page}results  ({_shown(declared_poll)})")
    reached = others or (None if host in _HERE or host in _ANYWHERE else page)
    if reached and (sys.stdout.isatty() if qr is None else qr):
        for line in camera_code(reached).splitlines():  # dark on light, whatever the terminal has
            click.echo(click.style(line, fg="black", bg="bright_white"))
    home = others if address else page
    click.echo(f"  for you  {home}operator#key={key}  (works once)")
    if store.shown().closed or not declared_poll.is_open(datetime.now(UTC)):
        click.echo(
            "The poll is closed: no report is taken. To go on, change closes in it, or run "
            f"discreet survey close {quote(poll)} --undo."
        )
    _warn_of_weakness(declared_poll)
    _tell_of_texts(declared_poll)
    if host not in _HERE:
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
    from discreet.privacy.number_text import plural
    from discreet.survey.estimates import leverage
    from discreet.survey.poll import read_poll
    from discreet.survey.results import rounded_up
    from discreet.survey.simulation import rehearse

    declared_poll = read_poll(poll)
    rehearsal = rehearse(declared_poll, respondents)
    people = plural(respondents, "fake respondent")
    click.echo(f"{people}, {_how(declared_poll)} for each")
    for found in rehearsal:
        question = found.question
        rows = []
        for one in found.results:
            estimate = one.estimate
            numbers = estimate.value, estimate.lower, estimate.upper
            truth, *_ = _printed((one.truth, *numbers[1:]), of_shares=not question.is_number)
            shown = _printed(numbers, of_shares=not question.is_number)
            rows.append((estimate.answer, truth, *shown))
        if len(rehearsal) > 1:
            click.echo(_asked(question))
        _table(("answer", "truth", "estimate", "at least", "at most"), rows)
        shift = leverage(question.scheme) / respondents
        what = (
            f"the mean by at most {rounded_up(shift)}"
            if question.is_number
            else f"a share by at most {rounded_up(100 * shift)}%"
        )
        click.echo(f"A forged report shifts {what}.")
    every = [one for found in rehearsal for one in found.results]
    held = sum(one.covered for one in every)
    click.echo(f"{held} of {len(every)} intervals hold the truth; each does in 95 of 100 surveys.")
    _warn_of_weakness(declared_poll)


@survey.command()
@click.argument("poll")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="The estimates as CSV.")
def results(poll: str, as_json: bool, as_csv: bool) -> None:
    """Show estimates with their intervals, from all reports so far.

    This is for whoever serves the poll: the page shows everyone what its results allow.
    """
    from discreet.survey.poll_terms import reports_text
    from discreet.survey.results import Counted
    from discreet.survey.results import as_csv as csv_text
    from discreet.survey.results import results as computed

    if as_json and as_csv:
        raise DataError("--json and --csv are both given. Results have one form. Leave one out.")
    declared_poll, store = _opened(poll)
    tally, refused = store.tally()
    given, _ = store.tokens()
    closed = store.is_closed() or not declared_poll.is_open(datetime.now(UTC))
    summary = computed(declared_poll, Counted(tally, refused), closed=closed, tokens=given or None)
    store.close()
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False, indent=2))
        return
    if as_csv:
        click.echo(csv_text(summary), nl=False)
        return
    counted = reports_text(summary["reports"])
    ended = ", closed" if closed else ""
    several = len(declared_poll.questions) > 1
    name = declared_poll.title if several else declared_poll.questions[0].text
    click.echo(f"{name}  {counted}, {_loss(declared_poll)} for each{ended}")
    if not summary["reports"]:
        click.echo("There is nothing to estimate from yet.")
    else:
        for question, found in zip(declared_poll.questions, summary["questions"], strict=True):
            if several:
                click.echo(_asked(question))
            _show_estimates(found)
    if refused:
        refused_text = ", ".join(f"{reason} {number:,}" for reason, number in refused.items())
        click.echo(f"Refused: {refused_text}.")


def _show_estimates(found: dict[str, Any]) -> None:
    """The estimates of a question, and what a forged report could shift."""
    if found["mean"] is not None:
        mean = found["mean"]
        numbers = mean["value"], mean["lower"], mean["upper"]
        _table(("mean", "at least", "at most"), [_printed(numbers, of_shares=False)])
    else:
        rows = [
            (
                one["answer"],
                *_printed((one["share"], one["lower"], one["upper"]), of_shares=True),
            )
            for one in found["shares"]
        ]
        _table(("answer", "share", "at least", "at most"), rows)
    click.echo(fill(found["poisoning"]["text"], 96))


def _printed(numbers: tuple[float, float, float], *, of_shares: bool) -> tuple[str, str, str]:
    """An estimate and its ends, which are rounded outward.

    >>> _printed((0.3171, 0.2918, 0.3423), of_shares=True)
    ('31.7%', '29.1%', '34.3%')
    >>> _printed((7.25, 6.913, 7.587), of_shares=False)
    ('7.25', '6.91', '7.59')
    """
    from discreet.privacy.number_text import ends_text, interval_step, value_text

    value, *ends = (100 * number for number in numbers) if of_shares else numbers
    step = -1 if of_shares else interval_step(value, (ends[0], ends[1]))
    sign = "%" if of_shares else ""
    texts = (value_text(value, step), *ends_text(ends, step))
    return texts[0] + sign, texts[1] + sign, texts[2] + sign


@survey.command()
@click.argument("poll")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(poll: str, as_json: bool) -> None:
    """Show how many reports and tokens there are, and whether the poll is open."""
    from discreet.survey.poll_terms import reports_text

    declared_poll, store = _opened(poll)
    tally, refused = store.tally()
    given, used = store.tokens()
    by_hand = store.is_closed()
    store.close()
    closed = by_hand or not declared_poll.is_open(datetime.now(UTC))
    number = declared_poll.ballot.number(tally)
    if as_json:
        tokens = {"given": given, "used": used} if given else None
        known = {"reports": number, "closed": closed, "tokens": tokens, "refused": refused}
        click.echo(json.dumps(known, indent=2))
        return
    click.echo(_headline(declared_poll))
    state = "it is closed" if closed else "it takes reports"
    click.echo(f"  {state}, {reports_text(number)}")
    if given:
        click.echo(f"  {used:,} of {given:,} tokens were used: {used / given:.1%}")
    click.echo(f"  {_shown(declared_poll)}")
    if refused:
        refused_text = ", ".join(f"{reason} {count:,}" for reason, count in refused.items())
        click.echo(f"  refused: {refused_text}")


@survey.command()
@click.argument("poll")
@click.option("--undo", is_flag=True, help="Take reports again.")
def close(poll: str, undo: bool) -> None:
    """Take no more reports; a collector that runs stops within seconds.

    What results allow everyone to see once a poll is closed is shown then.
    """
    from discreet.survey.serving import open_poll_store

    declared_poll, store = _opened(poll)
    store.close()
    store = open_poll_store(declared_poll, renew=False)
    store.close_poll(not undo)
    store.close()
    click.echo("Reports are taken again." if undo else "No more reports are taken.")


@survey.command()
@click.argument("poll")
@click.option("--format", "form", type=click.Choice(["csv", "json"]), default="csv")
def export(poll: str, form: str) -> None:
    """Write all reports, with their day and nothing else.

    dp.local.read_export reads the JSON of a poll with one question.
    """
    from discreet.survey.export import csv_lines, json_lines

    declared_poll, store = _opened(poll)
    for piece in (csv_lines if form == "csv" else json_lines)(store, declared_poll.ballot):
        click.echo(piece, nl=False)
    store.close()


@survey.command()
@click.option("--language", default="en", show_default=True, help="Which table to write.")
def texts(language: str) -> None:
    """Write the texts of the pages as JSON, to be translated.

    A poll names the translated file: texts = "texts.json".
    """
    from discreet.survey.texts import SHIPPED, is_shipped, table_text

    if not is_shipped(language):
        raise DataError(
            f"there is no table of texts in {language[:35]!r}. Those that are there are "
            f"{', '.join(SHIPPED)}; another one is made by translating one of them. Use "
            "--language en."
        )
    click.echo(table_text(language), nl=False)


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

    _require_page(address)
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


def _require_page(address: str | None) -> None:
    if address is not None and not _is_page(address):
        raise DataError(
            "--address is not that of a page. Links need the whole address, without what follows "
            "a ? or a #. Use --address https://survey.example.org."
        )


def _is_page(address: str) -> bool:
    parts = urlsplit(address)
    whole = parts.scheme in ("http", "https") and bool(parts.netloc)
    return whole and not parts.query and not parts.fragment and address.isprintable()


def _opened(poll: str) -> "tuple[Poll, ReportStore]":
    """A poll and its database, which was made when it was served."""
    from discreet.survey.poll import read_poll
    from discreet.survey.serving import open_poll_store

    declared_poll = read_poll(poll)
    if "://" not in declared_poll.database and not Path(declared_poll.database).is_file():
        raise PolicyError(
            f"there is no database {Path(declared_poll.database).name!r} of this poll yet. It is "
            f"made when the poll is served. Run discreet survey serve {quote(poll)}."
        )
    return declared_poll, open_poll_store(declared_poll, make=False)


def _loss(poll: "Poll") -> str:
    from discreet.exact import named_number_text

    return named_number_text("ε", poll.epsilon)


def _how(poll: "Poll") -> str:
    """How answers are randomized, and what a report may reveal."""
    names = dict.fromkeys(one.scheme_name for one in poll.questions)
    return f"{', '.join(names)}, {_loss(poll)}"


def _headline(poll: "Poll") -> str:
    from discreet.survey.protection import WORDS, protection

    several = len(poll.questions) > 1
    name = f"{poll.title}: {len(poll.questions)} questions" if several else poll.questions[0].text
    return f"{name}  ({_how(poll)}: {WORDS[protection(poll.epsilon)]})"


def _asked(question: Any) -> str:
    from discreet.exact import named_number_text

    return f"{question.text}  ({question.kind}, {named_number_text('ε', question.epsilon)})"


def _shown(poll: "Poll") -> str:
    """When everyone sees results."""
    return {
        "live": "shown to everyone with every report",
        "batches": f"shown to everyone in batches of at least {poll.batch}",
        "closed": "shown to everyone once the poll is closed",
        "private": "shown to nobody but you",
    }[poll.results]


def _warn_of_weakness(poll: "Poll") -> None:
    """Say so where a report protects little."""
    from discreet.survey.protection import protection

    if protection(poll.epsilon) == "little":
        ratio = exp(min(700.0, float(poll.epsilon)))
        click.echo(
            f"{_loss(poll)} protects little: a report is up to {ratio:,.3g} times as likely for "
            "one answer as for another, and whoever sees it learns a great deal about the answer. "
            "To 1 protects well, to 2 some. The page tells respondents so. Use epsilon = 1 or "
            "less to protect them.",
            err=True,
        )


def _tell_of_texts(poll: "Poll") -> None:
    """Say so where the texts around the questions are in another language."""
    if poll.texts.language.partition("-")[0].lower() != poll.language.partition("-")[0].lower():
        click.echo(
            f"The questions are in {poll.language!r}, and the texts around them in English: there "
            "is no table of texts in that language. Translate what discreet survey texts writes, "
            'and name the file in the poll: texts = "texts.json".',
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
